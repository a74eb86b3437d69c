/* SPDX-License-Identifier: MIT
 *
 * recording_pass_test.c: recordings as columns and back: equal; and what becomes of damaged and of forged bytes.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/column_file_layout.h"
#include "base/text.h"
#include "fail_allocator.h"
#include "packed_recording.h"
#include "random_numbers.h"
#include "small_recording.h"

static const char *const files[] = {
    "tests/data/ubirec/crashed.ubirec", "tests/data/ubirec/few.ubirec",    "tests/data/ubirec/growing.ubirec",
    "tests/data/ubirec/hostile.ubirec", "tests/data/ubirec/idle.ubirec",   "tests/data/ubirec/lost-markers.ubirec",
    "tests/data/ubirec/sampled.ubirec", "tests/data/ubirec/server.ubirec", "tests/data/ubirec/stripped.ubirec",
};

static void read_file(ubi__recording_summary *s, const char *path) {
    ubi__source source;
    must(ubi__source_open_path(&source, path, ubi_allocator_default()));
    must(ubi__recording_summary_read(s, &source, NULL, NULL));
    ubi__source_close(&source);
}

/* With its places. */
static packed_bytes bytes_of(const ubi__recording_summary *s) {
    packed_bytes packed = { NULL, 0 };
    ubi__sites sites;
    must(ubi__sites_init(&sites, s, true, NULL));
    must(ubi__sites_sort(&sites, UBI__BY_LEAKED));
    must(recording_pack(&packed, s, &sites, NULL));
    ubi__sites_fini(&sites);
    return packed;
}

/* A stack, a symbol, a marker and a thread: some of everything. */
static void read_small(ubi__recording_summary *s) {
    recording r;
    uint32_t frame, module;
    const ubi__ubirec_module_about about = { .path = ubi__text("/lib/work.so"), .start = 4096, .end = 8192 };
    const ubi__ubirec_symbol symbol = { .function = ubi__text("work"), .file = ubi__text("work.c"), .line = 3 };
    ubi__ubirec_marker marker = { .name = ubi__text("turn"), .type = UBI__UBIREC_MARKER_START, .time_ns = 1 };
    open_recording(&r, 512, 1);
    must(ubi__ubirec_module(r.w, &module, &about));
    must(ubi__ubirec_native_frame(r.w, &frame, module, 16));
    must(ubi__ubirec_write_symbols(r.w, frame, &symbol, 1));
    must(ubi__ubirec_write_marker(r.w, &marker));
    must(ubi__ubirec_write_use(r.w, &(ubi__ubirec_use_row){ .table = 1, .resident_bytes = 4096 }, about.path));
    uint64_t first = allocate(&r, r.heap, 10, stack(&r, "main work"));
    allocate(&r, r.heap, 30, stack(&r, "main play work"));
    allocate(&r, r.mapping, 4096, stack(&r, "main"));
    must(ubi__ubirec_write_free(r.w, first));
    close_recording(&r, s);
}

/* Packed again, what was unpacked is the same bytes. */
static bool is_equal(const packed_recording *unpacked, packed_bytes to) {
    packed_bytes again = { NULL, 0 };
    must(recording_pack(&again, &unpacked->summary, &unpacked->sites, NULL));
    bool is_same = again.n == to.n && memcmp(again.at, to.at, to.n) == 0;
    packed_free(again);
    return is_same;
}

static void recordings_come_back(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        ubi__recording_summary s;
        packed_recording first;
        read_file(&s, files[i]);
        packed_bytes packed = bytes_of(&s);
        must(recording_unpack(&first, packed, NULL));
        ubi__ubirec_tables_check(&first.summary.tables);
        if (!is_equal(&first, packed))
            fail_msg("%s: not the same", files[i]);
        assert_int_equal(first.summary.infos.n, s.infos.n);
        assert_int_equal(first.summary.tables.traces.n, s.tables.traces.n);
        assert_string_equal(first.summary.fault, s.fault);
        assert_true(first.summary.classes[0].peak_bytes == s.classes[0].peak_bytes);
        recording_release(&first);
        packed_free(packed);
        ubi__recording_summary_fini(&s);
    }
}

/* Symbols can be added to a view, whatever is mapped below it. */
static void views_take_symbols(void **state) {
    const ubi__ubirec_symbol symbol = { .function = ubi__text("named"), .file = ubi__text("later.c"), .line = 9 };
    ubi__recording_summary s, view;
    packed_recording unpacked;
    uint32_t n;
    (void)state;
    read_small(&s);
    packed_bytes packed = bytes_of(&s);
    must(recording_unpack(&unpacked, packed, NULL));
    must(ubi__recording_summary_view(&view, &unpacked.summary, ubi_allocator_default()));
    for (uint32_t i = 0; i < view.tables.frames.n; i++)
        must(ubi__ubirec_tables_add_symbols(&view.tables, i, &symbol, 1));
    ubi__ubirec_tables_check(&view.tables);
    for (uint32_t i = 0; i < view.tables.frames.n; i++) {
        const ubi__ubirec_symbol_row *row = ubi__ubirec_symbols_of(&view.tables, i, &n);
        assert_int_equal(n, 1);
        assert_true(ubi__text_equal(ubi__ubirec_string_at(&view.tables, row->function), symbol.function));
    }
    ubi__recording_summary_fini(&view);
    assert_true(is_equal(&unpacked, packed)); /* and nothing of it has changed */
    recording_release(&unpacked);
    packed_free(packed);
    ubi__recording_summary_fini(&s);
}

/* ---- damage ---------------------------------------------------------------------------------------------------------- */

static void each_bit_may_be_flipped(void **state) {
    ubi__recording_summary s;
    (void)state;
    read_small(&s);
    packed_bytes sound = bytes_of(&s), packed = packed_copy(sound);
    for (size_t bit = 0; bit < packed.n * 8; bit += random_bit_step()) {
        packed_recording unpacked;
        packed.at[bit / 8] ^= (uint8_t)(1 << bit % 8);
        ubi_status status = recording_unpack(&unpacked, packed, NULL);
        if (status == UBI_OK)
            assert_true(is_equal(&unpacked, sound));
        else
            assert_int_equal(status, UBI_EFORMAT);
        recording_release(&unpacked);
        packed.at[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    packed_free(packed);
    packed_free(sound);
    ubi__recording_summary_fini(&s);
}

/* With checksums made right: what is taken can be asked for everything. */
static void each_bit_may_be_forged(void **state) {
    ubi__recording_summary s;
    size_t n_refused = 0;
    const size_t step = every_case_is_tried() ? 1 : 3; /* sanitizers: two or three bits of each byte */
    double sum = 0;
    (void)state;
    read_small(&s);
    packed_bytes sound = bytes_of(&s);
    for (size_t bit = UBI__COLUMN_HEADER_BYTES * 8; bit < sound.n * 8; bit += step) {
        packed_recording unpacked;
        packed_bytes packed = packed_copy(sound);
        packed.at[bit / 8] ^= (uint8_t)(1 << bit % 8);
        packed_seal(packed);
        ubi_status status = recording_unpack(&unpacked, packed, NULL);
        if (status == UBI_OK)
            sum += packed_recording_visit(&unpacked);
        else
            assert_int_equal(status, UBI_EFORMAT);
        n_refused += status != UBI_OK;
        recording_release(&unpacked);
        packed_free(packed);
    }
    assert_true(sum > 0 && n_refused > sound.n / 4);
    packed_free(sound);
    ubi__recording_summary_fini(&s);
}

/* ---- rules ----------------------------------------------------------------------------------------------------------- */

/* A forged value, refused for its column. */
#define ASSERT_REFUSED(sites, lvalue, value, column)                                                                   \
    do {                                                                                                               \
        __typeof__(lvalue) before_ = (lvalue);                                                                         \
        (lvalue) = (value);                                                                                            \
        assert_refused((sites), (column));                                                                             \
        (lvalue) = before_;                                                                                            \
    } while (0)

/* It is not even written, or it is not read. */
static void assert_refused(const ubi__sites *sites, const char *column) {
    packed_recording unpacked = { .file = NULL };
    packed_bytes packed = { NULL, 0 };
    ubi_status status = recording_pack(&packed, sites->summary, sites, NULL);
    if (status == UBI_OK)
        status = recording_unpack(&unpacked, packed, NULL);
    if (status != UBI_EFORMAT)
        fail_msg("%s was taken", column);
    if (!ubi__text_ends(ubi__text(ubi_error_message()), column))
        fail_msg("expected %s: %s", column, ubi_error_message());
    recording_release(&unpacked);
    packed_free(packed);
}

static void what_leads_nowhere_is_refused(void **state) {
    ubi__recording_summary s;
    ubi__sites p;
    (void)state;
    read_small(&s);
    must(ubi__sites_init(&p, &s, true, NULL));
    ubi__ubirec_tables *t = &s.tables;
    uint32_t n_strings = ubi__strtab_count(&t->strings);
    ASSERT_REFUSED(&p, t->modules.at[0].path, n_strings, "modules");
    ASSERT_REFUSED(&p, t->modules.at[0].build_id, UBI_NONE, "modules");
    ASSERT_REFUSED(&p, t->frames.at[0].of, 1, "frames");
    ASSERT_REFUSED(&p, t->frames.at[1].of, n_strings, "frames");
    ASSERT_REFUSED(&p, t->frames.at[1].type, UBI__UBIREC_KIND, "frames");
    ASSERT_REFUSED(&p, t->traces.at[0].frame, 0, "traces");
    ASSERT_REFUSED(&p, t->traces.at[1].caller, 1, "traces");
    ASSERT_REFUSED(&p, t->traces.at[1].frame, (uint32_t)t->frames.n, "traces");
    ASSERT_REFUSED(&p, t->kinds.at[0].word, n_strings, "kinds");
    ASSERT_REFUSED(&p, t->kinds.at[0].class_of_kind, UBI__UBIREC_CLASS_COUNT, "kinds");
    ASSERT_REFUSED(&p, t->infos.at[0].kind, (uint32_t)t->kinds.n, "infos");
    ASSERT_REFUSED(&p, t->infos.at[0].trace, (uint32_t)t->traces.n, "infos");
    ASSERT_REFUSED(&p, t->infos.at[0].weight_bytes, UBI__UBIREC_SIZE_MAX + 1, "infos");
    ASSERT_REFUSED(&p, t->periods.at[0].first_info, 1, "periods");
    ASSERT_REFUSED(&p, t->periods.at[0].period_bytes, 0, "periods");
    ASSERT_REFUSED(&p, t->periods.n, 0, "periods");
    ASSERT_REFUSED(&p, t->symbols.at[0].function, n_strings, "symbols");
    ASSERT_REFUSED(&p, t->spans.at[0].first, 1, "symbols of frames");
    ASSERT_REFUSED(&p, t->spans.at[0].n, 2, "symbols of frames");
    ASSERT_REFUSED(&p, t->threads.at[0].name, n_strings, "threads");
    ASSERT_REFUSED(&p, t->uses.at[0].name, n_strings, "uses of memory");
    ASSERT_REFUSED(&p, t->about.program.len, 1, "about");
    ASSERT_REFUSED(&p, t->end.reason, UBI__UBIREC_END_REASON_COUNT, "about");
    ASSERT_REFUSED(&p, s.infos.n, s.infos.n - 1, "sums of infos");
    ASSERT_REFUSED(&p, s.threads.n, 0, "sums of threads");
    ASSERT_REFUSED(&p, s.threads.at[0].freed.bytes, -1, "sums of threads");
    ASSERT_REFUSED(&p, s.markers.groups.at[0].name, n_strings, "sums of markers");
    ASSERT_REFUSED(&p, s.classes[0].live_variance, (double)NAN, "sums of classes");
    ASSERT_REFUSED(&p, s.curve[0].live_variance, (double)INFINITY, "curve");
    ASSERT_REFUSED(&p, s.sizes[4].samples, 0, "sizes");
    ASSERT_REFUSED(&p, s.curve_step_ns, 0, "facts");
    ASSERT_REFUSED(&p, p.rows.at[0].frame, (uint32_t)t->frames.n, "rows");
    ASSERT_REFUSED(&p, p.rows.at[0].number, (uint32_t)p.rows.n, "rows");
    ASSERT_REFUSED(&p, p.rows.at[0].heavy, (uint32_t)t->traces.n, "rows");
    ASSERT_REFUSED(&p, p.rows.at[0].inner, (uint32_t)t->traces.n, "rows");
    ASSERT_REFUSED(&p, p.rows.at[0].pool, UBI__LIBC_POOL_COUNT, "rows");
    ASSERT_REFUSED(&p, p.rows.at[0].of_class, UBI__UBIREC_CLASS_COUNT, "rows");
    ASSERT_REFUSED(&p, p.rows.at[0].by[0].bytes, (double)NAN, "rows");
    ASSERT_REFUSED(&p, p.top[1], 2, "tops");
    ASSERT_REFUSED(&p, p.pools[1], UBI__LIBC_POOL_COUNT, "pools");
    ASSERT_REFUSED(&p, p.roles[1], UBI__FRAME_WRAPPER + 1, "roles");
    ASSERT_REFUSED(&p, p.number_of[1], (uint32_t)p.rows.n + 1, "numbers");
    packed_bytes packed = bytes_of(&s); /* nothing else is wrong */
    packed_recording unpacked;
    must(recording_unpack(&unpacked, packed, NULL));
    recording_release(&unpacked);
    packed_free(packed);
    ubi__sites_fini(&p);
    ubi__recording_summary_fini(&s);
}

/* ---- memory ---------------------------------------------------------------------------------------------------------- */

static ubi_status everything_do(void *payload, const ubi_allocator *allocator) {
    const ubi__sites *sites = payload;
    packed_recording unpacked;
    packed_bytes packed = { NULL, 0 };
    ubi__recording_summary view;
    UBI_TRY(recording_pack(&packed, sites->summary, sites, allocator));
    ubi_status status = recording_unpack(&unpacked, packed, allocator);
    if (status == UBI_OK)
        status = ubi__recording_summary_view(&view, &unpacked.summary, allocator);
    if (status == UBI_OK)
        ubi__recording_summary_fini(&view);
    recording_release(&unpacked);
    packed_free(packed);
    return status;
}

static void each_refused_allocation_is_survived(void **state) {
    ubi__recording_summary s;
    ubi__sites sites;
    (void)state;
    read_small(&s);
    must(ubi__sites_init(&sites, &s, true, NULL));
    assert_true(fail_each_allocation(everything_do, &sites) > 5);
    ubi__sites_fini(&sites);
    ubi__recording_summary_fini(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recordings_come_back),          cmocka_unit_test(views_take_symbols),
        cmocka_unit_test(each_bit_may_be_flipped),       cmocka_unit_test(each_bit_may_be_forged),
        cmocka_unit_test(what_leads_nowhere_is_refused), cmocka_unit_test(each_refused_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
