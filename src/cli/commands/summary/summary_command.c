/* SPDX-License-Identifier: MIT
 *
 * summary_command.c: `ubiheap summary`, a heap by class as the tools of its producer show it.
 *
 * The page has a line of totals and a table: what a class retains, its own size, how many nodes it has, how far the nearest is
 * from the root, and its name, with the place where it is defined if the lens knows one. With --class, its nodes follow.
 */
#include <stdio.h>

#include <ubiheap/views/summary.h>

#include "base/alloc.h"
#include "base/human.h"
#include "base/text.h"
#include "cli/commands/summary/summary_choice.h"
#include "cli/condition.h"
#include "render/page.h"

#define LEAST_PLACE_COLUMNS 16

typedef struct summary_arguments {
    ubi__summary_choice_arguments choice;
    const char *class_name, *sort, *fail_on;
    uint64_t limit;
} summary_arguments;

#define AT(field) offsetof(summary_arguments, field)

typedef struct job {
    ubi__cli *cli;
    const summary_arguments *arguments;
    ubi__summary_choice choice;
    ubi__condition *condition; /* owned, or NULL */
    const ubi__snapshot *snapshot;
    ubi_summary *summary; /* owned */
    uint32_t *order;      /* owned; order[n_rows + 1]: rows to show */
    uint32_t n_found, n;  /* n of them are shown */
    uint32_t max_members; /* of each class; UBI_NONE: all */
    uint64_t total_bytes; /* of the whole heap */
} job;

static const char *const sort_choices[] = { "retained", "self", "count", "distance", "name", NULL };

static ubi_summary_key sort_key(const char *sort) {
    static const ubi_summary_key keys[] = { UBI_SUMMARY_BY_RETAINED, UBI_SUMMARY_BY_SIZE, UBI_SUMMARY_BY_COUNT,
                                            UBI_SUMMARY_BY_DISTANCE, UBI_SUMMARY_BY_NAME };
    for (size_t i = 0; sort_choices[i]; i++)
        if (strcmp(sort, sort_choices[i]) == 0)
            return keys[i];
    return UBI_SUMMARY_BY_RETAINED;
}

/* ---- classes by name --------------------------------------------------------------------------------------------- */

static ubi_text class_name_at(const job *j, uint32_t row) {
    ubi_look_class class;
    ubi_look_class_get(j->snapshot->look, ubi_summary_row_at(j->summary, row)->class_ix, &class);
    return class.name;
}

static ubi_status class_fail(const job *j) {
    char word[UBI__SUGGESTED_BYTES + 1];
    ubi__suggestion best = ubi__suggestion_for(j->arguments->class_name);
    for (uint32_t i = 0; i < ubi_summary_row_count(j->summary); i++)
        ubi__suggestion_try_text(&best, word, class_name_at(j, i));
    if (best.word)
        return ubi__fail(UBI_ENOTFOUND, "there is no class '%s'; did you mean %s?", j->arguments->class_name,
                         best.word);
    return ubi__fail(UBI_ENOTFOUND, "there is no class '%s'", j->arguments->class_name);
}

static ubi_status class_keep(job *j) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < j->n_found; i++)
        if (ubi__text_is(class_name_at(j, j->order[i]), j->arguments->class_name))
            j->order[kept++] = j->order[i];
    j->n_found = kept;
    return kept ? UBI_OK : class_fail(j);
}

/* ---- nodes of a class -------------------------------------------------------------------------------------------- */

/* The nodes of a row to show, in their order; members_free frees them. */
static ubi_status members_find(ubi_node_ix **nodes, uint32_t *n, const job *j, const ubi_summary_row *row) {
    const ubi_allocator *a = ubi_allocator_default();
    uint32_t wanted = row->count < j->max_members ? row->count : j->max_members;
    ubi_node_ix *found = ubi__alloc_array(a, wanted, sizeof *found);
    *n = 0;
    if (!found && wanted)
        return ubi__fail_nomem();
    ubi_status status = ubi_summary_members(found, n, j->summary, row->class_ix, wanted);
    if (status == UBI_OK)
        *nodes = found;
    else
        ubi__free_array(a, found, wanted, sizeof *found);
    return status;
}

/* ---- text: head -------------------------------------------------------------------------------------------------- */

static bool is_everything(const job *j) {
    return !j->choice.only;
}

static void asked_write(const job *j, const char *what, const char *value) {
    if (!value)
        return;
    ubi__write_ink(&j->cli->page, UBI__INK_BOLD);
    ubi__out_string(j->cli->page.out, what);
    ubi__display_text(j->cli->page.out, &j->cli->page.style, ubi__text(value),
                      j->cli->page.style.columns - strlen(what));
    ubi__write_ink(&j->cli->page, UBI__INK_PLAIN);
    ubi__out_char(j->cli->page.out, '\n');
}

/* What was asked for, a line each. */
static void choice_write(const job *j) {
    const ubi__summary_choice *c = &j->choice;
    asked_write(j, "", c->filter ? c->filter->title : NULL);
    if (c->context_filter && c->context_id == 0)
        asked_write(j, "", c->context_filter->title);
    else
        asked_write(j, "Objects of native context ", c->arguments->context);
    asked_write(j, "Allocated after ", c->arguments->since);
    asked_write(j, "Allocated before ", c->arguments->until);
    asked_write(j, "Where ", c->arguments->where);
}

static void head_write(const job *j) {
    char a[UBI__HUMAN_TEXT], b[UBI__HUMAN_TEXT], c[UBI__HUMAN_TEXT];
    const ubi_summary *s = j->summary;
    uint32_t n_classes = ubi_summary_row_count(s);
    choice_write(j);
    if (n_classes == 0) {
        ubi__out_string(j->cli->page.out, is_everything(j) ? "Nothing has a size.\n" : "There are none.\n");
        return;
    }
    ubi__out_printf(j->cli->page.out, "%s in %s of %s class%s", ubi__human_size(a, ubi_summary_size_bytes(s)),
                    ubi__human_things(b, ubi_summary_node_count(s), "node"), ubi__human_count(c, n_classes),
                    n_classes == 1 ? "" : "es");
    if (j->total_bytes != ubi_summary_size_bytes(s))
        ubi__out_printf(j->cli->page.out, ", %s of %s",
                        ubi__human_percent(a, ubi_summary_size_bytes(s), j->total_bytes),
                        ubi__human_size(b, j->total_bytes));
    ubi__out_char(j->cli->page.out, '\n');
}

/* ---- text: rows -------------------------------------------------------------------------------------------------- */

enum { RETAINED, SHARE, BAR, SELF, SELF_SHARE, COUNT, DISTANCE, COLUMNS };

static const ubi__text_column class_columns[COLUMNS] = {
    [RETAINED] = { "Retained", .width = 10 },
    [SHARE] = { NULL, .width = 7 },
    [BAR] = { NULL, .width = 10, .gap = 2, .from_columns = 100 },
    [SELF] = { "Self", .width = 10 },
    [SELF_SHARE] = { NULL, .width = 7, .from_columns = 120 },
    [COUNT] = { "Count", .width = 10 },
    [DISTANCE] = { "Distance", .width = 9 },
};

static ubi__cell distance_cell(char digits[UBI__HUMAN_TEXT], uint32_t distance) {
    return ubi__cell_words(distance == UBI_NONE                   ? "-"
                           : distance >= UBI_LOOK_SYSTEM_DISTANCE ? "system"
                                                                  : ubi__human_count(digits, distance));
}

/* "12,40,7" in the file is the script's number, line and column from 0; people count from 1. */
static void place_words(char *out, size_t n, const job *j, const ubi_summary_row *row, ubi_text place) {
    const ubi_graph *g = j->snapshot->graph;
    unsigned script, line, column;
    char copy[64];
    *out = 0;
    if (place.len == 0 || place.len >= sizeof copy)
        return;
    snprintf(copy, sizeof copy, "%.*s", (int)place.len, place.ptr);
    if (sscanf(copy, "%u,%u,%u", &script, &line, &column) != 3)
        return;
    ubi_text file = ubi_graph_string(g, ubi_graph_kind(g, ubi_graph_node_kind(g, row->first))->script_filename);
    if (file.len)
        snprintf(out, n, "%.*s:%u:%u", (int)(file.len < 200 ? file.len : 200), file.ptr, line + 1, column + 1);
    else
        snprintf(out, n, "script %u:%u:%u", script, line + 1, column + 1);
}

static void class_name_write(const job *j, const ubi_summary_row *row, size_t room) {
    char place[300];
    ubi_look_class class;
    ubi_look_class_get(j->snapshot->look, row->class_ix, &class);
    place_words(place, sizeof place, j, row, class.place);
    size_t used = ubi__display_text(j->cli->page.out, &j->cli->page.style, class.name, room);
    if (*place && room - used > LEAST_PLACE_COLUMNS) {
        ubi__out_string(j->cli->page.out, "  ");
        ubi__write_ink(&j->cli->page, UBI__INK_DIM);
        ubi__display_text_end(j->cli->page.out, &j->cli->page.style, ubi__text(place), room - used - 2);
        ubi__write_ink(&j->cli->page, UBI__INK_PLAIN);
    }
    ubi__out_char(j->cli->page.out, '\n');
}

static void class_write(const job *j, const ubi__text_table *table, const ubi_summary_row *row) {
    char digits[UBI__HUMAN_TEXT];
    const ubi__cell cells[COLUMNS] = {
        [RETAINED] = ubi__cell_size(row->retained_bytes),
        [SHARE] = ubi__cell_share(row->retained_bytes, j->total_bytes),
        [BAR] = ubi__cell_bar(UBI__INK_CYAN, row->retained_bytes, j->total_bytes),
        [SELF] = ubi__cell_size(row->size_bytes),
        [SELF_SHARE] = ubi__cell_share(row->size_bytes, j->total_bytes),
        [COUNT] = ubi__cell_count(row->count),
        [DISTANCE] = distance_cell(digits, row->distance),
    };
    class_name_write(j, row, ubi__text_table_row(table, cells));
}

enum { NODE_RETAINED, NODE_SHARE, NODE_SELF, NODE_DISTANCE, NODE_ID, NODE_COLUMNS };

static const ubi__text_column node_columns[NODE_COLUMNS] = {
    [NODE_RETAINED] = { "Retained", .width = 10 },
    [NODE_SHARE] = { NULL, .width = 7 },
    [NODE_SELF] = { "Self", .width = 10 },
    [NODE_DISTANCE] = { "Distance", .width = 9 },
    [NODE_ID] = { "Id", .width = 12 },
};

static void node_write(const job *j, const ubi__text_table *table, ubi_node_ix node) {
    char digits[UBI__HUMAN_TEXT];
    ubi_look_name_buffer buffer;
    uint64_t retained_bytes = ubi_dominators_retained_bytes(ubi_summary_dominators(j->summary), node);
    const ubi__cell cells[NODE_COLUMNS] = {
        [NODE_RETAINED] = ubi__cell_size(retained_bytes),
        [NODE_SHARE] = ubi__cell_share(retained_bytes, j->total_bytes),
        [NODE_SELF] = ubi__cell_size(ubi_look_size_bytes(j->snapshot->look, node)),
        [NODE_DISTANCE] = distance_cell(digits, ubi_summary_distances(j->summary)[node]),
        [NODE_ID] = ubi__cell_id(ubi_graph_node_id(j->snapshot->graph, node)),
    };
    ubi__text_table_line(table, cells, ubi_look_display_name(j->snapshot->look, node, &buffer));
}

static ubi_status nodes_write(const job *j, const ubi_summary_row *row) {
    ubi_node_ix *nodes;
    ubi__text_table table;
    uint32_t n;
    UBI_TRY(members_find(&nodes, &n, j, row));
    ubi__page_table(&table, &j->cli->page, "Node", node_columns, NODE_COLUMNS);
    ubi__out_char(table.out, '\n');
    ubi__text_table_head(&table);
    for (uint32_t i = 0; i < n && !table.out->has_failed; i++)
        node_write(j, &table, nodes[i]);
    ubi__write_more(&j->cli->page, row->count - n, "--limit 0 shows all");
    ubi__free_array(ubi_allocator_default(), nodes, n, sizeof *nodes);
    return UBI_OK;
}

/* With --class, each of its name has a table of its own. */
static ubi_status page_write(const job *j) {
    ubi__text_table table;
    head_write(j);
    if (j->n == 0)
        return UBI_OK;
    ubi__page_table(&table, &j->cli->page, "Class", class_columns, COLUMNS);
    for (uint32_t i = 0; i < j->n && !table.out->has_failed; i++) {
        const ubi_summary_row *row = ubi_summary_row_at(j->summary, j->order[i]);
        if (i == 0 || j->arguments->class_name) {
            ubi__out_char(table.out, '\n');
            ubi__text_table_head(&table);
        }
        class_write(j, &table, row);
        if (j->arguments->class_name)
            UBI_TRY(nodes_write(j, row));
    }
    ubi__write_more(&j->cli->page, j->n_found - j->n, "--limit 0 shows all");
    return UBI_OK;
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

/* What DevTools show for a class with nodes that nothing reaches. */
#define UNREACHED_DISTANCE (-5)

static void distance_put(ubi__json *j, uint32_t distance, bool all_reached) {
    ubi__json_key(j, "distance");
    if (!all_reached)
        ubi__json_i64(j, UNREACHED_DISTANCE);
    else
        ubi__json_u64(j, distance);
}

static void node_put(ubi__json *j, const job *q, ubi_node_ix node) {
    ubi_look_name_buffer buffer;
    uint32_t distance = ubi_summary_distances(q->summary)[node];
    ubi__json_object_begin(j);
    ubi__json_member_node_id(j, "id", ubi_graph_node_id(q->snapshot->graph, node));
    ubi__json_member_text(j, "name", ubi_look_display_name(q->snapshot->look, node, &buffer));
    distance_put(j, distance, distance != UBI_NONE);
    ubi__json_member_u64(j, "selfSize", ubi_look_size_bytes(q->snapshot->look, node));
    ubi__json_member_u64(j, "retainedSize", ubi_dominators_retained_bytes(ubi_summary_dominators(q->summary), node));
    ubi__json_object_end(j);
}

static ubi_status members_put(ubi__json *j, const job *q, const ubi_summary_row *row) {
    ubi_node_ix *nodes;
    uint32_t n;
    UBI_TRY(members_find(&nodes, &n, q, row));
    ubi__json_member_array(j, "nodes");
    for (uint32_t i = 0; i < n && !j->has_failed; i++)
        node_put(j, q, nodes[i]);
    ubi__json_array_end(j);
    ubi__free_array(ubi_allocator_default(), nodes, n, sizeof *nodes);
    return UBI_OK;
}

static ubi_status class_put(ubi__json *j, const job *q, const ubi_summary_row *row) {
    ubi_look_class class;
    ubi_look_class_get(q->snapshot->look, row->class_ix, &class);
    ubi__json_object_begin(j);
    ubi__json_member_text(j, "name", class.name);
    ubi__json_member_text(j, "place", class.place);
    ubi__json_member_u64(j, "count", row->count);
    distance_put(j, row->distance, row->n_unreached == 0);
    ubi__json_member_u64(j, "unreachedCount", row->n_unreached);
    ubi__json_member_u64(j, "selfSize", row->size_bytes);
    ubi__json_member_u64(j, "retainedSize", row->retained_bytes);
    ubi__json_member_node_id(j, "exampleId", ubi_graph_node_id(q->snapshot->graph, row->first));
    ubi_status status = q->arguments->class_name ? members_put(j, q, row) : UBI_OK;
    ubi__json_object_end(j);
    return status;
}

static void facts_put(ubi__json *j, const job *q) {
    const ubi__summary_choice_arguments *a = q->choice.arguments;
    ubi__json_member_string(j, "lens", ubi_lens_name(ubi_look_lens(q->snapshot->look)));
    ubi__json_member_text(j, "filter", (ubi_text){ a->filter, a->filter ? strlen(a->filter) : 0 });
    ubi__json_member_text(j, "context", (ubi_text){ a->context, a->context ? strlen(a->context) : 0 });
    ubi__json_member_text(j, "since", (ubi_text){ a->since, a->since ? strlen(a->since) : 0 });
    ubi__json_member_text(j, "until", (ubi_text){ a->until, a->until ? strlen(a->until) : 0 });
    ubi__json_member_text(j, "where", (ubi_text){ a->where, a->where ? strlen(a->where) : 0 });
    ubi__json_member_u64(j, "totalSize", q->total_bytes);
    ubi__json_member_u64(j, "nodeCount", ubi_summary_node_count(q->summary));
    ubi__json_member_u64(j, "selfSize", ubi_summary_size_bytes(q->summary));
    ubi__json_member_u64(j, "classCount", ubi_summary_row_count(q->summary));
}

static ubi_status document_write(const job *q) {
    ubi__json j;
    ubi_status status = UBI_OK;
    ubi__document_begin(&j, q->cli, "ubiheap.summary/1", q->snapshot->path);
    facts_put(&j, q);
    ubi__json_member_array(&j, "classes");
    for (uint32_t i = 0; status == UBI_OK && i < q->n && !j.has_failed; i++)
        status = class_put(&j, q, ubi_summary_row_at(q->summary, q->order[i]));
    ubi__json_array_end(&j);
    ubi__document_end(&j);
    return status;
}

/* ---- showing ----------------------------------------------------------------------------------------------------- */

static ubi_status summary_compute(job *j) {
    ubi_summary_options options = UBI_SUMMARY_OPTIONS_INIT;
    uint64_t limit = j->arguments->limit;
    UBI_TRY(ubi__summary_choice_make(&j->choice, j->cli, j->snapshot));
    options.progress = ubi__progress_line_callbacks(&j->cli->progress);
    options.threads = ubi__cli_threads(j->cli);
    options.only = j->choice.only;
    UBI_TRY(ubi_summary_new(&j->summary, j->snapshot->look, NULL, &options));
    const ubi_dominators *d = ubi_summary_dominators(j->summary);
    j->total_bytes =
        ubi_dominators_retained_bytes(d, ubi_dominators_root(d)) + ubi_look_outside_bytes(j->snapshot->look);
    j->max_members = limit && limit < UBI_NONE ? (uint32_t)limit : UBI_NONE;
    return UBI_OK;
}

static ubi_status classes_sort(job *j) {
    j->n_found = ubi_summary_row_count(j->summary);
    j->order = ubi__alloc_array(ubi_allocator_default(), j->n_found + (size_t)1, sizeof *j->order);
    if (!j->order)
        return ubi__fail_nomem();
    UBI_TRY(ubi_summary_sorted(j->order, j->summary, sort_key(j->arguments->sort)));
    if (j->arguments->class_name)
        UBI_TRY(class_keep(j));
    j->n = !j->arguments->class_name && j->max_members < j->n_found ? j->max_members : j->n_found;
    return UBI_OK;
}

static ubi_status summary_show(job *j, int *exit_code) {
    UBI_TRY(summary_compute(j));
    UBI_TRY(classes_sort(j));
    ubi__progress_line_clear(&j->cli->progress);
    UBI_TRY(j->cli->common.wants_json ? document_write(j) : page_write(j));
    ubi__condition_facts facts = { .graph = j->snapshot->graph,
                                   .look = j->snapshot->look,
                                   .dominators = ubi_summary_dominators(j->summary),
                                   .n_matches = ubi_summary_node_count(j->summary) };
    return ubi__condition_check(exit_code, j->cli, j->condition, &facts);
}

/* ---- command ----------------------------------------------------------------------------------------------------- */

static ubi_status summary_open(job *j, const char *path, int *exit_code) {
    ubi__snapshot snapshot;
    UBI_TRY(ubi__snapshot_open(&snapshot, j->cli, path));
    j->snapshot = &snapshot;
    ubi_status status = summary_show(j, exit_code);
    if (j->order)
        ubi__free_array(ubi_allocator_default(), j->order, ubi_summary_row_count(j->summary) + (size_t)1,
                        sizeof *j->order);
    ubi_summary_free(j->summary);
    ubi__snapshot_close(&snapshot);
    return status;
}

static ubi_status summary_run(ubi__cli *cli, void *values, char **operands, int n_operands, int *exit_code) {
    summary_arguments *arguments = values;
    arguments->sort = arguments->sort ? arguments->sort : "retained";
    job j = { .cli = cli, .arguments = arguments };
    (void)n_operands;
    ubi_status status = ubi__summary_choice_parse(&j.choice, &arguments->choice, operands[0]);
    if (status == UBI_OK)
        status = ubi__condition_parse(&j.condition, arguments->fail_on, UBI__CONDITION_SELECTION);
    if (status == UBI_OK)
        status = summary_open(&j, operands[0], exit_code);
    ubi__condition_free(j.condition);
    ubi__summary_choice_fini(&j.choice);
    return status;
}

static const ubi__parameter parameters[] = {
    UBI__TEXT("filter", 0, AT(choice.filter), "NAME", "only what passes one of the filters below, such as detached-dom",
              NULL),
    UBI__ALIAS_LETTER('f'),
    UBI__TEXT("where", 'w', AT(choice.where), "EXPR",
              "only nodes for which this holds; the names are the columns of nodes", NULL),
    UBI__TEXT("since", 0, AT(choice.since), "OLDER",
              "only what was allocated after the snapshot OLDER was taken, in the same process", NULL),
    UBI__TEXT("until", 0, AT(choice.until), "OLDER", "only what was allocated before the snapshot OLDER was taken",
              NULL),
    UBI__TEXT("context", 0, AT(choice.context), "ID",
              "only what belongs to this native context, is shared between several, or belongs to none", NULL),
    UBI__TEXT("class", 0, AT(class_name), "NAME",
              "only classes of this name, with their nodes, those first that retain most", NULL),
    UBI__ALIAS_LETTER('c'),
    UBI__CHOICE("sort", 's', AT(sort), "ORDER", sort_choices, "what comes first", "retained"),
    UBI__LIMIT(AT(limit), "print the first N classes, or with --class the first N nodes of each; 0: all", "20"),
    UBI__FAIL_ON(AT(fail_on)),
    UBI__PARAMETERS_END,
};

static const ubi__example examples[] = {
    { "summary app.heapsnapshot", "the classes that keep most alive" },
    { "summary --filter detached-dom app.heapsnapshot", "what only detached DOM nodes keep" },
    { "summary --class Session app.heapsnapshot", "the sessions, the heaviest first" },
    { "summary --since before.heapsnapshot after.heapsnapshot", "what is new in the second and still there" },
    { NULL, NULL },
};

static const ubi__usage usage = {
    .name = "summary",
    .operands = "FILE",
    .summary = "list the classes of a heap with what they keep alive",
    .question = "Which classes keep the most memory alive?",
    .description =
        "Prints a row per class, as the Summary view of Chrome's DevTools: what the class retains, its own "
        "(shallow) size, the number of its objects, the least distance from the root, and its name with the place "
        "of the constructor if the file has it. The largest retained size comes first.\n"
        "\n"
        "Of objects that hold others of their class, only the outermost counts for what the class retains. "
        "Percentages are shares of the whole heap. Retained sizes add up to more than 100 %, because classes "
        "retain each other's objects. Nodes without a size are left out. Distance 'system': only the engine's own "
        "roots lead there; '-': nothing does.\n"
        "\n"
        "--filter, --where, --since, --until and --context may be combined; all must hold. --since and --until go "
        "by V8's ids, which grow with time, but not for nodes outside of the JavaScript heap.\n"
        "\n"
        "Firefox's snapshots: classes are those of the census. What the root does not reach is left out.",
    .parameters = parameters,
    .glossary = &ubi__summary_filters_glossary,
    .examples = examples,
    .min_operands = 1,
    .max_operands = 1,
    .arguments_bytes = sizeof(summary_arguments),
};

const ubi__command ubi__command_summary = {
    .usage = &usage,
    .run = summary_run,
};
