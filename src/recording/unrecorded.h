/* SPDX-License-Identifier: MIT
 *
 * unrecorded.h: why a program is not recorded, and what of that its file says.
 *
 * The dynamic linker loads the recorder (LD_PRELOAD). So it gets into dynamic programs of glibc of this kind of machine, which run
 * with the user's own rights.
 *
 * A leaf, for it is part of other programs: nothing but headers of the C library, and no function of it that allocates or locks.
 */
#ifndef UBI_RECORDING_UNRECORDED_H
#define UBI_RECORDING_UNRECORDED_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>

/** Numbers of the file format. */
typedef enum ubi__unrecorded {
    UBI__UNRECORDED_CHOICE,      /* children are not followed */
    UBI__UNRECORDED_STATIC,      /* linked statically */
    UBI__UNRECORDED_RIGHTS,      /* setuid, setgid, capabilities */
    UBI__UNRECORDED_LIBRARY,     /* another C library */
    UBI__UNRECORDED_MACHINE,     /* another kind of machine, or 32 bits */
    UBI__UNRECORDED_ENVIRONMENT, /* started without the recorder's variables */
    UBI__UNRECORDED_DESCRIPTORS, /* no file descriptor left */
    UBI__UNRECORDED_UNREACHED,   /* the way to ubiheap is closed: another root folder, another user */
    UBI__UNRECORDED_MEMORY,      /* no room for the memory that is shared */
    UBI__UNRECORDED_REFUSED,     /* ubiheap could not take it in */
    UBI__UNRECORDED_ALLOCATOR,   /* it calls a malloc of its own */
    UBI__UNRECORDED_REPLACED,    /* children are not followed, and the recorded program became it, by exec */
    UBI__UNRECORDED_COUNT
} ubi__unrecorded;

/** pread of a file, by whatever means; as much as there is, less than 0: it cannot be read. */
typedef ssize_t ubi__program_read(void *payload, void *out, size_t n, uint64_t at);

/* More program headers than any file has. */
#define UBI__PROGRAM_HEADERS 256
/* Of the path of a loader; longer ones are cut. */
#define UBI__LOADER_BYTES 256

/** Another C library than glibc, by the path of its loader; NULL: glibc, or unknown. */
static inline const char *ubi__other_c_library(const char *loader) {
    static const struct {
        const char start[12], name[24];
    } loaders[] = { { "ld-musl-", "musl" }, { "ld64-uClibc", "uClibc" }, { "linker64", "Android's C library" } };
    const char *slash = strrchr(loader, '/'), *name = slash ? slash + 1 : loader;
    for (size_t i = 0; i < sizeof loaders / sizeof *loaders; i++)
        if (strncmp(name, loaders[i].start, strnlen(loaders[i].start, sizeof loaders[i].start)) == 0)
            return loaders[i].name;
    return NULL;
}

/**
 * Whether what is in a file, which begins as programs do, keeps the recorder out. @param loader  out: the path of its loader, or "".
 * @return UBI__UNRECORDED_CHOICE: nothing does.
 */
static inline ubi__unrecorded ubi__program_keeps_out(char loader[UBI__LOADER_BYTES], ubi__program_read *read_at,
                                                     void *payload) {
    Elf64_Ehdr header;
    Elf64_Phdr segment;
    memset(loader, 0, UBI__LOADER_BYTES);
    if (read_at(payload, &header, sizeof header, 0) != (ssize_t)sizeof header ||
        header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_machine != EM_X86_64 ||
        header.e_phentsize != sizeof segment || header.e_phnum > UBI__PROGRAM_HEADERS)
        return UBI__UNRECORDED_MACHINE;
    for (unsigned i = 0; i < header.e_phnum; i++) {
        if (read_at(payload, &segment, sizeof segment, header.e_phoff + i * sizeof segment) != (ssize_t)sizeof segment)
            break;
        if (segment.p_type != PT_INTERP)
            continue;
        size_t n = segment.p_filesz < UBI__LOADER_BYTES ? (size_t)segment.p_filesz : UBI__LOADER_BYTES - 1;
        if (read_at(payload, loader, n, segment.p_offset) < 0)
            loader[0] = '\0';
        return ubi__other_c_library(loader) ? UBI__UNRECORDED_LIBRARY : UBI__UNRECORDED_CHOICE;
    }
    return UBI__UNRECORDED_STATIC;
}

#endif
