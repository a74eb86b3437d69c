/* SPDX-License-Identifier: MIT
 *
 * trace_tree.h: numbers of stacks.
 *
 * A stack is known by its print: 64 bits, mixed of the print of the stack that called and the return address in it. So
 * however many of its frames are new, one look-up shows whether a stack has a number, which matters where there are a
 * million of them: each look-up then waits for memory. Stacks that differ only in their innermost frame never collide. Two of a
 * million stacks collide with probability 3e-8; they would then count as one.
 *
 * The table (open addressing, at most 2/3 full) grows, for one of one size is too small for a compiler and too large for
 * the cache of anything else. 18 to 36 bytes a stack. One context's, so no locks. It is not base/table.h's, whose slots would be
 * 16 bytes and not 12, and whose look-up takes 32 instructions and not 16; there is no ubi_allocator here, either.
 */
#ifndef UBI_INTERPOSE_TRACE_TREE_H
#define UBI_INTERPOSE_TRACE_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Prints of what no frame called. */
typedef enum ubi__trace_root {
    UBI__TRACE_ROOT_OUTERMOST = 1,
    UBI__TRACE_ROOT_TRUNCATED,
    UBI__TRACE_ROOT_FAILED
} ubi__trace_root;

typedef struct __attribute__((packed)) ubi__trace_slot {
    uint64_t print;
    uint32_t number; /* 0: empty */
} ubi__trace_slot;
_Static_assert(sizeof(ubi__trace_slot) == 12, "12 bytes, times 1.5 to 3");

typedef struct ubi__trace_tree {
    ubi__trace_slot *slots;
    size_t n_slots; /* a power of two */
    unsigned shift; /* 64 - log2(n_slots) */
    uint32_t n;     /* of stacks; the last number that was given */
} ubi__trace_tree;

/** Slots are a power of two, at most 2/3 of them full; stacks have the numbers from 1 on, and are found by their prints. */
void ubi__trace_tree_check(const ubi__trace_tree *t);
/** @return false: no memory. */
bool ubi__trace_tree_init(ubi__trace_tree *t);
void ubi__trace_tree_fini(ubi__trace_tree *t);
/** Takes out everything. */
void ubi__trace_tree_clear(ubi__trace_tree *t);
/** A number for a stack that has none, n + 1. @return 0: no memory, or no numbers left. */
uint32_t ubi__trace_tree_add(ubi__trace_tree *t, uint64_t print);

/** The print of `pc`, called by the stack of that print. Not 0; else a bijection for one caller, and for one pc. */
static inline uint64_t ubi__trace_print(uint64_t caller, uint64_t pc) {
    uint64_t x = (caller ^ pc) * UINT64_C(0x9e3779b97f4a7c15);
    x ^= x >> 32;
    return x ? x : 1;
}

/** The slot of a stack, or the empty one for it. There is always one. */
static inline ubi__trace_slot *ubi__trace_tree_slot(const ubi__trace_tree *t, uint64_t print) {
    size_t i = (size_t)(print * UINT64_C(0xd6e8feb86659fd93) >> t->shift);
    while (t->slots[i].number && t->slots[i].print != print)
        i = (i + 1) & (t->n_slots - 1);
    return &t->slots[i];
}

/** The number of a stack is asked for soon: it will not wait for memory as long. */
static inline __attribute__((always_inline)) void ubi__trace_tree_prefetch(const ubi__trace_tree *t, uint64_t print) {
    __builtin_prefetch(&t->slots[print * UINT64_C(0xd6e8feb86659fd93) >> t->shift]);
}

/** The number of a stack; 0: it has none yet. */
static inline uint32_t ubi__trace_tree_find(const ubi__trace_tree *t, uint64_t print) {
    return ubi__trace_tree_slot(t, print)->number;
}

#endif
