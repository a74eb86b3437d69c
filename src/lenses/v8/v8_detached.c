/* SPDX-License-Identifier: MIT
 *
 * v8_detached.c: which nodes of a document are in it.
 *
 * The file says so of some native nodes. What is reached from an attached one through native nodes is attached, too; what
 * is reached from a detached one and has no state yet is detached. The walk does not pass through JavaScript's objects:
 * every entry from there into the engine's embedder has a state of its own. Detached nodes are renamed, to "Detached NAME".
 */
#include "base/assert.h"
#include "lenses/v8/v8_look.h"

static const char prefix[] = "Detached ";

typedef struct walk {
    const ubi__v8_look *own;
    const ubi_graph *g;
    uint8_t *state;
    ubi__vec_u32 queues[UBI_DETACHED + 1]; /* native nodes, by state */
} walk;

static ubi_status spread_state(walk *w, ubi_detachedness state, const ubi_allocator *a) {
    const ubi_graph *g = w->g;
    ubi__vec_u32 *queue = &w->queues[state];
    while (queue->n) {
        ubi_node_ix node = queue->at[--queue->n];
        UBI_ASSERT(w->state[node] == state);
        for (ubi_edge_ix e = g->first_edge.at[node]; e < g->first_edge.at[node + 1]; e++) {
            ubi_node_ix target = g->target.at[e];
            ubi_edge_kind kind = ubi__graph_edge_kind(g, e);
            if (w->state[target] != UBI_DETACHEDNESS_UNKNOWN || kind == UBI_EDGE_HIDDEN || kind == UBI_EDGE_WEAK ||
                ubi__v8_type_at(w->own, g, target) != UBI__V8_NATIVE)
                continue;
            w->state[target] = (uint8_t)state;
            UBI_TRY(ubi__vec_u32_push(queue, a, target));
        }
    }
    return UBI_OK;
}

static bool has_prefix(ubi_text name) {
    return name.len >= strlen(prefix) && memcmp(name.ptr, prefix, strlen(prefix)) == 0;
}

/* Without the field: native nodes that are named so. */
static bool is_named_detached(const ubi__v8_look *own, const ubi_graph *g, ubi_node_ix node) {
    if (ubi__v8_type_at(own, g, node) != UBI__V8_NATIVE)
        return false;
    ubi_text name = ubi__strtab_get(&g->strings, ubi__graph_node_name(g, node));
    return has_prefix(name);
}

/* Whether any node can have a state to begin with. */
static bool has_states(const ubi_graph *g, bool has_field) {
    if (has_field) {
        for (size_t kind = 0; kind < g->kinds.rows.n; kind++)
            if (g->kinds.rows.at[kind].detachedness != UBI_DETACHEDNESS_UNKNOWN)
                return true;
        return false;
    }
    for (ubi_str_ix string = 0; string < ubi__strtab_count(&g->strings); string++)
        if (has_prefix(ubi__strtab_get(&g->strings, string)))
            return true;
    return false;
}

/* What the file says. */
static ubi_status seed_states(walk *w, bool has_field, const ubi_allocator *a) {
    const ubi_graph *g = w->g;
    for (ubi_node_ix node = 0; node < g->n_nodes; node++) {
        uint8_t state = has_field ? g->kinds.rows.at[g->kind.at[node]].detachedness : UBI_DETACHEDNESS_UNKNOWN;
        if (!has_field && is_named_detached(w->own, g, node))
            state = UBI_DETACHED;
        w->state[node] = state;
        if (ubi__unlikely((state == UBI_ATTACHED || state == UBI_DETACHED)) &&
            ubi__v8_type_at(w->own, g, node) == UBI__V8_NATIVE)
            UBI_TRY(ubi__vec_u32_push(&w->queues[state], a, node));
    }
    return UBI_OK;
}

static ubi_status rename_nodes(ubi__v8_look *own, const ubi_graph *g, const ubi_allocator *a) {
    size_t n_words = (size_t)ubi__strtab_count(&g->strings) / 64 + 1;
    uint64_t *named = ubi__calloc_array(a, n_words, sizeof *named);
    ubi_status status = named ? UBI_OK : ubi__fail_nomem();
    for (ubi_node_ix node = 0; status == UBI_OK && node < g->n_nodes; node++)
        if (ubi__v8_is_renamed(own, g, node)) {
            ubi_str_ix name = ubi__graph_node_name(g, node);
            named[name / 64] |= UINT64_C(1) << (name % 64);
            own->traits[node] &= (uint8_t)~UBI__V8_PART; /* no longer of the name that makes it one */
        }
    for (ubi_str_ix name = 0; status == UBI_OK && name < ubi__strtab_count(&g->strings); name++) {
        ubi__v8_renamed row = { name, { NULL, 0 } };
        if (!(named[name / 64] >> (name % 64) & 1))
            continue;
        status =
            ubi__v8_text_pool_join(&row.text, &own->pool, a, ubi__text(prefix), ubi__strtab_get(&g->strings, name));
        if (status == UBI_OK)
            status = ubi__vec_v8_renamed_push(&own->renamed, a, row);
    }
    ubi__free_array(a, named, n_words, sizeof *named);
    for (ubi_node_ix node = 0; UBI_CHECKS && status == UBI_OK && node < g->n_nodes; node++)
        UBI_ASSERT(!ubi__v8_is_renamed(own, g, node) || !(own->traits[node] & UBI__V8_PART));
    return status;
}

ubi_status ubi__v8_spread_detachedness(ubi__v8_look *own, const ubi_graph *g, const ubi_allocator *a) {
    bool has_field = own->facts && own->facts->has_detachedness;
    if (!has_states(g, has_field))
        return UBI_OK;
    own->detachedness = ubi__alloc_array(a, g->n_nodes, sizeof *own->detachedness);
    if (!own->detachedness)
        return ubi__fail_nomem();
    walk w = { .own = own, .g = g, .state = own->detachedness };
    ubi_status status = seed_states(&w, has_field, a);
    /* All seeds have a state, so that none is taken for an unknown node by the walk of another. */
    for (int state = UBI_ATTACHED; state <= UBI_DETACHED && has_field && status == UBI_OK; state++)
        status = spread_state(&w, (ubi_detachedness)state, a);
    for (int state = UBI_ATTACHED; state <= UBI_DETACHED; state++)
        ubi__vec_u32_fini(&w.queues[state], a);
    if (status != UBI_OK || !has_field)
        return status;
    own->renames = g->node_name.n != 0;
    return rename_nodes(own, g, a);
}
