/* SPDX-License-Identifier: MIT
 *
 * shelf.c: see shelf.h. One lock guards the list of entries and the numbers; files are looked at and sessions opened without it.
 */
#include "jobs/shelf.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/source.h"
#include "base/status.h"
#include "base/text.h"
#include "formats/recognize.h"
#include "session/part.h"

const ubi__beneath_bounds ubi__shelf_listing_bounds = {
    .most_levels = 8, .most_entries = 20000, .most_rows = 1000, .most_ms = 2000
};

typedef struct shelf_entry {
    ubi__shelf_heap heap; /* first: what callers have */
    struct shelf_entry *next;
    const ubi_allocator *allocator;
    _Atomic uint32_t n_refs;
    struct stat about; /* which file it is */
    bool owns_file;
    _Atomic bool is_index_claimed; /* from the start where there shall be none */
    size_t n_bytes;                /* of this block */
    char texts[];
} shelf_entry;

struct ubi__shelf {
    const ubi_allocator *allocator;
    ubi_session_pool *pool;
    ubi_session_options session;
    char *cache_folder; /* owned; or NULL */
    ubi__beneath_bounds listing;
    ubi__beneath *roots; /* roots[n_roots] */
    uint32_t n_roots, n_roots_open;
    uint32_t most_heaps;
    pthread_mutex_t lock; /* guards what follows */
    shelf_entry *first;   /* in the order of their numbers */
    uint32_t n_heaps;
    uint64_t last_number;
};

const char *ubi__shelf_origin_name(ubi__shelf_origin origin) {
    static const char *const names[] = { "given", "opened", "uploaded", "saved" };
    return names[UBI_INDEX((size_t)origin, sizeof names / sizeof *names)];
}

void ubi__shelf_check(const ubi__shelf *shelf) {
    uint32_t n = 0;
    uint64_t last = 0;
    for (const shelf_entry *e = UBI_CHECKS ? shelf->first : NULL; e; e = e->next, n++) {
        UBI_ASSERT(last < e->heap.number && e->heap.number <= shelf->last_number);
        UBI_ASSERT(e->heap.session && e->heap.path[0] == '/' && e->heap.name[0] != '/');
        UBI_ASSERT(atomic_load(&e->n_refs) > 0);
        last = e->heap.number;
    }
    UBI_ASSERT(!UBI_CHECKS || n == shelf->n_heaps);
    UBI_ASSERT(shelf->n_heaps <= shelf->most_heaps);
}

/* ---- entries --------------------------------------------------------------------------------------------------------- */

static shelf_entry *entry_of(const ubi__shelf_heap *heap) {
    return (shelf_entry *)(uintptr_t)heap;
}

const ubi__shelf_heap *ubi__shelf_heap_ref(const ubi__shelf_heap *heap) {
    atomic_fetch_add(&entry_of(heap)->n_refs, 1);
    return heap;
}

void ubi__shelf_heap_unref(const ubi__shelf_heap *heap) {
    if (!heap)
        return;
    shelf_entry *entry = entry_of(heap);
    if (atomic_fetch_sub(&entry->n_refs, 1) > 1)
        return;
    ubi_session_unref(entry->heap.session);
    entry->allocator->free(entry->allocator->ctx, entry, entry->n_bytes);
}

bool ubi__shelf_heap_claim_index(const ubi__shelf_heap *heap) {
    return !atomic_exchange(&entry_of(heap)->is_index_claimed, true);
}

/* Off the shelf. A session that has read it keeps what it has. */
static void entry_leave(shelf_entry *entry) {
    if (entry->owns_file)
        (void)unlink(entry->heap.path);
    ubi__shelf_heap_unref(&entry->heap);
}

static bool is_same_file(const struct stat *a, const struct stat *b) {
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
           a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

/* ---- opening --------------------------------------------------------------------------------------------------------- */

/* A file that is to be opened. */
typedef struct shelf_file {
    const ubi__beneath_file *file;
    const char *name;
    ubi__shelf_origin origin;
    const ubi__file_type *type; /* NULL: unknown */
} shelf_file;

static bool is_owned(ubi__shelf_origin origin) {
    return origin == UBI__SHELF_UPLOADED || origin == UBI__SHELF_SAVED;
}

/* With the lock. NULL: it is not open. */
static shelf_entry *entry_find_file(const ubi__shelf *shelf, const shelf_file *f) {
    shelf_entry *e = is_owned(f->origin) ? NULL : shelf->first;
    while (e && (e->owns_file || !is_same_file(&e->about, &f->file->about)))
        e = e->next;
    return e;
}

static ubi_status entry_new(shelf_entry **out, const ubi__shelf *shelf, const shelf_file *f) {
    const ubi_allocator *a = shelf->allocator;
    size_t name_bytes = strlen(f->name) + 1, path_bytes = strlen(f->file->path) + 1;
    shelf_entry *e = ubi__calloc_array(a, sizeof *e + name_bytes + path_bytes, 1);
    if (!e)
        return ubi__fail_nomem();
    e->allocator = a;
    e->n_bytes = sizeof *e + name_bytes + path_bytes;
    e->about = f->file->about;
    e->owns_file = is_owned(f->origin);
    atomic_init(&e->n_refs, 1);
    atomic_init(&e->is_index_claimed, shelf->session.index == UBI_SESSION_INDEX_NONE);
    e->heap.name = memcpy(e->texts, f->name, name_bytes);
    e->heap.path = memcpy(e->texts + name_bytes, f->file->path, path_bytes);
    e->heap.origin = f->origin;
    e->heap.what = f->type ? f->type->what : NULL;
    e->heap.size_bytes = (uint64_t)f->file->about.st_size;
    *out = e;
    return UBI_OK;
}

static ubi_status entry_open(shelf_entry **out, const ubi__shelf *shelf, const shelf_file *f) {
    shelf_entry *e = NULL;
    ubi_session_kind otherwise =
        f->type && f->type->use == UBI__FILE_TIMELINE ? UBI_SESSION_TIMELINE : UBI_SESSION_HEAP;
    UBI_TRY(entry_new(&e, shelf, f));
    ubi_status status =
        ubi__session_open_unread(&e->heap.session, shelf->pool, e->heap.path, otherwise, &shelf->session);
    if (status == UBI_OK)
        status = ubi__session_call(e->heap.session, e->heap.name); /* clients see no path of this machine */
    if (status != UBI_OK) {
        ubi_session_unref(e->heap.session);
        shelf->allocator->free(shelf->allocator->ctx, e, e->n_bytes);
        return status;
    }
    ubi__session_pin_file(e->heap.session, &e->about);
    *out = e;
    return UBI_OK;
}

/* With the lock: at the end. */
static void entry_append(ubi__shelf *shelf, shelf_entry *entry) {
    shelf_entry **end = &shelf->first;
    while (*end)
        end = &(*end)->next;
    *end = entry;
    shelf->n_heaps++;
    entry->heap.number = ++shelf->last_number;
    snprintf(entry->heap.id, sizeof entry->heap.id, "h%llu", (unsigned long long)entry->heap.number);
    ubi__shelf_check(shelf);
}

/* With the lock. The entry that is there already, `opened` put on the shelf, or an error. */
static ubi_status entry_shelve(shelf_entry **out, ubi__shelf *shelf, const shelf_file *f, shelf_entry *opened) {
    shelf_entry *there = entry_find_file(shelf, f);
    if (!there && shelf->n_heaps >= shelf->most_heaps)
        return ubi__fail(UBI_ELIMIT, "%u heaps are open, which is the most", shelf->n_heaps);
    if (!there && opened)
        entry_append(shelf, there = opened);
    *out = there;
    return UBI_OK;
}

static ubi_status file_shelve(const ubi__shelf_heap **out, ubi__shelf *shelf, const shelf_file *f,
                              shelf_entry *opened) {
    shelf_entry *entry = NULL;
    pthread_mutex_lock(&shelf->lock);
    ubi_status status = entry_shelve(&entry, shelf, f, opened);
    *out = status == UBI_OK && entry ? ubi__shelf_heap_ref(&entry->heap) : NULL;
    pthread_mutex_unlock(&shelf->lock);
    return status;
}

static ubi_status file_open(const ubi__shelf_heap **out, ubi__shelf *shelf, shelf_file *f) {
    const ubi__shelf_heap *heap = NULL;
    shelf_entry *opened = NULL;
    UBI_TRY(file_shelve(&heap, shelf, f, NULL));
    if (heap) {
        *out = heap;
        return UBI_OK;
    }
    UBI_TRY(ubi__file_recognize_path(&f->type, f->file->path));
    if (f->type && f->type->use == UBI__FILE_FOREIGN)
        return ubi__file_refuse_path(f->file->path, "heap snapshot");
    UBI_TRY(entry_open(&opened, shelf, f));
    ubi_status status = file_shelve(&heap, shelf, f, opened); /* another thread may have been faster */
    if (status != UBI_OK || heap != &opened->heap)
        ubi__shelf_heap_unref(&opened->heap);
    if (status == UBI_OK)
        *out = heap;
    return status;
}

static const char *last_word(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Its file has no name: the session has it open. */
static ubi_status remote_add(const ubi__shelf_heap **out, ubi__shelf *shelf, const char *address) {
    ubi__beneath_file file;
    ubi_session *session = NULL;
    shelf_entry *entry = NULL;
    UBI_TRY(ubi__session_open_unread(&session, shelf->pool, address, UBI_SESSION_HEAP, &shelf->session));
    shelf_file f = { .file = &file, .name = address, .origin = UBI__SHELF_GIVEN };
    snprintf(file.path, sizeof file.path, "%s", ubi__session_path(session));
    ubi_status status = stat(file.path, &file.about) == 0 ? ubi__file_recognize_path(&f.type, file.path)
                                                          : ubi__fail_errno(errno, "cannot open");
    if (status == UBI_OK)
        status = entry_new(&entry, shelf, &f);
    if (status != UBI_OK) {
        ubi_session_unref(session);
        return status;
    }
    entry->heap.session = session;
    ubi__session_pin_file(session, &entry->about);
    status = file_shelve(out, shelf, &f, entry);
    if (status != UBI_OK)
        ubi__shelf_heap_unref(&entry->heap);
    return status;
}

ubi_status ubi__shelf_add(const ubi__shelf_heap **out, ubi__shelf *shelf, const ubi__shelf_item *item) {
    ubi__beneath_file file;
    if (ubi__session_pool_is_address(shelf->pool, item->path))
        return remote_add(out, shelf, item->path);
    if (stat(item->path, &file.about) != 0 || !realpath(item->path, file.path))
        return ubi__fail_errno(errno, "cannot open");
    if (S_ISDIR(file.about.st_mode))
        return ubi__fail_directory();
    if (!S_ISREG(file.about.st_mode))
        return ubi__fail(UBI_EINVAL, "this is not a regular file, which can be read again");
    shelf_file f = { .file = &file, .name = last_word(item->name ? item->name : file.path), .origin = item->origin };
    return file_open(out, shelf, &f);
}

ubi_status ubi__shelf_open(const ubi__shelf_heap **out, ubi__shelf *shelf, const char *path) {
    ubi__beneath_file file;
    for (uint32_t i = 0; i < shelf->n_roots; i++) {
        const ubi__beneath *root = &shelf->roots[i];
        if (ubi__beneath_find(&file, root, path) != UBI_OK)
            continue;
        size_t root_bytes = strcmp(root->path, "/") == 0 ? 0 : strlen(root->path);
        shelf_file f = { .file = &file, .name = file.path + root_bytes + 1, .origin = UBI__SHELF_OPENED };
        return file_open(out, shelf, &f);
    }
    return shelf->n_roots ? ubi__beneath_refuse(path)
                          : ubi__fail(UBI_ENOTFOUND, "no folder was given in which files may be opened");
}

/* ---- finding --------------------------------------------------------------------------------------------------------- */

/* With the lock. */
static shelf_entry **entry_place(ubi__shelf *shelf, const char *id) {
    shelf_entry **place = &shelf->first;
    while (*place && strcmp((*place)->heap.id, id) != 0)
        place = &(*place)->next;
    return place;
}

/* With the lock. By id; else the only one of that name. NULL: there is none, or there are several. */
static const shelf_entry *entry_find(ubi__shelf *shelf, const char *word) {
    const shelf_entry *found = *entry_place(shelf, word);
    uint32_t n_named = 0;
    for (const shelf_entry *e = found ? NULL : shelf->first; e; e = e->next) {
        if (strcmp(e->heap.name, word) != 0)
            continue;
        found = e;
        n_named++;
    }
    return n_named < 2 ? found : NULL;
}

#define SHOWN_ID 40

static ubi_status fail_unknown(const ubi__shelf *shelf, const char *id) {
    uint32_t n = shelf->n_heaps;
    if (n == 0)
        return ubi__fail(UBI_ENOTFOUND, "no heap is open, so there is no '%.*s'", SHOWN_ID, id);
    const shelf_entry *last = shelf->first;
    while (last->next)
        last = last->next;
    return ubi__fail(UBI_ENOTFOUND, "no heap has the id '%.*s': %u %s open, %s%s%s", SHOWN_ID, id, n,
                     n == 1 ? "is" : "are", shelf->first->heap.id,
                     n == 1   ? ""
                     : n == 2 ? " and "
                              : " to ",
                     n == 1 ? "" : last->heap.id);
}

ubi_status ubi__shelf_get(const ubi__shelf_heap **out, ubi__shelf *shelf, const char *id) {
    pthread_mutex_lock(&shelf->lock);
    const shelf_entry *entry = entry_find(shelf, id);
    ubi_status status = entry ? UBI_OK : fail_unknown(shelf, id);
    if (entry)
        *out = ubi__shelf_heap_ref(&entry->heap);
    pthread_mutex_unlock(&shelf->lock);
    return status;
}

const ubi__shelf_heap *ubi__shelf_next(ubi__shelf *shelf, uint64_t number) {
    pthread_mutex_lock(&shelf->lock);
    const shelf_entry *entry = shelf->first;
    while (entry && entry->heap.number <= number)
        entry = entry->next;
    const ubi__shelf_heap *heap = entry ? ubi__shelf_heap_ref(&entry->heap) : NULL;
    pthread_mutex_unlock(&shelf->lock);
    return heap;
}

ubi_status ubi__shelf_remove(ubi__shelf *shelf, const char *id) {
    pthread_mutex_lock(&shelf->lock);
    shelf_entry **place = entry_place(shelf, id), *entry = *place;
    ubi_status status = entry ? UBI_OK : fail_unknown(shelf, id);
    if (entry) {
        *place = entry->next;
        shelf->n_heaps--;
        ubi__shelf_check(shelf);
    }
    pthread_mutex_unlock(&shelf->lock);
    if (entry)
        entry_leave(entry);
    return status;
}

static ubi_status file_open_again(const ubi__shelf_heap **out, ubi__shelf *shelf, const ubi__shelf_heap *old) {
    if (is_owned(old->origin))
        return ubi__fail(UBI_EINVAL, "%s is a file of the server, which does not change", old->name);
    if (ubi__session_pool_is_address(shelf->pool, old->name))
        return ubi__fail(UBI_EINVAL, "%s is of a program that runs: take another snapshot", old->name);
    if (old->origin == UBI__SHELF_OPENED)
        return ubi__shelf_open(out, shelf, old->path);
    return ubi__shelf_add(out, shelf, &(ubi__shelf_item){ old->path, old->name, old->origin });
}

ubi_status ubi__shelf_open_again(const ubi__shelf_heap **out, ubi__shelf *shelf, const char *id) {
    const ubi__shelf_heap *old, *fresh = NULL;
    UBI_TRY(ubi__shelf_get(&old, shelf, id));
    ubi_status status = file_open_again(&fresh, shelf, old);
    if (status == UBI_OK && fresh != old)
        (void)ubi__shelf_remove(shelf, old->id); /* unless it was removed meanwhile */
    ubi__shelf_heap_unref(old);
    if (status == UBI_OK)
        *out = fresh;
    return status;
}

uint32_t ubi__shelf_count(ubi__shelf *shelf) {
    pthread_mutex_lock(&shelf->lock);
    uint32_t n = shelf->n_heaps;
    pthread_mutex_unlock(&shelf->lock);
    return n;
}

uint32_t ubi__shelf_root_count(const ubi__shelf *shelf) {
    return shelf->n_roots;
}

ubi_session_pool *ubi__shelf_pool(const ubi__shelf *shelf) {
    return shelf->pool;
}

/* ---- listing --------------------------------------------------------------------------------------------------------- */

/* Below an earlier root, the same relative path would be opened there. */
static bool is_taken(const ubi__shelf *shelf, uint32_t root, const char *path) {
    ubi__beneath_file file;
    for (uint32_t i = 0; i < root; i++)
        if (ubi__beneath_find(&file, &shelf->roots[i], path) == UBI_OK)
            return true;
    return false;
}

static ubi_status row_make_absolute(ubi__beneath_row *row, const ubi__beneath *root, const ubi_allocator *a) {
    const char *folder = strcmp(root->path, "/") == 0 ? "" : root->path;
    size_t n = strlen(folder) + strlen(row->path) + 2;
    char *path = ubi__calloc_array(a, n, 1);
    if (!path)
        return ubi__fail_nomem();
    snprintf(path, n, "%s/%s", folder, row->path);
    ubi__free_array(a, row->path, strlen(row->path) + 1, 1);
    row->path = path;
    return UBI_OK;
}

ubi_status ubi__shelf_list_files(ubi__beneath_rows *rows, bool *was_cut, const ubi__shelf *shelf,
                                 const ubi_allocator *allocator) {
    for (uint32_t i = 0; i < shelf->n_roots; i++) {
        size_t n_before = rows->n;
        UBI_TRY(ubi__beneath_list(rows, was_cut, &shelf->roots[i], &shelf->listing, allocator));
        for (size_t row = n_before; row < rows->n; row++)
            if (is_taken(shelf, i, rows->at[row].path))
                UBI_TRY(row_make_absolute(&rows->at[row], &shelf->roots[i], allocator));
    }
    return UBI_OK;
}

/* ---- shelves --------------------------------------------------------------------------------------------------------- */

static ubi_status session_options_copy(ubi__shelf *shelf, const ubi_session_options *options) {
    static const ubi_session_options standard = UBI_SESSION_OPTIONS_INIT;
    shelf->session = options ? *options : standard;
    if (!shelf->session.cache_folder)
        return UBI_OK;
    size_t n = strlen(shelf->session.cache_folder) + 1;
    shelf->cache_folder = ubi__calloc_array(shelf->allocator, n, 1);
    if (!shelf->cache_folder)
        return ubi__fail_nomem();
    shelf->session.cache_folder = memcpy(shelf->cache_folder, shelf->session.cache_folder, n);
    return UBI_OK;
}

static ubi_status roots_open(ubi__shelf *shelf, const ubi__shelf_options *options) {
    shelf->n_roots = options->n_roots;
    shelf->roots = ubi__calloc_array(shelf->allocator, options->n_roots, sizeof *shelf->roots);
    if (options->n_roots && !shelf->roots)
        return ubi__fail_nomem();
    for (; shelf->n_roots_open < options->n_roots; shelf->n_roots_open++)
        UBI_TRY(ubi__beneath_open(&shelf->roots[shelf->n_roots_open], options->roots[shelf->n_roots_open]));
    return UBI_OK;
}

ubi_status ubi__shelf_new(ubi__shelf **out, const ubi__shelf_options *options) {
    const ubi_allocator *a = ubi__allocator_or_default(options->allocator);
    ubi__shelf *shelf = UBI_NEW(a, ubi__shelf);
    if (!shelf)
        return ubi__fail_nomem();
    shelf->allocator = a;
    shelf->pool = ubi__session_pool_ref(options->pool);
    shelf->most_heaps = options->most_heaps ? options->most_heaps : UBI__SHELF_MOST_HEAPS;
    shelf->listing = options->listing.most_entries ? options->listing : ubi__shelf_listing_bounds;
    pthread_mutex_init(&shelf->lock, NULL);
    ubi_status status = session_options_copy(shelf, options->session);
    if (status == UBI_OK)
        status = roots_open(shelf, options);
    if (status == UBI_OK)
        *out = shelf;
    else
        ubi__shelf_free(shelf);
    return status;
}

void ubi__shelf_free(ubi__shelf *shelf) {
    if (!shelf)
        return;
    const ubi_allocator *a = shelf->allocator;
    ubi__shelf_check(shelf);
    for (shelf_entry *entry = shelf->first, *next; entry; entry = next) {
        next = entry->next;
        entry_leave(entry);
    }
    for (uint32_t i = 0; i < shelf->n_roots_open; i++)
        ubi__beneath_close(&shelf->roots[i]);
    ubi__free_array(a, shelf->roots, shelf->n_roots, sizeof *shelf->roots);
    if (shelf->cache_folder)
        ubi__free_array(a, shelf->cache_folder, strlen(shelf->cache_folder) + 1, 1);
    pthread_mutex_destroy(&shelf->lock);
    ubi_session_pool_unref(shelf->pool);
    UBI_DELETE(a, shelf);
}
