/* SPDX-License-Identifier: MIT
 *
 * pages.h: memory of our own in another program: fresh pages, and a reserve for the time when the program forbids itself
 * to ask for more (sealing.h).
 */
#ifndef UBI_INTERPOSE_PAGES_H
#define UBI_INTERPOSE_PAGES_H

#include "interpose/system_calls.h"

/** Memory that was mapped before; zeroed, never given back. NULL: none left. */
void *ubi__reserve_take(size_t size_bytes);
bool ubi__is_reserve(const void *p);
/** Maps it, if that has not been done. */
void ubi__reserve_map(void);

/** Fresh zeroed pages; NULL: refused, or none left where the program has forbidden to ask. */
static inline void *ubi__pages(size_t size_bytes) {
    long p = ubi__system(SYS_mmap, 0, (long)size_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p < 0 && p > -4096)
        return ubi__is_forbidden(SYS_mmap) ? ubi__reserve_take(size_bytes) : NULL;
    return (void *)p;
}

/** The same of a table that is looked into anywhere: with large pages, where the system has them, each look-up waits for memory once,
 *  and not for the page's address too. */
static inline void *ubi__pages_of_table(size_t size_bytes) {
    void *p = ubi__pages(size_bytes);
    if (p && size_bytes >= ((size_t)4 << 20) && !ubi__is_reserve(p))
        (void)ubi__system(SYS_madvise, (long)p, (long)size_bytes, MADV_HUGEPAGE, 0, 0, 0);
    return p;
}

static inline void ubi__pages_free(void *p, size_t size_bytes) {
    if (!ubi__is_reserve(p))
        (void)ubi__system(SYS_munmap, (long)p, (long)size_bytes, 0, 0, 0, 0);
}

#endif
