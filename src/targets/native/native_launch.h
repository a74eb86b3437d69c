/* SPDX-License-Identifier: MIT
 *
 * native_launch.h: starts the program, and handles its signals while it runs.
 *
 * The program gets our environment with the recorder in LD_PRELOAD, before what is there already (a preloaded allocator
 * must come after the recorder to be seen), and the signal mask and dispositions that we were started with.
 * It stays in our process group, so a terminal's signals reach it without us.
 *
 * While a launch is open, signals of this process are blocked and come out of `signals`: those sent to us alone are
 * passed on.
 */
#ifndef UBI_TARGETS_NATIVE_LAUNCH_H
#define UBI_TARGETS_NATIVE_LAUNCH_H

#include <signal.h>
#include <sys/types.h>
#include <sys/un.h>

#include <ubiheap/core/base.h>

#include "targets/native/native_program.h"

/* ---- the door ----------------------------------------------------------------------------------------------------- */

/*
 * The folder is made in $XDG_RUNTIME_DIR, $TMPDIR or /tmp, and removed in the end. One that was left behind, because its
 * ubiheap was killed, is removed by the next one that makes a folder there. It also holds a link to the library when
 * the library's own path has characters that LD_PRELOAD takes for separators.
 */

typedef struct ubi__native_door {
    char folder[64];
    char socket_path[sizeof(((struct sockaddr_un *)NULL)->sun_path)];
    char library[4096]; /* as LD_PRELOAD is to have it */
    bool has_link;
    int fd;   /* listens, and never blocks; -1: closed */
    int lock; /* the folder, locked as long as we live; -1: none */
} ubi__native_door;

/** @param library  path of libubiheap-preload.so. Errors: UBI_EIO. */
ubi_status ubi__native_door_open(ubi__native_door *door, const char *library);
/** Whether a folder of this name may be one of a door. */
bool ubi__native_door_is_folder(const char *name);
/** No other process is expected. What else is in the folder stays. Again is fine. */
void ubi__native_door_shut(ubi__native_door *door);
/** Again is fine. */
void ubi__native_door_close(ubi__native_door *door);
/**
 * Lets in one process that waits. Those of other users are sent away; when we are root, those that descend from us are
 * not, for such a program may have given its rights away.
 * @param pid  out: of the process, as the kernel knows it.
 * @return its socket, on which nothing waits longer than a second; -1: no process waits.
 */
int ubi__native_door_answer(ubi__native_door *door, pid_t *pid);

/* ---- the program -------------------------------------------------------------------------------------------------- */

typedef struct ubi__native_launch {
    sigset_t mask_before;
    bool was_ignoring_children; /* SIGCHLD was ignored; not while we wait for one */
    int signals;                /* a signalfd; -1: none */
    int gate;                   /* the program starts when this is written to; -1: open */
    int failure;                /* exec's errno comes from here */
    pid_t pid;                  /* 0: not made yet, or gone */
    bool has_ended;
    int wait_status;     /* then */
    uint64_t peak_bytes; /* then: the most that was resident of it; 0: no more than of us, or of it and its children */
    uint64_t
        own_peak_kib; /* of us, when it was made: the system counts into its peak what it was before it became the program */
} ubi__native_launch;

/**
 * Makes the process, which waits at the gate, so that a file can have its name before it begins.
 * Errors: UBI_EIO, UBI_ENOMEM.
 */
ubi_status ubi__native_launch_open(ubi__native_launch *launch, const ubi__native_program *program,
                                   const ubi__native_door *door);
/** For a program that runs already: signals alone; none is passed on, and it counts as ended. Errors: UBI_EIO. */
ubi_status ubi__native_launch_none(ubi__native_launch *launch);
/** Lets the program begin. Errors: UBI_EINVAL: it could not be executed (*exit_code is 126 or 127 then); UBI_EIO. */
ubi_status ubi__native_launch_go(ubi__native_launch *launch, const ubi__native_program *program, int *exit_code);
/**
 * Handles the signals that have come: learns of the end of the program, and passes on what was sent to us.
 * @return whether a signal asked us to end (INT, TERM, HUP, QUIT), from the terminal or not.
 */
bool ubi__native_launch_attend(ubi__native_launch *launch);
/** A program that still waits at the gate is ended. Signals are as they were. */
void ubi__native_launch_close(ubi__native_launch *launch);

/* ---- the library -------------------------------------------------------------------------------------------------- */

/**
 * Where libubiheap-preload.so is: what UBIHEAP_PRELOAD says, else by the place of our own executable.
 * Errors: UBI_EIO: nowhere.
 */
ubi_status ubi__native_library_find(char *out, size_t size);
/** The same of any file that is installed with it, which an environment variable can name. */
ubi_status ubi__native_part_find(char *out, size_t size, const char *file, const char *variable);

#endif
