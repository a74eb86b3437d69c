/* SPDX-License-Identifier: MIT
 *
 * native_program.h: which file a command line starts, and whether it can be recorded.
 *
 * The recorder is loaded by the dynamic linker (LD_PRELOAD). So it gets into dynamic programs of this machine's kind that run
 * with the user's own rights, and what is none of these is refused before it starts. A script is recorded as its interpreter;
 * one that asks env to find its interpreter is started with the interpreter that env would find, for env would be what
 * is recorded otherwise.
 */
#ifndef UBI_TARGETS_NATIVE_PROGRAM_H
#define UBI_TARGETS_NATIVE_PROGRAM_H

#include <ubiheap/core/base.h>

#include "base/alloc.h"

typedef struct ubi__native_program {
    const ubi_allocator *allocator;
    char path[4096];  /* what is started */
    char **arguments; /* arguments[n_arguments], then NULL; the texts are the command line's and those below */
    size_t n_arguments;
    char script[4096], interpreter[256]; /* what env would have put first */
} ubi__native_program;

/** How a shell says that a program cannot be started. */
enum { UBI__PROGRAM_CANNOT_RUN = 126, UBI__PROGRAM_NOT_FOUND = 127 };

/**
 * Finds what execvp would start.
 *
 * @param words      words[n_words], n_words > 0: the command line; borrowed as long as `out`.
 * @param exit_code  out, on UBI_EINVAL: 127: there is no such program; 126: it cannot be run, or not be recorded.
 * Errors: UBI_EINVAL: no such program, or it cannot be recorded; UBI_EIO; UBI_ENOMEM.
 */
ubi_status ubi__native_program_find(ubi__native_program *out, char **words, size_t n_words, int *exit_code,
                                    const ubi_allocator *allocator);
void ubi__native_program_fini(ubi__native_program *p);

/** Whether what is in a program's file lets it be recorded. The descriptor stays the caller's. Errors: UBI_EINVAL: why not. */
ubi_status ubi__native_program_check(const char *path, int fd);

/* ---- allocators that are built in --------------------------------------------------------------------------------- */

/*
 * The loader looks for malloc in the program first, then in the recorder, then in libraries. So an allocator that is in a library
 * comes after the recorder, and one that is a part of the program is called without it.
 */

typedef struct ubi__native_elf {
    const char
        *sanitizer; /* "AddressSanitizer", ..., when that leaves no room for a recorder; its option; NULL: none does */
    const char *sanitizer_option; /* "-fsanitize=address" then */
    bool has_malloc;              /* its own, which libraries use as well */
    const char *allocator;        /* a known one that is built in: "jemalloc", ...; NULL: none is */
} ubi__native_elf;

/** Cost: looks at all symbols. A file that cannot be read has nothing. The descriptor stays the caller's. */
void ubi__native_elf_look(ubi__native_elf *out, int fd);

#endif
