/* SPDX-License-Identifier: MIT
 *
 * Tests of estimate.h: limits against published tables, and how often they hold and how wide they are when sampling is simulated.
 *
 * Run by hand with an argument it prints the table of docs/explanation/sampling.md.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "random_numbers.h"
#include "recording/byte_sampler.h"
#include "recording/estimate.h"

/* ---- limits that are known ---------------------------------------------------------------------------------------- */

static void assert_near(double a, double b, double part) {
    if (!(fabs(a - b) <= part * fabs(b)))
        fail_msg("%.9g is not %.9g", a, b);
}

/* The 2.5% and 97.5% limits of a Poisson mean, of Garwood's table. */
static void the_gamma_quantile_is_that_of_the_tables(void **state) {
    static const struct {
        double n, low, high;
    } garwood[] = { { 1, 0.0253, 5.572 },   { 2, 0.2422, 7.225 },   { 5, 1.623, 11.668 },    { 10, 4.795, 18.390 },
                    { 20, 12.217, 30.888 }, { 50, 37.111, 65.919 }, { 100, 81.364, 121.627 } };
    (void)state;
    for (size_t i = 0; i < sizeof garwood / sizeof *garwood; i++) {
        assert_near(ubi__gamma_quantile(0.025, garwood[i].n, garwood[i].n), garwood[i].low, 0.002);
        assert_near(ubi__gamma_quantile(0.975, garwood[i].n + 1, garwood[i].n + 1), garwood[i].high, 0.0001);
    }
    assert_near(ubi__gamma_quantile(0.95, 1, 1), -log(0.05), 1e-6);
    assert_near(ubi__gamma_quantile(0.975, 3 * 7, 3 * 7 * 7), 7 * ubi__gamma_quantile(0.975, 3, 3), 1e-6);
    /* Where one formula gives way to the other. */
    assert_near(ubi__gamma_quantile(0.01, 399.999, 399.999), ubi__gamma_quantile(0.01, 400.001, 400.001), 1e-4);
    assert_true(ubi__gamma_quantile(0.5, 0, 0) == 0 && ubi__gamma_quantile(0.5, 3, 0) == 3);
    assert_true(ubi__gamma_quantile(0.01, 1e-9, 1e9) >= 0);
}

static void nothing_sampled_may_hide_three_periods(void **state) {
    const ubi__estimate none = { 0 };
    (void)state;
    ubi__range bytes = ubi__estimate_bytes_range(&none, 512 << 10), count = ubi__estimate_count_range(&none, 512 << 10);
    assert_true(bytes.low == 0);
    assert_near(bytes.high, 2.9957 * (512 << 10), 0.001);
    assert_near(count.high, bytes.high / UBI__LEAST_BLOCK_BYTES, 0.001);
}

static void what_was_met_is_there_and_what_is_large_is_known(void **state) {
    const uint64_t period = 512 << 10, large = 20 * period;
    ubi__estimate e = { 0 };
    (void)state;
    ubi__estimate_add_samples(&e, 3, large, ubi__sample_weight_bytes(large, period, 0), period);
    ubi__range bytes = ubi__estimate_bytes_range(&e, period), count = ubi__estimate_count_range(&e, period);
    assert_true(bytes.low >= 3.0 * (double)large && count.low >= 3);
    assert_near(bytes.high, 3.0 * (double)large + 3.69 * (double)period, 0.001);
    ubi__range exact = ubi__estimate_bytes_range(&e, 1);
    assert_true(exact.low == e.bytes && exact.high == e.bytes);
}

static void finer_periods_have_nearer_limits(void **state) {
    const uint64_t period = 512 << 10;
    ubi__estimate e = { 0 };
    (void)state;
    ubi__estimate_add_samples(&e, 9, 1000, ubi__sample_weight_bytes(1000, period, 0), period);
    ubi__estimate_add_samples(&e, 2, 3 * period, ubi__sample_weight_bytes(3 * period, period, 0), period);
    double width = INFINITY;
    for (uint64_t other = period; other; other /= 2) {
        ubi__estimate finer = ubi__estimate_with_period(&e, period, other);
        ubi__range r = ubi__estimate_bytes_range(&finer, other);
        if (finer.bytes != e.bytes || r.low > e.bytes || r.high < e.bytes || !(r.high - r.low < width))
            fail_msg("%.0f in [%.2f, %.2f], %.2f before, period %u", e.bytes, r.low, r.high, width, (unsigned)other);
        width = r.high - r.low;
    }
    assert_true(width == 0);
}

/* ---- simulation --------------------------------------------------------------------------------------------------- */

#define RUNS 1000
#define MOST 20000

typedef struct made {
    uint64_t size[MOST];
    size_t n;
} made;

static double drawn(void *payload) {
    (void)payload;
    return (random_below(UINT32_C(1) << 26) * 0x1p27 + random_below(UINT32_C(1) << 27)) * 0x1p-53;
}

static void make_some(made *m, size_t n, double size_bytes) {
    for (size_t i = 0; i < n; i++)
        m->size[m->n++] = (uint64_t)size_bytes;
}

static void make_pareto(made *m, size_t n, double least, double shape) {
    for (size_t i = 0; i < n; i++)
        m->size[m->n++] = (uint64_t)fmin(least * pow(1 - drawn(NULL), -1 / shape), 1e10);
}

/* From 16 bytes to e^powers as many; each factor as likely as any other. */
static void make_many_sizes(made *m, size_t n, double powers) {
    for (size_t i = 0; i < n; i++)
        m->size[m->n++] = (uint64_t)(16 * exp(powers * drawn(NULL)));
}

static void of_the_issue(made *m, double period) {
    (void)period;
    make_some(m, 1003, 350);
    make_some(m, 1, 4.6 * (1 << 20));
}

static void all_small(made *m, double period) {
    make_some(m, 10000, period / 1000);
}

static void few_bytes(made *m, double period) {
    make_some(m, 100, period / 200);
}

static void just_what_may_hide(made *m, double period) {
    make_some(m, 3010, period / 1000);
}

static void all_large(made *m, double period) {
    make_some(m, 64, period * 8);
}

static void one_huge(made *m, double period) {
    make_some(m, 1, period * 200);
}

static void few_near_the_period(made *m, double period) {
    make_some(m, 5, period * 0.7);
    make_some(m, 4, period * 1.3);
}

static void many_near_the_period(made *m, double period) {
    make_some(m, 40, period * 3);
    make_some(m, 60, period * 0.5);
}

/* That some were missed is seldom, and means much. */
static void seldom_missed(made *m, double period) {
    make_some(m, 40, period * 6.65);
}

static void small_and_large(made *m, double period) {
    make_some(m, 5000, 64);
    make_some(m, 5, period);
    make_some(m, 3, period * 20);
}

static void heavy_tail(made *m, double period) {
    make_pareto(m, 3000, period / 500, 1.1);
}

static void heavier_tail(made *m, double period) {
    make_pareto(m, 5000, period / 10000, 0.8);
}

static void many_sizes(made *m, double period) {
    make_many_sizes(m, 3000, log(period));
}

static const struct {
    const char *words;
    void (*make)(made *m, double period);
} shapes[] = {
    { "1,003 blocks of 350 B, one of 4.6 MiB", of_the_issue },
    { "10,000 blocks of a 1,000th of the period", all_small },
    { "half a period in 100 blocks", few_bytes },
    { "3.01 periods in 3,010 blocks", just_what_may_hide },
    { "64 blocks of 8 periods", all_large },
    { "one block of 200 periods", one_huge },
    { "5 blocks of 0.7, 4 of 1.3 periods", few_near_the_period },
    { "60 blocks of half a period, 40 of 3", many_near_the_period },
    { "40 blocks of 6.65 periods", seldom_missed },
    { "5,000 blocks of 64 B, 5 of a period, 3 of 20", small_and_large },
    { "3,000 blocks, Pareto with shape 1.1", heavy_tail },
    { "5,000 blocks, Pareto with shape 0.8", heavier_tail },
    { "3,000 blocks, all orders of magnitude alike", many_sizes },
};
#define SHAPES (sizeof shapes / sizeof *shapes)

/* What came out of all runs of one shape. */
typedef struct outcome {
    double truth, width, poisson_width; /* in periods; medians */
    unsigned held, count_held;
} outcome;

static int compare_doubles(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double values[RUNS]) {
    qsort(values, RUNS, sizeof *values, compare_doubles);
    return (values[RUNS / 2 - 1] + values[RUNS / 2]) / 2;
}

/* Garwood's, of n events. */
static double poisson_width(double n) {
    return ubi__gamma_quantile(0.975, n + 1, n + 1) - (n > 0 ? ubi__gamma_quantile(0.025, n, n) : 0);
}

static bool lies_in(double truth, ubi__range range) {
    return range.low <= truth && truth <= range.high;
}

static outcome simulate(void (*make)(made *m, double period), uint64_t period) {
    static made m;
    static double widths[RUNS], poisson_widths[RUNS];
    outcome out = { 0 };
    m.n = 0;
    make(&m, (double)period);
    for (size_t i = 0; i < m.n; i++)
        out.truth += (double)m.size[i];
    for (int run = 0; run < RUNS; run++) {
        ubi__byte_sampler s;
        ubi__estimate e = { 0 };
        uint64_t events = 0;
        ubi__byte_sampler_init(&s, period, drawn, NULL);
        for (size_t i = 0; i < m.n; i++) {
            uint64_t n = ubi__byte_sampler_add(&s, m.size[i]);
            if (n)
                ubi__estimate_add_samples(&e, 1, m.size[i], ubi__sample_weight_bytes(m.size[i], period, n), period);
            events += n;
        }
        ubi__range bytes = ubi__estimate_bytes_range(&e, period);
        out.held += lies_in(out.truth, bytes);
        out.count_held += lies_in((double)m.n, ubi__estimate_count_range(&e, period));
        widths[run] = (bytes.high - bytes.low) / (double)period;
        poisson_widths[run] = poisson_width((double)events);
    }
    out.truth /= (double)period;
    out.width = median(widths);
    out.poisson_width = median(poisson_widths);
    return out;
}

static const uint64_t periods[] = { 512 << 10, UBI__ORIGINAL_PERIOD_BYTES };

static void limits_hold_and_are_no_wider_than_they_must(void **state) {
    (void)state;
    random_start(15);
    for (size_t p = 0; p < sizeof periods / sizeof *periods; p++)
        for (size_t i = 0; i < SHAPES; i++) {
            outcome o = simulate(shapes[i].make, periods[p]);
            if (o.held < RUNS * 94 / 100 || o.count_held < RUNS * 94 / 100 || o.width > 1.5 * o.poisson_width)
                fail_msg("%s, period %u: held %u, counts %u; width %.2f, Poisson %.2f", shapes[i].words,
                         (unsigned)periods[p], o.held, o.count_held, o.width, o.poisson_width);
        }
}

static void print_table(void) {
    random_start(15);
    puts("| allocations | bytes, in periods | the limits hold | width, in periods | of the exact Poisson interval |");
    puts("|---|---|---|---|---|");
    for (size_t i = 0; i < SHAPES; i++) {
        outcome o = simulate(shapes[i].make, periods[0]);
        printf("| %s | %.2f | %.1f%% | %.2f | %.2f |\n", shapes[i].words, o.truth, 100.0 * o.held / RUNS, o.width,
               o.poisson_width);
    }
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_gamma_quantile_is_that_of_the_tables),
        cmocka_unit_test(nothing_sampled_may_hide_three_periods),
        cmocka_unit_test(what_was_met_is_there_and_what_is_large_is_known),
        cmocka_unit_test(finer_periods_have_nearer_limits),
        cmocka_unit_test(limits_hold_and_are_no_wider_than_they_must),
    };
    (void)argv;
    if (argc > 1) {
        print_table();
        return 0;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
