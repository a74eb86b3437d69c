/* SPDX-License-Identifier: MIT
 *
 * anonymize_source.c: where code came from, without saying it.
 *
 *     https://shop.example:8080/admin/users.min.js?v=3#x     https://x_HOST:8080/x_DIR/x_FILE.min.js?x_REST
 *     resource://gre/loader.js -> file:///home/eve/a.js      each for itself
 *     app.js line 70 > eval line 3 > Function                x_FILE.js line 70 > eval line 3 > Function
 *     data:text/javascript,alert(1)                          data:x_REST
 *     self-hosted                                            self-hosted
 *     node:internal/util                                     node:internal/util
 *     node:internal/shop                                     node:internal/x_SHOP
 *
 * So depth, extensions and ports stay, and files of one folder stay in one folder.
 */
#include "analyses/anonymize/anonymizer.h"
#include "base/text.h"

/* ---- path ------------------------------------------------------------------------------------------------------- */

static bool only_dots(ubi_text text) {
    for (size_t i = 0; i < text.len; i++)
        if (text.ptr[i] != '.')
            return false;
    return true;
}

/* Where the known extensions of a file name start: at ".min.js". */
static size_t extensions_start(const ubi_anonymizer *a, ubi_text name) {
    size_t end = name.len;
    for (size_t dot = name.len; dot-- > 0;) {
        if (name.ptr[dot] != '.')
            continue;
        if (!ubi__public_names_has(&a->names, UBI__NAMES_EXTENSION, ubi__text_slice(name, dot + 1, end)))
            break;
        end = dot;
    }
    return end;
}

static ubi_status path_segment(ubi_anonymizer *a, ubi_text segment) {
    if (only_dots(segment))
        return ubi__anonymizer_keep(a, segment);
    size_t n = extensions_start(a, segment);
    UBI_TRY(ubi__anonymizer_word(a, 0, ubi__text_slice(segment, 0, n)));
    return ubi__anonymizer_keep(a, ubi__text_slice(segment, n, segment.len));
}

static size_t find_any(ubi_text text, size_t at, const char *characters) {
    while (at < text.len && !(text.ptr[at] && strchr(characters, text.ptr[at])))
        at++;
    return at;
}

/* Segments one by one; a query or fragment is one word. */
static ubi_status source_path(ubi_anonymizer *a, ubi_text text) {
    size_t query = find_any(text, 0, "?#");
    for (size_t at = 0; at < query;) {
        size_t end = find_any(ubi__text_slice(text, 0, query), at, "/\\");
        UBI_TRY(path_segment(a, ubi__text_slice(text, at, end)));
        at = end + (end < query);
        UBI_TRY(ubi__anonymizer_keep(a, ubi__text_slice(text, end, at)));
    }
    if (query == text.len)
        return UBI_OK;
    UBI_TRY(ubi__anonymizer_keep(a, ubi__text_slice(text, query, query + 1)));
    return ubi__anonymizer_word(a, 0, ubi__text_slice(text, query + 1, text.len));
}

/* ---- URL -------------------------------------------------------------------------------------------------------- */

/* Offset of ":8080" at the end, or the length. */
static size_t port_start(ubi_text authority) {
    size_t at = authority.len;
    while (at > 0 && authority.ptr[at - 1] >= '0' && authority.ptr[at - 1] <= '9')
        at--;
    bool is_port = at > 0 && authority.ptr[at - 1] == ':' && authority.len - at >= 1 && authority.len - at <= 5;
    return is_port ? at - 1 : authority.len;
}

/* What follows "scheme://". */
static ubi_status authority_and_path(ubi_anonymizer *a, ubi_text text) {
    size_t end = find_any(text, 0, "/\\?#");
    ubi_text authority = ubi__text_slice(text, 0, end);
    size_t port = port_start(authority);
    UBI_TRY(ubi__anonymizer_word(a, UBI__NAMES_HOST, ubi__text_slice(authority, 0, port)));
    UBI_TRY(ubi__anonymizer_keep(a, ubi__text_slice(authority, port, end)));
    return source_path(a, ubi__text_slice(text, end, text.len));
}

static bool is_scheme_character(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '+' || c == '-' ||
           c == '.';
}

/* Length of the scheme in front of a colon, or 0. One letter is a drive. */
static size_t scheme_length(ubi_text text) {
    size_t n = 0;
    while (n < text.len && is_scheme_character(text.ptr[n]))
        n++;
    return n >= 2 && n < text.len && text.ptr[n] == ':' ? n : 0;
}

static const char module_scheme[] = "node:";

/* "node:fs", "node:internal/util": perhaps Node's own. */
static bool is_module(ubi_text text) {
    size_t n = sizeof module_scheme - 1;
    return text.len > n && memcmp(text.ptr, module_scheme, n) == 0 && text.ptr[n] != '/';
}

/* A program can use this prefix for its own code: what is not a module of Node is replaced, folder by folder. */
static ubi_status source_module(ubi_anonymizer *a, ubi_text text) {
    const unsigned lists = UBI__NAMES_MODULE | UBI__NAMES_MEMBER;
    size_t at = sizeof module_scheme - 1;
    if (ubi__public_names_has(&a->names, lists, ubi__text_slice(text, at, text.len)))
        return ubi__anonymizer_keep_word(a, text);
    UBI_TRY(ubi__anonymizer_keep(a, ubi__text(module_scheme)));
    for (size_t end; at < text.len; at = end + (end < text.len)) {
        end = find_any(text, at, "/");
        UBI_TRY(ubi__anonymizer_word(a, lists, ubi__text_slice(text, at, end)));
        UBI_TRY(ubi__anonymizer_keep(a, ubi__text_slice(text, end, end + (end < text.len))));
    }
    return UBI_OK;
}

/* "script:12": what readers of files call a script without a name. */
static bool is_numbered_script(ubi_text text) {
    static const char scheme[] = "script:";
    size_t n = sizeof scheme - 1;
    return text.len > n && memcmp(text.ptr, scheme, n) == 0 && ubi__count_digits(text, n) == text.len - n;
}

static ubi_status source_location(ubi_anonymizer *a, ubi_text text) {
    size_t n = scheme_length(text);
    if (ubi__public_names_has(&a->names, UBI__NAMES_FILE, text) || is_numbered_script(text))
        return ubi__anonymizer_keep_word(a, text);
    if (n == 0)
        return source_path(a, text);
    if (is_module(text))
        return source_module(a, text);
    UBI_TRY(ubi__anonymizer_word(a, UBI__NAMES_SCHEME, ubi__text_slice(text, 0, n)));
    UBI_TRY(ubi__anonymizer_keep(a, ubi__text(":")));
    n++;
    if (text.len - n < 2 || memcmp(text.ptr + n, "//", 2) != 0)
        return ubi__anonymizer_word(a, 0, ubi__text_slice(text, n, text.len));
    UBI_TRY(ubi__anonymizer_keep(a, ubi__text("//")));
    return authority_and_path(a, ubi__text_slice(text, n + 2, text.len));
}

/* ---- code that code made ---------------------------------------------------------------------------------------- */

/* Offset of the last occurrence of `needle` that ends at `end` or before, or SIZE_MAX. */
static size_t find_last(ubi_text text, size_t end, const char *needle) {
    size_t n = strlen(needle);
    for (size_t at = end; at >= n; at--)
        if (memcmp(text.ptr + at - n, needle, n) == 0)
            return at - n;
    return SIZE_MAX;
}

/* Offset of " line 70 > eval" when text[0..end) ends in such, else SIZE_MAX. */
static size_t source_introduction(const ubi_anonymizer *a, ubi_text text, size_t end) {
    size_t arrow = find_last(text, end, " > ");
    if (arrow == SIZE_MAX ||
        !ubi__public_names_has(&a->names, UBI__NAMES_INTRODUCER, ubi__text_slice(text, arrow + 3, end)))
        return SIZE_MAX;
    size_t line = find_last(text, arrow, " line ");
    if (line == SIZE_MAX || line + 6 == arrow)
        return SIZE_MAX;
    return ubi__count_digits(ubi__text_slice(text, 0, arrow), line + 6) == arrow - line - 6 ? line : SIZE_MAX;
}

static ubi_status source_introduced(ubi_anonymizer *a, ubi_text text) {
    size_t end = text.len, start;
    while ((start = source_introduction(a, text, end)) != SIZE_MAX)
        end = start;
    UBI_TRY(source_location(a, ubi__text_slice(text, 0, end)));
    return ubi__anonymizer_keep(a, ubi__text_slice(text, end, text.len));
}

ubi_status ubi__anonymizer_source(ubi_anonymizer *a, ubi_text source) {
    static const char arrow[] = " -> ";
    const size_t n = sizeof arrow - 1;
    size_t start = 0;
    for (size_t at = 0; at + n <= source.len; at++) {
        if (memcmp(source.ptr + at, arrow, n) != 0)
            continue;
        UBI_TRY(source_introduced(a, ubi__text_slice(source, start, at)));
        UBI_TRY(ubi__anonymizer_keep(a, ubi__text(arrow)));
        start = at + n;
        at = start - 1;
    }
    return source_introduced(a, ubi__text_slice(source, start, source.len));
}
