/* SPDX-License-Identifier: MIT
 *
 * output_file.h: the FILE of --output: complete or absent, and never a file that is read or of another kind.
 *
 * The first error is kept, as writers above know only that a write was refused.
 */
#ifndef UBI_CLI_OUTPUT_FILE_H
#define UBI_CLI_OUTPUT_FILE_H

#include "base/atomic_file.h"
#include "cli/command.h"

typedef struct ubi__output_file {
    ubi__atomic_file file;
    const char *path; /* borrowed */
    uint64_t n_bytes; /* written so far */
    bool is_on_disk;  /* and not a device, pipe or standard output */
    ubi_status status;
    char message[256]; /* of `status` */
} ubi__output_file;

/**
 * The rule for all output: it never replaces a file that the same command reads, whatever names, symbolic or hard links
 * lead there, unless it is a new version of the same thing (convert). Call it before anything is opened for writing.
 *
 * @param output  NULL or "-": nothing to check. @param input  "-": standard input; NULL: nothing to check.
 * Errors: UBI_EINVAL.
 */
ubi_status ubi__output_check(const char *output, const char *input);
/**
 * The other rule: it never replaces an existing file of another kind than the output, which may be the user's work.
 * Empty files, and what is not a file on disk, are fine. Call it before anything is opened for writing.
 *
 * @param output  NULL or "-": nothing to check. @param kind  as in ubi__file_type: "recording", "SVG".
 * Errors: UBI_EINVAL; UBI_EIO, UBI_ENOMEM: it cannot be looked at.
 */
ubi_status ubi__output_check_kind(const char *output, const char *kind);
/** Whether both paths lead to one file on disk. */
bool ubi__is_same_file(const char *output, const char *input);

/** From now on errors are about `path`. Errors: UBI_EIO, UBI_ENOMEM. */
ubi_status ubi__output_file_open(ubi__output_file *f, ubi__cli *cli, const char *path);
/** A ubi_write_fn whose payload is the file. */
bool ubi__output_file_write(void *file, const void *data, size_t n_bytes);
/**
 * Makes the file appear if all went well.
 * @param status  of the writer.
 * @return what went wrong with the file, or else `status`; UBI_ECANCELLED when an interrupt came before it could appear.
 */
ubi_status ubi__output_file_close(ubi__output_file *f, ubi_status status);
/** After a successful close: one line on standard error, what was written. Nothing if it is not a file on disk. */
void ubi__output_file_tell(const ubi__output_file *f);

#endif
