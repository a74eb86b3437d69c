/* SPDX-License-Identifier: MIT
 *
 * references.h: who took references that were not released, for runtimes that record it.
 *
 * A *taking* is one reference that the program got: it created or duplicated a value, or a function gave it one. It is noted
 * with its native stack, at the block of the engine's heap that it leads to. A release ends one taking of that block; which,
 * is decided by who takes and releases as a rule: see references_choose. When a block is freed, its takings are forgotten. So
 * what remains of a thing that leaked are the takings whose release is missing.
 *
 * Blocks are known by the runtime's allocation functions, which also finds strings that nothing in the heap refers to.
 */
#ifndef UBI_QUICKJS_REFERENCES_H
#define UBI_QUICKJS_REFERENCES_H

#include <ubiheap/core/base.h>
#include <ubiheap/extension/native_stacks.h>

typedef struct ubi__references ubi__references;

/** Where the program took or released: a return address, and where the stack was then. */
typedef struct ubi__reference_place {
    uintptr_t pc, sp;
} ubi__reference_place;

/** Errors: UBI_ENOMEM. */
ubi_status ubi__references_new(ubi__references **out, const ubi_allocator *allocator);
void ubi__references_free(ubi__references *r); /* NULL is fine */

void ubi__references_block_made(ubi__references *r, const void *block, uint64_t size_bytes);
void ubi__references_block_freed(ubi__references *r, const void *block);

/** Whether a block of the runtime's begins here. */
bool ubi__references_knows(const ubi__references *r, const void *block);

/** `kind`: a release ends a taking of its own kind only. `how` is static. */
void ubi__references_taken(ubi__references *r, const void *thing, uint32_t kind, const char *how,
                           ubi__reference_place place);
void ubi__references_released(ubi__references *r, const void *thing, uint32_t kind, ubi__reference_place place);

/** How many takings there were so far. */
uint64_t ubi__references_clock(const ubi__references *r);
/** A native function that began at `since` returned a value, whose reference is the caller's now. */
void ubi__references_returned(ubi__references *r, const void *thing, uint32_t kind, uint64_t since);

/** Takings of one stack. */
typedef struct ubi__takings {
    const char *how; /* the function that gave the reference */
    uint32_t stack;  /* of ubi__references_stacks; 0: unknown, for there was no memory */
    uint64_t count;
} ubi__takings;
/** What remains of a thing, the latest first: fills takings[0..min(n, max)), returns n. */
uint32_t ubi__references_of(const ubi__references *r, const void *thing, ubi__takings *takings, uint32_t max);
const ubi_native_stacks *ubi__references_stacks(const ubi__references *r);
/** Blocks and takings that could not be noted. */
uint64_t ubi__references_lost(const ubi__references *r);

/** All blocks that live. `fn` changes nothing. */
typedef bool (*ubi__reference_block_fn)(void *payload, void *block, uint64_t size_bytes, bool has_takings);
bool ubi__references_blocks(const ubi__references *r, ubi__reference_block_fn fn, void *payload);

#endif
