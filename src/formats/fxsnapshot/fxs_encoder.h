/* SPDX-License-Identifier: MIT
 *
 * fxs_encoder.h: the parts of the encoder (fxs_encode.h) and what they share.
 *
 *     fxs_encode.c         nodes and edges: the hot loop; metadata
 *     fxs_encoder.c  the two string tables of the file, text as UTF-16; stacks, and which frames were written
 *
 * A node is encoded in two steps. Planning walks its parts in the format's logical order, gives file indices to
 * strings that are used for the first time and adds up lengths. Writing walks the parts in wire order and repeats the
 * decisions, which the plan keeps.
 */
#ifndef UBI_FXS_ENCODER_H
#define UBI_FXS_ENCODER_H

#include <string.h>

#include "base/assert.h"
#include "formats/fxsnapshot/fxs_encode.h"
#include "formats/fxsnapshot/wire.h"
#include "graph/node_map.h"

#define UBI__FXS_BUFFER_BYTES ((size_t)64 * 1024)
#define UBI__FXS_FIXED_BYTES 64 /**< more than any run of fields written without a string */

/* ---- strings ------------------------------------------------------------------------------------------------------ */

typedef struct ubi__fxs_string_table {
    ubi__strtab own;
    const ubi__strtab *texts; /* by handle: &own, or a borrowed table */
    ubi__vec_u32 wire_ix;     /* by handle: index in the file's table; UBI_NONE: not written yet */
    uint32_t n_wire;          /* entries of the file's table */
    bool is_two_byte;
} ubi__fxs_string_table;

/** One string of a message: absent, a reference, or inline. Holds no pointer into a table, which may grow meanwhile. */
typedef struct ubi__fxs_use {
    uint32_t wire_ix; /* UBI_NONE: absent */
    bool is_inline;
    ubi_str_ix handle; /* inline: whose text; UBI_NONE: `own` */
    ubi_text own;
    uint64_t n_bytes; /* inline: length in the file */
} ubi__fxs_use;

#define UBI__FXS_USE_ABSENT ((ubi__fxs_use){ .wire_ix = UBI_NONE, .handle = UBI_NONE })

/* ---- stacks ------------------------------------------------------------------------------------------------------- */

typedef struct ubi__fxs_frame_plan {
    uint64_t id; /* in the file */
    uint32_t line, column;
    bool is_system, is_self_hosted;
    ubi_frame_ix row; /* among the frames written; UBI_NONE: a copy */
    ubi__fxs_use source, function_name;
    uint64_t data_bytes, frame_bytes;
} ubi__fxs_frame_plan;

typedef struct ubi__fxs_stack_plan {
    uint32_t n;           /* frames written as data */
    bool is_cut;          /* the oldest of them has a parent that is left out */
    ubi_frame_ix ref_row; /* a frame written before: the parent of the oldest of them, or the whole stack */
    uint64_t ref_id;
    uint64_t n_bytes; /* StackFrame message of the youngest frame */
    ubi__fxs_frame_plan at[UBI__FXS_MAX_FRAMES];
} ubi__fxs_stack_plan;

/** A frame that can be referred to. */
typedef struct ubi__fxs_frame_row {
    uint64_t id;         /* in the file */
    ubi_frame_ix parent; /* UBI_NONE: none in the file, or a copy */
    ubi_str_ix source, function_name;
    uint32_t line, column;
    uint32_t depth; /* frames in the file from here to the oldest */
    bool is_system, is_self_hosted;
    bool is_cut; /* what lies above in the file is not all, or not rows */
} ubi__fxs_frame_row;

UBI_VEC_DECLARE(ubi__vec_fxs_frame, ubi__fxs_frame_row);

typedef struct ubi__fxs_frames {
    ubi__node_map keys; /* (owner, ref) of a stack -> row */
    ubi__vec_fxs_frame rows;
    uint32_t n_linked;        /* rows of the stacks before the one at hand, whose own lack their parents yet */
    ubi__row_table by_id;     /* over rows */
    uint64_t next_id;         /* for frames whose id is taken; counts down, so all above are taken too */
    uint32_t max_frames;      /* 0: no limit but the format's */
    uint64_t n_frames, n_cut; /* totals */
    ubi__fxs_frame_names_fn names;
    void *names_payload;
} ubi__fxs_frames;

/* ---- the encoder -------------------------------------------------------------------------------------------------- */

typedef struct ubi__fxs_node_plan {
    ubi__fxs_use type_name, class_name, script_filename, descriptive_name;
    bool has_stack;
    uint32_t first_inline; /* two-byte index that the first new edge name gets */
    uint64_t edges_bytes;
    bool keeps_edges;
    size_t n_kept; /* bytes in `kept` */
    uint64_t n_bytes;
} ubi__fxs_node_plan;

/** The part that nearby ids have in common as varints: all but the lowest UBI__FXS_NEAR_BITS. */
typedef struct ubi__fxs_far_bits {
    uint64_t bits; /* id >> UBI__FXS_NEAR_BITS; 0: none yet */
    uint64_t word; /* their bytes, after five of the others, each with its continuation bit */
    uint32_t n;    /* bytes of the whole varint */
} ubi__fxs_far_bits;

#define UBI__FXS_NEAR_BITS 35

struct ubi__fxs_encoder {
    const ubi_allocator *allocator;
    ubi__write_fn write;
    void *payload;
    ubi__fxs_string_table two_byte, one_byte;
    ubi__fxs_frames frames;
    ubi__fxs_node_plan node;
    ubi__fxs_stack_plan stack;
    uint32_t next_inline; /* while writing edges a second time */
    uint64_t n_nodes, n_edges;
    ubi__fxs_far_bits far;
    uint64_t bytes_before_buffer;
    size_t n_buffered;
    uint8_t *kept; /* edges of the node at hand: in kept_apart, or where they belong in the buffer */
    uint8_t kept_apart[UBI__FXS_KEPT_BYTES + UBI__FXS_FIXED_BYTES];
    uint8_t buffer[UBI__FXS_BUFFER_BYTES];
};

/** Each handle has a place in at most one entry of its table, what was written is counted. Cost: O(1), O(strings) at the end. */
void ubi__fxs_encoder_check(const ubi__fxs_encoder *e);
/** All strings that were written have entries of their own, in the order of their first uses. Cost: O(strings). */
void ubi__fxs_string_table_check(const ubi__fxs_string_table *t);
/** The planned frames add up to the length of the message. Cost: O(frames of the stack). */
void ubi__fxs_stack_plan_check(const ubi__fxs_encoder *e);

/* ---- bytes -------------------------------------------------------------------------------------------------------- */

static inline uint64_t ubi__fxs_varint_field_bytes(uint64_t x) {
    return 1 + ubi__wire_varint_bytes(x);
}
static inline uint64_t ubi__fxs_bytes_field_bytes(uint64_t n) {
    return 1 + ubi__wire_varint_bytes(n) + n;
}

ubi_status ubi__fxs_flush(ubi__fxs_encoder *e);
/** Makes room for `n` bytes, n <= UBI__FXS_BUFFER_BYTES. */
static inline ubi_status ubi__fxs_make_room(ubi__fxs_encoder *e, size_t n) {
    UBI_ASSERT(n <= UBI__FXS_BUFFER_BYTES && e->n_buffered <= UBI__FXS_BUFFER_BYTES);
    return ubi__likely(UBI__FXS_BUFFER_BYTES - e->n_buffered >= n) ? UBI_OK : ubi__fxs_flush(e);
}
ubi_status ubi__fxs_write_bytes(ubi__fxs_encoder *e, const void *data, size_t n);

/* The put_ functions need room made before, with UBI__WIRE_VARINT_MAX to spare. */
static inline void ubi__fxs_put_varint(ubi__fxs_encoder *e, uint64_t x) {
    e->n_buffered = (size_t)(ubi__wire_put_varint(e->buffer + e->n_buffered, x) - e->buffer);
}
static inline void ubi__fxs_put_varint_field(ubi__fxs_encoder *e, uint32_t field, uint64_t x) {
    e->buffer[e->n_buffered++] = (uint8_t)UBI__TAG(field, UBI__WIRE_VARINT);
    ubi__fxs_put_varint(e, x);
}
static inline void ubi__fxs_put_length(ubi__fxs_encoder *e, uint32_t field, uint64_t n) {
    e->buffer[e->n_buffered++] = (uint8_t)UBI__TAG(field, UBI__WIRE_BYTES);
    ubi__fxs_put_varint(e, n);
}

/* ---- fxs_encoder.c: strings --------------------------------------------------------------------------------- */

void ubi__fxs_string_table_init(ubi__fxs_string_table *t, bool two_byte, const ubi_allocator *a);
void ubi__fxs_string_table_fini(ubi__fxs_string_table *t, const ubi_allocator *a);

/** Length of a text as UTF-16. */
uint64_t ubi__fxs_utf16_bytes(ubi_text text);
/** Writes text from *at on as UTF-16, as much as fits into out[0..room), and moves *at; returns the bytes written. */
size_t ubi__fxs_put_utf16(uint8_t *out, size_t room, ubi_text text, size_t *at);
/** What a reader sees of a string: it stops at the first NUL. */
ubi_text ubi__fxs_visible(ubi_text text);

ubi_status ubi__fxs_take_wire_ix(ubi__fxs_string_table *t, uint32_t *out);
/** The first use of a handle: inline. */
ubi_status ubi__fxs_use_new(ubi__fxs_use *out, ubi__fxs_string_table *t, ubi_str_ix handle);

/** Whether the text is in the file already; `handle` is not UBI_NONE. */
static inline bool ubi__fxs_is_known(const ubi__fxs_string_table *t, ubi_str_ix handle) {
    return handle < t->wire_ix.n && t->wire_ix.at[handle] != UBI_NONE;
}

/** Decides between inline and reference; must be called in logical order. */
static inline ubi_status ubi__fxs_use_string(ubi__fxs_use *out, ubi__fxs_string_table *t, ubi_str_ix handle) {
    if (handle == UBI_NONE) {
        *out = UBI__FXS_USE_ABSENT;
        return UBI_OK;
    }
    if (ubi__unlikely(handle >= t->wire_ix.n || t->wire_ix.at[handle] == UBI_NONE))
        return ubi__fxs_use_new(out, t, handle);
    *out = (ubi__fxs_use){ .wire_ix = t->wire_ix.at[handle] };
    return UBI_OK;
}
static inline uint64_t ubi__fxs_use_bytes(const ubi__fxs_use *use) {
    if (use->wire_ix == UBI_NONE)
        return 0;
    return use->is_inline ? ubi__fxs_bytes_field_bytes(use->n_bytes) : ubi__fxs_varint_field_bytes(use->wire_ix);
}
/* ---- edges, hot --------------------------------------------------------------------------------------------------- */

/** The edge up to its name, which is a reference or absent. It takes less than 128 bytes, so its length takes one. */
static inline uint8_t *ubi__fxs_put_plain_edge(uint8_t *p, uint64_t referent, uint32_t name_wire_ix) {
    uint8_t *length = p + 1;
    p[0] = UBI__TAG(5, UBI__WIRE_BYTES);
    p[2] = UBI__TAG(1, UBI__WIRE_VARINT);
    p = ubi__wire_put_varint(p + 3, referent);
    if (name_wire_ix != UBI_NONE) {
        *p++ = UBI__TAG(3, UBI__WIRE_VARINT);
        p = ubi__wire_put_short_varint(p, name_wire_ix);
    }
    UBI_ASSERT(p - length - 1 < 0x80);
    *length = (uint8_t)(p - length - 1);
    return p;
}

/** Makes the bytes of an edge whose name is a reference or absent, while edges are kept, and counts them. */
static inline void ubi__fxs_keep_plain_edge(ubi__fxs_encoder *e, uint64_t referent, uint32_t name_wire_ix) {
    ubi__fxs_node_plan *plan = &e->node;
    plan->n_kept = (size_t)(ubi__fxs_put_plain_edge(e->kept + plan->n_kept, referent, name_wire_ix) - e->kept);
    plan->edges_bytes = plan->n_kept;
    plan->keeps_edges = plan->n_kept <= UBI__FXS_KEPT_BYTES;
}

#define UBI__FXS_FIELD_BYTES 7 /* of a name's field at most; the byte above says how many */

/** The field of an edge that refers to a name which is in the file, as a word (ubi__wire_put_word), its length above. Not 0. */
static inline uint64_t ubi__fxs_name_field(const ubi__fxs_encoder *e, ubi_str_ix name) {
    uint8_t bytes[2 * sizeof(uint64_t)] = { UBI__TAG(3, UBI__WIRE_VARINT) };
    uint64_t n = (uint64_t)(ubi__wire_put_varint(bytes + 1, e->two_byte.wire_ix.at[name]) - bytes);
    return (ubi__wire_get_word(bytes) & ((UINT64_C(1) << 8 * UBI__FXS_FIELD_BYTES) - 1)) |
           n << 8 * UBI__FXS_FIELD_BYTES;
}

/** Whether an id is near the last one that was not. */
static inline bool ubi__fxs_is_near(const ubi__fxs_encoder *e, uint64_t id) {
    return ubi__likely(id >> UBI__FXS_NEAR_BITS == e->far.bits && e->far.bits);
}
/** Then: its varint. Returns where that ends. */
static inline uint8_t *ubi__fxs_put_near(const ubi__fxs_encoder *e, uint8_t *p, uint64_t id) {
    uint32_t x = (uint32_t)id; /* 4 x 7 bits apart, halves first, as in ubi__wire_put_varint */
    x = (x & 0x3fff) | (x & 0x0fffc000) << 2;
    x = (x & 0x007f007f) | (x & 0x3f803f80) << 1;
    ubi__wire_put_word(p, e->far.word | (id >> 28 & 0x7f) << 32 | x);
    UBI_ASSERT(e->far.n == ubi__wire_varint_bytes(id));
    return p + e->far.n;
}

/** An edge up to its name, to a node that is not near the last; those near it will be. Returns where the name goes. */
uint8_t *ubi__fxs_put_far_edge(ubi__fxs_encoder *e, uint8_t *p, uint64_t referent, uint32_t name_bytes);

/**
 * In the first enumeration of a node's edges and while they are kept, an edge may be given here in place of the encoder's own
 * function, with the field of its name.
 */
static inline void ubi__fxs_keep_edge(ubi__fxs_encoder *e, uint64_t referent, uint64_t name_field) {
    ubi__fxs_node_plan *plan = &e->node;
    uint8_t *p = e->kept + plan->n_kept;
    uint32_t n_name = (uint32_t)(name_field >> 8 * UBI__FXS_FIELD_BYTES);
    if (ubi__fxs_is_near(e, referent)) {
        ubi__wire_put_word(p, UBI__TAG(5, UBI__WIRE_BYTES) | (1 + e->far.n + n_name) << 8 |
                                  UBI__TAG(1, UBI__WIRE_VARINT) << 16);
        p = ubi__fxs_put_near(e, p + 3, referent);
    } else {
        p = ubi__fxs_put_far_edge(e, p, referent, n_name);
    }
    ubi__wire_put_word(p, name_field);
    plan->n_kept = plan->edges_bytes = (size_t)(p + n_name - e->kept);
    plan->keeps_edges = plan->n_kept <= UBI__FXS_KEPT_BYTES;
    e->n_edges++;
}

/**
 * An edge whose name is a number and gets an entry of its own (ubi__fxs_edge, own_name), in the first enumeration of a node's
 * edges and in the second.
 */
ubi_status ubi__fxs_plan_element(ubi__fxs_encoder *e, uint64_t referent, uint32_t number);
ubi_status ubi__fxs_write_element(ubi__fxs_encoder *e, uint64_t referent, uint32_t number);

/** `field` takes the inline form; the reference is the next field. */
ubi_status ubi__fxs_write_use(ubi__fxs_encoder *e, uint32_t field, const ubi__fxs_use *use,
                              const ubi__fxs_string_table *t);

/* ---- fxs_encoder.c: allocation stacks ----------------------------------------------------------------------- */

void ubi__fxs_frames_init(ubi__fxs_frames *f, const ubi_allocator *a);
void ubi__fxs_frames_fini(ubi__fxs_frames *f, const ubi_allocator *a);
/** Fills e->stack; its strings are the next in logical order. */
ubi_status ubi__fxs_plan_stack(ubi__fxs_encoder *e, ubi_stack stack);
/** Field 6 of a node, as planned. */
ubi_status ubi__fxs_write_stack(ubi__fxs_encoder *e);

#endif
