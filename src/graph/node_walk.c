/* SPDX-License-Identifier: MIT
 *
 * node_walk.c: abstract nodes: accessors, with the defaults for operations that a heap leaves out (ubiheap/core/node.h); walks
 * over them, and the map that these need (node_map.h).
 */
#include <string.h>

#include <ubiheap/core/node.h>

#include "graph/node_map.h"

static const ubi_text no_text = { NULL, 0 };

const char *ubi_coarse_type_name(ubi_coarse_type type) {
    static const char *const names[UBI_COARSE_TYPE_COUNT] = { "Other", "Object", "Script", "String", "DOMNode" };
    return (unsigned)type < UBI_COARSE_TYPE_COUNT ? names[type] : "Unknown";
}

uint64_t ubi_node_id(ubi_node node) {
    return node.ops->id(node);
}
ubi_text ubi_node_type_name(ubi_node node) {
    return node.ops->type_name(node);
}
ubi_coarse_type ubi_node_coarse_type(ubi_node node) {
    return node.ops->coarse_type ? node.ops->coarse_type(node) : UBI_COARSE_OTHER;
}
uint64_t ubi_node_size_bytes(ubi_node node) {
    return node.ops->size_bytes ? node.ops->size_bytes(node) : 1;
}
ubi_text ubi_node_class_name(ubi_node node) {
    return node.ops->class_name ? node.ops->class_name(node) : no_text;
}
ubi_text ubi_node_descriptive_name(ubi_node node) {
    return node.ops->descriptive_name ? node.ops->descriptive_name(node) : no_text;
}
ubi_text ubi_node_script_filename(ubi_node node) {
    return node.ops->script_filename ? node.ops->script_filename(node) : no_text;
}
bool ubi_node_allocation_stack(ubi_node node, ubi_stack *out) {
    return node.ops->allocation_stack && node.ops->allocation_stack(node, out);
}
uint64_t ubi_node_ref_limit(ubi_node node) {
    return node.ops->ref_limit ? node.ops->ref_limit(node.heap) : 0;
}
uint32_t ubi_node_group(ubi_node node) {
    return node.ops->group ? node.ops->group(node) : UBI_NONE;
}
bool ubi_node_is_live(ubi_node node) {
    return !node.ops->is_live || node.ops->is_live(node);
}
bool ubi_node_edges(ubi_node node, bool want_names, ubi_edge_fn fn, void *payload) {
    return node.ops->edges(node, want_names, fn, payload);
}

/* ---- walks -------------------------------------------------------------------------------------------------------- */

/*
 * Both keep their own queue or stack, so a heap that is one long list costs memory, never stack space.
 */

/* ==== THE MAP =================================================================================================== */

/* Nodes to words (node_map.h). */

static bool slot_has_node(const void *unused, const ubi__node_map_slot *slot, ubi_node node) {
    (void)unused;
    return slot->ref == node.ref && slot->not_heap == ~(uintptr_t)node.heap;
}
UBI_TABLE_LOOKUP(node, ubi__node_table, ubi__node_map_slot, ubi__node_map_slot_is_used, const void *, ubi_node,
                 slot_has_node);

void ubi__node_map_init(ubi__node_map *m, const ubi_allocator *a) {
    *m = (ubi__node_map){ .allocator = a };
}

void ubi__node_map_fini(ubi__node_map *m) {
    ubi__node_table_fini(&m->table, m->allocator);
}

uint64_t *ubi__node_map_get(const ubi__node_map *m, ubi_node node) {
    ubi__node_map_slot *slot = node_find(&m->table, NULL, node, ubi__node_map_hash(~(uintptr_t)node.heap, node.ref));
    return slot ? &slot->data : NULL;
}

ubi_status ubi__node_map_put(ubi__node_map *m, ubi_node node, uint64_t data) {
    UBI_TRY(ubi__node_table_reserve(&m->table, m->allocator, 1));
    uintptr_t not_heap = ~(uintptr_t)node.heap;
    ubi__node_map_slot *slot = node_place(&m->table, NULL, node, ubi__node_map_hash(not_heap, node.ref));
    *slot = (ubi__node_map_slot){ not_heap, node.ref, data };
    ubi__node_table_added(&m->table);
    return UBI_OK;
}

/* ==== THE WALK ================================================================================================== */

UBI_VEC_DECLARE(vec_node, ubi_node);

/* ---- breadth-first ------------------------------------------------------------------------------------------------ */

struct ubi_bfs {
    const ubi_allocator *allocator;
    ubi__node_map visited;
    vec_node pending; /* pending.at[head..n) are waiting */
    size_t head;

    /* during run */
    ubi_bfs_fn fn;
    void *payload;
    ubi_node origin;
    ubi_status status;
    bool must_stop, must_abandon, must_not_mark;
};

ubi_status ubi_bfs_new(ubi_bfs **out, const ubi_allocator *allocator) {
    const ubi_allocator *a = ubi__allocator_or_default(allocator);
    ubi_bfs *walk = UBI_NEW(a, ubi_bfs);
    if (!walk)
        return ubi__fail_nomem();
    walk->allocator = a;
    ubi__node_map_init(&walk->visited, a);
    *out = walk;
    return UBI_OK;
}

void ubi_bfs_free(ubi_bfs *walk) {
    if (!walk)
        return;
    ubi__node_map_fini(&walk->visited);
    vec_node_fini(&walk->pending, walk->allocator);
    UBI_DELETE(walk->allocator, walk);
}

ubi_status ubi_bfs_add_start(ubi_bfs *walk, ubi_node node) {
    return vec_node_push(&walk->pending, walk->allocator, node);
}

ubi_status ubi_bfs_add_start_visited(ubi_bfs *walk, ubi_node node) {
    if (!ubi__node_map_get(&walk->visited, node))
        UBI_TRY(ubi__node_map_put(&walk->visited, node, 0));
    return ubi_bfs_add_start(walk, node);
}

void ubi_bfs_stop(ubi_bfs *walk) {
    walk->must_stop = true;
}
void ubi_bfs_abandon_referent(ubi_bfs *walk) {
    walk->must_abandon = true;
}
void ubi_bfs_do_not_mark_visited(ubi_bfs *walk) {
    walk->must_not_mark = true;
}
const uint64_t *ubi_bfs_visited(const ubi_bfs *walk, ubi_node node) {
    return ubi__node_map_get(&walk->visited, node);
}

static ubi_status traverse_nodes(ubi_bfs *walk, ubi_node referent, ubi_text name) {
    uint64_t *known = ubi__node_map_get(&walk->visited, referent), fresh = 0;
    bool first = known == NULL;
    walk->must_abandon = walk->must_not_mark = false;
    UBI_TRY(walk->fn(walk->payload, walk, walk->origin, referent, name, first, first ? &fresh : known));
    if (!first)
        return UBI_OK;
    if (!walk->must_not_mark)
        UBI_TRY(ubi__node_map_put(&walk->visited, referent, fresh));
    return walk->must_stop || walk->must_abandon ? UBI_OK : vec_node_push(&walk->pending, walk->allocator, referent);
}

static bool on_bfs_edge(void *payload, ubi_node referent, ubi_text name) {
    ubi_bfs *walk = payload;
    walk->status = traverse_nodes(walk, referent, name);
    return walk->status == UBI_OK && !walk->must_stop;
}

/* Drops the part of the queue that was worked off, once that is most of it. */
static void compact_order(ubi_bfs *walk) {
    if (walk->head < 4096 || walk->head * 2 < walk->pending.n)
        return;
    walk->pending.n -= walk->head;
    memmove(walk->pending.at, walk->pending.at + walk->head, walk->pending.n * sizeof *walk->pending.at);
    walk->head = 0;
}

ubi_status ubi_bfs_run(ubi_bfs *walk, bool want_names, ubi_bfs_fn fn, void *payload) {
    walk->fn = fn;
    walk->payload = payload;
    walk->status = UBI_OK;
    walk->must_stop = false;
    while (walk->head < walk->pending.n && !walk->must_stop && walk->status == UBI_OK) {
        walk->origin = walk->pending.at[walk->head++];
        compact_order(walk);
        ubi_node_edges(walk->origin, want_names, on_bfs_edge, walk);
    }
    return walk->status;
}

/* ---- post-order --------------------------------------------------------------------------------------------------- */

/* The stack is one vector of nodes in which each entry is followed by its edges: an entry is (node, where its edges begin). */
typedef struct entry {
    ubi_node node;
    size_t edges_begin;
} entry;

UBI_VEC_DECLARE(vec_entry, entry);

typedef struct post_order {
    const ubi_allocator *allocator;
    ubi__node_map seen;
    vec_entry stack;
    vec_node edges; /* of all entries, not walked yet; taken from the back */
    ubi_status status;
} post_order;

static bool collect_edge(void *payload, ubi_node referent, ubi_text name) {
    post_order *walk = payload;
    (void)name;
    walk->status = vec_node_push(&walk->edges, walk->allocator, referent);
    return walk->status == UBI_OK;
}

static ubi_status push_node(post_order *walk, ubi_node node) {
    UBI_TRY(ubi__node_map_put(&walk->seen, node, 0));
    UBI_TRY(vec_entry_push(&walk->stack, walk->allocator, (entry){ node, walk->edges.n }));
    ubi_node_edges(node, false, collect_edge, walk);
    return walk->status;
}

static ubi_status run_post_order(post_order *walk, ubi_node start, ubi_post_order_node_fn on_node,
                                 ubi_post_order_edge_fn on_edge, void *payload) {
    UBI_TRY(push_node(walk, start));
    while (walk->stack.n > 0) {
        entry top = walk->stack.at[walk->stack.n - 1];
        if (walk->edges.n == top.edges_begin) {
            walk->stack.n--;
            UBI_TRY(on_node(payload, top.node));
            continue;
        }
        ubi_node referent = walk->edges.at[--walk->edges.n];
        if (on_edge)
            UBI_TRY(on_edge(payload, top.node, referent));
        if (!ubi__node_map_get(&walk->seen, referent))
            UBI_TRY(push_node(walk, referent));
    }
    return UBI_OK;
}

ubi_status ubi_post_order(ubi_node start, ubi_post_order_node_fn on_node, ubi_post_order_edge_fn on_edge, void *payload,
                          const ubi_allocator *allocator) {
    post_order walk = { .allocator = ubi__allocator_or_default(allocator), .status = UBI_OK };
    ubi__node_map_init(&walk.seen, walk.allocator);
    ubi_status status = run_post_order(&walk, start, on_node, on_edge, payload);
    ubi__node_map_fini(&walk.seen);
    vec_entry_fini(&walk.stack, walk.allocator);
    vec_node_fini(&walk.edges, walk.allocator);
    return status;
}
