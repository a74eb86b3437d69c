/* SPDX-License-Identifier: MIT
 *
 * site_curves_test.c: what places had by time. (Over random recordings: tests/recording/windows_test.py.)
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fail_allocator.h"
#include "recording/site_curves.h"
#include "small_recording.h"

typedef struct made {
    recording r;
    ubi__recording_summary summary;
    ubi__sites sites;
} made;

/* Two places, f with info 0 and g with info 1, and a mapping with info 2. */
static void made_init(made *m) {
    open_recording(&m->r, 1, 1);
    uint32_t f = stack(&m->r, "main f"), g = stack(&m->r, "main g");
    allocate(&m->r, m->r.heap, 10, f);
    allocate(&m->r, m->r.heap, 100, g);
    allocate(&m->r, m->r.mapping, 4096, f);
    close_recording(&m->r, &m->summary);
    must(ubi__sites_init(&m->sites, &m->summary, false, NULL));
    must(ubi__sites_sort(&m->sites, UBI__BY_TOTAL));
}

static void made_fini(made *m) {
    ubi__sites_fini(&m->sites);
    ubi__recording_summary_fini(&m->summary);
}

/* The row of the place with this number of bytes of the heap. */
static uint32_t row_of(const made *m, double total_bytes) {
    for (uint32_t i = 0; i < m->sites.rows.n; i++)
        if (m->sites.rows.at[i].of_class == UBI__UBIREC_HEAP &&
            m->sites.rows.at[i].by[UBI__MEASURE_TOTAL].bytes == total_bytes)
            return i;
    fail();
    return 0;
}

static void event(ubi__site_curves *c, uint64_t time_ns, uint32_t info, bool is_free) {
    const ubi__stream_event e = { .allocation = 1, .time_ns = time_ns, .info = info, .is_free = is_free };
    must(ubi__site_curves_event(c, &e));
}

static void each_span_has_its_highest_moment(void **state) {
    made m;
    ubi__site_curves c;
    (void)state;
    made_init(&m);
    const uint32_t rows[] = { row_of(&m, 10) };
    must(ubi__site_curves_init(&c, &m.sites, UBI__UBIREC_HEAP, rows, 1, 1000, 1000 + 2 * UBI__SITE_CURVE_POINTS, NULL));
    assert_int_equal(c.step_ns, 2);
    event(&c, 5, 0, false);    /* before it begins */
    event(&c, 1000, 1, false); /* 110, the most of the first span */
    event(&c, 1001, 1, true);  /* 10 */
    event(&c, 1001, 2, false); /* a mapping */
    event(&c, 1006, 0, false); /* 20, in the fourth */
    event(&c, 1007, 0, true);  /* 10 */
    event(&c, 2000, 1, false); /* after its end */
    ubi__site_curves_finish(&c);
    assert_int_equal(c.n_points, UBI__SITE_CURVE_POINTS);
    static const uint64_t all[] = { 110, 10, 10, 20, 10 }, of_f[] = { 10, 10, 10, 20, 10 };
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(ubi__site_curves_at(&c, i, 0), all[i]);
        assert_int_equal(ubi__site_curves_at(&c, i, 1), of_f[i]);
    }
    assert_int_equal(ubi__site_curves_at(&c, UBI__SITE_CURVE_POINTS - 1, 0), 10);
    ubi__site_curves_fini(&c);
    made_fini(&m);
}

static void no_time_is_one_point(void **state) {
    made m;
    ubi__site_curves c;
    (void)state;
    made_init(&m);
    must(ubi__site_curves_init(&c, &m.sites, UBI__UBIREC_HEAP, NULL, 0, 7, 7, NULL));
    event(&c, 7, 0, false);
    ubi__site_curves_finish(&c);
    assert_int_equal(c.n_points, 1);
    assert_int_equal(ubi__site_curves_at(&c, 0, 0), 10);
    ubi__site_curves_fini(&c);
    made_fini(&m);
}

static void frees_of_what_was_not_seen_do_not_wrap(void **state) {
    made m;
    ubi__site_curves c;
    (void)state;
    made_init(&m);
    const uint32_t rows[] = { row_of(&m, 10), row_of(&m, 100) };
    must(ubi__site_curves_init(&c, &m.sites, UBI__UBIREC_HEAP, rows, 2, 0, 100, NULL));
    event(&c, 1, 0, true);
    event(&c, 2, 1, false);
    ubi__site_curves_finish(&c);
    assert_int_equal(ubi__site_curves_at(&c, 99, 0), 100);
    assert_int_equal(ubi__site_curves_at(&c, 99, 1), 0);
    assert_int_equal(ubi__site_curves_at(&c, 99, 2), 100);
    ubi__site_curves_fini(&c);
    made_fini(&m);
}

static ubi_status curves_make(void *payload, const ubi_allocator *allocator) {
    made *m = payload;
    ubi__site_curves c;
    const uint32_t rows[] = { 0 };
    UBI_TRY(ubi__site_curves_init(&c, &m->sites, m->sites.rows.at[0].of_class, rows, 1, 0, 100, allocator));
    ubi__site_curves_fini(&c);
    return UBI_OK;
}

static void no_refused_memory_is_missed(void **state) {
    made m;
    (void)state;
    made_init(&m);
    assert_int_equal(fail_each_allocation(curves_make, &m), 4);
    made_fini(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_span_has_its_highest_moment),
        cmocka_unit_test(no_time_is_one_point),
        cmocka_unit_test(frees_of_what_was_not_seen_do_not_wrap),
        cmocka_unit_test(no_refused_memory_is_missed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
