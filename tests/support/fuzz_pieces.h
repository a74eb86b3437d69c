/* SPDX-License-Identifier: MIT
 *
 * fuzz_pieces.h: what fuzz targets share: an input that comes in small pieces, and a demand.
 */
#ifndef UBI_TESTS_SUPPORT_FUZZ_PIECES_H
#define UBI_TESTS_SUPPORT_FUZZ_PIECES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ubiheap/core/base.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/** Ends the process when `condition` does not hold. */
static inline void require(bool condition, const char *what) {
    if (condition)
        return;
    fprintf(stderr, "fuzz: %s (last error: %s)\n", what, ubi_error_message());
    abort();
}

/** What is left of an input. */
typedef struct feeder {
    const uint8_t *at;
    size_t left;
} feeder;

/** A read function of sources: pieces of 1 to 8 bytes, whose sizes depend on the bytes. */
static inline ptrdiff_t feed(void *payload, void *buffer, size_t size) {
    feeder *f = payload;
    size_t n = f->left ? (f->at[0] & 7) + (size_t)1 : 0;
    n = n < f->left ? n : f->left;
    n = n < size ? n : size;
    if (n)
        memcpy(buffer, f->at, n);
    f->at += n;
    f->left -= n;
    return (ptrdiff_t)n;
}

#endif
