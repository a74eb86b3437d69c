/* SPDX-License-Identifier: MIT
 *
 * recording_checkpoints_test.c: windows that are put together from checkpoints are those that are read, to the last bit; damaged checkpoints
 * are found.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "fail_allocator.h"
#include "random_numbers.h"
#include "recording/event_stream.h"
#include "recording/recording_checkpoints.h"
#include "recording/site_curves.h"
#include "small_recording.h"

#define THREADS 3
#define TRACES 12
#define LIVE 60
#define EVENTS 3000
#define EVENTS_PER_BLOCK 25
#define LEAST_EVENTS 120
#define WINDOWS 60

/* ---- recordings ------------------------------------------------------------------------------------------------------ */

typedef struct made_recording {
    recording r;
    uint64_t now_ns;
    uint64_t live[LIVE]; /* numbers + 1 */
    uint32_t info[LIVE];
    uint32_t infos[TRACES * 2];
    uint64_t n_numbers;
    bool has_undone; /* frees that are taken back */
} made_recording;

static void infos_make(made_recording *m) {
    for (uint32_t i = 0; i < TRACES; i++) {
        char labels[32];
        snprintf(labels, sizeof labels, "main f%u", (unsigned)i);
        uint32_t trace = stack(&m->r, labels);
        for (uint32_t k = 0; k < 2; k++) {
            uint64_t size = random_below(5000);
            uint32_t kind = k ? m->r.mapping : m->r.heap;
            must(ubi__ubirec_info(m->r.w, &m->infos[2 * i + k], kind, size, trace, size));
        }
    }
}

/* Freed, and taken back some time later, mostly at once. */
static void free_undone(made_recording *m, size_t slot) {
    uint64_t number = m->live[slot] - 1;
    uint32_t info = m->info[slot];
    if (random_below(3) == 0)
        info = m->infos[2 * random_below(TRACES) + (info - m->infos[0]) % 2]; /* of the same class */
    must(ubi__ubirec_write_free(m->r.w, number));
    if (random_below(4) == 0)
        must(ubi__ubirec_flush(m->r.w));
    if (random_below(4) == 0)
        must(ubi__ubirec_write_time(m->r.w, m->now_ns += random_below(3000000)));
    must(ubi__ubirec_write_free_undone(m->r.w, number, info));
    m->info[slot] = info;
}

static void event_make(made_recording *m) {
    size_t slot = random_below(LIVE);
    if (random_below(6) == 0)
        must(ubi__ubirec_write_time(m->r.w, m->now_ns += random_below(1u << (random_below(20) + 8))));
    if (random_below(6) == 0)
        must(ubi__ubirec_write_thread(m->r.w, random_below(THREADS)));
    if (random_below(40) == 0)
        must(ubi__ubirec_write_rss(m->r.w, random_below(1u << 30)));
    if (m->has_undone && m->live[slot] && random_below(200) == 0) {
        free_undone(m, slot);
        return;
    }
    if (m->live[slot])
        must(ubi__ubirec_write_free(m->r.w, m->live[slot] - 1));
    m->live[slot] = 0;
    if (random_below(10) == 0)
        return;
    m->info[slot] = m->infos[2 * random_below(TRACES) + (random_below(5) == 0)];
    must(ubi__ubirec_write_alloc(m->r.w, &m->n_numbers, m->info[slot]));
    m->live[slot] = ++m->n_numbers;
    if (random_below(4) == 0) /* a temporary one, maybe of two blocks */
        m->live[slot] = 0;
    if (random_below(8) == 0)
        must(ubi__ubirec_flush(m->r.w));
    if (!m->live[slot])
        must(ubi__ubirec_write_free(m->r.w, m->n_numbers - 1));
}

static void recording_make(made_recording *m, uint64_t seed) {
    *m = (made_recording){ .has_undone = seed % 4 != 0 };
    random_start(seed);
    open_recording(&m->r, 1, THREADS);
    infos_make(m);
    for (int i = 0; i < EVENTS; i++) {
        event_make(m);
        if (i % EVENTS_PER_BLOCK == 0)
            must(ubi__ubirec_flush(m->r.w));
    }
    must(ubi__ubirec_write_time(m->r.w, m->now_ns += 1000));
    finish_recording(&m->r);
}

/* ---- two ways to the same window ---------------------------------------------------------------------------------------- */

static void assert_sums_equal(const ubi__recording_summary *a, const ubi__recording_summary *b) {
    assert_int_equal(a->infos.n, b->infos.n);
    for (size_t i = 0; i < a->infos.n; i++) {
        const ubi__info_sums *x = &a->infos.at[i], *y = &b->infos.at[i];
        assert_true(x->count == y->count && x->live == y->live && x->n_older == y->n_older);
        assert_true(x->peak_live == y->peak_live && x->temporary == y->temporary && x->n_left == y->n_left);
    }
    for (int i = 0; i < UBI__UBIREC_CLASS_COUNT; i++) {
        const ubi__class_sums *x = &a->classes[i], *y = &b->classes[i];
        assert_true(x->count == y->count && x->n_frees == y->n_frees && x->n_older == y->n_older);
        assert_true(x->bytes == y->bytes && x->live == y->live && x->live_bytes == y->live_bytes);
        assert_true(x->peak_bytes == y->peak_bytes && x->peak_met_bytes == y->peak_met_bytes);
        assert_int_equal(x->peak_time_ns, y->peak_time_ns);
    }
    assert_memory_equal(a->totals, b->totals, sizeof a->totals);
    assert_memory_equal(a->lifetimes, b->lifetimes, sizeof a->lifetimes);
    assert_memory_equal(a->sizes, b->sizes, sizeof a->sizes);
}

static void assert_windows_equal(const ubi__recording_summary *a, const ubi__recording_summary *b) {
    assert_sums_equal(a, b);
    assert_int_equal(a->threads.n, b->threads.n);
    for (size_t i = 0; i < a->threads.n; i++) {
        const ubi__thread_sums *x = &a->threads.at[i], *y = &b->threads.at[i];
        assert_memory_equal(&x->allocated, &y->allocated, sizeof x->allocated);
        assert_memory_equal(&x->freed, &y->freed, sizeof x->freed);
        assert_memory_equal(&x->temporary, &y->temporary, sizeof x->temporary);
        assert_memory_equal(x->by, y->by, sizeof x->by);
    }
    assert_true(a->n_curve == b->n_curve && a->curve_step_ns == b->curve_step_ns);
    assert_memory_equal(a->curve, b->curve, a->n_curve * sizeof *a->curve);
    assert_true(a->rss_peak_bytes == b->rss_peak_bytes && a->rss_peak_time_ns == b->rss_peak_time_ns);
    assert_true(a->time_ns == b->time_ns && a->double_frees == b->double_frees && a->is_over == b->is_over);
    assert_true(a->has_undone == b->has_undone && a->n_blocks == b->n_blocks && a->file_bytes == b->file_bytes);
    assert_true(a->window.from_ns == b->window.from_ns && a->window.to_ns == b->window.to_ns);
}

static void summary_read(ubi__recording_summary *s, const bytes *file, const ubi__summary_choice *choice) {
    ubi__source source;
    ubi__source_open_memory(&source, file->at, file->n, ubi_allocator_default());
    must(ubi__recording_summary_read_choice(s, &source, choice, NULL, NULL));
    ubi__source_close(&source);
}

static ubi_status checkpoints_take(ubi__recording_checkpoints *c, const ubi__recording_summary *whole,
                                   const bytes *file, const ubi_allocator *allocator) {
    ubi__source source;
    ubi__source_open_memory(&source, file->at, file->n, ubi_allocator_default());
    ubi_status status = ubi__recording_checkpoints_take(c, whole, &source, LEAST_EVENTS, 1, NULL, allocator);
    ubi__source_close(&source);
    return status;
}

static ubi_status window_make(ubi__recording_summary *s, bool *found, const ubi__recording_checkpoints *c,
                              const ubi__recording_summary *whole, const bytes *file, const ubi__summary_choice *choice,
                              const ubi_allocator *allocator) {
    ubi__source source;
    ubi__source_open_memory(&source, file->at, file->n, ubi_allocator_default());
    ubi_status status = ubi__recording_checkpoints_window(s, found, c, whole, &source, choice, NULL, allocator);
    ubi__source_close(&source);
    return status;
}

static ubi__summary_choice random_choice(const made_recording *m) {
    ubi__summary_choice choice = { .is_by_thread = random_below(2) };
    uint64_t end = m->now_ns + m->now_ns / 10 + 2;
    uint64_t a = random_below((uint32_t)end), b = random_below((uint32_t)end) + 1;
    if (random_below(3))
        choice.window.from_ns = a < b ? a : b - 1;
    if (random_below(3))
        choice.window.to_ns = a < b ? b : a + 1;
    return choice;
}

/* Whether there was one by the checkpoints. */
static bool window_is_equal(const ubi__recording_checkpoints *c, const ubi__recording_summary *whole,
                            const made_recording *m, const ubi__summary_choice *choice) {
    ubi__recording_summary s, expected;
    bool found;
    must(window_make(&s, &found, c, whole, &m->r.file, choice, NULL));
    if (!found)
        return false;
    summary_read(&expected, &m->r.file, choice);
    assert_windows_equal(&s, &expected);
    ubi__recording_summary_fini(&expected);
    ubi__recording_summary_fini(&s);
    return true;
}

static void windows_are_those_that_are_read(void **state) {
    static made_recording m;
    uint32_t n_found = 0, n_seeds = random_cases(40);
    (void)state;
    for (uint32_t seed = 1; seed <= n_seeds; seed++) {
        ubi__recording_summary whole;
        ubi__recording_checkpoints c;
        const ubi__summary_choice all = { .is_by_thread = false };
        recording_make(&m, seed);
        summary_read(&whole, &m.r.file, &all);
        must(checkpoints_take(&c, &whole, &m.r.file, NULL));
        assert_true(c.rows.n > 3);
        for (int i = 0; i < WINDOWS; i++) {
            const ubi__summary_choice choice = random_choice(&m);
            n_found += window_is_equal(&c, &whole, &m, &choice);
        }
        ubi__recording_checkpoints_fini(&c);
        ubi__recording_summary_fini(&whole);
        bytes_free(&m.r.file);
    }
    assert_true(n_found > n_seeds * WINDOWS / 3); /* in the others, frees are taken back across a checkpoint */
}

/* ---- curves of places ----------------------------------------------------------------------------------------------------- */

static void curves_read(ubi__site_curves *curves, const bytes *file) {
    const ubi__event_stream stream = { .event = ubi__site_curves_event, .payload = curves, .is_of_all = true };
    ubi__source source;
    ubi__vec_u64 taken_back = { 0 };
    ubi__source_open_memory(&source, file->at, file->n, ubi_allocator_default());
    must(ubi__event_stream_look(&taken_back, &source, 1, NULL, ubi_allocator_default()));
    assert_true(ubi__source_rewind(&source));
    must(ubi__event_stream_read(&stream, &taken_back, &source, NULL, ubi_allocator_default()));
    ubi__site_curves_finish(curves);
    ubi__vec_u64_fini(&taken_back, ubi_allocator_default());
    ubi__source_close(&source);
}

/* Of all places of the heap. @return whether the checkpoints have them. */
static bool curves_are_equal(const ubi__recording_checkpoints *c, const ubi__recording_summary *whole,
                             const bytes *file) {
    ubi__sites sites;
    ubi__site_curves a, b;
    uint32_t rows[2 * TRACES];
    size_t n = 0;
    bool found;
    must(ubi__sites_init(&sites, whole, false, NULL));
    for (uint32_t i = 0; i < sites.rows.n && n < 5; i++)
        if (sites.rows.at[i].of_class == UBI__UBIREC_HEAP)
            rows[n++] = i;
    must(ubi__site_curves_init(&a, &sites, UBI__UBIREC_HEAP, rows, n, 0, whole->time_ns + 1, NULL));
    must(ubi__site_curves_init(&b, &sites, UBI__UBIREC_HEAP, rows, n, 0, whole->time_ns + 1, NULL));
    must(ubi__recording_checkpoints_curves(&a, &found, c));
    if (found) {
        curves_read(&b, file);
        assert_int_equal(a.n_points, b.n_points);
        assert_memory_equal(a.at, b.at, a.n_points * (n + 1) * sizeof *a.at);
    }
    ubi__site_curves_fini(&a);
    ubi__site_curves_fini(&b);
    ubi__sites_fini(&sites);
    return found;
}

static void curves_are_those_of_events(void **state) {
    static made_recording m;
    (void)state;
    for (uint32_t seed = 1; seed <= random_cases(40); seed++) {
        ubi__recording_summary whole;
        ubi__recording_checkpoints c;
        const ubi__summary_choice all = { .is_by_thread = false };
        recording_make(&m, seed);
        summary_read(&whole, &m.r.file, &all);
        must(checkpoints_take(&c, &whole, &m.r.file, NULL));
        assert_true(curves_are_equal(&c, &whole, &m.r.file) || m.has_undone);
        ubi__recording_checkpoints_fini(&c);
        ubi__recording_summary_fini(&whole);
        bytes_free(&m.r.file);
    }
}

/* ---- none, and damaged ones --------------------------------------------------------------------------------------------- */

static void some_recordings_have_none(void **state) {
    const ubi__ubirec_marker marker = { .name = ubi__text("work"), .details = ubi__text("") };
    (void)state;
    for (int i = 0; i < 3; i++) {
        recording r;
        ubi__recording_summary whole;
        ubi__recording_checkpoints c;
        const ubi__summary_choice all = { .is_by_thread = false };
        open_recording(&r, i == 0 ? 4096 : 1, 1);
        for (int k = 0; k < (i == 1 ? 10 : 1000); k++) {
            must(ubi__ubirec_write_free(r.w, allocate(&r, r.heap, 100, 0)));
            must(ubi__ubirec_flush(r.w));
        }
        if (i == 2)
            must(ubi__ubirec_write_marker(r.w, &marker));
        finish_recording(&r);
        summary_read(&whole, &r.file, &all);
        must(checkpoints_take(&c, &whole, &r.file, NULL));
        assert_int_equal(c.rows.n, 0);
        ubi__recording_checkpoints_fini(&c);
        ubi__recording_summary_fini(&whole);
        bytes_free(&r.file);
    }
}

static void damaged_checkpoints_do_no_harm(void **state) {
    static made_recording m;
    ubi__recording_summary whole, s;
    ubi__recording_checkpoints c;
    const ubi__summary_choice all = { .is_by_thread = false };
    uint32_t n_refused = 0;
    (void)state;
    recording_make(&m, 5);
    summary_read(&whole, &m.r.file, &all);
    must(checkpoints_take(&c, &whole, &m.r.file, NULL));
    for (uint32_t i = 0; i < random_cases(2000); i++) {
        const ubi__summary_choice choice = random_choice(&m);
        size_t at = random_below((uint32_t)c.bytes.n);
        uint8_t was = c.bytes.at[at];
        bool found;
        c.bytes.at[at] = (uint8_t)random_below(256);
        ubi_status status = window_make(&s, &found, &c, &whole, &m.r.file, &choice, NULL);
        assert_true(status == UBI_OK || status == UBI_EFORMAT);
        n_refused += status == UBI_EFORMAT;
        if (status == UBI_OK && found)
            ubi__recording_summary_fini(&s);
        c.bytes.at[at] = was;
    }
    assert_true(n_refused > 0);
    ubi__recording_checkpoints_fini(&c);
    ubi__recording_summary_fini(&whole);
    bytes_free(&m.r.file);
}

/* ---- out of memory --------------------------------------------------------------------------------------------------------- */

static ubi_status window_without_memory(void *payload, const ubi_allocator *allocator) {
    const made_recording *m = payload;
    ubi__recording_summary whole, s;
    ubi__recording_checkpoints c;
    const ubi__summary_choice all = { .is_by_thread = false },
                              choice = { .window = { m->now_ns / 5, m->now_ns / 5 * 4 }, .is_by_thread = true };
    bool found = false;
    summary_read(&whole, &m->r.file, &all);
    ubi_status status = checkpoints_take(&c, &whole, &m->r.file, allocator);
    if (status == UBI_OK)
        status = window_make(&s, &found, &c, &whole, &m->r.file, &choice, allocator);
    if (found)
        ubi__recording_summary_fini(&s);
    ubi__recording_checkpoints_fini(&c);
    ubi__recording_summary_fini(&whole);
    return status;
}

static void every_failed_allocation_is_an_error(void **state) {
    static made_recording m;
    (void)state;
    recording_make(&m, 9);
    fail_each_allocation(window_without_memory, &m);
    bytes_free(&m.r.file);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(windows_are_those_that_are_read),     cmocka_unit_test(curves_are_those_of_events),
        cmocka_unit_test(some_recordings_have_none),           cmocka_unit_test(damaged_checkpoints_do_no_harm),
        cmocka_unit_test(every_failed_allocation_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
