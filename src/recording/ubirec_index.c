/* SPDX-License-Identifier: MIT
 *
 * ubirec_index.c: see ubirec_index.h.
 */
#include "recording/ubirec_index.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/assert.h"

#define TAG "\x89UBIEND\n"
#define TAG_BYTES 8
#define COUNTERS_AT 12 /* numbers before them */

/* ---- numbers ------------------------------------------------------------------------------------------------------ */

static void put_number(uint8_t *at, uint64_t value, unsigned n) {
    for (unsigned i = 0; i < n; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

static uint64_t get_number(const uint8_t *at, unsigned n) {
    uint64_t value = 0;
    for (unsigned i = 0; i < n; i++)
        value |= (uint64_t)at[i] << 8 * i;
    return value;
}

static uint32_t sum_of(const uint8_t *block, size_t n_payload) {
    uLong crc = crc32(0, block, UBI__UBIREC_BLOCK_CRC_AT);
    return (uint32_t)crc32(crc, block + UBI__UBIREC_BLOCK_HEADER_BYTES, (uInt)n_payload);
}

/* ---- writing ------------------------------------------------------------------------------------------------------ */

static void gather_numbers(uint64_t numbers[UBI__UBIREC_INDEX_NUMBERS], const ubi__ubirec_index *index) {
    const uint64_t first[COUNTERS_AT] = { index->n_blocks,
                                          index->time_ns,
                                          index->n_allocations,
                                          index->n_frees,
                                          index->n_markers,
                                          index->n_threads,
                                          index->n_modules,
                                          index->n_frames,
                                          index->n_traces,
                                          index->is_exact,
                                          index->has_end ? (uint64_t)index->end.reason + 1 : 0,
                                          index->has_end ? index->end.value : 0 };
    memcpy(numbers, first, sizeof first);
    memcpy(numbers + COUNTERS_AT, index->counters, sizeof index->counters);
}

void ubi__ubirec_index_write(uint8_t out[UBI__UBIREC_INDEX_BYTES], const ubi__ubirec_index *index) {
    const size_t n_payload = UBI__UBIREC_INDEX_BYTES - UBI__UBIREC_BLOCK_HEADER_BYTES;
    uint64_t numbers[UBI__UBIREC_INDEX_NUMBERS];
    uint8_t *at = out + UBI__UBIREC_BLOCK_HEADER_BYTES;
    memset(out, 0, UBI__UBIREC_BLOCK_HEADER_BYTES);
    out[0] = UBI__UBIREC_BLOCK_INDEX;
    put_number(out + 4, n_payload, 4);
    put_number(out + 8, n_payload, 4);
    gather_numbers(numbers, index);
    put_number(at, UBI__UBIREC_INDEX_NUMBERS, 8);
    for (size_t i = 0; i < UBI__UBIREC_INDEX_NUMBERS; i++)
        put_number(at + 8 * (1 + i), numbers[i], 8);
    at += 8 * (1 + UBI__UBIREC_INDEX_NUMBERS);
    put_number(at, n_payload, 8);
    memcpy(at + 8, TAG, TAG_BYTES);
    put_number(out + UBI__UBIREC_BLOCK_CRC_AT, sum_of(out, n_payload), 4);
    if (UBI_CHECKS) { /* what is written is what is read */
        ubi__ubirec_index same;
        UBI_ASSERT(ubi__ubirec_index_read(&same, out, UBI__UBIREC_INDEX_BYTES));
        UBI_ASSERT(same.n_allocations == index->n_allocations && same.n_frees == index->n_frees);
        UBI_ASSERT(same.has_end == index->has_end && (!same.has_end || same.end.reason == index->end.reason));
        UBI_ASSERT(memcmp(same.counters, index->counters, sizeof same.counters) == 0);
    }
}

/* ---- reading ------------------------------------------------------------------------------------------------------ */

/* The block that ends where the file does, or NULL. */
static const uint8_t *block_at_end(const uint8_t *tail, size_t n, size_t *n_payload) {
    if (n < UBI__UBIREC_BLOCK_HEADER_BYTES + 8 * (1 + COUNTERS_AT + 2) ||
        memcmp(tail + n - TAG_BYTES, TAG, TAG_BYTES) != 0)
        return NULL;
    uint64_t payload = get_number(tail + n - 16, 8);
    if (payload > n - UBI__UBIREC_BLOCK_HEADER_BYTES || payload < 8 * (1 + COUNTERS_AT + 2))
        return NULL;
    UBI_ASSERT(payload + UBI__UBIREC_BLOCK_HEADER_BYTES <= n);
    const uint8_t *block = tail + n - payload - UBI__UBIREC_BLOCK_HEADER_BYTES;
    *n_payload = (size_t)payload;
    bool is_good = block[0] == UBI__UBIREC_BLOCK_INDEX && get_number(block + 1, 3) == 0 &&
                   get_number(block + 4, 4) == payload && get_number(block + 8, 4) == payload &&
                   get_number(block + UBI__UBIREC_BLOCK_CRC_AT, 4) == sum_of(block, *n_payload);
    return is_good ? block : NULL;
}

bool ubi__ubirec_index_read(ubi__ubirec_index *out, const uint8_t *tail, size_t n) {
    size_t n_payload;
    const uint8_t *block = block_at_end(tail, n, &n_payload);
    if (!block)
        return false;
    const uint8_t *at = block + UBI__UBIREC_BLOCK_HEADER_BYTES;
    uint64_t n_numbers = get_number(at, 8), numbers[UBI__UBIREC_INDEX_NUMBERS] = { 0 };
    if (n_numbers < COUNTERS_AT || n_numbers != n_payload / 8 - 3 || n_payload % 8)
        return false;
    /* Counters that this version does not know are passed over; those that are not there are 0. */
    for (size_t i = 0; i < n_numbers && i < UBI__UBIREC_INDEX_NUMBERS; i++)
        numbers[i] = get_number(at + 8 * (1 + i), 8);
    if (numbers[9] > 1 || numbers[10] > UBI__UBIREC_END_REASON_COUNT || numbers[11] > UINT32_MAX)
        return false;
    *out = (ubi__ubirec_index){ .n_blocks = numbers[0],
                                .time_ns = numbers[1],
                                .n_allocations = numbers[2],
                                .n_frees = numbers[3],
                                .n_markers = numbers[4],
                                .n_threads = numbers[5],
                                .n_modules = numbers[6],
                                .n_frames = numbers[7],
                                .n_traces = numbers[8],
                                .is_exact = numbers[9],
                                .has_end = numbers[10] };
    if (out->has_end)
        out->end = (ubi__ubirec_end){ (ubi__ubirec_end_reason)(numbers[10] - 1), (uint32_t)numbers[11] };
    memcpy(out->counters, numbers + COUNTERS_AT, sizeof out->counters);
    return true;
}

bool ubi__ubirec_index_find(ubi__ubirec_index *out, const ubi__source *s) {
    uint8_t tail[UBI__UBIREC_INDEX_MAX];
    struct stat about;
    if (s->memory) {
        size_t n = s->size < sizeof tail ? (size_t)s->size : sizeof tail;
        return ubi__ubirec_index_read(out, s->memory + s->size - n, n);
    }
    if (s->fd < 0 || s->start < 0 || fstat(s->fd, &about) != 0 || about.st_size <= s->start)
        return false;
    uint64_t size = (uint64_t)(about.st_size - s->start);
    size_t n = size < sizeof tail ? (size_t)size : sizeof tail;
    ssize_t got = pread(s->fd, tail, n, about.st_size - (off_t)n);
    return got == (ssize_t)n && ubi__ubirec_index_read(out, tail, n);
}
