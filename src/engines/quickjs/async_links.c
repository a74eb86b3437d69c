/* SPDX-License-Identifier: MIT
 *
 * async_links.c: see async_links.h.
 */
#include "engines/quickjs/async_links.h"

#include "base/bits.h"
#include "tracking/tool_memory.h"

#define LINKS_MAX (1u << 16)

static bool link_is(const ubi__async_links *l, ubi__async_ix ix, const ubi__async_link *link) {
    const ubi__async_link *known = &l->at[ix];
    return known->stack == link->stack && known->parent == link->parent && known->cause == link->cause;
}

UBI_ROW_LOOKUP(link, const ubi__async_links *, const ubi__async_link *, link_is);

static uint64_t link_hash(const ubi__async_link *link) {
    uint64_t h = ((uint64_t)link->parent << 32 | link->stack) * UBI__GOLDEN;
    return (h ^ h >> 29 ^ (uintptr_t)link->cause) * UINT64_C(0xbf58476d1ce4e5b9);
}

void ubi__async_links_init(ubi__async_links *l, const ubi_allocator *allocator) {
    *l = (ubi__async_links){ .allocator = allocator };
}

void ubi__async_links_fini(ubi__async_links *l) {
    ubi__tool_free(l->allocator, l->at, l->capacity, sizeof *l->at);
    ubi__row_table_fini(&l->table, l->allocator);
    ubi__async_links_init(l, l->allocator);
}

void ubi__async_links_clear(ubi__async_links *l) {
    uint32_t epoch = l->epoch;
    ubi__async_links_fini(l);
    l->epoch = epoch + 1;
}

void ubi__async_links_check(const ubi__async_links *l) {
    if (!UBI_CHECKS)
        return;
    UBI_ASSERT(l->n <= l->capacity && l->n <= LINKS_MAX);
    UBI_ASSERT(l->table.n == (l->n ? l->n - 1 : 0));
    for (uint32_t ix = 1; ix < l->n; ix++) {
        UBI_ASSERT(l->at[ix].stack != UBI__STACK_EMPTY);
        UBI_ASSERT(l->at[ix].parent < ix);
        UBI_ASSERT(link_find(&l->table, l, &l->at[ix], link_hash(&l->at[ix])) == ix);
    }
}

static ubi__async_ix link_intern(ubi__async_links *l, const ubi__async_link *link) {
    uint64_t hash = link_hash(link);
    uint32_t ix = link_find(&l->table, l, link, hash), next = l->n ? l->n : 1;
    if (ix != UBI_NONE)
        return ix;
    if (next >= LINKS_MAX || ubi__row_table_reserve(&l->table, l->allocator, 1) != UBI_OK ||
        !ubi__tool_reserve(l->allocator, (void **)&l->at, &l->capacity, next + 1, sizeof *l->at))
        return 0;
    l->at[next] = *link;
    l->n = next + 1;
    ubi__row_table_fill(&l->table, link_place(&l->table, l, link, hash), hash, next);
    return next;
}

ubi__async_ix ubi__async_links_register(ubi__async_links *l, ubi__stack_ix stack, ubi__async_ix current) {
    unsigned length = 0;
    if (stack == UBI__STACK_EMPTY)
        return current;
    for (ubi__async_ix ix = current; ix; ix = l->at[ix].parent, length++)
        if (l->at[ix].stack == stack)
            return ix;
    return link_intern(l, &(ubi__async_link){ .stack = stack, .parent = length < UBI__ASYNC_CHAIN_MAX ? current : 0 });
}

ubi__async_ix ubi__async_links_named(ubi__async_links *l, ubi__async_ix link, const char *cause) {
    if (link == 0)
        return 0;
    ubi__async_link named = l->at[link];
    named.cause = cause;
    return link_intern(l, &named);
}

void ubi__async_links_mark(const ubi__async_links *l, ubi__frame_trie *frames) {
    ubi__async_links_check(l);
    for (uint32_t ix = 1; ix < l->n; ix++)
        ubi__frame_trie_mark(frames, l->at[ix].stack);
}
