/* SPDX-License-Identifier: MIT
 *
 * jobs.h: the insides of workers and clients.
 *
 * One lock, the worker's, guards queues, states and the list of files. A client's snapshots and trees belong to the thread that
 * performs its request at the moment; there is at most one.
 */
#ifndef UBI_JOBS_JOBS_H
#define UBI_JOBS_JOBS_H

#include <pthread.h>
#include <stdatomic.h>

#include <ubiheap/server/worker.h>

#include "base/alloc.h"
#include "base/json_writer.h"

/** A request on its way. */
typedef struct ubi__job {
    struct ubi__job *next; /* of the client */
    uint64_t id;
    _Atomic bool is_cancelled;
    const char *task; /* behind `data` */
    ubi_text data;
    size_t n_bytes; /* of this block */
} ubi__job;

/** A file that some client has read: a session, which all of them share as long as the file stays the same. */
typedef struct ubi__job_file {
    struct ubi__job_file *next;
    ubi_session *session;
} ubi__job_file;

struct ubi_worker {
    const ubi_allocator *allocator;
    ubi_session_pool *pool;
    ubi_compat compat;
    pthread_mutex_t lock;
    pthread_cond_t given;    /* a client is ready, or the threads stop */
    pthread_cond_t finished; /* a job */
    bool is_stopping;
    ubi_worker_client *ready, *last_ready; /* clients with a job that wait for a thread, in the order of their turn */
    ubi__job_file *files;
    uint32_t n_clients;
    unsigned n_threads, n_threads_started;
    pthread_t *threads; /* threads[n_threads] */
};

/** What readHeapSnapshot left. */
typedef struct ubi__client_snapshot {
    char *path; /* as it was given; owned */
    size_t path_bytes;
    ubi_session *session;
    uint64_t reading; /* its number */
} ubi__client_snapshot;

/** A dominator tree by its id, the index. */
typedef struct ubi__client_tree {
    ubi_session *session; /* NULL: deleted with its snapshot */
    uint64_t reading;     /* of its snapshot */
} ubi__client_tree;

UBI_VEC_DECLARE(ubi__client_snapshots, ubi__client_snapshot);
UBI_VEC_DECLARE(ubi__client_trees, ubi__client_tree);

struct ubi_worker_client {
    ubi_worker *worker;
    ubi_worker_client_options options;
    ubi_worker_client *next_ready;
    bool is_ready, is_destroyed;
    ubi__job *first, *last; /* that wait */
    ubi__job *running;
    pthread_t runner; /* with `running` */
    /* Of the thread that performs its job. */
    ubi__client_snapshots snapshots;
    ubi__client_trees trees;
    uint64_t n_readings;
};

/** With the lock: a client is in the list of ready ones exactly if it has jobs that wait and none that runs. */
void ubi__worker_check(const ubi_worker *worker);

/** With the lock, or by the thread that performs its job: jobs are in a list that ends; snapshots differ in their paths. O(their squares). */
void ubi__client_check(const ubi_worker_client *client);

/** What JavaScript would have thrown. */
typedef enum ubi__task_error {
    UBI__TASK_EXCEPTION, /* one that cannot be cloned: becomes a string that names the task */
    UBI__TASK_STRING,    /* as it is */
    UBI__TASK_ERROR,     /* an Error */
    UBI__TASK_TYPE_ERROR /* a TypeError */
} ubi__task_error;

/** A task at work. */
typedef struct ubi__task_call {
    ubi_worker_client *client;
    ubi_text data; /* JSON */
    ubi_progress progress;
    ubi__json *out;        /* where the response goes */
    bool is_undefined;     /* there is none */
    ubi__task_error error; /* of a failure */
} ubi__task_call;

typedef struct ubi__worker_task {
    const char *name;
    ubi_status (*perform)(ubi__task_call *call);
} ubi__worker_task;

/** By name; NULL: there is none. */
const ubi__worker_task *ubi__worker_task_find(const char *name);
/** The session for a path: one that is there, if its file is the same still, else a new one. One reference. Errors: UBI_ENOMEM. */
ubi_status ubi__worker_session(ubi_session **out, ubi_worker *worker, const char *path);
void ubi__worker_files_free(ubi_worker *worker, ubi__job_file *files);
/** Forgets files that no client has any more. */
void ubi__worker_files_prune(ubi_worker *worker);
/** Without a running job: gives back all snapshots and trees. */
void ubi__client_forget_all(ubi_worker_client *client);

#endif
