/* SPDX-License-Identifier: MIT
 *
 * case_folding.h: upper and lower case as one, as JavaScript's regular expressions with the flag i (but not u) have it:
 * characters are the same when their capitals are, each of one UTF-16 unit, and ASCII only goes with ASCII.
 */
#ifndef UBI_BASE_CASE_FOLDING_H
#define UBI_BASE_CASE_FOLDING_H

#include <ubiheap/core/base.h>

/** For c >= 0x80. O(log of a short table). */
uint32_t ubi__fold_beyond_ascii(uint32_t c);

/** The capital of `c`, or `c`: equal for characters that differ in case only. */
static inline uint32_t ubi__fold(uint32_t c) {
    if (c < 0x80)
        return c >= 'a' && c <= 'z' ? c - 32 : c;
    return c <= 0xffff ? ubi__fold_beyond_ascii(c) : c;
}

#endif
