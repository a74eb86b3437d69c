/* SPDX-License-Identifier: MIT
 *
 * ubirec_numbers.h: what a recording file numbers, given to a writer: what each thing is called there.
 *
 * For writers of a file of what is read from others (ubirec_merge.h, formats/ubirec/ubirec_copy.h). Records of
 * definitions go in one after the other; numbers of the input can be translated as soon as they came. Texts may be
 * replaced on the way.
 */
#ifndef UBI_RECORDING_UBIREC_NUMBERS_H
#define UBI_RECORDING_UBIREC_NUMBERS_H

#include "recording/tuple_table.h"
#include "recording/ubirec_tables.h"
#include "recording/ubirec_writer.h"

/** What a text of a recording is. */
typedef enum ubi__ubirec_text {
    UBI__UBIREC_TEXT_FILE, /* of a program, a module, a compiled source */
    UBI__UBIREC_TEXT_BUILD_ID,
    UBI__UBIREC_TEXT_FUNCTION, /* compiled */
    UBI__UBIREC_TEXT_SCRIPT_FUNCTION,
    UBI__UBIREC_TEXT_SCRIPT_FILE,
    UBI__UBIREC_TEXT_LABEL, /* a frame that is only a text */
    UBI__UBIREC_TEXT_KIND,  /* what was called to allocate */
    UBI__UBIREC_TEXT_CLASS, /* the same of objects of a script engine */
    UBI__UBIREC_TEXT_THREAD,
    UBI__UBIREC_TEXT_MARKER,
    UBI__UBIREC_TEXT_DETAILS, /* a JSON object */
    UBI__UBIREC_TEXT_COUNT
} ubi__ubirec_text;

/** Gives the text to write in place of `text`: *out, borrowed until the next call. */
typedef ubi_status ubi__ubirec_map_fn(void *payload, ubi__ubirec_text what, ubi_text text, ubi_text *out);

typedef struct ubi__ubirec_numbers {
    const ubi_allocator *allocator;
    ubi__ubirec_writer *writer;
    ubi__ubirec_tables tables;                                   /* of the input, as it was */
    ubi__vec_u32 modules, frames, traces, kinds, infos, threads; /* of the input -> of the output */
    ubi__ubirec_map_fn *map;                                     /* NULL: texts are written as they are */
    void *map_payload;
    /* With `map`: */
    ubi__strtab mapped;                             /* what was answered */
    ubi__vec_u32 mapped_of[UBI__UBIREC_TEXT_COUNT]; /* string -> entry of `mapped`, UBI_NONE: not asked yet */
    uint64_t next_module_address;                   /* where the next module is said to lie */
    ubi__tuple_table raw_addresses;                 /* of raw frames: the number is what is written */
} ubi__ubirec_numbers;

/** All that the input has defined has a number in the output. */
void ubi__ubirec_numbers_check(const ubi__ubirec_numbers *n);
/** @param map  NULL: none, and modules lie nowhere, as where they did lie is useless to others. Errors: UBI_ENOMEM, and nothing is left. */
ubi_status ubi__ubirec_numbers_init(ubi__ubirec_numbers *n, ubi__ubirec_writer *writer, ubi__ubirec_map_fn *map,
                                    void *map_payload, const ubi_allocator *allocator);
void ubi__ubirec_numbers_fini(ubi__ubirec_numbers *n);

/**
 * Takes a record into the tables, and one of a string, module, frame, trace, kind, info or thread also into the writer.
 * @param done  out: it was such a one; others are the caller's business.
 * Errors: those of the writer and of `map`.
 */
ubi_status ubi__ubirec_numbers_add(ubi__ubirec_numbers *n, const ubi__ubirec_record *record, bool *done);

/** A string of the input as it is to be written. Borrowed until the next call of this or of _add. */
ubi_status ubi__ubirec_numbers_text(ubi__ubirec_numbers *n, ubi_text *out, ubi__ubirec_text what, ubi_str_ix string);
/** Writes what is known about a frame of the input: symbols[n_symbols], whose strings are of the input. */
ubi_status ubi__ubirec_numbers_write_symbols(ubi__ubirec_numbers *n, uint32_t frame,
                                             const ubi__ubirec_symbol_row *symbols, uint32_t n_symbols);

#endif
