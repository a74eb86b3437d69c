/* SPDX-License-Identifier: MIT
 *
 * v8_save_kinds.c: what nodes and edges become in a .heapsnapshot file: those of V8 what they were, others what comes nearest.
 *
 *     Firefox, or any heap                  type            name
 *     the root                              synthetic       ""
 *     String                                string          the engine's type
 *     Object                                object          the class, else the engine's type
 *     Script                                code            the file, else the engine's type
 *     DOMNode                               native          <DIV>; Text, Comment, Document, DocumentFragment for #text ...
 *     JS::Symbol, JS::BigInt, js::Shape ... symbol, bigint, object shape; of JavaScriptCore Structure ... as well
 *     "system / Map" and the like           hidden          as it is: a V8 heap that came through Firefox's format
 *     other                                 native          the engine's type
 *
 * A type that is called as one of V8's is that one. Only "hidden" and "array" would make DevTools add their sizes to those of
 * their owners, so nothing foreign becomes one.
 *
 *     an edge with                                  becomes
 *     no name                                       hidden, numbered by its place
 *     objectElements[12]                            element 12
 *     shape, JSFunction script, **SYMBOL KEY** ...  internal: what no property is called
 *     any other                                     property
 *
 * In a file of V8, edges of a type that is unknown get one type of their own, "reference".
 *
 * DevTools make classes of plain objects from the names of their properties, so fields of an engine must not be properties.
 */
#include "base/text.h"
#include "formats/text_roles.h"
#include "formats/v8/v8_saver.h"
#include "formats/v8/v8_types.h"

/* ---- types ------------------------------------------------------------------------------------------------------ */

static ubi_text text_of(const ubi__v8_save *s, ubi_str_ix entry) {
    return ubi__strtab_get(&s->graph->strings, entry);
}

static ubi__v8_type type_of_other(ubi_text type_name) {
    static const ubi__v8_type types[] = {
        [UBI__SORT_OTHER] = UBI__V8_NATIVE,  [UBI__SORT_SYMBOL] = UBI__V8_SYMBOL,
        [UBI__SORT_BIGINT] = UBI__V8_BIGINT, [UBI__SORT_SHAPE] = UBI__V8_OBJECT_SHAPE,
        [UBI__SORT_CODE] = UBI__V8_CODE,
    };
    static const char system[] = "system / ";
    bool is_system = type_name.len >= sizeof system - 1 && memcmp(type_name.ptr, system, sizeof system - 1) == 0;
    return is_system ? UBI__V8_HIDDEN : types[ubi__type_sort_of(type_name)];
}

static ubi__v8_type foreign_type(const ubi__v8_save *s, const ubi_kind *kind) {
    ubi_text type_name = text_of(s, kind->type_name);
    ubi__v8_type named = ubi__v8_type_of(type_name);
    if (named != UBI__V8_OTHER)
        return named;
    switch (kind->coarse_type) {
    case UBI_COARSE_OBJECT:
        return UBI__V8_OBJECT;
    case UBI_COARSE_SCRIPT:
        return UBI__V8_CODE;
    case UBI_COARSE_STRING:
        return UBI__V8_STRING;
    case UBI_COARSE_DOM_NODE:
        return UBI__V8_NATIVE;
    default:
        return type_of_other(type_name);
    }
}

/* Types of a later V8 have their names in the graph; they are few. */
static ubi_status extra_type(ubi__v8_save *s, uint32_t *out, ubi_str_ix name) {
    ubi_str_ix canonical = ubi__strtab_canonical(&s->graph->strings, name);
    size_t i = 0;
    while (i < s->extra_types.n && s->extra_types.at[i].name != canonical)
        i++;
    if (i == s->extra_types.n)
        UBI_TRY(ubi__vec_v8_save_type_push(&s->extra_types, s->allocator, (ubi__v8_save_type){ canonical }));
    *out = UBI__V8_WASM_OBJECT - UBI__V8_HIDDEN + s->has_wasm_objects + (uint32_t)i;
    return UBI_OK;
}

static ubi__v8_type type_of_kind(const ubi__v8_save *s, const ubi_kind *kind) {
    uint8_t raw_type = ubi__v8_save_raw_type(s, kind);
    return raw_type ? (ubi__v8_type)raw_type : foreign_type(s, kind);
}

/* Only V8 11.3 has them; other files do without the type, unless a node has it. */
static bool any_wasm_object(const ubi__v8_save *s) {
    bool any = false;
    for (size_t i = 0; !any && i < s->graph->kinds.rows.n; i++)
        any = type_of_kind(s, &s->graph->kinds.rows.at[i]) == UBI__V8_WASM_OBJECT;
    return any;
}

ubi_status ubi__v8_save_find_kinds(ubi__v8_save *s) {
    const ubi__kinds *kinds = &s->graph->kinds;
    s->has_wasm_objects = any_wasm_object(s);
    s->kinds = ubi__alloc_array(s->allocator, kinds->rows.n, sizeof *s->kinds);
    if (!s->kinds)
        return ubi__fail_nomem();
    for (size_t i = 0; i < kinds->rows.n; i++) {
        const ubi_kind *kind = &kinds->rows.at[i];
        ubi__v8_save_kind *out = &s->kinds[i];
        ubi__v8_type type = type_of_kind(s, kind);
        *out = (ubi__v8_save_kind){ (uint32_t)type - UBI__V8_HIDDEN, ubi__node_name_role(s->graph, kind), UBI_NONE };
        if (type == UBI__V8_OTHER)
            UBI_TRY(extra_type(s, &out->type, kind->type_name));
    }
    return UBI_OK;
}

/* ---- names of nodes that have none ------------------------------------------------------------------------------ */

static ubi_status add_scratch(ubi__v8_save *s, const char *text, size_t n) {
    UBI_TRY(ubi__vec_u8_reserve(&s->scratch, s->allocator, n));
    if (n)
        memcpy(s->scratch.at + s->scratch.n, text, n);
    s->scratch.n += n;
    return UBI_OK;
}

static ubi_status add_mapped(ubi__v8_save *s, ubi_text_role role, ubi_str_ix entry) {
    ubi_text text;
    UBI_TRY(ubi__v8_save_map(s, &text, role, text_of(s, entry)));
    return add_scratch(s, text.ptr, text.len);
}

/* "#text" is "Text", "DIV" is "<DIV>"; what V8 calls so itself stays. */
static ubi_status add_dom_name(ubi__v8_save *s, ubi_str_ix entry) {
    static const struct {
        const char *dom, *v8;
    } known[] = { { "#text", "Text" },
                  { "#comment", "Comment" },
                  { "#document", "Document" },
                  { "#document-fragment", "DocumentFragment" },
                  { "#shadow-root", "ShadowRoot" },
                  { "#cdata-section", "CDATASection" } };
    ubi_text name = text_of(s, entry);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (ubi__text_is(name, known[i].dom))
            return add_scratch(s, known[i].v8, strlen(known[i].v8));
    if (ubi__v8_is_dom_name(name))
        return add_mapped(s, UBI_TEXT_DESCRIPTIVE_NAME, entry);
    UBI_TRY(add_scratch(s, "<", 1));
    UBI_TRY(add_mapped(s, UBI_TEXT_DESCRIPTIVE_NAME, entry));
    return add_scratch(s, ">", 1);
}

static ubi_status add_name(ubi__v8_save *s, const ubi_kind *kind) {
    if (kind->coarse_type == UBI_COARSE_DOM_NODE && kind->descriptive_name != UBI_NONE)
        return add_dom_name(s, kind->descriptive_name);
    if (kind->coarse_type == UBI_COARSE_SCRIPT && kind->script_filename != UBI_NONE)
        return add_mapped(s, UBI_TEXT_SCRIPT_FILENAME, kind->script_filename);
    if (kind->coarse_type == UBI_COARSE_OBJECT && kind->descriptive_name != UBI_NONE) /* V8 names objects so too */
        return add_mapped(s, UBI_TEXT_DESCRIPTIVE_NAME, kind->descriptive_name);
    if (kind->class_name != UBI_NONE)
        return add_mapped(s, UBI_TEXT_CLASS_NAME, kind->class_name);
    return add_mapped(s, UBI_TEXT_TYPE_NAME, kind->type_name);
}

ubi_status ubi__v8_save_kind_name(ubi__v8_save *s, uint32_t *out, ubi_kind_ix kind) {
    uint32_t *name = &s->kinds[kind].name;
    if (*name == UBI_NONE) {
        s->scratch.n = 0;
        UBI_TRY(add_name(s, &s->graph->kinds.rows.at[kind]));
        UBI_TRY(ubi__v8_save_own_string(s, name, (ubi_text){ (const char *)s->scratch.at, s->scratch.n }));
    }
    *out = *name;
    return UBI_OK;
}

/* ---- edges -------------------------------------------------------------------------------------------------------- */

/* An edge whose producer does not say what sort it is. */
static ubi_status label_reference(ubi__v8_save *s, ubi__v8_save_edge *out, ubi_str_ix name, uint64_t place) {
    ubi_text text = ubi__strtab_get(&s->graph->strings, name);
    if (name == UBI_NONE) {
        *out = (ubi__v8_save_edge){ UBI_EDGE_HIDDEN, (uint32_t)place };
        return UBI_OK;
    }
    out->kind = UBI_EDGE_ELEMENT;
    if (s->edge_names->is_element(&out->label, text))
        return ubi__map_index(&out->label, s->options, out->label);
    out->kind = s->edge_names->is_field(text) ? UBI_EDGE_INTERNAL : UBI_EDGE_PROPERTY;
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
