/* SPDX-License-Identifier: MIT
 *
 * packets.c: see packets.h.
 */
#include "rdp/packets.h"

#include <stdio.h>

#include "base/status.h"
#include "base/text.h"

/* A buffer that is larger is given back after its packet: most packets are small. */
#define KEPT_BYTES ((size_t)64 << 10)

void ubi__rdp_packets_init(ubi__rdp_packets *reader, size_t most_json_bytes, const ubi_allocator *allocator) {
    *reader = (ubi__rdp_packets){ .allocator = ubi__allocator_or_default(allocator),
                                  .most_json_bytes = most_json_bytes ? most_json_bytes : UBI__RDP_JSON_BYTES };
}

void ubi__rdp_packets_fini(ubi__rdp_packets *reader) {
    ubi__vec_u8_fini(&reader->json, reader->allocator);
}

bool ubi__rdp_packets_is_between(const ubi__rdp_packets *reader) {
    return !reader->failed && !reader->is_in_json && !reader->is_in_bulk && reader->n_header == 0;
}

/* ---- headers -------------------------------------------------------------------------------------------------------- */

/* All of `text` as LEN. */
static bool length_read(uint64_t *out, ubi_text text) {
    uint64_t n = 0;
    if (text.len == 0)
        return false;
    for (size_t i = 0; i < text.len; i++) {
        if (!ubi__is_digit(text.ptr[i]))
            return false;
        if (n <= UBI__RDP_MOST_LENGTH) /* further digits do not make it smaller */
            n = 10 * n + (uint64_t)(text.ptr[i] - '0');
    }
    *out = n;
    return true;
}

/* The text up to the next space, which must be there, and follow something. */
static bool word_read(ubi_text *out, ubi_text *text) {
    const char *space = memchr(text->ptr, ' ', text->len);
    if (!space || space == text->ptr)
        return false;
    *out = (ubi_text){ text->ptr, (size_t)(space - text->ptr) };
    *text = (ubi_text){ space + 1, text->len - out->len - 1 };
    return true;
}

static bool bulk_header_read(ubi__rdp_piece *out, uint64_t *length, ubi_text header) {
    ubi_text bulk;
    return word_read(&bulk, &header) && ubi__text_is(bulk, "bulk") && word_read(&out->actor, &header) &&
           word_read(&out->type, &header) && length_read(length, header);
}

static ubi_status json_begin(ubi__rdp_packets *r, uint64_t length) {
    if (length > r->most_json_bytes)
        return ubi__fail(UBI_ELIMIT, "a JSON packet of more than %zu bytes", r->most_json_bytes);
    r->is_in_json = true;
    r->n_left = length;
    r->json.n = 0;
    if (r->json.cap > KEPT_BYTES)
        ubi__vec_u8_fini(&r->json, r->allocator);
    return UBI_OK;
}

/* A header that has come whole, without its colon. */
static ubi_status header_take(ubi__rdp_packets *r, ubi__rdp_piece *out) {
    const ubi_text header = { r->header, r->n_header };
    uint64_t length = 0;
    r->n_header = 0;
    if (length_read(&length, header))
        return json_begin(r, length);
    if (!bulk_header_read(out, &length, header))
        return ubi__fail(UBI_EFORMAT, "this is not the header of a packet");
    if (length > UBI__RDP_MOST_LENGTH)
        return ubi__fail(UBI_ELIMIT, "a bulk packet of more than 2^40 bytes");
    out->kind = UBI__RDP_BULK_BEGIN;
    out->n_left = r->n_left = length;
    r->is_in_bulk = length > 0;
    return UBI_OK;
}

/* Whether more may make it the header of a packet: what speaks another protocol is not waited for. */
static bool header_may_begin(ubi_text header) {
    static const char bulk[] = "bulk ";
    size_t n = header.len < sizeof bulk - 1 ? header.len : sizeof bulk - 1;
    if (header.len > 0 && !ubi__is_digit(*header.ptr))
        return memcmp(header.ptr, bulk, n) == 0;
    for (size_t i = 0; i < header.len; i++)
        if (!ubi__is_digit(header.ptr[i]))
            return false;
    return true;
}

/* Up to the colon, or all that came. */
static ubi_status header_read(ubi__rdp_packets *r, ubi_text *input, ubi__rdp_piece *out) {
    const char *colon = memchr(input->ptr, ':', input->len);
    size_t n = colon ? (size_t)(colon - input->ptr) : input->len;
    if (n + 1 > UBI__RDP_HEADER_BYTES - (size_t)r->n_header)
        return ubi__fail(UBI_EFORMAT, "the header of a packet has more than %d bytes", UBI__RDP_HEADER_BYTES);
    memcpy(r->header + r->n_header, input->ptr, n);
    r->n_header += (uint32_t)n;
    if (!header_may_begin((ubi_text){ r->header, r->n_header }))
        return ubi__fail(UBI_EFORMAT, "this is not the header of a packet");
    *input = (ubi_text){ input->ptr + n + (colon ? 1 : 0), input->len - n - (colon ? 1 : 0) };
    return colon ? header_take(r, out) : UBI_OK;
}

/* ---- bodies --------------------------------------------------------------------------------------------------------- */

static ubi_text input_take(ubi_text *input, uint64_t most) {
    size_t n = input->len < most ? input->len : (size_t)most;
    ubi_text taken = { input->ptr, n };
    *input = (ubi_text){ input->ptr + n, input->len - n };
    return taken;
}

static ubi_status json_read(ubi__rdp_packets *r, ubi_text *input, ubi__rdp_piece *out) {
    ubi_text bytes = input_take(input, r->n_left);
    r->n_left -= bytes.len;
    if (r->n_left || r->json.n)
        UBI_TRY(ubi__bytes_append(&r->json, bytes.ptr, bytes.len, r->allocator));
    if (r->n_left)
        return UBI_OK;
    r->is_in_json = false;
    out->kind = UBI__RDP_JSON;
    out->bytes = r->json.n ? (ubi_text){ (const char *)r->json.at, r->json.n } : bytes;
    return UBI_OK;
}

static ubi_status bulk_read(ubi__rdp_packets *r, ubi_text *input, ubi__rdp_piece *out) {
    out->kind = UBI__RDP_BULK_BYTES;
    out->bytes = input_take(input, r->n_left);
    out->n_left = r->n_left -= out->bytes.len;
    r->is_in_bulk = r->n_left > 0;
    return UBI_OK;
}

void ubi__rdp_packets_next(ubi__rdp_packets *reader, ubi_text *input, ubi__rdp_piece *out) {
    *out = (ubi__rdp_piece){ .kind = UBI__RDP_NO_PIECE };
    /* An empty JSON packet ends without a byte more. */
    while (reader->failed == UBI_OK && out->kind == UBI__RDP_NO_PIECE &&
           (input->len > 0 || (reader->is_in_json && reader->n_left == 0))) {
        reader->failed = reader->is_in_json   ? json_read(reader, input, out)
                         : reader->is_in_bulk ? bulk_read(reader, input, out)
                                              : header_read(reader, input, out);
    }
    if (reader->failed != UBI_OK) {
        out->kind = UBI__RDP_FATAL;
        out->status = reader->failed;
    }
}

/* ---- writing -------------------------------------------------------------------------------------------------------- */

size_t ubi__rdp_json_header(char out[24], uint64_t n_bytes) {
    return (size_t)snprintf(out, 24, "%llu:", (unsigned long long)n_bytes);
}

static bool is_word(const char *text) {
    return *text && !strpbrk(text, ": ");
}

ubi_status ubi__rdp_bulk_header(char out[UBI__RDP_HEADER_BYTES + 1], size_t *n, const char *actor, const char *type,
                                uint64_t n_bytes) {
    if (!is_word(actor) || !is_word(type) || n_bytes > UBI__RDP_MOST_LENGTH)
        return ubi__fail(UBI_EINVAL, "this cannot be the header of a bulk packet");
    int length = snprintf(out, UBI__RDP_HEADER_BYTES + 1, "bulk %s %s %llu:", actor, type, (unsigned long long)n_bytes);
    if (length > UBI__RDP_HEADER_BYTES)
        return ubi__fail(UBI_ELIMIT, "the header of a packet has more than %d bytes", UBI__RDP_HEADER_BYTES);
    *n = (size_t)length;
    return UBI_OK;
}
