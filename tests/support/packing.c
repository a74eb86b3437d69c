/* SPDX-License-Identifier: MIT
 *
 * packing.c: see packing.h.
 */
#include "packing.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static void reserve(bytes *b, size_t n) {
    if (b->cap - b->n >= n)
        return;
    b->cap = 2 * b->cap + n;
    b->at = realloc(b->at, b->cap);
    if (!b->at)
        abort();
}

void bytes_add(bytes *b, const void *data, size_t n) {
    reserve(b, n);
    if (n)
        memcpy(b->at + b->n, data, n);
    b->n += n;
}

void bytes_add_u16(bytes *b, uint32_t value) {
    bytes_add(b, (uint8_t[]){ (uint8_t)value, (uint8_t)(value >> 8) }, 2);
}

void bytes_add_u32(bytes *b, uint32_t value) {
    bytes_add_u16(b, value);
    bytes_add_u16(b, value >> 16);
}

void bytes_add_zeros(bytes *b, size_t n) {
    reserve(b, n);
    if (n)
        memset(b->at + b->n, 0, n);
    b->n += n;
}

void bytes_free(bytes *b) {
    free(b->at);
    *b = (bytes){ NULL, 0, 0 };
}

bytes make_data(size_t n, uint32_t seed) {
    bytes data = { NULL, 0, 0 };
    bytes_add_zeros(&data, n);
    uint32_t x = seed * 2654435761u + 1;
    for (size_t i = 0; i < n; i++) {
        x = x * 1664525 + 1013904223;
        if (x >> 30 == 0)
            data.at[i] = (uint8_t)(x >> 16);
        else if (x >> 30 == 1 && i > 30000)
            data.at[i] = data.at[i - 30000];
        else
            data.at[i] = (uint8_t)(i >> 3);
    }
    return data;
}

static void deflate_into(bytes *b, const bytes *data, packing p, int window_bits) {
    z_stream z = { .next_in = data->at, .avail_in = (uInt)data->n };
    if (deflateInit2(&z, p.level, Z_DEFLATED, window_bits, 8, p.strategy) != Z_OK)
        abort();
    size_t room = deflateBound(&z, data->n);
    reserve(b, room);
    z.next_out = b->at + b->n;
    z.avail_out = (uInt)room;
    if (deflate(&z, Z_FINISH) != Z_STREAM_END)
        abort();
    b->n += z.total_out;
    deflateEnd(&z);
}

void bytes_add_deflated(bytes *b, const bytes *data, packing p) {
    deflate_into(b, data, p, -MAX_WBITS);
}

void bytes_add_zlib(bytes *b, const bytes *data, packing p) {
    deflate_into(b, data, p, MAX_WBITS);
}

void bytes_add_gzip_header(bytes *b, uint8_t flags) {
    bytes_add(b, (uint8_t[]){ 0x1f, 0x8b, Z_DEFLATED, flags, 0, 0, 0, 0, 0, 3 }, 10);
}

void bytes_add_gzip_trailer(bytes *b, const bytes *data) {
    bytes_add_u32(b, (uint32_t)crc32(0, data->at, (uInt)data->n));
    bytes_add_u32(b, (uint32_t)data->n);
}

void bytes_add_gzip(bytes *b, const bytes *data, packing p) {
    bytes_add_gzip_header(b, 0);
    bytes_add_deflated(b, data, p);
    bytes_add_gzip_trailer(b, data);
}
