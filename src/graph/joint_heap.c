/* SPDX-License-Identifier: MIT
 *
 * joint_heap.c: see joint_heap.h.
 *
 * A ref is the number of a node within its graph, after those of all nodes of graphs before it; the root has the last.
 */
#include "graph/joint_heap.h"

#include "base/alloc.h"
#include "base/assert.h"
#include "base/status.h"
#include "base/text.h"
#include "base/u64_map.h"

/* A graph's place among the others. */
typedef struct joint_place {
    ubi__joint_part part;
    uint64_t first_ref, end_ref;
    uint32_t first_group;
} joint_place;

/* A node whose own id another one has. */
typedef struct joint_id {
    uint64_t ref, id;
} joint_id;

UBI_VEC_DECLARE(joint_ids, joint_id);

struct ubi__joint_heap {
    const ubi_allocator *allocator;
    joint_place *places; /* places[n_places] */
    uint32_t n_places;
    uint64_t root_ref, root_id;
    joint_ids moved; /* by ref */
};

/* ---- nodes of graphs ------------------------------------------------------------------------------------------------- */

static const ubi__joint_heap *heap_of(ubi_node node) {
    return node.heap;
}

static bool is_root(ubi_node node) {
    return node.ref == heap_of(node)->root_ref;
}

/* Not the root. */
static const joint_place *place_of(ubi_node node) {
    const ubi__joint_heap *heap = heap_of(node);
    uint32_t low = 0, high = heap->n_places;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (heap->places[middle].first_ref <= node.ref)
            low = middle;
        else
            high = middle;
    }
    UBI_ASSERT(node.ref >= heap->places[low].first_ref && node.ref < heap->places[low].end_ref);
    return &heap->places[low];
}

/* The node as its graph has it. Not the root. */
static ubi_node inside(ubi_node node) {
    const joint_place *place = place_of(node);
    return ubi_graph_as_node(place->part.graph, (ubi_node_ix)(node.ref - place->first_ref));
}

/* Whether it is the root of one of the graphs. */
static bool is_part_root(ubi_node node, const joint_place *place) {
    return node.ref - place->first_ref == ubi_graph_root(place->part.graph);
}

/* ---- operations ------------------------------------------------------------------------------------------------------ */

static uint64_t joint_id_of(ubi_node node) {
    const ubi__joint_heap *heap = heap_of(node);
    size_t low = 0, high = heap->moved.n;
    if (is_root(node))
        return heap->root_id;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (heap->moved.at[middle].ref < node.ref)
            low = middle + 1;
        else
            high = middle;
    }
    bool is_moved = low < heap->moved.n && heap->moved.at[low].ref == node.ref;
    return is_moved ? heap->moved.at[low].id : ubi_node_id(inside(node));
}

static ubi_text joint_type_name(ubi_node node) {
    return is_root(node) ? ubi__text("JS::ubi::RootList") : ubi_node_type_name(inside(node));
}

static ubi_coarse_type joint_coarse_type(ubi_node node) {
    return is_root(node) ? UBI_COARSE_OTHER : ubi_node_coarse_type(inside(node));
}

static uint64_t joint_size_bytes(ubi_node node) {
    return is_root(node) ? 1 : ubi_node_size_bytes(inside(node));
}

static ubi_text joint_class_name(ubi_node node) {
    return is_root(node) ? (ubi_text){ NULL, 0 } : ubi_node_class_name(inside(node));
}

/* A graph's root is called what the graph is. */
static ubi_text joint_descriptive_name(ubi_node node) {
    if (is_root(node))
        return (ubi_text){ NULL, 0 };
    const joint_place *place = place_of(node);
    return is_part_root(node, place) ? place->part.name : ubi_node_descriptive_name(inside(node));
}

static ubi_text joint_script_filename(ubi_node node) {
    return is_root(node) ? (ubi_text){ NULL, 0 } : ubi_node_script_filename(inside(node));
}

static bool joint_allocation_stack(ubi_node node, ubi_stack *out) {
    return !is_root(node) && ubi_node_allocation_stack(inside(node), out);
}

static bool joint_is_live(ubi_node node) {
    (void)node;
    return false;
}

/* Hands an edge on. */
typedef struct edge_relay {
    ubi_node origin;
    uint64_t first_ref;
    ubi_edge_fn fn;
    void *payload;
} edge_relay;

static bool relay_edge(void *payload, ubi_node referent, ubi_text name) {
    const edge_relay *r = payload;
    return r->fn(r->payload, (ubi_node){ r->origin.ops, r->origin.heap, r->first_ref + referent.ref }, name);
}

static bool root_edges(ubi_node root, ubi_edge_fn fn, void *payload) {
    const ubi__joint_heap *heap = heap_of(root);
    for (uint32_t i = 0; i < heap->n_places; i++) {
        const joint_place *place = &heap->places[i];
        uint64_t ref = place->first_ref + ubi_graph_root(place->part.graph);
        if (!fn(payload, (ubi_node){ root.ops, root.heap, ref }, place->part.name))
            return false;
    }
    return true;
}

static bool joint_edges(ubi_node node, bool want_names, ubi_edge_fn fn, void *payload) {
    if (is_root(node))
        return root_edges(node, fn, payload);
    edge_relay relay = { .origin = node, .first_ref = place_of(node)->first_ref, .fn = fn, .payload = payload };
    return ubi_node_edges(inside(node), want_names, relay_edge, &relay);
}

static uint64_t joint_ref_limit(void *heap) {
    return ((const ubi__joint_heap *)heap)->root_ref + 1;
}

static uint32_t joint_group(ubi_node node) {
    if (is_root(node))
        return UBI_NONE;
    const joint_place *place = place_of(node);
    if (is_part_root(node, place)) /* its name is its own */
        return UBI_NONE;
    return place->first_group + ubi_graph_node_kind(place->part.graph, (ubi_node_ix)(node.ref - place->first_ref));
}

ubi_node ubi__joint_heap_root(const ubi__joint_heap *heap) {
    static const ubi_node_ops ops = {
        .version = UBI_NODE_OPS_VERSION,
        .id = joint_id_of,
        .type_name = joint_type_name,
        .coarse_type = joint_coarse_type,
        .size_bytes = joint_size_bytes,
        .class_name = joint_class_name,
        .descriptive_name = joint_descriptive_name,
        .script_filename = joint_script_filename,
        .allocation_stack = joint_allocation_stack,
        .is_live = joint_is_live,
        .edges = joint_edges,
        .ref_limit = joint_ref_limit,
        .group = joint_group,
    };
    return (ubi_node){ &ops, (void *)(uintptr_t)heap, heap->root_ref };
}

/* ---- ids ------------------------------------------------------------------------------------------------------------- */

static bool id_is_taken(const ubi__u64_map *ids, uint64_t id) {
    return ubi__u64_map_get(ids, id) != UBI_NONE;
}

/* From `id` upwards; ids are addresses, between which there is room. */
static ubi_status free_id_take(uint64_t *out, ubi__u64_map *ids, uint64_t id) {
    while (id_is_taken(ids, id))
        id++;
    *out = id;
    return ubi__u64_map_put(ids, id, 0);
}

/* All ids of all graphs are known first, so that none that a node has is given to another. */
static ubi_status twins_find(joint_ids *twins, ubi__u64_map *ids, const ubi__joint_heap *heap) {
    for (uint32_t i = 0; i < heap->n_places; i++) {
        const joint_place *place = &heap->places[i];
        for (uint64_t ref = place->first_ref; ref < place->end_ref; ref++) {
            uint64_t id = ubi_graph_node_id(place->part.graph, (ubi_node_ix)(ref - place->first_ref));
            if (id_is_taken(ids, id))
                UBI_TRY(joint_ids_push(twins, heap->allocator, (joint_id){ ref, id }));
            else
                UBI_TRY(ubi__u64_map_put(ids, id, 0));
        }
    }
    return UBI_OK;
}

static ubi_status heap_number(ubi__joint_heap *heap) {
    ubi__u64_map ids;
    ubi__u64_map_init(&ids, heap->allocator);
    ubi_status status = twins_find(&heap->moved, &ids, heap);
    for (size_t i = 0; status == UBI_OK && i < heap->moved.n; i++)
        status = free_id_take(&heap->moved.at[i].id, &ids, heap->moved.at[i].id);
    if (status == UBI_OK)
        status = free_id_take(&heap->root_id, &ids, 1);
    ubi__u64_map_fini(&ids);
    return status;
}

/* ---- making ---------------------------------------------------------------------------------------------------------- */

static void places_fill(ubi__joint_heap *heap, const ubi__joint_part *parts) {
    uint64_t ref = 0;
    uint32_t group = 0;
    for (uint32_t i = 0; i < heap->n_places; i++) {
        uint64_t end = ref + ubi_graph_node_count(parts[i].graph);
        heap->places[i] = (joint_place){ .part = parts[i], .first_ref = ref, .end_ref = end, .first_group = group };
        ref = end;
        group += ubi_graph_kind_count(parts[i].graph);
    }
    heap->root_ref = ref;
}

ubi_status ubi__joint_heap_new(ubi__joint_heap **out, const ubi__joint_part *parts, uint32_t n_parts,
                               const ubi_allocator *allocator) {
    const ubi_allocator *a = ubi__allocator_or_default(allocator);
    ubi__joint_heap *heap = UBI_NEW(a, ubi__joint_heap);
    UBI_ASSERT(n_parts > 0);
    if (!heap)
        return ubi__fail_nomem();
    heap->allocator = a;
    heap->places = ubi__calloc_array(a, n_parts, sizeof *heap->places);
    ubi_status status = heap->places ? UBI_OK : ubi__fail_nomem();
    if (status == UBI_OK) {
        heap->n_places = n_parts;
        places_fill(heap, parts);
        status = heap_number(heap);
    }
    if (status == UBI_OK)
        *out = heap;
    else
        ubi__joint_heap_free(heap);
    return status;
}

void ubi__joint_heap_free(ubi__joint_heap *heap) {
    if (!heap)
        return;
    const ubi_allocator *a = heap->allocator;
    joint_ids_fini(&heap->moved, a);
    ubi__free_array(a, heap->places, heap->n_places, sizeof *heap->places);
    UBI_DELETE(a, heap);
}
