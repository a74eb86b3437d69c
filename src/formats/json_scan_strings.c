/* SPDX-License-Identifier: MIT
 *
 * json_scan_strings.c: arrays of strings, into a string table.
 *
 * Engines write ASCII and escapes. Other programs write raw UTF-8, which must be valid, and pairs of surrogate escapes, which
 * are one character; a lone surrogate stays one (WTF-8). A text is never longer than its JSON, so room for what is at hand is
 * made once, and plain bytes are copied by sixteen.
 */
#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "base/assert.h"
#include "base/text.h"
#include "formats/json_scan.h"

#define COPY_BYTES 16

#if !defined(__SSE2__)
/* A quote, a backslash, a control character or a byte of a longer character. */
static bool is_special(uint8_t c) {
    return c < ' ' || c >= 0x80 || c == '"' || c == '\\';
}
#endif

/* Copies 16 bytes. Returns how many plain ones lead. */
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

/* \uXXXX at p; false: no such escape. */
static bool unicode_escape(const uint8_t *p, const uint8_t *end, uint32_t *unit) {
    if (end - p < 6 || p[0] != '\\' || p[1] != 'u')
        return false;
    *unit = 0;
    for (size_t i = 2; i < 6; i++) {
        int digit = ubi__hex_digit((char)p[i]);
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

size_t ubi__scan_take_escape(ubi__scan_window *w, uint8_t *out) {
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

/* At a byte above 0x7f. Returns the bytes copied, 0: not UTF-8. */
static size_t take_character(ubi__scan_window *w, uint8_t *out) {
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

static ubi_status fail_special(ubi__scan *s, const uint8_t *at) {
    if (s->window.end - at < wanted_bytes(at)) /* all that is left of the file was at hand */
        return ubi__scan_fail_cut(s, "the rest of a character");
    if (*at == '\\')
        return ubi__scan_fail_at(s, ubi__scan_offset(s, at), "an escape that JSON does not know");
    return ubi__scan_fail_at(s, ubi__scan_offset(s, at), "byte 0x%02x begins no valid UTF-8", *at);
}

static ubi_status take_special(ubi__scan *s, uint8_t *out, size_t *n) {
    const uint8_t *at = s->window.at;
    if (*at < ' ')
        return ubi__scan_fail_expected(s, "the rest of a string; control characters need an escape");
    *n = *at == '\\' ? ubi__scan_take_escape(&s->window, out) : take_character(&s->window, out);
    return *n ? UBI_OK : fail_special(s, at);
}

/* Texts may be most of a file, and the header does not say how many there are: room grows by a quarter, so little of it stays unused. */
static ubi_status make_room(ubi__strtab *t, size_t extra) {
    ubi__vec_u8 *bytes = &t->bytes;
    return UBI__SCAN_GROW(bytes, extra, bytes->n + bytes->n / 4 + extra, t->allocator);
}

/* The part of a string at hand, after its opening quote. *closed: up to its end. */
static ubi_status take_part(ubi__scan *s, ubi__strtab *t, bool *closed) {
    ubi__scan_window *w = &s->window;
    ubi__vec_u8 *bytes = &t->bytes;
    UBI_TRY(make_room(t, (size_t)(w->end - w->at) + COPY_BYTES));
    uint8_t *out = bytes->at + bytes->n;
    *closed = false;
    for (;;) {
        size_t n = copy_plain(out, w->at);
        out += n;
        w->at += n;
        if (n == COPY_BYTES && w->at < w->end)
            continue;
        if (w->at >= w->end) { /* the zero bytes after the end are special, so this is not beyond it */
            out -= w->at - w->end;
            w->at = w->end;
            break;
        }
        *closed = *w->at == '"';
        /* An escape or a character may end in the next chunk. */
        if (*closed || (!w->ended && w->end - w->at < UBI__SCAN_LONGEST_ESCAPE))
            break;
        ubi_status status = take_special(s, out, &n);
        if (status != UBI_OK)
            return status;
        out += n;
    }
    bytes->n = (size_t)(out - bytes->at);
    return UBI_OK;
}

static ubi_status take_string(ubi__scan *s, ubi__strtab *t) {
    bool closed;
    for (;;) {
        UBI_TRY(take_part(s, t, &closed));
        if (closed)
            break;
        if (s->window.ended)
            return ubi__scan_fail_cut(s, "the end of a string");
        UBI_TRY(ubi__scan_more(s));
    }
    s->window.at++;
    return UBI_OK;
}

static ubi_status end_string(ubi__strtab *t, uint32_t max) {
    UBI_ASSERT(t->end.n == 0 || t->end.at[t->end.n - 1] <= t->bytes.n);
    UBI_ASSERT(t->bytes.n <= t->bytes.cap);
    if (t->end.n >= max)
        return ubi__fail(UBI_ELIMIT, "more than 2^32 strings");
    return ubi__vec_u64_push(&t->end, t->allocator, t->bytes.n);
}

/* The usual case without a call: `","` or `",\n"` is at hand. */
static inline bool at_next_string(ubi__scan_window *w) {
    const uint8_t *p = w->at;
    if (w->end - p < 3 || p[0] != ',')
        return false;
    p += 1 + (p[1] == '\n');
    if (*p != '"')
        return false;
    w->at = p + 1;
    return true;
}

ubi_status ubi__scan_strings(ubi__scan *s, ubi__strtab *t, uint32_t max) {
    bool more;
    UBI_TRY(ubi__scan_expect(s, '[', "an array of strings"));
    for (bool first = true;; first = false) {
        if (first || !at_next_string(&s->window)) {
            UBI_TRY(ubi__scan_next_item(s, ']', first, &more));
            if (!more)
                return UBI_OK;
            UBI_TRY(ubi__scan_expect(s, '"', "a string"));
        }
        UBI_TRY(take_string(s, t));
        UBI_TRY(end_string(t, max));
    }
}
