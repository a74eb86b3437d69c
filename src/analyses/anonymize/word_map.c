/* SPDX-License-Identifier: MIT
 *
 * word_map.c: words and their replacements (word_map.h), and as an anonymizer appends them (anonymizer.h).
 */
#include "analyses/anonymize/word_map.h"

#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <sodium.h>
#include <stdio.h>
#include <sys/random.h>

#include "analyses/anonymize/anonymizer.h"
#include "base/assert.h"
#include "base/text.h"

#define REPLACEMENT_TEXT 32

_Static_assert(UBI__WORD_KEY_BYTES == crypto_generichash_KEYBYTES, "the key is one of the hash");

void ubi__word_map_init(ubi__word_map *m, const uint8_t key[UBI__WORD_KEY_BYTES], unsigned n_digits,
                        const ubi_allocator *allocator) {
    memcpy(m->key, key, sizeof m->key);
    m->n_digits = n_digits;
    ubi__strtab_init(&m->words, allocator);
    ubi__strtab_init(&m->replacements, allocator);
}

void ubi__word_map_fini(ubi__word_map *m) {
    explicit_bzero(m->key, sizeof m->key);
    ubi__strtab_fini(&m->words);
    ubi__strtab_fini(&m->replacements);
}

/* Without i, l, o and u, which are easily misread. */
static const char base32_digits[] = "0123456789abcdefghjkmnpqrstvwxyz";

static size_t hash_text(char out[REPLACEMENT_TEXT], const ubi__word_map *m, ubi_text word) {
    uint8_t hash[crypto_generichash_BYTES];
    uint64_t bits;
    crypto_generichash(hash, sizeof hash, (const uint8_t *)word.ptr, word.len, m->key, sizeof m->key);
    memcpy(&bits, hash, sizeof bits);
    bits = le64toh(bits);
    memcpy(out, "x_", 2);
    for (unsigned i = 0; i < m->n_digits; i++, bits >>= 5)
        out[2 + i] = base32_digits[bits & 31];
    return 2 + m->n_digits;
}

/* A replacement that no other word has. */
static size_t free_text(char out[REPLACEMENT_TEXT], const ubi__word_map *m, ubi_text word) {
    size_t n = hash_text(out, m, word), length = n;
    for (unsigned next = 2; ubi__strtab_find_interned(&m->replacements, (ubi_text){ out, length }) != UBI_NONE; next++)
        length = n + (size_t)snprintf(out + n, REPLACEMENT_TEXT - n, "_%u", next);
    return length;
}

static void replacement_check(const ubi__word_map *m, ubi_str_ix ix) {
    ubi_text text = ubi__strtab_get(&m->replacements, ix);
    UBI_ASSERT(m->n_digits < UBI__WORD_DIGITS || ubi__word_is_replacement(text));
    UBI_ASSERT(ubi__strtab_find_interned(&m->replacements, text) == ix); /* of no other word */
    UBI_ASSERT(ubi__strtab_find_interned(&m->words, ubi__strtab_get(&m->words, ix)) == ix);
}

void ubi__word_map_check(const ubi__word_map *m) {
    UBI_ASSERT(ubi__strtab_count(&m->words) == ubi__strtab_count(&m->replacements));
    UBI_ASSERT(m->n_digits <= UBI__WORD_DIGITS);
    for (ubi_str_ix i = 0; UBI_CHECKS && i < ubi__strtab_count(&m->words); i++)
        replacement_check(m, i);
}

ubi_status ubi__word_map_get(ubi_text *out, ubi__word_map *m, ubi_text word) {
    ubi_str_ix ix = ubi__strtab_find_interned(&m->words, word);
    if (ix == UBI_NONE) {
        char text[REPLACEMENT_TEXT];
        ubi_text replacement = { text, free_text(text, m, word) };
        UBI_TRY(ubi__strtab_intern(&m->words, &ix, word));
        UBI_TRY(ubi__strtab_intern(&m->replacements, &ix, replacement));
        UBI_ASSERT(ix + 1 == ubi__strtab_count(&m->words));
        if (UBI_CHECKS)
            replacement_check(m, ix);
    }
    *out = ubi__strtab_get(&m->replacements, ix);
    return UBI_OK;
}

bool ubi__word_is_replacement(ubi_text text) {
    size_t n = 2 + UBI__WORD_DIGITS;
    if (text.len < n || memcmp(text.ptr, "x_", 2) != 0 || (text.len > n && text.ptr[n] != '_'))
        return false;
    for (size_t i = 2; i < n; i++)
        if (!memchr(base32_digits, text.ptr[i], sizeof base32_digits - 1))
            return false;
    return true;
}

/* ---- numbers ------------------------------------------------------------------------------------------------------ */

#define ROUNDS 6
_Static_assert(sizeof base32_digits - 1 == 1 << 5, "five bits of the hash are a digit");
_Static_assert(UBI__WORD_DIGITS * 5 <= 64, "the base32_digits come from one word of the hash");

_Static_assert(UBI__WORD_KEY_BYTES >= crypto_shorthash_KEYBYTES, "the key is long enough for the short hash");

/* A Feistel network over the halves, with SipHash as what mixes: heaps have millions of elements. */
uint32_t ubi__word_map_number(const ubi__word_map *m, uint32_t number) {
    uint16_t left = (uint16_t)(number >> 16), right = (uint16_t)number;
    for (uint8_t round = 0; round < ROUNDS; round++) {
        const uint8_t in[3] = { round, (uint8_t)right, (uint8_t)(right >> 8) };
        uint8_t hash[crypto_shorthash_BYTES];
        crypto_shorthash(hash, in, sizeof in, m->key);
        uint16_t mixed = (uint16_t)(left ^ (uint16_t)(hash[0] | hash[1] << 8));
        left = right;
        right = mixed;
    }
    return (uint32_t)left << 16 | right;
}

/* ---- words ------------------------------------------------------------------------------------------------------ */

ubi_status ubi__anonymizer_keep(ubi_anonymizer *a, ubi_text text) {
    UBI_TRY(ubi__vec_u8_reserve(&a->result, a->allocator, text.len));
    if (text.len)
        memcpy(a->result.at + a->result.n, text.ptr, text.len);
    a->result.n += text.len;
    return UBI_OK;
}

ubi_status ubi__anonymizer_report_word(const ubi_anonymizer *a, ubi_text word, bool kept) {
    return a->watch && word.len ? a->watch(a->watch_payload, word, kept) : UBI_OK;
}

ubi_status ubi__anonymizer_keep_word(ubi_anonymizer *a, ubi_text word) {
    UBI_TRY(ubi__anonymizer_report_word(a, word, true));
    return ubi__anonymizer_keep(a, word);
}

ubi_status ubi__anonymizer_word(ubi_anonymizer *a, unsigned lists, ubi_text word) {
    ubi_text replacement = word;
    if (word.len == 0 || ubi__anonymizer_is_public(a, lists, word))
        return ubi__anonymizer_keep_word(a, word);
    UBI_TRY(ubi__anonymizer_report_word(a, word, false));
    UBI_TRY(ubi__word_map_get(&replacement, &a->words, word));
    return ubi__anonymizer_keep(a, replacement);
}
