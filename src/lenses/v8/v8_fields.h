/* SPDX-License-Identifier: MIT
 *
 * v8_fields.h: what rules ask of V8's nodes: their fields, places in the code, words for functions.
 */
#ifndef UBI_LENSES_V8_FIELDS_H
#define UBI_LENSES_V8_FIELDS_H

#include "base/text.h"
#include "formats/v8/v8_facts.h"
#include "graph/graph_columns.h"
#include "lenses/lens.h"
#include "lenses/words.h"

/** Whether the edge is of this kind and called so. */
static inline bool ubi__v8_edge_is(const ubi_graph *g, ubi_edge_ix e, ubi_edge_kind kind, const char *name) {
    return ubi__graph_edge_kind(g, e) == kind && ubi__text_is(ubi_graph_string(g, g->name.at[e]), name);
}

typedef enum ubi__v8_field_name {
    UBI__FIELD_CONTEXT,
    UBI__FIELD_PREVIOUS,
    UBI__FIELD_SHARED,
    UBI__FIELD_SCRIPT,
    UBI__FIELD_SCRIPT_OR_DEBUG_INFO,
    UBI__FIELD_SCOPE_INFO,
    UBI__FIELD_NAME_OR_SCOPE_INFO, /**< of code that was compiled, that of the scope of a call */
    UBI__FIELD_SCOPE_ID,
    UBI__FIELD_VALUE,
    UBI__FIELD_TABLE,
    UBI__FIELD_ELEMENTS,
    UBI__FIELD_PROTOTYPE,    /**< the property `__proto__` */
    UBI__FIELD_CONSTRUCTOR,  /**< a property */
    UBI__FIELD_ON_TIMEOUT,   /**< a property */
    UBI__FIELD_ON_IMMEDIATE, /**< a property */
    UBI__FIELD_CALLBACK,     /**< a property: what a listener of an EventTarget calls */
    UBI__FIELD_IDLE_NEXT,    /**< a property: the next timer of a ring */
    UBI__FIELD_REPEAT,       /**< a property: milliseconds between the calls of a timer */
    UBI__FIELD_BOUND_FUNCTION,
    UBI__FIELD_WEAK_TARGET, /**< of a WeakRef */
    UBI__FIELD_REACTIONS,   /**< of a promise; of one that is settled, its result */
    UBI__FIELD_EXTENSION,
    UBI__FIELD_FUNCTION,
    UBI__FIELD_FILENAME,      /**< a property */
    UBI__FIELD_SOCKET_HANDLE, /**< a property of a symbol */
    UBI__FIELD_CURRENT,       /**< a property of fibers of React; so are those below */
    UBI__FIELD_CHILD,
    UBI__FIELD_SIBLING,
    UBI__FIELD_ALTERNATE,
    UBI__FIELD_TYPE,
    UBI__FIELD_MEMOIZED_STATE,
    UBI__FIELD_COUNT
} ubi__v8_field_name;

/**
 * Target of the first edge of that name, or UBI_NONE; of UBI_NONE, UBI_NONE.
 * Cost: O(edges of the node) the first time, then O(1). Memory: 24 to 48 bytes for each wide node and name.
 */
ubi_node_ix ubi__v8_field(ubi__fields *fields, ubi_node_ix node, ubi__v8_field_name name);
/** The whole number that an internal edge of an array is called by; false: it has another name. */
bool ubi__v8_slot(uint32_t *out, const ubi_graph *g, ubi_edge_ix e);
/** The number that a node of a value says (an internal field of that name leads to it). False: there is none. */
bool ubi__v8_number_field(int64_t *out, ubi__fields *fields, ubi_node_ix node, ubi__v8_field_name name);

/** Whether a node of V8 is a concatenation of two other texts. False for graphs of other producers. O(1). */
bool ubi__v8_is_rope(const ubi_graph *g, ubi_node_ix node);

/**
 * The function whose code a node stands for: itself, of a bound function the one it calls, of a timer of Node.js its callback.
 * UBI_NONE: it stands for none. O(1): such nodes have few edges.
 */
ubi_node_ix ubi__v8_code_of(const ubi_look *look, ubi_node_ix node);
/** The place of that code as one number, equal for equal places (hashed); 0: unknown. Cost: O(log locations). */
uint64_t ubi__v8_code_site(const ubi_look *look, ubi_node_ix node);
/** "app.js:12" of a closure, or as much of it as is known, "" at least; a file "index.js" with its folder. */
void ubi__v8_function_place(char out[UBI__FUNCTION_WORDS], const ubi__v8_facts *facts, ubi__fields *fields,
                            ubi_node_ix closure);
/** "handler() (app.js:12)" of a closure, or as much of it as is known. At most UBI__FUNCTION_WORDS bytes. */
void ubi__v8_function_words(char out[UBI__FUNCTION_WORDS], const ubi__v8_facts *facts, ubi__fields *fields,
                            ubi_node_ix closure);
/** "app.js" of a closure, "" where it is unknown. */
void ubi__v8_file_of(char out[UBI__FUNCTION_WORDS], ubi__fields *fields, ubi_node_ix closure);
/** At most `max` bytes, whole characters, an ellipsis where something is missing. */
void ubi__v8_shorten(char *out, size_t room, ubi_text text, size_t max);
/** The script that a closure's code is in, or UBI_NONE. */
ubi_node_ix ubi__v8_script_of(ubi__fields *fields, ubi_node_ix closure);
/** Whether a script of this name is a part of Node.js or the browser themselves. */
bool ubi__v8_file_is_of_runtime(ubi_text name);
/** Whether a closure is code of Node.js or the browser themselves. */
bool ubi__v8_is_of_runtime(ubi__fields *fields, ubi_node_ix closure);

#endif
