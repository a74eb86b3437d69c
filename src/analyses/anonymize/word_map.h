/* SPDX-License-Identifier: MIT
 *
 * word_map.h: words and what stands in their place.
 *
 * A replacement is "x_" and ten digits of base 32, the first 50 bits of the word's keyed BLAKE2b hash: so it depends on
 * word and key only, and says nothing of the word to who has no key. Words are kept, which makes "different words,
 * different replacements" exact: when the digits are taken already, a second word gets "_2" behind them, a third "_3".
 */
#ifndef UBI_ANALYSES_ANONYMIZE_WORD_MAP_H
#define UBI_ANALYSES_ANONYMIZE_WORD_MAP_H

#include "base/strtab.h"

#define UBI__WORD_DIGITS 10
#define UBI__WORD_KEY_BYTES 32

typedef struct ubi__word_map {
    uint8_t key[UBI__WORD_KEY_BYTES];
    unsigned n_digits;        /* UBI__WORD_DIGITS; less in tests, where words shall collide */
    ubi__strtab words;        /* interned */
    ubi__strtab replacements; /* interned; entry i stands for words entry i */
} ubi__word_map;

/** Copies the key. Never fails. sodium_init comes first. */
void ubi__word_map_init(ubi__word_map *m, const uint8_t key[UBI__WORD_KEY_BYTES], unsigned n_digits,
                        const ubi_allocator *allocator);
/** Each word has one replacement, and looks like one to whoever has no key. Cost: O(words). */
void ubi__word_map_check(const ubi__word_map *m);
/** Overwrites the key, too. */
void ubi__word_map_fini(ubi__word_map *m);
/** `out` is borrowed until the next call. Errors: UBI_ENOMEM, UBI_ELIMIT; then only _fini is allowed. */
ubi_status ubi__word_map_get(ubi_text *out, ubi__word_map *m, ubi_text word);
/** Whether a whole text is what such a map puts in the place of a word, whatever the key is. */
bool ubi__word_is_replacement(ubi_text text);
/** What stands in place of a number, another one for each: a permutation of all, by the key alone. */
uint32_t ubi__word_map_number(const ubi__word_map *m, uint32_t number);

#endif
