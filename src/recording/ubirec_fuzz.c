/* SPDX-License-Identifier: MIT
 *
 * Any bytes at all through the reader of recordings and what is computed from them. Promises checked:
 *
 *   - a refusal is UBI_EFORMAT and has a message of one line; so has a fault after the first record
 *   - how the bytes arrive does not matter
 *   - sums agree with each other: what lives is what was allocated and not freed, and never more than at the peak
 *   - all memory is given back, and there is never more of it than the records justify
 *
 * A checksum would keep the fuzzer out, so the input is the records of a block, of which a file is made; when it begins as a
 * file, it is one.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fail_allocator.h"
#include "fuzz_pieces.h"
#include "fuzz_recording.h"
#include "recording/recording_summary.h"

/* Buffers of the reader and first slots of tables, and what a byte of a record can turn into at most. */
#define FIXED_BYTES (UINT64_C(2) << 20)
#define BYTES_PER_BYTE 256

static void check_sums(const ubi__recording_summary *s) {
    for (int c = 0; c < UBI__UBIREC_CLASS_COUNT; c++) {
        const ubi__class_sums *sums = &s->classes[c];
        require(sums->live + sums->n_left == sums->count + sums->n_older - sums->n_frees,
                "what lives is not what was not freed");
        require(sums->live_bytes <= sums->peak_bytes, "more lives than the peak");
        ubi__estimate peak = ubi__class_estimate(s, (ubi__ubirec_class)c, UBI__MEASURE_PEAK);
        ubi__estimate live = ubi__class_estimate(s, (ubi__ubirec_class)c, UBI__MEASURE_LIVE);
        ubi__estimate leaked = ubi__class_estimate(s, (ubi__ubirec_class)c, UBI__MEASURE_LEAKED);
        require(live.samples == sums->live, "infos do not add up to their class");
        require(leaked.samples <= sums->live + sums->n_left, "more leaked than was not freed");
        require(!ubi__window_is_whole(&s->window) || leaked.samples == sums->live + sums->n_left,
                "of the whole, what lives did not leak");
        require(peak.bytes <= (double)sums->peak_bytes * 1.0000001, "more lived at the peak than the peak");
    }
}

typedef struct outcome {
    ubi_status status;
    uint64_t n_allocations, torn_bytes, time_ns;
    char message[256];
} outcome;

static outcome summarize(ubi__source *source, const ubi_allocator *allocator) {
    ubi__recording_summary s;
    outcome o = { .status = ubi__recording_summary_read(&s, source, NULL, allocator) };
    if (o.status == UBI_OK) {
        check_sums(&s);
        for (int c = 0; c < UBI__UBIREC_CLASS_COUNT; c++)
            o.n_allocations += s.classes[c].count;
        o.torn_bytes = s.torn_bytes;
        o.time_ns = s.time_ns;
        memcpy(o.message, s.fault, sizeof o.message);
        ubi__recording_summary_fini(&s);
    } else {
        require(o.status == UBI_EFORMAT, "neither accepted nor bad input");
        snprintf(o.message, sizeof o.message, "%s", ubi_error_message());
        require(o.message[0], "no message");
    }
    require(!strchr(o.message, '\n'), "message is not one line");
    return o;
}

/* Windows that begin and end at times of the file, or near them. */
static void try_window(const uint8_t *data, size_t size, uint64_t from_ns, uint64_t to_ns) {
    const ubi__summary_choice choice = { .window = { from_ns, to_ns }, .is_by_thread = from_ns % 2 != 0 };
    ubi__recording_summary s;
    ubi__source source;
    ubi__source_open_memory(&source, data, size, ubi_allocator_default());
    ubi_status status = ubi__recording_summary_read_choice(&s, &source, &choice, NULL, NULL);
    ubi__source_close(&source);
    require(status == UBI_OK || status == UBI_EFORMAT, "neither accepted nor bad input");
    if (status != UBI_OK)
        return;
    check_sums(&s);
    ubi__recording_summary_fini(&s);
}

static void try_windows(const uint8_t *data, size_t size, uint64_t end_ns) {
    uint64_t middle_ns = end_ns / 2;
    try_window(data, size, middle_ns, 0);
    try_window(data, size, 0, middle_ns + 1);
    try_window(data, size, middle_ns / 2, middle_ns + 1);
}

static outcome summarize_memory(const uint8_t *data, size_t size, size_t n_records) {
    fail_allocator f;
    ubi__source source;
    fail_allocator_init(&f, FAIL_ALLOCATOR_NEVER);
    ubi__source_open_memory(&source, data, size, &f.allocator);
    outcome o = summarize(&source, &f.allocator);
    ubi__source_close(&source);
    require(f.peak_bytes <= FIXED_BYTES + (size + n_records) * BYTES_PER_BYTE, "more memory than the records justify");
    fail_allocator_fini(&f);
    return o;
}

static void try_file(const uint8_t *data, size_t size, size_t n_records) {
    outcome whole = summarize_memory(data, size, n_records);
    feeder f = { data, size };
    ubi__source source;
    ubi__source_open_callback(&source, feed, &f, ubi_allocator_default());
    outcome pieces = summarize(&source, NULL);
    ubi__source_close(&source);
    if (whole.status == UBI_OK)
        try_windows(data, size, whole.time_ns);
    require(whole.status == pieces.status && whole.n_allocations == pieces.n_allocations &&
                whole.torn_bytes == pieces.torn_bytes && strcmp(whole.message, pieces.message) == 0,
            "short reads give another result");
}

static void try_records(const uint8_t *data, size_t size) {
    bytes file = fuzz_recording_of(data, size);
    try_file(file.at, file.n, size);
    bytes_free(&file);
}

/* The input as the payload of an index, of which the ends are good. */
static void try_index(const uint8_t *data, size_t size) {
    uint8_t tail[UBI__UBIREC_INDEX_MAX] = { UBI__UBIREC_BLOCK_INDEX };
    ubi__ubirec_index good = { 0 }, index;
    uint8_t whole[UBI__UBIREC_INDEX_BYTES];
    size_t n = size < 1024 ? size : 1024, n_payload = n + 16;
    ubi__ubirec_index_write(whole, &good);
    fuzz_put_u32(tail + 4, n_payload);
    fuzz_put_u32(tail + 8, n_payload);
    memcpy(tail + UBI__UBIREC_BLOCK_HEADER_BYTES, data, n);
    fuzz_put_u32(tail + UBI__UBIREC_BLOCK_HEADER_BYTES + n, n_payload);
    memcpy(tail + UBI__UBIREC_BLOCK_HEADER_BYTES + n + 8, whole + sizeof whole - 8, 8);
    uLong crc = crc32(0, tail, UBI__UBIREC_BLOCK_CRC_AT);
    crc = crc32(crc, tail + UBI__UBIREC_BLOCK_HEADER_BYTES, (uInt)n_payload);
    fuzz_put_u32(tail + UBI__UBIREC_BLOCK_CRC_AT, crc);
    if (ubi__ubirec_index_read(&index, tail, UBI__UBIREC_BLOCK_HEADER_BYTES + n_payload))
        require(!index.has_end || index.end.reason < UBI__UBIREC_END_REASON_COUNT, "an end that there is not");
    (void)ubi__ubirec_index_read(&index, data, size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    try_index(data, size);
    if (ubi__ubirec_guess(data, size))
        try_file(data, size, 4 * UBI__UBIREC_BLOCK_RAW_MAX); /* what a fuzzer's few bytes inflate to */
    else if (size && size <= UBI__UBIREC_BLOCK_RAW_MAX)
        try_records(data, size);
    return 0;
}
