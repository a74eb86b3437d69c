/* SPDX-License-Identifier: MIT
 *
 * recording_checks_test.c: the invariants of recordings are seen when they break.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "damage.h"
#include "recording/function_sums.h"
#include "recording/preload_area.h"
#include "recording/preload_stream.h"
#include "recording/recorder.h"
#include "recording/recording_processes.h"
#include "recording/ubirec_numbers.h"
#include "small_recording.h"

#define CHECK_OF(name, type)                                                                                           \
    static void check_##name(void *payload) {                                                                          \
        ubi__##name##_check((const type *)payload);                                                                    \
    }                                                                                                                  \
    struct swallow_semicolon

CHECK_OF(trace_table, ubi__trace_table);
CHECK_OF(recording, ubi__recording);
CHECK_OF(recorder, ubi__recorder);
CHECK_OF(mapping_list, ubi__mapping_list);
CHECK_OF(tuple_table, ubi__tuple_table);
CHECK_OF(estimate, ubi__estimate);
CHECK_OF(ubirec_tables, ubi__ubirec_tables);
CHECK_OF(ubirec_numbers, ubi__ubirec_numbers);
CHECK_OF(marker_sums, ubi__marker_sums);
CHECK_OF(recording_summary, ubi__recording_summary);
CHECK_OF(sites, ubi__sites);
CHECK_OF(recording_processes, ubi__recording_processes);
CHECK_OF(trace_sums, ubi__trace_sums);
CHECK_OF(function_sums, ubi__function_sums);
CHECK_OF(preload_area, ubi__preload_area);
CHECK_OF(stream, ubi__stream);

/* Sets a place to another value, sees that the check says `expected`, and sets it back. */
#define ASSERT_SEEN(name, payload, place, value, expected)                                                             \
    do {                                                                                                               \
        __typeof__(place) kept_ = (place);                                                                             \
        (place) = (value);                                                                                             \
        assert_damage_seen(check_##name, (payload), (expected));                                                       \
        (place) = kept_;                                                                                               \
        ubi__##name##_check(payload);                                                                                  \
    } while (0)

/* ---- while it is recorded ------------------------------------------------------------------------------------------- */

static uint64_t next_ms(void *time_ns) {
    return *(uint64_t *)time_ns += 1000000;
}
static double half(void *time_ns) {
    (void)time_ns;
    return 0.5;
}
static ubi_status main_and_f(void *time_ns, ubi__trace_table *traces, ubi__trace_ix *out) {
    ubi_text names[] = { ubi__text("main"), ubi__text("f") };
    (void)time_ns;
    return ubi__trace_table_stack(traces, out, names, 2);
}

static void damaged_recorders_are_seen(void **state) {
    uint64_t time_ns = 0;
    ubi__recorder r;
    ubi__recorder_source source = { .now_ns = next_ms, .random = half, .stack = main_and_f, .payload = &time_ns };
    (void)state;
    must(ubi__recorder_init(&r, 1, &source, NULL));
    for (uint64_t i = 1; i <= 3; i++)
        must(ubi__recorder_allocated(&r, &(ubi__allocation){ i * 16, 8, ubi__text("malloc"), 1 }));
    must(ubi__recorder_freed(&r, 16, 1));
    ubi__recorder_check(&r);
    ubi__live *live = ubi__live_table_find(&r.live, 32);
    ASSERT_SEEN(recorder, &r, live->event, 9, "live->event < r->recording.events.n");
    ASSERT_SEEN(recorder, &r, live->event, 3, "is_free");
    ASSERT_SEEN(recorder, &r, r.allocation_count, 4, "n == r->allocation_count");
    ASSERT_SEEN(recorder, &r, r.recording.events.at[2].allocation, 2, "events->at[i].allocation == n + 1");
    ASSERT_SEEN(recorder, &r, r.newer.table.n, 1, "r->newer.table.n == 0");
    ASSERT_SEEN(recording, &r.recording, r.recording.period_bytes, 0, "r->period_bytes >= 1");
    ASSERT_SEEN(recording, &r.recording, r.recording.events.at[0].trace, 77, "trace < r->traces.rows.n");
    ubi__trace_table *t = &r.recording.traces;
    ASSERT_SEEN(trace_table, t, t->rows.at[1].parent, 2, "t->rows.at[i].parent < i");
    ASSERT_SEEN(trace_table, t, t->rows.at[2].name, 9, "name < ubi__strtab_count(&t->names)");
    ASSERT_SEEN(trace_table, t, t->rows.at[2].name, 1, "ubi__u64_map_get");
    ASSERT_SEEN(trace_table, t, t->rows.at[0].name, 1, "UBI__TRACE_ROOT_NAME");
    ubi__recorder_fini(&r);
}

static void free_what_was_not_allocated(void *writer) {
    (void)ubi__ubirec_write_free(writer, 5);
}
static void switch_to_a_thread_that_is_not_there(void *writer) {
    (void)ubi__ubirec_write_thread(writer, 5);
}

static void writers_get_nothing_that_is_not_there(void **state) {
    recording r;
    (void)state;
    open_recording(&r, 1, 1);
    assert_damage_seen(free_what_was_not_allocated, r.w, "number < w->n_allocations");
    assert_damage_seen(switch_to_a_thread_that_is_not_there, r.w, "thread < w->n_threads");
    finish_recording(&r);
    bytes_free(&r.file);
}

/* ---- tables --------------------------------------------------------------------------------------------------------- */

static void damaged_mappings_are_seen(void **state) {
    ubi__mapping_list list = { NULL, 0, 0 };
    const ubi_allocator *a = ubi_allocator_default();
    (void)state;
    must(ubi__mapping_add(&list, a, (ubi__mapping){ .low = 8192, .high = 12288 }));
    must(ubi__mapping_add(&list, a, (ubi__mapping){ .low = 4096, .high = 8192 }));
    ubi__mapping_list_check(&list);
    ASSERT_SEEN(mapping_list, &list, list.at[0].high, 8193, "mapping_is_in_place");
    ASSERT_SEEN(mapping_list, &list, list.at[1].high, 8192, "mapping_is_in_place");
    ubi__mapping_list_fini(&list, a);
}

static void damaged_tuple_tables_are_seen(void **state) {
    ubi__tuple_table t;
    (void)state;
    ubi__tuple_table_init(&t, 2, "pairs", ubi_allocator_default());
    for (uint64_t i = 0; i < 50; i++) {
        uint32_t number;
        bool is_new;
        must(ubi__tuple_table_number(&t, &number, &is_new, (const uint64_t[]){ i, i * i }));
    }
    ubi__tuple_table_check(&t);
    ASSERT_SEEN(tuple_table, &t, t.words.at[2], 7777, "tuple_find");
    ASSERT_SEEN(tuple_table, &t, t.words.n, 99, "t->words.n == t->table.n * t->width");
    ASSERT_SEEN(tuple_table, &t, t.width, 5, "t->width <= UBI__TUPLE_WIDTH_MAX");
    ubi__tuple_table_fini(&t);
}

static void damaged_estimates_are_seen(void **state) {
    ubi__estimate e = { 0 };
    (void)state;
    ubi__estimate_check(&e);
    ASSERT_SEEN(estimate, &e, e.bytes, 1, "e->samples != 0");
    ubi__estimate_add_samples(&e, 3, 10, 65536, 65536);
    ASSERT_SEEN(estimate, &e, e.bytes_variance, -1, "e->bytes_variance >= 0");
    ASSERT_SEEN(estimate, &e, e.met_bytes, -1, "e->met_bytes >= 0");
}

/* ---- what is read --------------------------------------------------------------------------------------------------- */

static void mark(recording *r, ubi__ubirec_marker_type type, uint64_t time_ns) {
    must(ubi__ubirec_write_marker(
        r->w,
        &(ubi__ubirec_marker){ .name = ubi__text("GC"), .details = ubi__text(""), .type = type, .time_ns = time_ns }));
}

/* Two stacks, one function with symbols, a marker that stays open, a free. */
static void read_small(ubi__recording_summary *s) {
    recording r;
    uint32_t frame;
    open_recording(&r, 1, 1);
    ubi__ubirec_symbol symbol = { .function = ubi__text("work"), .file = ubi__text("work.c"), .line = 3 };
    must(ubi__ubirec_label_frame(r.w, &frame, ubi__text("work")));
    must(ubi__ubirec_write_symbols(r.w, frame, &symbol, 1));
    mark(&r, UBI__UBIREC_MARKER_START, 1);
    uint64_t first = allocate(&r, r.heap, 10, stack(&r, "main work"));
    allocate(&r, r.heap, 30, stack(&r, "main play work"));
    allocate(&r, r.mapping, 4096, stack(&r, "main"));
    must(ubi__ubirec_write_free(r.w, first));
    close_recording(&r, s);
}

static void damaged_summaries_are_seen(void **state) {
    ubi__recording_summary s;
    (void)state;
    read_small(&s);
    ubi__recording_summary_check(&s);
    ubi__class_sums *heap = &s.classes[UBI__UBIREC_HEAP];
    ASSERT_SEEN(recording_summary, &s, heap->count, 3, "sum.count == c->count");
    ASSERT_SEEN(recording_summary, &s, heap->live_bytes, 31, "sum.live_bytes == c->live_bytes");
    ASSERT_SEEN(recording_summary, &s, heap->peak_bytes, 20, "c->live_bytes <= c->peak_bytes");
    ASSERT_SEEN(recording_summary, &s, heap->peak_met_bytes, 0, "c->live_met_bytes <= c->peak_met_bytes");
    ASSERT_SEEN(recording_summary, &s, heap->n_frees, 0, "made == gone + live");
    ASSERT_SEEN(recording_summary, &s, heap->epoch, 0, "epoch <= c->epoch");
    ASSERT_SEEN(recording_summary, &s, s.n_curve, UBI__CURVE_POINTS + 1, "s->n_curve <= UBI__CURVE_POINTS");
    ASSERT_SEEN(recording_summary, &s, s.threads.n, 0, "s->threads.n == s->tables.threads.n");
    ubi__marker_sums *m = &s.markers;
    ASSERT_SEEN(marker_sums, m, m->groups.at[0].n_ended, 9, "n_ended <= m->groups.at[i].count");
    ASSERT_SEEN(marker_sums, m, m->groups.at[0].name, 0, "ubi__u64_map_get");
    ASSERT_SEEN(marker_sums, m, m->threads.at[0].open.at[0].group, 1, "open->at[i].group < m->groups.n");
    ubi__recording_summary_fini(&s);
}

static void damaged_tables_are_seen(void **state) {
    ubi__recording_summary s;
    (void)state;
    read_small(&s);
    ubi__ubirec_tables *t = &s.tables;
    ASSERT_SEEN(ubirec_tables, t, t->traces.at[1].caller, 1, "t->traces.at[i].caller < i");
    ASSERT_SEEN(ubirec_tables, t, t->traces.at[1].frame, 99, "t->traces.at[i].frame < t->frames.n");
    ASSERT_SEEN(ubirec_tables, t, t->frames.at[0].of, 999, "frame_is_sound");
    ASSERT_SEEN(ubirec_tables, t, t->infos.at[0].kind, 99, "t->infos.at[i].kind < t->kinds.n");
    ASSERT_SEEN(ubirec_tables, t, t->kinds.at[0].word, 999, "t->kinds.at[i].word < n_strings");
    ASSERT_SEEN(ubirec_tables, t, t->spans.at[0].n, 2, "<= t->symbols.n");
    ASSERT_SEEN(ubirec_tables, t, t->symbols.at[0].file, 999, "file < n_strings");
    ASSERT_SEEN(ubirec_tables, t, t->periods.n, 0, "t->periods.n > 0");
    ubi__recording_summary_fini(&s);
}

static void damaged_numbers_are_seen(void **state) {
    recording r;
    ubi__ubirec_numbers n;
    bool done;
    (void)state;
    open_recording(&r, 1, 1);
    must(ubi__ubirec_numbers_init(&n, r.w, NULL, NULL, ubi_allocator_default()));
    must(ubi__ubirec_numbers_add(&n, &(ubi__ubirec_record){ .type = UBI__UBIREC_STRING, .string = ubi__text("malloc") },
                                 &done));
    must(ubi__ubirec_numbers_add(&n, &(ubi__ubirec_record){ .type = UBI__UBIREC_KIND, .kind = { 0, UBI__UBIREC_HEAP } },
                                 &done));
    ubi__ubirec_numbers_check(&n);
    ASSERT_SEEN(ubirec_numbers, &n, n.kinds.n, 0, "n->kinds.n == t->kinds.n");
    ASSERT_SEEN(ubirec_numbers, &n, n.traces.at[0], 1, "UBI__UBIREC_NO_TRACE");
    ASSERT_SEEN(ubirec_numbers, &n, n.next_module_address, 1, "n->next_module_address == 0");
    ubi__ubirec_numbers_fini(&n);
    finish_recording(&r);
    bytes_free(&r.file);
}

static void damaged_sites_are_seen(void **state) {
    ubi__recording_summary s;
    ubi__sites sites;
    ubi__function_sums functions;
    ubi__trace_sums traces;
    (void)state;
    read_small(&s);
    must(ubi__sites_init(&sites, &s, true, NULL));
    must(ubi__sites_sort(&sites, UBI__BY_TOTAL));
    ubi__sites_check(&sites);
    ASSERT_SEEN(sites, &sites, sites.top[1], 2, "sites->top[i] <= i");
    ASSERT_SEEN(sites, &sites, sites.rows.at[0].number, 99, "site->number < sites->rows.n");
    ASSERT_SEEN(sites, &sites, sites.rows.at[0].n_stacks, 9, "site->n_stacks <= site->n_all_stacks");
    ASSERT_SEEN(sites, &sites, sites.rows.at[0].by[UBI__MEASURE_TOTAL].samples, 9, "counted == summed");
    ASSERT_SEEN(sites, &sites, sites.rows.at[0].number, sites.rows.at[1].number, "numbers ==");
    must(ubi__trace_sums_init(&traces, &s, UBI__UBIREC_HEAP, UBI__MEASURE_TOTAL, NULL, NULL));
    ASSERT_SEEN(trace_sums, &traces, traces.at[1].self.samples, 99, "self.samples <= sums->at[i].all.samples");
    ASSERT_SEEN(trace_sums, &traces, traces.at[0].all.samples, 3, "samples == sums->at[0].all.samples");
    ASSERT_SEEN(trace_sums, &traces, traces.first_callee[0], 2, "== i");
    ubi__trace_sums_fini(&traces);
    must(ubi__function_sums_init(&functions, &sites, UBI__UBIREC_HEAP, NULL));
    ASSERT_SEEN(function_sums, &functions, functions.group_of.n, 1, "== sums->group_of.n");
    ASSERT_SEEN(function_sums, &functions, functions.group_of.at[0], 99, "sums->group_of.at[i] < sums->rows.n");
    ASSERT_SEEN(function_sums, &functions, functions.rows.at[0].own[0].samples, 99, "own[m].samples <=");
    ubi__function_sums_fini(&functions);
    ubi__sites_fini(&sites);
    ubi__recording_summary_fini(&s);
}

/* ---- what a program shares ------------------------------------------------------------------------------------------ */

static void damaged_areas_are_seen(void **state) {
    ubi__preload_area area;
    (void)state;
    must(ubi__preload_area_new(&area, &(ubi__preload_settings){ .period_bytes = 1 }));
    ubi__preload_area_check(&area);
    ASSERT_SEEN(preload_area, &area, area.n_chunks, 17, "area->n_chunks % UBI__WIRE_SEGMENT_CHUNKS == 0");
    ASSERT_SEEN(preload_area, &area, area.settings.max_depth, 0, "area->settings.max_depth >= 1");
    ASSERT_SEEN(preload_area, &area, area.fd, -1, "area->fd >= 0");
    ubi__preload_area_free(&area);
}

static void damaged_streams_are_seen(void **state) {
    ubi__stream_common common = { .allocator = ubi_allocator_default() };
    ubi__stream s;
    ubi__stream_piece *piece;
    (void)state;
    ubi__stream_init(&s, &common);
    for (uint64_t i = 1; i <= 2; i++) {
        must(ubi__stream_piece_of(&s, &piece, i));
        must(ubi__stream_piece_append(&s, piece, (const uint8_t *)"abc", 3));
    }
    assert_int_equal(common.waiting_bytes, 6);
    ubi__stream_check(&s);
    ASSERT_SEEN(stream, &s, s.sequence, 2, "p->sequence >= s->sequence");
    ASSERT_SEEN(stream, &s, s.n_ahead, UBI__STREAM_AHEAD + 1, "s->n_ahead <= UBI__STREAM_AHEAD");
    ASSERT_SEEN(stream, &s, s.n_ahead, 1, "step != UBI__STREAM_EMPTY");
    ASSERT_SEEN(stream, &s, s.event, &s.ahead[0].event, "s->at_ahead > 0");
    ASSERT_SEEN(stream, &s, s.lost_bytes, 1, "s->lost_bytes <= s->common->lost_bytes");
    ubi__stream_fini(&s);
    assert_int_equal(common.waiting_bytes, 0);
}

static void damaged_processes_are_seen(void **state) {
    (void)state;
    ubi__recording_process rows[3] = { { .path = (char[]){ "a" }, .path_bytes = 2, .start_unix_ns = 50 },
                                       { .path = (char[]){ "b" }, .path_bytes = 2, .start_unix_ns = 60 },
                                       { .path = (char[]){ "c" }, .path_bytes = 2, .start_unix_ns = 70 } };
    ubi__recording_processes p = { .first = "a", .recording = 7 };
    p.rows.at = rows;
    p.rows.n = 3;
    ubi__recording_processes_check(&p);
    rows[1].start_unix_ns = 80;
    assert_damage_seen(check_recording_processes, &p,
                       "ubi__recording_process_compare(&p->rows.at[i - 1], &p->rows.at[i]) <= 0");
    rows[1].start_unix_ns = 60;
    rows[2].path_bytes = 1;
    assert_damage_seen(check_recording_processes, &p, "strlen(p->rows.at[i].path) + 1 == p->rows.at[i].path_bytes");
    p.recording = 0;
    assert_damage_seen(check_recording_processes, &p, "p->rows.n > 0 && p->recording != 0");
    p.first = NULL;
    p.wanted = "7";
    assert_damage_seen(check_recording_processes, &p, "p->wanted == NULL || p->first != NULL");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(damaged_recorders_are_seen), cmocka_unit_test(writers_get_nothing_that_is_not_there),
        cmocka_unit_test(damaged_mappings_are_seen),  cmocka_unit_test(damaged_tuple_tables_are_seen),
        cmocka_unit_test(damaged_estimates_are_seen), cmocka_unit_test(damaged_summaries_are_seen),
        cmocka_unit_test(damaged_tables_are_seen),    cmocka_unit_test(damaged_numbers_are_seen),
        cmocka_unit_test(damaged_sites_are_seen),     cmocka_unit_test(damaged_areas_are_seen),
        cmocka_unit_test(damaged_streams_are_seen),   cmocka_unit_test(damaged_processes_are_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
