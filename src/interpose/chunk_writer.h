/* SPDX-License-Identifier: MIT
 *
 * chunk_writer.h: a context writes records into its chunk (preload_wire.h).
 *
 * A record is asked room for, written, and then committed, by one store. Room comes first, stamps second: who waits
 * for a chunk must not hold a stamp that the reader waits for.
 */
#ifndef UBI_INTERPOSE_CHUNK_WRITER_H
#define UBI_INTERPOSE_CHUNK_WRITER_H

#include "base/assert.h"
#include "interpose/context.h"

/**
 * Gives the chunk, if any, to the reader and takes another; waits while there is none. @return false: drop the event.
 */
bool ubi__chunk_next(ubi__context *c);

static inline bool ubi__chunk_has_room(ubi__context *c, size_t size_bytes) {
    return ubi__likely((size_t)(c->end - c->at) >= size_bytes) || ubi__chunk_next(c);
}

/** Everything up to `at` may be read. */
static inline void ubi__chunk_commit(ubi__context *c, uint8_t *at) {
    UBI_ASSERT(at >= c->at && at <= c->end && c->end - c->start == UBI__WIRE_CHUNK_BYTES);
    c->at = at;
    atomic_store_explicit(&c->chunk->committed, (uint32_t)(at - c->start), memory_order_release);
}

#endif
