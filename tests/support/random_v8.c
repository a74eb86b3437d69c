/* SPDX-License-Identifier: MIT
 *
 * random_v8.c: see random_v8.h.
 */
#include "random_v8.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "formats/v8/v8_facts.h"
#include "formats/v8/v8_types.h"
#include "graph/builder.h"

enum { MAX_STRINGS = 30, MAX_FRAMES = 12, MAX_NODES = 30, LONG_TEXT = 70000 };

typedef struct maker {
    ubi_graph_builder *builder;
    ubi__v8_facts *facts;
    const ubi_allocator *allocator;
    uint32_t n_strings, n_nodes, n_frames;
    bool has_other_edges;
} maker;

static void must(ubi_status status) {
    if (status != UBI_OK)
        abort();
}

static uint64_t random_u53(void) {
    uint64_t x = (uint64_t)random_below(1 << 26) << 27 | random_below(1 << 27);
    return x >> random_below(53);
}

/* ---- texts ------------------------------------------------------------------------------------------------------- */

static ubi_text random_text(void) {
    static char page[LONG_TEXT];
    static const char *const pool[] = { "",
                                        "Object",
                                        "system / Map",
                                        "system / Context",
                                        "<div id=\"a\" class=\"b\">",
                                        "Detached <p>",
                                        "Text",
                                        "blink::Node",
                                        "(GC roots)",
                                        "map",
                                        "374",
                                        "2 / part of key (A @1) -> value (B @3) pair in WeakMap (table @5)",
                                        "quote \" backslash \\ slash /",
                                        "\b\f\n\r\t\x01\x1f\x7f",
                                        "\xc3\xa9\xe4\xb8\xad",
                                        "\xf0\x9f\x98\x80",
                                        "\xed\xb0\x80 lone",
                                        "https://example.com/a.js?b=c#d",
                                        "<dummy>" };
    enum { POOL = sizeof pool / sizeof *pool };
    if (random_below(40)) {
        const char *text = pool[random_below(POOL)];
        return (ubi_text){ text, strlen(text) };
    }
    memset(page, "a\n"[random_below(2)], sizeof page);
    return (ubi_text){ page, random_below(LONG_TEXT) };
}

static void add_strings(maker *m) {
    m->n_strings = 1 + random_below(MAX_STRINGS - 1);
    for (uint32_t i = 0; i < m->n_strings; i++) {
        ubi_str_ix ix;
        must(ubi_graph_builder_string(m->builder, &ix, random_text()));
    }
}

static ubi_str_ix some_string(const maker *m) {
    return random_below(m->n_strings);
}

/* ---- traces ------------------------------------------------------------------------------------------------------ */

static void add_functions(maker *m) {
    for (uint32_t n = 1 + random_below(5); n > 0; n--) {
        ubi__v8_function f = { some_string(m),   some_string(m),   random_u53(),
                               random_below(99), random_below(99), random_below(99) };
        must(ubi__vec_v8_function_push(&m->facts->functions, m->allocator, f));
    }
}

/* Depth first, as in a file. */
static void add_frames(maker *m) {
    ubi_frame_ix last = UBI_NONE;
    uint32_t id = 0;
    m->n_frames = random_below(MAX_FRAMES);
    for (uint32_t i = 0; i < m->n_frames; i++) {
        uint32_t function = random_below((uint32_t)m->facts->functions.n);
        const ubi__v8_function *f = &m->facts->functions.at[function];
        ubi__v8_trace trace = { function, id += 1 + random_below(3), random_u53(), random_u53() };
        ubi_frame_desc frame = { .id = trace.id,
                                 .parent = last,
                                 .source = f->script_name,
                                 .function_name = f->name,
                                 .line = f->line,
                                 .column = f->column };
        must(ubi_graph_builder_frame(m->builder, &last, &frame));
        must(ubi__vec_v8_trace_push(&m->facts->traces, m->allocator, trace));
        for (uint32_t up = random_below(3); up > 0 && m->builder->graph->frames.rows.at[last].parent != UBI_NONE; up--)
            last = m->builder->graph->frames.rows.at[last].parent;
    }
}

/* ---- nodes and edges --------------------------------------------------------------------------------------------- */

static ubi_str_ix intern(maker *m, ubi_text text) {
    ubi_str_ix ix;
    must(ubi__strtab_intern(&m->builder->graph->strings, &ix, text));
    return ix;
}

static ubi_str_ix class_entry(maker *m, const ubi__v8_kind_names *names) {
    static char text[LONG_TEXT + 1];
    if (!names->class_name.ptr)
        return UBI_NONE;
    memcpy(text, names->class_name.ptr, names->class_name.len);
    text[names->class_name.len] = '>';
    return intern(m, (ubi_text){ text, names->class_name.len + names->is_class_cut });
}

static ubi_text copy_of(ubi_text text) {
    static char copy[LONG_TEXT];
    if (text.len)
        memcpy(copy, text.ptr, text.len);
    return (ubi_text){ copy, text.len };
}

/* As the reader makes it of a type and a name. */
static ubi_kind random_kind(maker *m, ubi__v8_type type, ubi_str_ix name) {
    static const char *const later[] = { "later type", "another" };
    ubi__v8_kind_names names;
    ubi_kind kind = { UBI_NONE, UBI_NONE, UBI_NONE, UBI_NONE, UBI_COARSE_OTHER, (uint8_t)type, 0 };
    const char *type_name = type == UBI__V8_OTHER ? later[random_below(2)] : ubi__v8_type_name(type);
    ubi_text text = copy_of(ubi__strtab_get(&m->builder->graph->strings, name));
    ubi__v8_kind_names_of(&names, type, ubi__text(type_name), text);
    kind.coarse_type = names.coarse_type;
    kind.type_name = intern(m, names.type_name);
    kind.class_name = class_entry(m, &names);
    if (names.is_document)
        kind.descriptive_name = kind.class_name;
    if (m->facts->has_detachedness)
        kind.detachedness = (uint8_t)random_below(3);
    return kind;
}

static void add_edges(maker *m, uint32_t step) {
    for (uint32_t e = random_below(6); e > 0; e--) {
        uint64_t target = 1 + (uint64_t)random_below(m->n_nodes) * step;
        ubi_edge_kind kind = (ubi_edge_kind)(UBI_EDGE_CONTEXT + random_below(UBI_EDGE_KIND_COUNT - UBI_EDGE_CONTEXT));
        if (m->has_other_edges && random_below(4) == 0)
            kind = UBI_EDGE_REFERENCE; /* of a type that nobody knows */
        if (ubi__edge_kind_is_numbered(kind))
            must(ubi_graph_builder_numbered_edge(m->builder, target, kind,
                                                 random_below(3) ? random_below(9) : UINT32_MAX));
        else
            must(ubi_graph_builder_edge_of(m->builder, target, kind, some_string(m)));
    }
}

static void add_nodes(maker *m) {
    uint32_t step = 1 + random_below(1000);
    m->n_nodes = 1 + random_below(MAX_NODES);
    m->facts->has_trace_ids = m->n_frames || random_below(2);
    for (uint32_t i = 0; i < m->n_nodes; i++) {
        ubi__v8_type type = (ubi__v8_type)(UBI__V8_HIDDEN + random_below(UBI__V8_OTHER));
        ubi_str_ix name = some_string(m);
        ubi_node_desc node = { .id = 1 + (uint64_t)i * step, .size_bytes = random_u53() };
        node.kind = random_kind(m, i ? type : UBI__V8_SYNTHETIC, name);
        node.stack = m->n_frames && random_below(2) ? random_below(m->n_frames) : UBI_NONE;
        must(ubi_graph_builder_node(m->builder, &node));
        must(ubi_graph_builder_node_name(m->builder, name));
        add_edges(m, step);
    }
}

/* ---- the other facts --------------------------------------------------------------------------------------------- */

static void add_locations(maker *m) {
    bool with_script = random_below(2);
    for (ubi_node_ix n = 0; n < m->n_nodes; n++) {
        ubi__v8_location l = { n, random_below(99), random_below(99), random_below(99), UBI_NONE };
        if (with_script)
            l.script = random_below(m->n_nodes);
        if (random_below(3) == 0)
            must(ubi__vec_v8_location_push(&m->facts->locations, m->allocator, l));
    }
}

static void add_samples(maker *m) {
    uint64_t time_us = 0, id = 0;
    for (uint32_t n = random_below(4); n > 0; n--)
        must(ubi__vec_v8_sample_push(&m->facts->samples, m->allocator,
                                     (ubi__v8_sample){ time_us += random_below(1000), id += random_below(1000) }));
}

static int64_t random_scope_id(void) {
    return (int64_t)random_below(100) - 50;
}

static void add_scope(maker *m) {
    ubi__v8_scope scope = { .script = random_below(m->n_nodes),
                            .scope_id = random_scope_id(),
                            .depth = random_below(9) };
    scope.first_variable = (uint32_t)m->facts->scope_variables.n;
    scope.n_variables = random_below(3);
    scope.first_use = (uint32_t)m->facts->scope_uses.n;
    scope.n_uses = random_below(3);
    for (uint32_t i = 0; i < scope.n_variables; i++)
        must(ubi__vec_u32_push(&m->facts->scope_variables, m->allocator, some_string(m)));
    for (uint32_t i = 0; i < scope.n_uses; i++)
        must(ubi__vec_v8_scope_use_push(&m->facts->scope_uses, m->allocator,
                                        (ubi__v8_scope_use){ random_scope_id(), random_below(9) }));
    must(ubi__vec_v8_scope_push(&m->facts->scopes, m->allocator, scope));
}

ubi_graph *random_v8_graph(void) {
    maker m = { .allocator = ubi_allocator_default() };
    ubi_graph *graph;
    must(ubi_graph_builder_new(&m.builder, m.allocator));
    m.facts = ubi__v8_facts_new(m.allocator);
    m.facts->has_detachedness = random_below(2);
    m.facts->has_extra_native_bytes = random_below(2);
    m.facts->extra_native_bytes = m.facts->has_extra_native_bytes ? random_u53() : 0;
    m.has_other_edges = random_below(10) == 0;
    add_strings(&m);
    if (random_below(2)) {
        add_functions(&m);
        add_frames(&m);
    }
    add_nodes(&m);
    add_locations(&m);
    add_samples(&m);
    for (uint32_t n = random_below(2) ? random_below(4) : 0; n > 0; n--)
        add_scope(&m);
    m.facts->stride = 5u + m.facts->has_trace_ids + m.facts->has_detachedness;
    must(ubi_graph_builder_finish(&graph, m.builder));
    ubi_graph_builder_free(m.builder);
    if (random_below(8) == 0) {
        graph->root = m.n_nodes - 1; /* a file may say so */
        must(ubi__graph_find_reachable(graph, NULL));
    }
    graph->format = "heapsnapshot";
    graph->facts = m.facts;
    graph->free_facts = ubi__v8_facts_free;
    return graph;
}
