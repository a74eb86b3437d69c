/* SPDX-License-Identifier: MIT
 *
 * kind_label.c: what nodes of a kind are called.
 */
#include "lenses/kind_label.h"

static ubi_str_ix name_string(const ubi_kind *kind) {
    return kind->descriptive_name != UBI_NONE ? kind->descriptive_name : kind->class_name;
}

ubi_str_ix ubi__kind_label_string(const ubi_kind *kind) {
    ubi_str_ix name = name_string(kind);
    if (name != UBI_NONE)
        return name;
    return kind->script_filename != UBI_NONE ? kind->script_filename : kind->type_name;
}

ubi_text ubi__kind_name(const ubi_graph *graph, const ubi_kind *kind) {
    return ubi_graph_string(graph, name_string(kind));
}

ubi_text ubi__kind_label(const ubi_graph *graph, const ubi_kind *kind) {
    return ubi_graph_string(graph, ubi__kind_label_string(kind));
}
