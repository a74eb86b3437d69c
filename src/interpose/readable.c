/* SPDX-License-Identifier: MIT
 *
 * readable.c: see readable.h.
 *
 * A place holds the number of a page, and the round in which it was found: forgetting begins another round.
 */
#include "interpose/readable.h"

#include <stdatomic.h>
#include <string.h>

#include "interpose/system_calls.h"

#define PAGE_BITS 12
#define PAGES 1024u
/* A page number has 36 bits in what programs have of an address space. */
#define ROUND_SHIFT 36
#define ADDRESSES ((uintptr_t)1 << (ROUND_SHIFT + PAGE_BITS - 1))

static _Atomic uint64_t pages[PAGES]; /* round << ROUND_SHIFT | number of the page; round 0: empty */
static _Atomic uint32_t rounds;

uint32_t ubi__readable_round(void) {
    return atomic_load_explicit(&rounds, memory_order_relaxed);
}

void ubi__readable_forget(void) {
    atomic_fetch_add_explicit(&rounds, 1, memory_order_relaxed);
}

/* The kernel reads the signal set before it sees that there is no such request. */
static bool can_read_page(uintptr_t page) {
    static const long no_request = -1;
    return ubi__system(SYS_rt_sigprocmask, no_request, (long)(page << PAGE_BITS), 0, 8, 0, 0) == -EINVAL;
}

static bool is_page_readable(uintptr_t page) {
    uint64_t round = atomic_load_explicit(&rounds, memory_order_relaxed) % ((1u << (64 - ROUND_SHIFT)) - 1) + 1;
    _Atomic uint64_t *place = &pages[(page ^ page >> 10) % PAGES];
    uint64_t is_known = round << ROUND_SHIFT | page;
    if (atomic_load_explicit(place, memory_order_relaxed) == is_known)
        return true;
    if (!can_read_page(page))
        return false;
    atomic_store_explicit(place, is_known, memory_order_relaxed);
    return true;
}

bool ubi__is_readable(uintptr_t address, size_t size_bytes) {
    if (address == 0 || address >= ADDRESSES || size_bytes > ADDRESSES - address)
        return false;
    if (size_bytes == 0)
        return true;
    for (uintptr_t page = address >> PAGE_BITS; page <= (address + size_bytes - 1) >> PAGE_BITS; page++)
        if (!is_page_readable(page))
            return false;
    return true;
}

bool ubi__read_checked(void *out, uintptr_t address, size_t size_bytes) {
    if (!ubi__is_readable(address, size_bytes))
        return false;
    memcpy(out, (const void *)address, size_bytes);
    return true;
}
