/* SPDX-License-Identifier: MIT
 *
 * anonymize_native.c: what recordings and timelines say: compiled functions, files, markers, threads.
 *
 *     acme::Cart::add(std::vector<acme::Item> const&)   {acme}::{Cart}::{add}(std::vector<{acme}::{Item}> const&)
 *     acme_xmalloc.part.0                               {acme_xmalloc}_malloc.part.0
 *     /opt/acme/lib/libcart.so.3                        /opt/{acme}/lib/{libcart}.so.3
 *     /usr/lib/x86_64-linux-gnu/libc.so.6               kept
 *
 * Recordings count by names: a function named like malloc, or in std, passes on what others ask for. So such a name stays
 * one (recording/known_frames.h), and all numbers stay what they are.
 */
#include "analyses/anonymize/anonymizer.h"
#include "base/text.h"
#include "timeline/marker_words.h"

static bool is_word_byte(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || (c & 0x80);
}

static size_t end_of_word(ubi_text text, size_t at) {
    while (at < text.len && is_word_byte(text.ptr[at]))
        at++;
    return at;
}

/* ---- identifiers -------------------------------------------------------------------------------------------------- */

/* Beginnings on the list are no longer. */
#define PREFIX_MAX 40

static bool has_public_beginning(const ubi_anonymizer *a, ubi_text word) {
    for (size_t n = word.len < PREFIX_MAX ? word.len : PREFIX_MAX; n > 0; n--)
        if (ubi__anonymizer_is_public(a, UBI__NAMES_PREFIX, ubi__text_slice(word, 0, n)))
            return true;
    return false;
}

/* "42", "42ul": a number of a template; more digits may be personal. */
static bool is_small_number(ubi_text word) {
    size_t n = ubi__count_digits(word, 0), at = n;
    while (at < word.len && (word.ptr[at] == 'u' || word.ptr[at] == 'l'))
        at++;
    return n >= 1 && n <= 3 && at == word.len && at - n <= 3;
}

/* How a function that is named like malloc ends, in lower case, or NULL. Digits may follow. */
static const char *allocator_ending(ubi_text word) {
    static const char *const endings[] = {
        "malloc", "calloc", "reallocarray", "realloc", "strdup", "strndup", "memdup"
    };
    while (word.len && word.ptr[word.len - 1] >= '0' && word.ptr[word.len - 1] <= '9')
        word.len--;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t n = strlen(endings[i]), same = 0;
        while (word.len >= n && same < n && (word.ptr[word.len - n + same] | 0x20) == endings[i][same])
            same++;
        if (same == n)
            return endings[i];
    }
    return NULL;
}

static ubi_status native_identifier(ubi_anonymizer *a, ubi_text word) {
    if (is_small_number(word) || has_public_beginning(a, word) || ubi__anonymizer_is_public(a, UBI__NAMES_NATIVE, word))
        return ubi__anonymizer_keep_word(a, word);
    const char *ending = allocator_ending(word);
    UBI_TRY(ubi__anonymizer_word(a, 0, word));
    if (!ending)
        return UBI_OK;
    UBI_TRY(ubi__anonymizer_keep(a, ubi__text("_")));
    return ubi__anonymizer_keep(a, ubi__text(ending));
}

/* ---- functions ---------------------------------------------------------------------------------------------------- */

/* Brackets that are open at most; in deeper ones nothing is kept for the name space it is in. */
#define DEPTH 64

typedef struct scopes {
    bool is_known[DEPTH]; /* by depth: the name that is being read there is one in std or the like */
    size_t depth;
    bool is_continued; /* the next word belongs to the name before it: "::" is between */
} scopes;

static bool is_known_space(ubi_text word) {
    return ubi__text_is(word, "std") || ubi__text_is(word, "__gnu_cxx") || ubi__text_is(word, "__cxxabiv1");
}

static void read_sign(scopes *s, char c) {
    if (strchr("<([{", c) && c) {
        s->depth++;
        if (s->depth < DEPTH)
            s->is_known[s->depth] = false;
    } else if (strchr(">)]}", c) && c && s->depth > 0) {
        s->depth--;
    }
}

/* What is between two words. After `operator` there may be brackets that open nothing. */
static ubi_status native_between(ubi_anonymizer *a, scopes *s, ubi_text signs, bool is_operator) {
    size_t at = 0;
    if (is_operator)
        while (at < signs.len && signs.ptr[at] && strchr("()[]", signs.ptr[at]) && at < 2)
            at++;
    if (is_operator && at == 0)
        while (at < signs.len && signs.ptr[at] && strchr("<>=!+-*/%&|^~,", signs.ptr[at]))
            at++;
    for (; at < signs.len; at++)
        read_sign(s, signs.ptr[at]);
    size_t n = signs.len;
    while (n > 0 && signs.ptr[n - 1] == '~')
        n--;
    s->is_continued = n >= 2 && signs.ptr[n - 1] == ':' && signs.ptr[n - 2] == ':' &&
                      (n == 2 || strchr(">)]}", signs.ptr[n - 3]) != NULL);
    return ubi__anonymizer_keep(a, signs);
}

static ubi_status word_of_function(ubi_anonymizer *a, scopes *s, ubi_text word) {
    bool fits = s->depth < DEPTH;
    bool is_known = s->is_continued ? fits && s->is_known[s->depth] : is_known_space(word);
    if (fits)
        s->is_known[s->depth] = is_known;
    return is_known ? ubi__anonymizer_keep_word(a, word) : native_identifier(a, word);
}

ubi_status ubi__anonymizer_native_function(ubi_anonymizer *a, ubi_text text) {
    scopes s = { .depth = 0 };
    bool is_operator = false;
    for (size_t at = 0; at < text.len;) {
        size_t end = end_of_word(text, at);
        if (end > at) {
            ubi_text word = ubi__text_slice(text, at, end);
            UBI_TRY(word_of_function(a, &s, word));
            is_operator = ubi__text_is(word, "operator");
            at = end;
        }
        while (end < text.len && !is_word_byte(text.ptr[end]))
            end++;
        if (end > at)
            UBI_TRY(native_between(a, &s, ubi__text_slice(text, at, end), is_operator));
        at = end;
    }
    return UBI_OK;
}

/* ---- files -------------------------------------------------------------------------------------------------------- */

/* Where ".so" or ".so.6.0.30" begins; the length when the file is not a library. */
static size_t library_end(ubi_text name) {
    size_t at = name.len;
    while (at > 0 && ((name.ptr[at - 1] >= '0' && name.ptr[at - 1] <= '9') || name.ptr[at - 1] == '.'))
        at--;
    if (at < 3 || memcmp(name.ptr + at - 2, "so", 2) != 0 || name.ptr[at - 3] != '.' ||
        (at < name.len && name.ptr[at] != '.'))
        return name.len;
    return at - 3;
}

/* "libc-2.31": of a library, without its version. */
static ubi_text without_version(ubi_text stem) {
    size_t at = stem.len;
    while (at > 0 && ((stem.ptr[at - 1] >= '0' && stem.ptr[at - 1] <= '9') || stem.ptr[at - 1] == '.'))
        at--;
    return at > 1 && at < stem.len && stem.ptr[at - 1] == '-' ? ubi__text_slice(stem, 0, at - 1) : stem;
}

/* Numbers between points; large ones may be personal. */
static ubi_status library_version(ubi_anonymizer *a, ubi_text text) {
    for (size_t at = 0; at < text.len;) {
        size_t end = at;
        while (end < text.len && text.ptr[end] != '.')
            end++;
        ubi_text number = ubi__text_slice(text, at, end);
        UBI_TRY(is_small_number(number) || number.len == 0 ? ubi__anonymizer_keep(a, number)
                                                           : ubi__anonymizer_word(a, 0, number));
        at = end;
        if (at < text.len)
            UBI_TRY(ubi__anonymizer_keep(a, ubi__text_slice(text, at, at + 1)));
        at += at < text.len;
    }
    return UBI_OK;
}

static ubi_status library_name(ubi_anonymizer *a, ubi_text name, size_t end) {
    ubi_text stem = ubi__text_slice(name, 0, end);
    bool known = ubi__anonymizer_is_public(a, UBI__NAMES_LIBRARY, stem) ||
                 ubi__anonymizer_is_public(a, UBI__NAMES_LIBRARY, without_version(stem));
    UBI_TRY(known ? ubi__anonymizer_keep_word(a, stem) : ubi__anonymizer_word(a, 0, stem));
    UBI_TRY(ubi__anonymizer_keep(a, ubi__text_slice(name, end, end + 3)));
    return library_version(a, ubi__text_slice(name, end + 3, name.len));
}

/* Where the known extension of a source file begins, or the length. */
static size_t extension_start(const ubi_anonymizer *a, ubi_text name) {
    const char *dot = memrchr(name.ptr, '.', name.len);
    size_t at = dot ? (size_t)(dot - name.ptr) : name.len;
    bool known =
        at > 0 && at < name.len &&
        ubi__anonymizer_is_public(a, UBI__NAMES_SOURCE | UBI__NAMES_EXTENSION, ubi__text_slice(name, at + 1, name.len));
    return known ? at : name.len;
}

static ubi_status path_segment(ubi_anonymizer *a, ubi_text name) {
    size_t end = library_end(name);
    if (name.len == 0 || ubi__text_is(name, ".") || ubi__text_is(name, ".."))
        return ubi__anonymizer_keep(a, name);
    if (is_small_number(name) || ubi__anonymizer_is_public(a, UBI__NAMES_FOLDER, name))
        return ubi__anonymizer_keep_word(a, name);
    if (end < name.len)
        return library_name(a, name, end);
    end = extension_start(a, name);
    UBI_TRY(ubi__anonymizer_word(a, 0, ubi__text_slice(name, 0, end)));
    return ubi__anonymizer_keep(a, ubi__text_slice(name, end, name.len));
}

/* Headers of the C++ library: all there is in their folder is theirs. */
static bool is_of_library(ubi_text path) {
    static const char folder[] = "/usr/include/c++/";
    return path.len > sizeof folder - 1 && memcmp(path.ptr, folder, sizeof folder - 1) == 0;
}

ubi_status ubi__anonymizer_native_file(ubi_anonymizer *a, ubi_text path) {
    if (is_of_library(path))
        return ubi__anonymizer_keep_word(a, path);
    for (size_t at = 0; at < path.len;) {
        size_t end = at;
        while (end < path.len && path.ptr[end] != '/' && path.ptr[end] != '\\')
            end++;
        UBI_TRY(path_segment(a, ubi__text_slice(path, at, end)));
        at = end + (end < path.len);
        UBI_TRY(ubi__anonymizer_keep(a, ubi__text_slice(path, end, at)));
    }
    return UBI_OK;
}

/* ---- markers ------------------------------------------------------------------------------------------------------ */

ubi_status ubi__anonymizer_marker_name(ubi_anonymizer *a, ubi_text text) {
    return ubi__marker_blueprint_of(text)->name ? ubi__anonymizer_keep_word(a, text)
                                                : ubi__anonymizer_word(a, UBI__NAMES_DETAIL, text);
}

ubi_status ubi__anonymizer_detail_key(ubi_anonymizer *a, ubi_text text) {
    return ubi__anonymizer_word(a, UBI__NAMES_DETAIL, text);
}

/* A cause, an event, a file, or anything else. */
ubi_status ubi__anonymizer_detail(ubi_anonymizer *a, ubi_text text) {
    if (is_small_number(text) || ubi__anonymizer_is_public(a, UBI__NAMES_DETAIL, text))
        return ubi__anonymizer_keep_word(a, text);
    bool is_file = memchr(text.ptr, '/', text.len) || extension_start(a, text) < text.len;
    return is_file && !memchr(text.ptr, ' ', text.len) ? ubi__anonymizer_source(a, text)
                                                       : ubi__anonymizer_word(a, 0, text);
}

/* ---- threads and systems ------------------------------------------------------------------------------------------ */

ubi_status ubi__anonymizer_words(ubi_anonymizer *a, ubi_text text) {
    for (size_t at = 0; at < text.len;) {
        size_t end = end_of_word(text, at);
        ubi_text word = ubi__text_slice(text, at, end);
        UBI_TRY(is_small_number(word) ? ubi__anonymizer_keep(a, word) : ubi__anonymizer_word(a, UBI__NAMES_WORD, word));
        at = end;
        while (end < text.len && !is_word_byte(text.ptr[end]))
            end++;
        UBI_TRY(ubi__anonymizer_keep(a, ubi__text_slice(text, at, end)));
        at = end;
    }
    return UBI_OK;
}

ubi_status ubi__anonymizer_secret(ubi_anonymizer *a, ubi_text text) {
    return ubi__anonymizer_word(a, 0, text);
}
