/* SPDX-License-Identifier: MIT
 *
 * frames.c: the frame table (frames.h).
 */
#include "stacks/frames.h"

#include <string.h>

#include "base/assert.h"
#include "base/hash.h"

void ubi__frames_init(ubi__frames *f, const ubi_allocator *allocator) {
    memset(f, 0, sizeof *f);
    f->allocator = allocator;
}

void ubi__frames_fini(ubi__frames *f) {
    ubi__row_table_fini(&f->by_id, f->allocator);
    ubi__vec_frame_fini(&f->rows, f->allocator);
    ubi__vec_u32_fini(&f->canonical, f->allocator);
}

void ubi__frames_check(const ubi__frames *f) {
    UBI_ASSERT(f->canonical.n == 0 || f->canonical.n == f->rows.n);
    for (size_t i = 0; UBI_CHECKS && i < f->rows.n; i++)
        UBI_ASSERT(f->rows.at[i].parent == UBI_NONE || f->rows.at[i].parent < i);
    for (size_t i = 0; UBI_CHECKS && i < f->canonical.n; i++)
        UBI_ASSERT(f->canonical.at[i] <= i && f->canonical.at[f->canonical.at[i]] == f->canonical.at[i]);
}

static bool has_id(const ubi__frames *f, ubi_frame_ix row, uint64_t id) {
    return f->rows.at[row].id == id;
}
UBI_ROW_LOOKUP(id, const ubi__frames *, uint64_t, has_id);

ubi_status ubi__frames_append(ubi__frames *f, ubi_frame_ix *out, const ubi__frame_row *row) {
    uint64_t hash = ubi__hash_u64(row->id);
    if (f->rows.n >= UBI_NONE)
        return ubi__fail(UBI_ELIMIT, "more than 2^32-1 stack frames");
    UBI_ASSERT(row->parent == UBI_NONE || row->parent < f->rows.n);
    UBI_TRY(ubi__row_table_reserve(&f->by_id, f->allocator, 1));
    UBI_TRY(ubi__vec_frame_push(&f->rows, f->allocator, *row));
    *out = (ubi_frame_ix)(f->rows.n - 1);
    ubi__row_slot *slot = id_place(&f->by_id, f, row->id, hash);
    if (!ubi__row_is_used(slot))
        ubi__row_table_fill(&f->by_id, slot, hash, *out);
    return UBI_OK;
}

ubi_frame_ix ubi__frames_find(const ubi__frames *f, uint64_t id) {
    return id_find(&f->by_id, f, id, ubi__hash_u64(id));
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

/* What two frames are compared with. */
typedef struct contents {
    const ubi__frames *frames;
    const ubi__strtab *strings;
} contents;

static bool has_content(contents c, ubi_frame_ix row, ubi_frame_ix other) {
    const ubi__frame_row *a = &c.frames->rows.at[row], *b = &c.frames->rows.at[other];
    return a->line == b->line && a->column == b->column && a->is_system == b->is_system &&
           ubi__strtab_canonical(c.strings, a->source) == ubi__strtab_canonical(c.strings, b->source) &&
           ubi__strtab_canonical(c.strings, a->function_name) == ubi__strtab_canonical(c.strings, b->function_name) &&
           canonical_parent(c.frames, a) == canonical_parent(c.frames, b);
}
UBI_ROW_LOOKUP(content, contents, ubi_frame_ix, has_content);

/* The first row of this content, which is `row` itself when there was none before. */
static ubi_frame_ix first_equal(contents c, ubi__row_table *table, ubi_frame_ix row) {
    uint64_t hash = content_hash(c.frames, c.strings, &c.frames->rows.at[row]);
    ubi__row_slot *slot = content_place(table, c, row, hash);
    if (!ubi__row_is_used(slot))
        ubi__row_table_fill(table, slot, hash, row);
    return slot->row;
}

ubi_status ubi__frames_canonicalize(ubi__frames *f, const ubi__strtab *strings) {
    ubi__row_table table = { 0 };
    contents c = { f, strings };
    f->canonical.n = 0;
    UBI_TRY(ubi__vec_u32_reserve(&f->canonical, f->allocator, f->rows.n));
    UBI_TRY(ubi__row_table_reserve(&table, f->allocator, f->rows.n));
    /* Parents come first, so a parent's canonical entry is known when its child asks for it. */
    for (size_t i = 0; i < f->rows.n; i++)
        f->canonical.at[i] = first_equal(c, &table, (ubi_frame_ix)i);
    f->canonical.n = f->rows.n;
    ubi__row_table_fini(&table, f->allocator);
    ubi__frames_check(f);
    return UBI_OK;
}

void ubi__frames_trim(ubi__frames *f) {
    ubi__row_table_fini(&f->by_id, f->allocator);
    ubi__vec_frame_trim(&f->rows, f->allocator);
    ubi__vec_u32_trim(&f->canonical, f->allocator);
}

void ubi__frames_get(const ubi__frames *f, const ubi__strtab *strings, ubi_frame_ix ix, ubi_frame *out) {
    const ubi__frame_row *row = &f->rows.at[UBI_INDEX(ix, f->rows.n)];
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
