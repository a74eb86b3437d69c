/* SPDX-License-Identifier: MIT
 *
 * report_page.c: the report as one screen of text.
 *
 * What matters most comes first: the headline, then findings (report_findings.c), then what the heap is made of. At most 40
 * lines, of at most 100 columns except for paths. Rows look like those of a census: size, share, bar, count, name. Findings take
 * lines from the longer lists, down to a few, and then do without the least important of them. With --detail all is shown.
 */
#include "questions/report/report_page.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/assert.h"
#include "base/bits.h"
#include "base/human.h"
#include "base/text.h"
#include "lenses/producer.h"
#include "questions/report/report_layout.h"
#include "render/heap_labels.h"
#include "render/page.h"
#include "render/path_words.h"

#define WIDEST_PAGE 100
#define PAGE_LINES 40
#define TITLE_LINES 2
#define KINDS_SHOWN 5
#define FUNCTIONS_SHOWN 3
#define ODDITIES_SHOWN 3
#define SAVINGS_SHOWN 5
#define DETAIL_SHOWN UBI__REPORT_DETAIL_SHOWN
#define NEXT_SHOWN 3

#define BAR_COLUMNS 20
#define NARROW_BAR_COLUMNS 10
#define NARROW_PAGE 90

typedef ubi__report_layout page;

enum { SIZE, SHARE, BAR, COUNT, COLUMNS };

static const ubi__text_column report_columns[COLUMNS] = {
    [SIZE] = { NULL, .width = UBI__REPORT_SIZE_COLUMNS },
    [SHARE] = { NULL, .width = 8 },
    [BAR] = { NULL, .width = BAR_COLUMNS, .gap = 2 },
    [COUNT] = { NULL, .gap = 2 },
};

static void table_init(page *p) {
    ubi__text_table *t = &p->table;
    ubi__page_table(t, p->page, "", report_columns, COLUMNS);
    t->columns = p->columns;
    t->at[BAR].width = p->columns < NARROW_PAGE ? NARROW_BAR_COLUMNS : BAR_COLUMNS;
    ubi__text_table_widen(t, COUNT, ubi__cell_count(p->facts->sums->summary.reachable.count));
    ubi__text_table_lay_out(t);
}

/* Everything of a row but its name; returns the columns left for that. */
static size_t row_write(const page *p, const ubi__text_table *table, const ubi__tally *tally, ubi__ink color) {
    const ubi__cell cells[COLUMNS] = {
        [SIZE] = ubi__cell_size(tally->bytes),
        [SHARE] = ubi__cell_share(tally->bytes, p->total_bytes),
        [BAR] = ubi__cell_bar(color, tally->bytes, p->total_bytes),
        [COUNT] = ubi__cell_count(tally->count),
    };
    return ubi__text_table_row(table, cells);
}

/* ---- parts ------------------------------------------------------------------------------------------------------ */

/* "  Firefox, 2023-11-14 22:13:20 UTC", or what is known about it. */
static void origin_words(char *out, size_t n, const ubi_graph *g) {
    char time[UBI__HUMAN_TEXT];
    uint64_t time_us;
    const char *producer = ubi__producer_title(g);
    bool has_time = ubi_graph_creation_time_us(g, &time_us);
    snprintf(out, n, "%s%s%s%s", producer || has_time ? "  " : "", producer ? producer : "",
             producer && has_time ? ", " : "", has_time ? ubi__human_time(time, time_us) : "");
}

static void head_write(const page *p) {
    char origin[80];
    origin_words(origin, sizeof origin, p->facts->graph);
    ubi__display_text(p->out, p->style, ubi__text(p->facts->name), p->columns - strlen(origin));
    ubi__out_printf(p->out, "%s\n", origin);
    ubi__report_write_headline(p);
}

typedef struct coarse_row {
    const ubi__tally *tally;
    const char *name;
    ubi__ink color;
} coarse_row;

static bool tally_is_larger(const ubi__tally *a, const ubi__tally *b) {
    return a->bytes != b->bytes ? a->bytes > b->bytes : a->count > b->count;
}

static void coarse_sort(coarse_row *rows, size_t n) {
    for (size_t i = 1; i < n; i++)
        for (size_t k = i; k > 0 && tally_is_larger(rows[k].tally, rows[k - 1].tally); k--) {
            coarse_row row = rows[k];
            rows[k] = rows[k - 1];
            rows[k - 1] = row;
        }
}

static ubi__ink coarse_color(ubi_coarse_type type) {
    static const ubi__ink colors[] = { UBI__INK_DIM, UBI__INK_CYAN, UBI__INK_YELLOW, UBI__INK_GREEN, UBI__INK_MAGENTA };
    return colors[type];
}

static void coarse_write(const page *p) {
    static const char *const names[] = { "engine internals and others", "JavaScript objects", "scripts and code",
                                         "strings", "DOM nodes" };
    const ubi__tally *coarse = p->facts->sums->summary.coarse;
    coarse_row rows[UBI_COARSE_TYPE_COUNT];
    for (ubi_coarse_type t = 0; t < UBI_COARSE_TYPE_COUNT; t++)
        rows[t] = (coarse_row){ &coarse[t], names[t], coarse_color(t) };
    coarse_sort(rows, UBI_COARSE_TYPE_COUNT);
    ubi__write_title(p->page, "What it is made of");
    for (size_t i = 0; i < UBI_COARSE_TYPE_COUNT && rows[i].tally->count; i++) {
        row_write(p, &p->table, rows[i].tally, rows[i].color);
        ubi__out_printf(p->out, "%s\n", rows[i].name);
    }
}

static void kinds_write(const page *p) {
    static const char *const notes[] = { "", " (object)", " (script)", " (string)", " (DOM)" };
    const ubi__groups *groups = &p->facts->sums->labels;
    ubi__write_title(p->page, "Biggest kinds");
    for (size_t i = 0; i < p->n_kinds; i++) {
        const ubi__group *group = &groups->at[i];
        bool is_listed = group->label.len && *group->label.ptr == '('; /* "(string)" */
        const char *note = is_listed ? "" : notes[group->coarse_type];
        size_t room = row_write(p, &p->table, &group->tally, coarse_color(group->coarse_type));
        ubi__display_text(p->out, p->style, group->label, room - strlen(note));
        if (*note)
            ubi__write_inked(p->page, UBI__INK_DIM, note);
        ubi__out_char(p->out, '\n');
    }
}

#define LEAST_HELD_COLUMNS 8

/* "  holds 8,580 Object", if it fits. */
static void held_write(const page *p, const ubi_keeper *keeper, size_t columns) {
    char count[UBI__HUMAN_TEXT], text[UBI__HUMAN_TEXT + 16];
    const ubi_graph *g = p->facts->graph;
    ubi_text name = ubi__kind_label(g, ubi_graph_kind(g, keeper->held_kind));
    size_t used = (size_t)snprintf(text, sizeof text, "  holds %s ", ubi__human_count(count, keeper->n_held));
    if (used + ubi__display_columns(name, p->style, LEAST_HELD_COLUMNS) > columns)
        return;
    ubi__out_string(p->out, text);
    ubi__display_text(p->out, p->style, name, columns - used);
}

static void holding_write(const page *p, const ubi_keeper *keeper, size_t columns) {
    static const char itself[] = "  is large itself";
    ubi__holding holding = ubi__report_holding(p->facts->look, keeper);
    ubi__write_ink(p->page, UBI__INK_DIM);
    if (holding == UBI__HOLDS_KIND)
        held_write(p, keeper, columns);
    else if (holding == UBI__HOLDS_ITSELF && strlen(itself) <= columns)
        ubi__out_string(p->out, itself);
    ubi__write_ink(p->page, UBI__INK_PLAIN);
}

#define OF_ENGINE "the engine's roots: "

/* Paths are long, and say more than bars; where a terminal is wide, they have all of it. */
static void keeper_write(const page *p, const ubi__text_table *table, const ubi_keeper *k) {
    ubi__tally tally = { k->n_dominated + UINT64_C(1), k->retained_bytes };
    ubi__path_view path = ubi__report_path_to(p->facts, k->node);
    row_write(p, table, &tally, UBI__INK_RED);
    if (ubi__report_keeper_is_of_engine(&p->facts->holders->keepers, k))
        ubi__write_inked(p->page, UBI__INK_DIM, OF_ENGINE);
    size_t room = ubi__text_table_room(
        table, table->used + (ubi__report_keeper_is_of_engine(&p->facts->holders->keepers, k) ? strlen(OF_ENGINE) : 0));
    size_t used = ubi__display_path(p->out, p->style, &path, room);
    holding_write(p, k, room > used ? room - used : 0);
    ubi__out_char(p->out, '\n');
}

static void keepers_write(const page *p) {
    const ubi_keeper *sorted[UBI__REPORT_KEEPERS];
    if (p->n_keepers == 0)
        return;
    ubi__report_keepers_shown(sorted, &p->facts->holders->keepers, (uint32_t)p->n_keepers);
    ubi__write_title(p->page, "Biggest retainers, and what would be freed with each");
    ubi__text_table table = p->table;
    table.columns = p->style->columns;
    table.at[BAR].is_hidden = p->columns < NARROW_PAGE;
    ubi__text_table_lay_out(&table);
    for (size_t i = 0; i < p->n_keepers; i++)
        keeper_write(p, &table, sorted[i]);
}

static void functions_write(const page *p) {
    char a[UBI__HUMAN_TEXT], b[UBI__HUMAN_TEXT], heading[128];
    const ubi__groups *groups = &p->facts->sums->functions;
    if (groups->n == 0) {
        ubi__write_title(p->page, "Where it was allocated");
        ubi__out_string(p->out, "  ");
        ubi__write_no_stacks(p->page, p->facts->name, ubi__how_to_record_stacks(p->facts->graph));
        return;
    }
    uint64_t n_with_stack = p->facts->sums->summary.n_with_stack;
    snprintf(heading, sizeof heading, "Where it was allocated (%s of %s %s a stack)", ubi__human_count(a, n_with_stack),
             ubi__human_things(b, ubi_graph_node_count(p->facts->graph), "node"), n_with_stack == 1 ? "has" : "have");
    ubi__write_title(p->page, heading);
    for (size_t i = 0; i < p->n_functions; i++) {
        size_t room = row_write(p, &p->table, &groups->at[i].tally, UBI__INK_BLUE);
        ubi__display_frame(p->out, p->style, &groups->at[i].frame, room);
        ubi__out_char(p->out, '\n');
    }
}

/* The keeper in the first row: what the reader has just seen. */
static ubi_node_ix keeper_to_explain(const page *p) {
    const ubi_keeper *sorted[UBI__REPORT_KEEPERS];
    ubi__report_keepers_shown(sorted, &p->facts->holders->keepers, (uint32_t)p->n_keepers);
    return sorted[0]->node;
}

static bool has_keepers(const page *p) {
    return p->n_keepers > 0;
}

static bool has_stacks(const page *p) {
    return p->facts->sums->functions.n > 0;
}

/* Commands worth running, the best first. */
static const struct {
    const char *command, *help;
    bool with_keeper;
    bool (*applies)(const page *p); /* NULL: always */
} next_commands[] = {
    { "dominators", "who retains how much, as a tree", false, NULL },
    { "show", "everything about one of these retainers", true, has_keepers },
    { "census -b invertedAllocationStack", "who allocated it", false, has_stacks },
    { "census", "every kind, as a tree", false, NULL },
};
#define NEXT_COMMANDS (sizeof next_commands / sizeof *next_commands)

/* The snapshot of a program that is taken for the next commands gives objects other ids. */
static bool command_is_next(const page *p, size_t i) {
    if (next_commands[i].with_keeper && ubi__has_next_snapshot(p->facts->name))
        return false;
    return !next_commands[i].applies || next_commands[i].applies(p);
}

static void next_command_write(const page *p, size_t i, const char *file) {
    char id[24];
    if (next_commands[i].with_keeper)
        snprintf(id, sizeof id, "%" PRIu64, ubi_graph_node_id(p->facts->graph, keeper_to_explain(p)));
    ubi__write_command(p->page, next_commands[i].command, file, next_commands[i].with_keeper ? id : NULL,
                       next_commands[i].help);
}

static void next_write(const page *p) {
    size_t shown = 0;
    ubi__write_title(p->page, "Next");
    const char *file = ubi__write_next_snapshot(p->page, ubi__file_argument(p->facts->name, "FILE"), NULL);
    for (size_t i = 0; i < NEXT_COMMANDS && shown < p->n_next; i++) {
        if (!command_is_next(p, i))
            continue;
        next_command_write(p, i, file);
        shown++;
    }
}

/* ---- what fits -------------------------------------------------------------------------------------------------- */

static size_t page_lines(const page *p) {
    size_t lines = 1 + ubi__report_finding_lines(p) + 4 * TITLE_LINES;
    for (ubi_coarse_type t = 0; t < UBI_COARSE_TYPE_COUNT; t++)
        lines += p->facts->sums->summary.coarse[t].count > 0;
    lines += p->n_kinds;
    lines += p->n_keepers ? TITLE_LINES + p->n_keepers : 0;
    lines += p->n_functions ? p->n_functions : 1;
    return lines + p->n_next + ubi__has_next_snapshot(p->facts->name);
}

/* Removes one line, where it is missed least. False: nothing is left to remove. */
static bool page_give_way(page *p) {
    const struct {
        size_t *shown, least;
    } order[] = { { &p->n_kinds, 4 },     { &p->n_next, 2 },          { &p->n_functions, 2 },
                  { &p->n_keepers, 3 },   { &p->n_kinds, 3 },         { &p->n_oddities_shown, 1 },
                  { &p->n_kinds, 2 },     { &p->n_savings_shown, 3 }, { &p->n_oddities_shown, p->n_savings ? 0 : 1 },
                  { &p->n_functions, 1 }, { &p->n_savings_shown, 2 } };
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        if (*order[i].shown > order[i].least) {
            --*order[i].shown;
            return true;
        }
    return false; /* a very narrow terminal */
}

static void page_fit(page *p) {
    bool all = p->facts->with_detail;
    ubi__report_sort_findings(p, all ? DETAIL_SHOWN : SAVINGS_SHOWN, all ? DETAIL_SHOWN : ODDITIES_SHOWN);
    p->n_kinds = ubi__smaller(p->facts->sums->labels.n, all ? DETAIL_SHOWN : KINDS_SHOWN);
    p->n_keepers = ubi__smaller(p->facts->holders->keepers.n, all ? UBI__REPORT_KEEPERS : UBI__REPORT_KEEPERS_SHOWN);
    p->n_functions = ubi__smaller(p->facts->sums->functions.n, all ? DETAIL_SHOWN : FUNCTIONS_SHOWN);
    for (size_t i = 0; i < NEXT_COMMANDS; i++)
        p->n_next += command_is_next(p, i);
    p->n_next = ubi__smaller(p->n_next, all ? NEXT_COMMANDS : NEXT_SHOWN);
    while (!all && page_lines(p) > PAGE_LINES && page_give_way(p)) {
    }
}

void ubi__report_layout_check(const page *p) {
    UBI_ASSERT(p->n_savings_shown <= p->n_savings && p->n_oddities_shown <= p->n_oddities);
    UBI_ASSERT(p->n_kinds <= p->facts->sums->labels.n && p->n_keepers <= p->facts->holders->keepers.n);
    UBI_ASSERT(p->n_functions <= p->facts->sums->functions.n && p->n_next <= NEXT_COMMANDS);
    UBI_ASSERT(p->total_bytes == p->facts->sums->summary.reachable.bytes + p->facts->outside_bytes);
    for (size_t i = 0; UBI_CHECKS && i < p->n_savings; i++)
        UBI_ASSERT(p->savings[i]->bytes > 0);
    for (size_t i = 0; UBI_CHECKS && i < p->n_oddities; i++)
        UBI_ASSERT(p->oddities[i]->bytes == 0);
}

void ubi__report_page(const ubi__page *to, const ubi__report_facts *facts) {
    page p = { .page = to, .out = to->out, .style = &to->style, .facts = facts };
    p.columns = to->style.columns < WIDEST_PAGE ? to->style.columns : WIDEST_PAGE;
    p.total_bytes = facts->total_bytes;
    table_init(&p);
    page_fit(&p);
    ubi__report_layout_check(&p);
    head_write(&p);
    ubi__report_write_findings(&p);
    coarse_write(&p);
    kinds_write(&p);
    keepers_write(&p);
    functions_write(&p);
    next_write(&p);
}
