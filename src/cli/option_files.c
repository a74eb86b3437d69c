/* SPDX-License-Identifier: MIT
 *
 * option_files.c: see option_files.h.
 */
#include "cli/option_files.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/status.h"
#include "cli/cli_files.h"

/* They are small; this keeps a wrong FILE from filling memory. */
#define MAX_FILE_BYTES (16u << 20)

/* Appends. */
static ubi_status text_read(ubi__vec_u8 *out, int fd, const char *what, const char *path) {
    for (size_t first = out->n;;) {
        UBI_TRY(ubi__vec_u8_reserve(out, ubi_allocator_default(), 4096));
        ssize_t n = read(fd, out->at + out->n, out->cap - out->n);
        if (n < 0)
            return ubi__fail_errno(errno, "cannot read the %s %s", what, path);
        if (n == 0)
            return UBI_OK;
        out->n += (size_t)n;
        if (out->n - first > MAX_FILE_BYTES)
            return ubi__fail(UBI_EINVAL, "the %s %s is larger than 16 MiB", what, path);
    }
}

/* Appends the text and a NUL. @param form  what it is not when it has one itself. */
static ubi_status file_read(ubi__vec_u8 *out, const char *what, const char *path, const char *form) {
    size_t first = out->n;
    int fd = strcmp(path, "-") == 0 ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return ubi__fail_errno(errno, "cannot open the %s %s", what, path);
    ubi_status status = text_read(out, fd, what, path);
    close(fd);
    UBI_TRY(status);
    UBI_TRY(ubi__vec_u8_push(out, ubi_allocator_default(), '\0'));
    if (strlen((const char *)out->at + first) + 1 != out->n - first)
        return ubi__fail(UBI_EINVAL, "the %s %s is not %s: it has a zero byte", what, path, form);
    return UBI_OK;
}

ubi_status ubi__breakdown_file_read(ubi__breakdown_spec *spec) {
    const char *path = spec->text + 1;
    if (spec->text[0] != '@')
        return UBI_OK;
    UBI_TRY(file_read(&spec->file, "breakdown", path, "JSON"));
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

/* Texts move while they grow, so they are pointed to at last. */
static ubi_status texts_read(ubi__texts *texts) {
    size_t at = 0;
    for (uint32_t i = 0; i < texts->n; i++) {
        texts->paths[i] = texts->at[i];
        UBI_TRY(file_read(&texts->files, "file", texts->paths[i], "text"));
    }
    for (uint32_t i = 0; i < texts->n; i++) {
        texts->at[i] = (const char *)texts->files.at + at;
        at += strlen(texts->at[i]) + 1;
    }
    return UBI_OK;
}

static bool names_standard_input(const void *value, const ubi__parameter *p) {
    const ubi__breakdown_spec *spec = value;
    const ubi__texts *texts = value;
    if (p->kind == UBI__PARAMETER_BREAKDOWN)
        return spec->text && strcmp(spec->text, "@-") == 0;
    for (uint32_t i = 0; i < texts->n; i++)
        if (strcmp(texts->at[i], "-") == 0)
            return true;
    return false;
}

static ubi_status value_read(void *value, const ubi__parameter *p) {
    if (p->kind == UBI__PARAMETER_TEXTS)
        return texts_read(value);
    return ((ubi__breakdown_spec *)value)->text ? ubi__breakdown_file_read(value) : UBI_OK;
}

ubi_status ubi__option_files_read(void *values, const ubi__parameter *parameters, char **operands, int n) {
    for (const ubi__parameter *p = parameters; (p = ubi__option_at(p)); p++) {
        void *value = (char *)values + p->offset;
        if (p->kind != UBI__PARAMETER_BREAKDOWN && !p->has_files)
            continue;
        if (names_standard_input(value, p) && has_standard_input(operands, n))
            return ubi__fail(UBI_EINVAL, "%s cannot both come from standard input",
                             p->has_files ? "the recording and the file of an option"
                                          : "the breakdown and the snapshot");
        UBI_TRY(value_read(value, p));
    }
    return UBI_OK;
}

ubi_status ubi__breakdown_check_output(const ubi__breakdown_spec *spec, const char *output) {
    return ubi__output_check(output, spec->path);
}

ubi_status ubi__option_files_check_output(const void *values, const ubi__parameter *p, const char *output) {
    const void *value = (const char *)values + p->offset;
    const ubi__texts *texts = value;
    if (p->kind == UBI__PARAMETER_BREAKDOWN)
        return ubi__breakdown_check_output(value, output);
    for (uint32_t i = 0; p->has_files && i < texts->n; i++)
        UBI_TRY(ubi__output_check(output, texts->paths[i]));
    return UBI_OK;
}
