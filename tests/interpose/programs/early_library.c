/* SPDX-License-Identifier: MIT
 *
 * early_library.c: a library that is loaded behind the recorder and makes its start hard: its dlsym allocates, as the
 * C library's may, and its constructor and destructor do. With PLAIN, its dlsym is the C library's.
 */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

static void *kept[64];
static int n_kept;

#ifndef PLAIN
void *dlsym(void *restrict handle, const char *restrict name) {
    typedef void *real_dlsym(void *restrict, const char *restrict);
    static real_dlsym *real;
    if (!real)
        real = (real_dlsym *)dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.34");
    if (n_kept < 64) {
        char *p = calloc(1, 40);
        for (int i = 0; i < 40; i++)
            if (!p || p[i])
                abort();
        memset(p, n_kept, 40);
        kept[n_kept++] = p;
    }
    return real(handle, name);
}
#endif

/* Half of them resized, all of them freed, with what was in them. @return how many. */
int early_library_release(void);
int early_library_release(void) {
    for (int i = 0; i < n_kept; i++) {
        char *p = i % 2 ? realloc(kept[i], 400) : kept[i];
        for (int k = 0; k < 40; k++)
            if (p[k] != (char)i)
                abort();
        free(p);
    }
    return n_kept;
}

static __attribute__((constructor)) void begin(void) {
    void *volatile p = malloc(31001);
    free(p);
}

static __attribute__((destructor)) void end(void) {
    void *volatile p = malloc(31003);
    free(p);
}
