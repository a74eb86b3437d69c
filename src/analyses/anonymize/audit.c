/* SPDX-License-Identifier: MIT
 *
 * audit.c: see audit.h. An anonymizer takes the texts apart, and says what words it finds; what it makes of them is not needed here.
 */
#include "analyses/anonymize/audit.h"

#include "analyses/anonymize/anonymizer.h"
#include "base/assert.h"
#include "base/hash.h"
#include "base/text.h"
#include "base/u64_map.h"

#define EXAMPLE_BYTES 256

typedef struct row {
    uint64_t n_texts, last_text;
    uint32_t example; /* entry of `examples` */
    uint8_t role, group;
    bool is_public;
} row;
UBI_VEC_DECLARE(row_vec, row);

struct ubi__audit {
    const ubi_allocator *allocator;
    ubi_anonymizer *anonymizer;
    ubi__u64_map seen;      /* hashes of texts and their roles */
    ubi__strtab words[2];   /* by is_public, interned */
    ubi__vec_u32 row_of[2]; /* of these */
    row_vec rows;
    ubi__vec_u32 word_of;           /* of rows: entry of its `words` */
    ubi__strtab examples, replaced; /* `replaced` is interned */
    uint64_t n_texts, n_large_indices;
    ubi_text text; /* the one at hand */
    ubi_text_role role;
};

/* ---- words -------------------------------------------------------------------------------------------------------- */

static bool is_digit32(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z' && c != 'i' && c != 'l' && c != 'o' && c != 'u');
}

/* What may follow a replacement: "_2" where two began alike, the end of an allocator's name. */
static bool is_tail(ubi_text text) {
    if (text.len == 0)
        return true;
    if (text.ptr[0] != '_' || text.len > 16)
        return false;
    bool digits = true, letters = true;
    for (size_t i = 1; i < text.len; i++) {
        digits &= text.ptr[i] >= '0' && text.ptr[i] <= '9';
        letters &= text.ptr[i] >= 'a' && text.ptr[i] <= 'z';
    }
    return text.len > 1 && (digits || (letters && (ubi__text_contains(text, ubi__text("alloc")) ||
                                                   ubi__text_contains(text, ubi__text("dup")))));
}

static bool is_replacement(ubi_text word) {
    const size_t n = 2 + UBI__WORD_DIGITS;
    if (word.len < n || word.ptr[0] != 'x' || word.ptr[1] != '_')
        return false;
    for (size_t i = 2; i < n; i++)
        if (!is_digit32(word.ptr[i]))
            return false;
    ubi_text tail = ubi__text_slice(word, n, word.len);
    if (is_tail(tail))
        return true;
    const char *second = memchr(tail.ptr + 1, '_', tail.len - 1); /* both */
    size_t first = second ? (size_t)(second - tail.ptr) : tail.len;
    return second && is_tail(ubi__text_slice(tail, 0, first)) && is_tail(ubi__text_slice(tail, first, tail.len));
}

/* The name of a node may be an element, or have the URL of a script in it. */
static ubi__audit_group group_of_node(ubi_text text) {
    if (ubi__text_contains(text, ubi__text("<")))
        return UBI__AUDIT_CLASSES;
    bool is_place = ubi__text_contains(text, ubi__text("://")) || (text.len && text.ptr[0] == '/');
    return is_place ? UBI__AUDIT_PLACES : UBI__AUDIT_FUNCTIONS;
}

static ubi__audit_group group_of(ubi_text_role role, ubi_text text, ubi_text word) {
    static const uint8_t groups[UBI_TEXT_ROLE_COUNT] = {
        [UBI_TEXT_TYPE_NAME] = UBI__AUDIT_CLASSES,
        [UBI_TEXT_EDGE_NAME] = UBI__AUDIT_PROPERTIES,
        [UBI_TEXT_CLASS_NAME] = UBI__AUDIT_CLASSES,
        [UBI_TEXT_DESCRIPTIVE_NAME] = UBI__AUDIT_CLASSES,
        [UBI_TEXT_SCRIPT_FILENAME] = UBI__AUDIT_PLACES,
        [UBI_TEXT_FRAME_SOURCE] = UBI__AUDIT_PLACES,
        [UBI_TEXT_FRAME_FUNCTION] = UBI__AUDIT_FUNCTIONS,
        [UBI_TEXT_STRING] = UBI__AUDIT_STRINGS,
        [UBI_TEXT_FIELD_NAME] = UBI__AUDIT_PROPERTIES,
        [UBI_TEXT_INDEX] = UBI__AUDIT_PROPERTIES,
        [UBI_TEXT_NATIVE_FUNCTION] = UBI__AUDIT_FUNCTIONS,
        [UBI_TEXT_NATIVE_FILE] = UBI__AUDIT_PLACES,
        [UBI_TEXT_MARKER_NAME] = UBI__AUDIT_PROGRAM,
        [UBI_TEXT_DETAIL_KEY] = UBI__AUDIT_PROGRAM,
        [UBI_TEXT_DETAIL] = UBI__AUDIT_PROGRAM,
        [UBI_TEXT_WORDS] = UBI__AUDIT_PROGRAM,
        [UBI_TEXT_SECRET] = UBI__AUDIT_PROGRAM,
    };
    if (role == UBI_TEXT_NODE_NAME)
        return group_of_node(text);
    bool is_long = word.len > UBI__AUDIT_LONG_BYTES || (word.len && memchr(word.ptr, '\n', word.len));
    return role == UBI_TEXT_STRING && is_long ? UBI__AUDIT_SOURCES : (ubi__audit_group)groups[role];
}

/* Up to U+00FF. */
static bool is_single_character(ubi_text text) {
    return (text.len == 1 && !(text.ptr[0] & 0x80)) ||
           (text.len == 2 && ((uint8_t)text.ptr[0] == 0xc2 || (uint8_t)text.ptr[0] == 0xc3));
}

static ubi_status row_set_example(ubi__audit *a, row *r, ubi__audit_group group) {
    ubi_text example = { a->text.ptr, a->text.len < EXAMPLE_BYTES ? a->text.len : EXAMPLE_BYTES };
    r->role = (uint8_t)a->role;
    r->group = (uint8_t)group;
    return ubi__strtab_append(&a->examples, &r->example, example);
}

static ubi_status new_row(ubi__audit *a, uint32_t word, bool is_public, ubi__audit_group group) {
    row r = { .is_public = is_public };
    UBI_TRY(row_set_example(a, &r, group));
    UBI_TRY(ubi__vec_u32_push(&a->row_of[is_public], a->allocator, (uint32_t)a->rows.n));
    UBI_TRY(ubi__vec_u32_push(&a->word_of, a->allocator, word));
    return row_vec_push(&a->rows, a->allocator, r);
}

/* Rows and words of both kinds lead to each other. */
static void row_check(const ubi__audit *a, uint32_t i) {
    const row *r = &a->rows.at[i];
    UBI_ASSERT(a->rows.n == a->word_of.n && a->rows.n == a->row_of[0].n + a->row_of[1].n);
    UBI_ASSERT(a->row_of[r->is_public].at[a->word_of.at[i]] == i);
    UBI_ASSERT(r->group < UBI__AUDIT_GROUP_COUNT && r->role < UBI_TEXT_ROLE_COUNT);
    UBI_ASSERT(r->n_texts <= r->last_text && r->last_text <= a->n_texts);
    UBI_ASSERT(r->example < ubi__strtab_count(&a->examples));
}

/* ubi__word_watch */
static ubi_status take_word(void *payload, ubi_text word, bool kept) {
    ubi__audit *a = payload;
    ubi__audit_group group = group_of(a->role, a->text, word);
    uint32_t ix;
    if (!kept && is_replacement(word))
        return ubi__strtab_intern(&a->replaced, &ix, word);
    kept |= a->role == UBI_TEXT_STRING && is_single_character(word);
    UBI_TRY(ubi__strtab_intern(&a->words[kept], &ix, word));
    if (ix == a->row_of[kept].n)
        UBI_TRY(new_row(a, ix, kept, group));
    row *r = &a->rows.at[a->row_of[kept].at[ix]];
    if (group < r->group)
        UBI_TRY(row_set_example(a, r, group));
    r->n_texts += r->last_text != a->n_texts;
    r->last_text = a->n_texts;
    row_check(a, a->row_of[kept].at[ix]);
    return UBI_OK;
}

/* ---- texts -------------------------------------------------------------------------------------------------------- */

/* As a reader can type it. */
static ubi_text spell_bytes(char out[2 * 64], ubi_text bytes) {
    static const char digits[] = "0123456789abcdef";
    size_t n = bytes.len < 64 ? bytes.len : 64;
    for (size_t i = 0; i < n; i++) {
        out[2 * i] = digits[(uint8_t)bytes.ptr[i] >> 4];
        out[2 * i + 1] = digits[(uint8_t)bytes.ptr[i] & 15];
    }
    return (ubi_text){ out, 2 * n };
}

ubi_status ubi__audit_text(void *audit, ubi_text_role role, ubi_text text, ubi_text *out) {
    ubi__audit *a = audit;
    char spelt[2 * 64];
    ubi_text made;
    *out = text;
    if (!text.len)
        return UBI_OK;
    uint64_t hash = ubi__hash_combine(ubi__hash_bytes(text.ptr, text.len), (uint64_t)role);
    if (ubi__u64_map_get(&a->seen, hash) != UBI_NONE)
        return UBI_OK;
    UBI_TRY(ubi__u64_map_put(&a->seen, hash, 0));
    a->n_texts++;
    a->n_large_indices += role == UBI_TEXT_INDEX;
    bool is_binary = role == UBI_TEXT_SECRET && ubi__utf8_valid_prefix(text) < text.len;
    a->text = is_binary ? spell_bytes(spelt, text) : text;
    a->role = role;
    return ubi_anonymizer_text(a->anonymizer, role, a->text, &made);
}

/* ---- life --------------------------------------------------------------------------------------------------------- */

ubi_status ubi__audit_new(ubi__audit **out, const ubi_allocator *allocator) {
    ubi_anonymizer_options options = UBI_ANONYMIZER_OPTIONS_INIT;
    const ubi_allocator *al = ubi__allocator_or_default(allocator);
    ubi__audit *a = UBI_NEW(al, ubi__audit);
    if (!a)
        return ubi__fail_nomem();
    options.allocator = a->allocator = al;
    ubi__u64_map_init(&a->seen, al);
    ubi__strtab_init(&a->words[0], al);
    ubi__strtab_init(&a->words[1], al);
    ubi__strtab_init(&a->examples, al);
    ubi__strtab_init(&a->replaced, al);
    ubi_status status = ubi_anonymizer_new(&a->anonymizer, &options);
    if (status != UBI_OK) {
        ubi__audit_free(a);
        return status;
    }
    a->anonymizer->watch = take_word;
    a->anonymizer->watch_payload = a;
    *out = a;
    return UBI_OK;
}

void ubi__audit_free(ubi__audit *a) {
    if (!a)
        return;
    ubi_anonymizer_free(a->anonymizer);
    ubi__u64_map_fini(&a->seen);
    for (int i = 0; i < 2; i++) {
        ubi__strtab_fini(&a->words[i]);
        ubi__vec_u32_fini(&a->row_of[i], a->allocator);
    }
    row_vec_fini(&a->rows, a->allocator);
    ubi__vec_u32_fini(&a->word_of, a->allocator);
    ubi__strtab_fini(&a->examples);
    ubi__strtab_fini(&a->replaced);
    UBI_DELETE(a->allocator, a);
}

uint64_t ubi__audit_text_count(const ubi__audit *a) {
    return a->n_texts;
}

uint32_t ubi__audit_replaced_count(const ubi__audit *a) {
    return ubi__strtab_count(&a->replaced);
}

uint64_t ubi__audit_large_index_count(const ubi__audit *a) {
    return a->n_large_indices;
}

uint32_t ubi__audit_word_count(const ubi__audit *a) {
    return (uint32_t)a->rows.n;
}

ubi__audit_word ubi__audit_word_at(const ubi__audit *a, uint32_t i) {
    const row *r = &a->rows.at[i];
    return (ubi__audit_word){ .word = ubi__strtab_get(&a->words[r->is_public], a->word_of.at[i]),
                              .is_public = r->is_public,
                              .n_texts = r->n_texts,
                              .group = (ubi__audit_group)r->group,
                              .role = (ubi_text_role)r->role,
                              .example = ubi__strtab_get(&a->examples, r->example) };
}
