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

#define UBI__KNOWN_PAGES 32u

/** Numbers of pages that were found readable, by their low bits; 0: none. */
typedef struct ubi__known_pages {
    uintptr_t at[UBI__KNOWN_PAGES];
} ubi__known_pages;

/** A frame of a chain, as far as it shows whether anything has changed. */
typedef struct ubi__script_step {
    const void *frame;
    uintptr_t stack_address;
    bool is_inlined;
} ubi__script_step;

/** The frames that a thread ran when it was asked last, to be brought up to date: most of them still run. */
typedef struct ubi__script_chain {
    ubi__script_frame *frames; /* the last n of frames[depth], innermost first: outer ones stay where they are */
    ubi__script_step *steps;   /* the source's, steps[depth] */
    size_t depth, n;
    size_t n_same; /* of these, how many of the outermost are as they were */
    ubi__known_pages pages;
} ubi__script_chain;

typedef enum ubi__script_renewal {
    UBI__SCRIPT_NONE_RUNS,
    UBI__SCRIPT_RENEWED,
    UBI__SCRIPT_NOT_RENEWED, /* `frames` of the source shows what can be; n is 0 */
} ubi__script_renewal;

/** Only where no allocation was passed over since, and no page was unmapped. The rules are those of the source's `frames`. */
typedef ubi__script_renewal ubi__script_renew_fn(ubi__script_chain *chain);

/** A source for all threads, which never leaves. One at most. */
void ubi__scripts_add_for_all(const ubi__script_source *source, ubi__script_renew_fn *renew);

/** Says why stacks have no frames of an interpreter. */
void ubi__scripts_note(ubi__wire_scripts why);

/** For owners of runtimes: base/script_source.h. */
_Atomic uintptr_t *ubi_recorder_join_scripts(const ubi__script_source *source);
void ubi_recorder_leave_scripts(const ubi__script_source *source);
unsigned char *ubi_recorder_script_blocks(void);

/** In a child after fork: no other thread is at work. */
void ubi__scripts_after_fork(void);

#endif
