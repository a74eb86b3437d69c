/* SPDX-License-Identifier: MIT
 *
 * unwind_rules.h: how to get from a frame to its caller, for every return address that was met.
 *
 * Nearly every frame is described by 16 bytes: the CFA (the caller's stack pointer) is rsp or rbp and a distance, the
 * return address is right below it, and rbp is where it was or at a distance from it. What does not fit (frames of
 * signals, of code that aligns the stack) has a long rule, and computes.
 *
 * Invariant: a rule is a function of its pc as long as no module goes away (ubi__unwinder_forget_modules), so a table
 * that lost some, or never had them, changes nothing but time. Addresses outside of all modules have no rule that is
 * kept, since code that is made at run time comes and goes.
 *
 * Data: `rules` is open addressing with linear probing, at most half full, never without an empty place. It is not
 * base/table.h's, because every step of a walk waits for this look-up: 12 instructions, there 32.
 */
#ifndef UBI_UNWIND_UNWIND_RULES_H
#define UBI_UNWIND_UNWIND_RULES_H

#include "unwind/cfi.h"
#include "unwind/unwind.h"

typedef enum ubi__rule_kind {
    /* Short rules: the sum of two bits. */
    UBI__RULE_FROM_BP = 1,  /* the CFA counts from rbp, not from rsp */
    UBI__RULE_BP_SAVED = 2, /* at bp_words from the CFA; otherwise rbp is unchanged */
    UBI__RULE_SHORT_END = 4,
    UBI__RULE_LONG = UBI__RULE_SHORT_END, /* cfa_offset is the number of a long rule */
    UBI__RULE_OUTERMOST,                  /* no caller */
    UBI__RULE_POINTERS,                   /* in no module: a chain of frame pointers is all there could be */
    UBI__RULE_SILENT, /* in a module that says nothing of it: a chain of frame pointers, if it leads to where a call was made */
    UBI__RULE_NONE, /* it is not supported */
} ubi__rule_kind;

typedef struct ubi__unwind_rule {
    uintptr_t pc; /* 0: an empty place */
    int32_t cfa_offset;
    int16_t bp_words;
    uint8_t kind; /* ubi__rule_kind */
} ubi__unwind_rule;

_Static_assert(sizeof(ubi__unwind_rule) == 16, "a rule is 16 bytes");

#define UBI__LONG_EXPRESSION_BYTES 16

/** A row with its expressions: a copy, because modules go away. */
typedef struct ubi__unwind_long_rule {
    ubi__cfi_row row; /* its expressions point into the module; they are not to be used */
    uint8_t cfa[UBI__LONG_EXPRESSION_BYTES], sp[UBI__LONG_EXPRESSION_BYTES];
    uint8_t bp[UBI__LONG_EXPRESSION_BYTES], pc[UBI__LONG_EXPRESSION_BYTES];
} ubi__unwind_long_rule;

/** The rule of `pc`, found out and kept if there is memory. @param spare  where a long rule goes that cannot be kept.
 *  Cost: about a microsecond. */
ubi__unwind_rule ubi__rule_make(ubi__unwinder *u, uintptr_t pc, ubi__unwind_long_rule *spare);
/** The long rule that a rule refers to. @param spare  as it was given to ubi__rule_make. */
const ubi__unwind_long_rule *ubi__rule_long(const ubi__unwinder *u, const ubi__unwind_rule *rule,
                                            const ubi__unwind_long_rule *spare);

/**
 * The table is at most half full, its capacity a power of two; each rule is found by its pc, and none is kept of code in no module;
 * a long one refers to one that is there.
 */
void ubi__rules_check(const ubi__unwinder *u);
void ubi__rules_init(ubi__unwinder *u);
void ubi__rules_forget(ubi__unwinder *u);
void ubi__rules_fini(ubi__unwinder *u);

/** Return addresses are spread well enough by what is in their low bits, and nothing is faster: every step waits for this. */
static inline size_t ubi__rule_place(uintptr_t pc, size_t capacity) {
    return pc & (capacity - 1);
}

/** The kept rule of `pc`, which is not 0. NULL: none. */
static inline const ubi__unwind_rule *ubi__rule_find(const ubi__unwinder *u, uintptr_t pc) {
    for (size_t at = ubi__rule_place(pc, u->rule_capacity);; at = (at + 1) & (u->rule_capacity - 1)) {
        const ubi__unwind_rule *rule = &u->rules[at];
        if (__builtin_expect(rule->pc == pc, 1))
            return rule;
        if (rule->pc == 0)
            return NULL;
    }
}

/* ---- walks that are kept ------------------------------------------------------------------------------------------ */

/*
 * A program allocates at few places, and asks most of them over and over with the very same stack: same frames, same
 * addresses. A memo is such a stack as the words of memory that make it what it is: where its return addresses are, and
 * what they were; and the same of rbp, where a frame is found by it. It is looked for by its innermost frame.
 *
 * Invariant: from the state of a memo, with its words unchanged, a walk gives the stack that the memo is of.
 *
 * Data: sets of two memos, chosen by a hash of the innermost frame; of a set, the memo that was recalled last stays.
 */

#define UBI__UNWIND_WORD_BYTES sizeof(uintptr_t)

/** What is known about a frame of the last walk, beside its pc, which is in the word below sp. */
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
