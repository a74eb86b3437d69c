/* SPDX-License-Identifier: MIT
 *
 * native_library.c: where the library is that gets into programs. It lies beside the tool: in the build tree and in an
 * installed one, wherever that was moved to.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/status.h"
#include "recording/preload_wire.h"
#include "targets/native/native_proc.h"
#include "targets/native/native_record.h"

/* From the folder of the tool. */
static const char *const folders[] = { "../lib/ubiheap", "../lib/x86_64-linux-gnu/ubiheap", "../lib64/ubiheap",
                                       "../lib" };

static bool is_there(char *out, size_t size, const char *path) {
    char whole[PATH_MAX];
    if (!realpath(path, whole) || access(whole, R_OK) < 0)
        return false;
    return (size_t)snprintf(out, size, "%s", whole) < size;
}

ubi_status ubi__native_library_find(char *out, size_t size) {
    char tool[PATH_MAX], path[PATH_MAX + 64];
    const char *named = getenv("UBIHEAP_PRELOAD");
    if (named && *named)
        return is_there(out, size, named) ? UBI_OK
                                          : ubi__fail(UBI_EIO, "UBIHEAP_PRELOAD names '%s', which is not there", named);
    size_t n = ubi__proc_executable(tool, sizeof tool - 1, getpid());
    tool[n] = '\0';
    char *slash = strrchr(tool, '/');
    if (slash)
        *slash = '\0';
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        snprintf(path, sizeof path, "%s/%s/" UBI__WIRE_LIBRARY, tool, folders[i]);
        if (is_there(out, size, path))
            return UBI_OK;
    }
    return ubi__fail(UBI_EIO, "cannot find " UBI__WIRE_LIBRARY " in %s/../lib/ubiheap; UBIHEAP_PRELOAD can name it",
                     tool);
}
