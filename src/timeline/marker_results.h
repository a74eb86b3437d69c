/* SPDX-License-Identifier: MIT
 *
 * marker_results.h: what ubi_timeline_markers is: rows that refer to columns of what they share.
 */
#ifndef UBI_TIMELINE_MARKER_RESULTS_H
#define UBI_TIMELINE_MARKER_RESULTS_H

#include <ubiheap/core/timeline.h>

#include "timeline/marker_tables.h"

/** What is known about a row. */
enum {
    UBI__ROW_TIMESTAMP = 1,
    UBI__ROW_HAS_BASE = 2,
    UBI__ROW_OFF_MAIN = 4,
    UBI__ROW_END_STACK = 8, /* the first of its details is that */
    /* While it is made: */
    UBI__ROW_OPEN = 16,   /* a START; `below` and `special` instead of end_ns */
    UBI__ROW_DROPPED = 32 /* it ended, and is not a result */
};

typedef struct ubi__marker_row {
    uint32_t name, thread; /* of the names and threads of the result */
    uint64_t start_ns;
    union {
        uint64_t end_ns;
        struct {
            uint32_t below;   /* the open row of the same name before it */
            uint32_t special; /* what else an open row has, or UBI_NONE */
        };
    };
    uint32_t stack;
    uint32_t first_detail;
    uint16_t n_details; /* with the end stack */
    uint16_t process_type;
    uint8_t flags;
} ubi__marker_row;

#define UBI__DETAIL_END_STACK 255u

typedef struct ubi__marker_detail {
    uint32_t key;  /* a text */
    uint32_t type; /* ubi_marker_value_type, or UBI__DETAIL_END_STACK */
    union {
        double number;
        uint32_t text, truth, stack;
        struct {
            uint32_t first, count;
        } rectangles;
    };
} ubi__marker_detail;

typedef struct ubi__marker_thread {
    uint64_t serial; /* of the thread in this process, or 0 */
    uint64_t id;
    uint32_t name; /* a text */
    bool is_main;
} ubi__marker_thread;

UBI_VEC_DECLARE(ubi__marker_rows, ubi__marker_row);
UBI_VEC_DECLARE(ubi__marker_detail_column, ubi__marker_detail);
UBI_VEC_DECLARE(ubi__marker_rectangles, ubi_timeline_rectangle);
UBI_VEC_DECLARE(ubi__marker_threads, ubi__marker_thread);

/** The columns. */
typedef struct ubi__marker_columns {
    ubi__marker_tables *tables;
    ubi__marker_rows rows;
    ubi__marker_detail_column details;
    ubi__marker_rectangles rectangles;
    ubi__marker_threads threads;
    ubi__vec_u32 names; /* texts */
} ubi__marker_columns;

struct ubi_timeline_markers {
    const ubi_allocator *allocator;
    uint64_t n_lost;
    ubi__marker_columns it;
};

/** Rows refer to names, threads, frames and details that are there; the end stack is the first of its details. O(rows + details). */
void ubi__marker_columns_check(const ubi__marker_columns *c);
/** Frees what `c` has. */
void ubi__marker_columns_fini(ubi__marker_columns *c, const ubi_allocator *allocator);
/** A result without rows. NULL when out of memory. */
ubi_timeline_markers *ubi__timeline_markers_new(const ubi_allocator *allocator);

#endif
