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

static const cgroup_files versions[UBI__MEMORY_VERSIONS] = {
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

static bool proc_path(char path[PATH_MAX], const char *root, pid_t pid, const char *file) {
    int n = pid ? snprintf(path, PATH_MAX, "%s/proc/%ld/%s", root, (long)pid, file)
                : snprintf(path, PATH_MAX, "%s/proc/self/%s", root, file);
    return n < PATH_MAX;
}

/* A line of /proc/PID/cgroup is NUMBER:CONTROLLERS:PATH. */
static bool group_find(char group[PATH_MAX], const ubi__memory_places *places, const cgroup_files *files) {
    char path[PATH_MAX], text[TEXT_BYTES], *rest = NULL;
    if (!proc_path(path, places->root, places->pid, "cgroup") || !text_read(text, path))
        return false;
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        char *controllers = strchr(line, ':'), *found = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!found)
            continue;
        *found++ = '\0';
        if (files->controller ? has_word(controllers + 1, files->controller) : controllers[1] == '\0')
            return snprintf(group, PATH_MAX, "%s", found) < PATH_MAX;
    }
    return false;
}

/* A line of mountinfo is ID PARENT DEVICE ROOT MOUNT_POINT OPTIONS [TAG]... - TYPE SOURCE SUPER_OPTIONS. */
static bool mount_read(char root[PATH_MAX], char point[PATH_MAX], const char *line, const cgroup_files *files) {
    char type[32], options[256];
    const char *tail = strstr(line, " - ");
    return tail && sscanf(tail, " - %31s %*s %255s", type, options) == 2 && strcmp(type, files->type) == 0 &&
           (!files->controller || has_word(options, files->controller)) &&
           sscanf(line, "%*s %*s %*s %4095s %4095s", root, point) == 2;
}

/* Containers have many mounts, with long lines: part by part. A line that is longer than a part is not ours. */
static bool mount_find(char root[PATH_MAX], char point[PATH_MAX], const char *top, const cgroup_files *files) {
    char path[PATH_MAX], text[TEXT_BYTES];
    int fd = proc_path(path, top, 0, "mountinfo") ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    size_t n = 0;
    bool is_found = false;
    if (fd < 0)
        return false;
    for (ssize_t got; !is_found;) {
        got = read(fd, text + n, TEXT_BYTES - 1 - n);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        n += (size_t)got;
        text[n] = '\0';
        char *line = text;
        for (char *end; !is_found && (end = strchr(line, '\n')); line = end + 1) {
            *end = '\0';
            is_found = mount_read(root, point, line, files);
        }
        n -= (size_t)(line - text);
        memmove(text, line, n);
        if (n == TEXT_BYTES - 1)
            n = 0;
    }
    close(fd);
    return is_found;
}

/* The folder of the group, below the mount point at folder[..*top]. */
static bool folder_find(char folder[PATH_MAX], size_t *top, const ubi__memory_places *places,
                        const cgroup_files *files) {
    char group[PATH_MAX], root[PATH_MAX], point[PATH_MAX];
    if (!group_find(group, places, files) || !mount_find(root, point, places->root, files))
        return false;
    size_t n_root = strcmp(root, "/") == 0 ? 0 : strlen(root);
    const char *below = strncmp(group, root, n_root) == 0 ? group + n_root : "";
    *top = strlen(places->root) + strlen(point);
    if (snprintf(folder, PATH_MAX, "%s%s%s", places->root, point, below) >= PATH_MAX)
        return false;
    if (access(folder, X_OK) != 0) /* a group outside of our name space */
        folder[*top] = '\0';
    return true;
}

void ubi__memory_places_find(ubi__memory_places *out, const char *root, pid_t pid) {
    out->root = root;
    out->pid = pid;
    for (size_t i = 0; i < UBI__MEMORY_VERSIONS; i++)
        if (!folder_find(out->groups[i].folder, &out->groups[i].top, out, &versions[i]))
            out->groups[i].folder[0] = '\0';
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

static void group_look(ubi__memory_limit *least, const char *folder, const cgroup_files *files, uint64_t enough_bytes) {
    uint64_t limit_bytes, used_bytes;
    for (size_t i = 0; files->limits[i]; i++)
        if (number_read(&limit_bytes, folder, files->limits[i]) && limit_bytes < LARGEST_LIMIT &&
            number_read(&used_bytes, folder, files->usage)) {
            bool is_enough = used_bytes < limit_bytes && limit_bytes - used_bytes >= enough_bytes;
            uint64_t cached = is_enough ? 0 : cache_bytes(folder, files);
            limit_note(least, "the control group", limit_bytes, used_bytes > cached ? used_bytes - cached : 0);
        }
}

/* The group and those above it. */
static void groups_look(ubi__memory_limit *least, const ubi__memory_places *places, size_t version,
                        uint64_t enough_bytes) {
    char folder[PATH_MAX];
    memcpy(folder, places->groups[version].folder, sizeof folder);
    while (*folder) {
        group_look(least, folder, &versions[version], enough_bytes);
        char *slash = strrchr(folder, '/');
        if (!slash || slash < folder + places->groups[version].top)
            return;
        *slash = '\0';
    }
}

static void address_space_look(ubi__memory_limit *least, const ubi__memory_places *places) {
    char path[PATH_MAX], text[TEXT_BYTES];
    struct rlimit limit;
    if (prlimit(places->pid, RLIMIT_AS, NULL, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return;
    if (proc_path(path, places->root, places->pid, "statm") && text_read(text, path))
        limit_note(least, "the address space (ulimit -v)", limit.rlim_cur,
                   strtoull(text, NULL, 10) * (uint64_t)sysconf(_SC_PAGESIZE));
}

ubi__memory_limits ubi__memory_limits_look(const ubi__memory_places *places, uint64_t enough_bytes) {
    ubi__memory_limits limits = { { NULL, 0, 0 }, { NULL, 0, 0 } };
    for (size_t i = 0; i < UBI__MEMORY_VERSIONS; i++)
        groups_look(&limits.group, places, i, enough_bytes);
    address_space_look(&limits.address_space, places);
    UBI_ASSERT(!limits.group.name || limits.group.used_bytes <= limits.group.limit_bytes);
    UBI_ASSERT(!limits.address_space.name || limits.address_space.used_bytes <= limits.address_space.limit_bytes);
    return limits;
}

ubi__memory_limits ubi__memory_limits_read(pid_t pid) {
    ubi__memory_places places;
    ubi__memory_places_find(&places, "", pid);
    return ubi__memory_limits_look(&places, UINT64_MAX);
}

ubi__memory_limit ubi__memory_limit_read(pid_t pid) {
    ubi__memory_limits limits = ubi__memory_limits_read(pid);
    return ubi__memory_room(&limits.group) <= ubi__memory_room(&limits.address_space) ? limits.group
                                                                                      : limits.address_space;
}
