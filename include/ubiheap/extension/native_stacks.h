/* SPDX-License-Identifier: MIT
 *
 * ubiheap/extension/native_stacks.h: stacks of native frames of this process, by number.
 *
 * For tools that run inside of a program and note where it did something. A stack is read by the tables that compilers write for
 * exceptions, so no frame pointers are needed; equal stacks have equal numbers, and names are looked up when they are asked for.
 *
 * Threads: for one at a time.
 * Source: docs/explanation/native-stacks.md.
 */
#ifndef UBIHEAP_NATIVE_STACKS_H
#define UBIHEAP_NATIVE_STACKS_H

#include <ubiheap/core/base.h>
#include <ubiheap/core/profiler.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ubi_native_stacks ubi_native_stacks;

/** @param allocator  NULL: the default. Errors: UBI_ENOMEM. */
UBI_API ubi_status ubi_native_stacks_new(ubi_native_stacks **out, const ubi_allocator *allocator);
UBI_API void ubi_native_stacks_free(ubi_native_stacks *stacks); /**< NULL is fine */

/**
 * The number of the stack that calls this, from 1; 0: there is no memory for it.
 * @param hook_frame  frames that end below this address of the stack are left out: __builtin_frame_address(0) of the caller
 *                    leaves out all up to the caller itself.
 * Cost: some tens of nanoseconds per frame.
 */
UBI_API uint32_t ubi_native_stacks_capture(ubi_native_stacks *stacks, uintptr_t hook_frame);

/** Names of native frames by return address, as in ubi_profiler_options. */
typedef struct ubi_native_names {
    ubi_status (*name_address)(void *payload, uintptr_t return_address, ubi_profiler_name_fn name, void *name_payload);
    void *payload;
} ubi_native_names;

/**
 * The frames of a stack, innermost first; inlined functions are frames of their own.
 * @param stack  a number that ubi_native_stacks_capture gave; 0 has no frames.
 * @param names  NULL, or where it gives none: the module and the offset in it.
 * Errors: UBI_ENOMEM, or what naming or `fn` says.
 */
UBI_API ubi_status ubi_native_stacks_frames(const ubi_native_stacks *stacks, uint32_t stack,
                                            const ubi_native_names *names, ubi_profiler_name_fn fn, void *payload);

/** Where the function begins that a call returns to; 0: unknown. Any thread. Cost: a microsecond. */
UBI_API uintptr_t ubi_native_function_of(uintptr_t return_address);

#ifdef __cplusplus
}
#endif
#endif
