/* SPDX-License-Identifier: MIT
 *
 * random_v8_heap.c: see random_v8_heap.h.
 */
#include "random_v8_heap.h"

#include <stdlib.h>
#include <string.h>

#include "formats/v8/v8_facts.h"

static const char *const node_names[] = {
    "Object",
    "Object",
    "Array",
    "Array",
    "system / NativeContext",
    "system / NativeContext / a",
    "Detached system / NativeContext",
    "system / NativeContextual",
    "system / Context",
    "system / Context / scope",
    "system / Contextual",
    "V8EventListener",
    "V8EventListener",
    "<div id=\"a\">",
    "Detached <p>",
    "system / JSArrayBufferData",
    "system / ExternalStringData",
    "(Document DOM trees)",
    "(map descriptors)",
    "",
    "a",
    "ab",
    "b",
};

static const char *const edge_names[] = {
    "map",
    "map",
    "map",
    "native_context",
    "native_context",
    "elements",
    "elements",
    "code",
    "first",
    "second",
    "1",
    "a",
    "x / DevTools console",
    "value",
    "length",
    "hash",
    "truncated",
    "sloppy_function_map",
    "01",
    "1 / part of key (A @1) -> value (B @3) pair in WeakMap (table @5)",
};

enum {
    N_NODE_NAMES = sizeof node_names / sizeof *node_names,
    N_EDGE_NAMES = sizeof edge_names / sizeof *edge_names,
    FIRST_HALF = 8, /* place of "first" among names of edges, "second" behind it */
    N_COPIES = 2    /* entries of each text */
};

static void must(ubi_status status) {
    if (status != UBI_OK)
        abort();
}

static void add_strings(ubi_graph_builder *b) {
    for (uint32_t i = 0; i < N_COPIES * (N_NODE_NAMES + N_EDGE_NAMES); i++) {
        uint32_t text = i / N_COPIES;
        const char *s = text < N_NODE_NAMES ? node_names[text] : edge_names[text - N_NODE_NAMES];
        ubi_str_ix ix;
        must(ubi_graph_builder_string(b, &ix, (ubi_text){ s, strlen(s) }));
    }
}

static ubi_coarse_type coarse_type_of(ubi__v8_type type) {
    switch (type) {
    case UBI__V8_STRING:
    case UBI__V8_CONS_STRING:
    case UBI__V8_SLICED_STRING:
        return UBI_COARSE_STRING;
    case UBI__V8_CODE:
        return UBI_COARSE_SCRIPT;
    case UBI__V8_OBJECT:
    case UBI__V8_CLOSURE:
        return UBI_COARSE_OBJECT;
    default:
        return UBI_COARSE_OTHER;
    }
}

/* A graph being made: what nodes will be is known before their edges are. */
typedef struct maker {
    ubi_graph_builder *builder;
    uint32_t n, multiplier;
    ubi__v8_type *types; /* types[n] */
} maker;

static bool is_string(ubi__v8_type type) {
    return type == UBI__V8_STRING || type == UBI__V8_CONS_STRING || type == UBI__V8_SLICED_STRING;
}

static ubi__v8_type random_type(void) {
    static const ubi__v8_type common[] = { UBI__V8_OBJECT,    UBI__V8_NATIVE, UBI__V8_STRING, UBI__V8_CONS_STRING,
                                           UBI__V8_SYNTHETIC, UBI__V8_HIDDEN, UBI__V8_ARRAY,  UBI__V8_CLOSURE };
    return random_below(3) ? common[random_below(8)] : (ubi__v8_type)(1 + random_below(UBI__V8_OTHER));
}

/* The last string is no concatenation, so that each of these has strings behind it. */
static void choose_types(maker *m) {
    bool has_string = false;
    for (uint32_t i = m->n; i-- > 0; has_string |= is_string(m->types[i])) {
        m->types[i] = random_type();
        if (m->types[i] == UBI__V8_CONS_STRING && !has_string)
            m->types[i] = UBI__V8_STRING;
    }
}

static uint64_t id_of(const maker *m, uint32_t i) {
    return (uint64_t)i * m->multiplier % 1024;
}

static void add_node(const maker *m, uint32_t i) {
    ubi__v8_type type = m->types[i];
    ubi_node_desc node = { .id = id_of(m, i),
                           .size_bytes = random_below(4) ? random_below(100) : 0,
                           .stack = UBI_NONE };
    node.kind = (ubi_kind){ .type_name = 0,
                            .class_name = UBI_NONE,
                            .script_filename = UBI_NONE,
                            .descriptive_name = UBI_NONE,
                            .coarse_type = coarse_type_of(type),
                            .raw_type = (uint8_t)type,
                            .detachedness = (uint8_t)(random_below(4) ? 0 : random_below(3)) };
    must(ubi_graph_builder_node(m->builder, &node));
    must(ubi_graph_builder_node_name(m->builder, random_below(N_COPIES * N_NODE_NAMES)));
}

static void add_edge(const maker *m, ubi__v8_type source_type) {
    uint64_t target_id = id_of(m, random_below(m->n));
    ubi_str_ix name = N_COPIES * N_NODE_NAMES + random_below(N_COPIES * N_EDGE_NAMES);
    ubi_edge_kind kind = (ubi_edge_kind)(1 + random_below(UBI_EDGE_KIND_COUNT - 1));
    if (random_below(2) && source_type != UBI__V8_CONS_STRING)
        kind = UBI_EDGE_INTERNAL;
    if (kind == UBI_EDGE_ELEMENT || kind == UBI_EDGE_HIDDEN)
        must(ubi_graph_builder_numbered_edge(m->builder, target_id, kind, random_below(3)));
    else if (source_type != UBI__V8_CONS_STRING || kind != UBI_EDGE_INTERNAL)
        must(ubi_graph_builder_edge_of(m->builder, target_id, kind, name));
}

/* As V8 has them: two, both strings, never in a circle. */
static void add_halves(const maker *m, uint32_t i) {
    for (uint32_t half = 0; half < 2; half++) {
        uint32_t target = i;
        while (target == i || !is_string(m->types[target]))
            target = i + random_below(m->n - i);
        must(ubi_graph_builder_edge_of(m->builder, id_of(m, target), UBI_EDGE_INTERNAL,
                                       N_COPIES * (N_NODE_NAMES + FIRST_HALF + half)));
    }
}

static void add_facts(ubi_graph *graph) {
    ubi__v8_facts *facts = ubi__v8_facts_new(graph->allocator);
    if (!facts)
        abort();
    facts->has_detachedness = random_below(2);
    facts->has_extra_native_bytes = random_below(2);
    facts->extra_native_bytes = facts->has_extra_native_bytes ? random_below(1000) : 0;
    facts->stride = 7;
    graph->facts = facts;
    graph->free_facts = ubi__v8_facts_free;
}

ubi_graph *random_v8_heap(uint32_t max_nodes) {
    maker m = { .n = 1 + random_below(max_nodes), .multiplier = 1 + 2 * random_below(500) };
    ubi_graph *graph;
    m.types = malloc(m.n * sizeof *m.types);
    must(m.types ? ubi_graph_builder_new(&m.builder, NULL) : UBI_ENOMEM);
    add_strings(m.builder);
    choose_types(&m);
    for (uint32_t i = 0; i < m.n; i++) {
        add_node(&m, i);
        if (m.types[i] == UBI__V8_CONS_STRING)
            add_halves(&m, i);
        for (uint32_t e = random_below(5); e > 0; e--)
            add_edge(&m, m.types[i]);
    }
    must(ubi_graph_builder_finish(&graph, m.builder));
    ubi_graph_builder_free(m.builder);
    free(m.types);
    add_facts(graph);
    return graph;
}
