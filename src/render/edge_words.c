/* SPDX-License-Identifier: MIT
 *
 * edge_words.c: what the name of an edge says to people (edge_words.h).
 *
 * Sources of the names: mozilla-central js/src/vm (JSObject::traceChildren, GetterSetter, Shape, Scope), js/src/gc/RootMarking.cpp,
 * js/src/builtin/MapObject.cpp, js/public/UbiNode*.h, dom/base/UbiReportingNode.
 */
#include "render/edge_words.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/text.h"
#include "base/text_parts.h"
#include "formats/v8/v8_types.h"

/* ---- kinds of nodes ----------------------------------------------------------------------------------------------- */

static ubi_text type_of(const ubi_graph *graph, const ubi_kind *kind) {
    return ubi_graph_string(graph, kind->type_name);
}

static bool is_plain_name(ubi_text name) {
    return ubi__text_is(name, "Object") || ubi__text_is(name, "Array");
}

/* QuickJS calls every object that scripts make an Object; its constructor tells more. */
bool ubi__kind_is_plain(const ubi_graph *graph, const ubi_kind *kind) {
    if (kind->coarse_type != UBI_COARSE_OBJECT || !is_plain_name(ubi_graph_string(graph, kind->class_name)))
        return false;
    return kind->descriptive_name == UBI_NONE || is_plain_name(ubi_graph_string(graph, kind->descriptive_name));
}

static bool kind_is_engine(const ubi_graph *graph, const ubi_kind *kind) {
    ubi_text type = type_of(graph, kind);
    return kind->class_name == UBI_NONE && kind->script_filename == UBI_NONE &&
           (ubi__text_begins(type, "js::") || ubi__quickjs_engine_word(type));
}

bool ubi__node_is_root(const ubi_graph *graph, ubi_node_ix node) {
    return node == ubi_graph_root(graph) ||
           ubi_graph_kind(graph, ubi_graph_node_kind(graph, node))->raw_type == UBI__V8_SYNTHETIC;
}

bool ubi__node_is_engine(const ubi_graph *graph, ubi_node_ix node) {
    const ubi_kind *kind = ubi_graph_kind(graph, ubi_graph_node_kind(graph, node));
    return kind->raw_type ? ubi__v8_node_is_engine(graph, node) : kind_is_engine(graph, kind);
}

static const struct {
    const char *type, *word;
} engine_words[] = {
    { "js::Shape", "shape" },
    { "js::BaseShape", "shape" },
    { "js::PropMap", "shape" },
    { "js::Scope", "scope" },
    { "js::jit::JitCode", "code" },
    { "js::GetterSetter", "accessor" },
    { "js::RegExpShared", "expression" },
    { "js::BaseScript", "script" },
};

static ubi_text accessor_word(ubi_text edge_name) {
    if (ubi__text_ends(edge_name, "_getter"))
        return ubi__text("getter");
    return ubi__text(ubi__text_ends(edge_name, "_setter") ? "setter" : "accessor");
}

static ubi_text engine_word(const ubi_graph *graph, const ubi_kind *kind, ubi_edge_ix edge) {
    ubi_text type = type_of(graph, kind);
    if (ubi__text_is(type, "js::GetterSetter"))
        return accessor_word(ubi_graph_string(graph, ubi_graph_edge_name(graph, edge)));
    for (size_t i = 0; i < sizeof engine_words / sizeof *engine_words; i++)
        if (ubi__text_is(type, engine_words[i].type))
            return ubi__text(engine_words[i].word);
    return type;
}

ubi__edge_words ubi__engine_words(const ubi_graph *graph, ubi_node_ix source, ubi_node_ix first_node, ubi_edge_ix first,
                                  ubi_edge_ix into_last, ubi_edge_ix last) {
    const ubi_kind *kind = ubi_graph_kind(graph, ubi_graph_node_kind(graph, first_node));
    if (kind->raw_type)
        return ubi__v8_engine_words(graph, into_last, last);
    if (ubi__quickjs_engine_word(type_of(graph, kind)))
        return ubi__quickjs_engine_words(graph, source, first_node, into_last, last);
    return (ubi__edge_words){ .how = UBI__EDGE_TOLD, .text = engine_word(graph, kind, first) };
}

ubi_text ubi__file_name(ubi_text path) {
    for (size_t i = path.len; i > 0; i--)
        if (path.ptr[i - 1] == '/')
            return i == path.len ? path : (ubi_text){ path.ptr + i, path.len - i };
    return path;
}

/* ---- names of edges ----------------------------------------------------------------------------------------------- */

#define TEXT(literal)                                                                                                  \
    { literal, sizeof(literal) - 1 }

/* Names that mean the same wherever they are; NULL: nothing. */
static const struct {
    ubi_text name; /* with its length: most names are compared with all of these, and are none */
    const char *words;
} known_names[] = {
    { TEXT("vector element"), NULL },
    { TEXT("Reflected Node"), NULL },
    { TEXT("JSFunction script"), NULL },
    { TEXT("Parent Node"), "parent" },
    { TEXT("Child Node"), "child" },
    { TEXT("HashableValue"), "key" },
    { TEXT("OrderedHashMapObject value"), "value" },
    { TEXT("WeakMap entry key"), "key" },
    { TEXT("WeakMap entry value"), "value" },
    { TEXT("hashmap key"), "key" },
    { TEXT("hashmap value"), "value" },
    { TEXT("proxy target"), "target" },
    { TEXT("proxy handler"), "handler" },
    { TEXT("cross-compartment wrapper target"), "wrapped elsewhere" },
    { TEXT("enclosing_environment"), "enclosing" },
    { TEXT("callee_slot"), "callee" },
    { TEXT("env chain"), "JavaScript stack" },
};

/* Names of roots that differ in their ends. */
static const struct {
    const char *prefix, *words;
} root_names[] = {
    { "exact-", "C++ stack" },
    { "vm_stack[", "JavaScript stack" },
    { "fp ", "JavaScript stack" },
    { "persistent-", "held by C++" },
};

static ubi__edge_words words(ubi__edge_how how, ubi_text text) {
    return (ubi__edge_words){ .how = how, .text = text };
}

static ubi__edge_words told(const char *text) {
    return words(text ? UBI__EDGE_TOLD : UBI__EDGE_SILENT, ubi__text(text));
}

static bool is_known(ubi__edge_words *out, ubi_text name) {
    for (size_t i = 0; i < sizeof known_names / sizeof *known_names; i++)
        if (ubi__text_equal(name, known_names[i].name)) {
            *out = told(known_names[i].words);
            return true;
        }
    return false;
}

/* "CyclicModuleFields::cycleRoot" is "cycleRoot", and where a holder lives says nothing. */
static ubi__edge_words engine_name(ubi_text name) {
    for (size_t i = 0; i < sizeof root_names / sizeof *root_names; i++)
        if (ubi__text_begins(name, root_names[i].prefix))
            return told(root_names[i].words);
    if (name.len > UBI__LONGEST_IDENTIFIER)
        return words(UBI__EDGE_TOLD, name);
    for (size_t i = 0; i + 9 <= name.len; i++)
        if (memcmp(name.ptr + i, ", holder ", 9) == 0)
            name.len = i;
    for (size_t i = name.len; i > 2; i--)
        if (i < name.len && name.ptr[i - 1] == ':' && name.ptr[i - 2] == ':')
            return words(UBI__EDGE_TOLD, (ubi_text){ name.ptr + i, name.len - i });
    return words(name.len ? UBI__EDGE_TOLD : UBI__EDGE_SILENT, name);
}

bool ubi__text_is_identifier(ubi_text name) {
    size_t begin = name.len > 1 && name.ptr[0] == '#'; /* a private one */
    if (name.len > UBI__LONGEST_IDENTIFIER)
        return false;
    for (size_t i = begin; i < name.len; i++) {
        unsigned char c = (unsigned char)name.ptr[i], lower = c | 0x20;
        bool letter = (lower >= 'a' && lower <= 'z') || c == '_' || c == '$' || c >= 0x80;
        if (!letter && (i == begin || c < '0' || c > '9'))
            return false;
    }
    return name.len > begin;
}

/* "objectElements[17]" without what stands before the bracket. */
static bool is_element(ubi_text *out, ubi_text name) {
    static const char prefix[] = "objectElements";
    if (!ubi__text_begins(name, prefix) || !ubi__text_ends(name, "]"))
        return false;
    *out = (ubi_text){ name.ptr + strlen(prefix), name.len - strlen(prefix) };
    return out->ptr[0] == '[';
}

/* Objects that scripts make may have properties of any name; those of the engine have odd names that are no properties. */
static bool is_made_by_scripts(const ubi_graph *graph, const ubi_kind *kind) {
    ubi_text name = ubi_graph_string(graph, kind->class_name);
    return ubi__kind_is_plain(graph, kind) || ubi__text_is(name, "Function") || ubi__text_ends(name, "Environment");
}

static ubi__edge_words words_of_object(const ubi_graph *graph, const ubi_kind *source, ubi_text name) {
    ubi_text element;
    if (ubi__text_begins(name, "**UNKNOWN SLOT"))
        return told(NULL);
    if (ubi__text_is(name, "**SYMBOL KEY**"))
        return words(UBI__EDGE_VERBATIM, ubi__text("[symbol]"));
    if (is_element(&element, name))
        return words(UBI__EDGE_VERBATIM, element);
    if (ubi__text_is_identifier(name))
        return words(UBI__EDGE_PROPERTY, name);
    if (!is_made_by_scripts(graph, source))
        return engine_name(name);
    bool binding = !ubi__kind_is_plain(graph, source) && name.len > 1 && name.ptr[0] == '.';
    return words(binding ? UBI__EDGE_VERBATIM : UBI__EDGE_QUOTED, name);
}

ubi__edge_words ubi__edge_words_of(const ubi_graph *graph, ubi_node_ix source_node, ubi_edge_ix edge) {
    ubi_node_ix target_node = ubi_graph_edge_target(graph, edge);
    const ubi_kind *source = ubi_graph_kind(graph, ubi_graph_node_kind(graph, source_node));
    if (source->raw_type)
        return ubi__v8_edge_words_of(graph, source_node, edge);
    const ubi_kind *target = ubi_graph_kind(graph, ubi_graph_node_kind(graph, target_node));
    ubi_text name = ubi_graph_string(graph, ubi_graph_edge_name(graph, edge));
    ubi__edge_words known;
    if (!name.ptr || ubi__text_begins(type_of(graph, source), "js::") ||
        (kind_is_engine(graph, source) && kind_is_engine(graph, target)))
        return told(NULL); /* the engine's own nodes tell each other nothing that people use */
    if (kind_is_engine(graph, target) && !ubi__text_is(type_of(graph, target), "js::GetterSetter") &&
        !(source_node == ubi_graph_root(graph) && ubi__quickjs_engine_word(type_of(graph, target))))
        return told(NULL); /* the word for the target says it */
    if (ubi__quickjs_edge_words_of(&known, graph, source_node, target_node, name))
        return known;
    if (is_known(&known, name))
        return known;
    return source->coarse_type == UBI_COARSE_OBJECT ? words_of_object(graph, source, name) : engine_name(name);
}

/* ---- writing ------------------------------------------------------------------------------------------------------ */

bool ubi__edge_words_equal(ubi__edge_words a, ubi__edge_words b) {
    return a.how == b.how && a.index == b.index && ubi__text_equal(a.text, b.text) &&
           ubi__text_equal(ubi__text(a.before), ubi__text(b.before));
}

#define INDEX_TEXT 16

static ubi_text index_text(char out[INDEX_TEXT], uint32_t index) {
    return (ubi_text){ out, (size_t)snprintf(out, INDEX_TEXT, "[%" PRIu32 "]", index) };
}

size_t ubi__display_edge_words(ubi__out *out, const ubi__style *style, ubi__edge_words w, size_t columns) {
    char digits[INDEX_TEXT];
    if (w.how == UBI__EDGE_INDEX)
        return ubi__display_text(out, style, index_text(digits, w.index), columns);
    size_t used = w.before ? ubi__display_text(out, style, ubi__text(w.before), columns) : 0;
    return used + ubi__display_text(out, style, w.text, columns - used);
}

static size_t smaller(size_t a, size_t b) {
    return a < b ? a : b;
}

size_t ubi__edge_words_columns(ubi__edge_words w, const ubi__style *style, size_t most) {
    char digits[INDEX_TEXT];
    if (w.how == UBI__EDGE_INDEX)
        return smaller(index_text(digits, w.index).len, most);
    size_t before = ubi__display_columns(ubi__text(w.before), style, most);
    return before + ubi__display_columns(w.text, style, most - before);
}
