/* SPDX-License-Identifier: MIT
 *
 * kind_label.h: what nodes of a kind are called where a producer gave names: descriptive name (of DOM nodes, and of
 * what a constructor made), class (of objects), source file (of scripts), and else the engine's type.
 */
#ifndef UBI_LENSES_KIND_LABEL_H
#define UBI_LENSES_KIND_LABEL_H

#include <ubiheap/core/graph.h>

/** The name by which nodes of a kind are known: descriptive name, else class. NULL text when they have neither. */
ubi_text ubi__kind_name(const ubi_graph *graph, const ubi_kind *kind);
/** The best label there is: the name, else the script's file, else the type. Never NULL text. */
ubi_text ubi__kind_label(const ubi_graph *graph, const ubi_kind *kind);
/** The entry of the graph's string table that ubi__kind_label has the text of. */
ubi_str_ix ubi__kind_label_string(const ubi_kind *kind);

#endif
