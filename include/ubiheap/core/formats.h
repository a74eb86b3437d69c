/* SPDX-License-Identifier: MIT
 *
 * ubiheap/core/formats.h: reading and writing snapshot files.
 *
 * One call reads any known format: the format is guessed from the first bytes. Input may be a path, standard input, a
 * file descriptor, memory or a callback; gzip and zlib wrapping is found and removed. Reading, inflating and decoding
 * overlap on different threads.
 *
 * Writing makes fxsnapshot files, from any heap while it is walked (ubi_save_path) or from a graph (ubi_graph_save_path),
 * and from graphs V8's .heapsnapshot files and lines of JSON, too:
 *
 *     ubi_graph_read_path   file  -> graph      ubi_graph_capture    heap -> graph
 *     ubi_graph_save_path   graph -> file       ubi_save_path        heap -> file
 *
 * Output goes to a path, a descriptor or a callback. A path is written atomically: the file is there, complete and synced
 * to disk, or the old one is untouched.
 */
#ifndef UBIHEAP_FORMATS_H
#define UBIHEAP_FORMATS_H

#include <ubiheap/core/base.h>
#include <ubiheap/core/graph.h>
#include <ubiheap/core/node.h>

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

/** What a read found beside the graph. Unknown offsets are 0, unknown texts NULL. */
typedef struct ubi_read_info {
    uint32_t struct_bytes;   /**< UBI_READ_INFO_INIT */
    const char *format;      /**< "fxsnapshot", "heapsnapshot" */
    const char *compression; /**< "gzip", "zlib" or "none" */
    uint64_t input_bytes;    /**< bytes taken from the input */
    uint64_t inflated_bytes; /**< bytes after decompression */
    uint64_t message_count;  /**< messages read, metadata included */
    bool has_ended_early;    /**< the stream ended at a message border for another reason than its clean end */
    char end_note[160];      /**< why, when has_ended_early */
    char writer[64];         /**< the program that wrote the file, if it says so in less; any bytes, NUL-terminated */
    char note[160];          /**< what is odd about the file, but no error; "" nothing */
} ubi_read_info;

#define UBI_READ_INFO_INIT                                                                                             \
    { .struct_bytes = sizeof(ubi_read_info) }

/**
 * Reads a snapshot.
 *
 * @param out   owned; untouched on failure.
 * @param path  a file, or "-" for standard input.
 * @param info  may be NULL.
 *
 * Errors: UBI_EIO (cannot open or read), UBI_EFORMAT (a directory; something else than a heap, which the message names; damage,
 * with the byte; a broken rule, with message number or section, byte offset in the inflated stream, field and value), UBI_ENOMEM, UBI_ECANCELLED, UBI_ELIMIT.
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

/* ---- writing ----------------------------------------------------------------------------------------------------- */

/**
 * Gives the text to write in place of `text`, which is never NULL text; so may one replace, shorten or keep (*out = text).
 * *out is borrowed until the next call. Called at least once for every different text of a role, on the caller's thread;
 * equal texts of one role must get equal answers. Any status but UBI_OK ends the save with that status.
 */
typedef ubi_status (*ubi_text_map_fn)(void *payload, ubi_text_role role, ubi_text text, ubi_text *out);

/** What to write of one node in place of what its kind says; NULL text: what that says. */
typedef struct ubi_node_words {
    ubi_text class_name, script_filename, descriptive_name;
} ubi_node_words;

/**
 * Fills *out, which has NULL texts before, for a node. Texts are borrowed until the next call. Called once per node, on the
 * caller's thread. Any status but UBI_OK ends the save with that status.
 */
typedef ubi_status (*ubi_node_words_fn)(void *payload, ubi_node_ix node, ubi_node_words *out);

/** How the output is packed. */
typedef enum ubi_compression {
    UBI_COMPRESSION_DEFAULT = 0, /**< gzip, fast: about a quarter larger than Firefox's own files */
    UBI_COMPRESSION_SMALL,       /**< gzip, as small as Firefox's own files, at six times the time */
    UBI_COMPRESSION_NONE         /**< no gzip: ubiheap reads it, Firefox does not */
} ubi_compression;

typedef struct ubi_save_options {
    uint32_t version;               /**< UBI_SAVE_OPTIONS_VERSION */
    const ubi_allocator *allocator; /**< NULL: the default */
    ubi_progress progress;          /**< stage "writing", in nodes; total 0 for a walk */
    unsigned threads;               /**< 0: one per core; 1: no helper thread, which otherwise compresses and writes */
    ubi_compression compression;
    bool has_time;
    uint64_t time_us; /**< with has_time: microseconds since the Unix epoch. Else: the graph's own, none if it has none;
                           for a walk: now */
    /**
     * Frames that a stack keeps, from the youngest. 0: 60 for a walk, as Firefox; for a graph as many as the format can hold:
     * all of what was read from a file.
     */
    uint32_t max_stack_frames;
    const char *format; /**< a name from ubi_save_format_at; NULL: "fxsnapshot" */
    const char *writer; /**< name of the program in the file; NULL: "ubiheap VERSION" */
    ubi_edge_filter_fn
        edge_filter; /**< the boundaries of a walk; it may be asked twice. NULL: follow all. For walks only */
    void *edge_filter_payload;
    ubi_text_map_fn map_text; /**< NULL: texts as they are */
    void *map_text_payload;
    /**
     * For graphs: what to write of them; borrowed. Only the edges of the view, its sizes instead of the graph's, its root
     * first; nodes that it adopts (UBI_ORPHANS_ADOPT) get edges named "(orphan)" from the root. So tools that know
     * nothing of a producer's rules get its numbers (ubiheap/views/export.h). NULL: everything. For fxsnapshot only.
     */
    const ubi_view *view;
    ubi_node_words_fn
        words_of_node; /**< for graphs and fxsnapshot, too; NULL: what kinds say. map_text sees these as well */
    void *words_of_node_payload;
    /** To a path: there must be no such file (UBI_EBUSY), and the new one is for its owner alone (mode 0600). */
    bool is_new_and_private;
} ubi_save_options;

#define UBI_SAVE_OPTIONS_VERSION 1
#define UBI_SAVE_OPTIONS_INIT                                                                                          \
    { .version = UBI_SAVE_OPTIONS_VERSION }

/** A format that snapshots can be saved in. */
typedef struct ubi_save_format {
    const char *name;      /**< "fxsnapshot", "heapsnapshot", "jsonl" */
    const char *extension; /**< usual end of a file name, with the point */
    const char *summary;   /**< one line: what it is good for */
} ubi_save_format;

/** The i-th format, NULL behind the last. The first is the default. Static. */
UBI_API const ubi_save_format *ubi_save_format_at(size_t i);

/** What was written. */
typedef struct ubi_save_info {
    uint32_t struct_bytes; /**< UBI_SAVE_INFO_INIT */
    uint64_t output_bytes; /**< after compression */
    uint64_t stream_bytes; /**< before compression */
    uint64_t node_count;
    uint64_t edge_count;
    uint64_t string_count; /**< entries of both string tables */
    uint64_t frame_count;  /**< stack frames */
    uint64_t cut_stacks;   /**< stacks that lost older frames to max_stack_frames or to the format */
} ubi_save_info;

#define UBI_SAVE_INFO_INIT                                                                                             \
    { .struct_bytes = sizeof(ubi_save_info) }

/**
 * Saves what can be reached from `root`, breadth-first, while walking it. The heap must be frozen. Nodes and edges are not
 * collected: memory is at most 16 bytes per node (24 when nodes belong to more than one `heap`), the different texts and
 * frames, and 1 MiB of buffers.
 *
 * Texts that differ only behind a U+0000 are one, cut there, because no reader sees more. A class name is written as
 * Latin-1; a character above U+00FF in it becomes \u{HEX}.
 *
 * @param path  a file, written atomically (a symbolic link: the file it leads to; modes of a file that is replaced are
 *              kept); a device or fifo, written directly; "-": standard output.
 * @param info  may be NULL.
 *
 * Errors: UBI_EIO (cannot create, write, sync or rename), UBI_EINVAL (bad options; a node id that no double holds; a node
 * without type name; edges that differ between two enumerations), UBI_ELIMIT, UBI_ENOMEM, UBI_ECANCELLED, or what map_text
 * says. After an error the old file is untouched and no other left; what went to a descriptor or callback stays there.
 * Two nodes of one id are not noticed here, but by readers.
 * Cost: O(nodes + edges) time; the edges of a node with very many are enumerated twice.
 * Source: docs/formats/fxsnapshot.md; mozilla-central devtools/shared/heapsnapshot/HeapSnapshot.cpp.
 */
UBI_API ubi_status ubi_save_path(ubi_node root, const char *path, const ubi_save_options *options, ubi_save_info *info);
/** The same to a descriptor, written from where it stands; neither synced nor closed. */
UBI_API ubi_status ubi_save_fd(ubi_node root, int fd, const ubi_save_options *options, ubi_save_info *info);
/** The same to a callback, which may be called on a helper thread. */
UBI_API ubi_status ubi_save_callback(ubi_node root, ubi_write_fn fn, void *payload, const ubi_save_options *options,
                                     ubi_save_info *info);

/**
 * Saves a graph: all its nodes, those out of reach too, the root first and the others in their order. Reading the file
 * gives an equal graph: ids, sizes, edges in order, texts, stacks with their frame ids, time.
 *
 * What changes: equal strings become one entry; of frames that share an id (a builder allows it) all but the first get new
 * ids; stacks of more than 90 frames that no earlier node brought in are cut there, as the format asks. Numbers of edges
 * become text; names of nodes, kinds of edges and all else that only V8 has are lost in an fxsnapshot file and kept in a
 * .heapsnapshot file, in which graphs of other producers change more (docs/how-to/open-a-snapshot-in-chrome.md).
 * @param path, info, errors  as for ubi_save_path; UBI_EINVAL also for an edge filter and a foreign view.
 * Cost: O(nodes + edges) time; memory 4 bytes per string, 8 per kind and frame (16 and 4 more with map_text), 1 MiB of
 * buffers, nothing per node but 2 bits with a view; heapsnapshot: 4 bytes per string and role, and with map_text the texts.
 */
UBI_API ubi_status ubi_graph_save_path(const ubi_graph *graph, const char *path, const ubi_save_options *options,
                                       ubi_save_info *info);
/** The same to a descriptor, written from where it stands; neither synced nor closed. */
UBI_API ubi_status ubi_graph_save_fd(const ubi_graph *graph, int fd, const ubi_save_options *options,
                                     ubi_save_info *info);
/** The same to a callback, which may be called on a helper thread. */
UBI_API ubi_status ubi_graph_save_callback(const ubi_graph *graph, ubi_write_fn fn, void *payload,
                                           const ubi_save_options *options, ubi_save_info *info);

#ifdef __cplusplus
}
#endif
#endif
