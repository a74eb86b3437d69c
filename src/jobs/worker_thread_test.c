/* SPDX-License-Identifier: MIT
 *
 * worker_thread_test.c: several clients at once, cancelling at any moment, jobs that run out of memory.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include <ubiheap/core/formats.h>

#include "damage.h"
#include "graph_maker.h"
#include "jobs/jobs.h"
#include "jobs/worker_for_tests.h"
#include "random_numbers.h"

#define BREAKDOWN "{\"by\":\"internalType\",\"then\":{\"by\":\"count\",\"count\":true,\"bytes\":true}}"

static char path[64];

/* Lists in lists: 40 of 250. */
static int heap_make(void **state) {
    enum { LISTS = 40, LENGTH = 250 };
    graph_maker m = graph_maker_start();
    (void)state;
    graph_maker_node(&m, 1, 1);
    for (uint32_t list = 0; list < LISTS; list++)
        graph_maker_edge(&m, 1000 * (list + 1));
    for (uint32_t list = 0; list < LISTS; list++)
        for (uint32_t i = 0; i < LENGTH; i++) {
            graph_maker_node(&m, 1000 * (list + 1) + i, list + 1);
            if (i + 1 < LENGTH)
                graph_maker_edge(&m, 1000 * (list + 1) + i + 1);
        }
    ubi_graph *graph = graph_maker_finish(&m);
    snprintf(path, sizeof path, "/tmp/ubiheap-worker-XXXXXX");
    close(mkstemp(path));
    ubi_status status = ubi_graph_save_path(graph, path, NULL, NULL);
    ubi_graph_unref(graph);
    return status;
}

static int heap_remove(void **state) {
    (void)state;
    return unlink(path);
}

typedef struct bench {
    ubi_session_pool *pool;
    ubi_worker *worker;
} bench;

static bench bench_open(uint64_t limit_bytes, unsigned threads) {
    bench b;
    ubi_session_pool_options pool_options = UBI_SESSION_POOL_OPTIONS_INIT;
    ubi_worker_options options = UBI_WORKER_OPTIONS_INIT;
    pool_options.limit_bytes = limit_bytes;
    options.threads = threads;
    assert_int_equal(ubi_session_pool_new(&b.pool, &pool_options), UBI_OK);
    assert_int_equal(ubi_worker_new(&b.worker, b.pool, &options), UBI_OK);
    return b;
}

static void bench_close(bench b) {
    ubi_worker_free(b.worker);
    assert_int_equal(ubi_session_pool_held_bytes(b.pool), 0);
    ubi_session_pool_unref(b.pool);
}

/* What each client asks for, in this order. */
static const struct question {
    const char *task, *format; /* %s: the path */
} questions[] = {
    { "readHeapSnapshot", "{\"snapshotFilePath\":\"%s\"}" },
    { "takeCensus", "{\"snapshotFilePath\":\"%s\",\"censusOptions\":{\"breakdown\":" BREAKDOWN "}}" },
    { "computeDominatorTree", "\"%s\"" },
    { "getDominatorTree", "{\"dominatorTreeId\":0,\"breakdown\":" BREAKDOWN ",\"maxRetainingPaths\":2}" },
    { "getImmediatelyDominated", "{\"dominatorTreeId\":0,\"nodeId\":1,\"breakdown\":" BREAKDOWN ",\"startIndex\":5}" },
    { "getCensusIndividuals", "{\"dominatorTreeId\":0,\"indices\":[1],\"censusBreakdown\":" BREAKDOWN
                              ",\"labelBreakdown\":" BREAKDOWN ",\"maxIndividuals\":100}" },
    { "takeCensusDiff", "{\"firstSnapshotFilePath\":\"%s\",\"secondSnapshotFilePath\":\"%s\",\"censusOptions\":{"
                        "\"breakdown\":" BREAKDOWN "}}" },
    { "deleteHeapSnapshot", "{\"snapshotFilePath\":\"%s\"}" },
};

enum { QUESTIONS = sizeof questions / sizeof *questions };

static uint64_t question_send(asker *a, size_t i) {
    char data[1024];
    snprintf(data, sizeof data, questions[i].format, path, path);
    return asker_send(a, questions[i].task, data);
}

/* ---- many clients ------------------------------------------------------------------------------------------------------ */

static void clients_get_equal_answers(void **state) {
    enum { CLIENTS = 6 };
    bench b = bench_open(0, 4);
    asker *askers[CLIENTS];
    uint64_t last[CLIENTS] = { 0 };
    (void)state;
    for (size_t c = 0; c < CLIENTS; c++)
        askers[c] = asker_new(b.worker);
    for (size_t i = 0; i < QUESTIONS; i++)
        for (size_t c = 0; c < CLIENTS; c++)
            last[c] = question_send(askers[c], i);
    for (size_t c = 0; c < CLIENTS; c++) {
        asker_wait(askers[c], last[c]);
        assert_int_equal(askers[c]->n, QUESTIONS);
        for (size_t i = 0; i < QUESTIONS; i++) {
            assert_int_equal(askers[c]->replies[i].status, UBI_OK);
            assert_true(i == 0 || askers[c]->replies[i].id > askers[c]->replies[i - 1].id); /* in their order */
            if (askers[0]->replies[i].json)
                assert_string_equal(askers[c]->replies[i].json, askers[0]->replies[i].json);
            else
                assert_null(askers[c]->replies[i].json);
        }
    }
    assert_true(askers[0]->n_progress > 0);
    for (size_t c = 0; c < CLIENTS; c++)
        asker_free(askers[c]);
    bench_close(b);
}

/* One file is read once, whatever the number of clients that have it. */
static void clients_share_what_was_computed(void **state) {
    bench b = bench_open(0, 2);
    asker *first = asker_new(b.worker), *second = asker_new(b.worker);
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        asker_wait(first, question_send(first, i));
        asker_wait(second, question_send(second, i));
    }
    assert_ptr_equal(first->client->snapshots.at[0].session, second->client->snapshots.at[0].session);
    ubi_session_part_row row;
    for (size_t i = 0; ubi_session_part_at(&row, first->client->snapshots.at[0].session, i); i++)
        assert_int_equal(row.n_builds, 1);
    asker_free(first);
    assert_string_equal(second->replies[second->n - 1].json, "0");
    asker_wait(second, question_send(second, 3));
    assert_int_equal(second->replies[3].status, UBI_OK);
    asker_free(second);
    bench_close(b);
}

/* An array breakdown counts each node in each member: leaf 2 of the first, leaf 4 of the second. */
static void individuals_are_listed_once(void **state) {
    static const char format[] = "{\"dominatorTreeId\":0,\"indices\":[%s],\"censusBreakdown\":[" BREAKDOWN "," BREAKDOWN
                                 "],\"labelBreakdown\":" BREAKDOWN ",\"maxIndividuals\":50}";
    static const char *const indices[] = { "2", "4", "2,4" };
    bench b = bench_open(0, 1);
    asker *a = asker_new(b.worker);
    const char *replies[3];
    (void)state;
    for (size_t i = 0; i < 3; i++)
        asker_wait(a, question_send(a, i));
    for (size_t i = 0; i < 3; i++) {
        char data[1024];
        snprintf(data, sizeof data, format, indices[i]);
        replies[i] = asker_ask(a, "getCensusIndividuals", data);
        assert_int_equal(a->replies[a->n - 1].status, UBI_OK);
        assert_string_equal(replies[i], replies[0]);
    }
    asker_free(a);
    bench_close(b);
}

/* ---- cancelling -------------------------------------------------------------------------------------------------------- */

typedef struct cancel_point {
    uint32_t n_left; /* reports until then */
    bool is_reached;
} cancel_point;

static void cancel_at(asker *a, const ubi_worker_progress *progress) {
    cancel_point *p = a->payload;
    if (p->is_reached || p->n_left-- > 0)
        return;
    p->is_reached = true;
    assert_int_equal(ubi_worker_client_cancel(a->client, progress->id), UBI_OK);
}

/* At random reports of random tasks; the same question is then answered as if nothing had been. */
static void cancelled_requests_leave_nothing(void **state) {
    bench b = bench_open(0, 1);
    asker *plain = asker_new(b.worker);
    uint32_t n_cancelled = 0;
    (void)state;
    for (size_t i = 0; i + 1 < QUESTIONS; i++)
        asker_wait(plain, question_send(plain, i));
    random_start(19);
    for (uint32_t round = random_cases(200); round > 0; round--) {
        asker *a = asker_new(b.worker);
        cancel_point point = { random_below(30), false };
        ubi_session_pool_drop_unused(b.pool);
        a->on_progress = cancel_at;
        a->payload = &point;
        for (size_t i = 0; i + 1 < QUESTIONS; i++) {
            uint32_t at = asker_wait(a, question_send(a, i));
            if (a->replies[at].status == UBI_ECANCELLED) {
                n_cancelled++;
                at = asker_wait(a, question_send(a, i));
            }
            assert_int_equal(a->replies[at].status, UBI_OK);
            assert_string_equal(a->replies[at].json, plain->replies[i].json);
        }
        asker_free(a);
    }
    assert_true(n_cancelled > random_cases(20));
    asker_free(plain);
    bench_close(b);
}

static _Atomic bool is_held, may_go;

static void hold(asker *a, const ubi_worker_progress *progress) {
    (void)a, (void)progress;
    atomic_store(&is_held, true);
    while (!atomic_load(&may_go))
        usleep(100);
}

/* A request that waits behind another one is answered at once. */
static void waiting_requests_are_cancelled(void **state) {
    bench b = bench_open(0, 1);
    asker *a = asker_new(b.worker);
    (void)state;
    atomic_store(&is_held, false);
    atomic_store(&may_go, false);
    a->on_progress = hold;
    uint64_t running = question_send(a, 0), second = question_send(a, 1), third = question_send(a, 2);
    while (!atomic_load(&is_held))
        usleep(100);
    assert_int_equal(ubi_worker_client_cancel(a->client, second), UBI_OK);
    assert_int_equal(a->n, 1);
    assert_int_equal(a->replies[0].status, UBI_ECANCELLED);
    assert_int_equal(ubi_worker_client_cancel(a->client, second), UBI_ENOTFOUND);
    assert_int_equal(ubi_worker_client_cancel(a->client, 12345678), UBI_ENOTFOUND);
    atomic_store(&may_go, true);
    assert_int_equal(a->replies[asker_wait(a, running)].status, UBI_OK);
    assert_int_equal(a->replies[asker_wait(a, third)].status, UBI_OK);
    asker_free(a);
    bench_close(b);
}

/* What waits and what runs gets no reply. */
static void destroyed_clients_are_silent(void **state) {
    bench b = bench_open(0, 2);
    (void)state;
    for (uint32_t round = 0; round < 50; round++) {
        asker *a = asker_new(b.worker);
        for (size_t i = 0; i < QUESTIONS; i++)
            question_send(a, i);
        for (uint32_t i = 0; i < round; i++)
            usleep(50);
        ubi_worker_client_destroy(a->client);
        uint32_t n = a->n;
        assert_true(n <= QUESTIONS);
        usleep(100);
        assert_int_equal(a->n, n);
        asker_free(a);
    }
    bench_close(b);
}

/* ---- memory -------------------------------------------------------------------------------------------------------------- */

/* Whatever the limit: a request is answered, or it fails alone. */
static void requests_without_memory_fail_alone(void **state) {
    uint32_t n_refused = 0, n_answered = 0;
    (void)state;
    for (uint64_t limit_bytes = 1 << 19; limit_bytes < 10 << 20; limit_bytes += limit_bytes / 4) {
        bench b = bench_open(limit_bytes, 2);
        asker *a = asker_new(b.worker);
        for (size_t i = 0; i < QUESTIONS; i++) {
            ubi_status status = a->replies[asker_wait(a, question_send(a, i))].status;
            n_refused += status == UBI_ENOMEM;
            n_answered += status == UBI_OK;
            assert_true(status == UBI_OK || status == UBI_ENOMEM || status == UBI_ENOTFOUND);
        }
        assert_true(ubi_session_pool_peak_bytes(b.pool) <= limit_bytes + limit_bytes / 10);
        asker_free(a);
        bench_close(b);
    }
    assert_true(n_refused > 0 && n_answered > QUESTIONS);
}

typedef struct response_watch {
    ubi_session_pool *pool;
    uint64_t n_bytes, held_bytes;
    _Atomic bool has_come;
} response_watch;

static void response_note(void *payload, const ubi_worker_reply *reply) {
    response_watch *watch = payload;
    assert_int_equal(reply->status, UBI_OK);
    ubi_session_pool_drop_unused(watch->pool); /* all that is of the heap */
    watch->n_bytes = reply->json.len;
    watch->held_bytes = ubi_session_pool_held_bytes(watch->pool);
    atomic_store(&watch->has_come, true);
}

static void a_response_counts_towards_the_limit_until_it_was_sent(void **state) {
    bench b = bench_open(0, 1);
    response_watch watch = { .pool = b.pool };
    ubi_worker_client_options options = UBI_WORKER_CLIENT_OPTIONS_INIT;
    ubi_worker_client *client;
    (void)state;
    options.on_reply = response_note;
    options.payload = &watch;
    assert_int_equal(ubi_worker_client_new(&client, b.worker, &options), UBI_OK);
    for (size_t i = 0; i < 2; i++) {
        char data[1024];
        uint64_t id;
        int n = snprintf(data, sizeof data, questions[i].format, path);
        atomic_store(&watch.has_come, false);
        assert_int_equal(ubi_worker_client_request(&id, client, questions[i].task, (ubi_text){ data, (size_t)n }),
                         UBI_OK);
        while (!atomic_load(&watch.has_come))
            usleep(1000);
    }
    assert_true(watch.n_bytes > 10);
    assert_true(watch.held_bytes >= watch.n_bytes);
    ubi_worker_client_free(client);
    bench_close(b); /* nothing is held then */
}

/* ---- checks -------------------------------------------------------------------------------------------------------------- */

static void check_worker(void *w) {
    ubi__worker_check(w);
}

static void damaged_workers_are_seen(void **state) {
    ubi__job job = { .id = 1 };
    ubi_worker worker = { .n_clients = 1 };
    ubi_worker_client ready = { .worker = &worker, .is_ready = true, .first = &job, .last = &job };
    (void)state;
    worker.ready = worker.last_ready = &ready;
    check_worker(&worker);
    ready.running = &job;
    assert_damage_seen(check_worker, &worker, "c->first && !c->running");
    ready.running = NULL;
    ready.is_destroyed = true;
    assert_damage_seen(check_worker, &worker, "!c->is_destroyed");
    ready.is_destroyed = false;
    worker.last_ready = NULL;
    assert_damage_seen(check_worker, &worker, "worker->last_ready == c");
    worker.last_ready = &ready;
    worker.n_clients = 0;
    assert_damage_seen(check_worker, &worker, "n_ready <= worker->n_clients");
    worker.n_clients = 1;
    worker.ready = NULL;
    assert_damage_seen(check_worker, &worker, "(worker->ready == NULL) == (worker->last_ready == NULL)");
    worker.ready = &ready;
    worker.n_threads_started = 1;
    assert_damage_seen(check_worker, &worker, "worker->n_threads_started <= worker->n_threads");
}

static void check_client(void *c) {
    ubi__client_check(c);
}

static void damaged_clients_are_seen(void **state) {
    char one[] = "a", other[] = "b";
    ubi_worker_client client = { .n_readings = 2 };
    ubi__client_snapshot snapshots[] = { { one, 2, (ubi_session *)state, 1 }, { other, 2, (ubi_session *)state, 2 } };
    ubi__client_tree trees[] = { { NULL, 1 } };
    client.snapshots.at = snapshots;
    client.snapshots.n = 2;
    client.trees.at = trees;
    client.trees.n = 1;
    check_client(&client);
    other[0] = 'a';
    assert_damage_seen(check_client, &client, "strcmp(s[i].path, s[j].path) != 0");
    other[0] = 'b';
    snapshots[1].path_bytes = 3;
    assert_damage_seen(check_client, &client, "strlen(s[i].path) + 1 == s[i].path_bytes");
    snapshots[1].path_bytes = 2;
    snapshots[1].reading = 1;
    assert_damage_seen(check_client, &client, "s[i].reading != s[j].reading");
    snapshots[1].reading = 3;
    assert_damage_seen(check_client, &client, "s[i].reading <= client->n_readings");
    snapshots[1].reading = 2;
    trees[0].reading = 3;
    assert_damage_seen(check_client, &client, "client->trees.at[i].reading - 1 < client->n_readings");
    trees[0].reading = 0;
    assert_damage_seen(check_client, &client, "client->trees.at[i].reading - 1 < client->n_readings");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_response_counts_towards_the_limit_until_it_was_sent),
        cmocka_unit_test(clients_get_equal_answers),
        cmocka_unit_test(clients_share_what_was_computed),
        cmocka_unit_test(cancelled_requests_leave_nothing),
        cmocka_unit_test(waiting_requests_are_cancelled),
        cmocka_unit_test(destroyed_clients_are_silent),
        cmocka_unit_test(requests_without_memory_fail_alone),
        cmocka_unit_test(damaged_clients_are_seen),
        cmocka_unit_test(damaged_workers_are_seen),
        cmocka_unit_test(individuals_are_listed_once),
    };
    return cmocka_run_group_tests(tests, heap_make, heap_remove);
}
