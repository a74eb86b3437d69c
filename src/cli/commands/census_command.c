/* SPDX-License-Identifier: MIT
 *
 * census_command.c: `ubiheap census`, how much of what is in a heap.
 */
#include <stdio.h>

#include <ubiheap/core/census.h>

#include "base/alloc.h"
#include "base/human.h"
#include "base/text.h"
#include "cli/cli_files.h"
#include "cli/condition.h"
#include "cli/options.h"
#include "questions/breakdown_choice.h"
#include "render/heap_labels.h"
#include "render/page.h"
#include "render/result_json.h"

typedef struct census_arguments {
    ubi__breakdown_arguments by;
    const char *individuals, *fail_on;
    bool with_indices;
} census_arguments;

#define AT(field) offsetof(census_arguments, field)

/* ---- individuals ------------------------------------------------------------------------------------------------ */

UBI_VEC_DECLARE(index_list, uint32_t);

static ubi_status parse_indices(index_list *out, const char *list) {
    while (list) {
        char item[16];
        size_t n = strcspn(list, ",");
        uint64_t value;
        snprintf(item, sizeof item, "%.*s", (int)(n < sizeof item ? n : sizeof item - 1), list);
        UBI_TRY(ubi__parse_number(&value, item, "--individuals"));
        if (value >= UBI_NONE)
            return ubi__fail(UBI_ENOTFOUND, "--individuals: the report has no part %s", item);
        UBI_TRY(index_list_push(out, ubi_allocator_default(), (uint32_t)value));
        list = list[n] ? list + n + 1 : NULL;
    }
    return UBI_OK;
}

typedef struct job {
    ubi__cli *cli;
    const census_arguments *arguments;
    const ubi__snapshot *snapshot;
    const ubi__breakdown_choice *chosen;
    const index_list *indices;
    ubi_census_options options;
} job;

/* One part of the report and the nodes counted in it. */
typedef struct part {
    uint32_t index;
    uint64_t *ids; /* owned ids[n] */
    uint64_t n;
} part;

UBI_VEC_DECLARE(part_list, part);

static ubi_status find_part(const job *j, part_list *parts, uint32_t index) {
    part found = { .index = index };
    UBI_TRY(part_list_reserve(parts, ubi_allocator_default(), 1));
    UBI_TRY(
        ubi_census_individuals(&found.ids, &found.n, j->snapshot->graph, j->chosen->breakdown, &index, 1, &j->options));
    return part_list_push(parts, ubi_allocator_default(), found);
}

static void part_list_free(part_list *parts) {
    for (size_t i = 0; i < parts->n; i++)
        ubi_individuals_free(parts->at[i].ids, parts->at[i].n, NULL);
    part_list_fini(parts, ubi_allocator_default());
}

static void part_put(ubi__json *json, const part *found) {
    ubi__json_object_begin(json);
    ubi__json_member_u64(json, "index", found->index);
    ubi__json_member_array(json, "ids");
    for (uint64_t i = 0; i < found->n && !json->has_failed; i++)
        ubi__json_node_id(json, found->ids[i]);
    ubi__json_array_end(json);
    ubi__json_object_end(json);
}

static void individual_write(const job *j, const ubi__text_table *table, uint64_t id) {
    const ubi_graph *g = j->snapshot->graph;
    ubi_node_ix node;
    if (ubi_graph_find(&node, g, id) != UBI_OK)
        return;
    ubi_look_name_buffer buffer;
    const ubi__cell cells[] = { { .kind = UBI__CELL_ID, .value = id },
                                ubi__cell_size(ubi_look_size_bytes(j->snapshot->look, node)) };
    ubi__text_table_line(table, cells, ubi__node_title(g, j->snapshot->look, node, &buffer));
}

static void part_write(const job *j, const part *found) {
    static const ubi__text_column columns[] = { { NULL, .width = 20 }, { NULL, .width = 11 } };
    char count[UBI__HUMAN_TEXT];
    ubi__text_table table;
    uint64_t limit = j->arguments->by.limit, n = found->n;
    uint64_t shown = limit && n > limit + 1 ? limit : n;
    ubi__page_table(&table, &j->cli->page, "", columns, 2);
    table.least_name = 10;
    ubi__write_ink(&j->cli->page, UBI__INK_BOLD);
    ubi__out_printf(table.out, "Part %u of the report: %s\n", found->index, ubi__human_things(count, n, "node"));
    ubi__write_ink(&j->cli->page, UBI__INK_PLAIN);
    for (uint64_t i = 0; i < shown && !table.out->has_failed; i++)
        individual_write(j, &table, found->ids[i]);
    if (shown < n) {
        ubi__display_pad(table.out, 0, 17);
        ubi__text_table_rest(&table, n - shown);
    }
}

/* ---- output ----------------------------------------------------------------------------------------------------- */

static void document_begin(const job *j, ubi__json *json) {
    ubi__document_begin(json, j->cli, "ubiheap.census/1", j->snapshot->path);
    ubi__breakdown_write_json(json, j->chosen);
}

static void parts_put(const job *j, const part_list *parts) {
    ubi__json json;
    document_begin(j, &json);
    ubi__json_member_array(&json, "individuals");
    for (size_t i = 0; i < parts->n; i++)
        part_put(&json, &parts->at[i]);
    ubi__json_array_end(&json);
    ubi__document_end(&json);
}

/* Nothing is written before all parts are known to be there. */
static ubi_status individuals_list(const job *j) {
    part_list parts = { 0 };
    ubi_status status = UBI_OK;
    for (size_t i = 0; status == UBI_OK && i < j->indices->n; i++)
        status = find_part(j, &parts, j->indices->at[i]);
    if (status == UBI_OK && j->cli->common.wants_json)
        parts_put(j, &parts);
    else if (status == UBI_OK)
        for (size_t i = 0; i < parts.n; i++)
            part_write(j, &parts.at[i]);
    part_list_free(&parts);
    return status;
}

static ubi_status write_report(const job *j, const ubi_census *census) {
    ubi__json json;
    document_begin(j, &json);
    ubi__json_key(&json, "report");
    UBI_TRY(ubi__render_report(&json, ubi_census_report(census)));
    ubi__document_end(&json);
    return UBI_OK;
}

static ubi_status write_tree(const job *j, const ubi_census_tree *tree) {
    if (!j->cli->common.wants_json) {
        ubi__census_text_options options = ubi__breakdown_text_options(&j->arguments->by, j->chosen, j->cli->compat);
        options.with_indices = j->arguments->with_indices;
        return ubi__render_census_text(j->cli->page.out, &j->cli->page.style, tree, &options);
    }
    ubi__json json;
    document_begin(j, &json);
    ubi__json_key(&json, "tree");
    UBI_TRY(ubi__render_census_tree(&json, tree));
    ubi__document_end(&json);
    return UBI_OK;
}

static ubi_status build_tree(const job *j, const ubi_census *census) {
    ubi_census_tree_options options = ubi__breakdown_tree_options(&j->arguments->by, j->chosen);
    ubi_census_tree *tree;
    UBI_TRY(ubi_census_tree_new(&tree, census, &options));
    ubi_status status = write_tree(j, tree);
    ubi_census_tree_free(tree);
    return status;
}

static ubi_status nodes_count(const job *j) {
    ubi_census *census;
    UBI_TRY(ubi_census_take(&census, j->snapshot->graph, j->chosen->breakdown, &j->options));
    bool tree = !j->cli->common.wants_json || ubi__breakdown_wants_tree(&j->arguments->by);
    ubi_status status = tree ? build_tree(j, census) : write_report(j, census);
    ubi_census_free(census);
    return status;
}

/* ---- command ---------------------------------------------------------------------------------------------------- */

static ubi_status count_and_judge(const job *j, const ubi__condition *condition, int *exit_code) {
    ubi__condition_facts facts = { .graph = j->snapshot->graph, .look = j->snapshot->look };
    UBI_TRY(j->arguments->individuals ? individuals_list(j) : nodes_count(j));
    return ubi__condition_check(exit_code, j->cli, condition, &facts);
}

static ubi_status open_and_count(job *j, const char *path, const ubi__condition *condition, int *exit_code) {
    ubi__snapshot snapshot;
    UBI_TRY(ubi__snapshot_open(&snapshot, j->cli, path));
    j->snapshot = &snapshot;
    j->options.size_bytes = ubi__snapshot_view(&snapshot)->size_bytes;
    ubi_status status = count_and_judge(j, condition, exit_code);
    ubi__snapshot_close(&snapshot);
    return status;
}

static ubi_status arguments_check(const census_arguments *a) {
    if (a->individuals && (a->by.wants_tree || a->by.inverted || a->by.filter))
        return ubi__fail(UBI_EINVAL, "--individuals lists nodes; it does not go with --tree, --inverted or --filter");
    return UBI_OK;
}

static ubi_status census_run(ubi__cli *cli, void *values, char **operands, int n_operands, int *exit_code) {
    const census_arguments *arguments = values;
    ubi__breakdown_choice chosen = { 0 };
    index_list indices = { 0 };
    job j = { cli, arguments, NULL, &chosen, &indices, UBI_CENSUS_OPTIONS_INIT };
    ubi__condition *condition;
    (void)n_operands;
    j.options.progress = ubi__progress_line_callbacks(&cli->progress);
    j.options.compat = cli->compat;
    UBI_TRY(arguments_check(arguments));
    UBI_TRY(ubi__condition_parse(&condition, arguments->fail_on, UBI__CONDITION_SNAPSHOT));
    ubi_status status = ubi__breakdown_choose(&chosen, &arguments->by.breakdown, cli->subject, cli->compat);
    if (status == UBI_OK)
        status = parse_indices(&indices, arguments->individuals);
    if (status == UBI_OK)
        status = open_and_count(&j, operands[0], condition, exit_code);
    index_list_fini(&indices, ubi_allocator_default());
    ubi__breakdown_choice_fini(&chosen);
    ubi__condition_free(condition);
    return status;
}

static const ubi__parameter parameters[] = {
    UBI__BREAKDOWN_PARAMETERS(AT(by)),
    UBI__TEXT("individuals", 0, AT(individuals), "N[,N...]",
              "list the nodes that were counted in these parts of the report, by reportLeafIndex", NULL),
    UBI__FLAG("indices", 0, AT(with_indices), "show the numbers that --individuals takes"),
    UBI__TREE_TEXT_PARAMETERS(AT(by)),
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

static const ubi__usage usage = {
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
    .arguments_bytes = sizeof(census_arguments),
};

const ubi__command ubi__command_census = {
    .usage = &usage,
    .run = census_run,
};
