/* SPDX-License-Identifier: MIT
 *
 * census_tree_text.c: a census tree as a table for people.
 *
 *        Size       %               Count  Name
 *     641 KiB  100.0%  ██████████   7,198  (everything)
 *     328 KiB   51.2%  █████▏       3,858  ├─ objects
 *     135 KiB   21.1%  ██▏          2,310  │  ├─ Function
 *    12.0 KiB    1.9%  ▎               40  │  └─ … 31 more
 *
 * In the tree of a diff, numbers have signs and no shares, and bars show by how much:
 *
 *   +64.4 KiB  ██████████    +100  (everything)
 *   -1.20 KiB  ▏              -60  ├─ Map
 *
 * Stacks make long chains, so a frame that is the only child of a frame comes below it without further indentation.
 *
 * In an inverted tree, a row with a single path of texts shows that after its name: "Function  in objects". A frame
 * that is the only caller of the frame above has the same numbers, and shows its name alone. So do all rows below the
 * first level of Firefox's inverted trees, whose numbers are those of whole groups and no shares of the row above.
 */
#include "render/census_tree_text.h"

#include <stdio.h>

#include "base/bits.h"
#include "base/human.h"
#include "base/text.h"
#include "render/heap_labels.h"
#include "render/text_tree.h"

#define QUARTERS 4

enum { SIZE, SHARE, BAR, COUNT, OWN_SIZE, COLUMNS };

static const ubi__text_column census_columns[COLUMNS] = {
    [SIZE] = { "Size", .width = 9 },
    [SHARE] = { "%", .width = 6, .gap = 2 },
    [BAR] = { NULL, .width = 10, .gap = 2, .least_name_columns = 40 },
    [COUNT] = { "Count", .width = 5, .gap = 2 },
    [OWN_SIZE] = { "Own size", .width = 9, .gap = 2 },
};

typedef struct page {
    ubi__out *out;
    const ubi__style *style;
    const ubi__census_text_options *options;
    const ubi_census_tree *tree;
    uint64_t total_bytes; /* a full bar; the whole that shares are of */
    ubi__text_table table;
    ubi__text_tree rows;
} page;

/* ---- numbers ---------------------------------------------------------------------------------------------------- */

static uint64_t i64_magnitude(int64_t value) {
    return value < 0 ? -(uint64_t)value : (uint64_t)value;
}

/* With its sign, and as a change where the tree is one of a diff. */
static ubi__cell signed_cell(const page *p, ubi__cell cell, int64_t value) {
    if (p->options->growth)
        return ubi__cell_change(cell, value < 0);
    cell.sign = value < 0 ? '-' : 0;
    return cell;
}

/* At the top of Firefox's inverted trees, rows of one name have added up their own numbers, but not their totals. */
static bool own_numbers_count(const page *p, const ubi_census_node *node) {
    return p->options->is_inverted && p->options->is_compat && node->parent;
}

static bool is_growth(const page *p, const ubi_census_node *node) {
    return p->options->growth && !node->parent;
}

static int64_t row_bytes(const page *p, const ubi_census_node *node) {
    if (is_growth(p, node))
        return p->options->growth->bytes;
    return own_numbers_count(p, node) ? node->bytes : node->total_bytes;
}

static int64_t row_count(const page *p, const ubi_census_node *node) {
    if (is_growth(p, node))
        return p->options->growth->count;
    return own_numbers_count(p, node) ? node->count : node->total_count;
}

static void row_cells(const page *p, ubi__cell cells[COLUMNS], int64_t bytes, int64_t count, int64_t own_bytes) {
    ubi__cell bar = ubi__cell_bar(UBI__INK_CYAN, i64_magnitude(bytes), p->total_bytes);
    cells[SIZE] = signed_cell(p, ubi__cell_size(i64_magnitude(bytes)), bytes);
    cells[SHARE] = ubi__cell_share(i64_magnitude(bytes), p->total_bytes);
    cells[BAR] = p->options->growth ? ubi__cell_change(bar, bytes < 0) : bar;
    cells[COUNT] = signed_cell(p, ubi__cell_count(i64_magnitude(count)), count);
    cells[OWN_SIZE] =
        own_bytes ? signed_cell(p, ubi__cell_size(i64_magnitude(own_bytes)), own_bytes) : ubi__cell_none();
}

/* ---- names ------------------------------------------------------------------------------------------------------ */

static ubi_text readable_name(const page *p, const ubi_census_node *node) {
    if (node->name_type == UBI_CENSUS_NAME_NULL && !node->parent)
        return ubi__text("(everything)");
    if (node->name_type == UBI_CENSUS_NAME_NULL)
        return ubi__text(p->options->is_inverted ? "(no caller)" : "(empty stack)");
    if (ubi__text_is(node->name, "noStack"))
        return ubi__text("(no stack recorded)");
    if (ubi__text_is(node->name, "noFilename"))
        return ubi__text("(no file name)");
    return node->name.len ? node->name : ubi__text("(empty name)");
}

static size_t name_write(const page *p, const ubi_census_node *node, size_t columns) {
    ubi_frame frame;
    if (node->name_type != UBI_CENSUS_NAME_FRAME)
        return ubi__display_text(p->out, p->style, readable_name(p, node), columns);
    ubi_stack_frame(node->frame, &frame);
    return ubi__display_frame(p->out, p->style, &frame, columns);
}

static void hidden_write(const page *p, uint32_t n_children) {
    char count[UBI__HUMAN_TEXT];
    ubi__display_ink(p->out, p->style, UBI__INK_DIM);
    ubi__out_printf(p->out, "  [%s below]", ubi__human_count(count, n_children));
    ubi__display_ink(p->out, p->style, UBI__INK_PLAIN);
}

#define NOTE_COLUMNS 16
#define LEAST_NAME_COLUMNS 8

static void indices_write(const page *p, const ubi_census_node *node) {
    for (uint32_t i = 0; i < node->n_leaf_indices; i++)
        ubi__out_printf(p->out, "%s%u", i ? "," : "  #", node->leaf_indices[i]);
}

/* ---- rows ------------------------------------------------------------------------------------------------------- */

/* Children worth showing: every path of an inverted tree ends in the old root, which says nothing. */
static uint32_t visible_children(const page *p, const ubi_census_node *node) {
    if (!p->options->is_inverted || !node->parent || node->n_children == 0)
        return node->n_children;
    uint32_t n = 0;
    for (uint32_t i = 0; i < node->n_children; i++) {
        ubi_census_node child;
        ubi_census_tree_node(p->tree, node->children[i], &child);
        n += child.name_type != UBI_CENSUS_NAME_NULL || child.n_children > 0;
    }
    return n == 0 ? 0 : node->n_children;
}

/* The one child of a node of an inverted tree, when it has a text for a name. */
static bool only_container(const page *p, const ubi_census_node *node, ubi_census_node *out) {
    if (node->n_children != 1)
        return false;
    ubi_census_tree_node(p->tree, node->children[0], out);
    return out->name_type == UBI_CENSUS_NAME_TEXT;
}

/* Whether all below a row fits after its name: a single path of texts up to the old root. */
static bool has_single_path(const page *p, const ubi_census_node *node) {
    ubi_census_node at = *node, container;
    if (!p->options->is_inverted || !node->parent || node->name_type != UBI_CENSUS_NAME_TEXT)
        return false;
    while (only_container(p, &at, &container))
        at = container;
    return visible_children(p, &at) == 0;
}

static void path_write(const page *p, const ubi_census_node *node, size_t columns) {
    ubi_census_node at = *node, container;
    const char *before = "  in ";
    ubi__display_ink(p->out, p->style, UBI__INK_DIM);
    while (columns > strlen(before) + 1 && only_container(p, &at, &container)) {
        ubi__out_string(p->out, before);
        columns -= strlen(before);
        columns -= ubi__display_text(p->out, p->style, readable_name(p, &container), columns);
        before = " in ";
        at = container;
    }
    ubi__display_ink(p->out, p->style, UBI__INK_PLAIN);
}

/* A frame that is the only one below a frame is a quarter of a level. */
static bool at_depth_limit(const page *p) {
    uint64_t quarters = p->rows.levels.n + (QUARTERS - 1) * p->rows.indented.n;
    return p->options->depth && quarters / QUARTERS >= p->options->depth;
}

/* Whether rows of the current level have numbers of interest. */
static bool shows_numbers(const page *p) {
    if (!p->options->is_inverted || p->rows.levels.n <= 1)
        return true;
    return !p->options->is_compat && p->rows.levels.at[p->rows.levels.n - 1].is_indented;
}

static void row_write(const page *p, const ubi_census_node *node, uint32_t repeats) {
    ubi__cell cells[COLUMNS];
    row_cells(p, cells, row_bytes(p, node), row_count(p, node), visible_children(p, node) ? node->bytes : 0);
    ubi__text_table_row(&p->table, shows_numbers(p) ? cells : NULL);
    size_t room = ubi__text_table_room(&p->table, p->table.used + ubi__text_tree_prefix(&p->rows));
    uint32_t hidden = at_depth_limit(p) ? visible_children(p, node) : 0;
    if ((hidden || repeats > 1) && room > 2 * NOTE_COLUMNS)
        room -= NOTE_COLUMNS;
    size_t name = name_write(p, node, room);
    if (has_single_path(p, node))
        path_write(p, node, room - name);
    else if (hidden)
        hidden_write(p, hidden);
    if (repeats > 1)
        ubi__out_printf(p->out, " (%u times)", repeats);
    if (p->options->with_indices)
        indices_write(p, node);
    ubi__out_char(p->out, '\n');
}

/* Numbers of the row for the children not shown. */
static void rest_cells(void *payload, const ubi__text_tree_level *level, ubi__cell *cells) {
    const page *p = payload;
    const ubi_census_node_ix *children = level->rows;
    int64_t bytes = 0, count = 0;
    for (size_t i = level->n_shown; i < level->n_shown + level->n_hidden; i++) {
        ubi_census_node node;
        ubi_census_tree_node(p->tree, children[i], &node);
        bytes = ubi__add_i64(bytes, row_bytes(p, &node));
        count = ubi__add_i64(count, row_count(p, &node));
    }
    if (shows_numbers(p))
        row_cells(p, cells, bytes, count, 0);
}

/* A list one longer than the limit is shown whole: "1 more" would take the same row. */
static uint32_t shown_children(const page *p, uint32_t n) {
    uint64_t limit = p->options->limit;
    return limit && n > limit + 1 ? (uint32_t)limit : n;
}

static bool is_only_caller(const page *p, const ubi_census_node *node) {
    if (node->n_children != 1 || node->name_type != UBI_CENSUS_NAME_FRAME)
        return false;
    ubi_census_node child;
    ubi_census_tree_node(p->tree, node->children[0], &child);
    return child.name_type == UBI_CENSUS_NAME_FRAME;
}

static bool same_text(ubi_text a, ubi_text b) {
    return (a.ptr == NULL) == (b.ptr == NULL) && ubi__text_equal(a, b);
}

static bool same_frame(const ubi_census_node *a, const ubi_census_node *b) {
    ubi_frame x, y;
    ubi_stack_frame(a->frame, &x);
    ubi_stack_frame(b->frame, &y);
    return x.line == y.line && x.column == y.column && same_text(x.source, y.source) &&
           same_text(x.function_name, y.function_name);
}

/* Recursion: steps down while the only child is the same frame again. Returns how many frames the row represents. */
static uint32_t repeats_skip(const page *p, ubi_census_node *node) {
    uint32_t times = 1;
    ubi_census_node child;
    while (is_only_caller(p, node) && node->bytes == 0 && node->count == 0) {
        ubi_census_tree_node(p->tree, node->children[0], &child);
        if (!same_frame(node, &child))
            break;
        *node = child;
        times++;
    }
    return times;
}

static ubi_status level_open(page *p, const ubi_census_node *node) {
    uint32_t n = visible_children(p, node), n_shown = shown_children(p, n);
    if (n == 0 || at_depth_limit(p) || has_single_path(p, node))
        return UBI_OK;
    return ubi__text_tree_open(&p->rows, (ubi__text_tree_level){ .rows = node->children,
                                                                 .n_shown = n_shown,
                                                                 .n_hidden = n - n_shown,
                                                                 .is_indented = !is_only_caller(p, node) });
}

static ubi_status row_enter(void *payload, ubi__text_tree *rows, const ubi__text_tree_level *level, size_t i) {
    page *p = payload;
    const ubi_census_node_ix *children = level->rows;
    ubi_census_node node;
    (void)rows;
    ubi_census_tree_node(p->tree, children[i], &node);
    uint32_t repeats = repeats_skip(p, &node);
    row_write(p, &node, repeats);
    return level_open(p, &node);
}

static ubi_status rows_write(page *p) {
    ubi_census_node node;
    ubi_census_tree_node(p->tree, ubi_census_tree_root(p->tree), &node);
    row_write(p, &node, 1);
    UBI_TRY(level_open(p, &node));
    return ubi__text_tree_walk(&p->rows, &p->out->has_failed);
}

/* ---- layout ----------------------------------------------------------------------------------------------------- */

/* Whether rows with children have bytes of their own: in trees of stacks they do, elsewhere only leaves do. */
static bool has_own_sizes(const page *p, const ubi_census_node *node) {
    for (uint32_t i = 0; i < node->n_children; i++) {
        ubi_census_node child;
        ubi_census_tree_node(p->tree, node->children[i], &child);
        if (child.n_children && child.name_type == UBI_CENSUS_NAME_FRAME)
            return true;
    }
    return false;
}

/* The largest change at the top, which has a full bar. */
static uint64_t largest_change(const page *p, const ubi_census_node *root) {
    uint64_t largest = i64_magnitude(row_bytes(p, root));
    for (uint32_t i = 0; i < root->n_children; i++) {
        ubi_census_node child;
        ubi_census_tree_node(p->tree, root->children[i], &child);
        uint64_t change = i64_magnitude(row_bytes(p, &child));
        largest = change > largest ? change : largest;
    }
    return largest;
}

/* No row counts more than the total; in a diff, none changes by more than there was or is, plus a sign. */
static void widen_counts(page *p, const ubi_census_node *root) {
    int64_t end = p->options->growth ? ubi__add_i64(root->total_count, p->options->growth->count) : 0;
    uint64_t most =
        i64_magnitude(end) > i64_magnitude(root->total_count) ? i64_magnitude(end) : i64_magnitude(root->total_count);
    ubi__cell cell = ubi__cell_count(most);
    cell.sign = p->options->growth ? '+' : 0;
    ubi__text_table_widen(&p->table, COUNT, cell);
}

static void table_init(page *p) {
    ubi_census_node root;
    ubi_census_tree_node(p->tree, ubi_census_tree_root(p->tree), &root);
    p->total_bytes = p->options->growth ? largest_change(p, &root) : i64_magnitude(root.total_bytes);
    ubi__text_table_init(&p->table, p->out, p->style, "Name", census_columns, COLUMNS);
    p->table.least_name = LEAST_NAME_COLUMNS;
    p->table.at[SHARE].is_hidden = p->options->growth;
    p->table.at[OWN_SIZE].is_hidden = p->options->is_inverted || !has_own_sizes(p, &root);
    widen_counts(p, &root);
    ubi__text_table_lay_out(&p->table);
}

ubi_status ubi__render_census_text(ubi__out *out, const ubi__style *style, const ubi_census_tree *tree,
                                   const ubi__census_text_options *options) {
    static const ubi__text_tree_ops ops = { .row = row_enter, .rest = rest_cells };
    page p = { .out = out, .style = style, .options = options, .tree = tree };
    table_init(&p);
    p.rows = (ubi__text_tree){ .table = &p.table, .ops = &ops, .payload = &p, .has_guides = true };
    ubi__text_table_head(&p.table);
    ubi_status status = rows_write(&p);
    ubi__text_tree_fini(&p.rows);
    return status;
}
