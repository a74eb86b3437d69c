/* SPDX-License-Identifier: MIT
 *
 * spill_hooks_thread_test.c: malloc and its relatives as libraries call them while a spill is open: whose blocks are in the file, and that
 * all of them can be freed at any time, by any thread.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <jansson.h>

#include "nodewatch/spill.c"
#include "nodewatch/spill_hooks.c"

#define MIB ((size_t)1 << 20)

static void spill_begin(void) {
    assert_true(ubi__spill_open("/tmp", 128 * MIB));
}

static int spill_forget(void **state) {
    (void)state;
    if (ubi__spill_is_mine())
        ubi__spill_close();
    if (spill.base)
        close(spill.fd);
    memset(&spill, 0, sizeof spill); /* what it mapped stays: blocks may be in use */
    large.n = 0;
    return 0;
}

static void fill_up(void) {
    while (ubi__spill_alloc(60000, 16))
        continue;
    assert_true(ubi__spill_is_full());
}

/* ---- each function ------------------------------------------------------------------------------------------------ */

static void blocks_are_in_the_file_only_while_the_spill_is_open(void **state) {
    (void)state;
    void *before = hook_malloc(50);
    assert_false(ubi__spill_contains(before));
    spill_begin();
    void *within = hook_malloc(50);
    assert_true(ubi__spill_contains(within));
    before = hook_realloc(before, 70); /* malloc's stay malloc's */
    assert_false(ubi__spill_contains(before));
    assert_true(hook_malloc_usable_size(before) >= 70);
    ubi__spill_close();
    void *after = hook_malloc(50);
    assert_false(ubi__spill_contains(after));
    hook_free(before);
    hook_free(within);
    hook_free(after);
    hook_free(NULL);
}

static void cleared_blocks_are_zero_also_where_something_was(void **state) {
    (void)state;
    spill_begin();
    char *name = hook_malloc(2000);
    memset(name, 'x', 2000);
    ubi__spill_shrink(name, 2000, 3);
    char *block = hook_calloc(100, 19);
    assert_true(ubi__spill_contains(block) && block < name + 2000);
    for (size_t i = 0; i < 1900; i++)
        assert_int_equal(block[i], 0);
    void *volatile none = hook_calloc(SIZE_MAX / 2, 3); /* volatile: else a compiler may assume that there is memory */
    assert_null(none);
}

static void moved_blocks_keep_their_bytes(void **state) {
    (void)state;
    spill_begin();
    unsigned char *block = hook_realloc(NULL, 10);
    assert_true(ubi__spill_contains(block));
    for (size_t n = 10; n < 400000; n *= 3) {
        memset(block, (int)(n % 251), n);
        block = hook_realloc(block, 3 * n);
        for (size_t i = 0; i < n; i++)
            assert_int_equal(block[i], n % 251);
    }
    memset(block, 7, 400000);
    block = hook_realloc(block, 100); /* and smaller */
    assert_int_equal(block[99], 7);
    ubi__spill_close();
    block = hook_realloc(block, 5000); /* out of the file */
    assert_false(ubi__spill_contains(block));
    assert_int_equal(block[99], 7);
    hook_free(block);
}

static void a_block_moved_to_no_bytes_is_freed(void **state) {
    (void)state;
    spill_begin();
    void *block = hook_malloc(100000);
    assert_null(hook_realloc(block, 0));
    assert_false(large_forget(block)); /* it was forgotten */
}

static void alignments_hold(void **state) {
    (void)state;
    spill_begin();
    for (size_t alignment = 8; alignment <= 65536; alignment *= 2) {
        void *block = NULL;
        assert_int_equal(hook_posix_memalign(&block, alignment, 100), 0);
        assert_true(ubi__spill_contains(block) && (uintptr_t)block % alignment == 0);
        block = hook_aligned_alloc(alignment, alignment);
        assert_true(ubi__spill_contains(block) && (uintptr_t)block % alignment == 0);
    }
}

static void formatted_names_leave_their_rest(void **state) {
    (void)state;
    spill_begin();
    char *name = hook_malloc(1024), *next;
    va_list none;
    memset(&none, 0, sizeof none);
    assert_int_equal(hook_vsnprintf(name, 1024, "name", none), 4);
    next = hook_malloc(1024);
    assert_true(next < name + 64);
    assert_string_equal(name, "name");
    assert_int_equal(hook_vsnprintf(next, 3, "cut off", none), 7); /* it may be needed whole */
    assert_int_equal(hook_malloc_usable_size(next), 1024);
}

static void a_full_file_leads_to_malloc(void **state) {
    void *block = NULL;
    (void)state;
    spill_begin();
    unsigned char *moved = hook_malloc(100);
    memset(moved, 9, 100);
    fill_up();
    void *all[] = { hook_malloc(100), hook_calloc(3, 5), hook_aligned_alloc(64, 64), moved = hook_realloc(moved, 200) };
    assert_int_equal(moved[99], 9);
    assert_int_equal(hook_posix_memalign(&block, 64, 10), 0);
    hook_free(block);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        assert_non_null(all[i]);
        assert_false(ubi__spill_contains(all[i]));
        hook_free(all[i]);
    }
}

/* ---- through the tables of a library ------------------------------------------------------------------------------ */

static void *json_make(void *unused) {
    return unused ? NULL : json_string("from another thread");
}

static void a_library_s_blocks_are_this_thread_s_alone(void **state) {
    pthread_t thread;
    void *other;
    (void)state;
    ubi__spill_hooks_install();
    ubi__spill_hooks_install(); /* twice is once */
    json_t *before = json_pack("{s: [i, i]}", "before", 1, 2);
    spill_begin();
    json_t *within = json_pack("{s: {s: s}}", "a", "b", "c");
    assert_int_equal(pthread_create(&thread, NULL, json_make, NULL), 0);
    assert_int_equal(pthread_join(thread, &other), 0);
    assert_false(ubi__spill_contains(before));
    assert_true(ubi__spill_contains(within));
    assert_false(ubi__spill_contains(other));
    json_decref(before);
    json_object_set_new(within, "other", other);
    ubi__spill_close();
    json_object_set_new(within, "after", json_true());
    char *text = json_dumps(within, JSON_SORT_KEYS);
    assert_string_equal(text, "{\"a\": {\"b\": \"c\"}, \"after\": true, \"other\": \"from another thread\"}");
    hook_free(text);
    json_decref(within);
}

/* ---- threads ------------------------------------------------------------------------------------------------------ */

#define N_BLOCKS 600

static void *volatile handed[N_BLOCKS];

/* @return how many were not as they must be: only the test's own thread asserts. */
static void *all_free(void *first) {
    uintptr_t n_wrong = 0;
    for (size_t i = *(size_t *)first; i < N_BLOCKS; i += 3) {
        void *block;
        while (!(block = __atomic_load_n(&handed[i], __ATOMIC_ACQUIRE)))
            continue;
        n_wrong += !ubi__spill_contains(block) || hook_malloc_usable_size(block) < 100;
        hook_free(block);
        void *own = hook_malloc(100);
        n_wrong += ubi__spill_contains(own);
        hook_free(own);
    }
    return (void *)n_wrong;
}

static void other_threads_free_while_blocks_are_made(void **state) {
    pthread_t threads[3];
    size_t firsts[3] = { 0, 1, 2 };
    (void)state;
    spill_begin();
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, all_free, &firsts[i]), 0);
    for (size_t i = 0; i < N_BLOCKS; i++) {
        void *block = hook_malloc(i % 4 ? 100 + i : LARGE_BYTES + i);
        assert_non_null(block);
        memset(block, 1, 100);
        __atomic_store_n(&handed[i], block, __ATOMIC_RELEASE);
    }
    ubi__spill_close();
    for (size_t i = 0; i < 3; i++) {
        void *n_wrong;
        assert_int_equal(pthread_join(threads[i], &n_wrong), 0);
        assert_null(n_wrong);
    }
    assert_int_equal(large.n, 0);
}

#define TEST(function) cmocka_unit_test_teardown(function, spill_forget)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(blocks_are_in_the_file_only_while_the_spill_is_open),
        TEST(cleared_blocks_are_zero_also_where_something_was),
        TEST(moved_blocks_keep_their_bytes),
        TEST(a_block_moved_to_no_bytes_is_freed),
        TEST(alignments_hold),
        TEST(formatted_names_leave_their_rest),
        TEST(a_full_file_leads_to_malloc),
        TEST(a_library_s_blocks_are_this_thread_s_alone),
        TEST(other_threads_free_while_blocks_are_made),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
