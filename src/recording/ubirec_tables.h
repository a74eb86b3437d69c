/* SPDX-License-Identifier: MIT
 *
 * ubirec_tables.h: what the records of a recording file are numbered by, as columns: strings, modules, frames, traces, kinds,
 * infos, threads, symbols; and what is known about the whole.
 *
 * Fed every record of a file, it keeps those that define something. Rows may be looked up as soon as they came.
 * Memory: as in the file when it is inflated, about; 8 bytes per trace, 24 per frame and info, text and 8 per string.
 */
#ifndef UBI_RECORDING_UBIREC_TABLES_H
#define UBI_RECORDING_UBIREC_TABLES_H

#include "base/strtab.h"
#include "recording/residence.h"
#include "recording/time_window.h"
#include "recording/ubirec_reader.h"

typedef struct ubi__ubirec_trace_row {
    uint32_t caller; /* a smaller number; UBI__UBIREC_NO_TRACE: none called it */
    uint32_t frame;
} ubi__ubirec_trace_row;

typedef struct ubi__ubirec_kind_row {
    ubi_str_ix word;
    ubi__ubirec_class class_of_kind;
} ubi__ubirec_kind_row;

typedef struct ubi__ubirec_thread_row {
    uint64_t tid;
    ubi_str_ix name;
    uint32_t unused; /* 0 */
} ubi__ubirec_thread_row;

/** Infos from `first_info` on have this period. */
typedef struct ubi__ubirec_period_row {
    uint32_t first_info;
    uint32_t unused; /* 0 */
    uint64_t period_bytes;
} ubi__ubirec_period_row;

/** The symbols of a frame: n of them from `first` on, the innermost first. */
typedef struct ubi__ubirec_symbol_span {
    uint32_t first;
    uint32_t n;
} ubi__ubirec_symbol_span;

/** A program that was started and not recorded. */
typedef struct ubi__ubirec_started_row {
    ubi_str_ix name;
    ubi__unrecorded why;
    uint64_t count;
} ubi__ubirec_started_row;

/** A process that has a file of its own. */
typedef struct ubi__ubirec_companion_row {
    ubi_str_ix suffix, name;
} ubi__ubirec_companion_row;

static_assert(sizeof(ubi__ubirec_trace_row) == 8 && sizeof(ubi__ubirec_frame) == 24 &&
                  sizeof(ubi__ubirec_info_row) == 24,
              "8 bytes per trace, 24 per frame and info");

UBI_VEC_DECLARE(ubi__vec_ubirec_companion, ubi__ubirec_companion_row);
UBI_VEC_DECLARE(ubi__vec_ubirec_started, ubi__ubirec_started_row);
UBI_VEC_DECLARE(ubi__vec_ubirec_use, ubi__ubirec_use_row);
UBI_VEC_DECLARE(ubi__vec_pause, ubi__pause);
UBI_VEC_DECLARE(ubi__vec_ubirec_module, ubi__ubirec_module_row);
UBI_VEC_DECLARE(ubi__vec_ubirec_frame, ubi__ubirec_frame);
UBI_VEC_DECLARE(ubi__vec_ubirec_trace, ubi__ubirec_trace_row);
UBI_VEC_DECLARE(ubi__vec_ubirec_kind, ubi__ubirec_kind_row);
UBI_VEC_DECLARE(ubi__vec_ubirec_info, ubi__ubirec_info_row);
UBI_VEC_DECLARE(ubi__vec_ubirec_thread, ubi__ubirec_thread_row);
UBI_VEC_DECLARE(ubi__vec_ubirec_period, ubi__ubirec_period_row);
UBI_VEC_DECLARE(ubi__vec_ubirec_symbol, ubi__ubirec_symbol_row);
UBI_VEC_DECLARE(ubi__vec_ubirec_symbol_span, ubi__ubirec_symbol_span);

typedef struct ubi__ubirec_tables {
    const ubi_allocator *allocator;
    bool is_view;            /* strings, symbols and spans alone are its own, the rest is that of others */
    ubi__ubirec_about about; /* texts are in `about_text` */
    ubi__vec_u8 about_text;
    ubi__strtab strings;
    ubi__vec_ubirec_module modules;
    ubi__vec_ubirec_frame frames;
    ubi__vec_ubirec_trace traces; /* trace 0 is in it: no stack */
    ubi__vec_ubirec_kind kinds;
    ubi__vec_ubirec_info infos;
    ubi__vec_ubirec_thread threads;
    ubi__vec_ubirec_period periods; /* at least one, once there are records */
    ubi__vec_ubirec_symbol symbols;
    ubi__vec_ubirec_symbol_span spans; /* of frames; those of the last ones may be missing */
    ubi__vec_ubirec_started started;
    ubi__vec_ubirec_companion companions;
    ubi__vec_ubirec_use uses; /* of resident memory, as it was seen last: one table */
    ubi__vec_pause pauses;    /* in order; none of older recorders, which wrote how long they were alone */
    uint64_t counters[UBI__UBIREC_COUNTER_COUNT];
    bool has_end;
    ubi__ubirec_end end;
} ubi__ubirec_tables;

/** What rows name is there, callers of traces come before them, periods begin in order, and symbols of frames are symbols. */
void ubi__ubirec_tables_check(const ubi__ubirec_tables *t);
/** Whether what a frame names is in the tables. */
bool ubi__ubirec_frame_is_sound(const ubi__ubirec_tables *t, const ubi__ubirec_frame *frame);
/** Errors: UBI_ENOMEM, and nothing is left. */
ubi_status ubi__ubirec_tables_init(ubi__ubirec_tables *t, const ubi_allocator *allocator);
void ubi__ubirec_tables_fini(ubi__ubirec_tables *t);
/** Takes what a record defines; others are passed over. Errors: UBI_ENOMEM, UBI_ELIMIT. */
ubi_status ubi__ubirec_tables_add(ubi__ubirec_tables *t, const ubi__ubirec_record *record);

/** Adds what resident memory was used for; of several processes, pages that they share more than once. Errors: UBI_ENOMEM. */
ubi_status ubi__ubirec_tables_add_uses(ubi__residence *to, const ubi__ubirec_tables *t);
/** What resident memory was used for, sorted; no rows: unknown. The caller's to end, whatever comes of it. Errors: UBI_ENOMEM. */
ubi_status ubi__ubirec_tables_residence(ubi__residence *out, const ubi__ubirec_tables *t,
                                        const ubi_allocator *allocator);

static inline ubi_text ubi__ubirec_string_at(const ubi__ubirec_tables *t, ubi_str_ix ix) {
    return ubi__strtab_get(&t->strings, ix);
}
/** Symbols of a frame, n of them, the innermost first; 0: unknown. Borrowed until more is added. */
const ubi__ubirec_symbol_row *ubi__ubirec_symbols_of(const ubi__ubirec_tables *t, uint32_t frame, uint32_t *n);
/** Whether it is code of a script: a frame of one, or code made at run time whose name has a file. */
bool ubi__ubirec_frame_is_script(const ubi__ubirec_tables *t, uint32_t frame);
/** The sampling period that an info was made with. Cost: O(log periods). */
uint64_t ubi__ubirec_period_of(const ubi__ubirec_tables *t, uint32_t info);
/** Whether all allocations were recorded, always. */
bool ubi__ubirec_is_exact(const ubi__ubirec_tables *t);

/**
 * Symbols from elsewhere, such as those found when a report is made. Texts are copied.
 * Errors: UBI_ENOMEM, UBI_ELIMIT.
 */
ubi_status ubi__ubirec_tables_add_symbols(ubi__ubirec_tables *t, uint32_t frame, const ubi__ubirec_symbol *symbols,
                                          size_t n);

struct ubi__columns;
/**
 * Passes the tables (base/column_file.h). Read, `t` is overwritten; free it, whatever comes of it. Nothing can be added to it: symbols of
 * frames that are mapped cannot be written to (ubi__ubirec_tables_view). Errors: those of passing.
 */
ubi_status ubi__ubirec_tables_pass(struct ubi__columns *c, ubi__ubirec_tables *t);
/**
 * The same tables, to which symbols can be added: strings and symbols are copied, all else is borrowed from `of`. To be freed before it.
 * Errors: UBI_ENOMEM, and nothing is left. Cost: O(strings + symbols).
 */
ubi_status ubi__ubirec_tables_view(ubi__ubirec_tables *out, const ubi__ubirec_tables *of,
                                   const ubi_allocator *allocator);

/* ---- why a program is not recorded -------------------------------------------------------------------------------- */

/** After "not recorded: NAME: ", without final point. `why` may be any number. */
const char *ubi__unrecorded_words(ubi__unrecorded why);
/** In documents. */
const char *ubi__unrecorded_key(ubi__unrecorded why);

#endif
