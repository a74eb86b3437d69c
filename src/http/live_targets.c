/* SPDX-License-Identifier: MIT
 *
 * live_targets.c: live heaps that the program around the server offers, and saving them.
 *
 * A request to save a live heap is an errand at the desk: it asks for a visit (jobs/visits.h), waits for it, and opens what was saved.
 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/json_writer.h"
#include "base/status.h"
#include "base/text.h"
#include "http/http.h"
#include "jobs/visits.h"

#define NAME_BYTES 121
#define LOOK_EVERY_NS 50000000

typedef enum save_state { SAVE_WAITS, SAVE_RUNS, SAVE_ENDED } save_state;

/* A request to save a target. */
typedef struct save_request {
    ubi_http_server *server;
    ubi__live_target *live; /* a reference */
    const ubi_target_scope *scope;
    char target_name[NAME_BYTES];
    char name[NAME_BYTES + 16]; /* of the heap */
    /* With the lock: */
    save_state state;
    char path[4096];
    ubi_status status;
    char message[UBI__DESK_MESSAGE_BYTES];
    _Atomic bool must_stop;
} save_request;

struct ubi__http_target {
    ubi__http_target *next;
    uint64_t number;
    ubi__live_target *live;
    const ubi_target_scope *scope;
    char name[NAME_BYTES];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static const ubi_allocator *memory(void) {
    return ubi_allocator_default();
}

/* With the lock. NULL: there is none. */
static ubi__http_target *target_find(const ubi_http_server *server, uint64_t number) {
    ubi__http_target *target = server->targets;
    while (target && target->number != number)
        target = target->next;
    return target;
}

/* ---- at the safe point, on the target's thread -------------------------------------------------------------------------------------- */

static bool save_progress(void *payload, const char *stage, uint64_t done, uint64_t total) {
    (void)stage, (void)done, (void)total;
    return !atomic_load(&((save_request *)payload)->must_stop);
}

static void save_set_state(save_request *r, save_state state) {
    pthread_mutex_lock(&lock);
    r->state = state;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

/* When it has ended, the request may be gone. */
static void save_visit(void *payload, const ubi_target *target) {
    save_request *r = payload;
    ubi_save_options options = UBI_SAVE_OPTIONS_INIT;
    options.progress = (ubi_progress){ save_progress, r };
    save_set_state(r, SAVE_RUNS);
    r->status = target ? ubi_target_save(*target, r->scope, r->path, &options, NULL)
                       : ubi__fail(UBI_ESTATE, "the live heap %s is gone", r->target_name);
    if (r->status != UBI_OK)
        snprintf(r->message, sizeof r->message, "%s", ubi_error_message());
    save_set_state(r, SAVE_ENDED);
}

/* ---- an errand ------------------------------------------------------------------------------------------------------------------------ */

/* With the lock: for a while, or until something changed. */
static void change_await(void) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += LOOK_EVERY_NS;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_cond_timedwait(&changed, &lock, &until);
}

/* With the lock. One that is not wanted any more is waited for only if it runs already. */
static ubi_status request_await(save_request *r, const ubi_progress *progress) {
    while (r->state != SAVE_ENDED) {
        change_await();
        const char *stage = r->state == SAVE_WAITS ? "waiting for a safe point" : "saving";
        pthread_mutex_unlock(&lock);
        if (!atomic_load(&r->must_stop) && !ubi__progress(progress, stage, 0, 0))
            atomic_store(&r->must_stop, true);
        bool is_withdrawn = atomic_load(&r->must_stop) && ubi__live_visit_withdraw(r->live, save_visit, r);
        pthread_mutex_lock(&lock);
        if (is_withdrawn)
            return ubi__fail_cancelled();
    }
    return r->status == UBI_OK ? UBI_OK : ubi__fail(r->status, "%s", r->message);
}

static ubi_status request_perform(save_request *r, const ubi_progress *progress) {
    UBI_TRY(ubi__live_visit(r->live, save_visit, r));
    pthread_mutex_lock(&lock);
    ubi_status status = request_await(r, progress);
    pthread_mutex_unlock(&lock);
    return status;
}

static ubi_status save_errand(ubi__vec_u8 *answer, void *payload, const ubi_progress *progress) {
    save_request *r = payload;
    const ubi__shelf_heap *heap = NULL;
    const ubi__shelf_item item = { r->path, r->name, UBI__SHELF_SAVED };
    UBI_TRY(request_perform(r, progress));
    ubi_status status = ubi__shelf_add(&heap, r->server->shelf, &item);
    if (status != UBI_OK) {
        (void)remove(r->path);
        return status;
    }
    status = ubi__http_heap_document(answer, heap);
    ubi__shelf_heap_unref(heap);
    return status;
}

static void save_release(void *payload) {
    save_request *r = payload;
    ubi__live_target_unref(r->live);
    UBI_DELETE(memory(), r);
}

static ubi_status number_read(uint64_t *out, const ubi__exchange *e) {
    const char *name = ubi__exchange_name(e, 3);
    if (name[0] != 't' || ubi__parse_number(out, name + 1, "target") != UBI_OK)
        return ubi__fail(UBI_ENOTFOUND, "there is no live heap '%.40s'", name);
    return UBI_OK;
}

static ubi_status request_make(save_request **out, ubi__exchange *e) {
    const char *name = ubi__http_address_value(&e->address, "name");
    uint64_t number = 0;
    UBI_TRY(number_read(&number, e));
    save_request *r = UBI_NEW(memory(), save_request);
    if (!r)
        return ubi__fail_nomem();
    r->server = e->server;
    ubi__private_folder_name(r->path, &e->server->folder, ".fxsnapshot");
    pthread_mutex_lock(&lock);
    const ubi__http_target *t = target_find(e->server, number);
    if (t) {
        r->live = ubi__live_target_ref(t->live);
        r->scope = t->scope;
        snprintf(r->target_name, sizeof r->target_name, "%s", t->name);
        snprintf(r->name, sizeof r->name, "%.*s", NAME_BYTES - 1, name && *name ? name : t->name);
    }
    pthread_mutex_unlock(&lock);
    for (char *c = r->name; *c; c++)
        *c = (unsigned char)*c < 0x20 || *c == 0x7f || *c == '/' ? '_' : *c;
    if (!t) {
        save_release(r);
        return ubi__fail(UBI_ENOTFOUND, "there is no live heap t%llu", (unsigned long long)number);
    }
    *out = r;
    return UBI_OK;
}

enum MHD_Result ubi__http_target_save(ubi__exchange *e) {
    save_request *r = NULL;
    ubi_status status = request_make(&r, e);
    if (status != UBI_OK)
        return ubi__reply_error(e, status);
    const ubi__desk_errand errand = { "save", save_errand, save_release, r };
    return ubi__http_errand(e, &errand);
}

/* ---- the list ---------------------------------------------------------------------------------------------------------------------------- */

static void targets_put(ubi__json *json, const void *payload) {
    const ubi__exchange *e = payload;
    char text[80];
    ubi__json_member_array(json, "targets");
    pthread_mutex_lock(&lock);
    for (const ubi__http_target *t = e->server->targets; t; t = t->next) {
        ubi__json_object_begin(json);
        snprintf(text, sizeof text, "t%llu", (unsigned long long)t->number);
        ubi__json_member_string(json, "id", text);
        ubi__json_member_string(json, "name", t->name);
        ubi__json_member_string(json, "kind", ubi__live_target_kind(t->live));
        snprintf(text, sizeof text, "/api/1/targets/t%llu/heaps", (unsigned long long)t->number);
        ubi__json_member_string(json, "heaps", text);
        ubi__json_object_end(json);
    }
    pthread_mutex_unlock(&lock);
    ubi__json_array_end(json);
}

enum MHD_Result ubi__http_targets(ubi__exchange *e) {
    return ubi__http_document_reply(e, MHD_HTTP_OK, "ubiheap.targets/1", targets_put, e, NULL);
}

/* ---- offering ------------------------------------------------------------------------------------------------------------------------------ */

#define NEEDED (UBI_TARGET_WALK | UBI_TARGET_SAFE_POINT)

/* Without the lock. Requests that wait for it fail. */
static void target_free(ubi__http_target *t) {
    if (t->live)
        ubi__live_end(t->live);
    ubi__live_target_unref(t->live);
    UBI_DELETE(memory(), t);
}

/* With the lock: takes it unless it fails. */
static ubi_status target_append(ubi_http_server *server, ubi__http_target *target) {
    ubi__http_target **end = &server->targets;
    uint32_t n = 0;
    for (; *end; end = &(*end)->next)
        n++;
    if (n == UBI__HTTP_MOST_TARGETS)
        return ubi__fail(UBI_ELIMIT, "a server has %d live heaps at most", UBI__HTTP_MOST_TARGETS);
    target->number = ++server->last_target;
    *end = target;
    return UBI_OK;
}

ubi_status ubi_http_server_add_target(ubi_http_server *server, ubi_target target, const ubi_target_scope *scope,
                                      const char *name) {
    if (!ubi_target_can(target, NEEDED))
        return ubi__fail(UBI_EINVAL, "a live heap that is offered must be walkable and have safe points");
    ubi__http_target *t = UBI_NEW(memory(), ubi__http_target);
    if (!t)
        return ubi__fail_nomem();
    t->scope = scope;
    snprintf(t->name, sizeof t->name, "%s", name && *name ? name : target.ops->kind);
    ubi_status status = ubi__live_target_new(&t->live, target, NULL, NULL);
    pthread_mutex_lock(&lock);
    if (status == UBI_OK)
        status = target_append(server, t);
    pthread_mutex_unlock(&lock);
    if (status != UBI_OK)
        target_free(t);
    return status;
}

/* The first one that is `target`, or any; NULL: there is none. */
static ubi__http_target *target_take(ubi_http_server *server, const ubi_target *target) {
    pthread_mutex_lock(&lock);
    ubi__http_target **place = &server->targets;
    while (*place && target && !ubi__live_target_is((*place)->live, *target))
        place = &(*place)->next;
    ubi__http_target *found = *place;
    if (found)
        *place = found->next;
    pthread_mutex_unlock(&lock);
    return found;
}

ubi_status ubi_http_server_remove_target(ubi_http_server *server, ubi_target target) {
    ubi__http_target *found = target_take(server, &target);
    if (!found)
        return ubi__fail(UBI_ENOTFOUND, "this live heap was not offered");
    target_free(found);
    return UBI_OK;
}

void ubi__http_targets_free(ubi_http_server *server) {
    for (ubi__http_target *t = target_take(server, NULL); t; t = target_take(server, NULL))
        target_free(t);
}
