/* SPDX-License-Identifier: MIT
 *
 * containment_question.c: what nodes refer to, from the root down.
 *
 * What opens is planned first. Then the tree is written as it is walked.
 */
#include <stdio.h>

#include <ubiheap/core/dominators.h>

#include "base/alloc.h"
#include "base/assert.h"
#include "base/human.h"
#include "base/merge_sort.h"
#include "graph/graph_columns.h"
#include "questions/question.h"
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
    const ubi_allocator *memory;
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
    const ubi_allocator *a = plan->memory;
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
    return node_queue_push(&o->queue, o->plan->memory, node);
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
    containment_children_fini(&children, o->plan->memory);
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
    out->opened_by = ubi__alloc_array(out->memory, out->graph->n_nodes, sizeof *out->opened_by);
    if (!out->opened_by)
        return ubi__fail_nomem();
    for (ubi_node_ix node = 0; node < out->graph->n_nodes; node++)
        out->opened_by[node] = CONTAINMENT_CLOSED;
    ubi_status status = open_levels(&o);
    node_queue_fini(&o.queue, out->memory);
    if (status == UBI_OK)
        containment_plan_check(out);
    return status;
}

static void containment_plan_free(containment_plan *plan) {
    if (plan->opened_by)
        ubi__free_array(plan->memory, plan->opened_by, plan->graph->n_nodes, sizeof *plan->opened_by);
    plan->opened_by = NULL;
}

static bool containment_opens(const containment_plan *plan, ubi_edge_ix edge) {
    return plan->opened_by[plan->graph->target.at[edge]] == edge;
}

/* ---- writing rows ---------------------------------------------------------------------------------------------------- */

typedef struct containment_values {
    ubi__node_id node;
    uint64_t depth, limit, rows;
} containment_values;

#define AT(field) offsetof(containment_values, field)

typedef struct answer {
    ubi__object_facts facts;
    const ubi_graph *graph;
    containment_plan plan; /* owned */
} answer;

/* Page or document that is being written. */
typedef struct writer {
    const answer *answer;
    const ubi_graph *graph;
    const containment_plan *plan;
    uint64_t *passed; /* a bit per node: its open row has been written; owned */
    ubi__text_tree tree;
    ubi__object_rows rows; /* page */
    ubi__json *json;       /* document */
} writer;

static size_t passed_words(const writer *w) {
    return w->graph->n_nodes / 64 + (size_t)1;
}

static void level_close(void *payload, ubi__text_tree_level *level) {
    const writer *w = payload;
    containment_children_fini(level->owned, w->plan->memory);
    UBI_DELETE(w->plan->memory, (containment_children *)level->owned);
}

static ubi_status level_open(writer *w, ubi_node_ix node) {
    containment_children *children = UBI_NEW(w->plan->memory, containment_children);
    if (!children)
        return ubi__fail_nomem();
    ubi__text_tree_level level = { .owned = children, .is_indented = true };
    w->passed[node >> 6] |= UINT64_C(1) << (node & 63);
    ubi_status status = containment_list(children, w->plan, node);
    level.n_shown = containment_shown(w->plan, children->n);
    level.n_hidden = children->n - level.n_shown;
    if (status == UBI_OK)
        return ubi__text_tree_open(&w->tree, level);
    level_close(w, &level);
    return status;
}

/* Where the children of an unopened row are shown; NULL: nowhere. */
static const char *place_of_children(const writer *w, ubi_edge_ix edge) {
    ubi_node_ix node = w->graph->target.at[edge];
    if (containment_opens(w->plan, edge) || w->plan->opened_by[node] == CONTAINMENT_CLOSED ||
        w->graph->first_edge.at[node + 1] == w->graph->first_edge.at[node])
        return NULL;
    return w->passed[node >> 6] >> (node & 63) & 1 ? "above" : "below";
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

#define PLACE_COLUMNS 13 /* "  shown above" */

/* `edge` NULL: the first row. */
static void row_write(const writer *w, const ubi_edge_ix *edge, ubi_node_ix node) {
    ubi__out *out = w->rows.table.out;
    const ubi__style *style = w->rows.table.style;
    ubi__object_rows_numbers(&w->rows, node, w->answer->facts.distances[node]);
    size_t used = w->rows.table.used + ubi__text_tree_prefix(&w->tree);
    const char *place = edge ? place_of_children(w, *edge) : NULL;
    size_t room = ubi__text_table_room(&w->rows.table, used + (place ? PLACE_COLUMNS : 0));
    if (edge) {
        ubi__display_ink(out, style, UBI__INK_CYAN);
        used = ubi__display_edge_label(out, style, w->graph, *edge, room / 2);
        ubi__display_ink(out, style, UBI__INK_PLAIN);
        ubi__out_string(out, ": ");
        room -= used + 2;
    }
    ubi__object_rows_name(&w->rows, node, room);
    if (place) {
        ubi__display_ink(out, style, UBI__INK_DIM);
        ubi__out_printf(out, "  shown %s", place);
        ubi__display_ink(out, style, UBI__INK_PLAIN);
    }
    ubi__out_char(out, '\n');
}

static ubi_status row_enter(void *payload, ubi__text_tree *tree, const ubi__text_tree_level *level, size_t i) {
    writer *w = payload;
    const containment_children *children = level->owned;
    ubi_edge_ix edge = children->at[i].edge;
    ubi_node_ix node = w->graph->target.at[edge];
    (void)tree;
    row_write(w, &edge, node);
    return containment_opens(w->plan, edge) ? level_open(w, node) : UBI_OK;
}

/* Payload and room of a writer; `writer_fini` also after errors. */
static ubi_status writer_init(writer *w, const answer *a, const ubi__text_tree_ops *ops) {
    *w = (writer){ .answer = a, .graph = a->graph, .plan = &a->plan };
    w->tree = (ubi__text_tree){ .ops = ops, .payload = w };
    w->passed = ubi__calloc_array(w->plan->memory, passed_words(w), sizeof *w->passed);
    return w->passed ? UBI_OK : ubi__fail_nomem();
}

static void writer_fini(writer *w) {
    ubi__text_tree_fini(&w->tree);
    if (w->passed)
        ubi__free_array(w->plan->memory, w->passed, passed_words(w), sizeof *w->passed);
}

static ubi_status page_write(writer *w) {
    w->tree.table = &w->rows.table;
    ubi__text_table_head(&w->rows.table);
    row_write(w, NULL, w->plan->start);
    UBI_TRY(level_open(w, w->plan->start));
    return ubi__text_tree_walk(&w->tree, &w->rows.table.out->has_failed);
}

static void cut_write(const ubi__page *page) {
    char line[80];
    snprintf(line, sizeof line, "%s deeper rows are left out; --rows 0 shows all", ubi__display_ellipsis(&page->style));
    ubi__write_inked(page, UBI__INK_DIM, line);
    ubi__out_char(page->out, '\n');
}

static ubi_status containment_page(const ubi__page *page, const void *answer_of, const ubi__asked *asked) {
    static const ubi__text_tree_ops ops = { .row = row_enter, .close = level_close };
    writer w;
    ubi_status status = writer_init(&w, answer_of, &ops);
    (void)asked;
    ubi__object_rows_init(&w.rows, page, &w.answer->facts, "Name");
    if (status == UBI_OK)
        status = page_write(&w);
    if (status == UBI_OK && w.plan->is_cut)
        cut_write(page);
    writer_fini(&w);
    return status;
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

static void put_node(writer *w, ubi_node_ix node) {
    ubi__object_json(w->json, &w->answer->facts, node, w->answer->facts.distances[node]);
    ubi__json_member_u64(w->json, "edgeCount", w->graph->first_edge.at[node + 1] - w->graph->first_edge.at[node]);
}

static void object_begin(writer *w, ubi_edge_ix edge, ubi_node_ix node) {
    char digits[UBI_EDGE_LABEL_BYTES];
    ubi__json_object_begin(w->json);
    ubi__json_member_text(w->json, "edge", ubi_graph_edge_label(w->graph, edge, digits));
    ubi__render_edge_kind(w->json, w->graph, edge);
    put_node(w, node);
    if (place_of_children(w, edge))
        ubi__json_member_bool(w->json, "shownElsewhere", true);
}

static ubi_status object_enter(void *payload, ubi__text_tree *tree, const ubi__text_tree_level *level, size_t i) {
    writer *w = payload;
    const containment_children *children = level->owned;
    ubi_edge_ix edge = children->at[i].edge;
    ubi_node_ix node = w->graph->target.at[edge];
    (void)tree;
    object_begin(w, edge, node);
    if (containment_opens(w->plan, edge)) {
        ubi__json_member_array(w->json, "children");
        return level_open(w, node);
    }
    ubi__json_object_end(w->json);
    return UBI_OK;
}

static void object_end(void *payload, const ubi__text_tree_level *level) {
    writer *w = payload;
    (void)level;
    ubi__json_array_end(w->json);
    if (w->tree.levels.n > 1) /* the document ends the first one */
        ubi__json_object_end(w->json);
}

static ubi_status document_write(writer *w) {
    put_node(w, w->plan->start);
    ubi__json_member_bool(w->json, "rowsLeftOut", w->plan->is_cut);
    ubi__json_member_array(w->json, "children");
    UBI_TRY(level_open(w, w->plan->start));
    return ubi__text_tree_walk(&w->tree, &w->json->has_failed);
}

static ubi_status containment_document(ubi__json *json, const void *answer_of, const ubi__asked *asked) {
    static const ubi__text_tree_ops ops = { .row = object_enter, .end = object_end, .close = level_close };
    writer w;
    ubi_status status = writer_init(&w, answer_of, &ops);
    (void)asked;
    w.json = json;
    if (status == UBI_OK)
        status = document_write(&w);
    writer_fini(&w);
    return status;
}

/* ---- answer ---------------------------------------------------------------------------------------------------------- */

static ubi_status containment_compute(void *answer_of, const ubi__asked *asked) {
    answer *a = answer_of;
    const containment_values *values = asked->values;
    ubi_session_use *heap = ubi__asked_heap(asked);
    UBI_TRY(ubi_session_look(&a->facts.look, heap));
    const ubi_view *view = ubi_look_view(a->facts.look);
    a->graph = view->graph;
    a->plan = (containment_plan){ .memory = ubi__asked_allocator(asked),
                                  .graph = view->graph,
                                  .limits = { values->depth, values->limit, values->rows },
                                  .start = view->root };
    if (values->node.is_given)
        UBI_TRY(ubi__node_id_find(&a->plan.start, a->graph, values->node.id));
    UBI_TRY(ubi__object_facts_get(&a->facts, heap));
    a->plan.dominators = a->facts.dominators;
    return containment_plan_make(&a->plan);
}

static void containment_release(void *answer_of, const ubi__asked *asked) {
    answer *a = answer_of;
    (void)asked;
    containment_plan_free(&a->plan);
}

/* ---- question -------------------------------------------------------------------------------------------------------- */

static const ubi__parameter parameters[] = {
    UBI__NODE("node", 0, AT(node), "ID", "the node to start at", "the root", .is_operand = true),
    UBI__NUMBER("depth", 'd', AT(depth), "N", "levels below the first row; 0: all", "2"),
    UBI__LIMIT(AT(limit), "edges of one node; 0: all", "10"),
    UBI__NUMBER("rows", 0, AT(rows), "N", "rows, those nearest to the first one; 0: all", "10000"),
    UBI__PARAMETERS_END,
};

static const ubi__example examples[] = {
    { "containment app.heapsnapshot", "from the root: globals, and the engine's roots" },
    { "containment --depth 1 --limit 0 app.heapsnapshot 6049", "all that one object refers to" },
    { NULL, NULL },
};

const ubi__usage ubi__usage_containment = {
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
    .parameters = parameters,
    .examples = examples,
    .min_operands = 1,
    .max_operands = 2,
    .arguments_bytes = sizeof(containment_values),
};

const ubi__question ubi__question_containment = {
    .usage = &ubi__usage_containment,
    .schema = "ubiheap.containment/1",
    .least_heaps = 1,
    .most_heaps = 1,
    .answer_bytes = sizeof(answer),
    .compute = containment_compute,
    .document = containment_document,
    .page = containment_page,
    .release = containment_release,
};
