/* SPDX-License-Identifier: MIT
 *
 * worker_bench.c: how soon a heap session's parts are there, and how soon a request of a worker ends that is cancelled.
 *
 * Three sorts of rows, for bench/report.py:
 *
 * A part, the first time ("part:dominators with sets"): wallNs is what it took without the parts that it is made of; longestGapNs the
 * longest time between two of its reports, of the processor time of the thread that computes, so that it means the same on a busy
 * machine; bytes what it takes.
 *
 * {"file":"x.fxsnapshot","row":"part:look","threads":0,"wallNs":900000,"longestGapNs":800000,"bytes":4096,"reports":3}
 *
 * Everything again ("again"): all parts asked for, which are there.
 *
 * {"file":"x.fxsnapshot","row":"again","threads":0,"wallNs":40000}
 *
 * A cancelled request, one row per turn: wallNs is the time from the call of cancel, at a random moment of a request that reads the
 * file ("cancel:read") or of one that reads it and computes dominators ("cancel:dominators"), to its reply.
 *
 * {"file":"x.fxsnapshot","row":"cancel:read","threads":0,"wallNs":2000000}
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <ubiheap/server/worker.h>

#include "base/status.h"
#include "bench_program.h"

static const char usage[] = "usage: worker_bench [--repeats N] FILE...\n"
                            "\n"
                            "Computes all parts of a session of each FILE, and cancels N requests (default 200).\n";

/* ---- parts ----------------------------------------------------------------------------------------------------------- */

/* Between reports of the thread that computes. */
typedef struct gap_watch {
    uint64_t last_ns, longest_ns, n_reports;
} gap_watch;

static uint64_t thread_cpu_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void gap_note(gap_watch *w) {
    uint64_t now_ns = thread_cpu_ns();
    if (now_ns - w->last_ns > w->longest_ns)
        w->longest_ns = now_ns - w->last_ns;
    w->last_ns = now_ns;
}

static bool gap_report(void *payload, const char *stage, uint64_t done, uint64_t total) {
    gap_watch *w = payload;
    (void)stage, (void)done, (void)total;
    gap_note(w);
    w->n_reports++;
    return true;
}

typedef struct part {
    const char *name;
    ubi_status (*get)(ubi_session_use *use);
} part;

static ubi_status graph_get(ubi_session_use *use) {
    ubi_graph *graph;
    return ubi_session_graph(&graph, use);
}

static ubi_status look_get(ubi_session_use *use) {
    const ubi_look *look;
    return ubi_session_look(&look, use);
}

static ubi_status dominators_get(ubi_session_use *use) {
    const ubi_dominators *dominators;
    return ubi_session_dominators(&dominators, use, true);
}

static ubi_status distances_get(ubi_session_use *use) {
    const uint32_t *distances;
    return ubi_session_distances(&distances, use);
}

static ubi_status summary_get(ubi_session_use *use) {
    const ubi_summary *summary;
    return ubi_session_summary(&summary, use);
}

static ubi_status retainers_get(ubi_session_use *use) {
    const ubi_retainers *retainers;
    return ubi_session_retainers(&retainers, use);
}

static ubi_status retaining_get(ubi_session_use *use) {
    const ubi_retaining *retaining;
    return ubi_session_retaining(&retaining, use);
}

static ubi_status strings_get(ubi_session_use *use) {
    const ubi_strings *strings;
    return ubi_session_strings(&strings, use);
}

static ubi_status census_get(ubi_session_use *use) {
    const ubi_census *census;
    return ubi_session_census(&census, use, (ubi_text){ NULL, 0 }, UBI_COMPAT_NONE);
}

/* Each after those that it is made of. */
static const part parts[] = {
    { "graph", graph_get },         { "look", look_get },       { "dominators with sets", dominators_get },
    { "distances", distances_get }, { "summary", summary_get }, { "retainers", retainers_get },
    { "retaining", retaining_get }, { "strings", strings_get }, { "census", census_get },
};

enum { PARTS = sizeof parts / sizeof *parts };

static ubi_status part_print(const char *path, ubi_session *session, const part *p, const gap_watch *w) {
    ubi_session_part_row row;
    char name[64];
    snprintf(name, sizeof name, "part:%s", p->name);
    for (size_t i = 0; ubi_session_part_at(&row, session, i); i++)
        if (strcmp(row.name, p->name) == 0) {
            ubi__row_begin(path, name, 0, row.time_us * 1000);
            ubi__row_u64("longestGapNs", w->longest_ns);
            ubi__row_u64("bytes", row.bytes);
            ubi__row_u64("reports", w->n_reports);
            return ubi__row_end();
        }
    return ubi__fail(UBI_ESTATE, "there is no part %s", p->name);
}

static ubi_status part_measure(const char *path, ubi_session *session, const part *p) {
    gap_watch w = { 0 };
    ubi_session_use_options options = UBI_SESSION_USE_OPTIONS_INIT;
    ubi_session_use *use;
    options.progress = (ubi_progress){ gap_report, &w };
    UBI_TRY(ubi_session_use_begin(&use, session, &options));
    w.last_ns = thread_cpu_ns();
    ubi_status status = p->get(use);
    gap_note(&w);
    ubi_session_use_end(use);
    UBI_TRY(status);
    return part_print(path, session, p, &w);
}

static ubi_status again_measure(const char *path, ubi_session *session) {
    ubi_session_use *use;
    ubi_status status = UBI_OK;
    uint64_t started_ns = ubi__wall_ns();
    UBI_TRY(ubi_session_use_begin(&use, session, NULL));
    for (size_t i = 0; status == UBI_OK && i < PARTS; i++)
        status = parts[i].get(use);
    ubi_session_use_end(use);
    UBI_TRY(status);
    ubi__row_begin(path, "again", 0, ubi__wall_ns() - started_ns);
    return ubi__row_end();
}

static ubi_status parts_measure(const char *path, ubi_session_pool *pool) {
    ubi_session *session;
    ubi_status status = UBI_OK;
    UBI_TRY(ubi_session_open_path(&session, pool, path, NULL));
    ubi_session_pool_drop_unused(pool); /* so that reading is measured like the others */
    for (size_t i = 0; status == UBI_OK && i < PARTS; i++)
        status = part_measure(path, session, &parts[i]);
    if (status == UBI_OK)
        status = again_measure(path, session);
    ubi_session_unref(session);
    return status;
}

/* ---- cancelling ------------------------------------------------------------------------------------------------------ */

/* One client, which waits for one reply at a time. */
typedef struct asker {
    ubi_worker_client *client;
    pthread_mutex_t lock;
    pthread_cond_t came;
    uint64_t replied_id, replied_ns;
    ubi_status status;
} asker;

static void note_reply(void *payload, const ubi_worker_reply *reply) {
    asker *a = payload;
    pthread_mutex_lock(&a->lock);
    a->replied_id = reply->id;
    a->replied_ns = ubi__wall_ns();
    a->status = reply->status;
    pthread_cond_signal(&a->came);
    pthread_mutex_unlock(&a->lock);
}

static void reply_wait(asker *a, uint64_t id) {
    pthread_mutex_lock(&a->lock);
    while (a->replied_id != id)
        pthread_cond_wait(&a->came, &a->lock);
    pthread_mutex_unlock(&a->lock);
}

static ubi_status request_send(uint64_t *id, asker *a, const char *task, const char *format, const char *path) {
    char data[4096];
    int n = snprintf(data, sizeof data, format, path);
    return ubi_worker_client_request(id, a->client, task, (ubi_text){ data, (size_t)n });
}

/* What is cancelled: reading the file, or, when it has been read, its dominators. */
static ubi_status work_send(uint64_t *id, asker *a, const char *path, bool reads) {
    return reads ? request_send(id, a, "readHeapSnapshot", "{\"snapshotFilePath\":\"%s\"}", path)
                 : request_send(id, a, "computeDominatorTree", "\"%s\"", path);
}

static void sleep_ns(uint64_t ns) {
    struct timespec time = { (time_t)(ns / 1000000000), (long)(ns % 1000000000) };
    nanosleep(&time, NULL);
}

/* What the work takes when it is left alone. */
static ubi_status work_time(uint64_t *out_ns, asker *a, const char *path, bool reads) {
    uint64_t id, started_ns = ubi__wall_ns();
    UBI_TRY(work_send(&id, a, path, reads));
    reply_wait(a, id);
    *out_ns = a->replied_ns - started_ns;
    return a->status == UBI_OK ? UBI_OK : ubi__fail(a->status, "the request failed");
}

static ubi_status cancel_measure(asker *a, ubi_session_pool *pool, const char *path, bool reads, uint64_t whole_ns) {
    uint64_t id;
    ubi_session_pool_drop_unused(pool);
    UBI_TRY(work_send(&id, a, path, reads));
    sleep_ns((uint64_t)((double)whole_ns * drand48()));
    uint64_t cancelled_ns = ubi__wall_ns();
    ubi_status status = ubi_worker_client_cancel(a->client, id);
    reply_wait(a, id);
    if (status != UBI_OK || a->status != UBI_ECANCELLED) /* it was done by then */
        return UBI_OK;
    ubi__row_begin(path, reads ? "cancel:read" : "cancel:dominators", 0, a->replied_ns - cancelled_ns);
    return ubi__row_end();
}

static ubi_status cancels_measure(asker *a, ubi_session_pool *pool, const char *path, unsigned repeats) {
    uint64_t whole_ns[2];
    UBI_TRY(work_time(&whole_ns[1], a, path, true));
    ubi_session_pool_drop_unused(pool); /* the file is read again, as below */
    UBI_TRY(work_time(&whole_ns[0], a, path, false));
    for (unsigned i = 0; i < repeats; i++)
        UBI_TRY(cancel_measure(a, pool, path, i % 2, whole_ns[i % 2]));
    return UBI_OK;
}

static ubi_status worker_measure(const char *path, ubi_session_pool *pool, unsigned repeats) {
    asker a = { .lock = PTHREAD_MUTEX_INITIALIZER, .came = PTHREAD_COND_INITIALIZER };
    ubi_worker_client_options options = UBI_WORKER_CLIENT_OPTIONS_INIT;
    ubi_worker *worker;
    options.on_reply = note_reply;
    options.payload = &a;
    UBI_TRY(ubi_worker_new(&worker, pool, NULL));
    ubi_status status = ubi_worker_client_new(&a.client, worker, &options);
    if (status == UBI_OK) {
        status = cancels_measure(&a, pool, path, repeats);
        ubi_worker_client_free(a.client);
    }
    ubi_worker_free(worker);
    return status;
}

/* ---- the program ----------------------------------------------------------------------------------------------------- */

static ubi_status measure(const char *path, unsigned repeats) {
    ubi_session_pool *pool;
    UBI_TRY(ubi_session_pool_new(&pool, NULL));
    ubi_status status = parts_measure(path, pool);
    if (status == UBI_OK)
        status = worker_measure(path, pool, repeats);
    ubi_session_pool_unref(pool);
    return status;
}

int main(int argc, char **argv) {
    static const struct option options[] = { UBI__BENCH_OPTIONS };
    static const ubi__bench bench = {
        .name = "worker_bench",
        .usage = usage,
        .repeats = 200,
        .options = options,
        .measure = measure,
    };
    return ubi__bench_main(&bench, argc, argv);
}
