/* SPDX-License-Identifier: MIT
 *
 * fxs_reader.h: the parts of the fxsnapshot reader and what they share.
 *
 *     fxs_window.c   the bytes at hand, and getting more; unknown fields, error messages; strings and their two tables
 *     fxs_read.c     frames of the stream: metadata, root, nodes, the end; then strings and ids
 *     fxs_node.c     one Node message: the hot loop
 *     fxs_stack.c    allocation stacks
 *     wire.h         protobuf's wire format
 *
 * A message may be larger than what is at hand (a root with a million edges), so a Node is decoded field by field and the
 * loop can be left and entered again between any two fields. What a field says is kept in `ubi__fxs_node` until the
 * message ends, because the order in which strings enter the table is not the order of the bytes; only edges, which are
 * many, go straight into the graph. docs/formats/fxsnapshot.md has the rules.
 */
#ifndef UBI_FXS_READER_H
#define UBI_FXS_READER_H

#include "formats/format.h"
#include "formats/fxsnapshot/wire.h"
#include "graph/builder.h"

/* ---- window ------------------------------------------------------------------------------------------------------- */

/**
 * The bytes at hand: [at, end), then UBI__STREAM_PADDING readable bytes. They lie in a chunk of the stream, or in
 * `joined` when a single field is longer than fits in front of a chunk.
 */
typedef struct ubi__fxs_window {
    ubi__stream *stream;
    const ubi_allocator *allocator;
    const uint8_t *at, *end;
    uint64_t end_offset; /* of `end` in the inflated stream */
    ubi__vec_u8 joined;
    bool has_ended; /* the stream has no more */
} ubi__fxs_window;

void ubi__fxs_window_init(ubi__fxs_window *w, ubi__stream *stream, const uint8_t *first, size_t n_first,
                          const ubi_allocator *a);
void ubi__fxs_window_fini(ubi__fxs_window *w);
/** What is at hand lies within the stream, and padding follows it where it is ours. */
void ubi__fxs_window_check(const ubi__fxs_window *w);
/** Adds at least one byte to those at hand, more the longer they are, unless the stream has ended. They may move. */
ubi_status ubi__fxs_window_more(ubi__fxs_window *w);
static inline uint64_t ubi__fxs_window_offset(const ubi__fxs_window *w, const uint8_t *p) {
    return w->end_offset - (uint64_t)(w->end - p);
}

/* ---- one node ----------------------------------------------------------------------------------------------------- */

typedef enum ubi__fxs_string_form { UBI__FXS_ABSENT, UBI__FXS_INLINE, UBI__FXS_REF } ubi__fxs_string_form;

/** A string-or-reference pair as last seen on the wire. */
typedef struct ubi__fxs_string {
    ubi__fxs_string_form form;
    bool is_pinned;       /* INLINE: the bytes were copied to `scratch`, and `at` is an offset there */
    const uint8_t *bytes; /* INLINE, not pinned */
    uint64_t at;          /* REF: the index; INLINE and pinned: offset in scratch */
    size_t n_bytes;       /* INLINE */
    uint64_t offset;      /* of the field in the stream, for messages */
} ubi__fxs_string;

/** What is known about the Node being decoded. */
typedef struct ubi__fxs_node {
    uint64_t id, size_bytes;
    uint32_t coarse_type;
    bool has_id, has_size, has_empty_stack;
    uint64_t id_offset, coarse_offset;
    ubi__fxs_string type_name, class_name, script_filename, descriptive_name;
    ubi__fxs_string stack; /* INLINE: bytes of the StackFrame, several occurrences back to back */

    uint64_t first_edge; /* of this node in the graph's columns */
    bool has_begun_edges;
    bool is_deferred; /* see fxs_node.c */
    bool is_type_interned;
    ubi_str_ix type_ix;
    uint32_t strings_before;          /* two-byte table length when the message began */
    uint64_t bad_ref, bad_ref_offset; /* deferred: an edge name reference that no table can hold */
    bool has_bad_ref;
} ubi__fxs_node;

/** Deferred mode: an edge whose name is inline; its text is side_texts[index]. */
typedef struct ubi__fxs_side_name {
    uint64_t edge;
    ubi_str_ix text;
} ubi__fxs_side_name;

UBI_VEC_DECLARE(ubi__vec_side_name, ubi__fxs_side_name);

/** A kind of recent nodes. */
typedef struct ubi__fxs_known_kind {
    ubi_kind kind;
    ubi_kind_ix ix;
    bool is_used;
} ubi__fxs_known_kind;

#define UBI__FXS_KNOWN_KINDS 256

/* ---- the reader --------------------------------------------------------------------------------------------------- */

typedef struct ubi__fxs_reader {
    ubi__format_input *input;
    const ubi_allocator *allocator;
    ubi__fxs_window window;
    ubi_graph_builder *builder;
    ubi__strtab one_byte; /* the file's second table: bytes as they are, cut at the first NUL */
    ubi__vec_u32
        frame_bytes; /* input->is_final: per node, bytes of its length prefix and message, to find it for an error */
    ubi__vec_u8 scratch;    /* fields of the current node that had to be copied */
    ubi__strtab side_texts; /* deferred mode */
    ubi__vec_side_name side_names;

    uint64_t message;        /* number of the current message; metadata is 0, the root 1 */
    uint64_t message_offset; /* of its length prefix */
    uint64_t body_left;      /* bytes of its body not taken yet */
    uint64_t skip_left;      /* bytes of an unknown field still to be stepped over */
    uint64_t nodes_offset;   /* of the first Node message */
    ubi__fxs_node node;
    ubi__fxs_known_kind known_kinds[UBI__FXS_KNOWN_KINDS]; /* direct-mapped */
} ubi__fxs_reader;

/* fxs_window.c */
/** UBI_EFORMAT: "message N at byte M: ...", M being the offset of what is wrong. */
ubi_status ubi__fxs_fail(const ubi__fxs_reader *r, uint64_t offset, const char *format, ...) UBI_PRINTF(3, 4);

typedef enum ubi__fxs_progress { UBI__FXS_ALL_TAKEN, UBI__FXS_NEED_MORE, UBI__FXS_FAILED } ubi__fxs_progress;

/**
 * Takes fields of the current message from the window up to `limit` (its end or the window's). NEED_MORE: the field at
 * window.at ends after `limit`. FAILED: *status says why.
 */
typedef ubi__fxs_progress (*ubi__fxs_fields_fn)(ubi__fxs_reader *r, const uint8_t *limit, ubi_status *status);

/** Steps over an unknown field at window.at whose tag was read up to `p`. */
ubi__fxs_progress ubi__fxs_skip_unknown(ubi__fxs_reader *r, const uint8_t *p, const uint8_t *limit, uint32_t tag,
                                        ubi_status *status);

/* fxs_window.c: strings */
/** Index of a two-byte string, appended if inline. UBI_NONE if absent. `what` is for messages. */
ubi_status ubi__fxs_two_byte(ubi__fxs_reader *r, const ubi__fxs_string *s, const char *what, ubi_str_ix *out);
/** The same for the one-byte table. */
ubi_status ubi__fxs_one_byte(ubi__fxs_reader *r, const ubi__fxs_string *s, const char *what, ubi_str_ix *out);
ubi_status ubi__fxs_append_two_byte(ubi__strtab *table, const uint8_t *bytes, size_t n_bytes, ubi_str_ix *out);
ubi_status ubi__fxs_fail_ref(const ubi__fxs_reader *r, uint64_t offset, const char *what, uint64_t ref, uint32_t n,
                             const char *table);
/** Copies inline bytes to scratch, if they are not there. */
ubi_status ubi__fxs_pin(ubi__fxs_reader *r, ubi__fxs_string *s);
/** A second occurrence of a message merges into the first; in protobuf that is the same as both back to back. */
ubi_status ubi__fxs_join(ubi__fxs_reader *r, ubi__fxs_string *s, const uint8_t *bytes, size_t n);

/* fxs_node.c */
void ubi__fxs_node_begin(ubi__fxs_reader *r);
ubi__fxs_progress ubi__fxs_node_fields(ubi__fxs_reader *r, const uint8_t *limit, ubi_status *status);
/** Pinned texts lie in scratch, names kept aside ascend by edge, and the table holds as many strings of the message as its mode says. */
void ubi__fxs_node_check(const ubi__fxs_reader *r);
/** Copies what the node still points to out of the window, which is about to move. */
ubi_status ubi__fxs_node_pin(ubi__fxs_reader *r);
ubi_status ubi__fxs_node_end(ubi__fxs_reader *r);

/* fxs_stack.c */
/** Decodes node.stack into the frame table. */
ubi_status ubi__fxs_stack(ubi__fxs_reader *r, ubi_frame_ix *out);

/** fxs_read.c */
extern const ubi__type_sort ubi__fxs_type_sorts[];
extern const ubi__edge_names ubi__fxs_edge_names;

#endif
