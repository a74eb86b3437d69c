/* SPDX-License-Identifier: MIT
 *
 * early_library.c: a library behind the recorder whose constructor and destructor allocate, and which notes whether anyone
 * calls dlsym. Whoever gets no answer from dlsym makes the C library allocate an error message.
 */
#include <dlfcn.h>
#include <stdlib.h>

static int n_calls;

void *dlsym(void *restrict handle, const char *restrict name) {
    typedef void *real_dlsym(void *restrict, const char *restrict);
    real_dlsym *real = (real_dlsym *)dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.34");
    n_calls++;
    return real(handle, name);
}

int early_library_calls_of_dlsym(void);
int early_library_calls_of_dlsym(void) {
    return n_calls;
}

static __attribute__((constructor)) void begin(void) {
    void *volatile p = malloc(31001);
    free(p);
}

static __attribute__((destructor)) void end(void) {
    void *volatile p = malloc(31003);
    free(p);
}
