/* SPDX-License-Identifier: MIT
 *
 * console_quickjs_test.c: a console of a QuickJS target: what is evaluated, what values look like, and what a program says.
 */
#include "engines/quickjs/console_testing.h"

#include "fail_allocator.h"

/* ---- evaluating ----------------------------------------------------------------------------------------------------- */

static void values_of_texts(void **state) {
    UNUSED_STATE(state);
    static const char *const cases[][2] = {
        { "undefined", "undefined" },
        { "null", "null" },
        { "1 < 2", "true" },
        { "6 * 7", "42" },
        { "-1 / 0", "-inf" },
        { "2n ** 70n", "1180591620717411303424n" },
        { "'a' + 'b'", "'ab'" },
        { "Symbol('s')", "Symbol(s)" },
        { "({})", "object" },
        { "let x = 5; x", "5" },
        { "x + 1", "6" },
        { "", "undefined" },
    };
    session s;
    session_open(&s);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ubi_evaluation got = evaluate(&s, cases[i][0]);
        assert_false(got.has_thrown);
        assert_string_equal(words_of(&got.value), cases[i][1]);
    }
    session_close(&s);
}

static void what_is_thrown_is_in_words(void **state) {
    UNUSED_STATE(state);
    static const char *const cases[][2] = {
        { "throw new Error('bad')", "Error: bad" },
        { "nothing.there", "ReferenceError: " },
        { "throw 7", "7" },
        { "throw 'text'", "text" },
        { "throw Symbol('s')", "Symbol()" },
        { "throw new (class Oops { toString() { throw 1; } })", "Oops" },
        { "throw Object.assign(new Error, { get message() { ran = true; } })", "Error" },
        { "(", "SyntaxError: " },
    };
    session s;
    session_open(&s);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ubi_evaluation got = evaluate(&s, cases[i][0]);
        assert_true(got.has_thrown && got.message.ptr);
        if (strncmp(got.message.ptr, cases[i][1], strlen(cases[i][1])) != 0)
            fail_msg("%s: %.*s", cases[i][0], (int)got.message.len, got.message.ptr);
    }
    ubi_evaluation got = evaluate(&s, "\n\nthrow new TypeError('third line')");
    assert_text(got.source, "debugger eval code");
    assert_int_equal(got.line, 3);
    assert_int_equal(got.value.kind, UBI_VALUE_OBJECT);
    session_close(&s);
}

static void eager_texts_are_not_run(void **state) {
    UNUSED_STATE(state);
    session s;
    ubi_evaluation got = UBI_EVALUATION_INIT;
    session_open(&s);
    assert_int_equal(ubi_console_evaluate(&got, s.console, text_of("effect = 1"), true), UBI_OK);
    assert_true(!got.has_thrown && got.value.kind == UBI_VALUE_UNDEFINED);
    got = evaluate(&s, "typeof effect");
    assert_string_equal(words_of(&got.value), "'undefined'");
    session_close(&s);
}

static void a_window_is_there_while_a_text_runs(void **state) {
    UNUSED_STATE(state);
    session s;
    ubi_evaluation got;
    session_open(&s);
    got = evaluate(&s, "(function () { return this === globalThis; }).apply(window, [])");
    assert_string_equal(words_of(&got.value), "true");
    eval(s.w.ctx, "no-window.js", "if ('window' in globalThis) throw new Error('it stayed')");
    eval(s.w.ctx, "window.js", "globalThis.window = 'mine'");
    got = evaluate(&s, "window");
    assert_string_equal(words_of(&got.value), "'mine'");
    eval(s.w.ctx, "window.js", "if (window !== 'mine') throw new Error('it went')");
    session_close(&s);
}

/* ---- objects -------------------------------------------------------------------------------------------------------- */

static void objects_are_described(void **state) {
    UNUSED_STATE(state);
    session s;
    ubi_object_description o;
    session_open(&s);
    o = described(&s, "({ a: 1, b: 2, 7: 3, [Symbol()]: 4 })");
    assert_text(o.class_name, "Object");
    assert_true(o.kind == UBI_OBJECT_PLAIN && o.property_count == 3 && o.is_extensible && !o.is_sealed && !o.is_frozen);
    o = described(&s, "class Point { x = 1 }; new Point");
    assert_text(o.class_name, "Point");
    o = described(&s, "new (class extends Point { y = 1 })");
    assert_int_equal(o.property_count, 2);
    o = described(&s, "new Map([[1, 2]])");
    assert_text(o.class_name, "Map");
    o = described(&s, "Object.create(null)");
    assert_text(o.class_name, "Object");
    o = described(&s, "Object.freeze({ a: 1, get b() {} })");
    assert_true(o.is_frozen && o.is_sealed && !o.is_extensible);
    o = described(&s, "Object.seal({ a: 1 })");
    assert_true(!o.is_frozen && o.is_sealed && !o.is_extensible);
    o = described(&s, "Object.preventExtensions({ a: 1 })");
    assert_true(!o.is_frozen && !o.is_sealed && !o.is_extensible);
    session_close(&s);
}

static void arrays_have_a_length(void **state) {
    UNUSED_STATE(state);
    session s;
    ubi_object_description o;
    session_open(&s);
    o = described(&s, "[1, , 3]");
    assert_text(o.class_name, "Array");
    assert_true(o.kind == UBI_OBJECT_ARRAY && o.length == 3 && o.property_count == 3); /* 0, 2, length */
    o = described(&s, "new Uint8Array(5)");
    assert_text(o.class_name, "Uint8Array");
    assert_true(o.kind == UBI_OBJECT_ARRAY && o.length == 5);
    o = described(&s, "new (class LikeArray {})");
    assert_int_equal(o.kind, UBI_OBJECT_PLAIN);
    session_close(&s);
}

static void functions_say_what_they_are(void **state) {
    UNUSED_STATE(state);
    session s;
    ubi_object_description o;
    session_open(&s);
    eval(s.w.ctx, "functions.js",
         "function plain() {}\nasync function* steps() {}\nclass Thing {}\nvar arrow = () => 1;\nvar made = Thing;");
    o = described(&s, "plain");
    assert_true(o.kind == UBI_OBJECT_FUNCTION && !o.is_async && !o.is_generator && !o.is_class);
    assert_text(o.name, "plain");
    assert_text(o.source, "functions.js");
    assert_int_equal(o.line, 1);
    o = described(&s, "steps");
    assert_true(o.is_async && o.is_generator && o.line == 2);
    o = described(&s, "made");
    assert_true(o.is_class && !o.is_async);
    assert_text(o.name, "Thing");
    o = described(&s, "arrow");
    assert_false(o.is_class);
    o = described(&s, "Math.max");
    assert_text(o.name, "max");
    assert_true(o.kind == UBI_OBJECT_FUNCTION && !o.source.ptr && !o.is_class);
    session_close(&s);
}

static void errors_say_what_and_where(void **state) {
    UNUSED_STATE(state);
    session s;
    ubi_object_description o;
    session_open(&s);
    eval(s.w.ctx, "errors.js", "function make() {\n  return new RangeError('too far');\n}\nvar error = make();");
    o = described(&s, "error");
    assert_int_equal(o.kind, UBI_OBJECT_ERROR);
    assert_text(o.name, "RangeError");
    assert_text(o.message, "too far");
    assert_text(o.source, "errors.js");
    assert_int_equal(o.line, 2);
    assert_non_null(o.stack.ptr);
    session_close(&s);
}

static void prototypes(void **state) {
    UNUSED_STATE(state);
    session s;
    ubi_value prototype, end;
    ubi_object_description o = UBI_OBJECT_DESCRIPTION_INIT;
    session_open(&s);
    assert_int_equal(ubi_console_prototype(&prototype, s.console, object_of(&s, "new Map")), UBI_OK);
    assert_int_equal(prototype.kind, UBI_VALUE_OBJECT);
    assert_int_equal(ubi_console_describe(&o, s.console, prototype.handle), UBI_OK);
    assert_true(o.property_count > 5);
    assert_int_equal(ubi_console_prototype(&end, s.console, object_of(&s, "Object.prototype")), UBI_OK);
    assert_int_equal(end.kind, UBI_VALUE_NULL);
    session_close(&s);
}

/* ---- properties ----------------------------------------------------------------------------------------------------- */

typedef struct shown {
    session *s;
    char words[1000];
    uint32_t n, most;
    ubi_status status; /* of what was asked last */
} shown;

static bool property_show(void *payload, const ubi_property *p) {
    shown *all = payload;
    size_t n = strlen(all->words);
    const char *value =
        p->is_accessor ? p->getter.kind == UBI_VALUE_OBJECT ? "getter" : "no getter" : words_of(&p->value);
    snprintf(all->words + n, sizeof all->words - n, "%s%.*s%s=%s%s%s%s;", p->symbol.kind == UBI_VALUE_SYMBOL ? "@" : "",
             (int)p->name.len, p->name.ptr, "", value, p->is_configurable ? "" : " fixed",
             p->is_enumerable ? "" : " hidden", p->is_writable || p->is_accessor ? "" : " constant");
    if (p->value.handle) { /* asking while it is handed over is fine */
        ubi_object_description o = UBI_OBJECT_DESCRIPTION_INIT;
        if (p->value.kind == UBI_VALUE_OBJECT)
            all->status = ubi_console_describe(&o, all->s->console, p->value.handle);
        assert_int_equal(ubi_console_release(all->s->console, p->value.handle), UBI_OK);
    }
    return ++all->n != all->most;
}

static void assert_shown(session *s, const char *code, uint32_t selection, uint64_t first, uint64_t count,
                         uint64_t total, const char *expected) {
    shown all = { .s = s };
    uint64_t n = 0;
    ubi_value_handle object = object_of(s, code);
    assert_int_equal(ubi_console_properties(s->console, object, selection, first, count, property_show, &all, &n),
                     UBI_OK);
    assert_string_equal(all.words, expected);
    assert_int_equal(n, total);
    assert_int_equal(all.status, UBI_OK);
    assert_int_equal(ubi_console_release(s->console, object), UBI_OK);
}

static void properties_are_in_the_order_of_the_language(void **state) {
    UNUSED_STATE(state);
    const uint32_t all = UBI_PROPERTIES_INDEXED | UBI_PROPERTIES_NAMED;
    session s;
    session_open(&s);
    eval(s.w.ctx, "object.js",
         "var object = { z: 1, 10: 'ten', a: { b: 1 }, 2: 'two', '07': 7, [Symbol('s')]: null };\n"
         "Object.defineProperty(object, 'h', { value: true });");
    assert_shown(&s, "object", all, 0, 100, 6, "2='two';10='ten';z=1;a=object;07=7;h=true fixed hidden constant;");
    assert_shown(&s, "object", all, 1, 3, 6, "10='ten';z=1;a=object;");
    assert_shown(&s, "object", all, 6, 1, 6, "");
    assert_shown(&s, "object", UBI_PROPERTIES_INDEXED, 0, 100, 2, "2='two';10='ten';");
    assert_shown(&s, "object", UBI_PROPERTIES_NAMED, 1, 2, 4, "a=object;07=7;");
    assert_shown(&s, "object", UBI_PROPERTIES_SYMBOLS, 0, 100, 1, "@s=null;");
    assert_shown(&s, "object", 0, 0, 100, 0, "");
    assert_shown(&s, "[5, , 6]", all, 0, 100, 3, "0=5;2=6;length=3 fixed hidden;");
    shown two = { .s = &s, .most = 2 };
    assert_int_equal(ubi_console_properties(s.console, object_of(&s, "object"), all, 0, 100, property_show, &two, NULL),
                     UBI_OK);
    assert_string_equal(two.words, "2='two';10='ten';");
    session_close(&s);
}

static void nothing_is_called_to_look_at_a_value(void **state) {
    UNUSED_STATE(state);
    session s;
    ubi_value prototype;
    session_open(&s);
    eval(s.w.ctx, "traps.js",
         "var calls = 0;\nconst trap = () => { calls++; throw new Error('called'); };\n"
         "var traps = { get get() { return trap(); }, ownKeys: trap, getPrototypeOf: trap, has: trap, isExtensible: "
         "trap,"
         " getOwnPropertyDescriptor: trap };\n"
         "class Bad { get [Symbol.toStringTag]() { return trap(); } toString() { return trap(); } }\n"
         "Object.defineProperty(Bad.prototype, 'constructor', { get: trap });\n"
         "var bad = new Bad; Object.defineProperty(bad, 'x', { get: trap, set: undefined, enumerable: true });\n"
         "var error = new Error('e'); Object.defineProperty(error, 'stack', { get: trap });\n"
         "var heir = Object.create(new Proxy({}, traps));\nvar proxy = new Proxy([], traps);");
    assert_int_equal(described(&s, "proxy").kind, UBI_OBJECT_PROXY);
    assert_shown(&s, "proxy", UBI_PROPERTIES_NAMED | UBI_PROPERTIES_INDEXED, 0, 100, 0, "");
    assert_int_equal(ubi_console_prototype(&prototype, s.console, object_of(&s, "proxy")), UBI_OK);
    assert_int_equal(prototype.kind, UBI_VALUE_UNDEFINED);
    assert_text(described(&s, "bad").class_name, "Object");
    assert_shown(&s, "bad", UBI_PROPERTIES_NAMED, 0, 100, 1, "x=getter fixed;");
    assert_int_equal(described(&s, "heir").property_count, 0);
    assert_null(described(&s, "error").stack.ptr);
    ubi_evaluation got = evaluate(&s, "throw bad");
    assert_true(got.has_thrown);
    got = evaluate(&s, "calls");
    assert_string_equal(words_of(&got.value), "0");
    session_close(&s);
}

/* ---- texts ---------------------------------------------------------------------------------------------------------- */

static void long_texts_are_cut_and_held(void **state) {
    UNUSED_STATE(state);
    session s;
    ubi_text part;
    session_open(&s);
    ubi_evaluation got = evaluate(&s, "'x'.repeat(10000)");
    assert_true(got.value.text.len == 10000 && got.value.handle == 0);
    got = evaluate(&s, "'ab\\u00e9\\u{1f600}'.repeat(4000)"); /* 5 units, 8 bytes */
    assert_true(got.value.length_units == 20000 && got.value.text.len == 16000 && got.value.handle);
    ubi_value_handle held = got.value.handle;
    assert_int_equal(ubi_console_substring(&part, s.console, held, 19994, 19998), UBI_OK);
    assert_text(part, "ab\xc3\xa9"); /* unit 19994 is within the pair before */
    assert_int_equal(ubi_console_substring(&part, s.console, held, 19993, 30000), UBI_OK);
    assert_text(part, "\xf0\x9f\x98\x80"
                      "ab\xc3\xa9\xf0\x9f\x98\x80");
    assert_int_equal(ubi_console_substring(&part, s.console, held, 5, 2), UBI_OK);
    assert_int_equal(part.len, 0);
    ubi_object_description o = UBI_OBJECT_DESCRIPTION_INIT;
    assert_int_equal(ubi_console_describe(&o, s.console, held), UBI_ENOTFOUND);
    assert_int_equal(ubi_console_substring(&part, s.console, object_of(&s, "[]"), 0, 1), UBI_ENOTFOUND);
    session_close(&s);
}

/* ---- what is held --------------------------------------------------------------------------------------------------- */

static int64_t object_count(const session *s) {
    JSMemoryUsage usage;
    JS_ComputeMemoryUsage(s->w.rt, &usage);
    return usage.obj_count;
}

static void what_is_held_lives_until_it_is_released(void **state) {
    UNUSED_STATE(state);
    session s;
    ubi_object_description o = UBI_OBJECT_DESCRIPTION_INIT;
    session_open(&s);
    ubi_value_handle first = object_of(&s, "({})");
    int64_t before = object_count(&s);
    assert_int_equal(ubi_console_release(s.console, first), UBI_OK);
    assert_int_equal(object_count(&s), before - 1);
    assert_int_equal(ubi_console_release(s.console, first), UBI_ENOTFOUND);
    ubi_value_handle second = object_of(&s, "({})");
    assert_int_not_equal(first, second);
    assert_int_equal(ubi_console_describe(&o, s.console, first), UBI_ENOTFOUND);
    assert_int_equal(ubi_console_describe(&o, s.console, 0), UBI_ENOTFOUND);
    assert_int_equal(ubi_console_describe(&o, s.console, second + 1), UBI_ENOTFOUND);
    assert_int_equal(ubi_console_describe(&o, s.console, second), UBI_OK);
    for (int i = 0; i < 100; i++)
        object_of(&s, "({})");
    session_close(&s); /* and what is held goes with it */
}

/* ---- messages ------------------------------------------------------------------------------------------------------- */

static void messages_come_with_their_values_and_places(void **state) {
    UNUSED_STATE(state);
    session s;
    session_open(&s);
    eval(s.w.ctx, "said.js", "function f() {\n  log('text', 1, {}, null);\n}\nf();\nwarn();");
    assert_string_equal(s.heard, "0 'text' 1 object null said.js:2\n2 said.js:5\n");
    s.heard[0] = '\0';
    ubi_evaluation got = evaluate(&s, "\nlog('within'); 'result'");
    assert_string_equal(s.heard, "0 'within' debugger eval code:2\n");
    assert_string_equal(words_of(&got.value), "'result'");
    session_close(&s);
}

static void uncaught_errors_are_messages(void **state) {
    UNUSED_STATE(state);
    session s;
    session_open(&s);
    JSValue error = eval_value(s.w.ctx, "thrown.js", "\nnew TypeError('x is not a function')");
    ubi_quickjs_uncaught_error(s.w.tools, s.w.ctx, error);
    ubi_quickjs_uncaught_error(s.w.tools, s.w.ctx, JS_NewInt32(s.w.ctx, 7));
    JS_FreeValue(s.w.ctx, error);
    assert_string_equal(s.heard, "6 object \"TypeError: x is not a function\" thrown.js:2\n6 7 \"7\" :0\n");
    session_close(&s);
}

static void a_scope_hears_and_evaluates_in_its_realm(void **state) {
    UNUSED_STATE(state);
    session s = { .w = world_open(NULL) };
    world another = world_open(NULL);
    JSContext *other = JS_NewContext(s.w.rt);
    ubi_quickjs_scope *scope;
    add_say(s.w.ctx);
    add_say(other);
    assert_int_equal(ubi_quickjs_scope_new(&scope, s.w.tools), UBI_OK);
    assert_int_equal(ubi_quickjs_scope_add(scope, other), UBI_OK);
    const ubi_target_scope part = ubi_quickjs_scope_get(scope);
    session_open_with(&s, &part);
    eval(s.w.ctx, "first.js", "log(1); var where = 'first';");
    eval(other, "other.js", "\nlog(2); var where = 'other';");
    assert_string_equal(s.heard, "0 2 other.js:2\n");
    ubi_evaluation got = evaluate(&s, "where");
    assert_string_equal(words_of(&got.value), "'other'");
    JS_FreeContext(other);
    JS_RunGC(s.w.rt);
    got = (ubi_evaluation)UBI_EVALUATION_INIT;
    assert_int_equal(ubi_console_evaluate(&got, s.console, text_of("where"), false), UBI_ESTATE);
    ubi_console refused;
    assert_int_equal(ubi_target_open_console(&refused, ubi_quickjs_target(another.tools), &part, NULL), UBI_EMISMATCH);
    ubi_console_close(s.console);
    ubi_quickjs_scope_free(scope);
    world_close(&another);
    world_close(&s.w);
}

static void several_consoles_hear_the_same(void **state) {
    UNUSED_STATE(state);
    session s, second;
    session_open(&s);
    second = (session){ .w = s.w };
    session_open_with(&second, NULL);
    eval(s.w.ctx, "a.js", "\nlog(1)");
    assert_string_equal(s.heard, second.heard);
    ubi_console_close(second.console);
    eval(s.w.ctx, "a.js", "\nlog(2)");
    assert_string_equal(s.heard, "0 1 a.js:2\n0 2 a.js:2\n");
    assert_string_equal(second.heard, "0 1 a.js:2\n");
    session_close(&s);
}

static void tools_that_end_close_their_consoles(void **state) {
    UNUSED_STATE(state);
    session s;
    session_open(&s);
    object_of(&s, "({})");
    evaluate(&s, "'text'");
    world_close(&s.w); /* a leak checker watches, and the engine that all objects are gone */
}

/* ---- no memory ------------------------------------------------------------------------------------------------------ */

static ubi_status ask_everything(session *s) {
    ubi_evaluation got = UBI_EVALUATION_INIT;
    ubi_object_description o = UBI_OBJECT_DESCRIPTION_INIT;
    shown all = { .s = s, .most = 3 };
    ubi_status status = ubi_console_evaluate(
        &got, s->console, text_of("log('a', {}); ({ a: 'x', [Symbol('s')]: [], get b() { return 1; } })"), false);
    if (status != UBI_OK)
        return status;
    ubi_value_handle object = got.value.handle;
    status = ubi_console_describe(&o, s->console, object);
    if (status == UBI_OK)
        status = ubi_console_properties(s->console, object, 7, 0, 10, property_show, &all, NULL);
    got = (ubi_evaluation)UBI_EVALUATION_INIT;
    if (status == UBI_OK)
        status = ubi_console_evaluate(&got, s->console, text_of("throw new Error('x')"), false);
    return status;
}

static void without_memory_calls_fail_and_nothing_else(void **state) {
    UNUSED_STATE(state);
    uint64_t n_failed = 0;
    for (uint64_t n = 0, refused = 1; refused; n++) {
        fail_allocator memory;
        fail_allocator_init(&memory, FAIL_ALLOCATOR_NEVER);
        ubi_quickjs_options options = UBI_QUICKJS_OPTIONS_INIT;
        options.allocator = &memory.allocator;
        session s = { .w = world_open(&options) };
        add_say(s.w.ctx);
        const ubi_console_listener listener = { hear, &s };
        memory.n_allowed = memory.n_requests + n;
        ubi_status status = ubi_target_open_console(&s.console, ubi_quickjs_target(s.w.tools), NULL, &listener);
        bool is_open = status == UBI_OK;
        if (is_open)
            status = ask_everything(&s);
        assert_true(status == UBI_OK || status == UBI_ENOMEM);
        refused = memory.n_refused;
        n_failed += status != UBI_OK;
        memory.n_allowed = FAIL_ALLOCATOR_NEVER;
        if (is_open) {
            assert_int_equal(ask_everything(&s), UBI_OK);
            ubi_console_close(s.console);
        }
        world_close(&s.w);
        fail_allocator_fini(&memory);
    }
    assert_true(n_failed > 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_of_texts),
        cmocka_unit_test(what_is_thrown_is_in_words),
        cmocka_unit_test(eager_texts_are_not_run),
        cmocka_unit_test(a_window_is_there_while_a_text_runs),
        cmocka_unit_test(objects_are_described),
        cmocka_unit_test(arrays_have_a_length),
        cmocka_unit_test(functions_say_what_they_are),
        cmocka_unit_test(errors_say_what_and_where),
        cmocka_unit_test(prototypes),
        cmocka_unit_test(properties_are_in_the_order_of_the_language),
        cmocka_unit_test(nothing_is_called_to_look_at_a_value),
        cmocka_unit_test(long_texts_are_cut_and_held),
        cmocka_unit_test(what_is_held_lives_until_it_is_released),
        cmocka_unit_test(messages_come_with_their_values_and_places),
        cmocka_unit_test(uncaught_errors_are_messages),
        cmocka_unit_test(a_scope_hears_and_evaluates_in_its_realm),
        cmocka_unit_test(several_consoles_hear_the_same),
        cmocka_unit_test(tools_that_end_close_their_consoles),
        cmocka_unit_test(without_memory_calls_fail_and_nothing_else),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
