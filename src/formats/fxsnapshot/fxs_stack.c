/* SPDX-License-Identifier: MIT
 *
 * fxs_stack.c: allocation stacks.
 *
 *     StackFrame := data (field 1) | ref (field 2)        data's parent (field 2) is again a StackFrame
 *
 * A stack is read from the youngest frame to the oldest, level by level without recursion, and its strings enter the table
 * on the way: source, function name, then the parent's. Only afterwards, oldest first, do the frames enter the frame table:
 * a frame is known to references only after all its parents are.
 */
#include "base/assert.h"
#include "formats/fxsnapshot/fxs_reader.h"

#include <string.h>

/* Some bytes of the message; several occurrences of a singular message merge, which is the same as being one message. */
typedef struct slice {
    const uint8_t *at;
    size_t n;
} slice;

typedef struct stack_frame {
    bool has_data, has_ref;
    slice data;
    uint64_t ref;
} stack_frame;

typedef struct frame_data {
    bool has_id, has_line, has_column, has_system, has_self_hosted, has_parent;
    ubi__frame_row row;
    ubi__fxs_string source, function_name;
    slice parent;
} frame_data;

typedef struct stack_walk {
    ubi__fxs_reader *r;
    uint64_t offset;       /* of the stack in the stream, for messages */
    unsigned depth;        /* frames above the current one */
    unsigned levels;       /* nesting levels that are left */
    ubi__vec_u8 merged[2]; /* slices that had to be put together; each as long as the stack at most */
    unsigned around;       /* which of the two the message being read may lie in; its sub-message uses the other */
    ubi__frame_row rows[UBI__FXS_MAX_FRAMES];
} stack_walk;

static ubi_status fail_stack(const stack_walk *w, const char *what) {
    return ubi__fxs_fail(w->r, w->offset, "allocation stack (field 6), frame %u: %s", w->depth, what);
}

/* Appends an occurrence of the one sub-message that a level has. In real files there is only one occurrence. */
static ubi_status slice_merge(stack_walk *w, slice *into, bool has_before, const uint8_t *bytes, size_t n) {
    ubi__vec_u8 *own = &w->merged[w->around ^ 1];
    if (!has_before) {
        *into = (slice){ bytes, n };
        return UBI_OK;
    }
    if (!own->at)
        UBI_TRY(ubi__vec_u8_reserve(own, w->r->allocator, w->r->node.stack.n_bytes + UBI__STREAM_PADDING));
    if (into->at != own->at) {
        memcpy(own->at, into->at, into->n);
        into->at = own->at;
    }
    UBI_ASSERT(into->n + n + UBI__STREAM_PADDING <= own->cap); /* slices of one stack do not overlap */
    memcpy(own->at + into->n, bytes, n);
    into->n += n;
    return UBI_OK;
}

/* ---- fields ------------------------------------------------------------------------------------------------------- */

typedef struct field {
    uint32_t tag;
    uint64_t number;
    slice bytes;
} field;

/* The next field of [*p, end): numbers and byte strings are returned, anything else is stepped over with tag 0. */
static ubi_status next_field(stack_walk *w, const uint8_t **p, const uint8_t *end, field *out) {
    const uint8_t *q = ubi__wire_tag(*p, &out->tag);
    if (!q || q > end)
        return fail_stack(w, "malformed field tag");
    uint32_t number = out->tag >> 3, wire = out->tag & 7;
    if (number != 0 && wire == UBI__WIRE_VARINT) {
        q = ubi__wire_varint(q, &out->number);
    } else if (number != 0 && wire == UBI__WIRE_BYTES) {
        uint64_t n;
        q = ubi__wire_length(q, &n);
        if (!q || q > end || n > (uint64_t)(end - q))
            return fail_stack(w, "a field is longer than the message around it");
        out->bytes = (slice){ q, (size_t)n };
        q += n;
    } else {
        if (ubi__wire_skip_field(&q, end, out->tag, w->levels) != UBI__SKIP_DONE)
            return fail_stack(w, "malformed unknown field, or messages nested deeper than 180 levels");
        out->tag = 0;
    }
    if (!q || q > end)
        return fail_stack(w, "malformed number");
    *p = q;
    return UBI_OK;
}

static ubi_status enter_message(stack_walk *w, slice s) {
    if (s.at == w->merged[w->around ^ 1].at)
        w->around ^= 1;
    if (w->levels == 0)
        return fail_stack(w, "messages nested deeper than 180 levels");
    w->levels--;
    return UBI_OK;
}

static ubi_status read_stack_frame(stack_walk *w, slice s, stack_frame *out) {
    const uint8_t *p = s.at, *end = s.at + s.n;
    memset(out, 0, sizeof *out);
    UBI_TRY(enter_message(w, s));
    while (p < end) {
        field f = { 0, 0, { NULL, 0 } };
        UBI_TRY(next_field(w, &p, end, &f));
        if (f.tag == UBI__TAG(1, UBI__WIRE_BYTES)) {
            UBI_TRY(slice_merge(w, &out->data, out->has_data, f.bytes.at, f.bytes.n));
            out->has_data = true;
            out->has_ref = false;
        } else if (f.tag == UBI__TAG(2, UBI__WIRE_VARINT)) {
            out->ref = f.number;
            out->has_ref = true;
            out->has_data = false;
        }
    }
    return UBI_OK;
}

static ubi__fxs_string string_ref(const stack_walk *w, uint64_t ref) {
    return (ubi__fxs_string){ .form = UBI__FXS_REF, .at = ref, .offset = w->offset };
}

static ubi__fxs_string string_inline(slice bytes) {
    return (ubi__fxs_string){ .form = UBI__FXS_INLINE, .bytes = bytes.at, .n_bytes = bytes.n };
}

static ubi_status data_field(stack_walk *w, const field *f, frame_data *out) {
    switch (f->tag) {
    case UBI__TAG(1, UBI__WIRE_VARINT):
        out->row.id = f->number;
        out->has_id = true;
        break;
    case UBI__TAG(2, UBI__WIRE_BYTES):
        UBI_TRY(slice_merge(w, &out->parent, out->has_parent, f->bytes.at, f->bytes.n));
        out->has_parent = true;
        break;
    case UBI__TAG(3, UBI__WIRE_VARINT):
        out->row.line = (uint32_t)f->number;
        out->has_line = true;
        break;
    case UBI__TAG(4, UBI__WIRE_VARINT):
        out->row.column = (uint32_t)f->number;
        out->has_column = true;
        break;
    case UBI__TAG(5, UBI__WIRE_BYTES):
        out->source = string_inline(f->bytes);
        break;
    case UBI__TAG(6, UBI__WIRE_VARINT):
        out->source = string_ref(w, f->number);
        break;
    case UBI__TAG(7, UBI__WIRE_BYTES):
        out->function_name = string_inline(f->bytes);
        break;
    case UBI__TAG(8, UBI__WIRE_VARINT):
        out->function_name = string_ref(w, f->number);
        break;
    case UBI__TAG(9, UBI__WIRE_VARINT):
        out->row.is_system = f->number != 0;
        out->has_system = true;
        break;
    case UBI__TAG(10, UBI__WIRE_VARINT):
        out->row.is_self_hosted = f->number != 0;
        out->has_self_hosted = true;
        break;
    default:
        break;
    }
    return UBI_OK;
}

static ubi_status check_data(const stack_walk *w, const frame_data *data) {
    if (!data->has_id)
        return fail_stack(w, "no id (field 1)");
    if (ubi__frames_find(&w->r->builder->graph->frames, data->row.id) != UBI_NONE)
        return ubi__fxs_fail(w->r, w->offset, "allocation stack (field 6), frame %u: frame id %llu was defined before",
                             w->depth, (unsigned long long)data->row.id);
    if (!data->has_line)
        return fail_stack(w, "no line (field 3)");
    if (!data->has_column)
        return fail_stack(w, "no column (field 4)");
    if (data->source.form == UBI__FXS_ABSENT)
        return fail_stack(w, "no source (field 5 or 6)");
    if (!data->has_system)
        return fail_stack(w, "no isSystem (field 9)");
    if (!data->has_self_hosted)
        return fail_stack(w, "no isSelfHosted (field 10)");
    return UBI_OK;
}

static ubi_status read_data(stack_walk *w, slice s, frame_data *out) {
    const uint8_t *p = s.at, *end = s.at + s.n;
    memset(out, 0, sizeof *out);
    UBI_TRY(enter_message(w, s));
    while (p < end) {
        field f = { 0, 0, { NULL, 0 } };
        UBI_TRY(next_field(w, &p, end, &f));
        UBI_TRY(data_field(w, &f, out));
    }
    UBI_TRY(check_data(w, out));
    UBI_TRY(ubi__fxs_two_byte(w->r, &out->source, "frame source (field 6)", &out->row.source));
    return ubi__fxs_two_byte(w->r, &out->function_name, "function name (field 8)", &out->row.function_name);
}

/* ---- the chain ---------------------------------------------------------------------------------------------------- */

/*
 * Registers rows[0..depth), youngest first, on top of `parent`. Whether an id is new was asked before the parents were
 * read, so two frames of one stack may share an id: as in Firefox, the older one stays.
 */
static ubi_status register_rows(stack_walk *w, ubi_frame_ix parent, ubi_frame_ix *out) {
    ubi__frames *frames = &w->r->builder->graph->frames;
    while (w->depth > 0) {
        ubi__frame_row *row = &w->rows[--w->depth];
        ubi_frame_ix known = ubi__frames_find(frames, row->id);
        row->parent = parent;
        if (known == UBI_NONE)
            UBI_TRY(ubi__frames_append(frames, &parent, row));
        else
            parent = known;
    }
    UBI_ASSERT(parent < frames->rows.n);
    *out = parent;
    return UBI_OK;
}

static ubi_status walk_chain(stack_walk *w, slice s, ubi_frame_ix *out) {
    for (;;) {
        stack_frame frame;
        frame_data data;
        UBI_TRY(read_stack_frame(w, s, &frame));
        if (frame.has_ref) {
            ubi_frame_ix known = ubi__frames_find(&w->r->builder->graph->frames, frame.ref);
            if (known == UBI_NONE)
                return ubi__fxs_fail(w->r, w->offset,
                                     "allocation stack (field 6), frame %u: refers to unknown frame %llu", w->depth,
                                     (unsigned long long)frame.ref);
            return register_rows(w, known, out);
        }
        if (!frame.has_data)
            return fail_stack(w, "neither data (field 1) nor ref (field 2)");
        UBI_TRY(read_data(w, frame.data, &data));
        UBI_ASSERT(w->levels + 2 * (w->depth + 1) == UBI__FXS_MAX_NESTING); /* so depth stays below MAX_FRAMES */
        w->rows[UBI_INDEX(w->depth, UBI__FXS_MAX_FRAMES)] = data.row;
        w->depth++;
        if (!data.has_parent)
            return register_rows(w, UBI_NONE, out);
        s = data.parent;
    }
}

ubi_status ubi__fxs_stack(ubi__fxs_reader *r, ubi_frame_ix *out) {
    const ubi__fxs_string *stack = &r->node.stack;
    stack_walk w = { .r = r, .offset = stack->offset, .levels = UBI__FXS_MAX_NESTING };
    slice all = { stack->is_pinned ? r->scratch.at + stack->at : stack->bytes, stack->n_bytes };
    ubi_status status = walk_chain(&w, all, out);
    ubi__vec_u8_fini(&w.merged[0], r->allocator);
    ubi__vec_u8_fini(&w.merged[1], r->allocator);
    return status;
}
