/* SPDX-License-Identifier: MIT
 *
 * unwind_memos.h: what an unwinder keeps of walks: the frames of the last one, and some whole stacks.
 *
 * A program allocates at few places, and asks most of them over and over with the very same stack: same frames, same
 * addresses. A memo is such a stack as the words of memory that make it what it is: where its return addresses are, and
 * what they were; and the same of rbp, where a frame is found by it. It is looked for by its innermost frame.
 *
 * Invariant: from the state of a memo, with its words unchanged, a walk gives the stack that the memo is of.
 *
 * Data: sets of two memos, chosen by a hash of the innermost frame; of a set, the memo that was recalled last stays.
 */
#ifndef UBI_UNWIND_UNWIND_MEMOS_H
#define UBI_UNWIND_UNWIND_MEMOS_H

#include "unwind/unwind.h"

#define UBI__UNWIND_WORD_BYTES sizeof(uintptr_t)

/** What is known of a frame of the last walk, beside its pc, which is in the word below sp. */
typedef struct ubi__unwind_frame {
    uintptr_t sp, bp;
    uintptr_t
        bp_slot; /* address of a word that holds bp; of `bp` here, if the callee left rbp alone or bp does not count */
    uintptr_t bp_mask; /* all ones: this frame or one after it is found by this bp. 0: none is, so it may be anything */
} ubi__unwind_frame;

/** A word of a stack, even a poisoned one. */
__attribute__((no_sanitize("address", "thread"))) static inline uintptr_t ubi__stack_word(uintptr_t address) {
    typedef uintptr_t word __attribute__((may_alias, aligned(1)));
    return *(const word *)address;
}

/** Whether a state is that of the frame; all but its pc. */
static inline bool ubi__frame_is_at(const ubi__unwind_frame *frame, uintptr_t sp, uintptr_t bp) {
    return frame->sp == sp && ((frame->bp ^ bp) & frame->bp_mask) == 0;
}

/** All mean nothing any more. */
void ubi__memos_forget(ubi__unwinder *u);
void ubi__memos_fini(ubi__unwinder *u);

#endif
