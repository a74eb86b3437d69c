/* SPDX-License-Identifier: MIT
 *
 * ubiheap/formats.h: reading snapshot files.
 *
 * One call reads any known format: the format is guessed from the first bytes. Input may be a path, standard input, a
 * file descriptor, memory or a callback; gzip and zlib wrapping is found and removed. Reading, inflating and decoding
 * overlap on different threads.
 */
#ifndef UBIHEAP_FORMATS_H
#define UBIHEAP_FORMATS_H

#include <ubiheap/base.h>
#include <ubiheap/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Reads up to `size` bytes into `buffer`: the count, 0 at the end, -1 on error (errno set). Short reads are fine. */
typedef ptrdiff_t (*ubi_read_fn)(void *payload, void *buffer, size_t size_bytes);

typedef struct ubi_read_options {
    uint32_t version;               /**< UBI_READ_OPTIONS_VERSION */
    const ubi_allocator *allocator; /**< NULL: the default; must outlive the graph */
    ubi_progress progress;
    unsigned threads;  /**< 0: one per core; 1: no helper thread */
    ubi_compat compat; /**< FIREFOX: uncompressed input is refused, as there */
} ubi_read_options;

#define UBI_READ_OPTIONS_VERSION 1
#define UBI_READ_OPTIONS_INIT                                                                                          \
    { UBI_READ_OPTIONS_VERSION, NULL, { NULL, NULL }, 0, UBI_COMPAT_NONE }

/** What a read found beside the graph. All offsets are 0 and texts NULL when not known. */
typedef struct ubi_read_info {
    const char *format;      /**< "fxsnapshot" */
    const char *compression; /**< "gzip", "zlib" or "none" */
    uint64_t input_bytes;    /**< bytes taken from the input */
    uint64_t inflated_bytes; /**< bytes after decompression */
    uint64_t message_count;  /**< messages read, metadata included */
    bool ended_early;        /**< the stream ended at a message border for another reason than its clean end */
    char end_note[160];      /**< why, when ended_early */
} ubi_read_info;

/**
 * Reads a snapshot.
 *
 * @param out   owned; untouched on failure.
 * @param path  a file, or "-" for standard input.
 * @param info  may be NULL.
 *
 * Errors: UBI_EIO (cannot open or read), UBI_EFORMAT (message number, byte offset in the inflated stream, field and value
 * in the message), UBI_ENOMEM, UBI_ECANCELLED, UBI_ELIMIT.
 * Cost: O(nodes + edges), twice for damaged input; memory at most 1.3 times the finished graph and 1.5 MiB of buffers, for a
 * pipe or callback 4 MiB more, and room for the longest field.
 * Source: docs/formats/fxsnapshot.md.
 */
UBI_API ubi_status ubi_graph_read_path(ubi_graph **out, const char *path, const ubi_read_options *options,
                                       ubi_read_info *info);
/** The same from a descriptor, read from where it stands; not closed. */
UBI_API ubi_status ubi_graph_read_fd(ubi_graph **out, int fd, const ubi_read_options *options, ubi_read_info *info);
/** The same from memory, borrowed during the call. */
UBI_API ubi_status ubi_graph_read_memory(ubi_graph **out, const void *data, size_t size_bytes,
                                         const ubi_read_options *options, ubi_read_info *info);
/** The same from a callback, which may be called on a helper thread. */
UBI_API ubi_status ubi_graph_read_callback(ubi_graph **out, ubi_read_fn fn, void *payload,
                                           const ubi_read_options *options, ubi_read_info *info);

#ifdef __cplusplus
}
#endif
#endif
