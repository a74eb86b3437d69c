/* SPDX-License-Identifier: MIT
 *
 * Runtimes with tools on several threads at once know nothing of each other.
 */
#include "quickjs_heap.h"

#include <pthread.h>

#define N_THREADS 4

static const char code[] =
    "for (let round = 0; round < 20; round++) { const { g, memory, dbg } = tracked();"
    "evaluate(g, 'globalThis.a = []; function f() { a.push(new Date); } for (let i = 0; i < 100; i++) f();', 'f.js');"
    "const log = memory.drainAllocationsLog().filter(e => e.class === 'Date'); assertEq(log.length, 100);"
    "assert(log.every(e => e.frame === log[0].frame)); assertEq(log[0].frame.functionDisplayName, 'f');"
    "assert(memory.takeCensus().objects.Date.count >= 100); gc(); }";

static void *work(void *failed) {
    quickjs_heap *heap = malloc(sizeof *heap);
    quickjs_heap_open(heap, NULL);
    JS_UpdateStackTop(heap->runtime);
    JSValue result = JS_Eval(heap->realm, code, strlen(code), "thread.js", JS_EVAL_TYPE_GLOBAL);
    *(bool *)failed = JS_IsException(result);
    JS_FreeValue(heap->realm, result);
    quickjs_heap_close(heap);
    free(heap);
    return NULL;
}

static void runtimes_of_several_threads_do_not_disturb_each_other(void **state) {
    (void)state;
    pthread_t threads[N_THREADS];
    bool failed[N_THREADS];
    for (int i = 0; i < N_THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, work, &failed[i]), 0);
    for (int i = 0; i < N_THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < N_THREADS; i++)
        assert_false(failed[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = { cmocka_unit_test(runtimes_of_several_threads_do_not_disturb_each_other) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
