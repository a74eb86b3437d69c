/* SPDX-License-Identifier: MIT
 *
 * node_card.c: everything about one node, as text: facts with their names in front, then edges as two tables.
 *
 *     Array  1810879808088
 *
 *     Type          JSObject, an object of class Array
 *     Own size      152 B
 *     Retained size 46.1 KiB, 7.2% of everything, with 56 other nodes
 *
 *     Refers to (20 edges)
 *      Retained   Own size  Edge                To
 *      8.30 KiB      160 B  objectElements[12]  Object  1810879766808
 */
#include "questions/show/node_card.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/human.h"
#include "base/text.h"
#include "graph/graph_columns.h"
#include "lenses/producer.h"
#include "render/heap_labels.h"
#include "render/path_words.h"
#include "render/text_table.h"

#define FACT_COLUMNS 15
#define GAP 2
#define LEAST_NAME_COLUMNS 8
#define STACK_FRAMES_SHOWN 5
#define PATH_LINES 2

typedef struct card {
    const ubi__page *page;
    ubi__out *out;
    const ubi__style *style;
    const ubi__node_facts *facts;
    uint64_t limit;
    ubi_edge_ix edge; /* that is being written */
} card;

static void ink(const card *c, ubi__ink color) {
    ubi__display_ink(c->out, c->style, color);
}

static size_t room_after(const card *c, size_t used) {
    return c->style->columns > used + LEAST_NAME_COLUMNS ? c->style->columns - used : LEAST_NAME_COLUMNS;
}

/* "Array  1810879808088" in at most `columns`. */
static void node_write(const card *c, ubi_node_ix node, size_t columns) {
    char id[24];
    size_t id_columns = GAP + (size_t)snprintf(id, sizeof id, "%" PRIu64, ubi_graph_node_id(c->facts->graph, node));
    size_t room = columns > id_columns + LEAST_NAME_COLUMNS ? columns - id_columns : LEAST_NAME_COLUMNS;
    ubi_look_name_buffer buffer;
    ubi__display_text(c->out, c->style, ubi__node_title(c->facts->graph, c->facts->look, node, &buffer), room);
    ink(c, UBI__INK_DIM);
    ubi__out_printf(c->out, "  %s", id);
    ink(c, UBI__INK_PLAIN);
}

/* ---- facts ------------------------------------------------------------------------------------------------------- */

static void fact_begin(const card *c, const char *name) {
    ubi__write_label(c->page, UBI__INK_BOLD, name, FACT_COLUMNS);
}

static void fact_write(const card *c, const char *name, ubi_text text) {
    if (!text.ptr)
        return;
    fact_begin(c, name);
    ubi__display_text(c->out, c->style, text, room_after(c, FACT_COLUMNS));
    ubi__out_char(c->out, '\n');
}

/* Where a function is defined, or an object's constructor. */
static bool place_write(const card *c) {
    char place[40];
    const ubi_graph *g = c->facts->graph;
    ubi__code_place at;
    if (!ubi__code_place_of(&at, g, c->facts->node))
        return false;
    size_t n = (size_t)snprintf(place, sizeof place, ":%" PRIu64 ":%" PRIu64, at.line, at.column);
    fact_begin(c, at.is_function ? "Defined in" : "Constructor");
    ubi_text file = ubi_graph_string(g, c->facts->kind->script_filename);
    if (file.len)
        ubi__display_text_end(c->out, c->style, file, room_after(c, FACT_COLUMNS + n));
    else
        ubi__out_printf(c->out, "script %" PRIu32, at.script_id);
    ubi__out_printf(c->out, "%s\n", place);
    return true;
}

static void detachedness_write(const card *c) {
    ubi_detachedness state = ubi_look_detachedness(c->facts->look, c->facts->node);
    if (state == UBI_DETACHEDNESS_UNKNOWN)
        return;
    fact_begin(c, "In a document");
    ubi__out_string(c->out, state == UBI_ATTACHED ? "yes\n" : "no, detached from it\n");
}

static void further_facts_write(const card *c) {
    ubi__further_fact further[UBI__MOST_FURTHER_FACTS];
    ubi_look_name_buffer buffer;
    size_t n = ubi__further_facts_of(further, c->facts->graph, c->facts->node, &buffer);
    for (size_t i = 0; i < n; i++)
        fact_write(c, further[i].title, further[i].text);
}

static void kind_write(const card *c) {
    static const char *const notes[] = { "engine internal or other", "object", "script", "string", "DOM node" };
    const ubi_graph *g = c->facts->graph;
    const ubi_kind *kind = c->facts->kind;
    const char *note = notes[kind->coarse_type];
    fact_begin(c, "Type");
    ubi__display_text(c->out, c->style, ubi_graph_string(g, kind->type_name),
                      room_after(c, FACT_COLUMNS + GAP + strlen(note)));
    ubi__out_printf(c->out, ", %s\n", note);
    fact_write(c, "Class",
               ubi_look_lens(c->facts->look)->has_node_names ? ubi_look_node_name(c->facts->look, c->facts->node)
                                                             : ubi_graph_string(g, kind->class_name));
    fact_write(c, "Described as", ubi_graph_string(g, kind->descriptive_name));
    if (!place_write(c))
        fact_write(c, "Script file", ubi_graph_string(g, kind->script_filename));
    detachedness_write(c);
    further_facts_write(c);
}

static void sizes_write(const card *c) {
    char size[UBI__HUMAN_TEXT], percent[UBI__HUMAN_TEXT], others[UBI__HUMAN_TEXT];
    const ubi__node_facts *f = c->facts;
    uint64_t all = ubi_dominators_retained_bytes(f->dominators, ubi_dominators_root(f->dominators));
    uint64_t retained = ubi_dominators_retained_bytes(f->dominators, f->node);
    fact_begin(c, "Own size");
    uint64_t raw = ubi_graph_node_size_bytes(f->graph, f->node);
    ubi__out_printf(c->out, "%s", ubi__human_size(size, ubi_look_size_bytes(f->look, f->node)));
    if (raw != ubi_look_size_bytes(f->look, f->node))
        ubi__out_printf(c->out, ", %s in the file; see 'ubiheap help nodes' on selfSize", ubi__human_size(size, raw));
    ubi__out_char(c->out, '\n');
    fact_begin(c, "Retained size");
    ubi__out_printf(c->out, "%s, %s of everything", ubi__human_size(size, retained),
                    ubi__human_percent(percent, retained, all));
    if (f->n_retained)
        ubi__out_printf(c->out, ", with %s", ubi__human_things(others, f->n_retained, "other node"));
    ubi__out_char(c->out, '\n');
}

static void dominator_write(const card *c) {
    ubi_node_ix dominator = ubi_dominators_immediate(c->facts->dominators, c->facts->node);
    if (dominator == UBI_NONE)
        return;
    fact_begin(c, "Dominated by");
    node_write(c, dominator, room_after(c, FACT_COLUMNS));
    ubi__out_char(c->out, '\n');
}

static void distance_write(const card *c) {
    char edges[UBI__HUMAN_TEXT];
    const ubi__node_facts *f = c->facts;
    uint32_t distance = f->distances[f->node];
    fact_begin(c, "Distance");
    if (distance == 0)
        ubi__out_string(c->out, "0: it is the root\n");
    else if (ubi__node_is_reachable(f) && distance >= UBI_LOOK_SYSTEM_DISTANCE)
        ubi__out_string(c->out, "only the engine's own roots reach it\n");
    else if (ubi__node_is_reachable(f) && ubi_look_view(f->look)->n_first_edges)
        ubi__out_printf(c->out, "%s, a global object being at 1\n", ubi__human_count(edges, distance));
    else if (ubi__node_is_reachable(f))
        ubi__out_printf(c->out, "%s from the root\n", ubi__human_things(edges, distance, "edge"));
    else if (f->path.n)
        ubi__out_string(c->out, "none: only references that the engine's own tools leave out reach it\n");
    else
        ubi__out_string(c->out, "none: it cannot be reached from the root\n");
}

static void path_write(const card *c) {
    const ubi__node_facts *f = c->facts;
    if (f->path.n == 0)
        return;
    ubi__path_view view = { f->graph, f->path.at, (uint32_t)f->path.n, f->node, f->look };
    fact_begin(c, "Path");
    ubi__display_path_wrapped(c->out, c->style, &view, room_after(c, FACT_COLUMNS), PATH_LINES, FACT_COLUMNS);
}

static uint32_t stack_depth(const ubi_graph *g, ubi_frame_ix frame) {
    uint32_t n = 0;
    for (; frame != UBI_NONE; frame = ubi_graph_frame_parent(g, frame))
        n++;
    return n;
}

static void stack_write(const card *c) {
    char count[UBI__HUMAN_TEXT];
    const ubi_graph *g = c->facts->graph;
    ubi_frame_ix at = ubi_graph_node_stack(g, c->facts->node);
    uint32_t n = stack_depth(g, at), shown = n > STACK_FRAMES_SHOWN + 1 ? STACK_FRAMES_SHOWN : n;
    for (uint32_t i = 0; i < shown; i++, at = ubi_graph_frame_parent(g, at)) {
        ubi_frame frame;
        ubi_graph_frame(g, at, &frame);
        fact_begin(c, i == 0 ? "Allocated in" : "");
        ubi__display_frame(c->out, c->style, &frame, room_after(c, FACT_COLUMNS));
        ubi__out_char(c->out, '\n');
    }
    if (shown == n)
        return;
    fact_begin(c, "");
    ubi__out_printf(c->out, "%s %s more\n", ubi__display_ellipsis(c->style), ubi__human_count(count, n - shown));
}

/* ---- edges ------------------------------------------------------------------------------------------------------- */

static ubi_node_ix other_end(const card *c, ubi_edge_ix edge, bool outgoing) {
    return outgoing ? ubi_graph_edge_target(c->facts->graph, edge) : ubi_graph_edge_source(c->facts->graph, edge);
}

enum { RETAINED, OWN_SIZE, DISTANCE, EDGE, COLUMNS };

static const ubi__text_column edge_columns[COLUMNS] = {
    [RETAINED] = { "Retained", .width = 9 },
    [OWN_SIZE] = { "Own size", .width = 9, .gap = 2 },
    [DISTANCE] = { "Distance", .width = 8 },
    [EDGE] = { "Edge", .width = 4, .gap = 2, .is_left = true },
};

/* A ubi__cell_draw. */
static size_t edge_draw(ubi__out *out, const ubi__style *style, const void *payload, size_t columns) {
    const card *c = payload;
    return ubi__display_edge_label(out, style, c->facts->graph, c->edge, columns);
}

static void edge_write(card *c, const ubi__text_table *table, ubi_edge_ix edge, bool is_outgoing) {
    char digits[UBI__HUMAN_TEXT];
    const ubi__node_facts *f = c->facts;
    ubi_node_ix other = other_end(c, edge, is_outgoing);
    uint32_t distance = f->distances[other];
    c->edge = edge;
    const ubi__cell cells[COLUMNS] = {
        [RETAINED] = ubi__cell_size(ubi_dominators_retained_bytes(f->dominators, other)),
        [OWN_SIZE] = ubi__cell_size(ubi_look_size_bytes(f->look, other)),
        [DISTANCE] = ubi__cell_words(distance == UBI_NONE                   ? "-"
                                     : distance >= UBI_LOOK_SYSTEM_DISTANCE ? "system"
                                                                            : ubi__human_count(digits, distance)),
        [EDGE] = ubi__cell_drawn(edge_draw, c),
    };
    node_write(c, other, ubi__text_table_row(table, cells));
    ubi__out_char(c->out, '\n');
}

/* Edges are as wide as the longest shown, at most half of what numbers leave. */
static void edge_table_init(ubi__text_table *t, const card *c, const ubi__ranked_edges *edges, size_t shown,
                            bool is_outgoing) {
    ubi__text_table_init(t, c->out, c->style, is_outgoing ? "To" : "From", edge_columns, COLUMNS);
    t->least_name = LEAST_NAME_COLUMNS;
    t->title_ink = UBI__INK_DIM;
    t->at[RETAINED].is_hidden = t->at[OWN_SIZE].is_hidden = !is_outgoing;
    t->at[DISTANCE].is_hidden = is_outgoing;
    ubi__text_table_lay_out(t);
    size_t widest = t->at[EDGE].width, most = ubi__text_table_room(t, t->used - 2 - widest) / 2;
    for (size_t i = 0; i < shown; i++) {
        size_t columns = ubi__edge_label_columns(c->style, c->facts->graph, edges->at[i].edge, most);
        widest = columns > widest ? columns : widest;
    }
    t->at[EDGE].width = widest < most ? widest : most;
    ubi__text_table_lay_out(t);
}

/* A table one longer than the limit is shown whole: "1 more" would take the same line. */
static void edges_write(card *c, const char *title, const ubi__ranked_edges *edges, bool is_outgoing) {
    char count[UBI__HUMAN_TEXT];
    ubi__text_table table;
    size_t shown = c->limit && edges->n > c->limit && edges->n - c->limit > 1 ? (size_t)c->limit : edges->n;
    if (edges->n == 0) {
        ubi__out_printf(c->out, "\n%s nothing.\n", title);
        return;
    }
    ubi__out_char(c->out, '\n');
    ink(c, UBI__INK_BOLD);
    ubi__out_string(c->out, title);
    ink(c, UBI__INK_PLAIN);
    ubi__out_printf(c->out, " (%s)\n", ubi__human_things(count, edges->n, "edge"));
    edge_table_init(&table, c, edges, shown, is_outgoing);
    ubi__text_table_head(&table);
    for (size_t i = 0; i < shown && !c->out->has_failed; i++)
        edge_write(c, &table, edges->at[i].edge, is_outgoing);
    if (shown == edges->n)
        return;
    ubi__display_pad(c->out, 0, table.used - table.at[EDGE].width - 2);
    ubi__text_table_rest(&table, edges->n - shown);
}

void ubi__node_card(const ubi__page *page, const ubi__node_facts *facts, uint64_t limit) {
    card c = { .page = page, .out = page->out, .style = &page->style, .facts = facts, .limit = limit };
    ink(&c, UBI__INK_BOLD);
    node_write(&c, facts->node, room_after(&c, 0));
    ubi__out_string(c.out, "\n\n");
    kind_write(&c);
    sizes_write(&c);
    dominator_write(&c);
    distance_write(&c);
    path_write(&c);
    stack_write(&c);
    edges_write(&c, "Refers to", &facts->edges, true);
    edges_write(&c, "Referred to by", &facts->retainers, false);
}
