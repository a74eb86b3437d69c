/* SPDX-License-Identifier: MIT
 *
 * class_rows.c: see class_rows.h.
 */
#include "analyses/class_rows.h"

#include "base/text.h"

void ubi__class_rows_check(const ubi__class_rows *t) {
    UBI_ASSERT(ubi__strtab_count(&t->keys) == t->rows.n);
}

void ubi__class_rows_init(ubi__class_rows *t, const ubi_allocator *a) {
    *t = (ubi__class_rows){ .allocator = a };
    ubi__strtab_init(&t->names, a);
    ubi__strtab_init(&t->keys, a);
}

void ubi__class_rows_fini(ubi__class_rows *t) {
    ubi__strtab_fini(&t->keys);
    ubi__strtab_fini(&t->names);
    ubi__vec_class_fini(&t->rows, t->allocator);
}

typedef struct row_key {
    uint32_t coarse_type, name, place;
} row_key;

static ubi_status row_of_class(uint32_t *out, ubi__class_rows *t, const ubi_class *class, bool any_coarse_type) {
    row_key key = { .coarse_type = any_coarse_type ? 0 : (uint32_t) class->coarse_type };
    UBI_TRY(ubi__strtab_intern(&t->names, &key.name, class->name));
    UBI_TRY(ubi__strtab_intern(&t->names, &key.place, class->place));
    UBI_TRY(ubi__strtab_intern(&t->keys, out, (ubi_text){ (const char *)&key, sizeof key }));
    return *out < t->rows.n ? UBI_OK : ubi__vec_class_push(&t->rows, t->allocator, *class);
}

/* ---- one scheme ------------------------------------------------------------------------------------------------- */

/** Where the texts of a class are in memory: many classes of a scheme may share one long text. */
typedef struct class_place {
    uint64_t name_at, name_len, place_at, place_len, coarse_type;
} class_place;

typedef struct addition {
    ubi__class_rows *t;
    const ubi_class_scheme *scheme;
    ubi__strtab places;      /* class_place: its texts need not be looked at again */
    ubi__vec_u32 place_rows; /* row of each place */
} addition;

static ubi_text or_empty(ubi_text text) {
    return text.ptr ? text : ubi__text("");
}

static ubi_status find_row(uint32_t *out, addition *a, uint32_t class_ix) {
    ubi_class class = { .name = { NULL, 0 } };
    uint32_t entry;
    a->scheme->describe(a->scheme, class_ix, &class);
    class.name = or_empty(class.name);
    class.place = or_empty(class.place);
    class_place place = { (uintptr_t) class.name.ptr, class.name.len, (uintptr_t) class.place.ptr, class.place.len,
                          (uint64_t) class.coarse_type };
    UBI_TRY(ubi__strtab_intern(&a->places, &entry, (ubi_text){ (const char *)&place, sizeof place }));
    if (entry < a->place_rows.n) {
        *out = a->place_rows.at[entry];
        return UBI_OK;
    }
    UBI_TRY(row_of_class(out, a->t, &class, a->scheme->has_mixed_coarse_types));
    return ubi__vec_u32_push(&a->place_rows, a->t->allocator, *out);
}

ubi_status ubi__class_rows_add(uint32_t *out, ubi__class_rows *t, const ubi_class_scheme *scheme) {
    addition a = { .t = t, .scheme = scheme };
    ubi_status status = UBI_OK;
    ubi__strtab_init(&a.places, t->allocator);
    for (uint32_t i = 0; i < scheme->n_classes && status == UBI_OK; i++)
        status = find_row(&out[i], &a, i);
    if (status == UBI_OK)
        ubi__class_rows_check(t);
    ubi__strtab_fini(&a.places);
    ubi__vec_u32_fini(&a.place_rows, t->allocator);
    return status;
}
