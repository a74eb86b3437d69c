/* SPDX-License-Identifier: MIT
 *
 * live_sums_test.c: what lives now, by stack, beside a plain count of the same events; and curves whose steps get longer.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/status.h"
#include "damage.h"
#include "fail_allocator.h"
#include "random_numbers.h"
#include "recording/live_sums.h"

enum { TRACES = 7, BLOCKS = 500 };

/* The same without cleverness. */
typedef struct plain {
    uint64_t weight[BLOCKS], live[TRACES], total[TRACES];
    uint32_t trace[BLOCKS];
    uint64_t all, peak;
} plain;

static void plain_alloc(plain *p, uint64_t number, uint32_t trace, uint64_t weight) {
    p->weight[number] = weight;
    p->trace[number] = trace;
    p->live[trace] += weight;
    p->total[trace] += weight;
    p->all += weight;
    p->peak = p->all > p->peak ? p->all : p->peak;
}

static void plain_free(plain *p, uint64_t number) {
    p->live[p->trace[number]] -= p->weight[number];
    p->all -= p->weight[number];
    p->weight[number] = 0;
}

static ubi_status stacks_make(ubi__live_sums *sums) {
    for (uint32_t i = 1; i < TRACES; i++) {
        UBI_TRY(ubi__live_sums_frame(sums, 10 * i, 0, 100 + i));
        UBI_TRY(ubi__live_sums_trace(sums, i, i - 1, 10 * i));
    }
    return UBI_OK;
}

static ubi_status events_make(ubi__live_sums *sums, plain *p) {
    UBI_TRY(stacks_make(sums));
    for (uint64_t i = 0; i < BLOCKS; i++) {
        uint64_t weight = 1 + random_below(4000), old = random_below((uint32_t)i + 1);
        uint32_t trace = random_below(TRACES);
        UBI_TRY(ubi__live_sums_alloc(sums, i, trace, weight, weight, i * 1000));
        plain_alloc(p, i, trace, weight);
        if (random_below(2) && p->weight[old]) {
            ubi__live_sums_free(sums, old, i * 1000 + 1);
            plain_free(p, old);
        }
        ubi__live_sums_free(sums, BLOCKS + i, i * 1000 + 2); /* never seen */
    }
    return UBI_OK;
}

static void sums_are_those_of_a_plain_count(void **state) {
    ubi__live_sums sums;
    plain p = { .all = 0 };
    (void)state;
    random_start(5);
    ubi__live_sums_init(&sums, ubi_allocator_default());
    assert_int_equal(events_make(&sums, &p), UBI_OK);
    ubi__live_sums_check(&sums);
    assert_int_equal(sums.totals.live_bytes, p.all);
    assert_int_equal(sums.totals.peak_bytes, p.peak);
    assert_true(sums.totals.total_count == BLOCKS);
    for (uint32_t i = 0; i < TRACES; i++) {
        assert_int_equal(sums.traces.at[i].live_bytes, p.live[i]);
        assert_int_equal(sums.traces.at[i].total_bytes, p.total[i]);
    }
    assert_int_equal(sums.traces.at[3].caller, 2);
    assert_int_equal(sums.frames.at[30].offset, 103);
    assert_int_equal(sums.frames.at[31].module, UBI_NONE);
    ubi__live_sums_fini(&sums);
}

static void samples_stand_for_others(void **state) {
    ubi__live_sums sums;
    (void)state;
    ubi__live_sums_init(&sums, ubi_allocator_default());
    assert_int_equal(ubi__live_sums_alloc(&sums, 0, 0, 100, 1000, 0), UBI_OK);
    assert_int_equal(ubi__live_sums_alloc(&sums, 1, 0, 0, 7, 0), UBI_OK);
    assert_true(sums.totals.live_count == 11 && sums.totals.live_bytes == 1007);
    ubi__live_sums_free(&sums, 0, 5);
    assert_true(sums.totals.live_count == 1 && sums.totals.live_bytes == 7 && sums.totals.total_count == 11);
    ubi__live_sums_fini(&sums);
}

/* Ten seconds: 1,000 live for all of it, and 5,000 for a moment. */
static void a_curve_keeps_its_peaks_and_its_plains(void **state) {
    ubi__live_sums sums;
    (void)state;
    ubi__live_sums_init(&sums, ubi_allocator_default());
    assert_int_equal(ubi__live_sums_alloc(&sums, 0, 0, 1000, 1000, 0), UBI_OK);
    assert_int_equal(ubi__live_sums_alloc(&sums, 1, 0, 4000, 4000, 3000000), UBI_OK);
    ubi__live_sums_free(&sums, 1, 3000001);
    ubi__live_curve_note(&sums.curve, 10000000, 1000);
    const ubi__live_curve *c = &sums.curve;
    assert_true(c->n <= UBI__LIVE_STEPS && c->n * c->step_us > 10000000);
    size_t n_high = 0;
    for (size_t i = 0; i < c->n; i++) {
        assert_true(c->at[i] == 1000 || c->at[i] == 5000);
        n_high += c->at[i] == 5000;
        assert_true(c->at[i] == 1000 || i == 3000000 / c->step_us);
    }
    assert_int_equal(n_high, 1);
    ubi__live_curve_note(&sums.curve, UINT64_MAX, 1);
    assert_true(c->n <= UBI__LIVE_STEPS);
    ubi__live_sums_fini(&sums);
}

static void sums_check(void *sums) {
    ubi__live_sums_check(sums);
}

static void damaged_sums_are_seen(void **state) {
    ubi__live_sums sums;
    (void)state;
    ubi__live_sums_init(&sums, ubi_allocator_default());
    assert_int_equal(stacks_make(&sums), UBI_OK);
    assert_int_equal(ubi__live_sums_alloc(&sums, 1, 3, 8, 8, 0), UBI_OK);
    sums.traces.at[3].live_bytes++;
    assert_damage_seen(sums_check, &sums, "live_bytes == sums->totals.live_bytes");
    sums.traces.at[3].live_bytes--;
    sums.totals.peak_bytes = 1;
    assert_damage_seen(sums_check, &sums, "sums->totals.live_bytes <= sums->totals.peak_bytes");
    sums.totals.peak_bytes = 8;
    sums.traces.at[2].caller = 5;
    assert_damage_seen(sums_check, &sums, "t->caller < i");
    ubi__live_sums_fini(&sums);
}

static ubi_status sums_make(void *payload, const ubi_allocator *allocator) {
    ubi__live_sums sums;
    plain p = { .all = 0 };
    (void)payload;
    random_start(5);
    ubi__live_sums_init(&sums, allocator);
    ubi_status status = events_make(&sums, &p);
    ubi__live_sums_check(&sums);
    ubi__live_sums_fini(&sums);
    return status;
}

static void every_failed_allocation_has_a_way_out(void **state) {
    (void)state;
    assert_true(fail_each_allocation(sums_make, NULL) >= 8);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_those_of_a_plain_count),        cmocka_unit_test(samples_stand_for_others),
        cmocka_unit_test(a_curve_keeps_its_peaks_and_its_plains), cmocka_unit_test(damaged_sums_are_seen),
        cmocka_unit_test(every_failed_allocation_has_a_way_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
