/* SPDX-License-Identifier: MIT
 *
 * frame_cache.h: frames of stacks by number, as Firefox's StackFrameCache gives them out.
 *
 * A frame gets the next number when it is first seen, after its callers; so a caller's number is smaller. Number 0 is no frame. Frames
 * of equal content and equal callers have one number, which they keep until the cache is cleared: a client that has the table of an
 * earlier packet finds the same frames in that of a later one.
 *
 * An engine may have several stacks of equal content, when a function was compiled twice or allocates at two places that have one
 * position. So stacks are found by what they are to their engine, which is quick, and frames by content.
 *
 * The engine keeps what it handed out (ubi_logged_allocation), so content is asked for when it is needed. Stacks of targets have no
 * asynchronous parents: a client gets 0 for them, which is no frame.
 * Source: mozilla-central devtools/server/actors/utils/stack.js.
 */
#ifndef UBI_STACKS_FRAME_CACHE_H
#define UBI_STACKS_FRAME_CACHE_H

#include <ubiheap/core/stacks.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/table.h"

typedef struct ubi__cached_frame {
    ubi_stack stack; /* the first that was met of this content */
    uint32_t parent; /* a smaller number; 0: none */
} ubi__cached_frame;

UBI_VEC_DECLARE(ubi__vec_cached_frame, ubi__cached_frame);
UBI_VEC_DECLARE(ubi__vec_stack, ubi_stack);

/** A stack that was met; its frame's number, never 0. */
typedef struct ubi__met_stack {
    const void *owner;
    uint64_t ref;
    uint32_t frame; /* 0: an empty slot */
} ubi__met_stack;

static inline uint64_t ubi__stack_hash(const void *owner, uint64_t ref) {
    return ubi__hash_combine(ubi__hash_u64((uintptr_t)owner), ref);
}
static inline bool ubi__met_stack_is_used(const ubi__met_stack *slot) {
    return slot->frame != 0;
}
static inline uint64_t ubi__met_stack_hash(const ubi__met_stack *slot) {
    return ubi__stack_hash(slot->owner, slot->ref);
}
UBI_TABLE_DECLARE(ubi__met_stacks, ubi__met_stack, ubi__met_stack_is_used, ubi__met_stack_hash);

typedef struct ubi__frame_cache {
    const ubi_allocator *allocator;
    ubi__vec_cached_frame rows; /* [i - 1]: the frame with number i */
    ubi__row_table by_content;
    ubi__met_stacks met;
    ubi__vec_stack path; /* of the stack at hand: frames that were not met yet, youngest first */
} ubi__frame_cache;

UBI__SERVER_API void ubi__frame_cache_init(ubi__frame_cache *c, const ubi_allocator *allocator);
UBI__SERVER_API void ubi__frame_cache_fini(ubi__frame_cache *c);
/** Callers come before what they called, each frame is found by its content, and no two are equal. O(frames). */
void ubi__frame_cache_check(const ubi__frame_cache *c);
/** Numbers begin at 1 again. */
UBI__SERVER_API void ubi__frame_cache_clear(ubi__frame_cache *c);
/** Frames, and number 0, which is no frame. */
static inline uint32_t ubi__frame_cache_count(const ubi__frame_cache *c) {
    return (uint32_t)c->rows.n + 1;
}

/**
 * The number of a stack's youngest frame. Errors: UBI_ENOMEM, UBI_ELIMIT; callers may have got numbers, which they keep.
 * Cost: O(1) for one that was met, else O(its frames that were not).
 */
UBI__SERVER_API ubi_status ubi__frame_cache_number(uint32_t *out, ubi__frame_cache *c, ubi_stack stack);
/** Describes a frame by its number, 1 to count - 1, and gives its caller's. Texts are the engine's. */
UBI__SERVER_API void ubi__frame_cache_get(const ubi__frame_cache *c, uint32_t number, ubi_frame *out, uint32_t *parent);

#endif
