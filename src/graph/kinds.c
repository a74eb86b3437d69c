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

static void drop_slots(ubi__kinds *k) {
    ubi__free_array(k->allocator, k->slots, k->n_slots, sizeof *k->slots);
    k->slots = NULL;
    k->n_slots = 0;
}

void ubi__kinds_fini(ubi__kinds *k) {
    drop_slots(k);
    ubi__vec_kind_fini(&k->rows, k->allocator);
}

/* Multiply-shift with two secret odd factors: two multiplications, since this runs once per node of a file. */
static uint64_t hash(const ubi__kinds *k, const ubi_kind *kind) {
    uint64_t a = (uint64_t)kind->type_name << 32 | kind->class_name;
    uint64_t b = ((uint64_t)kind->script_filename << 32 | kind->descriptive_name) + ((uint64_t)kind->coarse_type << 29);
    return (a * k->factor[0] + b * k->factor[1]) >> 32;
}

static size_t find(const ubi__kinds *k, const uint32_t *slots, size_t n, const ubi_kind *kind) {
    size_t i = hash(k, kind) & (n - 1);
    while (slots[i] != UBI_NONE && !ubi__kind_equal(&k->rows.at[slots[i]], kind))
        i = (i + 1) & (n - 1);
    return i;
}

static ubi_status grow(ubi__kinds *k) {
    if (k->n_slots && k->rows.n * 2 < k->n_slots)
        return UBI_OK;
    size_t n = k->n_slots ? k->n_slots * 2 : 256;
    uint32_t *slots = ubi__alloc_array(k->allocator, n, sizeof *slots);
    if (!slots)
        return ubi__fail_nomem();
    memset(slots, 0xff, n * sizeof *slots);
    for (size_t i = 0; i < k->rows.n; i++)
        slots[find(k, slots, n, &k->rows.at[i])] = (uint32_t)i;
    drop_slots(k);
    k->slots = slots;
    k->n_slots = n;
    return UBI_OK;
}

ubi_status ubi__kinds_intern(ubi__kinds *k, ubi_kind_ix *out, const ubi_kind *kind) {
    UBI_TRY(grow(k));
    size_t i = find(k, k->slots, k->n_slots, kind);
    if (k->slots[i] == UBI_NONE) {
        UBI_TRY(ubi__vec_kind_push(&k->rows, k->allocator, *kind));
        k->slots[i] = (uint32_t)(k->rows.n - 1);
    }
    *out = k->slots[i];
    return UBI_OK;
}

void ubi__kinds_trim(ubi__kinds *k) {
    drop_slots(k);
    ubi__vec_kind_trim(&k->rows, k->allocator);
}
