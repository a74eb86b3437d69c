/* SPDX-License-Identifier: MIT
 *
 * watch_file.c: see watch_file.h.
 */
#include "nodewatch/watch_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/assert.h"

#define CHUNK_BYTES (64 << 10)

static void stream_destroy(void *self) {
    (void)self;
}

static void stream_end(void *self) {
    ubi__watch_file *file = self;
    file->has_ended = true;
}

static int stream_chunk_bytes(void *self) {
    (void)self;
    return CHUNK_BYTES;
}

static int stream_write(void *self, char *data, int n_bytes) {
    ubi__watch_file *file = self;
    UBI_ASSERT(n_bytes >= 0 && !file->has_ended);
    for (size_t at = 0, n = (size_t)n_bytes; at < n;) {
        ssize_t written = write(file->fd, data + at, n - at);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0) {
            file->error = errno;
            return 1;
        }
        at += (size_t)written;
        file->n_bytes += (uint64_t)written;
    }
    return 0;
}

static int statistics_write(void *self, void *data, int n) {
    (void)self, (void)data, (void)n;
    return 1;
}

static const ubi__v8_stream stream_table = {
    { stream_destroy, stream_destroy }, stream_end, stream_chunk_bytes, stream_write, statistics_write
};

void ubi__watch_file_check(const ubi__watch_file *file) {
    size_t n = strlen(file->path);
    UBI_ASSERT(file->table == &stream_table);
    UBI_ASSERT(strncmp(file->part, file->path, n) == 0 && strcmp(file->part + n, ".part") == 0);
    UBI_ASSERT(file->error || (uint64_t)lseek(file->fd, 0, SEEK_CUR) == file->n_bytes);
}

int ubi__watch_file_open(ubi__watch_file *file, const char *folder) {
    char date[32];
    struct tm parts;
    time_t now = time(NULL);
    *file = (ubi__watch_file){ .table = &stream_table };
    strftime(date, sizeof date, "%Y%m%dT%H%M%SZ", gmtime_r(&now, &parts));
    int n = snprintf(file->path, sizeof file->path, "%s/oom-%s-%ld.heapsnapshot", folder, date, (long)getpid());
    int n_part = snprintf(file->part, sizeof file->part, "%s.part", file->path);
    if (n >= (int)sizeof file->path || n_part >= (int)sizeof file->part)
        return ENAMETOOLONG;
    file->fd = open(file->part, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
    if (file->fd < 0)
        return errno;
    ubi__watch_file_check(file);
    return 0;
}

static int file_settle(ubi__watch_file *file) {
    struct stat about;
    ubi__watch_file_check(file);
    if (file->error)
        return file->error;
    if (!file->has_ended)
        return ECANCELED;
    if (fsync(file->fd) != 0 || fstat(file->fd, &about) != 0)
        return errno;
    if ((uint64_t)about.st_size != file->n_bytes)
        return EIO;
    return rename(file->part, file->path) == 0 ? 0 : errno;
}

int ubi__watch_file_close(ubi__watch_file *file) {
    int error = file_settle(file);
    if (close(file->fd) != 0 && !error)
        error = errno;
    if (error)
        unlink(file->part);
    return error;
}
