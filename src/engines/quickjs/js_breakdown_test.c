/* SPDX-License-Identifier: MIT
 *
 * Breakdowns read from JavaScript values against the parser of JSON text: what both can say must mean the same to both.
 */
#include "quickjs_heap.h"

#include "analyses/census/breakdown.h"
#include "engines/quickjs/js_breakdown.h"

#define MAX_TEXT 20000

/** A JSON text in the making. */
typedef struct text {
    char at[MAX_TEXT];
    size_t n;
} text;

static void put(text *t, const char *words) {
    size_t n = strlen(words);
    if (t->n + n < MAX_TEXT)
        memcpy(t->at + t->n, words, n + 1);
    t->n += n;
}

static const char *pick(const char *const *list, uint32_t n) {
    return list[random_below(n)];
}
#define PICK(...)                                                                                                      \
    pick((const char *const[]){ __VA_ARGS__ }, sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *))

static void put_breakdown(text *t, int depth);

static void put_member(text *t, const char *name, int depth) {
    put(t, ",\"");
    put(t, name);
    put(t, "\":");
    if (depth > 0)
        put_breakdown(t, depth - 1);
    else
        put(t, PICK("{\"by\":\"count\"}", "{\"by\":\"bucket\"}", "{}", "null", "7"));
}

static void put_object(text *t, int depth) {
    put(t, "{\"by\":");
    put(t, PICK("\"count\"", "\"count\"", "\"bucket\"", "\"objectClass\"", "\"objectClass\"", "\"coarseType\"",
                "\"coarseType\"", "\"internalType\"", "\"descriptiveType\"", "\"allocationStack\"", "\"filename\"",
                "[\"count\"]", "\"nope\\n\\u00e9\"", "null", "3.50", "[1,[null,2]]", "{}"));
    for (uint32_t n = random_below(4); n > 0; n--)
        put_member(
            t, PICK("then", "other", "objects", "scripts", "strings", "domNode", "noStack", "noFilename", "unknown"),
            depth);
    if (random_below(3) == 0) {
        put(t, PICK(",\"count\":", ",\"bytes\":"));
        put(t, PICK("true", "false", "0", "1", "\"\"", "\"x\"", "null", "{}", "[]", "-0.0"));
    }
    put(t, "}");
}

static void put_breakdown(text *t, int depth) {
    if (random_below(12) == 0) {
        put(t, PICK("null", "7", "\"count\"", "true", "[]", "{}"));
    } else if (random_below(6) == 0) {
        put(t, "[");
        for (uint32_t n = random_below(4), i = 0; i < n; i++) {
            put(t, i ? "," : "");
            put_breakdown(t, depth > 0 ? depth - 1 : 0);
        }
        put(t, "]");
    } else {
        put_object(t, depth);
    }
}

/** Reads the text both ways; what comes out must be equal, also if it is a mistake. Returns whether it was none. */
static bool read_both(quickjs_heap *heap, const text *t) {
    JSContext *ctx = heap->realm;
    ubi_breakdown *parsed = NULL;
    ubi_status status = ubi_breakdown_parse(&parsed, (ubi_text){ t->at, t->n }, UBI_COMPAT_NONE, NULL);
    JSValue value = JS_ParseJSON(ctx, t->at, t->n, "breakdown");
    assert_false(JS_IsException(value));
    ubi__js_breakdown read;
    int failed = ubi__js_breakdown_read_value(ctx, &read, value);
    if ((status == UBI_OK) != !failed)
        print_error("%s\n", t->at);
    assert_int_equal(status == UBI_OK, !failed);
    if (failed) {
        JSValue exception = JS_GetException(ctx), message = JS_GetPropertyStr(ctx, exception, "message");
        const char *words = JS_ToCString(ctx, message);
        assert_string_equal(words, ubi_error_message());
        JS_FreeCString(ctx, words);
        JS_FreeValue(ctx, message);
        JS_FreeValue(ctx, exception);
    } else {
        assert_true(ubi__breakdown_equal(parsed, read.breakdown));
        ubi__js_breakdown_fini(ctx, &read);
        ubi_breakdown_unref(parsed);
    }
    JS_FreeValue(ctx, value);
    return !failed;
}

static void random_breakdowns_mean_the_same_as_json_and_as_values(void **state) {
    (void)state;
    static text t;
    quickjs_heap heap;
    quickjs_heap_open(&heap, NULL);
    uint32_t good = 0;
    for (int i = 0; i < 20000; i++) {
        t.n = 0;
        put_breakdown(&t, (int)random_below(5));
        if (t.n < MAX_TEXT)
            good += read_both(&heap, &t);
    }
    assert_true(good > 1000);
    quickjs_heap_close(&heap);
}

static void deep_arrays_are_read_up_to_the_same_depth(void **state) {
    (void)state;
    quickjs_heap heap;
    quickjs_heap_open(&heap, NULL);
    for (int depth = UBI_BREAKDOWN_MAX_DEPTH - 2; depth < UBI_BREAKDOWN_MAX_DEPTH + 2; depth++) {
        static text t;
        t.n = 0;
        for (int i = 0; i < depth; i++)
            put(&t, "[");
        for (int i = 0; i < depth; i++)
            put(&t, "]");
        ubi_breakdown *parsed;
        bool accepted = ubi_breakdown_parse(&parsed, (ubi_text){ t.at, t.n }, UBI_COMPAT_NONE, NULL) == UBI_OK;
        JSValue value = JS_ParseJSON(heap.realm, t.at, t.n, "breakdown");
        ubi__js_breakdown read;
        assert_int_equal(ubi__js_breakdown_read_value(heap.realm, &read, value) == 0, accepted);
        if (accepted) {
            ubi_breakdown_unref(parsed);
            ubi__js_breakdown_fini(heap.realm, &read);
        } else {
            JS_FreeValue(heap.realm, JS_GetException(heap.realm));
        }
        JS_FreeValue(heap.realm, value);
    }
    quickjs_heap_close(&heap);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_breakdowns_mean_the_same_as_json_and_as_values),
        cmocka_unit_test(deep_arrays_are_read_up_to_the_same_depth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
