/* SPDX-License-Identifier: MIT
 *
 * recording_processes.h: the files of processes that were recorded together (ubiheap record --follow-children), read as one.
 *
 * FILE of the first process and those of the others, FILE.PID and FILE.PID.N, which have a number in common.
 */
#ifndef UBI_RECORDING_RECORDING_PROCESSES_H
#define UBI_RECORDING_RECORDING_PROCESSES_H

#include "base/assert.h"
#include "base/source.h"
#include "recording/recording_summary.h"
#include "recording/ubirec_merge.h"

typedef struct ubi__recording_process {
    char *path; /* path[path_bytes], owned */
    size_t path_bytes;
    char name[64]; /* of the program's file, without folders */
    char started_as
        [64]; /* argv[0], without folders: the name of a link, or what the program says of itself; "": the same */
    uint64_t pid, parent_pid, start_unix_ns;
    ubi__ubirec_about about; /* numbers alone */
    uint64_t n_samples;      /* of the heap; in exact recordings allocations, as here below */
    double count, bytes, freed_bytes;
} ubi__recording_process;
UBI_VEC_DECLARE(ubi__vec_recording_process, ubi__recording_process);

/** A process's file that another one names but that is missing or of another recording. */
typedef struct ubi__recording_missing {
    char *path; /* path[path_bytes], owned */
    size_t path_bytes;
    char name[64]; /* of the program's file, without folders */
} ubi__recording_missing;
UBI_VEC_DECLARE(ubi__vec_recording_missing, ubi__recording_missing);

typedef struct ubi__recording_processes {
    const ubi_allocator *allocator;
    ubi__vec_recording_process
        rows;                 /* the first one first, the others in the order of time; n 0: a file of one process */
    ubi__ubirec_merge *merge; /* while they are read as one; else NULL */
    bool are_summed;          /* they were read as one, and rows have sums */
    const char *first;        /* path of the first one's file; NULL: a file of one process */
    const char *wanted;       /* NULL: all */
    uint64_t recording;       /* what they have in common */
    uint64_t identity; /* of all their files: another one when a file is written to or replaced, or there are more */
    ubi__vec_recording_missing missing;
    uint32_t n_given_up; /* of several: how many gave up their recorder, so the loss is unknown */
} ubi__recording_processes;

/** The first is first, the others are in the order of time, and only of a group is one named. O(processes). */
void ubi__recording_processes_check(const ubi__recording_processes *processes);

/**
 * Finds the files that belong to `path`, as far as they are wanted. @param path, wanted  borrowed. @param wanted  a pid, the name of a
 * program's file, or the one that it was started with; NULL: all. @param allocator  NULL: the default.
 * Errors: UBI_EINVAL: no such process; UBI_ENOMEM.
 */
ubi_status ubi__recording_processes_find(ubi__recording_processes *out, const char *path, const char *wanted,
                                         const ubi_allocator *allocator);
/** All zeroes is fine. */
void ubi__recording_processes_fini(ubi__recording_processes *p);
/** Files of the group: those of all processes, or the one that was named. */
static inline size_t ubi__recording_file_count(const ubi__recording_processes *p) {
    return p->rows.n ? p->rows.n : 1;
}
/** The i-th of them; `path` is the one that was named. Borrowed. */
static inline const char *ubi__recording_file(const ubi__recording_processes *p, const char *path, size_t i) {
    return p->rows.n ? p->rows.at[UBI_INDEX(i, p->rows.n)].path : path;
}
/** Puts the files together, several: a source of their own, to be closed. Errors: UBI_EIO, those of reading. */
ubi_status ubi__recording_processes_open(ubi__recording_processes *p, ubi__source *out, const ubi_progress *progress);
/** What each process has, after reading; faults in their files, and which files are missing. Errors: UBI_ENOMEM. */
ubi_status ubi__recording_processes_sum(ubi__recording_processes *p, ubi__recording_summary *summary);
/** Which files are missing of those that the tables name. Errors: UBI_ENOMEM. */
ubi_status ubi__recording_processes_find_missing(ubi__recording_processes *p, const ubi__ubirec_tables *tables);
struct ubi__columns;
/**
 * Passes what each process has (base/column_file.h), after the tables. Read, processes were found, and get it; what is missing is looked for.
 * Errors: those of passing.
 */
ubi_status ubi__recording_processes_pass(struct ubi__columns *c, ubi__recording_processes *p,
                                         const ubi__ubirec_tables *tables);
/** By their start, for qsort: elements are ubi__recording_process. */
int ubi__recording_process_compare(const void *a, const void *b);
/** "sort", or "redis-server (redis-check-rdb)" where it was started with another name than its file's. */
#define UBI__PROCESS_NAME 132
void ubi__recording_process_name(char out[UBI__PROCESS_NAME], const ubi__recording_process *process);

#endif
