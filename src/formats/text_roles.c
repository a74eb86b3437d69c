/* SPDX-License-Identifier: MIT
 *
 * text_roles.c: see text_roles.h.
 */
#include "formats/text_roles.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/assert.h"
#include "base/text.h"
#include "formats/format.h"

ubi__node_sort ubi__type_sort_of(ubi_text type_name) {
    for (size_t i = 0; ubi__format_at(i); i++)
        for (const ubi__type_sort *row = ubi__format_at(i)->type_sorts; row && row->type_name; row++)
            if (ubi__text_is(type_name, row->type_name))
                return row->sort;
    return UBI__SORT_OTHER;
}

const ubi__edge_names *ubi__edge_names_of_references(void) {
    const ubi__edge_names *names = NULL;
    for (size_t i = 0; !names && ubi__format_at(i); i++)
        names = ubi__format_at(i)->edge_names;
    UBI_ASSERT(names && names->is_element && names->is_field);
    return names;
}

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

/* Below it map_text is not asked: nearly all elements of nearly all arrays. */
#define SMALL_INDICES 1000

ubi_status ubi__map_index(uint32_t *out, const ubi_save_options *options, uint32_t index) {
    char digits[16];
    ubi_text mapped = { NULL, 0 };
    uint64_t value = 0;
    _Static_assert(sizeof digits > sizeof "4294967295", "any index fits");
    *out = index;
    if (!options->map_text || index < SMALL_INDICES)
        return UBI_OK;
    int n = snprintf(digits, sizeof digits, "%" PRIu32, index);
    UBI_TRY(options->map_text(options->map_text_payload, UBI_TEXT_INDEX, (ubi_text){ digits, (size_t)n }, &mapped));
    bool is_number = mapped.len > 0 && mapped.len <= 10;
    for (size_t i = 0; is_number && i < mapped.len; i++) {
        is_number = mapped.ptr[i] >= '0' && mapped.ptr[i] <= '9';
        value = value * 10 + (uint64_t)(mapped.ptr[i] - '0');
    }
    if (is_number && value <= UINT32_MAX)
        *out = (uint32_t)value;
    return UBI_OK;
}
