/* SPDX-License-Identifier: MIT
 *
 * render_checks_test.c: the invariants of paths and pictures are seen when they break.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "damage.h"
#include "drawing.h"
#include "render/path_choice.h"
#include "render/treemap_picture.h"

#define CHECK_OF(name)                                                                                                 \
    static void check_##name(void *payload) {                                                                          \
        ubi__##name##_check(payload);                                                                                  \
    }                                                                                                                  \
    struct swallow_semicolon

CHECK_OF(path_view);
CHECK_OF(path_pen);
CHECK_OF(path_choice);
CHECK_OF(treemap_picture);

static void a_damaged_path_is_seen(void **state) {
    (void)state;
    ubi_graph *g = graph_from_drawing("root -> a; a -> b, c; b; c;");
    ubi_path_step steps[] = { { 0, 0 }, { 1, 1 } };
    ubi__path_view path = { .graph = g, .steps = steps, .n_steps = 2, .target = 2 };
    ubi__path_view_check(&path);
    path.target = 3;
    assert_damage_seen(check_path_view, &path, "ubi_graph_edge_target(g, step->edge) == next");
    path.target = 4;
    assert_damage_seen(check_path_view, &path, "path->target < ubi_graph_node_count(g)");
    path.target = 2;
    steps[1].edge = 3;
    assert_damage_seen(check_path_view, &path, "step->edge < ubi_graph_edge_count(g)");
    steps[1] = (ubi_path_step){ 2, 1 };
    steps[0].edge = 1;
    assert_damage_seen(check_path_view, &path, "ubi_graph_edge_source(g, step->edge) == step->predecessor");
    steps[0] = (ubi_path_step){ 1, 0 };
    assert_damage_seen(check_path_view, &path, "ubi_graph_edge_source(g, step->edge) == step->predecessor");
    ubi_graph_unref(g);
}

static void damaged_gaps_are_seen(void **state) {
    (void)state;
    ubi__path_view path = { .n_steps = 9 };
    ubi__path_gap gaps[] = { { 1, 3 }, { 5, 9 } };
    ubi__path_pen pen = { .path = &path, .gaps = gaps, .n_gaps = 2 };
    ubi__path_pen_check(&pen);
    gaps[0].end = 5; /* they touch: one gap is due */
    assert_damage_seen(check_path_pen, &pen, "p->gaps[k - 1].end < p->gaps[k].begin");
    gaps[0].end = 1;
    assert_damage_seen(check_path_pen, &pen, "p->gaps[k].begin < p->gaps[k].end");
    gaps[0].end = 3;
    gaps[1].end = 10; /* the target as well */
    assert_damage_seen(check_path_pen, &pen, "p->gaps[p->n_gaps - 1].end <= p->path->n_steps");
    pen.n_gaps = 0;
    pen.start.begin = 10;
    assert_damage_seen(check_path_pen, &pen, "p->start.begin <= p->path->n_steps");
}

static void a_damaged_choice_is_seen(void **state) {
    (void)state;
    ubi__path_choice choice = { .n = 2, .n_names = 1, .n_names_shown = 1 };
    choice.groups[0] = (ubi__path_group){ .begin = 0, .end = 2 };
    choice.groups[1] = (ubi__path_group){ .begin = 2, .end = 3, .rank = UBI__RANK_PROGRAM };
    ubi__path_choice_check(&choice);
    choice.groups[1].begin = 3;
    choice.groups[1].end = 4;
    assert_damage_seen(check_path_choice, &choice, "follows(c, i)");
    choice.groups[1].end = 3;
    assert_damage_seen(check_path_choice, &choice, "c->groups[i].begin + c->groups[i].n_glued < c->groups[i].end");
    choice.groups[1].begin = 2;
    choice.groups[1].end = 6;
    choice.groups[1].n_glued = 3;
    assert_damage_seen(check_path_choice, &choice, "c->groups[i].n_glued <= MOST_GLUED");
    choice.groups[1].end = 3;
    choice.groups[1].n_glued = 0;
    choice.n_names = choice.n_names_shown = 2;
    assert_damage_seen(check_path_choice, &choice, "c->n_names == n_names");
    choice.n_names = 1;
    assert_damage_seen(check_path_choice, &choice, "c->n_names_shown <= c->n_names");
    choice.n_names_shown = 1;
    choice.always = (ubi__path_gap){ 2, 3 };
    assert_damage_seen(check_path_choice, &choice, "c->n == UBI__PATH_UNITS");
    choice.n = UBI__PATH_UNITS + 1;
    assert_damage_seen(check_path_choice, &choice, "c->n <= UBI__PATH_UNITS");
}

static void a_damaged_picture_is_seen(void **state) {
    (void)state;
    ubi_graph *g =
        graph_from_drawing("root -> a, b; a(class=A coarse=object size=30); b(class=B coarse=object size=20);");
    ubi_census *census;
    ubi_census_tree *tree;
    ubi_treemap *map;
    assert_int_equal(ubi_census_take(&census, g, NULL, NULL), UBI_OK);
    assert_int_equal(ubi_census_tree_new(&tree, census, NULL), UBI_OK);
    assert_int_equal(ubi_treemap_of_census(&map, tree, NULL), UBI_OK);
    uint8_t hues[64] = { 0 }, holds[64] = { 0 };
    assert_in_range(ubi_treemap_row_count(map), 2, 64);
    const ubi_treemap_picture_options options = UBI_TREEMAP_PICTURE_OPTIONS_INIT;
    ubi__treemap_picture p = { .map = map, .options = &options, .hues = hues, .holds = holds, .n_legend = 2 };
    memset(holds, 1, sizeof holds);
    memset(p.is_used, true, sizeof p.is_used);
    p.legend[0] = (ubi__treemap_legend_entry){ .row = 1, .weight = 30 };
    p.legend[1] = (ubi__treemap_legend_entry){ UBI__TREEMAP_OTHER_HUE, false, UBI_NONE, 40 };
    ubi__treemap_picture_check(&p);
    hues[1] = 3;
    assert_damage_seen(check_treemap_picture, &p, "p->hues[entry->row] == entry->hue");
    hues[1] = 0;
    hues[0] = UBI__TREEMAP_N_HUES;
    assert_damage_seen(check_treemap_picture, &p, "p->hues[i] < UBI__TREEMAP_N_HUES && p->holds[i] <= 1");
    hues[0] = 0;
    memset(holds, 0, sizeof holds);
    assert_damage_seen(check_treemap_picture, &p, "p->holds[row.parent] == 1");
    memset(holds, 1, sizeof holds);
    memset(p.is_used, false, sizeof p.is_used);
    assert_damage_seen(check_treemap_picture, &p, "p->is_used[p->hues[i]]");
    memset(p.is_used, true, sizeof p.is_used);
    p.legend[1] = (ubi__treemap_legend_entry){ .row = 0, .weight = 40 };
    assert_damage_seen(check_treemap_picture, &p, "p->legend[i - 1].weight >= entry->weight");
    p.legend[1].hue = UBI__TREEMAP_N_HUES;
    assert_damage_seen(check_treemap_picture, &p, "entry->hue < UBI__TREEMAP_N_HUES");
    p.n_legend = UBI__TREEMAP_N_HUES + 1;
    assert_damage_seen(check_treemap_picture, &p, "p->n_legend <= UBI__TREEMAP_N_HUES");
    ubi_treemap_free(map);
    ubi_census_tree_free(tree);
    ubi_census_free(census);
    ubi_graph_unref(g);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_damaged_path_is_seen),
        cmocka_unit_test(damaged_gaps_are_seen),
        cmocka_unit_test(a_damaged_choice_is_seen),
        cmocka_unit_test(a_damaged_picture_is_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
