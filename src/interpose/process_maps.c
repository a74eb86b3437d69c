/* SPDX-License-Identifier: MIT
 *
 * process_maps.c: see process_maps.h.
 *
 * A line of the kernel's list: low-high rights offset device inode path, numbers in hexadecimal. Rights and device have
 * no slash, and the list comes in the order of addresses.
 */
#include "interpose/process_maps.h"

#include <fcntl.h>
#include <string.h>

#include "base/assert.h"
#include "interpose/pages.h"
#include "interpose/system_calls.h"

#ifndef PROCESS_MAPS /* a fuzz target has a list of its own */
#define PROCESS_MAPS "/proc/self/maps"
#endif
#define LINES_BYTES 8192 /* more than the longest line: a path has at most 4096 bytes */
/* More than the list of as many mappings as the kernel allows by default. */
#define LIST_BYTES ((size_t)8 << 20)
_Static_assert(LINES_BYTES >= 4096 + 128, "a line with the longest path has room");

typedef struct lines {
    long fd;
    size_t n_read;
    size_t at, n; /* what is left of the text: text[at..n) */
    char text[LINES_BYTES];
} lines;

/* Moves what is left to the front, and reads after it. False: there is no more, or no room. */
static bool read_more(lines *l) {
    UBI_ASSERT(l->at <= l->n && l->n <= sizeof l->text);
    memmove(l->text, l->text + l->at, l->n - l->at);
    l->n -= l->at;
    l->at = 0;
    long got;
    if (l->n_read >= LIST_BYTES)
        return false;
    do
        got = ubi__system(SYS_read, l->fd, (long)(l->text + l->n), (long)(sizeof l->text - l->n), 0, 0, 0);
    while (got == -EINTR);
    if (got <= 0)
        return false;
    l->n += (size_t)got;
    l->n_read += (size_t)got;
    return true;
}

/* The next line, its end replaced by a 0. NULL: none. */
static char *next_line(lines *l) {
    char *end;
    while (!(end = memchr(l->text + l->at, '\n', l->n - l->at)))
        if (!read_more(l))
            return NULL;
    char *line = l->text + l->at;
    *end = 0;
    l->at = (size_t)(end + 1 - l->text);
    return line;
}

static uintptr_t read_hexadecimal(const char **at) {
    uintptr_t value = 0;
    for (;; (*at)++) {
        char c = **at;
        if (c >= '0' && c <= '9')
            value = value * 16 + (uintptr_t)(c - '0');
        else if (c >= 'a' && c <= 'f')
            value = value * 16 + (uintptr_t)(c - 'a' + 10);
        else
            return value;
    }
}

static bool is_of(const char *line, uintptr_t address, uintptr_t *low, uintptr_t *high) {
    const char *at = line;
    *low = read_hexadecimal(&at);
    if (*at++ != '-')
        return false;
    *high = read_hexadecimal(&at);
    return address - *low < *high - *low;
}

static bool is_readable_and_writable(const char *line) {
    const char *rights = strchr(line, ' ');
    return rights && rights[1] == 'r' && rights[2] == 'w';
}

/* Without the word that the kernel appends to files that are gone: opening the path will show that. */
static bool copy_path(char *out, size_t size, const char *line) {
    static const char gone[] = " (deleted)";
    const char *path = strchr(line, '/');
    size_t n = path ? strlen(path) : 0;
    if (n >= sizeof gone && strcmp(path + n - (sizeof gone - 1), gone) == 0)
        n -= sizeof gone - 1;
    if (n == 0 || n >= size)
        return false;
    memcpy(out, path, n);
    out[n] = 0;
    return true;
}

/* The line of the mapping that holds an address. NULL: none. */
static char *find_line(lines *l, uintptr_t address, uintptr_t *low, uintptr_t *high) {
    char *line;
    l->fd = ubi__system(SYS_openat, AT_FDCWD, (long)PROCESS_MAPS, O_RDONLY | O_CLOEXEC, 0, 0, 0);
    if (l->fd < 0)
        return NULL;
    while ((line = next_line(l)) && !is_of(line, address, low, high)) {
    }
    (void)ubi__system(SYS_close, l->fd, 0, 0, 0, 0, 0);
    return line;
}

bool ubi__mapped_range(uintptr_t address, uintptr_t *low, uintptr_t *high) {
    lines *l = ubi__is_forbidden(SYS_openat) ? NULL : ubi__pages(sizeof *l);
    if (!l)
        return false;
    const char *line = find_line(l, address, low, high);
    bool found = line && is_readable_and_writable(line);
    ubi__pages_free(l, sizeof *l);
    return found;
}

bool ubi__mapped_path(uintptr_t address, char *out, size_t size) {
    uintptr_t low, high;
    lines *l = ubi__is_forbidden(SYS_openat) ? NULL : ubi__pages(sizeof *l);
    if (!l)
        return false;
    const char *line = find_line(l, address, &low, &high);
    bool found = line && copy_path(out, size, line);
    ubi__pages_free(l, sizeof *l);
    return found;
}
