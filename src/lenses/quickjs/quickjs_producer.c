/* SPDX-License-Identifier: MIT
 *
 * quickjs_producer.c: how heaps of QuickJS speak (producer.h).
 *
 * Names of nodes and edges are those that our adapter gives (engines/quickjs/adapter/kinds.h, edges_*.h). A closed-over
 * variable is a node of its own, JSVarRef, whose name is that of the edge which leads to it.
 */
#include <stdio.h>

#include "base/assert.h"
#include "base/text.h"
#include "lenses/finding_facts.h"

/* Nodes that only the engine knows, and their words. */
static const struct {
    const char *type, *word;
} engine_types[] = {
    { "JSVarRef", "variable" },       { "JSShape", "shape" },     { "JSAsyncFunctionState", "suspended call" },
    { "JSContext", "realm" },         { "JSRuntime", "runtime" }, { "JSModuleDef", "module" },
    { "JSFunctionBytecode", "code" },
};

static ubi_text type_at(const ubi_graph *graph, ubi_node_ix node) {
    return ubi_graph_string(graph, ubi_graph_kind(graph, ubi_graph_node_kind(graph, node))->type_name);
}

static ubi_text class_at(const ubi_graph *graph, ubi_node_ix node) {
    ubi_text name = ubi_graph_string(graph, ubi_graph_kind(graph, ubi_graph_node_kind(graph, node))->class_name);
    return name.ptr ? name : ubi__text("");
}

static bool is_type(const ubi_graph *graph, ubi_node_ix node, const char *type) {
    return ubi__text_is(type_at(graph, node), type);
}

static const char *engine_word(ubi_text type) {
    /* Most nodes are objects and strings: they are recognized by a letter. */
    if (type.len < 7 || type.ptr[0] != 'J' || type.ptr[1] != 'S')
        return NULL;
    for (size_t i = 0; i < sizeof engine_types / sizeof *engine_types; i++)
        if (ubi__text_is(type, engine_types[i].type))
            return engine_types[i].word;
    return NULL;
}

static bool is_any(ubi_text name, const char *const *names, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (ubi__text_is(name, names[i]))
            return true;
    return false;
}

/* ---- edges of objects --------------------------------------------------------------------------------------------- */

/* What the engine calls the insides of its own classes. */
static const struct {
    const char *class_name;
    const char *edges[4];
} insides[] = {
    { "Map", { "key", "value" } },
    { "Set", { "key" } },
    { "WeakMap", { "value" } },
    { "WeakSet", { "value" } },
    { "Promise", { "resolve", "reject", "handler", "result" } },
};

static bool is_inside(const ubi_graph *graph, ubi_node_ix source, ubi_text name) {
    ubi_text class_name = class_at(graph, source);
    for (size_t i = 0; i < sizeof insides / sizeof *insides; i++)
        if (ubi__text_is(class_name, insides[i].class_name))
            for (size_t k = 0; k < 4 && insides[i].edges[k]; k++)
                if (ubi__text_is(name, insides[i].edges[k]))
                    return true;
    return false;
}

/* "17" of an array. */
static bool is_index(uint32_t *out, ubi_text name) {
    uint32_t index = 0;
    if (name.len == 0 || name.len > 9 || (name.len > 1 && name.ptr[0] == '0'))
        return false;
    for (size_t i = 0; i < name.len; i++) {
        if (name.ptr[i] < '0' || name.ptr[i] > '9')
            return false;
        index = index * 10 + (uint32_t)(name.ptr[i] - '0');
    }
    UBI_ASSERT(index < 1000000000 && (index == 0) == (name.ptr[0] == '0'));
    *out = index;
    return true;
}

/* Objects that scripts make may have properties of any name; those of the engine have odd names that are no properties. */
static ubi__edge_words words_of_object(const ubi_graph *graph, ubi_node_ix source, ubi_text name) {
    uint32_t index;
    if (is_inside(graph, source, name))
        return ubi__edge_says(UBI__EDGE_NAMED, NULL, name);
    if (is_index(&index, name))
        return (ubi__edge_words){ .how = UBI__EDGE_INDEX, .index = index };
    if (ubi__text_is_identifier(name))
        return ubi__edge_says(UBI__EDGE_PROPERTY, NULL, name);
    const ubi_kind *kind = ubi_graph_kind(graph, ubi_graph_node_kind(graph, source));
    bool is_made_by_scripts = ubi__kind_is_plain(graph, kind) || ubi__text_is(class_at(graph, source), "Function");
    return ubi__edge_says(is_made_by_scripts ? UBI__EDGE_QUOTED : UBI__EDGE_NAMED, NULL, name);
}

static bool node_is_engine(const ubi_graph *graph, ubi_node_ix node) {
    const ubi_kind *kind = ubi_graph_kind(graph, ubi_graph_node_kind(graph, node));
    return kind->class_name == UBI_NONE && kind->script_filename == UBI_NONE && engine_word(type_at(graph, node));
}

/* Edges between the engine's own nodes say nothing that people use, and a word for such a target says what an edge to it does. */
static ubi__edge_words edge_words(const ubi_graph *graph, ubi_node_ix source, ubi_edge_ix edge) {
    ubi_node_ix target = ubi_graph_edge_target(graph, edge);
    ubi_text name = ubi_graph_string(graph, ubi_graph_edge_name(graph, edge));
    bool is_of_root = source == ubi_graph_root(graph) && !node_is_engine(graph, source);
    if (!name.ptr || (node_is_engine(graph, target) && !is_of_root))
        return ubi__edge_named(NULL);
    if (is_type(graph, source, "JSObject"))
        return words_of_object(graph, source, name);
    return ubi__edge_says(name.len ? UBI__EDGE_NAMED : UBI__EDGE_SILENT, NULL, name);
}

/* ---- runs of the engine's nodes ----------------------------------------------------------------------------------- */

/* A function has captured it; of another object, a global one or that of a module, it is a property. */
static ubi__edge_words words_of_variable(const ubi_graph *graph, ubi_node_ix source, ubi_text name) {
    if (!ubi__text_is(class_at(graph, source), "Function") && is_type(graph, source, "JSObject") &&
        ubi__text_is_identifier(name))
        return ubi__edge_says(UBI__EDGE_PROPERTY, NULL, name);
    return name.len ? ubi__edge_says(UBI__EDGE_VARIABLE, "variable ", name)
                    : ubi__edge_says(UBI__EDGE_NAMED, NULL, ubi__text("variable"));
}

/* What a function that waits has at hand beside its variables. */
static ubi__edge_words words_of_suspended_call(ubi_text name) {
    static const char *const others[] = { "function", "this", "resolve", "reject", "operand" };
    if (is_any(name, others, sizeof others / sizeof *others) || !ubi__text_is_identifier(name))
        return ubi__edge_says(UBI__EDGE_NAMED, NULL, name.len ? name : ubi__text("suspended call"));
    return ubi__edge_says(UBI__EDGE_VARIABLE, "variable ", name);
}

static ubi_text edge_name(const ubi_graph *graph, ubi_edge_ix edge) {
    ubi_text name = ubi_graph_string(graph, ubi_graph_edge_name(graph, edge));
    return name.ptr ? name : ubi__text("");
}

static ubi__edge_words run_words(const ubi_graph *graph, const ubi__engine_run *run) {
    ubi_node_ix source = run->source, first_node = run->first_node;
    ubi_edge_ix into_last = run->into_last, last = run->last;
    ubi_node_ix node = ubi_graph_edge_target(graph, into_last);
    const char *word = engine_word(type_at(graph, node));
    if (is_type(graph, node, "JSVarRef"))
        return words_of_variable(graph, node == first_node ? source : first_node, edge_name(graph, into_last));
    if (is_type(graph, node, "JSAsyncFunctionState"))
        return words_of_suspended_call(edge_name(graph, last));
    if (is_type(graph, node, "JSContext") && edge_name(graph, last).len)
        return ubi__edge_says(UBI__EDGE_NAMED, NULL, edge_name(graph, last));
    return ubi__edge_says(UBI__EDGE_NAMED, NULL, ubi__text(word ? word : ""));
}

/* ---- where paths begin -------------------------------------------------------------------------------------------- */

/* A global object is near the root, or it is not what keeps things alive. */
#define FURTHEST_GLOBAL 4

static bool is_global_object(const ubi_graph *graph, const ubi_path_step *step) {
    static const char *const fields[] = { "global_obj", "global_var_obj" };
    ubi_text name = edge_name(graph, step->edge);
    if (ubi__text_is(name, "debuggee global"))
        return step->predecessor == ubi_graph_root(graph);
    return is_type(graph, step->predecessor, "JSContext") && is_any(name, fields, sizeof fields / sizeof *fields);
}

static bool path_start(ubi__path_start *out, const ubi_graph *graph, const ubi_path_step *steps, uint32_t n_steps) {
    for (uint32_t i = 1; i < n_steps && i <= FURTHEST_GLOBAL; i++) {
        bool is_global = is_global_object(graph, &steps[i - 1]);
        if (!is_global && !is_type(graph, steps[i].predecessor, "JSModuleDef"))
            continue;
        UBI_ASSERT(steps[i].predecessor != ubi_graph_root(graph)); /* after the root's own step */
        *out = (ubi__path_start){ .begin = i, .name = is_global ? "global" : "module" };
        return true;
    }
    return false;
}

/* ---- findings ------------------------------------------------------------------------------------------------------- */

static ubi__node_role role_of(const ubi_graph *g, const ubi_kind *kind) {
    static const ubi__class_role promises[] = { { "Promise", UBI__ROLE_PROMISE }, { NULL, UBI__ROLE_NONE } };
    ubi_text name = ubi_graph_string(g, kind->class_name);
    if (!ubi__text_is(ubi_graph_string(g, kind->type_name), "JSObject") || !name.ptr)
        return UBI__ROLE_NONE;
    ubi__node_role role = ubi__role_of_class(name, promises);
    /* "AsyncFunction", "BoundFunction", "PromiseResolveFunction" */
    return role == UBI__ROLE_NONE && ubi__text_contains(name, ubi__text("Function")) ? UBI__ROLE_CLOSURE : role;
}

static bool is_number(ubi_text name) {
    for (size_t i = 0; i < name.len; i++)
        if (name.ptr[i] < '0' || name.ptr[i] > '9')
            return false;
    return name.len > 0;
}

/* Properties of an array have names, its elements have numbers. */
static bool edge_is_entry(const ubi__finding_facts *f, const ubi__entries *at, ubi_edge_ix e) {
    static const ubi__entry_names names = { "value", "key", is_number };
    return ubi__edge_name_is_of_entry(f, at, e, &names);
}

/* ---- promises ------------------------------------------------------------------------------------------------------- */

static ubi_node_ix field_of(const ubi_graph *g, ubi_node_ix node, const char *name) {
    return ubi__target_named(g, node, UBI_EDGE_REFERENCE, name);
}

/* A promise drops its handlers when it is settled. That of an async function leads to its suspended call. */
static bool promise_awaited(ubi__awaited *out, const ubi__finding_facts *f, ubi_node_ix node) {
    const ubi_graph *g = f->graph;
    if (ubi__finding_role(f, node) != UBI__ROLE_PROMISE)
        return false;
    ubi_node_ix handler = field_of(g, node, "handler"), state = field_of(g, handler, "state");
    ubi_node_ix function = field_of(g, state, "function");
    out->function = function != UBI_NONE ? function : handler;
    out->code = field_of(g, out->function, "bytecode");
    out->result = function != UBI_NONE ? field_of(g, field_of(g, state, "resolve"), "promise") : UBI_NONE;
    return out->code != UBI_NONE;
}

/* ---- files of code -------------------------------------------------------------------------------------------------- */

static ubi_text file_of_function(const ubi_graph *g, ubi_node_ix function) {
    ubi_node_ix code = field_of(g, function, "bytecode");
    ubi_str_ix file = code == UBI_NONE ? UBI_NONE : ubi_graph_kind(g, g->kind.at[code])->script_filename;
    return file == UBI_NONE ? ubi__text("") : ubi_graph_string(g, ubi__strtab_canonical(&g->strings, file));
}

/* The name of a module has no text in the file; it is that of the first function which the module exports. */
static ubi_text file_of_module(const ubi_graph *g, ubi_node_ix module) {
    ubi_text file = ubi__text("");
    for (ubi_edge_ix e = g->first_edge.at[module]; !file.len && e < g->first_edge.at[module + 1]; e++)
        if (is_type(g, g->target.at[e], "JSVarRef"))
            file = file_of_function(g, field_of(g, g->target.at[e], "value"));
    return file;
}

static ubi_text file_of_code(const ubi__finding_facts *f, const ubi__code_files *files, ubi_node_ix node) {
    const ubi_graph *g = f->graph;
    ubi_str_ix file = ubi_graph_kind(g, g->kind.at[node])->script_filename;
    (void)files;
    if (ubi__finding_role(f, node) == UBI__ROLE_CLOSURE)
        return file_of_function(g, node);
    if (is_type(g, node, "JSModuleDef"))
        return file_of_module(g, node);
    return file == UBI_NONE ? ubi__text("") : ubi_graph_string(g, ubi__strtab_canonical(&g->strings, file));
}

/* The variables that a function captured, or a module exports. What another one imports is claimed by both. */
static bool edge_is_of_file(const ubi__finding_facts *f, ubi_node_ix source, ubi_edge_ix e) {
    bool has_variables = ubi__finding_role(f, source) == UBI__ROLE_CLOSURE || is_type(f->graph, source, "JSModuleDef");
    return has_variables && is_type(f->graph, f->graph->target.at[e], "JSVarRef");
}

/* What `ubiheap run` adds comes without files; a program's own are all that have one. */
static bool file_is_of_runtime(ubi_text file) {
    return ubi__text_begins(file, "<");
}

/* Functions have no names in the file, and no lines. */
static void function_words(char out[UBI__FUNCTION_WORDS], const ubi__finding_facts *f, ubi_node_ix function) {
    ubi__function_of_file(out, file_of_function(f->graph, function));
}

static const ubi__producer_findings findings = {
    .role_of_kind = role_of,
    .entries = ubi__entries_are_edges,
    .edge_is_entry = edge_is_entry,
    .node_is_data = ubi__node_is_plain_data,
    .file_of_code = file_of_code,
    .edge_is_of_file = edge_is_of_file,
    .file_is_of_runtime = file_is_of_runtime,
    .promise_awaited = promise_awaited,
    .function_words = function_words,
};

/* ---- the producer --------------------------------------------------------------------------------------------------- */

/* A file saved within boundaries need not have everything that the engine has. */
static bool quickjs_made(const ubi_graph *graph) {
    for (ubi_kind_ix k = 0; k < ubi_graph_kind_count(graph); k++)
        if (engine_word(ubi_graph_string(graph, ubi_graph_kind(graph, k)->type_name)))
            return true;
    return false;
}

static const char *node_title(const ubi_graph *graph) {
    return ubi__root_is_root_list(graph) ? "QuickJS" : NULL;
}

static bool kind_is_value(const ubi_graph *graph, const ubi_kind *kind) {
    static const char *const types[] = { "JSSymbol", "JSBigInt", "JSBigFloat", "JSBigDecimal" };
    return is_any(ubi_graph_string(graph, kind->type_name), types, sizeof types / sizeof *types);
}

static const char *how_to_record_stacks(const ubi_graph *graph) {
    (void)graph;
    return ": run it with --sites, or have an observer track in your own program";
}

static bool kind_is_permanent(const ubi_graph *graph, const ubi_kind *kind) {
    ubi_text type = ubi_graph_string(graph, kind->type_name);
    return ubi__text_is(type, "JSContext") || ubi__text_is(type, "JSRuntime");
}

static const ubi__producer_words words = {
    .edge = edge_words,
    .node_is_engine = node_is_engine,
    .engine_run = run_words,
    .kind_is_permanent = kind_is_permanent,
    .path_start = path_start,
};

extern const ubi__producer ubi__producer_quickjs;

const ubi__producer ubi__producer_quickjs = {
    .name = "quickjs",
    .made = quickjs_made,
    .title = node_title,
    .how_to_record_stacks = how_to_record_stacks,
    .words = &words,
    .keeps_addresses = true,
    .kind_is_value = kind_is_value,
    .findings = &findings,
};
