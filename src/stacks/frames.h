/* SPDX-License-Identifier: MIT
 *
 * frames.h: a table of stack frames.
 *
 * A frame names its parent by index, and parents come first, so one forward pass computes anything inherited. Entries are
 * the producer's own: two may have equal content under different ids. `canonical` maps each to the first of equal content
 * (source, function, line, column, isSystem and canonical parent), which is how Firefox's SavedFrames collapse.
 */
#ifndef UBI_STACKS_FRAMES_H
#define UBI_STACKS_FRAMES_H

#include <ubiheap/core/stacks.h>

#include "base/strtab.h"
#include "base/table.h"

/** Instead of a frame: what has this stack was allocated while no frame was on it. */
#define UBI__STACK_EMPTY (UBI_NONE - 1)

typedef struct ubi__frame_row {
    uint64_t id;
    ubi_frame_ix parent; /* an earlier row, or UBI_NONE */
    ubi_str_ix source;
    ubi_str_ix function_name; /* or UBI_NONE */
    uint32_t line, column;
    bool is_system, is_self_hosted;
} ubi__frame_row;
_Static_assert(sizeof(ubi__frame_row) == 32, "a frame is 32 bytes");

UBI_VEC_DECLARE(ubi__vec_frame, ubi__frame_row);

typedef struct ubi__frames {
    const ubi_allocator *allocator;
    ubi__vec_frame rows;
    ubi__vec_u32 canonical; /* canonical.n == rows.n once canonicalized */
    ubi__row_table by_id;   /* the first row of each id, while building */
} ubi__frames;

void ubi__frames_init(ubi__frames *f, const ubi_allocator *allocator);
void ubi__frames_fini(ubi__frames *f);
static inline uint32_t ubi__frames_count(const ubi__frames *f) {
    return (uint32_t)f->rows.n;
}
/** Two rows may have one id; ubi__frames_find then gives the first. */
/** Parents come before their children, and canonical rows, once known, are at or before what they stand for. */
void ubi__frames_check(const ubi__frames *f);
ubi_status ubi__frames_append(ubi__frames *f, ubi_frame_ix *out, const ubi__frame_row *row);
/** The row with this id, or UBI_NONE. Only while building. */
ubi_frame_ix ubi__frames_find(const ubi__frames *f, uint64_t id);
/** Needs canonical strings. */
ubi_status ubi__frames_canonicalize(ubi__frames *f, const ubi__strtab *strings);
/** Give the id lookup and spare capacity back. */
void ubi__frames_trim(ubi__frames *f);
void ubi__frames_get(const ubi__frames *f, const ubi__strtab *strings, ubi_frame_ix ix, ubi_frame *out);

#endif
