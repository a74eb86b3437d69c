/* SPDX-License-Identifier: MIT
 *
 * stacks.c: allocates from stacks of all kinds, and says what glibc's backtrace() makes of each: `S address size return
 * addresses`, from the caller of the function that called malloc outwards.
 */
#include <execinfo.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "truth.h"

#define MAX_FRAMES 120
#define STACK_BYTES (256 * 1024)

static volatile int sink;

static __attribute__((noinline)) void checked(size_t size) {
    void *frames[MAX_FRAMES];
    char line[64 + 20 * MAX_FRAMES];
    void *p = malloc(size);
    int frame_count = backtrace(frames, MAX_FRAMES);
    int n = snprintf(line, sizeof line, "S %lx %zu", (unsigned long)(uintptr_t)p, size);
    for (int i = 1; i < frame_count; i++)
        n += snprintf(line + n, sizeof line - (size_t)n, " %lx", (unsigned long)(uintptr_t)frames[i]);
    n += snprintf(line + n, sizeof line - (size_t)n, "\n");
    truth_write(line, n);
    free(p);
    sink++;
}

static __attribute__((noinline)) void deep(int depth, unsigned path) {
    volatile char room[64 + 16 * (path & 3)]; /* frames of different sizes, some found by rbp */
    room[0] = (char)depth;
    if (depth == 0)
        checked(10 + path % 7);
    else if (path >> depth & 1)
        deep(depth - 1, path);
    else {
        if (path % 5 == 0)
            checked(30);
        deep(depth - 1, path * 3 + 1);
    }
    sink += room[0];
}

static int compare(const void *a, const void *b) {
    checked(50);
    return *(const int *)a - *(const int *)b;
}

static jmp_buf out;

static __attribute__((noinline)) void jump_from(int depth) {
    volatile int kept = depth;
    if (depth == 0) {
        checked(60);
        longjmp(out, 1);
    }
    jump_from(depth - 1);
    sink += kept;
}

static ucontext_t main_context, other_context;

static void coroutine(void) {
    for (int i = 0; i < 5; i++) {
        deep(i, (unsigned)i * 77);
        swapcontext(&other_context, &main_context);
    }
}

/* Coroutines whose stacks are unmapped, and whose places others take. */
static void coroutines(void) {
    for (int round = 0; round < 6; round++) {
        void *stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        getcontext(&other_context);
        other_context.uc_stack.ss_sp = stack;
        other_context.uc_stack.ss_size = STACK_BYTES;
        other_context.uc_link = NULL;
        makecontext(&other_context, coroutine, 0);
        for (int i = 0; i < 1 + round % 5; i++) {
            swapcontext(&main_context, &other_context);
            checked(70);
        }
        munmap(stack, STACK_BYTES);
        checked(80);
    }
}

/* Says where handlers return to: `R address`. Behind it, a stack has the address that was interrupted. */
static void say_restorer(int number) {
    struct {
        void *handler;
        unsigned long flags;
        void *restorer;
        unsigned long mask;
    } action;
    char line[64];
    if (syscall(SYS_rt_sigaction, number, NULL, &action, sizeof action.mask))
        abort();
    truth_write(line, snprintf(line, sizeof line, "R %lx\n", (unsigned long)(uintptr_t)action.restorer));
}

static void handler(int number) {
    checked(90 + (size_t)number);
    deep(3, (unsigned)number);
}

static void signals(void) {
    static char alternate[STACK_BYTES];
    stack_t stack = { .ss_sp = alternate, .ss_size = sizeof alternate };
    struct sigaction action = { .sa_handler = handler };
    sigaction(SIGUSR1, &action, NULL);
    say_restorer(SIGUSR1);
    raise(SIGUSR1);
    sigaltstack(&stack, NULL);
    action.sa_flags = SA_ONSTACK;
    sigaction(SIGUSR2, &action, NULL);
    raise(SIGUSR2);
    checked(95);
}

static void *everything(void *unused) {
    int numbers[] = { 5, 3, 9, 1, 7, 2 };
    for (unsigned i = 0; i < 200; i++)
        deep((int)(i % 30), i * 2654435761u);
    qsort(numbers, 6, sizeof *numbers, compare);
    for (int i = 0; i < 20; i++)
        if (!setjmp(out))
            jump_from(i);
        else
            checked(65);
    coroutines();
    return unused;
}

int main(void) {
    pthread_t thread;
    void *frames[4];
    backtrace(frames, 4); /* loads what it needs */
    truth_begin();
    everything(NULL);
    signals();
    pthread_create(&thread, NULL, everything, NULL);
    pthread_join(thread, NULL);
    truth_end();
    return 0;
}
