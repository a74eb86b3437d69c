/* SPDX-License-Identifier: MIT
 *
 * flamegraph_question.c: which functions a recording's memory was asked for through, as a picture, or what of that changed from one
 * recording to another. The document has the largest functions, the page is an SVG or drawn with text.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/human.h"
#include "base/status.h"
#include "questions/flamegraph/flamegraph_values.h"
#include "questions/recording/recording_pair.h"
#include "questions/recording/recording_suppressed.h"
#include "recording/flame_diff.h"
#include "render/flame_graph.h"

#define AT(field) offsetof(ubi__flamegraph_values, field)
#define SUBTITLE_BYTES 256
#define TITLE_BYTES 8192

typedef enum form { FORM_SVG, FORM_JSON, FORM_TEXT } form;

typedef struct answer {
    const ubi__flamegraph_values *values;
    form form;
    ubi__recording_wishes wishes;
    const ubi__recording_report *report; /* of two recordings that of the newer one */
    ubi__recording_report *own_report;   /* owned; NULL: of two recordings */
    ubi__recording_view view;
    ubi__stack_measure measure;
    bool is_both;             /* two recordings, which are these */
    ubi__recording_pair both; /* owned */
    bool has_tree;
    ubi__flame_tree tree; /* owned */
} answer;

/* ---- the answer --------------------------------------------------------------------------------------------------------- */

/* What goes with one recording alone. */
static ubi_status both_check(const ubi__flamegraph_values *v) {
    const char *option = v->is_inverted                                   ? "inverted"
                         : v->with_allocators                             ? "allocators"
                         : v->window.at || v->window.from || v->window.to ? ubi__asked_window_option(&v->window)
                                                                          : NULL;
    return option ? ubi__fail(UBI_EINVAL, "--%s is for one recording, not for what changed between two", option)
                  : UBI_OK;
}

static ubi_status flamegraph_prepare(void *to, const ubi__asked *asked) {
    answer *a = to;
    const ubi__flamegraph_values *v = a->values = asked->values;
    bool is_json = v->format && strcmp(v->format, "json") == 0, is_text = v->format && strcmp(v->format, "text") == 0;
    if (v->output && is_text)
        return ubi__fail(UBI_EINVAL, "--format text is for terminals; it does not go with --output");
    if (!asked->is_for_page && v->format && !is_json)
        return ubi__fail(UBI_EINVAL, "--json does not go with --format %s", v->format);
    if (asked->is_for_page && is_json)
        return ubi__fail(UBI_EINVAL, "--format json is a document, not a page");
    a->form = !asked->is_for_page ? FORM_JSON : is_text ? FORM_TEXT : FORM_SVG;
    a->wishes = (ubi__recording_wishes){ .by = v->by,
                                         .process = v->process,
                                         .window = v->window,
                                         .symbols = v->symbols,
                                         .wrappers = v->wrappers,
                                         .suppress = v->suppress };
    if (asked->n_heaps == 2)
        UBI_TRY(both_check(v));
    ubi__time_window window;
    return ubi__asked_window_read(&window, &v->window);
}

static ubi_status one_compute(answer *a, const ubi__asked *asked) {
    UBI_TRY(ubi__recording_report_new(&a->own_report, asked, &a->wishes));
    a->report = a->own_report;
    UBI_TRY(ubi__recording_view_init(&a->view, a->own_report, asked));
    const ubi__stack_choice choice = { .sites = a->report->sites,
                                       .of_class = a->view.of_class,
                                       .with_wrappers = a->values->with_allocators };
    UBI_TRY(ubi__recording_stack_measure(&a->measure, &a->view));
    return ubi__flame_tree_init(&a->tree, &choice, a->measure, a->values->is_inverted, a->report->allocator);
}

static ubi_status both_compute(answer *a, const ubi__asked *asked) {
    static const double same[UBI__DIFF_SIDES] = { 1, 1 };
    ubi__stack_choice choices[UBI__DIFF_SIDES];
    ubi__recording_diff diff;
    a->both.wishes = a->wishes;
    UBI_TRY(ubi__recording_pair_read(&a->both, asked));
    for (int i = 0; i < UBI__DIFF_SIDES; i++)
        choices[i] = (ubi__stack_choice){ .sites = a->both.sides[i].report->sites, .of_class = a->both.of_class };
    a->report = a->both.sides[UBI__DIFF_NEW].report;
    a->view = a->both.sides[UBI__DIFF_NEW].view;
    a->view.of_class = a->both.of_class;
    a->view.order = a->both.order;
    a->measure = a->both.measure;
    UBI_TRY(ubi__recording_diff_init(&diff, choices, same, a->measure, ubi__asked_allocator(asked)));
    ubi_status status = ubi__flame_tree_of_diff(&a->tree, &diff);
    ubi__recording_diff_fini(&diff);
    return status;
}

static ubi_status flamegraph_compute(void *to, const ubi__asked *asked) {
    answer *a = to;
    a->is_both = asked->n_heaps == 2;
    UBI_TRY(a->is_both ? both_compute(a, asked) : one_compute(a, asked));
    a->has_tree = true;
    return UBI_OK;
}

static void flamegraph_release(void *of, const ubi__asked *asked) {
    answer *a = of;
    (void)asked;
    if (a->has_tree)
        ubi__flame_tree_fini(&a->tree);
    ubi__recording_pair_fini(&a->both);
    ubi__recording_report_free(a->own_report);
}

static void flamegraph_head(ubi__document_head *head, const void *of, const ubi__asked *asked) {
    (void)asked;
    head->file = ((const answer *)of)->report->path;
}

static void flamegraph_remark(ubi__remarks *remarks, const void *of) {
    const answer *a = of;
    if (a->is_both) {
        ubi__recording_pair_remark(remarks, &a->both);
        return;
    }
    ubi__recording_remark_parts(remarks, a->report);
    ubi__recording_suppressed_remark(remarks, a->report, a->view.of_class, a->view.order);
}

/* ---- the document ------------------------------------------------------------------------------------------------------- */

/* The largest first, which has its caller before it. */
static int node_compare(const void *left, const void *right, void *payload) {
    const ubi__flame_node *nodes = payload;
    ubi__flame_ix x = *(const ubi__flame_ix *)left, y = *(const ubi__flame_ix *)right;
    if (nodes[x].all != nodes[y].all)
        return nodes[x].all < nodes[y].all ? 1 : -1;
    return x < y ? -1 : x > y;
}

static void node_put(ubi__json *json, const answer *a, ubi__flame_ix ix, uint32_t parent) {
    const ubi__flame_node *node = &a->tree.nodes.at[ix];
    ubi__json_object_begin(json);
    ubi__json_member_u64_or_null(json, "parent", ix != 0, parent);
    ubi__json_member_text(json, "function", ubi__flame_name(&a->tree, ix));
    const ubi__flame_past none = { 0, 0 }, *past = a->tree.past ? &a->tree.past[ix] : &none;
    ubi__json_member_u64(json, "self", node->self - past->self);
    ubi__json_member_u64(json, "all", node->all - past->all);
    if (a->tree.past) {
        ubi__json_member_u64(json, "oldSelf", past->self);
        ubi__json_member_u64(json, "oldAll", past->all);
    }
    ubi__json_object_end(json);
}

/* @param order  order[n], sorted here. @param place  place[node]: in that order. */
static void nodes_put(ubi__json *json, const answer *a, ubi__flame_ix *order, uint32_t *place) {
    size_t n = a->tree.nodes.n, most = a->values->limit && a->values->limit < n ? (size_t)a->values->limit : n;
    for (uint32_t i = 0; i < n; i++)
        order[i] = i;
    qsort_r(order, n, sizeof *order, node_compare, a->tree.nodes.at);
    for (uint32_t i = 0; i < n; i++)
        place[order[i]] = i;
    ubi__json_member_array(json, "functions");
    for (size_t i = 0; i < most && !json->has_failed; i++)
        node_put(json, a, order[i], place[a->tree.nodes.at[order[i]].parent]);
    ubi__json_array_end(json);
}

static uint64_t total_of(const answer *a) {
    return a->tree.past ? ubi__flame_now(&a->tree, 0) : a->tree.nodes.at[0].all;
}

static void old_put(ubi__json *json, const answer *a) {
    const ubi__recording_report *old = a->both.sides[UBI__DIFF_OLD].report;
    ubi__json_member_object(json, "old");
    ubi__json_member_string(json, "file", old->path);
    ubi__json_member_bool(json, "exact", old->is_exact);
    ubi__json_member_u64(json, "total", a->tree.past[0].all);
    ubi__json_object_end(json);
}

static ubi_status flamegraph_document(ubi__json *json, const void *of, const ubi__asked *asked) {
    const answer *a = of;
    const ubi_allocator *allocator = a->report->allocator;
    size_t n = a->tree.nodes.n;
    (void)asked;
    ubi__flame_ix *order = ubi__alloc_array(allocator, n, sizeof *order);
    uint32_t *place = ubi__alloc_array(allocator, n, sizeof *place);
    ubi_status status = order && place ? UBI_OK : ubi__fail_nomem();
    if (status == UBI_OK) {
        ubi__recording_put_window(json, a->report);
        ubi__json_member_bool(json, "exact", a->report->is_exact);
        ubi__json_member_string(json, "class", ubi__recording_class_name(a->view.of_class));
        ubi__json_member_string(json, "by", ubi__recording_orders[a->view.order]);
        ubi__json_member_string(json, "unit", a->measure.is_count ? "allocations" : "bytes");
        ubi__json_member_bool(json, "inverted", a->values->is_inverted);
        ubi__json_member_u64(json, "total", total_of(a));
        if (a->is_both)
            old_put(json, a);
        ubi__json_member_u64(json, "functionCount", n);
        ubi__recording_suppressed_document(json, a->report);
        nodes_put(json, a, order, place);
    }
    ubi__free_array(allocator, order, n, sizeof *order);
    ubi__free_array(allocator, place, n, sizeof *place);
    return status;
}

/* ---- the page ----------------------------------------------------------------------------------------------------------- */

static const char *const order_words[] = {
    "not freed", "alive at the peak", "allocated", "", "freed at once", "alive"
};

/* "4.27 MiB not freed, in boxes of functions" */
static void subtitle_make(char out[SUBTITLE_BYTES], const answer *a) {
    const char *const *words = order_words;
    char text[UBI__HUMAN_TEXT];
    uint64_t all = a->tree.nodes.at[0].all;
    const char *things = ubi__recording_things(a->view.of_class);
    char window[UBI__WINDOW_WORDS] = "";
    if (ubi__recording_is_part(a->report->summary))
        ubi__recording_window_words(window, a->report);
    snprintf(out, SUBTITLE_BYTES, "%s%s%s%s%s%s; %s%s",
             a->measure.is_count ? ubi__human_things(text, all, things) : ubi__human_size(text, all),
             *words[a->view.order] ? " " : "",
             ubi__recording_is_profile(a->report->summary) ? "alive" : words[a->view.order], *window ? " " : "", window,
             a->report->is_exact ? "" : " (estimated)",
             a->values->is_inverted ? "callers are below what they call" : "what a function calls is below it",
             a->values->with_allocators ? "; with allocators" : "");
}

/* "4.27 MiB not freed, 3.1 MiB before: red is more, blue is less" */
static void both_subtitle_make(char out[SUBTITLE_BYTES], const answer *a) {
    char now[UBI__HUMAN_TEXT], before[UBI__HUMAN_TEXT];
    const char *things = ubi__recording_things(a->view.of_class);
    uint64_t new = ubi__flame_now(&a->tree, 0), old = a->tree.past[0].all;
    bool is_exact = a->report->is_exact && a->both.sides[UBI__DIFF_OLD].report->is_exact;
    const char *how = ubi__recording_is_profile(a->report->summary) ? "alive" : order_words[a->view.order];
    snprintf(out, SUBTITLE_BYTES, "%s%s%s, %s before%s; red is more, blue is less",
             a->measure.is_count ? ubi__human_things(now, new, things) : ubi__human_size(now, new), *how ? " " : "",
             how, a->measure.is_count ? ubi__human_count(before, old) : ubi__human_size(before, old),
             is_exact ? "" : " (estimated)");
}

static ubi_status text_write(const ubi__page *page, const ubi__flame_picture *picture, const answer *a) {
    uint32_t n_levels;
    ubi__write_ink(page, UBI__INK_BOLD);
    size_t used = ubi__display_text_end(page->out, &page->style, ubi__text(picture->title), page->style.columns / 2);
    ubi__write_ink(page, UBI__INK_PLAIN);
    ubi__out_string(page->out, "  ");
    ubi__display_text(page->out, &page->style, ubi__text(picture->subtitle), page->style.columns - used - 2);
    ubi__out_char(page->out, '\n');
    UBI_TRY(ubi__render_flame_text(page->out, &page->style, picture, a->values->rows, &n_levels));
    if (n_levels <= a->tree.depth && n_levels == a->values->rows)
        ubi__write_words(page, UBI__INK_DIM, "There are deeper functions; --rows 0 shows all levels.");
    return UBI_OK;
}

/* "old.ubirec → new.ubirec" */
static void title_make(char out[TITLE_BYTES], const answer *a, const ubi__asked *asked) {
    const char *names[2] = { ubi__asked_name_at(asked, 0), ubi__asked_name_at(asked, asked->n_heaps - 1) };
    for (int i = 0; i < 2; i++)
        names[i] = strcmp(names[i], "-") == 0 ? "standard input" : names[i];
    if (a->is_both)
        snprintf(out, TITLE_BYTES, "%s \xe2\x86\x92 %s", names[0], names[1]);
    else
        snprintf(out, TITLE_BYTES, "%s", names[0]);
}

static ubi_status flamegraph_page(const ubi__page *page, const void *of, const ubi__asked *asked) {
    const answer *a = of;
    char title[TITLE_BYTES], subtitle[SUBTITLE_BYTES];
    title_make(title, a, asked);
    if (a->is_both)
        both_subtitle_make(subtitle, a);
    else
        subtitle_make(subtitle, a);
    const ubi__flame_picture picture = {
        .tree = &a->tree, .title = title, .subtitle = subtitle, .is_count = a->measure.is_count
    };
    ubi_status status = a->form == FORM_TEXT
                            ? text_write(page, &picture, a)
                            : ubi__render_flame_svg(ubi__out_write, page->out, &picture, a->report->allocator);
    return page->out->has_failed ? UBI_OK : status; /* refused writes stick in the output */
}

static const char *flamegraph_output_kind(const void *of, const ubi__asked *asked) {
    (void)asked;
    return ((const answer *)of)->form == FORM_JSON ? "document of ubiheap" : "SVG";
}

/* ---- the question ------------------------------------------------------------------------------------------------------- */

static const char *const formats[] = { "svg", "json", "text", NULL };

static const ubi__parameter parameters[] = {
    UBI__TEXT("output", 'o', AT(output), "PATH",
              "write to PATH, as JSON if its name ends in .json, else as SVG; it appears when it is complete", NULL,
              .scope = UBI__SCOPE_TERMINAL),
    UBI__CHOICE("format", 'f', AT(format), "WORD", formats,
                "what to write; the default is text on a terminal, else SVG", NULL, .scope = UBI__SCOPE_PAGE),
    UBI__CHOICE("by", 0, AT(by), "WHAT", ubi__recording_orders,
                "how wide boxes are: bytes leaked, at the peak or in total, or allocations, all or temporary; of a "
                "part of the time, also bytes alive at its end; the default is what matters most",
                NULL),
    UBI__FLAG("inverted", 'i', AT(is_inverted), "begin with the functions that ask for memory, their callers below"),
    UBI__FLAG(
        "allocators", 0, AT(with_allocators),
        "show the whole stacks, with allocators, containers, and calls that ask for memory in the name of others"),
    UBI__WINDOW_PARAMETERS(AT(window)),
    UBI__TEXT("process", 0, AT(process), "WHICH",
              "of several processes that were recorded together, only those with this number or name", NULL),
    UBI__SWITCH("symbols", 0, AT(symbols),
                "look for names and lines that the recording lacks in the files at hand, or do not; the default is to "
                "look"),
    UBI__SWITCH("wrappers", 0, AT(wrappers),
                "look behind calls that ask for memory in the name of many callers, or do not; the default is to look"),
    UBI__SUPPRESS(AT(suppress)),
    UBI__NUMBER("rows", 0, AT(rows), "N", "of text: draw N levels; 0: all", "40", .scope = UBI__SCOPE_PAGE),
    UBI__LIMIT(AT(limit), "of a document: the N largest functions; 0: all", "1000"),
    UBI__PARAMETERS_END,
};

static const ubi__example examples[] = {
    { "flamegraph server.ubirec", "through which functions memory was asked for, in the terminal" },
    { "flamegraph -o server.svg server.ubirec", "a picture for the browser: click to zoom, / to search" },
    { "flamegraph --by peak -o peak.svg server.ubirec", "what was alive when most was" },
    { "flamegraph --at 90s server.ubirec", "what was alive a minute and a half after it began" },
    { "flamegraph --inverted server.ubirec", "who asks for it, and who calls that" },
    { "flamegraph --by total -o change.svg old.ubirec new.ubirec",
      "what asks for more than it did, and what for less" },
    { NULL, NULL },
};

const ubi__usage ubi__usage_flamegraph = {
    .name = "flamegraph",
    .operands = "FILE [NEW]",
    .summary = "draw a recording, or what changed between two, as a flame graph",
    .question = "Through which functions did this program ask for memory?",
    .description =
        "Draws the stacks of FILE, a recording of allocations, as a flame graph: a box is a function, as wide as what "
        "was asked for by it and all that it called, which is below it, the largest first. Equal functions with the "
        "same callers are one box, whatever their lines. On a terminal it is drawn with text; else, and into the file "
        "of --output, it is an SVG that needs nothing else: boxes have tooltips, a click zooms, and / searches.\n"
        "\n"
        "As in a report, what only passes requests on is left out at the inner end of stacks; --allocators shows it. "
        "Widths are bytes that were not freed, unless that is little compared with the peak; --by chooses. Numbers of "
        "a sampled recording are estimates.\n"
        "\n"
        "With two recordings, of which FILE is the older one, it shows what changed: boxes are as wide as what both "
        "have "
        "together, red where NEW has more and blue where it has less, the more so the larger the part that changed. "
        "Functions are the same when their names and callers are, as in 'ubiheap diff', which lists them.\n"
        "\n"
        "For flame graphs of other programs, see 'ubiheap export --format collapsed'.",
    .parameters = parameters,
    .examples = examples,
    .min_operands = 1,
    .max_operands = 2,
    .arguments_bytes = sizeof(ubi__flamegraph_values),
};

const ubi__question ubi__question_flamegraph = {
    .usage = &ubi__usage_flamegraph,
    .recording_schema = "ubiheap.flamegraph/1",
    .least_heaps = 1,
    .most_heaps = 2,
    .answer_bytes = sizeof(answer),
    .prepare = flamegraph_prepare,
    .compute = flamegraph_compute,
    .head = flamegraph_head,
    .document = flamegraph_document,
    .page = flamegraph_page,
    .output_kind = flamegraph_output_kind,
    .remark = flamegraph_remark,
    .release = flamegraph_release,
};
