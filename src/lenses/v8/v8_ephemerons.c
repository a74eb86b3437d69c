/* SPDX-License-Identifier: MIT
 *
 * v8_ephemerons.c: what strings of the graph mean: a few words, and names of the edges of WeakMaps.
 *
 * A value in a WeakMap is retained by key and table together. The file has an edge from each, both with a name of the form
 *
 *     DIGITS / part of key (ANY @DIGITS) -> value (ANY @DIGITS) pair in WeakMap (table @DIGITS)
 *
 * whose part after the first digits is the same in both; ANY has no line break. What a name means is found once per string.
 */
#include "base/assert.h"
#include "base/parallel.h"
#include "base/text.h"
#include "lenses/v8/v8_look.h"

#define KEY_PART " / part of key ("
#define VALUE_PART ") -> value ("
#define MAP_PART " pair in WeakMap (table @"

/* Takes `word` from the end of the text. */
static bool cut_word(ubi_text *text, const char *word) {
    size_t n = strlen(word);
    if (text->len < n || memcmp(text->ptr + text->len - n, word, n) != 0)
        return false;
    text->len -= n;
    return true;
}

/* Takes digits from the end of the text, at least one; *value: the number, at most 2^64-1. */
static bool cut_digits(ubi_text *text, uint64_t *value) {
    size_t end = text->len, start = end;
    while (start && ubi__is_digit(text->ptr[start - 1]))
        start--;
    *value = 0;
    for (size_t i = start; i < end; i++)
        if (__builtin_mul_overflow(*value, (uint64_t)10, value) ||
            __builtin_add_overflow(*value, (uint64_t)(text->ptr[i] - '0'), value)) {
            *value = UINT64_MAX;
            break;
        }
    text->len = start;
    return start < end;
}

/* Line breaks as regular expressions of JavaScript know them: \n, \r, U+2028, U+2029. */
static bool has_line_break(ubi_text text) {
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] == '\n' || text.ptr[i] == '\r')
            return true;
        if (text.ptr[i] == '\xe2' && text.len - i > 2 && text.ptr[i + 1] == '\x80' &&
            (text.ptr[i + 2] == '\xa8' || text.ptr[i + 2] == '\xa9'))
            return true;
    }
    return false;
}

/* Whether the text holds " @DIGITS) -> value (", with anything around it. */
static bool has_middle(ubi_text text) {
    const char *end = text.ptr + text.len;
    for (const char *p = text.ptr; (p = memmem(p, (size_t)(end - p), VALUE_PART, strlen(VALUE_PART))); p++) {
        ubi_text before = { text.ptr, (size_t)(p - text.ptr) };
        uint64_t value;
        if (cut_digits(&before, &value) && cut_word(&before, " @"))
            return true;
    }
    return false;
}

bool ubi__v8_ephemeron_parse(ubi_text name, size_t *pair_from, uint64_t *table_id) {
    size_t from = 0;
    uint64_t ignored;
    ubi_text rest = name;
    if (!cut_word(&rest, ")") || !cut_digits(&rest, table_id) || !cut_word(&rest, MAP_PART) || !cut_word(&rest, ")") ||
        !cut_digits(&rest, &ignored) || !cut_word(&rest, " @"))
        return false;
    while (from < rest.len && ubi__is_digit(rest.ptr[from]))
        from++;
    size_t middle = from + strlen(KEY_PART);
    if (from == 0 || rest.len < middle || memcmp(rest.ptr + from, KEY_PART, strlen(KEY_PART)) != 0)
        return false;
    *pair_from = from;
    return has_middle((ubi_text){ rest.ptr + middle, rest.len - middle }) && !has_line_break(name);
}

const ubi__v8_ephemeron *ubi__v8_ephemeron_named(const ubi__v8_look *own, ubi_str_ix name) {
    if (!own->is_ephemeron || name == UBI_NONE || !(own->is_ephemeron[name / 64] >> (name % 64) & 1))
        return NULL;
    size_t low = 0, high = own->ephemerons.n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (own->ephemerons.at[middle].name < name)
            low = middle + 1;
        else
            high = middle;
    }
    UBI_ASSERT(low < own->ephemerons.n && own->ephemerons.at[low].name == name);
    return &own->ephemerons.at[low];
}

/* ---- reading all strings ----------------------------------------------------------------------------------------- */

/* In the order of the members of ubi__v8_words. */
static const char *const word_texts[] = { "__proto__",
                                          "Object",
                                          "first",
                                          "second",
                                          "sloppy_function_map",
                                          "system / NativeContext",
                                          "(map descriptors)",
                                          "(Document DOM trees)",
                                          "system / ExternalStringData",
                                          "truncated" };
#define N_WORDS (sizeof word_texts / sizeof *word_texts)
_Static_assert(sizeof(ubi__v8_words) == N_WORDS * sizeof(ubi_str_ix), "a member for each word");

/* What a range of strings has. */
typedef struct part {
    ubi_str_ix words[N_WORDS];
    ubi__vec_u32 ephemerons; /* strings, ascending */
    ubi_status status;
} part;

typedef struct reading {
    const ubi_graph *g;
    const ubi_allocator *a;
    part parts[UBI__MAX_THREADS];
} reading;

static void note_word(part *p, ubi_str_ix string, ubi_text text) {
    for (size_t i = 0; i < N_WORDS; i++)
        if (p->words[i] == UBI_NONE && ubi__text_is(text, word_texts[i]))
            p->words[i] = string;
}

static void read_range(void *payload, uint64_t begin, uint64_t end, unsigned part_number) {
    reading *r = payload;
    part *p = &r->parts[part_number];
    uint64_t ignored;
    size_t pair_from;
    for (ubi_str_ix string = (ubi_str_ix)begin; string < end; string++) {
        ubi_text text = ubi__strtab_get(&r->g->strings, string);
        if (text.len < 5)
            continue;
        char c = *text.ptr;
        if (text.len <= 27 && (c == '_' || c == 'O' || c == 'f' || c == 's' || c == 't' || c == '('))
            note_word(p, string, text);
        else if (ubi__is_digit(c) && ubi__v8_ephemeron_parse(text, &pair_from, &ignored) && p->status == UBI_OK)
            p->status = ubi__vec_u32_push(&p->ephemerons, r->a, string);
    }
}

/* A name gets the number of its pair; the same text after the digits, the same number. */
static ubi_status add_ephemeron(ubi__v8_look *own, ubi__strtab *pairs, const reading *r, ubi_str_ix string) {
    ubi_text text = ubi__strtab_get(&r->g->strings, string);
    ubi_str_ix pair;
    size_t from = 0;
    uint64_t table_id = 0;
    ubi__v8_ephemeron_parse(text, &from, &table_id);
    UBI_TRY(ubi__strtab_intern(pairs, &pair, (ubi_text){ text.ptr + from, text.len - from }));
    own->is_ephemeron[string / 64] |= UINT64_C(1) << (string % 64);
    return ubi__vec_v8_ephemeron_push(&own->ephemerons, r->a, (ubi__v8_ephemeron){ string, pair, table_id });
}

static ubi_status join_parts(ubi__v8_look *own, ubi__strtab *pairs, const reading *r) {
    size_t n = 0;
    for (size_t i = 0; i < UBI__MAX_THREADS; i++) {
        UBI_TRY(r->parts[i].status == UBI_OK ? UBI_OK : ubi__fail_nomem());
        n += r->parts[i].ephemerons.n;
        for (size_t k = 0; k < N_WORDS; k++)
            if (((ubi_str_ix *)&own->words)[k] == UBI_NONE)
                ((ubi_str_ix *)&own->words)[k] = r->parts[i].words[k];
    }
    if (n == 0)
        return UBI_OK;
    own->is_ephemeron = ubi__calloc_array(r->a, ubi__strtab_count(&r->g->strings) / 64 + 1, sizeof *own->is_ephemeron);
    if (!own->is_ephemeron)
        return ubi__fail_nomem();
    for (size_t i = 0; i < UBI__MAX_THREADS; i++)
        for (size_t k = 0; k < r->parts[i].ephemerons.n; k++)
            UBI_TRY(add_ephemeron(own, pairs, r, r->parts[i].ephemerons.at[k]));
    own->n_pairs = ubi__strtab_count(pairs);
    UBI_ASSERT(own->ephemerons.n == n);
    return UBI_OK;
}

ubi_status ubi__v8_find_words(ubi__v8_look *own, const ubi_graph *g, const ubi__v8_opening *opening) {
    reading r = { .g = g, .a = opening->allocator };
    ubi__strtab pairs;
    for (size_t i = 0; i < UBI__MAX_THREADS; i++)
        memset(r.parts[i].words, 0xff, sizeof r.parts[i].words);
    memset(&own->words, 0xff, sizeof own->words);
    ubi__strtab_init(&pairs, r.a);
    ubi__parallel_ranges(opening->threads, ubi__strtab_count(&g->strings), UBI__V8_CHUNK, read_range, &r);
    ubi_status status = join_parts(own, &pairs, &r);
    for (size_t i = 0; i < UBI__MAX_THREADS; i++)
        ubi__vec_u32_fini(&r.parts[i].ephemerons, r.a);
    ubi__strtab_fini(&pairs);
    return status;
}
