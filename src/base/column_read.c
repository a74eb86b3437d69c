/* SPDX-License-Identifier: MIT
 *
 * column_read.c: opening a file of columns, and believing blocks of it (column_file.h).
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/column_file_layout.h"
#include "base/parallel.h"
#include "base/status.h"

/* ---- header, trailer, table ------------------------------------------------------------------------------------------ */

static ubi_status fail_damaged(const char *what) {
    return ubi__fail(UBI_EFORMAT, "the index is damaged: %s", what);
}

static ubi_status header_read(ubi__column_file *f) {
    const ubi__column_header *h = (const ubi__column_header *)f->bytes;
    if (f->n_bytes < sizeof *h + sizeof(ubi__column_trailer) || memcmp(h->magic, UBI__COLUMN_MAGIC, sizeof h->magic))
        return ubi__fail(UBI_EFORMAT, "this is not an index");
    if (h->byte_order != UBI__COLUMN_BYTE_ORDER)
        return ubi__fail(UBI_EFORMAT, "the index is of a machine with another byte order");
    if (h->version != UBI__COLUMN_FILE_VERSION)
        return ubi__fail(UBI_EFORMAT, "the index has version %u, expected %u", h->version, UBI__COLUMN_FILE_VERSION);
    if (ubi__column_checksum(0, h, offsetof(ubi__column_header, checksum)) != h->checksum ||
        h->n_note > UBI__COLUMN_NOTE_BYTES)
        return fail_damaged("its header");
    f->note = h->note;
    f->n_note = (size_t)h->n_note;
    return UBI_OK;
}

static bool row_is_sound(const ubi__column_row *row, uint64_t end_bytes, uint64_t n_checksums) {
    uint64_t n_blocks = ubi__column_blocks(row->size_bytes);
    return memchr(row->name, 0, sizeof row->name) && row->offset_bytes % UBI__COLUMN_ALIGN_BYTES == 0 &&
           row->offset_bytes <= end_bytes && row->size_bytes <= end_bytes - row->offset_bytes && row->item_bytes > 0 &&
           row->size_bytes % row->item_bytes == 0 && row->first_checksum <= n_checksums &&
           n_blocks <= n_checksums - row->first_checksum;
}

static ubi_status table_read(ubi__column_file *f) {
    ubi__column_trailer t; /* at no particular place */
    size_t trailer_at = f->n_bytes - sizeof t;
    memcpy(&t, f->bytes + trailer_at, sizeof t);
    if (t.table_offset_bytes % UBI__COLUMN_ALIGN_BYTES || t.table_offset_bytes > trailer_at)
        return fail_damaged("its end");
    size_t room = trailer_at - (size_t)t.table_offset_bytes;
    if (ubi__column_checksum(t.table_offset_bytes, &t, offsetof(ubi__column_trailer, checksum)) != t.checksum ||
        t.n_rows > room / sizeof *f->rows || t.n_checksums > room / sizeof *f->checksums ||
        t.n_rows * sizeof *f->rows + t.n_checksums * sizeof *f->checksums != room)
        return fail_damaged("its end");
    f->rows = (const ubi__column_row *)(f->bytes + t.table_offset_bytes);
    f->n_rows = (size_t)t.n_rows;
    f->checksums = (const uint64_t *)(f->rows + f->n_rows);
    f->n_checksums = (size_t)t.n_checksums;
    uint64_t checksum = ubi__column_checksum(f->n_rows * sizeof *f->rows, f->rows, f->n_rows * sizeof *f->rows);
    if (ubi__column_checksum(checksum, f->checksums, f->n_checksums * sizeof *f->checksums) != t.table_checksum)
        return fail_damaged("its table of columns");
    for (size_t i = 0; i < f->n_rows; i++)
        if (!row_is_sound(&f->rows[i], t.table_offset_bytes, f->n_checksums))
            return fail_damaged("its table of columns");
    return UBI_OK;
}

void ubi__column_file_check(const ubi__column_file *file) {
    uint64_t end_bytes = (uint64_t)((const uint8_t *)file->rows - file->bytes);
    for (size_t i = 0; UBI_CHECKS && i < file->n_rows; i++)
        UBI_ASSERT(row_is_sound(&file->rows[i], end_bytes, file->n_checksums));
    UBI_ASSERT(file->n_note <= UBI__COLUMN_NOTE_BYTES);
}

#define PAGE_BYTES ((size_t)4096)

/* ---- opening --------------------------------------------------------------------------------------------------------- */

static ubi_status file_open(ubi__column_file **out, const void *bytes, size_t n_bytes, bool is_mapped,
                            const ubi_allocator *allocator) {
    const ubi_allocator *a = ubi__allocator_or_default(allocator);
    ubi__column_file *f = UBI_NEW(a, ubi__column_file);
    if (!f) {
        if (is_mapped)
            munmap((void *)(uintptr_t)bytes, n_bytes);
        return ubi__fail_nomem();
    }
    *f = (ubi__column_file){ .allocator = a, .bytes = bytes, .n_bytes = n_bytes, .is_mapped = is_mapped };
    ubi_status status = header_read(f);
    if (status == UBI_OK)
        status = table_read(f);
    if (status != UBI_OK) {
        ubi__column_file_close(f);
        return status;
    }
    ubi__column_file_check(f);
    *out = f;
    return UBI_OK;
}

ubi_status ubi__column_file_of_memory(ubi__column_file **out, const void *bytes, size_t n_bytes,
                                      const ubi_allocator *allocator) {
    return file_open(out, bytes, n_bytes, false, allocator);
}

ubi_status ubi__column_file_open(ubi__column_file **out, int fd, const ubi_allocator *allocator) {
    struct stat about;
    if (fstat(fd, &about) != 0)
        return ubi__fail_errno(errno, "the index cannot be read");
    if (!S_ISREG(about.st_mode) || about.st_size <= 0 || (uint64_t)about.st_size > SIZE_MAX / 2)
        return ubi__fail(UBI_EFORMAT, "this is not an index");
    void *bytes = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_SHARED, fd, 0);
    if (bytes == MAP_FAILED)
        return ubi__fail_errno(errno, "the index cannot be mapped");
    return file_open(out, bytes, (size_t)about.st_size, true, allocator);
}

void ubi__column_file_close(ubi__column_file *file) {
    if (!file)
        return;
    if (file->is_mapped)
        munmap((void *)(uintptr_t)file->bytes, file->n_bytes);
    UBI_DELETE(file->allocator, file);
}

uint64_t ubi__column_file_resident_bytes(const ubi__column_file *file) {
    unsigned char pages[4096];
    uint64_t n_resident = 0;
    for (size_t at = 0; file->is_mapped && at < file->n_bytes; at += sizeof pages * PAGE_BYTES) {
        size_t left = file->n_bytes - at, most = sizeof pages * PAGE_BYTES, n = left < most ? left : most;
        if (mincore((void *)(uintptr_t)(file->bytes + at), n, pages) != 0)
            return 0;
        for (size_t i = 0; i < (n + PAGE_BYTES - 1) / PAGE_BYTES; i++)
            n_resident += pages[i] & 1;
    }
    return n_resident * PAGE_BYTES;
}

/* ---- memory ---------------------------------------------------------------------------------------------------------- */

static bool is_of_file(const ubi__column_memory *m, const void *p) {
    const uint8_t *at = p;
    return m->file && at >= m->file->bytes && at < m->file->bytes + m->file->n_bytes;
}

static void *memory_alloc(void *ctx, size_t n_bytes) {
    const ubi__column_memory *m = ctx;
    return m->below->alloc(m->below->ctx, n_bytes);
}

static void *memory_resize(void *ctx, void *p, size_t old_bytes, size_t new_bytes) {
    const ubi__column_memory *m = ctx;
    if (!is_of_file(m, p))
        return m->below->resize(m->below->ctx, p, old_bytes, new_bytes);
    void *copy = m->below->alloc(m->below->ctx, new_bytes);
    if (copy)
        memcpy(copy, p, old_bytes < new_bytes ? old_bytes : new_bytes);
    return copy;
}

static void memory_free(void *ctx, void *p, size_t n_bytes) {
    const ubi__column_memory *m = ctx;
    if (!is_of_file(m, p))
        m->below->free(m->below->ctx, p, n_bytes);
}

void ubi__column_memory_init(ubi__column_memory *memory, const ubi_allocator *below, const ubi__column_file *file) {
    *memory = (ubi__column_memory){ { memory_alloc, memory_resize, memory_free, memory }, below, file };
}

/* ---- columns --------------------------------------------------------------------------------------------------------- */

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
    _Atomic bool is_damaged;
} column_belief;

/* Items that begin in the block: their ends may be in the next one, which another thread looks at. */
static bool block_follows_rule(const column_belief *b, size_t block) {
    uint64_t begin = (uint64_t)block * UBI__COLUMN_BLOCK_BYTES, item = b->row->item_bytes;
    uint64_t end = begin + ubi__column_block_bytes(b->row->size_bytes, block);
    size_t first = (size_t)((begin + item - 1) / item), last = (size_t)((end + item - 1) / item);
    return !b->rule || b->rule->holds(b->rule, b->file->bytes + b->row->offset_bytes, first, last);
}

static void blocks_look_at(void *payload, uint64_t begin, uint64_t end, unsigned part) {
    column_belief *b = payload;
    (void)part;
    for (uint64_t block = begin; block < end && !b->is_damaged; block++) {
        size_t checksum = (size_t)(b->row->first_checksum + block), n;
        const uint8_t *at = b->file->bytes + b->row->offset_bytes + block * UBI__COLUMN_BLOCK_BYTES;
        n = ubi__column_block_bytes(b->row->size_bytes, (size_t)block);
        if (ubi__column_checksum(checksum, at, n) != b->file->checksums[checksum] ||
            !block_follows_rule(b, (size_t)block))
            b->is_damaged = true;
    }
}

ubi_status ubi__columns_get(ubi__columns *c, const char *name, void **at, size_t *n, size_t item_bytes,
                            const ubi__column_rule *rule) {
    const ubi__column_row *row = row_find(c, name);
    if (!ubi__progress(c->progress, "reading the index", 0, 0))
        return ubi__fail_cancelled();
    if (!row || row->item_bytes != item_bytes)
        return ubi__columns_fail(c, name);
    column_belief belief = { .file = c->file, .row = row, .rule = rule };
    size_t n_blocks = ubi__column_blocks(row->size_bytes);
    ubi__parallel_ranges(ubi__thread_count(c->threads), n_blocks, 4, blocks_look_at, &belief);
    if (belief.is_damaged)
        return ubi__columns_fail(c, name);
    *n = (size_t)(row->size_bytes / item_bytes);
    *at = *n ? (void *)(uintptr_t)(c->file->bytes + row->offset_bytes) : NULL;
    return UBI_OK;
}
