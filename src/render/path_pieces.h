/* SPDX-License-Identifier: MIT
 *
 * path_pieces.h: the pieces that a path in words is made of (path_words.h decides which of them fit).
 *
 * Each node of the path is a piece of text: an arrow, its label, and the words of the edge to the next node. A piece
 * may join the one before it, without arrow and label; that depends on the node and its two edges alone. A unit is
 * never split: a piece, the word for the engine's nodes after it, and how often both repeat.
 */
#ifndef UBI_RENDER_PATH_PIECES_H
#define UBI_RENDER_PATH_PIECES_H

#include "render/heap_labels.h"
#include "render/path_words.h"

/** What is shown besides nodes and properties; less when room is short. */
typedef enum ubi__path_detail {
    UBI__DETAIL_VARIABLES, /**< those that functions captured */
    UBI__DETAIL_ENGINE,    /**< words for the engine's nodes, such as "(getter)" */
    UBI__DETAIL_ALL        /**< and what edges are called */
} ubi__path_detail;

/** Nodes that are left out, whole units. */
typedef struct ubi__path_gap {
    uint32_t begin, end; /**< begin < end, the next unit shown */
} ubi__path_gap;

/** Writes, or only measures when `out` is NULL. */
typedef struct ubi__path_pen {
    ubi__out *out;
    const ubi__style *style;
    const ubi__path_view *path;
    ubi__path_start start;
    const ubi__path_gap *gaps; /**< gaps[n_gaps], borrowed, in the order of the path */
    uint32_t n_gaps;
    bool counts_gaps;    /**< short gaps, too, count the nodes they leave out */
    size_t part_columns; /**< of a label or the name of an edge, at most */
    ubi__path_detail detail;
    size_t columns; /**< so far */
} ubi__path_pen;

/** Gaps have nodes, are in order, do not touch, and leave the target. O(gaps). */
void ubi__path_pen_check(const ubi__path_pen *pen);

/**
 * The unit that begins with node `i`, or the gap if it begins there.
 * @return the node that the next unit begins with; n_steps + 1 after the last, the target.
 */
uint32_t ubi__path_draw_unit(ubi__path_pen *pen, uint32_t i);
/** Columns of it. `next` gets what drawing it returns. */
size_t ubi__path_unit_columns(const ubi__path_pen *pen, uint32_t i, uint32_t *next);
/** Extra columns of the unit after a gap, where it has nothing to join. */
size_t ubi__path_unjoined_columns(const ubi__path_pen *pen, uint32_t i);
/** Whether the unit begins without an arrow, and so without a space. */
bool ubi__path_unit_joins(const ubi__path_pen *pen, uint32_t i);
/** The piece after that of node `i`: the engine's nodes between them have none. */
uint32_t ubi__path_next_piece(const ubi__path_pen *pen, uint32_t i);
/** What follows the label of node `i`, which is not the target: `edge`, and `engine`, the word for engine nodes. */
void ubi__path_piece_words(ubi__edge_words *edge, ubi__edge_words *engine, const ubi__path_pen *pen, uint32_t i);

#endif
