/* SPDX-License-Identifier: MIT
 *
 * column_file_layout.h: what a file of columns is made of beside them; docs/formats/ubindex.md.
 */
#ifndef UBI_BASE_COLUMN_FILE_LAYOUT_H
#define UBI_BASE_COLUMN_FILE_LAYOUT_H

#include <isa-l/crc64.h>

#include "base/column_file.h"

#define UBI__COLUMN_MAGIC "ubindex\n"
#define UBI__COLUMN_BYTE_ORDER UINT32_C(0x01020304)

/** The first bytes. */
typedef struct ubi__column_header {
    char magic[8];
    uint32_t byte_order; /* as the machine writes UBI__COLUMN_BYTE_ORDER */
    uint32_t version;
    uint64_t n_note;
    uint8_t note[UBI__COLUMN_HEADER_BYTES - 32];
    uint64_t checksum; /* of all before */
} ubi__column_header;
_Static_assert(sizeof(ubi__column_header) == UBI__COLUMN_HEADER_BYTES, "columns come after it");
_Static_assert(UBI__COLUMN_NOTE_BYTES <= sizeof((ubi__column_header *)0)->note, "it has room");

/** The last bytes. The table begins where a column may, the checksums right after it. */
typedef struct ubi__column_trailer {
    uint64_t table_offset_bytes;
    uint64_t n_rows, n_checksums;
    uint64_t table_checksum; /* of table and checksums */
    uint64_t checksum;       /* of all before in the trailer */
} ubi__column_trailer;

/** `place` makes equal bytes at different places differ. */
static inline uint64_t ubi__column_checksum(uint64_t place, const void *bytes, size_t n) {
    return crc64_ecma_refl(place, bytes, n);
}

static inline size_t ubi__column_blocks(uint64_t size_bytes) {
    return (size_t)(size_bytes / UBI__COLUMN_BLOCK_BYTES + (size_bytes % UBI__COLUMN_BLOCK_BYTES != 0));
}

/** Bytes of a block of a column. */
static inline size_t ubi__column_block_bytes(uint64_t size_bytes, size_t block) {
    uint64_t left = size_bytes - (uint64_t)block * UBI__COLUMN_BLOCK_BYTES;
    return left < UBI__COLUMN_BLOCK_BYTES ? (size_t)left : UBI__COLUMN_BLOCK_BYTES;
}

/* The two directions of ubi__columns_array. */
ubi_status ubi__columns_put(ubi__columns *c, const char *name, const void *at, size_t n, size_t item_bytes);
ubi_status ubi__columns_get(ubi__columns *c, const char *name, void **at, size_t *n, size_t item_bytes,
                            const ubi__column_rule *rule);
/** UBI_EFORMAT: the column is not what it must be. */
ubi_status ubi__columns_fail(const ubi__columns *c, const char *name);

#endif
