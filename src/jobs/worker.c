/* SPDX-License-Identifier: MIT
 *
 * worker.c: threads, queues and replies; see jobs.h.
 */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/parallel.h"
#include "base/status.h"
#include "base/text.h"
#include "jobs/jobs.h"
#include "session/part.h"

/* Ids are unique in the process, as those of Firefox's workers. */
static _Atomic uint64_t last_id;

void ubi__worker_check(const ubi_worker *worker) {
    uint32_t n_ready = 0;
    for (const ubi_worker_client *c = UBI_CHECKS ? worker->ready : NULL; c; c = c->next_ready, n_ready++) {
        UBI_ASSERT(c->worker == worker && c->is_ready && !c->is_destroyed);
        UBI_ASSERT(c->first && !c->running);
        UBI_ASSERT(!c->last->next);
        UBI_ASSERT(c->next_ready || worker->last_ready == c);
    }
    UBI_ASSERT(n_ready <= worker->n_clients);
    UBI_ASSERT((worker->ready == NULL) == (worker->last_ready == NULL));
    UBI_ASSERT(worker->n_threads_started <= worker->n_threads);
    for (const ubi__job_file *file = UBI_CHECKS ? worker->files : NULL; file; file = file->next)
        UBI_ASSERT(file->session && ubi__session_ref_count(file->session) > 0);
}

/* Jobs that wait, first to last; the one that runs is not among them. */
static void client_jobs_check(const ubi_worker_client *client) {
    UBI_ASSERT((client->first == NULL) == (client->last == NULL));
    for (const ubi__job *job = UBI_CHECKS ? client->first : NULL; job; job = job->next) {
        UBI_ASSERT(job != client->running && job->id != 0);
        UBI_ASSERT(job->next || job == client->last);
    }
}

/* ---- queues. With the lock. ------------------------------------------------------------------------------------------ */

static void client_make_ready(ubi_worker_client *client) {
    ubi_worker *worker = client->worker;
    client_jobs_check(client);
    if (client->is_ready || client->running || !client->first || client->is_destroyed)
        return;
    client->is_ready = true;
    client->next_ready = NULL;
    if (worker->ready)
        worker->last_ready->next_ready = client;
    else
        worker->ready = client;
    worker->last_ready = client;
    pthread_cond_signal(&worker->given);
    ubi__worker_check(worker);
}

static void client_make_unready(ubi_worker_client *client) {
    ubi_worker *worker = client->worker;
    ubi_worker_client *before = NULL;
    if (!client->is_ready)
        return;
    for (ubi_worker_client *c = worker->ready; c != client; c = c->next_ready)
        before = c;
    if (before)
        before->next_ready = client->next_ready;
    else
        worker->ready = client->next_ready;
    if (worker->last_ready == client)
        worker->last_ready = before;
    client->is_ready = false;
}

static ubi__job *client_take_first(ubi_worker_client *client) {
    ubi__job *job = client->first;
    client->first = job->next;
    if (!client->first)
        client->last = NULL;
    job->next = NULL;
    return job;
}

/* Takes a job that waits out of the queue; NULL: no such job. */
static ubi__job *client_take(ubi_worker_client *client, uint64_t id) {
    ubi__job *before = NULL, *job = client->first;
    for (; job && job->id != id; job = job->next)
        before = job;
    if (!job)
        return NULL;
    if (before)
        before->next = job->next;
    else
        client->first = job->next;
    if (client->last == job)
        client->last = before;
    if (!client->first)
        client_make_unready(client);
    return job;
}

/* ---- replies --------------------------------------------------------------------------------------------------------- */

/* Requests of a client that is destroyed never settle. */
static void reply_send(const ubi_worker_client *client, const ubi__job *job, ubi_status status, ubi_text json) {
    const ubi_worker_reply reply = { job->id, status, json };
    pthread_mutex_lock(&client->worker->lock);
    bool is_destroyed = client->is_destroyed;
    pthread_mutex_unlock(&client->worker->lock);
    if (!is_destroyed)
        client->options.on_reply(client->options.payload, &reply);
}

/* Room for a message of 511 bytes and the name of a task, each byte of which takes six when it is quoted. */
typedef struct error_text {
    size_t n;
    char at[6 * 800];
} error_text;

static bool error_text_write(void *payload, const void *data, size_t n) {
    error_text *text = payload;
    if (n > sizeof text->at - text->n)
        return false;
    memcpy(text->at + text->n, data, n);
    text->n += n;
    return true;
}

/* Of the thread's message. Needs no memory. */
static void reply_send_error(const ubi_worker_client *client, const ubi__job *job, ubi_status status,
                             ubi__task_error error) {
    error_text text = { .n = 0 };
    char whole[800];
    ubi__json json;
    ubi__json_init(&json, error_text_write, &text, false);
    switch (error) {
    case UBI__TASK_EXCEPTION:
        snprintf(whole, sizeof whole, "Error while performing task \"%.200s\": %.511s", job->task, ubi_error_message());
        ubi__json_string(&json, whole);
        break;
    case UBI__TASK_STRING:
        ubi__json_string(&json, ubi_error_message());
        break;
    case UBI__TASK_ERROR:
    case UBI__TASK_TYPE_ERROR:
        ubi__json_object_begin(&json);
        ubi__json_member_string(&json, "name", error == UBI__TASK_ERROR ? "Error" : "TypeError");
        ubi__json_member_string(&json, "message", ubi_error_message());
        ubi__json_object_end(&json);
        break;
    }
    (void)ubi__json_flush(&json); /* there is room */
    reply_send(client, job, status, (ubi_text){ text.at, text.n });
}

/* ---- performing ------------------------------------------------------------------------------------------------------ */

typedef struct job_progress {
    const ubi_worker_client *client;
    const ubi__job *job;
} job_progress;

static bool progress_report(void *payload, const char *stage, uint64_t done, uint64_t total) {
    const job_progress *p = payload;
    const ubi_worker_client_options *o = &p->client->options;
    if (atomic_load_explicit(&p->job->is_cancelled, memory_order_relaxed))
        return false;
    if (o->on_progress) {
        double fraction = total ? (double)(done < total ? done : total) / (double)total : -1;
        const ubi_worker_progress progress = { p->job->id, stage, fraction };
        o->on_progress(o->payload, &progress);
    }
    return true;
}

static ubi_status task_perform(ubi__task_call *call, const ubi__job *job, ubi__bytes_sink *text) {
    ubi__json json;
    const ubi__worker_task *task = ubi__worker_task_find(job->task);
    if (!task) {
        call->error = UBI__TASK_STRING;
        return ubi__fail(UBI_ENOTFOUND, "Task \"%.200s\" not found in worker.", job->task);
    }
    ubi__json_init(&json, ubi__bytes_sink_write, text, false);
    call->out = &json;
    ubi_status status = atomic_load(&job->is_cancelled) ? ubi__fail_cancelled() : task->perform(call);
    if (status == UBI_OK && ubi__json_flush(&json) != UBI_OK)
        status = ubi__fail_nomem();
    return status;
}

/* A response is sent whole or not at all. */
static void job_perform(ubi_worker_client *client, const ubi__job *job) {
    job_progress reports = { client, job };
    ubi__task_call call = { .client = client, .data = job->data, .progress = { progress_report, &reports } };
    ubi__vec_u8 bytes = { NULL, 0, 0 };
    ubi__bytes_sink text = { &bytes, ubi__session_pool_allocator(client->worker->pool) };
    ubi_status status = task_perform(&call, job, &text);
    if (status != UBI_OK)
        reply_send_error(client, job, status, call.error);
    else if (call.is_undefined)
        reply_send(client, job, UBI_OK, (ubi_text){ NULL, 0 });
    else
        reply_send(client, job, UBI_OK, (ubi_text){ (char *)bytes.at, bytes.n });
    ubi__vec_u8_fini(&bytes, text.allocator);
}

static void job_free(const ubi_worker *worker, ubi__job *job) {
    worker->allocator->free(worker->allocator->ctx, job, job->n_bytes);
}

static void *worker_thread(void *payload) {
    ubi_worker *worker = payload;
    pthread_mutex_lock(&worker->lock);
    while (!worker->is_stopping) {
        ubi_worker_client *client = worker->ready;
        if (!client) {
            pthread_cond_wait(&worker->given, &worker->lock);
            continue;
        }
        client_make_unready(client);
        ubi__job *job = client->running = client_take_first(client);
        client->runner = pthread_self();
        pthread_mutex_unlock(&worker->lock);
        job_perform(client, job);
        pthread_mutex_lock(&worker->lock);
        client->running = NULL;
        client_make_ready(client);
        pthread_cond_broadcast(&worker->finished); /* the client may be gone after the lock is */
        job_free(worker, job);
    }
    pthread_mutex_unlock(&worker->lock);
    return NULL;
}

/* ---- workers ---------------------------------------------------------------------------------------------------------- */

static void threads_stop(ubi_worker *worker, unsigned n_started) {
    pthread_mutex_lock(&worker->lock);
    worker->is_stopping = true;
    pthread_cond_broadcast(&worker->given);
    pthread_mutex_unlock(&worker->lock);
    for (unsigned i = 0; i < n_started; i++)
        pthread_join(worker->threads[i], NULL);
}

static void worker_fini(ubi_worker *worker) {
    const ubi_allocator *a = worker->allocator;
    ubi__worker_files_free(worker, worker->files);
    pthread_cond_destroy(&worker->finished);
    pthread_cond_destroy(&worker->given);
    pthread_mutex_destroy(&worker->lock);
    ubi_session_pool_unref(worker->pool);
    ubi__free_array(a, worker->threads, worker->n_threads, sizeof *worker->threads);
    UBI_DELETE(a, worker);
}

/* One is enough. */
static ubi_status threads_start(ubi_worker *worker) {
    unsigned n_started = 0;
    int error = 0;
    while (n_started < worker->n_threads &&
           (error = pthread_create(&worker->threads[n_started], NULL, worker_thread, worker)) == 0)
        n_started++;
    if (n_started == 0)
        return ubi__fail_errno(error, "cannot start a thread for heap analyses");
    worker->n_threads_started = n_started;
    return UBI_OK;
}

ubi_status ubi_worker_new(ubi_worker **out, ubi_session_pool *pool, const ubi_worker_options *options) {
    static const ubi_worker_options standard = UBI_WORKER_OPTIONS_INIT;
    const ubi_worker_options *o = options ? options : &standard;
    UBI_TRY(ubi__version_check(o->version, UBI_WORKER_OPTIONS_VERSION, "ubi_worker_options"));
    const ubi_allocator *a = ubi_allocator_default();
    ubi_worker *worker = UBI_NEW(a, ubi_worker);
    if (!worker)
        return ubi__fail_nomem();
    worker->allocator = a;
    worker->compat = o->compat;
    worker->n_threads = ubi__thread_count(o->threads);
    worker->threads = ubi__calloc_array(a, worker->n_threads, sizeof *worker->threads);
    worker->pool = ubi__session_pool_ref(pool);
    pthread_mutex_init(&worker->lock, NULL);
    pthread_cond_init(&worker->given, NULL);
    pthread_cond_init(&worker->finished, NULL);
    ubi_status status = worker->threads ? threads_start(worker) : ubi__fail_nomem();
    if (status == UBI_OK)
        *out = worker;
    else
        worker_fini(worker);
    return status;
}

void ubi_worker_free(ubi_worker *worker) {
    if (!worker)
        return;
    UBI_ASSERT(worker->n_clients == 0);
    threads_stop(worker, worker->n_threads_started);
    worker_fini(worker);
}

/* ---- clients ----------------------------------------------------------------------------------------------------------- */

ubi_status ubi_worker_client_new(ubi_worker_client **out, ubi_worker *worker,
                                 const ubi_worker_client_options *options) {
    if (!options || !options->on_reply)
        return ubi__fail(UBI_EINVAL, "a client of a worker needs on_reply");
    UBI_TRY(ubi__version_check(options->version, UBI_WORKER_CLIENT_OPTIONS_VERSION, "ubi_worker_client_options"));
    ubi_worker_client *client = UBI_NEW(worker->allocator, ubi_worker_client);
    if (!client)
        return ubi__fail_nomem();
    client->worker = worker;
    client->options = *options;
    pthread_mutex_lock(&worker->lock);
    worker->n_clients++;
    pthread_mutex_unlock(&worker->lock);
    *out = client;
    return UBI_OK;
}

static ubi__job *job_new(const ubi_worker *worker, const char *task, ubi_text data) {
    size_t task_bytes = strlen(task) + 1, n_bytes;
    if (__builtin_add_overflow(sizeof(ubi__job) + task_bytes, data.len, &n_bytes))
        return NULL;
    ubi__job *job = worker->allocator->alloc(worker->allocator->ctx, n_bytes);
    if (!job)
        return NULL;
    char *texts = (char *)(job + 1);
    *job = (ubi__job){ .id = atomic_fetch_add(&last_id, 1) + 1, .task = texts, .n_bytes = n_bytes };
    memcpy(texts, task, task_bytes);
    if (data.len)
        memcpy(texts + task_bytes, data.ptr, data.len);
    job->data = (ubi_text){ texts + task_bytes, data.len };
    return job;
}

ubi_status ubi_worker_client_request(uint64_t *id, ubi_worker_client *client, const char *task, ubi_text data) {
    ubi_worker *worker = client->worker;
    ubi__job *job = job_new(worker, task, data);
    if (!job)
        return ubi__fail_nomem();
    pthread_mutex_lock(&worker->lock);
    if (client->is_destroyed) {
        pthread_mutex_unlock(&worker->lock);
        job_free(worker, job);
        return ubi__fail(UBI_ESTATE, "Cannot call performTask on a destroyed DevToolsWorker");
    }
    *id = job->id;
    if (client->first)
        client->last->next = job;
    else
        client->first = job;
    client->last = job;
    client_make_ready(client);
    pthread_mutex_unlock(&worker->lock);
    return UBI_OK;
}

ubi_status ubi_worker_client_cancel(ubi_worker_client *client, uint64_t id) {
    ubi_worker *worker = client->worker;
    pthread_mutex_lock(&worker->lock);
    bool is_running = client->running && client->running->id == id;
    if (is_running)
        atomic_store(&client->running->is_cancelled, true);
    ubi__job *waiting = is_running ? NULL : client_take(client, id);
    pthread_mutex_unlock(&worker->lock);
    if (waiting) {
        (void)ubi__fail_cancelled(); /* the message that goes into the reply */
        reply_send_error(client, waiting, UBI_ECANCELLED, UBI__TASK_EXCEPTION);
        job_free(worker, waiting);
    }
    return is_running || waiting ? UBI_OK
                                 : ubi__fail(UBI_ENOTFOUND, "no request %llu waits or runs", (unsigned long long)id);
}

void ubi_worker_client_destroy(ubi_worker_client *client) {
    ubi_worker *worker = client->worker;
    pthread_mutex_lock(&worker->lock);
    client_make_unready(client);
    client->is_destroyed = true;
    ubi__job *waiting = client->first;
    client->first = client->last = NULL;
    if (client->running)
        atomic_store(&client->running->is_cancelled, true);
    while (client->running && !pthread_equal(client->runner, pthread_self()))
        pthread_cond_wait(&worker->finished, &worker->lock);
    pthread_mutex_unlock(&worker->lock);
    while (waiting) {
        ubi__job *next = waiting->next;
        job_free(worker, waiting);
        waiting = next;
    }
}

void ubi_worker_client_free(ubi_worker_client *client) {
    if (!client)
        return;
    ubi_worker *worker = client->worker;
    ubi_worker_client_destroy(client);
    ubi__client_forget_all(client);
    ubi__worker_files_prune(worker);
    pthread_mutex_lock(&worker->lock);
    worker->n_clients--;
    pthread_mutex_unlock(&worker->lock);
    UBI_DELETE(worker->allocator, client);
}
