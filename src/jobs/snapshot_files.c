/* SPDX-License-Identifier: MIT
 *
 * snapshot_files.c: names of snapshot files, and the sessions of those that clients have read. Ids come over wires, so they may not
 * lead out of the folder.
 *
 * Source: mozilla-central devtools/shared/heapsnapshot/HeapSnapshotFileUtils.js.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <ubiheap/server/worker.h>

#include "base/status.h"
#include "base/text.h"
#include "jobs/jobs.h"
#include "session/part.h"

static size_t digits_count(ubi_text text) {
    size_t n = 0;
    while (n < text.len && ubi__is_digit(text.ptr[n]))
        n++;
    return n;
}

bool ubi_snapshot_id_is_valid(ubi_text id) {
    size_t n = digits_count(id);
    if (n == 0 || n == id.len)
        return n > 0;
    ubi_text rest = { id.ptr + n + 1, id.len - n - 1 };
    return id.ptr[n] == '-' && rest.len > 0 && digits_count(rest) == rest.len;
}

static const char *folder_or_standard(const char *folder) {
    const char *standard = getenv("TMPDIR");
    if (folder)
        return folder;
    return standard && standard[0] ? standard : "/tmp";
}

bool ubi_snapshot_temp_path(char path[UBI_SNAPSHOT_PATH_BYTES], const char *folder, ubi_text id) {
    path[0] = '\0';
    if (!ubi_snapshot_id_is_valid(id) || id.len >= UBI_SNAPSHOT_PATH_BYTES)
        return false;
    int n =
        snprintf(path, UBI_SNAPSHOT_PATH_BYTES, "%s/%.*s.fxsnapshot", folder_or_standard(folder), (int)id.len, id.ptr);
    if (n < UBI_SNAPSHOT_PATH_BYTES)
        return true;
    path[0] = '\0';
    return false;
}

bool ubi_snapshot_temp_exists(const char *folder, ubi_text id) {
    char path[UBI_SNAPSHOT_PATH_BYTES];
    struct stat about;
    return ubi_snapshot_temp_path(path, folder, id) && stat(path, &about) == 0;
}

static uint64_t milliseconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

ubi_status ubi_snapshot_temp_create(char path[UBI_SNAPSHOT_PATH_BYTES], const char *folder) {
    uint64_t now_ms = milliseconds_now();
    for (unsigned i = 0;; i++) {
        char id[48];
        snprintf(id, sizeof id, i ? "%llu-%u" : "%llu", (unsigned long long)now_ms, i);
        if (!ubi_snapshot_temp_path(path, folder, ubi__text(id)))
            return ubi__fail(UBI_EINVAL, "the folder for snapshots has too long a path");
        int fd = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
        if (fd >= 0) {
            close(fd);
            return UBI_OK;
        }
        if (errno != EEXIST)
            return ubi__fail_errno(errno, "cannot create %.400s", path);
    }
}

/* ---- files that clients have read --------------------------------------------------------------------------------- */

void ubi__worker_files_free(ubi_worker *worker, ubi__job_file *files) {
    while (files) {
        ubi__job_file *next = files->next;
        ubi_session_unref(files->session);
        UBI_DELETE(worker->allocator, files);
        files = next;
    }
}

/* With the lock. The session of a file that no client has is only ours. */
static ubi__job_file *files_take_unused(ubi_worker *worker) {
    ubi__job_file *unused = NULL;
    for (ubi__job_file **place = &worker->files; *place;) {
        ubi__job_file *file = *place;
        if (ubi__session_ref_count(file->session) > 1) {
            place = &file->next;
            continue;
        }
        *place = file->next;
        file->next = unused;
        unused = file;
    }
    return unused;
}

void ubi__worker_files_prune(ubi_worker *worker) {
    pthread_mutex_lock(&worker->lock);
    ubi__job_file *unused = files_take_unused(worker);
    pthread_mutex_unlock(&worker->lock);
    ubi__worker_files_free(worker, unused);
}

static ubi_session *file_find(const ubi_worker *worker, const char *path) {
    for (const ubi__job_file *file = worker->files; file; file = file->next)
        if (strcmp(ubi_session_name(file->session), path) == 0 && ubi__session_is_current(file->session))
            return file->session;
    return NULL;
}

static ubi_status file_add(ubi_worker *worker, const char *path) {
    ubi_session_options options = UBI_SESSION_OPTIONS_INIT;
    options.compat = worker->compat;
    ubi__job_file *file = UBI_NEW(worker->allocator, ubi__job_file);
    ubi_status status = file ? ubi__session_open_unread(&file->session, worker->pool, path, UBI_SESSION_HEAP, &options)
                             : ubi__fail_nomem();
    if (status != UBI_OK) {
        if (file)
            UBI_DELETE(worker->allocator, file);
        return status;
    }
    file->next = worker->files;
    worker->files = file;
    return UBI_OK;
}

ubi_status ubi__worker_session(ubi_session **out, ubi_worker *worker, const char *path) {
    ubi_status status = UBI_OK;
    pthread_mutex_lock(&worker->lock);
    ubi_session *session = file_find(worker, path);
    if (!session)
        status = file_add(worker, path);
    if (status == UBI_OK)
        *out = ubi_session_ref(session ? session : worker->files->session);
    pthread_mutex_unlock(&worker->lock);
    return status;
}
