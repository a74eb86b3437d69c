/* SPDX-License-Identifier: MIT
 *
 * console_contents_test.c: what objects hold beside their properties: entries, promises, proxies, buffers; and getters that are asked for.
 */
#include "engines/quickjs/console_testing.h"

#include "fail_allocator.h"

/* ---- descriptions --------------------------------------------------------------------------------------------------- */

static void classes_say_what_they_hold(void **state) {
    UNUSED_STATE(state);
    session s;
    ubi_object_description o;
    session_open(&s);
    o = described(&s, "var key = {}; new WeakMap([[key, 1], [{}, 2]])");
    assert_text(o.class_name, "WeakMap");
    assert_true(o.kind == UBI_OBJECT_WEAK_MAP && o.entry_count >= 1);
    o = described(&s, "new WeakSet([key])");
    assert_true(o.kind == UBI_OBJECT_WEAK_SET && o.entry_count == 1);
    o = described(&s, "new ArrayBuffer(24)");
    assert_true(o.kind == UBI_OBJECT_ARRAY_BUFFER && o.byte_length == 24);
    o = described(&s, "new Float64Array(3)");
    assert_true(o.kind == UBI_OBJECT_ARRAY && o.is_typed_array && o.length == 3 && o.byte_length == 24);
    o = described(&s, "new Promise(() => {})");
    assert_true(o.kind == UBI_OBJECT_PROMISE && o.promise_state == UBI_PROMISE_PENDING);
    o = described(&s, "Promise.resolve(7)");
    assert_int_equal(o.promise_state, UBI_PROMISE_FULFILLED);
    o = described(&s, "var no = Promise.reject(8); no.catch(() => {}); no");
    assert_int_equal(o.promise_state, UBI_PROMISE_REJECTED);
    o = described(&s, "new Proxy([], {})");
    assert_text(o.class_name, "Proxy");
    assert_int_equal(o.kind, UBI_OBJECT_PROXY);
    o = described(&s, "new String('text')");
    assert_true(o.kind == UBI_OBJECT_WRAPPER);
    o = described(&s, "Object.assign(new Error('outer'), { cause: 1 })");
    assert_true(o.kind == UBI_OBJECT_ERROR && o.has_cause);
    o = described(&s, "new Error('alone')");
    assert_false(o.has_cause);
    session_close(&s);
}

static void functions_name_their_parameters(void **state) {
    UNUSED_STATE(state);
    session s;
    ubi_object_description o;
    session_open(&s);
    o = described(&s, "(function (first, second = 1, ...rest) { var local; })");
    assert_int_equal(o.parameter_count, 3);
    assert_text(o.parameters[0], "first");
    assert_text(o.parameters[1], "second");
    assert_text(o.parameters[2], "rest");
    o = described(&s, "(({ a }, b) => a + b)");
    assert_int_equal(o.parameter_count, 2);
    assert_null(o.parameters[0].ptr);
    assert_text(o.parameters[1], "b");
    o = described(&s, "Math.max");
    assert_int_equal(o.parameter_count, 0);
    session_close(&s);
}

static void slots_of_objects(void **state) {
    UNUSED_STATE(state);
    static const char *const cases[][3] = {
        { "Promise.resolve(7)", "7", "undefined" },
        { "new Promise(() => {})", "undefined", "undefined" },
        { "new Proxy({}, {})", "object", "object" },
        { "var gone = Proxy.revocable({}, {}); gone.revoke(); gone.proxy", "null", "null" },
        { "new Number(5)", "5", "undefined" },
        { "Object(Symbol('s'))", "Symbol(s)", "undefined" },
        { "Object.assign(new Error('outer'), { cause: 'inner' })", "'inner'", "undefined" },
        { "({ cause: 1 })", "undefined", "undefined" },
        { "new Map([[1, 2]])", "undefined", "undefined" },
    };
    session s;
    session_open(&s);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ubi_object_slots slots;
        assert_int_equal(ubi_console_slots(&slots, s.console, object_of(&s, cases[i][0])), UBI_OK);
        assert_string_equal(words_of(&slots.value), cases[i][1]);
        assert_string_equal(words_of(&slots.handler), cases[i][2]);
    }
    session_close(&s);
}

/* ---- entries -------------------------------------------------------------------------------------------------------- */

typedef struct listed {
    session *s;
    char words[1000];
    uint32_t most;
    bool with_release; /* of what is handed over */
} listed;

static bool entry_list(void *payload, const ubi_entry *entry) {
    listed *all = payload;
    size_t n = strlen(all->words);
    snprintf(all->words + n, sizeof all->words - n, "%s>%s;", words_of(&entry->key), words_of(&entry->value));
    if (all->with_release && entry->key.handle)
        assert_int_equal(ubi_console_release(all->s->console, entry->key.handle), UBI_OK);
    if (all->with_release && entry->value.handle)
        assert_int_equal(ubi_console_release(all->s->console, entry->value.handle), UBI_OK);
    return --all->most > 0;
}

static uint64_t entries_of(session *s, listed *all, const char *code, uint64_t first, uint64_t count) {
    uint64_t total = 0;
    *all = (listed){ .s = s, .most = 100, .with_release = true };
    assert_int_equal(ubi_console_entries(s->console, object_of(s, code), first, count, entry_list, all, &total),
                     UBI_OK);
    return total;
}

static void entries_are_in_their_order(void **state) {
    UNUSED_STATE(state);
    session s;
    listed all;
    session_open(&s);
    assert_int_equal(entries_of(&s, &all, "new Map([['a', 1], [{}, [2]], [3n, null]])", 0, 10), 3);
    assert_string_equal(all.words, "'a'>1;object>object;3n>null;");
    assert_int_equal(entries_of(&s, &all, "new Set('abcde')", 1, 3), 5);
    assert_string_equal(all.words, "undefined>'b';undefined>'c';undefined>'d';");
    assert_int_equal(entries_of(&s, &all, "var m = new Map('abcd'.split('').map(c => [c, c])); m.delete('b'); m", 1, 9),
                     3);
    assert_string_equal(all.words, "'c'>'c';'d'>'d';");
    assert_int_equal(entries_of(&s, &all, "new Map", 0, 10), 0);
    assert_int_equal(entries_of(&s, &all, "({ a: 1 })", 0, 10), 0);
    assert_int_equal(entries_of(&s, &all, "m", UINT64_MAX, UINT64_MAX), 3);
    assert_string_equal(all.words, "");
    session_close(&s);
}

static void weak_collections_show_what_lives(void **state) {
    UNUSED_STATE(state);
    session s;
    listed all;
    session_open(&s);
    evaluate(&s, "var kept = {}, weak = new WeakMap([[kept, 1]]), weakly = new WeakSet([kept]); weak.set({}, 2); 0");
    JS_RunGC(s.w.rt);
    assert_int_equal(entries_of(&s, &all, "weak", 0, 10), 1);
    assert_string_equal(all.words, "object>1;");
    assert_int_equal(entries_of(&s, &all, "weakly", 0, 10), 1);
    assert_string_equal(all.words, "undefined>object;");
    session_close(&s);
}

/* What is released within a callback may be the last reference to a key that was to come. */
static void entries_may_go_while_they_are_handed_over(void **state) {
    UNUSED_STATE(state);
    session s;
    listed all;
    session_open(&s);
    uint64_t total = entries_of(&s, &all,
                                "(() => { const w = new WeakMap; let k = null;"
                                "for (let i = 0; i < 5; i++) { const n = { k }; w.set(n, i); k = n; }"
                                "globalThis.last = k; return w; })()",
                                0, 10);
    assert_int_equal(total, 5);
    evaluate(&s, "last = null");
    all = (listed){ .s = &s, .most = 2 };
    assert_int_equal(ubi_console_entries(s.console, object_of(&s, "new Set([1, 2, 3])"), 0, 10, entry_list, &all, NULL),
                     UBI_OK);
    assert_string_equal(all.words, "undefined>1;undefined>2;");
    session_close(&s);
}

/* ---- properties that are read --------------------------------------------------------------------------------------- */

static const char *got_words(session *s, const char *code, const char *name, ubi_value_handle receiver) {
    ubi_evaluation got = UBI_EVALUATION_INIT;
    assert_int_equal(ubi_console_get(&got, s->console, object_of(s, code), text_of(name), receiver), UBI_OK);
    return words_of(&got.value);
}

static void getters_run_when_they_are_asked_for(void **state) {
    UNUSED_STATE(state);
    session s;
    ubi_evaluation got = UBI_EVALUATION_INIT;
    session_open(&s);
    eval(s.w.ctx, "getters.js",
         "class Base { get own() { return this.name; } }\nvar object = new (class extends Base {})();"
         "object.name = 'mine'; var other = { name: 'other' };");
    assert_string_equal(got_words(&s, "object", "own", 0), "'mine'");
    assert_string_equal(got_words(&s, "Base.prototype", "own", object_of(&s, "other")), "'other'");
    assert_string_equal(got_words(&s, "object", "nothing", 0), "undefined");
    assert_string_equal(got_words(&s, "[5]", "0", 0), "5");
    assert_string_equal(got_words(&s, "new Map([[1, 2]])", "size", 0), "1");
    assert_string_equal(got_words(&s, "new Proxy({}, { get: (t, name) => 'trap ' + name })", "x", 0), "'trap x'");
    assert_string_equal(got_words(&s, "({ set only(v) {} })", "only", 0), "undefined");
    assert_int_equal(
        ubi_console_get(&got, s.console, object_of(&s, "({ get x() { throw new Error('no'); } })"), text_of("x"), 0),
        UBI_OK);
    assert_true(got.has_thrown);
    assert_text(got.message, "Error: no");
    assert_int_equal(ubi_console_get(&got, s.console, 0, text_of("x"), 0), UBI_ENOTFOUND);
    assert_int_equal(ubi_console_get(&got, s.console, object_of(&s, "({})"), text_of("x"), 99999), UBI_ENOTFOUND);
    session_close(&s);
}

/* ---- no memory ------------------------------------------------------------------------------------------------------ */

static ubi_status ask_for_contents(session *s) {
    listed all = { .s = s, .most = 10, .with_release = true };
    ubi_evaluation got = UBI_EVALUATION_INIT;
    ubi_object_description o = UBI_OBJECT_DESCRIPTION_INIT;
    ubi_object_slots slots;
    ubi_status status = ubi_console_evaluate(
        &got, s->console, text_of("new Map([['a', {}], [Symbol('s'), function (a, b) {}], [new Proxy({}, {}), 'x']])"),
        false);
    if (status != UBI_OK)
        return status;
    ubi_value_handle map = got.value.handle;
    status = ubi_console_entries(s->console, map, 0, 10, entry_list, &all, NULL);
    if (status == UBI_OK)
        status = ubi_console_get(&got, s->console, map, text_of("size"), 0);
    if (status == UBI_OK)
        status = ubi_console_evaluate(&got, s->console,
                                      text_of("Object.assign(new Error('a'), { cause: function (a, b) {} })"), false);
    if (status == UBI_OK)
        status = ubi_console_slots(&slots, s->console, got.value.handle);
    if (status == UBI_OK)
        status = ubi_console_describe(&o, s->console, slots.value.handle);
    return status;
}

static void without_memory_contents_fail_and_nothing_else(void **state) {
    UNUSED_STATE(state);
    uint64_t n_failed = 0;
    for (uint64_t n = 0, refused = 1; refused; n++) {
        fail_allocator memory;
        fail_allocator_init(&memory, FAIL_ALLOCATOR_NEVER);
        ubi_quickjs_options options = UBI_QUICKJS_OPTIONS_INIT;
        options.allocator = &memory.allocator;
        session s = { .w = world_open(&options) };
        session_open_with(&s, NULL);
        memory.n_allowed = memory.n_requests + n;
        ubi_status status = ask_for_contents(&s);
        assert_true(status == UBI_OK || status == UBI_ENOMEM);
        refused = memory.n_refused;
        n_failed += status != UBI_OK;
        memory.n_allowed = FAIL_ALLOCATOR_NEVER;
        assert_int_equal(ask_for_contents(&s), UBI_OK);
        session_close(&s);
        fail_allocator_fini(&memory);
    }
    assert_true(n_failed > 5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(classes_say_what_they_hold),
        cmocka_unit_test(functions_name_their_parameters),
        cmocka_unit_test(slots_of_objects),
        cmocka_unit_test(entries_are_in_their_order),
        cmocka_unit_test(weak_collections_show_what_lives),
        cmocka_unit_test(entries_may_go_while_they_are_handed_over),
        cmocka_unit_test(getters_run_when_they_are_asked_for),
        cmocka_unit_test(without_memory_contents_fail_and_nothing_else),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
