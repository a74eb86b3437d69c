/* SPDX-License-Identifier: MIT
 *
 * index_note.c: see index_note.h. Hashes are BLAKE2b.
 */
#include "session/index_note.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/parallel.h"
#include "base/status.h"

#define END_BYTES ((size_t)64 << 10)
#define PIECE_BYTES ((size_t)4 << 20)
/* To be counted up when columns change, or what they hold is computed otherwise, within one version of the library. */
#define PARTS_VERSION 11

static ubi_status hashing_init(void) {
    if (sodium_init() < 0) /* by any thread, any number of times */
        return ubi__fail(UBI_EIO, "libsodium cannot be initialized");
    return UBI_OK;
}

/* All n_bytes from `at` on. */
static bool read_fully(int fd, uint8_t *out, size_t n_bytes, uint64_t at) {
    for (ssize_t n; n_bytes > 0; out += n, n_bytes -= (size_t)n, at += (uint64_t)n) {
        n = pread(fd, out, n_bytes, (off_t)at);
        if (n < 0 && errno == EINTR)
            n = 0;
        else if (n <= 0)
            return false;
    }
    return true;
}

/* ---- content --------------------------------------------------------------------------------------------------------- */

/* Pieces are hashed side by side, and then their hashes. */
typedef struct content_job {
    int fd;
    uint64_t size_bytes;
    uint8_t *hashes; /* of each piece */
    const ubi_progress *progress;
    const ubi_allocator *allocator;
    _Atomic bool has_failed, has_no_memory, was_cancelled;
} content_job;

static void pieces_hash(void *payload, uint64_t begin, uint64_t end, unsigned part) {
    content_job *job = payload;
    uint8_t *piece = ubi__alloc_array(job->allocator, PIECE_BYTES, 1);
    for (uint64_t i = begin; i < end && piece && !job->has_failed && !job->was_cancelled; i++) {
        uint64_t at = i * PIECE_BYTES, left = job->size_bytes - at;
        size_t n = left < PIECE_BYTES ? (size_t)left : PIECE_BYTES;
        if (part == 0 && !ubi__progress(job->progress, "hashing", i - begin, end - begin))
            job->was_cancelled = true;
        if (!read_fully(job->fd, piece, n, at))
            job->has_failed = true;
        else
            crypto_generichash(job->hashes + i * UBI__INDEX_HASH_BYTES, UBI__INDEX_HASH_BYTES, piece, n, NULL, 0);
    }
    if (!piece)
        job->has_no_memory = true;
    ubi__free_array(job->allocator, piece, PIECE_BYTES, 1);
}

static ubi_status content_hash(uint8_t *out, int fd, uint64_t size_bytes, const char *path, unsigned threads,
                               const ubi_progress *progress, const ubi_allocator *a) {
    size_t n = (size_t)((size_bytes + PIECE_BYTES - 1) / PIECE_BYTES);
    content_job job = { .fd = fd, .size_bytes = size_bytes, .progress = progress, .allocator = a };
    job.hashes = ubi__alloc_array(a, n + 1, UBI__INDEX_HASH_BYTES);
    if (!job.hashes)
        return ubi__fail_nomem();
    ubi__parallel_ranges(ubi__thread_count(threads), n, 1, pieces_hash, &job);
    crypto_generichash(out, UBI__INDEX_HASH_BYTES, job.hashes, n * UBI__INDEX_HASH_BYTES, NULL, 0);
    ubi__free_array(a, job.hashes, n + 1, UBI__INDEX_HASH_BYTES);
    if (job.has_no_memory)
        return ubi__fail_nomem();
    if (job.was_cancelled)
        return ubi__fail_cancelled();
    return job.has_failed ? ubi__fail(UBI_EIO, "%s cannot be read", path) : UBI_OK;
}

static ubi_status ends_hash(uint8_t *out, int fd, uint64_t size_bytes, const char *path) {
    uint8_t ends[2 * END_BYTES];
    size_t n = size_bytes < END_BYTES ? (size_t)size_bytes : END_BYTES;
    if (!read_fully(fd, ends, n, 0) || !read_fully(fd, ends + n, n, size_bytes - n))
        return ubi__fail(UBI_EIO, "%s cannot be read", path);
    crypto_generichash(out, UBI__INDEX_HASH_BYTES, ends, 2 * n, NULL, 0);
    return UBI_OK;
}

/* ---- notes ----------------------------------------------------------------------------------------------------------- */

static void stat_note(ubi__index_note *note, const struct stat *about) {
    note->inode = about->st_ino;
    note->size_bytes = (uint64_t)about->st_size;
    note->changed_s = about->st_mtim.tv_sec;
    note->changed_ns = about->st_mtim.tv_nsec;
}

static bool is_unchanged(const ubi__index_note *note, int fd) {
    struct stat about;
    ubi__index_note now = { 0 };
    if (fstat(fd, &about) != 0)
        return false;
    stat_note(&now, &about);
    return now.size_bytes == note->size_bytes && now.changed_s == note->changed_s && now.changed_ns == note->changed_ns;
}

static void path_note(ubi__index_note *note, const char *path) {
    char *whole = realpath(path, NULL);
    if (whole && strlen(whole) < sizeof note->path)
        memcpy(note->path, whole, strlen(whole));
    free(whole);
}

static ubi_status note_fill(ubi__index_note *note, int fd, const char *path, bool with_content, unsigned threads,
                            const ubi_progress *progress, const ubi_allocator *a) {
    struct stat about;
    if (fstat(fd, &about) != 0 || !S_ISREG(about.st_mode))
        return ubi__fail(UBI_EIO, "%s is not a file that can be read twice", path);
    stat_note(note, &about);
    UBI_TRY(ends_hash(note->ends, fd, note->size_bytes, path));
    if (with_content)
        UBI_TRY(content_hash(note->content, fd, note->size_bytes, path, threads, progress, a));
    return is_unchanged(note, fd) ? UBI_OK : ubi__fail(UBI_EMISMATCH, "%s has changed while it was read", path);
}

void ubi__index_note_begin(ubi__index_note *out, const char *path, ubi_compat compat) {
    *out =
        (ubi__index_note){ .library = UBI_VERSION_STRING, .parts_version = PARTS_VERSION, .compat = (uint32_t)compat };
    path_note(out, path);
}

ubi_status ubi__index_note_make(ubi__index_note *out, const char *path, ubi_compat compat, bool with_content,
                                unsigned threads, const ubi_progress *progress, const ubi_allocator *allocator) {
    ubi__index_note note;
    UBI_TRY(hashing_init());
    ubi__index_note_begin(&note, path, compat);
    note.is_beside = with_content;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return ubi__fail_errno(errno, "%s cannot be opened", path);
    ubi_status status = note_fill(&note, fd, path, with_content, threads, progress, allocator);
    close(fd);
    if (status == UBI_OK)
        *out = note;
    return status;
}

/* What the index of the other file would have to fit, and what was added before. Where it is beside the file, both may have moved. */
ubi_status ubi__index_note_add(ubi__index_note *note, const char *path, unsigned threads, const ubi_progress *progress,
                               const ubi_allocator *allocator) {
    ubi__index_note other;
    UBI_TRY(ubi__index_note_make(&other, path, (ubi_compat)note->compat, note->is_beside != 0, threads, progress,
                                 allocator));
    memset(other.path, 0, sizeof other.path);
    if (note->is_beside) {
        other.inode = 0;
        other.changed_s = other.changed_ns = 0;
    }
    memcpy(other.others, note->others, sizeof other.others);
    crypto_generichash(note->others, sizeof note->others, (const uint8_t *)&other, sizeof other, NULL, 0);
    return UBI_OK;
}

bool ubi__index_note_fits(const ubi__index_note *known, const ubi__index_note *now) {
    if (memcmp(known->library, now->library, sizeof now->library) != 0 || known->parts_version != now->parts_version ||
        known->compat != now->compat || known->is_beside != now->is_beside || known->size_bytes != now->size_bytes ||
        memcmp(known->ends, now->ends, sizeof now->ends) != 0 ||
        memcmp(known->others, now->others, sizeof now->others) != 0)
        return false;
    if (now->is_beside)
        return memcmp(known->content, now->content, sizeof now->content) == 0;
    return known->inode == now->inode && known->changed_s == now->changed_s && known->changed_ns == now->changed_ns;
}

const ubi__index_note *ubi__index_note_of(const ubi__column_file *file) {
    const ubi__index_note *note = file->note;
    return file->n_note == sizeof *note && memchr(note->path, 0, sizeof note->path) ? note : NULL;
}

void ubi__index_note_name(char out[UBI__INDEX_NAME_BYTES], const ubi__index_note *note) {
    struct {
        uint64_t inode, compat;
        char path[UBI__INDEX_PATH_BYTES];
    } key = { note->path[0] ? 0 : note->inode, note->compat, "" };
    uint8_t hash[(UBI__INDEX_NAME_BYTES - 1) / 2];
    memcpy(key.path, note->path, sizeof key.path);
    crypto_generichash(hash, sizeof hash, (const uint8_t *)&key, sizeof key, NULL, 0);
    sodium_bin2hex(out, UBI__INDEX_NAME_BYTES, hash, sizeof hash);
}
