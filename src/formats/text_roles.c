/* SPDX-License-Identifier: MIT
 *
 * text_roles.c: see text_roles.h.
 */
#include "formats/text_roles.h"

#include "base/text.h"

/* Objects are called by their class, functions by their name; a regular expression is its source. */
static ubi_text_role role_of_object(ubi_text class_name) {
    if (ubi__text_is(class_name, "Function"))
        return UBI_TEXT_FRAME_FUNCTION;
    return ubi__text_is(class_name, "RegExp") ? UBI_TEXT_STRING : UBI_TEXT_CLASS_NAME;
}

ubi_text_role ubi__node_name_role(const ubi_graph *graph, const ubi_kind *kind) {
    if (kind->coarse_type == UBI_COARSE_STRING)
        return UBI_TEXT_STRING;
    if (kind->coarse_type == UBI_COARSE_OBJECT)
        return role_of_object(ubi__strtab_get(&graph->strings, kind->class_name));
    return UBI_TEXT_NODE_NAME;
}
