/* SPDX-License-Identifier: MIT
 *
 * host_timers_test.c: the invariants of timers are seen when they break. What timers do for scripts: tests/quickjs.
 */
#include "engines/quickjs/runtime_for_tests.h"

#include "damage.h"
#include "engines/quickjs/host/host_timers.c"

_Thread_local ubi__host *ubi__host_here;

uint64_t ubi__host_clock_us(void) {
    return 1000;
}

static void check_timers(void *timers) {
    timers_check(timers);
}

/* Three run, the third is the next, and one was stopped. */
static void start_timers(JSContext *realm) {
    JSValue global = JS_GetGlobalObject(realm);
    assert_int_equal(ubi__timers_add_globals(realm, global), 0);
    JS_FreeValue(realm, global);
    test_run(realm,
             "function f() {}\n"
             "setTimeout(f, 30); setInterval(f, 20, 'more'); setTimeout(f, 10); clearTimeout(setTimeout(f, 40));");
}

static void damaged_timers_are_seen(void **state) {
    (void)state;
    test_runtime t = test_runtime_new();
    ubi__host host = { .runtime = t.rt, .tools = t.tools };
    ubi__host_timers *timers = &host.timers;
    ubi__host_here = &host;
    assert_true(ubi__timers_init(timers, t.rt));
    start_timers(t.ctx);
    assert_int_equal(timers->n, 3);
    assert_int_equal(timers->n_free, 1);
    timers_check(timers);
    timers->n_free = 0;
    assert_damage_seen(check_timers, timers, "timers->n + timers->n_free == timers->n_slots");
    timers->n_free = 1;
    timers->heap[1]->at = 2;
    assert_damage_seen(check_timers, timers, "t->at == i");
    timers->heap[1]->at = 1;
    uint64_t due_us = timers->heap[2]->due_us;
    timers->heap[2]->due_us = 0;
    assert_damage_seen(check_timers, timers, "!timer_is_before(t, timers->heap[(i - 1) / 2])");
    timers->heap[2]->due_us = due_us;
    timers->heap[0]->id++;
    assert_damage_seen(check_timers, timers, "timers->slots[slot_of(t)] == t");
    timers->heap[0]->id--;
    uint32_t slot = timers->free_slots[0];
    timers->free_slots[0] = slot_of(timers->heap[0]);
    assert_damage_seen(check_timers, timers, "!timers->slots[timers->free_slots[i]]");
    timers->free_slots[0] = slot;
    ubi__timers_fini(timers, t.rt);
    test_runtime_free(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = { cmocka_unit_test(damaged_timers_are_seen) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
