/* SPDX-License-Identifier: MIT
 *
 * async_links.c: see async_links.h. Links stand in one array, in the order of their making, and are found by a hash.
 */
#include "engines/quickjs/async_links.h"

#include "tracking/tool_memory.h"

#define LINKS_MAX (1u << 16)
#define FIRST_BUCKETS 64

void ubi__async_links_init(ubi__async_links *l, const ubi_allocator *allocator) {
    *l = (ubi__async_links){ .allocator = allocator };
}

void ubi__async_links_fini(ubi__async_links *l) {
    ubi__tool_free(l->allocator, l->at, l->capacity, sizeof *l->at);
    ubi__tool_free(l->allocator, l->buckets, l->bucket_count, sizeof *l->buckets);
    ubi__async_links_init(l, l->allocator);
}

void ubi__async_links_clear(ubi__async_links *l) {
    uint32_t epoch = l->epoch;
    ubi__async_links_fini(l);
    l->epoch = epoch + 1;
}

static uint32_t *bucket_of(const ubi__async_links *l, const ubi__async_link *link) {
    uint64_t h = ((uint64_t)link->parent << 32 | link->stack) * UINT64_C(0x9e3779b97f4a7c15);
    h = (h ^ h >> 29 ^ (uintptr_t)link->cause) * UINT64_C(0xbf58476d1ce4e5b9);
    return &l->buckets[(h >> 32) & (l->bucket_count - 1)];
}

static void put(ubi__async_links *l, uint32_t ix) {
    uint32_t *bucket = bucket_of(l, &l->at[ix]);
    l->at[ix].next = *bucket;
    *bucket = ix;
}

/* At least one bucket per link. */
static bool make_room(ubi__async_links *l) {
    uint32_t first = l->n ? l->n : 1;
    if (first >= LINKS_MAX || !ubi__tool_reserve(l->allocator, (void **)&l->at, &l->capacity, first + 1, sizeof *l->at))
        return false;
    if (first < l->bucket_count)
        return true;
    uint32_t count = l->bucket_count ? 2 * l->bucket_count : FIRST_BUCKETS;
    uint32_t *buckets = (uint32_t *)ubi__tool_calloc(l->allocator, count, sizeof *buckets);
    if (!buckets)
        return false;
    ubi__tool_free(l->allocator, l->buckets, l->bucket_count, sizeof *l->buckets);
    l->buckets = buckets;
    l->bucket_count = count;
    for (uint32_t ix = 1; ix < l->n; ix++)
        put(l, ix);
    return true;
}

static ubi__async_ix intern(ubi__async_links *l, const ubi__async_link *link) {
    for (uint32_t ix = l->bucket_count ? *bucket_of(l, link) : 0; ix; ix = l->at[ix].next) {
        const ubi__async_link *known = &l->at[ix];
        if (known->stack == link->stack && known->parent == link->parent && known->cause == link->cause)
            return ix;
    }
    if (!make_room(l))
        return 0;
    uint32_t ix = l->n ? l->n : 1;
    l->at[ix] = *link;
    l->n = ix + 1;
    put(l, ix);
    return ix;
}

ubi__async_ix ubi__async_links_register(ubi__async_links *l, ubi__stack_ix stack, ubi__async_ix current) {
    unsigned length = 0;
    if (stack == UBI__STACK_EMPTY)
        return current;
    for (ubi__async_ix ix = current; ix; ix = l->at[ix].parent, length++)
        if (l->at[ix].stack == stack)
            return ix;
    return intern(l, &(ubi__async_link){ .stack = stack, .parent = length < UBI__ASYNC_CHAIN_MAX ? current : 0 });
}

ubi__async_ix ubi__async_links_named(ubi__async_links *l, ubi__async_ix link, const char *cause) {
    if (link == 0)
        return 0;
    ubi__async_link named = l->at[link];
    named.cause = cause;
    return intern(l, &named);
}

void ubi__async_links_mark(const ubi__async_links *l, ubi__frame_trie *frames) {
    for (uint32_t ix = 1; ix < l->n; ix++)
        ubi__frame_trie_mark(frames, l->at[ix].stack);
}
