/* SPDX-License-Identifier: MIT
 *
 * native_image.h: what is mapped into a process that runs, and where functions of its libraries are.
 *
 * The process may have other folders than we have (mount namespaces): files are opened as it sees them, through /proc/PID/root.
 */
#ifndef UBI_TARGETS_NATIVE_IMAGE_H
#define UBI_TARGETS_NATIVE_IMAGE_H

#include <sys/types.h>

#include <ubiheap/core/base.h>

#include "base/alloc.h"

typedef struct ubi__native_mapping {
    uint64_t low, high, offset;
    uint64_t inode;
    uint32_t device_major, device_minor;
    bool is_executable, is_stack;
    char name[256]; /* path, cut; "": none */
} ubi__native_mapping;

UBI_VEC_DECLARE(ubi__vec_native_mapping, ubi__native_mapping);

typedef struct ubi__native_image {
    const ubi_allocator *allocator;
    pid_t pid;
    int memory; /* /proc/PID/mem, to read and write; -1: closed */
    ubi__vec_native_mapping mappings;
} ubi__native_image;

/** Errors: UBI_EIO: it may not be looked at, or is gone; UBI_ENOMEM. */
ubi_status ubi__native_image_open(ubi__native_image *out, pid_t pid, const ubi_allocator *allocator);
void ubi__native_image_close(ubi__native_image *image);
/** Looks at its mappings, again where libraries have come. */
ubi_status ubi__native_image_look(ubi__native_image *image);

/** The mapping that has an address; NULL: none. */
const ubi__native_mapping *ubi__native_image_at(const ubi__native_image *image, uint64_t address);
/** Where a file of which `matches` likes the name without folders begins; NULL: nowhere. */
const ubi__native_mapping *ubi__native_image_find(const ubi__native_image *image, bool (*matches)(const char *name));

/** Copies; false: not all of it is there. */
bool ubi__native_image_read(const ubi__native_image *image, void *out, uint64_t address, size_t n);
bool ubi__native_image_write(const ubi__native_image *image, uint64_t address, const void *data, size_t n);

/** Opens a file as the process sees it. @return a descriptor; -1: not there, errno says why. */
int ubi__native_image_file(const ubi__native_image *image, const char *path);
/** The address of an exported definition in a file, from its first mapping; 0: none. The descriptor stays the caller's. */
uint64_t ubi__elf_exported(int fd, const char *name);
/** Where these bytes are first in code of a file of that name; 0: nowhere. */
uint64_t ubi__native_image_search(const ubi__native_image *image, const ubi__native_mapping *file, const void *bytes,
                                  size_t n);

#endif
