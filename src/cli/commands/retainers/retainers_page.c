/* SPDX-License-Identifier: MIT
 *
 * retainers_page.c: who retains a node, as text.
 *
 *     LeakedThing  79447
 *     48 B, retains 184 B, distance 6
 *     global.keepCacheAlive → add() (variable registry) → Map (entry) → LeakedThing
 *
 *     Distance   Own size   Retained  Retainer
 *            5    ...                 {374} in (array)  82433
 *            4    ...                   {table} in Map  78369
 *
 * A row's retainers stand below it, further in.
 */
#include "cli/commands/retainers/retainers_page.h"

#include <inttypes.h>

#include "base/alloc.h"
#include "base/human.h"
#include "base/text.h"
#include "render/edge_label.h"
#include "render/path_words.h"

#define INDENT 2
/* Of a deep tree, levels are set in only so far. */
#define MOST_INDENT 40
#define WORD_STEPS 1000
#define WORD_LINES 3
#define DOMINATORS_SHOWN 20

typedef struct page {
    ubi__object_rows rows;
    const ubi__retainers_answer *answer;
    const ubi_graph *graph;
    const ubi_retaining_row *tree; /* tree[n] */
    uint32_t n;
} page;

static void ink(const page *p, ubi__ink color) {
    ubi__display_ink(p->rows.out, p->rows.style, color);
}

/* ---- head -------------------------------------------------------------------------------------------------------- */

static void write_facts(const page *p) {
    char own[UBI__HUMAN_TEXT], retained[UBI__HUMAN_TEXT], digits[24];
    ubi_node_ix node = p->answer->node;
    uint32_t distance = p->rows.distances[node];
    ink(p, UBI__INK_BOLD);
    ubi__object_rows_name(&p->rows, node, ubi__object_rows_room(&p->rows, 0));
    ubi__out_printf(p->rows.out, "\n%s, retains %s, ", ubi__human_size(own, ubi_lens_size_bytes(p->rows.look, node)),
                    ubi__human_size(retained, ubi_dominators_retained_bytes(p->rows.dominators, node)));
    if (node == ubi_graph_root(p->graph))
        ubi__out_string(p->rows.out, "the root itself");
    else if (distance == UBI_NONE)
        ubi__out_string(p->rows.out, "out of reach of the roots");
    else if (distance >= UBI_LENS_SYSTEM_DISTANCE)
        ubi__out_string(p->rows.out, "reached from the engine's own roots only");
    else
        ubi__out_printf(p->rows.out, "distance %s", ubi__distance_text(digits, distance, false));
    ubi__out_char(p->rows.out, '\n');
}

/* The shortest way in words, from where distances begin down to the node. */
static ubi_status write_words(const page *p) {
    const ubi_allocator *a = ubi_allocator_default();
    const ubi__retainers_answer *q = p->answer;
    ubi_retainer *up = ubi__alloc_array(a, WORD_STEPS, sizeof *up);
    ubi_path_step *steps = ubi__alloc_array(a, WORD_STEPS, sizeof *steps);
    bool ready = up && steps;
    uint32_t n = ready ? ubi_retaining_shortest(up, q->retaining, q->node, WORD_STEPS) : 0;
    for (uint32_t i = 0; i < n; i++)
        steps[i] = (ubi_path_step){ up[n - 1 - i].node, up[n - 1 - i].edge };
    ubi__path_view path = { p->graph, steps, n, q->node, p->rows.look };
    if (n)
        ubi__display_path_wrapped(p->rows.out, p->rows.style, &path, ubi__object_rows_room(&p->rows, 0), WORD_LINES, 4);
    ubi__free_array(a, up, WORD_STEPS, sizeof *up);
    ubi__free_array(a, steps, WORD_STEPS, sizeof *steps);
    return ready ? UBI_OK : ubi__fail_nomem();
}

static void write_ignored(const page *p) {
    const ubi__retainers_answer *q = p->answer;
    if (q->n_ignored == 0)
        return;
    for (uint32_t i = 0; i < q->n_ignored; i++) {
        ubi__out_string(p->rows.out, i ? "         " : "Ignored: ");
        ubi__object_rows_name(&p->rows, q->ignored[i], ubi__object_rows_room(&p->rows, 9));
        ubi__out_char(p->rows.out, '\n');
    }
    if (p->rows.distances[q->node] != UBI_NONE &&
        ubi_retaining_distance(q->retaining, q->node) >= UBI_RETAINING_UNREACHABLE)
        ubi__out_printf(p->rows.out, "Without %s, nothing would keep it alive.\n", q->n_ignored > 1 ? "these" : "this");
    else
        ubi__out_printf(p->rows.out, "Also without %s, it would be kept alive.\n", q->n_ignored > 1 ? "these" : "this");
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

static size_t indent_of(uint32_t depth) {
    size_t indent = (size_t)(depth - 1) * INDENT;
    return indent < MOST_INDENT ? indent : MOST_INDENT;
}

/* It holds itself, or something further down on the way up to it. */
static const char *circle_of(const page *p, const ubi_retaining_row *row) {
    ubi_node_ix below = row->parent == UBI_NONE ? p->answer->node : p->tree[row->parent].retainer.node;
    return row->retainer.node == below ? "  (itself)" : "  (a circle)";
}

static void write_row(const page *p, const ubi_retaining_row *row) {
    const ubi_retainer *retainer = &row->retainer;
    size_t used = UBI__OBJECT_ROW_NUMBERS + indent_of(row->depth);
    ubi__object_rows_numbers(&p->rows, retainer->node, ubi__retainers_distance(retainer->distance));
    ubi__display_pad(p->rows.out, UBI__OBJECT_ROW_NUMBERS, used);
    size_t room = ubi__object_rows_room(&p->rows, used);
    ink(p, UBI__INK_CYAN);
    used = ubi__display_edge_label(p->rows.out, p->rows.style, p->graph, retainer->edge, room / 2);
    ink(p, UBI__INK_DIM);
    ubi__out_string(p->rows.out, " in ");
    ink(p, UBI__INK_PLAIN);
    const char *note = retainer->is_ignored ? "  (ignored)" : row->is_circular ? circle_of(p, row) : "";
    ubi__object_rows_name(&p->rows, retainer->node, room - used - strlen(" in ") - strlen(note));
    ubi__out_printf(p->rows.out, "%s\n", note);
}

static void write_more(const page *p, uint32_t depth, uint64_t n) {
    char count[UBI__HUMAN_TEXT];
    if (n == 0)
        return;
    ubi__object_rows_gap(&p->rows);
    ubi__display_pad(p->rows.out, 0, indent_of(depth));
    ink(p, UBI__INK_DIM);
    ubi__out_printf(p->rows.out, "%s %s more\n", ubi__display_ellipsis(p->rows.style), ubi__human_count(count, n));
    ink(p, UBI__INK_PLAIN);
}

/* Retainers of a node that have no row. */
static uint64_t hidden(const page *p, ubi_node_ix node, uint32_t n_shown) {
    return ubi_retaining_count(p->answer->retaining, node) - n_shown;
}

/* The row behind `at` in the order of reading: below it, beside it, or beside one that it is below. Ends levels on the way. */
static uint32_t next_row(const page *p, uint32_t at) {
    if (p->tree[at].n_children)
        return p->tree[at].first_child;
    if (p->tree[at].is_open)
        write_more(p, p->tree[at].depth + 1, hidden(p, p->tree[at].retainer.node, 0));
    for (;;) {
        uint32_t parent = p->tree[at].parent;
        bool top = parent == UBI_NONE;
        uint32_t first = top ? 0 : p->tree[parent].first_child;
        uint32_t n = top ? ubi_retaining_tree_first_level(p->answer->tree) : p->tree[parent].n_children;
        if (at + 1 < first + n)
            return at + 1;
        write_more(p, p->tree[at].depth, hidden(p, top ? p->answer->node : p->tree[parent].retainer.node, n));
        if (top)
            return UBI_NONE;
        at = parent;
    }
}

static void write_rows(const page *p) {
    ubi__out_char(p->rows.out, '\n');
    if (p->n == 0) {
        ubi__out_string(p->rows.out, "Nothing refers to it.\n");
        return;
    }
    ubi__object_rows_head(&p->rows, "Retainer");
    for (uint32_t at = 0; at != UBI_NONE && !p->rows.out->failed; at = next_row(p, at))
        write_row(p, &p->tree[at]);
}

/* ---- what the limits and the dominators say ---------------------------------------------------------------------- */

static void write_limits(const page *p) {
    ubi_retaining_limits limits = ubi_retaining_tree_limits(p->answer->tree);
    const char *const names[] = { limits.depth ? "--depth" : NULL, limits.siblings ? "--limit" : NULL,
                                  limits.nodes ? "the most rows that are shown" : NULL };
    const char *before = "\nMore was left out by ";
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i]) {
            ubi__out_printf(p->rows.out, "%s%s", before, names[i]);
            before = " and ";
        }
    if (limits.depth || limits.siblings || limits.nodes)
        ubi__out_string(p->rows.out, ".\n");
}

static void write_dominators(const page *p) {
    ubi_node_ix chain[DOMINATORS_SHOWN];
    uint32_t n = ubi_retaining_dominators(chain, DOMINATORS_SHOWN, p->rows.dominators, p->answer->node);
    if (n < 2)
        return;
    ink(p, UBI__INK_BOLD);
    ubi__out_string(p->rows.out, "\nDominators");
    ink(p, UBI__INK_PLAIN);
    ubi__out_string(p->rows.out, ": it lives only as long as every one of these does\n");
    for (uint32_t i = 1; i < n && i < DOMINATORS_SHOWN; i++) {
        ubi__object_rows_numbers(&p->rows, chain[i], p->rows.distances[chain[i]]);
        ubi__object_rows_name(&p->rows, chain[i], ubi__object_rows_room(&p->rows, UBI__OBJECT_ROW_NUMBERS));
        ubi__out_char(p->rows.out, '\n');
    }
    if (n > DOMINATORS_SHOWN)
        write_more(p, 1, n - DOMINATORS_SHOWN);
}

static ubi_status write_all(page *p) {
    const ubi_allocator *a = ubi_allocator_default();
    size_t n_nodes = ubi_graph_node_count(p->graph);
    uint32_t *distances = ubi__alloc_array(a, n_nodes, sizeof *distances);
    ubi_status status = distances ? ubi_lens_distances(distances, p->rows.look) : ubi__fail_nomem();
    p->rows.distances = distances;
    if (status == UBI_OK) {
        write_facts(p);
        status = write_words(p);
    }
    if (status == UBI_OK) {
        write_ignored(p);
        write_rows(p);
        write_limits(p);
        write_dominators(p);
    }
    ubi__free_array(a, distances, n_nodes, sizeof *distances);
    return status;
}

ubi_status ubi__retainers_page(const ubi__retainers_answer *answer) {
    page p = { .rows = { .out = &answer->cli->output->out,
                         .style = &answer->cli->style,
                         .look = answer->snapshot->look,
                         .dominators = answer->dominators },
               .answer = answer,
               .graph = answer->snapshot->graph };
    p.tree = ubi_retaining_tree_rows(answer->tree, &p.n);
    return write_all(&p);
}
