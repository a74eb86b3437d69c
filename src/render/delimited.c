/* SPDX-License-Identifier: MIT
 *
 * delimited.c: see delimited.h. Without printf, except for rare characters: millions of rows are usual.
 */
#include "render/delimited.h"

#include "base/text.h"
#include "render/display.h"

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

void ubi__delimited_text(ubi__out *out, ubi_text text, bool csv) {
    if (csv)
        put_csv_text(out, text);
    else
        put_tsv_text(out, text);
}
