/* SPDX-License-Identifier: MIT
 *
 * process_maps.h: what is mapped at an address, as the kernel reports it.
 *
 * System calls alone, so this is good anywhere: the C library's ways to ask take locks, which the caller may hold already.
 */
#ifndef UBI_INTERPOSE_PROCESS_MAPS_H
#define UBI_INTERPOSE_PROCESS_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * The mapping that holds an address, if it can be read and written. Cost: a system call per 4 KiB of /proc/self/maps.
 * @return false: there is none, no /proc, no memory, no descriptor, or the list is longer than we read.
 */
bool ubi__mapped_range(uintptr_t address, uintptr_t *low, uintptr_t *high);

/**
 * Writes the absolute path of the file there, terminated: the loader has the path that a library was asked for with, which
 * may be relative to a folder that the program has left since. Cost and failures as above, or a path that does not fit.
 */
bool ubi__mapped_path(uintptr_t address, char *out, size_t size);

#endif
