/* SPDX-License-Identifier: MIT
 *
 * host_blocks.h: where the heap of a runtime that runs a script comes from.
 *
 * A runtime belongs to one thread, the C library's allocator to all: as soon as a process has a second thread (a worker, or the one that
 * listens), each block that is not in the library's cache costs a lock. So small blocks are cut from pages of the runtime's own, without
 * locks. Blocks have the sizes that glibc's have, so that a heap measures the same. A page that is empty is given back.
 *
 * Engines that serve small blocks themselves have the engine's own functions, and so have those who want to see each block: a sanitizer,
 * and a library that has replaced malloc, such as the one that records allocations.
 */
#ifndef UBI_QUICKJS_HOST_BLOCKS_H
#define UBI_QUICKJS_HOST_BLOCKS_H

#include <quickjs.h>

/** Blocks of at most this many bytes are cut from pages; a multiple of 16, and 8. */
#define UBI__HOST_SMALL_BYTES 1032
#define UBI__HOST_BLOCK_CLASSES (UBI__HOST_SMALL_BYTES / 16 + 2)

typedef struct ubi__host_page ubi__host_page;

/** Of one runtime; all zeros at first. */
typedef struct ubi__host_blocks {
    ubi__host_page
        *pages[UBI__HOST_BLOCK_CLASSES]; /* by size in units of 16 bytes: those with room, the next one first */
    ubi__host_page *full;
} ubi__host_blocks;

/** A runtime whose blocks these are; they must stay where they are until it is freed. NULL: no memory. */
JSRuntime *ubi__host_new_runtime(ubi__host_blocks *blocks);
/** After the runtime was freed: what is left. */
void ubi__host_blocks_fini(ubi__host_blocks *blocks);

#endif
