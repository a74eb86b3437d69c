/* SPDX-License-Identifier: MIT
 *
 * fxs_encode.c: encoder of the messages of an fxsnapshot stream.
 *
 * A node is encoded in two steps. Planning walks its parts in the format's logical order, gives file indices to
 * strings that are used for the first time and adds up lengths. Writing walks the parts in wire order and repeats the
 * decisions.
 *
 * Which strings are inline need not be remembered per edge: indices are given in sequence, so while writing, a name is
 * inline exactly when its index is the next one not yet written (`next_inline`).
 *
 * Frames are planned from the youngest to the oldest (the order of indices), measured from the oldest to the youngest
 * (a length includes the parent's message), and written as nested messages with an array instead of recursion:
 *
 *     open frame 0: id, parent{ open frame 1: id, parent{ ... } rest of frame 1 } rest of frame 0
 */
#include "formats/fxsnapshot/fxs_encode.h"

#include <string.h>

#include "base/alloc.h"
#include "base/strtab.h"
#include "base/text.h"
#include "formats/fxsnapshot/wire.h"
#include "stacks/frames.h"

#define BUFFER_BYTES (64 * 1024)
#define FIXED_BYTES_MAX 64 /* more than any run of fields written without a string */

/* ---- what is kept while a node is planned and written ------------------------------------------------------------ */

typedef struct string_table {
    ubi__strtab texts;    /* by handle */
    ubi__vec_u32 wire_ix; /* by handle: index in the file's table; UBI_NONE: not written yet */
    uint32_t n_wire;      /* entries of the file's table */
} string_table;

/** One string of a message: absent, a reference, or inline. Holds no pointer into a table, which may grow meanwhile. */
typedef struct string_use {
    uint32_t wire_ix; /* UBI_NONE: absent */
    bool is_inline;
    ubi_str_ix handle; /* inline: whose text; UBI_NONE: `own` */
    ubi_text own;
    uint64_t n_bytes; /* inline: length in the file */
} string_use;

static const string_use absent = { .wire_ix = UBI_NONE, .handle = UBI_NONE };

typedef struct frame_plan {
    ubi_frame frame;
    ubi_str_ix source_handle, function_handle;
    string_use source, function_name;
    uint64_t data_bytes, frame_bytes;
} frame_plan;

typedef struct stack_plan {
    uint32_t n;       /* frames written as data */
    bool ends_in_ref; /* the oldest of them, or the whole stack, continues with a frame written before */
    uint64_t ref_id;
    ubi_frame_ix ref_row;
    uint64_t n_bytes; /* StackFrame message of the youngest frame */
    frame_plan at[UBI_STACK_SAVED_DEPTH];
} stack_plan;

typedef struct node_plan {
    string_use type_name, class_name, script_filename, descriptive_name;
    bool has_stack;
    uint32_t first_inline; /* two-byte index that the first new edge name gets */
    uint64_t n_edges;
    uint64_t edges_bytes;
    uint64_t n_bytes;
    bool edges_kept;
} node_plan;

struct ubi__fxs_encoder {
    const ubi_allocator *allocator;
    ubi__write_fn write;
    void *payload;
    string_table two_byte, one_byte;
    ubi__frames frames; /* written so far; strings are two-byte handles */
    node_plan node;
    stack_plan stack;
    uint32_t next_inline; /* while writing edges */
    uint64_t n_nodes;
    uint64_t bytes_before_buffer;
    size_t n_buffered;
    ubi__fxs_edge kept[UBI__FXS_KEPT_EDGES];
    uint8_t buffer[BUFFER_BYTES];
};

/* ---- bytes ------------------------------------------------------------------------------------------------------- */

static uint64_t varint_bytes(uint64_t x) {
    return (uint64_t)(70 - __builtin_clzll(x | 1)) / 7;
}
static uint64_t varint_field_bytes(uint64_t x) {
    return 1 + varint_bytes(x);
}
static uint64_t bytes_field_bytes(uint64_t n) {
    return 1 + varint_bytes(n) + n;
}

static ubi_status flush(ubi__fxs_encoder *e) {
    if (e->n_buffered)
        UBI_TRY(e->write(e->payload, e->buffer, e->n_buffered));
    e->bytes_before_buffer += e->n_buffered;
    e->n_buffered = 0;
    return UBI_OK;
}

/** Makes room for `n` bytes, n <= BUFFER_BYTES. */
static inline ubi_status make_room(ubi__fxs_encoder *e, size_t n) {
    return ubi__likely(BUFFER_BYTES - e->n_buffered >= n) ? UBI_OK : flush(e);
}

/* The put_ functions need room made before. */
static inline void put_byte(ubi__fxs_encoder *e, uint8_t b) {
    e->buffer[e->n_buffered++] = b;
}
static inline void put_varint(ubi__fxs_encoder *e, uint64_t x) {
    for (; x >= 0x80; x >>= 7)
        put_byte(e, (uint8_t)(x | 0x80));
    put_byte(e, (uint8_t)x);
}
static inline void put_varint_field(ubi__fxs_encoder *e, int field, uint64_t x) {
    put_byte(e, (uint8_t)UBI__TAG(field, UBI__WIRE_VARINT));
    put_varint(e, x);
}
static inline void put_length(ubi__fxs_encoder *e, int field, uint64_t n) {
    put_byte(e, (uint8_t)UBI__TAG(field, UBI__WIRE_BYTES));
    put_varint(e, n);
}

static ubi_status write_bytes(ubi__fxs_encoder *e, const void *data, size_t n) {
    for (const uint8_t *p = data; n;) {
        UBI_TRY(make_room(e, 1));
        size_t room = BUFFER_BYTES - e->n_buffered;
        size_t piece = n < room ? n : room;
        memcpy(e->buffer + e->n_buffered, p, piece);
        e->n_buffered += piece;
        p += piece;
        n -= piece;
    }
    return UBI_OK;
}

/* ---- text as UTF-16LE -------------------------------------------------------------------------------------------- */

static uint64_t utf16_bytes(ubi_text text) {
    uint64_t units = 0;
    const uint8_t *p = (const uint8_t *)text.ptr;
    for (size_t at = 0; at < text.len;) {
        uint32_t c = p[at];
        size_t used = c < 0x80 ? 1 : ubi__wtf8_decode(p + at, text.len - at, &c);
        at += used ? used : 1; /* a byte that is no text stands for itself */
        units += c > 0xffff ? 2 : 1;
    }
    return 2 * units;
}

static void put_unit(ubi__fxs_encoder *e, uint32_t unit) {
    put_byte(e, (uint8_t)unit);
    put_byte(e, (uint8_t)(unit >> 8));
}

static ubi_status write_utf16(ubi__fxs_encoder *e, ubi_text text) {
    const uint8_t *p = (const uint8_t *)text.ptr;
    for (size_t at = 0; at < text.len;) {
        uint32_t c = p[at];
        size_t used = c < 0x80 ? 1 : ubi__wtf8_decode(p + at, text.len - at, &c);
        at += used ? used : 1;
        UBI_TRY(make_room(e, 4));
        if (c > 0xffff) {
            put_unit(e, 0xd800 + ((c - 0x10000) >> 10));
            put_unit(e, 0xdc00 + ((c - 0x10000) & 0x3ff));
        } else {
            put_unit(e, c);
        }
    }
    return UBI_OK;
}

/* ---- strings ----------------------------------------------------------------------------------------------------- */

/** What a reader sees of a string: it stops at the first NUL. */
static ubi_text visible(ubi_text text) {
    const void *nul = text.len ? memchr(text.ptr, 0, text.len) : NULL;
    if (nul)
        text.len = (size_t)((const char *)nul - text.ptr);
    return text;
}

static ubi_status intern(ubi__fxs_encoder *e, string_table *t, ubi_str_ix *out, ubi_text text) {
    UBI_TRY(ubi__vec_u32_reserve(&t->wire_ix, e->allocator, 1));
    ubi_str_ix handle;
    UBI_TRY(ubi__strtab_intern(&t->texts, &handle, visible(text)));
    if (handle == t->wire_ix.n)
        t->wire_ix.at[t->wire_ix.n++] = UBI_NONE;
    *out = handle;
    return UBI_OK;
}

ubi_status ubi__fxs_encode_string(ubi__fxs_encoder *e, ubi_str_ix *out, ubi_text text) {
    return intern(e, &e->two_byte, out, text);
}

ubi_status ubi__fxs_encode_byte_string(ubi__fxs_encoder *e, ubi_str_ix *out, ubi_text bytes) {
    return intern(e, &e->one_byte, out, bytes);
}

static ubi_status take_wire_ix(string_table *t, uint32_t *out) {
    if (t->n_wire == UBI_NONE)
        return ubi__fail(UBI_ELIMIT, "more than %u strings in one snapshot", UBI_NONE);
    *out = t->n_wire++;
    return UBI_OK;
}

/** Decides between inline and reference; must be called in logical order. */
static ubi_status use_string(string_use *out, string_table *t, ubi_str_ix handle, bool two_byte) {
    *out = absent;
    if (handle == UBI_NONE)
        return UBI_OK;
    if (handle >= t->wire_ix.n)
        return ubi__fail(UBI_EINVAL, "string handle %u: there are %zu", handle, t->wire_ix.n);
    uint32_t *wire_ix = &t->wire_ix.at[handle];
    if (*wire_ix == UBI_NONE) {
        UBI_TRY(take_wire_ix(t, wire_ix));
        ubi_text text = ubi__strtab_get(&t->texts, handle);
        out->is_inline = true;
        out->handle = handle;
        out->n_bytes = two_byte ? utf16_bytes(text) : text.len;
    }
    out->wire_ix = *wire_ix;
    return UBI_OK;
}

static bool is_present(const string_use *use) {
    return use->wire_ix != UBI_NONE;
}
static uint64_t use_bytes(const string_use *use) {
    if (!is_present(use))
        return 0;
    return use->is_inline ? bytes_field_bytes(use->n_bytes) : varint_field_bytes(use->wire_ix);
}

/** `field` takes the inline form; the reference is the next field. */
static ubi_status write_use(ubi__fxs_encoder *e, int field, const string_use *use, bool two_byte) {
    if (!is_present(use))
        return UBI_OK;
    UBI_TRY(make_room(e, FIXED_BYTES_MAX));
    if (!use->is_inline) {
        put_varint_field(e, field + 1, use->wire_ix);
        return UBI_OK;
    }
    const string_table *t = two_byte ? &e->two_byte : &e->one_byte;
    ubi_text text = use->handle == UBI_NONE ? use->own : ubi__strtab_get(&t->texts, use->handle);
    put_length(e, field, use->n_bytes);
    return two_byte ? write_utf16(e, text) : write_bytes(e, text.ptr, text.len);
}

/* ---- edges ------------------------------------------------------------------------------------------------------- */

static void use_own_name(string_use *out, uint32_t wire_ix, ubi_text name) {
    name = visible(name);
    *out = (string_use){
        .wire_ix = wire_ix, .is_inline = true, .handle = UBI_NONE, .own = name, .n_bytes = utf16_bytes(name)
    };
}

static uint64_t edge_bytes(const ubi__fxs_edge *edge, const string_use *name) {
    return varint_field_bytes(edge->referent) + use_bytes(name);
}

static ubi_status plan_edge(void *payload, const ubi__fxs_edge *edge) {
    ubi__fxs_encoder *e = payload;
    string_use name;
    UBI_TRY(use_string(&name, &e->two_byte, edge->name, true));
    bool own_name = edge->name == UBI_NONE && edge->own_name.ptr;
    if (own_name) {
        uint32_t wire_ix = 0;
        UBI_TRY(take_wire_ix(&e->two_byte, &wire_ix));
        use_own_name(&name, wire_ix, edge->own_name);
    }
    node_plan *plan = &e->node;
    plan->edges_bytes += bytes_field_bytes(edge_bytes(edge, &name));
    plan->edges_kept = plan->edges_kept && !own_name && plan->n_edges < UBI__FXS_KEPT_EDGES;
    if (plan->edges_kept)
        e->kept[plan->n_edges] = *edge;
    plan->n_edges++;
    return UBI_OK;
}

static ubi_status fail_edges_changed(void) {
    return ubi__fail(UBI_EINVAL, "the edges of a node changed while it was written");
}

/** Repeats the decision of plan_edge. */
static ubi_status find_name(ubi__fxs_encoder *e, const ubi__fxs_edge *edge, string_use *out) {
    *out = absent;
    if (edge->name == UBI_NONE) {
        if (edge->own_name.ptr)
            use_own_name(out, e->next_inline++, edge->own_name);
        return UBI_OK;
    }
    const string_table *t = &e->two_byte;
    if (edge->name >= t->wire_ix.n || t->wire_ix.at[edge->name] == UBI_NONE)
        return fail_edges_changed();
    out->wire_ix = t->wire_ix.at[edge->name];
    if (out->wire_ix == e->next_inline) {
        e->next_inline++;
        out->is_inline = true;
        out->handle = edge->name;
        out->n_bytes = utf16_bytes(ubi__strtab_get(&t->texts, edge->name));
    }
    return UBI_OK;
}

static ubi_status write_edge(void *payload, const ubi__fxs_edge *edge) {
    ubi__fxs_encoder *e = payload;
    string_use name;
    UBI_TRY(find_name(e, edge, &name));
    UBI_TRY(make_room(e, FIXED_BYTES_MAX));
    put_length(e, 5, edge_bytes(edge, &name));
    put_varint_field(e, 1, edge->referent);
    return write_use(e, 2, &name, true);
}

static ubi_status plan_edges(ubi__fxs_encoder *e, const ubi__fxs_node *node) {
    e->node.first_inline = e->two_byte.n_wire;
    e->node.n_edges = e->node.edges_bytes = 0;
    e->node.edges_kept = true;
    return node->edges ? node->edges(node->edges_payload, plan_edge, e) : UBI_OK;
}

static ubi_status write_edges(ubi__fxs_encoder *e, const ubi__fxs_node *node) {
    e->next_inline = e->node.first_inline;
    if (!e->node.edges_kept)
        return node->edges(node->edges_payload, write_edge, e);
    for (uint64_t i = 0; i < e->node.n_edges; i++)
        UBI_TRY(write_edge(e, &e->kept[i]));
    return UBI_OK;
}

/* ---- stacks ------------------------------------------------------------------------------------------------------ */

static ubi_status plan_frame(ubi__fxs_encoder *e, frame_plan *f) {
    UBI_TRY(ubi__fxs_encode_string(e, &f->source_handle, f->frame.source));
    f->function_handle = UBI_NONE;
    if (f->frame.function_name.ptr)
        UBI_TRY(ubi__fxs_encode_string(e, &f->function_handle, f->frame.function_name));
    UBI_TRY(use_string(&f->source, &e->two_byte, f->source_handle, true));
    return use_string(&f->function_name, &e->two_byte, f->function_handle, true);
}

/** Collects the frames that were not written before, youngest first. */
static ubi_status collect_frames(ubi__fxs_encoder *e, ubi_stack stack) {
    stack_plan *plan = &e->stack;
    plan->n = 0;
    plan->ends_in_ref = false;
    plan->ref_row = UBI_NONE;
    for (bool more = true; more && plan->n < UBI_STACK_SAVED_DEPTH; more = ubi_stack_parent(stack, &stack)) {
        frame_plan *f = &plan->at[plan->n];
        ubi_stack_frame(stack, &f->frame);
        plan->ref_row = ubi__frames_find(&e->frames, f->frame.id);
        if (plan->ref_row != UBI_NONE) {
            plan->ends_in_ref = true;
            plan->ref_id = f->frame.id;
            return UBI_OK;
        }
        UBI_TRY(plan_frame(e, f));
        plan->n++;
    }
    return UBI_OK;
}

/** Lengths from the oldest frame to the youngest. */
static void measure_frames(stack_plan *plan) {
    uint64_t parent_bytes = plan->ends_in_ref ? varint_field_bytes(plan->ref_id) : 0;
    for (uint32_t i = plan->n; i-- > 0;) {
        frame_plan *f = &plan->at[i];
        f->data_bytes = varint_field_bytes(f->frame.id) + varint_field_bytes(f->frame.line) +
                        varint_field_bytes(f->frame.column) + use_bytes(&f->source) + use_bytes(&f->function_name) + 2 +
                        2; /* isSystem, isSelfHosted */
        if (parent_bytes)
            f->data_bytes += bytes_field_bytes(parent_bytes);
        f->frame_bytes = parent_bytes = bytes_field_bytes(f->data_bytes);
    }
    plan->n_bytes = parent_bytes;
}

/** From now on these frames can be referred to. Parents come first in the table. */
static ubi_status register_frames(ubi__fxs_encoder *e) {
    ubi_frame_ix parent = e->stack.ref_row;
    for (uint32_t i = e->stack.n; i-- > 0;) {
        const frame_plan *f = &e->stack.at[i];
        if (ubi__frames_find(&e->frames, f->frame.id) != UBI_NONE)
            return ubi__fail(UBI_EINVAL, "a stack holds frame id %llu twice", (unsigned long long)f->frame.id);
        ubi__frame_row row = { .id = f->frame.id,
                               .parent = parent,
                               .source = f->source_handle,
                               .function_name = f->function_handle,
                               .line = f->frame.line,
                               .column = f->frame.column,
                               .is_system = f->frame.is_system,
                               .is_self_hosted = f->frame.is_self_hosted };
        UBI_TRY(ubi__frames_append(&e->frames, &parent, &row));
    }
    return UBI_OK;
}

static ubi_status plan_stack(ubi__fxs_encoder *e, const ubi_stack *stack) {
    e->node.has_stack = stack != NULL;
    if (!stack)
        return UBI_OK;
    UBI_TRY(collect_frames(e, *stack));
    measure_frames(&e->stack);
    return register_frames(e);
}

static ubi_status write_frame_rest(ubi__fxs_encoder *e, const frame_plan *f) {
    UBI_TRY(make_room(e, FIXED_BYTES_MAX));
    put_varint_field(e, 3, f->frame.line);
    put_varint_field(e, 4, f->frame.column);
    UBI_TRY(write_use(e, 5, &f->source, true));
    UBI_TRY(write_use(e, 7, &f->function_name, true));
    UBI_TRY(make_room(e, FIXED_BYTES_MAX));
    put_varint_field(e, 9, f->frame.is_system);
    put_varint_field(e, 10, f->frame.is_self_hosted);
    return UBI_OK;
}

static ubi_status write_stack(ubi__fxs_encoder *e) {
    if (!e->node.has_stack)
        return UBI_OK;
    const stack_plan *plan = &e->stack;
    UBI_TRY(make_room(e, FIXED_BYTES_MAX));
    put_length(e, 6, plan->n_bytes);
    for (uint32_t i = 0; i < plan->n; i++) {
        UBI_TRY(make_room(e, FIXED_BYTES_MAX));
        put_length(e, 1, plan->at[i].data_bytes);
        put_varint_field(e, 1, plan->at[i].frame.id);
        if (i + 1 < plan->n)
            put_length(e, 2, plan->at[i + 1].frame_bytes);
        else if (plan->ends_in_ref)
            put_length(e, 2, varint_field_bytes(plan->ref_id));
    }
    if (plan->ends_in_ref) {
        UBI_TRY(make_room(e, FIXED_BYTES_MAX));
        put_varint_field(e, 2, plan->ref_id);
    }
    for (uint32_t i = plan->n; i-- > 0;)
        UBI_TRY(write_frame_rest(e, &plan->at[i]));
    return UBI_OK;
}

/* ---- nodes ------------------------------------------------------------------------------------------------------- */

static bool fits_double(uint64_t id) {
    return id == 0 || (id >> __builtin_ctzll(id)) >> 53 == 0;
}

static ubi_status check_node(const ubi__fxs_node *node) {
    unsigned long long id = node->id;
    if (!fits_double(node->id))
        return ubi__fail(UBI_EINVAL, "node id %llu: no double holds it exactly, which the format asks for", id);
    if ((unsigned)node->coarse_type >= UBI_COARSE_TYPE_COUNT)
        return ubi__fail(UBI_EINVAL, "node id %llu: coarse type %u: expected 0 to 4", id, (unsigned)node->coarse_type);
    if (node->type_name == UBI_NONE)
        return ubi__fail(UBI_EINVAL, "node id %llu: no type name", id);
    return UBI_OK;
}

/** In logical order. */
static ubi_status plan_node(ubi__fxs_encoder *e, const ubi__fxs_node *node) {
    node_plan *plan = &e->node;
    UBI_TRY(use_string(&plan->type_name, &e->two_byte, node->type_name, true));
    UBI_TRY(plan_edges(e, node));
    UBI_TRY(plan_stack(e, node->stack));
    UBI_TRY(use_string(&plan->class_name, &e->one_byte, node->class_name, false));
    UBI_TRY(use_string(&plan->script_filename, &e->one_byte, node->script_filename, false));
    UBI_TRY(use_string(&plan->descriptive_name, &e->two_byte, node->descriptive_name, true));
    plan->n_bytes = varint_field_bytes(node->id) + use_bytes(&plan->type_name) + varint_field_bytes(node->size_bytes) +
                    plan->edges_bytes + (plan->has_stack ? bytes_field_bytes(e->stack.n_bytes) : 0) +
                    use_bytes(&plan->class_name) + varint_field_bytes((uint64_t)node->coarse_type) +
                    use_bytes(&plan->script_filename) + use_bytes(&plan->descriptive_name);
    if (plan->n_bytes > UBI__WIRE_MAX_LENGTH)
        return ubi__fail(UBI_ELIMIT, "node id %llu: a message of %llu bytes: protobuf allows %llu",
                         (unsigned long long)node->id, (unsigned long long)plan->n_bytes,
                         (unsigned long long)UBI__WIRE_MAX_LENGTH);
    return UBI_OK;
}

/** In wire order. */
static ubi_status write_node(ubi__fxs_encoder *e, const ubi__fxs_node *node) {
    const node_plan *plan = &e->node;
    UBI_TRY(make_room(e, FIXED_BYTES_MAX));
    put_varint_field(e, 1, node->id);
    UBI_TRY(write_use(e, 2, &plan->type_name, true));
    UBI_TRY(make_room(e, FIXED_BYTES_MAX));
    put_varint_field(e, 4, node->size_bytes);
    UBI_TRY(write_edges(e, node));
    UBI_TRY(write_stack(e));
    UBI_TRY(write_use(e, 7, &plan->class_name, false));
    UBI_TRY(make_room(e, FIXED_BYTES_MAX));
    put_varint_field(e, 9, (uint64_t)node->coarse_type);
    UBI_TRY(write_use(e, 10, &plan->script_filename, false));
    return write_use(e, 12, &plan->descriptive_name, true);
}

ubi_status ubi__fxs_encode_node(ubi__fxs_encoder *e, const ubi__fxs_node *node) {
    UBI_TRY(check_node(node));
    UBI_TRY(plan_node(e, node));
    UBI_TRY(make_room(e, FIXED_BYTES_MAX));
    put_varint(e, e->node.n_bytes);
    uint64_t start = ubi__fxs_encode_bytes(e);
    UBI_TRY(write_node(e, node));
    if (ubi__fxs_encode_bytes(e) - start != e->node.n_bytes)
        return fail_edges_changed();
    e->n_nodes++;
    return UBI_OK;
}

/* ---- whole streams ----------------------------------------------------------------------------------------------- */

static void string_table_init(string_table *t, const ubi_allocator *a) {
    ubi__strtab_init(&t->texts, a);
    t->wire_ix = (ubi__vec_u32){ 0 };
    t->n_wire = 0;
}

static void string_table_fini(string_table *t, const ubi_allocator *a) {
    ubi__strtab_fini(&t->texts);
    ubi__vec_u32_fini(&t->wire_ix, a);
}

ubi_status ubi__fxs_encode_new(ubi__fxs_encoder **out, ubi__write_fn write, void *payload,
                               const ubi_allocator *allocator) {
    const ubi_allocator *a = ubi__allocator_or_default(allocator);
    ubi__fxs_encoder *e = UBI_NEW(a, ubi__fxs_encoder);
    if (!e)
        return ubi__fail_nomem();
    e->allocator = a;
    e->write = write;
    e->payload = payload;
    string_table_init(&e->two_byte, a);
    string_table_init(&e->one_byte, a);
    ubi__frames_init(&e->frames, a);
    *out = e;
    return UBI_OK;
}

void ubi__fxs_encode_free(ubi__fxs_encoder *e) {
    if (!e)
        return;
    string_table_fini(&e->two_byte, e->allocator);
    string_table_fini(&e->one_byte, e->allocator);
    ubi__frames_fini(&e->frames);
    UBI_DELETE(e->allocator, e);
}

ubi_status ubi__fxs_encode_begin(ubi__fxs_encoder *e, uint64_t time_us) {
    UBI_TRY(make_room(e, FIXED_BYTES_MAX));
    put_varint(e, varint_field_bytes(time_us));
    put_varint_field(e, 1, time_us);
    return UBI_OK;
}

ubi_status ubi__fxs_encode_end(ubi__fxs_encoder *e) {
    if (e->n_nodes == 0)
        return ubi__fail(UBI_EINVAL, "a snapshot without a root cannot be read");
    return flush(e);
}

uint64_t ubi__fxs_encode_bytes(const ubi__fxs_encoder *e) {
    return e->bytes_before_buffer + e->n_buffered;
}
