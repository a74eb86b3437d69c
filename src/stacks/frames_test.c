/* SPDX-License-Identifier: MIT
 *
 * frames_test.c: the frame table, lookup by id, and canonical frames.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "fail_allocator.h"
#include "stacks/frames.h"

typedef struct tables {
    ubi__strtab strings;
    ubi__frames frames;
} tables;

static int set_up(void **state) {
    tables *t = malloc(sizeof *t);
    ubi__strtab_init(&t->strings, ubi_allocator_default());
    ubi__frames_init(&t->frames, ubi_allocator_default());
    *state = t;
    return 0;
}

static int tear_down(void **state) {
    tables *t = *state;
    ubi__frames_fini(&t->frames);
    ubi__strtab_fini(&t->strings);
    free(t);
    return 0;
}

/* Every mention of a text is an entry of its own, as in a file. */
static ubi_str_ix string(tables *t, const char *s) {
    ubi_str_ix ix = UBI_NONE;
    if (s)
        assert_int_equal(ubi__strtab_append(&t->strings, &ix, ubi__text(s)), UBI_OK);
    return ix;
}

static ubi__frame_row row(tables *t, const char *function, ubi_frame_ix parent) {
    static uint64_t next_id = 100;
    return (ubi__frame_row){ .id = next_id++,
                             .parent = parent,
                             .source = string(t, "a.js"),
                             .function_name = string(t, function),
                             .line = 10,
                             .column = 2 };
}

static ubi_frame_ix add(tables *t, ubi__frame_row r) {
    ubi_frame_ix ix;
    assert_int_equal(ubi__frames_append(&t->frames, &ix, &r), UBI_OK);
    return ix;
}

static ubi_frame_ix canonical(const tables *t, ubi_frame_ix ix) {
    return t->frames.canonical.at[ix];
}

static void canonicalize(tables *t) {
    assert_int_equal(ubi__strtab_canonicalize(&t->strings, NULL), UBI_OK);
    assert_int_equal(ubi__frames_canonicalize(&t->frames, &t->strings), UBI_OK);
    assert_int_equal(t->frames.canonical.n, t->frames.rows.n);
}

/* Conformance cases 3 and 4 of the heap graph's specification. */
static void a_frame_is_given_back_as_it_was_added(void **state) {
    tables *t = *state;
    ubi__frame_row r = { .id = UINT64_C(1) << 42,
                         .parent = UBI_NONE,
                         .source = string(t, "my-javascript-file.js"),
                         .function_name = string(t, "myFunctionName"),
                         .line = 1337,
                         .column = 9 };
    ubi_frame f;
    ubi__frames_get(&t->frames, &t->strings, add(t, r), &f);
    assert_int_equal(f.id, UINT64_C(1) << 42);
    assert_true(ubi__text_is(f.source, "my-javascript-file.js"));
    assert_true(ubi__text_is(f.function_name, "myFunctionName"));
    assert_int_equal(f.line, 1337);
    assert_int_equal(f.column, 9);
    assert_false(f.is_system);
    assert_false(f.is_self_hosted);

    r.function_name = UBI_NONE;
    r.is_system = true;
    ubi__frames_get(&t->frames, &t->strings, add(t, r), &f);
    assert_null(f.function_name.ptr);
    assert_true(f.is_system && !f.is_self_hosted);
    r.function_name = string(t, "");
    r.is_system = false;
    r.is_self_hosted = true;
    ubi__frames_get(&t->frames, &t->strings, add(t, r), &f);
    assert_true(ubi__text_is(f.function_name, "")); /* an empty name is a name */
    assert_true(!f.is_system && f.is_self_hosted);
    assert_int_equal(ubi__frames_count(&t->frames), 3);
}

static void frames_are_found_by_id_while_building(void **state) {
    tables *t = *state;
    assert_int_equal(ubi__frames_find(&t->frames, 5), UBI_NONE);
    for (uint64_t i = 0; i < 10000; i++) {
        ubi__frame_row r = row(t, NULL, UBI_NONE);
        r.id = i << 20 | 7;
        assert_int_equal(add(t, r), i);
    }
    for (uint64_t i = 0; i < 10000; i++) {
        assert_int_equal(ubi__frames_find(&t->frames, i << 20 | 7), i);
        assert_int_equal(ubi__frames_find(&t->frames, i << 20 | 8), UBI_NONE);
    }
}

static void of_two_frames_with_one_id_the_first_is_found(void **state) {
    tables *t = *state;
    ubi__frame_row r = row(t, "f", UBI_NONE);
    add(t, r);
    add(t, r);
    assert_int_equal(ubi__frames_find(&t->frames, r.id), 0);
    for (int i = 0; i < 200; i++) /* the lookup table grows */
        add(t, row(t, "g", UBI_NONE));
    assert_int_equal(ubi__frames_find(&t->frames, r.id), 0);
}

static void frames_of_equal_content_have_one_canonical_frame(void **state) {
    tables *t = *state;
    ubi_frame_ix main_1 = add(t, row(t, "main", UBI_NONE)), f_1 = add(t, row(t, "f", main_1));
    ubi_frame_ix main_2 = add(t, row(t, "main", UBI_NONE)), f_2 = add(t, row(t, "f", main_2));
    ubi_frame_ix f_3 = add(t, row(t, "f", main_1)), top = add(t, row(t, "f", UBI_NONE));
    canonicalize(t);
    assert_int_equal(canonical(t, main_1), main_1);
    assert_int_equal(canonical(t, main_2), main_1);
    assert_int_equal(canonical(t, f_1), f_1);
    assert_int_equal(canonical(t, f_2), f_1); /* through the canonical parent */
    assert_int_equal(canonical(t, f_3), f_1);
    assert_int_equal(canonical(t, top), top);
}

static void any_difference_in_content_keeps_frames_apart(void **state) {
    tables *t = *state;
    ubi_frame_ix parent = add(t, row(t, "main", UBI_NONE));
    ubi__frame_row variants[7];
    for (size_t i = 0; i < 7; i++)
        variants[i] = row(t, "f", UBI_NONE);
    variants[1].source = string(t, "b.js");
    variants[2].function_name = string(t, "g");
    variants[3].line++;
    variants[4].column++;
    variants[5].is_system = true;
    variants[6].parent = parent;
    ubi_frame_ix ix[7], nameless, empty;
    for (size_t i = 0; i < 7; i++)
        ix[i] = add(t, variants[i]);
    nameless = add(t, row(t, NULL, UBI_NONE));
    empty = add(t, row(t, "", UBI_NONE));
    canonicalize(t);
    for (size_t i = 0; i < 7; i++)
        assert_int_equal(canonical(t, ix[i]), ix[i]);
    assert_int_equal(canonical(t, nameless), nameless);
    assert_int_equal(canonical(t, empty), empty);
}

static void id_and_self_hosting_are_not_content(void **state) {
    tables *t = *state;
    ubi__frame_row r = row(t, "f", UBI_NONE);
    ubi_frame_ix first = add(t, r);
    r.id = 1;
    ubi_frame_ix second = add(t, r);
    r.is_self_hosted = true;
    ubi_frame_ix third = add(t, r);
    canonicalize(t);
    assert_int_equal(canonical(t, second), first);
    assert_int_equal(canonical(t, third), first);
}

static void long_equal_chains_collapse_to_the_first(void **state) {
    tables *t = *state;
    enum { DEPTH = 3000 };
    for (int chain = 0; chain < 3; chain++) {
        ubi_frame_ix parent = UBI_NONE;
        for (uint32_t i = 0; i < DEPTH; i++) {
            ubi__frame_row r = row(t, "f", parent);
            r.line = i % 10;
            parent = add(t, r);
        }
    }
    canonicalize(t);
    for (ubi_frame_ix i = 0; i < 3 * DEPTH; i++)
        assert_int_equal(canonical(t, i), i % DEPTH);
}

static void trimming_drops_the_lookup_and_keeps_the_frames(void **state) {
    tables *t = *state;
    ubi_frame_ix ix = add(t, row(t, "f", UBI_NONE));
    canonicalize(t);
    ubi__frames_trim(&t->frames);
    assert_null(t->frames.by_id.slots);
    assert_int_equal(t->frames.rows.cap, 1);
    assert_int_equal(canonical(t, ix), ix);
    assert_int_equal(ubi__frames_find(&t->frames, 100), UBI_NONE);
}

static ubi_status build(void *strings, const ubi_allocator *a) {
    ubi__frames f;
    ubi_frame_ix ix = UBI_NONE;
    ubi_status status = UBI_OK;
    ubi__frames_init(&f, a);
    for (uint32_t i = 0; i < 100 && status == UBI_OK; i++) {
        ubi__frame_row r = { .id = i, .parent = ix, .source = 0, .function_name = UBI_NONE };
        status = ubi__frames_append(&f, &ix, &r);
    }
    if (status == UBI_OK)
        status = ubi__frames_canonicalize(&f, strings);
    ubi__frames_fini(&f);
    return status;
}

static void every_refused_allocation_is_out_of_memory_without_a_leak(void **state) {
    tables *t = *state;
    string(t, "a.js");
    assert_int_equal(ubi__strtab_canonicalize(&t->strings, NULL), UBI_OK);
    fail_each_allocation(build, &t->strings);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_frame_is_given_back_as_it_was_added),
        TEST(frames_are_found_by_id_while_building),
        TEST(of_two_frames_with_one_id_the_first_is_found),
        TEST(frames_of_equal_content_have_one_canonical_frame),
        TEST(any_difference_in_content_keeps_frames_apart),
        TEST(id_and_self_hosting_are_not_content),
        TEST(long_equal_chains_collapse_to_the_first),
        TEST(trimming_drops_the_lookup_and_keeps_the_frames),
        TEST(every_refused_allocation_is_out_of_memory_without_a_leak),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
