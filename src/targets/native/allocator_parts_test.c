/* SPDX-License-Identifier: MIT
 *
 * allocator_parts_test.c: what an allocator says divides its row, whatever it says.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/text.h"
#include "random_numbers.h"
#include "targets/native/allocator_parts.h"

#define MIB (UINT64_C(1) << 20)

static void table_make(ubi__residence *r, uint64_t resident_bytes) {
    const ubi__residence_amount amount = { resident_bytes, resident_bytes / 2, 3 * MIB }, other = { MIB, MIB, 0 };
    ubi__residence_init(r, ubi_allocator_default());
    assert_int_equal(ubi__residence_add(r, UBI__RESIDENCE_ALLOCATOR, ubi__text("jemalloc"), &amount), UBI_OK);
    assert_int_equal(ubi__residence_add(r, UBI__RESIDENCE_ALLOCATOR, ubi__text("glibc"), &other), UBI_OK);
    ubi__residence_sort(r);
}

static uint64_t bytes_of(const ubi__residence *r, ubi__residence_kind kind, const char *name) {
    uint64_t bytes = 0;
    for (size_t i = 0; i < r->rows.n; i++) {
        const ubi__residence_row *row = &r->rows.at[i];
        if (row->kind == kind && (!name || ubi__text_is(ubi__residence_row_name(r, row), name)))
            bytes += row->amount.resident_bytes;
    }
    return bytes;
}

static ubi__wire_answer answer_make(uint32_t allocator, const uint64_t bytes[UBI__USES]) {
    ubi__wire_answer a = { .version = 2, .allocator = allocator };
    for (int i = 0; i < UBI__USES; i++)
        a.bytes[i] = bytes[i];
    return a;
}

static void answer_enter(ubi__residence *r, const ubi__wire_answer *answer) {
    ubi__allocator_parts parts;
    const uint64_t before = r->total.resident_bytes;
    ubi__allocator_parts_read(&parts, answer);
    assert_int_equal(ubi__allocator_parts_enter(r, &parts), UBI_OK);
    assert_int_equal(r->total.resident_bytes, before);
    ubi__residence_check(r);
}

static void what_is_not_said_stays_undivided(void **state) {
    static const uint64_t bytes[UBI__USES] = { 10 * MIB, MIB, 4 * MIB, 2 * MIB, MIB };
    ubi__residence r;
    (void)state;
    table_make(&r, 20 * MIB);
    const ubi__wire_answer answer = answer_make(UBI__ALLOCATOR_JEMALLOC, bytes);
    answer_enter(&r, &answer);
    assert_int_equal(bytes_of(&r, UBI__RESIDENCE_BLOCKS, NULL), 10 * MIB);
    assert_int_equal(bytes_of(&r, UBI__RESIDENCE_CACHED, NULL), MIB);
    assert_int_equal(bytes_of(&r, UBI__RESIDENCE_FREE, NULL), 4 * MIB);
    assert_int_equal(bytes_of(&r, UBI__RESIDENCE_FREE_PAGES, NULL), 2 * MIB);
    assert_int_equal(bytes_of(&r, UBI__RESIDENCE_OVERHEAD, NULL), MIB);
    assert_int_equal(bytes_of(&r, UBI__RESIDENCE_ALLOCATOR, "jemalloc"), 2 * MIB);
    assert_int_equal(bytes_of(&r, UBI__RESIDENCE_ALLOCATOR, "glibc"), MIB);
    ubi__residence_fini(&r);
}

/* First tables, then of each the same share. */
static void what_is_not_in_ram_is_not_entered(void **state) {
    static const uint64_t bytes[UBI__USES] = { 10 * MIB, 2 * MIB, 2 * MIB, 2 * MIB, 4 * MIB };
    ubi__residence r;
    (void)state;
    table_make(&r, 17 * MIB);
    const ubi__wire_answer answer = answer_make(UBI__ALLOCATOR_JEMALLOC, bytes);
    answer_enter(&r, &answer);
    assert_int_equal(bytes_of(&r, UBI__RESIDENCE_BLOCKS, NULL), 10 * MIB);
    assert_int_equal(bytes_of(&r, UBI__RESIDENCE_FREE_PAGES, NULL), 2 * MIB);
    assert_int_equal(bytes_of(&r, UBI__RESIDENCE_OVERHEAD, NULL), MIB);
    assert_int_equal(bytes_of(&r, UBI__RESIDENCE_ALLOCATOR, "jemalloc"), 0);
    ubi__residence_fini(&r);
    table_make(&r, 8 * MIB);
    answer_enter(&r, &answer);
    assert_int_equal(bytes_of(&r, UBI__RESIDENCE_BLOCKS, NULL), 5 * MIB);
    assert_int_equal(bytes_of(&r, UBI__RESIDENCE_CACHED, NULL), MIB);
    assert_int_equal(bytes_of(&r, UBI__RESIDENCE_FREE, NULL), MIB);
    assert_int_equal(bytes_of(&r, UBI__RESIDENCE_FREE_PAGES, NULL), MIB);
    assert_int_equal(bytes_of(&r, UBI__RESIDENCE_OVERHEAD, NULL), 0);
    ubi__residence_fini(&r);
}

static void check_nothing_changes(const ubi__wire_answer *answer) {
    ubi__residence r;
    table_make(&r, 16 * MIB);
    answer_enter(&r, answer);
    assert_int_equal(bytes_of(&r, UBI__RESIDENCE_ALLOCATOR, "jemalloc"), 16 * MIB);
    assert_int_equal(r.rows.n, 2);
    ubi__residence_fini(&r);
}

static void what_is_no_answer_changes_nothing(void **state) {
    static const uint64_t bytes[UBI__USES] = { MIB, MIB, MIB, MIB, MIB };
    (void)state;
    ubi__wire_answer answer = { .version = 0 };
    check_nothing_changes(&answer);
    answer = answer_make(UBI__ALLOCATOR_JEMALLOC, bytes);
    answer.version = 3; /* it is being written */
    check_nothing_changes(&answer);
    answer = answer_make(UBI__ALLOCATOR_NONE, bytes);
    check_nothing_changes(&answer);
    answer = answer_make(UBI__ALLOCATORS, bytes);
    check_nothing_changes(&answer);
    answer = answer_make(UBI__ALLOCATOR_TCMALLOC, bytes); /* which has no row */
    check_nothing_changes(&answer);
}

/* Of any magnitude. */
static uint64_t random_bytes(void) {
    uint64_t word = (uint64_t)random_below(UINT32_C(1) << 31) << 33 | random_below(UINT32_C(1) << 31);
    return word >> random_below(64);
}

static void any_numbers_add_up(void **state) {
    (void)state;
    random_start(1);
    for (uint32_t round = 0; round < random_cases(20000); round++) {
        uint64_t bytes[UBI__USES];
        ubi__residence r;
        for (int i = 0; i < UBI__USES; i++)
            bytes[i] = random_bytes();
        table_make(&r, 1 + random_bytes() % (UINT64_C(1) << 48));
        const ubi__wire_answer answer = answer_make(UBI__ALLOCATOR_JEMALLOC, bytes);
        answer_enter(&r, &answer);
        ubi__residence_fini(&r);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_not_said_stays_undivided),
        cmocka_unit_test(what_is_not_in_ram_is_not_entered),
        cmocka_unit_test(what_is_no_answer_changes_nothing),
        cmocka_unit_test(any_numbers_add_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
