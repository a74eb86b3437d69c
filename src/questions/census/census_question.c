/* SPDX-License-Identifier: MIT
 *
 * census_question.c: how much of what is in a heap.
 */
#include <stdio.h>

#include <ubiheap/core/census.h>

#include "analyses/census/census_members.h"
#include "base/alloc.h"
#include "base/human.h"
#include "base/text.h"
#include "questions/breakdown_choice.h"
#include "questions/counted_nodes.h"
#include "questions/question.h"
#include "render/heap_labels.h"
#include "render/result_json.h"

typedef struct census_values {
    ubi__breakdown_arguments by;
    ubi__breakdown_spec labels;
    const char *individuals, *fail_on;
    bool with_indices;
} census_values;

#define AT(field) offsetof(census_values, field)

/* One part of the report and the nodes counted in it. */
typedef struct counted_part {
    uint32_t index;
    uint64_t *ids; /* owned ids[n] */
    uint64_t n;
} counted_part;

UBI_VEC_DECLARE(counted_parts, counted_part);

typedef struct answer {
    const census_values *values;
    ubi__breakdown_choice chosen; /* owned */
    const ubi_look *look;
    const ubi_graph *graph;
    const ubi_census *census;    /* NULL with --individuals */
    const ubi_census_tree *tree; /* NULL where the report itself is shown */
    ubi__census_rows rows;       /* of the tree, if only some are shown */
    counted_parts parts;         /* owned: those of --individuals */
    ubi__counted_nodes nodes;    /* owned: their nodes, if some rows of these are shown */
    ubi__breakdown_spec labels_spec;
    ubi__breakdown_choice labels; /* owned: of these rows */
} answer;

/* ---- individuals ------------------------------------------------------------------------------------------------ */

static ubi_status indices_parse(answer *a, const char *list, const ubi_allocator *memory) {
    while (list) {
        char item[16];
        size_t n = strcspn(list, ",");
        uint64_t value;
        snprintf(item, sizeof item, "%.*s", (int)(n < sizeof item ? n : sizeof item - 1), list);
        UBI_TRY(ubi__parse_number(&value, item, "--individuals"));
        if (value >= UBI_NONE)
            return ubi__fail(UBI_ENOTFOUND, "--individuals: the report has no part %s", item);
        UBI_TRY(counted_parts_push(&a->parts, memory, (counted_part){ .index = (uint32_t)value }));
        list = list[n] ? list + n + 1 : NULL;
    }
    return UBI_OK;
}

static ubi_census_options individuals_options(const answer *a, const ubi__asked *asked) {
    ubi_census_options options = UBI_CENSUS_OPTIONS_INIT;
    options.allocator = ubi__asked_allocator(asked);
    options.progress = ubi__asked_progress(asked);
    options.compat = asked->compat;
    options.size_bytes = ubi_look_view(a->look)->size_bytes;
    return options;
}

static ubi_status individuals_find(answer *a, const ubi__asked *asked) {
    ubi_census_options options = individuals_options(a, asked);
    for (size_t i = 0; i < a->parts.n; i++) {
        counted_part *part = &a->parts.at[i];
        UBI_TRY(ubi_census_individuals(&part->ids, &part->n, a->graph, a->chosen.breakdown, &part->index, 1, &options));
    }
    return UBI_OK;
}

static ubi_status members_find(ubi__vec_u32 *out, const answer *a, const ubi__asked *asked) {
    ubi_census_options options = individuals_options(a, asked);
    ubi__vec_u32 leaves = { 0 };
    UBI_TRY(ubi__vec_u32_reserve(&leaves, options.allocator, a->parts.n));
    for (size_t i = 0; i < a->parts.n; i++)
        leaves.at[leaves.n++] = a->parts.at[i].index;
    ubi_status status =
        ubi__census_members(out, a->graph, a->chosen.breakdown, leaves.at, (uint32_t)leaves.n, &options);
    ubi__vec_u32_fini(&leaves, options.allocator);
    return status;
}

/* Their nodes as rows, those first that retain most. */
static ubi_status individuals_list(answer *a, const ubi__asked *asked) {
    const ubi_dominators *dominators;
    UBI_TRY(ubi_session_dominators(&dominators, ubi__asked_heap(asked), true));
    ubi__counted_nodes_init(&a->nodes, ubi__asked_allocator(asked));
    UBI_TRY(members_find(&a->nodes.nodes, a, asked));
    return ubi__counted_nodes_list(&a->nodes, dominators, a->look, a->labels.json, a->values->by.offset,
                                   a->values->by.rows);
}

static void part_put(ubi__json *json, const counted_part *part) {
    ubi__json_object_begin(json);
    ubi__json_member_u64(json, "index", part->index);
    ubi__json_member_array(json, "ids");
    for (uint64_t i = 0; i < part->n && !json->has_failed; i++)
        ubi__json_node_id(json, part->ids[i]);
    ubi__json_array_end(json);
    ubi__json_object_end(json);
}

static void individual_write(const answer *a, const ubi__text_table *table, uint64_t id) {
    ubi_node_ix node;
    if (ubi_graph_find(&node, a->graph, id) != UBI_OK)
        return;
    ubi_look_name_buffer buffer;
    const ubi__cell cells[] = { { .kind = UBI__CELL_ID, .value = id },
                                ubi__cell_size(ubi_look_size_bytes(a->look, node)) };
    ubi__text_table_line(table, cells, ubi__node_title(a->graph, a->look, node, &buffer));
}

static void part_write(const ubi__page *page, const answer *a, const counted_part *part) {
    static const ubi__text_column columns[] = { { NULL, .width = 20 }, { NULL, .width = 11 } };
    char count[UBI__HUMAN_TEXT];
    ubi__text_table table;
    uint64_t limit = a->values->by.limit, n = part->n;
    uint64_t shown = limit && n > limit + 1 ? limit : n;
    ubi__page_table(&table, page, "", columns, 2);
    table.least_name = 10;
    ubi__write_ink(page, UBI__INK_BOLD);
    ubi__out_printf(table.out, "Part %u of the report: %s\n", part->index, ubi__human_things(count, n, "node"));
    ubi__write_ink(page, UBI__INK_PLAIN);
    for (uint64_t i = 0; i < shown && !table.out->has_failed; i++)
        individual_write(a, &table, part->ids[i]);
    if (shown < n) {
        ubi__display_pad(table.out, 0, 17);
        ubi__text_table_rest(&table, n - shown);
    }
}

/* ---- output ----------------------------------------------------------------------------------------------------- */

static const char *document_key(const answer *a) {
    if (a->tree)
        return a->values->by.rows ? "page" : "tree";
    return a->census ? "report" : a->values->by.rows ? "nodes" : "individuals";
}

static ubi_status census_document(ubi__json *json, const void *answer_of, const ubi__asked *asked) {
    const answer *a = answer_of;
    ubi__breakdown_write_json(json, &a->chosen);
    ubi__json_key(json, document_key(a));
    if (a->tree && a->values->by.rows)
        return ubi__render_census_rows(json, a->tree, &a->rows, ubi__asked_allocator(asked));
    if (a->tree)
        return ubi__render_census_tree(json, a->tree);
    if (a->census)
        return ubi__render_report(json, ubi_census_report(a->census));
    if (a->values->by.rows)
        return ubi__counted_nodes_put(json, &a->nodes);
    ubi__json_array_begin(json);
    for (size_t i = 0; i < a->parts.n; i++)
        part_put(json, &a->parts.at[i]);
    ubi__json_array_end(json);
    return UBI_OK;
}

static ubi_status census_page(const ubi__page *page, const void *answer_of, const ubi__asked *asked) {
    const answer *a = answer_of;
    ubi__census_text_options options = ubi__breakdown_text_options(&a->values->by, &a->chosen, asked->compat);
    options.with_indices = a->values->with_indices;
    if (a->tree)
        return ubi__render_census_text(page->out, &page->style, a->tree, &options);
    for (size_t i = 0; i < a->parts.n; i++)
        part_write(page, a, &a->parts.at[i]);
    return UBI_OK;
}

/* ---- answer ------------------------------------------------------------------------------------------------------ */

static ubi_status individuals_check(const census_values *values) {
    const ubi__breakdown_arguments *by = &values->by;
    const char *other = by->wants_tree ? "--tree"
                        : by->inverted ? "--inverted"
                        : by->filter   ? "--filter"
                        : by->parent   ? "--parent"
                        : by->order    ? "--order"
                                       : NULL;
    if (values->individuals && other)
        return ubi__fail(UBI_EINVAL, "--individuals lists nodes; it does not go with %s", other);
    if (values->labels.text && !(values->individuals && by->rows))
        return ubi__fail(UBI_EINVAL, "--labels goes with --individuals and --rows");
    return UBI_OK;
}

static ubi_status census_prepare(void *answer_of, const ubi__asked *asked) {
    answer *a = answer_of;
    const census_values *values = a->values = asked->values;
    UBI_TRY(individuals_check(values));
    UBI_TRY(ubi__breakdown_check_rows(&values->by));
    UBI_TRY(ubi__breakdown_choose(&a->chosen, &values->by.breakdown, "census", asked->compat));
    a->labels_spec = ubi__labels_spec(&values->labels);
    if (values->individuals && values->by.rows)
        UBI_TRY(ubi__breakdown_choose(&a->labels, &a->labels_spec, "census", UBI_COMPAT_NONE));
    return indices_parse(a, values->individuals, ubi__asked_allocator(asked));
}

static ubi_status census_compute(void *answer_of, const ubi__asked *asked) {
    answer *a = answer_of;
    ubi_session_use *heap = ubi__asked_heap(asked);
    ubi_census_tree_options options = ubi__breakdown_tree_options(&a->values->by, &a->chosen);
    UBI_TRY(ubi_session_look(&a->look, heap));
    a->graph = ubi_look_view(a->look)->graph;
    if (a->values->individuals)
        return a->values->by.rows ? individuals_list(a, asked) : individuals_find(a, asked);
    UBI_TRY(ubi_session_census(&a->census, heap, a->chosen.json, asked->compat));
    if (!asked->is_for_page && !ubi__breakdown_wants_tree(&a->values->by))
        return UBI_OK;
    UBI_TRY(ubi__session_census_tree(&a->tree, heap, a->chosen.json, asked->compat, &options));
    UBI_TRY(ubi__breakdown_rows(&a->rows, &a->values->by, a->tree));
    if (a->rows.order.key == UBI__CENSUS_ORDER_TREE)
        return UBI_OK;
    return ubi__session_census_order(&a->rows.sorted, heap, a->chosen.json, asked->compat, &options, a->rows.parent,
                                     a->rows.order);
}

static void census_release(void *answer_of, const ubi__asked *asked) {
    answer *a = answer_of;
    for (size_t i = 0; i < a->parts.n; i++)
        ubi_individuals_free(a->parts.at[i].ids, a->parts.at[i].n, ubi__asked_allocator(asked));
    counted_parts_fini(&a->parts, ubi__asked_allocator(asked));
    ubi__counted_nodes_fini(&a->nodes);
    ubi__breakdown_choice_fini(&a->labels);
    ubi__breakdown_choice_fini(&a->chosen);
}

static void census_facts(ubi__question_facts *out, const void *answer_of) {
    const answer *a = answer_of;
    *out = (ubi__question_facts){ .graph = a->graph, .look = a->look };
}

/* ---- question ---------------------------------------------------------------------------------------------------- */

static const ubi__parameter parameters[] = {
    UBI__BREAKDOWN_PARAMETERS(AT(by)),
    UBI__TEXT("individuals", 0, AT(individuals), "N[,N...]",
              "list the nodes that were counted in these parts of the report, by reportLeafIndex", NULL),
    UBI__FLAG("indices", 0, AT(with_indices), "show the numbers that --individuals takes", .scope = UBI__SCOPE_PAGE),
    UBI__TREE_TEXT_PARAMETERS(AT(by)),
    UBI__TREE_ROWS_PARAMETERS(AT(by)),
    UBI__BREAKDOWN(
        "labels", 0, AT(labels), "SPEC",
        "with individuals and rows: what nodes are called, as in dominators; rows are then nodes, those first "
        "that retain most",
        "types", .scope = UBI__SCOPE_PROGRAM),
    UBI__FAIL_ON(AT(fail_on)),
    UBI__PARAMETERS_END,
};

static const ubi__example examples[] = {
    { "census app.fxsnapshot", "what is in the heap, by coarse type and class" },
    { "census -b invertedAllocationStack app.fxsnapshot", "which functions allocated it" },
    { "census --json -b '{\"by\":\"objectClass\"}' app.fxsnapshot", "exactly the report of takeCensus" },
    { "census --indices -b objectClass app.fxsnapshot", "numbers of the groups, then" },
    { "census --individuals 7 -b objectClass app.fxsnapshot", "the nodes of group 7" },
    { NULL, NULL },
};

const ubi__usage ubi__usage_census = {
    .name = "census",
    .operands = "FILE",
    .summary = "count what is in a heap, grouped as you like",
    .question = "How much of each kind of thing is in this heap?",
    .description =
        "Counts every node that can be reached from the root, in groups that a breakdown makes, as "
        "Debugger.Memory's takeCensus does. A row has the size of its group with all groups below it, the share of "
        "the heap, and the number of nodes.\n"
        "\n"
        "With --json the document has the report of takeCensus under \"report\"; with --tree, --inverted or "
        "--filter the tree of Firefox's memory panel under \"tree\"; with --individuals the ids of nodes under "
        "\"individuals\".\n"
        "\n"
        "A breakdown in JSON is an object. Its \"by\" is count, bucket, objectClass, coarseType, internalType, "
        "descriptiveType, allocationStack or filename; other members are breakdowns for the groups that it makes. "
        "An array of breakdowns counts every node in each of them. For example:\n"
        "\n"
        "  { \"by\": \"coarseType\", \"objects\": { \"by\": \"objectClass\" } }\n",
    .parameters = parameters,
    .glossary = &ubi__breakdown_presets_glossary,
    .examples = examples,
    .has_firefox_mode = true,
    .min_operands = 1,
    .max_operands = 1,
    .arguments_bytes = sizeof(census_values),
};

const ubi__question ubi__question_census = {
    .usage = &ubi__usage_census,
    .schema = "ubiheap.census/1",
    .least_heaps = 1,
    .most_heaps = 1,
    .condition = UBI__CONDITION_SNAPSHOT,
    .answer_bytes = sizeof(answer),
    .prepare = census_prepare,
    .compute = census_compute,
    .document = census_document,
    .page = census_page,
    .facts = census_facts,
    .release = census_release,
};
