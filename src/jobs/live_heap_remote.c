/* SPDX-License-Identifier: MIT
 *
 * live_heap_remote.c: live heaps behind an address.
 *
 * One request has the connection at a time, and its thread does what is to be done. A connection is made when it is needed, stays as long as
 * all goes well, and is closed by any failure: what comes next begins again. One that broke while it was not used is made again at once.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "base/json_reader.h"
#include "base/status.h"
#include "base/text.h"
#include "jobs/live_heap_inside.h"

typedef struct remote_heap {
    ubi__live_heap base;
    ubi__remote_address address;
    const ubi__remote_ops *ops;
    ubi_progress relay; /* of the connection */
    _Atomic bool is_ended;
    pthread_mutex_t lock; /* guards: */
    pthread_cond_t changed;
    bool is_busy;
    ubi__live_state state;
    /* Of the request that made it busy: */
    ubi__remote *remote; /* NULL: there is no connection */
    const ubi_progress *progress;
} remote_heap;

/* What is done with a connection. */
typedef struct remote_request {
    ubi_status (*perform)(struct remote_request *r, remote_heap *heap);
    const char *path;
    int fd;
    ubi_status file_status; /* of the file on this side */
    char file_message[256];
    ubi_measure_fn measure;
    void *payload;
    const ubi__live_recording *wanted;
} remote_request;

static remote_heap *remote_of(ubi__live_heap *heap) {
    return (remote_heap *)heap;
}

static bool relay_report(void *payload, const char *stage, uint64_t done, uint64_t total) {
    const remote_heap *heap = payload;
    return !atomic_load(&heap->is_ended) && ubi__progress(heap->progress, stage, done, total);
}

static ubi_status fail_gone(const remote_heap *heap) {
    return ubi__fail(UBI_ESTATE, "the live heap %s is gone", heap->base.name);
}

/* ---- one request at a time ------------------------------------------------------------------------------------------ */

static ubi_status remote_seize(remote_heap *heap, const ubi_progress *progress) {
    bool is_wanted = true;
    pthread_mutex_lock(&heap->lock);
    while (heap->is_busy && is_wanted) {
        ubi__live_heap_doze(&heap->changed, &heap->lock);
        pthread_mutex_unlock(&heap->lock);
        is_wanted = ubi__progress(progress, "waiting for another request", 0, 0);
        pthread_mutex_lock(&heap->lock);
    }
    bool is_mine = !heap->is_busy;
    heap->is_busy = true;
    pthread_mutex_unlock(&heap->lock);
    if (!is_mine)
        return ubi__fail_cancelled();
    heap->progress = progress;
    return UBI_OK;
}

/* What is said about it from now on. */
static void remote_release(remote_heap *heap, const ubi__live_state *state) {
    heap->progress = NULL;
    pthread_mutex_lock(&heap->lock);
    heap->state = *state;
    heap->is_busy = false;
    pthread_cond_broadcast(&heap->changed);
    pthread_mutex_unlock(&heap->lock);
}

/* ---- connections ---------------------------------------------------------------------------------------------------- */

static void remote_disconnect(remote_heap *heap) {
    if (heap->remote)
        heap->ops->close(heap->remote);
    heap->remote = NULL;
}

static ubi_status remote_connect(remote_heap *heap) {
    if (heap->remote)
        return UBI_OK;
    UBI_TRY(heap->ops->open(&heap->remote, &heap->address, &heap->relay, NULL));
    return heap->ops->attach(heap->remote);
}

static ubi_status request_try(remote_request *r, remote_heap *heap) {
    if (atomic_load(&heap->is_ended))
        return fail_gone(heap);
    ubi_status status = remote_connect(heap);
    if (status == UBI_OK)
        status = r->perform(r, heap);
    if (status != UBI_OK)
        remote_disconnect(heap);
    return r->file_status == UBI_OK ? status : ubi__fail(r->file_status, "%s", r->file_message);
}

/* The words of the error stay the thread's. */
static void state_fill(ubi__live_state *state, const remote_heap *heap, const remote_request *r, ubi_status status) {
    bool is_lost = status == UBI_EIO || status == UBI_EFORMAT || status == UBI_ELIMIT;
    bool is_of_file = r->file_status != UBI_OK;
    state->link = heap->remote ? UBI__LIVE_CONNECTED : is_lost && !is_of_file ? UBI__LIVE_LOST : UBI__LIVE_IDLE;
    if (!heap->remote)
        state->recording.is_on = false;
    else if (r->wanted && status == UBI_OK)
        state->recording = *r->wanted;
    state->fault[0] = '\0';
    if (status != UBI_OK && status != UBI_ECANCELLED)
        snprintf(state->fault, sizeof state->fault, "%s", ubi_error_message());
}

static ubi_status remote_perform(remote_heap *heap, remote_request *r, const ubi_progress *progress) {
    UBI_TRY(remote_seize(heap, progress));
    ubi__live_state state = heap->state;
    bool was_connected = heap->remote != NULL;
    ubi_status status = request_try(r, heap);
    if (status == UBI_EIO && was_connected && r->file_status == UBI_OK) {
        state.recording.is_on = false; /* it was of the connection that broke */
        status = request_try(r, heap);
    }
    state_fill(&state, heap, r, status);
    remote_release(heap, &state);
    return status;
}

/* ---- snapshots ------------------------------------------------------------------------------------------------------ */

static bool file_write(void *payload, const void *data, size_t n) {
    remote_request *r = payload;
    r->file_status = ubi__write_fully(r->fd, data, n);
    if (r->file_status != UBI_OK)
        snprintf(r->file_message, sizeof r->file_message, "%s", ubi_error_message());
    return r->file_status == UBI_OK;
}

/* Nothing is left of an attempt before. */
static ubi_status save_perform(remote_request *r, remote_heap *heap) {
    if (ftruncate(r->fd, 0) != 0 || lseek(r->fd, 0, SEEK_SET) != 0)
        return ubi__fail_errno(errno, "cannot write the snapshot");
    return heap->ops->snapshot(heap->remote, file_write, r, NULL);
}

static ubi_status remote_save(ubi__live_heap *heap, const char *path, const ubi_progress *progress) {
    remote_request r = { .perform = save_perform, .path = path };
    r.fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (r.fd < 0)
        return ubi__fail_errno(errno, "cannot write the snapshot");
    ubi_status status = remote_perform(remote_of(heap), &r, progress);
    close(r.fd);
    if (status != UBI_OK)
        (void)unlink(path);
    return status;
}

/* ---- what else is asked --------------------------------------------------------------------------------------------- */

static ubi_status collect_perform(remote_request *r, remote_heap *heap) {
    (void)r;
    return heap->ops->collect(heap->remote);
}

static ubi_status remote_collect(ubi__live_heap *heap, const ubi_progress *progress) {
    remote_request r = { .perform = collect_perform };
    return remote_perform(remote_of(heap), &r, progress);
}

/* Numbers are sizes, except counts. Times are texts, and passed over. */
static ubi_status measure_take(void *payload, ubi_text json) {
    const remote_request *r = payload;
    ubi__json_cursor c;
    ubi__json_value key, value;
    ubi__json_cursor_open(&c, json, UBI__JSON_OBJECT);
    while (ubi__json_cursor_next_member(&c, &key, &value)) {
        ubi_measure_row row = { .name = key.raw, .is_bytes = !ubi__text_ends(key.raw, "Count") };
        if (!key.has_escapes && value.type == UBI__JSON_NUMBER && ubi__json_value_u64(&row.value, &value))
            r->measure(r->payload, &row);
    }
    return UBI_OK;
}

static ubi_status measure_perform(remote_request *r, remote_heap *heap) {
    return heap->ops->measure(heap->remote, measure_take, r);
}

static ubi_status remote_measure(ubi__live_heap *heap, ubi_measure_fn fn, void *payload, const ubi_progress *progress) {
    remote_request r = { .perform = measure_perform, .measure = fn, .payload = payload };
    return remote_perform(remote_of(heap), &r, progress);
}

/* While it records, a start would change nothing. */
static ubi_status record_perform(remote_request *r, remote_heap *heap) {
    const ubi__remote_recording options = { r->wanted->probability, r->wanted->log_limit };
    double start_ms;
    UBI_TRY(heap->ops->record_stop(heap->remote));
    return r->wanted->is_on ? heap->ops->record_start(heap->remote, &options, &start_ms) : UBI_OK;
}

static ubi_status remote_record(ubi__live_heap *heap, const ubi__live_recording *wanted, const ubi_progress *progress) {
    remote_request r = { .perform = record_perform, .wanted = wanted };
    return remote_perform(remote_of(heap), &r, progress);
}

static void remote_state(ubi__live_state *out, ubi__live_heap *base) {
    remote_heap *heap = remote_of(base);
    pthread_mutex_lock(&heap->lock);
    *out = heap->state;
    pthread_mutex_unlock(&heap->lock);
}

static const char *remote_kind(const ubi__live_heap *heap) {
    return ((const remote_heap *)heap)->address.scheme->name;
}

static bool remote_is(const ubi__live_heap *heap, ubi_target target) {
    (void)heap, (void)target;
    return false;
}

/* ---- life ----------------------------------------------------------------------------------------------------------- */

/* What runs sees it at its next report. */
static void remote_end(ubi__live_heap *heap) {
    atomic_store(&remote_of(heap)->is_ended, true);
}

static void remote_free(ubi__live_heap *base) {
    remote_heap *heap = remote_of(base);
    remote_disconnect(heap);
    pthread_mutex_destroy(&heap->lock);
    pthread_cond_destroy(&heap->changed);
    UBI_DELETE(ubi_allocator_default(), heap);
}

static const ubi__live_heap_ops remote_ops = {
    .kind = remote_kind,
    .is = remote_is,
    .state = remote_state,
    .save = remote_save,
    .collect = remote_collect,
    .measure = remote_measure,
    .record = remote_record,
    .end = remote_end,
    .free = remote_free,
};

ubi_status ubi__live_heap_of_address(ubi__live_heap **out, const char *address,
                                     const ubi__remote_scheme *const *schemes) {
    ubi__remote_address parsed;
    UBI_TRY(ubi__remote_address_parse(&parsed, address, schemes));
    remote_heap *heap = UBI_NEW(ubi_allocator_default(), remote_heap);
    if (!heap)
        return ubi__fail_nomem();
    ubi__live_heap_init(&heap->base, &remote_ops, address);
    heap->address = parsed;
    heap->ops = parsed.scheme->ops;
    heap->relay = (ubi_progress){ relay_report, heap };
    heap->state = (ubi__live_state){ .link = UBI__LIVE_IDLE,
                                     .recording = { false, 1, UBI__LIVE_LOG_LIMIT },
                                     .can_collect = true,
                                     .can_measure = true,
                                     .can_record = !parsed.scheme->has_no_log };
    pthread_mutex_init(&heap->lock, NULL);
    pthread_cond_init(&heap->changed, NULL);
    *out = &heap->base;
    return UBI_OK;
}
