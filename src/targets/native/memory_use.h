/* SPDX-License-Identifier: MIT
 *
 * memory_use.h: what the resident memory of a process is used for: its mappings (memory_maps.h), judged by their names, their
 * shapes, and by what is in them (memory_glibc.h, memory_runtimes.h), as far as we may look.
 *
 * The process is not stopped, and it is asked nothing.
 */
#ifndef UBI_TARGETS_NATIVE_MEMORY_USE_H
#define UBI_TARGETS_NATIVE_MEMORY_USE_H

#include "recording/residence.h"

/**
 * @param out      new; the caller's to end, also after a failure.
 * @param process  an open folder /proc/PID.
 * Errors: those of ubi__memory_maps_read; UBI_ENOMEM.
 * Cost: O(mappings), O(bytes in RAM that belong to an allocator): 0.4 s of a processor per GiB.
 */
ubi_status ubi__memory_use_read(ubi__residence *out, int process, const ubi_allocator *allocator);

#endif
