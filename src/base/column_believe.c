/* SPDX-License-Identifier: MIT
 *
 * column_believe.c: a column that is read is compared with its checksums and its rule (column_file.h).
 *
 * Blocks are read from the file into buffers, one for each thread, which stay in the processor's cache. What is mapped is the same pages
 * of the system; they become part of the process where an answer looks into them.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/column_file_layout.h"
#include "base/parallel.h"
#include "base/status.h"

static const ubi__column_row *row_find(const ubi__columns *c, const char *name) {
    size_t n = strlen(c->scope);
    for (size_t i = 0; i < c->file->n_rows; i++) {
        const char *known = c->file->rows[i].name;
        if (strncmp(known, c->scope, n) == 0 && known[n] == '/' && strcmp(known + n + 1, name) == 0)
            return &c->file->rows[i];
    }
    return NULL;
}

ubi_status ubi__columns_fail(const ubi__columns *c, const char *name) {
    return ubi__fail(UBI_EFORMAT, "the index is damaged: %s/%s", c->scope, name);
}

typedef struct column_belief {
    const ubi__column_file *file;
    const ubi__column_row *row;
    const ubi__column_rule *rule; /* or NULL */
    ubi__pulse *pulse;
    uint8_t *buffers; /* a buffer per thread; NULL: the file is looked into */
    size_t buffer_bytes;
    _Atomic bool is_damaged;
} column_belief;

/**
 * A block, and the items that are looked at with it: those that begin in it, the last of which may end in the next block, and the one
 * before. Bytes and numbers are of the column.
 */
typedef struct block_extent {
    uint64_t begin, end; /* the block */
    size_t first, last;  /* items that begin in it: [first, last) */
    uint64_t from, to;   /* bytes of all */
} block_extent;

static block_extent block_extent_of(const ubi__column_row *row, size_t block) {
    uint64_t item = row->item_bytes;
    block_extent x = { .begin = (uint64_t)block * UBI__COLUMN_BLOCK_BYTES };
    x.end = x.begin + ubi__column_block_bytes(row->size_bytes, block);
    x.first = (size_t)((x.begin + item - 1) / item);
    x.last = (size_t)((x.end + item - 1) / item);
    x.from = x.first > 0 ? (x.first - 1) * item : 0;
    x.to = x.last * item;
    return x;
}

/* The most that an extent of a block has. */
static size_t extent_most_bytes(const ubi__column_row *row) {
    return ubi__column_block_bytes(row->size_bytes, 0) + 2 * (size_t)row->item_bytes;
}

static bool bytes_read(int fd, uint8_t *to, size_t n, uint64_t place) {
    while (n > 0) {
        ssize_t n_read = pread(fd, to, n, (off_t)place);
        if (n_read < 0 && errno == EINTR)
            continue;
        if (n_read <= 0) /* an error of the disk, or the file was cut short: as if it were damaged */
            return false;
        to += n_read;
        n -= (size_t)n_read;
        place += (uint64_t)n_read;
    }
    return true;
}

/* The bytes [x->from, x->to) of the column, or NULL: they cannot be read. Items are aligned as in the file. */
static const uint8_t *extent_bytes(const column_belief *b, const block_extent *x, unsigned part) {
    uint64_t place = b->row->offset_bytes + x->from;
    if (!b->buffers)
        return b->file->bytes + place;
    uint8_t *to = b->buffers + part * b->buffer_bytes + x->from % UBI__COLUMN_ALIGN_BYTES;
    return bytes_read(b->file->fd, to, (size_t)(x->to - x->from), place) ? to : NULL;
}

static bool block_is_right(const column_belief *b, size_t block, unsigned part) {
    block_extent x = block_extent_of(b->row, block);
    size_t checksum = (size_t)(b->row->first_checksum + block);
    const uint8_t *bytes = extent_bytes(b, &x, part);
    if (!bytes || ubi__column_checksum(checksum, bytes + (x.begin - x.from), (size_t)(x.end - x.begin)) !=
                      b->file->checksums[checksum])
        return false;
    const uint8_t *items = bytes + ((uint64_t)x.first * b->row->item_bytes - x.from);
    return !b->rule || b->rule->holds(b->rule, items, x.first, x.last - x.first);
}

static void blocks_look_at(void *payload, uint64_t begin, uint64_t end, unsigned part) {
    column_belief *b = payload;
    for (uint64_t block = begin; block < end && !b->is_damaged; block++) {
        if (!ubi__pulse_at(b->pulse, "reading the index", 0, 0))
            return;
        if (!block_is_right(b, (size_t)block, part))
            b->is_damaged = true;
    }
}

/* Blocks that a thread takes at least. */
#define GRAIN 4

static ubi_status column_believe(column_belief *b, ubi__columns *c, const char *name) {
    size_t n_blocks = ubi__column_blocks(b->row->size_bytes), n_most = (n_blocks + GRAIN - 1) / GRAIN, room = 0;
    unsigned threads = ubi__thread_count(c->threads);
    threads = n_most < threads ? (unsigned)n_most : threads;
    if (b->file->fd >= 0 && threads > 0) {
        size_t most = extent_most_bytes(b->row) + UBI__COLUMN_ALIGN_BYTES;
        b->buffer_bytes = (most + UBI__COLUMN_ALIGN_BYTES - 1) / UBI__COLUMN_ALIGN_BYTES * UBI__COLUMN_ALIGN_BYTES;
        room = threads * b->buffer_bytes + UBI__COLUMN_ALIGN_BYTES;
    }
    uint8_t *buffers = room ? c->allocator->alloc(c->allocator->ctx, room) : NULL;
    if (room && !buffers)
        return ubi__fail_nomem();
    if (buffers) /* the first multiple of the alignment */
        b->buffers = buffers + (UBI__COLUMN_ALIGN_BYTES - (uintptr_t)buffers % UBI__COLUMN_ALIGN_BYTES);
    ubi__parallel_ranges(threads, n_blocks, GRAIN, blocks_look_at, b);
    if (buffers)
        c->allocator->free(c->allocator->ctx, buffers, room);
    if (ubi__pulse_is_stopped(b->pulse))
        return ubi__fail_cancelled();
    return b->is_damaged ? ubi__columns_fail(c, name) : UBI_OK;
}

ubi_status ubi__columns_get(ubi__columns *c, const char *name, void **at, size_t *n, size_t item_bytes,
                            const ubi__column_rule *rule) {
    const ubi__column_row *row = row_find(c, name);
    ubi__pulse pulse = ubi__pulse_of(c->progress);
    if (!ubi__pulse_at(&pulse, "reading the index", 0, 0))
        return ubi__fail_cancelled();
    if (!row || row->item_bytes != item_bytes)
        return ubi__columns_fail(c, name);
    column_belief belief = { .file = c->file, .row = row, .rule = rule, .pulse = &pulse };
    UBI_TRY(column_believe(&belief, c, name));
    *n = (size_t)(row->size_bytes / item_bytes);
    *at = *n ? (void *)(uintptr_t)(c->file->bytes + row->offset_bytes) : NULL;
    return UBI_OK;
}
