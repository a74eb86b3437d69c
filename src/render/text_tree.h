/* SPDX-License-Identifier: MIT
 *
 * text_tree.h: a tree as rows of a table, walked depth first, without recursion.
 *
 *     641 KiB  (everything)                      641 KiB  (everything)
 *     328 KiB  ├─ objects                        328 KiB    objects
 *     135 KiB  │  ├─ Function                    135 KiB      Function
 *     193 KiB  │  └─ ... 31 more                 193 KiB      ... 31 more
 *             guides                                     indentation
 *
 * A level is a list of rows that the page knows by their index; how many of them are shown, and how many are not. The page
 * writes a row when it is asked to, and opens the level below it if there is one. When all rows of a level have been
 * written, the tree writes a line for those that are not shown and closes it. `next` of a level is past the row that is
 * being written, so a level is open, and has a guide, as long as anything of it is to come.
 */
#ifndef UBI_RENDER_TEXT_TREE_H
#define UBI_RENDER_TEXT_TREE_H

#include "base/alloc.h"
#include "render/text_table.h"

typedef struct ubi__text_tree_level {
    const void *rows;  /**< of the page; borrowed */
    void *owned;       /**< of the page, which frees it when the level is closed; or NULL */
    uint64_t first;    /**< of the page */
    size_t n_shown;    /**< rows that are written */
    size_t next;       /**< row to be written next */
    uint64_t n_hidden; /**< summed up in the line after the last row; 0: no such line */
    bool is_indented;  /**< deeper than the level above */
} ubi__text_tree_level;

UBI_VEC_DECLARE(ubi__text_tree_levels, ubi__text_tree_level);

typedef struct ubi__text_tree ubi__text_tree;

/** Callbacks of the page. All but `row` may be NULL. */
typedef struct ubi__text_tree_ops {
    /** Writes row `i` of the top level, and opens the level below it, if there is any. */
    ubi_status (*row)(void *payload, ubi__text_tree *tree, const ubi__text_tree_level *level, size_t i);
    /** Fills the initially empty cells[table->n] of the line for rows not shown. */
    void (*rest)(void *payload, const ubi__text_tree_level *level, ubi__cell *cells);
    /** After the last row of a level, and the line for the rest. */
    void (*end)(void *payload, const ubi__text_tree_level *level);
    /** Frees what a level owns; also after a failure. */
    void (*close)(void *payload, ubi__text_tree_level *level);
} ubi__text_tree_ops;

struct ubi__text_tree {
    const ubi__text_table *table; /**< NULL: the output is not text */
    const ubi__text_tree_ops *ops;
    void *payload;
    bool has_guides;              /**< else two spaces for a level */
    ubi__text_tree_levels levels; /**< open ones, the deepest last; owned */
    ubi__vec_u32 indented;        /**< those of `levels` that are indented; owned */
};

/** Opens a level below the last one. On failure the level is closed. Errors: UBI_ENOMEM. */
ubi_status ubi__text_tree_open(ubi__text_tree *tree, ubi__text_tree_level level);
/** Writes until no level is open, or until `*failed`: that of the output. */
ubi_status ubi__text_tree_walk(ubi__text_tree *tree, const bool *failed);
/** Closes what is open after a failure, and frees. */
void ubi__text_tree_fini(ubi__text_tree *tree);
/** Guides or spaces before the name of the current row: at most half of the name column. @return columns */
size_t ubi__text_tree_prefix(const ubi__text_tree *tree);
/** No level has written more rows than it shows, and `indented` names the indented levels in order. */
void ubi__text_tree_check(const ubi__text_tree *tree);

/** Spaces and an arrow before a function that calls the one above; nothing at depth 0. @return columns left of `room` for its name */
size_t ubi__text_table_caller(const ubi__text_table *table, uint32_t depth, size_t room);

#endif
