/* SPDX-License-Identifier: MIT
 *
 * jsc_reader.h: the inside of the reader of JavaScriptCore's heap snapshots.
 *
 *     JSON (json_scan.h) -> rows of nodes and edges (jsc_rows.c) -> columns, with the file's numbers in them
 *                        -> class names, names of edges, labels   -> the graph's strings
 *     and when all is there: jsc_finish.c makes ids nodes, and numbers of names names
 *
 * Edges name their two ends by id, and come in the order of the ids they leave, not in that of the nodes. So they are kept as
 * they are until all nodes are known, and then put in order in one pass.
 */
#ifndef UBI_FORMATS_JSC_READER_H
#define UBI_FORMATS_JSC_READER_H

#include "formats/jsc/jsc_facts.h"
#include "formats/json_rows.h"
#include "formats/json_scan.h"

typedef enum ubi__jsc_section {
    UBI__JSC_VERSION,
    UBI__JSC_FILE_TYPE,
    UBI__JSC_NODES,
    UBI__JSC_CLASS_NAMES,
    UBI__JSC_EDGES,
    UBI__JSC_EDGE_TYPES,
    UBI__JSC_EDGE_NAMES,
    UBI__JSC_ROOTS,
    UBI__JSC_LABELS,
    UBI__JSC_SECTION_COUNT,
    UBI__JSC_NO_SECTION = UBI__JSC_SECTION_COUNT
} ubi__jsc_section;

#define UBI__JSC_MAX_EDGE_TYPES 64
#define UBI__JSC_UNNAMED_TYPE UBI__JSC_MAX_EDGE_TYPES

/** Entries of the graph's strings that a section became. */
typedef struct ubi__jsc_texts {
    uint32_t first, n;
} ubi__jsc_texts;

/** An entry of "roots", as in the file. */
typedef struct ubi__jsc_root_row {
    uint32_t id, reason, reachability;
} ubi__jsc_root_row;

UBI_VEC_DECLARE(ubi__vec_jsc_root_row, ubi__jsc_root_row);

typedef struct ubi__jsc_reader {
    const ubi_allocator *allocator;
    ubi__format_input *input;
    ubi_graph *graph;
    ubi__jsc_facts *facts;
    ubi__scan scan;
    ubi__rows rows;

    ubi__jsc_section section; /* which is being read */
    bool was_seen[UBI__JSC_SECTION_COUNT];
    uint64_t offset[UBI__JSC_SECTION_COUNT]; /* of its value */

    /* Per node, beside the graph's columns: kind has the number of the class, node_name that of the label. */
    ubi__vec_u32 file_id;
    ubi__vec_u8 flags;
    uint32_t max_class, max_label; /* the largest in use; 0 without nodes */
    /* Per edge, beside target (an id), name (the file's fourth number) and edge_kind (the number of its type). */
    ubi__vec_u32 from;
    uint32_t max_edge_type;
    ubi__vec_jsc_root_row root_rows;

    ubi__jsc_texts texts[UBI__JSC_SECTION_COUNT];
    uint32_t n_edge_types;
    uint8_t edge_kind[UBI__JSC_MAX_EDGE_TYPES]; /* ubi_edge_kind of the file's number */
    uint64_t n_repeated;                        /* nodes with the address of an earlier one */
} ubi__jsc_reader;

/** Columns of nodes are equally long, and so are those of edges. O(1). */
void ubi__jsc_reader_check(const ubi__jsc_reader *r);

/** Of its member, without UBI__JSC_NO_SECTION. */
extern const char *const ubi__jsc_section_names[UBI__JSC_SECTION_COUNT];
/** By the name of its member; UBI__JSC_NO_SECTION: another one. */
ubi__jsc_section ubi__jsc_section_of(ubi_text key);
/** Messages name this section from now on. */
void ubi__jsc_enter(ubi__jsc_reader *r, ubi__jsc_section section);

ubi_status ubi__jsc_read_nodes(ubi__jsc_reader *r);
ubi_status ubi__jsc_read_edges(ubi__jsc_reader *r);
ubi_status ubi__jsc_read_roots(ubi__jsc_reader *r);
/** Checks what sections say of each other, and makes the graph complete. */
ubi_status ubi__jsc_finish(ubi__jsc_reader *r);

#endif
