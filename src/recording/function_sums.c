/* SPDX-License-Identifier: MIT
 *
 * function_sums.c: see function_sums.h.
 */
#include "recording/function_sums.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/u64_map.h"
#include "recording/marker_sums.h"

/* ---- traces ------------------------------------------------------------------------------------------------------ */

static void add_infos_to_traces(ubi__trace_sums *sums, ubi__ubirec_class of_class, ubi__measure measure,
                                const uint32_t *top) {
    const ubi__recording_summary *s = sums->summary;
    for (uint32_t i = 0; i < s->infos.n; i++) {
        const ubi__ubirec_info_row *row = &s->tables.infos.at[i];
        if (s->tables.kinds.at[row->kind].class_of_kind == of_class)
            ubi__estimate_add(&sums->at[top ? top[row->trace] : row->trace].self, s, i,
                              ubi__info_measure(&s->infos.at[i], measure));
    }
}

/* From the last to the first: a trace is whole before it is added to its caller, and callees are linked in their order. */
static void add_callees(ubi__trace_sums *sums) {
    const ubi__vec_ubirec_trace *traces = &sums->summary->tables.traces;
    for (size_t i = traces->n; i-- > 0;) {
        ubi__trace_sum *sum = &sums->at[i];
        ubi__estimate_join(&sum->all, &sum->self);
        if (i == 0)
            break;
        uint32_t caller = traces->at[i].caller;
        ubi__estimate_join(&sums->at[caller].all, &sum->all);
        sums->next_callee[i] = sums->first_callee[caller];
        sums->first_callee[caller] = (uint32_t)i;
    }
}

void ubi__trace_sums_check(const ubi__trace_sums *sums) {
    const ubi__vec_ubirec_trace *traces = &sums->summary->tables.traces;
    uint64_t samples = 0;
    if (!UBI_CHECKS)
        return;
    for (size_t i = 0; i < traces->n; i++) {
        UBI_ASSERT(sums->at[i].self.samples <= sums->at[i].all.samples);
        UBI_ASSERT(i == 0 || sums->at[i].all.samples <= sums->at[traces->at[i].caller].all.samples);
        UBI_ASSERT(sums->first_callee[i] == UBI__UBIREC_NO_TRACE || traces->at[sums->first_callee[i]].caller == i);
        UBI_ASSERT(sums->next_callee[i] == UBI__UBIREC_NO_TRACE || sums->next_callee[i] > i);
        samples += sums->at[i].self.samples;
    }
    UBI_ASSERT(samples == sums->at[0].all.samples);
}

ubi_status ubi__trace_sums_init(ubi__trace_sums *sums, const ubi__recording_summary *summary,
                                ubi__ubirec_class of_class, ubi__measure measure, const uint32_t *top,
                                const ubi_allocator *allocator) {
    size_t n = summary->tables.traces.n;
    const ubi_allocator *a = allocator ? allocator : summary->allocator;
    *sums = (ubi__trace_sums){ .summary = summary, .allocator = a };
    sums->at = ubi__calloc_array(a, n, sizeof *sums->at);
    sums->first_callee = ubi__calloc_array(a, n, sizeof *sums->first_callee);
    sums->next_callee = ubi__calloc_array(a, n, sizeof *sums->next_callee);
    if (!sums->at || !sums->first_callee || !sums->next_callee) {
        ubi__trace_sums_fini(sums);
        return ubi__fail_nomem();
    }
    add_infos_to_traces(sums, of_class, measure, top);
    add_callees(sums);
    ubi__trace_sums_check(sums);
    return UBI_OK;
}

void ubi__trace_sums_fini(ubi__trace_sums *sums) {
    const ubi_allocator *a = sums->allocator;
    size_t n = sums->summary->tables.traces.n;
    ubi__free_array(a, sums->at, n, sizeof *sums->at);
    ubi__free_array(a, sums->first_callee, n, sizeof *sums->first_callee);
    ubi__free_array(a, sums->next_callee, n, sizeof *sums->next_callee);
    sums->at = NULL;
    sums->first_callee = sums->next_callee = NULL;
}

/* ---- groups ------------------------------------------------------------------------------------------------------- */

typedef struct group_walk {
    const ubi__trace_sums *sums;
    const ubi__frame_groups *groups;
    ubi__trace_sum *out;
    uint32_t *entered; /* entered[group]: how often it is on the way to where the walk is */
} group_walk;

static uint32_t group_walk_frame(const group_walk *w, uint32_t trace) {
    return w->sums->summary->tables.traces.at[trace].frame;
}

static void group_walk_enter(group_walk *w, uint32_t trace) {
    const ubi__frame_groups *g = w->groups;
    const ubi__trace_sum *sum = &w->sums->at[trace];
    uint32_t frame = group_walk_frame(w, trace);
    for (uint32_t i = g->first[frame]; i < g->first[frame + 1]; i++) {
        if (i == g->first[frame])
            ubi__estimate_join(&w->out[g->of[i]].self, &sum->self);
        if (w->entered[g->of[i]]++ == 0)
            ubi__estimate_join(&w->out[g->of[i]].all, &sum->all);
    }
}

static void group_walk_leave(group_walk *w, uint32_t trace) {
    const ubi__frame_groups *g = w->groups;
    uint32_t frame = group_walk_frame(w, trace);
    for (uint32_t i = g->first[frame]; i < g->first[frame + 1]; i++)
        w->entered[g->of[i]]--;
}

/* Depth first over all but the root, which is no frame. */
static void group_walk_all(group_walk *w) {
    const ubi__trace_sums *sums = w->sums;
    uint32_t trace = sums->first_callee[0];
    while (trace) {
        group_walk_enter(w, trace);
        if (sums->first_callee[trace]) {
            trace = sums->first_callee[trace];
            continue;
        }
        while (trace && !sums->next_callee[trace]) {
            group_walk_leave(w, trace);
            trace = sums->summary->tables.traces.at[trace].caller;
        }
        if (trace) {
            group_walk_leave(w, trace);
            trace = sums->next_callee[trace];
        }
    }
}

ubi_status ubi__group_sums(ubi__trace_sum *out, const ubi__trace_sums *sums, const ubi__frame_groups *groups) {
    const ubi_allocator *a = sums->allocator;
    group_walk w = { .sums = sums, .groups = groups, .out = out };
    if (groups->n == 0)
        return UBI_OK;
    w.entered = ubi__calloc_array(a, groups->n, sizeof *w.entered);
    if (!w.entered)
        return ubi__fail_nomem();
    memset(out, 0, groups->n * sizeof *out);
    group_walk_all(&w);
    if (UBI_CHECKS) /* what was entered was left */
        for (uint32_t i = 0; i < groups->n; i++)
            UBI_ASSERT(w.entered[i] == 0);
    ubi__free_array(a, w.entered, groups->n, sizeof *w.entered);
    return UBI_OK;
}

/* What a function is known by: module and file, name, frame of one without a name. */
#define KEY_WORDS 3

/* ---- functions ---------------------------------------------------------------------------------------------------- */

static void make_function_key(uint64_t key[KEY_WORDS], const ubi__ubirec_tables *t, uint32_t frame,
                              const ubi__ubirec_symbol_row *symbol) {
    const ubi__ubirec_frame *f = &t->frames.at[frame];
    uint32_t module = f->type == UBI__UBIREC_NATIVE_FRAME ? f->of : UBI_NONE;
    bool has_name = f->type != UBI__UBIREC_NATIVE_FRAME && f->type != UBI__UBIREC_RAW_FRAME;
    key[0] = ubi__u64_pair(module, symbol                                ? symbol->file
                                   : f->type == UBI__UBIREC_SCRIPT_FRAME ? f->script.file
                                                                         : UBI_NONE);
    key[1] = symbol ? symbol->function : has_name ? f->of : UINT64_MAX;
    key[2] = symbol || has_name ? UINT64_MAX : frame;
}

/* A file by its string; what has none by its module. */
static void make_file_key(uint64_t key[KEY_WORDS], const ubi__ubirec_tables *t, uint32_t frame,
                          const ubi__ubirec_symbol_row *symbol, bool is_by_module) {
    const ubi__ubirec_frame *f = &t->frames.at[frame];
    uint32_t module = f->type == UBI__UBIREC_NATIVE_FRAME ? f->of : UBI_NONE;
    uint32_t file = symbol ? symbol->file : f->type == UBI__UBIREC_SCRIPT_FRAME ? f->script.file : UBI_NONE;
    bool has_file = file != UBI_NONE && ubi__ubirec_string_at(t, file).len > 0;
    bool is_of_file = has_file && (!is_by_module || module == UBI_NONE);
    key[0] = is_of_file ? file : UINT64_MAX;
    key[1] = is_of_file ? UINT64_MAX : module;
    key[2] = UINT64_MAX;
}

static void make_key(uint64_t key[KEY_WORDS], const ubi__function_sums *sums, uint32_t frame,
                     const ubi__ubirec_symbol_row *symbol) {
    const ubi__ubirec_tables *t = &sums->sites->summary->tables;
    if (sums->grouping == UBI__FRAMES_BY_FUNCTION)
        make_function_key(key, t, frame, symbol);
    else
        make_file_key(key, t, frame, symbol, sums->grouping == UBI__FRAMES_BY_MODULE);
}

static ubi_status add_function(ubi__function_sums *sums, ubi__tuple_table *numbers, uint32_t frame,
                               const ubi__ubirec_symbol_row *symbols, uint32_t symbol) {
    const ubi_allocator *a = sums->allocator;
    uint64_t key[KEY_WORDS];
    uint32_t number;
    bool is_new;
    make_key(key, sums, frame, symbols ? &symbols[symbol] : NULL);
    UBI_TRY(ubi__tuple_table_number(numbers, &number, &is_new, key));
    if (is_new)
        UBI_TRY(ubi__vec_function_sum_push(&sums->rows, a, (ubi__function_sum){ .frame = frame, .symbol = symbol }));
    return ubi__vec_u32_push(&sums->group_of, a, number);
}

static ubi_status find_functions(ubi__function_sums *sums, ubi__tuple_table *numbers) {
    const ubi__ubirec_tables *t = &sums->sites->summary->tables;
    for (uint32_t frame = 0; frame < t->frames.n; frame++) {
        uint32_t n;
        const ubi__ubirec_symbol_row *symbols = ubi__ubirec_symbols_of(t, frame, &n);
        sums->first_group[frame] = (uint32_t)sums->group_of.n;
        if (n == 0)
            UBI_TRY(add_function(sums, numbers, frame, NULL, 0));
        for (uint32_t i = n ? ubi__asking_symbol(t, symbols, n) : 0; i < n; i++)
            UBI_TRY(add_function(sums, numbers, frame, symbols, i));
    }
    sums->first_group[t->frames.n] = (uint32_t)sums->group_of.n;
    return UBI_OK;
}

static ubi_status add_up_functions(ubi__function_sums *sums, ubi__trace_sum *room) {
    const ubi__frame_groups groups = { sums->first_group, sums->group_of.at, (uint32_t)sums->rows.n };
    for (ubi__measure m = 0; m < UBI__MEASURE_COUNT; m++) {
        ubi__trace_sums traces;
        UBI_TRY(
            ubi__trace_sums_init(&traces, sums->sites->summary, sums->of_class, m, sums->sites->top, sums->allocator));
        ubi_status status = ubi__group_sums(room, &traces, &groups);
        ubi__trace_sums_fini(&traces);
        UBI_TRY(status);
        for (size_t i = 0; i < sums->rows.n; i++) {
            sums->rows.at[i].own[m] = room[i].self;
            sums->rows.at[i].all[m] = room[i].all;
        }
    }
    return UBI_OK;
}

static ubi_status function_sums_build(ubi__function_sums *sums) {
    const ubi_allocator *a = sums->allocator;
    size_t n = sums->sites->summary->tables.frames.n + 1;
    ubi__tuple_table numbers;
    sums->first_group = ubi__alloc_array(a, n, sizeof *sums->first_group);
    if (!sums->first_group)
        return ubi__fail_nomem();
    ubi__tuple_table_init(&numbers, KEY_WORDS, "functions", a);
    ubi_status status = find_functions(sums, &numbers);
    ubi__tuple_table_fini(&numbers);
    UBI_TRY(status);
    ubi__trace_sum *room = ubi__alloc_array(a, sums->rows.n + 1, sizeof *room);
    status = room ? add_up_functions(sums, room) : ubi__fail_nomem();
    ubi__free_array(a, room, sums->rows.n + 1, sizeof *room);
    return status;
}

void ubi__function_sums_check(const ubi__function_sums *sums) {
    size_t n = sums->sites->summary->tables.frames.n;
    UBI_ASSERT(sums->first_group[0] == 0 && sums->first_group[n] == sums->group_of.n);
    if (!UBI_CHECKS)
        return;
    for (size_t i = 0; i < n; i++)
        UBI_ASSERT(sums->first_group[i] < sums->first_group[i + 1]);
    for (size_t i = 0; i < sums->group_of.n; i++)
        UBI_ASSERT(sums->group_of.at[i] < sums->rows.n);
    for (size_t i = 0; i < sums->rows.n; i++)
        for (int m = 0; m < UBI__MEASURE_COUNT; m++)
            UBI_ASSERT(sums->rows.at[i].own[m].samples <= sums->rows.at[i].all[m].samples);
}

ubi_status ubi__function_sums_init(ubi__function_sums *sums, const ubi__sites *sites, ubi__ubirec_class of_class,
                                   const ubi_allocator *allocator) {
    return ubi__function_sums_init_by(sums, sites, of_class, UBI__FRAMES_BY_FUNCTION, allocator);
}

ubi_status ubi__function_sums_init_by(ubi__function_sums *sums, const ubi__sites *sites, ubi__ubirec_class of_class,
                                      ubi__frame_grouping by, const ubi_allocator *allocator) {
    *sums = (ubi__function_sums){
        .sites = sites, .allocator = allocator ? allocator : sites->allocator, .grouping = by, .of_class = of_class
    };
    ubi_status status = function_sums_build(sums);
    if (status == UBI_OK)
        ubi__function_sums_check(sums);
    else
        ubi__function_sums_fini(sums);
    return status;
}

void ubi__function_sums_fini(ubi__function_sums *sums) {
    const ubi_allocator *a = sums->allocator;
    ubi__free_array(a, sums->first_group, sums->sites->summary->tables.frames.n + 1, sizeof *sums->first_group);
    ubi__vec_function_sum_fini(&sums->rows, a);
    ubi__vec_u32_fini(&sums->group_of, a);
    sums->first_group = NULL;
}

/* ---- callers ------------------------------------------------------------------------------------------------------ */

typedef struct caller_search {
    const ubi__function_sums *sums;
    ubi__u64_map row_of; /* parent's row and function -> row */
    ubi__vec_function_caller rows;
} caller_search;

static ubi_status find_caller_row(caller_search *x, uint32_t *row, uint32_t function) {
    const ubi_allocator *a = x->sums->allocator;
    uint64_t key = ubi__u64_pair(*row, function);
    uint32_t found = *row == UBI_NONE ? 0 : ubi__u64_map_get(&x->row_of, key);
    if (found == UBI_NONE) {
        found = (uint32_t)x->rows.n;
        uint32_t depth = x->rows.at[*row].depth + 1;
        UBI_TRY(ubi__vec_function_caller_push(
            &x->rows, a, (ubi__function_caller){ .function = function, .parent = *row, .depth = depth }));
        UBI_TRY(ubi__u64_map_put(&x->row_of, key, found));
    }
    *row = found;
    return UBI_OK;
}

static void add_info_to_caller(ubi__function_caller *row, const ubi__recording_summary *s, uint32_t info) {
    for (ubi__measure m = 0; m < UBI__MEASURE_COUNT; m++)
        ubi__estimate_add(&row->by[m], s, info, ubi__info_measure(&s->infos.at[info], m));
}

/* Outwards from where an info is asked for. */
static ubi_status follow_callers(caller_search *x, uint32_t info, uint32_t levels) {
    const ubi__function_sums *sums = x->sums;
    const ubi__recording_summary *s = sums->sites->summary;
    uint32_t row = UBI_NONE, depth = 0;
    uint32_t trace = sums->sites->top[s->tables.infos.at[info].trace];
    for (; trace != UBI__UBIREC_NO_TRACE && depth <= levels; trace = s->tables.traces.at[trace].caller) {
        uint32_t frame = s->tables.traces.at[trace].frame;
        for (uint32_t i = sums->first_group[frame]; i < sums->first_group[frame + 1] && depth <= levels; i++, depth++) {
            UBI_TRY(find_caller_row(x, &row, sums->group_of.at[i]));
            add_info_to_caller(&x->rows.at[row], s, info);
        }
    }
    return UBI_OK;
}

static bool is_asked_by(const ubi__function_sums *sums, uint32_t info, uint32_t function) {
    const ubi__ubirec_tables *t = &sums->sites->summary->tables;
    uint32_t trace = sums->sites->top[t->infos.at[info].trace];
    return t->kinds.at[t->infos.at[info].kind].class_of_kind == sums->of_class && trace != UBI__UBIREC_NO_TRACE &&
           sums->group_of.at[sums->first_group[t->traces.at[trace].frame]] == function;
}

static ubi_status gather_callers(caller_search *x, uint32_t function, uint32_t levels) {
    const ubi__recording_summary *s = x->sums->sites->summary;
    UBI_TRY(ubi__vec_function_caller_push(&x->rows, x->sums->allocator,
                                          (ubi__function_caller){ .function = function, .parent = UBI_NONE }));
    for (uint32_t i = 0; i < s->infos.n; i++)
        if (is_asked_by(x->sums, i, function))
            UBI_TRY(follow_callers(x, i, levels));
    return UBI_OK;
}

typedef struct caller_order {
    const ubi__function_caller *rows;
    ubi__measure measure;
} caller_order;

/* By what they called, the smallest first, so that a stack gives the largest first. */
static int compare_callers(const void *a, const void *b, void *order) {
    const caller_order *o = order;
    const ubi__function_caller *x = &o->rows[*(const uint32_t *)a], *y = &o->rows[*(const uint32_t *)b];
    if (x->parent != y->parent)
        return x->parent < y->parent ? -1 : 1;
    double l = x->by[o->measure].bytes, r = y->by[o->measure].bytes;
    if (l != r)
        return l < r ? -1 : 1;
    return x > y ? -1 : x < y;
}

/* @param room  three arrays of numbers, one for each row. */
static ubi_status arrange_callers(ubi__vec_function_caller *out, const caller_search *x, ubi__measure measure,
                                  uint32_t *room) {
    uint32_t n = (uint32_t)x->rows.n, *sorted = room, *stack = room + n, *place = room + 2 * (size_t)n, waiting = 0;
    caller_order order = { x->rows.at, measure };
    for (uint32_t i = 0; i < n; i++)
        sorted[i] = i;
    qsort_r(sorted, n, sizeof *sorted, compare_callers, &order);
    stack[waiting++] = 0;
    while (waiting) {
        ubi__function_caller row = x->rows.at[stack[--waiting]];
        uint32_t was = stack[waiting], low = 0, high = n;
        place[was] = (uint32_t)out->n;
        row.parent = row.parent == UBI_NONE ? UBI_NONE : place[row.parent];
        UBI_ASSERT(row.parent == UBI_NONE ? row.depth == 0 : out->at[row.parent].depth + 1 == row.depth);
        UBI_TRY(ubi__vec_function_caller_push(out, x->sums->allocator, row));
        while (low < high) { /* the first whose parent it is */
            uint32_t middle = low + (high - low) / 2;
            if (x->rows.at[sorted[middle]].parent < was)
                low = middle + 1;
            else
                high = middle;
        }
        for (; low < n && x->rows.at[sorted[low]].parent == was; low++)
            stack[waiting++] = sorted[low];
    }
    UBI_ASSERT(out->n == n);
    return UBI_OK;
}

ubi_status ubi__function_callers(ubi__vec_function_caller *out, const ubi__function_sums *sums, uint32_t function,
                                 uint32_t levels, ubi__measure measure) {
    const ubi_allocator *a = sums->allocator;
    caller_search x = { .sums = sums };
    ubi__u64_map_init(&x.row_of, a);
    ubi_status status = gather_callers(&x, function, levels);
    size_t n = 3 * x.rows.n;
    uint32_t *room = status == UBI_OK ? ubi__alloc_array(a, n, sizeof *room) : NULL;
    if (status == UBI_OK)
        status = room ? arrange_callers(out, &x, measure, room) : ubi__fail_nomem();
    ubi__free_array(a, room, n, sizeof *room);
    ubi__u64_map_fini(&x.row_of);
    ubi__vec_function_caller_fini(&x.rows, a);
    return status;
}

/* ---- of markers --------------------------------------------------------------------------------------------------- */

static void check_open_markers(const ubi__marker_sums *m, const ubi__vec_open_marker *open) {
    UBI_ASSERT(open->n <= UBI__OPEN_MARKERS);
    for (size_t i = 0; i < open->n; i++)
        UBI_ASSERT(open->at[i].group < m->groups.n);
}

void ubi__marker_sums_check(const ubi__marker_sums *m) {
    if (!UBI_CHECKS)
        return;
    for (uint32_t i = 0; i < m->groups.n; i++) {
        UBI_ASSERT(ubi__u64_map_get(&m->group_of_name, m->groups.at[i].name) == i);
        UBI_ASSERT(m->groups.at[i].n_ended <= m->groups.at[i].count);
        ubi__estimate_check(&m->groups.at[i].allocated);
    }
    for (size_t i = 0; i < m->threads.n; i++)
        check_open_markers(m, &m->threads.at[i].open);
    for (size_t i = 0; i < m->owned.table.n_slots; i++)
        UBI_ASSERT(!ubi__live_is_used(&m->owned.table.slots[i]) || m->owned.table.slots[i].event < m->groups.n);
}

void ubi__marker_sums_init(ubi__marker_sums *m, const ubi_allocator *allocator) {
    *m = (ubi__marker_sums){ .allocator = allocator };
    ubi__u64_map_init(&m->group_of_name, allocator);
    ubi__live_table_init(&m->owned, allocator);
}

void ubi__marker_sums_fini(ubi__marker_sums *m) {
    for (size_t i = 0; i < m->threads.n; i++)
        ubi__vec_open_marker_fini(&m->threads.at[i].open, m->allocator);
    ubi__vec_marker_thread_fini(&m->threads, m->allocator);
    ubi__vec_marker_group_fini(&m->groups, m->allocator);
    ubi__u64_map_fini(&m->group_of_name);
    ubi__live_table_fini(&m->owned);
}

/* Counts those that are open. */
static void open_markers_begin(ubi__marker_sums *m, ubi__vec_open_marker *open, uint64_t time_ns) {
    for (size_t i = 0; i < open->n; i++) {
        m->groups.at[open->at[i].group].count++;
        open->at[i].start_ns = time_ns;
        open->at[i].counted_ns = 0;
    }
}

void ubi__marker_sums_begin(ubi__marker_sums *m, uint64_t time_ns) {
    for (size_t i = 0; i < m->groups.n; i++)
        m->groups.at[i] = (ubi__marker_group){ .name = m->groups.at[i].name };
    for (size_t i = 0; i < m->threads.n; i++) {
        m->threads.at[i].freed_number = 0;
        open_markers_begin(m, &m->threads.at[i].open, time_ns);
    }
    ubi__live_table_fini(&m->owned);
    ubi__live_table_init(&m->owned, m->allocator);
}

/* ---- markers ------------------------------------------------------------------------------------------------------ */

static ubi_status group_of(ubi__marker_sums *m, uint32_t *out, ubi_str_ix name) {
    *out = ubi__u64_map_get(&m->group_of_name, name);
    if (*out != UBI_NONE)
        return UBI_OK;
    UBI_TRY(ubi__vec_marker_group_reserve(&m->groups, m->allocator, 1));
    UBI_TRY(ubi__u64_map_put(&m->group_of_name, name, (uint32_t)m->groups.n));
    *out = (uint32_t)m->groups.n;
    return ubi__vec_marker_group_push(&m->groups, m->allocator, (ubi__marker_group){ .name = name });
}

ubi_status ubi__marker_sums_add_thread(ubi__marker_sums *m) {
    return ubi__vec_marker_thread_push(&m->threads, m->allocator, (ubi__marker_thread){ 0 });
}

static ubi_status open_marker(ubi__marker_sums *m, ubi__vec_open_marker *open, uint32_t group, uint64_t time_ns) {
    if (open->n == UBI__OPEN_MARKERS)
        memmove(open->at, open->at + 1, --open->n * sizeof *open->at);
    return ubi__vec_open_marker_push(open, m->allocator, (ubi__open_marker){ .group = group, .start_ns = time_ns });
}

/* The innermost of a group among the first n; n itself when there is none. */
static size_t innermost_of(const ubi__vec_open_marker *open, size_t n, uint32_t group) {
    for (size_t i = n; i > 0; i--)
        if (open->at[i - 1].group == group)
            return i - 1;
    return n;
}

static void close_marker(ubi__marker_sums *m, ubi__vec_open_marker *open, uint32_t group, uint64_t time_ns) {
    size_t i = innermost_of(open, open->n, group), around = innermost_of(open, i, group);
    if (i == open->n)
        return;
    ubi__open_marker closed = open->at[i];
    uint64_t ns = time_ns > closed.start_ns ? time_ns - closed.start_ns : 0;
    uint64_t new_ns = ns > closed.counted_ns ? ns - closed.counted_ns : 0;
    ubi__marker_group *g = &m->groups.at[group];
    if (around < i)
        open->at[around].counted_ns += ns;
    memmove(open->at + i, open->at + i + 1, (open->n - i - 1) * sizeof *open->at);
    open->n--;
    g->n_ended++;
    if (__builtin_add_overflow(g->total_ns, new_ns, &g->total_ns))
        g->total_ns = UINT64_MAX;
    if (ns > g->longest_ns)
        g->longest_ns = ns;
}

ubi_status ubi__marker_sums_add(ubi__marker_sums *m, const ubi__ubirec_record *record) {
    ubi__ubirec_marker_type type = record->marker.type;
    ubi__vec_open_marker *open = &m->threads.at[record->marker.thread].open;
    uint32_t group;
    if (type == UBI__UBIREC_MARKER_HELPER_EVENT)
        return UBI_OK;
    UBI_TRY(group_of(m, &group, record->marker.name));
    if (type == UBI__UBIREC_MARKER_END) {
        close_marker(m, open, group, record->marker.time_ns);
        return UBI_OK;
    }
    m->groups.at[group].count++;
    return type == UBI__UBIREC_MARKER_START ? open_marker(m, open, group, record->marker.time_ns) : UBI_OK;
}

/* ---- allocations -------------------------------------------------------------------------------------------------- */

uint32_t ubi__marker_sums_group(const ubi__marker_sums *m, uint32_t thread) {
    const ubi__vec_open_marker *open = &m->threads.at[thread].open;
    return open->n ? open->at[open->n - 1].group : UBI_NONE;
}

ubi_status ubi__marker_sums_own(ubi__marker_sums *m, uint64_t number, uint32_t group) {
    UBI_ASSERT(group < m->groups.n);
    UBI_TRY(ubi__live_table_reserve(&m->owned, 1));
    ubi__live_table_put(&m->owned, number + 1, group);
    return UBI_OK;
}

void ubi__marker_sums_freed(ubi__marker_sums *m, uint64_t number, uint32_t thread) {
    ubi__live *owned = m->owned.table.n ? ubi__live_table_find(&m->owned, number + 1) : NULL;
    if (!owned)
        return;
    m->threads.at[thread].freed_number = number + 1;
    m->threads.at[thread].freed_group = (uint32_t)owned->event;
    ubi__live_table_remove(&m->owned, owned);
}

ubi_status ubi__marker_sums_undone(ubi__marker_sums *m, uint64_t number, uint32_t thread) {
    const ubi__marker_thread *t = &m->threads.at[thread];
    return t->freed_number == number + 1 ? ubi__marker_sums_own(m, number, t->freed_group) : UBI_OK;
}

uint32_t ubi__marker_sums_owner(const ubi__marker_sums *m, uint64_t number) {
    const ubi__live *owned = ubi__live_table_find(&m->owned, number + 1);
    return owned ? (uint32_t)owned->event : UBI_NONE;
}

uint32_t ubi__marker_sums_left(ubi__marker_sums *m, uint64_t number) {
    ubi__live *owned = m->owned.table.n ? ubi__live_table_find(&m->owned, number + 1) : NULL;
    uint32_t group = owned ? (uint32_t)owned->event : UBI_NONE;
    if (owned)
        ubi__live_table_remove(&m->owned, owned);
    return group;
}
