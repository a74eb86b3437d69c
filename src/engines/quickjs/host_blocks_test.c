/* SPDX-License-Identifier: MIT
 *
 * host_blocks_test.c: blocks of a script's heap keep what is in them, have the sizes that they are said to have, and go back.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "engines/quickjs/host/host_blocks.c"

#include "random_numbers.h"

#define N_BLOCKS 3000
#define N_STEPS 200000

/* A block and what was written into it. */
typedef struct block {
    unsigned char *at;
    size_t size;
    unsigned char filled;
} block;

static void block_fill(block *b, unsigned char filled) {
    b->filled = filled;
    memset(b->at, filled, b->size);
}

static void block_check(const block *b, size_t n) {
    for (size_t i = 0; i < n; i++)
        assert_int_equal(b->at[i], b->filled);
}

static size_t random_size(void) {
    return 1 + random_below(random_below(10) ? 200 : 5000);
}

static void block_change(block *b, JSRuntime *rt) {
    size_t size = random_size(), old_size = b->size;
    if (!b->at) {
        b->at = js_malloc_rt(rt, size);
    } else if (random_below(2)) {
        block_check(b, old_size);
        js_free_rt(rt, b->at);
        *b = (block){ 0 };
        return;
    } else {
        b->at = js_realloc_rt(rt, b->at, size);
        block_check(b, old_size < size ? old_size : size);
    }
    assert_non_null(b->at);
    assert_int_equal((uintptr_t)b->at % 16, 0);
    b->size = size;
    assert_true(js_malloc_usable_size_rt(rt, b->at) >= size);
    block_fill(b, (unsigned char)random_below(256));
}

static void memory_use(JSMemoryUsage *usage, JSRuntime *rt) {
    JS_ComputeMemoryUsage(rt, usage);
}

static void blocks_keep_what_is_in_them(void **state) {
    (void)state;
    static block blocks[N_BLOCKS];
    ubi__host_blocks of = { 0 };
    JSMemoryUsage before, after;
    random_start(7);
    JSRuntime *rt = ubi__host_new_runtime(&of);
    memory_use(&before, rt);
    for (unsigned step = 0; step < N_STEPS; step++)
        block_change(&blocks[random_below(N_BLOCKS)], rt);
    for (unsigned i = 0; i < N_BLOCKS; i++) {
        block_check(&blocks[i], blocks[i].size);
        js_free_rt(rt, blocks[i].at);
    }
    memory_use(&after, rt);
    assert_int_equal(after.malloc_count, before.malloc_count);
    assert_int_equal(after.malloc_size, before.malloc_size);
    JS_FreeRuntime(rt);
    ubi__host_blocks_fini(&of);
}

/* With a sanitizer's malloc there are none, and these would be tests of the engine. */
static void need_pages(void) {
#if !UBI_BLOCK_HOOKS && defined(__GLIBC__)
    if (is_malloc_replaced())
        skip();
#endif
}

/* Which gives 16 bytes more where nothing else would fit into them. */
static void blocks_have_the_sizes_of_the_c_library(void **state) {
    (void)state;
    need_pages();
    ubi__host_blocks of = { 0 };
    JSRuntime *rt = ubi__host_new_runtime(&of), *plain = JS_NewRuntime();
    for (size_t size = 1; size < 5000; size += size < 1200 ? 1 : 97) {
        void *mine = js_malloc_rt(rt, size), *theirs = js_malloc_rt(plain, size);
        size_t n_mine = js_malloc_usable_size_rt(rt, mine), n_theirs = js_malloc_usable_size_rt(plain, theirs);
        assert_true(n_mine <= n_theirs + 16 && n_theirs <= n_mine + 16);
        js_free_rt(rt, mine);
        js_free_rt(plain, theirs);
    }
    JS_FreeRuntime(rt);
    JS_FreeRuntime(plain);
    ubi__host_blocks_fini(&of);
}

static void limits_are_kept(void **state) {
    (void)state;
    need_pages();
    ubi__host_blocks of = { 0 };
    JSMemoryUsage usage;
    JSRuntime *rt = ubi__host_new_runtime(&of);
    memory_use(&usage, rt);
    JS_SetMemoryLimit(rt, (size_t)usage.malloc_size + 10000);
    void *small = js_malloc_rt(rt, 100), *large = js_malloc_rt(rt, 5000);
    assert_non_null(small);
    assert_non_null(large);
    assert_null(js_malloc_rt(rt, 20000));
    assert_null(js_malloc_rt(rt, SIZE_MAX));
    assert_null(js_realloc_rt(rt, small, 20000));
    assert_null(js_realloc_rt(rt, large, SIZE_MAX));
    js_free_rt(rt, small);
    js_free_rt(rt, large);
    JS_SetMemoryLimit(rt, (size_t)-1);
    JS_FreeRuntime(rt);
    ubi__host_blocks_fini(&of);
}

#if !UBI_BLOCK_HOOKS && defined(__GLIBC__)
static size_t pages_count(const ubi__host_page *page) {
    size_t n = 0;
    for (; page; page = page->next)
        n++;
    return n;
}

/* Of one size: one page stays for what comes next. */
static void pages_go_back(void **state) {
    (void)state;
    static void *blocks[10000];
    need_pages();
    ubi__host_blocks of = { 0 };
    const size_t n_units = block_units(200);
    JSRuntime *rt = ubi__host_new_runtime(&of);
    size_t n_before = pages_count(of.pages[n_units]);
    for (unsigned i = 0; i < 10000; i++)
        blocks[i] = js_malloc_rt(rt, 200);
    assert_true(pages_count(of.full) > 20);
    for (unsigned i = 0; i < 10000; i++)
        js_free_rt(rt, blocks[(i * 7919) % 10000]);
    assert_null(of.full);
    assert_true(pages_count(of.pages[n_units]) <= n_before + 1);
    JS_FreeRuntime(rt);
    ubi__host_blocks_fini(&of);
}
#endif

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_keep_what_is_in_them),
        cmocka_unit_test(blocks_have_the_sizes_of_the_c_library),
        cmocka_unit_test(limits_are_kept),
#if !UBI_BLOCK_HOOKS && defined(__GLIBC__)
        cmocka_unit_test(pages_go_back),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
