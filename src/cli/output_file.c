/* SPDX-License-Identifier: MIT
 *
 * output_file.c: see output_file.h.
 */
#include "cli/output_file.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/human.h"
#include "base/status.h"
#include "cli/finish.h"
#include "cli/interrupt.h"
#include "formats/recognize.h"

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

ubi_status ubi__output_check_kind(const char *output, const char *kind) {
    struct stat about;
    if (!output || strcmp(output, "-") == 0 || stat(output, &about) != 0 || !S_ISREG(about.st_mode) ||
        about.st_size == 0)
        return UBI_OK;
    const ubi__file_type *type;
    char why[256];
    ubi_status status = ubi__file_recognize_path(&type, output);
    if (status != UBI_OK) {
        snprintf(why, sizeof why, "%s", ubi_error_message());
        return ubi__fail(status, "the output %s is there, and what it is cannot be read: %s", output, why);
    }
    if (type && type->output && strcmp(type->output, kind) == 0)
        return UBI_OK;
    return ubi__fail(UBI_EINVAL, "the output %s is there and no %s; nothing is written over it", output, kind);
}

ubi_status ubi__output_file_open(ubi__output_file *f, ubi__cli *cli, const char *path) {
    *f = (ubi__output_file){ .path = path, .status = UBI_OK };
    cli->subject = path;
    UBI_TRY(ubi__atomic_file_open(&f->file, path, 0, ubi_allocator_default()));
    f->is_on_disk = f->file.directory_fd >= 0;
    return UBI_OK;
}

bool ubi__output_file_write(void *file, const void *data, size_t n_bytes) {
    ubi__output_file *f = file;
    if (f->status != UBI_OK)
        return false;
    f->status = ubi__atomic_file_write(&f->file, data, n_bytes);
    if (f->status != UBI_OK)
        snprintf(f->message, sizeof f->message, "%s", ubi_error_message());
    f->n_bytes += f->status == UBI_OK ? n_bytes : 0;
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

void ubi__output_file_tell(const ubi__output_file *f) {
    char line[64], size[UBI__HUMAN_TEXT];
    snprintf(line, sizeof line, "%s written", ubi__human_size(size, f->n_bytes));
    if (f->is_on_disk)
        ubi__print_line(f->path, line);
}
