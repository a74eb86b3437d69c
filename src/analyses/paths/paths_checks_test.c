/* SPDX-License-Identifier: MIT
 *
 * paths_checks_test.c: the invariants of found paths are seen when they break.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analyses/paths/path_tree.h"
#include "damage.h"
#include "graph_maker.h"

static void check_paths(void *paths) {
    ubi__paths_check(paths, true);
}

static void damaged_paths_are_seen(void **state) {
    (void)state;
    /* 0 -> 1 -> 2 -> 3, and 0 -> 2 */
    graph_maker m = graph_maker_start();
    for (uint64_t id = 0; id < 4; id++) {
        graph_maker_node(&m, id, 1);
        if (id < 3)
            graph_maker_edge(&m, id + 1);
        if (id == 0)
            graph_maker_edge(&m, 2);
    }
    ubi_graph *graph = graph_maker_finish(&m);
    ubi_view view = ubi_view_of(graph);
    ubi_paths *paths;
    const ubi_node_ix targets[2] = { 3, 2 };
    assert_int_equal(ubi_paths_find(&paths, &view, targets, 2, NULL), UBI_OK);
    check_paths(paths);
    paths->paths[0].length++;
    assert_damage_seen(check_paths, paths, "step->length ==");
    paths->paths[0].length--;
    paths->paths[0].edge = 0;
    assert_damage_seen(check_paths, paths, "step->edge >= first_edge[source]");
    paths->paths[0].edge = 3;
    paths->targets[0] = 1;
    assert_damage_seen(check_paths, paths, "== paths->targets[t]");
    paths->targets[0] = 3;
    paths->first_path[1] = 9;
    assert_damage_seen(check_paths, paths, "");
    paths->first_path[1] = 1;
    paths->tree[0].before = 0;
    assert_damage_seen(check_paths, paths, "step->before < place");
    paths->tree[0].before = UBI_NONE;
    ubi_paths_free(paths);
    ubi_graph_unref(graph);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(damaged_paths_are_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
