/* SPDX-License-Identifier: MIT
 *
 * memory_glibc.h: what glibc's malloc has in memory, chunk by chunk: blocks in use, blocks that a thread keeps, and what is free.
 *
 * Chunks lie end to end, and each begins with its size; the next one says whether it is in use. The process continues meanwhile, so a
 * chain may break: what follows is not divided then.
 */
#ifndef UBI_TARGETS_NATIVE_MEMORY_GLIBC_H
#define UBI_TARGETS_NATIVE_MEMORY_GLIBC_H

#include "targets/native/memory_account.h"

#define UBI__GLIBC_HEAP_BYTES (UINT64_C(64) << 20) /* of a thread's heap; it begins at a multiple of that */

/** The program's break. Enters [low, high), or what can be read of it. Errors: UBI_ENOMEM. */
ubi_status ubi__glibc_break_enter(ubi__memory_account *a, uint64_t low, uint64_t high);
/** Whether a thread's heap begins there. */
bool ubi__glibc_is_heap(ubi__memory_look *look, uint64_t low, uint64_t high);
/** Enters such a heap. Errors: UBI_ENOMEM. */
ubi_status ubi__glibc_heap_enter(ubi__memory_account *a, uint64_t low, uint64_t high);
/** The end of a large block that has a mapping of its own, which begins at `low`; 0: there is none. */
uint64_t ubi__glibc_large_block_end(ubi__memory_look *look, uint64_t low, uint64_t high);

#endif
