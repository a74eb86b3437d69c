/* SPDX-License-Identifier: MIT
 *
 * cli_files.h: the FILE of a command line, JSON documents about it, and the FILE of --output.
 *
 * Questions have sessions (cli_ask.h). A command that is not one loads its snapshot here, and makes the look on demand: for a V8 heap
 * that costs more than reading the file.
 *
 * An output file is complete or absent, and never a file that is read or of another kind. Its first error is kept, as writers above
 * know only that a write was refused.
 */
#ifndef UBI_CLI_CLI_FILES_H
#define UBI_CLI_CLI_FILES_H

#include <ubiheap/core/formats.h>
#include <ubiheap/views/lens.h>

#include "base/atomic_file.h"
#include "base/json_writer.h"
#include "cli/command.h"
#include "formats/recognize.h"

/* ---- input ------------------------------------------------------------------------------------------------------ */

typedef struct ubi__snapshot {
    const char *path; /**< as given; "-" for standard input */
    ubi_graph *graph;
    ubi_look *look; /**< through the lens of the file's producer; NULL: loaded, and not made yet */
    ubi_read_info info;
} ubi__snapshot;

/**
 * What is in a file, recognized from its beginning. UBI__FILE_HEAP also for what cannot be read twice, or at all: pipes,
 * missing files; opening them says why.
 */
ubi__file_use ubi__input_use(const char *path);
/**
 * Fails if the file cannot be opened, or no command reads its kind: that is the error to report, not that it lacks
 * something that only other kinds have. Consumes nothing from a pipe. From here on error messages are about the file,
 * when it fails. Errors: those of opening it.
 */
ubi_status ubi__input_check(ubi__cli *cli, const char *path);

/** Reads the file with the common options applied, without a look, or the heap behind an address; from here on error messages are about it. */
ubi_status ubi__snapshot_load(ubi__snapshot *out, ubi__cli *cli, const char *path);
/** Makes the look of a loaded snapshot, if it has none. Close the snapshot even after a failure. */
ubi_status ubi__snapshot_look(ubi__snapshot *snapshot, ubi__cli *cli);
void ubi__snapshot_close(ubi__snapshot *snapshot);
/** What to give to analyses: the graph as the tools of its producer look at it, which must have been made. Borrowed. */
const ubi_view *ubi__snapshot_view(const ubi__snapshot *snapshot);

/** Opens a command's JSON document: the schema is written, more keys may follow. */
void ubi__document_open(ubi__json *json, ubi__cli *cli, const char *schema);
/** The same of a document about one file: that is written too. */
void ubi__document_begin(ubi__json *json, ubi__cli *cli, const char *schema, const char *file);
/** Closes it with a newline. */
void ubi__document_end(ubi__json *json);

/* ---- output ----------------------------------------------------------------------------------------------------- */

typedef struct ubi__output_file {
    ubi__atomic_file file;
    const char *path;               /* borrowed */
    uint64_t n_bytes;               /* written so far */
    bool is_on_disk;                /* and not a device, pipe or standard output */
    ubi__standard_output *standard; /* of the command, when it is that; else NULL */
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
/** Bytes are not written to a terminal. @param what  they are, such as "snapshot". Errors: UBI_EINVAL. */
ubi_status ubi__output_check_terminal(const char *output, const ubi__cli *cli, const char *what);
/** The format of snapshots that a name stands for, packed (.gz) or not; NULL: none. */
const ubi_save_format *ubi__output_format(const char *path);
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
/** After a successful close: one line on standard error, what was written, and `more`. Nothing if it is not a file on disk. */
void ubi__output_file_report(const ubi__output_file *f, const char *more);

#endif
