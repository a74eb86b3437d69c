/* SPDX-License-Identifier: MIT
 *
 * tracked_texts.c: a hash of buckets, whose entries keep their number for as long as they live.
 */
#include "tracking/tracked_texts.h"

#include "tracking/tool_memory.h"

#define FIRST_BUCKETS 64

void ubi__tracked_texts_init(ubi__tracked_texts *t, const ubi_allocator *allocator) {
    *t = (ubi__tracked_texts){ .allocator = allocator, .free_first = UBI_NONE };
}

static void free_text(ubi__tracked_texts *t, ubi__tracked_text *text) {
    t->allocator->free(t->allocator->ctx, text->ptr, text->len + (size_t)1);
    text->ptr = NULL;
}

void ubi__tracked_texts_fini(ubi__tracked_texts *t) {
    for (uint32_t i = 0; i < t->n; i++)
        if (t->at[i].ptr)
            free_text(t, &t->at[i]);
    ubi__tool_free(t->allocator, t->at, t->capacity, sizeof *t->at);
    ubi__tool_free(t->allocator, t->buckets, t->bucket_count, sizeof *t->buckets);
    ubi__tracked_texts_init(t, t->allocator);
}

/* FNV-1a: the texts are short, and new ones are rare. */
static uint32_t hash_of(const char *ptr, size_t len) {
    uint32_t h = 2166136261u;
    for (size_t i = 0; i < len; i++)
        h = (h ^ (uint8_t)ptr[i]) * 16777619u;
    return h ^ h >> 15;
}

static void link_in(ubi__tracked_texts *t, uint32_t ix) {
    uint32_t *bucket = &t->buckets[t->at[ix].hash & (t->bucket_count - 1)];
    t->at[ix].next = *bucket;
    *bucket = ix;
}

/* All that live, into the buckets anew; the others into the list of free ones. */
static void link_all(ubi__tracked_texts *t) {
    memset(t->buckets, 0xff, t->bucket_count * sizeof *t->buckets);
    t->free_first = UBI_NONE;
    for (uint32_t i = t->n; i-- > 0;) {
        if (t->at[i].ptr) {
            link_in(t, i);
        } else {
            t->at[i].next = t->free_first;
            t->free_first = i;
        }
    }
}

/* At least one bucket per text. Without memory for more, chains become longer. */
static bool grow_buckets(ubi__tracked_texts *t) {
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

static uint32_t take_entry(ubi__tracked_texts *t) {
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

static void give_entry_back(ubi__tracked_texts *t, uint32_t ix) {
    t->at[ix].next = t->free_first;
    t->free_first = ix;
}

static ubi__text_ix add(ubi__tracked_texts *t, const char *ptr, size_t len, uint32_t hash) {
    if (len >= UINT32_MAX || !grow_buckets(t))
        return UBI_NONE;
    uint32_t ix = take_entry(t);
    if (ix == UBI_NONE)
        return UBI_NONE;
    char *copy = (char *)t->allocator->alloc(t->allocator->ctx, len + 1);
    if (!copy) {
        give_entry_back(t, ix);
        return UBI_NONE;
    }
    memcpy(copy, ptr, len);
    copy[len] = 0;
    t->at[ix] = (ubi__tracked_text){ .ptr = copy, .len = (uint32_t)len, .hash = hash, .marked = false };
    link_in(t, ix);
    t->live_count++;
    return ix;
}

ubi__text_ix ubi__tracked_texts_intern(ubi__tracked_texts *t, const char *ptr, size_t len) {
    uint32_t hash = hash_of(ptr, len);
    uint32_t ix = t->bucket_count ? t->buckets[hash & (t->bucket_count - 1)] : UBI_NONE;
    for (; ix != UBI_NONE; ix = t->at[ix].next) {
        const ubi__tracked_text *text = &t->at[ix];
        if (text->hash == hash && text->len == len && memcmp(text->ptr, ptr, len) == 0)
            return ix;
    }
    return add(t, ptr, len, hash);
}

void ubi__tracked_texts_sweep(ubi__tracked_texts *t) {
    for (uint32_t i = 0; i < t->n; i++) {
        ubi__tracked_text *text = &t->at[i];
        if (text->ptr && !text->marked) {
            free_text(t, text);
            t->live_count--;
        }
        text->marked = false;
    }
    if (t->bucket_count)
        link_all(t);
}
