/* SPDX-License-Identifier: MIT
 *
 * native_look.c: see native_look.h.
 */
#include "targets/native/native_look.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/status.h"
#include "targets/native/memory_use.h"
#include "targets/native/native_clock.h"

/* What is recorded goes before this. */
#define NICENESS 10

typedef enum look_state { IDLE, ASKED, AT_WORK, FOUND } look_state;

struct ubi__native_look {
    ubi__native_looks *looks;
    ubi__native_look *next; /* in the queue */
    look_state state;
    bool is_freed; /* by its owner, while the thread was at it */
    int process;   /* a folder /proc/PID, which stays that process's */
    uint64_t at_ns, took_ns;
    ubi__residence found; /* FOUND */
};

static void look_delete(ubi__native_look *look) {
    const ubi_allocator *a = look->looks->allocator;
    if (look->state == FOUND)
        ubi__residence_fini(&look->found);
    close(look->process);
    UBI_DELETE(a, look);
}

ubi__native_look *ubi__native_look_new(ubi__native_looks *looks, pid_t pid) {
    char path[64];
    ubi__native_look *look = UBI_NEW(looks->allocator, ubi__native_look);
    if (!look)
        return NULL;
    snprintf(path, sizeof path, "/proc/%ld", (long)pid);
    look->looks = looks;
    look->process = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (look->process >= 0)
        return look;
    UBI_DELETE(looks->allocator, look);
    return NULL;
}

/* With the lock. */
static void queue_remove(ubi__native_looks *looks, const ubi__native_look *look) {
    ubi__native_look **at = &looks->first;
    while (*at && *at != look)
        at = &(*at)->next;
    if (!*at)
        return;
    *at = look->next;
    if (!*at)
        looks->last = at;
}

void ubi__native_look_free(ubi__native_look *look) {
    if (!look)
        return;
    ubi__native_looks *looks = look->looks;
    pthread_mutex_lock(&looks->lock);
    if (look->state == ASKED)
        queue_remove(looks, look);
    look->is_freed = true;
    bool is_at_work = look->state == AT_WORK;
    pthread_mutex_unlock(&looks->lock);
    if (!is_at_work)
        look_delete(look);
}

void ubi__native_look_ask(ubi__native_look *look) {
    ubi__native_looks *looks = look->looks;
    pthread_mutex_lock(&looks->lock);
    if (look->state == IDLE) {
        look->state = ASKED;
        look->next = NULL;
        *looks->last = look;
        looks->last = &look->next;
        pthread_cond_signal(&looks->changed);
    }
    pthread_mutex_unlock(&looks->lock);
}

bool ubi__native_look_take(ubi__native_look *look, ubi__residence *out, uint64_t *at_ns, uint64_t *took_ns) {
    ubi__native_looks *looks = look->looks;
    pthread_mutex_lock(&looks->lock);
    bool has_found = look->state == FOUND;
    if (has_found) {
        *out = look->found;
        *at_ns = look->at_ns;
        *took_ns = look->took_ns;
        look->state = IDLE;
    }
    pthread_mutex_unlock(&looks->lock);
    return has_found;
}

/* ---- the thread --------------------------------------------------------------------------------------------------- */

/* Of this thread. */
static uint64_t processor_ns(void) {
    struct timespec now = { 0 };
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

/* A process that has ended has nothing to be seen. */
static void look_perform(ubi__native_looks *looks, ubi__native_look *look) {
    ubi__residence found;
    uint64_t at_ns = ubi__native_now_ns(), before_ns = processor_ns();
    ubi_status status = ubi__memory_use_read(&found, look->process, looks->allocator);
    uint64_t took_ns = processor_ns() - before_ns;
    bool has_found = status == UBI_OK && found.rows.n > 0;
    if (!has_found)
        ubi__residence_fini(&found);
    pthread_mutex_lock(&looks->lock);
    look->state = has_found ? FOUND : IDLE;
    look->at_ns = at_ns;
    look->took_ns = took_ns;
    if (has_found)
        look->found = found;
    bool is_freed = look->is_freed;
    pthread_mutex_unlock(&looks->lock);
    if (is_freed)
        look_delete(look);
}

static void *looks_run(void *payload) {
    ubi__native_looks *looks = payload;
    (void)setpriority(PRIO_PROCESS, (id_t)gettid(), NICENESS);
    pthread_mutex_lock(&looks->lock);
    while (!looks->is_over) {
        ubi__native_look *look = looks->first;
        if (!look) {
            pthread_cond_wait(&looks->changed, &looks->lock);
            continue;
        }
        queue_remove(looks, look);
        look->state = AT_WORK;
        pthread_mutex_unlock(&looks->lock);
        look_perform(looks, look);
        pthread_mutex_lock(&looks->lock);
    }
    pthread_mutex_unlock(&looks->lock);
    return NULL;
}

/* Signals are for the thread that waits for them. */
ubi_status ubi__native_looks_start(ubi__native_looks *looks, const ubi_allocator *allocator) {
    sigset_t all, before;
    *looks = (ubi__native_looks){ .allocator = allocator,
                                  .lock = PTHREAD_MUTEX_INITIALIZER,
                                  .changed = PTHREAD_COND_INITIALIZER };
    looks->last = &looks->first;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    int error = pthread_create(&looks->thread, NULL, looks_run, looks);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error ? ubi__fail_errno(error, "cannot start a thread") : UBI_OK;
}

void ubi__native_looks_stop(ubi__native_looks *looks) {
    pthread_mutex_lock(&looks->lock);
    looks->is_over = true;
    pthread_cond_signal(&looks->changed);
    pthread_mutex_unlock(&looks->lock);
    pthread_join(looks->thread, NULL);
}
