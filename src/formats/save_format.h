/* SPDX-License-Identifier: MIT
 *
 * save_format.h: what a format gives to the rest so that snapshots can be saved in it.
 *
 * To add one: a folder here with a `const ubi__save_format`, and a line in the table of save.c.
 */
#ifndef UBI_FORMATS_SAVE_FORMAT_H
#define UBI_FORMATS_SAVE_FORMAT_H

#include <ubiheap/core/formats.h>

#include "base/deflate.h"

/** What is saved: one of the two. */
typedef struct ubi__save_subject {
    const ubi_graph *graph;
    ubi_node root; /* without `graph` */
} ubi__save_subject;

typedef struct ubi__save_format {
    ubi_save_format about;
    bool can_save_walks; /* takes a heap while it is walked, too */
    bool can_save_views; /* of a graph, what a view shows of it, too */
    /** Writes everything, not compressed. The caller fills info->output_bytes; on failure *info does not matter. */
    ubi_status (*save)(const ubi__save_subject *what, const ubi_save_options *options, ubi__write_fn write,
                       void *payload, ubi_save_info *info);
} ubi__save_format;

extern const ubi__save_format ubi__save_format_fxsnapshot, ubi__save_format_heapsnapshot, ubi__save_format_jsonl;

#endif
