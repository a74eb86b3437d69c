/* SPDX-License-Identifier: MIT
 *
 * control_results.c: results of a process that is recorded: a part of its recording, as a recording or as what `ubiheap export` writes.
 *
 * The recorder gives the file and says which part; names are looked up here. So it is not held up, whatever is done with it.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/status.h"
#include "base/text.h"
#include "cli/cli_ask.h"
#include "cli/cli_files.h"
#include "cli/commands/control/control.h"
#include "cli/options.h"
#include "cli/recording_symbols.h"
#include "questions/export/export_formats.h"
#include "session/remote_file.h"
#include "targets/native/native_part.h"

#define RECORDING "ubirec"

const char *const ubi__control_formats[] = { "tables", "pprof", "collapsed", "heaptrack", "firefox",
                                             "chrome", "svg",   RECORDING,   NULL };

/* ---- the part ----------------------------------------------------------------------------------------------------- */

static ubi_status part_copy(ubi__cli *cli, const ubi__native_part *p, ubi__write_fn write, void *to,
                            bool with_symbols) {
    const ubi_progress progress = ubi__progress_line_callbacks(&cli->progress);
    ubi_status status =
        ubi__native_part_copy(p, write, to, with_symbols ? ubi__recording_name_frames : NULL, &progress);
    ubi__progress_line_clear(&cli->progress);
    return status;
}

/* A ubi__write_fn to a descriptor. */
static ubi_status descriptor_write(void *fd, const void *data, size_t n_bytes) {
    return ubi__write_fully(*(int *)fd, data, n_bytes);
}

/* Without a name. */
static ubi_status part_to_file(int *out, ubi__cli *cli, const ubi__native_part *p, bool with_symbols) {
    int fd = -1;
    UBI_TRY(ubi__remote_file_open(&fd));
    ubi_status status = part_copy(cli, p, descriptor_write, &fd, with_symbols);
    if (status == UBI_OK)
        *out = fd;
    else
        close(fd);
    return status;
}

/* ---- sums --------------------------------------------------------------------------------------------------------- */

static ubi_status part_sum(ubi__recording_summary *out, ubi__cli *cli, const ubi__native_part *p) {
    ubi__source source;
    int fd = -1;
    UBI_TRY(part_to_file(&fd, cli, p, false));
    (void)lseek(fd, 0, SEEK_SET);
    ubi__source_open_fd(&source, fd, ubi_allocator_default());
    ubi_status status = ubi__recording_summary_read(out, &source, NULL, NULL);
    ubi__source_close(&source);
    close(fd);
    return status;
}

ubi_status ubi__control_sum(ubi__cli *cli, ubi__recording_summary *out, ubi__control_facts *facts, pid_t pid) {
    ubi__native_part p;
    UBI_TRY(ubi__native_part_open(&p, pid, false));
    ubi_status status = part_sum(out, cli, &p);
    ubi__native_part_close(&p);
    *facts = p.facts;
    return status;
}

/* ---- results ------------------------------------------------------------------------------------------------------ */

static bool is_recording_wanted(const ubi__control_arguments *a) {
    if (a->format)
        return strcmp(a->format, RECORDING) == 0;
    return a->output && ubi__text_ends(ubi__text(a->output), "." RECORDING);
}

/* A ubi__write_fn whose payload is an output file. */
static ubi_status file_write(void *file, const void *data, size_t n_bytes) {
    return ubi__output_file_write(file, data, n_bytes) ? UBI_OK : UBI_EIO;
}

static ubi_status recording_write(ubi__cli *cli, const ubi__control_arguments *a, const ubi__native_part *p) {
    ubi__output_file file;
    if (a->is_extended)
        return ubi__fail(UBI_EINVAL, "--extended is for --format tables");
    if (cli->common.wants_json)
        return ubi__fail(UBI_EINVAL, "--json does not go with --format " RECORDING);
    if (!a->output || strcmp(a->output, "-") == 0) {
        UBI_TRY(ubi__output_check_terminal("-", cli, "recording"));
        return part_copy(cli, p, descriptor_write, &cli->output->fd, a->symbols >= 0);
    }
    UBI_TRY(ubi__output_check(a->output, p->facts.path));
    UBI_TRY(ubi__output_check_kind(a->output, "recording"));
    UBI_TRY(ubi__output_file_open(&file, cli, a->output));
    UBI_TRY(ubi__output_file_close(&file, part_copy(cli, p, file_write, &file, a->symbols >= 0)));
    ubi__output_file_report(&file, "");
    return UBI_OK;
}

/* Words of a command line, as `ubiheap export` would be called. @return how many */
static int export_words(const char *words[7], const ubi__cli *cli, const ubi__control_arguments *a) {
    int n = 0;
    const char *format = a->format || (a->output && ubi__export_is_named(a->output)) ? a->format : "tables";
    if (format && !cli->common.wants_json) {
        words[n++] = "--format";
        words[n++] = format;
    }
    if (a->output) {
        words[n++] = "--output";
        words[n++] = a->output;
    }
    if (a->is_extended)
        words[n++] = "--extended";
    if (a->symbols < 0)
        words[n++] = "--no-symbols";
    return n;
}

static ubi_status export_ask(ubi__cli *cli, const ubi__control_arguments *a, const ubi__native_part *p, char *path,
                             int *exit_code) {
    const ubi__usage *usage = ubi__question_export.usage;
    const char *words[7];
    int n_operands = 0, n = export_words(words, cli, a);
    static char label[96]; /* what is said after the command is about it */
    char *operands[] = { path };
    void *values = ubi__calloc_array(ubi_allocator_default(), 1, usage->arguments_bytes);
    if (!values)
        return ubi__fail_nomem();
    const ubi__option_table table = { .parameters = usage->parameters, .values = values };
    snprintf(label, sizeof label, "process %d", p->facts.pid);
    cli->label = label;
    ubi__usage_values_init(values, usage->parameters);
    ubi_status status = ubi__options_parse(&n_operands, (char **)(uintptr_t)words, n, &table, 1);
    if (status == UBI_OK)
        status = ubi__cli_ask(cli, &ubi__question_export, values, operands, 1, exit_code);
    ubi__usage_values_fini(values, usage->parameters);
    ubi__free_array(ubi_allocator_default(), values, 1, usage->arguments_bytes);
    return status;
}

static ubi_status export_write(ubi__cli *cli, const ubi__control_arguments *a, const ubi__native_part *p,
                               int *exit_code) {
    char path[UBI__REMOTE_FILE_PATH];
    int fd = -1;
    if (a->output)
        UBI_TRY(ubi__output_check(a->output, p->facts.path));
    UBI_TRY(part_to_file(&fd, cli, p, a->symbols >= 0));
    ubi__remote_file_path(path, fd);
    cli->common.cache = -1; /* it is gone afterwards */
    ubi_status status = export_ask(cli, a, p, path, exit_code);
    close(fd);
    return status;
}

/* A name that says nothing is not for a document by accident. */
static ubi_status output_name_check(const ubi__cli *cli, const ubi__control_arguments *a) {
    const char *output = a->output;
    if (a->format || cli->common.wants_json || !output || strcmp(output, "-") == 0 || ubi__export_is_named(output) ||
        ubi__text_ends(ubi__text(output), "." RECORDING) || ubi__text_ends(ubi__text(output), ".json"))
        return UBI_OK;
    return ubi__fail(UBI_EINVAL,
                     "the name of %s does not say what to write: --format does, or an end such as ." RECORDING
                     ", .json, .pb.gz or .svg",
                     output);
}

ubi_status ubi__control_results(ubi__cli *cli, const ubi__control_arguments *a, pid_t pid, int *exit_code) {
    ubi__native_part p;
    UBI_TRY(output_name_check(cli, a));
    UBI_TRY(ubi__native_part_open(&p, pid, true));
    ubi_status status = is_recording_wanted(a) ? recording_write(cli, a, &p) : export_write(cli, a, &p, exit_code);
    ubi__native_part_close(&p);
    return status;
}
