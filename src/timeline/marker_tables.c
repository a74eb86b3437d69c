/* SPDX-License-Identifier: MIT
 *
 * marker_tables.c: see marker_tables.h. Texts are in blocks that are freed together with the tables.
 */
#include "timeline/marker_tables.h"

#include <string.h>

#include "base/hash.h"

#define BLOCK_BYTES ((size_t)4000)
#define TEXT_LIMIT ((size_t)1 << 30)

typedef struct ubi__marker_text_block {
    struct ubi__marker_text_block *older;
    size_t size, used; /* bytes of `at` */
    char at[];
} ubi__marker_text_block;

ubi__marker_tables *ubi__marker_tables_new(const ubi_allocator *allocator) {
    ubi__marker_tables *t = UBI_NEW(allocator, ubi__marker_tables);
    if (!t)
        return NULL;
    t->allocator = allocator;
    t->bytes = sizeof *t;
    atomic_init(&t->refs, 1);
    return t;
}

static void free_segments(const ubi_allocator *a, void *const *segments, size_t size) {
    for (uint32_t k = 0; k < UBI__MARKER_SEGMENTS && segments[k]; k++)
        ubi__free_array(a, segments[k], (size_t)1 << (UBI__MARKER_SEGMENT_FIRST_LOG2 + k), size);
}

void ubi__marker_tables_unref(ubi__marker_tables *t) {
    if (!t || atomic_fetch_sub_explicit(&t->refs, 1, memory_order_acq_rel) != 1)
        return;
    const ubi_allocator *a = t->allocator;
    while (t->blocks) {
        ubi__marker_text_block *block = t->blocks;
        t->blocks = block->older;
        a->free(a->ctx, block, sizeof *block + block->size);
    }
    free_segments(a, (void *const *)t->texts, sizeof(ubi__marker_text));
    free_segments(a, (void *const *)t->frames, sizeof(ubi__marker_frame));
    ubi__row_table_fini(&t->text_table, a);
    ubi__row_table_fini(&t->frame_table, a);
    UBI_DELETE(a, t);
}

/* The place of entry `i`, the next one. NULL when out of memory. */
static void *place_of_next(ubi__marker_tables *t, void **segments, uint32_t i, size_t size) {
    uint32_t segment, offset;
    ubi__marker_segment(i, &segment, &offset);
    if (!segments[segment]) {
        size_t n = (size_t)1 << (UBI__MARKER_SEGMENT_FIRST_LOG2 + segment);
        segments[segment] = ubi__alloc_array(t->allocator, n, size);
        if (!segments[segment])
            return NULL;
        t->bytes += n * size;
    }
    return (char *)segments[segment] + (size_t)offset * size;
}

/* Room for one row more. */
static ubi_status reserve_row(ubi__marker_tables *t, ubi__row_table *table) {
    if (table->n >= UBI__MARKER_TABLE_LIMIT)
        return ubi__fail(UBI_ELIMIT, "more than %u names or frames of markers", (unsigned)UBI__MARKER_TABLE_LIMIT);
    size_t before = table->n_slots;
    UBI_TRY(ubi__row_table_reserve(table, t->allocator, 1));
    t->bytes += (table->n_slots - before) * sizeof *table->slots;
    return UBI_OK;
}

/* ---- texts ------------------------------------------------------------------------------------------------------- */

static bool is_text(const ubi__marker_tables *t, uint32_t i, ubi_text text) {
    const ubi__marker_text *known = ubi__marker_tables_text_at(t, i);
    return known->len == text.len && memcmp(known->ptr, text.ptr, text.len) == 0;
}
UBI_ROW_LOOKUP(text, const ubi__marker_tables *, ubi_text, is_text);

static char *room_for_text(ubi__marker_tables *t, size_t len) {
    ubi__marker_text_block *block = t->blocks;
    if (!block || block->size - block->used < len + 1) {
        const ubi_allocator *a = t->allocator;
        size_t size = len + 1 > BLOCK_BYTES ? len + 1 : BLOCK_BYTES;
        block = (ubi__marker_text_block *)a->alloc(a->ctx, sizeof *block + size);
        if (!block)
            return NULL;
        *block = (ubi__marker_text_block){ t->blocks, size, 0 };
        t->blocks = block;
        t->bytes += sizeof *block + size;
    }
    char *room = block->at + block->used;
    block->used += len + 1;
    return room;
}

ubi_status ubi__marker_tables_text(uint32_t *out, ubi__marker_tables *t, ubi_text text) {
    if (!text.ptr) {
        *out = UBI_NONE;
        return UBI_OK;
    }
    if (text.len > TEXT_LIMIT)
        return ubi__fail(UBI_ELIMIT, "a text of %zu bytes with a marker: at most %zu are possible", text.len,
                         TEXT_LIMIT);
    uint64_t hash = ubi__hash_bytes(text.ptr, text.len);
    UBI_TRY(reserve_row(t, &t->text_table));
    ubi__row_slot *slot = text_place(&t->text_table, t, text, hash);
    if (ubi__row_is_used(slot)) {
        *out = slot->row;
        return UBI_OK;
    }
    ubi__marker_text *place = (ubi__marker_text *)place_of_next(t, (void **)t->texts, t->n_texts, sizeof *place);
    char *room = place ? room_for_text(t, text.len) : NULL;
    if (!room)
        return ubi__fail_nomem();
    memcpy(room, text.ptr, text.len);
    room[text.len] = 0;
    *place = (ubi__marker_text){ room, text.len };
    ubi__row_table_fill(&t->text_table, slot, hash, t->n_texts);
    *out = t->n_texts++;
    return UBI_OK;
}

/* ---- frames ------------------------------------------------------------------------------------------------------ */

static uint64_t frame_hash(const ubi__marker_frame *f) {
    uint64_t h = ubi__hash_u64((uint64_t)f->function_name << 32 | f->source);
    h = ubi__hash_combine(h, (uint64_t)f->line << 32 | f->column);
    h = ubi__hash_combine(h, (uint64_t)f->parent << 32 | f->async_parent);
    return ubi__hash_combine(h, f->async_cause);
}

static bool is_frame(const ubi__marker_tables *t, uint32_t i, const ubi__marker_frame *frame) {
    return memcmp(ubi__marker_tables_frame_at(t, i), frame, sizeof *frame) == 0;
}
UBI_ROW_LOOKUP(frame, const ubi__marker_tables *, const ubi__marker_frame *, is_frame);

ubi_status ubi__marker_tables_frame(uint32_t *out, ubi__marker_tables *t, const ubi__marker_frame *frame) {
    UBI_ASSERT(frame->parent == UBI_NONE || frame->async_parent == UBI_NONE);
    UBI_ASSERT(frame->parent == UBI_NONE || frame->parent < t->n_frames);
    UBI_ASSERT(frame->async_parent == UBI_NONE || frame->async_parent < t->n_frames);
    uint64_t hash = frame_hash(frame);
    UBI_TRY(reserve_row(t, &t->frame_table));
    ubi__row_slot *slot = frame_place(&t->frame_table, t, frame, hash);
    if (ubi__row_is_used(slot)) {
        *out = slot->row;
        return UBI_OK;
    }
    ubi__marker_frame *place = (ubi__marker_frame *)place_of_next(t, (void **)t->frames, t->n_frames, sizeof *place);
    if (!place)
        return ubi__fail_nomem();
    *place = *frame;
    ubi__row_table_fill(&t->frame_table, slot, hash, t->n_frames);
    *out = t->n_frames++;
    return UBI_OK;
}

void ubi__marker_tables_check(const ubi__marker_tables *t) {
    UBI_ASSERT(t->text_table.n == t->n_texts && t->frame_table.n == t->n_frames);
    for (uint32_t i = 0; UBI_CHECKS && i < t->n_frames; i++) {
        const ubi__marker_frame *frame = ubi__marker_tables_frame_at(t, i);
        UBI_ASSERT(frame->parent == UBI_NONE || frame->parent < i);
        UBI_ASSERT(frame->async_parent == UBI_NONE || (frame->async_parent < i && frame->parent == UBI_NONE));
    }
}

/* ---- from one to another ----------------------------------------------------------------------------------------- */

void ubi__marker_import_fini(ubi__marker_import *m, const ubi_allocator *a) {
    ubi__vec_u32_fini(&m->texts, a);
    ubi__vec_u32_fini(&m->frames, a);
    ubi__vec_u32_fini(&m->path, a);
}

ubi_status ubi__marker_reach(ubi__vec_u32 *v, uint32_t i, const ubi_allocator *a) {
    if (i < v->n)
        return UBI_OK;
    size_t more = (size_t)i + 1 - v->n;
    UBI_TRY(ubi__vec_u32_reserve(v, a, more));
    memset(v->at + v->n, 0xff, more * sizeof *v->at);
    v->n += more;
    return UBI_OK;
}

ubi_status ubi__marker_import_text(uint32_t *out, ubi__marker_import *m, uint32_t text) {
    if (text != UBI_NONE) {
        UBI_TRY(ubi__marker_reach(&m->texts, text, m->to->allocator));
        uint32_t *known = &m->texts.at[text];
        if (*known == UBI_NONE)
            UBI_TRY(ubi__marker_tables_text(known, m->to, ubi__marker_tables_get(m->from, text)));
        text = *known;
    }
    *out = text;
    return UBI_OK;
}

/* A frame whose parents are known. */
static ubi_status import_one(uint32_t *out, ubi__marker_import *m, const ubi__marker_frame *frame) {
    ubi__marker_frame copy = *frame;
    UBI_TRY(ubi__marker_import_text(&copy.function_name, m, frame->function_name));
    UBI_TRY(ubi__marker_import_text(&copy.source, m, frame->source));
    UBI_TRY(ubi__marker_import_text(&copy.async_cause, m, frame->async_cause));
    UBI_ASSERT(frame->parent == UBI_NONE || m->frames.at[frame->parent] != UBI_NONE);
    if (frame->parent != UBI_NONE)
        copy.parent = m->frames.at[frame->parent];
    if (frame->async_parent != UBI_NONE)
        copy.async_parent = m->frames.at[frame->async_parent];
    return ubi__marker_tables_frame(out, m->to, &copy);
}

ubi_status ubi__marker_import_frame(uint32_t *out, ubi__marker_import *m, uint32_t frame) {
    if (frame == UBI_NONE) {
        *out = UBI_NONE;
        return UBI_OK;
    }
    UBI_TRY(ubi__marker_reach(&m->frames, frame, m->to->allocator));
    m->path.n = 0;
    for (uint32_t f = frame; f != UBI_NONE && m->frames.at[f] == UBI_NONE;) {
        UBI_TRY(ubi__vec_u32_push(&m->path, m->to->allocator, f));
        const ubi__marker_frame *entry = ubi__marker_tables_frame_at(m->from, f);
        f = entry->parent != UBI_NONE ? entry->parent : entry->async_parent;
    }
    while (m->path.n > 0) {
        uint32_t f = m->path.at[--m->path.n];
        UBI_TRY(import_one(&m->frames.at[f], m, ubi__marker_tables_frame_at(m->from, f)));
    }
    *out = m->frames.at[frame];
    return UBI_OK;
}
