/* SPDX-License-Identifier: MIT
 *
 * snapshot_room.c: see snapshot_room.h.
 */
#include "cdp/snapshot_room.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>

#include "base/human.h"
#include "base/memory_limits.h"
#include "base/status.h"

/* Half of what tiny objects take: most programs have larger ones, too. */
#define PER_SMALL_BYTE 8
#define PER_LARGE_BYTE 2

static uint64_t product(uint64_t bytes, uint64_t times) {
    return bytes > UINT64_MAX / 4 / times ? UINT64_MAX / 4 : bytes * times;
}

uint64_t ubi__snapshot_need(uint64_t small_bytes, uint64_t large_bytes) {
    return product(small_bytes, PER_SMALL_BYTE) + product(large_bytes, PER_LARGE_BYTE);
}

/* UINT64_MAX: the system does not say. */
static uint64_t available_read(const char *root) {
    char path[PATH_MAX], line[128];
    uint64_t kib = UINT64_MAX;
    snprintf(path, sizeof path, "%s/proc/meminfo", root);
    FILE *file = fopen(path, "re");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "MemAvailable: %" SCNu64 " kB", &kib) == 1)
            break;
    if (file)
        fclose(file);
    return kib > UINT64_MAX >> 10 ? UINT64_MAX : kib << 10;
}

void ubi__snapshot_room_left(ubi__snapshot_room *room, const char *root, pid_t pid) {
    room->left_bytes = available_read(root);
    room->left_where = "the machine";
    if (!pid)
        return;
    ubi__memory_limit limit = ubi__memory_limit_read(pid);
    if (ubi__memory_room(&limit) < room->left_bytes) {
        room->left_bytes = ubi__memory_room(&limit);
        room->left_where = limit.name;
    }
}

ubi_status ubi__snapshot_room_check(const ubi__snapshot_room *room) {
    char need[UBI__HUMAN_TEXT], left[UBI__HUMAN_TEXT];
    if (room->need_bytes <= room->left_bytes)
        return UBI_OK;
    return ubi__fail(UBI_ESTATE,
                     "a snapshot would take the program about %s while it is made, and %s has %s left: it could be "
                     "killed; --force takes one in any case",
                     ubi__human_size(need, room->need_bytes), room->left_where,
                     ubi__human_size(left, room->left_bytes));
}
