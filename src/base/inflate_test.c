/* SPDX-License-Identifier: MIT
 *
 * inflate_test.c: both engines against data made by zlib, sound and damaged.
 *
 * For damaged data the expectation is computed by `firefox_reads`, which does what protobuf's GzipInputStream does with the
 * whole input in memory. The fast engine is only reached by input of more than 128 KiB, so everything small that it is to
 * see comes after a member of that size or before as many zeros.
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
#include <zlib.h>

#include "base/inflate.h"
#include "fail_allocator.h"
#include "packing.h"

#define BLOCK UBI__INFLATE_BLOCK_BYTES
#define WINDOW ((size_t)128 << 10)

/* ---- running an engine -------------------------------------------------------------------------------------------- */

/* Hands `in` out in pieces of at most `step` bytes; DRIP: byte by byte in 256 of each 4096 places and near the end. */
#define DRIP ((size_t)1)

typedef struct dripping {
    const bytes *in;
    size_t at, step;
    size_t fail_at; /* where reading fails, SIZE_MAX never */
} dripping;

static ptrdiff_t drip(void *payload, void *buffer, size_t size) {
    dripping *d = payload;
    size_t n = d->in->n - d->at, phase = d->at % 4096;
    size_t step = d->step == DRIP && phase >= 256 && n > 1000 ? 4096 - phase : d->step;
    n = n < step ? n : step;
    n = n < size ? n : size;
    if (d->at + n > d->fail_at) {
        d->fail_at = SIZE_MAX; /* once: code that ignores it gets no second chance */
        errno = EIO;
        return -1;
    }
    if (n)
        memcpy(buffer, d->in->at + d->at, n);
    d->at += n;
    return (ptrdiff_t)n;
}

typedef struct result {
    bytes out;
    ubi__stream_end end;
    char note[120];
    bool is_exact;
    uint64_t input_bytes;
} result;

#define EXACT true
#define FAST false

static result inflate_in_steps(const bytes *in, bool exact, size_t step) {
    static uint8_t buffer[3 * BLOCK];
    dripping d = { in, 0, step, SIZE_MAX };
    ubi__source source;
    ubi__inflater *f;
    result r = { .end = UBI__END_NOT_YET };
    ubi__source_open_callback(&source, drip, &d, ubi_allocator_default());
    assert_int_equal(ubi__inflater_new(&f, &source, exact, ubi_allocator_default()), UBI_OK);
    for (size_t n = 1; n > 0;) {
        assert_int_equal(ubi__inflater_fill(f, buffer, sizeof buffer, &n), UBI_OK);
        bytes_add(&r.out, buffer, n);
    }
    r.end = ubi__inflater_end(f);
    r.is_exact = ubi__inflater_is_exact(f);
    r.input_bytes = ubi__inflater_input_bytes(f);
    snprintf(r.note, sizeof r.note, "%s", ubi__inflater_note(f));
    ubi__inflater_free(f);
    ubi__source_close(&source);
    return r;
}

static const size_t steps[] = { SIZE_MAX, DRIP, 4095 };
#define N_STEPS (sizeof steps / sizeof *steps)

static void assert_same_bytes(const bytes *a, const bytes *b) {
    assert_int_equal(a->n, b->n);
    if (a->n)
        assert_memory_equal(a->at, b->at, a->n);
}

/* ---- the expectation ---------------------------------------------------------------------------------------------- */

/* GzipInputStream: blocks of 64 KiB, each by one inflate call; a member's end starts a new block and a new inflate. */
static ubi__stream_end firefox_reads(const bytes *in, bytes *out) {
    static uint8_t block[BLOCK];
    z_stream z = { .next_in = in->at, .avail_in = (uInt)in->n };
    assert_int_equal(inflateInit2(&z, 15 | 32), Z_OK);
    for (bool later = false;;) {
        z.next_out = block;
        z.avail_out = (uInt)BLOCK;
        int code = inflate(&z, Z_NO_FLUSH);
        size_t n = BLOCK - z.avail_out;
        bool header_error = later && z.total_out == 0 && z.msg && strstr(z.msg, "header check");
        bool method_error =
            later && z.total_out == 0 && z.msg && strstr(z.msg, "compression method") && z.total_in == 2;
        ubi__stream_end end = UBI__END_NOT_YET;
        if (code != Z_OK && code != Z_BUF_ERROR && code != Z_STREAM_END)
            end = header_error || method_error ? UBI__END_CLEAN : UBI__END_DAMAGED;
        else if (code != Z_STREAM_END && n == 0)
            end = later && z.total_in < 2 ? UBI__END_CLEAN : UBI__END_TRUNCATED;
        if (end == UBI__END_NOT_YET)
            bytes_add(out, block, n);
        if (code == Z_STREAM_END && z.avail_in == 0)
            end = UBI__END_CLEAN;
        else if (code == Z_STREAM_END && (later = true))
            assert_int_equal(inflateReset(&z), Z_OK);
        if (end != UBI__END_NOT_YET) {
            inflateEnd(&z);
            return end;
        }
    }
}

/* The exact engine gives what Firefox reads; the fast one says "clean" only if that is what Firefox reads. */
static void assert_as_firefox(const bytes *in, const size_t *some_steps, size_t n_steps) {
    bytes expected = { NULL, 0, 0 };
    ubi__stream_end end = firefox_reads(in, &expected);
    for (size_t i = 0; i < n_steps; i++) {
        result exact = inflate_in_steps(in, EXACT, some_steps[i]), fast = inflate_in_steps(in, FAST, some_steps[i]);
        assert_same_bytes(&exact.out, &expected);
        assert_int_equal(exact.end, end);
        assert_int_equal(exact.note[0] == '\0', end == UBI__END_CLEAN);
        assert_int_equal(fast.end == UBI__END_CLEAN, end == UBI__END_CLEAN);
        assert_int_equal(fast.note[0] == '\0', end == UBI__END_CLEAN);
        if (end == UBI__END_CLEAN || fast.is_exact)
            assert_same_bytes(&fast.out, &expected);
        bytes_free(&exact.out);
        bytes_free(&fast.out);
    }
    bytes_free(&expected);
}

static void assert_sound(const bytes *in, const bytes *plain, size_t n_garbage) {
    for (size_t i = 0; i < N_STEPS; i++)
        for (int exact = 0; exact < 2; exact++) {
            result r = inflate_in_steps(in, exact, steps[i]);
            assert_same_bytes(&r.out, plain);
            assert_int_equal(r.end, UBI__END_CLEAN);
            assert_string_equal(r.note, "");
            assert_int_equal(r.input_bytes, in->n - n_garbage);
            assert_int_equal(r.is_exact, exact || in->n < WINDOW);
            bytes_free(&r.out);
        }
}

/* ---- sound data --------------------------------------------------------------------------------------------------- */

static const packing packings[] = { { 0, Z_DEFAULT_STRATEGY }, { 6, Z_FIXED },        { 1, Z_DEFAULT_STRATEGY },
                                    { 9, Z_DEFAULT_STRATEGY }, { 6, Z_HUFFMAN_ONLY }, { 6, Z_RLE } };
#define N_PACKINGS (sizeof packings / sizeof *packings)

static void stored_fixed_and_dynamic_blocks_come_out_of_both_engines_in_both_wrappers(void **state) {
    (void)state;
    bytes data = make_data(300000, 1);
    for (size_t i = 0; i < N_PACKINGS; i++) {
        bytes gzip = { NULL, 0, 0 }, zlib = { NULL, 0, 0 };
        bytes_add_gzip(&gzip, &data, packings[i]);
        bytes_add_zlib(&zlib, &data, packings[i]);
        assert_true(gzip.n > WINDOW);
        assert_sound(&gzip, &data, 0);
        assert_sound(&zlib, &data, 0);
        bytes_free(&gzip);
        bytes_free(&zlib);
    }
    bytes_free(&data);
}

static void sizes_around_the_block_border_lose_nothing(void **state) {
    (void)state;
    static const size_t sizes[] = { 0, 1, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK, 3 * BLOCK, 4 * BLOCK - 1, 4 * BLOCK };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (size_t k = 0; k < 3; k++) {
            bytes data = make_data(sizes[i], 7), in = { NULL, 0, 0 };
            bytes_add_gzip(&in, &data, packings[k]);
            assert_sound(&in, &data, 0);
            bytes_free(&in);
            bytes_free(&data);
        }
}

static void members_of_both_wrappers_follow_each_other_as_one_stream(void **state) {
    (void)state;
    bytes in = { NULL, 0, 0 }, all = { NULL, 0, 0 };
    for (uint32_t i = 0; i < 40; i++) {
        bytes data = make_data(i % 5 == 4 ? 0 : i * 997, i);
        packing p = packings[i % N_PACKINGS];
        if (i % 3 == 2)
            bytes_add_zlib(&in, &data, p);
        else
            bytes_add_gzip(&in, &data, p);
        bytes_add(&all, data.at, data.n);
        bytes_free(&data);
    }
    assert_true(in.n > 2 * WINDOW);
    assert_sound(&in, &all, 0);
    assert_as_firefox(&in, steps, N_STEPS);
    bytes_free(&in);
    bytes_free(&all);
}

/* A first member that makes the input large, then a header with everything that `flags` announces. */
static void add_member_with_flags(bytes *in, bytes *all, uint8_t flags) {
    bytes data = make_data(500, flags);
    size_t start = in->n;
    bytes_add_gzip_header(in, flags);
    if (flags & 4) {
        bytes_add_u16(in, 10);
        bytes_add(in, "\0\x1f\x8b\0extra!", 10);
    }
    if (flags & 8)
        bytes_add(in, "a name.fxsnapshot", 18);
    if (flags & 16)
        bytes_add(in, "a comment", 10);
    if (flags & 2)
        bytes_add_u16(in, (uint32_t)crc32(0, in->at + start, (uInt)(in->n - start)));
    bytes_add_deflated(in, &data, PACKING_DEFAULT);
    bytes_add_gzip_trailer(in, &data);
    bytes_add(all, data.at, data.n);
    bytes_free(&data);
}

static void large_member(bytes *in, bytes *all) {
    bytes data = make_data(2 * WINDOW, 5);
    bytes_add_gzip(in, &data, packings[0]);
    bytes_add(all, data.at, data.n);
    bytes_free(&data);
}

static void every_sound_combination_of_header_flags_is_stepped_over(void **state) {
    (void)state;
    bytes in = { NULL, 0, 0 }, all = { NULL, 0, 0 };
    large_member(&in, &all);
    for (unsigned flags = 0; flags < 32; flags++)
        add_member_with_flags(&in, &all, (uint8_t)flags);
    assert_sound(&in, &all, 0);
    bytes_free(&in);
    bytes_free(&all);
}

static void what_follows_the_last_member_is_ignored(void **state) {
    (void)state;
    static const struct {
        const char *bytes;
        size_t n;
    } garbage[] = { { "\0", 1 },      { "\x1f", 1 },         { "\x78", 1 },
                    { "no gzip", 7 }, { "\x1f\x8c\x08", 3 }, { "\x79\x01", 2 } };
    for (size_t i = 0; i < sizeof garbage / sizeof *garbage; i++)
        for (int large = 0; large < 2; large++) {
            bytes data = make_data(BLOCK * 2, 3), in = { NULL, 0, 0 };
            bytes_add_gzip(&in, &data, packings[large ? 0 : 2]);
            bytes_add(&in, garbage[i].bytes, garbage[i].n);
            assert_int_equal(in.n > WINDOW, large);
            assert_sound(&in, &data, garbage[i].n);
            bytes_add_zeros(&in, WINDOW); /* padding, as tapes and block devices add */
            if (garbage[i].bytes[0] != '\x1f' && garbage[i].bytes[0] != '\x78')
                assert_sound(&in, &data, garbage[i].n + WINDOW);
            bytes_free(&in);
            bytes_free(&data);
        }
}

static void input_without_a_wrapper_passes_through_unchanged(void **state) {
    (void)state;
    static const size_t sizes[] = { 0, 1, 2, 1000, 3 * WINDOW };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (size_t k = 0; k < N_STEPS; k++) {
            bytes data = make_data(sizes[i], 2);
            if (data.n)
                data.at[0] = 'u';
            result r = inflate_in_steps(&data, FAST, steps[k]);
            assert_same_bytes(&r.out, &data);
            assert_int_equal(r.end, UBI__END_CLEAN);
            assert_true(r.is_exact);
            assert_int_equal(r.input_bytes, data.n);
            bytes_free(&r.out);
            bytes_free(&data);
        }
}

static const char *compression_of(const char *start) {
    ubi__source source;
    ubi__inflater *f;
    ubi__source_open_memory(&source, start, 2, ubi_allocator_default());
    assert_int_equal(ubi__inflater_new(&f, &source, true, ubi_allocator_default()), UBI_OK);
    const char *name = ubi__inflater_compression(f);
    ubi__inflater_free(f);
    ubi__source_close(&source);
    return name;
}

static void the_first_two_bytes_decide_the_wrapper(void **state) {
    (void)state;
    assert_string_equal(compression_of("\x1f\x8b"), "gzip");
    assert_string_equal(compression_of("\x78\x9c"), "zlib");
    assert_string_equal(compression_of("\x08\x1d"), "zlib");
    assert_string_equal(compression_of("\x78\x9d"), "none");
    assert_string_equal(compression_of("\x79\x9b"), "none");
    assert_string_equal(compression_of("\x1f\x8a"), "none");
}

/* ---- damaged data ------------------------------------------------------------------------------------------------- */

static void a_cut_anywhere_leaves_what_firefox_reads(void **state) {
    (void)state;
    bytes in = { NULL, 0, 0 }, all = { NULL, 0, 0 };
    large_member(&in, &all);
    size_t first = in.n;
    add_member_with_flags(&in, &all, 31);
    for (size_t n = 0; n < in.n; n += n < 40 || n > first - 12 ? 1 : 9001) {
        bytes cut = { in.at, n, 0 };
        bytes copy = { NULL, 0, 0 };
        bytes_add(&copy, cut.at, cut.n); /* so that reading past the cut is detected */
        if (n >= 2)
            assert_as_firefox(&copy, steps + (n & 1), 1);
        bytes_free(&copy);
    }
    bytes_free(&in);
    bytes_free(&all);
}

static void one_flipped_bit_leaves_what_firefox_reads(void **state) {
    (void)state;
    for (size_t k = 0; k < 4; k++) {
        bytes data = make_data(4 * BLOCK, 9), in = { NULL, 0, 0 };
        if (k % 2)
            bytes_add_zlib(&in, &data, packings[k]);
        else
            bytes_add_gzip(&in, &data, packings[k]);
        for (size_t i = 0; i < 30; i++) {
            size_t bit = i < 10 ? in.n * 8 - 1 - i * 8 : i < 20 ? 16 + i * 7 : i * 7919 * 131 % (in.n * 8);
            in.at[bit / 8] ^= (uint8_t)(1 << bit % 8);
            if (!(in.at[0] == 0x78 && (in.at[1] & 0x20))) /* a dictionary: Firefox stops, zlib just asks for it */
                assert_as_firefox(&in, steps + i % N_STEPS, 1);
            in.at[bit / 8] ^= (uint8_t)(1 << bit % 8);
        }
        bytes_free(&in);
        bytes_free(&data);
    }
}

/* The heart of the 64 KiB rule: the last block is lost with the checksum that it ends in, even when it is full. */
static void a_wrong_checksum_costs_the_last_block_also_when_it_is_full(void **state) {
    (void)state;
    static const size_t sizes[] = { 1, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK - 1, 4 * BLOCK };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (size_t k = 0; k < 3; k++) {
            bytes data = make_data(sizes[i], 4), in = { NULL, 0, 0 };
            bytes_add_gzip(&in, &data, packings[k]);
            for (size_t from_end = 1; from_end <= 8; from_end += 3) { /* length, then CRC */
                in.at[in.n - from_end] ^= 0x10;
                for (size_t s = 0; s < 2; s++) {
                    result r = inflate_in_steps(&in, EXACT, steps[s]);
                    assert_int_equal(r.out.n, (sizes[i] - 1) / BLOCK * BLOCK);
                    assert_int_equal(r.end, UBI__END_DAMAGED);
                    assert_non_null(strstr(r.note, from_end <= 4 ? "wrong length" : "wrong checksum"));
                    bytes_free(&r.out);
                }
                assert_as_firefox(&in, steps + 2, 1);
                in.at[in.n - from_end] ^= 0x10;
            }
            bytes_free(&in);
            bytes_free(&data);
        }
}

static void a_missing_trailer_costs_nothing_but_is_no_clean_end(void **state) {
    (void)state;
    static const size_t sizes[] = { 1000, BLOCK, 4 * BLOCK };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        bytes data = make_data(sizes[i], 4), in = { NULL, 0, 0 };
        bytes_add_gzip(&in, &data, packings[1]);
        for (size_t n = 1; n <= 8; n++) {
            in.n--;
            for (int exact = 0; exact < 2; exact++) {
                result r = inflate_in_steps(&in, exact, steps[n % N_STEPS]);
                assert_same_bytes(&r.out, &data);
                assert_int_equal(r.end, UBI__END_TRUNCATED);
                assert_non_null(strstr(r.note, "too early"));
                bytes_free(&r.out);
            }
        }
        bytes_free(&in);
        bytes_free(&data);
    }
}

/* Headers that zlib refuses, in front of data with the right checksums: after a large member, so that the fast engine
 * sees them too. */
static void a_header_that_zlib_refuses_is_damage_for_both_engines(void **state) {
    (void)state;
    enum { GZIP_FLAGS = 3, N_FLAGS = 8, N_CASES = N_FLAGS + 12 };
    for (int i = 0; i < N_CASES; i++) {
        bytes in = { NULL, 0, 0 }, all = { NULL, 0, 0 }, data = make_data(3000, 1);
        large_member(&in, &all);
        size_t start = in.n;
        if (i < 3) { /* a reserved flag */
            bytes_add_gzip(&in, &data, PACKING_DEFAULT);
            in.at[start + GZIP_FLAGS] = (uint8_t)(0x20 << i);
        } else if (i == 3) { /* an unknown method */
            bytes_add_gzip(&in, &data, PACKING_DEFAULT);
            in.at[start + 2] = 7;
        } else if (i < N_FLAGS) { /* a wrong checksum of the header */
            add_member_with_flags(&in, &all, (uint8_t)(i == 4 ? 2 : 31));
            in.at[start + (i == 4 ? 11 : 4)] ^= 1;
        } else { /* zlib: windows above 32 KiB, and dictionaries */
            unsigned window = i < N_FLAGS + 8 ? (unsigned)(i - N_FLAGS + 8) : (unsigned)(i - N_FLAGS - 4);
            bytes_add_zlib(&in, &data, PACKING_DEFAULT);
            in.at[start] = (uint8_t)(window << 4 | 8);
            in.at[start + 1] = i < N_FLAGS + 8 ? 0 : 0x20;
            while ((in.at[start] * 256 + in.at[start + 1]) % 31)
                in.at[start + 1]++;
        }
        for (size_t s = 0; s < N_STEPS; s++)
            for (int exact = 0; exact < 2; exact++) {
                result r = inflate_in_steps(&in, exact, steps[s]);
                assert_int_equal(r.is_exact, exact);
                assert_int_equal(r.end, UBI__END_DAMAGED);
                assert_int_equal(r.out.n, 2 * WINDOW); /* the first member, nothing of the second */
                bytes_free(&r.out);
            }
        bytes_free(&in);
        bytes_free(&all);
        bytes_free(&data);
    }
}

/* Writes bits as deflate has them: numbers from their lowest bit on, Huffman codes from their highest. */
typedef struct bit_writer {
    bytes out;
    unsigned n;
} bit_writer;

static void put_bits(bit_writer *w, uint32_t value, unsigned n) {
    for (unsigned i = 0; i < n; i++, w->n++) {
        if (w->n % 8 == 0)
            bytes_add(&w->out, "", 1);
        w->out.at[w->out.n - 1] |= (uint8_t)((value >> i & 1) << w->n % 8);
    }
}

/* The text "aaa" in a dynamic block whose literals are 'a' and the end with code lengths of `a_bits` and `end_bits`. */
static bytes small_block(unsigned a_bits, unsigned end_bits) {
    bit_writer w = { { NULL, 0, 0 }, 0 };
    put_bits(&w, 1, 1);
    put_bits(&w, 2, 2);
    put_bits(&w, 0, 5);  /* 257 literal codes */
    put_bits(&w, 0, 5);  /* 1 distance code */
    put_bits(&w, 14, 4); /* 18 code lengths: 16 17 18 0 8 7 9 6 10 5 11 4 12 3 13 2 14 1 */
    for (unsigned i = 0; i < 18; i++)
        put_bits(&w, i == 2 || i == 3 || i == 15 || i == 17 ? 2 : 0, 3); /* two bits each for 18, 0, 2, 1 */
    /* codes in order of symbol: 0 -> 00, 1 -> 01, 2 -> 10, 18 -> 11, written from the highest bit */
    put_bits(&w, 3, 2);
    put_bits(&w, 97 - 11, 7); /* 97 times 0 */
    put_bits(&w, a_bits == 1 ? 2 : 1, 2);
    put_bits(&w, 3, 2);
    put_bits(&w, 138 - 11, 7);
    put_bits(&w, 3, 2);
    put_bits(&w, 20 - 11, 7); /* up to 255 */
    put_bits(&w, end_bits == 1 ? 2 : 1, 2);
    put_bits(&w, 0, 2); /* no distance */
    for (int i = 0; i < 3; i++)
        put_bits(&w, 0, a_bits);
    put_bits(&w, 1u << (end_bits - 1), end_bits); /* ...01, highest bit first */
    return w.out;
}

static void an_incomplete_huffman_code_is_damage_in_short_input_whatever_engine_was_asked_for(void **state) {
    (void)state;
    bytes text = { NULL, 0, 0 };
    bytes_add(&text, "aaa", 3);
    for (unsigned incomplete = 0; incomplete < 2; incomplete++) {
        bytes in = { NULL, 0, 0 }, block = small_block(1 + incomplete, 1 + incomplete);
        /* complete: 'a' is 0, the end 1; incomplete: 00 and 01, so that 10 and 11 mean nothing */
        bytes_add_gzip_header(&in, 0);
        bytes_add(&in, block.at, block.n);
        bytes_add_gzip_trailer(&in, &text);
        for (int exact = 0; exact < 2; exact++) {
            result r = inflate_in_steps(&in, exact, SIZE_MAX);
            assert_int_equal(r.end, incomplete ? UBI__END_DAMAGED : UBI__END_CLEAN);
            assert_int_equal(r.out.n, incomplete ? 0 : 3);
            bytes_free(&r.out);
        }
        bytes_free(&in);
        bytes_free(&block);
    }
    bytes_free(&text);
}

/* ---- failures of others -------------------------------------------------------------------------------------------- */

static void a_failing_source_is_passed_up_wherever_it_fails(void **state) {
    (void)state;
    static uint8_t buffer[BLOCK];
    bytes in = { NULL, 0, 0 }, all = { NULL, 0, 0 };
    large_member(&in, &all);
    size_t first = in.n;
    add_member_with_flags(&in, &all, 31);
    for (size_t at = 0; at < in.n; at += at < 20 || at > first - 20 ? 5 : 30011)
        for (int exact = 0; exact < 2; exact++) {
            dripping d = { &in, 0, 5, at };
            ubi__source source;
            ubi__inflater *f = NULL;
            ubi__source_open_callback(&source, drip, &d, ubi_allocator_default());
            ubi_status status = ubi__inflater_new(&f, &source, exact, ubi_allocator_default());
            for (size_t n = 1; status == UBI_OK && n > 0;)
                status = ubi__inflater_fill(f, buffer, sizeof buffer, &n);
            assert_int_equal(status, UBI_EIO);
            assert_non_null(strstr(ubi_error_message(), "cannot read at byte "));
            ubi__inflater_free(f);
            ubi__source_close(&source);
        }
    bytes_free(&in);
    bytes_free(&all);
}

static ubi_status inflate_with(const bytes *in, bool exact, const ubi_allocator *a) {
    static uint8_t buffer[BLOCK];
    ubi__source source;
    ubi__inflater *f = NULL;
    ubi__source_open_memory(&source, in->at, in->n, a);
    ubi_status status = ubi__inflater_new(&f, &source, exact, a);
    for (size_t n = 1; status == UBI_OK && n > 0;)
        status = ubi__inflater_fill(f, buffer, sizeof buffer, &n);
    if (status == UBI_OK)
        assert_int_equal(ubi__inflater_end(f), UBI__END_CLEAN);
    ubi__inflater_free(f);
    ubi__source_close(&source);
    return status;
}

static void every_refused_allocation_is_out_of_memory_without_a_leak(void **state) {
    (void)state;
    bytes in = { NULL, 0, 0 }, all = { NULL, 0, 0 };
    large_member(&in, &all);
    for (int exact = 0; exact < 2; exact++)
        for (uint64_t n_allowed = 0;; n_allowed++) {
            fail_allocator f;
            fail_allocator_init(&f, n_allowed);
            ubi_status status = inflate_with(&in, exact, &f.allocator);
            fail_allocator_fini(&f);
            if (status == UBI_OK)
                break;
            assert_int_equal(status, UBI_ENOMEM);
            assert_in_range(n_allowed, 0, 10);
        }
    bytes_free(&in);
    bytes_free(&all);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stored_fixed_and_dynamic_blocks_come_out_of_both_engines_in_both_wrappers),
        cmocka_unit_test(sizes_around_the_block_border_lose_nothing),
        cmocka_unit_test(members_of_both_wrappers_follow_each_other_as_one_stream),
        cmocka_unit_test(every_sound_combination_of_header_flags_is_stepped_over),
        cmocka_unit_test(what_follows_the_last_member_is_ignored),
        cmocka_unit_test(input_without_a_wrapper_passes_through_unchanged),
        cmocka_unit_test(the_first_two_bytes_decide_the_wrapper),
        cmocka_unit_test(a_cut_anywhere_leaves_what_firefox_reads),
        cmocka_unit_test(one_flipped_bit_leaves_what_firefox_reads),
        cmocka_unit_test(a_wrong_checksum_costs_the_last_block_also_when_it_is_full),
        cmocka_unit_test(a_missing_trailer_costs_nothing_but_is_no_clean_end),
        cmocka_unit_test(a_header_that_zlib_refuses_is_damage_for_both_engines),
        cmocka_unit_test(an_incomplete_huffman_code_is_damage_in_short_input_whatever_engine_was_asked_for),
        cmocka_unit_test(a_failing_source_is_passed_up_wherever_it_fails),
        cmocka_unit_test(every_refused_allocation_is_out_of_memory_without_a_leak),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
