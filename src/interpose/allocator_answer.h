/* SPDX-License-Identifier: MIT
 *
 * allocator_answer.h: what an allocator in place of the C library's says that its memory is used for (ubi__wire_answer): jemalloc,
 * mimalloc, tcmalloc.
 *
 * It is asked by its own functions, which take its locks, as malloc does. So a thread asks between two of its own allocations, with
 * no frame of the allocator on its stack, and with signals blocked: if a lock is held then, it is another thread's, which continues.
 * How often depends on what the last answer took: a hundredth of the time.
 */
#ifndef UBI_INTERPOSE_ALLOCATOR_ANSWER_H
#define UBI_INTERPOSE_ALLOCATOR_ANSWER_H

#include "interpose/preload.h"

/** If it is time, this thread asks before its next allocation is recorded. Any time; takes no lock. Cost: a load, where there is none to ask. */
void ubi__allocator_expect(uint64_t now_ns);
/** An allocation has been made, and is not recorded yet: asks, if that is safe now. @param caller  of the allocation. */
void ubi__allocator_ask_between(const ubi__unwind_registers *caller);
/** Asks now: the thread is not in the allocator. */
void ubi__allocator_ask(void);

#endif
