/* SPDX-License-Identifier: MIT
 *
 * console_complete.c: names that continue what is typed, as the reply of autocomplete. See console_link.h.
 */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "rdp/console_link.h"

/* As many as Firefox shows; those that are looked at to sort them; and their bytes. */
#define MOST_MATCHES 1500
#define MOST_NAMES 20000
#define MOST_NAME_BYTES ((size_t)1 << 20)

static const char *const keywords[] = {
    "async",    "await",  "break",  "case",   "catch",      "class",   "const", "continue", "debugger",
    "default",  "delete", "do",     "else",   "export",     "extends", "false", "finally",  "for",
    "function", "if",     "import", "in",     "instanceof", "let",     "new",   "null",     "of",
    "return",   "static", "super",  "switch", "this",       "throw",   "true",  "try",      "typeof",
    "var",      "void",   "while",  "with",   "yield",
};

/* Of names, which are in one text. */
typedef struct place {
    size_t at, n;
} place;
UBI_VEC_DECLARE(vec_place, place);

typedef struct names {
    ubi_completion completion;
    ubi__vec_u8 bytes;
    vec_place places;
    bool has_failed;
} names;

static const ubi_allocator *memory(void) {
    return ubi_allocator_default();
}

/* ---- collecting --------------------------------------------------------------------------------------------------------- */

static void on_name(void *payload, ubi_text name) {
    names *all = payload;
    const place at = { all->bytes.n, name.len };
    if (all->has_failed || all->places.n >= MOST_NAMES || name.len > MOST_NAME_BYTES - all->bytes.n)
        return;
    if (ubi__bytes_append(&all->bytes, name.ptr, name.len, memory()) != UBI_OK ||
        vec_place_push(&all->places, memory(), at) != UBI_OK)
        all->has_failed = true;
}

/* Behind nothing that was typed there is nothing to propose. */
static void keywords_add(names *all) {
    const ubi_text begin = all->completion.begin;
    if (all->completion.is_property || !begin.len)
        return;
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
        if (strlen(keywords[i]) >= begin.len && memcmp(keywords[i], begin.ptr, begin.len) == 0)
            on_name(all, ubi__text(keywords[i]));
}

/* ---- sorting ------------------------------------------------------------------------------------------------------------ */

typedef struct match {
    const char *name;
    size_t n;
} match;

static bool begins_with_capital(const match *m) {
    return m->n && *m->name >= 'A' && *m->name <= 'Z';
}

/* Small letters first, as Firefox does. */
static int match_compare(const void *a, const void *b) {
    const match *left = a, *right = b;
    int capitals = (int)begins_with_capital(left) - (int)begins_with_capital(right);
    size_t n = left->n < right->n ? left->n : right->n;
    int order = capitals ? capitals : n ? memcmp(left->name, right->name, n) : 0;
    return order ? order : (left->n > right->n) - (left->n < right->n);
}

static bool match_is(const match *a, const match *b) {
    return a->n == b->n && memcmp(a->name, b->name, a->n) == 0;
}

/* ---- the reply ---------------------------------------------------------------------------------------------------------- */

/* A name as a string of the language, which is what an element access has. */
static void quoted_write(ubi__json *json, const match *m, char quote) {
    ubi__vec_u8 text = { 0 };
    bool has_failed = ubi__bytes_append(&text, &quote, 1, memory()) != UBI_OK;
    for (size_t i = 0; i < m->n && !has_failed; i++) {
        bool is_special = m->name[i] == quote || m->name[i] == '\\';
        has_failed = (is_special && ubi__bytes_append(&text, "\\", 1, memory()) != UBI_OK) ||
                     ubi__bytes_append(&text, m->name + i, 1, memory()) != UBI_OK;
    }
    if (has_failed || ubi__bytes_append(&text, &quote, 1, memory()) != UBI_OK)
        json->has_failed = true;
    else
        ubi__json_text(json, (ubi_text){ (const char *)text.at, text.n });
    ubi__vec_u8_fini(&text, memory());
}

static void matches_write(ubi__json *json, const names *all, const match *sorted, size_t n) {
    size_t n_written = 0;
    ubi__json_member_array(json, "matches");
    for (size_t i = 0; i < n && n_written < MOST_MATCHES; i++) {
        if (i && match_is(&sorted[i], &sorted[i - 1]))
            continue;
        if (all->completion.is_element_access)
            quoted_write(json, &sorted[i], all->completion.quote);
        else
            ubi__json_text(json, (ubi_text){ sorted[i].name, sorted[i].n });
        n_written++;
    }
    ubi__json_array_end(json);
}

/* With the quote that an element access has before it, which is part of the text. */
static void reply_write(ubi__json *json, const names *all, const match *sorted, size_t n) {
    const ubi_completion *c = &all->completion;
    const size_t n_quote = c->is_element_access ? 1 : 0;
    matches_write(json, all, sorted, n);
    ubi__json_member_text(json, "matchProp",
                          c->begin.ptr ? (ubi_text){ c->begin.ptr - n_quote, c->begin.len + n_quote } : ubi__text(""));
    ubi__json_member_bool(json, "isElementAccess", c->is_element_access);
}

static ubi_status names_reply(ubi__json *json, const names *all) {
    size_t n = all->places.n;
    match *sorted = n ? ubi__calloc_array(memory(), n, sizeof *sorted) : NULL;
    if (all->has_failed || (n && !sorted)) {
        if (sorted)
            ubi__free_array(memory(), sorted, n, sizeof *sorted);
        return ubi__fail_nomem();
    }
    for (size_t i = 0; i < n; i++)
        sorted[i] = (match){ (const char *)all->bytes.at + all->places.at[i].at, all->places.at[i].n };
    if (n)
        qsort(sorted, n, sizeof *sorted, match_compare);
    reply_write(json, all, sorted, n);
    if (sorted)
        ubi__free_array(memory(), sorted, n, sizeof *sorted);
    return UBI_OK;
}

ubi_status ubi__rdp_console_complete(ubi__rdp_errand *errand, ubi__json *json) {
    const ubi__rdp_console_errand *e = ubi__rdp_console_errand_of(errand);
    const ubi_text text = { e->text.n ? (const char *)e->text.at : "", e->text.n };
    names all = { .has_failed = false };
    ubi_status status =
        ubi_console_complete(&all.completion, ubi__rdp_console_link_of(errand)->console, text, on_name, &all);
    if (status == UBI_OK)
        keywords_add(&all);
    if (status == UBI_OK)
        status = names_reply(json, &all);
    ubi__vec_u8_fini(&all.bytes, memory());
    vec_place_fini(&all.places, memory());
    return status;
}
