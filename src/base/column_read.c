/* SPDX-License-Identifier: MIT
 *
 * column_read.c: opening a file of columns, and the memory that is part of it (column_file.h).
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/column_file_layout.h"
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
#define NO_FILE (-1)

/* ---- opening --------------------------------------------------------------------------------------------------------- */

/* `fd`: NO_FILE, or what is mapped. */
static ubi_status file_open(ubi__column_file **out, const void *bytes, size_t n_bytes, int fd,
                            const ubi_allocator *allocator) {
    const ubi_allocator *a = ubi__allocator_or_default(allocator);
    ubi__column_file *f = UBI_NEW(a, ubi__column_file);
    if (!f) {
        if (fd != NO_FILE)
            munmap((void *)(uintptr_t)bytes, n_bytes);
        return ubi__fail_nomem();
    }
    *f = (ubi__column_file){ .allocator = a, .bytes = bytes, .n_bytes = n_bytes, .is_mapped = fd != NO_FILE };
    f->fd = f->is_mapped ? fcntl(fd, F_DUPFD_CLOEXEC, 0) : NO_FILE; /* NO_FILE also where there are too many */
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
    return file_open(out, bytes, n_bytes, NO_FILE, allocator);
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
    return file_open(out, bytes, (size_t)about.st_size, fd, allocator);
}

void ubi__column_file_close(ubi__column_file *file) {
    if (!file)
        return;
    if (file->is_mapped)
        munmap((void *)(uintptr_t)file->bytes, file->n_bytes);
    if (file->fd >= 0)
        close(file->fd);
    UBI_DELETE(file->allocator, file);
}

/* Pages of the mapping that are present, of n entries of the page map. */
static uint64_t present_count(const uint64_t *entries, size_t n) {
    uint64_t n_present = 0;
    for (size_t i = 0; i < n; i++)
        n_present += entries[i] >> 63;
    return n_present;
}

/* Source: Linux, Documentation/admin-guide/mm/pagemap.rst: 64 bits per page, of which the highest says that it is present. */
uint64_t ubi__column_file_resident_bytes(const ubi__column_file *file) {
    uint64_t entries[512], n_present = 0, first = (uintptr_t)file->bytes / PAGE_BYTES;
    uint64_t n_pages = file->is_mapped ? (file->n_bytes + PAGE_BYTES - 1) / PAGE_BYTES : 0;
    int fd = n_pages ? open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC) : NO_FILE;
    for (uint64_t page = 0; fd >= 0 && page < n_pages;) {
        size_t most = sizeof entries / sizeof *entries, left = (size_t)(n_pages - page), n = left < most ? left : most;
        ssize_t n_read = pread(fd, entries, n * sizeof *entries, (off_t)((first + page) * sizeof *entries));
        if (n_read < (ssize_t)sizeof *entries)
            break;
        n_present += present_count(entries, (size_t)n_read / sizeof *entries);
        page += (uint64_t)n_read / sizeof *entries;
    }
    if (fd >= 0)
        close(fd);
    return n_present * PAGE_BYTES;
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
