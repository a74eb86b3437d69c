/* SPDX-License-Identifier: MIT
 *
 * allocations_question.c: which functions allocated what, and when: of a heap here, of a recording in questions/recording/.
 */
#include <ubiheap/views/allocations.h>

#include <stdio.h>

#include "base/human.h"
#include "base/status.h"
#include "base/text.h"
#include "lenses/producer.h"
#include "questions/recording/recording_curve.h"
#include "questions/recording/recording_functions.h"
#include "questions/recording/recording_groups.h"
#include "render/heap_labels.h"
#include "render/page.h"
#include "render/text_tree.h"

/* Lines of a timeline; longer recordings have several samples in one. */
#define TIMELINE_LINES 24

typedef struct allocations_values {
    bool wants_timeline, with_callees;
    const char *by, *group;
    ubi__asked_window window;
    uint64_t callers, limit;
} allocations_values;

#define AT(field) offsetof(allocations_values, field)

typedef struct answer {
    const allocations_values *values;
    uint32_t caller_levels;
    ubi__recording_functions functions; /* of a recording; or: */
    ubi__recording_groups groups;
    ubi__recording_curve curve; /* or else: */
    const ubi_graph *graph;
    const ubi_allocations *allocations; /* of the session */
} answer;

static uint32_t caller_levels(const allocations_values *values) {
    return values->callers < UINT32_MAX ? (uint32_t)values->callers : UINT32_MAX;
}

static uint32_t shown_functions(const answer *a, uint32_t n) {
    return a->values->limit && a->values->limit < n ? (uint32_t)a->values->limit : n;
}

/* ---- text: functions ------------------------------------------------------------------------------------------------ */

/* What is written, and where. */
typedef struct drawing {
    const ubi__page *page;
    ubi__out *out;
    const answer *answer;
    const ubi_allocations *allocations;
} drawing;

enum { ALLOCATED, ALLOCATED_OBJECTS, ALIVE, ALIVE_OBJECTS, COLUMNS };

static const ubi__text_column function_columns[COLUMNS] = {
    [ALLOCATED] = { "Allocated", .width = 10 },
    [ALLOCATED_OBJECTS] = { "Objects", .width = 10 },
    [ALIVE] = { "Alive", .width = 10 },
    [ALIVE_OBJECTS] = { "Objects", .width = 10 },
};

static void caller_write(const drawing *a, const ubi__text_table *table, const ubi_allocation_caller *row) {
    ubi_allocation_function f;
    const ubi__cell cells[COLUMNS] = {
        [ALLOCATED] = ubi__cell_size(row->tally.size_bytes),
        [ALLOCATED_OBJECTS] = ubi__cell_count(row->tally.count),
        [ALIVE] = ubi__cell_size(row->tally.live_size_bytes),
        [ALIVE_OBJECTS] = ubi__cell_count(row->tally.live_count),
    };
    size_t room = ubi__text_table_caller(table, row->depth, ubi__text_table_row(table, cells));
    ubi_allocations_function(a->allocations, row->function, &f);
    ubi_frame frame = { .source = f.script_name, .function_name = f.name, .line = f.line, .column = f.column };
    ubi__display_frame(a->out, table->style, &frame, room);
    ubi__out_char(a->out, '\n');
}

static ubi_status callers_write(const drawing *a, const ubi__text_table *table, ubi_function_ix function) {
    ubi_allocation_caller *rows;
    uint32_t n;
    UBI_TRY(ubi_allocations_callers(&rows, &n, a->allocations, function, a->answer->caller_levels));
    for (uint32_t i = 0; i < n && !a->out->has_failed; i++)
        caller_write(a, table, &rows[i]);
    ubi_allocations_callers_free(a->allocations, rows, n);
    return UBI_OK;
}

static ubi_allocation_tally tallies_sum(const ubi_allocation_top *tops, uint32_t n) {
    ubi_allocation_tally all = { 0 };
    for (uint32_t i = 0; i < n; i++) {
        all.count += tops[i].tally.count;
        all.size_bytes += tops[i].tally.size_bytes;
        all.live_count += tops[i].tally.live_count;
        all.live_size_bytes += tops[i].tally.live_size_bytes;
    }
    return all;
}

static void totals_write(const drawing *a, ubi_allocation_tally all, bool has_history) {
    char size[UBI__HUMAN_TEXT], b[UBI__HUMAN_TEXT];
    if (has_history)
        ubi__out_printf(a->out, "%s in %s allocated while it was recorded, of which ",
                        ubi__human_size(size, all.size_bytes), ubi__human_things(b, all.count, "object"));
    ubi__out_printf(a->out, "%s %s alive", ubi__human_things(b, all.live_count, "object"),
                    all.live_count == 1 ? "is" : "are");
    ubi__out_printf(a->out, " and take%s %s%s\n", all.live_count == 1 ? "s" : "",
                    ubi__human_size(size, all.live_size_bytes),
                    has_history ? "" : ", with a stack that says who allocated them");
}

static ubi_status functions_write(const drawing *a) {
    uint32_t n;
    const ubi_allocation_top *tops = ubi_allocations_tops(a->allocations, &n);
    ubi_allocation_tally all = tallies_sum(tops, n);
    bool has_history = ubi_allocations_has_history(a->allocations);
    ubi__text_table table;
    ubi__page_table(&table, a->page, "Function", function_columns, COLUMNS);
    table.at[ALLOCATED].is_hidden = table.at[ALLOCATED_OBJECTS].is_hidden = !has_history;
    ubi__text_table_lay_out(&table);
    totals_write(a, all, has_history);
    ubi__out_char(a->out, '\n');
    ubi__text_table_head(&table);
    for (uint32_t i = 0; i < shown_functions(a->answer, n) && !a->out->has_failed; i++)
        UBI_TRY(callers_write(a, &table, tops[i].function));
    ubi__write_more(a->page, n - shown_functions(a->answer, n), "--limit 0 shows all");
    /* If most are alive, few can have been moved. */
    const ubi__producer_history *history = ubi__producer_of(a->answer->graph)->history;
    if (has_history && history->hint_for_lost && all.live_count < all.count / 4)
        ubi__out_printf(a->out, "\n%s", history->hint_for_lost);
    return UBI_OK;
}

/* ---- text: timeline ------------------------------------------------------------------------------------------------- */

typedef struct span {
    uint64_t from_us, to_us;
    ubi_allocation_tally tally;
} span;

static void span_write(const ubi__text_table *table, const span *s, uint64_t most_bytes) {
    char text[UBI__HUMAN_TEXT], time[UBI__HUMAN_TEXT + 8] = "before";
    if (s->to_us)
        snprintf(time, sizeof time, "to %s", ubi__human_duration(text, s->to_us));
    const ubi__cell cells[] = {
        ubi__cell_words(time),
        ubi__cell_size(s->tally.live_size_bytes),
        ubi__cell_bar(UBI__INK_BLUE, most_bytes ? s->tally.live_size_bytes : 0, most_bytes),
        ubi__cell_count(s->tally.live_count),
    };
    ubi__text_table_line(table, cells, (ubi_text){ NULL, 0 });
}

/* Samples as spans: the first as it is, the others in groups, so that all have a line. */
static size_t spans_make(span out[TIMELINE_LINES + 1], const ubi_allocation_sample *samples, uint32_t n) {
    size_t n_spans = 0, each = (n + TIMELINE_LINES - 2) / TIMELINE_LINES;
    each = each ? each : 1;
    for (uint32_t i = 0; i < n; i++) {
        if (i <= 1 || (i - 1) % each == 0)
            out[n_spans++] = (span){ .from_us = i ? samples[i - 1].time_us : 0 };
        span *s = &out[n_spans - 1];
        s->to_us = samples[i].time_us;
        s->tally.live_count += samples[i].live_count;
        s->tally.live_size_bytes += samples[i].size_bytes;
    }
    return n_spans;
}

/* What was there before recording would hide the rest: the bars are for what came then. */
static uint64_t spans_most_bytes(const span *spans, size_t n) {
    uint64_t most = 0;
    for (size_t i = n > 1; i < n; i++)
        most = spans[i].tally.live_size_bytes > most ? spans[i].tally.live_size_bytes : most;
    return most;
}

static void timeline_write(const drawing *a) {
    static const ubi__text_column columns[] = {
        { "Time", .width = 12 },
        { "Alive", .width = 10 },
        { NULL, .width = 32, .gap = 2 },
        { "Objects", .width = 10 },
    };
    uint32_t n;
    char time[UBI__HUMAN_TEXT], count[UBI__HUMAN_TEXT];
    span spans[TIMELINE_LINES + 1];
    ubi__text_table table;
    const ubi_allocation_sample *samples = ubi_allocations_samples(a->allocations, &n);
    if (n == 0) {
        ubi__out_string(a->out, "The file has no timeline: in Chrome's DevTools, choose Memory, \"Allocations on "
                                "timeline\", and save that profile.\n");
        return;
    }
    size_t n_spans = spans_make(spans, samples, n);
    uint64_t most = spans_most_bytes(spans, n_spans);
    ubi__out_printf(a->out, "%s of recording, %s: what is still alive of the JavaScript objects of each span\n\n",
                    ubi__human_duration(time, samples[n - 1].time_us), ubi__human_things(count, n, "sample"));
    ubi__page_table(&table, a->page, NULL, columns, sizeof columns / sizeof *columns);
    ubi__text_table_head(&table);
    for (size_t i = 0; i < n_spans; i++)
        span_write(&table, &spans[i], i == 0 && n_spans > 1 ? 0 : most);
    if (most == 0)
        ubi__out_string(a->out,
                        "Nothing that was allocated while it was recorded is alive, or ids were not recorded.\n");
}

static ubi_status heap_page_write(const ubi__page *page, const answer *of, const char *name) {
    const drawing d = { page, page->out, of, of->allocations };
    uint32_t n;
    ubi_allocations_tops(of->allocations, &n);
    if (of->values->wants_timeline) {
        timeline_write(&d);
        return UBI_OK;
    }
    if (n)
        return functions_write(&d);
    ubi__out_string(page->out, "The file does not say who allocated what.\n");
    ubi__write_no_stacks(page, name, ubi__how_to_record_stacks(of->graph));
    return UBI_OK;
}

/* ---- JSON ------------------------------------------------------------------------------------------------------------ */

static void place_put(ubi__json *j, const ubi_allocations *a, ubi_function_ix function) {
    ubi_allocation_function f;
    ubi_allocations_function(a, function, &f);
    ubi__json_member_text(j, "name", f.name);
    ubi__json_member_text(j, "scriptName", f.script_name);
    ubi__json_member_u64(j, "line", f.line);
    ubi__json_member_u64(j, "column", f.column);
}

static void tally_put(ubi__json *j, const ubi_allocation_tally *tally) {
    ubi__json_member_u64(j, "count", tally->count);
    ubi__json_member_u64(j, "size", tally->size_bytes);
    ubi__json_member_u64(j, "liveCount", tally->live_count);
    ubi__json_member_u64(j, "liveSize", tally->live_size_bytes);
}

/* Rows below the first, which is the function itself; a row's parent is an earlier one, or null. */
static ubi_status callers_put(ubi__json *j, const answer *q, ubi_function_ix function) {
    ubi_allocation_caller *rows;
    uint32_t n;
    UBI_TRY(ubi_allocations_callers(&rows, &n, q->allocations, function, q->caller_levels));
    ubi__json_member_array(j, "callers");
    for (uint32_t i = 1; i < n && !j->has_failed; i++) {
        ubi__json_object_begin(j);
        ubi__json_member_u64_or_null(j, "calls", rows[i].parent, rows[i].parent - 1);
        place_put(j, q->allocations, rows[i].function);
        tally_put(j, &rows[i].tally);
        ubi__json_object_end(j);
    }
    ubi__json_array_end(j);
    ubi_allocations_callers_free(q->allocations, rows, n);
    return UBI_OK;
}

static ubi_status tops_put(ubi__json *j, const answer *q) {
    uint32_t n;
    const ubi_allocation_top *tops = ubi_allocations_tops(q->allocations, &n);
    uint32_t shown = shown_functions(q, n);
    ubi__json_member_u64(j, "functionCount", n);
    ubi__json_member_array(j, "functions");
    for (uint32_t i = 0; i < shown && !j->has_failed; i++) {
        ubi__json_object_begin(j);
        place_put(j, q->allocations, tops[i].function);
        tally_put(j, &tops[i].tally);
        if (q->caller_levels)
            UBI_TRY(callers_put(j, q, tops[i].function));
        ubi__json_object_end(j);
    }
    ubi__json_array_end(j);
    return UBI_OK;
}

static void samples_put(ubi__json *j, const ubi_allocations *a) {
    uint32_t n;
    const ubi_allocation_sample *samples = ubi_allocations_samples(a, &n);
    ubi__json_member_array(j, "samples");
    for (uint32_t i = 0; i < n && !j->has_failed; i++) {
        ubi__json_object_begin(j);
        ubi__json_member_double(j, "timestamp", (double)samples[i].time_us / 1000);
        ubi__json_member_node_id(j, "lastAssignedId", samples[i].last_id);
        ubi__json_member_u64(j, "liveCount", samples[i].live_count);
        ubi__json_member_u64(j, "size", samples[i].size_bytes);
        ubi__json_object_end(j);
    }
    ubi__json_array_end(j);
}

static ubi_status heap_document_put(ubi__json *j, const answer *q) {
    ubi__json_member_bool(j, "hasHistory", ubi_allocations_has_history(q->allocations));
    UBI_TRY(tops_put(j, q));
    samples_put(j, q->allocations);
    return UBI_OK;
}

/* ---- a part of the heap ---------------------------------------------------------------------------------------------- */

static ubi_status allocations_build(void **out, ubi_session_use *use, const char *key, const ubi_allocator *allocator) {
    ubi_allocations_options options = UBI_ALLOCATIONS_OPTIONS_INIT;
    const ubi_look *look;
    ubi_allocations *allocations;
    (void)key;
    UBI_TRY(ubi_session_look(&look, use));
    options.allocator = allocator;
    options.progress = *ubi_session_use_progress(use);
    UBI_TRY(ubi_allocations_new(&allocations, look, &options));
    *out = allocations;
    return UBI_OK;
}

static void allocations_free(void *value, const ubi_allocator *allocator) {
    (void)allocator;
    ubi_allocations_free(value);
}

static const ubi__part_type allocations_part = { .name = "allocations",
                                                 .build = allocations_build,
                                                 .free = allocations_free };

/* ---- the question ---------------------------------------------------------------------------------------------------- */

/* Of a recording: functions, other groups, or by time. */
static ubi_status forms_check(const allocations_values *values) {
    const char *of_functions = values->with_callees ? "with-callees" : values->callers ? "callers" : NULL;
    bool is_of_functions = ubi__recording_grouping_of(values->group) == UBI__GROUP_FUNCTION;
    if (values->wants_timeline && values->group)
        return ubi__fail(UBI_EINVAL, "--timeline does not go with --group");
    if (of_functions && (values->wants_timeline || !is_of_functions))
        return ubi__fail(UBI_EINVAL, "--%s is for functions: it does not go with %s%s", of_functions,
                         values->wants_timeline ? "--timeline" : "--group ",
                         values->wants_timeline ? "" : values->group);
    return UBI_OK;
}

static bool is_of_functions(const answer *a) {
    return !a->values->wants_timeline && ubi__recording_grouping_of(a->values->group) == UBI__GROUP_FUNCTION;
}

static const ubi__recording_report *report_of(const answer *a) {
    return a->values->wants_timeline ? a->curve.report : is_of_functions(a) ? a->functions.report : a->groups.report;
}

/* Options for the other kind must not be ignored silently. */
static ubi_status allocations_prepare(void *to, const ubi__asked *asked) {
    const allocations_values *values = asked->values;
    bool is_recording = ubi__asked_kind(asked) == UBI_SESSION_RECORDING;
    const char *window_option = ubi__asked_window_option(&values->window);
    ubi__time_window window;
    (void)to;
    if (is_recording)
        UBI_TRY(ubi__asked_window_read(&window, &values->window));
    if (!is_recording && window_option)
        return ubi__fail(UBI_EINVAL, "--%s is for recordings of allocations", window_option);
    if (is_recording)
        return forms_check(values);
    if (values->by || values->with_callees || values->group)
        return ubi__fail(UBI_EINVAL, "--%s is for recordings of allocations",
                         values->by      ? "by"
                         : values->group ? "group"
                                         : "with-callees");
    return UBI_OK;
}

static ubi_status heap_compute(answer *a, ubi_session_use *heap) {
    const ubi_look *look;
    void *allocations;
    UBI_TRY(ubi_session_look(&look, heap));
    UBI_TRY(ubi__session_part(&allocations, heap, &allocations_part, ""));
    a->graph = ubi_look_view(look)->graph;
    a->allocations = allocations;
    return UBI_OK;
}

static ubi_status allocations_compute(void *to, const ubi__asked *asked) {
    answer *a = to;
    a->values = asked->values;
    a->caller_levels = caller_levels(a->values);
    if (ubi__asked_kind(asked) != UBI_SESSION_RECORDING)
        return heap_compute(a, ubi__asked_heap(asked));
    const ubi__recording_wishes of_report = { .by = a->values->by, .window = a->values->window };
    if (a->values->wants_timeline)
        return ubi__recording_curve_compute(&a->curve, asked, &of_report, a->values->limit);
    if (!is_of_functions(a))
        return ubi__recording_groups_compute(&a->groups, asked, ubi__recording_grouping_of(a->values->group),
                                             &of_report, a->values->limit);
    const ubi__functions_wishes wishes = { .by = a->values->by,
                                           .window = a->values->window,
                                           .limit = a->values->limit,
                                           .caller_levels = a->caller_levels,
                                           .with_callees = a->values->with_callees };
    return ubi__recording_functions_compute(&a->functions, asked, &wishes);
}

static ubi_status allocations_document(ubi__json *json, const void *of, const ubi__asked *asked) {
    const answer *a = of;
    (void)asked;
    if (a->allocations)
        return heap_document_put(json, a);
    if (a->values->wants_timeline)
        return ubi__recording_curve_document(json, &a->curve);
    return is_of_functions(a) ? ubi__recording_functions_document(json, &a->functions)
                              : ubi__recording_groups_document(json, &a->groups);
}

static void allocations_head(ubi__document_head *head, const void *of, const ubi__asked *asked) {
    const answer *a = of;
    (void)asked;
    if (!a->allocations && !is_of_functions(a))
        head->schema = a->values->wants_timeline ? "ubiheap.recording-curve/1" : "ubiheap.recording-groups/1";
}

static ubi_status allocations_page(const ubi__page *page, const void *of, const ubi__asked *asked) {
    const answer *a = of;
    if (a->allocations)
        return heap_page_write(page, a, ubi__asked_name(asked));
    if (a->values->wants_timeline)
        return ubi__recording_curve_page(page, &a->curve);
    return is_of_functions(a) ? ubi__recording_functions_page(page, &a->functions)
                              : ubi__recording_groups_page(page, &a->groups);
}

static void allocations_remark(ubi__remarks *remarks, const void *of) {
    const answer *a = of;
    if (!a->allocations)
        ubi__recording_remark(remarks, report_of(a));
}

static void allocations_release(void *of, const ubi__asked *asked) {
    (void)asked;
    ubi__recording_functions_release(&((answer *)of)->functions);
    ubi__recording_groups_release(&((answer *)of)->groups);
    ubi__recording_curve_release(&((answer *)of)->curve);
}

static const ubi__parameter parameters[] = {
    UBI__FLAG("timeline", 't', AT(wants_timeline),
              "not by function but by time: what of each span is still alive; of a recording, what was alive, and the "
              "places that had most of it"),
    UBI__CHOICE("group", 'g', AT(group), "WHAT", ubi__recording_groupings,
                "of a recording: not by function but by file, module, thread, kind of allocation, size or lifetime",
                "function"),
    UBI__NUMBER("callers", 0, AT(callers), "N", "show N levels of callers below each function", "0"),
    UBI__CHOICE("by", 0, AT(by), "WHAT", ubi__recording_orders,
                "of a recording: sort by bytes leaked, at the peak or in total, or by allocations, all or temporary; "
                "of a part of the time, also by what lived at its end; the default is what matters most",
                NULL),
    UBI__WINDOW_PARAMETERS(AT(window)),
    UBI__FLAG("with-callees", 0, AT(with_callees),
              "of a recording: numbers are those of a function with all that it called"),
    UBI__LIMIT(AT(limit), "print the first N functions; 0: all", "20"),
    UBI__PARAMETERS_END,
};

static const ubi__example examples[] = {
    { "allocations app.heaptimeline", "who allocated most, and what of it is still there" },
    { "allocations --callers 3 --limit 5 app.heaptimeline", "and who called them" },
    { "allocations --timeline app.heaptimeline", "when what is alive came" },
    { "allocations --group module --by peak server.ubirec", "which libraries have what is alive when most is" },
    { "allocations --group lifetime server.ubirec", "how long what a program allocates lives" },
    { "allocations --timeline server.ubirec", "what was alive by time, and whose it was" },
    { "allocations --with-callees --by peak server.ubirec",
      "what a program's functions have at its peak, with all they call" },
    { NULL, NULL },
};

const ubi__usage ubi__usage_allocations = {
    .name = "allocations",
    .operands = "FILE",
    .summary = "list functions by what they allocated",
    .question = "Which functions allocated what is in this heap?",
    .description =
        "A row is a function: how much it allocated itself during the recording, in how many objects, and how much of "
        "that is still in the snapshot. With --callers, the functions that called it follow, with the part that each "
        "accounts for, the largest first.\n"
        "\n"
        "Numbers are those of Chrome's DevTools: objects that a function allocated count with their sizes then, those "
        "that live with their sizes now, which may be larger. V8 loses the function that allocated an object when a "
        "collection moves it to close a gap; the object then counts as freed. With node --no-compact, or Chrome's "
        "--js-flags=--no-compact, this does not happen. Recursive calls are callers of themselves.\n"
        "\n"
        "--timeline shows spans of time, the first being all that came before, with the JavaScript objects of each "
        "that are still alive. In JSON of a snapshot both are always there, and times are in milliseconds.\n"
        "\n"
        "Of a recording of allocations (.ubirec, from ubiheap record) a row is what a function did not free, had at "
        "the peak and allocated: itself, that is, without what it called, but with the allocators, containers and "
        "wrappers that it asks. The last column is the same as the first, with all that the function called; "
        "--with-callees exchanges the two. What a recursive function has with its callees counts once. Numbers of a "
        "sampled recording are limits or, with ~, estimates.\n"
        "\n"
        "--group puts other things together: the files or modules of functions, the threads that allocated, what was "
        "called or made (malloc, mmap, a class of a script engine), or, as histograms, sizes and lifetimes. "
        "--timeline draws what was alive by time with its scale, and below it the places that had most of it, each to "
        "its own height. --from, --to and --at select a part of the time for all of them.\n"
        "\n"
        "Chrome writes all of this (\"Allocations on timeline\" with \"Allocation stack traces\"). Firefox writes the "
        "stacks of live nodes, so that what is alive can be shown; its functions are distinguished by name and source.",
    .parameters = parameters,
    .examples = examples,
    .min_operands = 1,
    .max_operands = 1,
    .arguments_bytes = sizeof(allocations_values),
};

const ubi__question ubi__question_allocations = {
    .usage = &ubi__usage_allocations,
    .schema = "ubiheap.allocations/1",
    .recording_schema = "ubiheap.recording-allocations/1",
    .least_heaps = 1,
    .most_heaps = 1,
    .answer_bytes = sizeof(answer),
    .prepare = allocations_prepare,
    .compute = allocations_compute,
    .head = allocations_head,
    .document = allocations_document,
    .page = allocations_page,
    .remark = allocations_remark,
    .release = allocations_release,
};
