/* SPDX-License-Identifier: MIT
 *
 * stream_thread_test.c: chunks made here and ahead on the helper thread, and all the ways the helper can end.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <errno.h>

#include "base/inflate.h"
#include "fail_allocator.h"
#include "packing.h"

/* ---- helpers ------------------------------------------------------------------------------------------------------ */

/* Reads all chunks as a reader would: writes into the room before each and looks at the padding after it. */
static ubi_status read_chunks(ubi__stream *s, bytes *out) {
    for (;;) {
        uint8_t *chunk = NULL;
        size_t n;
        UBI_TRY(ubi__stream_next(s, &chunk, &n));
        if (n == 0)
            return UBI_OK;
        assert_in_range(n, 1, UBI__STREAM_CHUNK_BYTES);
        memset(chunk - UBI__STREAM_HEADROOM, 0xa5, UBI__STREAM_HEADROOM);
        for (size_t i = 0; i < UBI__STREAM_PADDING; i++)
            assert_int_equal(chunk[n + i], 0);
        bytes_add(out, chunk, n);
        memset(chunk, 0x5a, n);   /* what was given is the reader's */
        ubi__stream_run_ahead(s); /* as after seeing the beginning */
    }
}

static void assert_stream_gives(const bytes *in, unsigned threads, bool exact, const bytes *plain) {
    ubi__source source;
    ubi__stream *s;
    bytes out = { NULL, 0, 0 };
    ubi__source_open_memory(&source, in->at, in->n, ubi_allocator_default());
    assert_int_equal(ubi__stream_new(&s, &source, threads, exact, ubi_allocator_default()), UBI_OK);
    assert_int_equal(ubi__stream_end_of(s), UBI__END_NOT_YET);
    assert_int_equal(read_chunks(s, &out), UBI_OK);
    assert_int_equal(out.n, plain->n);
    if (out.n)
        assert_memory_equal(out.at, plain->at, out.n);
    assert_int_equal(ubi__stream_end_of(s), UBI__END_CLEAN);
    assert_string_equal(ubi__stream_note(s), "");
    assert_int_equal(ubi__stream_input_bytes(s), in->n);
    uint8_t *chunk;
    size_t n = 1;
    assert_int_equal(ubi__stream_next(s, &chunk, &n), UBI_OK); /* the end stays the end */
    assert_int_equal(n, 0);
    ubi__stream_free(s);
    ubi__source_close(&source);
    bytes_free(&out);
}

static bytes packed(const bytes *data) {
    bytes in = { NULL, 0, 0 };
    bytes_add_gzip(&in, data, (packing){ 1, 0 });
    return in;
}

/* ---- sound input -------------------------------------------------------------------------------------------------- */

static void chunks_are_the_whole_data_with_and_without_a_helper(void **state) {
    (void)state;
    static const size_t sizes[] = { 0, 1, 100000, UBI__STREAM_CHUNK_BYTES, UBI__STREAM_CHUNK_BYTES * 3 + 7, 3u << 20 };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        bytes data = make_data(sizes[i], 1), in = packed(&data);
        for (unsigned threads = 0; threads < 3; threads++)
            for (int exact = 0; exact < 2; exact++)
                assert_stream_gives(&in, threads, exact, &data);
        bytes_free(&in);
        bytes_free(&data);
    }
}

static void uncompressed_input_comes_in_chunks_too(void **state) {
    (void)state;
    bytes data = make_data(1000000, 2);
    data.at[0] = 'u';
    for (unsigned threads = 1; threads < 3; threads++)
        assert_stream_gives(&data, threads, false, &data);
    bytes_free(&data);
}

static void hundreds_of_small_files_one_after_the_other(void **state) {
    (void)state;
    for (uint32_t i = 0; i < 400; i++) {
        bytes data = make_data(i * 37, i), in = packed(&data);
        assert_stream_gives(&in, 2, i % 2, &data);
        bytes_free(&in);
        bytes_free(&data);
    }
}

static void the_stream_knows_its_compression_and_engine_from_the_start(void **state) {
    (void)state;
    bytes data = make_data(1u << 20, 3), in = packed(&data);
    ubi__source source;
    for (int exact = 0; exact < 2; exact++)
        for (unsigned threads = 1; threads < 3; threads++) {
            ubi__stream *s;
            ubi__source_open_memory(&source, in.at, in.n, ubi_allocator_default());
            assert_int_equal(ubi__stream_new(&s, &source, threads, exact, ubi_allocator_default()), UBI_OK);
            assert_string_equal(ubi__stream_compression(s), "gzip");
            assert_int_equal(ubi__stream_is_exact(s), exact);
            ubi__stream_free(s);
            ubi__source_close(&source);
        }
    bytes_free(&in);
    bytes_free(&data);
}

/* ---- damage and failures ------------------------------------------------------------------------------------------- */

static void damage_is_known_once_the_end_was_seen(void **state) {
    (void)state;
    bytes data = make_data(1u << 20, 4), in = packed(&data);
    in.at[in.n - 6] ^= 1;
    for (unsigned threads = 1; threads < 3; threads++) {
        ubi__source source;
        ubi__stream *s;
        bytes out = { NULL, 0, 0 };
        ubi__source_open_memory(&source, in.at, in.n, ubi_allocator_default());
        assert_int_equal(ubi__stream_new(&s, &source, threads, true, ubi_allocator_default()), UBI_OK);
        uint8_t *chunk;
        size_t n;
        assert_int_equal(ubi__stream_next(s, &chunk, &n), UBI_OK);
        assert_true(n > 0);
        assert_int_equal(ubi__stream_end_of(s), UBI__END_NOT_YET);
        assert_string_equal(ubi__stream_note(s), "");
        assert_int_equal(read_chunks(s, &out), UBI_OK);
        assert_int_equal(out.n + n, data.n - UBI__INFLATE_BLOCK_BYTES);
        assert_int_equal(ubi__stream_end_of(s), UBI__END_DAMAGED);
        assert_non_null(strstr(ubi__stream_note(s), "wrong checksum"));
        ubi__stream_free(s);
        ubi__source_close(&source);
        bytes_free(&out);
    }
    bytes_free(&in);
    bytes_free(&data);
}

typedef struct brittle {
    const bytes *in;
    size_t at, fail_at;
} brittle;

static ptrdiff_t read_until_it_breaks(void *payload, void *buffer, size_t size) {
    brittle *b = payload;
    size_t n = b->in->n - b->at;
    n = n < 5000 ? n : 5000;
    n = n < size ? n : size;
    if (b->at >= b->fail_at) {
        errno = EHOSTDOWN;
        return -1;
    }
    memcpy(buffer, b->in->at + b->at, n);
    b->at += n;
    return (ptrdiff_t)n;
}

static void a_read_error_arrives_with_its_message_behind_the_chunks_before_it(void **state) {
    (void)state;
    bytes data = make_data(3u << 20, 5), in = packed(&data);
    for (unsigned threads = 1; threads < 3; threads++)
        for (size_t fail_at = 200000; fail_at < in.n; fail_at += 400000) {
            brittle b = { &in, 0, fail_at };
            ubi__source source;
            ubi__stream *s;
            bytes out = { NULL, 0, 0 };
            char expected[100];
            ubi__source_open_callback(&source, read_until_it_breaks, &b, ubi_allocator_default());
            assert_int_equal(ubi__stream_new(&s, &source, threads, false, ubi_allocator_default()), UBI_OK);
            ubi__fail_nomem();
            assert_int_equal(read_chunks(s, &out), UBI_EIO);
            snprintf(expected, sizeof expected, "cannot read at byte %zu: Host is down", b.at);
            assert_string_equal(ubi_error_message(), expected);
            assert_true(out.n <= data.n);
            assert_int_equal(ubi__stream_end_of(s), UBI__END_NOT_YET);
            if (out.n)
                assert_memory_equal(out.at, data.at, out.n);
            assert_true(out.n + 2 * UBI__STREAM_CHUNK_BYTES > fail_at); /* compressed is smaller than plain */
            ubi__stream_free(s);
            ubi__source_close(&source);
            bytes_free(&out);
        }
    bytes_free(&in);
    bytes_free(&data);
}

static void freeing_early_stops_the_helper_wherever_it_is(void **state) {
    (void)state;
    bytes data = make_data(3u << 20, 6), in = packed(&data);
    for (int n_chunks = 0; n_chunks < 8; n_chunks++)
        for (int round = 0; round < 5; round++) {
            ubi__source source;
            ubi__stream *s;
            uint8_t *chunk;
            size_t n;
            ubi__source_open_memory(&source, in.at, in.n, ubi_allocator_default());
            assert_int_equal(ubi__stream_new(&s, &source, 2, false, ubi_allocator_default()), UBI_OK);
            ubi__stream_run_ahead(s);
            for (int i = 0; i < n_chunks; i++)
                assert_int_equal(ubi__stream_next(s, &chunk, &n), UBI_OK);
            ubi__stream_free(s);
            ubi__source_close(&source);
        }
    ubi__stream_free(NULL);
    bytes_free(&in);
    bytes_free(&data);
}

static ubi_status read_with(const bytes *in, unsigned threads, bool exact, const ubi_allocator *a) {
    ubi__source source;
    ubi__stream *s = NULL;
    bytes out = { NULL, 0, 0 };
    ubi__source_open_memory(&source, in->at, in->n, a);
    ubi_status status = ubi__stream_new(&s, &source, threads, exact, a);
    if (status == UBI_OK)
        status = read_chunks(s, &out);
    ubi__stream_free(s);
    ubi__source_close(&source);
    bytes_free(&out);
    return status;
}

static void every_refused_allocation_is_out_of_memory_without_a_leak(void **state) {
    (void)state;
    bytes data = make_data(500000, 7), in = packed(&data);
    for (unsigned threads = 1; threads < 3; threads++)
        for (int exact = 0; exact < 2; exact++)
            for (uint64_t n_allowed = 0;; n_allowed++) {
                fail_allocator f;
                fail_allocator_init(&f, n_allowed);
                ubi_status status = read_with(&in, threads, exact, &f.allocator);
                fail_allocator_fini(&f);
                if (status == UBI_OK)
                    break;
                assert_int_equal(status, UBI_ENOMEM);
                assert_string_equal(ubi_error_message(), "out of memory");
                assert_in_range(n_allowed, 0, 20);
            }
    bytes_free(&in);
    bytes_free(&data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chunks_are_the_whole_data_with_and_without_a_helper),
        cmocka_unit_test(uncompressed_input_comes_in_chunks_too),
        cmocka_unit_test(hundreds_of_small_files_one_after_the_other),
        cmocka_unit_test(the_stream_knows_its_compression_and_engine_from_the_start),
        cmocka_unit_test(damage_is_known_once_the_end_was_seen),
        cmocka_unit_test(a_read_error_arrives_with_its_message_behind_the_chunks_before_it),
        cmocka_unit_test(freeing_early_stops_the_helper_wherever_it_is),
        cmocka_unit_test(every_refused_allocation_is_out_of_memory_without_a_leak),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
