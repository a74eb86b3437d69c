/* SPDX-License-Identifier: MIT
 *
 * packing.h: byte buffers and compressed data made by zlib, for tests.
 */
#ifndef UBI_TESTS_PACKING_H
#define UBI_TESTS_PACKING_H

#include <stddef.h>
#include <stdint.h>

/** A buffer that grows; all zero is an empty one. Out of memory aborts the test. */
typedef struct bytes {
    uint8_t *at;
    size_t n, cap;
} bytes;

void bytes_add(bytes *b, const void *data, size_t n);
void bytes_add_u16(bytes *b, uint32_t value); /* little-endian, as the next */
void bytes_add_u32(bytes *b, uint32_t value);
void bytes_add_zeros(bytes *b, size_t n);
void bytes_free(bytes *b);

/** `n` bytes, always the same for a seed, neither constant nor random: literals, matches near and far. */
bytes make_data(size_t n, uint32_t seed);

typedef struct packing {
    int level;    /* zlib's 0..9; 0 stores */
    int strategy; /* Z_DEFAULT_STRATEGY, Z_FIXED, ... */
} packing;

#define PACKING_DEFAULT ((packing){ 6, 0 })

/* Each adds one complete piece: bare deflate data, a zlib stream, the plain 10-byte gzip header, a gzip member's trailer,
 * a whole member. */
void bytes_add_deflated(bytes *b, const bytes *data, packing p);
void bytes_add_zlib(bytes *b, const bytes *data, packing p);
void bytes_add_gzip_header(bytes *b, uint8_t flags);
void bytes_add_gzip_trailer(bytes *b, const bytes *data);
void bytes_add_gzip(bytes *b, const bytes *data, packing p);

#endif
