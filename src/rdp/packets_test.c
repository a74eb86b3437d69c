/* SPDX-License-Identifier: MIT
 *
 * packets_test.c: bytes as packets, in pieces of any size. Names of tests begin with the protocol's conformance cases.
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
#include "rdp/packets.h"

/* What was read, written down: {JSON} as <JSON>, bulk as [ACTOR TYPE LENGTH|BYTES], what is fatal as !. */
typedef struct reading {
    char text[4096];
    size_t n;
    bool has_failed;
} reading;

static void notes_add(reading *notes, const char *text, size_t n) {
    assert_true(notes->n + n < sizeof notes->text);
    memcpy(notes->text + notes->n, text, n);
    notes->n += n;
    notes->text[notes->n] = '\0';
}

static void piece_note(reading *notes, const ubi__rdp_piece *piece) {
    char text[256];
    switch (piece->kind) {
    case UBI__RDP_NO_PIECE:
        break;
    case UBI__RDP_JSON:
        notes_add(notes, "<", 1);
        notes_add(notes, piece->bytes.ptr, piece->bytes.len);
        notes_add(notes, ">", 1);
        break;
    case UBI__RDP_BULK_BEGIN:
        snprintf(text, sizeof text, "[%.*s %.*s %llu|%s", (int)piece->actor.len, piece->actor.ptr, (int)piece->type.len,
                 piece->type.ptr, (unsigned long long)piece->n_left, piece->n_left ? "" : "]");
        notes_add(notes, text, strlen(text));
        break;
    case UBI__RDP_BULK_BYTES:
        assert_true(piece->bytes.len > 0);
        notes_add(notes, piece->bytes.ptr, piece->bytes.len);
        notes_add(notes, "]", piece->n_left == 0);
        break;
    case UBI__RDP_FATAL:
        assert_int_not_equal(piece->status, UBI_OK);
        notes_add(notes, "!", 1);
        notes->has_failed = true;
        break;
    }
}

/* Each piece has memory of its own, so that nothing beyond it can be read unseen. */
static void bytes_read(reading *notes, ubi__rdp_packets *reader, const char *bytes, size_t n) {
    char *copy = malloc(n ? n : 1);
    memcpy(copy, bytes, n);
    ubi_text input = { copy, n };
    ubi__rdp_piece piece;
    do {
        ubi__rdp_packets_next(reader, &input, &piece);
        piece_note(notes, &piece);
    } while (piece.kind != UBI__RDP_NO_PIECE && piece.kind != UBI__RDP_FATAL);
    assert_true(notes->has_failed || input.len == 0);
    free(copy);
}

/* Whole, one byte at a time, and cut in two anywhere: always the same. */
static void assert_read_limited(const char *bytes, size_t n, const char *expected, size_t most_json_bytes) {
    ubi__rdp_packets reader;
    for (size_t cut = 0; cut <= n + 1; cut++) {
        reading notes = { .n = 0 };
        ubi__rdp_packets_init(&reader, most_json_bytes, NULL);
        if (cut <= n) {
            bytes_read(&notes, &reader, bytes, cut);
            if (!notes.has_failed)
                bytes_read(&notes, &reader, bytes + cut, n - cut);
        }
        for (size_t i = 0; cut > n && i < n && !notes.has_failed; i++)
            bytes_read(&notes, &reader, bytes + i, 1);
        assert_string_equal(notes.text, expected);
        assert_true(notes.has_failed || ubi__rdp_packets_is_between(&reader));
        ubi__rdp_packets_fini(&reader);
    }
}

static void assert_read(const char *bytes, const char *expected) {
    assert_read_limited(bytes, strlen(bytes), expected, 0);
}

static void rdp_1_a_packet_is_the_same_in_any_pieces(void **state) {
    (void)state;
    assert_read("31:{\"to\":\"root\",\"type\":\"listTabs\"}", "<{\"to\":\"root\",\"type\":\"listTabs\"}>");
    assert_read("2:{}4:null0:2:[]", "<{}><null><><[]>");
    assert_read("007:{\"a\":1}", "<{\"a\":1}>");
}

static void rdp_2_lengths_count_bytes(void **state) {
    (void)state;
    assert_read("25:{\"to\":\"root\",\"type\":\"\xc3\xa9\"}", "<{\"to\":\"root\",\"type\":\"\xc3\xa9\"}>");
    assert_read("27:{\"to\":\"root\",\"type\":\"\xf0\x9f\x98\x80\"}2:{}",
                "<{\"to\":\"root\",\"type\":\"\xf0\x9f\x98\x80\"}><{}>");
}

static void rdp_3_headers_are_written(void **state) {
    static const char greeting[] =
        "{\"from\":\"root\",\"applicationType\":\"browser\",\"testConnectionPrefix\":\"server1.conn0.\",\"traits\":{}}";
    char header[24], bulk[UBI__RDP_HEADER_BYTES + 1];
    size_t n = 0;
    (void)state;
    assert_int_equal(ubi__rdp_json_header(header, strlen(greeting)), 3);
    assert_string_equal(header, "95:");
    assert_int_equal(ubi__rdp_json_header(header, UINT64_MAX), 21);
    assert_int_equal(ubi__rdp_bulk_header(bulk, &n, "a1", "heap-snapshot", 12), UBI_OK);
    assert_string_equal(bulk, "bulk a1 heap-snapshot 12:");
    assert_int_equal(n, strlen(bulk));
}

static void words_that_a_header_cannot_hold_are_refused(void **state) {
    char bulk[UBI__RDP_HEADER_BYTES + 1], name[UBI__RDP_HEADER_BYTES];
    size_t n = 0;
    (void)state;
    assert_int_equal(ubi__rdp_bulk_header(bulk, &n, "a 1", "t", 1), UBI_EINVAL);
    assert_int_equal(ubi__rdp_bulk_header(bulk, &n, "a", "t:", 1), UBI_EINVAL);
    assert_int_equal(ubi__rdp_bulk_header(bulk, &n, "", "t", 1), UBI_EINVAL);
    assert_int_equal(ubi__rdp_bulk_header(bulk, &n, "a", "t", UBI__RDP_MOST_LENGTH + 1), UBI_EINVAL);
    memset(name, 'x', sizeof name);
    name[UBI__RDP_HEADER_BYTES - 9] = '\0'; /* "bulk ", " t 1:" and the name are one byte more than 200 */
    assert_int_equal(ubi__rdp_bulk_header(bulk, &n, name, "t", 1), UBI_ELIMIT);
    name[UBI__RDP_HEADER_BYTES - 10] = '\0';
    assert_int_equal(ubi__rdp_bulk_header(bulk, &n, name, "t", 1), UBI_OK);
    assert_int_equal(n, UBI__RDP_HEADER_BYTES);
}

static void rdp_4_what_is_in_a_packet_is_not_looked_at(void **state) {
    (void)state;
    assert_read("5:{bad}2:{}", "<{bad}><{}>");
}

static void rdp_5_other_headers_are_fatal(void **state) {
    static const char *const wrong[] = { "hello:",        ":",          "-1:",         "+1:",
                                         " 1:",           "1 :",        "0x1:",        "bulk:",
                                         "bulk a t:",     "bulk a t :", "bulk a  1:",  "bulk  a t 1:",
                                         "bulk a t 1 :",  "bulk 1:",    "Bulk a t 1:", "bulk a t -1:",
                                         "bulk a t u 1:", "1\n:",       "bulka t 1:" };
    static const char *const begun[] = { "H", "HELLO GET / HTTP", "bulb", "bulk\n", "12 ", "{" };
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_read(wrong[i], "!");
    assert_read("2:{}hello:2:{}", "<{}>!");
    for (size_t i = 0; i < sizeof begun / sizeof *begun; i++)
        assert_read(begun[i], "!"); /* before a colon comes */
}

static void long_headers_are_fatal(void **state) {
    char bytes[UBI__RDP_HEADER_BYTES + 8];
    (void)state;
    memset(bytes, '0', sizeof bytes);
    bytes[UBI__RDP_HEADER_BYTES - 1] = ':';
    assert_read_limited(bytes, UBI__RDP_HEADER_BYTES, "<>", 0);
    bytes[UBI__RDP_HEADER_BYTES - 1] = '0';
    bytes[UBI__RDP_HEADER_BYTES] = ':';
    assert_read_limited(bytes, UBI__RDP_HEADER_BYTES, "!", 0); /* before the colon comes */
    assert_read_limited(bytes, UBI__RDP_HEADER_BYTES + 1, "!", 0);
}

static void lengths_have_limits(void **state) {
    (void)state;
    assert_read_limited("4:{  }", 6, "<{  }>", 4);
    assert_read_limited("5:{   }", 7, "!", 4);
    assert_read("1048577:", "!");
    assert_read("99999999999999999999999999999999999999:", "!");
    assert_read("18446744073709551617:", "!"); /* 2^64 + 1 */
    assert_read("bulk a t 1099511627777:", "!");
}

static void a_length_is_not_believed_before_its_bytes_come(void **state) {
    ubi__rdp_packets reader;
    reading notes = { .n = 0 };
    (void)state;
    ubi__rdp_packets_init(&reader, 0, NULL);
    bytes_read(&notes, &reader, "1048576:{", 9);
    assert_true(reader.json.cap < 65536);
    assert_false(ubi__rdp_packets_is_between(&reader));
    ubi__rdp_packets_fini(&reader);
    ubi__rdp_packets_init(&reader, 0, NULL);
    bytes_read(&notes, &reader, "bulk a t 1099511627776:x", 24);
    assert_int_equal(reader.json.cap, 0);
    assert_false(ubi__rdp_packets_is_between(&reader));
    assert_string_equal(notes.text, "[a t 1099511627776|x");
    ubi__rdp_packets_fini(&reader);
}

static void rdp_11_bulk_packets_may_be_empty(void **state) {
    (void)state;
    assert_read("bulk a1 t 0:2:{}", "[a1 t 0|]<{}>");
    assert_read("bulk a1 t 5:he:lo2:{}bulk / \xff 1:2", "[a1 t 5|he:lo]<{}>[/ \xff 1|2]");
}

static void a_large_buffer_is_given_back(void **state) {
    static char bytes[200000];
    ubi__rdp_packets reader;
    ubi_text input;
    ubi__rdp_piece piece;
    (void)state;
    memset(bytes, ' ', sizeof bytes);
    ubi__rdp_packets_init(&reader, 0, NULL);
    size_t n = ubi__rdp_json_header(bytes, 150000);
    bytes[n] = ' ';
    for (size_t at = 0; at < n + 150000; at += 50000) {
        input = (ubi_text){ bytes + at, n + 150000 - at < 50000 ? n + 150000 - at : 50000 };
        while (input.len)
            ubi__rdp_packets_next(&reader, &input, &piece);
    }
    assert_int_equal(piece.kind, UBI__RDP_JSON);
    assert_int_equal(piece.bytes.len, 150000);
    input = (ubi_text){ "2:{}", 4 };
    ubi__rdp_packets_next(&reader, &input, &piece);
    assert_int_equal(piece.kind, UBI__RDP_JSON);
    assert_int_equal(reader.json.cap, 0);
    ubi__rdp_packets_fini(&reader);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rdp_1_a_packet_is_the_same_in_any_pieces),
        cmocka_unit_test(rdp_2_lengths_count_bytes),
        cmocka_unit_test(rdp_3_headers_are_written),
        cmocka_unit_test(words_that_a_header_cannot_hold_are_refused),
        cmocka_unit_test(rdp_4_what_is_in_a_packet_is_not_looked_at),
        cmocka_unit_test(rdp_5_other_headers_are_fatal),
        cmocka_unit_test(long_headers_are_fatal),
        cmocka_unit_test(lengths_have_limits),
        cmocka_unit_test(a_length_is_not_believed_before_its_bytes_come),
        cmocka_unit_test(rdp_11_bulk_packets_may_be_empty),
        cmocka_unit_test(a_large_buffer_is_given_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
