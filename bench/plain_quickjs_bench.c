/* SPDX-License-Identifier: MIT
 *
 * plain_quickjs_bench.c: the workloads on the engine as its authors wrote it, compiled with the flags of ours.
 *
 * See bench/quickjs_tracking.py, which runs it beside quickjs_tracking_bench.
 */
#include "quickjs_workloads.h"

int main(int argc, char **argv) {
    if (argc == 2 && strcmp(argv[1], "--list") == 0)
        return list_workloads();
    const workload *w = argc >= 2 ? workload_named(argv[1]) : NULL;
    if (!w) {
        fprintf(stderr, "usage: plain_quickjs_bench --list | WORKLOAD [N]\n");
        return 2;
    }
    JSRuntime *rt = JS_NewRuntime();
    JSContext *ctx = JS_NewContext(rt);
    load_workload(ctx, w);
    run_workload(ctx, w, argc >= 3 ? atoi(argv[2]) : 0);
    JS_FreeContext(ctx);
    JS_FreeRuntime(rt);
    return 0;
}
