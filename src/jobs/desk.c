/* SPDX-License-Identifier: MIT
 *
 * desk.c: see desk.h.
 *
 * All jobs are in one list, in the order of their ids: few wait, few run, and few are kept. A job goes when it is finished, unwatched and
 * not kept. What it holds is released without the lock, by the thread that took it off the list.
 */
#include "jobs/desk.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "base/parallel.h"
#include "base/status.h"
#include "base/text.h"

#define WAKE_EVERY_NS UINT64_C(100000000)

struct ubi__desk_job {
    ubi__desk_job *next;
    ubi__desk *desk;
    uint64_t id, asked_ns;
    ubi__desk_state state;
    bool is_kept;
    ubi__desk_watcher *watchers;
    ubi_status status; /* finished */
    char message[UBI__DESK_MESSAGE_BYTES];
    const char *title;
    /* A question: */
    ubi_session **sessions; /* sessions[n_sessions], references; NULL: an errand */
    uint32_t n_sessions;
    ubi__vec_u8 key;
    bool is_page;
    ubi_session_use *use; /* of a finished one that is watched: holds the answer */
    ubi__desk_sequel sequel;
    /* Or an errand: */
    ubi__desk_errand errand;
    ubi__vec_u8 written;
    ubi_text answer; /* in either */
    /* What its thread reports. */
    _Atomic bool must_stop;
    _Atomic(const char *) stage;
    _Atomic uint64_t done, total;
    uint64_t woken_ns; /* its thread's */
};

struct ubi__desk {
    pthread_mutex_t lock;
    pthread_cond_t given; /* a job waits, or the threads stop */
    pthread_cond_t ended; /* a job ran */
    ubi__desk_job *jobs;
    uint64_t last_id;
    uint32_t most_waiting, most_kept;
    bool is_stopping; /* nothing new is taken */
    bool is_closing;  /* threads end */
    unsigned n_threads, n_started;
    pthread_t *threads;
};

static const ubi_allocator *memory(void) {
    return ubi_allocator_default();
}

const char *ubi__desk_state_name(ubi__desk_state state) {
    static const char *const names[] = { "waiting", "running", "done", "failed", "cancelled" };
    return names[UBI_INDEX(state, sizeof names / sizeof *names)];
}

void ubi__desk_check(const ubi__desk *desk) {
    uint64_t last_id = 0;
    for (const ubi__desk_job *job = UBI_CHECKS ? desk->jobs : NULL; job; job = job->next) {
        UBI_ASSERT(job->desk == desk && job->id > last_id && job->id <= desk->last_id);
        UBI_ASSERT(job->watchers || job->is_kept || (job->state == UBI__DESK_RUNNING && atomic_load(&job->must_stop)));
        UBI_ASSERT((job->sessions != NULL) == (job->n_sessions > 0) && (job->sessions || job->errand.perform));
        UBI_ASSERT(!job->use || (job->state == UBI__DESK_DONE && job->watchers));
        UBI_ASSERT(job->state != UBI__DESK_FAILED || job->status != UBI_OK);
        last_id = job->id;
    }
}

/* ---- jobs ----------------------------------------------------------------------------------------------------------- */

/* Once. */
static void sequel_release(ubi__desk_job *job) {
    if (job->sequel.release)
        job->sequel.release(job->sequel.payload);
    job->sequel = (ubi__desk_sequel){ NULL, NULL, NULL };
}

/* Without the lock, off the list. */
static void job_free(ubi__desk_job *job) {
    ubi_session_use_end(job->use);
    sequel_release(job);
    for (uint32_t i = 0; i < job->n_sessions; i++)
        ubi_session_unref(job->sessions[i]);
    ubi__free_array(memory(), job->sessions, job->n_sessions, sizeof *job->sessions);
    if (job->errand.release)
        job->errand.release(job->errand.payload);
    ubi__vec_u8_fini(&job->key, memory());
    ubi__vec_u8_fini(&job->written, memory());
    UBI_DELETE(memory(), job);
}

static void jobs_free(ubi__desk_job *jobs) {
    while (jobs) {
        ubi__desk_job *next = jobs->next;
        job_free(jobs);
        jobs = next;
    }
}

static ubi__desk_job *job_new(ubi__desk *desk, const char *title, bool is_kept) {
    ubi__desk_job *job = UBI_NEW(memory(), ubi__desk_job);
    if (!job)
        return NULL;
    job->desk = desk;
    job->title = title;
    job->is_kept = is_kept;
    job->asked_ns = ubi_process_clock_ns();
    atomic_init(&job->stage, "");
    return job;
}

/* ---- the list. With the lock. --------------------------------------------------------------------------------------- */

static ubi__desk_job *job_find(const ubi__desk *desk, uint64_t id) {
    ubi__desk_job *job = desk->jobs;
    while (job && job->id != id)
        job = job->next;
    return job;
}

/* Moves it to *gone. */
static void job_unlink(ubi__desk_job **gone, ubi__desk_job *job) {
    ubi__desk_job **place = &job->desk->jobs;
    while (*place != job)
        place = &(*place)->next;
    *place = job->next;
    job->next = *gone;
    *gone = job;
}

static void job_append(ubi__desk *desk, ubi__desk_job *job) {
    ubi__desk_job **end = &desk->jobs;
    while (*end)
        end = &(*end)->next;
    job->id = ++desk->last_id;
    *end = job;
}

static uint32_t jobs_count(const ubi__desk *desk, ubi__desk_state state) {
    uint32_t n = 0;
    for (const ubi__desk_job *job = desk->jobs; job; job = job->next)
        n += job->state == state;
    return n;
}

static void watchers_wake(const ubi__desk_job *job) {
    for (const ubi__desk_watcher *w = job->watchers; w; w = w->next)
        w->wake(w->payload);
}

static void watcher_add(ubi__desk_job *job, ubi__desk_watcher *watcher) {
    if (!watcher)
        return;
    watcher->next = job->watchers;
    job->watchers = watcher;
}

static void watcher_remove(ubi__desk_job *job, const ubi__desk_watcher *watcher) {
    ubi__desk_watcher **place = &job->watchers;
    while (*place != watcher)
        place = &(*place)->next;
    *place = watcher->next;
}

/* No one waits for it, or can ask about it. */
static void job_give_up(ubi__desk_job **gone, ubi__desk_job *job) {
    if (job->watchers || job->is_kept)
        return;
    if (job->state == UBI__DESK_RUNNING)
        atomic_store(&job->must_stop, true); /* its thread ends it */
    else
        job_unlink(gone, job);
}

/* The oldest that are kept make room. */
static void kept_trim(ubi__desk_job **gone, ubi__desk *desk) {
    uint32_t n = 0;
    for (const ubi__desk_job *job = desk->jobs; job; job = job->next)
        n += job->is_kept && ubi__desk_is_finished(job->state);
    for (ubi__desk_job *job = desk->jobs, *next; job && n > desk->most_kept; job = next) {
        next = job->next;
        if (!job->is_kept || !ubi__desk_is_finished(job->state))
            continue;
        job->is_kept = false;
        job_give_up(gone, job);
        n--;
    }
}

static void job_end(ubi__desk_job **gone, ubi__desk_job *job, ubi__desk_state state, ubi_status status) {
    job->state = state;
    job->status = status;
    atomic_store(&job->stage, "");
    watchers_wake(job);
    job_give_up(gone, job);
}

/* ---- performing ------------------------------------------------------------------------------------------------------ */

static bool job_progress(void *payload, const char *stage, uint64_t done, uint64_t total) {
    ubi__desk_job *job = payload;
    uint64_t now_ns = ubi_process_clock_ns();
    atomic_store_explicit(&job->stage, stage, memory_order_relaxed);
    atomic_store_explicit(&job->done, done, memory_order_relaxed);
    atomic_store_explicit(&job->total, total, memory_order_relaxed);
    if (now_ns - job->woken_ns >= WAKE_EVERY_NS) {
        job->woken_ns = now_ns;
        pthread_mutex_lock(&job->desk->lock);
        watchers_wake(job);
        pthread_mutex_unlock(&job->desk->lock);
    }
    return !atomic_load_explicit(&job->must_stop, memory_order_relaxed);
}

/* What was computed is the session's; the use holds it. */
static ubi_status question_perform(ubi_text *answer, ubi_session_use **use, ubi__desk_job *job,
                                   const ubi_progress *progress) {
    ubi_session_use_options options = UBI_SESSION_USE_OPTIONS_INIT;
    options.progress = *progress;
    UBI_TRY(ubi_session_use_begin(use, job->sessions[0], &options));
    UBI_TRY(ubi__answer_get(answer, *use, (const char *)job->key.at));
    if (job->sequel.begin)
        job->sequel.begin(job->sequel.payload);
    sequel_release(job);
    return UBI_OK;
}

static ubi_status errand_perform(ubi_text *answer, ubi__desk_job *job, const ubi_progress *progress) {
    UBI_TRY(job->errand.perform(&job->written, job->errand.payload, progress));
    *answer = (ubi_text){ job->written.at ? (const char *)job->written.at : "", job->written.n };
    return UBI_OK;
}

static ubi_status job_perform(ubi_text *answer, ubi_session_use **use, ubi__desk_job *job) {
    const ubi_progress progress = { job_progress, job };
    if (atomic_load(&job->must_stop))
        return ubi__fail_cancelled();
    return job->sessions ? question_perform(answer, use, job, &progress) : errand_perform(answer, job, &progress);
}

/* An answer that no one watches is left to the session. */
static void job_finish(ubi__desk_job *job, ubi_status status, ubi_text answer, ubi_session_use *use) {
    ubi__desk *desk = job->desk;
    ubi__desk_job *gone = NULL;
    pthread_mutex_lock(&desk->lock);
    if (status != UBI_OK)
        snprintf(job->message, sizeof job->message, "%s", ubi_error_message());
    if (status == UBI_OK && (job->watchers || !job->sessions)) {
        job->answer = answer;
        job->use = use;
        use = NULL;
    }
    job_end(&gone, job,
            status == UBI_OK           ? UBI__DESK_DONE
            : status == UBI_ECANCELLED ? UBI__DESK_CANCELLED
                                       : UBI__DESK_FAILED,
            status);
    kept_trim(&gone, desk);
    pthread_cond_broadcast(&desk->ended);
    ubi__desk_check(desk);
    pthread_mutex_unlock(&desk->lock);
    ubi_session_use_end(use);
    jobs_free(gone);
}

static ubi__desk_job *waiting_first(const ubi__desk *desk) {
    ubi__desk_job *job = desk->jobs;
    while (job && job->state != UBI__DESK_WAITING)
        job = job->next;
    return job;
}

static void *desk_thread(void *payload) {
    ubi__desk *desk = payload;
    pthread_mutex_lock(&desk->lock);
    while (!desk->is_closing) {
        ubi__desk_job *job = waiting_first(desk);
        if (!job) {
            pthread_cond_wait(&desk->given, &desk->lock);
            continue;
        }
        ubi_text answer = { NULL, 0 };
        ubi_session_use *use = NULL;
        job->state = UBI__DESK_RUNNING;
        watchers_wake(job);
        pthread_mutex_unlock(&desk->lock);
        ubi_status status = job_perform(&answer, &use, job);
        job_finish(job, status, answer, use);
        pthread_mutex_lock(&desk->lock);
    }
    pthread_mutex_unlock(&desk->lock);
    return NULL;
}

/* ---- handing in ------------------------------------------------------------------------------------------------------ */

/* With the lock. */
static ubi_status desk_accept(const ubi__desk *desk) {
    uint32_t n_waiting = jobs_count(desk, UBI__DESK_WAITING);
    if (desk->is_stopping)
        return ubi__fail(UBI_ESTATE, "no more is taken: this is being stopped");
    if (n_waiting >= desk->most_waiting)
        return ubi__fail(UBI_EBUSY, "%u requests wait already, and no more may", n_waiting);
    return UBI_OK;
}

/* With the lock: takes the job unless it fails. */
static ubi_status job_enter(ubi__desk *desk, ubi__desk_job *job, ubi__desk_watcher *watcher) {
    if (job->state == UBI__DESK_WAITING)
        UBI_TRY(desk_accept(desk));
    UBI_ASSERT(watcher || job->is_kept);
    job_append(desk, job);
    watcher_add(job, watcher);
    if (job->state == UBI__DESK_WAITING)
        pthread_cond_signal(&desk->given);
    return UBI_OK;
}

static bool is_on_its_way(const ubi__desk_job *job, const ubi__desk_job *other) {
    return !ubi__desk_is_finished(job->state) && !atomic_load(&job->must_stop) && job->sessions &&
           job->sessions[0] == other->sessions[0] &&
           strcmp((const char *)job->key.at, (const char *)other->key.at) == 0;
}

/* With the lock; NULL: there is none. */
static ubi__desk_job *job_join(ubi__desk *desk, const ubi__desk_job *new_job, ubi__desk_watcher *watcher) {
    ubi__desk_job *job = desk->jobs;
    while (job && !is_on_its_way(job, new_job))
        job = job->next;
    if (!job || desk->is_stopping)
        return NULL;
    job->is_kept |= new_job->is_kept;
    watcher_add(job, watcher);
    return job;
}

/* It is finished before it begins where the session has the answer. */
static ubi_status present_take(ubi__desk_job *job) {
    ubi_session_use *use;
    ubi_text answer;
    UBI_TRY(ubi_session_use_begin(&use, job->sessions[0], NULL));
    ubi_status status = ubi__answer_if_present(&answer, use, (const char *)job->key.at);
    if (status != UBI_OK || !answer.ptr) {
        ubi_session_use_end(use);
        return status;
    }
    job->state = UBI__DESK_DONE;
    job->answer = answer;
    job->use = use;
    return UBI_OK;
}

/* Takes the job, and what follows it unless it fails. */
static ubi_status question_hand_in(ubi__desk_job **out, uint64_t *id, ubi__desk_job *job, ubi__desk_watcher *watcher) {
    ubi__desk *desk = job->desk;
    ubi__desk_job *gone = NULL, *joined;
    ubi_status status = watcher ? present_take(job) : UBI_OK; /* what no one watches holds no answer */
    pthread_mutex_lock(&desk->lock);
    joined = status == UBI_OK && job->state == UBI__DESK_WAITING ? job_join(desk, job, watcher) : NULL;
    if (status == UBI_OK && !joined)
        status = job_enter(desk, job, watcher);
    if (status == UBI_OK) {
        *out = joined ? joined : job;
        *id = (*out)->id;
        kept_trim(&gone, desk);
    }
    ubi__desk_check(desk);
    pthread_mutex_unlock(&desk->lock);
    jobs_free(gone);
    if (status != UBI_OK)
        job->sequel = (ubi__desk_sequel){ NULL, NULL, NULL };
    if (status != UBI_OK || joined)
        job_free(job);
    return status;
}

static ubi_status sessions_ref(ubi__desk_job *job, ubi_session *const *sessions, uint32_t n) {
    job->sessions = ubi__calloc_array(memory(), n, sizeof *job->sessions);
    if (!job->sessions)
        return ubi__fail_nomem();
    job->n_sessions = n;
    for (uint32_t i = 0; i < n; i++)
        job->sessions[i] = ubi_session_ref(sessions[i]);
    return UBI_OK;
}

ubi_status ubi__desk_ask(ubi__desk_job **out, uint64_t *id, ubi__desk *desk, const ubi__desk_request *r,
                         ubi__desk_watcher *watcher) {
    UBI_TRY(ubi__answer_check(&r->terms, r->sessions, r->n));
    ubi__desk_job *job = job_new(desk, r->terms.question->usage->name, r->is_kept);
    if (!job)
        return ubi__fail_nomem();
    job->is_page = r->terms.is_page;
    ubi_status status = sessions_ref(job, r->sessions, r->n);
    if (status == UBI_OK)
        status = ubi__answer_key(&job->key, &r->terms, r->sessions, r->n);
    if (status == UBI_OK)
        job->sequel = r->sequel;
    if (status == UBI_OK)
        return question_hand_in(out, id, job, watcher);
    job_free(job);
    return status;
}

ubi_status ubi__desk_run(ubi__desk_job **out, uint64_t *id, ubi__desk *desk, const ubi__desk_errand *errand,
                         bool is_kept, ubi__desk_watcher *watcher) {
    ubi__desk_job *job = job_new(desk, errand->title, is_kept);
    if (!job)
        return ubi__fail_nomem();
    job->errand.perform = errand->perform;
    job->errand.payload = errand->payload;
    pthread_mutex_lock(&desk->lock);
    ubi_status status = job_enter(desk, job, watcher);
    if (status == UBI_OK) {
        job->errand.release = errand->release;
        *out = job;
        *id = job->id;
    }
    ubi__desk_check(desk);
    pthread_mutex_unlock(&desk->lock);
    if (status != UBI_OK)
        job_free(job);
    return status;
}

/* ---- watching -------------------------------------------------------------------------------------------------------- */

/* With the lock. */
static void report_fill(ubi__desk_report *out, const ubi__desk_job *job) {
    uint64_t done = atomic_load_explicit(&job->done, memory_order_relaxed);
    uint64_t total = atomic_load_explicit(&job->total, memory_order_relaxed);
    *out = (ubi__desk_report){ .id = job->id,
                               .state = job->state,
                               .is_kept = job->is_kept,
                               .is_errand = !job->sessions,
                               .is_page = job->is_page,
                               .title = job->title,
                               .stage = atomic_load_explicit(&job->stage, memory_order_relaxed),
                               .fraction = -1,
                               .age_us = (ubi_process_clock_ns() - job->asked_ns) / 1000,
                               .status = job->status };
    if (job->state == UBI__DESK_RUNNING && total)
        out->fraction = (double)(done < total ? done : total) / (double)total;
    memcpy(out->message, job->message, sizeof out->message);
}

void ubi__desk_look(ubi__desk_report *out, ubi__desk_job *job) {
    pthread_mutex_lock(&job->desk->lock);
    report_fill(out, job);
    out->answer = job->answer;
    pthread_mutex_unlock(&job->desk->lock);
}

static ubi_status fail_no_job(uint64_t id) {
    return ubi__fail(UBI_ENOTFOUND, "there is no job %llu", (unsigned long long)id);
}

ubi_status ubi__desk_watch(ubi__desk_job **out, ubi__desk *desk, uint64_t id, ubi__desk_watcher *watcher) {
    pthread_mutex_lock(&desk->lock);
    ubi__desk_job *job = job_find(desk, id);
    if (job)
        watcher_add(job, watcher);
    pthread_mutex_unlock(&desk->lock);
    if (!job)
        return fail_no_job(id);
    *out = job;
    return UBI_OK;
}

/* A job that asks the same again. */
static ubi_status job_repeat(ubi__desk_job **out, const ubi__desk_job *job, ubi__desk_watcher *watcher) {
    uint64_t id;
    ubi__desk_job *again = job_new(job->desk, job->title, false);
    if (!again)
        return ubi__fail_nomem();
    ubi_status status = sessions_ref(again, job->sessions, job->n_sessions);
    if (status == UBI_OK)
        status = ubi__vec_u8_reserve(&again->key, memory(), job->key.n);
    if (status != UBI_OK) {
        job_free(again);
        return status;
    }
    again->is_page = job->is_page;
    memcpy(again->key.at, job->key.at, job->key.n);
    again->key.n = job->key.n;
    return question_hand_in(out, &id, again, watcher);
}

static void wake_nothing(void *payload) {
    (void)payload;
}

ubi_status ubi__desk_answer(ubi__desk_job **out, ubi__desk *desk, uint64_t id, ubi__desk_watcher *watcher) {
    ubi__desk_watcher holder = { wake_nothing, NULL, NULL }; /* the job stays while it is asked again */
    ubi__desk_report report;
    ubi__desk_job *job = NULL; /* for gcc 12 */
    UBI_TRY(ubi__desk_watch(&job, desk, id, &holder));
    ubi__desk_look(&report, job);
    ubi_status status = report.state == UBI__DESK_DONE && !report.answer.ptr ? job_repeat(out, job, watcher)
                                                                             : ubi__desk_watch(out, desk, id, watcher);
    ubi__desk_leave(job, &holder);
    return status;
}

/* With the lock: what an unwatched job holds of its session. */
static ubi_session_use *use_take(ubi__desk_job *job) {
    ubi_session_use *use = job->watchers ? NULL : job->use;
    if (use) {
        job->use = NULL;
        job->answer = (ubi_text){ NULL, 0 };
    }
    return use;
}

void ubi__desk_leave(ubi__desk_job *job, ubi__desk_watcher *watcher) {
    ubi__desk *desk = job->desk;
    ubi__desk_job *gone = NULL;
    pthread_mutex_lock(&desk->lock);
    watcher_remove(job, watcher);
    ubi_session_use *use = use_take(job);
    job_give_up(&gone, job);
    ubi__desk_check(desk);
    pthread_mutex_unlock(&desk->lock);
    ubi_session_use_end(use);
    jobs_free(gone);
}

/* With the lock. */
static void job_cancel(ubi__desk_job **gone, ubi__desk_job *job) {
    if (job->state == UBI__DESK_RUNNING) {
        atomic_store(&job->must_stop, true);
    } else if (job->state == UBI__DESK_WAITING) {
        (void)ubi__fail_cancelled();
        snprintf(job->message, sizeof job->message, "%s", ubi_error_message());
        job_end(gone, job, UBI__DESK_CANCELLED, UBI_ECANCELLED);
    } else {
        job->is_kept = false;
        job_give_up(gone, job);
    }
}

ubi_status ubi__desk_cancel(ubi__desk *desk, uint64_t id) {
    ubi__desk_job *gone = NULL;
    pthread_mutex_lock(&desk->lock);
    ubi__desk_job *job = job_find(desk, id);
    if (job)
        job_cancel(&gone, job);
    kept_trim(&gone, desk);
    ubi__desk_check(desk);
    pthread_mutex_unlock(&desk->lock);
    jobs_free(gone);
    return job ? UBI_OK : fail_no_job(id);
}

bool ubi__desk_next(ubi__desk_report *out, ubi__desk *desk, uint64_t id) {
    pthread_mutex_lock(&desk->lock);
    const ubi__desk_job *job = desk->jobs;
    while (job && job->id <= id)
        job = job->next;
    if (job)
        report_fill(out, job);
    pthread_mutex_unlock(&desk->lock);
    return job != NULL;
}

static bool is_about(const ubi__desk_job *job, const ubi_session *session) {
    for (uint32_t i = 0; i < job->n_sessions; i++)
        if (job->sessions[i] == session)
            return true;
    return false;
}

void ubi__desk_forget(ubi__desk *desk, const ubi_session *session) {
    ubi__desk_job *gone = NULL;
    pthread_mutex_lock(&desk->lock);
    for (ubi__desk_job *job = desk->jobs, *next; job; job = next) {
        next = job->next;
        if (!is_about(job, session))
            continue;
        job->is_kept = false;
        job_give_up(&gone, job);
    }
    ubi__desk_check(desk);
    pthread_mutex_unlock(&desk->lock);
    jobs_free(gone);
}

/* ---- desks ----------------------------------------------------------------------------------------------------------- */

void ubi__desk_stop(ubi__desk *desk) {
    ubi__desk_job *gone = NULL;
    pthread_mutex_lock(&desk->lock);
    desk->is_stopping = true;
    for (ubi__desk_job *job = desk->jobs, *next; job; job = next) {
        next = job->next;
        job->is_kept = false;
        if (!ubi__desk_is_finished(job->state))
            job_cancel(&gone, job);
        else
            job_give_up(&gone, job);
    }
    ubi__desk_check(desk);
    while (jobs_count(desk, UBI__DESK_RUNNING) > 0)
        pthread_cond_wait(&desk->ended, &desk->lock);
    pthread_mutex_unlock(&desk->lock);
    jobs_free(gone);
}

static void threads_join(ubi__desk *desk) {
    pthread_mutex_lock(&desk->lock);
    desk->is_closing = true;
    pthread_cond_broadcast(&desk->given);
    pthread_mutex_unlock(&desk->lock);
    for (unsigned i = 0; i < desk->n_started; i++)
        pthread_join(desk->threads[i], NULL);
}

void ubi__desk_free(ubi__desk *desk) {
    if (!desk)
        return;
    ubi__desk_stop(desk);
    threads_join(desk);
    UBI_ASSERT(!desk->jobs);
    pthread_cond_destroy(&desk->ended);
    pthread_cond_destroy(&desk->given);
    pthread_mutex_destroy(&desk->lock);
    ubi__free_array(memory(), desk->threads, desk->n_threads, sizeof *desk->threads);
    UBI_DELETE(memory(), desk);
}

/* One is enough. */
static ubi_status threads_start(ubi__desk *desk) {
    int error = 0;
    if (!desk->threads)
        return ubi__fail_nomem();
    while (desk->n_started < desk->n_threads &&
           (error = pthread_create(&desk->threads[desk->n_started], NULL, desk_thread, desk)) == 0)
        desk->n_started++;
    return desk->n_started ? UBI_OK : ubi__fail_errno(error, "cannot start a thread for requests");
}

ubi_status ubi__desk_new(ubi__desk **out, const ubi__desk_options *options) {
    static const ubi__desk_options standard = { 0 };
    const ubi__desk_options *o = options ? options : &standard;
    ubi__desk *desk = UBI_NEW(memory(), ubi__desk);
    if (!desk)
        return ubi__fail_nomem();
    desk->most_waiting = o->most_waiting ? o->most_waiting : UBI__DESK_MOST_WAITING;
    desk->most_kept = o->most_kept ? o->most_kept : UBI__DESK_MOST_KEPT;
    desk->n_threads = o->threads ? o->threads : ubi__thread_count(0) + 2;
    desk->threads = ubi__calloc_array(memory(), desk->n_threads, sizeof *desk->threads);
    pthread_mutex_init(&desk->lock, NULL);
    pthread_cond_init(&desk->given, NULL);
    pthread_cond_init(&desk->ended, NULL);
    ubi_status status = threads_start(desk);
    if (status == UBI_OK)
        *out = desk;
    else
        ubi__desk_free(desk);
    return status;
}
