/* SPDX-License-Identifier: MIT
 *
 * v8_heap.h: made-up .heapsnapshot files, and what their shapes share.
 *
 * A shape is functions of the number of a node: its row, its edges, and of the number of a string: its text. Nothing is kept:
 * every node is made when its row is written, and again when its edges are. So a file of any size takes no memory, and any
 * part of it can be made alone.
 *
 *     v8_heap.c    the file: versions, header, sections
 *     v8_model.c   a heap like that of a large Node.js program
 *     v8_hurt.c    shapes that are there to hurt
 */
#ifndef UBI_BENCH_V8_HEAP_H
#define UBI_BENCH_V8_HEAP_H

#include "formats/v8/v8_saver.h"
#include "formats/v8/v8_types.h"
#include "generator_internal.h"
#include "graph/graph_columns.h"

typedef struct ubi__v8_heap ubi__v8_heap;

/** Strings that every shape has under these numbers. */
enum { UBI__V8_STRING_DUMMY, UBI__V8_STRING_EMPTY, UBI__V8_STRING_MAP };

typedef struct ubi__v8_row {
    ubi__v8_type type;
    uint32_t name; /* string */
    uint64_t id;
    uint64_t size_bytes;
    uint32_t trace_id;
    uint8_t detachedness;
    bool has_location;
    uint32_t script_id, line, column; /* of the location */
} ubi__v8_row;

/** Enough for every text but those of huge strings, which are one page repeated. */
#define UBI__V8_TEXT_MAX 1200

typedef struct ubi__v8_text {
    char bytes[UBI__V8_TEXT_MAX];
    size_t n;
    uint64_t repeats; /* the bytes so many times; at least 1 */
    bool is_escaped;  /* the bytes are JSON already */
} ubi__v8_text;

typedef struct ubi__v8_shape {
    /** Finds n_nodes and n_strings (and n_extra) from the options. */
    ubi_status (*plan)(ubi__v8_heap *h);
    void (*row)(const ubi__v8_heap *h, uint64_t node, ubi__v8_row *out);
    /** Calls ubi__v8_put_edge for each edge. */
    ubi_status (*edges)(ubi__v8_heap *h, uint64_t node);
    void (*string)(const ubi__v8_heap *h, uint64_t string, ubi__v8_text *out);
} ubi__v8_shape;

extern const ubi__v8_shape ubi__v8_model, ubi__v8_hurt;

struct ubi__v8_heap {
    const ubi__generator_options *options;
    const ubi__v8_shape *shape;
    ubi__v8_out out;
    uint64_t n_nodes, n_edges, n_strings;
    uint64_t n_extra; /* edges that the shape has beyond its own, to reach the number asked for */
    /* edges are counted, or written */
    bool counting;
    bool first_edge;
    uint64_t n_counted;
    uint64_t strides; /* fields of a node: `to` is written times this */
};

/** Versions differ in fields, white space and roots. */
static inline bool ubi__v8_has_trace_ids(const ubi__v8_heap *h) {
    return h->options->v8 <= UBI__V8_NODE20;
}
static inline bool ubi__v8_has_detachedness(const ubi__v8_heap *h) {
    return h->options->v8 >= UBI__V8_NODE20;
}
static inline bool ubi__v8_has_lines(const ubi__v8_heap *h) {
    return h->options->v8 <= UBI__V8_NODE20;
}
static inline bool ubi__v8_is_chromium(const ubi__v8_heap *h) {
    return h->options->v8 == UBI__V8_CHROMIUM;
}

/** An edge of the node at hand; `label` is a number for elements and hidden edges, else a string. */
ubi_status ubi__v8_put_edge(ubi__v8_heap *h, ubi_edge_kind kind, uint64_t label, uint64_t to);

/** A different number for every pair, in every bit. */
static inline uint64_t ubi__v8_hash(const ubi__v8_heap *h, uint64_t a, uint64_t b) {
    ubi__random random = { h->options->seed * UINT64_C(0xd1342543de82ef95) ^ a * UINT64_C(0x2545f4914f6cdd1d) ^ b };
    return ubi__random_next(&random);
}

/** Sets a text from a format. */
void ubi__v8_text_print(ubi__v8_text *out, const char *format, ...) UBI_PRINTF(2, 3);
/** "tabHandler", "tabHandler17": different for every number. */
void ubi__v8_identifier(ubi__v8_text *out, uint64_t number);

/** The shapes of .heapsnapshot files. */
ubi_status ubi__generate_v8(const ubi__generator_options *options, ubi__write_fn write, void *payload,
                            ubi__generator_result *result);

#endif
