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
    ubi__row_table_fini(&k->table, k->allocator);
    ubi__vec_kind_fini(&k->rows, k->allocator);
}

/* Multiply-shift with two secret odd factors: two multiplications, since this runs once per node of a file. */
static uint64_t kind_hash(const ubi__kinds *k, const ubi_kind *kind) {
    uint64_t a = (uint64_t)kind->type_name << 32 | kind->class_name;
    uint64_t b = ((uint64_t)kind->script_filename << 32 | kind->descriptive_name) + ((uint64_t)kind->coarse_type << 29);
    return a * k->factor[0] + b * k->factor[1];
}

static bool is_kind(const ubi__kinds *k, ubi_kind_ix row, const ubi_kind *kind) {
    return ubi__kind_equal(&k->rows.at[row], kind);
}
UBI_ROW_LOOKUP(kind, const ubi__kinds *, const ubi_kind *, is_kind);

ubi_status ubi__kinds_intern(ubi__kinds *k, ubi_kind_ix *out, const ubi_kind *kind) {
    uint64_t hash = kind_hash(k, kind);
    UBI_TRY(ubi__row_table_reserve(&k->table, k->allocator, 1));
    ubi__row_slot *slot = kind_place(&k->table, k, kind, hash);
    if (!ubi__row_is_used(slot)) {
        UBI_TRY(ubi__vec_kind_push(&k->rows, k->allocator, *kind));
        ubi__row_table_fill(&k->table, slot, hash, (ubi_kind_ix)(k->rows.n - 1));
    }
    *out = slot->row;
    return UBI_OK;
}

void ubi__kinds_trim(ubi__kinds *k) {
    ubi__row_table_fini(&k->table, k->allocator);
    ubi__vec_kind_trim(&k->rows, k->allocator);
}
