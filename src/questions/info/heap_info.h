/* SPDX-License-Identifier: MIT
 *
 * heap_info.h: what kind of file a heap is in and what it carries.
 */
#ifndef UBI_QUESTIONS_INFO_HEAP_INFO_H
#define UBI_QUESTIONS_INFO_HEAP_INFO_H

#include "lenses/heap_summary.h"
#include "questions/question.h"

typedef struct ubi__heap_info {
    const char *name;
    const ubi_read_info *info; /* all zero: it was not read from a file */
    const ubi_graph *graph;    /* of the session, as is: */
    const ubi__heap_summary *summary;
    ubi_graph_memory memory;
    uint64_t creation_time_us;
    bool has_creation_time;
    const char *producer; /* or NULL */
    uint64_t load_us;     /* wall time of reading */
    bool has_load_time;   /* else it is not shown: it may be that of another time */
} ubi__heap_info;

/** Makes no look. Errors: those of the graph. */
ubi_status ubi__heap_info_get(ubi__heap_info *out, const ubi__asked *asked);
void ubi__heap_info_document(ubi__json *json, const ubi__heap_info *info);
void ubi__heap_info_page(const ubi__page *page, const ubi__heap_info *info);

#endif
