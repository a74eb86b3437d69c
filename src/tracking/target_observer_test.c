/* SPDX-License-Identifier: MIT
 *
 * Observers of a target, and observers of all realms: under an engine of a few lines.
 */
#include "tracking/fake_engine_for_tests.h"

#include "fail_allocator.h"
#include "tracking/target_observer.h"

static void observer_end(void *payload) {
    ubi__observer_fini((ubi__observer *)payload);
}

static const ubi_target_observer_ops ops = UBI__TARGET_OBSERVER_OPS(observer_end);

static void open_wide(ubi__observer *o, fake_engine *e) {
    ubi__observer_init(o, &e->tracking);
    ubi__observer_want_all_realms(o);
}

static void close_all(ubi__observer *o, fake_engine *e) {
    ubi__observer_fini(o);
    ubi__tracking_fini(&e->tracking);
}

/* ---- as a target hands it out --------------------------------------------------------------------------------------- */

static void note_cycle(void *payload, const ubi_collection *c) {
    *(uint64_t *)payload = c->cycle_number;
}

static void operations_reach_the_observer(void **state) {
    UNUSED_STATE(state);
    fake_engine e;
    ubi__observer o;
    rows all = { .n = 0 };
    uint64_t cycle = 0;
    ubi_target_observer_state now;
    engine_open(&e, ubi_allocator_default());
    ubi__observer_init(&o, &e.tracking);
    assert_int_equal(ubi__observer_add_realm(&o, &realm_a), UBI_OK);
    const ubi_target_observer target = { &ops, &o };
    assert_int_equal(target.ops->version, UBI_TARGET_OBSERVER_OPS_VERSION);
    target.ops->state(target.payload, &now);
    assert_true(!now.is_tracking && now.probability == 1 && now.log_limit == UBI_ALLOCATION_LOG_LENGTH);
    assert_int_equal(target.ops->set_probability(target.payload, 2), UBI_EINVAL);
    assert_int_equal(target.ops->set_log_limit(target.payload, 0), UBI_EINVAL);
    assert_int_equal(target.ops->set_log_limit(target.payload, 2), UBI_OK);
    assert_int_equal(target.ops->drain(target.payload, take_row, &all), UBI_ESTATE);
    assert_int_equal(target.ops->set_tracking(target.payload, true), UBI_OK);
    births(&e, 3);
    target.ops->state(target.payload, &now);
    assert_true(now.is_tracking && now.log_length == 2 && now.log_limit == 2 && now.has_overflowed);
    assert_int_equal(now.logged_count, 3);
    assert_true(now.now_ms == (double)e.now_us / 1000); /* the log's clock */
    assert_int_equal(target.ops->drain(target.payload, take_row, &all), UBI_OK);
    target.ops->state(target.payload, &now);
    assert_true(all.n == 2 && now.log_length == 0 && now.logged_count == 3 && !now.has_overflowed);
    assert_int_equal(target.ops->set_probability(target.payload, 0), UBI_OK);
    births(&e, 3);
    target.ops->state(target.payload, &now);
    assert_true(now.probability == 0 && now.logged_count == 3);
    target.ops->on_collection(target.payload, note_cycle, &cycle);
    collect(&e);
    assert_true(ubi__tracking_safe_point(&e.tracking));
    assert_int_equal(cycle, 1);
    target.ops->free(target.payload);
    assert_null(e.tracking.observers);
    ubi__tracking_fini(&e.tracking);
}

/* ---- all realms ------------------------------------------------------------------------------------------------------ */

static void realms_that_come_later_are_observed(void **state) {
    UNUSED_STATE(state);
    fake_engine e;
    ubi__observer o;
    engine_open(&e, ubi_allocator_default());
    open_wide(&o, &e);
    assert_int_equal(ubi__observer_set_tracking(&o, true), UBI_OK); /* there is no realm yet */
    birth_of(&e, &realm_a, CLASS_OBJECT);
    birth_of(&e, &realm_b, CLASS_OBJECT);
    birth_of(&e, &realm_a, CLASS_OBJECT);
    assert_true(ubi__observer_has_realm(&o, &realm_a) && ubi__observer_has_realm(&o, &realm_b));
    assert_int_equal(o.log.count, 3);
    ubi__tracking_realm_dies(&e.tracking, &realm_b);
    assert_false(ubi__observer_has_realm(&o, &realm_b));
    birth_of(&e, &realm_b, CLASS_OBJECT); /* another realm at its address */
    assert_int_equal(o.log.count, 4);
    assert_int_equal(o.realm_count, 2);
    close_all(&o, &e);
    assert_false(e.is_watching);
}

static void an_observer_that_does_not_track_meets_no_realm(void **state) {
    UNUSED_STATE(state);
    fake_engine e;
    ubi__observer o, narrow;
    engine_open(&e, ubi_allocator_default());
    open_wide(&o, &e);
    birth_of(&e, &realm_a, CLASS_OBJECT);
    assert_int_equal(o.realm_count, 0); /* no birth is looked at */
    track(&narrow, &e, &realm_a);       /* now they are, for another observer */
    birth_of(&e, &realm_a, CLASS_OBJECT);
    birth_of(&e, &realm_b, CLASS_OBJECT);
    assert_true(ubi__observer_has_realm(&o, &realm_a) && ubi__observer_has_realm(&o, &realm_b));
    assert_false(ubi__observer_has_realm(&narrow, &realm_b));
    assert_true(o.log.count == 0 && narrow.log.count == 1);
    ubi__observer_fini(&narrow);
    close_all(&o, &e);
}

/* .25 of 20,000 in each of two realms: 5,000, with a standard deviation of 61. The numbers are those of a fixed seed. */
static void a_probability_holds_in_realms_that_come_later(void **state) {
    UNUSED_STATE(state);
    fake_engine e;
    ubi__observer o;
    engine_open(&e, ubi_allocator_default());
    e.tracking.sampler.state[0] = 7;
    open_wide(&o, &e);
    assert_int_equal(ubi__observer_set_log_limit(&o, 1u << 20), UBI_OK);
    assert_int_equal(ubi__observer_set_probability(&o, .25), UBI_OK);
    assert_int_equal(ubi__observer_set_tracking(&o, true), UBI_OK);
    for (uint32_t i = 0; i < 20000; i++)
        birth_of(&e, &realm_a, CLASS_OBJECT);
    assert_in_range(o.log.count, 5000 - 5 * 61, 5000 + 5 * 61);
    for (uint32_t i = 0; i < 20000; i++)
        birth_of(&e, &realm_b, CLASS_OBJECT);
    assert_in_range(o.log.count, 10000 - 5 * 87, 10000 + 5 * 87);
    close_all(&o, &e);
}

static void ignore_birth(void *payload, uint64_t object_id) {
    (void)payload, (void)object_id;
}

static void a_realm_with_a_hook_of_others_is_left_out(void **state) {
    UNUSED_STATE(state);
    fake_engine e;
    ubi__observer o;
    engine_open(&e, ubi_allocator_default());
    assert_int_equal(ubi__tracking_set_birth_hook(&e.tracking, &realm_b, ignore_birth, NULL), UBI_OK);
    open_wide(&o, &e);
    assert_int_equal(ubi__observer_set_tracking(&o, true), UBI_OK);
    birth_of(&e, &realm_a, CLASS_OBJECT);
    birth_of(&e, &realm_b, CLASS_OBJECT);
    assert_true(o.log.count == 1 && !ubi__observer_has_realm(&o, &realm_b));
    assert_int_equal(ubi__tracking_set_birth_hook(&e.tracking, &realm_b, NULL, NULL), UBI_OK);
    birth_of(&e, &realm_b, CLASS_OBJECT);
    assert_int_equal(o.log.count, 2);
    close_all(&o, &e);
}

/* What could not be logged is in no row, and the log says so. */
static void without_memory_the_log_says_that_some_is_missing(void **state) {
    UNUSED_STATE(state);
    uint64_t n_missing = 0;
    for (uint64_t n = 0, refused = 1; refused; n++) {
        fail_allocator memory;
        fake_engine e;
        ubi__observer o;
        fail_allocator_init(&memory, n);
        engine_open(&e, &memory.allocator);
        open_wide(&o, &e);
        assert_int_equal(ubi__observer_set_tracking(&o, true), UBI_OK);
        for (uint32_t i = 0; i < 10; i++)
            birth_of(&e, i % 2 ? &realm_b : &realm_a, CLASS_OBJECT);
        assert_true(o.log.count == 10 || o.log.has_overflowed);
        assert_true(o.log.count + e.tracking.lost_entries == 10);
        refused = memory.n_refused;
        n_missing += o.log.count < 10;
        close_all(&o, &e);
        fail_allocator_fini(&memory);
    }
    assert_true(n_missing > 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operations_reach_the_observer),
        cmocka_unit_test(realms_that_come_later_are_observed),
        cmocka_unit_test(an_observer_that_does_not_track_meets_no_realm),
        cmocka_unit_test(a_probability_holds_in_realms_that_come_later),
        cmocka_unit_test(a_realm_with_a_hook_of_others_is_left_out),
        cmocka_unit_test(without_memory_the_log_says_that_some_is_missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
