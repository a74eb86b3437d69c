/* SPDX-License-Identifier: MIT
 *
 * deflate.h: a gzip stream written piece by piece.
 *
 * Everything that streams output takes a `ubi__write_fn`; ubi__deflate_write is one itself, so a compressor stands
 * between a producer and its target without either knowing. Nothing but a fixed buffer is held in memory.
 *
 * Two engines: ISA-L is an order of magnitude faster, zlib makes a fifth less. On a heap of 8.6 million nodes (528 MB):
 *
 *     level  engine       bytes   ns per node
 *     0      ISA-L 0      117 M            59
 *     1      ISA-L 1       81 M            64      the default
 *     2, 3   ISA-L 2, 3    80 M       64, 174
 *     SMALL  zlib 6        66 M           848      as Firefox
 */
#ifndef UBI_BASE_DEFLATE_H
#define UBI_BASE_DEFLATE_H

#include <ubiheap/core/base.h>

#include "base/server_api.h"

/** Takes all `n_bytes` or fails with a message set. `data` is borrowed during the call. */
typedef ubi_status (*ubi__write_fn)(void *payload, const void *data, size_t n_bytes);

typedef struct ubi__deflate ubi__deflate;

#define UBI__DEFLATE_LEVEL_DEFAULT 1
#define UBI__DEFLATE_LEVEL_MAX 3 /**< of ISA-L */
#define UBI__DEFLATE_LEVEL_SMALL 4

/**
 * One gzip member, without name and time: equal input gives equal output of one library on one kind of processor.
 *
 * @param level  0 (fastest) to UBI__DEFLATE_LEVEL_MAX, as ISA-L counts them, or UBI__DEFLATE_LEVEL_SMALL.
 * Errors: UBI_EINVAL (level), UBI_ENOMEM. Cost: about 400 KiB.
 */
UBI__SERVER_API ubi_status ubi__deflate_new(ubi__deflate **out, int level, ubi__write_fn write, void *payload,
                                            const ubi_allocator *allocator);
/** NULL is fine. Does not finish the stream. */
UBI__SERVER_API void ubi__deflate_free(ubi__deflate *d);
/** A ubi__write_fn whose payload is the ubi__deflate. After a failure only _free is allowed. */
UBI__SERVER_API ubi_status ubi__deflate_write(void *deflater, const void *data, size_t n_bytes);
/** Writes what is pending and the trailer, once, after the last write. */
UBI__SERVER_API ubi_status ubi__deflate_finish(ubi__deflate *d);

/* ---- output on a thread of its own -------------------------------------------------------------------------------- */

/*
 *     producer -> ubi__write_behind_write -> ring of blocks -> helper thread -> write
 *
 * Pieces of up to a block arrive as they came, so that a compressor, whose output depends on them, gives the same bytes as
 * without a thread. They should be large: each costs a handshake.
 *
 * An error of the helper comes out of the producer's next call, with its message.
 */

#define UBI__WRITE_BEHIND_BLOCK_BYTES ((size_t)64 << 10)

typedef struct ubi__write_behind ubi__write_behind;

/**
 * Owned. `write` is called on the helper thread, and only between _new and the end of _finish or _free. If no thread can
 * be started, _write calls it. Cost: eight blocks. Errors: UBI_ENOMEM.
 */
ubi_status ubi__write_behind_new(ubi__write_behind **out, ubi__write_fn write, void *payload, const ubi_allocator *a);
/** A ubi__write_fn whose payload is the ubi__write_behind. After a failure only _free is allowed. */
ubi_status ubi__write_behind_write(void *behind, const void *data, size_t n_bytes);
/** Waits until all is written. After it only _free is allowed. */
ubi_status ubi__write_behind_finish(ubi__write_behind *w);
/** Ends the helper; what is not written yet is dropped. NULL is fine. */
void ubi__write_behind_free(ubi__write_behind *w);

#endif
