/* SPDX-License-Identifier: MIT
 *
 * save.c: saving snapshots: options, formats, where the bytes go (writing part of ubiheap/core/formats.h).
 *
 *     heap or graph -> format -> (helper thread) -> compressor -> file, descriptor or callback
 */
#include <string.h>

#include <ubiheap/core/marker.h>

#include "base/alloc.h"
#include "base/assert.h"
#include "base/atomic_file.h"
#include "base/deflate.h"
#include "base/parallel.h"
#include "base/status.h"
#include "formats/save.h"
#include "formats/save_format.h"

/* ---- formats ---------------------------------------------------------------------------------------------------- */

static const ubi__save_format *const formats[] = { &ubi__save_format_fxsnapshot, &ubi__save_format_heapsnapshot,
                                                   &ubi__save_format_jsonl };

#define N_FORMATS (sizeof formats / sizeof *formats)

const ubi_save_format *ubi_save_format_at(size_t i) {
    return i < N_FORMATS ? &formats[i]->about : NULL;
}

static ubi_status find_format(const ubi__save_format **out, const char *name) {
    for (size_t i = 0; i < N_FORMATS; i++)
        if (!name || strcmp(formats[i]->about.name, name) == 0) {
            *out = formats[i];
            return UBI_OK;
        }
    return ubi__fail(UBI_EINVAL, "'%s' is no format to save in", name);
}

/* ---- what is saved, and where to -------------------------------------------------------------------------------- */

typedef struct target {
    ubi__write_fn write;
    void *payload;
    uint64_t n_bytes;
} target;

static ubi_status write_to_target(void *payload, const void *data, size_t n) {
    target *t = payload;
    UBI_TRY(t->write(t->payload, data, n));
    t->n_bytes += n;
    return UBI_OK;
}

/* A save that is under way. */
typedef struct job {
    const ubi__save_subject *what;
    const ubi__save_format *format;
    const ubi_save_options *options;
} job;

static ubi_status check_options(const ubi_save_options *o) {
    UBI_TRY(ubi__version_check(o->version, UBI_SAVE_OPTIONS_VERSION, "ubi_save_options"));
    if ((unsigned)o->compression > UBI_COMPRESSION_NONE)
        return ubi__fail(UBI_EINVAL, "compression %u: expected 0 to %u", (unsigned)o->compression,
                         (unsigned)UBI_COMPRESSION_NONE);
    return UBI_OK;
}

/* Formats for tools that make a view of their own, and for scripts, take the graph as it is. */
static ubi_status check_view(const job *j) {
    const ubi_view *view = j->options->view;
    if (view && view->graph != j->what->graph)
        return ubi__fail(UBI_EINVAL, "the view is not of the graph that is saved");
    if ((view || j->options->words_of_node) && !j->format->can_save_views)
        return ubi__fail(UBI_EINVAL, "%s takes graphs whole, not what a view shows", j->format->about.name);
    return UBI_OK;
}

static ubi_status job_prepare(job *j, const ubi__save_subject *what, const ubi_save_options *options) {
    static const ubi_save_options default_options = UBI_SAVE_OPTIONS_INIT;
    *j = (job){ what, NULL, options ? options : &default_options };
    UBI_TRY(check_options(j->options));
    UBI_TRY(find_format(&j->format, j->options->format));
    if (what->graph && j->options->edge_filter)
        return ubi__fail(UBI_EINVAL, "an edge filter is for walks; a graph is saved whole");
    UBI_TRY(check_view(j));
    if (!what->graph && ubi_node_is_null(what->root))
        return ubi__fail(UBI_EINVAL, "the null node cannot be saved");
    if (!what->graph && !j->format->can_save_walks)
        return ubi__fail(UBI_EINVAL, "%s takes graphs only; capture the heap first", j->format->about.name);
    return UBI_OK;
}

/* With a helper thread between the format and the rest. */
static ubi_status save_ahead(const job *j, ubi__write_fn write, void *payload, ubi_save_info *info) {
    ubi__write_behind *behind;
    if (ubi__thread_count(j->options->threads) == 1)
        return j->format->save(j->what, j->options, write, payload, info);
    UBI_TRY(ubi__write_behind_new(&behind, write, payload, ubi__allocator_or_default(j->options->allocator)));
    ubi_status status = j->format->save(j->what, j->options, ubi__write_behind_write, behind, info);
    if (status == UBI_OK)
        status = ubi__write_behind_finish(behind);
    ubi__write_behind_free(behind);
    return status;
}

static ubi_status job_compress(const job *j, target *to, ubi_save_info *info) {
    ubi__deflate *deflate;
    ubi_compression how = j->options->compression;
    int level = how == UBI_COMPRESSION_SMALL ? UBI__DEFLATE_LEVEL_SMALL : UBI__DEFLATE_LEVEL_DEFAULT;
    if (how == UBI_COMPRESSION_NONE)
        return save_ahead(j, write_to_target, to, info);
    UBI_TRY(ubi__deflate_new(&deflate, level, write_to_target, to, j->options->allocator));
    ubi_status status = save_ahead(j, ubi__deflate_write, deflate, info);
    if (status == UBI_OK)
        status = ubi__deflate_finish(deflate);
    ubi__deflate_free(deflate);
    return status;
}

static ubi_status save_info_check(const ubi_save_info *info) {
    return ubi__result_check(info ? &info->struct_bytes : NULL, "ubi_save_info");
}

static ubi_status job_run(const job *j, target to, ubi_save_info *info) {
    ubi_save_info written;
    UBI_TRY(save_info_check(info));
    UBI_TRY(job_compress(j, &to, &written));
    written.output_bytes = to.n_bytes;
    UBI_ASSERT(j->options->compression != UBI_COMPRESSION_NONE || written.stream_bytes == to.n_bytes);
    if (info)
        ubi__result_fill(info, &written, sizeof written);
    return UBI_OK;
}

/* ---- public functions ------------------------------------------------------------------------------------------- */

/* What to call before the file appears, if anything. A heap that waits is notified before we wait for the disk. */
typedef struct question {
    ubi__save_written_fn fn;
    void *payload;
    bool must_be_synced;
} question;

static ubi_status save_path(const ubi__save_subject *what, const char *path, const ubi_save_options *options,
                            ubi_save_info *info, question ask) {
    ubi__atomic_file file;
    ubi_save_info written = UBI_SAVE_INFO_INIT;
    job j;
    UBI_TRY(save_info_check(info));
    UBI_TRY(job_prepare(&j, what, options));
    UBI_TRY(ubi__atomic_file_open(&file, path, j.options->is_new_and_private ? UBI__ATOMIC_FILE_NEW : 0,
                                  ubi__allocator_or_default(j.options->allocator)));
    ubi_status status = job_run(&j, (target){ ubi__atomic_file_write, &file, 0 }, &written);
    if (status == UBI_OK && ask.must_be_synced) {
        status = ubi__atomic_file_sync(&file);
        if (info)
            ubi__result_fill(info, &written, sizeof written);
    }
    if (status == UBI_OK && ask.fn)
        status = ask.fn(ask.payload);
    if (status != UBI_OK) {
        ubi__atomic_file_discard(&file);
        return status;
    }
    UBI_TRY(ubi__atomic_file_commit(&file));
    if (info)
        ubi__result_fill(info, &written, sizeof written);
    return UBI_OK;
}

static ubi_status write_to_fd(void *payload, const void *data, size_t n) {
    return ubi__write_fully(*(const int *)payload, data, n);
}

static ubi_status save_fd(const ubi__save_subject *what, int fd, const ubi_save_options *options, ubi_save_info *info) {
    job j;
    UBI_TRY(job_prepare(&j, what, options));
    return job_run(&j, (target){ write_to_fd, &fd, 0 }, info);
}

typedef struct callback {
    ubi_write_fn fn;
    void *payload;
} callback;

static ubi_status write_to_callback(void *payload, const void *data, size_t n) {
    const callback *c = payload;
    return c->fn(c->payload, data, n) ? UBI_OK : ubi__fail(UBI_EIO, "cannot write: the callback refused");
}

static ubi_status save_callback(const ubi__save_subject *what, callback to, const ubi_save_options *options,
                                ubi_save_info *info) {
    job j;
    UBI_TRY(job_prepare(&j, what, options));
    return job_run(&j, (target){ write_to_callback, &to, 0 }, info);
}

ubi_status ubi_save_path(ubi_node root, const char *path, const ubi_save_options *options, ubi_save_info *info) {
    UBI_AUTO_GLOBAL_TIMELINE_MARKER("ubiheap::SaveSnapshot");
    return save_path(&(ubi__save_subject){ .root = root }, path, options, info, (question){ NULL, NULL, false });
}

ubi_status ubi__save_path_if(ubi_node root, const char *path, const ubi_save_options *options, ubi_save_info *info,
                             ubi__save_written_fn written, void *payload) {
    return save_path(&(ubi__save_subject){ .root = root }, path, options, info, (question){ written, payload, false });
}

ubi_status ubi_save_fd(ubi_node root, int fd, const ubi_save_options *options, ubi_save_info *info) {
    UBI_AUTO_GLOBAL_TIMELINE_MARKER("ubiheap::SaveSnapshot");
    return save_fd(&(ubi__save_subject){ .root = root }, fd, options, info);
}

ubi_status ubi_save_callback(ubi_node root, ubi_write_fn fn, void *payload, const ubi_save_options *options,
                             ubi_save_info *info) {
    UBI_AUTO_GLOBAL_TIMELINE_MARKER("ubiheap::SaveSnapshot");
    return save_callback(&(ubi__save_subject){ .root = root }, (callback){ fn, payload }, options, info);
}

ubi_status ubi_graph_save_path(const ubi_graph *graph, const char *path, const ubi_save_options *options,
                               ubi_save_info *info) {
    UBI_AUTO_GLOBAL_TIMELINE_MARKER("ubiheap::SaveSnapshot");
    return save_path(&(ubi__save_subject){ .graph = graph }, path, options, info, (question){ NULL, NULL, false });
}

ubi_status ubi__graph_save_path_if(const ubi_graph *graph, const char *path, const ubi_save_options *options,
                                   ubi_save_info *info, ubi__save_written_fn written, void *payload) {
    UBI_AUTO_GLOBAL_TIMELINE_MARKER("ubiheap::SaveSnapshot");
    return save_path(&(ubi__save_subject){ .graph = graph }, path, options, info, (question){ written, payload, true });
}

ubi_status ubi_graph_save_fd(const ubi_graph *graph, int fd, const ubi_save_options *options, ubi_save_info *info) {
    UBI_AUTO_GLOBAL_TIMELINE_MARKER("ubiheap::SaveSnapshot");
    return save_fd(&(ubi__save_subject){ .graph = graph }, fd, options, info);
}

ubi_status ubi_graph_save_callback(const ubi_graph *graph, ubi_write_fn fn, void *payload,
                                   const ubi_save_options *options, ubi_save_info *info) {
    UBI_AUTO_GLOBAL_TIMELINE_MARKER("ubiheap::SaveSnapshot");
    return save_callback(&(ubi__save_subject){ .graph = graph }, (callback){ fn, payload }, options, info);
}
