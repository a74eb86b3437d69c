/* SPDX-License-Identifier: MIT
 *
 * mapped_path.h: which file is mapped at an address, as the kernel tells it.
 *
 * The loader has the path that a library was asked for with, which may be relative to a folder that the program has
 * left since.
 */
#ifndef UBI_INTERPOSE_MAPPED_PATH_H
#define UBI_INTERPOSE_MAPPED_PATH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * Writes the absolute path, terminated. System calls alone: good anywhere. Cost: a system call per 8 KiB of
 * /proc/self/maps.
 * @return false: no file, no /proc, no memory, no descriptor, or a path that does not fit.
 */
bool ubi__mapped_path(uintptr_t address, char *out, size_t size);

#endif
