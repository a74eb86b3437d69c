/* SPDX-License-Identifier: MIT
 *
 * diff_fuzz.c: differences of two hostile heaps, by class and by random breakdowns.
 *
 * Promises checked: of a class and of all, what was there, less what went, and what came is what is there; the rows add up to the total;
 * the difference of a census to itself is nothing; trees of differences are made; all memory is given back.
 */
#include <ubiheap/core/diff.h>

#include "base/text.h"
#include "fail_allocator.h"
#include "fuzz_heaps.h"
#include "name_scheme.h"

static void add(ubi_tally *sum, ubi_tally more) {
    sum->count += more.count;
    sum->bytes += more.bytes;
}

static bool same(ubi_tally a, ubi_tally b) {
    return a.count == b.count && a.bytes == b.bytes;
}

static void by_class(const ubi_graph *start, const ubi_graph *end, const ubi_allocator *a, ubi_class_order order) {
    ubi_class_scheme before = name_scheme(start), after = name_scheme(end);
    ubi_class_diff_options options = UBI_CLASS_DIFF_OPTIONS_INIT;
    ubi_class_diff *diff;
    ubi_class_change sum = { .start = { 0, 0 } };
    options.allocator = a;
    options.order = order;
    require(ubi_class_diff_new(&diff, &before, &after, &options) == UBI_OK, "no difference");
    for (uint32_t i = 0; i < ubi_class_diff_count(diff); i++) {
        const ubi_class_change *row = ubi_class_diff_row(diff, i);
        require(row->end.count == row->start.count + row->created.count - row->deleted.count,
                "a class that does not add up");
        require(row->created.count <= row->end.count && row->deleted.count <= row->start.count,
                "more came than is there");
        add(&sum.start, row->start);
        add(&sum.end, row->end);
        add(&sum.created, row->created);
        add(&sum.deleted, row->deleted);
    }
    const ubi_class_change *total = ubi_class_diff_total(diff);
    require(same(sum.start, total->start) && same(sum.end, total->end), "the total is not the sum of the rows");
    require(same(sum.created, total->created) && same(sum.deleted, total->deleted),
            "the total is not the sum of the rows");
    ubi_class_diff_free(diff);
}

static ubi_census *count(const ubi_graph *g, const ubi_breakdown *breakdown) {
    ubi_census *census = NULL;
    ubi_status status = ubi_census_take(&census, g, breakdown, NULL);
    return status == UBI_OK ? census : NULL;
}

static void lay_out(const ubi_census_diff *diff, bool invert) {
    ubi_census_tree_options options = UBI_CENSUS_TREE_OPTIONS_INIT;
    ubi_census_tree *tree;
    options.is_inverted = invert;
    if (ubi_census_diff_tree_new(&tree, diff, &options) == UBI_OK)
        ubi_census_tree_free(tree);
    else
        require(ubi_error_message()[0] && !strchr(ubi_error_message(), '\n'), "message is not one line");
}

static void subtract(const ubi_census *before, const ubi_census *after, bool invert) {
    ubi_census_diff *diff;
    if (ubi_census_diff_new(&diff, before, after) != UBI_OK) {
        require(ubi_error_message()[0] && !strchr(ubi_error_message(), '\n'), "message is not one line");
        return;
    }
    ubi_delta_count leaf;
    const ubi_delta *delta = ubi_census_diff_delta(diff);
    if (before == after && ubi_delta_shape_of(delta) == UBI_REPORT_COUNT) {
        ubi_delta_get_count(delta, &leaf);
        require(leaf.count == 0 && leaf.bytes == 0, "a census differs from itself");
    }
    lay_out(diff, invert);
    ubi_census_diff_free(diff);
}

static void by_breakdown(const ubi_graph *start, const ubi_graph *end, bool invert) {
    char *json = random_breakdown_json(random_breakdown_new(3, true));
    ubi_breakdown *breakdown;
    if (ubi_breakdown_parse(&breakdown, ubi__text(json), UBI_COMPAT_NONE, NULL) == UBI_OK) {
        ubi_census *before = count(start, breakdown), *after = count(end, breakdown);
        if (before && after) {
            subtract(before, after, invert);
            subtract(before, before, invert);
        }
        ubi_census_free(before);
        ubi_census_free(after);
        ubi_breakdown_unref(breakdown);
    }
    free(json);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    feeder f = { data, size };
    fail_allocator counter;
    fuzz_producer producer = fuzz_take(&f) % FUZZ_PRODUCERS;
    uint8_t flags = fuzz_take(&f);
    fuzz_heaps_start(&f);
    ubi_graph *start = fuzz_heap(producer), *end = fuzz_heap(producer);
    fail_allocator_init(&counter, FAIL_ALLOCATOR_NEVER);
    by_class(start, end, &counter.allocator, flags % 3);
    fail_allocator_fini(&counter);
    by_breakdown(start, end, flags & 64);
    ubi_graph_unref(start);
    ubi_graph_unref(end);
    return 0;
}
