/* SPDX-License-Identifier: MIT
 *
 * Tests of V8's lens on random graphs against the slow rules of tests/support/devtools_rules.h, and with every allocation
 * refused, cancelled at every report, and on other graphs than V8's.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "devtools_rules.h"
#include "drawing.h"
#include "fail_allocator.h"
#include "lenses/v8/v8_look.h"
#include "random_numbers.h"
#include "random_v8_heap.h"

static const random_v8_options small = { .topic = RANDOM_V8_RULES, .n_nodes = 40, .n_edges_per_node = 8 };

static ubi_look *look_at(ubi_graph *g, const ubi_look *like, unsigned threads) {
    ubi_look *look;
    ubi_look_options options = UBI_LOOK_OPTIONS_INIT;
    options.like = like;
    options.threads = threads;
    assert_int_equal(ubi_look_open(&look, NULL, g, &options), UBI_OK);
    return look;
}

/* With what another look at the same graph has found. */
static ubi_look *look_beside(const ubi_look *beside, ubi_graph *g, const ubi_look *like) {
    ubi_look *look;
    ubi_look_options options = UBI_LOOK_OPTIONS_INIT;
    options.like = like;
    options.threads = 1;
    assert_int_equal(ubi__look_open_beside(&look, beside, g, &options), UBI_OK);
    return look;
}

static void assert_text(ubi_text ours, const char *wanted) {
    if (ours.len != strlen(wanted) || memcmp(ours.ptr, wanted, ours.len) != 0)
        fail_msg("'%.*s' is not '%s'", (int)ours.len, ours.ptr, wanted);
}

/* ---- against the rules ------------------------------------------------------------------------------------------- */

static void assert_node(const ubi_look *look, const devtools *d, ubi_node_ix node, uint32_t distance) {
    ubi_look_class class;
    ubi_look_name_buffer buffer;
    ubi_look_class_get(look, ubi_look_class_of(look, node), &class);
    assert_int_equal(ubi_look_detachedness(look, node), d->detachedness[node]);
    assert_int_equal(ubi_look_size_bytes(look, node), d->size_bytes[node]);
    assert_int_equal(distance, d->distance[node]);
    assert_text(ubi__v8_node_raw_name(look, node), d->raw_name[node]);
    assert_text(class.name, d->class_name[node]);
    assert_text(class.place, d->place[node]);
    assert_text(ubi_look_display_name(look, node, &buffer), d->display_name[node]);
}

static void assert_interfaces(const ubi_look *look, const devtools *d) {
    const ubi__v8_interfaces *ours = &ubi__v8_look_of(look)->interfaces;
    assert_int_equal(ours->rows.n, d->n_interfaces);
    for (size_t i = 0; i < d->n_interfaces; i++) {
        assert_text(ours->rows.at[i].name, d->interfaces[i].name);
        assert_int_equal(ours->rows.at[i].count, d->interfaces[i].count);
        assert_int_equal(ours->rows.at[i].n_properties, d->interfaces[i].n_properties);
        for (size_t k = 0; k < d->interfaces[i].n_properties; k++)
            assert_text(ours->properties.at[ours->rows.at[i].first_property + k], d->interfaces[i].properties[k]);
    }
}

/* No two classes have one key, and no class is empty. */
static void assert_classes(const ubi_look *look) {
    uint32_t n_classes = ubi_look_class_count(look), n_nodes = ubi_graph_node_count(look->graph);
    bool *used = calloc(n_classes + 1, sizeof *used);
    for (ubi_node_ix node = 0; node < n_nodes; node++)
        used[ubi_look_class_of(look, node)] = true;
    for (ubi_class_ix i = 0; i < n_classes; i++) {
        assert_true(used[i]);
        for (ubi_class_ix k = 0; k < i; k++) {
            ubi_look_class x, y;
            ubi_look_class_get(look, i, &x);
            ubi_look_class_get(look, k, &y);
            assert_false(ubi__text_equal(x.name, y.name) && ubi__text_equal(x.place, y.place));
        }
    }
    free(used);
}

static void assert_look(const ubi_look *look, const devtools *d) {
    uint32_t *distance = malloc(d->n * sizeof *distance);
    assert_int_equal(ubi_look_distances(distance, look), UBI_OK);
    assert_interfaces(look, d);
    for (ubi_node_ix node = 0; node < d->n; node++)
        assert_node(look, d, node, distance[node]);
    for (ubi_edge_ix e = 0; e < ubi_graph_edge_count(d->g); e++)
        assert_int_equal(ubi_edge_set_has(ubi_look_view(look)->edges, e), d->essential[e]);
    assert_classes(look);
    free(distance);
}

static void random_graphs_look_as_in_devtools(void **state) {
    (void)state;
    uint32_t n_rounds = random_cases(getenv("UBI_DEEP") ? 100000 : 10000);
    for (uint32_t seed = 1; seed <= n_rounds; seed++) {
        random_start(seed);
        ubi_graph *g = random_v8_heap_of(&small);
        devtools *d = devtools_of(g, NULL);
        ubi_look *look = look_at(g, NULL, 1);
        assert_look(look, d);
        ubi_look_close(look);
        devtools_free(d);
        ubi_graph_unref(g);
    }
}

static void interfaces_of_another_heap_are_applied_as_in_devtools(void **state) {
    (void)state;
    for (uint32_t seed = 1; seed <= 1000; seed++) {
        random_start(seed);
        ubi_graph *other = random_v8_heap_of(&small), *g = random_v8_heap_of(&small);
        devtools *like_rules = devtools_of(other, NULL), *d = devtools_of(g, like_rules);
        ubi_look *like = look_at(other, NULL, 1), *look = look_at(g, like, 1), *own = look_at(g, NULL, 1);
        ubi_look *sooner = look_beside(own, g, like);
        ubi_look_close(like);
        ubi_look_close(own);
        assert_look(look, d);
        assert_look(sooner, d);
        ubi_look_close(look);
        ubi_look_close(sooner);
        devtools_free(d);
        devtools_free(like_rules);
        ubi_graph_unref(other);
        ubi_graph_unref(g);
    }
}

static void strings_that_lead_in_circles_have_a_name_that_ends(void **state) {
    (void)state;
    random_v8_options circles = small;
    circles.cycles_of_strings = true;
    for (uint32_t seed = 1; seed <= 1000; seed++) {
        random_start(seed);
        ubi_graph *g = random_v8_heap_of(&circles);
        ubi_look *look = look_at(g, NULL, 1);
        for (ubi_node_ix node = 0; node < ubi_graph_node_count(g); node++) {
            ubi_look_name_buffer buffer;
            assert_non_null(ubi_look_display_name(look, node, &buffer).ptr);
        }
        ubi_look_close(look);
        ubi_graph_unref(g);
    }
}

/* ---- memory and cancelling --------------------------------------------------------------------------------------- */

typedef struct opening {
    ubi_graph *g;
    const ubi_look *like, *beside;
} opening;

static ubi_status open_and_close(void *payload, const ubi_allocator *allocator) {
    const opening *o = payload;
    ubi_look *look;
    ubi_look_options options = UBI_LOOK_OPTIONS_INIT;
    options.allocator = allocator;
    options.threads = 1;
    options.like = o->like;
    ubi_status status = ubi__look_open_beside(&look, o->beside, o->g, &options);
    if (status == UBI_OK)
        ubi_look_close(look);
    return status;
}

static void every_refused_allocation_leaves_nothing_behind(void **state) {
    (void)state;
    for (uint32_t seed = 1; seed <= 100; seed++) {
        random_start(seed);
        opening o = { random_v8_heap_of(&small), NULL, NULL };
        assert_true(fail_each_allocation(open_and_close, &o) > 5);
        ubi_look *like = look_at(o.g, NULL, 1);
        o.like = like;
        fail_each_allocation(open_and_close, &o);
        o.beside = like;
        fail_each_allocation(open_and_close, &o);
        ubi_look_close(like);
        ubi_graph_unref(o.g);
    }
}

static bool count_down(void *payload, const char *stage, uint64_t done, uint64_t total) {
    uint32_t *left = payload;
    assert_non_null(stage);
    assert_true(done <= total);
    return *left == 0 ? false : (--*left, true);
}

static void assert_can_be_cancelled(ubi_graph *g, const ubi_look *beside) {
    for (uint32_t n_allowed = 0;; n_allowed++) {
        ubi_look_options options = UBI_LOOK_OPTIONS_INIT;
        ubi_look *look = NULL;
        uint32_t left = n_allowed;
        options.threads = 1;
        options.progress = (ubi_progress){ count_down, &left };
        ubi_status status = ubi__look_open_beside(&look, beside, g, &options);
        if (status == UBI_OK) {
            assert_true(n_allowed > 0);
            ubi_look_close(look);
            break;
        }
        assert_int_equal(status, UBI_ECANCELLED);
        assert_null(look);
    }
}

static void it_can_be_cancelled_at_every_report(void **state) {
    (void)state;
    random_start(7);
    ubi_graph *g = random_v8_heap_of(&small);
    ubi_look *own = look_at(g, NULL, 1);
    assert_can_be_cancelled(g, NULL);
    assert_can_be_cancelled(g, own);
    ubi_look_close(own);
    ubi_graph_unref(g);
}

/* ---- other graphs ------------------------------------------------------------------------------------------------ */

static void a_graph_that_is_not_v8s_can_be_looked_at_too(void **state) {
    (void)state;
    ubi_graph *g = graph_from_drawing("root(type=Root) -> a, b; a(type=T class=A size=5) -> a; b(type=T)");
    ubi_look *look;
    assert_int_equal(ubi_look_open(&look, ubi_lens_find("v8"), g, NULL), UBI_OK);
    assert_text(ubi_look_node_name(look, 0), "(Root)");
    assert_text(ubi_look_node_name(look, 1), "(T)");
    assert_int_equal(ubi_look_class_of(look, 1), ubi_look_class_of(look, 2));
    assert_int_equal(ubi_edge_set_count(ubi_look_view(look)->edges), 2);
    assert_int_equal(ubi_look_size_bytes(look, 1), 5);
    assert_int_equal(ubi_look_outside_bytes(look), 0);
    ubi_look_close(look);
    ubi_graph_unref(g);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_graphs_look_as_in_devtools),
        cmocka_unit_test(interfaces_of_another_heap_are_applied_as_in_devtools),
        cmocka_unit_test(strings_that_lead_in_circles_have_a_name_that_ends),
        cmocka_unit_test(every_refused_allocation_leaves_nothing_behind),
        cmocka_unit_test(it_can_be_cancelled_at_every_report),
        cmocka_unit_test(a_graph_that_is_not_v8s_can_be_looked_at_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
