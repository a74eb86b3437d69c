/* SPDX-License-Identifier: MIT
 *
 * Tracking alone, under an engine of a few lines (fake_engine_for_tests.h).
 */
#include "tracking/fake_engine_for_tests.h"

#include "damage.h"
#include "fail_allocator.h"

/* ---- stacks, sites, log --------------------------------------------------------------------------------------------- */

static void an_object_is_logged_with_its_stack_and_known_by_its_site(void **state) {
    UNUSED_STATE(state);
    fake_engine e;
    ubi__observer o;
    ubi__stack_ix site = 0, again = 0;
    engine_open(&e, ubi_allocator_default());
    assert_false(ubi__tracking_site(&e.tracking, birth(&e), &site));
    track(&o, &e, &realm_a);
    call(&e, "main", 3);
    call(&e, "inner", 7);
    const void *lives = birth_of(&e, &realm_a, CLASS_ARRAY), *dies = birth(&e);
    ubi__tracking_object_dies(&e.tracking, dies);
    assert_true(ubi__tracking_site(&e.tracking, lives, &site));
    assert_false(ubi__tracking_site(&e.tracking, dies, &again));
    assert_int_equal(e.described, 2); /* each place once, and each class */
    assert_int_equal(e.named, 2);
    e.depth = 0;
    birth(&e);
    rows all = drain(&o);
    assert_int_equal(all.n, 3);
    assert_string_equal(all.at[0].class_name, "Array");
    assert_string_equal(all.at[0].function, "inner");
    assert_int_equal(all.at[0].line, 7);
    assert_int_equal(all.at[0].depth, 2);
    assert_true(all.at[0].bytes == GROWN_BYTES && all.at[1].bytes == OBJECT_BYTES); /* alive: as large as it is now */
    assert_true(all.at[0].time_ms == .01 && all.at[1].time_ms == .02);
    assert_int_equal(all.at[2].depth, 0);
    ubi_stack stack = ubi__tracking_stack(&e.tracking, site);
    assert_ptr_equal(stack.ops, ubi__tracking_stack_ops());
    ubi__observer_fini(&o);
    ubi__tracking_fini(&e.tracking);
    assert_false(e.is_watching);
}

static void a_constructor_is_reported_after_the_birth(void **state) {
    UNUSED_STATE(state);
    fake_engine e;
    ubi__observer o;
    engine_open(&e, ubi_allocator_default());
    track(&o, &e, &realm_a);
    const void *first = birth(&e), *second = birth(&e);
    assert_false(ubi__tracking_wants_constructor(&e.tracking, first));
    assert_true(ubi__tracking_wants_constructor(&e.tracking, second));
    ubi__tracking_name_constructor(&e.tracking, intern(&e, "Item"));
    rows all = drain(&o);
    assert_string_equal(all.at[0].constructor, "-");
    assert_string_equal(all.at[1].constructor, "Item");
    ubi__tracking_object_dies(&e.tracking, second);
    assert_false(ubi__tracking_wants_constructor(&e.tracking, second));
    ubi__observer_fini(&o);
    ubi__tracking_fini(&e.tracking);
}

static void a_full_log_drops_the_oldest_and_says_so(void **state) {
    UNUSED_STATE(state);
    fake_engine e;
    ubi__observer o;
    engine_open(&e, ubi_allocator_default());
    track(&o, &e, &realm_a);
    assert_int_equal(o.log.limit, UBI_ALLOCATION_LOG_LENGTH);
    assert_int_equal(ubi__observer_set_log_limit(&o, 0), UBI_EINVAL);
    assert_int_equal(ubi__observer_set_log_limit(&o, 3), UBI_OK);
    call(&e, "main", 0);
    for (uint32_t line = 1; line <= 3; line++) {
        e.stack[0].line = line;
        birth(&e);
    }
    assert_false(o.log.has_overflowed);
    e.stack[0].line = 4;
    birth(&e);
    assert_true(o.log.has_overflowed);
    rows all = { .stop_at = 1 };
    assert_int_equal(ubi__observer_drain(&o, take_row, &all), UBI_OK);
    assert_int_equal(all.at[0].line, 2);
    assert_true(o.log.has_overflowed && o.log.count == 2); /* it did not come to the end */
    assert_int_equal(ubi__observer_set_log_limit(&o, 1), UBI_OK);
    all = drain(&o);
    assert_true(all.n == 1 && all.at[0].line == 4 && !o.log.has_overflowed);
    birth(&e);
    assert_int_equal(ubi__observer_set_tracking(&o, false), UBI_OK);
    assert_int_equal(o.log.count, 0);
    assert_int_equal(ubi__observer_drain(&o, take_row, &all), UBI_ESTATE);
    ubi__observer_fini(&o);
    ubi__tracking_fini(&e.tracking);
}

/* ---- sampling ------------------------------------------------------------------------------------------------------- */

/* floor(ln .75 / ln .5) = 0, of .4: 1, of .1: 3. One number per success, and one at the start. */
static void births_between_two_samples_cost_no_number(void **state) {
    UNUSED_STATE(state);
    static const double numbers[] = { .25, .6, .9 };
    static const uint32_t skips[] = { 0, 1, 3 };
    fake_engine e;
    ubi__observer o;
    engine_open(&e, ubi_allocator_default());
    use_numbers(&e, numbers, 3);
    ubi__observer_init(&o, &e.tracking);
    assert_int_equal(ubi__observer_add_realm(&o, &realm_a), UBI_OK);
    assert_int_equal(ubi__observer_set_probability(&o, .5), UBI_OK);
    assert_int_equal(ubi__observer_set_probability(&o, 1.5), UBI_EINVAL);
    assert_int_equal(e.draws, 0);
    assert_int_equal(ubi__observer_set_tracking(&o, true), UBI_OK);
    for (uint32_t i = 0; i < 30; i++) {
        assert_int_equal(e.draws, i + 1);
        births(&e, skips[i % 3]);
        assert_int_equal(o.log.count, i);
        births(&e, 1);
        assert_int_equal(o.log.count, i + 1);
    }
    ubi__observer_fini(&o);
    ubi__tracking_fini(&e.tracking);
}

static void probabilities_0_and_1_need_no_numbers(void **state) {
    UNUSED_STATE(state);
    static const double number = .5;
    fake_engine e;
    ubi__observer o;
    engine_open(&e, ubi_allocator_default());
    use_numbers(&e, &number, 1);
    track(&o, &e, &realm_a);
    births(&e, 1000);
    assert_int_equal(o.log.count, 1000);
    assert_int_equal(ubi__observer_set_probability(&o, 0), UBI_OK);
    births(&e, 1000);
    assert_int_equal(o.log.count, 1000);
    assert_int_equal(e.draws, 0);
    ubi__observer_fini(&o);
    ubi__tracking_fini(&e.tracking);
}

/*
 * One stream, drawn for the greatest of all realms. .5 of 20,000: 10,000, with a standard deviation of 71; .1 of 20,000:
 * 2,000, with 42. The numbers are those of a fixed seed.
 */
static void each_realm_is_sampled_with_its_own_probability(void **state) {
    UNUSED_STATE(state);
    fake_engine e;
    ubi__observer often, seldom, silent;
    engine_open(&e, ubi_allocator_default());
    e.tracking.sampler.state[0] = 1;
    track(&often, &e, &realm_a);
    track(&seldom, &e, &realm_b);
    ubi__observer_init(&silent, &e.tracking); /* does not track: nothing is logged for it */
    assert_int_equal(ubi__observer_add_realm(&silent, &realm_b), UBI_OK);
    ubi__observer *all[] = { &often, &seldom, &silent };
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(ubi__observer_set_log_limit(all[i], 1u << 20), UBI_OK);
    assert_int_equal(ubi__observer_set_probability(&often, .5), UBI_OK);
    assert_int_equal(ubi__observer_set_probability(&seldom, .1), UBI_OK);
    assert_int_equal(ubi__observer_set_probability(&silent, .05), UBI_OK);
    for (uint32_t i = 0; i < 20000; i++) {
        birth_of(&e, &realm_a, CLASS_OBJECT);
        birth_of(&e, &realm_b, CLASS_OBJECT);
    }
    assert_in_range(often.log.count, 10000 - 5 * 71, 10000 + 5 * 71);
    assert_in_range(seldom.log.count, 2000 - 5 * 42, 2000 + 5 * 42);
    assert_int_equal(silent.log.count, 0);
    for (size_t i = 0; i < 3; i++)
        ubi__observer_fini(all[i]);
    ubi__tracking_fini(&e.tracking);
}

/* ---- collections, requests, realms ---------------------------------------------------------------------------------- */

typedef struct told {
    fake_engine *engine;
    uint32_t n, collect_until;
    uint64_t cycle;
    ubi__observer *to_end; /* or NULL */
} told;

static void on_collection(void *payload, const ubi_collection *c) {
    told *t = (told *)payload;
    assert_string_equal(c->reason, "FAKE");
    assert_null(c->nonincremental_reason);
    assert_true(c->start_ms < c->end_ms && c->cycle_number > t->cycle);
    t->cycle = c->cycle_number;
    if (++t->n < t->collect_until)
        collect(t->engine);
    if (t->to_end)
        ubi__observer_fini(t->to_end);
    t->to_end = NULL;
}

static void collections_wait_for_a_safe_point(void **state) {
    UNUSED_STATE(state);
    fake_engine e;
    ubi__observer o, next, none;
    engine_open(&e, ubi_allocator_default());
    ubi__observer_init(&o, &e.tracking);
    ubi__observer_init(&next, &e.tracking);
    ubi__observer_init(&none, &e.tracking);
    told t = { .engine = &e, .collect_until = 3 }, of_next = { .engine = &e }, of_none = { .engine = &e };
    ubi__observer_on_collection(&o, on_collection, &t);
    ubi__observer_on_collection(&next, on_collection, &of_next);
    ubi__observer_on_collection(&none, on_collection, &of_none);
    collect(&e);
    assert_false(ubi__tracking_safe_point(&e.tracking)); /* it had no debuggee */
    assert_int_equal(ubi__observer_add_realm(&o, &realm_a), UBI_OK);
    assert_int_equal(ubi__observer_add_realm(&next, &realm_a), UBI_OK);
    collect(&e);
    assert_int_equal(t.n, 0);
    for (uint32_t i = 1; i <= 3; i++) { /* a callback that collects is called again, not nested */
        assert_true(ubi__tracking_safe_point(&e.tracking));
        assert_int_equal(t.n, i);
        assert_int_equal(of_next.n, i);
    }
    t.to_end = &next; /* ends the one that would be notified after it */
    collect(&e);
    assert_true(ubi__tracking_safe_point(&e.tracking));
    assert_true(t.n == 4 && of_next.n == 3 && of_none.n == 0);
    assert_false(ubi__tracking_safe_point(&e.tracking));
    ubi__tracking_realm_dies(&e.tracking, &realm_a);
    assert_false(ubi__observer_has_realm(&o, &realm_a));
    collect(&e);
    assert_false(ubi__tracking_safe_point(&e.tracking));
    ubi__observer_fini(&o);
    ubi__observer_fini(&none);
    ubi__tracking_fini(&e.tracking);
}

static void too_many_collections_lose_the_oldest(void **state) {
    UNUSED_STATE(state);
    fake_engine e;
    ubi__observer o;
    engine_open(&e, ubi_allocator_default());
    ubi__observer_init(&o, &e.tracking);
    told t = { .engine = &e };
    ubi__observer_on_collection(&o, on_collection, &t);
    assert_int_equal(ubi__observer_add_realm(&o, &realm_a), UBI_OK);
    for (uint32_t i = 0; i < UBI__COLLECTION_EVENTS_MAX + 5; i++)
        collect(&e);
    assert_int_equal(e.tracking.lost_events, 5);
    assert_true(ubi__tracking_safe_point(&e.tracking));
    assert_int_equal(t.n, UBI__COLLECTION_EVENTS_MAX);
    assert_int_equal(t.cycle, UBI__COLLECTION_EVENTS_MAX + 5);
    ubi__observer_fini(&o);
    ubi__tracking_fini(&e.tracking);
}

static void count_call(void *payload) {
    ++*(uint32_t *)payload;
}

static void count_birth(void *payload, uint64_t object_id) {
    (void)object_id;
    ++*(uint32_t *)payload;
}

static void hooks_of_others_keep_trackers_out(void **state) {
    UNUSED_STATE(state);
    fake_engine e;
    ubi__observer o;
    uint32_t seen = 0, ran = 0;
    engine_open(&e, ubi_allocator_default());
    assert_int_equal(ubi__tracking_set_birth_hook(&e.tracking, &realm_b, count_birth, &seen), UBI_OK);
    track(&o, &e, &realm_a);
    assert_int_equal(ubi__observer_add_realm(&o, &realm_b), UBI_EBUSY);
    assert_int_equal(ubi__tracking_set_birth_hook(&e.tracking, &realm_a, count_birth, &seen), UBI_EBUSY);
    assert_int_equal(ubi__observer_set_probability(&o, 0), UBI_OK);
    for (uint32_t i = 0; i < 10; i++) {
        birth_of(&e, &realm_a, CLASS_OBJECT);
        birth_of(&e, &realm_b, CLASS_OBJECT);
    }
    assert_true(seen == 10 && o.log.count == 0);
    assert_int_equal(ubi__tracking_set_birth_hook(&e.tracking, &realm_b, NULL, NULL), UBI_OK);
    assert_int_equal(ubi__observer_add_realm(&o, &realm_b), UBI_OK);
    assert_int_equal(ubi__tracking_request(&e.tracking, count_call, &ran), UBI_OK);
    assert_true(ubi__tracking_safe_point(&e.tracking) && ran == 1);
    assert_false(ubi__tracking_safe_point(&e.tracking));
    ubi__observer_fini(&o);
    ubi__tracking_fini(&e.tracking);
}

/* ---- forgetting ----------------------------------------------------------------------------------------------------- */

/* Watching ends with the last site, and begins again with the next observer: numbers of code do not live that long. */
static void nothing_is_watched_once_the_last_site_is_gone(void **state) {
    UNUSED_STATE(state);
    fake_engine e;
    ubi__observer o;
    engine_open(&e, ubi_allocator_default());
    for (uint32_t i = 1; i <= 3; i++) {
        track(&o, &e, &realm_a);
        e.depth = 0;
        call(&e, "main", i);
        const void *object = birth(&e);
        ubi__observer_fini(&o);
        assert_true(e.is_watching);
        ubi__tracking_object_dies(&e.tracking, object);
        assert_false(e.is_watching);
        assert_int_equal(e.watch_changes, 2 * i);
        assert_int_equal(e.tracking.code.count, 0);
    }
    ubi__tracking_keep_watching(&e.tracking, true);
    assert_true(e.is_watching);
    ubi__tracking_fini(&e.tracking);
    assert_false(e.is_watching);
}

/* Frames of dead objects go; those of objects, logs, the engine and of stacks that were handed out stay. */
static void a_sweep_frees_what_nothing_leads_to(void **state) {
    UNUSED_STATE(state);
    fake_engine e;
    ubi__observer o;
    engine_open(&e, ubi_allocator_default());
    track(&o, &e, &realm_a);
    assert_int_equal(ubi__observer_set_log_limit(&o, 1), UBI_OK);
    call(&e, "main", 1);
    birth(&e); /* lives */
    e.stack[0].line = 2;
    e.held = capture(&e);
    e.stack[0].line = 3;
    ubi_stack handed_out = ubi__tracking_stack(&e.tracking, capture(&e));
    for (uint32_t line = 10; line < 500; line++) {
        e.stack[0].line = line;
        births(&e, 1);
    }
    assert_int_equal(e.tracking.frames.table.n, 3 + 490);
    uint32_t forgotten = e.forgotten;
    ubi__tracking_sweep(&e.tracking);
    assert_int_equal(e.tracking.frames.table.n, 4); /* the last is the log's */
    assert_int_equal(e.forgotten, forgotten + 1);
    ubi_frame frame;
    ubi_stack_frame(handed_out, &frame);
    assert_int_equal(frame.line, 3);
    assert_int_equal(frame.function_name.len, 4);
    ubi__tracking_code_dies(&e.tracking, code_of(&e.stack[0])); /* other code at its address is another */
    e.stack[0].line = 2;
    assert_int_not_equal(capture(&e), e.held);
    ubi__observer_fini(&o);
    ubi__tracking_fini(&e.tracking);
}

/* ---- no memory ------------------------------------------------------------------------------------------------------ */

/* Uses everything once. What was refused is counted and missing; all else is as ever. */
static void use_everything(fake_engine *e, fail_allocator *memory) {
    ubi__observer o[2];
    uint32_t ran = 0, recorded = 0;
    told t = { .engine = e };
    for (int i = 0; i < 2; i++) {
        ubi__observer_init(&o[i], &e->tracking);
        ubi_status status = ubi__observer_add_realm(&o[i], &realm_a);
        assert_true(status == UBI_OK || (status == UBI_ENOMEM && memory->n_refused));
        assert_int_equal(ubi__observer_has_realm(&o[i], &realm_a), status == UBI_OK);
        assert_int_equal(ubi__observer_set_tracking(&o[i], true), UBI_OK);
        recorded += status == UBI_OK;
    }
    ubi__observer_on_collection(&o[0], on_collection, &t);
    ubi_status hooked = ubi__tracking_set_birth_hook(&e->tracking, &realm_b, count_birth, &ran);
    assert_true(hooked == UBI_OK || hooked == UBI_ENOMEM);
    uint64_t births_reported = e->is_watching && recorded ? 3000 : 0;
    for (uint32_t i = 0; i < 3000; i++) {
        e->depth = 0;
        for (uint32_t depth = 0; depth <= i % DEPTH_MAX; depth++)
            call(e, &"function"[i % 8], i % 100);
        const void *object = birth_of(e, &realm_a, i % 2 ? CLASS_ARRAY : CLASS_OBJECT);
        if (i % 5)
            ubi__tracking_object_dies(&e->tracking, object);
    }
    for (int i = 0; i < 2; i++) {
        if (!ubi__observer_has_realm(&o[i], &realm_a))
            continue;
        assert_true(o[i].log.count == births_reported || o[i].log.has_overflowed);
        assert_true(o[i].log.count + e->tracking.lost_entries >= births_reported);
    }
    collect(e);
    assert_true(t.n == 0);
    if (ubi__tracking_request(&e->tracking, count_call, &ran) == UBI_OK)
        assert_true(ubi__tracking_safe_point(&e->tracking) && ran > 0);
    ubi__tracking_sweep(&e->tracking);
    for (int i = 0; i < 2; i++)
        ubi__observer_fini(&o[i]);
    if (hooked == UBI_OK)
        assert_int_equal(ubi__tracking_set_birth_hook(&e->tracking, &realm_b, NULL, NULL), UBI_OK);
}

static void refused_memory_loses_entries_and_nothing_else(void **state) {
    UNUSED_STATE(state);
    for (int once = 0; once < 2; once++) {
        for (uint64_t n = 0, refused = 1; refused; n++) {
            fail_allocator memory;
            fake_engine e;
            fail_allocator_init(&memory, n);
            memory.once = once;
            engine_open(&e, &memory.allocator);
            use_everything(&e, &memory);
            refused = memory.n_refused;
            if (!refused)
                assert_int_equal(e.tracking.lost_entries + e.tracking.lost_sites + e.tracking.lost_events, 0);
            ubi__tracking_fini(&e.tracking);
            fail_allocator_fini(&memory);
        }
    }
}

static void check_tracking(void *tracking) {
    ubi__tracking_check(tracking);
}
static void check_observer(void *observer) {
    ubi__observer_check(observer);
}

static void damage_is_seen_by_the_checks(void **state) {
    (void)state;
    fake_engine e;
    ubi__observer o;
    engine_open(&e, ubi_allocator_default());
    track(&o, &e, &e);
    e.tracking.observing_count++;
    assert_damage_seen(check_tracking, &e.tracking, "observing_count == t->observing_count");
    e.tracking.observing_count--;
    e.tracking.realms->tracker_count = 0;
    assert_damage_seen(check_tracking, &e.tracking, "tracker_count == w->tracker_count");
    e.tracking.realms->tracker_count = 1;
    e.tracking.births_to_skip = e.tracking.births_planned + 1;
    assert_damage_seen(check_tracking, &e.tracking, "t->births_to_skip <= t->births_planned");
    e.tracking.births_to_skip = e.tracking.births_planned;
    e.tracking.is_watching = false;
    assert_damage_seen(check_tracking, &e.tracking, "t->is_watching ==");
    e.tracking.is_watching = true;
    o.probability = 2;
    assert_damage_seen(check_observer, &o, "o->probability <= 1");
    o.probability = 1;
    o.realms[0] = &o;
    assert_damage_seen(check_observer, &o, "watched_realm_has_observer(w, o)");
    o.realms[0] = &e;
    ubi__observer_fini(&o);
    ubi__tracking_fini(&e.tracking);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_object_is_logged_with_its_stack_and_known_by_its_site),
        cmocka_unit_test(a_constructor_is_reported_after_the_birth),
        cmocka_unit_test(a_full_log_drops_the_oldest_and_says_so),
        cmocka_unit_test(births_between_two_samples_cost_no_number),
        cmocka_unit_test(probabilities_0_and_1_need_no_numbers),
        cmocka_unit_test(each_realm_is_sampled_with_its_own_probability),
        cmocka_unit_test(collections_wait_for_a_safe_point),
        cmocka_unit_test(too_many_collections_lose_the_oldest),
        cmocka_unit_test(hooks_of_others_keep_trackers_out),
        cmocka_unit_test(nothing_is_watched_once_the_last_site_is_gone),
        cmocka_unit_test(a_sweep_frees_what_nothing_leads_to),
        cmocka_unit_test(refused_memory_loses_entries_and_nothing_else),
        cmocka_unit_test(damage_is_seen_by_the_checks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
