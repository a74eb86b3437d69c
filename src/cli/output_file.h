/* SPDX-License-Identifier: MIT
 *
 * output_file.h: the FILE of --output: complete, or not there.
 *
 * What goes wrong with the file first is kept, for writers above know only that it was refused.
 */
#ifndef UBI_CLI_OUTPUT_FILE_H
#define UBI_CLI_OUTPUT_FILE_H

#include "base/atomic_file.h"
#include "cli/command.h"

typedef struct ubi__output_file {
    ubi__atomic_file file;
    ubi_status status;
    char message[256]; /* of `status` */
} ubi__output_file;

/** From now on errors are about `path`. Errors: UBI_EIO, UBI_ENOMEM. */
ubi_status ubi__output_file_open(ubi__output_file *f, ubi__cli *cli, const char *path);
/** A ubi_write_fn whose payload is the file. */
bool ubi__output_file_write(void *file, const void *data, size_t n_bytes);
/**
 * Makes the file appear if all went well.
 * @param status  of who wrote.
 * @return what went wrong with the file, or else `status`.
 */
ubi_status ubi__output_file_close(ubi__output_file *f, ubi_status status);

#endif
