/* SPDX-License-Identifier: MIT
 *
 * indexing.h: indexes that a server writes behind its answers.
 *
 * The first answer about a large heap computes most of what an index holds. When it is given, an errand of the desk writes the index, where
 * the heap's session has a place for one: the next server, or a command, opens the heap at once.
 */
#ifndef UBI_JOBS_INDEXING_H
#define UBI_JOBS_INDEXING_H

#include "jobs/desk.h"
#include "jobs/shelf.h"

/** Smaller files are analysed as fast as an index is opened. */
#define UBI__INDEXING_LEAST_BYTES ((uint64_t)8 << 20)

/**
 * What follows an answer about heaps[n], n > 0: hands in the errand, "index", once for each heap; what goes wrong is the errand's to report.
 * Nothing for small files, for those that are deleted when their heap is closed, and for sessions that look for no index.
 * @param desk  borrowed as long as it lasts. @param heaps  gets references. Errors: UBI_ENOMEM.
 */
ubi_status ubi__indexing_sequel(ubi__desk_sequel *out, ubi__desk *desk, const ubi__shelf_heap *const *heaps,
                                uint32_t n);

#endif
