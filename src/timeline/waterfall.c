/* SPDX-License-Identifier: MIT
 *
 * waterfall.c: see ubiheap/timeline_waterfall.h.
 *
 * Markers that may still take in others are a stack, linked through `below`, the newest on top. It is not the way to the root:
 * what was put under the root is on top all the same.
 */
#include <ubiheap/timeline_waterfall.h>

#include "base/assert.h"

typedef struct collapse {
    ubi_waterfall_row *rows;
    const ubi_waterfall_marker *markers;
    uint32_t top; /* UBI_NONE: the stack is empty */
} collapse;

/* The newest open parent takes in no more. */
static void close_top(collapse *c) {
    ubi_waterfall_row *row = &c->rows[c->top];
    if (row->last_child == UBI_NONE) {
        row->has_list = false;
    } else if (!row->has_end) {
        row->end_ns = c->rows[row->last_child].end_ns;
        row->has_end = c->rows[row->last_child].has_end;
    }
    c->top = row->below;
}

static bool takes_in(const collapse *c, uint32_t parent, uint32_t child) {
    const ubi_waterfall_marker *p = &c->markers[parent], *m = &c->markers[child];
    bool ends_inside = !p->has_end || (m->has_end && m->end_ns <= p->end_ns);
    return ends_inside && m->start_ns >= p->start_ns && m->process_type == p->process_type;
}

static void push_row(collapse *c, uint32_t parent, uint32_t child) {
    UBI_ASSERT(parent == UBI_NONE || (parent < child && c->rows[parent].has_list));
    ubi_waterfall_row *row = &c->rows[child];
    row->parent = parent;
    if (parent != UBI_NONE) {
        row->depth = c->rows[parent].depth + 1;
        c->rows[parent].last_child = child;
    }
    if (row->has_list) {
        row->below = c->top;
        c->top = child;
    }
}

static void place_row(collapse *c, uint32_t i) {
    const ubi_waterfall_marker *m = &c->markers[i];
    if (m->is_not_nestable || m->is_off_thread) {
        push_row(c, UBI_NONE, i);
        return;
    }
    while (c->top != UBI_NONE && !takes_in(c, c->top, i))
        close_top(c);
    push_row(c, c->top, i);
}

void ubi_timeline_waterfall(ubi_waterfall_row *rows, const ubi_waterfall_marker *markers, uint32_t n) {
    collapse c = { rows, markers, UBI_NONE };
    for (uint32_t i = 0; i < n; i++) {
        const ubi_waterfall_marker *m = &markers[i];
        rows[i] = (ubi_waterfall_row){ .parent = UBI_NONE, .end_ns = m->end_ns, .has_end = m->has_end };
        rows[i].last_child = rows[i].below = UBI_NONE;
        rows[i].has_list = !m->is_not_collapsible && !m->is_hidden;
        if (!m->is_hidden)
            place_row(&c, i);
    }
}
