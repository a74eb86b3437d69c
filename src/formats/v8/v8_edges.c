/* SPDX-License-Identifier: MIT
 *
 * v8_edges.c: rows of "edges" into the columns of the graph.
 *
 * `to_node` is a place in the array of nodes: ordinal * stride. Dividing by a number s = odd * 2^k whose quotient is whole
 * takes a rotation by k and a multiplication by the inverse of `odd` modulo 2^32; for any other number the result is above
 * (2^32-1) / s. So one comparison finds what is not divisible and what is out of range.
 */
#include <string.h>

#include "base/assert.h"
#include "formats/v8/v8_reader.h"

typedef struct divider {
    uint32_t inverse, limit; /* quotients are at most `limit` */
    unsigned rotation;
} divider;

static divider divider_for(uint32_t stride) {
    unsigned k = (unsigned)__builtin_ctz(stride);
    uint32_t odd = stride >> k, inverse = odd; /* right in 3 bits; each step doubles them */
    for (unsigned bits = 3; bits < 32; bits *= 2)
        inverse *= 2 - odd * inverse;
    return (divider){ inverse, UINT32_MAX / stride, k };
}

static inline uint32_t divider_quotient(const divider *d, uint32_t value) {
    return (value >> d->rotation | value << (32 - d->rotation) % 32) * d->inverse;
}

static void divider_check(const divider *d, uint32_t stride) {
    UBI_ASSERT((uint32_t)((stride >> d->rotation) * d->inverse) == 1);
    UBI_ASSERT(divider_quotient(d, d->limit * stride) == d->limit);
    UBI_ASSERT(stride == 1 || divider_quotient(d, 1) > d->limit);
}

/* What a batch of edges is checked for. */
typedef struct findings {
    uint32_t max_type, max_target, max_name; /* max_name: of edges whose name is a string */
} findings;

typedef struct places {
    uint32_t stride, type, name, to;
} places;

static inline __attribute__((always_inline)) findings fill_edges(ubi_graph *g, const uint32_t *restrict in, size_t n,
                                                                 places p, const divider *d,
                                                                 const uint8_t *restrict kinds) {
    uint32_t *restrict target = g->target.at + g->target.n, *restrict name = g->name.at + g->name.n;
    uint8_t *restrict kind = g->edge_kind.at + g->edge_kind.n;
    findings f = { 0, 0, 0 };
    for (size_t i = 0; i < n; i++, in += p.stride) {
        uint32_t type = in[p.type], to = divider_quotient(d, in[p.to]), text = in[p.name];
        uint8_t k = kinds[type & UBI__V8_MAX_TYPES];
        kind[i] = k;
        name[i] = text;
        target[i] = to;
        text = k == UBI_EDGE_ELEMENT || k == UBI_EDGE_HIDDEN ? 0 : text;
        f.max_type = type > f.max_type ? type : f.max_type;
        f.max_target = to > f.max_target ? to : f.max_target;
        f.max_name = text > f.max_name ? text : f.max_name;
    }
    return f;
}

/* The usual order is known when this is compiled. */
static findings fill_columns(ubi__v8_reader *r, size_t n, const divider *d) {
    const ubi__v8_layout *layout = &r->meta.layout[UBI__V8_EDGES];
    const uint32_t *place = layout->place;
    places p = { layout->stride, place[UBI__V8_EDGE_TYPE], place[UBI__V8_EDGE_NAME], place[UBI__V8_EDGE_TO] };
    if (p.stride == 3 && p.type == 0 && p.name == 1 && p.to == 2)
        return fill_edges(r->graph, r->rows.numbers.at, n, (places){ 3, 0, 1, 2 }, d, r->meta.edge_kind);
    return fill_edges(r->graph, r->rows.numbers.at, n, p, d, r->meta.edge_kind);
}

static ubi_status grow_columns(ubi__v8_reader *r, size_t n) {
    const ubi_allocator *a = r->allocator;
    ubi_graph *g = r->graph;
    uint64_t expected = r->meta.edge_count.given ? r->meta.edge_count.value : 0;
    if (g->name.n + n > UBI_GRAPH_MAX_EDGES)
        return ubi__fail(UBI_ELIMIT, "more than 2^40 edges");
    if (g->target.n + n > g->target.cap)
        ubi__v8_stop_touching(r);
    UBI_TRY(UBI__SCAN_GROW(&g->target, n, expected, a));
    UBI_TRY(UBI__SCAN_GROW(&g->name, n, expected, a));
    return UBI__SCAN_GROW(&g->edge_kind, n, expected, a);
}

/* The number of nodes, when that is known already; else what any file may have. */
static uint64_t target_limit(const ubi__v8_reader *r) {
    return r->complete[UBI__V8_NODES] ? r->graph->id.n : UBI_GRAPH_MAX_NODES;
}

/* A row at a time, with all that a number may be. */
static ubi_status take_slowly(ubi__v8_reader *r, size_t n) {
    const ubi__v8_layout *layout = &r->meta.layout[UBI__V8_EDGES];
    ubi_graph *g = r->graph;
    uint32_t node_stride = r->meta.layout[UBI__V8_NODES].stride;
    uint64_t to, limit = target_limit(r);
    for (size_t i = 0; i < n; i++) {
        uint32_t type, name;
        size_t at_to = i * layout->stride + layout->place[UBI__V8_EDGE_TO];
        UBI_TRY(ubi__rows_u32(&r->rows, i, layout->place[UBI__V8_EDGE_TYPE], &type));
        UBI_TRY(ubi__rows_u32(&r->rows, i, layout->place[UBI__V8_EDGE_NAME], &name));
        UBI_TRY(ubi__rows_u64(&r->rows, i, layout->place[UBI__V8_EDGE_TO], &to));
        if (type >= r->meta.n_edge_types)
            return ubi__rows_fail(&r->rows, i * layout->stride + layout->place[UBI__V8_EDGE_TYPE],
                                  "edge type %u is out of range, meta.edge_types has %u", type, r->meta.n_edge_types);
        if (to % node_stride)
            return ubi__rows_fail(&r->rows, at_to, "to_node %llu is no multiple of %u, the number of node fields",
                                  (unsigned long long)to, node_stride);
        if (to / node_stride >= limit)
            return ubi__rows_fail(&r->rows, at_to, "to_node %llu is out of range, there are %llu nodes of %u numbers",
                                  (unsigned long long)to, (unsigned long long)limit, node_stride);
        ubi_edge_kind kind = (ubi_edge_kind)r->meta.edge_kind[type];
        uint64_t text = ubi__edge_kind_is_numbered(kind) ? 0 : (uint64_t)name + 1;
        g->target.at[g->target.n + i] = (uint32_t)(to / node_stride);
        g->name.at[g->name.n + i] = name;
        g->edge_kind.at[g->edge_kind.n + i] = (uint8_t)kind;
        r->max_edge_name = text > r->max_edge_name ? text : r->max_edge_name;
        r->max_target = to / node_stride + 1 > r->max_target ? to / node_stride + 1 : r->max_target;
    }
    return UBI_OK;
}

ubi_status ubi__v8_take_edges(ubi__v8_reader *r, size_t n) {
    ubi_graph *g = r->graph;
    uint64_t limit = target_limit(r);
    divider d = divider_for(r->meta.layout[UBI__V8_NODES].stride);
    divider_check(&d, r->meta.layout[UBI__V8_NODES].stride);
    UBI_TRY(grow_columns(r, n));
    bool usual = r->rows.numbers.n_wide == 0;
    if (usual) {
        findings f = fill_columns(r, n, &d);
        usual = f.max_type < r->meta.n_edge_types && f.max_target <= d.limit && f.max_target < limit;
        if (usual) {
            r->max_edge_name =
                (uint64_t)f.max_name + 1 > r->max_edge_name ? (uint64_t)f.max_name + 1 : r->max_edge_name;
            r->max_target = (uint64_t)f.max_target + 1 > r->max_target ? (uint64_t)f.max_target + 1 : r->max_target;
        }
    }
    if (!usual)
        UBI_TRY(take_slowly(r, n));
    for (size_t i = 0; UBI_CHECKS && i < n; i++)
        UBI_ASSERT(g->target.at[g->target.n + i] < r->max_target);
    g->target.n += n;
    g->name.n = g->edge_kind.n = g->target.n;
    UBI_ASSERT(g->target.n <= g->target.cap && g->name.n <= g->name.cap && g->edge_kind.n <= g->edge_kind.cap);
    return UBI_OK;
}
