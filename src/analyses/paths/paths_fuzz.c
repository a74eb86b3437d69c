/* SPDX-License-Identifier: MIT
 *
 * paths_fuzz.c: shortest paths in hostile graphs, from any node to any others.
 *
 * Promises checked: every step is an edge of the graph that leads to the next step and at last to the target; no more paths than asked
 * for; lengths do not fall where nothing is walked twice; the graph of the paths to a target has their nodes and leads to the target;
 * all memory is given back.
 */
#include <ubiheap/core/paths.h>

#include "fail_allocator.h"
#include "fuzz_heaps.h"

#define TARGETS_MOST 8
#define STEPS_MOST 4096

static void check_path(const ubi_graph *g, const ubi_paths *paths, uint32_t target, uint32_t path) {
    static ubi_path_step steps[STEPS_MOST];
    uint32_t n = ubi_paths_length(paths, target, path);
    require(n >= 1 && n <= STEPS_MOST && n <= ubi_graph_node_count(g) + 1, "a path of no or too many steps");
    ubi_paths_steps(steps, paths, target, path);
    require(steps[0].predecessor == ubi_paths_start(paths), "a path begins elsewhere");
    for (uint32_t i = 0; i < n; i++) {
        require(steps[i].edge >= ubi_graph_first_edge(g, steps[i].predecessor) &&
                    steps[i].edge < ubi_graph_first_edge(g, steps[i].predecessor + 1),
                "an edge of another node");
        ubi_node_ix next = i + 1 < n ? steps[i + 1].predecessor : ubi_paths_target(paths, target);
        require(ubi_graph_edge_target(g, steps[i].edge) == next, "an edge that leads elsewhere");
    }
}

static void check_graph(const ubi_graph *g, const ubi_paths *paths, uint32_t target, const ubi_allocator *a) {
    ubi_path_graph *all;
    uint32_t n_nodes;
    uint64_t n_edges;
    require(ubi_path_graph_new(&all, paths, target, a) == UBI_OK, "no graph of paths");
    const ubi_node_ix *nodes = ubi_path_graph_nodes(all, &n_nodes);
    const ubi_path_edge *edges = ubi_path_graph_edges(all, &n_edges);
    for (uint32_t i = 0; i < n_nodes; i++)
        require(nodes[i] < ubi_graph_node_count(g), "a node that is not there");
    for (uint64_t i = 0; i < n_edges; i++) {
        require(ubi_graph_edge_target(g, edges[i].edge) == edges[i].to, "an edge of paths that leads elsewhere");
        require(edges[i].from != ubi_paths_target(paths, target), "an edge that leads away from the target");
    }
    ubi_path_graph_free(all);
}

static void paths_check(const ubi_graph *g, const ubi_paths *paths, const ubi_paths_options *options) {
    for (uint32_t t = 0; t < ubi_paths_target_count(paths); t++) {
        require(ubi_paths_count(paths, t) <= options->max_paths, "more paths than asked for");
        for (uint32_t p = 0; p < ubi_paths_count(paths, t); p++)
            check_path(g, paths, t, p);
        check_graph(g, paths, t, options->allocator);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    feeder f = { data, size };
    fail_allocator counter;
    fuzz_producer producer = fuzz_take(&f) % FUZZ_PRODUCERS;
    uint8_t start = fuzz_take(&f), most = fuzz_take(&f), n_targets = (uint8_t)(1 + fuzz_take(&f) % TARGETS_MOST);
    uint8_t choices[TARGETS_MOST];
    for (uint8_t i = 0; i < n_targets; i++)
        choices[i] = fuzz_take(&f);
    fuzz_heaps_start(&f);
    ubi_graph *g = fuzz_heap(producer);
    uint32_t n = ubi_graph_node_count(g);
    ubi_node_ix targets[TARGETS_MOST];
    for (uint8_t i = 0; i < n_targets; i++)
        targets[i] = choices[i] % n;
    fail_allocator_init(&counter, FAIL_ALLOCATOR_NEVER);
    ubi_paths_options options = UBI_PATHS_OPTIONS_INIT;
    options.allocator = &counter.allocator;
    options.start = start & 1 ? start % n : UBI_NONE;
    options.max_paths = 1u + most % 40;
    ubi_view view = ubi_view_of(g);
    ubi_paths *paths;
    require(ubi_paths_find(&paths, &view, targets, n_targets, &options) == UBI_OK, "no paths");
    paths_check(g, paths, &options);
    ubi_paths_free(paths);
    fail_allocator_fini(&counter);
    ubi_graph_unref(g);
    return 0;
}
