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
    bool compiles = argc == 4 && strcmp(argv[1], "compile") == 0;
    const workload *w = argc >= 2 ? workload_named(argv[1]) : NULL;
    if (!w && !compiles) {
        fprintf(stderr, "usage: plain_quickjs_bench --list | WORKLOAD [N] | compile FILE N\n");
        return 2;
    }
    JSRuntime *rt = JS_NewRuntime();
    JSContext *ctx = JS_NewContext(rt);
    if (compiles) {
        compile_file(ctx, argv[2], atoi(argv[3]));
    } else {
        load_workload(ctx, w);
        run_workload(ctx, w, argc >= 3 ? atoi(argv[2]) : 0);
    }
    JS_FreeContext(ctx);
    JS_FreeRuntime(rt);
    return 0;
}
