/* SPDX-License-Identifier: MIT
 *
 * native_elf.h: what the file of a program tells about allocators that are built into it.
 *
 * The loader looks for malloc in the program first, then in the recorder, then in libraries. So an allocator that is in a library
 * comes after the recorder, and one that is a part of the program is called without it.
 */
#ifndef UBI_TARGETS_NATIVE_ELF_H
#define UBI_TARGETS_NATIVE_ELF_H

#include <ubiheap/core/base.h>

typedef struct ubi__native_elf {
    const char
        *sanitizer; /* "AddressSanitizer", ..., when that leaves no room for a recorder; its option; NULL: none does */
    const char *sanitizer_option; /* "-fsanitize=address" then */
    bool has_malloc;              /* its own, which libraries use as well */
} ubi__native_elf;

/** Cost: looks at all symbols. A file that cannot be read has nothing. The descriptor stays the caller's. */
void ubi__native_elf_look(ubi__native_elf *out, int fd);

#endif
