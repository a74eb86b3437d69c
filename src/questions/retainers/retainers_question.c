/* SPDX-License-Identifier: MIT
 *
 * retainers_question.c: who refers to a node.
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
#include "lenses/lens.h"
#include "questions/question.h"
#include "render/heap_labels.h"
#include "render/path_words.h"
#include "render/result_json.h"
#include "render/text_tree.h"

typedef struct retainers_values {
    ubi__node_id node;
    ubi__vec_u64 ignored;
    uint64_t depth, limit;
    bool with_all;
} retainers_values;

#define AT(field) offsetof(retainers_values, field)

typedef struct answer {
    ubi__object_facts facts;
    const ubi_graph *graph;
    ubi_node_ix node;
    ubi__vec_u32 ignored; /* owned */
    const ubi_retaining *retaining;
    ubi_retaining *ignoring;     /* owned: that, where nodes are ignored */
    ubi_retaining_tree *tree;    /* owned */
    const ubi_retaining_row *at; /* at[n]: rows of the tree */
    uint32_t n;
} answer;

/* Page or document that is being written. */
typedef struct writer {
    const answer *answer;
    ubi__text_tree walk;
    ubi__object_rows rows; /* page */
    ubi__json *json;       /* document */
} writer;

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

static ubi_retaining_tree_options tree_options(const answer *a, const ubi__asked *asked) {
    const retainers_values *values = asked->values;
    ubi_retaining_tree_options options = UBI_RETAINING_TREE_OPTIONS_INIT;
    options.allocator = ubi__asked_allocator(asked);
    options.max_depth = limit_of(values->depth, MOST_DEPTH);
    options.max_siblings = limit_of(values->limit, MOST_ROWS);
    options.max_nodes = MOST_ROWS;
    options.with_first_only = !values->with_all;
    options.end_distance = ubi_look_lens(a->facts.look)->end_distance;
    return options;
}

static ubi_status nodes_find(answer *a, const ubi__asked *asked) {
    const retainers_values *values = asked->values;
    UBI_TRY(ubi__node_id_find(&a->node, a->graph, values->node.id));
    for (size_t i = 0; i < values->ignored.n; i++) {
        ubi_node_ix node;
        UBI_TRY(ubi__node_id_find(&node, a->graph, values->ignored.at[i]));
        UBI_TRY(ubi__vec_u32_push(&a->ignored, ubi__asked_allocator(asked), node));
    }
    return UBI_OK;
}

/* What is ignored belongs to one asker; without, all share one. */
static ubi_status retaining_get(answer *a, const ubi__asked *asked) {
    ubi_retaining_options options = UBI_RETAINING_OPTIONS_INIT;
    if (a->ignored.n == 0)
        return ubi_session_retaining(&a->retaining, ubi__asked_heap(asked));
    options.allocator = ubi__asked_allocator(asked);
    options.progress = ubi__asked_progress(asked);
    options.threads = ubi__asked_threads(asked);
    UBI_TRY(ubi_retaining_new(&a->ignoring, a->facts.look, &options));
    a->retaining = a->ignoring;
    return ubi_retaining_ignore(a->ignoring, a->ignored.at, (uint32_t)a->ignored.n);
}

static ubi_status retainers_compute(void *answer_of, const ubi__asked *asked) {
    answer *a = answer_of;
    ubi_session_use *heap = ubi__asked_heap(asked);
    UBI_TRY(ubi_session_look(&a->facts.look, heap));
    a->graph = ubi_look_view(a->facts.look)->graph;
    UBI_TRY(nodes_find(a, asked));
    UBI_TRY(ubi__object_facts_get(&a->facts, heap));
    UBI_TRY(retaining_get(a, asked));
    ubi_retaining_tree_options rows = tree_options(a, asked);
    UBI_TRY(ubi_retaining_tree_new(&a->tree, a->retaining, a->node, &rows));
    a->at = ubi_retaining_tree_rows(a->tree, &a->n);
    return UBI_OK;
}

static void retainers_release(void *answer_of, const ubi__asked *asked) {
    answer *a = answer_of;
    ubi_retaining_tree_free(a->tree);
    ubi_retaining_free(a->ignoring);
    ubi__vec_u32_fini(&a->ignored, ubi__asked_allocator(asked));
}

/* A distance as rows show it: UBI_NONE where nothing is within reach. */
static uint32_t row_distance(const ubi_retaining_row *row) {
    uint64_t distance = row->retainer.distance;
    return distance >= UBI_RETAINING_UNREACHABLE ? UBI_NONE : (uint32_t)distance;
}

/* The rows from `first` on, and how many retainers of `node` have none. */
static ubi_status level_open(writer *w, ubi_node_ix node, uint32_t first, uint32_t n) {
    return ubi__text_tree_open(&w->walk,
                               (ubi__text_tree_level){ .first = first,
                                                       .n_shown = n,
                                                       .n_hidden = ubi_retaining_count(w->answer->retaining, node) - n,
                                                       .is_indented = w->walk.levels.n > 0 });
}

/* ---- text: the head ---------------------------------------------------------------------------------------------- */

static void ink(const writer *w, ubi__ink color) {
    ubi__display_ink(w->rows.table.out, w->rows.table.style, color);
}

static void facts_write(const writer *w) {
    char own[UBI__HUMAN_TEXT], retained[UBI__HUMAN_TEXT], digits[24];
    ubi_node_ix node = w->answer->node;
    uint32_t distance = w->answer->facts.distances[node];
    ink(w, UBI__INK_BOLD);
    ubi__object_rows_name(&w->rows, node, ubi__text_table_room(&w->rows.table, 0));
    ubi__out_printf(w->rows.table.out, "\n%s, retains %s, ",
                    ubi__human_size(own, ubi_look_size_bytes(w->answer->facts.look, node)),
                    ubi__human_size(retained, ubi_dominators_retained_bytes(w->answer->facts.dominators, node)));
    if (node == ubi_graph_root(w->answer->graph))
        ubi__out_string(w->rows.table.out, "the root itself");
    else if (distance == UBI_NONE)
        ubi__out_string(w->rows.table.out, "out of reach of the roots");
    else if (distance >= UBI_LOOK_SYSTEM_DISTANCE)
        ubi__out_string(w->rows.table.out, "reached from the engine's own roots only");
    else
        ubi__out_printf(w->rows.table.out, "distance %s", ubi__distance_text(digits, distance, false));
    ubi__out_char(w->rows.table.out, '\n');
}

/* The shortest way in words, from where distances begin down to the node. */
static ubi_status path_write(const writer *w) {
    const ubi_allocator *a = ubi_allocator_default();
    ubi_retainer *up = ubi__alloc_array(a, WORD_STEPS, sizeof *up);
    ubi_path_step *steps = ubi__alloc_array(a, WORD_STEPS, sizeof *steps);
    bool ready = up && steps;
    uint32_t n = ready ? ubi_retaining_shortest(up, w->answer->retaining, w->answer->node, WORD_STEPS) : 0;
    for (uint32_t i = 0; i < n; i++)
        steps[i] = (ubi_path_step){ up[n - 1 - i].node, up[n - 1 - i].edge };
    ubi__path_view path = { w->answer->graph, steps, n, w->answer->node, w->answer->facts.look };
    if (n)
        ubi__display_path_wrapped(w->rows.table.out, w->rows.table.style, &path,
                                  ubi__text_table_room(&w->rows.table, 0), WORD_LINES, 4);
    ubi__free_array(a, up, WORD_STEPS, sizeof *up);
    ubi__free_array(a, steps, WORD_STEPS, sizeof *steps);
    return ready ? UBI_OK : ubi__fail_nomem();
}

static void ignored_write(const writer *w) {
    if (w->answer->ignored.n == 0)
        return;
    for (size_t i = 0; i < w->answer->ignored.n; i++) {
        ubi__out_string(w->rows.table.out, i ? "         " : "Ignored: ");
        ubi__object_rows_name(&w->rows, w->answer->ignored.at[i], ubi__text_table_room(&w->rows.table, 9));
        ubi__out_char(w->rows.table.out, '\n');
    }
    if (w->answer->facts.distances[w->answer->node] != UBI_NONE &&
        ubi_retaining_distance(w->answer->retaining, w->answer->node) >= UBI_RETAINING_UNREACHABLE)
        ubi__out_printf(w->rows.table.out, "Without %s, nothing would keep it alive.\n",
                        w->answer->ignored.n > 1 ? "these" : "this");
    else
        ubi__out_printf(w->rows.table.out, "Also without %s, it would be kept alive.\n",
                        w->answer->ignored.n > 1 ? "these" : "this");
}

/* ---- text: rows -------------------------------------------------------------------------------------------------- */

/* It holds itself, or something further down on the way up to it. */
static const char *circle_words(const writer *w, const ubi_retaining_row *row) {
    ubi_node_ix below = row->parent == UBI_NONE ? w->answer->node : w->answer->at[row->parent].retainer.node;
    return row->retainer.node == below ? "  (itself)" : "  (a circle)";
}

static ubi_status row_write(void *payload, ubi__text_tree *walk, const ubi__text_tree_level *level, size_t i) {
    writer *w = payload;
    const ubi_retaining_row *row = &w->answer->at[level->first + i];
    const ubi_retainer *retainer = &row->retainer;
    ubi__out *out = w->rows.table.out;
    ubi__object_rows_numbers(&w->rows, retainer->node, row_distance(row));
    size_t room = ubi__text_table_room(&w->rows.table, w->rows.table.used + ubi__text_tree_prefix(walk));
    ink(w, UBI__INK_CYAN);
    size_t used = ubi__display_edge_label(out, w->rows.table.style, w->answer->graph, retainer->edge, room / 2);
    ink(w, UBI__INK_DIM);
    ubi__out_string(out, " in ");
    ink(w, UBI__INK_PLAIN);
    const char *note = retainer->is_ignored ? "  (ignored)" : row->is_circular ? circle_words(w, row) : "";
    ubi__object_rows_name(&w->rows, retainer->node, room - used - strlen(" in ") - strlen(note));
    ubi__out_printf(out, "%s\n", note);
    return row->is_open ? level_open(w, retainer->node, row->first_child, row->n_children) : UBI_OK;
}

static ubi_status rows_write(writer *w) {
    static const ubi__text_tree_ops ops = { .row = row_write };
    w->walk = (ubi__text_tree){ .table = &w->rows.table, .ops = &ops, .payload = w };
    ubi__out_char(w->rows.table.out, '\n');
    if (w->answer->n == 0) {
        ubi__out_string(w->rows.table.out, "Nothing refers to it.\n");
        return UBI_OK;
    }
    ubi__text_table_head(&w->rows.table);
    UBI_TRY(level_open(w, w->answer->node, 0, ubi_retaining_tree_first_level(w->answer->tree)));
    return ubi__text_tree_walk(&w->walk, &w->rows.table.out->has_failed);
}

/* ---- text: what the limits and the dominators say ---------------------------------------------------------------- */

static void limits_write(const writer *w) {
    ubi_retaining_limits limits = ubi_retaining_tree_limits(w->answer->tree);
    const char *const names[] = { limits.has_more_levels ? "--depth" : NULL,
                                  limits.has_more_siblings ? "--limit" : NULL,
                                  limits.has_more_nodes ? "the most rows that are shown" : NULL };
    const char *before = "\nMore was left out by ";
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i]) {
            ubi__out_printf(w->rows.table.out, "%s%s", before, names[i]);
            before = " and ";
        }
    if (limits.has_more_levels || limits.has_more_siblings || limits.has_more_nodes)
        ubi__out_string(w->rows.table.out, ".\n");
}

static void dominators_write(const writer *w) {
    ubi_node_ix chain[DOMINATORS_SHOWN];
    ubi__out *out = w->rows.table.out;
    uint32_t n = ubi_retaining_dominators(chain, DOMINATORS_SHOWN, w->answer->facts.dominators, w->answer->node);
    if (n < 2)
        return;
    ink(w, UBI__INK_BOLD);
    ubi__out_string(out, "\nDominators");
    ink(w, UBI__INK_PLAIN);
    ubi__out_string(out, ": it lives only as long as every one of these does\n");
    for (uint32_t i = 1; i < n && i < DOMINATORS_SHOWN; i++)
        ubi__object_rows_line(&w->rows, chain[i]);
    if (n > DOMINATORS_SHOWN) {
        ubi__text_table_row(&w->rows.table, NULL);
        ubi__text_table_rest(&w->rows.table, n - DOMINATORS_SHOWN);
    }
}

static ubi_status page_write(writer *w) {
    facts_write(w);
    UBI_TRY(path_write(w));
    ignored_write(w);
    UBI_TRY(rows_write(w));
    limits_write(w);
    dominators_write(w);
    return UBI_OK;
}

static ubi_status retainers_page(const ubi__page *page, const void *answer_of, const ubi__asked *asked) {
    writer w = { .answer = answer_of };
    (void)asked;
    ubi__object_rows_init(&w.rows, page, &w.answer->facts, "Retainer");
    ubi_status status = page_write(&w);
    ubi__text_tree_fini(&w.walk);
    return status;
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

static void list_begin(writer *w, ubi_node_ix node) {
    ubi__json_member_u64(w->json, "retainerCount", ubi_retaining_count(w->answer->retaining, node));
    ubi__json_member_array(w->json, "retainers");
}

static ubi_status object_write(void *payload, ubi__text_tree *walk, const ubi__text_tree_level *level, size_t i) {
    writer *w = payload;
    const ubi_retaining_row *row = &w->answer->at[level->first + i];
    char digits[UBI_EDGE_LABEL_BYTES];
    (void)walk;
    ubi__json_object_begin(w->json);
    ubi__json_member_text(w->json, "edge", ubi_graph_edge_label(w->answer->graph, row->retainer.edge, digits));
    ubi__render_edge_kind(w->json, w->answer->graph, row->retainer.edge);
    ubi__object_json(w->json, &w->answer->facts, row->retainer.node, row_distance(row));
    if (row->retainer.is_ignored)
        ubi__json_member_bool(w->json, "ignored", true);
    if (row->is_circular)
        ubi__json_member_bool(w->json, "circular", true);
    if (row->is_open) {
        list_begin(w, row->retainer.node);
        return level_open(w, row->retainer.node, row->first_child, row->n_children);
    }
    ubi__json_object_end(w->json);
    return UBI_OK;
}

static void list_end(void *payload, const ubi__text_tree_level *level) {
    writer *w = payload;
    (void)level;
    ubi__json_array_end(w->json);
    if (w->walk.levels.n > 1) /* of a row, not of the document */
        ubi__json_object_end(w->json);
}

static void limits_put(writer *w) {
    ubi_retaining_limits limits = ubi_retaining_tree_limits(w->answer->tree);
    ubi__json_member_object(w->json, "limitsReached");
    ubi__json_member_bool(w->json, "depth", limits.has_more_levels);
    ubi__json_member_bool(w->json, "siblings", limits.has_more_siblings);
    ubi__json_member_bool(w->json, "nodes", limits.has_more_nodes);
    ubi__json_object_end(w->json);
}

static void ignored_put(writer *w) {
    ubi__json_member_array(w->json, "ignored");
    for (size_t i = 0; i < w->answer->ignored.n; i++)
        ubi__json_node_id(w->json, ubi_graph_node_id(w->answer->graph, w->answer->ignored.at[i]));
    ubi__json_array_end(w->json);
    ubi__json_member_bool(w->json, "keptAlive",
                          ubi_retaining_distance(w->answer->retaining, w->answer->node) < UBI_RETAINING_UNREACHABLE);
}

static void dominators_put(writer *w) {
    ubi_node_ix node = w->answer->node;
    ubi__json_member_array(w->json, "dominators");
    while ((node = ubi_dominators_immediate(w->answer->facts.dominators, node)) != UBI_NONE && !w->json->has_failed) {
        ubi__json_object_begin(w->json);
        ubi__object_json(w->json, &w->answer->facts, node, w->answer->facts.distances[node]);
        ubi__json_object_end(w->json);
    }
    ubi__json_array_end(w->json);
}

static ubi_status rows_put(writer *w) {
    static const ubi__text_tree_ops ops = { .row = object_write, .end = list_end };
    w->walk = (ubi__text_tree){ .ops = &ops, .payload = w };
    list_begin(w, w->answer->node);
    UBI_TRY(level_open(w, w->answer->node, 0, ubi_retaining_tree_first_level(w->answer->tree)));
    return ubi__text_tree_walk(&w->walk, &w->json->has_failed);
}

static ubi_status retainers_document(ubi__json *json, const void *answer_of, const ubi__asked *asked) {
    writer w = { .answer = answer_of, .json = json };
    (void)asked;
    ubi__object_json(json, &w.answer->facts, w.answer->node, w.answer->facts.distances[w.answer->node]);
    ignored_put(&w);
    ubi_status status = rows_put(&w);
    ubi__text_tree_fini(&w.walk);
    limits_put(&w);
    dominators_put(&w);
    return status;
}

/* ---- question ---------------------------------------------------------------------------------------------------- */

static const ubi__parameter parameters[] = {
    UBI__NODE("node", 0, AT(node), "ID", "the node, by its id", NULL, .is_operand = true, .is_required = true),
    UBI__NODES("ignore", 0, AT(ignored), "ID,...", "as if these nodes were not there: what else keeps it alive?", NULL),
    UBI__ALIAS_LETTER('i'),
    UBI__FLAG("all", 'a', AT(with_all),
              "open every row, not only the first of each level that closes no circle: all ways up"),
    UBI__NUMBER("depth", 'd', AT(depth), "N", "levels of retainers; 0: as many as there are", "20"),
    UBI__LIMIT(AT(limit), "retainers of one node; 0: all", "10"),
    UBI__PARAMETERS_END,
};

static const ubi__example examples[] = {
    { "retainers app.heapsnapshot 79447", "who refers to this object" },
    { "retainers --ignore 78369 app.heapsnapshot 79447", "and if the cache that should hold it were gone?" },
    { "retainers --all --depth 4 app.heapsnapshot 79447", "every way, four levels up" },
    { "retainers --json app.heapsnapshot 79447 | jq '.retainers[0]'", "the nearest, for a script" },
    { NULL, NULL },
};

const ubi__usage ubi__usage_retainers = {
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
    .parameters = parameters,
    .examples = examples,
    .min_operands = 2,
    .max_operands = 2,
    .arguments_bytes = sizeof(retainers_values),
};

const ubi__question ubi__question_retainers = {
    .usage = &ubi__usage_retainers,
    .schema = "ubiheap.retainers/1",
    .least_heaps = 1,
    .most_heaps = 1,
    .answer_bytes = sizeof(answer),
    .compute = retainers_compute,
    .document = retainers_document,
    .page = retainers_page,
    .release = retainers_release,
};
