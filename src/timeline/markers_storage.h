/* SPDX-License-Identifier: MIT
 *
 * markers_storage.h: the storage of an observed target: a cursor in each log, and STARTs that wait for their ENDs.
 *
 * The target's own thread's chunks are its main list, those of other threads the list of markers off the main thread. Popping
 * takes what follows the cursors with the lock, and reads it without: kinds are asked while no lock is held.
 */
#ifndef UBI_TIMELINE_MARKERS_STORAGE_H
#define UBI_TIMELINE_MARKERS_STORAGE_H

#include "timeline/marker_log.h"
#include "timeline/marker_pairing.h"

UBI_VEC_DECLARE(ubi__cursors, ubi__cursor);

struct ubi_markers_storage {
    ubi_markers_storage *next; /* observed before it */
    ubi_timeline_target *target;
    ubi__cursors cursors; /* by the number of the log, one for each */
    uint64_t n_lost;      /* not reported yet */
    uint64_t n_unlogged;  /* of the process, counted already */
    uint32_t number;      /* its target's */
    uint64_t thread;      /* its main thread's */
    bool is_popping;
    ubi_marker_pairing pairing;
};

/** Observed from now on; put in front of the others. Errors: UBI_ENOMEM. */
ubi_status ubi__storage_new(ubi_markers_storage **out, ubi_timeline_target *target, uint32_t number, bool per_thread);
/** Out of the list, and what it had. */
void ubi__storage_free(ubi_markers_storage *storage);
/** With the lock: there is a log more, the last. Errors: UBI_ENOMEM. */
ubi_status ubi__storages_follow(void);
/** In a child after fork, with the lock: nothing is observed. */
void ubi__storages_orphan(void);
/** Frees what was observed before the fork. */
void ubi__storages_free_orphans(void);
/** With the lock: a chunk goes, which the storage may not have seen. @param before  the one before it; NULL: it is the oldest. */
void ubi__storage_lose(ubi_markers_storage *storage, uint32_t log_number, ubi__chunk *before, const ubi__chunk *chunk);
/** With the lock: the record of that chunk, the log's newest, up to which every storage has read. */
const ubi__record *ubi__storages_read_up_to(uint32_t log_number, const ubi__chunk *chunk);
/** Whether the storage wants the record. */
static inline bool ubi__storage_wants(const ubi_markers_storage *storage, const ubi__record *record) {
    return !record->is_point && (record->target == 0 || record->target == storage->number);
}
ubi_status ubi__storage_pop(ubi_timeline_markers **out, ubi_markers_storage *storage, bool with_open);

#endif
