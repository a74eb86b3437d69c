/* SPDX-License-Identifier: MIT
 *
 * run_room.c: see run_room.h.
 */
#include "cli/commands/run/run_room.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "base/human.h"
#include "base/status.h"

/* What an empty program, the buffers of the writer and their stacks take, and a rest below which the system is at its end. */
#define FIXED_BYTES (UINT64_C(12) << 20)
#define REST_BYTES (UINT64_C(4) << 20)
/* Percent of a heap that it takes beside its own bytes: gaps between blocks, and the tables of allocation sites, which double.
 * Estimates with a margin, not measured one by one; tests/quickjs/run_limits_test.py tries their sum. */
#define GAPS_PERCENT 30
#define SITES_PERCENT 70
/* Percent of a heap that walking and writing take; an estimate, too. */
#define WALK_PERCENT 30
/* A heap smaller than this is no use. */
#define LEAST_HEAP_BYTES (UINT64_C(1) << 20)
#define LOOK_EVERY_US 10000

static uint64_t percent_of(uint64_t bytes, uint64_t percent) {
    return bytes / 100 * percent;
}

static uint64_t whole_percent(const ubi__run_settings *settings) {
    return 100 + GAPS_PERCENT + WALK_PERCENT + (settings->with_sites ? SITES_PERCENT : 0);
}

static ubi_status room_refuse(const ubi__run_room *room, uint64_t least_bytes) {
    char limit[UBI__HUMAN_TEXT], used[UBI__HUMAN_TEXT], least[UBI__HUMAN_TEXT];
    return ubi__fail(
        UBI_EINVAL,
        "--snapshot-on-oom: no room for a snapshot: the limit of %s is %s, of which %s are in use; expected "
        "at least %s more",
        room->limit.name, ubi__human_size(limit, room->limit.limit_bytes),
        ubi__human_size(used, room->limit.used_bytes), ubi__human_size(least, least_bytes));
}

/* Populated, or there is none. */
static void *pages_take(size_t n) {
    void *p = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

ubi_status ubi__run_room_open(ubi__run_room *room, ubi__run_settings *settings) {
    *room = (ubi__run_room){ .limit = { NULL, 0, 0 } };
    if (!settings->wants_snapshot[UBI__RUN_AT_OOM])
        return UBI_OK;
    room->limit = ubi__memory_limit_read(0);
    if (!room->limit.name)
        return UBI_OK;
    uint64_t room_bytes = ubi__memory_room(&room->limit),
             least_bytes = FIXED_BYTES + REST_BYTES + percent_of(LEAST_HEAP_BYTES, whole_percent(settings));
    if (room_bytes < least_bytes)
        return room_refuse(room, least_bytes);
    room->heap_bytes = (room_bytes - FIXED_BYTES - REST_BYTES) / whole_percent(settings) * 100;
    uint64_t largest_bytes = room->heap_bytes;
    if (settings->heap_limit_bytes && settings->heap_limit_bytes < largest_bytes)
        largest_bytes = settings->heap_limit_bytes;
    if (settings->heap_limit_bytes == 0)
        settings->heap_limit_bytes = room->heap_bytes;
    room->reserve_bytes = (size_t)(percent_of(largest_bytes, WALK_PERCENT) + FIXED_BYTES / 2) & ~(size_t)4095;
    room->reserve = pages_take(room->reserve_bytes);
    return room->reserve ? UBI_OK : room_refuse(room, least_bytes);
}

bool ubi__run_room_words(const ubi__run_room *room, const ubi__run_settings *settings, char *out, size_t size) {
    char limit[UBI__HUMAN_TEXT], heap[UBI__HUMAN_TEXT];
    if (!room->limit.name)
        return false;
    ubi__human_size(limit, room->limit.limit_bytes);
    ubi__human_size(heap, room->heap_bytes);
    if (settings->heap_limit_bytes == room->heap_bytes)
        snprintf(out, size, "the limit of %s is %s: the program's heap may grow to %s, the rest is for a snapshot",
                 room->limit.name, limit, heap);
    else if (settings->heap_limit_bytes > room->heap_bytes)
        snprintf(out, size,
                 "the limit of %s is %s: --heap-limit may leave no room for a snapshot; with %s there is enough",
                 room->limit.name, limit, heap);
    else
        return false;
    return true;
}

void ubi__run_room_release(ubi__run_room *room) {
    if (room->reserve)
        munmap(room->reserve, room->reserve_bytes);
    room->reserve = NULL;
}

bool ubi__run_room_ends(ubi__run_room *room, uint64_t now_us) {
    if (!room->reserve || now_us < room->next_look_us)
        return false;
    room->next_look_us = now_us + LOOK_EVERY_US;
    ubi__memory_limit limit = ubi__memory_limit_read(0);
    return limit.name && ubi__memory_room(&limit) < REST_BYTES;
}
