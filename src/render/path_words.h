/* SPDX-License-Identifier: MIT
 *
 * path_words.h: a path through a heap as people read it.
 *
 * All forms take the steps of ubi_paths_steps and the node where the last one ends. Memory is allocated only to find
 * out whose a function is; without memory it counts as the program's.
 * Cost: that of measuring every step a few times.
 *
 * What a node is to the one that holds it is words as well: "variable registry of add()", "property items of Store". The holder of a path's
 * i-th node is the nearest node before it that is not the engine's.
 */
#ifndef UBI_RENDER_PATH_WORDS_H
#define UBI_RENDER_PATH_WORDS_H

#include <ubiheap/core/paths.h>
#include <ubiheap/views/lens.h>

#include "render/display.h"
#include "render/heap_labels.h"

/** A path to show. Borrowed, all of it. */
typedef struct ubi__path_view {
    const ubi_graph *graph;
    const ubi_path_step *steps; /**< steps[n_steps] */
    uint32_t n_steps;           /**< 0: the target alone */
    ubi_node_ix target;
    const ubi_look *look; /**< source of node names; NULL: their kinds */
} ubi__path_view;

/** Each step's edge leads from its node to that of the next step, the last one to the target. O(n_steps). */
void ubi__path_view_check(const ubi__path_view *path);

/**
 * In one line and in words, such as
 *
 *     root → Window.store.maps.m → Map (value) → Object
 *
 * Properties and elements are written as in a script, one after the other where only a plain object or array is between
 * them; other edges are in parentheses if they say something. The engine's own nodes (shapes, scopes, ...) become one
 * such word. In V8's heaps
 *
 *     global.keepCacheAlive → add() (variable registry) → Map (entry) → LeakedThing
 *
 * begins where people start counting: at the global object, a window, the list of roots that a node is in, or a list of
 * timers. Steps that repeat, as in a linked list, are counted: ".next ×57". When room is short, a root that says
 * nothing of the program goes first, then the engine's words in parentheses, then steps that say nothing of the program
 * (path_choice.h), then the middle of long names, and only then names of the program: variables, the first name and
 * those nearest the target stay the longest. "…" marks what is missing; long gaps, and others where there is room,
 * count the nodes: "… 57 more …".
 *
 * @return columns written, at most `columns`. No newline.
 */
size_t ubi__display_path(ubi__out *out, const ubi__style *style, const ubi__path_view *path, size_t columns);

/** Room for a path of UBI__PATH_LINE_COLUMNS columns. */
#define UBI__PATH_LINE_BYTES 2048
#define UBI__PATH_LINE_COLUMNS 400
/** The same as a NUL-terminated text of at most `columns`, for documents; "" when there are no steps. */
void ubi__path_line(char out[UBI__PATH_LINE_BYTES], const ubi__path_view *path, size_t columns);

/**
 * The same on up to `lines` lines. The first line continues what was written so far, the others are indented by
 * `indent`; each has room for `columns`. Lines break between steps, or at a dot if a step alone is longer than a line.
 * Ends with a newline.
 */
void ubi__display_path_wrapped(ubi__out *out, const ubi__style *style, const ubi__path_view *path, size_t columns,
                               unsigned lines, size_t indent);

/** How much of a path to list. */
typedef struct ubi__path_list_options {
    uint32_t skip;  /**< leading steps that the reader knows already; at most n_steps */
    uint64_t limit; /**< most lines, without the middle; 0: all */
} ubi__path_list_options;

/**
 * Step by step and exactly: one line for the start and one per step, with the name of the edge, what it leads to and its id,
 * in columns. With `skip` > 0 the start and the first `skip` steps are not shown.
 */
void ubi__display_path_list(ubi__out *out, const ubi__style *style, const ubi__path_view *path,
                            const ubi__path_list_options *options);

/* ---- what a node is to the one that holds it -------------------------------------------------------------------- */

/** The i-th node of a path; its target for n_steps. */
static inline ubi_node_ix ubi__path_node(const ubi__path_view *path, uint32_t i) {
    return i < path->n_steps ? path->steps[i].predecessor : path->target;
}

/** Which node of the path holds the node after `n_to_node` (at least one) steps. */
uint32_t ubi__holder_of(const ubi__path_view *path, uint32_t n_to_node);
/** What it is to `holder`, which is the holder found above or any node before that. */
ubi__edge_words ubi__words_to_held(const ubi__path_view *path, uint32_t n_to_node, uint32_t holder);
/**
 * What the i-th node is called within a sentence, a function with its place: "add() (app.js:7)"; one without a name by the property that
 * holds it: "the function in onData (app.js:7)", "the listener for close (app.js:9)".
 */
void ubi__display_path_node(ubi__out *out, const ubi__style *style, const ubi__path_view *path, uint32_t i);
/** "variable registry of add() (app.js:7)", after `before`. False, with nothing written: it has no name. */
bool ubi__display_held(ubi__out *out, const ubi__style *style, const ubi__path_view *path, uint32_t n_to_node,
                       const char *before);
/** "server.js:12" of a function, or what is known about it, or "". Allocation failures count as unknown. */
void ubi__function_place(char out[UBI__FUNCTION_WORDS], const ubi_graph *graph, ubi_node_ix function);
/** " (server.js:12)" of a function whose place is known; else nothing. Allocation failures count as unknown. */
void ubi__display_function_place(ubi__out *out, const ubi__style *style, const ubi_graph *graph, ubi_node_ix function);

#endif
