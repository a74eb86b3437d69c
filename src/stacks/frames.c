/* SPDX-License-Identifier: MIT
 *
 * frames.c: the frame table (frames.h).
 */
#include "stacks/frames.h"

#include <string.h>

#include "base/hash.h"

void ubi__frames_init(ubi__frames *f, const ubi_allocator *allocator) {
    memset(f, 0, sizeof *f);
    f->allocator = allocator;
}

static void drop_slots(ubi__frames *f) {
    ubi__free_array(f->allocator, f->slots, f->n_slots, sizeof *f->slots);
    f->slots = NULL;
    f->n_slots = 0;
}

void ubi__frames_fini(ubi__frames *f) {
    drop_slots(f);
    ubi__vec_frame_fini(&f->rows, f->allocator);
    ubi__vec_u32_fini(&f->canonical, f->allocator);
}

static uint32_t *new_slots(const ubi__frames *f, size_t n) {
    uint32_t *slots = ubi__alloc_array(f->allocator, n, sizeof *slots);
    if (slots)
        memset(slots, 0xff, n * sizeof *slots);
    return slots;
}

static size_t find_id_slot(const ubi__frames *f, const uint32_t *slots, size_t n_slots, uint64_t id) {
    size_t mask = n_slots - 1, i = ubi__hash_u64(id) & mask;
    while (slots[i] != UBI_NONE && f->rows.at[slots[i]].id != id)
        i = (i + 1) & mask;
    return i;
}

static ubi_status grow_slots(ubi__frames *f) {
    if (f->n_slots && f->rows.n * 2 < f->n_slots)
        return UBI_OK;
    size_t n = f->n_slots ? f->n_slots * 2 : 64;
    uint32_t *slots = new_slots(f, n);
    if (!slots)
        return ubi__fail_nomem();
    for (size_t i = 0; i < f->rows.n; i++) {
        size_t slot = find_id_slot(f, slots, n, f->rows.at[i].id);
        if (slots[slot] == UBI_NONE)
            slots[slot] = (uint32_t)i;
    }
    drop_slots(f);
    f->slots = slots;
    f->n_slots = n;
    return UBI_OK;
}

ubi_status ubi__frames_append(ubi__frames *f, ubi_frame_ix *out, const ubi__frame_row *row) {
    if (f->rows.n >= UBI_NONE)
        return ubi__fail(UBI_ELIMIT, "more than 2^32-1 stack frames");
    UBI_TRY(grow_slots(f));
    UBI_TRY(ubi__vec_frame_push(&f->rows, f->allocator, *row));
    *out = (ubi_frame_ix)(f->rows.n - 1);
    size_t slot = find_id_slot(f, f->slots, f->n_slots, row->id);
    if (f->slots[slot] == UBI_NONE)
        f->slots[slot] = *out;
    return UBI_OK;
}

ubi_frame_ix ubi__frames_find(const ubi__frames *f, uint64_t id) {
    return f->n_slots ? f->slots[find_id_slot(f, f->slots, f->n_slots, id)] : UBI_NONE;
}

/* ---- equal content ----------------------------------------------------------------------------------------------- */

static ubi_frame_ix canonical_parent(const ubi__frames *f, const ubi__frame_row *row) {
    return row->parent == UBI_NONE ? UBI_NONE : f->canonical.at[row->parent];
}

static uint64_t content_hash(const ubi__frames *f, const ubi__strtab *strings, const ubi__frame_row *row) {
    uint64_t h = ubi__hash_u64(ubi__strtab_canonical(strings, row->source));
    h = ubi__hash_combine(h, ubi__strtab_canonical(strings, row->function_name));
    h = ubi__hash_combine(h, (uint64_t)row->line << 32 | row->column);
    return ubi__hash_combine(h, (uint64_t)canonical_parent(f, row) << 1 | row->is_system);
}

static bool content_equal(const ubi__frames *f, const ubi__strtab *strings, const ubi__frame_row *a,
                          const ubi__frame_row *b) {
    return a->line == b->line && a->column == b->column && a->is_system == b->is_system &&
           ubi__strtab_canonical(strings, a->source) == ubi__strtab_canonical(strings, b->source) &&
           ubi__strtab_canonical(strings, a->function_name) == ubi__strtab_canonical(strings, b->function_name) &&
           canonical_parent(f, a) == canonical_parent(f, b);
}

ubi_status ubi__frames_canonicalize(ubi__frames *f, const ubi__strtab *strings) {
    size_t n = f->rows.n, n_slots = 16;
    f->canonical.n = 0;
    UBI_TRY(ubi__vec_u32_reserve(&f->canonical, f->allocator, n));
    while (n_slots < 2 * n)
        n_slots *= 2;
    uint32_t *slots = new_slots(f, n_slots);
    if (!slots)
        return ubi__fail_nomem();
    /* Parents come first, so a parent's canonical entry is known when its child asks for it. */
    for (size_t i = 0; i < n; i++) {
        const ubi__frame_row *row = &f->rows.at[i];
        size_t slot = content_hash(f, strings, row) & (n_slots - 1);
        while (slots[slot] != UBI_NONE && !content_equal(f, strings, &f->rows.at[slots[slot]], row))
            slot = (slot + 1) & (n_slots - 1);
        if (slots[slot] == UBI_NONE)
            slots[slot] = (uint32_t)i;
        f->canonical.at[i] = slots[slot];
    }
    f->canonical.n = n;
    ubi__free_array(f->allocator, slots, n_slots, sizeof *slots);
    return UBI_OK;
}

void ubi__frames_trim(ubi__frames *f) {
    drop_slots(f);
    ubi__vec_frame_trim(&f->rows, f->allocator);
    ubi__vec_u32_trim(&f->canonical, f->allocator);
}

void ubi__frames_get(const ubi__frames *f, const ubi__strtab *strings, ubi_frame_ix ix, ubi_frame *out) {
    const ubi__frame_row *row = &f->rows.at[ix];
    *out = (ubi_frame){
        .id = row->id,
        .source = ubi__strtab_get(strings, row->source),
        .function_name = ubi__strtab_get(strings, row->function_name),
        .line = row->line,
        .column = row->column,
        .is_system = row->is_system,
        .is_self_hosted = row->is_self_hosted,
    };
}
