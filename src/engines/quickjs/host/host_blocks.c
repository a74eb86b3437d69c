/* SPDX-License-Identifier: MIT
 *
 * host_blocks.c: see host_blocks.h.
 *
 * Before each block is the page that it was cut from, or NULL: it is the C library's, and begins 16 bytes before. A page has blocks of one
 * size. It is in the list of that size while it has room, else in that of the full ones.
 */
#include "engines/quickjs/host/host_blocks.h"

#include <stdlib.h> /* defines __GLIBC__ */

#include "ubi_features.h"

#if UBI_BLOCK_HOOKS || !defined(__GLIBC__)

JSRuntime *ubi__host_new_runtime(ubi__host_blocks *blocks) {
    (void)blocks;
    return JS_NewRuntime();
}

void ubi__host_blocks_fini(ubi__host_blocks *blocks) {
    (void)blocks;
}

#else

#include <dlfcn.h>
#include <gnu/libc-version.h>
#include <malloc.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* With what the C library puts before it, 64 KiB. */
#define PAGE_BYTES ((size_t)(64 << 10) - 32)
#define LARGE_HEADER_BYTES 16
/* What the engine counts for each block beside its bytes: MALLOC_OVERHEAD. */
#define COUNTED_BYTES 8

struct ubi__host_page {
    ubi__host_page *next, **place; /* of the list that it is in */
    void *free;                    /* blocks that were freed: each begins with the next */
    char *fresh, *end;             /* what was never used */
    uint32_t block_bytes;          /* with the word before it */
    uint32_t n_used;
    bool is_full;
};

/* ---- pages -------------------------------------------------------------------------------------------------------------- */

static void page_link(ubi__host_page *page, ubi__host_page **list) {
    page->next = *list;
    page->place = list;
    if (page->next)
        page->next->place = &page->next;
    *list = page;
}

static void page_unlink(ubi__host_page *page) {
    *page->place = page->next;
    if (page->next)
        page->next->place = page->place;
}

static ubi__host_page *page_new(size_t block_bytes, ubi__host_page **list) {
    ubi__host_page *page = malloc(PAGE_BYTES);
    if (!page)
        return NULL;
    *page = (ubi__host_page){ .block_bytes = (uint32_t)block_bytes };
    page->fresh = (char *)(((uintptr_t)(page + 1) + 15) & ~(uintptr_t)15);
    page->end = (char *)page + PAGE_BYTES;
    page_link(page, list);
    return page;
}

static bool page_has_fresh(const ubi__host_page *page) {
    return (size_t)(page->end - page->fresh) >= page->block_bytes + sizeof(void *);
}

/* A block that was never used: after a word that is its own, and 8 bytes beyond 16, so that its content is aligned. */
static void *page_cut(ubi__host_page *page) {
    ubi__host_page **block = (ubi__host_page **)(void *)(page->fresh + sizeof(void *));
    page->fresh += page->block_bytes;
    *block = page;
    return block + 1;
}

static void *page_take(ubi__host_page *page) {
    void *block = page->free;
    if (block)
        memcpy(&page->free, block, sizeof page->free);
    else
        block = page_cut(page);
    page->n_used++;
    return block;
}

/* One with room, which is the first of its list then. NULL: no memory. */
static ubi__host_page *page_with_room(ubi__host_blocks *blocks, size_t n_units) {
    ubi__host_page **list = &blocks->pages[n_units], *page = *list;
    while (page && !page->free && !page_has_fresh(page)) {
        page_unlink(page);
        page->is_full = true;
        page_link(page, &blocks->full);
        page = *list;
    }
    return page ? page : page_new(n_units * 16, list);
}

/* It was full, or is empty. An empty one that is the next to be used stays. */
static void page_relieved(ubi__host_page *page, ubi__host_blocks *blocks) {
    ubi__host_page **list = &blocks->pages[page->block_bytes / 16];
    if (page->is_full) {
        page_unlink(page);
        page->is_full = false;
        page_link(page, list);
    }
    if (page->n_used == 0 && *list != page) {
        page_unlink(page);
        free(page);
    }
}

/* ---- blocks ------------------------------------------------------------------------------------------------------------- */

static ubi__host_page *block_page(const void *block) {
    return ((ubi__host_page *const *)block)[-1];
}

static void *large_start(const void *block) {
    return (char *)block - LARGE_HEADER_BYTES;
}

/* Of what the C library gave. NULL is passed on. */
static void *large_block(char *start) {
    if (!start)
        return NULL;
    ubi__host_page **block = (ubi__host_page **)(void *)(start + LARGE_HEADER_BYTES);
    block[-1] = NULL;
    return block;
}

static size_t block_usable_size(const void *block) {
    if (!block)
        return 0;
    const ubi__host_page *page = block_page(block);
    return page ? page->block_bytes - sizeof(void *) : malloc_usable_size(large_start(block)) - LARGE_HEADER_BYTES;
}

/* As many as glibc's smallest block has, at least two. */
static size_t block_units(size_t size) {
    size_t n = (size + sizeof(void *) + 15) / 16;
    return n < 2 ? 2 : n;
}

static void *small_new(ubi__host_blocks *blocks, size_t size) {
    size_t n_units = block_units(size);
    ubi__host_page *page = blocks->pages[n_units];
    if (!page || !page->free)
        page = page_with_room(blocks, n_units);
    return page ? page_take(page) : NULL;
}

static void *block_new(JSMallocState *state, size_t size) {
    if (size > state->malloc_limit || state->malloc_size + size > state->malloc_limit)
        return NULL;
    void *block = size <= UBI__HOST_SMALL_BYTES             ? small_new(state->opaque, size)
                  : size < PTRDIFF_MAX - LARGE_HEADER_BYTES ? large_block(malloc(size + LARGE_HEADER_BYTES))
                                                            : NULL;
    if (!block)
        return NULL;
    state->malloc_count++;
    state->malloc_size += block_usable_size(block) + COUNTED_BYTES;
    return block;
}

static void block_free(JSMallocState *state, void *block) {
    if (!block)
        return;
    ubi__host_page *page = block_page(block);
    state->malloc_count--;
    state->malloc_size -= block_usable_size(block) + COUNTED_BYTES;
    if (!page) {
        free(large_start(block));
        return;
    }
    memcpy(block, &page->free, sizeof page->free);
    page->free = block;
    page->n_used--;
    if (page->is_full || page->n_used == 0)
        page_relieved(page, state->opaque);
}

/* A large block stays one, also if it shrinks. */
static void *large_resize(JSMallocState *state, void *block, size_t old_size, size_t size) {
    if (size >= PTRDIFF_MAX - LARGE_HEADER_BYTES)
        return NULL;
    block = large_block(realloc(large_start(block), size + LARGE_HEADER_BYTES));
    if (block)
        state->malloc_size += block_usable_size(block) - old_size;
    return block;
}

static void *small_resize(JSMallocState *state, void *block, size_t old_size, size_t size) {
    if (size <= UBI__HOST_SMALL_BYTES && block_units(size) * 16 == block_page(block)->block_bytes)
        return block;
    void *moved = block_new(state, size);
    if (!moved)
        return NULL;
    memcpy(moved, block, old_size < size ? old_size : size);
    block_free(state, block);
    return moved;
}

static void *block_resize(JSMallocState *state, void *block, size_t size) {
    if (!block)
        return size ? block_new(state, size) : NULL;
    if (size == 0) {
        block_free(state, block);
        return NULL;
    }
    size_t old_size = block_usable_size(block);
    if (size > old_size && (size > state->malloc_limit || state->malloc_size + (size - old_size) > state->malloc_limit))
        return NULL;
    return block_page(block) ? small_resize(state, block, old_size, size) : large_resize(state, block, old_size, size);
}

/* ---- a runtime ---------------------------------------------------------------------------------------------------------- */

/* By a library that records allocations, or a sanitizer: it wants to see each block, and the lock is not glibc's. */
static bool is_malloc_replaced(void) {
    Dl_info allocator, library;
    return !dladdr((void *)malloc, &allocator) || !dladdr((void *)gnu_get_libc_version, &library) ||
           allocator.dli_fbase != library.dli_fbase;
}

JSRuntime *ubi__host_new_runtime(ubi__host_blocks *blocks) {
    static const JSMallocFunctions functions = { block_new, block_free, block_resize, block_usable_size };
    return is_malloc_replaced() ? JS_NewRuntime() : JS_NewRuntime2(&functions, blocks);
}

static void pages_free(ubi__host_page *page) {
    while (page) {
        ubi__host_page *next = page->next;
        free(page);
        page = next;
    }
}

void ubi__host_blocks_fini(ubi__host_blocks *blocks) {
    for (size_t i = 0; i < UBI__HOST_BLOCK_CLASSES; i++)
        pages_free(blocks->pages[i]);
    pages_free(blocks->full);
    *blocks = (ubi__host_blocks){ 0 };
}

#endif
