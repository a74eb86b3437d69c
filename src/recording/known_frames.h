/* SPDX-License-Identifier: MIT
 *
 * known_frames.h: functions at the inner end of a stack that are known by name: those that only pass a request for memory on,
 * and those of the C library that keep what they ask for.
 */
#ifndef UBI_RECORDING_KNOWN_FRAMES_H
#define UBI_RECORDING_KNOWN_FRAMES_H

#include "base/text.h"
#include "recording/ubirec_tables.h"

/* ---- allocators -------------------------------------------------------------------------------------------------- */

typedef enum ubi__allocator_role {
    UBI__NO_ALLOCATOR,
    UBI__CONTAINER, /* passes requests on, and calls other code as well: of its callees, only the next one is known */
    UBI__ALLOCATOR  /* all that it calls belongs to the allocator */
} ubi__allocator_role;

/**
 * By name: listed, or a C function named like malloc, calloc, realloc, strdup and kin, with anything before (`my_malloc`).
 * @param function  demangled name, with or without parameters and return type.
 */
ubi__allocator_role ubi__allocator_role_of(ubi_text function);

/* ---- the C library ----------------------------------------------------------------------------------------------- */

/*
 * Almost all functions of the C library hand out what they ask for, so their callers count, as those of other wrappers. Some keep
 * tables: of locales, time zones, users and hosts, of loaded libraries. That is recognized by the names of functions in the stack, all of
 * which are exported, so that nothing but the library itself is needed; where it has no symbols of its own, its other functions
 * have no names, and belong to those that called them.
 */

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
    bool is_start;        /* it starts the program: no caller */
    bool is_known;        /* the function is known; else it does what its caller does */
    ubi__libc_pool own;   /* of what it asks for itself */
    ubi__libc_pool inner; /* of what functions ask for that it calls */
} ubi__libc_frame;

/** Cost: O(functions that are known). */
ubi__libc_frame ubi__libc_frame_of(const ubi__ubirec_tables *t, uint32_t frame);

#endif
