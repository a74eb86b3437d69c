/* SPDX-License-Identifier: MIT
 *
 * Several runtimes at once, each on its thread and with its own tools; and requests from other threads.
 */
#include <pthread.h>

#include "engines/quickjs/tracking_testing.h"

#define RUNTIMES 4

typedef struct worker {
    pthread_t thread;
    int number;
    uint32_t tracked, untracked;
} worker;

/* cmocka's assertions belong to the main thread: workers note down what they saw. */
static void *work(void *payload) {
    worker *me = (worker *)payload;
    for (int round = 0; round < 4; round++) {
        JSRuntime *rt = JS_NewRuntime();
        JSContext *ctx = JS_NewContext(rt);
        ubi_quickjs *tools;
        ubi_quickjs_observer *o;
        char file[32];
        snprintf(file, sizeof file, "worker%d.js", me->number);
        if (ubi_quickjs_attach(&tools, rt, NULL) != UBI_OK || ubi_quickjs_observer_new(&o, tools) != UBI_OK)
            return NULL;
        bool tracks = (me->number + round) % 2 == 0;
        if (tracks &&
            (ubi_quickjs_observer_add_realm(o, ctx) != UBI_OK || ubi_quickjs_observer_set_tracking(o, true) != UBI_OK))
            return NULL;
        static const char source[] = "var all = []; for (var i = 0; i < 5000; i++) { all.push({ i }); }\n"
                                     "all.length = 10; all;";
        JSValue all = JS_Eval(ctx, source, sizeof source - 1, file, JS_EVAL_TYPE_GLOBAL);
        JS_RunGC(rt);
        for (uint32_t i = 0; i < 10; i++) {
            JSValue item = JS_GetPropertyUint32(ctx, all, i);
            bool has_frame = false;
            ubi_stack stack;
            ubi_frame frame = { .line = 0 };
            bool tracked = ubi_quickjs_allocation_site(tools, item, &has_frame, &stack);
            if (tracked && has_frame)
                ubi_stack_frame(stack, &frame);
            me->tracked += tracks && frame.line == 1 && frame.source.len == strlen(file) &&
                           memcmp(frame.source.ptr, file, strlen(file)) == 0;
            me->untracked += !tracks && !tracked;
            JS_FreeValue(ctx, item);
        }
        JS_FreeValue(ctx, all);
        ubi_quickjs_detach(tools);
        JS_FreeContext(ctx);
        JS_FreeRuntime(rt);
    }
    return NULL;
}

static void runtimes_on_threads_know_nothing_of_each_other(void **state) {
    UNUSED_STATE(state);
    worker workers[RUNTIMES];
    for (int i = 0; i < RUNTIMES; i++) {
        workers[i] = (worker){ .number = i };
        assert_int_equal(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
    }
    for (int i = 0; i < RUNTIMES; i++) {
        pthread_join(workers[i].thread, NULL);
        assert_int_equal(workers[i].tracked, 20);
        assert_int_equal(workers[i].untracked, 20);
    }
}

static void runtimes_of_one_thread_know_nothing_of_each_other(void **state) {
    UNUSED_STATE(state);
    world a = world_open(NULL), b = world_open(NULL);
    ubi_quickjs_observer *of_a = track(&a, a.ctx), *of_b = observe(&b, b.ctx);
    for (int i = 0; i < 50; i++) {
        eval(a.ctx, "a.js", "var x = {};");
        eval(b.ctx, "b.js", "var x = {};");
        row r;
        assert_true(site_of(&a, a.ctx, "x", &r));
        assert_string_equal(r.file, "a.js");
        assert_false(site_of(&b, b.ctx, "x", &r));
    }
    assert_true(ubi_quickjs_observer_log_length(of_a) >= 50);
    assert_int_equal(ubi_quickjs_observer_log_length(of_b), 0);
    world_close(&a);
    eval(b.ctx, "b.js", "x = {};");
    world_close(&b);
}

/* ---- requests ------------------------------------------------------------------------------------------------------- */

#define REQUESTS 2000

typedef struct asker {
    pthread_t thread;
    ubi_quickjs *tools;
    uint32_t granted; /* on the runtime's thread only */
} asker;

static void grant(void *payload) {
    ((asker *)payload)->granted++;
}

static void *ask(void *payload) {
    asker *me = (asker *)payload;
    for (int i = 0; i < REQUESTS; i++)
        if (ubi_quickjs_request(me->tools, grant, me) != UBI_OK)
            break;
    return NULL;
}

static int on_interrupt(JSRuntime *rt, void *payload) {
    (void)rt;
    ubi_quickjs_interrupt((ubi_quickjs *)payload);
    return 0;
}

static void requests_of_other_threads_run_here(void **state) {
    UNUSED_STATE(state);
    world w = world_open(NULL);
    asker askers[3];
    JS_SetInterruptHandler(w.rt, on_interrupt, w.tools);
    track(&w, w.ctx);
    for (int i = 0; i < 3; i++) {
        askers[i] = (asker){ .tools = w.tools };
        assert_int_equal(pthread_create(&askers[i].thread, NULL, ask, &askers[i]), 0);
    }
    uint32_t granted = 0;
    while (granted < 3 * REQUESTS) {
        eval(w.ctx, "busy.js", "for (var i = 0; i < 20000; i++) ;");
        ubi_quickjs_safe_point(w.tools);
        granted = askers[0].granted + askers[1].granted + askers[2].granted;
    }
    for (int i = 0; i < 3; i++)
        pthread_join(askers[i].thread, NULL);
    assert_false(ubi_quickjs_safe_point(w.tools));
    assert_int_equal(granted, 3 * REQUESTS);
    world_close(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runtimes_on_threads_know_nothing_of_each_other),
        cmocka_unit_test(runtimes_of_one_thread_know_nothing_of_each_other),
        cmocka_unit_test(requests_of_other_threads_run_here),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
