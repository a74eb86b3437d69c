/* SPDX-License-Identifier: MIT
 *
 * timeline_copy.h: a timeline rewritten with other texts, line by line, such as one to show to others.
 *
 * Times, numbers, stacks and their lines stay. Of records and members that this version does not know nothing is left, since it is
 * unknown what they say; a line without a record stays as an empty one, so that lines keep their numbers.
 */
#ifndef UBI_FORMATS_TIMELINE_TIMELINE_COPY_H
#define UBI_FORMATS_TIMELINE_TIMELINE_COPY_H

#include <ubiheap/core/formats.h>

#include "base/deflate.h"
#include "base/source.h"

typedef struct ubi__timeline_copy {
    ubi_text_map_fn map_text; /* in: what replaces each text */
    void *map_text_payload;
    ubi_progress progress; /* in */

    uint64_t input_bytes, output_bytes, n_lines, n_markers; /* out; bytes: before `write` packs them */
    char fault[256]; /* out: what is wrong in the input, after which nothing was read; "" */
} ubi__timeline_copy;

/**
 * The time of day is cut to its day.
 * @param allocator  or NULL.
 * Errors: UBI_EFORMAT: the first line is not that of a timeline; those of the source, of `write` and map_text; UBI_ENOMEM,
 * UBI_ECANCELLED. Cost: linear. Memory: windows, and the longest line twice.
 */
ubi_status ubi__timeline_copy_write(ubi__timeline_copy *copy, ubi__source *source, ubi__write_fn write, void *payload,
                                    const ubi_allocator *allocator);

#endif
