/* SPDX-License-Identifier: MIT
 *
 * mixed_stack.h: one stack of native frames and frames of scripts.
 *
 * An interpreter runs each call of a script in a native frame of its own function, which says nothing of the script. So the
 * native stack is recorded with each of these frames replaced by the script's (script_places.h). Frames in which the interpreter runs
 * no script are left out: it passes a call on to a native function. So is what the tools themselves added at the inner end.
 */
#ifndef UBI_RECORDING_MIXED_STACK_H
#define UBI_RECORDING_MIXED_STACK_H

#include <ubiheap/core/profiler.h>

#include "recording/recording.h"
#include "recording/script_places.h"
#include "unwind/unwind.h"

/** More frames are not recorded; the innermost are. */
#define UBI__MIXED_DEPTH 512

/** What was found out about a return address. */
typedef struct ubi__known_address {
    uintptr_t pc, function;
    bool is_looked_up;              /* `function` is its function, 0: there is none */
    const ubi__trace_table *traces; /* in which `name` is its name; NULL: not named yet */
    ubi_str_ix name;
} ubi__known_address;
#define UBI__KNOWN_ADDRESSES 1024

typedef struct ubi__mixed_stack {
    const ubi_allocator *allocator;
    ubi__unwinder walker; /* of whatever thread holds the lock of the owner */
    bool has_walker;
    ubi__native_frame *native;     /* UBI__MIXED_DEPTH, innermost first */
    ubi__unwind_registers *states; /* as many */
    ubi__vec_u32 names;            /* of the current stack, innermost first */
    ubi__known_address *known;     /* UBI__KNOWN_ADDRESSES, by address; stacks come again and again */
} ubi__mixed_stack;

/** Errors: UBI_ENOMEM. */
ubi_status ubi__mixed_stack_init(ubi__mixed_stack *m, const ubi_allocator *allocator);
void ubi__mixed_stack_fini(ubi__mixed_stack *m);

/** A trace table goes away, or modules did. */
void ubi__mixed_stack_forget(ubi__mixed_stack *m);
/** Where the stack of the thread is that calls from now on; 0, 0: unknown, which is slower. */
void ubi__mixed_stack_set_stack(ubi__mixed_stack *m, uintptr_t low, uintptr_t high);

/**
 * The trace of the stack that calls this. Native frames are named by their addresses (recording.h).
 * @param hook_frame  frames that end below it on the stack are left out.
 * Errors: UBI_ENOMEM, UBI_ELIMIT, or what the source says.
 */
ubi_status ubi__mixed_stack_trace(ubi__mixed_stack *m, const ubi_profiler_source *source, uintptr_t hook_frame,
                                  ubi__trace_table *traces, ubi__trace_ix *out);

/** Puts both together, innermost first; for the above, and for tests. */
ubi_status ubi__mixed_stack_merge(ubi__mixed_stack *m, const ubi_profiler_source *source,
                                  const ubi__native_frame *native, size_t n_native, ubi__trace_table *traces,
                                  ubi__trace_ix *out);

#endif
