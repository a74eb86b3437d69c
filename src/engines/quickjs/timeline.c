/* SPDX-License-Identifier: MIT
 *
 * timeline.c: see timeline.h.
 */
#include "engines/quickjs/timeline.h"

#include <stdatomic.h>

#include "base/bits.h"
#include "tracking/tool_memory.h"

/* ---- where callbacks were registered ----------------------------------------------------------------------------- */

#define LINKS_MAX (1u << 16)
#define LINKS_IN_CHAIN_MAX 32

static bool link_is(const ubi__async_links *l, ubi__async_ix ix, const ubi__async_link *link) {
    const ubi__async_link *known = &l->at[ix];
    return known->stack == link->stack && known->parent == link->parent && known->cause == link->cause;
}

UBI_ROW_LOOKUP(link, const ubi__async_links *, const ubi__async_link *, link_is);

static uint64_t link_hash(const ubi__async_link *link) {
    uint64_t h = ((uint64_t)link->parent << 32 | link->stack) * UBI__GOLDEN;
    return (h ^ h >> 29 ^ (uintptr_t)link->cause) * UINT64_C(0xbf58476d1ce4e5b9);
}

static void async_links_init(ubi__async_links *l, const ubi_allocator *allocator) {
    *l = (ubi__async_links){ .allocator = allocator };
}

static void async_links_fini(ubi__async_links *l) {
    ubi__tool_free(l->allocator, l->at, l->capacity, sizeof *l->at);
    ubi__row_table_fini(&l->table, l->allocator);
    async_links_init(l, l->allocator);
}

/* Forgets all links. */
static void async_links_clear(ubi__async_links *l) {
    uint32_t epoch = l->epoch;
    async_links_fini(l);
    l->epoch = epoch + 1;
}

static void async_links_check(const ubi__async_links *l) {
    if (!UBI_CHECKS)
        return;
    UBI_ASSERT(l->n <= l->capacity && l->n <= LINKS_MAX);
    UBI_ASSERT(l->table.n == (l->n ? l->n - 1 : 0));
    for (uint32_t ix = 1; ix < l->n; ix++) {
        UBI_ASSERT(l->at[ix].stack != UBI__STACK_EMPTY);
        UBI_ASSERT(l->at[ix].parent < ix);
        UBI_ASSERT(link_find(&l->table, l, &l->at[ix], link_hash(&l->at[ix])) == ix);
    }
}

static ubi__async_ix link_intern(ubi__async_links *l, const ubi__async_link *link) {
    uint64_t hash = link_hash(link);
    uint32_t ix = link_find(&l->table, l, link, hash), next = l->n ? l->n : 1;
    if (ix != UBI_NONE)
        return ix;
    if (next >= LINKS_MAX || ubi__row_table_reserve(&l->table, l->allocator, 1) != UBI_OK ||
        !ubi__tool_reserve(l->allocator, (void **)&l->at, &l->capacity, next + 1, sizeof *l->at))
        return 0;
    l->at[next] = *link;
    l->n = next + 1;
    ubi__row_table_fill(&l->table, link_place(&l->table, l, link, hash), hash, next);
    return next;
}

/* What is registered now, on `stack`, in a run whose link is `current`. 0: nothing is known, or there is no room. */
static ubi__async_ix async_links_register(ubi__async_links *l, ubi__stack_ix stack, ubi__async_ix current) {
    unsigned length = 0;
    if (stack == UBI__STACK_EMPTY)
        return current;
    for (ubi__async_ix ix = current; ix; ix = l->at[ix].parent, length++)
        if (l->at[ix].stack == stack)
            return ix;
    return link_intern(l, &(ubi__async_link){ .stack = stack, .parent = length < LINKS_IN_CHAIN_MAX ? current : 0 });
}

/* The same link, under the word for its run. */
static ubi__async_ix async_links_named(ubi__async_links *l, ubi__async_ix link, const char *cause) {
    if (link == 0)
        return 0;
    ubi__async_link named = l->at[UBI_INDEX(link, l->n)];
    named.cause = cause;
    return link_intern(l, &named);
}

/* Marks the stacks of all links: they stay. */
static void async_links_mark(const ubi__async_links *l, ubi__frame_trie *frames) {
    async_links_check(l);
    for (uint32_t ix = 1; ix < l->n; ix++)
        ubi__frame_trie_mark(frames, l->at[ix].stack);
}

static ubi_text text_of(const char *text) {
    return (ubi_text){ text, strlen(text) };
}

/* ---- markers with a reason ------------------------------------------------------------------------------------------ */

/** Why something is done, and the number of a collection; 0: it is not one. Outlives the tools, so not in their memory. */
typedef struct reason {
    uint64_t cycle_number;
    char text[];
} reason;

static reason *new_reason(ubi_text text, uint64_t cycle_number) {
    const ubi_allocator *a = ubi_allocator_default();
    reason *why = (reason *)a->alloc(a->ctx, sizeof *why + text.len + 1);
    if (!why)
        return NULL;
    why->cycle_number = cycle_number;
    memcpy(why->text, text.ptr, text.len);
    why->text[text.len] = '\0';
    return why;
}

static void *clone_reason(const void *payload) {
    const reason *why = (const reason *)payload;
    return new_reason(text_of(why->text), why->cycle_number);
}

static void free_reason(void *payload) {
    const ubi_allocator *a = ubi_allocator_default();
    if (payload)
        a->free(a->ctx, payload, sizeof(reason) + strlen(((reason *)payload)->text) + 1);
}

/* The words for a collection are those of its event (ubi_quickjs_collection). */
static void add_reason(const ubi_timeline_marker *marker, ubi_marker_details *out) {
    const reason *why = (const reason *)ubi_timeline_marker_payload(marker);
    ubi_marker_details_base(out, marker);
    ubi_marker_details_text(out, "causeName", text_of(why->text));
    if (why->cycle_number == 0)
        return;
    ubi_marker_details_text(out, "nonincrementalReason", text_of("GC mode"));
    ubi_marker_details_number(out, "cycle", (double)why->cycle_number);
}

static const ubi_marker_kind with_reason = {
    .version = UBI_MARKER_KIND_VERSION, .clone = clone_reason, .free = free_reason, .add_details = add_reason
};

/* A collection has no stack: no function in particular causes it. */
static ubi_timeline_marker *start_with_reason(const char *name, ubi_text text, uint64_t cycle_number) {
    reason *why = new_reason(text, cycle_number);
    ubi_marker_make start = { .name = name,
                              .tracing = UBI_MARKER_START,
                              .stack_request = cycle_number ? UBI_MARKER_NO_STACK : UBI_MARKER_STACK,
                              .kind = &with_reason,
                              .payload = why };
    return why ? ubi_timeline_marker_new(&start) : NULL;
}

/* ---- markers -------------------------------------------------------------------------------------------------------- */

/** What is to be reported. */
typedef struct told {
    enum { RUN, CONSOLE_TIME, TIME_STAMP, MESSAGE, WORK } what;
    ubi_marker_tracing tracing; /* of CONSOLE_TIME, MESSAGE; else it is a START, or a moment */
    ubi_javascript_entry entry; /* RUN */
    ubi_worker_operation operation;
    ubi_text text;         /* the label; of WORK the reason */
    const char *name;      /* WORK, and what follows */
    uint64_t cycle_number; /* of a collection */
} told;

static ubi_timeline_marker *marker_make(const told *m) {
    switch (m->what) {
    case RUN:
        return ubi_javascript_timeline_marker_new(&m->entry);
    case CONSOLE_TIME:
        return ubi_console_timeline_marker_new(m->text, m->tracing);
    case TIME_STAMP:
        return ubi_timestamp_timeline_marker_new(m->text);
    case MESSAGE:
        return ubi_worker_timeline_marker_new(m->operation, m->tracing);
    default:
        return start_with_reason(m->name, m->text, m->cycle_number);
    }
}

/* Targets that are not observed take nothing. One that could not be made is counted by those it was for. */
static void marker_report(const ubi__timeline *l, const told *m) {
    ubi_timeline_consumers *consumers = ubi_timeline_consumers_get();
    if (l->has_joined_all) {
        ubi_timeline_marker *marker = marker_make(m);
        ubi_timeline_consumers_add_existing_marker_for_all_observed_targets(consumers, marker);
        ubi_timeline_marker_free(marker);
        return;
    }
    for (uint32_t i = 0; i < l->joined_count; i++)
        if (ubi_timeline_consumers_has_consumer(consumers, l->joined[i]))
            ubi_timeline_consumers_add_existing_marker_for_target(consumers, l->joined[i], marker_make(m));
}

/* An END that says nothing more: the cheapest there is. */
static void report_end(const ubi__timeline *l, const char *name) {
    ubi_timeline_consumers *consumers = ubi_timeline_consumers_get();
    if (l->has_joined_all)
        ubi_timeline_consumers_add_marker_for_all_observed_targets(consumers, name, UBI_MARKER_END,
                                                                   UBI_MARKER_NO_STACK);
    for (uint32_t i = 0; !l->has_joined_all && i < l->joined_count; i++)
        ubi_timeline_consumers_add_marker_for_target(consumers, l->joined[i], name, UBI_MARKER_END,
                                                     UBI_MARKER_NO_STACK);
}

/* ---- stacks --------------------------------------------------------------------------------------------------------- */

static ubi_marker_stack_ref ref_of(ubi__stack_ix stack, ubi__async_ix link) {
    return stack == UBI__STACK_EMPTY ? UBI_MARKER_NO_STACK_REF : (uint64_t)link << 32 | stack;
}

/* A link's own stack. */
static ubi_marker_stack_ref ref_of_link(const ubi__timeline *l, ubi__async_ix link) {
    return link ? ref_of(l->links.at[link].stack, l->links.at[link].parent) : UBI_MARKER_NO_STACK_REF;
}

static bool marker_capture_stack(void *payload, ubi_marker_stack_ref *out) {
    ubi__timeline *l = (ubi__timeline *)payload;
    ubi__tracking_sweep_if_due(l->tracking); /* the generation is looked at afterwards */
    ubi__stack_ix stack = l->is_observed ? ubi__timeline_capture(l) : UBI__STACK_EMPTY;
    if (stack == UBI_NONE || stack == UBI__STACK_EMPTY)
        return false;
    *out = ref_of(stack, l->current);
    return true;
}

static bool describe_frame(void *payload, ubi_marker_stack_ref stack, ubi_marker_frame *out) {
    const ubi__timeline *l = (const ubi__timeline *)payload;
    const ubi__trie_frame *frame = &l->tracking->frames.at[(uint32_t)stack];
    ubi__async_ix link = (ubi__async_ix)(stack >> 32);
    *out = (ubi_marker_frame){ .source = ubi__tracked_texts_get(&l->tracking->texts, frame->source),
                               .function_name = ubi__tracked_texts_get(&l->tracking->texts, frame->function_name),
                               .line = frame->line,
                               .column = frame->column,
                               .parent = ref_of(frame->parent, link) };
    if (frame->parent != UBI__STACK_EMPTY || link == 0)
        return true;
    const char *cause = l->links.at[link].cause;
    out->parent = ref_of_link(l, link);
    out->is_parent_async = true;
    out->async_cause = (ubi_text){ cause, strlen(cause) };
    return true;
}

/* No two of a process are the same: another runtime's source may come to the address of one that went. */
static void renumber_stacks(ubi__timeline *l) {
    static atomic_ullong last;
    l->source.generation = atomic_fetch_add(&last, 1) + 1;
}

/* Stacks of this thread's markers come from this runtime from now on. */
static void take_thread(ubi__timeline *l) {
    const ubi_timeline_stack_source *before = ubi_timeline_set_stack_source(&l->source);
    if (before != &l->source)
        l->source_before = before;
}

static void give_thread_back(ubi__timeline *l) {
    const ubi_timeline_stack_source *latest = ubi_timeline_set_stack_source(l->source_before);
    if (latest != &l->source)
        ubi_timeline_set_stack_source(latest);
    l->source_before = NULL;
}

/* ---- who is notified ------------------------------------------------------------------------------------------------ */

void ubi__timeline_init(ubi__timeline *l, ubi_quickjs *tools, ubi__tracking *tracking) {
    *l = (ubi__timeline){ .tools = tools,
                          .tracking = tracking,
                          .source = { .capture = marker_capture_stack, .frame = describe_frame, .payload = l } };
    renumber_stacks(l);
    async_links_init(&l->links, l->tracking->allocator);
    ubi__site_table_init(&l->waiting, l->tracking->allocator);
}

static void observation_begins(ubi__timeline *l) {
    l->is_observed = true;
    ubi__tracking_keep_watching(l->tracking, true);
    take_thread(l);
}

static void observation_ends(ubi__timeline *l) {
    l->is_observed = false;
    renumber_stacks(l);
    l->current = 0;
    async_links_clear(&l->links);
    ubi__site_table_fini(&l->waiting);
    give_thread_back(l);
    ubi__tracking_keep_watching(l->tracking, false);
}

static bool is_observed(const ubi__timeline *l) {
    ubi_timeline_consumers *consumers = ubi_timeline_consumers_get();
    bool observed = l->has_joined_all && consumers && !ubi_timeline_consumers_is_empty(consumers);
    for (uint32_t i = 0; i < l->joined_count && !observed; i++)
        observed = ubi_timeline_consumers_has_consumer(consumers, l->joined[i]);
    return observed;
}

bool ubi__timeline_wants(ubi__timeline *l) {
    bool observed = is_observed(l);
    if (observed && !l->is_observed)
        observation_begins(l);
    else if (!observed && l->is_observed)
        observation_ends(l);
    return observed;
}

/* Where something else than a hook asks. */
static inline bool is_listed(ubi__timeline *l) {
    return ubi_marker_is_observed() && ubi__timeline_wants(l);
}

static uint32_t find_joined(const ubi__timeline *l, const ubi_timeline_target *target) {
    uint32_t i = 0;
    while (i < l->joined_count && l->joined[i] != target)
        i++;
    return i;
}

ubi_status ubi_quickjs_join_timeline(ubi_quickjs *tools, ubi_timeline_target *target) {
    ubi__timeline *l = ubi__timeline_of_tools(tools);
    if (!target) {
        l->has_joined_all = true;
    } else if (find_joined(l, target) == l->joined_count) {
        if (!ubi__tool_reserve(l->tracking->allocator, (void **)&l->joined, &l->joined_capacity, l->joined_count + 1,
                               sizeof *l->joined))
            return ubi_error(UBI_ENOMEM, "no memory to join a timeline");
        l->joined[l->joined_count++] = target;
    }
    ubi__timeline_wants(l);
    return UBI_OK;
}

void ubi_quickjs_leave_timeline(ubi_quickjs *tools, ubi_timeline_target *target) {
    ubi__timeline *l = ubi__timeline_of_tools(tools);
    uint32_t i = find_joined(l, target);
    if (!target)
        l->has_joined_all = false;
    else if (i < l->joined_count)
        l->joined[i] = l->joined[--l->joined_count];
    ubi__timeline_wants(l);
}

bool ubi__timeline_own_is_observed(const ubi__timeline *l) {
    const ubi_timeline_target *own = l->own;
    return own && ubi_timeline_target_record_profile_timeline_markers(own);
}

ubi_status ubi__timeline_observe_own(ubi__timeline *l, bool on) {
    ubi_status status = UBI_OK;
    if (on == ubi__timeline_own_is_observed(l))
        return UBI_OK;
    if (on && !l->own)
        status = ubi_timeline_target_new(&l->own, NULL);
    if (status == UBI_OK && l->own)
        status = ubi_timeline_target_set_record_profile_timeline_markers(l->own, on);
    if (status == UBI_OK && on)
        status = ubi_quickjs_join_timeline(l->tools, l->own);
    if (on)
        l->own_lost = 0;
    ubi__timeline_wants(l);
    return status;
}

void ubi__timeline_fini(ubi__timeline *l) {
    UBI_ASSERT(l->joined_count <= l->joined_capacity);
    async_links_check(&l->links);
    l->has_joined_all = false;
    l->joined_count = 0;
    if (l->is_observed)
        observation_ends(l);
    ubi_timeline_target_free(l->own);
    ubi__tool_free(l->tracking->allocator, l->joined, l->joined_capacity, sizeof *l->joined);
    async_links_fini(&l->links);
    ubi__site_table_fini(&l->waiting);
}

/* ---- runs ----------------------------------------------------------------------------------------------------------- */

static ubi__async_ix link_of(const ubi__timeline *l, ubi_quickjs_async registered) {
    uint32_t link = (uint32_t)registered;
    return registered >> 32 == l->links.epoch && link < l->links.n ? link : 0;
}

/* SavedFrames within a reaction say "Promise", its own marker "promise callback": both as in Firefox. */
static const char *cause_in_stacks(const char *cause) {
    return strcmp(cause, "promise callback") == 0 ? "Promise" : cause;
}

void ubi__timeline_begin_run(ubi__timeline *l, const ubi__trie_frame *facts, const char *usual_cause,
                             ubi__async_ix link) {
    const char *cause = l->cause ? l->cause : usual_cause;
    if (l->registered)
        link = link_of(l, l->registered);
    told m = { .what = RUN,
               .entry = { .reason = text_of(cause),
                          .function_name = ubi__tracked_texts_get(&l->tracking->texts, facts->function_name),
                          .source = ubi__tracked_texts_get(&l->tracking->texts, facts->source),
                          .line = facts->line,
                          .async_stack = ref_of_link(l, link),
                          .async_cause = text_of(cause) } };
    UBI_ASSERT(link < l->links.n || link == 0);
    UBI_ASSERT(!l->is_running);
    l->is_running = true;
    take_thread(l);
    marker_report(l, &m);
    l->current = async_links_named(&l->links, link, cause_in_stacks(cause));
}

void ubi__timeline_end_run(ubi__timeline *l) {
    if (!l->is_running)
        return;
    l->is_running = false;
    l->current = 0;
    if (is_listed(l))
        report_end(l, "Javascript");
    give_thread_back(l);
    ubi__tracking_sweep_if_due(l->tracking);
}

void ubi_quickjs_timeline_end_run(ubi_quickjs *tools) {
    ubi__timeline_end_run(ubi__timeline_of_tools(tools));
}

void ubi_quickjs_timeline_cause(ubi_quickjs *tools, const char *cause, ubi_quickjs_async registered) {
    ubi__timeline *l = ubi__timeline_of_tools(tools);
    l->cause = cause;
    l->registered = registered;
}

/* ---- what is registered --------------------------------------------------------------------------------------------- */

ubi__async_ix ubi__timeline_register(ubi__timeline *l) {
    ubi__stack_ix stack = ubi__timeline_capture(l);
    UBI_ASSERT(stack == UBI_NONE || stack == UBI__STACK_EMPTY || stack < l->tracking->frames.n);
    return stack == UBI_NONE ? 0 : async_links_register(&l->links, stack, l->current);
}

ubi_quickjs_async ubi_quickjs_timeline_register(ubi_quickjs *tools) {
    ubi__timeline *l = ubi__timeline_of_tools(tools);
    ubi__async_ix link = is_listed(l) ? ubi__timeline_register(l) : 0;
    return link ? (uint64_t)l->links.epoch << 32 | link : 0;
}

void ubi_quickjs_timeline_registers(ubi_quickjs *tools, JSValueConst callback) {
    ubi__timeline *l = ubi__timeline_of_tools(tools);
    const void *object = ubi__object_address(callback);
    ubi__async_ix link = object && is_listed(l) ? ubi__timeline_register(l) : 0;
    if (link)
        ubi__timeline_waits(l, object, link);
}

/* Without memory it is forgotten: a stack that is shorter. */
void ubi__timeline_waits(ubi__timeline *l, const void *object, ubi__async_ix link) {
    UBI_ASSERT(link > 0 && link < l->links.n && l->is_observed);
    (void)ubi__site_table_put(&l->waiting, object, link, 0);
}

ubi__async_ix ubi__timeline_waiting_for(const ubi__timeline *l, const void *object) {
    const ubi__site_table *waiting = &l->waiting;
    const ubi__tracked *known = object && waiting->count ? ubi__site_table_find(waiting, object) : NULL;
    return known ? known->value : 0;
}

void ubi__timeline_object_dies(ubi__timeline *l, const void *object) {
    ubi__tracked *known = ubi__site_table_find(&l->waiting, object);
    if (known)
        ubi__site_table_remove(&l->waiting, known);
}

void ubi__timeline_before_sweep(ubi__timeline *l) {
    renumber_stacks(l);
    async_links_mark(&l->links, &l->tracking->frames);
}

/* ---- collections and parsing ---------------------------------------------------------------------------------------- */

static void report_work(const ubi__timeline *l, const char *name, const char *why, uint64_t cycle_number) {
    marker_report(l, &(told){ .what = WORK, .name = name, .text = text_of(why), .cycle_number = cycle_number });
}

void ubi__timeline_begin_parse(ubi__timeline *l, const char *file) {
    report_work(l, "Parse JS", file, 0);
}

void ubi__timeline_end_parse(ubi__timeline *l) {
    report_end(l, "Parse JS");
}

/* This collector is one of cycles. It is called so when that was asked for, and by the name of its event in all other cases. */
void ubi__timeline_begin_collection(ubi__timeline *l, const char *why) {
    if (!ubi__timeline_wants(l))
        return;
    l->is_collecting = true;
    l->collection_name = l->wants_cycles ? "nsCycleCollector::Collect" : "GarbageCollection";
    report_work(l, l->collection_name, why, l->tracking->cycle_number);
}

void ubi__timeline_end_collection(ubi__timeline *l) {
    l->is_collecting = false;
    report_end(l, l->collection_name);
}

/* ---- what programs say ---------------------------------------------------------------------------------------------- */

void ubi_quickjs_timeline_time(ubi_quickjs *tools, const char *label) {
    ubi__timeline *l = ubi__timeline_of_tools(tools);
    if (is_listed(l))
        marker_report(l, &(told){ .what = CONSOLE_TIME, .tracing = UBI_MARKER_START, .text = text_of(label) });
}

void ubi_quickjs_timeline_time_end(ubi_quickjs *tools, const char *label) {
    ubi__timeline *l = ubi__timeline_of_tools(tools);
    if (is_listed(l))
        marker_report(l, &(told){ .what = CONSOLE_TIME, .tracing = UBI_MARKER_END, .text = text_of(label) });
}

void ubi_quickjs_timeline_timestamp(ubi_quickjs *tools, const char *label) {
    ubi__timeline *l = ubi__timeline_of_tools(tools);
    if (is_listed(l))
        marker_report(l, &(told){ .what = TIME_STAMP, .text = text_of(label) });
}

void ubi_quickjs_timeline_begin_message(ubi_quickjs *tools, ubi_worker_operation operation) {
    ubi__timeline *l = ubi__timeline_of_tools(tools);
    if (is_listed(l))
        marker_report(l, &(told){ .what = MESSAGE, .tracing = UBI_MARKER_START, .operation = operation });
}

void ubi_quickjs_timeline_end_message(ubi_quickjs *tools, ubi_worker_operation operation) {
    ubi__timeline *l = ubi__timeline_of_tools(tools);
    if (is_listed(l))
        marker_report(l, &(told){ .what = MESSAGE, .tracing = UBI_MARKER_END, .operation = operation });
}
