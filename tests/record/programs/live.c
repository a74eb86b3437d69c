/* SPDX-License-Identifier: MIT
 *
 * live.c: a program that does what it is asked to by letters on its standard input, for tests of views of it: a: keeps a MiB more; f: frees
 * one; p: prints "printed"; c: a child keeps two MiB more; x: crashes. It ends with its input.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOST 64

static void *kept[MOST];
static int n;

__attribute__((noinline)) static void keep_megabyte(void) {
    kept[n++ % MOST] = malloc(1 << 20);
}

/* Until the parent ends. */
static void child_run(const int until[2]) {
    char c;
    close(until[1]);
    keep_megabyte();
    keep_megabyte();
    while (read(until[0], &c, 1) > 0)
        continue;
    _exit(0);
}

int main(void) {
    int until[2];
    char c;
    if (pipe(until) != 0)
        return 1;
    while (read(0, &c, 1) == 1) {
        if (c == 'a')
            keep_megabyte();
        else if (c == 'f' && n > 0)
            free(kept[--n]);
        else if (c == 'p' && write(1, "printed\n", 8) != 8)
            return 1;
        else if (c == 'x')
            abort();
        else if (c == 'c' && fork() == 0)
            child_run(until);
    }
    close(until[1]);
    while (wait(NULL) > 0)
        continue;
    return 0;
}
