/* SPDX-License-Identifier: MIT
 *
 * process_memory.c: what of this process is in RAM, as the system counts it.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <ubiheap/server/memory_bridge.h>

#include "base/status.h"

#define ROLLUP "/proc/self/smaps_rollup" /* some 800 bytes, the first lines of which are read */

static ubi_status file_read(const char *path, char *text, size_t n_bytes) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return ubi__fail_errno(errno, "%s", path);
    size_t n = 0;
    ssize_t got = 0;
    while (n < n_bytes - 1 && (got = read(fd, text + n, n_bytes - 1 - n)) > 0)
        n += (size_t)got;
    int error = errno;
    close(fd);
    text[n] = '\0';
    return got < 0 ? ubi__fail_errno(error, "%s", path) : UBI_OK;
}

/* A line "NAME:   123 kB"; false: there is none. */
static bool line_read(uint64_t *bytes, const char *text, const char *name) {
    const char *line = strstr(text, name);
    uint64_t kib;
    if (!line || sscanf(line + strlen(name), ": %" SCNu64, &kib) != 1 || kib > UINT64_MAX / 1024)
        return false;
    *bytes = kib * 1024;
    return true;
}

ubi_status ubi_process_memory_read(ubi_process_memory *out) {
    char text[4096];
    uint64_t resident, clean, dirty;
    UBI_TRY(ubi__result_check(&out->struct_bytes, "ubi_process_memory"));
    UBI_TRY(file_read(ROLLUP, text, sizeof text));
    if (!line_read(&resident, text, "\nRss") || !line_read(&clean, text, "\nPrivate_Clean") ||
        !line_read(&dirty, text, "\nPrivate_Dirty"))
        return ubi__fail(UBI_EIO, ROLLUP ": no lines Rss, Private_Clean and Private_Dirty");
    const ubi_process_memory full = { sizeof full, resident, clean + dirty };
    ubi__result_fill(out, &full, sizeof full);
    return UBI_OK;
}
