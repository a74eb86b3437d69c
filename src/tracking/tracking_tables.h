/* SPDX-License-Identifier: MIT
 *
 * tracking_tables.h: what tracking remembers: stacks and names, which objects are tracked, what was allocated lately.
 */
#ifndef UBI_TRACKING_TRACKING_TABLES_H
#define UBI_TRACKING_TRACKING_TABLES_H

#include <ubiheap/core/base.h>

#include "base/assert.h"
#include "base/table.h"

/* ---- stacks and names ------------------------------------------------------------------------------------------------ */

/*
 * The stacks that allocations were seen on, and the names that tracking remembers, each once.
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

/* ---- sites ----------------------------------------------------------------------------------------------------------- */

/*
 * Which objects are tracked, and where each was allocated.
 *
 * Open addressing by the object's address, at most half full, linear probing. Every object that dies is looked for here
 * while anything is tracked, so that is inlined and mostly ends at the first, empty slot; a removal moves later entries back
 * instead of leaving marks, so waves of births and deaths never wear the table out. It shrinks again when most have died.
 *
 * Not base/table.h: where every object is tracked (quickjs_tracking_bench allocation 1), a whole program takes 0.9 % more
 * instructions with that one, 19 per object; nor does that one shrink.
 *
 * A serial number distinguishes an object from a later one at the same address.
 */

typedef struct ubi__tracked {
    uintptr_t address; /* 0: empty slot */
    uint32_t value;    /* an object's stack; of bytecode the number of the script */
    uint32_t serial;
} ubi__tracked;

typedef struct ubi__site_table {
    const ubi_allocator *allocator;
    ubi__tracked *slots;
    unsigned shift; /* 64 - log2 of the slots */
    uint32_t mask;  /* slots - 1 */
    uint32_t count;
    uint32_t count_max; /* half of the slots; 0: there is no memory yet */
    uint32_t count_min; /* with fewer it shrinks */
} ubi__site_table;

void ubi__site_table_init(ubi__site_table *t, const ubi_allocator *allocator);
void ubi__site_table_fini(ubi__site_table *t);
/** Every entry is found, they are as many as are counted, and at most half of the slots are used. O(slots). */
void ubi__site_table_check(const ubi__site_table *t);
/* What put and remove do when it is not the usual. */
bool ubi__site_table_grow(ubi__site_table *t);
void ubi__site_table_close_hole(ubi__site_table *t, uint32_t hole);
void ubi__site_table_shrink(ubi__site_table *t);

static inline uint32_t ubi__site_table_home(const ubi__site_table *t, uintptr_t address) {
    return (uint32_t)(((uint64_t)address * UINT64_C(0x9e3779b97f4a7c15)) >> t->shift);
}

/** The entry of an address, or NULL. Valid until the table changes. */
static inline ubi__tracked *ubi__site_table_find(const ubi__site_table *t, const void *address) {
    uint32_t i = ubi__site_table_home(t, (uintptr_t)address);
    while (t->slots[i].address != (uintptr_t)address) {
        if (t->slots[i].address == 0)
            return NULL;
        i = (i + 1) & t->mask;
    }
    return &t->slots[i];
}

/** Adds or replaces. False: no memory, and the table is as it was. */
static inline bool ubi__site_table_put(ubi__site_table *t, const void *address, uint32_t value, uint32_t serial) {
    if (__builtin_expect(t->count >= t->count_max, 0) && !ubi__site_table_grow(t))
        return false;
    UBI_ASSERT(address && t->count < t->count_max);
    uint32_t i = ubi__site_table_home(t, (uintptr_t)address);
    while (t->slots[i].address && t->slots[i].address != (uintptr_t)address)
        i = (i + 1) & t->mask;
    t->count += t->slots[i].address == 0;
    t->slots[i] = (ubi__tracked){ (uintptr_t)address, value, serial };
    return true;
}

/** Takes out an entry that find gave. */
static inline void ubi__site_table_remove(ubi__site_table *t, ubi__tracked *entry) {
    uint32_t hole = (uint32_t)(entry - t->slots);
    UBI_ASSERT(hole <= t->mask && entry->address && t->count > 0);
    if (t->slots[(hole + 1) & t->mask].address)
        ubi__site_table_close_hole(t, hole);
    else
        entry->address = 0;
    t->count--;
    if (__builtin_expect(t->count < t->count_min, 0))
        ubi__site_table_shrink(t);
}

/* ---- the allocation log ---------------------------------------------------------------------------------------------- */

/*
 * What an observer's debuggees allocated lately, the newest entries up to a limit.
 *
 * A ring that grows by doubling until it holds the limit. Its entries are small: names are numbers, the stack is a number.
 */

typedef struct ubi__log_entry {
    const void *object; /* perhaps freed: the object is alive if the site table knows it by this serial */
    uint32_t serial;    /* 0: it was not entered there */
    ubi__stack_ix stack;
    uint64_t time_us;
    ubi__text_ix class_name;
    ubi__text_ix constructor_name;
    uint32_t birth_bytes;
} ubi__log_entry;

typedef struct ubi__allocation_log {
    const ubi_allocator *allocator;
    ubi__log_entry *at;
    uint32_t capacity;
    uint32_t first; /* index of the oldest */
    uint32_t count;
    uint32_t limit;
    uint64_t first_number; /* of the oldest, since the log was made: shows whether it was dropped meanwhile */
    bool has_overflowed;
} ubi__allocation_log;

/** Entries are within the ring, at most `limit`, and in the order of their time. O(entries). */
void ubi__allocation_log_check(const ubi__allocation_log *log);
void ubi__allocation_log_init(ubi__allocation_log *log, uint32_t limit, const ubi_allocator *allocator);
/** Forgets the entries and frees their memory; the flag and the limit stay. */
void ubi__allocation_log_clear(ubi__allocation_log *log);
void ubi__allocation_log_drop_oldest(ubi__allocation_log *log);
/** The new entry's place. NULL: no memory for even one. *lost: an entry was lost for lack of memory, the oldest or this. */
ubi__log_entry *ubi__allocation_log_make_room(ubi__allocation_log *log, bool *lost);
/** The i-th oldest; i < count. */
static inline ubi__log_entry *ubi__allocation_log_at(const ubi__allocation_log *log, uint32_t i) {
    uint32_t at = log->first + UBI_INDEX(i, log->count);
    return &log->at[at >= log->capacity ? at - log->capacity : at];
}
/** Appends; when the log is full the oldest entry gives way. False: an entry was lost for lack of memory. */
static inline bool ubi__allocation_log_append(ubi__allocation_log *log, const ubi__log_entry *entry) {
    if (__builtin_expect(log->count == log->limit && log->capacity == log->limit, 1)) {
        log->at[log->first] = *entry;
        log->first = log->first + 1 == log->capacity ? 0 : log->first + 1;
        log->first_number++;
        log->has_overflowed = true;
        return true;
    }
    bool lost = false;
    ubi__log_entry *to = ubi__allocation_log_make_room(log, &lost);
    if (to)
        *to = *entry;
    return !lost;
}
/** At least 1. Does not set the flag. */
void ubi__allocation_log_set_limit(ubi__allocation_log *log, uint32_t limit);

#endif
