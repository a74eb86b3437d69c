/* SPDX-License-Identifier: MIT
 *
 * v8_strings.c: the section "strings", into the string table.
 *
 * V8 writes ASCII and escapes. From other programs come raw UTF-8, which must be valid, and pairs of surrogate escapes, which
 * are one character; a lone surrogate stays one (WTF-8). A text is never longer than its JSON, so room for what is at hand is
 * made once, and bytes that mean themselves are copied by sixteen.
 */
#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "base/text.h"
#include "formats/v8/v8_reader.h"

#define COPY_BYTES 16

#if !defined(__SSE2__)
/* A quote, a backslash, a control character or a byte of a longer character. */
static bool is_special(uint8_t c) {
    return c < ' ' || c >= 0x80 || c == '"' || c == '\\';
}
#endif

/* Copies 16 bytes and says how many of them mean themselves. */
static inline size_t copy_plain(uint8_t *restrict to, const uint8_t *restrict from) {
#if defined(__SSE2__)
    __m128i text = _mm_loadu_si128((const __m128i *)(const void *)from);
    _mm_storeu_si128((__m128i *)(void *)to, text);
    __m128i special =
        _mm_or_si128(_mm_cmplt_epi8(text, _mm_set1_epi8(' ')), /* signed: from 0x80 on, too */
                     _mm_or_si128(_mm_cmpeq_epi8(text, _mm_set1_epi8('"')), _mm_cmpeq_epi8(text, _mm_set1_epi8('\\'))));
    unsigned mask = (unsigned)_mm_movemask_epi8(special);
    return mask ? (size_t)__builtin_ctz(mask) : COPY_BYTES;
#else
    size_t n = 0;
    memcpy(to, from, COPY_BYTES);
    while (n < COPY_BYTES && !is_special(from[n]))
        n++;
    return n;
#endif
}

static int hex_digit(uint8_t c) {
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* \uXXXX at p; false: it is none. */
static bool unicode_escape(const uint8_t *p, const uint8_t *end, uint32_t *unit) {
    if (end - p < 6 || p[0] != '\\' || p[1] != 'u')
        return false;
    *unit = 0;
    for (size_t i = 2; i < 6; i++) {
        int digit = hex_digit(p[i]);
        if (digit < 0)
            return false;
        *unit = *unit << 4 | (uint32_t)digit;
    }
    return true;
}

static uint8_t simple_escape(uint8_t c) {
    switch (c) {
    case 'b':
        return '\b';
    case 'f':
        return '\f';
    case 'n':
        return '\n';
    case 'r':
        return '\r';
    case 't':
        return '\t';
    case '"':
    case '\\':
    case '/':
        return c;
    default:
        return 0;
    }
}

size_t ubi__v8_take_escape(ubi__v8_window *w, uint8_t *out) {
    uint32_t unit, low;
    if (w->end - w->at >= 2 && w->at[1] != 'u') {
        *out = simple_escape(w->at[1]);
        w->at += 2;
        return *out ? 1 : 0;
    }
    if (!unicode_escape(w->at, w->end, &unit))
        return 0;
    w->at += 6;
    if ((unit & 0xfc00) == 0xd800 && unicode_escape(w->at, w->end, &low) && (low & 0xfc00) == 0xdc00) {
        unit = 0x10000 + ((unit & 0x3ff) << 10) + (low & 0x3ff);
        w->at += 6;
    }
    return ubi__wtf8_encode(out, unit);
}

/* At a byte above 0x7f. Returns the bytes copied, 0 when they are no UTF-8. */
static size_t take_character(ubi__v8_window *w, uint8_t *out) {
    uint32_t c;
    size_t n = ubi__wtf8_decode(w->at, (size_t)(w->end - w->at), &c);
    if (n == 0 || (c & 0xfffff800) == 0xd800)
        return 0;
    memcpy(out, w->at, n);
    w->at += n;
    return n;
}

/* Bytes that the escape or character at `p` should have, by its beginning. */
static ptrdiff_t wanted_bytes(const uint8_t *p) {
    if (*p == '\\')
        return p[1] == 'u' ? 6 : 2;
    return *p < 0xc2 || *p > 0xf4 ? 1 : *p < 0xe0 ? 2 : *p < 0xf0 ? 3 : 4;
}

static ubi_status fail_special(ubi__v8_reader *r, const uint8_t *at) {
    if (r->window.end - at < wanted_bytes(at)) /* all that is left of the file was at hand */
        return ubi__v8_fail_cut(r, "the rest of a character");
    if (*at == '\\')
        return ubi__v8_fail_at(r, ubi__v8_offset(r, at), "an escape that JSON does not know");
    return ubi__v8_fail_at(r, ubi__v8_offset(r, at), "byte 0x%02x begins no valid UTF-8", *at);
}

static ubi_status take_special(ubi__v8_reader *r, uint8_t *out, size_t *n) {
    const uint8_t *at = r->window.at;
    if (*at < ' ')
        return ubi__v8_fail_expected(r, "the rest of a string; control characters need an escape");
    *n = *at == '\\' ? ubi__v8_take_escape(&r->window, out) : take_character(&r->window, out);
    return *n ? UBI_OK : fail_special(r, at);
}

/* Texts may be most of a file, and nobody says how many there are: room grows by a quarter, so little of it stays unused. */
static ubi_status make_room(ubi__v8_reader *r, size_t extra) {
    ubi__vec_u8 *bytes = &r->graph->strings.bytes;
    return UBI__V8_GROW(bytes, extra, bytes->n + bytes->n / 4 + extra, r->allocator);
}

/* What is at hand of one string, behind its opening quote. *closed: up to its end. */
static ubi_status take_part(ubi__v8_reader *r, bool *closed) {
    ubi__v8_window *w = &r->window;
    ubi__vec_u8 *bytes = &r->graph->strings.bytes;
    UBI_TRY(make_room(r, (size_t)(w->end - w->at) + COPY_BYTES));
    uint8_t *out = bytes->at + bytes->n;
    *closed = false;
    for (;;) {
        size_t n = copy_plain(out, w->at);
        out += n;
        w->at += n;
        if (n == COPY_BYTES && w->at < w->end)
            continue;
        if (w->at >= w->end) { /* the bytes behind are zero, which is special, so this is not beyond the end */
            out -= w->at - w->end;
            w->at = w->end;
            break;
        }
        *closed = *w->at == '"';
        /* An escape or a character may go on in the next chunk. */
        if (*closed || (!w->ended && w->end - w->at < UBI__V8_LONGEST_ESCAPE))
            break;
        ubi_status status = take_special(r, out, &n);
        if (status != UBI_OK)
            return status;
        out += n;
    }
    bytes->n = (size_t)(out - bytes->at);
    return UBI_OK;
}

static ubi_status take_string(ubi__v8_reader *r) {
    bool closed;
    for (;;) {
        UBI_TRY(take_part(r, &closed));
        if (closed)
            break;
        if (r->window.ended)
            return ubi__v8_fail_cut(r, "the end of a string");
        UBI_TRY(ubi__v8_more(r));
    }
    r->window.at++;
    return UBI_OK;
}

static ubi_status end_string(ubi__v8_reader *r) {
    ubi__strtab *t = &r->graph->strings;
    if (t->end.n >= UBI_NONE - UBI__V8_MAX_TYPES * 4) /* kinds need some of their own */
        return ubi__fail(UBI_ELIMIT, "more than 2^32 strings");
    return ubi__vec_u64_push(&t->end, r->allocator, t->bytes.n);
}

/* The usual case without a call: `","` or `",\n"` is at hand. */
static inline bool at_next_string(ubi__v8_window *w) {
    const uint8_t *p = w->at;
    if (w->end - p < 3 || p[0] != ',')
        return false;
    p += 1 + (p[1] == '\n');
    if (*p != '"')
        return false;
    w->at = p + 1;
    return true;
}

ubi_status ubi__v8_read_strings(ubi__v8_reader *r) {
    bool more;
    UBI_TRY(ubi__v8_expect(r, '[', "an array of strings"));
    for (bool first = true;; first = false) {
        if (first || !at_next_string(&r->window)) {
            UBI_TRY(ubi__v8_next_item(r, ']', first, &more));
            if (!more)
                return UBI_OK;
            UBI_TRY(ubi__v8_expect(r, '"', "a string"));
        }
        UBI_TRY(take_string(r));
        UBI_TRY(end_string(r));
    }
}
