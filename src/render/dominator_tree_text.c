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
 * In front of a name stands the property by which the dominator refers to the node, if it does. The last row of a level sums up
 * the children that are not shown: what the node retains less its own size and theirs.
 */
#include "render/dominator_tree_text.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/alloc.h"
#include "base/human.h"
#include "base/text.h"
#include "lenses/lens.h"
#include "render/access_edges.h"
#include "render/node_label.h"

#define SIZE_COLUMNS 9
#define PERCENT_COLUMNS 6
#define BAR_COLUMNS 10
#define GAP 2
#define OWN_COLUMNS (GAP + SIZE_COLUMNS)
#define NUMBER_COLUMNS (SIZE_COLUMNS + GAP + PERCENT_COLUMNS + GAP)
#define NAME_COLUMNS_BESIDE_OWN 30
#define NAME_COLUMNS_BESIDE_BARS 45 /* with less room for names there are no bars */
#define LEAST_NAME_COLUMNS 8

typedef struct level {
    ubi_dominator_node *const *children;
    ubi__edge_words *accesses; /* owned accesses[n_shown]: what the dominator calls them */
    uint32_t n_shown;          /* at least 1 */
    uint32_t next;
    uint32_t n_hidden;
    uint64_t hidden_bytes;
} level;

UBI_VEC_DECLARE(level_stack, level);

typedef struct page {
    ubi__out *out;
    const ubi__style *style;
    const ubi__dominator_text_options *options;
    bool bars, own_sizes;
    size_t name_column;
    level_stack levels;
} page;

static void ink(const page *p, ubi__ink color) {
    ubi__display_ink(p->out, p->style, color);
}

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

static void lay_out(page *p) {
    p->name_column = NUMBER_COLUMNS;
    p->own_sizes = p->name_column + OWN_COLUMNS + NAME_COLUMNS_BESIDE_OWN <= p->style->columns;
    p->name_column += p->own_sizes ? OWN_COLUMNS : 0;
    p->bars = p->name_column + GAP + BAR_COLUMNS + NAME_COLUMNS_BESIDE_BARS <= p->style->columns;
    p->name_column += p->bars ? GAP + BAR_COLUMNS : 0;
}

static void write_header(const page *p) {
    ink(p, UBI__INK_BOLD);
    ubi__display_right(p->out, "Retained", SIZE_COLUMNS);
    ubi__display_right(p->out, "%", GAP + PERCENT_COLUMNS);
    if (p->bars)
        ubi__display_pad(p->out, 0, GAP + BAR_COLUMNS);
    if (p->own_sizes)
        ubi__display_right(p->out, "Own size", OWN_COLUMNS);
    ubi__out_string(p->out, "  Name");
    ink(p, UBI__INK_PLAIN);
    ubi__out_char(p->out, '\n');
}

static uint64_t own_size(const page *p, ubi_node_ix node) {
    return p->options->look ? ubi_lens_size_bytes(p->options->look, node)
                            : ubi_graph_node_size_bytes(p->options->graph, node);
}

/* `own_bytes` NULL: of no single node. */
static void write_numbers(const page *p, uint64_t retained_bytes, const uint64_t *own_bytes) {
    char text[UBI__HUMAN_TEXT];
    ubi__display_right(p->out, ubi__human_size(text, retained_bytes), SIZE_COLUMNS);
    ubi__display_right(p->out, ubi__human_percent(text, retained_bytes, p->options->total_bytes),
                       GAP + PERCENT_COLUMNS);
    if (p->bars) {
        ubi__out_string(p->out, "  ");
        ink(p, UBI__INK_CYAN);
        ubi__display_bar(p->out, p->style, retained_bytes, p->options->total_bytes, BAR_COLUMNS);
        ink(p, UBI__INK_PLAIN);
    }
    if (p->own_sizes)
        ubi__display_right(p->out, own_bytes ? ubi__human_size(text, *own_bytes) : "", OWN_COLUMNS);
    ubi__out_string(p->out, "  ");
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

static size_t write_words(ubi__out *out, const ubi__style *style, const ubi_label *label, size_t columns) {
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

/* Columns that the words of a label want, `most` for each at most; the stack behind them may be cut or left out. */
static size_t label_columns(const ubi__style *style, const ubi_label *label, const ubi_graph *graph, ubi_node_ix node,
                            size_t most) {
    size_t columns = 0;
    for (uint32_t i = 0; i < label->n_parts; i++)
        if (says_something(label, i))
            columns += ubi__display_columns(label->parts[i].text, style, most) + (columns > 0);
    return columns ? columns : ubi__display_columns(fallback_name(graph, node), style, most);
}

static const ubi_label_part *find_stack(const ubi_label *label) {
    for (uint32_t i = 0; i < label->n_parts; i++)
        if (label->parts[i].is_stack)
            return &label->parts[i];
    return NULL;
}

#define LEAST_FRAME_COLUMNS 12

size_t ubi__display_label(ubi__out *out, const ubi__style *style, const ubi_label *label, const ubi_graph *graph,
                          ubi_node_ix node, size_t columns) {
    const ubi_label_part *stack = find_stack(label);
    size_t used = write_words(out, style, label, stack ? columns / 2 : columns);
    if (used == 0)
        used = ubi__display_text(out, style, fallback_name(graph, node), columns);
    if (stack && used + GAP + LEAST_FRAME_COLUMNS <= columns) {
        ubi_frame frame;
        ubi_stack_frame(stack->stack, &frame);
        ubi__out_string(out, "  ");
        used += GAP + ubi__display_frame(out, style, &frame, columns - used - GAP);
    }
    return used;
}

/* A row and how it is shown. */
typedef struct line {
    ubi_dominator_row row;
    ubi__edge_words access; /* silent: none */
    bool last;              /* of its level */
    bool folded;            /* its children are not shown */
} line;

static bool has_own_names(const page *p) {
    return p->options->names && p->options->look && ubi_lens_of(p->options->look)->names_nodes;
}

static size_t name_columns(const page *p, const line *l, size_t most) {
    ubi_lens_name_buffer buffer;
    if (!has_own_names(p))
        return label_columns(p->style, l->row.label, p->options->graph, l->row.node, most);
    return ubi__display_columns(ubi__node_title(p->options->graph, p->options->look, l->row.node, &buffer), p->style,
                                NAME_COLUMNS_BESIDE_OWN);
}

static void write_label(const page *p, const line *l, size_t columns) {
    ubi_lens_name_buffer buffer;
    ubi_node_ix node = l->row.node;
    if (has_own_names(p))
        ubi__display_text(p->out, p->style, ubi__node_title(p->options->graph, p->options->look, node, &buffer),
                          columns);
    else
        ubi__display_label(p->out, p->style, l->row.label, p->options->graph, node, columns);
}

#define LEAST_ACCESS_COLUMNS 10 /* of one that must be cut */

/* "store: ", where the name leaves room for it; columns written. */
static size_t write_access(const page *p, const line *l, size_t columns) {
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

/* Names, id and, if the row's children are not shown, how many there are. What has no room is left out, the last first. */
static void write_name(const page *p, const line *l, size_t columns) {
    char id[24], below[UBI__HUMAN_TEXT + 16] = "", count[UBI__HUMAN_TEXT];
    const ubi_dominator_row *row = &l->row;
    size_t id_columns = (size_t)snprintf(id, sizeof id, "  %" PRIu64, row->node_id), below_columns = 0;
    if (l->folded && row->n_dominated)
        below_columns =
            (size_t)snprintf(below, sizeof below, "  [%s below]", ubi__human_count(count, row->n_dominated));
    if (LEAST_NAME_COLUMNS + id_columns + below_columns > columns)
        below[below_columns = 0] = 0;
    if (LEAST_NAME_COLUMNS + id_columns > columns)
        id[id_columns = 0] = 0;
    size_t room = columns - id_columns - below_columns;
    size_t used = write_access(p, l, room);
    write_label(p, l, room - used);
    ink(p, UBI__INK_DIM);
    ubi__out_string(p->out, id);
    ubi__out_string(p->out, below);
    ink(p, UBI__INK_PLAIN);
    ubi__out_char(p->out, '\n');
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

/* Branches of all open levels before a row. Columns written, at most half of what names have. */
static size_t write_branches(const page *p, bool last) {
    size_t room = (p->style->columns - p->name_column) / 2, columns = 0;
    bool unicode = p->style->unicode;
    for (size_t i = 0; i < p->levels.n && columns + 3 <= room; i++) {
        const level *l = &p->levels.at[i];
        bool own = i + 1 == p->levels.n;
        bool open = own ? !last : l->next < l->n_shown || l->n_hidden > 0;
        if (own)
            ubi__out_string(p->out, unicode ? (open ? "├─ " : "└─ ") : (open ? "|- " : "`- "));
        else
            ubi__out_string(p->out, !open ? "   " : unicode ? "│  " : "|  ");
        columns += 3;
    }
    return columns;
}

static void write_line(const page *p, const line *l) {
    uint64_t own_bytes = own_size(p, l->row.node);
    write_numbers(p, l->row.retained_bytes, &own_bytes);
    size_t used = p->name_column + write_branches(p, l->last);
    write_name(p, l, p->style->columns > used ? p->style->columns - used : 0);
}

/* The row that stands for the children that are not shown. */
static void write_rest(const page *p, const level *l) {
    char count[UBI__HUMAN_TEXT];
    write_numbers(p, l->hidden_bytes, NULL);
    write_branches(p, true);
    ink(p, UBI__INK_DIM);
    ubi__out_printf(p->out, "%s %s more\n", ubi__display_ellipsis(p->style), ubi__human_count(count, l->n_hidden));
    ink(p, UBI__INK_PLAIN);
}

/*
 * Children come greatest first, so those too small to show are the last. Where there is but one of these, it takes no more
 * room than a row that says so.
 */
static level level_of(const page *p, const ubi_dominator_row *row) {
    level l = { .children = row->children };
    l.hidden_bytes = row->retained_bytes - own_size(p, row->node);
    for (; l.n_shown < row->n_children; l.n_shown++) {
        ubi_dominator_row child;
        ubi_dominator_node_get(row->children[l.n_shown], &child);
        bool only_one_left = l.n_shown > 0 && l.n_shown + 1 == row->n_dominated;
        if (child.retained_bytes < p->options->least_bytes && !only_one_left)
            break;
        l.hidden_bytes -= child.retained_bytes;
    }
    l.n_hidden = row->n_dominated > l.n_shown ? row->n_dominated - l.n_shown : 0;
    return l;
}

/* What the dominator calls the rows of a level. */
static ubi_status find_names(level *l, const ubi_graph *g, ubi_node_ix dominator) {
    const ubi_allocator *a = ubi_allocator_default();
    ubi__node_pair *pairs = ubi__alloc_array(a, l->n_shown, sizeof *pairs);
    l->accesses = ubi__alloc_array(a, l->n_shown, sizeof *l->accesses);
    ubi_status status = pairs && l->accesses ? UBI_OK : ubi__fail_nomem();
    for (uint32_t i = 0; status == UBI_OK && i < l->n_shown; i++) {
        ubi_dominator_row child;
        ubi_dominator_node_get(l->children[i], &child);
        pairs[i] = (ubi__node_pair){ dominator, child.node };
    }
    if (status == UBI_OK)
        status = ubi__find_accesses(l->accesses, g, pairs, l->n_shown);
    ubi__free_array(a, pairs, l->n_shown, sizeof *pairs);
    return status;
}

/* ---- the walk ---------------------------------------------------------------------------------------------------- */

static void level_fini(level *l) {
    ubi__free_array(ubi_allocator_default(), l->accesses, l->n_shown, sizeof *l->accesses);
}

static ubi_status open_level(page *p, level *l, ubi_node_ix dominator) {
    ubi_status status = find_names(l, p->options->graph, dominator);
    if (status == UBI_OK)
        status = level_stack_push(&p->levels, ubi_allocator_default(), *l);
    if (status != UBI_OK)
        level_fini(l);
    return status;
}

/* Writes a row and opens the level below it, if any of it is to be shown. */
static ubi_status enter(page *p, const ubi_dominator_node *node, ubi__edge_words access, bool last) {
    line l = { .access = access, .last = last };
    ubi_dominator_node_get(node, &l.row);
    level below = level_of(p, &l.row);
    l.folded = below.n_shown == 0;
    write_line(p, &l);
    return l.folded ? UBI_OK : open_level(p, &below, l.row.node);
}

static void leave(page *p) {
    level *l = &p->levels.at[p->levels.n - 1];
    if (l->n_hidden)
        write_rest(p, l);
    level_fini(l);
    p->levels.n--;
}

static ubi_status write_all(page *p, const ubi_dominator_node *tree) {
    UBI_TRY(enter(p, tree, (ubi__edge_words){ .how = UBI__EDGE_SILENT }, true));
    while (p->levels.n && !p->out->failed) {
        level *top = &p->levels.at[p->levels.n - 1];
        if (top->next == top->n_shown) {
            leave(p);
            continue;
        }
        uint32_t i = top->next++;
        UBI_TRY(enter(p, top->children[i], top->accesses[i], i + 1 == top->n_shown && top->n_hidden == 0));
    }
    return UBI_OK;
}

static void page_fini(page *p) {
    for (size_t i = 0; i < p->levels.n; i++)
        level_fini(&p->levels.at[i]);
    level_stack_fini(&p->levels, ubi_allocator_default());
}

ubi_status ubi__render_dominator_text(ubi__out *out, const ubi__style *style, const ubi_dominator_node *tree,
                                      const ubi__dominator_text_options *options) {
    page p = { .out = out, .style = style, .options = options };
    lay_out(&p);
    write_header(&p);
    ubi_status status = write_all(&p, tree);
    page_fini(&p);
    return status;
}

/* ---- lists ------------------------------------------------------------------------------------------------------- */

static ubi_status write_lines(const page *p, ubi_dominator_node *const *rows, size_t n_rows, ubi__node_pair *pairs,
                              ubi__edge_words *accesses) {
    const ubi_graph *g = p->options->graph;
    for (size_t i = 0; i < n_rows; i++) {
        ubi_dominator_row row;
        ubi_node_ix dominator = UBI_NONE;
        ubi_dominator_node_get(rows[i], &row);
        if (row.has_parent)
            UBI_TRY(ubi_graph_find(&dominator, g, row.parent_id));
        pairs[i] = (ubi__node_pair){ dominator, row.node };
    }
    UBI_TRY(ubi__find_accesses(accesses, g, pairs, n_rows));
    for (size_t i = 0; i < n_rows && !p->out->failed; i++) {
        line l = { .access = accesses[i], .last = true, .folded = true };
        ubi_dominator_node_get(rows[i], &l.row);
        write_line(p, &l);
    }
    return UBI_OK;
}

ubi_status ubi__render_dominator_list(ubi__out *out, const ubi__style *style, ubi_dominator_node *const *rows,
                                      size_t n_rows, const ubi__dominator_text_options *options) {
    const ubi_allocator *a = ubi_allocator_default();
    page p = { .out = out, .style = style, .options = options };
    ubi__node_pair *pairs = ubi__alloc_array(a, n_rows, sizeof *pairs);
    ubi__edge_words *accesses = ubi__alloc_array(a, n_rows, sizeof *accesses);
    lay_out(&p);
    write_header(&p);
    ubi_status status = n_rows == 0 || (pairs && accesses) ? UBI_OK : ubi__fail_nomem();
    if (status == UBI_OK)
        status = write_lines(&p, rows, n_rows, pairs, accesses);
    ubi__free_array(a, pairs, n_rows, sizeof *pairs);
    ubi__free_array(a, accesses, n_rows, sizeof *accesses);
    return status;
}
