/* SPDX-License-Identifier: MIT
 *
 * Census reports as JavaScript values, of a graph that is known to the last byte: census case C of the specification.
 */
#include "quickjs_heap.h"

#include "drawing.h"
#include "engines/quickjs/js_report.h"

/* Ids of 31 are a file's, not this heap's. */
static const char case_c[] =
    "1(size=10 type=root stack=-@a.js:1:2) -> 20 \"a\", 30 \"b\", 10 \"c\", 10 \"dup\", 50 \"s\", 60 \"d\", 1 \"self\";"
    "20(size=100 type=JSObject coarse=object class=Array stack=f@a.js:5:2<-@a.js:1:2) -> 40;"
    "30(size=200 type=JSObject coarse=object class=Object stack=f@a.js:5:2<-@a.js:1:2);"
    "10(size=50 type=JSObject coarse=object class=Array); 40(size=7 type=JSString coarse=string);"
    "50(size=9 type=js::BaseScript coarse=script file=x.js);"
    "60(size=11 type=nsIDOM coarse=dom desc=div class=HTMLDivElement); 70(size=1000 type=unreach)";

/** The report of a breakdown, given as the text of a JavaScript expression, as a property of the global object. */
static void take(quickjs_heap *heap, const ubi_graph *graph, const char *name, const char *expression) {
    JSContext *ctx = heap->realm;
    char code[1000];
    snprintf(code, sizeof code, "({ breakdown: %s })", expression);
    JSValue options = JS_Eval(ctx, code, strlen(code), "breakdown", JS_EVAL_TYPE_GLOBAL);
    ubi__js_breakdown breakdown;
    assert_int_equal(ubi__js_breakdown_read(ctx, &breakdown, options), 0);
    ubi_census *census;
    assert_int_equal(ubi_census_take(&census, graph, breakdown.breakdown, NULL), UBI_OK);
    JSValue report = ubi__js_report(ctx, ubi_census_report(census), &breakdown);
    assert_false(JS_IsException(report));
    JSValue global = JS_GetGlobalObject(ctx);
    JS_SetPropertyStr(ctx, global, name, report);
    JS_FreeValue(ctx, global);
    ubi_census_free(census);
    ubi__js_breakdown_fini(ctx, &breakdown);
    JS_FreeValue(ctx, options);
}

/** A breakdown and its report as JSON text, with [count, bytes] for numbers. */
static const struct {
    const char *breakdown, *json;
} rows[] = {
    { "undefined", "{'objects':{'Object':[1,200],'Array':[2,150],'other':[0,0]},'scripts':[1,9],'strings':[1,7],"
                   "'other':{'root':[1,10]},'domNode':{'div':[1,11]}}" },
    { "{ by: 'count' }", "[7,387]" },
    { "{ by: 'count', label: 5, count: false }", "{'bytes':387,'label':'5'}" },
    { "{ by: 'bucket' }", "[20,30,10,50,60,1,40]" },
    { "{ by: 'objectClass' }", "{'HTMLDivElement':[1,11],'Object':[1,200],'Array':[2,150],'other':[3,26]}" },
    { "{ by: 'objectClass', then: { by: 'bucket' }, other: { by: 'bucket' } }",
      "{'HTMLDivElement':[60],'Object':[30],'Array':[20,10],'other':[50,1,40]}" },
    { "{ by: 'coarseType' }", "{'objects':[3,350],'scripts':[1,9],'strings':[1,7],'other':[1,10],'domNode':[1,11]}" },
    { "{ by: 'internalType' }",
      "{'nsIDOM':[1,11],'js::BaseScript':[1,9],'JSString':[1,7],'JSObject':[3,350],'root':[1,10]}" },
    { "{ by: 'filename' }", "{'x.js':[1,9],'noFilename':[6,378]}" },
    { "{ by: 'allocationStack' }",
      "[['f@a.js:5:2\\n@a.js:1:2\\n',[2,300]],['@a.js:1:2\\n',[1,10]],['noStack',[4,77]]]" },
    { "[{ by: 'bucket' }, [], { by: 'count', bytes: false }]", "[[20,30,10,50,60,1,40],[],{'count':7}]" },
};

static void reports_of_case_c_are_those_of_the_specification(void **state) {
    (void)state;
    quickjs_heap heap;
    quickjs_heap_open(&heap, NULL);
    quickjs_heap_run(&heap, "helpers",
                     "globalThis.same = (report, json) => assertEq(JSON.stringify(report, (k, v) => "
                     "v instanceof Map ? [...v].map(([k, v]) => [String(k), v]) : "
                     "v && Object.keys(v).join() === 'count,bytes' ? [v.count, v.bytes] : v), "
                     "json.replace(/'/g, '\"').replace(/\\n/g, '\\\\n'));");
    ubi_graph *graph = graph_from_drawing(case_c);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char code[1000];
        take(&heap, graph, "report", rows[i].breakdown);
        snprintf(code, sizeof code, "same(report, \"%s\")", rows[i].json);
        quickjs_heap_run(&heap, rows[i].breakdown, code);
    }
    ubi_graph_unref(graph);
    quickjs_heap_close(&heap);
}

static void keys_are_in_javascripts_order_and_any_name_is_a_key(void **state) {
    (void)state;
    quickjs_heap heap;
    quickjs_heap_open(&heap, NULL);
    ubi_graph *graph = graph_from_drawing(
        "1() -> 2, 3, 4, 5, 6; 2(coarse=object class=zeta); 3(coarse=object class=7); 4(coarse=object class=other);"
        "5(coarse=object class=__proto__); 6(coarse=object class=3)");
    take(&heap, graph, "report", "{ by: 'objectClass' }");
    /* The class "other" is counted under that key: nothing is lost. */
    quickjs_heap_run(&heap, "keys",
                     "assertText(Object.getOwnPropertyNames(report), ['3', '7', '__proto__', 'zeta', "
                     "'other']); assertEq(Object.getPrototypeOf(report), null);"
                     "assertEq(report.__proto__.count, 1); assertEq(report.other.count, 1);");
    ubi_graph_unref(graph);
    quickjs_heap_close(&heap);
}

static void numbers_above_2_to_53_are_doubles(void **state) {
    (void)state;
    quickjs_heap heap;
    quickjs_heap_open(&heap, NULL);
    ubi_graph *graph = graph_from_drawing("1() -> 9007199254740992; 9007199254740992(size=9223372036854775813)");
    take(&heap, graph, "report", "[{ by: 'count' }, { by: 'bucket' }]");
    quickjs_heap_run(&heap, "numbers", "assertEq(report[0].bytes, 2 ** 63); assertEq(report[1][0], 2 ** 53);");
    ubi_graph_unref(graph);
    quickjs_heap_close(&heap);
}

/** Frames of a file with the content of live frames are the same SavedFrames. */
static void stacks_of_a_file_and_of_the_heap_are_one_object_when_they_are_equal(void **state) {
    (void)state;
    quickjs_heap heap;
    quickjs_heap_open(&heap, NULL);
    ubi_graph *graph = graph_from_drawing(case_c);
    take(&heap, graph, "a", "{ by: 'allocationStack' }");
    take(&heap, graph, "b", "{ by: 'allocationStack' }");
    quickjs_heap_run(&heap, "same",
                     "const x = [...a.keys()], y = [...b.keys()]; assertEq(x.length, 3);"
                     "x.forEach((k, i) => assertEq(k, y[i])); assertEq(x[0].parent, x[1]);");
    ubi_graph_unref(graph);
    quickjs_heap_close(&heap);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reports_of_case_c_are_those_of_the_specification),
        cmocka_unit_test(keys_are_in_javascripts_order_and_any_name_is_a_key),
        cmocka_unit_test(numbers_above_2_to_53_are_doubles),
        cmocka_unit_test(stacks_of_a_file_and_of_the_heap_are_one_object_when_they_are_equal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
