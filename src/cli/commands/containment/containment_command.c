/* SPDX-License-Identifier: MIT
 *
 * containment_command.c: `ubiheap containment`, what nodes refer to, from the root down.
 *
 * The tree is walked depth first with a list of children per open level, so it is written while it is found.
 */
#include "base/alloc.h"
#include "base/human.h"
#include "base/merge_sort.h"
#include "cli/node_id.h"
#include "cli/object_rows.h"
#include "cli/snapshot.h"
#include "graph/graph_columns.h"
#include "render/edge_label.h"
#include "render/result_json.h"

typedef struct containment_arguments {
    uint64_t depth, limit;
} containment_arguments;

#define AT(field) offsetof(containment_arguments, field)

typedef struct child {
    uint64_t rank; /* ascending: what its target retains, the other way round */
    ubi_edge_ix edge;
} child;

UBI_VEC_DECLARE(child_list, child);

/* The children of a row that is open. */
typedef struct level {
    child_list children; /* owned */
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
    ubi_node_ix start;
    ubi_dominators *dominators; /* owned */
    uint32_t *distances;        /* owned */
    ubi__object_rows rows;
    ubi__json json;
    level_stack levels;
} job;

/* ---- levels ------------------------------------------------------------------------------------------------------ */

#define RANK_BEFORE(ctx, a, b) ((a).rank < (b).rank)
UBI_SORT_DEFINE(sort_children, child, void *, RANK_BEFORE);

static ubi_status list_children(child_list *out, const job *j, ubi_node_ix node) {
    const ubi_allocator *a = ubi_allocator_default();
    const ubi_graph *g = j->graph;
    ubi_edge_ix begin = g->first_edge.at[node], end = g->first_edge.at[node + 1];
    UBI_TRY(child_list_reserve(out, a, end - begin));
    for (ubi_edge_ix e = begin; e < end; e++)
        out->at[out->n++] = (child){ ~ubi_dominators_retained_bytes(j->dominators, g->target.at[e]), e };
    if (out->n < 2)
        return UBI_OK;
    child *spare = ubi__alloc_array(a, out->n, sizeof *spare);
    if (!spare)
        return ubi__fail_nomem();
    sort_children(out->at, spare, out->n, NULL);
    ubi__free_array(a, spare, out->n, sizeof *spare);
    return UBI_OK;
}

static bool is_below_limit(const job *j) {
    return j->arguments->depth == 0 || j->levels.n < j->arguments->depth;
}

/* A row that the limit would hide alone is shown: saying so would take as much room. */
static size_t shown_of(const job *j, size_t n) {
    uint64_t limit = j->arguments->limit;
    return limit && n > limit + 1 ? (size_t)limit : n;
}

static ubi_status open_level(job *j, ubi_node_ix node) {
    level l = { .children = { 0 } };
    ubi_status status = list_children(&l.children, j, node);
    l.n_shown = shown_of(j, l.children.n);
    if (status == UBI_OK)
        status = level_stack_push(&j->levels, ubi_allocator_default(), l);
    if (status != UBI_OK)
        child_list_fini(&l.children, ubi_allocator_default());
    return status;
}

/* Whether the children of a row on the way down to it are those of the node again: a circle is not gone round. */
static bool is_open(const job *j, ubi_node_ix node) {
    if (node == j->start)
        return true;
    for (size_t i = 0; i + 1 < j->levels.n; i++)
        if (j->graph->target.at[j->levels.at[i].children.at[j->levels.at[i].next - 1].edge] == node)
            return true;
    return false;
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

#define INDENT 2
#define MOST_INDENT 40

static size_t indent_of(const job *j) {
    size_t indent = j->levels.n * INDENT;
    return indent < MOST_INDENT ? indent : MOST_INDENT;
}

/* `edge` UBI_NONE: the first row. */
static void write_row(const job *j, const ubi_edge_ix *edge, ubi_node_ix node) {
    ubi__out *out = j->rows.out;
    const ubi__style *style = j->rows.style;
    size_t used = UBI__OBJECT_ROW_NUMBERS + indent_of(j);
    ubi__object_rows_numbers(&j->rows, node, j->distances[node]);
    ubi__display_pad(out, UBI__OBJECT_ROW_NUMBERS, used);
    size_t room = ubi__object_rows_room(&j->rows, used);
    if (edge) {
        ubi__display_ink(out, style, UBI__INK_CYAN);
        used = ubi__display_edge_label(out, style, j->graph, *edge, room / 2);
        ubi__display_ink(out, style, UBI__INK_PLAIN);
        ubi__out_string(out, ": ");
        room -= used + 2;
    }
    ubi__object_rows_name(&j->rows, node, room);
    ubi__out_char(out, '\n');
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
    ubi__document_u64(&j->json, "edgeCount", j->graph->first_edge.at[node + 1] - j->graph->first_edge.at[node]);
}

static void begin_row(job *j, ubi_edge_ix edge, ubi_node_ix node) {
    char digits[UBI_EDGE_LABEL_BYTES];
    ubi__json_object_begin(&j->json);
    ubi__json_key(&j->json, "edge");
    ubi__json_text(&j->json, ubi_graph_edge_label(j->graph, edge, digits));
    ubi__render_edge_kind(&j->json, j->graph, edge);
    put_node(j, node);
}

static void begin_children(job *j) {
    ubi__json_key(&j->json, "children");
    ubi__json_array_begin(&j->json);
}

/* ---- the walk ---------------------------------------------------------------------------------------------------- */

static bool is_json(const job *j) {
    return j->cli->common.json;
}

static ubi_status enter(job *j, ubi_edge_ix edge) {
    ubi_node_ix node = j->graph->target.at[edge];
    bool opens = is_below_limit(j) && !is_open(j, node);
    if (is_json(j))
        begin_row(j, edge, node);
    else
        write_row(j, &edge, node);
    if (opens) {
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
    child_list_fini(&top->children, ubi_allocator_default());
    j->levels.n--;
}

static ubi_status walk(job *j) {
    if (!is_below_limit(j))
        return UBI_OK;
    UBI_TRY(open_level(j, j->start));
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
    put_node(j, j->start);
    begin_children(j);
    UBI_TRY(walk(j));
    ubi__document_end(&j->json);
    return UBI_OK;
}

static ubi_status write_page(job *j) {
    ubi__object_rows_head(&j->rows, "Name");
    write_row(j, NULL, j->start);
    return walk(j);
}

/* ---- command ----------------------------------------------------------------------------------------------------- */

static ubi_status compute(job *j) {
    ubi_dominators_options options = UBI_DOMINATORS_OPTIONS_INIT;
    options.progress = ubi__progress_line_callbacks(&j->cli->progress);
    options.without_sets = true;
    options.threads = j->cli->common.threads < UINT32_MAX ? (unsigned)j->cli->common.threads : 0;
    j->graph = j->snapshot->graph;
    j->start = ubi__snapshot_view(j->snapshot)->root;
    if (j->has_id)
        UBI_TRY(ubi__node_id_find(&j->start, j->graph, j->node_id));
    UBI_TRY(ubi_dominators_new(&j->dominators, ubi__snapshot_view(j->snapshot), &options));
    j->distances = ubi__alloc_array(ubi_allocator_default(), j->graph->n_nodes, sizeof *j->distances);
    if (!j->distances)
        return ubi__fail_nomem();
    return ubi_lens_distances(j->distances, j->snapshot->look);
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
        child_list_fini(&j->levels.at[i].children, ubi_allocator_default());
    level_stack_fini(&j->levels, ubi_allocator_default());
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
    { "depth", 'd', UBI__OPTION_NUMBER, AT(depth), "N", NULL,
      "levels below the first row; 0: all, circles being cut where they close", "2" },
    { "limit", 'n', UBI__OPTION_NUMBER, AT(limit), "N", NULL, "edges of one node; 0: all", "10" },
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
    .summary = "show what nodes refer to, from the root or one of them down",
    .description =
        "Prints what the root, or the node with this ID, refers to, and what those refer to: the Containment view of "
        "Chrome's DevTools. Edges are sorted by what their targets retain, the largest first; equal ones stay in file "
        "order.\n"
        "\n"
        "Edges of V8's heaps are marked: .x and [\"a b\"] are properties, [0] elements, ->x variables that a function "
        "captured, {x} fields of the engine, [[x]] weak references. A dash as distance stands for what only the "
        "engine's own roots reach.\n"
        "\n"
        "This is not a tree of who keeps what: most nodes can be reached in many ways, and then stand in many places. "
        "'ubiheap dominators' shows who keeps what.",
    .options = options,
    .examples = examples,
    .min_operands = 1,
    .max_operands = 2,
    .arguments_bytes = sizeof(containment_arguments),
    .run = run,
};
