/* SPDX-License-Identifier: MIT
 *
 * remote_test.c: addresses of heaps in other processes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "targets/remote.h"

static const ubi__remote_scheme hosts = { .name = "host", .port = 6000 };
static const ubi__remote_scheme processes = {
    .name = "proc", .port = 9229, .has_processes = true, .has_workers = true
};
static const ubi__remote_scheme paths = { .name = "path", .port = 9222, .has_paths = true };
static const ubi__remote_scheme *const schemes[] = { &hosts, &processes, &paths, NULL };

static void test_forms_of_addresses(void **state) {
    (void)state;
    static const struct {
        const char *text, *host, *path;
        uint16_t port;
        uint32_t pid;
        uint64_t tab;
    } cases[] = {
        { "host://a", "a", "", 6000, 0, 0 }, { "HOST://[::1]:7/tab/2", "::1", "", 7, 0, 2 },
        { "proc:12", "", "", 0, 12, 0 },     { "PROC:2147483647/tab/3", "", "", 0, INT32_MAX, 3 },
        { "proc://a:1", "a", "", 1, 0, 0 },  { "path://a/devtools/page/1?x", "a", "/devtools/page/1?x", 9222, 0, 0 },
        { "path://a:3", "a", "", 3, 0, 0 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ubi__remote_address a;
        assert_true(ubi__remote_is_address(cases[i].text, schemes));
        assert_int_equal(ubi__remote_address_parse(&a, cases[i].text, schemes), UBI_OK);
        assert_string_equal(a.host, cases[i].host);
        assert_string_equal(a.path, cases[i].path);
        assert_int_equal(a.port, cases[i].port);
        assert_int_equal(a.pid, cases[i].pid);
        assert_int_equal(a.choice == UBI__REMOTE_TAB ? a.number : 0, cases[i].tab);
    }
}

static void test_what_is_no_address(void **state) {
    (void)state;
    static const char *const files[] = { "host:12", "proc:", "proc:x", "a", "", "path:1", "procs:12" };
    static const char *const wrong[] = { "proc:0",     "proc:12x",     "proc:2147483648", "proc:99999999999999999999",
                                         "proc:1/2",   "path://a/b c", "path://a/\x01",   "path://",
                                         "host://a/b", "host://a:0" };
    ubi__remote_address a;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        assert_false(ubi__remote_is_address(files[i], schemes));
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(ubi__remote_address_parse(&a, wrong[i], schemes), UBI_EINVAL);
        assert_non_null(strstr(ubi_error_message(), "is not"));
    }
}

static void test_a_path_has_a_limit(void **state) {
    (void)state;
    char text[300];
    ubi__remote_address a;
    memset(text, 'a', sizeof text);
    memcpy(text, "path://h/", 9);
    text[8 + 255] = '\0';
    assert_int_equal(ubi__remote_address_parse(&a, text, schemes), UBI_OK);
    assert_int_equal(strlen(a.path), 255);
    memset(text + 8 + 255, 'a', 1);
    text[8 + 256] = '\0';
    assert_int_equal(ubi__remote_address_parse(&a, text, schemes), UBI_EINVAL);
}

static void test_workers_are_chosen_where_there_are_such(void **state) {
    (void)state;
    ubi__remote_address a;
    assert_int_equal(ubi__remote_address_parse(&a, "proc:12/worker/3", schemes), UBI_OK);
    assert_int_equal(a.choice, UBI__REMOTE_WORKER);
    assert_int_equal(a.number, 3);
    assert_int_equal(ubi__remote_address_parse(&a, "proc://a:1/worker/0", schemes), UBI_OK);
    assert_int_equal(a.number, 0);
    assert_int_equal(ubi__remote_address_parse(&a, "proc:12/worker/", schemes), UBI_EINVAL);
    assert_int_equal(ubi__remote_address_parse(&a, "host://a/worker/3", schemes), UBI_EINVAL);
}

static void test_a_tab_has_a_text_where_there_are_names(void **state) {
    (void)state;
    static const ubi__remote_scheme named = { .name = "tabs", .port = 1, .has_names = true };
    static const ubi__remote_scheme *const with_names[] = { &named, NULL };
    ubi__remote_address a;
    assert_int_equal(ubi__remote_address_parse(&a, "tabs://h/tab/http://x/shop", with_names), UBI_OK);
    assert_int_equal(a.choice, UBI__REMOTE_NAMED);
    assert_true(ubi__remote_name_fits(&a, ubi__text("Shop"), ubi__text("http://x/shop?1")));
    assert_false(ubi__remote_name_fits(&a, ubi__text("Shop"), ubi__text("http://y/")));
    assert_int_equal(ubi__remote_address_parse(&a, "tabs://h/tab/12", with_names), UBI_OK);
    assert_int_equal(a.choice, UBI__REMOTE_TAB);
    assert_int_equal(ubi__remote_address_parse(&a, "tabs://h/tab/", with_names), UBI_EINVAL);
    assert_int_equal(ubi__remote_address_parse(&a, "tabs://h/tab/0", with_names), UBI_EINVAL);
    assert_int_equal(ubi__remote_address_parse(&a, "host://h/tab/shop", schemes), UBI_EINVAL);
}

static void test_a_name_is_a_part_of_a_title_or_address(void **state) {
    (void)state;
    const ubi__remote_address a = { .choice = UBI__REMOTE_NAMED, .name = "mail" };
    assert_true(ubi__remote_name_fits(&a, ubi__text("Worker 1"), ubi__text("file:///mail.js")));
    assert_true(ubi__remote_name_fits(&a, ubi__text("a mail"), (ubi_text){ NULL, 0 }));
    assert_false(ubi__remote_name_fits(&a, ubi__text("Worker 1"), (ubi_text){ NULL, 0 }));
    assert_int_equal(ubi__remote_fail_missing(&a, 2), UBI_ENOTFOUND);
    assert_non_null(strstr(ubi_error_message(), "nothing with 'mail'"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forms_of_addresses),
        cmocka_unit_test(test_what_is_no_address),
        cmocka_unit_test(test_a_path_has_a_limit),
        cmocka_unit_test(test_workers_are_chosen_where_there_are_such),
        cmocka_unit_test(test_a_tab_has_a_text_where_there_are_names),
        cmocka_unit_test(test_a_name_is_a_part_of_a_title_or_address),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
