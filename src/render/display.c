/* SPDX-License-Identifier: MIT
 *
 * display.c: safe, measured text for terminals.
 *
 * Text is cut into units: one character, or the escape that stands for one. A unit is never split, so a cut falls between
 * whole characters and never inside an escape.
 */
#include "render/display.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/assert.h"
#include "base/status.h"
#include "base/text.h"

/* ---- output ----------------------------------------------------------------------------------------------------- */

void ubi__out_init(ubi__out *out, ubi_write_fn write, void *payload) {
    out->write = write;
    out->payload = payload;
    out->has_failed = false;
    out->n = 0;
}

static void out_drain(ubi__out *out) {
    if (out->n && !out->has_failed && !out->write(out->payload, out->buffer, out->n))
        out->has_failed = true;
    out->n = 0;
}

ubi_status ubi__out_flush(ubi__out *out) {
    out_drain(out);
    return out->has_failed ? ubi__fail(UBI_EIO, "cannot write the output") : UBI_OK;
}

void ubi__out_bytes(ubi__out *out, const void *data, size_t n) {
    const char *from = data;
    UBI_ASSERT(out->n <= UBI__OUT_BUFFER);
    while (n > 0) {
        if (out->n == UBI__OUT_BUFFER)
            out_drain(out);
        size_t room = UBI__OUT_BUFFER - out->n;
        size_t part = n < room ? n : room;
        memcpy(out->buffer + out->n, from, part);
        out->n += part;
        from += part;
        n -= part;
    }
}

void ubi__out_repeat(ubi__out *out, const char *s, size_t times) {
    for (size_t i = 0; i < times; i++)
        ubi__out_string(out, s);
}

void ubi__out_u64(ubi__out *out, uint64_t value) {
    char digits[20];
    char *start = digits + sizeof digits;
    do {
        *--start = (char)('0' + value % 10);
        value /= 10;
    } while (value);
    ubi__out_bytes(out, start, (size_t)(digits + sizeof digits - start));
}

void ubi__out_printf(ubi__out *out, const char *format, ...) {
    char text[512];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (n > 0)
        ubi__out_bytes(out, text, (size_t)n < sizeof text ? (size_t)n : sizeof text - 1);
}

bool ubi__out_write(void *payload, const void *data, size_t n) {
    ubi__out *out = payload;
    ubi__out_bytes(out, data, n);
    return !out->has_failed;
}

/* ---- width of characters ---------------------------------------------------------------------------------------- */

typedef struct range {
    uint32_t first, last;
} range;

/* Combining marks and other characters that take no column, of the scripts common in names. */
static const range zero_width[] = {
    { 0x0300, 0x036f }, { 0x0483, 0x0489 }, { 0x0591, 0x05bd }, { 0x05bf, 0x05bf },   { 0x05c1, 0x05c2 },
    { 0x05c4, 0x05c5 }, { 0x05c7, 0x05c7 }, { 0x0610, 0x061a }, { 0x064b, 0x065f },   { 0x0670, 0x0670 },
    { 0x06d6, 0x06dc }, { 0x06df, 0x06e4 }, { 0x06e7, 0x06e8 }, { 0x06ea, 0x06ed },   { 0x0900, 0x0902 },
    { 0x093a, 0x093a }, { 0x093c, 0x093c }, { 0x0941, 0x0948 }, { 0x094d, 0x094d },   { 0x0e31, 0x0e31 },
    { 0x0e34, 0x0e3a }, { 0x0e47, 0x0e4e }, { 0x1ab0, 0x1aff }, { 0x1dc0, 0x1dff },   { 0x20d0, 0x20f0 },
    { 0x3099, 0x309a }, { 0xfe00, 0xfe0f }, { 0xfe20, 0xfe2f }, { 0x1f3fb, 0x1f3ff }, { 0xe0100, 0xe01ef },
};

/* East Asian Wide and Fullwidth, and emoji (Unicode EastAsianWidth.txt, W and F, neighbouring blocks joined). */
static const range double_width[] = {
    { 0x1100, 0x115f },   { 0x231a, 0x231b },   { 0x23e9, 0x23ec },   { 0x23f0, 0x23f0 },   { 0x23f3, 0x23f3 },
    { 0x25fd, 0x25fe },   { 0x2614, 0x2615 },   { 0x2648, 0x2653 },   { 0x267f, 0x267f },   { 0x2693, 0x2693 },
    { 0x26a1, 0x26a1 },   { 0x26aa, 0x26ab },   { 0x26bd, 0x26be },   { 0x26c4, 0x26c5 },   { 0x26ce, 0x26ce },
    { 0x26d4, 0x26d4 },   { 0x26ea, 0x26ea },   { 0x26f2, 0x26f3 },   { 0x26f5, 0x26f5 },   { 0x26fa, 0x26fa },
    { 0x26fd, 0x26fd },   { 0x2705, 0x2705 },   { 0x270a, 0x270b },   { 0x2728, 0x2728 },   { 0x274c, 0x274c },
    { 0x274e, 0x274e },   { 0x2753, 0x2755 },   { 0x2757, 0x2757 },   { 0x2795, 0x2797 },   { 0x27b0, 0x27b0 },
    { 0x27bf, 0x27bf },   { 0x2b1b, 0x2b1c },   { 0x2b50, 0x2b50 },   { 0x2b55, 0x2b55 },   { 0x2e80, 0x303e },
    { 0x3041, 0x33ff },   { 0x3400, 0x4dbf },   { 0x4e00, 0xa4cf },   { 0xa960, 0xa97f },   { 0xac00, 0xd7a3 },
    { 0xf900, 0xfaff },   { 0xfe10, 0xfe19 },   { 0xfe30, 0xfe6f },   { 0xff00, 0xff60 },   { 0xffe0, 0xffe6 },
    { 0x16fe0, 0x18aff }, { 0x1b000, 0x1b2ff }, { 0x1f004, 0x1f004 }, { 0x1f0cf, 0x1f0cf }, { 0x1f18e, 0x1f18e },
    { 0x1f191, 0x1f19a }, { 0x1f200, 0x1f320 }, { 0x1f32d, 0x1f335 }, { 0x1f337, 0x1f37c }, { 0x1f37e, 0x1f393 },
    { 0x1f3a0, 0x1f3ca }, { 0x1f3cf, 0x1f3d3 }, { 0x1f3e0, 0x1f3f0 }, { 0x1f3f4, 0x1f3f4 }, { 0x1f3f8, 0x1f43e },
    { 0x1f440, 0x1f440 }, { 0x1f442, 0x1f4fc }, { 0x1f4ff, 0x1f53d }, { 0x1f54b, 0x1f54e }, { 0x1f550, 0x1f567 },
    { 0x1f57a, 0x1f57a }, { 0x1f595, 0x1f596 }, { 0x1f5a4, 0x1f5a4 }, { 0x1f5fb, 0x1f64f }, { 0x1f680, 0x1f6c5 },
    { 0x1f6cc, 0x1f6cc }, { 0x1f6d0, 0x1f6d2 }, { 0x1f6d5, 0x1f6d7 }, { 0x1f6dc, 0x1f6df }, { 0x1f6eb, 0x1f6ec },
    { 0x1f6f4, 0x1f6fc }, { 0x1f7e0, 0x1f7eb }, { 0x1f7f0, 0x1f7f0 }, { 0x1f90c, 0x1f93a }, { 0x1f93c, 0x1f945 },
    { 0x1f947, 0x1f9ff }, { 0x1fa70, 0x1faff }, { 0x20000, 0x2fffd }, { 0x30000, 0x3fffd },
};

/* `ranges` ascend. */
static bool in_ranges(const range *ranges, size_t n, uint32_t c) {
    size_t low = 0, high = n;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (c > ranges[middle].last)
            low = middle + 1;
        else
            high = middle;
    }
    return low < n && ranges[low].first <= c;
}

unsigned ubi__display_char_columns(uint32_t c) {
    if (c < 0x20 || (c >= 0x7f && c < 0xa0))
        return 0;
    if (c < 0x300)
        return 1;
    if (in_ranges(zero_width, sizeof zero_width / sizeof *zero_width, c))
        return 0;
    return in_ranges(double_width, sizeof double_width / sizeof *double_width, c) ? 2 : 1;
}

bool ubi__display_is_deceptive(uint32_t c) {
    return c == 0xad || c == 0x61c || (c >= 0x115f && c <= 0x1160) || c == 0x180e || (c >= 0x200b && c <= 0x200f) ||
           (c >= 0x2028 && c <= 0x202e) || (c >= 0x2060 && c <= 0x206f) || c == 0x3164 || c == 0xfeff || c == 0xffa0 ||
           (c >= 0xfff0 && c <= 0xfffb) || (c >= 0xd800 && c <= 0xdfff) || (c >= 0xe0000 && c <= 0xe007f);
}

/* ---- units ------------------------------------------------------------------------------------------------------ */

typedef struct unit {
    char text[12];
    uint8_t n; /* bytes of `text` */
    uint8_t columns;
    uint8_t used; /* bytes of input */
} unit;

static unit escape_unit(size_t used, const char *format, uint32_t c) {
    unit u;
    u.n = u.columns = (uint8_t)snprintf(u.text, sizeof u.text, format, c);
    u.used = (uint8_t)used;
    return u;
}

static unit control_unit(uint8_t c) {
    switch (c) {
    case '\n':
        return escape_unit(1, "\\n", 0);
    case '\r':
        return escape_unit(1, "\\r", 0);
    case '\t':
        return escape_unit(1, "\\t", 0);
    default:
        return escape_unit(1, "\\x%02x", c);
    }
}

static unit unicode_escape_unit(size_t used, uint32_t c) {
    if (c < 0x100)
        return escape_unit(used, "\\x%02x", c);
    return c < 0x10000 ? escape_unit(used, "\\u%04x", c) : escape_unit(used, "\\u{%x}", c);
}

static unit next_unit(const uint8_t *s, size_t n, bool unicode) {
    uint32_t c;
    size_t used = ubi__wtf8_decode(s, n, &c);
    if (used == 0)
        return control_unit(s[0]);
    if (c < 0x20 || c == 0x7f)
        return control_unit((uint8_t)c);
    if (c >= 0x80 && (!unicode || c < 0xa0 || ubi__display_is_deceptive(c)))
        return unicode_escape_unit(used, c);
    unit u = { .n = (uint8_t)used, .columns = (uint8_t)ubi__display_char_columns(c), .used = (uint8_t)used };
    for (size_t i = 0; i < used; i++)
        u.text[i] = (char)s[i];
    return u;
}

/* More marks per column are unreadable, and a name of marks alone would be unbounded. */
#define MARKS_PER_COLUMN 4

static unit unit_at(const ubi__style *style, ubi_text text, size_t at) {
    unit u = next_unit((const uint8_t *)text.ptr + at, text.len - at, style->has_unicode);
    UBI_ASSERT(0 < u.used && u.used <= text.len - at);
    UBI_ASSERT(u.n <= sizeof u.text);
    return u;
}

/* What fills `columns`; each mark takes a fraction of a column, at the expense of other marks only. */
typedef struct room {
    size_t columns, marks;
} room;

static room room_of(size_t columns) {
    return (room){ columns, columns < SIZE_MAX / MARKS_PER_COLUMN ? columns * MARKS_PER_COLUMN : SIZE_MAX };
}

static bool take_room(room *left, const unit *u) {
    if (u->columns > left->columns || (u->columns == 0 && left->marks == 0))
        return false;
    left->columns -= u->columns;
    left->marks -= u->columns == 0;
    return true;
}

/* End of the leading units that fit `columns`; reads no further. `*used`: their columns. */
static size_t head_end(const ubi__style *style, ubi_text text, size_t columns, size_t *used) {
    room left = room_of(columns);
    size_t at = 0;
    while (at < text.len) {
        unit u = unit_at(style, text, at);
        if (!take_room(&left, &u))
            break;
        at += u.used;
    }
    *used = columns - left.columns;
    UBI_ASSERT(left.columns <= columns);
    return at;
}

size_t ubi__display_columns(ubi_text text, const ubi__style *style, size_t most) {
    size_t columns;
    return head_end(style, text, most, &columns) < text.len ? most : columns;
}

/* ---- cutting ---------------------------------------------------------------------------------------------------- */

const char *ubi__display_ellipsis(const ubi__style *style) {
    return style->has_unicode ? "…" : "...";
}

static void write_units(ubi__out *out, const ubi__style *style, ubi_text text) {
    for (size_t at = 0; at < text.len;) {
        unit u = unit_at(style, text, at);
        ubi__out_bytes(out, u.text, u.n);
        at += u.used;
    }
}

/* Start of the unit that ends at `end`. Characters never overlap, so reading from the start finds the same. */
static size_t unit_before(ubi_text text, size_t end) {
    const uint8_t *s = (const uint8_t *)text.ptr;
    uint32_t c;
    for (size_t n = 2; n <= 4 && n <= end; n++)
        if (ubi__wtf8_decode(s + end - n, text.len - (end - n), &c) == n)
            return end - n;
    return end - 1;
}

/* Start of the trailing units that fit `columns`; reads no further. `*used`: their columns. */
static size_t tail_begin(const ubi__style *style, ubi_text text, size_t columns, size_t *used) {
    room left = room_of(columns);
    size_t at = text.len;
    while (at > 0) {
        size_t before = unit_before(text, at);
        unit u = unit_at(style, text, before);
        if (!take_room(&left, &u))
            break;
        at = before;
    }
    *used = columns - left.columns;
    /* A combining mark right at the cut belongs to a character that is gone. */
    while (at < text.len) {
        unit u = unit_at(style, text, at);
        if (u.columns > 0)
            break;
        at += u.used;
    }
    return at;
}

/* `head_share`, in halves: how much of the room left by a cut goes to the start of the text. */
static size_t fit(ubi__out *out, const ubi__style *style, ubi_text text, size_t max_columns, unsigned head_share) {
    size_t head_columns, tail_columns, dots = style->has_unicode ? 1 : 3;
    if (head_end(style, text, max_columns, &head_columns) == text.len) {
        write_units(out, style, text);
        return head_columns;
    }
    if (max_columns <= dots) {
        ubi__out_repeat(out, ".", max_columns);
        return max_columns;
    }
    size_t both = max_columns - dots;
    size_t head = (both * head_share + 1) / 2;
    size_t end = head_end(style, text, head, &head_columns);
    size_t begin = tail_begin(style, text, both - head, &tail_columns);
    write_units(out, style, (ubi_text){ text.ptr, end });
    ubi__out_string(out, ubi__display_ellipsis(style));
    write_units(out, style, (ubi_text){ text.ptr + begin, text.len - begin });
    return head_columns + dots + tail_columns;
}

size_t ubi__display_text(ubi__out *out, const ubi__style *style, ubi_text text, size_t max_columns) {
    return fit(out, style, text, max_columns, 1);
}

size_t ubi__display_text_end(ubi__out *out, const ubi__style *style, ubi_text text, size_t max_columns) {
    return fit(out, style, text, max_columns, 0);
}

/* ---- fields ----------------------------------------------------------------------------------------------------- */

void ubi__display_pad(ubi__out *out, size_t at, size_t until) {
    if (at < until)
        ubi__out_repeat(out, " ", until - at);
}

void ubi__display_bar(ubi__out *out, const ubi__style *style, uint64_t part, uint64_t total, unsigned columns) {
    static const char *const eighths[] = { "", "▏", "▎", "▍", "▌", "▋", "▊", "▉" };
    double share = total ? (double)part / (double)total : 0;
    if (share > 1)
        share = 1;
    unsigned steps = (unsigned)(share * 8 * columns + 0.5);
    if (steps == 0 && part > 0)
        steps = 1;
    unsigned whole = steps / 8, rest = steps % 8;
    if (!style->has_unicode) {
        whole += rest >= 4;
        rest = 0;
    }
    ubi__out_repeat(out, style->has_unicode ? "█" : "#", whole);
    ubi__out_string(out, eighths[rest]);
    ubi__display_pad(out, whole + (rest > 0), columns);
}

void ubi__display_ink(ubi__out *out, const ubi__style *style, ubi__ink ink) {
    static const char *const codes[] = { "\x1b[0m",  "\x1b[1m",  "\x1b[2m",  "\x1b[31m", "\x1b[32m",
                                         "\x1b[33m", "\x1b[34m", "\x1b[35m", "\x1b[36m" };
    if (style->has_color)
        ubi__out_string(out, codes[ink]);
}

/* ---- delimited fields ------------------------------------------------------------------------------------------- */

static void put_escape(ubi__out *out, uint8_t c) {
    static const char hex[] = "0123456789abcdef";
    char escape[4] = { '\\', 'x', hex[c >> 4], hex[c & 15] };
    ubi__out_bytes(out, escape, sizeof escape);
}

static void put_special(ubi__out *out, uint8_t c) {
    switch (c) {
    case '\\':
        ubi__out_string(out, "\\\\");
        break;
    case '\t':
        ubi__out_string(out, "\\t");
        break;
    case '\n':
        ubi__out_string(out, "\\n");
        break;
    case '\r':
        ubi__out_string(out, "\\r");
        break;
    default:
        put_escape(out, c);
    }
}

static bool is_special(uint8_t c) {
    return c < 0x20 || c == 0x7f || c == '\\';
}

/* One character beyond ASCII: as it is, or escaped if it is a control character, deceptive or invalid. */
static size_t put_wide(ubi__out *out, const uint8_t *s, size_t n) {
    uint32_t c;
    size_t used = ubi__wtf8_decode(s, n, &c);
    if (used == 0 || c < 0xa0) {
        put_escape(out, used ? (uint8_t)c : s[0]);
        return used ? used : 1;
    }
    if (ubi__display_is_deceptive(c))
        ubi__out_printf(out, c < 0x10000 ? "\\u%04x" : "\\u{%x}", c);
    else
        ubi__out_bytes(out, s, used);
    return used;
}

static void put_escaped(ubi__out *out, ubi_text text) {
    const uint8_t *s = (const uint8_t *)text.ptr;
    size_t at = 0;
    while (at < text.len) {
        size_t run = at;
        while (run < text.len && s[run] < 0x80 && !is_special(s[run]))
            run++;
        ubi__out_bytes(out, s + at, run - at);
        at = run;
        if (at == text.len)
            break;
        if (s[at] < 0x80)
            put_special(out, s[at++]);
        else
            at += put_wide(out, s + at, text.len - at);
    }
}

static void put_tsv_text(ubi__out *out, ubi_text text) {
    if (ubi__text_is(text, "-"))
        ubi__out_string(out, "\\-");
    else
        put_escaped(out, text);
}

static void put_csv_text(ubi__out *out, ubi_text text) {
    bool quoted = ubi__text_is(text, "-") || memchr(text.ptr, ',', text.len) || memchr(text.ptr, '"', text.len);
    if (!quoted) {
        put_escaped(out, text);
        return;
    }
    ubi__out_char(out, '"');
    while (text.len) {
        const char *quote = memchr(text.ptr, '"', text.len);
        size_t n = quote ? (size_t)(quote - text.ptr) : text.len;
        put_escaped(out, (ubi_text){ text.ptr, n });
        if (quote)
            ubi__out_string(out, "\"\"");
        n += quote != NULL;
        text.ptr += n;
        text.len -= n;
    }
    ubi__out_char(out, '"');
}

size_t ubi__line_char(char *out, ubi_text text, size_t *at) {
    uint32_t c;
    size_t used = ubi__wtf8_decode((const uint8_t *)text.ptr + *at, text.len - *at, &c);
    const char *from = text.ptr + *at;
    *at += used ? used : 1;
    if (used == 0 || c < ' ' || (c >= 0x7f && c < 0xa0))
        return (size_t)snprintf(out, UBI__LINE_CHAR_BYTES, "\\x%02x", (unsigned)(c & 0xff));
    if (c >= 0xd800 && c < 0xe000)
        return (size_t)snprintf(out, UBI__LINE_CHAR_BYTES, "\\u%04x", (unsigned)c);
    memcpy(out, from, used);
    return used;
}

void ubi__delimited_text(ubi__out *out, ubi_text text, bool csv) {
    if (csv)
        put_csv_text(out, text);
    else
        put_tsv_text(out, text);
}
