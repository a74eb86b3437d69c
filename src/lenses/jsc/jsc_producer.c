/* SPDX-License-Identifier: MIT
 *
 * jsc_producer.c: how heaps of JavaScriptCore speak (producer.h): those of Safari, WebKitGTK and Bun, and how we look at them.
 *
 * The Web Inspector counts all edges, and puts each node that the root does not reach right under it. We do the same, but keep
 * what such a node reaches below it: what runs is only on the stack of the machine, and would fall apart into single nodes.
 *
 * Sources: WebKit, Source/JavaScriptCore/heap/HeapSnapshotBuilder.cpp and RootMarkReason.h; HeapSnapshot.js of the Web Inspector.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "analyses/anonymize/grammar.h"
#include "base/assert.h"
#include "base/text.h"
#include "formats/jsc/jsc_facts.h"
#include "lenses/finding_facts.h"
#include "lenses/kind_label.h"
#include "lenses/producer.h"

static const ubi_kind *kind_of(const ubi_graph *graph, ubi_node_ix node) {
    return ubi_graph_kind(graph, ubi_graph_node_kind(graph, node));
}

static ubi__jsc_type type_of(const ubi_graph *graph, ubi_node_ix node) {
    return (ubi__jsc_type)kind_of(graph, node)->raw_type;
}

static bool is_debugging(const ubi_graph *graph) {
    const ubi__jsc_facts *facts = ubi__jsc_facts_of(graph);
    return facts && facts->is_debugging;
}

/* ---- names ------------------------------------------------------------------------------------------------------------ */

/* The name that GCDebugging files have for a function, with the marks of a call, and of a Structure that of its objects. */
static ubi_text node_title(const ubi_graph *graph, const ubi_look *look, ubi_node_ix node,
                           ubi_look_name_buffer *buffer) {
    ubi_text label = ubi_graph_string(graph, ubi_graph_node_name(graph, node));
    ubi_text kind = ubi__kind_label(graph, kind_of(graph, node));
    bool is_function = type_of(graph, node) == UBI__JSC_FUNCTION;
    (void)look;
    if (!label.len || kind.len + label.len + 4 > sizeof buffer->bytes)
        return kind;
    ubi_text before = is_function ? ubi__text("") : kind, between = ubi__text(is_function ? "" : " of "),
             after = ubi__text(is_function ? "()" : "");
    const ubi_text parts[] = { before, between, label, after };
    size_t n = 0;
    for (size_t i = 0; i < 4; i++) {
        memcpy(buffer->bytes + n, parts[i].ptr, parts[i].len);
        n += parts[i].len;
    }
    return (ubi_text){ buffer->bytes, n };
}

static ubi_text display_name(const ubi_look *look, ubi_node_ix node, ubi_look_name_buffer *buffer) {
    return node_title(look->graph, look, node, buffer);
}

/* ---- the look ------------------------------------------------------------------------------------------------------- */

typedef struct jsc_look {
    ubi__vec_u64 global_edges; /* of the root to global objects: what people think of as roots */
    uint64_t *shown;           /* bits of the filter; NULL: none */
} jsc_look;

static const ubi_lens_filter filters[] = {
    { "allocated", "Objects allocated between snapshots" },
    { NULL, NULL },
};

static ubi_status filter_apply(uint64_t *bits, const ubi_look *look, const char *filter,
                               const ubi_look_options *options) {
    const ubi_graph *g = look->graph;
    if (strcmp(filter, filters[0].name) != 0)
        return ubi__fail(UBI_EINVAL, "the lens jsc has no filter '%s'", filter);
    for (ubi_node_ix node = 0; node < g->n_nodes; node++)
        if (g->id.at[node] > options->id_above && g->id.at[node] <= options->id_upto)
            bits[node / 64] |= UINT64_C(1) << node % 64;
    return UBI_OK;
}

static ubi_status look_filter(ubi_look *look, jsc_look *own, const ubi_look_options *options) {
    own->shown = ubi__calloc_array(look->allocator, look->graph->n_nodes / 64 + 1, sizeof *own->shown);
    if (!own->shown)
        return ubi__fail_nomem();
    look->shown = own->shown;
    return filter_apply(own->shown, look, filters[0].name, options);
}

static ubi_status look_open(ubi_look *look, const ubi_look_options *options, int filter) {
    const ubi_graph *g = look->graph;
    jsc_look *own = UBI_NEW(look->allocator, jsc_look);
    if (!own)
        return ubi__fail_nomem();
    look->own = own;
    for (ubi_edge_ix e = g->first_edge.at[g->root]; e < g->first_edge.at[g->root + 1]; e++)
        if (type_of(g, g->target.at[e]) == UBI__JSC_GLOBAL)
            UBI_TRY(ubi__vec_u64_push(&own->global_edges, look->allocator, e));
    for (size_t i = 0; UBI_CHECKS && i < own->global_edges.n; i++) {
        UBI_ASSERT(i == 0 || own->global_edges.at[i - 1] < own->global_edges.at[i]);
        UBI_ASSERT(type_of(g, g->target.at[own->global_edges.at[i]]) == UBI__JSC_GLOBAL);
    }
    look->view.first_edges = own->global_edges.at;
    look->view.n_first_edges = (uint32_t)own->global_edges.n;
    if (filter >= 0)
        UBI_TRY(look_filter(look, own, options));
    look->may_reuse_ids = is_debugging(g); /* addresses; else the engine counts */
    return ubi__lens_classes_by_label(look);
}

static void look_close(ubi_look *look) {
    jsc_look *own = look->own;
    if (!own)
        return;
    ubi__vec_u64_fini(&own->global_edges, look->allocator);
    ubi__free_array(look->allocator, own->shown, look->graph->n_nodes / 64 + 1, sizeof *own->shown);
    UBI_DELETE(look->allocator, own);
}

/* Ids are given in order, so the largest says when a snapshot was taken; addresses say nothing. */
static uint64_t id_mark(const ubi_graph *graph) {
    uint64_t largest = 0;
    for (ubi_node_ix node = 0; !is_debugging(graph) && node < graph->n_nodes; node++)
        largest = graph->id.at[node] > largest ? graph->id.at[node] : largest;
    return largest;
}

static const char *const census_presets[] = { "objectClass", "coarseType", "internalType", NULL };

static const ubi_lens jsc_lens = {
    .name = "jsc",
    .title = "JavaScriptCore",
    .format = "jscsnapshot",
    .displays = UBI__LENS_DISPLAYS(census_presets),
    .orphans = UBI_ORPHANS_ADOPT,
    .counts_by_size = true,
    .id_mark = id_mark,
    .filters = filters,
    .apply_filter = filter_apply,
    .display_name = display_name,
    .open = look_open,
    .close = look_close,
};

/* ---- nodes ---------------------------------------------------------------------------------------------------------- */

static bool type_is_engine(ubi__jsc_type type) {
    return type == UBI__JSC_SCOPE || type == UBI__JSC_CODE || type == UBI__JSC_SHAPE || type == UBI__JSC_INTERNAL;
}

static bool node_is_engine(const ubi_graph *graph, ubi_node_ix node) {
    return type_is_engine(type_of(graph, node));
}

static bool kind_is_permanent(const ubi_graph *graph, const ubi_kind *kind) {
    (void)graph;
    return kind->raw_type == UBI__JSC_GLOBAL;
}

/* ---- edges ---------------------------------------------------------------------------------------------------------- */

static ubi__edge_words words_of_root(const ubi_graph *graph, ubi_edge_ix edge) {
    const ubi__jsc_facts *facts = ubi__jsc_facts_of(graph);
    const ubi__jsc_root *root = facts ? ubi__jsc_root_of(facts, ubi_graph_edge_target(graph, edge)) : NULL;
    return root ? ubi__edge_says(UBI__EDGE_NAMED, NULL, ubi_graph_string(graph, root->reason)) : ubi__edge_named(NULL);
}

static ubi__edge_words edge_words(const ubi_graph *graph, ubi_node_ix source, ubi_edge_ix edge) {
    ubi_text name = ubi_graph_string(graph, ubi_graph_edge_name(graph, edge));
    uint32_t index;
    switch (ubi_graph_edge_kind(graph, edge)) {
    case UBI_EDGE_ELEMENT:
        return ubi_graph_edge_number(&index, graph, edge) ? (ubi__edge_words){ .how = UBI__EDGE_INDEX, .index = index }
                                                          : ubi__edge_named(NULL);
    case UBI_EDGE_PROPERTY:
        return ubi__edge_says(ubi__text_is_identifier(name) ? UBI__EDGE_PROPERTY : UBI__EDGE_QUOTED, NULL, name);
    case UBI_EDGE_CONTEXT:
        return ubi__edge_says(UBI__EDGE_VARIABLE, "variable ", name);
    default:
        return source == ubi_graph_root(graph) ? words_of_root(graph, edge) : ubi__edge_named(NULL);
    }
}

/* Engine nodes that have a name among people. */
static const struct {
    const char *class_name, *word;
} engine_words[] = {
    { "Structure", "shape" },
    { "StructureRareData", "shape" },
    { "StructureChain", "prototypes" },
    { "PropertyTable", "shape" },
    { "GetterSetter", "accessor" },
    { "CustomGetterSetter", "accessor" },
    { "Immutable Butterfly", "elements" },
    { "Cell Butterfly", "elements" },
    { "JSLexicalEnvironment", "scope" },
    { "JSGlobalLexicalEnvironment", "global scope" },
    { "JSModuleEnvironment", "module scope" },
};

static bool is_entry(const ubi_graph *graph, ubi_node_ix source) {
    ubi_text name = ubi_graph_string(graph, kind_of(graph, source)->class_name);
    return ubi__text_is(name, "Map") || ubi__text_is(name, "Set");
}

static ubi__edge_words run_words(const ubi_graph *graph, const ubi__engine_run *run) {
    ubi_node_ix node = ubi_graph_edge_target(graph, run->into_last);
    ubi__jsc_type type = type_of(graph, node);
    ubi_text class_name = ubi_graph_string(graph, kind_of(graph, node)->type_name);
    ubi__edge_words last = edge_words(graph, node, run->last);
    if (last.how == UBI__EDGE_VARIABLE || (type == UBI__JSC_SCOPE && last.text.len))
        return ubi__edge_says(UBI__EDGE_VARIABLE, "variable ", last.text);
    if (type == UBI__JSC_INTERNAL && is_entry(graph, run->source))
        return ubi__edge_named("entry");
    for (size_t i = 0; i < sizeof engine_words / sizeof *engine_words; i++)
        if (ubi__text_is(class_name, engine_words[i].class_name))
            return ubi__edge_named(engine_words[i].word);
    return type == UBI__JSC_CODE ? ubi__edge_named("code") : ubi__edge_says(UBI__EDGE_NAMED, NULL, class_name);
}

/* ---- where paths begin ---------------------------------------------------------------------------------------------- */

/* A global object is near the root, or it is not what keeps things alive. */
#define FURTHEST_GLOBAL 3

static bool path_start(ubi__path_start *out, const ubi_graph *graph, const ubi_path_step *steps, uint32_t n_steps) {
    for (uint32_t i = 1; i < n_steps && i <= FURTHEST_GLOBAL; i++) {
        bool is_global = type_of(graph, steps[i].predecessor) == UBI__JSC_GLOBAL;
        if (!is_global && !ubi__text_is(ubi_graph_string(graph, kind_of(graph, steps[i].predecessor)->type_name),
                                        "JSModuleEnvironment"))
            continue;
        UBI_ASSERT(!is_global || kind_is_permanent(graph, kind_of(graph, steps[i].predecessor)));
        *out = (ubi__path_start){ .begin = i, .name = is_global ? "global" : "module" };
        return true;
    }
    return false;
}

/* ---- the producer --------------------------------------------------------------------------------------------------- */

static bool made(const ubi_graph *graph) {
    return ubi__jsc_facts_of(graph) != NULL;
}

/* Classes that only one of the programs with this engine has. */
static const struct {
    const char *class_name, *title;
} hosts[] = {
    { "InternalModuleRegistry", "Bun (JavaScriptCore)" },
    { "Window", "Safari or WebKit (JavaScriptCore)" },
    { "JSDOMWindow", "Safari or WebKit (JavaScriptCore)" },
};

static const char *title(const ubi_graph *graph) {
    for (ubi_kind_ix k = 0; k < ubi_graph_kind_count(graph); k++)
        for (size_t i = 0; i < sizeof hosts / sizeof *hosts; i++)
            if (ubi__text_is(ubi_graph_string(graph, ubi_graph_kind(graph, k)->class_name), hosts[i].class_name))
                return hosts[i].title;
    return "JavaScriptCore";
}

static ubi__string_part string_part(const ubi_graph *graph, const ubi_kind *kind) {
    (void)graph;
    return kind->raw_type == UBI__JSC_STRING ? UBI__STRING_TEXTLESS : UBI__STRING_NONE;
}

static const ubi__string_rules string_rules = { .part_of_kind = string_part };

static size_t carried(ubi__carried out[UBI__MOST_CARRIED], const ubi_graph *graph) {
    const ubi__jsc_facts *facts = ubi__jsc_facts_of(graph);
    if (!facts)
        return 0;
    out[0] = (ubi__carried){ "labels", "labels of nodes", facts->is_debugging };
    out[1] = (ubi__carried){ "rootReasons", "reasons of roots", facts->roots.n > 0 };
    out[2] = (ubi__carried){ "wrappedAddresses", "addresses of wrapped objects", facts->wrapped.n > 0 };
    return 3;
}

static ubi__further_fact root_fact(const ubi_graph *graph, const ubi__jsc_root *root, bool is_reachability) {
    ubi_text text = ubi_graph_string(graph, is_reachability ? root->reachability : root->reason);
    return is_reachability ? (ubi__further_fact){ "opaqueRootReason", "Opaque root", text }
                           : (ubi__further_fact){ "rootReason", "Root reason", text };
}

static size_t further_facts(ubi__further_fact out[UBI__MOST_FURTHER_FACTS], const ubi_graph *graph, ubi_node_ix node,
                            ubi_look_name_buffer *buffer) {
    const ubi__jsc_facts *facts = ubi__jsc_facts_of(graph);
    const ubi__jsc_root *root = facts ? ubi__jsc_root_of(facts, node) : NULL;
    uint64_t wrapped = facts ? ubi__jsc_wrapped_of(facts, node) : 0;
    size_t n = 0;
    UBI_ASSERT(!facts || facts->is_debugging || (!root && !wrapped));
    UBI_ASSERT(!root || (root->node == node && (root == facts->roots.at || root[-1].node < node)));
    if (root)
        out[n++] = root_fact(graph, root, false);
    if (root && ubi_graph_string(graph, root->reachability).len)
        out[n++] = root_fact(graph, root, true);
    if (wrapped) {
        int length = snprintf(buffer->bytes, sizeof buffer->bytes, "0x%" PRIx64, wrapped);
        out[n++] = (ubi__further_fact){ "wrappedAddress", "Wraps", { buffer->bytes, (size_t)length } };
    }
    return n;
}

/* ---- public names ----------------------------------------------------------------------------------------------------- */

/*
 * Names that JavaScriptCore's snapshots use for what is the engine's own, or Bun's. Collected from snapshots of WebKitGTK 2.50.6's
 * shell and of Bun 1.4.5, and read one by one: a name that a program could have brought is not here.
 */
static const ubi__name_group names[] = {
    { UBI__NAMES_TYPE,
      "<root>|root|function|element|Cell Butterfly|CustomGetterSetter|DOMAttributeGetterSetter|EvalCodeBlock|"
      "EvalExecutable|FunctionCodeBlock|FunctionExecutable|FunctionRareData|GetterSetter|Immutable Butterfly|"
      "JSGlobalLexicalEnvironment|JSLexicalEnvironment|JSModuleEnvironment|JSPropertyNameEnumerator|"
      "JSScriptFetcher|JSSourceCode|ModuleGraphLoadingState|ModuleLoader|ModuleLoadingContext|"
      "ModuleProgramCodeBlock|ModuleProgramExecutable|ModuleRegistryEntry|NativeExecutable|ProgramCodeBlock|"
      "ProgramExecutable|PropertyTable|ScopedArgumentsTable|Sentinel|SlimPromiseReaction|SparseArrayValueMap|"
      "StrictEvalActivation|StrongRootBlock|Structure|StructureChain|StructureRareData|SymbolTable|"
      "TemplateObjectDescriptor|UnlinkedEvalCodeBlock|UnlinkedFunctionCodeBlock|UnlinkedFunctionExecutable|"
      "UnlinkedModuleProgramCodeBlock|UnlinkedProgramCodeBlock" },

    /* Objects of the engine, and of Bun. */
    { UBI__NAMES_CLASS, "AsyncFromSyncIterator|InternalFieldTuple|InternalModuleRegistry|JSAsyncGeneratorFunction|"
                        "ModuleRecord|NextTickQueue|NodeJSFS|ProcessBindingConstants" },

    { 0, NULL },
};

static const ubi__name_group *const public_names[] = { names, NULL };

static const ubi__grammar grammar = { .names = public_names };

static const ubi__producer_words words = {
    .edge = edge_words,
    .node_is_engine = node_is_engine,
    .engine_run = run_words,
    .kind_is_permanent = kind_is_permanent,
    .path_start = path_start,
    .node_title = node_title,
};

/* ---- findings ------------------------------------------------------------------------------------------------------- */

static ubi__node_role role_of(const ubi_graph *g, const ubi_kind *kind) {
    static const ubi__class_role more[] = { { "Promise", UBI__ROLE_PROMISE },
                                            { "ArrayBuffer", UBI__ROLE_BUFFER },
                                            { NULL, UBI__ROLE_NONE } };
    switch (kind->raw_type) {
    case UBI__JSC_FUNCTION:
        return UBI__ROLE_CLOSURE;
    case UBI__JSC_SCOPE: /* that of a call; functions of all scripts share the others */
        return ubi__text_is(ubi_graph_string(g, kind->type_name), "JSLexicalEnvironment") ? UBI__ROLE_CONTEXT
                                                                                          : UBI__ROLE_NONE;
    case UBI__JSC_INSTANCE:
        return UBI__ROLE_OBJECT;
    case UBI__JSC_OBJECT:
        return ubi__role_of_class(ubi_graph_string(g, kind->class_name), more);
    default:
        return UBI__ROLE_NONE;
    }
}

/* A class's prototype has its class name, and its constructor. */
static bool node_is_prototype(const ubi__finding_facts *f, ubi_node_ix node) {
    return ubi__target_named(f->graph, node, UBI_EDGE_PROPERTY, "constructor") != UBI_NONE;
}

/* The engine does not note what maps and sets hold; of tables of a runtime, functions are the most. */
static ubi__entries entries_of(const ubi__finding_facts *f, ubi_node_ix node, ubi__node_bits *seen) {
    ubi__entries at = ubi__entries_are_edges(f, node, seen);
    if (at.role == UBI__ROLE_MAP || at.role == UBI__ROLE_SET || node_is_prototype(f, node))
        at.node = UBI_NONE;
    UBI_ASSERT(at.node == UBI_NONE || at.node == node);
    return at;
}

static bool edge_is_entry(const ubi__finding_facts *f, const ubi__entries *at, ubi_edge_ix e) {
    return ubi__graph_edge_kind(f->graph, e) == (at->role == UBI__ROLE_ARRAY ? UBI_EDGE_ELEMENT : UBI_EDGE_PROPERTY);
}

/* The first internal edge to a node of that type, and of that class unless it is NULL. */
static ubi_node_ix internal_of(const ubi_graph *g, ubi_node_ix node, ubi__jsc_type type, const char *class_name) {
    if (node == UBI_NONE)
        return UBI_NONE;
    for (ubi_edge_ix e = g->first_edge.at[node]; e < g->first_edge.at[node + 1]; e++) {
        const ubi_kind *kind = kind_of(g, g->target.at[e]);
        if (ubi__graph_edge_kind(g, e) == UBI_EDGE_INTERNAL && kind->raw_type == type &&
            (!class_name || ubi__text_is(ubi_graph_string(g, kind->class_name), class_name)))
            return g->target.at[e];
    }
    return UBI_NONE;
}

static ubi_node_ix scope_of(const ubi__finding_facts *f, ubi_node_ix node) {
    return internal_of(f->graph, node, UBI__JSC_SCOPE, NULL);
}

static ubi_node_ix property_of(const ubi_graph *g, ubi_node_ix node, const char *name) {
    return ubi__target_named(g, node, UBI_EDGE_PROPERTY, name);
}

/* ---- promises ------------------------------------------------------------------------------------------------------- */

/*
 * What waits for a promise is, in WebKit, an object with the properties onFulfilled, onRejected, and context or promise; in Bun, the
 * suspended call of an async function, or a handler and the promise of what it returns. A promise that is settled leads to its
 * value alone.
 */
static ubi_node_ix suspended_call_of(const ubi_graph *g, ubi_node_ix node) {
    ubi_node_ix reaction = internal_of(g, node, UBI__JSC_INSTANCE, NULL);
    if (reaction != UBI_NONE && property_of(g, reaction, "onFulfilled") != UBI_NONE)
        return property_of(g, reaction, "context");
    return internal_of(g, node, UBI__JSC_OBJECT, "AsyncFunctionGenerator");
}

static bool handler_awaits(ubi__awaited *out, const ubi_graph *g, ubi_node_ix node) {
    ubi_node_ix reaction = internal_of(g, node, UBI__JSC_INSTANCE, NULL);
    bool is_record = reaction != UBI_NONE && property_of(g, reaction, "onFulfilled") != UBI_NONE;
    out->function = is_record ? property_of(g, reaction, "onFulfilled") : internal_of(g, node, UBI__JSC_FUNCTION, NULL);
    out->result = is_record ? property_of(g, reaction, "promise") : internal_of(g, node, UBI__JSC_OBJECT, "Promise");
    return is_record || out->result != UBI_NONE;
}

static bool promise_awaited(ubi__awaited *out, const ubi__finding_facts *f, ubi_node_ix node) {
    const ubi_graph *g = f->graph;
    if (ubi__finding_role(f, node) != UBI__ROLE_PROMISE)
        return false;
    ubi_node_ix call = suspended_call_of(g, node);
    if (call != UBI_NONE) {
        out->function = internal_of(g, call, UBI__JSC_FUNCTION, NULL);
        out->result = internal_of(g, call, UBI__JSC_OBJECT, "Promise");
    } else if (!handler_awaits(out, g, node)) {
        return false;
    }
    if (out->function == UBI_NONE || type_of(g, out->function) != UBI__JSC_FUNCTION)
        return false;
    out->code = internal_of(g, out->function, UBI__JSC_CODE, NULL);
    out->code = out->code == UBI_NONE ? out->function : out->code;
    UBI_ASSERT(out->code == out->function || node_is_engine(g, out->code));
    UBI_ASSERT(out->function != node && out->code != node); /* which is a promise */
    return true;
}

/* Without labels, functions have no names; no file says where they are. */
static void function_words(char out[UBI__FUNCTION_WORDS], const ubi__finding_facts *f, ubi_node_ix function) {
    ubi_text label = ubi_graph_string(f->graph, ubi_graph_node_name(f->graph, function));
    ubi__finding_name name = ubi__finding_cut(label.ptr ? label : ubi__text(""));
    snprintf(out, UBI__FUNCTION_WORDS, *name.text ? "%s()" : "a function%s", name.text);
}

static const ubi__finding_entry rules[] = {
    { "closureContext", ubi__finding_closures },
    { "arrayBuffers", ubi__finding_buffers },
    { NULL, NULL },
};

static const ubi__producer_findings findings = {
    .role_of_kind = role_of,
    .rules = rules,
    .entries = entries_of,
    .edge_is_entry = edge_is_entry,
    .node_is_data = ubi__node_is_plain_data,
    .node_is_prototype = node_is_prototype,
    .promise_awaited = promise_awaited,
    .scope_of = scope_of,
    .function_words = function_words,
};

/* A cell's size is that of the cell, and of what Maps, Sets and buffers have beside it. */
static const char *without_size(const ubi_graph *graph) {
    (void)graph;
    return "elements of arrays and most properties of large objects";
}

static bool kind_is_value(const ubi_graph *graph, const ubi_kind *kind) {
    (void)graph;
    return kind->raw_type == UBI__JSC_BIGINT || kind->raw_type == UBI__JSC_SYMBOL;
}

/* ---- the producer, whole ------------------------------------------------------------------------------------------------ */

extern const ubi__producer ubi__producer_jsc;

const ubi__producer ubi__producer_jsc = {
    .name = "jsc",
    .made = made,
    .title = title,
    .lens = &jsc_lens,
    .words = &words,
    .keeps_addresses = true,
    .code = { .function_type = UBI__JSC_FUNCTION },
    .strings = &string_rules,
    .kind_is_value = kind_is_value,
    .without_size = without_size,
    .findings = &findings,
    .grammar = &grammar,
    .carried = carried,
    .further_facts = further_facts,
};
