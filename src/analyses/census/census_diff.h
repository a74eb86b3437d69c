/* SPDX-License-Identifier: MIT
 *
 * census_diff.h: the inside of a census diff.
 *
 * A delta is little more than two reports, one of which may be missing: numbers are subtracted when they are read. All
 * deltas are in one array, the outermost at 0, the parts of each side by side, breadth-first.
 */
#ifndef UBI_CENSUS_CENSUS_DIFF_H
#define UBI_CENSUS_CENSUS_DIFF_H

#include <ubiheap/core/diff.h>

#include "analyses/census/report.h"

struct ubi_delta {
    const ubi_census_diff *diff;
    const ubi_report *start, *end; /* at least one */
    uint32_t place;                /* among the entries of the parent's start, or, without `start`, of its end */
    uint32_t first, n;             /* its parts: diff->deltas[first .. first + n) */
};

UBI_VEC_DECLARE(ubi__vec_delta, ubi_delta);

struct ubi_census_diff {
    const ubi_allocator *allocator;
    ubi_compat compat;
    ubi__vec_delta deltas;
    int64_t basis_count, basis_bytes;
};

/** Deltas are breadth-first; a part is that entry of its parent's reports that its place says. O(deltas). */
void ubi__census_diff_check(const ubi_census_diff *diff);

#endif
