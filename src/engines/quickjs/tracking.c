/* SPDX-License-Identifier: MIT
 *
 * tracking.c: beginning and end of tracking, what it forgets in between, and its stacks as others see them.
 */
#include "engines/quickjs/adapter/tracking_state.h"
#include "engines/quickjs/observer.h"
#include "engines/quickjs/timeline.h"
#include "tracking/tool_memory.h"

#define SWEEP_FRAMES_MIN 4096
#define SWEEP_TEXTS_MIN 1024

const uint8_t ubi__no_known_objects[UBI_PROFILER_KNOWN_BYTES];

void ubi__tracking_start(ubi__tracking *t, ubi_quickjs *tools, JSRuntime *runtime, const ubi_allocator *allocator,
                         const ubi_quickjs_options *options) {
    *t = (ubi__tracking){ .tools = tools,
                          .runtime = runtime,
                          .allocator = allocator,
                          .clock_us = options->clock_us,
                          .clock_payload = options->clock_payload,
                          .births_to_skip = UBI__SKIP_FOREVER,
                          .births_planned = UBI__SKIP_FOREVER,
                          .births_until_trial = UBI__SKIP_FOREVER,
                          .known_objects = ubi__no_known_objects,
                          .sweep_frames_at = SWEEP_FRAMES_MIN,
                          .sweep_texts_at = SWEEP_TEXTS_MIN };
    ubi__sampler_init(&t->sampler, options->random, options->random_payload);
    ubi__site_table_init(&t->sites, allocator);
    ubi__site_table_init(&t->scripts, allocator);
    ubi__frame_trie_init(&t->frames, allocator);
    ubi__tracked_texts_init(&t->texts, allocator);
    ubi__timeline_init(t);
    pthread_mutex_init(&t->requests.lock, NULL);
    t->requests.end = &t->requests.first;
}

static void free_requests(ubi__tracking *t) {
    while (t->requests.first) {
        ubi__request *request = t->requests.first;
        t->requests.first = request->next;
        ubi__tool_free(t->allocator, request, 1, sizeof *request);
    }
    pthread_mutex_destroy(&t->requests.lock);
}

void ubi__tracking_end(ubi__tracking *t) {
    while (t->observers)
        ubi_quickjs_observer_free(t->observers);
    while (t->realms)
        ubi__watched_realm_free(t, t->realms);
    ubi__site_table_fini(&t->sites);
    ubi__timeline_fini(t);
    ubi__tracking_update_watch(t);
    ubi__site_table_fini(&t->scripts);
    ubi__frame_trie_fini(&t->frames);
    ubi__tracked_texts_fini(&t->texts);
    ubi__tool_free(t->allocator, t->class_texts, t->class_text_count, sizeof *t->class_texts);
    ubi__tool_free(t->allocator, t->text_buffer, t->text_buffer_bytes, 1);
    ubi__tool_free(t->allocator, t->captured, t->captured_capacity, sizeof *t->captured);
    ubi__tool_free(t->allocator, t->walked, t->walked_capacity, sizeof *t->walked);
    ubi__tool_free(t->allocator, t->events, t->event_capacity, sizeof *t->events);
    free_requests(t);
}

/* ---- which birth is looked at --------------------------------------------------------------------------------------- */

void ubi__tracking_look_at_next_birth(ubi__tracking *t) {
    ubi__tracking_settle_births(t);
    t->births_planned = t->births_to_skip = 0;
}

/* ---- forgetting ----------------------------------------------------------------------------------------------------- */

static void mark_sites(ubi__tracking *t) {
    for (size_t i = 0; t->sites.count && i <= t->sites.mask; i++)
        if (t->sites.slots[i].address)
            ubi__frame_trie_mark(&t->frames, t->sites.slots[i].value);
}

static void mark_log(ubi__tracking *t, const ubi__allocation_log *log) {
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

void ubi__tracking_forget_frames(ubi__tracking *t) {
    t->captured_count = 0;
    memset(t->seen, 0, sizeof t->seen);
}

void ubi__tracking_sweep(ubi__tracking *t) {
    if (t->hold_texts)
        return;
    ubi__tracking_forget_frames(t);
    memset(t->string_cache, 0, sizeof t->string_cache);
    mark_sites(t);
    ubi__timeline_before_sweep(t);
    for (const ubi_quickjs_observer *o = t->observers; o; o = o->next)
        mark_log(t, &o->log);
    for (uint32_t i = 0; i < t->class_text_count; i++)
        ubi__tracked_texts_mark(&t->texts, t->class_texts[i]);
    ubi__frame_trie_sweep(&t->frames, &t->texts);
    ubi__tracked_texts_sweep(&t->texts);
    t->sweep_frames_at = twice_but_at_least(t->frames.live_count, SWEEP_FRAMES_MIN);
    t->sweep_texts_at = twice_but_at_least(t->texts.live_count, SWEEP_TEXTS_MIN);
}

/* ---- stacks --------------------------------------------------------------------------------------------------------- */

static void stack_frame(ubi_stack stack, ubi_frame *out) {
    const ubi__tracking *t = (const ubi__tracking *)stack.owner;
    const ubi__trie_frame *frame = &t->frames.at[stack.ref];
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

const ubi_stack_ops *ubi_quickjs_stack_ops(void) {
    return &stack_ops;
}

ubi_stack ubi__tracking_lent_stack(ubi__tracking *t, ubi__stack_ix stack) {
    return stack == UBI__STACK_EMPTY ? (ubi_stack){ NULL, NULL, 0 } : (ubi_stack){ &stack_ops, t, stack };
}

ubi_stack ubi__tracking_stack(ubi__tracking *t, ubi__stack_ix stack) {
    ubi__frame_trie_pin(&t->frames, stack);
    return ubi__tracking_lent_stack(t, stack);
}

bool ubi_quickjs_allocation_site(ubi_quickjs *tools, JSValueConst object, bool *has_frame, ubi_stack *out) {
    ubi__tracking *t = ubi__tracking_of(tools);
    const ubi__tracked *tracked =
        JS_IsObject(object) ? ubi__site_table_find(&t->sites, JS_VALUE_GET_PTR(object)) : NULL;
    if (!tracked)
        return false;
    *has_frame = tracked->value != UBI__STACK_EMPTY;
    *out = ubi__tracking_stack(t, tracked->value);
    return true;
}
