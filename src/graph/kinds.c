/* SPDX-License-Identifier: MIT
 *
 * kinds.c: the kind table (kinds.h).
 */
#include "graph/kinds.h"

#include <string.h>

#include "base/hash.h"

void ubi__kinds_init(ubi__kinds *k, const ubi_allocator *a) {
    memset(k, 0, sizeof *k);
    k->allocator = a;
    k->factor[0] = ubi__hash_u64(0) | 1;
    k->factor[1] = ubi__hash_u64(1) | 1;
}

void ubi__kinds_fini(ubi__kinds *k) {
    ubi__slots_fini(&k->slots, k->allocator);
    ubi__vec_kind_fini(&k->rows, k->allocator);
}

/* Multiply-shift with two secret odd factors: two multiplications, since this runs once per node of a file. */
static uint64_t hash(const ubi__kinds *k, const ubi_kind *kind) {
    uint64_t a = (uint64_t)kind->type_name << 32 | kind->class_name;
    uint64_t b = ((uint64_t)kind->script_filename << 32 | kind->descriptive_name) + ((uint64_t)kind->coarse_type << 29);
    return (a * k->factor[0] + b * k->factor[1]) >> 32;
}

static size_t find(const ubi__kinds *k, const ubi__slots *slots, const ubi_kind *kind) {
    size_t i = hash(k, kind) & (slots->n - 1);
    while (slots->at[i] != UBI_NONE && !ubi__kind_equal(&k->rows.at[slots->at[i]], kind))
        i = ubi__slots_next(slots, i);
    return i;
}

static ubi_status grow(ubi__kinds *k) {
    ubi__slots slots = { NULL, 0 };
    if (k->rows.n * 2 < k->slots.n)
        return UBI_OK;
    UBI_TRY(ubi__slots_new(&slots, k->slots.n ? k->slots.n * 2 : 256, k->allocator));
    for (size_t i = 0; i < k->rows.n; i++)
        slots.at[find(k, &slots, &k->rows.at[i])] = (uint32_t)i;
    ubi__slots_fini(&k->slots, k->allocator);
    k->slots = slots;
    return UBI_OK;
}

ubi_status ubi__kinds_intern(ubi__kinds *k, ubi_kind_ix *out, const ubi_kind *kind) {
    UBI_TRY(grow(k));
    size_t i = find(k, &k->slots, kind);
    if (k->slots.at[i] == UBI_NONE) {
        UBI_TRY(ubi__vec_kind_push(&k->rows, k->allocator, *kind));
        k->slots.at[i] = (uint32_t)(k->rows.n - 1);
    }
    *out = k->slots.at[i];
    return UBI_OK;
}

void ubi__kinds_trim(ubi__kinds *k) {
    ubi__slots_fini(&k->slots, k->allocator);
    ubi__vec_kind_trim(&k->rows, k->allocator);
}
