/* SPDX-License-Identifier: MIT
 *
 * v8_fields.c: fields of V8's nodes, and words for functions.
 */
#include "lenses/v8/v8_fields.h"

#include <stdio.h>

#include "base/hash.h"
#include "lenses/v8/v8_producer.h"

/* Searching this few edges again is cheaper than remembering the answer. */
#define NARROW 32

static const struct {
    ubi_edge_kind kind;
    const char *name;
} known[UBI__FIELD_COUNT] = {
    [UBI__FIELD_CONTEXT] = { UBI_EDGE_INTERNAL, "context" },
    [UBI__FIELD_PREVIOUS] = { UBI_EDGE_INTERNAL, "previous" },
    [UBI__FIELD_SHARED] = { UBI_EDGE_INTERNAL, "shared" },
    [UBI__FIELD_SCRIPT] = { UBI_EDGE_INTERNAL, "script" },
    [UBI__FIELD_SCRIPT_OR_DEBUG_INFO] = { UBI_EDGE_INTERNAL, "script_or_debug_info" },
    [UBI__FIELD_SCOPE_INFO] = { UBI_EDGE_INTERNAL, "scope_info" },
    [UBI__FIELD_NAME_OR_SCOPE_INFO] = { UBI_EDGE_INTERNAL, "name_or_scope_info" },
    [UBI__FIELD_SCOPE_ID] = { UBI_EDGE_INTERNAL, "scope_id" },
    [UBI__FIELD_VALUE] = { UBI_EDGE_INTERNAL, "value" },
    [UBI__FIELD_TABLE] = { UBI_EDGE_INTERNAL, "table" },
    [UBI__FIELD_ELEMENTS] = { UBI_EDGE_INTERNAL, "elements" },
    [UBI__FIELD_PROTOTYPE] = { UBI_EDGE_PROPERTY, "__proto__" },
    [UBI__FIELD_CONSTRUCTOR] = { UBI_EDGE_PROPERTY, "constructor" },
    [UBI__FIELD_ON_TIMEOUT] = { UBI_EDGE_PROPERTY, "_onTimeout" },
    [UBI__FIELD_ON_IMMEDIATE] = { UBI_EDGE_PROPERTY, "_onImmediate" },
    [UBI__FIELD_CALLBACK] = { UBI_EDGE_PROPERTY, "callback" },
    [UBI__FIELD_IDLE_NEXT] = { UBI_EDGE_PROPERTY, "_idleNext" },
    [UBI__FIELD_REPEAT] = { UBI_EDGE_PROPERTY, "_repeat" },
    [UBI__FIELD_BOUND_FUNCTION] = { UBI_EDGE_INTERNAL, "bound_function" },
    [UBI__FIELD_WEAK_TARGET] = { UBI_EDGE_WEAK, "target" },
    [UBI__FIELD_REACTIONS] = { UBI_EDGE_INTERNAL, "reactions_or_result" },
    [UBI__FIELD_EXTENSION] = { UBI_EDGE_INTERNAL, "extension" },
    [UBI__FIELD_FUNCTION] = { UBI_EDGE_INTERNAL, "function" },
    [UBI__FIELD_CURRENT] = { UBI_EDGE_PROPERTY, "current" },
    [UBI__FIELD_CHILD] = { UBI_EDGE_PROPERTY, "child" },
    [UBI__FIELD_SIBLING] = { UBI_EDGE_PROPERTY, "sibling" },
    [UBI__FIELD_ALTERNATE] = { UBI_EDGE_PROPERTY, "alternate" },
    [UBI__FIELD_TYPE] = { UBI_EDGE_PROPERTY, "type" },
    [UBI__FIELD_MEMOIZED_STATE] = { UBI_EDGE_PROPERTY, "memoizedState" },
    [UBI__FIELD_FILENAME] = { UBI_EDGE_PROPERTY, "filename" },
    [UBI__FIELD_SOCKET_HANDLE] = { UBI_EDGE_PROPERTY, "<symbol kHandle>" },
};

static ubi_node_ix search_edges(const ubi_graph *g, ubi_node_ix node, ubi__v8_field_name name) {
    for (ubi_edge_ix e = g->first_edge.at[node]; e < g->first_edge.at[node + 1]; e++)
        if (ubi__v8_edge_is(g, e, known[name].kind, known[name].name))
            return g->target.at[e];
    return UBI_NONE;
}

ubi_node_ix ubi__v8_field(ubi__fields *fields, ubi_node_ix node, ubi__v8_field_name name) {
    const ubi_graph *g = fields->graph;
    if (node == UBI_NONE)
        return UBI_NONE;
    if (g->first_edge.at[node + 1] - g->first_edge.at[node] <= NARROW)
        return search_edges(g, node, name);
    /* The map has no room for UBI_NONE: the number after the last node says that there is no such field. */
    uint64_t key = ubi__u64_pair((uint32_t)name, node);
    uint32_t kept = ubi__u64_map_get(&fields->found, key);
    if (kept != UBI_NONE)
        return kept == g->n_nodes ? UBI_NONE : kept;
    ubi_node_ix found = search_edges(g, node, name);
    if (fields->status == UBI_OK)
        fields->status = ubi__u64_map_put(&fields->found, key, found == UBI_NONE ? g->n_nodes : found);
    return found;
}

bool ubi__v8_slot(uint32_t *out, const ubi_graph *g, ubi_edge_ix e) {
    uint32_t slot = 0;
    if (ubi__graph_edge_kind(g, e) != UBI_EDGE_INTERNAL)
        return false;
    ubi_text name = ubi_graph_string(g, g->name.at[e]);
    if (name.len == 0 || name.len > 9)
        return false;
    for (size_t i = 0; i < name.len; i++) {
        if (name.ptr[i] < '0' || name.ptr[i] > '9')
            return false;
        slot = slot * 10 + (uint32_t)(name.ptr[i] - '0');
    }
    *out = slot;
    return true;
}

bool ubi__v8_is_rope(const ubi_graph *g, ubi_node_ix node) {
    return ubi__v8_facts_of(g) && g->kinds.rows.at[g->kind.at[node]].raw_type == UBI__V8_CONS_STRING;
}

bool ubi__v8_number_field(int64_t *out, ubi__fields *fields, ubi_node_ix node, ubi__v8_field_name name) {
    const ubi_graph *g = fields->graph;
    ubi_node_ix number = ubi__v8_field(fields, node, name);
    ubi_node_ix value = ubi__v8_field(fields, number, UBI__FIELD_VALUE);
    ubi_text text = value == UBI_NONE ? (ubi_text){ NULL, 0 } : ubi_graph_string(g, ubi__graph_node_name(g, value));
    bool negative = text.len && text.ptr[0] == '-';
    int64_t result = 0;
    if (text.len == negative || text.len > 18)
        return false;
    for (size_t i = negative; i < text.len; i++) {
        if (text.ptr[i] < '0' || text.ptr[i] > '9')
            return false;
        result = result * 10 + (text.ptr[i] - '0');
    }
    *out = negative ? -result : result;
    return true;
}

/* ---- functions ------------------------------------------------------------------------------------------------------ */

ubi_node_ix ubi__v8_script_of(ubi__fields *fields, ubi_node_ix closure) {
    ubi_node_ix shared = ubi__v8_field(fields, closure, UBI__FIELD_SHARED);
    ubi_node_ix script = ubi__v8_field(fields, shared, UBI__FIELD_SCRIPT);
    return script != UBI_NONE ? script : ubi__v8_field(fields, shared, UBI__FIELD_SCRIPT_OR_DEBUG_INFO);
}

/* Many files have this name. */
static bool says_little(ubi_text file) {
    return file.len >= 6 && memcmp(file.ptr, "index.", 6) == 0;
}

/* Without what a URL says beyond the path. */
static ubi_text url_path(ubi_text url) {
    if (!memmem(url.ptr, url.len, "://", 3))
        return url;
    for (size_t i = 0; i < url.len; i++)
        if (url.ptr[i] == '?' || url.ptr[i] == '#')
            return (ubi_text){ url.ptr, i };
    return url;
}

/* The last part of a script's path: "app.js", "depd/index.js", or "127.0.0.1:8000/" of a page without a file. Empty: unknown. */
static ubi_text script_name(const ubi_graph *g, ubi_node_ix script) {
    static const char prefix[] = "system / Script";
    ubi_text name = script == UBI_NONE ? (ubi_text){ "", 0 } : ubi_graph_string(g, ubi__graph_node_name(g, script));
    if (!name.ptr)
        return (ubi_text){ "", 0 };
    if (name.len >= sizeof prefix - 1 && memcmp(name.ptr, prefix, sizeof prefix - 1) == 0) {
        size_t n = name.len >= sizeof prefix + 2 ? sizeof prefix + 2 : name.len; /* " / " after it */
        name = (ubi_text){ name.ptr + n, name.len - n };
    }
    name = url_path(name);
    for (size_t i = name.len; i-- > 0;) {
        ubi_text file = { name.ptr + i + 1, name.len - i - 1 };
        if (name.ptr[i] == '/' && file.len && !says_little(file))
            return file;
    }
    return name;
}

bool ubi__v8_file_is_of_runtime(ubi_text name) {
    static const char *const prefixes[] = { "node:", "internal/", "extensions::" };
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (name.len >= strlen(prefixes[i]) && memcmp(name.ptr, prefixes[i], strlen(prefixes[i])) == 0)
            return true;
    return false;
}

bool ubi__v8_is_of_runtime(ubi__fields *fields, ubi_node_ix closure) {
    const ubi_graph *g = fields->graph;
    ubi_node_ix script = ubi__v8_script_of(fields, closure);
    return script != UBI_NONE && ubi__v8_file_is_of_runtime(ubi_graph_string(g, ubi__graph_node_name(g, script)));
}

void ubi__v8_shorten(char *out, size_t room, ubi_text text, size_t max) {
    size_t n = text.len;
    if (n > max) {
        n = max;
        while (n > 0 && ((uint8_t)text.ptr[n] & 0xc0) == 0x80)
            n--;
    }
    snprintf(out, room, "%.*s%s", (int)n, text.ptr ? text.ptr : "", n < text.len ? "..." : "");
}

void ubi__v8_function_place(char out[UBI__FUNCTION_WORDS], const ubi__v8_facts *facts, ubi__fields *fields,
                            ubi_node_ix closure) {
    char script[64];
    const ubi__v8_location *at = ubi__v8_location_of(facts, closure);
    ubi_node_ix file = ubi__v8_script_of(fields, closure);
    if (file == UBI_NONE && at)
        file = at->script;
    ubi__v8_shorten(script, sizeof script, script_name(fields->graph, file), 48);
    if (*script && at)
        snprintf(out, UBI__FUNCTION_WORDS, "%s:%llu", script, (unsigned long long)at->line + 1);
    else
        snprintf(out, UBI__FUNCTION_WORDS, "%s", script);
}

void ubi__v8_file_of(char out[UBI__FUNCTION_WORDS], ubi__fields *fields, ubi_node_ix closure) {
    ubi__v8_shorten(out, UBI__FUNCTION_WORDS, script_name(fields->graph, ubi__v8_script_of(fields, closure)), 48);
}

void ubi__v8_function_words(char out[UBI__FUNCTION_WORDS], const ubi__v8_facts *facts, ubi__fields *fields,
                            ubi_node_ix closure) {
    char function[64], place[UBI__FUNCTION_WORDS];
    ubi_text name = ubi_graph_string(fields->graph, ubi__graph_node_name(fields->graph, closure));
    ubi__v8_shorten(function, sizeof function, name, 48);
    ubi__v8_function_place(place, facts, fields, closure);
    snprintf(out, UBI__FUNCTION_WORDS, *place ? "%s%s (%.80s)" : "%s%s", name.len ? function : "(anonymous function)",
             name.len ? "()" : "", place);
}

/* ---- code ----------------------------------------------------------------------------------------------------------- */

/* Functions can be bound again. */
#define MOST_BINDINGS 8

static bool is_closure(const ubi_graph *g, ubi_node_ix node) {
    return node != UBI_NONE && g->kinds.rows.at[g->kind.at[node]].raw_type == UBI__V8_CLOSURE;
}

/* Objects of the runtime that call a function, and where they have it. */
static const struct {
    const char *class_name;
    ubi__v8_field_name field;
} callers[] = { { "Timeout", UBI__FIELD_ON_TIMEOUT },
                { "Immediate", UBI__FIELD_ON_IMMEDIATE },
                { "Listener", UBI__FIELD_CALLBACK } };

/* Bound functions, timers and listeners have few edges. A node with many is none of them, and its edges would be searched again and again. */
static ubi_node_ix narrow_field(const ubi_graph *g, ubi_node_ix node, ubi__v8_field_name name) {
    bool is_narrow = g->first_edge.at[node + 1] - g->first_edge.at[node] <= NARROW;
    return is_narrow ? search_edges(g, node, name) : UBI_NONE;
}

/* Of a timer or listener the function that it calls; UBI_NONE: it is neither. */
static ubi_node_ix called_by(const ubi_look *look, ubi_node_ix node) {
    const ubi_graph *g = look->graph;
    if (g->kinds.rows.at[g->kind.at[node]].raw_type != UBI__V8_OBJECT)
        return UBI_NONE;
    ubi_text name = ubi_look_node_name(look, node);
    for (size_t i = 0; i < sizeof callers / sizeof *callers; i++)
        if (ubi__text_is(name, callers[i].class_name))
            return narrow_field(g, node, callers[i].field);
    return UBI_NONE;
}

ubi_node_ix ubi__v8_code_of(const ubi_look *look, ubi_node_ix node) {
    const ubi_graph *g = look->graph;
    if (!is_closure(g, node))
        node = called_by(look, node);
    if (!is_closure(g, node))
        return UBI_NONE;
    for (int i = 0; i < MOST_BINDINGS; i++) {
        ubi_node_ix bound = narrow_field(g, node, UBI__FIELD_BOUND_FUNCTION);
        if (!is_closure(g, bound))
            break;
        node = bound;
    }
    return node;
}

uint64_t ubi__v8_code_site(const ubi_look *look, ubi_node_ix node) {
    const ubi_graph *g = look->graph;
    const ubi__v8_facts *facts = ubi__v8_facts_of(g);
    ubi_node_ix code = facts ? ubi__v8_code_of(look, node) : UBI_NONE;
    const ubi__v8_location *at = code == UBI_NONE ? NULL : ubi__v8_location_of(facts, code);
    return at ? ubi__hash_combine(at->script_id, (uint64_t)at->line << 32 | at->column) | 1 : 0;
}

/* ---- files of code ----------------------------------------------------------------------------------------------- */

/*
 * Which file a piece of V8's code is from.
 *
 * Functions and objects have places in the file's table of locations; what is compiled for them has none. A function's shared
 * info names its script, and what only code of one script leads to belongs to that script.
 * Owners spread as those of sizes do: a node has none at first, then one, then too many; so each is looked at twice at most.
 */

#define MANY (UBI_NONE - 1) /* while owners spread: code of more than one script */

typedef struct spread {
    const ubi_graph *graph;
    const ubi_allocator *allocator;
    ubi_node_ix *script;
    uint64_t *fixed; /* a bit per node that names its script itself */
    ubi__vec_u32 waiting;
} spread;

static bool is_code(const ubi_graph *g, ubi_node_ix n) {
    return g->kinds.rows.at[g->kind.at[n]].raw_type == UBI__V8_CODE;
}

static ubi_text name_of(const ubi_graph *g, ubi_node_ix n) {
    return ubi__strtab_get(&g->strings, ubi__graph_node_name(g, n));
}

/* V8's own code, which functions of all scripts share. */
static bool is_builtin(ubi_text name) {
    static const char *const ends[] = { " builtin handle)", "(builtin)" };
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (ubi__text_ends(name, ends[i]))
            return true;
    return false;
}

static bool is_script_edge(const ubi_graph *g, ubi_edge_ix e) {
    if (ubi__graph_edge_kind(g, e) != UBI_EDGE_INTERNAL || g->name.at[e] == UBI_NONE)
        return false;
    ubi_text name = ubi__strtab_get(&g->strings, g->name.at[e]);
    return ubi__text_is(name, "script") || ubi__text_is(name, "script_or_debug_info");
}

static ubi_status script_give(spread *s, ubi_node_ix n, ubi_node_ix script) {
    s->script[n] = script;
    return ubi__vec_u32_push(&s->waiting, s->allocator, n);
}

static ubi_status script_fix(spread *s, ubi_node_ix n, ubi_node_ix script) {
    if (s->fixed[n >> 6] >> (n & 63) & 1)
        return UBI_OK;
    s->fixed[n >> 6] |= UINT64_C(1) << (n & 63);
    return script_give(s, n, script);
}

/* Nodes that name their script, and the scripts. */
static ubi_status find_scripts(spread *s) {
    const ubi_graph *g = s->graph;
    for (ubi_node_ix n = 0; n < g->n_nodes; n++) {
        if (!is_code(g, n))
            continue;
        for (ubi_edge_ix e = g->first_edge.at[n]; e < g->first_edge.at[n + 1]; e++)
            if (is_script_edge(g, e) && is_code(g, g->target.at[e])) {
                UBI_TRY(script_fix(s, g->target.at[e], g->target.at[e]));
                UBI_TRY(script_fix(s, n, g->target.at[e]));
            }
    }
    return UBI_OK;
}

static ubi_status script_reach(spread *s, ubi_node_ix n, ubi_node_ix script) {
    ubi_node_ix old = s->script[n];
    bool fixed = s->fixed[n >> 6] >> (n & 63) & 1;
    if (fixed || old == script || old == MANY || !is_code(s->graph, n) || is_builtin(name_of(s->graph, n)))
        return UBI_OK;
    return script_give(s, n, old == UBI_NONE ? script : MANY);
}

static ubi_status spread_scripts(spread *s) {
    const ubi_graph *g = s->graph;
    UBI_TRY(find_scripts(s));
    while (s->waiting.n) {
        ubi_node_ix n = s->waiting.at[--s->waiting.n], script = s->script[n];
        for (ubi_edge_ix e = g->first_edge.at[n]; e < g->first_edge.at[n + 1]; e++)
            if (ubi__graph_edge_kind(g, e) != UBI_EDGE_WEAK)
                UBI_TRY(script_reach(s, g->target.at[e], script));
    }
    for (ubi_node_ix n = 0; n < g->n_nodes; n++)
        if (s->script[n] == MANY)
            s->script[n] = UBI_NONE;
        else
            UBI_ASSERT(s->script[n] == UBI_NONE || s->script[s->script[n]] == s->script[n]);
    return UBI_OK;
}

ubi_status ubi__v8_code_files_init(ubi__code_files *out, const ubi_graph *graph, const ubi_allocator *a) {
    size_t n_words = graph->n_nodes / 64 + 1;
    *out = (ubi__code_files){ ubi__alloc_array(a, graph->n_nodes, sizeof *out->script), graph->n_nodes };
    spread s = { .graph = graph, .allocator = a, .script = out->script };
    s.fixed = ubi__calloc_array(a, n_words, sizeof *s.fixed);
    ubi_status status = out->script && s.fixed ? UBI_OK : ubi__fail_nomem();
    if (status == UBI_OK) {
        memset(s.script, 0xff, graph->n_nodes * sizeof *s.script);
        status = spread_scripts(&s);
    }
    ubi__free_array(a, s.fixed, n_words, sizeof *s.fixed);
    ubi__vec_u32_fini(&s.waiting, a);
    return status;
}

/* Node calls a script by its file; Chromium writes "system / Script / URL", and nothing after the second word for none. */
ubi_text ubi__v8_code_file(const ubi__code_files *files, const ubi_graph *graph, ubi_node_ix node) {
    static const char bare[] = "system / Script", before[] = "system / Script / ";
    const size_t n = sizeof before - 1;
    ubi_text none = { NULL, 0 };
    if (files->script[node] == UBI_NONE)
        return none;
    ubi_text name = name_of(graph, files->script[node]);
    if (name.len >= n && memcmp(name.ptr, before, n) == 0)
        name = (ubi_text){ name.ptr + n, name.len - n };
    return name.len && !ubi__text_is(name, bare) ? name : none;
}
