/* SPDX-License-Identifier: MIT
 *
 * tracked_texts.h: the names that tracking remembers, each once.
 *
 * Class names, constructors, functions and files outlive the objects and atoms that they were read from, so they are copied
 * here, as WTF-8, and known by number: that keeps log entries small. Nobody counts references; a sweep frees what was not
 * marked since the last one, so a program that makes functions with ever new names costs no more than what is in use.
 */
#ifndef UBI_TRACKING_TRACKED_TEXTS_H
#define UBI_TRACKING_TRACKED_TEXTS_H

#include <ubiheap/base.h>

/** A text; UBI_NONE: no text. */
typedef uint32_t ubi__text_ix;

typedef struct ubi__tracked_text {
    char *ptr; /* NULL: the entry is free */
    uint32_t len;
    uint32_t hash;
    uint32_t next; /* in its bucket, or in the list of free entries */
    bool marked;
} ubi__tracked_text;

typedef struct ubi__tracked_texts {
    const ubi_allocator *allocator;
    ubi__tracked_text *at;
    uint32_t n, capacity;
    uint32_t *buckets; /* first entry of each, UBI_NONE: none */
    uint32_t bucket_count;
    uint32_t free_first;
    uint32_t live_count;
} ubi__tracked_texts;

void ubi__tracked_texts_init(ubi__tracked_texts *t, const ubi_allocator *allocator);
void ubi__tracked_texts_fini(ubi__tracked_texts *t);
/** The number of a text that is copied when it is new. UBI_NONE: no memory. */
ubi__text_ix ubi__tracked_texts_intern(ubi__tracked_texts *t, const char *ptr, size_t len);
/** Borrowed until a sweep frees it; no text for UBI_NONE. */
static inline ubi_text ubi__tracked_texts_get(const ubi__tracked_texts *t, ubi__text_ix ix) {
    if (ix == UBI_NONE)
        return (ubi_text){ NULL, 0 };
    return (ubi_text){ t->at[ix].ptr, t->at[ix].len };
}
static inline void ubi__tracked_texts_mark(ubi__tracked_texts *t, ubi__text_ix ix) {
    if (ix != UBI_NONE)
        t->at[ix].marked = true;
}
/** Frees all that is not marked, and takes the marks away. */
void ubi__tracked_texts_sweep(ubi__tracked_texts *t);

#endif
