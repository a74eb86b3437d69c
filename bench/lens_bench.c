/* SPDX-License-Identifier: MIT
 *
 * lens_bench.c: what the lens of a snapshot's producer costs, and what is computed through it.
 *
 * Rows: "lens" (opening it), "distances", "dominators" (of its view, with dominated sets). Each with one thread and with two,
 * as far as it takes a number of threads. One JSON object per turn on standard output, for bench/report.py; the first turn
 * is a warm-up:
 *
 * {"file":"x.heapsnapshot","row":"lens","threads":2,"wallNs":400000000,"cpuNs":600000000,"nodes":6500000,"edges":26600000,
 *  "resultBytes":172000000}
 */
#include <stdio.h>
#include <stdlib.h>

#include <ubiheap/dominators.h>
#include <ubiheap/lens.h>

#include "base/status.h"
#include "bench_program.h"
#include "counting_allocator.h"

static const char usage[] =
    "usage: lens_bench [--repeats N] FILE...\n"
    "\n"
    "Measures the lens of each FILE, distances and dominators through it, N times (default 5).\n";

typedef struct clocks {
    uint64_t wall_ns, cpu_ns;
} clocks;

static clocks start(void) {
    return (clocks){ ubi__wall_ns(), ubi__cpu_ns() };
}

static ubi_status print_run(const char *path, const ubi_graph *graph, const char *row, unsigned threads, clocks from,
                            uint64_t result_bytes) {
    clocks to = start();
    ubi__row_begin(path, row, threads, to.wall_ns - from.wall_ns);
    ubi__row_u64("cpuNs", to.cpu_ns - from.cpu_ns);
    ubi__row_graph(ubi_graph_node_count(graph), ubi_graph_edge_count(graph));
    if (result_bytes)
        ubi__row_u64("resultBytes", result_bytes);
    return ubi__row_end();
}

static ubi_status open_look(ubi_lens_view **out, const ubi_graph *graph, unsigned threads,
                            const ubi_allocator *allocator) {
    ubi_lens_options options = UBI_LENS_OPTIONS_INIT;
    options.threads = threads;
    options.allocator = allocator;
    return ubi_lens_open(out, NULL, (ubi_graph *)(uintptr_t)graph, &options);
}

static ubi_status measure_open(const char *path, const ubi_graph *graph, unsigned threads, uint64_t result_bytes) {
    ubi_lens_view *look;
    clocks from = start();
    UBI_TRY(open_look(&look, graph, threads, NULL));
    ubi_status status = print_run(path, graph, "lens", threads, from, result_bytes);
    ubi_lens_close(look);
    return status;
}

static ubi_status measure_distances(const char *path, const ubi_graph *graph, const ubi_lens_view *look) {
    uint32_t *distance = malloc(ubi_graph_node_count(graph) * sizeof *distance);
    if (!distance)
        return ubi__fail_nomem();
    clocks from = start();
    ubi_status status = ubi_lens_distances(distance, look);
    if (status == UBI_OK)
        status = print_run(path, graph, "distances", 1, from, 0);
    free(distance);
    return status;
}

static ubi_status measure_dominators(const char *path, const ubi_graph *graph, const ubi_lens_view *look) {
    ubi_dominators *dominators;
    clocks from = start();
    UBI_TRY(ubi_dominators_new(&dominators, ubi_lens_graph_view(look), NULL));
    ubi_status status = print_run(path, graph, "dominators", 1, from, 0);
    ubi_dominators_free(dominators);
    return status;
}

static ubi_status measure_uses(const char *path, const ubi_graph *graph, unsigned repeats) {
    ubi_lens_view *look;
    UBI_TRY(open_look(&look, graph, 0, NULL));
    ubi_status status = UBI_OK;
    for (unsigned turn = 0; turn < repeats && status == UBI_OK; turn++) {
        status = measure_distances(path, graph, look);
        if (status == UBI_OK)
            status = measure_dominators(path, graph, look);
    }
    ubi_lens_close(look);
    return status;
}

static ubi_status measure_memory(uint64_t *result_bytes, const ubi_graph *graph) {
    ubi__counting_allocator counter;
    ubi_lens_view *look;
    ubi__counting_allocator_init(&counter);
    ubi_status status = open_look(&look, graph, 1, &counter.allocator);
    if (status == UBI_OK) {
        *result_bytes = counter.live_bytes;
        ubi_lens_close(look);
    }
    ubi__counting_allocator_fini(&counter);
    return status;
}

static ubi_status measure_graph(const char *path, const ubi_graph *graph, unsigned repeats) {
    uint64_t result_bytes;
    UBI_TRY(measure_memory(&result_bytes, graph));
    for (unsigned threads = 1; threads <= 2; threads++)
        for (unsigned turn = 0; turn < repeats; turn++)
            UBI_TRY(measure_open(path, graph, threads, result_bytes));
    return measure_uses(path, graph, repeats);
}

int main(int argc, char **argv) {
    static const struct option options[] = { UBI__BENCH_OPTIONS };
    static const ubi__bench bench = {
        .name = "lens_bench", .usage = usage, .repeats = 5, .options = options, .measure_graph = measure_graph
    };
    return ubi__bench_main(&bench, argc, argv);
}
