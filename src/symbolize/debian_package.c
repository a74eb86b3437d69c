/* SPDX-License-Identifier: MIT
 *
 * debian_package.c: see debian_package.h.
 *
 * A file may be known to its package by another path than the one it was mapped from: a symbolic link leads to it
 * (libfoo.so.1), or it was packaged as /lib/x, which is /usr/lib/x today. All of these are looked for at once, by the hash
 * of the path.
 */
#include "symbolize/debian_package.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/u64_map.h"

typedef struct search {
    ubi__package_query *queries;
    ubi__u64_map by_path; /* hash of a path: number of the query */
    DIR *lists;
} search;

/* ---- the questions ------------------------------------------------------------------------------------------------ */

static ubi_status ask(search *s, const char *path, uint32_t query) {
    static const char merged[] = "/usr/";
    UBI_TRY(ubi__u64_map_put(&s->by_path, ubi__hash_bytes(path, strlen(path)), query));
    if (strncmp(path, merged, strlen(merged)) != 0)
        return UBI_OK;
    path += strlen("/usr");
    return ubi__u64_map_put(&s->by_path, ubi__hash_bytes(path, strlen(path)), query);
}

static ubi_status ask_all(search *s, size_t n) {
    char resolved[PATH_MAX];
    for (size_t i = 0; i < n && i < UBI_NONE; i++) {
        s->queries[i].package[0] = '\0';
        UBI_TRY(ask(s, s->queries[i].path, (uint32_t)i));
        if (realpath(s->queries[i].path, resolved))
            UBI_TRY(ask(s, resolved, (uint32_t)i));
    }
    return UBI_OK;
}

/* ---- the answers -------------------------------------------------------------------------------------------------- */

/* From "libc6:amd64.list". Nearly all packages have a -dbgsym of their own; the C library's is older than these. */
static void name_debug_package(char out[UBI__PACKAGE_NAME_BYTES], const char *list) {
    size_t n = strcspn(list, ":");
    const char *suffix = "-dbgsym";
    if (!list[n])
        n = strlen(list) - strlen(".list");
    if (n == strlen("libc6") && memcmp(list, "libc6", n) == 0)
        suffix = "-dbg";
    if (n + strlen(suffix) < UBI__PACKAGE_NAME_BYTES)
        snprintf(out, UBI__PACKAGE_NAME_BYTES, "%.*s%s", (int)n, list, suffix);
}

static void read_list(search *s, FILE *file, const char *name) {
    char line[PATH_MAX];
    while (fgets(line, sizeof line, file)) {
        uint32_t query = ubi__u64_map_get(&s->by_path, ubi__hash_bytes(line, strcspn(line, "\n")));
        if (query != UBI_NONE)
            name_debug_package(s->queries[query].package, name);
    }
}

static bool is_list(const char *name) {
    size_t n = strlen(name);
    return n > strlen(".list") && strcmp(name + n - strlen(".list"), ".list") == 0;
}

static void read_lists(search *s) {
    for (struct dirent *entry; (entry = readdir(s->lists));) {
        int fd = is_list(entry->d_name) ? openat(dirfd(s->lists), entry->d_name, O_RDONLY | O_CLOEXEC) : -1;
        FILE *file = fd >= 0 ? fdopen(fd, "r") : NULL;
        if (file) {
            read_list(s, file, entry->d_name);
            fclose(file);
        } else if (fd >= 0)
            close(fd);
    }
}

ubi_status ubi__debian_packages_find(ubi__package_query *queries, size_t n, const char *root,
                                     const ubi_allocator *allocator) {
    search s = { .queries = queries };
    ubi__u64_map_init(&s.by_path, allocator);
    ubi_status status = ask_all(&s, n);
    if (status == UBI_OK && (s.lists = opendir(root))) {
        read_lists(&s);
        closedir(s.lists);
    }
    ubi__u64_map_fini(&s.by_path);
    return status;
}
