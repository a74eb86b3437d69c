/* SPDX-License-Identifier: MIT
 *
 * fxs_words.c: what SpiderMonkey calls its types and fields, for formats that have sorts for them.
 *
 * Edges of JS::ubi have names and no kinds, so their names alone tell elements and fields of the engine from properties.
 */
#include <string.h>

#include "base/text.h"
#include "formats/fxsnapshot/fxs_reader.h"

const ubi__type_sort ubi__fxs_type_sorts[] = {
    { "JS::Symbol", UBI__SORT_SYMBOL },
    { "JS::BigInt", UBI__SORT_BIGINT },
    { "js::Shape", UBI__SORT_SHAPE },
    { "js::BaseShape", UBI__SORT_SHAPE },
    { "js::PropMap", UBI__SORT_SHAPE },
    { "js::GetterSetter", UBI__SORT_SHAPE },
    { "js::ObjectGroup", UBI__SORT_SHAPE },
    { "js::jit::JitCode", UBI__SORT_CODE },
    { NULL, UBI__SORT_OTHER },
};

/* "objectElements[12]" is how SpiderMonkey writes an index. */
static bool is_element(uint32_t *out, ubi_text name) {
    static const char prefix[] = "objectElements[";
    size_t n = sizeof prefix - 1;
    uint64_t value = 0;
    if (name.len < n + 2 || name.len > n + 11 || memcmp(name.ptr, prefix, n) != 0 || name.ptr[name.len - 1] != ']')
        return false;
    for (size_t i = n; i < name.len - 1; i++) {
        if (name.ptr[i] < '0' || name.ptr[i] > '9')
            return false;
        value = value * 10 + (uint64_t)(name.ptr[i] - '0');
    }
    *out = (uint32_t)value;
    return value <= UINT32_MAX;
}

/* SpiderMonkey's fields that could be properties by their looks; most others have a blank, a colon or a star in them. */
static bool is_field(ubi_text name) {
    static const char *const fields[] = { "shape",
                                          "script",
                                          "base",
                                          "function",
                                          "sourceObject",
                                          "enclosingScope",
                                          "script-gcthing",
                                          "propertymap",
                                          "propmap_key",
                                          "propmap_parent",
                                          "propmap_previous",
                                          "baseshape_global",
                                          "baseshape_proto",
                                          "gettersetter_getter",
                                          "gettersetter_setter",
                                          "enclosing_environment",
                                          "callee_slot",
                                          "cross-compartment wrapper target",
                                          "expando" };
    for (size_t i = 0; i < name.len; i++)
        if (name.ptr[i] && strchr(" :*[", name.ptr[i]))
            return true;
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (ubi__text_is(name, fields[i]))
            return true;
    return false;
}

const ubi__edge_names ubi__fxs_edge_names = { .is_element = is_element, .is_field = is_field };
