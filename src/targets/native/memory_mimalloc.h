/* SPDX-License-Identifier: MIT
 *
 * memory_mimalloc.h: segments of mimalloc 2.0 in the memory of another process, and what is in them: blocks in use, blocks that were
 * freed, pages without blocks, its own tables.
 *
 * Nothing but the shape of a segment is asked for, so it is found whether the allocator is a library or linked in. Versions with
 * other shapes, and builds that encode their lists of free blocks, are not recognized.
 */
#ifndef UBI_TARGETS_NATIVE_MEMORY_MIMALLOC_H
#define UBI_TARGETS_NATIVE_MEMORY_MIMALLOC_H

#include "targets/native/memory_account.h"

/** Segments begin at multiples of that. */
#define UBI__MIMALLOC_SEGMENT_BYTES (UINT64_C(32) << 20)

/** Where the segment ends that `address` is in, which is more than `address`; 0: there is none. Cost: some 64 KiB are read. */
uint64_t ubi__mimalloc_segment_end(ubi__memory_look *look, uint64_t address);
/**
 * Enters what is in [low, high), a part of a mapping and of one segment. Errors: UBI_ENOMEM. Cost: that of reading its pages that have
 * freed blocks.
 */
ubi_status ubi__mimalloc_segment_enter(ubi__memory_account *a, uint64_t low, uint64_t high);

#endif
