/* SPDX-License-Identifier: MIT
 *
 * line_facts.h: what a graph's producer supplies beside the graph, as members of JSON lines.
 *
 * Formats know nothing of each other. So the reader of a producer's files also gives its facts as JSON, and the writer of
 * lines asks for those of any producer.
 */
#ifndef UBI_FORMATS_LINE_FACTS_H
#define UBI_FORMATS_LINE_FACTS_H

#include <ubiheap/core/formats.h>

#include "base/json_writer.h"
#include "graph/graph_columns.h"

/** An object that is being written and takes more members. */
typedef struct ubi__line {
    ubi__json *json;
    /** Writes a text as a value, as the options of the save want it. Any error of map_text. */
    ubi_status (*put_text)(const struct ubi__line *line, ubi_text_role role, ubi_text text);
    void *payload;
} ubi__line;

/** Each function adds members to the line about something. Their keys are documented in docs/formats/jsonl.md. */
typedef struct ubi__line_facts {
    bool (*knows_graph)(const ubi_graph *graph);
    void (*put_header)(const ubi__line *line, const ubi_graph *graph);
    void (*put_frame)(const ubi__line *line, const ubi_graph *graph, ubi_frame_ix frame);
    void (*put_kind)(const ubi__line *line, const ubi_graph *graph, const ubi_kind *kind);
    bool (*knows_node)(const ubi_graph *graph, ubi_node_ix node);                      /**< Cost: O(log facts) */
    void (*put_node)(const ubi__line *line, const ubi_graph *graph, ubi_node_ix node); /**< of those it knows */
    /** Lines of their own, between frames and nodes. */
    size_t (*line_count)(const ubi_graph *graph);
    ubi_status (*put_line)(const ubi__line *line, const ubi_graph *graph, size_t i);
} ubi__line_facts;

/** NULL: the graph is all there is. */
const ubi__line_facts *ubi__line_facts_of(const ubi_graph *graph);

#endif
