/* SPDX-License-Identifier: MIT
 *
 * flame_tree_test.c: stacks as a tree of functions: sums, order, both directions, wrappers, inlined functions; and whole numbers of samples.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "fail_allocator.h"
#include "recording/flame_tree.h"
#include "small_recording.h"

static const ubi__stack_measure total = { UBI__MEASURE_TOTAL, false };

/* A node and what is below it: "name all/self (children)". */
static void node_spell(char *out, size_t size, const ubi__flame_tree *tree, ubi__flame_ix ix) {
    const ubi__flame_node *node = &tree->nodes.at[ix];
    ubi_text name = ubi__flame_name(tree, ix);
    snprintf(out + strlen(out), size - strlen(out), "%.*s %llu/%llu", (int)name.len, name.ptr,
             (unsigned long long)node->all, (unsigned long long)node->self);
    for (ubi__flame_ix child = node->first_child; child; child = tree->nodes.at[child].next_sibling) {
        strncat(out, child == node->first_child ? " (" : ", ", size - strlen(out) - 1);
        node_spell(out, size, tree, child);
    }
    if (node->first_child)
        strncat(out, ")", size - strlen(out) - 1);
}

typedef struct looked_at {
    recording r;
    ubi__recording_summary summary;
    ubi__sites sites;
} looked_at;

static void begin(looked_at *l, uint64_t period_bytes) {
    open_recording(&l->r, period_bytes, 1);
}

static void look(looked_at *l) {
    close_recording(&l->r, &l->summary);
    must(ubi__sites_init(&l->sites, &l->summary, true, NULL));
}

static void look_end(looked_at *l) {
    ubi__sites_fini(&l->sites);
    ubi__recording_summary_fini(&l->summary);
}

static void assert_tree(const looked_at *l, bool with_wrappers, bool is_inverted, ubi__stack_measure measure,
                        const char *expected) {
    const ubi__stack_choice choice = { .sites = &l->sites,
                                       .of_class = UBI__UBIREC_HEAP,
                                       .with_wrappers = with_wrappers };
    ubi__flame_tree tree;
    char text[1024] = "";
    must(ubi__flame_tree_init(&tree, &choice, measure, is_inverted, ubi_allocator_default()));
    node_spell(text, sizeof text, &tree, 0);
    assert_string_equal(text, expected);
    ubi__flame_tree_fini(&tree);
}

static void stacks_make(looked_at *l) {
    begin(l, 1);
    allocate(&l->r, l->r.heap, 10, stack(&l->r, "main parse"));
    allocate(&l->r, l->r.heap, 5, stack(&l->r, "main print"));
    allocate(&l->r, l->r.heap, 30, stack(&l->r, "main print format"));
    allocate(&l->r, l->r.heap, 2, stack(&l->r, "main"));
    allocate(&l->r, l->r.heap, 1, UBI__UBIREC_NO_TRACE);
    allocate(&l->r, l->r.mapping, 4096, stack(&l->r, "main print"));
    look(l);
}

static void sums_are_of_what_is_called_and_the_largest_is_first(void **state) {
    looked_at l;
    (void)state;
    stacks_make(&l);
    assert_tree(&l, false, false, total, "all 48/1 (main 47/2 (print 35/5 (format 30/30), parse 10/10))");
    assert_tree(
        &l, false, true, total,
        "all 48/1 (format 30/0 (print 30/0 (main 30/30)), parse 10/0 (main 10/10), print 5/0 (main 5/5), main 2/2)");
    assert_tree(&l, false, false, (ubi__stack_measure){ UBI__MEASURE_TOTAL, true },
                "all 5/1 (main 4/1 (print 2/1 (format 1/1), parse 1/1))");
    look_end(&l);
}

/* As functions of Node.js are that have none: what its map says of an address. */
static void code_made_at_run_time_has_its_position_for_a_name(void **state) {
    const ubi__ubirec_symbol place = { .function = ubi__text(""), .file = ubi__text("/srv/app.js"), .line = 3 };
    uint32_t frames[2], trace = UBI__UBIREC_NO_TRACE;
    looked_at l;
    (void)state;
    begin(&l, 1);
    for (size_t i = 0; i < 2; i++) {
        must(ubi__ubirec_raw_frame(l.r.w, &frames[i], 0x7f0000001000 + i * 16));
        must(ubi__ubirec_trace(l.r.w, &trace, trace, frames[i]));
    }
    must(ubi__ubirec_write_symbols(l.r.w, frames[1], &place, 1));
    allocate(&l.r, l.r.heap, 8, trace);
    look(&l);
    assert_tree(&l, true, false, total, "all 8/0 (0x7f0000001000 8/0 ((anonymous app.js:3) 8/8))");
    look_end(&l);
}

static void wrappers_are_left_out_unless_wanted(void **state) {
    looked_at l;
    (void)state;
    begin(&l, 1);
    static const char *const names[] = { "main", "xmalloc", "malloc" };
    for (size_t i = 0; i < 3; i++) {
        uint32_t frame;
        must(ubi__ubirec_label_frame(l.r.w, &frame, ubi__text(names[i])));
        const ubi__ubirec_symbol symbol = { .function = ubi__text(names[i]), .file = ubi__text("") };
        must(ubi__ubirec_write_symbols(l.r.w, frame, &symbol, 1));
    }
    allocate(&l.r, l.r.heap, 8, stack(&l.r, "main xmalloc malloc"));
    look(&l);
    assert_tree(&l, false, false, total, "all 8/0 (main 8/8)");
    assert_tree(&l, true, false, total, "all 8/0 (main 8/0 (xmalloc 8/0 (malloc 8/8)))");
    look_end(&l);
}

static void inlined_functions_are_functions(void **state) {
    const ubi__ubirec_symbol symbols[] = { { .function = ubi__text("operator new(unsigned long)"),
                                             .file = ubi__text("") },
                                           { .function = ubi__text("inner"), .file = ubi__text("a.c"), .line = 3 },
                                           { .function = ubi__text("outer"), .file = ubi__text("a.c"), .line = 9 } };
    looked_at l;
    uint32_t frame, trace, called;
    (void)state;
    begin(&l, 1);
    must(ubi__ubirec_raw_frame(l.r.w, &frame, 0x1000));
    must(ubi__ubirec_write_symbols(l.r.w, frame, symbols, 3));
    must(ubi__ubirec_trace(l.r.w, &trace, UBI__UBIREC_NO_TRACE, frame));
    allocate(&l.r, l.r.heap, 8, trace);
    must(ubi__ubirec_raw_frame(l.r.w, &frame, 0x2000));
    must(ubi__ubirec_trace(l.r.w, &called, trace, frame));
    allocate(&l.r, l.r.heap, 3, called);
    look(&l);
    assert_tree(&l, false, false, total,
                "all 11/0 (outer 11/0 (inner 11/8 (operator new(unsigned long) 3/0 (0x2000 3/3))))");
    look_end(&l);
}

/* A sample stands for 3.86 allocations. */
static void parts_of_counts_make_up_the_whole(void **state) {
    looked_at l;
    ubi__whole_parts parts = { 0 };
    uint64_t sum = 0;
    (void)state;
    begin(&l, 1000);
    for (unsigned i = 0; i < 50; i++) {
        uint32_t info;
        uint64_t number;
        char label[8];
        snprintf(label, sizeof label, "f%u", i);
        must(ubi__ubirec_info(l.r.w, &info, l.r.heap, 300, stack(&l.r, label), 1157));
        must(ubi__ubirec_write_alloc(l.r.w, &number, info));
    }
    look(&l);
    const ubi__stack_choice choice = { .sites = &l.sites, .of_class = UBI__UBIREC_HEAP, .with_wrappers = false };
    for (uint32_t i = 0; i < 50; i++)
        sum += ubi__stack_value(&choice, (ubi__stack_measure){ UBI__MEASURE_TOTAL, true }, i, &parts);
    assert_int_equal(sum,
                     (uint64_t)(ubi__class_estimate(&l.summary, UBI__UBIREC_HEAP, UBI__MEASURE_TOTAL).count + 0.5));
    look_end(&l);
}

static void what_formats_cannot_say_is_the_most_that_they_can(void **state) {
    looked_at l;
    ubi__whole_parts parts = { 0 };
    (void)state;
    begin(&l, 1);
    uint32_t trace = stack(&l.r, "main");
    for (unsigned i = 0; i < 200; i++)
        allocate(&l.r, l.r.mapping, UBI__UBIREC_SIZE_MAX, trace);
    look(&l);
    const ubi__stack_choice choice = { .sites = &l.sites, .of_class = UBI__UBIREC_MAPPING, .with_wrappers = false };
    assert_true(ubi__stack_value(&choice, total, 0, &parts) == INT64_MAX);
    look_end(&l);
}

typedef struct job {
    const ubi__stack_choice *choice;
    bool is_inverted;
} job;

static ubi_status tree_make(void *payload, const ubi_allocator *allocator) {
    const job *j = payload;
    ubi__flame_tree tree;
    UBI_TRY(ubi__flame_tree_init(&tree, j->choice, total, j->is_inverted, allocator));
    ubi__flame_tree_fini(&tree);
    return UBI_OK;
}

static void without_memory_nothing_is_left(void **state) {
    looked_at l;
    (void)state;
    stacks_make(&l);
    const ubi__stack_choice choice = { .sites = &l.sites, .of_class = UBI__UBIREC_HEAP, .with_wrappers = false };
    for (int i = 0; i < 2; i++) {
        job j = { &choice, i == 1 };
        assert_true(fail_each_allocation(tree_make, &j) > 5);
    }
    look_end(&l);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_of_what_is_called_and_the_largest_is_first),
        cmocka_unit_test(code_made_at_run_time_has_its_position_for_a_name),
        cmocka_unit_test(wrappers_are_left_out_unless_wanted),
        cmocka_unit_test(inlined_functions_are_functions),
        cmocka_unit_test(parts_of_counts_make_up_the_whole),
        cmocka_unit_test(what_formats_cannot_say_is_the_most_that_they_can),
        cmocka_unit_test(without_memory_nothing_is_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
