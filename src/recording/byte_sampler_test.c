/* SPDX-License-Identifier: MIT
 *
 * Tests of byte_sampler.h: cases MP-1, MP-18 and MP-20, and what estimates are worth.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "random_numbers.h"
#include "recording/byte_sampler.h"

static double constant(void *payload) {
    return *(const double *)payload;
}

static double drawn(void *payload) {
    (void)payload;
    return (random_below(UINT32_C(1) << 26) * 0x1p27 + random_below(UINT32_C(1) << 27)) * 0x1p-53;
}

static void the_original_step_is_kept_to_the_letter(void **state) {
    double half = 0.5;
    (void)state;
    ubi__byte_sampler s;
    ubi__byte_sampler_init(&s, 65536, constant, &half);
    assert_int_equal(s.remaining_bytes, 45425);
    static const struct {
        uint64_t size_bytes, n, remaining_bytes;
    } steps[] = { { 45424, 0, 1 },        { 1, 1, 45425 }, { 45425, 1, 45425 },
                  { 1000000, 22, 44775 }, { 0, 0, 44775 }, { 65536, 1, 24664 } };
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        assert_int_equal(ubi__byte_sampler_add(&s, steps[i].size_bytes), steps[i].n);
        assert_int_equal(s.remaining_bytes, steps[i].remaining_bytes);
    }
    assert_int_equal(ubi__sample_weight_bytes(1000000, 65536, 22), 1441792);
}

static void known_numbers_give_known_steps(void **state) {
    static const struct {
        double u;
        uint64_t step;
    } golden[] = { { 0, 0 },         { 1e-5, 0 },          { 1.0 / 65536, 1 },      { 0.1, 6904 },
                   { 0.25, 18853 },  { 0.5, 45425 },       { 0.75, 90851 },         { 0.9, 150901 },
                   { 0.99, 301802 }, { 0.999999, 905406 }, { 1 - 0x1p-53, 2407564 } };
    (void)state;
    for (size_t i = 0; i < sizeof golden / sizeof *golden; i++) {
        double u = golden[i].u;
        ubi__byte_sampler s;
        ubi__byte_sampler_init(&s, 65536, constant, &u);
        assert_int_equal(s.remaining_bytes, golden[i].step);
    }
}

static void nothing_is_never_sampled(void **state) {
    double zero = 0;
    (void)state;
    ubi__byte_sampler s;
    ubi__byte_sampler_init(&s, 65536, constant, &zero);
    assert_int_equal(s.remaining_bytes, 0);
    assert_int_equal(ubi__byte_sampler_add(&s, 0), 0);
    assert_int_equal(s.remaining_bytes, 0);
}

static void exact_weighs_what_it_is(void **state) {
    (void)state;
    ubi__byte_sampler s;
    ubi__byte_sampler_init(&s, 1, NULL, NULL);
    assert_true(ubi__byte_sampler_is_exact(&s));
    assert_int_equal(ubi__sample_weight_bytes(77, 1, 1), 77);
    assert_true(ubi__sample_variance(77, 1, 77) == 0);
    assert_true(ubi__sampled_probability(0, 1) == 1);
}

/* MP-20; and an allocation of which no one could draw every period. */
static void huge_allocations_neither_wrap_nor_take_for_ever(void **state) {
    (void)state;
    random_start(20);
    ubi__byte_sampler s;
    ubi__byte_sampler_init(&s, 65536, drawn, NULL);
    uint64_t n = ubi__byte_sampler_add(&s, UINT64_C(3) << 30);
    assert_in_range(n, 49152 - 900, 49152 + 900); /* four standard deviations */
    n = ubi__byte_sampler_add(&s, UINT64_C(1) << 60);
    assert_in_range(n, (UINT64_C(1) << 44) - 1100, (UINT64_C(1) << 44) + 1100);
    assert_int_equal(ubi__sample_weight_bytes(UINT64_MAX, 65536, UINT64_MAX), UINT64_MAX);
}

/* MP-18: a hundred thousand samples of one size. */
static void sampled(uint64_t period_bytes, uint64_t size_bytes, double tolerance) {
    ubi__byte_sampler s;
    uint64_t n_samples = 0, weight_bytes = 0, n_allocations = 0;
    ubi__byte_sampler_init(&s, period_bytes, drawn, NULL);
    while (n_samples < 100000) {
        uint64_t n = ubi__byte_sampler_add(&s, size_bytes);
        n_allocations++;
        n_samples += n > 0;
        weight_bytes += n ? ubi__sample_weight_bytes(size_bytes, period_bytes, n) : 0;
    }
    double truth = (double)n_allocations * (double)size_bytes;
    double fraction = (double)n_samples / (double)n_allocations;
    double expected = ubi__sampled_probability(size_bytes, period_bytes);
    assert_true(fabs((double)weight_bytes / truth - 1) < tolerance);
    assert_true(fabs(fraction / expected - 1) < 2 * tolerance);
}

static void weights_add_up_to_what_was_allocated(void **state) {
    static const uint64_t periods[] = { 2, 1000, 4096, 65536, 512 * 1024 }, sizes[] = { 16, 1000, 65536, 1000000 };
    (void)state;
    random_start(18);
    for (size_t i = 0; i < sizeof periods / sizeof *periods; i++)
        for (size_t j = 0; j < sizeof sizes / sizeof *sizes; j++)
            if (periods[i] / sizes[j] < 300 && sizes[j] / periods[i] < 300) /* else it takes long */
                sampled(periods[i], sizes[j], 0.01);
}

/* Programs of many sizes, each seed another run: the true value lies within three standard errors nearly always. */
static unsigned count_good_runs(uint64_t period_bytes, unsigned n_runs) {
    unsigned good = 0;
    for (unsigned run = 0; run < n_runs; run++) {
        ubi__byte_sampler s;
        double estimate = 0, variance = 0, truth = 0;
        random_start(run);
        ubi__byte_sampler_init(&s, period_bytes, drawn, NULL);
        for (unsigned i = 0; i < 20000; i++) {
            uint64_t size_bytes = UINT64_C(1) << random_below(16);
            uint64_t n = ubi__byte_sampler_add(&s, size_bytes);
            uint64_t weight_bytes = n ? ubi__sample_weight_bytes(size_bytes, period_bytes, n) : 0;
            truth += (double)size_bytes;
            estimate += (double)weight_bytes;
            variance += n ? ubi__sample_variance(size_bytes, period_bytes, weight_bytes) : 0;
        }
        good += fabs(estimate - truth) <= 3 * sqrt(variance);
    }
    return good;
}

static void the_truth_is_within_three_standard_errors(void **state) {
    (void)state;
    assert_true(count_good_runs(65536, 1000) >= 990);
    assert_true(count_good_runs(16384, 1000) >= 990);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_original_step_is_kept_to_the_letter),
        cmocka_unit_test(known_numbers_give_known_steps),
        cmocka_unit_test(nothing_is_never_sampled),
        cmocka_unit_test(exact_weighs_what_it_is),
        cmocka_unit_test(huge_allocations_neither_wrap_nor_take_for_ever),
        cmocka_unit_test(weights_add_up_to_what_was_allocated),
        cmocka_unit_test(the_truth_is_within_three_standard_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
