/* SPDX-License-Identifier: MIT
 *
 * options_test.c: command lines, read by a table, and the quantities in them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/human.h"
#include "cli/options.h"

typedef struct values {
    bool wants_json;
    int progress;
    const char *filter, *color;
    uint64_t limit;
    ubi__texts at;
} values;

static const char *const colors[] = { "auto", "never", NULL };

static const ubi__parameter table[] = {
    UBI__FLAG("json", 'j', offsetof(values, wants_json), ""),
    UBI__SWITCH("progress", 0, offsetof(values, progress), ""),
    UBI__ALIAS_NAME("bar"),
    UBI__TEXT("filter", 'f', offsetof(values, filter), "TEXT", "", NULL),
    UBI__CHOICE("color", 0, offsetof(values, color), "WHEN", colors, "", "auto"),
    UBI__NUMBER("limit", 'n', offsetof(values, limit), "N", "", "10"),
    UBI__ALIAS_NAME("most"),
    UBI__ALIAS_LETTER('m'),
    UBI__TEXTS("at", 'a', offsetof(values, at), "WHEN", ""),
    UBI__ALIAS_NAME("when"),
    UBI__PARAMETERS_END,
};

#define MAX_ARGUMENTS 8

typedef struct parsed {
    values values;
    char *operands[MAX_ARGUMENTS];
    int n_operands;
    ubi_status status;
} parsed;

static parsed parse_words(bool options_first, const char *first, va_list words) {
    parsed p = { 0 };
    int argc = 0;
    for (const char *word = first; word; word = va_arg(words, const char *))
        p.operands[argc++] = (char *)(uintptr_t)word;
    ubi__option_table tables[] = { { .parameters = table, .values = &p.values } };
    p.status = ubi__options_parse_first(&p.n_operands, p.operands, argc, tables, 1, options_first);
    return p;
}

/* Parses words, ended by NULL. */
static parsed parse(const char *first, ...) {
    va_list words;
    va_start(words, first);
    parsed p = parse_words(false, first, words);
    va_end(words);
    return p;
}

/* The same for a command whose options come first. */
static parsed parse_first(const char *first, ...) {
    va_list words;
    va_start(words, first);
    parsed p = parse_words(true, first, words);
    va_end(words);
    return p;
}

static void assert_refused(parsed p, const char *message) {
    assert_int_equal(p.status, UBI_EINVAL);
    assert_string_equal(ubi_error_message(), message);
}

static void nothing_given_leaves_the_standard_values(void **state) {
    (void)state;
    parsed p = parse(NULL, NULL);
    assert_int_equal(p.status, UBI_OK);
    assert_int_equal(p.n_operands, 0);
    assert_int_equal(p.values.limit, 10);
    assert_null(p.values.filter);
    assert_null(p.values.color);
    assert_int_equal(p.values.progress, 0);
}

static void long_values_follow_an_equals_sign_or_in_the_next_word(void **state) {
    (void)state;
    parsed p = parse("--filter=a=b", "--limit", "5", "--color", "never", NULL);
    assert_int_equal(p.status, UBI_OK);
    assert_string_equal(p.values.filter, "a=b");
    assert_int_equal(p.values.limit, 5);
    assert_string_equal(p.values.color, "never");
    assert_string_equal(parse("--filter=", NULL).values.filter, "");
}

static void letters_may_be_joined_with_each_other_and_a_value(void **state) {
    (void)state;
    parsed p = parse("-jn7", "-f", "-x", NULL);
    assert_int_equal(p.status, UBI_OK);
    assert_true(p.values.wants_json);
    assert_int_equal(p.values.limit, 7);
    assert_string_equal(p.values.filter, "-x");
}

static void options_and_operands_may_be_mixed(void **state) {
    (void)state;
    parsed p = parse("a", "--json", "-", "--", "--json", NULL);
    assert_int_equal(p.status, UBI_OK);
    assert_int_equal(p.n_operands, 3);
    assert_string_equal(p.operands[0], "a");
    assert_string_equal(p.operands[1], "-");
    assert_string_equal(p.operands[2], "--json");
}

static void the_first_operand_may_end_the_options(void **state) {
    (void)state;
    parsed p = parse_first("--json", "script", "--limit", "-x", "--", "-", NULL);
    assert_int_equal(p.status, UBI_OK);
    assert_true(p.values.wants_json);
    assert_int_equal(p.values.limit, 10);
    assert_int_equal(p.n_operands, 5);
    assert_string_equal(p.operands[1], "--limit");
    assert_string_equal(p.operands[3], "--");
    p = parse_first("--", "--json", "--limit", NULL);
    assert_false(p.values.wants_json);
    assert_string_equal(p.operands[0], "--json");
    assert_int_equal(p.n_operands, 2);
}

static void lists_keep_every_value_in_order(void **state) {
    (void)state;
    parsed p = parse("--at", "exit", "-agc", "--at=", NULL);
    assert_int_equal(p.values.at.n, 3);
    assert_string_equal(p.values.at.at[0], "exit");
    assert_string_equal(p.values.at.at[1], "gc");
    assert_string_equal(p.values.at.at[2], "");
}

static void lists_have_an_end(void **state) {
    (void)state;
    char *words[UBI__TEXTS_LENGTH + 1];
    values v = { 0 };
    ubi__option_table tables[] = { { .parameters = table, .values = &v } };
    int n;
    for (int i = 0; i <= UBI__TEXTS_LENGTH; i++)
        words[i] = (char *)(uintptr_t) "--at=x";
    assert_int_equal(ubi__options_parse(&n, words, UBI__TEXTS_LENGTH, tables, 1), UBI_OK);
    v.at.n = 0;
    assert_int_equal(ubi__options_parse(&n, words, UBI__TEXTS_LENGTH + 1, tables, 1), UBI_EINVAL);
    assert_string_equal(ubi_error_message(), "--at: given more than 32 times");
}

static void switches_go_both_ways_and_the_last_one_wins(void **state) {
    (void)state;
    assert_int_equal(parse("--progress", NULL).values.progress, 1);
    assert_int_equal(parse("--progress", "--no-progress", NULL).values.progress, -1);
    assert_refused(parse("--no-json", NULL), "unknown option --no-json; did you mean --json?");
}

static void misspelt_options_get_a_suggestion(void **state) {
    (void)state;
    assert_refused(parse("--flter=x", NULL), "unknown option --flter; did you mean --filter?");
    assert_refused(parse("--utterly-different", NULL), "unknown option --utterly-different");
    assert_refused(parse("-z", NULL), "unknown option -z");
}

static void options_of_another_command_name_it(void **state) {
    static const ubi__parameter others[] = { UBI__FLAG("exact", 'e', 0, ""), UBI__FLAG("flter", 0, 0, ""),
                                             UBI__PARAMETERS_END };
    static const char *const lines[][2] = {
        { "--exact", "unknown option --exact, which 'ubiheap record --pid PID' has" },
        { "--exact=1", "unknown option --exact, which 'ubiheap record --pid PID' has" },
        { "-e", "unknown option -e, which 'ubiheap record --pid PID' has" },
        { "--flter", "unknown option --flter, which 'ubiheap record --pid PID' has" },
        { "--filtr", "unknown option --filtr; did you mean --filter?" },
        { "-z", "unknown option -z" },
        { "--", NULL },
    };
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        values v = { 0 };
        char *argv[] = { (char *)(uintptr_t)lines[i][0] };
        int n;
        const ubi__option_table with_others = { table, &v, others, "record --pid PID" };
        assert_int_equal(ubi__options_parse(&n, argv, 1, &with_others, 1), lines[i][1] ? UBI_EINVAL : UBI_OK);
        if (lines[i][1])
            assert_string_equal(ubi_error_message(), lines[i][1]);
    }
}

static void wrong_values_are_named(void **state) {
    (void)state;
    assert_refused(parse("--limit=ten", NULL), "--limit: expected a number, not 'ten'");
    assert_refused(parse("--limit=", NULL), "--limit: expected a number, not ''");
    assert_refused(parse("--limit=-1", NULL), "--limit: expected a number, not '-1'");
    assert_refused(parse("--limit=18446744073709551616", NULL), "--limit: 18446744073709551616 is too large");
    assert_refused(parse("--color=red", NULL), "--color: expected one of auto, never, not 'red'");
    assert_refused(parse("--filter", NULL), "--filter needs a value: --filter TEXT");
    assert_refused(parse("--json=1", NULL), "--json takes no value");
}

static void an_alias_is_the_option_above_it(void **state) {
    (void)state;
    assert_int_equal(parse("--most", "5", NULL).values.limit, 5);
    assert_int_equal(parse("--most=6", NULL).values.limit, 6);
    assert_int_equal(parse("-jm7", NULL).values.limit, 7);
    assert_int_equal(parse("--no-bar", NULL).values.progress, -1);
    assert_int_equal(parse("--when", "a", "--at", "b", NULL).values.at.n, 2);
    assert_refused(parse("--most=x", NULL), "--limit: expected a number, not 'x'");
    assert_refused(parse("-m", NULL), "--limit needs a value: --limit N");
}

static void aliases_are_neither_shown_nor_suggested(void **state) {
    (void)state;
    size_t n = 0;
    for (const ubi__parameter *option = table; (option = ubi__option_at(option)); option++, n++)
        assert_int_not_equal(option->kind, UBI__PARAMETER_ALIAS);
    assert_int_equal(n, 6);
    assert_refused(parse("--mosst=1", NULL), "unknown option --mosst");
    assert_refused(parse("--=1", NULL), "unknown option --");
}

static void the_largest_number_fits(void **state) {
    (void)state;
    assert_int_equal(parse("--limit=18446744073709551615", NULL).values.limit, UINT64_MAX);
}

static void edit_distance_counts_single_changes(void **state) {
    (void)state;
    assert_int_equal(ubi__edit_distance("census", "census"), 0);
    assert_int_equal(ubi__edit_distance("cenus", "census"), 1);
    assert_int_equal(ubi__edit_distance("cesnus", "census"), 1);
    assert_int_equal(ubi__edit_distance("kensuz", "census"), 2);
    assert_int_equal(ubi__edit_distance("", "info"), 4);
    assert_int_equal(ubi__edit_distance("an extremely long word that no user types", "info"), 99);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_given_leaves_the_standard_values),
        cmocka_unit_test(long_values_follow_an_equals_sign_or_in_the_next_word),
        cmocka_unit_test(letters_may_be_joined_with_each_other_and_a_value),
        cmocka_unit_test(options_and_operands_may_be_mixed),
        cmocka_unit_test(the_first_operand_may_end_the_options),
        cmocka_unit_test(lists_keep_every_value_in_order),
        cmocka_unit_test(lists_have_an_end),
        cmocka_unit_test(switches_go_both_ways_and_the_last_one_wins),
        cmocka_unit_test(misspelt_options_get_a_suggestion),
        cmocka_unit_test(options_of_another_command_name_it),
        cmocka_unit_test(wrong_values_are_named),
        cmocka_unit_test(an_alias_is_the_option_above_it),
        cmocka_unit_test(aliases_are_neither_shown_nor_suggested),
        cmocka_unit_test(the_largest_number_fits),
        cmocka_unit_test(edit_distance_counts_single_changes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
