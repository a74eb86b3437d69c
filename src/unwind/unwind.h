/* SPDX-License-Identifier: MIT
 *
 * unwind.h: who called whom, read from the stack of a running program.
 *
 * An unwinder walks the stack of the thread that calls it, by the tables that compilers write for exceptions
 * (.eh_frame), so it needs no frame pointers. What the tables say about a return address is read once and kept as a
 * rule of 16 bytes. The last walk is kept too, with the places in memory where each of its steps found what it found:
 * the next walk steps by rules until it meets a state of the last one, checks that those places are unchanged, and is
 * done. Of some stacks, which the caller wants to be remembered, all such places are kept: one that comes again is known by
 * them, without a walk. Nothing is ever written to the stack.
 *
 * Invariant: what is remembered of walks gives what a walk without would give. A step is a function of (pc, sp, bp) and of
 * the words that it reads; all of them are compared, except a bp that no step uses.
 *
 * This is code for the inside of other programs: it calls no malloc, takes no lock (with glibc 2.35 or newer), sends no
 * signal, and reads memory only where the stack is known or found to be mapped. It may run in a signal handler, unless
 * that interrupted the same unwinder: an unwinder is for one thread at a time.
 *
 * A leaf: it includes nothing but the C library. See docs/explanation/native-stacks.md.
 */
#ifndef UBI_UNWIND_UNWIND_H
#define UBI_UNWIND_UNWIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define UBI__UNWIND_DEFAULT_DEPTH 128

/** Where an unwinder gets memory: whole pages, zeroed. `map` may return NULL at any time; walks are then slower, or fail. */
typedef struct ubi__unwind_memory {
    void *(*map)(void *payload, size_t size_bytes);
    void (*unmap)(void *payload, void *p, size_t size_bytes);
    void *payload;
} ubi__unwind_memory;

/** The state of a frame. `pc` is a return address: the byte before it belongs to the instruction where the frame is. Of
 *  a frame that a signal interrupted, it is the interrupted address plus 1. */
typedef struct ubi__unwind_registers {
    uintptr_t pc;
    uintptr_t sp; /* after the return address: as it is when the call has returned */
    uintptr_t bp;
} ubi__unwind_registers;

#if !defined(__x86_64__)
/** An address in the caller. */
static __attribute__((noinline, unused)) uintptr_t ubi__unwind_pc(void) {
    return (uintptr_t)__builtin_extract_return_addr(__builtin_return_address(0));
}
#endif

/** The state of the function that this is in. */
static inline __attribute__((always_inline)) ubi__unwind_registers ubi__unwind_here(void) {
    ubi__unwind_registers r;
#if defined(__x86_64__)
    __asm__ volatile("leaq 0(%%rip), %0\n\tmovq %%rsp, %1\n\tmovq %%rbp, %2" : "=&r"(r.pc), "=&r"(r.sp), "=&r"(r.bp));
#else
    r.bp = (uintptr_t)__builtin_frame_address(0);
    r.sp = r.bp;
    r.pc = ubi__unwind_pc();
#endif
    return r;
}

typedef enum ubi__unwind_end {
    UBI__UNWIND_COMPLETE, /* up to where the thread began */
    UBI__UNWIND_TRUNCATED, /* there are more frames than the greatest depth; of the innermost, half as many or more were kept */
    UBI__UNWIND_FAILED, /* the caller of `failed_pc`, the outermost frame, is unknown */
} ubi__unwind_end;

typedef struct ubi__walk {
    const uintptr_t *pcs; /* new frames, leaf first, as in ubi__unwind_registers. Until the next call */
    uint64_t *tags;       /* one for each, 0, for the caller to fill in; kept until the frame is gone. 0 is none */
    size_t n;             /* of these; may be 0 */
    uint64_t base_tag;    /* of the frame that called the outermost new one; 0: that one is the outermost of all */
    ubi__unwind_end end;  /* of the whole stack */
    uintptr_t failed_pc;  /* if UBI__UNWIND_FAILED */
} ubi__walk;

/* ---- an unwinder ------------------------------------------------------------------------------------------------- */

struct ubi__unwind_rule;
struct ubi__unwind_long_rule;
struct ubi__unwind_frame;
struct ubi__unwind_memo;

/** Members are private to src/unwind/. */
typedef struct ubi__unwinder {
    ubi__unwind_memory memory;
    uintptr_t stack_low, stack_high; /* of the thread; 0, 0: unknown */

    struct ubi__unwind_rule *rules; /* open addressing by pc; unwind_rules.h */
    size_t rule_capacity;           /* a power of two */
    size_t n_rules;
    struct ubi__unwind_long_rule *long_rules; /* those that do not fit in 16 bytes */
    size_t long_rule_capacity;
    size_t n_long_rules;

    /* The last walk: [first, max_depth), leaf first, so that the outermost frame is always at the end. */
    struct ubi__unwind_frame *frames;
    uintptr_t *pcs;
    uint64_t *tags;
    size_t first;
    ubi__unwind_end end;
    bool is_cut_deep; /* if UBI__UNWIND_TRUNCATED: the walk has fewer frames than the greatest depth, and may grow */
    uintptr_t failed_pc;

    struct ubi__unwind_frame *new_frames; /* of the walk at hand, until it is known where they belong */
    uintptr_t *new_pcs;
    uint64_t *new_tags; /* of a walk that is not kept */
    size_t max_depth;
    size_t block_bytes; /* of the block that holds these arrays */

    uintptr_t after_calls[64];     /* return addresses that were found to follow a call, by their low bits */
    uintptr_t after_prologues[64]; /* the same, to be in a function that keeps frame pointers */

    struct ubi__unwind_memo *memos; /* unwind_rules.h; NULL: none */
    uint32_t memo_age;              /* those of another age mean nothing any more */
} ubi__unwinder;

#define UBI__UNWIND_MAX_DEPTH (1 << 20)

/** What is kept of the last walk is a stack: sp grows from frame to frame, and a frame is found by a bp or by none. Rules: as ubi__rules_check. */
void ubi__unwinder_check(const ubi__unwinder *u);
/** @param max_depth  from 1 to UBI__UNWIND_MAX_DEPTH; memory: 96 bytes each. @return false: no memory, and nothing is left. */
bool ubi__unwinder_init(ubi__unwinder *u, const ubi__unwind_memory *memory, size_t max_depth);
void ubi__unwinder_fini(ubi__unwinder *u);

/** The stack of the thread that uses it from now on: all of [sp, high) is mapped whenever sp is in [low, high). Forgets
 *  all walks. 0, 0: unknown; then walks do without the last one, and ask the kernel before they read another page. */
void ubi__unwinder_set_stack(ubi__unwinder *u, uintptr_t low, uintptr_t high);

/** Whether the kernel must not be asked what is mapped, by any unwinder: stacks that may be unmapped end at once. */
void ubi__unwind_set_blind(bool is_blind);

/** The caller's tags mean nothing any more: the next walk is all new, and no stack is known. */
void ubi__unwinder_forget_walk(ubi__unwinder *u);
/** Modules went away, and other code may be where theirs was: forgets rules and all walks. */
void ubi__unwinder_forget_modules(ubi__unwinder *u);

/** The stack from `from` outwards. Cost: a look-up per new frame whose rule is known, a comparison per other, a search in
 *  the module's tables per new rule (bench/unwind_bench.c has times). What is kept is the last walk on the thread's own stack; a walk on another one is all new. */
void ubi__unwind(ubi__unwinder *u, const ubi__unwind_registers *from, ubi__walk *out);

/** Has the stack that was walked last, from `from`, known by a number from now on; one that is not the thread's own, is
 *  deeper than some 60 frames, or has any that only computing finds, is not. Some 128 are, and the ones that were asked for
 *  longest ago make room. Cost: as comparing all frames. Memory, from the first time on: 135 KiB.
 *  @return where to put the number, which is not 0, before anything else is asked of the unwinder: so it can be looked for meanwhile.
 *  Without a number, the stack will be walked again. NULL: the stack is not remembered. */
uint32_t *ubi__unwind_remember_as(ubi__unwinder *u, const ubi__unwind_registers *from);
/** The same, of a number that is there. */
static inline void ubi__unwind_remember(ubi__unwinder *u, const ubi__unwind_registers *from, uint32_t number) {
    uint32_t *place = ubi__unwind_remember_as(u, from);
    if (place)
        *place = number;
}
/** The number of the stack from `from` outwards, if it is remembered; 0: walk. Cost: a comparison per frame. */
uint32_t ubi__unwind_recall(ubi__unwinder *u, const ubi__unwind_registers *from);

/** A walk without memory of any other, which it leaves alone. @return how many of pcs[0..max) it wrote. */
size_t ubi__unwind_all(ubi__unwinder *u, const ubi__unwind_registers *from, uintptr_t *pcs, size_t max,
                       ubi__unwind_end *end);

/** The same with the whole state of each frame: a frame's part of the stack goes from its sp to that of its caller. */
size_t ubi__unwind_states(ubi__unwinder *u, const ubi__unwind_registers *from, ubi__unwind_registers *states,
                          size_t max, ubi__unwind_end *end);

/** Whether a frame of the walk just made, of that pc, is one that the system made to run a signal handler: what called it was
 *  interrupted. Cost: a look-up. */
bool ubi__unwind_is_signal_frame(const ubi__unwinder *u, uintptr_t pc);

/* ---- modules ----------------------------------------------------------------------------------------------------- */

/** A loaded file. Everything it points to belongs to the loader and is there until the module is closed. */
typedef struct ubi__unwind_module {
    const char *path;        /* as the loader calls it; "" for the program itself */
    uintptr_t bias;          /* address in memory - address in the file's headers */
    uintptr_t low, high;     /* from its first segment to the end of the last */
    const uint8_t *build_id; /* NULL: it has none */
    size_t build_id_bytes;
} ubi__unwind_module;

/** The module whose code is at `pc` (a return address, as above). No lock with glibc 2.35 or newer, no allocation.
 *  @return false: none; code made at run time, or nothing at all. */
bool ubi__unwind_module_of(uintptr_t pc, ubi__unwind_module *out);

/** Where the function begins that `pc` (a return address) is in, by its call frame information: a part of a function that
 *  the compiler put elsewhere counts as one of its own. 0: unknown. Cost: a microsecond. */
uintptr_t ubi__unwind_function_of(uintptr_t pc);

#endif
