/* SPDX-License-Identifier: MIT
 *
 * symbolizer_test.c: this test's own functions, found in its own file; and what happens when memory is refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <link.h>
#include <unistd.h>

#include "base/status.h"
#include "base/text.h"
#include "fail_allocator.h"
#include "symbolize/symbolize.h"

static char own_path[4096];
static uint64_t own_bias;

int ubi__symbolizer_test_landmark(int x);
__attribute__((noinline)) int ubi__symbolizer_test_landmark(int x) {
    __asm__ volatile("");
    return x + 1;
}

/* The first is the program itself. */
static int take_first(struct dl_phdr_info *info, size_t size, void *payload) {
    (void)size;
    (void)payload;
    own_bias = info->dlpi_addr;
    return 1;
}

static int find_own_file(void **state) {
    (void)state;
    ssize_t n = readlink("/proc/self/exe", own_path, sizeof own_path - 1);
    dl_iterate_phdr(take_first, NULL);
    return n > 0 ? 0 : -1;
}

static uint64_t landmark(void) {
    return (uint64_t)(uintptr_t)ubi__symbolizer_test_landmark - own_bias;
}

static ubi_status look_up_landmark(void *payload, const ubi_allocator *a) {
    /* Without debug files of others, and with the lists of packages, which a stripped module asks for. */
    const ubi__symbolizer_options options = { .debug_root = "/nonexistent" };
    ubi__symbolizer *s;
    uint32_t own, missing;
    const ubi__symbol *found;
    size_t n;
    ubi__symbol_facts facts;
    bool *was_found = payload;
    UBI_TRY(ubi__symbolizer_new(&s, &options, a));
    ubi_status status = ubi__symbolizer_add_module(s, &own, ubi__text(own_path), NULL, 0);
    if (status == UBI_OK)
        status = ubi__symbolizer_add_module(s, &missing, ubi__text("/nonexistent"), (const uint8_t *)"\1\2", 2);
    if (status == UBI_OK)
        status = ubi__symbolizer_look_up(s, &found, &n, own, landmark());
    if (status == UBI_OK)
        *was_found = n == 1 && ubi__text_is(found[0].function, "ubi__symbolizer_test_landmark") && found[0].line > 0;
    if (status == UBI_OK)
        status = ubi__symbolizer_facts(s, &facts, missing);
    ubi__symbolizer_free(s);
    return status;
}

static void a_function_of_this_program_is_found(void **state) {
    (void)state;
    bool was_found = false;
    assert_int_equal(look_up_landmark(&was_found, NULL), UBI_OK);
    assert_true(was_found);
}

static void answers_are_the_same_in_any_order(void **state) {
    (void)state;
    ubi__symbolizer *s;
    uint32_t module;
    assert_int_equal(ubi__symbolizer_new(&s, NULL, NULL), UBI_OK);
    assert_int_equal(ubi__symbolizer_add_module(s, &module, ubi__text(own_path), NULL, 0), UBI_OK);
    uint64_t low = landmark(), high = landmark() + 4096;
    static uint32_t lines[4096];
    for (int round = 0; round < 2; round++)
        for (uint64_t i = low; i < high; i++) {
            uint64_t address = round ? low + high - 1 - i : i;
            const ubi__symbol *found;
            size_t n;
            assert_int_equal(ubi__symbolizer_look_up(s, &found, &n, module, address), UBI_OK);
            uint32_t line = n ? found[0].line + 1 : 0;
            if (round == 0)
                lines[address - low] = line;
            assert_int_equal(lines[address - low], line);
        }
    ubi__symbolizer_free(s);
}

/* Code of no function, before one. */
__asm__(".pushsection .text.symbolizer_test, \"ax\", @progbits\n"
        "  nop\n"
        "  .globl ubi__symbolizer_test_beginning\n"
        "  .type ubi__symbolizer_test_beginning, @function\n"
        "ubi__symbolizer_test_beginning:\n"
        "  nop\n"
        "  nop\n"
        "  .size ubi__symbolizer_test_beginning, . - ubi__symbolizer_test_beginning\n"
        ".popsection\n");
void ubi__symbolizer_test_beginning(void);

static void where_no_call_returns_to_a_function_begins(void **state) {
    (void)state;
    ubi__symbolizer *s;
    uint32_t module;
    size_t n;
    const ubi__symbol *found;
    uint64_t start = landmark() + (uintptr_t)ubi__symbolizer_test_beginning - (uintptr_t)ubi__symbolizer_test_landmark;
    assert_int_equal(ubi__symbolizer_new(&s, NULL, NULL), UBI_OK);
    assert_int_equal(ubi__symbolizer_add_module(s, &module, ubi__text(own_path), NULL, 0), UBI_OK);
    for (int i = 0; i < 2; i++) { /* at its very start, and after its first instruction */
        assert_int_equal(ubi__symbolizer_look_up_return(s, &found, &n, module, start + i), UBI_OK);
        assert_true(n == 1 && ubi__text_is(found[0].function, "ubi__symbolizer_test_beginning"));
    }
    /* A real call gives the function that calls, not the one that begins after it. */
    assert_int_equal(ubi__symbolizer_look_up_return(s, &found, &n, module, start + 2), UBI_OK);
    assert_true(n == 1 && ubi__text_is(found[0].function, "ubi__symbolizer_test_beginning"));
    ubi__symbolizer_free(s);
}

static void refused_memory_is_reported_and_leaves_nothing(void **state) {
    (void)state;
    bool was_found;
    assert_true(fail_each_allocation(look_up_landmark, &was_found) > 10);
}

static void a_module_that_is_known_has_the_same_number(void **state) {
    (void)state;
    ubi__symbolizer *s;
    uint32_t first, again, other_id, other_path, no_id;
    const uint8_t id[] = { 1, 2 }, other[] = { 1, 3 };
    assert_int_equal(ubi__symbolizer_new(&s, NULL, NULL), UBI_OK);
    assert_int_equal(ubi__symbolizer_add_module(s, &first, ubi__text("/a"), id, 2), UBI_OK);
    assert_int_equal(ubi__symbolizer_add_module(s, &other_id, ubi__text("/a"), other, 2), UBI_OK);
    assert_int_equal(ubi__symbolizer_add_module(s, &other_path, ubi__text("/b"), id, 2), UBI_OK);
    assert_int_equal(ubi__symbolizer_add_module(s, &no_id, ubi__text("/a"), NULL, 0), UBI_OK);
    assert_int_equal(ubi__symbolizer_add_module(s, &again, ubi__text("/a"), id, 2), UBI_OK);
    assert_int_equal(again, first);
    assert_true(first == 0 && other_id == 1 && other_path == 2 && no_id == 3);
    assert_int_equal(ubi__symbolizer_add_module(s, &again, ubi__text("/a"), NULL, 0), UBI_OK);
    assert_int_equal(again, no_id);
    ubi__symbolizer_free(s);
}

static void every_obstacle_has_words(void **state) {
    (void)state;
    assert_string_equal(ubi__symbol_obstacle_words(UBI__OBSTACLE_NONE), "");
    for (int i = UBI__OBSTACLE_NO_FILE; i <= UBI__OBSTACLE_STRIPPED; i++)
        assert_true(strlen(ubi__symbol_obstacle_words((ubi__symbol_obstacle)i)) > 5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_function_of_this_program_is_found),
        cmocka_unit_test(answers_are_the_same_in_any_order),
        cmocka_unit_test(where_no_call_returns_to_a_function_begins),
        cmocka_unit_test(refused_memory_is_reported_and_leaves_nothing),
        cmocka_unit_test(a_module_that_is_known_has_the_same_number),
        cmocka_unit_test(every_obstacle_has_words),
    };
    return cmocka_run_group_tests(tests, find_own_file, NULL);
}
