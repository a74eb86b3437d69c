/* SPDX-License-Identifier: MIT
 *
 * flame_graph.h: a tree of functions drawn as boxes whose widths are what they have: as lines of text, and as SVG.
 *
 * The outermost function is on top, what it called below it, the largest first. What a function has beside what it called is the
 * empty part below its right end.
 *
 * Of two recordings, boxes are as wide as what both have together; they are red where the newer one has more, blue where it has less,
 * the more so the larger the part that changed, and their numbers are the changes.
 */
#ifndef UBI_RENDER_FLAME_GRAPH_H
#define UBI_RENDER_FLAME_GRAPH_H

#include "recording/flame_tree.h"
#include "render/display.h"

/** What is drawn; borrowed, all of it. */
typedef struct ubi__flame_picture {
    const ubi__flame_tree *tree;
    const char *title, *subtitle; /* UTF-8 of anyone's; made safe here */
    bool is_count;                /* of allocations, not bytes */
} ubi__flame_picture;

/**
 * In the style's columns, at most `most_lines` levels; 0: all. A function narrower than half a column is not drawn, nor are
 * levels where none has room for a name.
 * @param n_levels  out: how many were drawn. Errors: UBI_ENOMEM; refused writes stick in the output.
 * Cost: O(columns + children of what is drawn) per level.
 */
ubi_status ubi__render_flame_text(ubi__out *out, const ubi__style *style, const ubi__flame_picture *picture,
                                  uint64_t most_lines, uint32_t *n_levels);

/**
 * A picture that needs nothing else: each box has a tooltip; a click shows it and what it called alone, and a search marks functions
 * and says what they have together. Without scripts it is a picture. Functions narrower than a twentieth of a pixel are left out.
 * Errors: UBI_EIO, UBI_ENOMEM.
 */
ubi_status ubi__render_flame_svg(ubi_write_fn write, void *payload, const ubi__flame_picture *picture,
                                 const ubi_allocator *allocator);

/** The same for the same name, always: which of several colours it has. */
uint32_t ubi__flame_hue(ubi_text name);

#endif
