/* SPDX-License-Identifier: MIT
 *
 * unwind_fallback.c: walking the stack of processors that unwind.c does not know.
 *
 * The compiler's own unwinder (libgcc's or LLVM's) walks, from here outwards; frames up to the wanted one are left
 * out. So it is right where exceptions are, but slow, every walk is all new, and only the stack at hand can be
 * walked.
 *
 * Data: of an unwinder's arrays, new_pcs and new_tags alone.
 */
#include "unwind/unwind.h"

#if !defined(__x86_64__)

#include <string.h>
#include <unwind.h>

#include "base/assert.h"

typedef struct collection {
    uintptr_t sp;                  /* of the frame where the walk starts */
    uintptr_t *pcs;                /* where frames go: here, */
    ubi__unwind_registers *states; /* or here; the other is NULL */
    size_t n, max;
    bool has_more;
} collection;

static void collection_put(collection *c, ubi__unwind_registers frame) {
    if (c->pcs)
        c->pcs[c->n++] = frame.pc;
    else
        c->states[c->n++] = frame;
}

static _Unwind_Reason_Code collect_frame(struct _Unwind_Context *context, void *payload) {
    collection *c = payload;
    int interrupted = 0;
    uintptr_t pc = _Unwind_GetIPInfo(context, &interrupted), sp = (uintptr_t)_Unwind_GetCFA(context);
    if (pc == 0 || sp <= c->sp)
        return _URC_NO_REASON;
    c->more = c->n == c->max;
    if (c->more)
        return _URC_END_OF_STACK;
    collection_put(c, (ubi__unwind_registers){ .pc = pc + (interrupted != 0), .sp = sp });
    return _URC_NO_REASON;
}

static size_t collection_walk(collection *c, const ubi__unwind_registers *from, ubi__unwind_end *end) {
    c->sp = from->sp;
    c->more = c->max == 0;
    if (c->max > 0) {
        collection_put(c, *from);
        _Unwind_Backtrace(collect_frame, c);
    }
    *end = c->more ? UBI__UNWIND_TRUNCATED : c->n > 1 ? UBI__UNWIND_COMPLETE : UBI__UNWIND_FAILED;
    return c->n;
}

size_t ubi__unwind_all(ubi__unwinder *u, const ubi__unwind_registers *from, uintptr_t *pcs, size_t max,
                       ubi__unwind_end *end) {
    (void)u;
    return collection_walk(&(collection){ .pcs = pcs, .max = max }, from, end);
}

/** Of callers, bp is unknown: 0. */
size_t ubi__unwind_states(ubi__unwinder *u, const ubi__unwind_registers *from, ubi__unwind_registers *states,
                          size_t max, ubi__unwind_end *end) {
    (void)u;
    return collection_walk(&(collection){ .states = states, .max = max }, from, end);
}

bool ubi__unwind_is_signal_frame(const ubi__unwinder *u, uintptr_t pc) {
    (void)u, (void)pc;
    return false;
}

void ubi__unwind(ubi__unwinder *u, const ubi__unwind_registers *from, ubi__walk *out) {
    ubi__unwind_end end;
    size_t n = ubi__unwind_all(u, from, u->new_pcs, u->max_depth, &end);
    memset(u->new_tags, 0, n * sizeof *u->new_tags);
    *out = (ubi__walk){ .pcs = u->new_pcs, .tags = u->new_tags, .n = n, .end = end, .failed_pc = from->pc };
}

uint32_t *ubi__unwind_remember_as(ubi__unwinder *u, const ubi__unwind_registers *from) {
    (void)u, (void)from;
    return NULL;
}

uint32_t ubi__unwind_recall(ubi__unwinder *u, const ubi__unwind_registers *from) {
    (void)u, (void)from;
    return 0;
}

void ubi__unwind_set_blind(bool is_blind) {
    (void)is_blind;
}

bool ubi__unwinder_init(ubi__unwinder *u, const ubi__unwind_memory *memory, size_t max_depth) {
    ubi__unwinder made = { .memory = *memory, .max_depth = max_depth };
    if (max_depth < 1 || max_depth > UBI__UNWIND_MAX_DEPTH)
        return false;
    made.block_bytes = max_depth * (sizeof *made.new_pcs + sizeof *made.new_tags);
    made.new_pcs = memory->map(memory->payload, made.block_bytes);
    if (!made.new_pcs)
        return false;
    made.new_tags = (uint64_t *)(made.new_pcs + max_depth);
    *u = made;
    return true;
}

void ubi__unwinder_check(const ubi__unwinder *u) {
    UBI_ASSERT(u->stack_low <= u->stack_high && u->new_tags == (uint64_t *)(u->new_pcs + u->max_depth));
}

void ubi__unwinder_fini(ubi__unwinder *u) {
    u->memory.unmap(u->memory.payload, u->new_pcs, u->block_bytes);
}

void ubi__unwinder_set_stack(ubi__unwinder *u, uintptr_t low, uintptr_t high) {
    u->stack_low = low;
    u->stack_high = high;
}

void ubi__unwinder_forget_walk(ubi__unwinder *u) {
    (void)u; // there is none
}

void ubi__unwinder_forget_modules(ubi__unwinder *u) {
    (void)u;
}

#else

typedef int ubi__known_processor; // ISO C wants something in a file

#endif
