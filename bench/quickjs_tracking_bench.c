/* SPDX-License-Identifier: MIT
 *
 * quickjs_tracking_bench.c: the workloads on the engine with the tools compiled in.
 *
 *     off        tools attached, nobody observes
 *     P          an observer tracks with probability P, and logs (5000 entries, as by default)
 *
 * See bench/quickjs_tracking.py, which runs it beside plain_quickjs_bench.
 */
#include <ubiheap/quickjs.h>

#include "quickjs_workloads.h"

static void need(ubi_status status) {
    if (status != UBI_OK) {
        fprintf(stderr, "bench: %s\n", ubi_error_message());
        exit(4);
    }
}

int main(int argc, char **argv) {
    if (argc == 2 && strcmp(argv[1], "--list") == 0)
        return list_workloads();
    const workload *w = argc >= 3 ? workload_named(argv[1]) : NULL;
    if (!w) {
        fprintf(stderr, "usage: quickjs_tracking_bench --list | WORKLOAD off|PROBABILITY [N]\n");
        return 2;
    }
    JSRuntime *rt = JS_NewRuntime();
    ubi_quickjs *tools;
    need(ubi_quickjs_attach(&tools, rt, NULL));
    JSContext *ctx = JS_NewContext(rt);
    load_workload(ctx, w);
    if (strcmp(argv[2], "off") != 0) {
        ubi_quickjs_observer *observer;
        need(ubi_quickjs_observer_new(&observer, tools));
        need(ubi_quickjs_observer_add_realm(observer, ctx));
        need(ubi_quickjs_observer_set_probability(observer, atof(argv[2])));
        need(ubi_quickjs_observer_set_tracking(observer, true));
    }
    run_workload(ctx, w, argc >= 4 ? atoi(argv[3]) : 0);
    ubi_quickjs_detach(tools);
    JS_FreeContext(ctx);
    JS_FreeRuntime(rt);
    return 0;
}
