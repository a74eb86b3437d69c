/* SPDX-License-Identifier: MIT
 *
 * cli_checks_test.c: the invariants of what commands gather for their pages are seen when they break.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "damage.h"
#include "drawing.h"
#include "questions/leaks/leaks_answer.h"

#define CHECK_OF(name)                                                                                                 \
    static void check_##name(void *payload) {                                                                          \
        ubi__##name##_check(payload);                                                                                  \
    }                                                                                                                  \
    struct swallow_semicolon

CHECK_OF(leak_path);

#define HEAP                                                                                                           \
    "root(size=10) -> a, b; a(size=100 coarse=object class=Map) -> c; b(size=40 coarse=object class=Set) -> c;"        \
    "c(size=60 coarse=string);"

/* ---- the path of a leak ----------------------------------------------------------------------------------------------- */

static void a_damaged_path_of_a_leak_is_seen(void **state) {
    (void)state;
    ubi_graph *g = graph_from_drawing(HEAP);
    ubi_path_step steps[] = { { 0, 0 }, { 1, 2 } };
    ubi__leak_path path = { .view = { .graph = g, .steps = steps, .n_steps = 2, .target = 3 }, .steps = steps, .n = 2 };
    path.n_to_holder = path.n_to_new = 1;
    ubi__leak_path_check(&path);
    path.n_to_new = 0;
    assert_damage_seen(check_leak_path, &path, "!path->n_to_new == !path->n");
    path.n_to_holder = 3;
    assert_damage_seen(check_leak_path, &path, "path->n_to_holder <= path->n");
    path.view.n_steps = 1;
    assert_damage_seen(check_leak_path, &path, "path->view.n_steps == path->n");
    ubi_graph_unref(g);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_damaged_path_of_a_leak_is_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
