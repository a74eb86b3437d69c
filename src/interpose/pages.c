/* SPDX-License-Identifier: MIT
 *
 * pages.c: see pages.h.
 */
#include "interpose/pages.h"

#include <stdatomic.h>

#include "base/assert.h"

/* Tables for some threads; untouched pages take no memory. Smaller where addresses are scarce. */
#define RESERVE_BYTES ((size_t)32 << 20)
#define SMALL_RESERVE_BYTES ((size_t)1 << 20)

static uint8_t *_Atomic reserve; /* NULL: none */
static size_t reserve_bytes;
static _Atomic size_t reserve_used;

void ubi__reserve_map(void) {
    if (atomic_load(&reserve))
        return;
    uint8_t *p = ubi__pages(reserve_bytes = RESERVE_BYTES);
    if (!p)
        p = ubi__pages(reserve_bytes = SMALL_RESERVE_BYTES);
    atomic_store(&reserve, p);
}

void *ubi__reserve_take(size_t size_bytes) {
    uint8_t *p = atomic_load(&reserve);
    size_t size = (size_bytes + 4095) & ~(size_t)4095, used = atomic_load_explicit(&reserve_used, memory_order_relaxed);
    do
        if (!p || size > reserve_bytes || used > reserve_bytes - size)
            return NULL;
    while (!atomic_compare_exchange_weak(&reserve_used, &used, used + size));
    UBI_ASSERT(used % 4096 == 0 && used + size <= reserve_bytes);
    return p + used;
}

bool ubi__is_reserve(const void *p) {
    const uint8_t *start = atomic_load(&reserve);
    return start && (uintptr_t)p - (uintptr_t)start < reserve_bytes;
}
