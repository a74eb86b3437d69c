/* SPDX-License-Identifier: MIT
 *
 * session_index.c: finding and reading a session's index (session_index.h).
 */
#include "session/session_index.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/status.h"
#include "recording/recording_processes.h"
#include "session/cache_folder.h"

const char *const ubi__indexed_scopes[UBI__INDEXED_COUNT] = {
    [UBI__INDEXED_GRAPH] = "graph",           [UBI__INDEXED_LOOK] = "look",
    [UBI__INDEXED_DOMINATORS] = "dominators", [UBI__INDEXED_SETS] = "dominated",
    [UBI__INDEXED_DISTANCES] = "distances",   [UBI__INDEXED_RETAINING] = "retaining",
    [UBI__INDEXED_SUMMARY] = "summary",       [UBI__INDEXED_RECORDING] = "recording",
    [UBI__INDEXED_PLACES] = "places",         [UBI__INDEXED_CHECKPOINTS] = "checkpoints",
};

/* ---- finding it ------------------------------------------------------------------------------------------------------ */

/* In the cache folder. */
static ubi_status cached_path(char *out, size_t size, const ubi_session *session, const ubi__index_note *heap,
                              const char *suffix) {
    char folder[UBI__CACHE_PATH_BYTES], name[UBI__INDEX_NAME_BYTES];
    UBI_TRY(ubi__cache_folder_path(folder, session->cache_folder));
    ubi__index_note_name(name, heap);
    int n = snprintf(out, size, "%s/%s%s", folder, name, suffix);
    return n > 0 && (size_t)n < size ? UBI_OK : ubi__fail(UBI_EINVAL, "the path of the index is too long");
}

ubi_status ubi__session_index_path(char *out, size_t size, const ubi_session *session, const ubi__index_note *heap) {
    if (session->index_place != UBI_SESSION_INDEX_BESIDE)
        return cached_path(out, size, session, heap, UBI__INDEX_SUFFIX);
    int n = snprintf(out, size, "%s" UBI__INDEX_SUFFIX, session->name);
    return n > 0 && (size_t)n < size ? UBI_OK : ubi__fail(UBI_EINVAL, "the path of the index is too long");
}

ubi_status ubi__session_answers_path(char *out, size_t size, const ubi_session *session, const ubi__index_note *heap) {
    return cached_path(out, size, session, heap, UBI__ANSWERS_SUFFIX);
}

/* The files of processes that were recorded together with the first one. */
static ubi_status others_add(ubi__index_note *note, uint64_t *others_identity, const ubi_session_use *use,
                             const ubi_allocator *a) {
    ubi__recording_processes processes;
    ubi_status status = ubi__recording_processes_find(&processes, use->session->name, NULL, a);
    UBI_TRY(status);
    for (size_t i = 1; i < processes.rows.n && status == UBI_OK; i++)
        status = ubi__index_note_add(note, processes.rows.at[i].path, use->threads, &use->progress, a);
    *others_identity = processes.identity;
    ubi__recording_processes_fini(&processes);
    return status;
}

static ubi_status note_make(ubi__index_note *note, uint64_t *others_identity, const ubi_session_use *use,
                            const ubi_allocator *a) {
    const ubi_session *session = use->session;
    bool is_beside = session->index_place == UBI_SESSION_INDEX_BESIDE;
    *others_identity = 0;
    UBI_TRY(ubi__index_note_make(note, session->name, session->compat, is_beside, use->threads, &use->progress, a));
    return session->kind == UBI_SESSION_RECORDING ? others_add(note, others_identity, use, a) : UBI_OK;
}

/* What is read now is what the parts were made of. */
ubi_status ubi__session_heap_note(ubi__index_note *out, ubi_session_use *use) {
    ubi__file_identity now;
    uint64_t others_identity;
    UBI_TRY(note_make(out, &others_identity, use, ubi_session_use_allocator(use)));
    return ubi__session_file_check(&now, use->session, others_identity);
}

/* What others may write could change while it is mapped, after it was checked. */
static ubi_status owner_check(int fd, const char *path) {
    struct stat about;
    if (fstat(fd, &about) != 0)
        return ubi__fail_errno(errno, "%s", path);
    if (about.st_uid != geteuid() && about.st_uid != 0)
        return ubi__fail(UBI_EINVAL, "%s belongs to another user", path);
    if (about.st_mode & S_IWOTH)
        return ubi__fail(UBI_EINVAL, "others may write in %s", path);
    return UBI_OK;
}

static ubi_status file_fits(const ubi__column_file *file, const ubi__index_note *heap, const char *path) {
    const ubi__index_note *note = ubi__index_note_of(file);
    if (!note)
        return ubi__fail(UBI_EFORMAT, "%s is not an index of a heap or a recording", path);
    if (memcmp(note->library, heap->library, sizeof note->library) != 0 || note->parts_version != heap->parts_version)
        return ubi__fail(UBI_EFORMAT, "%s was made by another version of ubiheap", path);
    if (!ubi__index_note_fits(note, heap))
        return ubi__fail(UBI_EMISMATCH, "%s is the index of another file, or of an earlier state of this one", path);
    return UBI_OK;
}

static ubi_status file_open(ubi__column_file **out, const char *path, const ubi__index_note *heap,
                            const ubi_allocator *a) {
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return errno == ENOENT ? ubi__fail(UBI_ENOTFOUND, "there is no %s", path) : ubi__fail_errno(errno, "%s", path);
    ubi__column_file *file = NULL;
    ubi_status status = owner_check(fd, path);
    if (status == UBI_OK)
        status = ubi__column_file_open(&file, fd, a);
    if (status == UBI_OK)
        status = file_fits(file, heap, path);
    if (status == UBI_OK && !heap->is_beside)
        (void)futimens(fd, NULL); /* used now */
    close(fd);
    if (status == UBI_OK)
        *out = file;
    else
        ubi__column_file_close(file);
    return status;
}

static ubi_status identity_compare(const ubi__file_identity *file, const ubi__index_note *note, const char *path) {
    bool is_same = (uint64_t)file->size_bytes == note->size_bytes && file->inode == note->inode &&
                   file->changed.tv_sec == note->changed_s && file->changed.tv_nsec == note->changed_ns;
    return is_same ? UBI_OK : ubi__fail(UBI_EMISMATCH, "%s has changed while it was read", path);
}

static ubi_status index_find(ubi__session_index *index, ubi_session_use *use, const ubi_allocator *a) {
    char path[UBI__CACHE_PATH_BYTES + UBI__INDEX_NAME_BYTES + 16], folder[UBI__CACHE_PATH_BYTES];
    const ubi_session *session = use->session;
    bool is_beside = session->index_place == UBI_SESSION_INDEX_BESIDE;
    struct stat about;
    index->identity = ubi__file_identify(session->name);
    if (!index->identity.is_known) /* a pipe, for example, which must not even be opened */
        return UBI_ENOTFOUND;
    if (!is_beside) {
        UBI_TRY(ubi__cache_folder_path(folder, session->cache_folder));
        UBI_TRY(ubi__cache_folder_check(folder, false));
    }
    ubi__index_note_begin(&index->heap, session->name, session->compat);
    UBI_TRY(ubi__session_index_path(path, sizeof path, session, &index->heap));
    if ((is_beside || index->heap.path[0]) && stat(path, &about) != 0) /* nothing is hashed where there is no index */
        return ubi__fail(UBI_ENOTFOUND, "there is no %s", path);
    UBI_TRY(note_make(&index->heap, &index->others_identity, use, a));
    UBI_TRY(identity_compare(&index->identity, &index->heap, session->name));
    UBI_TRY(ubi__session_index_path(path, sizeof path, session, &index->heap));
    return file_open(&index->file, path, &index->heap, a);
}

/* ---- the part -------------------------------------------------------------------------------------------------------- */

static ubi_status index_build(void **out, ubi_session_use *use, const char *key, const ubi_allocator *allocator) {
    (void)key;
    ubi__session_index *index = UBI_NEW(allocator, ubi__session_index);
    if (!index)
        return ubi__fail_nomem();
    ubi_status status = index_find(index, use, allocator);
    if (status == UBI_ENOMEM || status == UBI_ECANCELLED) {
        UBI_DELETE(allocator, index);
        return status;
    }
    if (status != UBI_OK && status != UBI_ENOTFOUND)
        snprintf(index->why, sizeof index->why, "%s", ubi_error_message());
    *out = index;
    return UBI_OK;
}

static void index_free(void *value, const ubi_allocator *allocator) {
    ubi__session_index *index = value;
    ubi__column_file_close(index->file);
    UBI_DELETE(allocator, index);
}

static const ubi__part_type index_part = {
    .name = "index", .build = index_build, .free = index_free, .is_of_graph = true
};

bool ubi__session_is_indexed(const ubi_session *session) {
    return session->index_place != UBI_SESSION_INDEX_NONE && session->kind != UBI_SESSION_TIMELINE && !session->given;
}

ubi_status ubi__session_index_get(ubi__session_index **out, ubi_session_use *use) {
    void *value;
    UBI_TRY(ubi__session_part(&value, use, &index_part, ""));
    *out = value;
    return UBI_OK;
}

/* ---- parts of it ------------------------------------------------------------------------------------------------------- */

ubi_status ubi__session_indexed(void **out, ubi_session_use *use, ubi__indexed part, ubi__indexed_load load,
                                const ubi_allocator *allocator) {
    ubi__session_index *index;
    void *value = NULL;
    *out = NULL;
    if (!ubi__session_is_indexed(use->session) || (use->like && part != UBI__INDEXED_GRAPH))
        return UBI_OK;
    UBI_TRY(ubi__session_index_get(&index, use));
    if (!index->file || index->is_damaged)
        return UBI_OK;
    ubi__column_memory *memory = &index->memories[part];
    ubi__column_memory_init(memory, allocator, index->file);
    ubi__columns columns = { .file = index->file,
                             .scope = ubi__indexed_scopes[part],
                             .allocator = &memory->allocator,
                             .threads = use->threads,
                             .progress = &use->progress };
    ubi_status status = load(&value, &columns, use);
    if (status == UBI_EFORMAT) {
        index->is_damaged = true;
        return UBI_OK;
    }
    UBI_TRY(status);
    *out = value;
    return UBI_OK;
}

ubi_status ubi__session_index_note(ubi_session_use *use, const ubi_read_info *info) {
    ubi__session_index *index;
    UBI_TRY(ubi__session_index_get(&index, use));
    return ubi__session_note_read(use->session, &index->identity, index->others_identity, info);
}

/* ---- columns that are the session's ------------------------------------------------------------------------------------ */

/** What is not the same in every process. */
typedef struct info_facts {
    char compression[16];
    uint64_t input_bytes, inflated_bytes, message_count;
    uint32_t has_ended_early, unused;
    char end_note[160], writer[64], note[160];
} info_facts;

static const char *compression_named(const char *name) {
    static const char *const names[] = { "none", "gzip", "zlib" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return names[i];
    return NULL;
}

static bool texts_end(const info_facts *f) {
    return memchr(f->compression, 0, sizeof f->compression) && memchr(f->end_note, 0, sizeof f->end_note) &&
           memchr(f->writer, 0, sizeof f->writer) && memchr(f->note, 0, sizeof f->note);
}

ubi_status ubi__read_info_pass(ubi__columns *c, ubi_read_info *info, const ubi_graph *graph) {
    info_facts f = { .input_bytes = info->input_bytes,
                     .inflated_bytes = info->inflated_bytes,
                     .message_count = info->message_count,
                     .has_ended_early = info->has_ended_early };
    snprintf(f.compression, sizeof f.compression, "%s", info->compression ? info->compression : "");
    memcpy(f.end_note, info->end_note, sizeof f.end_note);
    memcpy(f.writer, info->writer, sizeof f.writer);
    memcpy(f.note, info->note, sizeof f.note);
    UBI_TRY(ubi__columns_value(c, "reading", &f, sizeof f));
    UBI_TRY(ubi__columns_expect(c, texts_end(&f) && f.has_ended_early <= 1, "reading"));
    if (c->writer)
        return UBI_OK;
    *info = (ubi_read_info){ .struct_bytes = sizeof *info,
                             .format = ubi_graph_format_name(graph),
                             .compression = compression_named(f.compression),
                             .input_bytes = f.input_bytes,
                             .inflated_bytes = f.inflated_bytes,
                             .message_count = f.message_count,
                             .has_ended_early = f.has_ended_early != 0 };
    memcpy(info->end_note, f.end_note, sizeof f.end_note);
    memcpy(info->writer, f.writer, sizeof f.writer);
    memcpy(info->note, f.note, sizeof f.note);
    return UBI_OK;
}

ubi_status ubi__distances_pass(ubi__columns *c, uint32_t **of_node, size_t n) {
    size_t n_there = n;
    UBI_TRY(ubi__columns_array(c, "of nodes", (void **)of_node, &n_there, sizeof **of_node, NULL));
    return ubi__columns_expect(c, n_there == n, "of nodes");
}
