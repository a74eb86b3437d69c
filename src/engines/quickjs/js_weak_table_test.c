/* SPDX-License-Identifier: MIT
 *
 * The table of objects that it does not keep alive, against a plain list.
 */
#include "quickjs_heap.h"

#include "engines/quickjs/js_weak_table.h"
#include "fail_allocator.h"

#define N_OBJECTS 500

static bool is_object(void *payload, JSValueConst object) {
    return JS_VALUE_GET_PTR(object) == payload;
}

static bool has(JSContext *ctx, const ubi__weak_table *table, uint32_t hash, JSValueConst object) {
    JSValue found = ubi__weak_table_lookup(ctx, table, hash, is_object, JS_VALUE_GET_PTR(object));
    bool there = JS_IsObject(found);
    JS_FreeValue(ctx, found);
    return there;
}

static void it_finds_what_was_added_and_not_removed_with_few_and_many_hashes(void **state) {
    (void)state;
    quickjs_heap heap;
    quickjs_heap_open(&heap, NULL);
    JSContext *ctx = heap.realm;
    const ubi_allocator *allocator = ubi_allocator_default();
    JSValue objects[N_OBJECTS];
    for (uint32_t i = 0; i < N_OBJECTS; i++)
        objects[i] = JS_NewObject(ctx);
    for (uint32_t n_hashes = 1; n_hashes <= 1u << 20; n_hashes *= 32) {
        ubi__weak_table table = { 0 };
        bool there[N_OBJECTS] = { false };
        uint32_t hashes[N_OBJECTS];
        for (uint32_t i = 0; i < N_OBJECTS; i++)
            hashes[i] = random_below(n_hashes);
        for (int step = 0; step < 3000; step++) {
            uint32_t i = random_below(N_OBJECTS);
            if (there[i])
                ubi__weak_table_forget(&table, hashes[i], objects[i]);
            else
                assert_int_equal(ubi__weak_table_add(&table, allocator, hashes[i], objects[i]), UBI_OK);
            there[i] = !there[i];
            uint32_t k = random_below(N_OBJECTS);
            assert_int_equal(has(ctx, &table, hashes[k], objects[k]), there[k]);
        }
        for (uint32_t i = 0; i < N_OBJECTS; i++) {
            assert_int_equal(has(ctx, &table, hashes[i], objects[i]), there[i]);
            ubi__weak_table_forget(&table, hashes[i], objects[i]); /* there or not */
        }
        assert_int_equal(table.n, 0);
        ubi__weak_table_fini(&table, allocator);
    }
    for (uint32_t i = 0; i < N_OBJECTS; i++)
        JS_FreeValue(ctx, objects[i]);
    quickjs_heap_close(&heap);
}

static void it_stays_as_it_was_when_there_is_no_memory(void **state) {
    (void)state;
    quickjs_heap heap;
    quickjs_heap_open(&heap, NULL);
    JSValue object = JS_NewObject(heap.realm);
    for (uint64_t allowed = 0; allowed < 3; allowed++) {
        fail_allocator f;
        fail_allocator_init(&f, allowed);
        ubi__weak_table table = { 0 };
        uint32_t n = 0;
        while (n < 100 && ubi__weak_table_add(&table, &f.allocator, n, object) == UBI_OK)
            n++;
        assert_int_equal(table.n, n);
        for (uint32_t i = 0; i < n; i++)
            assert_true(has(heap.realm, &table, i, object));
        ubi__weak_table_fini(&table, &f.allocator);
        fail_allocator_fini(&f);
    }
    JS_FreeValue(heap.realm, object);
    quickjs_heap_close(&heap);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_finds_what_was_added_and_not_removed_with_few_and_many_hashes),
        cmocka_unit_test(it_stays_as_it_was_when_there_is_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
