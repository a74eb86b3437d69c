/* SPDX-License-Identifier: MIT
 *
 * treemap_checks_test.c: the invariants of tree maps are seen when they break.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analyses/treemap/treemap_build.h"
#include "damage.h"

static void check_map(void *map) {
    ubi__treemap_check(map);
}

static void damaged_maps_are_seen(void **state) {
    (void)state;
    ubi_treemap *map;
    assert_int_equal(ubi__treemap_new(&map, NULL), UBI_OK);
    for (uint32_t i = 0; i < 4; i++) {
        ubi__treemap_entry entry = { .parent = i == 0 ? UBI_NONE : i == 3, .weight = i };
        assert_int_equal(ubi__treemap_add(map, &entry), UBI_OK);
    }
    assert_int_equal(ubi__treemap_finish(map), UBI_OK);
    check_map(map);
    map->rows.at[2].parent = 2;
    assert_damage_seen(check_map, map, "row->parent < i");
    map->rows.at[2].parent = 0;
    map->rows.at[1].parent = 1;
    assert_damage_seen(check_map, map, "row->parent < i");
    map->rows.at[1].parent = 0;
    map->boxes[3].depth--;
    assert_damage_seen(check_map, map, "map->boxes[row->parent].depth + 1");
    map->boxes[3].depth++;
    map->boxes[3].weight += 100;
    assert_damage_seen(check_map, map, "map->boxes[row->parent].weight");
    map->boxes[3].weight -= 100;
    map->rows.at[0].color = UBI_TREEMAP_N_COLORS;
    assert_damage_seen(check_map, map, "row->color < UBI_TREEMAP_N_COLORS");
    map->rows.at[0].color = 0;
    ubi_treemap_free(map);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(damaged_maps_are_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
