/* SPDX-License-Identifier: MIT
 *
 * preload_pieces.c: the bytes of the chunks of one context, until they are decoded (preload_stream.h).
 */
#include <string.h>

#include "base/assert.h"
#include "recording/preload_stream.h"

#define FIRST_PIECE_BYTES 4096

void ubi__stream_pieces_check(const ubi__stream *s) {
    for (const ubi__stream_piece *p = s->first; p; p = p->next) {
        UBI_ASSERT(p->sequence >= s->sequence && (!p->next || p->sequence < p->next->sequence));
        UBI_ASSERT(p->at <= p->n && p->n <= p->capacity);
        UBI_ASSERT(!p->is_broken || p->at == p->n);
    }
}

ubi_status ubi__stream_piece_of(ubi__stream *s, ubi__stream_piece **out, uint64_t sequence) {
    ubi__stream_piece **at = &s->first;
    while (*at && (*at)->sequence < sequence)
        at = &(*at)->next;
    if (*at && (*at)->sequence == sequence) {
        *out = *at;
        return UBI_OK;
    }
    if (sequence <= s->sequence) {
        *out = NULL;
        return UBI_OK;
    }
    ubi__stream_piece *piece = UBI_NEW(s->common->allocator, ubi__stream_piece);
    if (!piece)
        return ubi__fail_nomem();
    piece->sequence = sequence;
    piece->next = *at;
    *out = *at = piece;
    return UBI_OK;
}

ubi_status ubi__stream_piece_append(ubi__stream *s, ubi__stream_piece *piece, const uint8_t *bytes, size_t n) {
    if (piece->is_broken) {
        s->lost_bytes += n;
        s->common->lost_bytes += n;
        return UBI_OK;
    }
    if (piece->capacity - piece->n < n) {
        size_t capacity = piece->capacity ? piece->capacity : FIRST_PIECE_BYTES;
        while (capacity - piece->n < n)
            capacity *= 2;
        const ubi_allocator *a = s->common->allocator;
        uint8_t *larger = a->resize(a->ctx, piece->bytes, piece->capacity, capacity);
        if (!larger)
            return ubi__fail_nomem();
        piece->bytes = larger;
        piece->capacity = capacity;
    }
    UBI_ASSERT(!piece->is_complete && piece->n + n <= piece->capacity);
    memcpy(piece->bytes + piece->n, bytes, n);
    piece->n += n;
    s->common->waiting_bytes += n;
    return UBI_OK;
}

void ubi__stream_piece_complete(ubi__stream_piece *piece) {
    piece->is_complete = true;
}

void ubi__stream_piece_give_up(ubi__stream *s, ubi__stream_piece *piece) {
    uint64_t rest = piece->n - piece->at;
    piece->is_broken = true;
    piece->at = piece->n;
    s->lost_bytes += rest;
    s->common->lost_bytes += rest;
    s->common->waiting_bytes -= rest;
}

void ubi__stream_piece_end(ubi__stream *s) {
    const ubi_allocator *a = s->common->allocator;
    ubi__stream_piece *piece = s->first;
    UBI_ASSERT(s->common->waiting_bytes >= piece->n - piece->at);
    s->common->waiting_bytes -= piece->n - piece->at;
    s->first = piece->next;
    ubi__free_array(a, piece->bytes, piece->capacity, 1);
    UBI_DELETE(a, piece);
}
