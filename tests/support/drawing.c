/* SPDX-License-Identifier: MIT
 *
 * drawing.c: parsing drawings and turning them into graphs and fake heaps (drawing.h).
 */
#include "drawing.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct drawn_frame {
    char *function_name; /* NULL: none */
    char *source;
    uint32_t line, column;
    int parent; /* index, -1 none; parents come first */
} drawn_frame;

typedef struct drawn_edge {
    size_t target;
    char *name; /* NULL: unnamed */
} drawn_edge;

typedef struct drawn_node {
    drawing *owner;
    char *name;
    uint64_t id, size_bytes;
    ubi_coarse_type coarse_type;
    char *type_name, *class_name, *script_filename, *descriptive_name;
    int stack; /* index of the youngest frame, -1 none */
    drawn_edge *edges;
    size_t n_edges;
} drawn_node;

#define MAX_DRAWN 512

struct drawing {
    drawn_node nodes[MAX_DRAWN];
    size_t n_nodes;
    drawn_frame frames[MAX_DRAWN];
    size_t n_frames;
    size_t edge_calls;
    const char *at; /* while parsing */
};

static void die(const drawing *d, const char *what) {
    fprintf(stderr, "bad drawing: %s at \"%.30s\"\n", what, d->at ? d->at : "");
    abort();
}

static char *copy(const char *s, size_t n) {
    char *p = malloc(n + 1);
    if (!p)
        abort();
    memcpy(p, s, n);
    p[n] = '\0';
    return p;
}

/* ---- parsing ------------------------------------------------------------------------------------------------------ */

static void skip_space(drawing *d) {
    while (isspace((unsigned char)*d->at))
        d->at++;
}

static bool take(drawing *d, const char *token) {
    skip_space(d);
    size_t n = strlen(token);
    if (strncmp(d->at, token, n) != 0)
        return false;
    d->at += n;
    return true;
}

/* Characters up to white space or one of `stops`. */
static char *take_word(drawing *d, const char *stops) {
    skip_space(d);
    size_t n = 0;
    while (d->at[n] && !isspace((unsigned char)d->at[n]) && !strchr(stops, d->at[n]))
        n++;
    if (n == 0)
        die(d, "a word is missing");
    char *word = copy(d->at, n);
    d->at += n;
    return word;
}

static size_t node_index(drawing *d, char *name) {
    for (size_t i = 0; i < d->n_nodes; i++) {
        if (strcmp(d->nodes[i].name, name) == 0) {
            free(name);
            return i;
        }
    }
    if (d->n_nodes == MAX_DRAWN)
        die(d, "too many nodes");
    drawn_node *node = &d->nodes[d->n_nodes];
    char *end;
    uint64_t number = strtoull(name, &end, 10);
    *node = (drawn_node){ .owner = d, .name = name, .size_bytes = 1, .type_name = copy("T", 1), .stack = -1 };
    node->id = *end ? d->n_nodes + 1 : number;
    return d->n_nodes++;
}

static ubi_coarse_type coarse_from(const drawing *d, const char *word) {
    static const char *const words[] = { "other", "object", "script", "string", "dom" };
    for (int i = 0; i < UBI_COARSE_TYPE_COUNT; i++)
        if (strcmp(word, words[i]) == 0)
            return (ubi_coarse_type)i;
    die(d, "unknown coarse type");
    return UBI_COARSE_OTHER;
}

static bool same_text(const char *a, const char *b) {
    return a == b || (a && b && strcmp(a, b) == 0);
}

static int frame_index(drawing *d, drawn_frame f) {
    for (size_t i = 0; i < d->n_frames; i++) {
        const drawn_frame *known = &d->frames[i];
        if (same_text(known->function_name, f.function_name) && strcmp(known->source, f.source) == 0 &&
            known->line == f.line && known->column == f.column && known->parent == f.parent) {
            free(f.function_name);
            free(f.source);
            return (int)i;
        }
    }
    if (d->n_frames == MAX_DRAWN)
        die(d, "too many frames");
    d->frames[d->n_frames] = f;
    return (int)d->n_frames++;
}

/* "f@a.js:5:2<main@a.js:1:2", the part before "<" being the youngest; so the end is read first. */
static int parse_stack(drawing *d, char *text) {
    char *callers = strchr(text, '<');
    int parent = -1;
    if (callers) {
        parent = parse_stack(d, callers + 1);
        *callers = '\0';
    }
    char *at = strchr(text, '@'), *column = strrchr(text, ':');
    if (!at || !column)
        die(d, "a frame is function@source:line:column");
    *column = '\0';
    char *line = strrchr(at, ':');
    if (!line)
        die(d, "a frame is function@source:line:column");
    drawn_frame f = { .source = copy(at + 1, (size_t)(line - at - 1)),
                      .line = (uint32_t)atoi(line + 1),
                      .column = (uint32_t)atoi(column + 1),
                      .parent = parent };
    if (strncmp(text, "-@", 2) != 0)
        f.function_name = copy(text, (size_t)(at - text));
    return frame_index(d, f);
}

static void set_text(char **field, char *value) {
    free(*field);
    *field = copy(value, strlen(value));
}

static void parse_attribute(drawing *d, drawn_node *node) {
    char *key = take_word(d, "=)");
    if (!take(d, "="))
        die(d, "an attribute needs a value");
    char *value = take_word(d, ")");
    if (strcmp(key, "id") == 0)
        node->id = strtoull(value, NULL, 10);
    else if (strcmp(key, "size") == 0)
        node->size_bytes = strtoull(value, NULL, 10);
    else if (strcmp(key, "coarse") == 0)
        node->coarse_type = coarse_from(d, value);
    else if (strcmp(key, "type") == 0)
        set_text(&node->type_name, value);
    else if (strcmp(key, "class") == 0)
        set_text(&node->class_name, value);
    else if (strcmp(key, "file") == 0)
        set_text(&node->script_filename, value);
    else if (strcmp(key, "desc") == 0)
        set_text(&node->descriptive_name, value);
    else if (strcmp(key, "stack") == 0)
        node->stack = parse_stack(d, value);
    else
        die(d, "unknown attribute");
    free(key);
    free(value);
}

static char *parse_edge_name(drawing *d) {
    if (!take(d, "\""))
        return NULL;
    const char *end = strchr(d->at, '"');
    if (!end)
        die(d, "a name has no end");
    char *name = copy(d->at, (size_t)(end - d->at));
    d->at = end + 1;
    return name;
}

static void parse_edge(drawing *d, size_t source) {
    size_t target = node_index(d, take_word(d, "\",;()"));
    drawn_node *node = &d->nodes[source];
    node->edges = realloc(node->edges, (node->n_edges + 1) * sizeof *node->edges);
    if (!node->edges)
        abort();
    node->edges[node->n_edges++] = (drawn_edge){ target, parse_edge_name(d) };
}

static void parse_statement(drawing *d) {
    size_t node = node_index(d, take_word(d, "\",;()"));
    if (take(d, "("))
        while (!take(d, ")"))
            parse_attribute(d, &d->nodes[node]);
    if (take(d, "->")) {
        do
            parse_edge(d, node);
        while (take(d, ","));
    }
}

drawing *drawing_new(const char *text) {
    drawing *d = calloc(1, sizeof *d);
    if (!d)
        abort();
    d->at = text;
    skip_space(d);
    while (*d->at) {
        parse_statement(d);
        if (!take(d, ";") && *d->at)
            die(d, "statements are separated by semicolons");
        skip_space(d);
    }
    return d;
}

void drawing_free(drawing *d) {
    for (size_t i = 0; i < d->n_nodes; i++) {
        drawn_node *node = &d->nodes[i];
        for (size_t e = 0; e < node->n_edges; e++)
            free(node->edges[e].name);
        free(node->edges);
        free(node->name);
        free(node->type_name);
        free(node->class_name);
        free(node->script_filename);
        free(node->descriptive_name);
    }
    for (size_t i = 0; i < d->n_frames; i++) {
        free(d->frames[i].function_name);
        free(d->frames[i].source);
    }
    free(d);
}

size_t drawing_node_count(const drawing *d) {
    return d->n_nodes;
}

static size_t index_of(const drawing *d, const char *name) {
    for (size_t i = 0; i < d->n_nodes; i++)
        if (strcmp(d->nodes[i].name, name) == 0)
            return i;
    fprintf(stderr, "the drawing has no node %s\n", name);
    abort();
}

uint64_t drawing_id(const drawing *d, const char *name) {
    return d->nodes[index_of(d, name)].id;
}

size_t drawing_edge_calls(const drawing *d) {
    return d->edge_calls;
}

/* ---- as a fake heap ----------------------------------------------------------------------------------------------- */

static drawn_node *drawn(ubi_node node) {
    return &((drawing *)node.heap)->nodes[node.ref];
}
static ubi_text text_of(const char *s) {
    return (ubi_text){ s, s ? strlen(s) : 0 };
}
static uint64_t fake_id(ubi_node node) {
    return drawn(node)->id;
}
static ubi_text fake_type_name(ubi_node node) {
    return text_of(drawn(node)->type_name);
}
static ubi_coarse_type fake_coarse_type(ubi_node node) {
    return drawn(node)->coarse_type;
}
static uint64_t fake_size_bytes(ubi_node node) {
    return drawn(node)->size_bytes;
}
static ubi_text fake_class_name(ubi_node node) {
    return text_of(drawn(node)->class_name);
}
static ubi_text fake_script_filename(ubi_node node) {
    return text_of(drawn(node)->script_filename);
}
static ubi_text fake_descriptive_name(ubi_node node) {
    return text_of(drawn(node)->descriptive_name);
}

static void fake_frame(ubi_stack stack, ubi_frame *out) {
    const drawn_frame *f = &((drawing *)stack.owner)->frames[stack.ref];
    *out = (ubi_frame){ .id = 1000 + stack.ref,
                        .source = text_of(f->source),
                        .function_name = text_of(f->function_name),
                        .line = f->line,
                        .column = f->column };
}
static bool fake_parent(ubi_stack stack, ubi_stack *out) {
    int parent = ((drawing *)stack.owner)->frames[stack.ref].parent;
    *out = (ubi_stack){ stack.ops, stack.owner, (uint64_t)parent };
    return parent >= 0;
}
static bool fake_stack(ubi_node node, ubi_stack *out) {
    static const ubi_stack_ops ops = { fake_frame, fake_parent };
    int stack = drawn(node)->stack;
    *out = (ubi_stack){ &ops, node.heap, (uint64_t)stack };
    return stack >= 0;
}
static ubi_node node_at(drawing *d, size_t index);

static bool fake_edges(ubi_node node, bool want_names, ubi_edge_fn fn, void *payload) {
    drawing *d = node.heap;
    const drawn_node *n = drawn(node);
    d->edge_calls++;
    for (size_t e = 0; e < n->n_edges; e++)
        if (!fn(payload, node_at(d, n->edges[e].target), text_of(want_names ? n->edges[e].name : NULL)))
            return false;
    return true;
}

static ubi_node node_at(drawing *d, size_t index) {
    static const ubi_node_ops ops = {
        .version = UBI_NODE_OPS_VERSION,
        .id = fake_id,
        .type_name = fake_type_name,
        .coarse_type = fake_coarse_type,
        .size_bytes = fake_size_bytes,
        .class_name = fake_class_name,
        .descriptive_name = fake_descriptive_name,
        .script_filename = fake_script_filename,
        .allocation_stack = fake_stack,
        .edges = fake_edges,
    };
    return (ubi_node){ &ops, d, index };
}

ubi_node drawing_node(drawing *d, const char *name) {
    return node_at(d, index_of(d, name));
}
const char *drawing_name(ubi_node node) {
    return drawn(node)->name;
}

/* ---- as a graph --------------------------------------------------------------------------------------------------- */

static void must(ubi_status status) {
    if (status == UBI_OK)
        return;
    fprintf(stderr, "the drawing makes no graph: %s\n", ubi_error_message());
    abort();
}

/* Every mention is an entry of its own, as in a file that inlines all strings. */
static ubi_str_ix string_entry(ubi_graph_builder *b, const char *s) {
    ubi_str_ix ix = UBI_NONE;
    if (s)
        must(ubi_graph_builder_string(b, &ix, text_of(s)));
    return ix;
}

static void add_frames(ubi_graph_builder *b, const drawing *d, ubi_frame_ix *frames) {
    for (size_t i = 0; i < d->n_frames; i++) {
        const drawn_frame *f = &d->frames[i];
        ubi_frame_desc desc = { .id = 1000 + i,
                                .parent = f->parent < 0 ? UBI_NONE : frames[f->parent],
                                .source = string_entry(b, f->source),
                                .function_name = string_entry(b, f->function_name),
                                .line = f->line,
                                .column = f->column };
        must(ubi_graph_builder_frame(b, &frames[i], &desc));
    }
}

static void add_node(ubi_graph_builder *b, const drawn_node *n, const ubi_frame_ix *frames) {
    ubi_node_desc desc = { .id = n->id,
                           .size_bytes = n->size_bytes,
                           .kind = { .type_name = string_entry(b, n->type_name),
                                     .class_name = string_entry(b, n->class_name),
                                     .script_filename = string_entry(b, n->script_filename),
                                     .descriptive_name = string_entry(b, n->descriptive_name),
                                     .coarse_type = n->coarse_type },
                           .stack = n->stack < 0 ? UBI_NONE : frames[n->stack] };
    must(ubi_graph_builder_node(b, &desc));
}

ubi_graph *drawing_graph(const drawing *d, const ubi_allocator *allocator) {
    ubi_graph_builder *b;
    ubi_graph *graph;
    ubi_frame_ix frames[MAX_DRAWN];
    must(ubi_graph_builder_new(&b, allocator));
    add_frames(b, d, frames);
    for (size_t i = 0; i < d->n_nodes; i++) {
        const drawn_node *n = &d->nodes[i];
        add_node(b, n, frames);
        for (size_t e = 0; e < n->n_edges; e++)
            must(ubi_graph_builder_edge(b, d->nodes[n->edges[e].target].id, string_entry(b, n->edges[e].name)));
    }
    must(ubi_graph_builder_finish(&graph, b));
    ubi_graph_builder_free(b);
    must(ubi_graph_check(graph));
    return graph;
}

ubi_graph *graph_from_drawing(const char *text) {
    drawing *d = drawing_new(text);
    ubi_graph *graph = drawing_graph(d, NULL);
    drawing_free(d);
    return graph;
}
