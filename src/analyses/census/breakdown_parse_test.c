/* SPDX-License-Identifier: MIT
 *
 * Tests of the parser in breakdown.c: which JSON is a breakdown, and what is said of the rest. Expected messages are Firefox's.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analyses/census/breakdown.h"
#include "base/text.h"
#include "census_text.h"
#include "fail_allocator.h"

#define UNRECOGNIZED "unrecognized 'by' value in takeCensus breakdown: "
#define NESTED "takeCensus breakdown 'by' value nested within itself: "

static void assert_fails(const char *json, ubi_compat compat, const char *message) {
    ubi_breakdown *breakdown = NULL;
    assert_int_equal(ubi_breakdown_parse(&breakdown, ubi__text(json), compat, NULL), UBI_EINVAL);
    assert_string_equal(ubi_error_message(), message);
    assert_null(breakdown);
}

static void assert_kind(const char *json, ubi_breakdown_by by) {
    ubi_breakdown *breakdown = must_parse_breakdown(json, UBI_COMPAT_FIREFOX);
    assert_int_equal(ubi_breakdown_kind(breakdown), by);
    ubi_breakdown_unref(breakdown);
}

static void every_kind_has_its_name(void **state) {
    (void)state;
    assert_kind("{\"by\":\"count\"}", UBI_BY_COUNT);
    assert_kind("{\"by\":\"bucket\"}", UBI_BY_BUCKET);
    assert_kind("{\"by\":\"coarseType\"}", UBI_BY_COARSE_TYPE);
    assert_kind("{\"by\":\"objectClass\"}", UBI_BY_OBJECT_CLASS);
    assert_kind("{\"by\":\"internalType\"}", UBI_BY_INTERNAL_TYPE);
    assert_kind("{\"by\":\"descriptiveType\"}", UBI_BY_DESCRIPTIVE_TYPE);
    assert_kind("{\"by\":\"allocationStack\"}", UBI_BY_ALLOCATION_STACK);
    assert_kind("{\"by\":\"filename\"}", UBI_BY_FILENAME);
}

static void by_is_taken_as_a_string(void **state) {
    (void)state;
    assert_kind("{\"by\":[\"count\"]}", UBI_BY_COUNT);
    assert_kind("{\"by\":[[[\"count\"]]]}", UBI_BY_COUNT);
    assert_fails("{\"by\":42}", UBI_COMPAT_NONE, UNRECOGNIZED "\"42\"");
    assert_fails("{\"by\":1e21}", UBI_COMPAT_NONE, UNRECOGNIZED "\"1e+21\"");
    assert_fails("{\"by\":null}", UBI_COMPAT_NONE, UNRECOGNIZED "\"null\"");
    assert_fails("{\"by\":true}", UBI_COMPAT_NONE, UNRECOGNIZED "\"true\"");
    assert_fails("{\"by\":[]}", UBI_COMPAT_NONE, UNRECOGNIZED "\"\"");
    assert_fails("{\"by\":[1,null,[2,[\"x\"]],false,{}]}", UBI_COMPAT_NONE,
                 UNRECOGNIZED "\"1,,2,x,false,[object Object]\"");
    assert_fails("{\"by\":{\"by\":\"count\"}}", UBI_COMPAT_NONE, UNRECOGNIZED "\"[object Object]\"");
}

static void unknown_kinds_are_quoted_as_javascript_would(void **state) {
    (void)state;
    assert_fails("{\"by\":\"nope\"}", UBI_COMPAT_NONE, UNRECOGNIZED "\"nope\"");
    assert_fails("{\"by\":\"a\\\"b\\\\\\n\\u0001\\u0000\"}", UBI_COMPAT_NONE,
                 UNRECOGNIZED "\"a\\\"b\\\\\\n\\x01\\x00\"");
    assert_fails("{\"by\":\"\xc3\xbc\xe2\x82\xac\xf0\x9f\x98\x80\"}", UBI_COMPAT_NONE,
                 UNRECOGNIZED "\"\\xFC\\u20AC\\uD83D\\uDE00\"");
    assert_fails("{\"by\":\"Count\"}", UBI_COMPAT_NONE, UNRECOGNIZED "\"Count\"");
}

static void what_has_no_by_is_refused(void **state) {
    (void)state;
    assert_fails("{}", UBI_COMPAT_NONE, UNRECOGNIZED "\"undefined\"");
    assert_fails("3", UBI_COMPAT_NONE, UNRECOGNIZED "\"undefined\"");
    assert_fails("\"count\"", UBI_COMPAT_NONE, UNRECOGNIZED "\"undefined\"");
    assert_fails("false", UBI_COMPAT_NONE, UNRECOGNIZED "\"undefined\"");
    assert_fails("null", UBI_COMPAT_NONE, "can't convert null to object");
    assert_fails("{\"by\":\"internalType\",\"then\":null}", UBI_COMPAT_NONE, "can't convert null to object");
    assert_fails("{\"by\":\"internalType\",\"then\":\"count\"}", UBI_COMPAT_NONE, UNRECOGNIZED "\"undefined\"");
}

static void a_kind_may_not_be_nested_within_itself(void **state) {
    (void)state;
    assert_fails("{\"by\":\"objectClass\",\"then\":{\"by\":\"objectClass\"}}", UBI_COMPAT_NONE,
                 NESTED "\"objectClass\"");
    assert_fails("{\"by\":\"internalType\",\"then\":{\"by\":\"coarseType\",\"domNode\":{\"by\":\"internalType\"}}}",
                 UBI_COMPAT_FIREFOX, NESTED "\"internalType\"");
    assert_fails("{\"by\":\"filename\",\"then\":[[{\"by\":\"filename\"}]]}", UBI_COMPAT_NONE, NESTED "\"filename\"");
    assert_kind("{\"by\":\"objectClass\",\"then\":{\"by\":\"internalType\"},\"other\":{\"by\":\"internalType\"}}",
                UBI_BY_OBJECT_CLASS);
}

static void the_mistake_that_is_read_first_is_reported(void **state) {
    (void)state;
    assert_fails("{\"other\":{\"by\":\"b\"},\"then\":{\"by\":\"a\"},\"by\":\"objectClass\"}", UBI_COMPAT_NONE,
                 UNRECOGNIZED "\"a\"");
    const char *parts[] = { "domNode", "other", "strings", "scripts", "objects" };
    char json[400] = "{\"by\":\"coarseType\"";
    char message[100];
    for (size_t i = 0; i < 5; i++) { /* each new mistake is read before the ones that are there already */
        snprintf(json + strlen(json), sizeof json - strlen(json), ",\"%s\":{\"by\":\"%s\"}}", parts[i], parts[i]);
        snprintf(message, sizeof message, UNRECOGNIZED "\"%s\"", parts[i]);
        assert_fails(json, UBI_COMPAT_NONE, message);
        json[strlen(json) - 1] = '\0';
    }
    assert_fails("{\"by\":\"nope\",\"then\":null}", UBI_COMPAT_NONE, UNRECOGNIZED "\"nope\"");
    assert_fails("{\"by\":\"allocationStack\",\"noStack\":null,\"then\":{}}", UBI_COMPAT_NONE,
                 UNRECOGNIZED "\"undefined\"");
    assert_fails("{\"by\":\"filename\",\"noFilename\":{\"by\":1},\"then\":{\"by\":2}}", UBI_COMPAT_NONE,
                 UNRECOGNIZED "\"2\"");
}

static void arrays_are_breakdowns_unless_firefox_is_asked(void **state) {
    (void)state;
    ubi_breakdown *breakdown = must_parse_breakdown("[{\"by\":\"count\"},[],{\"by\":\"bucket\"}]", UBI_COMPAT_NONE);
    assert_int_equal(ubi_breakdown_kind(breakdown), UBI_BY_ARRAY);
    assert_int_equal(breakdown->n_children, 3);
    assert_int_equal(ubi__breakdown_child(breakdown, 1)->by, UBI_BY_ARRAY);
    assert_int_equal(ubi__breakdown_child(breakdown, 2)->by, UBI_BY_BUCKET);
    assert_string_equal(ubi__breakdown_child(breakdown, 2)->member_name, "[2]");
    ubi_breakdown_unref(breakdown);
    assert_fails("[{\"by\":\"count\"}]", UBI_COMPAT_FIREFOX, UNRECOGNIZED "\"undefined\"");
    assert_fails("[]", UBI_COMPAT_FIREFOX, UNRECOGNIZED "\"undefined\"");
}

static void assert_count(const char *json, bool has_count, bool has_bytes, const char *label) {
    ubi_breakdown *b = must_parse_breakdown(json, UBI_COMPAT_NONE);
    assert_int_equal(b->has_count, has_count);
    assert_int_equal(b->has_bytes, has_bytes);
    assert_int_equal(b->has_label, label != NULL);
    if (label)
        assert_true(ubi__text_is(ubi__breakdown_label(b), label));
    ubi_breakdown_unref(b);
}

static void options_of_count_are_converted(void **state) {
    (void)state;
    assert_count("{\"by\":\"count\"}", true, true, NULL);
    assert_count("{\"by\":\"count\",\"count\":null,\"bytes\":\"\"}", false, false, NULL);
    assert_count("{\"by\":\"count\",\"count\":0,\"bytes\":-0.0}", false, false, NULL);
    assert_count("{\"by\":\"count\",\"count\":[],\"bytes\":\"0\"}", true, true, NULL);
    assert_count("{\"by\":\"count\",\"count\":false}", false, true, NULL);
    assert_count("{\"by\":\"count\",\"label\":null}", true, true, "null");
    assert_count("{\"b\\u0079\":\"count\",\"label\":\"\\u0061\\n\\ud83d\\ude00\"}", true, true, "a\n\xf0\x9f\x98\x80");
    assert_count("{\"by\":\"count\",\"label\":1,\"label\":2}", true, true, "2");
    assert_count("{\"by\":\"count\",\"label\":5}", true, true, "5");
    assert_count("{\"by\":\"count\",\"label\":\"\"}", true, true, "");
    assert_count("{\"by\":\"count\",\"label\":[1,[2,null]]}", true, true, "1,2,");
}

static void a_label_with_a_nul_is_cut_only_for_firefox(void **state) {
    (void)state;
    static const char json[] = "{\"by\":\"count\",\"label\":\"a\\u0000b\"}";
    ubi_breakdown *ours = must_parse_breakdown(json, UBI_COMPAT_NONE);
    ubi_breakdown *firefoxs = must_parse_breakdown(json, UBI_COMPAT_FIREFOX);
    assert_int_equal(ubi__breakdown_label(ours).len, 3);
    assert_int_equal(ubi__breakdown_label(firefoxs).len, 1);
    ubi_breakdown_unref(ours);
    ubi_breakdown_unref(firefoxs);
}

static void parts_that_are_left_out_count_and_are_marked(void **state) {
    (void)state;
    ubi_breakdown *b =
        must_parse_breakdown("{\"by\":\"objectClass\",\"other\":{\"by\":\"count\",\"bytes\":true}}", UBI_COMPAT_NONE);
    const ubi_breakdown *then = ubi__breakdown_child(b, UBI__CHILD_THEN);
    const ubi_breakdown *other = ubi__breakdown_child(b, UBI__CHILD_OTHERWISE);
    assert_true(b->was_written && !then->was_written && other->was_written);
    assert_true(then->by == UBI_BY_COUNT && then->has_count && then->has_bytes);
    assert_true(!other->was_count_written && other->was_bytes_written);
    ubi_breakdown_unref(b);
}

static void no_text_is_the_default_breakdown(void **state) {
    (void)state;
    ubi_breakdown *b;
    assert_int_equal(ubi_breakdown_parse(&b, (ubi_text){ NULL, 0 }, UBI_COMPAT_FIREFOX, NULL), UBI_OK);
    assert_int_equal(b->by, UBI_BY_COARSE_TYPE);
    static const ubi_breakdown_by parts[] = { UBI_BY_OBJECT_CLASS, UBI_BY_COUNT, UBI_BY_COUNT, UBI_BY_INTERNAL_TYPE,
                                              UBI_BY_DESCRIPTIVE_TYPE };
    for (uint32_t i = 0; i < 5; i++)
        assert_int_equal(ubi__breakdown_child(b, i)->by, parts[i]);
    ubi_breakdown_unref(b);
}

static void a_number_that_no_double_holds_is_refused_where_it_matters(void **state) {
    (void)state;
    assert_count("{\"by\":\"count\",\"count\":1e999}", true, true, NULL);
    assert_fails("{\"by\":\"count\",\"label\":1e999}", UBI_COMPAT_NONE, "the breakdown has a number that is too large");
}

static void what_is_no_json_is_refused_with_its_place(void **state) {
    (void)state;
    ubi_breakdown *b;
    assert_int_equal(ubi_breakdown_parse(&b, ubi__text("{\"by\":\n  count}"), UBI_COMPAT_NONE, NULL), UBI_EINVAL);
    assert_non_null(strstr(ubi_error_message(), "the breakdown is not JSON: line 2, column "));
    assert_string_equal(ubi_error_message(), "the breakdown is not JSON: line 2, column 3: expected a value");
    assert_int_equal(ubi_breakdown_parse(&b, ubi__text(""), UBI_COMPAT_NONE, NULL), UBI_EINVAL);
    assert_int_equal(ubi_breakdown_parse(&b, ubi__text("{} {}"), UBI_COMPAT_NONE, NULL), UBI_EINVAL);
    assert_int_equal(ubi_breakdown_parse(&b, ubi__text("{\"by\":\"a\nb\"}"), UBI_COMPAT_NONE, NULL), UBI_EINVAL);
    assert_null(strchr(ubi_error_message(), '\n'));
}

/** `depth` opening brackets and as many closing ones. */
static ubi_status parse_nested_arrays(size_t depth) {
    char *json = malloc(2 * depth);
    memset(json, '[', depth);
    memset(json + depth, ']', depth);
    ubi_breakdown *b = NULL;
    ubi_status status = ubi_breakdown_parse(&b, (ubi_text){ json, 2 * depth }, UBI_COMPAT_NONE, NULL);
    ubi_breakdown_unref(b);
    free(json);
    return status;
}

static void nesting_has_a_limit(void **state) {
    (void)state;
    assert_int_equal(parse_nested_arrays(UBI_BREAKDOWN_MAX_DEPTH), UBI_OK);
    assert_int_equal(parse_nested_arrays(UBI_BREAKDOWN_MAX_DEPTH + 1), UBI_EINVAL);
    assert_string_equal(ubi_error_message(), "the breakdown is nested deeper than 64 levels");
    assert_int_equal(parse_nested_arrays(100000), UBI_EINVAL);
}

static void every_preset_is_written_out_in_full(void **state) {
    (void)state;
    for (const ubi_breakdown_preset *p = ubi_breakdown_presets(); p->name; p++) {
        ubi_breakdown *b = must_parse_breakdown(p->json, UBI_COMPAT_FIREFOX);
        for (size_t i = 0; i < b->tree->nodes.n; i++) {
            const ubi_breakdown *node = &b->tree->nodes.at[i];
            assert_true(node->was_written);
            assert_true(node->by != UBI_BY_COUNT || (node->was_count_written && node->was_bytes_written));
        }
        assert_ptr_equal(ubi_breakdown_preset_find(p->name), p);
        ubi_breakdown_unref(b);
    }
    assert_null(ubi_breakdown_preset_find("nope"));
    assert_null(ubi_breakdown_preset_find(NULL));
}

static void a_part_keeps_the_whole_breakdown(void **state) {
    (void)state;
    ubi_breakdown *b = must_parse_breakdown("[{\"by\":\"count\",\"label\":\"x\"}]", UBI_COMPAT_NONE);
    ubi_breakdown *part = ubi_breakdown_ref((ubi_breakdown *)ubi__breakdown_child(b, 0));
    ubi_breakdown_unref(b);
    assert_true(ubi__text_is(ubi__breakdown_label(part), "x"));
    ubi_breakdown_unref(part);
}

static void a_refused_allocation_leaves_nothing_behind(void **state) {
    (void)state;
    static const char json[] =
        "[{\"by\":[\"coarse\\u0054ype\"],\"o\\u0074hers\":1,\"other\":{\"by\":\"objectClass\",\"then\":"
        "{\"by\":\"count\",\"label\":[\"a\",[1]]}}},{\"by\":\"bucket\"}]";
    for (uint64_t n = 0;; n++) {
        fail_allocator f;
        fail_allocator_init(&f, n);
        ubi_breakdown *b = NULL, *buckets = NULL;
        ubi_status status = ubi_breakdown_parse(&b, ubi__text(json), UBI_COMPAT_NONE, &f.allocator);
        if (status == UBI_OK)
            status = ubi__breakdown_count_to_bucket(&buckets, b, &f.allocator);
        assert_true(status == UBI_OK || status == UBI_ENOMEM);
        ubi_breakdown_unref(b);
        ubi_breakdown_unref(buckets);
        fail_allocator_fini(&f);
        if (status == UBI_OK)
            break;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_has_its_name),
        cmocka_unit_test(by_is_taken_as_a_string),
        cmocka_unit_test(unknown_kinds_are_quoted_as_javascript_would),
        cmocka_unit_test(what_has_no_by_is_refused),
        cmocka_unit_test(a_kind_may_not_be_nested_within_itself),
        cmocka_unit_test(the_mistake_that_is_read_first_is_reported),
        cmocka_unit_test(arrays_are_breakdowns_unless_firefox_is_asked),
        cmocka_unit_test(options_of_count_are_converted),
        cmocka_unit_test(a_label_with_a_nul_is_cut_only_for_firefox),
        cmocka_unit_test(parts_that_are_left_out_count_and_are_marked),
        cmocka_unit_test(no_text_is_the_default_breakdown),
        cmocka_unit_test(a_number_that_no_double_holds_is_refused_where_it_matters),
        cmocka_unit_test(what_is_no_json_is_refused_with_its_place),
        cmocka_unit_test(nesting_has_a_limit),
        cmocka_unit_test(every_preset_is_written_out_in_full),
        cmocka_unit_test(a_part_keeps_the_whole_breakdown),
        cmocka_unit_test(a_refused_allocation_leaves_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
