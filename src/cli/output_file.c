/* SPDX-License-Identifier: MIT
 *
 * output_file.c: see output_file.h.
 */
#include "cli/output_file.h"

#include <stdio.h>

#include "base/status.h"

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
        return ubi__atomic_file_commit(&f->file);
    ubi__atomic_file_discard(&f->file);
    return f->status == UBI_OK ? status : ubi__fail(f->status, "%s", f->message);
}
