/* SPDX-License-Identifier: MIT
 *
 * Tests of lenses: which one a graph gets, what Firefox's does, and that the interface carries a lens that computes sizes,
 * edges, classes and filters of its own, adopts orphans and starts elsewhere.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <ubiheap/core/census.h>
#include <ubiheap/core/formats.h>

#include "base/text.h"
#include "drawing.h"
#include "fail_allocator.h"
#include "lenses/lens.h"
#include "lenses/producer.h"

/* ---- the list ---------------------------------------------------------------------------------------------------- */

static void a_graph_gets_the_lens_of_its_format_and_any_other_the_plain_one(void **state) {
    (void)state;
    ubi_graph *file, *built = graph_from_drawing("root");
    assert_int_equal(ubi_graph_read_path(&file, "tests/data/fx/unreachable.fxsnapshot", NULL, NULL), UBI_OK);
    assert_string_equal(ubi_lens_name(ubi_lens_for(file)), "firefox");
    assert_string_equal(ubi_lens_title(ubi_lens_for(file)), "Firefox");
    assert_string_equal(ubi_lens_name(ubi_lens_for(built)), "plain");
    ubi_graph_unref(file);
    ubi_graph_unref(built);
}

static void lenses_are_listed_and_found_by_name(void **state) {
    (void)state;
    size_t n = 0, n_of_producers = 0;
    for (size_t i = 0; ubi__producer_at(i); i++)
        n_of_producers += ubi__producer_at(i)->lens != NULL;
    for (const ubi_lens *lens; (lens = ubi_lens_at(n)); n++) {
        assert_ptr_equal(ubi_lens_find(ubi_lens_name(lens)), lens);
        assert_non_null(ubi_lens_filters(lens));
    }
    assert_int_equal(n, n_of_producers);
    assert_null(ubi_lens_find("chrome"));
    assert_null(ubi_lens_find(NULL));
}

static void assert_presets(const char *const *names) {
    assert_non_null(names[0]);
    for (; *names; names++)
        assert_non_null(ubi_breakdown_preset_find(*names));
}

static void every_breakdown_that_a_lens_names_is_a_preset(void **state) {
    (void)state;
    for (size_t i = 0; ubi_lens_at(i); i++) {
        const ubi_lens_displays *displays = ubi_lens_displays_of(ubi_lens_at(i));
        assert_presets(displays->census);
        assert_presets(displays->label);
        assert_non_null(ubi_breakdown_preset_find(displays->tree_map));
    }
}

static void firefoxs_settings_are_those_of_its_memory_panel(void **state) {
    (void)state;
    const ubi_lens_displays *d = ubi_lens_displays_of(ubi_lens_find("firefox"));
    assert_int_equal(d->tree_depth, 4);
    assert_int_equal(d->tree_siblings, 15);
    assert_int_equal(d->tree_more_siblings, 50);
    assert_int_equal(d->paths, 10);
    assert_int_equal(d->individuals, 1000);
    assert_string_equal(d->census[0], "coarseType");
    assert_string_equal(d->label[0], "label");
}

/* ---- Firefox's lens ---------------------------------------------------------------------------------------------- */

static void firefox_sees_everything_as_the_file_has_it(void **state) {
    (void)state;
    ubi_graph *g = graph_from_drawing("root(size=10) -> a; a(size=20); lost(size=30) -> a");
    ubi_look *look;
    assert_int_equal(ubi_look_open(&look, ubi_lens_find("firefox"), g, NULL), UBI_OK);
    const ubi_view *view = ubi_look_view(look);
    assert_ptr_equal(view->graph, g);
    assert_null(view->edges);
    assert_null(view->size_bytes);
    assert_int_equal(view->root, ubi_graph_root(g));
    assert_int_equal(view->orphans, UBI_ORPHANS_IGNORE);
    assert_int_equal(ubi_look_size_bytes(look, 2), 30);
    assert_true(ubi_look_shows(look, 2));
    assert_string_equal(ubi_lens_name(ubi_look_lens(look)), "firefox");
    ubi_look_close(look);
    ubi_look_close(NULL);
    ubi_graph_unref(g);
}

static void assert_class(const ubi_look *look, ubi_node_ix node, const char *name, ubi_coarse_type coarse_type) {
    ubi_look_class class;
    ubi_look_class_get(look, ubi_look_class_of(look, node), &class);
    assert_true(ubi__text_is(class.name, name));
    assert_true(ubi__text_is(ubi_look_node_name(look, node), name));
    assert_int_equal(class.coarse_type, coarse_type);
}

static void a_class_is_the_best_name_there_is_within_a_coarse_type(void **state) {
    (void)state;
    ubi_graph *g = graph_from_drawing("root(type=Root) -> a, b, c, d, e, f;"
                                      "a(coarse=object class=Array type=X); b(coarse=object class=Array type=Y);"
                                      "c(coarse=dom desc=DIV class=HTMLDivElement); d(coarse=script file=a.js);"
                                      "e(coarse=other type=Array); f(coarse=string type=JSString)");
    ubi_look *look;
    assert_int_equal(ubi_look_open(&look, NULL, g, NULL), UBI_OK);
    assert_class(look, 0, "Root", UBI_COARSE_OTHER);
    assert_class(look, 1, "Array", UBI_COARSE_OBJECT);
    assert_class(look, 3, "DIV", UBI_COARSE_DOM_NODE);
    assert_class(look, 4, "a.js", UBI_COARSE_SCRIPT);
    assert_class(look, 5, "Array", UBI_COARSE_OTHER);
    assert_class(look, 6, "JSString", UBI_COARSE_STRING);
    assert_int_equal(ubi_look_class_of(look, 1), ubi_look_class_of(look, 2));
    assert_int_equal(ubi_look_class_count(look), 6);
    ubi_look_close(look);
    ubi_graph_unref(g);
}

/* ---- a lens that computes ---------------------------------------------------------------------------------------- */

/* What a lens such as DevTools' has to carry. */
typedef struct computed {
    uint64_t *size_bytes;
    ubi_class_ix *classes;
    uint64_t shown;
    ubi_edge_set *edges;
} computed;

static void close_computing(ubi_look *look) {
    computed *own = look->own;
    uint32_t n = ubi_graph_node_count(look->graph);
    if (!own)
        return;
    ubi__free_array(look->allocator, own->size_bytes, n, sizeof *own->size_bytes);
    ubi__free_array(look->allocator, own->classes, n, sizeof *own->classes);
    ubi_edge_set_free(own->edges);
    UBI_DELETE(look->allocator, own);
}

static ubi_status compute_columns(ubi_look *look, computed *own, uint32_t n) {
    own->size_bytes = ubi__alloc_array(look->allocator, n, sizeof *own->size_bytes);
    own->classes = ubi__alloc_array(look->allocator, n, sizeof *own->classes);
    if (!own->size_bytes || !own->classes)
        return ubi__fail_nomem();
    for (uint32_t node = 0; node < n; node++) {
        own->size_bytes[node] = 100 * ubi_graph_node_size_bytes(look->graph, node);
        own->classes[node] = node % 2;
    }
    UBI_TRY(ubi__vec_lens_class_push(&look->classes, look->allocator,
                                     (ubi_look_class){ ubi__text("{x, y}"), ubi__text(""), UBI_COARSE_OBJECT }));
    return ubi__vec_lens_class_push(&look->classes, look->allocator,
                                    (ubi_look_class){ ubi__text("{z}"), ubi__text(""), UBI_COARSE_OBJECT });
}

static ubi_status open_computing(ubi_look *look, const ubi_look_options *options, int filter) {
    (void)options;
    computed *own = look->own = UBI_NEW(look->allocator, computed);
    if (!own)
        return ubi__fail_nomem();
    UBI_TRY(compute_columns(look, own, ubi_graph_node_count(look->graph)));
    UBI_TRY(ubi_edge_set_new(&own->edges, look->graph, false));
    own->shown = 5;
    look->view.size_bytes = own->size_bytes;
    look->view.edges = own->edges;
    look->view.root = 1;
    look->view.orphans = UBI_ORPHANS_ADOPT;
    look->class_of_node = own->classes;
    look->shown = filter == 1 ? &own->shown : NULL;
    return UBI_OK;
}

static const ubi_lens_filter computing_filters[] = { { "everything", "Everything" },
                                                     { "odd", "Odd ones" },
                                                     { NULL, NULL } };
static const ubi_lens computing = {
    .name = "computing", .filters = computing_filters, .open = open_computing, .close = close_computing
};

static void a_lens_may_bring_sizes_edges_classes_filters_a_root_and_adopt_orphans(void **state) {
    (void)state;
    ubi_graph *g = graph_from_drawing("root(size=1) -> a; a(size=2); b(size=3)");
    ubi_look_options options = UBI_LOOK_OPTIONS_INIT;
    ubi_look *look;
    options.filter = "odd";
    assert_int_equal(ubi__lens_open(&look, &computing, g, &options), UBI_OK);
    const ubi_view *view = ubi_look_view(look);
    assert_int_equal(view->root, 1);
    assert_int_equal(view->orphans, UBI_ORPHANS_ADOPT);
    assert_int_equal(view->size_bytes[2], 300);
    assert_int_equal(ubi_look_size_bytes(look, 2), 300);
    assert_int_equal(ubi_edge_set_count(view->edges), 0);
    assert_class(look, 1, "{z}", UBI_COARSE_OBJECT);
    assert_true(ubi_look_shows(look, 0) && !ubi_look_shows(look, 1) && ubi_look_shows(look, 2));
    ubi_look_close(look);
    assert_string_equal(ubi_lens_filters(&computing)[1].title, "Odd ones");
    ubi_graph_unref(g);
}

/* ---- mistakes and memory ----------------------------------------------------------------------------------------- */

static void unknown_filters_and_options_are_refused(void **state) {
    (void)state;
    ubi_graph *g = graph_from_drawing("root");
    ubi_look_options options = UBI_LOOK_OPTIONS_INIT;
    ubi_look *look;
    options.filter = "nope";
    assert_int_equal(ubi_look_open(&look, NULL, g, &options), UBI_EINVAL);
    assert_string_equal(ubi_error_message(), "the lens plain has no filter 'nope'");
    options = (ubi_look_options){ .version = 7 };
    assert_int_equal(ubi_look_open(&look, NULL, g, &options), UBI_EINVAL);
    assert_string_equal(ubi_error_message(), "ubi_look_options has version 7, expected 1");
    ubi_graph_unref(g);
}

static void every_refused_allocation_leaves_nothing_behind(void **state) {
    (void)state;
    ubi_graph *g = graph_from_drawing("root(type=R) -> a, b; a(class=A); b(class=B)");
    const ubi_lens *lenses[] = { ubi_lens_find("firefox"), ubi_lens_find("plain"), &computing };
    for (size_t i = 0; i < 3; i++)
        for (uint64_t n = 0;; n++) {
            fail_allocator f;
            fail_allocator_init(&f, n);
            ubi_look_options options = UBI_LOOK_OPTIONS_INIT;
            ubi_look *look = NULL;
            options.allocator = &f.allocator;
            ubi_status status = ubi__lens_open(&look, lenses[i], g, &options);
            assert_true(status == UBI_OK || (status == UBI_ENOMEM && !look));
            ubi_look_close(look);
            fail_allocator_fini(&f);
            if (status == UBI_OK)
                break;
        }
    ubi_graph_unref(g);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_graph_gets_the_lens_of_its_format_and_any_other_the_plain_one),
        cmocka_unit_test(lenses_are_listed_and_found_by_name),
        cmocka_unit_test(every_breakdown_that_a_lens_names_is_a_preset),
        cmocka_unit_test(firefoxs_settings_are_those_of_its_memory_panel),
        cmocka_unit_test(firefox_sees_everything_as_the_file_has_it),
        cmocka_unit_test(a_class_is_the_best_name_there_is_within_a_coarse_type),
        cmocka_unit_test(a_lens_may_bring_sizes_edges_classes_filters_a_root_and_adopt_orphans),
        cmocka_unit_test(unknown_filters_and_options_are_refused),
        cmocka_unit_test(every_refused_allocation_leaves_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
