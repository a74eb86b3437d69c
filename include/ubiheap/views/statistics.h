/* SPDX-License-Identifier: MIT
 *
 * ubiheap/views/statistics.h: what a heap consists of, in a few numbers that add up.
 *
 *     ubi_statistics statistics;
 *     ubi_statistics_compute(&statistics, look, NULL);
 *     for (uint32_t i = 0; i < statistics.n_parts; i++)
 *         printf("%s: %" PRIu64 "\n", statistics.parts[i].title, statistics.parts[i].size_bytes);
 *
 * V8: the Statistics of Chrome's DevTools: code, strings, arrays, typed arrays, the engine's own things, other JavaScript
 * objects, and memory outside of the JavaScript heap. Others: by coarse type, what the root reaches.
 */
#ifndef UBIHEAP_STATISTICS_H
#define UBIHEAP_STATISTICS_H

#include <ubiheap/core/base.h>
#include <ubiheap/views/lens.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A part of a heap. */
typedef struct ubi_statistics_part {
    const char *name;  /**< for scripts, such as "typedArrays"; static */
    const char *title; /**< in the tool's own words; static */
    uint64_t size_bytes;
    uint64_t count; /**< nodes with a size that it consists of */
} ubi_statistics_part;

#define UBI_STATISTICS_MAX_PARTS 8

/** A plain value: nothing to free. */
typedef struct ubi_statistics {
    uint32_t struct_bytes;                               /**< UBI_STATISTICS_INIT */
    uint64_t total_bytes;                                /**< of all parts */
    uint64_t native_bytes;                               /**< of it outside of the JavaScript heap (V8) */
    ubi_statistics_part parts[UBI_STATISTICS_MAX_PARTS]; /**< in the tool's own order */
    uint32_t n_parts;
} ubi_statistics;

#define UBI_STATISTICS_INIT                                                                                            \
    { .struct_bytes = sizeof(ubi_statistics) }

typedef struct ubi_statistics_options {
    uint32_t version; /**< UBI_STATISTICS_OPTIONS_VERSION */
    const ubi_allocator *allocator;
    ubi_progress progress; /**< stage "adding up" */
} ubi_statistics_options;

#define UBI_STATISTICS_OPTIONS_VERSION 1
#define UBI_STATISTICS_OPTIONS_INIT                                                                                    \
    { .version = UBI_STATISTICS_OPTIONS_VERSION }

/**
 * Adds up sizes as the look sees them; its filter does not matter, as in DevTools.
 *
 * Sums are modulo 2^64. A store of elements counts for an array and not as what it is; in a file that makes such a store
 * something else than V8 does, the parts may be more than the total, and then the last of them gets nothing.
 *
 * @param out  untouched on failure.
 * Cost: O(nodes + edges) time, three bits per node. Errors: UBI_EINVAL (options), UBI_ENOMEM, UBI_ECANCELLED.
 * Source: calculateStatistics of front_end/entrypoints/heap_snapshot_worker/HeapSnapshot.ts in Chrome's DevTools.
 */
UBI_API ubi_status ubi_statistics_compute(ubi_statistics *out, const ubi_look *look,
                                          const ubi_statistics_options *options);

#ifdef __cplusplus
}
#endif
#endif
