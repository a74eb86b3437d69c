/* SPDX-License-Identifier: MIT
 *
 * native_record.h: runs a program and records what it allocates, in a file for each of its processes.
 *
 *     ubiheap, one thread of work:   signals, processes that connect, what they wrote -> files, at the end symbols
 *             one more:              the clocks (native_clock.h)
 *             and one:               symbols of what has ended (native_symbols.h)
 *     the program:                   libubiheap-preload.so
 *
 * A program that runs already is attached to (native_attach.h) instead of started.
 *
 * The program's life does not depend on ours: when a file cannot be written, when recording is over, when this process is
 * killed, it continues undisturbed.
 */
#ifndef UBI_TARGETS_NATIVE_RECORD_H
#define UBI_TARGETS_NATIVE_RECORD_H

#include "base/alloc.h"
#include "targets/native/native_results.h"
#include "targets/native/native_session.h"

/** Most processes named that a recording waits for after the program has ended. */
#define UBI__WAITING_NAMED 3
typedef struct ubi__native_waiting {
    uint64_t n;
    int64_t pids[UBI__WAITING_NAMED]; /* of the first ones */
    char names[UBI__WAITING_NAMED][64];
} ubi__native_waiting;

typedef struct ubi__native_settings {
    uint64_t period_bytes; /* 1: exact */
    pid_t attach_to;       /* a process that runs already; 0: a program is started */
    uint64_t duration_us;  /* then recording ends; 0: with the program */
    const char *output;    /* NULL: PROGRAM.PID.ubirec in the working folder; of further processes, .PID is appended */
    const char *library;   /* libubiheap-preload.so */
    struct ubi__native_live *live; /* what is recorded, for others to see meanwhile (native_live.h); NULL: not wanted */
    bool is_paused;                /* nothing is recorded until it is started (native_control.h) */
    bool with_children, with_mappings, with_markers, with_symbols, with_debuginfod;
    ubi__native_results_maker maker; /* of results that programs ask for */
    /** Called a second after the program's end, and later when there are others, ever more seldom; or NULL. */
    void (*report_waiting)(const ubi__native_waiting *waiting);
    /** The process that was attached to is recorded from now on; or NULL. @param n_refused  calls that could not be led to us. */
    void (*report_attached)(pid_t pid, uint64_t n_refused);
    /**
     * A process is recorded from now on; it waits meanwhile, so this is to be quick. Then, that it is no longer. Or NULL, both.
     * @param name  of its program's file, without folders; borrowed during the call.
     */
    void (*on_process)(void *payload, pid_t pid, const char *name);
    void (*on_process_end)(void *payload, pid_t pid);
    void *process_payload; /* of both */
    /** The header and each block of the first process's file, when they were written; then the time, several times a second. Or NULL. */
    void (*on_bytes)(void *payload, const void *data, size_t n_bytes);
    void (*on_time)(void *payload, uint64_t now_ns);
    void *bytes_payload; /* of both */
} ubi__native_settings;

/** The result of one process. */
typedef struct ubi__native_file {
    char *path; /* path[path_bytes], owned */
    size_t path_bytes;
    int64_t pid;
    char name[64];                 /* of the program's file, without folders */
    uint64_t allocations, markers; /* in the file */
    uint64_t allocated_bytes;      /* on the heap, estimated when sampling */
    uint64_t dropped;              /* events that were lost */
    ubi__wire_scripts scripts;     /* whether frames of scripts are missing in its stacks, and why */
    uint64_t deep_binds;           /* times that RTLD_DEEPBIND was removed from dlopen */
    uint64_t namespaces;           /* calls of dlmopen for another namespace, of which nothing is seen */
    uint64_t file_bytes;
    ubi__ubirec_end end; /* of the process, as far as it is known */
    bool is_program;     /* it is the program that was started, and not one of its children */
    ubi_status status;   /* not UBI_OK: the file ends early, and `message` says why */
    char message[512];
    char replaced_by[4096]; /* the program that the process became, which was not recorded in this file; "": none */
} ubi__native_file;

UBI_VEC_DECLARE(ubi__vec_native_file, ubi__native_file);

typedef struct ubi__native_result {
    const ubi_allocator *allocator;
    ubi__vec_native_file files; /* that of the program comes first; none: nothing was loaded into it */
    int wait_status;            /* of the program, as waitpid gives it */
    bool was_stopped;           /* recording ended before the processes did */
    char left_behind[512];      /* of a process that was attached to: why its calls still pass through us; "" */
    uint64_t n_refused;         /* processes that we could not record */
    char refusal[512];          /* why the first of them */
    ubi__vec_native_unrecorded unrecorded; /* of all processes, by name and reason; the first ones */
} ubi__native_result;

/**
 * Attaches to settings->attach_to, or runs words[n_words], n_words > 0, and waits for its end and that of all processes that are recorded.
 *
 * @param out        set on UBI_OK: the program ran. What became of the recording is there.
 * @param exit_code  out, on failure: what a shell gives when a program cannot be started (126, 127); else untouched.
 * Errors, before the program begins: UBI_EINVAL, UBI_EIO, UBI_ENOMEM.
 * Signals: while it works, INT, QUIT, TERM, HUP, USR1, USR2, CHLD, PIPE and XFSZ of the process are blocked.
 */
ubi_status ubi__native_record(ubi__native_result *out, const ubi__native_settings *settings, char **words,
                              size_t n_words, int *exit_code, const ubi_allocator *allocator);
void ubi__native_result_fini(ubi__native_result *result);

#endif
