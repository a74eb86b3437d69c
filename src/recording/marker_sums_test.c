/* SPDX-License-Identifier: MIT
 *
 * Tests of marker_sums.h as recording_summary.c uses it: allocations by the innermost open marker, against sums that are made the
 * long way.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "fail_allocator.h"
#include "random_numbers.h"
#include "small_recording.h"

static void mark(recording *r, const char *name, ubi__ubirec_marker_type type, uint32_t thread, uint64_t time_ns) {
    const ubi__ubirec_marker marker = {
        .name = ubi__text(name), .time_ns = time_ns, .type = type, .thread = thread, .details = ubi__text("")
    };
    must(ubi__ubirec_write_marker(r->w, &marker));
}

static void begin(recording *r, const char *name, uint64_t time_ns) {
    mark(r, name, UBI__UBIREC_MARKER_START, 0, time_ns);
}

static void end(recording *r, const char *name, uint64_t time_ns) {
    mark(r, name, UBI__UBIREC_MARKER_END, 0, time_ns);
}

static const ubi__marker_group *group(const ubi__recording_summary *s, const char *name) {
    for (size_t i = 0; i < s->markers.groups.n; i++)
        if (ubi__text_is(ubi__ubirec_string_at(&s->tables, s->markers.groups.at[i].name), name))
            return &s->markers.groups.at[i];
    return NULL;
}

static void assert_bytes(const ubi__recording_summary *s, const char *name, double allocated, double live) {
    const ubi__marker_group *g = group(s, name);
    assert_non_null(g);
    assert_true(g->allocated.bytes == allocated);
    assert_true(g->live.bytes == live);
}

/* ---- single facts ------------------------------------------------------------------------------------------------- */

static void an_allocation_belongs_to_the_innermost_open_marker(void **state) {
    recording r;
    ubi__recording_summary s;
    (void)state;
    open_recording(&r, 1, 1);
    allocate(&r, r.heap, 1, 0);
    begin(&r, "outer", 100);
    allocate(&r, r.heap, 2, 0);
    begin(&r, "inner", 200);
    uint64_t freed_outside = allocate(&r, r.heap, 4, 0);
    allocate(&r, r.heap, 8, 0);
    allocate(&r, r.mapping, 4096, 0); /* no heap */
    end(&r, "inner", 250);
    allocate(&r, r.heap, 16, 0);
    mark(&r, "moment", UBI__UBIREC_MARKER_TIMESTAMP, 0, 260);
    mark(&r, "helper", UBI__UBIREC_MARKER_HELPER_EVENT, 0, 265);
    allocate(&r, r.heap, 32, 0);
    end(&r, "outer", 300);
    must(ubi__ubirec_write_free(r.w, freed_outside));
    allocate(&r, r.heap, 64, 0);
    begin(&r, "inner", 400);
    end(&r, "inner", 600);
    close_recording(&r, &s);
    assert_int_equal(s.markers.groups.n, 3);
    assert_bytes(&s, "outer", 2 + 16 + 32, 2 + 16 + 32);
    assert_bytes(&s, "inner", 4 + 8, 8);
    assert_bytes(&s, "moment", 0, 0);
    assert_int_equal(group(&s, "inner")->count, 2);
    assert_int_equal(group(&s, "inner")->n_ended, 2);
    assert_int_equal(group(&s, "inner")->total_ns, 50 + 200);
    assert_int_equal(group(&s, "inner")->longest_ns, 200);
    assert_int_equal(group(&s, "moment")->count, 1);
    assert_int_equal(group(&s, "moment")->n_ended, 0);
    ubi__recording_summary_fini(&s);
}

static void markers_are_of_their_thread(void **state) {
    recording r;
    ubi__recording_summary s;
    (void)state;
    open_recording(&r, 1, 2);
    mark(&r, "one", UBI__UBIREC_MARKER_START, 1, 10);
    allocate(&r, r.heap, 1, 0); /* by thread 0 */
    mark(&r, "one", UBI__UBIREC_MARKER_END, 0, 20);
    must(ubi__ubirec_write_thread(r.w, 1));
    uint64_t freed = allocate(&r, r.heap, 2, 0); /* that END was another thread's */
    uint64_t undone = allocate(&r, r.heap, 4, 0);
    must(ubi__ubirec_write_thread(r.w, 0));
    must(ubi__ubirec_write_free(r.w, freed)); /* by any thread */
    must(ubi__ubirec_write_free(r.w, undone));
    must(ubi__ubirec_write_free_undone(r.w, undone, 2));
    close_recording(&r, &s);
    assert_bytes(&s, "one", 2 + 4, 4);
    assert_int_equal(group(&s, "one")->n_ended, 0);
    ubi__recording_summary_fini(&s);
}

static void markers_need_not_nest(void **state) {
    recording r;
    ubi__recording_summary s;
    (void)state;
    open_recording(&r, 1, 1);
    begin(&r, "a", 1);
    begin(&r, "b", 2);
    end(&r, "a", 4);
    allocate(&r, r.heap, 1, 0); /* b is open alone */
    end(&r, "b", 8);
    end(&r, "b", 16); /* there was only one */
    allocate(&r, r.heap, 2, 0);
    begin(&r, "a", 32);
    begin(&r, "a", 64); /* in itself */
    end(&r, "a", 128);
    allocate(&r, r.heap, 4, 0);
    close_recording(&r, &s);
    assert_bytes(&s, "a", 4, 4);
    assert_bytes(&s, "b", 1, 1);
    assert_int_equal(group(&s, "a")->total_ns, 3 + 64);
    assert_int_equal(group(&s, "b")->total_ns, 6);
    ubi__recording_summary_fini(&s);
}

static void time_in_itself_counts_once(void **state) {
    recording r;
    ubi__recording_summary s;
    (void)state;
    open_recording(&r, 1, 1);
    for (uint64_t depth = 0; depth < 4; depth++)
        begin(&r, "recursion", 10 + depth);
    begin(&r, "other", 15);
    for (uint64_t depth = 0; depth < 4; depth++)
        end(&r, "recursion", 20 + depth);
    end(&r, "other", 30);
    begin(&r, "recursion", 40);
    begin(&r, "recursion", 41);
    end(&r, "recursion", 43);
    begin(&r, "recursion", 45);
    end(&r, "recursion", 46);
    end(&r, "recursion", 50);
    close_recording(&r, &s);
    assert_int_equal(group(&s, "recursion")->count, 7);
    assert_int_equal(group(&s, "recursion")->n_ended, 7);
    assert_int_equal(group(&s, "recursion")->total_ns, 13 + 10);
    assert_int_equal(group(&s, "recursion")->longest_ns, 13);
    assert_int_equal(group(&s, "other")->total_ns, 15);
    assert_int_equal(s.n_markers, 8);
    ubi__recording_summary_fini(&s);
}

static void what_never_ends_costs_little(void **state) {
    recording r;
    ubi__recording_summary s;
    (void)state;
    open_recording(&r, 1, 1);
    begin(&r, "outermost", 0);
    for (unsigned i = 0; i < 100000; i++)
        begin(&r, "open", i);
    end(&r, "outermost", 1); /* forgotten */
    allocate(&r, r.heap, 1, 0);
    close_recording(&r, &s);
    assert_int_equal(group(&s, "outermost")->n_ended, 0);
    assert_bytes(&s, "open", 1, 1);
    assert_int_equal(s.markers.threads.at[0].open.n, UBI__OPEN_MARKERS);
    ubi__recording_summary_fini(&s);
}

/* ---- the long way ------------------------------------------------------------------------------------------------- */

#define THREADS 3
#define NAMES 4
#define BLOCKS 4000

static const char *const names[NAMES] = { "load", "parse", "draw", "save" };

/* Everything that was ever opened or allocated; what is asked is found by looking at all of it. */
typedef struct slow {
    struct {
        unsigned name;
        bool is_open;
        uint64_t start_ns, end_ns;
    } markers[THREADS][BLOCKS];
    size_t n_markers[THREADS];
    uint64_t size[BLOCKS];
    int owner[BLOCKS]; /* a name; -1: none */
    bool is_live[BLOCKS];
    size_t n;
} slow;

static int innermost(const slow *m, unsigned thread) {
    for (size_t i = m->n_markers[thread]; i-- > 0;)
        if (m->markers[thread][i].is_open)
            return (int)m->markers[thread][i].name;
    return -1;
}

static void open_some(slow *m, recording *r, unsigned thread, uint64_t time_ns) {
    unsigned name = random_below(NAMES), open = 0;
    for (size_t i = 0; i < m->n_markers[thread]; i++)
        open += m->markers[thread][i].is_open;
    if (open == UBI__OPEN_MARKERS)
        return;
    size_t at = m->n_markers[thread]++;
    m->markers[thread][at].name = name;
    m->markers[thread][at].is_open = true;
    m->markers[thread][at].start_ns = time_ns;
    mark(r, names[name], UBI__UBIREC_MARKER_START, thread, time_ns);
}

static void end_some(slow *m, recording *r, unsigned thread, uint64_t time_ns) {
    unsigned name = random_below(NAMES);
    mark(r, names[name], UBI__UBIREC_MARKER_END, thread, time_ns);
    for (size_t i = m->n_markers[thread]; i-- > 0;)
        if (m->markers[thread][i].is_open && m->markers[thread][i].name == name) {
            m->markers[thread][i].is_open = false;
            m->markers[thread][i].end_ns = time_ns;
            return;
        }
}

/* Each nanosecond in which one was open that has ended, thread by thread. */
static uint64_t total_ns(const slow *m, unsigned name) {
    uint64_t ns = 0;
    for (unsigned thread = 0; thread < THREADS; thread++) {
        bool is_covered[BLOCKS] = { false };
        for (size_t i = 0; i < m->n_markers[thread]; i++)
            if (m->markers[thread][i].name == name && !m->markers[thread][i].is_open)
                memset(is_covered + m->markers[thread][i].start_ns, true,
                       m->markers[thread][i].end_ns - m->markers[thread][i].start_ns);
        for (size_t i = 0; i < BLOCKS; i++)
            ns += is_covered[i];
    }
    return ns;
}

static void allocate_some(slow *m, recording *r, unsigned thread) {
    m->size[m->n] = random_below(1000);
    m->owner[m->n] = innermost(m, thread);
    m->is_live[m->n] = true;
    must(ubi__ubirec_write_thread(r->w, thread));
    assert_true(allocate(r, r->heap, m->size[m->n], 0) == m->n);
    m->n++;
}

static void free_some(slow *m, recording *r, unsigned thread) {
    size_t at = m->n ? random_below((uint32_t)m->n) : 0;
    if (!m->n || !m->is_live[at])
        return;
    must(ubi__ubirec_write_thread(r->w, thread));
    must(ubi__ubirec_write_free(r->w, at));
    m->is_live[at] = false;
}

static void make_events(slow *m, recording *r) {
    for (uint64_t i = 0; i < BLOCKS; i++) {
        unsigned thread = random_below(THREADS);
        switch (random_below(6)) {
        case 0:
            open_some(m, r, thread, i);
            break;
        case 1:
            end_some(m, r, thread, i);
            break;
        case 2:
            free_some(m, r, thread);
            break;
        default:
            allocate_some(m, r, thread);
        }
    }
}

static void sums_are_those_of_the_long_way(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        slow *m = calloc(1, sizeof *m);
        recording r;
        ubi__recording_summary s;
        assert_non_null(m);
        random_start(seed);
        open_recording(&r, 1, THREADS);
        make_events(m, &r);
        close_recording(&r, &s);
        for (unsigned name = 0; name < NAMES; name++) {
            uint64_t allocated = 0, live = 0;
            for (size_t i = 0; i < m->n; i++)
                if (m->owner[i] == (int)name) {
                    allocated += m->size[i];
                    live += m->is_live[i] ? m->size[i] : 0;
                }
            assert_bytes(&s, names[name], (double)allocated, (double)live);
            assert_int_equal(group(&s, names[name])->total_ns, total_ns(m, name));
        }
        ubi__recording_summary_fini(&s);
        free(m);
    }
}

static ubi_status read_marked(void *payload, const ubi_allocator *allocator) {
    const bytes *file = payload;
    ubi__recording_summary s;
    ubi__source source;
    ubi__source_open_memory(&source, file->at, file->n, ubi_allocator_default());
    ubi_status status = ubi__recording_summary_read(&s, &source, NULL, allocator);
    if (status == UBI_OK)
        ubi__recording_summary_fini(&s);
    ubi__source_close(&source);
    return status;
}

static void a_refused_allocation_ends_it_cleanly(void **state) {
    recording r;
    slow *m = calloc(1, sizeof *m);
    (void)state;
    assert_non_null(m);
    random_start(1);
    open_recording(&r, 1, THREADS);
    make_events(m, &r);
    finish_recording(&r);
    assert_true(fail_each_allocation(read_marked, &r.file) > 20);
    bytes_free(&r.file);
    free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_allocation_belongs_to_the_innermost_open_marker),
        cmocka_unit_test(markers_are_of_their_thread),
        cmocka_unit_test(markers_need_not_nest),
        cmocka_unit_test(time_in_itself_counts_once),
        cmocka_unit_test(what_never_ends_costs_little),
        cmocka_unit_test(sums_are_those_of_the_long_way),
        cmocka_unit_test(a_refused_allocation_ends_it_cleanly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
