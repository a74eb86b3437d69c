/* SPDX-License-Identifier: MIT
 *
 * snapshot_room.h: whether a program has room for the snapshot that it is asked for.
 *
 * V8 builds the whole snapshot in memory, beside the heap, before the first byte is sent: some 470 bytes for each object, which is up to 15 times a
 * heap of small objects (measured with Node.js 20), and twice what is in large ones. A program that has not so much is ended by the kernel.
 */
#ifndef UBI_CDP_SNAPSHOT_ROOM_H
#define UBI_CDP_SNAPSHOT_ROOM_H

#include <sys/types.h>

#include <ubiheap/core/base.h>

typedef struct ubi__snapshot_room {
    uint64_t need_bytes;    /**< about what a snapshot takes; of a heap of tiny objects it may be twice that */
    uint64_t left_bytes;    /**< what may still be used; UINT64_MAX: unknown */
    const char *left_where; /**< "the machine", or as of memory_limits.h; static */
} ubi__snapshot_room;

/** About what a snapshot of a heap takes. @param small_bytes  in all objects but the large ones. */
uint64_t ubi__snapshot_need(uint64_t small_bytes, uint64_t large_bytes);

/**
 * What is left on this machine, and to a process.
 * @param root  before the path of /proc/meminfo; a test has another than "". @param pid  0: only the machine is looked at.
 * No memory is allocated. Cost: some small files of /proc and /sys.
 */
void ubi__snapshot_room_left(ubi__snapshot_room *room, const char *root, pid_t pid);

/** UBI_ESTATE: it could be ended. */
ubi_status ubi__snapshot_room_check(const ubi__snapshot_room *room);

#endif
