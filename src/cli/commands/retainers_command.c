/* SPDX-License-Identifier: MIT
 *
 * retainers_command.c: `ubiheap retainers`, who refers to a node.
 *
 *     LeakedThing  79447
 *     48 B, retains 184 B, distance 6
 *     global.keepCacheAlive → add() (variable registry) → Map (entry) → LeakedThing
 *
 *     Distance   Own size   Retained  Retainer
 *            5    ...                 {374} in (array)  82433
 *            4    ...                   {table} in Map  78369
 *
 * A row's retainers come below it, further in. Page and document walk the same tree: rows of one parent are neighbours.
 */
#include <ubiheap/views/retaining.h>

#include "base/alloc.h"
#include "base/human.h"
#include "base/text.h"
#include "cli/cli_files.h"
#include "cli/options.h"
#include "cli/page.h"
#include "lenses/lens.h"
#include "render/heap_labels.h"
#include "render/path_words.h"
#include "render/result_json.h"
#include "render/text_tree.h"

typedef struct retainers_arguments {
    const char *ignore;
    uint64_t depth, limit;
    bool with_all;
} retainers_arguments;

#define AT(field) offsetof(retainers_arguments, field)

typedef struct job {
    ubi__cli *cli;
    const retainers_arguments *arguments;
    uint64_t node_id;
    ubi__vec_u64 ignored_ids; /* owned */
    ubi__vec_u32 ignored;     /* owned: their nodes */
    const ubi__snapshot *snapshot;
    ubi_node_ix node;
    ubi_dominators *dominators; /* owned, as are those below */
    ubi_retaining *retaining;
    ubi_retaining_tree *tree;
    uint32_t *distances;
    const ubi_retaining_row *at; /* at[n]: rows of the tree */
    uint32_t n;
    ubi__object_rows rows;
    ubi__text_tree walk;
    ubi__json json;
} job;

/* ---- arguments --------------------------------------------------------------------------------------------------- */

#define LONGEST_ID 32

static ubi_status ignored_parse(job *j) {
    const char *list = j->arguments->ignore;
    while (list && *list) {
        char text[LONGEST_ID + 1] = "";
        size_t n = strcspn(list, ",");
        uint64_t id;
        memcpy(text, list, n < LONGEST_ID ? n : LONGEST_ID);
        UBI_TRY(ubi__node_id_parse(&id, text, "--ignore"));
        UBI_TRY(ubi__vec_u64_push(&j->ignored_ids, ubi_allocator_default(), id));
        list += n + (list[n] == ',');
    }
    return UBI_OK;
}

static ubi_status nodes_find(job *j) {
    UBI_TRY(ubi__node_id_find(&j->node, j->snapshot->graph, j->node_id));
    for (size_t i = 0; i < j->ignored_ids.n; i++) {
        ubi_node_ix node;
        UBI_TRY(ubi__node_id_find(&node, j->snapshot->graph, j->ignored_ids.at[i]));
        UBI_TRY(ubi__vec_u32_push(&j->ignored, ubi_allocator_default(), node));
    }
    return UBI_OK;
}

/* ---- the answer -------------------------------------------------------------------------------------------------- */

static uint32_t limit_of(uint64_t number, uint32_t all) {
    return number == 0 || number > all ? all : (uint32_t)number;
}

/* Rows at most, so that --all ends. */
#define MOST_ROWS 5000
#define MOST_DEPTH 1000
#define WORD_STEPS 1000
#define WORD_LINES 3
#define DOMINATORS_SHOWN 20

static ubi_retaining_tree_options tree_options(const job *j) {
    ubi_retaining_tree_options options = UBI_RETAINING_TREE_OPTIONS_INIT;
    options.max_depth = limit_of(j->arguments->depth, MOST_DEPTH);
    options.max_siblings = limit_of(j->arguments->limit, MOST_ROWS);
    options.max_nodes = MOST_ROWS;
    options.with_first_only = !j->arguments->with_all;
    options.end_distance = ubi_look_lens(j->snapshot->look)->end_distance;
    return options;
}

static ubi_status retainers_compute(job *j) {
    ubi_retaining_options options = UBI_RETAINING_OPTIONS_INIT;
    ubi_retaining_tree_options rows = tree_options(j);
    options.progress = ubi__progress_line_callbacks(&j->cli->progress);
    options.threads = ubi__cli_threads(j->cli);
    UBI_TRY(nodes_find(j));
    UBI_TRY(ubi__snapshot_dominators(&j->dominators, j->cli, j->snapshot));
    UBI_TRY(ubi_retaining_new(&j->retaining, j->snapshot->look, &options));
    UBI_TRY(ubi_retaining_ignore(j->retaining, j->ignored.at, (uint32_t)j->ignored.n));
    UBI_TRY(ubi_retaining_tree_new(&j->tree, j->retaining, j->node, &rows));
    j->at = ubi_retaining_tree_rows(j->tree, &j->n);
    UBI_TRY(ubi__snapshot_distances(&j->distances, j->snapshot));
    ubi__object_rows_init(&j->rows, j->cli, j->snapshot->look, j->dominators, j->distances, "Retainer");
    return UBI_OK;
}

/* A distance as rows show it: UBI_NONE where nothing is within reach. */
static uint32_t row_distance(const ubi_retaining_row *row) {
    uint64_t distance = row->retainer.distance;
    return distance >= UBI_RETAINING_UNREACHABLE ? UBI_NONE : (uint32_t)distance;
}

/* The rows from `first` on, and how many retainers of `node` have none. */
static ubi_status level_open(job *j, ubi_node_ix node, uint32_t first, uint32_t n) {
    return ubi__text_tree_open(&j->walk,
                               (ubi__text_tree_level){ .first = first,
                                                       .n_shown = n,
                                                       .n_hidden = ubi_retaining_count(j->retaining, node) - n,
                                                       .is_indented = j->walk.levels.n > 0 });
}

/* ---- text: the head ---------------------------------------------------------------------------------------------- */

static void ink(const job *j, ubi__ink color) {
    ubi__write_ink(j->cli, color);
}

static void facts_write(const job *j) {
    char own[UBI__HUMAN_TEXT], retained[UBI__HUMAN_TEXT], digits[24];
    ubi_node_ix node = j->node;
    uint32_t distance = j->distances[node];
    ink(j, UBI__INK_BOLD);
    ubi__object_rows_name(&j->rows, node, ubi__text_table_room(&j->rows.table, 0));
    ubi__out_printf(j->rows.table.out, "\n%s, retains %s, ",
                    ubi__human_size(own, ubi_look_size_bytes(j->snapshot->look, node)),
                    ubi__human_size(retained, ubi_dominators_retained_bytes(j->dominators, node)));
    if (node == ubi_graph_root(j->snapshot->graph))
        ubi__out_string(j->rows.table.out, "the root itself");
    else if (distance == UBI_NONE)
        ubi__out_string(j->rows.table.out, "out of reach of the roots");
    else if (distance >= UBI_LOOK_SYSTEM_DISTANCE)
        ubi__out_string(j->rows.table.out, "reached from the engine's own roots only");
    else
        ubi__out_printf(j->rows.table.out, "distance %s", ubi__distance_text(digits, distance, false));
    ubi__out_char(j->rows.table.out, '\n');
}

/* The shortest way in words, from where distances begin down to the node. */
static ubi_status path_write(const job *j) {
    const ubi_allocator *a = ubi_allocator_default();
    ubi_retainer *up = ubi__alloc_array(a, WORD_STEPS, sizeof *up);
    ubi_path_step *steps = ubi__alloc_array(a, WORD_STEPS, sizeof *steps);
    bool ready = up && steps;
    uint32_t n = ready ? ubi_retaining_shortest(up, j->retaining, j->node, WORD_STEPS) : 0;
    for (uint32_t i = 0; i < n; i++)
        steps[i] = (ubi_path_step){ up[n - 1 - i].node, up[n - 1 - i].edge };
    ubi__path_view path = { j->snapshot->graph, steps, n, j->node, j->snapshot->look };
    if (n)
        ubi__display_path_wrapped(j->rows.table.out, j->rows.table.style, &path,
                                  ubi__text_table_room(&j->rows.table, 0), WORD_LINES, 4);
    ubi__free_array(a, up, WORD_STEPS, sizeof *up);
    ubi__free_array(a, steps, WORD_STEPS, sizeof *steps);
    return ready ? UBI_OK : ubi__fail_nomem();
}

static void ignored_write(const job *j) {
    if (j->ignored.n == 0)
        return;
    for (size_t i = 0; i < j->ignored.n; i++) {
        ubi__out_string(j->rows.table.out, i ? "         " : "Ignored: ");
        ubi__object_rows_name(&j->rows, j->ignored.at[i], ubi__text_table_room(&j->rows.table, 9));
        ubi__out_char(j->rows.table.out, '\n');
    }
    if (j->distances[j->node] != UBI_NONE && ubi_retaining_distance(j->retaining, j->node) >= UBI_RETAINING_UNREACHABLE)
        ubi__out_printf(j->rows.table.out, "Without %s, nothing would keep it alive.\n",
                        j->ignored.n > 1 ? "these" : "this");
    else
        ubi__out_printf(j->rows.table.out, "Also without %s, it would be kept alive.\n",
                        j->ignored.n > 1 ? "these" : "this");
}

/* ---- text: rows -------------------------------------------------------------------------------------------------- */

/* It holds itself, or something further down on the way up to it. */
static const char *circle_words(const job *j, const ubi_retaining_row *row) {
    ubi_node_ix below = row->parent == UBI_NONE ? j->node : j->at[row->parent].retainer.node;
    return row->retainer.node == below ? "  (itself)" : "  (a circle)";
}

static ubi_status row_write(void *payload, ubi__text_tree *walk, const ubi__text_tree_level *level, size_t i) {
    job *j = payload;
    const ubi_retaining_row *row = &j->at[level->first + i];
    const ubi_retainer *retainer = &row->retainer;
    ubi__out *out = j->rows.table.out;
    ubi__object_rows_numbers(&j->rows, retainer->node, row_distance(row));
    size_t room = ubi__text_table_room(&j->rows.table, j->rows.table.used + ubi__text_tree_prefix(walk));
    ink(j, UBI__INK_CYAN);
    size_t used = ubi__display_edge_label(out, &j->cli->style, j->snapshot->graph, retainer->edge, room / 2);
    ink(j, UBI__INK_DIM);
    ubi__out_string(out, " in ");
    ink(j, UBI__INK_PLAIN);
    const char *note = retainer->is_ignored ? "  (ignored)" : row->is_circular ? circle_words(j, row) : "";
    ubi__object_rows_name(&j->rows, retainer->node, room - used - strlen(" in ") - strlen(note));
    ubi__out_printf(out, "%s\n", note);
    return row->is_open ? level_open(j, retainer->node, row->first_child, row->n_children) : UBI_OK;
}

static ubi_status rows_write(job *j) {
    static const ubi__text_tree_ops ops = { .row = row_write };
    j->walk = (ubi__text_tree){ .table = &j->rows.table, .ops = &ops, .payload = j };
    ubi__out_char(j->rows.table.out, '\n');
    if (j->n == 0) {
        ubi__out_string(j->rows.table.out, "Nothing refers to it.\n");
        return UBI_OK;
    }
    ubi__text_table_head(&j->rows.table);
    UBI_TRY(level_open(j, j->node, 0, ubi_retaining_tree_first_level(j->tree)));
    return ubi__text_tree_walk(&j->walk, j->rows.table.out);
}

/* ---- text: what the limits and the dominators say ---------------------------------------------------------------- */

static void limits_write(const job *j) {
    ubi_retaining_limits limits = ubi_retaining_tree_limits(j->tree);
    const char *const names[] = { limits.has_more_levels ? "--depth" : NULL,
                                  limits.has_more_siblings ? "--limit" : NULL,
                                  limits.has_more_nodes ? "the most rows that are shown" : NULL };
    const char *before = "\nMore was left out by ";
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i]) {
            ubi__out_printf(j->rows.table.out, "%s%s", before, names[i]);
            before = " and ";
        }
    if (limits.has_more_levels || limits.has_more_siblings || limits.has_more_nodes)
        ubi__out_string(j->rows.table.out, ".\n");
}

static void dominators_write(const job *j) {
    ubi_node_ix chain[DOMINATORS_SHOWN];
    ubi__out *out = j->rows.table.out;
    uint32_t n = ubi_retaining_dominators(chain, DOMINATORS_SHOWN, j->dominators, j->node);
    if (n < 2)
        return;
    ink(j, UBI__INK_BOLD);
    ubi__out_string(out, "\nDominators");
    ink(j, UBI__INK_PLAIN);
    ubi__out_string(out, ": it lives only as long as every one of these does\n");
    for (uint32_t i = 1; i < n && i < DOMINATORS_SHOWN; i++)
        ubi__object_rows_line(&j->rows, chain[i]);
    if (n > DOMINATORS_SHOWN) {
        ubi__text_table_row(&j->rows.table, NULL);
        ubi__text_table_rest(&j->rows.table, n - DOMINATORS_SHOWN);
    }
}

static ubi_status page_write(job *j) {
    facts_write(j);
    UBI_TRY(path_write(j));
    ignored_write(j);
    UBI_TRY(rows_write(j));
    limits_write(j);
    dominators_write(j);
    return UBI_OK;
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

static void list_begin(job *j, ubi_node_ix node) {
    ubi__json_member_u64(&j->json, "retainerCount", ubi_retaining_count(j->retaining, node));
    ubi__json_member_array(&j->json, "retainers");
}

static ubi_status object_write(void *payload, ubi__text_tree *walk, const ubi__text_tree_level *level, size_t i) {
    job *j = payload;
    const ubi_retaining_row *row = &j->at[level->first + i];
    char digits[UBI_EDGE_LABEL_BYTES];
    (void)walk;
    ubi__json_object_begin(&j->json);
    ubi__json_member_text(&j->json, "edge", ubi_graph_edge_label(j->snapshot->graph, row->retainer.edge, digits));
    ubi__render_edge_kind(&j->json, j->snapshot->graph, row->retainer.edge);
    ubi__object_json(&j->json, &j->rows, row->retainer.node, row_distance(row));
    if (row->retainer.is_ignored)
        ubi__json_member_bool(&j->json, "ignored", true);
    if (row->is_circular)
        ubi__json_member_bool(&j->json, "circular", true);
    if (row->is_open) {
        list_begin(j, row->retainer.node);
        return level_open(j, row->retainer.node, row->first_child, row->n_children);
    }
    ubi__json_object_end(&j->json);
    return UBI_OK;
}

static void list_end(void *payload, const ubi__text_tree_level *level) {
    job *j = payload;
    (void)level;
    ubi__json_array_end(&j->json);
    if (j->walk.levels.n > 1) /* of a row, not of the document */
        ubi__json_object_end(&j->json);
}

static void limits_put(job *j) {
    ubi_retaining_limits limits = ubi_retaining_tree_limits(j->tree);
    ubi__json_member_object(&j->json, "limitsReached");
    ubi__json_member_bool(&j->json, "depth", limits.has_more_levels);
    ubi__json_member_bool(&j->json, "siblings", limits.has_more_siblings);
    ubi__json_member_bool(&j->json, "nodes", limits.has_more_nodes);
    ubi__json_object_end(&j->json);
}

static void ignored_put(job *j) {
    ubi__json_member_array(&j->json, "ignored");
    for (size_t i = 0; i < j->ignored.n; i++)
        ubi__json_node_id(&j->json, ubi_graph_node_id(j->snapshot->graph, j->ignored.at[i]));
    ubi__json_array_end(&j->json);
    ubi__json_member_bool(&j->json, "keptAlive",
                          ubi_retaining_distance(j->retaining, j->node) < UBI_RETAINING_UNREACHABLE);
}

static void dominators_put(job *j) {
    ubi_node_ix node = j->node;
    ubi__json_member_array(&j->json, "dominators");
    while ((node = ubi_dominators_immediate(j->dominators, node)) != UBI_NONE && !j->json.has_failed) {
        ubi__json_object_begin(&j->json);
        ubi__object_json(&j->json, &j->rows, node, j->distances[node]);
        ubi__json_object_end(&j->json);
    }
    ubi__json_array_end(&j->json);
}

static ubi_status document_write(job *j) {
    static const ubi__text_tree_ops ops = { .row = object_write, .end = list_end };
    j->walk = (ubi__text_tree){ .ops = &ops, .payload = j };
    ubi__document_begin(&j->json, j->cli, "ubiheap.retainers/1", j->snapshot->path);
    ubi__object_json(&j->json, &j->rows, j->node, j->distances[j->node]);
    ignored_put(j);
    list_begin(j, j->node);
    UBI_TRY(level_open(j, j->node, 0, ubi_retaining_tree_first_level(j->tree)));
    UBI_TRY(ubi__text_tree_walk(&j->walk, j->rows.table.out));
    limits_put(j);
    dominators_put(j);
    ubi__document_end(&j->json);
    return UBI_OK;
}

/* ---- command ----------------------------------------------------------------------------------------------------- */

static ubi_status retainers_show(job *j, const char *path) {
    ubi__snapshot snapshot;
    UBI_TRY(ubi__snapshot_open(&snapshot, j->cli, path));
    j->snapshot = &snapshot;
    ubi_status status = retainers_compute(j);
    ubi__progress_line_clear(&j->cli->progress);
    if (status == UBI_OK)
        status = j->cli->common.wants_json ? document_write(j) : page_write(j);
    ubi__text_tree_fini(&j->walk);
    ubi__snapshot_distances_free(j->distances, &snapshot);
    ubi_retaining_tree_free(j->tree);
    ubi_retaining_free(j->retaining);
    ubi_dominators_free(j->dominators);
    ubi__snapshot_close(&snapshot);
    return status;
}

static ubi_status retainers_run(ubi__cli *cli, void *values, char **operands, int n_operands, int *exit_code) {
    job j = { .cli = cli, .arguments = values };
    (void)n_operands, (void)exit_code;
    ubi_status status = ubi__node_id_parse(&j.node_id, operands[1], "ID");
    if (status == UBI_OK)
        status = ignored_parse(&j);
    if (status == UBI_OK)
        status = retainers_show(&j, operands[0]);
    ubi__vec_u64_fini(&j.ignored_ids, ubi_allocator_default());
    ubi__vec_u32_fini(&j.ignored, ubi_allocator_default());
    return status;
}

static const ubi__option options[] = {
    { "ignore", 0, UBI__OPTION_TEXT, AT(ignore), "ID,...", NULL,
      "as if these nodes were not there: what else keeps it alive?", NULL },
    UBI__ALIAS_LETTER('i'),
    { "all", 'a', UBI__OPTION_FLAG, AT(with_all), NULL, NULL,
      "open every row, not only the first of each level that closes no circle: all ways up", NULL },
    { "depth", 'd', UBI__OPTION_NUMBER, AT(depth), "N", NULL, "levels of retainers; 0: as many as there are", "20" },
    UBI__OPTION_LIMIT(AT(limit), "retainers of one node; 0: all", "10"),
    UBI__OPTION_END,
};

static const ubi__example examples[] = {
    { "retainers app.heapsnapshot 79447", "who refers to this object" },
    { "retainers --ignore 78369 app.heapsnapshot 79447", "and if the cache that should hold it were gone?" },
    { "retainers --all --depth 4 app.heapsnapshot 79447", "every way, four levels up" },
    { "retainers --json app.heapsnapshot 79447 | jq '.retainers[0]'", "the nearest, for a script" },
    { NULL, NULL },
};

const ubi__command ubi__command_retainers = {
    .name = "retainers",
    .operands = "FILE ID",
    .summary = "show who refers to a node, and who refers to those",
    .question = "Who refers to this node, all the way up?",
    .description =
        "Prints the retainers of the node: what refers to it, the nearest to the root first. Below the first of them "
        "are its own retainers, and so on up to the root. This is the Retainers view of Chrome's DevTools. --all opens "
        "every row, and so shows all ways up. A way ends where it comes back to itself: '(itself)' is a reference of "
        "an object to itself, '(a circle)' one from an object that it holds.\n"
        "\n"
        "A row is a reference and the object that has it: .x is a property, [0] an element, ->x a variable that a "
        "function captured, {x} a field of the engine. In V8's snapshots, weak references and those from the root are "
        "left out, distances count from the global object, and a dash stands for what only the engine's own roots "
        "reach.\n"
        "\n"
        "--ignore counts distances as if the given nodes were not there. What only they kept within reach comes last, "
        "with distance 'none'. When that is the node itself, they are all that keeps it alive. A value in a WeakMap "
        "needs both the map and its key.\n"
        "\n"
        "The dominators of the node are listed as well: cut off any of them, and the node is freed.\n"
        "\n"
        "ID is the node's id in the file, in decimal or hexadecimal (0x...). 'ubiheap search', 'nodes' and 'report' "
        "print ids.",
    .options = options,
    .examples = examples,
    .min_operands = 2,
    .max_operands = 2,
    .arguments_bytes = sizeof(retainers_arguments),
    .run = retainers_run,
};
