/* SPDX-License-Identifier: MIT
 *
 * symbolize_checks_test.c: the invariants of maps of addresses are seen when they break.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "damage.h"
#include "symbolize/elf_file.h"

static void check_address_map(void *map) {
    ubi__address_map_check(map);
}

static void check_elf_symbols(void *symbols) {
    ubi__elf_symbols_check(symbols);
}

static void add_to_a_sealed_map(void *map) {
    (void)ubi__address_map_add(map, 1, 2, 0, ubi_allocator_default());
}

static void damaged_maps_are_seen(void **state) {
    const ubi_allocator *a = ubi_allocator_default();
    ubi__elf_symbols s = { .has_local = false };
    (void)state;
    assert_int_equal(ubi__vec_name_push(&s.names, a, "outer"), UBI_OK);
    assert_int_equal(ubi__vec_name_push(&s.names, a, "inner"), UBI_OK);
    assert_int_equal(ubi__address_map_add(&s.map, 100, 200, 0, a), UBI_OK);
    assert_int_equal(ubi__address_map_add(&s.map, 120, 130, 1, a), UBI_OK);
    assert_int_equal(ubi__address_map_seal(&s.map, a), UBI_OK);
    ubi__elf_symbols_check(&s);
    assert_damage_seen(add_to_a_sealed_map, &s.map, "map->starts.n == 0");
    s.map.starts.at[1].low = 100;
    assert_damage_seen(check_address_map, &s.map, "map->starts.at[i - 1].low < map->starts.at[i].low");
    s.map.starts.at[1].low = 120;
    s.map.starts.at[s.map.starts.n - 1].value = 0;
    assert_damage_seen(check_address_map, &s.map, "value == UBI_NONE");
    s.map.starts.at[s.map.starts.n - 1].value = UBI_NONE;
    s.names.n = 1;
    assert_damage_seen(check_elf_symbols, &s, "value < s->names.n");
    ubi__elf_symbols_fini(&s, a);
}

int main(void) {
    const struct CMUnitTest tests[] = { cmocka_unit_test(damaged_maps_are_seen) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
