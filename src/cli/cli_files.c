/* SPDX-License-Identifier: MIT
 *
 * cli_files.c: see cli_files.h.
 */
#include "cli/cli_files.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/human.h"
#include "base/source.h"
#include "base/status.h"
#include "base/text.h"
#include "cli/remote_missing.h"
#include "cli/remote_schemes.h"
#include "cli/terminal.h"
#include "formats/recognize.h"
#include "session/remote_graph.h"

/* ---- before anything is read -------------------------------------------------------------------------------------- */

/* NULL: unknown. */
static const ubi__file_type *type_of(const char *path) {
    const ubi__file_type *type = NULL;
    uint8_t head[UBI__BEGINNING_BYTES];
    size_t n = ubi__source_peek_path(head, sizeof head, path);
    if (n == 0)
        return NULL;
    if (strcmp(path, "-") == 0) /* not unpacked: what is read is gone */
        return ubi__file_recognize(head, n);
    return ubi__file_recognize_path(&type, path) == UBI_OK ? type : NULL;
}

ubi__file_use ubi__input_use(const char *path) {
    const ubi__file_type *type = type_of(path);
    return type ? type->use : UBI__FILE_HEAP;
}

/* A readable, nonempty file that some command reads. */
static bool is_readable(const char *path, const struct stat *about) {
    return S_ISREG(about->st_mode) && about->st_size > 0 && access(path, R_OK) == 0 &&
           ubi__input_use(path) != UBI__FILE_FOREIGN;
}

ubi_status ubi__input_check(ubi__cli *cli, const char *path) {
    ubi__snapshot snapshot;
    struct stat about = { .st_mode = S_IFREG };
    if (strcmp(path, "-") == 0 || ubi__remote_is_address(path, ubi__remote_schemes))
        return UBI_OK;
    bool is_there = stat(path, &about) == 0;
    if ((!S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode)) || (is_there && is_readable(path, &about)))
        return UBI_OK;
    UBI_TRY(ubi__snapshot_load(&snapshot, cli, path)); /* which says what is wrong */
    ubi__snapshot_close(&snapshot);
    return UBI_OK;
}

/* ---- snapshots ---------------------------------------------------------------------------------------------------- */

ubi_status ubi__snapshot_look(ubi__snapshot *snapshot, ubi__cli *cli) {
    ubi_look_options options = UBI_LOOK_OPTIONS_INIT;
    if (snapshot->look)
        return UBI_OK;
    options.progress = ubi__progress_line_callbacks(&cli->progress);
    options.threads = ubi__cli_threads(cli);
    ubi_status status = ubi_look_open(&snapshot->look, NULL, snapshot->graph, &options);
    ubi__progress_line_clear(&cli->progress);
    return status;
}

static ubi_status graph_read(ubi__snapshot *out, ubi__cli *cli, const char *path, const ubi_read_options *options) {
    const ubi__remote_witness witness = ubi__remote_missing_witness(cli);
    ubi__remote_address address;
    ubi__remote_graph heap;
    if (!ubi__remote_is_address(path, ubi__remote_schemes))
        return ubi_graph_read_path(&out->graph, path, options, &out->info);
    UBI_TRY(ubi__remote_address_parse(&address, path, ubi__remote_schemes));
    UBI_TRY(ubi__remote_graph_fetch(&heap, &address, path, &witness, NULL, options));
    out->graph = heap.graph;
    out->info = heap.info;
    return UBI_OK;
}

ubi_status ubi__snapshot_load(ubi__snapshot *out, ubi__cli *cli, const char *path) {
    ubi_read_options options = UBI_READ_OPTIONS_INIT;
    options.progress = ubi__progress_line_callbacks(&cli->progress);
    options.threads = ubi__cli_threads(cli);
    options.compat = cli->compat;
    cli->subject = strcmp(path, "-") == 0 ? "standard input" : path;
    out->info = (ubi_read_info)UBI_READ_INFO_INIT;
    ubi_status status = graph_read(out, cli, path, &options);
    ubi__progress_line_clear(&cli->progress);
    UBI_TRY(status);
    out->path = path;
    out->look = NULL;
    return UBI_OK;
}

void ubi__snapshot_close(ubi__snapshot *snapshot) {
    ubi_look_close(snapshot->look);
    ubi_graph_unref(snapshot->graph);
    snapshot->look = NULL;
    snapshot->graph = NULL;
}

const ubi_view *ubi__snapshot_view(const ubi__snapshot *snapshot) {
    return ubi_look_view(snapshot->look);
}

void ubi__document_open(ubi__json *json, ubi__cli *cli, const char *schema) {
    ubi__json_init(json, ubi__out_write, cli->page.out, false);
    json->is_for_terminal = isatty(cli->output->fd);
    ubi__json_object_begin(json);
    ubi__json_member_string(json, "schema", schema);
}

void ubi__document_begin(ubi__json *json, ubi__cli *cli, const char *schema, const char *file) {
    ubi__document_open(json, cli, schema);
    ubi__json_member_string(json, "file", file);
}

void ubi__document_end(ubi__json *json) {
    ubi__json_object_end(json);
    /* Refused writes stick in the output below, where they are reported. */
    if (ubi__json_flush(json) == UBI_OK)
        json->write(json->payload, "\n", 1);
}

/* ---- output ----------------------------------------------------------------------------------------------------- */

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

ubi_status ubi__output_check_terminal(const char *output, const ubi__cli *cli, const char *what) {
    if (!output || strcmp(output, "-") != 0 || !isatty(cli->output->fd))
        return UBI_OK;
    return ubi__fail(UBI_EINVAL, "a %s is not for a terminal: name a file, or pipe the output somewhere", what);
}

static bool has_extension(ubi_text path, const char *extension) {
    return ubi__text_ends(path, extension) && path.len > strlen(extension);
}

const ubi_save_format *ubi__output_format(const char *path) {
    const ubi_save_format *f;
    ubi_text name = ubi__text(path);
    if (has_extension(name, ".gz"))
        name.len -= strlen(".gz");
    for (size_t i = 0; (f = ubi_save_format_at(i)); i++)
        if (has_extension(name, f->extension))
            return f;
    return NULL;
}

ubi_status ubi__output_file_open(ubi__output_file *f, ubi__cli *cli, const char *path) {
    *f = (ubi__output_file){ .path = path, .status = UBI_OK };
    cli->subject = path;
    UBI_TRY(ubi__atomic_file_open(&f->file, path, 0, ubi_allocator_default()));
    f->is_on_disk = f->file.directory_fd >= 0;
    f->standard = strcmp(path, "-") == 0 ? cli->output : NULL;
    return UBI_OK;
}

/* A pipe whose reader has enough: the command stops, and nothing is wrong. */
static void reader_note(const ubi__output_file *f) {
    struct pollfd out = { .fd = f->file.fd, .events = POLLOUT };
    if (f->standard && poll(&out, 1, 0) == 1 && out.revents & POLLERR)
        f->standard->is_reader_gone = true;
}

bool ubi__output_file_write(void *file, const void *data, size_t n_bytes) {
    ubi__output_file *f = file;
    if (f->status != UBI_OK)
        return false;
    f->status = ubi__atomic_file_write(&f->file, data, n_bytes);
    if (f->status != UBI_OK) {
        snprintf(f->message, sizeof f->message, "%s", ubi_error_message());
        reader_note(f);
    }
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

void ubi__output_file_report(const ubi__output_file *f, const char *more) {
    char line[128], size[UBI__HUMAN_TEXT];
    snprintf(line, sizeof line, "%s written%s", ubi__human_size(size, f->n_bytes), more);
    if (f->is_on_disk)
        ubi__print_line(f->path, line);
}
