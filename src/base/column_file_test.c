/* SPDX-License-Identifier: MIT
 *
 * column_file_test.c: files of columns that are mapped: what of them is resident, and rules across blocks.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/atomic_file.h"
#include "base/column_file.h"
#include "base/status.h"
#include "saving.h"

/** An item whose size divides no block: 13,107 and a fifth of them are in one. */
typedef struct item {
    uint32_t number, unused[4];
} item;
UBI_VEC_DECLARE(vec_item, item);
#define N_ITEMS 400000u

static char *folder, path[320];

static void items_write(vec_item *items) {
    ubi__atomic_file file;
    ubi__column_writer writer = { 0 };
    const ubi_allocator *a = ubi__allocator_or_default(NULL);
    ubi__columns c = { .writer = &writer, .scope = "items", .allocator = a };
    assert_int_equal(ubi__atomic_file_open(&file, path, 0, a), UBI_OK);
    assert_int_equal(ubi__column_writer_begin(&writer, ubi__atomic_file_write, &file, "note", 4, a), UBI_OK);
    assert_int_equal(UBI__COLUMN(&c, "all", items, NULL), UBI_OK);
    assert_int_equal(ubi__column_writer_end(&writer), UBI_OK);
    ubi__column_writer_fini(&writer);
    assert_int_equal(ubi__atomic_file_appear(&file), UBI_OK);
}

static vec_item items_new(void) {
    vec_item items = { calloc(N_ITEMS, sizeof(item)), N_ITEMS, N_ITEMS };
    assert_non_null(items.at);
    for (uint32_t i = 0; i < N_ITEMS; i++)
        items.at[i].number = i;
    return items;
}

static ubi__column_file *file_open(void) {
    ubi__column_file *file;
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    assert_int_equal(ubi__column_file_open(&file, fileno(f), NULL), UBI_OK);
    fclose(f);
    return file;
}

/* Each item is one more than the one before. */
static bool numbers_hold(const ubi__column_rule *rule, const void *items, size_t first, size_t n) {
    const item *at = items;
    (void)rule;
    for (size_t i = 0; i < n; i++)
        if (at[i].number != first + i || (first + i > 0 && (at + i)[-1].number + 1 != at[i].number))
            return false;
    return true;
}

static ubi_status items_read(vec_item *out, const ubi__column_file *file, unsigned threads) {
    static const ubi__column_rule rule = { numbers_hold, 0, NULL };
    const ubi_allocator *a = ubi__allocator_or_default(NULL);
    ubi__columns c = { .file = file, .scope = "items", .allocator = a, .threads = threads };
    return UBI__COLUMN(&c, "all", out, &rule);
}

static void what_was_only_compared_is_not_resident(void **state) {
    vec_item items = items_new(), read = { NULL, 0, 0 };
    (void)state;
    items_write(&items);
    free(items.at);
    for (unsigned threads = 1; threads <= 3; threads += 2) {
        ubi__column_file *file = file_open();
        assert_int_equal(items_read(&read, file, threads), UBI_OK);
        assert_int_equal(read.n, N_ITEMS);
        if (access("/proc/self/pagemap", R_OK) == 0)
            assert_true(ubi__column_file_resident_bytes(file) < file->n_bytes / 8);
        for (uint32_t i = 0; i < N_ITEMS; i++)
            assert_int_equal(read.at[i].number, i);
        if (access("/proc/self/pagemap", R_OK) == 0)
            assert_true(ubi__column_file_resident_bytes(file) >= N_ITEMS * sizeof(item));
        ubi__column_file_close(file);
    }
    unlink(path);
}

/* Also where the item, or the one that it is compared with, lies in two blocks. */
static void a_rule_sees_every_item(void **state) {
    const size_t in_block = UBI__COLUMN_BLOCK_BYTES / sizeof(item);
    vec_item items = items_new(), read = { NULL, 0, 0 };
    (void)state;
    for (size_t i = in_block - 2; i < in_block + 3; i++) {
        items.at[i].number ^= 1u << 20;
        items_write(&items);
        items.at[i].number ^= 1u << 20;
        ubi__column_file *file = file_open();
        assert_int_equal(items_read(&read, file, 2), UBI_EFORMAT);
        ubi__column_file_close(file);
    }
    free(items.at);
    unlink(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_only_compared_is_not_resident),
        cmocka_unit_test(a_rule_sees_every_item),
    };
    folder = new_directory();
    snprintf(path, sizeof path, "%s/items", folder);
    int n_failed = cmocka_run_group_tests(tests, NULL, NULL);
    remove_directory(folder);
    return n_failed;
}
