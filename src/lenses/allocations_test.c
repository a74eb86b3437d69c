/* SPDX-License-Identifier: MIT
 *
 * allocations_test.c: functions and callers of real recordings, and failed allocations.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <ubiheap/core/formats.h>
#include <ubiheap/views/allocations.h>

#include "base/status.h"
#include "base/text.h"
#include "fail_allocator.h"

typedef struct heap {
    ubi_graph *graph;
    ubi_look *look;
} heap;

static heap open_file(const char *path) {
    heap h;
    assert_int_equal(ubi_graph_read_path(&h.graph, path, NULL, NULL), UBI_OK);
    assert_int_equal(ubi_look_open(&h.look, NULL, h.graph, NULL), UBI_OK);
    return h;
}

static void close_file(heap *h) {
    ubi_look_close(h->look);
    ubi_graph_unref(h->graph);
}

static const char recording[] = "tests/data/v8/chromium-alloc.heapsnapshot.gz";
static const char firefox[] = "tests/data/fx/tiny-after.fxsnapshot";

static void callers_follow_what_they_call_the_largest_first(void **state) {
    (void)state;
    heap h = open_file(recording);
    ubi_allocations *a;
    ubi_allocation_caller *rows;
    uint32_t n, n_tops;
    assert_int_equal(ubi_allocations_new(&a, h.look, NULL), UBI_OK);
    const ubi_allocation_top *tops = ubi_allocations_tops(a, &n_tops);
    assert_int_equal(n_tops, 6);
    assert_int_equal(ubi_allocations_callers(&rows, &n, a, tops[0].function, 100), UBI_OK);
    assert_int_equal(n, 3);
    assert_int_equal(rows[0].parent, UBI_NONE);
    assert_memory_equal(&rows[0].tally, &tops[0].tally, sizeof rows[0].tally);
    for (uint32_t i = 1; i < n; i++) {
        assert_int_equal(rows[i].parent, i - 1);
        assert_int_equal(rows[i].depth, i);
    }
    ubi_allocations_callers_free(a, rows, n);
    assert_int_equal(ubi_allocations_callers(&rows, &n, a, tops[0].function, 0), UBI_OK);
    assert_int_equal(n, 1);
    ubi_allocations_callers_free(a, rows, n);
    ubi_allocations_free(a);
    close_file(&h);
}

static void stacks_of_firefox_give_what_lives(void **state) {
    (void)state;
    heap h = open_file(firefox);
    ubi_allocations *a;
    uint32_t n, n_samples;
    ubi_allocation_function function;
    assert_int_equal(ubi_allocations_new(&a, h.look, NULL), UBI_OK);
    const ubi_allocation_top *tops = ubi_allocations_tops(a, &n);
    assert_true(n > 1);
    assert_false(ubi_allocations_has_history(a));
    assert_int_equal(tops[0].tally.count, tops[0].tally.live_count);
    assert_true(tops[0].tally.size_bytes >= tops[1].tally.size_bytes);
    ubi_allocations_function(a, tops[0].function, &function);
    assert_true(function.name.len > 0);
    assert_null(ubi_allocations_samples(a, &n_samples));
    assert_int_equal(n_samples, 0);
    ubi_allocations_free(a);
    close_file(&h);
}

static ubi_status tally_with(void *payload, const ubi_allocator *allocator) {
    const heap *h = payload;
    ubi_allocations_options options = UBI_ALLOCATIONS_OPTIONS_INIT;
    ubi_allocations *a;
    ubi_allocation_caller *rows;
    uint32_t n;
    options.allocator = allocator;
    UBI_TRY(ubi_allocations_new(&a, h->look, &options));
    ubi_status status = ubi_allocations_callers(&rows, &n, a, ubi_allocations_tops(a, &n)[0].function, 3);
    if (status == UBI_OK)
        ubi_allocations_callers_free(a, rows, n);
    ubi_allocations_free(a);
    return status;
}

static void every_failed_allocation_has_a_way_out(void **state) {
    (void)state;
    const char *files[] = { recording, firefox };
    for (size_t i = 0; i < 2; i++) {
        heap h = open_file(files[i]);
        assert_true(fail_each_allocation(tally_with, &h) > 4);
        close_file(&h);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(callers_follow_what_they_call_the_largest_first),
        cmocka_unit_test(stacks_of_firefox_give_what_lives),
        cmocka_unit_test(every_failed_allocation_has_a_way_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
