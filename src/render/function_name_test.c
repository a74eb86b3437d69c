/* SPDX-License-Identifier: MIT
 *
 * function_name_test.c: names that compilers make, as people say them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/text.h"
#include "render/capture_test.h"
#include "render/function_name.h"

static const ubi__style unicode = { .has_unicode = true, .columns = 80 };
static const ubi__style ascii = { .columns = 80 };
static capture got;

static size_t display_short(ubi__out *out, const ubi__style *style, ubi_text name, size_t columns) {
    char text[UBI__FUNCTION_BYTES];
    size_t n = ubi__short_function(text, style, name, columns);
    return ubi__display_text(out, style, (ubi_text){ text, n }, columns);
}

static const char *shown_as(const char *name, const ubi__style *style, size_t columns) {
    ubi__out *out = capture_start(&got);
    assert_true(display_short(out, style, ubi__text(name), columns) <= columns);
    return capture_text(&got);
}

static const char *shown(const char *name, size_t columns) {
    return shown_as(name, &unicode, columns);
}

#define STRING "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >"

static void what_compilers_spell_out_is_said_as_people_do(void **state) {
    (void)state;
    assert_string_equal(shown("f(" STRING " const&)", 200), "f(std::string const&)");
    assert_string_equal(shown("std::vector<" STRING ", std::allocator<" STRING " > >::push_back(" STRING "&&)", 200),
                        "std::vector<std::string>::push_back(std::string&&)");
    assert_string_equal(
        shown("std::map<int, long, std::less<int>, std::allocator<std::pair<int const, long> > >::at(int)", 99),
        "std::map<int, long>::at(int)");
    assert_string_equal(shown("f(std::basic_string_view<char, std::char_traits<char> >)", 99), "f(std::string_view)");
    assert_string_equal(shown("std::basic_ostream<wchar_t, std::char_traits<wchar_t> >::flush()", 99),
                        "std::wostream::flush()");
    assert_string_equal(shown("Shop::invoice[abi:cxx11]()", 99), "Shop::invoice()");
    assert_string_equal(shown("std::__1::vector<int, std::__1::allocator<int> >::reserve(unsigned long)", 99),
                        "std::vector<int>::reserve(unsigned long)");
}

static void what_is_not_a_default_stays(void **state) {
    (void)state;
    assert_string_equal(shown("f(int, std::allocator<char> const&)", 99), "f(int, std::allocator<char> const&)");
    assert_string_equal(shown("g<std::hash<int> >()", 99), "g<std::hash<int>>()");
    assert_string_equal(shown("my::basic_string<char>::f()", 99), "my::basic_string<char>::f()");
    assert_string_equal(shown("std::basic_string<Rune>::f()", 99), "std::basic_string<Rune>::f()");
}

static void brackets_give_way_before_the_name_does(void **state) {
    static const char name[] =
        "void net::Cache<net::Key<unsigned>, net::Value>::insert<net::Entry>(net::Entry const&, int)";
    (void)state;
    assert_string_equal(shown(name, 120), name);
    assert_string_equal(shown(name, 70), "net::Cache<net::Key<…>, net::Value>::insert<net::Entry>(…)");
    assert_string_equal(shown(name, 40), "net::Cache<…>::insert<…>(…)");
    assert_string_equal(shown(name, 30), "net::Cache<…>::insert<…>(…)");
    assert_string_equal(shown(name, 24), "…Cache<…>::insert<…>(…)");
    assert_string_equal(shown_as(name, &ascii, 40), "net::Cache<...>::insert<...>(...)");
    assert_string_equal(shown_as(name, &ascii, 30), "...ache<...>::insert<...>(...)");
    assert_string_equal(shown(name, 12), "insert<…>(…)");
    assert_string_equal(shown(name, 9), "inse…>(…)");
}

static void operators_are_no_brackets(void **state) {
    (void)state;
    assert_string_equal(shown("bool a::operator< <int>(a::B<int> const&, a::B<int> const&)", 32),
                        "a::operator< <int>(…)");
    assert_string_equal(shown("std::ostream& operator<<(std::ostream&, net::Address const&)", 40), "operator<<(…)");
    assert_string_equal(shown("Shop::Index::operator()(Item const&, Item const&) const", 40),
                        "Shop::Index::operator()(…) const");
    assert_string_equal(shown("A::operator->(int, unsigned long, unsigned long)", 30), "A::operator->(…)");
    assert_string_equal(shown("void* operator new[](unsigned long, std::align_val_t)", 30), "operator new[](…)");
}

static void functions_of_one_name_keep_what_differs(void **state) {
    (void)state;
    assert_string_equal(shown("base::PartitionRoot::Allocate(unsigned long)", 22), "…tionRoot::Allocate(…)");
    assert_string_equal(shown("base::PartitionTool::Allocate(unsigned long)", 22), "…tionTool::Allocate(…)");
    assert_string_equal(shown("base::PartitionTool::Allocate(unsigned long)", 17), "…::Allocate(…)");
    assert_string_equal(shown("base::Größe::Allocate(unsigned long)", 18), "…röße::Allocate(…)");
    assert_string_equal(shown("Cache<Key, std::vector<Value> >::Allocate(int)", 19), "…::Allocate(int)");
}

static void a_lambda_keeps_what_contains_it(void **state) {
    static const char name[] =
        "shop::start(std::vector<Item> const&)::{lambda(Item const&)#2}::operator()(Item const&) const";
    (void)state;
    assert_string_equal(shown(name, 60), "shop::start(…)::{lambda(…)#2}::operator()(…) const");
    assert_string_equal(shown(name, 50), "shop::start(…)::{lambda(…)#2}::operator()(…) const");
    assert_string_equal(shown(name, 48), "…::start(…)::{lambda(…)#2}::operator()(…) const");
}

static void anonymous_namespaces_and_clones_are_names(void **state) {
    (void)state;
    assert_string_equal(shown("(anonymous namespace)::Parser::parse(char const*, unsigned long)", 45),
                        "(anonymous namespace)::Parser::parse(…)");
    assert_string_equal(shown("(anonymous namespace)::Parser::parse(char const*, unsigned long)", 30),
                        "…::Parser::parse(…)");
    assert_string_equal(shown("very::long_namespace::parse(int) [clone .cold]", 30), "…::parse(int) [clone .cold]");
}

static void names_of_other_languages_stay(void **state) {
    (void)state;
    assert_string_equal(shown("aVeryLongFunctionName", 12), "aVeryL…nName");
    assert_string_equal(shown("(anonymous)", 20), "(anonymous)");
    assert_string_equal(shown("(anonymous)", 8), "(ano…us)");
    assert_string_equal(shown("get x", 20), "get x");
    assert_string_equal(shown("", 20), "");
    assert_string_equal(shown("<alloc::vec::Vec<T,A> as core::ops::Drop>::drop", 30), "<…>::drop");
    assert_string_equal(shown("core::ptr::drop_in_place<alloc::vec::Vec<u8>>", 34), "core::ptr::drop_in_place<…>");
}

static void brackets_that_do_not_fit_are_cut_as_any_text(void **state) {
    (void)state;
    assert_string_equal(shown("a::b<c(d>e)", 99), "a::b<c(d>e)");
    assert_string_equal(shown("a::b)))", 99), "a::b)))");
    assert_string_equal(shown("a::b<<<<<<<<<<<<", 9), "a::b…<<<<");
    assert_string_equal(shown("\x1b[31m::f(int)", 99), "\\x1b[31m::f(int)");
}

/* For any input the short form is safe and within the limit. */
static void random_names_fit(void **state) {
    static const char *const pieces[] = { "<",
                                          ">",
                                          "(",
                                          ")",
                                          "{",
                                          "}",
                                          "[",
                                          "]",
                                          "::",
                                          "std::",
                                          "basic_string",
                                          "<char>",
                                          ", std::allocator<",
                                          "operator",
                                          "<<",
                                          " ",
                                          ",",
                                          "a",
                                          "->",
                                          "[abi:x]",
                                          "__1::" };
    static char name[3 * UBI__FUNCTION_BYTES];
    (void)state;
    srand(7);
    for (int round = 0; round < 3000; round++) {
        size_t n = 0, most = round % 50 ? (size_t)rand() % 60 : 4000;
        for (size_t i = 0; i < most; i++)
            n += (size_t)snprintf(name + n, sizeof name - n, "%s",
                                  pieces[(size_t)rand() % (sizeof pieces / sizeof *pieces)]);
        char *copy = malloc(n ? n : 1); /* so that overreads are seen */
        assert_non_null(copy);
        memcpy(copy, name, n);
        for (size_t columns = 1; columns < 120; columns = columns * 2 + 1) {
            ubi__out *out = capture_start(&got);
            assert_true(display_short(out, round % 2 ? &unicode : &ascii, (ubi_text){ copy, n }, columns) <= columns);
        }
        free(copy);
    }
}

static void a_name_without_end_is_shown_by_its_ends(void **state) {
    static char name[4 * UBI__FUNCTION_BYTES];
    (void)state;
    memset(name, 'x', sizeof name - 1);
    memcpy(name, "first::", 7);
    memcpy(name + sizeof name - 7, "::last", 6);
    assert_string_equal(shown(name, 20), "…xxxxxxxxxxxxx::last");
    for (size_t i = 10; i + 10 < sizeof name; i++)
        name[i] = '<';
    assert_string_equal(shown(name, 12), "first:…:last");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_compilers_spell_out_is_said_as_people_do),
        cmocka_unit_test(what_is_not_a_default_stays),
        cmocka_unit_test(brackets_give_way_before_the_name_does),
        cmocka_unit_test(operators_are_no_brackets),
        cmocka_unit_test(functions_of_one_name_keep_what_differs),
        cmocka_unit_test(a_lambda_keeps_what_contains_it),
        cmocka_unit_test(anonymous_namespaces_and_clones_are_names),
        cmocka_unit_test(names_of_other_languages_stay),
        cmocka_unit_test(brackets_that_do_not_fit_are_cut_as_any_text),
        cmocka_unit_test(random_names_fit),
        cmocka_unit_test(a_name_without_end_is_shown_by_its_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
