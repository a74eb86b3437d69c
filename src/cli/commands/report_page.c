/* SPDX-License-Identifier: MIT
 *
 * report_page.c: the report as one screen of text.
 *
 * About 30 lines of at most 100 columns. Rows look like those of a census: size, share, bar, count, name.
 */
#include "cli/commands/report_page.h"

#include <stdio.h>

#include "base/text.h"
#include "render/human.h"
#include "render/node_label.h"

#define WIDEST_PAGE 100
#define KINDS_SHOWN 5
#define FUNCTIONS_SHOWN 3
#define FINDINGS_SHOWN 3

#define SIZE_COLUMNS 10
#define PERCENT_COLUMNS 8
#define BAR_COLUMNS 20
#define NARROW_BAR_COLUMNS 10
#define NARROW_PAGE 90
#define LEAST_NAME_COLUMNS 16

typedef struct page {
    ubi__out *out;
    const ubi__style *style;
    const ubi__report_facts *facts;
    const char *path;
    size_t columns;
    unsigned bar_columns;
    size_t count_columns;
    uint64_t total_bytes;
} page;

static void ink(const page *p, ubi__ink color) {
    ubi__display_ink(p->out, p->style, color);
}

static void title(const page *p, const char *text) {
    ubi__out_char(p->out, '\n');
    ink(p, UBI__INK_BOLD);
    ubi__out_string(p->out, text);
    ink(p, UBI__INK_PLAIN);
    ubi__out_char(p->out, '\n');
}

/* Everything of a row but its name; returns the columns left for that. */
static size_t row_numbers(const page *p, const ubi__tally *tally, ubi__ink color) {
    char text[UBI__HUMAN_TEXT];
    ubi__display_right(p->out, ubi__human_size(text, tally->bytes), SIZE_COLUMNS);
    ubi__display_right(p->out, ubi__human_percent(text, tally->bytes, p->total_bytes), PERCENT_COLUMNS);
    ubi__out_string(p->out, "  ");
    ink(p, color);
    ubi__display_bar(p->out, p->style, tally->bytes, p->total_bytes, p->bar_columns);
    ink(p, UBI__INK_PLAIN);
    ubi__display_right(p->out, ubi__human_count(text, tally->count), p->count_columns + 2);
    ubi__out_string(p->out, "  ");
    size_t used = SIZE_COLUMNS + PERCENT_COLUMNS + 2 + p->bar_columns + p->count_columns + 4;
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
    char origin[80], size[UBI__HUMAN_TEXT], nodes[UBI__HUMAN_TEXT], edges[UBI__HUMAN_TEXT];
    const ubi_graph *g = p->facts->graph;
    uint64_t n_nodes = p->facts->summary.reachable.count, n_edges = ubi_graph_edge_count(g);
    describe_origin(origin, sizeof origin, g);
    ink(p, UBI__INK_BOLD);
    ubi__display_text(p->out, p->style, ubi__text(p->path), p->columns - strlen(origin));
    ink(p, UBI__INK_PLAIN);
    ubi__out_printf(p->out, "%s\n%s in %s node%s, joined by %s edge%s\n", origin, ubi__human_size(size, p->total_bytes),
                    ubi__human_count(nodes, n_nodes), n_nodes == 1 ? "" : "s", ubi__human_count(edges, n_edges),
                    n_edges == 1 ? "" : "s");
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
    title(p, "What it is made of");
    for (size_t i = 0; i < UBI_COARSE_TYPE_COUNT && rows[i].tally->count; i++) {
        row_numbers(p, rows[i].tally, rows[i].color);
        ubi__out_printf(p->out, "%s\n", rows[i].name);
    }
}

static void write_kinds(const page *p) {
    static const char *const notes[] = { "", " (object)", " (script)", " (string)", " (DOM)" };
    const ubi__groups *groups = &p->facts->labels;
    title(p, "Biggest kinds");
    for (size_t i = 0; i < groups->n && i < KINDS_SHOWN; i++) {
        const ubi__group *group = &groups->at[i];
        const char *note = notes[group->coarse_type];
        size_t room = row_numbers(p, &group->tally, coarse_color(group->coarse_type));
        ubi__display_text(p->out, p->style, group->label, room - strlen(note));
        if (*note) {
            ink(p, UBI__INK_DIM);
            ubi__out_string(p->out, note);
            ink(p, UBI__INK_PLAIN);
        }
        ubi__out_char(p->out, '\n');
    }
}

static void write_functions(const page *p) {
    char a[UBI__HUMAN_TEXT], b[UBI__HUMAN_TEXT], heading[128];
    const ubi__groups *groups = &p->facts->functions;
    if (groups->n == 0) {
        title(p, "Where it was allocated");
        ubi__out_string(p->out, "  Not recorded: tick \"Record call stacks\" in Firefox before the snapshot.\n");
        return;
    }
    snprintf(heading, sizeof heading, "Where it was allocated (%s of %s nodes have a stack)",
             ubi__human_count(a, p->facts->summary.n_with_stack),
             ubi__human_count(b, ubi_graph_node_count(p->facts->graph)));
    title(p, heading);
    for (size_t i = 0; i < groups->n && i < FUNCTIONS_SHOWN; i++) {
        size_t room = row_numbers(p, &groups->at[i].tally, UBI__INK_BLUE);
        ubi__display_frame(p->out, p->style, &groups->at[i].frame, room);
        ubi__out_char(p->out, '\n');
    }
}

/* One sentence behind a dash, wrapped. */
static void write_sentence(const page *p, ubi_text text) {
    size_t at = 3;
    ubi__out_string(p->out, "  -");
    while (text.len) {
        const char *space = memchr(text.ptr, ' ', text.len);
        ubi_text word = { text.ptr, space ? (size_t)(space - text.ptr) : text.len };
        size_t columns = ubi__display_columns(word, p->style);
        if (at + 1 + columns > p->columns && at > 3) {
            ubi__out_string(p->out, "\n   ");
            at = 3;
        }
        ubi__out_char(p->out, ' ');
        at += 1 + ubi__display_text(p->out, p->style, word, p->columns);
        size_t taken = word.len + (space != NULL);
        text.ptr += taken;
        text.len -= taken;
    }
    ubi__out_char(p->out, '\n');
}

static void write_findings(const page *p) {
    ubi__findings findings;
    ubi__findings_collect(&findings, p->facts);
    if (findings.n == 0)
        return;
    title(p, "Worth a look");
    for (size_t i = 0; i < findings.n && i < FINDINGS_SHOWN; i++)
        write_sentence(p, ubi__text(findings.at[i].text));
}

/* The file as an argument for a shell; FILE where that would not be obvious. */
static const char *file_argument(const page *p) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+-";
    size_t n = strspn(p->path, plain);
    return p->path[n] == 0 && p->path[0] != '-' ? p->path : "FILE";
}

/* Explanations stand behind the commands, as comments, where there is room. */
static void write_next(const page *p) {
    static const struct {
        const char *command, *help;
        bool needs_stacks;
    } next[] = {
        { "census", "every kind, as a tree", false },
        { "census -b invertedAllocationStack", "who allocated it", true },
        { "nodes -s rawSize -n 20", "the largest single nodes", false },
    };
    const char *file = file_argument(p);
    title(p, "Next");
    for (size_t i = 0; i < sizeof next / sizeof *next; i++) {
        if (next[i].needs_stacks && p->facts->functions.n == 0)
            continue;
        ubi__out_printf(p->out, "  ubiheap %s ", next[i].command);
        ubi__out_string(p->out, file);
        if (strlen("  ubiheap    # ") + strlen(next[i].command) + strlen(file) + strlen(next[i].help) <= p->columns) {
            ink(p, UBI__INK_DIM);
            ubi__out_printf(p->out, "  # %s", next[i].help);
            ink(p, UBI__INK_PLAIN);
        }
        ubi__out_char(p->out, '\n');
    }
}

void ubi__report_page(ubi__cli *cli, const ubi__snapshot *snapshot, const ubi__report_facts *facts) {
    char text[UBI__HUMAN_TEXT];
    page p = { .out = &cli->output->out, .style = &cli->style, .facts = facts, .path = snapshot->path };
    p.columns = cli->style.columns < WIDEST_PAGE ? cli->style.columns : WIDEST_PAGE;
    p.bar_columns = p.columns < NARROW_PAGE ? NARROW_BAR_COLUMNS : BAR_COLUMNS;
    p.total_bytes = facts->summary.reachable.bytes;
    p.count_columns = strlen(ubi__human_count(text, facts->summary.reachable.count));
    write_head(&p);
    write_coarse(&p);
    write_kinds(&p);
    write_functions(&p);
    write_findings(&p);
    write_next(&p);
}
