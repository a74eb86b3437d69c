/* SPDX-License-Identifier: MIT
 *
 * fxs_encode.c: encoder of the messages of an fxsnapshot stream: metadata, nodes, edges (fxs_encode.h).
 *
 * Planning edges also makes their bytes, in `kept`, as long as they fit; then writing them is copying, and when all
 * other texts of the node are in the file not even that: `kept` is their place in the buffer. A node with more is
 * enumerated again. Which strings are inline need not be remembered per edge: indices are given in
 * sequence, so while writing a second time, a name is inline exactly when its index is the next one not yet written
 * (`next_inline`).
 */
#include "base/alloc.h"
#include "base/assert.h"
#include "formats/fxsnapshot/fxs_encoder.h"

static uint64_t bytes_so_far(const ubi__fxs_encoder *e) {
    return e->bytes_before_buffer + e->n_buffered;
}

/* ---- edges -------------------------------------------------------------------------------------------------------- */

static void use_own_name(ubi__fxs_use *out, uint32_t wire_ix, ubi_text name) {
    name = ubi__fxs_visible(name);
    *out = (ubi__fxs_use){
        .wire_ix = wire_ix, .is_inline = true, .handle = UBI_NONE, .own = name, .n_bytes = ubi__fxs_utf16_bytes(name)
    };
}

static uint64_t edge_bytes(const ubi__fxs_edge *edge, const ubi__fxs_use *name) {
    return ubi__fxs_varint_field_bytes(edge->referent) + ubi__fxs_use_bytes(name);
}

static uint8_t *put_inline_edge(const ubi__fxs_encoder *e, uint8_t *p, const ubi__fxs_edge *edge,
                                const ubi__fxs_use *name) {
    ubi_text text = name->handle == UBI_NONE ? name->own : ubi__strtab_get(e->two_byte.texts, name->handle);
    size_t at = 0;
    *p++ = UBI__TAG(5, UBI__WIRE_BYTES);
    p = ubi__wire_put_varint(p, edge_bytes(edge, name));
    *p++ = UBI__TAG(1, UBI__WIRE_VARINT);
    p = ubi__wire_put_varint(p, edge->referent);
    *p++ = UBI__TAG(2, UBI__WIRE_BYTES);
    p = ubi__wire_put_varint(p, name->n_bytes);
    return p + ubi__fxs_put_utf16(p, name->n_bytes, text, &at);
}

/* Makes the bytes of an edge if there is room, and adds them to the length of the message. */
static void keep_edge(ubi__fxs_encoder *e, const ubi__fxs_edge *edge, const ubi__fxs_use *name) {
    ubi__fxs_node_plan *plan = &e->node;
    if (plan->keeps_edges && !name->is_inline) {
        ubi__fxs_keep_plain_edge(e, edge->referent, name->wire_ix);
        return;
    }
    uint64_t n = ubi__fxs_bytes_field_bytes(edge_bytes(edge, name));
    plan->edges_bytes += n;
    plan->keeps_edges = plan->keeps_edges && n <= UBI__FXS_KEPT_BYTES - plan->n_kept;
    if (plan->keeps_edges)
        plan->n_kept = (size_t)(put_inline_edge(e, e->kept + plan->n_kept, edge, name) - e->kept);
}

static ubi_status plan_edge(void *payload, const ubi__fxs_edge *edge) {
    ubi__fxs_encoder *e = payload;
    ubi__fxs_use name;
    UBI_TRY(ubi__fxs_use_string(&name, &e->two_byte, edge->name));
    if (ubi__unlikely(edge->name == UBI_NONE && edge->own_name.ptr)) {
        uint32_t wire_ix = 0;
        UBI_TRY(ubi__fxs_take_wire_ix(&e->two_byte, &wire_ix));
        use_own_name(&name, wire_ix, edge->own_name);
    }
    keep_edge(e, edge, &name);
    e->n_edges++;
    return UBI_OK;
}

/* For ids of six to eight bytes, as addresses have. */
static ubi_status fail_edges_changed(void) {
    return ubi__fail(UBI_EINVAL, "the edges of a node changed while it was written");
}

/* Repeats the decision of plan_edge. */
static ubi_status find_name(ubi__fxs_encoder *e, const ubi__fxs_edge *edge, ubi__fxs_use *out) {
    *out = UBI__FXS_USE_ABSENT;
    if (edge->name == UBI_NONE) {
        if (edge->own_name.ptr)
            use_own_name(out, e->next_inline++, edge->own_name);
        return UBI_OK;
    }
    const ubi__fxs_string_table *t = &e->two_byte;
    if (edge->name >= t->wire_ix.n || t->wire_ix.at[edge->name] == UBI_NONE)
        return fail_edges_changed();
    out->wire_ix = t->wire_ix.at[edge->name];
    if (out->wire_ix == e->next_inline) {
        e->next_inline++;
        out->is_inline = true;
        out->handle = edge->name;
        out->n_bytes = ubi__fxs_utf16_bytes(ubi__strtab_get(t->texts, edge->name));
    }
    return UBI_OK;
}

static ubi_status write_edge(void *payload, const ubi__fxs_edge *edge) {
    ubi__fxs_encoder *e = payload;
    ubi__fxs_use name;
    UBI_TRY(find_name(e, edge, &name));
    UBI_TRY(ubi__fxs_make_room(e, UBI__FXS_FIXED_BYTES));
    if (!name.is_inline) {
        e->n_buffered =
            (size_t)(ubi__fxs_put_plain_edge(e->buffer + e->n_buffered, edge->referent, name.wire_ix) - e->buffer);
        return UBI_OK;
    }
    ubi__fxs_put_length(e, 5, edge_bytes(edge, &name));
    ubi__fxs_put_varint_field(e, 1, edge->referent);
    return ubi__fxs_write_use(e, 2, &name, &e->two_byte);
}

/* ---- edges to the elements of large arrays ------------------------------------------------------------------------- */

static unsigned digits_of(uint32_t number) {
    unsigned n = 1;
    for (; number >= 10; number /= 10)
        n++;
    return n;
}

static uint64_t element_bytes(uint64_t referent, unsigned n_digits) {
    return ubi__fxs_varint_field_bytes(referent) + ubi__fxs_bytes_field_bytes(2 * n_digits);
}

/* Less than UBI__FXS_FIXED_BYTES, so each length takes one. */
static uint8_t *put_element(uint8_t *p, uint64_t referent, uint32_t number) {
    unsigned n_digits = digits_of(number);
    p[0] = UBI__TAG(5, UBI__WIRE_BYTES);
    UBI_ASSERT(element_bytes(referent, n_digits) < 0x80);
    p[1] = (uint8_t)element_bytes(referent, n_digits);
    p[2] = UBI__TAG(1, UBI__WIRE_VARINT);
    p = ubi__wire_put_varint(p + 3, referent);
    *p++ = UBI__TAG(2, UBI__WIRE_BYTES);
    *p++ = (uint8_t)(2 * n_digits);
    for (unsigned i = n_digits; i-- > 0; number /= 10) {
        p[2 * i] = (uint8_t)('0' + number % 10);
        p[2 * i + 1] = 0;
    }
    return p + 2 * n_digits;
}

ubi_status ubi__fxs_plan_element(ubi__fxs_encoder *e, uint64_t referent, uint32_t number) {
    ubi__fxs_node_plan *plan = &e->node;
    uint64_t n = ubi__fxs_bytes_field_bytes(element_bytes(referent, digits_of(number)));
    uint32_t wire_ix;
    UBI_TRY(ubi__fxs_take_wire_ix(&e->two_byte, &wire_ix));
    plan->edges_bytes += n;
    plan->keeps_edges = plan->keeps_edges && n <= UBI__FXS_KEPT_BYTES - plan->n_kept;
    if (plan->keeps_edges)
        plan->n_kept = (size_t)(put_element(e->kept + plan->n_kept, referent, number) - e->kept);
    e->n_edges++;
    return UBI_OK;
}

ubi_status ubi__fxs_write_element(ubi__fxs_encoder *e, uint64_t referent, uint32_t number) {
    UBI_TRY(ubi__fxs_make_room(e, UBI__FXS_FIXED_BYTES));
    e->n_buffered = (size_t)(put_element(e->buffer + e->n_buffered, referent, number) - e->buffer);
    e->next_inline++;
    return UBI_OK;
}

/* ---- all edges ----------------------------------------------------------------------------------------------------- */

static ubi_status plan_edges(ubi__fxs_encoder *e, const ubi__fxs_node *node, uint8_t *kept) {
    e->kept = kept;
    e->node.first_inline = e->two_byte.n_wire;
    e->node.edges_bytes = 0;
    e->node.n_kept = 0;
    e->node.keeps_edges = true;
    return node->edges ? node->edges(node->edges_payload, plan_edge, e) : UBI_OK;
}

static ubi_status write_edges(ubi__fxs_encoder *e, const ubi__fxs_node *node) {
    if (e->node.keeps_edges)
        return ubi__fxs_write_bytes(e, e->kept, e->node.n_kept);
    e->next_inline = e->node.first_inline;
    return node->edges(node->edges_payload, write_edge, e);
}

/* ---- nodes -------------------------------------------------------------------------------------------------------- */

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

#define EMPTY_STACK_BYTES 3 /* tag and value */

static ubi_status check_message(const ubi__fxs_node *node, uint64_t n_bytes) {
    if (n_bytes <= UBI__WIRE_MAX_LENGTH)
        return UBI_OK;
    return ubi__fail(UBI_ELIMIT, "node id %llu: a message of %llu bytes: protobuf allows %llu",
                     (unsigned long long)node->id, (unsigned long long)n_bytes,
                     (unsigned long long)UBI__WIRE_MAX_LENGTH);
}

/* The rest of the plan, after the edges, in logical order. */
static ubi_status plan_behind_edges(ubi__fxs_encoder *e, const ubi__fxs_node *node) {
    ubi__fxs_node_plan *plan = &e->node;
    plan->has_stack = node->stack != NULL;
    if (plan->has_stack)
        UBI_TRY(ubi__fxs_plan_stack(e, *node->stack));
    UBI_TRY(ubi__fxs_use_string(&plan->class_name, &e->one_byte, node->class_name));
    UBI_TRY(ubi__fxs_use_string(&plan->script_filename, &e->one_byte, node->script_filename));
    UBI_TRY(ubi__fxs_use_string(&plan->descriptive_name, &e->two_byte, node->descriptive_name));
    plan->n_bytes = ubi__fxs_varint_field_bytes(node->id) + ubi__fxs_use_bytes(&plan->type_name) +
                    ubi__fxs_varint_field_bytes(node->size_bytes) + plan->edges_bytes +
                    (plan->has_stack ? ubi__fxs_bytes_field_bytes(e->stack.n_bytes) : 0) +
                    ubi__fxs_use_bytes(&plan->class_name) + ubi__fxs_varint_field_bytes((uint64_t)node->coarse_type) +
                    ubi__fxs_use_bytes(&plan->script_filename) + ubi__fxs_use_bytes(&plan->descriptive_name) +
                    (node->has_empty_stack ? EMPTY_STACK_BYTES : 0);
    return check_message(node, plan->n_bytes);
}

/* In wire order. */
static ubi_status write_node(ubi__fxs_encoder *e, const ubi__fxs_node *node) {
    const ubi__fxs_node_plan *plan = &e->node;
    ubi__fxs_put_varint_field(e, 1, node->id); /* there is room */
    UBI_TRY(ubi__fxs_write_use(e, 2, &plan->type_name, &e->two_byte));
    UBI_TRY(ubi__fxs_make_room(e, UBI__FXS_FIXED_BYTES));
    ubi__fxs_put_varint_field(e, 4, node->size_bytes);
    UBI_TRY(write_edges(e, node));
    if (plan->has_stack)
        UBI_TRY(ubi__fxs_write_stack(e));
    UBI_TRY(ubi__fxs_write_use(e, 7, &plan->class_name, &e->one_byte));
    UBI_TRY(ubi__fxs_make_room(e, UBI__FXS_FIXED_BYTES));
    ubi__fxs_put_varint_field(e, 9, (uint64_t)node->coarse_type);
    UBI_TRY(ubi__fxs_write_use(e, 10, &plan->script_filename, &e->one_byte));
    UBI_TRY(ubi__fxs_write_use(e, 12, &plan->descriptive_name, &e->two_byte));
    if (!node->has_empty_stack)
        return UBI_OK;
    UBI_TRY(ubi__fxs_make_room(e, UBI__FXS_FIXED_BYTES));
    ubi__fxs_put_varint(e, UBI__TAG(UBI__FXS_EMPTY_STACK_FIELD, UBI__WIRE_VARINT));
    ubi__fxs_put_varint(e, true);
    return UBI_OK;
}

/* ---- nodes of which the file knows all texts, which are nearly all ------------------------------------------------- */

static bool is_known(const ubi__fxs_string_table *t, ubi_str_ix handle) {
    return handle == UBI_NONE || ubi__fxs_is_known(t, handle);
}

/* All but names of edges. */
static bool texts_are_known(const ubi__fxs_encoder *e, const ubi__fxs_node *node) {
    return is_known(&e->two_byte, node->type_name) && is_known(&e->one_byte, node->class_name) &&
           is_known(&e->one_byte, node->script_filename) && is_known(&e->two_byte, node->descriptive_name);
}

static uint8_t *put_short_field(uint8_t *p, uint32_t field, uint64_t x) {
    *p = (uint8_t)UBI__TAG(field, UBI__WIRE_VARINT);
    return ubi__wire_put_short_varint(p + 1, x);
}

static uint8_t *put_reference(uint8_t *p, uint32_t field, const ubi__fxs_string_table *t, ubi_str_ix handle) {
    return handle == UBI_NONE ? p : put_short_field(p, field, t->wire_ix.at[handle]);
}

/* What nodes with the same type and texts have in common: between id and size, and after the edges. */
static uint8_t *put_common_front(const ubi__fxs_encoder *e, uint8_t *p, const ubi__fxs_node *node) {
    return put_reference(p, 3, &e->two_byte, node->type_name); /* at most 6 bytes */
}
static uint8_t *put_common_behind(const ubi__fxs_encoder *e, uint8_t *p, const ubi__fxs_node *node) {
    p = put_reference(p, 8, &e->one_byte, node->class_name);
    p = put_short_field(p, 9, (uint64_t)node->coarse_type);
    p = put_reference(p, 11, &e->one_byte, node->script_filename);
    return put_reference(p, 13, &e->two_byte, node->descriptive_name); /* at most 20 */
}

void ubi__fxs_make_stencil(const ubi__fxs_encoder *e, const ubi__fxs_node *node, ubi__fxs_stencil *out) {
    uint8_t bytes[UBI__FXS_FIXED_BYTES] = { 0 };
    if (!texts_are_known(e, node))
        return;
    out->n_front = (uint32_t)(put_common_front(e, bytes, node) - bytes);
    memcpy(out->front, bytes, sizeof out->front);
    UBI_ASSERT(out->n_front <= sizeof out->front);
    out->n_behind = (uint32_t)(put_common_behind(e, bytes, node) - bytes);
    UBI_ASSERT(out->n_behind <= sizeof out->behind);
    memcpy(out->behind, bytes, sizeof out->behind);
}

static inline bool has_stencil(const ubi__fxs_node *node) {
    return node->stencil && node->stencil->n_front;
}

/* Only edges may have new texts. */
static inline bool is_plain(const ubi__fxs_encoder *e, const ubi__fxs_node *node) {
    return !node->stack && (has_stencil(node) || texts_are_known(e, node));
}

/* Fields in front of the edges. */
static inline uint8_t *put_front(const ubi__fxs_encoder *e, uint8_t *p, const ubi__fxs_node *node) {
    *p++ = UBI__TAG(1, UBI__WIRE_VARINT);
    p = ubi__fxs_is_near(e, node->id) ? ubi__fxs_put_near(e, p, node->id) : ubi__wire_put_varint(p, node->id);
    if (has_stencil(node)) {
        memcpy(p, node->stencil->front, sizeof node->stencil->front);
        p += node->stencil->n_front;
    } else {
        p = put_common_front(e, p, node);
    }
    return put_short_field(p, 4, node->size_bytes);
}

/* After the edges. */
static inline uint8_t *put_behind(const ubi__fxs_encoder *e, uint8_t *p, const ubi__fxs_node *node) {
    if (has_stencil(node)) {
        memcpy(p, node->stencil->behind, sizeof node->stencil->behind);
        p += node->stencil->n_behind;
    } else {
        p = put_common_behind(e, p, node);
    }
    if (!node->has_empty_stack)
        return p;
    p = ubi__wire_put_varint(p, UBI__TAG(UBI__FXS_EMPTY_STACK_FIELD, UBI__WIRE_VARINT));
    return ubi__wire_put_varint(p, true);
}

/* The length goes in front of the message, where one byte was left for it: nearly always that is enough. */
static uint8_t *put_length_before(uint8_t *message, uint8_t *end) {
    size_t n = (size_t)(end - message);
    if (ubi__likely(n < 0x80)) {
        message[-1] = (uint8_t)n;
        return end;
    }
    unsigned more = ubi__wire_varint_bytes(n) - 1;
    UBI_ASSERT(more >= 1);
    memmove(message + more, message, n);
    uint8_t *p = message - 1;
    for (uint64_t left = n; left; left >>= 7)
        *p++ = (uint8_t)(left | (left >= 0x80 ? 0x80 : 0));
    return end + more;
}

/* *done false: it has too many edges, which were planned, and nothing is written. */
static ubi_status encode_plain_node(ubi__fxs_encoder *e, const ubi__fxs_node *node, bool *done) {
    UBI_TRY(ubi__fxs_make_room(e, sizeof e->kept_apart + 3 * UBI__FXS_FIXED_BYTES));
    uint8_t *message = e->buffer + e->n_buffered + 1;
    UBI_TRY(plan_edges(e, node, put_front(e, message, node)));
    *done = e->node.keeps_edges;
    if (*done)
        e->n_buffered = (size_t)(put_length_before(message, put_behind(e, e->kept + e->node.n_kept, node)) - e->buffer);
    UBI_ASSERT(e->n_buffered <= UBI__FXS_BUFFER_BYTES);
    return UBI_OK;
}

/* ---- one node ------------------------------------------------------------------------------------------------------ */

/* Edges are planned. */
static ubi_status encode_planned_node(ubi__fxs_encoder *e, const ubi__fxs_node *node) {
    UBI_TRY(plan_behind_edges(e, node));
    UBI_TRY(ubi__fxs_make_room(e, UBI__FXS_FIXED_BYTES));
    ubi__fxs_put_varint(e, e->node.n_bytes);
    uint64_t start = bytes_so_far(e);
    UBI_TRY(write_node(e, node));
    return bytes_so_far(e) - start == e->node.n_bytes ? UBI_OK : fail_edges_changed();
}

ubi_status ubi__fxs_encode_node(ubi__fxs_encoder *e, const ubi__fxs_node *node) {
    bool done = false;
    UBI_TRY(check_node(node));
    bool plain = is_plain(e, node);
    if (ubi__likely(plain))
        UBI_TRY(encode_plain_node(e, node, &done));
    if (!done) {
        UBI_TRY(ubi__fxs_use_string(&e->node.type_name, &e->two_byte, node->type_name));
        if (!plain)
            UBI_TRY(plan_edges(e, node, e->kept_apart));
        UBI_TRY(encode_planned_node(e, node));
    }
    e->n_nodes++;
    ubi__fxs_encoder_check(e);
    return UBI_OK;
}

/* ---- whole streams ------------------------------------------------------------------------------------------------ */

ubi_status ubi__fxs_encode_new(ubi__fxs_encoder **out, ubi__write_fn write, void *payload,
                               const ubi_allocator *allocator) {
    const ubi_allocator *a = ubi__allocator_or_default(allocator);
    ubi__fxs_encoder *e = UBI_NEW(a, ubi__fxs_encoder);
    if (!e)
        return ubi__fail_nomem();
    e->allocator = a;
    e->write = write;
    e->payload = payload;
    ubi__fxs_string_table_init(&e->two_byte, true, a);
    ubi__fxs_string_table_init(&e->one_byte, false, a);
    ubi__fxs_frames_init(&e->frames, a);
    *out = e;
    return UBI_OK;
}

void ubi__fxs_encode_free(ubi__fxs_encoder *e) {
    if (!e)
        return;
    ubi__fxs_string_table_fini(&e->two_byte, e->allocator);
    ubi__fxs_string_table_fini(&e->one_byte, e->allocator);
    ubi__fxs_frames_fini(&e->frames, e->allocator);
    UBI_DELETE(e->allocator, e);
}

ubi_status ubi__fxs_encode_begin(ubi__fxs_encoder *e, const ubi__fxs_metadata *m) {
    const uint32_t writer_tag = UBI__TAG(UBI__FXS_WRITER_FIELD, UBI__WIRE_BYTES);
    uint64_t n = m->has_time ? ubi__fxs_varint_field_bytes(m->time_us) : 0;
    if (m->writer.ptr)
        n += ubi__wire_varint_bytes(writer_tag) + ubi__wire_varint_bytes(m->writer.len) + m->writer.len;
    if (n == 0)
        return ubi__fail(UBI_EINVAL, "no reader takes a snapshot with empty metadata");
    UBI_TRY(ubi__fxs_make_room(e, UBI__FXS_FIXED_BYTES));
    ubi__fxs_put_varint(e, n);
    if (m->has_time)
        ubi__fxs_put_varint_field(e, 1, m->time_us);
    if (!m->writer.ptr)
        return UBI_OK;
    ubi__fxs_put_varint(e, writer_tag);
    ubi__fxs_put_varint(e, m->writer.len);
    return ubi__fxs_write_bytes(e, m->writer.ptr, m->writer.len);
}

ubi_status ubi__fxs_encode_end(ubi__fxs_encoder *e) {
    if (e->n_nodes == 0)
        return ubi__fail(UBI_EINVAL, "a snapshot without a root cannot be read");
    ubi__fxs_string_table_check(&e->two_byte);
    ubi__fxs_string_table_check(&e->one_byte);
    return ubi__fxs_flush(e);
}

uint64_t ubi__fxs_encode_node_count(const ubi__fxs_encoder *e) {
    return e->n_nodes;
}

ubi__fxs_totals ubi__fxs_encode_totals(const ubi__fxs_encoder *e) {
    return (ubi__fxs_totals){ .stream_bytes = bytes_so_far(e),
                              .nodes = e->n_nodes,
                              .edges = e->n_edges,
                              .strings = (uint64_t)e->two_byte.n_wire + e->one_byte.n_wire,
                              .frames = e->frames.n_frames,
                              .cut_stacks = e->frames.n_cut };
}
