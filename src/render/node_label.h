/* SPDX-License-Identifier: MIT
 *
 * node_label.h: what people call a node, and a stack frame.
 */
#ifndef UBI_RENDER_NODE_LABEL_H
#define UBI_RENDER_NODE_LABEL_H

#include <ubiheap/core/graph.h>
#include <ubiheap/views/lens.h>

#include "lenses/kind_label.h"
#include "render/display.h"

/**
 * A name for one node among others: "root"; where the producer knows each node by name, that name, with the marks that scripts
 * would write: add(), "text", /expression/; elsewhere the label of its kind.
 * @param look    NULL: by kind only. Borrowed.
 * @param buffer  the answer may be in it.
 * @return never empty.
 */
ubi_text ubi__node_title(const ubi_graph *graph, const ubi_look *look, ubi_node_ix node, ubi_look_name_buffer *buffer);

/** "function  source:line:column", without column if 0, in at most `columns`; cuts the source first. Columns
 * written. */
size_t ubi__display_frame(ubi__out *out, const ubi__style *style, const ubi_frame *frame, size_t columns);

#endif
