/* SPDX-License-Identifier: MIT
 *
 * Several realms of one runtime: what belongs to which.
 */
#include <stdlib.h>

#include "engines/quickjs/engine.h"
#include "engines/quickjs/walk_for_tests.h"

/* Nodes that a walk of a scope reaches, as its edge filter says. */
typedef struct reach {
    const test_walk *walk;
    bool *was_seen;
    uint64_t *queue;
    uint64_t n_queue;
    ubi_node origin;
} reach;

static bool reach_node(void *payload, ubi_node referent, ubi_text name) {
    (void)name;
    reach *r = payload;
    const ubi_frozen_heap *heap = &r->walk->heap;
    if (heap->edge_filter && heap->edge_filter(heap->edge_filter_payload, r->origin, referent) == UBI_EDGE_SKIP)
        return true;
    if (!r->was_seen[referent.ref]) {
        r->was_seen[referent.ref] = true;
        r->queue[r->n_queue++] = referent.ref;
    }
    return true;
}

static reach reach_all(const test_walk *walk) {
    uint64_t n = walk->heap.root.ref;
    reach r = { walk, calloc(n + 1, sizeof(bool)), calloc(n + 1, sizeof(uint64_t)), 0, walk->heap.root };
    ubi_node_edges(walk->heap.root, false, reach_node, &r);
    for (uint64_t i = 0; i < r.n_queue; i++) {
        r.origin = test_node(walk, r.queue[i]);
        ubi_node_edges(r.origin, false, reach_node, &r);
    }
    return r;
}
static void reach_fini(reach *r) {
    free(r->was_seen);
    free(r->queue);
}

typedef struct two_realms {
    test_runtime t;
    JSContext *other;
    uint64_t mine, shared, theirs, their_function, my_function;
} two_realms;

static uint64_t id_of(const test_runtime *t, JSContext *ctx, const char *expression) {
    uint64_t id = 0;
    JSValue value = test_eval_as(ctx, expression, JS_EVAL_TYPE_GLOBAL);
    assert_true(ubi_quickjs_node_id(t->tools, value, &id));
    JS_FreeValue(ctx, value);
    return id;
}

static two_realms new_two_realms(void) {
    two_realms r = { .t = test_runtime_new() };
    r.other = JS_NewContext(r.t.rt);
    test_run(r.t.ctx, "globalThis.mine = { m: 1 }; globalThis.shared = { s: 1 }; globalThis.f = function () {};");
    test_run(r.other, "globalThis.theirs = { t: 1 }; globalThis.g = function () { return theirs; }; g.on = { o: 1 };");
    JSValue global = JS_GetGlobalObject(r.t.ctx), other_global = JS_GetGlobalObject(r.other);
    JS_SetPropertyStr(r.t.ctx, global, "otherGlobal", JS_DupValue(r.t.ctx, other_global));
    JS_SetPropertyStr(r.t.ctx, global, "g", JS_GetPropertyStr(r.other, other_global, "g"));
    JS_SetPropertyStr(r.other, other_global, "shared", JS_GetPropertyStr(r.t.ctx, global, "shared"));
    JS_FreeValue(r.t.ctx, global);
    JS_FreeValue(r.other, other_global);
    r.mine = id_of(&r.t, r.t.ctx, "mine");
    r.shared = id_of(&r.t, r.t.ctx, "shared");
    r.my_function = id_of(&r.t, r.t.ctx, "f");
    r.theirs = id_of(&r.t, r.other, "theirs");
    r.their_function = id_of(&r.t, r.other, "g");
    return r;
}
static void two_realms_free(two_realms *r) {
    JS_FreeContext(r->other);
    test_runtime_free(&r->t);
}

static bool has(const reach *r, uint64_t id) {
    return r->was_seen[test_node_with_id(r->walk, id).ref];
}

static void a_scope_ends_at_other_realms(void **state) {
    (void)state;
    two_realms r = new_two_realms();
    ubi_quickjs_scope *scope;
    test_walk w;
    assert_int_equal(ubi_quickjs_scope_new(&scope, r.t.tools), UBI_OK);
    assert_int_equal(ubi_quickjs_scope_add(scope, r.t.ctx), UBI_OK);
    assert_int_equal(ubi_quickjs_scope_add(scope, r.t.ctx), UBI_OK);
    ubi_target_scope part = ubi_quickjs_scope_get(scope);
    test_freeze(&w, &r.t, &part);
    assert_string_equal(test_edges_of_node(&w, w.heap.root), "debuggee global:Object");
    reach reached = reach_all(&w);
    assert_true(has(&reached, r.mine));
    assert_true(has(&reached, r.shared));
    assert_true(has(&reached, r.my_function));
    assert_false(has(&reached, r.theirs));
    assert_false(has(&reached, r.their_function));
    assert_true(reached.n_queue < w.heap.root.ref * 2 / 3);
    reach_fini(&reached);
    test_thaw(&w);
    ubi_quickjs_scope_free(scope);
    two_realms_free(&r);
}

static void a_scope_of_all_realms_reaches_all(void **state) {
    (void)state;
    two_realms r = new_two_realms();
    ubi_quickjs_scope *scope;
    test_walk w;
    assert_int_equal(ubi_quickjs_scope_new(&scope, r.t.tools), UBI_OK);
    assert_int_equal(ubi_quickjs_scope_add(scope, r.other), UBI_OK);
    assert_int_equal(ubi_quickjs_scope_add(scope, r.t.ctx), UBI_OK);
    ubi__scope_name_edges(scope, "heap snapshot global");
    ubi_target_scope part = ubi_quickjs_scope_get(scope);
    test_freeze(&w, &r.t, &part);
    assert_string_equal(test_edges_of_node(&w, w.heap.root), "heap snapshot global:Object heap snapshot global:Object");
    reach reached = reach_all(&w);
    assert_true(has(&reached, r.mine));
    assert_true(has(&reached, r.theirs));
    assert_true(has(&reached, r.their_function));
    reach_fini(&reached);
    test_thaw(&w);
    ubi__scope_remove(scope, r.other);
    test_freeze(&w, &r.t, &part);
    assert_string_equal(test_edges_of_node(&w, w.heap.root), "heap snapshot global:Object");
    test_thaw(&w);
    ubi_quickjs_scope_free(scope);
    two_realms_free(&r);
}

static void a_realm_that_dies_drops_out(void **state) {
    (void)state;
    test_runtime t = test_runtime_new();
    ubi_quickjs_scope *scope;
    test_walk w;
    assert_int_equal(ubi_quickjs_scope_new(&scope, t.tools), UBI_OK);
    for (int i = 0; i < 3; i++) { /* perhaps at the same address */
        JSContext *short_lived = JS_NewContext(t.rt);
        assert_int_equal(ubi_quickjs_scope_add(scope, short_lived), UBI_OK);
        JS_FreeContext(short_lived);
        JS_RunGC(t.rt);
        JSContext *follower = JS_NewContext(t.rt);
        ubi_target_scope part = ubi_quickjs_scope_get(scope);
        test_freeze(&w, &t, &part);
        assert_string_equal(test_edges_of_node(&w, w.heap.root), "");
        test_thaw(&w);
        JS_FreeContext(follower);
        JS_RunGC(t.rt);
    }
    ubi_quickjs_scope_free(scope);
    test_runtime_free(&t);
}

static void a_scope_belongs_to_one_runtime(void **state) {
    (void)state;
    test_runtime t = test_runtime_new(), other = test_runtime_new();
    ubi_quickjs_scope *scope;
    ubi_frozen_heap heap;
    assert_int_equal(ubi_quickjs_scope_new(&scope, t.tools), UBI_OK);
    assert_int_equal(ubi_quickjs_scope_add(scope, other.ctx), UBI_EMISMATCH);
    ubi_target_scope part = ubi_quickjs_scope_get(scope);
    ubi_target target = ubi_quickjs_target(other.tools);
    assert_int_equal(target.ops->freeze(target.payload, &part, &heap), UBI_EMISMATCH);
    ubi_quickjs_scope_free(scope);
    test_runtime_free(&other);
    test_runtime_free(&t);
}

static void realms_are_found_by_their_globals(void **state) {
    (void)state;
    two_realms r = new_two_realms();
    JSValue global = JS_GetGlobalObject(r.t.ctx), other_global = JS_GetGlobalObject(r.other);
    assert_ptr_equal(ubi_quickjs_realm_of_global(r.t.tools, global), r.t.ctx);
    assert_ptr_equal(ubi_quickjs_realm_of_global(r.t.tools, other_global), r.other);
    JSValue object = JS_NewObject(r.t.ctx);
    assert_null(ubi_quickjs_realm_of_global(r.t.tools, object));
    assert_null(ubi_quickjs_realm_of_global(r.t.tools, JS_UNDEFINED));
    JS_FreeValue(r.t.ctx, object);
    JS_FreeValue(r.t.ctx, global);
    JS_FreeValue(r.other, other_global);
    two_realms_free(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_scope_ends_at_other_realms),      cmocka_unit_test(a_scope_of_all_realms_reaches_all),
        cmocka_unit_test(a_realm_that_dies_drops_out),       cmocka_unit_test(a_scope_belongs_to_one_runtime),
        cmocka_unit_test(realms_are_found_by_their_globals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
