/* SPDX-License-Identifier: MIT
 *
 * stack_truth.h: what an unwinder of ours says about the stack at hand, beside what the compiler's own (libgcc, which
 * glibc's backtrace() asks) says.
 *
 * It uses the unwinder as a recorder does: a tag is a node of a tree of traces, only new frames are looked up, and
 * the whole stack is read back from the tag of the leaf. So a memory of the last walk that is wrong anywhere gives a
 * wrong stack. For one thread.
 */
#ifndef UBI_TESTS_STACK_TRUTH_H
#define UBI_TESTS_STACK_TRUTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "unwind/unwind.h"

#define TRUTH_DEPTH 4096

typedef struct truth_stack {
    uintptr_t pcs[TRUTH_DEPTH]; /* leaf first, as in ubi__unwind_registers */
    size_t n;
    ubi__unwind_end end;
} truth_stack;

typedef struct stack_truth {
    ubi__unwinder unwinder;
    struct truth_node *nodes;
    uint32_t *places; /* of nodes, by parent and pc */
    uint32_t n_nodes;
    truth_stack ours, plain, theirs; /* of the last check: with memory of the walk before, without, libgcc's */
    uintptr_t failed_pc;
    size_t n_checks, n_wrong, n_failed;
    size_t n_frames, n_new; /* of walks with memory: all, and those that were new */
    size_t n_known;         /* stacks that were recalled */
} stack_truth;

/** Memory from mmap, for unwinders. */
extern const ubi__unwind_memory truth_memory;

/** For the calling thread, whose stack is found out. Ends the program if there is no memory. */
void stack_truth_init(stack_truth *t, size_t max_depth);
void stack_truth_fini(stack_truth *t);

/** Walks from its caller on. @return whether both walks of ours, where they did not fail, say what libgcc says, and stop
 *  where it stops. Says on standard error what is wrong. */
bool stack_truth_check(stack_truth *t);
/** The same from a given state on; libgcc starts here, in a handler of the signal that interrupted it. */
bool stack_truth_check_from(stack_truth *t, const ubi__unwind_registers *from);

/** Where the stack of the calling thread is. */
void stack_truth_bounds(uintptr_t *low, uintptr_t *high);

#endif
