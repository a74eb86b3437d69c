/* SPDX-License-Identifier: MIT
 *
 * path_choice.h: which units of a path (path_pieces.h) are left out where it does not fit.
 *
 * By rank, lowest first: no name of the program is left out while a step of the engine's or the runtime's is shown.
 * Among units of one rank those near the target stay the longest; variables, and the first name on the path, stay longer than
 * their place would let them.
 *
 * A rank says whose names a piece says, so that those of the program can stay the longest.
 */
#ifndef UBI_RENDER_PATH_CHOICE_H
#define UBI_RENDER_PATH_CHOICE_H

#include "render/path_pieces.h"

/* ---- ranks ------------------------------------------------------------------------------------------------------ */

/**
 * The highest rank of a piece in the unit from node `i` to before node `next`.
 * @param fields  of the graph. Allocation failures leave a function's owner unknown.
 */
ubi__path_rank ubi__path_unit_rank(const ubi__path_pen *pen, ubi__fields *fields, uint32_t i, uint32_t next);

/** Whether a global object's edge holds something of the runtime's own, such as Node.js. */
bool ubi__edge_is_of_runtime(const ubi_graph *graph, ubi_edge_ix edge);
/** Whether a path, target included, has only roots and engine nodes: no program can release that. */
bool ubi__path_is_of_engine(const ubi__path_view *path, ubi__fields *fields);

/* ---- the choice ------------------------------------------------------------------------------------------------- */

/* Longer paths always leave out units in the middle. */
#define UBI__PATH_FIRST_UNITS 32
#define UBI__PATH_LAST_UNITS 96
#define UBI__PATH_UNITS (UBI__PATH_FIRST_UNITS + UBI__PATH_LAST_UNITS)

/** A unit, or several that are left out together. */
typedef struct ubi__path_group {
    uint32_t begin, end;     /**< nodes; `end` begins the next unit */
    uint32_t columns, extra; /**< `extra`: how many more after a gap */
    uint32_t n_glued;        /**< units after the first */
    ubi__path_rank rank;
    int32_t worth; /**< the least goes first */
    bool is_left_out;
} ubi__path_group;

/** The choice, and the gaps that the pen gets. */
typedef struct ubi__path_choice {
    ubi__path_group groups[UBI__PATH_UNITS];
    uint32_t n;
    ubi__path_gap always; /**< always left out; empty for short paths */
    ubi__path_gap gaps[UBI__PATH_UNITS + 1];
    uint32_t n_names, n_names_shown; /**< groups with a name of the program, and how many of them are shown */
} ubi__path_choice;

/** Groups follow each other without a hole, except the one that is always left out. O(groups). */
void ubi__path_choice_check(const ubi__path_choice *choice);

/** Whether what the pen draws fits. */
typedef bool ubi__path_fits(const ubi__path_pen *pen, size_t columns, unsigned lines);

/**
 * Makes the path fit `lines` lines of `columns` each by giving the pen gaps. The target is always shown.
 * @param choice  must live as long as the pen is used.
 * @return false: not even the target fits. Cost: all units are measured once, those of the choice several times.
 */
bool ubi__path_choose(ubi__path_choice *choice, ubi__path_pen *pen, ubi__fields *fields, ubi__path_fits *fits,
                      size_t columns, unsigned lines);

#endif
