/* SPDX-License-Identifier: MIT
 *
 * debug_file.c: where the debug information of a stripped file may be.
 *
 * A candidate is taken by what it is, not by its name: its build-id is the module's, or, when one of the two has none, its
 * checksum is the one in the module's .gnu_debuglink.
 */
#include "symbolize/elf_file.h"

#include <elfutils/libdwelf.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/text.h"
#include "symbolize/debuginfod.h"

/* ---- whether it is the one ---------------------------------------------------------------------------------------- */

static bool checksum_is(int fd, GElf_Word expected) {
    static unsigned char buffer[65536];
    uLong crc = crc32(0, NULL, 0);
    off_t at = 0;
    for (ssize_t n; (n = pread(fd, buffer, sizeof buffer, at)) != 0; at += n) {
        if (n < 0)
            return false;
        crc = crc32(crc, buffer, (uInt)n);
    }
    return crc == expected;
}

static bool is_same_file(int a, int b) {
    struct stat left, right;
    return a >= 0 && b >= 0 && fstat(a, &left) == 0 && fstat(b, &right) == 0 && left.st_dev == right.st_dev &&
           left.st_ino == right.st_ino;
}

/* @param checksum  of a .gnu_debuglink, or NULL: only the build-id counts. */
static bool belongs(const ubi__elf_file *candidate, const ubi__debug_search *search, const GElf_Word *checksum) {
    ubi_text build_id = ubi__elf_build_id(candidate);
    if (is_same_file(candidate->fd, search->main->fd))
        return false;
    if (build_id.len && search->build_id.len)
        return ubi__text_equal(build_id, search->build_id);
    return checksum && checksum_is(candidate->fd, *checksum);
}

static bool try_file(ubi__elf_file *out, const char *path, const ubi__debug_search *search, const GElf_Word *checksum) {
    if (ubi__elf_file_open(out, path) == UBI__ELF_OPENED && belongs(out, search, checksum))
        return true;
    ubi__elf_file_close(out);
    return false;
}

/* ---- where it may be ---------------------------------------------------------------------------------------------- */

/* root/.build-id/xx/rest.debug */
static bool try_build_id(ubi__elf_file *out, const ubi__debug_search *search) {
    char path[PATH_MAX];
    size_t n;
    if (search->build_id.len < 2)
        return false;
    n = (size_t)snprintf(path, sizeof path, "%s/.build-id/", search->root);
    for (size_t i = 0; i < search->build_id.len && n < sizeof path; i++)
        n += (size_t)snprintf(path + n, sizeof path - n, i == 0 ? "%02x/" : "%02x", (uint8_t)search->build_id.ptr[i]);
    if (n + sizeof ".debug" > sizeof path)
        return false;
    memcpy(path + n, ".debug", sizeof ".debug");
    return try_file(out, path, search, NULL);
}

/* Beside the file, in .debug/ there, and in the same folder below the root. */
static bool try_link(ubi__elf_file *out, const ubi__debug_search *search) {
    char path[PATH_MAX];
    GElf_Word checksum;
    const char *name = search->main->elf ? dwelf_elf_gnu_debuglink(search->main->elf, &checksum) : NULL;
    const char *slash = strrchr(search->path, '/');
    int folder = slash ? (int)(slash - search->path) : 0;
    if (!name || !*name || strchr(name, '/') || !slash)
        return false;
    static const char *const forms[] = { "%s%.*s/%s", "%s%.*s/.debug/%s", "%s%.*s/%s" };
    for (int i = 0; i < 3; i++) {
        int n = snprintf(path, sizeof path, forms[i], i == 2 ? search->root : "", folder, search->path, name);
        if (n > 0 && (size_t)n < sizeof path && try_file(out, path, search, &checksum))
            return true;
    }
    return false;
}

bool ubi__debug_file_open(ubi__elf_file *out, const ubi__debug_search *search) {
    *out = UBI__ELF_FILE_NONE;
    if (try_build_id(out, search) || try_link(out, search))
        return true;
    if (!search->debuginfod || search->build_id.len == 0)
        return false;
    if (ubi__elf_file_open_fd(out, ubi__debuginfod_find(search->build_id)) == UBI__ELF_OPENED &&
        belongs(out, search, NULL))
        return true;
    ubi__elf_file_close(out);
    return false;
}
