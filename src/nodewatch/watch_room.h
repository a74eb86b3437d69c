/* SPDX-License-Identifier: MIT
 *
 * watch_room.h: when memory is so short that a snapshot must be taken now.
 *
 * With its blocks in a file (spill.h) a snapshot needs, of a control group's memory, what keeps it quick: the tables that V8 looks objects
 * up in, and pages to come and go. Of addresses it needs all of its blocks. A reserve that the user gives replaces the first.
 */
#ifndef UBI_NODEWATCH_WATCH_ROOM_H
#define UBI_NODEWATCH_WATCH_ROOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory_limits.h"

typedef struct ubi__watch_room {
    ubi__memory_limit limit; /* what is short */
    uint64_t needed_bytes;   /* of it, by a snapshot */
    bool is_short;           /* else nothing is */
} ubi__watch_room;

/** It is short exactly if less is left than a snapshot needs. */
void ubi__watch_room_check(const ubi__watch_room *room);
/** @param heap_bytes  of the heap that the snapshot would be of. @param reserve_bytes  of the user; 0: none. */
ubi__watch_room ubi__watch_room_look(uint64_t heap_bytes, uint64_t reserve_bytes);
/** Without a limit UINT64_MAX. */
uint64_t ubi__watch_room_of_addresses(void);
/** Bytes of addresses that blocks of a snapshot may have. */
size_t ubi__watch_room_addresses(void);

/** A number of bytes, perhaps with K, M or G for powers of 1,024. @return 0: it is not one. */
uint64_t ubi__watch_size_read(const char *text);

#endif
