/* SPDX-License-Identifier: MIT
 *
 * snapshot_pipe.h: a snapshot that a Node.js program of this machine writes itself, by a script, into a pipe of ours.
 *
 * As events of the protocol, a snapshot is made wide, escaped, queued in the program's memory, and made narrow again: half as much work again
 * as V8 has with the snapshot. Into a pipe it is written as into a file, and the program holds no more of it than the pipe.
 *
 * The program opens the pipe as a file of our process. It can where it sees our process and may look into it: not in a container, nor as another
 * user. So whether it could is an answer like others.
 */
#ifndef UBI_CDP_SNAPSHOT_PIPE_H
#define UBI_CDP_SNAPSHOT_PIPE_H

#include "cdp/cdp_peer.h"

typedef struct ubi__snapshot_pipe {
    ubi__cdp_peer *peer; /**< of a Node.js program; borrowed, as all here */
    const ubi_allocator *allocator;
    ubi_write_fn write;
    void *payload;
    uint64_t n_bytes; /**< out: what came */
} ubi__snapshot_pipe;

/**
 * Has it written, and copies it to `write` while it comes.
 * @param is_taken  out: false: the program cannot, nothing came, and the connection is as before.
 * Errors: those of ubi__cdp_peer_ask; UBI_EIO also when `write` refuses or the program could not write all.
 * Cost: 256 KiB, and a pipe of 1 MiB, if the system lets us have it.
 */
ubi_status ubi__snapshot_pipe_take(ubi__snapshot_pipe *pipe, bool *is_taken);

#endif
