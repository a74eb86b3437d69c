/* SPDX-License-Identifier: MIT
 *
 * What nodes say of themselves, and tools that come and go.
 */
#include "engine_facts.h"
#include "engines/quickjs/js_facts.h"
#include "engines/quickjs/walk_for_tests.h"
#include "fail_allocator.h"
#include "ubi_features.h"

static void assert_text(ubi_text text, const char *expected) {
    assert_non_null(text.ptr);
    assert_int_equal(text.len, strlen(expected));
    assert_memory_equal(text.ptr, expected, text.len);
}

static void types_classes_and_files_are_reported(void **state) {
    (void)state;
    test_runtime t = test_runtime_new();
    test_walk w;
    JSValue value = test_eval_as(t.ctx, "({ f() { return [1]; }, d: new Date(0), n: 10n ** 30n, s: Symbol('s') })",
                                 JS_EVAL_TYPE_GLOBAL);
    test_freeze(&w, &t, NULL);
    ubi_node object = test_node_of(&w, &t, value), function = test_follow(object, "f");
    ubi_node code = test_follow(function, "bytecode"), realm = test_follow(code, "realm");
    assert_text(ubi_node_type_name(object), "JSObject");
    assert_int_equal(ubi_node_coarse_type(object), UBI_COARSE_OBJECT);
    assert_text(ubi_node_class_name(object), "Object");
    assert_text(ubi_node_class_name(test_follow(object, "d")), "Date");
    assert_null(ubi_node_script_filename(object).ptr);
    assert_int_equal(ubi_node_coarse_type(code), UBI_COARSE_SCRIPT);
    assert_text(ubi_node_script_filename(code), "test.js");
    assert_null(ubi_node_class_name(code).ptr);
    assert_text(ubi_node_type_name(realm), "JSContext");
    assert_text(ubi_node_type_name(test_follow(object, "n")), "JSBigInt");
    assert_text(ubi_node_type_name(test_follow(object, "s")), "JSSymbol");
    assert_text(ubi_node_type_name(w.heap.root), "JS::ubi::RootList");
    assert_int_equal(ubi_node_size_bytes(w.heap.root), 1);
    assert_true(ubi_node_is_live(object));
    ubi_stack stack;
    assert_false(ubi_node_allocation_stack(object, &stack));
    test_thaw(&w);
    JS_FreeValue(t.ctx, value);
    test_runtime_free(&t);
}

/* Sizes are what malloc_usable_size says, so they are compared with each other and with what was asked for. */
static void sizes_are_of_all_blocks_that_a_node_owns(void **state) {
    (void)state;
    test_runtime t = test_runtime_new();
    test_walk w;
    JSValue value = test_eval_as(t.ctx,
                                 "const filled = []; for (let i = 0; i < 1000; i++) filled.push(i);\n"
                                 "const map = new Map(); for (let i = 0; i < 1000; i++) map.set(i, i);\n"
                                 "const long = () => 0; long.text = 'x'.repeat(5000);\n"
                                 "({ empty: [], filled, map, none: new Map(), buffer: new ArrayBuffer(10000), long })",
                                 JS_EVAL_TYPE_GLOBAL);
    test_freeze(&w, &t, NULL);
    ubi_node object = test_node_of(&w, &t, value);
    uint64_t empty = ubi_node_size_bytes(test_follow(object, "empty"));
    assert_in_range(empty, 72, 200);
    assert_in_range(ubi_node_size_bytes(test_follow(object, "filled")) - empty, 1000 * sizeof(JSValue),
                    1600 * sizeof(JSValue));
    uint64_t none = ubi_node_size_bytes(test_follow(object, "none"));
    assert_true(ubi_node_size_bytes(test_follow(object, "map")) - none >= 1000 * (2 * sizeof(JSValue) + 16));
    assert_in_range(ubi_node_size_bytes(test_follow(object, "buffer")), 10000 + 72, 10500);
    ubi_node text = test_follow(test_follow(object, "long"), "text");
    assert_in_range(ubi_node_size_bytes(text), 5000, 5100);
    test_thaw(&w);
    JS_FreeValue(t.ctx, value);
    test_runtime_free(&t);
}

static void realms_modules_bytecode_and_variables_name_their_edges(void **state) {
    (void)state;
    test_runtime t = test_runtime_new();
    test_walk w;
    JSValue promise = test_eval_as(t.ctx, "export const exported = { e: 1 }; export default function named() {}",
                                   JS_EVAL_TYPE_MODULE);
    JS_FreeValue(t.ctx, promise);
    test_run(t.ctx, "let lexical = { l: 1 }; globalThis.closure = (() => { let n = { n: 1 }; return () => n; })();");
    JSValue closure = test_eval_as(t.ctx, "closure", JS_EVAL_TYPE_GLOBAL);
    test_freeze(&w, &t, NULL);
    ubi_node function = test_node_of(&w, &t, closure), code = test_follow(function, "bytecode");
    ubi_node realm = test_follow(code, "realm"), module = test_follow(realm, "module");
    assert_string_equal(test_edges_of_node(&w, test_follow(function, "n")), "value:Object");
    assert_string_equal(test_edges_of_node(&w, test_follow(function, "shape")),
                        "proto:Function"); /* its keys are built into the engine */
    assert_text(ubi_node_class_name(test_follow(realm, "global_obj")), "Object");
    assert_text(ubi_node_class_name(test_follow(realm, "prototype of Map")), "Object");
    ubi_node lexical = test_follow(test_follow(realm, "global_var_obj"), "lexical");
    if (engine_is(ENGINE_BINDS_GLOBALS)) /* it is a variable, which has the value */
        lexical = test_follow(lexical, "value");
    assert_string_equal(test_edges_of_node(&w, lexical), "shape:JSShape");
    assert_text(ubi_node_type_name(module), "JSModuleDef");
    assert_text(ubi_node_type_name(test_follow(module, "exported")), "JSVarRef");
    assert_string_equal(test_edges_of_node(&w, test_follow(module, "exported")), "value:Object");
    assert_text(ubi_node_class_name(test_follow(test_follow(module, "default"), "value")), "Function");
    assert_text(ubi_node_type_name(test_follow(module, "name")), "JSString");
    test_thaw(&w);
    JS_FreeValue(t.ctx, closure);
    test_clean_coverage(&t);
    test_runtime_free(&t);
}

static void ids_are_unique_and_stay(void **state) {
    (void)state;
    test_runtime t = test_runtime_new();
    test_walk w;
    uint64_t before = 0, id = 0;
    JSValue value = test_eval_as(t.ctx, "globalThis.object = { a: 1 }; object", JS_EVAL_TYPE_GLOBAL);
    assert_true(ubi_quickjs_node_id(t.tools, value, &id));
    test_run(t.ctx, "for (let i = 0; i < 1000; i++) object['p' + i] = { i };");
    JS_RunGC(t.rt);
    test_freeze(&w, &t, NULL);
    for (uint64_t ref = 0; ref < w.heap.root.ref; ref++) { /* numbers are in the order of addresses */
        assert_true(ubi_node_id(test_node(&w, ref)) > before);
        before = ubi_node_id(test_node(&w, ref));
        assert_true(before < UINT64_C(1) << 53);
        assert_true(before != ubi_node_id(w.heap.root));
    }
    assert_text(ubi_node_class_name(test_node_with_id(&w, id)), "Object");
    test_thaw(&w);
    assert_false(ubi_quickjs_node_id(t.tools, JS_NewInt32(t.ctx, 1), &id));
    assert_false(ubi_quickjs_node_id(t.tools, JS_UNDEFINED, &id));
    JS_FreeValue(t.ctx, value);
    test_runtime_free(&t);
}

/* ---- classes of the program ----------------------------------------------------------------------------------------- */

typedef struct holder {
    JSValue object, text;
} holder;
static JSClassID holder_id;

static void holder_finalize(JSRuntime *rt, JSValue value) {
    holder *h = JS_GetOpaque(value, holder_id);
    JS_FreeValueRT(rt, h->object);
    JS_FreeValueRT(rt, h->text);
    js_free_rt(rt, h);
}
static void holder_mark(JSRuntime *rt, JSValueConst value, JS_MarkFunc *mark) {
    const holder *h = JS_GetOpaque(value, holder_id);
    JS_MarkValue(rt, h->object, mark);
    JS_MarkValue(rt, h->text, mark);
}

static void classes_of_the_program_report_their_edges(void **state) {
    (void)state;
    const JSClassDef definition = { "Holder", .finalizer = holder_finalize, .gc_mark = holder_mark };
    test_runtime t = test_runtime_new();
    test_walk w;
    ubi__new_class_id(t.rt, &holder_id);
    assert_int_equal(JS_NewClass(t.rt, holder_id, &definition), 0);
    JSValue value = JS_NewObjectProtoClass(t.ctx, JS_NULL, holder_id);
    holder *h = js_malloc(t.ctx, sizeof *h);
    h->object = test_eval_as(t.ctx, "[1]", JS_EVAL_TYPE_GLOBAL);
    h->text = test_eval_as(t.ctx, "'t'.repeat(9)", JS_EVAL_TYPE_GLOBAL);
    JS_SetOpaque(value, h);
    test_freeze(&w, &t, NULL);
    ubi_node node = test_node_of(&w, &t, value);
    assert_text(ubi_node_class_name(node), "Holder");
    assert_string_equal(test_edges_of_node(&w, node), "shape:JSShape -:Array -:JSString");
    test_thaw(&w);
    JS_FreeValue(t.ctx, value);
    test_clean_coverage(&t);
    test_runtime_free(&t);
}

/* Where each runtime counts its classes by itself, those of a program may not get the numbers that ours have elsewhere. */
static void classes_of_a_program_and_of_the_tools_are_different(void **state) {
    (void)state;
    static const JSClassDef definition = { .class_name = "Of the program" };
    test_runtime first = test_runtime_new(), t = test_runtime_new();
    assert_int_equal(ubi_quickjs_add_debugger(first.tools, first.ctx), 0);
    for (int i = 0; i < 30; i++) {
        JSClassID id = 0;
#if UBI_CLASS_ID_OF_RUNTIME
        JS_NewClassID(t.rt, &id);
#else
        JS_NewClassID(&id);
#endif
        assert_int_equal(JS_NewClass(t.rt, id, &definition), 0);
    }
    assert_int_equal(ubi_quickjs_add_debugger(t.tools, t.ctx), 0);
    test_run(
        t.ctx,
        "if (String(new Debugger().memory) !== '[object Object]' || !(new Debugger() instanceof Debugger)) throw 1;");
    JSValue debugger = test_eval_as(t.ctx, "new Debugger()", JS_EVAL_TYPE_GLOBAL);
    test_walk w;
    test_freeze(&w, &t, NULL);
    assert_text(ubi_node_class_name(test_node_of(&w, &t, debugger)), "Debugger");
    test_thaw(&w);
    JS_FreeValue(t.ctx, debugger);
    test_runtime_free(&t);
    test_runtime_free(&first);
}

static void ropes_slices_and_flat_texts_are_different_types(void **state) {
    (void)state;
    test_runtime t = test_runtime_new();
    test_walk w;
    JSValue value = test_eval_as(t.ctx,
                                 "var whole = 'x'.repeat(20000), other = 'y'.repeat(20000);"
                                 "({ flat: whole, rope: whole + other, slice: whole.slice(1, 19000) })",
                                 JS_EVAL_TYPE_GLOBAL);
    test_freeze(&w, &t, NULL);
    ubi_node object = test_node_of(&w, &t, value), slice = test_follow(object, "slice");
    assert_text(ubi_node_type_name(test_follow(object, "flat")), "JSString");
    assert_text(ubi_node_type_name(test_follow(object, "rope")),
                engine_is(ENGINE_HAS_ROPES) ? "JSStringRope" : "JSString");
    assert_text(ubi_node_type_name(slice), engine_is(ENGINE_HAS_SLICES) ? "JSStringSlice" : "JSString");
    assert_string_equal(test_edges_of_node(&w, slice), engine_is(ENGINE_HAS_SLICES) ? "slice of:JSString" : "");
    assert_int_equal(ubi_node_coarse_type(slice), UBI_COARSE_STRING);
    test_thaw(&w);
    JS_FreeValue(t.ctx, value);
    test_run(t.ctx, "whole = other = null");
    test_clean_coverage(&t);
    test_runtime_free(&t);
}

/* ---- tools ---------------------------------------------------------------------------------------------------------- */

static void tools_are_found_by_runtime(void **state) {
    (void)state;
    test_runtime a = test_runtime_new(), b = test_runtime_new();
    JSRuntime *none = JS_NewRuntime();
    ubi_quickjs *second;
    assert_ptr_equal(ubi_quickjs_of(a.rt), a.tools);
    assert_ptr_equal(ubi_quickjs_of(b.rt), b.tools);
    assert_ptr_equal(ubi_quickjs_of(a.rt), a.tools);
    assert_null(ubi_quickjs_of(none));
    assert_int_equal(ubi_quickjs_attach(&second, a.rt, NULL), UBI_EBUSY);
    ubi_quickjs_detach(a.tools);
    assert_null(ubi_quickjs_of(a.rt));
    assert_int_equal(ubi_quickjs_attach(&a.tools, a.rt, NULL), UBI_OK);
    assert_ptr_equal(ubi_quickjs_of(a.rt), a.tools);
    ubi_quickjs_detach(NULL);
    JS_FreeRuntime(none);
    test_runtime_free(&a);
    test_runtime_free(&b);
}

static void note_row(void *payload, const ubi_measure_row *row) {
    char *seen = payload;
    assert_true(strlen(seen) + row->name.len + 2 < 2048);
    strncat(seen, row->name.ptr, row->name.len);
    strcat(seen, " ");
    if (row->name.len == 10 && memcmp(row->name.ptr, "mallocSize", 10) == 0)
        assert_true(row->is_bytes && row->value > 50000);
}

static void measurements_have_what_the_engine_counts(void **state) {
    (void)state;
    static const char *const expected[] = { "mallocSize ", "mallocCount ", "memoryUsedSize ", "objCount ",
                                            "strCount ",   "shapeCount ",  "nodeCount ",      "unattributedSize " };
    test_runtime t = test_runtime_new();
    char seen[2048] = "";
    assert_int_equal(ubi_target_measure(ubi_quickjs_target(t.tools), note_row, seen), UBI_OK);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        assert_non_null(strstr(seen, expected[i]));
    assert_int_equal(ubi_target_collect_garbage(ubi_quickjs_target(t.tools)), UBI_OK);
    assert_int_equal(ubi_target_collect_cycles(ubi_quickjs_target(t.tools)), UBI_OK);
    assert_non_null(strstr(ubi_quickjs_engine_description(), " (UBI_"));
    test_runtime_free(&t);
}

static bool named_edge(void *payload, ubi_node referent, ubi_text name) {
    (void)payload, (void)referent, (void)name;
    return true;
}

static ubi_status walk_with(void *payload, const ubi_allocator *allocator) {
    const test_runtime *t = payload;
    ubi_quickjs_options options = UBI_QUICKJS_OPTIONS_INIT;
    ubi_quickjs *tools;
    ubi_quickjs_coverage coverage;
    JSMemoryUsage before, after;
    options.allocator = allocator;
    ubi_status status = ubi_quickjs_attach(&tools, t->rt, &options);
    if (status != UBI_OK)
        return status;
    JS_ComputeMemoryUsage(t->rt, &before);
    status = ubi_quickjs_measure_coverage(tools, &coverage);
    if (status == UBI_OK && (coverage.overcounts || coverage.unreachable_count))
        status = ubi_error(UBI_ESTATE, "the walk is wrong");
    JS_ComputeMemoryUsage(t->rt, &after);
    assert_memory_equal(&before, &after, sizeof before);
    ubi_quickjs_detach(tools);
    return status;
}

static void a_walk_without_memory_leaves_the_heap_as_it_was(void **state) {
    (void)state;
    test_runtime t = test_runtime_new();
    test_run(t.ctx, "globalThis.k = []; for (let i = 0; i < 300; i++) k.push({ i, n: 10n ** BigInt(i), f: () => i });");
    JS_RunGC(t.rt);
    ubi_quickjs_detach(t.tools);
    assert_true(fail_each_allocation(walk_with, &t) > 10);
    assert_int_equal(ubi_quickjs_attach(&t.tools, t.rt, NULL), UBI_OK);
    test_clean_coverage(&t);
    test_runtime_free(&t);
}

/* Names that need memory are left out when there is none. */
static void names_without_memory_are_left_out(void **state) {
    (void)state;
    fail_allocator f;
    ubi_quickjs_options options = UBI_QUICKJS_OPTIONS_INIT;
    test_walk w;
    fail_allocator_init(&f, FAIL_ALLOCATOR_NEVER);
    options.allocator = &f.allocator;
    test_runtime t = test_runtime_new_with(&options);
    test_run(t.ctx, "globalThis.\\u00e9 = { '\\u00e9': [1, {}] };");
    test_freeze(&w, &t, NULL);
    f.n_allowed = f.n_requests;
    for (uint64_t ref = 0; ref <= w.heap.root.ref; ref++)
        ubi_node_edges(test_node(&w, ref), true, named_edge, NULL);
    f.n_allowed = FAIL_ALLOCATOR_NEVER;
    test_thaw(&w);
    test_runtime_free(&t);
    fail_allocator_fini(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(types_classes_and_files_are_reported),
        cmocka_unit_test(sizes_are_of_all_blocks_that_a_node_owns),
        cmocka_unit_test(realms_modules_bytecode_and_variables_name_their_edges),
        cmocka_unit_test(ids_are_unique_and_stay),
        cmocka_unit_test(classes_of_the_program_report_their_edges),
        cmocka_unit_test(classes_of_a_program_and_of_the_tools_are_different),
        cmocka_unit_test(ropes_slices_and_flat_texts_are_different_types),
        cmocka_unit_test(tools_are_found_by_runtime),
        cmocka_unit_test(measurements_have_what_the_engine_counts),
        cmocka_unit_test(a_walk_without_memory_leaves_the_heap_as_it_was),
        cmocka_unit_test(names_without_memory_are_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
