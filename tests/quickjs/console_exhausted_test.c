/* SPDX-License-Identifier: MIT
 *
 * console_exhausted_test.c: a console of a program whose engine refuses memory, one allocation after the other.
 */
#include <ubiheap/extension/console.h>

#include "quickjs_heap.h"

static const char *const texts[] = {
    "({ a: 'text', [Symbol('s')]: [1, 2], get b() { return 1; } })",
    "class Point { constructor() { this.x = 'y'.repeat(20000); } }; new Point",
    "new RangeError('far')",
    "(async function* steps() {})",
    "Object.freeze([1, , 2])",
    "new Map([['key', {}], [Symbol('s'), 'y'.repeat(20000)]])",
    "new WeakSet([Array])",
    "Promise.resolve({})",
    "new Proxy(function (a, b) {}, {})",
    "Object.assign(new Error('outer'), { cause: Symbol('inner') })",
};

/* The value of a text. Memory is there: the engine's own parser does not survive without. */
static JSValue value_of(quickjs_heap *heap, const char *text) {
    JSValue value = JS_Eval(heap->realm, text, strlen(text), "value.js", JS_EVAL_TYPE_GLOBAL);
    assert_true(JS_IsObject(value));
    return value;
}

typedef struct asker {
    ubi_console console;
    uint64_t n_heard, bytes;
} asker;

static bool take_property(void *payload, const ubi_property *property) {
    ((asker *)payload)->bytes += property->name.len;
    return true;
}

static bool take_entry(void *payload, const ubi_entry *entry) {
    ((asker *)payload)->bytes += entry->value.length_units;
    return true;
}

static void take_name(void *payload, ubi_text name) {
    ((asker *)payload)->bytes += name.len;
}

/* Each call works, or says that there is no memory. */
static void look_at(asker *a, ubi_value_handle handle) {
    ubi_object_description object = UBI_OBJECT_DESCRIPTION_INIT;
    ubi_object_slots slots;
    ubi_value prototype;
    ubi_status status = ubi_console_describe(&object, a->console, handle);
    assert_true(status == UBI_OK || status == UBI_ENOMEM);
    status = ubi_console_properties(a->console, handle, 7, 0, 10, take_property, a, NULL);
    assert_true(status == UBI_OK || status == UBI_ENOMEM);
    status = ubi_console_entries(a->console, handle, 0, 10, take_entry, a, NULL);
    assert_true(status == UBI_OK || status == UBI_ENOMEM);
    status = ubi_console_slots(&slots, a->console, handle);
    assert_true(status == UBI_OK || status == UBI_ENOMEM);
    status = ubi_console_complete(NULL, a->console, (ubi_text){ "'x'.length + Array.prototype.c", 30 }, take_name, a);
    assert_true(status == UBI_OK || status == UBI_ENOMEM);
    status = ubi_console_prototype(&prototype, a->console, handle);
    assert_true(status == UBI_OK || status == UBI_ENOMEM);
}

static void hear(void *payload, const ubi_console_message *message) {
    asker *a = payload;
    a->n_heard++;
    for (uint32_t i = 0; i < message->n_arguments; i++) {
        look_at(a, message->arguments[i].handle);
        assert_int_equal(ubi_console_release(a->console, message->arguments[i].handle), UBI_OK);
    }
}

static void an_engine_without_memory_breaks_no_console(void **state) {
    (void)state;
    asker a = { .n_heard = 0 };
    size_t n_failed = 0;
    quickjs_heap heap;
    const ubi_console_listener listener = { hear, &a };
    quickjs_heap_open(&heap, NULL);
    assert_int_equal(ubi_target_open_console(&a.console, ubi_quickjs_target(heap.tools), NULL, &listener), UBI_OK);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        JSValue value = value_of(&heap, texts[i]);
        bool was_refused = true;
        for (size_t n = 0; was_refused; n++) {
            heap.allocations_allowed = n;
            ubi_quickjs_console_message(heap.tools, heap.realm, UBI_CONSOLE_LOG, 1, (JSValueConst *)&value);
            ubi_quickjs_uncaught_error(heap.tools, heap.realm, value);
            was_refused = heap.allocations_allowed == SIZE_MAX;
            heap.allocations_allowed = SIZE_MAX;
            n_failed += was_refused;
        }
        JS_FreeValue(heap.realm, value);
    }
    assert_true(n_failed > 30 && a.n_heard > 60 && a.bytes > 0);
    ubi_console_close(a.console);
    quickjs_heap_close(&heap);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_engine_without_memory_breaks_no_console),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
