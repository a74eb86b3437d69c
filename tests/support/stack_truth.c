/* SPDX-License-Identifier: MIT
 *
 * stack_truth.c: walking twice, and comparing.
 */
#include <assert.h>
#include <execinfo.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unwind.h>

#include "stack_truth.h"

#define MAX_NODES (UINT32_C(1) << 20)
#define N_PLACES (2 * MAX_NODES)

typedef struct truth_node {
    uintptr_t pc; /* of a root: what failed */
    uint32_t parent;
} truth_node;

/* Nodes 1 to 3 are roots, for the ends of a stack. */
enum { FIRST_ROOT = 1, FIRST_FRAME = 4 };

static void *map_pages(void *payload, size_t size_bytes) {
    (void)payload;
    void *p = mmap(NULL, size_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

static void unmap_pages(void *payload, void *p, size_t size_bytes) {
    (void)payload;
    munmap(p, size_bytes);
}

const ubi__unwind_memory truth_memory = { map_pages, unmap_pages, NULL };

void stack_truth_bounds(uintptr_t *low, uintptr_t *high) {
    pthread_attr_t attributes;
    void *start;
    size_t size_bytes;
    int failed = pthread_getattr_np(pthread_self(), &attributes);
    assert(!failed);
    failed = pthread_attr_getstack(&attributes, &start, &size_bytes);
    assert(!failed);
    pthread_attr_destroy(&attributes);
    *low = (uintptr_t)start;
    *high = *low + size_bytes;
}

void stack_truth_init(stack_truth *t, size_t max_depth) {
    memset(t, 0, sizeof *t);
    uintptr_t low, high;
    bool made = ubi__unwinder_init(&t->unwinder, &truth_memory, max_depth);
    t->nodes = map_pages(NULL, MAX_NODES * sizeof *t->nodes);
    t->places = map_pages(NULL, N_PLACES * sizeof *t->places);
    assert(made && t->nodes && t->places);
    t->n_nodes = FIRST_FRAME;
    stack_truth_bounds(&low, &high);
    ubi__unwinder_set_stack(&t->unwinder, low, high);
    void *warm[2];
    backtrace(warm, 2); // loads libgcc, with malloc, which a signal handler had better not do
}

void stack_truth_fini(stack_truth *t) {
    ubi__unwinder_fini(&t->unwinder);
    munmap(t->nodes, MAX_NODES * sizeof *t->nodes);
    munmap(t->places, N_PLACES * sizeof *t->places);
}

/* ---- ours, as a recorder has it ---------------------------------------------------------------------------------- */

static uint32_t child(stack_truth *t, uint32_t parent, uintptr_t pc) {
    uint64_t mixed = (pc ^ (uint64_t)parent << 40) * UINT64_C(0x9e3779b97f4a7c15);
    for (size_t at = mixed >> 43;; at = (at + 1) % N_PLACES) {
        uint32_t node = t->places[at];
        if (node != 0 && t->nodes[node].pc == pc && t->nodes[node].parent == parent)
            return node;
        if (node != 0)
            continue;
        assert(t->n_nodes < MAX_NODES);
        t->nodes[t->n_nodes] = (truth_node){ pc, parent };
        t->places[at] = t->n_nodes;
        return t->n_nodes++;
    }
}

/* Whether two stacks are one that was cut at different depths, or one. */
static bool same_except_the_cut(const stack_truth *t, uint32_t a, uint32_t b) {
    while (a != b && a >= FIRST_FRAME && b >= FIRST_FRAME && t->nodes[a].pc == t->nodes[b].pc) {
        a = t->nodes[a].parent;
        b = t->nodes[b].parent;
    }
    const uint32_t is_cut = FIRST_ROOT + UBI__UNWIND_TRUNCATED;
    return a == b || a == is_cut || b == is_cut;
}

/* The whole stack again, as one that comes again is reported: by its number, which must be that of the walk. */
static void recall(stack_truth *t, const ubi__unwind_registers *from, uint32_t number) {
    uint32_t known = ubi__unwind_recall(&t->unwinder, from);
    t->n_known += known != 0;
    t->n_wrong += known != 0 && !same_except_the_cut(t, known, number);
    ubi__unwind_remember(&t->unwinder, from, number);
}

static void walk_with_memory(stack_truth *t, const ubi__unwind_registers *from) {
    ubi__walk walk;
    ubi__unwind(&t->unwinder, from, &walk);
    uint32_t tag = walk.base_tag ? (uint32_t)walk.base_tag : FIRST_ROOT + walk.end;
    for (size_t i = walk.n; i-- > 0;) {
        assert(walk.tags[i] == 0);
        tag = child(t, tag, walk.pcs[i]);
        walk.tags[i] = tag;
    }
    recall(t, from, tag);
    t->ours.n = 0;
    for (; tag >= FIRST_FRAME; tag = t->nodes[tag].parent)
        t->ours.pcs[t->ours.n++] = t->nodes[tag].pc;
    t->ours.end = tag - FIRST_ROOT;
    t->n_wrong += t->ours.end != walk.end;
    t->n_new += walk.n;
    t->n_frames += t->ours.n;
    t->failed_pc = walk.failed_pc;
}

/* ---- theirs ------------------------------------------------------------------------------------------------------ */

static _Unwind_Reason_Code note_frame(struct _Unwind_Context *context, void *payload) {
    truth_stack *stack = payload;
    int interrupted;
    uintptr_t pc = _Unwind_GetIPInfo(context, &interrupted);
    if (pc != 0 && stack->n < TRUTH_DEPTH)
        stack->pcs[stack->n++] = pc + (interrupted != 0);
    return _URC_NO_REASON;
}

static void cut(truth_stack *stack, size_t max_depth) {
    if (stack->n > max_depth) {
        stack->n = max_depth;
        stack->end = UBI__UNWIND_TRUNCATED;
    }
}

/* ---- comparing --------------------------------------------------------------------------------------------------- */

static void print_stack(const char *name, const truth_stack *stack) {
    fprintf(stderr, "%s, %zu frames, end %d:", name, stack->n, (int)stack->end);
    for (size_t i = 0; i < stack->n && i < 200; i++)
        fprintf(stderr, " %zx", (size_t)stack->pcs[i]);
    fprintf(stderr, "\n");
}

static bool same(const truth_stack *a, const truth_stack *b) {
    return a->end == b->end && a->n == b->n && memcmp(a->pcs, b->pcs, a->n * sizeof *a->pcs) == 0;
}

/** With memory of the last walk, a stack that is too deep may be cut nearer to the leaf: half of the greatest depth is left. */
static bool same_as_kept(const truth_stack *ours, const truth_stack *theirs, size_t max_depth) {
    if (theirs->end != UBI__UNWIND_TRUNCATED)
        return same(ours, theirs);
    return ours->end == UBI__UNWIND_TRUNCATED && ours->n <= max_depth && ours->n >= max_depth - 2 * (max_depth / 4) &&
           memcmp(ours->pcs, theirs->pcs, ours->n * sizeof *ours->pcs) == 0;
}

/** Compares with libgcc's stack, which has been taken and begins with `from`. */
static bool compare(stack_truth *t, const ubi__unwind_registers *from) {
    t->n_checks++;
    walk_with_memory(t, from);
    t->plain.n = ubi__unwind_all(&t->unwinder, from, t->plain.pcs, t->unwinder.max_depth, &t->plain.end);
    cut(&t->theirs, t->unwinder.max_depth);
    if (t->plain.end == UBI__UNWIND_FAILED) {
        t->n_failed++; // what has been walked is still to be right
        cut(&t->theirs, t->plain.n);
        t->theirs.end = UBI__UNWIND_FAILED;
    }
    bool right = same_as_kept(&t->ours, &t->theirs, t->unwinder.max_depth) && same(&t->plain, &t->theirs);
    if (!right && t->n_wrong++ < 3) {
        print_stack("with memory of the last walk", &t->ours);
        print_stack("without", &t->plain);
        print_stack("libgcc", &t->theirs);
    }
    return right;
}

/** Whether glibc's backtrace() says what libgcc says. It cannot distinguish interrupted frames from others; and what checks calls for
 *  mistakes (AddressSanitizer) has a frame in front. */
static bool agrees(const truth_stack *theirs, void *const *frames, size_t n, size_t n_asked) {
    size_t extra = 0;
    while (extra + 1 < n && (uintptr_t)frames[extra + 1] != theirs->pcs[1])
        extra++;
    if (n - extra != theirs->n && n != n_asked)
        return false;
    for (size_t i = 1; i < n - extra; i++) {
        uintptr_t pc = (uintptr_t)frames[extra + i];
        if (pc != theirs->pcs[i] && pc + 1 != theirs->pcs[i])
            return false;
    }
    return true;
}

__attribute__((noinline)) bool stack_truth_check(stack_truth *t) {
    enum { ASKED = 256 };
    void *frames[ASKED];
    t->theirs.n = 0;
    t->theirs.end = UBI__UNWIND_COMPLETE;
    _Unwind_Backtrace(note_frame, &t->theirs);
    size_t n = (size_t)backtrace(frames, ASKED);
    bool agreed = agrees(&t->theirs, frames, n, ASKED);
    ubi__unwind_registers here = ubi__unwind_here();
    t->theirs.pcs[0] = here.pc;
    t->n_wrong += !agreed;
    return compare(t, &here) && agreed;
}

__attribute__((noinline)) bool stack_truth_check_from(stack_truth *t, const ubi__unwind_registers *from) {
    t->theirs.n = 0;
    t->theirs.end = UBI__UNWIND_COMPLETE;
    _Unwind_Backtrace(note_frame, &t->theirs);
    size_t first = 0;
    while (first < t->theirs.n && t->theirs.pcs[first] != from->pc)
        first++;
    t->theirs.n -= first;
    memmove(t->theirs.pcs, t->theirs.pcs + first, t->theirs.n * sizeof *t->theirs.pcs);
    return compare(t, from);
}
