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
 * Stacks make long chains, so a frame that is the only child of a frame stands under it without further indentation, and
 * indentation stops at half of the name column. A level of the walk is a list of children, how many of them are shown,
 * and the next one.
 *
 * In an inverted tree, a row with a single path of texts shows that behind its name: "Function  in objects". A frame that
 * is the only caller of the frame above has the same numbers, and shows its name alone. So do all rows below the first
 * level of Firefox's inverted trees, whose numbers are those of whole groups and no shares of the row above.
 */
#include "render/census_tree_text.h"

#include <stdio.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/human.h"
#include "base/text.h"
#include "render/node_label.h"

#define SIZE_COLUMNS 9
#define PERCENT_COLUMNS 6
#define BAR_COLUMNS 10
#define NAME_COLUMNS_BESIDE_BARS 40 /* with less room for names there are no bars */
#define GAP 2
#define BRANCH_COLUMNS 3

#define QUARTERS 4

typedef struct level {
    const ubi_census_node_ix *children;
    uint32_t n_children;
    uint32_t n_shown;
    uint32_t next;
    bool indented; /* adds a branch to the prefix of its rows */
} level;

UBI_VEC_DECLARE(level_stack, level);

typedef struct page {
    ubi__out *out;
    const ubi__style *style;
    const ubi__census_text_options *options;
    const ubi_census_tree *tree;
    uint64_t total_bytes; /* a full bar; the whole that shares are of */
    size_t count_columns;
    size_t bar_columns; /* 0: no bars */
    bool own_sizes;     /* some inner row has bytes of its own */
    size_t name_column;
    level_stack levels;
    ubi__vec_u32 branches; /* those of `levels` that are indented */
    uint64_t depth;        /* of `levels`, in quarters */
} page;

/* ---- numbers ---------------------------------------------------------------------------------------------------- */

static uint64_t magnitude(int64_t value) {
    return value < 0 ? -(uint64_t)value : (uint64_t)value;
}

typedef char *(*formatter)(char out[UBI__HUMAN_TEXT], uint64_t value);

/* A change, as against a number that is simply there. */
static bool is_change(const page *p, int64_t value) {
    return p->options->growth && value != 0;
}

static ubi__ink change_ink(int64_t value) {
    return value > 0 ? UBI__INK_RED : UBI__INK_GREEN;
}

static void right_signed(const page *p, formatter format, int64_t value, size_t columns) {
    char text[UBI__HUMAN_TEXT + 1];
    bool has_sign = value < 0 || is_change(p, value);
    format(text + 1, magnitude(value));
    text[0] = value < 0 ? '-' : '+';
    if (is_change(p, value))
        ubi__display_ink(p->out, p->style, change_ink(value));
    ubi__display_right(p->out, has_sign ? text : text + 1, columns);
    if (is_change(p, value))
        ubi__display_ink(p->out, p->style, UBI__INK_PLAIN);
}

/* At the top of Firefox's inverted trees, rows of one name have added up their own numbers, but not their totals. */
static bool own_numbers_count(const page *p, const ubi_census_node *node) {
    return p->options->inverted && p->options->firefox && node->parent;
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

static void write_numbers(const page *p, int64_t bytes, int64_t count, const int64_t *own_bytes) {
    char percent[UBI__HUMAN_TEXT];
    right_signed(p, ubi__human_size, bytes, SIZE_COLUMNS);
    ubi__human_percent(percent, magnitude(bytes), p->total_bytes);
    if (!p->options->growth)
        ubi__display_right(p->out, percent, GAP + PERCENT_COLUMNS);
    if (p->bar_columns) {
        ubi__out_string(p->out, "  ");
        ubi__display_ink(p->out, p->style, is_change(p, bytes) ? change_ink(bytes) : UBI__INK_CYAN);
        ubi__display_bar(p->out, p->style, magnitude(bytes), p->total_bytes, (unsigned)p->bar_columns);
        ubi__display_ink(p->out, p->style, UBI__INK_PLAIN);
    }
    right_signed(p, ubi__human_count, count, GAP + p->count_columns);
    if (p->own_sizes && own_bytes && *own_bytes)
        right_signed(p, ubi__human_size, *own_bytes, GAP + SIZE_COLUMNS);
    else if (p->own_sizes)
        ubi__display_pad(p->out, 0, GAP + SIZE_COLUMNS);
    ubi__out_string(p->out, "  ");
}

static void write_header(const page *p) {
    ubi__display_ink(p->out, p->style, UBI__INK_BOLD);
    ubi__display_right(p->out, "Size", SIZE_COLUMNS);
    if (!p->options->growth)
        ubi__display_right(p->out, "%", GAP + PERCENT_COLUMNS);
    if (p->bar_columns)
        ubi__display_pad(p->out, 0, GAP + p->bar_columns);
    ubi__display_right(p->out, "Count", GAP + p->count_columns);
    if (p->own_sizes)
        ubi__display_right(p->out, "Own size", GAP + SIZE_COLUMNS);
    ubi__out_string(p->out, "  Name");
    ubi__display_ink(p->out, p->style, UBI__INK_PLAIN);
    ubi__out_char(p->out, '\n');
}

/* ---- names ------------------------------------------------------------------------------------------------------ */

/* Branches of the open levels before a row, as many as half of the room holds, the row being the last of its level or not.
 * Columns written. */
static size_t write_prefix(const page *p, bool last) {
    size_t most = (p->style->columns - p->name_column) / 2 / BRANCH_COLUMNS;
    size_t n = p->branches.n < most ? p->branches.n : most;
    bool unicode = p->style->unicode;
    for (size_t i = 0; i < n; i++) {
        const level *l = &p->levels.at[p->branches.at[i]];
        bool own = p->branches.at[i] + (size_t)1 == p->levels.n;
        bool open = own ? !last : l->next < l->n_shown || l->n_shown < l->n_children;
        if (own)
            ubi__out_string(p->out, unicode ? (open ? "├─ " : "└─ ") : (open ? "|- " : "`- "));
        else
            ubi__out_string(p->out, !open ? "   " : unicode ? "│  " : "|  ");
    }
    return n * BRANCH_COLUMNS;
}

static ubi_text readable_name(const page *p, const ubi_census_node *node) {
    if (node->name_type == UBI_CENSUS_NAME_NULL && !node->parent)
        return ubi__text("(everything)");
    if (node->name_type == UBI_CENSUS_NAME_NULL)
        return ubi__text(p->options->inverted ? "(no caller)" : "(empty stack)");
    if (ubi__text_is(node->name, "noStack"))
        return ubi__text("(no stack recorded)");
    if (ubi__text_is(node->name, "noFilename"))
        return ubi__text("(no file name)");
    return node->name.len ? node->name : ubi__text("(empty name)");
}

static size_t write_name(const page *p, const ubi_census_node *node, size_t columns) {
    ubi_frame frame;
    if (node->name_type != UBI_CENSUS_NAME_FRAME)
        return ubi__display_text(p->out, p->style, readable_name(p, node), columns);
    ubi_stack_frame(node->frame, &frame);
    return ubi__display_frame(p->out, p->style, &frame, columns);
}

static void write_hidden(const page *p, uint32_t n_children) {
    char count[UBI__HUMAN_TEXT];
    ubi__display_ink(p->out, p->style, UBI__INK_DIM);
    ubi__out_printf(p->out, "  [%s below]", ubi__human_count(count, n_children));
    ubi__display_ink(p->out, p->style, UBI__INK_PLAIN);
}

#define NOTE_COLUMNS 16

static void write_indices(const page *p, const ubi_census_node *node) {
    for (uint32_t i = 0; i < node->n_leaf_indices; i++)
        ubi__out_printf(p->out, "%s%u", i ? "," : "  #", node->leaf_indices[i]);
}

/* ---- rows ------------------------------------------------------------------------------------------------------- */

/* Children that a reader should see: in an inverted tree the old root ends every path, which says nothing. */
static uint32_t visible_children(const page *p, const ubi_census_node *node) {
    if (!p->options->inverted || !node->parent || node->n_children == 0)
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

/* Whether all that is below a row fits behind its name: a single path of texts up to the old root. */
static bool has_single_path(const page *p, const ubi_census_node *node) {
    ubi_census_node at = *node, container;
    if (!p->options->inverted || !node->parent || node->name_type != UBI_CENSUS_NAME_TEXT)
        return false;
    while (only_container(p, &at, &container))
        at = container;
    return visible_children(p, &at) == 0;
}

static void write_path(const page *p, const ubi_census_node *node, size_t columns) {
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

static bool at_depth_limit(const page *p) {
    return p->options->depth && p->depth / QUARTERS >= p->options->depth;
}

/* Whether rows of the current level have numbers of interest. */
static bool shows_numbers(const page *p) {
    if (!p->options->inverted || p->levels.n <= 1)
        return true;
    return !p->options->firefox && p->levels.at[p->levels.n - 1].indented;
}

static void write_row(const page *p, const ubi_census_node *node, uint32_t repeats, bool last) {
    if (shows_numbers(p))
        write_numbers(p, row_bytes(p, node), row_count(p, node), visible_children(p, node) ? &node->bytes : NULL);
    else
        ubi__display_pad(p->out, 0, p->name_column);
    size_t used = p->name_column + write_prefix(p, last);
    uint32_t hidden = at_depth_limit(p) ? visible_children(p, node) : 0;
    size_t room = p->style->columns > used + 8 ? p->style->columns - used : 8;
    if ((hidden || repeats > 1) && room > 2 * NOTE_COLUMNS)
        room -= NOTE_COLUMNS;
    size_t name = write_name(p, node, room);
    if (has_single_path(p, node))
        write_path(p, node, room - name);
    else if (hidden)
        write_hidden(p, hidden);
    if (repeats > 1)
        ubi__out_printf(p->out, " (%u times)", repeats);
    if (p->options->indices)
        write_indices(p, node);
    ubi__out_char(p->out, '\n');
}

/* The row that stands for the children that are not shown. */
static void write_rest(const page *p, const level *l) {
    char count[UBI__HUMAN_TEXT];
    int64_t bytes = 0, nodes = 0;
    for (uint32_t i = l->n_shown; i < l->n_children; i++) {
        ubi_census_node node;
        ubi_census_tree_node(p->tree, l->children[i], &node);
        bytes = ubi__add_i64(bytes, row_bytes(p, &node));
        nodes = ubi__add_i64(nodes, row_count(p, &node));
    }
    if (shows_numbers(p))
        write_numbers(p, bytes, nodes, NULL);
    else
        ubi__display_pad(p->out, 0, p->name_column);
    write_prefix(p, true);
    ubi__display_ink(p->out, p->style, UBI__INK_DIM);
    ubi__out_printf(p->out, "%s %s more\n", ubi__display_ellipsis(p->style),
                    ubi__human_count(count, l->n_children - l->n_shown));
    ubi__display_ink(p->out, p->style, UBI__INK_PLAIN);
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

/* Recursion: steps down while the only child is the same frame again. Returns how many frames the row stands for. */
static uint32_t skip_repeats(const page *p, ubi_census_node *node) {
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

static uint64_t level_depth(const level *l) {
    return l->indented ? QUARTERS : 1;
}

static ubi_status descend(page *p, const ubi_census_node *node) {
    uint32_t n = visible_children(p, node);
    if (n == 0 || at_depth_limit(p) || has_single_path(p, node))
        return UBI_OK;
    level l = { node->children, n, shown_children(p, n), 0, !is_only_caller(p, node) };
    if (l.indented)
        UBI_TRY(ubi__vec_u32_push(&p->branches, ubi_allocator_default(), (uint32_t)p->levels.n));
    UBI_TRY(level_stack_push(&p->levels, ubi_allocator_default(), l));
    p->depth += level_depth(&l);
    return UBI_OK;
}

static ubi_status write_all(page *p) {
    ubi_census_node node;
    ubi_census_tree_node(p->tree, ubi_census_tree_root(p->tree), &node);
    write_row(p, &node, 1, true);
    UBI_TRY(descend(p, &node));
    while (p->levels.n && !p->out->failed) {
        level *top = &p->levels.at[p->levels.n - 1];
        if (top->next == top->n_shown) {
            if (top->n_shown < top->n_children)
                write_rest(p, top);
            p->depth -= level_depth(top);
            p->branches.n -= top->indented;
            p->levels.n--;
            continue;
        }
        ubi_census_tree_node(p->tree, top->children[top->next++], &node);
        uint32_t repeats = skip_repeats(p, &node);
        write_row(p, &node, repeats, top->next == top->n_children);
        UBI_TRY(descend(p, &node));
    }
    return UBI_OK;
}

/* ---- layout ----------------------------------------------------------------------------------------------------- */

/* Whether rows with children have bytes of their own: trees of stacks do, all others have numbers at leaves alone. */
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
    uint64_t largest = magnitude(row_bytes(p, root));
    for (uint32_t i = 0; i < root->n_children; i++) {
        ubi_census_node child;
        ubi_census_tree_node(p->tree, root->children[i], &child);
        uint64_t change = magnitude(row_bytes(p, &child));
        largest = change > largest ? change : largest;
    }
    return largest;
}

static size_t digits(int64_t count) {
    char text[UBI__HUMAN_TEXT];
    return strlen(ubi__human_count(text, magnitude(count)));
}

/* No row counts more than everything; in a diff, none changes by more than there was or is, and has a sign. */
static size_t count_columns(const page *p, const ubi_census_node *root) {
    size_t columns = digits(root->total_count);
    if (p->options->growth) {
        size_t end = digits(ubi__add_i64(root->total_count, p->options->growth->count));
        columns = 1 + (end > columns ? end : columns);
    }
    return columns < 5 ? 5 : columns;
}

static void lay_out(page *p) {
    ubi_census_node root;
    ubi_census_tree_node(p->tree, ubi_census_tree_root(p->tree), &root);
    p->total_bytes = p->options->growth ? largest_change(p, &root) : magnitude(root.total_bytes);
    p->count_columns = count_columns(p, &root);
    p->own_sizes = !p->options->inverted && has_own_sizes(p, &root);
    p->name_column = SIZE_COLUMNS + GAP + p->count_columns + GAP;
    if (!p->options->growth)
        p->name_column += GAP + PERCENT_COLUMNS;
    if (p->own_sizes)
        p->name_column += GAP + SIZE_COLUMNS;
    if (p->name_column + GAP + BAR_COLUMNS + NAME_COLUMNS_BESIDE_BARS <= p->style->columns) {
        p->bar_columns = BAR_COLUMNS;
        p->name_column += GAP + BAR_COLUMNS;
    }
}

ubi_status ubi__render_census_text(ubi__out *out, const ubi__style *style, const ubi_census_tree *tree,
                                   const ubi__census_text_options *options) {
    page p = { .out = out, .style = style, .options = options, .tree = tree };
    lay_out(&p);
    write_header(&p);
    ubi_status status = write_all(&p);
    level_stack_fini(&p.levels, ubi_allocator_default());
    ubi__vec_u32_fini(&p.branches, ubi_allocator_default());
    return status;
}
