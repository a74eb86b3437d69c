/* SPDX-License-Identifier: MIT
 *
 * timeline_write.h: the file of `ubiheap run --timeline`, written while the program runs (docs/formats/timeline.md).
 *
 * A consumer of what a timeline front reports. Each pull is one write, so a program that is killed leaves all but what it did since
 * the last one. The first failure stays, and is reported at the end.
 */
#ifndef UBI_FORMATS_TIMELINE_TIMELINE_WRITE_H
#define UBI_FORMATS_TIMELINE_TIMELINE_WRITE_H

#include <ubiheap/views/timeline_front.h>

/** For the first line. */
typedef struct ubi__timeline_about {
    const char *program; /**< what runs; NULL: unknown */
} ubi__timeline_about;

typedef struct ubi__timeline_writer ubi__timeline_writer;

/**
 * Creates the file, or empties it, and writes the first line. Process id and the time of day are those of this process.
 * @param allocator  NULL: the default. Errors: UBI_EIO, UBI_ENOMEM.
 */
ubi_status ubi__timeline_writer_open(ubi__timeline_writer **out, const char *path, const ubi__timeline_about *about,
                                     const ubi_allocator *allocator);
/** The `event` of a front's host; the payload is the writer. The front must record with_frames. */
void ubi__timeline_writer_event(void *writer, const ubi_timeline_event *event);
/** A figure of memory of the host's own, in bytes, with the time of now; it is written with the next pull. */
void ubi__timeline_writer_figure(ubi__timeline_writer *writer, const char *name, uint64_t bytes);
/**
 * Ends and frees it. `ended`: the program ended, and a line says so.
 * Errors: UBI_EIO, UBI_ENOMEM, now or earlier: something is missing in the file.
 */
ubi_status ubi__timeline_writer_close(ubi__timeline_writer *writer, bool ended);

#endif
