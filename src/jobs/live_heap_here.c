/* SPDX-License-Identifier: MIT
 *
 * live_heap_here.c: live heaps of targets in this process. What is asked becomes a visit (visits.h), and the thread that asks waits for it.
 */
#include <stdio.h>

#include <ubiheap/server/memory_bridge.h>

#include "base/status.h"
#include "jobs/live_heap_inside.h"
#include "jobs/visits.h"

typedef struct here_heap {
    ubi__live_heap base;
    ubi__live_target *live;
    ubi_target target; /* good until the end */
    const ubi_target_scope *scope;
    /* The target's thread's: */
    ubi_memory_bridge *bridge; /* what records; NULL: nothing does */
    pthread_t thread;          /* that made it */
    /* With the lock: */
    pthread_mutex_t lock;
    ubi__live_recording recording;
} here_heap;

typedef enum request_state { REQUEST_WAITS, REQUEST_RUNS, REQUEST_ENDED } request_state;

/* What a visit does. */
typedef struct here_request {
    here_heap *heap;
    const char *stage;
    const char *pause; /* what the program waits for is called on its timeline */
    ubi_status (*perform)(struct here_request *r, ubi_target target);
    const char *path;
    ubi_measure_fn measure;
    void *payload;
    const ubi__live_recording *wanted;
    _Atomic bool must_stop;
    /* With the requests' lock: */
    request_state state;
    ubi_status status;
    char message[512];
} here_request;

/* A request may be gone as soon as it has ended: what it is waited for with is not in it. */
static pthread_mutex_t requests_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t requests_changed = PTHREAD_COND_INITIALIZER;

static here_heap *here_of(ubi__live_heap *heap) {
    return (here_heap *)heap;
}

/* ---- requests ------------------------------------------------------------------------------------------------------- */

static void request_set_state(here_request *r, request_state state) {
    pthread_mutex_lock(&requests_lock);
    r->state = state;
    pthread_cond_broadcast(&requests_changed);
    pthread_mutex_unlock(&requests_lock);
}

/* At the safe point, on the target's thread. */
static void request_visit(void *payload, const ubi_target *target) {
    here_request *r = payload;
    request_set_state(r, REQUEST_RUNS);
    r->status =
        target ? r->perform(r, *target) : ubi__fail(UBI_ESTATE, "the live heap %.120s is gone", r->heap->base.name);
    if (r->status != UBI_OK)
        snprintf(r->message, sizeof r->message, "%s", ubi_error_message());
    request_set_state(r, REQUEST_ENDED);
}

/* With the requests' lock. One that is not wanted any more is waited for only if it runs already. */
static ubi_status request_await(here_request *r, const ubi_progress *progress) {
    while (r->state != REQUEST_ENDED) {
        ubi__live_heap_doze(&requests_changed, &requests_lock);
        const char *stage = r->state == REQUEST_WAITS ? "waiting for a safe point" : r->stage;
        pthread_mutex_unlock(&requests_lock);
        if (!atomic_load(&r->must_stop) && !ubi__progress(progress, stage, 0, 0))
            atomic_store(&r->must_stop, true);
        bool is_withdrawn = atomic_load(&r->must_stop) && ubi__live_visit_withdraw(r->heap->live, request_visit, r);
        pthread_mutex_lock(&requests_lock);
        if (is_withdrawn)
            return ubi__fail_cancelled();
    }
    return r->status == UBI_OK ? UBI_OK : ubi__fail(r->status, "%s", r->message);
}

static ubi_status request_make(here_request *r, const ubi_progress *progress) {
    UBI_TRY(ubi__live_visit_named(r->heap->live, r->pause, request_visit, r));
    pthread_mutex_lock(&requests_lock);
    ubi_status status = request_await(r, progress);
    pthread_mutex_unlock(&requests_lock);
    return status;
}

/* ---- what is asked, on the target's thread -------------------------------------------------------------------------- */

static bool save_progress(void *payload, const char *stage, uint64_t done, uint64_t total) {
    (void)stage, (void)done, (void)total;
    return !atomic_load(&((here_request *)payload)->must_stop);
}

static ubi_status save_perform(here_request *r, ubi_target target) {
    ubi_save_options options = UBI_SAVE_OPTIONS_INIT;
    options.progress = (ubi_progress){ save_progress, r };
    return ubi_target_save(target, r->heap->scope, r->path, &options, NULL);
}

static ubi_status collect_perform(here_request *r, ubi_target target) {
    (void)r;
    UBI_TRY(ubi_target_collect_garbage(target));
    return ubi_target_can(target, UBI_TARGET_COLLECT_CYCLES) ? ubi_target_collect_cycles(target) : UBI_OK;
}

static ubi_status measure_perform(here_request *r, ubi_target target) {
    return ubi_target_measure(target, r->measure, r->payload);
}

static ubi_status recording_start(ubi_memory_bridge *bridge, const ubi__live_recording *wanted) {
    ubi_memory_recording_options options = UBI_MEMORY_RECORDING_OPTIONS_INIT;
    options.has_probability = options.has_max_log_length = true;
    options.probability = wanted->probability;
    options.max_log_length = (int32_t)wanted->log_limit;
    UBI_TRY(ubi_memory_bridge_attach(bridge));
    return ubi_memory_bridge_start_recording(bridge, &options, NULL);
}

static void here_note(here_heap *heap, const ubi__live_recording *recording) {
    pthread_mutex_lock(&heap->lock);
    heap->recording = *recording;
    pthread_mutex_unlock(&heap->lock);
}

/* A bridge that records ends it when it goes. */
static ubi_status record_perform(here_request *r, ubi_target target) {
    here_heap *heap = r->heap;
    ubi_memory_bridge_options options = UBI_MEMORY_BRIDGE_OPTIONS_INIT;
    ubi__live_recording now = *r->wanted;
    options.scope = heap->scope;
    ubi_memory_bridge_free(heap->bridge);
    heap->bridge = NULL;
    heap->thread = pthread_self();
    ubi_status status = now.is_on ? ubi_memory_bridge_new(&heap->bridge, target, &options) : UBI_OK;
    if (status == UBI_OK && now.is_on)
        status = recording_start(heap->bridge, &now);
    if (status != UBI_OK) {
        ubi_memory_bridge_free(heap->bridge);
        heap->bridge = NULL;
        now.is_on = false;
    }
    here_note(heap, &now);
    return status;
}

/* ---- operations ----------------------------------------------------------------------------------------------------- */

static ubi_status here_save(ubi__live_heap *heap, const char *path, const ubi_progress *progress) {
    here_request r = {
        .heap = here_of(heap), .stage = "saving", .pause = "http.save", .perform = save_perform, .path = path
    };
    return request_make(&r, progress);
}

static ubi_status here_collect(ubi__live_heap *heap, const ubi_progress *progress) {
    here_request r = {
        .heap = here_of(heap), .stage = "collecting garbage", .pause = "http.collect", .perform = collect_perform
    };
    return request_make(&r, progress);
}

static ubi_status here_measure(ubi__live_heap *heap, ubi_measure_fn fn, void *payload, const ubi_progress *progress) {
    here_request r = {
        .heap = here_of(heap), .stage = "measuring", .pause = "http.measure", .perform = measure_perform
    };
    r.measure = fn;
    r.payload = payload;
    return request_make(&r, progress);
}

static ubi_status here_record(ubi__live_heap *heap, const ubi__live_recording *wanted, const ubi_progress *progress) {
    here_request r = {
        .heap = here_of(heap), .stage = "changing the recording", .pause = "http.record", .perform = record_perform
    };
    r.wanted = wanted;
    return request_make(&r, progress);
}

static void here_state(ubi__live_state *out, ubi__live_heap *base) {
    here_heap *heap = here_of(base);
    uint32_t can = ubi__live_target_capabilities(heap->live);
    *out = (ubi__live_state){ .link = UBI__LIVE_HERE,
                              .can_collect = can & UBI_TARGET_COLLECT_GARBAGE,
                              .can_measure = can & UBI_TARGET_MEASURE,
                              .can_record = can & UBI_TARGET_OBSERVE };
    pthread_mutex_lock(&heap->lock);
    out->recording = heap->recording;
    pthread_mutex_unlock(&heap->lock);
}

static const char *here_kind(const ubi__live_heap *heap) {
    return ubi__live_target_kind(((const here_heap *)heap)->live);
}

static bool here_is(const ubi__live_heap *heap, ubi_target target) {
    return ubi__live_target_is(((const here_heap *)heap)->live, target);
}

static void bridge_leave(void *bridge) {
    ubi_memory_bridge_free(bridge);
}

/* No visit comes any more. What records is of the target's thread, which may have more to do before the target goes. */
static void here_end(ubi__live_heap *base) {
    here_heap *heap = here_of(base);
    ubi__live_end(heap->live);
    ubi_memory_bridge *bridge = heap->bridge;
    heap->bridge = NULL;
    if (bridge && pthread_equal(heap->thread, pthread_self()))
        ubi_memory_bridge_free(bridge);
    else if (bridge)
        (void)ubi_target_run_at_safe_point(heap->target, bridge_leave, bridge);
}

static void here_free(ubi__live_heap *base) {
    here_heap *heap = here_of(base);
    ubi__live_target_unref(heap->live);
    pthread_mutex_destroy(&heap->lock);
    UBI_DELETE(ubi_allocator_default(), heap);
}

static const ubi__live_heap_ops here_ops = {
    .kind = here_kind,
    .is = here_is,
    .state = here_state,
    .save = here_save,
    .collect = here_collect,
    .measure = here_measure,
    .record = here_record,
    .end = here_end,
    .free = here_free,
};

ubi_status ubi__live_heap_of_target(ubi__live_heap **out, ubi_target target, const ubi__live_offer *offer) {
    here_heap *heap = UBI_NEW(ubi_allocator_default(), here_heap);
    if (!heap)
        return ubi__fail_nomem();
    ubi_status status = ubi__live_target_new(&heap->live, target, offer->wake, offer->payload);
    if (status != UBI_OK) {
        UBI_DELETE(ubi_allocator_default(), heap);
        return status;
    }
    ubi__live_heap_init(&heap->base, &here_ops, offer->name && *offer->name ? offer->name : target.ops->kind);
    heap->target = target;
    heap->scope = offer->scope;
    heap->recording = (ubi__live_recording){ false, 1, UBI__LIVE_LOG_LIMIT };
    pthread_mutex_init(&heap->lock, NULL);
    *out = &heap->base;
    return UBI_OK;
}
