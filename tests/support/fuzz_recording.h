/* SPDX-License-Identifier: MIT
 *
 * fuzz_recording.h: a recording whose only block has any bytes for records: a checksum would keep a fuzzer out.
 */
#ifndef UBI_TESTS_SUPPORT_FUZZ_RECORDING_H
#define UBI_TESTS_SUPPORT_FUZZ_RECORDING_H

#include <zlib.h>

#include "packing.h"
#include "recording/ubirec_layout.h"

static inline void fuzz_put_u32(uint8_t *at, size_t value) {
    for (unsigned i = 0; i < 4; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

/** @param data  data[size], at most UBI__UBIREC_BLOCK_RAW_MAX. */
static inline bytes fuzz_recording_of(const uint8_t *data, size_t size) {
    uint8_t head[UBI__UBIREC_HEADER_BYTES + UBI__UBIREC_BLOCK_HEADER_BYTES] = UBI__UBIREC_MAGIC;
    uint8_t *block = head + UBI__UBIREC_HEADER_BYTES;
    bytes file = { 0 };
    head[UBI__UBIREC_MAGIC_BYTES] = UBI__UBIREC_VERSION;
    block[0] = UBI__UBIREC_BLOCK_RECORDS;
    fuzz_put_u32(block + 4, size);
    fuzz_put_u32(block + 8, size);
    fuzz_put_u32(block + UBI__UBIREC_BLOCK_CRC_AT, crc32(crc32(0, block, UBI__UBIREC_BLOCK_CRC_AT), data, (uInt)size));
    bytes_add(&file, head, sizeof head);
    bytes_add(&file, data, size);
    return file;
}

#endif
