/* SPDX-License-Identifier: MIT
 *
 * summary_page.c: a heap by class as text.
 *
 * A line of totals and a table: what a class retains, its own size, how many nodes it has, how far the nearest is from the
 * root, and its name, with the place where it is defined if the lens knows one. With --class, the nodes stand below.
 */
#include "cli/commands/summary/summary_page.h"

#include <stdio.h>

#include "base/alloc.h"
#include "base/human.h"
#include "base/text.h"
#include "cli/page.h"

#define SIZE_COLUMNS 10
#define PERCENT_COLUMNS 7
#define BAR_COLUMNS 10
#define COUNT_COLUMNS 10
#define DISTANCE_COLUMNS 9
#define ID_COLUMNS 12
#define PAGE_WITH_BARS 100
#define PAGE_WITH_SHARES 120
#define LEAST_PLACE_COLUMNS 16

typedef struct page {
    const ubi__cli *cli;
    ubi__out *out;
    const ubi__style *style;
    const ubi__snapshot *snapshot;
    const ubi__summary_answer *answer;
    bool has_bars, has_shares; /* there is room for bars, and for shares of own sizes */
    size_t room;               /* for names */
} page;

static void put_distance(const page *p, uint32_t distance) {
    char text[UBI__HUMAN_TEXT];
    ubi__display_right(p->out,
                       distance == UBI_NONE                   ? "-"
                       : distance >= UBI_LENS_SYSTEM_DISTANCE ? "system"
                                                              : ubi__human_count(text, distance),
                       DISTANCE_COLUMNS);
}

/* ---- head -------------------------------------------------------------------------------------------------------- */

static bool is_everything(const page *p) {
    return !p->answer->choice->only;
}

static void write_asked(const page *p, const char *what, const char *value) {
    if (!value)
        return;
    ubi__write_ink(p->cli, UBI__INK_BOLD);
    ubi__out_string(p->out, what);
    ubi__display_text(p->out, p->style, ubi__text(value), p->style->columns - strlen(what));
    ubi__write_ink(p->cli, UBI__INK_PLAIN);
    ubi__out_char(p->out, '\n');
}

/* What was asked for, a line each. */
static void write_choice(const page *p) {
    const ubi__summary_choice *c = p->answer->choice;
    write_asked(p, "", c->filter ? c->filter->title : NULL);
    if (c->context_filter && c->context_id == 0)
        write_asked(p, "", c->context_filter->title);
    else
        write_asked(p, "Objects of native context ", c->arguments->context);
    write_asked(p, "Allocated after ", c->arguments->since);
    write_asked(p, "Allocated before ", c->arguments->until);
    write_asked(p, "Where ", c->arguments->where);
}

static void write_head(const page *p) {
    char a[UBI__HUMAN_TEXT], b[UBI__HUMAN_TEXT], c[UBI__HUMAN_TEXT];
    const ubi_summary *s = p->answer->summary;
    uint32_t n_classes = ubi_summary_row_count(s);
    write_choice(p);
    if (n_classes == 0) {
        ubi__out_string(p->out, is_everything(p) ? "Nothing has a size.\n" : "There are none.\n");
        return;
    }
    ubi__out_printf(p->out, "%s in %s of %s class%s", ubi__human_size(a, ubi_summary_size_bytes(s)),
                    ubi__human_things(b, ubi_summary_node_count(s), "node"), ubi__human_count(c, n_classes),
                    n_classes == 1 ? "" : "es");
    if (p->answer->total_bytes != ubi_summary_size_bytes(s))
        ubi__out_printf(p->out, ", %s of %s", ubi__human_percent(a, ubi_summary_size_bytes(s), p->answer->total_bytes),
                        ubi__human_size(b, p->answer->total_bytes));
    ubi__out_char(p->out, '\n');
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

static void write_header(const page *p) {
    ubi__out_char(p->out, '\n');
    ubi__write_ink(p->cli, UBI__INK_BOLD);
    ubi__display_right(p->out, "Retained", SIZE_COLUMNS);
    ubi__out_repeat(p->out, " ", PERCENT_COLUMNS + (p->has_bars ? 2 + BAR_COLUMNS : 0));
    ubi__display_right(p->out, "Self", SIZE_COLUMNS);
    if (p->has_shares)
        ubi__out_repeat(p->out, " ", PERCENT_COLUMNS);
    ubi__display_right(p->out, "Count", COUNT_COLUMNS);
    ubi__display_right(p->out, "Distance", DISTANCE_COLUMNS);
    ubi__out_string(p->out, "  Class\n");
    ubi__write_ink(p->cli, UBI__INK_PLAIN);
}

/* "12,40,7" in the file is the script's number, line and column from 0; people count from 1. */
static void describe_place(char *out, size_t n, const page *p, const ubi_summary_row *row, ubi_text place) {
    const ubi_graph *g = p->snapshot->graph;
    unsigned script, line, column;
    char copy[64];
    *out = 0;
    if (place.len == 0 || place.len >= sizeof copy)
        return;
    snprintf(copy, sizeof copy, "%.*s", (int)place.len, place.ptr);
    if (sscanf(copy, "%u,%u,%u", &script, &line, &column) != 3)
        return;
    ubi_text file = ubi_graph_string(g, ubi_graph_kind(g, ubi_graph_node_kind(g, row->first))->script_filename);
    if (file.len)
        snprintf(out, n, "%.*s:%u:%u", (int)(file.len < 200 ? file.len : 200), file.ptr, line + 1, column + 1);
    else
        snprintf(out, n, "script %u:%u:%u", script, line + 1, column + 1);
}

static void write_name(const page *p, const ubi_summary_row *row) {
    char place[300];
    ubi_lens_class class;
    ubi_lens_class_get(p->snapshot->look, row->class_ix, &class);
    describe_place(place, sizeof place, p, row, class.place);
    size_t used = ubi__display_text(p->out, p->style, class.name, p->room);
    if (*place && p->room - used > LEAST_PLACE_COLUMNS) {
        ubi__out_string(p->out, "  ");
        ubi__write_ink(p->cli, UBI__INK_DIM);
        ubi__display_text_end(p->out, p->style, ubi__text(place), p->room - used - 2);
        ubi__write_ink(p->cli, UBI__INK_PLAIN);
    }
    ubi__out_char(p->out, '\n');
}

static void write_row(const page *p, const ubi_summary_row *row) {
    ubi__write_size(p->cli, row->retained_bytes, SIZE_COLUMNS);
    ubi__write_share(p->cli, row->retained_bytes, p->answer->total_bytes, PERCENT_COLUMNS);
    if (p->has_bars)
        ubi__write_bar(p->cli, UBI__INK_CYAN, row->retained_bytes, p->answer->total_bytes, BAR_COLUMNS);
    ubi__write_size(p->cli, row->size_bytes, SIZE_COLUMNS);
    if (p->has_shares)
        ubi__write_share(p->cli, row->size_bytes, p->answer->total_bytes, PERCENT_COLUMNS);
    ubi__write_count(p->cli, row->count, COUNT_COLUMNS);
    put_distance(p, row->distance);
    ubi__out_string(p->out, "  ");
    write_name(p, row);
}

/* ---- nodes of a class -------------------------------------------------------------------------------------------- */

static void write_nodes_header(const page *p) {
    ubi__out_char(p->out, '\n');
    ubi__write_ink(p->cli, UBI__INK_BOLD);
    ubi__display_right(p->out, "Retained", SIZE_COLUMNS);
    ubi__display_right(p->out, "Self", SIZE_COLUMNS + PERCENT_COLUMNS);
    ubi__display_right(p->out, "Distance", DISTANCE_COLUMNS);
    ubi__display_right(p->out, "Id", ID_COLUMNS);
    ubi__out_string(p->out, "  Node\n");
    ubi__write_ink(p->cli, UBI__INK_PLAIN);
}

static void write_node(const page *p, ubi_node_ix node) {
    ubi_lens_name_buffer buffer;
    const ubi_summary *s = p->answer->summary;
    size_t used = 2 * SIZE_COLUMNS + PERCENT_COLUMNS + DISTANCE_COLUMNS + ID_COLUMNS + 2;
    uint64_t retained_bytes = ubi_dominators_retained_bytes(ubi_summary_dominators(s), node);
    ubi__write_size(p->cli, retained_bytes, SIZE_COLUMNS);
    ubi__write_share(p->cli, retained_bytes, p->answer->total_bytes, PERCENT_COLUMNS);
    ubi__write_size(p->cli, ubi_lens_size_bytes(p->snapshot->look, node), SIZE_COLUMNS);
    put_distance(p, ubi_summary_distances(s)[node]);
    ubi__write_id(p->cli, ubi_graph_node_id(p->snapshot->graph, node), ID_COLUMNS);
    ubi__out_string(p->out, "  ");
    ubi__display_text(p->out, p->style, ubi_lens_display_name(p->snapshot->look, node, &buffer),
                      ubi__name_room(p->cli, used));
    ubi__out_char(p->out, '\n');
}

static ubi_status write_nodes(const page *p, const ubi_summary_row *row) {
    ubi_node_ix *nodes;
    uint32_t n;
    UBI_TRY(ubi__summary_answer_members(&nodes, &n, p->answer, row));
    write_nodes_header(p);
    for (uint32_t i = 0; i < n && !p->out->failed; i++)
        write_node(p, nodes[i]);
    ubi__write_more(p->cli, row->count - n);
    ubi__free_array(ubi_allocator_default(), nodes, n, sizeof *nodes);
    return UBI_OK;
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

static ubi_status write_rows(const page *p) {
    if (p->answer->n == 0)
        return UBI_OK;
    if (!p->answer->class_name)
        write_header(p);
    for (uint32_t i = 0; i < p->answer->n && !p->out->failed; i++) {
        const ubi_summary_row *row = ubi_summary_row_at(p->answer->summary, p->answer->order[i]);
        if (p->answer->class_name)
            write_header(p);
        write_row(p, row);
        if (p->answer->class_name)
            UBI_TRY(write_nodes(p, row));
    }
    ubi__write_more(p->cli, p->answer->n_found - p->answer->n);
    return UBI_OK;
}

ubi_status ubi__summary_page(ubi__cli *cli, const ubi__snapshot *snapshot, const ubi__summary_answer *answer) {
    page p = { .cli = cli, .out = &cli->output->out, .style = &cli->style, .snapshot = snapshot, .answer = answer };
    p.has_bars = cli->style.columns >= PAGE_WITH_BARS;
    p.has_shares = cli->style.columns >= PAGE_WITH_SHARES;
    size_t used = 2 * SIZE_COLUMNS + PERCENT_COLUMNS + COUNT_COLUMNS + DISTANCE_COLUMNS + 2;
    used += (p.has_bars ? 2 + BAR_COLUMNS : 0) + (p.has_shares ? PERCENT_COLUMNS : 0);
    p.room = ubi__name_room(cli, used);
    write_head(&p);
    return write_rows(&p);
}
