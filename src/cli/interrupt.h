/* SPDX-License-Identifier: MIT
 *
 * interrupt.h: the user's Ctrl-C.
 *
 * The first SIGINT asks the running work to stop at its next progress report or write. The second one, or a second without
 * such a chance (a read that blocks), ends the process at once, with the exit code of an interrupt.
 */
#ifndef UBI_CLI_INTERRUPT_H
#define UBI_CLI_INTERRUPT_H

#include <stdbool.h>

/** Takes over SIGINT and SIGALRM, and ignores SIGPIPE so that a closed pipe is a write error. */
void ubi__interrupt_install(void);
bool ubi__interrupted(void);
/** As the process was started, for a program that takes its place in the user's eyes. */
void ubi__interrupt_restore(void);
/** The work that was to stop did, and other work begins: the next SIGINT is again the first. */
void ubi__interrupt_accept(void);

#endif
