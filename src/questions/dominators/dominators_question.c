/* SPDX-License-Identifier: MIT
 *
 * dominators_question.c: who keeps how much alive.
 */
#include <ubiheap/core/dominator_tree.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/status.h"
#include "base/text.h"
#include "questions/breakdown_choice.h"
#include "questions/dominators/dominated_groups.h"
#include "questions/dominators/dominated_list.h"
#include "questions/dominators/next_drop.h"
#include "questions/node_rows.h"
#include "questions/question.h"
#include "render/dominator_tree_text.h"
#include "render/result_json.h"

typedef struct dominators_values {
    ubi__node_id node;
    ubi__breakdown_spec breakdown;
    const char *by;
    uint64_t depth, siblings, offset, top, percent;
    bool is_flat, with_way, with_likes, wants_drop;
} dominators_values;

#define AT(field) offsetof(dominators_values, field)

/* What is shown: a part of the session, since it takes a look at all children of nodes that may have millions. */
typedef struct shown_rows {
    const ubi_allocator *allocator;
    ubi_labels *labels;
    ubi_dominator_node *tree; /* or NULL, with --limit and --likes: */
    ubi__vec_dominator_row list;
    ubi__dominated_sums likes;  /* of all in the list, if it is of one class */
    ubi__vec_dominator_row way; /* from the root, or below it, down to the first row, if that is asked for */
    uint32_t n_above_way;
} shown_rows;

typedef struct answer {
    const dominators_values *values;
    ubi_compat compat;
    ubi__breakdown_spec spec;
    ubi__breakdown_choice chosen; /* owned */
    const ubi_look *look;
    const ubi_graph *graph;
    const ubi_dominators *dominators;
    ubi_node_ix start;
    bool has_drop; /* one was asked for, and is the start */
    bool is_by_class;
    ubi__dominated_groups groups; /* owned; by class, and else: */
    const shown_rows *shown;
} answer;

/* ---- rows -------------------------------------------------------------------------------------------------------- */

/* What they depend on besides the heap. */
typedef struct row_wishes {
    ubi_node_ix start;
    uint32_t depth, siblings, offset, top;
    int compat, with_way, with_likes;
    const char *breakdown; /* JSON; "": the default */
} row_wishes;

#define WISHES_FORMAT "%" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu32 " %d %d %d "
#define WISHES_BYTES 100 /* of the numbers */

/* False: this is no such key. */
static bool wishes_read(row_wishes *out, const char *key) {
    int n = 0;
    sscanf(key, "%" SCNu32 " %" SCNu32 " %" SCNu32 " %" SCNu32 " %" SCNu32 " %d %d %d%n", &out->start, &out->depth,
           &out->siblings, &out->offset, &out->top, &out->compat, &out->with_way, &out->with_likes, &n);
    if (!n || key[n] != ' ')
        return false;
    out->breakdown = key + n + 1;
    return true;
}

static ubi_dominator_tree_options tree_options(const row_wishes *wishes, ubi_session_use *use,
                                               const ubi_allocator *allocator) {
    ubi_dominator_tree_options options = UBI_DOMINATOR_TREE_OPTIONS_INIT;
    options.progress = *ubi_session_use_progress(use);
    options.allocator = allocator;
    options.start = wishes->start;
    options.max_depth = wishes->depth;
    options.max_siblings = wishes->siblings;
    return options;
}

static ubi_status top_find(shown_rows *rows, const row_wishes *wishes, ubi_session_use *use,
                           const ubi_dominators *dominators, const ubi_graph *graph) {
    const ubi_allocator *a = rows->allocator;
    uint32_t n = 0, max = ubi__smaller(wishes->top, ubi_graph_node_count(graph));
    ubi_node_ix *nodes = ubi__alloc_array(a, max, sizeof *nodes);
    if (!nodes)
        return ubi__fail_nomem();
    ubi_status status =
        ubi_dominator_tree_top(nodes, &n, dominators, graph, wishes->start, max, ubi_session_use_progress(use), a);
    if (status == UBI_OK)
        status = ubi__node_rows_add(&rows->list, dominators, rows->labels, nodes, n, a);
    ubi__free_array(a, nodes, max, sizeof *nodes);
    return status;
}

/* Levels that a way has at most: those next to its end. */
#define MOST_WAY 1000

static ubi_status way_make(shown_rows *rows, const row_wishes *wishes, const ubi_dominators *dominators) {
    ubi_node_ix nodes[MOST_WAY], node = wishes->start;
    uint32_t level = 0;
    for (ubi_node_ix at = node; at != UBI_NONE; at = ubi_dominators_immediate(dominators, at))
        level++;
    uint32_t n = ubi__smaller(level, MOST_WAY);
    for (uint32_t i = n; i > 0; i--, node = ubi_dominators_immediate(dominators, node))
        nodes[i - 1] = node;
    rows->n_above_way = level - n;
    return ubi__node_rows_add(&rows->way, dominators, rows->labels, nodes, n, rows->allocator);
}

/* Rows [offset, offset + siblings) of the nodes, those first that retain most. */
static ubi_status largest_list(shown_rows *rows, const row_wishes *wishes, const ubi_dominators *dominators,
                               const ubi__vec_u32 *nodes) {
    const ubi_allocator *a = rows->allocator;
    uint32_t offset = ubi__smaller(wishes->offset, (uint32_t)nodes->n), n = 0;
    uint32_t end = offset + ubi__smaller(wishes->siblings, (uint32_t)nodes->n - offset);
    ubi_node_ix *largest = ubi__alloc_array(a, end ? end : 1, sizeof *largest);
    if (!largest)
        return ubi__fail_nomem();
    ubi_status status = ubi_dominators_largest_of(largest, &n, dominators, nodes->at, (uint32_t)nodes->n, end);
    if (status == UBI_OK)
        status = ubi__node_rows_add(&rows->list, dominators, rows->labels, largest + offset, end - offset, a);
    ubi__free_array(a, largest, end ? end : 1, sizeof *largest);
    return status;
}

/* Those of the first row's class beside it. */
static ubi_status likes_find(shown_rows *rows, const row_wishes *wishes, const ubi_dominators *dominators,
                             const ubi_look *look) {
    ubi__vec_u32 nodes = { 0 };
    ubi_status status = ubi__dominated_group_members(&nodes, dominators, look, wishes->start, rows->allocator);
    rows->likes = ubi__node_sums(dominators, look, nodes.at, (uint32_t)nodes.n);
    if (status == UBI_OK)
        status = largest_list(rows, wishes, dominators, &nodes);
    ubi__vec_u32_fini(&nodes, rows->allocator);
    return status;
}

/* The children of a node from the offset on. */
static ubi_status children_add(ubi__vec_dominator_row *list, shown_rows *rows, const row_wishes *wishes,
                               ubi_session_use *use, const ubi_dominators *dominators) {
    const ubi_allocator *a = rows->allocator;
    uint32_t n_children;
    ubi__vec_u32 own = { 0 };
    const ubi_node_ix *first;
    ubi_dominators_dominated(dominators, wishes->start, &n_children);
    uint32_t offset = ubi__smaller(wishes->offset, n_children);
    uint32_t n = ubi__smaller(wishes->siblings, n_children - offset);
    if (ubi__dominates_many(dominators, wishes->start)) {
        UBI_TRY(ubi__dominated_first(&first, use, wishes->start, offset + n));
        return ubi__node_rows_add(list, dominators, rows->labels, first + offset, n, a);
    }
    UBI_TRY(ubi__vec_u32_reserve(&own, a, offset + n ? offset + n : 1));
    uint32_t n_own;
    ubi_status status = ubi_dominators_largest(own.at, &n_own, dominators, wishes->start, offset + n);
    if (status == UBI_OK)
        status = ubi__node_rows_add(list, dominators, rows->labels, own.at + offset, n, a);
    ubi__vec_u32_fini(&own, a);
    return status;
}

/* The first row, and below it its children from the offset on. */
static ubi_status page_make(shown_rows *rows, const row_wishes *wishes, ubi_session_use *use,
                            ubi_dominator_tree_options options, const ubi_dominators *dominators) {
    const ubi_allocator *a = rows->allocator;
    ubi_dominator_node *alone;
    ubi_dominator_row row;
    ubi__vec_dominator_row children = { 0 };
    options.max_depth = 1;
    UBI_TRY(ubi_dominator_tree_partial(&alone, dominators, rows->labels, &options));
    ubi_dominator_node_get(alone, &row);
    ubi_status status = children_add(&children, rows, wishes, use, dominators);
    if (status == UBI_OK)
        status = ubi_dominator_tree_insert(&rows->tree, alone, &row.node_id, 1, children.at, (uint32_t)children.n,
                                           row.n_dominated > wishes->offset + (uint64_t)children.n, a);
    ubi__node_rows_fini(&children, a);
    ubi_dominator_node_unref(alone);
    return status;
}

static ubi_status rows_make(shown_rows *rows, const row_wishes *wishes, ubi_session_use *use) {
    const ubi_look *look;
    const ubi_dominators *dominators;
    UBI_TRY(ubi_session_look(&look, use));
    const ubi_view *view = ubi_look_view(look);
    ubi_text breakdown = { *wishes->breakdown ? wishes->breakdown : NULL, strlen(wishes->breakdown) };
    UBI_TRY(ubi__labels_make(&rows->labels, breakdown, view, (ubi_compat)wishes->compat, rows->allocator));
    UBI_TRY(ubi_session_dominators(&dominators, use, true));
    if (wishes->with_way)
        UBI_TRY(way_make(rows, wishes, dominators));
    if (wishes->with_likes)
        return likes_find(rows, wishes, dominators, look);
    if (wishes->top)
        return top_find(rows, wishes, use, dominators, view->graph);
    ubi_dominator_tree_options options = tree_options(wishes, use, rows->allocator);
    if (wishes->offset || (wishes->depth == 2 && ubi__dominates_many(dominators, wishes->start)))
        return page_make(rows, wishes, use, options, dominators);
    return ubi_dominator_tree_partial(&rows->tree, dominators, rows->labels, &options);
}

static void rows_free(void *value, const ubi_allocator *allocator) {
    shown_rows *rows = value;
    ubi__node_rows_fini(&rows->list, allocator);
    ubi__node_rows_fini(&rows->way, allocator);
    ubi_dominator_node_unref(rows->tree);
    ubi_labels_unref(rows->labels);
    UBI_DELETE(allocator, rows);
}

static ubi_status rows_build(void **out, ubi_session_use *use, const char *key, const ubi_allocator *allocator) {
    row_wishes wishes;
    shown_rows *rows = UBI_NEW(allocator, shown_rows);
    if (!rows)
        return ubi__fail_nomem();
    rows->allocator = allocator;
    ubi_status status = wishes_read(&wishes, key) ? rows_make(rows, &wishes, use)
                                                  : ubi__fail(UBI_EINVAL, "'%s' is no key of dominator rows", key);
    if (status == UBI_OK)
        *out = rows;
    else
        rows_free(rows, allocator);
    return status;
}

static const ubi__part_type rows_part = { .name = "dominator rows", .build = rows_build, .free = rows_free };

/* 0 means all; in Firefox it means none. */
static uint32_t limit_of(const answer *a, uint64_t number) {
    if (number == 0 && a->compat == UBI_COMPAT_NONE)
        return UINT32_MAX;
    return number < UINT32_MAX ? (uint32_t)number : UINT32_MAX;
}

static ubi_status rows_get(answer *a, const ubi__asked *asked) {
    const ubi_allocator *memory = ubi__asked_allocator(asked);
    const char *breakdown = a->chosen.json.ptr ? a->chosen.json.ptr : "";
    size_t n = WISHES_BYTES + strlen(breakdown) + 1;
    uint32_t top = (uint32_t)ubi__smaller(a->values->top, UINT32_MAX);
    void *rows = NULL;
    char *key = ubi__alloc_array(memory, n, 1);
    if (!key)
        return ubi__fail_nomem();
    snprintf(key, n, WISHES_FORMAT "%s", a->start, limit_of(a, a->values->depth), limit_of(a, a->values->siblings),
             (uint32_t)ubi__smaller(a->values->offset, UINT32_MAX), top, (int)a->compat, a->values->with_way,
             a->values->with_likes, breakdown);
    ubi_status status = ubi__session_part(&rows, ubi__asked_heap(asked), &rows_part, key);
    ubi__free_array(memory, key, n, 1);
    a->shown = rows;
    return status;
}

/* ---- document ---------------------------------------------------------------------------------------------------- */

/* Most levels of nested rows: two JSON levels each, which all readers accept. */
#define MOST_NESTED 200

/* Where rows get what they say besides. */
typedef struct row_source {
    ubi_session_use *use;
    const ubi_dominators *dominators;
    const ubi_look *look;
} row_source;

static row_source source_of_rows(const answer *a, const ubi__asked *asked) {
    return (row_source){ ubi__asked_heap(asked), a->dominators, a->look };
}

/* How many children there are and what they are in sum, loaded or not; and its title. */
static ubi_status dominated_put(void *source_of, ubi__json *json, const ubi_dominator_row *row) {
    const row_source *source = source_of;
    ubi__dominated_sums sums;
    UBI_TRY(ubi__dominated_sums_get(&sums, source->use, row->node));
    ubi__dominated_sums_put(json, &sums);
    return ubi__node_row_title_put((void *)source->look, json, row);
}

/* Rows of Firefox have nothing more. */
static ubi__dominator_row_fn *more_of(const answer *a) {
    return a->compat == UBI_COMPAT_FIREFOX ? NULL : dominated_put;
}

/* A step of the way: a row and its place among those that its dominator dominates. */
static ubi_status step_put(ubi__json *json, row_source *source, const ubi_dominator_node *step) {
    ubi_dominator_row row;
    ubi_dominator_node_get(step, &row);
    ubi__dominated_sums before = ubi__dominated_sums_before(source->dominators, source->look, row.node);
    ubi__render_dominator_row(json, &row);
    UBI_TRY(dominated_put(source, json, &row));
    ubi__json_member_u64(json, "index", before.count);
    ubi__json_member_u64(json, "shallowSizeBefore", before.shallow_bytes);
    ubi__json_member_u64(json, "retainedSizeBefore", before.retained_bytes);
    ubi__json_object_end(json);
    return UBI_OK;
}

static ubi_status way_put(ubi__json *json, const answer *a, const ubi__asked *asked) {
    row_source source = source_of_rows(a, asked);
    const ubi__vec_dominator_row *way = &a->shown->way;
    ubi__json_member_u64(json, "countAboveWay", a->shown->n_above_way);
    ubi__json_member_array(json, "way");
    for (size_t i = 0; i < way->n && !json->has_failed; i++)
        UBI_TRY(step_put(json, &source, way->at[i]));
    ubi__json_array_end(json);
    return UBI_OK;
}

static ubi_status tree_put(ubi__json *json, const answer *a, const ubi__asked *asked) {
    row_source source = source_of_rows(a, asked);
    uint32_t depth;
    UBI_TRY(ubi__dominator_tree_depth(&depth, a->shown->tree));
    bool is_flat = a->values->is_flat || depth > MOST_NESTED;
    ubi__json_key(json, is_flat ? "rows" : "tree");
    return is_flat ? ubi__render_dominator_rows(json, a->shown->tree, more_of(a), &source)
                   : ubi__render_dominator_tree_with(json, a->shown->tree, more_of(a), &source);
}

static ubi_status top_put(ubi__json *json, const answer *a, const ubi__asked *asked) {
    row_source source = source_of_rows(a, asked);
    const ubi__vec_dominator_row *rows = &a->shown->list;
    ubi__json_member_array(json, "top");
    for (size_t i = 0; i < rows->n; i++)
        UBI_TRY(ubi__render_dominator_tree_with(json, rows->at[i], more_of(a), &source));
    ubi__json_array_end(json);
    return UBI_OK;
}

static ubi_status likes_put(ubi__json *json, const answer *a, const ubi__asked *asked) {
    row_source source = source_of_rows(a, asked);
    const ubi__vec_dominator_row *rows = &a->shown->list;
    ubi__json_member_object(json, "likes");
    ubi__json_member_u64(json, "count", a->shown->likes.count);
    ubi__json_member_u64(json, "shallowSize", a->shown->likes.shallow_bytes);
    ubi__json_member_u64(json, "retainedSize", a->shown->likes.retained_bytes);
    ubi__json_member_u64(json, "offset", a->values->offset);
    ubi__json_member_array(json, "rows");
    for (size_t i = 0; i < rows->n && !json->has_failed; i++)
        UBI_TRY(ubi__render_dominator_tree_with(json, rows->at[i], more_of(a), &source));
    ubi__json_array_end(json);
    ubi__json_object_end(json);
    return UBI_OK;
}

static ubi_status rows_put(ubi__json *json, const answer *a, const ubi__asked *asked) {
    ubi__breakdown_write_json(json, &a->chosen);
    if (a->values->with_likes)
        return likes_put(json, a, asked);
    if (a->values->with_way)
        UBI_TRY(way_put(json, a, asked));
    return a->shown->tree ? tree_put(json, a, asked) : top_put(json, a, asked);
}

static ubi_status dominators_document(ubi__json *json, const void *answer_of, const ubi__asked *asked) {
    const answer *a = answer_of;
    ubi__json_member_node_id(json, "rootId", ubi_graph_node_id(a->graph, ubi_dominators_root(a->dominators)));
    ubi__json_member_u64(json, "nodeCount", ubi_dominators_node_count(a->dominators));
    if (a->values->wants_drop)
        ubi__json_member_bool(json, "hasDrop", a->has_drop);
    if (!a->is_by_class)
        return rows_put(json, a, asked);
    ubi__json_member_node_id(json, "nodeId", ubi_graph_node_id(a->graph, a->start));
    ubi__json_member_u64(json, "groupCount", a->groups.list.n);
    ubi__json_key(json, "groups");
    ubi__dominated_groups_put(json, &a->groups, a->graph, limit_of(a, a->values->siblings));
    return UBI_OK;
}

/* ---- page -------------------------------------------------------------------------------------------------------- */

static ubi__dominator_text_options text_options(const answer *a) {
    uint64_t start_bytes = ubi_dominators_retained_bytes(a->dominators, a->start);
    uint64_t percent = a->values->percent < 100 ? a->values->percent : 100;
    return (ubi__dominator_text_options){
        .graph = a->graph,
        .total_bytes = ubi_dominators_retained_bytes(a->dominators, ubi_dominators_root(a->dominators)),
        .least_bytes = (uint64_t)((double)start_bytes / 100 * (double)percent),
        .look = a->look,
        .with_names = strcmp(a->spec.text, "label") == 0,
    };
}

static void unreachable_write(const ubi__page *page, const answer *a) {
    if (a->start == ubi_dominators_root(a->dominators) || ubi_dominators_immediate(a->dominators, a->start) != UBI_NONE)
        return;
    ubi__out_string(page->out, "It cannot be reached from the root: nothing keeps it, and it keeps nothing.\n");
}

static ubi_status dominators_page(const ubi__page *page, const void *answer_of, const ubi__asked *asked) {
    const answer *a = answer_of;
    ubi__dominator_text_options text = text_options(a);
    (void)asked;
    const shown_rows *shown = a->shown;
    if (a->is_by_class) {
        ubi__dominated_groups_write(page, &a->groups, limit_of(a, a->values->siblings),
                                    ubi_dominators_retained_bytes(a->dominators, a->start));
        return UBI_OK;
    }
    if (!shown->tree)
        return ubi__render_dominator_list(page->out, &page->style, shown->list.at, shown->list.n, &text);
    ubi_status status = ubi__render_dominator_text(page->out, &page->style, shown->tree, &text);
    unreachable_write(page, a);
    return status;
}

/* ---- answer ------------------------------------------------------------------------------------------------------ */

static ubi_status dominators_prepare(void *answer_of, const ubi__asked *asked) {
    answer *a = answer_of;
    const dominators_values *values = a->values = asked->values;
    a->compat = asked->compat;
    if (values->is_flat && (asked->is_for_page || values->top))
        return ubi__fail(UBI_EINVAL, values->top ? "--flat does not go with --limit, whose rows are side by side"
                                                 : "--flat is for --json");
    if (values->offset && (values->top || (values->depth != 2 && !values->with_likes)))
        return ubi__fail(UBI_EINVAL,
                         values->top ? "--offset does not go with --limit" : "--offset goes with --depth 2");
    if (values->with_likes && (values->top || values->is_flat || values->with_way || asked->is_for_page))
        return ubi__fail(UBI_EINVAL, "--likes does not go with %s",
                         values->top        ? "--limit"
                         : values->is_flat  ? "--flat"
                         : values->with_way ? "--way"
                                            : "pages");
    if (values->wants_drop && asked->is_for_page)
        return ubi__fail(UBI_EINVAL, "--next-drop does not go with pages");
    a->is_by_class = values->by && strcmp(values->by, "class") == 0;
    if (a->is_by_class && (values->top || values->is_flat || values->offset || values->with_way || values->with_likes ||
                           values->breakdown.text))
        return ubi__fail(UBI_EINVAL, "--by class does not go with %s",
                         values->breakdown.text ? "--breakdown"
                         : values->top          ? "--limit"
                         : values->is_flat      ? "--flat"
                         : values->with_way     ? "--way"
                         : values->with_likes   ? "--likes"
                                                : "--offset");
    a->spec = ubi__labels_spec(&values->breakdown);
    return ubi__breakdown_choose(&a->chosen, &a->spec, "dominators", asked->compat);
}

/* The next drop is the first row; where there is none, the node from which it was looked for. */
static ubi_status drop_start(answer *a, const ubi__asked *asked) {
    ubi_node_ix drop;
    UBI_TRY(ubi__next_drop_find(&drop, a->dominators, a->start, ubi__asked_allocator(asked)));
    a->has_drop = drop != UBI_NONE;
    if (a->has_drop)
        a->start = drop;
    return UBI_OK;
}

static ubi_status dominators_compute(void *answer_of, const ubi__asked *asked) {
    answer *a = answer_of;
    UBI_TRY(ubi_session_look(&a->look, ubi__asked_heap(asked)));
    a->graph = ubi_look_view(a->look)->graph;
    a->start = ubi_look_view(a->look)->root;
    if (a->values->node.is_given)
        UBI_TRY(ubi__node_id_find(&a->start, a->graph, a->values->node.id));
    UBI_TRY(ubi_session_dominators(&a->dominators, ubi__asked_heap(asked), true));
    if (a->values->wants_drop)
        UBI_TRY(drop_start(a, asked));
    if (a->is_by_class)
        return ubi__dominated_groups_find(&a->groups, a->dominators, a->look, a->start, ubi__asked_allocator(asked));
    return rows_get(a, asked);
}

static void dominators_release(void *answer_of, const ubi__asked *asked) {
    answer *a = answer_of;
    (void)asked;
    ubi__dominated_groups_fini(&a->groups);
    ubi__breakdown_choice_fini(&a->chosen);
}

/* ---- question ---------------------------------------------------------------------------------------------------- */

static const char *const groupings[] = { "node", "class", NULL };

static const ubi__parameter parameters[] = {
    UBI__CHOICE("by", 0, AT(by), "WHAT", groupings,
                "node: a tree of nodes; class: what the first row dominates immediately, added up by class", "node"),
    UBI__NODE("node", 0, AT(node), "ID", "start at this node", "the root"),
    UBI__NUMBER("depth", 'd', AT(depth), "N", "levels of the tree, the first row's included; 0: all", "4"),
    UBI__NUMBER("siblings", 0, AT(siblings), "N", "children of a row at most; 0: all", "15"),
    UBI__ALIAS_LETTER('s'),
    UBI__NUMBER("offset", 0, AT(offset), "N", "with a depth of 2: leave the first N children of the first row out", "0",
                .scope = UBI__SCOPE_PROGRAM),
    UBI__FLAG("way", 0, AT(with_way),
              "also the nodes that dominate the first row, from the root down to it, at most the nearest 1000, each "
              "with its place",
              .scope = UBI__SCOPE_PROGRAM),
    UBI__FLAG("next-drop", 0, AT(wants_drop),
              "start at the next node after it, depth first, of whose retained size its largest child has less than "
              "half; "
              "nodes below a thousandth of the heap are passed",
              .scope = UBI__SCOPE_PROGRAM),
    UBI__FLAG("likes", 0, AT(with_likes),
              "no tree, but the nodes of the first row's class that its dominator dominates, as one group of by class; "
              "siblings says how "
              "many, offset from which on",
              .scope = UBI__SCOPE_PROGRAM),
    UBI__NUMBER("percent", 0, AT(percent), "N", "text: sum up rows that retain less than N percent of the first row",
                "1", .scope = UBI__SCOPE_PAGE),
    UBI__ALIAS_LETTER('p'),
    UBI__LIMIT(AT(top), "no tree, but the N nodes with the largest retained sizes wherever they are, the largest first",
               NULL),
    UBI__BREAKDOWN("breakdown", 'b', AT(breakdown), "SPEC",
                   "what rows are called: types, stack (where they were allocated), or a breakdown as that of census",
                   "types"),
    UBI__FLAG("flat", 0, AT(is_flat),
              "JSON: rows one after the other, each with its depth, instead of nested rows; trees of more than 200 "
              "levels always are"),
    UBI__PARAMETERS_END,
};

static const ubi__example examples[] = {
    { "dominators app.fxsnapshot", "who keeps what, from the root down" },
    { "dominators --node 140720891387000 app.fxsnapshot", "what one node keeps" },
    { "dominators --by class --node 140720891387000 app.fxsnapshot", "the same, added up by class" },
    { "dominators --limit 20 app.fxsnapshot", "the twenty nodes that keep most" },
    { "dominators --breakdown stack app.fxsnapshot", "with the place where each was allocated" },
    { "dominators --json --flat --depth 0 --siblings 0 app.fxsnapshot | jq '.rows[] | select(.retainedSize > 1e6)'",
      "the whole tree, for a script" },
    { NULL, NULL },
};

const ubi__usage ubi__usage_dominators = {
    .name = "dominators",
    .operands = "FILE",
    .summary = "show who keeps how much alive: the dominator tree",
    .question = "Who keeps how much memory alive?",
    .description =
        "A node dominates another when every path from the root to the other one passes it: were it gone, the other "
        "would be freed too. Below each row are the nodes that it dominates immediately. The retained size of a node "
        "is its own size and that of all nodes below it: the memory that would be freed with it.\n"
        "\n"
        "Rows that retain little are summed up in the last row of their level. [N below] says that N more nodes are "
        "dominated than the depth shows. The number behind a name is the node's id.\n"
        "\n"
        "Nodes that the root cannot reach are not in the tree, and retain 0.\n"
        "\n"
        "With --compat firefox, 0 levels or siblings are none, as in DominatorTreeNode.partialTraversal, and labels "
        "follow Firefox where a breakdown leaves counts out.",
    .parameters = parameters,
    .examples = examples,
    .has_firefox_mode = true,
    .min_operands = 1,
    .max_operands = 1,
    .arguments_bytes = sizeof(dominators_values),
};

const ubi__question ubi__question_dominators = {
    .usage = &ubi__usage_dominators,
    .schema = "ubiheap.dominators/1",
    .least_heaps = 1,
    .most_heaps = 1,
    .answer_bytes = sizeof(answer),
    .prepare = dominators_prepare,
    .compute = dominators_compute,
    .document = dominators_document,
    .page = dominators_page,
    .release = dominators_release,
};
