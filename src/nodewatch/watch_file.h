/* SPDX-License-Identifier: MIT
 *
 * watch_file.h: the file of a snapshot: written as V8 serializes it, and given its name when it is complete.
 *
 * While it is written its name ends in ".part". It gets its own after V8 has said that it is done, every write has succeeded, the data
 * are on the disk, and the file has as many bytes as were written.
 */
#ifndef UBI_NODEWATCH_WATCH_FILE_H
#define UBI_NODEWATCH_WATCH_FILE_H

#include <limits.h>

#include "nodewatch/v8_calls.h"

typedef struct ubi__watch_file {
    const ubi__v8_stream *table; /* first: V8 takes the file for an object of its own */
    char path[PATH_MAX];
    char part[PATH_MAX];
    int fd;
    uint64_t n_bytes;
    bool has_ended;
    int error; /* errno of the first write that failed; 0: none */
} ubi__watch_file;

/** Its names differ by ".part", and it has the bytes that were counted, unless a write failed. */
void ubi__watch_file_check(const ubi__watch_file *file);
/** FOLDER/oom-TIME-PID.heapsnapshot, for the time now in UTC. @return 0 or errno. */
int ubi__watch_file_open(ubi__watch_file *file, const char *folder);
/** @return 0: it is complete and has its name; else errno, and nothing is left. ECANCELED: V8 did not end it. */
int ubi__watch_file_close(ubi__watch_file *file);

#endif
