/* SPDX-License-Identifier: MIT
 *
 * packets_fuzz.c: any bytes as packets.
 *
 * Promises checked: no crash, no leak; the same packets come of the bytes whole and in pieces; a JSON text has the limit's length at most;
 * bulk bytes are as many as was said; memory grows with what came; what is fatal has a message of one line and stays so.
 */
#include "fuzz_pieces.h"
#include "rdp/packets.h"

#define MOST_JSON_BYTES 4096

/* What was read, as a number that depends on all of it. */
typedef struct reading {
    ubi__rdp_packets reader;
    uint64_t sum, n_bulk;
    bool has_failed;
} reading;

static void sum_add(reading *r, uint64_t value) {
    r->sum = (r->sum ^ value) * 0x9e3779b97f4a7c15u;
}

static void sum_add_text(reading *r, ubi_text text) {
    for (size_t i = 0; i < text.len; i++)
        sum_add(r, (unsigned char)text.ptr[i]);
}

static void piece_check(reading *r, const ubi__rdp_piece *piece) {
    if (piece->kind != UBI__RDP_BULK_BYTES)
        sum_add(r, (uint64_t)piece->kind + 1000);
    if (piece->kind == UBI__RDP_BULK_BEGIN) {
        require(piece->n_left <= UBI__RDP_MOST_LENGTH, "a length above the limit");
        require(piece->actor.len > 0 && piece->type.len > 0, "a word without characters");
        sum_add_text(r, piece->actor);
        sum_add_text(r, piece->type);
        sum_add(r, piece->n_left);
        r->n_bulk = piece->n_left;
    }
    if (piece->kind == UBI__RDP_BULK_BYTES) {
        require(piece->bytes.len > 0 && piece->bytes.len + piece->n_left == r->n_bulk, "bulk bytes are miscounted");
        r->n_bulk = piece->n_left;
    }
    require(piece->kind != UBI__RDP_JSON || piece->bytes.len <= MOST_JSON_BYTES, "a JSON text above the limit");
    sum_add_text(r, piece->bytes);
}

static void bytes_read(reading *r, const uint8_t *data, size_t n) {
    ubi_text input = { (const char *)data, n };
    ubi__rdp_piece piece;
    do {
        ubi__rdp_packets_next(&r->reader, &input, &piece);
        if (piece.kind != UBI__RDP_NO_PIECE && !r->has_failed)
            piece_check(r, &piece);
        if (piece.kind == UBI__RDP_FATAL && !r->has_failed)
            require(ubi_error_message()[0] && !strchr(ubi_error_message(), '\n'), "message is not one line");
        r->has_failed = piece.kind == UBI__RDP_FATAL;
    } while (piece.kind != UBI__RDP_NO_PIECE && piece.kind != UBI__RDP_FATAL);
    require(r->has_failed || input.len == 0, "bytes are left");
    require(r->reader.json.cap <= (size_t)2 * MOST_JSON_BYTES, "more memory than the limit needs");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    reading whole = { .sum = 0 }, cut = { .sum = 0 };
    feeder f = { data, n };
    uint8_t piece[8];
    ptrdiff_t length;
    ubi__rdp_packets_init(&whole.reader, MOST_JSON_BYTES, NULL);
    ubi__rdp_packets_init(&cut.reader, MOST_JSON_BYTES, NULL);
    bytes_read(&whole, data, n);
    while ((length = feed(&f, piece, sizeof piece)) > 0)
        bytes_read(&cut, piece, (size_t)length);
    require(whole.sum == cut.sum && whole.has_failed == cut.has_failed, "pieces change what is read");
    require(ubi__rdp_packets_is_between(&whole.reader) == ubi__rdp_packets_is_between(&cut.reader), "an end differs");
    ubi__rdp_packets_fini(&whole.reader);
    ubi__rdp_packets_fini(&cut.reader);
    return 0;
}
