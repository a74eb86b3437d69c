/* SPDX-License-Identifier: MIT
 *
 * path_words.h: a path through a heap as people read it.
 *
 * All forms take the steps that ubi_paths_steps gives and the node that the last of them leads to. Memory is only asked for to
 * know whose a function is; where there is none, it counts as the program's.
 * Cost: that of measuring every step a few times.
 */
#ifndef UBI_RENDER_PATH_WORDS_H
#define UBI_RENDER_PATH_WORDS_H

#include <ubiheap/core/paths.h>
#include <ubiheap/views/lens.h>

#include "render/display.h"

/** A path to show. Borrowed, all of it. */
typedef struct ubi__path_view {
    const ubi_graph *graph;
    const ubi_path_step *steps; /**< steps[n_steps] */
    uint32_t n_steps;           /**< 0: the target alone */
    ubi_node_ix target;
    const ubi_look *look; /**< where nodes have their names from; NULL: from their kinds */
} ubi__path_view;

/**
 * In one line and in words, such as
 *
 *     root → Window.store.maps.m → Map (value) → Object
 *
 * Properties and elements stand as a script would write them, and follow each other where what lies between is a plain
 * object or array; other edges are told in parentheses when they say something. The engine's own nodes (shapes, scopes, ...)
 * become one such word. Of V8's heaps
 *
 *     global.keepCacheAlive → add() (variable registry) → Map (entry) → LeakedThing
 *
 * begins where people begin to count: at the global object, a window, the list of roots that a node is in, or a list of timers.
 * Steps that repeat, as in a linked list, are counted: ".next ×57". Where room is short, a root goes first that says nothing of
 * the program, then the engine's words in parentheses, then steps that say nothing of the program (path_choice.h), then the middle
 * of long names, and only then names of the program: variables, the first name and those nearest the target stay the longest.
 * "…" stands for what is missing; where there is room, and of long gaps, "… 57 more …" counts the nodes.
 *
 * @return columns written, at most `columns`. No newline.
 */
size_t ubi__display_path(ubi__out *out, const ubi__style *style, const ubi__path_view *path, size_t columns);

/**
 * The same on up to `lines` lines. The first line starts behind what was written so far, the others `indent` columns from the
 * left; each has room for `columns`. Lines end between steps; within one, at a dot, only where it is longer than a line. Ends with a
 * newline.
 */
void ubi__display_path_wrapped(ubi__out *out, const ubi__style *style, const ubi__path_view *path, size_t columns,
                               unsigned lines, size_t indent);

/** How much of a path to list. */
typedef struct ubi__path_list_options {
    uint32_t skip;  /**< steps at its start that the reader knows from elsewhere; at most n_steps */
    uint64_t limit; /**< lines at most, the middle being left out; 0: all */
} ubi__path_list_options;

/**
 * Step by step and exactly: one line for the start and one per step, with the name of the edge, what it leads to and its id,
 * in columns. With `skip` > 0 the start and the first `skip` steps are not shown.
 */
void ubi__display_path_list(ubi__out *out, const ubi__style *style, const ubi__path_view *path,
                            const ubi__path_list_options *options);

#endif
