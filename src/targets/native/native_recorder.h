/* SPDX-License-Identifier: MIT
 *
 * native_recorder.h: what the files of the recorder share: native_record.c (its loop), native_arrivals.c (processes that connect).
 *
 * Sessions are in a list, from the connection of their process until their file is finished. Those that have ended belong to
 * the thread that looks symbols up (native_symbols.h) until they are done: of them, only what never changes is read here.
 */
#ifndef UBI_TARGETS_NATIVE_NATIVE_RECORDER_H
#define UBI_TARGETS_NATIVE_NATIVE_RECORDER_H

#include <limits.h>

#include "base/atomic_file.h"
#include "targets/native/native_attach.h"
#include "targets/native/native_control.h"
#include "targets/native/native_launch.h"
#include "targets/native/native_record.h"
#include "targets/native/native_symbols.h"

typedef struct ubi__native_recorder {
    const ubi_allocator *allocator;
    const ubi__native_settings *settings;
    ubi__native_result *result;
    ubi__native_program program;
    ubi__native_door door;
    ubi__native_control control;
    ubi__native_launch launch;
    ubi__native_attach attach; /* when the settings want it */
    pid_t main_pid;            /* of the program */
    ubi__native_clock clock;
    ubi__native_symbols symbols; /* if the settings want them */
    ubi__native_looks looks;
    ubi__native_session *sessions;
    int events; /* an epoll: signals, the door, finished files, and the ends of processes, with their session */
    char path[PATH_MAX];   /* of the program's file */
    ubi__atomic_file file; /* it, until the program has connected */
    bool has_main;         /* it has */
    uint64_t number;       /* of this recording, in the files of all processes; 0: there is one process */
    uint64_t began_ns, stock_ns;
    uint64_t unix_less_monotonic_ns; /* looked at once, so that times of all files are on one scale */
    uint64_t stop_ns;                /* when recording ends for all; UINT64_MAX: not before they do */
    bool is_stopped;
    uint64_t waiting_ns; /* when it is time for words on who is waited for; 0: the program has not ended yet */
    uint64_t waiting_step_ns, waiting_mark; /* until the next words; and of which processes the last ones were */
    uint64_t alone_ns;                      /* since when no process is recorded any more; 0: one is */
} ubi__native_recorder;

/** A session ends; the rest is work for its file alone. Once. */
void ubi__native_recorder_end_session(ubi__native_recorder *r, ubi__native_session *s, const ubi__ubirec_end *end);
/** Counts processes that are not recorded. @param why  kept of the first. */
void ubi__native_recorder_refuse(ubi__native_recorder *r, uint64_t n, const char *why);
/**
 * Wakes the loop up. @param session  whose process's end the descriptor reports; NULL: it has another meaning.
 * Errors: UBI_EIO.
 */
ubi_status ubi__native_recorder_watch(const ubi__native_recorder *r, int fd, ubi__native_session *session);
/** A process that has connected gets its file and its memory. Errors: UBI_EIO, UBI_ENOMEM; one that is refused is counted and no error. */
ubi_status ubi__native_recorder_admit(ubi__native_recorder *r, int socket, pid_t pid);
/** All that wait at the door. */
void ubi__native_recorder_answer_door(ubi__native_recorder *r);
/** The name of a session's program, without its folders. */
void ubi__native_session_program_name(char *out, size_t size, const ubi__native_session *s);

#endif
