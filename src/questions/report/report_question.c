/* SPDX-License-Identifier: MIT
 *
 * report_question.c: what fills a heap, and what to look at next, on one screen; or what a recording of allocations amounts to.
 */
#include <string.h>

#include "base/status.h"
#include "questions/recording/recording_memory.h"
#include "questions/recording/recording_page.h"
#include "questions/recording/recording_suppressed.h"
#include "questions/report/report_facts.h"
#include "questions/report/report_page.h"

#define AT(field) offsetof(ubi__recording_wishes, field)

/* Of a recording. */
typedef enum form { FORM_WHOLE, FORM_TSV, FORM_CSV, FORM_JSON } form;

typedef struct answer {
    ubi__report_facts of_heap;     /* or: */
    ubi__recording_report *report; /* owned; NULL: of a heap */
    ubi__recording_view view;
    form form;
} answer;

/* ---- parameters ------------------------------------------------------------------------------------------------------ */

/* Options only for recordings must not be ignored silently. */
static ubi_status wishes_check(const ubi__recording_wishes *values) {
    const struct {
        bool is_given;
        const char *name;
    } options[] = {
        { values->by, "by" },
        { values->columns, "columns" },
        { values->format, "format" },
        { values->site, "site" },
        { ubi__asked_window_option(&values->window), ubi__asked_window_option(&values->window) },
        { values->process, "process" },
        { values->top, "limit" },
        { values->stack_depth, "stack-depth" },
        { values->symbols, "symbols" },
        { values->wrappers, "wrappers" },
        { values->suppress.n, "suppress" },
    };
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (options[i].is_given)
            return ubi__fail(UBI_EINVAL, "--%s is for recordings of allocations", options[i].name);
    return UBI_OK;
}

/* A page or document about the whole, or a table of places. */
static ubi_status form_find(form *out, const ubi__asked *asked) {
    const ubi__recording_wishes *values = asked->values;
    const char *format = values->format;
    if (format && (strcmp(format, "json") == 0) == asked->is_for_page)
        return ubi__fail(UBI_EINVAL, "--json and --format %s contradict each other", format);
    ubi__time_window window;
    if (values->site && values->fail_on)
        return ubi__fail(UBI_EINVAL, "--fail-on is about all places: it does not go with --site");
    UBI_TRY(ubi__asked_window_read(&window, &values->window));
    if (values->columns)
        UBI_TRY(ubi__recording_columns_check(values->columns));
    if (!format && !values->columns)
        *out = FORM_WHOLE;
    else if (!asked->is_for_page)
        *out = FORM_JSON;
    else
        *out = format && strcmp(format, "csv") == 0 ? FORM_CSV : FORM_TSV;
    return UBI_OK;
}

static ubi_status report_prepare(void *to, const ubi__asked *asked) {
    answer *a = to;
    return ubi__asked_kind(asked) == UBI_SESSION_RECORDING ? form_find(&a->form, asked) : wishes_check(asked->values);
}

/* ---- the answer ------------------------------------------------------------------------------------------------------ */

static ubi_status recording_compute(answer *a, const ubi__asked *asked) {
    const ubi__recording_wishes *values = asked->values;
    UBI_TRY(ubi__recording_report_new(&a->report, asked, values));
    if (a->form != FORM_WHOLE)
        return ubi__recording_report_sort(a->report, asked, ubi__recording_list_order(a->report));
    UBI_TRY(ubi__recording_memory_ask(a->report, asked));
    return ubi__recording_view_init(&a->view, a->report, asked);
}

static ubi_status report_compute(void *to, const ubi__asked *asked) {
    answer *a = to;
    const ubi__recording_wishes *values = asked->values;
    if (ubi__asked_kind(asked) == UBI_SESSION_RECORDING)
        return recording_compute(a, asked);
    a->of_heap.with_detail = values->with_detail;
    return ubi__report_facts_get(&a->of_heap, ubi__asked_heap(asked));
}

static void report_release(void *of, const ubi__asked *asked) {
    (void)asked;
    ubi__recording_report_free(((answer *)of)->report);
}

/* That of a heap has the name of the file after other members: it may be cut. */
static void report_head(ubi__document_head *head, const void *of, const ubi__asked *asked) {
    const answer *a = of;
    (void)asked;
    head->file = a->report ? a->report->path : NULL;
    if (a->form == FORM_JSON)
        head->schema = "ubiheap.recording-sites/1";
}

static ubi_status report_document(ubi__json *json, const void *of, const ubi__asked *asked) {
    const answer *a = of;
    (void)asked;
    if (a->report)
        return a->form == FORM_JSON ? ubi__recording_rows_document(json, a->report)
                                    : ubi__recording_document(json, &a->view);
    ubi__report_document(json, &a->of_heap);
    return UBI_OK;
}

static ubi_status report_page(const ubi__page *page, const void *of, const ubi__asked *asked) {
    const answer *a = of;
    (void)asked;
    if (a->report)
        return a->form == FORM_WHOLE ? ubi__recording_page(&a->view, page)
                                     : ubi__recording_rows_page(page, a->report, a->form == FORM_CSV);
    ubi__report_page(page, &a->of_heap);
    return UBI_OK;
}

static void report_facts(ubi__question_facts *out, const void *of) {
    const answer *a = of;
    const ubi__report_facts *heap = &a->of_heap;
    if (a->report)
        out->own = ubi__recording_estimates(a->report);
    else
        *out = (ubi__question_facts){ .graph = heap->graph, .look = heap->look, .dominators = heap->dominators };
}

static void report_remark(ubi__remarks *remarks, const void *of) {
    const answer *a = of;
    if (a->report)
        ubi__recording_remark(remarks, a->report);
}

/* ---- the question ---------------------------------------------------------------------------------------------------- */

static const char *const formats[] = { "tsv", "csv", "json", NULL };

static const ubi__parameter parameters[] = {
    UBI__FLAG("detail", 0, AT(with_detail), "leave nothing out for the sake of brevity"),
    UBI__CHOICE("by", 0, AT(by), "WHAT", ubi__recording_orders,
                "of a recording: sort places by bytes leaked, at the peak or in total, or by allocations, all or "
                "temporary; of a part of the time, also by what lived at its end; the default is what matters most",
                NULL),
    UBI__LIMIT(AT(top), "of a recording: print N places; 0: as many as is usual", "0"),
    UBI__NUMBER("stack-depth", 0, AT(stack_depth), "N",
                "of a recording: print N frames of each stack (callers without a name share a line, and count as one); "
                "0: as many as is usual",
                "0"),
    UBI__TEXT("site", 0, AT(site), "TEXT", "of a recording: only places whose function, file or module has this text",
              NULL),
    UBI__TEXT("process", 0, AT(process), "PROCESS",
              "of several processes that were recorded together: only those with this number or name; the default is "
              "all of them",
              NULL),
    UBI__WINDOW_PARAMETERS(AT(window)),
    UBI__CHOICE("format", 'f', AT(format), "FORMAT", formats,
                "of a recording: a table of all places: tsv (tab-separated), csv or json", NULL),
    UBI__TEXT("columns", 'c', AT(columns), "NAMES", "the columns of that table, between commas", NULL),
    UBI__SWITCH("symbols", 0, AT(symbols),
                "of a recording: look for names and lines that it lacks in the files at hand, or do not; the default "
                "is to look"),
    UBI__SWITCH("wrappers", 0, AT(wrappers),
                "of a recording: look behind calls that ask for memory in the name of many callers, or do not; the "
                "default is to look"),
    UBI__SUPPRESS(AT(suppress)),
    UBI__FAIL_ON(AT(fail_on)),
    UBI__PARAMETERS_END,
};

static const ubi__glossary glossary = { "Columns of a table of places", ubi__recording_column_entry };

static const ubi__example examples[] = {
    { "report app.fxsnapshot", "start here" },
    { "report --json app.fxsnapshot | jq -r '.findings[].text'", "the oddities alone" },
    { "report --detail app.heapsnapshot", "everything that rules found" },
    { "report server.ubirec", "what a program allocated, and what it did not free" },
    { "report --by leaked --stack-depth 20 server.ubirec", "who did not free it, with long stacks" },
    { "report --format tsv -c peak,function,file,line server.ubirec", "every place, for a script" },
    { "report --at 90s server.ubirec", "what was alive a minute and a half after it began" },
    { "report --from 60s --to 90s --by live server.ubirec", "what happened in between, and what lived then" },
    { "report --fail-on 'leaked > 1MiB' server.ubirec", "for a test" },
    { "report --suppress known.supp --fail-on 'leaked > 0' server.ubirec", "the same, known leaks aside" },
    { "report --process cc1plus make.ubirec", "of all processes that were recorded with it, those of the compiler" },
    { NULL, NULL },
};

const ubi__usage ubi__usage_report = {
    .name = "report",
    .operands = "FILE",
    .summary = "show on one screen what fills a heap and what to look at next",
    .question = "What fills this heap, or what did this program allocate?",
    .description =
        "Prints what FILE is and what matters most about it, then findings, what its heap is made of, the biggest "
        "kinds of things in it, the biggest retainers, which functions allocated it (when allocation stacks were "
        "recorded), and which commands to run next.\n"
        "\n"
        "Possible savings are what rules found that look for waste: lists from which nothing is ever taken, storage "
        "that is mostly empty, duplicate strings, detached DOM nodes, variables that closures hold, timers and "
        "listeners. Each has the bytes that fixing it could free at most, which may overlap with those of others, the "
        "way from the root to an example, and the command that shows more. Heaps of V8 are counted as Chrome's "
        "DevTools do.\n"
        "\n"
        "Sizes are sums of the nodes' own (shallow) sizes over everything that can be reached from the root, the root "
        "included. A kind is what nodes are best known by: the name of a DOM node, the class of an object, the file of "
        "a script, else the engine's type.\n"
        "\n"
        "A retainer is a node that much else depends on: the array, map or object that holds many things or large "
        "ones, shown with the shortest way to it from the root and what most of its memory is. Its size is the "
        "retained one: what would be freed with it. Retainers may hold other retainers.\n"
        "\n"
        "--json prints less than 8 KiB, so that scripts and assistants can read it whole: lists are short and long "
        "names cut, which namesCut counts. --detail has all of it.\n"
        "\n"
        "A recording of allocations (.ubirec, from ubiheap record) gives another report: what the program did not "
        "free, had at its peak and allocated; what stands out in that; and the places in the code that asked for it, "
        "with all of these numbers side by side and their callers below. Allocators, containers, and calls that ask "
        "for memory in the name of many callers are left out at the inner end of stacks. A temporary allocation is one "
        "that its thread freed as the next thing it did. Mappings, and objects of a script engine, have totals of "
        "their own. Numbers of a sampled recording are limits, between which the true value lies in 94 of 100 "
        "recordings or more. Facts of --fail-on are leaked, leakedCount, pools, peak, total, count, temporary, rss, "
        "dropped and suppressed. What the C and C++ libraries keep on purpose until the end, such as the reserve for "
        "exceptions, is in pools and not in leaked; what --suppress hides is in suppressed.\n"
        "\n"
        "--from and --to report on a part of the time: what was allocated in it, how much of that was not freed by its "
        "end, and the most that was alive in it, older blocks included. --at reports on what was alive at one moment. "
        "All numbers are those of the events of that time.",
    .parameters = parameters,
    .glossary = &glossary,
    .examples = examples,
    .min_operands = 1,
    .max_operands = 1,
    .arguments_bytes = sizeof(ubi__recording_wishes),
};

const ubi__question ubi__question_report = {
    .usage = &ubi__usage_report,
    .schema = "ubiheap.report/1",
    .recording_schema = "ubiheap.recording/1",
    .least_heaps = 1,
    .most_heaps = 1,
    .condition = UBI__CONDITION_SNAPSHOT,
    .recording_facts = ubi__recording_facts,
    .answer_bytes = sizeof(answer),
    .prepare = report_prepare,
    .compute = report_compute,
    .head = report_head,
    .document = report_document,
    .page = report_page,
    .facts = report_facts,
    .remark = report_remark,
    .release = report_release,
};
