/* SPDX-License-Identifier: MIT
 *
 * human.h: what people read and type: numbers, names of signals, misspelt words.
 *
 * Every function on numbers writes NUL-terminated ASCII to a caller's buffer of UBI__HUMAN_TEXT bytes and returns it.
 */
#ifndef UBI_BASE_HUMAN_H
#define UBI_BASE_HUMAN_H

#include <stdint.h>

#include <ubiheap/core/base.h>

#include "base/server_api.h"

#define UBI__HUMAN_TEXT 48

/** Grouped by thousands: "8,594,201". */
char *ubi__human_count(char out[UBI__HUMAN_TEXT], uint64_t value);
/** A count and what is counted: "1 node", "2,000 nodes". */
char *ubi__human_things(char out[UBI__HUMAN_TEXT], uint64_t value, const char *singular);
/** Three digits or more and a unit of 2^10: "512 B", "1.50 KiB", "45.3 MiB", "1,234 GiB". */
UBI__SERVER_API char *ubi__human_size(char out[UBI__HUMAN_TEXT], uint64_t bytes);
/** One decimal: "12.3%"; "<0.1%" for a little more than nothing, "0%" for nothing; "-" when `total` is 0. */
char *ubi__human_percent(char out[UBI__HUMAN_TEXT], uint64_t part, uint64_t total);
/** "0.41 s", "38 ms", "120 us". */
UBI__SERVER_API char *ubi__human_duration(char out[UBI__HUMAN_TEXT], uint64_t microseconds);
/** Three digits and a unit: "850 ns", "12.3 us", "1.50 ms", "12.4 s". */
char *ubi__human_nanoseconds(char out[UBI__HUMAN_TEXT], uint64_t nanoseconds);
/** UTC, "2023-11-14 22:13:20 UTC"; far out of range: the number of microseconds. */
UBI__SERVER_API char *ubi__human_time(char out[UBI__HUMAN_TEXT], uint64_t microseconds_since_epoch);
/** UTC as in ISO 8601 with all digits, "2023-11-14T22:13:20.123456Z"; NULL out of the range of four-digit years. */
char *ubi__iso_time(char out[UBI__HUMAN_TEXT], uint64_t microseconds_since_epoch);

/* ---- signals ------------------------------------------------------------------------------------------------------ */

/** Without SIG, such as KILL; NULL for a number that has no name. Static. */
const char *ubi__signal_name(uint32_t number);

/* ---- misspelt words ----------------------------------------------------------------------------------------------- */

typedef struct ubi__suggestion {
    const char *typed;
    const char *word;  /**< the best so far, or NULL */
    unsigned distance; /**< its distance; while there is none, the first distance that is too far */
} ubi__suggestion;

UBI__SERVER_API ubi__suggestion ubi__suggestion_for(const char *typed);
/** A word is near when few changes make it of what was typed, or when what was typed is nearly its beginning. */
UBI__SERVER_API void ubi__suggestion_try(ubi__suggestion *suggestion, const char *word);
/** Longer words are never near. */
#define UBI__SUGGESTED_BYTES 31
/** The same of a word that is not ended by a zero: if it is the best so far, `best` has a copy, which is suggestion->word. */
void ubi__suggestion_try_text(ubi__suggestion *suggestion, char best[UBI__SUGGESTED_BYTES + 1], ubi_text word);
/** Insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`; words above 31 bytes: 99. */
unsigned ubi__edit_distance(const char *a, const char *b);

#endif
