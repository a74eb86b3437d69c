/* SPDX-License-Identifier: MIT
 *
 * tasks.c: what a worker can be asked for: the tasks of Firefox's HeapAnalysesWorker over sessions.
 *
 * Differences that JSON brings: a Map is an array of entries (as in the documents of `ubiheap census`), a Set of leaf indices is an
 * array, and parentMap has ids of parents, for a document cannot refer to an object twice.
 *
 * Source: mozilla-central devtools/shared/heapsnapshot/HeapAnalyses.worker.js.
 */
#include <string.h>
#include <sys/stat.h>

#include "base/assert.h"
#include "base/status.h"
#include "jobs/task_call.h"

/* ---- snapshots and trees of the client -------------------------------------------------------------------------------- */

void ubi__client_check(const ubi_worker_client *client) {
    const ubi__client_snapshot *s = client->snapshots.at;
    for (size_t i = 0; UBI_CHECKS && i < client->snapshots.n; i++) {
        UBI_ASSERT(strlen(s[i].path) + 1 == s[i].path_bytes);
        UBI_ASSERT(s[i].session && s[i].reading > 0 && s[i].reading <= client->n_readings);
        for (size_t j = 0; j < i; j++)
            UBI_ASSERT(strcmp(s[i].path, s[j].path) != 0 && s[i].reading != s[j].reading);
    }
    for (size_t i = 0; UBI_CHECKS && i < client->trees.n; i++)
        UBI_ASSERT(client->trees.at[i].reading - 1 < client->n_readings);
}

static void snapshot_fini(const ubi_worker *worker, ubi__client_snapshot *snapshot) {
    ubi_session_unref(snapshot->session);
    worker->allocator->free(worker->allocator->ctx, snapshot->path, snapshot->path_bytes);
}

void ubi__client_forget_all(ubi_worker_client *client) {
    const ubi_allocator *a = client->worker->allocator;
    for (size_t i = 0; i < client->snapshots.n; i++)
        snapshot_fini(client->worker, &client->snapshots.at[i]);
    for (size_t i = 0; i < client->trees.n; i++)
        ubi_session_unref(client->trees.at[i].session);
    ubi__client_snapshots_fini(&client->snapshots, a);
    ubi__client_trees_fini(&client->trees, a);
}

/* ---- readHeapSnapshot, deleteHeapSnapshot, getCreationTime ------------------------------------------------------------- */

/* What cannot be read twice cannot be kept within a limit. */
static ubi_status file_require(const char *path) {
    struct stat about;
    if (stat(path, &about) == 0 && !S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode))
        return ubi__fail(UBI_EINVAL, "%.400s is not a file", path);
    return UBI_OK;
}

static ubi_status session_read(ubi_session **out, ubi__task_call *call, const char *path) {
    ubi_session *session;
    ubi_session_use *use;
    ubi_graph *graph;
    bool is_dash = strcmp(path, "-") == 0; /* a file of that name, not standard input */
    UBI_TRY(file_require(path));
    UBI_TRY(ubi__worker_session(&session, call->client->worker, is_dash ? "./-" : path));
    ubi_status status = ubi__task_use_begin(&use, call, session);
    if (status == UBI_OK) {
        status = ubi_session_graph(&graph, use);
        ubi_session_use_end(use);
    }
    if (status == UBI_OK)
        *out = session;
    else
        ubi_session_unref(session);
    return status;
}

/* Takes the session if all goes well. */
static ubi_status snapshot_put(ubi_worker_client *client, const ubi__vec_u8 *path, ubi_session *session) {
    const ubi_allocator *a = client->worker->allocator;
    ubi__client_snapshot *old = ubi__client_snapshot_find(client, (char *)path->at);
    if (old) {
        ubi_session_unref(old->session);
        old->session = session;
        old->reading = ++client->n_readings;
        ubi__client_check(client);
        return UBI_OK;
    }
    UBI_TRY(ubi__client_snapshots_reserve(&client->snapshots, a, 1));
    char *copy = a->alloc(a->ctx, path->n);
    if (!copy)
        return ubi__fail_nomem();
    memcpy(copy, path->at, path->n);
    ubi__client_snapshot snapshot = { copy, path->n, session, ++client->n_readings };
    client->snapshots.at[client->snapshots.n++] = snapshot;
    ubi__client_check(client);
    return UBI_OK;
}

static ubi_status read_snapshot(ubi__task_call *call) {
    const ubi_allocator *a = call->client->worker->allocator;
    ubi__json_value value = ubi__task_member(call->data, "snapshotFilePath");
    ubi__vec_u8 path = { 0 };
    ubi_session *session;
    ubi_status status = ubi__task_path(&path, call, &value, "snapshotFilePath");
    if (status == UBI_OK)
        status = session_read(&session, call, (char *)path.at);
    if (status == UBI_OK) {
        status = snapshot_put(call->client, &path, session);
        if (status != UBI_OK)
            ubi_session_unref(session);
    }
    ubi__vec_u8_fini(&path, a);
    ubi__worker_files_prune(call->client->worker);
    if (status == UBI_OK)
        ubi__json_bool(call->out, true);
    return status;
}

/* With it goes the first tree of its reading that is there; the others stay. */
static ubi_status delete_snapshot(ubi__task_call *call) {
    ubi_worker_client *client = call->client;
    ubi__client_snapshot *snapshot;
    UBI_TRY(ubi__task_snapshot_named(&snapshot, call, "snapshotFilePath"));
    for (size_t i = 0; i < client->trees.n; i++) {
        ubi__client_tree *tree = &client->trees.at[i];
        if (tree->session && tree->reading == snapshot->reading) {
            ubi_session_unref(tree->session);
            tree->session = NULL;
            break;
        }
    }
    snapshot_fini(client->worker, snapshot);
    *snapshot = client->snapshots.at[--client->snapshots.n];
    ubi__client_check(client);
    ubi__worker_files_prune(client->worker);
    call->is_undefined = true;
    return UBI_OK;
}

static ubi_status get_creation_time(ubi__task_call *call) {
    ubi__client_snapshot *snapshot;
    ubi_session_use *use;
    ubi_graph *graph;
    uint64_t time_us;
    UBI_TRY(ubi__task_snapshot_of_data(&snapshot, call));
    UBI_TRY(ubi__task_use_begin(&use, call, snapshot->session));
    ubi_status status = ubi_session_graph(&graph, use);
    if (status == UBI_OK && ubi_graph_creation_time_us(graph, &time_us))
        ubi__json_u64(call->out, time_us);
    else if (status == UBI_OK)
        ubi__json_null(call->out);
    ubi_session_use_end(use);
    return status;
}

/* ---- all ---------------------------------------------------------------------------------------------------------------- */

static const ubi__worker_task tasks[] = {
    { "readHeapSnapshot", read_snapshot },
    { "deleteHeapSnapshot", delete_snapshot },
    { "getCreationTime", get_creation_time },
    { "takeCensus", ubi__task_take_census },
    { "takeCensusDiff", ubi__task_take_census_diff },
    { "computeDominatorTree", ubi__task_compute_dominator_tree },
    { "getDominatorTree", ubi__task_get_dominator_tree },
    { "getImmediatelyDominated", ubi__task_get_immediately_dominated },
    { "getCensusIndividuals", ubi__task_get_census_individuals },
};

const ubi__worker_task *ubi__worker_task_find(const char *name) {
    for (size_t i = 0; i < sizeof tasks / sizeof *tasks; i++)
        if (strcmp(tasks[i].name, name) == 0)
            return &tasks[i];
    return NULL;
}
