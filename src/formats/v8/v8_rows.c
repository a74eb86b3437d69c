/* SPDX-License-Identifier: MIT
 *
 * v8_rows.c: rows of numbers, as a section has them, into the columns of the graph (v8_reader.h).
 *
 * Batches of them (json_rows.h) go to the section's function. An array that comes before `meta` has no rows yet: its numbers
 * are kept, 4 bytes each.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "formats/v8/v8_reader.h"

static ubi__v8_rows_fn *const row_functions[UBI__V8_SECTION_COUNT] = {
    [UBI__V8_NODES] = ubi__v8_take_nodes,
    [UBI__V8_EDGES] = ubi__v8_take_edges,
    [UBI__V8_FUNCTIONS] = ubi__v8_take_functions,
    [UBI__V8_SAMPLES] = ubi__v8_take_samples,
    [UBI__V8_LOCATIONS] = ubi__v8_take_locations,
    [UBI__V8_SCOPES] = ubi__v8_take_scopes,
    [UBI__V8_SCOPE_VARIABLES] = ubi__v8_take_scope_variables,
    [UBI__V8_SCOPE_USES] = ubi__v8_take_scope_uses,
};

/* ---- errors ---------------------------------------------------------------------------------------------------------- */

#define MESSAGE_BYTES 300

static uint64_t offset_near(const ubi__v8_reader *r, ubi__v8_section section, uint64_t number) {
    uint64_t offset = section < UBI__V8_SECTION_COUNT ? r->offset[section] : 0;
    if (section != UBI__V8_NODES && section != UBI__V8_EDGES)
        return offset;
    const ubi__vec_v8_mark *marks = &r->marks[section == UBI__V8_EDGES];
    for (size_t i = 0; i < marks->n && marks->at[i].number <= number; i++)
        offset = marks->at[i].offset;
    return offset;
}

ubi_status ubi__v8_fail_earlier(ubi__v8_reader *r, ubi__v8_section section, uint64_t number, const char *format, ...) {
    char text[MESSAGE_BYTES];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    ubi__v8_enter(r, section);
    return ubi__scan_fail_at(&r->scan, offset_near(r, section, number),
                             "%s (number %llu of the array, behind this byte)", text, (unsigned long long)number);
}

/* ---- rows ------------------------------------------------------------------------------------------------------------ */

static ubi_status set_mark(ubi__v8_reader *r) {
    if ((r->section != UBI__V8_NODES && r->section != UBI__V8_EDGES) || !r->rows.batch_text)
        return UBI_OK;
    ubi__vec_v8_mark *marks = &r->marks[r->section == UBI__V8_EDGES];
    uint64_t number = r->n_numbers[r->section];
    if (marks->n && number - marks->at[marks->n - 1].number < UBI__V8_MARK_NUMBERS)
        return UBI_OK;
    return ubi__vec_v8_mark_push(marks, r->allocator, (ubi__v8_mark){ number, ubi__rows_offset(&r->rows, 0) });
}

/* Hands the whole rows of the batch over. */
static ubi_status take_batch(void *payload) {
    ubi__v8_reader *r = payload;
    size_t stride = r->meta.layout[r->section].stride, n_rows = r->rows.numbers.n / stride;
    if (n_rows) {
        UBI_TRY(set_mark(r));
        UBI_TRY(row_functions[r->section](r, n_rows));
        r->n_numbers[r->section] += n_rows * stride;
    }
    ubi__rows_taken(&r->rows, n_rows * stride);
    return UBI_OK;
}

static ubi_status keep_batch(void *payload) {
    ubi__v8_reader *r = payload;
    ubi__v8_raw *raw = &r->raw[r->section];
    const ubi__digits *t = &r->rows.numbers;
    if (t->n == 0)
        return UBI_OK;
    UBI_TRY(ubi__vec_u32_reserve(&raw->numbers, r->allocator, t->n));
    UBI_TRY(ubi__vec_v8_raw_wide_reserve(&raw->wide, r->allocator, t->n_wide));
    for (size_t i = 0; i < t->n_wide; i++)
        raw->wide.at[raw->wide.n++] =
            (ubi__v8_raw_wide){ raw->numbers.n + t->wide[i].index, t->wide[i].value, t->wide[i].is_negative };
    memcpy(raw->numbers.at + raw->numbers.n, t->at, t->n * sizeof *t->at);
    raw->numbers.n += t->n;
    ubi__rows_taken(&r->rows, t->n);
    return UBI_OK;
}

static ubi_status drop_batch(void *payload) {
    ubi__v8_reader *r = payload;
    ubi__rows_taken(&r->rows, r->rows.numbers.n);
    return UBI_OK;
}

ubi_status ubi__v8_read_rows(ubi__v8_reader *r) {
    uint32_t stride = r->meta.layout[r->section].stride;
    ubi__rows_array array = { .stride = stride,
                              .may_be_negative = r->section >= UBI__V8_SCOPES,
                              .expected = "a number",
                              .take = stride ? take_batch : drop_batch,
                              .payload = r };
    if (!r->meta.is_known) {
        array.expected = "a number (no \"snapshot\" came before, so this may be no heap snapshot)";
        array.take = keep_batch;
    } else if (r->section == UBI__V8_NODES || r->section == UBI__V8_EDGES)
        UBI_TRY(ubi__v8_make_columns(r));
    return ubi__rows_read(&r->rows, &array);
}

/* ---- numbers that waited for `meta` ------------------------------------------------------------------------------------ */

static ubi_status replay_section(ubi__v8_reader *r, ubi__v8_raw *raw) {
    ubi__digits *t = &r->rows.numbers;
    size_t stride = r->meta.layout[r->section].stride, at = 0, wide = 0;
    if (stride && raw->numbers.n % stride)
        return ubi__scan_fail_at(&r->scan, r->end_offset[r->section],
                                 "the array has %zu numbers, which are no rows of %zu", raw->numbers.n, stride);
    ubi__digits_begin(t, 0, false);
    r->rows.batch_text = NULL;
    r->rows.fail_offset = r->offset[r->section];
    r->rows.stride = (uint32_t)stride;
    r->rows.n_carried = 0;
    while (stride && at < raw->numbers.n) {
        size_t n = UBI__DIGITS_BATCH - UBI__DIGITS_BATCH % stride;
        n = raw->numbers.n - at < n ? raw->numbers.n - at : n;
        memcpy(t->at, raw->numbers.at + at, n * sizeof *t->at);
        for (t->n_wide = 0; wide < raw->wide.n && raw->wide.at[wide].index < at + n; wide++)
            t->wide[t->n_wide++] = (ubi__wide_number){ (uint32_t)(raw->wide.at[wide].index - at),
                                                       raw->wide.at[wide].is_negative, raw->wide.at[wide].value };
        t->n = n;
        at += n;
        UBI_TRY(take_batch(r));
        UBI_ASSERT(t->n == 0); /* whole rows */
    }
    UBI_ASSERT(!stride || wide == raw->wide.n);
    ubi__vec_u32_fini(&raw->numbers, r->allocator);
    ubi__vec_v8_raw_wide_fini(&raw->wide, r->allocator);
    return UBI_OK;
}

ubi_status ubi__v8_replay_rows(ubi__v8_reader *r) {
    for (int i = 0; i < UBI__V8_SECTION_COUNT; i++) {
        if (!row_functions[i] || !r->was_seen[i] || r->is_complete[i])
            continue;
        ubi__v8_enter(r, (ubi__v8_section)i);
        UBI_TRY(replay_section(r, &r->raw[i]));
        r->is_complete[i] = true;
    }
    ubi__v8_leave(r);
    return UBI_OK;
}

/* ---- columns ------------------------------------------------------------------------------------------------------ */

/*
 * First use of memory is a fifth of the reading, and more where a hypervisor has to supply it. So the helper does that, slice
 * by slice, faster than text becomes numbers. A header that promises more rows than a file of this size can have is not
 * believed: then columns grow as rows come.
 */

#define N_SLICES 64

static bool is_plausible(const ubi__v8_reader *r, ubi__v8_section section, const ubi__v8_header_number *count) {
    uint64_t row_bytes = 2 * (uint64_t)r->meta.layout[section].stride; /* a digit and a comma for each number */
    return count->is_given && row_bytes && count->value < UBI_NONE && count->value <= r->input->total_bytes / row_bytes;
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
        for (size_t k = 0; k < n_columns && !t->must_stop; k++) {
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
    if (r->helper.is_threaded)
        ubi__helper_give(&r->helper, &t->chore, touch_columns, t);
}

ubi_status ubi__v8_make_columns(ubi__v8_reader *r) {
    if (r->are_columns_made || !header_is_believed(r))
        return UBI_OK;
    r->are_columns_made = true;
    if (!r->graph->id.cap && r->meta.node_count.value)
        UBI_TRY(reserve_nodes(r, r->meta.node_count.value));
    if (!r->graph->target.cap && r->meta.edge_count.value)
        UBI_TRY(reserve_edges(r, r->meta.edge_count.value));
    begin_touching(r);
    return UBI_OK;
}

void ubi__v8_stop_touching(ubi__v8_reader *r) {
    r->touching.must_stop = true;
    ubi__helper_drop(&r->helper, &r->touching.chore);
}

/* ---- nodes -------------------------------------------------------------------------------------------------------- */

/*
 * The column of kinds holds type and, 8 bits higher, detachedness until strings are known; that of stacks the ids of trace
 * nodes, 0 for none.
 */

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

static ubi_status grow_node_columns(ubi__v8_reader *r, size_t n) {
    const ubi_allocator *a = r->allocator;
    ubi_graph *g = r->graph;
    uint64_t expected = r->meta.node_count.is_given ? r->meta.node_count.value : 0;
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
    UBI_TRY(grow_node_columns(r, n));
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

/* ---- edges -------------------------------------------------------------------------------------------------------- */

/*
 * `to_node` is a place in the array of nodes: ordinal * stride. Dividing by a number s = odd * 2^k whose quotient is whole
 * takes a rotation by k and a multiplication by the inverse of `odd` modulo 2^32; for any other number the result is above
 * (2^32-1) / s. So one comparison finds what is not divisible and what is out of range.
 */

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

static ubi_status grow_edge_columns(ubi__v8_reader *r, size_t n) {
    const ubi_allocator *a = r->allocator;
    ubi_graph *g = r->graph;
    uint64_t expected = r->meta.edge_count.is_given ? r->meta.edge_count.value : 0;
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
    return r->is_complete[UBI__V8_NODES] ? r->graph->id.n : UBI_GRAPH_MAX_NODES;
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
    UBI_TRY(grow_edge_columns(r, n));
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
