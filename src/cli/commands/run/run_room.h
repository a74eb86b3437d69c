/* SPDX-License-Identifier: MIT
 *
 * run_room.h: memory for a snapshot of a program that has used up the rest (--snapshot-on-oom).
 *
 * The kernel ends a process at the limit of its control group without a word, and at that of its address space there is
 * nothing left to walk a heap with. So the engine gets a limit of its own, below the system's, at which it refuses memory
 * while there is enough for a snapshot; a part of that is taken at the start, so that it is there whatever others do.
 */
#ifndef UBI_CLI_RUN_ROOM_H
#define UBI_CLI_RUN_ROOM_H

#include "base/memory_limits.h"
#include "cli/commands/run/run_settings.h"

typedef struct ubi__run_room {
    ubi__memory_limit limit; /**< at the start; without a name: none, and nothing else here */
    uint64_t heap_bytes;     /**< the most that a heap may be for a snapshot of it to be sure */
    void *reserve;           /**< of reserve_bytes, all in memory; NULL: none, or given back */
    size_t reserve_bytes;
    uint64_t next_look_us;
} ubi__run_room;

/**
 * Looks for the limits of the system, lowers the engine's to fit (settings->heap_limit_bytes) and takes the reserve.
 * Nothing without --snapshot-on-oom. Errors: UBI_EINVAL: there is no room for a snapshot.
 */
ubi_status ubi__run_room_open(ubi__run_room *room, ubi__run_settings *settings);
/** What to tell the user about that, in a line of at most `size` bytes; false: nothing. */
bool ubi__run_room_words(const ubi__run_room *room, const ubi__run_settings *settings, char *out, size_t size);
/** Gives the reserve back, for a snapshot. */
void ubi__run_room_release(ubi__run_room *room);
/** Whether the process is about to reach the system's limit, though its heap is not at the engine's. Looks now and then. */
bool ubi__run_room_ends(ubi__run_room *room, uint64_t now_us);

#endif
