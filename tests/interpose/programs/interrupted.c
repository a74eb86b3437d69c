/* SPDX-License-Identifier: MIT
 *
 * interrupted.c jump|stay: allocates while signals come, whose handler allocates, too, and goes back or jumps out.
 * Prints how many blocks of 777 bytes the handler was given and how many of 555 the program was.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

static volatile sig_atomic_t n_handled, jumps;
static sigjmp_buf out;
static volatile long n_program;

static void handler(int number) {
    (void)number;
    void *volatile p = malloc(777);
    free(p);
    n_handled++;
    if (jumps)
        siglongjmp(out, 1);
}

static __attribute__((noinline)) void allocate(int depth) {
    volatile int kept = depth;
    if (depth > 0) {
        allocate(depth - 1);
        kept--;
        return;
    }
    void *volatile p = malloc(555);
    n_program++;
    free(p);
}

int main(int argc, char **argv) {
    struct sigaction action = { .sa_handler = handler };
    struct itimerval timer = { { 0, 100 }, { 0, 100 } };
    jumps = argc > 1 && !strcmp(argv[1], "jump");
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &timer, NULL);
    sigsetjmp(out, 1);
    while (n_handled < 2000)
        allocate((int)(n_program % 20));
    timer = (struct itimerval){ 0 };
    setitimer(ITIMER_REAL, &timer, NULL);
    jumps = 0;
    for (int i = 0; i < 1000; i++) /* whatever was interrupted, from now on all is well */
        free(malloc(888));
    printf("%ld %ld\n", (long)n_handled, n_program);
    return 0;
}
