/* SPDX-License-Identifier: MIT
 *
 * Tests of ubirec_index.h: it says what reading all says, and what is not an index is refused.
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

#include "fail_allocator.h"
#include "small_recording.h"

/* A recording of all that an index counts. */
static bytes make_file(bool is_finished) {
    recording r;
    uint32_t frame;
    open_recording(&r, 1, 2);
    for (unsigned i = 0; i < 100; i++) {
        must(ubi__ubirec_write_time(r.w, i * 1000));
        uint64_t number = allocate(&r, i % 7 ? r.heap : r.mapping, i, stack(&r, i % 3 ? "main a b" : "main c"));
        if (i % 2)
            must(ubi__ubirec_write_free(r.w, number));
        if (i % 20 == 19) {
            uint32_t info;
            must(ubi__ubirec_info(r.w, &info, i % 7 ? r.heap : r.mapping, i, stack(&r, i % 3 ? "main a b" : "main c"),
                                  i));
            must(ubi__ubirec_write_free_undone(r.w, number, info));
            must(ubi__ubirec_flush(r.w));
        }
    }
    for (int type = 0; type < UBI__UBIREC_MARKER_TYPE_COUNT; type++)
        must(ubi__ubirec_write_marker(
            r.w,
            &(ubi__ubirec_marker){ .name = { "m", 1 }, .type = (ubi__ubirec_marker_type)type, .details = { "", 0 } }));
    for (int c = 0; c < UBI__UBIREC_COUNTER_COUNT; c++)
        must(ubi__ubirec_write_counter(r.w, (ubi__ubirec_counter)c, 10 + (uint64_t)c));
    must(ubi__ubirec_write_end(r.w, &(ubi__ubirec_end){ UBI__UBIREC_KILLED, 9 }));
    must(ubi__ubirec_raw_frame(r.w, &frame, 1));
    must(is_finished ? ubi__ubirec_finish(r.w) : ubi__ubirec_flush(r.w));
    ubi__ubirec_writer_free(r.w);
    return r.file;
}

static void assert_same(const ubi__ubirec_index *a, const ubi__ubirec_index *b) {
    uint8_t x[UBI__UBIREC_INDEX_BYTES], y[UBI__UBIREC_INDEX_BYTES];
    ubi__ubirec_index_write(x, a);
    ubi__ubirec_index_write(y, b);
    assert_memory_equal(x, y, sizeof x);
}

static ubi__ubirec_index index_by_reading(const bytes *file) {
    ubi__recording_summary s;
    ubi__source source;
    ubi__source_open_memory(&source, file->at, file->n, ubi_allocator_default());
    must(ubi__recording_summary_read(&s, &source, NULL, NULL));
    assert_string_equal(s.fault, "");
    assert_int_equal(s.torn_bytes, 0);
    assert_int_equal(s.file_bytes, file->n);
    ubi__ubirec_index index = ubi__recording_summary_index(&s);
    ubi__recording_summary_fini(&s);
    ubi__source_close(&source);
    return index;
}

static bool glance(ubi__ubirec_index *out, const uint8_t *data, size_t n) {
    ubi__recording_summary s;
    ubi__source source;
    bool found;
    ubi__source_open_memory(&source, data, n, ubi_allocator_default());
    must(ubi__recording_summary_glance(&s, out, &found, &source, NULL));
    ubi__source_close(&source);
    if (found) {
        assert_int_equal(s.tables.about.period_bytes, 1);
        assert_int_equal(s.time_ns, out->time_ns);
        ubi__recording_summary_fini(&s);
    }
    return found;
}

static void it_says_what_reading_all_says(void **state) {
    bytes file = make_file(true), other = make_file(false);
    ubi__ubirec_index index, read = index_by_reading(&file), read_without = index_by_reading(&other);
    (void)state;
    assert_true(glance(&index, file.at, file.n));
    assert_same(&index, &read);
    assert_same(&index, &read_without); /* who does not know the block reads the same */
    assert_true(index.n_allocations == 100 && index.n_frees == 45 && index.n_markers == 2 && index.n_threads == 2);
    assert_true(index.n_blocks == 6 && index.is_exact && index.end.reason == UBI__UBIREC_KILLED &&
                index.end.value == 9);
    assert_int_equal(index.time_ns, 99000);
    assert_int_equal(index.counters[UBI__UBIREC_LOST_MARKERS], 10 + UBI__UBIREC_LOST_MARKERS);
    assert_int_equal(file.n, other.n + UBI__UBIREC_INDEX_BYTES);
    assert_false(glance(&index, other.at, other.n));
    bytes_free(&file);
    bytes_free(&other);
}

static void it_is_found_in_files(void **state) {
    bytes file = make_file(true);
    char path[] = "/tmp/ubirec-index-XXXXXX";
    ubi__ubirec_index index, expected = index_by_reading(&file);
    ubi__source source;
    (void)state;
    FILE *f = fdopen(mkstemp(path), "wb");
    assert_int_equal(fwrite(file.at, 1, file.n, f), file.n);
    fclose(f);
    must(ubi__source_open_path(&source, path, ubi_allocator_default()));
    assert_true(ubi__ubirec_index_find(&index, &source));
    assert_same(&index, &expected);
    ubi__source_close(&source);
    remove(path);
    bytes_free(&file);
}

static void a_cut_file_has_none(void **state) {
    bytes file = make_file(true);
    ubi__ubirec_index index;
    (void)state;
    for (size_t n = 0; n < file.n; n++) {
        uint8_t *cut = malloc(n + 1); /* so that a sanitizer sees reads past its end */
        memcpy(cut, file.at, n);
        assert_false(glance(&index, cut, n));
        free(cut);
    }
    bytes_free(&file);
}

static void no_flipped_bit_of_it_goes_unnoticed(void **state) {
    bytes file = make_file(true);
    ubi__ubirec_index index;
    (void)state;
    for (size_t i = file.n - UBI__UBIREC_INDEX_BYTES; i < file.n; i++)
        for (unsigned bit = 0; bit < 8; bit++) {
            file.at[i] ^= (uint8_t)(1u << bit);
            assert_false(glance(&index, file.at, file.n));
            file.at[i] ^= (uint8_t)(1u << bit);
        }
    file.at[40] ^= 1; /* in the first block: about the whole */
    assert_false(glance(&index, file.at, file.n));
    bytes_free(&file);
}

/* With the numbers of a block changed and its sum right: @return whether it is an index. */
static bool reads_with(size_t number, uint64_t value) {
    ubi__ubirec_index index = { .n_blocks = 3 }, out;
    uint8_t block[UBI__UBIREC_INDEX_BYTES];
    ubi__ubirec_index_write(block, &index);
    for (unsigned i = 0; i < 8; i++)
        block[UBI__UBIREC_BLOCK_HEADER_BYTES + 8 * number + i] = (uint8_t)(value >> 8 * i);
    uLong crc = crc32(0, block, UBI__UBIREC_BLOCK_CRC_AT);
    crc = crc32(crc, block + UBI__UBIREC_BLOCK_HEADER_BYTES, sizeof block - UBI__UBIREC_BLOCK_HEADER_BYTES);
    for (unsigned i = 0; i < 4; i++)
        block[UBI__UBIREC_BLOCK_CRC_AT + i] = (uint8_t)(crc >> 8 * i);
    return ubi__ubirec_index_read(&out, block, sizeof block);
}

static void numbers_that_cannot_be_are_refused(void **state) {
    const size_t last = UBI__UBIREC_INDEX_NUMBERS;
    (void)state;
    assert_true(reads_with(0, last) && reads_with(1, UINT64_MAX));
    assert_false(reads_with(0, last + 1) || reads_with(0, 0) || reads_with(0, UINT64_MAX) || reads_with(0, last - 1));
    assert_false(reads_with(10, 2));                                /* exact, or not */
    assert_false(reads_with(11, UBI__UBIREC_END_REASON_COUNT + 1)); /* how it ended */
    assert_false(reads_with(12, UINT64_MAX));
    assert_false(reads_with(last + 1, 8) || reads_with(last + 1, UINT64_MAX) || reads_with(last + 2, 0));
}

static ubi_status glance_in_memory(void *payload, const ubi_allocator *allocator) {
    const bytes *file = payload;
    ubi__recording_summary s;
    ubi__ubirec_index index;
    ubi__source source;
    bool found;
    ubi__source_open_memory(&source, file->at, file->n, allocator);
    ubi_status status = ubi__recording_summary_glance(&s, &index, &found, &source, allocator);
    ubi__source_close(&source);
    if (status == UBI_OK && found)
        ubi__recording_summary_fini(&s);
    return status;
}

static void no_refused_memory_is_missed(void **state) {
    bytes file = make_file(true);
    (void)state;
    assert_true(fail_each_allocation(glance_in_memory, &file) >= 2);
    bytes_free(&file);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_says_what_reading_all_says),
        cmocka_unit_test(it_is_found_in_files),
        cmocka_unit_test(a_cut_file_has_none),
        cmocka_unit_test(no_flipped_bit_of_it_goes_unnoticed),
        cmocka_unit_test(numbers_that_cannot_be_are_refused),
        cmocka_unit_test(no_refused_memory_is_missed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
