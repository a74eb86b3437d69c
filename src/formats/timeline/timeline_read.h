/* SPDX-License-Identifier: MIT
 *
 * timeline_read.h: reading a file of `ubiheap run --timeline` (docs/formats/timeline.md), and its lines one by one.
 *
 * The file is written while a program runs, so it may stop anywhere: what comes before a fault is read, and the fault is reported.
 */
#ifndef UBI_FORMATS_TIMELINE_TIMELINE_READ_H
#define UBI_FORMATS_TIMELINE_TIMELINE_READ_H

#include "base/inflate.h"
#include "base/source.h"
#include "timeline/timeline_data.h"

/* ---- lines -------------------------------------------------------------------------------------------------------- */

/* Inflated, one after the other, through a window over the file. */
typedef struct ubi__timeline_lines {
    const ubi_allocator *allocator;
    /** Gets each line without its end, in order; its failure ends the reading. Blanks at its end are gone; it may be empty. */
    ubi_status (*take)(void *payload, ubi_text line);
    void *payload;
    uint64_t line;      /* the one at hand, from 1; in the end how many there were */
    ubi__vec_u8 window; /* what was inflated and not read yet */
    bool is_cut;        /* set by a failing `take`: the line ends too early */
    const char *compression;
} ubi__timeline_lines;

/**
 * Errors: those of `take` and of the source; UBI_EFORMAT: a line that is too long, compressed data that is damaged, nothing at
 * all; UBI_ENOMEM, UBI_ECANCELLED.
 */
ubi_status ubi__timeline_lines_read(ubi__timeline_lines *l, ubi__inflater *inflater, const ubi__source *source,
                                    const ubi_progress *progress);
/** What to say of a first line that is no timeline's: UBI_EFORMAT, and what the file is if that is known. */
ubi_status ubi__timeline_lines_refuse(ubi__timeline_lines *l);
void ubi__timeline_lines_fini(ubi__timeline_lines *l);

/* ---- the timeline ------------------------------------------------------------------------------------------------- */

#define UBI__TIMELINE_SCHEMA "ubiheap.timeline-log/1"
/** Longer lines are refused. */
#define UBI__TIMELINE_LINE_BYTES ((size_t)16 << 20)

typedef struct ubi__timeline_file {
    ubi__timeline_data data; /**< sorted */
    ubi_str_ix generator;    /**< who wrote it; UBI_NONE: unknown */
    bool has_end;            /**< the program ended, or recording did */
    const char *compression; /**< "gzip", "zlib" or "none" */
    uint64_t input_bytes;
    uint64_t n_lines; /**< that were understood or passed over */
    char fault[256];  /**< where and why reading stopped early; "": at the end of the file */
} ubi__timeline_file;

/** Whether inflated input that starts with head[0..n) is such a file. 40 bytes are enough. */
bool ubi__timeline_guess(const uint8_t *head, size_t n);

/**
 * Reads all there is. Records and members of unknown names are passed over.
 *
 * @param progress  NULL: none. @param allocator  NULL: the default; must outlive the file.
 * Errors: UBI_EFORMAT when the first line is not that of such a file; UBI_EIO, UBI_ENOMEM, UBI_ECANCELLED. Then there is nothing
 * to free. Cost: linear in the file, and sorting. Memory: below 20 bytes for one of the file.
 */
ubi_status ubi__timeline_read(ubi__timeline_file *out, ubi__source *source, const ubi_progress *progress,
                              const ubi_allocator *allocator);
void ubi__timeline_file_fini(ubi__timeline_file *file);

#endif
