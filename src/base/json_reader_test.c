/* SPDX-License-Identifier: MIT
 *
 * json_reader_test.c: what is JSON and what is not, values as slices, strings with escapes, numbers and times.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/json_reader.h"
#include "base/text.h"
#include "fail_allocator.h"

/* Skips a whole object. What was expected where it is not one, or NULL. */
static const char *fault_of(const char *text) {
    ubi__json_cursor c;
    ubi__json_value key, value;
    ubi__json_cursor_open(&c, ubi__text(text), UBI__JSON_OBJECT);
    while (ubi__json_cursor_next_member(&c, &key, &value))
        assert_true(key.type == UBI__JSON_STRING);
    return c.fault;
}

static void json_is_taken(void **state) {
    static const char *const texts[] = {
        "{}",
        " { } ",
        "{\"a\":1}",
        "{\"a\":null,\"b\":true,\"c\":false}",
        "{\"a\":[],\"b\":{}}",
        "{\"a\":[1,[2,{\"b\":[]}],\"]\"]}",
        "{\"a\" : -0.5e+10 , \"b\":0}",
        "{\"\":\"\\u00e9\\n\\\"\\\\\\/\"}",
        "{\"a\":{\"b\":{\"c\":[[[]]]}},\"d\":1}",
    };
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_null(fault_of(texts[i]));
}

static void what_is_no_json_is_found(void **state) {
    static const char *const texts[][2] = {
        { "", "an object" },
        { "[]", "an object" },
        { "{", "a key" },
        { "{}x", "nothing more" },
        { "{\"a\"}", "':'" },
        { "{\"a\":}", "a value" },
        { "{\"a\":1,}", "a key" },
        { "{\"a\":1 \"b\":2}", "',' or '}'" },
        { "{\"a\":[1 2]}", "',' or ']'" },
        { "{\"a\":[1,]}", "a value" },
        { "{\"a\":[}", "a value" },
        { "{\"a\":{1:2}}", "a key" },
        { "{\"a\":{\"b\":1]}", "',' or '}'" },
        { "{\"a\":01}", "',' or '}'" },
        { "{\"a\":1.}", "a digit" },
        { "{\"a\":-}", "a digit" },
        { "{\"a\":1e}", "a digit" },
        { "{\"a\":\"x", "the end of a string" },
        { "{\"a\":\"\n\"}", "no control character in a string" },
        { "{\"a\":\"\\x\"}", "an escape sequence" },
        { "{\"a\":\"\\u12g4\"}", "four hexadecimal digits" },
        { "{\"a\":nul}", "a value" },
        { "{\"a\":[[", "a value" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const char *fault = fault_of(texts[i][0]);
        assert_non_null(fault);
        assert_string_equal(fault, texts[i][1]);
    }
}

static void depth_is_limited(void **state) {
    char text[2 * UBI__JSON_DEPTH + 16] = "{\"a\":";
    (void)state;
    memset(text + 5, '[', UBI__JSON_DEPTH - 1);
    memset(text + 5 + UBI__JSON_DEPTH - 1, ']', UBI__JSON_DEPTH - 1);
    strcat(text, "}");
    assert_null(fault_of(text));
    strcpy(text, "{\"a\":");
    memset(text + 5, '[', UBI__JSON_DEPTH);
    text[5 + UBI__JSON_DEPTH] = 0;
    assert_string_equal(fault_of(text), "values that are less deeply nested");
}

static ubi__json_value value_of(const char *text) {
    ubi__json_cursor c;
    ubi__json_value value = { 0 };
    ubi__json_cursor_open(&c, ubi__text(text), UBI__JSON_ARRAY);
    assert_true(ubi__json_cursor_next_element(&c, &value));
    return value;
}

static void nested_values_are_slices_to_open(void **state) {
    ubi__json_cursor c;
    ubi__json_value key, value, inner = value_of("[ {\"a\": [1, 2] , \"b\":\"}\"} , 5]");
    (void)state;
    assert_int_equal(inner.type, UBI__JSON_OBJECT);
    assert_true(ubi__text_is(inner.raw, "{\"a\": [1, 2] , \"b\":\"}\"}"));
    ubi__json_cursor_open(&c, inner.raw, UBI__JSON_OBJECT);
    assert_true(ubi__json_cursor_next_member(&c, &key, &value));
    assert_true(ubi__json_value_is(&key, "a"));
    assert_true(ubi__text_is(value.raw, "[1, 2]"));
    assert_true(ubi__json_cursor_next_member(&c, &key, &value));
    assert_true(ubi__json_value_is(&value, "}"));
    assert_false(ubi__json_cursor_next_member(&c, &key, &value));
    assert_null(c.fault);
}

static void a_member_is_found_by_its_name(void **state) {
    static const char *const without[] = { "{}",       "[\"a\"]",    "{\"b\":1}", "{\"\\u0061\":1}",
                                           "{\"a\":1", "{\"a\":1,}", "7",         "" };
    ubi__json_value value;
    uint64_t number;
    (void)state;
    assert_true(ubi__json_object_find(&value, ubi__text(" {\"a\":1,\"b\":{\"a\":2},\"a\":3} "), "a"));
    assert_true(ubi__json_value_u64(&number, &value) && number == 3);
    for (size_t i = 0; i < sizeof without / sizeof *without; i++)
        assert_false(ubi__json_object_find(&value, ubi__text(without[i]), "a"));
}

static void assert_text(const char *json, const char *expected, size_t n) {
    ubi__vec_u8 scratch = { 0 };
    ubi_text text;
    ubi__json_value value = value_of(json);
    assert_int_equal(ubi__json_value_text(&text, &value, &scratch, ubi_allocator_default()), UBI_OK);
    assert_int_equal(text.len, n);
    assert_memory_equal(text.ptr, expected, n);
    ubi__vec_u8_fini(&scratch, ubi_allocator_default());
}

static void escapes_are_undone(void **state) {
    (void)state;
    assert_text("[\"plain \xc3\xa9\"]", "plain \xc3\xa9", 8);
    assert_text("[\"\\b\\f\\n\\r\\t\\\"\\\\\\/\"]", "\b\f\n\r\t\"\\/", 8);
    assert_text("[\"\\u0000\\u00E9\\u20ac\"]", "\0\xc3\xa9\xe2\x82\xac", 6);
    assert_text("[\"\\ud83d\\ude00!\"]", "\xf0\x9f\x98\x80!", 5);
    /* lone surrogates */
    assert_text("[\"\\ud83d\"]", "\xed\xa0\xbd", 3);
    assert_text("[\"\\ude00\\ud83d\"]", "\xed\xb8\x80\xed\xa0\xbd", 6);
    assert_text("[\"\\ud83d\\u0041\"]", "\xed\xa0\xbd\x41", 4);
}

static ubi_status read_escapes(void *json, const ubi_allocator *a) {
    ubi__vec_u8 scratch = { 0 };
    ubi_text text = { 0 };
    ubi__json_value value = value_of(json);
    ubi_status status = ubi__json_value_text(&text, &value, &scratch, a);
    if (status == UBI_OK)
        assert_true(ubi__text_is(text, "a\nb"));
    ubi__vec_u8_fini(&scratch, a);
    return status;
}

static void a_text_is_whole_or_memory_ran_out(void **state) {
    (void)state;
    char json[] = "[\"a\\nb\"]";
    (void)state;
    assert_int_equal(fail_each_allocation(read_escapes, json), 1);
}

static void numbers_are_the_nearest_doubles(void **state) {
    ubi__json_value v = value_of("[0.1]");
    double number;
    (void)state;
    assert_true(ubi__json_value_number(&number, &v) && number == 0.1);
    v = value_of("[-12.5e-3]");
    assert_true(ubi__json_value_number(&number, &v) && number == -12.5e-3);
    v = value_of("[1e999]");
    assert_false(ubi__json_value_number(&number, &v));
    v = value_of("[\"1\"]");
    assert_false(ubi__json_value_number(&number, &v));
}

static void whole_numbers_are_exact_or_refused(void **state) {
    static const char *const refused[] = { "[18446744073709551616]", "[-1]", "[1.0]", "[1e2]", "[null]", "[\"1\"]" };
    ubi__json_value v = value_of("[18446744073709551615]");
    uint64_t number = 5;
    (void)state;
    assert_true(ubi__json_value_u64(&number, &v) && number == UINT64_MAX);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        v = value_of(refused[i]);
        assert_false(ubi__json_value_u64(&number, &v));
    }
    assert_true(number == UINT64_MAX);
}

static void assert_ns(const char *json, uint64_t expected) {
    uint64_t ns = 1;
    ubi__json_value v = value_of(json);
    assert_true(ubi__json_value_ns(&ns, &v));
    assert_true(ns == expected);
}

static void milliseconds_are_exact_to_the_nanosecond(void **state) {
    static const char *const refused[] = { "[-1]", "[1e30]", "[18446744073709.551616]", "[true]", "[\"5\"]" };
    uint64_t ns;
    (void)state;
    assert_ns("[0]", 0);
    assert_ns("[12.5]", 12500000);
    assert_ns("[0.000001]", 1);
    assert_ns("[9007199254.740993]", UINT64_C(9007199254740993));
    assert_ns("[18446744073709.551615]", UINT64_MAX);
    assert_ns("[1.5e3]", UINT64_C(1500000000));
    assert_ns("[0.0000015]", 2);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        ubi__json_value v = value_of(refused[i]);
        assert_false(ubi__json_value_ns(&ns, &v));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(json_is_taken),
        cmocka_unit_test(what_is_no_json_is_found),
        cmocka_unit_test(depth_is_limited),
        cmocka_unit_test(a_member_is_found_by_its_name),
        cmocka_unit_test(nested_values_are_slices_to_open),
        cmocka_unit_test(escapes_are_undone),
        cmocka_unit_test(a_text_is_whole_or_memory_ran_out),
        cmocka_unit_test(numbers_are_the_nearest_doubles),
        cmocka_unit_test(whole_numbers_are_exact_or_refused),
        cmocka_unit_test(milliseconds_are_exact_to_the_nanosecond),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
