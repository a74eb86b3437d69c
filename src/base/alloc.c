/* SPDX-License-Identifier: MIT
 *
 * alloc.c: the default allocator, pages, arrays (alloc.h).
 */
#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/sanitizers.h"

/*
 * Blocks of LARGE_BYTES and more are anonymous mappings: they grow by mremap (page tables move, bytes do not), ask for
 * huge pages (first touch costs a third), and give memory back to the system when freed. A block crosses the border
 * between malloc and mapping only in resize, which knows both sizes.
 */

#define LARGE_BYTES ((size_t)256 << 10)
#define PAGE_BYTES ((size_t)4096)
#define HUGE_PAGE_BYTES ((size_t)2 << 20)

static bool is_large(size_t size) {
    return size >= LARGE_BYTES;
}

static size_t round_to_pages(size_t size) {
    return (size + PAGE_BYTES - 1) & ~(PAGE_BYTES - 1);
}

static void advise_huge(void *p, size_t size) {
    if (size >= HUGE_PAGE_BYTES)
        (void)madvise(p, size, MADV_HUGEPAGE); /* advice only: a kernel without huge pages says no */
}

/*
 * A mapping of another size, with what was in it. ThreadSanitizer does not see that mremap gives addresses other contents, and takes
 * what another thread wrote at the new ones, in a mapping that is gone, for a race: for it, bytes move.
 */
static void *map_again(void *p, size_t old_size, size_t new_size) {
    old_size = round_to_pages(old_size);
    new_size = round_to_pages(new_size);
#if UBI_HAS_THREAD_SANITIZER
    void *q = mmap(NULL, new_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (q == MAP_FAILED)
        return NULL;
    memcpy(q, p, old_size < new_size ? old_size : new_size);
    munmap(p, old_size);
#else
    void *q = mremap(p, old_size, new_size, MREMAP_MAYMOVE);
#endif
    return q == MAP_FAILED ? NULL : q;
}

static void *map_large(size_t size) {
    size = round_to_pages(size);
    void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        return NULL;
    advise_huge(p, size);
    return p;
}

static void *default_alloc(void *ctx, size_t size) {
    (void)ctx;
    if (size > PTRDIFF_MAX)
        return NULL;
    return is_large(size) ? map_large(size) : malloc(size);
}

static void default_free(void *ctx, void *p, size_t size) {
    (void)ctx;
    if (!p)
        return;
    if (is_large(size))
        munmap(p, round_to_pages(size));
    else
        free(p);
}

static void *move_block(void *p, size_t old_size, size_t new_size) {
    void *q = default_alloc(NULL, new_size);
    if (!q)
        return NULL;
    memcpy(q, p, old_size < new_size ? old_size : new_size);
    default_free(NULL, p, old_size);
    return q;
}

static void *default_resize(void *ctx, void *p, size_t old_size, size_t new_size) {
    if (!p)
        return default_alloc(ctx, new_size);
    if (new_size > PTRDIFF_MAX)
        return NULL;
    if (!is_large(old_size) && !is_large(new_size))
        return realloc(p, new_size);
    if (!is_large(old_size) || !is_large(new_size))
        return move_block(p, old_size, new_size);
    void *q = map_again(p, old_size, new_size);
    if (q)
        advise_huge(q, round_to_pages(new_size));
    return q;
}

static const ubi_allocator *replacement; /* in tests */

const ubi_allocator *ubi_allocator_default(void) {
    static const ubi_allocator allocator = { default_alloc, default_resize, default_free, NULL };
    return replacement ? replacement : &allocator;
}

void ubi__allocator_default_replace(const ubi_allocator *allocator) {
    replacement = allocator;
}

/* ---- pages -------------------------------------------------------------------------------------------------------- */

static void *page_alloc(void *ctx, size_t size) {
    (void)ctx;
    return size > PTRDIFF_MAX ? NULL : map_large(size);
}

static void page_free(void *ctx, void *p, size_t size) {
    (void)ctx;
    if (p)
        munmap(p, round_to_pages(size));
}

static void *page_resize(void *ctx, void *p, size_t old_size, size_t new_size) {
    if (!p)
        return page_alloc(ctx, new_size);
    if (new_size > PTRDIFF_MAX)
        return NULL;
    return map_again(p, old_size, new_size);
}

const ubi_allocator *ubi__allocator_of_pages(void) {
    static const ubi_allocator allocator = { page_alloc, page_resize, page_free, NULL };
    return &allocator;
}

/* ---- arrays ------------------------------------------------------------------------------------------------------- */

void *ubi__alloc_array(const ubi_allocator *a, size_t n, size_t size) {
    size_t bytes;
    if (n == 0 || __builtin_mul_overflow(n, size, &bytes))
        return NULL;
    return a->alloc(a->ctx, bytes);
}

void *ubi__calloc_array(const ubi_allocator *a, size_t n, size_t size) {
    void *p = ubi__alloc_array(a, n, size);
    /* Fresh mappings are zero already, but only the default allocator promises that, and none in its place. */
    if (p && !(a->alloc == default_alloc && is_large(n * size)))
        memset(p, 0, n * size);
    return p;
}

void ubi__touch_pages(void *p, size_t size) {
#ifdef MADV_POPULATE_WRITE
    uintptr_t begin = ((uintptr_t)p + PAGE_BYTES - 1) & ~(uintptr_t)(PAGE_BYTES - 1);
    uintptr_t end = ((uintptr_t)p + size) & ~(uintptr_t)(PAGE_BYTES - 1);
    if (begin < end)
        (void)madvise((void *)begin, end - begin, MADV_POPULATE_WRITE); /* kernels before 5.14 say no */
#else
    (void)p, (void)size;
#endif
}

ubi_status ubi__vec_grow(void **at, size_t *cap, size_t n, size_t extra, size_t size, const ubi_allocator *a) {
    size_t need, bytes;
    UBI_ASSERT(n <= *cap && (*at || *cap == 0));
    if (__builtin_add_overflow(n, extra, &need))
        return ubi__fail_nomem();
    size_t want = *cap < 16 ? 16 : *cap * 2;
    if (want < need)
        want = need;
    if (__builtin_mul_overflow(want, size, &bytes))
        return ubi__fail_nomem();
    void *p = a->resize(a->ctx, *at, *cap * size, bytes);
    if (!p)
        return ubi__fail_nomem();
    *at = p;
    *cap = want;
    UBI_ASSERT(*cap - n >= extra);
    return UBI_OK;
}

void ubi__vec_trim(void **at, size_t *cap, size_t n, size_t size, const ubi_allocator *a) {
    if (n == *cap)
        return;
    if (n == 0) {
        ubi__free_array(a, *at, *cap, size);
        *at = NULL;
        *cap = 0;
        return;
    }
    void *p = a->resize(a->ctx, *at, *cap * size, n * size);
    if (!p)
        return; /* keeping the larger block is harmless */
    *at = p;
    *cap = n;
}
