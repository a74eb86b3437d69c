/* SPDX-License-Identifier: MIT
 *
 * query_test.c: what expressions mean, by tables of expressions. The rows are drawn in tests/support/query_rows.h.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ubiheap/core/query.h>

#include "base/text.h"
#include "fail_allocator.h"
#include "query_rows.h"

typedef struct meaning {
    const char *expression, *rows;
} meaning;

/* The rows for which an expression holds, as "0 2 5"; borrowed until the next call. */
static const char *rows_of(const char *expression) {
    static char text[64];
    uint32_t found[UBI_QUERY_BLOCK];
    ubi_query *query;
    ubi_filter *filter;
    if (ubi_query_parse(&query, ubi__text(expression), query_rows_vocabulary, NULL) != UBI_OK)
        fail_msg("%s: %s", expression, ubi_error_message());
    ubi_query_source source = query_rows_source(query);
    assert_int_equal(ubi_filter_new(&filter, query, &source, NULL), UBI_OK);
    uint32_t n = ubi_filter_select(found, filter, 0, QUERY_ROWS);
    text[0] = 0;
    for (uint32_t i = 0; i < n; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%u", i ? " " : "", found[i]);
    ubi_filter_free(filter);
    ubi_query_free(query);
    return text;
}

static void assert_meanings(const meaning *list, size_t n) {
    for (size_t i = 0; i < n; i++) {
        const char *rows = rows_of(list[i].expression);
        if (strcmp(rows, list[i].rows) != 0)
            fail_msg("%s: expected rows %s, not %s", list[i].expression, list[i].rows, rows);
    }
}

#define ASSERT_MEANINGS(...)                                                                                           \
    do {                                                                                                               \
        static const meaning list[] = { __VA_ARGS__ };                                                                 \
        assert_meanings(list, sizeof list / sizeof *list);                                                             \
    } while (0)

static void numbers_compare_in_all_ways(void **state) {
    (void)state;
    ASSERT_MEANINGS({ "size == 1024", "1" }, { "size = 1024", "1" }, { "size != 1024", "0 2 3 4 5" },
                    { "size < 100", "4 5" }, { "size <= 100", "0 4 5" }, { "size > 1024", "2 3" },
                    { "size >= 1024", "1 2 3" }, { "1024 < size", "2 3" }, { "1024 <= size", "1 2 3" },
                    { "100 > size", "4 5" }, { "100 >= size", "0 4 5" }, { "1024 == size", "1" },
                    { "id < size * 1 / 1B", "0 4" }, { "maybe < delta", "2 4" }, { "maybe <= id", "1 2 4 5" },
                    { "id >= maybe", "1 2 4 5" }, { "id > maybe", "1 2 4" }, { "id == id", "0 1 2 3 4 5" });
}

static void large_numbers_are_exact(void **state) {
    (void)state;
    ASSERT_MEANINGS({ "id == 9007199254740992", "1" }, { "id == 9007199254740993", "2" },
                    { "id > 9007199254740992", "2 3" }, { "id == 18446744073709551615", "3" },
                    { "id >= 18446744073709551615", "3" }, { "id + 1 > 18446744073709551615", "3" },
                    { "id + 1 == 18446744073709551615 + 1", "3" }, { "id * id > 18446744073709551615", "1 2 3" },
                    { "id - 1 == 9007199254740992", "2" }, { "id / 1 == 9007199254740993", "2" },
                    { "id * 0.5 == 4503599627370496", "1 2" }, /* a fraction makes it a double */
                    { "id / 2 == 4503599627370496", "1 2" },   /* and so does a remainder */
                    { "id == 9007199254740993.0", "2" }, { "id > 0.5 * 18014398509481984", "2 3" },
                    { "id > 18446744073709551615 + 0.5", "" }, { "id * id * id * id > 1", "1 2 3 4 5" });
}

static void sizes_have_units(void **state) {
    (void)state;
    ASSERT_MEANINGS({ "size == 1KiB", "1" }, { "size > 1KiB", "2 3" }, { "size > 1 KiB and id > 0", "2 3" },
                    { "size > 1KB", "1 2 3" }, { "size == 0.5KiB - 412B", "0" }, { "size == 100B", "0" },
                    { "size > 15TiB", "3" }, { "size > 16000000TB", "3" }, { "size < 0.05KB", "5" },
                    { "size >= 0.05KB", "0 1 2 3 4" }, { "size < 1MiB", "0 1 2 4 5" }, { "size < 1GiB", "0 1 2 4 5" },
                    { "size > 18014398509481983 KiB", "3" }, { "size < 1MB and size < 1GB", "0 1 2 4 5" },
                    { "size > 0.0001KiB", "0 1 2 3 4" }, { "size / 1KiB == 1", "1" }, { "size / 1KiB > 1", "2 3" });
}

static void give_nanoseconds(void *payload, uint32_t value, uint32_t first, uint32_t n, uint64_t *magnitude,
                             uint8_t *state) {
    static const uint64_t took[] = { 0, 499, 1500, 20000000, UINT64_MAX };
    (void)payload, (void)value, (void)state;
    for (uint32_t i = 0; i < n; i++)
        magnitude[i] = took[first + i];
}

static bool give_two_seconds(void *payload, uint32_t value, uint64_t *out) {
    (void)payload, (void)value;
    *out = 2000000000;
    return true;
}

static unsigned count_durations(const char *expression) {
    static const ubi_query_name names[] = { { "took", "", UBI_QUERY_DURATION, UBI_QUERY_NO_ARGUMENT, false, true },
                                            { NULL, NULL, UBI_QUERY_BOOL, UBI_QUERY_NO_ARGUMENT, false, false } };
    const ubi_query_source source = { .numbers = give_nanoseconds, .basis = give_two_seconds };
    uint32_t found[UBI_QUERY_BLOCK];
    ubi_query *query;
    ubi_filter *filter;
    if (ubi_query_parse(&query, ubi__text(expression), names, NULL) != UBI_OK)
        fail_msg("%s: %s", expression, ubi_error_message());
    assert_int_equal(ubi_filter_new(&filter, query, &source, NULL), UBI_OK);
    unsigned n = ubi_filter_select(found, filter, 0, 5);
    ubi_filter_free(filter);
    ubi_query_free(query);
    return n;
}

static void durations_have_units(void **state) {
    static const struct {
        const char *expression;
        unsigned n;
    } list[] = { { "took >= 0", 5 },           { "took > 0s", 4 },          { "took == 499ns", 1 },
                 { "took > 499 ns", 3 },       { "took > 1us", 3 },         { "took == 1.5us", 1 },
                 { "took > 1.5", 2 },          { "took == 20ms", 1 },       { "took == 20000", 1 },
                 { "took >= 0.02s", 2 },       { "took > 19.999999ms", 2 }, { "took > 20.000001ms", 1 },
                 { "took > 18446744073s", 1 }, { "took / 1ms == 20", 1 },   { "took - 1500ns == 0us", 1 },
                 { "took >= 1%", 2 },          { "took > 1%", 1 },          { "took < 1%", 3 } };
    (void)state;
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (count_durations(list[i].expression) != list[i].n)
            fail_msg("%s holds for %u rows, not %u", list[i].expression, count_durations(list[i].expression),
                     list[i].n);
}

static void shares_refer_to_their_basis(void **state) {
    (void)state;
    ASSERT_MEANINGS({ "size > 10%", "1 2 3" }, { "size >= 10%", "0 1 2 3" }, { "size < 10%", "4 5" },
                    { "size <= 10%", "0 4 5" }, { "10% < size", "1 2 3" }, { "10% <= size", "0 1 2 3" },
                    { "10% > size", "4 5" }, { "10% >= size", "0 4 5" }, { "size > 102.45%", "2 3" },
                    { "size >= 102.45%", "2 3" }, { "size < 102.45%", "0 1 4 5" }, { "size <= 102.45%", "0 1 4 5" },
                    { "delta > 5%", "3 4" }, { "delta >= 5%", "2 3 4" }, { "delta < -5 %", "0" },
                    { "delta <= -0.5%", "0 5" }, { "delta < -0.4%", "0 5" }, { "delta > -0.6%", "1 2 3 4 5" },
                    { "delta > 5.4%", "3 4" }, { "size > 0%", "0 1 2 3 4" });
}

static void texts_compare_by_bytes(void **state) {
    (void)state;
    ASSERT_MEANINGS({ "name == 'Array'", "0 3" }, { "name == \"Array\"", "0 3" }, { "name != 'Array'", "1 2 4 5" },
                    { "name < 'B'", "0 3 5" }, { "name > 'Array'", "1 4" }, { "name >= 'Map'", "1 4" },
                    { "name <= ''", "5" }, { "'Array' == name", "0 3" }, { "alias == name", "3 5" },
                    { "name contains 'a'", "0 1 3" }, { "name contains ''", "0 1 3 4 5" },
                    { "name startswith 'Arr'", "0 3" }, { "name startswith 'Arrays'", "" },
                    { "name endswith 'p'", "1" }, { "name endswith 'XMap'", "" }, { "alias contains name", "3 5" },
                    { "'Arrays' contains name", "0 3 5" });
}

static void texts_have_escapes(void **state) {
    (void)state;
    ASSERT_MEANINGS({ "name == '\\u00e9t\\xe9\\n'", "4" }, { "name == \"\\u{e9}t\\u{0000E9}\\n\"", "4" },
                    { "name == '\u00e9t\u00e9\n'", "4" }, { "'\\'\"\\\"\\\\' == \"'\\\"\\\"\\\\\"", "0 1 2 3 4 5" },
                    { "'\\t\\r' == '\\x09\\x0D'", "0 1 2 3 4 5" });
}

static void patterns_match_anywhere(void **state) {
    (void)state;
    ASSERT_MEANINGS({ "name ~ /rr/", "0 3" }, { "name ~ '^M.p$'", "1" }, { "name !~ /a/", "2 4 5" },
                    { "name ~ \"^\\w+$\"", "0 1 3" }, { "alias ~ /^[a-c]$/", "0 4" }, { "name ~ /\\u00e9/", "4" },
                    { "not name ~ /a/", "2 4 5" }, { "'a/b' ~ /a\\/b/ and flag", "0 2 4" },
                    { "name ~ /rr/ and alias ~ /rr/", "3" });
}

static void a_missing_value_equals_null_and_nothing_else(void **state) {
    (void)state;
    ASSERT_MEANINGS({ "name == null", "2" }, { "name != null", "0 1 3 4 5" }, { "null == maybe", "0 3" },
                    { "maybe != null", "1 2 4 5" }, { "maybe == 0", "4" }, { "maybe != 0", "0 1 2 3 5" },
                    { "maybe < 100", "1 2 4 5" }, { "not maybe < 100", "0 3" }, { "maybe >= 0", "1 2 4 5" },
                    { "maybe + 1 == null", "0 3" }, { "-maybe == null", "0 3" }, { "maybe == maybe", "0 1 2 3 4 5" },
                    { "id / maybe == null", "0 3 4" }, { "alias ~ /./", "0 2 3 4" }, { "alias !~ /./", "1 5" },
                    { "alias contains ''", "0 2 3 4 5" }, { "alias == name", "3 5" }, { "flag == null", "" },
                    { "null == null", "0 1 2 3 4 5" }, { "1 / 0 == null", "0 1 2 3 4 5" }, { "1 / 0 > 0", "" });
}

static void conditions_join(void **state) {
    (void)state;
    ASSERT_MEANINGS({ "flag", "0 2 4" }, { "not flag", "1 3 5" }, { "!flag", "1 3 5" }, { "flag == true", "0 2 4" },
                    { "flag == false", "1 3 5" }, { "true", "0 1 2 3 4 5" }, { "false", "" },
                    { "flag and size > 60", "0 2" }, { "flag && size > 60", "0 2" }, { "flag or size == 0", "0 2 4 5" },
                    { "flag || size == 0", "0 2 4 5" }, { "flag AND NOT size > 60 Or id == 7", "4 5" },
                    { "id == 1 or id == 7 and flag", "0" }, { "(id == 1 or id == 7) and flag", "0" },
                    { "id == 7 or id == 1 and not flag", "5" }, { "not id == 1 and flag", "2 4" },
                    { "not (id == 1 and flag)", "1 2 3 4 5" }, { "not not flag", "0 2 4" },
                    { "false and flag or id == 42", "4" }, { "true or flag and id == 42", "0 1 2 3 4 5" },
                    { "flag == (size > 60)", "0 2 5" }, { "name == 'Array' and size > 1KiB", "3" },
                    { "name == 'Array' or name == 'Map' and flag", "0 3" }, { "name == 'Set' and id / maybe > 0", "" },
                    { "name == null or rank > 2", "2 4 5" });
}

static void arithmetic_binds_as_usual(void **state) {
    (void)state;
    ASSERT_MEANINGS(
        { "1 + 2 * 3 == 7 and flag", "0 2 4" }, { "(1 + 2) * 3 == 9", "0 1 2 3 4 5" },
        { "10 - 4 - 3 == 3", "0 1 2 3 4 5" }, { "24 / 4 / 2 == 3", "0 1 2 3 4 5" }, { "2 - -3 == 5", "0 1 2 3 4 5" },
        { "--2 == 2", "0 1 2 3 4 5" }, { "-delta == 50", "0" }, { "delta == -50", "0" }, { "delta < 0", "0 5" },
        { "delta + 50 == 0", "0" }, { "7 / 2 == 3.5", "0 1 2 3 4 5" }, { "0.1 == 1 / 10", "0 1 2 3 4 5" },
        { "size > 2 * 500B + 24B", "2 3" }, { "maybe * 2 == delta + 2", "2" }, { "delta > 1.5", "2 3 4" },
        { "delta < -1.5", "0" }, { "-1.5 > delta", "0" }, { "delta >= -1", "1 2 3 4 5" }, { "size - 50B < 1B", "4 5" });
}

static void names_may_have_an_argument(void **state) {
    (void)state;
    ASSERT_MEANINGS({ "length(Map) == 3", "0 1 2 3 4 5" }, { "length(js::PropMap) == 11", "0 1 2 3 4 5" },
                    { "length( #document ) == 9", "0 1 2 3 4 5" },
                    { "length(\"My (own) Class\") == 14", "0 1 2 3 4 5" }, { "length ( 'a' ) == 1", "0 1 2 3 4 5" },
                    { "length('\\u00e9') == 2", "0 1 2 3 4 5" }, { "length('') == 0", "0 1 2 3 4 5" },
                    { "length(a/b-c.js) == 8", "0 1 2 3 4 5" }, { "retainedSize(Map) == retainedSize", "0 1 2 3 4 5" });
}

/* ---- mistakes --------------------------------------------------------------------------------------------------- */

static void assert_refused(const char *expression, const char *message) {
    ubi_query *query = NULL;
    if (ubi_query_parse(&query, ubi__text(expression), query_rows_vocabulary, NULL) != UBI_EINVAL)
        fail_msg("accepted: %s", expression);
    if (strcmp(ubi_error_message(), message) != 0)
        fail_msg("%s\n  expected: %s\n  got:      %s", expression, message, ubi_error_message());
    assert_null(query);
}

static void misspelt_names_get_a_suggestion(void **state) {
    (void)state;
    assert_refused("retaind > 1", "unknown name 'retaind' at character 1; did you mean 'retainedSize'?");
    assert_refused("id == 1 and (sise > 1)", "unknown name 'sise' at character 14; did you mean 'size'?");
    assert_refused("name == Array", "unknown name 'Array' at character 9; put a text in quotes");
    assert_refused("size > 1Mib", "unknown unit 'Mib' at character 9; did you mean MiB?");
    assert_refused("size > 1kib", "unknown unit 'kib' at character 9; did you mean KiB?");
    assert_refused("size > 1bananas", "unknown unit 'bananas' at character 9");
    assert_refused("size > 1MS", "unknown unit 'MS' at character 9; did you mean ms?");
}

static void mistakes_of_form_are_placed(void **state) {
    (void)state;
    assert_refused("", "the expression is empty");
    assert_refused("  ", "the expression is empty");
    assert_refused("id ==", "a value is missing at character 6");
    assert_refused("id == and", "a value is missing before 'and' at character 7");
    assert_refused("id == )", "a value is missing before ')' at character 7");
    assert_refused("id 5", "expected an operator, not '5' at character 4");
    assert_refused("id 5\nKB", "expected an operator, not '5' at character 4");
    assert_refused("id 'x'", "expected an operator before the text at character 4");
    assert_refused("name ~ /a/ name", "expected an operator, not 'name' at character 12");
    assert_refused("(id == 1", "a ( that is never closed at character 1");
    assert_refused("id == 1)", "a ) without ( at character 8");
    assert_refused("1 < id < 3", "comparisons do not chain at character 8; join them with 'and'");
    assert_refused("name == 'x", "missing the closing ' of the text that begins at character 9");
    assert_refused("name == '\u00e9\\q'", "unknown escape at character 11; a backslash itself is written \\\\");
    assert_refused("name == '\\x4'", "expected a hexadecimal digit at character 13");
    assert_refused("name == '\\u{110000}'", "expected a character in hexadecimal digits and braces at character 12");
    assert_refused("id & 1", "expected && or || at character 4");
    assert_refused("id # 1", "unexpected '#' at character 4");
    assert_refused("id == 18446744073709551616", "a number too large for 64 bits at character 7");
    assert_refused("id == 1234567890123456789.5", "a number with more than 18 digits at character 7");
    assert_refused("id == 0.0000000000000000000", "a number with more than 18 digits behind the point at character 7");
    assert_refused("name == '\xff'", "a byte that is not UTF-8 at character 10");
}

static void mistakes_of_type_are_found_while_parsing(void **state) {
    (void)state;
    assert_refused("size > 'x'", "'>' does not take a size and a text at character 6");
    assert_refused("name == 5", "'==' does not take a text and a number at character 6");
    assert_refused("id > 1KiB", "'>' does not take a number and a size at character 4");
    assert_refused("size + id > 1", "'+' does not take a size and a number at character 6");
    assert_refused("size * size > 1", "'*' does not take a size and a size at character 6");
    assert_refused("name + 1 > 1", "'+' needs numbers, not a text at character 6");
    assert_refused("-name > 1", "'-' needs numbers, not a text at character 1");
    assert_refused("flag > false", "'>' does not take a condition and a condition at character 6");
    assert_refused("id < null", "'<' needs two values, not null at character 4");
    assert_refused("id and flag", "'and' needs conditions, not a number at character 4");
    assert_refused("not size", "'not' needs a condition, not a size at character 1");
    assert_refused("id contains 'x'", "'contains' needs texts, not a number at character 4");
    assert_refused("id ~ /x/", "'~' needs a text, not a number at character 4");
    assert_refused("size", "expected a condition, not a size at character 1; compare it with something");
    assert_refused("'x'", "expected a condition, not a text at character 1; compare it with something");
}

static void mistakes_with_arguments_are_found(void **state) {
    (void)state;
    assert_refused("length > 1", "missing text in parentheses at character 1; write length(Array)");
    assert_refused("id(x) > 1", "id takes nothing in parentheses at character 3");
    assert_refused("length() > 1", "expected a text at character 8");
    assert_refused("length(My Class) > 1",
                   "expected the ) of length(...) at character 11; put a text with spaces or signs in quotes");
    assert_refused("length(Map > 1",
                   "expected the ) of length(...) at character 12; put a text with spaces or signs in quotes");
}

static void mistakes_with_shares_are_found(void **state) {
    (void)state;
    assert_refused("size == 5%", "unexpected share at character 9; it is compared with <, <=, > or >=, not with '=='");
    assert_refused("id > 5%", "unexpected share at character 6; id is no part of a whole");
    assert_refused("size + 1 > 5%", "unexpected share at character 12; it is compared with a single value");
    assert_refused("5% < 6%", "unexpected share at character 6; it is compared with a single value");
    assert_refused("5%", "expected a condition, not a share at character 1; compare it with something");
}

static void mistakes_in_patterns_are_placed(void **state) {
    (void)state;
    assert_refused("name ~ Array", "expected a pattern at character 8; write it as /.../ or in quotes");
    assert_refused("name ~ /a(b/", "a ( that is never closed at character 10");
    assert_refused("name ~ /a", "missing the closing / of the text that begins at character 8");
    assert_refused("name ~ '(a)\\1'", "there are no references to groups at character 12");
}

/* ---- limits ----------------------------------------------------------------------------------------------------- */

/* `prefix` n times, then `rest`, then `suffix` n times; free it. */
static char *repeated(const char *prefix, size_t n, const char *rest, const char *suffix) {
    char *out = calloc(1, n * (strlen(prefix) + strlen(suffix)) + strlen(rest) + 1), *at = out;
    for (size_t i = 0; i < n; i++)
        at = stpcpy(at, prefix);
    at = stpcpy(at, rest);
    for (size_t i = 0; i < n; i++)
        at = stpcpy(at, suffix);
    return out;
}

static void nesting_has_a_limit(void **state) {
    (void)state;
    char *deepest = repeated("(", UBI_QUERY_MAX_DEPTH, "flag", ")");
    char *deeper = repeated("(", UBI_QUERY_MAX_DEPTH + 1, "flag", ")");
    char *signs = repeated("- ", 20000, "id == 1", "");
    char *pending = repeated("flag or flag and 1 == 1 + 1 * (", UBI_QUERY_MAX_DEPTH, "1", ")");
    assert_string_equal(rows_of(deepest), "0 2 4");
    assert_refused(deeper, "nested deeper than 64 levels at character 65");
    assert_refused(signs, "nested deeper than 64 levels at character 129");
    assert_refused(pending, "'*' needs numbers, not a condition at character 1951");
    free(deepest), free(deeper), free(signs), free(pending);
}

static void long_chains_are_fine_and_length_has_a_limit(void **state) {
    (void)state;
    char *chain = repeated("id == 1 or ", 5000, "name == 'Map'", "");
    char *sum = repeated("1 + ", 10000, "id > 10001", "");
    char *longer = repeated(" ", UBI_QUERY_MAX_BYTES, "flag", "");
    assert_string_equal(rows_of(chain), "0 1");
    assert_string_equal(rows_of(sum), "1 2 3 4 5");
    assert_refused(longer, "the expression is longer than 65536 bytes");
    free(chain), free(sum), free(longer);
}

/* ---- values ----------------------------------------------------------------------------------------------------- */

static void values_are_reported_once_each(void **state) {
    (void)state;
    ubi_query *query;
    ubi_text text = ubi__text("size > 1 and size > 5% or length(a) > length('a') or length(b) > 1 or 1 > 2");
    assert_int_equal(ubi_query_parse(&query, text, query_rows_vocabulary, NULL), UBI_OK);
    assert_int_equal(ubi_query_value_count(query), 3);
    ubi_query_value size = ubi_query_value_at(query, 0), b = ubi_query_value_at(query, 2);
    assert_string_equal(size.name->name, "size");
    assert_null(size.argument.ptr);
    assert_true(size.needs_basis);
    assert_true(ubi__text_is(b.argument, "b"));
    assert_false(b.needs_basis);
    ubi_query_free(query);
}

/* A word without quotes is the name's own, a text in quotes is not. */
static void quotes_report_words_from_texts(void **state) {
    (void)state;
    static const ubi_query_name names[] = {
        { "leaked", "", UBI_QUERY_NUMBER, UBI_QUERY_MAY_HAVE_WORD, false, false },
        { "count", "", UBI_QUERY_NUMBER, UBI_QUERY_MAY_HAVE_ARGUMENT, false, false },
        { NULL, NULL, UBI_QUERY_BOOL, UBI_QUERY_NO_ARGUMENT, false, false },
    };
    ubi_query *query;
    ubi_text text =
        ubi__text("leaked(steady) > 1 and leaked('steady') > 1 and leaked(\"steady\") < 9 and leaked > 1 and "
                  "count(a) > 1 and count('a') > 2");
    assert_int_equal(ubi_query_parse(&query, text, names, NULL), UBI_OK);
    assert_int_equal(ubi_query_value_count(query), 4);
    assert_false(ubi_query_value_at(query, 0).is_quoted);
    assert_true(ubi_query_value_at(query, 1).is_quoted);
    assert_true(ubi__text_is(ubi_query_value_at(query, 1).argument, "steady"));
    assert_null(ubi_query_value_at(query, 2).argument.ptr);
    assert_false(ubi_query_value_at(query, 3).is_quoted);
    ubi_query_free(query);
}

static void rows_need_not_begin_at_0_nor_fill_a_block(void **state) {
    (void)state;
    uint32_t found[UBI_QUERY_BLOCK];
    ubi_query *query;
    ubi_filter *filter;
    assert_int_equal(ubi_query_parse(&query, ubi__text("size == 50 or name == 'Map'"), query_rows_vocabulary, NULL),
                     UBI_OK);
    ubi_query_source source = query_rows_source(query);
    assert_int_equal(ubi_filter_new(&filter, query, &source, NULL), UBI_OK);
    assert_int_equal(ubi_filter_select(found, filter, 0, 0), 0);
    assert_int_equal(ubi_filter_select(found, filter, 5, 3), 1);
    assert_int_equal(found[0], 7);
    assert_int_equal(ubi_filter_select(found, filter, 6000, UBI_QUERY_BLOCK), 2 * (UBI_QUERY_BLOCK / 6) + 1);
    assert_int_equal(found[0], 6001);
    assert_int_equal(found[1], 6004);
    ubi_filter_free(filter);
    ubi_query_free(query);
}

/* ---- memory ----------------------------------------------------------------------------------------------------- */

static ubi_status parse_and_filter(void *payload, const ubi_allocator *allocator) {
    (void)payload;
    ubi_text text = ubi__text("name ~ /^[AM]a{2,3}(x|y)+/ or length('x y') + 1 > 2 * size / 1B or size > 5% and "
                              "alias == '\\n' or not (flag and id < maybe)");
    ubi_query *query;
    ubi_filter *filter;
    uint32_t found[QUERY_ROWS];
    ubi_status status = ubi_query_parse(&query, text, query_rows_vocabulary, allocator);
    if (status != UBI_OK)
        return status;
    ubi_query_source source = query_rows_source(query);
    status = ubi_filter_new(&filter, query, &source, allocator);
    if (status == UBI_OK) {
        assert_int_equal(ubi_filter_select(found, filter, 0, QUERY_ROWS), 6);
        ubi_filter_free(filter);
    }
    ubi_query_free(query);
    return status;
}

static void every_failed_allocation_is_reported(void **state) {
    (void)state;
    fail_each_allocation(parse_and_filter, NULL);
}

static void nothing_is_left_behind_by_mistakes(void **state) {
    (void)state;
    static const char *const wrong[] = { "name ~ /a(/", "length('x') > 'y'", "size > 5% and", "'x", "1 + 2 > 3 )" };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        ubi_query *query;
        fail_allocator f;
        fail_allocator_init(&f, FAIL_ALLOCATOR_NEVER);
        assert_int_equal(ubi_query_parse(&query, ubi__text(wrong[i]), query_rows_vocabulary, &f.allocator), UBI_EINVAL);
        fail_allocator_fini(&f);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_compare_in_all_ways),
        cmocka_unit_test(large_numbers_are_exact),
        cmocka_unit_test(sizes_have_units),
        cmocka_unit_test(durations_have_units),
        cmocka_unit_test(shares_refer_to_their_basis),
        cmocka_unit_test(texts_compare_by_bytes),
        cmocka_unit_test(texts_have_escapes),
        cmocka_unit_test(patterns_match_anywhere),
        cmocka_unit_test(a_missing_value_equals_null_and_nothing_else),
        cmocka_unit_test(conditions_join),
        cmocka_unit_test(arithmetic_binds_as_usual),
        cmocka_unit_test(names_may_have_an_argument),
        cmocka_unit_test(misspelt_names_get_a_suggestion),
        cmocka_unit_test(mistakes_of_form_are_placed),
        cmocka_unit_test(mistakes_of_type_are_found_while_parsing),
        cmocka_unit_test(mistakes_with_arguments_are_found),
        cmocka_unit_test(mistakes_with_shares_are_found),
        cmocka_unit_test(mistakes_in_patterns_are_placed),
        cmocka_unit_test(nesting_has_a_limit),
        cmocka_unit_test(long_chains_are_fine_and_length_has_a_limit),
        cmocka_unit_test(values_are_reported_once_each),
        cmocka_unit_test(quotes_report_words_from_texts),
        cmocka_unit_test(rows_need_not_begin_at_0_nor_fill_a_block),
        cmocka_unit_test(every_failed_allocation_is_reported),
        cmocka_unit_test(nothing_is_left_behind_by_mistakes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
