/* SPDX-License-Identifier: MIT
 *
 * containment_command.c: `ubiheap containment`, what nodes refer to, from the root down.
 *
 * What opens is planned first. Then the tree is written as it is walked.
 */
#include <stdio.h>

#include <ubiheap/core/dominators.h>

#include "base/alloc.h"
#include "base/assert.h"
#include "base/human.h"
#include "base/merge_sort.h"
#include "cli/cli_files.h"
#include "cli/options.h"
#include "cli/page.h"
#include "graph/graph_columns.h"
#include "render/heap_labels.h"
#include "render/result_json.h"
#include "render/text_tree.h"

/* ---- what opens ------------------------------------------------------------------------------------------------------ */

typedef struct containment_child {
    uint64_t rank; /* ascending: what its target retains, the other way round */
    ubi_edge_ix edge;
} containment_child;

UBI_VEC_DECLARE(containment_children, containment_child);

typedef struct containment_limits {
    uint64_t depth; /* levels below the first row; 0: all */
    uint64_t edges; /* of one node; 0: all */
    uint64_t rows;  /* below the first; 0: all */
} containment_limits;

typedef struct containment_plan {
    const ubi_graph *graph;
    const ubi_dominators *dominators;
    containment_limits limits;
    ubi_node_ix start;
    ubi_edge_ix *opened_by; /* opened_by[n_nodes]: the edge whose row has the node's children below it */
    bool is_cut;            /* rows are missing for limits.rows alone */
} containment_plan;

/* `opened_by` of a node that is not opened, and of the first one. */
#define CONTAINMENT_CLOSED UINT64_MAX
#define CONTAINMENT_FIRST (UINT64_MAX - 1)

#define RANK_BEFORE(ctx, a, b) ((a).rank < (b).rank)
UBI_SORT_DEFINE(sort_children, containment_child, void *, RANK_BEFORE);

/* The edges of a node, those whose targets retain most first, equal ones in file order. `out` is empty before. */
static ubi_status containment_list(containment_children *out, const containment_plan *plan, ubi_node_ix node) {
    const ubi_allocator *a = ubi_allocator_default();
    const ubi_graph *g = plan->graph;
    ubi_edge_ix begin = g->first_edge.at[node], end = g->first_edge.at[node + 1];
    UBI_TRY(containment_children_reserve(out, a, end - begin));
    for (ubi_edge_ix e = begin; e < end; e++)
        out->at[out->n++] = (containment_child){ ~ubi_dominators_retained_bytes(plan->dominators, g->target.at[e]), e };
    if (out->n < 2)
        return UBI_OK;
    containment_child *spare = ubi__alloc_array(a, out->n, sizeof *spare);
    if (!spare)
        return ubi__fail_nomem();
    sort_children(out->at, spare, out->n, NULL);
    ubi__free_array(a, spare, out->n, sizeof *spare);
    return UBI_OK;
}

/* A row that the limit would hide alone is shown: saying so would take as much room. */
static size_t containment_shown(const containment_plan *plan, size_t n) {
    uint64_t limit = plan->limits.edges;
    return limit && n > limit + 1 ? (size_t)limit : n;
}

/* ---- level by level ---------------------------------------------------------------------------------------------- */

UBI_VEC_DECLARE(node_queue, ubi_node_ix);

typedef struct opening {
    containment_plan *plan;
    node_queue queue; /* opened, the nearest first */
    uint64_t n_rows;  /* below the first */
} opening;

static ubi_status open_node(opening *o, ubi_node_ix node, ubi_edge_ix by) {
    UBI_ASSERT(o->plan->opened_by[node] == CONTAINMENT_CLOSED);
    UBI_ASSERT((by == CONTAINMENT_FIRST) == (node == o->plan->start));
    o->plan->opened_by[node] = by;
    return node_queue_push(&o->queue, ubi_allocator_default(), node);
}

/* Whether there is room for the rows below a node. The first node's are always shown, or there would be nothing. */
static bool has_room(const opening *o, ubi_node_ix node, size_t n_shown) {
    uint64_t most = o->plan->limits.rows;
    return most == 0 || node == o->plan->start || (o->n_rows < most && n_shown <= most - o->n_rows);
}

/* Closes the nodes at[from..n), which were to open. */
static void close_rest(opening *o, size_t from) {
    const ubi_graph *g = o->plan->graph;
    for (size_t i = from; i < o->queue.n; i++) {
        ubi_node_ix node = o->queue.at[i];
        o->plan->opened_by[node] = CONTAINMENT_CLOSED;
        o->plan->is_cut |= g->first_edge.at[node + 1] > g->first_edge.at[node];
    }
    o->queue.n = from;
}

/* Opens what the children of a node lead to, if that is still closed. */
static ubi_status open_below(opening *o, ubi_node_ix node, bool is_last_level) {
    const ubi_graph *g = o->plan->graph;
    containment_children children = { 0 };
    ubi_status status = containment_list(&children, o->plan, node);
    size_t n_shown = containment_shown(o->plan, children.n);
    o->n_rows += n_shown;
    for (size_t i = 0; status == UBI_OK && !is_last_level && i < n_shown; i++) {
        ubi_edge_ix e = children.at[i].edge;
        if (o->plan->opened_by[g->target.at[e]] == CONTAINMENT_CLOSED)
            status = open_node(o, g->target.at[e], e);
    }
    containment_children_fini(&children, ubi_allocator_default());
    return status;
}

static ubi_status open_levels(opening *o) {
    const ubi_graph *g = o->plan->graph;
    uint64_t depth = o->plan->limits.depth;
    size_t level_end = 1;
    UBI_TRY(open_node(o, o->plan->start, CONTAINMENT_FIRST));
    for (size_t at = 0, level = 1; at < o->queue.n; at++) {
        if (at == level_end) {
            level++;
            level_end = o->queue.n;
        }
        ubi_node_ix node = o->queue.at[at];
        size_t n_edges = (size_t)(g->first_edge.at[node + 1] - g->first_edge.at[node]);
        if (!has_room(o, node, containment_shown(o->plan, n_edges))) {
            close_rest(o, at);
            return UBI_OK;
        }
        UBI_TRY(open_below(o, node, level == depth));
    }
    return UBI_OK;
}

/* Opened nodes are a tree: each is below a row of an opened node, but the first. O(nodes). */
static void containment_plan_check(const containment_plan *plan) {
    const ubi_graph *g = plan->graph;
    UBI_ASSERT(plan->opened_by[plan->start] == CONTAINMENT_FIRST || plan->opened_by[plan->start] == CONTAINMENT_CLOSED);
    for (ubi_node_ix node = 0; UBI_CHECKS && node < g->n_nodes; node++) {
        ubi_edge_ix e = plan->opened_by[node];
        if (e == CONTAINMENT_CLOSED || node == plan->start)
            continue;
        UBI_ASSERT(e < g->n_edges && g->target.at[e] == node);
        UBI_ASSERT(plan->opened_by[ubi_graph_edge_source(g, e)] != CONTAINMENT_CLOSED);
    }
}

/* Decides what opens; `out` has the graph, the dominators, limits and start. O(N + E log E) for the edges of the nodes that
 * open; 8 bytes a node. Freed also after errors. */
static ubi_status containment_plan_make(containment_plan *out) {
    opening o = { .plan = out };
    out->opened_by = ubi__alloc_array(ubi_allocator_default(), out->graph->n_nodes, sizeof *out->opened_by);
    if (!out->opened_by)
        return ubi__fail_nomem();
    for (ubi_node_ix node = 0; node < out->graph->n_nodes; node++)
        out->opened_by[node] = CONTAINMENT_CLOSED;
    ubi_status status = open_levels(&o);
    node_queue_fini(&o.queue, ubi_allocator_default());
    if (status == UBI_OK)
        containment_plan_check(out);
    return status;
}

static void containment_plan_free(containment_plan *plan) {
    if (plan->opened_by)
        ubi__free_array(ubi_allocator_default(), plan->opened_by, plan->graph->n_nodes, sizeof *plan->opened_by);
    plan->opened_by = NULL;
}

static bool containment_opens(const containment_plan *plan, ubi_edge_ix edge) {
    return plan->opened_by[plan->graph->target.at[edge]] == edge;
}

/* ---- the command ---------------------------------------------------------------------------------------------------- */

typedef struct containment_arguments {
    uint64_t depth, limit, rows;
} containment_arguments;

#define AT(field) offsetof(containment_arguments, field)

typedef struct job {
    ubi__cli *cli;
    const containment_arguments *arguments;
    bool has_id;
    uint64_t node_id;
    const ubi__snapshot *snapshot;
    const ubi_graph *graph;
    ubi_dominators *dominators; /* owned */
    uint32_t *distances;        /* owned */
    containment_plan plan;      /* owned */
    uint64_t *passed;           /* a bit per node: its open row has been written; owned */
    ubi__object_rows rows;
    ubi__json json;
    ubi__text_tree tree;
} job;

static size_t passed_words(const job *j) {
    return j->graph->n_nodes / 64 + (size_t)1;
}

static void level_close(void *payload, ubi__text_tree_level *level) {
    (void)payload;
    containment_children_fini(level->owned, ubi_allocator_default());
    UBI_DELETE(ubi_allocator_default(), (containment_children *)level->owned);
}

static ubi_status level_open(job *j, ubi_node_ix node) {
    containment_children *children = UBI_NEW(ubi_allocator_default(), containment_children);
    if (!children)
        return ubi__fail_nomem();
    ubi__text_tree_level level = { .owned = children, .is_indented = true };
    j->passed[node >> 6] |= UINT64_C(1) << (node & 63);
    ubi_status status = containment_list(children, &j->plan, node);
    level.n_shown = containment_shown(&j->plan, children->n);
    level.n_hidden = children->n - level.n_shown;
    if (status == UBI_OK)
        return ubi__text_tree_open(&j->tree, level);
    level_close(j, &level);
    return status;
}

/* Where the children of an unopened row are shown; NULL: nowhere. */
static const char *place_of_children(const job *j, ubi_edge_ix edge) {
    ubi_node_ix node = j->graph->target.at[edge];
    if (containment_opens(&j->plan, edge) || j->plan.opened_by[node] == CONTAINMENT_CLOSED ||
        j->graph->first_edge.at[node + 1] == j->graph->first_edge.at[node])
        return NULL;
    return j->passed[node >> 6] >> (node & 63) & 1 ? "above" : "below";
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

#define PLACE_COLUMNS 13 /* "  shown above" */

/* `edge` NULL: the first row. */
static void row_write(const job *j, const ubi_edge_ix *edge, ubi_node_ix node) {
    ubi__out *out = j->rows.table.out;
    const ubi__style *style = j->rows.table.style;
    ubi__object_rows_numbers(&j->rows, node, j->distances[node]);
    size_t used = j->rows.table.used + ubi__text_tree_prefix(&j->tree);
    const char *place = edge ? place_of_children(j, *edge) : NULL;
    size_t room = ubi__text_table_room(&j->rows.table, used + (place ? PLACE_COLUMNS : 0));
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

static ubi_status row_enter(void *payload, ubi__text_tree *tree, const ubi__text_tree_level *level, size_t i) {
    job *j = payload;
    const containment_children *children = level->owned;
    ubi_edge_ix edge = children->at[i].edge;
    ubi_node_ix node = j->graph->target.at[edge];
    (void)tree;
    row_write(j, &edge, node);
    return containment_opens(&j->plan, edge) ? level_open(j, node) : UBI_OK;
}

static ubi_status page_write(job *j) {
    static const ubi__text_tree_ops ops = { .row = row_enter, .close = level_close };
    char line[80];
    ubi__out *out = j->rows.table.out;
    j->tree = (ubi__text_tree){ .table = &j->rows.table, .ops = &ops, .payload = j };
    ubi__text_table_head(&j->rows.table);
    row_write(j, NULL, j->plan.start);
    UBI_TRY(level_open(j, j->plan.start));
    UBI_TRY(ubi__text_tree_walk(&j->tree, out));
    if (!j->plan.is_cut)
        return UBI_OK;
    snprintf(line, sizeof line, "%s deeper rows are left out; --rows 0 shows all",
             ubi__display_ellipsis(&j->cli->style));
    ubi__write_inked(j->cli, UBI__INK_DIM, line);
    ubi__out_char(out, '\n');
    return UBI_OK;
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

static void put_node(job *j, ubi_node_ix node) {
    ubi__object_json(&j->json, &j->rows, node, j->distances[node]);
    ubi__json_member_u64(&j->json, "edgeCount", j->graph->first_edge.at[node + 1] - j->graph->first_edge.at[node]);
}

static void object_begin(job *j, ubi_edge_ix edge, ubi_node_ix node) {
    char digits[UBI_EDGE_LABEL_BYTES];
    ubi__json_object_begin(&j->json);
    ubi__json_member_text(&j->json, "edge", ubi_graph_edge_label(j->graph, edge, digits));
    ubi__render_edge_kind(&j->json, j->graph, edge);
    put_node(j, node);
    if (place_of_children(j, edge))
        ubi__json_member_bool(&j->json, "shownElsewhere", true);
}

static ubi_status object_enter(void *payload, ubi__text_tree *tree, const ubi__text_tree_level *level, size_t i) {
    job *j = payload;
    const containment_children *children = level->owned;
    ubi_edge_ix edge = children->at[i].edge;
    ubi_node_ix node = j->graph->target.at[edge];
    (void)tree;
    object_begin(j, edge, node);
    if (containment_opens(&j->plan, edge)) {
        ubi__json_member_array(&j->json, "children");
        return level_open(j, node);
    }
    ubi__json_object_end(&j->json);
    return UBI_OK;
}

static void object_end(void *payload, const ubi__text_tree_level *level) {
    job *j = payload;
    (void)level;
    ubi__json_array_end(&j->json);
    if (j->tree.levels.n > 1) /* the document ends the first one */
        ubi__json_object_end(&j->json);
}

static ubi_status document_write(job *j) {
    static const ubi__text_tree_ops ops = { .row = object_enter, .end = object_end, .close = level_close };
    j->tree = (ubi__text_tree){ .ops = &ops, .payload = j };
    ubi__document_begin(&j->json, j->cli, "ubiheap.containment/1", j->snapshot->path);
    put_node(j, j->plan.start);
    ubi__json_member_bool(&j->json, "rowsLeftOut", j->plan.is_cut);
    ubi__json_member_array(&j->json, "children");
    UBI_TRY(level_open(j, j->plan.start));
    UBI_TRY(ubi__text_tree_walk(&j->tree, &j->cli->output->out));
    ubi__document_end(&j->json);
    return UBI_OK;
}

/* ---- command ----------------------------------------------------------------------------------------------------- */

static ubi_status containment_compute(job *j) {
    j->graph = j->snapshot->graph;
    j->plan = (containment_plan){ .graph = j->graph,
                                  .limits = { j->arguments->depth, j->arguments->limit, j->arguments->rows },
                                  .start = ubi__snapshot_view(j->snapshot)->root };
    if (j->has_id)
        UBI_TRY(ubi__node_id_find(&j->plan.start, j->graph, j->node_id));
    UBI_TRY(ubi__snapshot_dominators(&j->dominators, j->cli, j->snapshot));
    j->plan.dominators = j->dominators;
    UBI_TRY(ubi__snapshot_distances(&j->distances, j->snapshot));
    j->passed = ubi__calloc_array(ubi_allocator_default(), passed_words(j), sizeof *j->passed);
    if (!j->passed)
        return ubi__fail_nomem();
    return containment_plan_make(&j->plan);
}

static ubi_status containment_show(job *j) {
    UBI_TRY(containment_compute(j));
    ubi__progress_line_clear(&j->cli->progress);
    ubi__object_rows_init(&j->rows, j->cli, j->snapshot->look, j->dominators, j->distances, "Name");
    return j->cli->common.wants_json ? document_write(j) : page_write(j);
}

static ubi_status open_and_show(job *j, const char *path) {
    ubi__snapshot snapshot;
    UBI_TRY(ubi__snapshot_open(&snapshot, j->cli, path));
    j->snapshot = &snapshot;
    ubi_status status = containment_show(j);
    ubi__text_tree_fini(&j->tree);
    containment_plan_free(&j->plan);
    if (j->passed)
        ubi__free_array(ubi_allocator_default(), j->passed, passed_words(j), sizeof *j->passed);
    ubi__snapshot_distances_free(j->distances, &snapshot);
    ubi_dominators_free(j->dominators);
    ubi__snapshot_close(&snapshot);
    return status;
}

static ubi_status containment_run(ubi__cli *cli, void *values, char **operands, int n_operands, int *exit_code) {
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
    .description = "Prints what the root, or the node ID, refers to, and what that refers to: the Containment view of "
                   "Chrome's DevTools. References are sorted by what their targets retain, the largest first; equal "
                   "ones stay in file order.\n"
                   "\n"
                   "In V8's snapshots .x and [\"a b\"] are properties, [0] is an element, ->x a variable that a "
                   "function captured, {x} a field of the engine, [[x]] a weak reference. A dash as distance stands "
                   "for what only the engine's own roots reach.\n"
                   "\n"
                   "Most nodes can be reached in many ways, so this is not the tree of what keeps what alive; 'ubiheap "
                   "dominators' shows that. A node is opened once, in the place nearest to the first row. Elsewhere a "
                   "note says whether that is above or below.",
    .options = options,
    .examples = examples,
    .min_operands = 1,
    .max_operands = 2,
    .arguments_bytes = sizeof(containment_arguments),
    .run = containment_run,
};
