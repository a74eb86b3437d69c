/* SPDX-License-Identifier: MIT
 *
 * v8_kinds.h: V8's types and names as kinds of the graph (coarse type, type, class).
 */
#ifndef UBI_FORMATS_V8_KINDS_H
#define UBI_FORMATS_V8_KINDS_H

#include "formats/v8/v8_types.h"
#include "graph/graph_columns.h"

/** What nodes of a type and name are; texts borrowed from `name` or static. */
typedef struct ubi__v8_kind_names {
    ubi_coarse_type coarse_type;
    ubi_text type_name;
    ubi_text class_name; /* NULL text: none; before a cut, see class_is_cut */
    bool class_is_cut;   /* class_name needs a ">" after it: the tag of an element without its attributes */
    bool is_document;    /* of a document: the class is also the descriptive name */
} ubi__v8_kind_names;

/**
 * @param type_name  the file's, for types of a later V8.
 * Source: spec of the mapping in docs/formats/heapsnapshot.md.
 */
void ubi__v8_kind_names_of(ubi__v8_kind_names *out, ubi__v8_type type, ubi_text type_name, ubi_text name);

/** Whether a native node of this name is one of a document. */
bool ubi__v8_is_dom_name(ubi_text name);

/**
 * The part of a node name that is its class: all of it, or an element's tag, which needs a ">" after it (*cut).
 */
ubi_text ubi__v8_class_part(ubi_text name, bool *cut);

#endif
