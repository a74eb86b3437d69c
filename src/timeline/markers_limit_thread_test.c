/* SPDX-License-Identifier: MIT
 *
 * markers_limit_thread_test.c: threads that mark faster than the test pops: what a pop takes on, and what memory that needs.
 */
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <ubiheap/core/timeline.h>

#include "marker_lines.h"
#include "timeline/marker_log.h"

enum { MARKING = 8, FIRST = 4000, MEANWHILE = 100000, LIMIT_BYTES = 4 << 20 };

/* Eight threads mark as fast as they can, up to `granted` each; the test raises it and waits until they are there. */
static _Atomic uint64_t granted, n_there;

static void *mark(void *payload) {
    (void)payload;
    uint64_t n = 0, most;
    while ((most = atomic_load_explicit(&granted, memory_order_acquire)) != UINT64_MAX) {
        if (n == most) {
            sched_yield();
            continue;
        }
        while (n < most) {
            ubi_marker_emit("fast", UBI_MARKER_FLAGS(UBI_MARKER_TIMESTAMP, UBI_MARKER_STACK), NULL);
            n++;
        }
        atomic_fetch_add(&n_there, 1);
    }
    return NULL;
}

static void let_mark_up_to(uint64_t n) {
    atomic_store(&n_there, 0);
    atomic_store_explicit(&granted, n, memory_order_release);
    while (atomic_load(&n_there) < MARKING)
        sched_yield();
}

/* ---- a pop in whose middle they mark ----------------------------------------------------------------------------- */

static uint64_t pending_bytes_meanwhile;

static uint64_t pending_bytes(void) {
    ubi__timeline_lock();
    uint64_t bytes = ubi__the_timeline.pending_bytes;
    ubi__timeline_unlock(NULL);
    return bytes;
}

/* The pop is at this marker, and stays until every thread has marked many times what the limit holds. */
static void stay(const ubi_timeline_marker *marker, ubi_marker_details *out) {
    (void)marker, (void)out;
    let_mark_up_to(FIRST + MEANWHILE);
    pending_bytes_meanwhile = pending_bytes();
}

static const ubi_marker_kind staying = { .version = UBI_MARKER_KIND_VERSION, .add_details = stay };

static uint64_t pop_count(ubi_timeline_target *t, uint64_t *n_lost) {
    ubi_timeline_markers *m;
    assert_int_equal(ubi_timeline_target_pop_profile_timeline_markers(t, &m), UBI_OK);
    uint64_t n = ubi_timeline_markers_count(m);
    *n_lost = ubi_timeline_markers_lost_count(m);
    ubi_timeline_markers_free(m);
    return n;
}

static void post_staying(ubi_timeline_target *t) {
    const ubi_marker_make make = { .name = "stay", .tracing = UBI_MARKER_TIMESTAMP, .kind = &staying };
    ubi_timeline_consumers_add_existing_marker_for_target(ubi_timeline_consumers_get(), t,
                                                          ubi_timeline_marker_new(&make));
}

static void a_pop_takes_what_was_pending_and_the_limit_holds_meanwhile(void **state) {
    (void)state;
    const uint64_t first = (uint64_t)MARKING * FIRST, meanwhile = (uint64_t)MARKING * MEANWHILE;
    ubi_timeline_options options = UBI_TIMELINE_OPTIONS_INIT;
    options.limit_bytes = LIMIT_BYTES;
    assert_int_equal(ubi_timeline_configure(&options), UBI_OK);
    ubi_timeline_target *t = observed_target(), *idle = observed_target();
    pthread_t threads[MARKING];
    uint64_t n_lost, n_lost_meanwhile, n_rows;
    atomic_store(&granted, 0);
    for (int i = 0; i < MARKING; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, mark, NULL), 0);
    let_mark_up_to(FIRST);
    post_staying(t);
    assert_int_equal(pop_count(t, &n_lost_meanwhile), first + 1); /* all that was there, nothing of what came */
    assert_true(meanwhile * sizeof(ubi__record) > 4 * LIMIT_BYTES);
    assert_true(pending_bytes_meanwhile <= LIMIT_BYTES + MARKING * (LIMIT_BYTES / 16));
    n_rows = pop_count(t, &n_lost);
    assert_int_equal(n_rows + n_lost + n_lost_meanwhile, meanwhile);
    assert_true(n_rows > 0 && n_lost_meanwhile > 0);
    n_rows = pop_count(idle, &n_lost); /* one never popped lost more, and each is counted once, too */
    assert_int_equal(n_rows + n_lost, first + meanwhile);
    atomic_store(&granted, UINT64_MAX);
    for (int i = 0; i < MARKING; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    ubi_timeline_target_free(t);
    ubi_timeline_target_free(idle);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pop_takes_what_was_pending_and_the_limit_holds_meanwhile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
