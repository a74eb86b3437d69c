/* SPDX-License-Identifier: MIT
 *
 * live_targets.c: live heaps that the program around the server offers, and saving them.
 *
 * A live heap belongs to its thread. A request to save it is an errand at the desk: it asks for a safe point, waits for it, and opens what
 * was saved. What runs at the safe point is a *visit*, which takes the requests that wait then; the engine may run it late or, when it
 * ends, never. So a visit has an allocation of its own that outlives server and target: what it visits is NULL when that is gone.
 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/json_writer.h"
#include "base/status.h"
#include "base/text.h"
#include "http/http.h"

#define NAME_BYTES 121
#define LOOK_EVERY_NS 50000000

typedef enum save_state { SAVE_WAITS, SAVE_RUNS, SAVE_ENDED } save_state;

/* A request to save a target. */
typedef struct save_request {
    struct save_request *next; /* of those that wait for a safe point */
    ubi_http_server *server;
    uint64_t target_number;
    char name[NAME_BYTES + 16]; /* of the heap */
    /* With the lock of visits: */
    save_state state;
    char path[4096];
    ubi_status status;
    char message[UBI__DESK_MESSAGE_BYTES];
    _Atomic bool must_stop;
} save_request;

/* What an engine was asked to run at a safe point. */
typedef struct visit {
    struct visit *next, **place; /* of all that are to come */
    ubi__http_target *target;    /* NULL: it is gone */
} visit;

struct ubi__http_target {
    ubi__http_target *next;
    uint64_t number;
    ubi_target target;
    const ubi_target_scope *scope;
    char name[NAME_BYTES];
    save_request *waiting;
    visit *visit; /* that is to come; NULL: none was asked for */
};

/* One lock for all servers of the process: visits may outlive them. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static visit *visits; /* so that those that never come are not lost */

static const ubi_allocator *memory(void) {
    return ubi_allocator_default();
}

static bool is_same(ubi_target a, ubi_target b) {
    return a.ops == b.ops && a.payload == b.payload;
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

/* With the lock. */
static void save_end(save_request *r, ubi_status status) {
    r->status = status;
    if (status != UBI_OK)
        snprintf(r->message, sizeof r->message, "%s", ubi_error_message());
    r->state = SAVE_ENDED;
    pthread_cond_broadcast(&changed);
}

/* With the lock, without it while the heap is written. The target cannot go meanwhile: it is removed by this thread. */
static void save_perform(ubi__http_target *t, save_request *r) {
    ubi_save_options options = UBI_SAVE_OPTIONS_INIT;
    options.progress = (ubi_progress){ save_progress, r };
    r->state = SAVE_RUNS;
    pthread_mutex_unlock(&lock);
    ubi_status status = ubi_target_save(t->target, t->scope, r->path, &options, NULL);
    pthread_mutex_lock(&lock);
    save_end(r, status);
}

static void visit_remove(visit *v) {
    *v->place = v->next;
    if (v->next)
        v->next->place = v->place;
    UBI_DELETE(memory(), v);
}

static void visit_perform(void *payload) {
    visit *v = payload;
    pthread_mutex_lock(&lock);
    ubi__http_target *t = v->target;
    visit_remove(v);
    if (t)
        t->visit = NULL;
    while (t && t->waiting) {
        save_request *r = t->waiting;
        t->waiting = r->next;
        save_perform(t, r);
    }
    pthread_mutex_unlock(&lock);
}

/* ---- an errand ------------------------------------------------------------------------------------------------------------------------ */

/* With the lock. */
static ubi_status visit_ask(ubi__http_target *t) {
    if (t->visit)
        return UBI_OK;
    visit *v = UBI_NEW(memory(), visit);
    if (!v)
        return ubi__fail_nomem();
    v->target = t;
    v->next = visits;
    v->place = &visits;
    if (v->next)
        v->next->place = &v->next;
    visits = v;
    ubi_target target = t->target;
    t->visit = v;
    pthread_mutex_unlock(&lock); /* it may run at once */
    ubi_status status = ubi_target_run_at_safe_point(target, visit_perform, v);
    pthread_mutex_lock(&lock);
    if (status == UBI_OK)
        return UBI_OK;
    if (v->target)
        v->target->visit = NULL;
    visit_remove(v);
    return status;
}

/* With the lock: it waits no longer. */
static void request_withdraw(save_request *r) {
    ubi__http_target *t = target_find(r->server, r->target_number);
    save_request **place = t ? &t->waiting : NULL;
    while (place && *place && *place != r)
        place = &(*place)->next;
    if (place && *place)
        *place = r->next;
}

/* With the lock. */
static ubi_status request_await(save_request *r, const ubi_progress *progress) {
    bool is_wanted = true;
    while (r->state != SAVE_ENDED && (is_wanted || r->state == SAVE_RUNS)) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += LOOK_EVERY_NS;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&changed, &lock, &until);
        const char *stage = r->state == SAVE_WAITS ? "waiting for a safe point" : "saving";
        pthread_mutex_unlock(&lock);
        is_wanted = is_wanted && ubi__progress(progress, stage, 0, 0);
        pthread_mutex_lock(&lock);
        if (!is_wanted)
            atomic_store(&r->must_stop, true);
    }
    if (r->state == SAVE_ENDED)
        return r->status == UBI_OK ? UBI_OK : ubi__fail(r->status, "%s", r->message);
    request_withdraw(r);
    return ubi__fail_cancelled();
}

static ubi_status fail_no_target(uint64_t number) {
    return ubi__fail(UBI_ENOTFOUND, "there is no live heap t%llu", (unsigned long long)number);
}

static ubi_status request_perform(save_request *r, const ubi_progress *progress) {
    pthread_mutex_lock(&lock);
    ubi__http_target *t = target_find(r->server, r->target_number);
    ubi_status status = UBI_OK;
    if (!t) {
        status = fail_no_target(r->target_number);
    } else {
        save_request **end = &t->waiting;
        while (*end)
            end = &(*end)->next;
        *end = r;
        status = visit_ask(t);
        if (status != UBI_OK)
            request_withdraw(r);
    }
    if (status == UBI_OK)
        status = request_await(r, progress);
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
    r->target_number = number;
    ubi__http_folder_name(r->path, &e->server->folder, ".fxsnapshot");
    pthread_mutex_lock(&lock);
    const ubi__http_target *t = target_find(e->server, number);
    if (t)
        snprintf(r->name, sizeof r->name, "%.*s", NAME_BYTES - 1, name && *name ? name : t->name);
    pthread_mutex_unlock(&lock);
    for (char *c = r->name; *c; c++)
        *c = (unsigned char)*c < 0x20 || *c == 0x7f || *c == '/' ? '_' : *c;
    if (!t) {
        save_release(r);
        return fail_no_target(number);
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
        ubi__json_member_string(json, "kind", t->target.ops->kind);
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
    if (!target.ops || target.ops->version != UBI_TARGET_OPS_VERSION || (target.ops->capabilities & NEEDED) != NEEDED)
        return ubi__fail(UBI_EINVAL, "a live heap that is offered must be walkable and have safe points");
    ubi__http_target *t = UBI_NEW(memory(), ubi__http_target);
    if (!t)
        return ubi__fail_nomem();
    t->target = target;
    t->scope = scope;
    snprintf(t->name, sizeof t->name, "%s", name && *name ? name : target.ops->kind);
    pthread_mutex_lock(&lock);
    ubi_status status = target_append(server, t);
    pthread_mutex_unlock(&lock);
    if (status != UBI_OK)
        UBI_DELETE(memory(), t);
    return status;
}

/* With the lock. Requests that wait for it fail. */
static void target_free(ubi__http_target *t) {
    if (t->visit)
        t->visit->target = NULL;
    for (save_request *r = t->waiting, *next; r; r = next) {
        next = r->next;
        save_end(r, ubi__fail(UBI_ESTATE, "the live heap %s is gone", t->name));
    }
    UBI_DELETE(memory(), t);
}

ubi_status ubi_http_server_remove_target(ubi_http_server *server, ubi_target target) {
    pthread_mutex_lock(&lock);
    ubi__http_target **place = &server->targets;
    while (*place && !is_same((*place)->target, target))
        place = &(*place)->next;
    ubi__http_target *found = *place;
    if (found) {
        *place = found->next;
        target_free(found);
    }
    pthread_mutex_unlock(&lock);
    return found ? UBI_OK : ubi__fail(UBI_ENOTFOUND, "this live heap was not offered");
}

void ubi__http_targets_free(ubi_http_server *server) {
    pthread_mutex_lock(&lock);
    while (server->targets) {
        ubi__http_target *next = server->targets->next;
        target_free(server->targets);
        server->targets = next;
    }
    pthread_mutex_unlock(&lock);
}
