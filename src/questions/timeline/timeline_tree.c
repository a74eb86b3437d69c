/* SPDX-License-Identifier: MIT
 *
 * timeline_tree.c: the waterfall as text: a line for each marker, or for all equal markers in the same place, with a
 * bar that shows when.
 *
 * Lines are nodes of a tree: threads, and in them the markers by label and subject below the node of what they are in. When there
 * are more than fit, those that took most are shown; a node's total is at most its parent's, so none is shown without its
 * parents. A bar has a height for each column: the share of the column's time that was spent in the node. Two passes: one makes
 * the nodes, one fills the columns of those that are shown.
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/assert.h"
#include "base/hash.h"
#include "base/human.h"
#include "base/merge_sort.h"
#include "base/text.h"
#include "questions/timeline/timeline_view.h"
#include "render/page.h"

#define LEAST_NAME_COLUMNS 20
/* With more nodes per shown line, the lines would cover next to nothing: then labels alone make nodes. */
#define MOST_NODES_PER_LINE 10
#define LEAST_BAR_COLUMNS 10
#define LABEL_BYTES 256
#define WIDEST_PAGE 160
/* More bars would only take memory. */
#define MOST_LINES 100000

enum { NAME, TIME, COUNT, COLUMNS };

typedef struct node {
    uint32_t parent; /* UBI_NONE: a thread */
    uint32_t thread;
    uint32_t row;  /* the first; UBI_NONE: a thread */
    uint32_t each; /* the only one, or UBI_NONE: any of the label and subject */
    ubi_str_ix label, subject;
    uint64_t count, total_ns;
    uint64_t covered_until_ns;
    uint64_t n_open; /* that did not end */
    uint32_t depth;
    uint32_t first_child, last_child, next; /* siblings, by their first start */
    uint32_t line;                          /* its number among those shown, or UBI_NONE */
} node;

UBI_VEC_DECLARE(vec_node, node);

typedef struct tree {
    const ubi__page *on;
    const ubi__timeline_view *view;
    const ubi__timeline_nest *nest;
    const ubi__timeline_data *data;
    const ubi_allocator *allocator;
    vec_node nodes;       /* the first nest->n_threads are threads */
    ubi__row_table table; /* over nodes */
    ubi__strtab subjects;
    uint32_t *node_of;    /* node_of[rows] */
    ubi__vec_u32 shown;   /* nodes in the order of lines */
    uint64_t *cover_ns;   /* cover_ns[shown * bar_columns] */
    uint64_t *until_ns;   /* until_ns[shown] */
    ubi__text_table page; /* bars are what it has for names */
    size_t bar_columns;
    size_t n_lines; /* nodes that have a marker */
    bool with_each, has_no_subjects;
} tree;

/* ---- nodes -------------------------------------------------------------------------------------------------------------- */

static uint64_t node_hash(const node *n) {
    uint64_t h = ubi__hash_combine(n->parent, n->each);
    return ubi__hash_combine(h, (uint64_t)n->label << 32 | n->subject);
}

static bool is_node(const tree *t, uint32_t row, const node *b) {
    const node *a = &t->nodes.at[row];
    return a->parent == b->parent && a->each == b->each && a->label == b->label && a->subject == b->subject;
}
UBI_ROW_LOOKUP(node, const tree *, const node *, is_node);

static void node_link(tree *t, uint32_t parent, uint32_t child) {
    node *p = &t->nodes.at[parent];
    UBI_ASSERT(parent < child); /* so that one pass meets parents first */
    UBI_ASSERT((p->first_child == UBI_NONE) == (p->last_child == UBI_NONE));
    if (p->last_child == UBI_NONE)
        p->first_child = child;
    else
        t->nodes.at[p->last_child].next = child;
    p->last_child = child;
}

static ubi_status node_intern(tree *t, uint32_t *out, const node *wanted) {
    uint64_t hash = node_hash(wanted);
    UBI_TRY(ubi__row_table_reserve(&t->table, t->allocator, 1));
    ubi__row_slot *slot = node_place(&t->table, t, wanted, hash);
    if (ubi__row_is_used(slot)) {
        *out = slot->row;
        return UBI_OK;
    }
    UBI_TRY(vec_node_push(&t->nodes, t->allocator, *wanted));
    *out = (uint32_t)(t->nodes.n - 1);
    ubi__row_table_fill(&t->table, slot, hash, *out);
    if (wanted->parent != UBI_NONE)
        node_link(t, wanted->parent, *out);
    return UBI_OK;
}

static node empty_node(uint32_t parent, uint32_t thread) {
    return (node){ .parent = parent,
                   .thread = thread,
                   .row = UBI_NONE,
                   .each = UBI_NONE,
                   .label = UBI_NONE,
                   .subject = UBI_NONE,
                   .first_child = UBI_NONE,
                   .last_child = UBI_NONE,
                   .next = UBI_NONE,
                   .line = UBI_NONE };
}

/* A thread's label is its number, so that threads differ. */
static ubi_status threads_add(tree *t) {
    for (uint32_t i = 0; i < t->nest->n_threads; i++) {
        node thread = empty_node(UBI_NONE, i);
        uint32_t at;
        thread.label = i;
        thread.total_ns = t->nest->threads[i].busy_ns;
        thread.count = t->nest->thread_end[i] - ubi__thread_start(t->nest, i);
        UBI_TRY(node_intern(t, &at, &thread));
    }
    return UBI_OK;
}

static void node_count_row(node *n, const ubi__timeline_row *row) {
    uint64_t start = row->start_ns > n->covered_until_ns ? row->start_ns : n->covered_until_ns;
    n->count++;
    n->n_open += !(row->flags & UBI__TIMELINE_HAS_END);
    if (row->end_ns <= start)
        return;
    n->total_ns += row->end_ns - start;
    n->covered_until_ns = row->end_ns;
}

static ubi_status row_add(tree *t, uint32_t thread, uint32_t i) {
    const ubi__timeline_row *row = &t->data->rows.at[i];
    uint32_t parent = t->nest->parent[i];
    ubi_text subject = t->has_no_subjects ? (ubi_text){ NULL, 0 } : ubi__timeline_subject(t->data, row);
    node wanted = empty_node(parent == UBI_NONE ? thread : t->node_of[parent], thread);
    UBI_ASSERT(wanted.parent < t->nodes.n && t->nodes.at[wanted.parent].thread == thread);
    wanted.row = i;
    wanted.each = t->with_each ? i : UBI_NONE;
    wanted.depth = t->nest->depth[i] + 1;
    UBI_ASSERT(wanted.depth == t->nodes.at[wanted.parent].depth + 1);
    wanted.label = t->nest->sums.at[t->nest->sum_of[i]].label;
    if (subject.ptr)
        UBI_TRY(ubi__strtab_intern(&t->subjects, &wanted.subject, subject));
    UBI_TRY(node_intern(t, &t->node_of[i], &wanted));
    node_count_row(&t->nodes.at[t->node_of[i]], row);
    return UBI_OK;
}

static ubi_status rows_add(tree *t) {
    for (uint32_t thread = 0; thread < t->nest->n_threads; thread++)
        for (uint32_t k = ubi__thread_start(t->nest, thread); k < t->nest->thread_end[thread]; k++)
            UBI_TRY(row_add(t, thread, t->nest->by_thread[k]));
    return UBI_OK;
}

/* ---- which are shown -------------------------------------------------------------------------------------------------- */

typedef const node *nodes;

/* Parents first: they were made before their children. */
static bool matters_more(nodes at, uint32_t a, uint32_t b) {
    bool a_is_thread = at[a].parent == UBI_NONE, b_is_thread = at[b].parent == UBI_NONE;
    if (at[a].total_ns != at[b].total_ns)
        return at[a].total_ns > at[b].total_ns;
    return a_is_thread != b_is_thread ? a_is_thread : a < b;
}

UBI_SORT_DEFINE(sort_nodes, uint32_t, nodes, matters_more);

/* A timer of the program's own may take longer than its thread is busy, so parents are marked too. */
static void node_mark(tree *t, uint32_t at, uint64_t *room) {
    for (; at != UBI_NONE && t->nodes.at[at].line == UBI_NONE; at = t->nodes.at[at].parent) {
        t->nodes.at[at].line = 0;
        *room -= *room > 0;
    }
}

static ubi_status nodes_choose(tree *t, uint64_t n_lines) {
    size_t n = t->nodes.n;
    uint32_t *order = ubi__alloc_array(t->allocator, 2 * n, sizeof *order);
    if (!order)
        return ubi__fail_nomem();
    for (uint32_t i = 0; i < n; i++) {
        order[i] = i;
        t->n_lines += t->nodes.at[i].count > 0;
    }
    sort_nodes(order, order + n, n, t->nodes.at);
    for (size_t i = 0; i < n && n_lines > 0; i++)
        if (t->nodes.at[order[i]].count)
            node_mark(t, order[i], &n_lines);
    ubi__free_array(t->allocator, order, 2 * n, sizeof *order);
    return UBI_OK;
}

/* The node that comes after `at` in the order of lines, UBI_NONE at the end of its thread. */
static uint32_t node_after(const tree *t, uint32_t at) {
    if (t->nodes.at[at].first_child != UBI_NONE)
        return t->nodes.at[at].first_child;
    while (at != UBI_NONE && t->nodes.at[at].next == UBI_NONE)
        at = t->nodes.at[at].parent;
    return at == UBI_NONE ? UBI_NONE : t->nodes.at[at].next;
}

static ubi_status lines_number(tree *t) {
    for (uint32_t thread = 0; thread < t->nest->n_threads; thread++)
        for (uint32_t at = thread; at != UBI_NONE; at = node_after(t, at)) {
            if (t->nodes.at[at].line == UBI_NONE)
                continue;
            UBI_ASSERT(at == thread ||
                       t->nodes.at[t->nodes.at[at].parent].line < t->shown.n); /* a row is below its parent */
            t->nodes.at[at].line = (uint32_t)t->shown.n;
            UBI_TRY(ubi__vec_u32_push(&t->shown, t->allocator, at));
        }
    return UBI_OK;
}

/* ---- bars ---------------------------------------------------------------------------------------------------------------- */

static uint64_t span_ns(const tree *t) {
    UBI_ASSERT(t->view->begin_ns <= t->view->end_ns);
    uint64_t ns = t->view->end_ns - t->view->begin_ns;
    return ns ? ns : 1;
}

/* Where column `i` begins. */
static uint64_t column_start(const tree *t, size_t i) {
    return t->view->begin_ns + (uint64_t)((unsigned __int128)span_ns(t) * i / t->bar_columns);
}

static size_t column_at(const tree *t, uint64_t ns) {
    uint64_t since = ns > t->view->begin_ns ? ns - t->view->begin_ns : 0;
    size_t column = (size_t)((unsigned __int128)since * t->bar_columns / span_ns(t));
    return column < t->bar_columns ? column : t->bar_columns - 1;
}

static void bar_cover(const tree *t, uint64_t *columns, uint64_t start, uint64_t end) {
    for (size_t i = column_at(t, start); i < t->bar_columns && column_start(t, i) < end; i++) {
        uint64_t from = column_start(t, i), to = column_start(t, i + 1);
        uint64_t covered = (end < to ? end : to) - (start > from ? start : from);
        columns[i] += covered ? covered : 1; /* a moment at the very end is in no column */
    }
}

/* A moment shows, if only just: as one nanosecond. */
static void bar_cover_row(tree *t, uint32_t line, const ubi__timeline_row *row) {
    uint64_t end = row->end_ns > row->start_ns ? row->end_ns : row->start_ns + 1;
    uint64_t start = row->start_ns > t->until_ns[line] ? row->start_ns : t->until_ns[line];
    if (end <= start)
        return;
    t->until_ns[line] = end;
    bar_cover(t, t->cover_ns + line * t->bar_columns, start, end);
}

static void bar_cover_line(tree *t, uint32_t at, const ubi__timeline_row *row) {
    if (at != UBI_NONE && t->nodes.at[at].line != UBI_NONE)
        bar_cover_row(t, t->nodes.at[at].line, row);
}

static ubi_status bars_fill(tree *t) {
    size_t n = t->shown.n;
    t->cover_ns = ubi__calloc_array(t->allocator, n * t->bar_columns, sizeof *t->cover_ns);
    t->until_ns = ubi__calloc_array(t->allocator, n, sizeof *t->until_ns);
    if (!t->cover_ns || !t->until_ns)
        return ubi__fail_nomem();
    for (uint32_t thread = 0; thread < t->nest->n_threads; thread++)
        for (uint32_t k = ubi__thread_start(t->nest, thread); k < t->nest->thread_end[thread]; k++) {
            uint32_t i = t->nest->by_thread[k];
            const ubi__timeline_row *row = &t->data->rows.at[i];
            bar_cover_line(t, t->node_of[i], row);
            if (!ubi__marker_blueprint_of(ubi__timeline_text(t->data, row->name))->is_not_nestable)
                bar_cover_line(t, thread, row);
        }
    return UBI_OK;
}

/* From nothing to full; what is there at all shows. */
static const char *bar_height(const tree *t, size_t column, uint64_t covered) {
    static const char *const blocks[] = { "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
    static const char *const letters[] = { ".", ":", "=", "#" };
    uint64_t width = column_start(t, column + 1) - column_start(t, column);
    double part = width ? (double)covered / (double)width : 1;
    bool unicode = t->on->style.has_unicode;
    size_t steps = unicode ? 8 : 4, step = (size_t)(part * (double)steps - 0.5);
    step = part * (double)steps < 0.5 ? 0 : step < steps ? step : steps - 1;
    return covered == 0 ? " " : unicode ? blocks[step] : letters[step];
}

static void bar_write(const tree *t, uint32_t line, ubi__ink ink) {
    const uint64_t *columns = t->cover_ns + line * t->bar_columns;
    ubi__out *out = t->on->out;
    size_t end = t->bar_columns;
    while (end > 0 && columns[end - 1] == 0)
        end--;
    ubi__write_ink(t->on, ink);
    for (size_t i = 0; i < end; i++)
        ubi__out_string(out, bar_height(t, i, columns[i]));
    ubi__write_ink(t->on, UBI__INK_PLAIN);
}

/* ---- the axis ---------------------------------------------------------------------------------------------------------- */

/* The least of 1, 2, 5, 10, ... that a label fits into. */
static uint64_t tick_step(const tree *t) {
    uint64_t least = (uint64_t)((unsigned __int128)span_ns(t) * 10 / t->bar_columns), power = 1;
    while (power < UINT64_MAX / 20 && power * 10 <= least)
        power *= 10;
    return power >= least ? power : power * 2 >= least ? power * 2 : power * 5 >= least ? power * 5 : power * 10;
}

/* "1.5 s": as few digits as distinguish ticks, and no large numbers of small units. */
static void tick_text(char out[32], uint64_t ns, uint64_t step, uint64_t end_ns) {
    static const struct {
        uint64_t ns;
        const char *name;
    } units[] = { { 1000000000, "s" }, { 1000000, "ms" }, { 1000, "us" }, { 1, "ns" } };
    size_t u = 0;
    while (u < 3 && step < units[u].ns / 10 && end_ns / units[u + 1].ns < 10000)
        u++;
    unsigned decimals = 0;
    for (uint64_t unit = units[u].ns; step % unit; unit /= 10)
        decimals++;
    snprintf(out, 32, "%.*f %s", (int)decimals, (double)ns / (double)units[u].ns, units[u].name);
}

static void axis_write(const tree *t) {
    ubi__out *out = t->on->out;
    uint64_t step = tick_step(t), past = t->view->begin_ns % step;
    uint64_t ns = past ? t->view->begin_ns - past + step : t->view->begin_ns;
    size_t used = 0;
    char text[32];
    const ubi__cell titles[COLUMNS] = { [TIME] = ubi__cell_words("time"), [COUNT] = ubi__cell_words("count") };
    ubi__write_ink(t->on, UBI__INK_DIM);
    ubi__text_table_row(&t->page, titles);
    for (uint64_t n = 0; n <= (t->view->end_ns - t->view->begin_ns) / step; n++) {
        size_t at = column_at(t, ns + n * step);
        tick_text(text, ns + n * step, step, t->view->end_ns);
        if (ns + n * step > t->view->end_ns || at < used || at + strlen(text) > t->bar_columns)
            continue;
        ubi__display_pad(out, used - (used > 0), at);
        ubi__out_string(out, text);
        used = at + strlen(text) + 1;
    }
    ubi__write_ink(t->on, UBI__INK_PLAIN);
    ubi__out_char(out, '\n');
}

/* ---- lines ---------------------------------------------------------------------------------------------------------------- */

typedef struct line {
    const tree *tree;
    const node *node;
} line;

static size_t thread_draw(const tree *t, const node *n, size_t columns) {
    char number[UBI__THREAD_NAME];
    ubi_text name = ubi__timeline_thread_name(t->view, n->thread, number);
    ubi__write_ink(t->on, UBI__INK_BOLD);
    size_t used = ubi__display_text(t->page.out, t->page.style, name, columns);
    ubi__write_ink(t->on, UBI__INK_PLAIN);
    return used;
}

/* A ubi__cell_draw: the label, indented, and the subject. */
static size_t name_draw(ubi__out *out, const ubi__style *style, const void *payload, size_t columns) {
    const tree *t = ((const line *)payload)->tree;
    const node *n = ((const line *)payload)->node;
    size_t indent = 2 * (size_t)n->depth, most = columns / 2;
    if (n->row == UBI_NONE)
        return thread_draw(t, n, columns);
    indent = indent < most ? indent : most;
    ubi__display_pad(out, 0, indent);
    char exact[LABEL_BYTES];
    ubi_text label = n->count == 1
                         ? ubi__text(ubi__marker_label(exact, sizeof exact, t->data, &t->data->rows.at[n->row]))
                         : ubi__strtab_get(&t->nest->labels, n->label);
    size_t used = indent + ubi__display_text(out, style, label, columns - indent);
    if (n->subject == UBI_NONE || used + 6 > columns)
        return used;
    ubi__write_ink(t->on, UBI__INK_DIM);
    ubi__out_char(out, ' ');
    used += 1 + ubi__display_text(out, style, ubi__strtab_get(&t->subjects, n->subject), columns - used - 1);
    ubi__write_ink(t->on, UBI__INK_PLAIN);
    return used;
}

static ubi__ink node_ink(const tree *t, const node *n) {
    if (n->row == UBI_NONE)
        return UBI__INK_DIM;
    return ubi__timeline_ink(ubi__marker_blueprint_of(ubi__timeline_text(t->data, t->data->rows.at[n->row].name)));
}

static void line_write(const tree *t, uint32_t i) {
    const node *n = &t->nodes.at[t->shown.at[i]];
    line l = { t, n };
    char time[24], least[32];
    snprintf(least, sizeof least, "%s%s", n->n_open ? ">" : "", ubi__timeline_time_text(time, n->total_ns));
    const ubi__cell cells[COLUMNS] = {
        [NAME] = ubi__cell_drawn(name_draw, &l),
        [TIME] = ubi__cell_words(n->total_ns || n->n_open ? least : "-"),
        [COUNT] = n->each == UBI_NONE ? ubi__cell_count(n->count) : ubi__cell_none(),
    };
    ubi__text_table_row(&t->page, cells);
    bar_write(t, i, node_ink(t, n));
    ubi__out_char(t->page.out, '\n');
}

static void lines_write(const tree *t) {
    char count[UBI__HUMAN_TEXT];
    UBI_ASSERT(t->shown.n <= t->n_lines);
    size_t n_more = t->n_lines - t->shown.n;
    axis_write(t);
    for (uint32_t i = 0; i < t->shown.n; i++)
        line_write(t, i);
    if (n_more == 0)
        return;
    ubi__write_ink(t->on, UBI__INK_DIM);
    ubi__out_printf(t->on->out, "%s more line%s that took less; --rows 0 shows all\n", ubi__human_count(count, n_more),
                    n_more == 1 ? "" : "s");
    ubi__write_ink(t->on, UBI__INK_PLAIN);
}

/* ---- making --------------------------------------------------------------------------------------------------------------- */

static void columns_divide(tree *t) {
    static const ubi__text_column columns[COLUMNS] = {
        [NAME] = { NULL, .is_left = true }, [TIME] = { NULL, .width = 9 }, [COUNT] = { NULL, .width = 7 }
    };
    char text[UBI__HUMAN_TEXT];
    ubi__text_table *p = &t->page;
    size_t count = strlen(ubi__human_count(text, t->nest->n)) + 2;
    ubi__page_table(p, t->on, "", columns, COLUMNS);
    p->at[COUNT].width = count > p->at[COUNT].width ? count : p->at[COUNT].width;
    ubi__text_table_lay_out(p);
    size_t most = p->columns < WIDEST_PAGE ? p->columns : WIDEST_PAGE, least = LEAST_NAME_COLUMNS + LEAST_BAR_COLUMNS;
    size_t rest = most > p->used + least ? most - p->used : least, names = rest * 2 / 5;
    p->at[NAME].width = names > LEAST_NAME_COLUMNS ? names : LEAST_NAME_COLUMNS;
    t->bar_columns = rest - p->at[NAME].width;
    ubi__text_table_lay_out(p);
}

static ubi_status nodes_build(tree *t) {
    t->nodes.n = 0;
    ubi__row_table_fini(&t->table, t->allocator);
    UBI_TRY(threads_add(t));
    return rows_add(t);
}

static ubi_status tree_make(tree *t) {
    const ubi__timeline_values *values = t->view->values;
    uint64_t n_lines = values->rows && values->rows < MOST_LINES ? values->rows : MOST_LINES;
    t->with_each = values->with_each || t->nest->n + t->nest->n_threads <= n_lines;
    t->node_of = ubi__alloc_array(t->allocator, t->nest->n, sizeof *t->node_of);
    if (!t->node_of)
        return ubi__fail_nomem();
    UBI_TRY(nodes_build(t));
    t->has_no_subjects = !t->with_each && t->nodes.n / MOST_NODES_PER_LINE > n_lines;
    if (t->has_no_subjects)
        UBI_TRY(nodes_build(t));
    UBI_TRY(nodes_choose(t, n_lines));
    UBI_TRY(lines_number(t));
    columns_divide(t);
    return bars_fill(t);
}

static void tree_fini(tree *t) {
    const ubi_allocator *a = t->allocator;
    ubi__free_array(a, t->cover_ns, t->shown.n * t->bar_columns, sizeof *t->cover_ns);
    ubi__free_array(a, t->until_ns, t->shown.n, sizeof *t->until_ns);
    ubi__free_array(a, t->node_of, t->nest->n, sizeof *t->node_of);
    vec_node_fini(&t->nodes, a);
    ubi__row_table_fini(&t->table, a);
    ubi__vec_u32_fini(&t->shown, a);
    ubi__strtab_fini(&t->subjects);
}

ubi_status ubi__timeline_write_tree(const ubi__page *page, const ubi__timeline_view *view) {
    tree t = { .on = page, .view = view, .nest = &view->nest, .data = &view->data, .allocator = view->nest.allocator };
    if (view->nest.n == 0)
        return UBI_OK;
    ubi__strtab_init(&t.subjects, t.allocator);
    ubi_status status = tree_make(&t);
    if (status == UBI_OK)
        lines_write(&t);
    tree_fini(&t);
    return status;
}
