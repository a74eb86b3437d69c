/* SPDX-License-Identifier: MIT
 *
 * path_ranks.c: see path_ranks.h.
 */
#include "render/path_ranks.h"

#include <string.h>

#include "base/text.h"

/* Pieces of one unit that differ; the others repeat them. */
#define MOST_PIECES 3

typedef ubi__path_pen pen;

/* Properties on the way that the program did not name. */
static bool is_on_the_way(ubi_text name) {
    static const char *const names[] = { "__proto__", "prototype", "constructor", "_onTimeout", "_onImmediate" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (ubi__text_is(name, names[i]))
            return true;
    return false;
}

/* ---- nodes -------------------------------------------------------------------------------------------------------- */

static bool is_runtime_function(const ubi_graph *g, ubi__fields *fields, ubi_node_ix node) {
    return ubi__kind_is_function(g, ubi_graph_kind(g, ubi_graph_node_kind(g, node))) &&
           ubi__function_is_of_runtime(fields, node);
}

/* Rank of the node's label alone. */
static ubi__path_rank rank_of_node(const ubi_graph *g, ubi_node_ix node) {
    const ubi__producer_words *words = ubi__producer_of(g)->words;
    const ubi_kind *kind = ubi_graph_kind(g, ubi_graph_node_kind(g, node));
    if (ubi__node_is_root(g, node) || ubi__node_is_engine(g, node))
        return UBI__RANK_ENGINE;
    if (words->node_rank)
        return words->node_rank(g, node);
    switch (kind->coarse_type) {
    case UBI_COARSE_OBJECT:
        if (kind->descriptive_name != UBI_NONE)
            return ubi__rank_of_name(ubi_graph_string(g, kind->descriptive_name));
        return ubi__rank_of_name(ubi_graph_string(g, kind->class_name));
    case UBI_COARSE_SCRIPT:
        return UBI__RANK_PROGRAM; /* its file */
    case UBI_COARSE_OTHER:
        return UBI__RANK_ENGINE;
    default:
        return UBI__RANK_UNNAMED;
    }
}

bool ubi__edge_is_of_runtime(const ubi_graph *graph, ubi_edge_ix edge) {
    const ubi__producer_code *code = &ubi__producer_of(graph)->code;
    return code->edge_is_of_runtime && code->edge_is_of_runtime(graph, edge);
}

/* ---- pieces ------------------------------------------------------------------------------------------------------- */

static ubi__path_rank rank_of_words(ubi__edge_words words) {
    switch (words.how) {
    case UBI__EDGE_VARIABLE:
        return UBI__RANK_VARIABLE;
    case UBI__EDGE_PROPERTY:
    case UBI__EDGE_QUOTED:
        return UBI__RANK_PROGRAM;
    case UBI__EDGE_INDEX:
    case UBI__EDGE_VERBATIM:
        return UBI__RANK_UNNAMED;
    default:
        return UBI__RANK_ENGINE;
    }
}

static ubi__path_rank rank_larger(ubi__path_rank a, ubi__path_rank b) {
    return a > b ? a : b;
}

/* "global", or the title of a list that Node.js keeps. */
static ubi__path_rank rank_of_start(const pen *p) {
    return p->start.list ? UBI__RANK_PROGRAM : UBI__RANK_ENGINE; /* its delay identifies a timer */
}

static ubi__path_rank rank_of_piece(const pen *p, ubi__fields *fields, uint32_t i, uint32_t next) {
    const ubi_graph *g = p->path->graph;
    ubi_node_ix node = p->path->steps[i].predecessor;
    ubi_node_ix held = next < p->path->n_steps ? p->path->steps[next].predecessor : p->path->target;
    bool is_start = i == p->start.begin && (p->start.list || p->start.name);
    ubi__path_rank label = is_start ? rank_of_start(p) : rank_of_node(g, node);
    ubi__edge_words edge, engine;
    if ((!is_start && is_runtime_function(g, fields, node)) || ubi__edge_is_of_runtime(g, p->path->steps[i].edge))
        return UBI__RANK_RUNTIME;
    ubi__path_piece_words(&edge, &engine, p, i);
    if (edge.how == UBI__EDGE_PROPERTY && is_on_the_way(edge.text))
        return UBI__RANK_RUNTIME;
    bool is_global = i == p->start.begin && ubi__text_is(ubi_graph_string(g, ubi_graph_node_name(g, node)), "global");
    if (is_global && is_runtime_function(g, fields, held)) /* global.setTimeout */
        return UBI__RANK_RUNTIME;
    ubi__path_rank words = rank_larger(rank_of_words(edge), rank_of_words(engine));
    if (label == UBI__RANK_ENGINE && words == UBI__RANK_UNNAMED) /* an element of something unknown */
        return UBI__RANK_ENGINE;
    return rank_larger(is_global ? UBI__RANK_ENGINE : label, words);
}

ubi__path_rank ubi__path_unit_rank(const pen *p, ubi__fields *fields, uint32_t i, uint32_t next) {
    ubi__path_rank most = UBI__RANK_ENGINE;
    for (uint32_t k = 0, behind; k < MOST_PIECES && i < next && i < p->path->n_steps; k++, i = behind) {
        behind = ubi__path_next_piece(p, i);
        most = rank_larger(most, rank_of_piece(p, fields, i, behind));
    }
    return most;
}

bool ubi__path_is_of_engine(const ubi__path_view *path, ubi__fields *fields) {
    pen p = { .path = path, .start = ubi__path_start_of(path->graph, path->steps, path->n_steps) };
    if (path->n_steps == 0 || rank_of_node(path->graph, path->target) > UBI__RANK_ENGINE)
        return false;
    for (uint32_t i = p.start.begin, next; i < path->n_steps; i = next) {
        next = ubi__path_next_piece(&p, i);
        if (rank_of_piece(&p, fields, i, next) > UBI__RANK_ENGINE)
            return false;
    }
    return true;
}
