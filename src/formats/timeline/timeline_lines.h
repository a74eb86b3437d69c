/* SPDX-License-Identifier: MIT
 *
 * timeline_lines.h: the lines of a timeline, inflated, one after the other, through a window over the file.
 */
#ifndef UBI_FORMATS_TIMELINE_TIMELINE_LINES_H
#define UBI_FORMATS_TIMELINE_TIMELINE_LINES_H

#include "base/inflate.h"

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

#endif
