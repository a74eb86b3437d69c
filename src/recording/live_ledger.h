/* SPDX-License-Identifier: MIT
 *
 * live_ledger.h: which allocations of a recording live, by their numbers, each with a value.
 *
 * Numbers count up, and most allocations are freed soon. So what is young is in pages by number, which are written in their
 * order and read while they are still in the cache. A page of which a quarter is left gives it to a table of entries
 * (base/table.h) when the next page begins, and is used again. As long as little lives, a page may keep a 32nd: most of it is freed a little
 * later. Only adding asks for memory.
 *
 * Memory: 8 to 32 bytes per allocation that lives, 16 MiB at most of pages that have less, as much again at most (2 MiB) that waits, and a byte for 32 allocations that there ever were.
 */
#ifndef UBI_RECORDING_LIVE_LEDGER_H
#define UBI_RECORDING_LIVE_LEDGER_H

#include "base/alloc.h"
#include "base/hash.h"
#include "base/table.h"

#define UBI__LEDGER_PAGE_NUMBERS 512u

typedef struct ubi__ledger_page {
    uint64_t values[UBI__LEDGER_PAGE_NUMBERS]; /* 0: does not live */
    struct ubi__ledger_page *next;             /* of pages that wait: to be given up, or, all zero, to be used again */
    uint64_t i;                                /* of the page */
    bool is_waiting;                           /* to be given up */
} ubi__ledger_page;

/** Counts are here, close together: each change of a page changes its count. */
typedef struct ubi__ledger_entry {
    ubi__ledger_page *page; /* NULL: what lives of these numbers is in `old` */
    uint64_t n;             /* that live in the page */
} ubi__ledger_entry;

typedef struct ubi__ledger_slot {
    uint64_t key; /* number + 1; 0: empty slot */
    uint64_t value;
} ubi__ledger_slot;

static inline bool ubi__ledger_slot_is_used(const ubi__ledger_slot *slot) {
    return slot->key != 0;
}
static inline uint64_t ubi__ledger_slot_hash(const ubi__ledger_slot *slot) {
    return ubi__hash_u64(slot->key);
}
UBI_TABLE_DECLARE(ubi__ledger_slots, ubi__ledger_slot, ubi__ledger_slot_is_used, ubi__ledger_slot_hash);
UBI_VEC_DECLARE(ubi__vec_ledger_entry, ubi__ledger_entry);

/** Pages that were asked for together: of the large ones, the system looks up addresses faster. */
typedef struct ubi__ledger_slab {
    ubi__ledger_page *pages; /* pages[n] */
    size_t n;
} ubi__ledger_slab;
UBI_VEC_DECLARE(ubi__vec_ledger_slab, ubi__ledger_slab);

typedef struct ubi__live_ledger {
    const ubi_allocator *allocator;
    size_t n;                    /* that live */
    ubi__vec_ledger_entry pages; /* by number. The last one is there */
    ubi__ledger_page *waiting;   /* to be given up, as there is little in them */
    ubi__ledger_page *spare;
    ubi__vec_ledger_slab slabs; /* which all pages are in */
    size_t n_taken;             /* pages of the last slab that were ever used */
    ubi__ledger_slots old;
} ubi__live_ledger;

/** What lives is counted where it is, and once. */
void ubi__live_ledger_check(const ubi__live_ledger *l);
void ubi__live_ledger_init(ubi__live_ledger *l, const ubi_allocator *allocator);
void ubi__live_ledger_fini(ubi__live_ledger *l);

/** Adds what does not live; `value` is not 0. Errors: UBI_ENOMEM, and nothing is added. Cost: O(1), in turn. */
ubi_status ubi__live_ledger_add(ubi__live_ledger *l, uint64_t number, uint64_t value);
/** The value of what lives; 0: it does not. Cost: O(1). */
static inline uint64_t ubi__live_ledger_get(const ubi__live_ledger *l, uint64_t number);
/** Takes out what lives. @return its value; 0: it does not live, and nothing changes. Cost: O(1), in turn. */
uint64_t ubi__live_ledger_take(ubi__live_ledger *l, uint64_t number);
/** What is asked about this number soon will not wait for memory. */
static inline void ubi__live_ledger_prefetch(const ubi__live_ledger *l, uint64_t number);
/** Calls `fn` for all that live: the young in the order of their numbers, then the others in any. */
void ubi__live_ledger_each(const ubi__live_ledger *l, void (*fn)(void *payload, uint64_t number, uint64_t value),
                           void *payload);

/** NULL: it is not in one. */
static inline ubi__ledger_page *ubi__ledger_page_of(const ubi__live_ledger *l, uint64_t number) {
    uint64_t page = number / UBI__LEDGER_PAGE_NUMBERS;
    return ubi__likely(page < l->pages.n) ? l->pages.at[page].page : NULL;
}

uint64_t ubi__live_ledger_get_old(const ubi__live_ledger *l, uint64_t number);

static inline uint64_t ubi__live_ledger_get(const ubi__live_ledger *l, uint64_t number) {
    const ubi__ledger_page *page = ubi__ledger_page_of(l, number);
    return page ? page->values[number % UBI__LEDGER_PAGE_NUMBERS] : ubi__live_ledger_get_old(l, number);
}

static inline __attribute__((always_inline)) void ubi__live_ledger_prefetch(const ubi__live_ledger *l,
                                                                            uint64_t number) {
    const ubi__ledger_page *page = ubi__ledger_page_of(l, number);
    if (page)
        __builtin_prefetch(&page->values[number % UBI__LEDGER_PAGE_NUMBERS], 1);
    else
        ubi__ledger_slots_prefetch(&l->old, ubi__hash_u64(number + 1));
}

#endif
