/* SPDX-License-Identifier: MIT
 *
 * timeline_writers_test.c: writers of timelines when memory or the output fails. Their output is checked by
 * tests/timeline/timeline_export_test.py.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"
#include "fail_allocator.h"
#include "formats/timeline/timeline_read.h"
#include "render/timeline_export.h"

typedef ubi_status writer(ubi_write_fn write, void *payload, const ubi__timeline_nest *nest);

static ubi_status write_members(ubi_write_fn write, void *payload, const ubi__timeline_nest *nest) {
    ubi__json json;
    ubi__json_init(&json, write, payload, false);
    ubi__json_object_begin(&json);
    ubi__render_timeline_members(&json, nest);
    ubi__json_object_end(&json);
    return ubi__json_flush(&json);
}

static writer *const writers[] = { ubi__render_timeline_chrome, ubi__render_timeline_firefox, write_members };
static const char *const files[] = { "small.timeline", "hostile.timeline" };

#define N_WRITERS (sizeof writers / sizeof *writers)
#define N_FILES (sizeof files / sizeof *files)

/* Accepts this many bytes and no more. */
typedef struct sink {
    size_t room, taken;
} sink;

static bool take(void *payload, const void *data, size_t n) {
    sink *s = payload;
    (void)data;
    if (n > s->room - s->taken)
        return false;
    s->taken += n;
    return true;
}

typedef struct job {
    writer *write;
    const char *file;
    sink *to;
} job;

static ubi_status read_file(ubi__timeline_file *out, const char *name, const ubi_allocator *allocator) {
    const char *source_dir = getenv("UBI_SOURCE_DIR");
    char path[4096];
    ubi__source source;
    snprintf(path, sizeof path, "%s/tests/data/timeline/%s", source_dir ? source_dir : ".", name);
    UBI_TRY(ubi__source_open_path(&source, path, allocator));
    ubi_status status = ubi__timeline_read(out, &source, NULL, allocator);
    ubi__source_close(&source);
    return status;
}

static ubi_status run(void *payload, const ubi_allocator *allocator) {
    const job *j = payload;
    ubi__timeline_file file;
    ubi__timeline_nest nest;
    UBI_TRY(read_file(&file, j->file, allocator));
    ubi_status status = ubi__timeline_nest_init(&nest, &file.data, false);
    if (status == UBI_OK) {
        status = j->write(take, j->to, &nest);
        ubi__timeline_nest_fini(&nest);
    }
    ubi__timeline_file_fini(&file);
    return status;
}

static void a_refused_allocation_is_reported_and_leaves_nothing(void **state) {
    (void)state;
    for (size_t w = 0; w < N_WRITERS; w++)
        for (size_t f = 0; f < N_FILES; f++) {
            sink to = { .room = SIZE_MAX };
            assert_true(fail_each_allocation(run, &(job){ writers[w], files[f], &to }) > 10);
        }
}

static void an_output_that_fails_is_reported(void **state) {
    (void)state;
    for (size_t w = 0; w < N_WRITERS; w++) {
        sink all = { .room = SIZE_MAX };
        assert_int_equal(run(&(job){ writers[w], files[0], &all }, ubi_allocator_default()), UBI_OK);
        assert_true(all.taken > 1000);
        for (size_t room = 0; room < all.taken; room += 97) {
            sink to = { .room = room };
            assert_int_equal(run(&(job){ writers[w], files[0], &to }, ubi_allocator_default()), UBI_EIO);
        }
    }
}

static void words_of_frames_end_at_whole_characters(void **state) {
    ubi__timeline_data data;
    ubi__timeline_frame frame = { .line = 3, .column = 7, .async_cause = UBI_NONE, .parent = UBI_NONE };
    uint32_t whole, anonymous, nowhere;
    char out[32];
    (void)state;
    frame.async_parent = UBI_NONE;
    ubi__timeline_data_init(&data, NULL);
    assert_int_equal(ubi__timeline_add_text(&data, &frame.function, ubi__text("f\xc3\xa4")), UBI_OK);
    assert_int_equal(ubi__timeline_add_text(&data, &frame.source, ubi__text("a.js")), UBI_OK);
    assert_int_equal(ubi__timeline_add_frame(&data, &whole, &frame), UBI_OK);
    frame.function = UBI_NONE;
    assert_int_equal(ubi__timeline_add_frame(&data, &anonymous, &frame), UBI_OK);
    frame.source = UBI_NONE;
    assert_int_equal(ubi__timeline_add_frame(&data, &nowhere, &frame), UBI_OK);
    static const char words[] = "f\xc3\xa4 (a.js:3:7)";
    assert_int_equal(ubi__timeline_frame_words(out, sizeof out, &data, whole), sizeof words - 1);
    assert_memory_equal(out, words, sizeof words - 1);
    assert_int_equal(ubi__timeline_frame_words(out, 2, &data, whole), 1);
    assert_int_equal(ubi__timeline_frame_words(out, 5, &data, whole), 5);
    assert_memory_equal(out, "f\xc3\xa4 (", 5);
    assert_int_equal(ubi__timeline_frame_words(out, sizeof out, &data, anonymous), 8);
    assert_memory_equal(out, "a.js:3:7", 8);
    assert_int_equal(ubi__timeline_frame_words(out, sizeof out, &data, nowhere), 11);
    assert_memory_equal(out, "(anonymous)", 11);
    ubi__timeline_data_fini(&data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_refused_allocation_is_reported_and_leaves_nothing),
        cmocka_unit_test(an_output_that_fails_is_reported),
        cmocka_unit_test(words_of_frames_end_at_whole_characters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
