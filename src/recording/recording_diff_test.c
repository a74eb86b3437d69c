/* SPDX-License-Identifier: MIT
 *
 * recording_diff_test.c: two recordings by the names of functions: addresses and lines that moved, copies of compilers, nameless functions
 * of the same and of other builds, inlined ones; sums, order, and the stacks of a place.
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
#include "recording/recording_diff.h"
#include "small_recording.h"

static const ubi__stack_measure leaked = { UBI__MEASURE_LEAKED, false };
static const double as_is[UBI__DIFF_SIDES] = { 1, 1 };

typedef struct looked_at {
    recording r;
    ubi__recording_summary summary;
    ubi__sites sites;
} looked_at;

static void look(looked_at *l) {
    close_recording(&l->r, &l->summary);
    must(ubi__sites_init(&l->sites, &l->summary, true, NULL));
    must(ubi__sites_sort(&l->sites, UBI__BY_LEAKED));
}

static void look_end(looked_at *l) {
    ubi__sites_fini(&l->sites);
    ubi__recording_summary_fini(&l->summary);
}

/* A function at an address of a module, with symbols or without. */
static uint32_t call(looked_at *l, uint32_t caller, const char *path, const char *build, uint64_t address,
                     const char *function, uint32_t line) {
    uint32_t module, frame, trace;
    const ubi__ubirec_module_about about = { .path = ubi__text(path),
                                             .build_id = (const uint8_t *)build,
                                             .build_id_bytes = strlen(build),
                                             .start = 0x10000,
                                             .end = 0x90000 };
    must(ubi__ubirec_module(l->r.w, &module, &about));
    must(ubi__ubirec_native_frame(l->r.w, &frame, module, address));
    const ubi__ubirec_symbol symbol = { .function = ubi__text(function), .file = ubi__text("a.c"), .line = line };
    if (function)
        must(ubi__ubirec_write_symbols(l->r.w, frame, &symbol, 1));
    must(ubi__ubirec_trace(l->r.w, &trace, caller, frame));
    return trace;
}

static void diff_make(ubi__recording_diff *d, const looked_at l[UBI__DIFF_SIDES], const double scale[UBI__DIFF_SIDES],
                      bool by_growth) {
    const ubi__stack_choice sides[] = { { .sites = &l[0].sites, .of_class = UBI__UBIREC_HEAP },
                                        { .sites = &l[1].sites, .of_class = UBI__UBIREC_HEAP } };
    must(ubi__recording_diff_init(d, sides, scale, leaked, ubi_allocator_default()));
    ubi__recording_diff_sort(d, by_growth);
}

/* "name old new (stack old new, ...); ..." with the callers of stacks behind "<". */
static void assert_diff(const ubi__recording_diff *d, const char *expected) {
    char text[4096] = "";
    for (size_t i = 0; i < d->places.n; i++) {
        const ubi__diff_place *place = &d->places.at[i];
        ubi_text name = ubi__diff_name(d, place->name);
        size_t n = strlen(text);
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%.*s %g %g (", i ? "; " : "", (int)name.len, name.ptr,
                              ubi__diff_place_value(d, place, 0), ubi__diff_place_value(d, place, 1));
        for (uint32_t k = 0; k < place->n_stacks; k++) {
            uint32_t node = d->stacks[place->first_stack + k];
            n += (size_t)snprintf(text + n, sizeof text - n, "%s%llu %llu", k ? ", " : "",
                                  (unsigned long long)d->nodes.at[node].self[0],
                                  (unsigned long long)d->nodes.at[node].self[1]);
            for (node = d->nodes.at[node].parent; node; node = d->nodes.at[node].parent) {
                ubi_text caller = ubi__diff_name(d, d->nodes.at[node].name);
                n += (size_t)snprintf(text + n, sizeof text - n, " < %.*s", (int)caller.len, caller.ptr);
            }
        }
        snprintf(text + n, sizeof text - n, ")");
    }
    assert_string_equal(text, expected);
}

static void begin(looked_at l[UBI__DIFF_SIDES]) {
    for (int i = 0; i < UBI__DIFF_SIDES; i++)
        open_recording(&l[i].r, 1, 1);
}

static void end(looked_at l[UBI__DIFF_SIDES], ubi__recording_diff *d) {
    ubi__recording_diff_fini(d);
    for (int i = 0; i < UBI__DIFF_SIDES; i++)
        look_end(&l[i]);
}

static void look_both(looked_at l[UBI__DIFF_SIDES]) {
    for (int i = 0; i < UBI__DIFF_SIDES; i++)
        look(&l[i]);
}

/* Another build: other addresses, lines, build-id; a copy of a function has an ending. */
static void rebuilt_programs_are_compared_by_names(void **state) {
    looked_at l[UBI__DIFF_SIDES];
    ubi__recording_diff d;
    (void)state;
    begin(l);
    for (int i = 0; i < 2; i++) {
        const char *build = i ? "bbbb" : "aaaa";
        uint64_t move = i ? 0x5000 : 0;
        uint32_t main = call(&l[i], UBI__UBIREC_NO_TRACE, i ? "/new/app" : "/old/app", build, 0x100 + move, "main", 9u);
        uint32_t parse = call(&l[i], main, i ? "/new/app" : "/old/app", build, 0x200 + move,
                              i ? "parse.part.0.isra.0" : "parse", i ? 40u : 30u);
        allocate(&l[i].r, l[i].r.heap, i ? 70 : 50, parse);
        uint32_t nameless = call(&l[i], main, i ? "/new/app" : "/old/app", build, 0x300 + move, NULL, 0);
        allocate(&l[i].r, l[i].r.heap, 8, nameless);
        uint32_t other = call(&l[i], main, "/lib/libx.so", "cccc", 0x300, NULL, 0);
        allocate(&l[i].r, l[i].r.heap, 4, other);
    }
    look_both(l);
    diff_make(&d, l, as_is, true);
    assert_diff(&d, "parse 50 70 (50 70 < main); (no name in app) 8 8 (8 8 < main); libx.so+0x300 4 4 (4 4 < main)");
    assert_int_not_equal(d.places.at[0].frame[0], UBI_NONE);
    assert_int_not_equal(d.places.at[0].frame[1], UBI_NONE);
    end(l, &d);
}

static void stacks_make(looked_at l[UBI__DIFF_SIDES]) {
    begin(l);
    allocate(&l[0].r, l[0].r.heap, 100, stack(&l[0].r, "main gone"));
    allocate(&l[0].r, l[0].r.heap, 10, stack(&l[0].r, "main a f"));
    allocate(&l[0].r, l[0].r.heap, 10, stack(&l[0].r, "main b f"));
    allocate(&l[0].r, l[0].r.heap, 3, UBI__UBIREC_NO_TRACE);
    allocate(&l[0].r, l[0].r.mapping, 4096, stack(&l[0].r, "main b f"));
    must(ubi__ubirec_write_free(l[0].r.w, allocate(&l[0].r, l[0].r.heap, 1000, stack(&l[0].r, "main b f"))));
    allocate(&l[1].r, l[1].r.heap, 40, stack(&l[1].r, "main b f"));
    allocate(&l[1].r, l[1].r.heap, 10, stack(&l[1].r, "main a f"));
    allocate(&l[1].r, l[1].r.heap, 5, stack(&l[1].r, "main came"));
    allocate(&l[1].r, l[1].r.heap, 5, UBI__UBIREC_NO_TRACE);
    look_both(l);
}

static void what_grew_most_is_first_with_the_stack_that_changed_most(void **state) {
    looked_at l[UBI__DIFF_SIDES];
    ubi__recording_diff d;
    (void)state;
    stacks_make(l);
    diff_make(&d, l, as_is, true);
    assert_diff(&d, "f 20 50 (10 40 < b < main, 10 10 < a < main); came 0 5 (0 5 < main); (no stack) 3 5 (3 5); "
                    "gone 100 0 (100 0 < main)");
    assert_true(d.places.at[0].by[0][UBI__MEASURE_TOTAL].bytes == 1020);
    assert_true(ubi__diff_place_has(&d, &d.places.at[1], UBI__DIFF_NEW));
    assert_false(ubi__diff_place_has(&d, &d.places.at[1], UBI__DIFF_OLD));
    ubi__recording_diff_sort(&d, false);
    assert_true(ubi__text_is(ubi__diff_name(&d, d.places.at[0].name), "gone"));
    end(l, &d);
}

static void numbers_are_scaled_before_they_are_compared(void **state) {
    const double scale[] = { 1, 0.25 };
    looked_at l[UBI__DIFF_SIDES];
    ubi__recording_diff d;
    (void)state;
    stacks_make(l);
    diff_make(&d, l, scale, true);
    assert_true(ubi__text_is(ubi__diff_name(&d, d.places.at[0].name), "came"));
    assert_true(ubi__diff_place_growth(&d, &d.places.at[0]) == 1.25);
    assert_true(ubi__diff_place_growth(&d, &d.places.at[2]) == 12.5 - 20);
    end(l, &d);
}

/* "outer" was inlined into main in one build, and not in the other. */
static void inlined_functions_are_functions(void **state) {
    const ubi__ubirec_symbol symbols[] = { { .function = ubi__text("outer"), .file = ubi__text("a.c"), .line = 3 },
                                           { .function = ubi__text("main"), .file = ubi__text("a.c"), .line = 9 } };
    looked_at l[UBI__DIFF_SIDES];
    ubi__recording_diff d;
    uint32_t frame, trace;
    (void)state;
    begin(l);
    allocate(&l[0].r, l[0].r.heap, 8, stack(&l[0].r, "main outer"));
    must(ubi__ubirec_raw_frame(l[1].r.w, &frame, 0x1000));
    must(ubi__ubirec_write_symbols(l[1].r.w, frame, symbols, 2));
    must(ubi__ubirec_trace(l[1].r.w, &trace, UBI__UBIREC_NO_TRACE, frame));
    allocate(&l[1].r, l[1].r.heap, 8, trace);
    look_both(l);
    diff_make(&d, l, as_is, true);
    assert_diff(&d, "outer 8 8 (8 8 < main)");
    end(l, &d);
}

static void copies_have_the_name_of_their_function(void **state) {
    static const char *const cases[][2] = { { "f", "f" },
                                            { "f.isra.0", "f" },
                                            { "f.part.0.constprop.12", "f" },
                                            { "f.cold", "f" },
                                            { "ns::f(int) [clone .isra.0]", "ns::f(int)" },
                                            { "f.llvm.123456", "f" },
                                            { ".cold", ".cold" },
                                            { "f.colder", "f.colder" },
                                            { "a.partial", "a.partial" },
                                            { "", "" } };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_true(ubi__text_equal(ubi__function_plain_name(ubi__text(cases[i][0])), ubi__text(cases[i][1])));
}

static void nothing_can_be_compared_with_nothing(void **state) {
    looked_at l[UBI__DIFF_SIDES];
    ubi__recording_diff d;
    (void)state;
    begin(l);
    look_both(l);
    diff_make(&d, l, as_is, true);
    assert_int_equal(d.places.n + d.n_stacks, 0);
    end(l, &d);
}

static ubi_status compare(void *payload, const ubi_allocator *allocator) {
    const looked_at *l = payload;
    const ubi__stack_choice sides[] = { { .sites = &l[0].sites, .of_class = UBI__UBIREC_HEAP },
                                        { .sites = &l[1].sites, .of_class = UBI__UBIREC_HEAP } };
    ubi__recording_diff d;
    UBI_TRY(ubi__recording_diff_init(&d, sides, as_is, leaked, allocator));
    ubi__recording_diff_fini(&d);
    return UBI_OK;
}

static void without_memory_nothing_is_left(void **state) {
    looked_at l[UBI__DIFF_SIDES];
    (void)state;
    stacks_make(l);
    assert_true(fail_each_allocation(compare, l) > 10);
    for (int i = 0; i < UBI__DIFF_SIDES; i++)
        look_end(&l[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rebuilt_programs_are_compared_by_names),
        cmocka_unit_test(what_grew_most_is_first_with_the_stack_that_changed_most),
        cmocka_unit_test(numbers_are_scaled_before_they_are_compared),
        cmocka_unit_test(inlined_functions_are_functions),
        cmocka_unit_test(copies_have_the_name_of_their_function),
        cmocka_unit_test(nothing_can_be_compared_with_nothing),
        cmocka_unit_test(without_memory_nothing_is_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
