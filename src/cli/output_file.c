/* SPDX-License-Identifier: MIT
 *
 * output_file.c: see output_file.h.
 */
#include "cli/output_file.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/status.h"
#include "cli/interrupt.h"

bool ubi__is_same_file(const char *output, const char *input) {
    struct stat a, b;
    if (strcmp(output, "-") == 0 || stat(output, &a) != 0 || !S_ISREG(a.st_mode))
        return false;
    int status = strcmp(input, "-") == 0 ? fstat(STDIN_FILENO, &b) : stat(input, &b);
    return status == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

ubi_status ubi__output_check(const char *output, const char *input) {
    if (!output || !input || !ubi__is_same_file(output, input))
        return UBI_OK;
    return ubi__fail(UBI_EINVAL, "the output %s is the file that is read (%s); nothing is written over it", output,
                     strcmp(input, "-") == 0 ? "standard input" : input);
}

ubi_status ubi__output_file_open(ubi__output_file *f, ubi__cli *cli, const char *path) {
    f->status = UBI_OK;
    cli->subject = path;
    return ubi__atomic_file_open(&f->file, path, 0, ubi_allocator_default());
}

bool ubi__output_file_write(void *file, const void *data, size_t n_bytes) {
    ubi__output_file *f = file;
    if (f->status != UBI_OK)
        return false;
    f->status = ubi__atomic_file_write(&f->file, data, n_bytes);
    if (f->status != UBI_OK)
        snprintf(f->message, sizeof f->message, "%s", ubi_error_message());
    return f->status == UBI_OK;
}

ubi_status ubi__output_file_close(ubi__output_file *f, ubi_status status) {
    if (status == UBI_OK)
        status = ubi__atomic_file_sync(&f->file);
    if (status == UBI_OK && !ubi__interrupt_settle())
        status = ubi__fail_cancelled();
    if (status == UBI_OK)
        return ubi__atomic_file_commit(&f->file);
    ubi__atomic_file_discard(&f->file);
    return f->status == UBI_OK ? status : ubi__fail(f->status, "%s", f->message);
}
