/* SPDX-License-Identifier: MIT
 *
 * v8_traits.c: what loops over nodes ask of each, in one byte: so that looking at the other end of an edge costs one access to
 * a column that mostly stays in the cache.
 */
#include "base/parallel.h"
#include "lenses/v8/v8_look.h"

typedef struct finding {
    ubi__v8_look *own;
    const ubi_graph *g;
    uint8_t *type_of_kind;
} finding;

static bool is_named(const finding *f, ubi_node_ix node, ubi_str_ix word) {
    ubi_str_ix name = ubi__graph_node_name(f->g, node);
    return name == word ? name != UBI_NONE : ubi__v8_is_word(f->g, name, word);
}

static uint8_t traits_of(const finding *f, ubi_node_ix node) {
    const ubi__v8_words *words = &f->own->words;
    uint8_t type = f->type_of_kind[f->g->kind.at[node]];
    switch (type) {
    case UBI__V8_OBJECT:
        return is_named(f, node, words->object) ? type | UBI__V8_PLAIN : type;
    case UBI__V8_HIDDEN:
        return is_named(f, node, words->native_context) ? type | UBI__V8_PART | UBI__V8_SPECIAL : type | UBI__V8_PART;
    case UBI__V8_ARRAY:
        return is_named(f, node, words->map_descriptors) ? type | UBI__V8_PART | UBI__V8_SPECIAL : type | UBI__V8_PART;
    case UBI__V8_NATIVE:
        return is_named(f, node, words->external_string_data) ? type | UBI__V8_PART : type;
    default:
        return type;
    }
}

static void find_range(void *payload, uint64_t begin, uint64_t end, unsigned part) {
    finding *f = payload;
    (void)part;
    for (ubi_node_ix node = (ubi_node_ix)begin; node < end; node++)
        f->own->traits[node] = traits_of(f, node);
}

ubi_status ubi__v8_find_traits(ubi__v8_look *own, const ubi_graph *g, const ubi__v8_opening *opening) {
    const ubi_allocator *a = opening->allocator;
    size_t n_kinds = g->kinds.rows.n;
    finding f = { own, g, ubi__alloc_array(a, n_kinds, sizeof *f.type_of_kind) };
    own->traits = ubi__alloc_array(a, g->n_nodes, sizeof *own->traits);
    if (!own->traits || !f.type_of_kind) {
        ubi__free_array(a, f.type_of_kind, n_kinds, sizeof *f.type_of_kind);
        return ubi__fail_nomem();
    }
    for (size_t kind = 0; kind < n_kinds; kind++) {
        uint8_t type = g->kinds.rows.at[kind].raw_type;
        f.type_of_kind[kind] = type < UBI__V8_TYPE_COUNT ? type : UBI__V8_OTHER;
    }
    ubi__parallel_ranges(opening->threads, g->n_nodes, UBI__V8_CHUNK, find_range, &f);
    ubi__free_array(a, f.type_of_kind, n_kinds, sizeof *f.type_of_kind);
    return UBI_OK;
}
