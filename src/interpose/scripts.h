/* SPDX-License-Identifier: MIT
 *
 * scripts.h: frames of scripts in the stacks of a thread that runs an interpreter (scripts.c).
 *
 * Programs without one pay nothing: what a context looks at anyway before each stack, whether modules went away, has a bit that
 * says whether any interpreter is known.
 */
#ifndef UBI_INTERPOSE_SCRIPTS_H
#define UBI_INTERPOSE_SCRIPTS_H

#include "base/script_source.h"
#include "interpose/context.h"

/** In ubi__module_generation: there are sources of frames. What contexts keep is without it, so they look. */
#define UBI__SCRIPTS_THERE (UINT32_C(1) << 31)

/** A bit of numbers that the unwinder remembers. With it, a number is that of a native stack with frames of scripts; without, of a trace. */
#define UBI__SCRIPTS_NUMBER (UINT32_C(1) << 31)

/**
 * The number of the current stack, when a script runs on this thread. @param out  0: no room.
 * @return false: none does, and the stack is a native one. Cost: of a native stack that the unwinder remembers, and of frames that ran
 * the last time, a comparison per frame; else a walk without memory, and a look-up per frame.
 */
bool ubi__scripts_stack(ubi__context *c, const ubi__unwind_registers *caller, uint32_t *out);

/** A source for all threads, which never leaves. One at most. */
void ubi__scripts_add_for_all(const ubi__script_source *source);

/** Says why stacks have no frames of an interpreter. */
void ubi__scripts_note(ubi__wire_scripts why);

/** For owners of runtimes: base/script_source.h. */
_Atomic uintptr_t *ubi_recorder_join_scripts(const ubi__script_source *source);
void ubi_recorder_leave_scripts(const ubi__script_source *source);

/** In a child after fork: no other thread is at work. */
void ubi__scripts_after_fork(void);

#endif
