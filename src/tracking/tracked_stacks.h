/* SPDX-License-Identifier: MIT
 *
 * tracked_stacks.h: the stacks that allocations were seen on, and the names that tracking remembers, each once.
 *
 * A stack is its youngest frame, which names the older one: frames form a tree whose root, number 0, is the empty stack. A
 * frame is the same as another when it has the same parent and is at the same place of the same code. Code is known by
 * number, not by address, for an engine may put new code where freed code was.
 *
 * Class names, constructors, functions and files outlive the objects that they were read from, so they are copied here, as
 * WTF-8, and known by number: that keeps frames and log entries small.
 *
 * Frames and texts keep their number while they live. There are no reference counts: a sweep frees what nothing marked leads
 * to, so a program that makes functions with ever new names costs no more than what is in use. A frame that was handed out is
 * pinned, so callers never see a number change its meaning.
 *
 * Invariants, checked by ubi__tracked_texts_check and ubi__frame_trie_check: every entry is either free and in the list of
 * free ones, or found by what it says; a frame's parent is in use; after a sweep nothing is marked.
 */
#ifndef UBI_TRACKING_TRACKED_STACKS_H
#define UBI_TRACKING_TRACKED_STACKS_H

#include "base/table.h"

/* ---- texts -------------------------------------------------------------------------------------------------------- */

/** A text; UBI_NONE: no text. */
typedef uint32_t ubi__text_ix;

typedef struct ubi__tracked_text {
    char *ptr; /* NULL: the entry is free */
    uint32_t len;
    union {
        uint32_t hash;      /* upper half of the hash */
        uint32_t next_free; /* UBI_NONE: the last */
    };
    bool is_marked;
} ubi__tracked_text;

typedef struct ubi__tracked_texts {
    const ubi_allocator *allocator;
    ubi__tracked_text *at;
    uint32_t n, capacity;
    uint32_t free_first;  /* UBI_NONE: no entry is free */
    ubi__row_table table; /* of the entries that are not free */
} ubi__tracked_texts;

void ubi__tracked_texts_init(ubi__tracked_texts *t, const ubi_allocator *allocator);
void ubi__tracked_texts_fini(ubi__tracked_texts *t);
/** The number of a text that is copied when it is new. UBI_NONE: no memory. */
ubi__text_ix ubi__tracked_texts_intern(ubi__tracked_texts *t, const char *ptr, size_t len);
/** Borrowed until a sweep frees it; no text for UBI_NONE. */
static inline ubi_text ubi__tracked_texts_get(const ubi__tracked_texts *t, ubi__text_ix ix) {
    if (ix == UBI_NONE)
        return (ubi_text){ NULL, 0 };
    UBI_ASSERT(ix < t->n && t->at[ix].ptr);
    return (ubi_text){ t->at[ix].ptr, t->at[ix].len };
}
static inline void ubi__tracked_texts_mark(ubi__tracked_texts *t, ubi__text_ix ix) {
    if (ix != UBI_NONE)
        t->at[UBI_INDEX(ix, t->n)].is_marked = true;
}
void ubi__tracked_texts_check(const ubi__tracked_texts *t);
/** Frees all that is not marked, and takes the marks away. */
void ubi__tracked_texts_sweep(ubi__tracked_texts *t);

/* ---- frames ------------------------------------------------------------------------------------------------------- */

/** A stack, by its youngest frame. */
typedef uint32_t ubi__stack_ix;
#define UBI__STACK_EMPTY 0

/** Where in its code a frame is: what makes it the same as another under one parent. */
typedef struct ubi__frame_place {
    uint32_t code; /* its number */
    uint32_t pc;   /* where in it */
} ubi__frame_place;

typedef struct ubi__trie_frame {
    ubi__stack_ix parent; /* UBI_NONE: this entry is free */
    union {
        ubi__frame_place place;
        uint32_t next_free; /* UBI_NONE: the last */
    };
    ubi__text_ix function_name; /* UBI_NONE: none */
    ubi__text_ix source;        /* UBI_NONE: unknown */
    uint32_t line, column;      /* from 1; 0: unknown */
    bool is_pinned, is_marked;
} ubi__trie_frame;

typedef struct ubi__frame_trie {
    const ubi_allocator *allocator;
    ubi__trie_frame *at; /* at[0] is the root once anything is in */
    uint32_t n, capacity;
    uint32_t free_first;  /* UBI_NONE: no entry is free */
    ubi__row_table table; /* of the entries that are not free, the root excepted */
} ubi__frame_trie;

void ubi__frame_trie_init(ubi__frame_trie *t, const ubi_allocator *allocator);
void ubi__frame_trie_fini(ubi__frame_trie *t);
void ubi__frame_trie_check(const ubi__frame_trie *t);
/** The frame at `place` called from `parent`, or UBI_NONE. */
ubi__stack_ix ubi__frame_trie_find(const ubi__frame_trie *t, ubi__stack_ix parent, ubi__frame_place place);
/** Adds one that is not there; of `frame` only what describes it is read. UBI_NONE: no memory. */
ubi__stack_ix ubi__frame_trie_add(ubi__frame_trie *t, ubi__stack_ix parent, ubi__frame_place place,
                                  const ubi__trie_frame *frame);
/** Keeps it, and so all that it was called from. */
static inline void ubi__frame_trie_pin(ubi__frame_trie *t, ubi__stack_ix ix) {
    if (ix != UBI__STACK_EMPTY)
        t->at[UBI_INDEX(ix, t->n)].is_pinned = true;
}
/** Marks it and all that it was called from. */
void ubi__frame_trie_mark(ubi__frame_trie *t, ubi__stack_ix ix);
/** Marks what is pinned, marks the texts of all that is marked, frees the rest, takes the marks away. */
void ubi__frame_trie_sweep(ubi__frame_trie *t, ubi__tracked_texts *texts);

#endif
