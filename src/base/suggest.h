/* SPDX-License-Identifier: MIT
 *
 * suggest.h: the word that a misspelt one was probably meant to be.
 */
#ifndef UBI_BASE_SUGGEST_H
#define UBI_BASE_SUGGEST_H

#include <ubiheap/core/base.h>

typedef struct ubi__suggestion {
    const char *typed;
    const char *word;  /**< the best so far, or NULL */
    unsigned distance; /**< its distance; while there is none, the first distance that is too far */
} ubi__suggestion;

ubi__suggestion ubi__suggestion_for(const char *typed);
/** A word is near when few changes make it of what was typed, or when what was typed is nearly its beginning. */
void ubi__suggestion_try(ubi__suggestion *suggestion, const char *word);
/** Longer words are never near. */
#define UBI__SUGGESTED_BYTES 31
/** The same of a word that is not ended by a zero: if it is the best so far, `best` has a copy, which is suggestion->word. */
void ubi__suggestion_try_text(ubi__suggestion *suggestion, char best[UBI__SUGGESTED_BYTES + 1], ubi_text word);
/** Insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`; words above 31 bytes: 99. */
unsigned ubi__edit_distance(const char *a, const char *b);

#endif
