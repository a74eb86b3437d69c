/* SPDX-License-Identifier: MIT
 *
 * v8_nodes.c: rows of "nodes" into the columns of the graph.
 *
 * The column of kinds holds type and, 8 bits higher, detachedness until strings are known; that of stacks the ids of trace
 * nodes, 0 for none.
 */
#include <string.h>

#include "base/assert.h"
#include "formats/v8/v8_reader.h"

static void copy_u64(uint64_t *restrict out, const uint32_t *restrict in, size_t stride, size_t n) {
    for (size_t i = 0; i < n; i++)
        out[i] = in[i * stride];
}

/* Returns the largest. */
static uint32_t copy_u32(uint32_t *restrict out, const uint32_t *restrict in, size_t stride, size_t n) {
    uint32_t max = 0;
    for (size_t i = 0; i < n; i++) {
        out[i] = in[i * stride];
        max = out[i] > max ? out[i] : max;
    }
    return max;
}

static uint64_t sum_up(uint64_t *restrict out, const uint32_t *restrict in, size_t stride, size_t n, uint64_t sum) {
    for (size_t i = 0; i < n; i++) {
        out[i] = sum;
        sum += in[i * stride];
    }
    return sum;
}

static void add_detachedness(uint32_t *restrict out, const uint32_t *restrict in, size_t stride, size_t n) {
    for (size_t i = 0; i < n; i++)
        out[i] |= (in[i * stride] <= UBI_DETACHED ? in[i * stride] : 0) << 8; /* what comes later is unknown to us */
}

static ubi_status grow_columns(ubi__v8_reader *r, size_t n) {
    const ubi_allocator *a = r->allocator;
    ubi_graph *g = r->graph;
    uint64_t expected = r->meta.node_count.given ? r->meta.node_count.value : 0;
    if (g->id.n + n > UBI_GRAPH_MAX_NODES)
        return ubi__fail(UBI_ELIMIT, "more than 2^32-2 nodes");
    if (g->id.n + n > g->id.cap)
        ubi__v8_stop_touching(r);
    UBI_TRY(UBI__SCAN_GROW(&g->size_bytes, n, expected, a));
    UBI_TRY(UBI__SCAN_GROW(&g->kind, n, expected, a));
    UBI_TRY(UBI__SCAN_GROW(&g->node_name, n, expected, a));
    UBI_TRY(UBI__SCAN_GROW(&g->first_edge, n + 1, expected + 1, a));
    return UBI__SCAN_GROW(&g->id, n, expected, a);
}

/* Most files have the field of trace ids, and 0 in all of them: the column begins with the first other. */
static ubi_status take_trace_ids(ubi__v8_reader *r, const uint32_t *in, size_t stride, size_t n) {
    ubi_graph *g = r->graph;
    size_t n_before = g->id.n;
    uint32_t any = 0;
    for (size_t i = 0; i < n; i++)
        any |= in[i * stride];
    if (!any && g->stack.n == 0)
        return UBI_OK;
    UBI_TRY(UBI__SCAN_GROW(&g->stack, n_before + n - g->stack.n, r->meta.node_count.value, r->allocator));
    if (g->stack.n < n_before)
        memset(g->stack.at + g->stack.n, 0, (n_before - g->stack.n) * sizeof *g->stack.at);
    copy_u32(g->stack.at + n_before, in, stride, n);
    g->stack.n = n_before + n;
    return UBI_OK;
}

static bool is_used(const ubi__v8_layout *layout, size_t place) {
    for (size_t i = 0; i < UBI__V8_MAX_PLACES; i++)
        if (layout->place[i] == place)
            return true;
    return false;
}

/* Numbers of more than 32 bits are right for id and size. False: there are others, of fields that we use. */
static bool take_wide(ubi__v8_reader *r, size_t n_rows) {
    const ubi__v8_layout *layout = &r->meta.layout[UBI__V8_NODES];
    ubi_graph *g = r->graph;
    for (size_t k = 0; k < r->rows.numbers.n_wide; k++) {
        const ubi__wide_number *wide = &r->rows.numbers.wide[k];
        size_t row = wide->index / layout->stride, place = wide->index % layout->stride;
        if (row >= n_rows)
            break;
        if (place == layout->place[UBI__V8_ID])
            g->id.at[g->id.n + row] = wide->value;
        else if (place == layout->place[UBI__V8_SELF_SIZE])
            g->size_bytes.at[g->size_bytes.n + row] = wide->value;
        else if (is_used(layout, place))
            return false;
    }
    return true;
}

/* Complains about the first of these rows in which something is wrong. */
static ubi_status find_fault(ubi__v8_reader *r, size_t n_rows) {
    const ubi__v8_layout *layout = &r->meta.layout[UBI__V8_NODES];
    for (size_t i = 0; i < n_rows * layout->stride; i++) {
        size_t place = i % layout->stride;
        bool negative;
        uint64_t value = ubi__digits_number(&r->rows.numbers, i, &negative);
        if (place == layout->place[UBI__V8_TYPE] && value >= r->meta.n_node_types)
            return ubi__rows_fail(&r->rows, i, "node type %llu is out of range, meta.node_types has %u",
                                  (unsigned long long)value, r->meta.n_node_types);
        if (place != layout->place[UBI__V8_ID] && place != layout->place[UBI__V8_SELF_SIZE] && is_used(layout, place) &&
            value >= UBI__DIGITS_IS_WIDE)
            return ubi__rows_fail(&r->rows, i, "%llu is out of range, expected less than 2^32-1",
                                  (unsigned long long)value);
    }
    return UBI_EFORMAT; /* not reached */
}

ubi_status ubi__v8_take_nodes(ubi__v8_reader *r, size_t n) {
    const ubi__v8_layout *layout = &r->meta.layout[UBI__V8_NODES];
    const uint32_t *in = r->rows.numbers.at, *place = layout->place;
    size_t stride = layout->stride;
    ubi_graph *g = r->graph;
    UBI_TRY(grow_columns(r, n));
    size_t at = g->id.n;
    uint32_t max_type = copy_u32(g->kind.at + at, in + place[UBI__V8_TYPE], stride, n);
    uint64_t max_name = copy_u32(g->node_name.at + at, in + place[UBI__V8_NAME], stride, n);
    copy_u64(g->id.at + at, in + place[UBI__V8_ID], stride, n);
    copy_u64(g->size_bytes.at + at, in + place[UBI__V8_SELF_SIZE], stride, n);
    if (!take_wide(r, n) || max_type >= r->meta.n_node_types)
        return find_fault(r, n);
    if (place[UBI__V8_DETACHED] != UBI__V8_NO_FIELD)
        add_detachedness(g->kind.at + at, in + place[UBI__V8_DETACHED], stride, n);
    if (place[UBI__V8_TRACE_ID] != UBI__V8_NO_FIELD)
        UBI_TRY(take_trace_ids(r, in + place[UBI__V8_TRACE_ID], stride, n));
    r->n_edges_promised = sum_up(g->first_edge.at + at, in + place[UBI__V8_EDGE_COUNT], stride, n, r->n_edges_promised);
    r->max_node_name = max_name + 1 > r->max_node_name ? max_name + 1 : r->max_node_name;
    g->size_bytes.n = g->kind.n = g->node_name.n = g->first_edge.n = g->id.n = at + n;
    UBI_ASSERT(g->stack.n == 0 || g->stack.n == g->id.n);
    UBI_ASSERT(g->first_edge.at[g->id.n - 1] <= r->n_edges_promised);
    return UBI_OK;
}
