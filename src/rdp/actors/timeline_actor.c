/* SPDX-License-Identifier: MIT
 *
 * timeline_actor.c: what a target does, as it does it. Each request, and each pull, is an errand (timeline_link.h).
 */
#include "rdp/actors/actors.h"
#include "rdp/connection.h"
#include "rdp/timeline_link.h"

#define PULL_MS (UBI_TIMELINE_PULL_NS / 1000000)
/* 10 s of a client that does not read: then its recording ends, so that markers do not fill the program's memory. */
#define MOST_SKIPPED 50

static ubi__rdp_timeline_link *link_of(const ubi__rdp_call *call) {
    return ubi__rdp_call_actor(call)->payload;
}

ubi_status ubi__rdp_timeline_make(ubi__rdp_actor **out, ubi__rdp_actor *target) {
    ubi__rdp_link *link = NULL;
    return ubi__rdp_link_make(&link, out, target, &ubi__rdp_timeline_type, &ubi__rdp_timeline_link_type);
}

static void timeline_destroy(ubi__rdp_actor *actor) {
    ubi__rdp_link_leave(actor->payload);
}

static ubi__rdp_timeline_errand *errand_new(ubi__rdp_timeline_link *link, ubi__rdp_call *call,
                                            ubi__rdp_errand_fn perform, void (*arrive)(ubi__rdp_errand *errand)) {
    ubi__rdp_timeline_errand *e = ubi__rdp_timeline_errand_of(ubi__rdp_errand_new(&link->link, call, perform));
    if (!e)
        return NULL;
    e->errand.arrive = arrive;
    e->errand.name[0] = '\0'; /* what it finds is not to be what it did */
    e->is_recording = link->is_recording;
    e->next_pull_ms = PULL_MS;
    return e;
}

/* ---- pulling ------------------------------------------------------------------------------------------------------------ */

static void pull_plan(ubi__rdp_timeline_link *link, const ubi__rdp_timeline_errand *e) {
    link->is_recording = e->is_recording;
    if (link->link.actor)
        ubi__rdp_actor_set_alarm(link->link.actor, e->is_recording ? e->next_pull_ms : UINT64_MAX);
}

static void pull_arrive(ubi__rdp_errand *errand) {
    ubi__rdp_timeline_link_of(errand)->is_pulling = false;
    pull_plan(ubi__rdp_timeline_link_of(errand), ubi__rdp_timeline_errand_of(errand));
}

static void end_arrive(ubi__rdp_errand *errand) {
    errand->status = UBI_ECANCELLED; /* it makes no event */
    pull_arrive(errand);
}

/* What a client that does not read has not got waits at the target, but not for ever. */
static bool client_is_awaited(ubi__rdp_timeline_link *link, const ubi__rdp_connection *connection) {
    link->n_skipped = connection->is_congested ? link->n_skipped + 1 : 0;
    return link->n_skipped > 0 && link->n_skipped <= MOST_SKIPPED;
}

static void timeline_alarm(ubi__rdp_actor *actor) {
    ubi__rdp_timeline_link *link = actor->payload;
    bool is_possible = !client_is_awaited(link, actor->connection) && !link->is_pulling;
    bool is_last = link->n_skipped > 0;
    ubi__rdp_timeline_errand *e = NULL;
    if (is_possible)
        e = is_last ? errand_new(link, NULL, ubi__rdp_timeline_stop, end_arrive)
                    : errand_new(link, NULL, ubi__rdp_timeline_pull, pull_arrive);
    if (!e) {
        ubi__rdp_actor_set_alarm(actor, PULL_MS);
        return;
    }
    link->is_pulling = true;
    (void)ubi__rdp_errand_send(&e->errand);
}

/* ---- requests ----------------------------------------------------------------------------------------------------------- */

enum { MARKERS, TICKS, MEMORY, FRAMES, COLLECTIONS, DOCUMENTS };

/* A target that has gone is nothing to observe: the reply says so, as the original's does. */
static void value_arrive(ubi__rdp_errand *errand) {
    pull_plan(ubi__rdp_timeline_link_of(errand), ubi__rdp_timeline_errand_of(errand));
    if (!errand->is_gone)
        return;
    ubi__rdp_timeline_value_put(ubi__rdp_packet_open(&errand->packet, errand->from, ubi_allocator_default()), -1);
    errand->status = ubi__rdp_packet_close(&errand->packet);
}

static ubi_status recording_start(ubi__rdp_call *call) {
    ubi__rdp_timeline_errand *e = errand_new(link_of(call), call, ubi__rdp_timeline_start, value_arrive);
    if (!e)
        return ubi__fail_nomem();
    e->options = (ubi_timeline_front_options)UBI_TIMELINE_FRONT_OPTIONS_INIT;
    e->options.with_markers = ubi__rdp_argument_bool(call, MARKERS, false);
    e->options.with_ticks = ubi__rdp_argument_bool(call, TICKS, false);
    e->options.with_memory = ubi__rdp_argument_bool(call, MEMORY, false);
    e->options.with_frames = ubi__rdp_argument_bool(call, FRAMES, false);
    e->options.with_gc_events = ubi__rdp_argument_bool(call, COLLECTIONS, false);
    e->options.with_doc_loading_events = ubi__rdp_argument_bool(call, DOCUMENTS, false);
    return ubi__rdp_errand_send(&e->errand);
}

static ubi_status recording_stop(ubi__rdp_call *call) {
    ubi__rdp_timeline_errand *e = errand_new(link_of(call), call, ubi__rdp_timeline_stop, value_arrive);
    return e ? ubi__rdp_errand_send(&e->errand) : ubi__fail_nomem();
}

static ubi_status recording_get(ubi__rdp_call *call) {
    ubi__json_member_bool(ubi__rdp_reply_begin(call), "value", link_of(call)->is_recording);
    return ubi__rdp_reply_end(call);
}

/* ---- tables ------------------------------------------------------------------------------------------------------------- */

static const ubi__rdp_field start_arguments[] = {
    { "withMarkers", UBI__RDP_BOOLEAN, UBI__RDP_OPTIONAL, "sends `markers`; else they cost nothing" },
    { "withTicks", UBI__RDP_BOOLEAN, UBI__RDP_OPTIONAL, "sends `ticks`" },
    { "withMemory", UBI__RDP_BOOLEAN, UBI__RDP_OPTIONAL,
      "sends `memory`: the heap is walked for each; it is then pulled more rarely, so that this takes a tenth of the "
      "program's time at most" },
    { "withFrames", UBI__RDP_BOOLEAN, UBI__RDP_OPTIONAL,
      "with `withMarkers`: stacks are indices of frames, which `frames` sends; else each is an object, of 64 frames at "
      "most" },
    { "withGCEvents", UBI__RDP_BOOLEAN, UBI__RDP_OPTIONAL, "sends each collection in `markers`, when it has ended" },
    { "withDocLoadingEvents", UBI__RDP_BOOLEAN, UBI__RDP_OPTIONAL, "sends `doc-loading`" },
    UBI__RDP_END,
};
static const ubi__rdp_field start_replies[] = {
    { "value", UBI__RDP_NUMBER, UBI__RDP_REQUIRED,
      "milliseconds since the process started; -1: the program has ended" },
    UBI__RDP_END,
};
static const ubi__rdp_field recording_replies[] = {
    { "value", UBI__RDP_BOOLEAN, UBI__RDP_REQUIRED, "whether it does" },
    UBI__RDP_END,
};
static const ubi__rdp_field marker_fields[] = {
    { "markers", UBI__RDP_ARRAY, UBI__RDP_REQUIRED,
      "each with `name`, `start`, `end` (milliseconds since the process started; 0: it had not ended at `stop`), "
      "`stack`, `endStack`, and [its own fields](timeline.md)" },
    { "endTime", UBI__RDP_NUMBER, UBI__RDP_REQUIRED, "when they were taken" },
    UBI__RDP_END,
};
static const ubi__rdp_field document_fields[] = {
    { "marker", UBI__RDP_OBJECT, UBI__RDP_REQUIRED, "as in `markers`" },
    { "endTime", UBI__RDP_NUMBER, UBI__RDP_REQUIRED, "when it was taken (Firefox sends the marker once more)" },
    UBI__RDP_END,
};
static const ubi__rdp_field tick_fields[] = {
    { "delta", UBI__RDP_NUMBER, UBI__RDP_REQUIRED, "when they were taken" },
    { "timestamps", UBI__RDP_STRING, UBI__RDP_REQUIRED,
      "numbers with commas between them: when the program came back to its event loop, since the event before" },
    UBI__RDP_END,
};
static const ubi__rdp_field memory_fields[] = {
    { "delta", UBI__RDP_NUMBER, UBI__RDP_REQUIRED, "when it was measured" },
    { "measurement", UBI__RDP_OBJECT, UBI__RDP_REQUIRED, "as the reply of the memory actor's `measure`" },
    UBI__RDP_END,
};
static const ubi__rdp_field frame_fields[] = {
    { "delta", UBI__RDP_NUMBER, UBI__RDP_REQUIRED, "when they were taken" },
    { "frames", UBI__RDP_ARRAY, UBI__RDP_REQUIRED,
      "those that are new, to be put behind all before; null first, so an index is never 0. As of `getAllocations`" },
    UBI__RDP_END,
};

static const ubi__rdp_method methods[] = {
    { "start", recording_start, start_arguments, start_replies, false,
      "takes what the target does from now on, and sends it five times a second; when it does already, changes "
      "nothing; "
      "for a client that does not read for 10 s it ends",
      "foxdriver" },
    { "stop", recording_stop, NULL, start_replies, false, "ends that; what is left follows the reply", "foxdriver" },
    { "isRecording", recording_get, NULL, recording_replies, false, "whether it does", "foxdriver" },
    UBI__RDP_METHODS_END,
};
static const ubi__rdp_event events[] = {
    { "doc-loading", document_fields,
      "`document::DOMContentLoaded` or `document::Load`: the program has marked it, or its tab has navigated" },
    { "markers", marker_fields, "what has ended since the event before; only if there is anything" },
    { "ticks", tick_fields, "at each pull" },
    { "memory", memory_fields, "at each pull" },
    { "frames", frame_fields, "after the first markers whose stacks have them" },
    UBI__RDP_METHODS_END,
};
const ubi__rdp_actor_type ubi__rdp_timeline_type = {
    .name = "timeline",
    .help = "what a target does, as [markers](timeline.md); of the process: what its first runtime does",
    .methods = methods,
    .events = events,
    .destroy = timeline_destroy,
    .alarm = timeline_alarm,
};
