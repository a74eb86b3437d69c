/* SPDX-License-Identifier: MIT
 *
 * leak_heaps.h: leaks of drawn heaps (drawing.h), for tests.
 *
 * A result is written as one line per cluster, joined by "; ":
 *
 *     verdict class count retained [in holder[*holders]] [new] [+older/younger] [with class count, ...]
 */
#ifndef UBI_TESTS_LEAK_HEAPS_H
#define UBI_TESTS_LEAK_HEAPS_H

#include <ubiheap/core/leaks.h>

typedef struct leak_heaps {
    ubi_graph *old, *new, *newest; /* `new` may be NULL */
} leak_heaps;

/** @param newer  NULL: there are two heaps. */
leak_heaps leak_heaps_draw(const char *old, const char *new, const char *newer);
void leak_heaps_free(leak_heaps *h);
/** A finder of the newest heap, and steps of it: drawn, or OLD again. */
ubi_status leak_finder_try(ubi_leak_finder **out, const leak_heaps *h, const ubi_leak_options *options);
ubi_leak_finder *leak_finder_of(const leak_heaps *h);
void leak_finder_compare_drawing(ubi_leak_finder *finder, uint32_t step, const char *text);
ubi_status leak_finder_compare_old(ubi_leak_finder *finder, uint32_t step, const leak_heaps *h);
/** Leaks of a series, the newest last; heaps are freed afterwards, but the newest, which is passed out. */
ubi_leaks *leak_series_find(ubi_graph **out_newest, const char *const *drawings, uint32_t n,
                            const ubi_leak_options *options);
/** What leaked; classes are those of name_scheme. */
ubi_status leak_heaps_try(ubi_leaks **out, const leak_heaps *h, const ubi_leak_options *options);
ubi_leaks *leak_heaps_find(const leak_heaps *h, const ubi_leak_options *options);
void leak_heaps_assert(const leak_heaps *h, const ubi_leak_options *options, const char *expected);
/** Draws, finds and compares. */
void assert_leaks(const char *old, const char *new, const char *newer, const char *expected);

/** `before`, then `item` with its %s replaced by from, from + 1, ... to - 1, then `after`: long drawings. From malloc. */
char *repeat_drawing(const char *before, const char *item, int from, int to, const char *after);

#endif
