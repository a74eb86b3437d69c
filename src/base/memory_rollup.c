/* SPDX-License-Identifier: MIT
 *
 * memory_rollup.c: see memory_rollup.h.
 */
#include "base/memory_rollup.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/status.h"

#define FILE_NAME "smaps_rollup" /* some 800 bytes, the first lines of which are read */

static ubi_status file_read(int process, char *text, size_t n_bytes) {
    int fd = openat(process, FILE_NAME, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return ubi__fail_errno(errno, "cannot read " FILE_NAME " of the process");
    size_t n = 0;
    ssize_t got = 0;
    while (n < n_bytes - 1 && (got = read(fd, text + n, n_bytes - 1 - n)) > 0)
        n += (size_t)got;
    int error = errno;
    close(fd);
    text[n] = '\0';
    return got < 0 ? ubi__fail_errno(error, "cannot read " FILE_NAME " of the process") : UBI_OK;
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

ubi_status ubi__memory_rollup_read(ubi__memory_rollup *out, int process) {
    char text[4096];
    uint64_t clean, dirty;
    ubi__memory_rollup read;
    UBI_TRY(file_read(process, text, sizeof text));
    if (!line_read(&read.resident_bytes, text, "\nRss") || !line_read(&clean, text, "\nPrivate_Clean") ||
        !line_read(&dirty, text, "\nPrivate_Dirty") || !line_read(&read.anonymous_bytes, text, "\nAnonymous"))
        return ubi__fail(UBI_EIO, FILE_NAME ": no lines Rss, Private_Clean, Private_Dirty and Anonymous");
    read.unique_bytes = clean + dirty;
    *out = read;
    return UBI_OK;
}

ubi_status ubi__memory_rollup_read_own(ubi__memory_rollup *out) {
    int process = open("/proc/self", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (process < 0)
        return ubi__fail_errno(errno, "/proc/self");
    ubi_status status = ubi__memory_rollup_read(out, process);
    close(process);
    return status;
}
