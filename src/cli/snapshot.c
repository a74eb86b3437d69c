/* SPDX-License-Identifier: MIT
 *
 * snapshot.c: opening the FILE of a command line, and the frame of every JSON document.
 */
#include "cli/snapshot.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/source.h"
#include "base/status.h"

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
    if (strcmp(path, "-") == 0)
        return UBI_OK;
    bool is_there = stat(path, &about) == 0;
    if ((!S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode)) || (is_there && is_readable(path, &about)))
        return UBI_OK;
    UBI_TRY(ubi__snapshot_load(&snapshot, cli, path)); /* which says what is wrong */
    ubi__snapshot_close(&snapshot);
    return UBI_OK;
}

/* ---- snapshots ---------------------------------------------------------------------------------------------------- */

static ubi_status look_at(ubi__snapshot *snapshot, ubi__cli *cli, const ubi__snapshot *like) {
    ubi_look_options options = UBI_LOOK_OPTIONS_INIT;
    if (snapshot->look)
        return UBI_OK;
    if (like && ubi_look_lens(like->look) == ubi_lens_for(snapshot->graph))
        options.like = like->look;
    options.progress = ubi__progress_line_callbacks(&cli->progress);
    options.threads = ubi__cli_threads(cli);
    ubi_status status = ubi_look_open(&snapshot->look, NULL, snapshot->graph, &options);
    ubi__progress_line_clear(&cli->progress);
    return status;
}

ubi_status ubi__snapshot_look(ubi__snapshot *snapshot, ubi__cli *cli) {
    return look_at(snapshot, cli, NULL);
}

ubi_status ubi__snapshot_open(ubi__snapshot *out, ubi__cli *cli, const char *path) {
    return ubi__snapshot_open_like(out, cli, path, NULL);
}

ubi_status ubi__snapshot_open_like(ubi__snapshot *out, ubi__cli *cli, const char *path, const ubi__snapshot *like) {
    UBI_TRY(ubi__snapshot_load(out, cli, path));
    ubi_status status = look_at(out, cli, like);
    if (status != UBI_OK)
        ubi__snapshot_close(out);
    return status;
}

ubi_status ubi__snapshot_load(ubi__snapshot *out, ubi__cli *cli, const char *path) {
    ubi_read_options options = UBI_READ_OPTIONS_INIT;
    options.progress = ubi__progress_line_callbacks(&cli->progress);
    options.threads = ubi__cli_threads(cli);
    options.compat = cli->compat;
    cli->subject = strcmp(path, "-") == 0 ? "standard input" : path;
    uint64_t start = ubi__clock_us();
    out->info = (ubi_read_info)UBI_READ_INFO_INIT;
    ubi_status status = ubi_graph_read_path(&out->graph, path, &options, &out->info);
    ubi__progress_line_clear(&cli->progress);
    UBI_TRY(status);
    out->path = path;
    out->look = NULL;
    out->load_us = ubi__clock_us() - start;
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

ubi_status ubi__snapshot_dominators(ubi_dominators **out, ubi__cli *cli, const ubi__snapshot *snapshot) {
    ubi_dominators_options options = UBI_DOMINATORS_OPTIONS_INIT;
    options.progress = ubi__progress_line_callbacks(&cli->progress);
    options.without_sets = true;
    options.threads = ubi__cli_threads(cli);
    return ubi_dominators_new(out, ubi__snapshot_view(snapshot), &options);
}

ubi_status ubi__snapshot_distances(uint32_t **out, const ubi__snapshot *snapshot) {
    size_t n = ubi_graph_node_count(snapshot->graph);
    uint32_t *distances = ubi__alloc_array(ubi_allocator_default(), n, sizeof *distances);
    ubi_status status = distances ? ubi_look_distances(distances, snapshot->look) : ubi__fail_nomem();
    if (status == UBI_OK)
        *out = distances;
    else
        ubi__free_array(ubi_allocator_default(), distances, n, sizeof *distances);
    return status;
}

void ubi__snapshot_distances_free(uint32_t *distances, const ubi__snapshot *snapshot) {
    ubi__free_array(ubi_allocator_default(), distances, ubi_graph_node_count(snapshot->graph), sizeof *distances);
}

ubi_status ubi__snapshot_with(ubi__cli *cli, const char *path,
                              ubi_status (*use)(ubi__cli *cli, const ubi__snapshot *snapshot)) {
    ubi__snapshot snapshot;
    UBI_TRY(ubi__snapshot_open(&snapshot, cli, path));
    ubi_status status = use(cli, &snapshot);
    ubi__snapshot_close(&snapshot);
    return status;
}

void ubi__document_open(ubi__json *json, ubi__cli *cli, const char *schema) {
    ubi__json_init(json, ubi__out_write, &cli->output->out, false);
    json->for_terminal = isatty(cli->output->fd);
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
