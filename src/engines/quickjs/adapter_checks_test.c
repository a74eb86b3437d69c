/* SPDX-License-Identifier: MIT
 *
 * adapter_checks_test.c: the invariants of a frozen heap, and of the list of tools, are seen when they break. The checks are
 * in the unit of the engine, so they are reached by thawing and by attaching.
 */
#include "engines/quickjs/walk_for_tests.h"

#include "damage.h"
/* Its functions are the engine's unit's; here are only the structures. */
#define UBI_COLD __attribute__((cold))
#pragma GCC diagnostic ignored "-Wunused-function"
#include "engines/quickjs/adapter/state.h"

static void thaw_heap(void *walk) {
    test_thaw(walk);
}
static void attach_another(void *unused) {
    ubi_quickjs *tools;
    (void)unused;
    (void)ubi_quickjs_attach(&tools, JS_NewRuntime(), NULL);
}

static void a_damaged_walk_is_seen(void **state) {
    (void)state;
    test_runtime t = test_runtime_new();
    test_walk w;
    JSValue held[2]; /* by C code: roots */
    for (int i = 0; i < 2; i++)
        held[i] = test_eval_as(t.ctx, "({})", JS_EVAL_TYPE_GLOBAL);
    test_freeze(&w, &t, NULL);
    ubi__walk_state *walk = &t.tools->walk;
    assert_true(walk->n_roots > 1);
    ubi__root first = walk->roots[0];
    walk->roots[0].node = walk->index.n_nodes;
    assert_damage_seen(thaw_heap, &w, "root->node < index->n_nodes");
    walk->roots[0] = walk->roots[1];
    assert_damage_seen(thaw_heap, &w, "walk->roots[i - 1].node < root->node");
    walk->roots[0] = first;
    walk->roots[0].slot = walk->n_slots;
    assert_damage_seen(thaw_heap, &w, "root->slot < walk->n_slots");
    walk->roots[0] = first;
    walk->n_work++;
    assert_damage_seen(thaw_heap, &w, "walk->n_work == 0");
    walk->n_work--;
    walk->slot_of.count++;
    assert_damage_seen(thaw_heap, &w, "walk->slot_of.count == walk->n_slots");
    walk->slot_of.count--;
    test_thaw(&w);
    for (int i = 0; i < 2; i++)
        JS_FreeValue(t.ctx, held[i]);
    test_runtime_free(&t);
}

static void damaged_lists_of_tools_are_seen(void **state) {
    (void)state;
    test_runtime a = test_runtime_new(), b = test_runtime_new();
    uint64_t serial = a.tools->serial;
    a.tools->serial = 0;
    assert_damage_seen(attach_another, NULL, "t->serial > 0");
    a.tools->serial = b.tools->serial;
    assert_damage_seen(attach_another, NULL, "t->next->serial < t->serial");
    a.tools->serial = serial;
    JSRuntime *runtime = a.tools->runtime;
    a.tools->runtime = b.tools->runtime;
    assert_damage_seen(attach_another, NULL, "other->runtime != t->runtime");
    a.tools->runtime = NULL;
    assert_damage_seen(attach_another, NULL, "t->runtime && t->allocator");
    a.tools->runtime = runtime;
    test_runtime_free(&b);
    test_runtime_free(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_damaged_walk_is_seen),
        cmocka_unit_test(damaged_lists_of_tools_are_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
