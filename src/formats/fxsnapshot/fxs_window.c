/* SPDX-License-Identifier: MIT
 *
 * fxs_window.c: the bytes at hand (fxs_reader.h), messages that say where they are, and steps over unknown fields.
 *
 * What is left over of a chunk is usually a part of one field, some tens of bytes; it goes in front of the next chunk.
 * Only a field longer than that room makes the window move into `joined`, which grows by doubling, so that a field of n
 * bytes costs O(n) however often its beginning is looked at again.
 */
#include "base/assert.h"
#include "formats/fxsnapshot/fxs_reader.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void ubi__fxs_window_init(ubi__fxs_window *w, ubi__stream *stream, const uint8_t *first, size_t n_first,
                          const ubi_allocator *a) {
    memset(w, 0, sizeof *w);
    w->stream = stream;
    w->allocator = a;
    w->at = first;
    w->end = first + n_first;
    w->end_offset = n_first;
    w->ended = n_first == 0;
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
    w->ended = *n == 0;
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
    while (!w->ended && w->joined.n < 2 * left) {
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
    if (w->ended)
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
