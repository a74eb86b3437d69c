/* SPDX-License-Identifier: MIT
 *
 * live_ledger_test.c: what lives by number: young in pages, old in a table, and which of both.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "fail_allocator.h"
#include "random_numbers.h"
#include "recording/live_ledger.h"

enum { NUMBERS = 200000 };

static uint64_t value_of(uint64_t number) {
    return number * 3 + 1;
}

/* Takes a random one of those that were made, mostly of the last ones. */
static void ledger_take_some(ubi__live_ledger *l, uint8_t *lives, uint64_t n_made, size_t *n_live) {
    uint64_t back = random_below(4) ? random_below(2000) : random_below(NUMBERS);
    uint64_t number = back < n_made ? n_made - 1 - back : 0;
    assert_true(ubi__live_ledger_get(l, number) == (lives[number] ? value_of(number) : 0));
    assert_true(ubi__live_ledger_take(l, number) == (lives[number] ? value_of(number) : 0));
    *n_live -= lives[number];
    lives[number] = 0;
}

static void live_count(void *payload, uint64_t number, uint64_t value) {
    assert_true(value == value_of(number));
    ++*(size_t *)payload;
}

/* Up to n_first none is taken; then six for each that comes, so that hardly any of it is left soon. */
static void ledger_compare(uint64_t n_first, bool *has_old) {
    static uint8_t lives[NUMBERS];
    ubi__live_ledger l;
    size_t n_live = 0, n_seen = 0;
    random_start(5);
    memset(lives, 0, sizeof lives);
    ubi__live_ledger_init(&l, ubi_allocator_default());
    for (uint64_t n = 0; n < NUMBERS; n++) {
        assert_int_equal(ubi__live_ledger_add(&l, n, value_of(n)), UBI_OK);
        lives[n] = 1;
        n_live++;
        ubi__live_ledger_prefetch(&l, random_below(NUMBERS));
        for (int i = 0; i < 6 && n >= n_first; i++)
            ledger_take_some(&l, lives, n + 1, &n_live);
        assert_int_equal(l.n, n_live);
        *has_old |= l.old.n > 0 && l.old.n < l.n;
        if (n % 1000 == 0)
            ubi__live_ledger_check(&l);
    }
    ubi__live_ledger_each(&l, live_count, &n_seen);
    assert_int_equal(n_seen, n_live);
    ubi__live_ledger_fini(&l);
}

/* Where little lives, and where more than 65,536 do: pages are given up with less, and with more. */
static void a_ledger_is_that_of_a_plain_array(void **state) {
    bool has_old[2] = { false, false };
    (void)state;
    ledger_compare(0, &has_old[0]);
    ledger_compare(NUMBERS * 3 / 4, &has_old[1]);
    assert_true(has_old[0] && has_old[1]);
}

/* A mapping that was cut lives again, long after its page was given up. Numbers may be left out, too. */
static void what_is_old_may_live_again(void **state) {
    ubi__live_ledger l;
    (void)state;
    ubi__live_ledger_init(&l, ubi_allocator_default());
    for (uint64_t n = 0; n < 3ull * UBI__LEDGER_PAGE_NUMBERS; n++) {
        assert_int_equal(ubi__live_ledger_add(&l, n, value_of(n)), UBI_OK);
        assert_true(ubi__live_ledger_take(&l, n) == value_of(n));
    }
    assert_int_equal(l.n, 0);
    assert_int_equal(ubi__live_ledger_add(&l, 7, value_of(7)), UBI_OK);
    assert_int_equal(ubi__live_ledger_add(&l, UINT64_C(100) * UBI__LEDGER_PAGE_NUMBERS, 1), UBI_OK);
    assert_true(ubi__live_ledger_get(&l, 7) == value_of(7) && ubi__live_ledger_get(&l, 8) == 0);
    assert_true(ubi__live_ledger_get(&l, UINT64_C(1) << 62) == 0);
    ubi__live_ledger_check(&l);
    assert_true(ubi__live_ledger_take(&l, 7) == value_of(7) && ubi__live_ledger_take(&l, 7) == 0);
    assert_int_equal(l.n, 1);
    ubi__live_ledger_fini(&l);
}

/* Whatever fails, what was added is there. */
static ubi_status ledger_fill(ubi__live_ledger *l, uint64_t *n_added) {
    for (*n_added = 0; *n_added < 8ull * UBI__LEDGER_PAGE_NUMBERS; ++*n_added) {
        UBI_TRY(ubi__live_ledger_add(l, *n_added, value_of(*n_added)));
        if (*n_added % 5)
            (void)ubi__live_ledger_take(l, *n_added);
    }
    return UBI_OK;
}

static void nothing_is_lost_when_memory_is_refused(void **state) {
    uint64_t n_refused = 1;
    (void)state;
    for (uint64_t n_allowed = 0; n_refused; n_allowed++) {
        fail_allocator fail;
        ubi__live_ledger l;
        uint64_t n_added;
        fail_allocator_init(&fail, n_allowed);
        ubi__live_ledger_init(&l, &fail.allocator);
        ubi_status status = ledger_fill(&l, &n_added);
        n_refused = fail.n_refused;
        assert_true(status == UBI_OK || n_refused);
        for (uint64_t n = 0; n < n_added; n++)
            assert_true(ubi__live_ledger_get(&l, n) == (n % 5 ? 0 : value_of(n)));
        ubi__live_ledger_check(&l);
        ubi__live_ledger_fini(&l);
        fail_allocator_fini(&fail);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ledger_is_that_of_a_plain_array),
        cmocka_unit_test(what_is_old_may_live_again),
        cmocka_unit_test(nothing_is_lost_when_memory_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
