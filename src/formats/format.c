/* SPDX-License-Identifier: MIT
 *
 * format.c: opening any snapshot (ubiheap/core/formats.h).
 *
 * The input is inflated with the fast engine and handed to the first format that recognizes it. When that ends in anything
 * but success at the clean end of the stream, and the input can be read again, the exact engine has the last word.
 */
#include "formats/format.h"

#include <stdio.h>
#include <string.h>

#include <ubiheap/core/marker.h>

#include "base/parallel.h"
#include "base/status.h"
#include "formats/recognize.h"

/* Of damaged input, what is inflated at most to find where the damage is. */
#define BLAMED_BYTES (UINT64_C(256) << 20)

typedef struct attempt {
    bool is_exact;      /* in: with which engine */
    bool is_rewindable; /* in: the input can be read again */
    bool is_clean;      /* out: the stream ended as it should */
    bool is_damaged;    /* out: the fast engine found damage, not looked at closely yet */
    bool must_repeat;   /* out: a doubtful result deserves the exact engine's answer */
} attempt;

static void note_end(ubi_read_info *info, const ubi__stream *stream) {
    info->has_ended_early = info->has_ended_early || ubi__stream_end_of(stream) > UBI__END_CLEAN;
    if (info->end_note[0] == '\0')
        snprintf(info->end_note, sizeof info->end_note, "%s", ubi__stream_note(stream));
}

/* A pipe may begin with a single byte: collects as many as are looked at, if there are as many. */
static ubi_status take_first_bytes(ubi__stream *stream, uint8_t **first, size_t *n) {
    uint8_t head[UBI__BEGINNING_BYTES], *chunk;
    _Static_assert(sizeof head <= UBI__STREAM_HEADROOM, "they are put in front of a chunk");
    size_t n_more = 1;
    UBI_TRY(ubi__stream_next(stream, first, n));
    while (*n > 0 && *n < UBI__BEGINNING_BYTES && n_more > 0) {
        size_t n_head = *n;
        memcpy(head, *first, n_head); /* asking for a chunk gives the old one back */
        UBI_TRY(ubi__stream_next(stream, &chunk, &n_more));
        memcpy(chunk - n_head, head, n_head);
        *first = chunk - n_head;
        *n = n_head + n_more;
    }
    return UBI_OK;
}

/* Anything is read as a snapshot of Firefox, so what the reader says comes second. */
static ubi_status say_unknown(void) {
    char reason[400];
    snprintf(reason, sizeof reason, "%s", ubi_error_message());
    return ubi__fail(UBI_EFORMAT, "this is no kind of file that ubiheap knows (%s)", reason);
}

/* A reader fails where damage makes no sense to it, which may be long before the compression's own checks find it. */
static ubi_status blame_stream(ubi__format_input *input) {
    ubi__stream *stream = input->stream;
    const ubi_progress *progress = &input->options->progress;
    uint64_t n_all = 0;
    size_t n = 1;
    uint8_t *chunk;
    if (strcmp(input->info->compression, "none") == 0)
        return UBI_EFORMAT;
    char reason[400];
    snprintf(reason, sizeof reason, "%s", ubi_error_message());
    while (n > 0 && n_all < BLAMED_BYTES) {
        if (!ubi__progress(progress, "reading", ubi__stream_input_bytes(stream), input->total_bytes))
            return ubi__fail_cancelled();
        UBI_TRY(ubi__stream_next(stream, &chunk, &n));
        n_all += n;
    }
    if (ubi__stream_end_of(stream) <= UBI__END_CLEAN)
        return ubi__fail(UBI_EFORMAT, "%s", reason);
    return ubi__fail(UBI_EFORMAT, "%s: %s (%s)", ubi__stream_note(stream),
                     ubi__damage_advice(ubi__stream_end_of(stream)), reason);
}

static ubi_status read_stream(ubi_graph **out, ubi__stream *stream, ubi__format_input *input, attempt *at) {
    ubi_read_info *info = input->info;
    input->stream = stream;
    info->compression = ubi__stream_compression(stream);
    UBI_TRY(take_first_bytes(stream, &input->first, &input->n_first));
    /* Not by more, even if it is there: how much there is depends on how the input arrives. */
    size_t n_head = input->n_first < UBI__BEGINNING_BYTES ? input->n_first : UBI__BEGINNING_BYTES;
    const ubi__file_type *type = ubi__file_recognize(input->first, n_head);
    bool nothing_inflates = n_head == 0 && ubi__stream_end_of(stream) != UBI__END_CLEAN;
    at->must_repeat = false;
    if (type && type->use != UBI__FILE_HEAP && !nothing_inflates)
        return ubi__file_refuse(type, input->first, n_head, info->compression, "heap snapshot");
    const ubi__format *format = ubi__format_guess(input->first, n_head);
    ubi__stream_run_ahead(stream);
    input->is_final = ubi__stream_is_exact(stream) || !at->is_rewindable;
    info->format = format->name;
    ubi_status status = format->read(out, input);
    info->input_bytes = ubi__stream_input_bytes(stream);
    at->must_repeat = format->can_survive_damage && !ubi__stream_is_exact(stream);
    at->is_clean = at->is_damaged = false;
    if (status == UBI_EFORMAT && !type)
        status = say_unknown();
    if (status == UBI_EFORMAT && !(at->must_repeat && at->is_rewindable))
        status = blame_stream(input);
    if (status == UBI_OK) {
        at->is_clean = ubi__stream_end_of(stream) == UBI__END_CLEAN;
        at->is_damaged = ubi__stream_end_of(stream) == UBI__END_DAMAGED && !ubi__stream_is_exact(stream);
        note_end(info, stream);
    }
    return status;
}

static ubi_status run_attempt(ubi_graph **out, ubi__source *source, ubi__format_input *input, attempt *at) {
    ubi__stream *stream;
    memset(input->info, 0, sizeof *input->info);
    UBI_TRY(ubi__stream_new(&stream, source, input->threads, at->is_exact, input->allocator));
    ubi_status status = read_stream(out, stream, input, at);
    ubi__stream_free(stream);
    return status;
}

static ubi_status read_source(ubi_graph **out, ubi__source *source, const ubi_read_options *given,
                              ubi_read_info *info) {
    UBI_AUTO_GLOBAL_TIMELINE_MARKER("ubiheap::ReadSnapshot");
    const ubi_read_options defaults = UBI_READ_OPTIONS_INIT;
    const ubi_read_options *options = given ? given : &defaults;
    ubi_read_info full_info;
    UBI_TRY(ubi__version_check(options->version, UBI_READ_OPTIONS_VERSION, "ubi_read_options"));
    UBI_TRY(ubi__result_check(info ? &info->struct_bytes : NULL, "ubi_read_info"));
    ubi__format_input input = {
        .total_bytes = source->size,
        .threads = ubi__thread_count(options->threads),
        .allocator = ubi__allocator_or_default(options->allocator),
        .options = options,
        .info = &full_info,
    };
    /* Firefox's answers come from Firefox's engine, since the fast one takes some Huffman codes that zlib does not. */
    attempt at = { .is_exact = options->compat == UBI_COMPAT_FIREFOX, .is_rewindable = ubi__source_can_rewind(source) };
    ubi_graph *graph = NULL;
    ubi_status status = run_attempt(&graph, source, &input, &at);
    bool doubtful = status == UBI_EFORMAT || (status == UBI_OK && !at.is_clean);
    if (doubtful && at.must_repeat && ubi__source_rewind(source)) {
        ubi_graph_unref(graph);
        at.is_exact = true;
        status = run_attempt(&graph, source, &input, &at);
    }
    if (info)
        ubi__result_fill(info, &full_info, sizeof full_info);
    if (status != UBI_OK)
        return status;
    /* A long pipe cannot be read again. Damage costs the exact engine up to a block, so the stream would hardly ever end at
     * a border there; take it for what it nearly always is. */
    if (at.is_damaged) {
        ubi_graph_unref(graph);
        return ubi__fail(UBI_EFORMAT, "%s: %s", input.info->end_note, ubi__damage_advice(UBI__END_DAMAGED));
    }
    *out = graph;
    return UBI_OK;
}

static const ubi_allocator *allocator_of(const ubi_read_options *options) {
    return ubi__allocator_or_default(options ? options->allocator : NULL);
}

ubi_status ubi_graph_read_path(ubi_graph **out, const char *path, const ubi_read_options *options,
                               ubi_read_info *info) {
    ubi__source source;
    UBI_TRY(ubi__source_open_path(&source, path, allocator_of(options)));
    ubi_status status = read_source(out, &source, options, info);
    ubi__source_close(&source);
    return status;
}

ubi_status ubi_graph_read_fd(ubi_graph **out, int fd, const ubi_read_options *options, ubi_read_info *info) {
    ubi__source source;
    ubi__source_open_fd(&source, fd, allocator_of(options));
    ubi_status status = read_source(out, &source, options, info);
    ubi__source_close(&source);
    return status;
}

ubi_status ubi_graph_read_memory(ubi_graph **out, const void *data, size_t size_bytes, const ubi_read_options *options,
                                 ubi_read_info *info) {
    ubi__source source;
    ubi__source_open_memory(&source, data, size_bytes, allocator_of(options));
    ubi_status status = read_source(out, &source, options, info);
    ubi__source_close(&source);
    return status;
}

ubi_status ubi_graph_read_callback(ubi_graph **out, ubi_read_fn fn, void *payload, const ubi_read_options *options,
                                   ubi_read_info *info) {
    ubi__source source;
    ubi__source_open_callback(&source, fn, payload, allocator_of(options));
    ubi_status status = read_source(out, &source, options, info);
    ubi__source_close(&source);
    return status;
}
