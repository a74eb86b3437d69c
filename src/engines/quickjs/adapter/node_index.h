/* SPDX-License-Identifier: MIT
 *
 * node_index.h: numbers for the nodes of a frozen heap, from 0 in the order of their addresses.
 *
 * A node is where it starts. No two start within 16 bytes, so 256 bits mark the starts in a page of 4 KiB, and the number
 * of a node is how many start before it in the page, plus the number of the page's first. Pages are found through blocks of
 * 64 MiB, and these through a small hash table:
 *
 *     address -> block (hash, few) -> page (array) -> bits -> number          some 5 ns, from second level cache
 *     number -> address and kind (array)
 *
 * While the heap is looked through, each place also has a count of references, a byte; what goes beyond 255 is carried into
 * a table. So edges are enumerated once, and before nodes have numbers.
 *
 * Memory per node, when nodes are 128 bytes apart: 1.3 bytes of pages, 8 of addresses; meanwhile also 10 of counts.
 */
#ifndef UBI_QUICKJS_NODE_INDEX_H
#define UBI_QUICKJS_NODE_INDEX_H

#include <assert.h>
#include <stdlib.h>

#include "engines/quickjs/adapter/address_map.h"
#include "engines/quickjs/adapter/kinds.h"

#define UBI__PAGE_BITS 12
#define UBI__BLOCK_BITS 26
#define UBI__PAGES_PER_BLOCK (1u << (UBI__BLOCK_BITS - UBI__PAGE_BITS))
#define UBI__PLACES_PER_PAGE 256u /* of 16 bytes */
#define UBI__WORDS_PER_PAGE 8     /* of bits, one per place */
#define UBI__ADDRESS_BITS 48      /* a larger address is refused: no system gives one to a program unasked */

typedef struct ubi__page {
    uint32_t starts[UBI__WORDS_PER_PAGE]; /* a node starts at this place */
    uint32_t first;                       /* number of the first node of the page */
    uint8_t before[UBI__WORDS_PER_PAGE];  /* nodes in the words before this one */
} ubi__page;

static_assert(sizeof(ubi__page) == 44, "1.3 bytes per node, when nodes are 128 bytes apart");
static_assert(UBI__PLACES_PER_PAGE == 32 * UBI__WORDS_PER_PAGE && UBI__PLACES_PER_PAGE * 16 == 1u << UBI__PAGE_BITS,
              "a bit for each place");

/* What is needed of a page until nodes have numbers. */
typedef struct ubi__page_work {
    uint32_t listed
        [UBI__WORDS_PER_PAGE]; /* of the starts: is on the collector's list, so it has a header that says its type */
    uint32_t odd[UBI__WORDS_PER_PAGE];    /* of the starts: lies 8 bytes after the place */
    uint8_t counts[UBI__PLACES_PER_PAGE]; /* counted references, modulo 256 */
} ubi__page_work;

typedef struct ubi__page_block {
    uint64_t number; /* address >> UBI__BLOCK_BITS */
    uint32_t page[UBI__PAGES_PER_BLOCK];
} ubi__page_block;

typedef struct ubi__node_index {
    const ubi_allocator *allocator;
    ubi__page_block **blocks;
    uint32_t n_blocks, blocks_capacity;
    ubi__address_map block_of;   /* block number + 1 -> index in blocks + 1 */
    ubi__page_block *last_block; /* of the last answer */
    ubi__page *pages;            /* pages[0] has no nodes and stands for pages that are not there */
    ubi__page_work *work;        /* NULL once nodes have numbers */
    uint32_t n_pages, pages_capacity, work_capacity;
    ubi__address_map carried; /* place -> how often its count went over 255 */
    uint64_t *nodes;          /* address | kind << UBI__ADDRESS_BITS */
    uint32_t n_nodes;
    bool can_count_ones; /* the processor has an instruction for it */
} ubi__node_index;

/* Code may be compiled for an instruction that old processors lack. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__POPCNT__)
#define UBI__MAY_COUNT_ONES 1
#else
#define UBI__MAY_COUNT_ONES 0
#endif

static inline uint32_t ubi__ones(uint32_t word) { /* without that instruction */
    word -= word >> 1 & 0x55555555;
    word = (word & 0x33333333) + (word >> 2 & 0x33333333);
    return ((word + (word >> 4)) & 0x0F0F0F0F) * 0x01010101 >> 24;
}

static void ubi__index_init(ubi__node_index *index, const ubi_allocator *a) {
    index->allocator = a;
#if UBI__MAY_COUNT_ONES
    index->can_count_ones = __builtin_cpu_supports("popcnt");
#endif
}

static void ubi__index_fini(ubi__node_index *index) {
    const ubi_allocator *a = index->allocator;
    if (!a)
        return;
    for (uint32_t i = 0; i < index->n_blocks; i++)
        ubi__tool_free(a, index->blocks[i], 1, sizeof *index->blocks[i]);
    ubi__tool_free(a, index->blocks, index->blocks_capacity, sizeof *index->blocks);
    ubi__address_map_fini(&index->block_of, a);
    ubi__tool_free(a, index->pages, index->pages_capacity, sizeof *index->pages);
    ubi__tool_free(a, index->work, index->work_capacity, sizeof *index->work);
    ubi__address_map_fini(&index->carried, a);
    ubi__tool_free(a, index->nodes, index->n_nodes, sizeof *index->nodes);
    *index = (ubi__node_index){ .allocator = a };
}

static inline uint32_t ubi__place_of(uint64_t address) {
    return (uint32_t)(address >> 4) & (UBI__PLACES_PER_PAGE - 1);
}

/* ---- finding -------------------------------------------------------------------------------------------------------- */

/* NULL: no node is near. */
static inline ubi__page_block *ubi__index_block(ubi__node_index *index, uint64_t address) {
    uint64_t number = address >> UBI__BLOCK_BITS;
    if (__builtin_expect(index->last_block && index->last_block->number == number, 1))
        return index->last_block;
    const uint64_t *found = ubi__address_map_find(&index->block_of, number + 1);
    if (!found)
        return NULL;
    return index->last_block = index->blocks[*found - 1];
}

/** The page of an address; 0: none. */
static inline uint32_t ubi__index_page(ubi__node_index *index, uint64_t address) {
    ubi__page_block *block = ubi__index_block(index, address);
    return block ? block->page[address >> UBI__PAGE_BITS & (UBI__PAGES_PER_BLOCK - 1)] : 0;
}

/** The number of the node that starts at an address, or UBI_NONE. After numbering. */
static inline __attribute__((always_inline)) uint32_t ubi__index_find_by(ubi__node_index *index, const void *p,
                                                                         bool can_count_ones) {
    uint64_t address = (uintptr_t)p;
    const ubi__page *page = &index->pages[ubi__index_page(index, address)];
    uint32_t place = ubi__place_of(address), word = place >> 5;
    uint32_t bit = UINT32_C(1) << (place & 31);
    if (!(page->starts[word] & bit))
        return UBI_NONE;
    uint32_t before = page->starts[word] & (bit - 1);
    return page->first + page->before[word] +
           (can_count_ones ? (uint32_t)__builtin_popcount(before) : ubi__ones(before));
}
static inline uint32_t ubi__index_find(ubi__node_index *index, const void *p) {
    return ubi__index_find_by(index, p, false);
}

static inline ubi__kind ubi__index_kind(const ubi__node_index *index, uint32_t number) {
    return (ubi__kind)(index->nodes[UBI_INDEX(number, index->n_nodes)] >> UBI__ADDRESS_BITS);
}
static inline void *ubi__index_address(const ubi__node_index *index, uint32_t number) {
    return (void *)(uintptr_t)(index->nodes[UBI_INDEX(number, index->n_nodes)] &
                               ((UINT64_C(1) << UBI__ADDRESS_BITS) - 1));
}

/* ---- collecting ----------------------------------------------------------------------------------------------------- */

static UBI_COLD ubi__page_block *ubi__index_add_block(ubi__node_index *index, uint64_t address) {
    const ubi_allocator *a = index->allocator;
    if (address >> UBI__ADDRESS_BITS || !ubi__tool_reserve(a, (void **)&index->blocks, &index->blocks_capacity,
                                                           index->n_blocks + 1, sizeof *index->blocks))
        return NULL;
    ubi__page_block *block = ubi__tool_calloc(a, 1, sizeof *block);
    uint64_t *entry = block ? ubi__address_map_at(&index->block_of, (address >> UBI__BLOCK_BITS) + 1, a) : NULL;
    if (!entry) {
        ubi__tool_free(a, block, 1, sizeof *block);
        return NULL;
    }
    UBI_ASSERT(*entry == 0);
    block->number = address >> UBI__BLOCK_BITS;
    index->blocks[index->n_blocks++] = block;
    *entry = index->n_blocks;
    return index->last_block = block;
}

/* Room for exactly `capacity` pages; unchanged when there is no memory. */
static bool ubi__index_reserve(ubi__node_index *index, uint32_t capacity) {
    const ubi_allocator *a = index->allocator;
    ubi__page *pages = a->resize(a->ctx, index->pages, index->pages_capacity * sizeof *pages, capacity * sizeof *pages);
    if (!pages)
        return false;
    index->pages = pages;
    index->pages_capacity = capacity;
    ubi__page_work *work = a->resize(a->ctx, index->work, index->work_capacity * sizeof *work, capacity * sizeof *work);
    if (!work)
        return false;
    index->work = work;
    index->work_capacity = capacity;
    return true;
}

static UBI_COLD uint32_t ubi__index_add_page(ubi__node_index *index, uint64_t address) {
    uint32_t wanted = (index->n_pages ? index->n_pages : 1) + 1;
    ubi__page_block *block = ubi__index_block(index, address);
    if (!block)
        block = ubi__index_add_block(index, address);
    if (!block || wanted > UINT32_MAX / 2 ||
        (wanted > index->work_capacity && !ubi__index_reserve(index, wanted + wanted / 4 + 16)))
        return 0;
    while (index->n_pages < wanted) {
        memset(&index->pages[index->n_pages], 0, sizeof *index->pages);
        memset(&index->work[index->n_pages++], 0, sizeof *index->work);
    }
    return block->page[address >> UBI__PAGE_BITS & (UBI__PAGES_PER_BLOCK - 1)] = wanted - 1;
}

/** The page of an address, made when it is new; 0: no memory. */
static inline uint32_t ubi__index_need_page(ubi__node_index *index, uint64_t address) {
    uint32_t page = ubi__index_page(index, address);
    return __builtin_expect(page != 0, 1) ? page : ubi__index_add_page(index, address);
}

/** A node starts here. */
static inline void ubi__index_add(ubi__node_index *index, uint32_t page, uint64_t address, bool is_listed) {
    uint32_t place = ubi__place_of(address), word = place >> 5;
    uint32_t bit = UINT32_C(1) << (place & 31);
    UBI_ASSERT(page > 0 && page < index->n_pages && (address & 7) == 0);
    index->pages[page].starts[word] |= bit;
    if (is_listed)
        index->work[page].listed[word] |= bit;
    if (address & 8)
        index->work[page].odd[word] |= bit;
}
static inline bool ubi__index_has(const ubi__node_index *index, uint32_t page, uint64_t address) {
    uint32_t place = ubi__place_of(address);
    return index->pages[page].starts[place >> 5] >> (place & 31) & 1;
}

/** One counted reference to what starts here. False: no memory. */
static inline bool ubi__index_count(ubi__node_index *index, uint32_t page, uint64_t address) {
    if (__builtin_expect(++index->work[page].counts[ubi__place_of(address)] != 0, 1))
        return true;
    uint64_t *carried = ubi__address_map_at(&index->carried, address >> 4, index->allocator);
    if (!carried)
        return false;
    ++*carried;
    return true;
}
static inline uint64_t ubi__index_references(const ubi__node_index *index, uint32_t page, uint64_t address) {
    const uint64_t *carried = ubi__address_map_find(&index->carried, address >> 4);
    return index->work[page].counts[ubi__place_of(address)] + (carried ? *carried * 256 : 0);
}

/* ---- numbering ------------------------------------------------------------------------------------------------------ */

static int ubi__block_order(const void *a, const void *b) {
    uint64_t x = (*(ubi__page_block *const *)a)->number, y = (*(ubi__page_block *const *)b)->number;
    return x < y ? -1 : x > y;
}

/* Counts the starts and sorts the blocks. */
static uint64_t ubi__index_begin_numbering(ubi__node_index *index) {
    uint64_t n = 0;
    for (uint32_t i = 1; i < index->n_pages; i++)
        for (uint32_t w = 0; w < UBI__WORDS_PER_PAGE; w++)
            n += ubi__ones(index->pages[i].starts[w]);
    if (index->n_blocks > 1)
        qsort(index->blocks, index->n_blocks, sizeof *index->blocks, ubi__block_order);
    UBI_ASSERT(index->block_of.count == index->n_blocks);
    for (uint32_t i = 1; UBI_CHECKS && i < index->n_blocks; i++)
        UBI_ASSERT(index->blocks[i - 1]->number < index->blocks[i]->number);
    for (uint32_t i = 0; i < index->n_blocks; i++)
        *ubi__address_map_at(&index->block_of, index->blocks[i]->number + 1, index->allocator) = i + 1;
    return n;
}

/** Is called for each node in the order of addresses: answers what it is. `references`: those that were counted. */
typedef ubi__kind (*ubi__numbered_fn)(void *payload, uint32_t number, void *node, bool is_listed, uint64_t references);

/* Addresses of the nodes of a page, from nodes[n]. What they say of themselves is asked for meanwhile. */
static uint32_t ubi__list_page(ubi__node_index *index, uint32_t page_number, uint64_t page_address, uint32_t n) {
    ubi__page *page = &index->pages[page_number];
    const ubi__page_work *work = &index->work[page_number];
    page->first = n;
    for (uint32_t w = 0; w < UBI__WORDS_PER_PAGE; w++) {
        page->before[w] = (uint8_t)(n - page->first);
        for (uint32_t left = page->starts[w]; left; left &= left - 1) {
            uint32_t bit = (uint32_t)__builtin_ctz(left);
            index->nodes[n] = page_address + ((uint64_t)(w * 32 + bit) << 4) + (work->odd[w] >> bit & 1) * 8;
            __builtin_prefetch((const void *)(uintptr_t)index->nodes[n++]);
        }
    }
    return n;
}

static uint32_t ubi__number_page(ubi__node_index *index, uint32_t page_number, uint64_t page_address, uint32_t n,
                                 ubi__numbered_fn fn, void *payload) {
    const ubi__page_work *work = &index->work[page_number];
    uint32_t end = ubi__list_page(index, page_number, page_address, n);
    for (; n < end; n++) {
        uint64_t address = index->nodes[n];
        uint32_t place = ubi__place_of(address);
        bool is_listed = work->listed[place >> 5] >> (place & 31) & 1;
        uint64_t references = ubi__index_references(index, page_number, address);
        uint64_t kind = fn(payload, n, (void *)(uintptr_t)address, is_listed, references);
        UBI_ASSERT(kind < UINT64_C(1) << (64 - UBI__ADDRESS_BITS));
        index->nodes[n] = address | kind << UBI__ADDRESS_BITS;
    }
    return n;
}

/** Gives numbers, asking `fn` for kinds. False: no memory, or 2^32 nodes. The counts are gone afterwards. */
static bool ubi__index_number(ubi__node_index *index, ubi__numbered_fn fn, void *payload) {
    uint64_t wanted = ubi__index_begin_numbering(index);
    if (wanted >= UBI_NONE - 1)
        return false;
    index->nodes = ubi__tool_calloc(index->allocator, wanted, sizeof *index->nodes);
    if (!index->nodes)
        return false;
    index->n_nodes = (uint32_t)wanted;
    uint32_t n = 0;
    for (uint32_t i = 0; i < index->n_blocks; i++)
        for (uint32_t k = 0; k < UBI__PAGES_PER_BLOCK; k++) {
            const ubi__page_block *block = index->blocks[i];
            uint64_t address = block->number << UBI__BLOCK_BITS | (uint64_t)k << UBI__PAGE_BITS;
            if (block->page[k])
                n = ubi__number_page(index, block->page[k], address, n, fn, payload);
        }
    UBI_ASSERT(n == index->n_nodes);
    ubi__tool_free(index->allocator, index->work, index->work_capacity, sizeof *index->work);
    index->work = NULL;
    index->work_capacity = 0;
    ubi__address_map_fini(&index->carried, index->allocator);
    return true;
}

#endif
