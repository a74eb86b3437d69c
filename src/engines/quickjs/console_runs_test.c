/* SPDX-License-Identifier: MIT
 *
 * console_runs_test.c: code that does not end is stopped from a safe point within it; and what is typed is completed without running any.
 */
#include "engines/quickjs/console_testing.h"

#define ENDLESS "var turns = 0; for (;;) turns++"

/* ---- stopping ------------------------------------------------------------------------------------------------------- */

static void stop(void *payload) {
    ubi_console_stop(((session *)payload)->console);
}

static void stop_at_the_next_safe_point(session *s) {
    assert_int_equal(ubi_quickjs_request(s->w.tools, stop, s), UBI_OK);
}

static void assert_stopped(const ubi_evaluation *got) {
    assert_true(got->has_thrown);
    assert_text(got->message, "InternalError: interrupted");
}

static void endless_texts_are_stopped(void **state) {
    UNUSED_STATE(state);
    static const char *const texts[] = {
        ENDLESS,
        "for (;;) { try { for (;;); } catch { } finally { continue; } }",
        "(function f() { for (;;) (() => 1)(); })()",
        "[1].map(function g() { for (;;); })",
        "(function* () { for (;;); })().next()",
        "new Proxy({}, { get() { for (;;); } }).x",
        "let { n = (() => { for (;;); })() } = {}",
    };
    session s;
    session_open(&s);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        stop_at_the_next_safe_point(&s);
        ubi_evaluation got = evaluate(&s, texts[i]);
        assert_stopped(&got);
        got = evaluate(&s, "6 * 7"); /* the next one is another run */
        assert_string_equal(words_of(&got.value), "42");
    }
    session_close(&s);
}

static void endless_getters_are_stopped(void **state) {
    UNUSED_STATE(state);
    session s;
    ubi_evaluation got = UBI_EVALUATION_INIT;
    session_open(&s);
    ubi_value_handle object = object_of(&s, "({ get endless() { for (;;); } })");
    stop_at_the_next_safe_point(&s);
    assert_int_equal(ubi_console_get(&got, s.console, object, text_of("endless"), 0), UBI_OK);
    assert_stopped(&got);
    session_close(&s);
}

static void without_a_run_stopping_has_no_effect(void **state) {
    UNUSED_STATE(state);
    session s;
    session_open(&s);
    ubi_console_stop(s.console);
    ubi_evaluation got = evaluate(&s, "let n = 0; for (let i = 0; i < 100000; i++) n++; n");
    assert_string_equal(words_of(&got.value), "100000");
    session_close(&s);
}

/* Within the text of one console another one evaluates, and the outer one is to stop: only it does. */
typedef struct nested {
    session outer, inner;
    bool has_run;
} nested;

static void evaluate_within(void *payload) {
    nested *n = payload;
    stop_at_the_next_safe_point(&n->outer);
    ubi_evaluation got = evaluate(&n->inner, "let m = 0; for (let i = 0; i < 100000; i++) m++; m");
    assert_false(got.has_thrown);
    assert_string_equal(words_of(&got.value), "100000");
    n->has_run = true;
}

static void runs_within_each_other_stop_by_themselves(void **state) {
    UNUSED_STATE(state);
    nested n = { .has_run = false };
    session_open(&n.outer);
    n.inner = (session){ .w = n.outer.w };
    session_open_with(&n.inner, NULL);
    assert_int_equal(ubi_quickjs_request(n.outer.w.tools, evaluate_within, &n), UBI_OK);
    ubi_evaluation got = evaluate(&n.outer, ENDLESS);
    assert_stopped(&got);
    assert_true(n.has_run);
    ubi_console_close(n.inner.console);
    session_close(&n.outer);
}

/* ---- the embedder's handler ----------------------------------------------------------------------------------------- */

static int count_interrupt(JSRuntime *rt, void *payload) {
    (void)rt;
    return ++*(int *)payload >= 3;
}

static void the_embedders_handler_is_asked_and_stays(void **state) {
    UNUSED_STATE(state);
    int n_interrupts = 0;
    session s;
    session_open(&s);
    JS_SetInterruptHandler(s.w.rt, count_interrupt, &n_interrupts);
    ubi_evaluation got = evaluate(&s, ENDLESS);
    assert_stopped(&got);
    assert_int_equal(n_interrupts, 3);
    JSValue value = JS_Eval(s.w.ctx, "for (;;);", 9, "a.js", JS_EVAL_TYPE_GLOBAL); /* it is there again */
    assert_true(JS_IsException(value));
    JS_FreeValue(s.w.ctx, JS_GetException(s.w.ctx));
    assert_int_equal(n_interrupts, 4);
    JS_SetInterruptHandler(s.w.rt, NULL, NULL);
    session_close(&s);
}

/* ---- completions ---------------------------------------------------------------------------------------------------- */

typedef struct typed {
    char words[4000];
} typed;

static void name_add(void *payload, ubi_text name) {
    typed *t = payload;
    size_t n = strlen(t->words);
    snprintf(t->words + n, sizeof t->words - n, " %.*s", (int)name.len, name.ptr);
}

/* The completion, and in `words` the names with spaces around. */
static ubi_completion completed(session *s, typed *t, const char *text) {
    ubi_completion out;
    *t = (typed){ .words = "" };
    assert_int_equal(ubi_console_complete(&out, s->console, text_of(text), name_add, t), UBI_OK);
    strcat(t->words, " ");
    return out;
}

static void names_continue_what_is_typed(void **state) {
    UNUSED_STATE(state);
    static const char *const cases[][2] = {
        { "zebra", " zebra zebraTwo zebraThree " }, /* a variable of each kind */
        { "1 + zebraT", " zebraTwo zebraThree " },
        { "ZEBRA", " " }, /* capitals that are typed are meant */
        { "zebra.str", " stripes " },
        { "zebra.stripes.len", " length " },
        { "zebra[\"", "a b" },
        { "zebra['st", " stripes " },
        { "zebra.got.", " " },
        { "zebra.text.charC", " charCodeAt " },
        { "nothing.x", " " },
        { "f().x", " " },
        { "this.zebraT", " zebraThree " },
    };
    session s;
    typed t;
    session_open(&s);
    eval(s.w.ctx, "zoo.js",
         "const zebra = { stripes: [1], 'a b': 1, text: 'x', get got() { ran = 1; } };\n"
         "let zebraTwo = 2; var zebraThree = 3; var ran = 0;");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        completed(&s, &t, cases[i][0]);
        if (!strstr(t.words, cases[i][1]))
            fail_msg("%s:%s", cases[i][0], t.words);
    }
    ubi_evaluation got = evaluate(&s, "ran");
    assert_string_equal(words_of(&got.value), "0");
    session_close(&s);
}

static void completions_say_what_was_typed(void **state) {
    UNUSED_STATE(state);
    session s;
    typed t;
    session_open(&s);
    ubi_completion c = completed(&s, &t, "x + glob");
    assert_text(c.begin, "glob");
    assert_true(!c.is_property && !c.is_element_access && !c.quote);
    c = completed(&s, &t, "a.b");
    assert_text(c.begin, "b");
    assert_true(c.is_property && !c.is_element_access);
    c = completed(&s, &t, "a['b");
    assert_text(c.begin, "b");
    assert_true(c.is_property && c.is_element_access && c.quote == '\'');
    c = completed(&s, &t, "");
    assert_int_equal(c.begin.len, 0);
    assert_non_null(strstr(t.words, " globalThis "));
    assert_int_equal(ubi_console_complete(NULL, s.console, text_of("a."), name_add, &t), UBI_OK);
    session_close(&s);
}

/* ---- stacks --------------------------------------------------------------------------------------------------------- */

static void errors_have_the_frames_of_their_stack(void **state) {
    UNUSED_STATE(state);
    session s;
    session_open(&s);
    ubi_evaluation got = evaluate(&s, "function inner() {\n  throw new Error('x');\n}\n"
                                      "function outer() {\n  [1].map(inner);\n}\nouter();");
    assert_true(got.has_thrown && got.frame_count >= 3); /* of map there is none: it has no place */
    assert_text(got.frames[0].function, "inner");
    assert_text(got.frames[0].source, "debugger eval code");
    assert_int_equal(got.frames[0].line, 2);
    assert_text(got.frames[1].function, "outer");
    assert_int_equal(got.frames[1].line, 5);
    got = evaluate(&s, "(function deep(n) { if (n) deep(n - 1); else throw new Error('y'); })(100)");
    assert_true(got.frame_count <= UBI_CONSOLE_FRAMES);
    got = evaluate(&s, "throw { stack: 'at x (a.js:1:1)' }");
    assert_int_equal(got.frame_count, 0);
    got = evaluate(&s, "throw Object.assign(new Error, { stack: '\\nat\\n at \\n    at (\\n)\\nat :1\\n at f (:\\nat g "
                       "(a:9999999999)' })");
    assert_true(got.has_thrown);
    session_close(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(endless_texts_are_stopped),
        cmocka_unit_test(endless_getters_are_stopped),
        cmocka_unit_test(without_a_run_stopping_has_no_effect),
        cmocka_unit_test(runs_within_each_other_stop_by_themselves),
        cmocka_unit_test(the_embedders_handler_is_asked_and_stays),
        cmocka_unit_test(names_continue_what_is_typed),
        cmocka_unit_test(completions_say_what_was_typed),
        cmocka_unit_test(errors_have_the_frames_of_their_stack),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
