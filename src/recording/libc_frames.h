/* SPDX-License-Identifier: MIT
 *
 * libc_frames.h: what the C library asks for memory for: its caller, who gets it, or itself, for as long as the process runs.
 *
 * Almost all of its functions hand out what they ask for, and are looked behind like other wrappers. Some keep tables: of locales,
 * time zones, users and hosts, of loaded libraries. That is told by the names of functions in the stack, all of which are exported, so that
 * nothing but the library itself is needed; where it has no symbols of its own, its other functions have no names, and belong to those
 * that called them.
 */
#ifndef UBI_RECORDING_LIBC_FRAMES_H
#define UBI_RECORDING_LIBC_FRAMES_H

#include "recording/ubirec_tables.h"

/** What keeps memory until the process ends. */
typedef enum ubi__libc_pool {
    UBI__LIBC_NO_POOL,
    UBI__LIBC_LOADER,
    UBI__LIBC_LOCALES,
    UBI__LIBC_ENVIRONMENT,
    UBI__LIBC_NAMES,
    UBI__LIBC_TIME_ZONES,
    UBI__LIBC_MESSAGES,
    UBI__LIBC_THREADS,
    UBI__LIBC_CONVERSIONS,
    UBI__LIBC_STDIO,
    UBI__LIBC_OTHERS,
    UBI__LIBC_POOL_COUNT
} ubi__libc_pool;

/** Such as "libc's tables of locales"; NULL for none. */
const char *ubi__libc_pool_words(ubi__libc_pool pool);

/** What a frame of the C library says of the memory that is asked for below it. */
typedef struct ubi__libc_frame {
    bool is_libc;         /* else nothing else is set */
    bool is_start;        /* it starts the program: nobody called it */
    bool decides;         /* the function is known; else it does what its caller does */
    ubi__libc_pool own;   /* of what it asks for itself */
    ubi__libc_pool inner; /* of what functions ask for that it calls */
} ubi__libc_frame;

/** Cost: O(functions that are known). */
ubi__libc_frame ubi__libc_frame_of(const ubi__ubirec_tables *t, uint32_t frame);

#endif
