/* SPDX-License-Identifier: MIT
 *
 * v8_grammar.c: what V8, Node.js and Chromium call their nodes and fields (grammar.h).
 *
 *     system / Map                                kept
 *     system / SharedFunctionInfo / loadUser      system / SharedFunctionInfo / {loadUser}
 *     system / Script / https://shop.example/a.js system / Script / https://{shop.example}/{a}.js
 *     Window (prototype) / https://shop.example   Window (prototype) / https://{shop.example}
 *     Detached <li id="u7" class="row vip">       Detached <li id="{u7}" class="{row} {vip}">
 *     (code for loadUser)                         (code for {loadUser})
 *     (ArrayFrom builtin code)                    kept
 *     2 / part of key (User @12) -> value (Object @14) pair in WeakMap (table @16)
 *                                                 2 / part of key ({User} @12) -> value (Object @14) pair ...
 *
 * What fits no pattern is a word. DevTools take some of these texts apart, so their grammar stays as it is.
 */
#include "analyses/anonymize/anonymizer.h"
#include "analyses/anonymize/grammar.h"
#include "base/text.h"
#include "formats/v8/v8_types.h"
#include "lenses/v8/v8_producer.h"

static bool is_public(const ubi_anonymizer *a, unsigned lists, ubi_text word) {
    return ubi__public_names_has(&a->names, lists, word);
}

/* Offset of the first `needle` at or after `at`, or SIZE_MAX. */
static size_t find_text(ubi_text text, size_t at, const char *needle) {
    size_t n = strlen(needle);
    for (; at + n <= text.len; at++)
        if (memcmp(text.ptr + at, needle, n) == 0)
            return at;
    return SIZE_MAX;
}

static size_t count_digits(ubi_text text, size_t at) {
    size_t n = 0;
    while (at + n < text.len && text.ptr[at + n] >= '0' && text.ptr[at + n] <= '9')
        n++;
    return n;
}

static ubi_status keep_part(ubi_anonymizer *a, const char *text) {
    return ubi__anonymizer_keep(a, ubi__text(text));
}

/* ---- elements ---------------------------------------------------------------------------------------------------- */

/* Words between blanks: classes of an element. */
static ubi_status keep_words(ubi_anonymizer *a, ubi_text text) {
    for (size_t at = 0; at < text.len;) {
        size_t end = at;
        while (end < text.len && text.ptr[end] != ' ')
            end++;
        UBI_TRY(ubi__anonymizer_word(a, 0, ubi__text_slice(text, at, end)));
        for (at = end; at < text.len && text.ptr[at] == ' '; at++)
            UBI_TRY(keep_part(a, " "));
    }
    return UBI_OK;
}

/* Offset after `name="value"` at `at`; a value ends at a quote before a blank or the end. Or SIZE_MAX. */
static size_t attribute_end(ubi_text text, size_t at) {
    size_t quote = find_text(text, at, "=\"");
    if (quote == SIZE_MAX)
        return SIZE_MAX;
    for (size_t i = quote + 2; i < text.len; i++)
        if (text.ptr[i] == '"' && (i + 1 == text.len || text.ptr[i + 1] == ' '))
            return i + 1;
    return SIZE_MAX;
}

static ubi_status tag_attribute(ubi_anonymizer *a, ubi_text text) {
    size_t equals = find_text(text, 0, "=\"");
    ubi_text name = ubi__text_slice(text, 0, equals);
    bool is_plain = ubi__text_is(name, "id") || ubi__text_is(name, "class");
    UBI_TRY(is_plain ? ubi__anonymizer_keep(a, name) : ubi__anonymizer_word(a, UBI__NAMES_MEMBER, name));
    UBI_TRY(keep_part(a, "=\""));
    UBI_TRY(keep_words(a, ubi__text_slice(text, equals + 2, text.len - 1)));
    return keep_part(a, "\"");
}

/* ` id="u7" class="row"`; what does not look so is a word. */
static ubi_status tag_attributes(ubi_anonymizer *a, ubi_text text) {
    for (size_t at = 0; at < text.len;) {
        if (text.ptr[at] == ' ') {
            UBI_TRY(keep_part(a, " "));
            at++;
            continue;
        }
        size_t end = attribute_end(text, at);
        if (end == SIZE_MAX)
            return ubi__anonymizer_word(a, 0, ubi__text_slice(text, at, text.len));
        UBI_TRY(tag_attribute(a, ubi__text_slice(text, at, end)));
        at = end;
    }
    return UBI_OK;
}

/* "<li>", `<li id="u7">`. */
static ubi_status element_name(ubi_anonymizer *a, ubi_text text) {
    bool closed = text.len > 1 && text.ptr[text.len - 1] == '>';
    size_t inner = text.len - closed, blank = find_text(ubi__text_slice(text, 0, inner), 0, " ");
    size_t end = blank == SIZE_MAX ? inner : blank;
    UBI_TRY(keep_part(a, "<"));
    UBI_TRY(ubi__anonymizer_tag(a, ubi__text_slice(text, 1, end)));
    UBI_TRY(tag_attributes(a, ubi__text_slice(text, end, inner)));
    return closed ? keep_part(a, ">") : UBI_OK;
}

/* ---- names of nodes ---------------------------------------------------------------------------------------------- */

/* Classes of Chromium's own: "blink::HeapVectorBacking<blink::InlineItem>". */
static bool is_chromium_class(ubi_text text) {
    static const char *const spaces[] = { "blink::", "cppgc::", "v8::", "v8_inspector::", "node::", "gin::" };
    static const char others[] = "_:<>, *&()[]=-.~$'";
    bool known = false;
    for (size_t i = 0; !known && i < sizeof spaces / sizeof *spaces; i++)
        known = ubi__text_begins(text, spaces[i]);
    for (size_t i = 0; known && i < text.len; i++) {
        char c = text.ptr[i];
        known = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || (c && strchr(others, c));
    }
    return known;
}

/* "scope @51205", "next", "ContinueToJavaScriptBuiltin (builtin)". */
static ubi_status behind_system(ubi_anonymizer *a, ubi_text text) {
    static const char scope[] = "scope @", builtin[] = " (builtin)";
    const size_t n = sizeof scope - 1;
    if (ubi__text_begins(text, scope) && text.len > n && count_digits(text, n) == text.len - n)
        return ubi__anonymizer_keep(a, text);
    if (!ubi__text_ends(text, builtin))
        return ubi__anonymizer_file_or_function(a, text);
    UBI_TRY(ubi__anonymizer_function(a, ubi__text_slice(text, 0, text.len - (sizeof builtin - 1))));
    return keep_part(a, builtin);
}

/* A list of known names after a prefix, and perhaps " / " and something of the program's. */
static ubi_status prefixed_name(ubi_anonymizer *a, ubi_text text, const char *prefix, unsigned list) {
    size_t start = strlen(prefix), slash = find_text(text, start, " / ");
    ubi_text kind = ubi__text_slice(text, start, slash == SIZE_MAX ? text.len : slash);
    UBI_TRY(keep_part(a, prefix));
    UBI_TRY(ubi__anonymizer_word(a, list, kind));
    if (slash == SIZE_MAX)
        return UBI_OK;
    UBI_TRY(keep_part(a, " / "));
    ubi_text rest = ubi__text_slice(text, slash + 3, text.len);
    /* "shop.js" is a file here, and the same as where a reader takes it for the name of a script */
    return ubi__text_is(kind, "Script") ? ubi__anonymizer_source(a, rest) : behind_system(a, rest);
}

/* "(code for loadUser)": what follows "for" is the program's; "(ArrayPush builtin handle)": V8's. */
static ubi_status parenthesized_name(ubi_anonymizer *a, ubi_text text) {
    static const char *const builtins[] = { " builtin handle)", " builtin code)", " builtin)" }; /* of V8 11 to 13 */
    size_t middle = find_text(text, 0, " for ");
    if (is_public(a, UBI__NAMES_NODE, text))
        return ubi__anonymizer_keep(a, text);
    if (middle != SIZE_MAX && ubi__text_ends(text, ")")) {
        ubi_text kind = ubi__text_slice(text, 1, middle);
        UBI_TRY(keep_part(a, "("));
        UBI_TRY(ubi__text_is(kind, "code") || ubi__text_is(kind, "instruction stream")
                    ? ubi__anonymizer_keep(a, kind)
                    : ubi__anonymizer_word(a, 0, kind));
        UBI_TRY(keep_part(a, " for "));
        UBI_TRY(ubi__anonymizer_file_or_function(a, ubi__text_slice(text, middle + 5, text.len - 1)));
        return keep_part(a, ")");
    }
    for (size_t i = 0; i < sizeof builtins / sizeof *builtins; i++)
        if (ubi__text_ends(text, builtins[i])) {
            UBI_TRY(keep_part(a, "("));
            UBI_TRY(ubi__anonymizer_word(a, UBI__NAMES_MEMBER | UBI__NAMES_CLASS,
                                         ubi__text_slice(text, 1, text.len - strlen(builtins[i]))));
            return keep_part(a, builtins[i]);
        }
    return ubi__anonymizer_word(a, 0, text);
}

/* Bytes at the end of "Window (prototype)", "Object [JSGlobalProxy]" that are not the class. */
static size_t note_length(ubi_text text) {
    static const char *const notes[] = { " (prototype)", " (internal cache)", " [JSGlobalObject]", " [JSGlobalProxy]" };
    for (size_t i = 0; i < sizeof notes / sizeof *notes; i++)
        if (ubi__text_ends(text, notes[i]))
            return strlen(notes[i]);
    return 0;
}

static ubi_status class_with_note(ubi_anonymizer *a, ubi_text text) {
    size_t n = text.len - note_length(text);
    UBI_TRY(ubi__anonymizer_class(a, ubi__text_slice(text, 0, n)));
    return ubi__anonymizer_keep(a, ubi__text_slice(text, n, text.len));
}

/* "Window / https://shop.example"; the console keeps things alive under a name that DevTools look for. */
static ubi_status with_place(ubi_anonymizer *a, ubi_text text, size_t slash) {
    static const char console[] = UBI__V8_CONSOLE_ENDING;
    if (ubi__text_ends(text, console)) {
        UBI_TRY(ubi__anonymizer_file_or_function(a, ubi__text_slice(text, 0, text.len - (sizeof console - 1))));
        return keep_part(a, console);
    }
    UBI_TRY(class_with_note(a, ubi__text_slice(text, 0, slash)));
    UBI_TRY(keep_part(a, " / "));
    return ubi__anonymizer_file_or_function(a, ubi__text_slice(text, slash + 3, text.len));
}

static bool is_node_name(const ubi_anonymizer *a, ubi_text text) {
    return is_public(a, UBI__NAMES_NODE, text) || ubi__text_begins(text, "<") || ubi__text_begins(text, "Detached ") ||
           ubi__text_begins(text, "(") || find_text(text, 0, " / ") != SIZE_MAX || note_length(text) ||
           is_chromium_class(text);
}

static ubi_status node_name(ubi_anonymizer *a, ubi_text text) {
    static const char detached[] = "Detached ";
    if (ubi__text_begins(text, detached)) {
        UBI_TRY(keep_part(a, detached));
        text = ubi__text_slice(text, sizeof detached - 1, text.len);
    }
    size_t slash = find_text(text, 0, " / ");
    if (is_public(a, UBI__NAMES_NODE, text) || is_chromium_class(text))
        return ubi__anonymizer_keep_word(a, text);
    if (ubi__text_begins(text, "<"))
        return element_name(a, text);
    if (ubi__text_begins(text, "("))
        return parenthesized_name(a, text);
    if (ubi__text_begins(text, "system / "))
        return prefixed_name(a, text, "system / ", UBI__NAMES_SYSTEM);
    if (ubi__text_begins(text, "Node / "))
        return prefixed_name(a, text, "Node / ", UBI__NAMES_NODEJS);
    if (slash != SIZE_MAX)
        return with_place(a, text, slash);
    if (is_public(a, UBI__NAMES_CLASS, text))
        return ubi__anonymizer_keep_word(a, text);
    return note_length(text) ? class_with_note(a, text) : ubi__anonymizer_file_or_function(a, text);
}

/* ---- fields ------------------------------------------------------------------------------------------------------ */

/* Parts of "N / part of key (A @1) -> value (B @2) pair in WeakMap (table @3)", as offsets. */
typedef struct ephemeron {
    size_t key, key_end;     /* A */
    size_t value, value_end; /* B */
} ephemeron;

/* Offset of " @1234" with `behind` after it, at or after `at`; or SIZE_MAX. The first one, as DevTools look for it. */
static size_t find_id(ubi_text text, size_t at, const char *behind) {
    for (size_t i = find_text(text, at, " @"); i != SIZE_MAX; i = find_text(text, i + 1, " @")) {
        size_t n = count_digits(text, i + 2);
        if (n && ubi__text_begins(ubi__text_slice(text, i + 2 + n, text.len), behind))
            return i;
    }
    return SIZE_MAX;
}

static bool parse_ephemeron(ephemeron *out, ubi_text text) {
    static const char first[] = " / part of key (", second[] = ") -> value (", third[] = ") pair in WeakMap (table @";
    size_t n = count_digits(text, 0);
    if (n == 0 || !ubi__text_begins(ubi__text_slice(text, n, text.len), first))
        return false;
    out->key = n + sizeof first - 1;
    out->key_end = find_id(text, out->key, second);
    if (out->key_end == SIZE_MAX)
        return false;
    out->value = find_text(text, out->key_end, second) + sizeof second - 1;
    out->value_end = find_id(text, out->value, third);
    if (out->value_end == SIZE_MAX)
        return false;
    size_t table = find_text(text, out->value_end, third) + sizeof third - 1, digits = count_digits(text, table);
    return digits && table + digits + 1 == text.len && text.ptr[text.len - 1] == ')' &&
           !memchr(text.ptr, '\n', text.len);
}

/* A class, or the text of a string: only what is well known as a class stays. */
static ubi_status paired_name(ubi_anonymizer *a, ubi_text text) {
    static const char system[] = "system / ";
    bool is_system = ubi__text_begins(text, system) &&
                     is_public(a, UBI__NAMES_SYSTEM, ubi__text_slice(text, sizeof system - 1, text.len));
    return is_system || is_public(a, UBI__NAMES_CLASS | UBI__NAMES_NODE, text) ? ubi__anonymizer_keep_word(a, text)
                                                                               : ubi__anonymizer_word(a, 0, text);
}

static ubi_status ephemeron_name(ubi_anonymizer *a, ubi_text text, const ephemeron *e) {
    UBI_TRY(ubi__anonymizer_keep(a, ubi__text_slice(text, 0, e->key)));
    UBI_TRY(paired_name(a, ubi__text_slice(text, e->key, e->key_end)));
    UBI_TRY(ubi__anonymizer_keep(a, ubi__text_slice(text, e->key_end, e->value)));
    UBI_TRY(paired_name(a, ubi__text_slice(text, e->value, e->value_end)));
    return ubi__anonymizer_keep(a, ubi__text_slice(text, e->value_end, text.len));
}

#define PATTERN_MAX 80

/* Whether `text` with # in place of its numbers is on the list: "store_handler2_map". */
static bool is_known_field(const ubi_anonymizer *a, ubi_text text) {
    char pattern[PATTERN_MAX];
    size_t n = 0;
    for (size_t at = 0; at < text.len; n++) {
        size_t digits = count_digits(text, at);
        if (n == sizeof pattern || text.ptr[at] == '#')
            return false;
        pattern[n] = digits ? '#' : text.ptr[at];
        at += digits ? digits : 1;
    }
    return is_public(a, UBI__NAMES_FIELD, (ubi_text){ pattern, n });
}

/* "2 / next": the number of an internal field, and its name. */
static bool has_number_and_name(ubi_text text) {
    size_t n = count_digits(text, 0);
    return n > 0 && ubi__text_begins(ubi__text_slice(text, n, text.len), " / ");
}

static bool is_field(const ubi_anonymizer *a, ubi_text text) {
    return is_known_field(a, text) || has_number_and_name(text) ||
           (ubi__text_begins(text, "(") && is_public(a, UBI__NAMES_NODE, text));
}

static ubi_status field_name(ubi_anonymizer *a, ubi_text text) {
    ephemeron e;
    if (parse_ephemeron(&e, text))
        return ephemeron_name(a, text, &e);
    if (!has_number_and_name(text))
        return ubi__anonymizer_keep_word(a, text);
    size_t n = count_digits(text, 0) + strlen(" / ");
    UBI_TRY(ubi__anonymizer_keep(a, ubi__text_slice(text, 0, n)));
    return ubi__anonymizer_word(a, UBI__NAMES_MEMBER | UBI__NAMES_CLASS | UBI__NAMES_FIELD,
                                ubi__text_slice(text, n, text.len));
}

extern const ubi__name_group ubi__names_v8[], ubi__names_node_classes[], ubi__names_node_names[],
    ubi__names_node_texts[];

static const ubi__name_group *const names[] = { ubi__names_v8, ubi__names_node_classes, ubi__names_node_names,
                                                ubi__names_node_texts, NULL };

const ubi__grammar ubi__v8_grammar = {
    .names = names,
    .is_node_name = is_node_name,
    .node_name = node_name,
    .is_field = is_field,
    .field = field_name,
};
