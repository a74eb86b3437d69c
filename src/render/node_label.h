/* SPDX-License-Identifier: MIT
 *
 * node_label.h: what people call a node, and a stack frame.
 */
#ifndef UBI_RENDER_NODE_LABEL_H
#define UBI_RENDER_NODE_LABEL_H

#include <ubiheap/graph.h>

#include "lenses/kind_label.h"
#include "render/display.h"

/** "function  source:line:column" in at most `columns`; the source is cut first. Columns written. */
size_t ubi__display_frame(ubi__out *out, const ubi__style *style, const ubi_frame *frame, size_t columns);

#endif
