/* SPDX-License-Identifier: MIT
 *
 * unwind.c: walking the stack of x86-64.
 *
 * Data: a `cursor` is the state at one frame (pc, sp, bp) and what memory around may be read. The last walk is kept
 * as arrays with the leaf first and the outermost frame at the end, so that new frames are put in front of those that
 * stay. Frame i also has where its state was read: its pc from the word below its sp, its bp from bp_slot. If the
 * state at frame i is the same again, and the words of the frames after it hold what they held, then so is
 * everything after it. Programs use rbp for anything, so it is compared only where a frame is found by it.
 *
 * Invariants: frames are kept of the thread's own stack only, from the innermost one on that was reached by plain steps
 * alone (short rules, frame pointers); sp grows from one to the next. Words of kept frames are read only
 * above the sp of the walk at hand, when that sp is in the same stack.
 */
#include "unwind/unwind.h"

#if defined(__x86_64__)

#include <string.h>
#include <sys/syscall.h>

#include "base/assert.h"
#include "unwind/unwind_rules.h"

#define WORD_BYTES UBI__UNWIND_WORD_BYTES
#define PAGE_BYTES 4096
#define RED_ZONE_BYTES 128

/* ---- memory ------------------------------------------------------------------------------------------------------ */

typedef enum cursor_stop {
    GO_ON,
    STOP_OUTERMOST,
    STOP_FAILED,
} cursor_stop;

typedef struct cursor {
    uintptr_t pc, sp, bp;
    uintptr_t bp_slot;  /* where the last step found bp; 0: it was unchanged */
    uintptr_t low, top; /* words at [low, top) may be read */
    uint8_t stop;       /* cursor_stop */
    bool is_own_stack;  /* of the thread. Otherwise the kernel is asked about every page */
    bool has_jumped;    /* the last step was not a plain one */
    bool has_used_bp;   /* the last step found its frame by bp */
} cursor;

static bool is_blind;

void ubi__unwind_set_blind(bool blind) {
    __atomic_store_n(&is_blind, blind, __ATOMIC_RELAXED);
}

/** Whether the page can be read: the kernel reads a signal set there before it sees that the request is invalid. */
static bool is_mapped(uintptr_t address) {
    const long no_request = -1, faulted = -14; // EFAULT
    if (__atomic_load_n(&is_blind, __ATOMIC_RELAXED))
        return false;
    long result = SYS_rt_sigprocmask;
    register long set_bytes __asm__("r10") = 8;
    __asm__ volatile("syscall"
                     : "+a"(result)
                     : "D"(no_request), "S"(address), "d"(0L), "r"(set_bytes)
                     : "rcx", "r11", "memory");
    return result != faulted;
}

/** Makes a word readable, or says that it is not. */
static bool may_read(cursor *c, uintptr_t address) {
    if (address - c->low < c->top - c->low)
        return true;
    if (c->is_own_stack || address % WORD_BYTES != 0 || !is_mapped(address))
        return false;
    uintptr_t page = address & ~(uintptr_t)(PAGE_BYTES - 1);
    if (page != c->top + WORD_BYTES - 1)
        c->low = page; // not the next one
    c->top = page + PAGE_BYTES - (WORD_BYTES - 1);
    return true;
}

static bool read_word(void *payload, uintptr_t address, uintptr_t *out) {
    if (!may_read(payload, address))
        return false;
    *out = ubi__stack_word(address);
    return true;
}

/** What may be read from `c->sp` on. */
static void enter_stack(const ubi__unwinder *u, cursor *c) {
    c->is_own_stack = c->sp - u->stack_low < u->stack_high - u->stack_low;
    c->low = c->is_own_stack ? c->sp - RED_ZONE_BYTES : 0;
    c->top = c->is_own_stack ? u->stack_high - (WORD_BYTES - 1) : 0;
}

static cursor cursor_begin(const ubi__unwinder *u, const ubi__unwind_registers *from) {
    cursor c = { .pc = from->pc, .sp = from->sp, .bp = from->bp, .has_jumped = true };
    enter_stack(u, &c);
    return c;
}

/* ---- steps ------------------------------------------------------------------------------------------------------- */

static bool evaluate_place(const ubi__cfi_place *place, const uint8_t *expression, const ubi__cfi_state *state,
                           const uintptr_t *pushed, uintptr_t *out) {
    return ubi__cfi_evaluate(expression, place->expression_bytes, state, pushed, out);
}

/** The caller's value of a register that is `same` if nothing is said. */
static bool resolve_register(cursor *c, const ubi__cfi_place *place, const uint8_t *expression, uintptr_t cfa,
                             uintptr_t same, uintptr_t *out) {
    ubi__cfi_state state = { c->pc, c->sp, c->bp, read_word, c };
    uintptr_t address = cfa + (uintptr_t)place->offset;
    switch (place->kind) {
    case UBI__CFI_SAME:
    case UBI__CFI_UNDEFINED:
        *out = same;
        return true;
    case UBI__CFI_AT:
        return read_word(c, address, out);
    case UBI__CFI_VALUE:
        *out = address;
        return true;
    case UBI__CFI_AT_EXPRESSION:
        return evaluate_place(place, expression, &state, &cfa, &address) && read_word(c, address, out);
    case UBI__CFI_VALUE_EXPRESSION:
        return evaluate_place(place, expression, &state, &cfa, out);
    default:
        return false;
    }
}

static bool resolve_cfa(cursor *c, const ubi__unwind_long_rule *rule, uintptr_t *out) {
    const ubi__cfi_place *cfa = &rule->row.cfa;
    ubi__cfi_state state = { c->pc, c->sp, c->bp, read_word, c };
    if (cfa->kind == UBI__CFI_VALUE_EXPRESSION)
        return evaluate_place(cfa, rule->cfa, &state, NULL, out);
    *out = (cfa->base == UBI__CFI_BASE_BP ? c->bp : c->sp) + (uintptr_t)cfa->offset;
    return cfa->kind == UBI__CFI_VALUE;
}

static bool step_long(const ubi__unwinder *u, const ubi__unwind_long_rule *rule, cursor *c) {
    uintptr_t cfa, pc, sp, bp;
    if (!resolve_cfa(c, rule, &cfa) || !resolve_register(c, &rule->row.sp, rule->sp, cfa, cfa, &sp) ||
        !resolve_register(c, &rule->row.bp, rule->bp, cfa, c->bp, &bp) ||
        !resolve_register(c, &rule->row.pc, rule->pc, cfa, 0, &pc))
        return false;
    if (!rule->row.is_signal_frame && sp <= c->sp)
        return false; // only signals change to a stack that is elsewhere
    c->pc = pc + (rule->row.is_signal_frame && pc != 0);
    c->sp = sp;
    c->bp = bp;
    c->has_jumped = c->has_used_bp = true;
    if (rule->row.is_signal_frame)
        enter_stack(u, c);
    return true;
}

/** By a short rule, when not all that it reads is known to be readable. */
static bool step_short(const ubi__unwind_rule *rule, cursor *c) {
    uintptr_t cfa = (rule->kind & UBI__RULE_FROM_BP ? c->bp : c->sp) + (uintptr_t)(intptr_t)rule->cfa_offset;
    uintptr_t pc, bp = c->bp, bp_slot = 0;
    if (cfa <= c->sp || !read_word(c, cfa - WORD_BYTES, &pc))
        return false;
    if (rule->kind & UBI__RULE_BP_SAVED) {
        bp_slot = cfa + (uintptr_t)(rule->bp_words * (intptr_t)WORD_BYTES);
        if (!read_word(c, bp_slot, &bp))
            return false;
    }
    c->pc = pc;
    c->sp = cfa;
    c->bp = bp;
    c->bp_slot = bp_slot;
    c->has_jumped = false;
    c->has_used_bp = rule->kind & UBI__RULE_FROM_BP;
    return true;
}

/** Code of no module: if bp points into the thread's stack, it is taken for a frame pointer. */
static bool step_pointers(cursor *c) {
    static const ubi__unwind_rule pointers = { .kind = UBI__RULE_FROM_BP | UBI__RULE_BP_SAVED,
                                               .cfa_offset = 2 * WORD_BYTES,
                                               .bp_words = -2 };
    return c->is_own_stack && c->bp >= c->sp && c->bp % WORD_BYTES == 0 && step_short(&pointers, c);
}

/** Whether code at a return address can have come from a call: one of the instructions for that ends there. */
static bool follows_call(uintptr_t pc) {
    enum { MOST = 7, CALL = 0xe8, CALL_BYTES = 5, INDIRECT = 0xff };
    const uint8_t *code = (const uint8_t *)pc;
    if (pc < 4096 || !is_mapped((pc - MOST) & ~(uintptr_t)7) || !is_mapped((pc - 1) & ~(uintptr_t)7))
        return false;
    if (code[-CALL_BYTES] == CALL)
        return true;
    for (int n = 2; n <= MOST; n++) {
        unsigned modrm = code[1 - n], mode = modrm >> 6, base = modrm & 7;
        int bytes = 2 + (mode != 3 && base == 4) + (mode == 1 ? 1 : mode == 2 || (mode == 0 && base == 5) ? 4 : 0);
        if (code[-n] == INDIRECT && (modrm >> 3 & 7) == 2 && bytes == n)
            return true;
    }
    return false;
}

/** The same, remembered. */
static bool is_after_call(ubi__unwinder *u, uintptr_t pc) {
    uintptr_t *known = &u->after_calls[pc % (sizeof u->after_calls / sizeof *u->after_calls)];
    if (*known != pc && follows_call(pc))
        *known = pc;
    return *known == pc;
}

/**
 * Whether a function keeps frame pointers: then their prologue, `push %rbp; mov %rsp, %rbp`, is the last one before a return address in it.
 * Looked for no further away than functions are long.
 */
static bool follows_prologue(uintptr_t pc) {
    static const uint8_t prologue[] = { 0x55, 0x48, 0x89, 0xe5 };
    enum { MOST_BYTES = 1 << 16 };
    uintptr_t page = pc; /* what is known to be readable begins there */
    for (uintptr_t at = pc - sizeof prologue; pc - at < MOST_BYTES && at < pc; at--) {
        if (at < page) {
            page = at & ~(uintptr_t)(PAGE_BYTES - 1);
            if (!is_mapped(page))
                return false;
        }
        if (memcmp((const void *)at, prologue, sizeof prologue) == 0)
            return true;
    }
    return false;
}

/** The same, remembered. */
static bool keeps_frame_pointers(ubi__unwinder *u, uintptr_t pc) {
    uintptr_t *known = &u->after_prologues[pc % (sizeof u->after_prologues / sizeof *u->after_prologues)];
    if (*known != pc && follows_prologue(pc))
        *known = pc;
    return *known == pc;
}

/**
 * Code of a module that says nothing about it, such as an assembler's. That of JavaScript engines, which is made when they are built,
 * keeps frame pointers as what they make at run time does; other code may have anything in bp, often its caller's, which would be
 * passed over.
 */
static bool step_silent(ubi__unwinder *u, cursor *c) {
    return keeps_frame_pointers(u, c->pc) && step_pointers(c) && (c->pc == 0 || is_after_call(u, c->pc));
}

/** Any step: with a rule that is still unknown, with one that is not short, over a page's end. */
static __attribute__((noinline)) void step_slowly(ubi__unwinder *u, cursor *c) {
    ubi__unwind_long_rule spare;
    const ubi__unwind_rule *found = ubi__rule_find(u, c->pc);
    ubi__unwind_rule rule = found ? *found : ubi__rule_make(u, c->pc, &spare);
    bool ok;
    switch (rule.kind) {
    case UBI__RULE_OUTERMOST:
        c->stop = STOP_OUTERMOST;
        return;
    case UBI__RULE_LONG:
        ok = step_long(u, ubi__rule_long(u, &rule, &spare), c);
        break;
    case UBI__RULE_POINTERS:
        ok = step_pointers(c);
        break;
    case UBI__RULE_SILENT:
        ok = step_silent(u, c);
        break;
    case UBI__RULE_NONE:
        ok = false;
        break;
    default:
        ok = step_short(&rule, c);
    }
    if (!ok)
        c->stop = STOP_FAILED;
    else if (c->pc == 0)
        c->stop = STOP_OUTERMOST;
}

/** The same. A copy, so that the cursor of those who step fast can stay in registers. */
static inline __attribute__((always_inline)) cursor slow_step(ubi__unwinder *u, cursor c) {
    cursor copy = c;
    step_slowly(u, &copy);
    return copy;
}

/** From a frame to its caller. */
static inline __attribute__((always_inline)) cursor cursor_step(ubi__unwinder *u, cursor c) {
    const ubi__unwind_rule *rule = ubi__rule_find(u, c.pc);
    if (__builtin_expect(!rule || rule->kind >= UBI__RULE_SHORT_END, 0))
        return slow_step(u, c);
    uintptr_t cfa = (rule->kind & UBI__RULE_FROM_BP ? c.bp : c.sp) + (uintptr_t)(intptr_t)rule->cfa_offset;
    uintptr_t slot = cfa - WORD_BYTES;
    uintptr_t bp_slot = cfa + (uintptr_t)(rule->bp_words * (intptr_t)WORD_BYTES);
    bool saved = rule->kind & UBI__RULE_BP_SAVED;
    uintptr_t readable = c.top - c.low;
    if (__builtin_expect(slot < c.sp || slot - c.low >= readable || (saved && bp_slot - c.low >= readable), 0))
        return slow_step(u, c);
    uintptr_t pc = ubi__stack_word(slot);
    if (__builtin_expect(pc == 0, 0)) {
        c.stop = STOP_OUTERMOST;
        return c;
    }
    c.pc = pc;
    c.sp = cfa;
    c.bp_slot = saved ? bp_slot : 0;
    c.bp = saved ? ubi__stack_word(bp_slot) : c.bp;
    c.has_jumped = false;
    c.has_used_bp = rule->kind & UBI__RULE_FROM_BP;
    return c;
}

_Static_assert(2 * (sizeof(ubi__unwind_frame) + sizeof(uintptr_t) + sizeof(uint64_t)) == 96, "96 bytes each");

/** The arrays of the last walk, which end with a frame that no walk reaches. */
static void check_frames(const ubi__unwinder *u) {
    UBI_ASSERT(u->first <= u->max_depth && u->max_depth <= UBI__UNWIND_MAX_DEPTH);
    UBI_ASSERT(u->frames[u->max_depth].sp == UINTPTR_MAX);
    for (size_t i = u->first; UBI_CHECKS && i < u->max_depth; i++) {
        UBI_ASSERT(u->frames[i].sp < u->frames[i + 1].sp);
        UBI_ASSERT(u->frames[i].bp_mask == 0 || u->frames[i].bp_mask == UINTPTR_MAX);
        UBI_ASSERT(u->frames[i].bp_slot != 0);
    }
}

void ubi__unwinder_check(const ubi__unwinder *u) {
    UBI_ASSERT(u->stack_low <= u->stack_high);
    check_frames(u);
    ubi__rules_check(u);
}

/* ---- the last walk ----------------------------------------------------------------------------------------------- */

/** Not 0: memory no longer leads to kept frame i from the one before it. */
__attribute__((no_sanitize("address", "thread"))) static inline uintptr_t frame_change(const ubi__unwinder *u,
                                                                                       size_t i) {
    const ubi__unwind_frame *frame = &u->frames[i];
    return (ubi__stack_word(frame->sp - WORD_BYTES) ^ u->pcs[i]) | (ubi__stack_word(frame->bp_slot) ^ frame->bp);
}

/** The first frame after kept frame i that memory no longer leads to from there; max_depth: it leads through all, as it does mostly. */
__attribute__((no_sanitize("address", "thread"))) static size_t first_changed(const ubi__unwinder *u, size_t i) {
    enum { AT_ONCE = 4 };
    for (i++; i + AT_ONCE <= u->max_depth; i += AT_ONCE)
        if ((frame_change(u, i) | frame_change(u, i + 1) | frame_change(u, i + 2) | frame_change(u, i + 3)) != 0)
            break;
    while (i < u->max_depth && frame_change(u, i) == 0)
        i++;
    return i;
}

/** The frames that a walk meets until it ends, or comes to a frame of the last one after which all is as it was. */
typedef struct stretch {
    size_t n;    /* new frames, in u->new_frames and new_pcs */
    size_t base; /* the kept frame that called the outermost of them; max_depth: none */
    size_t keep; /* the first of them that can be kept */
    cursor last; /* at `base`, or at the outermost frame */
    ubi__unwind_end end;
} stretch;

static bool is_at(const ubi__unwinder *u, const cursor *c, size_t i) {
    return ubi__frame_is_at(&u->frames[i], c->sp, c->bp) && u->pcs[i] == c->pc && c->is_own_stack;
}

/** @param base  the kept frame to look for first; max_depth: do not look for any. */
static stretch collect_stretch(ubi__unwinder *u, const ubi__unwind_registers *from, size_t base) {
    stretch s = { .end = UBI__UNWIND_TRUNCATED };
    cursor c = cursor_begin(u, from);
    for (; c.stop == GO_ON; c = cursor_step(u, c)) {
        if (c.has_jumped)
            s.keep = s.n;
        while (u->frames[base].sp < c.sp) // the one after the outermost has the greatest sp
            base++;
        if (is_at(u, &c, base)) {
            size_t changed = first_changed(u, base);
            if (changed == u->max_depth)
                break;
            base = changed; // all frames up to there lead to a word that changed
        }
        if (s.n == u->max_depth) {
            base = u->max_depth;
            break;
        }
        u->new_pcs[s.n] = c.pc;
        u->new_frames[s.n++] = (ubi__unwind_frame){ c.sp, c.bp, c.bp_slot, c.has_used_bp };
    }
    if (c.stop != GO_ON) {
        base = u->max_depth;
        s.end = c.stop == STOP_OUTERMOST ? UBI__UNWIND_COMPLETE : UBI__UNWIND_FAILED;
    }
    s.base = base;
    s.last = c;
    return s;
}

/*
 * A stack much deeper than the greatest depth would be walked from the start whenever it grows by one frame, as another
 * frame is the outermost kept one then. So it is cut nearer to the leaf than need be, by this much, and may grow by as
 * much until it is cut again, and shrink: a deep stack has enough cut off to stay too deep.
 */
static size_t depth_slack(const ubi__unwinder *u) {
    return u->max_depth / 4;
}

/** Whether new frames and the kept ones after them are the whole stack, or all that the greatest depth allows. */
static bool is_whole(const ubi__unwinder *u, const stretch *s) {
    size_t n = s->n + (u->max_depth - s->base); // with the kept ones
    size_t least = u->is_cut_deep ? u->max_depth - 2 * depth_slack(u) : u->max_depth;
    return s->n <= s->base && (u->end != UBI__UNWIND_TRUNCATED || n >= least);
}

/** Cuts a walk that met the greatest depth, if the stack is much deeper. */
static void cut_deep(ubi__unwinder *u, stretch *s) {
    cursor c = s->last; // at the first frame that is too many
    for (size_t i = 0; c.stop == GO_ON && i < depth_slack(u); i++)
        c = cursor_step(u, c);
    u->is_cut_deep = depth_slack(u) > 0 && c.stop == GO_ON && s->keep < s->n - depth_slack(u);
    UBI_ASSERT(!u->is_cut_deep || s->n >= depth_slack(u));
    if (u->is_cut_deep)
        s->n -= depth_slack(u);
}

/** Where the bp of a frame was read, if it counts. */
static void set_bp_slot(ubi__unwind_frame *frame, uintptr_t bp_slot) {
    frame->bp_slot = bp_slot && frame->bp_mask ? bp_slot : (uintptr_t)&frame->bp;
}

/** Whether the bp of a frame counts, by the step from it to its caller. */
static uintptr_t bp_mask(bool used_bp, uintptr_t bp_slot, uintptr_t mask_of_caller) {
    return used_bp ? UINTPTR_MAX : bp_slot ? 0 : mask_of_caller;
}

/** Puts the new frames in front of those that stay, and reports them. */
static void keep_walk(ubi__unwinder *u, const stretch *s, ubi__walk *out) {
    UBI_ASSERT(s->n <= s->base && s->keep <= s->n && s->base <= u->max_depth);
    size_t base = s->base, first = base - s->n;
    uintptr_t mask = UINTPTR_MAX; // of the outermost frame, whose end may have depended on it
    if (base < u->max_depth) {
        set_bp_slot(&u->frames[base], s->last.bp_slot);
        mask = bp_mask(s->last.has_used_bp, s->last.bp_slot, u->frames[base].bp_mask);
    } else {
        u->end = s->end;
        u->failed_pc = s->last.pc;
    }
    for (size_t i = s->n; i-- > 0;) {
        const ubi__unwind_frame *frame = &u->new_frames[i];
        bool used_bp = frame->bp_mask != 0; // until here, it says whether the step to this frame did
        u->pcs[first + i] = u->new_pcs[i];
        u->tags[first + i] = 0;
        u->frames[first + i] = (ubi__unwind_frame){ .sp = frame->sp, .bp = frame->bp, .bp_mask = mask };
        set_bp_slot(&u->frames[first + i], frame->bp_slot);
        mask = bp_mask(used_bp, frame->bp_slot, mask);
    }
    u->first = first + s->keep;
    check_frames(u);
    *out = (ubi__walk){ .pcs = u->pcs + first,
                        .tags = u->tags + first,
                        .n = s->n,
                        .base_tag = base < u->max_depth ? u->tags[base] : 0,
                        .end = u->end,
                        .failed_pc = u->failed_pc };
}

/** Reports a walk on a stack that is not the thread's own, and leaves the last one on that alone. */
static void pass_walk(ubi__unwinder *u, const stretch *s, ubi__walk *out) {
    memset(u->new_tags, 0, s->n * sizeof *u->new_tags);
    *out = (ubi__walk){ .pcs = u->new_pcs, .tags = u->new_tags, .n = s->n, .end = s->end, .failed_pc = s->last.pc };
}

void ubi__unwind(ubi__unwinder *u, const ubi__unwind_registers *from, ubi__walk *out) {
    stretch s = collect_stretch(u, from, u->first);
    bool usable = s.base == u->max_depth || (is_whole(u, &s) && u->tags[s.base] != 0);
    if (!usable)
        s = collect_stretch(u, from, u->max_depth);
    if (s.last.is_own_stack && s.base == u->max_depth && s.end == UBI__UNWIND_TRUNCATED)
        cut_deep(u, &s);
    if (s.last.is_own_stack)
        keep_walk(u, &s, out);
    else
        pass_walk(u, &s, out);
}

static ubi__unwind_end end_of_walk(const cursor *c) {
    return c->stop == STOP_OUTERMOST ? UBI__UNWIND_COMPLETE
           : c->stop == STOP_FAILED  ? UBI__UNWIND_FAILED
                                     : UBI__UNWIND_TRUNCATED;
}

size_t ubi__unwind_all(ubi__unwinder *u, const ubi__unwind_registers *from, uintptr_t *pcs, size_t max,
                       ubi__unwind_end *end) {
    size_t n = 0;
    cursor c = cursor_begin(u, from);
    for (; c.stop == GO_ON && n < max; c = cursor_step(u, c))
        pcs[n++] = c.pc;
    *end = end_of_walk(&c);
    return n;
}

size_t ubi__unwind_states(ubi__unwinder *u, const ubi__unwind_registers *from, ubi__unwind_registers *states,
                          size_t max, ubi__unwind_end *end) {
    size_t n = 0;
    cursor c = cursor_begin(u, from);
    for (; c.stop == GO_ON && n < max; c = cursor_step(u, c))
        states[n++] = (ubi__unwind_registers){ c.pc, c.sp, c.bp };
    *end = end_of_walk(&c);
    return n;
}

bool ubi__unwind_is_signal_frame(const ubi__unwinder *u, uintptr_t pc) {
    const ubi__unwind_rule *rule = pc ? ubi__rule_find(u, pc) : NULL;
    return rule && rule->kind == UBI__RULE_LONG && ubi__rule_long(u, rule, NULL)->row.is_signal_frame;
}

/* ---- an unwinder ------------------------------------------------------------------------------------------------- */

/** Lays out the arrays, those with the greatest alignment first. All have room for one more than the depth. */
static void lay_out(ubi__unwinder *u, void *block) {
    size_t n = u->max_depth + 1;
    u->frames = block;
    u->new_frames = u->frames + n;
    u->pcs = (uintptr_t *)(u->new_frames + n);
    u->new_pcs = u->pcs + n;
    u->tags = (uint64_t *)(u->new_pcs + n);
    u->new_tags = u->tags + n;
}

bool ubi__unwinder_init(ubi__unwinder *u, const ubi__unwind_memory *memory, size_t max_depth) {
    ubi__unwinder made = { .memory = *memory, .max_depth = max_depth, .first = max_depth };
    if (max_depth < 1 || max_depth > UBI__UNWIND_MAX_DEPTH)
        return false;
    made.block_bytes = (max_depth + 1) * 2 * (sizeof(ubi__unwind_frame) + sizeof(uintptr_t) + sizeof(uint64_t));
    void *block = memory->map(memory->payload, made.block_bytes);
    if (!block)
        return false;
    lay_out(&made, block);
    made.frames[max_depth].sp = UINTPTR_MAX;
    ubi__rules_init(&made);
    *u = made;
    ubi__unwinder_check(u);
    return true;
}

void ubi__unwinder_fini(ubi__unwinder *u) {
    ubi__unwinder_check(u);
    ubi__rules_fini(u);
    ubi__memos_fini(u);
    u->memory.unmap(u->memory.payload, u->frames, u->block_bytes);
}

void ubi__unwinder_set_stack(ubi__unwinder *u, uintptr_t low, uintptr_t high) {
    u->stack_low = low;
    u->stack_high = high;
    ubi__unwinder_forget_walk(u);
}

void ubi__unwinder_forget_walk(ubi__unwinder *u) {
    u->first = u->max_depth;
    ubi__memos_forget(u);
}

void ubi__unwinder_forget_modules(ubi__unwinder *u) {
    memset(u->after_calls, 0, sizeof u->after_calls);
    memset(u->after_prologues, 0, sizeof u->after_prologues);
    ubi__rules_forget(u);
    ubi__unwinder_forget_walk(u);
}

#else

typedef int ubi__other_processor; // ISO C wants something in a file; unwind_fallback.c has the walker

#endif
