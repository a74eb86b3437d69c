/* SPDX-License-Identifier: MIT
 *
 * anonymize.c: ubiheap/core/anonymize.h, and how each kind of text but URLs is taken apart.
 */
#include "analyses/anonymize/word_map.h"

#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <sodium.h>
#include <stdio.h>
#include <sys/random.h>

#include "analyses/anonymize/anonymizer.h"
#include "analyses/anonymize/grammar.h"
#include "base/assert.h"
#include "base/text.h"

/* ---- life ------------------------------------------------------------------------------------------------------- */

/* A key of any length becomes one of the hash's; a random one is one already. */
static ubi_status make_key(uint8_t out[UBI__WORD_KEY_BYTES], const ubi_anonymizer_options *options) {
    if (sodium_init() < 0) /* by any thread, any number of times */
        return ubi__fail(UBI_EIO, "libsodium cannot be initialized");
    if (!options->key) {
        if (getrandom(out, UBI__WORD_KEY_BYTES, 0) != UBI__WORD_KEY_BYTES)
            return ubi__fail_errno(errno, "the system gives no random numbers");
        return UBI_OK;
    }
    if (options->key_bytes < UBI_ANONYMIZER_KEY_MIN)
        return ubi__fail(UBI_EINVAL, "the key has %zu bytes; expected at least %d", options->key_bytes,
                         UBI_ANONYMIZER_KEY_MIN);
    crypto_generichash(out, UBI__WORD_KEY_BYTES, options->key, options->key_bytes, NULL, 0);
    return UBI_OK;
}

ubi_status ubi__anonymizer_new(ubi_anonymizer **out, const ubi_anonymizer_options *given, unsigned n_digits) {
    const ubi_anonymizer_options defaults = UBI_ANONYMIZER_OPTIONS_INIT;
    const ubi_anonymizer_options *options = given ? given : &defaults;
    uint8_t key[UBI__WORD_KEY_BYTES] = { 0 };
    UBI_TRY(ubi__version_check(options->version, UBI_ANONYMIZER_OPTIONS_VERSION, "ubi_anonymizer_options"));
    const ubi_allocator *allocator = ubi__allocator_or_default(options->allocator);
    ubi_anonymizer *a = UBI_NEW(allocator, ubi_anonymizer);
    if (!a)
        return ubi__fail_nomem();
    a->allocator = allocator;
    ubi_status status = make_key(key, options);
    ubi__word_map_init(&a->words, key, n_digits, allocator);
    explicit_bzero(key, sizeof key);
    ubi__strtab_init(&a->names.names, allocator);
    if (status == UBI_OK)
        status = ubi__public_names_init(&a->names, allocator);
    if (status != UBI_OK) {
        ubi_anonymizer_free(a);
        return status;
    }
    *out = a;
    return UBI_OK;
}

ubi_status ubi_anonymizer_new(ubi_anonymizer **out, const ubi_anonymizer_options *options) {
    return ubi__anonymizer_new(out, options, UBI__WORD_DIGITS);
}

void ubi_anonymizer_free(ubi_anonymizer *a) {
    if (!a)
        return;
    ubi__word_map_fini(&a->words);
    ubi__public_names_fini(&a->names);
    ubi__vec_u8_fini(&a->result, a->allocator);
    UBI_DELETE(a->allocator, a);
}

uint32_t ubi_anonymizer_word_count(const ubi_anonymizer *a) {
    return ubi__strtab_count(&a->words.words);
}

/* ---- numbers of elements ---------------------------------------------------------------------------------------- */

#define SMALL_INDICES 1000 /* 0 to 999 are positions, which arrays of all programs have */

static bool parse_index(uint32_t *out, ubi_text digits) {
    uint64_t value = 0;
    size_t n = ubi__count_digits(digits, 0);
    if (n == 0 || n != digits.len || (n > 1 && digits.ptr[0] == '0'))
        return false;
    for (size_t i = 0; i < n; i++)
        value = value * 10 + (uint64_t)(digits.ptr[i] - '0');
    *out = (uint32_t)value;
    return value <= UINT32_MAX;
}

ubi_status ubi__anonymizer_index(ubi_anonymizer *a, ubi_text digits) {
    char text[16];
    uint32_t index;
    if (!parse_index(&index, digits))
        return ubi__anonymizer_word(a, 0, digits);
    if (index < SMALL_INDICES || index == UINT32_MAX) /* the last is not an array index */
        return ubi__anonymizer_keep(a, digits);
    do /* leads back to where it began, which is large enough, at the latest */
        index = ubi__word_map_number(&a->words, index);
    while (index < SMALL_INDICES || index == UINT32_MAX);
    UBI_ASSERT(index >= SMALL_INDICES && index != UINT32_MAX);
    int n = snprintf(text, sizeof text, "%" PRIu32, index);
    return ubi__anonymizer_keep(a, (ubi_text){ text, (size_t)n });
}

/* 0 to 999: a position. More digits may be a personal number. */
static bool is_position(ubi_text word) {
    size_t n = ubi__count_digits(word, 0);
    return n == word.len && n >= 1 && n <= 3 && (n == 1 || word.ptr[0] != '0');
}

static ubi_status member_name(ubi_anonymizer *a, ubi_text word) {
    return is_position(word) ? ubi__anonymizer_keep(a, word) : ubi__anonymizer_word(a, UBI__NAMES_MEMBER, word);
}

/* ---- classes and DOM nodes -------------------------------------------------------------------------------------- */

/* "NodeListPrototype", "Map.prototype", "Array Iterator": objects that come with a class. */
ubi_status ubi__anonymizer_class(ubi_anonymizer *a, ubi_text text) {
    static const char *const companions[] = { " IteratorPrototype", "Prototype", ".prototype", " Iterator" };
    size_t n = text.len;
    for (size_t i = 0; n == text.len && i < sizeof companions / sizeof *companions; i++)
        if (ubi__text_ends(text, companions[i]) && text.len > strlen(companions[i]))
            n -= strlen(companions[i]);
    UBI_TRY(ubi__anonymizer_word(a, UBI__NAMES_CLASS, ubi__text_slice(text, 0, n)));
    return ubi__anonymizer_keep(a, ubi__text_slice(text, n, text.len));
}

/* Longer than every tag on the list. */
#define TAG_MAX 64

ubi_status ubi__anonymizer_tag(ubi_anonymizer *a, ubi_text text) {
    char lower[TAG_MAX];
    if (text.len > sizeof lower)
        return ubi__anonymizer_word(a, 0, text);
    for (size_t i = 0; i < text.len; i++)
        lower[i] = text.ptr[i] >= 'A' && text.ptr[i] <= 'Z' ? (char)(text.ptr[i] | 0x20) : text.ptr[i];
    if (ubi__anonymizer_is_public(a, UBI__NAMES_TAG, (ubi_text){ lower, text.len }))
        return ubi__anonymizer_keep_word(a, text);
    return ubi__anonymizer_word(a, 0, text);
}

/* ---- names that a producer's grammar knows --------------------------------------------------------------------------- */

/* The grammar that knows such a name of a node, type or class; NULL: none. */
static const ubi__grammar *grammar_of_node(const ubi_anonymizer *a, ubi_text text) {
    const ubi__grammar *g;
    for (size_t i = 0; (g = ubi__grammar_at(i)); i++)
        if (g->is_node_name && g->is_node_name(a, text))
            return g;
    return NULL;
}

static const ubi__grammar *grammar_of_field(const ubi_anonymizer *a, ubi_text text) {
    const ubi__grammar *g;
    for (size_t i = 0; (g = ubi__grammar_at(i)); i++)
        if (g->is_field && g->is_field(a, text))
            return g;
    return NULL;
}

/* "Connection": tags are all capitals, or do not begin with one, and have no letter beyond ASCII. */
static bool is_constructor(ubi_text text) {
    bool has_small = false, is_ascii = true;
    for (size_t i = 0; i < text.len; i++) {
        has_small |= text.ptr[i] >= 'a' && text.ptr[i] <= 'z';
        is_ascii &= (unsigned char)text.ptr[i] < 0x80;
    }
    return !is_ascii || (has_small && text.ptr[0] >= 'A' && text.ptr[0] <= 'Z');
}

/* "DIV", "#text", "html:button": perhaps a name space, and a name; or the name of an object's constructor. */
static ubi_status descriptive_name(ubi_anonymizer *a, ubi_text text) {
    const ubi__grammar *grammar = grammar_of_node(a, text);
    if (grammar)
        return grammar->node_name(a, text);
    if (is_constructor(text))
        return ubi__anonymizer_class(a, text);
    const char *colon = memchr(text.ptr, ':', text.len);
    if (!colon)
        return ubi__anonymizer_tag(a, text);
    size_t n = (size_t)(colon - text.ptr);
    UBI_TRY(ubi__anonymizer_tag(a, ubi__text_slice(text, 0, n)));
    UBI_TRY(ubi__anonymizer_keep(a, ubi__text(":")));
    return ubi__anonymizer_tag(a, ubi__text_slice(text, n + 1, text.len));
}

/* ---- functions -------------------------------------------------------------------------------------------------- */

static bool is_separator(char c) {
    return memchr("/<>.[]\"#", c, 8) != NULL;
}

static size_t prefix_length(ubi_text text) {
    static const char *const prefixes[] = { "get ", "set ", "bound " };
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        size_t n = strlen(prefixes[i]);
        if (text.len > n && memcmp(text.ptr, prefixes[i], n) == 0)
            return n;
    }
    return 0;
}

/*
 * SpiderMonkey names a function by where it is: "get size", "makeMisc/o.args<", "Tree.prototype[\"on open\"]". Some
 * producers have pseudo-functions: "(root)".
 */
ubi_status ubi__anonymizer_function(ubi_anonymizer *a, ubi_text text) {
    if (text.len && text.ptr[0] == '(' && ubi__anonymizer_is_public(a, UBI__NAMES_NODE, text))
        return ubi__anonymizer_keep_word(a, text);
    size_t at = prefix_length(text);
    UBI_TRY(ubi__anonymizer_keep(a, ubi__text_slice(text, 0, at)));
    while (at < text.len) {
        size_t end = at;
        while (end < text.len && !is_separator(text.ptr[end]))
            end++;
        UBI_TRY(member_name(a, ubi__text_slice(text, at, end)));
        at = end;
        while (end < text.len && is_separator(text.ptr[end]))
            end++;
        UBI_TRY(ubi__anonymizer_keep(a, ubi__text_slice(text, at, end)));
        at = end;
    }
    return UBI_OK;
}

/* ---- edges ------------------------------------------------------------------------------------------------------ */

#define PATTERN_MAX 64

/* Whether `text` with # in place of its numbers is on the list: "objectElements[12]". */
static bool is_engine_edge(const ubi_anonymizer *a, ubi_text text) {
    char pattern[PATTERN_MAX];
    size_t n = 0;
    for (size_t at = 0; at < text.len; n++) {
        size_t n_digits = ubi__count_digits(text, at);
        if (n == sizeof pattern || text.ptr[at] == '#')
            return false;
        pattern[n] = n_digits ? '#' : text.ptr[at];
        at += n_digits ? n_digits : 1;
    }
    return ubi__anonymizer_is_public(a, UBI__NAMES_EDGE, (ubi_text){ pattern, n }) ||
           ubi__anonymizer_is_public(a, UBI__NAMES_EDGE, text);
}

/* Offset of ", holder 0x7eff941076a0" at the end of `text`, or its length. Such an address is one like a node's id. */
static size_t holder_start(ubi_text text) {
    static const char middle[] = ", holder 0x";
    size_t at = text.len, n = sizeof middle - 1;
    while (at > 0 && text.len - at <= 16 && memchr("0123456789abcdef", text.ptr[at - 1], 16))
        at--;
    bool is_holder = at < text.len && text.len - at <= 16 && at >= n && memcmp(text.ptr + at - n, middle, n) == 0;
    return is_holder ? at - n : text.len;
}

static bool is_class_object(ubi_text text) {
    return text.len > 14 && memcmp(text.ptr, "CLASS_OBJECT(", 13) == 0 && text.ptr[text.len - 1] == ')';
}

/* A property that has a symbol for a name. */
static const char symbol_start[] = "<symbol";

static bool is_symbol(ubi_text text) {
    size_t n = sizeof symbol_start - 1;
    return text.len > n && memcmp(text.ptr, symbol_start, n) == 0 && text.ptr[text.len - 1] == '>' &&
           (text.len == n + 1 || (text.len > n + 2 && text.ptr[n] == ' '));
}

static ubi_status symbol_name(ubi_anonymizer *a, ubi_text text) {
    size_t n = sizeof symbol_start - 1, start = n + (text.ptr[n] == ' '), end = text.len - 1;
    UBI_TRY(ubi__anonymizer_keep(a, ubi__text_slice(text, 0, start)));
    UBI_TRY(ubi__anonymizer_word(a, UBI__NAMES_MEMBER, ubi__text_slice(text, start, end)));
    return ubi__anonymizer_keep(a, ubi__text_slice(text, end, text.len));
}

static ubi_status property_name(ubi_anonymizer *a, ubi_text text) {
    bool is_private = text.len && text.ptr[0] == '#'; /* "#secret" */
    if (is_symbol(text))
        return symbol_name(a, text);
    UBI_TRY(ubi__anonymizer_keep(a, ubi__text_slice(text, 0, is_private)));
    return member_name(a, ubi__text_slice(text, is_private, text.len));
}

/* Whether each number could be that of an element. */
static bool has_indices_only(ubi_text name) {
    uint32_t index;
    for (size_t at = 0; at < name.len; at++) {
        size_t n = ubi__count_digits(name, at);
        if (n > 0 && !parse_index(&index, ubi__text_slice(name, at, at + n)))
            return false;
        at += n;
    }
    return true;
}

/* "objectElements[12]": what is the engine's, and the number of an element. */
static ubi_status engine_edge(ubi_anonymizer *a, ubi_text name) {
    for (size_t at = 0; at < name.len;) {
        size_t end = at + ubi__count_digits(name, at);
        if (end > at)
            UBI_TRY(ubi__anonymizer_index(a, ubi__text_slice(name, at, end)));
        for (at = end; end < name.len && ubi__count_digits(name, end) == 0;)
            end++;
        UBI_TRY(ubi__anonymizer_keep(a, ubi__text_slice(name, at, end)));
        at = end;
    }
    return UBI_OK;
}

static ubi_status edge_name(ubi_anonymizer *a, ubi_text text) {
    size_t n = holder_start(text);
    ubi_text name = ubi__text_slice(text, 0, n);
    if (is_engine_edge(a, name) && has_indices_only(name)) {
        UBI_TRY(ubi__anonymizer_report_word(a, name, true));
        UBI_TRY(engine_edge(a, name));
        return ubi__anonymizer_keep(a, ubi__text_slice(text, n, text.len));
    }
    if (is_class_object(name)) {
        UBI_TRY(ubi__anonymizer_keep(a, ubi__text_slice(name, 0, 13)));
        UBI_TRY(ubi__anonymizer_word(a, UBI__NAMES_CLASS, ubi__text_slice(name, 13, n - 1)));
        return ubi__anonymizer_keep(a, ubi__text_slice(text, n - 1, text.len));
    }
    UBI_TRY(property_name(a, name));
    return ubi__anonymizer_keep(a, ubi__text_slice(text, n, text.len));
}

/* ---- nodes, strings, fields -------------------------------------------------------------------------------------- */

static bool has_part(ubi_text text, const char *part) {
    return ubi__text_contains(text, ubi__text(part));
}

/* "shop.js"; not "items.map", which a function may be called. */
static bool has_extension(const ubi_anonymizer *a, ubi_text text) {
    size_t dot = text.len;
    while (dot > 0 && text.ptr[dot - 1] != '.')
        dot--;
    ubi_text extension = ubi__text_slice(text, dot, text.len);
    return dot > 1 && ubi__anonymizer_is_public(a, UBI__NAMES_EXTENSION, extension) &&
           !ubi__anonymizer_is_public(a, UBI__NAMES_MEMBER, extension);
}

/* A file, a URL, or the name of a function. */
ubi_status ubi__anonymizer_file_or_function(ubi_anonymizer *a, ubi_text text) {
    bool is_scheme = has_part(text, ":") && !has_part(text, "::");
    bool is_file = is_scheme || has_part(text, "/") || has_part(text, "\\") || has_extension(a, text) ||
                   ubi__anonymizer_is_public(a, UBI__NAMES_FILE, text);
    return is_file ? ubi__anonymizer_source(a, text) : ubi__anonymizer_function(a, text);
}

static ubi_status node_name(ubi_anonymizer *a, ubi_text text) {
    const ubi__grammar *grammar = grammar_of_node(a, text);
    if (grammar)
        return grammar->node_name(a, text);
    return ubi__anonymizer_is_public(a, UBI__NAMES_CLASS, text) ? ubi__anonymizer_keep_word(a, text)
                                                                : ubi__anonymizer_file_or_function(a, text);
}

/* The contents of a string. */
static ubi_status string_contents(ubi_anonymizer *a, ubi_text text) {
    return ubi__anonymizer_word(a, UBI__NAMES_MEMBER | UBI__NAMES_CLASS | UBI__NAMES_TAG | UBI__NAMES_NODE, text);
}

static bool has_digits_only(ubi_text text) {
    size_t n = 0;
    while (n < text.len && text.ptr[n] >= '0' && text.ptr[n] <= '9')
        n++;
    return n == text.len;
}

static ubi_status field_name(ubi_anonymizer *a, ubi_text text) {
    if (has_digits_only(text))
        return ubi__anonymizer_keep(a, text);
    const ubi__grammar *grammar = grammar_of_field(a, text);
    return grammar ? grammar->field(a, text) : ubi__anonymizer_word(a, UBI__NAMES_MEMBER, text);
}

/* ---- all roles -------------------------------------------------------------------------------------------------- */

static ubi_status type_name(ubi_anonymizer *a, ubi_text text) {
    const ubi__grammar *grammar = ubi__anonymizer_is_public(a, UBI__NAMES_TYPE, text) ? NULL : grammar_of_node(a, text);
    if (grammar)
        return grammar->node_name(a, text);
    return ubi__anonymizer_word(a, UBI__NAMES_TYPE, text);
}

static ubi_status class_name(ubi_anonymizer *a, ubi_text text) {
    const ubi__grammar *grammar =
        ubi__anonymizer_is_public(a, UBI__NAMES_CLASS, text) ? NULL : grammar_of_node(a, text);
    if (grammar)
        return grammar->node_name(a, text);
    return ubi__anonymizer_class(a, text);
}

static ubi_status (*const by_role[UBI_TEXT_ROLE_COUNT])(ubi_anonymizer *a, ubi_text text) = {
    [UBI_TEXT_TYPE_NAME] = type_name,
    [UBI_TEXT_EDGE_NAME] = edge_name,
    [UBI_TEXT_CLASS_NAME] = class_name,
    [UBI_TEXT_DESCRIPTIVE_NAME] = descriptive_name,
    [UBI_TEXT_SCRIPT_FILENAME] = ubi__anonymizer_source,
    [UBI_TEXT_FRAME_SOURCE] = ubi__anonymizer_source,
    [UBI_TEXT_FRAME_FUNCTION] = ubi__anonymizer_function,
    [UBI_TEXT_STRING] = string_contents,
    [UBI_TEXT_NODE_NAME] = node_name,
    [UBI_TEXT_FIELD_NAME] = field_name,
    [UBI_TEXT_INDEX] = ubi__anonymizer_index,
    [UBI_TEXT_NATIVE_FUNCTION] = ubi__anonymizer_native_function,
    [UBI_TEXT_NATIVE_FILE] = ubi__anonymizer_native_file,
    [UBI_TEXT_MARKER_NAME] = ubi__anonymizer_marker_name,
    [UBI_TEXT_DETAIL_KEY] = ubi__anonymizer_detail_key,
    [UBI_TEXT_DETAIL] = ubi__anonymizer_detail,
    [UBI_TEXT_WORDS] = ubi__anonymizer_words,
    [UBI_TEXT_SECRET] = ubi__anonymizer_secret,
};

ubi_status ubi_anonymizer_text(void *anonymizer, ubi_text_role role, ubi_text text, ubi_text *out) {
    ubi_anonymizer *a = anonymizer;
    if ((unsigned)role >= UBI_TEXT_ROLE_COUNT)
        return ubi__fail(UBI_EINVAL, "no text has the role %d", (int)role);
    a->result.n = 0;
    if (text.len) {
        UBI_TRY(by_role[role](a, text));
        text = (ubi_text){ (const char *)a->result.at, a->result.n };
        UBI_ASSERT(ubi__strtab_count(&a->words.words) == ubi__strtab_count(&a->words.replacements));
    }
    *out = text;
    return UBI_OK;
}
