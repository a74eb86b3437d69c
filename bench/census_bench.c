/* SPDX-License-Identifier: MIT
 *
 * census_bench.c: what a census costs per node.
 *
 * Each file is loaded once, then censuses by several breakdowns take turns in the same process. The first turn is a
 * warm-up and is not reported. One JSON object per run goes to standard output, for bench/report.py:
 *
 * {"file":"x.fxsnapshot","row":"census","threads":1,"wallNs":13000000,"nodes":8588914,"edges":25402310,"nsPerNode":1.5}
 */
#include <ubiheap/core/census.h>

#include "base/status.h"
#include "base/text.h"
#include "bench_program.h"

static const char usage[] = "usage: census_bench [--repeats N] FILE...\n"
                            "\n"
                            "Measures censuses and a census tree of each FILE, N times each (default 7).\n";

/** What is measured: a preset or a breakdown, and whether its tree is made too. */
typedef struct bench_case {
    const char *name;
    const char *preset;
    const char *json; /* when there is no preset */
    bool with_tree;
} bench_case;

static const bench_case cases[] = {
    { "census", "default", NULL, false },
    { "censusCoarseType", "coarseType", NULL, false },
    { "censusAllocationStack", "allocationStack", NULL, false },
    { "censusBuckets", NULL, "{\"by\":\"objectClass\",\"then\":{\"by\":\"bucket\"},\"other\":{\"by\":\"bucket\"}}",
      false },
    { "censusTreeInvertedAllocationStack", "invertedAllocationStack", NULL, true },
};

static ubi_status take_tree(const ubi_census *census) {
    ubi_census_tree_options options = UBI_CENSUS_TREE_OPTIONS_INIT;
    ubi_census_tree *tree;
    options.is_inverted = true;
    UBI_TRY(ubi_census_tree_new(&tree, census, &options));
    ubi_census_tree_free(tree);
    return UBI_OK;
}

static ubi_status run_case(uint64_t *out_ns, const ubi_graph *graph, const bench_case *c) {
    ubi_breakdown *breakdown;
    ubi_census *census;
    const char *json = c->preset ? ubi_breakdown_preset_find(c->preset)->json : c->json;
    uint64_t start = ubi__wall_ns();
    UBI_TRY(ubi_breakdown_parse(&breakdown, ubi__text(json), UBI_COMPAT_NONE, NULL));
    ubi_status status = ubi_census_take(&census, graph, breakdown, NULL);
    ubi_breakdown_unref(breakdown);
    UBI_TRY(status);
    if (c->with_tree)
        status = take_tree(census);
    *out_ns = ubi__wall_ns() - start;
    ubi_census_free(census);
    return status;
}

static ubi_status print_run(const char *path, const ubi_graph *graph, const bench_case *c, uint64_t ns) {
    uint32_t n_nodes = ubi_graph_node_count(graph);
    ubi__row_begin(path, c->name, 1, ns);
    ubi__row_graph(n_nodes, ubi_graph_edge_count(graph));
    ubi__row_double("nsPerNode", (double)ns / (double)n_nodes);
    return ubi__row_end();
}

static ubi_status measure_graph(const char *path, const ubi_graph *graph, unsigned repeats) {
    for (unsigned turn = 0; turn <= repeats; turn++)
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            uint64_t ns;
            UBI_TRY(run_case(&ns, graph, &cases[i]));
            if (turn > 0)
                UBI_TRY(print_run(path, graph, &cases[i], ns));
        }
    return UBI_OK;
}

int main(int argc, char **argv) {
    static const struct option options[] = { UBI__BENCH_OPTIONS };
    static const ubi__bench bench = {
        .name = "census_bench",
        .usage = usage,
        .repeats = 7,
        .options = options,
        .measure_graph = measure_graph,
    };
    return ubi__bench_main(&bench, argc, argv);
}
