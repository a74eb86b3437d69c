/* SPDX-License-Identifier: MIT
 *
 * alloc_test.c: the default allocator on both sides of its border between malloc and mappings, and growable columns.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "fail_allocator.h"

static const size_t MIB = (size_t)1 << 20;

static uint8_t pattern(size_t i) {
    return (uint8_t)(i * 7 + (i >> 12));
}

static void fill(uint8_t *p, size_t n) {
    for (size_t i = 0; i < n; i++)
        p[i] = pattern(i);
}

static void assert_filled(const uint8_t *p, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (p[i] != pattern(i))
            fail_msg("byte %zu is lost", i);
}

static void resizing_keeps_the_content_on_both_sides_of_the_border(void **state) {
    (void)state;
    const ubi_allocator *a = ubi_allocator_default();
    const size_t sizes[] = { 1, 100, 4097, MIB - 1, MIB, MIB + 1, MIB + 4096, 3 * MIB + 5, 9 * MIB };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
            uint8_t *p = a->alloc(a->ctx, sizes[i]);
            assert_non_null(p);
            assert_int_equal((uintptr_t)p % _Alignof(max_align_t), 0);
            fill(p, sizes[i]);
            p = a->resize(a->ctx, p, sizes[i], sizes[k]);
            assert_non_null(p);
            assert_filled(p, sizes[i] < sizes[k] ? sizes[i] : sizes[k]);
            fill(p, sizes[k]); /* all of it is writable */
            a->free(a->ctx, p, sizes[k]);
        }
}

static void resizing_nothing_allocates_and_freeing_nothing_is_fine(void **state) {
    (void)state;
    const ubi_allocator *a = ubi_allocator_default();
    uint8_t *small = a->resize(a->ctx, NULL, 0, 10), *large = a->resize(a->ctx, NULL, 0, 2 * MIB);
    fill(small, 10);
    fill(large, 2 * MIB);
    a->free(a->ctx, small, 10);
    a->free(a->ctx, large, 2 * MIB);
    a->free(a->ctx, NULL, 0);
    a->free(a->ctx, NULL, 5 * MIB);
    ubi__free_array(a, NULL, 5, 5);
}

static void sizes_that_cannot_be_are_refused_and_the_old_block_stays(void **state) {
    (void)state;
    const ubi_allocator *a = ubi_allocator_default();
    const size_t impossible[] = { SIZE_MAX, (size_t)PTRDIFF_MAX + 1, PTRDIFF_MAX, (size_t)1 << 60 };
    const size_t olds[] = { 100, 2 * MIB };
    for (size_t i = 0; i < 4; i++) {
        assert_null(a->alloc(a->ctx, impossible[i]));
        for (size_t k = 0; k < 2; k++) {
            uint8_t *p = a->alloc(a->ctx, olds[k]);
            fill(p, olds[k]);
            assert_null(a->resize(a->ctx, p, olds[k], impossible[i]));
            assert_filled(p, olds[k]);
            a->free(a->ctx, p, olds[k]);
        }
    }
}

static void arrays_are_checked_for_overflow(void **state) {
    (void)state;
    const ubi_allocator *a = ubi_allocator_default();
    assert_null(ubi__alloc_array(a, SIZE_MAX / 8 + 2, 8)); /* 8 bytes, if it wrapped around */
    assert_null(ubi__calloc_array(a, SIZE_MAX / 2 + 2, 2));
    assert_null(ubi__alloc_array(a, 0, 8));
    assert_null(ubi__calloc_array(a, 0, 8));
}

static void a_cleared_array_is_clear_from_any_allocator(void **state) {
    (void)state;
    fail_allocator f;
    fail_allocator_init(&f, FAIL_ALLOCATOR_NEVER);
    const ubi_allocator *allocators[] = { ubi_allocator_default(), &f.allocator, &f.allocator };
    for (size_t k = 0; k < 3; k++) {
        ubi__allocator_default_replace(k == 2 ? &f.allocator : NULL);
        for (size_t size = 24; size < 4 * MIB; size *= 6) {
            void *dirty = ubi__alloc_array(allocators[k], size, 1);
            memset(dirty, 0xff, size);
            ubi__free_array(allocators[k], dirty, size, 1);
            uint8_t *p = ubi__calloc_array(allocators[k], size, 1);
            for (size_t i = 0; i < size; i++)
                assert_int_equal(p[i], 0);
            ubi__free_array(allocators[k], p, size, 1);
        }
    }
    ubi__allocator_default_replace(NULL);
    fail_allocator_fini(&f);
}

static void no_allocator_means_the_default(void **state) {
    (void)state;
    ubi_allocator other = *ubi_allocator_default();
    assert_ptr_equal(ubi__allocator_or_default(NULL), ubi_allocator_default());
    assert_ptr_equal(ubi__allocator_or_default(&other), &other);
}

static void a_column_keeps_its_values_while_it_grows_and_when_it_is_trimmed(void **state) {
    (void)state;
    fail_allocator f;
    fail_allocator_init(&f, FAIL_ALLOCATOR_NEVER);
    const ubi_allocator *allocators[] = { ubi_allocator_default(), &f.allocator };
    for (size_t k = 0; k < 2; k++) {
        ubi__vec_u64 v = { NULL, 0, 0 };
        for (uint64_t i = 0; i < 300000; i++)
            assert_int_equal(ubi__vec_u64_push(&v, allocators[k], i * i), UBI_OK);
        assert_int_equal(v.n, 300000);
        assert_true(v.cap > v.n);
        ubi__vec_u64_trim(&v, allocators[k]);
        assert_int_equal(v.cap, v.n);
        for (uint64_t i = 0; i < v.n; i++)
            assert_int_equal(v.at[i], i * i);
        assert_int_equal(ubi__vec_u64_push(&v, allocators[k], 5), UBI_OK);
        assert_int_equal(v.at[300000], 5);
        v.n = 0;
        ubi__vec_u64_trim(&v, allocators[k]);
        assert_null(v.at);
        assert_int_equal(v.cap, 0);
        ubi__vec_u64_trim(&v, allocators[k]);
        ubi__vec_u64_fini(&v, allocators[k]);
    }
    fail_allocator_fini(&f);
}

static void growth_doubles_so_that_pushing_is_cheap(void **state) {
    (void)state;
    fail_allocator f;
    ubi__vec_u32 v = { NULL, 0, 0 };
    fail_allocator_init(&f, FAIL_ALLOCATOR_NEVER);
    for (uint32_t i = 0; i < 1000000; i++)
        ubi__vec_u32_push(&v, &f.allocator, i);
    assert_in_range(f.n_requests, 1, 20);
    ubi__vec_u32_fini(&v, &f.allocator);
    fail_allocator_fini(&f);
}

static void reserving_makes_room_at_once_and_leaves_the_count_alone(void **state) {
    (void)state;
    const ubi_allocator *a = ubi_allocator_default();
    ubi__vec_u32 v = { NULL, 0, 0 };
    assert_int_equal(ubi__vec_u32_reserve(&v, a, 1000), UBI_OK);
    assert_int_equal(v.n, 0);
    assert_true(v.cap >= 1000);
    const uint32_t *before = v.at;
    for (uint32_t i = 0; i < 1000; i++)
        ubi__vec_u32_push(&v, a, i);
    assert_ptr_equal(v.at, before);
    ubi__vec_u32_fini(&v, a);
}

static void a_column_that_cannot_grow_stays_as_it_was(void **state) {
    (void)state;
    fail_allocator f;
    fail_allocator_init(&f, 1);
    ubi__vec_u32 v = { NULL, 0, 0 };
    for (uint32_t i = 0; i < 16; i++)
        assert_int_equal(ubi__vec_u32_push(&v, &f.allocator, i), UBI_OK);
    ubi__vec_u32 before = v;
    assert_int_equal(ubi__vec_u32_push(&v, &f.allocator, 16), UBI_ENOMEM);
    assert_int_equal(ubi__vec_u32_reserve(&v, &f.allocator, SIZE_MAX), UBI_ENOMEM);
    assert_int_equal(ubi__vec_u32_reserve(&v, &f.allocator, SIZE_MAX / 4), UBI_ENOMEM);
    assert_string_equal(ubi_error_message(), "out of memory");
    v.n = 10;
    ubi__vec_u32_trim(&v, &f.allocator); /* cannot either, and does not need to */
    v.n = 16;
    assert_memory_equal(&v, &before, sizeof v);
    for (uint32_t i = 0; i < 16; i++)
        assert_int_equal(v.at[i], i);
    ubi__vec_u32_fini(&v, &f.allocator);
    fail_allocator_fini(&f);
}

static void pages_keep_their_content_and_leave_malloc_alone(void **state) {
    (void)state;
    const ubi_allocator *a = ubi__allocator_of_pages();
    const size_t sizes[] = { 1, 4096, 4097, MIB, 3 };
    uint8_t *p = a->resize(a->ctx, NULL, 0, 100);
    size_t filled = 100;
    assert_non_null(p);
    fill(p, filled);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        size_t before = i ? sizes[i - 1] : 100;
        p = a->resize(a->ctx, p, before, sizes[i]);
        assert_non_null(p);
        assert_int_equal((uintptr_t)p % 4096, 0);
        assert_filled(p, before < sizes[i] ? before : sizes[i]);
        fill(p, sizes[i]);
    }
    a->free(a->ctx, p, 3);
    a->free(a->ctx, NULL, 0);
    assert_null(a->alloc(a->ctx, SIZE_MAX));
    p = a->alloc(a->ctx, 8);
    assert_null(a->resize(a->ctx, p, 8, SIZE_MAX));
    a->free(a->ctx, p, 8);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pages_keep_their_content_and_leave_malloc_alone),
        cmocka_unit_test(resizing_keeps_the_content_on_both_sides_of_the_border),
        cmocka_unit_test(resizing_nothing_allocates_and_freeing_nothing_is_fine),
        cmocka_unit_test(sizes_that_cannot_be_are_refused_and_the_old_block_stays),
        cmocka_unit_test(arrays_are_checked_for_overflow),
        cmocka_unit_test(a_cleared_array_is_clear_from_any_allocator),
        cmocka_unit_test(no_allocator_means_the_default),
        cmocka_unit_test(a_column_keeps_its_values_while_it_grows_and_when_it_is_trimmed),
        cmocka_unit_test(growth_doubles_so_that_pushing_is_cheap),
        cmocka_unit_test(reserving_makes_room_at_once_and_leaves_the_count_alone),
        cmocka_unit_test(a_column_that_cannot_grow_stays_as_it_was),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
