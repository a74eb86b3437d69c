/* SPDX-License-Identifier: MIT
 *
 * memory_runtimes.h: which allocators, engines and interpreters are in a process, by the files that it has mapped, and where in
 * memory they put things.
 */
#ifndef UBI_TARGETS_NATIVE_MEMORY_RUNTIMES_H
#define UBI_TARGETS_NATIVE_MEMORY_RUNTIMES_H

#include "targets/native/memory_look.h"
#include "targets/native/memory_maps.h"

typedef struct ubi__memory_runtimes {
    const char *scripts;      /* a JavaScript engine; NULL: none */
    const char *allocator;    /* in place of the C library's; NULL: none is known */
    uint64_t allocator_bytes; /* then: its mappings begin or end at multiples of that */
    bool has_break;           /* then: it uses the program's break */
    bool has_glibc, has_python, has_java;
    uint64_t low, high; /* where the kernel puts mappings that ask for no place */
} ubi__memory_runtimes;

void ubi__memory_runtimes_find(ubi__memory_runtimes *out, const ubi__memory_maps *maps);
/** The process has an allocator of this name built in; another name changes nothing. */
void ubi__memory_runtimes_take_allocator(ubi__memory_runtimes *r, const char *name);
/** Whether the kernel would not have chosen this place: engines choose their own, at random. */
bool ubi__memory_is_elsewhere(const ubi__memory_runtimes *r, uint64_t address);

/** A pool of small objects of Python, at `low`. */
typedef struct ubi__python_pool {
    uint64_t end, used_bytes;
} ubi__python_pool;
/** @return false: there is none. */
bool ubi__python_pool_read(ubi__python_pool *out, ubi__memory_look *look, uint64_t low, uint64_t high);

/** The address of a thread's control block in [low, high), which points to itself; 0: there is none. Cost: O(bytes in RAM). */
uint64_t ubi__thread_block_find(ubi__memory_look *look, uint64_t low, uint64_t high);
/** How far such a block reaches, with what the C library keeps after it. */
#define UBI__THREAD_BLOCK_BYTES 4096

/**
 * Where the variables of a program or library end that is loaded at `base`, by its header in memory; 0: unknown. No further than `high`.
 */
uint64_t ubi__loaded_file_end(ubi__memory_look *look, uint64_t base, uint64_t high);

#endif
