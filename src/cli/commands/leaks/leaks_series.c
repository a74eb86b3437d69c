/* SPDX-License-Identifier: MIT
 *
 * leaks_series.c: see leaks_series.h.
 */
#include "cli/commands/leaks/leaks_series.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/assert.h"
#include "base/human.h"
#include "base/merge_sort.h"
#include "cli/cli_files.h"
#include "render/page.h"

/* ---- putting files into order -------------------------------------------------------------------------------------- */

typedef struct taken {
    char *path;
    uint64_t id_mark, time_us; /* 0: unknown */
    uint64_t key;
} taken;

#define TAKEN_BEFORE(unused, a, b) ((a).key < (b).key)
UBI_SORT_DEFINE(sort_taken, taken, void *, TAKEN_BEFORE);

static ubi_status look_at(taken *out, ubi__cli *cli, char *path) {
    ubi__snapshot snapshot;
    *out = (taken){ .path = path };
    UBI_TRY(ubi__snapshot_load(&snapshot, cli, path));
    out->id_mark = ubi_lens_id_mark(snapshot.graph);
    if (!ubi_graph_creation_time_us(snapshot.graph, &out->time_us))
        out->time_us = 0;
    ubi__snapshot_close(&snapshot);
    return UBI_OK;
}

static ubi_status find_keys(taken *files, int n) {
    bool marks = true, times = true;
    for (int i = 0; i < n; i++) {
        marks = marks && files[i].id_mark;
        times = times && files[i].time_us;
    }
    if (!marks && !times)
        return ubi__fail(UBI_EINVAL, "--reorder: these files do not say when they were taken");
    for (int i = 0; i < n; i++)
        files[i].key = marks ? files[i].id_mark : files[i].time_us;
    return UBI_OK;
}

static ubi_status series_reorder(taken *files, taken *spare, const ubi__leaks_series *s, ubi__cli *cli) {
    for (int i = 0; i < s->n; i++)
        UBI_TRY(look_at(&files[i], cli, s->paths[i]));
    cli->subject = "leaks";
    UBI_TRY(find_keys(files, s->n));
    sort_taken(files, spare, (size_t)s->n, NULL);
    for (int i = 0; i < s->n; i++)
        s->paths[i] = files[i].path;
    return UBI_OK;
}

ubi_status ubi__leaks_reorder(const ubi__leaks_series *s, ubi__cli *cli) {
    const ubi_allocator *a = ubi_allocator_default();
    size_t n = (size_t)s->n;
    for (int i = 0; i < s->n; i++)
        if (strcmp(s->paths[i], "-") == 0)
            return ubi__fail(UBI_EINVAL, "--reorder reads files twice; standard input can be read only once");
    taken *files = ubi__alloc_array(a, n, sizeof *files), *spare = ubi__alloc_array(a, n, sizeof *spare);
    ubi_status status = files && spare ? series_reorder(files, spare, s, cli) : ubi__fail_nomem();
    ubi__free_array(a, files, n, sizeof *files);
    ubi__free_array(a, spare, n, sizeof *spare);
    return status;
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
static void put_right_order(line *l, const ubi__leaks_series *s, const ubi_leaks *leaks, const char *between) {
    uint32_t rank = 0;
    for (uint32_t i = 0; i < ubi_leaks_heap_count(leaks); i++) {
        bool is_other = ubi_leaks_heap(leaks, i)->fit == UBI_LEAK_OTHER_PROCESS;
        series_put(l, "%s", i ? between : "");
        put_argument(l, s->paths[is_other ? i : heap_of_rank(leaks, rank++)]);
    }
}

static ubi_status fail_order(const ubi__leaks_series *s, const ubi_leaks *leaks, const char *option) {
    char text[380], first[120];
    line l = { text, 0, sizeof text, false };
    put_right_order(&l, s, leaks, option ? "," : " ");
    if (!l.is_cut)
        return ubi__fail(UBI_EINVAL, "%s%snot in the order in which they were taken, which is: %s (--reorder does it)",
                         option ? option : "", option ? ": " : "", text);
    l = (line){ first, 0, sizeof first, false };
    put_argument(&l, s->paths[heap_of_rank(leaks, 0)]);
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
        series_put(l, "%s%.*s", n_put == 0 ? "" : is_last ? " and " : ", ", NAME_BYTES, s->paths[i]);
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

ubi_status ubi__leaks_check_format(const ubi__snapshot *past, const ubi__snapshot *newest) {
    if (strcmp(past->info.format, newest->info.format) == 0)
        return UBI_OK;
    return ubi__fail(
        UBI_EFORMAT,
        "cannot be compared: of different formats, %.*s is %s and %.*s %s; take the originals, or 'ubiheap "
        "convert' all to one format",
        NAME_BYTES, past->path, past->info.format, NAME_BYTES, newest->path, newest->info.format);
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
            n == 1 ? "is" : "are", NAME_BYTES, s->paths[s->n - 1]);
    else if (all_renew_ids(leaks))
        series_put(&l, " %s no id of %.*s; the program gives new ids in each snapshot: use 'ubiheap diff --by class'",
                   n == 1 ? "has" : "have", NAME_BYTES, s->paths[s->n - 1]);
    else
        series_put(&l, " %s of another process than %.*s", n == 1 ? "is" : "are", NAME_BYTES, s->paths[s->n - 1]);
    return out;
}
