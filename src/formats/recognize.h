/* SPDX-License-Identifier: MIT
 *
 * recognize.h: what a file is, by its beginning, for users who gave the wrong one.
 *
 * One table holds every kind of file that is known by name: how it is recognized, what it is called, what to do with it; the rows
 * of heaps are those of the formats. Callers
 * ask it before reading a file, so that a foreign file is never read as something else. Only the first
 * UBI__BEGINNING_BYTES of the inflated stream are looked at, once; nothing is inflated a second time.
 */
#ifndef UBI_FORMATS_RECOGNIZE_H
#define UBI_FORMATS_RECOGNIZE_H

#include "base/status.h"
#include "formats/json_beginning.h"

/** Advice for what may have been meant as a heap. */
#define UBI__TAKE_HEAP "give a heap snapshot (.heapsnapshot, .fxsnapshot), a recording (.ubirec) or a timeline"
#define UBI__BEGINNING_BYTES ((size_t)4096)

/** What commands do with a file. */
typedef enum ubi__file_use {
    UBI__FILE_FOREIGN,   /* nothing */
    UBI__FILE_HEAP,      /* reads as a graph; nothing may be refused that a reader would take, so these are guesses */
    UBI__FILE_RECORDING, /* of allocations */
    UBI__FILE_TIMELINE
} ubi__file_use;

/** at[0..n): the beginning of the inflated stream, borrowed. */
typedef struct ubi__beginning {
    const uint8_t *at;
    size_t n;
    ubi__json_beginning json;
} ubi__beginning;

typedef struct ubi__file_type {
    ubi__file_use use;
    const char *what;   /**< what it is called: "a zip archive" */
    const char *sign;   /**< how to recognize it, for the docs */
    const char *advice; /**< what to do */
    const char *output; /**< what our commands call such a file when they write one; NULL: they write none */
    const char *magic;  /**< the first n_magic bytes; NULL: any */
    size_t n_magic;
    bool (*is)(const ubi__beginning *b); /**< what must hold besides; NULL: nothing */
    /** Writes more to say after `what`, with a blank in front: what an archive holds. Or NULL. */
    void (*detail)(char *out, size_t size_bytes, const ubi__beginning *b);
    bool is_sure; /**< of a format: whatever other keys there are. Else it is asked after JSON that names itself */
} ubi__file_type;

/** The i-th row of the table, NULL after the last. */
const ubi__file_type *ubi__file_type_at(size_t i);
/**
 * The type of a file that begins with head[0..n); NULL: unknown. Looks at UBI__BEGINNING_BYTES at most.
 * Cost: O(UBI__BEGINNING_BYTES).
 */
const ubi__file_type *ubi__file_recognize(const uint8_t *head, size_t n);
/** The same of a file, inflated if it is packed. What is taken from a pipe is gone. Errors: UBI_EIO, UBI_ENOMEM. */
UBI__SERVER_API ubi_status ubi__file_recognize_path(const ubi__file_type **out, const char *path);
/**
 * RECORDING or TIMELINE if the first bytes say so as they are, not inflated; HEAP for everything else, also for what cannot be read twice,
 * or at all. Nothing is taken from pipes.
 */
ubi__file_use ubi__file_use_peek(const char *path);
/**
 * UBI_EFORMAT, and a message of one line that says what the file is and what to do.
 * @param compression  what was taken off before head[0..n), or "none".
 * @param wanted       what was to be read: "heap snapshot", "timeline".
 */
ubi_status ubi__file_refuse(const ubi__file_type *type, const uint8_t *head, size_t n, const char *compression,
                            const char *wanted);
/** The same of a file that can be read again. Errors: also those of opening it. */
UBI__SERVER_API ubi_status ubi__file_refuse_path(const char *path, const char *wanted);

/* ---- parts of the table ------------------------------------------------------------------------------------------------- */

/** " that holds 'NAME'" of the first member that looks like one of ours, else the first one. */
void ubi__zip_detail(char *out, size_t size_bytes, const ubi__beginning *b);
void ubi__tar_detail(char *out, size_t size_bytes, const ubi__beginning *b);
bool ubi__tar_is(const ubi__beginning *b);
/** `before`, then text[0..n) up to its first control character or byte that is not UTF-8, cut if long, then `behind`;
 *  nothing when that is empty. */
void ubi__quote(char *out, size_t size_bytes, const char *before, const void *text, size_t n, const char *behind);

#endif
