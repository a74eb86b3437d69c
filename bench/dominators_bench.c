/* SPDX-License-Identifier: MIT
 *
 * dominators_bench.c: what a dominator tree with retained sizes and dominated sets costs per node.
 *
 * Snapshot files are loaded, shapes that are hard are made in memory (shapes.h). The first turn counts memory and is no
 * more than a warm-up for time; it also makes the system supply memory. Each further turn gives one JSON object on
 * standard output, for bench/report.py. temporaryBytes is what the call had allocated at most, beside the result:
 *
 * {"file":"x.fxsnapshot","row":"dominators","threads":1,"wallNs":400000000,"nodes":8588914,"edges":25402310,
 *  "temporaryBytes":400000000,"resultBytes":172000000}
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ubiheap/core/dominators.h>

#include "base/status.h"
#include "bench_program.h"
#include "counting_allocator.h"
#include "shapes.h"

static const char usage[] = "usage: dominators_bench [--repeats N] [--nodes N] FILE | SHAPE...\n"
                            "\n"
                            "Measures the dominators of each FILE, or graph of that SHAPE with N nodes (default "
                            "10,000,000), N times (default 5).\n"
                            "SHAPE is shape:NAME, or shape:all.\n";

static uint32_t n_shape_nodes = 10000000;

/* ---- a run ----------------------------------------------------------------------------------------------------------- */

typedef struct sample {
    uint64_t wall_ns, temporary_bytes, result_bytes;
} sample;

static ubi_status run(sample *out, const ubi_graph *graph) {
    ubi_view view = ubi_view_of(graph);
    ubi_dominators_options o = UBI_DOMINATORS_OPTIONS_INIT;
    ubi_dominators *dominators;
    o.threads = 1;
    uint64_t start = ubi__wall_ns();
    UBI_TRY(ubi_dominators_new(&dominators, &view, &o));
    out->wall_ns = ubi__wall_ns() - start;
    ubi_dominators_free(dominators);
    return UBI_OK;
}

static ubi_status measure_memory(sample *out, const ubi_graph *graph) {
    ubi_view view = ubi_view_of(graph);
    ubi__counting_allocator counter;
    ubi_dominators_options o = UBI_DOMINATORS_OPTIONS_INIT;
    ubi_dominators *dominators;
    ubi__counting_allocator_init(&counter);
    o.allocator = &counter.allocator;
    o.threads = 1;
    ubi_status status = ubi_dominators_new(&dominators, &view, &o);
    if (status == UBI_OK) {
        out->result_bytes = counter.live_bytes;
        out->temporary_bytes = counter.peak_bytes - counter.live_bytes;
        ubi_dominators_free(dominators);
    }
    ubi__counting_allocator_fini(&counter);
    return status;
}

static ubi_status print_run(const char *name, const ubi_graph *graph, const sample *s) {
    ubi__row_begin(name, "dominators", 1, s->wall_ns);
    ubi__row_graph(ubi_graph_node_count(graph), ubi_graph_edge_count(graph));
    ubi__row_u64("temporaryBytes", s->temporary_bytes);
    ubi__row_u64("resultBytes", s->result_bytes);
    return ubi__row_end();
}

/* ---- the program ----------------------------------------------------------------------------------------------------- */

static ubi_status measure_graph(const char *name, const ubi_graph *graph, unsigned repeats) {
    sample s;
    UBI_TRY(measure_memory(&s, graph));
    for (unsigned turn = 0; turn < repeats; turn++) {
        UBI_TRY(run(&s, graph));
        UBI_TRY(print_run(name, graph, &s));
    }
    return UBI_OK;
}

static ubi_status measure_shape(ubi__hard_shape shape, unsigned repeats) {
    char name[64];
    ubi_graph *graph;
    snprintf(name, sizeof name, "shape:%s", ubi__hard_shape_name(shape));
    UBI_TRY(ubi__hard_graph(&graph, shape, n_shape_nodes, NULL));
    ubi_status status = measure_graph(name, graph, repeats);
    ubi_graph_unref(graph);
    return status;
}

static ubi_status measure_shapes(const char *name, unsigned repeats) {
    bool all = strcmp(name, "all") == 0, found = false;
    for (int shape = 0; shape < UBI__HARD_SHAPE_COUNT; shape++)
        if (all || strcmp(name, ubi__hard_shape_name((ubi__hard_shape)shape)) == 0) {
            found = true;
            UBI_TRY(measure_shape((ubi__hard_shape)shape, repeats));
        }
    return found ? UBI_OK : ubi__fail(UBI_EINVAL, "no such shape");
}

static ubi_status measure(const char *name, unsigned repeats) {
    static const char prefix[] = "shape:";
    if (strncmp(name, prefix, strlen(prefix)) == 0)
        return measure_shapes(name + strlen(prefix), repeats);
    return ubi__bench_load(name, repeats, measure_graph);
}

static bool set_option(int option, char *value) {
    (void)option;
    n_shape_nodes = (uint32_t)strtoul(value, NULL, 10);
    return true;
}

int main(int argc, char **argv) {
    static const struct option options[] = { { "nodes", 1, NULL, 'n' }, UBI__BENCH_OPTIONS };
    static const ubi__bench bench = {
        .name = "dominators_bench",
        .usage = usage,
        .repeats = 5,
        .options = options,
        .set_option = set_option,
        .measure = measure,
    };
    return ubi__bench_main(&bench, argc, argv);
}
