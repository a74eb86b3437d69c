/* SPDX-License-Identifier: MIT
 *
 * v8_saver.h: the parts of the .heapsnapshot writer and what they share.
 *
 *     v8_save.c         the file: header, nodes, edges
 *     v8_save_kinds.c   types and names that nodes of one kind have; kinds and labels of edges
 *     v8_save_tables.c  sections and their records; the string table, allocation stacks, samples, locations, scopes
 *     v8_out.c          bytes
 *
 * A graph that was read from such a file comes out as it was: its nodes in their order, its string entries by their numbers.
 * Any other graph is put into V8's words. Its root goes to the front, because DevTools looks for it there, and below a root of
 * our own, because DevTools refuses a root that leads to an object twice: it takes what a root leads to for globals.
 */
#ifndef UBI_FORMATS_V8_SAVER_H
#define UBI_FORMATS_V8_SAVER_H

#include <string.h>

#include <ubiheap/core/formats.h>

#include "base/alloc.h"
#include "base/assert.h"
#include "formats/text_roles.h"
#include "formats/v8/v8_facts.h"
#include "formats/v8/v8_out.h"

/* ---- what is saved ------------------------------------------------------------------------------------------------ */

/** Entry 0 of every file's string table. */
#define UBI__V8_DUMMY_STRING "<dummy>"

/** What nodes of one kind have in the file. */
typedef struct ubi__v8_save_kind {
    uint32_t type;      /* number in the file's list of types */
    ubi_text_role role; /* of the names of its nodes */
    uint32_t name;      /* string of nodes without a name of their own; UBI_NONE: not looked up yet */
} ubi__v8_save_kind;

/** A type of a later V8. */
typedef struct ubi__v8_save_type {
    ubi_str_ix name; /* canonical entry of the graph */
} ubi__v8_save_type;

UBI_VEC_DECLARE(ubi__vec_v8_save_type, ubi__v8_save_type);

typedef struct ubi__v8_save {
    const ubi_graph *graph;
    const ubi__v8_facts *facts; /* NULL: not from V8 */
    const ubi_save_options *options;
    const ubi_allocator *allocator;
    ubi__v8_out out;

    bool is_root_moved;                /* the root is moved to the front */
    bool has_outer_root;               /* a node of our own comes before all others and leads to the root */
    bool has_traces, has_detachedness; /* fields of a node */
    bool has_script_nodes;             /* field of a location */
    bool has_other_edges;              /* of V8, of an unknown type */
    bool has_wasm_objects;
    const ubi__edge_names *edge_names; /* of references without a kind */
    uint32_t stride;                   /* fields of a node */
    ubi__v8_save_kind *kinds;          /* kinds[kind count of the graph] */
    ubi__vec_v8_save_type extra_types; /* after V8's own */

    /* Strings, see v8_save_tables.c. */
    uint32_t
        *numbers[UBI_TEXT_ROLE_COUNT]; /* numbers[role][entry]: in the file, UBI_NONE: none yet; NULL: no text of it */
    bool keeps_entries;                /* numbers[0] alone serves, and the texts are those of the graph */
    uint32_t n_strings;                /* with keeps_entries */
    ubi__strtab texts;                 /* without: entry i is string i of the file */
    ubi__vec_u8 scratch;               /* a name that is put together */

    /* Traces of a graph that is not from V8, see v8_save_tables.c. */
    uint32_t *frame_function; /* frame_function[frame]: its place among the functions */
    ubi__vec_u32 functions;   /* a frame for each function but the first, which is the root */
} ubi__v8_save;

/* ---- v8_save_kinds.c -------------------------------------------------------------------------------------------- */

/** Fills `kinds` and `extra_types`. Errors: UBI_ENOMEM. */
ubi_status ubi__v8_save_find_kinds(ubi__v8_save *s);
/** String of a node without a name of its own. */
ubi_status ubi__v8_save_kind_name(ubi__v8_save *s, uint32_t *out, ubi_kind_ix kind);

typedef struct ubi__v8_save_edge {
    ubi_edge_kind kind;
    uint32_t label; /* number, or string of the file */
} ubi__v8_save_edge;

/** `place`: that of the edge among those of its node. */
ubi_status ubi__v8_save_label(ubi__v8_save *s, ubi__v8_save_edge *out, ubi_edge_ix e, uint64_t place);

/* ---- v8_save_tables.c: strings ------------------------------------------------------------------------------------ */

/** Decides how strings are numbered, and numbers them if entries are kept. Errors: UBI_ENOMEM. */
ubi_status ubi__v8_save_number_strings(ubi__v8_save *s);
/** Number of an entry of the graph in a role; of UBI_NONE, that of the empty text. Errors: UBI_ENOMEM, or what map_text says. */
ubi_status ubi__v8_save_string(ubi__v8_save *s, uint32_t *out, ubi_text_role role, ubi_str_ix entry);
/** Number of a text that is written as it is. Not with keeps_entries. */
ubi_status ubi__v8_save_own_string(ubi__v8_save *s, uint32_t *out, ubi_text text);
/** `text` as map_text wants it; borrowed until the next call. */
ubi_status ubi__v8_save_map(const ubi__v8_save *s, ubi_text *out, ubi_text_role role, ubi_text text);
/** The section. */
ubi_status ubi__v8_save_write_strings(ubi__v8_save *s);
uint32_t ubi__v8_save_string_count(const ubi__v8_save *s);
void ubi__v8_save_free_strings(ubi__v8_save *s);

/* ---- v8_save_tables.c: allocation stacks -------------------------------------------------------------------------- */

/** Functions of the frames of a graph that is not from V8. Errors: UBI_ENOMEM. */
ubi_status ubi__v8_save_find_functions(ubi__v8_save *s);
uint32_t ubi__v8_save_function_count(const ubi__v8_save *s);
/** What names the frame in a node's field trace_node_id; 0: UBI_NONE. */
uint32_t ubi__v8_save_trace_id(const ubi__v8_save *s, ubi_frame_ix frame);
/** The sections trace_function_infos and trace_tree. */
ubi_status ubi__v8_save_write_traces(ubi__v8_save *s);

/* ---- v8_save_tables.c: samples, locations, scopes ----------------------------------------------------------------- */

/** The sections samples, locations and, if there are scopes, those of scopes. */
ubi_status ubi__v8_save_write_facts(ubi__v8_save *s);

/* ---- v8_save.c -------------------------------------------------------------------------------------------------- */

/**
 * How the file will be is decided: the root is moved only for graphs of others, a node has the fields that its stride counts,
 * each kind one of the types, and each frame one of the functions. Cost: O(kinds + frames).
 */
void ubi__v8_save_check(const ubi__v8_save *s);

/** Index of a node in the file's array of nodes. */
static inline uint64_t ubi__v8_save_position(const ubi__v8_save *s, ubi_node_ix n) {
    uint64_t place = n;
    if (s->is_root_moved)
        place = n == s->graph->root ? 0 : n + (uint64_t)(n < s->graph->root);
    return (place + s->has_outer_root) * s->stride;
}

/** Begins a section: ",\n" and its key. */
ubi_status ubi__v8_save_section(ubi__v8_save *s, const char *key);
/** One record of `n` numbers. */
ubi_status ubi__v8_save_record(ubi__v8_save *s, bool first, const uint64_t *numbers, size_t n);

/** The number of V8's type; 0: the graph came from another engine, whose numbers differ, or has no such numbers. */
static inline uint8_t ubi__v8_save_raw_type(const ubi__v8_save *s, const ubi_kind *kind) {
    return s->graph->facts && !s->facts ? 0 : kind->raw_type;
}

#endif
