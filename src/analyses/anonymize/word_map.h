/* SPDX-License-Identifier: MIT
 *
 * word_map.h: words and their replacements.
 *
 * A replacement is "x_" and ten digits of base 32, the first 50 bits of the word's keyed BLAKE2b hash: so it depends on
 * word and key only, and says nothing of the word without the key. Words are kept, which makes "different words,
 * different replacements" exact: when the digits are taken, "_2" is appended for a second word, "_3" for a third.
 */
#ifndef UBI_ANALYSES_ANONYMIZE_WORD_MAP_H
#define UBI_ANALYSES_ANONYMIZE_WORD_MAP_H

#include "base/strtab.h"

#define UBI__WORD_DIGITS 10
#define UBI__WORD_KEY_BYTES 32

typedef struct ubi__word_map {
    uint8_t key[UBI__WORD_KEY_BYTES];
    unsigned n_digits;        /* UBI__WORD_DIGITS; less in tests, so that words collide */
    ubi__strtab words;        /* interned */
    ubi__strtab replacements; /* interned; entry i stands for words entry i */
} ubi__word_map;

/** Copies the key. Never fails. sodium_init comes first. */
void ubi__word_map_init(ubi__word_map *m, const uint8_t key[UBI__WORD_KEY_BYTES], unsigned n_digits,
                        const ubi_allocator *allocator);
/** Each word has one replacement, which looks like one even without the key. Cost: O(words). */
void ubi__word_map_check(const ubi__word_map *m);
/** Overwrites the key, too. */
void ubi__word_map_fini(ubi__word_map *m);
/** `out` is borrowed until the next call. Errors: UBI_ENOMEM, UBI_ELIMIT; then only _fini is allowed. */
ubi_status ubi__word_map_get(ubi_text *out, ubi__word_map *m, ubi_text word);
/** Whether a whole text is what such a map replaces a word by, whatever the key is. */
bool ubi__word_is_replacement(ubi_text text);
/** What replaces a number, another one for each: a permutation of all, by the key alone. */
uint32_t ubi__word_map_number(const ubi__word_map *m, uint32_t number);

#endif
