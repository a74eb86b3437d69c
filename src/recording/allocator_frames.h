/* SPDX-License-Identifier: MIT
 *
 * allocator_frames.h: functions at the inner end of a stack that only pass a request for memory on: allocators, wrappers of
 * them that everybody knows, containers of standard libraries. Who wants to know where memory is asked for begins to read
 * behind them.
 */
#ifndef UBI_RECORDING_ALLOCATOR_FRAMES_H
#define UBI_RECORDING_ALLOCATOR_FRAMES_H

#include "base/text.h"

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

#endif
