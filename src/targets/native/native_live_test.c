/* SPDX-License-Identifier: MIT
 *
 * native_live_test.c: copies of what the recorder knows: of the process that has most, whole, whatever allocation fails.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "fail_allocator.h"
#include "targets/native/native_live.h"

static void process_fill(ubi__native_live *live, ubi__live_process *p, uint64_t bytes) {
    ubi__live_module module = { .path = (char[]){ "/lib/x.so" }, .path_bytes = 9, .build_id_bytes = 1 };
    module.build_id[0] = 7;
    pthread_mutex_lock(&live->lock);
    ubi__native_live_module(live, p, &module);
    ubi__native_live_note(live, ubi__live_sums_frame(&p->sums, 1, 0, 64));
    ubi__native_live_note(live, ubi__live_sums_trace(&p->sums, 1, 0, 1));
    ubi__native_live_note(live, ubi__live_sums_alloc(&p->sums, 0, 1, bytes, bytes, 10));
    pthread_mutex_unlock(&live->lock);
}

static void the_process_with_most_is_copied(void **state) {
    ubi__native_live live;
    ubi__live_copy copy;
    (void)state;
    ubi__native_live_init(&live, ubi_allocator_default());
    ubi__live_copy_init(&copy, ubi_allocator_default());
    assert_int_equal(ubi__native_live_copy(&live, &copy), UBI_OK);
    assert_int_equal(copy.number, 0);
    ubi__live_process *first = ubi__native_live_begin(&live, 10, "first", 1, 0);
    ubi__live_process *second = ubi__native_live_begin(&live, 11, "second", 4096, 0);
    assert_non_null(first);
    assert_non_null(second);
    process_fill(&live, first, 100);
    process_fill(&live, second, 50);
    ubi__native_live_resident(&live, first, 8192);
    assert_int_equal(ubi__native_live_copy(&live, &copy), UBI_OK);
    assert_int_equal(copy.pid, 10);
    assert_string_equal(copy.name, "first");
    assert_true(copy.n_processes == 2 && copy.n_recorded == 2 && copy.resident_bytes == 8192 && copy.duration_us > 0);
    assert_true(copy.traces.n == 2 && copy.traces.at[1].live_bytes == 100 && copy.frames.at[1].offset == 64);
    assert_true(copy.modules.n == 1 && strcmp(copy.modules.at[0].path, "/lib/x.so") == 0);
    assert_true(copy.modules.at[0].build_id[0] == 7 && !copy.has_ended && !copy.is_short_of_memory);
    ubi__native_live_end(&live, first); /* forgotten: another is recorded */
    assert_int_equal(ubi__native_live_copy(&live, &copy), UBI_OK);
    assert_true(copy.pid == 11 && copy.period_bytes == 4096 && copy.totals.live_bytes == 50 && copy.modules.n == 1);
    ubi__native_live_end(&live, second); /* stays: it is the last */
    assert_int_equal(ubi__native_live_copy(&live, &copy), UBI_OK);
    assert_true(copy.pid == 11 && copy.has_ended && copy.n_recorded == 0 && copy.n_processes == 2);
    ubi__live_copy_fini(&copy);
    ubi__native_live_fini(&live);
}

static void who_looks_can_want_each_process_in_turn(void **state) {
    ubi__native_live live;
    ubi__live_copy copy;
    (void)state;
    ubi__native_live_init(&live, ubi_allocator_default());
    ubi__live_copy_init(&copy, ubi_allocator_default());
    ubi__live_process *all[3];
    for (pid_t i = 0; i < 3; i++) {
        all[i] = ubi__native_live_begin(&live, i + 1, "some", 1, 0);
        assert_non_null(all[i]);
        process_fill(&live, all[i], i == 1 ? 100 : 50);
    }
    const pid_t in_turn[] = { 1, 2, 3, 2, 1 };
    for (size_t i = 0; i < sizeof in_turn / sizeof *in_turn; i++) {
        ubi__native_live_want_next(&live, &copy);
        assert_int_equal(ubi__native_live_copy(&live, &copy), UBI_OK);
        assert_int_equal(copy.pid, in_turn[i]);
        assert_true((copy.wanted == 0) == (i == 3)); /* after the last, whichever has most */
    }
    ubi__native_live_end(&live, all[0]);
    assert_int_equal(ubi__native_live_copy(&live, &copy), UBI_OK);
    assert_true(copy.pid == 2 && copy.wanted == 0);
    ubi__live_copy_fini(&copy);
    ubi__native_live_fini(&live);
}

/* Where sums lack something, a copy says so; one that cannot be made is an error. */
static ubi_status copy_make(void *payload, const ubi_allocator *allocator) {
    ubi__native_live live;
    ubi__live_copy copy;
    (void)payload;
    ubi__native_live_init(&live, allocator);
    ubi__live_copy_init(&copy, allocator);
    ubi__live_process *p = ubi__native_live_begin(&live, 10, "first", 1, 0);
    if (p)
        process_fill(&live, p, 100);
    ubi_status status = ubi__native_live_copy(&live, &copy);
    if (status == UBI_OK && copy.is_short_of_memory)
        status = UBI_ENOMEM;
    ubi__live_copy_fini(&copy);
    ubi__native_live_fini(&live);
    return status;
}

static void every_failed_allocation_has_a_way_out(void **state) {
    (void)state;
    assert_true(fail_each_allocation(copy_make, NULL) >= 8);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_process_with_most_is_copied),
        cmocka_unit_test(who_looks_can_want_each_process_in_turn),
        cmocka_unit_test(every_failed_allocation_has_a_way_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
