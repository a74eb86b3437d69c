/* SPDX-License-Identifier: MIT
 *
 * watch_room.c: see watch_room.h.
 */
#include "nodewatch/watch_room.h"

#include <ctype.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "base/assert.h"

#define MIB ((uint64_t)1 << 20)
/* What a heap may grow by from one collection to the next, after which we look: V8's young generation. */
#define YOUNG_BYTES (24 * MIB)
/* Percent of the heap that a snapshot works on at a time, with objects of 60 bytes: mostly tables that V8 looks objects up in, in no order.
 * With half as much the kernel reads each page back twenty times. */
#define TABLES_PERCENT 400
/* All of a snapshot's blocks, with the smallest objects. */
#define BLOCKS_PERCENT 1300
/* More than the largest snapshot; less than what a process has. */
#define UNLIMITED_ADDRESS_BYTES ((uint64_t)1 << 40)
#define FIND_AFTER_S 2
/* For what else the program maps meanwhile. */
#define ADDRESSES_LEFT_BYTES (32 * MIB)

static uint64_t percent_of(uint64_t bytes, uint64_t percent) {
    return bytes / 100 * percent;
}

/* A process that is moved to another group is rare; most looks take the places from before. */
static ubi__memory_limits limits_look(uint64_t enough_bytes) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static ubi__memory_places places;
    static time_t found_s;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    pthread_mutex_lock(&lock);
    if (!places.root || now.tv_sec - found_s >= FIND_AFTER_S) {
        ubi__memory_places_find(&places, "", 0);
        found_s = now.tv_sec;
    }
    ubi__memory_limits limits = ubi__memory_limits_look(&places, enough_bytes);
    pthread_mutex_unlock(&lock);
    return limits;
}

void ubi__watch_room_check(const ubi__watch_room *room) {
    UBI_ASSERT(room->needed_bytes > 0 || !room->is_short);
    UBI_ASSERT(room->is_short == (ubi__memory_room(&room->limit) < room->needed_bytes));
}

static ubi__watch_room room_of(const ubi__memory_limit *limit, uint64_t needed_bytes) {
    ubi__watch_room room = { *limit, needed_bytes, ubi__memory_room(limit) < needed_bytes };
    ubi__watch_room_check(&room);
    return room;
}

ubi__watch_room ubi__watch_room_look(uint64_t heap_bytes, uint64_t reserve_bytes) {
    uint64_t grown_bytes = heap_bytes + YOUNG_BYTES,
             group_bytes = reserve_bytes ? reserve_bytes : percent_of(grown_bytes, TABLES_PERCENT),
             address_bytes = percent_of(grown_bytes, BLOCKS_PERCENT);
    ubi__memory_limits limits = limits_look(group_bytes);
    ubi__watch_room group = room_of(&limits.group, group_bytes);
    ubi__watch_room addresses = room_of(&limits.address_space, address_bytes);
    return addresses.is_short && !group.is_short ? addresses : group;
}

uint64_t ubi__watch_room_of_addresses(void) {
    ubi__memory_limits limits = limits_look(0);
    return ubi__memory_room(&limits.address_space);
}

size_t ubi__watch_room_addresses(void) {
    ubi__memory_limits limits = ubi__memory_limits_read(0);
    uint64_t room_bytes = ubi__memory_room(&limits.address_space);
    if (!limits.address_space.name)
        return UNLIMITED_ADDRESS_BYTES;
    uint64_t bytes = room_bytes > 2 * ADDRESSES_LEFT_BYTES ? room_bytes - ADDRESSES_LEFT_BYTES : room_bytes / 2;
    UBI_ASSERT(bytes <= room_bytes && room_bytes - bytes <= ADDRESSES_LEFT_BYTES + 1);
    return bytes;
}

uint64_t ubi__watch_size_read(const char *text) {
    char *end;
    unsigned long long n = strtoull(text, &end, 10);
    const int shifts[] = { ['K'] = 10, ['M'] = 20, ['G'] = 30 };
    unsigned letter = (unsigned)toupper((unsigned char)*end);
    int shift = letter < sizeof shifts / sizeof *shifts ? shifts[letter] : 0;
    if (!isdigit((unsigned char)*text) || (*end && !shift) || n > UINT64_MAX >> shift)
        return 0;
    return n << shift;
}
