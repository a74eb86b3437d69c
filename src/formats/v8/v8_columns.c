/* SPDX-License-Identifier: MIT
 *
 * v8_columns.c: columns of the length that the header promises, and memory for them ahead of the reading.
 *
 * First use of memory is a fifth of the reading, and more where a hypervisor has to supply it. So the helper does that, slice
 * by slice, faster than text becomes numbers. A header that promises more rows than a file of this size can have is not
 * believed: then columns grow as rows come.
 */
#include <string.h>

#include "formats/v8/v8_reader.h"

#define N_SLICES 64

static bool is_plausible(const ubi__v8_reader *r, ubi__v8_section section, const ubi__v8_header_number *count) {
    uint64_t row_bytes = 2 * (uint64_t)r->meta.layout[section].stride; /* a digit and a comma for each number */
    return count->given && row_bytes && count->value < UBI_NONE && count->value <= r->input->total_bytes / row_bytes;
}

static bool header_is_believed(const ubi__v8_reader *r) {
    const char *compression = r->input->info->compression;
    return compression && strcmp(compression, "none") == 0 && is_plausible(r, UBI__V8_NODES, &r->meta.node_count) &&
           is_plausible(r, UBI__V8_EDGES, &r->meta.edge_count);
}

static ubi_status reserve_nodes(ubi__v8_reader *r, size_t n) {
    const ubi_allocator *a = r->allocator;
    ubi_graph *g = r->graph;
    UBI_TRY(UBI__SCAN_GROW(&g->size_bytes, n, n, a));
    UBI_TRY(UBI__SCAN_GROW(&g->kind, n, n, a));
    UBI_TRY(UBI__SCAN_GROW(&g->node_name, n, n, a));
    UBI_TRY(UBI__SCAN_GROW(&g->first_edge, n + 1, n + 1, a));
    return UBI__SCAN_GROW(&g->id, n, n, a);
}

static ubi_status reserve_edges(ubi__v8_reader *r, size_t n) {
    const ubi_allocator *a = r->allocator;
    ubi_graph *g = r->graph;
    UBI_TRY(UBI__SCAN_GROW(&g->target, n, n, a));
    UBI_TRY(UBI__SCAN_GROW(&g->name, n, n, a));
    return UBI__SCAN_GROW(&g->edge_kind, n, n, a);
}

/* ---- touching ------------------------------------------------------------------------------------------------------- */

/* Rows of columns begin and end together, so their slices do. */
static void touch_side_by_side(ubi__v8_touching *t, const ubi__v8_touched *columns, size_t n_columns) {
    for (size_t i = 0; i < N_SLICES; i++)
        for (size_t k = 0; k < n_columns && !t->stop; k++) {
            if (!columns[k].at)
                continue;
            size_t begin = columns[k].bytes / N_SLICES * i;
            size_t end = i + 1 < N_SLICES ? columns[k].bytes / N_SLICES * (i + 1) : columns[k].bytes;
            ubi__touch_pages((char *)columns[k].at + begin, end - begin);
        }
}

static void touch_columns(void *payload) {
    ubi__v8_touching *t = payload;
    touch_side_by_side(t, t->nodes, sizeof t->nodes / sizeof *t->nodes);
    touch_side_by_side(t, t->edges, sizeof t->edges / sizeof *t->edges);
}

#define TOUCHED(vec) ((ubi__v8_touched){ (vec)->at, (vec)->cap * sizeof *(vec)->at })

static void begin_touching(ubi__v8_reader *r) {
    ubi__v8_touching *t = &r->touching;
    ubi_graph *g = r->graph;
    t->nodes[0] = TOUCHED(&g->size_bytes);
    t->nodes[1] = TOUCHED(&g->kind);
    t->nodes[2] = TOUCHED(&g->node_name);
    t->nodes[3] = TOUCHED(&g->first_edge);
    t->nodes[4] = TOUCHED(&g->id);
    t->edges[0] = TOUCHED(&g->target);
    t->edges[1] = TOUCHED(&g->name);
    t->edges[2] = TOUCHED(&g->edge_kind);
    if (r->helper.threaded)
        ubi__helper_give(&r->helper, &t->chore, touch_columns, t);
}

ubi_status ubi__v8_make_columns(ubi__v8_reader *r) {
    if (r->columns_made || !header_is_believed(r))
        return UBI_OK;
    r->columns_made = true;
    if (!r->graph->id.cap && r->meta.node_count.value)
        UBI_TRY(reserve_nodes(r, r->meta.node_count.value));
    if (!r->graph->target.cap && r->meta.edge_count.value)
        UBI_TRY(reserve_edges(r, r->meta.edge_count.value));
    begin_touching(r);
    return UBI_OK;
}

void ubi__v8_stop_touching(ubi__v8_reader *r) {
    r->touching.stop = true;
    ubi__helper_drop(&r->helper, &r->touching.chore);
}
