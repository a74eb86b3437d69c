/* SPDX-License-Identifier: MIT
 *
 * edge_words_v8_test.c: paths through heaps of V8 as people read them, and labels of edges as DevTools write them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/text.h"
#include "render/capture_test.h"
#include "render/heap_labels.h"
#include "render/path_words.h"
#include "render/v8_chain_test.h"

static const ubi__style wide = { false, true, 200 };
static capture output;

static void assert_words(const v8_step *nodes, uint32_t n, size_t columns, const char *expected) {
    ubi_graph *g = v8_chain(nodes, n);
    ubi_look *look;
    ubi_path_step steps[16];
    assert_int_equal(ubi_look_open(&look, ubi_lens_find("v8"), g, NULL), UBI_OK);
    for (uint32_t i = 0; i + 1 < n; i++)
        steps[i] = (ubi_path_step){ i, i };
    ubi__path_view path = { g, steps, n - 1, n - 1, look };
    capture_start(&output);
    size_t told = ubi__display_path(&output.out, &wide, &path, columns);
    assert_string_equal(capture_text(&output), expected);
    assert_int_equal(told, ubi__display_columns(ubi__text(expected), &wide, SIZE_MAX));
    ubi_look_close(look);
    ubi_graph_unref(g);
}

#define WORDS(expected, ...)                                                                                           \
    assert_words((const v8_step[]){ __VA_ARGS__ }, sizeof((const v8_step[]){ __VA_ARGS__ }) / sizeof(v8_step), 200,    \
                 expected)

static void steps_of_scripts_are_one_piece_each(void **state) {
    (void)state;
    WORDS("global.keepCacheAlive → add() (variable registry) → Map (entry) → Thing", ROOT,
          OBJECT("global", "keepCacheAlive"), FIELD(UBI__V8_CLOSURE, "add", "context"),
          { UBI__V8_OBJECT, "system / Context", UBI_EDGE_CONTEXT, "registry", 0 },
          FIELD(UBI__V8_OBJECT, "Map", "table"), FIELD(UBI__V8_ARRAY, "", "374"), TARGET);
    WORDS("global.a.list[3][\"two words\"] → Thing", ROOT, OBJECT("global", "a"), OBJECT("Object", "list"),
          { UBI__V8_OBJECT, "Array", UBI_EDGE_ELEMENT, NULL, 3 }, OBJECT("Object", "two words"), TARGET);
    WORDS("global.next ×4 → Thing", ROOT, OBJECT("global", "next"), OBJECT("Object", "next"), OBJECT("Object", "next"),
          OBJECT("Object", "next"), TARGET);
    WORDS("(anonymous function) (variable x) → Thing", ROOT, FIELD(UBI__V8_CLOSURE, "", "context"),
          { UBI__V8_OBJECT, "system / Context", UBI_EDGE_INTERNAL, "previous", 0 },
          { UBI__V8_OBJECT, "system / Context / scope @7", UBI_EDGE_CONTEXT, "x", 0 }, TARGET);
    WORDS("global (getter size) → Object.x → Thing", ROOT, OBJECT("global", "get size"), OBJECT("Object", "x"), TARGET);
}

static void fields_of_the_engine_are_reported_or_left_out(void **state) {
    (void)state;
    WORDS("Key (value in a WeakMap) → Thing", ROOT,
          FIELD(UBI__V8_OBJECT, "Key", "2 / part of key (Key @1) -> value (Thing @3) pair in WeakMap (table @5)"),
          TARGET);
    WORDS("WeakMap (value in a WeakMap) → Thing", ROOT, FIELD(UBI__V8_OBJECT, "WeakMap", "table"),
          FIELD(UBI__V8_ARRAY, "", "2 / part of key (Key @1) -> value (Thing @3) pair in WeakMap (table @5)"), TARGET);
    WORDS("f() (code) → Thing", ROOT, FIELD(UBI__V8_CLOSURE, "f", "shared"), FIELD(UBI__V8_CODE, "f", "script"),
          FIELD(UBI__V8_CODE, "/app.js", "source"), TARGET);
    WORDS("native_bind() (bound this) → Thing", ROOT, FIELD(UBI__V8_CLOSURE, "native_bind", "bound_this"), TARGET);
    WORDS("Proxy (target) → Thing", ROOT, FIELD(UBI__V8_OBJECT, "Proxy", "target"), TARGET);
    WORDS("Array (element) → Thing", ROOT, FIELD(UBI__V8_OBJECT, "Array", "elements"),
          FIELD(UBI__V8_ARRAY, "(object elements)", "0"), TARGET);
    WORDS("A (hidden class) → Thing", ROOT, FIELD(UBI__V8_OBJECT, "A", "map"),
          FIELD(UBI__V8_OBJECT_SHAPE, "system / Map", "prototype"), TARGET);
    WORDS("A (FeedbackVectors) → Thing", ROOT, FIELD(UBI__V8_OBJECT, "A", "x"),
          FIELD(UBI__V8_HIDDEN, "system / FeedbackVectors", "y"), TARGET);
    WORDS("WeakRef (weak target) → Thing", ROOT, { UBI__V8_OBJECT, "WeakRef", UBI_EDGE_WEAK, "target", 0 }, TARGET);
}

static void paths_begin_where_people_begin_to_count(void **state) {
    (void)state;
    WORDS("(Global handles) (V8PerContextData::context_) → Thing", GC_ROOT,
          { UBI__V8_SYNTHETIC, "(GC roots)", UBI_EDGE_ELEMENT, NULL, 10 },
          FIELD(UBI__V8_SYNTHETIC, "(Global handles)", "300 / V8PerContextData::context_"), TARGET);
    WORDS("Window.live[0] → Thing", GC_ROOT, { UBI__V8_SYNTHETIC, "(GC roots)", UBI_EDGE_ELEMENT, NULL, 10 },
          FIELD(UBI__V8_SYNTHETIC, "(Global handles)", "300 / V8PerContextData::context_"),
          FIELD(UBI__V8_NATIVE, "system / NativeContext / file://", "global_object"), OBJECT("Window", "live"),
          { UBI__V8_OBJECT, "Array", UBI_EDGE_ELEMENT, NULL, 0 }, TARGET);
    WORDS("Window / file://.live → Thing", GC_ROOT,
          FIELD(UBI__V8_NATIVE, "system / NativeContext / file://", "global_object"),
          OBJECT("Window [JSGlobalObject] / file://", "live"), TARGET);
    WORDS("Thing", ROOT, TARGET);
    WORDS("root", { UBI__V8_SYNTHETIC, "", UBI_EDGE_ELEMENT, NULL, 0 });
}

#define TIMERS                                                                                                         \
    ROOT, OBJECT("global", "setTimeout"), FIELD(UBI__V8_CLOSURE, "setTimeout", "context"),                             \
        { UBI__V8_OBJECT, "system / Context", UBI_EDGE_CONTEXT, "timerListMap", 0 },                                   \
        { UBI__V8_OBJECT, "Object", UBI_EDGE_ELEMENT, NULL, 30000 }, OBJECT("TimersList", "_idlePrev")

static void lists_of_timers_are_reported_once(void **state) {
    (void)state;
    WORDS("Node.js timers of 30,000 ms → Timeout._onTimeout → Job.self → Thing", TIMERS, OBJECT("Timeout", "_idlePrev"),
          OBJECT("Timeout", "_idlePrev"), OBJECT("Timeout", "_onTimeout"), OBJECT("Job", "self"), TARGET);
    WORDS("Node.js timers of 30,000 ms → Thing", TIMERS, TARGET);
    WORDS("Node.js timers → Timeout._onTimeout → Thing", ROOT, OBJECT("global", "queue"),
          { UBI__V8_OBJECT, "Array", UBI_EDGE_ELEMENT, NULL, 1 }, OBJECT("TimersList", "_idleNext"),
          OBJECT("Timeout", "_onTimeout"), TARGET);
    WORDS("Node.js immediates → Immediate._onImmediate → Thing", ROOT, OBJECT("global", "queue"),
          OBJECT("ImmediateList", "head"), OBJECT("Immediate", "_idleNext"), OBJECT("Immediate", "_onImmediate"),
          TARGET);
    WORDS("global.lists → TimersList.mine → Thing", ROOT, OBJECT("global", "lists"), OBJECT("TimersList", "mine"),
          TARGET);
}

static void nodes_are_marked_as_a_script_would_write_them(void **state) {
    (void)state;
    WORDS("\"some text\"", ROOT, { UBI__V8_STRING, "some text", UBI_EDGE_PROPERTY, NULL, 0 });
    WORDS("/a+/", ROOT, { UBI__V8_REGEXP, "a+", UBI_EDGE_PROPERTY, NULL, 0 });
    WORDS("f()", ROOT, { UBI__V8_CLOSURE, "f", UBI_EDGE_PROPERTY, NULL, 0 });
    WORDS("(array)", ROOT, { UBI__V8_ARRAY, "", UBI_EDGE_PROPERTY, NULL, 0 });
}

static void what_has_no_room_goes_from_the_middle(void **state) {
    (void)state;
    const v8_step nodes[] = { ROOT,
                              OBJECT("global", "keepCacheAlive"),
                              FIELD(UBI__V8_CLOSURE, "add", "context"),
                              { UBI__V8_OBJECT, "system / Context", UBI_EDGE_CONTEXT, "registry", 0 },
                              FIELD(UBI__V8_OBJECT, "Map", "table"),
                              FIELD(UBI__V8_ARRAY, "", "374"),
                              TARGET };
    assert_words(nodes, 7, 63, "global.keepCacheAlive → add() (variable registry) → Map → Thing");
    assert_words(nodes, 7, 61, "global.keepCacheAlive → add() (variable registry) → … → Thing");
    assert_words(nodes, 7, 59, "… 1 more … → add() (variable registry) → Map → Thing");
    assert_words(nodes, 7, 44, "… → add() (variable registry) → Map → Thing");
    assert_words(nodes, 7, 40, "global.keepCacheAlive → … → Map → Thing");
    assert_words(nodes, 7, 20, "… 5 more … → Thing");
    assert_words(nodes, 7, 8, "Thing");
}

/* ---- labels ------------------------------------------------------------------------------------------------------ */

static void labels_are_those_of_the_containment_view(void **state) {
    (void)state;
    static const struct {
        v8_step step;
        const char *label, *kind;
    } cases[] = {
        { OBJECT("A", "x"), ".x", "property" },
        { OBJECT("A", "a b"), "[\"a b\"]", "property" },
        { OBJECT("A", "a-b"), ".a-b", "property" },
        { { UBI__V8_OBJECT, "A", UBI_EDGE_ELEMENT, NULL, 17 }, "[17]", "element" },
        { { UBI__V8_OBJECT, "A", UBI_EDGE_HIDDEN, NULL, 4 }, "{4}", "hidden" },
        { { UBI__V8_OBJECT, "A", UBI_EDGE_CONTEXT, "x", 0 }, "->x", "context" },
        { { UBI__V8_OBJECT, "A", UBI_EDGE_INTERNAL, "map", 0 }, "{map}", "internal" },
        { { UBI__V8_OBJECT, "A", UBI_EDGE_SHORTCUT, "x", 0 }, ".x", "shortcut" },
        { { UBI__V8_OBJECT, "A", UBI_EDGE_SHORTCUT, "12", 0 }, "[12]", "shortcut" },
        { { UBI__V8_OBJECT, "A", UBI_EDGE_WEAK, "x", 0 }, "[[x]]", "weak" },
        { { UBI__V8_OBJECT, "A", UBI_EDGE_REFERENCE, "x", 0 }, "x", "reference" },
        { { UBI__V8_OBJECT, "A", UBI_EDGE_REFERENCE, "", 0 }, "(empty name)", "reference" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const v8_step nodes[] = { cases[i].step, TARGET };
        ubi_graph *g = v8_chain(nodes, 2);
        capture_start(&output);
        size_t columns = ubi__display_edge_label(&output.out, &wide, g, 0, 80);
        assert_string_equal(capture_text(&output), cases[i].label);
        assert_int_equal(columns, strlen(cases[i].label));
        assert_int_equal(ubi__edge_label_columns(&wide, g, 0, SIZE_MAX), columns);
        assert_string_equal(ubi__edge_kind_name(ubi_graph_edge_kind(g, 0)), cases[i].kind);
        ubi_graph_unref(g);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_of_scripts_are_one_piece_each),
        cmocka_unit_test(fields_of_the_engine_are_reported_or_left_out),
        cmocka_unit_test(paths_begin_where_people_begin_to_count),
        cmocka_unit_test(lists_of_timers_are_reported_once),
        cmocka_unit_test(nodes_are_marked_as_a_script_would_write_them),
        cmocka_unit_test(what_has_no_room_goes_from_the_middle),
        cmocka_unit_test(labels_are_those_of_the_containment_view),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
