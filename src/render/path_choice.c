/* SPDX-License-Identifier: MIT
 *
 * path_choice.c: see path_choice.h.
 */
#include "render/path_choice.h"

#include <string.h>

#include "base/assert.h"
#include "base/text.h"

/* ---- ranks ------------------------------------------------------------------------------------------------------ */

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

/* ---- the choice ------------------------------------------------------------------------------------------------- */

typedef ubi__path_pen pen;
typedef ubi__path_choice choice;
typedef ubi__path_group group;

/* This many elements ("[17]" at most) stay with their container: a gap would take as much room. */
#define GLUED_COLUMNS 10
#define MOST_GLUED 2
/* The first name on a path counts as at most this many groups from the target; a variable as this many times nearer. */
#define FIRST_DISTANCE 2
#define VARIABLE_NEARER 2
/* More than any distance. */
#define RANK_WORTH (2 * UBI__PATH_UNITS)

/* ---- groups ------------------------------------------------------------------------------------------------------- */

static bool is_glued(const group *last, const group *unit, bool joins) {
    return joins && unit->rank == UBI__RANK_UNNAMED && unit->columns <= GLUED_COLUMNS && last->n_glued < MOST_GLUED;
}

/* After the first units, a unit that is not among the last gives its slot to the next. */
static group *place_of(choice *c, uint32_t *oldest) {
    if (c->n < UBI__PATH_UNITS)
        return &c->groups[c->n++];
    group *place = &c->groups[UBI__PATH_FIRST_UNITS + *oldest];
    *oldest = (*oldest + 1) % UBI__PATH_LAST_UNITS;
    return place;
}

static void steps_reverse(group *groups, uint32_t n) {
    for (uint32_t i = 0; i < n / 2; i++) {
        group g = groups[i];
        groups[i] = groups[n - 1 - i];
        groups[n - 1 - i] = g;
    }
}

static void steps_rotate(group *groups, uint32_t n, uint32_t by) {
    steps_reverse(groups, by);
    steps_reverse(groups + by, n - by);
    steps_reverse(groups, n);
}

static void paths_collect(choice *c, const pen *p, ubi__fields *fields) {
    uint32_t oldest = 0, next;
    group *last = NULL;
    c->n = 0;
    for (uint32_t i = p->start.begin; i < p->path->n_steps; i = next) {
        group unit = { .begin = i, .columns = (uint32_t)ubi__path_unit_columns(p, i, &next) };
        unit.end = next;
        unit.extra = (uint32_t)ubi__path_unjoined_columns(p, i);
        unit.rank = ubi__path_unit_rank(p, fields, i, next);
        if (last && is_glued(last, &unit, ubi__path_unit_joins(p, i))) {
            last->end = next;
            last->columns += unit.columns;
            last->n_glued++;
            continue;
        }
        last = place_of(c, &oldest);
        *last = unit;
    }
    steps_rotate(&c->groups[UBI__PATH_FIRST_UNITS], c->n == UBI__PATH_UNITS ? UBI__PATH_LAST_UNITS : 0, oldest);
    c->always = (ubi__path_gap){ 0, 0 };
    if (c->n == UBI__PATH_UNITS)
        c->always = (ubi__path_gap){ c->groups[UBI__PATH_FIRST_UNITS - 1].end, c->groups[UBI__PATH_FIRST_UNITS].begin };
}

static bool follows(const choice *c, uint32_t i) {
    const group *before = &c->groups[i - 1], *g = &c->groups[i];
    return before->end == g->begin || (before->end == c->always.begin && c->always.end == g->begin);
}

void ubi__path_choice_check(const choice *c) {
    uint32_t n_names = 0;
    UBI_ASSERT(c->n <= UBI__PATH_UNITS);
    for (uint32_t i = 0; UBI_CHECKS && i < c->n; i++) {
        UBI_ASSERT(c->groups[i].begin + c->groups[i].n_glued < c->groups[i].end); /* a unit has a node */
        UBI_ASSERT(c->groups[i].n_glued <= MOST_GLUED);
        UBI_ASSERT(i == 0 || follows(c, i));
        n_names += c->groups[i].rank >= UBI__RANK_PROGRAM;
    }
    UBI_ASSERT(c->always.begin == c->always.end || c->n == UBI__PATH_UNITS);
    UBI_ASSERT(!UBI_CHECKS || c->n_names == n_names);
    UBI_ASSERT(c->n_names_shown <= c->n_names);
}

/* Distance of a group from the target, for ranking: far groups go first. */
static int32_t distance_of(const choice *c, uint32_t i, uint32_t first_name) {
    int32_t distance = (int32_t)(c->n - 1 - i);
    if (i == first_name && distance > FIRST_DISTANCE)
        return FIRST_DISTANCE;
    return c->groups[i].rank == UBI__RANK_VARIABLE ? distance / VARIABLE_NEARER : distance;
}

static void path_rate(choice *c) {
    uint32_t first_name = 0;
    while (first_name < c->n && c->groups[first_name].rank < UBI__RANK_PROGRAM)
        first_name++;
    c->n_names = 0;
    for (uint32_t i = 0; i < c->n; i++) {
        group *g = &c->groups[i];
        ubi__path_rank rank = g->rank < UBI__RANK_PROGRAM ? g->rank : UBI__RANK_PROGRAM;
        g->worth = (int32_t)rank * RANK_WORTH - distance_of(c, i, first_name);
        g->is_left_out = c->always.begin < c->always.end && rank == UBI__RANK_ENGINE;
        c->n_names += rank == UBI__RANK_PROGRAM;
    }
}

/* ---- gaps --------------------------------------------------------------------------------------------------------- */

static void add_gap(choice *c, pen *p, uint32_t begin, uint32_t end) {
    if (begin == end)
        return;
    if (p->n_gaps && c->gaps[p->n_gaps - 1].end == begin)
        c->gaps[p->n_gaps - 1].end = end;
    else
        c->gaps[p->n_gaps++] = (ubi__path_gap){ begin, end };
}

/* Passes the current gaps to the pen. */
static void put_gaps(choice *c, pen *p) {
    p->n_gaps = 0;
    p->gaps = c->gaps;
    for (uint32_t i = 0; i < c->n; i++) {
        if (i == UBI__PATH_FIRST_UNITS)
            add_gap(c, p, c->always.begin, c->always.end);
        if (c->groups[i].is_left_out)
            add_gap(c, p, c->groups[i].begin, c->groups[i].end);
    }
}

/* Least columns of all that is shown: quicker than measuring. */
static size_t least_columns(const choice *c) {
    size_t columns = 0;
    for (uint32_t i = 0; i < c->n; i++)
        columns += c->groups[i].is_left_out ? 0 : c->groups[i].columns;
    return columns;
}

static bool choice_fits(choice *c, pen *p, ubi__path_fits *fits, size_t columns, unsigned lines) {
    if (least_columns(c) > columns * lines)
        return false;
    put_gaps(c, p);
    return fits(p, columns, lines);
}

/* The group to go next, or to come back first; NULL: none. Of equals, the one nearer the root goes first. */
static group *least_shown(choice *c) {
    group *least = NULL;
    for (uint32_t i = 0; i < c->n; i++)
        if (!c->groups[i].is_left_out && (!least || c->groups[i].worth < least->worth))
            least = &c->groups[i];
    return least;
}

static ubi__path_rank highest_left_out(const choice *c) {
    ubi__path_rank highest = c->always.begin < c->always.end ? UBI__RANK_PROGRAM : UBI__RANK_ENGINE;
    for (uint32_t i = 0; i < c->n; i++)
        if (c->groups[i].is_left_out && c->groups[i].rank > highest)
            highest = c->groups[i].rank;
    return highest;
}

static uint32_t count_names_shown(const choice *c) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->n; i++)
        n += c->groups[i].rank >= UBI__RANK_PROGRAM && !c->groups[i].is_left_out;
    return n;
}

/* Elements and entries, next to names; what is not the program's, once all of the program's is shown. */
static bool may_come_back(const choice *c, const group *g) {
    if (g->rank == UBI__RANK_UNNAMED)
        return c->n_names == 0 || count_names_shown(c) > 0;
    return highest_left_out(c) <= g->rank;
}

/* Removing a wide group may leave room for narrow ones removed before it. */
static void bring_back(choice *c, pen *p, ubi__path_fits *fits, size_t columns, unsigned lines) {
    for (int32_t below = INT32_MAX;;) {
        group *most = NULL;
        for (uint32_t i = 0; i < c->n; i++) {
            group *g = &c->groups[i];
            if (g->is_left_out && g->worth < below && (!most || g->worth >= most->worth))
                most = g;
        }
        if (!most)
            return;
        below = most->worth;
        if (most->rank < UBI__RANK_PROGRAM && !may_come_back(c, most))
            return;
        most->is_left_out = false;
        if (!choice_fits(c, p, fits, columns, lines))
            most->is_left_out = true;
    }
}

bool ubi__path_choose(choice *c, pen *p, ubi__fields *fields, ubi__path_fits *fits, size_t columns, unsigned lines) {
    p->n_gaps = 0;
    paths_collect(c, p, fields);
    path_rate(c);
    bool fit = choice_fits(c, p, fits, columns, lines);
    for (group *least = least_shown(c); !fit && least; least = least_shown(c)) {
        least->is_left_out = true;
        fit = choice_fits(c, p, fits, columns, lines);
    }
    if (fit)
        bring_back(c, p, fits, columns, lines);
    put_gaps(c, p);
    c->n_names_shown = count_names_shown(c);
    ubi__path_choice_check(c);
    ubi__path_pen_check(p);
    return fit;
}
