/* SPDX-License-Identifier: MIT
 *
 * desk_thread_test.c: jobs that are joined, left, cancelled, kept and refused, and that fail alone.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/status.h"
#include "base/text.h"
#include "fail_allocator.h"
#include "jobs/desk.h"
#include "random_numbers.h"

#define AFTER "tests/data/fx/tiny-after.fxsnapshot"
#define BEFORE "tests/data/fx/tiny-before.fxsnapshot"

/* ---- one who waits --------------------------------------------------------------------------------------------------- */

typedef struct waiter {
    ubi__desk_watcher watcher;
    pthread_mutex_t lock;
    pthread_cond_t woken;
    uint64_t n_wakes;
} waiter;

static void waiter_wake(void *payload) {
    waiter *w = payload;
    pthread_mutex_lock(&w->lock);
    w->n_wakes++;
    pthread_cond_signal(&w->woken);
    pthread_mutex_unlock(&w->lock);
}

static void waiter_init(waiter *w) {
    *w = (waiter){ .watcher = { .wake = waiter_wake, .payload = w } };
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->woken, NULL);
}

static void waiter_fini(waiter *w) {
    pthread_cond_destroy(&w->woken);
    pthread_mutex_destroy(&w->lock);
}

/* Until the job is in that state, or finished. */
static ubi__desk_report waiter_await(waiter *w, ubi__desk_job *job, ubi__desk_state state) {
    ubi__desk_report report;
    for (;;) {
        pthread_mutex_lock(&w->lock);
        uint64_t n_wakes = w->n_wakes;
        pthread_mutex_unlock(&w->lock);
        ubi__desk_look(&report, job);
        if (report.state == state || ubi__desk_is_finished(report.state))
            return report;
        pthread_mutex_lock(&w->lock);
        while (w->n_wakes == n_wakes)
            pthread_cond_wait(&w->woken, &w->lock);
        pthread_mutex_unlock(&w->lock);
    }
}

/* ---- a desk, heaps, and what is asked --------------------------------------------------------------------------------- */

typedef struct office {
    ubi_session_pool *pool;
    ubi_session *sessions[2];
    ubi__desk *desk;
} office;

static void office_open(office *o, unsigned threads, uint32_t most_waiting, uint32_t most_kept) {
    const ubi__desk_options options = { threads, most_waiting, most_kept };
    *o = (office){ 0 };
    assert_int_equal(ubi_session_pool_new(&o->pool, NULL), UBI_OK);
    assert_int_equal(ubi__session_open_unread(&o->sessions[0], o->pool, BEFORE, UBI_SESSION_HEAP, NULL), UBI_OK);
    assert_int_equal(ubi__session_open_unread(&o->sessions[1], o->pool, AFTER, UBI_SESSION_HEAP, NULL), UBI_OK);
    assert_int_equal(ubi__desk_new(&o->desk, &options), UBI_OK);
}

static void office_close(office *o) {
    ubi__desk_free(o->desk);
    for (int i = 0; i < 2; i++) {
        if (o->sessions[i])
            assert_int_equal(ubi__session_ref_count(o->sessions[i]), 1);
        ubi_session_unref(o->sessions[i]);
    }
    ubi_session_pool_unref(o->pool);
}

typedef struct asking {
    ubi__desk_job *job;
    uint64_t id;
} asking;

typedef struct sequel_counts {
    _Atomic int n_begun, n_released;
} sequel_counts;

static void sequel_begin(void *payload) {
    atomic_fetch_add(&((sequel_counts *)payload)->n_begun, 1);
}

static void sequel_release(void *payload) {
    atomic_fetch_add(&((sequel_counts *)payload)->n_released, 1);
}

static sequel_counts *sequel_of_next; /* NULL: questions have none */

static ubi_status ask(asking *out, office *o, const char *question, const char *parameters, bool is_kept, waiter *w) {
    ubi__json_values values;
    ubi__desk_request request = { .sessions = o->sessions, .n = 1, .is_kept = is_kept };
    request.terms.question = ubi__question_find(question);
    if (request.terms.question->least_heaps > 1)
        request.n = 2;
    if (sequel_of_next)
        request.sequel = (ubi__desk_sequel){ sequel_begin, sequel_release, sequel_of_next };
    UBI_TRY(ubi__json_values_read(&values, request.terms.question->usage, ubi__text(parameters)));
    request.terms.values = values.values;
    ubi_status status = ubi__desk_ask(&out->job, &out->id, o->desk, &request, w ? &w->watcher : NULL);
    ubi__json_values_fini(&values);
    return status;
}

/* An errand that runs until it is let go or cancelled. */
typedef struct gate {
    _Atomic bool is_open;
    _Atomic int n_released;
    ubi_status result;
} gate;

static ubi_status gate_perform(ubi__vec_u8 *answer, void *payload, const ubi_progress *progress) {
    gate *g = payload;
    while (!atomic_load(&g->is_open))
        if (!ubi__progress(progress, "at the gate", 1, 4))
            return ubi__fail_cancelled();
    if (g->result != UBI_OK)
        return ubi__fail(g->result, "the gate is broken");
    return ubi__vec_u8_push(answer, ubi_allocator_default(), '!');
}

static void gate_release(void *payload) {
    atomic_fetch_add(&((gate *)payload)->n_released, 1);
}

static ubi_status gate_run(asking *out, office *o, gate *g, bool is_kept, waiter *w) {
    const ubi__desk_errand errand = { "gate", gate_perform, gate_release, g };
    return ubi__desk_run(&out->job, &out->id, o->desk, &errand, is_kept, w ? &w->watcher : NULL);
}

/* The only thread of the desk is at the gate. */
static void gate_shut(asking *out, office *o, gate *g, waiter *w) {
    waiter_init(w);
    assert_int_equal(gate_run(out, o, g, false, w), UBI_OK);
    assert_int_equal(waiter_await(w, out->job, UBI__DESK_RUNNING).state, UBI__DESK_RUNNING);
}

static void gate_let_go(asking *at_gate, gate *g, waiter *w) {
    atomic_store(&g->is_open, true);
    ubi__desk_report report = waiter_await(w, at_gate->job, UBI__DESK_DONE);
    assert_int_equal(report.state, UBI__DESK_DONE);
    assert_true(ubi__text_is(report.answer, "!"));
    ubi__desk_leave(at_gate->job, &w->watcher);
    assert_int_equal(atomic_load(&g->n_released), 1);
    waiter_fini(w);
}

static uint32_t jobs_count(office *o) {
    ubi__desk_report report = { .id = 0 };
    uint32_t n = 0;
    while (ubi__desk_next(&report, o->desk, report.id))
        n++;
    return n;
}

static void jobs_await_end(office *o) {
    while (jobs_count(o) > 0)
        sched_yield();
}

/* ---- tests ------------------------------------------------------------------------------------------------------------ */

static void who_asks_for_the_same_joins(void **state) {
    office o;
    gate g = { 0 };
    asking at_gate, first, second, other;
    waiter w, w1, w2, w3;
    (void)state;
    office_open(&o, 1, 0, 0);
    gate_shut(&at_gate, &o, &g, &w);
    waiter_init(&w1), waiter_init(&w2), waiter_init(&w3);
    assert_int_equal(ask(&first, &o, "summary", "{\"limit\": 3}", false, &w1), UBI_OK);
    assert_int_equal(ask(&second, &o, "summary", "{ \"limit\":3 }", false, &w2), UBI_OK);
    assert_int_equal(ask(&other, &o, "summary", "{\"limit\": 4}", false, &w3), UBI_OK);
    assert_ptr_equal(first.job, second.job);
    assert_int_equal(first.id, second.id);
    assert_true(first.id != other.id);
    assert_int_equal(jobs_count(&o), 3);
    gate_let_go(&at_gate, &g, &w);
    ubi__desk_report a = waiter_await(&w1, first.job, UBI__DESK_DONE);
    ubi__desk_leave(first.job, &w1.watcher);
    ubi__desk_report b = waiter_await(&w2, second.job, UBI__DESK_DONE);
    assert_int_equal(b.state, UBI__DESK_DONE);
    assert_ptr_equal(a.answer.ptr, b.answer.ptr);
    assert_true(ubi__text_begins(b.answer, "{\"schema\":\"ubiheap.summary/"));
    ubi__desk_leave(second.job, &w2.watcher);
    waiter_await(&w3, other.job, UBI__DESK_DONE);
    ubi__desk_leave(other.job, &w3.watcher);
    waiter_fini(&w1), waiter_fini(&w2), waiter_fini(&w3);
    assert_int_equal(jobs_count(&o), 0);
    office_close(&o);
}

static void an_answer_that_is_there_is_given_at_once(void **state) {
    office o;
    gate g = { 0 };
    asking at_gate, job;
    waiter w, w1;
    (void)state;
    office_open(&o, 1, 0, 0);
    waiter_init(&w1);
    assert_int_equal(ask(&job, &o, "summary", "{}", false, &w1), UBI_OK);
    waiter_await(&w1, job.job, UBI__DESK_DONE);
    ubi__desk_leave(job.job, &w1.watcher);
    gate_shut(&at_gate, &o, &g, &w);
    assert_int_equal(ask(&job, &o, "summary", "{}", false, &w1), UBI_OK);
    ubi__desk_report report;
    ubi__desk_look(&report, job.job);
    assert_int_equal(report.state, UBI__DESK_DONE); /* though the only thread is busy */
    assert_true(ubi__text_ends(report.answer, "}\n"));
    ubi__desk_leave(job.job, &w1.watcher);
    gate_let_go(&at_gate, &g, &w);
    waiter_fini(&w1);
    office_close(&o);
}

static void a_job_that_all_leave_is_cancelled(void **state) {
    office o;
    gate g = { 0 };
    asking at_gate, first, second;
    waiter w, w1, w2;
    (void)state;
    office_open(&o, 1, 0, 0);
    gate_shut(&at_gate, &o, &g, &w);
    waiter_init(&w1), waiter_init(&w2);
    assert_int_equal(ask(&first, &o, "summary", "{}", false, &w1), UBI_OK);
    assert_int_equal(ask(&second, &o, "summary", "{}", false, &w2), UBI_OK);
    ubi__desk_leave(first.job, &w1.watcher);
    assert_int_equal(jobs_count(&o), 2);
    ubi__desk_leave(second.job, &w2.watcher);
    assert_int_equal(jobs_count(&o), 1);
    ubi__desk_leave(at_gate.job, &w.watcher); /* it runs: its thread ends it */
    jobs_await_end(&o);
    while (atomic_load(&g.n_released) == 0) /* which is after it is counted */
        sched_yield();
    assert_int_equal(atomic_load(&g.n_released), 1);
    assert_false(atomic_load(&g.is_open));
    waiter_fini(&w), waiter_fini(&w1), waiter_fini(&w2);
    office_close(&o);
}

static void a_job_is_cancelled_by_its_id(void **state) {
    office o;
    gate g = { 0 };
    asking at_gate, waiting;
    waiter w, w1;
    (void)state;
    office_open(&o, 1, 0, 0);
    gate_shut(&at_gate, &o, &g, &w);
    waiter_init(&w1);
    assert_int_equal(ask(&waiting, &o, "summary", "{}", false, &w1), UBI_OK);
    assert_int_equal(ubi__desk_cancel(o.desk, waiting.id), UBI_OK);
    ubi__desk_report report = waiter_await(&w1, waiting.job, UBI__DESK_CANCELLED);
    assert_int_equal(report.state, UBI__DESK_CANCELLED);
    assert_int_equal(report.status, UBI_ECANCELLED);
    assert_true(report.message[0]);
    assert_int_equal(ubi__desk_cancel(o.desk, at_gate.id), UBI_OK);
    assert_int_equal(waiter_await(&w, at_gate.job, UBI__DESK_CANCELLED).state, UBI__DESK_CANCELLED);
    ubi__desk_leave(waiting.job, &w1.watcher);
    ubi__desk_leave(at_gate.job, &w.watcher);
    assert_int_equal(ubi__desk_cancel(o.desk, waiting.id), UBI_ENOTFOUND);
    waiter_fini(&w), waiter_fini(&w1);
    office_close(&o);
}

static void a_job_fails_alone(void **state) {
    office o;
    gate broken = { .is_open = true, .result = UBI_ENOMEM };
    asking bad, worse, good;
    waiter w1, w2, w3;
    (void)state;
    office_open(&o, 2, 0, 0);
    waiter_init(&w1), waiter_init(&w2), waiter_init(&w3);
    assert_int_equal(ask(&bad, &o, "show", "{\"node\": 1}", false, &w1), UBI_OK);
    assert_int_equal(gate_run(&worse, &o, &broken, false, &w2), UBI_OK);
    assert_int_equal(ask(&good, &o, "diff", "{}", false, &w3), UBI_OK);
    ubi__desk_report report = waiter_await(&w1, bad.job, UBI__DESK_FAILED);
    assert_int_equal(report.state, UBI__DESK_FAILED);
    assert_int_equal(report.status, UBI_ENOTFOUND);
    assert_non_null(strstr(report.message, "no node has the id 1"));
    report = waiter_await(&w2, worse.job, UBI__DESK_FAILED);
    assert_int_equal(report.status, UBI_ENOMEM);
    assert_string_equal(report.message, "the gate is broken");
    assert_int_equal(waiter_await(&w3, good.job, UBI__DESK_DONE).state, UBI__DESK_DONE);
    ubi__desk_leave(bad.job, &w1.watcher);
    ubi__desk_leave(worse.job, &w2.watcher);
    ubi__desk_leave(good.job, &w3.watcher);
    waiter_fini(&w1), waiter_fini(&w2), waiter_fini(&w3);
    office_close(&o);
}

static void mistakes_are_refused_at_once(void **state) {
    office o;
    asking job;
    waiter w;
    (void)state;
    office_open(&o, 1, 0, 0);
    waiter_init(&w);
    assert_int_equal(ask(&job, &o, "nodes", "{\"where\": \"(\"}", false, &w), UBI_EINVAL);
    assert_int_equal(ask(&job, &o, "allocations", "{}", false, &w), UBI_OK);
    ubi__desk_leave(job.job, &w.watcher);
    assert_int_equal(ask(&job, &o, "timeline", "{}", false, &w), UBI_EFORMAT);
    waiter_fini(&w);
    office_close(&o);
}

static void a_limited_number_waits(void **state) {
    office o;
    gate g = { 0 }, more = { .is_open = true };
    asking at_gate, jobs[3];
    waiter w, w1;
    (void)state;
    office_open(&o, 1, 2, 0);
    gate_shut(&at_gate, &o, &g, &w);
    waiter_init(&w1);
    assert_int_equal(gate_run(&jobs[0], &o, &more, true, NULL), UBI_OK);
    assert_int_equal(gate_run(&jobs[1], &o, &more, true, NULL), UBI_OK);
    assert_int_equal(gate_run(&jobs[2], &o, &more, true, NULL), UBI_EBUSY);
    assert_string_equal(ubi_error_message(), "2 requests wait already, and no more may");
    assert_int_equal(ask(&jobs[2], &o, "summary", "{}", false, &w1), UBI_EBUSY);
    gate_let_go(&at_gate, &g, &w);
    waiter_fini(&w1);
    office_close(&o);
    assert_int_equal(atomic_load(&more.n_released), 2);
}

static void kept_jobs_stay_until_there_are_too_many(void **state) {
    office o;
    asking first, job;
    waiter w;
    ubi__desk_report report;
    (void)state;
    office_open(&o, 1, 0, 2);
    waiter_init(&w);
    assert_int_equal(ask(&first, &o, "summary", "{\"limit\": 1}", true, NULL), UBI_OK);
    assert_int_equal(ubi__desk_watch(&first.job, o.desk, first.id, &w.watcher), UBI_OK);
    assert_int_equal(waiter_await(&w, first.job, UBI__DESK_DONE).state, UBI__DESK_DONE);
    ubi__desk_leave(first.job, &w.watcher);
    ubi_session_pool_drop_unused(o.pool); /* the answer is not the job's */
    assert_int_equal(ubi_session_pool_held_bytes(o.pool), 0);
    assert_int_equal(ubi__desk_answer(&job.job, o.desk, first.id, &w.watcher), UBI_OK);
    report = waiter_await(&w, job.job, UBI__DESK_DONE);
    assert_true(ubi__text_begins(report.answer, "{\"schema\""));
    ubi__desk_leave(job.job, &w.watcher);
    for (int i = 2; i < 4; i++) {
        char parameters[32];
        snprintf(parameters, sizeof parameters, "{\"limit\": %d}", i);
        assert_int_equal(ask(&job, &o, "summary", parameters, true, &w), UBI_OK);
        waiter_await(&w, job.job, UBI__DESK_DONE);
        ubi__desk_leave(job.job, &w.watcher);
    }
    assert_int_equal(ubi__desk_watch(&job.job, o.desk, first.id, &w.watcher), UBI_ENOTFOUND);
    assert_int_equal(jobs_count(&o), 2);
    ubi__desk_forget(o.desk, o.sessions[0]);
    assert_int_equal(jobs_count(&o), 0);
    waiter_fini(&w);
    office_close(&o);
}

static void a_desk_is_freed_while_jobs_run(void **state) {
    office o;
    gate g = { 0 };
    asking jobs[8];
    (void)state;
    office_open(&o, 3, 0, 0);
    for (int i = 0; i < 6; i++)
        assert_int_equal(gate_run(&jobs[i], &o, &g, true, NULL), UBI_OK);
    assert_int_equal(ask(&jobs[6], &o, "summary", "{}", true, NULL), UBI_OK);
    assert_int_equal(ask(&jobs[7], &o, "diff", "{}", true, NULL), UBI_OK);
    office_close(&o);
    assert_int_equal(atomic_load(&g.n_released), 6);
}

/* ---- without memory ----------------------------------------------------------------------------------------------------- */

/* The state of a job that was handed in; one that failed had no memory. */
static ubi_status job_outcome(asking *job, waiter *w) {
    ubi__desk_report report = waiter_await(w, job->job, UBI__DESK_DONE);
    ubi__desk_leave(job->job, &w->watcher);
    return report.state == UBI__DESK_DONE ? UBI_OK : report.status;
}

static ubi_status jobs_use(office *o, waiter *w) {
    asking job;
    gate g = { .is_open = true };
    UBI_TRY(ubi_session_pool_new(&o->pool, NULL));
    UBI_TRY(ubi__session_open_unread(&o->sessions[0], o->pool, BEFORE, UBI_SESSION_HEAP, NULL));
    UBI_TRY(ubi__session_open_unread(&o->sessions[1], o->pool, AFTER, UBI_SESSION_HEAP, NULL));
    UBI_TRY(ubi__desk_new(&o->desk, &(ubi__desk_options){ .threads = 1 }));
    UBI_TRY(ask(&job, o, "info", "{}", true, w));
    uint64_t id = job.id;
    UBI_TRY(job_outcome(&job, w));
    ubi_session_pool_drop_unused(o->pool);
    UBI_TRY(ubi__desk_answer(&job.job, o->desk, id, &w->watcher)); /* it is made again */
    UBI_TRY(job_outcome(&job, w));
    UBI_TRY(ask(&job, o, "info", "{}", false, w)); /* it is there */
    UBI_TRY(job_outcome(&job, w));
    UBI_TRY(gate_run(&job, o, &g, false, w));
    return job_outcome(&job, w);
}

static void refused_memory_is_reported_and_nothing_is_lost(void **state) {
    (void)state;
    for (int once = 0; once < 2; once++)
        for (uint64_t n = fail_allocator_first(once);; n = fail_allocator_next(n)) {
            fail_allocator f;
            waiter w;
            office o = { 0 };
            fail_allocator_init(&f, n);
            f.once = once;
            ubi__allocator_default_replace(&f.allocator);
            waiter_init(&w);
            ubi_status status = jobs_use(&o, &w);
            if (status != UBI_OK && status != UBI_ENOMEM)
                fail_msg("%d: %s", status, ubi_error_message());
            office_close(&o);
            waiter_fini(&w);
            ubi__allocator_default_replace(NULL);
            bool was_refused = f.n_refused > 0;
            fail_allocator_fini(&f);
            if (!was_refused) {
                assert_int_equal(status, UBI_OK);
                assert_true(n > 20);
                break;
            }
        }
}

/* ---- many at once ------------------------------------------------------------------------------------------------------- */

#define N_CLIENTS 6
#define N_ASKED 40

static void client_ask(office *o, waiter *w, size_t *n_wrong) {
    static const char *const questions[] = { "summary", "statistics", "nodes", "diff" };
    asking job;
    ubi__desk_report report = { .state = UBI__DESK_WAITING };
    char parameters[32];
    const char *question = questions[random_below(4)];
    bool has_limit = question[0] != 'd' && question[1] != 't';
    snprintf(parameters, sizeof parameters, has_limit ? "{\"limit\": %u}" : "{}", 1 + random_below(3));
    ubi_status status = ask(&job, o, question, parameters, random_below(4) == 0, w);
    if (status != UBI_OK) {
        *n_wrong += status != UBI_EBUSY;
        return;
    }
    if (random_below(3) == 0)
        ubi__desk_look(&report, job.job);
    else
        report = waiter_await(w, job.job, UBI__DESK_DONE);
    *n_wrong += report.state == UBI__DESK_FAILED;
    *n_wrong += report.answer.ptr && report.answer.ptr[report.answer.len - 1] != '\n';
    ubi__desk_leave(job.job, &w->watcher);
    if (random_below(8) == 0)
        (void)ubi__desk_cancel(o->desk, random_below((uint32_t)job.id + 1));
}

static _Atomic uint64_t n_started;

static void *client_thread(void *payload) {
    waiter w;
    size_t n_wrong = 0;
    waiter_init(&w);
    random_start(atomic_fetch_add(&n_started, 1));
    for (int i = 0; i < N_ASKED; i++)
        client_ask(payload, &w, &n_wrong);
    waiter_fini(&w);
    return (void *)n_wrong;
}

static void many_clients_ask_leave_and_cancel(void **state) {
    office o;
    pthread_t threads[N_CLIENTS];
    void *n_wrong;
    (void)state;
    office_open(&o, 3, 4, 5);
    for (int i = 0; i < N_CLIENTS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, client_thread, &o), 0);
    for (int i = 0; i < N_CLIENTS; i++) {
        assert_int_equal(pthread_join(threads[i], &n_wrong), 0);
        assert_null(n_wrong);
    }
    office_close(&o);
}

/* Once for an answer that was computed, and not for one that was there, is given by another job, or is cancelled. */
static void what_follows_is_begun_with_an_answer(void **state) {
    sequel_counts counts = { 0, 0 };
    office o;
    gate g = { false, 0, UBI_OK };
    waiter at_gate, first, second, third;
    asking shut, one, two, three, four;
    (void)state;
    office_open(&o, 1, 2, 0);
    gate_shut(&shut, &o, &g, &at_gate);
    waiter_init(&first), waiter_init(&second), waiter_init(&third);
    sequel_of_next = &counts;
    assert_int_equal(ask(&one, &o, "statistics", "{}", false, &first), UBI_OK);
    assert_int_equal(ask(&two, &o, "statistics", "{}", false, &second), UBI_OK); /* joins */
    assert_true(two.job == one.job && atomic_load(&counts.n_released) == 1);
    assert_int_equal(ask(&three, &o, "summary", "{}", false, &third), UBI_OK);
    assert_int_equal(ask(&four, &o, "summary", "{\"limit\": 4}", false, &third), UBI_EBUSY); /* it stays the caller's */
    assert_int_equal(atomic_load(&counts.n_released), 1);
    ubi__desk_leave(three.job, &third.watcher); /* cancels it */
    assert_int_equal(atomic_load(&counts.n_released), 2);
    gate_let_go(&shut, &g, &at_gate);
    assert_int_equal(waiter_await(&first, one.job, UBI__DESK_DONE).state, UBI__DESK_DONE);
    assert_true(atomic_load(&counts.n_begun) == 1 && atomic_load(&counts.n_released) == 3);
    assert_int_equal(ask(&three, &o, "statistics", "{}", false, &third), UBI_OK); /* it is there */
    ubi__desk_leave(one.job, &first.watcher);
    ubi__desk_leave(two.job, &second.watcher);
    ubi__desk_leave(three.job, &third.watcher);
    assert_true(atomic_load(&counts.n_begun) == 1 && atomic_load(&counts.n_released) == 4);
    sequel_of_next = NULL;
    waiter_fini(&first), waiter_fini(&second), waiter_fini(&third);
    office_close(&o);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_asks_for_the_same_joins),
        cmocka_unit_test(an_answer_that_is_there_is_given_at_once),
        cmocka_unit_test(a_job_that_all_leave_is_cancelled),
        cmocka_unit_test(a_job_is_cancelled_by_its_id),
        cmocka_unit_test(a_job_fails_alone),
        cmocka_unit_test(mistakes_are_refused_at_once),
        cmocka_unit_test(a_limited_number_waits),
        cmocka_unit_test(kept_jobs_stay_until_there_are_too_many),
        cmocka_unit_test(a_desk_is_freed_while_jobs_run),
        cmocka_unit_test(refused_memory_is_reported_and_nothing_is_lost),
        cmocka_unit_test(many_clients_ask_leave_and_cancel),
        cmocka_unit_test(what_follows_is_begun_with_an_answer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
