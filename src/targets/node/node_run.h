/* SPDX-License-Identifier: MIT
 *
 * node_run.h: runs a program whose Node.js processes load ubiheap-watch.node, and says which snapshots they left.
 *
 * The library does the work (src/nodewatch/): it gets into each Node.js by NODE_OPTIONS, whichever process starts it. The program has
 * our descriptors, process group and terminal; signals that are sent to us alone are passed on.
 */
#ifndef UBI_TARGETS_NODE_RUN_H
#define UBI_TARGETS_NODE_RUN_H

#include <ubiheap/core/base.h>

#include "base/alloc.h"

#define UBI__NODE_WATCH_LIBRARY "ubiheap-watch.node"

typedef struct ubi__node_settings {
    const char *library;   /* whole path */
    const char *directory; /* for snapshots; NULL: the working folder of each process */
    const char *reserve;   /* as UBIHEAP_WATCH_RESERVE; NULL: none */
} ubi__node_settings;

typedef struct ubi__node_file {
    char *path;       /* owned */
    bool is_complete; /* else its process ended while it was written */
} ubi__node_file;

UBI_VEC_DECLARE(ubi__vec_node_file, ubi__node_file);

/**
 * Runs words[0] with its arguments words[..], ended by NULL, and waits for its end.
 * @param wait_status  out: as waitpid gives it. @param exit_code  out, on UBI_EINVAL: 126 or 127, as a shell gives it.
 * Errors: UBI_EINVAL: it cannot be run; UBI_EIO, UBI_ENOMEM.
 */
ubi_status ubi__node_run(int *wait_status, int *exit_code, const ubi__node_settings *settings, char **words);

/** Whole path of the library. Errors: UBI_EIO: it is nowhere. */
ubi_status ubi__node_library_find(char *out, size_t size);

/** Snapshots in a folder that were begun at or after a time, in the order of their names. Errors: UBI_EIO, UBI_ENOMEM. */
ubi_status ubi__node_files_find(ubi__vec_node_file *out, const char *directory, int64_t since_s,
                                const ubi_allocator *allocator);
void ubi__node_files_fini(ubi__vec_node_file *files, const ubi_allocator *allocator);

#endif
