/* SPDX-License-Identifier: MIT
 *
 * v8_save_edges.c: what edges become in a .heapsnapshot file: those of V8 what they were, others by their names.
 *
 *     no name                                       hidden, numbered by its place
 *     objectElements[12]                            element 12
 *     shape, JSFunction script, **SYMBOL KEY** ...  internal: what no property is called
 *     any other                                     property
 *
 * In a file of V8, edges of a type that nobody knows get one type of their own, "reference".
 *
 * DevTools make classes of plain objects from the names of their properties, so fields of an engine should be none.
 */
#include "base/text.h"
#include "formats/text_roles.h"
#include "formats/v8/v8_save.h"

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

/* An edge whose producer does not say what sort it is. */
static ubi_status label_reference(ubi__v8_save *s, ubi__v8_save_edge *out, ubi_str_ix name, uint64_t place) {
    ubi_text text = ubi__strtab_get(&s->graph->strings, name);
    if (name == UBI_NONE) {
        *out = (ubi__v8_save_edge){ UBI_EDGE_HIDDEN, (uint32_t)place };
        return UBI_OK;
    }
    out->kind = UBI_EDGE_ELEMENT;
    if (is_element(&out->label, text))
        return ubi__map_index(&out->label, s->options, out->label);
    out->kind = is_field(text) ? UBI_EDGE_INTERNAL : UBI_EDGE_PROPERTY;
    return ubi__v8_save_string(s, &out->label, UBI_TEXT_EDGE_NAME, name);
}

ubi_status ubi__v8_save_label(ubi__v8_save *s, ubi__v8_save_edge *out, ubi_edge_ix e, uint64_t place) {
    const ubi_graph *g = s->graph;
    ubi_edge_kind kind = ubi__graph_edge_kind(g, e);
    *out = (ubi__v8_save_edge){ kind, g->name.at[e] };
    if (kind == UBI_EDGE_ELEMENT)
        return ubi__map_index(&out->label, s->options, out->label);
    if (ubi__edge_kind_is_numbered(kind))
        return UBI_OK;
    if (kind == UBI_EDGE_REFERENCE && !s->has_other_edges)
        return label_reference(s, out, g->name.at[e], place);
    return ubi__v8_save_string(s, &out->label, ubi__edge_name_role(kind), g->name.at[e]);
}
