/* SPDX-License-Identifier: MIT
 *
 * table_test.c: tables against a plain list, with good hashes, bad ones and no memory.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/hash.h"
#include "base/table.h"
#include "fail_allocator.h"
#include "random_numbers.h"

/* ---- a table of entries ---------------------------------------------------------------------------------------------- */

/* How good the hashes are. */
typedef enum quality { SEEDED, ALL_EQUAL, ALL_LAST, FEW, QUALITIES } quality;

static quality hashes;

static uint64_t hash_of_key(uint32_t key) {
    switch (hashes) {
    case ALL_EQUAL:
        return 0;
    case ALL_LAST: /* probing goes around the end at once */
        return UINT64_MAX;
    case FEW:
        return (uint64_t)(key % 5) << 62 | key;
    default:
        return ubi__hash_u64(key);
    }
}

typedef struct entry {
    uint32_t key, value;
    bool is_used;
} entry;

static bool is_used(const entry *e) {
    return e->is_used;
}
static uint64_t hash_of(const entry *e) {
    return hash_of_key(e->key);
}
static size_t n_keys_compared;

static bool is_key(int unused, const entry *e, uint32_t key) {
    (void)unused;
    n_keys_compared++;
    return e->key == key;
}

UBI_TABLE_DECLARE(map, entry, is_used, hash_of);
UBI_TABLE_LOOKUP(map, map, entry, is_used, int, uint32_t, is_key);

static ubi_status map_put(map *t, const ubi_allocator *a, uint32_t key, uint32_t value) {
    ubi_status status = map_reserve(t, a, 1);
    if (status != UBI_OK)
        return status;
    entry *e = map_place(t, 0, key, hash_of_key(key));
    if (!e->is_used)
        map_added(t);
    *e = (entry){ key, value, true };
    return UBI_OK;
}

/* ---- what it is held against ----------------------------------------------------------------------------------------- */

#define KEYS 700

typedef struct model {
    bool is_present[KEYS];
    uint32_t value[KEYS];
    size_t n;
} model;

static void assert_same(const map *t, const model *m) {
    size_t n = 0;
    assert_true(map_is_sound(t));
    assert_int_equal(t->n, m->n);
    for (uint32_t key = 0; key < KEYS; key++) {
        const entry *e = map_find(t, 0, key, hash_of_key(key));
        assert_int_equal(e != NULL, m->is_present[key]);
        if (e)
            assert_int_equal(e->value, m->value[key]);
    }
    for (size_t i = 0; i < t->n_slots; i++)
        n += t->slots[i].is_used;
    assert_int_equal(n, m->n);
}

static void do_something(map *t, model *m, uint32_t most_keys) {
    const ubi_allocator *a = ubi_allocator_default();
    uint32_t key = random_below(most_keys), what = random_below(1000);
    if (what == 0) {
        map_clear(t);
        *m = (model){ .n = 0 };
    } else if (what == 1) {
        map_fini(t, a);
        *m = (model){ .n = 0 };
    } else if (what == 2) {
        assert_int_equal(map_reserve(t, a, random_below(300)), UBI_OK);
    } else if (what < 600) {
        assert_int_equal(map_put(t, a, key, what), UBI_OK);
        m->n += !m->is_present[key];
        m->is_present[key] = true;
        m->value[key] = what;
    } else if (m->is_present[key]) {
        map_remove(t, map_find(t, 0, key, hash_of_key(key)));
        m->is_present[key] = false;
        m->n--;
    }
}

static void random_operations_do_what_a_plain_list_does(void **state) {
    (void)state;
    for (hashes = SEEDED; hashes < QUALITIES; hashes++)
        for (uint64_t seed = 0; seed < 12; seed++) {
            map t = { 0 };
            model m = { .n = 0 };
            uint32_t most_keys = 1 + (uint32_t)seed * (KEYS - 1) / 11;
            random_start(seed);
            for (unsigned i = 0; i < 3000; i++) {
                do_something(&t, &m, most_keys);
                if (i % 50 == 0)
                    assert_same(&t, &m);
            }
            assert_same(&t, &m);
            map_fini(&t, ubi_allocator_default());
        }
    hashes = SEEDED;
}

static void an_empty_table_holds_nothing(void **state) {
    (void)state;
    map t = { 0 };
    assert_true(map_is_sound(&t));
    assert_null(map_find(&t, 0, 0, 0));
    map_clear(&t);
    map_prefetch(&t, 0);
    assert_int_equal(map_reserve(&t, ubi_allocator_default(), 0), UBI_OK);
    assert_null(t.slots);
    map_fini(&t, ubi_allocator_default());
}

/* ---- size ------------------------------------------------------------------------------------------------------------ */

static void a_table_is_at_most_two_thirds_full_and_not_much_less(void **state) {
    (void)state;
    map t = { 0 };
    for (uint32_t key = 0; key < 30000; key++) {
        assert_int_equal(map_put(&t, ubi_allocator_default(), key, key), UBI_OK);
        assert_true(3 * t.n <= 2 * t.n_slots);
        if (t.n_slots > UBI__TABLE_DOUBLING_SLOTS) /* it has grown by 5/16 at last */
            assert_true(t.n_slots <= 2 * t.n);
    }
    assert_true(map_is_sound(&t));
    map_fini(&t, ubi_allocator_default());
}

static void reserved_room_is_enough_without_growing(void **state) {
    (void)state;
    for (uint32_t n = 1; n < 400; n++) {
        map t = { 0 };
        fail_allocator f;
        fail_allocator_init(&f, 1);
        assert_int_equal(map_reserve(&t, &f.allocator, n), UBI_OK);
        assert_true(2 * t.n_slots <= 3 * (size_t)n + 32);
        for (uint32_t key = 0; key < n; key++)
            assert_int_equal(map_put(&t, &f.allocator, key, key), UBI_OK);
        assert_int_equal(f.n_requests, 1);
        map_fini(&t, &f.allocator);
        fail_allocator_fini(&f);
    }
}

static void growing_keeps_entries_in_the_order_of_their_hashes(void **state) {
    (void)state;
    map t = { 0 };
    for (uint32_t key = 0; key < 5000; key++)
        assert_int_equal(map_put(&t, ubi_allocator_default(), key, key), UBI_OK);
    size_t last = 0;
    for (size_t i = 0; i < t.n_slots; i++)
        if (t.slots[i].is_used) {
            size_t home = map_home(&t, hash_of(&t.slots[i]));
            assert_true(home <= i || i < 100); /* the last ones may have gone around the end */
            assert_true(home + 100 >= last);
            last = home <= i ? home : 0;
        }
    map_fini(&t, ubi_allocator_default());
}

static void a_copy_with_room_for_all_takes_linear_time(void **state) {
    (void)state;
    map t = { 0 }, copy = { 0 };
    for (uint32_t key = 0; key < 20000; key++)
        assert_int_equal(map_put(&t, ubi_allocator_default(), key, key), UBI_OK);
    assert_int_equal(map_reserve(&copy, ubi_allocator_default(), t.n), UBI_OK);
    n_keys_compared = 0;
    for (size_t i = 0; i < t.n_slots; i++)
        if (t.slots[i].is_used)
            assert_int_equal(map_put(&copy, ubi_allocator_default(), t.slots[i].key, 0), UBI_OK);
    assert_int_equal(copy.n, t.n);
    assert_true(n_keys_compared < 2 * t.n);
    map_fini(&t, ubi_allocator_default());
    map_fini(&copy, ubi_allocator_default());
}

static void more_than_memory_can_hold_is_refused(void **state) {
    (void)state;
    map t = { 0 };
    assert_int_equal(map_put(&t, ubi_allocator_default(), 1, 2), UBI_OK);
    const size_t most[] = { SIZE_MAX, SIZE_MAX - 1, SIZE_MAX / 2, SIZE_MAX / 3, SIZE_MAX / 12, PTRDIFF_MAX / 12 };
    for (size_t i = 0; i < sizeof most / sizeof *most; i++) {
        assert_int_equal(map_reserve(&t, ubi_allocator_default(), most[i]), UBI_ENOMEM);
        assert_string_equal(ubi_error_message(), "out of memory");
        assert_int_equal(t.n, 1);
        assert_int_equal(map_find(&t, 0, 1, hash_of_key(1))->value, 2);
    }
    map_fini(&t, ubi_allocator_default());
    assert_int_equal(ubi__table_grown(0, SIZE_MAX, 1), 0);
    assert_int_equal(ubi__table_grown(0, SIZE_MAX / 16, 16), 0);
}

static ubi_status fill_a_map(void *payload, const ubi_allocator *a) {
    map t = { 0 };
    ubi_status status = UBI_OK;
    uint32_t n = 0;
    (void)payload;
    while (status == UBI_OK && n < 1000)
        if ((status = map_put(&t, a, n, n + 1)) == UBI_OK)
            n++;
    assert_true(map_is_sound(&t));
    assert_int_equal(t.n, n);
    for (uint32_t key = 0; key < n; key++)
        assert_int_equal(map_find(&t, 0, key, hash_of_key(key))->value, key + 1);
    map_fini(&t, a);
    return status;
}

static void refused_memory_leaves_the_table_as_it_was(void **state) {
    (void)state;
    assert_int_equal(fail_each_allocation(fill_a_map, NULL), 9); /* 16, 32, ... 1024, 1344, 1764 slots */
}

/* ---- damage ---------------------------------------------------------------------------------------------------------- */

static size_t first_used(const map *t) {
    size_t i = 0;
    while (!t->slots[i].is_used)
        i++;
    return i;
}

static size_t first_empty(const map *t) {
    size_t i = 0;
    while (t->slots[i].is_used)
        i++;
    return i;
}

static void damage_is_seen(void **state) {
    (void)state;
    map t = { 0 };
    for (uint32_t key = 0; key < 50; key++)
        assert_int_equal(map_put(&t, ubi_allocator_default(), key, key), UBI_OK);
    assert_true(map_is_sound(&t));

    t.n++;
    assert_false(map_is_sound(&t));
    t.n--;

    t.n_max++;
    assert_false(map_is_sound(&t));
    t.n_max--;

    entry *used = &t.slots[first_used(&t)], kept = *used;
    *used = (entry){ .is_used = false }; /* lost */
    assert_false(map_is_sound(&t));
    *used = kept;

    uint32_t elsewhere = kept.key; /* another key in its place: it would not be found there */
    while (map_home(&t, hash_of_key(elsewhere)) / 16 == map_home(&t, hash_of_key(kept.key)) / 16)
        elsewhere++;
    used->key = elsewhere;
    assert_false(map_is_sound(&t));
    *used = kept;

    size_t empty = first_empty(&t); /* an entry after a hole */
    size_t home = (empty + t.n_slots / 2) % t.n_slots;
    uint32_t key = 0;
    while (map_home(&t, hash_of_key(key)) != home)
        key++;
    t.slots[empty] = (entry){ key, 0, true };
    t.n++;
    assert_false(map_is_sound(&t));
    t.slots[empty] = (entry){ .is_used = false };
    t.n--;

    assert_true(map_is_sound(&t));
    map_fini(&t, ubi_allocator_default());
}

/* ---- rows ------------------------------------------------------------------------------------------------------------ */

typedef struct numbers {
    uint64_t at[KEYS];
    uint32_t n;
    ubi__row_table table;
} numbers;

static unsigned n_compared;

static bool is_number(const numbers *all, uint32_t row, uint64_t number) {
    n_compared++;
    return all->at[row] == number;
}
UBI_ROW_LOOKUP(number, const numbers *, uint64_t, is_number);

static ubi_status number_of(uint32_t *out, numbers *all, uint64_t number, const ubi_allocator *a) {
    uint64_t hash = hash_of_key((uint32_t)number);
    ubi_status status = ubi__row_table_reserve(&all->table, a, 1);
    if (status != UBI_OK)
        return status;
    ubi__row_slot *slot = number_place(&all->table, all, number, hash);
    if (!ubi__row_is_used(slot)) {
        all->at[all->n] = number;
        ubi__row_table_fill(&all->table, slot, hash, all->n++);
    }
    *out = slot->row;
    return UBI_OK;
}

static void rows_are_numbered_in_the_order_of_their_first_appearance(void **state) {
    (void)state;
    for (hashes = SEEDED; hashes < QUALITIES; hashes++) {
        numbers all = { .n = 0 };
        uint32_t row, row_of[KEYS], n = 0;
        memset(row_of, 0xff, sizeof row_of);
        random_start(hashes);
        for (unsigned i = 0; i < 3000; i++) {
            uint32_t key = random_below(KEYS);
            if (row_of[key] == UBI_NONE)
                assert_int_equal(number_find(&all.table, &all, key, hash_of_key(key)), UBI_NONE);
            assert_int_equal(number_of(&row, &all, key, ubi_allocator_default()), UBI_OK);
            if (row_of[key] == UBI_NONE)
                row_of[key] = n++;
            assert_int_equal(row, row_of[key]);
            assert_int_equal(number_find(&all.table, &all, key, hash_of_key(key)), row);
        }
        assert_true(ubi__row_table_is_sound(&all.table));
        ubi__row_table_fini(&all.table, ubi_allocator_default());
    }
    hashes = SEEDED;
}

static void rows_of_other_hashes_are_not_compared(void **state) {
    (void)state;
    numbers all = { .n = 0 };
    uint32_t row;
    n_compared = 0;
    for (uint32_t i = 0; i < KEYS; i++)
        assert_int_equal(number_of(&row, &all, i, ubi_allocator_default()), UBI_OK);
    assert_in_range(n_compared, 0, 3); /* of some thousand slots that were passed, with 20 bits to distinguish them */
    ubi__row_table_fini(&all.table, ubi_allocator_default());
}

static void rows_of_equal_hashes_are_distinguished(void **state) {
    (void)state;
    numbers all = { .at = { 3, 5 }, .n = 2 };
    assert_int_equal(ubi__row_table_reserve(&all.table, ubi_allocator_default(), 2), UBI_OK);
    for (uint32_t row = 0; row < 2; row++)
        ubi__row_table_fill(&all.table, number_place(&all.table, &all, all.at[row], 7), 7, row);
    assert_int_equal(number_find(&all.table, &all, 3, 7), 0);
    assert_int_equal(number_find(&all.table, &all, 5, 7), 1);
    assert_int_equal(number_find(&all.table, &all, 4, 7), UBI_NONE);
    ubi__row_table_remove(&all.table, number_place(&all.table, &all, 3, 7));
    assert_int_equal(number_find(&all.table, &all, 3, 7), UBI_NONE);
    assert_int_equal(number_find(&all.table, &all, 5, 7), 1);
    ubi__row_table_fini(&all.table, ubi_allocator_default());
}

int main(void) {
    ubi__hash_seed = 1; /* the same hashes every time */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_operations_do_what_a_plain_list_does),
        cmocka_unit_test(an_empty_table_holds_nothing),
        cmocka_unit_test(a_table_is_at_most_two_thirds_full_and_not_much_less),
        cmocka_unit_test(reserved_room_is_enough_without_growing),
        cmocka_unit_test(growing_keeps_entries_in_the_order_of_their_hashes),
        cmocka_unit_test(a_copy_with_room_for_all_takes_linear_time),
        cmocka_unit_test(more_than_memory_can_hold_is_refused),
        cmocka_unit_test(refused_memory_leaves_the_table_as_it_was),
        cmocka_unit_test(damage_is_seen),
        cmocka_unit_test(rows_are_numbered_in_the_order_of_their_first_appearance),
        cmocka_unit_test(rows_of_other_hashes_are_not_compared),
        cmocka_unit_test(rows_of_equal_hashes_are_distinguished),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
