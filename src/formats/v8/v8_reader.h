/* SPDX-License-Identifier: MIT
 *
 * v8_reader.h: the inside of the .heapsnapshot reader.
 *
 *     JSON (json_scan.h) -> meta (v8_read.c) -> room for columns (v8_rows.c)
 *                        -> rows of numbers (json_rows.h) -> columns (v8_rows.c, v8_tables.c)
 *                        -> strings, trace tree -> the graph's tables
 *     and when all is there: v8_finish.c
 *
 * Sections go straight into the columns of the graph to be, in whatever order the file has them. What one of them says of
 * another (a name is a place in `strings`, which come last) is checked when both are there.
 */
#ifndef UBI_FORMATS_V8_READER_H
#define UBI_FORMATS_V8_READER_H

#include "base/parallel.h"
#include "formats/format.h"
#include "formats/json_rows.h"
#include "formats/v8/v8_facts.h"

typedef struct ubi__v8_reader ubi__v8_reader;

/* ---- sections -------------------------------------------------------------------------------------------------------- */

typedef enum ubi__v8_section {
    UBI__V8_SNAPSHOT,
    UBI__V8_NODES,
    UBI__V8_EDGES,
    UBI__V8_FUNCTIONS,
    UBI__V8_TRACE_TREE,
    UBI__V8_SAMPLES,
    UBI__V8_LOCATIONS,
    UBI__V8_SCOPES,
    UBI__V8_SCOPE_VARIABLES,
    UBI__V8_SCOPE_USES,
    UBI__V8_STRINGS,
    UBI__V8_SECTION_COUNT,
    UBI__V8_NO_SECTION = UBI__V8_SECTION_COUNT
} ubi__v8_section;

/** Key of a section in the file. Not for NO_SECTION. */
const char *ubi__v8_section_name(ubi__v8_section section);
/** NO_SECTION for unknown keys. */
ubi__v8_section ubi__v8_section_of(ubi_text key);

/* ---- what `meta` says ------------------------------------------------------------------------------------------------ */

#define UBI__V8_MAX_FIELDS UBI__ROWS_MAX_STRIDE
#define UBI__V8_MAX_TYPES 255
#define UBI__V8_NO_FIELD UINT32_MAX

/* Places in ubi__v8_layout.place, per section. */
enum {
    UBI__V8_TYPE,
    UBI__V8_NAME,
    UBI__V8_ID,
    UBI__V8_SELF_SIZE,
    UBI__V8_EDGE_COUNT,
    UBI__V8_TRACE_ID,
    UBI__V8_DETACHED
};
enum { UBI__V8_EDGE_TYPE, UBI__V8_EDGE_NAME, UBI__V8_EDGE_TO };
enum {
    UBI__V8_FN_ID,
    UBI__V8_FN_NAME,
    UBI__V8_FN_SCRIPT_NAME,
    UBI__V8_FN_SCRIPT_ID,
    UBI__V8_FN_LINE,
    UBI__V8_FN_COLUMN
};
enum { UBI__V8_TRACE_ROW_ID, UBI__V8_TRACE_FUNCTION, UBI__V8_TRACE_COUNT, UBI__V8_TRACE_SIZE, UBI__V8_TRACE_CHILDREN };
enum { UBI__V8_SAMPLE_TIME, UBI__V8_SAMPLE_ID };
enum { UBI__V8_LOC_OBJECT, UBI__V8_LOC_SCRIPT_ID, UBI__V8_LOC_LINE, UBI__V8_LOC_COLUMN, UBI__V8_LOC_SCRIPT };
enum { UBI__V8_SCOPE_SCRIPT, UBI__V8_SCOPE_ID, UBI__V8_SCOPE_DEPTH, UBI__V8_SCOPE_N_VARIABLES, UBI__V8_SCOPE_N_USES };
enum { UBI__V8_VARIABLE_NAME };
enum { UBI__V8_USE_SCOPE, UBI__V8_USE_SLOT };
#define UBI__V8_MAX_PLACES 7

/** Where the fields of a section's rows are. */
typedef struct ubi__v8_layout {
    uint32_t stride; /* 0: the file does not say */
    uint32_t place[UBI__V8_MAX_PLACES];
} ubi__v8_layout;

/** A number of the header, and where it is. */
typedef struct ubi__v8_header_number {
    bool is_given;
    uint64_t value, offset;
} ubi__v8_header_number;

typedef struct ubi__v8_meta {
    bool is_known;
    ubi__v8_layout layout[UBI__V8_SECTION_COUNT];
    uint32_t n_node_types, n_edge_types;
    uint8_t node_type[UBI__V8_MAX_TYPES + 1]; /* ubi__v8_type of the file's number */
    uint8_t edge_kind[UBI__V8_MAX_TYPES + 1]; /* ubi_edge_kind */
    ubi__strtab type_names;                   /* of nodes, by the file's number */
    ubi__v8_header_number node_count, edge_count, root_index;
} ubi__v8_meta;

void ubi__v8_meta_init(ubi__v8_meta *m);
/** Each field has a place of its own within its row, and each type a name and a meaning. */
void ubi__v8_meta_check(const ubi__v8_meta *m);
/** The section "snapshot". */
ubi_status ubi__v8_read_snapshot(ubi__v8_reader *r);

/* ---- rows of numbers ------------------------------------------------------------------------------------------------- */

/** Takes the first n_rows rows of r->rows.numbers. */
typedef ubi_status ubi__v8_rows_fn(ubi__v8_reader *r, size_t n_rows);

/** A flat array of numbers; kept as it is until `meta` comes. */
ubi_status ubi__v8_read_rows(ubi__v8_reader *r);
/** Arrays that came before `meta`. */
ubi_status ubi__v8_replay_rows(ubi__v8_reader *r);
/** The same for a number of a section that was read earlier: near its place. */
ubi_status ubi__v8_fail_earlier(ubi__v8_reader *r, ubi__v8_section section, uint64_t number, const char *format, ...)
    UBI_PRINTF(4, 5);
ubi__v8_rows_fn ubi__v8_take_nodes, ubi__v8_take_edges, ubi__v8_take_functions, ubi__v8_take_samples,
    ubi__v8_take_locations, ubi__v8_take_scopes, ubi__v8_take_scope_variables, ubi__v8_take_scope_uses;

typedef struct ubi__v8_raw_wide {
    uint64_t index, value;
    bool is_negative;
} ubi__v8_raw_wide;

UBI_VEC_DECLARE(ubi__vec_v8_raw_wide, ubi__v8_raw_wide);

/** The numbers of a section that came before `meta`. */
typedef struct ubi__v8_raw {
    ubi__vec_u32 numbers;
    ubi__vec_v8_raw_wide wide;
} ubi__v8_raw;

/** Where in the file a number of a section is. */
typedef struct ubi__v8_mark {
    uint64_t number, offset;
} ubi__v8_mark;

UBI_VEC_DECLARE(ubi__vec_v8_mark, ubi__v8_mark);

/* Numbers of nodes and edges between two marks, which say where errors are that are found later. */
#define UBI__V8_MARK_NUMBERS 16384

/* ---- traces ---------------------------------------------------------------------------------------------------------- */

ubi_status ubi__v8_read_trace_tree(ubi__v8_reader *r);

/* ---- work at the end, and beside the reading -------------------------------------------------------------------------- */

typedef struct ubi__v8_job {
    ubi__chore chore;
    ubi__v8_reader *reader;
    unsigned threads;
    ubi_status status;
} ubi__v8_job;

/** Memory that the helper makes ready. */
typedef struct ubi__v8_touched {
    void *at;
    size_t bytes;
} ubi__v8_touched;

typedef struct ubi__v8_touching {
    ubi__chore chore;
    _Atomic bool must_stop;
    ubi__v8_touched nodes[5], edges[3];
} ubi__v8_touching;

/** Makes the columns of nodes and edges as long as the header says, if it can be believed, and has memory made ready. */
ubi_status ubi__v8_make_columns(ubi__v8_reader *r);
/** Before columns move, or when their memory is no longer needed ahead of time. */
void ubi__v8_stop_touching(ubi__v8_reader *r);

/** When all nodes, or edges, are there: starts what can be done beside the rest. */
ubi_status ubi__v8_nodes_ended(ubi__v8_reader *r);
ubi_status ubi__v8_edges_ended(ubi__v8_reader *r);
/** Waits for what was started; for every exit. */
void ubi__v8_stop_jobs(ubi__v8_reader *r);
/** Checks what could not be checked before, and makes the graph complete. */
ubi_status ubi__v8_finish(ubi__v8_reader *r);

/** The kind of every node: from its type and name, and the file its code is in. */
ubi_status ubi__v8_find_kinds(ubi__v8_reader *r);
/** Locations in order of their nodes, the last one of each. */
ubi_status ubi__v8_sort_locations(ubi__v8_reader *r);
/** Files that locations are in; owned. */
typedef struct ubi__v8_scripts ubi__v8_scripts;
/** Finds them: adds to the graph's strings. */
ubi_status ubi__v8_find_files(ubi__v8_scripts **out, ubi__v8_reader *r);
/** Puts them into the kinds of nodes with locations. Strings are left alone. */
ubi_status ubi__v8_set_files(ubi__v8_scripts *scripts);
void ubi__v8_scripts_free(ubi__v8_scripts *scripts);
/** Frames from the trace tree; stacks of nodes from trace ids to frames. */
ubi_status ubi__v8_find_stacks(ubi__v8_reader *r);

/* ---- the reader ------------------------------------------------------------------------------------------------------ */

struct ubi__v8_reader {
    const ubi_allocator *allocator;
    ubi__format_input *input;
    ubi_graph *graph;
    ubi__v8_facts *facts;
    ubi__scan scan;
    ubi__v8_meta meta;

    ubi__v8_section section; /* which is being read */
    bool was_seen[UBI__V8_SECTION_COUNT], is_complete[UBI__V8_SECTION_COUNT];
    uint64_t offset[UBI__V8_SECTION_COUNT], end_offset[UBI__V8_SECTION_COUNT]; /* of its value */
    uint64_t n_numbers[UBI__V8_SECTION_COUNT];
    ubi__v8_raw raw[UBI__V8_SECTION_COUNT];
    ubi__vec_v8_mark marks[2]; /* of nodes, of edges */

    ubi__rows rows; /* of the section */

    uint64_t n_edges_promised;             /* sum of edge_count */
    uint64_t max_node_name, max_edge_name; /* the largest string index in use, and one more */
    uint64_t max_target;                   /* the largest node that an edge leads to, and one more */
    uint64_t n_variables_promised, n_uses_promised;

    ubi__vec_u32 trace_parent; /* row of the trace tree -> row */

    bool are_nodes_ready, are_edges_ready; /* whole columns, checked against the header */
    ubi__helper helper;
    ubi__pulse pulse; /* for what it does */
    bool are_columns_made;
    ubi__v8_touching touching;
    ubi__v8_job index_job, reach_job, sort_job, file_job;
    uint32_t n_repeated;      /* nodes with an id that an earlier one has; of the index job */
    ubi__v8_scripts *scripts; /* of the file job */
};

/** Columns are as long as the numbers taken for them say, and marks ascend. Cost: O(sections). */
void ubi__v8_reader_check(const ubi__v8_reader *r);

/** Messages name this section from now on, which is not NO_SECTION. */
static inline void ubi__v8_enter(ubi__v8_reader *r, ubi__v8_section section) {
    r->section = section;
    r->scan.section = ubi__v8_section_name(section);
}

/** Messages name no section. */
static inline void ubi__v8_leave(ubi__v8_reader *r) {
    r->section = UBI__V8_NO_SECTION;
    r->scan.section = NULL;
}

#endif
