/* SPDX-License-Identifier: MIT
 *
 * sampling.c: see sampling.h.
 *
 * Blocks that were sampled are in a table of addresses, open addressing, at most half full, with a lock: it is asked
 * once in many thousand calls, for ubi__filter says no to nearly all others. It is not base/table.h's, which needs a ubi_allocator
 * and sets messages of errors; 16 bytes a block at most half full, where that would take 12.
 */
#include "interpose/sampling.h"

#include <string.h>

#include "base/assert.h"
#include "base/bits.h"
#include "interpose/lock.h"
#include "interpose/pages.h"
#include "interpose/preload.h"

#define ORIGINAL_PERIOD_BYTES 65536
/* Above this many periods in one allocation, whole ones are counted without drawing. */
#define PERIODS_DRAWN 65536

static uint64_t period_bytes, seed;
static double per_log; /* 1 / ln(1 - 1 / period) */
static _Atomic uint64_t draws;

/* ---- steps ------------------------------------------------------------------------------------------------------- */

/*
 * ln(x) of a normal number, to some 2^-51: x = m * 2^e with m around 1, and the series of 2 atanh((m - 1) / (m + 1)).
 */
static double natural_logarithm(double x) {
    const double ln2 = 0.69314718055994530942;
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    int exponent = (int)(bits >> 52 & 0x7ff) - 1023;
    bits = (bits & 0xfffffffffffff) | (uint64_t)1023 << 52;
    double m;
    memcpy(&m, &bits, sizeof m);
    if (m > 1.4142135623730951) {
        m *= 0.5;
        exponent++;
    }
    double s = (m - 1) / (m + 1), square = s * s, sum = 0;
    for (int k = 23; k >= 1; k -= 2)
        sum = sum * square + 1.0 / k;
    return exponent * ln2 + 2 * s * sum;
}

/* In (0, 1]: 53 bits of a hash of the draw's number (the finalizer of SplitMix64). */
static double draw_number(void) {
    uint64_t x = ubi__mix_u64(seed + atomic_fetch_add_explicit(&draws, 1, memory_order_relaxed) * UBI__GOLDEN);
    return (double)((x >> 11) + 1) * 0x1p-53;
}

static uint64_t draw_step(void) {
    return (uint64_t)(natural_logarithm(draw_number()) * per_log) + (period_bytes != ORIGINAL_PERIOD_BYTES);
}

void ubi__sampling_init(uint64_t period, uint64_t seed_of_draws) {
    period_bytes = period;
    seed = seed_of_draws;
    /* ln(1 - p) by its series, for 1 - p has not enough digits of a small p. */
    double p = 1 / (double)period, power = p, log = 0;
    if (period < 1024)
        log = natural_logarithm(1 - p);
    else
        for (int k = 1; k <= 8; k++, power *= p)
            log -= power / k;
    per_log = 1 / log;
    UBI_ASSERT(log < 0 && period_bytes > 1);
}

uint64_t ubi__sampling_meet(uint64_t *remaining_bytes, uint64_t size_bytes) {
    uint64_t n = 0, remaining = *remaining_bytes;
    if (remaining == 0)
        remaining = draw_step();
    if (size_bytes / period_bytes > PERIODS_DRAWN) {
        n = size_bytes / period_bytes - PERIODS_DRAWN;
        size_bytes -= n * period_bytes;
    }
    while (remaining <= size_bytes && size_bytes) {
        remaining += draw_step();
        n++;
    }
    UBI_ASSERT(remaining > size_bytes || size_bytes == 0);
    *remaining_bytes = remaining - size_bytes;
    return n;
}

/* ---- what lives -------------------------------------------------------------------------------------------------- */

#define FIRST_SLOTS 512 /* a page */
#define RESERVED_SLOTS 16384
_Static_assert((FIRST_SLOTS & (FIRST_SLOTS - 1)) == 0 && (RESERVED_SLOTS & (RESERVED_SLOTS - 1)) == 0, "powers of two");
_Static_assert(FIRST_SLOTS * sizeof(uintptr_t) == 4096, "a page");

static ubi__lock lock;
static uintptr_t *slots; /* 0: empty */
static size_t n_slots, n_live;

static size_t home_of(uintptr_t address) {
    return (size_t)((address >> 4) * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (n_slots - 1);
}

static size_t slot_of(uintptr_t address) {
    size_t i = home_of(address);
    while (slots[i] && slots[i] != address)
        i = (i + 1) & (n_slots - 1);
    return i;
}

/* Half of the slots or more are empty; each block is found, and the filter lets its free pass to us. */
static void sampling_check(void) {
    size_t n = 0;
    UBI_ASSERT((n_slots & (n_slots - 1)) == 0 && 2 * n_live <= n_slots);
    for (size_t i = 0; UBI_CHECKS && i < n_slots; i++) {
        UBI_ASSERT(!slots[i] || (slot_of(slots[i]) == i && !ubi__filter_passes((const void *)slots[i])));
        n += slots[i] != 0;
    }
    UBI_ASSERT(!UBI_CHECKS || n == n_live);
}

static bool sampling_grow(void) {
    uintptr_t *old = slots;
    size_t n_old = n_slots, n = n_old ? 2 * n_old : FIRST_SLOTS;
    uintptr_t *larger = ubi__pages(n * sizeof *larger);
    if (!larger)
        return false;
    slots = larger;
    n_slots = n;
    for (size_t i = 0; i < n_old; i++)
        if (old[i])
            slots[slot_of(old[i])] = old[i];
    if (old)
        ubi__pages_free(old, n_old * sizeof *old);
    sampling_check();
    return true;
}

/* What probed past this slot would not be found any more: it moves into the gap, which moves on. */
static void empty_slot(size_t gap) {
    size_t mask = n_slots - 1;
    for (size_t i = (gap + 1) & mask; slots[i]; i = (i + 1) & mask) {
        size_t home = home_of(slots[i]);
        if (((i - home) & mask) >= ((i - gap) & mask)) {
            slots[gap] = slots[i];
            gap = i;
        }
    }
    slots[gap] = 0;
}

bool ubi__sampling_remember(const void *p) {
    ubi__signals before;
    if (!ubi__lock_take(&lock, &before))
        return false;
    bool has_room = 2 * (n_live + 1) <= n_slots || sampling_grow();
    if (has_room) {
        size_t i = slot_of((uintptr_t)p);
        uint8_t *count = &ubi__filter[ubi__filter_place(p)];
        if (!slots[i]) { /* else its free was not seen */
            slots[i] = (uintptr_t)p;
            n_live++;
            *count += *count != 255;
        }
    }
    ubi__lock_give(&lock, before);
    return has_room;
}

bool ubi__sampling_recall(const void *p) {
    bool was_recorded = false;
    ubi__signals before;
    if (!ubi__lock_take(&lock, &before))
        return false;
    if (n_live) {
        size_t i = slot_of((uintptr_t)p);
        if (slots[i]) {
            uint8_t *count = &ubi__filter[ubi__filter_place(p)];
            UBI_ASSERT(*count > 0 && n_live > 0);
            empty_slot(i);
            n_live--;
            *count -= *count != 255;
            was_recorded = true;
        }
    }
    ubi__lock_give(&lock, before);
    return was_recorded;
}

void ubi__sampling_reserve(void) {
    ubi__signals before;
    if (!ubi__lock_take(&lock, &before))
        return;
    while (n_slots < RESERVED_SLOTS && sampling_grow()) {
    }
    ubi__lock_give(&lock, before);
}

void ubi__sampling_forget_all(void) {
    lock = 0;
    slots = NULL; /* the fork may have been in the middle of anything: the old table is left alone */
    n_slots = n_live = 0;
    for (size_t i = 0; i < sizeof ubi__filter; i++)
        if (ubi__filter[i] != 255) /* pinned */
            ubi__filter[i] = 0;
}

void ubi__sampling_restart(void) {
    ubi__signals before;
    if (!ubi__lock_take(&lock, &before))
        return;
    for (size_t i = 0; i < n_slots; i++)
        slots[i] = 0;
    n_live = 0;
    memset(ubi__filter, 0, sizeof ubi__filter);
    ubi__lock_give(&lock, before);
}
