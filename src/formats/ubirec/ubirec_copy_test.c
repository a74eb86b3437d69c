/* SPDX-License-Identifier: MIT
 *
 * ubirec_copy_test.c: a copy says what its original does, except the texts and what is replaced with them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "fail_allocator.h"
#include "formats/ubirec/ubirec_copy.h"
#include "random_numbers.h"
#include "recording/ubirec_index.h"
#include "small_recording.h"
#include "ubirec_lines.h"

static ubi_status keep(void *payload, const void *data, size_t n) {
    bytes_add(payload, data, n);
    return UBI_OK;
}

static ubi_status same_text(void *payload, ubi_text_role role, ubi_text text, ubi_text *out) {
    (void)payload, (void)role;
    *out = text;
    return UBI_OK;
}

/* What the text was does not show, and nothing else does. */
static ubi_status hide_text(void *payload, ubi_text_role role, ubi_text text, ubi_text *out) {
    static char made[32];
    uint32_t sum = (uint32_t)role;
    (void)payload;
    for (size_t i = 0; i < text.len; i++)
        sum = sum * 31 + (uint8_t)text.ptr[i];
    *out = (ubi_text){ made, (size_t)snprintf(made, sizeof made, "t%u", (unsigned)sum) };
    return UBI_OK;
}

static ubi_status copy_bytes(bytes *out, ubi__recording_copy *copy, ubi_text_map_fn map, const bytes *file,
                             const ubi_allocator *a) {
    ubi__source source;
    copy->map_text = map;
    ubi__source_open_memory(&source, file->at, file->n, ubi_allocator_default());
    ubi_status status = ubi__recording_copy_write(copy, &source, keep, out, a);
    ubi__source_close(&source);
    return status;
}

/* All that a file says, as lines; to be freed. */
static char *lines_of(const bytes *file) {
    char *text = NULL;
    size_t n;
    ubi__source source;
    FILE *out = open_memstream(&text, &n);
    ubi__source_open_memory(&source, file->at, file->n, ubi_allocator_default());
    must(ubirec_lines(out, &source, NULL));
    ubi__source_close(&source);
    fclose(out);
    return text;
}

/* Takes out where modules lay and code without a module: "name:id:1:2:3" and "@4". Lines of texts alone go too. */
static void forget_addresses(char *lines) {
    char *to = lines;
    for (const char *at = lines; *at;) {
        bool is_number_behind = *at == ':' || *at == '@';
        *to++ = *at++;
        if (is_number_behind && *at >= '0' && *at <= '9')
            while (*at >= '0' && *at <= '9')
                at++;
    }
    *to = '\0';
}

static bytes any_recording(uint64_t seed) {
    bytes file = { 0 };
    random_start(seed);
    must(random_ubirec(seed, 3000, keep, &file, NULL, NULL));
    return file;
}

static void with_the_same_texts_everything_is_the_same(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        bytes file = any_recording(seed), made = { 0 };
        ubi__recording_copy copy = { .earlier_ns = 0 };
        must(copy_bytes(&made, &copy, same_text, &file, NULL));
        assert_string_equal(copy.fault, "");
        char *before = lines_of(&file), *after = lines_of(&made);
        /* Details are JSON or nothing in a copy; those of this recording are any bytes. */
        forget_addresses(before);
        forget_addresses(after);
        const char *b = before, *a = after;
        size_t n_lines = 0, n_markers = 0;
        for (; *b && *a; b += strcspn(b, "\n") + 1, a += strcspn(a, "\n") + 1, n_lines++) {
            size_t n_b = strcspn(b, "\n"), n_a = strcspn(a, "\n");
            if (strncmp(b, "marker", 6) == 0 && strncmp(a, "marker", 6) == 0)
                n_markers++;
            else if (n_a != n_b || memcmp(a, b, n_a) != 0)
                fail_msg("seed %d: %.*s became %.*s", (int)seed, (int)n_b, b, (int)n_a, a);
        }
        assert_true(!*a && !*b && n_lines > 1000 && n_markers > 10);
        free(before);
        free(after);
        bytes_free(&file);
        bytes_free(&made);
    }
}

static ubi__recording_summary summary_of(const bytes *file) {
    ubi__recording_summary s;
    ubi__source source;
    ubi__source_open_memory(&source, file->at, file->n, ubi_allocator_default());
    must(ubi__recording_summary_read(&s, &source, NULL, NULL));
    ubi__source_close(&source);
    return s;
}

static void assert_same_sums(const ubi__recording_summary *a, const ubi__recording_summary *b) {
    assert_memory_equal(a->classes, b->classes, sizeof a->classes);
    assert_memory_equal(a->tables.counters, b->tables.counters, sizeof a->tables.counters);
    assert_int_equal(a->tables.has_end, b->tables.has_end);
    assert_int_equal(a->tables.modules.n, b->tables.modules.n);
    assert_int_equal(a->tables.threads.n, b->tables.threads.n);
    assert_int_equal(a->tables.traces.n, b->tables.traces.n);
    assert_int_equal(a->tables.infos.n, b->tables.infos.n);
    assert_int_equal(a->rss_peak_bytes, b->rss_peak_bytes);
    assert_int_equal(a->tables.about.pid, b->tables.about.pid);
}

/* Three allocations, a stop, and a free and an allocation after it; the second is freed before the stop. */
static bytes paused_recording(uint64_t *end_bytes) {
    bytes file = { 0 };
    ubi__ubirec_writer *w;
    uint32_t kind, info, thread;
    uint64_t number;
    const ubi__ubirec_about about = { .program = ubi__text("/bin/x"), .pid = 7, .period_bytes = 1, .recording = 9 };
    must(ubi__ubirec_writer_new(&w, keep, &file, NULL));
    must(ubi__ubirec_write_about(w, &about));
    must(ubi__ubirec_write_companion(w, ubi__text(".8"), ubi__text("y")));
    must(ubi__ubirec_thread(w, &thread, 7, ubi__text("x")));
    must(ubi__ubirec_kind(w, &kind, ubi__text("malloc"), UBI__UBIREC_HEAP));
    must(ubi__ubirec_info(w, &info, kind, 10, UBI__UBIREC_NO_TRACE, 10));
    must(ubi__ubirec_write_time(w, 100));
    must(ubi__ubirec_write_rss(w, 4096));
    must(ubi__ubirec_write_alloc(w, &number, info));
    must(ubi__ubirec_write_time(w, 200));
    must(ubi__ubirec_write_action(w, UBI__UBIREC_ACTION_RESET, 200));
    must(ubi__ubirec_write_rss(w, 8192));
    must(ubi__ubirec_write_alloc(w, &number, info));
    must(ubi__ubirec_write_alloc(w, &number, info));
    must(ubi__ubirec_write_free(w, 0));
    must(ubi__ubirec_write_free(w, 1));
    must(ubi__ubirec_write_action(w, UBI__UBIREC_ACTION_STOP, 300));
    must(ubi__ubirec_flush(w));
    *end_bytes = ubi__ubirec_bytes_out(w);
    must(ubi__ubirec_write_free(w, 2));
    must(ubi__ubirec_write_alloc(w, &number, info));
    must(ubi__ubirec_finish(w));
    ubi__ubirec_writer_free(w);
    return file;
}

static void a_part_has_its_allocations_and_what_became_of_them(void **state) {
    (void)state;
    ubi__recording_part part = { .first_allocation = 1, .first_ns = 200, .end_ns = 300 };
    bytes file = paused_recording(&part.end_bytes), made = { 0 };
    ubi__recording_copy copy = { .part = &part };
    must(copy_bytes(&made, &copy, NULL, &file, NULL));
    assert_int_equal(copy.n_allocations, 2);
    char *lines = lines_of(&made);
    const char *events = strstr(lines, "\n") + 1;
    assert_string_equal(events, "rss 8192\nalloc 0 200 0:7:x malloc:0 10 10 \nalloc 1 200 0:7:x malloc:0 10 10 \n"
                                "free 0 200 0:7:x\naction 0 300\nend 2 0\n");
    free(lines);
    bytes_free(&made);
    bytes_free(&file);
}

static void a_part_without_an_end_is_all_that_there_is(void **state) {
    (void)state;
    uint64_t end_bytes;
    bytes file = paused_recording(&end_bytes), made = { 0 };
    const ubi__recording_part part = { .first_allocation = 3, .first_ns = 250, .end_ns = 400 };
    ubi__recording_copy copy = { .part = &part };
    must(copy_bytes(&made, &copy, NULL, &file, NULL));
    char *lines = lines_of(&made);
    assert_string_equal(strstr(lines, "\n") + 1, "action 0 300\nalloc 0 200 0:7:x malloc:0 10 10 \nend 2 0\n");
    free(lines);
    bytes_free(&made);
    bytes_free(&file);
}

#define SECRET "secret"
#define MODULE_START "25439399936" /* 0x5ec4e7000 */

/* Where a text may be, it holds a secret. */
static bytes secret_recording(void) {
    static const ubi__ubirec_symbol symbols[] = { { { SECRET "::f()", 11 }, { "/" SECRET "/a.c", 11 }, 7, 3 } };
    recording r = { .heap = 0 };
    ubi__ubirec_about about = { .program = ubi__text("/opt/" SECRET),
                                .arguments = { "./" SECRET "\0--" SECRET "\0\0", 2 + 6 + 1 + 2 + 6 + 2 },
                                .pid = 7,
                                .period_bytes = 1,
                                .start_unix_ns = UINT64_C(1700000000123456789),
                                .writer = ubi__text(SECRET),
                                .system = ubi__text("Linux " SECRET),
                                .recording = 99 };
    uint32_t thread, module, frame, trace, script, label, kind;
    must(ubi__ubirec_writer_new(&r.w, keep, &r.file, NULL));
    must(ubi__ubirec_write_about(r.w, &about));
    must(ubi__ubirec_thread(r.w, &thread, 100, ubi__text(SECRET)));
    must(ubi__ubirec_module(r.w, &module,
                            &(ubi__ubirec_module_about){ .path = ubi__text("/" SECRET ".so"),
                                                         .bias = 0x5ec4e7000,
                                                         .start = 0x5ec4e7000,
                                                         .end = 0x5ec4e9000,
                                                         .build_id = (const uint8_t *)SECRET,
                                                         .build_id_bytes = 6 }));
    must(ubi__ubirec_native_frame(r.w, &frame, module, 0x100));
    must(ubi__ubirec_trace(r.w, &trace, UBI__UBIREC_NO_TRACE, frame));
    must(ubi__ubirec_script_frame(r.w, &script, ubi__text(SECRET), ubi__text("https://" SECRET), 3, 4));
    must(ubi__ubirec_trace(r.w, &trace, trace, script));
    must(ubi__ubirec_label_frame(r.w, &label, ubi__text("(unwind failed at " SECRET ")")));
    must(ubi__ubirec_trace(r.w, &trace, trace, label));
    must(ubi__ubirec_kind(r.w, &r.heap, ubi__text(SECRET "_malloc"), UBI__UBIREC_HEAP));
    must(ubi__ubirec_kind(r.w, &kind, ubi__text(SECRET), UBI__UBIREC_OBJECT));
    allocate(&r, r.heap, 100, trace);
    allocate(&r, kind, 50, trace);
    must(ubi__ubirec_kind(r.w, &kind, ubi__text("JavaScript"), UBI__UBIREC_HEAP));
    must(ubi__ubirec_kind(r.w, &kind, ubi__text("JavaScript " SECRET), UBI__UBIREC_HEAP));
    allocate(&r, kind, 25, trace);
    must(ubi__ubirec_write_thread_name(r.w, thread, ubi__text(SECRET "2")));
    must(ubi__ubirec_write_started(r.w, ubi__text(SECRET), 3, (ubi__unrecorded)1));
    must(ubi__ubirec_write_use(r.w, &(ubi__ubirec_use_row){ .table = 1, .kind = UBI__RESIDENCE_FILE },
                               ubi__text("/" SECRET)));
    must(ubi__ubirec_write_marker(
        r.w, &(ubi__ubirec_marker){ .name = ubi__text(SECRET),
                                    .type = UBI__UBIREC_MARKER_TIMESTAMP,
                                    .trace = trace,
                                    .details = ubi__text("{\"" SECRET "\":\"" SECRET
                                                         "\",\"n\":12345678,\"small\":5,\"unixTime\":1700000000123456,"
                                                         "\"deep\":{\"" SECRET "\":1},\"list\":[{\"x\":1,\"" SECRET
                                                         "\":2},\"" SECRET "\"]}") }));
    must(ubi__ubirec_write_symbols(r.w, frame, symbols, 1));
    must(ubi__ubirec_finish(r.w));
    ubi__ubirec_writer_free(r.w);
    return r.file;
}

static void no_text_is_left_and_no_address(void **state) {
    bytes file = secret_recording(), made = { 0 };
    ubi__recording_copy copy = { .earlier_ns = UBI__RECORDING_COPY_DAY, .recording = 5 };
    (void)state;
    must(copy_bytes(&made, &copy, hide_text, &file, NULL));
    char *before = lines_of(&file), *after = lines_of(&made);
    assert_non_null(strstr(before, SECRET));
    assert_null(strstr(after, SECRET));
    assert_null(strstr(after, "12345678"));
    assert_non_null(strstr(after, "5%2C")); /* a small number stays, and so do the names of the days */
    assert_non_null(strstr(after, "1699920000000000"));
    assert_non_null(strstr(before, MODULE_START));
    assert_null(strstr(after, MODULE_START));
    ubi__recording_summary a = summary_of(&file), b = summary_of(&made);
    assert_same_sums(&a, &b);
    assert_int_equal(b.tables.about.start_unix_ns, UINT64_C(1699920000000000000));
    assert_int_equal(b.tables.about.recording, 5);
    assert_int_equal(b.tables.modules.at[0].start, 0);
    assert_int_equal(b.tables.modules.at[0].end, 0x2000);
    assert_int_equal(copy.n_allocations, 3);
    assert_true(ubi__text_is(ubi__ubirec_string_at(&b.tables, b.tables.kinds.at[2].word), "JavaScript"));
    assert_true(ubi__text_begins(ubi__ubirec_string_at(&b.tables, b.tables.kinds.at[3].word), "JavaScript t"));
    ubi__recording_summary_fini(&a);
    ubi__recording_summary_fini(&b);
    free(before);
    free(after);
    bytes_free(&file);
    bytes_free(&made);
}

static ubi_status give_a_name(ubi__ubirec_tables *tables, ubi__recording_hints *hints, const ubi_progress *progress) {
    static const ubi__ubirec_symbol symbol = { { "found", sizeof "found" - 1 }, { "f.c", 3 }, 9, 1 };
    (void)hints, (void)progress;
    for (uint32_t i = 0; i < tables->frames.n; i++) {
        uint32_t n;
        ubi__ubirec_symbols_of(tables, i, &n);
        if (n == 0)
            UBI_TRY(ubi__ubirec_tables_add_symbols(tables, i, &symbol, 1));
    }
    return UBI_OK;
}

static void symbols_that_the_file_lacks_are_in_the_copy(void **state) {
    recording r;
    bytes made = { 0 };
    uint32_t module, frame[2], trace, n;
    ubi__recording_copy copy = { .namer = give_a_name };
    (void)state;
    open_recording(&r, 1, 1);
    must(ubi__ubirec_module(r.w, &module, &(ubi__ubirec_module_about){ .path = ubi__text("a"), .end = 4096 }));
    for (int i = 0; i < 2; i++)
        must(ubi__ubirec_native_frame(r.w, &frame[i], module, 100 + (uint64_t)i));
    must(ubi__ubirec_trace(r.w, &trace, UBI__UBIREC_NO_TRACE, frame[0]));
    must(ubi__ubirec_trace(r.w, &trace, trace, frame[1]));
    allocate(&r, r.heap, 10, trace);
    must(
        ubi__ubirec_write_symbols(r.w, frame[0], &(ubi__ubirec_symbol){ ubi__text("own"), ubi__text("o.c"), 2, 0 }, 1));
    finish_recording(&r);
    must(copy_bytes(&made, &copy, same_text, &r.file, NULL));
    ubi__recording_summary s = summary_of(&made);
    const char *const names[] = { "own", "found" };
    for (uint32_t i = 0; i < 2; i++) {
        const ubi__ubirec_symbol_row *row = ubi__ubirec_symbols_of(&s.tables, i, &n);
        assert_int_equal(n, 1);
        assert_true(ubi__text_is(ubi__ubirec_string_at(&s.tables, row->function), names[i]));
    }
    ubi__recording_summary_fini(&s);
    bytes_free(&r.file);
    bytes_free(&made);
}

/* ---- what is not sound -------------------------------------------------------------------------------------------- */

/* The copy of a file that is damaged or cut is sound, and says what could be read. */
static void check_copy_of(const bytes *file, size_t *n_faults, size_t *n_torn) {
    bytes made = { 0 };
    ubi__recording_copy copy = { .earlier_ns = 0 };
    ubi_status status = copy_bytes(&made, &copy, hide_text, file, NULL);
    if (status != UBI_OK) {
        assert_int_equal(status, UBI_EFORMAT);
    } else {
        ubi__recording_summary a = summary_of(file), b = summary_of(&made);
        assert_string_equal(a.fault, copy.fault);
        assert_int_equal(a.torn_bytes, copy.torn_bytes);
        assert_string_equal(b.fault, "");
        assert_int_equal(b.torn_bytes, 0);
        assert_memory_equal(a.classes, b.classes, sizeof a.classes);
        *n_faults += copy.fault[0] != '\0';
        *n_torn += copy.torn_bytes > 0;
        ubi__recording_summary_fini(&a);
        ubi__recording_summary_fini(&b);
    }
    bytes_free(&made);
}

static void what_precedes_a_fault_is_in_the_copy(void **state) {
    bytes file = any_recording(3);
    size_t whole = file.n, n_faults = 0, n_torn = 0;
    (void)state;
    for (size_t at = 0; at < whole; at += 1 + whole / 150) {
        file.at[at] ^= 0x10;
        check_copy_of(&file, &n_faults, &n_torn);
        file.at[at] ^= 0x10;
        file.n = at;
        check_copy_of(&file, &n_faults, &n_torn);
        file.n = whole;
    }
    assert_true(n_faults > 0 && n_torn > 10);
    bytes_free(&file);
}

static ubi_status copy_with(void *payload, const ubi_allocator *allocator) {
    ubi__recording_copy copy = { .namer = give_a_name };
    bytes made = { 0 };
    ubi_status status = copy_bytes(&made, &copy, hide_text, payload, allocator);
    bytes_free(&made);
    return status;
}

static void every_refused_allocation_is_out_of_memory_without_a_leak(void **state) {
    bytes file = secret_recording();
    (void)state;
    fail_each_allocation(copy_with, &file);
    bytes_free(&file);
}

static ubi_status refuse(void *payload, const void *data, size_t n) {
    size_t *left = payload;
    (void)data;
    if (n > *left)
        return ubi__fail(UBI_EIO, "full");
    *left -= n;
    return UBI_OK;
}

static void a_failing_write_or_map_ends_it(void **state) {
    bytes file = any_recording(2);
    (void)state;
    for (size_t room = 0; room < 2000; room += 300) {
        ubi__recording_copy copy = { .map_text = hide_text };
        ubi__source source;
        size_t left = room;
        ubi__source_open_memory(&source, file.at, file.n, ubi_allocator_default());
        assert_int_equal(ubi__recording_copy_write(&copy, &source, refuse, &left, NULL), UBI_EIO);
        ubi__source_close(&source);
    }
    bytes_free(&file);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_part_has_its_allocations_and_what_became_of_them),
        cmocka_unit_test(a_part_without_an_end_is_all_that_there_is),
        cmocka_unit_test(with_the_same_texts_everything_is_the_same),
        cmocka_unit_test(no_text_is_left_and_no_address),
        cmocka_unit_test(symbols_that_the_file_lacks_are_in_the_copy),
        cmocka_unit_test(what_precedes_a_fault_is_in_the_copy),
        cmocka_unit_test(every_refused_allocation_is_out_of_memory_without_a_leak),
        cmocka_unit_test(a_failing_write_or_map_ends_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
