/* SPDX-License-Identifier: MIT
 *
 * session_thread_test.c: threads that ask one session at once, under a limit that makes them compute things again.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <ubiheap/extension/session.h>

#include "base/status.h"
#include "graph_maker.h"
#include "session/part.h"
#include "session/session_inside.h"

#define N_THREADS 6

/* Ten lists of 500. */
static ubi_graph *lists_make(void) {
    enum { LISTS = 10, LENGTH = 500 };
    graph_maker m = graph_maker_start();
    graph_maker_node(&m, 1, 1);
    for (uint32_t list = 0; list < LISTS; list++)
        graph_maker_edge(&m, 1000 * (list + 1));
    for (uint32_t list = 0; list < LISTS; list++)
        for (uint32_t i = 0; i < LENGTH; i++) {
            graph_maker_node(&m, 1000 * (list + 1) + i, 10);
            if (i + 1 < LENGTH)
                graph_maker_edge(&m, 1000 * (list + 1) + i + 1);
        }
    return graph_maker_finish(&m);
}

static void threads_run(void *(*fn)(void *payload), void *payload) {
    pthread_t threads[N_THREADS];
    for (int i = 0; i < N_THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, fn, payload), 0);
    for (int i = 0; i < N_THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
}

/* ---- one computes for all -------------------------------------------------------------------------------------------- */

/* A part that takes as long as it takes all threads to ask for it. */
static _Atomic int n_askers;

static bool gate_progress(void *payload, const char *stage, uint64_t done, uint64_t total) {
    atomic_int *n_listed = payload;
    (void)done, (void)total;
    if (strcmp(stage, "waiting at the gate") == 0)
        atomic_fetch_add(n_listed, 1);
    return true;
}

static ubi_status gate_build(void **out, ubi_session_use *use, const char *key, const ubi_allocator *allocator) {
    (void)key;
    while (atomic_load(&n_askers) < N_THREADS)
        if (!ubi__progress(ubi_session_use_progress(use), "waiting at the gate", 1, 2))
            return ubi__fail_cancelled();
    *out = allocator->alloc(allocator->ctx, 8);
    return *out ? UBI_OK : ubi__fail_nomem();
}

static void gate_free(void *value, const ubi_allocator *allocator) {
    allocator->free(allocator->ctx, value, 8);
}

static const ubi__part_type gate_part = { .name = "gate", .build = gate_build, .free = gate_free };

static void *gate_ask(void *session) {
    atomic_int n_listed = 0;
    void *value = NULL;
    ubi_session_use *use = NULL;
    ubi_session_use_options options = UBI_SESSION_USE_OPTIONS_INIT;
    options.progress = (ubi_progress){ gate_progress, &n_listed };
    if (ubi_session_use_begin(&use, session, &options) != UBI_OK)
        return NULL;
    atomic_fetch_add(&n_askers, 1);
    ubi_status status = ubi__session_part(&value, use, &gate_part, "");
    assert_int_equal(status, UBI_OK);
    ubi_session_use_end(use);
    return NULL;
}

static void one_thread_computes_for_all(void **state) {
    ubi_session_pool *pool;
    ubi_session *session;
    ubi_session_part_row row;
    ubi_graph *graph = lists_make();
    (void)state;
    assert_int_equal(ubi_session_pool_new(&pool, NULL), UBI_OK);
    assert_int_equal(ubi_session_open_graph(&session, pool, graph, "lists", NULL), UBI_OK);
    threads_run(gate_ask, session);
    for (size_t i = 0; ubi_session_part_at(&row, session, i); i++)
        assert_int_equal(row.n_builds, 1);
    ubi_session_unref(session);
    ubi_session_pool_unref(pool);
    ubi_graph_unref(graph);
}

/* ---- the one who computes gives up --------------------------------------------------------------------------------------- */

static _Atomic bool is_first_in, is_second_waiting;

static ubi_status relay_build(void **out, ubi_session_use *use, const char *key, const ubi_allocator *allocator) {
    (void)key;
    atomic_store(&is_first_in, true);
    if (!ubi__progress(ubi_session_use_progress(use), "running", 0, 0))
        return ubi__fail_cancelled();
    *out = allocator->alloc(allocator->ctx, 8);
    return *out ? UBI_OK : ubi__fail_nomem();
}

static const ubi__part_type relay_part = { .name = "relay", .build = relay_build, .free = gate_free };

/* Gives up as soon as the other one waits. */
static bool first_progress(void *payload, const char *stage, uint64_t done, uint64_t total) {
    (void)payload, (void)stage, (void)done, (void)total;
    while (!atomic_load(&is_second_waiting))
        ;
    return false;
}

static bool second_progress(void *payload, const char *stage, uint64_t done, uint64_t total) {
    (void)payload, (void)stage, (void)done, (void)total;
    atomic_store(&is_second_waiting, true);
    return true;
}

static ubi_status relay_ask(ubi_session *session, ubi_progress_fn progress) {
    ubi_session_use_options options = UBI_SESSION_USE_OPTIONS_INIT;
    ubi_session_use *use;
    void *value;
    options.progress = (ubi_progress){ progress, NULL };
    UBI_TRY(ubi_session_use_begin(&use, session, &options));
    ubi_status status = ubi__session_part(&value, use, &relay_part, "");
    ubi_session_use_end(use);
    return status;
}

static void *first_ask(void *session) {
    assert_int_equal(relay_ask(session, first_progress), UBI_ECANCELLED);
    return NULL;
}

static void who_waits_takes_over(void **state) {
    ubi_session_pool *pool;
    ubi_session *session;
    pthread_t first;
    ubi_graph *graph = lists_make();
    (void)state;
    assert_int_equal(ubi_session_pool_new(&pool, NULL), UBI_OK);
    assert_int_equal(ubi_session_open_graph(&session, pool, graph, "lists", NULL), UBI_OK);
    assert_int_equal(pthread_create(&first, NULL, first_ask, session), 0);
    while (!atomic_load(&is_first_in))
        ;
    assert_int_equal(relay_ask(session, second_progress), UBI_OK);
    assert_int_equal(pthread_join(first, NULL), 0);
    ubi_session_unref(session);
    ubi_session_pool_unref(pool);
    ubi_graph_unref(graph);
}

/* ---- everything at once, in little memory -------------------------------------------------------------------------------- */

typedef struct crowd {
    ubi_session *sessions[3];
    uint64_t retained_bytes;
    _Atomic uint32_t n_answers, n_refused;
} crowd;

static void *crowd_ask(void *payload) {
    crowd *c = payload;
    for (uint32_t i = 0; i < 60; i++) {
        ubi_session_use *use;
        const ubi_dominators *dominators;
        const ubi_summary *summary;
        const ubi_retaining *retaining;
        assert_int_equal(ubi_session_use_begin(&use, c->sessions[i % 3], NULL), UBI_OK);
        ubi_status status = ubi_session_dominators(&dominators, use, i % 2);
        if (status == UBI_OK && i % 3 == 0)
            status = ubi_session_retaining(&retaining, use);
        if (status == UBI_OK && i % 4 == 0)
            status = ubi_session_summary(&summary, use);
        if (status == UBI_OK) {
            assert_int_equal(ubi_dominators_retained_bytes(dominators, 0), c->retained_bytes);
            atomic_fetch_add(&c->n_answers, 1);
        } else {
            assert_int_equal(status, UBI_ENOMEM);
            atomic_fetch_add(&c->n_refused, 1);
        }
        ubi_session_use_end(use);
    }
    return NULL;
}

static void a_crowd_keeps_the_limit(void **state) {
    ubi_session_pool_options options = UBI_SESSION_POOL_OPTIONS_INIT;
    ubi_session_pool *pool;
    ubi_graph *graph = lists_make();
    crowd c = { .retained_bytes = 10 * 500 * 10 + 1 };
    (void)state;
    options.limit_bytes = 1 << 21; /* all parts of three take about 3 MiB while they are made */
    assert_int_equal(ubi_session_pool_new(&pool, &options), UBI_OK);
    for (int i = 0; i < 3; i++)
        assert_int_equal(ubi_session_open_graph(&c.sessions[i], pool, graph, "lists", NULL), UBI_OK);
    threads_run(crowd_ask, &c);
    assert_int_equal(c.n_answers + c.n_refused, N_THREADS * 60);
    assert_true(c.n_answers > 0);
    assert_true(ubi_session_pool_peak_bytes(pool) <= options.limit_bytes + options.limit_bytes / 10);
    ubi__session_pool_check(pool);
    for (int i = 0; i < 3; i++)
        ubi_session_unref(c.sessions[i]);
    ubi_session_pool_unref(pool);
    ubi_graph_unref(graph);
}

/* ---- each like the other, from all sides -------------------------------------------------------------------------------- */

static void *ring_ask(void *payload) {
    crowd *c = payload;
    for (uint32_t i = 0; i < 60; i++) {
        ubi_session_use_options options = UBI_SESSION_USE_OPTIONS_INIT;
        ubi_session_use *use;
        const ubi_dominators *dominators;
        const ubi_summary *summary;
        options.like = c->sessions[(i + 1 + i / 3 % 2) % 3];
        assert_int_equal(ubi_session_use_begin(&use, c->sessions[i % 3], &options), UBI_OK);
        ubi_status status = ubi_session_dominators(&dominators, use, i % 2);
        if (status == UBI_OK && i % 4 == 0)
            status = ubi_session_summary(&summary, use);
        if (status == UBI_OK) {
            assert_int_equal(ubi_dominators_retained_bytes(dominators, 0), c->retained_bytes);
            atomic_fetch_add(&c->n_answers, 1);
        } else {
            assert_int_equal(status, UBI_ENOMEM);
            atomic_fetch_add(&c->n_refused, 1);
        }
        ubi_session_use_end(use);
    }
    return NULL;
}

static void pairs_in_all_directions_end(uint64_t limit_bytes) {
    ubi_session_pool_options options = UBI_SESSION_POOL_OPTIONS_INIT;
    ubi_session_pool *pool;
    ubi_graph *graph = lists_make();
    crowd c = { .retained_bytes = 10 * 500 * 10 + 1 };
    options.limit_bytes = limit_bytes;
    assert_int_equal(ubi_session_pool_new(&pool, &options), UBI_OK);
    for (int i = 0; i < 3; i++)
        assert_int_equal(ubi_session_open_graph(&c.sessions[i], pool, graph, "lists", NULL), UBI_OK);
    threads_run(ring_ask, &c);
    assert_int_equal(c.n_answers + c.n_refused, N_THREADS * 60);
    assert_true(c.n_answers > 0);
    assert_true(limit_bytes < UINT64_MAX || c.n_refused == 0);
    ubi__session_pool_check(pool);
    for (int i = 0; i < 3; i++)
        ubi_session_unref(c.sessions[i]);
    assert_int_equal(ubi_session_pool_held_bytes(pool), 0);
    ubi_session_pool_unref(pool);
    ubi_graph_unref(graph);
}

static void no_pair_waits_for_another(void **state) {
    (void)state;
    pairs_in_all_directions_end(UINT64_MAX);
    pairs_in_all_directions_end(1 << 21);
}

/* A model that goes while other threads drop what was made like it. */
static void *model_come_and_go(void *payload) {
    crowd *c = payload;
    for (uint32_t i = 0; i < 40; i++) {
        ubi_session_use_options options = UBI_SESSION_USE_OPTIONS_INIT;
        ubi_session_use *heap;
        ubi_session *model;
        const ubi_look *look;
        ubi_graph *graph;
        assert_int_equal(ubi_session_use_begin(&heap, c->sessions[0], NULL), UBI_OK);
        assert_int_equal(ubi_session_graph(&graph, heap), UBI_OK);
        assert_int_equal(ubi_session_open_graph(&model, c->sessions[0]->pool, graph, "model", NULL), UBI_OK);
        ubi_session_use_end(heap);
        options.like = model;
        assert_int_equal(ubi_session_use_begin(&heap, c->sessions[0], &options), UBI_OK);
        ubi_session_unref(model);
        assert_int_equal(ubi_session_look(&look, heap), UBI_OK);
        ubi_session_use_end(heap);
        if (i % 4 == 0)
            ubi_session_pool_drop_unused(c->sessions[0]->pool);
    }
    return NULL;
}

static void models_may_go_at_any_time(void **state) {
    ubi_session_pool *pool;
    ubi_session_part_row row;
    ubi_graph *graph = lists_make();
    crowd c = { .retained_bytes = 0 };
    (void)state;
    assert_int_equal(ubi_session_pool_new(&pool, NULL), UBI_OK);
    assert_int_equal(ubi_session_open_graph(&c.sessions[0], pool, graph, "lists", NULL), UBI_OK);
    threads_run(model_come_and_go, &c);
    ubi_session_pool_drop_unused(pool);
    for (size_t i = 0; ubi_session_part_at(&row, c.sessions[0], i); i++)
        assert_string_equal(row.name, "graph");
    assert_ptr_equal(pool->sessions, c.sessions[0]);
    assert_null(c.sessions[0]->next);
    ubi_session_unref(c.sessions[0]);
    ubi_session_pool_unref(pool);
    ubi_graph_unref(graph);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_thread_computes_for_all), cmocka_unit_test(who_waits_takes_over),
        cmocka_unit_test(a_crowd_keeps_the_limit),     cmocka_unit_test(no_pair_waits_for_another),
        cmocka_unit_test(models_may_go_at_any_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
