/* SPDX-License-Identifier: MIT
 *
 * Stacks of this process by number, and their frames.
 */
#include <ubiheap/extension/native_stacks.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "fail_allocator.h"

static __attribute__((noinline)) uint32_t captured_by(ubi_native_stacks *stacks) {
    uint32_t stack = ubi_native_stacks_capture(stacks, (uintptr_t)__builtin_frame_address(0));
    __asm__ volatile("" : "+r"(stack)); /* no tail call */
    return stack;
}

typedef struct frames {
    size_t n;
    char first[256];
} frames;

static ubi_status frames_take(void *payload, ubi_text name) {
    frames *f = payload;
    if (f->n++ == 0)
        snprintf(f->first, sizeof f->first, "%.*s", (int)name.len, name.ptr);
    return UBI_OK;
}

static ubi_status name_as_outer_and_inner(void *payload, uintptr_t return_address, ubi_profiler_name_fn name,
                                          void *name_payload) {
    (void)return_address;
    ubi_status status = name(name_payload, (ubi_text){ "outer", 5 });
    return status == UBI_OK ? name(name_payload, (ubi_text){ payload, strlen(payload) }) : status;
}

static void equal_stacks_have_equal_numbers(void **state) {
    (void)state;
    ubi_native_stacks *stacks;
    uint32_t numbers[3];
    assert_int_equal(ubi_native_stacks_new(&stacks, NULL), UBI_OK);
    for (volatile int i = 0; i < 2; i++) /* one place in the code */
        numbers[i] = captured_by(stacks);
    numbers[2] = captured_by(stacks);
    assert_true(numbers[0] > 0);
    assert_int_equal(numbers[0], numbers[1]);
    assert_int_not_equal(numbers[0], numbers[2]);
    ubi_native_stacks_free(stacks);
}

static void frames_come_innermost_first_and_without_names_by_module(void **state) {
    (void)state;
    ubi_native_stacks *stacks;
    frames plain = { 0 }, named = { 0 }, none = { 0 };
    char inner[] = "inner";
    ubi_native_names names = { name_as_outer_and_inner, inner };
    assert_int_equal(ubi_native_stacks_new(&stacks, NULL), UBI_OK);
    uint32_t stack = captured_by(stacks);
    assert_int_equal(ubi_native_stacks_frames(stacks, stack, NULL, frames_take, &plain), UBI_OK);
    assert_true(plain.n >= 3);
    assert_non_null(strstr(plain.first, "(program)+0x"));
    assert_int_equal(ubi_native_stacks_frames(stacks, stack, &names, frames_take, &named), UBI_OK);
    assert_int_equal(named.n, 2 * plain.n);
    assert_string_equal(named.first, "inner");
    assert_int_equal(ubi_native_stacks_frames(stacks, 0, &names, frames_take, &none), UBI_OK);
    assert_int_equal(none.n, 0);
    assert_int_equal(ubi_native_stacks_frames(stacks, UINT32_MAX, &names, frames_take, &none), UBI_EINVAL);
    ubi_native_stacks_free(stacks);
}

static void a_function_is_where_it_begins(void **state) {
    (void)state;
    uintptr_t begins = (uintptr_t)captured_by;
    assert_true(ubi_native_function_of(begins + 8) == begins);
}

static void without_memory_there_is_no_stack(void **state) {
    (void)state;
    for (uint64_t n = 0, refused = 1; refused; n++) {
        fail_allocator f;
        fail_allocator_init(&f, n);
        ubi_native_stacks *stacks;
        frames named = { 0 };
        if (ubi_native_stacks_new(&stacks, &f.allocator) == UBI_OK) {
            uint32_t stack = captured_by(stacks);
            ubi_status status = ubi_native_stacks_frames(stacks, stack, NULL, frames_take, &named);
            assert_true(status == UBI_OK || status == UBI_ENOMEM);
            ubi_native_stacks_free(stacks);
        }
        refused = f.n_refused;
        fail_allocator_fini(&f);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_stacks_have_equal_numbers),
        cmocka_unit_test(frames_come_innermost_first_and_without_names_by_module),
        cmocka_unit_test(a_function_is_where_it_begins),
        cmocka_unit_test(without_memory_there_is_no_stack),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
