/* SPDX-License-Identifier: MIT
 *
 * timeline_read_test.c: what is read from each record, what a fault costs, and files that are cut, flipped, compressed, or read
 * with little memory.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/text.h"
#include "fail_allocator.h"
#include "formats/timeline/timeline_read.h"

#define NO_TIMELINE "line 1: expected a timeline, of which the first line has \"schema\":\"ubiheap.timeline-log/1\""
#define HEADER "{\"schema\":\"ubiheap.timeline-log/1\",\"record\":\"header\",\"program\":\"p\",\"pid\":7}\n"

static ubi_status read_bytes(ubi__timeline_file *out, const void *data, size_t n, const ubi_allocator *a) {
    ubi__source source;
    ubi__source_open_memory(&source, data, n, ubi__allocator_or_default(a));
    ubi_status status = ubi__timeline_read(out, &source, NULL, a);
    ubi__source_close(&source);
    return status;
}

static ubi__timeline_file read_text(const char *text) {
    ubi__timeline_file file;
    assert_int_equal(read_bytes(&file, text, strlen(text), NULL), UBI_OK);
    return file;
}

/* The file of one record after the header, which is read without a fault. */
static ubi__timeline_file read_record(const char *record) {
    char text[2048];
    snprintf(text, sizeof text, "%s%s\n", HEADER, record);
    ubi__timeline_file file = read_text(text);
    assert_string_equal(file.fault, "");
    return file;
}

/* A file of tests/data/timeline; free it. */
static char *load(const char *name, size_t *n) {
    const char *source_dir = getenv("UBI_SOURCE_DIR");
    char path[4096], *bytes = malloc(1 << 16);
    snprintf(path, sizeof path, "%s/tests/data/timeline/%s", source_dir ? source_dir : ".", name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_non_null(bytes);
    *n = fread(bytes, 1, 1 << 16, file);
    fclose(file);
    return bytes;
}

static bool has_text(const ubi__timeline_file *file, ubi_str_ix ix, const char *text) {
    return ubi__text_is(ubi__timeline_text(&file->data, ix), text);
}

/* ---- records ---------------------------------------------------------------------------------------------------------------- */

static void the_first_line_says_what_ran(void **state) {
    (void)state;
    ubi__timeline_file file =
        read_text("{\"startTimeUs\":5,\"schema\":\"ubiheap.timeline-log/1\",\"pid\":18446744073709551615,"
                  "\"program\":\"a\\nb\",\"generator\":\"g\"}");
    assert_true(has_text(&file, file.data.program, "a\nb"));
    assert_true(has_text(&file, file.generator, "g"));
    assert_true(file.data.pid == UINT64_MAX);
    assert_true(file.data.start_unix_us == 5);
    assert_false(file.has_end);
    assert_int_equal(file.n_lines, 1);
    ubi__timeline_file_fini(&file);
}

static void a_marker_has_all_that_its_line_says(void **state) {
    (void)state;
    ubi__timeline_file file = read_record(
        "{\"record\":\"marker\",\"name\":\"Styles\",\"start\":1.5,\"end\":2.000001,\"thread\":9,"
        "\"processType\":2,\"isOffMainThread\":true,\"details\":{\"a\":\"x\",\"b\":2.5,\"c\":true,\"d\":null,"
        "\"e\":[{\"x\":1,\"y\":2,\"width\":3,\"height\":4},{\"height\":8,\"width\":7,\"y\":6,\"x\":5}],"
        "\"f\":{\"stack\":1}}}");
    const ubi__timeline_row *row = &file.data.rows.at[0];
    assert_int_equal(file.data.rows.n, 1);
    assert_true(has_text(&file, row->name, "Styles"));
    assert_true(row->start_ns == 1500000 && row->end_ns == 2000001);
    assert_int_equal(row->flags, UBI__TIMELINE_HAS_END | UBI__TIMELINE_HAS_ORIGIN | UBI__TIMELINE_OFF_THREAD |
                                     UBI__TIMELINE_HAS_THREAD);
    assert_int_equal(row->process_type, 2);
    assert_true(file.data.threads.at[row->thread].id == 9);
    assert_int_equal(row->stack, UBI_NONE);
    assert_int_equal(row->n_details, 6);
    assert_true(ubi__text_is(ubi__timeline_detail_text(&file.data, row, "a"), "x"));
    assert_true(ubi__timeline_detail_of(&file.data, row, "b")->as.number == 2.5);
    assert_true(ubi__timeline_detail_of(&file.data, row, "c")->as.is_true);
    assert_int_equal(ubi__timeline_detail_of(&file.data, row, "d")->type, UBI__TIMELINE_NULL);
    const ubi__timeline_detail *rectangles = ubi__timeline_detail_of(&file.data, row, "e");
    assert_int_equal(rectangles->as.rectangles.n, 2);
    assert_true(file.data.rectangles.at[rectangles->as.rectangles.first + 1].height == 8);
    assert_int_equal(ubi__timeline_detail_of(&file.data, row, "f")->type, UBI__TIMELINE_NULL);
    assert_null(ubi__timeline_detail_of(&file.data, row, "g"));
    ubi__timeline_file_fini(&file);
}

static void a_marker_without_an_end_lasts_to_the_end(void **state) {
    (void)state;
    ubi__timeline_file file = read_record("{\"record\":\"marker\",\"name\":\"A\",\"start\":1}\n"
                                          "{\"record\":\"marker\",\"name\":\"B\",\"start\":0.5,\"end\":2}\n"
                                          "{\"record\":\"end\",\"time\":3}");
    assert_true(file.has_end);
    assert_true(has_text(&file, file.data.rows.at[0].name, "B"));
    assert_int_equal(file.data.rows.at[1].flags, 0);
    assert_true(file.data.rows.at[1].end_ns == 3000000);
    assert_true(file.data.begin_ns == 500000 && file.data.end_ns == 3000000);
    ubi__timeline_file_fini(&file);
}

static void frames_may_follow_the_markers_that_refer_to_them(void **state) {
    (void)state;
    ubi__timeline_file file = read_record(
        "{\"record\":\"marker\",\"name\":\"A\",\"start\":1,\"end\":2,\"stack\":2,\"endStack\":3}\n"
        "{\"record\":\"frame\",\"frame\":1,\"source\":\"s\",\"line\":4,\"asyncCause\":\"c\"}\n"
        "{\"record\":\"frame\",\"frame\":2,\"functionDisplayName\":\"f\",\"column\":5,\"parent\":1,\"asyncParent\":0}\n"
        "{\"record\":\"frame\",\"frame\":3,\"functionDisplayName\":\"g\",\"asyncParent\":1}");
    const ubi__timeline_row *row = &file.data.rows.at[0];
    const ubi__timeline_frame *f = &file.data.frames.at[row->stack], *g = &file.data.frames.at[row->end_stack];
    assert_true(has_text(&file, f->function, "f") && f->column == 5 && f->parent == 0 && f->async_parent == UBI_NONE);
    assert_true(has_text(&file, g->function, "g") && g->async_parent == 0 && g->parent == UBI_NONE);
    assert_true(has_text(&file, file.data.frames.at[0].source, "s") && file.data.frames.at[0].line == 4);
    assert_true(has_text(&file, file.data.frames.at[0].async_cause, "c"));
    ubi__timeline_file_fini(&file);
}

static void a_stack_whose_frame_is_missing_is_none(void **state) {
    (void)state;
    ubi__timeline_file file = read_record("{\"record\":\"marker\",\"name\":\"A\",\"start\":1,\"stack\":1}");
    assert_int_equal(file.data.rows.at[0].stack, UBI_NONE);
    ubi__timeline_file_fini(&file);
}

static void threads_have_the_name_that_was_reported_last(void **state) {
    (void)state;
    ubi__timeline_file file = read_record("{\"record\":\"marker\",\"name\":\"A\",\"start\":1,\"thread\":5}\n"
                                          "{\"record\":\"thread\",\"thread\":5,\"name\":\"x\"}\n"
                                          "{\"record\":\"thread\",\"thread\":5,\"name\":\"y\"}\n"
                                          "{\"record\":\"thread\",\"thread\":5}");
    assert_int_equal(file.data.threads.n, 1);
    assert_true(has_text(&file, file.data.threads.at[0].name, "y"));
    ubi__timeline_file_fini(&file);
}

static void figures_of_memory_are_the_numbers_of_a_line(void **state) {
    (void)state;
    ubi__timeline_file file =
        read_record("{\"record\":\"memory\",\"time\":2,\"total\":10,\"x\\n\":-0.5,\"jsMilliseconds\":\"1.0\"}");
    assert_int_equal(file.data.samples.n, 2);
    assert_true(file.data.samples.at[0].time_ns == 2000000 && file.data.samples.at[0].value == 10);
    assert_true(has_text(&file, file.data.samples.at[1].name, "x\n") && file.data.samples.at[1].value == -0.5);
    ubi__timeline_file_fini(&file);
}

static void what_is_reported_twice_counts_once_and_the_last_counts(void **state) {
    (void)state;
    ubi__timeline_file file = read_record("{\"record\":\"memory\",\"time\":2,\"total\":10,\"a\":1,\"total\":20}\n"
                                          "{\"record\":\"memory\",\"time\":2,\"a\":2}\n"
                                          "{\"record\":\"marker\",\"name\":\"x\",\"start\":1,"
                                          "\"details\":{\"k\":1,\"l\":2,\"k\":3}}\n"
                                          "{\"record\":\"marker\",\"name\":\"x\",\"start\":3,\"details\":{\"k\":4}}");
    assert_int_equal(file.data.samples.n, 2);
    assert_true(has_text(&file, file.data.samples.at[0].name, "total") && file.data.samples.at[0].value == 20);
    assert_true(has_text(&file, file.data.samples.at[1].name, "a") && file.data.samples.at[1].value == 2);
    assert_int_equal(file.data.details.n, 3);
    assert_int_equal(file.data.rows.at[0].n_details, 2);
    assert_true(file.data.details.at[0].as.number == 3 && file.data.details.at[1].as.number == 2);
    assert_true(file.data.details.at[2].as.number == 4);
    ubi__timeline_file_fini(&file);
}

static void losses_add_up_and_unknown_records_are_passed_over(void **state) {
    (void)state;
    ubi__timeline_file file = read_record("{\"record\":\"lost\",\"count\":2}\r\n"
                                          "{\"record\":\"new\",\"deep\":[{\"a\":[]}]}\n\n"
                                          "{\"record\":5}\n"
                                          "{\"record\":\"lost\",\"count\":3}");
    assert_true(file.data.n_lost == 5);
    assert_int_equal(file.n_lines, 6);
    ubi__timeline_file_fini(&file);
}

/* ---- faults ------------------------------------------------------------------------------------------------------------------- */

static void what_precedes_a_fault_is_kept(void **state) {
    static const char *const lines[][2] = {
        { "{\"record\":\"marker\",\"name\":\"B\"", "line 3: byte 30: expected ',' or '}'" },
        { "[]", "line 3: byte 1: expected an object" },
        { "{}", "line 3: expected \"record\" and what it is" },
        { "{\"record\":\"marker\",\"start\":1}", "line 3: expected a string as \"name\"" },
        { "{\"record\":\"marker\",\"name\":\"B\"}", "line 3: expected milliseconds as \"start\"" },
        { "{\"record\":\"marker\",\"name\":\"B\",\"start\":-1}", "line 3: expected milliseconds as \"start\"" },
        { "{\"record\":\"marker\",\"name\":\"B\",\"start\":2,\"end\":1}",
          "line 3: a marker that ends before it starts" },
        { "{\"record\":\"marker\",\"name\":\"B\",\"start\":2,\"stack\":-1}",
          "line 3: expected a whole number as \"stack\"" },
        { "{\"record\":\"marker\",\"name\":\"B\",\"start\":2,\"thread\":\"x\"}",
          "line 3: expected a whole number as \"thread\"" },
        { "{\"record\":\"marker\",\"name\":\"B\",\"start\":2,\"details\":[]}",
          "line 3: expected an object as \"details\"" },
        { "{\"record\":\"marker\",\"name\":\"B\",\"start\":2,\"details\":{\"a\":1,\"r\":[1]}}",
          "line 3: expected rectangles in an array" },
        { "{\"record\":\"marker\",\"name\":\"B\",\"start\":2,\"details\":{\"r\":[{\"x\":1}]}}",
          "line 3: expected a number as \"y\" of a rectangle" },
        { "{\"record\":\"frame\",\"frame\":2}", "line 3: frame 2 where frame 1 is due" },
        { "{\"record\":\"frame\",\"frame\":1,\"parent\":1}", "line 3: \"parent\" is frame 1, which has not come yet" },
        { "{\"record\":\"frame\",\"frame\":1,\"line\":4294967295}", "line 3: expected a whole number as \"line\"" },
        { "{\"record\":\"thread\"}", "line 3: expected a whole number as \"thread\"" },
        { "{\"record\":\"memory\",\"total\":1}", "line 3: expected milliseconds as \"time\"" },
        { "{\"record\":\"lost\",\"count\":1.5}", "line 3: expected a whole number as \"count\"" },
        { "{\"record\":\"end\"}", "line 3: expected milliseconds as \"time\"" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        char text[1024];
        snprintf(text, sizeof text,
                 HEADER "{\"record\":\"marker\",\"name\":\"A\",\"start\":1}\n%s\n"
                        "{\"record\":\"marker\",\"name\":\"C\",\"start\":1}\n",
                 lines[i][0]);
        ubi__timeline_file file = read_text(text);
        assert_string_equal(file.fault, lines[i][1]);
        assert_int_equal(file.data.rows.n, 1);
        assert_int_equal(file.data.details.n, 0);
        assert_int_equal(file.n_lines, 2);
        ubi__timeline_file_fini(&file);
    }
}

#define GIVE "give a heap snapshot (.heapsnapshot, .fxsnapshot), a recording (.ubirec) or a timeline"

static void a_first_line_of_something_else_is_refused(void **state) {
    static const char *const texts[][2] = {
        { "", "this is an empty file: was it written, or downloaded, to its end?" },
        { "{}", "this is JSON, and no timeline: " GIVE },
        { "{\"snapshot\":{}}", "this is a heap snapshot of V8, and no timeline: use ubiheap report" },
        { "\x0a\x08", "this is a heap snapshot of Firefox or QuickJS, and no timeline: use ubiheap report" },
        { "\x89UBIREC\x0a",
          "this is a recording of allocations, and no timeline: use ubiheap report, on the file itself: "
          "not compressed, not through a pipe" },
        { "\xff\xfe{", NO_TIMELINE },
        { "{\"schema\":\"ubiheap.timeline-log/2\"}",
          "line 1: a timeline of another version than \"ubiheap.timeline-log/1\": a newer ubiheap may read it" },
        { "{\"schema\":\"ubiheap.timeline/1\"}",
          "this is what 'ubiheap ... --json' printed: give the file that it is about" },
        { "hello\n", "this is plain text that begins with 'hello': " GIVE },
        { "{\"schema\":\"ubiheap.timeline-log/1\",\"rec",
          "line 1: the file ends in the middle of it: the program was killed, or the file is not complete" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        ubi__timeline_file file;
        assert_int_equal(read_bytes(&file, texts[i][0], strlen(texts[i][0]), NULL), UBI_EFORMAT);
        assert_string_equal(ubi_error_message(), texts[i][1]);
    }
}

static void a_line_without_end_is_refused(void **state) {
    size_t n = sizeof HEADER - 1 + UBI__TIMELINE_LINE_BYTES + (1 << 20);
    char *text = malloc(n);
    ubi__timeline_file file;
    (void)state;
    assert_non_null(text);
    memset(text, ' ', n);
    memcpy(text, HEADER, sizeof HEADER - 1);
    assert_int_equal(read_bytes(&file, text, n, NULL), UBI_OK);
    assert_string_equal(file.fault, "line 2: longer than 16777216 bytes");
    ubi__timeline_file_fini(&file);
    free(text);
}

static void guessing_takes_the_schema(void **state) {
    (void)state;
    assert_true(ubi__timeline_guess((const uint8_t *)HEADER, 40));
    assert_false(ubi__timeline_guess((const uint8_t *)HEADER, 20));
    assert_false(ubi__timeline_guess((const uint8_t *)"{\"schema\":\"ubiheap.allocation-log/1\"}", 38));
}

/* ---- damage ------------------------------------------------------------------------------------------------------------------- */

/* Every index of what was read is valid; the address sanitizer looks at the rest. */
static void check(const ubi__timeline_file *file) {
    const ubi__timeline_data *d = &file->data;
    uint32_t n_texts = ubi__strtab_count(&d->texts);
    for (size_t i = 0; i < d->rows.n; i++) {
        const ubi__timeline_row *row = &d->rows.at[i];
        assert_true(row->name < n_texts && row->end_ns >= row->start_ns);
        assert_true(row->thread < d->threads.n || (row->thread == 0 && !(row->flags & UBI__TIMELINE_HAS_THREAD)));
        assert_true(row->stack == UBI_NONE || row->stack < d->frames.n);
        assert_true(row->end_stack == UBI_NONE || row->end_stack < d->frames.n);
        assert_true((size_t)row->first_detail + row->n_details <= d->details.n);
        assert_true(i == 0 || d->rows.at[i - 1].start_ns <= row->start_ns);
    }
    for (uint32_t i = 0; i < d->frames.n; i++)
        assert_true(d->frames.at[i].parent == UBI_NONE || d->frames.at[i].parent < i);
}

static void a_file_that_is_cut_anywhere_gives_what_is_there(void **state) {
    static const char *const names[] = { "small.timeline", "hostile.timeline" };
    (void)state;
    for (size_t k = 0; k < 2; k++) {
        size_t n, last = 0;
        char *bytes = load(names[k], &n);
        for (size_t cut = 0; cut <= n; cut++) {
            ubi__timeline_file file;
            char *exact = malloc(cut + 1); /* so that reading past the end is seen */
            assert_non_null(exact);
            memcpy(exact, bytes, cut);
            ubi_status status = read_bytes(&file, exact, cut, NULL);
            free(exact);
            if (status != UBI_OK) {
                assert_int_equal(status, UBI_EFORMAT);
                continue;
            }
            check(&file);
            assert_true(file.data.rows.n >= last);
            last = file.data.rows.n;
            ubi__timeline_file_fini(&file);
        }
        free(bytes);
    }
}

static void a_flipped_bit_never_breaks_the_reader(void **state) {
    size_t n;
    char *bytes = load("small.timeline", &n);
    (void)state;
    for (size_t bit = 0; bit < 8 * n; bit += 3) {
        ubi__timeline_file file;
        bytes[bit / 8] ^= (char)(1 << (bit % 8));
        ubi_status status = read_bytes(&file, bytes, n, NULL);
        bytes[bit / 8] ^= (char)(1 << (bit % 8));
        if (status == UBI_OK) {
            check(&file);
            ubi__timeline_file_fini(&file);
        } else {
            assert_int_equal(status, UBI_EFORMAT);
        }
    }
    free(bytes);
}

typedef struct piece {
    const char *bytes;
    size_t n;
} piece;

static ubi_status read_and_drop(void *payload, const ubi_allocator *allocator) {
    const piece *p = payload;
    ubi__timeline_file file;
    UBI_TRY(read_bytes(&file, p->bytes, p->n, allocator));
    assert_string_equal(file.fault, "");
    ubi__timeline_file_fini(&file);
    return UBI_OK;
}

static void a_refused_allocation_is_reported_and_leaves_nothing(void **state) {
    static const char *const names[] = { "small.timeline", "hostile.timeline" };
    (void)state;
    for (size_t k = 0; k < 2; k++) {
        piece p;
        char *bytes = load(names[k], &p.n);
        p.bytes = bytes;
        assert_true(fail_each_allocation(read_and_drop, &p) > 10);
        free(bytes);
    }
}

static void compressed_files_are_read_too(void **state) {
    size_t n;
    char *bytes = load("small.timeline", &n);
    uLongf n_packed = compressBound(n);
    Bytef *packed = malloc(n_packed);
    ubi__timeline_file file, plain;
    (void)state;
    assert_non_null(packed);
    assert_int_equal(compress(packed, &n_packed, (const Bytef *)bytes, n), Z_OK);
    assert_int_equal(read_bytes(&file, packed, n_packed, NULL), UBI_OK);
    assert_int_equal(read_bytes(&plain, bytes, n, NULL), UBI_OK);
    assert_string_equal(file.compression, "zlib");
    assert_string_equal(plain.compression, "none");
    assert_int_equal(file.data.rows.n, plain.data.rows.n);
    ubi__timeline_file_fini(&file);
    assert_int_equal(read_bytes(&file, packed, n_packed / 2, NULL), UBI_OK);
    assert_non_null(strstr(file.fault, "the zlib data ends too early, at byte "));
    ubi__timeline_file_fini(&file);
    ubi__timeline_file_fini(&plain);
    free(packed);
    free(bytes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_line_says_what_ran),
        cmocka_unit_test(a_marker_has_all_that_its_line_says),
        cmocka_unit_test(a_marker_without_an_end_lasts_to_the_end),
        cmocka_unit_test(frames_may_follow_the_markers_that_refer_to_them),
        cmocka_unit_test(a_stack_whose_frame_is_missing_is_none),
        cmocka_unit_test(threads_have_the_name_that_was_reported_last),
        cmocka_unit_test(figures_of_memory_are_the_numbers_of_a_line),
        cmocka_unit_test(what_is_reported_twice_counts_once_and_the_last_counts),
        cmocka_unit_test(losses_add_up_and_unknown_records_are_passed_over),
        cmocka_unit_test(what_precedes_a_fault_is_kept),
        cmocka_unit_test(a_first_line_of_something_else_is_refused),
        cmocka_unit_test(a_line_without_end_is_refused),
        cmocka_unit_test(guessing_takes_the_schema),
        cmocka_unit_test(a_file_that_is_cut_anywhere_gives_what_is_there),
        cmocka_unit_test(a_flipped_bit_never_breaks_the_reader),
        cmocka_unit_test(a_refused_allocation_is_reported_and_leaves_nothing),
        cmocka_unit_test(compressed_files_are_read_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
