/* SPDX-License-Identifier: MIT
 *
 * random_v8_heap.c: see random_v8_heap.h.
 */
#include "random_v8_heap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "formats/v8/v8_facts.h"
#include "graph/graph_columns.h"
#include "random_v8_words.h"

enum {
    N_ENTRIES = 24, /* names of entries of WeakMaps, some of them almost */
    N_TEMPLATES = 4,
    MAX_TEMPLATE = 10
};

typedef struct maker {
    const random_v8_options *options;
    const random_v8_words *words;
    ubi_graph_builder *b;
    uint32_t n_nodes;
    uint64_t *id;
    uint8_t *type;
    ubi_str_ix node_strings[2 * RANDOM_V8_MAX_NAMES], edge_strings[2 * RANDOM_V8_MAX_NAMES]; /* each text twice */
    ubi_str_ix entries[N_ENTRIES];
    ubi_str_ix templates[N_TEMPLATES][MAX_TEMPLATE]; /* names of properties that objects have together */
    ubi_str_ix type_string;
    bool is_about_rules;
    bool is_dense; /* many plain objects with few properties */
    ubi__v8_facts *facts;
} maker;

static void check(ubi_status status) {
    if (status != UBI_OK) {
        fprintf(stderr, "random_v8_heap: %s\n", ubi_error_message());
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

static ubi_str_ix edge_name(const maker *m, uint32_t i) {
    return m->edge_strings[i + (random_below(2) ? m->words->n_edges : 0)];
}

static ubi_str_ix some_edge_name(const maker *m) {
    return edge_name(m, random_below(m->words->n_edges));
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
        return some_edge_name(m);
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
    const random_v8_words *w = m->words;
    for (uint32_t i = 0; i < 2 * w->n_nodes; i++)
        m->node_strings[i] = string(m, w->nodes[i % w->n_nodes]);
    for (uint32_t i = 0; i < 2 * w->n_edges; i++)
        m->edge_strings[i] = string(m, w->edges[i % w->n_edges]);
    m->type_string = string(m, "some type");
    if (m->is_about_rules) {
        make_entries(m);
        make_templates(m);
    }
}

/* ---- types ------------------------------------------------------------------------------------------------------- */

static bool is_string(uint8_t type) {
    return type == UBI__V8_STRING || type == UBI__V8_CONS_STRING || type == UBI__V8_SLICED_STRING;
}

static ubi_coarse_type coarse_type_of(uint8_t type) {
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

/* A few types more often than others. */
static uint8_t random_type(const maker *m) {
    return random_below(4) ? m->words->types[random_below(m->words->n_types)]
                           : (uint8_t)(1 + random_below(UBI__V8_OTHER - 1));
}

/* The last string is no concatenation, so that each of these has strings behind it. */
static void choose_types_of_filters(maker *m) {
    bool has_string = false;
    for (uint32_t i = m->n_nodes; i-- > 0; has_string |= is_string(m->type[i])) {
        m->type[i] = random_type(m);
        if (m->type[i] == UBI__V8_CONS_STRING && !has_string)
            m->type[i] = UBI__V8_STRING;
    }
}

static void choose_types_of_rules(maker *m) {
    for (uint32_t i = 0; i < m->n_nodes; i++)
        m->type[i] = m->is_dense && random_below(4) ? UBI__V8_OBJECT : random_type(m);
    if (random_below(4))
        m->type[0] = UBI__V8_SYNTHETIC;
    /* In half of the graphs the root leads to nothing but synthetic nodes: there is no user's part. */
    if (random_below(3) == 0)
        for (uint32_t i = 0; i < m->n_nodes; i += 2)
            m->type[i] = UBI__V8_SYNTHETIC;
}

/* Names that mean something come with the right type now and then. */
static ubi_str_ix name_for(maker *m, uint8_t type) {
    const random_v8_words *w = m->words;
    static const char *const fitting[UBI__V8_TYPE_COUNT] = { [UBI__V8_OBJECT] = "Object",
                                                             [UBI__V8_HIDDEN] = "system / NativeContext",
                                                             [UBI__V8_ARRAY] = "(map descriptors)",
                                                             [UBI__V8_NATIVE] = "system / ExternalStringData",
                                                             [UBI__V8_SYNTHETIC] = "(Document DOM trees)" };
    ubi_str_ix name = m->node_strings[random_below(2 * w->n_nodes)];
    if (m->is_dense && type == UBI__V8_OBJECT)
        return m->node_strings[0];
    for (uint32_t i = 0; m->is_about_rules && fitting[type] && random_below(3) == 0 && i < w->n_nodes; i++)
        if (strcmp(fitting[type], w->nodes[i]) == 0)
            name = m->node_strings[i + (random_below(2) ? w->n_nodes : 0)];
    return name;
}

/* ---- edges ------------------------------------------------------------------------------------------------------- */

static void make_properties(maker *m) {
    if (m->is_dense) {
        for (uint32_t n = 1 + random_below(3); n; n--)
            check(ubi_graph_builder_edge_of(m->b, some_id(m), UBI_EDGE_PROPERTY, edge_name(m, random_below(4))));
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

/* As V8 has them: two, both strings, never in a circle. */
static void make_halves(maker *m, uint32_t node) {
    for (uint32_t half = 0; half < 2; half++) {
        uint32_t target = node;
        while (target == node || !is_string(m->type[target]))
            target = node + random_below(m->n_nodes - node);
        check(ubi_graph_builder_edge_of(m->b, m->id[target], UBI_EDGE_INTERNAL, edge_name(m, m->words->first + half)));
    }
}

typedef struct edge {
    uint32_t target;
    ubi_edge_kind kind;
    ubi_str_ix name;
} edge;

static void make_edge(maker *m, const edge *e) {
    if (ubi__edge_kind_is_numbered(e->kind))
        check(ubi_graph_builder_numbered_edge(m->b, m->id[e->target], e->kind, random_below(m->words->n_numbers)));
    else
        check(ubi_graph_builder_edge_of(m->b, m->id[e->target], e->kind, e->name));
}

static edge random_edge(const maker *m) {
    ubi_edge_kind kind = (ubi_edge_kind)(1 + random_below(UBI_EDGE_KIND_COUNT - 1));
    return (edge){ random_below(m->n_nodes), kind, some_edge_name(m) };
}

static void make_edge_of_filters(maker *m, uint32_t node) {
    edge e = random_edge(m);
    bool is_cons = m->type[node] == UBI__V8_CONS_STRING;
    if (!is_cons && random_below(2))
        e.kind = UBI_EDGE_INTERNAL;
    if (!is_cons || e.kind != UBI_EDGE_INTERNAL)
        make_edge(m, &e);
}

static void make_edge_of_rules(maker *m, uint32_t node) {
    edge e = random_edge(m);
    bool is_cons = m->type[node] == UBI__V8_CONS_STRING, continues = is_cons && !m->options->cycles_of_strings;
    if (m->type[node] == UBI__V8_OBJECT && random_below(3)) {
        e.kind = UBI_EDGE_PROPERTY;
        e.name = edge_name(m, random_below(4));
    }
    if (is_cons && random_below(4)) {
        e.kind = UBI_EDGE_INTERNAL;
        e.name = edge_name(m, m->words->first + random_below(2));
    }
    if (continues) /* halves have higher numbers */
        e.target = node + random_below(m->n_nodes - node);
    if (e.kind == UBI_EDGE_INTERNAL && !is_cons && random_below(2))
        e.name = m->entries[random_below(N_ENTRIES)];
    if (continues && e.target == node)
        e.kind = UBI_EDGE_WEAK;
    make_edge(m, &e);
}

/* ---- nodes ------------------------------------------------------------------------------------------------------- */

static void make_edges(maker *m, uint32_t node) {
    uint32_t n = random_below(m->options->n_edges_per_node + 1) / (1 + random_below(2));
    if (!m->is_about_rules && m->type[node] == UBI__V8_CONS_STRING)
        make_halves(m, node);
    if (m->is_about_rules && m->type[node] == UBI__V8_OBJECT && random_below(4))
        make_properties(m);
    for (; n; n--)
        (m->is_about_rules ? make_edge_of_rules : make_edge_of_filters)(m, node);
}

static void make_node(maker *m, uint32_t node) {
    uint8_t type = m->type[node];
    ubi_node_desc desc = { .id = m->id[node],
                           .size_bytes = random_below(8) ? random_below(100) : 0,
                           .stack = UBI_NONE };
    desc.kind = (ubi_kind){ m->type_string, UBI_NONE, UBI_NONE, UBI_NONE, coarse_type_of(type), type, 0 };
    if (m->facts->has_detachedness && random_below(3) == 0)
        desc.kind.detachedness = (uint8_t)random_below(3);
    check(ubi_graph_builder_node(m->b, &desc));
    check(ubi_graph_builder_node_name(m->b, name_for(m, type)));
    make_edges(m, node);
    if (m->is_about_rules && type == UBI__V8_OBJECT && random_below(2)) {
        ubi__v8_location l = { node, random_below(2), random_below(2), random_below(2), UBI_NONE };
        check(ubi__vec_v8_location_push(&m->facts->locations, ubi_allocator_default(), l));
    }
}

/* An odd factor and a power of two: no id twice. */
static void choose_ids(maker *m) {
    uint64_t factor = 1 + 2 * (uint64_t)random_below(500), n_ids = 1024;
    while (n_ids < m->n_nodes)
        n_ids *= 2;
    for (uint32_t i = 0; i < m->n_nodes; i++)
        m->id[i] = i * factor % n_ids;
}

static void make_facts(maker *m) {
    m->facts = ubi__v8_facts_new(ubi_allocator_default());
    check(m->facts ? UBI_OK : UBI_ENOMEM);
    m->facts->has_detachedness = m->is_about_rules ? random_below(2) : random_below(4);
    m->facts->has_extra_native_bytes = random_below(2);
    m->facts->extra_native_bytes = m->facts->has_extra_native_bytes ? random_below(1000) : 0;
    m->facts->stride = 7;
}

static void make_graph(maker *m) {
    make_facts(m);
    choose_ids(m);
    make_strings(m);
    (m->is_about_rules ? choose_types_of_rules : choose_types_of_filters)(m);
    for (uint32_t node = 0; node < m->n_nodes; node++)
        make_node(m, node);
}

ubi_graph *random_v8_heap_of(const random_v8_options *options) {
    maker m = { .options = options, .words = &random_v8_topics[options->topic] };
    ubi_graph *graph;
    m.n_nodes = 1 + random_below(options->n_nodes);
    m.is_about_rules = options->topic == RANDOM_V8_RULES;
    m.is_dense = m.is_about_rules && random_below(4) == 0;
    m.id = malloc(m.n_nodes * sizeof *m.id);
    m.type = malloc(m.n_nodes);
    check(m.id && m.type ? ubi_graph_builder_new(&m.b, NULL) : UBI_ENOMEM);
    make_graph(&m);
    check(ubi_graph_builder_finish(&graph, m.b));
    ubi_graph_builder_free(m.b);
    graph->format = "heapsnapshot";
    graph->facts = m.facts;
    graph->free_facts = ubi__v8_facts_free;
    free(m.id);
    free(m.type);
    return graph;
}

ubi_graph *random_v8_heap(uint32_t max_nodes) {
    return random_v8_heap_of(&(random_v8_options){ RANDOM_V8_FILTERS, max_nodes, 6, false });
}
