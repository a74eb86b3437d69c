/* SPDX-License-Identifier: MIT
 *
 * safe_point.c: what has to wait until no script and no collection runs: news of collections, requests of other threads.
 */
#include "tracking/tool_memory.h"
#include "tracking/tracking.h"

/* ---- requests ------------------------------------------------------------------------------------------------------- */

ubi_status ubi__tracking_request(ubi__tracking *t, ubi__request_fn fn, void *payload) {
    ubi__requests *requests = &t->requests;
    ubi__request *request = (ubi__request *)ubi__tool_calloc(t->allocator, 1, sizeof *request);
    if (!request)
        return ubi_error(UBI_ENOMEM, "not enough memory for a request");
    request->fn = fn;
    request->payload = payload;
    pthread_mutex_lock(&requests->lock);
    *requests->end = request;
    requests->end = &request->next;
    atomic_store_explicit(&requests->waiting, true, memory_order_release);
    pthread_mutex_unlock(&requests->lock);
    return UBI_OK;
}

static ubi__request *take_requests(ubi__requests *requests) {
    pthread_mutex_lock(&requests->lock);
    ubi__request *first = requests->first;
    requests->first = NULL;
    requests->end = &requests->first;
    atomic_store_explicit(&requests->waiting, false, memory_order_relaxed);
    pthread_mutex_unlock(&requests->lock);
    return first;
}

/* Those that come meanwhile wait for the next time. */
bool ubi__tracking_run_requests(ubi__tracking *t) {
    if (!atomic_load_explicit(&t->requests.waiting, memory_order_acquire))
        return false;
    ubi__request *request = take_requests(&t->requests);
    bool any = request != NULL;
    while (request) {
        ubi__request *next = request->next;
        ubi__request_fn fn = request->fn;
        void *payload = request->payload;
        ubi__tool_free(t->allocator, request, 1, sizeof *request);
        fn(payload);
        request = next;
    }
    return any;
}

/* ---- collections, noted down ---------------------------------------------------------------------------------------- */

/* Room for one event more: a larger ring, and when that is not to be had, the oldest is lost. */
static void make_room_for_event(ubi__tracking *t) {
    uint32_t capacity = t->event_capacity ? 2 * t->event_capacity : 16;
    ubi__collection_event *events =
        capacity <= UBI__COLLECTION_EVENTS_MAX
            ? (ubi__collection_event *)ubi__tool_calloc(t->allocator, capacity, sizeof *events)
            : NULL;
    if (events) {
        for (uint32_t i = 0; i < t->event_count; i++)
            events[i] = t->events[(t->event_first + i) & (t->event_capacity - 1)];
        ubi__tool_free(t->allocator, t->events, t->event_capacity, sizeof *events);
        t->events = events;
        t->event_capacity = capacity;
        t->event_first = 0;
        return;
    }
    t->lost_events++;
    if (t->event_count) {
        t->event_first = (t->event_first + 1) & (t->event_capacity - 1);
        t->event_count--;
    }
}

void ubi__tracking_collection_begins(ubi__tracking *t) {
    t->cycle_number++;
    if (t->observing_count)
        t->cycle_start_us = ubi__tracking_now_us(t);
}

void ubi__tracking_collection_ends(ubi__tracking *t, const char *reason, const char *nonincremental_reason) {
    if (t->observing_count == 0)
        return;
    if (t->event_count == t->event_capacity)
        make_room_for_event(t);
    if (t->event_count == t->event_capacity)
        return;
    t->events[(t->event_first + t->event_count++) & (t->event_capacity - 1)] =
        (ubi__collection_event){ .reason = reason,
                                 .nonincremental_reason = nonincremental_reason,
                                 .cycle_number = t->cycle_number,
                                 .start_us = t->cycle_start_us,
                                 .end_us = ubi__tracking_now_us(t) };
}

/* ---- collections, told ---------------------------------------------------------------------------------------------- */

static bool tell_observers(ubi__tracking *t, const ubi__collection_event *event) {
    const ubi_collection collection = { .reason = event->reason,
                                        .nonincremental_reason = event->nonincremental_reason,
                                        .cycle_number = event->cycle_number,
                                        .start_ms = (double)event->start_us / 1000,
                                        .end_ms = (double)event->end_us / 1000 };
    bool told = false;
    for (ubi__observer *o = t->observers; o; o = t->next_to_tell) {
        t->next_to_tell = o->next; /* put right when that one is freed meanwhile */
        if (o->on_collection && o->realm_count && event->cycle_number > o->observes_since_cycle) {
            told = true;
            o->on_collection(o->collection_payload, &collection);
        }
    }
    return told;
}

/* A hook that collects makes a new event: that is for the next safe point. */
static bool tell_collections(ubi__tracking *t) {
    bool told = false;
    uint64_t last = t->cycle_number;
    t->is_delivering = true;
    while (t->event_count && t->events[t->event_first].cycle_number <= last) {
        ubi__collection_event event = t->events[t->event_first];
        t->event_first = (t->event_first + 1) & (t->event_capacity - 1);
        t->event_count--;
        told |= tell_observers(t, &event);
    }
    t->is_delivering = false;
    return told;
}

bool ubi__tracking_deliver(ubi__tracking *t) {
    bool any = t->event_count && !t->is_delivering && tell_collections(t);
    return ubi__tracking_run_requests(t) || any;
}
