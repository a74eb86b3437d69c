/* SPDX-License-Identifier: MIT
 *
 * recording_pass.c: what a recording amounts to, and what each of its processes has, to an index and back (recording_summary.h,
 * recording_processes.h).
 *
 * Sums are believed, as those of a recording are: no number leads anywhere. Indexes and counts are those of the tables.
 */
#include <math.h>
#include <string.h>

#include "base/column_file.h"
#include "base/status.h"
#include "recording/recording_processes.h"

/* ---- rules --------------------------------------------------------------------------------------------------------- */

static bool is_sum(double value) {
    return isfinite(value) && value >= 0;
}

static bool estimates_hold(const ubi__column_rule *rule, const void *items, size_t first, size_t n) {
    (void)rule, (void)first;
    for (size_t i = 0; i < n; i++)
        if (!ubi__estimate_is_sound((const ubi__estimate *)items + i))
            return false;
    return true;
}

static bool threads_hold(const ubi__column_rule *rule, const void *items, size_t first, size_t n) {
    const ubi__thread_sums *at = items;
    (void)rule, (void)first;
    bool are_sound = true;
    for (size_t i = 0; i < n; i++) {
        are_sound = are_sound && ubi__estimate_is_sound(&at[i].allocated) && ubi__estimate_is_sound(&at[i].freed) &&
                    ubi__estimate_is_sound(&at[i].temporary);
        for (int m = 0; m < UBI__MEASURE_COUNT; m++)
            are_sound = are_sound && ubi__estimate_is_sound(&at[i].by[m]);
    }
    return are_sound;
}

static bool groups_hold(const ubi__column_rule *rule, const void *items, size_t first, size_t n) {
    const ubi__marker_group *at = items;
    (void)first;
    for (size_t i = 0; i < n; i++)
        if (at[i].name >= rule->limit || at[i].n_ended > at[i].count || !ubi__estimate_is_sound(&at[i].allocated) ||
            !ubi__estimate_is_sound(&at[i].live))
            return false;
    return true;
}

static bool classes_hold(const ubi__column_rule *rule, const void *items, size_t first, size_t n) {
    const ubi__class_sums *at = items;
    (void)rule, (void)first;
    for (size_t i = 0; i < n; i++) {
        bool are_right = is_sum(at[i].live_variance);
        for (int half = 0; half < 2; half++)
            are_right &= isfinite(at[i].halves[half].other_bytes) && is_sum(at[i].halves[half].other_variance);
        if (!are_right)
            return false;
    }
    return true;
}

static bool points_hold(const ubi__column_rule *rule, const void *items, size_t first, size_t n) {
    const ubi__curve_point *at = items;
    (void)rule, (void)first;
    for (size_t i = 0; i < n; i++)
        if (!is_sum(at[i].live_variance))
            return false;
    return true;
}

/* ---- a summary ------------------------------------------------------------------------------------------------------- */

/** What there is one of. */
typedef struct summary_facts {
    uint64_t curve_step_ns, time_ns, rss_peak_bytes, rss_peak_time_ns, rss_last_bytes, n_markers, double_frees,
        file_bytes, torn_bytes;
    uint32_t n_blocks, has_undone;
    char fault[sizeof((ubi__recording_summary *)0)->fault];
} summary_facts;

static ubi_status facts_pass(ubi__columns *c, ubi__recording_summary *s) {
    summary_facts f = { .curve_step_ns = s->curve_step_ns,
                        .time_ns = s->time_ns,
                        .rss_peak_bytes = s->rss_peak_bytes,
                        .rss_peak_time_ns = s->rss_peak_time_ns,
                        .rss_last_bytes = s->rss_last_bytes,
                        .n_markers = s->n_markers,
                        .double_frees = s->double_frees,
                        .file_bytes = s->file_bytes,
                        .torn_bytes = s->torn_bytes,
                        .n_blocks = s->n_blocks,
                        .has_undone = s->has_undone };
    memcpy(f.fault, s->fault, sizeof f.fault);
    UBI_TRY(ubi__columns_value(c, "facts", &f, sizeof f));
    UBI_TRY(ubi__columns_expect(c, f.curve_step_ns > 0 && memchr(f.fault, 0, sizeof f.fault), "facts"));
    if (c->writer)
        return UBI_OK;
    s->curve_step_ns = f.curve_step_ns;
    s->time_ns = f.time_ns;
    s->rss_peak_bytes = f.rss_peak_bytes;
    s->rss_peak_time_ns = f.rss_peak_time_ns;
    s->rss_last_bytes = f.rss_last_bytes;
    s->n_markers = f.n_markers;
    s->double_frees = f.double_frees;
    s->file_bytes = f.file_bytes;
    s->torn_bytes = f.torn_bytes;
    s->n_blocks = f.n_blocks;
    s->has_undone = f.has_undone != 0;
    memcpy(s->fault, f.fault, sizeof s->fault);
    return UBI_OK;
}

/* Up to `most` items of an array that is part of the summary; *n of them. */
static ubi_status inner_array_pass(ubi__columns *c, const char *name, void *items, size_t *n, size_t most,
                                   size_t item_bytes, const ubi__column_rule *rule) {
    void *at = items;
    UBI_TRY(ubi__columns_array(c, name, &at, n, item_bytes, rule));
    UBI_TRY(ubi__columns_expect(c, *n <= most, name));
    if (!c->writer && *n)
        memcpy(items, at, *n * item_bytes);
    return UBI_OK;
}

/* The same of all of them. */
#define INNER_ARRAY(c, name, items, rule)                                                                              \
    inner_array_fill((c), (name), (items), sizeof(items) / sizeof *(items), sizeof *(items), (rule))

static ubi_status inner_array_fill(ubi__columns *c, const char *name, void *items, size_t n_items, size_t item_bytes,
                                   const ubi__column_rule *rule) {
    size_t n = n_items;
    UBI_TRY(inner_array_pass(c, name, items, &n, n_items, item_bytes, rule));
    return ubi__columns_expect(c, n == n_items, name);
}

static ubi_status sums_pass(ubi__columns *c, ubi__recording_summary *s) {
    static const ubi__column_rule estimates = { estimates_hold, 0, NULL }, threads = { threads_hold, 0, NULL },
                                  classes = { classes_hold, 0, NULL }, points = { points_hold, 0, NULL };
    const ubi__column_rule groups = { groups_hold, s->tables.strings.end.n, NULL };
    UBI_TRY(UBI__COLUMN(c, "sums of infos", &s->infos, NULL));
    UBI_TRY(ubi__columns_expect(c, s->infos.n == s->tables.infos.n, "sums of infos"));
    UBI_TRY(UBI__COLUMN(c, "sums of threads", &s->threads, &threads));
    UBI_TRY(ubi__columns_expect(c, s->threads.n == s->tables.threads.n, "sums of threads"));
    UBI_TRY(UBI__COLUMN(c, "sums of markers", &s->markers.groups, &groups));
    UBI_TRY(INNER_ARRAY(c, "sums of classes", s->classes, &classes));
    UBI_TRY(inner_array_fill(c, "totals", s->totals, sizeof s->totals / sizeof s->totals[0][0], sizeof s->totals[0][0],
                             &estimates));
    UBI_TRY(INNER_ARRAY(c, "lifetimes", s->lifetimes, &estimates));
    UBI_TRY(INNER_ARRAY(c, "sizes", s->sizes, &estimates));
    return inner_array_pass(c, "curve", s->curve, &s->n_curve, UBI__CURVE_POINTS, sizeof *s->curve, &points);
}

ubi_status ubi__recording_summary_pass(ubi__columns *c, ubi__recording_summary *s) {
    if (!c->writer) {
        *s = (ubi__recording_summary){ .allocator = c->allocator };
        ubi__live_ledger_init(&s->live, c->allocator);
        ubi__marker_sums_init(&s->markers, c->allocator);
    }
    UBI_TRY(ubi__ubirec_tables_pass(c, &s->tables));
    UBI_TRY(sums_pass(c, s));
    return facts_pass(c, s);
}

/* ---- processes ------------------------------------------------------------------------------------------------------- */

/** What a process has. */
typedef struct process_sums {
    uint64_t n_samples;
    double count, bytes, freed_bytes;
} process_sums;

UBI_VEC_DECLARE(vec_process_sums, process_sums);

static bool processes_hold(const ubi__column_rule *rule, const void *items, size_t first, size_t n) {
    const process_sums *at = items;
    (void)rule, (void)first;
    for (size_t i = 0; i < n; i++)
        if (!is_sum(at[i].count) || !is_sum(at[i].bytes) || !is_sum(at[i].freed_bytes))
            return false;
    return true;
}

static ubi_status process_sums_list(vec_process_sums *out, const ubi__recording_processes *p, const ubi_allocator *a) {
    for (size_t i = 0; p->are_summed && i < p->rows.n; i++) {
        const ubi__recording_process *row = &p->rows.at[i];
        UBI_TRY(
            vec_process_sums_push(out, a, (process_sums){ row->n_samples, row->count, row->bytes, row->freed_bytes }));
    }
    return UBI_OK;
}

static void process_sums_take(ubi__recording_processes *p, const vec_process_sums *sums) {
    p->are_summed = sums->n > 0;
    for (size_t i = 0; i < sums->n; i++) {
        ubi__recording_process *row = &p->rows.at[i];
        row->n_samples = sums->at[i].n_samples;
        row->count = sums->at[i].count;
        row->bytes = sums->at[i].bytes;
        row->freed_bytes = sums->at[i].freed_bytes;
    }
}

static ubi_status process_sums_pass(ubi__columns *c, ubi__recording_processes *p, vec_process_sums *sums) {
    static const ubi__column_rule rule = { processes_hold, 0, NULL };
    uint32_t n_given_up = p->n_given_up;
    if (c->writer)
        UBI_TRY(process_sums_list(sums, p, c->allocator));
    UBI_TRY(UBI__COLUMN(c, "processes", sums, &rule));
    UBI_TRY(ubi__columns_value(c, "gave up", &n_given_up, sizeof n_given_up));
    UBI_TRY(ubi__columns_expect(c, sums->n == (p->rows.n > 1 ? p->rows.n : 0), "processes"));
    if (c->writer)
        return UBI_OK;
    process_sums_take(p, sums);
    p->n_given_up = n_given_up;
    return UBI_OK;
}

ubi_status ubi__recording_processes_pass(ubi__columns *c, ubi__recording_processes *p,
                                         const ubi__ubirec_tables *tables) {
    vec_process_sums sums = { NULL, 0, 0 };
    ubi_status status = process_sums_pass(c, p, &sums);
    vec_process_sums_fini(&sums, c->allocator);
    if (status == UBI_OK && !c->writer)
        status = ubi__recording_processes_find_missing(p, tables);
    return status;
}
