/* SPDX-License-Identifier: MIT */
#include "cli/returned_memory.h"

#include <stdlib.h>

#ifdef __GLIBC__
#include <malloc.h>
#include <sys/sysinfo.h>

/* Columns of all but the smallest heaps; smaller ones would cost a system call each too often. */
#define LARGE_BYTES (1 << 20)
#define KEPT_FREE_BYTES (2 << 20) /* at the top of the main arena */

void ubi__return_freed_memory(void) {
    mallopt(M_ARENA_MAX, get_nprocs());
    mallopt(M_MMAP_THRESHOLD, LARGE_BYTES);
    mallopt(M_TRIM_THRESHOLD, KEPT_FREE_BYTES);
}
#else
void ubi__return_freed_memory(void) {
}
#endif
