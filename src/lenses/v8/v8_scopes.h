/* SPDX-License-Identifier: MIT
 *
 * v8_scopes.h: whether a variable that functions captured is still read by anything (files of Chromium 156 and later).
 *
 * A file with scopes says of every scope which variables of which scopes its code uses. A function that lives can run its own
 * code and that of functions within it, so a variable of a context is in use if a live function that reaches that context is
 * a scope that uses the variable, or encloses one.
 */
#ifndef UBI_LENSES_V8_SCOPES_H
#define UBI_LENSES_V8_SCOPES_H

#include "formats/v8/v8_facts.h"

/** Scopes of functions that are alive and reach one context. Ascending. */
UBI_VEC_DECLARE(ubi__vec_v8_scope_id, int64_t);

typedef enum ubi__v8_use { UBI__USE_UNKNOWN, UBI__USE_READ, UBI__USE_NONE } ubi__v8_use;

/** A variable of a context. */
typedef struct ubi__v8_variable {
    ubi_node_ix script; /* where its scope is */
    int64_t scope_id;
    ubi_str_ix name;
} ubi__v8_variable;

/**
 * @param live  sorted scope ids of live functions of the same script.
 * Cost: O(scopes of the file * log live + uses). UNKNOWN: the file does not say.
 */
ubi__v8_use ubi__v8_variable_use(const ubi__v8_facts *facts, const ubi_graph *g, const ubi__v8_variable *variable,
                                 const ubi__vec_v8_scope_id *live);

#endif
