/* SPDX-License-Identifier: MIT
 *
 * memory_actor.c: the memory of a target: counts, allocations, collections, sizes, snapshots. What needs the heap is an errand
 * (memory_link.h); replies come in the order of requests, and events after them.
 */
#include <unistd.h>

#include "base/text.h"
#include "rdp/actors/actors.h"
#include "rdp/connection.h"
#include "rdp/memory_rounds.h"

static ubi__rdp_memory_link *link_of(const ubi__rdp_call *call) {
    return ubi__rdp_call_actor(call)->payload;
}

/* ---- making ------------------------------------------------------------------------------------------------------------- */

static void link_init(ubi__rdp_memory_link *link) {
    link->drain_ms = link->drain_at_ms = link->patience_at_ms = UINT64_MAX;
}

ubi_status ubi__rdp_memory_make(ubi__rdp_actor **out, ubi__rdp_actor *target) {
    ubi__rdp_link *link = NULL;
    UBI_TRY(ubi__rdp_link_make(&link, out, target, &ubi__rdp_memory_type, &ubi__rdp_memory_link_type));
    if (link)
        link_init((ubi__rdp_memory_link *)link);
    return UBI_OK;
}

static void memory_destroy(ubi__rdp_actor *actor) {
    ubi__rdp_link_leave(actor->payload);
}

static ubi_status errand_run(ubi__rdp_call *call, ubi__rdp_errand_fn perform, void (*arrive)(ubi__rdp_errand *errand)) {
    ubi__rdp_memory_errand *errand = ubi__rdp_memory_errand_new(link_of(call), call, perform);
    if (!errand)
        return ubi__fail_nomem();
    errand->errand.arrive = arrive;
    return ubi__rdp_errand_send(&errand->errand);
}

/* ---- draining ----------------------------------------------------------------------------------------------------------- */

/* An actor has one alarm: for what comes first. */
static void alarm_set(const ubi__rdp_memory_link *link) {
    uint64_t at_ms = link->drain_at_ms < link->patience_at_ms ? link->drain_at_ms : link->patience_at_ms;
    ubi__rdp_actor *actor = link->link.actor;
    if (!actor)
        return;
    uint64_t now_ms = actor->connection->now_ms;
    ubi__rdp_actor_set_alarm(actor, at_ms == UINT64_MAX ? UINT64_MAX : at_ms > now_ms ? at_ms - now_ms : 0);
}

static void drain_plan(ubi__rdp_memory_link *link, uint64_t drain_ms) {
    link->drain_ms = drain_ms;
    link->drain_at_ms = UINT64_MAX;
    if (link->link.actor && drain_ms != UINT64_MAX)
        link->drain_at_ms = link->link.actor->connection->now_ms + drain_ms;
    alarm_set(link);
}

/* The recording may have ended meanwhile. */
static void drain_arrive(ubi__rdp_errand *errand) {
    ubi__rdp_memory_link_of(errand)->is_draining = false;
    drain_plan(ubi__rdp_memory_link_of(errand),
               errand->status == UBI_OK ? ubi__rdp_memory_link_of(errand)->drain_ms : UINT64_MAX);
}

/* A client that does not read is not drained for: its log keeps the newest. */
static void link_drain(ubi__rdp_memory_link *link) {
    bool is_possible = !link->is_draining && !link->link.actor->connection->is_congested;
    ubi__rdp_errand *errand = is_possible ? ubi__rdp_errand_new(&link->link, NULL, ubi__rdp_memory_drain) : NULL;
    if (!errand) {
        drain_plan(link, link->drain_ms);
        return;
    }
    link->is_draining = true;
    link->drain_at_ms = UINT64_MAX;
    errand->arrive = drain_arrive;
    (void)ubi__rdp_errand_send(errand);
}

static void memory_alarm(ubi__rdp_actor *actor) {
    ubi__rdp_memory_link *link = actor->payload;
    uint64_t now_ms = actor->connection->now_ms;
    bool is_patience_over = link->patience_at_ms <= now_ms;
    if (link->drain_at_ms <= now_ms)
        link_drain(link);
    if (is_patience_over)
        link->patience_at_ms = UINT64_MAX;
    alarm_set(link);
    if (is_patience_over && link->round) /* the last: requests that wait are performed then */
        ubi__rdp_round_lose_patience(link->round);
}

/* ---- attaching ---------------------------------------------------------------------------------------------------------- */

static void attach_arrive(ubi__rdp_errand *errand) {
    ubi__rdp_memory_link_of(errand)->is_attached =
        ubi__rdp_memory_link_of(errand)->is_attached || errand->status == UBI_OK;
}

static void detach_arrive(ubi__rdp_errand *errand) {
    if (errand->status != UBI_OK)
        return;
    ubi__rdp_memory_link_of(errand)->is_attached = false;
    drain_plan(ubi__rdp_memory_link_of(errand), UINT64_MAX);
}

static ubi_status attach(ubi__rdp_call *call) {
    return errand_run(call, ubi__rdp_memory_attach, attach_arrive);
}

static ubi_status detach(ubi__rdp_call *call) {
    return errand_run(call, ubi__rdp_memory_detach, detach_arrive);
}

static ubi_status state_get(ubi__rdp_call *call) {
    const char *state = link_of(call)->is_attached ? "attached" : "detached";
    ubi__json_member_string(ubi__rdp_reply_begin(call), "state", state);
    return ubi__rdp_reply_end(call);
}

/* ---- recording ---------------------------------------------------------------------------------------------------------- */

static void start_arrive(ubi__rdp_errand *errand) {
    const ubi__rdp_memory_errand *e = ubi__rdp_memory_errand_of(errand);
    if (errand->status == UBI_OK && e->has_begun)
        drain_plan(ubi__rdp_memory_link_of(errand), e->drain_ms);
}

static void stop_arrive(ubi__rdp_errand *errand) {
    if (errand->status == UBI_OK)
        drain_plan(ubi__rdp_memory_link_of(errand), UINT64_MAX);
}

enum { PROBABILITY, MAX_LOG_LENGTH, DRAIN_TIMEOUT, RECORDING_OPTIONS };

static const ubi__rdp_field recording_options[] = {
    { "probability", UBI__RDP_NUMBER, UBI__RDP_OPTIONAL, "that an allocation is recorded: 0 to 1" },
    { "maxLogLength", UBI__RDP_NUMBER, UBI__RDP_OPTIONAL, "entries that are kept, the newest" },
    { "drainAllocationsTimeout", UBI__RDP_NUMBER, UBI__RDP_OPTIONAL, "milliseconds between events" },
    UBI__RDP_END,
};

/* As JavaScript makes an int32 of a number, of those that fit; others are refused by the bridge. */
static int32_t int32_of(double number) {
    return number >= 1 && number <= INT32_MAX ? (int32_t)number : 0;
}

static uint64_t timeout_of(double ms) {
    return ms >= 1 && ms <= INT32_MAX ? (uint64_t)ms : ms > INT32_MAX ? INT32_MAX : 1;
}

static ubi_status recording_options_read(ubi__rdp_memory_errand *errand, const ubi__json_value *options,
                                         const char **error_name) {
    ubi__json_value values[RECORDING_OPTIONS];
    double number = 0;
    UBI_TRY(ubi__rdp_fields_read(values, recording_options, options, error_name));
    if (ubi__json_value_number(&number, &values[PROBABILITY])) {
        errand->recording.has_probability = true;
        errand->recording.probability = number;
    }
    if (ubi__json_value_number(&number, &values[MAX_LOG_LENGTH])) {
        errand->recording.has_max_log_length = true;
        errand->recording.max_log_length = int32_of(number);
    }
    if (ubi__json_value_number(&number, &values[DRAIN_TIMEOUT]))
        errand->drain_ms = timeout_of(number);
    return UBI_OK;
}

static ubi_status recording_start(ubi__rdp_call *call) {
    const char *error_name = NULL;
    ubi__rdp_memory_errand *errand = ubi__rdp_memory_errand_new(link_of(call), call, ubi__rdp_memory_start);
    if (!errand)
        return ubi__fail_nomem();
    errand->errand.arrive = start_arrive;
    ubi_status status = recording_options_read(errand, ubi__rdp_argument(call, 0), &error_name);
    if (status == UBI_OK)
        return ubi__rdp_errand_send(&errand->errand);
    ubi__rdp_errand_drop(&errand->errand);
    return ubi__rdp_reply_error(call, error_name, status);
}

static ubi_status recording_stop(ubi__rdp_call *call) {
    return errand_run(call, ubi__rdp_memory_stop, stop_arrive);
}

/* An errand whose packet is sent to no one. */
static void arrive_silently(ubi__rdp_errand *errand) {
    if (errand->perform == ubi__rdp_memory_attach)
        attach_arrive(errand);
    else if (errand->perform == ubi__rdp_memory_start)
        start_arrive(errand);
    else
        stop_arrive(errand);
    errand->status = UBI_ECANCELLED;
}

static ubi_status errand_run_silently(ubi__rdp_memory_link *link, ubi__rdp_errand_fn perform,
                                      const ubi__json_value *options) {
    const char *error_name = NULL;
    ubi__rdp_memory_errand *errand = ubi__rdp_memory_errand_new(link, NULL, perform);
    if (!errand)
        return ubi__fail_nomem();
    errand->errand.arrive = arrive_silently;
    ubi_status status = options ? recording_options_read(errand, options, &error_name) : UBI_OK;
    if (status == UBI_OK)
        return ubi__rdp_errand_send(&errand->errand);
    ubi__rdp_errand_drop(&errand->errand);
    return status;
}

ubi_status ubi__rdp_memory_configure(ubi__rdp_actor *memory, const ubi__json_value *options) {
    ubi__rdp_memory_link *link = memory->payload;
    if (options->type == UBI__JSON_NULL)
        return errand_run_silently(link, ubi__rdp_memory_stop, NULL);
    UBI_TRY(errand_run_silently(link, ubi__rdp_memory_attach, NULL));
    return errand_run_silently(link, ubi__rdp_memory_start, options);
}

static ubi_status settings_get(ubi__rdp_call *call) {
    return errand_run(call, ubi__rdp_memory_settings, NULL);
}

static ubi_status allocations_get(ubi__rdp_call *call) {
    return errand_run(call, ubi__rdp_memory_allocations, NULL);
}

/* ---- counts, collections, sizes ----------------------------------------------------------------------------------------- */

/* Of several runtimes, or of one that has ended. */
static bool is_of_several(const ubi__rdp_call *call) {
    const ubi__rdp_link *link = &link_of(call)->link;
    return link->is_of_process && ubi__rdp_offer_has_others(link->tab->offer, link->tab);
}

/* The reply waits for all runtimes, but not for ever. */
static ubi_status round_run(ubi__rdp_call *call, const ubi__rdp_round_type *type, uint64_t snapshot) {
    ubi__rdp_memory_link *link = link_of(call);
    UBI_TRY(ubi__rdp_round_start(link, call, type, snapshot));
    if (link->round && link->link.actor) {
        link->patience_at_ms = link->link.actor->connection->now_ms + UBI__RDP_PATIENCE_MS;
        alarm_set(link);
    }
    return UBI_OK;
}

static ubi_status census_take(ubi__rdp_call *call) {
    if (is_of_several(call))
        return round_run(call, &ubi__rdp_census_round, 0);
    return errand_run(call, ubi__rdp_memory_census, NULL);
}

static ubi_status garbage_collect(ubi__rdp_call *call) {
    return round_run(call, &ubi__rdp_garbage_round, 0);
}

static ubi_status cycles_collect(ubi__rdp_call *call) {
    return round_run(call, &ubi__rdp_cycles_round, 0);
}

static ubi_status measure(ubi__rdp_call *call) {
    if (link_of(call)->link.is_of_process)
        return round_run(call, &ubi__rdp_measure_round, 0);
    return errand_run(call, ubi__rdp_memory_measure, NULL);
}

static ubi_status resident_unique_get(ubi__rdp_call *call) {
    return errand_run(call, ubi__rdp_memory_resident, NULL);
}

/* ---- snapshots ---------------------------------------------------------------------------------------------------------- */

/* The file is deleted with the connection; when that is gone already, now. */
void ubi__rdp_snapshot_arrived(const ubi__rdp_actor *memory, const ubi__rdp_offer *offer, uint64_t snapshot) {
    char path[UBI__PRIVATE_PATH_BYTES];
    if (memory) {
        ubi__rdp_session_keep_snapshot(ubi__rdp_session_of(memory), snapshot);
        return;
    }
    ubi__rdp_snapshot_path(path, offer, snapshot);
    (void)unlink(path);
}

static void save_arrive(ubi__rdp_errand *errand) {
    if (errand->status == UBI_OK)
        ubi__rdp_snapshot_arrived(errand->link->actor, errand->link->tab->offer,
                                  ubi__rdp_memory_errand_of(errand)->snapshot);
}

static uint64_t snapshot_number(const ubi__rdp_memory_link *link) {
    return atomic_fetch_add(&link->link.tab->offer->last_snapshot, 1) + 1;
}

static const ubi__rdp_field known_boundaries[] = {
    { "runtime", UBI__RDP_ANY, UBI__RDP_OPTIONAL, "true: everything in the runtime" },
    UBI__RDP_END,
};

/* False: nothing that can be said in JSON. */
static bool boundaries_read(ubi_memory_boundaries *out, const ubi__rdp_memory_link *link,
                            const ubi__json_value *boundaries) {
    const char *error_name = NULL;
    ubi__json_value runtime;
    *out = link->link.is_of_process ? UBI_MEMORY_OF_RUNTIME : UBI_MEMORY_OF_SCOPE;
    if (boundaries->type == UBI__JSON_NULL)
        return true;
    if (ubi__rdp_fields_read(&runtime, known_boundaries, boundaries, &error_name) != UBI_OK ||
        runtime.type != UBI__JSON_TRUE)
        return false;
    *out = UBI_MEMORY_OF_RUNTIME;
    return true;
}

static ubi_status snapshot_save(ubi__rdp_call *call) {
    ubi__rdp_memory_link *link = link_of(call);
    ubi_memory_boundaries boundaries;
    if (!boundaries_read(&boundaries, link, ubi__rdp_argument(call, 0)))
        return ubi__rdp_reply_failure(call, "NS_ERROR_ILLEGAL_VALUE", "boundaries must be null or {\"runtime\": true}");
    if (is_of_several(call))
        return round_run(call, &ubi__rdp_snapshot_round, snapshot_number(link));
    ubi__rdp_memory_errand *errand = ubi__rdp_memory_errand_new(link, call, ubi__rdp_memory_save);
    if (!errand)
        return ubi__fail_nomem();
    errand->errand.arrive = save_arrive;
    errand->boundaries = boundaries;
    errand->snapshot = snapshot_number(link);
    return ubi__rdp_errand_send(&errand->errand);
}

/* ---- tables ------------------------------------------------------------------------------------------------------------- */

static const ubi__rdp_field attach_replies[] = {
    { "type", UBI__RDP_STRING, UBI__RDP_REQUIRED, "`attached`" },
    UBI__RDP_END,
};
static const ubi__rdp_field detach_replies[] = {
    { "type", UBI__RDP_STRING, UBI__RDP_REQUIRED, "`detached`" },
    UBI__RDP_END,
};
static const ubi__rdp_field state_replies[] = {
    { "state", UBI__RDP_STRING, UBI__RDP_REQUIRED, "`attached` or `detached`" },
    UBI__RDP_END,
};
/* Of what all runtimes of the process have a part in. */
#define MISSING_REPLIES                                                                                                \
    { "missing", UBI__RDP_NUMBER, UBI__RDP_OPTIONAL,                                                                   \
      "runtimes of the process that have no part in it; none: no member" },                                            \
    {                                                                                                                  \
        "missingRuntimes", UBI__RDP_ARRAY, UBI__RDP_OPTIONAL, "their titles"                                           \
    }

static const ubi__rdp_field census_replies[] = {
    { "objects", UBI__RDP_OBJECT, UBI__RDP_REQUIRED, "by class: `count` and `bytes`" },
    { "scripts", UBI__RDP_OBJECT, UBI__RDP_REQUIRED, "`count` and `bytes`" },
    { "strings", UBI__RDP_OBJECT, UBI__RDP_REQUIRED, "the same" },
    { "other", UBI__RDP_OBJECT, UBI__RDP_REQUIRED, "by type: the same" },
    { "domNode", UBI__RDP_OBJECT, UBI__RDP_REQUIRED, "the same" },
    MISSING_REPLIES,
    UBI__RDP_END,
};
static const ubi__rdp_field start_arguments[] = {
    { "options", UBI__RDP_OBJECT, UBI__RDP_OPTIONAL,
      "`probability` (0 to 1; 1), `maxLogLength` (what it was before, at first 5000), `drainAllocationsTimeout` "
      "(milliseconds: sends `allocations` this often, and after each collection)" },
    UBI__RDP_END,
};
static const ubi__rdp_field time_replies[] = {
    { "value", UBI__RDP_NUMBER, UBI__RDP_REQUIRED, "milliseconds since the process started" },
    UBI__RDP_END,
};
static const ubi__rdp_field settings_replies[] = {
    { "options", UBI__RDP_OBJECT, UBI__RDP_REQUIRED, "`maxLogLength`, `probability`" },
    UBI__RDP_END,
};
static const ubi__rdp_field allocations_replies[] = {
    { "allocations", UBI__RDP_ARRAY, UBI__RDP_REQUIRED, "of each allocation the index of its frame, oldest first" },
    { "allocationsTimestamps", UBI__RDP_ARRAY, UBI__RDP_REQUIRED,
      "microseconds since the epoch (Firefox sends milliseconds since its start)" },
    { "allocationSizes", UBI__RDP_ARRAY, UBI__RDP_REQUIRED, "bytes" },
    { "frames", UBI__RDP_ARRAY, UBI__RDP_REQUIRED,
      "all since the recording began, null first; an index stays that of its frame" },
    { "summary", UBI__RDP_OBJECT, UBI__RDP_REQUIRED, "of the recording: `count`, `bytes`, `overflowed`" },
    UBI__RDP_END,
};
static const ubi__rdp_field collection_replies[] = {
    MISSING_REPLIES,
    UBI__RDP_END,
};
static const ubi__rdp_field measure_replies[] = {
    { "total", UBI__RDP_NUMBER, UBI__RDP_REQUIRED, "bytes: the sum of the sizes that follow" },
    { "domSize", UBI__RDP_NUMBER, UBI__RDP_REQUIRED, "bytes" },
    { "styleSize", UBI__RDP_NUMBER, UBI__RDP_REQUIRED, "0" },
    { "jsObjectsSize", UBI__RDP_NUMBER, UBI__RDP_REQUIRED, "bytes" },
    { "jsStringsSize", UBI__RDP_NUMBER, UBI__RDP_REQUIRED, "bytes" },
    { "jsOtherSize", UBI__RDP_NUMBER, UBI__RDP_REQUIRED, "bytes" },
    { "otherSize", UBI__RDP_NUMBER, UBI__RDP_REQUIRED, "bytes that the engine holds and no object is" },
    { "jsMilliseconds", UBI__RDP_STRING, UBI__RDP_REQUIRED, "what it took, with one decimal" },
    { "nonJSMilliseconds", UBI__RDP_STRING, UBI__RDP_REQUIRED, "the same" },
    { "runtimes", UBI__RDP_NUMBER, UBI__RDP_OPTIONAL, "of the process's actor: how many the sizes are the sums of" },
    { "missing", UBI__RDP_NUMBER, UBI__RDP_OPTIONAL,
      "of the process's actor: runtimes that came to no safe point in time, or cannot be measured" },
    { "missingRuntimes", UBI__RDP_ARRAY, UBI__RDP_OPTIONAL, "of the process's actor: their titles" },
    { "runtimeSizes", UBI__RDP_ARRAY, UBI__RDP_OPTIONAL,
      "of the process's actor: of each of the others `browserId`, `title`, `jsSize` (objects, strings and other of "
      "JavaScript) and `total`" },
    { "resident", UBI__RDP_NUMBER, UBI__RDP_OPTIONAL, "of the process's actor: bytes in RAM" },
    { "residentUnique", UBI__RDP_NUMBER, UBI__RDP_OPTIONAL, "of the process's actor: of them, no one else's" },
    UBI__RDP_END,
};
static const ubi__rdp_field resident_replies[] = {
    { "value", UBI__RDP_NUMBER, UBI__RDP_REQUIRED, "bytes of RAM that the process alone has" },
    UBI__RDP_END,
};
static const ubi__rdp_field save_arguments[] = {
    { "boundaries", UBI__RDP_OBJECT, UBI__RDP_OPTIONAL, "null, or `{\"runtime\": true}`" },
    UBI__RDP_END,
};
static const ubi__rdp_field save_replies[] = {
    { "snapshotId", UBI__RDP_STRING, UBI__RDP_REQUIRED, "`ubi-N`, for `transferHeapSnapshot`" },
    { "pauseMilliseconds", UBI__RDP_NUMBER, UBI__RDP_REQUIRED,
      "how long the program waited for it (Firefox: not); of several runtimes the longest" },
    { "runtimes", UBI__RDP_NUMBER, UBI__RDP_OPTIONAL,
      "of the process's actor: how many are in it, if there are several" },
    MISSING_REPLIES,
    UBI__RDP_END,
};
static const ubi__rdp_field data_fields[] = {
    { "data", UBI__RDP_OBJECT, UBI__RDP_REQUIRED, "as the reply of `getAllocations`" },
    UBI__RDP_END,
};
static const ubi__rdp_field collection_fields[] = {
    { "data", UBI__RDP_OBJECT, UBI__RDP_REQUIRED,
      "`reason`, `nonincrementalReason`, `gcCycleNumber`, `collections`: `startTimestamp` and `endTimestamp` of each, "
      "in "
      "milliseconds since the process started" },
    UBI__RDP_END,
};

static const ubi__rdp_method methods[] = {
    { "attach", attach, NULL, attach_replies, false, "observes the target from now on", "Firefox, foxdriver" },
    { "detach", detach, NULL, detach_replies, false, "ends that, and a recording", "Firefox, foxdriver" },
    { "getState", state_get, NULL, state_replies, false, "whether it is attached", "Firefox, foxdriver" },
    { "takeCensus", census_take, NULL, census_replies, false,
      "counts what is in the heap; of the process's actor, in all runtimes", "Firefox, foxdriver" },
    { "startRecordingAllocations", recording_start, start_arguments, time_replies, false,
      "records where objects are allocated; when it does already, changes nothing; of the process's actor, in its "
      "first "
      "runtime alone",
      "Firefox, foxdriver" },
    { "stopRecordingAllocations", recording_stop, NULL, time_replies, false, "ends that", "Firefox, foxdriver" },
    { "getAllocationsSettings", settings_get, NULL, settings_replies, false, "how it records", "Firefox, foxdriver" },
    { "getAllocations", allocations_get, NULL, allocations_replies, false, "what was allocated since the last time",
      "Firefox, foxdriver" },
    { "forceGarbageCollection", garbage_collect, NULL, collection_replies, false,
      "collects in each runtime of the process, each on its thread, and waits for all: for others than this one 2 s at "
      "most",
      "Firefox, foxdriver" },
    { "forceCycleCollection", cycles_collect, NULL, collection_replies, false, "the same, of cycles",
      "Firefox, foxdriver" },
    { "measure", measure, NULL, measure_replies, false,
      "sizes of this target's memory; of the process's actor, of all runtimes, as far as they come to a safe point "
      "within 2 s",
      "Firefox, foxdriver, firefox-client" },
    { "residentUnique", resident_unique_get, NULL, resident_replies, false, "memory of the process", "Firefox" },
    { "saveHeapSnapshot", snapshot_save, save_arguments, save_replies, false,
      "writes a snapshot on the server; of the process's actor, of all runtimes, each below a root that has its title",
      "Firefox, foxdriver" },
    UBI__RDP_METHODS_END,
};
static const ubi__rdp_event events[] = {
    { "garbage-collection", collection_fields, "a collection has ended; while attached" },
    { UBI__RDP_ALLOCATIONS_EVENT, data_fields, "what `drainAllocationsTimeout` asked for" },
    UBI__RDP_METHODS_END,
};
const ubi__rdp_actor_type ubi__rdp_memory_type = {
    .name = "memory",
    .help = "the memory of a target",
    .methods = methods,
    .events = events,
    .destroy = memory_destroy,
    .alarm = memory_alarm,
};
