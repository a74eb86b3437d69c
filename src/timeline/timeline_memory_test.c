/* SPDX-License-Identifier: MIT
 *
 * timeline_memory_test.c: memory that is refused, the limit for what is pending, and what is left at the end.
 *
 * The allocator of the timeline is chosen once for a process, so this program has one of its own for all tests.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <ubiheap/core/timeline.h>

#include "base/text.h"
#include "fail_allocator.h"
#include "marker_lines.h"
#include "timeline/marker_log.h"

static fail_allocator memory;

static void allow(uint64_t n) {
    memory.n_requests = memory.n_refused = 0;
    memory.n_allowed = n;
}

/* Nothing is left of the timeline but what was there before. */
static int leave_nothing(void **state) {
    (void)state;
    allow(FAIL_ALLOCATOR_NEVER);
    ubi__logs_release();
    return memory.live_blocks == 0 ? 0 : -1;
}

static void set_limit(uint64_t bytes) {
    ubi_timeline_options options = UBI_TIMELINE_OPTIONS_INIT;
    options.limit_bytes = bytes;
    options.allocator = &memory.allocator;
    assert_int_equal(ubi_timeline_configure(&options), UBI_OK);
}

/* ---- memory that is refused -------------------------------------------------------------------------------------- */

static bool capture(void *payload, ubi_marker_stack_ref *out) {
    (void)payload;
    *out = 3;
    return true;
}

static bool frame(void *payload, ubi_marker_stack_ref ref, ubi_marker_frame *out) {
    (void)payload;
    out->function_name = ubi__text("f");
    out->source = ubi__text("a.js");
    out->line = (uint32_t)ref;
    if (ref > 1)
        out->parent = ref - 1;
    return true;
}

enum { POSTED = 5 };

/* Posts moments of every make; each is a row or is lost. */
static void post_some(ubi_timeline_target *t) {
    ubi_timeline_consumers *c = ubi_timeline_consumers_get();
    UBI_TIMELINE_TIMESTAMP("labelled", "label");
    ubi_marker_emit("plain", UBI_MARKER_FLAGS(UBI_MARKER_TIMESTAMP, UBI_MARKER_STACK), NULL);
    ubi_timeline_consumers_add_marker_for_target_at(c, t, "at", 5, UBI_MARKER_TIMESTAMP, UBI_MARKER_STACK);
    ubi_timeline_consumers_add_existing_marker_for_target(c, t, ubi_timestamp_timeline_marker_new(ubi__text("x")));
    ubi_timeline_marker *m = ubi_doc_loading_timeline_marker_new("document::Load");
    ubi_timeline_consumers_add_existing_marker_for_all_observed_targets(c, m);
    ubi_timeline_marker_free(m);
}

/* Everything once, with `n_allowed` requests granted. @return whether none was refused. */
static bool live_through(uint64_t n_allowed) {
    ubi_timeline_stack_source source = { .capture = capture, .frame = frame };
    ubi_timeline_target *t;
    ubi_timeline_markers *m = NULL;
    allow(n_allowed);
    if (ubi_timeline_target_new(&t, NULL) != UBI_OK)
        return false;
    if (ubi_timeline_target_set_record_profile_timeline_markers(t, true) == UBI_OK) {
        ubi_timeline_set_stack_source(&source);
        post_some(t);
        ubi_timeline_set_stack_source(NULL);
        ubi_status status = ubi_timeline_target_pop_profile_timeline_markers(t, &m);
        assert_true(status == UBI_OK || status == UBI_ENOMEM);
        size_t n_rows = status == UBI_OK ? ubi_timeline_markers_count(m) : 0;
        uint64_t n_lost = status == UBI_OK ? ubi_timeline_markers_lost_count(m) : 0;
        ubi_timeline_markers_free(m);
        memory.n_allowed = FAIL_ALLOCATOR_NEVER;
        if (status != UBI_OK) { /* what was dropped is counted in the next result */
            assert_int_equal(ubi_timeline_target_pop_profile_timeline_markers(t, &m), UBI_OK);
            n_rows += ubi_timeline_markers_count(m);
            n_lost += ubi_timeline_markers_lost_count(m);
            ubi_timeline_markers_free(m);
        }
        assert_int_equal(n_rows + n_lost, POSTED);
    }
    ubi_timeline_target_free(t);
    return memory.n_refused == 0;
}

static void a_marker_that_cannot_be_kept_is_counted(void **state) {
    (void)state;
    for (int once = 0; once <= 1; once++) {
        memory.once = once;
        uint64_t n = 0;
        while (!live_through(n)) {
            assert_int_equal(leave_nothing(NULL), 0);
            n++;
        }
        assert_true(n > 20);
        assert_int_equal(leave_nothing(NULL), 0);
    }
    memory.once = false;
}

static ubi_status pair_some(const ubi_allocator *allocator) {
    ubi_marker_pairing_options options = UBI_MARKER_PAIRING_OPTIONS_INIT;
    ubi_timeline_thread thread = { .id = 1, .name = ubi__text("main") };
    ubi_timeline_frame f = {
        .function_name = ubi__text("f"), .source = ubi__text("a.c"), .parent = UBI_NONE, .async_parent = UBI_NONE
    };
    ubi_timeline_detail detail = { .key = ubi__text("causeName"), .type = UBI_MARKER_TEXT, .text = ubi__text("x") };
    ubi_raw_marker raw = { .tracing = UBI_MARKER_START, .key = ubi__text("k"), .details = &detail, .detail_count = 1 };
    ubi_marker_pairing *p;
    ubi_timeline_markers *m = NULL;
    options.allocator = allocator;
    ubi_status status = ubi_marker_pairing_new(&p, &options);
    if (status != UBI_OK)
        return status;
    if ((status = ubi_marker_pairing_name(&raw.name, p, ubi__text("A"))) == UBI_OK &&
        (status = ubi_marker_pairing_thread(&raw.thread, p, &thread)) == UBI_OK &&
        (status = ubi_marker_pairing_frame(&raw.stack, p, &f)) == UBI_OK &&
        (status = ubi_marker_pairing_add(p, &raw)) == UBI_OK)
        status = ubi_marker_pairing_finish(&m, p, false); /* it waits */
    ubi_timeline_markers_free(m);
    m = NULL;
    if (status == UBI_OK)
        status = ubi_marker_pairing_finish(&m, p, true);
    if (status == UBI_OK)
        assert_int_equal(ubi_timeline_markers_count(m), 1);
    ubi_timeline_markers_free(m);
    ubi_marker_pairing_free(p);
    return status;
}

static void pairing_alone_has_a_way_out(void **state) {
    (void)state;
    ubi_status status = UBI_ENOMEM;
    for (uint64_t n = 0; status != UBI_OK; n++) {
        fail_allocator f;
        fail_allocator_init(&f, n);
        status = pair_some(&f.allocator);
        assert_true(status == UBI_OK || (status == UBI_ENOMEM && f.n_refused > 0));
        fail_allocator_fini(&f);
    }
}

/* ---- the limit --------------------------------------------------------------------------------------------------- */

static void what_is_too_old_is_dropped_and_counted(void **state) {
    (void)state;
    enum { N = 200000 }; /* 6.4 MB */
    uint64_t limit_bytes = 1 << 20;
    set_limit(limit_bytes);
    ubi_timeline_target *t = observed_target(), *idle = observed_target();
    ubi_timeline_markers *m;
    uint64_t before_bytes = memory.live_bytes;
    memory.peak_bytes = 0;
    for (uint64_t i = 1; i <= N; i++)
        ubi_marker_emit("A", UBI_MARKER_FLAGS(UBI_MARKER_TIMESTAMP, UBI_MARKER_STACK), NULL);
    assert_true(memory.peak_bytes <= before_bytes + 2 * limit_bytes);
    ubi_marker_emit("newest", UBI_MARKER_FLAGS(UBI_MARKER_TIMESTAMP, UBI_MARKER_STACK), NULL);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(ubi_timeline_target_pop_profile_timeline_markers(i ? idle : t, &m), UBI_OK);
        size_t n = ubi_timeline_markers_count(m);
        assert_int_equal(n + ubi_timeline_markers_lost_count(m), N + 1);
        assert_true(n > limit_bytes / 32 / 2);
        assert_true(ubi__text_equal(ubi_timeline_markers_row(m, n - 1).name, ubi__text("newest")));
        ubi_timeline_markers_free(m);
        assert_int_equal(ubi_timeline_target_pop_profile_timeline_markers(i ? idle : t, &m), UBI_OK);
        assert_int_equal(ubi_timeline_markers_lost_count(m), 0);
        ubi_timeline_markers_free(m);
    }
    ubi_timeline_target_free(t);
    ubi_timeline_target_free(idle);
}

static void what_markers_say_counts(void **state) {
    (void)state;
    enum { N = 300 };
    set_limit(4 << 20);
    ubi_timeline_target *t = observed_target();
    static char label[100001];
    memset(label, 'x', sizeof label - 1);
    memory.peak_bytes = 0;
    for (int i = 0; i < N; i++) /* 30 MB */
        UBI_TIMELINE_TIMESTAMP("A", label);
    assert_true(memory.peak_bytes < 10 << 20);
    ubi_timeline_markers *m;
    assert_int_equal(ubi_timeline_target_pop_profile_timeline_markers(t, &m), UBI_OK);
    assert_true(ubi_timeline_markers_lost_count(m) > 200);
    assert_int_equal(ubi_timeline_markers_count(m) + ubi_timeline_markers_lost_count(m), N);
    ubi_timeline_markers_free(m);
    ubi_timeline_target_free(t);
}

/* About 200 bytes each, however fast they come. */
static void markers_that_say_little_take_little(void **state) {
    (void)state;
    enum { N = 200000 };
    set_limit(64 << 20);
    ubi_timeline_target *t = observed_target();
    ubi_timeline_markers *m;
    for (int i = 0; i < N; i++)
        ubi_timeline_consumers_add_existing_marker_for_target(ubi_timeline_consumers_get(), t,
                                                              ubi_timestamp_timeline_marker_new(ubi__text("a")));
    assert_int_equal(ubi_timeline_target_pop_profile_timeline_markers(t, &m), UBI_OK);
    assert_int_equal(ubi_timeline_markers_count(m), N);
    ubi_timeline_markers_free(m);
    ubi_timeline_target_free(t);
}

static void starts_that_never_end_are_dropped_at_last(void **state) {
    (void)state;
    enum { POPS = 20, EACH = 4000 };
    set_limit(1 << 20);
    ubi_timeline_target *t = observed_target();
    ubi_timeline_markers *m;
    uint64_t n_lost = 0;
    for (int i = 0; i < POPS; i++) {
        for (int j = 0; j < EACH; j++)
            ubi_marker_emit("A", UBI_MARKER_FLAGS(UBI_MARKER_START, UBI_MARKER_STACK), NULL);
        assert_int_equal(ubi_timeline_target_pop_profile_timeline_markers(t, &m), UBI_OK);
        n_lost += ubi_timeline_markers_lost_count(m);
        ubi_timeline_markers_free(m);
    }
    assert_int_equal(ubi_timeline_target_pop_last_timeline_markers(t, &m), UBI_OK);
    assert_int_equal(ubi_timeline_markers_count(m) + n_lost, POPS * EACH);
    assert_in_range(ubi_timeline_markers_count(m), 1000, (1 << 20) / 4 / 40);
    ubi_timeline_markers_free(m);
    ubi_timeline_target_free(t);
}

/* Names are made up without end: the tables that hold them go with the markers that bear them. */
static void names_without_end_do_not_fill_the_memory(void **state) {
    (void)state;
    enum { POPS = 40, EACH = 3000 };
    set_limit(UBI_TIMELINE_LIMIT_BYTES);
    ubi_timeline_target *t = observed_target();
    ubi_timeline_markers *m;
    uint64_t peak_bytes = 0;
    for (int i = 0; i < POPS; i++) {
        memory.peak_bytes = 0;
        for (int j = 0; j < EACH; j++) {
            char name[120];
            snprintf(name, sizeof name, "%d.%d %0100d", i, j, 0);
            ubi_marker_emit(name, UBI_MARKER_FLAGS(UBI_MARKER_TIMESTAMP, UBI_MARKER_STACK), NULL);
        }
        assert_int_equal(ubi_timeline_target_pop_profile_timeline_markers(t, &m), UBI_OK);
        assert_int_equal(ubi_timeline_markers_count(m), EACH);
        char first[16];
        snprintf(first, sizeof first, "%d.0 ", i);
        assert_memory_equal(ubi_timeline_markers_row(m, 0).name.ptr, first, strlen(first));
        ubi_timeline_markers_free(m);
        if (memory.peak_bytes > peak_bytes)
            peak_bytes = memory.peak_bytes;
    }
    assert_true(peak_bytes < 24 << 20); /* of 14 MB of names, and their tables, twice at most */
    ubi_timeline_target_free(t);
}

static void wrong_options_are_refused(void **state) {
    (void)state;
    ubi_timeline_target *t;
    ubi_marker_pairing *p;
    assert_int_equal(ubi_timeline_configure(&(ubi_timeline_options){ .version = 9 }), UBI_EINVAL);
    assert_int_equal(ubi_timeline_configure(&(ubi_timeline_options){ .version = 1, .limit_bytes = 5 }), UBI_EINVAL);
    assert_int_equal(ubi_timeline_target_new(&t, &(ubi_timeline_target_options){ .version = 9 }), UBI_EINVAL);
    assert_int_equal(ubi_marker_pairing_new(&p, &(ubi_marker_pairing_options){ .version = 9 }), UBI_EINVAL);
    assert_int_equal(ubi_marker_pairing_new(&p, NULL), UBI_OK);
    ubi_raw_marker raw = { .name = 0, .stack = UBI_NONE };
    assert_int_equal(ubi_marker_pairing_add(p, &raw), UBI_EINVAL);
    ubi_timeline_frame orphan = { .parent = 7, .async_parent = UBI_NONE };
    uint32_t number;
    assert_int_equal(ubi_marker_pairing_frame(&number, p, &orphan), UBI_EINVAL);
    ubi_marker_pairing_free(p);
}

int main(void) {
    fail_allocator_init(&memory, FAIL_ALLOCATOR_NEVER);
    set_limit(UBI_TIMELINE_LIMIT_BYTES);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_marker_that_cannot_be_kept_is_counted, leave_nothing),
        cmocka_unit_test(pairing_alone_has_a_way_out),
        cmocka_unit_test_teardown(what_is_too_old_is_dropped_and_counted, leave_nothing),
        cmocka_unit_test_teardown(what_markers_say_counts, leave_nothing),
        cmocka_unit_test_teardown(markers_that_say_little_take_little, leave_nothing),
        cmocka_unit_test_teardown(starts_that_never_end_are_dropped_at_last, leave_nothing),
        cmocka_unit_test_teardown(names_without_end_do_not_fill_the_memory, leave_nothing),
        cmocka_unit_test(wrong_options_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
