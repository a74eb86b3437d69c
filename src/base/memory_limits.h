/* SPDX-License-Identifier: MIT
 *
 * memory_limits.h: what the system lets a process have: the limits of its control groups (version 1 and 2) and of its
 * address space.
 *
 * Of several limits the one with the least room counts. Memory of files that the kernel can drop is not in use. In a
 * container the groups outside of it cannot be seen, nor their limits.
 */
#ifndef UBI_BASE_MEMORY_LIMITS_H
#define UBI_BASE_MEMORY_LIMITS_H

#include <limits.h>
#include <sys/types.h>

#include <ubiheap/core/base.h>

#include "base/server_api.h"

typedef struct ubi__memory_limit {
    const char *name;                 /**< NULL: no limit; else "the control group", "the address space (ulimit -v)" */
    uint64_t limit_bytes, used_bytes; /**< with a name; used_bytes is at most limit_bytes */
} ubi__memory_limit;

/** Each kind of its own: what a limit of the group leaves may be more than enough where the address space is short. */
typedef struct ubi__memory_limits {
    ubi__memory_limit group, address_space;
} ubi__memory_limits;

/** Versions of control groups. */
enum { UBI__MEMORY_VERSIONS = 2 };

/** Where the files of a process's groups are: for a program that looks often, and finds them now and then. */
typedef struct ubi__memory_places {
    const char *root; /* before the paths of all files; a test has another than "" */
    pid_t pid;
    struct {
        char folder[PATH_MAX]; /* empty: there is none */
        size_t top;            /* folder[..top] is the mount point */
    } groups[UBI__MEMORY_VERSIONS];
} ubi__memory_places;

/** Cost: /proc/PID/cgroup and /proc/self/mountinfo, which may be long. */
void ubi__memory_places_find(ubi__memory_places *out, const char *root, pid_t pid);
/** @param enough_bytes  where a group has this much room with what the kernel can drop counted as used, that is not looked at. */
ubi__memory_limits ubi__memory_limits_look(const ubi__memory_places *places, uint64_t enough_bytes);

/** Of a process, 0 for this one. No limit if /proc does not say. No memory is allocated. Cost: some small files of /proc and /sys. */
ubi__memory_limits ubi__memory_limits_read(pid_t pid);
/** The one of them with the least room. */
UBI__SERVER_API ubi__memory_limit ubi__memory_limit_read(pid_t pid);

static inline uint64_t ubi__memory_room(const ubi__memory_limit *limit) {
    return limit->name ? limit->limit_bytes - limit->used_bytes : UINT64_MAX;
}

#endif
