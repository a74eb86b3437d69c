/* SPDX-License-Identifier: MIT
 *
 * firefox_producer.c: how heaps of Firefox speak (producer.h), and how its memory panel looks at one: all edges from the root
 * that the file names, the sizes as they are, and nothing that is unreachable.
 *
 * Graphs that were built in memory speak like this, too: kinds have what JS::ubi says of a node.
 *
 * Sources: mozilla-central devtools/client/memory/constants.js, devtools/client/preferences/devtools-client.js; of names of edges,
 * js/src/vm (JSObject::traceChildren, GetterSetter, Shape, Scope), js/src/gc/RootMarking.cpp, js/src/builtin/MapObject.cpp,
 * js/public/UbiNode*.h, dom/base/UbiReportingNode.
 */
#include <stdio.h>
#include <string.h>

#include "analyses/anonymize/grammar.h"
#include "base/assert.h"
#include "base/text.h"
#include "lenses/finding_facts.h"

/* ---- the memory panel ----------------------------------------------------------------------------------------------- */

static ubi_status firefox_open(ubi_look *look, const ubi_look_options *options, int filter) {
    (void)options, (void)filter;
    return ubi__lens_classes_by_label(look);
}

static const char *const census_presets[] = { "coarseType", "allocationStack", "invertedAllocationStack", NULL };

static const ubi_lens firefox_lens = {
    .name = "firefox",
    .title = "Firefox",
    .format = "fxsnapshot",
    .displays = UBI__LENS_DISPLAYS(census_presets),
    .may_reuse_ids = true,
    .open = firefox_open,
};

/* ---- kinds of nodes ------------------------------------------------------------------------------------------------- */

static ubi_text type_of(const ubi_graph *graph, const ubi_kind *kind) {
    return ubi_graph_string(graph, kind->type_name);
}

static const ubi_kind *kind_of(const ubi_graph *graph, ubi_node_ix node) {
    return ubi_graph_kind(graph, ubi_graph_node_kind(graph, node));
}

static bool kind_is_engine(const ubi_graph *graph, const ubi_kind *kind) {
    return kind->class_name == UBI_NONE && kind->script_filename == UBI_NONE &&
           ubi__text_begins(type_of(graph, kind), "js::");
}

static bool node_is_engine(const ubi_graph *graph, ubi_node_ix node) {
    return kind_is_engine(graph, kind_of(graph, node));
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

static ubi__edge_words run_words(const ubi_graph *graph, const ubi__engine_run *run) {
    const ubi_kind *kind = kind_of(graph, run->first_node);
    return (ubi__edge_words){ .how = UBI__EDGE_NAMED, .text = engine_word(graph, kind, run->first) };
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

static bool is_known(ubi__edge_words *out, ubi_text name) {
    for (size_t i = 0; i < sizeof known_names / sizeof *known_names; i++)
        if (ubi__text_equal(name, known_names[i].name)) {
            *out = ubi__edge_named(known_names[i].words);
            return true;
        }
    return false;
}

/* "CyclicModuleFields::cycleRoot" is "cycleRoot", and where a holder lives says nothing. */
static ubi__edge_words engine_name(ubi_text name) {
    for (size_t i = 0; i < sizeof root_names / sizeof *root_names; i++)
        if (ubi__text_begins(name, root_names[i].prefix))
            return ubi__edge_named(root_names[i].words);
    if (name.len > UBI__LONGEST_IDENTIFIER)
        return ubi__edge_says(UBI__EDGE_NAMED, NULL, name);
    for (size_t i = 0; i + 9 <= name.len; i++)
        if (memcmp(name.ptr + i, ", holder ", 9) == 0)
            name.len = i;
    for (size_t i = name.len; i > 2; i--)
        if (i < name.len && name.ptr[i - 1] == ':' && name.ptr[i - 2] == ':')
            return ubi__edge_says(UBI__EDGE_NAMED, NULL, (ubi_text){ name.ptr + i, name.len - i });
    return ubi__edge_says(name.len ? UBI__EDGE_NAMED : UBI__EDGE_SILENT, NULL, name);
}

/* "objectElements[17]" without what precedes the bracket. */
static bool is_element(ubi_text *out, ubi_text name) {
    static const char prefix[] = "objectElements";
    if (!ubi__text_begins(name, prefix) || !ubi__text_ends(name, "]"))
        return false;
    *out = (ubi_text){ name.ptr + strlen(prefix), name.len - strlen(prefix) };
    UBI_ASSERT(out->len >= 1 && out->ptr[out->len - 1] == ']');
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
        return ubi__edge_named(NULL);
    if (ubi__text_is(name, "**SYMBOL KEY**"))
        return ubi__edge_says(UBI__EDGE_VERBATIM, NULL, ubi__text("[symbol]"));
    if (is_element(&element, name))
        return ubi__edge_says(UBI__EDGE_VERBATIM, NULL, element);
    if (ubi__text_is_identifier(name))
        return ubi__edge_says(UBI__EDGE_PROPERTY, NULL, name);
    if (!is_made_by_scripts(graph, source))
        return engine_name(name);
    bool binding = !ubi__kind_is_plain(graph, source) && name.len > 1 && name.ptr[0] == '.';
    return ubi__edge_says(binding ? UBI__EDGE_VERBATIM : UBI__EDGE_QUOTED, NULL, name);
}

static ubi__edge_words edge_words(const ubi_graph *graph, ubi_node_ix source_node, ubi_edge_ix edge) {
    const ubi_kind *source = kind_of(graph, source_node), *target = kind_of(graph, ubi_graph_edge_target(graph, edge));
    ubi_text name = ubi_graph_string(graph, ubi_graph_edge_name(graph, edge));
    ubi__edge_words known;
    if (!name.ptr || ubi__text_begins(type_of(graph, source), "js::"))
        return ubi__edge_named(NULL); /* edges between the engine's own nodes say nothing that people use */
    if (kind_is_engine(graph, target) && !ubi__text_is(type_of(graph, target), "js::GetterSetter"))
        return ubi__edge_named(NULL); /* the word for the target says it */
    if (is_known(&known, name))
        return known;
    return source->coarse_type == UBI_COARSE_OBJECT ? words_of_object(graph, source, name) : engine_name(name);
}

/* ---- findings ------------------------------------------------------------------------------------------------------- */

static ubi__node_role role_of(const ubi_graph *g, const ubi_kind *kind) {
    static const ubi__class_role more[] = { { "Function", UBI__ROLE_CLOSURE },
                                            { "LexicalEnvironment", UBI__ROLE_CONTEXT },
                                            { "Call", UBI__ROLE_CONTEXT },
                                            { NULL, UBI__ROLE_NONE } };
    if (!ubi__text_is(type_of(g, kind), "JSObject") || kind->class_name == UBI_NONE)
        return UBI__ROLE_NONE;
    return ubi__role_of_class(ubi_graph_string(g, kind->class_name), more);
}

static bool name_is_of_element(ubi_text name) {
    return ubi__text_begins(name, "objectElements[");
}

/* Keys of maps and sets are both called "HashableValue". */
static bool edge_is_entry(const ubi__finding_facts *f, const ubi__entries *at, ubi_edge_ix e) {
    static const ubi__entry_names names = { "OrderedHashMapObject value", "HashableValue", name_is_of_element };
    return ubi__edge_name_is_of_entry(f, at, e, &names);
}

static ubi_node_ix field_of(const ubi_graph *g, ubi_node_ix node, const char *name) {
    return ubi__target_named(g, node, UBI_EDGE_REFERENCE, name);
}

/* A function leads to its script, and only scripts have files. */
static ubi_text file_of_code(const ubi__finding_facts *f, const ubi__code_files *files, ubi_node_ix node) {
    const ubi_graph *g = f->graph;
    bool is_function = ubi__finding_role(f, node) == UBI__ROLE_CLOSURE;
    ubi_node_ix script = is_function ? field_of(g, node, "JSFunction script") : node;
    ubi_str_ix file = script == UBI_NONE ? UBI_NONE : kind_of(g, script)->script_filename;
    (void)files;
    return file == UBI_NONE ? ubi__text("") : ubi_graph_string(g, ubi__strtab_canonical(&g->strings, file));
}

static bool file_is_of_runtime(ubi_text file) {
    return ubi__text_begins(file, "resource://") || ubi__text_begins(file, "chrome://") ||
           ubi__text_is(file, "self-hosted");
}

/* A slot of a function that has no name leads to its scope. */
static ubi_node_ix scope_of(const ubi__finding_facts *f, ubi_node_ix node) {
    bool is_function = ubi__finding_role(f, node) == UBI__ROLE_CLOSURE;
    ubi_node_ix scope = field_of(f->graph, node, is_function ? "**UNKNOWN SLOT 1**" : "enclosing_environment");
    UBI_ASSERT(is_function || ubi__finding_role(f, node) == UBI__ROLE_CONTEXT);
    if (scope == UBI_NONE || ubi__finding_role(f, scope) != UBI__ROLE_CONTEXT)
        return UBI_NONE;
    return is_function && file_is_of_runtime(file_of_code(f, NULL, node)) ? UBI_NONE : scope;
}

static bool edge_is_variable(const ubi__finding_facts *f, ubi_edge_ix e) {
    ubi_text name = ubi_graph_string(f->graph, f->graph->name.at[e]);
    return ubi__text_is_identifier(name) && !ubi__text_is(name, "enclosing_environment") &&
           !ubi__text_is(name, "shape");
}

static bool edge_is_of_file(const ubi__finding_facts *f, ubi_node_ix source, ubi_edge_ix e) {
    return ubi__finding_role(f, source) == UBI__ROLE_CLOSURE && f->graph->target.at[e] == scope_of(f, source);
}

/* Functions have no names in the file, and no lines. */
static void function_words(char out[UBI__FUNCTION_WORDS], const ubi__finding_facts *f, ubi_node_ix function) {
    ubi__function_of_file(out, file_of_code(f, NULL, function));
}

static const ubi__finding_entry rules[] = {
    { "closureContext", ubi__finding_closures },
    { NULL, NULL },
};
static const ubi__producer_findings findings = {
    .role_of_kind = role_of,
    .entries = ubi__entries_are_edges,
    .edge_is_entry = edge_is_entry,
    .node_is_data = ubi__node_is_plain_data,
    .file_of_code = file_of_code,
    .edge_is_of_file = edge_is_of_file,
    .file_is_of_runtime = file_is_of_runtime,
    .scope_of = scope_of,
    .edge_is_variable = edge_is_variable,
    .function_words = function_words,
    .rules = rules,
};

/* ---- the producer --------------------------------------------------------------------------------------------------- */

static bool firefox_made(const ubi_graph *graph) {
    const char *format = ubi_graph_format_name(graph);
    return strcmp(format, "fxsnapshot") == 0 || strcmp(format, "memory") == 0;
}

static const char *node_title(const ubi_graph *graph) {
    return ubi__root_is_root_list(graph) ? "Firefox" : NULL;
}

static bool kind_is_value(const ubi_graph *graph, const ubi_kind *kind) {
    ubi_text type = ubi_graph_string(graph, kind->type_name);
    return ubi__text_is(type, "JS::BigInt") || ubi__text_is(type, "JS::Symbol");
}

static const char *how_to_record_stacks(const ubi_graph *graph) {
    (void)graph;
    return ": tick \"Record call stacks\" in Firefox before the snapshot";
}

static const ubi__producer_words firefox_words = {
    .edge = edge_words,
    .node_is_engine = node_is_engine,
    .engine_run = run_words,
};

extern const ubi__name_group ubi__names_firefox[]; /* public_names_firefox.c */

static const ubi__name_group *const public_names[] = { ubi__names_firefox, NULL };

static const ubi__grammar grammar = { .names = public_names };

extern const ubi__producer ubi__producer_firefox;

const ubi__producer ubi__producer_firefox = {
    .name = "firefox",
    .made = firefox_made,
    .title = node_title,
    .how_to_record_stacks = how_to_record_stacks,
    .lens = &firefox_lens,
    .words = &firefox_words,
    .kind_is_value = kind_is_value,
    .findings = &findings,
    .grammar = &grammar,
};
