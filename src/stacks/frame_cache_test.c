/* SPDX-License-Identifier: MIT
 *
 * frame_cache_test.c: numbers of frames, on stacks that are rows of a table.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "fail_allocator.h"
#include "stacks/frame_cache.h"

/* A stack's ref is the number of its row; parents come first. */
typedef struct fake_frame {
    const char *function; /* NULL: none */
    uint32_t line, parent;
} fake_frame;

#define NO_PARENT UBI_NONE

static void describe(ubi_stack stack, ubi_frame *out) {
    const fake_frame *frame = &((const fake_frame *)stack.owner)[stack.ref];
    *out = (ubi_frame){ .source = ubi__text("a.js"), .line = frame->line, .column = 3 };
    if (frame->function)
        out->function_name = ubi__text(frame->function);
}
static bool parent_of(ubi_stack stack, ubi_stack *out) {
    uint32_t parent = ((const fake_frame *)stack.owner)[stack.ref].parent;
    *out = stack;
    out->ref = parent;
    return parent != NO_PARENT;
}
static const ubi_stack_ops ops = { .frame = describe, .parent = parent_of };

static ubi_stack stack_of(const fake_frame *frames, uint32_t row) {
    return (ubi_stack){ &ops, (void *)(uintptr_t)frames, row };
}

static uint32_t number_of(ubi__frame_cache *c, const fake_frame *frames, uint32_t row) {
    uint32_t number = 0;
    assert_int_equal(ubi__frame_cache_number(&number, c, stack_of(frames, row)), UBI_OK);
    ubi__frame_cache_check(c);
    return number;
}

static void assert_frame(const ubi__frame_cache *c, uint32_t number, const char *function, uint32_t parent) {
    ubi_frame frame;
    uint32_t got;
    ubi__frame_cache_get(c, number, &frame, &got);
    assert_int_equal(got, parent);
    assert_true(function ? ubi__text_is(frame.function_name, function) : !frame.function_name.ptr);
}

/* Case MEM-19. */
static void callers_come_first_and_keep_their_numbers(void **state) {
    (void)state;
    static const fake_frame frames[] = { { "a", 1, NO_PARENT }, { "b", 2, 0 }, { "c", 3, 1 }, { "d", 4, 0 } };
    ubi__frame_cache c;
    ubi__frame_cache_init(&c, ubi_allocator_default());
    assert_int_equal(ubi__frame_cache_count(&c), 1);
    assert_int_equal(number_of(&c, frames, 2), 3);
    assert_frame(&c, 1, "a", 0);
    assert_frame(&c, 2, "b", 1);
    assert_frame(&c, 3, "c", 2);
    assert_int_equal(number_of(&c, frames, 3), 4);
    assert_frame(&c, 4, "d", 1);
    assert_int_equal(number_of(&c, frames, 2), 3);
    assert_int_equal(ubi__frame_cache_count(&c), 5);
    ubi__frame_cache_clear(&c);
    assert_int_equal(number_of(&c, frames, 3), 2);
    assert_int_equal(ubi__frame_cache_count(&c), 3);
    ubi__frame_cache_fini(&c);
}

static void frames_of_equal_content_have_one_number(void **state) {
    (void)state;
    static const fake_frame frames[] = {
        { "a", 1, NO_PARENT }, { "a", 1, NO_PARENT },  { "b", 2, 0 },        { "b", 2, 1 },
        { "b", 2, NO_PARENT }, { NULL, 1, NO_PARENT }, { "", 1, NO_PARENT }, { "a", 2, NO_PARENT },
    };
    ubi__frame_cache c;
    ubi__frame_cache_init(&c, ubi_allocator_default());
    assert_int_equal(number_of(&c, frames, 2), 2);
    assert_int_equal(number_of(&c, frames, 3), 2);
    assert_int_equal(number_of(&c, frames, 1), 1);
    assert_int_equal(number_of(&c, frames, 4), 3); /* another caller */
    assert_int_equal(number_of(&c, frames, 5), 4); /* no name is not an empty one */
    assert_int_equal(number_of(&c, frames, 6), 5);
    assert_int_equal(number_of(&c, frames, 7), 6); /* another line */
    assert_frame(&c, 4, NULL, 0);
    ubi__frame_cache_fini(&c);
}

enum { DEEP = 100000 };
static fake_frame deep[DEEP];

static void a_deep_stack_needs_no_recursion(void **state) {
    (void)state;
    ubi__frame_cache c;
    ubi__frame_cache_init(&c, ubi_allocator_default());
    for (uint32_t i = 0; i < DEEP; i++)
        deep[i] = (fake_frame){ "f", i, i ? i - 1 : NO_PARENT };
    uint32_t number = 0;
    assert_int_equal(ubi__frame_cache_number(&number, &c, stack_of(deep, DEEP - 1)), UBI_OK);
    assert_int_equal(number, DEEP);
    assert_frame(&c, DEEP, "f", DEEP - 1);
    ubi__frame_cache_fini(&c);
}

/* What has a number keeps it, and the next attempt finds the rest. */
static void without_memory_numbers_stay(void **state) {
    (void)state;
    uint64_t n_failed = 0;
    for (uint64_t n = 0, refused = 1; refused; n++) {
        fail_allocator memory;
        ubi__frame_cache c;
        uint32_t number = 0;
        fail_allocator_init(&memory, n);
        ubi__frame_cache_init(&c, &memory.allocator);
        for (uint32_t i = 0; i < 200; i++)
            deep[i] = (fake_frame){ "f", i, i ? i - 1 : NO_PARENT };
        ubi_status status = ubi__frame_cache_number(&number, &c, stack_of(deep, 199));
        assert_true(status == UBI_OK || status == UBI_ENOMEM);
        ubi__frame_cache_check(&c);
        refused = memory.n_refused;
        n_failed += status != UBI_OK;
        memory.n_allowed = FAIL_ALLOCATOR_NEVER;
        for (uint32_t i = 0; i < 200; i++)
            assert_int_equal(number_of(&c, deep, i), i + 1);
        ubi__frame_cache_fini(&c);
        fail_allocator_fini(&memory);
    }
    assert_true(n_failed > 5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(callers_come_first_and_keep_their_numbers),
        cmocka_unit_test(frames_of_equal_content_have_one_number),
        cmocka_unit_test(a_deep_stack_needs_no_recursion),
        cmocka_unit_test(without_memory_numbers_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
