/* SPDX-License-Identifier: MIT
 *
 * residence_test.c: rows of what memory is used for add up, and are in order.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/text.h"
#include "damage.h"
#include "fail_allocator.h"
#include "recording/residence.h"

#define KIB 1024

static const struct part {
    ubi__residence_kind kind;
    const char *name;
    uint64_t resident, share, swapped;
} parts[] = {
    { UBI__RESIDENCE_FILE, "/lib/a.so", 4 * KIB, 2 * KIB, 0 },
    { UBI__RESIDENCE_UNKNOWN, NULL, 900 * KIB, 900 * KIB, 0 },
    { UBI__RESIDENCE_BLOCKS, NULL, 100 * KIB, 100 * KIB, 8 * KIB },
    { UBI__RESIDENCE_FILE, "/lib/b.so", 8 * KIB, 8 * KIB, 0 },
    { UBI__RESIDENCE_FILE, "/lib/a.so", 8 * KIB, KIB, 0 },
    { UBI__RESIDENCE_FREE, NULL, 0, 0, 0 },
    { UBI__RESIDENCE_STACKS, NULL, 0, 0, 4 * KIB },
};

static ubi_status table_make(ubi__residence *r, const ubi_allocator *allocator) {
    ubi_status status = UBI_OK;
    ubi__residence_init(r, allocator);
    for (size_t i = 0; i < sizeof parts / sizeof *parts && status == UBI_OK; i++) {
        const ubi__residence_amount amount = { parts[i].resident, parts[i].share, parts[i].swapped };
        status = ubi__residence_add(r, parts[i].kind, ubi__text(parts[i].name), &amount);
    }
    if (status == UBI_OK)
        ubi__residence_sort(r);
    return status;
}

static void rows_of_one_name_are_one_and_the_unknown_comes_last(void **state) {
    static const struct part expected[] = {
        { UBI__RESIDENCE_BLOCKS, "blocks in use, with their headers", 100 * KIB, 100 * KIB, 8 * KIB },
        { UBI__RESIDENCE_FILE, "/lib/a.so", 12 * KIB, 3 * KIB, 0 },
        { UBI__RESIDENCE_FILE, "/lib/b.so", 8 * KIB, 8 * KIB, 0 },
        { UBI__RESIDENCE_STACKS, "other threads", 0, 0, 4 * KIB },
        { UBI__RESIDENCE_UNKNOWN, "mappings without a name", 900 * KIB, 900 * KIB, 0 },
    };
    ubi__residence r;
    (void)state;
    assert_int_equal(table_make(&r, ubi_allocator_default()), UBI_OK);
    assert_int_equal(r.rows.n, 5);
    for (size_t i = 0; i < r.rows.n; i++) {
        const ubi__residence_row *row = &r.rows.at[i];
        assert_int_equal(row->kind, expected[i].kind);
        assert_true(ubi__text_is(ubi__residence_row_name(&r, row), expected[i].name));
        assert_int_equal(row->amount.resident_bytes, expected[i].resident);
        assert_int_equal(row->amount.share_bytes, expected[i].share);
        assert_int_equal(row->amount.swapped_bytes, expected[i].swapped);
    }
    assert_int_equal(r.total.resident_bytes, 1020 * KIB);
    assert_int_equal(r.groups[UBI__RESIDENCE_OF_FILES].share_bytes, 11 * KIB);
    ubi__residence_check(&r);
    ubi__residence_fini(&r);
}

static const ubi__residence_row *row_of(const ubi__residence *r, ubi__residence_kind kind) {
    for (size_t i = 0; i < r->rows.n; i++)
        if (r->rows.at[i].kind == kind)
            return &r->rows.at[i];
    return NULL;
}

/* In the order in which they are given, and no more than there is. */
static void a_row_is_divided_as_far_as_it_reaches(void **state) {
    static const ubi__residence_part wanted[] = { { UBI__RESIDENCE_SCRIPTS, 25 * KIB },
                                                  { UBI__RESIDENCE_FREE, 0 },
                                                  { UBI__RESIDENCE_OVERHEAD, 90 * KIB },
                                                  { UBI__RESIDENCE_CACHED, KIB } };
    ubi__residence r;
    (void)state;
    assert_int_equal(table_make(&r, ubi_allocator_default()), UBI_OK);
    r.n_mappings = 7;
    r.is_divided = true;
    const ubi_text no_name = { NULL, 0 };
    assert_int_equal(ubi__residence_divide(&r, UBI__RESIDENCE_BLOCKS, no_name, wanted, 4), UBI_OK);
    assert_int_equal(row_of(&r, UBI__RESIDENCE_SCRIPTS)->amount.resident_bytes, 25 * KIB);
    assert_int_equal(row_of(&r, UBI__RESIDENCE_SCRIPTS)->amount.share_bytes, 25 * KIB);
    assert_int_equal(row_of(&r, UBI__RESIDENCE_OVERHEAD)->amount.resident_bytes, 75 * KIB);
    assert_int_equal(row_of(&r, UBI__RESIDENCE_BLOCKS)->amount.resident_bytes, 0);
    assert_int_equal(row_of(&r, UBI__RESIDENCE_BLOCKS)->amount.swapped_bytes, 8 * KIB);
    assert_null(row_of(&r, UBI__RESIDENCE_CACHED));
    assert_null(row_of(&r, UBI__RESIDENCE_FREE));
    assert_int_equal(r.total.resident_bytes, 1020 * KIB);
    assert_int_equal(r.n_mappings, 7);
    assert_true(r.is_divided);
    ubi__residence_check(&r);
    /* There is no such row. */
    assert_int_equal(ubi__residence_divide(&r, UBI__RESIDENCE_ALLOCATOR, ubi__text("jemalloc"), wanted, 4), UBI_OK);
    assert_int_equal(r.total.resident_bytes, 1020 * KIB);
    assert_int_equal(row_of(&r, UBI__RESIDENCE_SCRIPTS)->amount.resident_bytes, 25 * KIB);
    ubi__residence_fini(&r);
}

static void every_kind_and_group_has_words_of_its_own(void **state) {
    (void)state;
    for (int i = 0; i < UBI__RESIDENCE_KINDS; i++)
        for (int k = 0; k < i; k++) {
            assert_string_not_equal(ubi__residence_kind_key((ubi__residence_kind)i),
                                    ubi__residence_kind_key((ubi__residence_kind)k));
            assert_string_not_equal(ubi__residence_kind_words((ubi__residence_kind)i),
                                    ubi__residence_kind_words((ubi__residence_kind)k));
        }
    for (int i = 0; i < UBI__RESIDENCE_GROUPS; i++)
        for (int k = 0; k < i; k++)
            assert_string_not_equal(ubi__residence_group_key((ubi__residence_group)i),
                                    ubi__residence_group_key((ubi__residence_group)k));
}

static void damaged_tables_are_seen_check(void *residence) {
    ubi__residence_check(residence);
}

static void damaged_tables_are_seen(void **state) {
    ubi__residence r;
    (void)state;
    assert_int_equal(table_make(&r, ubi_allocator_default()), UBI_OK);
    r.rows.at[0].amount.resident_bytes++;
    assert_damage_seen(damaged_tables_are_seen_check, &r, "sum.resident_bytes == r->groups[i].resident_bytes");
    r.rows.at[0].amount.resident_bytes--;
    r.total.resident_bytes++;
    assert_damage_seen(damaged_tables_are_seen_check, &r, "total.resident_bytes == r->total.resident_bytes");
    ubi__residence_fini(&r);
}

static ubi_status table_make_and_end(void *payload, const ubi_allocator *allocator) {
    ubi__residence r;
    const ubi__residence_part part = { UBI__RESIDENCE_SCRIPTS, 25 * KIB };
    (void)payload;
    ubi_status status = table_make(&r, allocator);
    if (status == UBI_OK) {
        status = ubi__residence_divide(&r, UBI__RESIDENCE_BLOCKS, (ubi_text){ NULL, 0 }, &part, 1);
        assert_int_equal(r.rows.n, status == UBI_OK ? 6 : 5);
        ubi__residence_check(&r);
    }
    ubi__residence_fini(&r);
    return status;
}

static void every_failed_allocation_has_a_way_out(void **state) {
    (void)state;
    assert_true(fail_each_allocation(table_make_and_end, NULL) >= 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_of_one_name_are_one_and_the_unknown_comes_last),
        cmocka_unit_test(a_row_is_divided_as_far_as_it_reaches),
        cmocka_unit_test(every_kind_and_group_has_words_of_its_own),
        cmocka_unit_test(damaged_tables_are_seen),
        cmocka_unit_test(every_failed_allocation_has_a_way_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
