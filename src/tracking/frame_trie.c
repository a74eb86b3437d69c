/* SPDX-License-Identifier: MIT
 *
 * frame_trie.c: frames in one hash, by parent and place.
 */
#include "tracking/frame_trie.h"

#include "tracking/tool_memory.h"

#define FIRST_BUCKETS 256

void ubi__frame_trie_init(ubi__frame_trie *t, const ubi_allocator *allocator) {
    *t = (ubi__frame_trie){ .allocator = allocator, .free_first = UBI_NONE };
}

void ubi__frame_trie_fini(ubi__frame_trie *t) {
    ubi__tool_free(t->allocator, t->at, t->capacity, sizeof *t->at);
    ubi__tool_free(t->allocator, t->buckets, t->bucket_count, sizeof *t->buckets);
    ubi__frame_trie_init(t, t->allocator);
}

static uint32_t *bucket_of(const ubi__frame_trie *t, ubi__stack_ix parent, ubi__frame_place place) {
    uint64_t h = ((uint64_t)parent << 32 | place.script) * UINT64_C(0x9e3779b97f4a7c15);
    h = (h ^ h >> 29 ^ place.pc) * UINT64_C(0xbf58476d1ce4e5b9);
    return &t->buckets[(h >> 32) & (t->bucket_count - 1)];
}

ubi__stack_ix ubi__frame_trie_find(const ubi__frame_trie *t, ubi__stack_ix parent, ubi__frame_place place) {
    if (t->bucket_count == 0)
        return UBI_NONE;
    for (uint32_t ix = *bucket_of(t, parent, place); ix != UBI_NONE; ix = t->at[ix].next) {
        const ubi__trie_frame *f = &t->at[ix];
        if (f->parent == parent && f->place.script == place.script && f->place.pc == place.pc)
            return ix;
    }
    return UBI_NONE;
}

static void link_in(ubi__frame_trie *t, ubi__stack_ix ix) {
    uint32_t *bucket = bucket_of(t, t->at[ix].parent, t->at[ix].place);
    t->at[ix].next = *bucket;
    *bucket = ix;
}

static void link_all(ubi__frame_trie *t) {
    memset(t->buckets, 0xff, t->bucket_count * sizeof *t->buckets);
    t->free_first = UBI_NONE;
    for (uint32_t ix = t->n; ix-- > 1;) {
        if (t->at[ix].parent != UBI_NONE) {
            link_in(t, ix);
        } else {
            t->at[ix].next = t->free_first;
            t->free_first = ix;
        }
    }
}

/* At least one bucket per frame. Without memory for more, chains become longer. */
static bool grow_buckets(ubi__frame_trie *t) {
    if (t->live_count < t->bucket_count)
        return true;
    uint32_t count = t->bucket_count ? 2 * t->bucket_count : FIRST_BUCKETS;
    uint32_t *buckets = (uint32_t *)ubi__tool_calloc(t->allocator, count, sizeof *buckets);
    if (!buckets)
        return t->bucket_count != 0;
    ubi__tool_free(t->allocator, t->buckets, t->bucket_count, sizeof *t->buckets);
    t->buckets = buckets;
    t->bucket_count = count;
    link_all(t);
    return true;
}

static uint32_t take_entry(ubi__frame_trie *t) {
    uint32_t ix = t->free_first;
    if (ix != UBI_NONE) {
        t->free_first = t->at[ix].next;
        return ix;
    }
    uint32_t first = t->n ? t->n : 1;
    if (!ubi__tool_reserve(t->allocator, (void **)&t->at, &t->capacity, first + 1, sizeof *t->at))
        return UBI_NONE;
    if (t->n == 0)
        t->at[UBI__STACK_EMPTY] = (ubi__trie_frame){ .function_name = UBI_NONE, .source = UBI_NONE };
    t->n = first + 1;
    return first;
}

ubi__stack_ix ubi__frame_trie_add(ubi__frame_trie *t, ubi__stack_ix parent, ubi__frame_place place,
                                  const ubi__trie_frame *frame) {
    if (!grow_buckets(t))
        return UBI_NONE;
    ubi__stack_ix ix = take_entry(t);
    if (ix == UBI_NONE)
        return UBI_NONE;
    t->at[ix] = *frame;
    t->at[ix].parent = parent;
    t->at[ix].place = place;
    t->at[ix].pinned = t->at[ix].marked = false;
    link_in(t, ix);
    t->live_count++;
    return ix;
}

void ubi__frame_trie_mark(ubi__frame_trie *t, ubi__stack_ix ix) {
    while (ix != UBI__STACK_EMPTY && !t->at[ix].marked) {
        t->at[ix].marked = true;
        ix = t->at[ix].parent;
    }
}

void ubi__frame_trie_sweep(ubi__frame_trie *t, ubi__tracked_texts *texts) {
    for (uint32_t ix = 1; ix < t->n; ix++)
        if (t->at[ix].parent != UBI_NONE && t->at[ix].pinned)
            ubi__frame_trie_mark(t, ix);
    for (uint32_t ix = 1; ix < t->n; ix++) {
        ubi__trie_frame *f = &t->at[ix];
        if (f->parent != UBI_NONE && !f->marked) {
            f->parent = UBI_NONE;
            t->live_count--;
        } else if (f->parent != UBI_NONE) {
            ubi__tracked_texts_mark(texts, f->function_name);
            ubi__tracked_texts_mark(texts, f->source);
        }
        f->marked = false;
    }
    if (t->bucket_count)
        link_all(t);
}
