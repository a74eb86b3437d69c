/* SPDX-License-Identifier: MIT
 *
 * v8_kinds.c: how V8's nodes are called in the terms of the graph.
 */
#include "formats/v8/v8_kinds.h"

#include "base/text.h"

static ubi_text without_prefix(ubi_text text, const char *prefix) {
    size_t n = ubi__text_begins(text, prefix) ? strlen(prefix) : 0;
    return (ubi_text){ text.ptr + n, text.len - n };
}

static bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* (HTML|SVG|MathML)\w*Element */
static bool is_element_interface(ubi_text name) {
    static const char *const families[] = { "HTML", "SVG", "MathML" };
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        ubi_text rest = without_prefix(name, families[i]);
        if (rest.len == name.len || rest.len < 7 || memcmp(rest.ptr + rest.len - 7, "Element", 7) != 0)
            continue;
        size_t at = 0;
        while (at < rest.len && is_word(rest.ptr[at]))
            at++;
        if (at == rest.len)
            return true;
    }
    return false;
}

bool ubi__v8_is_dom_name(ubi_text name) {
    static const char *const names[] = {
        "Text",       "Comment",      "Document",     "HTMLDocument",          "XMLDocument", "DocumentFragment",
        "ShadowRoot", "DocumentType", "CDATASection", "ProcessingInstruction", "Attr"
    };
    name = without_prefix(name, "Detached ");
    if (ubi__text_begins(name, "<"))
        return true;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (ubi__text_is(name, names[i]))
            return true;
    return is_element_interface(name);
}

ubi_text ubi__v8_class_part(ubi_text name, bool *cut) {
    size_t tag = ubi__text_begins(name, "Detached <") ? strlen("Detached ") : 0;
    *cut = false;
    if (!tag && !ubi__text_begins(name, "<"))
        return name;
    for (size_t i = tag; i < name.len; i++)
        if (name.ptr[i] == ' ') {
            *cut = true;
            return (ubi_text){ name.ptr, i };
        }
    return name;
}

static void name_object(ubi__v8_kind_names *out, ubi_text name) {
    out->coarse_type = ubi__text_begins(name, "system / ") ? UBI_COARSE_OTHER : UBI_COARSE_OBJECT;
    out->class_name = ubi__v8_class_part(name, &out->class_is_cut);
}

static void name_native(ubi__v8_kind_names *out, ubi_text name) {
    ubi_text class_name = ubi__v8_class_part(name, &out->class_is_cut);
    out->is_document = ubi__v8_is_dom_name(name);
    out->coarse_type = out->is_document ? UBI_COARSE_DOM_NODE : UBI_COARSE_OTHER;
    if (out->is_document)
        out->class_name = class_name;
    else if (!out->class_is_cut && class_name.len)
        out->type_name = class_name;
}

void ubi__v8_kind_names_of(ubi__v8_kind_names *out, ubi__v8_type type, ubi_text type_name, ubi_text name) {
    *out = (ubi__v8_kind_names){ .coarse_type = UBI_COARSE_OTHER, .type_name = type_name };
    switch (type) {
    case UBI__V8_OBJECT:
        name_object(out, name);
        break;
    case UBI__V8_CLOSURE:
        out->coarse_type = UBI_COARSE_OBJECT;
        out->class_name = ubi__text("Function");
        break;
    case UBI__V8_REGEXP:
        out->coarse_type = UBI_COARSE_OBJECT;
        out->class_name = ubi__text("RegExp");
        break;
    case UBI__V8_WASM_OBJECT:
        out->coarse_type = UBI_COARSE_OBJECT;
        out->class_name = name;
        break;
    case UBI__V8_STRING:
    case UBI__V8_CONS_STRING:
    case UBI__V8_SLICED_STRING:
        out->coarse_type = UBI_COARSE_STRING;
        break;
    case UBI__V8_CODE:
        out->coarse_type = UBI_COARSE_SCRIPT;
        if (ubi__text_begins(name, "system / ") || ubi__text_begins(name, "("))
            out->type_name = name;
        break;
    case UBI__V8_NATIVE:
        name_native(out, name);
        break;
    case UBI__V8_HIDDEN:
    case UBI__V8_ARRAY:
    case UBI__V8_OBJECT_SHAPE:
        if (name.len)
            out->type_name = name;
        break;
    default:
        break;
    }
}
