/* SPDX-License-Identifier: MIT
 *
 * recording_summary_test.c: what a recording amounts to, against sums that are made the long way, and what estimates are
 * worth.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "fail_allocator.h"
#include "random_numbers.h"
#include "recording/byte_sampler.h"
#include "recording/function_sums.h"
#include "recording/recording_sites.h"
#include "small_recording.h"

/* ---- the long way ------------------------------------------------------------------------------------------------- */

#define BLOCKS 20000
#define INFOS 40

/* Every allocation, and its state; sums are recomputed from all of them. */
typedef struct slow {
    uint32_t info[BLOCKS]; /* (size, mapping) as made below */
    bool is_live[BLOCKS], was_live_at_peak[BLOCKS];
    bool is_temporary[BLOCKS];
    size_t n;
    uint64_t live_bytes, peak_bytes, peak_time_ns;
} slow;

static uint64_t size_of(uint32_t info) {
    return info / 2 * 24;
}

static bool is_mapping(uint32_t info) {
    return info & 1;
}

/* Time is in ms: several things happen at one time. */
static void note_peak(slow *m, uint64_t time_ns) {
    if (m->live_bytes <= m->peak_bytes)
        return;
    m->peak_bytes = m->live_bytes;
    m->peak_time_ns = time_ns;
    for (size_t i = 0; i < m->n; i++)
        m->was_live_at_peak[i] = m->is_live[i] && !is_mapping(m->info[i]);
}

static void make_events(recording *r, slow *m, unsigned n_events, unsigned n_threads) {
    uint64_t last[8], time_ns = 0; /* last[thread]: number + 1 of what it just allocated */
    uint32_t thread = 0;
    memset(last, 0, sizeof last);
    for (unsigned i = 0; i < n_events; i++) {
        if (random_below(4) == 0) {
            thread = random_below(n_threads);
            must(ubi__ubirec_write_thread(r->w, thread));
        }
        if (random_below(5) == 0)
            must(ubi__ubirec_write_time(r->w, time_ns += random_below(3) * 1000000));
        size_t at = m->n ? m->n - 1 - random_below((uint32_t)(m->n < 60 ? m->n : 60)) : 0;
        if (m->n == 0 || random_below(100) < 53 || !m->is_live[at]) {
            uint32_t info = random_below(INFOS);
            m->info[m->n] = info;
            m->is_live[m->n] = true;
            m->live_bytes += is_mapping(info) ? 0 : size_of(info);
            assert_true(allocate(r, is_mapping(info) ? r->mapping : r->heap, size_of(info), 0) == m->n);
            last[thread] = ++m->n;
            note_peak(m, time_ns);
        } else {
            must(ubi__ubirec_write_free(r->w, at));
            m->is_live[at] = false;
            m->live_bytes -= is_mapping(m->info[at]) ? 0 : size_of(m->info[at]);
            m->is_temporary[at] = last[thread] == at + 1;
            last[thread] = 0;
        }
    }
}

static void check_infos(const slow *m, const ubi__recording_summary *s) {
    for (size_t i = 0; i < s->infos.n; i++) {
        const ubi__ubirec_info_row *row = &s->tables.infos.at[i];
        uint64_t n[UBI__MEASURE_COUNT] = { 0 };
        for (size_t k = 0; k < m->n; k++) {
            if (size_of(m->info[k]) != row->size_bytes || is_mapping(m->info[k]) != (row->kind == 1))
                continue;
            n[UBI__MEASURE_TOTAL]++;
            n[UBI__MEASURE_LEAKED] += m->is_live[k];
            n[UBI__MEASURE_LIVE] += m->is_live[k];
            n[UBI__MEASURE_PEAK] += m->was_live_at_peak[k];
            n[UBI__MEASURE_TEMPORARY] += m->is_temporary[k];
        }
        for (ubi__measure measure = 0; measure < UBI__MEASURE_COUNT; measure++)
            if (measure != UBI__MEASURE_PEAK || row->kind == 0)
                assert_int_equal(ubi__info_measure(&s->infos.at[i], measure), n[measure]);
    }
}

static void sums_are_those_of_the_long_way(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        slow *m = calloc(1, sizeof *m);
        recording r;
        ubi__recording_summary s;
        assert_non_null(m);
        random_start(seed);
        open_recording(&r, 1, 3);
        make_events(&r, m, 3000, 3);
        close_recording(&r, &s);
        check_infos(m, &s);
        const ubi__class_sums *heap = &s.classes[UBI__UBIREC_HEAP], *mappings = &s.classes[UBI__UBIREC_MAPPING];
        assert_int_equal(heap->count + mappings->count, m->n);
        assert_int_equal(heap->live_bytes, m->live_bytes);
        assert_int_equal(heap->peak_bytes, m->peak_bytes);
        assert_int_equal(heap->peak_time_ns, m->peak_time_ns);
        assert_int_equal(s.double_frees, 0);
        ubi__estimate peak = ubi__class_estimate(&s, UBI__UBIREC_HEAP, UBI__MEASURE_PEAK);
        assert_true(peak.bytes == (double)m->peak_bytes && peak.bytes_variance == 0);
        ubi__recording_summary_fini(&s);
        free(m);
    }
}

/* ---- single facts ------------------------------------------------------------------------------------------------- */

static void the_peak_is_the_first_time_that_most_lived(void **state) {
    recording r;
    ubi__recording_summary s;
    (void)state;
    open_recording(&r, 1, 1);
    must(ubi__ubirec_write_time(r.w, 10));
    uint64_t a = allocate(&r, r.heap, 100, 0);
    must(ubi__ubirec_write_time(r.w, 20));
    must(ubi__ubirec_write_free(r.w, a));
    must(ubi__ubirec_write_time(r.w, 30));
    allocate(&r, r.heap, 60, 0);
    allocate(&r, r.heap, 40, 0); /* as much as before, and no more */
    close_recording(&r, &s);
    assert_int_equal(s.classes[UBI__UBIREC_HEAP].peak_bytes, 100);
    assert_int_equal(s.classes[UBI__UBIREC_HEAP].peak_time_ns, 10);
    assert_int_equal(s.infos.at[0].peak_live, 1);
    assert_int_equal(s.infos.at[1].peak_live, 0);
    assert_int_equal(s.infos.at[2].peak_live, 0);
    ubi__recording_summary_fini(&s);
}

static void a_free_by_another_thread_is_not_temporary(void **state) {
    recording r;
    ubi__recording_summary s;
    (void)state;
    open_recording(&r, 1, 2);
    uint64_t a = allocate(&r, r.heap, 8, 0);
    must(ubi__ubirec_write_thread(r.w, 1));
    must(ubi__ubirec_write_free(r.w, a)); /* not by the thread that made it */
    uint64_t b = allocate(&r, r.heap, 8, 0);
    must(ubi__ubirec_write_thread(r.w, 0));
    allocate(&r, r.heap, 8, 0);
    must(ubi__ubirec_write_thread(r.w, 1));
    must(ubi__ubirec_write_free(r.w, b)); /* the next thing that thread 1 did */
    close_recording(&r, &s);
    assert_int_equal(s.infos.at[0].temporary, 1);
    assert_int_equal(s.threads.at[1].temporary.samples, 1);
    assert_int_equal(s.threads.at[0].temporary.samples, 0);
    ubi__recording_summary_fini(&s);
}

static void an_undone_free_leaves_things_as_they_were(void **state) {
    recording r;
    ubi__recording_summary s;
    (void)state;
    open_recording(&r, 1, 1);
    uint64_t a = allocate(&r, r.heap, 50, 0);
    must(ubi__ubirec_write_free(r.w, a));
    must(ubi__ubirec_write_free_undone(r.w, a, 0));
    close_recording(&r, &s);
    assert_int_equal(s.classes[UBI__UBIREC_HEAP].count, 1);
    assert_int_equal(s.classes[UBI__UBIREC_HEAP].n_frees, 0);
    assert_int_equal(s.classes[UBI__UBIREC_HEAP].live_bytes, 50);
    assert_int_equal(s.infos.at[0].live, 1);
    ubi__recording_summary_fini(&s);
}

static void what_an_ended_process_left_is_leaked_and_lives_no_more(void **state) {
    recording r;
    ubi__recording_summary s;
    uint64_t blocks[3];
    (void)state;
    open_recording(&r, 1, 1);
    for (unsigned i = 0; i < 3; i++) {
        must(ubi__ubirec_write_time(r.w, (i + 1) * UINT64_C(100000000)));
        blocks[i] = allocate(&r, r.heap, 1000 + i, stack(&r, "main"));
        must(ubi__ubirec_write_time(r.w, (i + 1) * UINT64_C(100000000) + 50000000));
        if (i < 2)
            must(ubi__ubirec_write_left(r.w, blocks[i]));
    }
    must(ubi__ubirec_write_left(r.w, blocks[1])); /* once is enough */
    close_recording(&r, &s);
    const ubi__class_sums *heap = &s.classes[UBI__UBIREC_HEAP];
    assert_int_equal(heap->peak_bytes, 1002);
    assert_int_equal(heap->peak_time_ns, 300000000);
    assert_int_equal(heap->live, 1);
    assert_int_equal(heap->n_left, 2);
    assert_int_equal(heap->n_frees, 0);
    assert_true(ubi__class_estimate(&s, UBI__UBIREC_HEAP, UBI__MEASURE_LEAKED).bytes == 1000 + 1001 + 1002);
    assert_true(ubi__class_estimate(&s, UBI__UBIREC_HEAP, UBI__MEASURE_PEAK).bytes == 1002);
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(ubi__info_measure(&s.infos.at[i], UBI__MEASURE_LEAKED), 1);
    uint64_t most = 0;
    for (size_t i = 0; i < s.n_curve; i++)
        most = s.curve[i].live_bytes > most ? s.curve[i].live_bytes : most;
    assert_int_equal(most, 1002);
    assert_int_equal(s.lifetimes[0].samples, 0);
    ubi__recording_summary_fini(&s);
}

static void a_second_free_is_counted_and_ignored(void **state) {
    recording r;
    ubi__recording_summary s;
    (void)state;
    open_recording(&r, 1, 1);
    uint64_t a = allocate(&r, r.heap, 50, 0);
    must(ubi__ubirec_write_free(r.w, a));
    must(ubi__ubirec_write_free(r.w, a));
    close_recording(&r, &s);
    assert_int_equal(s.double_frees, 1);
    assert_int_equal(s.classes[UBI__UBIREC_HEAP].live, 0);
    ubi__recording_summary_fini(&s);
}

static void sums_that_do_not_fit_do_not_wrap(void **state) {
    recording r;
    ubi__recording_summary s;
    ubi__source source;
    (void)state;
    open_recording(&r, 1, 1);
    for (int i = 0; i < 300; i++)
        must(ubi__ubirec_write_free(r.w, allocate(&r, r.heap, UBI__UBIREC_SIZE_MAX, 0)));
    close_recording(&r, &s);
    assert_true(s.classes[UBI__UBIREC_HEAP].bytes == UINT64_MAX);
    assert_true(s.threads.at[0].freed.bytes == 300 * (double)UBI__UBIREC_SIZE_MAX);
    assert_true(s.classes[UBI__UBIREC_HEAP].live_bytes == 0);
    ubi__recording_summary_fini(&s);
    open_recording(&r, 1, 1);
    for (int i = 0; i < 300; i++)
        allocate(&r, r.heap, UBI__UBIREC_SIZE_MAX, 0);
    must(ubi__ubirec_flush(r.w));
    ubi__ubirec_writer_free(r.w);
    ubi__source_open_memory(&source, r.file.at, r.file.n, ubi_allocator_default());
    must(ubi__recording_summary_read(&s, &source, NULL, NULL));
    ubi__source_close(&source);
    assert_non_null(strstr(s.fault, "less than 2^64 bytes"));
    assert_int_equal(s.classes[UBI__UBIREC_HEAP].count, 255); /* what came before */
    assert_int_equal(s.classes[UBI__UBIREC_HEAP].live, 255);
    ubi__recording_summary_fini(&s);
    bytes_free(&r.file);
}

static void lifetimes_and_sizes_fall_into_their_buckets(void **state) {
    static const uint64_t ms[] = { 0, 1, 9, 10, 99, 100, 999, 1000, 123456789 };
    static const uint64_t expected[UBI__LIFETIME_BUCKETS] = { 1, 2, 2, 2, 1, 0, 1 };
    recording r;
    ubi__recording_summary s;
    uint64_t now = 0;
    (void)state;
    open_recording(&r, 1, 1);
    for (size_t i = 0; i < sizeof ms / sizeof *ms; i++) {
        uint64_t a = allocate(&r, r.heap, (uint64_t)1 << i, 0);
        must(ubi__ubirec_write_time(r.w, now += ms[i] * 1000000));
        must(ubi__ubirec_write_free(r.w, a));
    }
    allocate(&r, r.heap, 0, 0);
    allocate(&r, r.heap, 7, 0);
    close_recording(&r, &s);
    for (int i = 0; i < UBI__LIFETIME_BUCKETS; i++)
        assert_int_equal(s.lifetimes[i].samples, expected[i]);
    assert_int_equal(s.sizes[0].samples, 1);
    assert_int_equal(s.sizes[1].samples, 1); /* 1 */
    assert_int_equal(s.sizes[3].samples, 2); /* 4 and 7 */
    assert_true(s.sizes[3].bytes == 11 && s.sizes[3].bytes_variance == 0);
    ubi__recording_summary_fini(&s);
}

static void the_curve_keeps_its_maxima_however_long_it_is(void **state) {
    recording r;
    ubi__recording_summary s;
    uint64_t most = 0, most_rss = 0;
    (void)state;
    open_recording(&r, 1, 1);
    for (unsigned i = 0; i < 5000; i++) {
        must(ubi__ubirec_write_time(r.w, (uint64_t)i * 700000));
        uint64_t a = allocate(&r, r.heap, i == 3333 ? 1000 : 10, 0);
        must(ubi__ubirec_write_free(r.w, a));
        must(ubi__ubirec_write_rss(r.w, i == 44 ? 9000 : 4000));
    }
    close_recording(&r, &s);
    assert_true(s.n_curve > UBI__CURVE_POINTS / 2 && s.n_curve <= UBI__CURVE_POINTS);
    assert_int_equal(s.time_ns / s.curve_step_ns, s.n_curve - 1);
    for (size_t i = 0; i < s.n_curve; i++) {
        most = s.curve[i].live_bytes > most ? s.curve[i].live_bytes : most;
        most_rss = s.curve[i].rss_bytes > most_rss ? s.curve[i].rss_bytes : most_rss;
    }
    assert_int_equal(s.curve[UINT64_C(3333) * 700000 / s.curve_step_ns].live_bytes, 1000);
    assert_int_equal(most, 1000);
    assert_int_equal(most_rss, 9000);
    assert_int_equal(s.rss_peak_time_ns, 44 * 700000);
    ubi__recording_summary_fini(&s);
}

/* ---- estimates ---------------------------------------------------------------------------------------------------- */

static double uniform(void *payload) {
    (void)payload;
    return (double)random_below(1u << 31) / (double)(1u << 31);
}

/* A program of sizes from 8 bytes to 4 MiB, sampled. True sums by `bytes` and `count`. */
static void sample_program(recording *r, uint64_t period_bytes, double *out_bytes, double *out_count) {
    ubi__byte_sampler sampler;
    ubi__byte_sampler_init(&sampler, period_bytes, uniform, NULL);
    *out_bytes = *out_count = 0;
    for (unsigned i = 0; i < 20000; i++) {
        uint64_t size = (uint64_t)8 << (i % 100 ? i % 10 : i / 100 % 20), number;
        uint64_t n = ubi__byte_sampler_add(&sampler, size);
        uint32_t info;
        *out_bytes += (double)size;
        *out_count += 1;
        if (n == 0)
            continue;
        must(ubi__ubirec_info(r->w, &info, r->heap, size, 0, ubi__sample_weight_bytes(size, period_bytes, n)));
        must(ubi__ubirec_write_alloc(r->w, &number, info));
    }
}

static void estimates_are_as_good_as_they_say(void **state) {
    static const uint64_t periods[] = { 4096, UBI__ORIGINAL_PERIOD_BYTES };
    (void)state;
    for (size_t p = 0; p < 2; p++) {
        unsigned within_bytes = 0, within_count = 0, runs = 300;
        double sum = 0, truth = 0, count;
        for (unsigned run = 0; run < runs; run++) {
            recording r;
            ubi__recording_summary s;
            random_start(1000 + run);
            open_recording(&r, periods[p], 1);
            sample_program(&r, periods[p], &truth, &count);
            close_recording(&r, &s);
            ubi__estimate e = ubi__class_estimate(&s, UBI__UBIREC_HEAP, UBI__MEASURE_TOTAL);
            sum += e.bytes;
            assert_true(fabs(s.threads.at[0].allocated.bytes_variance / e.bytes_variance - 1) < 1e-9);
            assert_true(fabs(s.curve[0].live_variance / e.bytes_variance - 1) < 1e-9);
            assert_true(e.samples == s.classes[UBI__UBIREC_HEAP].count && e.bytes_variance > 0);
            within_bytes += fabs(e.bytes - truth) <= 3 * ubi__standard_error(e.bytes_variance);
            within_count += fabs(e.count - count) <= 3 * ubi__standard_error(e.count_variance);
            ubi__recording_summary_fini(&s);
        }
        assert_true(within_bytes >= runs - 5);
        /* Rare samples of tiny things stand for thousands each: their spread is known less well. */
        assert_true(within_count >= runs - 30);
        assert_true(fabs(sum / runs / truth - 1) < 0.02);
    }
}

#define RING 2000
#define RING_BYTES 2048
#define RING_PERIOD 1000000 /* 4.1 periods live at a time */

/* A program that always has as many blocks, after a start, and always gives back the oldest. */
static void sample_ring(recording *r) {
    static uint64_t numbers[RING]; /* + 1; 0: not sampled */
    ubi__byte_sampler sampler;
    ubi__byte_sampler_init(&sampler, RING_PERIOD, uniform, NULL);
    memset(numbers, 0, sizeof numbers);
    for (unsigned i = 0; i < 30 * RING; i++) {
        uint64_t n = ubi__byte_sampler_add(&sampler, RING_BYTES), *slot = &numbers[i % RING], number;
        uint32_t info;
        if (*slot)
            must(ubi__ubirec_write_free(r->w, *slot - 1));
        *slot = 0;
        if (n == 0)
            continue;
        uint64_t weight = ubi__sample_weight_bytes(RING_BYTES, RING_PERIOD, n);
        must(ubi__ubirec_info(r->w, &info, r->heap, RING_BYTES, 0, weight));
        must(ubi__ubirec_write_alloc(r->w, &number, info));
        *slot = number + 1;
    }
}

/* The estimate is the most that chance ever made of it. Its limits know that. */
static void a_peak_of_few_samples_lies_between_its_limits(void **state) {
    const double truth = (double)RING * RING_BYTES;
    const unsigned runs = 1000;
    unsigned held = 0, plainly_held = 0;
    double sum = 0;
    (void)state;
    for (unsigned run = 0; run < runs; run++) {
        recording r;
        ubi__recording_summary s;
        random_start(7000 + run);
        open_recording(&r, RING_PERIOD, 1);
        sample_ring(&r);
        close_recording(&r, &s);
        ubi__estimate e = ubi__class_estimate(&s, UBI__UBIREC_HEAP, UBI__MEASURE_PEAK);
        ubi__range range = ubi__measure_bytes_range(&s, UBI__UBIREC_HEAP, UBI__MEASURE_PEAK, &e);
        ubi__range plain = ubi__estimate_bytes_range(&e, RING_PERIOD);
        sum += e.bytes;
        held += range.low <= truth && truth <= range.high;
        plainly_held += plain.low <= truth && truth <= plain.high;
        ubi__recording_summary_fini(&s);
    }
    assert_true(sum / runs > 1.3 * truth); /* that is how high they are */
    if (held < runs * 94 / 100 || plainly_held >= held)
        fail_msg("of %u, %u hold; of those that believe in luck, %u", runs, held, plainly_held);
}

static void periods_that_change_have_variances_of_their_own(void **state) {
    recording r;
    ubi__recording_summary s;
    uint32_t info, again;
    uint64_t number;
    (void)state;
    open_recording(&r, 1, 1);
    must(ubi__ubirec_info(r.w, &info, r.heap, 100, 0, 100));
    must(ubi__ubirec_write_alloc(r.w, &number, info));
    must(ubi__ubirec_write_period(r.w, 1000));
    uint64_t weight = ubi__sample_weight_bytes(100, 1000, 1);
    must(ubi__ubirec_info(r.w, &again, r.heap, 100, 0, weight));
    must(ubi__ubirec_write_alloc(r.w, &number, again));
    assert_int_not_equal(info, again);
    close_recording(&r, &s);
    assert_false(ubi__ubirec_is_exact(&s.tables));
    assert_int_equal(ubi__ubirec_period_of(&s.tables, info), 1);
    assert_int_equal(ubi__ubirec_period_of(&s.tables, again), 1000);
    ubi__estimate e = ubi__class_estimate(&s, UBI__UBIREC_HEAP, UBI__MEASURE_TOTAL);
    assert_true(e.bytes == 100.0 + (double)weight);
    assert_true(e.bytes_variance == (double)weight * (double)(weight - 100));
    ubi__recording_summary_fini(&s);
}

/* ---- trees -------------------------------------------------------------------------------------------------------- */

static void assert_sum(const ubi__trace_sum *sum, double self_bytes, double all_bytes, double count) {
    assert_true(sum->self.bytes == self_bytes);
    assert_true(sum->all.bytes == all_bytes);
    assert_true(sum->all.count == count);
}

static void callers_have_what_they_called(void **state) {
    recording r;
    ubi__recording_summary s;
    ubi__trace_sums sums;
    ubi__trace_sum frames[3], groups[2];
    const uint32_t each[] = { 0, 1, 2, 3 }, group_of[] = { 0, 1, 1 }, both[] = { 0, 1, 0, 1 },
                   firsts[] = { 0, 1, 2, 4 };
    const ubi__frame_groups by_frame = { each, each, 3 }, by_group = { each, group_of, 2 },
                            inlined = { firsts, both, 2 };
    (void)state;
    open_recording(&r, 1, 1);
    uint32_t main_ = stack(&r, "main"), f = stack(&r, "main f"), again = stack(&r, "main f g f");
    allocate(&r, r.heap, 1, main_);
    allocate(&r, r.heap, 10, f);
    allocate(&r, r.heap, 100, again);
    allocate(&r, r.heap, 1000, UBI__UBIREC_NO_TRACE);
    allocate(&r, r.mapping, 5000, f);
    close_recording(&r, &s);
    must(ubi__trace_sums_init(&sums, &s, UBI__UBIREC_HEAP, UBI__MEASURE_TOTAL, NULL, NULL));
    assert_sum(&sums.at[0], 1000, 1111, 4);
    assert_sum(&sums.at[main_], 1, 111, 3);
    assert_sum(&sums.at[f], 10, 110, 2);
    assert_sum(&sums.at[again], 100, 100, 1);
    must(ubi__group_sums(frames, &sums, &by_frame));
    assert_sum(&frames[0], 1, 111, 3);
    assert_sum(&frames[1], 110, 110, 2); /* f twice on one stack: once */
    assert_sum(&frames[2], 0, 100, 1);
    must(ubi__group_sums(groups, &sums, &by_group));
    assert_sum(&groups[1], 110, 110, 2);
    must(ubi__group_sums(groups, &sums, &inlined)); /* g is inlined into what main is */
    assert_sum(&groups[0], 1, 111, 3);
    assert_sum(&groups[1], 110, 110, 2);
    ubi__trace_sums_fini(&sums);
    uint32_t top[8];
    for (uint32_t i = 0; i < s.tables.traces.n; i++)
        top[i] = i == again ? f : i;
    must(ubi__trace_sums_init(&sums, &s, UBI__UBIREC_HEAP, UBI__MEASURE_TOTAL, top, NULL));
    assert_sum(&sums.at[f], 110, 110, 2);
    assert_sum(&sums.at[again], 0, 0, 0);
    ubi__trace_sums_fini(&sums);
    ubi__recording_summary_fini(&s);
}

static const ubi__function_sum *sum_of_function(const ubi__function_sums *sums, const char *name) {
    const ubi__ubirec_tables *t = &sums->sites->summary->tables;
    for (size_t i = 0; i < sums->rows.n; i++)
        if (ubi__text_is(ubi__ubirec_string_at(t, t->frames.at[sums->rows.at[i].frame].of), name))
            return &sums->rows.at[i];
    return NULL;
}

static void functions_have_what_wrappers_ask_for_in_their_name(void **state) {
    static const char *const names[] = { "main", "f", "xmalloc", "g" };
    recording r;
    ubi__recording_summary s;
    ubi__sites sites;
    ubi__function_sums sums;
    ubi__vec_function_caller callers = { 0 };
    (void)state;
    open_recording(&r, 1, 1);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        uint32_t frame;
        ubi__ubirec_symbol symbol = { .function = ubi__text(names[i]), .file = ubi__text("") };
        must(ubi__ubirec_label_frame(r.w, &frame, ubi__text(names[i])));
        must(ubi__ubirec_write_symbols(r.w, frame, &symbol, 1));
    }
    allocate(&r, r.heap, 10, stack(&r, "main f xmalloc"));
    allocate(&r, r.heap, 100, stack(&r, "main f g f xmalloc"));
    allocate(&r, r.heap, 1000, stack(&r, "main g"));
    close_recording(&r, &s);
    must(ubi__sites_init(&sites, &s, true, NULL));
    must(ubi__function_sums_init(&sums, &sites, UBI__UBIREC_HEAP, NULL));
    const ubi__function_sum *f = sum_of_function(&sums, "f"), *main_ = sum_of_function(&sums, "main");
    assert_true(f->own[UBI__MEASURE_TOTAL].bytes == 110 && f->all[UBI__MEASURE_TOTAL].bytes == 110);
    assert_true(main_->own[UBI__MEASURE_TOTAL].bytes == 0 && main_->all[UBI__MEASURE_TOTAL].bytes == 1110);
    assert_true(sum_of_function(&sums, "xmalloc")->all[UBI__MEASURE_TOTAL].samples == 0);
    assert_true(sum_of_function(&sums, "g")->all[UBI__MEASURE_LEAKED].count == 2);
    must(ubi__function_callers(&callers, &sums, (uint32_t)(f - sums.rows.at), 2, UBI__MEASURE_TOTAL));
    assert_int_equal(callers.n, 4); /* f, called by g (100), which f called; and by main (10) */
    assert_true(callers.at[0].by[UBI__MEASURE_TOTAL].bytes == 110);
    assert_true(callers.at[1].by[UBI__MEASURE_TOTAL].bytes == 100 && callers.at[1].depth == 1);
    assert_int_equal(callers.at[2].function, f - sums.rows.at);
    assert_true(callers.at[2].parent == 1 && callers.at[2].depth == 2);
    assert_true(callers.at[3].by[UBI__MEASURE_TOTAL].bytes == 10 && callers.at[3].parent == 0);
    ubi__vec_function_caller_fini(&callers, s.allocator);
    ubi__function_sums_fini(&sums);
    ubi__sites_fini(&sites);
    ubi__recording_summary_fini(&s);
}

/* Against a walk up from every trace. */
static void functions_of_random_trees_have_what_was_below_them(void **state) {
    enum { TRACES = 400, GROUPS = 9 };
    recording r;
    ubi__recording_summary s;
    ubi__trace_sums sums;
    ubi__trace_sum got[GROUPS];
    uint32_t traces[TRACES], frames[GROUPS], each[GROUPS + 1];
    (void)state;
    random_start(8);
    open_recording(&r, 1, 1);
    for (uint32_t g = 0; g <= GROUPS; g++)
        each[g] = g;
    for (uint32_t g = 0; g < GROUPS; g++)
        must(ubi__ubirec_raw_frame(r.w, &frames[g], 100 + g));
    for (uint32_t i = 0; i < TRACES; i++) {
        uint32_t caller = i && random_below(20) ? traces[i - 1 - random_below(i < 5 ? i : 5)] : UBI__UBIREC_NO_TRACE;
        must(ubi__ubirec_trace(r.w, &traces[i], caller, frames[random_below(GROUPS)]));
        allocate(&r, r.heap, random_below(1000), traces[i]);
    }
    close_recording(&r, &s);
    must(ubi__trace_sums_init(&sums, &s, UBI__UBIREC_HEAP, UBI__MEASURE_TOTAL, NULL, NULL));
    must(ubi__group_sums(got, &sums, &(ubi__frame_groups){ each, each, GROUPS }));
    double expected[GROUPS] = { 0 };
    for (uint32_t i = 1; i < s.tables.traces.n; i++) {
        bool seen[GROUPS] = { false };
        for (uint32_t t = i; t; t = s.tables.traces.at[t].caller)
            seen[s.tables.traces.at[t].frame] = true;
        for (uint32_t g = 0; g < GROUPS; g++)
            expected[g] += seen[g] ? sums.at[i].self.bytes : 0;
    }
    for (uint32_t g = 0; g < GROUPS; g++)
        assert_true(got[g].all.bytes == expected[g] && got[g].all.bytes > 0);
    ubi__trace_sums_fini(&sums);
    ubi__recording_summary_fini(&s);
}

/* ---- memory ------------------------------------------------------------------------------------------------------- */

static ubi_status summarize(void *payload, const ubi_allocator *allocator) {
    const bytes *file = payload;
    ubi__source source;
    ubi__recording_summary s;
    ubi__sites sites;
    ubi__source_open_memory(&source, file->at, file->n, allocator);
    ubi_status status = ubi__recording_summary_read(&s, &source, NULL, allocator);
    ubi__source_close(&source);
    if (status != UBI_OK)
        return status;
    status = ubi__sites_init(&sites, &s, true, NULL);
    if (status == UBI_OK) {
        ubi__function_sums functions;
        status = ubi__sites_sort(&sites, UBI__BY_PEAK);
        if (status == UBI_OK)
            status = ubi__function_sums_init(&functions, &sites, UBI__UBIREC_HEAP, NULL);
        if (status == UBI_OK) {
            ubi__vec_function_caller callers = { 0 };
            status = ubi__function_callers(&callers, &functions, 0, 3, UBI__MEASURE_PEAK);
            ubi__vec_function_caller_fini(&callers, allocator);
            ubi__function_sums_fini(&functions);
        }
        ubi__sites_fini(&sites);
    }
    ubi__trace_sums sums;
    if (status == UBI_OK)
        status = ubi__trace_sums_init(&sums, &s, UBI__UBIREC_HEAP, UBI__MEASURE_PEAK, NULL, NULL);
    if (status == UBI_OK) {
        static const uint32_t each[] = { 0, 1, 2, 3 };
        ubi__trace_sum frames[3];
        status = ubi__group_sums(frames, &sums, &(ubi__frame_groups){ each, each, 3 });
        ubi__trace_sums_fini(&sums);
    }
    ubi__recording_summary_fini(&s);
    return status;
}

static void no_refused_memory_is_missed(void **state) {
    recording r;
    slow *m = calloc(1, sizeof *m);
    (void)state;
    assert_non_null(m);
    random_start(5);
    open_recording(&r, 1, 2);
    stack(&r, "main f g");
    make_events(&r, m, 500, 2);
    finish_recording(&r);
    assert_true(fail_each_allocation(summarize, &r.file) > 15);
    bytes_free(&r.file);
    free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_those_of_the_long_way),
        cmocka_unit_test(the_peak_is_the_first_time_that_most_lived),
        cmocka_unit_test(a_free_by_another_thread_is_not_temporary),
        cmocka_unit_test(an_undone_free_leaves_things_as_they_were),
        cmocka_unit_test(what_an_ended_process_left_is_leaked_and_lives_no_more),
        cmocka_unit_test(a_second_free_is_counted_and_ignored),
        cmocka_unit_test(sums_that_do_not_fit_do_not_wrap),
        cmocka_unit_test(lifetimes_and_sizes_fall_into_their_buckets),
        cmocka_unit_test(the_curve_keeps_its_maxima_however_long_it_is),
        cmocka_unit_test(estimates_are_as_good_as_they_say),
        cmocka_unit_test(a_peak_of_few_samples_lies_between_its_limits),
        cmocka_unit_test(periods_that_change_have_variances_of_their_own),
        cmocka_unit_test(callers_have_what_they_called),
        cmocka_unit_test(functions_have_what_wrappers_ask_for_in_their_name),
        cmocka_unit_test(functions_of_random_trees_have_what_was_below_them),
        cmocka_unit_test(no_refused_memory_is_missed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
