/* SPDX-License-Identifier: MIT
 *
 * live_targets.c: the list of live heaps that a server offers. What clients have them do: target_routes.c.
 */
#include <stdio.h>

#include "base/json_writer.h"
#include "base/status.h"
#include "http/http.h"

struct ubi__http_target {
    ubi__http_target *next;
    uint64_t number;
    ubi__live_heap *heap; /* a reference */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static const ubi_allocator *memory(void) {
    return ubi_allocator_default();
}

/* ---- finding -------------------------------------------------------------------------------------------------------- */

/* With the lock. NULL: there is none. */
static ubi__http_target *target_find(const ubi_http_server *server, uint64_t number) {
    ubi__http_target *target = server->targets;
    while (target && target->number != number)
        target = target->next;
    return target;
}

ubi_status ubi__http_target_get(ubi__live_heap **out, uint64_t *number, const ubi__exchange *e) {
    const char *name = ubi__exchange_name(e, 3);
    if (name[0] != 't' || ubi__parse_number(number, name + 1, "target") != UBI_OK)
        return ubi__fail(UBI_ENOTFOUND, "there is no live heap '%.40s'", name);
    pthread_mutex_lock(&lock);
    const ubi__http_target *t = target_find(e->server, *number);
    *out = t ? ubi__live_heap_ref(t->heap) : NULL;
    pthread_mutex_unlock(&lock);
    return t ? UBI_OK : ubi__fail(UBI_ENOTFOUND, "there is no live heap t%llu", (unsigned long long)*number);
}

/* Numbers rise. */
ubi__live_heap *ubi__http_target_next(uint64_t *number, const ubi_http_server *server) {
    pthread_mutex_lock(&lock);
    const ubi__http_target *t = server->targets;
    while (t && t->number <= *number)
        t = t->next;
    ubi__live_heap *heap = t ? ubi__live_heap_ref(t->heap) : NULL;
    if (t)
        *number = t->number;
    pthread_mutex_unlock(&lock);
    return heap;
}

/* ---- documents ------------------------------------------------------------------------------------------------------ */

static void recording_put(ubi__json *json, const ubi__live_state *state) {
    ubi__json_member_object(json, "recording");
    ubi__json_member_bool(json, "isOn", state->recording.is_on);
    ubi__json_member_double(json, "probability", state->recording.probability);
    ubi__json_member_u64(json, "maxLogLength", state->recording.log_limit);
    ubi__json_object_end(json);
}

static void abilities_put(ubi__json *json, const ubi__live_state *state) {
    ubi__json_member_bool(json, "canCollect", state->can_collect);
    ubi__json_member_bool(json, "canMeasure", state->can_measure);
    ubi__json_member_bool(json, "canRecord", state->can_record);
}

static void target_put(ubi__json *json, uint64_t number, ubi__live_heap *heap) {
    ubi__live_state state;
    char id[24], self[64], heaps[72];
    ubi__live_heap_state(&state, heap);
    snprintf(id, sizeof id, "t%llu", (unsigned long long)number);
    snprintf(self, sizeof self, "/api/1/targets/%s", id);
    snprintf(heaps, sizeof heaps, "%s/heaps", self);
    ubi__json_member_string(json, "id", id);
    ubi__json_member_string(json, "name", ubi__live_heap_name(heap));
    ubi__json_member_string(json, "kind", ubi__live_heap_kind(heap));
    ubi__json_member_string(json, "link", ubi__live_link_name(state.link));
    ubi__json_member_string(json, "fault", state.fault[0] ? state.fault : NULL);
    abilities_put(json, &state);
    recording_put(json, &state);
    ubi__json_member_string(json, "self", self);
    ubi__json_member_string(json, "heaps", heaps);
}

typedef struct described {
    uint64_t number;
    ubi__live_heap *heap;
} described;

static void described_put(ubi__json *json, const void *payload) {
    const described *d = payload;
    target_put(json, d->number, d->heap);
}

ubi_status ubi__http_target_document(ubi__vec_u8 *out, uint64_t number, ubi__live_heap *heap) {
    const described d = { number, heap };
    return ubi__http_document(out, "ubiheap.target/1", described_put, &d);
}

enum MHD_Result ubi__http_target_describe(ubi__exchange *e) {
    described d;
    ubi_status status = ubi__http_target_get(&d.heap, &d.number, e);
    if (status != UBI_OK)
        return ubi__reply_error(e, status);
    enum MHD_Result result = ubi__http_document_reply(e, MHD_HTTP_OK, "ubiheap.target/1", described_put, &d, NULL);
    ubi__live_heap_unref(d.heap);
    return result;
}

static void targets_put(ubi__json *json, const void *payload) {
    const ubi__exchange *e = payload;
    ubi__live_heap *heap;
    uint64_t number = 0;
    ubi__json_member_array(json, "targets");
    while ((heap = ubi__http_target_next(&number, e->server))) {
        ubi__json_object_begin(json);
        target_put(json, number, heap);
        ubi__json_object_end(json);
        ubi__live_heap_unref(heap);
    }
    ubi__json_array_end(json);
}

enum MHD_Result ubi__http_targets(ubi__exchange *e) {
    return ubi__http_document_reply(e, MHD_HTTP_OK, "ubiheap.targets/1", targets_put, e, NULL);
}

/* ---- offering ------------------------------------------------------------------------------------------------------- */

#define NEEDED (UBI_TARGET_WALK | UBI_TARGET_SAFE_POINT)

/* Without the lock. Requests that wait for it fail. */
static void target_free(ubi__http_target *t) {
    ubi__live_heap_end(t->heap);
    ubi__live_heap_unref(t->heap);
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

/* Takes the reference. */
static ubi_status heap_offer(ubi_http_server *server, ubi__live_heap *heap) {
    ubi__http_target *t = UBI_NEW(memory(), ubi__http_target);
    if (!t) {
        ubi__live_heap_unref(heap);
        return ubi__fail_nomem();
    }
    t->heap = heap;
    pthread_mutex_lock(&lock);
    ubi_status status = target_append(server, t);
    pthread_mutex_unlock(&lock);
    if (status != UBI_OK)
        target_free(t);
    return status;
}

ubi_status ubi__http_server_offer(ubi_http_server *server, ubi_target target, const ubi__live_offer *offer) {
    ubi__live_heap *heap;
    if (!ubi_target_can(target, NEEDED))
        return ubi__fail(UBI_EINVAL, "a live heap that is offered must be walkable and have safe points");
    UBI_TRY(ubi__live_heap_of_target(&heap, target, offer));
    return heap_offer(server, heap);
}

ubi_status ubi_http_server_add_target(ubi_http_server *server, ubi_target target, const ubi_target_scope *scope,
                                      const char *name) {
    const ubi__live_offer offer = { .scope = scope, .name = name };
    return ubi__http_server_offer(server, target, &offer);
}

ubi_status ubi__http_server_add_address(ubi_http_server *server, const char *address,
                                        const ubi__remote_scheme *const *schemes) {
    ubi__live_heap *heap;
    UBI_TRY(ubi__live_heap_of_address(&heap, address, schemes));
    return heap_offer(server, heap);
}

/* The first one that is `target`, or any; NULL: there is none. */
static ubi__http_target *target_take(ubi_http_server *server, const ubi_target *target) {
    pthread_mutex_lock(&lock);
    ubi__http_target **place = &server->targets;
    while (*place && target && !ubi__live_heap_is((*place)->heap, *target))
        place = &(*place)->next;
    ubi__http_target *found = *place;
    if (found)
        *place = found->next;
    pthread_mutex_unlock(&lock);
    return found;
}

void ubi__http_server_note_end(ubi_http_server *server, ubi_target target) {
    pthread_mutex_lock(&lock);
    for (ubi__http_target *t = server->targets; t; t = t->next)
        if (ubi__live_heap_is(t->heap, target))
            ubi__live_heap_note_end(t->heap);
    pthread_mutex_unlock(&lock);
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
