/* SPDX-License-Identifier: MIT
 *
 * signal_name.c: as sigabbrev_np of glibc 2.32 has them; a program that uses that does not start with an older one.
 */
#include "base/signal_name.h"

#include <signal.h>
#include <stddef.h>

static const char *const names[] = {
    [SIGHUP] = "HUP",   [SIGINT] = "INT",       [SIGQUIT] = "QUIT", [SIGILL] = "ILL",   [SIGTRAP] = "TRAP",
    [SIGABRT] = "ABRT", [SIGBUS] = "BUS",       [SIGFPE] = "FPE",   [SIGKILL] = "KILL", [SIGUSR1] = "USR1",
    [SIGSEGV] = "SEGV", [SIGUSR2] = "USR2",     [SIGPIPE] = "PIPE", [SIGALRM] = "ALRM", [SIGTERM] = "TERM",
    [SIGCHLD] = "CHLD", [SIGSTKFLT] = "STKFLT", [SIGCONT] = "CONT", [SIGSTOP] = "STOP", [SIGTSTP] = "TSTP",
    [SIGTTIN] = "TTIN", [SIGTTOU] = "TTOU",     [SIGURG] = "URG",   [SIGXCPU] = "XCPU", [SIGXFSZ] = "XFSZ",
    [SIGPROF] = "PROF", [SIGVTALRM] = "VTALRM", [SIGPOLL] = "POLL", [SIGPWR] = "PWR",   [SIGWINCH] = "WINCH",
    [SIGSYS] = "SYS",
};

const char *ubi__signal_name(uint32_t number) {
    return number < sizeof names / sizeof *names ? names[number] : NULL;
}
