/* SPDX-License-Identifier: MIT
 *
 * json_scan.c: the bytes at hand, messages that say where they are, the skeleton of a JSON document, and what is skipped of it
 * (json_scan.h).
 */
#include "formats/json_scan.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "base/text.h"

void ubi__scan_begin(ubi__scan *s, ubi__format_input *input) {
    s->input = input;
    s->window = (ubi__scan_window){ input->first, input->first + input->n_first, input->n_first, input->n_first == 0 };
    s->section = NULL;
}

void ubi__scan_check(const ubi__scan *s) {
    const ubi__scan_window *w = &s->window;
    UBI_ASSERT(w->at <= w->end);
    UBI_ASSERT((uint64_t)(w->end - w->at) <= w->end_offset);
    for (size_t i = 0; UBI_CHECKS && w->end && i < UBI__STREAM_PADDING; i++)
        UBI_ASSERT(w->end[i] == 0);
}

static ubi_status report_progress(ubi__scan *s) {
    const ubi__format_input *in = s->input;
    const ubi_progress *progress = &in->options->progress;
    if (progress->fn && !ubi__progress(progress, "reading", ubi__stream_input_bytes(in->stream), in->total_bytes))
        return ubi__fail_cancelled();
    return UBI_OK;
}

ubi_status ubi__scan_more(ubi__scan *s) {
    ubi__scan_window *w = &s->window;
    uint8_t left_over[UBI__SCAN_MAX_LEFT], *chunk;
    size_t left = (size_t)(w->end - w->at), n;
    if (w->has_ended)
        return UBI_OK;
    UBI_ASSERT(left <= sizeof left_over);
    UBI_TRY(report_progress(s));
    memcpy(left_over, w->at, left); /* asking for a chunk gives the old one back */
    UBI_TRY(ubi__stream_next(s->input->stream, &chunk, &n));
    memcpy(chunk - left, left_over, left);
    memset(chunk - left - UBI__DIGITS_TEXT_MARGIN, ' ', UBI__DIGITS_TEXT_MARGIN); /* no digits of an older text */
    w->at = chunk - left;
    w->end = chunk + n;
    w->end_offset += n;
    w->has_ended = n == 0;
    ubi__scan_check(s);
    return UBI_OK;
}

uint64_t ubi__scan_offset(const ubi__scan *s, const uint8_t *p) {
    return s->window.end_offset - (uint64_t)(s->window.end - p);
}

#define MESSAGE_BYTES 400

ubi_status ubi__scan_fail_at(const ubi__scan *s, uint64_t offset, const char *format, ...) {
    char text[MESSAGE_BYTES];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (!s->section)
        return ubi__fail(UBI_EFORMAT, "byte %llu: %s", (unsigned long long)offset, text);
    return ubi__fail(UBI_EFORMAT, "byte %llu, in \"%s\": %s", (unsigned long long)offset, s->section, text);
}

/* When the compressed data is damaged, that is said in front (format.c), and the advice with it. */
ubi_status ubi__scan_fail_cut(const ubi__scan *s, const char *expected) {
    char place[64] = "too early";
    const char *advice = *ubi__stream_note(s->input->stream) ? "" : ubi__damage_advice(UBI__END_TRUNCATED);
    if (s->section)
        snprintf(place, sizeof place, "in the middle of \"%s\"", s->section);
    return ubi__fail(UBI_EFORMAT, "the file ends %s, at byte %llu%s: %s%sexpected %s%s", place,
                     (unsigned long long)s->window.end_offset,
                     strcmp(s->input->info->compression, "none") == 0 ? "" : " of the inflated stream", advice,
                     *advice ? " (" : "", expected, *advice ? ")" : "");
}

/* Capacity doubles, but stops at what the header promises: an honest header wastes nothing, a lie costs nothing. */
ubi_status ubi__scan_grow(void **at, size_t *cap, size_t n, size_t extra, uint64_t expected, size_t size,
                          const ubi_allocator *a) {
    size_t need = n + extra, want = *cap < 2048 ? 4096 : *cap * 2, bytes;
    if (need <= *cap)
        return UBI_OK;
    if (want > expected && expected >= need)
        want = (size_t)expected;
    if (want < need)
        want = need;
    UBI_ASSERT(want > *cap);
    if (__builtin_mul_overflow(want, size, &bytes))
        return ubi__fail_nomem();
    void *p = a->resize(a->ctx, *at, *cap * size, bytes);
    if (!p)
        return ubi__fail_nomem();
    *at = p;
    *cap = want;
    return UBI_OK;
}

/* ---- the skeleton ---------------------------------------------------------------------------------------------------- */

/* At least one byte at hand, or the file has ended. */
static ubi_status window_fill(ubi__scan *s, const char *expected) {
    while (s->window.at == s->window.end) {
        if (s->window.has_ended)
            return ubi__scan_fail_cut(s, expected);
        UBI_TRY(ubi__scan_more(s));
    }
    return UBI_OK;
}

ubi_status ubi__scan_peek(ubi__scan *s, uint8_t *out, const char *expected) {
    for (;;) {
        UBI_TRY(window_fill(s, expected));
        if (!ubi__is_json_space((char)*s->window.at))
            break;
        s->window.at++;
    }
    *out = *s->window.at;
    return UBI_OK;
}

ubi_status ubi__scan_skip_mark(ubi__scan *s) {
    ubi__scan_window *w = &s->window;
    while (w->end - w->at < 3 && !w->has_ended)
        UBI_TRY(ubi__scan_more(s));
    if (w->end - w->at >= 3 && memcmp(w->at, "\xef\xbb\xbf", 3) == 0)
        w->at += 3;
    return UBI_OK;
}

ubi_status ubi__scan_end(ubi__scan *s, bool *clean) {
    ubi__scan_window *w = &s->window;
    for (;;) {
        while (w->at < w->end && ubi__is_json_space((char)*w->at))
            w->at++;
        *clean = w->at == w->end;
        if (!*clean || w->has_ended)
            return UBI_OK;
        UBI_TRY(ubi__scan_more(s));
    }
}

ubi_status ubi__scan_fail_expected(const ubi__scan *s, const char *expected) {
    uint8_t c = *s->window.at;
    uint64_t offset = ubi__scan_offset(s, s->window.at);
    if (c > ' ' && c < 0x7f)
        return ubi__scan_fail_at(s, offset, "expected %s, found '%c'", expected, c);
    return ubi__scan_fail_at(s, offset, "expected %s, found byte 0x%02x", expected, c);
}

ubi_status ubi__scan_expect(ubi__scan *s, uint8_t byte, const char *expected) {
    uint8_t c;
    UBI_TRY(ubi__scan_peek(s, &c, expected));
    if (c != byte)
        return ubi__scan_fail_expected(s, expected);
    s->window.at++;
    return UBI_OK;
}

ubi_status ubi__scan_next_item(ubi__scan *s, uint8_t close, bool first, bool *more) {
    const char *expected = close == ']' ? "',' or ']'" : "',' or '}'";
    uint8_t c;
    *more = true;
    UBI_TRY(ubi__scan_peek(s, &c, expected));
    if (c == close) {
        s->window.at++;
        *more = false;
        return UBI_OK;
    }
    if (first)
        return UBI_OK;
    UBI_TRY(ubi__scan_expect(s, ',', expected));
    UBI_TRY(ubi__scan_peek(s, &c, "another item"));
    return c == close ? ubi__scan_fail_expected(s, "another item behind the comma") : UBI_OK;
}

/* ---- small values ---------------------------------------------------------------------------------------------------- */

static ubi_status next_byte(ubi__scan *s, uint8_t *out) {
    UBI_TRY(window_fill(s, "the end of a string"));
    *out = *s->window.at++;
    return UBI_OK;
}

/* An escape, whole, as the bytes that it stands for. */
static ubi_status take_escape(ubi__scan *s, uint8_t out[4], size_t *n) {
    while (s->window.end - s->window.at < UBI__SCAN_LONGEST_ESCAPE && !s->window.has_ended)
        UBI_TRY(ubi__scan_more(s));
    const uint8_t *at = s->window.at;
    *n = ubi__scan_take_escape(&s->window, out);
    return *n ? UBI_OK : ubi__scan_fail_at(s, ubi__scan_offset(s, at), "an escape that JSON does not know");
}

static ubi_status next_of_name(ubi__scan *s, uint8_t out[4], size_t *n) {
    UBI_TRY(window_fill(s, "the end of a string"));
    *out = *s->window.at;
    *n = 1;
    if (*out == '\\')
        return take_escape(s, out, n);
    if (*out < ' ')
        return ubi__scan_fail_expected(s, "the rest of a string");
    s->window.at++;
    return UBI_OK;
}

ubi_status ubi__scan_name(ubi__scan *s, ubi_text *out) {
    size_t n = 0, n_bytes;
    uint8_t bytes[4];
    bool fits = true;
    UBI_TRY(ubi__scan_expect(s, '"', "a string"));
    for (;;) {
        UBI_TRY(window_fill(s, "the end of a string"));
        if (*s->window.at == '"')
            break;
        UBI_TRY(next_of_name(s, bytes, &n_bytes));
        fits = fits && n + n_bytes <= sizeof s->name;
        if (fits)
            memcpy(s->name + n, bytes, n_bytes);
        n += fits ? n_bytes : 0;
    }
    s->window.at++;
    if (ubi__utf8_valid_prefix((ubi_text){ (const char *)s->name, n }) != n)
        fits = false;
    *out = fits ? (ubi_text){ (const char *)s->name, n } : (ubi_text){ NULL, 0 };
    return UBI_OK;
}

ubi_status ubi__scan_key(ubi__scan *s, ubi_text *out) {
    uint8_t c;
    UBI_TRY(ubi__scan_peek(s, &c, "a key"));
    if (c != '"')
        return ubi__scan_fail_expected(s, "a key in quotes");
    UBI_TRY(ubi__scan_name(s, out));
    return ubi__scan_expect(s, ':', "':' behind the key");
}

/* A number must not stop at the edge of what is at hand. */
static ubi_status gather_number(ubi__scan *s, size_t *n) {
    for (*n = 0;; (*n)++) {
        if (s->window.at + *n == s->window.end && !s->window.has_ended)
            UBI_TRY(ubi__scan_more(s));
        uint8_t c = s->window.at + *n < s->window.end ? s->window.at[*n] : 0;
        if (!ubi__is_digit(c) || *n > 20)
            return UBI_OK;
    }
}

ubi_status ubi__scan_count(ubi__scan *s, uint64_t *out) {
    uint8_t c;
    size_t n;
    uint64_t value = 0;
    UBI_TRY(ubi__scan_peek(s, &c, "a number"));
    UBI_TRY(gather_number(s, &n));
    if (n == 0)
        return ubi__scan_fail_expected(s, "a whole number from 0 on");
    const uint8_t *digits = s->window.at;
    for (size_t i = 0; i < n; i++)
        if (__builtin_mul_overflow(value, (uint64_t)10, &value) ||
            __builtin_add_overflow(value, (uint64_t)(digits[i] - '0'), &value))
            return ubi__scan_fail_at(s, ubi__scan_offset(s, digits), "a number is above 2^64-1");
    if (n > 1 && *digits == '0')
        return ubi__scan_fail_at(s, ubi__scan_offset(s, digits), "a number begins with 0");
    s->window.at += n;
    c = s->window.at < s->window.end ? *s->window.at : ' ';
    if (c == '.' || c == 'e' || c == 'E')
        return ubi__scan_fail_expected(s, "a whole number without fraction or exponent");
    *out = value;
    return UBI_OK;
}

/* ---- what is not for us ---------------------------------------------------------------------------------------------- */

/* Behind the opening quote. */
static ubi_status skip_string(ubi__scan *s) {
    for (;;) {
        uint8_t c;
        UBI_TRY(next_byte(s, &c));
        if (c == '"')
            return UBI_OK;
        if (c == '\\')
            UBI_TRY(next_byte(s, &c));
    }
}

/* true, null, -1.5e3: anything up to what ends a value. */
static ubi_status skip_word(ubi__scan *s) {
    size_t n = 0;
    for (;; n++) {
        UBI_TRY(window_fill(s, "the end of a value"));
        uint8_t c = *s->window.at;
        bool part = ubi__is_digit(c) || (c >= 'a' && c <= 'z') || c == '-' || c == '+' || c == '.' || c == 'E';
        if (!part)
            return n ? UBI_OK : ubi__scan_fail_expected(s, "a value");
        s->window.at++;
    }
}

static ubi_status open_bracket(ubi__scan *s, ubi__vec_u64 *open, uint64_t depth, bool is_object) {
    if (depth % 64 == 0)
        UBI_TRY(ubi__vec_u64_push(open, s->input->allocator, 0));
    uint64_t bit = UINT64_C(1) << depth % 64, *word = &open->at[depth / 64];
    *word = is_object ? *word | bit : *word & ~bit;
    s->window.at++;
    return UBI_OK;
}

static ubi_status close_bracket(ubi__scan *s, ubi__vec_u64 *open, uint64_t depth, bool is_object) {
    bool was_object = open->at[depth / 64] >> depth % 64 & 1;
    if (was_object != is_object)
        return ubi__scan_fail_expected(s, was_object ? "'}'" : "']'");
    s->window.at++;
    open->n = depth / 64 + (depth % 64 != 0);
    return UBI_OK;
}

static ubi_status skip_brackets(ubi__scan *s, ubi__vec_u64 *open) {
    uint64_t depth = 0;
    do {
        uint8_t c;
        UBI_TRY(ubi__scan_peek(s, &c, "the end of a value"));
        if (c == '{' || c == '[')
            UBI_TRY(open_bracket(s, open, depth++, c == '{'));
        else if ((c == '}' || c == ']') && depth)
            UBI_TRY(close_bracket(s, open, --depth, c == '}'));
        else if ((c == ',' || c == ':') && depth)
            s->window.at++;
        else if (c == '"') {
            s->window.at++;
            UBI_TRY(skip_string(s));
        } else
            UBI_TRY(skip_word(s));
    } while (depth);
    return UBI_OK;
}

ubi_status ubi__scan_skip_value(ubi__scan *s) {
    ubi__vec_u64 open = { NULL, 0, 0 }; /* a bit per open bracket: whether it is a brace */
    ubi_status status = skip_brackets(s, &open);
    ubi__vec_u64_fini(&open, s->input->allocator);
    return status;
}

/* ---- arrays of strings -------------------------------------------------------------------------------------------- */

/*
 * Engines write ASCII and escapes. Other programs write raw UTF-8, which must be valid, and pairs of surrogate escapes, which
 * are one character; a lone surrogate stays one (WTF-8). A text is never longer than its JSON, so room for what is at hand is
 * made once, and plain bytes are copied by sixteen.
 */

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
        if (*closed || (!w->has_ended && w->end - w->at < UBI__SCAN_LONGEST_ESCAPE))
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
        if (s->window.has_ended)
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
