/* SPDX-License-Identifier: MIT
 *
 * fxs_node.c: decoding one Node message.
 *
 * Strings enter the file's two-byte table in a logical order: type name, edge names, stack, descriptive name; a reference
 * may name any entry before itself in that order. Writers emit fields in ascending number, where the type comes before the
 * edges, so an edge name can be given its index as soon as it is read ("in order"). Any other order is legal too: then
 * edge names are kept aside and looked at when the message has ended ("deferred"):
 *
 *     graph name column   reference as it is, or SIDE_NAME for an inline name, or UBI_NONE
 *     side_names          (edge, text) of the inline ones, ascending
 *
 * A message switches from in order to deferred when a type name appears after the first edge, or a reference is too large
 * so far (a type name may still come and shift the table). The switch needs no memory of how names were written: in
 * order, the k-th inline name got exactly the table's length at its time, which no reference could have.
 */
#include "base/assert.h"
#include "formats/fxsnapshot/fxs_reader.h"

#include <string.h>

#define SIDE_NAME (UBI_NONE - 1)
#define FIRST_IMPOSSIBLE_REF ((uint64_t)UBI_NONE - 1)

/* ---- beginning ---------------------------------------------------------------------------------------------------- */

/* Field by field: clearing the whole struct for every node would cost more than decoding some of them. */
void ubi__fxs_node_begin(ubi__fxs_reader *r) {
    ubi__fxs_node *node = &r->node;
    node->has_id = node->has_size = node->has_empty_stack = false;
    node->coarse_type = UBI_COARSE_OTHER;
    node->type_name.form = node->class_name.form = node->script_filename.form = UBI__FXS_ABSENT;
    node->descriptive_name.form = node->stack.form = UBI__FXS_ABSENT;
    node->has_begun_edges = node->is_deferred = node->is_type_interned = node->has_bad_ref = false;
    node->first_edge = r->builder->graph->name.n;
    node->strings_before = ubi__strtab_count(&r->builder->graph->strings);
    r->scratch.n = 0;
}

static void pinned_check(const ubi__fxs_reader *r, const ubi__fxs_string *s) {
    UBI_ASSERT(s->form != UBI__FXS_INLINE || !s->is_pinned || s->n_bytes <= r->scratch.n - s->at);
}

/* Of names kept aside the last two are looked at: a message may be pinned as often as the window moves. */
void ubi__fxs_node_check(const ubi__fxs_reader *r) {
    const ubi__fxs_node *node = &r->node;
    uint32_t n_strings = ubi__strtab_count(&r->builder->graph->strings);
    UBI_ASSERT(node->first_edge <= r->builder->graph->name.n);
    UBI_ASSERT(node->has_begun_edges || node->first_edge == r->builder->graph->name.n);
    UBI_ASSERT(!node->is_deferred ||
               (node->has_begun_edges && !node->is_type_interned && n_strings == node->strings_before));
    UBI_ASSERT(n_strings >= node->strings_before + node->is_type_interned);
    if (!UBI_CHECKS)
        return;
    pinned_check(r, &node->type_name);
    pinned_check(r, &node->class_name);
    pinned_check(r, &node->script_filename);
    pinned_check(r, &node->descriptive_name);
    pinned_check(r, &node->stack);
    for (size_t n = r->side_names.n, i = n > 2 ? n - 2 : 0; node->is_deferred && i < n; i++) {
        const ubi__fxs_side_name *side = &r->side_names.at[i];
        UBI_ASSERT(i == 0 || side[-1].edge < side->edge);
        UBI_ASSERT(side->edge >= node->first_edge && side->edge < r->builder->graph->name.n);
        UBI_ASSERT(side->text < ubi__strtab_count(&r->side_texts));
    }
}

ubi_status ubi__fxs_node_pin(ubi__fxs_reader *r) {
    UBI_TRY(ubi__fxs_pin(r, &r->node.type_name));
    UBI_TRY(ubi__fxs_pin(r, &r->node.class_name));
    UBI_TRY(ubi__fxs_pin(r, &r->node.script_filename));
    UBI_TRY(ubi__fxs_pin(r, &r->node.descriptive_name));
    return ubi__fxs_pin(r, &r->node.stack);
}

/* ---- in order and deferred ---------------------------------------------------------------------------------------- */

static ubi_status keep_aside(ubi__fxs_reader *r, uint64_t edge, ubi_str_ix text) {
    return ubi__vec_side_name_push(&r->side_names, r->allocator, (ubi__fxs_side_name){ edge, text });
}

static void start_deferred(ubi__fxs_reader *r) {
    r->node.is_deferred = true;
    r->side_names.n = 0;
    ubi__strtab_truncate(&r->side_texts, 0);
}

/* Takes the strings of this message out of the table again. */
static ubi_status switch_to_deferred(ubi__fxs_reader *r) {
    ubi_graph *g = r->builder->graph;
    ubi_str_ix next = r->node.strings_before + r->node.is_type_interned;
    start_deferred(r);
    for (uint64_t e = r->node.first_edge; e < g->name.n; e++) {
        ubi_str_ix text;
        if (g->name.at[e] != next || next == ubi__strtab_count(&g->strings))
            continue;
        UBI_TRY(ubi__strtab_append(&r->side_texts, &text, ubi__strtab_get(&g->strings, next++)));
        UBI_TRY(keep_aside(r, e, text));
        g->name.at[e] = SIDE_NAME;
    }
    UBI_ASSERT(next ==
               ubi__strtab_count(&g->strings)); /* each string of the message belongs to one edge, or is the type */
    ubi__strtab_truncate(&g->strings, r->node.strings_before);
    r->node.is_type_interned = false;
    return UBI_OK;
}

/* Before the first edge: the type name takes its place in the table, or the message is not in order. */
static ubi_status begin_edges(ubi__fxs_reader *r) {
    ubi__fxs_node *node = &r->node;
    node->has_begun_edges = true;
    if (node->type_name.form == UBI__FXS_ABSENT) {
        start_deferred(r);
    } else if (node->type_name.form == UBI__FXS_INLINE) {
        UBI_TRY(ubi__fxs_two_byte(r, &node->type_name, "type name (field 2)", &node->type_ix));
        node->is_type_interned = true;
    }
    return UBI_OK;
}

static ubi_status edge_name_ref(ubi__fxs_reader *r, uint64_t ref, uint64_t offset, ubi_str_ix *out) {
    if (!r->node.is_deferred && ref >= ubi__strtab_count(&r->builder->graph->strings))
        UBI_TRY(switch_to_deferred(r));
    if (ubi__unlikely(ref >= FIRST_IMPOSSIBLE_REF)) {
        if (!r->node.has_bad_ref) {
            r->node.has_bad_ref = true;
            r->node.bad_ref = ref;
            r->node.bad_ref_offset = offset;
        }
        ref = 0;
    }
    *out = (ubi_str_ix)ref;
    return UBI_OK;
}

static ubi_status edge_name_inline(ubi__fxs_reader *r, const uint8_t *bytes, size_t n_bytes, ubi_str_ix *out) {
    ubi_graph *g = r->builder->graph;
    if (!r->node.is_deferred)
        return ubi__fxs_append_two_byte(&g->strings, bytes, n_bytes, out);
    ubi_str_ix text;
    UBI_TRY(ubi__fxs_append_two_byte(&r->side_texts, bytes, n_bytes, &text));
    UBI_TRY(keep_aside(r, g->name.n, text));
    *out = SIDE_NAME;
    return UBI_OK;
}

/* Gives the edges of a deferred message their names; the type name is in the table already. */
static ubi_status name_edges(ubi__fxs_reader *r) {
    ubi_graph *g = r->builder->graph;
    size_t side = 0;
    if (r->node.has_bad_ref)
        return ubi__fxs_fail_ref(r, r->node.bad_ref_offset, "edge name (field 5.3)", r->node.bad_ref,
                                 ubi__strtab_count(&g->strings), "two-byte");
    for (uint64_t e = r->node.first_edge; e < g->name.n; e++) {
        ubi_str_ix name = g->name.at[e];
        if (side < r->side_names.n && r->side_names.at[side].edge == e) {
            ubi_text text = ubi__strtab_get(&r->side_texts, r->side_names.at[side++].text);
            UBI_TRY(ubi__strtab_append(&g->strings, &g->name.at[e], text));
        } else if (name != UBI_NONE && name >= ubi__strtab_count(&g->strings)) {
            return ubi__fxs_fail(r, r->message_offset,
                                 "name of edge %llu (field 5.3) refers to string %u of %u in the two-byte table",
                                 (unsigned long long)(e - r->node.first_edge), name, ubi__strtab_count(&g->strings));
        }
    }
    UBI_ASSERT(side == r->side_names.n);
    return UBI_OK;
}

/* ---- fields ------------------------------------------------------------------------------------------------------- */

typedef struct edge {
    bool has_referent;
    uint64_t referent;
    ubi__fxs_string name;
} edge;

static ubi_status fail_field(const ubi__fxs_reader *r, const uint8_t *at, const char *what) {
    return ubi__fxs_fail(r, ubi__fxs_window_offset(&r->window, at), "%s", what);
}

/* One field of an Edge. Everything up to `end` is at hand. */
static ubi_status edge_field(ubi__fxs_reader *r, const uint8_t **p, const uint8_t *end, edge *out) {
    const uint8_t *field = *p;
    uint64_t value = 0;
    uint32_t tag;
    const uint8_t *q = ubi__wire_tag(*p, &tag);
    if (!q || q > end)
        return fail_field(r, field, "malformed field tag in an edge (field 5)");
    switch (tag) {
    case UBI__TAG(1, UBI__WIRE_VARINT):
        q = ubi__wire_varint(q, &out->referent);
        out->has_referent = true;
        break;
    case UBI__TAG(2, UBI__WIRE_BYTES):
        q = ubi__wire_length(q, &value);
        if (!q || q > end || value > (uint64_t)(end - q))
            return fail_field(r, field, "edge name (field 5.2) is longer than its edge");
        out->name = (ubi__fxs_string){ .form = UBI__FXS_INLINE, .bytes = q, .n_bytes = (size_t)value };
        q += value;
        break;
    case UBI__TAG(3, UBI__WIRE_VARINT):
        q = ubi__wire_varint(q, &value);
        out->name = (ubi__fxs_string){ .form = UBI__FXS_REF, .at = value };
        break;
    default:
        if (ubi__wire_skip_field(&q, end, tag, UBI__FXS_MAX_NESTING - 1) != UBI__SKIP_DONE)
            return fail_field(r, field, "malformed unknown field in an edge (field 5)");
    }
    if (!q || q > end)
        return fail_field(r, field, "malformed number in an edge (field 5)");
    *p = q;
    return UBI_OK;
}

/* An Edge message in [p, end), whatever its fields and their order. */
static ubi_status take_edge(ubi__fxs_reader *r, const uint8_t *p, const uint8_t *end) {
    const uint8_t *start = p;
    edge e = { .has_referent = false };
    ubi_str_ix name = UBI_NONE;
    while (p < end)
        UBI_TRY(edge_field(r, &p, end, &e));
    if (!e.has_referent)
        return ubi__fxs_fail(r, ubi__fxs_window_offset(&r->window, start),
                             "edge %llu (field 5) has no referent (field 5.1)",
                             (unsigned long long)(r->builder->graph->name.n - r->node.first_edge));
    if (e.name.form == UBI__FXS_REF)
        UBI_TRY(edge_name_ref(r, e.name.at, ubi__fxs_window_offset(&r->window, start), &name));
    else if (e.name.form == UBI__FXS_INLINE)
        UBI_TRY(edge_name_inline(r, e.name.bytes, e.name.n_bytes, &name));
    return ubi__builder_push_edge(r->builder, e.referent, name);
}

/*
 * Edges as every writer emits them: 2a len 08 <referent> 18 <name>, while they last, are at hand and need nothing special.
 * Returns where it stopped. Works on copies of the two columns, which the compiler can keep in registers.
 */
static const uint8_t *take_plain_edges(ubi__fxs_reader *r, const uint8_t *p, const uint8_t *limit, ubi_status *status) {
    ubi_graph_builder *b = r->builder;
    uint32_t n_strings = ubi__strtab_count(&b->graph->strings);
    ubi__vec_u64 pending = b->pending;
    ubi__vec_u32 names = b->graph->name;
    while (p < limit && p[0] == UBI__TAG(5, UBI__WIRE_BYTES) && p[1] < 0x80 && p[2] == UBI__TAG(1, UBI__WIRE_VARINT)) {
        const uint8_t *end = p + 2 + p[1];
        uint64_t referent, ref;
        const uint8_t *q = ubi__wire_varint(p + 3, &referent);
        if (ubi__unlikely(end > limit || !q || *q != UBI__TAG(3, UBI__WIRE_VARINT)))
            break;
        q = ubi__wire_short_varint(q + 1, &ref);
        if (ubi__unlikely(q != end || ref >= n_strings || pending.n == UBI__BUILDER_PENDING))
            break; /* taking the next edge makes room */
        pending.at[pending.n++] = referent;
        names.at[names.n++] = (ubi_str_ix)ref;
        p = end;
    }
    b->pending = pending;
    b->graph->name = names;
    *status = UBI_OK;
    return p;
}

/* A type name after the first edge: indices given to names are withdrawn. */
static ubi_status type_name_late(ubi__fxs_reader *r) {
    return r->node.has_begun_edges && !r->node.is_deferred ? switch_to_deferred(r) : UBI_OK;
}

/* The singular length-delimited fields. */
static ubi_status take_bytes(ubi__fxs_reader *r, uint32_t field, const uint8_t *bytes, size_t n, uint64_t offset) {
    ubi__fxs_node *node = &r->node;
    ubi__fxs_string value = { .form = UBI__FXS_INLINE, .bytes = bytes, .n_bytes = n, .offset = offset };
    switch (field) {
    case 2:
        UBI_TRY(type_name_late(r));
        node->type_name = value;
        break;
    case 6:
        if (node->stack.form == UBI__FXS_INLINE)
            return ubi__fxs_join(r, &node->stack, bytes, n);
        node->stack = value;
        break;
    case 7:
        node->class_name = value;
        break;
    case 10:
        node->script_filename = value;
        break;
    default:
        node->descriptive_name = value;
        break;
    }
    return UBI_OK;
}

/* The singular varint fields. */
static ubi_status take_number(ubi__fxs_reader *r, uint32_t field, uint64_t value, uint64_t offset) {
    ubi__fxs_node *node = &r->node;
    ubi__fxs_string ref = { .form = UBI__FXS_REF, .at = value, .offset = offset };
    switch (field) {
    case 1:
        node->id = value;
        node->has_id = true;
        node->id_offset = offset;
        break;
    case 3:
        UBI_TRY(type_name_late(r));
        node->type_name = ref;
        break;
    case 4:
        node->size_bytes = value;
        node->has_size = true;
        break;
    case 8:
        node->class_name = ref;
        break;
    case 9:
        node->coarse_type = (uint32_t)value;
        node->coarse_offset = offset;
        break;
    case 11:
        node->script_filename = ref;
        break;
    case UBI__FXS_EMPTY_STACK_FIELD:
        node->has_empty_stack = value != 0;
        break;
    default:
        node->descriptive_name = ref;
        break;
    }
    return UBI_OK;
}

/*
 * Numbers as every writer emits them, one tag byte and a varint at hand, up to the next field of another form.
 */
static ubi_status take_plain_numbers(ubi__fxs_reader *r, const uint8_t *limit) {
    /* Bit i: tag byte i is a known varint field. */
    static const uint64_t known[2] = { UINT64_C(1) << UBI__TAG(1, 0) | UINT64_C(1) << UBI__TAG(3, 0) |
                                           UINT64_C(1) << UBI__TAG(4, 0),
                                       UINT64_C(1) << (UBI__TAG(8, 0) - 64) | UINT64_C(1) << (UBI__TAG(9, 0) - 64) |
                                           UINT64_C(1) << (UBI__TAG(11, 0) - 64) |
                                           UINT64_C(1) << (UBI__TAG(13, 0) - 64) };
    while (r->window.at < limit) {
        uint32_t tag = r->window.at[0];
        uint64_t value;
        if (tag >= 128 || !(known[tag >> 6] >> (tag & 63) & 1))
            return UBI_OK;
        const uint8_t *q = ubi__wire_varint(r->window.at + 1, &value);
        if (!q || q > limit)
            return UBI_OK;
        UBI_TRY(take_number(r, tag >> 3, value, ubi__fxs_window_offset(&r->window, r->window.at)));
        r->window.at = q;
    }
    return UBI_OK;
}

/* A known length-delimited field whose tag ended at `p`. */
static ubi__fxs_progress bytes_field(ubi__fxs_reader *r, uint32_t field, const uint8_t *p, const uint8_t *limit,
                                     ubi_status *status) {
    uint64_t n, offset = ubi__fxs_window_offset(&r->window, r->window.at);
    const uint8_t *q = ubi__wire_length(p, &n);
    if (!q && limit - p >= 10) {
        *status = ubi__fxs_fail(r, offset, "malformed length of field %u", field);
        return UBI__FXS_FAILED;
    }
    if (!q || q > limit || n > (uint64_t)(limit - q))
        return UBI__FXS_NEED_MORE;
    if (field == 5 && !r->node.has_begun_edges) /* its tag took more bytes than it needs */
        *status = begin_edges(r);
    if (*status == UBI_OK)
        *status = field == 5 ? take_edge(r, q, q + n) : take_bytes(r, field, q, (size_t)n, offset);
    r->window.at = q + n;
    return *status == UBI_OK ? UBI__FXS_ALL_TAKEN : UBI__FXS_FAILED;
}

static ubi__fxs_progress number_field(ubi__fxs_reader *r, uint32_t field, const uint8_t *p, const uint8_t *limit,
                                      ubi_status *status) {
    uint64_t value, offset = ubi__fxs_window_offset(&r->window, r->window.at);
    const uint8_t *q = ubi__wire_varint(p, &value);
    if (!q && limit - p >= 10) {
        *status = ubi__fxs_fail(r, offset, "malformed number in field %u", field);
        return UBI__FXS_FAILED;
    }
    if (!q || q > limit)
        return UBI__FXS_NEED_MORE;
    *status = take_number(r, field, value, offset);
    r->window.at = q;
    return *status == UBI_OK ? UBI__FXS_ALL_TAKEN : UBI__FXS_FAILED;
}

static ubi__fxs_progress one_field(ubi__fxs_reader *r, const uint8_t *limit, ubi_status *status) {
    uint32_t tag;
    const uint8_t *field = r->window.at, *p = ubi__wire_tag(field, &tag);
    if (!p && limit - field >= 5) {
        *status = fail_field(r, field, "malformed field tag");
        return UBI__FXS_FAILED;
    }
    if (!p || p > limit)
        return UBI__FXS_NEED_MORE;
    switch (tag) {
    case UBI__TAG(1, UBI__WIRE_VARINT):
    case UBI__TAG(3, UBI__WIRE_VARINT):
    case UBI__TAG(4, UBI__WIRE_VARINT):
    case UBI__TAG(8, UBI__WIRE_VARINT):
    case UBI__TAG(9, UBI__WIRE_VARINT):
    case UBI__TAG(11, UBI__WIRE_VARINT):
    case UBI__TAG(13, UBI__WIRE_VARINT):
    case UBI__TAG(UBI__FXS_EMPTY_STACK_FIELD, UBI__WIRE_VARINT):
        return number_field(r, tag >> 3, p, limit, status);
    case UBI__TAG(2, UBI__WIRE_BYTES):
    case UBI__TAG(5, UBI__WIRE_BYTES):
    case UBI__TAG(6, UBI__WIRE_BYTES):
    case UBI__TAG(7, UBI__WIRE_BYTES):
    case UBI__TAG(10, UBI__WIRE_BYTES):
    case UBI__TAG(12, UBI__WIRE_BYTES):
        return bytes_field(r, tag >> 3, p, limit, status);
    default:
        return ubi__fxs_skip_unknown(r, p, limit, tag, status);
    }
}

ubi__fxs_progress ubi__fxs_node_fields(ubi__fxs_reader *r, const uint8_t *limit, ubi_status *status) {
    /* The smallest valid edge takes four bytes, so this is room for all edges at hand. */
    *status = ubi__builder_reserve_edges(r->builder, (size_t)(limit - r->window.at) / 4 + 1);
    while (*status == UBI_OK && r->window.at < limit && r->skip_left == 0) {
        *status = take_plain_numbers(r, limit);
        if (*status != UBI_OK || r->window.at >= limit)
            continue;
        if (r->window.at[0] == UBI__TAG(5, UBI__WIRE_BYTES)) {
            if (ubi__unlikely(!r->node.has_begun_edges))
                *status = begin_edges(r);
            if (ubi__likely(!r->node.is_deferred))
                r->window.at = take_plain_edges(r, r->window.at, limit, status);
            if (*status != UBI_OK || r->window.at >= limit)
                continue;
        }
        ubi__fxs_progress progress = one_field(r, limit, status);
        if (progress != UBI__FXS_ALL_TAKEN)
            return progress;
    }
    return *status == UBI_OK ? UBI__FXS_ALL_TAKEN : UBI__FXS_FAILED;
}

/* ---- end of the message ------------------------------------------------------------------------------------------- */

static bool double_holds(uint64_t id) {
    double d = (double)id;
    return d < 18446744073709551616.0 && (uint64_t)d == id;
}

static ubi_status check_required(const ubi__fxs_reader *r) {
    const ubi__fxs_node *node = &r->node;
    if (!node->has_id)
        return ubi__fxs_fail(r, r->message_offset, "node has no id (field 1)");
    if (!double_holds(node->id))
        return ubi__fxs_fail(r, node->id_offset, "node id %llu (field 1) cannot be held exactly by a double",
                             (unsigned long long)node->id);
    if (node->coarse_type >= UBI_COARSE_TYPE_COUNT)
        return ubi__fxs_fail(r, node->coarse_offset, "coarse type %u (field 9) is not in 0..4", node->coarse_type);
    if (node->type_name.form == UBI__FXS_ABSENT)
        return ubi__fxs_fail(r, r->message_offset, "node has no type name (field 2 or 3)");
    if (!node->has_size)
        return ubi__fxs_fail(r, r->message_offset, "node has no size (field 4)");
    return UBI_OK;
}

/* A reference to the type name must lie before all strings of this message, some of which may be in the table already. */
static ubi_status intern_type(ubi__fxs_reader *r) {
    ubi__fxs_node *node = &r->node;
    if (node->is_type_interned)
        return UBI_OK;
    if (node->type_name.form == UBI__FXS_REF && node->type_name.at >= node->strings_before)
        return ubi__fxs_fail_ref(r, node->type_name.offset, "type name (field 3)", node->type_name.at,
                                 node->strings_before, "two-byte");
    return ubi__fxs_two_byte(r, &node->type_name, "type name (field 3)", &node->type_ix);
}

/* Strings in logical order, then the kind they make. */
static ubi_status intern_strings(ubi__fxs_reader *r, ubi_frame_ix *stack, ubi_kind *kind, ubi_kind_ix *kind_ix) {
    ubi__fxs_node *node = &r->node;
    UBI_TRY(intern_type(r));
    if (ubi__unlikely(node->is_deferred))
        UBI_TRY(name_edges(r));
    if (node->stack.form == UBI__FXS_INLINE)
        UBI_TRY(ubi__fxs_stack(r, stack));
    *kind = (ubi_kind){ .type_name = node->type_ix, .coarse_type = (ubi_coarse_type)node->coarse_type };
    UBI_TRY(ubi__fxs_one_byte(r, &node->class_name, "class name (field 8)", &kind->class_name));
    UBI_TRY(ubi__fxs_one_byte(r, &node->script_filename, "script file name (field 11)", &kind->script_filename));
    UBI_TRY(ubi__fxs_two_byte(r, &node->descriptive_name, "descriptive name (field 13)", &kind->descriptive_name));
    return ubi__kinds_intern(&r->builder->graph->kinds, kind_ix, kind);
}

static bool as_ref(const ubi__fxs_string *s, ubi_str_ix *out) {
    *out = s->form == UBI__FXS_ABSENT ? UBI_NONE : (ubi_str_ix)s->at;
    return s->form == UBI__FXS_ABSENT || (s->form == UBI__FXS_REF && s->at < UBI_NONE);
}

/* Whether the node adds no string at all and its attributes are references, which then are the kind, if they are valid. */
static bool kind_of_refs(const ubi__fxs_node *node, ubi_kind *kind) {
    kind->coarse_type = (ubi_coarse_type)node->coarse_type;
    return !node->is_deferred && node->stack.form == UBI__FXS_ABSENT && as_ref(&node->type_name, &kind->type_name) &&
           as_ref(&node->class_name, &kind->class_name) && as_ref(&node->script_filename, &kind->script_filename) &&
           as_ref(&node->descriptive_name, &kind->descriptive_name);
}

static ubi__fxs_known_kind *known_kind(ubi__fxs_reader *r, const ubi_kind *kind) {
    uint32_t h = kind->type_name * 31 + kind->class_name * 7 + kind->script_filename * 5 + kind->descriptive_name;
    return &r->known_kinds[h % UBI__FXS_KNOWN_KINDS];
}

ubi_status ubi__fxs_node_end(ubi__fxs_reader *r) {
    ubi__fxs_node *node = &r->node;
    ubi_frame_ix stack = node->has_empty_stack ? UBI__STACK_EMPTY : UBI_NONE; /* frames, if there are any, win */
    ubi_kind kind;
    UBI_TRY(check_required(r));
    ubi__fxs_node_check(r);
    bool plain = kind_of_refs(node, &kind);
    ubi__fxs_known_kind *known = plain ? known_kind(r, &kind) : NULL;
    UBI_ASSERT(!known || !known->is_used ||
               ubi__kind_equal(&r->builder->graph->kinds.rows.at[known->ix], &known->kind));
    /* A combination of references that was valid once stays so, since tables only grow. */
    if (ubi__likely(known && known->is_used && ubi__kind_equal(&known->kind, &kind)))
        return ubi__builder_push_node(r->builder, node->id, node->size_bytes, known->ix, stack);
    ubi_kind_ix ix;
    UBI_TRY(intern_strings(r, &stack, &kind, &ix));
    if (known)
        *known = (ubi__fxs_known_kind){ kind, ix, true };
    return ubi__builder_push_node(r->builder, node->id, node->size_bytes, ix, stack);
}
