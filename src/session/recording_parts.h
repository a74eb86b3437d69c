/* SPDX-License-Identifier: MIT
 *
 * recording_parts.h: the parts of recordings and timelines, for questions about them.
 *
 * All are immutable and borrowed until the use ends, as those of heaps (ubiheap/extension/session.h), and have the same errors; in a
 * session of another kind they are UBI_EFORMAT. What a file has in front of a fault is read, and the fault said.
 */
#ifndef UBI_SESSION_RECORDING_PARTS_H
#define UBI_SESSION_RECORDING_PARTS_H

#include "base/column_file.h"
#include "formats/timeline/timeline_read.h"
#include "recording/event_stream.h"
#include "recording/recording_processes.h"
#include "recording/recording_sites.h"
#include "recording/site_curves.h"
#include "session/part.h"

/** What a program did when: a timeline, or the markers of a recording. */
typedef struct ubi__session_timeline {
    ubi__timeline_file file;            /**< of a recording, has no generator, and is not compressed */
    ubi__recording_processes processes; /**< that were recorded with it, of which the file has the first one; or none */
    const ubi_allocator *allocator;
} ubi__session_timeline;

/** What of a recording is read, and how its stacks are. Borrowed texts. */
typedef struct ubi__recording_choice {
    const char *process;     /**< of several, only those with this number or name; NULL: all */
    ubi__time_window window; /**< all zeroes: the whole */
    bool is_by_thread;       /**< threads have what lives of what they allocated: a summary of its own */
    bool with_symbols;       /**< names that it lacks are looked for, by the namer of the pool */
    bool
        with_wrappers; /**< what is known by what it does to ask for memory in the name of others is left out of stacks */
} ubi__recording_choice;

/** Keys of parts: what of a recording is read, "" for all of it, such as "1000-2000=cc1". To be freed as key[key_bytes]. */
typedef struct ubi__recording_key {
    char *text;
    size_t n_bytes;
} ubi__recording_key;
/** @param head  goes in front. Errors: UBI_ENOMEM. */
ubi_status ubi__recording_key_make(ubi__recording_key *out, const char *head, const ubi__recording_choice *choice,
                                   const ubi_allocator *allocator);
void ubi__recording_key_free(ubi__recording_key *key, const ubi_allocator *allocator);
/** The window and the process of a key without head; `process` is borrowed from it. */
void ubi__recording_key_read(ubi__recording_choice *out, const char *key);

typedef struct ubi__session_recording {
    const char *path; /**< of the file, or of the one process that was chosen */
    ubi__recording_processes processes;
    ubi__recording_summary summary;
    ubi__recording_hints hints; /**< what has no names even so */
    const ubi_allocator *allocator;
    bool is_of_index;
    char *wanted; /* wanted[wanted_bytes], the process; or NULL */
    size_t wanted_bytes;
} ubi__session_recording;

/** Passes what an index has of a recording: all processes, which were found if it is read, without names that it lacks. */
ubi_status ubi__session_recording_pass(ubi__columns *c, ubi__session_recording *recording);
/**
 * What a recording's window amounts to, by the checkpoints of its index. @param found  out: false: there are none that help.
 * Errors: those of ubi__recording_checkpoints_window, but those of damaged checkpoints.
 */
ubi_status ubi__session_checkpoints_window(ubi__recording_summary *out, bool *found, ubi_session_use *use,
                                           const char *path, const ubi__summary_choice *choice,
                                           const ubi_allocator *allocator);
/**
 * Curves of places of the heap of a whole recording, all processes. @param found  as above; then `curves` is as it was.
 * Errors: UBI_ENOMEM, those of the index.
 */
ubi_status ubi__session_checkpoints_curves(ubi__site_curves *curves, bool *found, ubi_session_use *use);
/** Makes those that an index is to have, and passes them. Errors: those of reading and of passing. */
ubi_status ubi__session_checkpoints_write(ubi__columns *c, const ubi__session_recording *recording,
                                          const ubi_session_use *use);
/** Of a recording; `with_wrappers` does not matter. Errors: also UBI_EINVAL: there is no such process. */
ubi_status ubi__session_recording_get(const ubi__session_recording **out, ubi_session_use *use,
                                      const ubi__recording_choice *choice);
/**
 * Reads its events from its files once more, in the order of time: of its window, what was allocated in it, and what of that was freed in it.
 * Numbers are those of its tables.
 * Errors: UBI_EINVAL: it came from a pipe; UBI_EFORMAT: the files are others by now; those of reading and of `stream`. Cost: O(records).
 */
ubi_status ubi__session_recording_events(const ubi__session_recording *recording, ubi_session_use *use,
                                         const ubi__event_stream *stream);
#define UBI__NAMES_DIGEST_BYTES 32
/**
 * A hash of the names that the namer of the pool has added to a recording, and of what it says is missing: answers depend on them, and
 * files with names may come and go. 0 where there is no namer, and for what is no recording.
 */
ubi_status ubi__session_names_digest(uint8_t out[UBI__NAMES_DIGEST_BYTES], ubi_session_use *use);
/**
 * Its places, sorted. Where no names were added, `with_symbols` makes no difference, and there is one part.
 */
ubi_status ubi__session_sites_get(const ubi__sites **out, ubi_session_use *use, const ubi__recording_choice *choice,
                                  ubi__site_order order);

/** What a file of a recording has, by its index, or else by reading it. */
typedef struct ubi__recording_file_facts {
    const ubi__recording_summary
        *summary; /**< of the file with an index of its own: what is about the whole alone, and no sums */
    ubi__ubirec_index index;
    ubi__recording_summary own; /**< that, unless it is the recording's */
} ubi__recording_file_facts;

typedef struct ubi__session_recording_files {
    ubi__recording_processes processes;
    const ubi_allocator *allocator;
    ubi__recording_file_facts *at; /**< at[n], of the file and of those recorded with it */
    size_t n, capacity;
} ubi__session_recording_files;

/** Of a recording, without reading files that have an index. */
ubi_status ubi__session_recording_files_get(const ubi__session_recording_files **out, ubi_session_use *use);
/** Of a timeline or a recording. */
ubi_status ubi__session_timeline_get(const ubi__session_timeline **out, ubi_session_use *use);

#endif
