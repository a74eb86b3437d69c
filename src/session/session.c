/* SPDX-License-Identifier: MIT
 *
 * session.c: sessions: the file that each is of, how it is opened, and how it goes; see session_inside.h.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/status.h"
#include "formats/recognize.h"
#include "session/recording_parts.h"
#include "session/remote_file.h"
#include "session/remote_graph.h"
#include "session/session_inside.h"

/* ---- files --------------------------------------------------------------------------------------------------------- */

static ubi__file_identity identity_of(const struct stat *about) {
    return (ubi__file_identity){ true, about->st_dev, about->st_ino, about->st_size, about->st_mtim };
}

ubi__file_identity ubi__file_identify(const char *path) {
    struct stat about;
    if (strcmp(path, "-") == 0 || stat(path, &about) != 0 || !S_ISREG(about.st_mode))
        return (ubi__file_identity){ .is_known = false };
    return identity_of(&about);
}

void ubi__session_pin_file(ubi_session *session, const struct stat *about) {
    pthread_mutex_lock(&session->pool->lock);
    session->file = identity_of(about);
    session->was_pinned = true;
    pthread_mutex_unlock(&session->pool->lock);
}

static bool file_is_same(const ubi__file_identity *a, const ubi__file_identity *b) {
    return a->is_known && b->is_known && a->device == b->device && a->inode == b->inode &&
           a->size_bytes == b->size_bytes && a->changed.tv_sec == b->changed.tv_sec &&
           a->changed.tv_nsec == b->changed.tv_nsec;
}

ubi_status ubi__session_file_check(ubi__file_identity *out, const ubi_session *session, uint64_t others_identity) {
    struct stat about;
    ubi__file_identity now = ubi__file_identify(session->name);
    pthread_mutex_lock(&session->pool->lock);
    bool was_read = session->was_read, is_same = file_is_same(&session->file, &now);
    bool is_known = was_read || session->was_pinned;
    bool are_others_same = session->others_identity == others_identity;
    pthread_mutex_unlock(&session->pool->lock);
    if (is_known && !is_same) {
        if (stat(session->name, &about) != 0)
            return ubi__fail_errno(errno, "%s must be read again, and cannot be", ubi_session_name(session));
        return ubi__fail(UBI_EMISMATCH, "%s has changed since it was opened", ubi_session_name(session));
    }
    if (was_read && !are_others_same)
        return ubi__fail(UBI_EMISMATCH,
                         "files of processes that were recorded with %s have changed since it was opened",
                         ubi_session_name(session));
    *out = now;
    return UBI_OK;
}

void ubi__session_file_note(ubi_session *session, const ubi__file_identity *file, uint64_t others_identity) {
    pthread_mutex_lock(&session->pool->lock);
    session->file = *file;
    session->others_identity = others_identity;
    session->was_read = true;
    pthread_mutex_unlock(&session->pool->lock);
}

static void read_note(ubi_session *session, const ubi__file_identity *file, uint64_t others_identity,
                      const ubi_read_info *info) {
    if (info)
        session->info = *info; /* before was_read says that it is there */
    ubi__session_file_note(session, file, others_identity);
}

ubi_status ubi__session_fault_note(ubi_session *session, ubi_status status) {
    if (status != UBI_EFORMAT)
        return status;
    pthread_mutex_lock(&session->pool->lock);
    snprintf(session->fault, sizeof session->fault, "%s", ubi_error_message());
    pthread_mutex_unlock(&session->pool->lock);
    return status;
}

bool ubi__session_fault(char out[UBI__SESSION_FAULT_BYTES], const ubi_session *session) {
    pthread_mutex_lock(&session->pool->lock);
    memcpy(out, session->fault, UBI__SESSION_FAULT_BYTES);
    pthread_mutex_unlock(&session->pool->lock);
    return out[0] != '\0';
}

ubi_status ubi__session_read(ubi_graph **out, ubi_session_use *use, const ubi_allocator *allocator) {
    ubi_session *session = use->session;
    ubi_read_options options = UBI_READ_OPTIONS_INIT;
    ubi_read_info info = UBI_READ_INFO_INIT;
    ubi__file_identity file;
    bool is_first = !session->was_read; /* one thread reads at a time */
    if (session->kind != UBI_SESSION_HEAP)
        return ubi__session_refuse(session, "heap snapshot");
    UBI_TRY(ubi__session_file_check(&file, session, 0));
    options.allocator = allocator;
    options.progress = use->progress;
    options.threads = use->threads;
    options.compat = session->compat;
    UBI_TRY(ubi__session_fault_note(session, ubi_graph_read_path(out, session->name, &options, &info)));
    if (is_first)
        read_note(session, &file, 0, &info);
    return UBI_OK;
}

ubi_status ubi__session_note_read(ubi_session *session, const ubi__file_identity *file, uint64_t others_identity,
                                  const ubi_read_info *info) {
    ubi__file_identity now;
    if (session->was_read || session->was_pinned)
        UBI_TRY(ubi__session_file_check(&now, session, others_identity));
    if (session->was_read)
        return UBI_OK;
    read_note(session, file, others_identity, info);
    return UBI_OK;
}

bool ubi__session_is_current(const ubi_session *session) {
    ubi__file_identity now = ubi__file_identify(session->name);
    pthread_mutex_lock(&session->pool->lock);
    bool is_current = !(session->was_read || session->was_pinned) || file_is_same(&session->file, &now);
    pthread_mutex_unlock(&session->pool->lock);
    return is_current;
}

bool ubi__session_identity(uint64_t out[UBI__SESSION_IDENTITY_WORDS], const ubi_session *session) {
    pthread_mutex_lock(&session->pool->lock);
    const ubi__file_identity *file = &session->file;
    const uint64_t words[UBI__SESSION_IDENTITY_WORDS] = {
        (uint64_t)file->device,         (uint64_t)file->inode,           (uint64_t)file->size_bytes,
        (uint64_t)file->changed.tv_sec, (uint64_t)file->changed.tv_nsec, session->others_identity
    };
    bool is_known = file->is_known;
    pthread_mutex_unlock(&session->pool->lock);
    memcpy(out, words, sizeof words);
    return is_known;
}

uint32_t ubi__session_ref_count(const ubi_session *session) {
    pthread_mutex_lock(&session->pool->lock);
    uint32_t n = session->n_refs;
    pthread_mutex_unlock(&session->pool->lock);
    return n;
}

ubi_graph *ubi__session_given_graph(const ubi_session *session) {
    return session->given;
}

ubi_status ubi__session_refuse(const ubi_session *session, const char *wanted) {
    return session->given ? ubi__fail(UBI_EFORMAT, "this is a heap, and no %s", wanted)
                          : ubi__file_refuse_path(session->name, wanted);
}

/* ---- sessions ------------------------------------------------------------------------------------------------------ */

static ubi_status session_new(ubi_session **out, ubi_session_pool *pool, const char *name, ubi_session_kind kind,
                              const ubi_session_options *options) {
    const ubi_allocator *a = pool->allocator;
    const char *folder = options->version >= 2 ? options->cache_folder : NULL;
    size_t name_only = strlen(name) + 1, folder_bytes = folder ? strlen(folder) + 1 : 0;
    size_t name_bytes = name_only + folder_bytes;
    ubi_session *session = a->alloc(a->ctx, sizeof *session + name_bytes);
    if (!session)
        return ubi__fail_nomem();
    memset(session, 0, sizeof *session);
    session->pool = pool;
    session->n_refs = 1;
    session->remote_fd = -1;
    session->kind = kind;
    session->threads = options->threads;
    session->compat = options->compat;
    session->index_place = options->version >= 2 ? options->index : UBI_SESSION_INDEX_NONE;
    session->info = (ubi_read_info)UBI_READ_INFO_INIT;
    ubi__part_memory_init(&session->answers, pool);
    session->name_bytes = name_bytes;
    memcpy(session->name, name, name_only);
    if (folder)
        session->cache_folder = memcpy(session->name + name_only, folder, folder_bytes);
    pthread_mutex_lock(&pool->lock);
    pool->n_refs++;
    session->number = ++pool->n_numbers;
    session->next = pool->sessions;
    pool->sessions = session;
    pthread_mutex_unlock(&pool->lock);
    *out = session;
    return UBI_OK;
}

/* What is read of the file, and all else is made of. */
static ubi_status base_part_get(ubi_session_use *use) {
    ubi_graph *graph;
    const ubi__session_timeline *timeline;
    const ubi__session_recording *recording;
    const ubi__recording_choice all = { .with_symbols = true };
    switch (use->session->kind) {
    case UBI_SESSION_TIMELINE:
        return ubi__session_timeline_get(&timeline, use);
    case UBI_SESSION_RECORDING:
        return ubi__session_recording_get(&recording, use, &all);
    case UBI_SESSION_HEAP:
        break;
    }
    return ubi_session_graph(&graph, use);
}

/* Reads the file. A use that never ends holds what was read if that cannot be done twice. */
static ubi_status session_load(ubi_session *session, const ubi_progress *progress) {
    ubi_session_use *use = ubi__session_use_new(session, NULL, progress, session->threads, true);
    if (!use)
        return ubi__fail_nomem();
    ubi_status status = base_part_get(use);
    use->progress = (ubi_progress){ NULL, NULL };
    if (status == UBI_OK && !session->file.is_known)
        session->permanent = use;
    else
        ubi_session_use_end(use);
    return status;
}

static ubi_status session_begin(ubi_session **out, ubi_session_pool *pool, const char *name, ubi_session_kind kind,
                                const ubi_session_options *options) {
    static const ubi_session_options standard = UBI_SESSION_OPTIONS_INIT;
    const ubi_session_options *o = options ? options : &standard;
    UBI_TRY(ubi__version_check(o->version, UBI_SESSION_OPTIONS_VERSION, "ubi_session_options"));
    return session_new(out, pool, name, kind, o);
}

/* Takes the descriptor. There is no use in an index of it: the next one will be another heap. */
ubi_status ubi__session_open_taken(ubi_session **out, ubi_session_pool *pool, int fd, const char *label,
                                   const ubi_session_options *options) {
    ubi_session_options unindexed = UBI_SESSION_OPTIONS_INIT;
    char path[UBI__REMOTE_FILE_PATH];
    if (options) {
        unindexed.threads = options->threads;
        unindexed.compat = options->compat;
    }
    ubi__remote_file_path(path, fd);
    ubi_status status = session_begin(out, pool, path, UBI_SESSION_HEAP, &unindexed);
    if (status != UBI_OK) {
        close(fd);
        return status;
    }
    (*out)->remote_fd = fd;
    status = ubi__session_call(*out, label);
    if (status != UBI_OK)
        ubi_session_unref(*out);
    return status;
}

static ubi_status remote_open(ubi_session **out, ubi_session_pool *pool, const char *path,
                              const ubi_session_options *options) {
    static const ubi_progress silent = { NULL, NULL };
    ubi__remote_address address;
    int fd = -1;
    UBI_TRY(ubi__remote_address_parse(&address, path, pool->remotes));
    UBI_TRY(ubi__remote_file_fetch(&fd, &address, path, &pool->witness, options ? &options->progress : &silent));
    return ubi__session_open_taken(out, pool, fd, path, options);
}

static ubi_status live_graph_fetch(ubi__remote_graph *out, const ubi_session_pool *pool, const char *path,
                                   const ubi__remote_copy *copy, const ubi_session_options *options) {
    ubi_read_options reading = UBI_READ_OPTIONS_INIT;
    ubi__remote_address address;
    UBI_TRY(ubi__remote_address_parse(&address, path, pool->remotes));
    reading.allocator = pool->allocator;
    if (options) {
        reading.progress = options->progress;
        reading.threads = options->threads;
        reading.compat = options->compat;
    }
    return ubi__remote_graph_fetch(out, &address, path, &pool->witness, copy, &reading);
}

ubi_status ubi__session_open_live(ubi_session **out, ubi_session_pool *pool, const char *path,
                                  const ubi__remote_copy *copy, const ubi_session_options *options) {
    ubi__remote_graph heap;
    UBI_TRY(live_graph_fetch(&heap, pool, path, copy, options));
    ubi_status status = session_begin(out, pool, path, UBI_SESSION_HEAP, options);
    if (status != UBI_OK) {
        ubi_graph_unref(heap.graph);
        return status;
    }
    (*out)->given = heap.graph;
    (*out)->info = heap.info;
    return UBI_OK;
}

ubi_status ubi__session_open_unread(ubi_session **out, ubi_session_pool *pool, const char *path,
                                    ubi_session_kind otherwise, const ubi_session_options *options) {
    if (ubi__remote_is_address(path, pool->remotes))
        return remote_open(out, pool, path, options);
    ubi__file_use use = ubi__file_use_peek(path);
    ubi_session_kind kind = use == UBI__FILE_RECORDING  ? UBI_SESSION_RECORDING
                            : use == UBI__FILE_TIMELINE ? UBI_SESSION_TIMELINE
                                                        : otherwise;
    return session_begin(out, pool, path, kind, options);
}

/* The first bytes of a compressed timeline are those of a compressed heap. */
static bool is_packed_timeline(const ubi_session *session) {
    const ubi__file_type *type = NULL;
    return !session->given && session->kind == UBI_SESSION_HEAP && strcmp(session->name, "-") != 0 &&
           ubi__file_recognize_path(&type, session->name) == UBI_OK && type && type->use == UBI__FILE_TIMELINE;
}

/* Takes the reference. */
static ubi_status session_finish(ubi_session **out, ubi_session *session, const ubi_session_options *options) {
    static const ubi_progress silent = { NULL, NULL };
    const ubi_progress *progress = options ? &options->progress : &silent;
    ubi_status status = session_load(session, progress);
    if (status == UBI_EFORMAT && is_packed_timeline(session)) {
        session->kind = UBI_SESSION_TIMELINE;
        status = session_load(session, progress);
    }
    if (status == UBI_OK)
        *out = session;
    else
        ubi_session_unref(session);
    return status;
}

ubi_status ubi_session_open_path(ubi_session **out, ubi_session_pool *pool, const char *path,
                                 const ubi_session_options *options) {
    ubi_session *session = NULL; /* for gcc 12 */
    UBI_TRY(ubi__session_open_unread(&session, pool, path, UBI_SESSION_HEAP, options));
    return session_finish(out, session, options);
}

ubi_status ubi_session_open_graph(ubi_session **out, ubi_session_pool *pool, ubi_graph *graph, const char *name,
                                  const ubi_session_options *options) {
    ubi_session *session = NULL;
    UBI_TRY(session_begin(&session, pool, name, UBI_SESSION_HEAP, options));
    session->given = ubi_graph_ref(graph);
    return session_finish(out, session, options);
}

ubi_session *ubi_session_ref(ubi_session *session) {
    pthread_mutex_lock(&session->pool->lock);
    session->n_refs++;
    pthread_mutex_unlock(&session->pool->lock);
    return session;
}

/* No one else has the session: parts go in the order in which they do not need each other. */
static void session_empty(ubi_session *session) {
    bool is_something_dropped;
    ubi_session_use_end(session->permanent);
    do {
        is_something_dropped = false;
        for (ubi__session_slot *slot = session->slots, *next; slot; slot = next) {
            next = slot->next;
            if (slot->state != UBI__SLOT_READY || slot->n_holders > 0)
                continue;
            ubi_session_use *parts = slot->parts;
            slot->type->free(slot->value, &slot->memory.allocator);
            slot->state = UBI__SLOT_ABSENT;
            slot->value = NULL;
            slot->parts = NULL;
            is_something_dropped = true;
            ubi_session_use_end(parts);
        }
    } while (is_something_dropped);
}

void ubi_session_unref(ubi_session *session) {
    if (!session)
        return;
    ubi_session_pool *pool = session->pool;
    const ubi_allocator *a = pool->allocator;
    pthread_mutex_lock(&pool->lock);
    bool is_last = --session->n_refs == 0;
    ubi_session **place = &pool->sessions;
    while (is_last && *place != session)
        place = &(*place)->next;
    if (is_last)
        *place = session->next;
    pthread_mutex_unlock(&pool->lock);
    if (!is_last)
        return;
    while (ubi__session_pool_drop_one(pool, session->number))
        ;
    session_empty(session);
    ubi__session_slots_free(session->slots);
    ubi_graph_unref(session->given);
    UBI_ASSERT(atomic_load(&session->answers.held_bytes) == 0);
    if (session->remote_fd >= 0)
        close(session->remote_fd);
    if (session->label)
        a->free(a->ctx, session->label, strlen(session->label) + 1);
    a->free(a->ctx, session, sizeof *session + session->name_bytes);
    ubi_session_pool_unref(pool);
}

ubi_session_kind ubi_session_kind_of(const ubi_session *session) {
    return session->kind;
}

const char *ubi__session_path(const ubi_session *session) {
    return session->name;
}

bool ubi__session_is_repeatable(const ubi_session *session) {
    return session->given || session->permanent || strcmp(session->name, "-") != 0;
}

uint64_t ubi__session_number(const ubi_session *session) {
    return session->number;
}

ubi_session *ubi__session_numbered(ubi_session_pool *pool, uint64_t number) {
    pthread_mutex_lock(&pool->lock);
    ubi_session *session = pool->sessions;
    while (session && session->number != number)
        session = session->next;
    if (session)
        session->n_refs++;
    pthread_mutex_unlock(&pool->lock);
    return session;
}

ubi_session_pool *ubi__session_pool_of(const ubi_session *session) {
    return session->pool;
}

const char *ubi_session_name(const ubi_session *session) {
    return session->label ? session->label : session->name;
}

ubi_status ubi__session_call(ubi_session *session, const char *label) {
    const ubi_allocator *a = session->pool->allocator;
    size_t n_bytes = strlen(label) + 1;
    UBI_ASSERT(!session->label);
    session->label = a->alloc(a->ctx, n_bytes);
    if (!session->label)
        return ubi__fail_nomem();
    memcpy(session->label, label, n_bytes);
    return UBI_OK;
}

const ubi_read_info *ubi_session_read_info(const ubi_session *session) {
    return &session->info;
}

/* What a part was computed for. With the lock. */
static void slot_key_show(char *out, size_t n, const ubi__session_slot *slot) {
    const ubi_session *like = slot->session->pool->sessions;
    while (like && like->number != slot->like)
        like = like->next;
    if (like)
        snprintf(out, n, "%s%slike %s", slot->key, slot->key[0] ? ", " : "", like->name);
    else
        snprintf(out, n, "%s", slot->key);
}

bool ubi_session_part_at(ubi_session_part_row *out, ubi_session *session, size_t i) {
    pthread_mutex_lock(&session->pool->lock);
    const ubi__session_slot *slot = session->slots;
    for (; slot && i > 0; i--)
        slot = slot->next;
    if (slot) {
        *out = (ubi_session_part_row){ .name = slot->type->name,
                                       .is_present = slot->state == UBI__SLOT_READY,
                                       .is_in_use = slot->n_holders > 0,
                                       .bytes = atomic_load(&slot->memory.held_bytes),
                                       .time_us = slot->time_us,
                                       .n_builds = slot->n_builds };
        slot_key_show(out->key, sizeof out->key, slot);
    }
    pthread_mutex_unlock(&session->pool->lock);
    return slot != NULL;
}
