/* SPDX-License-Identifier: MIT
 *
 * leaks_series.c: see leaks_series.h.
 */
#include "questions/leaks/leaks_series.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/assert.h"
#include "base/human.h"
#include "base/merge_sort.h"
#include "render/page.h"

/* ---- putting files into order -------------------------------------------------------------------------------------- */

typedef struct taken {
    uint32_t heap;
    uint64_t id_mark, time_us; /* 0: unknown */
    uint64_t key;
} taken;

#define TAKEN_BEFORE(unused, a, b) ((a).key < (b).key)
UBI_SORT_DEFINE(sort_taken, taken, void *, TAKEN_BEFORE);

static ubi_status heap_date(taken *out, const ubi__asked *asked, uint32_t heap) {
    ubi_session_use *use;
    ubi_graph *graph;
    *out = (taken){ .heap = heap };
    UBI_TRY(ubi__asked_use_begin(&use, asked, heap, UBI_NONE));
    ubi_status status = ubi__asked_about(asked, heap, ubi_session_graph(&graph, use));
    if (status == UBI_OK) {
        out->id_mark = ubi_lens_id_mark(graph);
        if (!ubi_graph_creation_time_us(graph, &out->time_us))
            out->time_us = 0;
    }
    ubi__asked_use_end(use, asked);
    return status;
}

static ubi_status keys_find(taken *heaps, uint32_t n) {
    bool marks = true, times = true;
    for (uint32_t i = 0; i < n; i++) {
        marks = marks && heaps[i].id_mark;
        times = times && heaps[i].time_us;
    }
    if (!marks && !times)
        return ubi__fail(UBI_EINVAL, "--reorder: these files do not say when they were taken");
    for (uint32_t i = 0; i < n; i++)
        heaps[i].key = marks ? heaps[i].id_mark : heaps[i].time_us;
    return UBI_OK;
}

static ubi_status series_reorder(taken *heaps, taken *spare, ubi__leaks_series *s) {
    for (uint32_t i = 0; i < s->n; i++)
        UBI_TRY(heap_date(&heaps[i], s->asked, s->heaps[i]));
    UBI_TRY(keys_find(heaps, s->n));
    sort_taken(heaps, spare, s->n, NULL);
    for (uint32_t i = 0; i < s->n; i++)
        s->heaps[i] = heaps[i].heap;
    return UBI_OK;
}

ubi_status ubi__leaks_reorder(ubi__leaks_series *s) {
    const ubi_allocator *a = ubi__asked_allocator(s->asked);
    taken *heaps = ubi__alloc_array(a, s->n, sizeof *heaps), *spare = ubi__alloc_array(a, s->n, sizeof *spare);
    ubi_status status = heaps && spare ? series_reorder(heaps, spare, s) : ubi__fail_nomem();
    ubi__free_array(a, heaps, s->n, sizeof *heaps);
    ubi__free_array(a, spare, s->n, sizeof *spare);
    return status;
}

ubi_status ubi__leaks_series_init(ubi__leaks_series *out, const ubi__asked *asked, uint32_t first, uint32_t n) {
    *out = (ubi__leaks_series){ .asked = asked };
    if (n == 0)
        return UBI_OK;
    out->heaps = ubi__alloc_array(ubi__asked_allocator(asked), n, sizeof *out->heaps);
    if (!out->heaps)
        return ubi__fail_nomem();
    for (uint32_t i = 0; i < n; i++)
        out->heaps[i] = first + i;
    out->n = n;
    return UBI_OK;
}

void ubi__leaks_series_fini(ubi__leaks_series *s) {
    if (s->heaps)
        ubi__free_array(ubi__asked_allocator(s->asked), s->heaps, s->n, sizeof *s->heaps);
}

/* ---- words -------------------------------------------------------------------------------------------------------- */

typedef struct line {
    char *at;
    size_t n, capacity;
    bool is_cut;
} line;

static void UBI_PRINTF(2, 3) series_put(line *l, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int n = vsnprintf(l->at + l->n, l->capacity - l->n, format, arguments);
    va_end(arguments);
    l->is_cut = l->is_cut || (size_t)n >= l->capacity - l->n;
    l->n = l->is_cut ? l->capacity - 1 : l->n + (size_t)n;
}

/* As a shell takes it. */
static void put_argument(line *l, const char *path) {
    if (ubi__file_argument(path, NULL)) {
        series_put(l, "%s", path);
        return;
    }
    series_put(l, "'");
    for (const char *c = path; *c; c++)
        series_put(l, *c == '\'' ? "'\\''" : "%c", *c);
    series_put(l, "'");
}

/* ---- order -------------------------------------------------------------------------------------------------------- */

ubi_leak_fit ubi__leaks_worst_fit(const ubi_leaks *leaks, bool allows_other_process) {
    ubi_leak_fit worst = UBI_LEAK_FITS;
    for (uint32_t i = 0; i < ubi_leaks_heap_count(leaks); i++) {
        ubi_leak_fit fit = ubi_leaks_heap(leaks, i)->fit;
        if (fit == UBI_LEAK_OTHER_PROCESS && allows_other_process)
            continue;
        worst = fit > worst ? fit : worst;
    }
    return worst;
}

/* The heap whose place in time is `rank`. */
static uint32_t heap_of_rank(const ubi_leaks *leaks, uint32_t rank) {
    uint32_t i = 0;
    UBI_ASSERT(rank < ubi_leaks_heap_count(leaks)); /* ranks have no gaps */
    while (ubi_leaks_heap(leaks, i)->fit == UBI_LEAK_OTHER_PROCESS || ubi_leaks_heap(leaks, i)->rank != rank)
        i++;
    return i;
}

/* Heaps of other processes keep their places. */
static void correct_order(line *l, const ubi__leaks_series *s, const ubi_leaks *leaks, const char *between) {
    uint32_t rank = 0;
    for (uint32_t i = 0; i < ubi_leaks_heap_count(leaks); i++) {
        bool is_other = ubi_leaks_heap(leaks, i)->fit == UBI_LEAK_OTHER_PROCESS;
        series_put(l, "%s", i ? between : "");
        put_argument(l, ubi__leaks_name(s, is_other ? i : heap_of_rank(leaks, rank++)));
    }
}

static ubi_status fail_order(const ubi__leaks_series *s, const ubi_leaks *leaks, const char *option) {
    char text[380], first[120];
    line l = { text, 0, sizeof text, false };
    correct_order(&l, s, leaks, option ? "," : " ");
    if (!l.is_cut)
        return ubi__fail(UBI_EINVAL, "%s%snot in the order in which they were taken, which is: %s (--reorder does it)",
                         option ? option : "", option ? ": " : "", text);
    l = (line){ first, 0, sizeof first, false };
    put_argument(&l, ubi__leaks_name(s, heap_of_rank(leaks, 0)));
    return ubi__fail(
        UBI_EINVAL,
        "%s%sthe %u files are not in the order in which they were taken: %s is the first; --reorder sorts them",
        option ? option : "", option ? ": " : "", ubi_leaks_heap_count(leaks), first);
}

ubi_status ubi__leaks_check_order(const ubi__leaks_series *s, const ubi_leaks *leaks, bool allows_other_process,
                                  const char *option) {
    bool is_wrong = ubi__leaks_worst_fit(leaks, allows_other_process) == UBI_LEAK_OUT_OF_ORDER;
    return is_wrong ? fail_order(s, leaks, option) : UBI_OK;
}

/* ---- what cannot be compared -------------------------------------------------------------------------------------- */

#define MOST_NAMES 3
#define NAME_BYTES 160

static void put_names(line *l, const ubi__leaks_series *s, const ubi_leaks *leaks, ubi_leak_fit fit, uint32_t n) {
    char count[UBI__HUMAN_TEXT];
    uint32_t n_put = 0, shown = n > MOST_NAMES + 1 ? MOST_NAMES : n;
    for (uint32_t i = 0; n_put < shown; i++) {
        if (ubi_leaks_heap(leaks, i)->fit != fit)
            continue;
        bool is_last = n_put + 1 == n;
        series_put(l, "%s%.*s", n_put == 0 ? "" : is_last ? " and " : ", ", NAME_BYTES, ubi__leaks_name(s, i));
        n_put++;
    }
    if (shown < n)
        series_put(l, " and %s more", ubi__human_count(count, n - shown));
}

/* Within one process, all but a few types fit. */
#define LEAST_TYPES_PERCENT 98

static bool differs_by_key(const ubi_leak_heap *heap) {
    return heap->n_words > heap->n_texts - heap->n_texts_same &&
           heap->n_types_same * 100 >= heap->n_common * LEAST_TYPES_PERCENT;
}

bool ubi__leaks_differ_by_key(const ubi_leaks *leaks) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < ubi_leaks_heap_count(leaks); i++) {
        const ubi_leak_heap *heap = ubi_leaks_heap(leaks, i);
        if (heap->fit != UBI_LEAK_OTHER_PROCESS)
            continue;
        if (!differs_by_key(heap))
            return false;
        n++;
    }
    return n > 0;
}

/* Heaps of any two processes share ids: those that are given first. */
bool ubi__leaks_renews_ids(const ubi_leak_heap *past, const ubi_leak_heap *newest) {
    return past->id_mark && newest->id_mark > past->id_mark && past->n_common == 0 && past->tally.count > 0 &&
           newest->id_mark - past->id_mark >= newest->tally.count;
}

static bool all_renew_ids(const ubi_leaks *leaks) {
    uint32_t last = ubi_leaks_heap_count(leaks) - 1;
    bool all = true;
    for (uint32_t i = 0; all && i < last; i++)
        all = ubi__leaks_renews_ids(ubi_leaks_heap(leaks, i), ubi_leaks_heap(leaks, last));
    return all;
}

const ubi__recorded_heap *ubi__leaks_recorded_heap(const ubi_session *session) {
    const ubi_graph *given = ubi__session_given_graph(session);
    return given ? ubi__leak_record_of(given) : NULL;
}

/* A graph that was there has no format, but a lens. */
static const char *format_of(const ubi_session *session) {
    const char *format = ubi_session_read_info(session)->format;
    const ubi_graph *given = ubi__session_given_graph(session);
    const ubi__recorded_heap *record = ubi__leaks_recorded_heap(session);
    if (record)
        return ubi__leak_record_lens(record);
    return format || !given ? format : ubi_lens_name(ubi_lens_for(given));
}

ubi_status ubi__leaks_check_format(const ubi_session *past, const ubi_session *newest) {
    const char *past_format = format_of(past), *newest_format = format_of(newest);
    if (strcmp(past_format, newest_format) == 0)
        return UBI_OK;
    return ubi__fail(
        UBI_EFORMAT,
        "cannot be compared: of different formats, %.*s is %s and %.*s %s; take the originals, or 'ubiheap "
        "convert' all to one format",
        NAME_BYTES, ubi_session_name(past), past_format, NAME_BYTES, ubi_session_name(newest), newest_format);
}

const char *ubi__leaks_reason(char out[UBI__LEAKS_REASON], const ubi__leaks_series *s, const ubi_leaks *leaks,
                              ubi_leak_fit fit) {
    line l = { out, 0, UBI__LEAKS_REASON, false };
    uint32_t n = 0;
    for (uint32_t i = 0; i < ubi_leaks_heap_count(leaks); i++)
        n += ubi_leaks_heap(leaks, i)->fit == fit;
    series_put(&l, "cannot be compared: ");
    put_names(&l, s, leaks, fit, n);
    if (fit == UBI_LEAK_SAME_HEAP)
        series_put(&l, " are the same snapshot");
    else if (ubi__leaks_differ_by_key(leaks))
        series_put(
            &l,
            " %s anonymized with another key than %.*s; convert the originals with the same --anonymize-key FILE each",
            n == 1 ? "is" : "are", NAME_BYTES, ubi__leaks_name(s, s->n - 1));
    else if (all_renew_ids(leaks))
        series_put(&l, " %s no id of %.*s; the program gives new ids in each snapshot: use 'ubiheap diff --by class'",
                   n == 1 ? "has" : "have", NAME_BYTES, ubi__leaks_name(s, s->n - 1));
    else if (s->is_of_one_program)
        series_put(&l,
                   " %s of the same program as %.*s, but it gave its objects other ids meanwhile, as when another "
                   "debugger leaves it",
                   n == 1 ? "is" : "are", NAME_BYTES, ubi__leaks_name(s, s->n - 1));
    else
        series_put(&l, " %s of another process than %.*s", n == 1 ? "is" : "are", NAME_BYTES,
                   ubi__leaks_name(s, s->n - 1));
    return out;
}
