/* SPDX-License-Identifier: MIT
 *
 * ubirec_merge.h: the recordings of several processes as one, in the order of time.
 *
 *     ubi__ubirec_merge *m;
 *     ubi__ubirec_merge_new(&m, NULL);
 *     for each file:   ubi__ubirec_merge_add(m, path, &about);     the first is what the whole is about
 *     ubi__ubirec_merge_write(m, writer, &progress);               a recording like others
 *
 * Modules, frames, stacks and kinds that processes have in common are one; threads are all of them, each of its process. What
 * lived at a time is what lived in all processes then; so is resident memory. What a process did not free is left when it ends: its
 * file's last time, at which it ended, or was replaced by exec, or, in a file without an end, did the last thing that is known. A file that is damaged counts up to there.
 * Only the files of processes that ran at a time are open at that time. Memory: 0.6 MiB and tables for each of those.
 */
#ifndef UBI_RECORDING_UBIREC_MERGE_H
#define UBI_RECORDING_UBIREC_MERGE_H

#include "recording/ubirec_layout.h"
#include "recording/ubirec_writer.h"

typedef struct ubi__ubirec_merge ubi__ubirec_merge;

/** @param allocator  or NULL. Errors: UBI_ENOMEM. */
ubi_status ubi__ubirec_merge_new(ubi__ubirec_merge **out, const ubi_allocator *allocator);
/** NULL is fine. */
void ubi__ubirec_merge_free(ubi__ubirec_merge *m);
/**
 * @param path   borrowed as long as the merge lives.
 * @param about  of that file; only numbers of it are kept, but of the first.
 * Errors: UBI_ENOMEM; UBI_EINVAL: sampled otherwise than the first.
 */
ubi_status ubi__ubirec_merge_add(ubi__ubirec_merge *m, const char *path, const ubi__ubirec_about *about);
/** Once. Errors: those of writing, UBI_ENOMEM, UBI_ELIMIT, UBI_ECANCELLED; UBI_EIO: a file cannot be opened. */
ubi_status ubi__ubirec_merge_write(ubi__ubirec_merge *m, ubi__ubirec_writer *w, const ubi_progress *progress);
/** Which file a thread of the whole is of, by the order in which they were added. */
uint32_t ubi__ubirec_merge_file_of(const ubi__ubirec_merge *m, uint32_t thread);
/** Whether the process of a file gave its recorder up, or a later file has no end: how much was lost is unknown. */
bool ubi__ubirec_merge_gave_up(const ubi__ubirec_merge *m, uint32_t file);
/** What was wrong in a file; "": nothing. Bytes of an unfinished block at its end. */
const char *ubi__ubirec_merge_fault(const ubi__ubirec_merge *m, uint32_t file, uint64_t *torn_bytes);

/** The first record of a file. @return false: it is no recording, or cannot be read. @param take  called with it; texts are borrowed. */
bool ubi__ubirec_peek_about(const char *path, void (*take)(void *payload, const ubi__ubirec_about *about),
                            void *payload);

#endif
