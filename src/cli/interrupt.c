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

/* What is taken over, and what was there. */
static struct taken_over {
    int signal_number;
    void (*handler)(int);
    struct sigaction before;
} taken_over[] = {
    { .signal_number = SIGINT, .handler = on_interrupt },
    { .signal_number = SIGALRM, .handler = leave },
    { .signal_number = SIGPIPE, .handler = SIG_IGN },
};

#define N_TAKEN_OVER (sizeof taken_over / sizeof *taken_over)

void ubi__interrupt_install(void) {
    for (size_t i = 0; i < N_TAKEN_OVER; i++) {
        struct sigaction action = { .sa_handler = taken_over[i].handler };
        sigemptyset(&action.sa_mask);
        sigaction(taken_over[i].signal_number, &action, &taken_over[i].before);
    }
}

void ubi__interrupt_restore(void) {
    for (size_t i = 0; i < N_TAKEN_OVER; i++)
        sigaction(taken_over[i].signal_number, &taken_over[i].before, NULL);
}

void ubi__interrupt_accept(void) {
    alarm(0);
    interrupts = 0;
}

bool ubi__interrupted(void) {
    return interrupts != 0;
}
