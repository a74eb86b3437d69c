/* SPDX-License-Identifier: MIT
 *
 * interrupt.c: signal handlers. They touch one flag and call only what is safe in a handler.
 */
#include "cli/interrupt.h"

#include <signal.h>
#include <unistd.h>

#include "cli/command.h"

static volatile sig_atomic_t interrupts;

static void leave(int signal_number) {
    (void)signal_number;
    _exit(UBI__EXIT_INTERRUPTED);
}

static void on_interrupt(int signal_number) {
    if (interrupts)
        leave(signal_number);
    interrupts = 1;
    alarm(1);
}

static void handle(int signal_number, void (*handler)(int)) {
    struct sigaction action = { .sa_handler = handler };
    sigemptyset(&action.sa_mask);
    sigaction(signal_number, &action, NULL);
}

void ubi__interrupt_install(void) {
    handle(SIGINT, on_interrupt);
    handle(SIGALRM, leave);
    handle(SIGPIPE, SIG_IGN);
}

void ubi__interrupt_accept(void) {
    alarm(0);
    interrupts = 0;
}

bool ubi__interrupted(void) {
    return interrupts != 0;
}
