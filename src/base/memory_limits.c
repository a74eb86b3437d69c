/* SPDX-License-Identifier: MIT
 *
 * memory_limits.c: see memory_limits.h.
 */
#include "base/memory_limits.h"

#include "base/assert.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define TEXT_BYTES 16384
/* Version 1 writes a number near 2^63 for "none". */
#define LARGEST_LIMIT (UINT64_C(1) << 60)

/* Files of one version. */
typedef struct cgroup_files {
    const char *type, *controller; /* of the mount; controller NULL: version 2, which has all in one tree */
    const char *limits[3], *usage, *caches[3];
} cgroup_files;

static const cgroup_files versions[] = {
    { "cgroup2",
      NULL,
      { "memory.max", "memory.high", NULL },
      "memory.current",
      { "inactive_file", "active_file", NULL } },
    { "cgroup",
      "memory",
      { "memory.limit_in_bytes", NULL },
      "memory.usage_in_bytes",
      { "total_inactive_file", "total_active_file", NULL } },
};

/* No stdio: a process near its limit has no memory for buffers. A text that is cut ends at its last whole line. */
static bool text_read(char text[TEXT_BYTES], const char *path) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    size_t n = 0;
    ssize_t got = 0;
    if (fd < 0)
        return false;
    while (n < TEXT_BYTES - 1 && ((got = read(fd, text + n, TEXT_BYTES - 1 - n)) > 0 || (got < 0 && errno == EINTR)))
        n += got > 0 ? (size_t)got : 0;
    close(fd);
    text[n] = '\0';
    return n > 0;
}

static bool number_read(uint64_t *out, const char *folder, const char *file) {
    char path[PATH_MAX], text[TEXT_BYTES], *end;
    if (snprintf(path, sizeof path, "%s/%s", folder, file) >= (int)sizeof path || !text_read(text, path))
        return false;
    *out = strtoull(text, &end, 10);
    return end != text; /* "max" is not a number */
}

/* ---- where the groups are ----------------------------------------------------------------------------------------- */

static bool has_word(const char *list, const char *word) {
    size_t n = strlen(word);
    for (const char *p = list; (p = strstr(p, word)); p += n)
        if ((p == list || p[-1] == ',') && (p[n] == ',' || p[n] == '\0'))
            return true;
    return false;
}

/* A line of /proc/PID/cgroup is NUMBER:CONTROLLERS:PATH. */
static bool group_find(char path[PATH_MAX], pid_t pid, const cgroup_files *files) {
    char name[64], text[TEXT_BYTES], *rest = NULL;
    snprintf(name, sizeof name, pid ? "/proc/%ld/cgroup" : "/proc/self/cgroup", (long)pid);
    if (!text_read(text, name))
        return false;
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        char *controllers = strchr(line, ':'), *group = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!group)
            continue;
        *group++ = '\0';
        if (files->controller ? has_word(controllers + 1, files->controller) : controllers[1] == '\0')
            return snprintf(path, PATH_MAX, "%s", group) < PATH_MAX;
    }
    return false;
}

/* A line of mountinfo is ID PARENT DEVICE ROOT MOUNT_POINT OPTIONS [TAG]... - TYPE SOURCE SUPER_OPTIONS. */
static bool mount_find(char root[PATH_MAX], char point[PATH_MAX], const cgroup_files *files) {
    char text[TEXT_BYTES], type[32], options[256], *rest = NULL;
    if (!text_read(text, "/proc/self/mountinfo"))
        return false;
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        const char *tail = strstr(line, " - ");
        if (tail && sscanf(tail, " - %31s %*s %255s", type, options) == 2 && strcmp(type, files->type) == 0 &&
            (!files->controller || has_word(options, files->controller)) &&
            sscanf(line, "%*s %*s %*s %4095s %4095s", root, point) == 2)
            return true;
    }
    return false;
}

/* The folder of the group, below the mount point at folder[..*top]. */
static bool folder_find(char folder[PATH_MAX], size_t *top, pid_t pid, const cgroup_files *files) {
    char group[PATH_MAX], root[PATH_MAX], point[PATH_MAX];
    if (!group_find(group, pid, files) || !mount_find(root, point, files))
        return false;
    size_t n_root = strcmp(root, "/") == 0 ? 0 : strlen(root);
    const char *below = strncmp(group, root, n_root) == 0 ? group + n_root : "";
    *top = strlen(point);
    if (snprintf(folder, PATH_MAX, "%s%s", point, below) >= PATH_MAX)
        return false;
    if (access(folder, X_OK) != 0) /* a group outside of our name space */
        folder[*top] = '\0';
    return true;
}

/* ---- one limit ---------------------------------------------------------------------------------------------------- */

static void limit_note(ubi__memory_limit *least, const char *name, uint64_t limit_bytes, uint64_t used_bytes) {
    ubi__memory_limit limit = { name, limit_bytes, used_bytes < limit_bytes ? used_bytes : limit_bytes };
    if (limit_bytes < LARGEST_LIMIT && ubi__memory_room(&limit) < ubi__memory_room(least))
        *least = limit;
}

/* What memory.stat calls so. */
static uint64_t stat_number(const char *stat, const char *name) {
    size_t n = strlen(name);
    for (const char *p = stat; (p = strstr(p, name)); p += n)
        if ((p == stat || p[-1] == '\n') && p[n] == ' ')
            return strtoull(p + n + 1, NULL, 10);
    return 0;
}

static uint64_t cache_bytes(const char *folder, const cgroup_files *files) {
    char path[PATH_MAX], text[TEXT_BYTES];
    uint64_t sum = 0;
    if (snprintf(path, sizeof path, "%s/memory.stat", folder) >= (int)sizeof path || !text_read(text, path))
        return 0;
    for (size_t i = 0; files->caches[i]; i++)
        sum += stat_number(text, files->caches[i]);
    return sum;
}

static void group_look(ubi__memory_limit *least, const char *folder, const cgroup_files *files) {
    uint64_t limit_bytes, used_bytes;
    for (size_t i = 0; files->limits[i]; i++)
        if (number_read(&limit_bytes, folder, files->limits[i]) && limit_bytes < LARGEST_LIMIT &&
            number_read(&used_bytes, folder, files->usage)) {
            uint64_t cached = cache_bytes(folder, files);
            limit_note(least, "the control group", limit_bytes, used_bytes > cached ? used_bytes - cached : 0);
        }
}

static void groups_look(ubi__memory_limit *least, pid_t pid, const cgroup_files *files) {
    char folder[PATH_MAX];
    size_t top;
    if (!folder_find(folder, &top, pid, files))
        return;
    for (;;) {
        group_look(least, folder, files);
        char *slash = strrchr(folder, '/');
        if (!slash || slash < folder + top)
            return;
        *slash = '\0';
    }
}

static void address_space_look(ubi__memory_limit *least, pid_t pid) {
    char path[64], text[TEXT_BYTES];
    struct rlimit limit;
    if (prlimit(pid, RLIMIT_AS, NULL, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return;
    snprintf(path, sizeof path, pid ? "/proc/%ld/statm" : "/proc/self/statm", (long)pid);
    if (text_read(text, path))
        limit_note(least, "the address space (ulimit -v)", limit.rlim_cur,
                   strtoull(text, NULL, 10) * (uint64_t)sysconf(_SC_PAGESIZE));
}

ubi__memory_limits ubi__memory_limits_read(pid_t pid) {
    ubi__memory_limits limits = { { NULL, 0, 0 }, { NULL, 0, 0 } };
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++)
        groups_look(&limits.group, pid, &versions[i]);
    address_space_look(&limits.address_space, pid);
    UBI_ASSERT(!limits.group.name || limits.group.used_bytes <= limits.group.limit_bytes);
    UBI_ASSERT(!limits.address_space.name || limits.address_space.used_bytes <= limits.address_space.limit_bytes);
    return limits;
}

ubi__memory_limit ubi__memory_limit_read(pid_t pid) {
    ubi__memory_limits limits = ubi__memory_limits_read(pid);
    return ubi__memory_room(&limits.group) <= ubi__memory_room(&limits.address_space) ? limits.group
                                                                                      : limits.address_space;
}
