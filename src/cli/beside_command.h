/* SPDX-License-Identifier: MIT
 *
 * beside_command.h: a command of the user's that runs beside ours, such as one that gives a server something to do. It has a process group of
 * its own, so that Ctrl-C on the terminal is ours alone, and all of it ends with us.
 */
#ifndef UBI_CLI_BESIDE_COMMAND_H
#define UBI_CLI_BESIDE_COMMAND_H

#include <sys/types.h>

#include <ubiheap/core/base.h>

typedef struct ubi__beside {
    const char *command; /* borrowed; NULL: there is none */
    pid_t group;         /* its process, and group; 0: it has ended */
    int status;          /* as of waitpid, when it has */
} ubi__beside;

/** `sh -c command`; it reads nothing, and what it prints goes to standard error. NULL: nothing is started. Errors: UBI_EIO. */
ubi_status ubi__beside_start(ubi__beside *out, const char *command);
/** What the channel of a program is to it. */
#define UBI__BESIDE_CHANNEL 3
/**
 * The same of words[0], as PATH leads to it, with its arguments, ended by NULL. Borrowed.
 * @param channel  a descriptor that it gets as UBI__BESIDE_CHANNEL; -1: none. Errors: UBI_EIO.
 */
ubi_status ubi__beside_start_program(ubi__beside *out, char *const *words, int channel);
/** Whether there was one, and it has ended by itself. */
bool ubi__beside_has_ended(ubi__beside *beside);
/** Asks it to end, if it has not, and after 2 seconds has it killed. */
void ubi__beside_stop(ubi__beside *beside);

#endif
