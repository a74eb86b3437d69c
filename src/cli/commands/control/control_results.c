/* SPDX-License-Identifier: MIT
 *
 * control_results.c: results of a process that is recorded: a part of its recording, as a recording or as what `ubiheap export` writes.
 *
 * The recorder gives the file and says which part; names are looked up here. So it is not held up, whatever is done with it.
 */
#include <fcntl.h>
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
#include "formats/ubirec/ubirec_copy.h"
#include "questions/export/export_formats.h"
#include "session/remote_file.h"

#define RECORDING "ubirec"

const char *const ubi__control_formats[] = { "tables", "pprof", "collapsed", "heaptrack", "firefox",
                                             "chrome", "svg",   RECORDING,   NULL };

/* ---- the part ----------------------------------------------------------------------------------------------------- */

typedef struct part {
    ubi__control_facts facts;
    ubi__recording_part range;
    int fd; /* of the whole */
    ubi__cli *cli;
} part;

/* @param must_be_stopped  only results are wanted, not what there is so far */
static ubi_status part_get(part *out, ubi__cli *cli, pid_t pid, bool must_be_stopped) {
    *out = (part){ .fd = -1, .cli = cli };
    UBI_TRY(ubi__control_ask(&out->facts, &out->fd, UBI__CONTROL_LOOK, pid));
    const ubi__control_facts *f = &out->facts;
    bool is_whole = f->has_results;
    out->range = (ubi__recording_part){ f->first_allocation, f->first_ns, is_whole ? f->end_bytes : f->file_bytes,
                                        is_whole ? f->end_ns : f->now_ns };
    if (out->fd < 0)
        return ubi__fail(UBI_EIO, "the recorder cannot open %.200s", f->path);
    if (!must_be_stopped || f->has_results)
        return UBI_OK;
    close(out->fd);
    return f->is_running ? ubi__fail(UBI_ESTATE, "process %ld is recorded: 'ubiheap control %ld stop' first", (long)pid,
                                     (long)pid)
                         : ubi__fail(UBI_ESTATE, "nothing was recorded of process %ld %s", (long)pid,
                                     f->first_allocation || f->first_ns ? "since it was reset" : "so far");
}

static ubi_status part_copy(const part *p, ubi__write_fn write, void *to, bool with_symbols) {
    ubi__source source;
    ubi__recording_copy copy = { .part = &p->range,
                                 .namer = with_symbols ? ubi__recording_name_frames : NULL,
                                 .progress = ubi__progress_line_callbacks(&p->cli->progress) };
    if (lseek(p->fd, 0, SEEK_SET) < 0)
        return ubi__fail(UBI_ESTATE, "%.200s cannot be read while it is written", p->facts.path);
    ubi__source_open_fd(&source, p->fd, ubi_allocator_default());
    ubi_status status = ubi__recording_copy_write(&copy, &source, write, to, NULL);
    ubi__source_close(&source);
    ubi__progress_line_clear(&p->cli->progress);
    return status == UBI_OK && copy.fault[0] ? ubi__fail(UBI_EFORMAT, "%s", copy.fault) : status;
}

/* A ubi__write_fn to a descriptor. */
static ubi_status descriptor_write(void *fd, const void *data, size_t n_bytes) {
    return ubi__write_fully(*(int *)fd, data, n_bytes);
}

/* Without a name. */
static ubi_status part_to_file(int *out, const part *p, bool with_symbols) {
    int fd = -1;
    UBI_TRY(ubi__remote_file_open(&fd));
    ubi_status status = part_copy(p, descriptor_write, &fd, with_symbols);
    if (status == UBI_OK)
        *out = fd;
    else
        close(fd);
    return status;
}

/* ---- sums --------------------------------------------------------------------------------------------------------- */

static ubi_status part_sum(ubi__recording_summary *out, const part *p) {
    ubi__source source;
    int fd = -1;
    UBI_TRY(part_to_file(&fd, p, false));
    (void)lseek(fd, 0, SEEK_SET);
    ubi__source_open_fd(&source, fd, ubi_allocator_default());
    ubi_status status = ubi__recording_summary_read(out, &source, NULL, NULL);
    ubi__source_close(&source);
    close(fd);
    return status;
}

ubi_status ubi__control_sum(ubi__cli *cli, ubi__recording_summary *out, ubi__control_facts *facts, pid_t pid) {
    part p;
    UBI_TRY(part_get(&p, cli, pid, false));
    ubi_status status = part_sum(out, &p);
    close(p.fd);
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

static ubi_status recording_write(ubi__cli *cli, const ubi__control_arguments *a, const part *p) {
    ubi__output_file file;
    if (a->is_extended)
        return ubi__fail(UBI_EINVAL, "--extended is for --format tables");
    if (cli->common.wants_json)
        return ubi__fail(UBI_EINVAL, "--json does not go with --format " RECORDING);
    if (!a->output || strcmp(a->output, "-") == 0) {
        UBI_TRY(ubi__output_check_terminal("-", cli, "recording"));
        return part_copy(p, descriptor_write, &cli->output->fd, a->symbols >= 0);
    }
    UBI_TRY(ubi__output_check(a->output, p->facts.path));
    UBI_TRY(ubi__output_check_kind(a->output, "recording"));
    UBI_TRY(ubi__output_file_open(&file, cli, a->output));
    UBI_TRY(ubi__output_file_close(&file, part_copy(p, file_write, &file, a->symbols >= 0)));
    ubi__output_file_tell(&file, "");
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

static ubi_status export_ask(ubi__cli *cli, const ubi__control_arguments *a, const part *p, char *path,
                             int *exit_code) {
    const ubi__usage *usage = ubi__question_export.usage;
    const char *words[7];
    int n_operands = 0, n = export_words(words, cli, a);
    static char label[96]; /* what is said after the command is about it */
    char *operands[] = { path };
    void *values = ubi__calloc_array(ubi_allocator_default(), 1, usage->arguments_bytes);
    if (!values)
        return ubi__fail_nomem();
    const ubi__option_table table = { usage->parameters, values };
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

static ubi_status export_write(ubi__cli *cli, const ubi__control_arguments *a, const part *p, int *exit_code) {
    char path[UBI__REMOTE_FILE_PATH];
    int fd = -1;
    if (a->output)
        UBI_TRY(ubi__output_check(a->output, p->facts.path));
    UBI_TRY(part_to_file(&fd, p, a->symbols >= 0));
    ubi__remote_file_path(path, fd);
    cli->common.cache = -1; /* it is gone afterwards */
    ubi_status status = export_ask(cli, a, p, path, exit_code);
    close(fd);
    return status;
}

ubi_status ubi__control_results(ubi__cli *cli, const ubi__control_arguments *a, pid_t pid, int *exit_code) {
    part p;
    UBI_TRY(part_get(&p, cli, pid, true));
    ubi_status status = is_recording_wanted(a) ? recording_write(cli, a, &p) : export_write(cli, a, &p, exit_code);
    close(p.fd);
    return status;
}
