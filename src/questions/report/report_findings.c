/* SPDX-License-Identifier: MIT
 *
 * report_findings.c: the headline of a report, and its findings: a sentence, the way to an example, and what to run.
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/human.h"
#include "base/text.h"
#include "questions/report/report_layout.h"
#include "render/page.h"

typedef ubi__report_layout page;

#define SAVINGS_INDENT (UBI__REPORT_SIZE_COLUMNS + 2)
#define DASH "  - "
#define HEADLINE_SAVINGS 3
#define HEADLINE_ODDITIES 2
#define MOST_NAME 60
#define SENTENCE (UBI_FINDING_TEXT + UBI__REPORT_HELD_BY + 16)

/* ---- the headline --------------------------------------------------------------------------------------------------- */

static bool ends_early(const page *p) {
    return p->n_oddities && strcmp(p->oddities[0]->rule, "endedEarly") == 0;
}

/* "Possible savings: 120 KiB in duplicate strings, 51.6 KiB in event listeners." */
static void headline_say_savings(char *out, size_t room, const page *p) {
    char size[UBI__HUMAN_TEXT];
    size_t n = (size_t)snprintf(out, room, "Possible savings: ");
    for (size_t i = 0; i < p->n_savings && i < HEADLINE_SAVINGS; i++)
        n += (size_t)snprintf(out + n, room - n, "%s%s in %s", i ? ", " : "",
                              ubi__human_size(size, p->savings[i]->bytes), p->savings[i]->title);
    snprintf(out + n, room - n, ".");
}

static void headline_say_oddities(char *out, size_t room, const page *p) {
    size_t first = ends_early(p), n;
    if (first == p->n_oddities) {
        snprintf(out, room, "Nothing odd was found.");
        return;
    }
    n = (size_t)snprintf(out, room, "Worth a look: ");
    for (size_t i = first; i < p->n_oddities && i < first + HEADLINE_ODDITIES; i++)
        n += (size_t)snprintf(out + n, room - n, "%s%s", i > first ? "; " : "", p->oddities[i]->title);
    snprintf(out + n, room - n, ".");
}

/* Without certain savings, the largest retainer matters most. */
static void headline_say_retainer(char *out, size_t room, const page *p) {
    char size[UBI__HUMAN_TEXT];
    const ubi__report_keepers *keepers = &p->facts->holders->keepers;
    const ubi_keeper *most = keepers->n ? &keepers->at[0] : NULL;
    *out = 0;
    for (uint32_t i = 1; i < keepers->n && (i < keepers->n_of_program || keepers->n_of_program == 0); i++)
        most = keepers->at[i].retained_bytes > most->retained_bytes ? &keepers->at[i] : most;
    if (!most)
        return;
    ubi_text name = ubi_look_node_name(p->facts->look, most->node);
    size_t n = name.len < MOST_NAME ? name.len : MOST_NAME;
    while (n > 0 && n < name.len && ((uint8_t)name.ptr[n] & 0xc0) == 0x80)
        n--; /* whole characters */
    snprintf(out, room, "Biggest retainer: one %.*s%s with %s. ", (int)n, n ? name.ptr : "", n < name.len ? "..." : "",
             ubi__human_size(size, most->retained_bytes));
}

static void headline_say(char *out, size_t room, const page *p) {
    char size[UBI__HUMAN_TEXT], nodes[UBI__HUMAN_TEXT], outside[UBI__HUMAN_TEXT];
    size_t n = (size_t)snprintf(out, room, "%s in %s", ubi__human_size(size, p->total_bytes),
                                ubi__human_things(nodes, p->facts->sums->summary.reachable.count, "node"));
    if (p->facts->outside_bytes)
        n += (size_t)snprintf(out + n, room - n, ", %s of it outside of nodes",
                              ubi__human_size(outside, p->facts->outside_bytes));
    n += (size_t)snprintf(out + n, room - n, ". %s", ends_early(p) ? "The file ends early. " : "");
    if (p->n_savings) {
        headline_say_savings(out + n, room - n, p);
        return;
    }
    headline_say_retainer(out + n, room - n, p);
    n += strlen(out + n);
    headline_say_oddities(out + n, room - n, p);
}

#define HEADLINE (512 + HEADLINE_SAVINGS * (UBI_FINDING_TITLE + UBI__HUMAN_TEXT))

static size_t headline_wrap(const page *p, ubi__out *out) {
    char text[HEADLINE];
    headline_say(text, sizeof text, p);
    return ubi__wrap_words(out, p->style, ubi__text(text), 0, 0, p->columns);
}

void ubi__report_write_headline(const page *p) {
    ubi__write_ink(p->page, UBI__INK_BOLD);
    headline_wrap(p, p->out);
    ubi__write_ink(p->page, UBI__INK_PLAIN);
    ubi__out_char(p->out, '\n');
}

/* ---- findings ------------------------------------------------------------------------------------------------------- */

/* What shows more of a finding; NULL: nothing does. Most are about a node. */
static const char *finding_command(const ubi_finding *finding) {
    static const struct {
        const char *rule, *command;
    } others[] = { { "duplicateStrings", "strings" },
                   { "dominatingKind", "summary" },
                   { "crowd", "summary" },
                   { "manyDocuments", "summary" },
                   { "outsideMemory", "statistics" } };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(finding->rule, others[i].rule) == 0)
            return others[i].command;
    return finding->n_nodes ? "paths" : NULL;
}

/* The sentence, and what holds its subject. */
static void finding_say(char out[SENTENCE], const page *p, const ubi_finding *finding) {
    char held_by[UBI__REPORT_HELD_BY];
    bool is_held = ubi__report_held_by(held_by, p->facts, finding);
    snprintf(out, SENTENCE, "%s%s%s%s", finding->text, is_held ? " Held by " : "", is_held ? held_by : "",
             is_held ? "." : "");
}

static size_t finding_wrap(const page *p, ubi__out *out, const ubi_finding *finding, size_t indent) {
    char text[SENTENCE];
    finding_say(text, p, finding);
    return ubi__wrap_words(out, p->style, ubi__text(text), indent, indent, p->columns);
}

static bool has_path(const page *p, const ubi_finding *finding) {
    return ubi__report_finding_path(p->facts, finding).n_steps > 0;
}

static size_t finding_lines(const page *p, const ubi_finding *finding, size_t indent) {
    return finding_wrap(p, NULL, finding, indent) + has_path(p, finding) + (finding_command(finding) != NULL);
}

static void finding_write_path(const page *p, const ubi_finding *finding, size_t indent) {
    ubi__path_view path = ubi__report_finding_path(p->facts, finding);
    size_t columns = p->style->columns;
    ubi__display_pad(p->out, 0, indent);
    ubi__display_path(p->out, p->style, &path, columns > 3 * indent ? columns - indent : 2 * indent);
    ubi__out_char(p->out, '\n');
}

static void finding_write_command(const page *p, const ubi_finding *finding, size_t indent) {
    const char *command = finding_command(finding);
    char id[24];
    snprintf(id, sizeof id, "%" PRIu64, finding->n_nodes ? ubi_graph_node_id(p->facts->graph, finding->path_to) : 0);
    ubi__display_pad(p->out, 0, indent - 2); /* a command has two spaces before it */
    ubi__write_ink(p->page, UBI__INK_DIM);
    ubi__write_command(p->page, command, ubi__file_argument(p->facts->name, "FILE"),
                       strcmp(command, "paths") == 0 ? id : NULL, NULL);
    ubi__write_ink(p->page, UBI__INK_PLAIN);
}

static void finding_write(const page *p, const ubi_finding *finding, size_t indent) {
    finding_wrap(p, p->out, finding, indent);
    ubi__out_char(p->out, '\n');
    if (has_path(p, finding))
        finding_write_path(p, finding, indent);
    if (finding_command(finding))
        finding_write_command(p, finding, indent);
}

static void savings_write(const page *p) {
    static const ubi__text_column columns[] = { { NULL, .width = UBI__REPORT_SIZE_COLUMNS } };
    ubi__text_table table;
    ubi__page_table(&table, p->page, "", columns, 1);
    ubi__write_title(p->page, p->n_savings > 1 ? "Possible savings (they may overlap)" : "Possible savings");
    for (size_t i = 0; i < p->n_savings_shown; i++) {
        ubi__cell size = ubi__cell_size(p->savings[i]->bytes);
        size.ink = UBI__INK_GREEN;
        ubi__text_table_row(&table, &size);
        finding_write(p, p->savings[i], SAVINGS_INDENT);
    }
    ubi__write_more(p->page, p->n_savings - p->n_savings_shown, "--detail shows all");
}

static void oddities_write(const page *p) {
    ubi__write_title(p->page, "Worth a look");
    for (size_t i = 0; i < p->n_oddities_shown; i++) {
        ubi__out_string(p->out, DASH);
        finding_write(p, p->oddities[i], strlen(DASH));
    }
    ubi__write_more(p->page, p->n_oddities - p->n_oddities_shown, "--detail shows all");
}

void ubi__report_write_findings(const page *p) {
    if (p->n_savings_shown)
        savings_write(p);
    if (p->n_oddities_shown)
        oddities_write(p);
}

/* ---- what fits ------------------------------------------------------------------------------------------------------ */

#define TITLE_LINES 2

size_t ubi__report_finding_lines(const page *p) {
    size_t lines = headline_wrap(p, NULL);
    lines += p->n_savings_shown ? TITLE_LINES + (p->n_savings > p->n_savings_shown) : 0;
    lines += p->n_oddities_shown ? TITLE_LINES + (p->n_oddities > p->n_oddities_shown) : 0;
    for (size_t i = 0; i < p->n_savings_shown; i++)
        lines += finding_lines(p, p->savings[i], SAVINGS_INDENT);
    for (size_t i = 0; i < p->n_oddities_shown; i++)
        lines += finding_lines(p, p->oddities[i], strlen(DASH));
    return lines;
}

void ubi__report_sort_findings(page *p, size_t most_savings, size_t most_oddities) {
    for (uint32_t i = 0; i < ubi_findings_count(p->facts->findings); i++) {
        const ubi_finding *finding = ubi_findings_get(p->facts->findings, i);
        if (finding->bytes && p->n_savings < UBI__REPORT_DETAIL_SHOWN)
            p->savings[p->n_savings++] = finding;
        else if (!finding->bytes && p->n_oddities < UBI__REPORT_DETAIL_SHOWN)
            p->oddities[p->n_oddities++] = finding;
    }
    p->n_savings_shown = p->n_savings < most_savings ? p->n_savings : most_savings;
    p->n_oddities_shown = p->n_oddities < most_oddities ? p->n_oddities : most_oddities;
}
