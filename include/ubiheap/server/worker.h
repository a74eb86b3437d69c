/* SPDX-License-Identifier: MIT
 *
 * ubiheap/server/worker.h: heap analyses by request: what Firefox's HeapAnalysesWorker and HeapAnalysesClient do.
 *
 * A *worker* has threads. A *client* sends it requests, each a task with data, and gets one reply to each; requests, results and
 * errors are those of Firefox, as JSON:
 *
 *     readHeapSnapshot        {"snapshotFilePath": "app.fxsnapshot"}                                 -> true
 *     takeCensus              {"snapshotFilePath": ..., "censusOptions": {"breakdown": ...}, ...}     -> {"report": ...}
 *     computeDominatorTree    "app.fxsnapshot"                                                       -> 0
 *     getDominatorTree        {"dominatorTreeId": 0, "breakdown": ..., "maxDepth": 3}                 -> {"nodeId": ...}
 *
 * docs/reference/worker.md lists all tasks. Each client has snapshots and dominator trees of its own, as each page has in Firefox;
 * what is computed of one file is computed once for all clients (ubiheap/extension/session.h).
 *
 * Requests of one client are performed in their order, one at a time; those of different clients at the same time.
 *
 * Part of libubiheap-server. May change between minor versions.
 */
#ifndef UBIHEAP_WORKER_H
#define UBIHEAP_WORKER_H

#include <ubiheap/core/base.h>
#include <ubiheap/extension/session.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- workers ------------------------------------------------------------------------------------------------------ */

/** Threads that perform requests. */
typedef struct ubi_worker ubi_worker;

typedef struct ubi_worker_options {
    uint32_t version;  /**< UBI_WORKER_OPTIONS_VERSION */
    unsigned threads;  /**< that perform requests; 0: one per core */
    ubi_compat compat; /**< FIREFOX: exactly its answers and errors */
} ubi_worker_options;

#define UBI_WORKER_OPTIONS_VERSION 1
#define UBI_WORKER_OPTIONS_INIT                                                                                        \
    { UBI_WORKER_OPTIONS_VERSION, 0, UBI_COMPAT_NONE }

/**
 * Starts the threads.
 * @param pool  for the sessions of all files; gets a reference.
 * Errors: UBI_EINVAL (options), UBI_ENOMEM, UBI_EIO (no thread can be started).
 */
UBI_API ubi_status ubi_worker_new(ubi_worker **out, ubi_session_pool *pool, const ubi_worker_options *options);
/** Stops the threads and frees the worker. All clients must have been freed. NULL is fine. */
UBI_API void ubi_worker_free(ubi_worker *worker);

/* ---- clients ------------------------------------------------------------------------------------------------------ */

/** One asker. Requests may come from any thread. */
typedef struct ubi_worker_client ubi_worker_client;

typedef struct ubi_worker_reply {
    uint64_t id;       /**< of the request */
    ubi_status status; /**< UBI_OK, or what went wrong in terms of this library */
    /**
     * The result as JSON, NULL text where it is undefined; or the error: a string, or an object with `name` ("Error", "TypeError") and
     * `message`. Borrowed during the call.
     */
    ubi_text json;
} ubi_worker_reply;

typedef struct ubi_worker_progress {
    uint64_t id;       /**< of the request */
    const char *stage; /**< words, such as "finding dominators" */
    double fraction;   /**< of the stage, 0 to 1; negative: unknown */
} ubi_worker_progress;

/**
 * Called on threads of the worker, one at a time for one client; only the reply to a request that was cancelled while it waited
 * comes on the thread that cancelled it. They may call everything here but the two functions that free.
 */
typedef struct ubi_worker_client_options {
    uint32_t version; /**< UBI_WORKER_CLIENT_OPTIONS_VERSION */
    void (*on_reply)(void *payload, const ubi_worker_reply *reply);
    void (*on_progress)(void *payload, const ubi_worker_progress *progress); /**< NULL: not wanted */
    void *payload;
} ubi_worker_client_options;

#define UBI_WORKER_CLIENT_OPTIONS_VERSION 1
#define UBI_WORKER_CLIENT_OPTIONS_INIT                                                                                 \
    { UBI_WORKER_CLIENT_OPTIONS_VERSION, NULL, NULL, NULL }

/** @param options  with on_reply. Errors: UBI_EINVAL (options), UBI_ENOMEM. */
UBI_API ubi_status ubi_worker_client_new(ubi_worker_client **out, ubi_worker *worker,
                                         const ubi_worker_client_options *options);
/**
 * Gives up all requests; they get no reply. When it returns, no callback runs any more, unless it was called from one. Further
 * requests are refused.
 */
UBI_API void ubi_worker_client_destroy(ubi_worker_client *client);
/** Destroys it if that was not done, and frees it. Not from a callback. NULL is fine. */
UBI_API void ubi_worker_client_free(ubi_worker_client *client);

/**
 * Sends a request.
 *
 * @param id    of the request, unique in the process, from 1 on; stored before the reply can come.
 * @param task  such as "takeCensus"; copied, as is `data`.
 * @param data  JSON.
 * Errors: UBI_ESTATE (destroyed), UBI_ENOMEM. All else that is wrong with a request is in the reply.
 */
UBI_API ubi_status ubi_worker_client_request(uint64_t *id, ubi_worker_client *client, const char *task, ubi_text data);
/**
 * Gives up one request: its reply is an error with the status UBI_ECANCELLED, soon, unless it has been performed by then. One that waits
 * gets its reply before this returns. Errors: UBI_ENOTFOUND (no such request, or it is done).
 */
UBI_API ubi_status ubi_worker_client_cancel(ubi_worker_client *client, uint64_t id);

/* ---- names of snapshot files ----------------------------------------------------------------------------------------- */

/** Whether a snapshot id is digits, perhaps a minus and digits: what a name of a file may be made of. */
UBI_API bool ubi_snapshot_id_is_valid(ubi_text id);

#define UBI_SNAPSHOT_PATH_BYTES 4096
/**
 * "FOLDER/ID.fxsnapshot" in `path`; false, with an empty path, for an id that is not valid or a path that is too long.
 * @param folder  NULL: TMPDIR, or /tmp.
 */
UBI_API bool ubi_snapshot_temp_path(char path[UBI_SNAPSHOT_PATH_BYTES], const char *folder, ubi_text id);
/** Whether there is such a file. */
UBI_API bool ubi_snapshot_temp_exists(const char *folder, ubi_text id);
/**
 * Creates an empty file "FOLDER/MILLISECONDS[-N].fxsnapshot" that was not there. Two calls never give the same path.
 * Errors: UBI_EIO, UBI_EINVAL (too long a path).
 */
UBI_API ubi_status ubi_snapshot_temp_create(char path[UBI_SNAPSHOT_PATH_BYTES], const char *folder);

#ifdef __cplusplus
}
#endif
#endif
