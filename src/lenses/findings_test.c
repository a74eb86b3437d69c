/* SPDX-License-Identifier: MIT
 *
 * findings_test.c: each rule about the shape of a heap, just met and just missed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include <ubiheap/views/findings.h>

#include "drawing.h"
#include "fail_allocator.h"

#define MOST_FINDINGS 32

/* What was found last. */
static struct {
    ubi_finding at[MOST_FINDINGS];
    size_t n;
} findings;
static uint64_t first_example_id;
static ubi_read_info info = UBI_READ_INFO_INIT;

static void look_at_graph(ubi_graph *graph) {
    ubi_look *look;
    ubi_findings *found;
    ubi_findings_options options = UBI_FINDINGS_OPTIONS_INIT;
    options.info = &info;
    assert_int_equal(ubi_look_open(&look, NULL, graph, NULL), UBI_OK);
    assert_int_equal(ubi_findings_new(&found, look, &options), UBI_OK);
    findings.n = ubi_findings_count(found);
    assert_true(findings.n <= MOST_FINDINGS);
    for (uint32_t i = 0; i < findings.n; i++) {
        findings.at[i] = *ubi_findings_get(found, i);
        if (findings.at[i].n_nodes)
            first_example_id = ubi_graph_node_id(graph, findings.at[i].nodes[0]);
    }
    ubi_findings_free(found);
    ubi_look_close(look);
    ubi_graph_unref(graph);
}

static void look_at(const char *drawn) {
    look_at_graph(graph_from_drawing(drawn));
}

static const ubi_finding *found(const char *rule) {
    for (size_t i = 0; i < findings.n; i++)
        if (strcmp(findings.at[i].rule, rule) == 0)
            return &findings.at[i];
    return NULL;
}

static void a_quiet_heap_has_no_findings(void **state) {
    (void)state;
    look_at("root(size=10) -> a, b; a(size=11 class=A); b(size=12 class=B);");
    assert_int_equal(findings.n, 0);
}

static void a_large_node_is_named_with_its_share_and_id(void **state) {
    (void)state;
    look_at("1(size=65536) -> 2, 3; 2(size=65536 class=ArrayBuffer coarse=object); 3(size=100000 class=Map);");
    const ubi_finding *finding = found("largeNode");
    assert_non_null(finding);
    assert_string_equal(finding->text, "A single Map takes 97.7 KiB, 43.3% of everything.");
    assert_int_equal(finding->n_nodes, 1);
    assert_int_equal(first_example_id, 3);
    look_at("1(size=1) -> 2; 2(size=65535 class=ArrayBuffer);");
    assert_null(found("largeNode"));
}

static void a_dominating_kind_needs_company_and_more_than_one_node(void **state) {
    (void)state;
    look_at("root(size=10) -> a, b; a(size=40 class=Array); b(size=42 class=Array);");
    assert_string_equal(found("dominatingKind")->text,
                        "Array alone makes up 89.1% of the heap: 2 of them, 41 B on average.");
    look_at("root(size=10) -> a; a(size=80 class=Array);");
    assert_null(found("dominatingKind"));
}

static void unreachable_nodes_are_mentioned_from_one_percent_on(void **state) {
    (void)state;
    look_at("root -> a; lost(size=2048) -> a;");
    assert_non_null(strstr(found("unreachable")->text,
                           "1 node (33.3% of the file, 2.00 KiB) cannot be reached from the root and is not"));
    look_at("root -> a;");
    assert_null(found("unreachable"));
}

static ubi_str_ix string(ubi_graph_builder *builder, const char *text) {
    ubi_str_ix out;
    assert_int_equal(ubi_graph_builder_string(builder, &out, ubi__text(text)), UBI_OK);
    return out;
}

static void add_node(ubi_graph_builder *builder, uint64_t id, uint64_t size_bytes, ubi_kind kind) {
    ubi_node_desc node = { id, size_bytes, kind, UBI_NONE };
    assert_int_equal(ubi_graph_builder_node(builder, &node), UBI_OK);
}

/* root -> Hub (node 2) -> `n` leaves that are DOM nodes with this name. */
static void look_at_star(uint64_t n, uint64_t leaf_bytes, const char *name) {
    ubi_graph_builder *builder;
    ubi_graph *graph;
    assert_int_equal(ubi_graph_builder_new(&builder, NULL), UBI_OK);
    ubi_kind kind = { .type_name = string(builder, "T"),
                      .class_name = UBI_NONE,
                      .script_filename = UBI_NONE,
                      .descriptive_name = UBI_NONE,
                      .coarse_type = UBI_COARSE_OTHER };
    add_node(builder, 1, 1, kind);
    assert_int_equal(ubi_graph_builder_edge(builder, 2, UBI_NONE), UBI_OK);
    kind.class_name = string(builder, "Hub");
    add_node(builder, 2, 5, kind);
    for (uint64_t i = 0; i < n; i++)
        assert_int_equal(ubi_graph_builder_edge(builder, 3 + i, UBI_NONE), UBI_OK);
    kind.class_name = UBI_NONE;
    kind.descriptive_name = string(builder, name);
    kind.coarse_type = UBI_COARSE_DOM_NODE;
    for (uint64_t i = 0; i < n; i++)
        add_node(builder, 3 + i, leaf_bytes, kind);
    assert_int_equal(ubi_graph_builder_finish(&graph, builder), UBI_OK);
    ubi_graph_builder_free(builder);
    look_at_graph(graph);
}

static void a_node_with_very_many_edges_is_a_list_that_may_have_grown(void **state) {
    (void)state;
    look_at_star(1000, 1, "LI");
    assert_string_equal(found("wideNode")->text, "One Hub holds 1,000 references: a list or a table that grew?");
    look_at_star(999, 1, "LI");
    assert_null(found("wideNode"));
}

/* root -> a collection (node 2) -> `n` entries of this class, one edge each. */
static void look_at_collection(const char *engine_type, const char *class, const char *edge, uint64_t n,
                               const char *entry_class, uint64_t entry_bytes) {
    ubi_graph_builder *builder;
    ubi_graph *graph;
    assert_int_equal(ubi_graph_builder_new(&builder, NULL), UBI_OK);
    ubi_kind kind = { .type_name = string(builder, engine_type),
                      .class_name = UBI_NONE,
                      .script_filename = UBI_NONE,
                      .descriptive_name = UBI_NONE,
                      .coarse_type = UBI_COARSE_OTHER };
    ubi_str_ix shape = string(builder, "shape");
    add_node(builder, 1, 1, kind);
    assert_int_equal(ubi_graph_builder_edge(builder, 2, UBI_NONE), UBI_OK);
    ubi_kind engine_kind = kind;
    kind.type_name = string(builder, "JSObject");
    kind.class_name = string(builder, class);
    kind.coarse_type = UBI_COARSE_OBJECT;
    add_node(builder, 2, 5, kind);
    assert_int_equal(ubi_graph_builder_edge(builder, 3, shape), UBI_OK);
    for (uint64_t i = 0; i < n; i++) {
        char name[40];
        snprintf(name, sizeof name, edge, (unsigned)i);
        assert_int_equal(ubi_graph_builder_edge(builder, 4 + i, string(builder, name)), UBI_OK);
    }
    add_node(builder, 3, 1, engine_kind);
    kind.class_name = string(builder, entry_class);
    for (uint64_t i = 0; i < n; i++)
        add_node(builder, 4 + i, entry_bytes, kind);
    assert_int_equal(ubi_graph_builder_finish(&graph, builder), UBI_OK);
    ubi_graph_builder_free(builder);
    look_at_graph(graph);
}

static void collections_of_quickjs_and_firefox_grow_too(void **state) {
    (void)state;
    static const struct {
        const char *engine_type, *class, *edge;
    } known[] = { { "JSShape", "Map", "value" },
                  { "JSShape", "Set", "key" },
                  { "JSShape", "Array", "%u" },
                  { "JSShape", "Object", "session %u" },
                  { "js::Shape", "Map", "OrderedHashMapObject value" },
                  { "js::Shape", "Set", "HashableValue" },
                  { "js::Shape", "Array", "objectElements[%u]" },
                  { "js::Shape", "Object", "session %u" } };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        char text[160];
        look_at_collection(known[i].engine_type, known[i].class, known[i].edge, 200, "Session", 400);
        const ubi_finding *finding = found("growingCollection");
        assert_non_null(finding);
        assert_int_equal(finding->count, 200);
        assert_int_equal(finding->bytes, 5 + 1 + 200 * 400);
        assert_int_equal(first_example_id, 2);
        snprintf(text, sizeof text, "One %s holds 200 entries, nearly all Session, and keeps 78.1 KiB", known[i].class);
        assert_memory_equal(finding->text, text, strlen(text));
        assert_null(found("wideNode")); /* that says less */
        look_at_collection(known[i].engine_type, known[i].class, known[i].edge, 199, "Session", 400);
        assert_null(found("growingCollection"));
        look_at_collection(known[i].engine_type, known[i].class, known[i].edge, 200, "Session", 300);
        assert_null(found("growingCollection"));
        look_at_collection(known[i].engine_type, known[i].class, known[i].edge, 200, "Function", 400);
        assert_null(found("growingCollection"));
    }
    look_at_collection("JSShape", "Map", "key", 200, "Session", 400);
    assert_null(found("growingCollection"));
    look_at_collection("JSShape", "Array", "length", 200, "Session", 400);
    assert_null(found("growingCollection"));
}

/* `n` promises that the same function of QuickJS waits for, in calls that keep `bytes` each. */
static ubi_graph *graph_of_promises(unsigned n, unsigned bytes, const char *handler) {
    static char drawn[1 << 16];
    size_t at = (size_t)snprintf(drawn, sizeof drawn, "root(type=JSRuntime) -> f");
    for (unsigned i = 0; i < n; i++)
        at += (size_t)snprintf(drawn + at, sizeof drawn - at, ", p%u", i);
    at += (size_t)snprintf(drawn + at, sizeof drawn - at,
                           "; f(type=JSObject class=AsyncFunction coarse=object) -> c \"bytecode\";"
                           "c(type=JSFunctionBytecode coarse=script file=app.js);");
    for (unsigned i = 0; i < n; i++)
        at += (size_t)snprintf(drawn + at, sizeof drawn - at,
                               "p%u(type=JSObject class=Promise coarse=object) -> h%u \"%s\";"
                               "h%u(type=JSObject class=AsyncFunctionResolve coarse=object) -> s%u \"state\";"
                               "s%u(type=JSAsyncFunctionState size=%u) -> f \"function\";",
                               i, i, handler, i, i, i, bytes);
    assert_true(at < sizeof drawn);
    return graph_from_drawing(drawn);
}

static void look_at_promises(unsigned n, unsigned bytes, const char *handler) {
    look_at_graph(graph_of_promises(n, bytes, handler));
}

static void promises_of_quickjs_that_are_pending_are_reported(void **state) {
    (void)state;
    look_at_promises(100, 998, "handler");
    const ubi_finding *finding = found("pendingPromises");
    assert_non_null(finding);
    assert_int_equal(finding->count, 100);
    assert_int_equal(finding->bytes, 100 * 1000);
    assert_string_equal(finding->text, "100 promises that a function of app.js waits for are pending and keep 97.7 KiB "
                                       "alive. Does anything ever settle them?");
    look_at_promises(99, 998, "handler");
    assert_null(found("pendingPromises"));
    look_at_promises(100, 600, "handler");
    assert_null(found("pendingPromises"));
    look_at_promises(100, 998, "result");
    assert_null(found("pendingPromises"));
}

static void many_documents_hint_at_closed_pages(void **state) {
    (void)state;
    look_at_star(10, 1, "#document");
    assert_non_null(strstr(found("manyDocuments")->text, "10 documents are alive"));
    look_at_star(9, 1, "#document");
    assert_null(found("manyDocuments"));
}

static void a_crowd_is_many_small_things_that_do_not_dominate_by_size(void **state) {
    (void)state;
    look_at_star(1000, 0, "LI");
    assert_string_equal(found("crowd")->text, "99.8% of all nodes are LI: 1,000 of them, 0 B on average.");
    look_at_star(1000, 9, "LI");
    assert_null(found("crowd")); /* that is said already: */
    assert_non_null(found("dominatingKind"));
}

static void a_file_that_ends_early_comes_first(void **state) {
    (void)state;
    info.has_ended_early = true;
    snprintf(info.end_note, sizeof info.end_note, "a length of 0 at byte 12");
    look_at("root -> a; lost -> a;");
    info = (ubi_read_info)UBI_READ_INFO_INIT;
    assert_string_equal(findings.at[0].rule, "endedEarly");
    assert_non_null(strstr(findings.at[0].text, "a length of 0 at byte 12"));
}

static void long_labels_are_cut(void **state) {
    (void)state;
    char drawn[600], label[401];
    memset(label, 'x', 400);
    label[400] = 0;
    snprintf(drawn, sizeof drawn, "root(size=1) -> a; a(size=100000 class=%s);", label);
    look_at(drawn);
    assert_true(strlen(found("largeNode")->text) < 160);
    assert_non_null(strstr(found("largeNode")->text, "xxx... takes"));
}

static ubi_graph *failing_graph;

static ubi_status look_with(void *payload, const ubi_allocator *allocator) {
    ubi_look *look;
    ubi_findings *found;
    ubi_findings_options options = UBI_FINDINGS_OPTIONS_INIT;
    (void)payload;
    options.allocator = allocator;
    assert_int_equal(ubi_look_open(&look, NULL, failing_graph, NULL), UBI_OK);
    ubi_status status = ubi_findings_new(&found, look, &options);
    if (status == UBI_OK)
        ubi_findings_free(found);
    ubi_look_close(look);
    return status;
}

static void every_failed_allocation_has_a_way_out(void **state) {
    (void)state;
    failing_graph =
        graph_from_drawing("1(size=65536) -> 2, 3; 2(size=65536 class=ArrayBuffer); 3(size=100000 class=Map);");
    assert_true(fail_each_allocation(look_with, NULL) > 1);
    ubi_graph_unref(failing_graph);
}

static void nor_do_the_rules_for_quickjs_lose_anything(void **state) {
    (void)state;
    failing_graph = graph_of_promises(100, 998, "handler");
    assert_true(fail_each_allocation(look_with, NULL) > 10);
    ubi_graph_unref(failing_graph);
}

static void nor_do_the_rules_for_v8_lose_anything(void **state) {
    (void)state;
    assert_int_equal(ubi_graph_read_path(&failing_graph, "tests/data/v8/chromium-detached.heapsnapshot.gz", NULL, NULL),
                     UBI_OK);
    assert_true(fail_each_allocation(look_with, NULL) > 10);
    ubi_graph_unref(failing_graph);
}

static void options_of_another_version_are_refused(void **state) {
    (void)state;
    ubi_look *look;
    ubi_findings *found;
    ubi_findings_options options = { .version = 77 };
    ubi_graph *graph = graph_from_drawing("root");
    assert_int_equal(ubi_look_open(&look, NULL, graph, NULL), UBI_OK);
    assert_int_equal(ubi_findings_new(&found, look, &options), UBI_EINVAL);
    ubi_look_close(look);
    ubi_graph_unref(graph);
}

/* The scope of f and g has a buffer; both are of a package, k is the browser's own and h of the page. */
#define FIREFOX_SCOPE(file, own, bytes)                                                                                \
    "root(type=Root) -> f, g, h, k; s(size=100 type=JSObject coarse=object class=Call) -> b \"rows\", e \"shape\";"    \
    "f(type=JSObject coarse=object class=Function) -> c1 \"JSFunction script\", s \"**UNKNOWN SLOT 1**\";"             \
    "g(type=JSObject coarse=object class=Function) -> c1 \"JSFunction script\", s \"**UNKNOWN SLOT 1**\";"             \
    "h(type=JSObject coarse=object class=Function) -> c2 \"JSFunction script\";"                                       \
    "k(type=JSObject coarse=object class=Function) -> c3 \"JSFunction script\";"                                       \
    "b(size=" bytes " type=JSObject coarse=object class=ArrayBuffer); e(type=js::Shape);"                              \
    "c1(type=js::BaseScript coarse=script file=" file "); c2(type=js::BaseScript coarse=script file=" own ");"         \
    "c3(type=js::BaseScript coarse=script file=chrome);"

#define MODULES "localhost/node_modules/@big/cache/index.js"

static void packages_of_pages_are_those_of_their_scripts(void **state) {
    (void)state;
    look_at(FIREFOX_SCOPE(MODULES, "localhost/app.js", "2000000"));
    assert_string_equal(found("package")->text,
                        "Package @big/cache alone keeps 1.91 MiB alive, 100.0% of the heap, 1.91 MiB of it data "
                        "(2 functions of 1 file). Other packages keep 0 B, the program itself 4 B, the runtime 0 B.");
    look_at(FIREFOX_SCOPE("localhost/other.js", "localhost/app.js", "2000000"));
    assert_null(found("package"));
    look_at(FIREFOX_SCOPE(MODULES, "localhost/app.js", "1000000"));
    assert_null(found("package"));
}

static void variables_of_a_page_that_keep_much_are_reported(void **state) {
    (void)state;
    look_at(FIREFOX_SCOPE("app.js", "b.js", "70000"));
    assert_string_equal(found("closureContext")->text,
                        "Variable rows of a function of app.js alone keeps 68.4 KiB alive; "
                        "1 other function shares its scope.");
    look_at(FIREFOX_SCOPE("self-hosted", "b.js", "70000"));
    assert_null(found("closureContext"));
    look_at(FIREFOX_SCOPE("app.js", "b.js", "60000"));
    assert_null(found("closureContext"));
}

/* A module exports a function with a captured variable; another function is the program's. */
#define QUICKJS_MODULE(file, bytes)                                                                                    \
    "root(type=Root) -> m, p; m(type=JSModuleDef) -> v \"keep\"; v(type=JSVarRef) -> f \"value\";"                     \
    "f(type=JSObject coarse=object class=Function) -> c \"bytecode\", w \"cache\"; w(type=JSVarRef) -> b \"value\";"   \
    "b(size=" bytes " type=JSObject coarse=object class=Map);"                                                         \
    "c(type=JSFunctionBytecode coarse=script file=" file ");"                                                          \
    "p(type=JSObject coarse=object class=Function) -> d \"bytecode\";"                                                 \
    "d(type=JSFunctionBytecode coarse=script file=main.js)"

static void packages_of_quickjs_are_those_of_its_modules(void **state) {
    (void)state;
    look_at(QUICKJS_MODULE("node_modules/cachey/index.js", "1100000"));
    assert_string_equal(found("package")->text,
                        "Package cachey alone keeps 1.05 MiB alive, 100.0% of the heap, 1.05 MiB of it data "
                        "(1 function of 1 file). Other packages keep 0 B, the program itself 2 B, the runtime 0 B.");
    look_at(QUICKJS_MODULE("lib/index.js", "1100000"));
    assert_null(found("package"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_quiet_heap_has_no_findings),
        cmocka_unit_test(a_large_node_is_named_with_its_share_and_id),
        cmocka_unit_test(a_dominating_kind_needs_company_and_more_than_one_node),
        cmocka_unit_test(unreachable_nodes_are_mentioned_from_one_percent_on),
        cmocka_unit_test(a_node_with_very_many_edges_is_a_list_that_may_have_grown),
        cmocka_unit_test(collections_of_quickjs_and_firefox_grow_too),
        cmocka_unit_test(promises_of_quickjs_that_are_pending_are_reported),
        cmocka_unit_test(many_documents_hint_at_closed_pages),
        cmocka_unit_test(a_crowd_is_many_small_things_that_do_not_dominate_by_size),
        cmocka_unit_test(a_file_that_ends_early_comes_first),
        cmocka_unit_test(long_labels_are_cut),
        cmocka_unit_test(every_failed_allocation_has_a_way_out),
        cmocka_unit_test(nor_do_the_rules_for_quickjs_lose_anything),
        cmocka_unit_test(nor_do_the_rules_for_v8_lose_anything),
        cmocka_unit_test(packages_of_pages_are_those_of_their_scripts),
        cmocka_unit_test(variables_of_a_page_that_keep_much_are_reported),
        cmocka_unit_test(packages_of_quickjs_are_those_of_its_modules),
        cmocka_unit_test(options_of_another_version_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
