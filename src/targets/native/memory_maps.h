/* SPDX-License-Identifier: MIT
 *
 * memory_maps.h: the mappings of a process, and how much of each is in RAM: /proc/PID/smaps.
 *
 * Names in it are what strangers call their files and their memory, and there may be very many mappings.
 */
#ifndef UBI_TARGETS_NATIVE_MEMORY_MAPS_H
#define UBI_TARGETS_NATIVE_MEMORY_MAPS_H

#include "base/strtab.h"
#include "recording/residence.h"

typedef struct ubi__memory_map {
    uint64_t low, high; /* high is exclusive */
    ubi__residence_amount amount;
    ubi_str_ix name; /* UBI_NONE: anonymous */
    bool can_read, can_write, can_execute, is_shared;
    bool has_file; /* its name is a path; else it is the kernel's word for it, such as "[heap]" */
} ubi__memory_map;

UBI_VEC_DECLARE(ubi__vec_memory_map, ubi__memory_map);

typedef struct ubi__memory_maps {
    const ubi_allocator *allocator;
    ubi__vec_memory_map at; /* by address; none reaches into the next */
    ubi__strtab names;
} ubi__memory_maps;

void ubi__memory_maps_init(ubi__memory_maps *maps, const ubi_allocator *allocator);
void ubi__memory_maps_fini(ubi__memory_maps *maps);
/**
 * @param process  an open folder /proc/PID. Errors: UBI_EIO: it has ended, or may not be looked into, or has no memory (a kernel
 * thread, or one that is dead and was not waited for); UBI_EFORMAT: the list is none; UBI_ENOMEM.
 * Cost: a walk over the process's page tables by the system; 64 bytes per mapping.
 */
ubi_status ubi__memory_maps_read(ubi__memory_maps *maps, int process);
/** Adds what a whole list says. Errors: UBI_EFORMAT, UBI_ENOMEM. */
ubi_status ubi__memory_maps_parse(ubi__memory_maps *maps, ubi_text list);
/** "": it has none. Until more is read. */
ubi_text ubi__memory_map_name(const ubi__memory_maps *maps, const ubi__memory_map *map);

#endif
