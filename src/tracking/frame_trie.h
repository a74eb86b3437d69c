/* SPDX-License-Identifier: MIT
 *
 * frame_trie.h: the stacks that allocations were seen on.
 *
 * A stack is its youngest frame, which names the older one: frames form a tree whose root, number 0, is the empty stack. A
 * frame is the same as another when it has the same parent and stands at the same place of the same script. Scripts are
 * known by number, not by address, for the engine may put new bytecode where freed bytecode was.
 *
 * Frames keep their number while they live. A sweep frees those that nothing marked leads through, unless they were pinned:
 * that happens when one is handed out, so nobody outside ever sees a number change its meaning.
 */
#ifndef UBI_TRACKING_FRAME_TRIE_H
#define UBI_TRACKING_FRAME_TRIE_H

#include "tracking/tracked_texts.h"

/** A stack, by its youngest frame. */
typedef uint32_t ubi__stack_ix;
#define UBI__STACK_EMPTY 0

/** Where a frame stands: what makes it the same as another under one parent. */
typedef struct ubi__frame_place {
    uint32_t script; /* number of the bytecode */
    uint32_t pc;     /* bytes from its start */
} ubi__frame_place;

typedef struct ubi__trie_frame {
    ubi__stack_ix parent; /* UBI_NONE: this entry is free */
    uint32_t next;        /* in its bucket, or in the list of free entries */
    ubi__frame_place place;
    ubi__text_ix function_name; /* UBI_NONE: none */
    ubi__text_ix source;        /* UBI_NONE: not known */
    uint32_t line, column;      /* from 1; 0: not known */
    bool pinned, marked;
} ubi__trie_frame;

typedef struct ubi__frame_trie {
    const ubi_allocator *allocator;
    ubi__trie_frame *at; /* at[0] is the root once anything is in */
    uint32_t n, capacity;
    uint32_t *buckets;
    uint32_t bucket_count;
    uint32_t free_first;
    uint32_t live_count;
} ubi__frame_trie;

void ubi__frame_trie_init(ubi__frame_trie *t, const ubi_allocator *allocator);
void ubi__frame_trie_fini(ubi__frame_trie *t);
/** The frame at `place` called from `parent`, or UBI_NONE. */
ubi__stack_ix ubi__frame_trie_find(const ubi__frame_trie *t, ubi__stack_ix parent, ubi__frame_place place);
/** Adds one that is not there; of `frame` only what describes it is read. UBI_NONE: no memory. */
ubi__stack_ix ubi__frame_trie_add(ubi__frame_trie *t, ubi__stack_ix parent, ubi__frame_place place,
                                  const ubi__trie_frame *frame);
/** Keeps it, and so all that it was called from. */
static inline void ubi__frame_trie_pin(ubi__frame_trie *t, ubi__stack_ix ix) {
    if (ix != UBI__STACK_EMPTY)
        t->at[ix].pinned = true;
}
/** Marks it and all that it was called from. */
void ubi__frame_trie_mark(ubi__frame_trie *t, ubi__stack_ix ix);
/** Marks what is pinned, marks the texts of all that is marked, frees the rest, takes the marks away. */
void ubi__frame_trie_sweep(ubi__frame_trie *t, ubi__tracked_texts *texts);

#endif
