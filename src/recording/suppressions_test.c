/* SPDX-License-Identifier: MIT
 *
 * suppressions_test.c: files of suppressions, what a pattern matches, which rule hides what, and what stays. That LeakSanitizer hides the
 * same is tests/record/leak_sanitizer_test.py's to show.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "fail_allocator.h"
#include "recording/recording_sites.h"
#include "recording/suppressions.h"
#include "small_recording.h"

static const char file[] = "# what we know of\n"
                           "\n"
                           "leak:parse\r\n"
                           " \tleak:^print$ \t\n"
                           "leak:nowhere\n"
                           "leak:main";

static ubi__suppressions rules_of(const char *text) {
    ubi__suppressions rules = { .allocator = ubi_allocator_default() };
    must(ubi__suppressions_add(&rules, ubi__text(text), "a.supp"));
    return rules;
}

static void patterns_match_as_those_of_leak_sanitizer(void **state) {
    static const struct {
        const char *pattern, *text;
        bool is_match;
    } cases[] = {
        { "", "anything", true },     { "", "", false },
        { "*", "", false },           { "*", "a", true },
        { "bc", "abcd", true },       { "^bc", "abcd", false },
        { "^ab", "abcd", true },      { "cd$", "abcd", true },
        { "bc$", "abcd", false },     { "^abcd$", "abcd", true },
        { "^abcd$", "abcde", false }, { "a*d", "abcd", true },
        { "d*a", "abcd", false },     { "^*cd", "abcd", true },
        { "ab*$", "abcd", true },     { "$", "abcd", false },
        { "*$", "abcd", true },       { "b**d", "abcd", true },
        { "ab$cd", "abcd", false },   { "cd$cd", "abcd", true }, /* what comes after the end does not count */
        { "b$", "abab", false }, /* found as early as possible, which is not at the end */
        { "a*b$", "abab", false },    { "^a", "ba", false },
        { "^", "a", true },           { "^$", "a", false },
        { "a^b", "a^b", true },       { "aa", "a", false },
        { "AB", "ab", false },        { "libfoo.so", "/usr/lib/libfoo.so.1", true },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (ubi__suppression_matches(ubi__text(cases[i].pattern), ubi__text(cases[i].text)) != cases[i].is_match)
            fail_msg("'%s' and '%s'", cases[i].pattern, cases[i].text);
}

static void a_file_has_rules_and_comments(void **state) {
    static const char *const patterns[] = { "parse", "^print$", "nowhere", "main" };
    ubi__suppressions rules = rules_of(file);
    (void)state;
    assert_int_equal(rules.rows.n, 4);
    for (size_t i = 0; i < 4; i++)
        assert_true(ubi__text_is(ubi__suppression_pattern(&rules, i), patterns[i]));
    must(ubi__suppressions_add(&rules, ubi__text("leak:"), "b.supp"));
    must(ubi__suppressions_add(&rules, ubi__text("leak:  a#b c"), "b.supp"));
    assert_int_equal(ubi__suppression_pattern(&rules, 4).len, 0);
    assert_true(ubi__text_is(ubi__suppression_pattern(&rules, 5), "  a#b c")); /* LeakSanitizer has these blanks, too */
    ubi__suppressions_fini(&rules);
}

static void assert_refused(ubi_text text, ubi_status status, const char *message) {
    ubi__suppressions rules = { .allocator = ubi_allocator_default() };
    assert_int_equal(ubi__suppressions_add(&rules, text, "a.supp"), status);
    assert_string_equal(ubi_error_message(), message);
    ubi__suppressions_fini(&rules);
}

static void other_files_are_refused_with_the_line(void **state) {
    static char text[UBI__SUPPRESSION_BYTES + 16];
    static char many[(UBI__SUPPRESSIONS_MOST + 1) * 7];
    (void)state;
    assert_refused(ubi__text("leak:a\n#\nrace:b\n"), UBI_EINVAL,
                   "a.supp, line 3: 'race:b' is no suppression: it does not begin with 'leak:'");
    assert_refused(ubi__text("leak :b"), UBI_EINVAL,
                   "a.supp, line 1: 'leak :b' is no suppression: it does not begin with 'leak:'");
    assert_refused(ubi__text("0123456789012345678901234567890123456789x"), UBI_EINVAL,
                   "a.supp, line 1: '0123456789012345678901234567890123456789...' is no suppression: it does not begin "
                   "with 'leak:'");
    assert_refused((ubi_text){ "leak:a\0b", 8 }, UBI_EINVAL, "a.supp, line 1 has a zero byte: it is not text");
    snprintf(text, sizeof text, "leak:%0*d", UBI__SUPPRESSION_BYTES + 1, 0);
    assert_refused(ubi__text(text), UBI_ELIMIT, "a.supp, line 1: the pattern has more than 4096 bytes");
    for (size_t i = 0; i <= UBI__SUPPRESSIONS_MOST; i++)
        memcpy(many + i * 7, "leak:a\n", 7);
    assert_refused((ubi_text){ many, sizeof many }, UBI_ELIMIT,
                   "a.supp, line 10001: there are more than 10000 suppressions");
}

/* Any end of the file is the end of a line, and one bit more or less is a rule, a comment, or a line that is refused. */
static void cut_and_damaged_files_are_read_or_refused(void **state) {
    char damaged[sizeof file];
    (void)state;
    for (size_t n = 0; n < sizeof file; n++) {
        ubi__suppressions rules = { .allocator = ubi_allocator_default() };
        ubi_status status = ubi__suppressions_add(&rules, (ubi_text){ file, n }, "a.supp");
        assert_true(status == UBI_OK || status == UBI_EINVAL);
        assert_true(rules.rows.n <= 4);
        ubi__suppressions_fini(&rules);
    }
    for (size_t bit = 0; bit < (sizeof file - 1) * 8; bit++) {
        ubi__suppressions rules = { .allocator = ubi_allocator_default() };
        memcpy(damaged, file, sizeof file);
        damaged[bit / 8] ^= (char)(1 << bit % 8);
        ubi_status status = ubi__suppressions_add(&rules, (ubi_text){ damaged, sizeof file - 1 }, "a.supp");
        assert_true(status == UBI_OK || (status == UBI_EINVAL && !strchr(ubi_error_message(), '\n')));
        ubi__suppressions_fini(&rules);
    }
}

typedef struct looked_at {
    ubi__recording_summary summary;
    ubi__sites sites;
} looked_at;

static void look(looked_at *l) {
    recording r;
    open_recording(&r, 1, 1);
    allocate(&r, r.heap, 100, stack(&r, "main parse"));
    allocate(&r, r.heap, 100, stack(&r, "main parse"));
    allocate(&r, r.heap, 7, stack(&r, "main print parse"));
    allocate(&r, r.heap, 30, stack(&r, "main print"));
    allocate(&r, r.heap, 2, stack(&r, "start"));
    allocate(&r, r.heap, 1, UBI__UBIREC_NO_TRACE);
    allocate(&r, r.mapping, 4096, stack(&r, "main print"));
    must(ubi__ubirec_write_free(r.w, allocate(&r, r.heap, 50, stack(&r, "main parse"))));
    close_recording(&r, &l->summary);
    must(ubi__sites_init(&l->sites, &l->summary, true, NULL));
    must(ubi__sites_sort(&l->sites, UBI__BY_LEAKED));
}

static void look_end(looked_at *l) {
    ubi__sites_fini(&l->sites);
    ubi__recording_summary_fini(&l->summary);
}

static void the_innermost_frame_decides_and_then_the_first_rule(void **state) {
    ubi__suppressions rules = rules_of(file);
    ubi__suppressed s;
    looked_at l;
    (void)state;
    look(&l);
    must(ubi__suppressed_init(&s, &rules, &l.summary, ubi_allocator_default()));
    assert_int_equal(s.n_used, 2);
    assert_int_equal(s.by_rule[0].samples, 3);
    assert_true(s.by_rule[0].bytes == 207);
    assert_true(s.by_rule[1].bytes == 30 + 4096);
    assert_int_equal(s.by_rule[2].samples + s.by_rule[3].samples, 0);
    assert_true(s.sums[UBI__UBIREC_HEAP].bytes == 237 && s.sums[UBI__UBIREC_MAPPING].bytes == 4096);
    ubi__suppressed_fini(&s);
    ubi__suppressions_fini(&rules);
    look_end(&l);
}

static ubi__estimate leaked_of(const ubi__sites *sites, ubi__measure measure) {
    ubi__estimate sum = { 0 };
    for (size_t i = 0; i < sites->rows.n; i++)
        if (sites->rows.at[i].of_class == UBI__UBIREC_HEAP)
            ubi__estimate_join(&sum, &sites->rows.at[i].by[measure]);
    return sum;
}

static void places_are_without_what_is_hidden_and_sums_are_not(void **state) {
    ubi__suppressions rules = rules_of(file);
    ubi__suppressed s;
    ubi__sites places;
    looked_at l;
    (void)state;
    look(&l);
    must(ubi__suppressed_init(&s, &rules, &l.summary, ubi_allocator_default()));
    must(ubi__sites_view_of(&places, &l.sites, &s.summary, UBI__BY_LEAKED, ubi_allocator_default()));
    assert_true(leaked_of(&l.sites, UBI__MEASURE_LEAKED).bytes == 240);
    assert_true(leaked_of(&places, UBI__MEASURE_LEAKED).bytes == 3);
    for (ubi__measure m = UBI__MEASURE_PEAK; m < UBI__MEASURE_COUNT; m++)
        assert_true(leaked_of(&places, m).bytes == leaked_of(&l.sites, m).bytes);
    assert_true(ubi__class_estimate(&s.summary, UBI__UBIREC_HEAP, UBI__MEASURE_LEAKED).bytes == 240);
    assert_int_equal(places.rows.at[0].by[UBI__MEASURE_LEAKED].bytes, 2);
    ubi__sites_fini(&places);
    ubi__suppressed_fini(&s);
    ubi__suppressions_fini(&rules);
    look_end(&l);
}

static void modules_and_source_files_match_too(void **state) {
    const ubi__ubirec_symbol symbol = { .function = ubi__text("f"), .file = ubi__text("src/inner.c"), .line = 3 };
    static const char *const found[] = { "libx.so$", "inner.c", "^f$", "<unknown module>" };
    recording r;
    looked_at l;
    uint32_t module, frame, trace;
    (void)state;
    open_recording(&r, 1, 1);
    must(ubi__ubirec_module(r.w, &module, &(ubi__ubirec_module_about){ .path = ubi__text("/lib/libx.so") }));
    must(ubi__ubirec_native_frame(r.w, &frame, module, 0x10));
    must(ubi__ubirec_write_symbols(r.w, frame, &symbol, 1));
    must(ubi__ubirec_trace(r.w, &trace, UBI__UBIREC_NO_TRACE, frame));
    allocate(&r, r.heap, 8, trace);
    must(ubi__ubirec_raw_frame(r.w, &frame, 0x1000));
    must(ubi__ubirec_trace(r.w, &trace, trace, frame));
    allocate(&r, r.heap, 8, trace);
    close_recording(&r, &l.summary);
    for (size_t i = 0; i < 4; i++) {
        char text[64];
        ubi__suppressed s;
        snprintf(text, sizeof text, "leak:%s", found[i]);
        ubi__suppressions rules = rules_of(text);
        must(ubi__suppressed_init(&s, &rules, &l.summary, ubi_allocator_default()));
        assert_int_equal(s.by_rule[0].samples, i < 3 ? 2 : 1);
        ubi__suppressed_fini(&s);
        ubi__suppressions_fini(&rules);
    }
    ubi__recording_summary_fini(&l.summary);
}

static ubi_status everything_make(void *payload, const ubi_allocator *allocator) {
    const looked_at *l = payload;
    ubi__suppressions rules = { .allocator = allocator };
    ubi__suppressed s;
    ubi__sites places;
    ubi_status status = ubi__suppressions_add(&rules, ubi__text(file), "a.supp");
    if (status == UBI_OK)
        status = ubi__suppressed_init(&s, &rules, &l->summary, allocator);
    if (status == UBI_OK) {
        status = ubi__sites_view_of(&places, &l->sites, &s.summary, UBI__BY_PEAK, allocator);
        if (status == UBI_OK)
            ubi__sites_fini(&places);
        ubi__suppressed_fini(&s);
    }
    ubi__suppressions_fini(&rules);
    return status;
}

static void without_memory_nothing_is_left(void **state) {
    looked_at l;
    (void)state;
    look(&l);
    assert_true(fail_each_allocation(everything_make, &l) > 7);
    look_end(&l);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patterns_match_as_those_of_leak_sanitizer),
        cmocka_unit_test(a_file_has_rules_and_comments),
        cmocka_unit_test(other_files_are_refused_with_the_line),
        cmocka_unit_test(cut_and_damaged_files_are_read_or_refused),
        cmocka_unit_test(the_innermost_frame_decides_and_then_the_first_rule),
        cmocka_unit_test(places_are_without_what_is_hidden_and_sums_are_not),
        cmocka_unit_test(modules_and_source_files_match_too),
        cmocka_unit_test(without_memory_nothing_is_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
