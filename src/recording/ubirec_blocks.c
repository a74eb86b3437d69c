/* SPDX-License-Identifier: MIT
 *
 * ubirec_blocks.c: see ubirec_blocks.h.
 *
 * A block is read into `stored`, and inflated into one of two buffers, while the other one belongs to the caller. ISA-L, which is fast,
 * is asked first; what it does not like is given to zlib, which knows best whether it is right.
 */
#include "recording/ubirec_blocks.h"

#include <inttypes.h>
#include <isa-l/crc.h>
#include <isa-l/igzip_lib.h>
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "base/inflate.h"
#include "base/parallel.h"
#include "base/zlib_memory.h"

#define GZIP_WINDOW (15 | 16)
#define GZIP_FLAGS_AT 3
#define GZIP_BYTES_LEAST 18

typedef struct block_buffer {
    ubi__ubirec_block block;
    ubi_status status;
    char message[512]; /* of `status`, which may be of another thread */
    uint8_t raw[UBI__UBIREC_BLOCK_RAW_MAX];
} block_buffer;

struct ubi__ubirec_blocks {
    const ubi_allocator *allocator;
    block_buffer *buffers[2]; /* buffers[filling] is filled next; without a second thread there is only the first */
    unsigned filling;
    ubi__helper helper;
    ubi__chore chore;
    bool is_given; /* the chore */
    /* of who fills */
    ubi__source *source;
    uint64_t position; /* bytes taken from the source */
    z_stream zlib;
    bool has_zlib;
    struct inflate_state isal;
    uint8_t header[UBI__UBIREC_BLOCK_HEADER_BYTES];
    uint8_t stored[UBI__UBIREC_BLOCK_RAW_MAX];
};

/* ---- bytes ----------------------------------------------------------------------------------------------------------- */

static uint32_t get_u32(const uint8_t *at) {
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

/* As many as there are, up to n: sources may give them in pieces. */
static ubi_status read_bytes(ubi__ubirec_blocks *b, uint8_t *out, size_t n, size_t *got) {
    *got = 0;
    while (*got < n) {
        size_t piece;
        UBI_TRY(ubi__source_read(b->source, out + *got, n - *got, &piece));
        if (piece == 0)
            break;
        *got += piece;
    }
    b->position += *got;
    return UBI_OK;
}

static ubi_status fail_block(const ubi__ubirec_block *block, const char *expected) {
    return ubi__fail(UBI_EFORMAT, "block at byte %" PRIu64 ": expected %s", block->at, expected);
}

/* ---- the header of the file ------------------------------------------------------------------------------------------ */

static ubi_status read_header(ubi__ubirec_blocks *b) {
    uint8_t header[UBI__UBIREC_HEADER_BYTES];
    size_t n;
    UBI_TRY(read_bytes(b, header, sizeof header, &n));
    if (n < UBI__UBIREC_MAGIC_BYTES || memcmp(header, UBI__UBIREC_MAGIC, UBI__UBIREC_MAGIC_BYTES) != 0)
        return ubi__fail(UBI_EFORMAT, "byte 0: expected the beginning of a recording");
    if (n < sizeof header)
        return ubi__fail(UBI_EFORMAT, "the file ends at byte %zu, in the middle of its header: %s", n,
                         ubi__damage_advice(UBI__END_TRUNCATED));
    uint32_t version = get_u32(header + UBI__UBIREC_MAGIC_BYTES);
    if (version != UBI__UBIREC_VERSION)
        return ubi__fail(UBI_EFORMAT, "byte %d: expected version %d of recordings, not %" PRIu32,
                         UBI__UBIREC_MAGIC_BYTES, UBI__UBIREC_VERSION, version);
    if (get_u32(header + UBI__UBIREC_MAGIC_BYTES + 4) != 0)
        return ubi__fail(UBI_EFORMAT, "byte %d: expected 4 bytes of 0", UBI__UBIREC_MAGIC_BYTES + 4);
    return UBI_OK;
}

/* They are large, and their raw bytes are read when they are filled. */
static block_buffer *buffer_new(const ubi_allocator *a) {
    block_buffer *buffer = a->alloc(a->ctx, sizeof *buffer);
    if (buffer)
        memset(buffer, 0, offsetof(block_buffer, raw));
    return buffer;
}

ubi_status ubi__ubirec_blocks_new(ubi__ubirec_blocks **out, ubi__source *source, const ubi_allocator *allocator) {
    const ubi_allocator *a = ubi__allocator_or_default(allocator);
    ubi__ubirec_blocks *b = a->alloc(a->ctx, sizeof *b);
    if (!b)
        return ubi__fail_nomem();
    memset(b, 0, offsetof(ubi__ubirec_blocks, isal));
    b->allocator = a;
    b->source = source;
    b->buffers[0] = buffer_new(a);
    ubi_status status = b->buffers[0] ? read_header(b) : ubi__fail_nomem();
    if (status != UBI_OK) {
        ubi__ubirec_blocks_free(b);
        return status;
    }
    *out = b;
    return UBI_OK;
}

void ubi__ubirec_blocks_free(ubi__ubirec_blocks *b) {
    if (!b)
        return;
    if (b->buffers[1])
        ubi__helper_stop(&b->helper);
    if (b->has_zlib)
        (void)inflateEnd(&b->zlib);
    for (int i = 0; i < 2; i++)
        UBI_DELETE(b->allocator, b->buffers[i]);
    UBI_DELETE(b->allocator, b);
}

/* ---- inflating ------------------------------------------------------------------------------------------------------- */

/* False: ask zlib. Only plain headers: it lets flags pass that are reserved. */
static bool isal_inflate_block(ubi__ubirec_blocks *b, uint8_t *raw, size_t n_stored, size_t n_raw) {
    if (n_stored < GZIP_BYTES_LEAST || b->stored[GZIP_FLAGS_AT] != 0)
        return false;
    isal_inflate_init(&b->isal);
    b->isal.crc_flag = ISAL_GZIP;
    b->isal.next_in = b->stored;
    b->isal.avail_in = (uint32_t)n_stored;
    b->isal.next_out = raw;
    b->isal.avail_out = (uint32_t)n_raw;
    return isal_inflate_stateless(&b->isal) == ISAL_DECOMP_OK && b->isal.block_state == ISAL_BLOCK_FINISH &&
           b->isal.avail_out == 0 && b->isal.avail_in == 0;
}

/* Starts the inflater, or starts it again. */
static ubi_status ready_zlib(ubi__ubirec_blocks *b) {
    if (b->has_zlib) {
        (void)inflateReset(&b->zlib);
        return UBI_OK;
    }
    ubi__zlib_use(&b->zlib, b->allocator);
    if (inflateInit2(&b->zlib, GZIP_WINDOW) != Z_OK)
        return ubi__fail_nomem();
    b->has_zlib = true;
    return UBI_OK;
}

static ubi_status zlib_inflate_block(ubi__ubirec_blocks *b, block_buffer *to, size_t n_stored, size_t n_raw) {
    UBI_TRY(ready_zlib(b));
    b->zlib.next_in = b->stored;
    b->zlib.avail_in = (uInt)n_stored;
    b->zlib.next_out = to->raw;
    b->zlib.avail_out = (uInt)n_raw;
    int code = inflate(&b->zlib, Z_FINISH);
    if (code == Z_MEM_ERROR)
        return ubi__fail_nomem();
    if (code != Z_STREAM_END || b->zlib.avail_out || b->zlib.avail_in)
        return fail_block(&to->block, "a gzip member of the size that its header says");
    return UBI_OK;
}

/* ---- blocks ---------------------------------------------------------------------------------------------------------- */

static ubi_status check_sizes(const block_buffer *to, size_t n_stored, size_t n_raw) {
    if (n_stored == 0 || n_stored > UBI__UBIREC_BLOCK_RAW_MAX)
        return fail_block(&to->block, "a stored size of 1 to 262144 bytes");
    if (n_raw == 0 || n_raw > sizeof to->raw)
        return fail_block(&to->block, "1 to 262144 bytes of records");
    return UBI_OK;
}

static ubi_status check_sum(const ubi__ubirec_blocks *b, const block_buffer *to, size_t n_stored) {
    uLong crc = crc32(0, b->header, UBI__UBIREC_BLOCK_CRC_AT);
    crc = crc32_gzip_refl((uint32_t)crc, b->stored, n_stored);
    if (crc == get_u32(b->header + UBI__UBIREC_BLOCK_CRC_AT))
        return UBI_OK;
    return ubi__fail(UBI_EFORMAT, "block at byte %" PRIu64 " is damaged: its checksum is wrong", to->block.at);
}

/* The whole block is in `stored`, and its sum is right. */
static ubi_status open_block(ubi__ubirec_blocks *b, block_buffer *to, size_t n_stored, size_t n_raw) {
    uint8_t type = b->header[0], flags = b->header[1];
    if (type >= UBI__UBIREC_BLOCK_OPTIONAL)
        return UBI_OK;
    if (type != UBI__UBIREC_BLOCK_RECORDS || flags > UBI__UBIREC_BLOCK_DEFLATED)
        return fail_block(&to->block, "a type and flags that this version of ubiheap knows");
    if (flags & UBI__UBIREC_BLOCK_DEFLATED) {
        if (!isal_inflate_block(b, to->raw, n_stored, n_raw))
            UBI_TRY(zlib_inflate_block(b, to, n_stored, n_raw));
    } else {
        if (n_stored != n_raw)
            return fail_block(&to->block, "as many bytes stored as there are of records");
        memcpy(to->raw, b->stored, n_raw);
    }
    to->block.records = to->raw;
    to->block.n = n_raw;
    return UBI_OK;
}

static ubi_status end_torn(ubi__ubirec_blocks *b, block_buffer *to) {
    to->block.torn_bytes = b->position - to->block.at;
    to->block.is_end = true;
    return UBI_OK;
}

static ubi_status read_block(ubi__ubirec_blocks *b, block_buffer *to) {
    size_t n;
    to->block = (ubi__ubirec_block){ .at = b->position };
    UBI_TRY(read_bytes(b, b->header, sizeof b->header, &n));
    if (n < sizeof b->header)
        return end_torn(b, to);
    size_t n_stored = get_u32(b->header + 4), n_raw = get_u32(b->header + 8);
    UBI_TRY(check_sizes(to, n_stored, n_raw));
    UBI_TRY(read_bytes(b, b->stored, n_stored, &n));
    if (n < n_stored)
        return end_torn(b, to);
    UBI_TRY(check_sum(b, to, n_stored));
    return open_block(b, to, n_stored, n_raw);
}

/* On either thread. */
static void buffer_fill(void *payload) {
    ubi__ubirec_blocks *b = payload;
    block_buffer *to = b->buffers[b->filling];
    to->status = read_block(b, to);
    if (to->status != UBI_OK)
        snprintf(to->message, sizeof to->message, "%s", ubi_error_message());
    to->block.end = b->position;
}

ubi_status ubi__ubirec_blocks_go(ubi__ubirec_blocks *b, uint64_t position) {
    UBI_ASSERT(!b->is_given);
    if (!ubi__source_go(b->source, position))
        return ubi__fail(UBI_EINVAL, "the recording cannot be read from the middle");
    b->position = position;
    return UBI_OK;
}

/* ---- reading ahead --------------------------------------------------------------------------------------------------- */

void ubi__ubirec_blocks_read_ahead(ubi__ubirec_blocks *b, unsigned threads) {
    if (threads < 2 || b->source->fn || b->buffers[1])
        return;
    b->buffers[1] = buffer_new(b->allocator);
    if (b->buffers[1])
        ubi__helper_start(&b->helper, threads);
}

static void fill_give(ubi__ubirec_blocks *b) {
    b->chore = (ubi__chore){ .fn = NULL };
    ubi__helper_give(&b->helper, &b->chore, buffer_fill, b);
    b->is_given = true;
}

/* Nothing is read after the end, or after what is wrong. */
ubi_status ubi__ubirec_blocks_next(ubi__ubirec_blocks *b, ubi__ubirec_block *out) {
    bool is_ahead = b->buffers[1] != NULL;
    if (b->is_given)
        ubi__helper_wait(&b->helper, &b->chore, NULL);
    else
        buffer_fill(b);
    b->is_given = false;
    const block_buffer *filled = b->buffers[b->filling];
    *out = filled->block;
    if (filled->status != UBI_OK)
        return ubi__fail(filled->status, "%s", filled->message);
    b->filling ^= is_ahead;
    if (is_ahead && !filled->block.is_end)
        fill_give(b);
    return UBI_OK;
}
