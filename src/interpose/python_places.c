/* SPDX-License-Identifier: MIT
 *
 * python_places.c: see python_places.h.
 */
#include "interpose/python_places.h"

#include <stdatomic.h>

#define PLACES 2048u

/*
 * Answers of before, for all threads: a place is being written while its sequence is odd. Another function may be where one was, so the
 * print of its contents is compared as well.
 */
struct ubi__python_place {
    _Atomic uint32_t sequence, unit, line, column;
    _Atomic uint64_t code, print;
};
static ubi__python_place places[PLACES];

ubi__python_place *ubi__python_place_of(uintptr_t at, uint32_t unit) {
    return &places[((at >> 4) * 31 + unit * UINT32_C(2654435761)) % PLACES];
}

bool ubi__python_place_recall(ubi__python_place *p, uintptr_t at, uint64_t print, uint32_t unit,
                              ubi__python_position *out) {
    uint32_t before = atomic_load_explicit(&p->sequence, memory_order_acquire);
    bool is_it = atomic_load_explicit(&p->code, memory_order_relaxed) == at &&
                 atomic_load_explicit(&p->print, memory_order_relaxed) == print &&
                 atomic_load_explicit(&p->unit, memory_order_relaxed) == unit;
    *out = (ubi__python_position){ atomic_load_explicit(&p->line, memory_order_relaxed),
                                   atomic_load_explicit(&p->column, memory_order_relaxed) };
    atomic_thread_fence(memory_order_acquire);
    return is_it && before % 2 == 0 && atomic_load_explicit(&p->sequence, memory_order_relaxed) == before;
}

void ubi__python_place_keep(ubi__python_place *p, uintptr_t at, uint64_t print, uint32_t unit,
                            ubi__python_position position) {
    uint32_t before = atomic_load_explicit(&p->sequence, memory_order_relaxed);
    if (before % 2 || !atomic_compare_exchange_strong(&p->sequence, &before, before + 1))
        return;
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&p->code, at, memory_order_relaxed);
    atomic_store_explicit(&p->print, print, memory_order_relaxed);
    atomic_store_explicit(&p->unit, unit, memory_order_relaxed);
    atomic_store_explicit(&p->line, position.line, memory_order_relaxed);
    atomic_store_explicit(&p->column, position.column, memory_order_relaxed);
    atomic_store_explicit(&p->sequence, before + 2, memory_order_release);
}
