/* SPDX-License-Identifier: MIT
 *
 * text_parts.h: how a text begins and ends, by bytes.
 */
#ifndef UBI_BASE_TEXT_PARTS_H
#define UBI_BASE_TEXT_PARTS_H

#include <string.h>

#include <ubiheap/core/base.h>

/** An ASCII digit, in any locale. */
static inline bool ubi__is_digit(char c) {
    return (unsigned char)(c - '0') < 10;
}
/** White space of JSON. */
static inline bool ubi__is_json_space(char c) {
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}
/** Value of a hexadecimal digit, -1 for anything else. */
static inline int ubi__hex_digit(char c) {
    if (ubi__is_digit(c))
        return c - '0';
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}
static inline bool ubi__text_begins(ubi_text text, const char *beginning) {
    size_t n = strlen(beginning);
    return text.len >= n && memcmp(text.ptr, beginning, n) == 0;
}
static inline bool ubi__text_ends(ubi_text text, const char *ending) {
    size_t n = strlen(ending);
    return text.len >= n && memcmp(text.ptr + text.len - n, ending, n) == 0;
}
/** What comes after the last slash, or all of it. */
static inline ubi_text ubi__text_base_name(ubi_text path) {
    size_t start = path.len;
    while (start > 0 && path.ptr[start - 1] != '/')
        start--;
    return (ubi_text){ path.ptr + start, path.len - start };
}

#endif
