/* SPDX-License-Identifier: MIT
 *
 * cache_folder.c: see cache_folder.h.
 */
#include "session/cache_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/status.h"

/* ---- where ----------------------------------------------------------------------------------------------------------- */

ubi_status ubi__cache_folder_path(char out[UBI__CACHE_PATH_BYTES], const char *given) {
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    int n;
    if (given)
        n = snprintf(out, UBI__CACHE_PATH_BYTES, "%s", given);
    else if (cache && cache[0] == '/')
        n = snprintf(out, UBI__CACHE_PATH_BYTES, "%s/ubiheap", cache);
    else if (home && home[0] == '/')
        n = snprintf(out, UBI__CACHE_PATH_BYTES, "%s/.cache/ubiheap", home);
    else
        return ubi__fail(UBI_EINVAL, "there is no cache folder: neither XDG_CACHE_HOME nor HOME is set");
    return n > 0 && n < UBI__CACHE_PATH_BYTES ? UBI_OK
                                              : ubi__fail(UBI_EINVAL, "the path of the cache folder is too long");
}

static ubi_status folders_make(const char *folder) {
    char path[UBI__CACHE_PATH_BYTES];
    int n = snprintf(path, sizeof path, "%s", folder);
    for (int i = 1; i <= n; i++) {
        if (path[i] != '/' && path[i] != '\0')
            continue;
        char border = path[i];
        path[i] = '\0';
        if (mkdir(path, 0700) != 0 && errno != EEXIST)
            return ubi__fail_errno(errno, "the cache folder %s cannot be made", folder);
        path[i] = border;
    }
    return UBI_OK;
}

ubi_status ubi__cache_folder_check(const char *folder, bool make) {
    struct stat about;
    bool is_there = stat(folder, &about) == 0;
    if (!is_there && errno == ENOENT && make) {
        UBI_TRY(folders_make(folder));
        is_there = stat(folder, &about) == 0;
    }
    if (!is_there && errno == ENOENT)
        return ubi__fail(UBI_ENOTFOUND, "there is no cache folder %s", folder);
    if (!is_there)
        return ubi__fail_errno(errno, "the cache folder %s", folder);
    if (!S_ISDIR(about.st_mode))
        return ubi__fail(UBI_EINVAL, "the cache folder %s is not a folder", folder);
    if (about.st_uid != geteuid())
        return ubi__fail(UBI_EINVAL, "the cache folder %s belongs to another user", folder);
    if (about.st_mode & (S_IWGRP | S_IWOTH))
        return ubi__fail(UBI_EINVAL, "others may write in the cache folder %s, so that it is not used: chmod go-w",
                         folder);
    return UBI_OK;
}

/* ---- what is in it --------------------------------------------------------------------------------------------------- */

static bool is_index_name(const char *name) {
    size_t n = strlen(name), n_digits = UBI__INDEX_NAME_BYTES - 1;
    return n == n_digits + strlen(UBI__INDEX_SUFFIX) && strspn(name, "0123456789abcdef") >= n_digits &&
           strcmp(name + n_digits, UBI__INDEX_SUFFIX) == 0;
}

/* What the answers next to an index are called. */
static void answers_name(char out[UBI__INDEX_NAME_BYTES + 16], const char *index_name) {
    snprintf(out, UBI__INDEX_NAME_BYTES + 16, "%.*s" UBI__ANSWERS_SUFFIX, UBI__INDEX_NAME_BYTES - 1, index_name);
}

static uint64_t answers_bytes(int folder_fd, const char *index_name) {
    char name[UBI__INDEX_NAME_BYTES + 16];
    struct stat about;
    answers_name(name, index_name);
    bool is_file = fstatat(folder_fd, name, &about, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(about.st_mode);
    return is_file ? (uint64_t)about.st_size : 0;
}

static bool heap_is_as_noted(const ubi__index_note *note) {
    struct stat about;
    return note->path[0] && stat(note->path, &about) == 0 && about.st_ino == note->inode &&
           (uint64_t)about.st_size == note->size_bytes && about.st_mtim.tv_sec == note->changed_s &&
           about.st_mtim.tv_nsec == note->changed_ns;
}

/* What the header says; a file without one is listed as well, so that it can be cleared. */
static void note_report(ubi__cache_row *row, int fd) {
    ubi__column_file *file;
    if (ubi__column_file_open(&file, fd, NULL) != UBI_OK)
        return;
    const ubi__index_note *note = ubi__index_note_of(file);
    if (note) {
        memcpy(row->heap, note->path, sizeof row->heap);
        row->heap_bytes = note->size_bytes;
        row->is_current =
            strncmp(note->library, UBI_VERSION_STRING, sizeof note->library) == 0 && heap_is_as_noted(note);
    }
    ubi__column_file_close(file);
}

/* False: it is gone, or something else. */
static bool row_read(ubi__cache_row *row, int folder_fd, const char *name, bool with_note) {
    struct stat about;
    int fd = is_index_name(name) ? openat(folder_fd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK) : -1;
    if (fd < 0)
        return false;
    bool is_file = fstat(fd, &about) == 0 && S_ISREG(about.st_mode);
    if (is_file) {
        *row = (ubi__cache_row){ .size_bytes = (uint64_t)about.st_size, .used_s = about.st_mtim.tv_sec };
        memcpy(row->name, name, strlen(name));
        row->size_bytes += answers_bytes(folder_fd, name);
        if (with_note)
            note_report(row, fd);
    }
    close(fd);
    return is_file;
}

static int compare_rows(const void *left, const void *right) {
    const ubi__cache_row *a = left, *b = right;
    if (a->used_s != b->used_s)
        return a->used_s > b->used_s ? -1 : 1;
    return strcmp(a->name, b->name);
}

static ubi_status rows_read(ubi__cache_rows *out, DIR *folder, bool with_notes, const ubi_allocator *a) {
    const struct dirent *entry;
    while ((entry = readdir(folder))) {
        ubi__cache_row row;
        if (row_read(&row, dirfd(folder), entry->d_name, with_notes))
            UBI_TRY(ubi__cache_rows_push(out, a, row));
    }
    if (out->n > 1)
        qsort(out->at, out->n, sizeof *out->at, compare_rows);
    return UBI_OK;
}

static ubi_status folder_read(ubi__cache_rows *out, const char *folder, bool with_notes, const ubi_allocator *a) {
    ubi_status status = ubi__cache_folder_check(folder, false);
    if (status == UBI_ENOTFOUND)
        return UBI_OK;
    UBI_TRY(status);
    DIR *opened = opendir(folder);
    if (!opened)
        return ubi__fail_errno(errno, "the cache folder %s", folder);
    status = rows_read(out, opened, with_notes, a);
    closedir(opened);
    return status;
}

ubi_status ubi__cache_folder_list(ubi__cache_rows *out, const char *folder, const ubi_allocator *allocator) {
    ubi__cache_rows rows = { NULL, 0, 0 };
    ubi_status status = folder_read(&rows, folder, true, allocator);
    if (status == UBI_OK)
        *out = rows;
    else
        ubi__cache_rows_fini(&rows, allocator);
    return status;
}

ubi_status ubi__cache_folder_remove(const char *folder, const char *name) {
    char path[UBI__CACHE_PATH_BYTES + 64], answers[UBI__INDEX_NAME_BYTES + 16];
    answers_name(answers, name);
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, i == 0 ? answers : name);
        if (unlink(path) != 0 && errno != ENOENT)
            return ubi__fail_errno(errno, "%s cannot be removed", path);
    }
    return UBI_OK;
}

void ubi__cache_folder_trim(const char *folder, uint64_t limit_bytes, const char *kept) {
    const ubi_allocator *a = ubi_allocator_default();
    ubi__cache_rows rows = { NULL, 0, 0 };
    uint64_t sum_bytes = 0;
    if (folder_read(&rows, folder, false, a) == UBI_OK) {
        for (size_t i = 0; i < rows.n; i++) {
            bool is_kept = kept && strcmp(rows.at[i].name, kept) == 0;
            if (__builtin_add_overflow(sum_bytes, rows.at[i].size_bytes, &sum_bytes))
                sum_bytes = UINT64_MAX;
            if (!is_kept && sum_bytes > limit_bytes && ubi__cache_folder_remove(folder, rows.at[i].name) == UBI_OK)
                sum_bytes -= rows.at[i].size_bytes;
        }
    }
    ubi__cache_rows_fini(&rows, a);
}
