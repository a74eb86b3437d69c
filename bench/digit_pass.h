/* SPDX-License-Identifier: MIT
 *
 * digit_pass.h: the plainest pass over a .heapsnapshot: what a parser has to do at the least.
 *
 * Almost all of such a file is numbers. The pass reads the file in pieces, looks at every byte once, makes a value of each run
 * of digits and adds the values up. It knows no JSON, checks nothing, keeps nothing, and takes digits within strings for numbers
 * like all others.
 */
#ifndef UBI_BENCH_DIGIT_PASS_H
#define UBI_BENCH_DIGIT_PASS_H

#include <ubiheap/core/base.h>

typedef struct ubi__digit_pass {
    uint64_t n_bytes;
    uint64_t n_digits, n_numbers;
    uint64_t sum; /* modulo 2^64 */
    /* the number that is being read */
    uint64_t value;
    bool in_number;
} ubi__digit_pass;

/** Goes on with the next piece. */
void ubi__digit_pass_feed(ubi__digit_pass *pass, const uint8_t *bytes, size_t n);
/** After the last piece. */
void ubi__digit_pass_end(ubi__digit_pass *pass);

#endif
