/* SPDX-License-Identifier: MIT
 *
 * v8_out.c: see v8_out.h.
 */
#include "formats/v8/v8_out.h"

#include "base/text.h"

ubi_status ubi__v8_out_init(ubi__v8_out *out, ubi__write_fn write, void *payload, const ubi_allocator *allocator) {
    *out = (ubi__v8_out){ .allocator = allocator, .write = write, .payload = payload };
    out->at = ubi__alloc_array(allocator, UBI__V8_OUT_BYTES, 1);
    return out->at ? UBI_OK : ubi__fail_nomem();
}

void ubi__v8_out_fini(ubi__v8_out *out) {
    ubi__free_array(out->allocator, out->at, UBI__V8_OUT_BYTES, 1);
    out->at = NULL;
}

ubi_status ubi__v8_out_flush(ubi__v8_out *out) {
    size_t n = out->n;
    out->n = 0;
    out->n_written += n;
    return n ? out->write(out->payload, out->at, n) : UBI_OK;
}

ubi_status ubi__v8_out_text(ubi__v8_out *out, const char *text) {
    for (size_t left = strlen(text); left;) {
        UBI_TRY(ubi__v8_out_reserve(out, 1));
        size_t room = UBI__V8_OUT_BYTES - out->n, n = left < room ? left : room;
        ubi__v8_out_bytes(out, text, n);
        text += n;
        left -= n;
    }
    return UBI_OK;
}

/* ---- strings ---------------------------------------------------------------------------------------------------- */

/* More than one character takes: two escapes of six bytes. */
#define CHARACTER_BYTES 16
_Static_assert(CHARACTER_BYTES >= 2 * (sizeof "\\uD83D" - 1), "room for a pair of surrogates");

static void put_escape(ubi__v8_out *out, uint32_t unit) {
    static const char digits[] = "0123456789ABCDEF";
    char escape[6] = {
        '\\', 'u', digits[unit >> 12 & 15], digits[unit >> 8 & 15], digits[unit >> 4 & 15], digits[unit & 15]
    };
    ubi__v8_out_bytes(out, escape, sizeof escape);
}

/* Below U+0020, a quote or a backslash. */
static void put_control(ubi__v8_out *out, uint8_t c) {
    static const char from[] = "\b\f\n\r\t\"\\", to[] = "bfnrt\"\\";
    const char *at = c ? strchr(from, c) : NULL;
    if (!at) {
        put_escape(out, c);
        return;
    }
    ubi__v8_out_char(out, '\\');
    ubi__v8_out_char(out, to[at - from]);
}

static void put_character(ubi__v8_out *out, uint32_t c) {
    if (c > 0xffff) {
        put_escape(out, 0xd800 + ((c - 0x10000) >> 10));
        c = 0xdc00 + ((c - 0x10000) & 0x3ff);
    }
    put_escape(out, c);
}

/* A byte that is no text: "\xFF", of which JSON wants the backslash escaped. */
static void put_odd_byte(ubi__v8_out *out, uint8_t byte) {
    static const char digits[] = "0123456789ABCDEF";
    char escape[5] = { '\\', '\\', 'x', digits[byte >> 4], digits[byte & 15] };
    ubi__v8_out_bytes(out, escape, sizeof escape);
}

/* What needs no escape, as much as fits; returns the bytes taken. */
static size_t put_plain(ubi__v8_out *out, const uint8_t *at, size_t n) {
    size_t room = UBI__V8_OUT_BYTES - out->n, taken = 0;
    if (n > room)
        n = room;
    while (taken < n && at[taken] >= 0x20 && at[taken] < 0x80 && at[taken] != '"' && at[taken] != '\\')
        taken++;
    ubi__v8_out_bytes(out, (const char *)at, taken);
    return taken;
}

static size_t put_escaped(ubi__v8_out *out, const uint8_t *at, size_t n) {
    uint32_t c;
    if (at[0] < 0x80) {
        put_control(out, at[0]);
        return 1;
    }
    size_t taken = ubi__wtf8_decode(at, n, &c);
    if (taken == 0) {
        put_odd_byte(out, at[0]);
        return 1;
    }
    put_character(out, c);
    return taken;
}

ubi_status ubi__v8_out_string(ubi__v8_out *out, ubi_text text) {
    const uint8_t *at = (const uint8_t *)text.ptr;
    UBI_TRY(ubi__v8_out_reserve(out, 1));
    ubi__v8_out_char(out, '"');
    for (size_t i = 0; i < text.len;) {
        UBI_TRY(ubi__v8_out_reserve(out, CHARACTER_BYTES));
        size_t n = put_plain(out, at + i, text.len - i);
        i += n ? n : put_escaped(out, at + i, text.len - i);
    }
    UBI_TRY(ubi__v8_out_reserve(out, 1));
    ubi__v8_out_char(out, '"');
    return UBI_OK;
}
