/* SPDX-License-Identifier: MIT
 *
 * paths_bench.c: what shortest paths and reverse edges cost per edge.
 *
 * Each file is loaded once; then 5 paths to each of 30 nodes, evenly spread over the file, and reverse edges with 1 and 2
 * threads take turns in the same process. Some of the nodes have fewer paths, so the walk does not end early. The first turn
 * is a warm-up and is not reported. One JSON object per run goes to standard output, for bench/report.py:
 *
 * {"file":"x.fxsnapshot","row":"paths","threads":1,"wallNs":35000000,"nodes":8588914,"edges":25402310,"nsPerEdge":1.4}
 */
#include <ubiheap/paths.h>

#include "base/status.h"
#include "bench_program.h"

#define TARGETS 30
#define PATHS_PER_TARGET 5

static const char usage[] = "usage: paths_bench [--repeats N] FILE...\n"
                            "\n"
                            "Measures shortest paths and reverse edges of each FILE, N times each (default 7).\n";

static ubi_status run_paths(const ubi_graph *graph, unsigned threads) {
    ubi_node_ix targets[TARGETS];
    ubi_view view = ubi_view_of(graph);
    ubi_paths_options options = UBI_PATHS_OPTIONS_INIT;
    ubi_paths *paths;
    (void)threads;
    options.max_paths = PATHS_PER_TARGET;
    for (uint64_t i = 0; i < TARGETS; i++)
        targets[i] = (ubi_node_ix)(ubi_graph_node_count(graph) * (i + 1) / (TARGETS + 1));
    UBI_TRY(ubi_paths_find(&paths, &view, targets, TARGETS, &options));
    ubi_paths_free(paths);
    return UBI_OK;
}

static ubi_status run_retainers(const ubi_graph *graph, unsigned threads) {
    ubi_retainers *retainers;
    UBI_TRY(ubi_retainers_new(&retainers, graph, NULL, threads, NULL));
    ubi_retainers_free(retainers);
    return UBI_OK;
}

typedef struct bench_case {
    const char *name;
    unsigned threads;
    ubi_status (*run)(const ubi_graph *graph, unsigned threads);
} bench_case;

static const bench_case cases[] = {
    { "paths", 1, run_paths },
    { "retainers", 1, run_retainers },
    { "retainers", 2, run_retainers },
};

static ubi_status print_run(const char *path, const ubi_graph *graph, const bench_case *c, uint64_t ns) {
    uint64_t n_edges = ubi_graph_edge_count(graph);
    ubi__row_begin(path, c->name, c->threads, ns);
    ubi__row_graph(ubi_graph_node_count(graph), n_edges);
    ubi__row_double("nsPerEdge", n_edges ? (double)ns / (double)n_edges : 0);
    return ubi__row_end();
}

static ubi_status measure_graph(const char *path, const ubi_graph *graph, unsigned repeats) {
    for (unsigned turn = 0; turn <= repeats; turn++)
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            uint64_t start = ubi__wall_ns();
            UBI_TRY(cases[i].run(graph, cases[i].threads));
            uint64_t ns = ubi__wall_ns() - start;
            if (turn > 0)
                UBI_TRY(print_run(path, graph, &cases[i], ns));
        }
    return UBI_OK;
}

int main(int argc, char **argv) {
    static const struct option options[] = { UBI__BENCH_OPTIONS };
    static const ubi__bench bench = {
        .name = "paths_bench",
        .usage = usage,
        .repeats = 7,
        .options = options,
        .measure_graph = measure_graph,
    };
    return ubi__bench_main(&bench, argc, argv);
}
