/* SPDX-License-Identifier: MIT
 *
 * quickjs_walk_bench.c: what a walk over a live QuickJS heap costs.
 *
 * Two heaps are made by a script, of 130 thousand and of 600 thousand nodes. Per heap and turn: a bare walk (freeze,
 * all edges of all nodes without names, thaw), its freezing alone, for comparison the engine's own collection of cycles,
 * saving to /dev/null with the default compression, and a census by coarse type. The first turn is a warm-up. One JSON
 * object per measurement, for bench/report.py; `cpuNs` is of all threads, `ownCpuNs` of the one that walks, `timesWalk` the
 * ratio to the walk of the same turn:
 *
 * {"file":"quickjs-600k","row":"walk","threads":1,"wallNs":60000000,"nodes":600700,"edges":1402297,"bytesPerNode":...}
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <ubiheap/extension/quickjs.h>

#include "base/status.h"
#include "bench_program.h"
#include "counting_allocator.h"

static const char usage[] = "usage: quickjs_walk_bench [--repeats N]\n"
                            "\n"
                            "Measures walks over live QuickJS heaps, N times each (default 7).\n";

/* An item is 4.5 nodes: two objects, an array, a string, and by fours a closure and its variable; with LINKS it has more edges. */
static const char script[] = "globalThis.items = [];\n"
                             "for (let i = 0; i < N; i++) {\n"
                             "  const item = { id: i, name: 'item ' + i, next: items[i - 1], tags: ['a', i, { i }] };\n"
                             "  if (i % 4 == 0) item.visit = () => item;\n"
                             "  if (LINKS) { item.all = items; item.up = items[i >> 1]; item.far = items[i >> 2]; "
                             "item.top = items[0]; }\n"
                             "  items.push(item);\n"
                             "}\n";

typedef struct bench_heap {
    const char *name;
    unsigned items;
    bool links;
} bench_heap;

static const bench_heap heaps[] = { { "quickjs-130k", 29000, true }, { "quickjs-600k", 133000, false } };

/** One thing that is measured. */
typedef struct bench_part {
    uint64_t wall_ns, cpu_ns, own_cpu_ns, peak_bytes;
} bench_part;

typedef struct bench_run {
    bench_part freeze, walk, collect, save, census;
    uint64_t nodes, edges;
} bench_run;

/* ---- measuring ---------------------------------------------------------------------------------------------------- */

static uint64_t own_cpu_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static bench_part begin_part(ubi__counting_allocator *memory) {
    memory->peak_bytes = memory->live_bytes;
    return (bench_part){ ubi__wall_ns(), ubi__cpu_ns(), own_cpu_ns(), memory->live_bytes };
}

static bench_part end_part(const bench_part *begun, const ubi__counting_allocator *memory) {
    return (bench_part){ ubi__wall_ns() - begun->wall_ns, ubi__cpu_ns() - begun->cpu_ns,
                         own_cpu_ns() - begun->own_cpu_ns, memory->peak_bytes - begun->peak_bytes };
}

static bool count_edge(void *payload, ubi_node referent, ubi_text name) {
    (void)referent, (void)name;
    ++*(uint64_t *)payload;
    return true;
}

static ubi_status walk_once(bench_run *run, ubi_target target, ubi__counting_allocator *memory) {
    ubi_frozen_heap heap;
    bench_part begun = begin_part(memory);
    UBI_TRY(target.ops->freeze(target.payload, NULL, &heap));
    run->freeze = end_part(&begun, memory);
    for (uint64_t ref = 0; ref < run->nodes; ref++)
        ubi_node_edges((ubi_node){ heap.root.ops, heap.root.heap, ref }, false, count_edge, &run->edges);
    UBI_TRY(target.ops->thaw(target.payload));
    run->walk = end_part(&begun, memory);
    return UBI_OK;
}

static ubi_status save_once(bench_part *part, ubi_target target, ubi__counting_allocator *memory) {
    ubi_save_options options = UBI_SAVE_OPTIONS_INIT;
    options.allocator = &memory->allocator;
    bench_part begun = begin_part(memory);
    UBI_TRY(ubi_target_save(target, NULL, "/dev/null", &options, NULL));
    *part = end_part(&begun, memory);
    return UBI_OK;
}

static ubi_status census_once(bench_part *part, ubi_target target, ubi__counting_allocator *memory) {
    ubi_census_options options = UBI_CENSUS_OPTIONS_INIT;
    ubi_census *census;
    options.allocator = &memory->allocator;
    bench_part begun = begin_part(memory);
    UBI_TRY(ubi_target_census(&census, target, NULL, NULL, &options));
    *part = end_part(&begun, memory);
    ubi_census_free(census);
    return UBI_OK;
}

static ubi_status run_once(bench_run *run, ubi_target target, uint64_t node_count, ubi__counting_allocator *memory) {
    *run = (bench_run){ .nodes = node_count };
    UBI_TRY(walk_once(run, target, memory));
    UBI_TRY(save_once(&run->save, target, memory));
    UBI_TRY(census_once(&run->census, target, memory));
    bench_part begun = begin_part(memory);
    UBI_TRY(ubi_target_collect_cycles(target));
    run->collect = end_part(&begun, memory);
    return UBI_OK;
}

static ubi_status print_row(const char *heap, const char *row, const bench_part *part, const bench_run *run) {
    ubi__row_begin(heap, row, 1, part->wall_ns);
    ubi__row_u64("cpuNs", part->cpu_ns);
    ubi__row_u64("ownCpuNs", part->own_cpu_ns);
    ubi__row_graph(run->nodes, run->edges);
    ubi__row_double("nsPerNode", (double)part->wall_ns / (double)run->nodes);
    ubi__row_double("bytesPerNode", (double)part->peak_bytes / (double)run->nodes);
    ubi__row_double("timesWalk", (double)part->wall_ns / (double)run->walk.wall_ns);
    return ubi__row_end();
}

static ubi_status print_run(const char *heap, const bench_run *run) {
    UBI_TRY(print_row(heap, "walk", &run->walk, run));
    UBI_TRY(print_row(heap, "freeze", &run->freeze, run));
    UBI_TRY(print_row(heap, "engineCollection", &run->collect, run));
    UBI_TRY(print_row(heap, "saveLive", &run->save, run));
    return print_row(heap, "censusLive", &run->census, run);
}

static ubi_status measure_tools(const bench_heap *heap, ubi_quickjs *tools, unsigned repeats,
                                ubi__counting_allocator *memory) {
    ubi_quickjs_coverage coverage;
    UBI_TRY(ubi_quickjs_measure_coverage(tools, &coverage));
    for (unsigned turn = 0; turn <= repeats; turn++) {
        bench_run run;
        UBI_TRY(run_once(&run, ubi_quickjs_target(tools), coverage.node_count, memory));
        if (turn == 0)
            continue;
        UBI_TRY(print_run(heap->name, &run));
    }
    return UBI_OK;
}

static ubi_status measure_heap(const bench_heap *heap, unsigned repeats) {
    ubi__counting_allocator memory;
    ubi_quickjs_options options = UBI_QUICKJS_OPTIONS_INIT;
    ubi_quickjs *tools;
    char whole[sizeof script + 64];
    ubi__counting_allocator_init(&memory);
    options.allocator = &memory.allocator;
    snprintf(whole, sizeof whole, "const N = %u, LINKS = %s;\n%s", heap->items, heap->links ? "true" : "false", script);
    JSRuntime *rt = JS_NewRuntime();
    JSContext *ctx = rt ? JS_NewContext(rt) : NULL;
    if (!ctx)
        return ubi__fail(UBI_ENOMEM, "no memory for a QuickJS runtime");
    JS_SetGCThreshold(rt, SIZE_MAX);
    JS_FreeValue(ctx, JS_Eval(ctx, whole, strlen(whole), "bench.js", JS_EVAL_TYPE_GLOBAL));
    ubi_status status = ubi_quickjs_attach(&tools, rt, &options);
    if (status == UBI_OK) {
        status = measure_tools(heap, tools, repeats, &memory);
        ubi_quickjs_detach(tools);
    }
    JS_FreeContext(ctx);
    JS_FreeRuntime(rt);
    return status;
}

int main(int argc, char **argv) {
    unsigned repeats = argc == 3 && strcmp(argv[1], "--repeats") == 0 ? (unsigned)strtoul(argv[2], NULL, 10) : 7;
    if ((argc != 1 && argc != 3) || repeats == 0) {
        fputs(usage, stderr);
        return 2;
    }
    for (size_t i = 0; i < sizeof heaps / sizeof *heaps; i++)
        if (measure_heap(&heaps[i], repeats) != UBI_OK) {
            fprintf(stderr, "quickjs_walk_bench: %s\n", ubi_error_message());
            return 3;
        }
    return 0;
}
