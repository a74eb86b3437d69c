/* SPDX-License-Identifier: MIT
 *
 * brief_text.c: texts of heaps as an agent may see them; see brief.h.
 */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "mcp/brief_inside.h"

ubi_status ubi__brief_append_text(ubi__vec_u8 *out, const char *text, const ubi_allocator *a) {
    return ubi__bytes_append(out, text, strlen(text), a);
}

/* ubi__brief_quote gives no control characters, so that the writer of JSON escapes these alone, and ends of lines. */
size_t ubi__brief_escaped_bytes(ubi_text text) {
    size_t n = text.len;
    for (size_t i = 0; i < text.len; i++)
        n += text.ptr[i] == '"' || text.ptr[i] == '\\' || text.ptr[i] == '\n';
    return n;
}

/* What is not seen, or changes how what follows is seen: controls, directions of writing, joiners, tags, private characters. */
static bool is_unseen(uint32_t c) {
    static const struct {
        uint32_t first, last;
    } unseen[] = { { 0x00, 0x1f },     { 0x7f, 0xa0 },     { 0xad, 0xad },     { 0x34f, 0x34f },     { 0x61c, 0x61c },
                   { 0x115f, 0x1160 }, { 0x17b4, 0x17b5 }, { 0x180b, 0x180f }, { 0x2000, 0x200f },   { 0x2028, 0x202f },
                   { 0x205f, 0x206f }, { 0x3000, 0x3000 }, { 0x3164, 0x3164 }, { 0xd800, 0xf8ff },   { 0xfe00, 0xfe0f },
                   { 0xfeff, 0xfeff }, { 0xffa0, 0xffa0 }, { 0xfff0, 0xfffb }, { 0xe0000, 0x10ffff } };
    for (size_t i = 0; i < sizeof unseen / sizeof *unseen; i++)
        if (unseen[i].first <= c && c <= unseen[i].last)
            return true;
    return false;
}

#define SHOWN_CHARACTER 16

/* How a character is shown; bytes of it. */
static size_t character_show(char out[SHOWN_CHARACTER], uint32_t c, const char *bytes, size_t n) {
    if (c == '"' || c == '\\')
        return (size_t)snprintf(out, SHOWN_CHARACTER, "\\%c", (char)c);
    if (c == '\n' || c == '\t' || c == '\r')
        return (size_t)snprintf(out, SHOWN_CHARACTER, "\\%c", c == '\n' ? 'n' : c == '\t' ? 't' : 'r');
    if (is_unseen(c) && c > 0xffff)
        return (size_t)snprintf(out, SHOWN_CHARACTER, "\\u%04x\\u%04x", (unsigned)(0xd7c0 + (c >> 10)),
                                (unsigned)(0xdc00 + (c & 0x3ff)));
    if (is_unseen(c))
        return (size_t)snprintf(out, SHOWN_CHARACTER, "\\u%04x", (unsigned)c);
    memcpy(out, bytes, n);
    return n;
}

ubi_status ubi__brief_quote(ubi__vec_u8 *out, ubi_text text, size_t most_bytes, const ubi_allocator *a) {
    char shown[SHOWN_CHARACTER], more[48];
    size_t n_shown = 0, i = 0;
    UBI_TRY(ubi__brief_append_text(out, "\"", a));
    while (i < text.len) {
        uint32_t c;
        size_t n = ubi__wtf8_decode((const uint8_t *)text.ptr + i, text.len - i, &c);
        size_t n_bytes = character_show(shown, n ? c : 0xfffd, n ? text.ptr + i : "\xef\xbf\xbd", n ? n : 3);
        if (n_shown + n_bytes > most_bytes)
            break;
        UBI_TRY(ubi__bytes_append(out, shown, n_bytes, a));
        n_shown += n_bytes;
        i += n ? n : 1;
    }
    UBI_TRY(ubi__brief_append_text(out, "\"", a));
    if (i == text.len)
        return UBI_OK;
    snprintf(more, sizeof more, "\xe2\x80\xa6%zu more bytes", text.len - i);
    return ubi__brief_append_text(out, more, a);
}
