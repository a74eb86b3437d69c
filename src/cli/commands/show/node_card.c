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
#include "cli/commands/show/node_card.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/human.h"
#include "base/text.h"
#include "graph/graph_columns.h"
#include "lenses/producer.h"
#include "render/edge_label.h"
#include "render/node_label.h"
#include "render/path_words.h"

#define FACT_COLUMNS 15
#define SIZE_COLUMNS 9
#define DISTANCE_COLUMNS 8
#define GAP 2
#define LEAST_NAME_COLUMNS 8
#define STACK_FRAMES_SHOWN 5
#define PATH_LINES 2

typedef struct card {
    ubi__out *out;
    const ubi__style *style;
    const ubi__node_facts *facts;
    uint64_t limit;
} card;

static void ink(const card *c, ubi__ink color) {
    ubi__display_ink(c->out, c->style, color);
}

static size_t room_behind(const card *c, size_t used) {
    return c->style->columns > used + LEAST_NAME_COLUMNS ? c->style->columns - used : LEAST_NAME_COLUMNS;
}

/* "Array  1810879808088" in at most `columns`. */
static void write_node(const card *c, ubi_node_ix node, size_t columns) {
    char id[24];
    size_t id_columns = GAP + (size_t)snprintf(id, sizeof id, "%" PRIu64, ubi_graph_node_id(c->facts->graph, node));
    size_t room = columns > id_columns + LEAST_NAME_COLUMNS ? columns - id_columns : LEAST_NAME_COLUMNS;
    ubi_lens_name_buffer buffer;
    ubi__display_text(c->out, c->style, ubi__node_title(c->facts->graph, c->facts->look, node, &buffer), room);
    ink(c, UBI__INK_DIM);
    ubi__out_printf(c->out, "  %s", id);
    ink(c, UBI__INK_PLAIN);
}

/* ---- facts ------------------------------------------------------------------------------------------------------- */

static void begin_fact(const card *c, const char *name) {
    ink(c, UBI__INK_BOLD);
    ubi__out_string(c->out, name);
    ink(c, UBI__INK_PLAIN);
    ubi__display_pad(c->out, strlen(name), FACT_COLUMNS);
}

static void write_text_fact(const card *c, const char *name, ubi_text text) {
    if (!text.ptr)
        return;
    begin_fact(c, name);
    ubi__display_text(c->out, c->style, text, room_behind(c, FACT_COLUMNS));
    ubi__out_char(c->out, '\n');
}

/* Where a function is defined, or an object's constructor. */
static bool write_place(const card *c) {
    char place[40];
    const ubi_graph *g = c->facts->graph;
    ubi__code_place at;
    if (!ubi__code_place_of(&at, g, c->facts->node))
        return false;
    size_t n = (size_t)snprintf(place, sizeof place, ":%" PRIu64 ":%" PRIu64, at.line, at.column);
    begin_fact(c, at.is_function ? "Defined in" : "Constructor");
    ubi_text file = ubi_graph_string(g, c->facts->kind->script_filename);
    if (file.len)
        ubi__display_text_end(c->out, c->style, file, room_behind(c, FACT_COLUMNS + n));
    else
        ubi__out_printf(c->out, "script %" PRIu32, at.script_id);
    ubi__out_printf(c->out, "%s\n", place);
    return true;
}

static void write_detachedness(const card *c) {
    ubi_detachedness state = ubi_lens_detachedness(c->facts->look, c->facts->node);
    if (state == UBI_DETACHEDNESS_UNKNOWN)
        return;
    begin_fact(c, "In a document");
    ubi__out_string(c->out, state == UBI_ATTACHED ? "yes\n" : "no, detached from it\n");
}

static void write_kind(const card *c) {
    static const char *const notes[] = { "engine internal or other", "object", "script", "string", "DOM node" };
    const ubi_graph *g = c->facts->graph;
    const ubi_kind *kind = c->facts->kind;
    const char *note = notes[kind->coarse_type];
    begin_fact(c, "Type");
    ubi__display_text(c->out, c->style, ubi_graph_string(g, kind->type_name),
                      room_behind(c, FACT_COLUMNS + GAP + strlen(note)));
    ubi__out_printf(c->out, ", %s\n", note);
    write_text_fact(c, "Class",
                    ubi_lens_of(c->facts->look)->names_nodes ? ubi_lens_node_name(c->facts->look, c->facts->node)
                                                             : ubi_graph_string(g, kind->class_name));
    write_text_fact(c, "Described as", ubi_graph_string(g, kind->descriptive_name));
    if (!write_place(c))
        write_text_fact(c, "Script file", ubi_graph_string(g, kind->script_filename));
    write_detachedness(c);
}

static void write_sizes(const card *c) {
    char size[UBI__HUMAN_TEXT], percent[UBI__HUMAN_TEXT], others[UBI__HUMAN_TEXT];
    const ubi__node_facts *f = c->facts;
    uint64_t all = ubi_dominators_retained_bytes(f->dominators, ubi_dominators_root(f->dominators));
    uint64_t retained = ubi_dominators_retained_bytes(f->dominators, f->node);
    begin_fact(c, "Own size");
    uint64_t raw = ubi_graph_node_size_bytes(f->graph, f->node);
    ubi__out_printf(c->out, "%s", ubi__human_size(size, ubi_lens_size_bytes(f->look, f->node)));
    if (raw != ubi_lens_size_bytes(f->look, f->node))
        ubi__out_printf(c->out, ", %s in the file; see 'ubiheap help nodes' on selfSize", ubi__human_size(size, raw));
    ubi__out_char(c->out, '\n');
    begin_fact(c, "Retained size");
    ubi__out_printf(c->out, "%s, %s of everything", ubi__human_size(size, retained),
                    ubi__human_percent(percent, retained, all));
    if (f->n_retained)
        ubi__out_printf(c->out, ", with %s", ubi__human_things(others, f->n_retained, "other node"));
    ubi__out_char(c->out, '\n');
}

static void write_dominator(const card *c) {
    ubi_node_ix dominator = ubi_dominators_immediate(c->facts->dominators, c->facts->node);
    if (dominator == UBI_NONE)
        return;
    begin_fact(c, "Dominated by");
    write_node(c, dominator, room_behind(c, FACT_COLUMNS));
    ubi__out_char(c->out, '\n');
}

static void write_distance(const card *c) {
    char edges[UBI__HUMAN_TEXT];
    const ubi__node_facts *f = c->facts;
    uint32_t distance = f->distances[f->node];
    begin_fact(c, "Distance");
    if (distance == 0)
        ubi__out_string(c->out, "0: it is the root\n");
    else if (ubi__node_is_reachable(f) && distance >= UBI_LENS_SYSTEM_DISTANCE)
        ubi__out_string(c->out, "only the engine's own roots reach it\n");
    else if (ubi__node_is_reachable(f) && ubi_lens_graph_view(f->look)->n_first_edges)
        ubi__out_printf(c->out, "%s, a global object being at 1\n", ubi__human_count(edges, distance));
    else if (ubi__node_is_reachable(f))
        ubi__out_printf(c->out, "%s from the root\n", ubi__human_things(edges, distance, "edge"));
    else
        ubi__out_string(c->out, "none: it cannot be reached from the root\n");
}

static void write_path(const card *c) {
    const ubi__node_facts *f = c->facts;
    if (f->path.n == 0)
        return;
    ubi__path_view view = { f->graph, f->path.at, (uint32_t)f->path.n, f->node, f->look };
    begin_fact(c, "Path");
    ubi__display_path_wrapped(c->out, c->style, &view, room_behind(c, FACT_COLUMNS), PATH_LINES, FACT_COLUMNS);
}

static uint32_t count_frames(const ubi_graph *g, ubi_frame_ix frame) {
    uint32_t n = 0;
    for (; frame != UBI_NONE; frame = ubi_graph_frame_parent(g, frame))
        n++;
    return n;
}

static void write_stack(const card *c) {
    char count[UBI__HUMAN_TEXT];
    const ubi_graph *g = c->facts->graph;
    ubi_frame_ix at = ubi_graph_node_stack(g, c->facts->node);
    uint32_t n = count_frames(g, at), shown = n > STACK_FRAMES_SHOWN + 1 ? STACK_FRAMES_SHOWN : n;
    for (uint32_t i = 0; i < shown; i++, at = ubi_graph_frame_parent(g, at)) {
        ubi_frame frame;
        ubi_graph_frame(g, at, &frame);
        begin_fact(c, i == 0 ? "Allocated in" : "");
        ubi__display_frame(c->out, c->style, &frame, room_behind(c, FACT_COLUMNS));
        ubi__out_char(c->out, '\n');
    }
    if (shown == n)
        return;
    begin_fact(c, "");
    ubi__out_printf(c->out, "%s %s more\n", ubi__display_ellipsis(c->style), ubi__human_count(count, n - shown));
}

/* ---- edges ------------------------------------------------------------------------------------------------------- */

static ubi_node_ix other_end(const card *c, ubi_edge_ix edge, bool outgoing) {
    return outgoing ? ubi_graph_edge_target(c->facts->graph, edge) : ubi_graph_edge_source(c->facts->graph, edge);
}

static size_t numbers_columns(bool outgoing) {
    return outgoing ? SIZE_COLUMNS + GAP + SIZE_COLUMNS + GAP : DISTANCE_COLUMNS + GAP;
}

static void write_numbers(const card *c, ubi_node_ix other, bool outgoing) {
    char text[UBI__HUMAN_TEXT];
    const ubi__node_facts *f = c->facts;
    if (outgoing) {
        uint64_t retained = ubi_dominators_retained_bytes(f->dominators, other);
        ubi__display_right(c->out, ubi__human_size(text, retained), SIZE_COLUMNS);
        ubi__display_right(c->out, ubi__human_size(text, ubi_lens_size_bytes(f->look, other)), GAP + SIZE_COLUMNS);
    } else if (f->distances[other] == UBI_NONE) {
        ubi__display_right(c->out, "-", DISTANCE_COLUMNS);
    } else if (f->distances[other] >= UBI_LENS_SYSTEM_DISTANCE) {
        ubi__display_right(c->out, "system", DISTANCE_COLUMNS);
    } else {
        ubi__display_right(c->out, ubi__human_count(text, f->distances[other]), DISTANCE_COLUMNS);
    }
    ubi__display_pad(c->out, 0, GAP);
}

/* Columns of the longest name shown, at most half of what numbers leave. */
static size_t name_columns(const card *c, const ubi__ranked_edges *edges, size_t shown, bool outgoing) {
    size_t widest = strlen("Edge"), most = room_behind(c, numbers_columns(outgoing)) / 2;
    for (size_t i = 0; i < shown; i++) {
        size_t columns = ubi__edge_label_columns(c->style, c->facts->graph, edges->at[i].edge, most);
        widest = columns > widest ? columns : widest;
    }
    return widest < most ? widest : most;
}

static void write_table_head(const card *c, const char *title, size_t n_edges, size_t columns, bool outgoing) {
    char count[UBI__HUMAN_TEXT];
    ubi__out_char(c->out, '\n');
    ink(c, UBI__INK_BOLD);
    ubi__out_string(c->out, title);
    ink(c, UBI__INK_PLAIN);
    ubi__out_printf(c->out, " (%s)\n", ubi__human_things(count, n_edges, "edge"));
    ink(c, UBI__INK_DIM);
    ubi__display_right(c->out, outgoing ? "Retained" : "Distance", outgoing ? SIZE_COLUMNS : DISTANCE_COLUMNS);
    if (outgoing)
        ubi__display_right(c->out, "Own size", GAP + SIZE_COLUMNS);
    ubi__out_string(c->out, "  Edge");
    ubi__display_pad(c->out, strlen("Edge"), columns + GAP);
    ubi__out_string(c->out, outgoing ? "To" : "From");
    ink(c, UBI__INK_PLAIN);
    ubi__out_char(c->out, '\n');
}

static void write_edge(const card *c, ubi_edge_ix edge, size_t columns, bool outgoing) {
    ubi_node_ix other = other_end(c, edge, outgoing);
    write_numbers(c, other, outgoing);
    size_t used = ubi__display_edge_label(c->out, c->style, c->facts->graph, edge, columns);
    ubi__display_pad(c->out, used, columns + GAP);
    write_node(c, other, room_behind(c, numbers_columns(outgoing) + columns + GAP));
    ubi__out_char(c->out, '\n');
}

/* A table one longer than the limit is shown whole: "1 more" would take the same line. */
static void write_edges(const card *c, const char *title, const ubi__ranked_edges *edges, bool outgoing) {
    char count[UBI__HUMAN_TEXT];
    size_t shown = c->limit && edges->n > c->limit && edges->n - c->limit > 1 ? (size_t)c->limit : edges->n;
    if (edges->n == 0) {
        ubi__out_printf(c->out, "\n%s nothing.\n", title);
        return;
    }
    size_t columns = name_columns(c, edges, shown, outgoing);
    write_table_head(c, title, edges->n, columns, outgoing);
    for (size_t i = 0; i < shown && !c->out->failed; i++)
        write_edge(c, edges->at[i].edge, columns, outgoing);
    if (shown == edges->n)
        return;
    ubi__display_pad(c->out, 0, numbers_columns(outgoing));
    ubi__out_printf(c->out, "%s %s more\n", ubi__display_ellipsis(c->style), ubi__human_count(count, edges->n - shown));
}

void ubi__node_card(ubi__cli *cli, const ubi__node_facts *facts, uint64_t limit) {
    card c = { &cli->output->out, &cli->style, facts, limit };
    ink(&c, UBI__INK_BOLD);
    write_node(&c, facts->node, room_behind(&c, 0));
    ubi__out_string(c.out, "\n\n");
    write_kind(&c);
    write_sizes(&c);
    write_dominator(&c);
    write_distance(&c);
    write_path(&c);
    write_stack(&c);
    write_edges(&c, "Refers to", &facts->edges, true);
    write_edges(&c, "Referred to by", &facts->retainers, false);
}
