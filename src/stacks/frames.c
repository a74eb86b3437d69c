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

void ubi__frames_fini(ubi__frames *f) {
    ubi__slots_fini(&f->slots, f->allocator);
    ubi__vec_frame_fini(&f->rows, f->allocator);
    ubi__vec_u32_fini(&f->canonical, f->allocator);
}

static size_t find_id(const ubi__frames *f, const ubi__slots *slots, uint64_t id) {
    size_t i = ubi__hash_u64(id) & (slots->n - 1);
    while (slots->at[i] != UBI_NONE && f->rows.at[slots->at[i]].id != id)
        i = ubi__slots_next(slots, i);
    return i;
}

static void put_id(const ubi__frames *f, ubi__slots *slots, ubi_frame_ix row) {
    size_t i = find_id(f, slots, f->rows.at[row].id);
    if (slots->at[i] == UBI_NONE)
        slots->at[i] = row;
}

static ubi_status grow(ubi__frames *f) {
    ubi__slots slots = { NULL, 0 };
    if (f->rows.n * 2 < f->slots.n)
        return UBI_OK;
    UBI_TRY(ubi__slots_new(&slots, f->slots.n ? f->slots.n * 2 : 64, f->allocator));
    for (size_t i = 0; i < f->rows.n; i++)
        put_id(f, &slots, (ubi_frame_ix)i);
    ubi__slots_fini(&f->slots, f->allocator);
    f->slots = slots;
    return UBI_OK;
}

ubi_status ubi__frames_append(ubi__frames *f, ubi_frame_ix *out, const ubi__frame_row *row) {
    if (f->rows.n >= UBI_NONE)
        return ubi__fail(UBI_ELIMIT, "more than 2^32-1 stack frames");
    UBI_TRY(grow(f));
    UBI_TRY(ubi__vec_frame_push(&f->rows, f->allocator, *row));
    *out = (ubi_frame_ix)(f->rows.n - 1);
    put_id(f, &f->slots, *out);
    return UBI_OK;
}

ubi_frame_ix ubi__frames_find(const ubi__frames *f, uint64_t id) {
    return f->slots.n ? f->slots.at[find_id(f, &f->slots, id)] : UBI_NONE;
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

/* The first row of this content, which is `row` itself when there was none before. */
static ubi_frame_ix first_equal(const ubi__frames *f, const ubi__strtab *strings, ubi__slots *slots, ubi_frame_ix row) {
    size_t i = content_hash(f, strings, &f->rows.at[row]) & (slots->n - 1);
    while (slots->at[i] != UBI_NONE && !content_equal(f, strings, &f->rows.at[slots->at[i]], &f->rows.at[row]))
        i = ubi__slots_next(slots, i);
    if (slots->at[i] == UBI_NONE)
        slots->at[i] = row;
    return slots->at[i];
}

ubi_status ubi__frames_canonicalize(ubi__frames *f, const ubi__strtab *strings) {
    ubi__slots slots = { NULL, 0 };
    f->canonical.n = 0;
    UBI_TRY(ubi__vec_u32_reserve(&f->canonical, f->allocator, f->rows.n));
    UBI_TRY(ubi__slots_new(&slots, ubi__slots_for(f->rows.n, 1, 2, 16), f->allocator));
    /* Parents come first, so a parent's canonical entry is known when its child asks for it. */
    for (size_t i = 0; i < f->rows.n; i++)
        f->canonical.at[i] = first_equal(f, strings, &slots, (ubi_frame_ix)i);
    f->canonical.n = f->rows.n;
    ubi__slots_fini(&slots, f->allocator);
    return UBI_OK;
}

void ubi__frames_trim(ubi__frames *f) {
    ubi__slots_fini(&f->slots, f->allocator);
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
