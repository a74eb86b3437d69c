/* SPDX-License-Identifier: MIT
 *
 * quickjs_timeline_bench.c: what markers cost a script whose runtime somebody looks at: START with the script's stack, ten
 * frames deep, and END; and entering a script, which is a marker too.
 *
 * Writes rows as timeline_bench.c does, for bench/timeline.sh: {"row":"pairWithScriptStack","threads":1,"nsPerPair":[each turn]}.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <ubiheap/extension/quickjs.h>

enum { PAIRS = 100000, RUNS = 20000, MOST_TURNS = 101 };

/* `pairs` is called below ten frames of the script: nine of `down`, and the script's own. */
static const char script[] = "function down(n) { return n > 1 ? down(n - 1) : pairs(); }\n"
                             "function entered() {}\n"
                             "function start() { return down(9); }\n";

static ubi_timeline_target *target;
static double pair_ns;

static double cpu_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static void fail(const char *what) {
    fprintf(stderr, "quickjs_timeline_bench: %s: %s\n", what, ubi_error_message());
    exit(3);
}

static uint32_t depth_of(const ubi_timeline_markers *markers, uint32_t frame) {
    uint32_t depth = 0;
    for (; frame != UBI_NONE; frame = ubi_timeline_markers_frame(markers, frame).parent)
        depth++;
    return depth;
}

/* Rows of `name` must be there, with stacks of `depth` frames. */
static void pop(const char *name, size_t n_rows, uint32_t depth) {
    ubi_timeline_markers *markers;
    size_t n = 0;
    if (ubi_timeline_target_pop_profile_timeline_markers(target, &markers) != UBI_OK)
        fail("pop");
    for (size_t i = 0; i < ubi_timeline_markers_count(markers); i++) {
        ubi_timeline_row row = ubi_timeline_markers_row(markers, i);
        n += row.name.len == strlen(name) && memcmp(row.name.ptr, name, row.name.len) == 0 &&
             depth_of(markers, row.stack) == depth;
    }
    if (n != n_rows)
        fail(name);
    ubi_timeline_markers_free(markers);
}

static JSValue pairs(JSContext *ctx, JSValueConst this_value, int argc, JSValueConst *argv) {
    (void)ctx, (void)this_value, (void)argc, (void)argv;
    double before_ns = cpu_ns();
    for (int i = 0; i < PAIRS; i++) {
        UBI_AUTO_TIMELINE_MARKER(target, "some work");
    }
    pair_ns = (cpu_ns() - before_ns) / PAIRS;
    return JS_UNDEFINED;
}

static double runs_ns(JSContext *ctx, JSValueConst function) {
    double before_ns = cpu_ns();
    for (int i = 0; i < RUNS; i++)
        JS_FreeValue(ctx, JS_Call(ctx, function, JS_UNDEFINED, 0, NULL));
    return (cpu_ns() - before_ns) / RUNS;
}

static void print_row(const char *row, const double *ns, unsigned n) {
    printf("{\"row\":\"%s\",\"threads\":1,\"nsPerPair\":[", row);
    for (unsigned i = 0; i < n; i++)
        printf("%s%.2f", i ? "," : "", ns[i]);
    printf("]}\n");
}

int main(int argc, char **argv) {
    unsigned turns = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 25;
    double stack_ns[MOST_TURNS], run_ns[MOST_TURNS];
    turns = turns < MOST_TURNS ? turns : MOST_TURNS;
    JSRuntime *runtime = JS_NewRuntime();
    JSContext *ctx = runtime ? JS_NewContext(runtime) : NULL;
    ubi_quickjs *tools;
    if (!ctx || ubi_quickjs_attach(&tools, runtime, NULL) != UBI_OK ||
        ubi_timeline_target_new(&target, NULL) != UBI_OK ||
        ubi_timeline_target_set_record_profile_timeline_markers(target, true) != UBI_OK ||
        ubi_quickjs_join_timeline(tools, target) != UBI_OK)
        fail("start");
    JSValue global = JS_GetGlobalObject(ctx);
    JS_SetPropertyStr(ctx, global, "pairs", JS_NewCFunction(ctx, pairs, "pairs", 0));
    JS_FreeValue(ctx, JS_Eval(ctx, script, strlen(script), "bench.js", JS_EVAL_TYPE_GLOBAL));
    JSValue start = JS_GetPropertyStr(ctx, global, "start"), entered = JS_GetPropertyStr(ctx, global, "entered");
    for (unsigned turn = 0; turn <= turns; turn++) { /* the first warms up */
        unsigned at = turn ? turn - 1 : 0;
        JS_FreeValue(ctx, JS_Call(ctx, start, JS_UNDEFINED, 0, NULL));
        stack_ns[at] = pair_ns;
        pop("some work", PAIRS, 10);
        run_ns[at] = runs_ns(ctx, entered);
        pop("Javascript", RUNS, 1);
    }
    print_row("pairWithScriptStack", stack_ns, turns);
    print_row("scriptEntered", run_ns, turns);
    JS_FreeValue(ctx, start);
    JS_FreeValue(ctx, entered);
    JS_FreeValue(ctx, global);
    ubi_quickjs_detach(tools);
    JS_FreeContext(ctx);
    JS_FreeRuntime(runtime);
    ubi_timeline_target_free(target);
    return 0;
}
