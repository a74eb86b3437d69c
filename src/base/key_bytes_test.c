/* SPDX-License-Identifier: MIT
 *
 * key_bytes_test.c: keys of several values are equal only where all values are.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/key_bytes.h"
#include "fail_allocator.h"

static ubi_status key_of(ubi__vec_u8 *key, const char *first, const char *second, const ubi_allocator *a) {
    UBI_TRY(ubi__key_add_text(key, first, a));
    return ubi__key_add_text(key, second, a);
}

static bool are_equal(const char *const left[2], const char *const right[2]) {
    const ubi_allocator *a = ubi_allocator_default();
    ubi__vec_u8 l = { 0 }, r = { 0 };
    assert_int_equal(key_of(&l, left[0], left[1], a), UBI_OK);
    assert_int_equal(key_of(&r, right[0], right[1], a), UBI_OK);
    bool is_equal = l.n == r.n && memcmp(l.at, r.at, l.n) == 0;
    ubi__vec_u8_fini(&l, a);
    ubi__vec_u8_fini(&r, a);
    return is_equal;
}

/* Texts that are the same when they are put side by side. */
static void keys_are_equal_only_where_all_values_are(void **state) {
    static const char *const pairs[][2] = { { "ab", "c" }, { "a", "bc" },   { "abc", "" },  { "", "abc" },
                                            { "", "" },    { NULL, NULL },  { NULL, "" },   { "", NULL },
                                            { "+", "-" },  { "abc", NULL }, { NULL, "abc" } };
    (void)state;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++)
            assert_int_equal(are_equal(pairs[i], pairs[k]), i == k);
}

static void values_may_have_any_bytes(void **state) {
    const ubi_allocator *a = ubi_allocator_default();
    static const char zeros[3] = { 0 };
    ubi__vec_u8 two = { 0 }, three = { 0 };
    (void)state;
    assert_int_equal(ubi__key_add_bytes(&two, zeros, 2, a), UBI_OK);
    assert_int_equal(ubi__key_add_bytes(&three, zeros, 3, a), UBI_OK);
    assert_int_equal(two.n + 1, three.n);
    assert_memory_not_equal(two.at, three.at, two.n);
    ubi__vec_u8_fini(&two, a);
    ubi__vec_u8_fini(&three, a);
}

static ubi_status key_work(void *payload, const ubi_allocator *a) {
    ubi__vec_u8 key = { 0 };
    ubi_status status = key_of(&key, "short", payload, a);
    ubi__vec_u8_fini(&key, a);
    return status;
}

static void a_failed_allocation_leaves_a_key_that_can_be_freed(void **state) {
    static char text[1000];
    (void)state;
    memset(text, 'x', sizeof text - 1);
    assert_true(fail_each_allocation(key_work, text) > 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_are_equal_only_where_all_values_are),
        cmocka_unit_test(values_may_have_any_bytes),
        cmocka_unit_test(a_failed_allocation_leaves_a_key_that_can_be_freed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
