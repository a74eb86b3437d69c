/* SPDX-License-Identifier: MIT
 *
 * demangle_test.c: names of C, C++ and Rust, what compilers append, and names made to do harm.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "symbolize/demangle.h"

static void becomes(const char *name, const char *plain) {
    char out[512];
    size_t n;
    ubi__demangle(out, sizeof out, &n, ubi__text(name));
    assert_string_equal(out, plain);
    assert_int_equal(n, strlen(plain));
}

static void names_of_c_stay_as_they_are(void **state) {
    (void)state;
    becomes("main", "main");
    becomes("_Z", "_Z");
    becomes("_Zebra", "_Zebra");
    becomes("", "");
    becomes("main.init", "main.init"); /* of Go */
    becomes(".L1", ".L1");
}

static void names_of_cxx_are_unfolded_with_their_parameters(void **state) {
    (void)state;
    becomes("_Z3fooi", "foo(int)");
    becomes("_ZN4shop5applePC4EPKc", "_ZN4shop5applePC4EPKc");
    becomes("_ZN4shop5appleC4EPKc", "shop::apple::apple(char const*)");
    becomes("_ZNSt6vectorIiSaIiEE9push_backERKi", "std::vector<int, std::allocator<int> >::push_back(int const&)");
    becomes("_ZN12_GLOBAL__N_16hiddenEi", "(anonymous namespace)::hidden(int)");
    becomes("_Z3fooRKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEES6_i",
            "foo(std::string const&, std::string const&, int)");
    becomes("_Z3fooNSt7__cxx1112basic_stringIwSt11char_traitsIwESaIwEEE",
            "foo(std::__cxx11::basic_string<wchar_t, std::char_traits<wchar_t>, std::allocator<wchar_t> >)");
}

static void names_of_rust_are_unfolded_without_their_hash(void **state) {
    (void)state;
    becomes("_ZN4core3fmt9Formatter3pad17h0123456789abcdefE", "core::fmt::Formatter::pad");
    becomes("_RNvC6_123foo3bar", "123foo::bar");
    becomes("_ZN71_$LT$Test$u20$$u2b$$u20$$u27$static$u20$as$u20$foo..Bar$LT$Test$GT$$GT$3bar17h930b740aa94f1d3aE",
            "<Test + 'static as foo::Bar<Test>>::bar");
}

static void what_compilers_append_is_left_out(void **state) {
    (void)state;
    becomes("parse.isra.0", "parse");
    becomes("parse.part.0.cold", "parse");
    becomes("_Z3fooi.constprop.0", "foo(int)");
    becomes("_Z3fooi.cold", "foo(int)");
    becomes("_ZN4core3fmt9Formatter3pad17h0123456789abcdefE.llvm.1234", "core::fmt::Formatter::pad");
    becomes("malloc@@GLIBC_2.2.5", "malloc");
    becomes("_ZNSs4swapERSs@GLIBCXX_3.4", "std::string::swap(std::string&)");
}

static void a_name_is_cut_where_the_room_ends(void **state) {
    (void)state;
    char out[12];
    size_t n;
    ubi__demangle(out, sizeof out, &n, ubi__text("_ZNSt6vectorIiSaIiEE9push_backERKi"));
    assert_string_equal(out, "std::vec...");
    assert_int_equal(n, 11);
    ubi__demangle(out, sizeof out, &n, ubi__text("a_plain_name_of_c"));
    assert_string_equal(out, "a_plain_...");
    ubi__demangle(out, sizeof out, &n, ubi__text("just_enough"));
    assert_string_equal(out, "just_enough");
}

static void a_name_of_two_thousand_bytes_is_unfolded(void **state) {
    (void)state;
    static char name[4096], out[8192];
    size_t n;
    strcpy(name, "_ZN");
    for (int i = 0; i < 250; i++)
        strcat(name, "6abcdef");
    strcat(name, "Ev");
    ubi__demangle(out, sizeof out, &n, ubi__text(name));
    assert_int_equal(n, 250 * 8 - 2 + 2);
    assert_memory_equal(out, "abcdef::abcdef", 14);
}

/* Each argument is a pair of the one before: 2^40 words of text, were it all written. */
static void a_name_that_unfolds_without_end_is_cut(void **state) {
    (void)state;
    static char name[4096];
    char out[256];
    size_t n;
    strcpy(name, "_Z1fI1aE4pairIS_S_E");
    for (int i = 0; i < 40; i++) {
        char digit = (char)(i < 10 ? '0' + i : 'A' + i - 10);
        sprintf(name + strlen(name), i < 36 ? "4pairIS%c_S%c_E" : "v", digit, digit);
    }
    ubi__demangle(out, sizeof out, &n, ubi__text(name));
    assert_true(n < sizeof out);
    assert_int_equal(strlen(out), n);
}

static void a_name_that_is_too_long_stays_as_it_is(void **state) {
    (void)state;
    static char name[UBI__MANGLED_BYTES + 16], out[2 * UBI__MANGLED_BYTES];
    size_t n;
    memset(name, 'P', sizeof name - 1);
    memcpy(name, "_Z1f", 4);
    ubi__demangle(out, sizeof out, &n, ubi__text(name));
    assert_string_equal(out, name);
}

static void any_bytes_after_the_mark_do_no_harm(void **state) {
    (void)state;
    static const char letters[] = "_ZRNSIEKPRTvicst0123456789abLXJDpFO$.";
    char name[200], out[64];
    size_t n;
    srand(6);
    for (int round = 0; round < 20000; round++) {
        size_t length = 2 + (size_t)rand() % (sizeof name - 3);
        for (size_t i = 0; i < length; i++)
            name[i] = letters[(size_t)rand() % (sizeof letters - 1)];
        name[0] = '_';
        name[1] = round % 2 ? 'Z' : 'R';
        ubi__demangle(out, sizeof out, &n, (ubi_text){ name, length });
        assert_true(n < sizeof out && strlen(out) == n);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_of_c_stay_as_they_are),
        cmocka_unit_test(names_of_cxx_are_unfolded_with_their_parameters),
        cmocka_unit_test(names_of_rust_are_unfolded_without_their_hash),
        cmocka_unit_test(what_compilers_append_is_left_out),
        cmocka_unit_test(a_name_is_cut_where_the_room_ends),
        cmocka_unit_test(a_name_of_two_thousand_bytes_is_unfolded),
        cmocka_unit_test(a_name_that_unfolds_without_end_is_cut),
        cmocka_unit_test(a_name_that_is_too_long_stays_as_it_is),
        cmocka_unit_test(any_bytes_after_the_mark_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
