/* SPDX-License-Identifier: MIT
 *
 * early.c: uses early_library.c; has a constructor and a destructor of its own.
 */
#include <stdlib.h>

int early_library_calls_of_dlsym(void);

static __attribute__((constructor)) void begin(void) {
    void *volatile p = malloc(31002);
    free(p);
}

static __attribute__((destructor)) void end(void) {
    void *volatile p = malloc(31004);
    free(p);
}

static void at_exit(void) {
    void *volatile p = malloc(31005);
    free(p);
}

int main(void) {
    atexit(at_exit);
    return early_library_calls_of_dlsym();
}
