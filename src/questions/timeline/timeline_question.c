/* SPDX-License-Identifier: MIT
 *
 * timeline_question.c: what a program did when, as a page for people, and as documents for other viewers.
 */
#include <stdio.h>
#include <string.h>

#include "base/human.h"
#include "base/status.h"
#include "base/text.h"
#include "questions/timeline/timeline_view.h"
#include "render/timeline_export.h"

#define AT(field) offsetof(ubi__timeline_values, field)

/* Labels of timers and time stamps; if there are more, each probably has a number such as a request's. */
#define MOST_LABELS 5

typedef enum form { FORM_TEXT, FORM_JSON, FORM_CHROME, FORM_FIREFOX } form;

static const char *const formats[] = { "text", "json", "chrome", "firefox", NULL };

typedef struct answer {
    form form;
    ubi__timeline_view *view; /* owned; NULL: not computed */
} answer;

/* ---- parameters ------------------------------------------------------------------------------------------------------------- */

static ubi_status form_find(form *out, const ubi__asked *asked) {
    const ubi__timeline_values *values = asked->values;
    *out = asked->is_for_page ? FORM_TEXT : FORM_JSON;
    if (!values->format)
        return UBI_OK;
    for (*out = FORM_TEXT; strcmp(formats[*out], values->format) != 0;)
        ++*out;
    if (asked->is_for_page && *out == FORM_JSON)
        return ubi__fail(UBI_EINVAL, "--format json is a document, not a page");
    if (!asked->is_for_page && *out != FORM_JSON)
        return ubi__fail(UBI_EINVAL, "--json does not go with --format %s", values->format);
    return UBI_OK;
}

static ubi_status timeline_prepare(void *to, const ubi__asked *asked) {
    answer *a = to;
    const ubi__timeline_values *values = asked->values;
    UBI_TRY(form_find(&a->form, asked));
    if (values->output && a->form == FORM_TEXT)
        return ubi__fail(UBI_EINVAL, "--output is for --format json, chrome and firefox");
    return ubi__timeline_check_selection(values, ubi__asked_allocator(asked));
}

static const char *timeline_output_kind(const void *of, const ubi__asked *asked) {
    static const char *const kinds[] = { NULL, "document of ubiheap", "trace of Chrome", "profile of Firefox" };
    (void)asked;
    return kinds[((const answer *)of)->form];
}

/* ---- the answer ------------------------------------------------------------------------------------------------------------- */

/* Of the markers of the time that is shown, and then of those that were asked for by name or condition. */
static ubi_status view_narrow(ubi__timeline_view *view, form f, bool firefox) {
    UBI_TRY(ubi__timeline_select_time(view, f == FORM_TEXT));
    if (ubi__timeline_is_filtered(view)) {
        UBI_TRY(ubi__timeline_nest_init(&view->whole, &view->data, firefox));
        for (uint32_t i = 0; i < view->values->markers.n; i++)
            ubi__timeline_note_missing(view, &view->whole, ubi__text(view->values->markers.at[i]));
        UBI_TRY(ubi__timeline_select_markers(view));
    }
    UBI_TRY(ubi__timeline_nest_init(&view->nest, &view->data, firefox));
    /* Only on the page, unless markers were asked for by name, or all lines. */
    view->has_label_groups = f == FORM_TEXT && view->values->markers.n == 0 && view->values->rows > 0;
    return ubi__timeline_nest_group_labels(&view->nest, view->has_label_groups ? MOST_LABELS : UINT32_MAX);
}

static ubi_status timeline_compute(void *to, const ubi__asked *asked) {
    answer *a = to;
    bool firefox = asked->compat == UBI_COMPAT_FIREFOX && (a->form == FORM_TEXT || a->form == FORM_JSON);
    UBI_TRY(ubi__timeline_view_new(&a->view, asked));
    return view_narrow(a->view, a->form, firefox);
}

static void timeline_release(void *of, const ubi__asked *asked) {
    (void)asked;
    ubi__timeline_view_free(((answer *)of)->view);
}

/* ---- documents -------------------------------------------------------------------------------------------------------------- */

/* Of the processes that were recorded with it, whose markers are not in this file. */
static void other_files_put(ubi__json *json, const ubi__timeline_view *view) {
    ubi__json_member_array(json, "otherFiles");
    for (size_t i = 1; i < view->processes->rows.n; i++)
        ubi__json_string(json, view->processes->rows.at[i].path);
    ubi__json_array_end(json);
}

static ubi_status timeline_document(ubi__json *json, const void *of, const ubi__asked *asked) {
    char start[UBI__HUMAN_TEXT];
    const ubi__timeline_view *view = ((const answer *)of)->view;
    const ubi__timeline_data *data = &view->data;
    const char *fault = view->file->fault;
    (void)asked;
    ubi__json_member_text(json, "program", ubi__timeline_text(data, data->program));
    ubi__json_member_u64(json, "pid", data->pid);
    ubi__json_member_string(json, "startTime", data->start_unix_us ? ubi__iso_time(start, data->start_unix_us) : NULL);
    ubi__json_member_bool(json, "hasEnd", view->file->has_end);
    ubi__json_member_string(json, "fault", fault[0] ? fault : NULL);
    ubi__json_member_u64(json, "markerCount", ubi__timeline_marker_count(view));
    ubi__json_member_u64(json, "lostMarkers", data->n_lost);
    ubi__json_member_bool(json, "sampled", data->is_sampled);
    other_files_put(json, view);
    ubi__timeline_put_ms(json, "begin", view->begin_ns);
    ubi__timeline_put_ms(json, "end", view->end_ns);
    ubi__timeline_put_ms(json, "busy", ubi__timeline_whole(view)->busy_ns);
    ubi__timeline_put_ms(json, "collections", ubi__timeline_whole(view)->collection_ns);
    ubi__render_timeline_members(json, &view->nest);
    return UBI_OK;
}

static ubi_status timeline_page(const ubi__page *page, const void *of, const ubi__asked *asked) {
    const answer *a = of;
    (void)asked;
    switch (a->form) {
    case FORM_CHROME:
        return ubi__render_timeline_chrome(ubi__out_write, page->out, &a->view->nest);
    case FORM_FIREFOX:
        return ubi__render_timeline_firefox(ubi__out_write, page->out, &a->view->nest);
    case FORM_TEXT:
    case FORM_JSON:
        break;
    }
    return ubi__timeline_page(page, a->view);
}

/* ---- what can be judged ----------------------------------------------------------------------------------------------------- */

static void timeline_facts(ubi__question_facts *out, const void *of) {
    out->own = (ubi__condition_estimates){ .measure = ubi__timeline_measure, .payload = ((const answer *)of)->view };
}

static void timeline_remark(ubi__remarks *remarks, const void *of) {
    const ubi__timeline_view *view = ((const answer *)of)->view;
    snprintf(remarks->fault, sizeof remarks->fault, "%s", view->file->fault);
    snprintf(remarks->note, sizeof remarks->note, "%s", view->note);
}

/* ---- the question ----------------------------------------------------------------------------------------------------------- */

static const ubi__parameter parameters[] = {
    UBI__CHOICE("format", 'f', AT(format), "WORD", formats,
                "what to write: a page; one JSON document; trace events for Perfetto and chrome://tracing; a profile "
                "for profiler.firefox.com",
                "text", .scope = UBI__SCOPE_PAGE),
    UBI__TEXT("output", 'o', AT(output), "PATH",
              "write to PATH instead of standard output; it appears when it is complete", NULL,
              .scope = UBI__SCOPE_TERMINAL),
    UBI__TEXTS("marker", 'm', AT(markers), "NAME", "only markers of this name or label; may be given more than once"),
    UBI__TEXT("from", 0, AT(from), "TIME",
              "only what ended after TIME, in milliseconds since the program began, or with a unit: 1.5s", NULL),
    UBI__TEXT("to", 0, AT(to), "TIME", "only what began before TIME", NULL),
    UBI__TEXT("where", 'w', AT(where), "EXPR",
              "only markers for which this holds, such as 'duration > 10ms and function ~ \"render\"'", NULL),
    UBI__NUMBER("rows", 0, AT(rows), "N", "lines of the waterfall; 0: all", "40", .scope = UBI__SCOPE_PAGE),
    UBI__FLAG("each", 0, AT(with_each),
              "a line for each marker; the default when they fit; otherwise, equal markers share a line",
              .scope = UBI__SCOPE_PAGE),
    UBI__LIMIT(AT(top), "list the N longest markers", "5", .scope = UBI__SCOPE_PAGE),
    UBI__NUMBER("stack-depth", 0, AT(stack_depth), "N", "print N frames of their stacks; 0: as many as is usual", "0",
                .scope = UBI__SCOPE_PAGE),
    UBI__FAIL_ON_IN_WORDS(AT(fail_on), "exit with status 1 and say why when this condition holds, such as "
                                       "'longest(Javascript) > 50ms'"),
    UBI__PARAMETERS_END,
};

static const ubi__glossary glossary = { "Names in --where", ubi__timeline_column_entry };

static const ubi__example examples[] = {
    { "timeline app.timeline", "what took the time" },
    { "timeline --format chrome -o trace.json app.timeline", "for ui.perfetto.dev or chrome://tracing" },
    { "timeline --format firefox -o profile.json app.timeline", "for profiler.firefox.com" },
    { "timeline --from 1200 --to 1300 app.timeline", "a tenth of a second, marker by marker" },
    { "timeline -m Javascript --where 'duration > 16ms' app.timeline", "scripts that ran for longer than a frame" },
    { "timeline --fail-on 'longest(Javascript) > 50ms or gc > 20%' app.timeline", "for a test" },
    { "timeline server.ubirec", "the markers of a native program" },
    { NULL, NULL },
};

const ubi__usage ubi__usage_timeline = {
    .name = "timeline",
    .operands = "FILE",
    .summary = "show what a program did, and when",
    .question = "What did this program do, and when?",
    .description =
        "Shows the markers of FILE, which 'ubiheap run --timeline' wrote, or 'ubiheap record' of a program with "
        "markers of its own.\n"
        "\n"
        "The waterfall has a part for each thread. A line is indented below the markers that it lies in; time is how "
        "long they took without counting anything twice, count how many there are. The height of a bar shows how much "
        "of the time of its column was spent there. When there are more lines than --rows, those that took least are "
        "left out. A '>' before a time: something in it did not end, and is taken to last until the end.\n"
        "\n"
        "Time by marker: total is time on all threads, its share one of the time shown; self is without the markers "
        "inside. Collections of garbage are a share of the time that threads were busy, which is the time in any "
        "marker but timers of the program's own (console.time). Both are of all markers in the time that is shown, "
        "even if --marker or --where leave fewer.\n"
        "\n"
        "Where timers or time stamps have more than five labels, as when each bears the number of a request, the page "
        "puts together those that differ in numbers, 'Console (request #)', or all of them; -m and --rows 0 show "
        "each.\n"
        "\n"
        "Markers are cut at --from and --to in the page, and whole in the other formats. Times in expressions have a "
        "unit, ns, us, ms or s, or are microseconds. Facts of --fail-on are count, total, self and longest of all "
        "markers or, as in longest(Javascript), of a name or label; gc, lost. With --compat firefox markers nest as in "
        "Firefox's performance tool: in one waterfall, those of other threads at its root.",
    .parameters = parameters,
    .glossary = &glossary,
    .examples = examples,
    .has_firefox_mode = true,
    .min_operands = 1,
    .max_operands = 1,
    .arguments_bytes = sizeof(ubi__timeline_values),
};

const ubi__question ubi__question_timeline = {
    .usage = &ubi__usage_timeline,
    .recording_schema = "ubiheap.timeline/1",
    .timeline_schema = "ubiheap.timeline/1",
    .least_heaps = 1,
    .most_heaps = 1,
    .recording_facts = ubi__timeline_facts,
    .timeline_facts = ubi__timeline_facts,
    .answer_bytes = sizeof(answer),
    .prepare = timeline_prepare,
    .compute = timeline_compute,
    .document = timeline_document,
    .page = timeline_page,
    .output_kind = timeline_output_kind,
    .facts = timeline_facts,
    .remark = timeline_remark,
    .release = timeline_release,
};
