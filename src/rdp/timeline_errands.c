/* SPDX-License-Identifier: MIT
 *
 * timeline_errands.c: what a timeline actor's requests do on the target's thread. See timeline_link.h.
 */
#include <ubiheap/core/marker.h>

#include "base/status.h"
#include "rdp/timeline_link.h"

/* A pull takes one part of ten of the program's time at most. */
#define PARTS 10

static const ubi_allocator *memory(void) {
    return ubi_allocator_default();
}

/* ---- what the front asks of its host ------------------------------------------------------------------------------------ */

static const uint64_t *ticks_give(void *payload, size_t *n) {
    ubi__rdp_timeline_link *link = payload;
    *n = link->ticks.n;
    link->ticks.n = 0; /* what it has stays until the next one comes */
    return link->ticks.at;
}

static bool memory_measure(void *payload, ubi_timeline_measurement *out) {
    ubi__rdp_timeline_link *link = payload;
    UBI_AUTO_GLOBAL_TIMELINE_MARKER_LABEL("ubiheap::Pause", "timeline.memory");
    (void)out; /* the packet is written from the bridge's own */
    link->measured = (ubi_memory_measure)UBI_MEMORY_MEASURE_INIT;
    return ubi_memory_bridge_measure(&link->measured, link->bridge) == UBI_OK;
}

static uint64_t ns_of(double ms) {
    return ms > 0 ? (uint64_t)(ms * 1e6) : 0;
}

/* The bridge's. Within a pull there is none. */
static void collection_hear(void *payload, const ubi_collection *c) {
    ubi__rdp_timeline_link *link = payload;
    const struct ubi_timeline_slice slice = { ns_of(c->start_ms), ns_of(c->end_ms) };
    const ubi_timeline_collection collection = { c->reason, c->nonincremental_reason, c->cycle_number, &slice, 1 };
    (void)ubi_timeline_front_collection(link->front, &collection);
}

/* ---- starting and stopping ---------------------------------------------------------------------------------------------- */

static void link_detach(ubi__rdp_timeline_link *link) {
    if (link->has_attached)
        (void)ubi_memory_bridge_detach(link->bridge);
    link->has_attached = false;
}

/* What the front's host cannot refuse is asked here. */
static ubi_status link_prepare(ubi__rdp_timeline_link *link, const ubi_timeline_front_options *wanted) {
    link->with_markers = wanted->with_markers;
    link->with_frames = wanted->with_frames && wanted->with_markers;
    link->ticks.n = 0;
    if (wanted->with_memory && !ubi_target_can(link->target, UBI_TARGET_WALK))
        return ubi__fail(UBI_ESTATE, "a target of kind %s cannot be measured", link->target.ops->kind);
    if (wanted->with_gc_events)
        UBI_TRY(ubi_memory_bridge_attach(link->bridge));
    link->has_attached = wanted->with_gc_events;
    return UBI_OK;
}

static ubi_status link_begin(int64_t *now_ns, ubi__rdp_timeline_link *link, const ubi_timeline_front_options *wanted) {
    ubi_timeline_front_options options = *wanted;
    UBI_TRY(link_prepare(link, wanted));
    options.with_markers = wanted->with_markers || wanted->with_ticks;
    options.with_frames = link->with_frames;
    ubi_status status = ubi_timeline_front_start(now_ns, link->front, &options);
    if (status != UBI_OK)
        link_detach(link);
    return status;
}

/* Of the first pull, too. */
static void pause_note(ubi__rdp_timeline_errand *e, uint64_t start_ns) {
    const uint64_t pause_ns = ubi_process_clock_ns() - start_ns;
    const uint64_t least_ns = pause_ns * (PARTS - 1);
    e->is_recording = ubi_timeline_front_is_recording(ubi__rdp_timeline_link_of(&e->errand)->front);
    e->next_pull_ms = (least_ns > UBI_TIMELINE_PULL_NS ? least_ns : UBI_TIMELINE_PULL_NS) / 1000000;
}

ubi_status ubi__rdp_timeline_start(ubi__rdp_errand *errand, ubi__json *json) {
    ubi__rdp_timeline_link *link = ubi__rdp_timeline_link_of(errand);
    ubi__rdp_timeline_errand *e = ubi__rdp_timeline_errand_of(errand);
    int64_t now_ns = (int64_t)ubi_process_clock_ns();
    const uint64_t start_ns = (uint64_t)now_ns;
    ubi_status status = UBI_OK;
    if (!ubi_timeline_front_is_recording(link->front))
        status = link_begin(&now_ns, link, &e->options);
    pause_note(e, start_ns);
    ubi__rdp_timeline_value_put(json, now_ns);
    return status;
}

/* Also if the last pull fails, it does not record any more. */
ubi_status ubi__rdp_timeline_stop(ubi__rdp_errand *errand, ubi__json *json) {
    ubi__rdp_timeline_link *link = ubi__rdp_timeline_link_of(errand);
    int64_t now_ns = 0;
    ubi_status status = ubi_timeline_front_stop(&now_ns, link->front);
    link_detach(link);
    ubi__rdp_timeline_errand_of(errand)->is_recording = ubi_timeline_front_is_recording(link->front);
    ubi__rdp_timeline_value_put(json, now_ns);
    return status;
}

ubi_status ubi__rdp_timeline_pull(ubi__rdp_errand *errand, ubi__json *json) {
    const uint64_t start_ns = ubi_process_clock_ns();
    (void)json;
    (void)ubi_timeline_front_pull(ubi__rdp_timeline_link_of(errand)->front); /* what was lost is counted */
    pause_note(ubi__rdp_timeline_errand_of(errand), start_ns);
    return UBI_ECANCELLED;
}

/* ---- links -------------------------------------------------------------------------------------------------------------- */

static void timeline_close(ubi__rdp_link *link) {
    ubi__rdp_timeline_link *l = (ubi__rdp_timeline_link *)link;
    ubi_memory_bridge_free(l->bridge);
    ubi_timeline_front_free(l->front);
    if (l->timeline.ops)
        ubi_target_timeline_close(l->timeline);
    ubi__vec_u64_fini(&l->ticks, memory());
    l->bridge = NULL;
    l->front = NULL;
    l->timeline.ops = NULL;
    l->has_attached = false;
}

/* What the page before had is over: the new one is there, and has been read. */
static void documents_mark(const ubi__rdp_timeline_link *l) {
    static const char *const names[] = { "document::DOMContentLoaded", "document::Load" };
    ubi_timeline_target *observed = ubi_target_timeline_observed(l->timeline);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        ubi_timeline_consumers_add_existing_marker_for_target(ubi_timeline_consumers_get(), observed,
                                                              ubi_doc_loading_timeline_marker_new(names[i]));
}

/* A recording lasts: what is recorded is all that runs on the thread. Sizes are those of the new page. */
static ubi_status timeline_navigate(ubi__rdp_link *link) {
    ubi__rdp_timeline_link *l = (ubi__rdp_timeline_link *)link;
    documents_mark(l);
    return ubi_memory_bridge_navigated_to(l->bridge, link->tab->scope);
}

static ubi_status front_open(ubi__rdp_timeline_link *l) {
    const ubi_timeline_front_host host = { .version = UBI_TIMELINE_FRONT_HOST_VERSION,
                                           .payload = l,
                                           .event = ubi__rdp_timeline_hear,
                                           .ticks = ticks_give,
                                           .measure = memory_measure };
    UBI_TRY(ubi_timeline_front_new(&l->front, &host, NULL));
    return ubi_timeline_front_add_target(l->front, ubi_target_timeline_observed(l->timeline));
}

static ubi_status parts_open(ubi__rdp_timeline_link *l) {
    const ubi_target_scope *scope = l->link.is_of_process ? NULL : l->link.tab->scope;
    ubi_memory_bridge_options options = UBI_MEMORY_BRIDGE_OPTIONS_INIT;
    options.scope = scope;
    options.on_collection = collection_hear;
    options.payload = l;
    UBI_TRY(ubi_target_open_timeline(&l->timeline, l->target, scope, NULL));
    UBI_TRY(ubi_memory_bridge_new(&l->bridge, l->target, &options));
    return front_open(l);
}

static ubi_status timeline_open(ubi__rdp_link *link, ubi_target target) {
    ubi__rdp_timeline_link *l = (ubi__rdp_timeline_link *)link;
    l->target = target;
    ubi_status status = parts_open(l);
    if (status != UBI_OK)
        timeline_close(link);
    return status;
}

const ubi__rdp_link_type ubi__rdp_timeline_link_type = { .link_bytes = sizeof(ubi__rdp_timeline_link),
                                                         .errand_bytes = sizeof(ubi__rdp_timeline_errand),
                                                         .open = timeline_open,
                                                         .navigate = timeline_navigate,
                                                         .close = timeline_close };
