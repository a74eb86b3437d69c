/* SPDX-License-Identifier: MIT
 *
 * v8_look_pass.c: what V8's lens knows of a graph, to an index and back (lens.h).
 */
#include "base/column_file.h"
#include "base/status.h"
#include "lenses/v8/v8_look.h"

/* ---- rules --------------------------------------------------------------------------------------------------------- */

static bool traits_hold(const ubi__column_rule *rule, const void *items, size_t first, size_t n) {
    const uint8_t *at = items;
    bool are_right = true;
    (void)rule, (void)first;
    for (size_t i = 0; i < n; i++)
        are_right &= (at[i] & UBI__V8_TYPE_BITS) < UBI__V8_TYPE_COUNT;
    return are_right;
}

/* `limit`: strings; payload: the look. */
static bool ephemerons_hold(const ubi__column_rule *rule, const void *items, size_t first, size_t n) {
    const ubi__v8_look *own = rule->payload;
    const ubi__v8_ephemeron *at = items;
    for (size_t i = 0; i < n; i++)
        if (at[i].name >= rule->limit || at[i].pair >= own->n_pairs ||
            (first + i > 0 && (at + i)[-1].name >= at[i].name))
            return false;
    return true;
}

/* Places of all numbers ascend, each below the limit. */
static bool names_hold(const ubi__column_rule *rule, const void *items, size_t first, size_t n) {
    const uint32_t *at = items;
    for (size_t i = 0; i < n; i++)
        if (at[i] >= rule->limit || (first + i > 0 && (at + i)[-1] >= at[i]))
            return false;
    return true;
}

static bool is_part(const ubi__rope_part *part, uint64_t n_nodes) {
    return part->node < n_nodes || part->node == UBI_NONE;
}

/* Not empty, and without another string of its text, it has two halves. */
static bool has_halves(const ubi__rope *rope) {
    return rope->units == 0 || rope->same.node != UBI_NONE ||
           (rope->first.node != UBI_NONE && rope->second.node != UBI_NONE);
}

static bool ropes_hold(const ubi__column_rule *rule, const void *items, size_t first, size_t n) {
    const ubi__rope *at = items;
    for (size_t i = 0; i < n; i++) {
        uint8_t is_flat;
        memcpy(&is_flat, &at[i].is_flat, 1);
        if (at[i].node >= rule->limit || (first + i > 0 && (at + i)[-1].node >= at[i].node) || is_flat > 1 ||
            !is_part(&at[i].first, rule->limit) || !is_part(&at[i].second, rule->limit) ||
            !is_part(&at[i].same, rule->limit) || !has_halves(&at[i]))
            return false;
    }
    return true;
}

/* Rows of concatenations are rows of the column, whose length is known only when it is there. */
static bool ropes_are_linked(const ubi__vec_rope *cons) {
    bool are_right = true;
    for (size_t i = 0; i < cons->n; i++) {
        const ubi__rope *r = &cons->at[i];
        are_right &= (r->first.row < cons->n || r->first.row == UBI_NONE) &
                     (r->second.row < cons->n || r->second.row == UBI_NONE) &
                     (r->same.row < cons->n || r->same.row == UBI_NONE);
    }
    return are_right;
}

/* ---- texts ----------------------------------------------------------------------------------------------------------- */

/* Read, `texts` was empty. */
static ubi_status texts_pass(ubi__columns *c, const char *name, ubi__vec_text *texts) {
    ubi__strtab t;
    ubi_str_ix entry;
    ubi_status status = UBI_OK;
    ubi__strtab_init(&t, c->allocator);
    for (size_t i = 0; c->writer && i < texts->n && status == UBI_OK; i++)
        status = ubi__strtab_append(&t, &entry, texts->at[i]);
    if (status == UBI_OK)
        status = ubi__columns_strings(c, name, &t);
    if (status == UBI_OK && !c->writer)
        status = ubi__vec_text_reserve(texts, c->allocator, t.end.n);
    for (size_t i = 0; !c->writer && i < t.end.n && status == UBI_OK; i++)
        texts->at[texts->n++] = ubi__strtab_get(&t, (ubi_str_ix)i);
    ubi__strtab_fini(&t); /* its texts are part of the file */
    return status;
}

/* The same of members of n rows: each text is `stride` bytes after the one before. */
static ubi_status members_pass(ubi__columns *c, const char *name, void *first, size_t n, size_t stride) {
    ubi__vec_text texts = { NULL, 0, 0 };
    ubi_status status = UBI_OK;
    for (size_t i = 0; c->writer && i < n && status == UBI_OK; i++)
        status = ubi__vec_text_push(&texts, c->allocator, *(const ubi_text *)((const char *)first + i * stride));
    if (status == UBI_OK)
        status = texts_pass(c, name, &texts);
    if (status == UBI_OK)
        status = ubi__columns_expect(c, texts.n == n, name);
    for (size_t i = 0; !c->writer && i < n && status == UBI_OK; i++)
        *(ubi_text *)((char *)first + i * stride) = texts.at[i];
    ubi__vec_text_fini(&texts, c->allocator);
    return status;
}

/* ---- tables ------------------------------------------------------------------------------------------------------------ */

static ubi_status classes_pass(ubi__columns *c, ubi_look *look) {
    const ubi__column_rule rule = ubi__column_bytes_below(UBI_COARSE_TYPE_COUNT);
    ubi__vec_u8 types = { NULL, 0, 0 };
    ubi_status status = UBI_OK;
    for (size_t i = 0; c->writer && i < look->classes.n && status == UBI_OK; i++)
        status = ubi__vec_u8_push(&types, c->allocator, (uint8_t)look->classes.at[i].coarse_type);
    if (status == UBI_OK)
        status = UBI__COLUMN(c, "coarse types of classes", &types, &rule);
    if (status == UBI_OK && !c->writer)
        status = ubi__vec_lens_class_reserve(&look->classes, c->allocator, types.n);
    for (size_t i = 0; !c->writer && i < types.n && status == UBI_OK; i++)
        look->classes.at[look->classes.n++] = (ubi_look_class){ .coarse_type = (ubi_coarse_type)types.at[i] };
    ubi__vec_u8_fini(&types, c->allocator);
    UBI_TRY(status);
    ubi_look_class *at = look->classes.at;
    size_t n = look->classes.n;
    UBI_TRY(members_pass(c, "names of classes", n ? &at->name : NULL, n, sizeof *at));
    return members_pass(c, "places of classes", n ? &at->place : NULL, n, sizeof *at);
}

/** An interface without its name. */
typedef struct interface_row {
    uint32_t first_property, n_properties;
    uint64_t count;
} interface_row;
UBI_VEC_DECLARE(vec_interface_row, interface_row);

static ubi_status interface_rows_pass(ubi__columns *c, ubi__v8_interfaces *all, vec_interface_row *rows) {
    uint64_t n_properties = 0;
    for (size_t i = 0; c->writer && i < all->rows.n; i++) {
        const ubi__v8_interface *row = &all->rows.at[i];
        interface_row bare = { row->first_property, row->n_properties, row->count };
        UBI_TRY(vec_interface_row_push(rows, c->allocator, bare));
    }
    UBI_TRY(UBI__COLUMN(c, "interfaces", rows, NULL));
    if (c->writer)
        return UBI_OK;
    UBI_TRY(ubi__vec_v8_interface_reserve(&all->rows, c->allocator, rows->n));
    for (size_t i = 0; i < rows->n; i++) {
        const interface_row *row = &rows->at[i];
        UBI_TRY(ubi__columns_expect(c, row->first_property == n_properties, "interfaces"));
        n_properties += row->n_properties;
        all->rows.at[all->rows.n++] =
            (ubi__v8_interface){ { NULL, 0 }, row->first_property, row->n_properties, row->count };
    }
    return ubi__columns_expect(c, n_properties == all->properties.n, "interfaces");
}

static ubi_status interfaces_pass(ubi__columns *c, ubi__v8_interfaces *all) {
    vec_interface_row rows = { NULL, 0, 0 };
    UBI_TRY(texts_pass(c, "properties of interfaces", &all->properties));
    ubi_status status = interface_rows_pass(c, all, &rows);
    vec_interface_row_fini(&rows, c->allocator);
    UBI_TRY(status);
    size_t n = all->rows.n;
    return members_pass(c, "names of interfaces", n ? &all->rows.at->name : NULL, n, sizeof *all->rows.at);
}

static ubi_status renamed_pass(ubi__columns *c, ubi__v8_look *own, const ubi_graph *g) {
    const ubi__column_rule rule = { names_hold, g->strings.end.n, NULL };
    ubi__vec_u32 names = { NULL, 0, 0 };
    ubi_status status = UBI_OK;
    for (size_t i = 0; c->writer && i < own->renamed.n && status == UBI_OK; i++)
        status = ubi__vec_u32_push(&names, c->allocator, own->renamed.at[i].name);
    if (status == UBI_OK)
        status = UBI__COLUMN(c, "names with another", &names, &rule);
    if (status == UBI_OK && !c->writer)
        status = ubi__vec_v8_renamed_reserve(&own->renamed, c->allocator, names.n);
    for (size_t i = 0; !c->writer && i < names.n && status == UBI_OK; i++)
        own->renamed.at[own->renamed.n++] = (ubi__v8_renamed){ names.at[i], { NULL, 0 } };
    ubi__vec_u32_fini(&names, c->allocator);
    UBI_TRY(status);
    size_t n = own->renamed.n;
    return members_pass(c, "other names", n ? &own->renamed.at->text : NULL, n, sizeof *own->renamed.at);
}

/* ---- columns ------------------------------------------------------------------------------------------------------------- */

/* A column for each of n_wanted; NULL, if it may be. */
static ubi_status column_pass(ubi__columns *c, const char *name, void **at, size_t n_wanted, size_t item_bytes,
                              const ubi__column_rule *rule, bool may_be_null) {
    size_t n = *at ? n_wanted : 0;
    UBI_TRY(ubi__columns_array(c, name, at, &n, item_bytes, rule));
    return ubi__columns_expect(c, n == n_wanted || (may_be_null && n == 0), name);
}

#define EACH(c, name, member, n_wanted, rule, may_be_null)                                                             \
    column_pass((c), (name), (void **)&(member), (n_wanted), sizeof *(member), (rule), (may_be_null))

static ubi_status strings_pass(ubi__columns *c, ubi__v8_look *own, const ubi_graph *g) {
    const uint64_t n_strings = g->strings.end.n;
    const ubi__column_rule words = ubi__column_below_or_none(n_strings);
    const ubi__column_rule ephemerons = { ephemerons_hold, n_strings, own };
    UBI_TRY(ubi__columns_value(c, "words", &own->words, sizeof own->words));
    UBI_TRY(
        ubi__columns_expect(c, words.holds(&words, &own->words, 0, sizeof own->words / sizeof(ubi_str_ix)), "words"));
    UBI_TRY(ubi__columns_value(c, "pairs", &own->n_pairs, sizeof own->n_pairs));
    UBI_TRY(UBI__COLUMN(c, "ephemerons", &own->ephemerons, &ephemerons));
    UBI_TRY(EACH(c, "names of ephemerons", own->is_ephemeron, n_strings / 64 + 1, NULL, true));
    return ubi__columns_expect(c, !own->is_ephemeron == !own->ephemerons.n, "names of ephemerons");
}

static ubi_status edges_pass(ubi__columns *c, ubi__v8_look *own, const ubi_graph *g) {
    if (!c->writer) {
        own->essential = UBI_NEW(g->allocator, ubi_edge_set); /* which frees it */
        if (!own->essential)
            return ubi__fail_nomem();
        own->essential->graph = ubi_graph_ref((ubi_graph *)(uintptr_t)g);
        own->essential->n_words = (size_t)(g->n_edges / 64 + 1);
    }
    ubi_edge_set *set = own->essential;
    UBI_TRY(EACH(c, "essential edges", set->words, set->n_words, NULL, false));
    return ubi__columns_expect(c, set->words[set->n_words - 1] >> (g->n_edges % 64) == 0, "essential edges");
}

static ubi_status roots_pass(ubi__columns *c, ubi__v8_look *own, const ubi_graph *g) {
    const ubi__column_rule edges = ubi__column_ascending(g->first_edge.at[g->root + 1]);
    const ubi__column_rule nodes = ubi__column_below(g->n_nodes);
    UBI_TRY(UBI__COLUMN(c, "edges to roots", &own->user_root_edges, &edges));
    const ubi__vec_u64 *e = &own->user_root_edges;
    UBI_TRY(ubi__columns_expect(
        c, !e->n || (e->at[0] >= g->first_edge.at[g->root] && e->at[e->n - 1] < g->first_edge.at[g->root + 1]),
        "edges to roots"));
    UBI_TRY(UBI__COLUMN(c, "weak tables", &own->weak_tables, &nodes));
    return UBI__COLUMN(c, "passing roots", &own->passing_roots, &nodes);
}

static ubi_status ropes_pass(ubi__columns *c, ubi__v8_look *own, const ubi_graph *g) {
    const ubi__column_rule rule = { ropes_hold, g->n_nodes, NULL };
    if (!c->writer)
        own->joined.graph = g;
    UBI_TRY(ubi__columns_value(c, "type of concatenations", &own->joined.rope_type, sizeof own->joined.rope_type));
    UBI_TRY(UBI__COLUMN(c, "concatenations", &own->joined.cons, &rule));
    return ubi__columns_expect(c, ropes_are_linked(&own->joined.cons), "concatenations");
}

static ubi_status nodes_pass(ubi__columns *c, ubi_look *look, ubi__v8_look *own, const ubi_graph *g) {
    static const ubi__column_rule traits = { traits_hold, 0, NULL };
    const ubi__column_rule states = ubi__column_bytes_below(UBI_DETACHED + 1);
    const ubi__column_rule classes = ubi__column_below(look->classes.n);
    UBI_TRY(EACH(c, "traits", own->traits, g->n_nodes, &traits, false));
    UBI_TRY(EACH(c, "detachedness", own->detachedness, g->n_nodes, &states, true));
    UBI_TRY(EACH(c, "distances", own->distance, g->n_nodes, NULL, true));
    UBI_TRY(EACH(c, "sizes", own->size_bytes, g->n_nodes, NULL, true));
    return EACH(c, "classes", own->class_of_node, g->n_nodes, &classes, false);
}

static ubi_status renaming_pass(ubi__columns *c, ubi__v8_look *own, const ubi_graph *g) {
    uint32_t has_other_names = own->has_other_names;
    UBI_TRY(ubi__columns_value(c, "has other names", &has_other_names, sizeof has_other_names));
    if (!c->writer)
        own->has_other_names = has_other_names != 0;
    return renamed_pass(c, own, g);
}

static ubi_status look_pass(ubi__columns *c, ubi_look *look, ubi__v8_look *own) {
    const ubi_graph *g = look->graph;
    UBI_TRY(strings_pass(c, own, g));
    UBI_TRY(renaming_pass(c, own, g));
    UBI_TRY(classes_pass(c, look));
    UBI_TRY(interfaces_pass(c, &own->interfaces));
    UBI_TRY(nodes_pass(c, look, own, g));
    UBI_TRY(ubi__columns_expect(c, !own->has_other_names || own->detachedness, "has other names"));
    UBI_TRY(edges_pass(c, own, g));
    UBI_TRY(roots_pass(c, own, g));
    return ropes_pass(c, own, g);
}

ubi_status ubi__v8_look_pass(ubi__columns *c, ubi_look *look) {
    if (c->writer)
        return look_pass(c, look, look->own);
    ubi__v8_look *own = UBI_NEW(c->allocator, ubi__v8_look);
    if (!own)
        return ubi__fail_nomem();
    look->own = own;
    own->facts = ubi__v8_facts_of(look->graph);
    UBI_TRY(look_pass(c, look, own));
    ubi__v8_look_show(look);
    return UBI_OK;
}
