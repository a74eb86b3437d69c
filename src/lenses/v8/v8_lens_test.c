/* SPDX-License-Identifier: MIT
 *
 * Tests of V8's lens on graphs that are built to hurt, most of which take hours if anything is done for each pair of things.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lenses/v8/v8_look.h"

#define MANY 200000

/* ---- building ---------------------------------------------------------------------------------------------------- */

static ubi_graph_builder *builder;
static ubi_str_ix nothing;

static ubi_str_ix string(const char *text) {
    ubi_str_ix out;
    assert_int_equal(ubi_graph_builder_string(builder, &out, ubi__text(text)), UBI_OK);
    return out;
}

static void begin(void) {
    assert_int_equal(ubi_graph_builder_new(&builder, NULL), UBI_OK);
    nothing = string("");
}

static void node(uint64_t id, ubi__v8_type type, ubi_str_ix name) {
    ubi_node_desc desc = { .id = id, .size_bytes = 1, .stack = UBI_NONE };
    desc.kind = (ubi_kind){ nothing, UBI_NONE, UBI_NONE, UBI_NONE, UBI_COARSE_OTHER, (uint8_t)type, 0 };
    assert_int_equal(ubi_graph_builder_node(builder, &desc), UBI_OK);
    assert_int_equal(ubi_graph_builder_node_name(builder, name), UBI_OK);
}

static void edge(uint64_t target, ubi_edge_kind kind, ubi_str_ix name) {
    assert_int_equal(ubi_graph_builder_edge_of(builder, target, kind, name), UBI_OK);
}

static ubi_look *end(void) {
    ubi_graph *g;
    ubi_look *look;
    assert_int_equal(ubi_graph_builder_finish(&g, builder), UBI_OK);
    ubi_graph_builder_free(builder);
    assert_int_equal(ubi_look_open(&look, ubi_lens_find("v8"), g, NULL), UBI_OK);
    ubi_graph_unref(g);
    return look;
}

static ubi_text display(const ubi_look *look, ubi_node_ix n, ubi_look_name_buffer *buffer) {
    return ubi_look_display_name(look, n, buffer);
}

static void assert_text(ubi_text ours, const char *wanted) {
    if (!ubi__text_is(ours, wanted))
        fail_msg("'%.*s' is not '%s'", (int)ours.len, ours.ptr, wanted);
}

static uint64_t distance_of(const ubi_look *look, ubi_node_ix n) {
    return ubi__v8_look_of(look)->distance[n];
}

/* ---- tests ------------------------------------------------------------------------------------------------------- */

static void tables_of_strings_and_code_are_weak_among_the_roots_of_the_engine_alone(void **state) {
    (void)state;
    begin();
    node(0, UBI__V8_SYNTHETIC, nothing);
    for (int i = 0; i < MANY; i++) /* each is the same node */
        edge(1, UBI_EDGE_INTERNAL, nothing);
    edge(5, UBI_EDGE_INTERNAL, nothing);
    node(1, UBI__V8_SYNTHETIC, string("(GC roots)"));
    for (uint64_t id = 2; id < 5; id++)
        edge(id, UBI_EDGE_INTERNAL, nothing);
    edge(6, UBI_EDGE_INTERNAL, nothing);
    edge(7, UBI_EDGE_INTERNAL, nothing);
    for (int i = 0; i < MANY; i++)
        edge(4, UBI_EDGE_INTERNAL, nothing);
    node(2, UBI__V8_SYNTHETIC, string("(Internalized strings)"));
    node(3, UBI__V8_OBJECT, string("(External strings)")); /* a program's own */
    node(4, UBI__V8_SYNTHETIC, string("(Stack roots)"));
    node(5, UBI__V8_SYNTHETIC, string("(External strings)"));
    node(6, UBI__V8_SYNTHETIC, string("(Compilation cache)"));
    node(7, UBI__V8_SYNTHETIC, string("(Isolate)"));
    ubi_look *look = end();
    const ubi_view *view = ubi_look_view(look);
    assert_int_equal(view->n_weak_tables, 2);
    assert_int_equal(view->weak_tables[0], 2);
    assert_int_equal(view->weak_tables[1], 6);
    assert_int_equal(view->passing_roots[1], 7);
    ubi_look_close(look);
}

/* Node.js lists its native objects there, and their JavaScript objects own them. */
static void lists_of_native_objects_hold_nothing(void **state) {
    (void)state;
    begin();
    node(0, UBI__V8_SYNTHETIC, nothing);
    for (uint64_t id = 1; id < 5; id++)
        edge(id, UBI_EDGE_INTERNAL, nothing);
    node(1, UBI__V8_NATIVE, string("Node / CleanupQueue"));
    edge(2, UBI_EDGE_INTERNAL, nothing);
    node(2, UBI__V8_NATIVE, string("Node / ZlibStream"));
    node(3, UBI__V8_OBJECT, string("Node / CleanupQueue")); /* a program's own */
    node(4, UBI__V8_NATIVE, string("Node / BaseObjectList"));
    ubi_look *look = end();
    const ubi_view *view = ubi_look_view(look);
    assert_int_equal(view->n_weak_tables, 2);
    assert_int_equal(view->weak_tables[0], 1);
    assert_int_equal(view->weak_tables[1], 4);
    ubi_look_close(look);
}

static void a_string_built_in_a_long_loop_has_the_text_of_its_first_parts(void **state) {
    (void)state;
    ubi_look_name_buffer buffer;
    begin();
    ubi_str_ix first = string("first"), second = string("second"), part = string("x");
    node(0, UBI__V8_SYNTHETIC, nothing);
    edge(2 * MANY, UBI_EDGE_ELEMENT + 1, first);
    node(1, UBI__V8_STRING, string("start:"));
    for (uint64_t i = 1; i <= MANY; i++) { /* each is the one before and a part */
        node(2 * i, UBI__V8_CONS_STRING, nothing);
        edge(i == 1 ? 1 : 2 * (i - 1), UBI_EDGE_INTERNAL, first);
        edge(2 * i + 1, UBI_EDGE_INTERNAL, second);
        node(2 * i + 1, UBI__V8_STRING, part);
    }
    ubi_look *look = end();
    for (ubi_node_ix n = 2; n < look->graph->n_nodes; n += 2) {
        size_t length = 6 + n / 2;
        assert_int_equal(display(look, n, &buffer).len, length < 1024 ? length : 1024);
    }
    assert_memory_equal(display(look, 2 * MANY, &buffer).ptr, "start:xxx", 9);
    ubi_look_close(look);
}

static void every_plain_object_may_have_a_shape_of_its_own(void **state) {
    (void)state;
    char text[32];
    begin();
    ubi_str_ix object = string("Object"), shared = string("shared");
    node(0, UBI__V8_SYNTHETIC, nothing);
    for (uint64_t i = 1; i <= MANY; i++)
        edge(i, UBI_EDGE_PROPERTY, shared);
    for (uint64_t i = 1; i <= MANY; i++) {
        snprintf(text, sizeof text, "property %u", (unsigned)i);
        node(i, UBI__V8_OBJECT, object);
        edge(0, UBI_EDGE_PROPERTY, shared);
        edge(0, UBI_EDGE_PROPERTY, string(text));
    }
    ubi_look *look = end();
    assert_int_equal(ubi__v8_look_of(look)->interfaces.rows.n, 0);
    assert_text(ubi_look_node_name(look, 7), "Object");
    assert_int_equal(ubi_look_class_count(look), 2);
    ubi_look_close(look);
}

/* Objects that begin alike and end differently: every one is matched with all interfaces that it may have. */
static void objects_that_differ_only_at_their_ends_have_the_interface_of_their_beginnings(void **state) {
    (void)state;
    char text[32];
    ubi_str_ix heads[100];
    begin();
    ubi_str_ix object = string("Object");
    for (unsigned i = 0; i < 100; i++) {
        char head[128];
        memset(head, 'a' + (int)(i % 26), 110);
        snprintf(head + 110, sizeof head - 110, "%u", i);
        heads[i] = string(head);
    }
    node(0, UBI__V8_SYNTHETIC, nothing);
    for (uint64_t i = 1; i <= MANY; i++) {
        snprintf(text, sizeof text, "a tail of its own, %u", (unsigned)i);
        node(i, UBI__V8_OBJECT, object);
        edge(0, UBI_EDGE_PROPERTY, heads[i % 100]);
        edge(0, UBI_EDGE_PROPERTY, string(text));
    }
    ubi_look *look = end();
    assert_int_equal(ubi__v8_look_of(look)->interfaces.rows.n, 100);
    assert_int_equal(ubi_look_node_name(look, 1).len, 2 + 110 + 1);
    assert_int_equal(ubi_look_class_of(look, 1), ubi_look_class_of(look, 101));
    ubi_look_close(look);
}

static void an_object_may_have_any_number_of_properties(void **state) {
    (void)state;
    ubi_look_name_buffer buffer;
    char text[32];
    begin();
    node(0, UBI__V8_SYNTHETIC, nothing);
    edge(1, UBI_EDGE_PROPERTY, nothing);
    for (uint64_t id = 1; id <= 2; id++) {
        node(id, UBI__V8_OBJECT, id == 1 ? string("Object") : string("Object"));
        for (unsigned i = 0; i < MANY; i++) {
            snprintf(text, sizeof text, "p%u", i);
            edge(0, UBI_EDGE_PROPERTY, string(text));
        }
    }
    ubi_look *look = end();
    assert_int_equal(ubi_look_class_of(look, 1), ubi_look_class_of(look, 2));
    assert_text(ubi_look_node_name(look, 1),
                "{p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15, p16, "
                "p17, p18, p19, p20, p21, p22, p23, p24, p25}");
    assert_text(display(look, 1, &buffer),
                "{p0, p1, p2, p3, p4, p5, p6, p7, \xe2\x80\xa6, p199992, p199993, p199994, p199995, "
                "p199996, p199997, p199998, p199999}");
    ubi_look_close(look);
}

static void names_of_properties_that_are_endless_are_cut(void **state) {
    (void)state;
    static const char bytes[] = { 'x', '\x01', ',', '\xc3' }; /* the last one is made a character of two bytes */
    char *text = malloc(100001);
    begin();
    ubi_str_ix object = string("Object");
    node(0, UBI__V8_SYNTHETIC, nothing);
    for (uint64_t id = 1; id <= 8; id++) {
        memset(text, bytes[id % 4], 100000);
        text[100000] = 0;
        for (size_t i = 1; id % 4 == 3 && i < 100000; i += 2)
            text[i] = '\xa9';
        text[id < 5 ? 0 : 3] = id % 4 == 3 ? text[id < 5 ? 0 : 3] : '\'';
        ubi_str_ix name = string(text);
        node(id, UBI__V8_OBJECT, object);
        for (unsigned i = 0; i < 6; i++) /* names of no length count for nothing */
            edge(0, UBI_EDGE_PROPERTY, i % 2 ? name : nothing);
        for (unsigned i = 0; i < 6; i++)
            edge(0, UBI_EDGE_PROPERTY, i % 2 ? nothing : name);
    }
    ubi_look *look = end();
    for (ubi_node_ix n = 1; n <= 8; n++) {
        ubi_look_name_buffer buffer;
        ubi_text name = display(look, n, &buffer);
        assert_true(name.len > 100 && name.len <= sizeof buffer.bytes);
        assert_int_equal(ubi__utf8_valid_prefix(name), name.len);
    }
    ubi_look_close(look);
    free(text);
}

/* V8 writes 1,024 characters of a name. These differ in the last of them, and each needs quotes. */
static void names_that_differ_in_the_last_character_that_v8_writes_are_two_classes(void **state) {
    (void)state;
    static const struct {
        const char *unit; /* one UTF-16 unit */
        size_t n_written; /* bytes that it has in the name of a class */
    } kinds[] = { { "a", 1 }, { "\x01", 6 }, { "\xe2\x82\xac", 3 }, { "\xed\xa0\x80", 6 }, { "\"", 2 } };
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        char text[1024 * 3 + 1];
        size_t n_unit = strlen(kinds[k].unit), n = 1022 * n_unit + 2;
        text[0] = ',';
        for (size_t i = 0; i < 1022; i++)
            memcpy(text + 1 + i * n_unit, kinds[k].unit, n_unit);
        begin();
        ubi_str_ix object = string("Object");
        node(0, UBI__V8_SYNTHETIC, nothing);
        for (uint64_t id = 1; id <= 4; id++) {
            text[n - 1] = id % 2 ? '1' : '2';
            text[n] = 0;
            node(id, UBI__V8_OBJECT, object);
            edge(0, UBI_EDGE_PROPERTY, string(text));
        }
        ubi_look *look = end();
        ubi_look_name_buffer buffer;
        assert_int_not_equal(ubi_look_class_of(look, 1), ubi_look_class_of(look, 2));
        assert_int_equal(ubi_look_class_of(look, 1), ubi_look_class_of(look, 3));
        ubi_text name = ubi_look_node_name(look, 1);
        assert_int_equal(name.len, 1022 * kinds[k].n_written + 2 + 4);
        assert_memory_equal(name.ptr + name.len - 3, "1\"}", 3);
        assert_int_equal(display(look, 1, &buffer).len, name.len);
        ubi_look_close(look);
    }
}

/* Two tables that take turns, so that neither may be gone through for each of its entries. */
static void weak_maps_may_have_any_number_of_entries(void **state) {
    (void)state;
    char text[160];
    ubi_str_ix *names = malloc(MANY * sizeof *names);
    begin();
    for (unsigned i = 0; i < MANY; i++) {
        snprintf(text, sizeof text, "%u / part of key (K @%u) -> value (V @%u) pair in WeakMap (table @%u)", i, 3, 4,
                 i % 2 + 1);
        names[i] = string(text);
    }
    ubi_str_ix a = string("a");
    node(0, UBI__V8_SYNTHETIC, nothing);
    edge(1, UBI_EDGE_PROPERTY, a);
    edge(2, UBI_EDGE_PROPERTY, a);
    edge(3, UBI_EDGE_PROPERTY, a);
    for (uint64_t id = 1; id <= 3; id++) {
        node(id, UBI__V8_OBJECT, a);
        for (unsigned i = 0; i < MANY; i++)
            edge(4, UBI_EDGE_INTERNAL, names[i]);
    }
    node(4, UBI__V8_OBJECT, a);
    ubi_look *look = end();
    /* The root's three, half of those of each table, and all of the key's. */
    assert_int_equal(ubi_edge_set_count(ubi_look_view(look)->edges), 3 + MANY / 2 * 2 + MANY);
    assert_int_equal(distance_of(look, 4), 2);
    ubi_look_close(look);
    free(names);
}

/* A chain that takes turns of objects and parts, from each of which a part is handed on. */
static void a_long_chain_is_walked_without_recursion(void **state) {
    (void)state;
    begin();
    ubi_str_ix a = string("a");
    node(0, UBI__V8_SYNTHETIC, nothing);
    edge(1, UBI_EDGE_SHORTCUT, a);
    node(1, UBI__V8_OBJECT, a);
    edge(2, UBI_EDGE_PROPERTY, a);
    for (uint64_t id = 2; id <= MANY; id++) {
        node(id, UBI__V8_ARRAY, a);
        edge(id < MANY ? id + 1 : 1, UBI_EDGE_PROPERTY, a);
    }
    ubi_look *look = end();
    assert_int_equal(distance_of(look, MANY), MANY);
    assert_int_equal(ubi_look_size_bytes(look, 1), MANY);
    assert_int_equal(ubi_look_size_bytes(look, MANY), 0);
    ubi_look_close(look);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_of_strings_and_code_are_weak_among_the_roots_of_the_engine_alone),
        cmocka_unit_test(lists_of_native_objects_hold_nothing),
        cmocka_unit_test(a_string_built_in_a_long_loop_has_the_text_of_its_first_parts),
        cmocka_unit_test(every_plain_object_may_have_a_shape_of_its_own),
        cmocka_unit_test(objects_that_differ_only_at_their_ends_have_the_interface_of_their_beginnings),
        cmocka_unit_test(an_object_may_have_any_number_of_properties),
        cmocka_unit_test(names_of_properties_that_are_endless_are_cut),
        cmocka_unit_test(names_that_differ_in_the_last_character_that_v8_writes_are_two_classes),
        cmocka_unit_test(weak_maps_may_have_any_number_of_entries),
        cmocka_unit_test(a_long_chain_is_walked_without_recursion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
