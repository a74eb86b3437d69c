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

#include "targets/native/native_door.h"
#include "targets/native/native_program.h"

typedef struct ubi__native_launch {
    sigset_t mask_before;
    bool ignores_children; /* SIGCHLD was ignored; not while we wait for one */
    int signals;           /* a signalfd; -1: none */
    int gate;              /* the program starts when this is written to; -1: open */
    int failure;           /* exec's errno comes from here */
    pid_t pid;             /* 0: not made yet, or gone */
    bool has_ended;
    int wait_status; /* then */
} ubi__native_launch;

/**
 * Makes the process, which waits at the gate, so that a file can have its name before it begins.
 * Errors: UBI_EIO, UBI_ENOMEM.
 */
ubi_status ubi__native_launch_open(ubi__native_launch *launch, const ubi__native_program *program,
                                   const ubi__native_door *door);
/** Lets the program begin. Errors: UBI_EINVAL: it could not be executed (*exit_code is 126 or 127 then); UBI_EIO. */
ubi_status ubi__native_launch_go(ubi__native_launch *launch, const ubi__native_program *program, int *exit_code);
/**
 * Handles the signals that have come: learns of the end of the program, and passes on what was sent to us.
 * @return whether a signal asked us to end (INT, TERM, HUP, QUIT), from the terminal or not.
 */
bool ubi__native_launch_attend(ubi__native_launch *launch);
/** A program that still waits at the gate is ended. Signals are as they were. */
void ubi__native_launch_close(ubi__native_launch *launch);

#endif
