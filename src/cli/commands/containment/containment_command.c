/* SPDX-License-Identifier: MIT
 *
 * containment_command.c: `ubiheap containment`, what nodes refer to, from the root down.
 *
 * What opens is planned first (containment_plan.h). Then the tree is walked depth first with a list of children per open level,
 * and written as it is walked.
 */
#include "base/human.h"
#include "cli/commands/containment/containment_plan.h"
#include "cli/node_id.h"
#include "cli/object_rows.h"
#include "cli/snapshot.h"
#include "render/edge_label.h"
#include "render/result_json.h"

typedef struct containment_arguments {
    uint64_t depth, limit, rows;
} containment_arguments;

#define AT(field) offsetof(containment_arguments, field)

/* The children of a row that is open. */
typedef struct level {
    ubi__containment_children children; /* owned */
    size_t n_shown, next;
} level;

UBI_VEC_DECLARE(level_stack, level);

typedef struct job {
    ubi__cli *cli;
    const containment_arguments *arguments;
    bool has_id;
    uint64_t node_id;
    const ubi__snapshot *snapshot;
    const ubi_graph *graph;
    ubi_dominators *dominators; /* owned */
    uint32_t *distances;        /* owned */
    ubi__containment_plan plan; /* owned */
    uint64_t *passed;           /* a bit per node: its open row has been written; owned */
    ubi__object_rows rows;
    ubi__json json;
    level_stack levels;
} job;

static size_t passed_words(const job *j) {
    return j->graph->n_nodes / 64 + (size_t)1;
}

static ubi_status open_level(job *j, ubi_node_ix node) {
    level l = { .children = { 0 } };
    j->passed[node >> 6] |= UINT64_C(1) << (node & 63);
    ubi_status status = ubi__containment_list(&l.children, &j->plan, node);
    l.n_shown = ubi__containment_shown(&j->plan, l.children.n);
    if (status == UBI_OK)
        status = level_stack_push(&j->levels, ubi_allocator_default(), l);
    if (status != UBI_OK)
        ubi__containment_children_fini(&l.children, ubi_allocator_default());
    return status;
}

/* Where a row that is not opened has its children; NULL: nowhere. */
static const char *place_of_children(const job *j, ubi_edge_ix edge) {
    ubi_node_ix node = j->graph->target.at[edge];
    if (ubi__containment_opens(&j->plan, edge) || j->plan.opened_by[node] == UBI__CONTAINMENT_CLOSED ||
        j->graph->first_edge.at[node + 1] == j->graph->first_edge.at[node])
        return NULL;
    return j->passed[node >> 6] >> (node & 63) & 1 ? "above" : "below";
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

#define INDENT 2
#define MOST_INDENT 40

static size_t indent_of(const job *j) {
    size_t indent = j->levels.n * INDENT;
    return indent < MOST_INDENT ? indent : MOST_INDENT;
}

#define PLACE_COLUMNS 13 /* "  shown above" */

/* `edge` NULL: the first row. */
static void write_row(const job *j, const ubi_edge_ix *edge, ubi_node_ix node) {
    ubi__out *out = j->rows.out;
    const ubi__style *style = j->rows.style;
    size_t used = UBI__OBJECT_ROW_NUMBERS + indent_of(j);
    ubi__object_rows_numbers(&j->rows, node, j->distances[node]);
    ubi__display_pad(out, UBI__OBJECT_ROW_NUMBERS, used);
    const char *place = edge ? place_of_children(j, *edge) : NULL;
    size_t room = ubi__object_rows_room(&j->rows, used + (place ? PLACE_COLUMNS : 0));
    if (edge) {
        ubi__display_ink(out, style, UBI__INK_CYAN);
        used = ubi__display_edge_label(out, style, j->graph, *edge, room / 2);
        ubi__display_ink(out, style, UBI__INK_PLAIN);
        ubi__out_string(out, ": ");
        room -= used + 2;
    }
    ubi__object_rows_name(&j->rows, node, room);
    if (place) {
        ubi__display_ink(out, style, UBI__INK_DIM);
        ubi__out_printf(out, "  shown %s", place);
        ubi__display_ink(out, style, UBI__INK_PLAIN);
    }
    ubi__out_char(out, '\n');
}

static void write_cut(const job *j) {
    if (!j->plan.is_cut)
        return;
    ubi__display_ink(j->rows.out, j->rows.style, UBI__INK_DIM);
    ubi__out_printf(j->rows.out, "%s deeper rows are left out; --rows 0 shows all\n",
                    ubi__display_ellipsis(j->rows.style));
    ubi__display_ink(j->rows.out, j->rows.style, UBI__INK_PLAIN);
}

static void write_more(const job *j, size_t n) {
    char count[UBI__HUMAN_TEXT];
    ubi__object_rows_gap(&j->rows);
    ubi__display_pad(j->rows.out, 0, indent_of(j));
    ubi__display_ink(j->rows.out, j->rows.style, UBI__INK_DIM);
    ubi__out_printf(j->rows.out, "%s %s more\n", ubi__display_ellipsis(j->rows.style), ubi__human_count(count, n));
    ubi__display_ink(j->rows.out, j->rows.style, UBI__INK_PLAIN);
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

static void put_node(job *j, ubi_node_ix node) {
    ubi__object_json(&j->json, &j->rows, node, j->distances[node]);
    ubi__json_member_u64(&j->json, "edgeCount", j->graph->first_edge.at[node + 1] - j->graph->first_edge.at[node]);
}

static void begin_row(job *j, ubi_edge_ix edge, ubi_node_ix node) {
    char digits[UBI_EDGE_LABEL_BYTES];
    ubi__json_object_begin(&j->json);
    ubi__json_member_text(&j->json, "edge", ubi_graph_edge_label(j->graph, edge, digits));
    ubi__render_edge_kind(&j->json, j->graph, edge);
    put_node(j, node);
    if (place_of_children(j, edge)) {
        ubi__json_member_bool(&j->json, "shownElsewhere", true);
    }
}

static void begin_children(job *j) {
    ubi__json_member_array(&j->json, "children");
}

/* ---- the walk ---------------------------------------------------------------------------------------------------- */

static bool is_json(const job *j) {
    return j->cli->common.json;
}

static ubi_status enter(job *j, ubi_edge_ix edge) {
    ubi_node_ix node = j->graph->target.at[edge];
    if (is_json(j))
        begin_row(j, edge, node);
    else
        write_row(j, &edge, node);
    if (ubi__containment_opens(&j->plan, edge)) {
        if (is_json(j))
            begin_children(j);
        return open_level(j, node);
    }
    if (is_json(j))
        ubi__json_object_end(&j->json);
    return UBI_OK;
}

static void leave(job *j) {
    level *top = &j->levels.at[j->levels.n - 1];
    if (is_json(j)) {
        ubi__json_array_end(&j->json);
        if (j->levels.n > 1) /* the document ends the first one */
            ubi__json_object_end(&j->json);
    } else if (top->n_shown < top->children.n) {
        write_more(j, top->children.n - top->n_shown);
    }
    ubi__containment_children_fini(&top->children, ubi_allocator_default());
    j->levels.n--;
}

static ubi_status walk(job *j) {
    UBI_TRY(open_level(j, j->plan.start));
    while (j->levels.n && !j->cli->output->out.failed) {
        level *top = &j->levels.at[j->levels.n - 1];
        if (top->next == top->n_shown)
            leave(j);
        else
            UBI_TRY(enter(j, top->children.at[top->next++].edge));
    }
    return UBI_OK;
}

static ubi_status write_document(job *j) {
    ubi__document_begin(&j->json, j->cli, "ubiheap.containment/1", j->snapshot->path);
    put_node(j, j->plan.start);
    ubi__json_member_bool(&j->json, "rowsLeftOut", j->plan.is_cut);
    begin_children(j);
    UBI_TRY(walk(j));
    ubi__document_end(&j->json);
    return UBI_OK;
}

static ubi_status write_page(job *j) {
    ubi__object_rows_head(&j->rows, "Name");
    write_row(j, NULL, j->plan.start);
    UBI_TRY(walk(j));
    write_cut(j);
    return UBI_OK;
}

/* ---- command ----------------------------------------------------------------------------------------------------- */

static ubi_status compute(job *j) {
    ubi_dominators_options options = UBI_DOMINATORS_OPTIONS_INIT;
    options.progress = ubi__progress_line_callbacks(&j->cli->progress);
    options.without_sets = true;
    options.threads = j->cli->common.threads < UINT32_MAX ? (unsigned)j->cli->common.threads : 0;
    j->graph = j->snapshot->graph;
    j->plan = (ubi__containment_plan){ .graph = j->graph,
                                       .limits = { j->arguments->depth, j->arguments->limit, j->arguments->rows },
                                       .start = ubi__snapshot_view(j->snapshot)->root };
    if (j->has_id)
        UBI_TRY(ubi__node_id_find(&j->plan.start, j->graph, j->node_id));
    UBI_TRY(ubi_dominators_new(&j->dominators, ubi__snapshot_view(j->snapshot), &options));
    j->plan.dominators = j->dominators;
    j->distances = ubi__alloc_array(ubi_allocator_default(), j->graph->n_nodes, sizeof *j->distances);
    j->passed = ubi__calloc_array(ubi_allocator_default(), passed_words(j), sizeof *j->passed);
    if (!j->distances || !j->passed)
        return ubi__fail_nomem();
    UBI_TRY(ubi_lens_distances(j->distances, j->snapshot->look));
    return ubi__containment_plan_make(&j->plan);
}

static ubi_status show(job *j) {
    UBI_TRY(compute(j));
    ubi__progress_line_clear(&j->cli->progress);
    j->rows =
        (ubi__object_rows){ &j->cli->output->out, &j->cli->style, j->snapshot->look, j->dominators, j->distances };
    return is_json(j) ? write_document(j) : write_page(j);
}

static ubi_status open_and_show(job *j, const char *path) {
    ubi__snapshot snapshot;
    UBI_TRY(ubi__snapshot_open(&snapshot, j->cli, path));
    j->snapshot = &snapshot;
    ubi_status status = show(j);
    for (size_t i = 0; i < j->levels.n; i++)
        ubi__containment_children_fini(&j->levels.at[i].children, ubi_allocator_default());
    level_stack_fini(&j->levels, ubi_allocator_default());
    ubi__containment_plan_free(&j->plan);
    if (j->passed)
        ubi__free_array(ubi_allocator_default(), j->passed, passed_words(j), sizeof *j->passed);
    ubi__free_array(ubi_allocator_default(), j->distances, snapshot.graph->n_nodes, sizeof *j->distances);
    ubi_dominators_free(j->dominators);
    ubi__snapshot_close(&snapshot);
    return status;
}

static ubi_status run(ubi__cli *cli, void *values, char **operands, int n_operands, int *exit_code) {
    job j = { .cli = cli, .arguments = values, .has_id = n_operands > 1 };
    (void)exit_code;
    if (j.has_id)
        UBI_TRY(ubi__node_id_parse(&j.node_id, operands[1], "ID"));
    return open_and_show(&j, operands[0]);
}

static const ubi__option options[] = {
    { "depth", 'd', UBI__OPTION_NUMBER, AT(depth), "N", NULL, "levels below the first row; 0: all", "2" },
    UBI__OPTION_LIMIT(AT(limit), "edges of one node; 0: all", "10"),
    { "rows", 0, UBI__OPTION_NUMBER, AT(rows), "N", NULL, "rows, those nearest to the first one; 0: all", "10000" },
    UBI__OPTION_END,
};

static const ubi__example examples[] = {
    { "containment app.heapsnapshot", "from the root: globals, and the engine's roots" },
    { "containment --depth 1 --limit 0 app.heapsnapshot 6049", "all that one object refers to" },
    { NULL, NULL },
};

const ubi__command ubi__command_containment = {
    .name = "containment",
    .operands = "FILE [ID]",
    .summary = "show what the root or a node refers to, level by level",
    .question = "What does this node refer to, and what does that refer to?",
    .description =
        "Prints what the root, or the node ID, refers to, and what that refers to: the Containment view of "
        "Chrome's DevTools. References are sorted by what their targets retain, the largest first; equal ones stay "
        "in file order.\n"
        "\n"
        "In V8's snapshots .x and [\"a b\"] are properties, [0] is an element, ->x a variable that a function "
        "captured, {x} a field of the engine, [[x]] a weak reference. A dash as distance stands for what only the "
        "engine's own roots reach.\n"
        "\n"
        "Most nodes can be reached in many ways, so this is no tree of who keeps what; that is 'ubiheap "
        "dominators'. A node is opened once, in the place nearest to the first row. Elsewhere a note says whether "
        "that is above or below.",
    .options = options,
    .examples = examples,
    .min_operands = 1,
    .max_operands = 2,
    .arguments_bytes = sizeof(containment_arguments),
    .run = run,
};
