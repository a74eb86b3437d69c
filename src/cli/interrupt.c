/* SPDX-License-Identifier: MIT
 *
 * interrupt.c: signal handlers. They touch one flag and call only what is safe in a handler.
 */
#include "cli/interrupt.h"

#include <signal.h>
#include <unistd.h>

#include "cli/command.h"

static volatile sig_atomic_t interrupts;

static void process_leave(int signal_number) {
    (void)signal_number;
    _exit(UBI__EXIT_INTERRUPTED);
}

static void on_interrupt(int signal_number) {
    if (interrupts)
        process_leave(signal_number);
    interrupts = 1;
    alarm(1);
}

/* A write past the file size limit then fails, as on a full disk. Programs that we start do not inherit it. */
static void on_size_limit(int signal_number) {
    (void)signal_number;
}

/* What is taken over, and what was there. */
static struct taken_over {
    int signal_number;
    void (*handler)(int);
    struct sigaction before;
} taken_over[] = {
    { .signal_number = SIGINT, .handler = on_interrupt },
    { .signal_number = SIGALRM, .handler = process_leave },
    { .signal_number = SIGPIPE, .handler = SIG_IGN },
    { .signal_number = SIGXFSZ, .handler = on_size_limit },
};

#define N_TAKEN_OVER (sizeof taken_over / sizeof *taken_over)

void ubi__interrupt_install(void) {
    for (size_t i = 0; i < N_TAKEN_OVER; i++) {
        struct sigaction action = { .sa_handler = taken_over[i].handler, .sa_flags = SA_RESTART };
        sigemptyset(&action.sa_mask);
        if (taken_over[i].signal_number == SIGINT)
            action.sa_flags = 0; /* ends a read that waits */
        sigaction(taken_over[i].signal_number, &action, &taken_over[i].before);
        if (taken_over[i].signal_number != SIGALRM && taken_over[i].before.sa_handler == SIG_IGN)
            sigaction(taken_over[i].signal_number, &taken_over[i].before, NULL);
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

bool ubi__interrupt_settle(void) {
    static const int numbers[] = { SIGINT, SIGALRM };
    struct sigaction ignore = { .sa_handler = SIG_IGN }, before;
    sigaction(SIGINT, &ignore, &before);
    if (interrupts) { /* sent before it was ignored; its alarm is still to come */
        sigaction(SIGINT, &before, NULL);
        return false;
    }
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        sigaction(numbers[i], &ignore, NULL);
    return true;
}

bool ubi__interrupted(void) {
    return interrupts != 0;
}
