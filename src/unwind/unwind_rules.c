/* SPDX-License-Identifier: MIT
 *
 * unwind_rules.c: making rules out of call frame information, and keeping them.
 *
 * Both tables grow to twice their size, and give the old memory back. When there is no more, what they have is kept and
 * nothing is added.
 */
#include "unwind/unwind_rules.h"

#include <string.h>

#include "base/assert.h"
#include "unwind/unwind_modules.h"

#define FIRST_RULES 512
#define FIRST_LONG_RULES 16
/* What the code that a process begins with has at most. */
#define ENTRY_BYTES 256
/* In cfa_offset: the long rule is the caller's spare one. */
#define SPARE (-1)

/* ---- from a row to a rule ---------------------------------------------------------------------------------------- */

/** What compilers write for nearly every function. */
static bool make_short(const ubi__cfi_row *row, ubi__unwind_rule *out) {
    const ubi__cfi_place *cfa = &row->cfa, *bp = &row->bp;
    bool bp_saved = bp->kind == UBI__CFI_AT;
    if (row->is_signal_frame || cfa->kind != UBI__CFI_VALUE || cfa->offset != (int32_t)cfa->offset ||
        row->sp.kind != UBI__CFI_SAME || row->pc.kind != UBI__CFI_AT || row->pc.offset != -(int64_t)sizeof(uintptr_t))
        return false;
    if (bp_saved && (bp->offset % 8 != 0 || bp->offset / 8 != (int16_t)(bp->offset / 8)))
        return false;
    if (!bp_saved && bp->kind != UBI__CFI_SAME && bp->kind != UBI__CFI_UNDEFINED)
        return false;
    out->kind = (cfa->base == UBI__CFI_BASE_BP ? UBI__RULE_FROM_BP : 0) | (bp_saved ? UBI__RULE_BP_SAVED : 0);
    out->cfa_offset = (int32_t)cfa->offset;
    out->bp_words = bp_saved ? (int16_t)(bp->offset / 8) : 0;
    UBI_ASSERT(out->kind < UBI__RULE_SHORT_END && (int64_t)out->cfa_offset == cfa->offset);
    return true;
}

/** Copies a place's expression, if it has one. false: the place is unsupported. */
static bool copy_place(const ubi__cfi_place *place, uint8_t *expression) {
    if (place->kind == UBI__CFI_UNSUPPORTED)
        return false;
    if (place->kind != UBI__CFI_AT_EXPRESSION && place->kind != UBI__CFI_VALUE_EXPRESSION)
        return true;
    if (place->expression_bytes > UBI__LONG_EXPRESSION_BYTES)
        return false;
    memcpy(expression, place->expression, place->expression_bytes);
    return true;
}

static bool make_long(const ubi__cfi_row *row, ubi__unwind_long_rule *out) {
    out->row = *row;
    return copy_place(&row->cfa, out->cfa) && copy_place(&row->sp, out->sp) && copy_place(&row->bp, out->bp) &&
           copy_place(&row->pc, out->pc);
}

/** A return address to the very start of a function comes from no call: makecontext and its like put it at the end of
 *  a new stack. */
static bool is_made_up(const ubi__module_tables *tables, uintptr_t pc) {
    ubi__cfi_row row;
    return ubi__cfi_find(&tables->bytes, tables->index, pc, &row) == UBI__CFI_FOUND;
}

/** The few instructions where a process begins have no call frame information in many C libraries. They call constructors
 *  of libraries. */
static bool is_process_entry(const ubi__module_tables *tables, uintptr_t address) {
    uintptr_t entry = ubi__process_entry(), function, at = entry;
    if (entry == 0 || address - entry >= ENTRY_BYTES)
        return false;
    while (at <= address && ubi__cfi_function(&tables->bytes, tables->index, at, &function) == UBI__CFI_NONE)
        at++;
    return at > address; // nothing else begins in between
}

static void make_rule(uintptr_t pc, ubi__unwind_rule *out, ubi__unwind_long_rule *long_out) {
    uintptr_t address = pc - 1; // inside of the instruction where the frame is
    ubi__module_tables tables;
    ubi__cfi_row row;
    if (!ubi__module_tables_at(address, &tables)) {
        out->kind = UBI__RULE_POINTERS;
        return;
    }
    ubi__cfi_found found = ubi__cfi_find(&tables.bytes, tables.index, address, &row);
    if (found == UBI__CFI_FOUND && row.pc.kind == UBI__CFI_UNDEFINED)
        out->kind = UBI__RULE_OUTERMOST;
    else if (found == UBI__CFI_NONE && (is_made_up(&tables, pc) || is_process_entry(&tables, address)))
        out->kind = UBI__RULE_OUTERMOST;
    else if (found == UBI__CFI_NONE)
        out->kind = UBI__RULE_SILENT;
    else if (found != UBI__CFI_FOUND)
        out->kind = UBI__RULE_NONE;
    else if (!make_short(&row, out))
        out->kind = make_long(&row, long_out) ? UBI__RULE_LONG : UBI__RULE_NONE;
}

/* ---- the tables -------------------------------------------------------------------------------------------------- */

static void rule_table_put(ubi__unwind_rule *rules, size_t capacity, const ubi__unwind_rule *rule) {
    size_t at = ubi__rule_place(rule->pc, capacity);
    while (rules[at].pc != 0)
        at = (at + 1) & (capacity - 1);
    rules[at] = *rule;
}

static bool has_table(const ubi__unwinder *u) {
    return u->rule_capacity > 1; // 1: the table of no rules that all unwinders share
}

static void free_table(ubi__unwinder *u) {
    if (has_table(u))
        u->memory.unmap(u->memory.payload, u->rules, u->rule_capacity * sizeof *u->rules);
}

void ubi__rules_check(const ubi__unwinder *u) {
    size_t n = 0;
    UBI_ASSERT((u->rule_capacity & (u->rule_capacity - 1)) == 0 && u->rule_capacity > 0);
    UBI_ASSERT(u->n_long_rules <= u->long_rule_capacity && u->n_long_rules <= u->n_rules);
    for (size_t i = 0; UBI_CHECKS && i < u->rule_capacity; i++) {
        const ubi__unwind_rule *rule = &u->rules[i];
        UBI_ASSERT(rule->pc == 0 || ubi__rule_find(u, rule->pc) == rule);
        UBI_ASSERT(rule->pc == 0 || (rule->kind <= UBI__RULE_NONE && rule->kind != UBI__RULE_POINTERS));
        UBI_ASSERT(rule->pc == 0 || rule->kind != UBI__RULE_LONG || (size_t)rule->cfa_offset < u->n_long_rules);
        n += rule->pc != 0;
    }
    UBI_ASSERT(!UBI_CHECKS || (n == u->n_rules && 2 * n <= u->rule_capacity));
}

/** Makes room for another rule. false: there is none. */
static bool reserve_rule(ubi__unwinder *u) {
    if (has_table(u) && 2 * (u->n_rules + 1) <= u->rule_capacity)
        return true;
    size_t capacity = has_table(u) ? 2 * u->rule_capacity : FIRST_RULES;
    ubi__unwind_rule *rules = u->memory.map(u->memory.payload, capacity * sizeof *rules);
    if (!rules)
        return false;
    for (size_t i = 0; i < u->rule_capacity; i++) {
        if (u->rules[i].pc != 0)
            rule_table_put(rules, capacity, &u->rules[i]);
    }
    free_table(u);
    u->rules = rules;
    u->rule_capacity = capacity;
    ubi__rules_check(u);
    return true;
}

static bool reserve_long_rule(ubi__unwinder *u) {
    if (u->n_long_rules < u->long_rule_capacity)
        return true;
    size_t capacity = u->long_rule_capacity ? 2 * u->long_rule_capacity : FIRST_LONG_RULES;
    ubi__unwind_long_rule *rules = u->memory.map(u->memory.payload, capacity * sizeof *rules);
    if (!rules)
        return false;
    if (u->long_rules) {
        memcpy(rules, u->long_rules, u->n_long_rules * sizeof *rules);
        u->memory.unmap(u->memory.payload, u->long_rules, u->long_rule_capacity * sizeof *rules);
    }
    u->long_rules = rules;
    u->long_rule_capacity = capacity;
    return true;
}

static void keep_rule(ubi__unwinder *u, ubi__unwind_rule *rule, const ubi__unwind_long_rule *long_rule) {
    if (!reserve_rule(u) || (rule->kind == UBI__RULE_LONG && !reserve_long_rule(u)))
        return;
    if (rule->kind == UBI__RULE_LONG) {
        rule->cfa_offset = (int32_t)u->n_long_rules;
        u->long_rules[u->n_long_rules++] = *long_rule;
    }
    rule_table_put(u->rules, u->rule_capacity, rule);
    u->n_rules++;
    UBI_ASSERT(2 * u->n_rules <= u->rule_capacity && ubi__rule_find(u, rule->pc)->kind == rule->kind);
}

ubi__unwind_rule ubi__rule_make(ubi__unwinder *u, uintptr_t pc, ubi__unwind_long_rule *spare) {
    ubi__unwind_rule rule = { .pc = pc };
    make_rule(pc, &rule, spare);
    if (rule.kind == UBI__RULE_LONG)
        rule.cfa_offset = SPARE;
    if (rule.kind != UBI__RULE_POINTERS)
        keep_rule(u, &rule, spare);
    return rule;
}

const ubi__unwind_long_rule *ubi__rule_long(const ubi__unwinder *u, const ubi__unwind_rule *rule,
                                            const ubi__unwind_long_rule *spare) {
    UBI_ASSERT(rule->kind == UBI__RULE_LONG &&
               (rule->cfa_offset == SPARE || (size_t)rule->cfa_offset < u->n_long_rules));
    return rule->cfa_offset == SPARE ? spare : &u->long_rules[rule->cfa_offset];
}

void ubi__rules_init(ubi__unwinder *u) {
    static ubi__unwind_rule none[1]; // never written: its only place stays empty
    u->rules = none;
    u->rule_capacity = 1;
}

void ubi__rules_forget(ubi__unwinder *u) {
    if (has_table(u))
        memset(u->rules, 0, u->rule_capacity * sizeof *u->rules);
    u->n_rules = 0;
    u->n_long_rules = 0;
}

void ubi__rules_fini(ubi__unwinder *u) {
    free_table(u);
    if (u->long_rules)
        u->memory.unmap(u->memory.payload, u->long_rules, u->long_rule_capacity * sizeof *u->long_rules);
}

/* ---- walks that are kept ------------------------------------------------------------------------------------------ */

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

uint32_t *ubi__unwind_remember_as(ubi__unwinder *u, const ubi__unwind_registers *from) {
    const ubi__unwind_frame *leaf = &u->frames[u->first];
    bool is_whole = u->first < u->max_depth && u->pcs[u->first] == from->pc && leaf->sp == from->sp;
    if (!is_whole || !has_memos(u))
        return NULL;
    ubi__unwind_memo *set = set_of(u, from), *m = &set[set->victim];
    m->age = 0;
    if (!put_words(m, u))
        return NULL;
    UBI_ASSERT(set->victim < WAYS);
    m->leaf = *leaf;
    m->pc = from->pc;
    m->number = 0; /* who finds it walks */
    m->age = u->memo_age;
    set->victim = (uint8_t)(set->victim + 1) % WAYS;
    return &m->number;
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
