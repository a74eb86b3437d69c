/* SPDX-License-Identifier: MIT
 *
 * marker_tables.h: texts and frames of stacks, each once, that one thread adds to while others read.
 *
 * Entries never change or move, and have small numbers in the order in which they came. So a thread that learnt a number from the
 * thread that adds (by an acquiring load of what that thread released) may read the entry without a lock.
 * Counted: logs, chunks, markers and results share them.
 */
#ifndef UBI_TIMELINE_MARKER_TABLES_H
#define UBI_TIMELINE_MARKER_TABLES_H

#include <stdatomic.h>

#include "base/alloc.h"
#include "base/table.h"

/** Makes entry `i` exist; new ones are UBI_NONE. Errors: UBI_ENOMEM. */
ubi_status ubi__marker_reach(ubi__vec_u32 *v, uint32_t i, const ubi_allocator *a);

/** A frame; UBI_NONE: no such text or parent. Parents have smaller numbers; at most one of the two is there. */
typedef struct ubi__marker_frame {
    uint32_t function_name, source, async_cause; /* texts */
    uint32_t line, column;
    uint32_t parent, async_parent;
} ubi__marker_frame;

typedef struct ubi__marker_text {
    const char *ptr; /* ends with a zero */
    size_t len;
} ubi__marker_text;

/* Entry i is in segment k, which has FIRST << k entries, where i + FIRST is FIRST << k and more. */
#define UBI__MARKER_SEGMENT_FIRST_LOG2 6
#define UBI__MARKER_SEGMENTS 24
#define UBI__MARKER_TABLE_LIMIT (((uint32_t)1 << (UBI__MARKER_SEGMENT_FIRST_LOG2 + UBI__MARKER_SEGMENTS)) - 64)

typedef struct ubi__marker_tables {
    const ubi_allocator *allocator;
    _Atomic uint32_t refs;
    uint32_t n_texts, n_frames;             /* of the thread that adds */
    size_t bytes;                           /* that all takes; of the thread that adds */
    ubi__row_table text_table, frame_table; /* of the thread that adds */
    struct ubi__marker_text_block *blocks;  /* where the texts are; the newest first */
    ubi__marker_text *texts[UBI__MARKER_SEGMENTS];
    ubi__marker_frame *frames[UBI__MARKER_SEGMENTS];
} ubi__marker_tables;

/** Tables know every entry; a frame has at most one parent, which comes before it. On the adding thread. O(frames). */
void ubi__marker_tables_check(const ubi__marker_tables *t);
/** With one reference. NULL when out of memory. */
ubi__marker_tables *ubi__marker_tables_new(const ubi_allocator *allocator);
static inline ubi__marker_tables *ubi__marker_tables_ref(ubi__marker_tables *t) {
    UBI_ASSERT(atomic_load_explicit(&t->refs, memory_order_relaxed) > 0);
    atomic_fetch_add_explicit(&t->refs, 1, memory_order_relaxed);
    return t;
}
/** NULL is fine. */
void ubi__marker_tables_unref(ubi__marker_tables *t);

/** The number of a text. NULL text: UBI_NONE. Errors: UBI_ENOMEM, UBI_ELIMIT; the tables are as before. */
ubi_status ubi__marker_tables_text(uint32_t *out, ubi__marker_tables *t, ubi_text text);
/** The number of a frame. Errors: as above. */
ubi_status ubi__marker_tables_frame(uint32_t *out, ubi__marker_tables *t, const ubi__marker_frame *frame);

static inline void ubi__marker_segment(uint32_t i, uint32_t *segment, uint32_t *offset) {
    uint32_t j = i + (1u << UBI__MARKER_SEGMENT_FIRST_LOG2);
    *segment = 31 - UBI__MARKER_SEGMENT_FIRST_LOG2 - (uint32_t)__builtin_clz(j);
    *offset = j - (1u << (UBI__MARKER_SEGMENT_FIRST_LOG2 + *segment));
}
static inline const ubi__marker_text *ubi__marker_tables_text_at(const ubi__marker_tables *t, uint32_t i) {
    uint32_t segment, offset;
    ubi__marker_segment(i, &segment, &offset);
    return &t->texts[segment][offset];
}
/** Borrowed. NULL text for UBI_NONE. */
static inline ubi_text ubi__marker_tables_get(const ubi__marker_tables *t, uint32_t i) {
    if (i == UBI_NONE)
        return (ubi_text){ NULL, 0 };
    const ubi__marker_text *text = ubi__marker_tables_text_at(t, i);
    return (ubi_text){ text->ptr, text->len };
}
static inline const ubi__marker_frame *ubi__marker_tables_frame_at(const ubi__marker_tables *t, uint32_t i) {
    uint32_t segment, offset;
    ubi__marker_segment(i, &segment, &offset);
    return &t->frames[segment][offset];
}

/* ---- from one to another ----------------------------------------------------------------------------------------- */

/** What entries of `from` are called in `to`. All zero except these two is a good start. Its columns are to's allocator's. */
typedef struct ubi__marker_import {
    const ubi__marker_tables *from;
    ubi__marker_tables *to;
    ubi__vec_u32 texts, frames; /* UBI_NONE: not yet known */
    ubi__vec_u32 path;          /* frames that wait for their parents */
} ubi__marker_import;

/** `allocator`: that of `to`, which may be gone. */
void ubi__marker_import_fini(ubi__marker_import *m, const ubi_allocator *allocator);
/** UBI_NONE stays what it is. Errors: UBI_ENOMEM, UBI_ELIMIT. Cost: O(1) for what is known. */
ubi_status ubi__marker_import_text(uint32_t *out, ubi__marker_import *m, uint32_t text);
ubi_status ubi__marker_import_frame(uint32_t *out, ubi__marker_import *m, uint32_t frame);

#endif
