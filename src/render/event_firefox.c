/* SPDX-License-Identifier: MIT
 *
 * event_firefox.c: a recording as a profile of the Firefox Profiler (event_export.h).
 *
 * The format has columns, so events are kept until the end. Tables of a thread:
 *
 *     stack -> frame and the stack that called it; frame -> function, line; function -> name, file; names are strings
 *
 * A stack is a trace of the recording, or one of the functions that were inlined in its frame.
 */
#include <stdio.h>

#include "base/text.h"
#include "recording/recording_place.h"
#include "recording/tuple_table.h"
#include "render/event_export.h"
#include "timeline/timeline_data.h"

#define PROCESSED_VERSION 48
#define NAME_BYTES 8192
#define NO_PREFIX UINT32_MAX
enum { CATEGORY_OTHER, CATEGORY_NATIVE, CATEGORY_SCRIPT };

typedef struct kept_event {
    uint64_t time_ns, allocation;
    uint32_t info;
    bool is_free;
} kept_event;

UBI_VEC_DECLARE(kept_events, kept_event);

typedef struct profile_state {
    const ubi__event_export *what;
    const ubi__ubirec_tables *tables;
    ubi__json *json;
    kept_events events;
    ubi__strtab strings;
    ubi__tuple_table functions; /* (name, file + 1, is of a script) */
    ubi__tuple_table frames;    /* (function, line, column) */
    ubi__tuple_table stacks;    /* (frame, prefix) */
    uint32_t *stack_of;         /* stack_of[trace], of its whole frame; NO_PREFIX: none */
    uint32_t *begins_at;        /* begins_at[trace]: the same of stacks that begin there */
} profile_state;

/* ---- tables ----------------------------------------------------------------------------------------------------------- */

static ubi_status function_number(profile_state *s, uint32_t *out, const ubi__recording_place *place, bool is_script) {
    char name[NAME_BYTES];
    ubi_str_ix name_ix, file_ix = 0;
    bool is_new;
    ubi__recording_place_name(name, sizeof name, place);
    UBI_TRY(ubi__strtab_intern(&s->strings, &name_ix, ubi__text(name)));
    ubi_text file = place->file.len ? place->file : place->module;
    if (file.len)
        UBI_TRY(ubi__strtab_intern(&s->strings, &file_ix, file));
    const uint64_t tuple[] = { name_ix, file.len ? (uint64_t)file_ix + 1 : 0, is_script };
    return ubi__tuple_table_number(&s->functions, out, &is_new, tuple);
}

static ubi_status stack_add(profile_state *s, uint32_t *stack, const ubi__recording_place *place, bool is_script) {
    uint32_t function, frame;
    bool is_new;
    UBI_TRY(function_number(s, &function, place, is_script));
    const uint64_t of_frame[] = { function, place->line, place->column };
    UBI_TRY(ubi__tuple_table_number(&s->frames, &frame, &is_new, of_frame));
    const uint64_t of_stack[] = { frame, *stack };
    return ubi__tuple_table_number(&s->stacks, stack, &is_new, of_stack);
}

/* The stack of a trace's frame from symbol `first` on. The function into which the others were inlined comes first. */
static ubi_status frame_add(profile_state *s, uint32_t *out, uint32_t trace, uint32_t first) {
    const ubi__ubirec_trace_row *row = &s->tables->traces.at[trace];
    bool is_script = ubi__ubirec_frame_is_script(s->tables, row->frame);
    uint32_t stack = row->caller == UBI__UBIREC_NO_TRACE ? NO_PREFIX : s->stack_of[row->caller], n;
    ubi__recording_place place;
    ubi__ubirec_symbols_of(s->tables, row->frame, &n);
    for (uint32_t i = n ? n : 1; i-- > first;) {
        ubi__recording_frame_place(&place, s->tables, row->frame, i);
        UBI_TRY(stack_add(s, &stack, &place, is_script));
    }
    *out = stack;
    return UBI_OK;
}

/* Callers are there already. */
static ubi_status trace_add(profile_state *s, uint32_t trace) {
    uint32_t first = s->what->choice->with_wrappers ? 0 : ubi__recording_asking_symbol(s->tables, trace);
    UBI_TRY(frame_add(s, &s->stack_of[trace], trace, 0));
    return frame_add(s, &s->begins_at[trace], trace, first);
}

/* ---- about the whole -------------------------------------------------------------------------------------------------- */

static ubi_text program_name(const profile_state *s) {
    ubi_text name = ubi__text_base_name(s->tables->about.program);
    return name.len ? name : ubi__text("program");
}

static void categories_put(ubi__json *json) {
    static const struct {
        const char *name, *color;
    } categories[] = { { "Other", "grey" }, { "Native", "blue" }, { "JavaScript", "yellow" } };
    ubi__json_member_array(json, "categories");
    for (size_t i = 0; i < sizeof categories / sizeof *categories; i++) {
        ubi__json_object_begin(json);
        ubi__json_member_string(json, "name", categories[i].name);
        ubi__json_member_string(json, "color", categories[i].color);
        ubi__json_member_array(json, "subcategories");
        ubi__json_string(json, "Other");
        ubi__json_array_end(json);
        ubi__json_object_end(json);
    }
    ubi__json_array_end(json);
}

static void meta_put(const profile_state *s) {
    ubi__json *json = s->json;
    ubi__json_member_object(json, "meta");
    ubi__json_member_u64(json, "interval", 1);
    ubi__json_member_double(json, "startTime", (double)s->tables->about.start_unix_ns / 1e6);
    ubi__json_member_u64(json, "processType", 0);
    ubi__json_member_u64(json, "version", 29); /* of Gecko's format: read by no one */
    ubi__json_member_u64(json, "preprocessedProfileVersion", PROCESSED_VERSION);
    ubi__json_member_text(json, "product", program_name(s));
    ubi__json_member_text(json, "oscpu", s->tables->about.system);
    ubi__json_member_u64(json, "stackwalk", 1);
    ubi__json_member_bool(json, "symbolicated", true);
    ubi__json_member_bool(json, "usesOnlyOneStackType",
                          s->what->choice->sites->summary->classes[UBI__UBIREC_OBJECT].count == 0);
    ubi__json_member_bool(json, "sourceCodeIsNotOnSearchfox", true);
    categories_put(json);
    ubi__json_member_array(json, "markerSchema");
    ubi__json_array_end(json);
    ubi__json_object_end(json);
}

static ubi_status profile_begin(void *of, const ubi__event_export *what) {
    profile_state *s = of;
    s->what = what;
    s->json = what->json;
    s->tables = ubi__stack_tables(what->choice);
    ubi__strtab_init(&s->strings, what->allocator);
    ubi__tuple_table_init(&s->functions, 3, "functions", what->allocator);
    ubi__tuple_table_init(&s->frames, 3, "frames", what->allocator);
    ubi__tuple_table_init(&s->stacks, 2, "stacks", what->allocator);
    meta_put(s); /* by which the file is known */
    s->stack_of = ubi__alloc_array(what->allocator, s->tables->traces.n, sizeof *s->stack_of);
    s->begins_at = ubi__alloc_array(what->allocator, s->tables->traces.n, sizeof *s->begins_at);
    if (!s->stack_of || !s->begins_at)
        return ubi__fail_nomem();
    s->stack_of[UBI__UBIREC_NO_TRACE] = s->begins_at[UBI__UBIREC_NO_TRACE] = NO_PREFIX;
    for (uint32_t i = 1; i < s->tables->traces.n; i++)
        UBI_TRY(trace_add(s, i));
    return UBI_OK;
}

static ubi__ubirec_class class_of(const profile_state *s, uint32_t info) {
    return s->tables->kinds.at[s->tables->infos.at[info].kind].class_of_kind;
}

static ubi_status profile_event(void *of, const ubi__stream_event *event) {
    profile_state *s = of;
    ubi__ubirec_class of_class = class_of(s, event->info);
    if (of_class == UBI__UBIREC_MAPPING || (of_class == UBI__UBIREC_OBJECT && event->is_free))
        return UBI_OK;
    if (s->events.n == UBI__PROFILE_EVENTS_MAX)
        return ubi__fail(
            UBI_ELIMIT,
            "more than %zu events, which the Firefox Profiler does not open: record with a longer sampling "
            "period",
            UBI__PROFILE_EVENTS_MAX);
    return kept_events_push(&s->events, s->what->allocator,
                            (kept_event){ event->time_ns, event->allocation, event->info, event->is_free });
}

/* ---- columns ---------------------------------------------------------------------------------------------------------- */

static void time_put(ubi__json *json, uint64_t time_ns) {
    char text[32];
    ubi__json_raw(json, (ubi_text){ text, ubi__timeline_ms(text, time_ns) });
}

static void number_or_null_put(ubi__json *json, bool is_number, uint64_t number) {
    if (is_number)
        ubi__json_u64(json, number);
    else
        ubi__json_null(json);
}

/* A word of a tuple, as a column. `nothing`: what becomes null; a number is written less `less`. */
static void words_put(ubi__json *json, const char *key, const ubi__tuple_table *table, size_t word, uint64_t nothing,
                      uint64_t less) {
    ubi__json_member_array(json, key);
    for (size_t i = word; i < table->words.n && !json->has_failed; i += table->width)
        number_or_null_put(json, table->words.at[i] != nothing, table->words.at[i] - less);
    ubi__json_array_end(json);
}

/* The same value in each row. */
static void constants_put(ubi__json *json, const char *key, size_t n, const char *value) {
    ubi__json_member_array(json, key);
    for (size_t i = 0; i < n && !json->has_failed; i++)
        ubi__json_raw(json, ubi__text(value));
    ubi__json_array_end(json);
}

static bool frame_is_script(const profile_state *s, uint64_t frame) {
    uint64_t function = s->frames.words.at[frame * s->frames.width];
    return s->functions.words.at[function * s->functions.width + 2];
}

static void frame_categories_put(const profile_state *s) {
    ubi__json_member_array(s->json, "category");
    for (uint32_t i = 0; i < ubi__tuple_table_count(&s->frames); i++)
        ubi__json_u64(s->json, frame_is_script(s, i) ? CATEGORY_SCRIPT : CATEGORY_NATIVE);
    ubi__json_array_end(s->json);
}

static void stack_categories_put(const profile_state *s) {
    ubi__json_member_array(s->json, "category");
    for (uint32_t i = 0; i < ubi__tuple_table_count(&s->stacks); i++)
        ubi__json_u64(s->json,
                      frame_is_script(s, s->stacks.words.at[i * s->stacks.width]) ? CATEGORY_SCRIPT : CATEGORY_NATIVE);
    ubi__json_array_end(s->json);
}

static void stacks_put(const profile_state *s) {
    size_t n = ubi__tuple_table_count(&s->stacks);
    ubi__json_member_object(s->json, "stackTable");
    words_put(s->json, "frame", &s->stacks, 0, UINT64_MAX, 0);
    words_put(s->json, "prefix", &s->stacks, 1, NO_PREFIX, 0);
    stack_categories_put(s);
    constants_put(s->json, "subcategory", n, "0");
    ubi__json_member_u64(s->json, "length", n);
    ubi__json_object_end(s->json);
}

static void frames_put(const profile_state *s) {
    size_t n = ubi__tuple_table_count(&s->frames);
    ubi__json_member_object(s->json, "frameTable");
    constants_put(s->json, "address", n, "-1");
    constants_put(s->json, "inlineDepth", n, "0");
    frame_categories_put(s);
    constants_put(s->json, "subcategory", n, "0");
    words_put(s->json, "func", &s->frames, 0, UINT64_MAX, 0);
    constants_put(s->json, "nativeSymbol", n, "null");
    constants_put(s->json, "innerWindowID", n, "0");
    constants_put(s->json, "implementation", n, "null");
    words_put(s->json, "line", &s->frames, 1, 0, 0);
    words_put(s->json, "column", &s->frames, 2, 0, 0);
    ubi__json_member_u64(s->json, "length", n);
    ubi__json_object_end(s->json);
}

static void scripts_put(const profile_state *s, const char *key) {
    ubi__json_member_array(s->json, key);
    for (size_t i = 2; i < s->functions.words.n; i += s->functions.width)
        ubi__json_bool(s->json, s->functions.words.at[i] != 0);
    ubi__json_array_end(s->json);
}

static void functions_put(const profile_state *s) {
    size_t n = ubi__tuple_table_count(&s->functions);
    ubi__json_member_object(s->json, "funcTable");
    words_put(s->json, "name", &s->functions, 0, UINT64_MAX, 0);
    scripts_put(s, "isJS");
    constants_put(s->json, "relevantForJS", n, "false");
    constants_put(s->json, "resource", n, "-1");
    words_put(s->json, "fileName", &s->functions, 1, 0, 1);
    constants_put(s->json, "lineNumber", n, "null");
    constants_put(s->json, "columnNumber", n, "null");
    ubi__json_member_u64(s->json, "length", n);
    ubi__json_object_end(s->json);
}

/* ---- allocations ------------------------------------------------------------------------------------------------------ */

typedef void event_put(const profile_state *s, const kept_event *event);

static void event_time_put(const profile_state *s, const kept_event *event) {
    time_put(s->json, event->time_ns);
}

static void event_weight_put(const profile_state *s, const kept_event *event) {
    int64_t weight = (int64_t)s->tables->infos.at[event->info].weight_bytes;
    ubi__json_i64(s->json, event->is_free ? -weight : weight);
}

static void event_stack_put(const profile_state *s, const kept_event *event) {
    uint32_t stack = s->begins_at[ubi__stack_of_info(s->what->choice, event->info)];
    number_or_null_put(s->json, stack != NO_PREFIX, stack);
}

static void event_number_put(const profile_state *s, const kept_event *event) {
    ubi__json_u64(s->json, event->allocation);
}

static void event_zero_put(const profile_state *s, const kept_event *event) {
    (void)event;
    ubi__json_u64(s->json, 0);
}

static void event_false_put(const profile_state *s, const kept_event *event) {
    (void)event;
    ubi__json_bool(s->json, false);
}

static void event_kind_put(const profile_state *s, const kept_event *event) {
    uint32_t kind = s->tables->infos.at[event->info].kind;
    ubi__json_text(s->json, ubi__ubirec_string_at(s->tables, s->tables->kinds.at[kind].word));
}

static void event_object_put(const profile_state *s, const kept_event *event) {
    (void)event;
    ubi__json_string(s->json, "Object");
}

static size_t column_put(const profile_state *s, const char *key, ubi__ubirec_class of_class, event_put *put) {
    size_t n = 0;
    ubi__json_member_array(s->json, key);
    for (size_t i = 0; i < s->events.n && !s->json->has_failed; i++)
        if (class_of(s, s->events.at[i].info) == of_class) {
            put(s, &s->events.at[i]);
            n++;
        }
    ubi__json_array_end(s->json);
    return n;
}

static size_t common_columns_put(const profile_state *s, ubi__ubirec_class of_class) {
    size_t n = column_put(s, "time", of_class, event_time_put);
    column_put(s, "weight", of_class, event_weight_put);
    ubi__json_member_string(s->json, "weightType", "bytes");
    column_put(s, "stack", of_class, event_stack_put);
    return n;
}

static void native_allocations_put(const profile_state *s) {
    ubi__json_member_object(s->json, "nativeAllocations");
    size_t n = common_columns_put(s, UBI__UBIREC_HEAP);
    column_put(s, "memoryAddress", UBI__UBIREC_HEAP, event_number_put);
    column_put(s, "threadId", UBI__UBIREC_HEAP, event_zero_put);
    ubi__json_member_u64(s->json, "length", n);
    ubi__json_object_end(s->json);
}

static void script_allocations_put(const profile_state *s) {
    if (s->what->choice->sites->summary->classes[UBI__UBIREC_OBJECT].count == 0)
        return;
    ubi__json_member_object(s->json, "jsAllocations");
    size_t n = common_columns_put(s, UBI__UBIREC_OBJECT);
    column_put(s, "className", UBI__UBIREC_OBJECT, event_kind_put);
    column_put(s, "typeName", UBI__UBIREC_OBJECT, event_kind_put);
    column_put(s, "coarseType", UBI__UBIREC_OBJECT, event_object_put);
    column_put(s, "inNursery", UBI__UBIREC_OBJECT, event_false_put);
    ubi__json_member_u64(s->json, "length", n);
    ubi__json_object_end(s->json);
}

/* ---- the thread ------------------------------------------------------------------------------------------------------- */

static void nothing_put(ubi__json *json, const char *key, const char *const *columns) {
    ubi__json_member_object(json, key);
    for (; *columns; columns++) {
        ubi__json_member_array(json, *columns);
        ubi__json_array_end(json);
    }
    ubi__json_member_u64(json, "length", 0);
    ubi__json_object_end(json);
}

static void other_tables_put(ubi__json *json) {
    static const char *const markers[] = { "data", "name", "startTime", "endTime", "phase", "category", NULL };
    static const char *const resources[] = { "lib", "name", "host", "type", NULL };
    static const char *const symbols[] = { "libIndex", "address", "name", "functionSize", NULL };
    ubi__json_member_object(json, "samples");
    ubi__json_member_string(json, "weightType", "samples");
    ubi__json_member_null(json, "weight");
    static const char *const samples[] = { "stack", "time", "eventDelay" };
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        ubi__json_member_array(json, samples[i]);
        ubi__json_array_end(json);
    }
    ubi__json_member_u64(json, "length", 0);
    ubi__json_object_end(json);
    nothing_put(json, "markers", markers);
    nothing_put(json, "resourceTable", resources);
    nothing_put(json, "nativeSymbols", symbols);
}

static void pid_put(const profile_state *s, const char *key) {
    char text[24];
    snprintf(text, sizeof text, "%llu", (unsigned long long)s->tables->about.pid);
    ubi__json_member_string(s->json, key, text);
}

static void thread_put(const profile_state *s) {
    ubi__json *json = s->json;
    ubi__json_object_begin(json);
    ubi__json_member_text(json, "name", program_name(s));
    ubi__json_member_bool(json, "isMainThread", true);
    ubi__json_member_string(json, "processType", "default");
    ubi__json_member_text(json, "processName", program_name(s));
    ubi__json_member_u64(json, "processStartupTime", 0);
    ubi__json_member_null(json, "processShutdownTime");
    ubi__json_member_u64(json, "registerTime", 0);
    ubi__json_member_null(json, "unregisterTime");
    ubi__json_member_array(json, "pausedRanges");
    ubi__json_array_end(json);
    pid_put(s, "pid");
    ubi__json_member_u64(json, "tid", s->tables->about.pid);
    other_tables_put(json);
    native_allocations_put(s);
    script_allocations_put(s);
    stacks_put(s);
    frames_put(s);
    functions_put(s);
    ubi__json_member_array(json, "stringArray");
    for (ubi_str_ix i = 0; i < ubi__strtab_count(&s->strings) && !json->has_failed; i++)
        ubi__json_text(json, ubi__strtab_get(&s->strings, i));
    ubi__json_array_end(json);
    ubi__json_object_end(json);
}

/* ---- the profile ------------------------------------------------------------------------------------------------------ */

static uint64_t live_at(const ubi__curve_point *point) {
    return point->live_bytes;
}

static uint64_t resident_at(const ubi__curve_point *point) {
    return point->rss_bytes;
}

/* Counts of a track are differences. */
static void counter_put(const profile_state *s, const char *name, const char *description,
                        uint64_t (*value)(const ubi__curve_point *)) {
    const ubi__recording_summary *summary = s->what->choice->sites->summary;
    ubi__json *json = s->json;
    uint64_t last = 0;
    ubi__json_object_begin(json);
    ubi__json_member_string(json, "name", name);
    ubi__json_member_string(json, "category", "Memory");
    ubi__json_member_string(json, "description", description);
    pid_put(s, "pid");
    ubi__json_member_u64(json, "mainThreadIndex", 0);
    ubi__json_member_object(json, "samples");
    ubi__json_member_array(json, "time");
    for (size_t i = 0; i < summary->n_curve; i++)
        time_put(json, ubi__curve_time_ns(summary, i));
    ubi__json_array_end(json);
    ubi__json_member_array(json, "count");
    for (size_t i = 0; i < summary->n_curve; i++) {
        uint64_t now = value(&summary->curve[i]);
        now = now ? now : value == resident_at ? last : 0; /* 0: it was not measured */
        ubi__json_i64(json, (int64_t)(now - last));
        last = now;
    }
    ubi__json_array_end(json);
    ubi__json_member_u64(json, "length", summary->n_curve);
    ubi__json_object_end(json);
    ubi__json_object_end(json);
}

static ubi_status profile_end(void *of) {
    profile_state *s = of;
    ubi__json *json = s->json;
    ubi__json_member_array(json, "libs");
    ubi__json_array_end(json);
    ubi__json_member_array(json, "pages");
    ubi__json_array_end(json);
    ubi__json_member_array(json, "counters");
    counter_put(s, "heap", "Bytes of the heap that are alive", live_at);
    if (s->what->choice->sites->summary->rss_peak_bytes)
        counter_put(s, "resident", "Resident memory", resident_at);
    ubi__json_array_end(json);
    ubi__json_member_array(json, "threads");
    thread_put(s);
    ubi__json_array_end(json);
    return UBI_OK;
}

static void profile_release(void *of) {
    profile_state *s = of;
    const ubi_allocator *a = s->what->allocator;
    ubi__free_array(a, s->stack_of, s->tables->traces.n, sizeof *s->stack_of);
    ubi__free_array(a, s->begins_at, s->tables->traces.n, sizeof *s->begins_at);
    kept_events_fini(&s->events, a);
    ubi__tuple_table_fini(&s->stacks);
    ubi__tuple_table_fini(&s->frames);
    ubi__tuple_table_fini(&s->functions);
    ubi__strtab_fini(&s->strings);
}

const ubi__event_format ubi__event_format_firefox = {
    .state_bytes = sizeof(profile_state),
    .begin = profile_begin,
    .event = profile_event,
    .end = profile_end,
    .release = profile_release,
};
