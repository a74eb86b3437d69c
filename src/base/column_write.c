/* SPDX-License-Identifier: MIT
 *
 * column_write.c: writing a file of columns (column_file.h), front to back.
 */
#include <string.h>

#include "base/assert.h"
#include "base/column_file_layout.h"
#include "base/status.h"

static ubi_status bytes_put(ubi__column_writer *w, const void *bytes, size_t n) {
    UBI_TRY(w->write(w->payload, bytes, n));
    w->n_bytes += n;
    return UBI_OK;
}

static ubi_status gap_fill(ubi__column_writer *w) {
    static const uint8_t zeros[UBI__COLUMN_ALIGN_BYTES];
    size_t n = (size_t)(-w->n_bytes % UBI__COLUMN_ALIGN_BYTES);
    return n ? bytes_put(w, zeros, n) : UBI_OK;
}

ubi_status ubi__column_writer_begin(ubi__column_writer *w, ubi__write_fn write, void *payload, const void *note,
                                    size_t n_note, const ubi_allocator *allocator) {
    ubi__column_header header = { .byte_order = UBI__COLUMN_BYTE_ORDER, .version = UBI__COLUMN_FILE_VERSION };
    UBI_ASSERT(n_note <= UBI__COLUMN_NOTE_BYTES);
    *w = (ubi__column_writer){ .allocator = ubi__allocator_or_default(allocator), .write = write, .payload = payload };
    memcpy(header.magic, UBI__COLUMN_MAGIC, sizeof header.magic);
    header.n_note = n_note;
    if (n_note)
        memcpy(header.note, note, n_note);
    header.checksum = ubi__column_checksum(0, &header, offsetof(ubi__column_header, checksum));
    return bytes_put(w, &header, sizeof header);
}

void ubi__column_writer_fini(ubi__column_writer *w) {
    if (!w->allocator)
        return;
    ubi__vec_column_row_fini(&w->rows, w->allocator);
    ubi__vec_u64_fini(&w->checksums, w->allocator);
}

static ubi_status blocks_put(ubi__column_writer *w, const uint8_t *bytes, uint64_t size_bytes) {
    for (size_t block = 0; block < ubi__column_blocks(size_bytes); block++) {
        const uint8_t *at = bytes + block * UBI__COLUMN_BLOCK_BYTES;
        size_t n = ubi__column_block_bytes(size_bytes, block);
        if (!ubi__pulse_at(w->pulse, "writing the index", w->n_bytes, 0))
            return ubi__fail_cancelled();
        UBI_TRY(ubi__vec_u64_push(&w->checksums, w->allocator, ubi__column_checksum(w->checksums.n, at, n)));
        UBI_TRY(bytes_put(w, at, n));
    }
    return UBI_OK;
}

ubi_status ubi__columns_put(ubi__columns *c, const char *name, const void *at, size_t n, size_t item_bytes) {
    ubi__column_writer *w = c->writer;
    ubi__column_row row = { .size_bytes = (uint64_t)n * item_bytes, .item_bytes = (uint32_t)item_bytes };
    size_t n_scope = strlen(c->scope), n_name = strlen(name);
    UBI_ASSERT(n_scope + 1 + n_name < sizeof row.name && item_bytes > 0);
    memcpy(row.name, c->scope, n_scope);
    row.name[n_scope] = '/';
    memcpy(row.name + n_scope + 1, name, n_name);
    UBI_TRY(gap_fill(w));
    row.offset_bytes = w->n_bytes;
    row.first_checksum = w->checksums.n;
    UBI_TRY(ubi__vec_column_row_push(&w->rows, w->allocator, row));
    return blocks_put(w, at, row.size_bytes);
}

ubi_status ubi__column_writer_end(ubi__column_writer *w) {
    ubi__column_trailer trailer = { .n_rows = w->rows.n, .n_checksums = w->checksums.n };
    size_t rows_bytes = w->rows.n * sizeof *w->rows.at, checksums_bytes = w->checksums.n * sizeof *w->checksums.at;
    UBI_TRY(gap_fill(w));
    trailer.table_offset_bytes = w->n_bytes;
    trailer.table_checksum = ubi__column_checksum(rows_bytes, w->rows.at, rows_bytes);
    trailer.table_checksum = ubi__column_checksum(trailer.table_checksum, w->checksums.at, checksums_bytes);
    trailer.checksum = ubi__column_checksum(w->n_bytes, &trailer, offsetof(ubi__column_trailer, checksum));
    if (rows_bytes)
        UBI_TRY(bytes_put(w, w->rows.at, rows_bytes));
    if (checksums_bytes)
        UBI_TRY(bytes_put(w, w->checksums.at, checksums_bytes));
    return bytes_put(w, &trailer, sizeof trailer);
}
