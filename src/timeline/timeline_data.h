/* SPDX-License-Identifier: MIT
 *
 * timeline_data.h: a whole timeline in memory, wherever it came from: a file, a recording, or markers popped one pull after
 * the other.
 *
 * Columns that refer to each other by index: a marker to its name, thread, stack and details, a frame to its caller. Equal
 * texts and equal frames are one entry. Every index in it is valid, a frame's parents come before it, and a marker never ends
 * before it starts: the caller that adds them checks. Markers are in the order in which they came until ubi__timeline_data_sort.
 */
#ifndef UBI_TIMELINE_TIMELINE_DATA_H
#define UBI_TIMELINE_TIMELINE_DATA_H

#include <ubiheap/core/timeline.h>

#include "base/strtab.h"
#include "base/u64_map.h"

/** One frame of a stack; UBI_NONE: no text, no parent. */
typedef struct ubi__timeline_frame {
    ubi_str_ix function, source, async_cause;
    uint32_t line, column; /* 0: unknown */
    uint32_t parent, async_parent;
} ubi__timeline_frame;

typedef enum ubi__timeline_value {
    UBI__TIMELINE_NULL,
    UBI__TIMELINE_BOOL,
    UBI__TIMELINE_NUMBER,
    UBI__TIMELINE_TEXT,
    UBI__TIMELINE_RECTANGLES
} ubi__timeline_value;

/** Something else that is known about a marker. */
typedef struct ubi__timeline_detail {
    ubi_str_ix key;
    ubi__timeline_value type;
    union {
        bool is_true;
        double number;
        ubi_str_ix text;
        struct {
            uint32_t first, n; /* of `rectangles` */
        } rectangles;
    } as;
} ubi__timeline_detail;

typedef struct ubi__timeline_rectangle {
    double x, y, width, height;
} ubi__timeline_rectangle;

enum {
    UBI__TIMELINE_HAS_END = 1,     /* without: it did not end while it was observed */
    UBI__TIMELINE_HAS_ORIGIN = 2,  /* process type and thread flag were given */
    UBI__TIMELINE_OFF_THREAD = 4,  /* it was not on the main thread of what is observed */
    UBI__TIMELINE_HAS_THREAD = 16, /* it is known which thread it started on */
};

typedef struct ubi__timeline_row {
    uint64_t start_ns, end_ns; /* since the process began; without HAS_END, once sorted: the end of the timeline */
    ubi_str_ix name;
    uint32_t thread; /* of `threads`; 0 without HAS_THREAD, if there are any */
    uint32_t stack, end_stack;
    uint32_t first_detail;
    uint16_t n_details;
    uint8_t process_type;
    uint8_t flags;
} ubi__timeline_row;

typedef struct ubi__timeline_thread {
    uint64_t id; /* the system's, or a number of the producer's own */
    ubi_str_ix name;
} ubi__timeline_thread;

/** A figure at a time, such as bytes of strings. */
typedef struct ubi__timeline_sample {
    uint64_t time_ns;
    ubi_str_ix name;
    double value;
} ubi__timeline_sample;

UBI_VEC_DECLARE(ubi__vec_timeline_frame, ubi__timeline_frame);
UBI_VEC_DECLARE(ubi__vec_timeline_detail, ubi__timeline_detail);
UBI_VEC_DECLARE(ubi__vec_timeline_rectangle, ubi__timeline_rectangle);
UBI_VEC_DECLARE(ubi__vec_timeline_row, ubi__timeline_row);
UBI_VEC_DECLARE(ubi__vec_timeline_thread, ubi__timeline_thread);
UBI_VEC_DECLARE(ubi__vec_timeline_sample, ubi__timeline_sample);

typedef struct ubi__timeline_data {
    const ubi_allocator *allocator;
    ubi__strtab texts;
    ubi__vec_timeline_frame frames;
    ubi__row_table frame_table;
    ubi__vec_timeline_row rows;
    ubi__vec_timeline_detail details;
    size_t n_given_details; /* the others wait for a row */
    ubi__vec_timeline_rectangle rectangles;
    ubi__vec_timeline_thread threads;
    ubi__u64_map thread_of_id;
    ubi__vec_timeline_sample samples; /* of memory */
    ubi_str_ix program;               /* what ran; UBI_NONE: unknown */
    uint64_t pid;                     /* 0: unknown */
    uint64_t start_unix_us;           /* when its clock was 0, since 1970; 0: unknown */
    uint64_t begin_ns, end_ns;        /* of what is shown, once sorted: the earliest and the latest time in it */
    uint64_t last_ns;                 /* it surely lasted until then */
    uint64_t n_lost;                  /* markers that found no room */
    bool is_sampled;                  /* the figure "heapLive" is an estimate */
} ubi__timeline_data;

/**
 * Every index is valid, parents of frames come before them, and no marker ends before it starts; once sorted, markers and figures
 * are in order and within begin and end. O(all of it).
 */
void ubi__timeline_data_check(const ubi__timeline_data *data, bool is_sorted);
/** @param allocator  NULL: the default. */
void ubi__timeline_data_init(ubi__timeline_data *data, const ubi_allocator *allocator);
void ubi__timeline_data_fini(ubi__timeline_data *data);

static inline ubi_text ubi__timeline_text(const ubi__timeline_data *data, ubi_str_ix text) {
    return ubi__strtab_get(&data->texts, text);
}

/* Adding: UBI_ENOMEM leaves what was there as it was. Texts are copied; NULL text gives UBI_NONE. */
ubi_status ubi__timeline_add_text(ubi__timeline_data *data, ubi_str_ix *out, ubi_text text);
/** The frame's number; equal frames have one. `frame` refers to texts and earlier frames of `data`. */
ubi_status ubi__timeline_add_frame(ubi__timeline_data *data, uint32_t *out, const ubi__timeline_frame *frame);
/** The number of the thread of this id, with this name unless it is NULL text. */
ubi_status ubi__timeline_add_thread(ubi__timeline_data *data, uint32_t *out, uint64_t id, ubi_text name);
/** Details of a row are those that were added before it and after the row before. */
ubi_status ubi__timeline_add_detail(ubi__timeline_data *data, const ubi__timeline_detail *detail);
/** Gives the row the details that wait for it; first_detail and n_details of `row` are ignored. */
ubi_status ubi__timeline_add_row(ubi__timeline_data *data, const ubi__timeline_row *row);
/** Drops the details that wait for a row. */
void ubi__timeline_drop_details(ubi__timeline_data *data);
ubi_status ubi__timeline_add_sample(ubi__timeline_data *data, uint64_t time_ns, ubi_text name, double value);

/**
 * Puts rows in the order of their starts, the longer of two before the other, and finds begin and end. Stable; again after rows
 * were added or removed.
 * Cost: O(n log n). Errors: UBI_ENOMEM.
 */
ubi_status ubi__timeline_data_sort(ubi__timeline_data *data);

/** The detail of this key, or NULL. */
const ubi__timeline_detail *ubi__timeline_detail_of(const ubi__timeline_data *data, const ubi__timeline_row *row,
                                                    const char *key);
/** Its text; NULL text if it is missing or something else. */
ubi_text ubi__timeline_detail_text(const ubi__timeline_data *data, const ubi__timeline_row *row, const char *key);

static inline uint64_t ubi__timeline_duration_ns(const ubi__timeline_row *row) {
    UBI_ASSERT(row->start_ns <= row->end_ns);
    return row->end_ns - row->start_ns;
}

/** Nanoseconds as milliseconds in decimal digits, exactly: "12.5", "0.000001". @return its length; a zero follows. */
UBI__SERVER_API size_t ubi__timeline_ms(char out[32], uint64_t ns);

/* ---- popped markers into a timeline as a whole ------------------------------------------------------------------- */

/**
 * Frames of one result as frames of `data`. A frame is added when a stack needs it, after its callers and then its asynchronous
 * ones, so that numbers are those of Mozilla's StackFrameCache.
 */
typedef struct ubi__frame_import {
    ubi__timeline_data *data;
    const ubi_timeline_markers *markers;
    uint32_t *known; /* known[frame count of `markers`]: its frame of `data`, or UBI_NONE */
    size_t n;
    ubi__vec_u32 waiting;
} ubi__frame_import;

ubi_status ubi__frame_import_init(ubi__frame_import *import, ubi__timeline_data *data,
                                  const ubi_timeline_markers *markers);
void ubi__frame_import_fini(ubi__frame_import *import);
/** The frame of `data` for a stack of the result; UBI_NONE for UBI_NONE. Errors: UBI_ENOMEM. */
ubi_status ubi__frame_import_stack(uint32_t *out, ubi__frame_import *import, uint32_t stack);

/** Adds all rows with what they refer to, and what was lost. Errors: UBI_ENOMEM: some may have been added. */
ubi_status ubi__timeline_import_markers(ubi__timeline_data *data, const ubi_timeline_markers *markers);

#endif
