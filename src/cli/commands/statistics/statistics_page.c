/* SPDX-License-Identifier: MIT
 *
 * statistics_page.c: what a heap consists of, as text: a line per part, the largest first, and one per native context if there
 * are several.
 */
#include "cli/commands/statistics/statistics_page.h"

#include "base/human.h"
#include "base/text.h"
#include "cli/page.h"

#define SIZE_COLUMNS 10
#define PERCENT_COLUMNS 8
#define COUNT_COLUMNS 12
#define ID_COLUMNS 12
#define NARROW_BAR_COLUMNS 12
#define BAR_COLUMNS 22
#define WIDE_PAGE 100
#define MOST_CONTEXTS 20

typedef struct page {
    const ubi__cli *cli;
    ubi__out *out;
    const ubi__style *style;
    const ubi__snapshot *snapshot;
    const ubi__statistics_answer *answer;
    unsigned bar_columns;
} page;

/* Size, share and bar. */
static void write_amount(const page *p, uint64_t bytes, ubi__ink color) {
    uint64_t total_bytes = p->answer->statistics.total_bytes;
    ubi__write_size(p->cli, bytes, SIZE_COLUMNS);
    ubi__write_share(p->cli, bytes, total_bytes, PERCENT_COLUMNS);
    ubi__write_bar(p->cli, color, bytes, total_bytes, p->bar_columns);
}

/* Columns for a name behind all that and `used` more. */
static size_t name_room(const page *p, size_t used) {
    return ubi__name_room(p->cli, used + SIZE_COLUMNS + PERCENT_COLUMNS + 2 + p->bar_columns + 2);
}

/* ---- parts ------------------------------------------------------------------------------------------------------- */

static ubi__ink color_of(const char *name) {
    static const struct {
        const char *name;
        ubi__ink color;
    } colors[] = {
        { "code", UBI__INK_YELLOW },   { "scripts", UBI__INK_YELLOW },   { "strings", UBI__INK_GREEN },
        { "jsArrays", UBI__INK_BLUE }, { "typedArrays", UBI__INK_RED },  { "otherJS", UBI__INK_CYAN },
        { "objects", UBI__INK_CYAN },  { "domNodes", UBI__INK_MAGENTA }, { "otherNonJS", UBI__INK_MAGENTA }
    };
    for (size_t i = 0; i < sizeof colors / sizeof *colors; i++)
        if (strcmp(colors[i].name, name) == 0)
            return colors[i].color;
    return UBI__INK_DIM;
}

static void sort_parts(const ubi_statistics_part **sorted, const ubi_statistics *s) {
    for (uint32_t i = 0; i < s->n_parts; i++) {
        uint32_t at = i;
        for (; at > 0 && sorted[at - 1]->size_bytes < s->parts[i].size_bytes; at--)
            sorted[at] = sorted[at - 1];
        sorted[at] = &s->parts[i];
    }
}

/* Titles explain themselves in parentheses where there is room. */
static ubi_text title_of(const page *p, const ubi_statistics_part *part) {
    ubi_text title = ubi__text(part->title);
    const char *note = strstr(part->title, " (");
    if (note && ubi__display_columns(title, p->style, SIZE_MAX) > name_room(p, COUNT_COLUMNS))
        title.len = (size_t)(note - part->title);
    return title;
}

static void write_part(const page *p, const ubi_statistics_part *part) {
    write_amount(p, part->size_bytes, color_of(part->name));
    ubi__write_count(p->cli, part->count, COUNT_COLUMNS);
    ubi__out_string(p->out, "  ");
    ubi__display_text(p->out, p->style, title_of(p, part), name_room(p, COUNT_COLUMNS));
    ubi__out_char(p->out, '\n');
}

static void write_parts(const page *p) {
    char a[UBI__HUMAN_TEXT], b[UBI__HUMAN_TEXT];
    const ubi_statistics *s = &p->answer->statistics;
    const ubi_statistics_part *sorted[UBI_STATISTICS_MAX_PARTS];
    uint64_t n_nodes = 0;
    sort_parts(sorted, s);
    for (uint32_t i = 0; i < s->n_parts; i++)
        n_nodes += s->parts[i].count;
    ubi__out_printf(p->out, "%s in %s", ubi__human_size(a, s->total_bytes), ubi__human_things(b, n_nodes, "node"));
    if (s->native_bytes)
        ubi__out_printf(p->out, ", %s of it outside of the JavaScript heap", ubi__human_size(a, s->native_bytes));
    ubi__out_string(p->out, "\n\n");
    ubi__write_ink(p->cli, UBI__INK_BOLD);
    ubi__display_right(p->out, "Size", SIZE_COLUMNS);
    ubi__out_repeat(p->out, " ", PERCENT_COLUMNS + 2 + p->bar_columns);
    ubi__display_right(p->out, "Nodes", COUNT_COLUMNS);
    ubi__out_string(p->out, "  What\n");
    ubi__write_ink(p->cli, UBI__INK_PLAIN);
    for (uint32_t i = 0; i < s->n_parts; i++)
        write_part(p, sorted[i]);
}

/* ---- native contexts --------------------------------------------------------------------------------------------- */

/* What stands behind "system / NativeContext / ", or all of the name. */
static ubi_text short_name(ubi_text name) {
    static const char prefix[] = "system / NativeContext / ";
    size_t n = sizeof prefix - 1;
    return name.len > n && memcmp(name.ptr, prefix, n) == 0 ? (ubi_text){ name.ptr + n, name.len - n } : name;
}

static void write_context(const page *p, const ubi_native_context *context) {
    ubi_lens_name_buffer buffer;
    ubi_text name = short_name(ubi_lens_display_name(p->snapshot->look, context->node, &buffer));
    write_amount(p, context->attributed_bytes, UBI__INK_CYAN);
    ubi__write_size(p->cli, ubi_dominators_retained_bytes(p->answer->dominators, context->node), SIZE_COLUMNS);
    ubi__write_id(p->cli, ubi_graph_node_id(p->snapshot->graph, context->node), ID_COLUMNS);
    ubi__out_string(p->out, "  ");
    ubi__display_text(p->out, p->style, name, name_room(p, SIZE_COLUMNS + ID_COLUMNS));
    ubi__out_char(p->out, '\n');
}

static void write_others(const page *p, uint64_t bytes, const char *what) {
    write_amount(p, bytes, UBI__INK_DIM);
    ubi__out_repeat(p->out, " ", SIZE_COLUMNS + ID_COLUMNS);
    ubi__out_printf(p->out, "  %s\n", what);
}

/* The largest ones: sorted[*n]. */
static void sort_contexts(const ubi_native_context **sorted, uint32_t *n, const ubi_native_contexts *contexts) {
    *n = 0;
    for (uint32_t i = 0; i < ubi_native_contexts_count(contexts); i++) {
        const ubi_native_context *context = ubi_native_contexts_at(contexts, i);
        uint32_t at = *n < MOST_CONTEXTS ? (*n)++ : MOST_CONTEXTS;
        for (; at > 0 && sorted[at - 1]->attributed_bytes < context->attributed_bytes; at--)
            if (at < MOST_CONTEXTS)
                sorted[at] = sorted[at - 1];
        if (at < MOST_CONTEXTS)
            sorted[at] = context;
    }
}

static void write_contexts(const page *p) {
    char text[UBI__HUMAN_TEXT];
    const ubi_native_context *sorted[MOST_CONTEXTS];
    uint32_t n, n_all = ubi_native_contexts_count(p->answer->contexts);
    if (n_all < 2)
        return;
    sort_contexts(sorted, &n, p->answer->contexts);
    ubi__out_char(p->out, '\n');
    ubi__write_ink(p->cli, UBI__INK_BOLD);
    ubi__display_right(p->out, "Belongs", SIZE_COLUMNS);
    ubi__out_repeat(p->out, " ", PERCENT_COLUMNS + 2 + p->bar_columns);
    ubi__display_right(p->out, "Retained", SIZE_COLUMNS);
    ubi__display_right(p->out, "Id", ID_COLUMNS);
    ubi__out_string(p->out, "  Native context\n");
    ubi__write_ink(p->cli, UBI__INK_PLAIN);
    for (uint32_t i = 0; i < n; i++)
        write_context(p, sorted[i]);
    write_others(p, ubi_native_contexts_shared_bytes(p->answer->contexts), "shared between several");
    write_others(p, ubi_native_contexts_unattributed_bytes(p->answer->contexts), "of none");
    if (n < n_all)
        ubi__out_printf(p->out, "  %s more native contexts; --json has all\n", ubi__human_count(text, n_all - n));
}

void ubi__statistics_page(ubi__cli *cli, const ubi__snapshot *snapshot, const ubi__statistics_answer *answer) {
    page p = { .cli = cli, .out = &cli->output->out, .style = &cli->style, .snapshot = snapshot, .answer = answer };
    p.bar_columns = cli->style.columns >= WIDE_PAGE ? BAR_COLUMNS : NARROW_BAR_COLUMNS;
    write_parts(&p);
    write_contexts(&p);
}
