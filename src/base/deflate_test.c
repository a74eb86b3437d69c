/* SPDX-License-Identifier: MIT
 *
 * deflate_test.c: what goes through the compressor comes out of zlib again.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <zlib.h>

#include "base/alloc.h"
#include "base/deflate.h"
#include "fail_allocator.h"

#define CAPACITY (4u << 20)

typedef struct target {
    uint8_t *bytes; /* bytes[CAPACITY] */
    size_t n;
    size_t refuse_after; /* bytes */
} target;

static ubi_status write_to_target(void *payload, const void *data, size_t n) {
    target *t = payload;
    if (t->n + n > t->refuse_after)
        return ubi__fail(UBI_EIO, "the disk is full");
    memcpy(t->bytes + t->n, data, n);
    t->n += n;
    return UBI_OK;
}

static int set_up(void **state) {
    target *t = calloc(1, sizeof *t);
    t->bytes = malloc(CAPACITY);
    t->refuse_after = CAPACITY;
    *state = t;
    return 0;
}

static int tear_down(void **state) {
    target *t = *state;
    free(t->bytes);
    free(t);
    return 0;
}

/** Neither constant nor random, so that literals and matches occur. */
static uint8_t *make_data(size_t n) {
    uint8_t *data = malloc(n + 1);
    uint32_t x = 1;
    for (size_t i = 0; i < n; i++) {
        x = x * 1664525 + 1013904223;
        data[i] = x >> 30 ? (uint8_t)(i >> 3) : (uint8_t)(x >> 16);
    }
    return data;
}

/** As one gzip member and nothing else. */
static void assert_inflates_to(const target *t, const uint8_t *data, size_t n) {
    uint8_t *out = malloc(n + 1);
    z_stream z = { .next_in = t->bytes, .avail_in = (uInt)t->n, .next_out = out, .avail_out = (uInt)n + 1 };
    assert_int_equal(inflateInit2(&z, 16 + MAX_WBITS), Z_OK);
    assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
    assert_int_equal(z.total_out, n);
    assert_int_equal(z.avail_in, 0);
    assert_memory_equal(out, data, n);
    inflateEnd(&z);
    free(out);
}

static ubi_status compress_in_pieces(target *t, int level, const uint8_t *data, size_t n, size_t piece,
                                     const ubi_allocator *allocator) {
    ubi__deflate *d;
    t->n = 0;
    UBI_TRY(ubi__deflate_new(&d, level, write_to_target, t, allocator));
    ubi_status status = UBI_OK;
    for (size_t at = 0; at < n && status == UBI_OK; at += piece)
        status = ubi__deflate_write(d, data + at, n - at < piece ? n - at : piece);
    if (status == UBI_OK)
        status = ubi__deflate_finish(d);
    ubi__deflate_free(d);
    return status;
}

static void every_level_gives_the_data_back_whatever_the_pieces(void **state) {
    target *t = *state;
    static const size_t pieces[] = { 1, 777, 65536, 1u << 20 };
    size_t n = 300001;
    uint8_t *data = make_data(n);
    for (int level = 0; level <= UBI__DEFLATE_LEVEL_SMALL; level++)
        for (size_t i = 0; i < 4; i++) {
            assert_int_equal(compress_in_pieces(t, level, data, n, pieces[i], NULL), UBI_OK);
            assert_inflates_to(t, data, n);
            assert_true(t->n < n);
        }
    free(data);
}

static void nothing_is_an_empty_member(void **state) {
    target *t = *state;
    assert_int_equal(compress_in_pieces(t, 1, NULL, 0, 1, NULL), UBI_OK);
    assert_inflates_to(t, (const uint8_t *)"", 0);
}

static void equal_input_gives_equal_bytes(void **state) {
    target *t = *state;
    uint8_t *data = make_data(100000), *first = malloc(CAPACITY);
    assert_int_equal(compress_in_pieces(t, 1, data, 100000, 4096, NULL), UBI_OK);
    size_t n = t->n;
    memcpy(first, t->bytes, n);
    assert_int_equal(compress_in_pieces(t, 1, data, 100000, 4096, NULL), UBI_OK);
    assert_int_equal(t->n, n);
    assert_memory_equal(t->bytes, first, n);
    free(first);
    free(data);
}

static void a_level_that_does_not_exist_is_refused(void **state) {
    ubi__deflate *d = NULL;
    assert_int_equal(ubi__deflate_new(&d, -1, write_to_target, *state, NULL), UBI_EINVAL);
    assert_int_equal(ubi__deflate_new(&d, UBI__DEFLATE_LEVEL_SMALL + 1, write_to_target, *state, NULL), UBI_EINVAL);
    assert_null(d);
}

static void a_refused_write_is_passed_up_at_every_place(void **state) {
    target *t = *state;
    size_t n = 300000;
    uint8_t *data = make_data(n);
    for (int level = UBI__DEFLATE_LEVEL_DEFAULT; level <= UBI__DEFLATE_LEVEL_SMALL; level++) {
        t->refuse_after = CAPACITY;
        assert_int_equal(compress_in_pieces(t, level, data, n, 10000, NULL), UBI_OK);
        for (size_t limit = 0, whole = t->n; limit < whole; limit += 50000) {
            t->refuse_after = limit;
            assert_int_equal(compress_in_pieces(t, level, data, n, 10000, NULL), UBI_EIO);
            assert_string_equal(ubi_error_message(), "the disk is full");
        }
    }
    free(data);
}

static void every_refused_allocation_is_out_of_memory_without_a_leak(void **state) {
    for (int level = 0; level <= UBI__DEFLATE_LEVEL_SMALL; level++)
        for (uint64_t n_allowed = 0;; n_allowed++) {
            fail_allocator f;
            fail_allocator_init(&f, n_allowed);
            ubi_status status = compress_in_pieces(*state, level, (const uint8_t *)"abc", 3, 3, &f.allocator);
            fail_allocator_fini(&f);
            if (status == UBI_OK)
                break;
            assert_int_equal(status, UBI_ENOMEM);
        }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(every_level_gives_the_data_back_whatever_the_pieces),
        TEST(nothing_is_an_empty_member),
        TEST(equal_input_gives_equal_bytes),
        TEST(a_level_that_does_not_exist_is_refused),
        TEST(a_refused_write_is_passed_up_at_every_place),
        TEST(every_refused_allocation_is_out_of_memory_without_a_leak),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
