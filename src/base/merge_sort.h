/* SPDX-License-Identifier: MIT
 *
 * merge_sort.h: a stable sort, generated per element type.
 *
 * Stable because the order of census trees is (JavaScript's Array.sort is), with memory from the caller because ours
 * comes from a ubi_allocator. Short runs by insertion, then bottom-up merging: O(n log n) on any input, O(n)
 * comparisons on sorted input.
 */
#ifndef UBI_BASE_MERGE_SORT_H
#define UBI_BASE_MERGE_SORT_H

#include <stddef.h>
#include <string.h>

#include "base/assert.h"

#define UBI_SORT_RUN 16

/**
 * Defines `static void name(type *at, type *spare, size_t n, context ctx)`; `spare` has room for n elements.
 * `before(ctx, a, b)` (a function or macro, a and b values) says whether a must come before b.
 */
#define UBI_SORT_DEFINE(name, type, context, before)                                                                   \
    static void name##_run(type *at, size_t n, context ctx) {                                                          \
        (void)ctx;                                                                                                     \
        for (size_t i = 1; i < n; i++) {                                                                               \
            type value = at[i];                                                                                        \
            size_t j = i;                                                                                              \
            for (; j > 0 && before(ctx, value, at[j - 1]); j--)                                                        \
                at[j] = at[j - 1];                                                                                     \
            at[j] = value;                                                                                             \
        }                                                                                                              \
    }                                                                                                                  \
    /* Merges from[0..middle) and from[middle..n) into `to`. */                                                        \
    static void name##_merge(type *to, const type *from, size_t middle, size_t n, context ctx) {                       \
        (void)ctx;                                                                                                     \
        if (middle >= n || !before(ctx, from[middle], from[middle - 1])) {                                             \
            memcpy(to, from, n * sizeof *to);                                                                          \
            return;                                                                                                    \
        }                                                                                                              \
        size_t left = 0, right = middle;                                                                               \
        for (size_t i = 0; i < n; i++) {                                                                               \
            bool take_right = right < n && (left >= middle || before(ctx, from[right], from[left]));                   \
            to[i] = take_right ? from[right++] : from[left++];                                                         \
        }                                                                                                              \
    }                                                                                                                  \
    static void name(type *at, type *spare, size_t n, context ctx) {                                                   \
        for (size_t i = 0; i < n; i += UBI_SORT_RUN)                                                                   \
            name##_run(at + i, n - i < UBI_SORT_RUN ? n - i : UBI_SORT_RUN, ctx);                                      \
        type *from = at, *to = spare;                                                                                  \
        for (size_t width = UBI_SORT_RUN; width < n; width *= 2) {                                                     \
            for (size_t i = 0; i < n; i += 2 * width) {                                                                \
                size_t length = n - i < 2 * width ? n - i : 2 * width;                                                 \
                name##_merge(to + i, from + i, width < length ? width : length, length, ctx);                          \
            }                                                                                                          \
            type *swap = from;                                                                                         \
            from = to;                                                                                                 \
            to = swap;                                                                                                 \
        }                                                                                                              \
        if (from != at && n)                                                                                           \
            memcpy(at, from, n * sizeof *at);                                                                          \
        for (size_t i = 1; UBI_CHECKS && i < n; i++)                                                                   \
            UBI_ASSERT(!before(ctx, at[i], at[i - 1]));                                                                \
    }                                                                                                                  \
    struct ubi__swallow_semicolon

#endif
