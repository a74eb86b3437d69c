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

/**
 * Takes over SIGINT and SIGALRM, ignores SIGPIPE so that a closed pipe is a write error, and lets a file that grows too large be
 * one (SIGXFSZ). A SIGINT that is already ignored, as by nohup or for background jobs of shells, stays ignored.
 */
void ubi__interrupt_install(void);
bool ubi__interrupted(void);
/**
 * The point from which all ends well or by an error: an interrupt after it has no effect. Comes before a result takes its place,
 * so that no interrupted command leaves a complete one. False: there was an interrupt before.
 */
bool ubi__interrupt_settle(void);
/** Restores the signals for a program that replaces the process in the user's eyes. */
void ubi__interrupt_restore(void);
/** The interrupted work has stopped and other work begins: the next SIGINT counts as the first. */
void ubi__interrupt_accept(void);

#endif
