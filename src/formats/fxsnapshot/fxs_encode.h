/* SPDX-License-Identifier: MIT
 *
 * fxs_encode.h: encoder of the messages of an fxsnapshot stream.
 *
 *     begin(metadata)  node(root)  node(...)  ...  end()      ->  varint(length) message, varint(length) message, ...
 *
 * The encoder knows the wire format and nothing of heaps: it takes plain values, an enumeration of edges and a chain
 * of frames, and hands bytes to a write function, through ubi__deflate_write for a real file. It keeps what the format
 * makes it keep: which strings and frames were already written. Fields are written in ascending order, as Firefox
 * does.
 *
 * Strings are handles. ubi__fxs_encode_string and ubi__fxs_encode_byte_string give equal texts equal handles; the
 * first use of a handle puts the text into the file, later ones refer to it. The two kinds are separate tables of the
 * file and their handles must not be mixed. A file's index is given at first use in the format's *logical* order (type
 * name, edge names, frames from the youngest on with source before function name, descriptive name), which for frames
 * differs from the order of the bytes.
 *
 * Large nodes: a message starts with its length, so edges are enumerated twice, once to measure and once to write. Edges
 * that take up to UBI__FXS_KEPT_BYTES are kept between the two and then enumerated only once.
 *
 * After an error only _free is allowed. One thread.
 * Source: docs/formats/fxsnapshot.md; mozilla-central devtools/shared/heapsnapshot/CoreDump.proto, HeapSnapshot.cpp.
 */
#ifndef UBI_FORMATS_FXSNAPSHOT_FXS_ENCODE_H
#define UBI_FORMATS_FXSNAPSHOT_FXS_ENCODE_H

#include <ubiheap/core/node.h>
#include <ubiheap/core/stacks.h>

#include "base/deflate.h"
#include "base/strtab.h"

#define UBI__FXS_KEPT_BYTES (16 * 1024)

typedef struct ubi__fxs_edge {
    uint64_t referent; /**< id of a node that is in the file, earlier or later */
    ubi_str_ix name;   /**< two-byte handle, or UBI_NONE: unnamed */
    /**
     * With `name` UBI_NONE: a name that gets an entry of its own in the file even if its text is there already, and
     * that the encoder does not remember. NULL text otherwise. Borrowed during the call.
     */
    ubi_text own_name;
} ubi__fxs_edge;

/** Receives one edge. Anything but UBI_OK stops the enumeration, which returns it. */
typedef ubi_status (*ubi__fxs_edge_fn)(void *payload, const ubi__fxs_edge *edge);
/** Calls `fn(fn_payload, edge)` for every edge, in order; the same edges each time it is called for one node. */
typedef ubi_status (*ubi__fxs_edges_fn)(void *payload, ubi__fxs_edge_fn fn, void *fn_payload);

/** What nodes of one type, class, file and descriptive name have in the file, once it has these texts (ubi__fxs_make_stencil). */
typedef struct ubi__fxs_stencil {
    uint32_t n_front, n_behind; /* bytes; 0: not made */
    uint8_t front[8];           /* between id and size */
    uint8_t behind[24];         /* the edges */
} ubi__fxs_stencil;

typedef struct ubi__fxs_node {
    uint64_t id; /**< unique in the file (unchecked) and exactly representable as a double (checked) */
    uint64_t size_bytes;
    ubi_coarse_type coarse_type;
    ubi_str_ix type_name;        /**< two-byte handle */
    ubi_str_ix descriptive_name; /**< two-byte handle or UBI_NONE */
    ubi_str_ix class_name;       /**< byte handle or UBI_NONE */
    ubi_str_ix script_filename;  /**< byte handle or UBI_NONE */
    const ubi_stack *stack;      /**< youngest frame, or NULL */
    bool has_empty_stack;        /**< without `stack`: it is known that there was no frame */
    ubi__fxs_edges_fn edges;     /**< NULL: no edges */
    void *edges_payload;
    const ubi__fxs_stencil
        *stencil; /**< made of a node with the same type and texts; NULL or one that is not made: fine */
} ubi__fxs_node;

typedef struct ubi__fxs_metadata {
    bool has_time;
    uint64_t time_us; /**< microseconds since the Unix epoch */
    ubi_text writer;  /**< name of the program; NULL text: none, which needs a time */
} ubi__fxs_metadata;

/** Two-byte handles of a frame's texts. *function_name UBI_NONE: none. */
typedef ubi_status (*ubi__fxs_frame_names_fn)(void *payload, ubi_stack stack, const ubi_frame *frame,
                                              ubi_str_ix *source, ubi_str_ix *function_name);

typedef struct ubi__fxs_encoder ubi__fxs_encoder;

/** Owned by the caller. `write` and `payload` must outlive it. Cost: about 120 KiB. */
ubi_status ubi__fxs_encode_new(ubi__fxs_encoder **out, ubi__write_fn write, void *payload,
                               const ubi_allocator *allocator);
void ubi__fxs_encode_free(ubi__fxs_encoder *e);

/* Before the first string or node: */

/**
 * Two-byte handles are the entries of `texts`, which must outlive the encoder and hold no U+0000; the caller gives
 * equal texts one handle. ubi__fxs_encode_string may not be called. Cost: 4 bytes per entry.
 */
ubi_status ubi__fxs_encode_borrow_strings(ubi__fxs_encoder *e, const ubi__strtab *texts);
/** Where the handles of frames come from; else their texts are looked up. */
void ubi__fxs_encode_set_frame_names(ubi__fxs_encoder *e, ubi__fxs_frame_names_fn fn, void *payload);
/** Frames that a stack keeps (fxs_encoder.c); 0: as many as the format can hold. UBI_STACK_SAVED_DEPTH at first. */
void ubi__fxs_encode_limit_stacks(ubi__fxs_encoder *e, uint32_t max_frames);

/**
 * Handle of a two-byte string: WTF-8 text, written as UTF-16. Text from U+0000 on is cut, because readers do not see
 * it.
 * Cost: O(length) expected; text and 20 bytes per distinct text.
 */
ubi_status ubi__fxs_encode_string(ubi__fxs_encoder *e, ubi_str_ix *out, ubi_text text);
/** Handle of a one-byte string: the bytes as they shall be in the file (Latin-1 for classes, UTF-8 for file names). */
ubi_status ubi__fxs_encode_byte_string(ubi__fxs_encoder *e, ubi_str_ix *out, ubi_text bytes);

/** First call: the metadata message. */
ubi_status ubi__fxs_encode_begin(ubi__fxs_encoder *e, const ubi__fxs_metadata *metadata);
/**
 * One node; the first is the root.
 *
 * Errors: UBI_EINVAL (id that no double holds, bad coarse type, no type name, edges that differ between two
 * enumerations, a stack that goes in a circle), UBI_ELIMIT (message of 2 GiB or more, 2^32-1 strings), UBI_ENOMEM, or what
 * `write` or the edges say.
 * Cost: O(edges + new strings) time; memory does not depend on the number of edges.
 */
ubi_status ubi__fxs_encode_node(ubi__fxs_encoder *e, const ubi__fxs_node *node);
/** Makes the stencil of nodes like `node`; leaves it as it is while one of their texts is not in the file. */
void ubi__fxs_make_stencil(const ubi__fxs_encoder *e, const ubi__fxs_node *node, ubi__fxs_stencil *out);
/** Last call: writes what is buffered. UBI_EINVAL without any node: no reader takes such a file. */
ubi_status ubi__fxs_encode_end(ubi__fxs_encoder *e);

typedef struct ubi__fxs_totals {
    uint64_t stream_bytes; /**< before compression */
    uint64_t nodes, edges;
    uint64_t strings;    /**< entries of both tables */
    uint64_t frames;     /**< written as data */
    uint64_t cut_stacks; /**< that lost their older frames */
} ubi__fxs_totals;

/** Nodes written so far. */
uint64_t ubi__fxs_encode_node_count(const ubi__fxs_encoder *e);
/** All that was written so far. */
ubi__fxs_totals ubi__fxs_encode_totals(const ubi__fxs_encoder *e);

#endif
