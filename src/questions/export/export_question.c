/* SPDX-License-Identifier: MIT
 *
 * export_question.c: a recording in the formats of other tools. A new format is one row of the table here.
 */
#include <stdio.h>
#include <string.h>

#include "base/deflate.h"
#include "base/status.h"
#include "base/text.h"
#include "questions/export/export_formats.h"
#include "questions/recording/recording_page.h"
#include "questions/recording/recording_suppressed.h"
#include "render/event_export.h"
#include "render/flame_graph.h"
#include "render/recording_export.h"

typedef struct export_values {
    const char *output, *format, *by, *process;
    ubi__asked_window window;
    bool with_allocators, is_inverted, is_extended;
    int symbols, wrappers;
    ubi__texts suppress;
} export_values;

#define AT(field) offsetof(export_values, field)

typedef struct answer answer;

typedef struct export_format {
    const char *name, *help;
    const char *endings; /* of files, between commas */
    const char *kind;    /* what such a file is called */
    bool is_binary;      /* not for a terminal */
    bool has_one_number; /* of each stack: --by says which */
    ubi_status (*write)(ubi__out *out, const answer *a);
    const ubi__event_format *events; /* or NULL */
} export_format;

struct answer {
    const export_values *values;
    const export_format *format;
    ubi__recording_wishes wishes;
    ubi__recording_report *report; /* owned */
    ubi__recording_view view;
    const ubi__session_recording *recording;
    ubi_session_use *heap;
};

/* ---- stacks ------------------------------------------------------------------------------------------------------------- */

static ubi__stack_choice stack_choice(const answer *a) {
    return (ubi__stack_choice){ .sites = a->report->sites,
                                .of_class = a->view.of_class,
                                .with_wrappers = a->values->with_allocators };
}

static ubi_status pprof_write(ubi__out *out, const answer *a) {
    const ubi__stack_choice choice = stack_choice(a);
    return ubi__render_pprof(ubi__out_write, out, &choice, ubi__recording_has_frees(a->report->summary),
                             a->report->allocator);
}

static ubi_status flame_tree_make(ubi__flame_tree *tree, const answer *a) {
    const ubi__stack_choice choice = stack_choice(a);
    ubi__stack_measure measure;
    UBI_TRY(ubi__recording_stack_measure(&measure, &a->view));
    return ubi__flame_tree_init(tree, &choice, measure, a->values->is_inverted, a->report->allocator);
}

static ubi_status collapsed_write(ubi__out *out, const answer *a) {
    ubi__flame_tree tree;
    UBI_TRY(flame_tree_make(&tree, a));
    ubi_status status = ubi__render_collapsed(ubi__out_write, out, &tree, a->report->allocator);
    ubi__flame_tree_fini(&tree);
    return status;
}

static ubi_status picture_write(ubi__out *out, const answer *a) {
    ubi__flame_tree tree;
    UBI_TRY(flame_tree_make(&tree, a));
    const ubi__flame_picture picture = { .tree = &tree,
                                         .title = a->report->path,
                                         .subtitle = ubi__recording_orders[a->view.order],
                                         .is_count =
                                             a->view.order == UBI__BY_COUNT || a->view.order == UBI__BY_TEMPORARY };
    ubi_status status = ubi__render_flame_svg(ubi__out_write, out, &picture, a->report->allocator);
    ubi__flame_tree_fini(&tree);
    return status;
}

static ubi_status chrome_write(ubi__out *out, const answer *a) {
    return ubi__render_memory_chrome(ubi__out_write, out, a->report->summary);
}

/* ---- events ------------------------------------------------------------------------------------------------------------- */

static ubi_status events_give(const ubi__event_format *format, void *state, const ubi__event_export *what,
                              const answer *a) {
    const ubi__event_stream stream = { .event = format->event, .resident = format->resident, .payload = state };
    UBI_TRY(format->begin(state, what));
    UBI_TRY(ubi__session_recording_events(a->recording, a->heap, &stream));
    return format->end(state);
}

static ubi_status events_write(ubi__out *out, ubi__json *json, const answer *a) {
    const ubi__event_format *format = a->format->events;
    const ubi__stack_choice choice = stack_choice(a);
    const ubi__event_export what = { .out = out,
                                     .json = json,
                                     .choice = &choice,
                                     .allocator = a->report->allocator,
                                     .is_extended = a->values->is_extended };
    void *state = ubi__calloc_array(what.allocator, 1, format->state_bytes);
    if (!state)
        return ubi__fail_nomem();
    ubi_status status = events_give(format, state, &what, a);
    format->release(state);
    ubi__free_array(what.allocator, state, 1, format->state_bytes);
    return status;
}

static ubi_status heaptrack_write(ubi__out *out, const answer *a) {
    return events_write(out, NULL, a);
}

/* An object of JSON. */
static ubi_status object_write(ubi__out *out, const answer *a) {
    ubi__json json;
    ubi__json_init(&json, ubi__out_write, out, false);
    ubi__json_object_begin(&json);
    UBI_TRY(events_write(NULL, &json, a));
    ubi__json_object_end(&json);
    UBI_TRY(ubi__json_flush(&json));
    ubi__out_char(out, '\n');
    return UBI_OK;
}

/* ---- formats ------------------------------------------------------------------------------------------------------------ */

static const export_format formats[] = {
    { .name = "tables",
      .help = "names, traces and events as JSON, as Mozilla's memory profiler has them",
      .endings = ".tables.json",
      .kind = "tables of a memory profiler",
      .write = object_write,
      .events = &ubi__event_format_tables },
    { .name = "pprof",
      .help = "a profile for pprof and everything that reads its format (.pb.gz, .pprof)",
      .endings = ".pb.gz,.pprof",
      .kind = "profile of pprof",
      .is_binary = true,
      .write = pprof_write },
    { .name = "collapsed",
      .help = "a line for each stack, for flame graphs (.collapsed, .folded)",
      .endings = ".collapsed,.folded",
      .kind = "collapsed stacks",
      .has_one_number = true,
      .write = collapsed_write },
    { .name = "heaptrack",
      .help = "a recording for heaptrack_print and heaptrack_gui (.heaptrack, .heaptrack.gz)",
      .endings = ".heaptrack,.heaptrack.gz",
      .kind = "recording of heaptrack",
      .write = heaptrack_write,
      .events = &ubi__event_format_heaptrack },
    { .name = "firefox",
      .help = "a profile for profiler.firefox.com, with tracks of memory (.profile.json, .profile.json.gz)",
      .endings = ".profile.json,.profile.json.gz",
      .kind = "profile of Firefox",
      .write = object_write,
      .events = &ubi__event_format_firefox },
    { .name = "chrome",
      .help = "bytes alive and resident by time, for Perfetto and chrome://tracing (.trace.json, .trace.json.gz)",
      .endings = ".trace.json,.trace.json.gz",
      .kind = "trace of Chrome",
      .write = chrome_write },
    { .name = "svg",
      .help = "a flame graph for the browser, as 'ubiheap flamegraph' draws it (.svg)",
      .endings = ".svg",
      .kind = "SVG",
      .has_one_number = true,
      .write = picture_write },
};
#define FORMATS (sizeof formats / sizeof *formats)
static const char *const format_names[] = { "tables",  "pprof",  "collapsed", "heaptrack",
                                            "firefox", "chrome", "svg",       NULL };

static const export_format *format_by_name(const char *name) {
    const export_format *f = formats;
    while (strcmp(f->name, name) != 0)
        f++;
    return f;
}

static bool ends_with_one_of(ubi_text path, const char *endings) {
    for (const char *at = endings; *at;) {
        size_t n = strcspn(at, ",");
        if (path.len > n && memcmp(path.ptr + path.len - n, at, n) == 0)
            return true;
        at += n + (at[n] == ',');
    }
    return false;
}

/* NULL: it says none. */
static const export_format *format_of_name(const char *output) {
    for (size_t i = 0; i < FORMATS; i++)
        if (ends_with_one_of(ubi__text(output), formats[i].endings))
            return &formats[i];
    return NULL;
}

bool ubi__export_is_named(const char *output) {
    return format_of_name(output) != NULL;
}

/* What was asked for, or what the name of the file says. */
static const export_format *format_find(const export_values *v, bool is_for_page) {
    const export_format *named = v->output ? format_of_name(v->output) : NULL;
    if (v->format)
        return format_by_name(v->format);
    if (named)
        return named;
    return is_for_page ? NULL : format_by_name("tables");
}

/* ---- the answer --------------------------------------------------------------------------------------------------------- */

static ubi_status values_check(const export_values *v, const export_format *format) {
    if (v->is_extended && format->events != &ubi__event_format_tables)
        return ubi__fail(UBI_EINVAL, "--extended is for --format tables");
    if (v->suppress.n && (format->events || format->write == chrome_write))
        return ubi__fail(UBI_EINVAL, "--suppress is for --format pprof, collapsed and svg, not %s: %s", format->name,
                         "it has everything that happened");
    if ((v->by || v->is_inverted) && !format->has_one_number)
        return ubi__fail(UBI_EINVAL, "--%s is for --format collapsed and svg, not %s", v->by ? "by" : "inverted",
                         format->name);
    return UBI_OK;
}

static ubi_status format_fail(const export_values *v) {
    char names[128] = "";
    for (size_t i = 0; i < FORMATS; i++)
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", i ? ", " : "", formats[i].name);
    return ubi__fail(UBI_EINVAL, "--format is missing%s: it is one of %s",
                     v->output ? ", and the name of OUT does not say it" : "", names);
}

static ubi_status export_prepare(void *to, const ubi__asked *asked) {
    answer *a = to;
    const export_values *v = a->values = asked->values;
    a->format = format_find(v, asked->is_for_page);
    if (!a->format)
        return format_fail(v);
    if (!asked->is_for_page && a->format->events != &ubi__event_format_tables)
        return ubi__fail(UBI_EINVAL, "--json does not go with --format %s", a->format->name);
    a->wishes = (ubi__recording_wishes){ .by = v->by,
                                         .process = v->process,
                                         .window = v->window,
                                         .symbols = v->symbols,
                                         .wrappers = v->wrappers,
                                         .suppress = v->suppress };
    ubi__time_window window;
    UBI_TRY(ubi__asked_window_read(&window, &v->window));
    return values_check(v, a->format);
}

static ubi_status export_compute(void *to, const ubi__asked *asked) {
    answer *a = to;
    ubi__recording_choice choice;
    UBI_TRY(ubi__recording_wishes_choice(&choice, &a->wishes));
    UBI_TRY(ubi__recording_report_new(&a->report, asked, &a->wishes));
    UBI_TRY(ubi__session_recording_get(&a->recording, ubi__asked_heap(asked), &choice));
    a->heap = ubi__asked_heap(asked);
    return ubi__recording_view_init(&a->view, a->report, asked);
}

static void export_release(void *of, const ubi__asked *asked) {
    (void)asked;
    ubi__recording_report_free(((answer *)of)->report);
}

static void export_head(ubi__document_head *head, const void *of, const ubi__asked *asked) {
    (void)asked;
    head->file = ((const answer *)of)->report->path;
}

static void export_remark(ubi__remarks *remarks, const void *of) {
    const answer *a = of;
    ubi__site_order shown = a->format->has_one_number ? a->view.order : UBI__BY_LEAKED; /* pprof shows all */
    ubi__recording_remark_parts(remarks, a->report);
    ubi__recording_suppressed_remark(remarks, a->report, a->view.of_class, shown);
}

static const char *export_output_kind(const void *of, const ubi__asked *asked) {
    (void)asked;
    return ((const answer *)of)->format->kind;
}

/* ---- forms -------------------------------------------------------------------------------------------------------------- */

static ubi_status export_document(ubi__json *json, const void *of, const ubi__asked *asked) {
    (void)asked;
    return events_write(NULL, json, of);
}

/* A ubi__write_fn on an output. */
static ubi_status output_write(void *out, const void *data, size_t n_bytes) {
    ubi__out_bytes(out, data, n_bytes);
    return UBI_OK;
}

static bool deflater_write(void *deflater, const void *data, size_t n_bytes) {
    return ubi__deflate_write(deflater, data, n_bytes) == UBI_OK;
}

static ubi_status deflated_write(ubi__out *to, const answer *a) {
    const ubi_allocator *allocator = a->report->allocator;
    ubi__deflate *deflate;
    ubi__out *out = UBI_NEW(allocator, ubi__out); /* a large buffer */
    if (!out)
        return ubi__fail_nomem();
    ubi_status status = ubi__deflate_new(&deflate, UBI__DEFLATE_LEVEL_DEFAULT, output_write, to, allocator);
    if (status == UBI_OK) {
        ubi__out_init(out, deflater_write, deflate);
        status = a->format->write(out, a);
        if (status == UBI_OK)
            status = ubi__out_flush(out);
        if (status == UBI_OK)
            status = ubi__deflate_finish(deflate);
        ubi__deflate_free(deflate);
    }
    UBI_DELETE(allocator, out);
    return status;
}

static ubi_status export_page(const ubi__page *page, const void *of, const ubi__asked *asked) {
    const answer *a = of;
    const char *output = a->values->output;
    bool is_deflated = output && ubi__text_ends(ubi__text(output), ".gz") && !a->format->is_binary;
    (void)asked;
    if (a->format->is_binary && page->is_terminal)
        return ubi__fail(UBI_EINVAL, "--format %s is not for a terminal: name a file with -o", a->format->name);
    ubi_status status = is_deflated ? deflated_write(page->out, a) : a->format->write(page->out, a);
    return page->out->has_failed ? UBI_OK : status; /* refused writes stick in the output */
}

/* ---- the question ------------------------------------------------------------------------------------------------------- */

static const ubi__parameter parameters[] = {
    UBI__CHOICE("format", 'f', AT(format), "FORMAT", format_names,
                "what to write; the default is by the end of OUT's name, such as .pb.gz", NULL,
                .scope = UBI__SCOPE_PAGE),
    UBI__TEXT("output", 'o', AT(output), "OUT",
              "write to OUT instead of standard output, compressed if its name ends in .gz; it appears when it is "
              "complete",
              NULL, .scope = UBI__SCOPE_TERMINAL),
    UBI__CHOICE(
        "by", 0, AT(by), "WHAT", ubi__recording_orders,
        "of collapsed stacks: the number after them is bytes leaked, at the peak or in total, or allocations, "
        "all or temporary; of a part of the time, also bytes alive at its end; the default is what matters most",
        NULL, .scope = UBI__SCOPE_PAGE),
    UBI__FLAG("inverted", 'i', AT(is_inverted), "of collapsed stacks: begin with the functions that ask for memory",
              .scope = UBI__SCOPE_PAGE),
    UBI__FLAG("allocators", 0, AT(with_allocators),
              "stacks are whole, with allocators, containers, and calls that ask for memory in the name of others",
              .scope = UBI__SCOPE_PAGE),
    UBI__WINDOW_PARAMETERS(AT(window)),
    UBI__FLAG("extended", 0, AT(is_extended), "of tables: events also have their allocation, bytes, kind and thread"),
    UBI__TEXT("process", 0, AT(process), "WHICH",
              "of several processes that were recorded together, only those with this number or name", NULL),
    UBI__SWITCH("symbols", 0, AT(symbols),
                "look for names and lines that the recording lacks in the files at hand, or do not; the default is to "
                "look"),
    UBI__SWITCH("wrappers", 0, AT(wrappers),
                "look behind calls that ask for memory in the name of many callers, or do not; the default is to look"),
    UBI__SUPPRESS(AT(suppress), .scope = UBI__SCOPE_PAGE),
    UBI__PARAMETERS_END,
};

static bool format_entry(size_t i, const char **word, const char **help) {
    if (i >= FORMATS)
        return false;
    *word = formats[i].name;
    *help = formats[i].help;
    return true;
}

static const ubi__glossary glossary = { "Formats", format_entry };

static const ubi__example examples[] = {
    { "export -o server.pb.gz server.ubirec", "then: go tool pprof -top server.pb.gz" },
    { "export -f collapsed --by peak server.ubirec > peak.folded", "for flamegraph.pl, inferno or speedscope" },
    { "export -o server.heaptrack.gz server.ubirec", "then: heaptrack_print server.heaptrack.gz" },
    { "export -o server.profile.json.gz server.ubirec", "then open it in profiler.firefox.com" },
    { "export -f tables --extended server.ubirec", "all that happened, for a script" },
    { NULL, NULL },
};

const ubi__usage ubi__usage_export = {
    .name = "export",
    .operands = "FILE",
    .summary = "write a recording for other tools",
    .question = "How do I open this recording in another tool?",
    .description =
        "Writes FILE, a recording of allocations, in a format that other tools read. Sums are those of 'ubiheap "
        "report'.\n"
        "\n"
        "pprof has for each stack and size what was allocated, what was not freed and what was alive at the peak, in "
        "objects and bytes, with functions, lines and inlined functions, so that nothing has to be looked up later. "
        "As in a report, its stacks, and collapsed ones, begin with what asks for memory; --allocators shows what "
        "that calls. The others have every event and whole stacks.\n"
        "\n"
        "Numbers of a sampled recording are estimates: a sample counts as what it stands for. heaptrack's format has "
        "no weights; there, a block is as large as what it stands for.\n"
        "\n"
        "To draw a flame graph without any other tool: 'ubiheap flamegraph'. Snapshots of heaps: 'ubiheap convert'.",
    .parameters = parameters,
    .glossary = &glossary,
    .examples = examples,
    .min_operands = 1,
    .max_operands = 1,
    .arguments_bytes = sizeof(export_values),
};

const ubi__question ubi__question_export = {
    .usage = &ubi__usage_export,
    .recording_schema = "ubiheap.recording-tables/1",
    .least_heaps = 1,
    .most_heaps = 1,
    .answer_bytes = sizeof(answer),
    .prepare = export_prepare,
    .compute = export_compute,
    .head = export_head,
    .document = export_document,
    .page = export_page,
    .output_kind = export_output_kind,
    .remark = export_remark,
    .release = export_release,
};
