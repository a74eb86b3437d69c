/* SPDX-License-Identifier: MIT
 *
 * real_functions.h: the functions that ours stand before.
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

/** Looks everything up, once; other threads wait. */
void ubi__resolve(void);

/**
 * A function of C++'s run-time library. When the program itself has no such library, but something that was loaded
 * later has, it is found from there. @param caller  an address in who calls it. @return NULL: not there.
 */
void *ubi__resolve_from(const char *name, const void *caller);

/* ---- memory for the lookup itself -------------------------------------------------------------------------------- */

/**
 * dlsym may call calloc, whose real one is not known yet. This memory is zeroed and never given back. NULL: none
 * left.
 */
void *ubi__early_alloc(size_t alignment, size_t size_bytes);
bool ubi__is_early(const void *p);
/** Bytes that may be read from an early block. */
size_t ubi__early_readable(const void *p);

#endif
