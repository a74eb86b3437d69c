/* SPDX-License-Identifier: MIT
 *
 * tracking.c: beginning and end of tracking, what it forgets in between, its stacks, what seldom happens to a birth, and what
 * waits until no script and no collection runs: news of collections, requests of other threads.
 */
#include "tracking/tracking.h"

#include "tracking/observer.h"
#include "tracking/tool_memory.h"

#define SWEEP_FRAMES_MIN 4096
#define SWEEP_TEXTS_MIN 1024

void ubi__tracking_init(ubi__tracking *t, const ubi__tracking_options *options) {
    const ubi_allocator *allocator = options->allocator;
    *t = (ubi__tracking){ .ops = options->ops,
                          .engine = options->engine,
                          .allocator = allocator,
                          .clock_us = options->clock_us,
                          .clock_payload = options->clock_payload,
                          .births_to_skip = UBI__SKIP_FOREVER,
                          .births_planned = UBI__SKIP_FOREVER,
                          .births_until_trial = UBI__SKIP_FOREVER,
                          .sweep_frames_at = SWEEP_FRAMES_MIN,
                          .sweep_texts_at = SWEEP_TEXTS_MIN };
    ubi__sampler_init(&t->sampler, options->random, options->random_payload);
    ubi__site_table_init(&t->sites, allocator);
    ubi__site_table_init(&t->code, allocator);
    ubi__frame_trie_init(&t->frames, allocator);
    ubi__tracked_texts_init(&t->texts, allocator);
    pthread_mutex_init(&t->requests.lock, NULL);
    t->requests.end = &t->requests.first;
}

static void requests_fini(ubi__tracking *t) {
    while (t->requests.first) {
        ubi__request *request = t->requests.first;
        t->requests.first = request->next;
        ubi__tool_free(t->allocator, request, 1, sizeof *request);
    }
    pthread_mutex_destroy(&t->requests.lock);
}

void ubi__tracking_fini(ubi__tracking *t) {
    UBI_ASSERT(!t->observers && t->observing_count == 0 && !t->is_delivering);
    ubi__tracked_texts_check(&t->texts);
    ubi__frame_trie_check(&t->frames);
    while (t->realms)
        ubi__watched_realm_free(t, t->realms);
    ubi__site_table_fini(&t->sites);
    t->is_engine_watching = false;
    ubi__tracking_update_watch(t);
    ubi__site_table_fini(&t->code);
    ubi__frame_trie_fini(&t->frames);
    ubi__tracked_texts_fini(&t->texts);
    ubi__tool_free(t->allocator, t->class_texts, t->class_text_count, sizeof *t->class_texts);
    ubi__tool_free(t->allocator, t->events, t->event_capacity, sizeof *t->events);
    requests_fini(t);
}

/* When deaths are no longer reported, code may die unnoticed: all facts about it are forgotten. */
void ubi__tracking_update_watch(ubi__tracking *t) {
    bool wanted = t->realms || t->wide_count || t->sites.count || t->object_tap || t->is_engine_watching;
    if (wanted == t->is_watching)
        return;
    t->is_watching = wanted;
    t->ops->watch(t->engine, wanted);
    if (wanted)
        return;
    ubi__site_table_fini(&t->code);
    ubi__tracking_forget_stacks(t);
}

void ubi__tracking_keep_watching(ubi__tracking *t, bool on) {
    t->is_engine_watching = on;
    ubi__tracking_update_watch(t);
}

/* ---- watched realms: who watches a realm, and how closely ----------------------------------------------------------- */

ubi__watched_realm *ubi__watched_realm_find(const ubi__tracking *t, const void *realm) {
    ubi__watched_realm *w = t->realms;
    while (w && w->realm != realm)
        w = w->next;
    return w;
}

/* The record, made if need be; NULL: no memory. */
ubi__watched_realm *ubi__watched_realm_get(ubi__tracking *t, const void *realm) {
    ubi__watched_realm *w = ubi__watched_realm_find(t, realm);
    if (w)
        return w;
    w = (ubi__watched_realm *)ubi__tool_calloc(t->allocator, 1, sizeof *w);
    if (!w)
        return NULL;
    w->realm = realm;
    w->next = t->realms;
    t->realms = w;
    ubi__tracking_update_watch(t);
    return w;
}

void ubi__watched_realm_remove_observer(ubi__watched_realm *w, const ubi__observer *observer) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < w->observer_count; i++)
        if (w->observers[i] != observer)
            w->observers[kept++] = w->observers[i];
    w->observer_count = kept;
}

void ubi__watched_realm_free(ubi__tracking *t, ubi__watched_realm *w) {
    ubi__watched_realm **at = &t->realms;
    while (*at != w)
        at = &(*at)->next;
    *at = w->next;
    if (w->foreign_hook)
        t->foreign_hook_count--;
    if (t->last_realm == w) {
        t->last_realm = NULL;
        t->last_object = NULL;
    }
    ubi__tool_free(t->allocator, w->observers, w->observer_capacity, sizeof *w->observers);
    ubi__tool_free(t->allocator, w, 1, sizeof *w);
    ubi__tracking_update_watch(t);
}

void ubi__watched_realm_free_if_unused(ubi__tracking *t, ubi__watched_realm *w) {
    if (w->observer_count == 0 && !w->foreign_hook)
        ubi__watched_realm_free(t, w);
}

/* All observers of the realm count for the probability, but only a tracking one makes it worth a trial. */
static void watched_realm_update(ubi__watched_realm *w) {
    w->tracker_count = 0;
    w->wide_count = 0;
    w->probability = 0;
    for (uint32_t i = 0; i < w->observer_count; i++) {
        const ubi__observer *o = w->observers[i];
        w->tracker_count += o->is_tracking;
        w->wide_count += o->wants_all_realms;
        if (o->probability > w->probability)
            w->probability = o->probability;
    }
    if (w->tracker_count == 0)
        w->probability = 0;
}

static __attribute__((unused)) bool has_debuggee(const ubi__observer *o, const void *realm) {
    uint32_t i = 0;
    while (i < o->realm_count && o->realms[i] != realm)
        i++;
    return i < o->realm_count;
}

/* Its numbers are those of its observers. */
static void watched_realm_check(const ubi__tracking *t, const ubi__watched_realm *w) {
    if (!UBI_CHECKS)
        return;
    uint32_t tracker_count = 0;
    UBI_ASSERT(w->observer_count || w->foreign_hook);
    UBI_ASSERT(w->observer_count <= w->observer_capacity);
    for (uint32_t i = 0; i < w->observer_count; i++) {
        UBI_ASSERT(w->observers[i]->tracking == t && has_debuggee(w->observers[i], w->realm));
        tracker_count += w->observers[i]->is_tracking;
    }
    UBI_ASSERT(tracker_count == w->tracker_count);
    UBI_ASSERT(!w->foreign_hook || w->tracker_count == 0);
    UBI_ASSERT(w->tracker_count ? w->probability <= t->probability : w->probability == 0);
}

void ubi__tracking_check(const ubi__tracking *t) {
    if (!UBI_CHECKS)
        return;
    uint32_t observing_count = 0, wide_count = 0, hook_count = 0;
    const ubi__observer *previous = NULL;
    for (const ubi__observer *o = t->observers; o; previous = o, o = o->next) {
        UBI_ASSERT(o->previous == previous && o->tracking == t);
        observing_count += o->realm_count != 0;
        wide_count += o->wants_all_realms;
    }
    UBI_ASSERT(wide_count == t->wide_count);
    UBI_ASSERT(t->last_observer == previous);
    UBI_ASSERT(observing_count == t->observing_count);
    for (const ubi__watched_realm *w = t->realms; w; w = w->next) {
        watched_realm_check(t, w);
        hook_count += w->foreign_hook != NULL;
    }
    UBI_ASSERT(hook_count == t->foreign_hook_count);
    UBI_ASSERT(t->is_watching ==
               (t->realms || t->wide_count || t->sites.count || t->object_tap || t->is_engine_watching));
    UBI_ASSERT(!t->last_realm || ubi__watched_realm_find(t, t->last_realm->realm) == t->last_realm);
    UBI_ASSERT(t->births_to_skip <= t->births_planned && t->births_planned >= 0);
    const ubi__tracked *last = t->last_object ? ubi__site_table_find(&t->sites, t->last_object) : NULL;
    UBI_ASSERT(!t->last_object || (last && last->serial == t->last_serial));
    UBI_ASSERT(t->event_count <= t->event_capacity && (t->event_capacity & (t->event_capacity - 1)) == 0);
    for (uint32_t i = 0; i < t->event_count; i++) {
        const ubi__collection_event *event = &t->events[(t->event_first + i) & (t->event_capacity - 1)];
        UBI_ASSERT(event->cycle_number <= t->cycle_number && event->start_us <= event->end_us);
    }
}

/* New probabilities, and a new stream of trials. O(observers times their realms). */
void ubi__watched_realms_update(ubi__tracking *t) {
    ubi__tracking_settle_births(t);
    t->probability = 0;
    for (ubi__watched_realm *w = t->realms; w; w = w->next) {
        watched_realm_update(w);
        if (w->probability > t->probability)
            t->probability = w->probability;
    }
    for (const ubi__observer *o = t->wide_count ? t->observers : NULL; o; o = o->next)
        if (o->wants_all_realms && o->is_tracking && o->probability > t->probability)
            t->probability = o->probability; /* for realms that were not met yet */
    t->births_until_trial = ubi__sampler_skip(&t->sampler, t->probability);
    ubi__tracking_plan_births(t);
    ubi__tracking_check(t);
}

/* ---- births and deaths ---------------------------------------------------------------------------------------------- */

void ubi__tracking_look_at_next_birth(ubi__tracking *t) {
    ubi__tracking_settle_births(t);
    t->births_planned = t->births_to_skip = 0;
}

void ubi__tracking_set_object_tap(ubi__tracking *t, ubi_profiler_tap *tap, uint32_t object_bytes) {
    ubi__tracking_settle_births(t);
    t->object_tap = tap;
    t->object_bytes = object_bytes;
    ubi__tracking_plan_births(t);
    ubi__tracking_update_watch(t);
}

void ubi__tracking_name_constructor(ubi__tracking *t, ubi__text_ix name) {
    for (uint32_t i = 0; i < t->last_realm->observer_count; i++) {
        const ubi__observer *o = t->last_realm->observers[i];
        if (!o->is_tracking || o->log.count == 0)
            continue;
        ubi__log_entry *newest = ubi__allocation_log_at(&o->log, o->log.count - 1);
        if (newest->object == t->last_object && newest->serial == t->last_serial)
            newest->constructor_name = name;
    }
}

void ubi__tracking_code_dies(ubi__tracking *t, const void *code) {
    ubi__tracked *known = ubi__site_table_find(&t->code, code);
    if (!known)
        return;
    ubi__site_table_remove(&t->code, known);
    ubi__tracking_forget_stacks(t);
}

/* ---- forgetting ----------------------------------------------------------------------------------------------------- */

static void mark_sites(ubi__tracking *t) {
    for (size_t i = 0; t->sites.count && i <= t->sites.mask; i++)
        if (t->sites.slots[i].address)
            ubi__frame_trie_mark(&t->frames, t->sites.slots[i].value);
}

static void mark_log(ubi__tracking *t, const ubi__allocation_log *log) {
    ubi__allocation_log_check(log);
    for (uint32_t i = 0; i < log->count; i++) {
        const ubi__log_entry *entry = ubi__allocation_log_at(log, i);
        ubi__frame_trie_mark(&t->frames, entry->stack);
        ubi__tracked_texts_mark(&t->texts, entry->class_name);
        ubi__tracked_texts_mark(&t->texts, entry->constructor_name);
    }
}

static uint32_t twice_but_at_least(uint32_t count, uint32_t least) {
    return count > UINT32_MAX / 2 ? UINT32_MAX : 2 * count > least ? 2 * count : least;
}

void ubi__tracking_forget_stacks(ubi__tracking *t) {
    t->ops->forget_stacks(t->engine);
    memset(t->seen, 0, sizeof t->seen);
}

void ubi__tracking_sweep(ubi__tracking *t) {
    if (t->hold_texts)
        return;
    ubi__tracking_forget_stacks(t);
    t->ops->before_sweep(t->engine);
    mark_sites(t);
    for (const ubi__observer *o = t->observers; o; o = o->next)
        mark_log(t, &o->log);
    for (uint32_t i = 0; i < t->class_text_count; i++)
        ubi__tracked_texts_mark(&t->texts, t->class_texts[i]);
    ubi__frame_trie_sweep(&t->frames, &t->texts);
    ubi__tracked_texts_sweep(&t->texts);
    ubi__tracking_check(t);
    t->sweep_frames_at = twice_but_at_least(t->frames.table.n, SWEEP_FRAMES_MIN);
    t->sweep_texts_at = twice_but_at_least(t->texts.table.n, SWEEP_TEXTS_MIN);
}

/* ---- stacks and names ----------------------------------------------------------------------------------------------- */

/* The number of code, for as long as it lives. UBI_NONE: no memory. */
static uint32_t number_of_code(ubi__tracking *t, const void *code) {
    const ubi__tracked *known = ubi__site_table_find(&t->code, code);
    if (known)
        return known->value;
    if (!ubi__site_table_put(&t->code, code, t->last_code + 1, 0))
        return UBI_NONE;
    return ++t->last_code;
}

static ubi__stack_ix find_or_add_frame(ubi__tracking *t, ubi__stack_ix parent, ubi__frame_place place,
                                       const void *frame) {
    ubi__stack_ix stack = ubi__frame_trie_find(&t->frames, parent, place);
    if (stack != UBI_NONE)
        return stack;
    ubi__trie_frame facts = { .function_name = UBI_NONE, .source = UBI_NONE };
    t->ops->describe_frame(t->engine, frame, &facts);
    return ubi__frame_trie_add(&t->frames, parent, place, &facts);
}

ubi__stack_ix ubi__tracking_look_up_frame(ubi__tracking *t, ubi__stack_ix parent, const void *code, uint32_t pc,
                                          const void *frame) {
    ubi__frame_place place = { number_of_code(t, code), pc };
    if (place.code == UBI_NONE)
        return UBI_NONE;
    ubi__stack_ix stack = find_or_add_frame(t, parent, place, frame);
    if (stack != UBI_NONE)
        *ubi__tracking_seen(t, code, pc, parent) = (ubi__seen_stack){ code, pc, parent, stack };
    return stack;
}

ubi__text_ix ubi__tracking_new_class_name(ubi__tracking *t, uint32_t class_id) {
    uint32_t had = t->class_text_count;
    if (!ubi__tool_reserve(t->allocator, (void **)&t->class_texts, &t->class_text_count, class_id + 1,
                           sizeof *t->class_texts))
        return UBI_NONE;
    memset(t->class_texts + had, 0xff, (t->class_text_count - had) * sizeof *t->class_texts);
    UBI_ASSERT(class_id < t->class_text_count && t->class_texts[class_id] == UBI_NONE);
    return t->class_texts[class_id] = t->ops->class_name(t->engine, class_id);
}

static void stack_frame(ubi_stack stack, ubi_frame *out) {
    const ubi__tracking *t = (const ubi__tracking *)stack.owner;
    const ubi__trie_frame *frame = &t->frames.at[UBI_INDEX(stack.ref, t->frames.n)];
    UBI_ASSERT(stack.ref != UBI__STACK_EMPTY && frame->parent != UBI_NONE);
    *out = (ubi_frame){ .id = stack.ref,
                        .source = ubi__tracked_texts_get(&t->texts, frame->source),
                        .function_name = ubi__tracked_texts_get(&t->texts, frame->function_name),
                        .line = frame->line,
                        .column = frame->column };
    if (!out->source.ptr)
        out->source = (ubi_text){ "", 0 };
}

static bool stack_parent(ubi_stack stack, ubi_stack *out) {
    const ubi__tracking *t = (const ubi__tracking *)stack.owner;
    ubi__stack_ix parent = t->frames.at[stack.ref].parent;
    if (parent == UBI__STACK_EMPTY)
        return false;
    *out = stack;
    out->ref = parent;
    return true;
}

static const ubi_stack_ops stack_ops = { .frame = stack_frame, .parent = stack_parent };

const ubi_stack_ops *ubi__tracking_stack_ops(void) {
    return &stack_ops;
}

ubi_stack ubi__tracking_lent_stack(ubi__tracking *t, ubi__stack_ix stack) {
    return stack == UBI__STACK_EMPTY ? (ubi_stack){ NULL, NULL, 0 } : (ubi_stack){ &stack_ops, t, stack };
}

ubi_stack ubi__tracking_stack(ubi__tracking *t, ubi__stack_ix stack) {
    ubi__frame_trie_pin(&t->frames, stack);
    return ubi__tracking_lent_stack(t, stack);
}

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
    atomic_store_explicit(&requests->has_waiting, true, memory_order_release);
    pthread_mutex_unlock(&requests->lock);
    return UBI_OK;
}

static ubi__request *take_requests(ubi__requests *requests) {
    pthread_mutex_lock(&requests->lock);
    ubi__request *first = requests->first;
    requests->first = NULL;
    requests->end = &requests->first;
    atomic_store_explicit(&requests->has_waiting, false, memory_order_relaxed);
    pthread_mutex_unlock(&requests->lock);
    return first;
}

/* Those that come meanwhile wait for the next time. */
bool ubi__tracking_run_requests(ubi__tracking *t) {
    if (!atomic_load_explicit(&t->requests.has_waiting, memory_order_acquire))
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

/* Room for one event more: a larger ring, and if there is no memory for it, the oldest is lost. */
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

/* ---- collections, reported ------------------------------------------------------------------------------------------ */

static bool report_observers(ubi__tracking *t, const ubi__collection_event *event) {
    const ubi_collection collection = { .reason = event->reason,
                                        .nonincremental_reason = event->nonincremental_reason,
                                        .cycle_number = event->cycle_number,
                                        .start_ms = (double)event->start_us / 1000,
                                        .end_ms = (double)event->end_us / 1000 };
    bool told = false;
    for (ubi__observer *o = t->observers; o; o = t->next_to_report) {
        t->next_to_report = o->next; /* corrected when that one is freed meanwhile */
        if (o->on_collection && o->realm_count && event->cycle_number > o->observes_since_cycle) {
            told = true;
            o->on_collection(o->collection_payload, &collection);
        }
    }
    return told;
}

/* A hook that collects makes a new event: that is for the next safe point. */
static bool report_collections(ubi__tracking *t) {
    bool told = false;
    uint64_t last = t->cycle_number;
    UBI_ASSERT(!t->is_delivering);
    t->is_delivering = true;
    while (t->event_count && t->events[t->event_first].cycle_number <= last) {
        ubi__collection_event event = t->events[t->event_first];
        t->event_first = (t->event_first + 1) & (t->event_capacity - 1);
        t->event_count--;
        told |= report_observers(t, &event);
    }
    t->is_delivering = false;
    return told;
}

bool ubi__tracking_deliver(ubi__tracking *t) {
    bool any = t->event_count && !t->is_delivering && report_collections(t);
    return ubi__tracking_run_requests(t) || any;
}
