/* SPDX-License-Identifier: MIT
 *
 * node_label.h: what people call a node, and a stack frame.
 */
#ifndef UBI_RENDER_NODE_LABEL_H
#define UBI_RENDER_NODE_LABEL_H

#include <ubiheap/graph.h>

#include "render/display.h"

/** The name by which nodes of a kind are known: descriptive name, else class. NULL text when they have neither. */
ubi_text ubi__kind_name(const ubi_graph *graph, const ubi_kind *kind);
/** The best label there is: the name, else the script's file, else the type. Never NULL text. */
ubi_text ubi__kind_label(const ubi_graph *graph, const ubi_kind *kind);

/** "function  source:line:column" in at most `columns`; the source is cut first. Columns written. */
size_t ubi__display_frame(ubi__out *out, const ubi__style *style, const ubi_frame *frame, size_t columns);

#endif
