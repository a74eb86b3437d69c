/* SPDX-License-Identifier: MIT
 *
 * worker_for_tests.h: a client that waits for its replies.
 */
#ifndef UBI_JOBS_WORKER_FOR_TESTS_H
#define UBI_JOBS_WORKER_FOR_TESTS_H

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ubiheap/server/worker.h>

/* Replies in the order in which they came. */
typedef struct asker {
    ubi_worker_client *client;
    pthread_mutex_t lock;
    pthread_cond_t came;
    uint32_t n;
    struct {
        uint64_t id;
        ubi_status status;
        char *json; /* owned; NULL: undefined */
    } replies[1024];
    _Atomic uint64_t n_progress;
    /* Called with each report of progress, if not NULL. */
    void (*on_progress)(struct asker *asker, const ubi_worker_progress *progress);
    void *payload;
} asker;

static void asker_reply(void *payload, const ubi_worker_reply *reply) {
    asker *a = payload;
    pthread_mutex_lock(&a->lock);
    if (a->n == sizeof a->replies / sizeof *a->replies)
        abort();
    a->replies[a->n].id = reply->id;
    a->replies[a->n].status = reply->status;
    a->replies[a->n++].json = reply->json.ptr ? strndup(reply->json.ptr, reply->json.len) : NULL;
    pthread_cond_broadcast(&a->came);
    pthread_mutex_unlock(&a->lock);
}

static void asker_progress(void *payload, const ubi_worker_progress *progress) {
    asker *a = payload;
    a->n_progress++;
    if (a->on_progress)
        a->on_progress(a, progress);
}

static inline asker *asker_new(ubi_worker *worker) {
    asker *a = calloc(1, sizeof *a);
    ubi_worker_client_options options = UBI_WORKER_CLIENT_OPTIONS_INIT;
    pthread_mutex_init(&a->lock, NULL);
    pthread_cond_init(&a->came, NULL);
    options.on_reply = asker_reply;
    options.on_progress = asker_progress;
    options.payload = a;
    if (ubi_worker_client_new(&a->client, worker, &options) != UBI_OK)
        abort();
    return a;
}

static inline void asker_free(asker *a) {
    ubi_worker_client_free(a->client);
    for (uint32_t i = 0; i < a->n; i++)
        free(a->replies[i].json);
    pthread_cond_destroy(&a->came);
    pthread_mutex_destroy(&a->lock);
    free(a);
}

/** 0: refused. */
static inline uint64_t asker_send(asker *a, const char *task, const char *data) {
    uint64_t id = 0;
    return ubi_worker_client_request(&id, a->client, task, (ubi_text){ data, strlen(data) }) == UBI_OK ? id : 0;
}

/** Where the reply to a request is, when it has come. */
static inline uint32_t asker_wait(asker *a, uint64_t id) {
    uint32_t i = 0;
    pthread_mutex_lock(&a->lock);
    for (;;) {
        for (i = 0; i < a->n && a->replies[i].id != id; i++)
            ;
        if (i < a->n)
            break;
        pthread_cond_wait(&a->came, &a->lock);
    }
    pthread_mutex_unlock(&a->lock);
    return i;
}

/** The reply as JSON, "undefined" if it is. Borrowed from the asker. */
static inline const char *asker_ask(asker *a, const char *task, const char *data) {
    uint32_t i = asker_wait(a, asker_send(a, task, data));
    return a->replies[i].json ? a->replies[i].json : "undefined";
}

#endif
