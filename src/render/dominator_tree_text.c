/* SPDX-License-Identifier: MIT
 *
 * dominator_tree_text.c: rows of a dominator tree as a table for people.
 *
 *    Retained       %               Own size  Name
 *     641 KiB  100.0%  ██████████        1 B  JS::ubi::RootList  140733032943400
 *     294 KiB   45.8%  ████▋        6.09 KiB  ├─ window: Window  1810879242288
 *     113 KiB   17.6%  █▊              296 B  │  ├─ store: Object  1810879754456  [18 below]
 *     175 KiB   27.2%  ██▋                    │  └─ … 595 more
 *
 * A name is preceded by the property by which the dominator refers to the node, if it does. The last row of a level
 * sums up the children that are not shown: what the node retains less its own size and theirs.
 */
#include "render/dominator_tree_text.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/alloc.h"
#include "base/human.h"
#include "base/merge_sort.h"
#include "base/text.h"
#include "lenses/lens.h"
#include "render/heap_labels.h"
#include "render/text_tree.h"

/* ---- by which edges nodes refer to each other ------------------------------------------------------------------- */

/* Two nodes that may be joined by an edge. */
typedef struct node_pair {
    ubi_node_ix from, to; /**< `from` UBI_NONE: no node */
} node_pair;

typedef struct wanted {
    node_pair pair;
    size_t place; /* in the caller's arrays */
} wanted;

static bool pair_before(void *unused, wanted a, wanted b) {
    (void)unused;
    return a.pair.from != b.pair.from ? a.pair.from < b.pair.from : a.pair.to < b.pair.to;
}
UBI_SORT_DEFINE(sort_wanted, wanted, void *, pair_before);

/* First of list[0..n) whose target is `to` or greater. */
static size_t lower_bound(const wanted *list, size_t n, ubi_node_ix to) {
    size_t low = 0, high = n;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (list[middle].pair.to < to)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool is_access(ubi__edge_words words) {
    return words.how >= UBI__EDGE_VARIABLE && (words.text.len > 0 || words.how == UBI__EDGE_INDEX);
}

/* list[0..n) has one source. */
static void find_accesses_of(ubi__edge_words *out, const ubi_graph *g, const wanted *list, size_t n) {
    ubi_node_ix from = list[0].pair.from;
    size_t n_missing = n;
    for (ubi_edge_ix e = ubi_graph_first_edge(g, from); n_missing && e < ubi_graph_first_edge(g, from + 1); e++) {
        ubi_node_ix to = ubi_graph_edge_target(g, e);
        size_t i = lower_bound(list, n, to);
        if (i == n || list[i].pair.to != to || out[list[i].place].how != UBI__EDGE_SILENT)
            continue;
        ubi__edge_words words = ubi__edge_words_of(g, from, e);
        words.before = NULL; /* a variable is called by its name alone */
        for (; is_access(words) && i < n && list[i].pair.to == to; i++, n_missing--)
            out[list[i].place] = words;
    }
}

/*
 * What a script writes to get from one node to the other, such as "store" or "[17]": the first such edge of each pair.
 * `out` is words[n]; UBI__EDGE_SILENT: there is no such edge. Cost: O(edges of all different `from` * log n). Errors: UBI_ENOMEM.
 */
static ubi_status accesses_of_pairs(ubi__edge_words *out, const ubi_graph *graph, const node_pair *pairs, size_t n) {
    const ubi_allocator *a = ubi_allocator_default();
    if (n == 0)
        return UBI_OK;
    wanted *list = ubi__alloc_array(a, n, sizeof *list), *spare = ubi__alloc_array(a, n, sizeof *spare);
    if (list && spare) {
        for (size_t i = 0; i < n; i++) {
            list[i] = (wanted){ pairs[i], i };
            out[i] = (ubi__edge_words){ .how = UBI__EDGE_SILENT };
        }
        sort_wanted(list, spare, n, NULL);
        for (size_t first = 0, i = 1; i <= n; i++)
            if (i == n || list[i].pair.from != list[first].pair.from) {
                if (list[first].pair.from != UBI_NONE)
                    find_accesses_of(out, graph, list + first, i - first);
                first = i;
            }
    }
    bool complete = list && spare;
    ubi__free_array(a, list, n, sizeof *list);
    ubi__free_array(a, spare, n, sizeof *spare);
    return complete ? UBI_OK : ubi__fail_nomem();
}

/* ---- the page --------------------------------------------------------------------------------------------------- */

enum { RETAINED, SHARE, BAR, OWN_SIZE, COLUMNS };

#define NAME_COLUMNS_BESIDE_OWN 30
#define LEAST_NAME_COLUMNS 8

static const ubi__text_column dominator_columns[COLUMNS] = {
    [RETAINED] = { "Retained", .width = 9 },
    [SHARE] = { "%", .width = 6, .gap = 2 },
    [BAR] = { NULL, .width = 10, .gap = 2, .least_name_columns = 45 },
    [OWN_SIZE] = { "Own size", .width = 9, .gap = 2, .least_name_columns = NAME_COLUMNS_BESIDE_OWN },
};

/* Rows of a level, and what their dominator calls them. */
typedef struct siblings {
    ubi_dominator_node *const *at;
    ubi__edge_words *accesses; /* owned accesses[n] */
    size_t n;
    uint64_t hidden_bytes; /* of those that are not shown */
} siblings;

typedef struct page {
    ubi__out *out;
    const ubi__style *style;
    const ubi__dominator_text_options *options;
    ubi__text_table table;
    ubi__text_tree rows;
} page;

static void ink(const page *p, ubi__ink color) {
    ubi__display_ink(p->out, p->style, color);
}

static uint64_t own_size(const page *p, ubi_node_ix node) {
    return p->options->look ? ubi_look_size_bytes(p->options->look, node)
                            : ubi_graph_node_size_bytes(p->options->graph, node);
}

static void row_cells(const page *p, ubi__cell cells[COLUMNS], uint64_t retained_bytes) {
    cells[RETAINED] = ubi__cell_size(retained_bytes);
    cells[SHARE] = ubi__cell_share(retained_bytes, p->options->total_bytes);
    cells[BAR] = ubi__cell_bar(UBI__INK_CYAN, retained_bytes, p->options->total_bytes);
    cells[OWN_SIZE] = ubi__cell_none();
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

static bool is_filler(ubi_text part) {
    static const char *const fillers[] = {
        "noStack", "noFilename", "objects", "scripts", "strings", "other", "domNode"
    };
    for (size_t i = 0; i < sizeof fillers / sizeof *fillers; i++)
        if (ubi__text_is(part, fillers[i]))
            return true;
    return false;
}

/* Whether a part is a text worth showing; the last part always is. */
static bool says_something(const ubi_label *label, uint32_t i) {
    const ubi_label_part *part = &label->parts[i];
    return !part->is_stack && (i + 1 == label->n_parts || !is_filler(part->text));
}

/* For labels that say nothing. */
static ubi_text fallback_name(const ubi_graph *graph, ubi_node_ix node) {
    return ubi__kind_label(graph, ubi_graph_kind(graph, ubi_graph_node_kind(graph, node)));
}

static size_t label_write_words(ubi__out *out, const ubi__style *style, const ubi_label *label, size_t columns) {
    size_t used = 0;
    for (uint32_t i = 0; i < label->n_parts; i++) {
        if (!says_something(label, i) || columns < used + 2)
            continue;
        if (used)
            ubi__out_char(out, ' ');
        used += used > 0;
        used += ubi__display_text(out, style, label->parts[i].text, columns - used);
    }
    return used;
}

/* Columns that a label's words want, at most `most` each; the stack after them may be cut or left out. */
static size_t label_columns(const ubi__style *style, const ubi_label *label, const ubi_graph *graph, ubi_node_ix node,
                            size_t most) {
    size_t columns = 0;
    for (uint32_t i = 0; i < label->n_parts; i++)
        if (says_something(label, i))
            columns += ubi__display_columns(label->parts[i].text, style, most) + (columns > 0);
    return columns ? columns : ubi__display_columns(fallback_name(graph, node), style, most);
}

static const ubi_label_part *label_stack(const ubi_label *label) {
    for (uint32_t i = 0; i < label->n_parts; i++)
        if (label->parts[i].is_stack)
            return &label->parts[i];
    return NULL;
}

#define LEAST_FRAME_COLUMNS 12

size_t ubi__display_label(ubi__out *out, const ubi__style *style, const ubi_label *label, const ubi_graph *graph,
                          ubi_node_ix node, size_t columns) {
    const ubi_label_part *stack = label_stack(label);
    size_t used = label_write_words(out, style, label, stack ? columns / 2 : columns);
    if (used == 0)
        used = ubi__display_text(out, style, fallback_name(graph, node), columns);
    if (stack && used + 2 + LEAST_FRAME_COLUMNS <= columns) {
        ubi_frame frame;
        ubi_stack_frame(stack->stack, &frame);
        ubi__out_string(out, "  ");
        used += 2 + ubi__display_frame(out, style, &frame, columns - used - 2);
    }
    return used;
}

/* A row and how it is shown. */
typedef struct line {
    ubi_dominator_row row;
    ubi__edge_words access; /* silent: none */
    bool is_folded;         /* its children are not shown */
} line;

static bool has_own_names(const page *p) {
    return p->options->with_names && p->options->look && ubi_look_lens(p->options->look)->has_node_names;
}

static size_t name_columns(const page *p, const line *l, size_t most) {
    ubi_look_name_buffer buffer;
    if (!has_own_names(p))
        return label_columns(p->style, l->row.label, p->options->graph, l->row.node, most);
    return ubi__display_columns(ubi__node_title(p->options->graph, p->options->look, l->row.node, &buffer), p->style,
                                NAME_COLUMNS_BESIDE_OWN);
}

static void label_write(const page *p, const line *l, size_t columns) {
    ubi_look_name_buffer buffer;
    ubi_node_ix node = l->row.node;
    if (has_own_names(p))
        ubi__display_text(p->out, p->style, ubi__node_title(p->options->graph, p->options->look, node, &buffer),
                          columns);
    else
        ubi__display_label(p->out, p->style, l->row.label, p->options->graph, node, columns);
}

#define LEAST_ACCESS_COLUMNS 10 /* of a name that must be cut */

/* "store: ", where the name leaves room for it; columns written. */
static size_t access_write(const page *p, const line *l, size_t columns) {
    if (l->access.how == UBI__EDGE_SILENT)
        return 0;
    size_t label = name_columns(p, l, columns);
    size_t least = ubi__edge_words_columns(l->access, p->style, LEAST_ACCESS_COLUMNS);
    if (label + least + 2 > columns)
        return 0;
    size_t used = ubi__display_edge_words(p->out, p->style, l->access, columns - label - 2);
    ubi__out_string(p->out, ": ");
    return used + 2;
}

/* Names, id and, if the row's children are hidden, their number. What does not fit is left out, last first. */
static void name_write(const page *p, const line *l, size_t columns) {
    char id[24], below[UBI__HUMAN_TEXT + 16] = "", count[UBI__HUMAN_TEXT];
    const ubi_dominator_row *row = &l->row;
    size_t id_columns = (size_t)snprintf(id, sizeof id, "  %" PRIu64, row->node_id), below_columns = 0;
    if (l->is_folded && row->n_dominated)
        below_columns =
            (size_t)snprintf(below, sizeof below, "  [%s below]", ubi__human_count(count, row->n_dominated));
    if (LEAST_NAME_COLUMNS + id_columns + below_columns > columns)
        below[below_columns = 0] = 0;
    if (LEAST_NAME_COLUMNS + id_columns > columns)
        id[id_columns = 0] = 0;
    size_t room = columns - id_columns - below_columns;
    size_t used = access_write(p, l, room);
    label_write(p, l, room - used);
    ink(p, UBI__INK_DIM);
    ubi__out_string(p->out, id);
    ubi__out_string(p->out, below);
    ink(p, UBI__INK_PLAIN);
    ubi__out_char(p->out, '\n');
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

static void line_write(const page *p, const line *l) {
    ubi__cell cells[COLUMNS];
    row_cells(p, cells, l->row.retained_bytes);
    cells[OWN_SIZE] = ubi__cell_size(own_size(p, l->row.node));
    ubi__text_table_row(&p->table, cells);
    size_t used = p->table.used + ubi__text_tree_prefix(&p->rows);
    name_write(p, l, p->style->columns > used ? p->style->columns - used : 0);
}

static void rest_cells(void *payload, const ubi__text_tree_level *level, ubi__cell *cells) {
    const siblings *s = level->owned;
    row_cells(payload, cells, s->hidden_bytes);
}

/*
 * Children come greatest first, so those too small to show are the last. If there is only one, it takes no more room
 * than a row that says so.
 */
static siblings children_shown(const page *p, const ubi_dominator_row *row) {
    siblings s = { .at = row->children, .hidden_bytes = row->retained_bytes - own_size(p, row->node) };
    for (; s.n < row->n_children; s.n++) {
        ubi_dominator_row child;
        ubi_dominator_node_get(row->children[s.n], &child);
        bool is_only_one_left = s.n > 0 && s.n + 1 == row->n_dominated;
        if (child.retained_bytes < p->options->least_bytes && !is_only_one_left)
            break;
        s.hidden_bytes -= child.retained_bytes;
    }
    return s;
}

/* ---- what rows are called ---------------------------------------------------------------------------------------- */

/* The node that refers to a row: `dominator`, or its own for UBI_NONE. */
static ubi_status row_pair(node_pair *out, const ubi_graph *g, const ubi_dominator_node *node, ubi_node_ix dominator) {
    ubi_dominator_row row;
    ubi_dominator_node_get(node, &row);
    if (dominator == UBI_NONE && row.has_parent)
        UBI_TRY(ubi_graph_find(&dominator, g, row.parent_id));
    *out = (node_pair){ dominator, row.node };
    return UBI_OK;
}

static ubi_status accesses_find(siblings *s, const ubi_graph *g, ubi_node_ix dominator) {
    const ubi_allocator *a = ubi_allocator_default();
    node_pair *pairs = ubi__alloc_array(a, s->n, sizeof *pairs);
    s->accesses = ubi__alloc_array(a, s->n, sizeof *s->accesses);
    ubi_status status = s->n == 0 || (pairs && s->accesses) ? UBI_OK : ubi__fail_nomem();
    for (size_t i = 0; status == UBI_OK && i < s->n; i++)
        status = row_pair(&pairs[i], g, s->at[i], dominator);
    if (status == UBI_OK)
        status = accesses_of_pairs(s->accesses, g, pairs, s->n);
    ubi__free_array(a, pairs, s->n, sizeof *pairs);
    return status;
}

static void siblings_free(siblings *s) {
    ubi__free_array(ubi_allocator_default(), s->accesses, s->n, sizeof *s->accesses);
    UBI_DELETE(ubi_allocator_default(), s);
}

/* ---- the walk ---------------------------------------------------------------------------------------------------- */

static void level_close(void *payload, ubi__text_tree_level *level) {
    (void)payload;
    siblings_free(level->owned);
}

static ubi_status level_open(page *p, const siblings *shown, const ubi_dominator_row *row) {
    siblings *s = UBI_NEW(ubi_allocator_default(), siblings);
    if (!s)
        return ubi__fail_nomem();
    *s = *shown;
    ubi_status status = accesses_find(s, p->options->graph, row->node);
    if (status != UBI_OK) {
        siblings_free(s);
        return status;
    }
    return ubi__text_tree_open(
        &p->rows, (ubi__text_tree_level){ .owned = s,
                                          .n_shown = s->n,
                                          .n_hidden = row->n_dominated > s->n ? row->n_dominated - s->n : 0,
                                          .is_indented = true });
}

/* Writes a row and opens the level below it, if any of it is to be shown. */
static ubi_status node_enter(page *p, const ubi_dominator_node *node, ubi__edge_words access) {
    line l = { .access = access };
    ubi_dominator_node_get(node, &l.row);
    siblings below = children_shown(p, &l.row);
    l.is_folded = below.n == 0;
    line_write(p, &l);
    return l.is_folded ? UBI_OK : level_open(p, &below, &l.row);
}

static ubi_status row_enter(void *payload, ubi__text_tree *rows, const ubi__text_tree_level *level, size_t i) {
    const siblings *s = level->owned;
    (void)rows;
    return node_enter(payload, s->at[i], s->accesses[i]);
}

static page page_begin(ubi__out *out, const ubi__style *style, const ubi__dominator_text_options *options) {
    page p = { .out = out, .style = style, .options = options };
    ubi__text_table_init(&p.table, out, style, "Name", dominator_columns, COLUMNS);
    ubi__text_table_head(&p.table);
    return p;
}

ubi_status ubi__render_dominator_text(ubi__out *out, const ubi__style *style, const ubi_dominator_node *tree,
                                      const ubi__dominator_text_options *options) {
    static const ubi__text_tree_ops ops = { .row = row_enter, .rest = rest_cells, .close = level_close };
    page p = page_begin(out, style, options);
    p.rows = (ubi__text_tree){ .table = &p.table, .ops = &ops, .payload = &p, .has_guides = true };
    ubi_status status = node_enter(&p, tree, (ubi__edge_words){ .how = UBI__EDGE_SILENT });
    if (status == UBI_OK)
        status = ubi__text_tree_walk(&p.rows, &out->has_failed);
    ubi__text_tree_fini(&p.rows);
    return status;
}

ubi_status ubi__render_dominator_list(ubi__out *out, const ubi__style *style, ubi_dominator_node *const *rows,
                                      size_t n_rows, const ubi__dominator_text_options *options) {
    page p = page_begin(out, style, options);
    siblings s = { .at = rows, .n = n_rows };
    p.rows = (ubi__text_tree){ .table = &p.table };
    ubi_status status = accesses_find(&s, options->graph, UBI_NONE);
    for (size_t i = 0; status == UBI_OK && i < n_rows && !out->has_failed; i++) {
        line l = { .access = s.accesses[i], .is_folded = true };
        ubi_dominator_node_get(rows[i], &l.row);
        line_write(&p, &l);
    }
    ubi__free_array(ubi_allocator_default(), s.accesses, n_rows, sizeof *s.accesses);
    return status;
}
