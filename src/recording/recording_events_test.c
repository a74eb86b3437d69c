/* SPDX-License-Identifier: MIT
 *
 * recording_events_test.c: events that are taken in a row, and blocks that another thread reads, amount to the same as records that are
 * taken one after the other; also of files that are cut or damaged anywhere.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "random_numbers.h"
#include "small_recording.h"

enum { EVENTS = 60000, THREADS = 3, LIVE = 3000, TRACES = 5, NUMBER_OF_CUTS = 40 };

static void rare_record_write(recording *r, uint64_t *now_ns, uint64_t *last) {
    switch (random_below(5)) {
    case 0:
        must(ubi__ubirec_write_thread(r->w, random_below(THREADS)));
        break;
    case 1:
        must(ubi__ubirec_write_rss(r->w, random_below(1u << 30)));
        break;
    case 2:
        if (*last)
            must(ubi__ubirec_write_free(r->w, *last - 1));
        *last = 0;
        break;
    default:
        must(ubi__ubirec_write_time(r->w, *now_ns += random_below(1u << (random_below(20) + 8))));
        break;
    }
}

/* Some blocks of what programs do, in any order. */
static void recording_make(recording *r, uint64_t period_bytes) {
    static uint64_t live[LIVE];
    uint32_t traces[TRACES];
    uint64_t now_ns = 0, last = 0;
    memset(live, 0, sizeof live);
    random_start(period_bytes);
    open_recording(r, period_bytes, THREADS);
    for (uint32_t i = 0; i < TRACES; i++) {
        char labels[32];
        snprintf(labels, sizeof labels, "main f%u", (unsigned)i);
        traces[i] = stack(r, labels);
    }
    for (int i = 0; i < EVENTS; i++) {
        uint64_t *slot = &live[random_below(LIVE)];
        if (random_below(6) == 0)
            rare_record_write(r, &now_ns, &last);
        if (*slot)
            must(ubi__ubirec_write_free(r->w, *slot - 1));
        *slot =
            allocate(r, random_below(16) ? r->heap : r->mapping, random_below(5000), traces[random_below(TRACES)]) + 1;
        last = random_below(50) ? 0 : allocate(r, r->heap, 64, traces[0]) + 1;
    }
    finish_recording(r);
}

static void summary_read_one_by_one(ubi__recording_summary *s, const bytes *file) {
    ubi__source source;
    ubi__ubirec_reader *reader;
    const ubi__ubirec_record *record;
    ubi_status status;
    ubi__source_open_memory(&source, file->at, file->n, ubi_allocator_default());
    must(ubi__recording_summary_init(s, NULL));
    must(ubi__ubirec_reader_new(&reader, &source, NULL));
    do {
        status = ubi__ubirec_next(reader, &record);
        if (status == UBI_OK && record)
            must(ubi__recording_summary_add(s, record));
    } while (status == UBI_OK && record);
    if (status != UBI_OK)
        snprintf(s->fault, sizeof s->fault, "%s", ubi_error_message());
    s->torn_bytes = ubi__ubirec_torn_bytes(reader);
    s->file_bytes = ubi__ubirec_bytes_in(reader);
    s->n_blocks = ubi__ubirec_block_count(reader);
    ubi__recording_summary_finish(s);
    ubi__ubirec_reader_free(reader);
    ubi__source_close(&source);
}

static void assert_same(const ubi__recording_summary *a, const ubi__recording_summary *b) {
    assert_string_equal(a->fault, b->fault);
    assert_true(a->torn_bytes == b->torn_bytes && a->file_bytes == b->file_bytes && a->n_blocks == b->n_blocks);
    assert_true(a->infos.n == b->infos.n && a->threads.n == b->threads.n && a->n_curve == b->n_curve);
    assert_memory_equal(a->infos.at, b->infos.at, a->infos.n * sizeof *a->infos.at);
    assert_memory_equal(a->threads.at, b->threads.at, a->threads.n * sizeof *a->threads.at);
    assert_memory_equal(a->classes, b->classes, sizeof a->classes);
    assert_memory_equal(a->totals, b->totals, sizeof a->totals);
    assert_memory_equal(a->lifetimes, b->lifetimes, sizeof a->lifetimes);
    assert_memory_equal(a->sizes, b->sizes, sizeof a->sizes);
    assert_memory_equal(a->curve, b->curve, a->n_curve * sizeof *a->curve);
    assert_true(a->time_ns == b->time_ns && a->double_frees == b->double_frees && a->live.n == b->live.n);
}

/* With another thread, and without. */
static void assert_reads_the_same(const bytes *file) {
    ubi__recording_summary expected;
    summary_read_one_by_one(&expected, file);
    for (unsigned threads = 1; threads <= 2; threads++) {
        const ubi__summary_choice choice = { .threads = threads };
        ubi__recording_summary s;
        ubi__source source;
        ubi__source_open_memory(&source, file->at, file->n, ubi_allocator_default());
        must(ubi__recording_summary_read_choice(&s, &source, &choice, NULL, NULL));
        assert_same(&s, &expected);
        ubi__recording_summary_fini(&s);
        ubi__source_close(&source);
    }
    ubi__recording_summary_fini(&expected);
}

static void events_in_a_row_are_what_records_are(void **state) {
    static const uint64_t periods[] = { 1, 4096 };
    (void)state;
    for (size_t i = 0; i < sizeof periods / sizeof *periods; i++) {
        recording r;
        recording_make(&r, periods[i]);
        assert_reads_the_same(&r.file);
        bytes_free(&r.file);
    }
}

static void files_that_are_cut_or_damaged_are_equal(void **state) {
    recording r;
    (void)state;
    recording_make(&r, 1);
    size_t n = r.file.n, least = n - n / 3; /* the first block is whole */
    const int n_cuts = every_case_is_tried() ? NUMBER_OF_CUTS : NUMBER_OF_CUTS / 4;
    for (int i = 0; i < n_cuts; i++) {
        size_t at = least + random_below((uint32_t)(n - least));
        r.file.n = at;
        assert_reads_the_same(&r.file);
        r.file.n = n;
        uint8_t bit = (uint8_t)(1u << random_below(8));
        r.file.at[at] ^= bit;
        assert_reads_the_same(&r.file);
        r.file.at[at] ^= bit;
    }
    bytes_free(&r.file);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_in_a_row_are_what_records_are),
        cmocka_unit_test(files_that_are_cut_or_damaged_are_equal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
