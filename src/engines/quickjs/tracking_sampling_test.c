/* SPDX-License-Identifier: MIT
 *
 * Sampling: which births are looked at, with a given and with the real source of random numbers.
 */
#include <math.h>

#include "engines/quickjs/tracking_testing.h"
#include "tracking/sampler.h"

/* Numbers of a test, and how many were asked for. */
typedef struct dice {
    const double *numbers;
    uint32_t n, asked;
} dice;

static double throw_dice(void *payload) {
    dice *d = (dice *)payload;
    return d->numbers[d->asked++ % d->n];
}

/* Births without a script: nothing else is allocated. */
static void births(JSContext *ctx, uint32_t n) {
    while (n-- > 0)
        JS_FreeValue(ctx, JS_NewObject(ctx));
}

static uint32_t logged(ubi_quickjs_observer *o, JSContext *ctx, uint32_t n) {
    assert_int_equal(ubi_quickjs_observer_set_log_limit(o, 1u << 30), UBI_OK);
    forget_log(o);
    births(ctx, n);
    uint32_t count = ubi_quickjs_observer_log_length(o);
    forget_log(o);
    return count;
}

static world world_with_dice(dice *d) {
    ubi_quickjs_options options = UBI_QUICKJS_OPTIONS_INIT;
    options.random = throw_dice;
    options.random_payload = d;
    return world_open(&options);
}

/* Case 5. */
static void a_probability_is_between_0_and_1(void **state) {
    UNUSED_STATE(state);
    world w = world_open(NULL);
    ubi_quickjs_observer *o = observe(&w, w.ctx);
    assert_true(ubi_quickjs_observer_probability(o) == 1);
    static const double wrong[] = { -1, 2, NAN, INFINITY, -INFINITY, -1e-300, 1.0000001 };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_int_equal(ubi_quickjs_observer_set_probability(o, wrong[i]), UBI_EINVAL);
    assert_true(ubi_quickjs_observer_probability(o) == 1);
    static const double right[] = { 0, 1, .5, 1e-300, 0.05 };
    for (size_t i = 0; i < sizeof right / sizeof right[0]; i++) {
        assert_int_equal(ubi_quickjs_observer_set_probability(o, right[i]), UBI_OK);
        assert_true(ubi_quickjs_observer_probability(o) == right[i]);
    }
    assert_int_equal(ubi_quickjs_observer_set_probability(o, -0.0), UBI_OK);
    assert_true(signbit(ubi_quickjs_observer_probability(o)));
    world_close(&w);
}

static void one_and_zero_need_no_random_numbers(void **state) {
    UNUSED_STATE(state);
    dice d = { (const double[]){ .5 }, 1, 0 };
    world w = world_with_dice(&d);
    ubi_quickjs_observer *o = track(&w, w.ctx);
    assert_int_equal(logged(o, w.ctx, 1000), 1000);
    assert_int_equal(ubi_quickjs_observer_set_probability(o, 0), UBI_OK);
    assert_int_equal(logged(o, w.ctx, 1000), 0);
    assert_int_equal(d.asked, 0);
    world_close(&w);
}

/* floor(ln .75 / ln .5) = 0, of .4: 1, of .1: 3. And one number per sampled birth, plus the one at the start. */
static void skips_are_geometric_with_one_draw_each(void **state) {
    UNUSED_STATE(state);
    static const double numbers[] = { .25, .6, .9 }; /* u is 1 - each */
    static const uint32_t skips[] = { 0, 1, 3 };
    dice d = { numbers, 3, 0 };
    world w = world_with_dice(&d);
    ubi_quickjs_observer *o = observe(&w, w.ctx);
    assert_int_equal(ubi_quickjs_observer_set_probability(o, .5), UBI_OK);
    assert_int_equal(d.asked, 0);
    assert_int_equal(ubi_quickjs_observer_set_tracking(o, true), UBI_OK);
    assert_int_equal(d.asked, 1);
    uint32_t sampled = 0;
    for (uint32_t i = 0; i < 30; i++) {
        births(w.ctx, skips[i % 3]);
        assert_int_equal(ubi_quickjs_observer_log_length(o), sampled);
        births(w.ctx, 1);
        assert_int_equal(ubi_quickjs_observer_log_length(o), ++sampled);
    }
    assert_int_equal(d.asked, 31);
    world_close(&w);
}

static void a_change_starts_a_new_stream(void **state) {
    UNUSED_STATE(state);
    dice d = { (const double[]){ .999999 }, 1, 0 };
    world w = world_with_dice(&d);
    ubi_quickjs_observer *o = observe(&w, w.ctx);
    assert_int_equal(ubi_quickjs_observer_set_probability(o, .01), UBI_OK);
    assert_int_equal(ubi_quickjs_observer_set_tracking(o, true), UBI_OK);
    assert_int_equal(logged(o, w.ctx, 1300), 0); /* ln 1e-6 / ln .99 = 1374 */
    assert_int_equal(ubi_quickjs_observer_set_probability(o, .5), UBI_OK);
    assert_int_equal(logged(o, w.ctx, 19), 0); /* 19.9 */
    assert_int_equal(logged(o, w.ctx, 1), 1);
    assert_int_equal(ubi_quickjs_observer_set_tracking(o, false), UBI_OK);
    births(w.ctx, 10);
    assert_int_equal(ubi_quickjs_observer_set_tracking(o, true), UBI_OK);
    assert_int_equal(logged(o, w.ctx, 19), 0);
    assert_int_equal(logged(o, w.ctx, 1), 1);
    world_close(&w);
}

/* Case 24, with the rule that all observers count. */
static void the_greatest_probability_of_all_observers_counts(void **state) {
    UNUSED_STATE(state);
    world w = world_open(NULL);
    ubi_quickjs_observer *a = observe(&w, w.ctx), *b = observe(&w, w.ctx);
    assert_int_equal(ubi_quickjs_observer_set_probability(b, 0), UBI_OK);
    births(w.ctx, 20);
    assert_int_equal(ubi_quickjs_observer_set_tracking(b, true), UBI_OK);
    births(w.ctx, 20); /* a does not track, but it observes */
    assert_int_equal(ubi_quickjs_observer_log_length(b), 20);
    assert_int_equal(ubi_quickjs_observer_log_length(a), 0);
    assert_int_equal(ubi_quickjs_observer_set_tracking(a, true), UBI_OK);
    births(w.ctx, 20);
    assert_int_equal(ubi_quickjs_observer_log_length(a), 20);
    assert_int_equal(ubi_quickjs_observer_log_length(b), 40);
    ubi_quickjs_observer_remove_realm(a, w.ctx);
    births(w.ctx, 20);
    assert_int_equal(ubi_quickjs_observer_log_length(b), 40);
    assert_int_equal(ubi_quickjs_observer_add_realm(a, w.ctx), UBI_OK);
    assert_int_equal(ubi_quickjs_observer_set_probability(a, .1), UBI_OK);
    assert_int_equal(ubi_quickjs_observer_set_probability(b, .5), UBI_OK);
    forget_log(a);
    forget_log(b);
    births(w.ctx, 2000);
    rows of_a = drain(a), of_b = drain(b);
    assert_int_equal(of_a.n, of_b.n);
    assert_true(of_a.n > 800 && of_a.n < 1200);
    free(of_a.at);
    free(of_b.at);
    world_close(&w);
}

/* Within 6 standard deviations: one run in half a milliard fails by chance. */
static void assert_plausible(uint32_t successes, uint32_t trials, double p) {
    double expected = trials * p, deviation = sqrt(trials * p * (1 - p));
    if (fabs(successes - expected) > 6 * deviation + 1)
        fail_msg("%u of %u at %g", successes, trials, p);
}

/* Case 6. */
static void counts_are_plausible_binomials(void **state) {
    UNUSED_STATE(state);
    world w = world_open(NULL);
    ubi_quickjs_observer *o = track(&w, w.ctx);
    static const double probabilities[] = { .001, .05, .1, .5, .9, .999 };
    for (size_t i = 0; i < sizeof probabilities / sizeof probabilities[0]; i++) {
        assert_int_equal(ubi_quickjs_observer_set_probability(o, probabilities[i]), UBI_OK);
        assert_plausible(logged(o, w.ctx, 200000), 200000, probabilities[i]);
    }
    world_close(&w);
}

/* One stream serves realms with different probabilities. */
static void each_realm_has_its_own_probability(void **state) {
    UNUSED_STATE(state);
    world w = world_open(NULL);
    JSContext *often = JS_NewContext(w.rt), *nobody = JS_NewContext(w.rt);
    ubi_quickjs_observer *a = track(&w, w.ctx), *b = track(&w, often);
    assert_int_equal(ubi_quickjs_observer_set_probability(a, .02), UBI_OK);
    assert_int_equal(ubi_quickjs_observer_set_probability(b, .6), UBI_OK);
    assert_int_equal(ubi_quickjs_observer_set_log_limit(a, 1u << 30), UBI_OK);
    assert_int_equal(ubi_quickjs_observer_set_log_limit(b, 1u << 30), UBI_OK);
    for (int i = 0; i < 100000; i++) {
        births(w.ctx, 1);
        births(often, 1);
        births(nobody, 1);
    }
    assert_plausible(ubi_quickjs_observer_log_length(a), 100000, .02);
    assert_plausible(ubi_quickjs_observer_log_length(b), 100000, .6);
    JS_FreeContext(often);
    JS_FreeContext(nobody);
    world_close(&w);
}

static void count_birth(void *payload, uint64_t object_id) {
    *(uint32_t *)payload += object_id != 0;
}

/* A foreign hook sees all births of its realm; the others are still sampled. */
static void a_foreign_hook_does_not_disturb_sampling(void **state) {
    UNUSED_STATE(state);
    world w = world_open(NULL);
    JSContext *other = JS_NewContext(w.rt);
    uint32_t seen = 0;
    ubi_quickjs_observer *o = track(&w, w.ctx);
    assert_int_equal(ubi_quickjs_observer_set_probability(o, .2), UBI_OK);
    assert_int_equal(ubi_quickjs_observer_set_log_limit(o, 1u << 30), UBI_OK);
    assert_int_equal(ubi_quickjs_set_allocation_hook(w.tools, other, count_birth, &seen), UBI_OK);
    for (int i = 0; i < 100000; i++) {
        births(w.ctx, 1);
        births(other, 1);
    }
    assert_int_equal(seen, 100000);
    assert_plausible(ubi_quickjs_observer_log_length(o), 100000, .2);
    JS_FreeContext(other);
    births(w.ctx, 10);
    assert_int_equal(seen, 100000);
    world_close(&w);
}

static void extreme_skips(void **state) {
    UNUSED_STATE(state);
    dice d = { (const double[]){ 0, 0.99999999999999989 }, 2, 0 };
    ubi__sampler s;
    ubi__sampler_init(&s, throw_dice, &d);
    assert_true(ubi__sampler_skip(&s, 1e-300) == 0);
    assert_true(ubi__sampler_skip(&s, 1e-300) == UBI__SKIP_FOREVER);
    assert_true(ubi__sampler_skip(&s, 1 - 1e-16) == 0);
    assert_true(ubi__sampler_skip(&s, 1 - 1e-16) <= 1);
    assert_true(ubi__sampler_skip(&s, 0) == UBI__SKIP_FOREVER);
    assert_true(ubi__sampler_skip(&s, 1) == 0);
    ubi__sampler_init(&s, NULL, NULL);
    for (int i = 0; i < 100000; i++) {
        double u = ubi__sampler_draw(&s);
        assert_true(u >= 0 && u < 1);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_probability_is_between_0_and_1),
        cmocka_unit_test(one_and_zero_need_no_random_numbers),
        cmocka_unit_test(skips_are_geometric_with_one_draw_each),
        cmocka_unit_test(a_change_starts_a_new_stream),
        cmocka_unit_test(the_greatest_probability_of_all_observers_counts),
        cmocka_unit_test(counts_are_plausible_binomials),
        cmocka_unit_test(each_realm_has_its_own_probability),
        cmocka_unit_test(a_foreign_hook_does_not_disturb_sampling),
        cmocka_unit_test(extreme_skips),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
