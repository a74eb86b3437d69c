/* SPDX-License-Identifier: MIT
 *
 * loaded_library.h: a library that is loaded when it is needed: linking it would load it, and what it needs, with every `ubiheap` command.
 *
 * Its functions are a struct of pointers, made by a macro that lists their names:
 *
 *     #define FUNCTIONS(X) X(uv_run) X(uv_close)
 *     typedef struct calls { FUNCTIONS(UBI__LIBRARY_MEMBER) } calls;
 *     static const char *const names[] = { FUNCTIONS(UBI__LIBRARY_NAME) NULL };
 */
#ifndef UBI_JOBS_LOADED_LIBRARY_H
#define UBI_JOBS_LOADED_LIBRARY_H

#include <pthread.h>

#include <ubiheap/core/base.h>

#define UBI__LIBRARY_MEMBER(name) __typeof__(name) *name;
#define UBI__LIBRARY_NAME(name) #name,

typedef struct ubi__library {
    const char *file;         /* such as "libuv.so.1" */
    const char *package;      /* of Debian, that has it */
    const char *purpose;      /* what needs it, as the beginning of a message: "listening" */
    const char *const *names; /* NULL after the last */
    void *calls;              /* a struct of as many pointers; filled when all are found */
    pthread_mutex_t lock;
    bool is_loaded;
} ubi__library;

/** Loads it, once. Any thread. Errors: UBI_EIO with the name of the Debian package. */
ubi_status ubi__library_load(ubi__library *library);

#endif
