/* SPDX-License-Identifier: MIT
 *
 * server_consumer.c: a user's program that asks a worker. Messages of the server's library are those of the other: there is one copy of
 * our code in the process.
 */
#include <pthread.h>
#include <stdio.h>

#include <ubiheap/server/worker.h>
#include <ubiheap/ubiheap.h>

typedef struct mailbox {
    pthread_mutex_t lock;
    pthread_cond_t came;
    bool is_full;
} mailbox;

static void reply_print(void *payload, const ubi_worker_reply *reply) {
    mailbox *box = payload;
    pthread_mutex_lock(&box->lock);
    printf("%.*s\n", (int)reply->json.len, reply->json.ptr);
    box->is_full = true;
    pthread_cond_signal(&box->came);
    pthread_mutex_unlock(&box->lock);
}

int main(int argc, char **argv) {
    mailbox box = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false };
    ubi_worker_client_options options = UBI_WORKER_CLIENT_OPTIONS_INIT;
    ubi_session_pool *pool;
    ubi_worker *worker;
    ubi_worker_client *client;
    char request[4096];
    uint64_t id;
    options.on_reply = reply_print;
    options.payload = &box;
    if (argc != 2 || ubi_session_pool_new(&pool, NULL) != UBI_OK || ubi_worker_new(&worker, pool, NULL) != UBI_OK ||
        ubi_worker_client_new(&client, worker, &options) != UBI_OK)
        return 1;
    int n = snprintf(request, sizeof request, "{\"snapshotFilePath\": \"%s\"}", argv[1]);
    if (n < 0 || ubi_worker_client_request(&id, client, "readHeapSnapshot", (ubi_text){ request, (size_t)n }) != UBI_OK)
        return 1;
    pthread_mutex_lock(&box.lock);
    while (!box.is_full)
        pthread_cond_wait(&box.came, &box.lock);
    pthread_mutex_unlock(&box.lock);
    ubi_worker_client_destroy(client);
    if (ubi_worker_client_request(&id, client, "readHeapSnapshot", (ubi_text){ request, (size_t)n }) != UBI_ESTATE)
        return 1;
    printf("%s\n", ubi_error_message());
    ubi_worker_client_free(client);
    ubi_worker_free(worker);
    ubi_session_pool_unref(pool);
    return 0;
}
