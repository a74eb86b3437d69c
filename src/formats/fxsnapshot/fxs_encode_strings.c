/* SPDX-License-Identifier: MIT
 *
 * fxs_encode_strings.c: the two string tables of the file that is written, and text as UTF-16.
 *
 * A handle is an entry of a table of texts, the encoder's own or a borrowed one; `wire_ix` says where, and whether, it is
 * in the file.
 */
#include "base/alloc.h"
#include "base/assert.h"
#include "base/text.h"
#include "formats/fxsnapshot/fxs_encoder.h"

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
    t->two_byte = two_byte;
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
    UBI_ASSERT(t->two_byte || n_written == t->n_wire);
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
                           .n_bytes = t->two_byte ? ubi__fxs_utf16_bytes(text) : text.len };
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
    return t->two_byte ? write_utf16(e, text) : ubi__fxs_write_bytes(e, text.ptr, text.len);
}
