/* SPDX-License-Identifier: MIT
 *
 * timeline_command.c: `ubiheap timeline`, what a program did when: a page for people, and files for other viewers.
 */
#include <stdio.h>
#include <unistd.h>

#include "base/human.h"
#include "base/text.h"
#include "cli/cli_files.h"
#include "cli/commands/timeline/timeline_view.h"
#include "render/timeline_export.h"

typedef ubi__timeline_wishes timeline_arguments;

#define AT(field) offsetof(timeline_arguments, field)

/* Labels of timers and time stamps; if there are more, each probably has a number such as a request's. */
#define MOST_LABELS 5

typedef enum form { FORM_TEXT, FORM_JSON, FORM_CHROME, FORM_FIREFOX } form;

static const char *const formats[] = { "text", "json", "chrome", "firefox", NULL };

/* Of the output, as ubi__output_check_kind has them. */
static const char *const kinds[] = { "", "document of ubiheap", "trace of Chrome", "profile of Firefox" };

static form form_of(const ubi__cli *cli, const timeline_arguments *a) {
    if (!a->format)
        return cli->common.wants_json ? FORM_JSON : FORM_TEXT;
    form f = FORM_TEXT;
    while (strcmp(formats[f], a->format) != 0)
        f++;
    return f;
}

/* ---- documents -------------------------------------------------------------------------------------------------------------- */

/* Of the processes that were recorded with it, whose markers are not in this file. */
static void write_other_files(ubi__json *json, const ubi__timeline_view *view) {
    ubi__json_member_array(json, "otherFiles");
    for (size_t i = 1; i < view->processes.rows.n; i++)
        ubi__json_string(json, view->processes.rows.at[i].path);
    ubi__json_array_end(json);
}

static ubi_status write_json(const ubi__timeline_view *view, ubi_write_fn write, void *payload) {
    char start[UBI__HUMAN_TEXT];
    const ubi__timeline_data *data = &view->file.data;
    ubi__json json;
    ubi__json_init(&json, write, payload, false);
    json.is_for_terminal = !view->wishes->output && isatty(STDOUT_FILENO);
    ubi__json_object_begin(&json);
    ubi__json_member_string(&json, "schema", "ubiheap.timeline/1");
    ubi__json_member_string(&json, "file", view->path);
    ubi__json_member_text(&json, "program", ubi__timeline_text(data, data->program));
    ubi__json_member_u64(&json, "pid", data->pid);
    ubi__json_member_string(&json, "startTime", data->start_unix_us ? ubi__iso_time(start, data->start_unix_us) : NULL);
    ubi__json_member_bool(&json, "hasEnd", view->file.has_end);
    ubi__json_member_string(&json, "fault", view->file.fault[0] ? view->file.fault : NULL);
    ubi__json_member_u64(&json, "markerCount", view->n_markers);
    ubi__json_member_u64(&json, "lostMarkers", data->n_lost);
    ubi__json_member_bool(&json, "sampled", data->is_sampled);
    write_other_files(&json, view);
    ubi__timeline_put_ms(&json, "begin", view->begin_ns);
    ubi__timeline_put_ms(&json, "end", view->end_ns);
    ubi__timeline_put_ms(&json, "busy", ubi__timeline_whole(view)->busy_ns);
    ubi__timeline_put_ms(&json, "collections", ubi__timeline_whole(view)->collection_ns);
    ubi__render_timeline_members(&json, &view->nest);
    ubi__document_end(&json);
    return json.has_failed ? UBI_EIO : UBI_OK;
}

static ubi_status write_document(const ubi__timeline_view *view, form f, ubi_write_fn write, void *payload) {
    switch (f) {
    case FORM_CHROME:
        return ubi__render_timeline_chrome(write, payload, &view->nest);
    case FORM_FIREFOX:
        return ubi__render_timeline_firefox(write, payload, &view->nest);
    case FORM_TEXT:
    case FORM_JSON:
        break;
    }
    return write_json(view, write, payload);
}

static ubi_status write_file(const ubi__timeline_view *view, form f) {
    ubi__output_file file;
    UBI_TRY(ubi__output_file_open(&file, view->cli, view->wishes->output));
    UBI_TRY(ubi__output_file_close(&file, write_document(view, f, ubi__output_file_write, &file)));
    ubi__progress_line_clear(&view->cli->progress);
    ubi__output_file_tell(&file);
    return UBI_OK;
}

static ubi_status timeline_show(const ubi__timeline_view *view, form f) {
    ubi__out *out = view->cli->page.out;
    if (f == FORM_TEXT)
        return ubi__timeline_page(view);
    if (view->wishes->output)
        return write_file(view, f);
    ubi_status status = write_document(view, f, ubi__out_write, out);
    return out->has_failed ? UBI_OK : status; /* the program's end says what is wrong with its output */
}

/* ---- the command ---------------------------------------------------------------------------------------------------------- */

/* Only on the page, unless markers were asked for by name, or all lines. */
static bool groups_labels(const ubi__timeline_view *view, form f) {
    return f == FORM_TEXT && view->wishes->markers.n == 0 && view->wishes->rows > 0;
}

static ubi_status narrow_and_tell(ubi__timeline_view *view, form f, const ubi__condition *condition, int *exit_code) {
    bool firefox = view->cli->compat == UBI_COMPAT_FIREFOX && (f == FORM_TEXT || f == FORM_JSON);
    UBI_TRY(ubi__timeline_select_time(view, f == FORM_TEXT));
    if (ubi__timeline_is_filtered(view)) {
        UBI_TRY(ubi__timeline_nest_init(&view->whole, &view->file.data, firefox));
        for (uint32_t i = 0; i < view->wishes->markers.n; i++)
            ubi__timeline_note_missing(view, &view->whole, ubi__text(view->wishes->markers.at[i]));
        UBI_TRY(ubi__timeline_select_markers(view));
    }
    UBI_TRY(ubi__timeline_nest_init(&view->nest, &view->file.data, firefox));
    UBI_TRY(ubi__timeline_nest_group_labels(&view->nest, groups_labels(view, f) ? MOST_LABELS : UINT32_MAX));
    UBI_TRY(timeline_show(view, f));
    UBI_TRY(ubi__timeline_nest_group_labels(&view->nest, UINT32_MAX)); /* conditions know all labels */
    UBI_TRY(ubi__condition_check_own(exit_code, view->cli, condition, ubi__timeline_measure, view));
    ubi__timeline_judge(view, exit_code);
    return UBI_OK;
}

static ubi_status arguments_check(const ubi__cli *cli, const timeline_arguments *a, form f, const char *path) {
    if (cli->common.wants_json && f != FORM_JSON)
        return ubi__fail(UBI_EINVAL, "--json does not go with --format %s", a->format);
    if (a->output && f == FORM_TEXT)
        return ubi__fail(UBI_EINVAL, "--output is for --format json, chrome and firefox");
    UBI_TRY(ubi__output_check(a->output, path));
    UBI_TRY(ubi__output_check_kind(a->output, kinds[f]));
    return ubi__timeline_check_selection(a);
}

static ubi_status timeline_run(ubi__cli *cli, void *values, char **operands, int n_operands, int *exit_code) {
    const timeline_arguments *a = values;
    form f = form_of(cli, a);
    ubi__timeline_view view;
    ubi__condition *condition;
    (void)n_operands;
    UBI_TRY(arguments_check(cli, a, f, operands[0]));
    UBI_TRY(ubi__condition_parse_own(&condition, a->fail_on, ubi__timeline_facts));
    ubi_status status = ubi__timeline_view_open(&view, cli, operands[0], a);
    if (status == UBI_OK) {
        status = narrow_and_tell(&view, f, condition, exit_code);
        ubi__timeline_view_close(&view);
    }
    ubi__condition_free(condition);
    return status;
}

static const ubi__parameter parameters[] = {
    UBI__CHOICE("format", 'f', AT(format), "WORD", formats,
                "what to write: a page; one JSON document; trace events for Perfetto and chrome://tracing; a profile "
                "for profiler.firefox.com",
                "text"),
    UBI__TEXT("output", 'o', AT(output), "PATH",
              "write to PATH instead of standard output; it appears when it is complete", NULL),
    UBI__TEXTS("marker", 'm', AT(markers), "NAME", "only markers of this name or label; may be given more than once"),
    UBI__TEXT("from", 0, AT(from), "TIME",
              "only what ended after TIME, in milliseconds since the program began, or with a unit: 1.5s", NULL),
    UBI__TEXT("to", 0, AT(to), "TIME", "only what began before TIME", NULL),
    UBI__TEXT("where", 'w', AT(where), "EXPR",
              "only markers for which this holds, such as 'duration > 10ms and function ~ \"render\"'", NULL),
    UBI__NUMBER("rows", 0, AT(rows), "N", "lines of the waterfall; 0: all", "40"),
    UBI__FLAG("each", 0, AT(with_each),
              "a line for each marker; the default when they fit; otherwise, equal markers share a line"),
    UBI__LIMIT(AT(top), "list the N longest markers", "5"),
    UBI__NUMBER("stack-depth", 0, AT(stack_depth), "N", "print N frames of their stacks; 0: as many as is usual", "0"),
    UBI__TEXT("fail-on", 0, AT(fail_on), "EXPR",
              "exit with status 1 and say why when this condition holds, such as 'longest(Javascript) > 50ms'", NULL),
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

static const ubi__usage usage = {
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
    .arguments_bytes = sizeof(timeline_arguments),
};

const ubi__command ubi__command_timeline = {
    .usage = &usage,
    .run = timeline_run,
};
