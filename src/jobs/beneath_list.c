/* SPDX-License-Identifier: MIT
 *
 * beneath_list.c: the files below a folder that ubiheap opens; see beneath.h.
 *
 * Folders wait in a queue, so that those nearer to the top come first. Each is opened below the root again, without links: what is swapped
 * meanwhile is passed over.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/status.h"
#include "formats/recognize.h"
#include "jobs/beneath.h"

typedef struct waiting_folder {
    char *path; /* relative to the root, "" for itself; owned */
    uint32_t level;
} waiting_folder;
UBI_VEC_DECLARE(waiting_folders, waiting_folder);

typedef struct listing {
    const ubi__beneath *root;
    const ubi__beneath_bounds *bounds;
    const ubi_allocator *allocator;
    ubi__beneath_rows *rows;
    waiting_folders folders;
    uint32_t n_entries, n_rows;
    uint64_t end_ns;
    bool was_cut;
} listing;

static void text_free(char *text, const ubi_allocator *a) {
    if (text)
        ubi__free_array(a, text, strlen(text) + 1, 1);
}

static char *path_join(const char *folder, const char *name, const ubi_allocator *a) {
    size_t n = strlen(folder) + (folder[0] ? 1 : 0) + strlen(name) + 1;
    char *path = ubi__calloc_array(a, n, 1);
    if (path)
        snprintf(path, n, "%s%s%s", folder, folder[0] ? "/" : "", name);
    return path;
}

static bool listing_is_over(listing *l) {
    if (l->n_entries >= l->bounds->most_entries || l->n_rows >= l->bounds->most_rows ||
        ubi_process_clock_ns() >= l->end_ns)
        l->was_cut = true;
    return l->was_cut;
}

/* NULL: not a file that ubiheap opens. */
static const ubi__file_type *file_type(struct stat *about, int folder, const char *name) {
    char path[40];
    const ubi__file_type *type = NULL;
    int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0)
        return NULL;
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (fstat(fd, about) != 0 || !S_ISREG(about->st_mode) || ubi__file_recognize_path(&type, path) != UBI_OK)
        type = NULL;
    close(fd);
    return type && type->use != UBI__FILE_FOREIGN && strcmp(type->advice, UBI__TAKE_HEAP) != 0 ? type : NULL;
}

static ubi_status file_list(listing *l, int folder, const char *folder_path, const char *name) {
    struct stat about;
    const ubi__file_type *type = file_type(&about, folder, name);
    if (!type)
        return UBI_OK;
    UBI_TRY(ubi__beneath_rows_reserve(l->rows, l->allocator, 1));
    char *path = path_join(folder_path, name, l->allocator);
    if (!path)
        return ubi__fail_nomem();
    l->rows->at[l->rows->n++] =
        (ubi__beneath_row){ .path = path, .size_bytes = (uint64_t)about.st_size, .what = type->what };
    l->n_rows++;
    return UBI_OK;
}

static ubi_status folder_wait(listing *l, const waiting_folder *in, const char *name) {
    if (in->level + 1 >= l->bounds->most_levels) {
        l->was_cut = true;
        return UBI_OK;
    }
    UBI_TRY(waiting_folders_reserve(&l->folders, l->allocator, 1));
    char *path = path_join(in->path, name, l->allocator);
    if (!path)
        return ubi__fail_nomem();
    l->folders.at[l->folders.n++] = (waiting_folder){ path, in->level + 1 };
    return UBI_OK;
}

static ubi_status entry_list(listing *l, int folder, const waiting_folder *in, const char *name) {
    struct stat about;
    l->n_entries++;
    if (name[0] == '.' || fstatat(folder, name, &about, AT_SYMLINK_NOFOLLOW) != 0)
        return UBI_OK;
    if (S_ISDIR(about.st_mode))
        return folder_wait(l, in, name);
    return S_ISREG(about.st_mode) && about.st_size > 0 ? file_list(l, folder, in->path, name) : UBI_OK;
}

/* Its descriptor. -1: it is gone, may not be read, or is a link now. */
static int folder_open(const listing *l, const char *path) {
    int fd = openat(l->root->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    while (fd >= 0 && *path) {
        char name[NAME_MAX + 1];
        size_t n = strcspn(path, "/");
        snprintf(name, sizeof name, "%.*s", (int)n, path);
        int below = openat(fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        close(fd);
        fd = below;
        path += n + (path[n] == '/');
    }
    return fd;
}

static int by_name(const struct dirent **a, const struct dirent **b) {
    return strcmp((*a)->d_name, (*b)->d_name);
}

static ubi_status folder_list(listing *l, const waiting_folder *folder) {
    struct dirent **entries = NULL;
    ubi_status status = UBI_OK;
    int fd = folder_open(l, folder->path);
    if (fd < 0)
        return UBI_OK;
    int n = scandirat(fd, ".", &entries, NULL, by_name);
    for (int i = 0; i < n; i++) {
        if (status == UBI_OK && !listing_is_over(l))
            status = entry_list(l, fd, folder, entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
    close(fd);
    return n < 0 && errno == ENOMEM ? ubi__fail_nomem() : status;
}

static int rows_compare(const void *a, const void *b) {
    return strcmp(((const ubi__beneath_row *)a)->path, ((const ubi__beneath_row *)b)->path);
}

ubi_status ubi__beneath_list(ubi__beneath_rows *rows, bool *was_cut, const ubi__beneath *folder,
                             const ubi__beneath_bounds *bounds, const ubi_allocator *allocator) {
    size_t n_before = rows->n;
    listing l = { .root = folder,
                  .bounds = bounds,
                  .allocator = allocator,
                  .rows = rows,
                  .end_ns = ubi_process_clock_ns() + UINT64_C(1000000) * bounds->most_ms };
    char *top = path_join("", "", allocator);
    ubi_status status = top ? waiting_folders_push(&l.folders, allocator, (waiting_folder){ top, 0 }) : UBI_ENOMEM;
    if (!top)
        return ubi__fail_nomem();
    if (status != UBI_OK)
        text_free(top, allocator);
    for (size_t i = 0; i < l.folders.n; i++) {
        const waiting_folder at = l.folders.at[i]; /* the queue may move */
        if (status == UBI_OK && !listing_is_over(&l))
            status = folder_list(&l, &at);
        text_free(at.path, allocator);
    }
    waiting_folders_fini(&l.folders, allocator);
    if (rows->n > n_before)
        qsort(rows->at + n_before, rows->n - n_before, sizeof *rows->at, rows_compare);
    *was_cut |= l.was_cut;
    return status;
}

void ubi__beneath_rows_free(ubi__beneath_rows *rows, const ubi_allocator *allocator) {
    for (size_t i = 0; i < rows->n; i++)
        text_free(rows->at[i].path, allocator);
    ubi__beneath_rows_fini(rows, allocator);
}
