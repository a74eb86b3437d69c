/* SPDX-License-Identifier: MIT
 *
 * spill.h: memory for a snapshot where there is none: that of one thread lies in a file while a spill is open.
 *
 * V8 builds a snapshot in memory, 5 to 10 times as much as the heap of small objects that it is of. Pages of a file that is mapped
 * and shared are not lost memory: the kernel writes them out and takes them back when a limit is reached, which it cannot do
 * with the heap's own where there is no swap. So for the time of a snapshot malloc and its relatives, as the loaded libraries call
 * them, give the snapshot's thread blocks of such a file. The file has no name and goes with the process.
 *
 * Blocks are cut off one after the other and not used again; the pages of large ones that are freed go back to the file system. Those of
 * a small size are next to each other, without heads: what V8 looks up in no order is on as few pages as can be. What outlives the
 * snapshot stays where it is, and may be freed by any thread at any time.
 *
 * Invariant: all blocks are in [base, base + used), and what the file has room for, [base, base + ready), can be written: the
 * space was allocated before, so that a full disk is a refused block and not a SIGBUS.
 */
#ifndef UBI_NODEWATCH_SPILL_H
#define UBI_NODEWATCH_SPILL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** A disk with less is full. */
#define UBI__SPILL_LEAST_BYTES ((uint64_t)64 << 20)

/**
 * Begins for the calling thread, once in the life of a process. @param folder  on a disk. @param largest_bytes  of addresses.
 * @return false: no such file, or it was open before.
 */
bool ubi__spill_open(const char *folder, size_t largest_bytes);
/** The thread's blocks come from malloc again. */
void ubi__spill_close(void);
/** Whether a block was refused, for there was no disk or address left: it came from malloc. */
bool ubi__spill_is_full(void);
uint64_t ubi__spill_bytes(void);

/** Whether files in a folder are on a disk, and not in memory, and there is some room. */
bool ubi__spill_suits(const char *folder);
/** How large a new file in a folder can become: what the file system has, and `ulimit -f`. */
uint64_t ubi__spill_room(const char *folder);

/* ---- for the hooks ------------------------------------------------------------------------------------------------ */

/** Whether the spill is this thread's. */
bool ubi__spill_is_mine(void);
/** Whether this thread's next block is to be from here: not a large one while there is memory for it, for those are V8's tables. */
bool ubi__spill_takes(size_t size_bytes);
/** @return NULL: full. @param alignment  a power of two. */
void *ubi__spill_alloc(size_t size_bytes, size_t alignment);
bool ubi__spill_contains(const void *block);
/** Bytes that a block has: at least those that it was allocated for. */
size_t ubi__spill_block_bytes(const void *block);
void ubi__spill_free(void *block);
/** The newest block, of this size, will never be used beyond n_bytes: the next one begins there. Else nothing. */
void ubi__spill_shrink(const void *block, size_t size_bytes, size_t n_bytes);

/** Puts the hooks before malloc in all libraries that are loaded now, except the C library, the loader and this one. */
void ubi__spill_hooks_install(void);

#endif
