/* SPDX-License-Identifier: MIT
 *
 * function_names.h: what a function is called.
 *
 * Read from structures: no getter runs, nothing is allocated on the heap.
 */
#ifndef UBI_QUICKJS_FUNCTION_NAMES_H
#define UBI_QUICKJS_FUNCTION_NAMES_H

#include "engines/quickjs/adapter/facts.h"

/** At most one of the two. Neither: the function has no name. The atom of a whole script is JS_ATOM__eval_. */
typedef struct ubi__function_name {
    JSAtom atom;            /* as the source gives it; JS_ATOM_NULL: not there */
    const JSString *string; /* what the function's own property `name` holds; NULL: not there */
} ubi__function_name;

/* What the property `name` of a function says, if it is a plain string. */
static const JSString *ubi__own_name(JSObject *function) {
    JSProperty *property;
    if (!function->shape) /* it is being freed */
        return NULL;
    JSShapeProperty *shape_property = find_own_property(&property, function, JS_ATOM_name);
    if (!shape_property || (shape_property->flags & JS_PROP_TMASK) != JS_PROP_NORMAL ||
        JS_VALUE_GET_TAG(property->u.value) != JS_TAG_STRING)
        return NULL;
    const JSString *name = JS_VALUE_GET_STRING(property->u.value);
    return name->len ? name : NULL;
}

/** The name in the source goes first, for a script cannot change it. */
static ubi__function_name ubi__name_of_function(JSObject *function) {
    const JSFunctionBytecode *b = ubi__bytecode_of(function);
    if (b && b->func_name != JS_ATOM_NULL && b->func_name != JS_ATOM_empty_string)
        return (ubi__function_name){ b->func_name, NULL };
    return (ubi__function_name){ JS_ATOM_NULL, ubi__own_name(function) };
}

#endif
