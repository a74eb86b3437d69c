/* SPDX-License-Identifier: MIT
 *
 * format.h: what a snapshot format gives to the rest: a guess and a reader.
 *
 * To add one: a folder here with a `const ubi__format`, and a line in the list of recognize.c. What is not a heap has its row
 * there, too.
 */
#ifndef UBI_FORMATS_FORMAT_H
#define UBI_FORMATS_FORMAT_H

#include <ubiheap/core/formats.h>

#include "base/inflate.h"
#include "formats/recognize.h"
#include "formats/text_roles.h"

/** What a reader works with. The stream's first chunk was taken already, to guess the format. */
typedef struct ubi__format_input {
    ubi__stream *stream;
    uint8_t *first; /* first[n_first], a chunk as ubi__stream_next gives it */
    size_t n_first;
    uint64_t total_bytes; /* of compressed input, for progress; 0 unknown */
    unsigned threads;     /* at least 1 */
    bool is_final;        /* this input may not be read again: errors should say all they can */
    const ubi_allocator *allocator;
    const ubi_read_options *options; /* never NULL */
    ubi_read_info *info;             /* never NULL; compression and input size are filled by the caller */
} ubi__format_input;

typedef struct ubi__format {
    const char *name;
    /** Whether inflated input that starts with head[0..n) may be this format. */
    bool (*guess)(const uint8_t *head, size_t n);
    ubi_status (*read)(ubi_graph **out, ubi__format_input *input);
    /** Damaged input may still be valid up to a border, so it is worth a second, exact look (base/inflate.h). */
    bool can_survive_damage;
    const ubi__file_type *file_types;  /* what its files are called, and recognized by; ended by a row without `what` */
    const ubi__type_sort *type_sorts;  /* what its types are to other formats; NULL: their names say nothing */
    const ubi__edge_names *edge_names; /* NULL: edges have kinds */
    const struct ubi__line_facts *line_facts; /* line_facts.h; NULL: a graph is all there is */
    /** Passes what only the format knows of its graphs (base/column_file.h); read, it is given to `graph`. NULL: nothing. */
    ubi_status (*pass_facts)(struct ubi__columns *c, ubi_graph *graph);
} ubi__format;

/**
 * Passes a graph that was read from a file, with its format and what only that knows. Read, *graph is new, and untouched on failure.
 * Errors: those of passing.
 */
ubi_status ubi__format_pass(struct ubi__columns *c, ubi_graph **graph);

/** In the order in which they are asked, NULL after the last. */
const ubi__format *ubi__format_at(size_t i);
/** The first whose files may begin with head[0..n). */
const ubi__format *ubi__format_guess(const uint8_t *head, size_t n);

#endif
