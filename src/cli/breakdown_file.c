/* SPDX-License-Identifier: MIT
 *
 * breakdown_file.c: see breakdown_file.h.
 */
#include "cli/breakdown_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/status.h"
#include "cli/cli_files.h"

/* Breakdowns are small; this keeps a wrong @FILE from filling memory. */
#define MAX_BREAKDOWN_BYTES (16u << 20)

static ubi_status text_read(ubi__vec_u8 *out, int fd, const char *path) {
    for (;;) {
        UBI_TRY(ubi__vec_u8_reserve(out, ubi_allocator_default(), 4096));
        ssize_t n = read(fd, out->at + out->n, out->cap - out->n);
        if (n < 0)
            return ubi__fail_errno(errno, "cannot read the breakdown %s", path);
        if (n == 0)
            return UBI_OK;
        out->n += (size_t)n;
        if (out->n > MAX_BREAKDOWN_BYTES)
            return ubi__fail(UBI_EINVAL, "the breakdown %s is larger than 16 MiB", path);
    }
}

ubi_status ubi__breakdown_file_read(ubi__breakdown_spec *spec) {
    const char *path = spec->text + 1;
    if (spec->text[0] != '@')
        return UBI_OK;
    int fd = strcmp(path, "-") == 0 ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return ubi__fail_errno(errno, "cannot open the breakdown %s", path);
    ubi_status status = text_read(&spec->file, fd, path);
    close(fd);
    UBI_TRY(status);
    UBI_TRY(ubi__vec_u8_push(&spec->file, ubi_allocator_default(), '\0'));
    if (strlen((const char *)spec->file.at) + 1 != spec->file.n)
        return ubi__fail(UBI_EINVAL, "the breakdown %s is not JSON: it has a zero byte", path);
    *spec =
        (ubi__breakdown_spec){ .text = (const char *)spec->file.at, .is_json = true, .path = path, .file = spec->file };
    return UBI_OK;
}

static bool has_standard_input(char **operands, int n) {
    for (int i = 0; i < n; i++)
        if (strcmp(operands[i], "-") == 0)
            return true;
    return false;
}

ubi_status ubi__breakdown_files_read(void *values, const ubi__parameter *parameters, char **operands, int n) {
    for (const ubi__parameter *p = parameters; (p = ubi__option_at(p)); p++) {
        ubi__breakdown_spec *spec = (void *)((char *)values + p->offset);
        if (p->kind != UBI__PARAMETER_BREAKDOWN || !spec->text)
            continue;
        if (strcmp(spec->text, "@-") == 0 && has_standard_input(operands, n))
            return ubi__fail(UBI_EINVAL, "the breakdown and the snapshot cannot both come from standard input");
        UBI_TRY(ubi__breakdown_file_read(spec));
    }
    return UBI_OK;
}

ubi_status ubi__breakdown_check_output(const ubi__breakdown_spec *spec, const char *output) {
    return ubi__output_check(output, spec->path);
}
