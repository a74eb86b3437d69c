/* SPDX-License-Identifier: MIT
 *
 * memory_look.h: the memory of another process, as far as we may read it: which pages are in RAM, and what is in them.
 *
 * Nothing is stopped: the process may change what is read meanwhile, so nothing of it is believed unchecked. A page that is not in
 * RAM is not read, for that would bring it there.
 */
#ifndef UBI_TARGETS_NATIVE_MEMORY_LOOK_H
#define UBI_TARGETS_NATIVE_MEMORY_LOOK_H

#include <ubiheap/core/base.h>

#define UBI__LOOK_PAGE UINT64_C(4096)
/* Pages that are asked about at once. */
#define UBI__LOOK_WINDOW 4096

typedef struct ubi__memory_look {
    int memory, pages; /* descriptors; -1: not allowed */
    uint64_t first;    /* page of the window's first entry */
    size_t n;          /* entries of the window */
    uint64_t entries[UBI__LOOK_WINDOW];
    uint64_t buffer_at; /* address of what is in the buffer */
    size_t buffer_n;
    unsigned char buffer[16 * UBI__LOOK_PAGE];
} ubi__memory_look;

/** @param process  an open folder /proc/PID. What may not be read is not there. */
void ubi__memory_look_open(ubi__memory_look *look, int process);
void ubi__memory_look_close(ubi__memory_look *look);
/** Whether both can be read. */
static inline bool ubi__memory_look_is_open(const ubi__memory_look *look) {
    return look->memory >= 0 && look->pages >= 0;
}
/** Whether the page with this address is in RAM. Cost: a system call per 16 MiB, if addresses rise. */
bool ubi__memory_look_has_page(ubi__memory_look *look, uint64_t address);
/** Bytes of [low, high) that are in RAM, by pages. Cost: O(pages). */
uint64_t ubi__memory_look_resident(ubi__memory_look *look, uint64_t low, uint64_t high);
/** @return false: not in RAM, not readable, or gone. Cost: a system call per 64 KiB, if addresses rise. */
bool ubi__memory_look_read(ubi__memory_look *look, void *out, uint64_t address, size_t n_bytes);

#endif
