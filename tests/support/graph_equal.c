/* SPDX-License-Identifier: MIT
 *
 * graph_equal.c: comparing graphs (graph_equal.h).
 */
#include "graph_equal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char difference[256];

__attribute__((format(printf, 1, 2))) static bool differ(const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(difference, sizeof difference, format, args);
    va_end(args);
    return false;
}

typedef struct pair {
    const ubi_graph *a, *b;
} pair;

static bool same_text(ubi_text a, ubi_text b) {
    return (a.ptr == NULL) == (b.ptr == NULL) && a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

static bool same_string(pair p, ubi_str_ix a, ubi_str_ix b) {
    return same_text(ubi_graph_string(p.a, a), ubi_graph_string(p.b, b));
}

static bool same_kind(pair p, ubi_node_ix n) {
    const ubi_kind *a = ubi_graph_kind(p.a, ubi_graph_node_kind(p.a, n));
    const ubi_kind *b = ubi_graph_kind(p.b, ubi_graph_node_kind(p.b, n));
    if (a->coarse_type != b->coarse_type)
        return differ("node %u: coarse type", n);
    if (!same_string(p, a->type_name, b->type_name))
        return differ("node %u: type name", n);
    if (!same_string(p, a->class_name, b->class_name))
        return differ("node %u: class name", n);
    if (!same_string(p, a->script_filename, b->script_filename))
        return differ("node %u: script file name", n);
    if (!same_string(p, a->descriptive_name, b->descriptive_name))
        return differ("node %u: descriptive name", n);
    if (a->raw_type != b->raw_type || a->detachedness != b->detachedness)
        return differ("node %u: the producer's type or detachedness", n);
    if (!same_string(p, ubi_graph_node_name(p.a, n), ubi_graph_node_name(p.b, n)))
        return differ("node %u: name", n);
    return true;
}

static bool same_frame(pair p, ubi_frame_ix a, ubi_frame_ix b) {
    ubi_frame fa, fb;
    ubi_graph_frame(p.a, a, &fa);
    ubi_graph_frame(p.b, b, &fb);
    return fa.id == fb.id && same_text(fa.source, fb.source) && same_text(fa.function_name, fb.function_name) &&
           fa.line == fb.line && fa.column == fb.column && fa.is_system == fb.is_system &&
           fa.is_self_hosted == fb.is_self_hosted;
}

static bool same_stack(pair p, ubi_node_ix n) {
    if (ubi_graph_node_stack_is_empty(p.a, n) != ubi_graph_node_stack_is_empty(p.b, n))
        return differ("node %u: one stack is known to be empty", n);
    ubi_frame_ix a = ubi_graph_node_stack(p.a, n), b = ubi_graph_node_stack(p.b, n);
    unsigned depth = 0;
    for (; a != UBI_NONE && b != UBI_NONE; depth++) {
        if (!same_frame(p, a, b))
            return differ("node %u: frame %u of its stack", n, depth);
        a = ubi_graph_frame_parent(p.a, a);
        b = ubi_graph_frame_parent(p.b, b);
    }
    return a == b || differ("node %u: one stack ends after %u frames", n, depth);
}

static bool same_label(pair p, ubi_edge_ix e) {
    uint32_t a = 0, b = 0;
    bool numbered = ubi_graph_edge_number(&a, p.a, e);
    return ubi_graph_edge_kind(p.a, e) == ubi_graph_edge_kind(p.b, e) &&
           ubi_graph_edge_number(&b, p.b, e) == numbered && a == b &&
           same_string(p, ubi_graph_edge_name(p.a, e), ubi_graph_edge_name(p.b, e));
}

static bool same_edges(pair p, ubi_node_ix n) {
    ubi_edge_ix begin = ubi_graph_first_edge(p.a, n), end = ubi_graph_first_edge(p.a, n + 1);
    if (begin != ubi_graph_first_edge(p.b, n) || end != ubi_graph_first_edge(p.b, n + 1))
        return differ("node %u: number of edges", n);
    for (ubi_edge_ix e = begin; e < end; e++) {
        if (ubi_graph_edge_target(p.a, e) != ubi_graph_edge_target(p.b, e))
            return differ("node %u: target of edge %llu", n, (unsigned long long)(e - begin));
        if (!same_label(p, e))
            return differ("node %u: name or kind of edge %llu", n, (unsigned long long)(e - begin));
    }
    return true;
}

static bool same_node(pair p, ubi_node_ix n) {
    if (ubi_graph_node_id(p.a, n) != ubi_graph_node_id(p.b, n))
        return differ("node %u: id", n);
    if (ubi_graph_node_size_bytes(p.a, n) != ubi_graph_node_size_bytes(p.b, n))
        return differ("node %u: size", n);
    if (ubi_graph_is_reachable(p.a, n) != ubi_graph_is_reachable(p.b, n))
        return differ("node %u: reachable or not", n);
    return same_kind(p, n) && same_stack(p, n) && same_edges(p, n);
}

static bool same_time(pair p) {
    uint64_t time_a = 0, time_b = 0;
    bool has_a = ubi_graph_creation_time_us(p.a, &time_a), has_b = ubi_graph_creation_time_us(p.b, &time_b);
    return (has_a == has_b && time_a == time_b) || differ("creation time");
}

static bool same_whole(pair p) {
    if (ubi_graph_node_count(p.a) != ubi_graph_node_count(p.b))
        return differ("%u and %u nodes", ubi_graph_node_count(p.a), ubi_graph_node_count(p.b));
    if (ubi_graph_root(p.a) != ubi_graph_root(p.b))
        return differ("root");
    if (ubi_graph_reachable_count(p.a) != ubi_graph_reachable_count(p.b))
        return differ("number of reachable nodes");
    return true;
}

const char *graphs_differ_in_content(const ubi_graph *a, const ubi_graph *b) {
    pair p = { a, b };
    bool same = same_whole(p);
    for (ubi_node_ix n = 0; same && n < ubi_graph_node_count(a); n++)
        same = same_node(p, n);
    return same ? NULL : difference;
}

const char *graphs_differ(const ubi_graph *a, const ubi_graph *b) {
    return same_time((pair){ a, b }) ? graphs_differ_in_content(a, b) : difference;
}

void assert_graphs_equal(const ubi_graph *a, const ubi_graph *b) {
    const char *why = graphs_differ(a, b);
    if (!why)
        return;
    fprintf(stderr, "the graphs differ: %s\n", why);
    abort();
}
