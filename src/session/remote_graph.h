/* SPDX-License-Identifier: MIT
 *
 * remote_graph.h: the snapshot of a heap in another process becomes a graph while it comes, and is never a file.
 *
 *     connection ── bytes ──> 4 MiB of buffer ── bytes ──> reader ──> graph
 *     caller's thread                            a thread of its own
 *
 * The connection waits while the buffer is full, which slows the other side down; so memory is that of the reader. Progress is reported on the
 * caller's thread alone.
 */
#ifndef UBI_SESSION_REMOTE_GRAPH_H
#define UBI_SESSION_REMOTE_GRAPH_H

#include <ubiheap/core/formats.h>

#include "targets/remote.h"

/** What came. */
typedef struct ubi__remote_graph {
    ubi_graph *graph; /**< one reference, the receiver's */
    ubi_read_info info;
    uint64_t size_bytes; /**< of the snapshot, as it came */
    uint64_t pause_us;   /**< as of ubi__remote_ops */
} ubi__remote_graph;

/** Who gets the bytes of a snapshot as well, on the thread of the connection. A refused write is UBI_EIO, for its owner to explain. */
typedef struct ubi__remote_copy {
    ubi_write_fn write; /**< NULL: no one */
    void *payload;
} ubi__remote_copy;

/**
 * Takes a snapshot of a heap that is attached to, and reads it.
 * @param out  untouched on failure. @param copy  it has all bytes after success, and some after a failure; NULL: no one wants them.
 * @param options  as of ubi_graph_read_path; its progress is asked here, and may be that of the connection.
 * Errors: those of ubi__remote_ops and of ubi_graph_read_path: of the connection, if that failed, else of the reader.
 * Cost: that of reading, beside the other side's; 4 MiB more.
 */
ubi_status ubi__remote_graph_take(ubi__remote_graph *out, ubi__remote *remote, const ubi__remote_ops *ops,
                                  const ubi__remote_copy *copy, const ubi_read_options *options);
/**
 * The same of the heap that `address` chooses: connects, takes, and leaves.
 * @param path  the address as it was given.
 */
ubi_status ubi__remote_graph_fetch(ubi__remote_graph *out, const ubi__remote_address *address, const char *path,
                                   const ubi__remote_witness *witness, const ubi__remote_copy *copy,
                                   const ubi_read_options *options);

#endif
