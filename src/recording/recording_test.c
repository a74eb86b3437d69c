/* SPDX-License-Identifier: MIT
 *
 * Tests of live_table.c and recording.c: cases MP-2 to MP-5, MP-15 and MP-16.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/text.h"
#include "fail_allocator.h"
#include "random_numbers.h"
#include "recording/live_table.h"
#include "recording/recording.h"

/* ---- traces ------------------------------------------------------------------------------------------------------- */

/* A stack in words, outermost first. */
static ubi_status add_stack(ubi__trace_table *t, ubi__trace_ix *out, const char *stack) {
    ubi_text names[8];
    size_t n = 0;
    for (const char *p = stack; *p;) {
        size_t len = strcspn(p, " ");
        names[n++] = (ubi_text){ p, len };
        p += len + (p[len] == ' ');
    }
    return ubi__trace_table_stack(t, out, names, n);
}

static ubi__trace_ix stack_of(ubi__trace_table *t, const char *stack) {
    ubi__trace_ix trace;
    assert_int_equal(add_stack(t, &trace, stack), UBI_OK);
    return trace;
}

static void assert_trace(const ubi__trace_table *t, ubi__trace_ix trace, const char *name, ubi__trace_ix parent) {
    assert_true(ubi__text_is(ubi__strtab_get(&t->names, t->rows.at[trace].name), name));
    assert_int_equal(t->rows.at[trace].parent, parent);
}

static void stacks_share_what_they_have_in_common(void **state) {
    ubi__trace_table t;
    (void)state;
    assert_int_equal(ubi__trace_table_init(&t, NULL), UBI_OK);
    assert_int_equal(stack_of(&t, "main f g"), 3);
    assert_int_equal(stack_of(&t, "main f h"), 4);
    assert_int_equal(stack_of(&t, "main f"), 2);
    assert_int_equal(ubi__trace_table_count(&t), 5);
    assert_trace(&t, 0, "(unknown)", 0);
    assert_trace(&t, 1, "main", 0);
    assert_trace(&t, 2, "f", 1);
    assert_trace(&t, 3, "g", 2);
    assert_trace(&t, 4, "h", 2);
    assert_int_equal(stack_of(&t, ""), UBI__TRACE_ROOT);
    ubi__trace_table_fini(&t);
}

static void recursion_makes_a_trace_per_call(void **state) {
    ubi__trace_table t;
    (void)state;
    assert_int_equal(ubi__trace_table_init(&t, NULL), UBI_OK);
    assert_int_equal(stack_of(&t, "f f"), 2);
    assert_trace(&t, 1, "f", 0);
    assert_trace(&t, 2, "f", 1);
    assert_int_equal(t.rows.at[1].name, t.rows.at[2].name);
    ubi__trace_table_fini(&t);
}

static void an_unknown_outermost_frame_is_the_root(void **state) {
    ubi__trace_table t;
    (void)state;
    assert_int_equal(ubi__trace_table_init(&t, NULL), UBI_OK);
    ubi_text names[] = { ubi__text(UBI__TRACE_ROOT_NAME), ubi__text("x") };
    ubi__trace_ix trace;
    assert_int_equal(ubi__trace_table_stack(&t, &trace, names, 2), UBI_OK);
    assert_int_equal(trace, 1);
    assert_trace(&t, 1, "x", 0);
    ubi__trace_table_fini(&t);
}

/* ---- live addresses ----------------------------------------------------------------------------------------------- */

enum { PLACES = 4096 };

static void the_table_is_that_of_a_plain_array(void **state) {
    ubi__live_table t;
    uint64_t plain[PLACES] = { 0 }; /* event + 1 */
    size_t n = 0;
    (void)state;
    random_start(3);
    ubi__live_table_init(&t, ubi_allocator_default());
    for (uint64_t i = 0; i < 200000; i++) {
        uint32_t place = random_below(PLACES);
        uint64_t address = 16 * (uint64_t)(place + 1);
        ubi__live *live = ubi__live_table_find(&t, address);
        assert_int_equal(live != NULL, plain[place] != 0);
        if (live)
            assert_int_equal(live->event, plain[place] - 1);
        if (random_below(2)) {
            assert_int_equal(ubi__live_table_reserve(&t, 1), UBI_OK);
            ubi__live_table_put(&t, address, i);
            n += plain[place] == 0;
            plain[place] = i + 1;
        } else if (live) {
            ubi__live_table_remove(&t, live);
            plain[place] = 0;
            n--;
        }
        assert_int_equal(t.table.n, n);
    }
    ubi__live_table_clear(&t);
    assert_null(ubi__live_table_find(&t, 16));
    assert_int_equal(t.table.n, 0);
    ubi__live_table_fini(&t);
}

/* ---- merging ------------------------------------------------------------------------------------------------------ */

static ubi_status add_event(ubi__recording *r, const char *stack, const char *kind, uint64_t time_ns, uint64_t weight) {
    ubi__event event = { .allocation = r->events.n + 1, .size_bytes = 1, .weight_bytes = weight, .time_ns = time_ns };
    UBI_TRY(add_stack(&r->traces, &event.trace, stack));
    UBI_TRY(ubi__strtab_intern(&r->kinds, &event.kind, ubi__text(kind)));
    return ubi__vec_event_push(&r->events, r->allocator, event);
}

/* A recording of scripts and one of native code, made, merged and checked. */
static ubi_status make_both(ubi__recording *js, ubi__recording *native) {
    UBI_TRY(add_event(js, "A B", "Array", 5000000, 65536));
    UBI_TRY(add_event(js, "A", "Object", 7000000, 0));
    UBI_TRY(add_event(native, "B A", "malloc", 5000000, 131072));
    UBI_TRY(add_event(native, "", "new", 6000000, 65536));
    return add_event(native, "B", "Array", 9000000, 65536);
}

static void assert_merged(const ubi__recording *m) {
    static const char *const names[] = { "(unknown)", "A", "B" };
    assert_int_equal(ubi__strtab_count(&m->traces.names), 3);
    for (ubi_str_ix i = 0; i < 3; i++)
        assert_true(ubi__text_is(ubi__strtab_get(&m->traces.names, i), names[i]));
    assert_int_equal(ubi__trace_table_count(&m->traces), 5);
    assert_trace(&m->traces, 1, "A", 0);
    assert_trace(&m->traces, 2, "B", 1);
    assert_trace(&m->traces, 3, "B", 0);
    assert_trace(&m->traces, 4, "A", 3);
    static const struct {
        uint64_t time_ns, allocation, trace;
        const char *kind;
    } events[] = { { 5000000, 3, 4, "malloc" }, /* at equal times the second recording's comes first */
                   { 5000000, 1, 2, "Array" },
                   { 6000000, 4, 0, "new" }, /* the one without weight is left out */
                   { 9000000, 5, 3, "Array" } };
    assert_int_equal(m->events.n, 4);
    for (size_t i = 0; i < 4; i++) {
        const ubi__event *event = &m->events.at[i];
        assert_int_equal(event->time_ns, events[i].time_ns);
        assert_int_equal(event->allocation, events[i].allocation);
        assert_int_equal(event->trace, events[i].trace);
        assert_true(ubi__text_is(ubi__strtab_get(&m->kinds, event->kind), events[i].kind));
    }
}

static ubi_status merge_both(void *payload, const ubi_allocator *allocator) {
    ubi__recording js = { .period_bytes = 0 }, native = { .period_bytes = 0 }, merged;
    (void)payload;
    ubi_status status = ubi__recording_init(&js, 65536, allocator);
    if (status != UBI_OK)
        return status;
    status = ubi__recording_init(&native, 65536, allocator);
    if (status == UBI_OK) {
        status = make_both(&js, &native);
        if (status == UBI_OK)
            status = ubi__recording_merge(&merged, &js, &native);
        if (status == UBI_OK) {
            assert_merged(&merged);
            ubi__recording_fini(&merged);
        }
        ubi__recording_fini(&native);
    }
    ubi__recording_fini(&js);
    return status;
}

static void two_recordings_become_one(void **state) {
    (void)state;
    assert_int_equal(merge_both(NULL, ubi_allocator_default()), UBI_OK);
    assert_true(fail_each_allocation(merge_both, NULL) > 10);
}

static void recordings_of_other_periods_are_not_merged(void **state) {
    ubi__recording a, b, merged;
    (void)state;
    assert_int_equal(ubi__recording_init(&a, 65536, NULL), UBI_OK);
    assert_int_equal(ubi__recording_init(&b, 1, NULL), UBI_OK);
    assert_int_equal(ubi__recording_merge(&merged, &a, &b), UBI_EMISMATCH);
    ubi__recording_fini(&a);
    ubi__recording_fini(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stacks_share_what_they_have_in_common),
        cmocka_unit_test(recursion_makes_a_trace_per_call),
        cmocka_unit_test(an_unknown_outermost_frame_is_the_root),
        cmocka_unit_test(the_table_is_that_of_a_plain_array),
        cmocka_unit_test(two_recordings_become_one),
        cmocka_unit_test(recordings_of_other_periods_are_not_merged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
