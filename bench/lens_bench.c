/* SPDX-License-Identifier: MIT
 *
 * lens_bench.c: from a file to its classes with their retained sizes, step by step, through the lens of its producer.
 *
 * A turn is a load and all steps, with one thread and then with two. Rows:
 *
 *     lens         opening the lens
 *     summary      dominators, retained sizes, distances and classes, as `ubiheap summary` computes them
 *     everything   reading, lens and summary
 *     distances, dominators (with retained sizes and dominated sets), classes (of given distances and dominators): alone
 *
 * The last three with one thread. The first turn is a warm-up and is not reported. Before each load, memory is touched as in
 * load_bench.c. One JSON object per run on standard output, for bench/report.py:
 *
 * {"file":"x.heapsnapshot","row":"lens","threads":2,"wallNs":400000000,"cpuNs":600000000,"nodes":6500000,"edges":26600000,
 *  "resultBytes":172000000}
 */
#include <stdio.h>
#include <stdlib.h>

#include <ubiheap/core/formats.h>
#include <ubiheap/views/lens.h>
#include <ubiheap/views/summary.h>

#include "base/status.h"
#include "bench_program.h"
#include "counting_allocator.h"

static const char usage[] =
    "usage: lens_bench [--repeats N] FILE...\n"
    "\n"
    "Measures the steps from each FILE to its classes with their retained sizes, N times (default 5).\n";

/* ---- clocks ------------------------------------------------------------------------------------------------------ */

typedef struct clocks {
    uint64_t wall_ns, cpu_ns;
} clocks;

static clocks now(void) {
    return (clocks){ ubi__wall_ns(), ubi__cpu_ns() };
}

/* ---- a turn ------------------------------------------------------------------------------------------------------ */

typedef struct turn {
    const char *path;
    unsigned threads;
    bool is_reported;
    ubi_graph *graph;
    ubi_look *look;
    uint64_t look_bytes; /* what stays of opening it */
    uint64_t peak_bytes; /* of the turn before, about */
} turn;

static ubi_status print_run(const turn *t, const char *row, clocks from, uint64_t result_bytes) {
    clocks to = now();
    if (!t->is_reported)
        return UBI_OK;
    ubi__row_begin(t->path, row, t->threads, to.wall_ns - from.wall_ns);
    ubi__row_u64("cpuNs", to.cpu_ns - from.cpu_ns);
    ubi__row_graph(ubi_graph_node_count(t->graph), ubi_graph_edge_count(t->graph));
    if (result_bytes)
        ubi__row_u64("resultBytes", result_bytes);
    return ubi__row_end();
}

static ubi_status open_look(ubi_look **out, const turn *t, const ubi_allocator *allocator) {
    ubi_look_options options = UBI_LOOK_OPTIONS_INIT;
    options.threads = t->threads;
    options.allocator = allocator;
    return ubi_look_open(out, NULL, t->graph, &options);
}

static ubi_status sum_up(const turn *t, const char *row, const ubi_dominators *dominators, const uint32_t *distances) {
    ubi_summary_options options = UBI_SUMMARY_OPTIONS_INIT;
    ubi_summary *summary;
    options.threads = t->threads;
    options.distances = distances;
    clocks from = now();
    UBI_TRY(ubi_summary_new(&summary, t->look, dominators, &options));
    ubi_status status = print_run(t, row, from, 0);
    ubi_summary_free(summary);
    return status;
}

/* Each step of a summary by itself. */
static ubi_status measure_steps(const turn *t, uint32_t *distances) {
    ubi_dominators *dominators;
    clocks from = now();
    UBI_TRY(ubi_look_distances(distances, t->look));
    UBI_TRY(print_run(t, "distances", from, 0));
    from = now();
    UBI_TRY(ubi_dominators_new(&dominators, ubi_look_view(t->look), NULL));
    ubi_status status = print_run(t, "dominators", from, 0);
    if (status == UBI_OK)
        status = sum_up(t, "classes", dominators, distances);
    ubi_dominators_free(dominators);
    return status;
}

static ubi_status measure_look(turn *t, clocks start) {
    clocks from = now();
    UBI_TRY(open_look(&t->look, t, NULL));
    UBI_TRY(print_run(t, "lens", from, t->look_bytes));
    UBI_TRY(sum_up(t, "summary", NULL, NULL));
    UBI_TRY(print_run(t, "everything", start, 0));
    if (t->threads > 1)
        return UBI_OK;
    uint32_t *distances = malloc((size_t)ubi_graph_node_count(t->graph) * sizeof *distances);
    ubi_status status = distances ? measure_steps(t, distances) : ubi__fail_nomem();
    free(distances);
    return status;
}

/* Of the turn that is not reported. */
static ubi_status measure_memory(turn *t) {
    ubi__counting_allocator counter;
    ubi_look *look;
    ubi__counting_allocator_init(&counter);
    ubi_status status = open_look(&look, t, &counter.allocator);
    if (status == UBI_OK) {
        t->look_bytes = counter.live_bytes;
        ubi_look_close(look);
    }
    ubi__counting_allocator_fini(&counter);
    return status;
}

static ubi_status take_turn(turn *t) {
    ubi_read_options options = UBI_READ_OPTIONS_INIT;
    options.threads = t->threads;
    ubi__touch_memory(t->peak_bytes);
    t->look = NULL;
    clocks start = now();
    UBI_TRY(ubi_graph_read_path(&t->graph, t->path, &options, NULL));
    ubi_status status = measure_look(t, start);
    ubi_look_close(t->look);
    if (status == UBI_OK && !t->look_bytes)
        status = measure_memory(t);
    ubi_graph_unref(t->graph);
    t->peak_bytes = ubi__peak_rss_bytes();
    return status;
}

static ubi_status measure(const char *path, unsigned repeats) {
    turn t = { .path = path };
    for (unsigned i = 0; i <= repeats; i++)
        for (t.threads = 1; t.threads <= 2; t.threads++) {
            t.is_reported = i > 0;
            UBI_TRY(take_turn(&t));
        }
    return UBI_OK;
}

int main(int argc, char **argv) {
    static const struct option options[] = { UBI__BENCH_OPTIONS };
    static const ubi__bench bench = {
        .name = "lens_bench", .usage = usage, .repeats = 5, .options = options, .measure = measure
    };
    return ubi__bench_main(&bench, argc, argv);
}
