/* SPDX-License-Identifier: MIT
 *
 * show_question.c: everything about one node.
 */
#include "base/status.h"
#include "questions/breakdown_choice.h"
#include "questions/question.h"
#include "questions/show/node_card.h"

typedef struct show_values {
    ubi__node_id node;
    ubi__breakdown_spec breakdown;
    uint64_t limit;
} show_values;

#define AT(field) offsetof(show_values, field)

typedef struct answer {
    const show_values *values;
    ubi__breakdown_choice chosen; /* owned */
    ubi__node_facts facts;        /* owned */
    ubi_census *description;      /* owned; NULL for a page, and without a breakdown */
} answer;

static ubi_status show_prepare(void *answer_of, const ubi__asked *asked) {
    answer *a = answer_of;
    a->values = asked->values;
    return ubi__breakdown_choose(&a->chosen, &a->values->breakdown, "show", asked->compat);
}

/* With a breakdown, the document has what describeNode gives. */
static ubi_status node_describe(answer *a, const ubi__asked *asked) {
    ubi_census_options options = UBI_CENSUS_OPTIONS_INIT;
    if (asked->is_for_page || !a->values->breakdown.text)
        return UBI_OK;
    options.allocator = ubi__asked_allocator(asked);
    options.compat = asked->compat;
    return ubi_census_describe(&a->description, a->facts.graph, a->values->node.id, a->chosen.breakdown, &options);
}

static ubi_status show_compute(void *answer_of, const ubi__asked *asked) {
    answer *a = answer_of;
    ubi_graph *graph;
    ubi_node_ix node;
    UBI_TRY(ubi_session_graph(&graph, ubi__asked_heap(asked)));
    UBI_TRY(ubi__node_id_find(&node, graph, a->values->node.id));
    UBI_TRY(ubi__node_facts_init(&a->facts, ubi__asked_heap(asked), node));
    return node_describe(a, asked);
}

static ubi_status show_document(ubi__json *json, const void *answer_of, const ubi__asked *asked) {
    const answer *a = answer_of;
    (void)asked;
    return ubi__node_document(json, &a->facts, a->description, a->values->limit);
}

static ubi_status show_page(const ubi__page *page, const void *answer_of, const ubi__asked *asked) {
    const answer *a = answer_of;
    (void)asked;
    ubi__node_card(page, &a->facts, a->values->limit);
    return UBI_OK;
}

static void show_release(void *answer_of, const ubi__asked *asked) {
    answer *a = answer_of;
    (void)asked;
    ubi_census_free(a->description);
    ubi__node_facts_fini(&a->facts);
    ubi__breakdown_choice_fini(&a->chosen);
}

static const ubi__parameter parameters[] = {
    UBI__NODE("node", 0, AT(node), "ID", "the node, by its id", NULL, .is_operand = true, .is_required = true),
    UBI__LIMIT(AT(limit), "show N edges each way; 0: all", "10"),
    UBI__BREAKDOWN("breakdown", 'b', AT(breakdown), "SPEC",
                   "with --json: add the census of this node alone, by a breakdown as that of census", NULL),
    UBI__PARAMETERS_END,
};

static const ubi__example examples[] = {
    { "show app.fxsnapshot 140720891387000", "one node, by its id" },
    { "show app.heapsnapshot @20159", "the same in a file of Chrome or Node.js" },
    { "show --limit 0 app.fxsnapshot 140720891387000", "with all of its edges" },
    { NULL, NULL },
};

const ubi__usage ubi__usage_show = {
    .name = "show",
    .alias = "node",
    .operands = "FILE ID",
    .summary = "show everything about one node",
    .question = "What is this node, how much does it keep, and why is it alive?",
    .description =
        "Prints the node's type, its own and its retained size, its immediate dominator, its distance from the "
        "root and the shortest path from there, the stack that allocated it, and the references from it and to it.\n"
        "\n"
        "References from it are sorted by what their targets retain, the largest first; those to it by the "
        "distance from the root, the nearest first. Equal ones stay in file order.\n"
        "\n"
        "ID is the node's id in the file, in decimal or hexadecimal (0x...), or as DevTools write it (@20159). "
        "'ubiheap nodes', 'dominators', 'report' and 'census --individuals' print ids.",
    .parameters = parameters,
    .examples = examples,
    .has_firefox_mode = true,
    .min_operands = 2,
    .max_operands = 2,
    .arguments_bytes = sizeof(show_values),
};

const ubi__question ubi__question_show = {
    .usage = &ubi__usage_show,
    .schema = "ubiheap.node/1",
    .least_heaps = 1,
    .most_heaps = 1,
    .answer_bytes = sizeof(answer),
    .prepare = show_prepare,
    .compute = show_compute,
    .document = show_document,
    .page = show_page,
    .release = show_release,
};
