/* SPDX-License-Identifier: MIT
 *
 * random_devtools_graph.c: see random_devtools_graph.h.
 */
#include "random_devtools_graph.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "formats/v8/v8_facts.h"
#include "graph/graph_columns.h"
#include "random_numbers.h"

static const char *const node_names[] = { "Object",
                                          "Object",
                                          "Object",
                                          "",
                                          "Foo",
                                          "(string)",
                                          "<div id=\"a\">",
                                          "<div>",
                                          "< a b>",
                                          "Detached <b c",
                                          "Detached Text",
                                          "system / NativeContext",
                                          "system / ExternalStringData",
                                          "(map descriptors)",
                                          "(map descriptors)",
                                          "(Document DOM trees)",
                                          "{a, b}",
                                          "na\xc3\xafve \xf0\x9f\x98\x80" };

static const char *const edge_names[] = { "a",
                                          "b",
                                          "c",
                                          "d",
                                          "__proto__",
                                          "first",
                                          "second",
                                          "sloppy_function_map",
                                          "",
                                          "1",
                                          "4",
                                          "-5",
                                          " 7x",
                                          "+10",
                                          "x7",
                                          "x, y",
                                          "don't",
                                          "q\"\\\n\x01{}",
                                          "\xed\xa0\x80,",
                                          "na\xc3\xafve\xf0\x9f\x98\x80",
                                          "a_property_with_a_rather_long_name",
                                          "another_property_with_a_name_that_is_even_longer_than_that",
                                          "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xf0\x9f\x98\x80\xf0\x9f\x98\x80" };

#define N_NODE_NAMES (sizeof node_names / sizeof *node_names)
#define N_EDGE_NAMES (sizeof edge_names / sizeof *edge_names)
#define N_ENTRIES 24 /* names of entries of WeakMaps, some of them almost */
#define N_TEMPLATES 4
#define MAX_TEMPLATE 10

typedef struct maker {
    const random_devtools_options *options;
    ubi_graph_builder *b;
    uint32_t n_nodes;
    uint64_t *id;
    uint8_t *type;
    ubi_str_ix node_strings[2 * N_NODE_NAMES]; /* each text twice */
    ubi_str_ix edge_strings[2 * N_EDGE_NAMES];
    ubi_str_ix entries[N_ENTRIES];
    ubi_str_ix templates[N_TEMPLATES][MAX_TEMPLATE]; /* names of properties that objects have together */
    ubi_str_ix type_string;
    bool has_detachedness;
    bool is_dense; /* many plain objects with few properties */
    ubi__v8_facts *facts;
} maker;

static void check(ubi_status status) {
    if (status != UBI_OK) {
        fprintf(stderr, "random_devtools_graph: %s\n", ubi_error_message());
        abort();
    }
}

static ubi_str_ix string(maker *m, const char *text) {
    ubi_str_ix out;
    check(ubi_graph_builder_string(m->b, &out, ubi__text(text)));
    return out;
}

static uint64_t some_id(const maker *m) {
    return m->id[random_below(m->n_nodes)];
}

static void make_entries(maker *m) {
    static const char *const between[] = { ") -> value (", ") -> value (", ") -> value (", ") -> value(",
                                           "\n) -> value (" };
    static const char *const names[] = { "Object", "A (@1) -> value (x", "\xe2\x80\xa8", "" };
    char text[256];
    unsigned long long key = 0, value = 0, table = 0;
    int form = 0, name = 0;
    for (size_t i = 0; i < N_ENTRIES; i++) {
        if (i % 2 == 0 || random_below(8) == 0) { /* else the partner of the one before */
            key = some_id(m), value = some_id(m), table = some_id(m);
            form = (int)random_below(5), name = (int)random_below(8);
        }
        snprintf(text, sizeof text, "%u / part of key (%s @%llu%s%s @%llu) pair in WeakMap (table @%llu)%s",
                 random_below(12), names[name < 4 ? name : 0], key, between[form], names[0], value, table,
                 random_below(20) ? "" : " ");
        m->entries[i] = string(m, text);
    }
}

/* A name of few letters, of as many as make the limits of names interesting, or one with a meaning. */
static ubi_str_ix make_property(maker *m) {
    char text[64] = "";
    if (random_below(3) == 0)
        return m->edge_strings[random_below(2 * N_EDGE_NAMES)];
    size_t n = random_below(2) ? 1 + random_below(2) : 8 + random_below(50);
    for (size_t i = 0; i < n; i++)
        text[i] = (char)('a' + random_below(3));
    return string(m, text);
}

static void make_templates(maker *m) {
    for (size_t i = 0; i < N_TEMPLATES; i++)
        for (size_t k = 0; k < MAX_TEMPLATE; k++)
            m->templates[i][k] = i && k && random_below(2) ? m->templates[i - 1][k] : make_property(m);
}

static void make_strings(maker *m) {
    for (size_t i = 0; i < 2 * N_NODE_NAMES; i++)
        m->node_strings[i] = string(m, node_names[i % N_NODE_NAMES]);
    for (size_t i = 0; i < 2 * N_EDGE_NAMES; i++)
        m->edge_strings[i] = string(m, edge_names[i % N_EDGE_NAMES]);
    m->type_string = string(m, "some type");
    make_entries(m);
    make_templates(m);
}

/* A few types more often than others. */
static uint8_t random_type(void) {
    static const uint8_t often[] = { UBI__V8_OBJECT, UBI__V8_NATIVE,    UBI__V8_HIDDEN,
                                     UBI__V8_ARRAY,  UBI__V8_SYNTHETIC, UBI__V8_CONS_STRING };
    return random_below(4) ? often[random_below(sizeof often)] : (uint8_t)(1 + random_below(UBI__V8_OTHER - 1));
}

/* Names that mean something come with the right type now and then. */
static ubi_str_ix name_for(maker *m, uint8_t type) {
    static const char *const fitting[UBI__V8_TYPE_COUNT] = { [UBI__V8_OBJECT] = "Object",
                                                             [UBI__V8_HIDDEN] = "system / NativeContext",
                                                             [UBI__V8_ARRAY] = "(map descriptors)",
                                                             [UBI__V8_NATIVE] = "system / ExternalStringData",
                                                             [UBI__V8_SYNTHETIC] = "(Document DOM trees)" };
    ubi_str_ix name = m->node_strings[random_below(2 * N_NODE_NAMES)];
    if (m->is_dense && type == UBI__V8_OBJECT)
        return m->node_strings[0];
    for (size_t i = 0; fitting[type] && random_below(3) == 0 && i < N_NODE_NAMES; i++)
        if (strcmp(fitting[type], node_names[i]) == 0)
            name = m->node_strings[i + (random_below(2) ? N_NODE_NAMES : 0)];
    return name;
}

static void make_properties(maker *m) {
    if (m->is_dense) {
        for (uint32_t n = 1 + random_below(3); n; n--)
            check(ubi_graph_builder_edge_of(m->b, some_id(m), UBI_EDGE_PROPERTY, m->edge_strings[random_below(4)]));
        return;
    }
    const ubi_str_ix *template = m->templates[random_below(N_TEMPLATES)];
    uint32_t n = 1 + random_below(random_below(2) ? 3 : MAX_TEMPLATE);
    bool backwards = random_below(4) == 0;
    for (uint32_t i = 0; i < n; i++)
        if (i == 0 || random_below(16)) /* one is missing now and then */
            check(ubi_graph_builder_edge_of(m->b, some_id(m), UBI_EDGE_PROPERTY, template[backwards ? n - 1 - i : i]));
    if (random_below(8) == 0) /* or there twice */
        check(ubi_graph_builder_edge_of(m->b, some_id(m), UBI_EDGE_PROPERTY, template[0]));
}

static void make_edge(maker *m, uint32_t node) {
    uint8_t type = m->type[node];
    uint32_t target = random_below(m->n_nodes);
    ubi_edge_kind kind = (ubi_edge_kind)(1 + random_below(UBI_EDGE_KIND_COUNT - 1));
    ubi_str_ix name = m->edge_strings[random_below(2 * N_EDGE_NAMES)];
    if (type == UBI__V8_OBJECT && random_below(3)) {
        kind = UBI_EDGE_PROPERTY;
        name = m->edge_strings[random_below(4) + (random_below(2) ? N_EDGE_NAMES : 0)];
    }
    if (type == UBI__V8_CONS_STRING && random_below(4)) {
        kind = UBI_EDGE_INTERNAL;
        name = m->edge_strings[5 + random_below(2)];
    }
    if (type == UBI__V8_CONS_STRING && !m->options->cycles_of_strings) /* halves have higher numbers */
        target = node + random_below(m->n_nodes - node);
    if (kind == UBI_EDGE_INTERNAL && type != UBI__V8_CONS_STRING && random_below(2))
        name = m->entries[random_below(N_ENTRIES)];
    if (target == node && type == UBI__V8_CONS_STRING && !m->options->cycles_of_strings)
        kind = UBI_EDGE_WEAK;
    if (ubi__edge_kind_is_numbered(kind))
        check(ubi_graph_builder_numbered_edge(m->b, m->id[target], kind, random_below(12)));
    else
        check(ubi_graph_builder_edge_of(m->b, m->id[target], kind, name));
}

static void make_node(maker *m, uint32_t node) {
    ubi_node_desc desc = { .id = m->id[node], .size_bytes = random_below(100), .stack = UBI_NONE };
    desc.kind = (ubi_kind){ m->type_string, UBI_NONE, UBI_NONE, UBI_NONE, UBI_COARSE_OTHER, m->type[node], 0 };
    if (m->has_detachedness && random_below(4) == 0)
        desc.kind.detachedness = (uint8_t)random_below(3);
    check(ubi_graph_builder_node(m->b, &desc));
    check(ubi_graph_builder_node_name(m->b, name_for(m, m->type[node])));
    if (m->type[node] == UBI__V8_OBJECT && random_below(4))
        make_properties(m);
    for (uint32_t n = random_below(m->options->n_edges_per_node + 1) / (1 + random_below(2)); n; n--)
        make_edge(m, node);
    if (m->type[node] == UBI__V8_OBJECT && random_below(2)) {
        ubi__v8_location l = { node, random_below(2), random_below(2), random_below(2), UBI_NONE };
        check(ubi__vec_v8_location_push(&m->facts->locations, ubi_allocator_default(), l));
    }
}

static void make_nodes(maker *m) {
    for (uint32_t node = 0; node < m->n_nodes; node++) {
        m->id[node] = (uint64_t)node * 2 + (node % 3 != 0);
        m->type[node] = m->is_dense && random_below(4) ? UBI__V8_OBJECT : random_type();
    }
    if (random_below(4))
        m->type[0] = UBI__V8_SYNTHETIC;
    /* In half of the graphs the root leads to nothing but synthetic nodes: there is no user's part. */
    if (random_below(3) == 0)
        for (uint32_t node = 0; node < m->n_nodes; node++)
            m->type[node] = node % 2 ? m->type[node] : UBI__V8_SYNTHETIC;
    make_strings(m);
    for (uint32_t node = 0; node < m->n_nodes; node++)
        make_node(m, node);
}

ubi_graph *random_devtools_graph(const random_devtools_options *options) {
    maker m = { .options = options, .n_nodes = 1 + random_below(options->n_nodes) };
    ubi_graph *graph;
    m.id = malloc(m.n_nodes * sizeof *m.id);
    m.type = malloc(m.n_nodes);
    m.facts = ubi__v8_facts_new(ubi_allocator_default());
    m.is_dense = random_below(4) == 0;
    m.has_detachedness = m.facts->has_detachedness = random_below(2);
    check(ubi_graph_builder_new(&m.b, NULL));
    make_nodes(&m);
    check(ubi_graph_builder_finish(&graph, m.b));
    ubi_graph_builder_free(m.b);
    graph->format = "heapsnapshot";
    graph->facts = m.facts;
    graph->free_facts = ubi__v8_facts_free;
    free(m.id);
    free(m.type);
    return graph;
}
