/* SPDX-License-Identifier: MIT
 *
 * fxs_encoder.c: what fxs_encode.c writes with: the buffer; what the file refers to, which is its two string tables and frames of
 * allocation stacks.
 */
#include "base/alloc.h"

#include "base/assert.h"
#include "base/hash.h"
#include "base/text.h"
#include "formats/fxsnapshot/fxs_encoder.h"
#include <string.h>

/* ---- bytes -------------------------------------------------------------------------------------------------------- */

ubi_status ubi__fxs_flush(ubi__fxs_encoder *e) {
    if (e->n_buffered)
        UBI_TRY(e->write(e->payload, e->buffer, e->n_buffered));
    e->bytes_before_buffer += e->n_buffered;
    e->n_buffered = 0;
    return UBI_OK;
}

ubi_status ubi__fxs_write_bytes(ubi__fxs_encoder *e, const void *data, size_t n) {
    for (const uint8_t *p = data; n;) {
        UBI_TRY(ubi__fxs_make_room(e, 1));
        size_t room = UBI__FXS_BUFFER_BYTES - e->n_buffered;
        size_t piece = n < room ? n : room;
        memcpy(e->buffer + e->n_buffered, p, piece);
        e->n_buffered += piece;
        p += piece;
        n -= piece;
    }
    return UBI_OK;
}

void ubi__fxs_encoder_check(const ubi__fxs_encoder *e) {
    const ubi__fxs_frames *f = &e->frames;
    UBI_ASSERT(e->n_buffered <= UBI__FXS_BUFFER_BYTES);
    UBI_ASSERT(e->two_byte.wire_ix.n <= ubi__strtab_count(e->two_byte.texts));
    UBI_ASSERT(e->one_byte.n_wire <= ubi__strtab_count(&e->one_byte.own)); /* no byte string is written twice */
    UBI_ASSERT(f->n_linked <= f->rows.n && f->rows.n <= f->n_frames);
    UBI_ASSERT(f->n_cut <= e->n_nodes);
    UBI_ASSERT(!e->node.keeps_edges || e->node.n_kept == e->node.edges_bytes);
    UBI_ASSERT(!e->far.bits || (e->far.n >= 6 && e->far.n <= 8)); /* above UBI__FXS_NEAR_BITS, in one word */
}

/* ---- edges to far nodes -------------------------------------------------------------------------------------------- */

static void set_far_bits(ubi__fxs_far_bits *far, uint64_t id) {
    uint8_t bytes[UBI__WIRE_VARINT_MAX];
    uint64_t far_id = id >> UBI__FXS_NEAR_BITS << UBI__FXS_NEAR_BITS;
    uint32_t n = (uint32_t)(ubi__wire_put_varint(bytes, far_id) - bytes);
    if (far_id && n <= 8)
        *far =
            (ubi__fxs_far_bits){ id >> UBI__FXS_NEAR_BITS, ubi__wire_get_word(bytes) & UINT64_MAX >> 8 * (8 - n), n };
}

uint8_t *ubi__fxs_put_far_edge(ubi__fxs_encoder *e, uint8_t *p, uint64_t referent, uint32_t name_bytes) {
    uint8_t *end;
    if (referent >> UBI__FXS_NEAR_BITS)
        set_far_bits(&e->far, referent);
    p[0] = UBI__TAG(5, UBI__WIRE_BYTES);
    p[2] = UBI__TAG(1, UBI__WIRE_VARINT);
    end = ubi__wire_put_varint(p + 3, referent);
    p[1] = (uint8_t)(end - p - 2 + name_bytes);
    return end;
}

/* ---- strings ------------------------------------------------------------------------------------------------------ */

/*
 * A handle is an entry of a table of texts, the encoder's own or a borrowed one; `wire_ix` says where, and whether, it is
 * in the file.
 */

/* ---- text as UTF-16LE --------------------------------------------------------------------------------------------- */

/* The character at text[at], and its bytes. A byte that is no text stands for itself. */
static size_t character_at(ubi_text text, size_t at, uint32_t *c) {
    const uint8_t *p = (const uint8_t *)text.ptr + at;
    *c = *p;
    if (ubi__likely(*c < 0x80))
        return 1;
    size_t used = ubi__wtf8_decode(p, text.len - at, c);
    return used ? used : 1;
}

uint64_t ubi__fxs_utf16_bytes(ubi_text text) {
    uint64_t units = 0;
    uint32_t c;
    for (size_t at = 0; at<text.len; units += c> 0xffff ? 2 : 1)
        at += character_at(text, at, &c);
    return 2 * units;
}

static uint8_t *put_unit(uint8_t *out, uint32_t unit) {
    out[0] = (uint8_t)unit;
    out[1] = (uint8_t)(unit >> 8);
    return out + 2;
}

size_t ubi__fxs_put_utf16(uint8_t *out, size_t room, ubi_text text, size_t *at) {
    uint8_t *p = out;
    while (*at < text.len) {
        uint32_t c;
        size_t used = character_at(text, *at, &c), left = room - (size_t)(p - out);
        if (left < (c > 0xffff ? 4 : 2))
            break;
        if (c > 0xffff) {
            p = put_unit(p, 0xd800 + ((c - 0x10000) >> 10));
            p = put_unit(p, 0xdc00 + ((c - 0x10000) & 0x3ff));
        } else {
            p = put_unit(p, c);
        }
        *at += used;
    }
    UBI_ASSERT((size_t)(p - out) <= room);
    return (size_t)(p - out);
}

static ubi_status write_utf16(ubi__fxs_encoder *e, ubi_text text) {
    for (size_t at = 0; at < text.len;) {
        UBI_TRY(ubi__fxs_make_room(e, 4));
        e->n_buffered +=
            ubi__fxs_put_utf16(e->buffer + e->n_buffered, UBI__FXS_BUFFER_BYTES - e->n_buffered, text, &at);
    }
    return UBI_OK;
}

/* ---- tables ------------------------------------------------------------------------------------------------------- */

void ubi__fxs_string_table_init(ubi__fxs_string_table *t, bool two_byte, const ubi_allocator *a) {
    memset(t, 0, sizeof *t);
    ubi__strtab_init(&t->own, a);
    t->texts = &t->own;
    t->is_two_byte = two_byte;
}

void ubi__fxs_string_table_fini(ubi__fxs_string_table *t, const ubi_allocator *a) {
    ubi__strtab_fini(&t->own);
    ubi__vec_u32_fini(&t->wire_ix, a);
}

void ubi__fxs_string_table_check(const ubi__fxs_string_table *t) {
    uint64_t n_written = 0;
    UBI_ASSERT(t->texts == &t->own || ubi__strtab_count(&t->own) == 0);
    if (!UBI_CHECKS)
        return;
    for (size_t i = 0; i < t->wire_ix.n; i++) {
        UBI_ASSERT(t->wire_ix.at[i] == UBI_NONE || t->wire_ix.at[i] < t->n_wire);
        n_written += t->wire_ix.at[i] != UBI_NONE;
    }
    UBI_ASSERT(n_written <= t->n_wire); /* others are names of edges that are not remembered */
    UBI_ASSERT(t->is_two_byte || n_written == t->n_wire);
}

ubi_status ubi__fxs_encode_borrow_strings(ubi__fxs_encoder *e, const ubi__strtab *texts) {
    ubi__fxs_string_table *t = &e->two_byte;
    size_t n = ubi__strtab_count(texts);
    UBI_TRY(ubi__vec_u32_reserve(&t->wire_ix, e->allocator, n));
    if (n)
        memset(t->wire_ix.at, 0xff, n * sizeof *t->wire_ix.at);
    t->wire_ix.n = n;
    t->texts = texts;
    return UBI_OK;
}

ubi_text ubi__fxs_visible(ubi_text text) {
    const void *nul = text.len ? memchr(text.ptr, 0, text.len) : NULL;
    if (nul)
        text.len = (size_t)((const char *)nul - text.ptr);
    return text;
}

static ubi_status string_intern(ubi__fxs_encoder *e, ubi__fxs_string_table *t, ubi_str_ix *out, ubi_text text) {
    UBI_TRY(ubi__vec_u32_reserve(&t->wire_ix, e->allocator, 1));
    ubi_str_ix handle;
    UBI_TRY(ubi__strtab_intern(&t->own, &handle, ubi__fxs_visible(text)));
    if (handle == t->wire_ix.n)
        t->wire_ix.at[t->wire_ix.n++] = UBI_NONE;
    *out = handle;
    return UBI_OK;
}

ubi_status ubi__fxs_encode_string(ubi__fxs_encoder *e, ubi_str_ix *out, ubi_text text) {
    return string_intern(e, &e->two_byte, out, text);
}

ubi_status ubi__fxs_encode_byte_string(ubi__fxs_encoder *e, ubi_str_ix *out, ubi_text bytes) {
    return string_intern(e, &e->one_byte, out, bytes);
}

/* ---- uses --------------------------------------------------------------------------------------------------------- */

ubi_status ubi__fxs_take_wire_ix(ubi__fxs_string_table *t, uint32_t *out) {
    if (t->n_wire == UBI_NONE)
        return ubi__fail(UBI_ELIMIT, "more than %u strings in one snapshot", UBI_NONE);
    *out = t->n_wire++;
    return UBI_OK;
}

ubi_status ubi__fxs_use_new(ubi__fxs_use *out, ubi__fxs_string_table *t, ubi_str_ix handle) {
    if (handle >= t->wire_ix.n)
        return ubi__fail(UBI_EINVAL, "string handle %u: there are %zu", handle, t->wire_ix.n);
    UBI_TRY(ubi__fxs_take_wire_ix(t, &t->wire_ix.at[handle]));
    ubi_text text = ubi__strtab_get(t->texts, handle);
    *out = (ubi__fxs_use){ .wire_ix = t->wire_ix.at[handle],
                           .is_inline = true,
                           .handle = handle,
                           .n_bytes = t->is_two_byte ? ubi__fxs_utf16_bytes(text) : text.len };
    return UBI_OK;
}

ubi_status ubi__fxs_write_use(ubi__fxs_encoder *e, uint32_t field, const ubi__fxs_use *use,
                              const ubi__fxs_string_table *t) {
    if (use->wire_ix == UBI_NONE)
        return UBI_OK;
    UBI_TRY(ubi__fxs_make_room(e, UBI__FXS_FIXED_BYTES));
    if (!use->is_inline) {
        ubi__fxs_put_varint_field(e, field + 1, use->wire_ix);
        return UBI_OK;
    }
    ubi_text text = use->handle == UBI_NONE ? use->own : ubi__strtab_get(t->texts, use->handle);
    ubi__fxs_put_length(e, field, use->n_bytes);
    return t->is_two_byte ? write_utf16(e, text) : ubi__fxs_write_bytes(e, text.ptr, text.len);
}

/* ---- allocation stacks -------------------------------------------------------------------------------------------- */

/*
 * A frame is known by where its heap keeps it, (owner, ref). The first use writes its data, later ones refer to its id.
 * Ids are the heap's own. When two frames have one id and differ, the later gets a new id, since no reader takes a second
 * definition; when they are equal up to the oldest frame, they are one.
 *
 * Two limits on the frames of a stack, counted from the youngest; what lies above is cut off:
 *
 *     the format's   90 in one message, the frame that a `ref` names included: a deeper stack survives only if its older
 *                    part is in the file already
 *     max_frames     on the whole stack. A frame of the file comes with all its parents; where that would make the stack
 *                    too deep, copies of as many frames as allowed are written under new ids.
 *
 * Frames are planned from the youngest to the oldest (the order of indices), measured from the oldest to the youngest
 * (a length includes the parent's message), and written as nested messages with an array instead of recursion:
 *
 *     open frame 0: id, parent{ open frame 1: id, parent{ ... } rest of frame 1 } rest of frame 0
 */

#define COMPARED_FRAMES_MAX 256 /* deeper frames of one id count as different */

void ubi__fxs_frames_init(ubi__fxs_frames *f, const ubi_allocator *a) {
    memset(f, 0, sizeof *f);
    ubi__node_map_init(&f->keys, a);
    f->next_id = UINT64_MAX;
    f->max_frames = UBI_STACK_SAVED_DEPTH;
}

void ubi__fxs_frames_fini(ubi__fxs_frames *f, const ubi_allocator *a) {
    ubi__node_map_fini(&f->keys);
    ubi__vec_fxs_frame_fini(&f->rows, a);
    ubi__row_table_fini(&f->by_id, a);
}

void ubi__fxs_encode_limit_stacks(ubi__fxs_encoder *e, uint32_t max_frames) {
    e->frames.max_frames = max_frames;
}

void ubi__fxs_encode_set_frame_names(ubi__fxs_encoder *e, ubi__fxs_frame_names_fn fn, void *payload) {
    e->frames.names = fn;
    e->frames.names_payload = payload;
}

/* ---- frames of the file ------------------------------------------------------------------------------------------- */

static bool has_id(const ubi__fxs_frames *f, ubi_frame_ix row, uint64_t id) {
    return f->rows.at[row].id == id;
}
UBI_ROW_LOOKUP(id, const ubi__fxs_frames *, uint64_t, has_id);

static ubi_frame_ix find_id(const ubi__fxs_frames *f, uint64_t id) {
    return id_find(&f->by_id, f, id, ubi__hash_u64(id));
}

static uint64_t new_id(ubi__fxs_frames *f) {
    while (find_id(f, f->next_id) != UBI_NONE)
        f->next_id--;
    return f->next_id--;
}

/* A stack as a key of `keys`. */
static ubi_node key_of(ubi_stack stack) {
    return (ubi_node){ NULL, stack.owner, stack.ref };
}

static ubi_frame_ix find_frame(const ubi__fxs_frames *f, ubi_stack stack) {
    const uint64_t *row = ubi__node_map_get(&f->keys, key_of(stack));
    return row ? (ubi_frame_ix)*row : UBI_NONE;
}

/* ---- two frames of one id ----------------------------------------------------------------------------------------- */

static ubi_status frame_names(ubi__fxs_encoder *e, ubi_stack stack, const ubi_frame *frame, ubi_str_ix *source,
                              ubi_str_ix *function_name) {
    if (e->frames.names)
        return e->frames.names(e->frames.names_payload, stack, frame, source, function_name);
    *function_name = UBI_NONE;
    if (frame->function_name.ptr)
        UBI_TRY(ubi__fxs_encode_string(e, function_name, frame->function_name));
    return ubi__fxs_encode_string(e, source, frame->source);
}

static bool same_content(const ubi__fxs_frame_row *a, const ubi__fxs_frame_row *b) {
    return a->id == b->id && a->source == b->source && a->function_name == b->function_name && a->line == b->line &&
           a->column == b->column && a->is_system == b->is_system && a->is_self_hosted == b->is_self_hosted;
}

static ubi_status frame_describe(ubi__fxs_encoder *e, ubi_stack stack, ubi__fxs_frame_row *out) {
    ubi_frame frame;
    ubi_stack_frame(stack, &frame);
    *out = (ubi__fxs_frame_row){ .id = frame.id,
                                 .parent = UBI_NONE,
                                 .line = frame.line,
                                 .column = frame.column,
                                 .is_system = frame.is_system,
                                 .is_self_hosted = frame.is_self_hosted };
    return frame_names(e, stack, &frame, &out->source, &out->function_name);
}

/* Whether `stack`, although unknown, equals the frame in `row`, with all its parents. */
static ubi_status is_same_frame(ubi__fxs_encoder *e, ubi_stack stack, ubi_frame_ix row, bool *same) {
    *same = false;
    for (int i = 0; i < COMPARED_FRAMES_MAX; i++) {
        ubi__fxs_frame_row frame;
        UBI_TRY(frame_describe(e, stack, &frame));
        const ubi__fxs_frame_row *known = &e->frames.rows.at[row];
        if (known->is_cut || !same_content(&frame, known))
            return UBI_OK;
        bool has_parent = ubi_stack_parent(stack, &stack);
        *same = !has_parent && known->parent == UBI_NONE;
        row = known->parent;
        if (!has_parent || row == UBI_NONE)
            return UBI_OK;
        ubi_frame_ix known_parent = find_frame(&e->frames, stack);
        *same = known_parent == row;
        if (known_parent != UBI_NONE)
            return UBI_OK;
    }
    return UBI_OK;
}

/* ---- planning ----------------------------------------------------------------------------------------------------- */

/* Makes `stack`, described by `frame`, known. */
static ubi_status add_row(ubi__fxs_encoder *e, ubi_stack stack, const ubi__fxs_frame_row *frame, ubi_frame_ix *row) {
    ubi__fxs_frames *f = &e->frames;
    if (f->rows.n >= UBI_NONE)
        return ubi__fail(UBI_ELIMIT, "more than 2^32-1 stack frames");
    uint64_t hash = ubi__hash_u64(frame->id);
    UBI_TRY(ubi__row_table_reserve(&f->by_id, e->allocator, 1));
    UBI_TRY(ubi__vec_fxs_frame_push(&f->rows, e->allocator, *frame));
    *row = (ubi_frame_ix)(f->rows.n - 1);
    ubi__row_slot *slot = id_place(&f->by_id, f, frame->id, hash);
    if (ubi__row_is_used(slot))
        slot->row = *row; /* of an id that several have, the last is found */
    else
        ubi__row_table_fill(&f->by_id, slot, hash, *row);
    return ubi__node_map_put(&f->keys, key_of(stack), *row);
}

/*
 * Plans one more frame as data, unless it turns out to be one of the file: then *row is its row. On entry *row is the row
 * of a frame to copy, or UBI_NONE.
 */
static ubi_status plan_frame(ubi__fxs_encoder *e, ubi_stack stack, ubi_frame_ix *row) {
    ubi__fxs_frames *f = &e->frames;
    ubi__fxs_frame_row frame;
    UBI_TRY(frame_describe(e, stack, &frame));
    ubi__fxs_frame_plan *plan = &e->stack.at[e->stack.n];
    plan->row = UBI_NONE;
    if (*row != UBI_NONE) {
        frame.id = new_id(f);
        *row = UBI_NONE;
    } else {
        ubi_frame_ix same_id = find_id(f, frame.id);
        bool same = false;
        if (same_id != UBI_NONE && same_id < f->n_linked)
            UBI_TRY(is_same_frame(e, stack, same_id, &same));
        if (same) {
            *row = same_id;
            return ubi__node_map_put(&f->keys, key_of(stack), same_id);
        }
        if (same_id != UBI_NONE || frame.id > f->next_id)
            frame.id = new_id(f);
        UBI_TRY(add_row(e, stack, &frame, &plan->row));
    }
    plan->id = frame.id;
    plan->line = frame.line;
    plan->column = frame.column;
    plan->is_system = frame.is_system;
    plan->is_self_hosted = frame.is_self_hosted;
    UBI_TRY(ubi__fxs_use_string(&plan->source, &e->two_byte, frame.source));
    UBI_TRY(ubi__fxs_use_string(&plan->function_name, &e->two_byte, frame.function_name));
    e->stack.n++;
    return UBI_OK;
}

/* Whether the stack may continue with a frame of the file after `n` new ones. */
static bool may_refer(const ubi__fxs_frames *f, uint32_t n, ubi_frame_ix row) {
    return n < UBI__FXS_MAX_FRAMES && (f->max_frames == 0 || n + f->rows.at[row].depth <= f->max_frames);
}

static bool is_full(const ubi__fxs_encoder *e) {
    return e->stack.n == UBI__FXS_MAX_FRAMES || (e->frames.max_frames && e->stack.n >= e->frames.max_frames);
}

/* Collects frames, youngest first, up to one of the file, the oldest, or a limit. */
static ubi_status collect_frames(ubi__fxs_encoder *e, ubi_stack stack) {
    ubi__fxs_stack_plan *plan = &e->stack;
    e->frames.n_linked = (uint32_t)e->frames.rows.n;
    plan->n = 0;
    plan->is_cut = false;
    plan->ref_row = UBI_NONE;
    do {
        ubi_frame_ix row = find_frame(&e->frames, stack);
        if (row != UBI_NONE && row >= e->frames.n_linked)
            return ubi__fail(UBI_EINVAL, "a stack goes in a circle at frame id %llu",
                             (unsigned long long)e->frames.rows.at[row].id);
        bool refers = row != UBI_NONE && may_refer(&e->frames, plan->n, row);
        if (!refers && is_full(e)) {
            plan->is_cut = true;
            return UBI_OK;
        }
        if (!refers) {
            UBI_TRY(plan_frame(e, stack, &row));
            refers = row != UBI_NONE;
        }
        if (refers) {
            plan->ref_row = row;
            plan->ref_id = e->frames.rows.at[row].id;
            return UBI_OK;
        }
    } while (ubi_stack_parent(stack, &stack));
    return UBI_OK;
}

/* Now that all of the stack is known, so are depths and parents. */
static void link_rows(ubi__fxs_encoder *e) {
    ubi__fxs_stack_plan *plan = &e->stack;
    ubi__fxs_frame_row *rows = e->frames.rows.at;
    ubi_frame_ix parent = plan->ref_row;
    uint32_t depth = parent == UBI_NONE ? 0 : rows[parent].depth;
    bool is_cut = plan->is_cut;
    for (uint32_t i = plan->n; i-- > 0;) {
        depth++;
        if (plan->at[i].row != UBI_NONE) {
            ubi__fxs_frame_row *row = &rows[plan->at[i].row];
            row->parent = parent;
            row->depth = depth;
            row->is_cut = is_cut;
        }
        parent = plan->at[i].row;
        is_cut = is_cut || parent == UBI_NONE;
    }
    e->frames.n_frames += plan->n;
    e->frames.n_cut += plan->is_cut;
}

/* Lengths from the oldest frame to the youngest. */
static void measure_frames(ubi__fxs_stack_plan *plan) {
    uint64_t parent_bytes = plan->ref_row == UBI_NONE ? 0 : ubi__fxs_varint_field_bytes(plan->ref_id);
    for (uint32_t i = plan->n; i-- > 0;) {
        ubi__fxs_frame_plan *f = &plan->at[i];
        f->data_bytes = ubi__fxs_varint_field_bytes(f->id) + ubi__fxs_varint_field_bytes(f->line) +
                        ubi__fxs_varint_field_bytes(f->column) + ubi__fxs_use_bytes(&f->source) +
                        ubi__fxs_use_bytes(&f->function_name) + 2 + 2; /* isSystem, isSelfHosted */
        if (parent_bytes)
            f->data_bytes += ubi__fxs_bytes_field_bytes(parent_bytes);
        f->frame_bytes = parent_bytes = ubi__fxs_bytes_field_bytes(f->data_bytes);
    }
    plan->n_bytes = parent_bytes;
}

void ubi__fxs_stack_plan_check(const ubi__fxs_encoder *e) {
    const ubi__fxs_stack_plan *plan = &e->stack;
    UBI_ASSERT(plan->n <= UBI__FXS_MAX_FRAMES);
    UBI_ASSERT(plan->n || plan->ref_row != UBI_NONE);
    UBI_ASSERT(!plan->is_cut || plan->ref_row == UBI_NONE);
    UBI_ASSERT(!plan->n || plan->n_bytes == plan->at[0].frame_bytes);
    for (uint32_t i = 0; UBI_CHECKS && i < plan->n; i++) {
        const ubi__fxs_frame_plan *f = &plan->at[i];
        UBI_ASSERT(f->frame_bytes > f->data_bytes);
        UBI_ASSERT(i + 1 == plan->n || f->data_bytes > f[1].frame_bytes); /* parents nest */
        UBI_ASSERT(f->row == UBI_NONE || e->frames.rows.at[f->row].id == f->id);
    }
}

ubi_status ubi__fxs_plan_stack(ubi__fxs_encoder *e, ubi_stack stack) {
    UBI_TRY(collect_frames(e, stack));
    link_rows(e);
    measure_frames(&e->stack);
    ubi__fxs_stack_plan_check(e);
    return UBI_OK;
}

/* ---- writing ------------------------------------------------------------------------------------------------------ */

static ubi_status write_frame_rest(ubi__fxs_encoder *e, const ubi__fxs_frame_plan *f) {
    UBI_TRY(ubi__fxs_make_room(e, UBI__FXS_FIXED_BYTES));
    ubi__fxs_put_varint_field(e, 3, f->line);
    ubi__fxs_put_varint_field(e, 4, f->column);
    UBI_TRY(ubi__fxs_write_use(e, 5, &f->source, &e->two_byte));
    UBI_TRY(ubi__fxs_write_use(e, 7, &f->function_name, &e->two_byte));
    UBI_TRY(ubi__fxs_make_room(e, UBI__FXS_FIXED_BYTES));
    ubi__fxs_put_varint_field(e, 9, f->is_system);
    ubi__fxs_put_varint_field(e, 10, f->is_self_hosted);
    return UBI_OK;
}

ubi_status ubi__fxs_write_stack(ubi__fxs_encoder *e) {
    const ubi__fxs_stack_plan *plan = &e->stack;
    bool ends_in_ref = plan->ref_row != UBI_NONE;
    UBI_TRY(ubi__fxs_make_room(e, UBI__FXS_FIXED_BYTES));
    ubi__fxs_put_length(e, 6, plan->n_bytes);
    for (uint32_t i = 0; i < plan->n; i++) {
        UBI_TRY(ubi__fxs_make_room(e, UBI__FXS_FIXED_BYTES));
        ubi__fxs_put_length(e, 1, plan->at[i].data_bytes);
        ubi__fxs_put_varint_field(e, 1, plan->at[i].id);
        if (i + 1 < plan->n)
            ubi__fxs_put_length(e, 2, plan->at[i + 1].frame_bytes);
        else if (ends_in_ref)
            ubi__fxs_put_length(e, 2, ubi__fxs_varint_field_bytes(plan->ref_id));
    }
    if (ends_in_ref) {
        UBI_TRY(ubi__fxs_make_room(e, UBI__FXS_FIXED_BYTES));
        ubi__fxs_put_varint_field(e, 2, plan->ref_id);
    }
    for (uint32_t i = plan->n; i-- > 0;)
        UBI_TRY(write_frame_rest(e, &plan->at[i]));
    return UBI_OK;
}
