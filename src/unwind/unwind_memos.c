/* SPDX-License-Identifier: MIT
 *
 * unwind_memos.c: see unwind_memos.h.
 */
#include "unwind/unwind_memos.h"

#if defined(__x86_64__)

#include <string.h>

#include "base/assert.h"

#define SETS_LOG2 6
#define WAYS 2
#define MEMOS ((size_t)WAYS << SETS_LOG2)
#define WORDS 64
/* Words that are compared before checking whether one was different. */
#define STRIDE 4

typedef struct memo_word {
    uintptr_t address, value;
} memo_word;

typedef struct ubi__unwind_memo {
    ubi__unwind_frame leaf;
    uintptr_t pc;
    uint32_t age; /* of the unwinder when it was made; 0: empty */
    uint32_t number;
    uint16_t n_words; /* a multiple of STRIDE */
    uint8_t victim;   /* of the first of a set: which of it makes room */
    memo_word words[WORDS];
} ubi__unwind_memo;
_Static_assert(WORDS % STRIDE == 0, "padding has room");
_Static_assert(MEMOS * sizeof(ubi__unwind_memo) == 135 * 1024, "135 KiB of memory, as unwind.h says");

static ubi__unwind_memo *set_of(const ubi__unwinder *u, const ubi__unwind_registers *from) {
    uint64_t hash = (from->pc * 31 + from->sp) * UINT64_C(0x9e3779b97f4a7c15);
    return &u->memos[(hash >> (64 - SETS_LOG2)) * WAYS];
}

/* Memory at and above sp, the stack of the thread, is mapped. */
__attribute__((no_sanitize("address", "thread"))) static bool is_unchanged(const ubi__unwind_memo *m) {
    for (size_t i = 0; i < m->n_words; i += STRIDE) {
        uintptr_t difference = 0;
        for (size_t j = i; j < i + STRIDE; j++)
            difference |= ubi__stack_word(m->words[j].address) ^ m->words[j].value;
        if (difference)
            return false;
    }
    return true;
}

static bool is_of(const ubi__unwind_memo *m, const ubi__unwinder *u, const ubi__unwind_registers *from) {
    return m->pc == from->pc && m->age == u->memo_age && ubi__frame_is_at(&m->leaf, from->sp, from->bp);
}

uint32_t ubi__unwind_recall(ubi__unwinder *u, const ubi__unwind_registers *from) {
    if (__builtin_expect(!u->memos, 0))
        return 0;
    ubi__unwind_memo *set = set_of(u, from);
    for (unsigned way = 0; way < WAYS; way++)
        if (is_of(&set[way], u, from) && is_unchanged(&set[way])) {
            set->victim = (uint8_t)(way + 1) % WAYS;
            return set[way].number;
        }
    return 0;
}

/* The words that lead from the first frame of the last walk to all others. False: too many. */
static bool put_words(ubi__unwind_memo *m, const ubi__unwinder *u) {
    size_t n = 0;
    for (size_t i = u->first + 1; i < u->max_depth; i++) {
        const ubi__unwind_frame *frame = &u->frames[i];
        if (n + 2 > WORDS)
            return false;
        m->words[n++] = (memo_word){ frame->sp - UBI__UNWIND_WORD_BYTES, u->pcs[i] };
        if (frame->bp_slot != (uintptr_t)&frame->bp)
            m->words[n++] = (memo_word){ frame->bp_slot, frame->bp };
    }
    for (; n % STRIDE; n++)
        m->words[n] = m->words[n - 1];
    UBI_ASSERT(n <= WORDS && n % STRIDE == 0);
    m->n_words = (uint16_t)n;
    return true;
}

static bool has_memos(ubi__unwinder *u) {
    if (!u->memos) {
        u->memos = u->memory.map(u->memory.payload, MEMOS * sizeof *u->memos);
        u->memo_age = 1;
    }
    return u->memos != NULL;
}

void ubi__unwind_remember(ubi__unwinder *u, const ubi__unwind_registers *from, uint32_t number) {
    const ubi__unwind_frame *leaf = &u->frames[u->first];
    bool is_whole = u->first < u->max_depth && u->pcs[u->first] == from->pc && leaf->sp == from->sp;
    if (!is_whole || !has_memos(u))
        return;
    ubi__unwind_memo *set = set_of(u, from), *m = &set[set->victim];
    m->age = 0;
    if (!put_words(m, u))
        return;
    UBI_ASSERT(number != 0 && set->victim < WAYS);
    m->leaf = *leaf;
    m->pc = from->pc;
    m->number = number;
    m->age = u->memo_age;
    set->victim = (uint8_t)(set->victim + 1) % WAYS;
}

void ubi__memos_forget(ubi__unwinder *u) {
    if (++u->memo_age == 0 && u->memos) { /* after 2^32 times, old ones would look new */
        memset(u->memos, 0, MEMOS * sizeof *u->memos);
        u->memo_age = 1;
    }
}

void ubi__memos_fini(ubi__unwinder *u) {
    if (u->memos)
        u->memory.unmap(u->memory.payload, u->memos, MEMOS * sizeof *u->memos);
}

#else

typedef int ubi__no_memos; /* unwind_fallback.c has none */

#endif
