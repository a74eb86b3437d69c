/* SPDX-License-Identifier: MIT
 *
 * strings_page.c: the strings of a heap as text.
 *
 * A line of totals, how long the strings are, and a table of texts: how much a single copy would save, how many there are,
 * what one takes, what they retain together (where there is room), one of them, and the text.
 */
#include "cli/commands/strings/strings_page.h"

#include <stdio.h>

#include "base/human.h"
#include "base/text.h"
#include "cli/page.h"

#define SIZE_COLUMNS 10
#define COUNT_COLUMNS 9
#define ID_COLUMNS 12
#define LENGTH_COLUMNS 14
#define BAR_COLUMNS 24
#define COLUMNS_FOR_RETAINED 100

typedef struct page {
    const ubi__cli *cli;
    ubi__out *out;
    const ubi__style *style;
    const ubi__strings_answer *answer;
    const ubi_graph *graph;
    bool has_retained; /* there is room for the column */
} page;

/* ---- head ----------------------------------------------------------------------------------------------------------- */

static void write_head(const page *p) {
    char a[UBI__HUMAN_TEXT], b[UBI__HUMAN_TEXT];
    const ubi_strings_totals *t = ubi_strings_totals_of(p->answer->strings);
    ubi__out_printf(p->out, "%s in %s", ubi__human_size(a, t->all.size_bytes),
                    ubi__human_things(b, t->all.count, "string"));
    if (p->answer->texts_known)
        ubi__out_printf(p->out, ", %s%s", ubi__human_things(a, ubi_strings_group_count(p->answer->strings), "text"),
                        p->answer->only_some ? " chosen" : "");
    ubi__out_char(p->out, '\n');
    if (!p->answer->texts_known) {
        ubi__out_string(p->out, "The file holds no texts of strings, so duplicates cannot be found: it has their sizes "
                                "only. Heap snapshots of Node.js and Chrome have them.\n");
        return;
    }
    if (t->n_duplicate_groups == 0) {
        ubi__out_string(p->out, "No text is there more than once.\n");
        return;
    }
    ubi__out_printf(p->out, "%s %s there more than once, in %s", ubi__human_things(a, t->n_duplicate_groups, "text"),
                    t->n_duplicate_groups == 1 ? "is" : "are", ubi__human_things(b, t->duplicates.count, "string"));
    ubi__out_printf(p->out, ": one copy of each would save %s\n", ubi__human_size(a, t->wasted_bytes));
}

/* ---- lengths -------------------------------------------------------------------------------------------------------- */

static void describe_lengths(char *out, size_t n, size_t class) {
    unsigned from = class ? 1u << (class - 1) : 0;
    if (class + 1 == UBI_STRINGS_LENGTHS)
        snprintf(out, n, "%u or more", from);
    else if (class < 2)
        snprintf(out, n, "%u", from);
    else
        snprintf(out, n, "%u to %u", from, 2 * from - 1);
}

static void write_lengths(const page *p) {
    const ubi_strings_totals *t = ubi_strings_totals_of(p->answer->strings);
    if (t->with_text.count == 0)
        return;
    ubi__write_title(p->cli, "    Characters         Size                              Strings");
    for (size_t i = 0; i < UBI_STRINGS_LENGTHS; i++) {
        char text[UBI__HUMAN_TEXT];
        if (t->lengths[i].count == 0)
            continue;
        describe_lengths(text, sizeof text, i);
        ubi__display_right(p->out, text, LENGTH_COLUMNS);
        ubi__out_string(p->out, "   ");
        ubi__write_size(p->cli, t->lengths[i].size_bytes, SIZE_COLUMNS);
        ubi__write_bar(p->cli, UBI__INK_GREEN, t->lengths[i].size_bytes, t->with_text.size_bytes, BAR_COLUMNS);
        ubi__write_count(p->cli, t->lengths[i].count, COUNT_COLUMNS);
        ubi__out_char(p->out, '\n');
    }
    if (t->slices.count) {
        char a[UBI__HUMAN_TEXT], b[UBI__HUMAN_TEXT];
        ubi__out_printf(p->out, "  and %s, %s, which are parts of other strings\n",
                        ubi__human_things(a, t->slices.count, "slice"), ubi__human_size(b, t->slices.size_bytes));
    }
}

/* ---- rows ----------------------------------------------------------------------------------------------------------- */

static void write_header(const page *p) {
    ubi__out_char(p->out, '\n');
    ubi__write_ink(p->cli, UBI__INK_BOLD);
    ubi__display_right(p->out, p->answer->duplicates ? "Saves" : "Size", SIZE_COLUMNS);
    ubi__display_right(p->out, "Count", COUNT_COLUMNS);
    ubi__display_right(p->out, "Each", SIZE_COLUMNS);
    if (p->has_retained)
        ubi__display_right(p->out, "Retained", SIZE_COLUMNS);
    ubi__display_right(p->out, "One of them", ID_COLUMNS + 1);
    ubi__out_string(p->out, "  Text\n");
    ubi__write_ink(p->cli, UBI__INK_PLAIN);
}

static void write_text(const page *p, const ubi_string_group *g, size_t room) {
    ubi_lens_name_buffer buffer;
    char length[UBI__HUMAN_TEXT], note[UBI__HUMAN_TEXT + 16] = "";
    ubi_text text = ubi_strings_text(p->answer->strings, g->first, &buffer);
    if (g->truncated || g->length >= UBI_STRINGS_JOINED_UNITS)
        snprintf(note, sizeof note, " %s+", ubi__human_count(length, g->length));
    size_t noted = strlen(note);
    ubi__out_char(p->out, '"');
    ubi__display_text(p->out, p->style, text, room > noted + 2 ? room - noted - 2 : 1);
    ubi__out_char(p->out, '"');
    ubi__write_ink(p->cli, UBI__INK_DIM);
    ubi__out_string(p->out, note);
    ubi__write_ink(p->cli, UBI__INK_PLAIN);
    ubi__out_char(p->out, '\n');
}

static void write_row(const page *p, const ubi_string_group *g) {
    size_t used = (p->has_retained ? 3 : 2) * SIZE_COLUMNS + COUNT_COLUMNS + ID_COLUMNS + 3;
    ubi__write_size(p->cli, p->answer->duplicates ? g->wasted_bytes : g->size_bytes, SIZE_COLUMNS);
    ubi__write_count(p->cli, g->count, COUNT_COLUMNS);
    ubi__write_size(p->cli, g->size_bytes / g->count, SIZE_COLUMNS);
    if (p->has_retained)
        ubi__write_size(p->cli, g->retained_bytes, SIZE_COLUMNS);
    ubi__write_id(p->cli, ubi_graph_node_id(p->graph, g->first), ID_COLUMNS + 1);
    ubi__out_string(p->out, "  ");
    write_text(p, g, ubi__name_room(p->cli, used));
}

static void write_rows(const page *p) {
    if (p->answer->n == 0)
        return;
    write_header(p);
    for (uint32_t i = 0; i < p->answer->n && !p->out->failed; i++)
        write_row(p, ubi_strings_group(p->answer->strings, p->answer->order[i]));
    ubi__write_more(p->cli, p->answer->n_found - p->answer->n);
}

void ubi__strings_page(ubi__cli *cli, const ubi__snapshot *snapshot, const ubi__strings_answer *answer) {
    page p = {
        cli, &cli->output->out, &cli->style, answer, snapshot->graph, cli->style.columns >= COLUMNS_FOR_RETAINED
    };
    write_head(&p);
    if (!answer->texts_known)
        return;
    if (!answer->duplicates)
        write_lengths(&p);
    write_rows(&p);
}
