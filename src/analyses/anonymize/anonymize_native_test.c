/* SPDX-License-Identifier: MIT
 *
 * anonymize_native_test.c: what becomes of the texts of recordings and timelines, and of the numbers of elements.
 *
 * Expected texts name replaced words in braces, as in anonymize_test.c.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analyses/anonymize/anonymizer.h"
#include "base/text.h"
#include "recording/known_frames.h"
#include "timeline/marker_words.h"

#define TEXT 512

typedef struct example {
    const char *text, *pattern;
} example;

static ubi_anonymizer *must_make(void) {
    ubi_anonymizer_options options = UBI_ANONYMIZER_OPTIONS_INIT;
    ubi_anonymizer *a = NULL;
    options.key = "a key of 16 byte";
    options.key_bytes = 16;
    assert_int_equal(ubi_anonymizer_new(&a, &options), UBI_OK);
    return a;
}

static const char *map(char out[TEXT], ubi_anonymizer *a, ubi_text_role role, const char *text) {
    ubi_text result;
    assert_int_equal(ubi_anonymizer_text(a, role, ubi__text(text), &result), UBI_OK);
    assert_in_range(result.len, 0, TEXT - 1);
    memcpy(out, result.ptr, result.len);
    out[result.len] = 0;
    return out;
}

static const char *expand(char out[TEXT], ubi_anonymizer *a, const char *pattern) {
    size_t n = 0;
    for (const char *p = pattern; *p; p++) {
        if (*p != '{' || p[1] == '{') {
            out[n++] = *p;
            p += *p == '{'; /* "{{" is a brace */
            continue;
        }
        size_t length = strcspn(p + 1, "}");
        ubi_text replacement;
        assert_int_equal(ubi__word_map_get(&replacement, &a->words, (ubi_text){ p + 1, length }), UBI_OK);
        memcpy(out + n, replacement.ptr, replacement.len);
        n += replacement.len;
        p += length + 1;
    }
    out[n] = 0;
    return out;
}

static void expect_all(ubi_text_role role, const example *examples, size_t n) {
    ubi_anonymizer *a = must_make();
    char got[TEXT], expected[TEXT];
    for (size_t i = 0; i < n; i++)
        assert_string_equal(map(got, a, role, examples[i].text), expand(expected, a, examples[i].pattern));
    ubi_anonymizer_free(a);
}

#define EXPECT_ALL(role, examples) expect_all(role, examples, sizeof(examples) / sizeof *(examples))

static void functions_of_libraries_are_kept(void **state) {
    static const example examples[] = {
        { "malloc", "malloc" },
        { "operator new[](unsigned long)", "operator new[](unsigned long)" },
        { "__libc_start_call_main", "__libc_start_call_main" },
        { "_IO_file_doallocate", "_IO_file_doallocate" },
        { "main", "main" },
        { "std::vector<int, std::allocator<int> >::push_back(int&&)",
          "std::vector<int, std::allocator<int> >::push_back(int&&)" },
        { "std::__cxx11::basic_string<char>::~basic_string()", "std::__cxx11::basic_string<char>::~basic_string()" },
        { "ubi_marker_begin", "ubi_marker_begin" },
        { "(truncated)", "(truncated)" },
        { "_start", "_start" },
        { "", "" },
    };
    (void)state;
    EXPECT_ALL(UBI_TEXT_NATIVE_FUNCTION, examples);
}

static void functions_of_the_program_keep_their_structure(void **state) {
    static const example examples[] = {
        { "add_customer", "{add_customer}" },
        { "acme::Cart::add(std::vector<acme::Item> const&)",
          "{acme}::{Cart}::{add}(std::vector<{acme}::{Item}> const&)" },
        { "std::map<acme::Key, int>::operator[](acme::Key&&)",
          "std::map<{acme}::{Key}, int>::operator[]({acme}::{Key}&&)" },
        { "std::sort<acme::It>::inner", "std::sort<{acme}::{It}>::inner" },
        { "acme::std::secret", "{acme}::std::{secret}" },
        { "std::vector<acme::X>, acme::secret", "std::vector<{acme}::{X}>, {acme}::{secret}" },
        { "std::a secret::b", "std::a {secret}::{b}" },
        { "acme::Ptr::operator->() const", "{acme}::{Ptr}::operator->() const" },
        { "acme::operator<<(std::ostream&, acme::X)", "{acme}::operator<<(std::ostream&, {acme}::{X})" },
        { "acme::run()::{{lambda(int)#1}::operator()(int) const",
          "{acme}::{run}()::{{lambda(int)#1}::operator()(int) const" },
        { "(anonymous namespace)::secret()", "(anonymous namespace)::{secret}()" },
        { "secret.part.0.cold", "{secret}.part.0.cold" },
        { "acme::fixed<42ul, 123456>", "{acme}::{fixed}<42ul, {123456}>" },
        { "core::ptr::drop_in_place<acme::X>", "core::{ptr}::{drop_in_place}<{acme}::{X}>" },
        { "acme::h0123456789abcdef", "{acme}::{h0123456789abcdef}" },
        { "_ZN4acme6secretEv", "{_ZN4acme6secretEv}" },
        { "(unwind failed at libsecret.so+0x1a2b)", "(unwind failed at {libsecret}.so+{0x1a2b})" },
    };
    ubi_anonymizer *a = must_make();
    char got[TEXT], expected[TEXT], text[TEXT];
    (void)state;
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        size_t n = 0;
        for (const char *p = examples[i].text; *p; p += 1 + (p[0] == '{' && p[1] == '{'))
            text[n++] = *p;
        text[n] = 0;
        assert_string_equal(map(got, a, UBI_TEXT_NATIVE_FUNCTION, text), expand(expected, a, examples[i].pattern));
    }
    ubi_anonymizer_free(a);
}

static void who_is_named_like_malloc_still_is(void **state) {
    static const char *const names[] = {
        "acme_malloc",
        "AcmeMalloc",
        "acme_xcalloc2",
        "acme_malloc.part.0",
        "acme::Pool::my_malloc(int)",
        "secret",
        "acme::vector<int>::get",
        "std::vector<acme::X>::reserve",
        "void std::f<acme::X>(acme::X)",
        "alloc::raw_vec::RawVec<T>::grow",
        "<alloc::vec::Vec<acme::X> as core::clone::Clone>::clone",
        "core::fmt::format",
        "__rust_alloc",
        "__rdl_alloc",
        "_PyMem_DebugMalloc",
        "_PyObject_New",
        "PyType_GenericAlloc",
        "sqlite3DbMallocRawNN",
        "boost::container::vector<acme::X>::grow",
        "__gnu_cxx::new_allocator<acme::X>::allocate",
        "g_slice_alloc0",
        "operator new(unsigned long)",
        "posix_memalign",
        "savestring",
        "acme_strdup",
        "acme_reallocarray",
        "mallocish",
        "unsigned long acme_malloc<int>(int)",
        "x_malloc",
        "CRYPTO_zalloc",
        "ggc_internal_alloc",
        "xzalloc",
        "acme::strdup",
    };
    ubi_anonymizer *a = must_make();
    char got[TEXT];
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        map(got, a, UBI_TEXT_NATIVE_FUNCTION, names[i]);
        if (ubi__allocator_role_of(ubi__text(got)) != ubi__allocator_role_of(ubi__text(names[i])))
            fail_msg("%s became %s", names[i], got);
        assert_null(strstr(got, "acme"));
        assert_null(strstr(got, "Acme"));
    }
    ubi_anonymizer_free(a);
}

/* Pieces that a demangled name can be made of, in any order. */
static void any_name_counts_as_before(void **state) {
    static const char *const pieces[] = { "std",    "::",  "acme",     "<",  ">",      "(",    ")",   " ",
                                          "malloc", "_",   "operator", "->", "alloc",  "core", "new", "[]",
                                          ", ",     "Vec", ".part.0",  "7",  "strdup", "&" };
    ubi_anonymizer *a = must_make();
    char name[TEXT], got[4 * TEXT];
    uint32_t seed = 1;
    (void)state;
    for (int round = 0; round < 20000; round++) {
        ubi_text out;
        name[0] = 0;
        for (uint32_t i = 0, n = 1 + (seed >> 16) % 9; i < n; i++) {
            seed = seed * 1664525 + 1013904223;
            strcat(name, pieces[(seed >> 16) % (sizeof pieces / sizeof *pieces)]);
        }
        assert_int_equal(ubi_anonymizer_text(a, UBI_TEXT_NATIVE_FUNCTION, ubi__text(name), &out), UBI_OK);
        snprintf(got, sizeof got, "%.*s", (int)out.len, out.ptr);
        if (ubi__allocator_role_of(out) != ubi__allocator_role_of(ubi__text(name)))
            fail_msg("%s became %s", name, got);
    }
    ubi_anonymizer_free(a);
}

static void paths_keep_systems_folders_libraries_and_extensions(void **state) {
    static const example examples[] = {
        { "/usr/lib/x86_64-linux-gnu/libc.so.6", "/usr/lib/x86_64-linux-gnu/libc.so.6" },
        { "/usr/lib/x86_64-linux-gnu/libstdc++.so.6.0.30", "/usr/lib/x86_64-linux-gnu/libstdc++.so.6.0.30" },
        { "/lib/libc-2.31.so", "/lib/libc-2.31.so" },
        { "/opt/acme/lib/libcart.so.3.20240101", "/opt/{acme}/lib/{libcart}.so.3.{20240101}" },
        { "/home/eve/src/cart.cc", "/home/{eve}/src/{cart}.cc" },
        { "./malloc/malloc.c", "./malloc/malloc.c" },
        { "../../../../src/libstdc++-v3/libsupc++/eh_alloc.cc", "../../../../src/libstdc++-v3/libsupc++/eh_alloc.cc" },
        { "/usr/include/c++/12/bits/stl_map.h", "/usr/include/c++/12/bits/stl_map.h" },
        { "C:\\Users\\eve\\a.cpp", "{C:}\\{Users}\\{eve}\\{a}.cpp" },
        { "server", "{server}" },
        { "a.secret", "{a.secret}" },
        { "[vdso]", "[vdso]" },
        { "/usr/lib/ubiheap/libubiheap-preload.so", "/usr/lib/ubiheap/libubiheap-preload.so" },
        { ".so", ".so" },
        { "", "" },
    };
    (void)state;
    EXPECT_ALL(UBI_TEXT_NATIVE_FILE, examples);
}

static void every_kind_of_marker_keeps_its_name(void **state) {
    ubi_anonymizer *a = must_make();
    char got[TEXT];
    const ubi__marker_blueprint *b;
    (void)state;
    for (size_t i = 1; (b = ubi__marker_blueprint_at(i)) != NULL; i++)
        assert_string_equal(map(got, a, UBI_TEXT_MARKER_NAME, b->name), b->name);
    ubi_anonymizer_free(a);
}

static void markers_of_the_program_are_words(void **state) {
    static const example names[] = { { "checkout of eve", "{checkout of eve}" }, { "Secret", "{Secret}" } };
    static const example keys[] = { { "causeName", "causeName" }, { "customer", "{customer}" } };
    static const example details[] = {
        { "setTimeout handler", "setTimeout handler" },
        { "ALLOC_TRIGGER", "ALLOC_TRIGGER" },
        { "eve@example.com", "{eve@example.com}" },
        { "https://shop.example/eve?x=1", "https://{shop.example}/{eve}?{x=1}" },
        { "shop.js", "{shop}.js" },
        { "999", "999" },
        { "4711", "{4711}" },
    };
    (void)state;
    EXPECT_ALL(UBI_TEXT_MARKER_NAME, names);
    EXPECT_ALL(UBI_TEXT_DETAIL_KEY, keys);
    EXPECT_ALL(UBI_TEXT_DETAIL, details);
}

static void threads_and_systems_are_words(void **state) {
    static const example words[] = {
        { "Linux 6.1.0-18-amd64 x86_64", "Linux 6.1.0-18-amd64 x86_64" },
        { "Linux 6.1.0-acme x86_64", "Linux 6.1.0-{acme} x86_64" },
        { "ubiheap 0.1.0", "ubiheap 0.1.0" },
        { "worker 12", "worker 12" },
        { "eve's thread", "{eve}'{s} thread" },
    };
    static const example secrets[] = { { "main", "{main}" }, { "7", "{7}" }, { "", "" } };
    (void)state;
    EXPECT_ALL(UBI_TEXT_WORDS, words);
    EXPECT_ALL(UBI_TEXT_SECRET, secrets);
}

/* ---- numbers of elements ------------------------------------------------------------------------------------------ */

static int compare_u32(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static uint32_t index_of(ubi_anonymizer *a, uint32_t index) {
    char digits[16], got[TEXT];
    snprintf(digits, sizeof digits, "%u", (unsigned)index);
    return (uint32_t)strtoul(map(got, a, UBI_TEXT_INDEX, digits), NULL, 10);
}

static void indices_above_999_are_others_each_its_own(void **state) {
    enum { N = 30000 };
    static uint32_t got[N];
    ubi_anonymizer *a = must_make(), *again = must_make();
    size_t same = 0;
    (void)state;
    for (uint32_t i = 0; i < 1000; i++)
        assert_int_equal(index_of(a, i), i);
    for (uint32_t i = 0; i < N; i++) {
        uint32_t index = i < N / 2 ? 1000 + i : UINT32_MAX - 1 - i;
        got[i] = index_of(a, index);
        assert_in_range(got[i], 1000, UINT32_MAX - 1);
        assert_int_equal(got[i], index_of(again, index));
        same += got[i] == index;
    }
    assert_true(same < 3);
    qsort(got, N, sizeof *got, compare_u32);
    for (uint32_t i = 1; i < N; i++)
        assert_int_not_equal(got[i], got[i - 1]);
    ubi_anonymizer_free(a);
    ubi_anonymizer_free(again);
}

static void an_index_is_the_same_in_the_name_of_an_edge(void **state) {
    ubi_anonymizer *a = must_make();
    char got[TEXT], expected[TEXT];
    (void)state;
    snprintf(expected, sizeof expected, "objectElements[%u]", (unsigned)index_of(a, 4711000));
    assert_string_equal(map(got, a, UBI_TEXT_EDGE_NAME, "objectElements[4711000]"), expected);
    assert_string_equal(map(got, a, UBI_TEXT_EDGE_NAME, "objectElements[999]"), "objectElements[999]");
    ubi_anonymizer_free(a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_of_libraries_are_kept),
        cmocka_unit_test(functions_of_the_program_keep_their_structure),
        cmocka_unit_test(who_is_named_like_malloc_still_is),
        cmocka_unit_test(any_name_counts_as_before),
        cmocka_unit_test(paths_keep_systems_folders_libraries_and_extensions),
        cmocka_unit_test(every_kind_of_marker_keeps_its_name),
        cmocka_unit_test(markers_of_the_program_are_words),
        cmocka_unit_test(threads_and_systems_are_words),
        cmocka_unit_test(indices_above_999_are_others_each_its_own),
        cmocka_unit_test(an_index_is_the_same_in_the_name_of_an_edge),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
