/* SPDX-License-Identifier: MIT
 *
 * write_behind.h: output handed to a helper thread, so that making it and compressing or writing it overlap.
 *
 *     producer -> ubi__write_behind_write -> ring of blocks -> helper thread -> write
 *
 * Pieces of up to a block arrive as they came, so that a compressor, whose output depends on them, gives the same bytes as
 * without a thread. They should be large: each costs a handshake.
 *
 * An error of the helper comes out of the producer's next call, with its message.
 */
#ifndef UBI_BASE_WRITE_BEHIND_H
#define UBI_BASE_WRITE_BEHIND_H

#include "base/deflate.h"

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
