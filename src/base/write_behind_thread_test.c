/* SPDX-License-Identifier: MIT
 *
 * write_behind_thread_test.c: what goes in comes out, in order; errors come back.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/deflate.h"
#include "fail_allocator.h"

/** Checks that byte i is i * 7, and refuses when told to. */
typedef struct target {
    uint64_t n, refuse_after;
    size_t smallest, largest; /* pieces */
    bool is_slow, is_wrong;
} target;

static ubi_status take(void *payload, const void *data, size_t n) {
    target *t = payload;
    const uint8_t *p = data;
    if (t->n >= t->refuse_after)
        return ubi__fail(UBI_EIO, "no room behind %llu bytes", (unsigned long long)t->n);
    if (t->is_slow)
        usleep(100);
    t->smallest = t->smallest && t->smallest < n ? t->smallest : n;
    t->largest = t->largest > n ? t->largest : n;
    for (size_t i = 0; i < n; i++)
        t->is_wrong = t->is_wrong || p[i] != (uint8_t)(t->n++ * 7);
    return UBI_OK;
}

static ubi_status write_pattern(ubi__write_behind *w, uint64_t n, size_t piece) {
    static uint8_t data[300000];
    for (uint64_t at = 0; at < n;) {
        size_t some = n - at < piece ? (size_t)(n - at) : piece;
        for (size_t i = 0; i < some; i++)
            data[i] = (uint8_t)((at + i) * 7);
        UBI_TRY(ubi__write_behind_write(w, data, some));
        at += some;
    }
    return ubi__write_behind_finish(w);
}

static ubi_status run(target *t, uint64_t n, size_t piece, const ubi_allocator *a) {
    ubi__write_behind *w;
    UBI_TRY(ubi__write_behind_new(&w, take, t, a));
    ubi_status status = write_pattern(w, n, piece);
    ubi__write_behind_free(w);
    return status;
}

static void all_bytes_arrive_in_order_whatever_the_pieces(void **state) {
    static const size_t pieces[] = { 97, 7777, 65536, 300000 };
    (void)state;
    for (size_t i = 0; i < 4; i++)
        for (int slow = 0; slow <= 1; slow++) {
            target t = { .refuse_after = UINT64_MAX, .is_slow = slow };
            assert_int_equal(run(&t, 1000001, pieces[i], ubi_allocator_default()), UBI_OK);
            assert_int_equal(t.n, 1000001);
            assert_false(t.is_wrong);
        }
}

static void pieces_arrive_as_they_came_up_to_a_block(void **state) {
    target t = { .refuse_after = UINT64_MAX }, large = t;
    (void)state;
    assert_int_equal(run(&t, 650000, 65000, ubi_allocator_default()), UBI_OK);
    assert_true(t.smallest == 65000 && t.largest == 65000);
    assert_int_equal(run(&large, 300000, 300000, ubi_allocator_default()), UBI_OK);
    assert_int_equal(large.largest, UBI__WRITE_BEHIND_BLOCK_BYTES);
}

static void nothing_is_fine(void **state) {
    target t = { .refuse_after = UINT64_MAX };
    (void)state;
    assert_int_equal(run(&t, 0, 1, ubi_allocator_default()), UBI_OK);
    assert_int_equal(t.n, 0);
}

static void an_error_comes_back_with_its_message(void **state) {
    (void)state;
    for (uint64_t limit = 0; limit < 1000000; limit += 65536) {
        target t = { .refuse_after = limit };
        char expected[64];
        assert_int_equal(run(&t, 1000000, 10000, ubi_allocator_default()), UBI_EIO);
        snprintf(expected, sizeof expected, "no room behind %llu bytes",
                 (unsigned long long)(limit + 9999) / 10000 * 10000);
        assert_string_equal(ubi_error_message(), expected);
    }
}

static void dropping_it_in_the_middle_ends_the_helper(void **state) {
    uint8_t data[1000] = { 0 };
    (void)state;
    for (int n = 0; n < 300; n += 50) {
        target t = { .refuse_after = UINT64_MAX, .is_slow = true };
        ubi__write_behind *w;
        assert_int_equal(ubi__write_behind_new(&w, take, &t, ubi_allocator_default()), UBI_OK);
        for (int i = 0; i < n; i++)
            assert_int_equal(ubi__write_behind_write(w, data, sizeof data), UBI_OK);
        ubi__write_behind_free(w);
    }
}

static void every_refused_allocation_is_out_of_memory_without_a_leak(void **state) {
    ubi_status status = UBI_ENOMEM;
    (void)state;
    for (uint64_t n = 0; status != UBI_OK; n++) {
        fail_allocator f;
        target t = { .refuse_after = UINT64_MAX };
        fail_allocator_init(&f, n);
        status = run(&t, 100000, 1000, &f.allocator);
        fail_allocator_fini(&f);
        assert_true(status == UBI_OK || status == UBI_ENOMEM);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_bytes_arrive_in_order_whatever_the_pieces),
        cmocka_unit_test(pieces_arrive_as_they_came_up_to_a_block),
        cmocka_unit_test(nothing_is_fine),
        cmocka_unit_test(an_error_comes_back_with_its_message),
        cmocka_unit_test(dropping_it_in_the_middle_ends_the_helper),
        cmocka_unit_test(every_refused_allocation_is_out_of_memory_without_a_leak),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
