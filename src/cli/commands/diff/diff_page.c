/* SPDX-License-Identifier: MIT
 *
 * diff_page.c: the parts of the page that `ubiheap diff` prints.
 *
 *     Old   641 KiB  7,198 nodes  before.fxsnapshot, 2026-11-20 15:37:24 UTC
 *     New   705 KiB  7,298 nodes  after.fxsnapshot, 1.05 s later
 *         +64.4 KiB   +100 nodes  +10.1% in size, +1.4% in nodes
 *
 * What grew is red, what shrank green; bars show sizes of changes, up or down, against the largest of their list.
 */
#include "cli/commands/diff/diff_page.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/text.h"
#include "cli/commands/diff/diff_numbers.h"
#include "render/node_label.h"

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

/* Without times in the files, V8's ids tell which was taken first. A right order is not mentioned. */
static void describe_order(char *out, size_t n, const ubi_graph *graph, const ubi_graph *since) {
    uint64_t mark = ubi_lens_id_mark(graph), since_mark = ubi_lens_id_mark(since);
    if (mark && mark < since_mark)
        snprintf(out, n, ", taken earlier: is the order right?");
    else if (mark && mark == since_mark)
        snprintf(out, n, ", the same snapshot");
}

bool ubi__diff_doubts_order(const ubi__diff_pair *pair) {
    char text[80] = "";
    describe_order(text, sizeof text, pair->new_snapshot->graph, pair->old_snapshot->graph);
    return text[0];
}

static void snapshot_write(const ubi__cli *cli, const char *which, const ubi_tally *total, size_t nodes_columns,
                           const char *path, const char *time) {
    char size[UBI__HUMAN_TEXT], nodes[UBI__HUMAN_TEXT];
    ubi__out *out = &cli->output->out;
    ubi__write_inked(cli, UBI__INK_BOLD, which);
    ubi__display_right(out, ubi__human_size(size, total->bytes), UBI__DIFF_SIZE_COLUMNS + 1);
    ubi__display_right(out, ubi__human_things(nodes, total->count, "node"), nodes_columns + 2);
    ubi__out_string(out, "  ");
    size_t used = strlen(which) + UBI__DIFF_SIZE_COLUMNS + 1 + nodes_columns + 2 + 2 + strlen(time);
    ubi__display_text(out, &cli->style, ubi__text(path), ubi__name_room(cli, used));
    ubi__out_string(out, time);
    ubi__out_char(out, '\n');
}

static char *node_things(char out[UBI__HUMAN_TEXT], uint64_t n) {
    return ubi__human_things(out, n, "node");
}

static void total_change_write(const ubi__cli *cli, ubi__change bytes, ubi__change count, size_t nodes_columns) {
    char size[UBI__HUMAN_TEXT + 1], nodes[UBI__HUMAN_TEXT + 1];
    ubi__write_change(cli, ubi__human_size, bytes, strlen("Old") + UBI__DIFF_SIZE_COLUMNS + 1);
    ubi__write_change(cli, node_things, count, nodes_columns + 2);
    if (ubi__change_size(bytes) || ubi__change_size(count))
        ubi__out_printf(&cli->output->out, "  %s in size, %s in nodes\n", ubi__change_percent(size, bytes),
                        ubi__change_percent(nodes, count));
    else
        ubi__out_string(&cli->output->out, "  as much as before\n");
}

void ubi__diff_write_head(ubi__cli *cli, const ubi__diff_pair *pair) {
    char text[UBI__HUMAN_TEXT + 1], time[80];
    const ubi_graph *old = pair->old_snapshot->graph;
    ubi__change bytes = { pair->old_total.bytes, pair->new_total.bytes };
    ubi__change count = { pair->old_total.count, pair->new_total.count };
    size_t columns = strlen(ubi__human_things(text, count.from, "node"));
    columns = ubi__larger(columns, strlen(ubi__human_things(text, count.to, "node")));
    columns = ubi__larger(columns, strlen(ubi__change_text(text, node_things, count)));
    describe_time(time, sizeof time, old, NULL);
    snapshot_write(cli, "Old", &pair->old_total, columns, pair->old_snapshot->path, time);
    describe_time(time, sizeof time, pair->new_snapshot->graph, old);
    if (!time[0] && pair->is_one_process)
        describe_order(time, sizeof time, pair->new_snapshot->graph, old);
    snapshot_write(cli, "New", &pair->new_total, columns, pair->new_snapshot->path, time);
    total_change_write(cli, bytes, count, columns);
}

/* ---- allocation sites ------------------------------------------------------------------------------------------- */

enum { SIZE, BAR, COUNT, COLUMNS };

static const ubi__text_column site_columns[COLUMNS] = {
    [SIZE] = { NULL, .width = UBI__DIFF_SIZE_COLUMNS },
    [BAR] = { NULL, .width = UBI__DIFF_BAR_COLUMNS, .gap = 2,
              .least_name_columns = UBI__DIFF_NAME_COLUMNS_BESIDE_BARS },
    [COUNT] = { NULL, .width = 5, .gap = 2 },
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
        ubi__text_table_widen(&s->table, COUNT, ubi__change_cell(UBI__CELL_COUNT, ubi__change_by(node.total_count)));
    }
    s->n_shown = limit && s->n_sites > limit + 1 ? (uint32_t)limit : s->n_sites;
    ubi__text_table_lay_out(&s->table);
}

/* All cells of a row except its name; returns the columns left for that. */
static size_t site_write_numbers(const site_list *s, ubi__change bytes, ubi__change count) {
    const ubi__cell cells[COLUMNS] = {
        [SIZE] = ubi__change_cell(UBI__CELL_SIZE, bytes),
        [BAR] = ubi__change_bar(bytes, s->largest),
        [COUNT] = ubi__change_cell(UBI__CELL_COUNT, count),
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

void ubi__diff_write_sites(ubi__cli *cli, const ubi_census_tree *tree, uint64_t limit) {
    ubi_census_node node;
    uint32_t i = 0;
    ubi_census_tree_node(tree, ubi_census_tree_root(tree), &node);
    site_list s = { .tree = tree, .rows = node.children, .n_rows = node.n_children };
    ubi__page_table(&s.table, cli, "", site_columns, COLUMNS);
    sites_measure(&s, limit);
    if (s.n_sites == 0)
        return;
    ubi__write_title(cli, "Where that was allocated");
    for (uint32_t shown = 0; shown < s.n_shown && next_site(&s, &i, &node); i++, shown++)
        site_write(&s, &node);
    if (s.n_shown < s.n_sites)
        other_sites_write(&s, i);
}

/* ---- next ------------------------------------------------------------------------------------------------------- */

void ubi__diff_write_next(ubi__cli *cli, const ubi__diff_pair *pair, bool has_stacks) {
    const char *old = ubi__file_argument(pair->old_snapshot->path, "OLD");
    const char *new = ubi__file_argument(pair->new_snapshot->path, "NEW");
    ubi__write_title(cli, "Next");
    if (has_stacks)
        ubi__write_command(cli, "diff -b invertedAllocationStack", old, new, "with callers");
    ubi__write_command(cli, "diff -b default", old, new, "as a tree");
    ubi__write_command(cli, "diff --by class -n 0", old, new, "every class");
}
