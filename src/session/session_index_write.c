/* SPDX-License-Identifier: MIT
 *
 * session_index_write.c: writing a session's index, and what one can ask about it (ubiheap/extension/session.h).
 */
#include <stdio.h>
#include <string.h>

#include "analyses/dominators/dom_work.h"
#include "base/atomic_file.h"
#include "base/parallel.h"
#include "base/status.h"
#include "formats/format.h"
#include "lenses/retaining.h"
#include "lenses/summary_work.h"
#include "session/cache_folder.h"
#include "session/recording_parts.h"
#include "session/session_index.h"

/** All that an index holds: of a recording, and then of a heap. */
typedef struct indexed_parts {
    const ubi__session_recording *recording;
    const ubi__sites *places;
    ubi_graph *graph;
    const ubi_look *look;
    const ubi_dominators *dominators;
    const uint32_t *distances;
    const ubi_retaining *retaining;
    const ubi_summary *summary;
} indexed_parts;

static ubi_status recording_parts_get(indexed_parts *out, ubi_session_use *use) {
    static const ubi__recording_choice usual = { .with_symbols = false, .with_wrappers = true };
    UBI_TRY(ubi__session_recording_get(&out->recording, use, &usual));
    return ubi__session_sites_get(&out->places, use, &usual, UBI__BY_LEAKED);
}

/* What was computed for an answer, mostly. */
static ubi_status first_parts_get(indexed_parts *out, ubi_session_use *use) {
    *out = (indexed_parts){ .recording = NULL };
    if (use->session->kind == UBI_SESSION_RECORDING)
        return recording_parts_get(out, use);
    UBI_TRY(ubi_session_graph(&out->graph, use));
    UBI_TRY(ubi_session_look(&out->look, use));
    UBI_TRY(ubi_session_dominators(&out->dominators, use, true));
    return ubi_session_distances(&out->distances, use);
}

static ubi_status other_parts_get(indexed_parts *out, ubi_session_use *use) {
    UBI_TRY(ubi_session_retaining(&out->retaining, use));
    return ubi_session_summary(&out->summary, use);
}

/* Passing towards a file changes nothing of what is passed. */
#define PASSED(type, value) ((type *)(uintptr_t)(value))

static ubi_status recording_write(ubi__column_writer *writer, const indexed_parts *parts, const ubi_session_use *use,
                                  const ubi_allocator *allocator) {
    ubi__columns c = { .writer = writer, .scope = ubi__indexed_scopes[UBI__INDEXED_RECORDING], .allocator = allocator };
    UBI_TRY(ubi__session_recording_pass(&c, PASSED(ubi__session_recording, parts->recording)));
    c.scope = ubi__indexed_scopes[UBI__INDEXED_PLACES];
    UBI_TRY(ubi__sites_pass(&c, PASSED(ubi__sites, parts->places), &parts->recording->summary));
    c.scope = ubi__indexed_scopes[UBI__INDEXED_CHECKPOINTS];
    return ubi__session_checkpoints_write(&c, parts->recording, use);
}

static ubi_status first_parts_write(ubi__column_writer *writer, const indexed_parts *parts, const ubi_session *session,
                                    const ubi_allocator *allocator) {
    ubi__columns c = { .writer = writer, .allocator = allocator };
    ubi_read_info info = session->info;
    ubi_graph *graph = parts->graph;
    ubi_look *look = PASSED(ubi_look, parts->look);
    ubi_dominators *dominators = PASSED(ubi_dominators, parts->dominators);
    uint32_t *distances = PASSED(uint32_t, parts->distances);
    c.scope = ubi__indexed_scopes[UBI__INDEXED_GRAPH];
    UBI_TRY(ubi__format_pass(&c, &graph));
    UBI_TRY(ubi__read_info_pass(&c, &info, graph));
    c.scope = ubi__indexed_scopes[UBI__INDEXED_LOOK];
    UBI_TRY(ubi__look_pass(&c, &look, graph));
    c.scope = ubi__indexed_scopes[UBI__INDEXED_DOMINATORS];
    UBI_TRY(ubi__dominators_pass(&c, &dominators, ubi_look_view(look)));
    c.scope = ubi__indexed_scopes[UBI__INDEXED_SETS];
    UBI_TRY(ubi__dominated_sets_pass(&c, dominators));
    c.scope = ubi__indexed_scopes[UBI__INDEXED_DISTANCES];
    return ubi__distances_pass(&c, &distances, ubi_graph_node_count(graph));
}

static ubi_status other_parts_write(ubi__column_writer *writer, const indexed_parts *parts,
                                    const ubi_allocator *allocator) {
    ubi__columns c = { .writer = writer, .allocator = allocator };
    ubi_look *look = PASSED(ubi_look, parts->look);
    ubi_retaining *retaining = PASSED(ubi_retaining, parts->retaining);
    ubi_summary *summary = PASSED(ubi_summary, parts->summary);
    c.scope = ubi__indexed_scopes[UBI__INDEXED_RETAINING];
    UBI_TRY(ubi__retaining_pass(&c, &retaining, look, parts->distances));
    c.scope = ubi__indexed_scopes[UBI__INDEXED_SUMMARY];
    return ubi__summary_pass(&c, &summary, look, parts->dominators, parts->distances);
}

/* Writes the first parts while its owner computes the others. */
typedef struct first_writing {
    ubi__chore chore;
    ubi__column_writer *writer;
    const indexed_parts *parts;
    const ubi_session *session;
    const ubi_allocator *allocator;
    ubi_status status;
    char message[256]; /* messages stay on the thread that made them */
} first_writing;

static void first_writing_perform(void *payload) {
    first_writing *w = payload;
    w->status = first_parts_write(w->writer, w->parts, w->session, w->allocator);
    if (w->status == UBI_OK)
        return;
    snprintf(w->message, sizeof w->message, "%s", ubi_error_message());
    ubi__pulse_stop(w->writer->pulse);
}

static ubi_status heap_write(ubi__column_writer *writer, indexed_parts *parts, ubi_session_use *use,
                             const ubi_allocator *allocator) {
    first_writing first = { .writer = writer, .parts = parts, .session = use->session, .allocator = allocator };
    indexed_parts others = *parts; /* the helper reads the first ones meanwhile */
    ubi__helper helper;
    ubi__helper_start(&helper, ubi__thread_count(use->threads));
    ubi__helper_give(&helper, &first.chore, first_writing_perform, &first);
    ubi_status status = other_parts_get(&others, use);
    if (status != UBI_OK)
        ubi__pulse_stop(writer->pulse);
    else
        ubi__helper_wait(&helper, &first.chore, writer->pulse);
    ubi__helper_stop(&helper);
    UBI_TRY(status);
    if (first.status != UBI_OK)
        return ubi__fail(first.status, "%s", first.message);
    return other_parts_write(writer, &others, allocator);
}

static ubi_status file_write(ubi__atomic_file *file, indexed_parts *parts, const ubi__index_note *note,
                             ubi_session_use *use) {
    const ubi_allocator *a = ubi_session_use_allocator(use);
    ubi__column_writer writer = { 0 };
    ubi__pulse pulse = ubi__pulse_of(&use->progress);
    ubi_status status = ubi__column_writer_begin(&writer, ubi__atomic_file_write, file, note, sizeof *note, a);
    writer.pulse = &pulse;
    if (status == UBI_OK)
        status = parts->recording ? recording_write(&writer, parts, use, a) : heap_write(&writer, parts, use, a);
    if (status == UBI_OK)
        status = ubi__column_writer_end(&writer);
    ubi__column_writer_fini(&writer);
    return status;
}

/* Checksums say when a crash of the system has left less than all of it, so it need not wait for the disk. */
static ubi_status index_write(const char *path, indexed_parts *parts, const ubi__index_note *note,
                              ubi_session_use *use) {
    ubi__atomic_file file;
    UBI_TRY(ubi__atomic_file_open(&file, path, 0, use->session->pool->allocator));
    ubi_status status = file_write(&file, parts, note, use);
    if (status == UBI_OK)
        return ubi__atomic_file_appear(&file);
    ubi__atomic_file_discard(&file);
    return status;
}

/* Makes the cache folder, and room in it. */
static ubi_status folder_prepare(char folder[UBI__CACHE_PATH_BYTES], const ubi_session *session) {
    UBI_TRY(ubi__cache_folder_path(folder, session->cache_folder));
    return ubi__cache_folder_check(folder, true);
}

ubi_status ubi_session_write_index(ubi_session_use *use) {
    const ubi_session *session = use->session;
    char folder[UBI__CACHE_PATH_BYTES], path[UBI__CACHE_PATH_BYTES + UBI__INDEX_NAME_BYTES + 16];
    ubi__session_index *index;
    indexed_parts parts;
    ubi__index_note note;
    bool is_in_folder = session->index_place == UBI_SESSION_INDEX_CACHE;
    if (!ubi__session_is_indexed(session) || use->like)
        return UBI_OK;
    UBI_TRY(ubi__session_index_get(&index, use));
    if (!index->identity.is_known || (index->file && !index->is_damaged))
        return UBI_OK;
    if (is_in_folder)
        UBI_TRY(folder_prepare(folder, session));
    UBI_TRY(first_parts_get(&parts, use));
    UBI_TRY(ubi__session_heap_note(&note, use));
    UBI_TRY(ubi__session_index_path(path, sizeof path, session, &note));
    UBI_TRY(index_write(path, &parts, &note, use));
    if (is_in_folder)
        ubi__cache_folder_trim(folder, UBI__CACHE_LIMIT_BYTES, strrchr(path, '/') + 1);
    return UBI_OK;
}

ubi_status ubi_session_index_about(ubi_session_index_info *out, ubi_session_use *use) {
    ubi_session_index_info full = UBI_SESSION_INDEX_INFO_INIT;
    ubi__session_index *index;
    UBI_TRY(ubi__result_check(&out->struct_bytes, "ubi_session_index_info"));
    if (ubi__session_is_indexed(use->session)) {
        UBI_TRY(ubi__session_index_get(&index, use));
        full.is_in_use = index->file != NULL;
        full.is_damaged = index->is_damaged;
        full.size_bytes = index->file ? index->file->n_bytes : 0;
        full.resident_bytes = index->file ? ubi__column_file_resident_bytes(index->file) : 0;
        memcpy(full.why, index->why, sizeof full.why);
    }
    ubi__result_fill(out, &full, sizeof full);
    return UBI_OK;
}
