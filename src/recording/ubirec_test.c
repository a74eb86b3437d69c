/* SPDX-License-Identifier: MIT
 *
 * ubirec_test.c: recording files: what goes in comes out; and what is cut, damaged, hostile, or too much for memory or disk.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "fail_allocator.h"
#include "packing.h"
#include "random_numbers.h"
#include "ubirec_lines.h"

static ubi_status keep(void *payload, const void *data, size_t n) {
    bytes_add(payload, data, n);
    return UBI_OK;
}

/* Lines, and the stream that they are written to. */
typedef struct page {
    char *at;
    size_t n;
    FILE *out;
} page;

static void page_open(page *p) {
    p->out = open_memstream(&p->at, &p->n);
    assert_non_null(p->out);
}

static void page_close(page *p) {
    fclose(p->out);
}

static void make(bytes *file, page *expected, uint64_t seed, unsigned n_steps) {
    page_open(expected);
    assert_int_equal(random_ubirec(seed, n_steps, keep, file, expected->out, NULL), UBI_OK);
    page_close(expected);
}

static ubi_status read_lines(page *p, const uint8_t *data, size_t n) {
    ubi__source source;
    ubi__source_open_memory(&source, data, n, ubi_allocator_default());
    page_open(p);
    ubi_status status = ubirec_lines(p->out, &source, NULL);
    page_close(p);
    ubi__source_close(&source);
    return status;
}

static void what_goes_in_comes_out(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 100; seed++) {
        bytes file = { 0 };
        page expected, got;
        make(&file, &expected, seed, 1500);
        assert_int_equal(read_lines(&got, file.at, file.n), UBI_OK);
        assert_string_equal(got.at, expected.at);
        free(got.at);
        free(expected.at);
        bytes_free(&file);
    }
}

/* Many blocks, full ones among them. */
static void long_recordings_come_out_as_well(void **state) {
    bytes file = { 0 };
    page expected, got;
    (void)state;
    make(&file, &expected, 77, 400000);
    assert_int_equal(read_lines(&got, file.at, file.n), UBI_OK);
    assert_true(got.n > 1 << 20);
    assert_int_equal(got.n, expected.n);
    assert_memory_equal(got.at, expected.at, got.n);
    free(got.at);
    free(expected.at);
    bytes_free(&file);
}

/* ---- cut and damaged ---------------------------------------------------------------------------------------------- */

/* Whether all lines but the one about the torn block are those at the beginning of `whole`. */
static bool is_beginning(const page *part, const page *whole) {
    const char *torn = strstr(part->at, "torn ");
    size_t n = torn ? (size_t)(torn - part->at) : part->n;
    return n <= whole->n && memcmp(part->at, whole->at, n) == 0;
}

static void a_cut_file_gives_its_whole_blocks(void **state) {
    bytes file = { 0 };
    page whole;
    (void)state;
    make(&file, &whole, 3, 400);
    size_t most = 0;
    for (size_t n = 0; n < file.n; n++) {
        page part;
        ubi_status status = read_lines(&part, file.at, n);
        assert_int_equal(status, n < UBI__UBIREC_HEADER_BYTES ? UBI_EFORMAT : UBI_OK);
        assert_true(is_beginning(&part, &whole));
        assert_true(n < UBI__UBIREC_HEADER_BYTES || part.n + 20 >= most); /* what was there stays */
        most = part.n > most ? part.n : most;
        free(part.at);
    }
    assert_true(most > whole.n / 2);
    free(whole.at);
    bytes_free(&file);
}

static void no_flipped_bit_goes_unnoticed(void **state) {
    bytes file = { 0 };
    page whole;
    size_t n_tried = 0, n_torn = 0, n_refused = 0;
    (void)state;
    make(&file, &whole, 4, 300);
    for (size_t bit = 0; bit < 8 * file.n; bit += random_bit_step(), n_tried++) {
        page part;
        file.at[bit / 8] ^= (uint8_t)(1 << bit % 8);
        ubi_status status = read_lines(&part, file.at, file.n);
        file.at[bit / 8] ^= (uint8_t)(1 << bit % 8);
        n_refused += status == UBI_EFORMAT;
        n_torn += status == UBI_OK && strstr(part.at, "torn ");
        assert_true(is_beginning(&part, &whole));
        free(part.at);
    }
    assert_int_equal(n_refused + n_torn, n_tried);
    free(whole.at);
    bytes_free(&file);
}

typedef struct feeder {
    const uint8_t *at;
    size_t left;
} feeder;

/* Pieces of 1 to 8 bytes. */
static ptrdiff_t feed(void *payload, void *buffer, size_t size) {
    feeder *f = payload;
    size_t n = 1 + random_below(8);
    n = n < f->left ? n : f->left;
    n = n < size ? n : size;
    if (n)
        memcpy(buffer, f->at, n);
    f->at += n;
    f->left -= n;
    return (ptrdiff_t)n;
}

static void it_does_not_matter_how_bytes_arrive(void **state) {
    bytes file = { 0 };
    page whole, got;
    ubi__source source;
    (void)state;
    make(&file, &whole, 5, 3000);
    feeder f = { file.at, file.n };
    ubi__source_open_callback(&source, feed, &f, ubi_allocator_default());
    page_open(&got);
    assert_int_equal(ubirec_lines(got.out, &source, NULL), UBI_OK);
    page_close(&got);
    assert_string_equal(got.at, whole.at);
    ubi__source_close(&source);
    free(got.at);
    free(whole.at);
    bytes_free(&file);
}

/* A file of which `end` bytes are there so far. */
typedef struct growing {
    const bytes *file;
    size_t at, end;
} growing;

static ptrdiff_t growing_read(void *payload, void *buffer, size_t size_bytes) {
    growing *g = payload;
    size_t n = g->end - g->at < size_bytes ? g->end - g->at : size_bytes;
    memcpy(buffer, g->file->at + g->at, n);
    g->at += n;
    return (ptrdiff_t)n;
}

static size_t records_count(ubi__ubirec_reader *r) {
    const ubi__ubirec_record *record;
    size_t n = 0;
    for (;; n++) {
        assert_int_equal(ubi__ubirec_next(r, &record), UBI_OK);
        if (!record)
            return n;
    }
}

static void a_file_that_grows_is_read_on(void **state) {
    bytes file = { 0 };
    page whole;
    ubi__source source;
    ubi__ubirec_reader *r;
    (void)state;
    make(&file, &whole, 5, 3000);
    growing g = { &file, 0, file.n }, part = { &file, 0, UBI__UBIREC_HEADER_BYTES };
    ubi__source_open_callback(&source, growing_read, &g, ubi_allocator_default());
    assert_int_equal(ubi__ubirec_reader_new(&r, &source, NULL), UBI_OK);
    size_t n_whole = records_count(r), n = 0, n_steps = 0;
    uint64_t n_allocations = ubi__ubirec_allocations_read(r);
    ubi__ubirec_reader_free(r);
    ubi__source_close(&source);
    ubi__source_open_callback(&source, growing_read, &part, ubi_allocator_default());
    assert_int_equal(ubi__ubirec_reader_new(&r, &source, NULL), UBI_OK);
    for (; part.end < file.n; n_steps++) { /* by a block at a time */
        uint32_t n_stored;
        memcpy(&n_stored, file.at + part.end + 4, sizeof n_stored);
        part.end += UBI__UBIREC_BLOCK_HEADER_BYTES + n_stored;
        ubi__ubirec_reader_resume(r);
        n += records_count(r);
        assert_int_equal(ubi__ubirec_torn_bytes(r), 0);
    }
    assert_int_equal(n, n_whole);
    assert_true(n_steps > 3);
    assert_int_equal(ubi__ubirec_allocations_read(r), n_allocations);
    ubi__ubirec_reader_free(r);
    ubi__source_close(&source);
    free(whole.at);
    bytes_free(&file);
}

/* ---- hostile ------------------------------------------------------------------------------------------------------ */

static void put_u32(uint8_t *at, size_t value) {
    for (unsigned i = 0; i < 4; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

typedef struct header {
    uint8_t type, flags;
    size_t n_stored, n_raw;
} header;

/* A block with this header, whose sum is right. */
static void add_block(bytes *file, header h, const uint8_t *payload, size_t n) {
    uint8_t block[UBI__UBIREC_BLOCK_HEADER_BYTES] = { h.type, h.flags };
    put_u32(block + 4, h.n_stored);
    put_u32(block + 8, h.n_raw);
    uLong crc = crc32(0, block, UBI__UBIREC_BLOCK_CRC_AT);
    put_u32(block + UBI__UBIREC_BLOCK_CRC_AT, crc32(crc, payload, (uInt)n));
    bytes_add(file, block, sizeof block);
    bytes_add(file, payload, n);
}

static void add_header(bytes *file) {
    uint8_t head[UBI__UBIREC_HEADER_BYTES] = { 0 };
    memcpy(head, UBI__UBIREC_MAGIC, UBI__UBIREC_MAGIC_BYTES);
    head[UBI__UBIREC_MAGIC_BYTES] = UBI__UBIREC_VERSION;
    bytes_add(file, head, sizeof head);
}

static void assert_refused(const bytes *file, const char *message) {
    page p;
    assert_int_equal(read_lines(&p, file->at, file->n), UBI_EFORMAT);
    if (!strstr(ubi_error_message(), message))
        fail_msg("expected \"%s\", got \"%s\"", message, ubi_error_message());
    free(p.at);
}

static void blocks_that_cannot_be_are_refused(void **state) {
    static const struct {
        header header;
        const char *message;
    } cases[] = {
        { { 1, 0, 0, 4 }, "block at byte 16: expected a stored size" },
        { { 1, 0, 262145, 4 }, "expected a stored size of 1 to 262144 bytes" },
        { { 1, 0, UINT32_MAX, 4 }, "expected a stored size" },
        { { 1, 0, 4, 0 }, "expected 1 to 262144 bytes of records" },
        { { 1, 1, 4, UINT32_MAX }, "expected 1 to 262144 bytes of records" },
        { { 2, 0, 4, 4 }, "expected a type and flags" },
        { { 1, 2, 4, 4 }, "expected a type and flags" },
        { { 1, 0, 4, 5 }, "expected as many bytes stored" },
        { { 1, 1, 4, 5 }, "expected a gzip member" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bytes file = { 0 };
        add_header(&file);
        add_block(&file, cases[i].header, (const uint8_t *)"abcd", 4);
        assert_refused(&file, cases[i].message);
        bytes_free(&file);
    }
}

static void a_block_has_the_size_that_it_says(void **state) {
    (void)state;
    for (size_t n_raw = 99; n_raw <= 101; n_raw += 2) {
        bytes file = { 0 }, member = { 0 }, data = make_data(100, 1);
        bytes_add_gzip(&member, &data, PACKING_DEFAULT);
        add_header(&file);
        add_block(&file, (header){ 1, 1, member.n, n_raw }, member.at, member.n);
        assert_refused(&file, "expected a gzip member of the size that its header says");
        bytes_free(&file);
        bytes_free(&member);
        bytes_free(&data);
    }
}

static void blocks_of_later_versions_are_passed_over(void **state) {
    bytes file = { 0 }, rest = { 0 };
    page expected, got;
    (void)state;
    make(&rest, &expected, 6, 100);
    add_header(&file);
    add_block(&file, (header){ 200, 9, 4, 4 }, (const uint8_t *)"abcd", 4);
    bytes_add(&file, rest.at + UBI__UBIREC_HEADER_BYTES, rest.n - UBI__UBIREC_HEADER_BYTES);
    assert_int_equal(read_lines(&got, file.at, file.n), UBI_OK);
    assert_string_equal(got.at, expected.at);
    free(expected.at);
    free(got.at);
    bytes_free(&file);
    bytes_free(&rest);
}

#define OTHER(type) ((type) << UBI__UBIREC_OP_BITS | UBI__UBIREC_OP_OTHER)
/* About the whole, and one each of string (empty), thread, kind, frame and info. */
#define BEGINNING                                                                                                      \
    OTHER(UBI__UBIREC_ABOUT), 10, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, OTHER(UBI__UBIREC_STRING), 1, 0,                       \
        OTHER(UBI__UBIREC_THREAD), 2, 5, 0, OTHER(UBI__UBIREC_KIND), 2, 0, 0, OTHER(UBI__UBIREC_RAW_FRAME), 1, 9,      \
        OTHER(UBI__UBIREC_INFO), 3, 0, 8, 0
#define BEGINNING_BYTES (sizeof((const uint8_t[]){ BEGINNING }))

typedef struct records {
    uint8_t at[40];
    size_t n;
    const char *message; /* NULL: they are fine */
} records;

#define RECORDS(message, ...)                                                                                          \
    { { __VA_ARGS__ }, sizeof((const uint8_t[]){ __VA_ARGS__ }), message }

static const records behind_a_beginning[] = {
    RECORDS(NULL, 0, 1), /* an allocation, freed */
    RECORDS("the number of an earlier info", 4),
    RECORDS("an allocation that was made before", 1),
    RECORDS("an allocation that was made before", 0, 5),
    RECORDS(NULL, 4 | UBI__UBIREC_OP_TRACE, 0),
    RECORDS("an earlier trace as the caller", UBI__UBIREC_OP_TRACE, 0),
    RECORDS("an earlier trace as the caller", 8 | UBI__UBIREC_OP_TRACE, 0),
    RECORDS("the number of an earlier frame", 4 | UBI__UBIREC_OP_TRACE, 1),
    RECORDS("a number of at most 64 bits", 0x80),
    RECORDS("a number of at most 64 bits", 255, 255, 255, 255, 255, 255, 255, 255, 255, 2),
    RECORDS("a record within its block", OTHER(UBI__UBIREC_STRING), 9, 0),
    RECORDS("a record within its block", OTHER(UBI__UBIREC_STRING), 255, 255, 255, 255, 255, 255, 255, 255, 255, 1),
    RECORDS("a text of at most 65536 bytes", OTHER(UBI__UBIREC_STRING), 1, 1),
    RECORDS("a text of at most 65536 bytes", OTHER(UBI__UBIREC_STRING), 9, 255, 255, 255, 255, 255, 255, 255, 255, 127),
    RECORDS("only one record about the whole", OTHER(UBI__UBIREC_ABOUT), 10, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0),
    RECORDS("the number of an earlier string", OTHER(UBI__UBIREC_MODULE), 5, 1, 0, 0, 0, 0),
    RECORDS("a number of at most 64 bits", OTHER(UBI__UBIREC_MODULE), 4, 0, 0, 0, 0),
    RECORDS("the number of an earlier module", OTHER(UBI__UBIREC_NATIVE_FRAME), 2, 0, 0),
    RECORDS("the number of an earlier string", OTHER(UBI__UBIREC_SCRIPT_FRAME), 4, 0, 1, 0, 0),
    RECORDS("a number of at most 32 bits", OTHER(UBI__UBIREC_SCRIPT_FRAME), 8, 0, 0, 128, 128, 128, 128, 16, 0),
    RECORDS("the number of an earlier string", OTHER(UBI__UBIREC_LABEL_FRAME), 1, 1),
    RECORDS("the number of an earlier string", OTHER(UBI__UBIREC_KIND), 2, 1, 0),
    RECORDS("a class of allocations", OTHER(UBI__UBIREC_KIND), 2, 0, 3),
    RECORDS("the number of an earlier kind", OTHER(UBI__UBIREC_INFO), 3, 1, 0, 0),
    RECORDS("an earlier trace", OTHER(UBI__UBIREC_INFO), 3, 0, 0, 1),
    RECORDS("a size of at most 2^56 bytes", OTHER(UBI__UBIREC_INFO), 11, 0, 129, 128, 128, 128, 128, 128, 128, 128, 1,
            0),
    RECORDS("a weight of at most 2^56", OTHER(UBI__UBIREC_INFO), 12, 0, 0, 0, 129, 128, 128, 128, 128, 128, 128, 128,
            1),
    RECORDS("the number of an earlier thread", OTHER(UBI__UBIREC_THREAD_NAME), 2, 1, 0),
    RECORDS("the number of an earlier thread", OTHER(UBI__UBIREC_SWITCH), 1, 1),
    RECORDS(NULL, OTHER(UBI__UBIREC_TIME), 1, 9, OTHER(UBI__UBIREC_TIME), 1, 0),
    RECORDS("a time that is not before the last one", OTHER(UBI__UBIREC_TIME), 1, 9, OTHER(UBI__UBIREC_TIME), 10, 255,
            255, 255, 255, 255, 255, 255, 255, 255, 1),
    RECORDS("an allocation that was made before", OTHER(UBI__UBIREC_FREE_UNDONE), 2, 0, 0),
    RECORDS("the number of an earlier info", 0, 1, OTHER(UBI__UBIREC_FREE_UNDONE), 2, 0, 1),
    RECORDS("a period of at least one byte", OTHER(UBI__UBIREC_PERIOD), 1, 0),
    RECORDS("a type of marker", OTHER(UBI__UBIREC_MARKER), 8, 0, 0, 4, 0, 0, 0, 0, 0),
    RECORDS("0 or 1", OTHER(UBI__UBIREC_MARKER), 8, 0, 0, 0, 0, 2, 0, 0, 0),
    RECORDS("the number of an earlier trace", OTHER(UBI__UBIREC_MARKER), 8, 0, 0, 0, 0, 0, 0, 1, 0),
    RECORDS("the number of an earlier frame", OTHER(UBI__UBIREC_SYMBOLS), 2, 1, 0),
    RECORDS("at most 256 symbols", OTHER(UBI__UBIREC_SYMBOLS), 3, 0, 129, 2),
    RECORDS("a number of at most 64 bits", OTHER(UBI__UBIREC_SYMBOLS), 2, 0, 128),
    RECORDS("a number of at most 64 bits", OTHER(UBI__UBIREC_SYMBOLS), 3, 0, 3, 0),
    RECORDS("a reason of the end", OTHER(UBI__UBIREC_END), 2, 5, 0),
    RECORDS("nothing to happen behind the end", OTHER(UBI__UBIREC_END), 2, 0, 0, 0),
    RECORDS("nothing to happen behind the end", OTHER(UBI__UBIREC_END), 2, 0, 0, OTHER(UBI__UBIREC_END), 2, 0, 0),
    RECORDS(NULL, OTHER(UBI__UBIREC_END), 2, 0, 0, OTHER(UBI__UBIREC_SYMBOLS), 2, 0, 0),
    RECORDS("0 or 1", OTHER(UBI__UBIREC_USE), 8, 1, 2, 0, 0, 0, 0, 0, 0),
    RECORDS("0, or the number of an earlier string plus 1", OTHER(UBI__UBIREC_USE), 8, 1, 1, 0, 0, 9, 0, 0, 0),
    RECORDS("a number of at most 64 bits", OTHER(UBI__UBIREC_USE), 7, 1, 1, 0, 0, 0, 0, 0),
    RECORDS(NULL, OTHER(UBI__UBIREC_USE), 8, 1, 1, 0, 99, 0, 1, 1, 1), /* what it is for may be unknown */
    RECORDS(NULL, OTHER(30), 3, 9, 9, 9),                              /* a type of a later version */
    RECORDS(NULL, OTHER(UBI__UBIREC_RSS), 3, 1, 2, 3),                 /* and more fields than are known */
    RECORDS(NULL, OTHER(UBI__UBIREC_COUNTED), 2, 99, 1),               /* and a counter */
};

static void records_that_cannot_be_are_refused(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof behind_a_beginning / sizeof *behind_a_beginning; i++) {
        const records *r = &behind_a_beginning[i];
        uint8_t raw[BEGINNING_BYTES + sizeof r->at] = { BEGINNING };
        bytes file = { 0 };
        page p;
        memcpy(raw + BEGINNING_BYTES, r->at, r->n);
        add_header(&file);
        add_block(&file, (header){ 1, 0, BEGINNING_BYTES + r->n, BEGINNING_BYTES + r->n }, raw, BEGINNING_BYTES + r->n);
        if (r->message) {
            assert_refused(&file, r->message);
            assert_non_null(strstr(ubi_error_message(), "block at byte 16: record at its byte "));
        } else {
            assert_int_equal(read_lines(&p, file.at, file.n), UBI_OK);
            free(p.at);
        }
        bytes_free(&file);
    }
}

static void nothing_comes_before_what_the_whole_is_about(void **state) {
    static const uint8_t string[] = { OTHER(UBI__UBIREC_STRING), 1, 0 };
    bytes file = { 0 };
    (void)state;
    add_header(&file);
    add_block(&file, (header){ 1, 0, sizeof string, sizeof string }, string, sizeof string);
    assert_refused(&file, "expected a record about the whole to be the first");
    bytes_free(&file);
}

/* Without a thread there may be everything but allocations: see RECORDS for files with one. */
static void a_program_that_allocates_nothing_has_no_thread(void **state) {
    static const uint8_t about[] = { OTHER(UBI__UBIREC_ABOUT), 10, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0 };
    static const records behind[] = {
        RECORDS(NULL, OTHER(UBI__UBIREC_TIME), 1, 9, OTHER(UBI__UBIREC_RSS), 1, 2, OTHER(UBI__UBIREC_END), 2, 0, 0),
        RECORDS("a thread before anything is allocated", OTHER(UBI__UBIREC_STRING), 1, 0, OTHER(UBI__UBIREC_KIND), 2, 0,
                0, OTHER(UBI__UBIREC_INFO), 3, 0, 8, 0, 0),
    };
    (void)state;
    for (size_t i = 0; i < sizeof behind / sizeof *behind; i++) {
        uint8_t raw[sizeof about + sizeof behind->at];
        size_t n = sizeof about + behind[i].n;
        bytes file = { 0 };
        page p;
        memcpy(raw, about, sizeof about);
        memcpy(raw + sizeof about, behind[i].at, behind[i].n);
        add_header(&file);
        add_block(&file, (header){ 1, 0, (uint32_t)n, (uint32_t)n }, raw, n);
        if (behind[i].message) {
            assert_refused(&file, behind[i].message);
        } else {
            assert_int_equal(read_lines(&p, file.at, file.n), UBI_OK);
            free(p.at);
        }
        bytes_free(&file);
    }
}

static void other_files_are_refused(void **state) {
    (void)state;
    bytes file = { 0 };
    bytes_add(&file, "{\"snapshot\":", 12);
    assert_refused(&file, "byte 0: expected the beginning of a recording");
    bytes_free(&file);
    add_header(&file);
    file.at[UBI__UBIREC_MAGIC_BYTES] = 2;
    assert_refused(&file, "byte 8: expected version 1 of recordings, not 2");
    bytes_free(&file);
}

/* ---- limits of the writer ----------------------------------------------------------------------------------------- */

static void long_texts_are_cut_and_noise_is_stored(void **state) {
    enum { LENGTH = 100000 };
    char *noise = malloc(LENGTH);
    bytes file = { 0 };
    ubi__ubirec_writer *w;
    uint32_t frame;
    ubi__source source;
    ubi__ubirec_reader *reader;
    const ubi__ubirec_record *record;
    size_t n_texts = 0;
    (void)state;
    assert_non_null(noise);
    random_start(1);
    assert_int_equal(ubi__ubirec_writer_new(&w, keep, &file, NULL), UBI_OK);
    ubi_text text = { noise, LENGTH };
    ubi__ubirec_about about = { text, text, 1, 0, 1, 0, 0, 4096, text, text, 0 };
    for (int i = 0; i < 20; i++) {
        for (size_t k = 0; k < LENGTH; k++)
            noise[k] = (char)random_below(256);
        if (i == 0)
            assert_int_equal(ubi__ubirec_write_about(w, &about), UBI_OK);
        assert_int_equal(ubi__ubirec_label_frame(w, &frame, text), UBI_OK);
    }
    assert_int_equal(ubi__ubirec_flush(w), UBI_OK);
    assert_true(ubi__ubirec_bytes_out(w) == file.n);
    assert_true(file.n < 22 * UBI__UBIREC_TEXT_MAX + 16384);
    ubi__ubirec_writer_free(w);
    ubi__source_open_memory(&source, file.at, file.n, ubi_allocator_default());
    assert_int_equal(ubi__ubirec_reader_new(&reader, &source, NULL), UBI_OK);
    while (ubi__ubirec_next(reader, &record) == UBI_OK && record)
        if (record->type == UBI__UBIREC_STRING) {
            n_texts++;
            assert_int_equal(record->string.len, UBI__UBIREC_TEXT_MAX);
        }
    assert_null(record);
    assert_int_equal(n_texts, 20);
    /* The last text is stored as it is; after it the frame, in three bytes. */
    assert_memory_equal(file.at + file.n - 3 - 4096, noise + UBI__UBIREC_TEXT_MAX - 4096, 4096);
    ubi__ubirec_reader_free(reader);
    ubi__source_close(&source);
    bytes_free(&file);
    free(noise);
}

typedef struct disk {
    bytes file;
    size_t room;
} disk;

static ubi_status keep_on_disk(void *payload, const void *data, size_t n) {
    disk *d = payload;
    size_t fits = d->room - d->file.n < n ? d->room - d->file.n : n;
    bytes_add(&d->file, data, fits);
    return fits == n ? UBI_OK : UBI_EIO;
}

static void a_full_disk_keeps_what_was_written(void **state) {
    bytes file = { 0 };
    page whole;
    (void)state;
    make(&file, &whole, 8, 600);
    for (size_t room = 0; room < file.n; room += 13) {
        disk d = { .room = room };
        page part;
        assert_int_equal(random_ubirec(8, 600, keep_on_disk, &d, NULL, NULL), UBI_EIO);
        assert_int_equal(d.file.n, room);
        assert_int_equal(read_lines(&part, d.file.at, d.file.n),
                         room < UBI__UBIREC_HEADER_BYTES ? UBI_EFORMAT : UBI_OK);
        assert_true(is_beginning(&part, &whole));
        free(part.at);
        bytes_free(&d.file);
    }
    free(whole.at);
    bytes_free(&file);
}

static ubi_status forget(void *payload, const void *data, size_t n) {
    (void)payload, (void)data, (void)n;
    return UBI_OK;
}

static ubi_status write_one(void *payload, const ubi_allocator *allocator) {
    (void)payload;
    return random_ubirec(9, 800, forget, NULL, NULL, allocator);
}

static ubi_status read_one(void *payload, const ubi_allocator *allocator) {
    const bytes *file = payload;
    ubi__source source;
    ubi__source_open_memory(&source, file->at, file->n, allocator);
    ubi_status status = ubirec_lines(NULL, &source, allocator);
    ubi__source_close(&source);
    return status;
}

static void no_refused_memory_is_missed(void **state) {
    bytes file = { 0 };
    page lines;
    (void)state;
    assert_true(fail_each_allocation(write_one, NULL) > 20);
    make(&file, &lines, 9, 800);
    assert_true(fail_each_allocation(read_one, &file) > 10);
    free(lines.at);
    bytes_free(&file);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_goes_in_comes_out),
        cmocka_unit_test(long_recordings_come_out_as_well),
        cmocka_unit_test(a_cut_file_gives_its_whole_blocks),
        cmocka_unit_test(no_flipped_bit_goes_unnoticed),
        cmocka_unit_test(it_does_not_matter_how_bytes_arrive),
        cmocka_unit_test(a_file_that_grows_is_read_on),
        cmocka_unit_test(blocks_that_cannot_be_are_refused),
        cmocka_unit_test(a_block_has_the_size_that_it_says),
        cmocka_unit_test(blocks_of_later_versions_are_passed_over),
        cmocka_unit_test(records_that_cannot_be_are_refused),
        cmocka_unit_test(nothing_comes_before_what_the_whole_is_about),
        cmocka_unit_test(a_program_that_allocates_nothing_has_no_thread),
        cmocka_unit_test(other_files_are_refused),
        cmocka_unit_test(long_texts_are_cut_and_noise_is_stored),
        cmocka_unit_test(a_full_disk_keeps_what_was_written),
        cmocka_unit_test(no_refused_memory_is_missed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
