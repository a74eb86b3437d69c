/* SPDX-License-Identifier: MIT
 *
 * v8_kinds.c: how V8's nodes are called in the terms of the graph, and the kind of every node of a file.
 */
#include "formats/v8/v8_types.h"

#include <string.h>

#include "base/assert.h"
#include "base/text.h"
#include "formats/v8/v8_reader.h"

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
    out->class_name = ubi__v8_class_part(name, &out->is_class_cut);
}

static void name_native(ubi__v8_kind_names *out, ubi_text name) {
    ubi_text class_name = ubi__v8_class_part(name, &out->is_class_cut);
    out->is_document = ubi__v8_is_dom_name(name);
    out->coarse_type = out->is_document ? UBI_COARSE_DOM_NODE : UBI_COARSE_OTHER;
    if (out->is_document)
        out->class_name = class_name;
    else if (!out->is_class_cut && class_name.len)
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

/* ---- of the nodes of a file --------------------------------------------------------------------------------------- */

/*
 * Nodes of some types are all alike. For the others the kind depends on the name, and a name (an entry of the string table)
 * nearly always belongs to nodes of one type: so each name has a list of the kinds it led to, which is one or two long.
 */

/* A kind that a name led to. `key` is what the column of kinds held: type and detachedness. */
typedef struct variant {
    uint32_t key, next;
    ubi_kind_ix kind;
} variant;

UBI_VEC_DECLARE(vec_variant, variant);

#define N_KEYS (3 << 8) /* states of detachedness by types */
_Static_assert(N_KEYS == (UBI_DETACHED + 1) << 8, "v8_rows.c makes no larger key");
_Static_assert(UBI__V8_MAX_TYPES < 1 << 8, "a type is the lowest byte of a key");

typedef struct finder {
    ubi__v8_reader *r;
    ubi_graph *g;
    uint32_t *head; /* by name: its first variant */
    vec_variant variants;
    ubi_kind_ix plain[N_KEYS];               /* by key, of types whose names do not matter */
    ubi_str_ix type_name[UBI__V8_MAX_TYPES]; /* in the graph's table, once it is used */
    ubi_str_ix constant[UBI__V8_TYPE_COUNT]; /* the class name of closures and the like */
} finder;

static bool name_matters(ubi__v8_type type) {
    switch (type) {
    case UBI__V8_OBJECT:
    case UBI__V8_WASM_OBJECT:
    case UBI__V8_CODE:
    case UBI__V8_NATIVE:
    case UBI__V8_HIDDEN:
    case UBI__V8_ARRAY:
    case UBI__V8_OBJECT_SHAPE:
        return true;
    default:
        return false;
    }
}

/* The entry for a text of a kind: the node's name itself, if it is the same, or one of our own. */
static ubi_status entry_for(finder *f, ubi_str_ix *out, ubi_text text, ubi_str_ix name, ubi_str_ix *known) {
    ubi_text own = ubi__strtab_get(&f->g->strings, name);
    if (text.ptr == own.ptr && text.len == own.len) {
        *out = name;
        return UBI_OK;
    }
    if (*known == UBI_NONE)
        UBI_TRY(ubi__strtab_intern(&f->g->strings, known, text));
    *out = *known;
    return UBI_OK;
}

/* `<div id="x">` has class `<div>`. The text must not be in the table that it is added to. */
static ubi_status cut_class(finder *f, ubi_str_ix *out, ubi_text tag) {
    ubi__vec_u8 text = { NULL, 0, 0 };
    const ubi_allocator *a = f->r->allocator;
    UBI_TRY(ubi__vec_u8_reserve(&text, a, tag.len + 1));
    memcpy(text.at, tag.ptr, tag.len);
    text.at[tag.len] = '>';
    ubi_status status = ubi__strtab_intern(&f->g->strings, out, (ubi_text){ (char *)text.at, tag.len + 1 });
    ubi__vec_u8_fini(&text, a);
    return status;
}

static ubi_status make_kind(finder *f, ubi_kind_ix *out, uint32_t key, ubi_str_ix name) {
    uint32_t number = key & 0xff;
    ubi__v8_type type = (ubi__v8_type)f->r->meta.node_type[number];
    ubi_text type_name = ubi__strtab_get(&f->r->meta.type_names, number);
    ubi__v8_kind_names names;
    ubi__v8_kind_names_of(&names, type, type_name, ubi__strtab_get(&f->g->strings, name));
    ubi_kind kind = { UBI_NONE, UBI_NONE, UBI_NONE, UBI_NONE, names.coarse_type, (uint8_t)type, (uint8_t)(key >> 8) };
    if (names.is_class_cut)
        UBI_TRY(cut_class(f, &kind.class_name, names.class_name));
    else if (names.class_name.ptr)
        UBI_TRY(entry_for(f, &kind.class_name, names.class_name, name, &f->constant[type]));
    UBI_TRY(entry_for(f, &kind.type_name, names.type_name, name, &f->type_name[number]));
    if (names.is_document)
        kind.descriptive_name = kind.class_name;
    return ubi__kinds_intern(&f->g->kinds, out, &kind);
}

static ubi_status make_variant(finder *f, ubi_kind_ix *out, uint32_t key, ubi_str_ix name) {
    UBI_TRY(make_kind(f, out, key, name));
    UBI_TRY(vec_variant_push(&f->variants, f->r->allocator, (variant){ key, f->head[name], *out }));
    f->head[name] = (uint32_t)(f->variants.n - 1);
    UBI_ASSERT(f->variants.at[f->head[name]].next == UBI_NONE || f->variants.at[f->head[name]].next < f->head[name]);
    return UBI_OK;
}

static ubi_status find_named(finder *f, ubi_kind_ix *out, uint32_t key, ubi_str_ix name) {
    for (uint32_t i = f->head[name]; i != UBI_NONE; i = f->variants.at[i].next)
        if (f->variants.at[i].key == key) {
            *out = f->variants.at[i].kind;
            return UBI_OK;
        }
    return make_variant(f, out, key, name);
}

static ubi_status find_all(finder *f) {
    bool by_name[UBI__V8_MAX_TYPES + 1] = { false };
    uint32_t *kind = f->g->kind.at;
    const uint32_t *name = f->g->node_name.at;
    for (uint32_t i = 0; i < f->r->meta.n_node_types; i++)
        by_name[i] = name_matters((ubi__v8_type)f->r->meta.node_type[i]);
    for (size_t i = 0; i < f->g->kind.n; i++) {
        uint32_t key = kind[i];
        if (ubi__unlikely(i % UBI__PULSE_NODES == 0) && !ubi__pulse_again(&f->r->pulse))
            return ubi__fail_cancelled();
        UBI_ASSERT(key < N_KEYS && (key & 0xff) < f->r->meta.n_node_types);
        if (by_name[key & 0xff])
            UBI_TRY(find_named(f, &kind[i], key, name[i]));
        else if (f->plain[key] != UBI_NONE)
            kind[i] = f->plain[key];
        else {
            UBI_TRY(make_kind(f, &f->plain[key], key, name[i]));
            kind[i] = f->plain[key];
        }
    }
    return UBI_OK;
}

ubi_status ubi__v8_find_kinds(ubi__v8_reader *r) {
    const ubi_allocator *a = r->allocator;
    size_t n_names = ubi__strtab_count(&r->graph->strings);
    finder *f = UBI_NEW(a, finder);
    if (!f)
        return ubi__fail_nomem();
    f->r = r;
    f->g = r->graph;
    memset(f->plain, 0xff, sizeof f->plain);
    memset(f->type_name, 0xff, sizeof f->type_name);
    memset(f->constant, 0xff, sizeof f->constant);
    f->head = ubi__alloc_array(a, n_names, sizeof *f->head);
    ubi_status status = f->head ? UBI_OK : ubi__fail_nomem();
    if (f->head)
        status =
            ubi__pulse_fill(&r->pulse, f->head, 0xff, n_names * sizeof *f->head) ? find_all(f) : ubi__fail_cancelled();
    ubi__free_array(a, f->head, n_names, sizeof *f->head);
    vec_variant_fini(&f->variants, a);
    UBI_DELETE(a, f);
    return status;
}
