/* SPDX-License-Identifier: MIT
 *
 * tracked_stacks.c: two hashes whose entries keep their number for as long as they live: texts, and frames by parent and place.
 */
#include "tracking/tracked_stacks.h"

#include "tracking/tool_memory.h"

#define FIRST_TEXT_BUCKETS 64
#define FIRST_FRAME_BUCKETS 256

/* ---- texts -------------------------------------------------------------------------------------------------------- */

void ubi__tracked_texts_init(ubi__tracked_texts *t, const ubi_allocator *allocator) {
    *t = (ubi__tracked_texts){ .allocator = allocator, .free_first = UBI_NONE };
}

static void text_free(ubi__tracked_texts *t, ubi__tracked_text *text) {
    t->allocator->free(t->allocator->ctx, text->ptr, text->len + (size_t)1);
    text->ptr = NULL;
}

void ubi__tracked_texts_fini(ubi__tracked_texts *t) {
    for (uint32_t i = 0; i < t->n; i++)
        if (t->at[i].ptr)
            text_free(t, &t->at[i]);
    ubi__tool_free(t->allocator, t->at, t->capacity, sizeof *t->at);
    ubi__tool_free(t->allocator, t->buckets, t->bucket_count, sizeof *t->buckets);
    ubi__tracked_texts_init(t, t->allocator);
}

/* FNV-1a: the texts are short, and new ones are rare. */
static uint32_t text_hash(const char *ptr, size_t len) {
    uint32_t h = 2166136261u;
    for (size_t i = 0; i < len; i++)
        h = (h ^ (uint8_t)ptr[i]) * 16777619u;
    return h ^ h >> 15;
}

static void texts_link_in(ubi__tracked_texts *t, uint32_t ix) {
    uint32_t *bucket = &t->buckets[t->at[ix].hash & (t->bucket_count - 1)];
    t->at[ix].next = *bucket;
    *bucket = ix;
}

/* All that live, into the buckets anew; the others into the list of free ones. */
static void texts_link_all(ubi__tracked_texts *t) {
    memset(t->buckets, 0xff, t->bucket_count * sizeof *t->buckets);
    t->free_first = UBI_NONE;
    for (uint32_t i = t->n; i-- > 0;) {
        if (t->at[i].ptr) {
            texts_link_in(t, i);
        } else {
            t->at[i].next = t->free_first;
            t->free_first = i;
        }
    }
}

/* At least one bucket per text. Without memory for more, chains become longer. */
static bool texts_grow_buckets(ubi__tracked_texts *t) {
    if (t->live_count < t->bucket_count)
        return true;
    uint32_t count = t->bucket_count ? 2 * t->bucket_count : FIRST_TEXT_BUCKETS;
    uint32_t *buckets = (uint32_t *)ubi__tool_calloc(t->allocator, count, sizeof *buckets);
    if (!buckets)
        return t->bucket_count != 0;
    ubi__tool_free(t->allocator, t->buckets, t->bucket_count, sizeof *t->buckets);
    t->buckets = buckets;
    t->bucket_count = count;
    texts_link_all(t);
    return true;
}

static uint32_t texts_take_entry(ubi__tracked_texts *t) {
    uint32_t ix = t->free_first;
    if (ix != UBI_NONE) {
        t->free_first = t->at[ix].next;
        return ix;
    }
    if (!ubi__tool_reserve(t->allocator, (void **)&t->at, &t->capacity, t->n + 1, sizeof *t->at))
        return UBI_NONE;
    t->at[t->n] = (ubi__tracked_text){ .ptr = NULL };
    return t->n++;
}

static void texts_give_entry_back(ubi__tracked_texts *t, uint32_t ix) {
    t->at[ix].next = t->free_first;
    t->free_first = ix;
}

static ubi__text_ix texts_add(ubi__tracked_texts *t, const char *ptr, size_t len, uint32_t hash) {
    if (len >= UINT32_MAX || !texts_grow_buckets(t))
        return UBI_NONE;
    uint32_t ix = texts_take_entry(t);
    if (ix == UBI_NONE)
        return UBI_NONE;
    char *copy = (char *)t->allocator->alloc(t->allocator->ctx, len + 1);
    if (!copy) {
        texts_give_entry_back(t, ix);
        return UBI_NONE;
    }
    memcpy(copy, ptr, len);
    copy[len] = 0;
    t->at[ix] = (ubi__tracked_text){ .ptr = copy, .len = (uint32_t)len, .hash = hash, .marked = false };
    texts_link_in(t, ix);
    t->live_count++;
    return ix;
}

ubi__text_ix ubi__tracked_texts_intern(ubi__tracked_texts *t, const char *ptr, size_t len) {
    uint32_t hash = text_hash(ptr, len);
    uint32_t ix = t->bucket_count ? t->buckets[hash & (t->bucket_count - 1)] : UBI_NONE;
    for (; ix != UBI_NONE; ix = t->at[ix].next) {
        const ubi__tracked_text *text = &t->at[ix];
        if (text->hash == hash && text->len == len && memcmp(text->ptr, ptr, len) == 0)
            return ix;
    }
    return texts_add(t, ptr, len, hash);
}

void ubi__tracked_texts_sweep(ubi__tracked_texts *t) {
    for (uint32_t i = 0; i < t->n; i++) {
        ubi__tracked_text *text = &t->at[i];
        if (text->ptr && !text->marked) {
            text_free(t, text);
            t->live_count--;
        }
        text->marked = false;
    }
    if (t->bucket_count)
        texts_link_all(t);
}

/* ---- frames ------------------------------------------------------------------------------------------------------- */

void ubi__frame_trie_init(ubi__frame_trie *t, const ubi_allocator *allocator) {
    *t = (ubi__frame_trie){ .allocator = allocator, .free_first = UBI_NONE };
}

void ubi__frame_trie_fini(ubi__frame_trie *t) {
    ubi__tool_free(t->allocator, t->at, t->capacity, sizeof *t->at);
    ubi__tool_free(t->allocator, t->buckets, t->bucket_count, sizeof *t->buckets);
    ubi__frame_trie_init(t, t->allocator);
}

static uint32_t *frames_bucket(const ubi__frame_trie *t, ubi__stack_ix parent, ubi__frame_place place) {
    uint64_t h = ((uint64_t)parent << 32 | place.code) * UINT64_C(0x9e3779b97f4a7c15);
    h = (h ^ h >> 29 ^ place.pc) * UINT64_C(0xbf58476d1ce4e5b9);
    return &t->buckets[(h >> 32) & (t->bucket_count - 1)];
}

ubi__stack_ix ubi__frame_trie_find(const ubi__frame_trie *t, ubi__stack_ix parent, ubi__frame_place place) {
    if (t->bucket_count == 0)
        return UBI_NONE;
    for (uint32_t ix = *frames_bucket(t, parent, place); ix != UBI_NONE; ix = t->at[ix].next) {
        const ubi__trie_frame *f = &t->at[ix];
        if (f->parent == parent && f->place.code == place.code && f->place.pc == place.pc)
            return ix;
    }
    return UBI_NONE;
}

static void frames_link_in(ubi__frame_trie *t, ubi__stack_ix ix) {
    uint32_t *bucket = frames_bucket(t, t->at[ix].parent, t->at[ix].place);
    t->at[ix].next = *bucket;
    *bucket = ix;
}

static void frames_link_all(ubi__frame_trie *t) {
    memset(t->buckets, 0xff, t->bucket_count * sizeof *t->buckets);
    t->free_first = UBI_NONE;
    for (uint32_t ix = t->n; ix-- > 1;) {
        if (t->at[ix].parent != UBI_NONE) {
            frames_link_in(t, ix);
        } else {
            t->at[ix].next = t->free_first;
            t->free_first = ix;
        }
    }
}

/* At least one bucket per frame. Without memory for more, chains become longer. */
static bool frames_grow_buckets(ubi__frame_trie *t) {
    if (t->live_count < t->bucket_count)
        return true;
    uint32_t count = t->bucket_count ? 2 * t->bucket_count : FIRST_FRAME_BUCKETS;
    uint32_t *buckets = (uint32_t *)ubi__tool_calloc(t->allocator, count, sizeof *buckets);
    if (!buckets)
        return t->bucket_count != 0;
    ubi__tool_free(t->allocator, t->buckets, t->bucket_count, sizeof *t->buckets);
    t->buckets = buckets;
    t->bucket_count = count;
    frames_link_all(t);
    return true;
}

static uint32_t frames_take_entry(ubi__frame_trie *t) {
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
    if (!frames_grow_buckets(t))
        return UBI_NONE;
    ubi__stack_ix ix = frames_take_entry(t);
    if (ix == UBI_NONE)
        return UBI_NONE;
    t->at[ix] = *frame;
    t->at[ix].parent = parent;
    t->at[ix].place = place;
    t->at[ix].pinned = t->at[ix].marked = false;
    frames_link_in(t, ix);
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
        frames_link_all(t);
}
