/* SPDX-License-Identifier: MIT
 *
 * ubirec_merge_test.c: processes that have one block each, put together: when which of them lived.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "recording/ubirec_merge.c"

#include "base/text.h"
#include "damage.h"
#include "fail_allocator.h"
#include "packing.h"
#include "small_recording.h"

#define MOST_PROCESSES 8
#define MS UINT64_C(1000000)
#define PATH_BYTES 64

/* Times are in ms: when the process began, by a clock that all have in common; the others since it did. */
typedef struct process {
    uint64_t began, allocates, ends, size_bytes;
    bool must_free, has_no_end;
    unsigned n_more;         /* blocks of 1 byte that it keeps */
    uint64_t resident_bytes; /* of a library; 0: its memory was not looked at */
    uint64_t stops, starts;  /* a pause; starts 0: up to its end; both 0: none */
    bool has_no_times;       /* its times are not in the file */
} process;

typedef struct group {
    char paths[MOST_PROCESSES][PATH_BYTES];
    ubi__ubirec_about abouts[MOST_PROCESSES];
    size_t n;
} group;

static ubi_status write_file(void *payload, const void *data, size_t n) {
    return fwrite(data, 1, n, payload) == n ? UBI_OK : UBI_EIO;
}

static void make_file(const char *path, const ubi__ubirec_about *about, const process *p) {
    const ubi__ubirec_end end = { .reason = UBI__UBIREC_EXITED };
    recording r = { .heap = 0 };
    uint32_t thread;
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    must(ubi__ubirec_writer_new(&r.w, write_file, f, NULL));
    must(ubi__ubirec_write_about(r.w, about));
    must(ubi__ubirec_thread(r.w, &thread, 1, ubi__text("")));
    must(ubi__ubirec_kind(r.w, &r.heap, ubi__text("malloc"), UBI__UBIREC_HEAP));
    must(ubi__ubirec_write_time(r.w, p->allocates * MS));
    uint64_t block = allocate(&r, r.heap, p->size_bytes, stack(&r, "main"));
    for (unsigned i = 0; i < p->n_more; i++)
        allocate(&r, r.heap, 1, stack(&r, "main"));
    for (uint32_t table = 1; p->resident_bytes && table <= 2; table++) { /* the first is replaced */
        const ubi__ubirec_use_row use = { .table = table,
                                          .is_divided = 1,
                                          .kind = UBI__RESIDENCE_FILE,
                                          .resident_bytes = p->resident_bytes * table,
                                          .share_bytes = 7 };
        must(ubi__ubirec_write_use(r.w, &use, ubi__text("/lib/x.so")));
    }
    if (p->must_free)
        must(ubi__ubirec_write_free(r.w, block));
    if (p->stops || p->starts)
        must(ubi__ubirec_write_counter(r.w, UBI__UBIREC_PAUSED_MS, 5));
    if (p->stops && !p->has_no_times)
        must(ubi__ubirec_write_action(r.w, UBI__UBIREC_ACTION_STOP, p->stops * MS));
    if (p->starts && !p->has_no_times)
        must(ubi__ubirec_write_action(r.w, UBI__UBIREC_ACTION_START, p->starts * MS));
    if (!p->has_no_end) {
        must(ubi__ubirec_write_time(r.w, p->ends * MS));
        must(ubi__ubirec_write_end(r.w, &end));
    }
    must(ubi__ubirec_flush(r.w));
    ubi__ubirec_writer_free(r.w);
    fclose(f);
}

static void make_group(group *g, const process *processes, size_t n) {
    *g = (group){ .n = n };
    for (size_t i = 0; i < n; i++) {
        strcpy(g->paths[i], "/tmp/ubiheap-merge-XXXXXX");
        int fd = mkstemp(g->paths[i]);
        assert_true(fd >= 0);
        close(fd);
        g->abouts[i] = (ubi__ubirec_about){ .pid = i + 1, .period_bytes = 1, .start_unix_ns = processes[i].began * MS };
        make_file(g->paths[i], &g->abouts[i], &processes[i]);
    }
}

static void remove_group(const group *g) {
    for (size_t i = 0; i < g->n; i++)
        remove(g->paths[i]);
}

static ubi_status keep(void *payload, const void *data, size_t n) {
    bytes_add(payload, data, n);
    return UBI_OK;
}

static ubi_status put_together(bytes *out, const group *g, const ubi_allocator *allocator) {
    ubi__ubirec_writer *w;
    ubi__ubirec_merge *m = NULL;
    UBI_TRY(ubi__ubirec_merge_new(&m, allocator));
    ubi_status status = UBI_OK;
    for (size_t i = 0; i < g->n && status == UBI_OK; i++)
        status = ubi__ubirec_merge_add(m, g->paths[i], &g->abouts[i]);
    if (status == UBI_OK)
        status = ubi__ubirec_writer_new(&w, keep, out, allocator);
    if (status == UBI_OK) {
        status = ubi__ubirec_merge_write(m, w, NULL);
        ubi__ubirec_writer_free(w);
    }
    ubi__ubirec_merge_free(m);
    return status;
}

static void sum_up(ubi__recording_summary *s, const process *processes, size_t n) {
    bytes whole = { .n = 0 };
    ubi__source source;
    group g;
    make_group(&g, processes, n);
    must(put_together(&whole, &g, NULL));
    ubi__source_open_memory(&source, whole.at, whole.n, ubi_allocator_default());
    must(ubi__recording_summary_read(s, &source, NULL, NULL));
    ubi__source_close(&source);
    bytes_free(&whole);
    remove_group(&g);
}

/* The peak, when it was, and what was not freed. */
static void expect(const process *processes, size_t n, uint64_t peak_bytes, uint64_t peak_ms, uint64_t leaked_bytes) {
    ubi__recording_summary s;
    sum_up(&s, processes, n);
    const ubi__class_sums *heap = &s.classes[UBI__UBIREC_HEAP];
    assert_string_equal(s.fault, "");
    assert_int_equal(heap->peak_bytes, peak_bytes);
    assert_int_equal(heap->peak_time_ns, peak_ms * MS);
    assert_int_equal(heap->live_bytes, 0); /* all of them are over */
    assert_true(ubi__class_estimate(&s, UBI__UBIREC_HEAP, UBI__MEASURE_PEAK).bytes == (double)peak_bytes);
    assert_true(ubi__class_estimate(&s, UBI__UBIREC_HEAP, UBI__MEASURE_LEAKED).bytes == (double)leaked_bytes);
    ubi__recording_summary_fini(&s);
}

#define EXPECT(processes, ...) expect(processes, sizeof(processes) / sizeof *(processes), __VA_ARGS__)

static void what_a_process_left_leaves_with_it(void **state) {
    static const process in_sequence[] = {
        { .began = 1000, .allocates = 1, .ends = 100, .size_bytes = 1 },
        { .began = 1010, .allocates = 2, .ends = 20, .size_bytes = 5000 },
        { .began = 1030, .allocates = 2, .ends = 20, .size_bytes = 6000 },
        { .began = 1050, .allocates = 2, .ends = 20, .size_bytes = 4000 },
    };
    static const process at_a_time[] = {
        { .began = 1000, .allocates = 1, .ends = 100, .size_bytes = 1 },
        { .began = 1010, .allocates = 2, .ends = 40, .size_bytes = 5000 },
        { .began = 1030, .allocates = 2, .ends = 20, .size_bytes = 6000 },
    };
    static const process freed[] = {
        { .began = 1000, .allocates = 1, .ends = 100, .size_bytes = 1 },
        { .began = 1010, .allocates = 2, .ends = 20, .size_bytes = 5000, .must_free = true },
    };
    (void)state;
    EXPECT(in_sequence, 6001, 32, 15001);
    EXPECT(at_a_time, 11001, 32, 11001);
    EXPECT(freed, 5001, 12, 1);
}

static void the_end_is_the_last_thing_that_is_known(void **state) {
    static const process idle[] = { /* alive until it ends, whatever it did last */
                                    { .began = 1000, .allocates = 1, .ends = 100, .size_bytes = 1 },
                                    { .began = 1010, .allocates = 2, .ends = 40, .size_bytes = 5000 },
                                    { .began = 1030, .allocates = 2, .ends = 5, .size_bytes = 6000 }
    };
    static const process without_end[] = {
        { .began = 1000, .allocates = 1, .ends = 100, .size_bytes = 1 },
        { .began = 1010, .allocates = 2, .size_bytes = 5000, .has_no_end = true },
        { .began = 1030, .allocates = 2, .ends = 5, .size_bytes = 6000 },
    };
    (void)state;
    EXPECT(idle, 11001, 32, 11001);
    EXPECT(without_end, 6001, 32, 11001);
}

/* The system says to a hundredth of a second when a process began, which may seem to be before its parent did. */
static void a_process_may_have_begun_before_the_first(void **state) {
    static const process early[] = {
        { .began = 1000, .allocates = 1, .ends = 100, .size_bytes = 1 },
        { .began = 995, .allocates = 10, .ends = 14, .size_bytes = 5000 },
        { .began = 1005, .allocates = 6, .ends = 10, .size_bytes = 6000 },
    };
    (void)state;
    EXPECT(early, 6001, 11, 11001);
}

static ubi_status merge_group(void *payload, const ubi_allocator *allocator) {
    bytes whole = { .n = 0 };
    ubi_status status = put_together(&whole, payload, allocator);
    bytes_free(&whole);
    return status;
}

static void blocks_are_left_in_the_order_of_their_allocations(void **state) {
    static const process two[] = { { .began = 1000, .allocates = 1, .ends = 100, .size_bytes = 1, .n_more = 300 },
                                   { .began = 1010, .allocates = 2, .ends = 40, .size_bytes = 1, .n_more = 300 } };
    bytes whole = { .n = 0 };
    ubi__source source;
    ubi__ubirec_reader *reader;
    const ubi__ubirec_record *record = NULL;
    uint64_t before = 0;
    size_t n_left = 0, n_descents = 0;
    group g;
    (void)state;
    make_group(&g, two, 2);
    must(put_together(&whole, &g, NULL));
    ubi__source_open_memory(&source, whole.at, whole.n, ubi_allocator_default());
    must(ubi__ubirec_reader_new(&reader, &source, NULL));
    while (ubi__ubirec_next(reader, &record) == UBI_OK && record) {
        if (record->type != UBI__UBIREC_LEFT)
            continue;
        n_descents += n_left > 0 && record->event.number < before;
        before = record->event.number;
        n_left++;
    }
    assert_int_equal(n_left, 602);
    assert_true(n_descents <= 1); /* from one process to the other */
    ubi__ubirec_reader_free(reader);
    ubi__source_close(&source);
    bytes_free(&whole);
    remove_group(&g);
}

static void what_memory_is_used_for_is_summed(void **state) {
    static const process three[] = {
        { .began = 1000, .allocates = 1, .ends = 100, .size_bytes = 1, .resident_bytes = 4096 },
        { .began = 1010, .allocates = 2, .ends = 40, .size_bytes = 5000 },
        { .began = 1020, .allocates = 2, .ends = 40, .size_bytes = 5000, .resident_bytes = 8192 },
    };
    ubi__recording_summary s;
    ubi__residence r;
    (void)state;
    sum_up(&s, three, 3);
    must(ubi__ubirec_tables_residence(&r, &s.tables, ubi_allocator_default()));
    assert_int_equal(r.rows.n, 1);
    assert_true(r.is_divided);
    assert_true(ubi__text_is(ubi__residence_row_name(&r, &r.rows.at[0]), "/lib/x.so"));
    assert_int_equal(r.rows.at[0].amount.resident_bytes, 2 * (4096 + 8192));
    assert_int_equal(r.rows.at[0].amount.share_bytes, 14);
    assert_int_equal(s.tables.uses.at[0].time_ns, 100 * MS); /* until the last of them had ended */
    ubi__residence_check(&r);
    ubi__residence_fini(&r);
    ubi__recording_summary_fini(&s);
}

static void no_refused_memory_is_missed(void **state) {
    static const process both[] = {
        { .began = 1000, .allocates = 1, .ends = 100, .size_bytes = 1, .resident_bytes = 4096 },
        { .began = 1010, .allocates = 2, .ends = 40, .size_bytes = 5000 }
    };
    group g;
    (void)state;
    make_group(&g, both, 2);
    assert_int_equal(merge_group(&g, ubi_allocator_default()), UBI_OK);
    assert_true(fail_each_allocation(merge_group, &g) > 10);
    remove_group(&g);
}

/* ---- checks ------------------------------------------------------------------------------------------------------- */

static void check_merge(void *merge) {
    merge_check(merge);
}

static void damaged_merges_are_seen(void **state) {
    static const process two[] = {
        { .began = 1000, .allocates = 1, .ends = 100, .size_bytes = 1 },
        { .began = 1010, .allocates = 2, .ends = 20, .size_bytes = 5000 },
    };
    ubi__ubirec_merge *m = NULL;
    bytes whole = { .n = 0 };
    group g;
    (void)state;
    make_group(&g, two, 2);
    must(ubi__ubirec_merge_new(&m, NULL));
    for (size_t i = 0; i < g.n; i++)
        must(ubi__ubirec_merge_add(m, g.paths[i], &g.abouts[i]));
    must(ubi__ubirec_writer_new(&m->writer, keep, &whole, NULL));
    input *in = &m->inputs.at[0];
    must(open_input(m, in));
    while (in->last.n == 0)
        must(input_step(m, in));
    merge_check(m);
    m->rss_bytes++;
    assert_damage_seen(check_merge, m, "m->rss_bytes == rss_bytes");
    m->rss_bytes--;
    in->last.n--;
    assert_damage_seen(check_merge, m, "in->last.n == in->numbers.threads.n");
    in->last.n++;
    in->is_over = true;
    assert_damage_seen(check_merge, m, "!in->is_over || !in->is_open");
    in->is_over = false;
    m->inputs.at[1].earlier_ns = 1;
    assert_damage_seen(check_merge, m, "in->later_ns == 0 || in->earlier_ns == 0");
    m->inputs.at[1].earlier_ns = 0;
    m->file_of_thread.at[0] = 2;
    assert_damage_seen(check_merge, m, "m->file_of_thread.at[i] < m->inputs.n");
    m->file_of_thread.at[0] = 0;
    merge_check(m);
    ubi__ubirec_writer_free(m->writer);
    ubi__ubirec_merge_free(m);
    bytes_free(&whole);
    remove_group(&g);
}

static void expect_pauses(const process *processes, size_t n, const ubi__pause *pauses, size_t n_pauses) {
    ubi__recording_summary s;
    sum_up(&s, processes, n);
    assert_int_equal(s.tables.pauses.n, n_pauses);
    for (size_t i = 0; i < n_pauses; i++) {
        assert_int_equal(s.tables.pauses.at[i].from_ns, pauses[i].from_ns * MS);
        assert_int_equal(s.tables.pauses.at[i].to_ns, pauses[i].to_ns * MS);
    }
    ubi__recording_summary_fini(&s);
}

static void the_pauses_of_any_are_those_of_all(void **state) {
    (void)state;
    process processes[] = {
        { .began = 100, .allocates = 1, .ends = 90, .size_bytes = 1, .stops = 20, .starts = 40 },
        { .began = 110,
          .allocates = 1,
          .ends = 90,
          .size_bytes = 1,
          .stops = 5,
          .starts = 15 },                                                             /* of the first: 15 to 25 */
        { .began = 120, .allocates = 1, .ends = 30, .size_bytes = 1, .stops = 25 },   /* 45 to 50 */
        { .began = 130, .allocates = 30, .ends = 60, .size_bytes = 1, .starts = 30 }, /* 30 to 60 */
    };
    static const ubi__pause joined[] = { { 15, 60 } }, apart[] = { { 15, 40 }, { 45, 50 } };
    expect_pauses(processes, 3, apart, 2);
    processes[1].has_no_times = true;
    expect_pauses(processes, 3, NULL, 0);
    processes[1].has_no_times = false;
    expect_pauses(processes, 4, joined, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_process_left_leaves_with_it),
        cmocka_unit_test(the_end_is_the_last_thing_that_is_known),
        cmocka_unit_test(a_process_may_have_begun_before_the_first),
        cmocka_unit_test(blocks_are_left_in_the_order_of_their_allocations),
        cmocka_unit_test(what_memory_is_used_for_is_summed),
        cmocka_unit_test(the_pauses_of_any_are_those_of_all),
        cmocka_unit_test(no_refused_memory_is_missed),
        cmocka_unit_test(damaged_merges_are_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
