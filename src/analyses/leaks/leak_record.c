/* SPDX-License-Identifier: MIT
 *
 * leak_record.c: see leak_record.h.
 */
#include "analyses/leaks/leak_record.h"

#include <string.h>

#include "base/strtab.h"
#include "base/text.h"

/* Strings that are looked at, and bytes of each. */
#define MOST_TEXTS 4096
#define MOST_TEXT_BYTES 256

static const char reduced_format[] = "ids and classes";

typedef struct record_class {
    ubi_coarse_type coarse_type;
    ubi_str_ix name, place; /* UBI_NONE: NULL text */
} record_class;
UBI_VEC_DECLARE(vec_record_class, record_class);

typedef struct record_text {
    uint64_t id;
    ubi_str_ix text;
} record_text;
UBI_VEC_DECLARE(vec_record_text, record_text);

struct ubi__leak_record {
    const ubi_allocator *allocator;
    ubi_class_scheme scheme;
    uint32_t *class_of; /* owned class_of[n_nodes] */
    uint32_t n_nodes;
    vec_record_class classes;
    vec_record_text samples;
    ubi__strtab texts;   /* of classes and samples */
    ubi__strtab strings; /* what is left of the graph's */
    ubi__vec_kind kinds; /* the graph's, in these strings */
    uint64_t id_mark;
    const char *lens;
};

/* ---- classes -------------------------------------------------------------------------------------------------------- */

static ubi_text text_at(const ubi__leak_record *r, ubi_str_ix ix) {
    return ix == UBI_NONE ? (ubi_text){ NULL, 0 } : ubi__strtab_get(&r->texts, ix);
}

static void class_describe(const ubi_class_scheme *scheme, uint32_t class_ix, ubi_class *out) {
    const ubi__leak_record *r = scheme->payload;
    const record_class *c = &r->classes.at[UBI_INDEX(class_ix, r->classes.n)];
    *out = (ubi_class){ c->coarse_type, text_at(r, c->name), text_at(r, c->place) };
}

static uint32_t class_of_node(const ubi_class_scheme *scheme, ubi_node_ix node) {
    const ubi__leak_record *r = scheme->payload;
    return r->class_of[UBI_INDEX(node, r->n_nodes)];
}

static ubi_status text_keep(ubi_str_ix *out, ubi__strtab *texts, ubi_text text) {
    *out = UBI_NONE;
    return text.ptr ? ubi__strtab_intern(texts, out, text) : UBI_OK;
}

static ubi_status classes_keep(ubi__leak_record *r, const ubi_class_scheme *from) {
    ubi_class class;
    record_class kept;
    for (uint32_t i = 0; i < from->n_classes; i++) {
        from->describe(from, i, &class);
        kept.coarse_type = class.coarse_type;
        UBI_TRY(text_keep(&kept.name, &r->texts, class.name));
        UBI_TRY(text_keep(&kept.place, &r->texts, class.place));
        UBI_TRY(vec_record_class_push(&r->classes, r->allocator, kept));
    }
    for (ubi_node_ix node = 0; node < r->n_nodes; node++)
        r->class_of[node] = from->class_of(from, node);
    return UBI_OK;
}

/* ---- texts ---------------------------------------------------------------------------------------------------------- */

static bool is_text(const ubi_graph *g, ubi_node_ix node) {
    const ubi_kind *kind = &g->kinds.rows.at[g->kind.at[node]];
    ubi_str_ix name = ubi__graph_node_name(g, node);
    return kind->coarse_type == UBI_COARSE_STRING && name != UBI_NONE &&
           (!g->string_has_text || g->string_has_text(kind)) &&
           ubi__strtab_get(&g->strings, name).len <= MOST_TEXT_BYTES;
}

/* From all over the heap. */
static ubi_status samples_keep(ubi__leak_record *r, const ubi_graph *g) {
    uint32_t stride = r->n_nodes / (8 * MOST_TEXTS) + 1;
    for (uint64_t node = 0; node < r->n_nodes && r->samples.n < MOST_TEXTS; node += stride) {
        record_text sample = { g->id.at[node], UBI_NONE };
        if (!is_text(g, (ubi_node_ix)node))
            continue;
        ubi_text text = ubi__strtab_get(&g->strings, ubi__graph_node_name(g, (ubi_node_ix)node));
        UBI_TRY(ubi__strtab_intern(&r->texts, &sample.text, text));
        UBI_TRY(vec_record_text_push(&r->samples, r->allocator, sample));
    }
    return UBI_OK;
}

void ubi__leak_record_match_texts(ubi__id_match *match, const ubi__leak_record *r, const ubi_graph *g) {
    for (size_t i = 0; i < r->samples.n; i++) {
        ubi_node_ix node = ubi__id_index_find(&g->ids, g->id.at, r->samples.at[i].id);
        if (node == UBI_NONE || !is_text(g, node))
            continue;
        match->n_texts++;
        match->n_texts_same += ubi__text_equal(ubi__strtab_get(&g->strings, ubi__graph_node_name(g, node)),
                                               ubi__strtab_get(&r->texts, r->samples.at[i].text));
    }
}

/* ---- kinds ---------------------------------------------------------------------------------------------------------- */

static ubi_status string_keep(ubi_str_ix *ix, ubi__leak_record *r, const ubi_graph *g) {
    return *ix == UBI_NONE ? UBI_OK : ubi__strtab_intern(&r->strings, ix, ubi__strtab_get(&g->strings, *ix));
}

static ubi_status kinds_keep(ubi__leak_record *r, const ubi_graph *g) {
    for (size_t i = 0; i < g->kinds.rows.n; i++) {
        ubi_kind kind = g->kinds.rows.at[i];
        UBI_TRY(string_keep(&kind.type_name, r, g));
        UBI_TRY(string_keep(&kind.class_name, r, g));
        UBI_TRY(string_keep(&kind.script_filename, r, g));
        UBI_TRY(string_keep(&kind.descriptive_name, r, g));
        UBI_TRY(ubi__vec_kind_push(&r->kinds, r->allocator, kind));
    }
    return UBI_OK;
}

/* ---- the whole ------------------------------------------------------------------------------------------------------ */

static ubi_status record_fill(ubi__leak_record *r, const ubi_graph *g, const ubi_class_scheme *classes) {
    r->class_of = ubi__alloc_array(r->allocator, r->n_nodes, sizeof *r->class_of);
    if (r->n_nodes && !r->class_of)
        return ubi__fail_nomem();
    UBI_TRY(classes_keep(r, classes));
    UBI_TRY(samples_keep(r, g));
    return kinds_keep(r, g);
}

ubi_status ubi__leak_record_new(ubi__leak_record **out, ubi_graph *g, const ubi_class_scheme *classes, uint64_t id_mark,
                                const char *lens, const ubi_allocator *allocator) {
    const ubi_allocator *a = allocator ? allocator : g->allocator;
    ubi__leak_record *r = UBI_NEW(a, ubi__leak_record);
    if (!r)
        return ubi__fail_nomem();
    r->allocator = a;
    r->n_nodes = g->n_nodes;
    r->id_mark = id_mark;
    r->lens = lens;
    ubi__strtab_init(&r->texts, r->allocator);
    ubi__strtab_init(&r->strings, r->allocator);
    ubi_status status = record_fill(r, g, classes);
    if (status != UBI_OK) {
        ubi__leak_record_free(r);
        return status;
    }
    if (classes->size_bytes && r->n_nodes)
        memcpy(g->size_bytes.at, classes->size_bytes, r->n_nodes * sizeof *g->size_bytes.at);
    r->scheme = (ubi_class_scheme){ .graph = g,
                                    .n_classes = (uint32_t)r->classes.n,
                                    .has_mixed_coarse_types = classes->has_mixed_coarse_types,
                                    .describe = class_describe,
                                    .class_of = class_of_node,
                                    .payload = r };
    *out = r;
    return UBI_OK;
}

void ubi__leak_record_free(ubi__leak_record *r) {
    if (!r)
        return;
    ubi__free_array(r->allocator, r->class_of, r->n_nodes, sizeof *r->class_of);
    vec_record_class_fini(&r->classes, r->allocator);
    vec_record_text_fini(&r->samples, r->allocator);
    ubi__strtab_fini(&r->texts);
    ubi__strtab_fini(&r->strings);
    ubi__vec_kind_fini(&r->kinds, r->allocator);
    UBI_DELETE(r->allocator, r);
}

static void facts_free(void *facts, const ubi_allocator *a) {
    (void)a;
    ubi__leak_record_free(facts);
}

void ubi__leak_record_reduce(ubi__leak_record *r, ubi_graph *g) {
    const ubi_allocator *a = g->allocator;
    UBI_ASSERT(g == r->scheme.graph && r->allocator == a && atomic_load(&g->references) == 1);
    ubi__vec_u64_fini(&g->first_edge, a);
    ubi__vec_u32_fini(&g->target, a);
    ubi__vec_u32_fini(&g->name, a);
    ubi__vec_u8_fini(&g->edge_kind, a);
    ubi__vec_u32_fini(&g->node_name, a);
    ubi__vec_u32_fini(&g->stack, a);
    ubi__vec_u64_fini(&g->reachable, a);
    if (g->facts)
        g->free_facts(g->facts, a);
    ubi__strtab_fini(&g->strings);
    ubi__vec_kind_fini(&g->kinds.rows, a);
    g->strings = r->strings;
    g->kinds.rows = r->kinds;
    ubi__strtab_init(&r->strings, a);
    r->kinds = (ubi__vec_kind){ NULL, 0, 0 };
    g->n_edges = 0;
    g->facts = r;
    g->free_facts = facts_free;
    g->format = reduced_format;
}

const ubi__leak_record *ubi__leak_record_of(const ubi_graph *g) {
    return g->format == reduced_format ? g->facts : NULL;
}

const ubi_class_scheme *ubi__leak_record_classes(const ubi__leak_record *r) {
    return &r->scheme;
}

uint64_t ubi__leak_record_id_mark(const ubi__leak_record *r) {
    return r->id_mark;
}

const char *ubi__leak_record_lens(const ubi__leak_record *r) {
    return r->lens;
}
