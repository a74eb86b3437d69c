/* SPDX-License-Identifier: MIT
 *
 * Tests of pictures of tree maps: escaping, colours, widths of texts, legends, and what happens when writing or memory
 * fails. Whole pictures are read by an XML parser in tests/cli/treemap_pictures_test.py.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/status.h"
#include "base/text.h"
#include "census_text.h"
#include "drawing.h"
#include "fail_allocator.h"
#include "render/capture_test.h"
#include "render/treemap_picture.h"
#include "render/treemap_text.h"

static capture written;

/* ---- SVG --------------------------------------------------------------------------------------------------------- */

static void assert_escaped(const char *text, const char *expected) {
    ubi__svg_text(capture_start(&written), ubi__text(text));
    assert_string_equal(capture_text(&written), expected);
}

static void markup_and_what_xml_does_not_allow_are_escaped(void **state) {
    (void)state;
    assert_escaped("]]><a b=\"c\">&amp;", "]]&gt;&lt;a b=&quot;c&quot;&gt;&amp;amp;");
    assert_escaped("\xed\xa0\x80 \xef\xbf\xbe \xef\xbf\xbf \x01", "\\ud800 \\ufffe \\uffff \\u0001");
    assert_escaped("\xff\xfe", "\\xff\\xfe");
    assert_escaped("\xf0\x9f\x98\x80 \xf4\x8f\xbf\xbf", "\xf0\x9f\x98\x80 \xf4\x8f\xbf\xbf");
}

static void numbers_are_as_short_as_they_can_be(void **state) {
    static const struct {
        double value;
        const char *text;
    } cases[] = { { 0, "0" },         { 1200, "1200" },    { 0.5, "0.5" },
                  { 22.25, "22.25" }, { 1 / 3.0, "0.33" }, { -0.5, "-0.5" } };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ubi__svg_decimal(capture_start(&written), cases[i].value);
        assert_string_equal(capture_text(&written), cases[i].text);
    }
}

static void hues_turn_into_the_colours_that_browsers_make_of_them(void **state) {
    static const struct {
        double hue, saturation, lightness;
        const char *text;
    } cases[] = {
        { 0, 1, 0.5, "#ff0000" },     { 1 / 3.0, 1, 0.5, "#00ff00" }, { 2 / 3.0, 1, 0.5, "#0000ff" },
        { 0.5, 0.6, 0.8, "#adebeb" }, { 0, 0, 0.5, "#808080" },       { 0.25, 1, 0, "#000000" },
        { 0.25, 0.7, 1, "#ffffff" },  { 1, 1, 0.5, "#ff0000" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ubi__svg_hsl(capture_start(&written), cases[i].hue, cases[i].saturation, cases[i].lightness);
        assert_string_equal(capture_text(&written), cases[i].text);
    }
}

/* ---- widths ------------------------------------------------------------------------------------------------------ */

static void texts_are_as_wide_as_helvetica_is(void **state) {
    (void)state;
    assert_true(ubi__text_width(ubi__text(""), 10, false) == 0);
    assert_true(ubi__text_width(ubi__text("Function"), 1000, false) == 611 + 556 + 556 + 500 + 278 + 222 + 556 + 556);
    assert_true(ubi__text_width(ubi__text("~"), 10, true) == 5.84);
    assert_true(ubi__text_width(ubi__text("\xe6\x97\xa5"), 10, false) == 10); /* an ideograph */
    assert_true(ubi__text_width(ubi__text("e\xcc\x81"), 10, false) == 5.56);  /* a combining mark has no width */
}

static void a_text_is_cut_where_an_ellipsis_still_fits(void **state) {
    (void)state;
    ubi_text text = ubi__text("aaaae\xcc\x81"
                              "b"); /* 5.56 pixels each; the ellipsis takes 10 */
    assert_int_equal(ubi__text_fit(text, 34, 10, false), text.len);
    assert_int_equal(ubi__text_fit(text, 33, 10, false), 4);
    assert_int_equal(ubi__text_fit(text, 21.2, 10, false), 2);
    assert_int_equal(ubi__text_fit(text, 15.5, 10, false), 0);
    assert_int_equal(ubi__text_fit(ubi__text(""), 0, 10, false), 0);
    for (double room = 0; room < 40; room += 0.25) {
        size_t fits = ubi__text_fit(text, room, 10, false);
        double width = ubi__text_width((ubi_text){ text.ptr, fits }, 10, false) + (fits < text.len ? 10 : 0);
        assert_true(fits == 0 || width <= room);
        assert_true(fits != 5); /* never between a letter and its accent */
    }
}

/* ---- pictures ---------------------------------------------------------------------------------------------------- */

/* All parts of a map. */
typedef struct heap {
    ubi_graph *graph;
    ubi_census *census;
    ubi_census_tree *tree;
} heap;

static heap heap_of(const char *drawn, const char *breakdown_json) {
    heap h;
    ubi_breakdown *breakdown = must_parse_breakdown(breakdown_json, UBI_COMPAT_NONE);
    h.graph = graph_from_drawing(drawn);
    assert_int_equal(ubi_census_take(&h.census, h.graph, breakdown, NULL), UBI_OK);
    assert_int_equal(ubi_census_tree_new(&h.tree, h.census, NULL), UBI_OK);
    ubi_breakdown_unref(breakdown);
    return h;
}

static void heap_fini(heap *h) {
    ubi_census_tree_free(h->tree);
    ubi_census_free(h->census);
    ubi_graph_unref(h->graph);
}

#define CLASSES                                                                                                        \
    "root -> a, b, c, d; a(coarse=object class=Array size=500); b(coarse=object class=Map size=300);"                  \
    "c(coarse=string size=150); d(coarse=object class=Tiny size=1)"
#define BY_CLASS "{\"by\":\"objectClass\"}"

static const char *picture_of(const heap *h, const ubi_treemap_picture_options *options) {
    ubi_treemap *map;
    assert_int_equal(ubi_treemap_of_census(&map, h->tree, NULL), UBI_OK);
    capture_start(&written);
    assert_int_equal(ubi_render_treemap_svg(capture_take, &written, map, options), UBI_OK);
    ubi_treemap_free(map);
    return written.data;
}

static void assert_contains(const char *text, const char *part) {
    if (!strstr(text, part))
        fail_msg("\"%s\" is not in\n%s", part, text);
}

static void colours_mean_coarse_types_where_these_are_shown(void **state) {
    (void)state;
    heap h = heap_of(CLASSES, ubi_breakdown_preset_find("treeMap")->json);
    const char *svg = picture_of(&h, NULL);
    assert_contains(svg, ">JavaScript objects <tspan class=\"f\">84.2%<");
    assert_contains(svg, ">strings <tspan class=\"f\">15.8%<");
    assert_contains(svg, "<title>objects › Array\n500 B in 1 node\n52.6% of everything</title>");
    heap_fini(&h);
}

static void else_they_mean_branches_and_the_smallest_share_one(void **state) {
    (void)state;
    heap h = heap_of(CLASSES, BY_CLASS);
    const char *svg = picture_of(&h, NULL);
    assert_contains(svg, ">Array <tspan class=\"f\">52.6%<");
    assert_contains(svg, ">Map <tspan class=\"f\">31.5%<");
    assert_contains(svg, ">others <tspan class=\"f\">0.1%<");
    heap_fini(&h);
}

static void title_and_subtitle_are_the_callers_made_safe(void **state) {
    (void)state;
    ubi_treemap_picture_options options = UBI_TREEMAP_PICTURE_OPTIONS_INIT;
    heap h = heap_of(CLASSES, BY_CLASS);
    options.title = ubi__text("a<b\x1b[31m");
    options.subtitle = ubi__text("mine & yours");
    const char *svg = picture_of(&h, &options);
    assert_contains(svg, "aria-label=\"Tree map of a&lt;b\\x1b[31m: mine &amp; yours\">");
    heap_fini(&h);
}

static void firefoxs_colours_are_at_hand(void **state) {
    (void)state;
    ubi_treemap_picture_options options = UBI_TREEMAP_PICTURE_OPTIONS_INIT;
    heap h = heap_of(CLASSES, ubi_breakdown_preset_find("treeMap")->json);
    options.with_firefox_colors = true;
    assert_contains(picture_of(&h, &options), ".c0b{fill:#adebeb;stroke:"); /* hsl(180, 60%, 80%): objects, level 1 */
    heap_fini(&h);
}

static void a_heap_without_anything_is_a_picture_without_boxes(void **state) {
    (void)state;
    heap h = heap_of("root", BY_CLASS);
    const char *svg = picture_of(&h, NULL);
    assert_contains(svg, "0 B in 0 nodes");
    assert_null(strstr(svg, "</title></rect>"));
    heap_fini(&h);
}

/* ---- failures ---------------------------------------------------------------------------------------------------- */

static bool refuse(void *payload, const void *data, size_t n) {
    (void)payload, (void)data, (void)n;
    return false;
}

static void refused_writes_and_options_are_errors(void **state) {
    (void)state;
    heap h = heap_of(CLASSES, BY_CLASS);
    ubi_treemap_picture_options options = { .version = 4 };
    ubi_treemap *map;
    assert_int_equal(ubi_treemap_of_census(&map, h.tree, NULL), UBI_OK);
    assert_int_equal(ubi_render_treemap_svg(refuse, NULL, map, NULL), UBI_EIO);
    assert_int_equal(ubi_render_treemap_json(refuse, NULL, map), UBI_EIO);
    assert_int_equal(ubi_render_treemap_svg(capture_take, capture_start(&written), map, &options), UBI_EINVAL);
    assert_string_equal(ubi_error_message(), "ubi_treemap_picture_options has version 4, expected 1");
    ubi_treemap_free(map);
    heap_fini(&h);
}

static ubi_status render_both(const ubi_treemap *map) {
    static const ubi__style style = { false, true, 80 };
    capture_start(&written);
    UBI_TRY(ubi_render_treemap_svg(capture_take, &written, map, NULL));
    return ubi__render_treemap_text(capture_start(&written), &style, map);
}

static void every_refused_allocation_leaves_nothing_behind(void **state) {
    (void)state;
    heap h = heap_of(CLASSES, BY_CLASS);
    for (uint64_t n = 0;; n++) {
        fail_allocator f;
        fail_allocator_init(&f, n);
        ubi_treemap_options o = UBI_TREEMAP_OPTIONS_INIT;
        ubi_treemap *map = NULL;
        o.allocator = &f.allocator;
        ubi__treemap_text_options(&o, &(ubi__style){ false, true, 80 });
        ubi_status status = ubi_treemap_of_census(&map, h.tree, &o);
        if (status == UBI_OK)
            status = render_both(map);
        assert_true(status == UBI_OK || status == UBI_ENOMEM);
        ubi_treemap_free(map);
        fail_allocator_fini(&f);
        if (status == UBI_OK)
            break;
    }
    heap_fini(&h);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(markup_and_what_xml_does_not_allow_are_escaped),
        cmocka_unit_test(numbers_are_as_short_as_they_can_be),
        cmocka_unit_test(hues_turn_into_the_colours_that_browsers_make_of_them),
        cmocka_unit_test(texts_are_as_wide_as_helvetica_is),
        cmocka_unit_test(a_text_is_cut_where_an_ellipsis_still_fits),
        cmocka_unit_test(colours_mean_coarse_types_where_these_are_shown),
        cmocka_unit_test(else_they_mean_branches_and_the_smallest_share_one),
        cmocka_unit_test(title_and_subtitle_are_the_callers_made_safe),
        cmocka_unit_test(firefoxs_colours_are_at_hand),
        cmocka_unit_test(a_heap_without_anything_is_a_picture_without_boxes),
        cmocka_unit_test(refused_writes_and_options_are_errors),
        cmocka_unit_test(every_refused_allocation_leaves_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
