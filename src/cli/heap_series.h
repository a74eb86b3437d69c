/* SPDX-License-Identifier: MIT
 *
 * heap_series.h: snapshots of a program that runs, taken one after the other: what a command that compares heaps may have in place of
 * files. Any scheme serves that has the operations of targets/remote.h.
 */
#ifndef UBI_CLI_HEAP_SERIES_H
#define UBI_CLI_HEAP_SERIES_H

#include "cli/command.h"
#include "targets/remote.h"

/** The most that are taken: each has a descriptor. */
#define UBI__HEAP_SERIES_MOST 250

/** A snapshot that was taken: a file without a name (session/remote_file.h), or a graph. */
typedef struct ubi__taken_heap {
    uint64_t resident_bytes, resident_after_bytes; /**< of its process in RAM, before and after it; 0: unknown */
    int fd;                                        /**< owned; -1: someone else owns it now, or there is a graph */
    ubi_graph *graph; /**< one reference; a token of the record, except that of the newest heap; NULL: none */
    char label[320];  /**< such as "firefox://127.0.0.1:6000#2" */
} ubi__taken_heap;

typedef struct ubi__heap_series {
    ubi__taken_heap *heaps; /**< owned heaps[n], the newest last; room for UBI__HEAP_SERIES_MOST */
    uint32_t n;
    struct ubi__leak_record *record; /**< of the older heaps (analyses/leaks/leak_record.h), with keeps_ids; or NULL */
    uint64_t n_other_heaps;          /**< most worker threads that the program had, whose heaps were not looked at */
    uint64_t n_other_processes;      /**< likewise, of its cluster */
    uint32_t pid;                    /**< of a process of this machine that they are from; 0: unknown */
    bool has_ended;                  /**< what they were taken from has, as far as that is known */
    char fault[512]; /**< why there are not as many as were wanted; "": there are, or the user had enough */
} ubi__heap_series;

typedef struct ubi__heap_series_options {
    const char *address;
    uint64_t interval_us; /**< from the end of one to the start of the next */
    uint64_t n;           /**< 0: until Ctrl-C, or UBI__HEAP_SERIES_MOST */
    uint32_t n_least;     /**< enough for an answer after Ctrl-C, or when the program has ended */
    bool must_collect;    /**< garbage, before each */
    bool keeps_ids;       /**< of older heaps ids and classes alone: no file is made, and one graph is in memory */
    bool is_forced;       /**< as of ubi__remote_address, as what follows */
    uint64_t patience_us;
    const char
        *target; /**< what is chosen at the address, as of ubi__remote_target_read; NULL: what the address says */
    const char *
        beside; /**< a command that runs meanwhile (beside_command.h): the series ends with it at the latest; NULL: none */
    /** Asked between snapshots: more would tell no more. NULL: all are taken. */
    bool (*is_enough)(void *payload, const ubi__heap_series *series);
    void *payload;
} ubi__heap_series_options;

/** What a heap of a series is taken from: one that is attached to. Borrowed. */
typedef struct ubi__heap_source {
    ubi__cli *cli;
    const char *address;
    const ubi__remote_ops *ops;
    ubi__remote *remote;
    uint64_t n_wanted; /**< 0: unknown */
    bool must_collect, keeps_ids;
} ubi__heap_source;

/** No heaps, with room for UBI__HEAP_SERIES_MOST. Errors: UBI_ENOMEM. */
ubi_status ubi__heap_series_init(ubi__heap_series *out);
/**
 * Takes the next heap, with a line on standard error, unless progress is switched off.
 * @param name  ADDRESS#name is its label; NULL: its number. Errors: those of ubi__remote_ops; UBI_EIO (no room for the file).
 */
ubi_status ubi__heap_series_add(ubi__heap_series *series, const ubi__heap_source *source, const char *name);

/**
 * Takes the series over one connection, with a line for each snapshot on standard error, unless progress is switched off.
 * @param out  closed by ubi__heap_series_close, also after a failure.
 * Errors: those of ubi__remote_ops, UBI_ECANCELLED, when there are fewer than `n_least`. A later Ctrl-C counts as the first.
 */
ubi_status ubi__heap_series_take(ubi__heap_series *out, ubi__cli *cli, const ubi__heap_series_options *options);
void ubi__heap_series_close(ubi__heap_series *series);

#endif
