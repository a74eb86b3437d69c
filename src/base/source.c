/* SPDX-License-Identifier: MIT
 *
 * source.c: input bytes (source.h).
 */
#define _GNU_SOURCE
#include "base/source.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void source_init(ubi__source *s, const ubi_allocator *a) {
    memset(s, 0, sizeof *s);
    s->allocator = a;
    s->fd = -1;
    s->start = -1;
}

ubi_status ubi__fail_directory(void) {
    return ubi__fail(UBI_EFORMAT, "this is a directory: give a file that is in it");
}

void ubi__source_open_fd(ubi__source *s, int fd, const ubi_allocator *a) {
    struct stat st;
    source_init(s, a);
    s->fd = fd;
    s->start = (int64_t)lseek(fd, 0, SEEK_CUR);
    s->is_retaining = s->start < 0;
    if (s->start >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > s->start)
        s->size = (uint64_t)(st.st_size - s->start);
}

ubi_status ubi__source_open_path(ubi__source *s, const char *path, const ubi_allocator *a) {
    struct stat st;
    if (strcmp(path, "-") == 0) {
        ubi__source_open_fd(s, STDIN_FILENO, a);
        return UBI_OK;
    }
    source_init(s, a);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return ubi__fail_errno(errno, "cannot open");
    if (fstat(fd, &st) == 0 && S_ISDIR(st.st_mode)) {
        close(fd);
        return ubi__fail_directory();
    }
    (void)posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
    ubi__source_open_fd(s, fd, a);
    s->owns_fd = true;
    return UBI_OK;
}

size_t ubi__source_peek_path(uint8_t *out, size_t size, const char *path) {
    bool is_input = strcmp(path, "-") == 0;
    int fd = is_input ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return 0;
    ssize_t n = pread(fd, out, size, 0);
    if (!is_input)
        close(fd);
    return n > 0 ? (size_t)n : 0;
}

void ubi__source_open_memory(ubi__source *s, const void *data, size_t n, const ubi_allocator *a) {
    source_init(s, a);
    s->memory = data;
    s->size = n;
}

void ubi__source_open_owned(ubi__source *s, ubi__vec_u8 *data, const ubi_allocator *a) {
    ubi__source_open_memory(s, data->at, data->n, a);
    s->retained = *data;
    *data = (ubi__vec_u8){ NULL, 0, 0 };
}

void ubi__source_open_callback(ubi__source *s, ubi__source_read_fn fn, void *payload, const ubi_allocator *a) {
    source_init(s, a);
    s->fn = fn;
    s->payload = payload;
    s->is_retaining = true;
}

void ubi__source_close(ubi__source *s) {
    ubi__vec_u8_fini(&s->retained, s->allocator);
    if (s->owns_fd)
        close(s->fd);
    s->fd = -1;
    s->owns_fd = false;
}

/* Keeps what a pipe gave. Best effort: without memory, or past the limit, the source just cannot be rewound any more. */
static void retain_bytes(ubi__source *s, const void *data, size_t n) {
    if (s->retained.n + n <= UBI__SOURCE_RETAINED_BYTES &&
        ubi__vec_u8_reserve(&s->retained, s->allocator, n) == UBI_OK) {
        memcpy(s->retained.at + s->retained.n, data, n);
        s->retained.n += n;
        return;
    }
    s->is_retaining = false;
    ubi__vec_u8_fini(&s->retained, s->allocator);
}

static size_t read_memory(ubi__source *s, const uint8_t *data, uint64_t size, void *buffer, size_t want) {
    UBI_ASSERT(s->position <= size);
    uint64_t left = size - s->position;
    size_t n = want < left ? want : (size_t)left;
    if (n)
        memcpy(buffer, data + s->position, n);
    s->position += n;
    return n;
}

ubi_status ubi__source_read(ubi__source *s, void *buffer, size_t size, size_t *n) {
    if (s->fd < 0 && !s->fn) {
        *n = read_memory(s, s->memory, s->size, buffer, size);
        return UBI_OK;
    }
    if (s->position < s->retained.n) {
        *n = read_memory(s, s->retained.at, s->retained.n, buffer, size);
        return UBI_OK;
    }
    ptrdiff_t got;
    do {
        errno = 0; /* a callback that sets none must not find an old EINTR here */
        got = s->fn ? s->fn(s->payload, buffer, size) : read(s->fd, buffer, size);
    } while (got < 0 && errno == EINTR);
    if (got < 0 && !s->fn && errno == EISDIR)
        return ubi__fail_directory();
    if (got < 0)
        return ubi__fail_errno(errno ? errno : EIO, "cannot read at byte %llu", (unsigned long long)s->position);
    if ((size_t)got > size)
        return ubi__fail(UBI_EINVAL, "the read callback returned more bytes than it was asked for");
    if (s->is_retaining && got > 0)
        retain_bytes(s, buffer, (size_t)got);
    s->position += (uint64_t)got;
    UBI_ASSERT(!s->is_retaining || s->retained.n == s->position); /* or a rewound source would give other bytes */
    *n = (size_t)got;
    return UBI_OK;
}

bool ubi__source_can_rewind(const ubi__source *s) {
    return (s->fd < 0 && !s->fn) || s->start >= 0;
}

bool ubi__source_rewind(ubi__source *s) {
    bool rewound = (s->fd < 0 && !s->fn) || s->is_retaining ||
                   (s->start >= 0 && lseek(s->fd, (off_t)s->start, SEEK_SET) == (off_t)s->start);
    if (rewound)
        s->position = 0;
    return rewound;
}

bool ubi__source_go(ubi__source *s, uint64_t position) {
    bool is_memory = s->fd < 0 && !s->fn;
    if (is_memory ? position > s->size : position > INT64_MAX - (uint64_t)(s->start >= 0 ? s->start : 0))
        return false;
    if (!is_memory &&
        (s->start < 0 || s->is_retaining || lseek(s->fd, (off_t)(s->start + (int64_t)position), SEEK_SET) < 0))
        return false;
    s->position = position;
    return true;
}
