/* SPDX-License-Identifier: MIT
 *
 * diff_page.c: what changed between two heaps, for people.
 *
 *     Old   641 KiB  7,198 nodes  before.fxsnapshot, 2026-11-20 15:37:24 UTC
 *     New   705 KiB  7,298 nodes  after.fxsnapshot, 1.05 s later
 *         +64.4 KiB   +100 nodes  +10.1% in size, +1.4% in nodes
 *
 *          Size              Count  New  Deleted  Name
 *     -1.48 KiB  ▎             -30  150      180  Object (object)
 *
 * What grew is red, what shrank green; bars show sizes of changes, up or down, against the largest of their list.
 */
#include "questions/diff/diff_recordings.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/human.h"
#include "base/text.h"
#include "render/census_tree_text.h"
#include "render/heap_labels.h"

/* Columns of the tables. */
#define SIZE_COLUMNS 9
#define BAR_COLUMNS 10
#define NAME_COLUMNS_BESIDE_BARS 34 /* with less room for names there are no bars */

/* ---- head ------------------------------------------------------------------------------------------------------- */

/* Time between two snapshots, in the largest unit with a value of at least two: "1.65 s", "28 min", "3 days". */
static char *gap_text(char out[UBI__HUMAN_TEXT], uint64_t gap_us) {
    static const struct {
        uint64_t us;
        const char *name;
    } units[] = { { UINT64_C(86400000000), "days" }, { UINT64_C(3600000000), "hours" }, { 60000000, "min" } };
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (gap_us >= 2 * units[i].us) {
            snprintf(out, UBI__HUMAN_TEXT, "%" PRIu64 " %s", gap_us / units[i].us, units[i].name);
            return out;
        }
    return ubi__human_duration(out, gap_us);
}

/* ", 2023-11-14 22:13:20 UTC", or for the newer one how much later that is. */
static void describe_time(char *out, size_t n, const ubi_graph *graph, const ubi_graph *since) {
    char text[UBI__HUMAN_TEXT];
    uint64_t time_us, since_us;
    out[0] = 0;
    if (!ubi_graph_creation_time_us(graph, &time_us))
        return;
    if (!since || !ubi_graph_creation_time_us(since, &since_us))
        snprintf(out, n, ", %s", ubi__human_time(text, time_us));
    else if (time_us == since_us)
        snprintf(out, n, ", of the same time");
    else if (time_us > since_us)
        snprintf(out, n, ", %s later", gap_text(text, time_us - since_us));
    else
        snprintf(out, n, ", %s earlier: is the order right?", gap_text(text, since_us - time_us));
}

/* Without times in the files, V8's ids show which was taken first. A right order is not mentioned. */
static void describe_order(char *out, size_t n, const ubi_graph *graph, const ubi_graph *since) {
    uint64_t mark = ubi_lens_id_mark(graph), since_mark = ubi_lens_id_mark(since);
    if (mark && mark < since_mark)
        snprintf(out, n, ", taken earlier: is the order right?");
    else if (mark && mark == since_mark)
        snprintf(out, n, ", the same snapshot");
}

bool ubi__diff_doubts_order(const ubi__diff_answer *a) {
    char text[80] = "";
    describe_order(text, sizeof text, a->new_side.graph, a->old_side.graph);
    return text[0];
}

enum { WHICH, HEAP_SIZE, NODES, HEAD_COLUMNS };

static const ubi__text_column head_columns[HEAD_COLUMNS] = {
    [WHICH] = { NULL, .width = 3, .is_left = true },
    [HEAP_SIZE] = { NULL, .width = SIZE_COLUMNS, .gap = 1 },
    [NODES] = { NULL, .gap = 2 },
};

static char *node_things(char out[UBI__HUMAN_TEXT], uint64_t n) {
    return ubi__human_things(out, n, "node");
}

static void side_write(const ubi__text_table *table, const char *which, const ubi__diff_side *side, const char *time) {
    char nodes[UBI__HUMAN_TEXT];
    const ubi__cell cells[HEAD_COLUMNS] = {
        [WHICH] = { .kind = UBI__CELL_TEXT, .ink = UBI__INK_BOLD, .text = ubi__text(which) },
        [HEAP_SIZE] = ubi__cell_size(side->total.bytes),
        [NODES] = ubi__cell_words(node_things(nodes, side->total.count)),
    };
    ubi__text_table_row(table, cells);
    ubi__display_text(table->out, table->style, ubi__text(side->name),
                      ubi__text_table_room(table, table->used + strlen(time)));
    ubi__out_string(table->out, time);
    ubi__out_char(table->out, '\n');
}

/* Without a name before it. */
static void total_change_write(ubi__text_table *table, ubi__change bytes, ubi__change count) {
    char size[UBI__HUMAN_TEXT + 1], nodes[UBI__HUMAN_TEXT + 1];
    ubi__cell cells[HEAD_COLUMNS] = {
        [HEAP_SIZE] = ubi__change_cell(UBI__CELL_SIZE, bytes),
        [NODES] = ubi__cell_words(ubi__change_text(nodes, node_things, count)),
    };
    cells[NODES].ink = ubi__change_cell(UBI__CELL_COUNT, count).ink;
    table->at[WHICH].is_hidden = true;
    table->at[HEAP_SIZE].gap += table->at[WHICH].width;
    ubi__text_table_lay_out(table);
    ubi__text_table_row(table, cells);
    if (ubi__change_size(bytes) || ubi__change_size(count))
        ubi__out_printf(table->out, "%s in size, %s in nodes\n", ubi__change_percent(size, bytes),
                        ubi__change_percent(nodes, count));
    else
        ubi__out_string(table->out, "as much as before\n");
}

static void head_write(const ubi__page *page, const ubi__diff_answer *a) {
    char text[UBI__HUMAN_TEXT + 1], time[80];
    const ubi__diff_side *old = &a->old_side, *new = &a->new_side;
    ubi__change bytes = { old->total.bytes, new->total.bytes };
    ubi__change count = { old->total.count, new->total.count };
    ubi__text_table table;
    ubi__page_table(&table, page, "", head_columns, HEAD_COLUMNS);
    ubi__text_table_widen(&table, NODES, ubi__cell_words(node_things(text, count.from)));
    ubi__text_table_widen(&table, NODES, ubi__cell_words(node_things(text, count.to)));
    ubi__text_table_widen(&table, NODES, ubi__cell_words(ubi__change_text(text, node_things, count)));
    ubi__text_table_lay_out(&table);
    describe_time(time, sizeof time, old->graph, NULL);
    side_write(&table, "Old", old, time);
    describe_time(time, sizeof time, new->graph, old->graph);
    if (!time[0] && a->is_one_process)
        describe_order(time, sizeof time, new->graph, old->graph);
    side_write(&table, "New", new, time);
    total_change_write(&table, bytes, count);
}

/* ---- classes ----------------------------------------------------------------------------------------------------- */

enum { SIZE, BAR, COUNT, NEW, NEW_SIZE, GONE, GONE_SIZE, COLUMNS };

#define NAME_COLUMNS_BESIDE_FLOWS 44

static const ubi__text_column class_columns[COLUMNS] = {
    [SIZE] = { "Size", .width = SIZE_COLUMNS },
    [BAR] = { NULL, .width = BAR_COLUMNS, .gap = 2, .least_name_columns = NAME_COLUMNS_BESIDE_BARS },
    [COUNT] = { "Count", .width = 5, .gap = 2 },
    [NEW] = { "New", .width = 3, .gap = 2 },
    [NEW_SIZE] = { "of size", .width = 9, .gap = 2, .least_name_columns = NAME_COLUMNS_BESIDE_FLOWS },
    [GONE] = { "Deleted", .width = 7, .gap = 2 },
    [GONE_SIZE] = { "of size", .width = 9, .gap = 2, .least_name_columns = NAME_COLUMNS_BESIDE_FLOWS },
};

typedef struct class_table {
    const ubi__page *page;
    const ubi__diff_answer *answer;
    uint32_t n_shown; /* of the rows that changed */
    uint64_t largest; /* change of a row in bytes, a full bar */
    ubi__text_table table;
} class_table;

static ubi__change count_of(const ubi_class_change *row) {
    return (ubi__change){ row->start.count, row->end.count };
}

static const ubi_class_change *row_at(const class_table *t, uint32_t i) {
    return ubi_class_diff_row(t->answer->classes, t->answer->changed[i]);
}

static void table_init(class_table *t) {
    const ubi_class_change *total = ubi_class_diff_total(t->answer->classes);
    ubi__page_table(&t->table, t->page, "Name", class_columns, COLUMNS);
    for (uint32_t i = 0; i < t->answer->n_changed; i++) {
        const ubi_class_change *row = row_at(t, i);
        uint64_t size = ubi__change_size(ubi__diff_bytes_of(t->answer, row));
        ubi__text_table_widen(&t->table, COUNT, ubi__change_cell(UBI__CELL_COUNT, count_of(row)));
        t->largest = size > t->largest ? size : t->largest;
    }
    ubi__text_table_widen(&t->table, NEW, ubi__cell_count(total->created.count));
    ubi__text_table_widen(&t->table, GONE, ubi__cell_count(total->deleted.count));
    ubi__text_table_lay_out(&t->table);
}

/* How many came or went, in wide tables also their size; empty for none. */
static void flow_cells(ubi__cell cells[2], const ubi_tally *flow) {
    cells[0] = flow->count ? ubi__cell_count(flow->count) : ubi__cell_none();
    cells[1] = flow->count ? ubi__cell_size(flow->bytes) : ubi__cell_none();
}

/* All cells of a row except its name. */
static void class_write_numbers(const class_table *t, const ubi_class_change *row) {
    ubi__cell cells[COLUMNS];
    cells[SIZE] = ubi__change_cell(UBI__CELL_SIZE, ubi__diff_bytes_of(t->answer, row));
    cells[BAR] = ubi__change_bar(ubi__diff_bytes_of(t->answer, row), t->largest);
    cells[COUNT] = ubi__change_cell(UBI__CELL_COUNT, count_of(row));
    flow_cells(&cells[NEW], &row->created);
    flow_cells(&cells[GONE], &row->deleted);
    ubi__text_table_row(&t->table, cells);
}

static void class_write(const class_table *t, const ubi_class_change *row) {
    static const char *const notes[] = { "", " (object)", " (script)", " (string)", " (DOM)" };
    const char *note = notes[row->name.coarse_type];
    ubi_text name = row->name.name.len ? row->name.name : ubi__text("(empty name)");
    class_write_numbers(t, row);
    ubi__display_text(t->table.out, t->table.style, name,
                      ubi__text_table_room(&t->table, t->table.used + strlen(note)));
    ubi__write_inked(t->page, UBI__INK_DIM, note);
    ubi__out_char(t->table.out, '\n');
}

static void tally_add(ubi_tally *to, const ubi_tally *tally) {
    to->count += tally->count;
    to->bytes += tally->bytes;
}

/* One row for all that do not fit. */
static void others_write(const class_table *t) {
    ubi_class_change sum = { 0 };
    for (uint32_t i = t->n_shown; i < t->answer->n_changed; i++) {
        const ubi_class_change *row = row_at(t, i);
        tally_add(&sum.start, &row->start);
        tally_add(&sum.end, &row->end);
        tally_add(&sum.created, &row->created);
        tally_add(&sum.deleted, &row->deleted);
    }
    class_write_numbers(t, &sum);
    ubi__text_table_rest(&t->table, t->answer->n_changed - t->n_shown);
}

static void warning_write(const class_table *t, const char *common, const char *nodes) {
    char line[420], same[UBI__HUMAN_TEXT], strings[UBI__HUMAN_TEXT], equal[UBI__HUMAN_TEXT], texts[120] = "";
    const ubi_class_change *total = ubi_class_diff_total(t->answer->classes);
    uint64_t n_common = ubi_class_diff_common_count(t->answer->classes), n_equal;
    uint64_t n_texts = ubi_class_diff_text_count(&n_equal, t->answer->classes);
    if (n_texts)
        snprintf(texts, sizeof texts, ", and of %s %s have the same text",
                 ubi__human_things(strings, n_texts, "string"), ubi__human_count(equal, n_equal));
    if (t->answer->is_net && n_common) {
        ubi__human_count(same, total->end.count - total->created.count);
        snprintf(line, sizeof line,
                 "Of %s node ids that both files have, %s belong to objects of the same class%s: these are hardly "
                 "snapshots of one process. New and Deleted say nothing then.",
                 common, same, texts);
    } else {
        snprintf(
            line, sizeof line,
            "%s%s of %s old node ids %s in NEW: these are hardly snapshots of one run. New and Deleted say nothing, "
            "Size and Count do.",
            n_common ? "Only " : "", n_common ? common : "None", nodes, n_common == 1 ? "is" : "are");
    }
    ubi__write_words(t->page, UBI__INK_YELLOW, line);
}

/* New and Deleted mean something only if ids do. */
static void id_note_write(const class_table *t) {
    char common[UBI__HUMAN_TEXT], nodes[UBI__HUMAN_TEXT], line[240];
    ubi__human_count(common, ubi_class_diff_common_count(t->answer->classes));
    ubi__human_count(nodes, ubi_class_diff_total(t->answer->classes)->start.count);
    if (!ubi_class_diff_is_same_process(t->answer->classes, !t->answer->is_net)) {
        warning_write(t, common, nodes);
        return;
    }
    snprintf(line, sizeof line, "New and Deleted go by node id: %s of %s old ids are still there.", common, nodes);
    ubi__write_words(t->page, UBI__INK_DIM, line);
}

/* What stayed but changed its size is in no row, as in DevTools. */
static void stayed_note_write(const class_table *t) {
    char size[UBI__HUMAN_TEXT + 1], line[160];
    const ubi_class_change *total = ubi_class_diff_total(t->answer->classes);
    ubi__change stayed = { total->start.bytes - total->deleted.bytes, total->end.bytes - total->created.bytes };
    if (!t->answer->is_net || ubi__change_size(stayed) == 0)
        return;
    snprintf(line, sizeof line, "Not in the list: nodes that are in both changed by %s.",
             ubi__change_text(size, ubi__human_size, stayed));
    ubi__write_words(t->page, UBI__INK_DIM, line);
}

static void table_write(class_table *t) {
    ubi__write_title(t->page, "What changed");
    if (t->answer->n_changed == 0) {
        ubi__out_string(t->page->out, t->answer->is_net
                                          ? "  Nothing came or went: the same nodes of the same classes.\n"
                                          : "  Nothing: the same nodes of the same classes, with the same sizes.\n");
        return;
    }
    table_init(t);
    ubi__text_table_head(&t->table);
    for (uint32_t i = 0; i < t->n_shown && !t->page->out->has_failed; i++)
        class_write(t, row_at(t, i));
    if (t->n_shown < t->answer->n_changed)
        others_write(t);
    id_note_write(t);
}

static void classes_write(const ubi__page *page, const ubi__diff_answer *a) {
    class_table t = { .page = page, .answer = a };
    uint64_t limit = a->values->by.limit;
    t.n_shown = limit && a->n_changed > limit + 1 ? (uint32_t)limit : a->n_changed;
    table_write(&t);
    stayed_note_write(&t);
}

/* ---- allocation sites ------------------------------------------------------------------------------------------- */

enum { SITE_SIZE, SITE_BAR, SITE_COUNT, SITE_COLUMNS };

static const ubi__text_column site_columns[SITE_COLUMNS] = {
    [SITE_SIZE] = { NULL, .width = SIZE_COLUMNS },
    [SITE_BAR] = { NULL, .width = BAR_COLUMNS, .gap = 2, .least_name_columns = NAME_COLUMNS_BESIDE_BARS },
    [SITE_COUNT] = { NULL, .width = 5, .gap = 2 },
};

typedef struct site_list {
    const ubi_census_tree *tree;
    const ubi_census_node_ix *rows;
    uint32_t n_rows;
    uint32_t n_sites, n_shown; /* of them */
    uint64_t largest;
    ubi__text_table table;
} site_list;

/* Rows for a place in the source have a frame; the others have no stack. */
static bool next_site(const site_list *s, uint32_t *i, ubi_census_node *out) {
    for (; *i < s->n_rows; ++*i) {
        ubi_census_tree_node(s->tree, s->rows[*i], out);
        if (out->name_type == UBI_CENSUS_NAME_FRAME)
            return true;
    }
    return false;
}

/* Sums up the sites and finds the widths; those from `n_shown` on are one row. */
static void sites_measure(site_list *s, uint64_t limit) {
    ubi_census_node node;
    for (uint32_t i = 0; next_site(s, &i, &node); i++, s->n_sites++) {
        uint64_t bytes = ubi__change_size(ubi__change_by(node.total_bytes));
        s->largest = bytes > s->largest ? bytes : s->largest;
        ubi__text_table_widen(&s->table, SITE_COUNT,
                              ubi__change_cell(UBI__CELL_COUNT, ubi__change_by(node.total_count)));
    }
    s->n_shown = limit && s->n_sites > limit + 1 ? (uint32_t)limit : s->n_sites;
    ubi__text_table_lay_out(&s->table);
}

/* All cells of a row except its name; returns the columns left for that. */
static size_t site_write_numbers(const site_list *s, ubi__change bytes, ubi__change count) {
    const ubi__cell cells[SITE_COLUMNS] = {
        [SITE_SIZE] = ubi__change_cell(UBI__CELL_SIZE, bytes),
        [SITE_BAR] = ubi__change_bar(bytes, s->largest),
        [SITE_COUNT] = ubi__change_cell(UBI__CELL_COUNT, count),
    };
    return ubi__text_table_row(&s->table, cells);
}

static void site_write(const site_list *s, const ubi_census_node *node) {
    ubi_frame frame;
    size_t room = site_write_numbers(s, ubi__change_by(node->total_bytes), ubi__change_by(node->total_count));
    ubi_stack_frame(node->frame, &frame);
    ubi__display_frame(s->table.out, s->table.style, &frame, room);
    ubi__out_char(s->table.out, '\n');
}

/* Ups and downs of the sites from `i` on, taken together. */
static void other_sites_write(const site_list *s, uint32_t i) {
    ubi_census_node node;
    ubi__change bytes = { 0, 0 }, count = { 0, 0 };
    for (; next_site(s, &i, &node); i++) {
        ubi__change b = ubi__change_by(node.total_bytes), c = ubi__change_by(node.total_count);
        bytes = (ubi__change){ bytes.from + b.from, bytes.to + b.to };
        count = (ubi__change){ count.from + c.from, count.to + c.to };
    }
    site_write_numbers(s, bytes, count);
    ubi__text_table_rest(&s->table, s->n_sites - s->n_shown);
}

static void sites_write(const ubi__page *page, const ubi_census_tree *tree, uint64_t limit) {
    ubi_census_node node;
    uint32_t i = 0;
    ubi_census_tree_node(tree, ubi_census_tree_root(tree), &node);
    site_list s = { .tree = tree, .rows = node.children, .n_rows = node.n_children };
    ubi__page_table(&s.table, page, "", site_columns, SITE_COLUMNS);
    sites_measure(&s, limit);
    if (s.n_sites == 0)
        return;
    ubi__write_title(page, "Where that was allocated");
    for (uint32_t shown = 0; shown < s.n_shown && next_site(&s, &i, &node); i++, shown++)
        site_write(&s, &node);
    if (s.n_shown < s.n_sites)
        other_sites_write(&s, i);
}

/* ---- next ------------------------------------------------------------------------------------------------------- */

static void next_write(const ubi__page *page, const ubi__diff_answer *a) {
    const char *old = ubi__file_argument(a->old_side.name, "OLD");
    const char *new = ubi__file_argument(a->new_side.name, "NEW");
    ubi__write_title(page, "Next");
    if (a->sites.tree)
        ubi__write_command(page, "diff -b invertedAllocationStack", old, new, "with callers");
    ubi__write_command(page, "diff -b default", old, new, "as a tree");
    ubi__write_command(page, "diff --by class -n 0", old, new, "every class");
}

/* ---- pages ------------------------------------------------------------------------------------------------------ */

static void classes_page(const ubi__page *page, const ubi__diff_answer *a) {
    head_write(page, a);
    classes_write(page, a);
    if (a->values->view || a->n_changed == 0)
        return;
    if (a->sites.tree)
        sites_write(page, a->sites.tree, a->values->by.limit);
    next_write(page, a);
}

static bool is_empty(const ubi_census_tree *tree) {
    ubi_census_node root;
    ubi_census_tree_node(tree, ubi_census_tree_root(tree), &root);
    return root.n_children == 0 && root.bytes == 0 && root.count == 0;
}

static int64_t census_growth(uint64_t from, uint64_t to) {
    uint64_t size = to > from ? to - from : from - to;
    int64_t magnitude = size > INT64_MAX ? INT64_MAX : (int64_t)size;
    return to > from ? magnitude : -magnitude;
}

static ubi_status tree_page(const ubi__page *page, const ubi__diff_answer *a, ubi_compat compat) {
    const ubi_tally *old = &a->old_side.total, *new = &a->new_side.total;
    ubi__census_text_options options = ubi__breakdown_text_options(&a->values->by, &a->chosen, compat);
    ubi__census_text_growth by = { census_growth(old->bytes, new->bytes), census_growth(old->count, new->count) };
    options.growth = &by;
    head_write(page, a);
    ubi__out_char(page->out, '\n');
    if (!is_empty(a->tree))
        return ubi__render_census_text(page->out, &page->style, a->tree, &options);
    ubi__out_string(page->out, a->values->by.filter ? "No change that the filter lets pass.\n" : "No group changed.\n");
    return UBI_OK;
}

ubi_status ubi__diff_page(const ubi__page *page, const void *answer_of, const ubi__asked *asked) {
    const ubi__diff_answer *a = answer_of;
    if (a->recordings)
        return ubi__diff_recordings_page(page, a->recordings);
    if (a->tree)
        return tree_page(page, a, asked->compat);
    classes_page(page, a);
    return UBI_OK;
}
