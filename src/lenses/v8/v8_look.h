/* SPDX-License-Identifier: MIT
 *
 * v8_look.h: what V8's lens knows of a graph, for the files of the lens and for what is built on it.
 *
 * ubi__v8_look_of(look) gives the data of an opened lens. All of it is computed when the lens opens:
 *
 *     words, ephemerons -> traits -> detachedness -+-> edges and distances (one thread)
 *                                                  +-> sizes, classes with their interfaces (another)
 *                                                  +-> joined strings (whichever is ready first)
 *                                                           ... then the filter
 *
 * Rules: docs/explanation/how-devtools-counts.md.
 */
#ifndef UBI_LENSES_V8_LOOK_H
#define UBI_LENSES_V8_LOOK_H

#include "base/parallel.h"
#include "base/strtab.h"
#include "base/text.h"
#include "formats/v8/v8_facts.h"
#include "graph/graph_columns.h"
#include "lenses/joined.h"
#include "lenses/lens.h"
#include "lenses/v8/v8_text_pool.h"

/**
 * The name of an edge between a WeakMap's table or key and the value, such as
 * "2 / part of key (Object @79389) -> value (Object @79391) pair in WeakMap (table @79405)".
 */
typedef struct ubi__v8_ephemeron {
    ubi_str_ix name;
    uint32_t pair;     /* equal for the two edges of a pair; dense */
    uint64_t table_id; /* id of the table's node */
} ubi__v8_ephemeron;
UBI_VEC_DECLARE(ubi__vec_v8_ephemeron, ubi__v8_ephemeron);

/** A shape of plain objects that is common enough to be a class. */
typedef struct ubi__v8_interface {
    ubi_text name;                         /* "{a, b}" */
    uint32_t first_property, n_properties; /* range of ubi__v8_interfaces.properties */
    uint64_t count; /* objects that begin with just these properties, in the look it was inferred for */
} ubi__v8_interface;
UBI_VEC_DECLARE(ubi__vec_v8_interface, ubi__v8_interface);
UBI_VEC_DECLARE(ubi__vec_text, ubi_text);

typedef struct ubi__v8_interfaces {
    ubi__vec_v8_interface rows; /* most common first */
    ubi__vec_text properties;   /* names of properties; texts of the pool */
} ubi__v8_interfaces;

/** Name of a native node in no document: the string of the file, and the text with "Detached " before it. */
typedef struct ubi__v8_renamed {
    ubi_str_ix name;
    ubi_text text;
} ubi__v8_renamed;
UBI_VEC_DECLARE(ubi__vec_v8_renamed, ubi__v8_renamed);

/** Strings of the graph with a meaning, UBI_NONE where the file does not have them. Entries are canonical. */
typedef struct ubi__v8_words {
    ubi_str_ix proto, object, first, second, sloppy_function_map, native_context, map_descriptors, document_trees,
        external_string_data, truncated, cleanup_queue, base_object_list;
} ubi__v8_words;

/** What loops over nodes ask, in a byte for each. */
enum {
    UBI__V8_TYPE_BITS = 31, /* ubi__v8_type */
    UBI__V8_PLAIN = 32,     /* an object named just "Object" */
    UBI__V8_SPECIAL = 64,   /* not all of its edges count for distances */
    UBI__V8_PART = 128      /* its size may be that of an owner */
};

/** While a look is being opened. */
typedef struct ubi__v8_opening {
    const ubi_allocator *allocator;
    ubi__pulse pulse;
    unsigned threads;
} ubi__v8_opening;

typedef struct ubi__v8_look {
    const ubi__v8_facts *facts; /* NULL: the graph is not from a file of V8 */
    ubi__v8_text_pool pool;     /* what names are made of that the graph does not have */
    uint8_t *traits;            /* [n_nodes]: UBI__V8_TYPE_BITS and the others */
    ubi__v8_words words;

    ubi__vec_v8_ephemeron ephemerons; /* ascending by name */
    uint64_t *is_ephemeron;           /* a bit per string; NULL: there are none */
    uint32_t n_pairs;

    uint8_t *detachedness;       /* [n_nodes]; NULL: all are unknown */
    bool has_other_names;        /* detached native nodes have another name than in the file */
    ubi__vec_v8_renamed renamed; /* ascending by name */

    ubi_edge_set *essential;
    uint32_t *distance;           /* [n_nodes]; NULL: counted when asked for */
    ubi__vec_u64 user_root_edges; /* of the root, ascending */
    ubi__vec_u32 weak_tables;     /* among the engine's roots, and lists of an embedder */
    ubi__vec_u32 passing_roots;   /* among these, too */
    uint64_t *size_bytes;         /* [n_nodes]; NULL: as in the file */
    ubi__v8_interfaces interfaces;
    ubi_class_ix *class_of_node;
    ubi__joined joined; /* strings that were put together */
    uint64_t *shown;    /* bits of the filter; NULL: none */
} ubi__v8_look;

/**
 * What an opened look knows fits together: rows ascend, ranges follow each other, and what is there for all nodes is there when
 * what it was made of is. Cost: O(names + root edges + nodes).
 */
void ubi__v8_look_check(const ubi_look *look);

extern const ubi_lens ubi__lens_v8;

static inline const ubi__v8_look *ubi__v8_look_of(const ubi_look *look) {
    return (const ubi__v8_look *)look->own;
}

static inline ubi__v8_type ubi__v8_type_at(const ubi__v8_look *own, const ubi_graph *g, ubi_node_ix node) {
    (void)g;
    return (ubi__v8_type)(own->traits[node] & UBI__V8_TYPE_BITS);
}
/** V8's type of a node. O(1). */
static inline ubi__v8_type ubi__v8_node_type(const ubi_look *look, ubi_node_ix node) {
    return ubi__v8_type_at(ubi__v8_look_of(look), look->graph, node);
}

/** Whether two strings of the graph, or UBI_NONE, are the same text; `word` is canonical. */
static inline bool ubi__v8_is_word(const ubi_graph *g, ubi_str_ix string, ubi_str_ix word) {
    return word != UBI_NONE && string != UBI_NONE && ubi__strtab_canonical(&g->strings, string) == word;
}

/** DevTools' rawName: the file's name, of detached native nodes with "Detached " before it. Borrowed. O(log names). */
ubi_text ubi__v8_raw_name_of(const ubi__v8_look *own, const ubi_graph *g, ubi_node_ix node);
ubi_text ubi__v8_node_raw_name(const ubi_look *look, ubi_node_ix node);
/** The row of a name that detached nodes have; it must be there. O(log names). */
const ubi__v8_renamed *ubi__v8_renamed_of(const ubi__v8_look *own, ubi_str_ix name);
/** Whether DevTools put "Detached " before the file's name of the node. */
static inline bool ubi__v8_is_renamed(const ubi__v8_look *own, const ubi_graph *g, ubi_node_ix node) {
    return own->has_other_names && own->detachedness[node] == UBI_DETACHED &&
           ubi__v8_type_at(own, g, node) == UBI__V8_NATIVE;
}
/** A plain object: of type object, named just "Object". */
static inline bool ubi__v8_is_plain_object(const ubi__v8_look *own, const ubi_graph *g, ubi_node_ix node) {
    (void)g;
    return (own->traits[node] & UBI__V8_PLAIN) != 0;
}

/** What an edge's name says about a WeakMap, or NULL. For edges of kind INTERNAL only. O(1), O(log) for those that do. */
const ubi__v8_ephemeron *ubi__v8_ephemeron_named(const ubi__v8_look *own, ubi_str_ix name);
/** Reads one such name; false: it is another. *pair_from: where the part begins that both edges of the pair have. */
bool ubi__v8_ephemeron_parse(ubi_text name, size_t *pair_from, uint64_t *table_id);

/** Largest odd id, 0 when there is none: maxJSObjectId. O(nodes). */
uint64_t ubi__v8_largest_js_id(const ubi_graph *graph);
/** DevTools' user roots: targets of the root that are not synthetic, or "(Document DOM trees)". */
bool ubi__v8_is_user_root(const ubi__v8_look *own, const ubi_graph *g, ubi_node_ix node);
/** JavaScript's parseInt(text, 10); false: NaN. */
bool ubi__v8_parse_int(double *out, ubi_text text);

/**
 * A property's name as it is within "{a, b}": quoted when it has a comma, quote or brace; what is written is cut after
 * 6,144 bytes, the most that 1,024 characters take.
 */
typedef struct ubi__v8_property_text {
    ubi_text name;
    bool is_quoted;
    size_t n_units; /* of UTF-16, as it is written; above 120 not exactly */
} ubi__v8_property_text;
ubi__v8_property_text ubi__v8_property_text_of(ubi_text name);
/** Bytes it takes; ubi__v8_property_write writes them and returns where it stopped. */
size_t ubi__v8_property_bytes(const ubi__v8_property_text *property);
char *ubi__v8_property_write(char *out, const ubi__v8_property_text *property);

/** ubi_look_display_name and ubi_look_distances. */
ubi_text ubi__v8_display_name(const ubi_look *look, ubi_node_ix node, ubi_look_name_buffer *buffer);
ubi_status ubi__v8_distances(uint32_t *out, const ubi_look *look);
/** ubi__retaining_rules (retaining.h). */
ubi_status ubi__v8_distances_without(uint32_t *out, const ubi_look *look, const uint64_t *ignored);
extern const struct ubi__retaining_rules ubi__v8_retaining;

/* ---- steps of opening, in v8_lens.c ------------------------------------------------------------------------------ */

/** Nodes or edges between two reports of progress. */
#define UBI__V8_CHUNK (UINT32_C(1) << 16)

/** Whether to continue: reports progress, unless `opening` is NULL, and asks whether something else failed. */
bool ubi__v8_go_on(ubi__v8_opening *opening, uint64_t done, uint64_t total);

/** Words and ephemerons, traits. */
ubi_status ubi__v8_find_words(ubi__v8_look *own, const ubi_graph *g, ubi__v8_opening *opening);
ubi_status ubi__v8_find_traits(ubi__v8_look *own, const ubi_graph *g, ubi__v8_opening *opening);
ubi_status ubi__v8_spread_detachedness(ubi__v8_look *own, const ubi_graph *g, ubi__v8_opening *opening);
/** Also own->distance. */
ubi_status ubi__v8_find_essential_edges(ubi__v8_look *own, const ubi_graph *g, ubi__v8_opening *opening);
/** Sizes as DevTools show them: what hidden nodes and arrays take counts for the one object that owns them. */
ubi_status ubi__v8_redistribute_sizes(ubi__v8_look *own, const ubi_graph *g, ubi__v8_opening *opening);
/** Fills classes and class_of_node, and own->interfaces: those of `like`, or inferred if that is NULL. */
ubi_status ubi__v8_find_classes(ubi_look *look, ubi__v8_look *own, const ubi__v8_interfaces *like,
                                ubi__v8_opening *opening);

/**
 * Counts distances. own->essential may still have edges of tables of WeakMaps.
 * @param page  a bit per node; in: nodes to start from besides the user roots; out: what these and the user roots reach, over
 * edges that do not count for distances, too. NULL: not asked for.
 * @param special  a bit per node: those with edges that do not count, or that count and are not in own->essential.
 */
ubi_status ubi__v8_count_distances(uint32_t *out, uint64_t *page, const uint64_t *special, const ubi__v8_look *own,
                                   const ubi_graph *g, ubi__v8_opening *opening);

/** Makes what is known the look's. */
void ubi__v8_look_show(ubi_look *look);
struct ubi__columns;
/** ubi_lens.pass. */
ubi_status ubi__v8_look_pass(struct ubi__columns *c, ubi_look *look);

/** ubi_statistics_compute (v8_statistics.c). */
ubi_status ubi__v8_statistics(struct ubi_statistics *out, const ubi_look *look,
                              const struct ubi_statistics_options *options);

/* ---- filters (v8_filters.c) -------------------------------------------------------------------------------------- */

/** All filters, ended by one without a name. */
extern const ubi_lens_filter ubi__v8_filters[];
/**
 * Sets the bit of each node that passes. Everything else of the look is done.
 * @param shown_bits  shown_bits[n_nodes / 64 + 1], all clear.
 * @param name  of one of ubi__v8_filters.
 */
ubi_status ubi__v8_filter_apply(uint64_t *shown_bits, const ubi_look *look, const char *name,
                                const ubi_look_options *options);

#endif
