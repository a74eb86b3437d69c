/* SPDX-License-Identifier: MIT
 *
 * paths_bench.c: what shortest paths and reverse edges cost per edge.
 *
 * Each file is loaded once; then 5 paths to each of 30 nodes, evenly spread over the file, and reverse edges with 1 and 2
 * threads take turns in the same process. Some of the nodes have fewer paths, so the walk does not end early. The first turn
 * is a warm-up and is not reported. One JSON object per run goes to standard output, for bench/report.py:
 *
 * {"file":"x.fxsnapshot","row":"paths","threads":1,"wallNs":35000000,"nodes":8588914,"edges":25402310,"nsPerEdge":1.4}
 *
 * With --answers nothing is measured: the walk's start, targets and path counts, and what a census and a dominator tree say of the
 * whole graph, so that another tool can be asked the same and its answers compared (bench/firefox/beside.py).
 */
#include <stdio.h>

#include <ubiheap/core/census.h>
#include <ubiheap/core/dominators.h>
#include <ubiheap/core/paths.h>

#include "base/json_writer.h"
#include "base/status.h"
#include "base/text.h"
#include "bench_program.h"

#define TARGETS 30
#define PATHS_PER_TARGET 5

static const char usage[] = "usage: paths_bench [--repeats N] [--answers] FILE...\n"
                            "\n"
                            "Measures shortest paths and reverse edges of each FILE, N times each (default 7); with "
                            "--answers, prints what is found instead.\n";

static bool answers_wanted;

static ubi_status find_paths(ubi_paths **out, const ubi_graph *graph) {
    ubi_node_ix targets[TARGETS];
    ubi_view view = ubi_view_of(graph);
    ubi_paths_options options = UBI_PATHS_OPTIONS_INIT;
    options.max_paths = PATHS_PER_TARGET;
    for (uint64_t i = 0; i < TARGETS; i++)
        targets[i] = (ubi_node_ix)(ubi_graph_node_count(graph) * (i + 1) / (TARGETS + 1));
    return ubi_paths_find(out, &view, targets, TARGETS, &options);
}

static ubi_status run_paths(const ubi_graph *graph, unsigned threads) {
    ubi_paths *paths;
    (void)threads;
    UBI_TRY(find_paths(&paths, graph));
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

/* ---- answers ------------------------------------------------------------------------------------------------------- */

static bool write_stdout(void *payload, const void *data, size_t n) {
    (void)payload;
    return fwrite(data, 1, n, stdout) == n;
}

static void put_number(ubi__json *json, const char *key, uint64_t value) {
    ubi__json_key(json, key);
    ubi__json_node_id(json, value);
}

static void put_paths(ubi__json *json, const ubi_graph *graph, const ubi_paths *paths) {
    put_number(json, "start", ubi_graph_node_id(graph, ubi_paths_start(paths)));
    put_number(json, "most", PATHS_PER_TARGET);
    ubi__json_key(json, "targets");
    ubi__json_array_begin(json);
    for (uint32_t i = 0; i < ubi_paths_target_count(paths); i++)
        ubi__json_node_id(json, ubi_graph_node_id(graph, ubi_paths_target(paths, i)));
    ubi__json_array_end(json);
    ubi__json_key(json, "paths");
    ubi__json_array_begin(json);
    for (uint32_t i = 0; i < ubi_paths_target_count(paths); i++)
        ubi__json_node_id(json, ubi_paths_count(paths, i));
    ubi__json_array_end(json);
}

static ubi_status put_count(ubi__json *json, const ubi_graph *graph) {
    ubi_breakdown *breakdown;
    ubi_census *census;
    UBI_TRY(ubi_breakdown_parse(&breakdown, ubi__text("{\"by\":\"count\"}"), UBI_COMPAT_FIREFOX, NULL));
    ubi_status status = ubi_census_take(&census, graph, breakdown, NULL);
    ubi_breakdown_unref(breakdown);
    UBI_TRY(status);
    put_number(json, "count", ubi_census_node_count(census));
    put_number(json, "bytes", ubi_census_size_bytes(census));
    ubi_census_free(census);
    return UBI_OK;
}

static ubi_status put_dominators(ubi__json *json, const ubi_graph *graph) {
    ubi_view view = ubi_view_of(graph);
    ubi_dominators *dominators;
    UBI_TRY(ubi_dominators_new(&dominators, &view, NULL));
    put_number(json, "retainedSize", ubi_dominators_retained_bytes(dominators, ubi_dominators_root(dominators)));
    ubi_dominators_free(dominators);
    return UBI_OK;
}

static ubi_status print_answers(const char *path, const ubi_graph *graph, unsigned repeats) {
    ubi__json json;
    ubi_paths *paths;
    (void)path, (void)repeats;
    UBI_TRY(find_paths(&paths, graph));
    ubi__json_init(&json, write_stdout, NULL, false);
    ubi__json_object_begin(&json);
    put_paths(&json, graph, paths);
    ubi_paths_free(paths);
    UBI_TRY(put_count(&json, graph));
    UBI_TRY(put_dominators(&json, graph));
    ubi__json_object_end(&json);
    return ubi__json_flush(&json);
}

/* ---- the program --------------------------------------------------------------------------------------------------- */

static ubi_status measure_graph(const char *path, const ubi_graph *graph, unsigned repeats) {
    if (answers_wanted)
        return print_answers(path, graph, repeats);
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

static bool set_option(int option, char *value) {
    (void)value;
    answers_wanted = option == 'a';
    return answers_wanted;
}

int main(int argc, char **argv) {
    static const struct option options[] = { { "answers", 0, NULL, 'a' }, UBI__BENCH_OPTIONS };
    static const ubi__bench bench = {
        .name = "paths_bench",
        .usage = usage,
        .repeats = 7,
        .options = options,
        .set_option = set_option,
        .measure_graph = measure_graph,
    };
    return ubi__bench_main(&bench, argc, argv);
}
