/* SPDX-License-Identifier: MIT
 *
 * census_bench.c: what a census costs per node.
 *
 * Each file is loaded once, then censuses by several breakdowns take turns in the same process. The first turn is a
 * warm-up and is not reported. One JSON object per run goes to standard output, for bench/report.py:
 *
 *
 * {"file":"x.fxsnapshot","row":"census","threads":1,"wallNs":13000000,"nodes":8588914,"edges":25402310,"nsPerNode":1.5}
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <ubiheap/census.h>
#include <ubiheap/formats.h>

#include "base/json_writer.h"
#include "base/status.h"
#include "base/text.h"

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

static uint64_t now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static ubi_status take_tree(const ubi_census *census) {
    ubi_census_tree_options options = UBI_CENSUS_TREE_OPTIONS_INIT;
    ubi_census_tree *tree;
    options.invert = true;
    UBI_TRY(ubi_census_tree_new(&tree, census, &options));
    ubi_census_tree_free(tree);
    return UBI_OK;
}

static ubi_status run_case(uint64_t *out_ns, const ubi_graph *graph, const bench_case *c) {
    ubi_breakdown *breakdown;
    ubi_census *census;
    const char *json = c->preset ? ubi_breakdown_preset_find(c->preset)->json : c->json;
    uint64_t start = now_ns();
    UBI_TRY(ubi_breakdown_parse(&breakdown, ubi__text(json), UBI_COMPAT_NONE, NULL));
    ubi_status status = ubi_census_take(&census, graph, breakdown, NULL);
    ubi_breakdown_unref(breakdown);
    UBI_TRY(status);
    if (c->with_tree)
        status = take_tree(census);
    *out_ns = now_ns() - start;
    ubi_census_free(census);
    return status;
}

static bool write_stdout(void *payload, const void *data, size_t n) {
    (void)payload;
    return fwrite(data, 1, n, stdout) == n;
}

static void put_u64(ubi__json *j, const char *key, uint64_t value) {
    ubi__json_key(j, key);
    ubi__json_u64(j, value);
}

static ubi_status print_run(const char *path, const ubi_graph *graph, const bench_case *c, uint64_t ns) {
    static ubi__json j;
    const char *slash = strrchr(path, '/');
    uint32_t n_nodes = ubi_graph_node_count(graph);
    ubi__json_init(&j, write_stdout, NULL, false);
    ubi__json_object_begin(&j);
    ubi__json_key(&j, "file");
    ubi__json_string(&j, slash ? slash + 1 : path);
    ubi__json_key(&j, "row");
    ubi__json_string(&j, c->name);
    put_u64(&j, "threads", 1);
    put_u64(&j, "wallNs", ns);
    put_u64(&j, "nodes", n_nodes);
    put_u64(&j, "edges", ubi_graph_edge_count(graph));
    ubi__json_key(&j, "nsPerNode");
    ubi__json_double(&j, (double)ns / (double)n_nodes);
    ubi__json_object_end(&j);
    UBI_TRY(ubi__json_flush(&j));
    return putchar('\n') == '\n' ? UBI_OK : ubi__fail(UBI_EIO, "cannot write");
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

static ubi_status measure(const char *path, unsigned repeats) {
    ubi_graph *graph;
    UBI_TRY(ubi_graph_read_path(&graph, path, NULL, NULL));
    ubi_status status = measure_graph(path, graph, repeats);
    ubi_graph_unref(graph);
    return status;
}

int main(int argc, char **argv) {
    unsigned repeats = 7;
    int first = 1;
    if (argc > 2 && strcmp(argv[1], "--repeats") == 0) {
        repeats = (unsigned)atoi(argv[2]);
        first = 3;
    }
    if (first >= argc || argv[first][0] == '-' || repeats == 0) {
        fputs(usage, stderr);
        return 2;
    }
    for (int i = first; i < argc; i++)
        if (measure(argv[i], repeats) != UBI_OK) {
            fprintf(stderr, "census_bench: %s: %s\n", argv[i], ubi_error_message());
            return 3;
        }
    return 0;
}
