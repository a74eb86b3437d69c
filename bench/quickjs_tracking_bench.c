/* SPDX-License-Identifier: MIT
 *
 * quickjs_tracking_bench.c: the workloads on the engine with the tools compiled in.
 *
 *     off        tools attached, nobody observes
 *     P          an observer tracks with probability P, and logs (5000 entries, as by default)
 *     objects    the memory profiler records objects, with its default period
 *     profiled   the same, and all other memory of the engine's
 *
 * See bench/quickjs_tracking.py, which runs it beside plain_quickjs_bench.
 */
#include <ubiheap/extension/quickjs.h>

#include "quickjs_workloads.h"

/*
 * The same objects are sampled in each run: where one lies changes what malloc does later, which can cost more than all of
 * tracking. By the published definition of splitmix64.
 */
static double draw(void *payload) {
    uint64_t *state = payload, z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

static void need(ubi_status status) {
    if (status != UBI_OK) {
        fprintf(stderr, "bench: %s\n", ubi_error_message());
        exit(4);
    }
}

static void observe(ubi_quickjs *tools, JSContext *ctx, double probability) {
    ubi_quickjs_observer *observer;
    need(ubi_quickjs_observer_new(&observer, tools));
    need(ubi_quickjs_observer_add_realm(observer, ctx));
    need(ubi_quickjs_observer_set_probability(observer, probability));
    need(ubi_quickjs_observer_set_tracking(observer, true));
}

static ubi_profiler *profile(ubi_quickjs *tools, bool objects_only, uint64_t *random_state) {
    ubi_profiler *profiler;
    ubi_profiler_options options = UBI_PROFILER_OPTIONS_INIT;
    options.with_objects_only = objects_only;
    options.random = draw;
    options.payload = random_state;
    need(ubi_profiler_new(&profiler, &options));
    need(ubi_quickjs_join_profiler(tools, profiler));
    need(ubi_quickjs_start_profiler(tools));
    return profiler;
}

/* Nothing is observed: places are recorded whenever a script is compiled. */
static int compile_with_tools(const char *path, int n) {
    JSRuntime *rt = JS_NewRuntime();
    JSContext *ctx = JS_NewContext(rt);
    compile_file(ctx, path, n);
    JS_FreeContext(ctx);
    JS_FreeRuntime(rt);
    return 0;
}

int main(int argc, char **argv) {
    if (argc == 2 && strcmp(argv[1], "--list") == 0)
        return list_workloads();
    if (argc == 4 && strcmp(argv[1], "compile") == 0)
        return compile_with_tools(argv[2], atoi(argv[3]));
    const workload *w = argc >= 3 ? workload_named(argv[1]) : NULL;
    if (!w) {
        fprintf(stderr, "usage: quickjs_tracking_bench --list | WORKLOAD off|PROBABILITY|objects|profiled [N [SEED]] | "
                        "compile FILE N\n");
        return 2;
    }
    JSRuntime *rt = JS_NewRuntime();
    ubi_quickjs *tools;
    ubi_profiler *profiler = NULL;
    uint64_t random_state = argc >= 5 ? strtoull(argv[4], NULL, 10) : 1;
    ubi_quickjs_options options = UBI_QUICKJS_OPTIONS_INIT;
    options.random = draw;
    options.random_payload = &random_state;
    need(ubi_quickjs_attach(&tools, rt, &options));
    JSContext *ctx = JS_NewContext(rt);
    load_workload(ctx, w);
    if (strcmp(argv[2], "profiled") == 0 || strcmp(argv[2], "objects") == 0)
        profiler = profile(tools, strcmp(argv[2], "objects") == 0, &random_state);
    else if (strcmp(argv[2], "off") != 0)
        observe(tools, ctx, atof(argv[2]));
    run_workload(ctx, w, argc >= 4 ? atoi(argv[3]) : 0);
    ubi_quickjs_detach(tools);
    ubi_profiler_free(profiler);
    JS_FreeContext(ctx);
    JS_FreeRuntime(rt);
    return 0;
}
