/* SPDX-License-Identifier: MIT
 *
 * real_functions.h: the functions that our hooks replace.
 *
 * Invariant: every pointer may be called at any time, also before anything was looked up: until then it leads to a
 * function that looks all of them up first.
 */
#ifndef UBI_INTERPOSE_REAL_FUNCTIONS_H
#define UBI_INTERPOSE_REAL_FUNCTIONS_H

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

typedef struct ubi__real_functions {
    long (*syscall)(long, ...); /* the first one: hooks_system.c knows where it is */
    int (*prctl)(int, ...);
    void *(*malloc)(size_t);
    void (*free)(void *);
    void *(*calloc)(size_t, size_t);
    void *(*realloc)(void *, size_t);
    int (*posix_memalign)(void **, size_t, size_t);
    void *(*aligned_alloc)(size_t, size_t);
    void *(*memalign)(size_t, size_t);
    void *(*valloc)(size_t);
    void *(*pvalloc)(size_t);
    void (*free_sized)(void *, size_t);                 /* NULL: this C library has none */
    void (*free_aligned_sized)(void *, size_t, size_t); /* the same */
    void *(*mmap)(void *, size_t, int, int, int, off_t);
    int (*munmap)(void *, size_t);
    void *(*mremap)(void *, size_t, size_t, int, ...);
    int (*brk)(void *);
    void *(*sbrk)(intptr_t);
    void *(*dlopen)(const char *, int);
    void *(*dlmopen)(Lmid_t, const char *, int);
    int (*dlclose)(void *);
} ubi__real_functions;

/* Hidden, for the compiler to know that it need not look up where it is. */
extern __attribute__((visibility("hidden"))) ubi__real_functions ubi__real;

/** Looks everything up, once. Any thread, any time; no lock, no call of anything but those tables. */
void ubi__resolve(void);

/** The same of C++'s operators (hooks_malloc.c), which libraries may bring later. */
void ubi__operators_resolve(void);
/** A library may go away: operators that were found in one that came later are looked for again. */
void ubi__operators_forget(void);

#endif
