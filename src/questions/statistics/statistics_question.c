/* SPDX-License-Identifier: MIT
 *
 * statistics_question.c: what a heap consists of: a line per part, the largest first, and one per native
 * context if there are several.
 */
#include <ubiheap/views/native_contexts.h>
#include <ubiheap/views/statistics.h>

#include "base/alloc.h"
#include "base/assert.h"
#include "base/human.h"
#include "base/parallel.h"
#include "base/status.h"
#include "base/text.h"
#include "lenses/producer.h"
#include "questions/question.h"

#define NARROW_BAR_COLUMNS 12
#define BAR_COLUMNS 22
#define WIDE_PAGE 100
#define MOST_CONTEXTS 20

/* A part of the session: it takes a walk over all nodes. */
typedef struct statistics_part {
    ubi_statistics statistics;
    ubi_native_contexts *contexts; /* owned */
} statistics_part;

typedef struct answer {
    const ubi_look *look;
    const ubi_graph *graph;
    ubi_statistics statistics;
    const ubi_native_contexts *contexts;
    const ubi_dominators *dominators; /* for a page NULL unless there are several contexts */
} answer;

/* What both tables begin with. */
enum { SIZE, SHARE, BAR, AMOUNT_COLUMNS };

static void amount_cells(const answer *a, ubi__cell *cells, uint64_t bytes, ubi__ink color) {
    uint64_t total_bytes = a->statistics.total_bytes;
    cells[SIZE] = ubi__cell_size(bytes);
    cells[SHARE] = ubi__cell_share(bytes, total_bytes);
    cells[BAR] = ubi__cell_bar(color, bytes, total_bytes);
}

static void table_begin(const ubi__page *page, ubi__text_table *table, const char *name,
                        const ubi__text_column *columns, size_t n) {
    ubi__page_table(table, page, name, columns, n);
    table->at[BAR].width = page->style.columns >= WIDE_PAGE ? BAR_COLUMNS : NARROW_BAR_COLUMNS;
    ubi__text_table_lay_out(table);
    ubi__text_table_head(table);
}

/* ---- parts ------------------------------------------------------------------------------------------------------- */

enum { NODES = AMOUNT_COLUMNS, PART_COLUMNS };

static const ubi__text_column part_columns[PART_COLUMNS] = {
    [SIZE] = { "Size", .width = 10 },
    [SHARE] = { NULL, .width = 8 },
    [BAR] = { NULL, .gap = 2 },
    [NODES] = { "Nodes", .width = 12 },
};

static ubi__ink part_color(const char *name) {
    static const struct {
        const char *name;
        ubi__ink color;
    } colors[] = {
        { "code", UBI__INK_YELLOW },   { "scripts", UBI__INK_YELLOW },   { "strings", UBI__INK_GREEN },
        { "jsArrays", UBI__INK_BLUE }, { "typedArrays", UBI__INK_RED },  { "otherJS", UBI__INK_CYAN },
        { "objects", UBI__INK_CYAN },  { "domNodes", UBI__INK_MAGENTA }, { "otherNonJS", UBI__INK_MAGENTA }
    };
    for (size_t i = 0; i < sizeof colors / sizeof *colors; i++)
        if (strcmp(colors[i].name, name) == 0)
            return colors[i].color;
    return UBI__INK_DIM;
}

static void parts_sort(const ubi_statistics_part **sorted, const ubi_statistics *s) {
    for (uint32_t i = 0; i < s->n_parts; i++) {
        uint32_t at = i;
        for (; at > 0 && sorted[at - 1]->size_bytes < s->parts[i].size_bytes; at--)
            sorted[at] = sorted[at - 1];
        sorted[at] = &s->parts[i];
    }
}

/* Titles explain themselves in parentheses where there is room. */
static ubi_text part_title(const ubi__text_table *table, const ubi_statistics_part *part) {
    ubi_text title = ubi__text(part->title);
    const char *note = strstr(part->title, " (");
    if (note && ubi__display_columns(title, table->style, SIZE_MAX) > ubi__text_table_room(table, table->used))
        title.len = (size_t)(note - part->title);
    return title;
}

static void parts_write(const ubi__page *page, const answer *a) {
    char size[UBI__HUMAN_TEXT], nodes[UBI__HUMAN_TEXT];
    const ubi_statistics *s = &a->statistics;
    const ubi_statistics_part *sorted[UBI_STATISTICS_MAX_PARTS];
    ubi__text_table table;
    uint64_t n_nodes = 0;
    parts_sort(sorted, s);
    for (uint32_t i = 0; i < s->n_parts; i++)
        n_nodes += s->parts[i].count;
    ubi__out_printf(page->out, "%s in %s", ubi__human_size(size, s->total_bytes),
                    ubi__human_things(nodes, n_nodes, "node"));
    if (s->native_bytes)
        ubi__out_printf(page->out, ", %s of it outside of the JavaScript heap", ubi__human_size(size, s->native_bytes));
    ubi__out_string(page->out, "\n\n");
    table_begin(page, &table, "What", part_columns, PART_COLUMNS);
    for (uint32_t i = 0; i < s->n_parts; i++) {
        ubi__cell cells[PART_COLUMNS];
        amount_cells(a, cells, sorted[i]->size_bytes, part_color(sorted[i]->name));
        cells[NODES] = ubi__cell_count(sorted[i]->count);
        ubi__text_table_line(&table, cells, part_title(&table, sorted[i]));
    }
}

/* ---- native contexts --------------------------------------------------------------------------------------------- */

enum { RETAINED = AMOUNT_COLUMNS, ID, CONTEXT_COLUMNS };

static const ubi__text_column context_columns[CONTEXT_COLUMNS] = {
    [SIZE] = { "Belongs", .width = 10 },      [SHARE] = { NULL, .width = 8 }, [BAR] = { NULL, .gap = 2 },
    [RETAINED] = { "Retained", .width = 10 }, [ID] = { "Id", .width = 12 },
};

static void context_write(const answer *a, const ubi__text_table *table, const ubi_native_context *context) {
    const ubi__producer_words *words = ubi__producer_of(a->graph)->words;
    ubi_look_name_buffer buffer;
    ubi__cell cells[CONTEXT_COLUMNS];
    UBI_ASSERT(words->context_name); /* or there would be no contexts */
    amount_cells(a, cells, context->attributed_bytes, UBI__INK_CYAN);
    cells[RETAINED] = ubi__cell_size(ubi_dominators_retained_bytes(a->dominators, context->node));
    cells[ID] = ubi__cell_id(ubi_graph_node_id(a->graph, context->node));
    ubi__text_table_line(table, cells, words->context_name(a->look, context->node, &buffer));
}

static void others_write(const answer *a, const ubi__text_table *table, uint64_t bytes, const char *what) {
    ubi__cell cells[CONTEXT_COLUMNS] = { 0 };
    amount_cells(a, cells, bytes, UBI__INK_DIM);
    ubi__text_table_row(table, cells);
    ubi__out_printf(table->out, "%s\n", what);
}

/* The largest ones: sorted[*n]. */
static void contexts_sort(const ubi_native_context **sorted, uint32_t *n, const ubi_native_contexts *contexts) {
    *n = 0;
    for (uint32_t i = 0; i < ubi_native_contexts_count(contexts); i++) {
        const ubi_native_context *context = ubi_native_contexts_at(contexts, i);
        uint32_t at = *n < MOST_CONTEXTS ? (*n)++ : MOST_CONTEXTS;
        for (; at > 0 && sorted[at - 1]->attributed_bytes < context->attributed_bytes; at--)
            if (at < MOST_CONTEXTS)
                sorted[at] = sorted[at - 1];
        if (at < MOST_CONTEXTS)
            sorted[at] = context;
    }
}

static void contexts_write(const ubi__page *page, const answer *a) {
    const ubi_native_context *sorted[MOST_CONTEXTS];
    ubi__text_table table;
    char text[UBI__HUMAN_TEXT];
    uint32_t n, n_all = ubi_native_contexts_count(a->contexts);
    if (n_all < 2)
        return;
    contexts_sort(sorted, &n, a->contexts);
    ubi__out_char(page->out, '\n');
    table_begin(page, &table, "Native context", context_columns, CONTEXT_COLUMNS);
    for (uint32_t i = 0; i < n; i++)
        context_write(a, &table, sorted[i]);
    others_write(a, &table, ubi_native_contexts_shared_bytes(a->contexts), "shared between several");
    others_write(a, &table, ubi_native_contexts_unattributed_bytes(a->contexts), "of none");
    if (n < n_all)
        ubi__out_printf(page->out, "  %s more native contexts; --json has all\n", ubi__human_count(text, n_all - n));
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

static void parts_put(ubi__json *j, const ubi_statistics *s) {
    ubi__json_member_array(j, "parts");
    for (uint32_t i = 0; i < s->n_parts; i++) {
        ubi__json_object_begin(j);
        ubi__json_member_string(j, "name", s->parts[i].name);
        ubi__json_member_string(j, "title", s->parts[i].title);
        ubi__json_member_u64(j, "size", s->parts[i].size_bytes);
        ubi__json_member_u64(j, "count", s->parts[i].count);
        ubi__json_object_end(j);
    }
    ubi__json_array_end(j);
}

static void context_put(ubi__json *j, const answer *a, const ubi_native_context *context) {
    ubi_look_name_buffer buffer;
    ubi__json_object_begin(j);
    ubi__json_member_node_id(j, "id", ubi_graph_node_id(a->graph, context->node));
    ubi__json_member_text(j, "name", ubi_look_display_name(a->look, context->node, &buffer));
    ubi__json_member_u64(j, "attributedSize", context->attributed_bytes);
    ubi__json_member_u64(j, "selfSize", context->size_bytes);
    ubi__json_member_u64(j, "retainedSize", ubi_dominators_retained_bytes(a->dominators, context->node));
    ubi__json_object_end(j);
}

static ubi_status statistics_document(ubi__json *j, const void *answer_of, const ubi__asked *asked) {
    const answer *a = answer_of;
    (void)asked;
    ubi__json_member_string(j, "lens", ubi_lens_name(ubi_look_lens(a->look)));
    ubi__json_member_u64(j, "totalSize", a->statistics.total_bytes);
    ubi__json_member_u64(j, "nativeSize", a->statistics.native_bytes);
    parts_put(j, &a->statistics);
    ubi__json_member_array(j, "nativeContexts");
    for (uint32_t i = 0; i < ubi_native_contexts_count(a->contexts); i++)
        context_put(j, a, ubi_native_contexts_at(a->contexts, i));
    ubi__json_array_end(j);
    ubi__json_member_u64(j, "sharedSize", ubi_native_contexts_shared_bytes(a->contexts));
    ubi__json_member_u64(j, "noAttributionSize", ubi_native_contexts_unattributed_bytes(a->contexts));
    return UBI_OK;
}

static ubi_status statistics_page(const ubi__page *page, const void *answer_of, const ubi__asked *asked) {
    (void)asked;
    parts_write(page, answer_of);
    contexts_write(page, answer_of);
    return UBI_OK;
}

/* ---- answer ------------------------------------------------------------------------------------------------------ */

/* Sums are a helper's work: contexts take longer, and neither needs the other. */
typedef struct sums_task {
    ubi_statistics *out;
    const ubi_look *look;
    ubi_statistics_options options;
    ubi_status status;
} sums_task;

static void sums_compute(void *payload) {
    sums_task *task = payload;
    task->status = ubi_statistics_compute(task->out, task->look, &task->options);
}

/* On the helper's thread that only asks. */
static bool pulse_report(void *pulse, const char *stage, uint64_t done, uint64_t total) {
    return ubi__pulse_at(pulse, stage, done, total);
}

static ubi_status both_compute(statistics_part *out, sums_task *task, ubi__pulse *pulse, unsigned threads) {
    ubi_native_contexts_options options = UBI_NATIVE_CONTEXTS_OPTIONS_INIT;
    ubi__helper helper;
    ubi__chore chore;
    options.allocator = task->options.allocator;
    options.progress = task->options.progress;
    ubi__helper_start(&helper, threads);
    ubi__helper_give(&helper, &chore, sums_compute, task);
    ubi_status status = ubi_native_contexts_new(&out->contexts, task->look, NULL, &options);
    if (status == UBI_OK)
        ubi__helper_wait(&helper, &chore, pulse);
    else
        ubi__pulse_stop(pulse);
    ubi__helper_stop(&helper);
    return status;
}

static ubi_status part_compute(statistics_part *out, ubi_session_use *use, const ubi_look *look,
                               const ubi_allocator *allocator) {
    ubi__pulse pulse = ubi__pulse_of(ubi_session_use_progress(use));
    sums_task task = { .out = &out->statistics, .look = look, .options = UBI_STATISTICS_OPTIONS_INIT };
    out->statistics = (ubi_statistics)UBI_STATISTICS_INIT;
    task.options.allocator = allocator;
    task.options.progress = (ubi_progress){ pulse_report, &pulse };
    UBI_TRY(both_compute(out, &task, &pulse, ubi__thread_count(ubi_session_use_threads(use))));
    if (task.status == UBI_OK)
        return UBI_OK;
    ubi_native_contexts_free(out->contexts);
    return task.status == UBI_ECANCELLED ? ubi__fail_cancelled() : ubi__fail_nomem(); /* its message stayed there */
}

static ubi_status part_build(void **out, ubi_session_use *use, const char *key, const ubi_allocator *allocator) {
    const ubi_look *look;
    (void)key;
    UBI_TRY(ubi_session_look(&look, use));
    statistics_part *part = UBI_NEW(allocator, statistics_part);
    if (!part)
        return ubi__fail_nomem();
    ubi_status status = part_compute(part, use, look, allocator);
    if (status == UBI_OK)
        *out = part;
    else
        UBI_DELETE(allocator, part);
    return status;
}

static void part_free(void *value, const ubi_allocator *allocator) {
    statistics_part *part = value;
    ubi_native_contexts_free(part->contexts);
    UBI_DELETE(allocator, part);
}

static const ubi__part_type part_type = { .name = "statistics", .build = part_build, .free = part_free };

/* What the contexts retain is worth a dominator tree only where there are several, or for scripts. */
static ubi_status dominators_find(answer *a, const ubi__asked *asked) {
    uint32_t n = ubi_native_contexts_count(a->contexts);
    bool is_wanted = n > 1 || (n == 1 && !asked->is_for_page);
    return is_wanted ? ubi_session_dominators(&a->dominators, ubi__asked_heap(asked), false) : UBI_OK;
}

static ubi_status statistics_compute(void *answer_of, const ubi__asked *asked) {
    answer *a = answer_of;
    void *value;
    UBI_TRY(ubi_session_look(&a->look, ubi__asked_heap(asked)));
    UBI_TRY(ubi__session_part(&value, ubi__asked_heap(asked), &part_type, ""));
    const statistics_part *part = value;
    a->graph = ubi_look_view(a->look)->graph;
    a->statistics = part->statistics;
    a->contexts = part->contexts;
    return dominators_find(a, asked);
}

/* ---- question ---------------------------------------------------------------------------------------------------- */

static const ubi__parameter parameters[] = { UBI__PARAMETERS_END };

static const ubi__example examples[] = {
    { "statistics app.heapsnapshot", "code, strings, arrays and the rest, in bytes" },
    { "statistics --json app.heapsnapshot | jq '.parts[] | select(.name == \"strings\").size'",
      "what strings take, for a script" },
    { NULL, NULL },
};

const ubi__usage ubi__usage_statistics = {
    .name = "statistics",
    .operands = "FILE",
    .summary = "show what a heap consists of: code, strings, arrays",
    .question = "What does this heap consist of?",
    .description =
        "Prints a few sizes that add up to that of the heap. For V8 they are those of the Statistics view of "
        "Chrome's DevTools: compiled code; strings; arrays, with the store of their elements unless it is shared; "
        "the data of typed arrays; the engine's own objects; other JavaScript objects; and what lies outside of "
        "the JavaScript heap, such as documents and styles. For other producers they are the coarse types of all "
        "that the root reaches.\n"
        "\n"
        "A V8 snapshot of several pages, frames, workers or vm contexts has several native contexts. For each, the "
        "bytes that belong to it alone are listed; then those that several share, and those that belong to none. "
        "'ubiheap summary --context ID' shows what that is.",
    .parameters = parameters,
    .examples = examples,
    .min_operands = 1,
    .max_operands = 1,
};

const ubi__question ubi__question_statistics = {
    .usage = &ubi__usage_statistics,
    .schema = "ubiheap.statistics/1",
    .least_heaps = 1,
    .most_heaps = 1,
    .answer_bytes = sizeof(answer),
    .compute = statistics_compute,
    .document = statistics_document,
    .page = statistics_page,
};
