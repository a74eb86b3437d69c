/* SPDX-License-Identifier: MIT
 *
 * snapshot_copy.h: the FILE of --keep: the snapshot that a question is asked about, as it comes from a program that runs.
 *
 *     ubi__snapshot_copy_check(cli, paths, n);            before anything is asked for
 *     ubi__snapshot_copy_open(&copy, cli, path);          its bytes go to copy.to while they are read
 *     ubi__snapshot_copy_close(&copy, cli, status);
 *
 * It is complete or absent, as all output. Unlike other output it is there before the answer: what fails or is interrupted later leaves it.
 */
#ifndef UBI_CLI_SNAPSHOT_COPY_H
#define UBI_CLI_SNAPSHOT_COPY_H

#include "cli/cli_files.h"
#include "cli/heap_series.h"
#include "session/remote_graph.h"

typedef struct ubi__snapshot_copy {
    ubi__output_file file;
    ubi__remote_copy to; /**< payload: `file` */
    const char *address; /**< borrowed */
} ubi__snapshot_copy;

/**
 * Whether the file may be written, and is of one snapshot. Without --keep all is fine.
 * @param paths  what the question is about: one of them is an address. Errors: UBI_EINVAL; those of ubi__output_check_kind.
 */
ubi_status ubi__snapshot_copy_check(const ubi__cli *cli, char *const *paths, uint32_t n);
/** The same for a program whose snapshots are of that kind, as file names have it. */
ubi_status ubi__snapshot_copy_check_kind(const ubi__cli *cli, const char *kind);

/** It must not move until it is closed. Errors: UBI_EIO, UBI_ENOMEM; then it is closed. */
ubi_status ubi__snapshot_copy_open(ubi__snapshot_copy *out, ubi__cli *cli, const char *address);
/**
 * The file appears, with a line on standard error, or nothing is left.
 * @param status  of the snapshot. @return what went wrong with the file, or else `status`; messages are about the one or the other.
 */
ubi_status ubi__snapshot_copy_close(ubi__snapshot_copy *copy, ubi__cli *cli, ubi_status status);
/**
 * Copies the newest heap of a series, which is a file, and is called by the name of the copy from then on. Without --keep nothing is done.
 * Errors: UBI_EIO, UBI_ENOMEM, UBI_ECANCELLED.
 */
ubi_status ubi__snapshot_copy_newest(ubi__cli *cli, ubi__heap_series *series);

#endif
