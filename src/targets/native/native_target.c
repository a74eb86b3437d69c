/* SPDX-License-Identifier: MIT
 *
 * native_target.c: see native_target.h.
 */
#include "targets/native/native_target.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/assert.h"
#include "base/memory_rollup.h"
#include "base/text.h"
#include "targets/native/native_log.h"
#include "targets/native/native_profiler.h"

/* What is to be done on the thread. */
typedef struct errand {
    struct errand *next;
    ubi_safe_point_fn fn;
    void *payload;
} errand;

struct ubi__native_targets {
    const ubi_allocator *allocator;
    pthread_t thread;
    pthread_mutex_t lock; /* guards: */
    pthread_cond_t changed;
    errand *first, **end;
    bool must_stop;
    ubi__recording_namer *namer;
};

struct ubi__native_target {
    ubi__native_targets *targets;
    int process;             /* its folder in /proc */
    ubi__native_share share; /* of its profilers and observers */
    ubi__native_log *log;    /* NULL: no one has observed it */
    void (*leave)(void *payload, ubi_target target);
    void *leave_payload;
    errand farewell; /* so that its end needs no memory */
};

/* ---- the thread --------------------------------------------------------------------------------------------------------- */

/* NULL: it is over. */
static errand *targets_wait(ubi__native_targets *t) {
    pthread_mutex_lock(&t->lock);
    while (!t->first && !t->must_stop)
        pthread_cond_wait(&t->changed, &t->lock);
    errand *e = t->first;
    if (e && !(t->first = e->next))
        t->end = &t->first;
    pthread_mutex_unlock(&t->lock);
    return e;
}

static void target_farewell(void *payload);

static void *targets_run(void *payload) {
    ubi__native_targets *t = payload;
    for (errand *e = targets_wait(t); e; e = targets_wait(t)) {
        bool is_own = e->fn != target_farewell; /* else it is part of the target, which goes */
        e->fn(e->payload);
        if (is_own)
            UBI_DELETE(t->allocator, e);
    }
    return NULL;
}

static void targets_append(ubi__native_targets *t, errand *e) {
    pthread_mutex_lock(&t->lock);
    e->next = NULL;
    *t->end = e;
    t->end = &e->next;
    pthread_cond_signal(&t->changed);
    pthread_mutex_unlock(&t->lock);
}

static void targets_free(ubi__native_targets *t) {
    pthread_mutex_destroy(&t->lock);
    pthread_cond_destroy(&t->changed);
    UBI_DELETE(t->allocator, t);
}

/* Signals are the recorder's. */
ubi_status ubi__native_targets_start(ubi__native_targets **out, const ubi_allocator *allocator) {
    const ubi_allocator *a = ubi__allocator_or_default(allocator);
    sigset_t all, before;
    ubi__native_targets *t = UBI_NEW(a, ubi__native_targets);
    if (!t)
        return ubi__fail_nomem();
    t->allocator = a;
    t->end = &t->first;
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->changed, NULL);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int failed = pthread_create(&t->thread, NULL, targets_run, t);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (failed) {
        targets_free(t);
        return ubi__fail_errno(failed, "cannot start a thread");
    }
    *out = t;
    return UBI_OK;
}

void ubi__native_targets_set_namer(ubi__native_targets *t, ubi__recording_namer *namer) {
    t->namer = namer;
}

void ubi__native_targets_stop(ubi__native_targets *t) {
    if (!t)
        return;
    pthread_mutex_lock(&t->lock);
    t->must_stop = true;
    pthread_cond_signal(&t->changed);
    pthread_mutex_unlock(&t->lock);
    pthread_join(t->thread, NULL);
    UBI_ASSERT(!t->first);
    targets_free(t);
}

/* ---- operations --------------------------------------------------------------------------------------------------------- */

static void row_give(ubi_measure_fn fn, void *fn_payload, const char *name, uint64_t bytes) {
    const ubi_measure_row row = { ubi__text(name), bytes, true };
    fn(fn_payload, &row);
}

static ubi_status native_measure(void *payload, ubi_measure_fn fn, void *fn_payload) {
    const ubi__native_target *target = payload;
    ubi__memory_rollup memory;
    UBI_TRY(ubi__memory_rollup_read(&memory, target->process));
    row_give(fn, fn_payload, "unattributedSize", memory.anonymous_bytes);
    row_give(fn, fn_payload, "residentSize", memory.resident_bytes);
    row_give(fn, fn_payload, "residentUniqueSize", memory.unique_bytes);
    return UBI_OK;
}

static ubi_status native_run_at_safe_point(void *payload, ubi_safe_point_fn fn, void *fn_payload) {
    const ubi__native_target *target = payload;
    errand *e = UBI_NEW(target->targets->allocator, errand);
    if (!e)
        return ubi__fail_nomem();
    *e = (errand){ NULL, fn, fn_payload };
    targets_append(target->targets, e);
    return UBI_OK;
}

static ubi_status native_open_profiler(void *payload, const ubi_target_scope *scope, ubi_target_profiler *out) {
    ubi__native_target *target = payload;
    return ubi__native_profiler_open(out, &target->share, scope);
}

static ubi_status native_observe(void *payload, const ubi_target_scope *scope, ubi_target_observer *out) {
    ubi__native_target *target = payload;
    if (!target->log)
        UBI_TRY(ubi__native_log_new(&target->log, &target->share));
    return ubi__native_log_observe(out, target->log, scope);
}

static const ubi_target_ops native_ops = { .version = UBI_TARGET_OPS_VERSION,
                                           .kind = "native",
                                           .capabilities = UBI_TARGET_SAFE_POINT | UBI_TARGET_MEASURE |
                                                           UBI_TARGET_OBSERVE | UBI_TARGET_PROFILE,
                                           .observe = native_observe,
                                           .open_profiler = native_open_profiler,
                                           .measure = native_measure,
                                           .run_at_safe_point = native_run_at_safe_point };

/* ---- targets ------------------------------------------------------------------------------------------------------------ */

ubi_status ubi__native_target_new(ubi__native_target **out, ubi__native_targets *targets, pid_t pid) {
    char path[64];
    ubi__native_target *target = UBI_NEW(targets->allocator, ubi__native_target);
    if (!target)
        return ubi__fail_nomem();
    snprintf(path, sizeof path, "/proc/%ld", (long)pid);
    target->targets = targets;
    target->share = (ubi__native_share){ .pid = pid, .allocator = targets->allocator, .namer = targets->namer };
    target->process = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (target->process < 0) {
        int error = errno;
        UBI_DELETE(targets->allocator, target);
        return ubi__fail_errno(error, "%s", path);
    }
    *out = target;
    return UBI_OK;
}

ubi_target ubi__native_target_of(ubi__native_target *target) {
    return (ubi_target){ &native_ops, target };
}

static void target_farewell(void *payload) {
    ubi__native_target *target = payload;
    if (target->leave)
        target->leave(target->leave_payload, ubi__native_target_of(target));
    ubi__native_log_free(target->log);
    close(target->process);
    UBI_DELETE(target->targets->allocator, target);
}

void ubi__native_target_end(ubi__native_target *target, void (*leave)(void *payload, ubi_target target),
                            void *payload) {
    target->leave = leave;
    target->leave_payload = payload;
    target->farewell = (errand){ NULL, target_farewell, target };
    targets_append(target->targets, &target->farewell);
}
