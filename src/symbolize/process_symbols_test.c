/* SPDX-License-Identifier: MIT
 *
 * Names of return addresses of this process.
 */
#include "symbolize/process_symbols.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static ubi_status take_name(void *payload, ubi_text name) {
    snprintf(payload, 256, "%.*s", (int)name.len, name.ptr);
    return UBI_OK;
}

static __attribute__((noinline)) uintptr_t address_of_caller(void) {
    return (uintptr_t)__builtin_extract_return_addr(__builtin_return_address(0));
}

static __attribute__((noinline)) void ask(char *name, void *left_out) {
    uintptr_t here = address_of_caller();
    assert_int_equal(ubi_symbols_name_address(left_out, here, take_name, name), UBI_OK);
}

static void an_address_has_function_file_and_line(void **state) {
    (void)state;
    char name[256] = "";
    for (int i = 0; i < 2; i++) {
        ask(name, NULL);
        assert_memory_equal(name, "ask (process_symbols_test.c:", 28);
        ubi_symbols_forget();
    }
}

static void what_is_in_no_module_has_no_name(void **state) {
    (void)state;
    char name[256] = "untouched";
    assert_int_equal(ubi_symbols_name_address(NULL, 64, take_name, name), UBI_OK);
    assert_string_equal(name, "untouched");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_address_has_function_file_and_line),
        cmocka_unit_test(what_is_in_no_module_has_no_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
