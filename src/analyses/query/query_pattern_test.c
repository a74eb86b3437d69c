/* SPDX-License-Identifier: MIT
 *
 * query_pattern_test.c: patterns, by hand and against the C library's regular expressions.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyses/query/query_pattern.h"
#include "base/status.h"
#include "base/text.h"
#include "fail_allocator.h"
#include "random_numbers.h"

static bool matches_bytes(const char *source, ubi_text text) {
    ubi__pattern *pattern;
    ubi__matcher matcher;
    size_t at;
    const char *problem;
    if (ubi__pattern_new(&pattern, ubi__text(source), ubi_allocator_default(), &at, &problem) != UBI_OK)
        fail_msg("%s: %s at %zu", source, problem, at);
    assert_int_equal(ubi__matcher_init(&matcher, ubi__pattern_state_count(pattern), ubi_allocator_default()), UBI_OK);
    bool found = ubi__pattern_matches(pattern, &matcher, text);
    assert_true(ubi__pattern_matches(pattern, &matcher, text) == found); /* nothing is left of the first time */
    ubi__matcher_fini(&matcher, ubi_allocator_default());
    ubi__pattern_free(pattern);
    return found;
}

/* Both lists are texts separated by spaces; "-" is the empty text. */
static void check(const char *pattern, const char *list, bool expected) {
    char words[256], *rest = words, *word;
    snprintf(words, sizeof words, "%s", list);
    while ((word = strsep(&rest, " ")))
        if (*word && matches_bytes(pattern, ubi__text(strcmp(word, "-") == 0 ? "" : word)) != expected)
            fail_msg("/%s/ %s '%s'", pattern, expected ? "does not match" : "matches", word);
}

static void assert_matches(const char *pattern, const char *these, const char *not_these) {
    check(pattern, these, true);
    check(pattern, not_these, false);
}

static void characters_stand_for_themselves(void **state) {
    (void)state;
    assert_matches("", "- a", "");
    assert_matches("abc", "abc xabcx aabc", "ab- abd - ABC");
    assert_matches("a.c", "abc a.c a\u00e9c", "ac abbc");
    assert_matches("a\\.c", "a.c", "abc");
    assert_matches("\\(\\[\\*\\]\\)\\/\\\\", "([*])/\\", "(*)/\\");
    assert_matches("\\x41\\u0042\\u{43}", "ABC", "abc");
    assert_matches("\u00e9", "caf\u00e9", "cafe");
    assert_matches("]}", "a]}", "]");
}

static void anchors_tie_to_both_ends(void **state) {
    (void)state;
    assert_matches("^ab", "ab abc", "xab b");
    assert_matches("ab$", "ab xab", "abc");
    assert_matches("^$", "-", "a");
    assert_matches("^a|b$", "ax xb a b", "xa bx -");
    assert_matches("\\bcat\\b", "cat a.cat.b cat.", "cats concat scatter");
    assert_matches("\\Bcat", "concat", "cat a.cat");
}

static void repetitions_repeat_what_is_before_them(void **state) {
    (void)state;
    assert_matches("^ab*c$", "ac abc abbbc", "abb c");
    assert_matches("^ab+c$", "abc abbc", "ac");
    assert_matches("^ab?c$", "ac abc", "abbc");
    assert_matches("^(ab)*$", "- ab abab", "aba b");
    assert_matches("^a{3}$", "aaa", "aa aaaa -");
    assert_matches("^a{2,}$", "aa aaa aaaaaa", "a -");
    assert_matches("^a{0,2}$", "- a aa", "aaa");
    assert_matches("^a{1,3}b$", "ab aab aaab", "b aaaab");
    assert_matches("^xa{0}y$", "xy", "xay");
    assert_matches("^(a|bc){2}$", "aa abc bca bcbc", "a bc aaa");
    assert_matches("^(a{2}){3}$", "aaaaaa", "aaaaa aaaaaaa");
    assert_matches("^(a*)*b$", "b aab", "a");
    assert_matches("^(|a)+b$", "b ab aaab", "a");
    assert_matches("^.*?b$", "b aab", "a");
}

static void alternatives_may_be_nested_and_empty(void **state) {
    (void)state;
    assert_matches("^(a|b|cd)$", "a b cd", "c d ab");
    assert_matches("^(a|)b$", "ab b", "a");
    assert_matches("^(?:a(b|c(d|e))|f)$", "ab acd ace f", "ac a af");
    assert_matches("^(|)$", "-", "a");
}

static void sets_hold_ranges_and_escapes(void **state) {
    (void)state;
    assert_matches("^[abc]$", "a b c", "d - ab");
    assert_matches("^[^abc]$", "d \u00e9", "a -");
    assert_matches("^[a-cx-z]$", "a c x z", "d w");
    assert_matches("^[-a]$", "a", "b");
    assert_true(matches_bytes("^[-a]$", ubi__text("-")));
    assert_matches("^[a-]$", "a", "b");
    assert_matches("^[\\]\\-\\\\^]$", "] \\ ^", "a");
    assert_matches("^[\\d_]+$", "1_2", "1a");
    assert_matches("^\\d\\D\\w\\W$", "1a_. 2_z-", "aa_. 1a__");
    assert_matches("^[\u0430-\u044f]+$", "\u043a\u043e\u0442", "cat");
    assert_true(matches_bytes("^a\\sb\\S$", ubi__text("a\tbc")));
}

static void bytes_that_are_no_text_are_single_characters(void **state) {
    (void)state;
    assert_true(matches_bytes("^a.b$", (ubi_text){ "a\xff"
                                                   "b",
                                                   3 }));
    assert_true(matches_bytes("^a[^x]b$", (ubi_text){ "a\x80"
                                                      "b",
                                                      3 }));
    assert_false(matches_bytes("\\xff", (ubi_text){ "\xff", 1 }));
    assert_true(matches_bytes("^a\\0b$", (ubi_text){ "a\0b", 3 }));
    assert_true(matches_bytes("\\ud800", (ubi_text){ "\xed\xa0\x80", 3 }));
}

static void assert_refused(const char *source, const char *expected, size_t expected_at) {
    ubi__pattern *pattern = NULL;
    size_t at = 0;
    const char *problem = "";
    assert_int_equal(ubi__pattern_new(&pattern, ubi__text(source), ubi_allocator_default(), &at, &problem), UBI_EINVAL);
    assert_string_equal(problem, expected);
    assert_int_equal(at, expected_at);
    assert_null(pattern);
}

static void mistakes_are_placed(void **state) {
    (void)state;
    assert_refused("ab(c", "a ( that is never closed", 2);
    assert_refused("ab)", "a ) without (", 2);
    assert_refused("*a", "nothing to repeat", 0);
    assert_refused("a|+", "nothing to repeat", 2);
    assert_refused("^*", "nothing to repeat", 1);
    assert_refused("a{2", "expected repetitions as {2}, {2,} or {2,5}", 1);
    assert_refused("a{3,2}", "expected repetitions as {2}, {2,} or {2,5}", 1);
    assert_refused("a{x}", "expected a number of repetitions", 2);
    assert_refused("a{1001}", "more than 1000 repetitions", 2);
    assert_refused("a{1000}{1000}", "the pattern is too large", 0);
    assert_refused("[a", "a set that is never closed", 0);
    assert_refused("x[]a]", "an empty set; a bracket in a set is written \\]", 1);
    assert_refused("[b-a]", "a range that goes backwards or has no end", 1);
    assert_refused("[\\b]", "this escape cannot be in a set", 1);
    assert_refused("[[:alpha:]]", "there are no [:classes:]; write \\d, \\w, \\s or ranges", 1);
    assert_refused("(a)\\1", "there are no references to groups", 3);
    assert_refused("(?=a)", "of the groups that begin with (? there is only (?:", 0);
    assert_refused("\\q", "unknown escape", 0);
    assert_refused("a\\", "a backslash at the end of the pattern", 1);
    assert_refused("\\x4", "expected a hexadecimal digit", 3);
    assert_refused("\\u{}", "expected one to six hexadecimal digits in braces", 2);
    assert_refused("\\u{110000}", "no such character", 2);
}

static void hostile_patterns_and_texts_end(void **state) {
    (void)state;
    static char text[200001], deep[4001];
    memset(text, 'a', sizeof text - 1);
    assert_false(matches_bytes("^(a*)*(a|aa)+(a|a)*b$", ubi__text(text)));
    assert_false(matches_bytes("(a?){50}a{50}b", (ubi_text){ text, 5000 }));
    assert_true(matches_bytes("(x+x+)+y|a$", ubi__text(text)));
    memset(deep, '(', sizeof deep - 1);
    assert_refused(deep, "groups are nested too deeply", 64);
}

/* ---- against the C library -------------------------------------------------------------------------------------- */

/* A pattern of what both understand, at most `depth` deep. */
static void draw_pattern(char *out, size_t size, unsigned depth) {
    static const char *const atoms[] = { "a", "b", ".", "[ab]", "[^a]", "c", "[a-c]" };
    static const char *const repetitions[] = { "", "", "", "", "*", "+", "?", "{2}", "{1,2}", "{0,3}", "{2,}" };
    for (unsigned i = 0, n = 1 + random_below(3); i < n; i++) {
        char inner[400] = "";
        size_t used = strlen(out);
        if (depth && random_below(3) == 0) {
            draw_pattern(inner, sizeof inner, depth - 1);
            snprintf(out + used, size - used, "(%s%s", inner, random_below(2) ? "|" : "");
            if (out[strlen(out) - 1] == '|')
                draw_pattern(out, size, depth - 1);
            used = strlen(out);
            snprintf(out + used, size - used, ")");
        } else {
            snprintf(out + used, size - used, "%s", atoms[random_below(sizeof atoms / sizeof *atoms)]);
        }
        used = strlen(out);
        snprintf(out + used, size - used, "%s", repetitions[random_below(sizeof repetitions / sizeof *repetitions)]);
    }
}

static void compare_with_library(const char *source) {
    regex_t library;
    assert_int_equal(regcomp(&library, source, REG_EXTENDED | REG_NOSUB), 0);
    for (int i = 0; i < 20; i++) {
        char text[16] = "";
        for (uint32_t k = 0, n = random_below(10); k < n; k++)
            text[k] = (char)('a' + random_below(3)), text[k + 1] = 0;
        if (matches_bytes(source, ubi__text(text)) != (regexec(&library, text, 0, NULL, 0) == 0))
            fail_msg("/%s/ on '%s'", source, text);
    }
    regfree(&library);
}

static void random_patterns_match_what_the_c_library_matches(void **state) {
    (void)state;
    random_start(1);
    int n = (int)random_cases(getenv("UBI_DEEP") ? 100000 : 3000);
    for (int i = 0; i < n; i++) {
        char source[900] = "", drawn[800] = "";
        draw_pattern(drawn, sizeof drawn, 2);
        if (strlen(drawn) < sizeof drawn - 1) {
            snprintf(source, sizeof source, "%s%s%s", random_below(2) ? "^" : "", drawn, random_below(2) ? "$" : "");
            compare_with_library(source);
        }
    }
}

static ubi_status compile(void *payload, const ubi_allocator *allocator) {
    (void)payload;
    ubi__pattern *pattern;
    size_t at;
    const char *problem;
    UBI_TRY(ubi__pattern_new(&pattern, ubi__text("(a|[b-d]\\w){3,9}x*"), allocator, &at, &problem));
    ubi__pattern_free(pattern);
    return UBI_OK;
}

static void every_failed_allocation_is_reported(void **state) {
    (void)state;
    fail_each_allocation(compile, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(characters_stand_for_themselves),
        cmocka_unit_test(anchors_tie_to_both_ends),
        cmocka_unit_test(repetitions_repeat_what_is_before_them),
        cmocka_unit_test(alternatives_may_be_nested_and_empty),
        cmocka_unit_test(sets_hold_ranges_and_escapes),
        cmocka_unit_test(bytes_that_are_no_text_are_single_characters),
        cmocka_unit_test(mistakes_are_placed),
        cmocka_unit_test(hostile_patterns_and_texts_end),
        cmocka_unit_test(random_patterns_match_what_the_c_library_matches),
        cmocka_unit_test(every_failed_allocation_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
