/* SPDX-License-Identifier: MIT
 *
 * Tests of labels of single nodes. L1 to L5 are the specification's cases.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <ubiheap/core/labels.h>

#include "base/text.h"
#include "census_text.h"
#include "drawing.h"
#include "fail_allocator.h"

#define COUNT "{\"by\":\"count\",\"count\":true,\"bytes\":true}"
#define BY(kind) "{\"by\":\"" kind "\",\"then\":" COUNT ",\"other\":" COUNT ",\"noFilename\":" COUNT "}"
#define STACK_OF(then) "{\"by\":\"allocationStack\",\"then\":" then ",\"noStack\":" then "}"
#define COARSE(objects, scripts)                                                                                       \
    "{\"by\":\"coarseType\",\"objects\":" objects ",\"scripts\":" scripts ",\"strings\":" COUNT ",\"other\":" COUNT    \
    ",\"domNode\":" COUNT "}"

/* "objects/Array 512", "- 0" for a label that is not there; a stack is "<function@line>". */
static const char *label_text(const ubi_label *label, uint64_t size_bytes) {
    static char out[512];
    size_t n = 0;
    for (uint32_t i = 0; i < label->n_parts; i++) {
        ubi_text text = label->parts[i].text;
        ubi_frame frame;
        n += (size_t)snprintf(out + n, sizeof out - n, "%s", i ? "/" : "");
        if (!label->parts[i].is_stack) {
            n += (size_t)snprintf(out + n, sizeof out - n, "%.*s", (int)text.len, text.ptr);
            continue;
        }
        ubi_stack_frame(label->parts[i].stack, &frame);
        n += (size_t)snprintf(out + n, sizeof out - n, "<%.*s@%u>", (int)frame.function_name.len,
                              frame.function_name.ptr, frame.line);
    }
    snprintf(out + n, sizeof out - n, "%s%llu", label->is_defined ? (label->n_parts ? " " : "[] ") : "- ",
             label->is_sized ? (unsigned long long)size_bytes : 0ull);
    return out;
}

static ubi_labels *make_labels(const ubi_graph *graph, const char *json, ubi_compat compat) {
    ubi_labels_options options = UBI_LABELS_OPTIONS_INIT;
    ubi_breakdown *breakdown = json ? must_parse_breakdown(json, compat) : NULL;
    ubi_labels *labels;
    options.compat = compat;
    assert_int_equal(ubi_labels_new(&labels, graph, breakdown, &options), UBI_OK);
    ubi_breakdown_unref(breakdown);
    return labels;
}

/* The label of the drawing's first node. */
static void assert_label(const char *heap, const char *json, ubi_compat compat, const char *expected) {
    ubi_graph *graph = graph_from_drawing(heap);
    ubi_labels *labels = make_labels(graph, json, compat);
    const ubi_label *label;
    assert_int_equal(ubi_labels_get(&label, labels, 0), UBI_OK);
    assert_string_equal(label_text(label, ubi_graph_node_size_bytes(graph, 0)), expected);
    ubi_labels_unref(labels);
    ubi_graph_unref(graph);
}

static void assert_labels(const char *heap, const char *json, const char *expected) {
    assert_label(heap, json, UBI_COMPAT_NONE, expected);
    assert_label(heap, json, UBI_COMPAT_FIREFOX, expected);
}

#define ARRAY "1(coarse=object type=JSObject class=Array size=512)"
#define SCRIPT "1(coarse=script type=js::BaseScript file=a.js size=7)"

static void a_label_is_the_way_to_the_count(void **state) {
    (void)state;
    assert_labels("1(type=JSObject size=10)", BY("internalType"), "JSObject 10"); /* L1 */
    assert_labels(ARRAY, COARSE(BY("objectClass"), COUNT), "objects/Array 512");  /* L2 */
    assert_labels("1(size=9)", COUNT, "[] 9");                                    /* L3 */
    assert_labels(SCRIPT, COARSE(COUNT, "{\"by\":\"internalType\",\"then\":" BY("filename") "}"),
                  "scripts/js::BaseScript/a.js 7"); /* L5 */
}

static void a_breakdown_without_counts_gives_no_label(void **state) {
    (void)state;
    assert_labels("1(size=9)", "{\"by\":\"bucket\"}", "- 0"); /* L4 */
}

static void the_default_is_the_label_of_the_memory_panel(void **state) {
    (void)state;
    assert_labels(SCRIPT, NULL, "scripts/js::BaseScript/a.js 7");
    assert_labels("1(coarse=script type=T)", NULL, "scripts/T/noFilename 1");
    assert_labels("1(coarse=dom desc=div class=HTMLDivElement type=X)", NULL, "domNode/div 1");
    assert_labels("1(coarse=object type=JSObject)", NULL, "objects/other 1");
}

static void stacks_are_parts(void **state) {
    (void)state;
    assert_labels("1(coarse=object class=A stack=f@a.js:5:2<g@a.js:1:2)", STACK_OF(BY("objectClass")), "<f@5>/A 1");
    assert_labels("1(coarse=object class=A)", STACK_OF(BY("objectClass")), "noStack/A 1");
}

static void empty_texts_are_left_out(void **state) {
    (void)state;
    ubi_graph_builder *builder;
    ubi_str_ix empty, type;
    ubi_graph *graph;
    assert_int_equal(ubi_graph_builder_new(&builder, NULL), UBI_OK);
    assert_int_equal(ubi_graph_builder_string(builder, &empty, ubi__text("")), UBI_OK);
    assert_int_equal(ubi_graph_builder_string(builder, &type, ubi__text("T")), UBI_OK);
    ubi_node_desc node = { 1,
                           5,
                           { .type_name = type,
                             .class_name = empty,
                             .script_filename = UBI_NONE,
                             .descriptive_name = UBI_NONE,
                             .coarse_type = UBI_COARSE_OBJECT },
                           UBI_NONE };
    assert_int_equal(ubi_graph_builder_node(builder, &node), UBI_OK);
    assert_int_equal(ubi_graph_builder_finish(&graph, builder), UBI_OK);
    ubi_labels *labels =
        make_labels(graph, "{\"by\":\"objectClass\",\"then\":" BY("internalType") "}", UBI_COMPAT_NONE);
    const ubi_label *label;
    assert_int_equal(ubi_labels_get(&label, labels, 0), UBI_OK);
    assert_string_equal(label_text(label, 5), "T 5");
    ubi_labels_unref(labels);
    ubi_graph_unref(graph);
    ubi_graph_builder_free(builder);
}

#define UNCOUNTED "{\"by\":\"count\",\"count\":false,\"bytes\":true}"

static void without_counts_every_leaf_matches_in_firefox(void **state) {
    (void)state;
    const char *json = COARSE(UNCOUNTED, UNCOUNTED);
    assert_label(ARRAY, json, UBI_COMPAT_NONE, "objects 512");
    assert_label(ARRAY, json, UBI_COMPAT_FIREFOX, "- 0"); /* objects, then scripts, which is empty */
    assert_label(ARRAY, UNCOUNTED, UBI_COMPAT_FIREFOX, "[] 512");
}

static void an_array_gives_the_label_of_its_first_member(void **state) {
    (void)state;
    assert_label(ARRAY, "[" BY("objectClass") "," BY("internalType") "]", UBI_COMPAT_NONE, "Array 512");
}

static void a_node_without_descriptive_name_is_called_by_its_type(void **state) {
    (void)state;
    ubi_graph *graph = graph_from_drawing("1(type=JSObject size=3)");
    ubi_labels *labels = make_labels(graph, BY("descriptiveType"), UBI_COMPAT_FIREFOX);
    const ubi_label *label = NULL;
    assert_int_equal(ubi_labels_get(&label, labels, 0), UBI_EINVAL);
    assert_null(label);
    ubi_labels_unref(labels);
    ubi_graph_unref(graph);
    assert_label("1(type=JSObject size=3)", BY("descriptiveType"), UBI_COMPAT_NONE, "JSObject 3");
}

/* Three nodes of one kind; the last two have their own stacks. */
static ubi_graph *graph_of_one_kind(void) {
    ubi_graph_builder *builder;
    ubi_str_ix text;
    ubi_frame_ix frame;
    ubi_graph *graph;
    assert_int_equal(ubi_graph_builder_new(&builder, NULL), UBI_OK);
    assert_int_equal(ubi_graph_builder_string(builder, &text, ubi__text("T")), UBI_OK);
    for (uint64_t id = 1; id <= 3; id++) {
        ubi_frame_desc frame_desc = { id, UBI_NONE, text, text, 1, 1, false, false };
        assert_int_equal(ubi_graph_builder_frame(builder, &frame, &frame_desc), UBI_OK);
        ubi_kind kind = { .type_name = text,
                          .class_name = text,
                          .script_filename = UBI_NONE,
                          .descriptive_name = UBI_NONE,
                          .coarse_type = UBI_COARSE_OBJECT };
        ubi_node_desc node = { id, id, kind, id == 1 ? UBI_NONE : frame };
        assert_int_equal(ubi_graph_builder_node(builder, &node), UBI_OK);
    }
    assert_int_equal(ubi_graph_builder_finish(&graph, builder), UBI_OK);
    ubi_graph_builder_free(builder);
    return graph;
}

static void get_three(const ubi_label *of[3], ubi_labels *labels) {
    for (ubi_node_ix node = 0; node < 3; node++)
        assert_int_equal(ubi_labels_get(&of[node], labels, node), UBI_OK);
}

static void nodes_of_one_kind_and_stack_share_a_label(void **state) {
    (void)state;
    ubi_graph *graph = graph_of_one_kind();
    const ubi_label *of[3], *again[3];
    ubi_labels *labels = make_labels(graph, BY("objectClass"), UBI_COMPAT_NONE);
    get_three(of, labels);
    assert_ptr_equal(of[0], of[1]); /* stacks are not asked for */
    assert_ptr_equal(of[1], of[2]);
    assert_ptr_equal(ubi_labels_graph(labels), graph);
    ubi_labels_unref(labels);
    labels = make_labels(graph, STACK_OF(BY("objectClass")), UBI_COMPAT_NONE);
    get_three(of, labels);
    get_three(again, labels);
    assert_ptr_not_equal(of[0], of[1]);
    assert_ptr_not_equal(of[1], of[2]);
    assert_memory_equal(of, again, sizeof of);
    ubi_labels_unref(labels);
    ubi_graph_unref(graph);
}

static void options_of_another_version_are_refused(void **state) {
    (void)state;
    ubi_graph *graph = graph_from_drawing("1");
    ubi_labels_options options = { .version = 7 };
    ubi_labels *labels = NULL;
    assert_int_equal(ubi_labels_new(&labels, graph, NULL, &options), UBI_EINVAL);
    assert_null(labels);
    ubi_graph_unref(graph);
}

static void sizes_may_be_those_of_a_lens(void **state) {
    (void)state;
    ubi_graph *graph = graph_from_drawing("r(size=1) -> a; a(size=10)");
    static const uint64_t sizes[] = { 5, 6 };
    ubi_labels_options options = UBI_LABELS_OPTIONS_INIT;
    ubi_labels *labels;
    assert_int_equal(ubi_labels_new(&labels, graph, NULL, &options), UBI_OK);
    assert_int_equal(ubi_labels_size_bytes(labels, 1), 10);
    ubi_labels_unref(labels);
    options.size_bytes = sizes;
    assert_int_equal(ubi_labels_new(&labels, graph, NULL, &options), UBI_OK);
    assert_int_equal(ubi_labels_size_bytes(labels, 1), 6);
    ubi_labels_unref(labels);
    ubi_graph_unref(graph);
}

static ubi_status label_all(const ubi_graph *graph, const ubi_breakdown *breakdown, const ubi_allocator *allocator) {
    ubi_labels_options options = { UBI_LABELS_OPTIONS_VERSION, allocator, UBI_COMPAT_NONE, NULL };
    ubi_labels *labels;
    ubi_status status = ubi_labels_new(&labels, graph, breakdown, &options);
    if (status != UBI_OK)
        return status;
    for (ubi_node_ix node = 0; status == UBI_OK && node < ubi_graph_node_count(graph); node++) {
        const ubi_label *label;
        status = ubi_labels_get(&label, labels, node);
    }
    ubi_labels_unref(labels);
    return status;
}

static void every_failed_allocation_is_survived(void **state) {
    (void)state;
    ubi_graph *graph =
        graph_from_drawing("1 -> 2, 3; 2(class=A coarse=object stack=f@a.js:1:1); 3(coarse=script file=x)");
    ubi_breakdown *breakdown = must_parse_breakdown(STACK_OF(BY("objectClass")), UBI_COMPAT_NONE);
    const ubi_breakdown *breakdowns[] = { breakdown, NULL };
    for (size_t b = 0; b < 2; b++) {
        for (uint64_t n = 0;; n++) {
            fail_allocator f;
            fail_allocator_init(&f, n);
            ubi_status status = label_all(graph, breakdowns[b], &f.allocator);
            assert_true(status == UBI_OK || status == UBI_ENOMEM);
            fail_allocator_fini(&f);
            if (status == UBI_OK)
                break;
        }
    }
    ubi_breakdown_unref(breakdown);
    ubi_graph_unref(graph);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_may_be_those_of_a_lens),
        cmocka_unit_test(a_label_is_the_way_to_the_count),
        cmocka_unit_test(a_breakdown_without_counts_gives_no_label),
        cmocka_unit_test(the_default_is_the_label_of_the_memory_panel),
        cmocka_unit_test(stacks_are_parts),
        cmocka_unit_test(empty_texts_are_left_out),
        cmocka_unit_test(without_counts_every_leaf_matches_in_firefox),
        cmocka_unit_test(an_array_gives_the_label_of_its_first_member),
        cmocka_unit_test(a_node_without_descriptive_name_is_called_by_its_type),
        cmocka_unit_test(nodes_of_one_kind_and_stack_share_a_label),
        cmocka_unit_test(options_of_another_version_are_refused),
        cmocka_unit_test(every_failed_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
