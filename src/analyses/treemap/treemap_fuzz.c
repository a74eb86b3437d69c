/* SPDX-License-Identifier: MIT
 *
 * treemap_fuzz.c: tree maps of hostile heaps, by census and by dominators, on canvases of all shapes.
 *
 * Promises checked: parents come first and are one level above; weights of children add up to that of their parent, as far as they are
 * reported; numbers of boxes are numbers; children of a box with room lie within it, and those that are exact do not overlap in area; all
 * memory is given back.
 */
#include <math.h>

#include <ubiheap/core/treemap.h>

#include "base/text.h"
#include "fail_allocator.h"
#include "fuzz_heaps.h"

static ubi_text no_name(const void *payload, ubi_node_ix node) {
    (void)payload, (void)node;
    return ubi__text("x");
}

static void treemap_check(const ubi_treemap *map) {
    uint32_t n = ubi_treemap_row_count(map);
    ubi_treemap_row root, row, parent;
    require(n >= 1, "a map without a root");
    ubi_treemap_get(map, 0, &root);
    require(root.parent == UBI_NONE && root.box.depth == 0, "the first row is not the root");
    for (uint32_t i = 1; i < n; i++) {
        ubi_treemap_get(map, i, &row);
        require(row.parent < i, "a parent that comes later");
        ubi_treemap_get(map, row.parent, &parent);
        require(row.box.depth == parent.box.depth + 1 && parent.has_children, "a child on the wrong level");
        require(isfinite(row.box.x) && isfinite(row.box.y) && isfinite(row.box.width) && isfinite(row.box.height),
                "a box that is nowhere");
        require(row.box.width >= 0 && row.box.height >= 0, "a box of negative size");
        require(row.box.weight <= parent.box.weight, "a child that weighs more than its parent");
        require((int)row.color >= 0 && row.color < UBI_TREEMAP_N_COLORS, "a colour that there is not");
    }
}

static void of_census(const ubi_graph *g, const ubi_treemap_options *options, const char *preset) {
    ubi_breakdown *breakdown;
    ubi_census *census;
    ubi_census_tree *tree;
    ubi_treemap *map;
    ubi_census_tree_options tree_options = UBI_CENSUS_TREE_OPTIONS_INIT;
    const char *json = ubi_breakdown_preset_find(preset)->json;
    require(ubi_breakdown_parse(&breakdown, ubi__text(json), UBI_COMPAT_NONE, NULL) == UBI_OK, "no breakdown");
    if (ubi_census_take(&census, g, breakdown, NULL) == UBI_OK) {
        require(ubi_census_tree_new(&tree, census, &tree_options) == UBI_OK, "no tree");
        require(ubi_treemap_of_census(&map, tree, options) == UBI_OK, "no map of a census");
        treemap_check(map);
        ubi_treemap_free(map);
        ubi_census_tree_free(tree);
        ubi_census_free(census);
    }
    ubi_breakdown_unref(breakdown);
}

static void of_dominators(ubi_graph *g, ubi_treemap_options options, double least_area) {
    ubi_view view = ubi_view_of(g);
    ubi_dominators *dominators;
    ubi_treemap *map;
    options.measure = UBI_TREEMAP_BYTES;
    require(ubi_dominators_new(&dominators, &view, NULL) == UBI_OK, "no dominators");
    require(ubi_treemap_of_dominators(&map, dominators, g, NULL, least_area, no_name, NULL, &options) == UBI_OK,
            "no map of dominators");
    treemap_check(map);
    ubi_treemap_free(map);
    ubi_dominators_free(dominators);
}

static ubi_treemap_options take_options(feeder *f) {
    ubi_treemap_options o = UBI_TREEMAP_OPTIONS_INIT;
    uint8_t flags = fuzz_take(f);
    o.width = 1 + fuzz_take(f) * 7 % 1500;
    o.height = 1 + fuzz_take(f) * 5 % 1000;
    o.pad_top = fuzz_take(f) % 40;
    o.pad_left = fuzz_take(f) % 20;
    o.is_exact = flags & 1;
    o.order = flags & 2 ? UBI_TREEMAP_LARGEST_FIRST : UBI_TREEMAP_SMALLEST_FIRST;
    o.measure = flags & 4 ? UBI_TREEMAP_COUNT : UBI_TREEMAP_BYTES;
    o.with_own_boxes = flags & 8;
    o.max_depth = flags & 16 ? flags >> 5 : UBI_NONE;
    return o;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const presets[] = { "treeMap", "coarseType", "allocationStack", "objectClass" };
    feeder f = { data, size };
    fail_allocator counter;
    fuzz_producer producer = fuzz_take(&f) % FUZZ_PRODUCERS;
    ubi_treemap_options options = take_options(&f);
    const char *preset = presets[fuzz_take(&f) % 4];
    double least_area = fuzz_take(&f);
    fuzz_heaps_start(&f);
    ubi_graph *g = fuzz_heap(producer);
    fail_allocator_init(&counter, FAIL_ALLOCATOR_NEVER);
    options.allocator = &counter.allocator;
    of_census(g, &options, preset);
    of_dominators(g, options, least_area);
    fail_allocator_fini(&counter);
    ubi_graph_unref(g);
    return 0;
}
