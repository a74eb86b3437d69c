/* SPDX-License-Identifier: MIT
 *
 * v8_types.h: V8's node types under fixed numbers (ubi_kind.raw_type), whatever numbers a file gives them, and as kinds of the
 * graph (coarse type, type, class).
 */
#ifndef UBI_FORMATS_V8_TYPES_H
#define UBI_FORMATS_V8_TYPES_H

#include <ubiheap/core/base.h>

#include "graph/graph_columns.h"

typedef enum ubi__v8_type {
    UBI__V8_NONE = 0, /* not from V8 */
    UBI__V8_HIDDEN,
    UBI__V8_ARRAY,
    UBI__V8_STRING,
    UBI__V8_OBJECT,
    UBI__V8_CODE,
    UBI__V8_CLOSURE,
    UBI__V8_REGEXP,
    UBI__V8_NUMBER,
    UBI__V8_NATIVE,
    UBI__V8_SYNTHETIC,
    UBI__V8_CONS_STRING,
    UBI__V8_SLICED_STRING,
    UBI__V8_SYMBOL,
    UBI__V8_BIGINT,
    UBI__V8_OBJECT_SHAPE,
    UBI__V8_WASM_OBJECT,
    UBI__V8_OTHER /* a type of a later V8; the kind's type_name has its name */
} ubi__v8_type;

#define UBI__V8_TYPE_COUNT (UBI__V8_OTHER + 1)

/** The end of the name of an edge by which DevTools, or a program that drives by their protocol, hold an object. */
#define UBI__V8_CONSOLE_ENDING " / DevTools console"

/** As files name it, such as "concatenated string"; "" for NONE and OTHER. Static. */
const char *ubi__v8_type_name(ubi__v8_type type);
/** OTHER for unknown names. */
ubi__v8_type ubi__v8_type_of(ubi_text name);

/* ---- as kinds of the graph ---------------------------------------------------------------------------------------- */

/** What nodes of a type and name are; texts borrowed from `name` or static. */
typedef struct ubi__v8_kind_names {
    ubi_coarse_type coarse_type;
    ubi_text type_name;
    ubi_text class_name; /* NULL text: none; before a cut, see is_class_cut */
    bool is_class_cut;   /* class_name needs a ">" after it: the tag of an element without its attributes */
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
