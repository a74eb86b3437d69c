/* SPDX-License-Identifier: MIT
 *
 * report_page.c: the report as one screen of text.
 *
 * At most 30 lines, of at most 100 columns but for paths, and a few more where there is something to win. Rows look like those
 * of a census: size, share, bar, count, name. What looks odd takes lines from the longer lists, down to a few, and then does without its
 * least important sentences. With --detail all is shown.
 */
#include "cli/commands/report/report_page.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/human.h"
#include "base/text.h"
#include "cli/page.h"
#include "render/node_label.h"
#include "render/path_words.h"

#define WIDEST_PAGE 100
#define PAGE_LINES 30
#define TITLE_LINES 2
#define HEAD_LINES 2
#define KINDS_SHOWN 5
#define KEEPERS_SHOWN 4
#define FUNCTIONS_SHOWN 3
#define FINDINGS_SHOWN 3
#define WINS_SHOWN 3
#define DETAIL_SHOWN 50
#define PATH_LINES 2
#define NEXT_SHOWN 3

#define SIZE_COLUMNS 10
#define PERCENT_COLUMNS 8
#define BAR_COLUMNS 20
#define NARROW_BAR_COLUMNS 10
#define NARROW_PAGE 90
#define LEAST_NAME_COLUMNS 16

typedef struct page {
    const ubi__cli *cli;
    ubi__out *out;
    const ubi__style *style;
    const ubi__report_facts *facts;
    const char *path;
    size_t columns;
    unsigned bar_columns;
    size_t count_columns;
    uint64_t total_bytes;
    const ubi_finding *wins[DETAIL_SHOWN], *oddities[DETAIL_SHOWN];     /* findings with bytes to win, and the others */
    size_t n_kinds, n_keepers, n_functions, n_wins, n_findings, n_next; /* shown */
} page;

static size_t smaller(size_t a, size_t b) {
    return a < b ? a : b;
}

/* Everything of a row but its name; returns the columns left for that. `bar_columns` 0: no bar. */
static size_t row_numbers(const page *p, const ubi__tally *tally, ubi__ink color, unsigned bar_columns) {
    ubi__write_size(p->cli, tally->bytes, SIZE_COLUMNS);
    ubi__write_share(p->cli, tally->bytes, p->total_bytes, PERCENT_COLUMNS);
    if (bar_columns)
        ubi__write_bar(p->cli, color, tally->bytes, p->total_bytes, bar_columns);
    ubi__write_count(p->cli, tally->count, p->count_columns + 2);
    ubi__out_string(p->out, "  ");
    size_t used = SIZE_COLUMNS + PERCENT_COLUMNS + (bar_columns ? 2 + bar_columns : 0) + p->count_columns + 4;
    return p->columns > used + LEAST_NAME_COLUMNS ? p->columns - used : LEAST_NAME_COLUMNS;
}

/* ---- parts ------------------------------------------------------------------------------------------------------ */

/* "  Firefox, 2023-11-14 22:13:20 UTC", or what is known of it. */
static void describe_origin(char *out, size_t n, const ubi_graph *g) {
    char time[UBI__HUMAN_TEXT];
    uint64_t time_us;
    const char *producer = ubi__guess_producer(g);
    bool has_time = ubi_graph_creation_time_us(g, &time_us);
    snprintf(out, n, "%s%s%s%s", producer || has_time ? "  " : "", producer ? producer : "",
             producer && has_time ? ", " : "", has_time ? ubi__human_time(time, time_us) : "");
}

static void write_head(const page *p) {
    char origin[80], size[UBI__HUMAN_TEXT], nodes[UBI__HUMAN_TEXT], edges[UBI__HUMAN_TEXT], outside[UBI__HUMAN_TEXT];
    const ubi_graph *g = p->facts->graph;
    describe_origin(origin, sizeof origin, g);
    ubi__write_ink(p->cli, UBI__INK_BOLD);
    ubi__display_text(p->out, p->style, ubi__text(p->path), p->columns - strlen(origin));
    ubi__write_ink(p->cli, UBI__INK_PLAIN);
    ubi__out_printf(p->out, "%s\n%s in %s, joined by %s", origin, ubi__human_size(size, p->total_bytes),
                    ubi__human_things(nodes, p->facts->summary.reachable.count, "node"),
                    ubi__human_things(edges, ubi_graph_edge_count(g), "edge"));
    if (p->facts->outside_bytes)
        ubi__out_printf(p->out, "; %s of it outside of nodes", ubi__human_size(outside, p->facts->outside_bytes));
    ubi__out_char(p->out, '\n');
}

typedef struct coarse_row {
    const ubi__tally *tally;
    const char *name;
    ubi__ink color;
} coarse_row;

static bool larger(const ubi__tally *a, const ubi__tally *b) {
    return a->bytes != b->bytes ? a->bytes > b->bytes : a->count > b->count;
}

static void sort_coarse(coarse_row *rows, size_t n) {
    for (size_t i = 1; i < n; i++)
        for (size_t k = i; k > 0 && larger(rows[k].tally, rows[k - 1].tally); k--) {
            coarse_row row = rows[k];
            rows[k] = rows[k - 1];
            rows[k - 1] = row;
        }
}

static ubi__ink coarse_color(ubi_coarse_type type) {
    static const ubi__ink colors[] = { UBI__INK_DIM, UBI__INK_CYAN, UBI__INK_YELLOW, UBI__INK_GREEN, UBI__INK_MAGENTA };
    return colors[type];
}

static void write_coarse(const page *p) {
    static const char *const names[] = { "engine internals and others", "JavaScript objects", "scripts and code",
                                         "strings", "DOM nodes" };
    const ubi__tally *coarse = p->facts->summary.coarse;
    coarse_row rows[UBI_COARSE_TYPE_COUNT];
    for (ubi_coarse_type t = 0; t < UBI_COARSE_TYPE_COUNT; t++)
        rows[t] = (coarse_row){ &coarse[t], names[t], coarse_color(t) };
    sort_coarse(rows, UBI_COARSE_TYPE_COUNT);
    ubi__write_title(p->cli, "What it is made of");
    for (size_t i = 0; i < UBI_COARSE_TYPE_COUNT && rows[i].tally->count; i++) {
        row_numbers(p, rows[i].tally, rows[i].color, p->bar_columns);
        ubi__out_printf(p->out, "%s\n", rows[i].name);
    }
}

static void write_kinds(const page *p) {
    static const char *const notes[] = { "", " (object)", " (script)", " (string)", " (DOM)" };
    const ubi__groups *groups = &p->facts->labels;
    ubi__write_title(p->cli, "Biggest kinds");
    for (size_t i = 0; i < p->n_kinds; i++) {
        const ubi__group *group = &groups->at[i];
        bool is_told = group->label.len && *group->label.ptr == '('; /* "(string)" */
        const char *note = is_told ? "" : notes[group->coarse_type];
        size_t room = row_numbers(p, &group->tally, coarse_color(group->coarse_type), p->bar_columns);
        ubi__display_text(p->out, p->style, group->label, room - strlen(note));
        if (*note) {
            ubi__write_ink(p->cli, UBI__INK_DIM);
            ubi__out_string(p->out, note);
            ubi__write_ink(p->cli, UBI__INK_PLAIN);
        }
        ubi__out_char(p->out, '\n');
    }
}

#define LEAST_HELD_COLUMNS 8

/* "  holds 8,580 Object", if it fits. */
static void write_held(const page *p, const ubi_keeper *keeper, size_t columns) {
    char count[UBI__HUMAN_TEXT], text[UBI__HUMAN_TEXT + 16];
    const ubi_graph *g = p->facts->graph;
    ubi_text name = ubi__kind_label(g, ubi_graph_kind(g, keeper->held_kind));
    size_t used = (size_t)snprintf(text, sizeof text, "  holds %s ", ubi__human_count(count, keeper->n_held));
    if (used + smaller(ubi__display_columns(name, p->style), LEAST_HELD_COLUMNS) > columns)
        return;
    ubi__out_string(p->out, text);
    ubi__display_text(p->out, p->style, name, columns - used);
}

static void write_holding(const page *p, const ubi_keeper *keeper, size_t columns) {
    static const char itself[] = "  is large itself";
    ubi__holding holding = ubi__report_holding(p->facts->look, keeper);
    ubi__write_ink(p->cli, UBI__INK_DIM);
    if (holding == UBI__HOLDS_KIND)
        write_held(p, keeper, columns);
    else if (holding == UBI__HOLDS_ITSELF && strlen(itself) <= columns)
        ubi__out_string(p->out, itself);
    ubi__write_ink(p->cli, UBI__INK_PLAIN);
}

static void write_keeper(const page *p, const ubi_keeper *k) {
    ubi__tally tally = { k->n_dominated + UINT64_C(1), k->retained_bytes };
    ubi__path_view path = ubi__report_path(p->facts, k->node);
    /* Paths are long, and say more than bars; where a terminal is wide, they have all of it. */
    size_t room = row_numbers(p, &tally, UBI__INK_RED, p->columns < NARROW_PAGE ? 0 : p->bar_columns);
    room += p->style->columns - p->columns;
    size_t used = ubi__display_path(p->out, p->style, &path, room);
    write_holding(p, k, room > used ? room - used : 0);
    ubi__out_char(p->out, '\n');
}

/* Those that explain most, but the largest first. */
static void write_keepers(const page *p) {
    const ubi_keeper *sorted[UBI__REPORT_KEEPERS];
    if (p->n_keepers == 0)
        return;
    for (size_t i = 0; i < p->n_keepers; i++) {
        size_t at = i;
        const ubi_keeper *k = &p->facts->keepers.at[i];
        for (; at > 0 && sorted[at - 1]->retained_bytes < k->retained_bytes; at--)
            sorted[at] = sorted[at - 1];
        sorted[at] = k;
    }
    ubi__write_title(p->cli, "Biggest keepers, and what would be freed with each");
    for (size_t i = 0; i < p->n_keepers; i++)
        write_keeper(p, sorted[i]);
}

static void write_functions(const page *p) {
    char a[UBI__HUMAN_TEXT], b[UBI__HUMAN_TEXT], heading[128];
    const ubi__groups *groups = &p->facts->functions;
    if (groups->n == 0) {
        ubi__write_title(p->cli, "Where it was allocated");
        ubi__out_string(p->out, strcmp(ubi_graph_format_name(p->facts->graph), "heapsnapshot") == 0
                                    ? "  Not recorded: DevTools do with \"Allocations on timeline\" and stack traces.\n"
                                    : "  Not recorded: tick \"Record call stacks\" in Firefox before the snapshot.\n");
        return;
    }
    uint64_t n_with_stack = p->facts->summary.n_with_stack;
    snprintf(heading, sizeof heading, "Where it was allocated (%s of %s %s a stack)", ubi__human_count(a, n_with_stack),
             ubi__human_things(b, ubi_graph_node_count(p->facts->graph), "node"), n_with_stack == 1 ? "has" : "have");
    ubi__write_title(p->cli, heading);
    for (size_t i = 0; i < p->n_functions; i++) {
        size_t room = row_numbers(p, &groups->at[i].tally, UBI__INK_BLUE, p->bar_columns);
        ubi__display_frame(p->out, p->style, &groups->at[i].frame, room);
        ubi__out_char(p->out, '\n');
    }
}

#define DASH "  - "

/* One sentence behind a dash; `out` NULL only measures. Returns how many lines there are. */
static size_t write_sentence(const page *p, ubi__out *out, ubi_text text) {
    if (out)
        ubi__out_string(out, DASH);
    size_t lines = ubi__wrap_words(out, p->style, text, strlen(DASH), strlen(DASH), p->columns);
    if (out)
        ubi__out_char(out, '\n');
    return lines;
}

static void write_findings(const page *p) {
    if (p->n_findings == 0)
        return;
    ubi__write_title(p->cli, "Worth a look");
    for (size_t i = 0; i < p->n_findings; i++)
        write_sentence(p, p->out, ubi__text(p->oddities[i]->text));
}

#define WIN_INDENT (SIZE_COLUMNS + 2)

/* The size stands before the sentence; below both, the way to the first example. */
static void write_win(const page *p, const ubi_finding *finding) {
    ubi__path_view path = ubi__report_finding_path(p->facts, finding);
    size_t columns = p->style->columns;
    ubi__write_ink(p->cli, UBI__INK_GREEN);
    ubi__write_size(p->cli, finding->bytes, SIZE_COLUMNS);
    ubi__write_ink(p->cli, UBI__INK_PLAIN);
    ubi__out_string(p->out, "  ");
    ubi__wrap_words(p->out, p->style, ubi__text(finding->text), WIN_INDENT, WIN_INDENT, p->columns);
    ubi__out_char(p->out, '\n');
    if (path.n_steps == 0)
        return;
    ubi__out_repeat(p->out, " ", WIN_INDENT);
    ubi__display_path_wrapped(p->out, p->style, &path, columns > 3 * WIN_INDENT ? columns - WIN_INDENT : 2 * WIN_INDENT,
                              PATH_LINES, WIN_INDENT);
}

static void write_wins(const page *p) {
    if (p->n_wins == 0)
        return;
    ubi__write_title(p->cli, "What you can win");
    for (size_t i = 0; i < p->n_wins; i++)
        write_win(p, p->wins[i]);
}

/* The keeper that is hardest to find by looking: of those shown, the one that is farthest from the root. */
static ubi_node_ix keeper_to_explain(const page *p) {
    ubi_node_ix farthest = p->facts->keepers.at[0].node;
    for (size_t i = 1; i < p->n_keepers; i++)
        if (ubi__report_path(p->facts, p->facts->keepers.at[i].node).n_steps >
            ubi__report_path(p->facts, farthest).n_steps)
            farthest = p->facts->keepers.at[i].node;
    return farthest;
}

static bool has_keepers(const page *p) {
    return p->facts->keepers.n > 0;
}

static bool has_stacks(const page *p) {
    return p->facts->functions.n > 0;
}

/* Commands worth running, the best first. */
static const struct {
    const char *command, *help;
    bool names_keeper;
    bool (*applies)(const page *p); /* NULL: always */
} next_commands[] = {
    { "dominators", "who keeps how much, as a tree", false, NULL },
    { "paths", "why this keeper is alive", true, has_keepers },
    { "census -b invertedAllocationStack", "who allocated it", false, has_stacks },
    { "census", "every kind, as a tree", false, NULL },
};
#define NEXT_COMMANDS (sizeof next_commands / sizeof *next_commands)

static bool is_next(const page *p, size_t i) {
    return !next_commands[i].applies || next_commands[i].applies(p);
}

static void write_command(const page *p, size_t i) {
    char id[24];
    if (next_commands[i].names_keeper)
        snprintf(id, sizeof id, "%" PRIu64, ubi_graph_node_id(p->facts->graph, keeper_to_explain(p)));
    ubi__write_command(p->cli, next_commands[i].command, ubi__file_argument(p->path, "FILE"),
                       next_commands[i].names_keeper ? id : NULL, next_commands[i].help);
}

static void write_next(const page *p) {
    size_t shown = 0;
    ubi__write_title(p->cli, "Next");
    for (size_t i = 0; i < NEXT_COMMANDS && shown < p->n_next; i++) {
        if (!is_next(p, i))
            continue;
        write_command(p, i);
        shown++;
    }
}

/* ---- what fits -------------------------------------------------------------------------------------------------- */

static size_t count_lines(const page *p) {
    size_t lines = HEAD_LINES + 4 * TITLE_LINES;
    for (ubi_coarse_type t = 0; t < UBI_COARSE_TYPE_COUNT; t++)
        lines += p->facts->summary.coarse[t].count > 0;
    lines += p->n_kinds;
    lines += p->n_keepers ? TITLE_LINES + p->n_keepers : 0;
    lines += p->n_functions ? p->n_functions : 1;
    lines += p->n_findings ? TITLE_LINES : 0;
    for (size_t i = 0; i < p->n_findings; i++)
        lines += write_sentence(p, NULL, ubi__text(p->oddities[i]->text));
    return lines + p->n_next;
}

/* Takes one line away, from where it is missed least. False: nothing is left to take. */
static bool give_way(page *p) {
    const struct {
        size_t *shown, least;
    } order[] = { { &p->n_kinds, 3 },    { &p->n_functions, 2 }, { &p->n_next, 2 },     { &p->n_keepers, 3 },
                  { &p->n_findings, 1 }, { &p->n_kinds, 2 },     { &p->n_functions, 1 } };
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        if (*order[i].shown > order[i].least) {
            --*order[i].shown;
            return true;
        }
    return false; /* a very narrow terminal */
}

/* Findings with bytes to win, and the others. */
static void sort_out_findings(page *p) {
    size_t wins_wanted = p->facts->detail ? DETAIL_SHOWN : WINS_SHOWN;
    size_t oddities_wanted = p->facts->detail ? DETAIL_SHOWN : FINDINGS_SHOWN;
    for (uint32_t i = 0; i < ubi_findings_count(p->facts->findings); i++) {
        const ubi_finding *finding = ubi_findings_get(p->facts->findings, i);
        if (finding->bytes && p->n_wins < wins_wanted)
            p->wins[p->n_wins++] = finding;
        else if (!finding->bytes && p->n_findings < oddities_wanted)
            p->oddities[p->n_findings++] = finding;
    }
}

static void choose_what_fits(page *p) {
    bool all = p->facts->detail;
    sort_out_findings(p);
    p->n_kinds = smaller(p->facts->labels.n, all ? DETAIL_SHOWN : KINDS_SHOWN);
    p->n_keepers = smaller(p->facts->keepers.n, all ? UBI__REPORT_KEEPERS : KEEPERS_SHOWN);
    p->n_functions = smaller(p->facts->functions.n, all ? DETAIL_SHOWN : FUNCTIONS_SHOWN);
    for (size_t i = 0; i < NEXT_COMMANDS; i++)
        p->n_next += is_next(p, i);
    p->n_next = smaller(p->n_next, all ? NEXT_COMMANDS : NEXT_SHOWN);
    while (!all && count_lines(p) > PAGE_LINES && give_way(p)) {
    }
}

void ubi__report_page(ubi__cli *cli, const ubi__snapshot *snapshot, const ubi__report_facts *facts) {
    char text[UBI__HUMAN_TEXT];
    page p = { .cli = cli, .out = &cli->output->out, .style = &cli->style, .facts = facts, .path = snapshot->path };
    p.columns = cli->style.columns < WIDEST_PAGE ? cli->style.columns : WIDEST_PAGE;
    p.bar_columns = p.columns < NARROW_PAGE ? NARROW_BAR_COLUMNS : BAR_COLUMNS;
    p.total_bytes = facts->total_bytes;
    p.count_columns = strlen(ubi__human_count(text, facts->summary.reachable.count));
    choose_what_fits(&p);
    write_head(&p);
    write_coarse(&p);
    write_kinds(&p);
    write_wins(&p);
    write_keepers(&p);
    write_functions(&p);
    write_findings(&p);
    write_next(&p);
}
