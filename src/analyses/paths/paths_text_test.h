/* SPDX-License-Identifier: MIT
 *
 * paths_text_test.h: found paths as short text, for tests.
 *
 *     [1 l, 2 p, 4 only] [1 r, 3 q, 4 only]     paths: id of each predecessor and name of its edge; - for no name
 *     5 1 2 | 1>2 l, 2>5 p                      a path graph: nodes | edges
 *
 * Text is the caller's, from malloc.
 */
#ifndef UBI_ANALYSES_PATHS_TEXT_TEST_H
#define UBI_ANALYSES_PATHS_TEXT_TEST_H

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <ubiheap/core/paths.h>

static inline void paths_text_name(FILE *out, const ubi_graph *graph, ubi_edge_ix edge) {
    char digits[UBI_EDGE_LABEL_BYTES];
    ubi_text text = ubi_graph_edge_label(graph, edge, digits);
    fprintf(out, " %.*s", text.ptr ? (int)text.len : 1, text.ptr ? text.ptr : "-");
}

static inline char *paths_text(const ubi_paths *paths, const ubi_graph *graph, uint32_t target) {
    char *text;
    size_t n;
    FILE *out = open_memstream(&text, &n);
    for (uint32_t i = 0; i < ubi_paths_count(paths, target); i++) {
        uint32_t length = ubi_paths_length(paths, target, i);
        ubi_path_step *steps = malloc(length * sizeof *steps);
        ubi_paths_steps(steps, paths, target, i);
        for (uint32_t k = 0; k < length; k++) {
            fprintf(out, "%s%" PRIu64, k ? ", " : i ? " [" : "[", ubi_graph_node_id(graph, steps[k].predecessor));
            paths_text_name(out, graph, steps[k].edge);
        }
        fputc(']', out);
        free(steps);
    }
    fclose(out);
    return text;
}

static inline char *path_graph_text(const ubi_path_graph *path_graph, const ubi_graph *graph) {
    char *text;
    size_t n;
    uint32_t n_nodes;
    uint64_t n_edges;
    FILE *out = open_memstream(&text, &n);
    const ubi_node_ix *nodes = ubi_path_graph_nodes(path_graph, &n_nodes);
    const ubi_path_edge *edges = ubi_path_graph_edges(path_graph, &n_edges);
    for (uint32_t i = 0; i < n_nodes; i++)
        fprintf(out, "%s%" PRIu64, i ? " " : "", ubi_graph_node_id(graph, nodes[i]));
    for (uint64_t i = 0; i < n_edges; i++) {
        fprintf(out, "%s%" PRIu64 ">%" PRIu64, i ? ", " : " | ", ubi_graph_node_id(graph, edges[i].from),
                ubi_graph_node_id(graph, edges[i].to));
        paths_text_name(out, graph, edges[i].edge);
    }
    fclose(out);
    return text;
}

#endif
