/* SPDX-License-Identifier: MIT
 *
 * save_bench.c: how long it takes to save snapshots, beside loading the same file, and how much memory.
 *
 * Each file is loaded and saved in turns: as a graph, and by walking the graph as if it were a live heap, each with 1 and 2
 * threads. Output is thrown away, so that no disk is measured. Memory is what the save asked its allocator for at most. The
 * first turn is a warm-up and is not reported. One JSON object per run goes to standard output; bench/report.py makes tables
 * of them.
 */
#include <string.h>

#include <ubiheap/core/formats.h>

#include "base/status.h"
#include "bench_program.h"
#include "counting_allocator.h"

static const char usage[] = "usage: save_bench [--repeats N] [--small] FILE...\n"
                            "\n"
                            "Measures saving each FILE, N times (default 5). --small: with the slow compression.\n"
                            "Prints one JSON object per run.\n";

typedef struct sample {
    uint64_t wall_ns, cpu_ns;
    uint64_t peak_bytes;
    ubi_save_info info;
    uint64_t n_nodes, n_edges;
} sample;

static bool small;

/* ---- measuring ---------------------------------------------------------------------------------------------------- */

static void start(sample *s) {
    memset(s, 0, sizeof *s);
    s->cpu_ns = ubi__cpu_ns();
    s->wall_ns = ubi__wall_ns();
}

static void stop(sample *s, const ubi_graph *graph) {
    s->wall_ns = ubi__wall_ns() - s->wall_ns;
    s->cpu_ns = ubi__cpu_ns() - s->cpu_ns;
    s->n_nodes = ubi_graph_node_count(graph);
    s->n_edges = ubi_graph_edge_count(graph);
}

static bool discard(void *payload, const void *data, size_t n) {
    (void)payload, (void)data, (void)n;
    return true;
}

static ubi_status run_save(sample *out, const ubi_graph *graph, bool walk, unsigned threads) {
    ubi__counting_allocator counter;
    ubi_save_options options = UBI_SAVE_OPTIONS_INIT;
    sample s;
    options.allocator = &counter.allocator;
    options.threads = threads;
    options.compression = small ? UBI_COMPRESSION_SMALL : UBI_COMPRESSION_DEFAULT;
    ubi__counting_allocator_init(&counter);
    start(&s);
    s.info = (ubi_save_info)UBI_SAVE_INFO_INIT;
    ubi_node root = ubi_graph_as_node(graph, ubi_graph_root(graph));
    ubi_status status = walk ? ubi_save_callback(root, discard, NULL, &options, &s.info)
                             : ubi_graph_save_callback(graph, discard, NULL, &options, &s.info);
    stop(&s, graph);
    s.peak_bytes = counter.peak_bytes;
    ubi__counting_allocator_fini(&counter);
    *out = s;
    return status;
}

static ubi_status print_sample(const char *path, const char *row, unsigned threads, const sample *s) {
    ubi__row_begin(path, row, threads, s->wall_ns);
    ubi__row_u64("cpuNs", s->cpu_ns);
    ubi__row_graph(s->n_nodes, s->n_edges);
    if (s->info.output_bytes) {
        ubi__row_u64("outputBytes", s->info.output_bytes);
        ubi__row_u64("temporaryBytes", s->peak_bytes);
    }
    return ubi__row_end();
}

/* ---- the program -------------------------------------------------------------------------------------------------- */

static ubi_status save_all_ways(const ubi_graph *graph, const char *path, bool report) {
    for (int way = 0; way < 4; way++) {
        bool walk = way >= 2;
        unsigned threads = 1 + way % 2;
        sample s;
        UBI_TRY(run_save(&s, graph, walk, threads));
        if (report)
            UBI_TRY(print_sample(path, walk ? "saveWalk" : "saveGraph", threads, &s));
    }
    return UBI_OK;
}

static ubi_status measure_once(const char *path, bool report) {
    ubi_read_options options = UBI_READ_OPTIONS_INIT;
    ubi_graph *graph;
    sample s;
    options.threads = 1;
    start(&s);
    UBI_TRY(ubi_graph_read_path(&graph, path, &options, NULL));
    stop(&s, graph);
    ubi_status status = report ? print_sample(path, "loadBeforeSave", 1, &s) : UBI_OK;
    if (status == UBI_OK)
        status = save_all_ways(graph, path, report);
    ubi_graph_unref(graph);
    return status;
}

static ubi_status measure(const char *path, unsigned repeats) {
    for (unsigned turn = 0; turn <= repeats; turn++)
        UBI_TRY(measure_once(path, turn > 0));
    return UBI_OK;
}

static bool set_option(int option, char *value) {
    (void)option, (void)value;
    small = true;
    return true;
}

int main(int argc, char **argv) {
    static const struct option options[] = { { "small", 0, NULL, 's' }, UBI__BENCH_OPTIONS };
    static const ubi__bench bench = {
        .name = "save_bench",
        .usage = usage,
        .repeats = 5,
        .options = options,
        .set_option = set_option,
        .measure = measure,
    };
    return ubi__bench_main(&bench, argc, argv);
}
