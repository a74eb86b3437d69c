/* SPDX-License-Identifier: MIT
 *
 * ubirec_reader.h: the records of a recording file (.ubirec), one after the other.
 *
 *     ubi__ubirec_reader *r;
 *     const ubi__ubirec_record *record;
 *     ubi__ubirec_reader_new(&r, &source, NULL);
 *     for (;;) {
 *         UBI_TRY(ubi__ubirec_next(r, &record));
 *         if (!record)
 *             break;
 *         ...
 *     }
 *
 * What a record says has been checked: every index is of something that came before, numbers are in their ranges, a free is
 * of an allocation that was made (but it may be the second one). The reader keeps one block and counts, and no tables: who
 * wants those has ubirec_tables.h.
 *
 * A file ends well after any whole block. When it ends inside of one, as after a crash, everything before is given, and
 * ubi__ubirec_torn_bytes says how much was ignored.
 * Memory: 0.6 MiB, 0.9 MiB when blocks are read ahead.
 */
#ifndef UBI_RECORDING_UBIREC_READER_H
#define UBI_RECORDING_UBIREC_READER_H

#include "base/source.h"
#include "recording/ubirec_layout.h"
#include "recording/unrecorded.h"

typedef struct ubi__ubirec_reader ubi__ubirec_reader;

/** A module; its number is how many came before. Numbers of strings here and below. */
typedef struct ubi__ubirec_module_row {
    ubi_str_ix path, build_id; /* the string of the build-id is its bytes */
    uint64_t bias, start, end;
} ubi__ubirec_module_row;

/** A frame, by its type. */
typedef struct ubi__ubirec_frame {
    ubi__ubirec_type type; /* UBI__UBIREC_NATIVE_FRAME to UBI__UBIREC_LABEL_FRAME */
    uint32_t of;           /* native: module; script: string of the function; label: string */
    union {
        uint64_t address; /* native: offset in the module; raw: address; of a return */
        struct {
            ubi_str_ix file;
            uint32_t line;
        } script;
    };
    uint32_t column; /* script */
    uint32_t unused; /* 0 */
} ubi__ubirec_frame;

typedef struct ubi__ubirec_info_row {
    uint32_t kind;
    uint32_t trace;
    uint64_t size_bytes, weight_bytes;
} ubi__ubirec_info_row;

typedef struct ubi__ubirec_symbol_row {
    ubi_str_ix function, file;
    uint32_t line, column;
} ubi__ubirec_symbol_row;

typedef struct ubi__ubirec_record {
    ubi__ubirec_type type;
    union {
        ubi__ubirec_about about;
        ubi_text string;
        ubi__ubirec_module_row module;
        ubi__ubirec_frame frame; /* of all four types */
        struct {
            uint32_t caller, frame;
        } trace;
        struct {
            ubi_str_ix word;
            ubi__ubirec_class class_of_kind;
        } kind;
        ubi__ubirec_info_row info;
        struct {
            uint64_t tid;
            ubi_str_ix name;
        } thread;
        struct {
            uint32_t thread;
            ubi_str_ix name;
        } thread_name;
        struct {
            uint64_t number; /* of the allocation */
            uint32_t info;   /* not of UBI__UBIREC_FREE and _LEFT */
        } event;             /* UBI__UBIREC_ALLOC, _FREE, _FREE_UNDONE, _LEFT */
        uint64_t time_ns;    /* _TIME */
        uint32_t thread_now; /* _SWITCH */
        uint64_t bytes;      /* _RSS, _PERIOD */
        struct {
            ubi_str_ix suffix, name;
        } companion;
        ubi__ubirec_use_row use;
        struct {
            ubi_str_ix name;
            uint64_t count;
            ubi__unrecorded why; /* may be unknown here */
        } started;
        struct {
            uint64_t counter; /* may be unknown here */
            uint64_t value;
        } counted;
        struct {
            ubi_str_ix name, details;
            uint64_t time_ns;
            ubi__ubirec_marker_type type;
            uint32_t process_type, thread, trace;
            bool is_off_main_thread;
        } marker;
        struct {
            uint32_t frame;
            uint32_t n;
            const ubi__ubirec_symbol_row *at; /* at[n] */
        } symbols;
        struct {
            uint64_t what; /* ubi__ubirec_action; may be unknown here */
            uint64_t time_ns;
        } action;
        ubi__ubirec_end end;
    };
} ubi__ubirec_record;

/** How much there is of each thing by now. */
typedef struct ubi__ubirec_counts {
    uint32_t strings, modules, frames, traces, kinds, infos, threads, blocks;
    uint64_t allocations;
} ubi__ubirec_counts;

/** Where a reader is, between two blocks: another reader of the same bytes can begin there. */
typedef struct ubi__ubirec_place {
    ubi__ubirec_counts n;
    uint64_t position; /* in the source */
    uint64_t time_ns;
    uint32_t thread, unused; /* 0 */
} ubi__ubirec_place;

/** Whether a file that begins with head[n] is a recording. */
bool ubi__ubirec_guess(const uint8_t *head, size_t n);

/** What a program did in a row, as there is most of it. */
#define UBI__UBIREC_EVENTS 512
typedef struct ubi__ubirec_events {
    size_t n;
    uint64_t first_number;               /* of the first allocation in it; others count up from it */
    uint8_t types[UBI__UBIREC_EVENTS];   /* UBI__UBIREC_ALLOC, _FREE, _TIME, _SWITCH; types[n] */
    uint64_t values[UBI__UBIREC_EVENTS]; /* info; number of the allocation; ns; thread */
} ubi__ubirec_events;

/** @param source  borrowed. Reads the header. Errors: UBI_EFORMAT, UBI_ENOMEM, those of the source. */
ubi_status ubi__ubirec_reader_new(ubi__ubirec_reader **out, ubi__source *source, const ubi_allocator *allocator);
/** NULL is fine. */
void ubi__ubirec_reader_free(ubi__ubirec_reader *r);
/**
 * @param out  the next record, borrowed until the next call, its texts too; NULL after the last.
 * Records of unknown types are skipped. Errors: as ubi__ubirec_reader_new; afterwards only _free is allowed.
 */
ubi_status ubi__ubirec_next(ubi__ubirec_reader *r, const ubi__ubirec_record **out);

/**
 * Blocks are read and inflated by another thread, if `threads` is 2 or more, while the records before are taken; see
 * ubi__ubirec_blocks_read_ahead.
 */
void ubi__ubirec_read_ahead(ubi__ubirec_reader *r, unsigned threads);
/**
 * Takes events up to the next record of another type, as far as they are in one block; maybe none, and then ubi__ubirec_next has what is next.
 * They have been checked as records are.
 */
void ubi__ubirec_next_events(ubi__ubirec_reader *r, ubi__ubirec_events *out);

/** False: it is inside of a block, or before the first record or after that of the end. */
bool ubi__ubirec_place_get(const ubi__ubirec_reader *r, ubi__ubirec_place *out);
/**
 * Before anything is read: begins at a place, which is taken as it is. Errors: UBI_EINVAL (the source cannot be read from there).
 */
ubi_status ubi__ubirec_reader_go(ubi__ubirec_reader *r, const ubi__ubirec_place *place);
/** After the last record, when the source has whole blocks again: they follow. */
void ubi__ubirec_reader_resume(ubi__ubirec_reader *r);

/** Of what was given so far. */
uint64_t ubi__ubirec_allocations_read(const ubi__ubirec_reader *r);
uint64_t ubi__ubirec_time_ns(const ubi__ubirec_reader *r);
uint32_t ubi__ubirec_thread_now(const ubi__ubirec_reader *r);
uint64_t ubi__ubirec_bytes_in(const ubi__ubirec_reader *r);
uint32_t ubi__ubirec_block_count(const ubi__ubirec_reader *r);
/** After the last record: bytes of an unfinished block at the end of the file, which were ignored. 0: it ends well. */
uint64_t ubi__ubirec_torn_bytes(const ubi__ubirec_reader *r);

#endif
