/* SPDX-License-Identifier: MIT
 *
 * memory_bridge.c: see ubiheap/server/memory_bridge.h.
 *
 * Two states and a recording within the second. All is asked of the target through its interface: no engine is known here.
 *
 * The target's log is on a clock that begins with the process. What it is behind the epoch is looked at once, when a recording starts, so
 * times of one recording keep their distances when the system's clock is set.
 *
 * What was taken from the log stays until the call after the one that handed it over: a call that fails in the middle loses nothing.
 */
#include <ubiheap/server/memory_bridge.h>

#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "base/assert.h"
#include "base/text.h"
#include "stacks/frame_cache.h"
#include "targets/target_need.h"

struct ubi_memory_bridge {
    const ubi_allocator *allocator;
    ubi_target target;
    const ubi_target_scope *scope;
    ubi_collection_fn on_collection;
    void *payload;
    bool is_attached, is_recording;
    ubi_target_observer observer; /* while attached */
    ubi__frame_cache frames;
    /* Entries of the log: columns of one length. */
    ubi__vec_u32 entry_frames;
    ubi__vec_u64 entry_times_us, entry_bytes;
    bool was_handed_over; /* they are the caller's, and go with the next call */
    bool has_overflowed;  /* of what is in the columns */
    /* Since the recording began: */
    double epoch_us; /* of the log's clock, at 0 */
    bool has_lost_some;
    uint64_t logged_before; /* entries of the observer until then */
    uint64_t taken_count;   /* of the observer since then */
    uint64_t total_count, total_bytes;
    uint64_t lost_before; /* by observers before this one */
};

static void memory_bridge_check(const ubi_memory_bridge *b) {
    if (!UBI_CHECKS)
        return;
    UBI_ASSERT(!b->is_recording || b->is_attached);
    UBI_ASSERT(b->is_attached == (b->observer.ops != NULL));
    UBI_ASSERT(b->entry_times_us.n == b->entry_frames.n && b->entry_bytes.n == b->entry_frames.n);
    UBI_ASSERT(b->is_recording || b->entry_frames.n == 0);
    UBI_ASSERT(b->taken_count <= b->total_count && b->entry_frames.n <= b->total_count);
}

static ubi_status memory_bridge_need_attached(const ubi_memory_bridge *b, const char *activity) {
    memory_bridge_check(b);
    if (b->is_attached)
        return UBI_OK;
    UBI_TRY(ubi__target_need(b->target, UBI_TARGET_OBSERVE, "be observed")); /* it never is attached */
    return ubi__fail(UBI_ESTATE, "Wrong state while %s:Expected 'attached', but current state is 'detached'.",
                     activity);
}

/* ---- bridges -------------------------------------------------------------------------------------------------------- */

ubi_status ubi_memory_bridge_new(ubi_memory_bridge **out, ubi_target target, const ubi_memory_bridge_options *options) {
    static const ubi_memory_bridge_options defaults = UBI_MEMORY_BRIDGE_OPTIONS_INIT;
    const ubi_memory_bridge_options *o = options ? options : &defaults;
    UBI_TRY(ubi__version_check(o->version, UBI_MEMORY_BRIDGE_OPTIONS_VERSION, "ubi_memory_bridge_options"));
    if (!ubi_target_can(target, 0))
        return ubi__fail(UBI_EINVAL, "the operations of the target are of an unknown version");
    const ubi_allocator *allocator = ubi__allocator_or_default(o->allocator);
    ubi_memory_bridge *b = UBI_NEW(allocator, ubi_memory_bridge);
    if (!b)
        return ubi__fail_nomem();
    b->allocator = allocator;
    b->target = target;
    b->scope = o->scope;
    b->on_collection = o->on_collection;
    b->payload = o->payload;
    ubi__frame_cache_init(&b->frames, allocator);
    *out = b;
    return UBI_OK;
}

/* The summary stays: a recording may have ended. */
static void memory_bridge_clear(ubi_memory_bridge *b) {
    b->entry_frames.n = b->entry_times_us.n = b->entry_bytes.n = 0;
    b->was_handed_over = b->has_overflowed = false;
}

void ubi_memory_bridge_free(ubi_memory_bridge *b) {
    if (!b)
        return;
    if (b->is_attached)
        (void)ubi_memory_bridge_detach(b);
    ubi__frame_cache_fini(&b->frames);
    ubi__vec_u32_fini(&b->entry_frames, b->allocator);
    ubi__vec_u64_fini(&b->entry_times_us, b->allocator);
    ubi__vec_u64_fini(&b->entry_bytes, b->allocator);
    UBI_DELETE(b->allocator, b);
}

static void pass_collection(void *payload, const ubi_collection *collection) {
    const ubi_memory_bridge *b = payload;
    b->on_collection(b->payload, collection);
}

static ubi_status memory_bridge_observe(ubi_memory_bridge *b, ubi_target_observer *out) {
    UBI_TRY(ubi_target_observe(out, b->target, b->scope));
    if (b->on_collection)
        ubi_target_observer_on_collection(*out, pass_collection, b);
    return UBI_OK;
}

ubi_status ubi_memory_bridge_attach(ubi_memory_bridge *b) {
    ubi_target_observer observer;
    if (b->is_attached)
        return UBI_OK;
    UBI_TRY(memory_bridge_observe(b, &observer));
    b->observer = observer;
    b->is_attached = true;
    memory_bridge_check(b);
    return UBI_OK;
}

ubi_status ubi_memory_bridge_detach(ubi_memory_bridge *b) {
    UBI_TRY(memory_bridge_need_attached(b, "detaching from the debugger"));
    b->is_attached = b->is_recording = false;
    ubi_target_observer_free(b->observer);
    b->observer = (ubi_target_observer){ 0 };
    memory_bridge_clear(b);
    ubi__frame_cache_clear(&b->frames);
    return UBI_OK;
}

bool ubi_memory_bridge_is_attached(const ubi_memory_bridge *b) {
    return b->is_attached;
}

/* ---- looking at the heap -------------------------------------------------------------------------------------------- */

static ubi_status memory_bridge_count(ubi_census **out, ubi_memory_bridge *b, const ubi_breakdown *breakdown) {
    ubi_census_options options = UBI_CENSUS_OPTIONS_INIT;
    options.allocator = b->allocator;
    return ubi_target_census(out, b->target, b->scope, breakdown, &options);
}

ubi_status ubi_memory_bridge_census(ubi_census **out, ubi_memory_bridge *b) {
    UBI_TRY(memory_bridge_need_attached(b, "taking census"));
    return memory_bridge_count(out, b, NULL);
}

static ubi_status snapshot_scope(const ubi_target_scope **out, const ubi_memory_bridge *b,
                                 ubi_memory_boundaries boundaries) {
    UBI_TRY(memory_bridge_need_attached(b, "saveHeapSnapshot"));
    if (boundaries != UBI_MEMORY_OF_SCOPE && boundaries != UBI_MEMORY_OF_RUNTIME)
        return ubi__fail(UBI_EINVAL, "unknown boundaries %d", (int)boundaries);
    *out = boundaries == UBI_MEMORY_OF_SCOPE ? b->scope : NULL;
    return UBI_OK;
}

ubi_status ubi_memory_bridge_save_snapshot(ubi_memory_bridge *b, const char *path, ubi_memory_boundaries boundaries,
                                           const ubi_save_options *options, ubi_save_info *info) {
    const ubi_target_scope *scope = NULL;
    UBI_TRY(snapshot_scope(&scope, b, boundaries));
    return ubi_target_save(b->target, scope, path, options, info);
}

ubi_status ubi_memory_bridge_capture(ubi_graph **out, ubi_memory_bridge *b, ubi_memory_boundaries boundaries) {
    const ubi_target_scope *scope = NULL;
    UBI_TRY(snapshot_scope(&scope, b, boundaries));
    return ubi_target_capture(out, b->target, scope, b->allocator);
}

ubi_status ubi_memory_bridge_collect_garbage(ubi_memory_bridge *b) {
    return ubi_target_collect_garbage(b->target);
}

ubi_status ubi_memory_bridge_collect_cycles(ubi_memory_bridge *b) {
    return ubi_target_collect_cycles(b->target);
}

/* ---- measuring ------------------------------------------------------------------------------------------------------ */

#define BYTES "{\"by\":\"count\",\"count\":false,\"bytes\":true}"
static const char bytes_by_type[] = "{\"by\":\"coarseType\",\"objects\":" BYTES ",\"scripts\":" BYTES
                                    ",\"strings\":" BYTES ",\"other\":" BYTES ",\"domNode\":" BYTES "}";

static void measure_add_report(ubi_memory_measure *m, const ubi_report *report) {
    for (uint32_t i = 0; i < ubi_report_entry_count(report); i++) {
        ubi_report_key key;
        ubi_report_count count;
        ubi_report_get_count(ubi_report_entry(report, i, &key), &count);
        uint64_t *size = ubi__text_is(key.text, "objects")   ? &m->js_objects_size
                         : ubi__text_is(key.text, "strings") ? &m->js_strings_size
                         : ubi__text_is(key.text, "domNode") ? &m->dom_size
                                                             : &m->js_other_size;
        *size += count.bytes;
    }
}

/* What no census meets. */
static void measure_add_row(void *payload, const ubi_measure_row *row) {
    ubi_memory_measure *m = payload;
    if (ubi__text_is(row->name, "unattributedSize") || ubi__text_is(row->name, "unreachableSize"))
        m->other_size += row->value;
}

static ubi_status measure_count(ubi_memory_measure *m, ubi_memory_bridge *b) {
    ubi_breakdown *breakdown;
    ubi_census *census;
    UBI_TRY(ubi_breakdown_parse(&breakdown, ubi__text(bytes_by_type), UBI_COMPAT_NONE, b->allocator));
    ubi_status status = memory_bridge_count(&census, b, breakdown);
    ubi_breakdown_unref(breakdown);
    if (status != UBI_OK)
        return status;
    measure_add_report(m, ubi_census_report(census));
    ubi_census_free(census);
    return UBI_OK;
}

static double clock_ms(void) {
    return (double)ubi_process_clock_ns() / 1e6;
}

/* One that knows its sizes and no objects. */
static bool memory_bridge_has_rows_only(const ubi_memory_bridge *b) {
    return !b->scope && !ubi_target_can(b->target, UBI_TARGET_WALK) && ubi_target_can(b->target, UBI_TARGET_MEASURE);
}

/* Rows of the target are about all of it: a part has but what a walk meets. */
ubi_status ubi_memory_bridge_measure(ubi_memory_measure *out, ubi_memory_bridge *b) {
    ubi_memory_measure m = UBI_MEMORY_MEASURE_INIT;
    UBI_TRY(ubi__result_check(&out->struct_bytes, "ubi_memory_measure"));
    double begin_ms = clock_ms();
    if (!memory_bridge_has_rows_only(b))
        UBI_TRY(measure_count(&m, b));
    double counted_ms = clock_ms();
    if (!b->scope && ubi_target_can(b->target, UBI_TARGET_MEASURE))
        UBI_TRY(ubi_target_measure(b->target, measure_add_row, &m));
    m.js_ms = counted_ms - begin_ms;
    m.non_js_ms = clock_ms() - counted_ms;
    m.total = m.dom_size + m.style_size + m.js_objects_size + m.js_strings_size + m.js_other_size + m.other_size;
    ubi__result_fill(out, &m, sizeof m);
    return UBI_OK;
}

typedef struct process_rows {
    uint64_t resident_bytes, unique_bytes;
    bool has_resident, has_unique;
} process_rows;

static void process_take_row(void *payload, const ubi_measure_row *row) {
    process_rows *rows = payload;
    if (ubi__text_is(row->name, "residentSize")) {
        rows->resident_bytes = row->value;
        rows->has_resident = true;
    } else if (ubi__text_is(row->name, "residentUniqueSize")) {
        rows->unique_bytes = row->value;
        rows->has_unique = true;
    }
}

/* A heap that can be walked is in this process. */
ubi_status ubi_memory_bridge_process_memory(ubi_process_memory *out, bool *is_elsewhere, ubi_memory_bridge *b) {
    process_rows rows = { 0 };
    UBI_TRY(ubi__result_check(&out->struct_bytes, "ubi_process_memory"));
    if (memory_bridge_has_rows_only(b))
        UBI_TRY(ubi_target_measure(b->target, process_take_row, &rows));
    if (is_elsewhere)
        *is_elsewhere = rows.has_resident && rows.has_unique;
    if (!rows.has_resident || !rows.has_unique)
        return ubi_process_memory_read(out);
    const ubi_process_memory full = { sizeof full, rows.resident_bytes, rows.unique_bytes };
    ubi__result_fill(out, &full, sizeof full);
    return UBI_OK;
}

/* ---- recording ------------------------------------------------------------------------------------------------------ */

static ubi_target_observer_state observer_state(const ubi_memory_bridge *b) {
    ubi_target_observer_state state;
    ubi_target_observer_get_state(b->observer, &state);
    return state;
}

static void memory_bridge_give_time(const ubi_memory_bridge *b, double *now_ms) {
    if (now_ms)
        *now_ms = observer_state(b).now_ms;
}

/* In the words of Debugger.Memory. */
static ubi_status recording_options_check(const ubi_memory_recording_options *o) {
    UBI_TRY(ubi__version_check(o->version, UBI_MEMORY_RECORDING_OPTIONS_VERSION, "ubi_memory_recording_options"));
    if (o->has_probability && !(o->probability >= 0 && o->probability <= 1))
        return ubi__fail(UBI_EINVAL, "(set allocationSamplingProbability)'s parameter is not a number between 0 and 1");
    if (o->has_max_log_length && o->max_log_length < 1)
        return ubi__fail(UBI_EINVAL, "(set maxAllocationsLogLength)'s parameter is not a positive integer");
    return UBI_OK;
}

static ubi_status observer_record(ubi_target_observer observer, double probability, uint32_t log_limit) {
    UBI_TRY(ubi_target_observer_set_probability(observer, probability));
    UBI_TRY(ubi_target_observer_set_log_limit(observer, log_limit));
    return ubi_target_observer_set_tracking(observer, true);
}

static double epoch_of_log(const ubi_target_observer_state *state) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3 - state->now_ms * 1e3;
}

static void memory_bridge_begin_recording(ubi_memory_bridge *b, const ubi_target_observer_state *state,
                                          double epoch_us) {
    memory_bridge_clear(b);
    ubi__frame_cache_clear(&b->frames);
    b->epoch_us = epoch_us;
    b->logged_before = state->logged_count;
    b->taken_count = b->total_count = b->total_bytes = b->lost_before = 0;
    b->has_lost_some = false;
    b->is_recording = true;
}

ubi_status ubi_memory_bridge_start_recording(ubi_memory_bridge *b, const ubi_memory_recording_options *options,
                                             double *now_ms) {
    static const ubi_memory_recording_options defaults = UBI_MEMORY_RECORDING_OPTIONS_INIT;
    const ubi_memory_recording_options *o = options ? options : &defaults;
    UBI_TRY(memory_bridge_need_attached(b, "starting recording allocations"));
    if (!b->is_recording) {
        ubi_target_observer_state state = observer_state(b);
        const double epoch_us = epoch_of_log(&state); /* now: what follows may take time */
        UBI_TRY(recording_options_check(o));
        UBI_TRY(observer_record(b->observer, o->has_probability ? o->probability : 1,
                                o->has_max_log_length ? (uint32_t)o->max_log_length : state.log_limit));
        memory_bridge_begin_recording(b, &state, epoch_us);
    }
    memory_bridge_give_time(b, now_ms);
    return UBI_OK;
}

ubi_status ubi_memory_bridge_stop_recording(ubi_memory_bridge *b, double *now_ms) {
    UBI_TRY(memory_bridge_need_attached(b, "stopping recording allocations"));
    if (b->is_recording) {
        UBI_TRY(ubi_target_observer_set_tracking(b->observer, false));
        b->is_recording = false;
        memory_bridge_clear(b);
    }
    memory_bridge_give_time(b, now_ms);
    return UBI_OK;
}

bool ubi_memory_bridge_is_recording(const ubi_memory_bridge *b) {
    return b->is_recording;
}

ubi_status ubi_memory_bridge_settings(ubi_memory_settings *out, ubi_memory_bridge *b) {
    UBI_TRY(ubi__result_check(&out->struct_bytes, "ubi_memory_settings"));
    UBI_TRY(memory_bridge_need_attached(b, "getting allocations settings"));
    ubi_target_observer_state state = observer_state(b);
    const ubi_memory_settings full = { sizeof full, state.log_limit, state.probability };
    ubi__result_fill(out, &full, sizeof full);
    return UBI_OK;
}

/* ---- what was recorded ---------------------------------------------------------------------------------------------- */

/* Entries that are neither taken nor in the log any more. */
static uint64_t lost_count(const ubi_memory_bridge *b, const ubi_target_observer_state *state) {
    return b->lost_before + (state->logged_count - b->logged_before) - b->taken_count - state->log_length;
}

typedef struct taking {
    ubi_memory_bridge *bridge;
    ubi_status status;
} taking;

static ubi_status memory_bridge_take(ubi_memory_bridge *b, const ubi_logged_allocation *allocation) {
    const ubi_allocator *a = b->allocator;
    uint32_t frame = 0;
    UBI_TRY(ubi__vec_u32_reserve(&b->entry_frames, a, 1));
    UBI_TRY(ubi__vec_u64_reserve(&b->entry_times_us, a, 1));
    UBI_TRY(ubi__vec_u64_reserve(&b->entry_bytes, a, 1));
    if (allocation->has_frame)
        UBI_TRY(ubi__frame_cache_number(&frame, &b->frames, allocation->frame));
    b->entry_frames.at[b->entry_frames.n++] = frame;
    b->entry_times_us.at[b->entry_times_us.n++] = (uint64_t)(b->epoch_us + allocation->timestamp_ms * 1e3 + .5);
    b->entry_bytes.at[b->entry_bytes.n++] = allocation->size_bytes;
    b->taken_count++;
    b->total_count++;
    b->total_bytes += allocation->size_bytes;
    return UBI_OK;
}

static bool take_allocation(void *payload, const ubi_logged_allocation *allocation) {
    taking *t = payload;
    t->status = memory_bridge_take(t->bridge, allocation);
    return t->status == UBI_OK;
}

static ubi_status memory_bridge_drain(ubi_memory_bridge *b) {
    taking t = { b, UBI_OK };
    if (b->was_handed_over)
        memory_bridge_clear(b);
    b->has_overflowed |= observer_state(b).has_overflowed;
    b->has_lost_some |= b->has_overflowed;
    ubi_status status = ubi_target_observer_drain(b->observer, take_allocation, &t);
    return t.status != UBI_OK ? t.status : status;
}

ubi_status ubi_memory_bridge_allocations(ubi_memory_allocations *out, ubi_memory_bridge *b) {
    UBI_TRY(ubi__result_check(&out->struct_bytes, "ubi_memory_allocations"));
    UBI_TRY(memory_bridge_need_attached(b, "getting allocations"));
    if (!b->is_recording)
        return ubi__fail(UBI_ESTATE, "Cannot call drainAllocationsLog without setting trackingAllocationSites to true");
    UBI_TRY(memory_bridge_drain(b));
    ubi_target_observer_state state = observer_state(b);
    const ubi_memory_allocations full = { .struct_bytes = sizeof full,
                                          .frame_count = ubi__frame_cache_count(&b->frames),
                                          .count = b->entry_frames.n,
                                          .frames = b->entry_frames.at,
                                          .timestamps_us = b->entry_times_us.at,
                                          .size_bytes = b->entry_bytes.at,
                                          .has_overflowed = b->has_overflowed,
                                          .has_lost_some = b->has_lost_some,
                                          .total_count = b->total_count,
                                          .total_bytes = b->total_bytes,
                                          .lost_count = lost_count(b, &state) };
    b->was_handed_over = true;
    memory_bridge_check(b);
    ubi__result_fill(out, &full, sizeof full);
    return UBI_OK;
}

ubi_status ubi_memory_bridge_frame(ubi_memory_frame *out, const ubi_memory_bridge *b, uint32_t index) {
    ubi_frame frame;
    uint32_t parent;
    if (index == 0 || index >= ubi__frame_cache_count(&b->frames))
        return ubi__fail(UBI_ENOTFOUND, "there is no frame %u", index);
    ubi__frame_cache_get(&b->frames, index, &frame, &parent);
    *out = (ubi_memory_frame){ frame.source, frame.function_name, frame.line, frame.column, parent };
    return UBI_OK;
}

/* ---- navigation ----------------------------------------------------------------------------------------------------- */

/* The new observer is set like the old one first: without it, all stays as it is. */
static ubi_status memory_bridge_observe_again(ubi_memory_bridge *b, ubi_target_observer *out) {
    ubi_target_observer observer;
    ubi_target_observer_state state = observer_state(b);
    UBI_TRY(memory_bridge_observe(b, &observer));
    ubi_status status = ubi_target_observer_set_probability(observer, state.probability);
    if (status == UBI_OK)
        status = ubi_target_observer_set_log_limit(observer, state.log_limit);
    if (status == UBI_OK)
        status = ubi_target_observer_set_tracking(observer, state.is_tracking);
    if (status == UBI_OK)
        *out = observer;
    else
        ubi_target_observer_free(observer);
    return status;
}

ubi_status ubi_memory_bridge_navigated(ubi_memory_bridge *b) {
    ubi_target_observer observer;
    if (!b->is_attached)
        return UBI_OK;
    UBI_TRY(memory_bridge_observe_again(b, &observer));
    ubi_target_observer_state state = observer_state(b);
    b->lost_before = lost_count(b, &state) + state.log_length;
    b->has_lost_some |= state.has_overflowed || state.log_length > 0;
    b->logged_before = b->taken_count = 0;
    ubi_target_observer_free(b->observer);
    b->observer = observer;
    memory_bridge_clear(b);
    ubi__frame_cache_clear(&b->frames);
    memory_bridge_check(b);
    return UBI_OK;
}

ubi_status ubi_memory_bridge_navigated_to(ubi_memory_bridge *b, const ubi_target_scope *scope) {
    b->scope = scope;
    ubi_status status = ubi_memory_bridge_navigated(b);
    if (status != UBI_OK)
        (void)ubi_memory_bridge_detach(b);
    return status;
}
