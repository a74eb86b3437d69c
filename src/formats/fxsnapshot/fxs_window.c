/* SPDX-License-Identifier: MIT
 *
 * fxs_window.c: the bytes at hand (fxs_reader.h), messages that say where they are, unknown fields, strings.
 *
 * What is left over of a chunk is usually a part of one field, some tens of bytes; it goes in front of the next chunk.
 * Only a field longer than that room makes the window move into `joined`, which grows by doubling, so that a field of n
 * bytes costs O(n) however often its beginning is looked at again.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "formats/fxsnapshot/fxs_reader.h"
#include "formats/fxsnapshot/wire.h"

void ubi__fxs_window_init(ubi__fxs_window *w, ubi__stream *stream, const uint8_t *first, size_t n_first,
                          const ubi_allocator *a) {
    memset(w, 0, sizeof *w);
    w->stream = stream;
    w->allocator = a;
    w->at = first;
    w->end = first + n_first;
    w->end_offset = n_first;
    w->has_ended = n_first == 0;
}

void ubi__fxs_window_fini(ubi__fxs_window *w) {
    ubi__vec_u8_fini(&w->joined, w->allocator);
}

void ubi__fxs_window_check(const ubi__fxs_window *w) {
    UBI_ASSERT(w->at <= w->end);
    UBI_ASSERT((uint64_t)(w->end - w->at) <= w->end_offset);
    UBI_ASSERT(!w->joined.at || w->joined.n + UBI__STREAM_PADDING <= w->joined.cap);
    for (size_t i = 0; UBI_CHECKS && w->joined.at && i < UBI__STREAM_PADDING; i++)
        UBI_ASSERT(w->joined.at[w->joined.n + i] == 0);
}

static ubi_status next_chunk(ubi__fxs_window *w, uint8_t **chunk, size_t *n) {
    UBI_TRY(ubi__stream_next(w->stream, chunk, n));
    w->end_offset += *n;
    w->has_ended = *n == 0;
    return UBI_OK;
}

static ubi_status append_to_joined(ubi__fxs_window *w, const uint8_t *bytes, size_t n) {
    UBI_TRY(ubi__vec_u8_reserve(&w->joined, w->allocator, n + UBI__STREAM_PADDING));
    memcpy(w->joined.at + w->joined.n, bytes, n);
    w->joined.n += n;
    memset(w->joined.at + w->joined.n, 0, UBI__STREAM_PADDING);
    return UBI_OK;
}

static bool lies_in_joined(const ubi__fxs_window *w) {
    return w->joined.at && w->at >= w->joined.at && w->at <= w->joined.at + w->joined.n;
}

/* Moves what is left to the front of `joined` and appends chunks until it has doubled. */
static ubi_status more_joined(ubi__fxs_window *w) {
    size_t left = (size_t)(w->end - w->at);
    if (lies_in_joined(w)) {
        memmove(w->joined.at, w->at, left);
        w->joined.n = left;
    } else {
        w->joined.n = 0;
        UBI_TRY(append_to_joined(w, w->at, left));
    }
    while (!w->has_ended && w->joined.n < 2 * left) {
        uint8_t *chunk;
        size_t n;
        UBI_TRY(next_chunk(w, &chunk, &n));
        if (n)
            UBI_TRY(append_to_joined(w, chunk, n));
    }
    w->at = w->joined.at;
    w->end = w->joined.at + w->joined.n;
    ubi__fxs_window_check(w);
    return UBI_OK;
}

ubi_status ubi__fxs_window_more(ubi__fxs_window *w) {
    uint8_t left_over[UBI__STREAM_HEADROOM], *chunk;
    size_t left = (size_t)(w->end - w->at), n;
    if (w->has_ended)
        return UBI_OK;
    if (left > UBI__STREAM_HEADROOM)
        return more_joined(w);
    if (left)
        memcpy(left_over, w->at, left); /* asking for a chunk gives the old one back */
    UBI_TRY(next_chunk(w, &chunk, &n));
    if (left)
        memcpy(chunk - left, left_over, left);
    w->at = chunk - left;
    w->end = chunk + n;
    ubi__fxs_window_check(w);
    return UBI_OK;
}

/* ---- errors and unknown fields ------------------------------------------------------------------------------------- */

ubi_status ubi__fxs_fail(const ubi__fxs_reader *r, uint64_t offset, const char *format, ...) {
    char text[320];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return ubi__fail(UBI_EFORMAT, "message %llu at byte %llu: %s", (unsigned long long)r->message,
                     (unsigned long long)offset, text);
}

ubi__fxs_progress ubi__fxs_skip_unknown(ubi__fxs_reader *r, const uint8_t *p, const uint8_t *limit, uint32_t tag,
                                        ubi_status *status) {
    const uint8_t *q = p;
    uint64_t n;
    /* The bytes of an unknown string need not be at hand together, nor at all. */
    if ((tag & 7) == UBI__WIRE_BYTES && tag >> 3 != 0) {
        q = ubi__wire_length(p, &n);
        if (q && q <= limit) {
            r->skip_left = n;
            r->window.at = q;
            return UBI__FXS_ALL_TAKEN;
        }
    }
    q = p;
    switch (ubi__wire_skip_field(&q, limit, tag, UBI__FXS_MAX_NESTING)) {
    case UBI__SKIP_DONE:
        r->window.at = q;
        return UBI__FXS_ALL_TAKEN;
    case UBI__SKIP_SHORT:
        return UBI__FXS_NEED_MORE;
    default:
        *status = ubi__fxs_fail(r, ubi__fxs_window_offset(&r->window, r->window.at),
                                "malformed field %u of wire type %u", tag >> 3, tag & 7);
        return UBI__FXS_FAILED;
    }
}

/* ---- unknown fields ----------------------------------------------------------------------------------------------- */

/* A field that is no group. */
static ubi__wire_skip skip_plain(const uint8_t **p, const uint8_t *limit, uint32_t tag) {
    const uint8_t *q = *p;
    uint64_t n = 0;
    switch (tag & 7) {
    case UBI__WIRE_VARINT:
        q = ubi__wire_varint(q, &n);
        n = 0;
        break;
    case UBI__WIRE_FIXED64:
        n = 8;
        break;
    case UBI__WIRE_FIXED32:
        n = 4;
        break;
    case UBI__WIRE_BYTES:
        q = ubi__wire_length(q, &n);
        break;
    default:
        return UBI__SKIP_BAD;
    }
    if (!q) /* too long a number: bad, unless it merely looks so because bytes are missing */
        return limit - *p < 10 ? UBI__SKIP_SHORT : UBI__SKIP_BAD;
    if (q > limit || n > (uint64_t)(limit - q))
        return UBI__SKIP_SHORT;
    *p = q + n;
    return UBI__SKIP_DONE;
}

ubi__wire_skip ubi__wire_skip_field(const uint8_t **p, const uint8_t *limit, uint32_t tag, unsigned levels) {
    uint32_t open[UBI__FXS_MAX_NESTING]; /* field numbers of the groups that are open */
    unsigned depth = 0;
    const uint8_t *q = *p;
    for (;;) {
        uint32_t field = tag >> 3, wire = tag & 7;
        if (field == 0)
            return UBI__SKIP_BAD;
        if (wire == UBI__WIRE_GROUP) {
            if (depth >= levels)
                return UBI__SKIP_BAD;
            open[depth++] = field;
        } else if (wire == UBI__WIRE_GROUP_END) {
            if (depth == 0 || open[--depth] != field)
                return UBI__SKIP_BAD;
        } else {
            ubi__wire_skip skipped = skip_plain(&q, limit, tag);
            if (skipped != UBI__SKIP_DONE)
                return skipped;
        }
        if (depth == 0)
            break;
        const uint8_t *after = q < limit ? ubi__wire_tag(q, &tag) : limit + 1;
        if (!after)
            return limit - q < 5 ? UBI__SKIP_SHORT : UBI__SKIP_BAD;
        if (after > limit)
            return UBI__SKIP_SHORT;
        q = after;
    }
    *p = q;
    return UBI__SKIP_DONE;
}

/* ---- strings ------------------------------------------------------------------------------------------------------ */

/*
 * A string is inline or an index into its table. Inline bytes are pointed to while they are at hand, and copied to scratch
 * before the window moves.
 */

static const uint8_t *string_bytes(const ubi__fxs_reader *r, const ubi__fxs_string *s) {
    return s->is_pinned ? r->scratch.at + s->at : s->bytes;
}

static size_t units_before_nul(const uint8_t *units, size_t n_units) {
    for (size_t i = 0; i < n_units; i++)
        if (units[2 * i] == 0 && units[2 * i + 1] == 0)
            return i;
    return n_units;
}

/* Strings are C strings to Firefox: what follows a NUL is invisible. An odd last byte is dropped. */
ubi_status ubi__fxs_append_two_byte(ubi__strtab *table, const uint8_t *bytes, size_t n_bytes, ubi_str_ix *out) {
    return ubi__strtab_append_utf16le(table, out, bytes, units_before_nul(bytes, n_bytes / 2));
}

ubi_status ubi__fxs_fail_ref(const ubi__fxs_reader *r, uint64_t offset, const char *what, uint64_t ref, uint32_t n,
                             const char *table) {
    return ubi__fxs_fail(r, offset, "%s refers to string %llu of %u in the %s table", what, (unsigned long long)ref, n,
                         table);
}

ubi_status ubi__fxs_two_byte(ubi__fxs_reader *r, const ubi__fxs_string *s, const char *what, ubi_str_ix *out) {
    ubi__strtab *table = &r->builder->graph->strings;
    *out = UBI_NONE;
    if (s->form == UBI__FXS_INLINE)
        return ubi__fxs_append_two_byte(table, string_bytes(r, s), s->n_bytes, out);
    if (s->form == UBI__FXS_ABSENT)
        return UBI_OK;
    if (s->at >= ubi__strtab_count(table))
        return ubi__fxs_fail_ref(r, s->offset, what, s->at, ubi__strtab_count(table), "two-byte");
    *out = (ubi_str_ix)s->at;
    return UBI_OK;
}

ubi_status ubi__fxs_one_byte(ubi__fxs_reader *r, const ubi__fxs_string *s, const char *what, ubi_str_ix *out) {
    *out = UBI_NONE;
    if (s->form == UBI__FXS_INLINE) {
        const char *bytes = (const char *)string_bytes(r, s);
        return ubi__strtab_append(&r->one_byte, out, (ubi_text){ bytes, s->n_bytes ? strnlen(bytes, s->n_bytes) : 0 });
    }
    if (s->form == UBI__FXS_ABSENT)
        return UBI_OK;
    if (s->at >= ubi__strtab_count(&r->one_byte))
        return ubi__fxs_fail_ref(r, s->offset, what, s->at, ubi__strtab_count(&r->one_byte), "one-byte");
    *out = (ubi_str_ix)s->at;
    return UBI_OK;
}

/* ---- scratch ------------------------------------------------------------------------------------------------------ */

/* Bytes in scratch may be decoded, so the decoder's padding follows them. */
static ubi_status append_to_scratch(ubi__fxs_reader *r, const uint8_t *bytes, size_t n) {
    ubi__vec_u8 *scratch = &r->scratch;
    UBI_TRY(ubi__vec_u8_reserve(scratch, r->allocator, n + UBI__STREAM_PADDING));
    if (n)
        memcpy(scratch->at + scratch->n, bytes, n);
    scratch->n += n;
    memset(scratch->at + scratch->n, 0, UBI__STREAM_PADDING);
    return UBI_OK;
}

ubi_status ubi__fxs_pin(ubi__fxs_reader *r, ubi__fxs_string *s) {
    if (s->form != UBI__FXS_INLINE || s->is_pinned)
        return UBI_OK;
    size_t at = r->scratch.n;
    UBI_TRY(append_to_scratch(r, s->bytes, s->n_bytes));
    s->at = at;
    s->is_pinned = true;
    return UBI_OK;
}

ubi_status ubi__fxs_join(ubi__fxs_reader *r, ubi__fxs_string *s, const uint8_t *bytes, size_t n) {
    if (!s->is_pinned || s->at + s->n_bytes != r->scratch.n) {
        size_t at = r->scratch.n;
        UBI_TRY(ubi__vec_u8_reserve(&r->scratch, r->allocator, s->n_bytes + UBI__STREAM_PADDING));
        UBI_TRY(append_to_scratch(r, string_bytes(r, s), s->n_bytes));
        s->at = at;
        s->is_pinned = true;
    }
    UBI_TRY(append_to_scratch(r, bytes, n));
    s->n_bytes += n;
    UBI_ASSERT(s->at + s->n_bytes == r->scratch.n); /* the last in scratch, so it can grow there */
    return UBI_OK;
}
