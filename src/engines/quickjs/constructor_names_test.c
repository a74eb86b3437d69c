/* SPDX-License-Identifier: MIT
 *
 * What objects are called beyond their class.
 */
#include "engines/quickjs/walk_for_tests.h"
#include "fail_allocator.h"

static const char classes[] =
    "var never = () => { throw new Error('a script ran'); };\n"
    "class Connection {} class Secure extends Connection {} class Cache extends Map {} class List extends Array {}\n"
    "function Old() {} function Replaced() {} Replaced.prototype = { m() {} };\n"
    "var Named = class {}, Other = class Inner {}, nameless = [class {}][0];\n"
    "class Renamed { static name = 'Pretty'; } class Method { static name() {} }\n"
    "class Getter { static get name() { never(); } }\n"
    "class Computed {} Object.defineProperty(Computed.prototype, 'constructor', { get: never });\n"
    "class Lying {} Lying.prototype.constructor = { name: 'no function' };\n"
    "class \\u00c4nderung {} class \\u{1d4d2}lass {} var wide = [class { static name = '\\u20ac' }][0];\n"
    "class Owner { constructor() { Object.defineProperty(this, 'constructor', { value: never }); } }\n"
    "class ArrayLike extends Uint8Array {} class Failure extends TypeError {} class Array2 {}\n"
    "function fn() {} fn.bound = fn.bind(); class Object2 {}\n";

/* NULL: what the class says is all. */
static const struct {
    const char *script, *name;
} cases[] = {
    { "new Connection", "Connection" },
    { "new Secure", "Secure" },
    { "new Old", "Old" },
    { "new Replaced", NULL },
    { "new Named", "Named" },
    { "new Other", "Inner" },
    { "new nameless", NULL },
    { "new Renamed", "Pretty" },
    { "new Method", NULL },
    { "new Getter", NULL },
    { "new Computed", NULL },
    { "new Lying", NULL },
    { "new \\u00c4nderung", "\303\204nderung" },
    { "new \\u{1d4d2}lass", "\360\235\223\222lass" },
    { "new wide", "\342\202\254" },
    { "new Owner", NULL },
    { "Object.create(Connection.prototype)", "Connection" },
    { "Object.setPrototypeOf({}, Connection.prototype)", "Connection" },
    { "Object.create(new Connection)", NULL },
    { "Object.create(null)", NULL },
    { "({})", NULL },
    { "({ constructor: Connection })", NULL },
    /* prototypes are not instances */
    { "Connection.prototype", NULL },
    { "Secure.prototype", NULL },
    { "TypeError.prototype", NULL },
    { "Int8Array.prototype", NULL },
    /* other classes of the engine */
    { "[1]", NULL },
    { "new List", "List" },
    { "new Map", NULL },
    { "new Cache", "Cache" },
    { "new Uint8Array(1)", NULL },
    { "new ArrayLike(1)", "ArrayLike" },
    { "new Error", NULL },
    { "new TypeError", "TypeError" },
    { "new Failure", "Failure" },
    { "new Date", NULL },
    { "/x/", NULL },
    { "Object(1)", NULL },
    { "Promise.resolve()", NULL },
    { "fn", NULL },
    { "fn.bound", NULL },
    { "Connection", NULL },
    { "Secure", NULL },
    { "(function* () {})", NULL },
    { "(function* () {})()", NULL },
    { "(async () => {})", NULL },
    { "(function () { return arguments; })()", NULL },
    { "Math", NULL },
    { "[].values()", NULL },
    { "new Proxy(new Connection, {})", "Proxy" },
    { "new Proxy(fn, {})", "Proxy" },
};

static void assert_named(ubi_node node, const char *expected, const char *script) {
    ubi_text name = ubi_node_descriptive_name(node);
    bool same = expected ? name.ptr && name.len == strlen(expected) && memcmp(name.ptr, expected, name.len) == 0
                         : name.ptr == NULL;
    if (!same)
        fail_msg("%s: %.*s, expected %s", script, (int)name.len, name.ptr ? name.ptr : "",
                 expected ? expected : "none");
}

static void objects_are_called_by_their_constructor(void **state) {
    (void)state;
    test_runtime t = test_runtime_new();
    test_run(t.ctx, classes);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        test_walk w;
        JSValue value = test_eval_as(t.ctx, cases[i].script, JS_EVAL_TYPE_GLOBAL);
        test_freeze(&w, &t, NULL);
        assert_named(test_node_of(&w, &t, value), cases[i].name, cases[i].script);
        test_thaw(&w);
        JS_FreeValue(t.ctx, value);
    }
    test_runtime_free(&t);
}

static void only_objects_have_such_names(void **state) {
    (void)state;
    test_runtime t = test_runtime_new();
    test_walk w;
    test_run(t.ctx, classes);
    test_run(t.ctx, "globalThis.c = new Connection;");
    test_freeze(&w, &t, NULL);
    for (uint64_t ref = 0; ref <= w.heap.root.ref; ref++)
        if (ubi_node_coarse_type(test_node(&w, ref)) != UBI_COARSE_OBJECT)
            assert_named(test_node(&w, ref), NULL, "no object");
    test_thaw(&w);
    test_runtime_free(&t);
}

/* ---- groups --------------------------------------------------------------------------------------------------------- */

/* More prototypes than places in the table, names that are equal, and classes that share a name. */
static void groups_share_their_texts(void **state) {
    (void)state;
    test_runtime t = test_runtime_new();
    test_walk w;
    test_run(t.ctx, classes);
    test_run(t.ctx,
             "var all = [];\n"
             "for (let i = 0; i < 5000; i++) all.push(new (class { static name = 'C' + i % 3000; }));\n"
             "for (let i = 0; i < 5000; i++) all.push(new (class Same {}), new (class Same extends Map {}));\n"
             "for (let i = 0; i < 3; i++) for (const C of [Connection, Cache, Failure, List]) all.push(new C);\n");
    test_freeze(&w, &t, NULL);
    uint32_t n = test_groups(&w);
    assert_in_range(n, 5000, 5200); /* of names that are equal but not one string, each is a group */
    for (uint64_t ref = 0; ref <= w.heap.root.ref; ref++) /* again, when all is known */
        assert_true(ubi_node_group(test_node(&w, ref)) == UBI_NONE || ubi_node_group(test_node(&w, ref)) < 6000);
    test_thaw(&w);
    test_freeze(&w, &t, NULL);
    assert_int_equal(test_groups(&w), n);
    test_thaw(&w);
    test_runtime_free(&t);
}

/* ---- no memory ------------------------------------------------------------------------------------------------------ */

/* A graph comes out, perhaps without some of the names, or an error says that there is no memory. */
static bool name_all(const test_runtime *t, const ubi_allocator *allocator) {
    ubi_quickjs_options options = UBI_QUICKJS_OPTIONS_INIT;
    ubi_quickjs *tools;
    ubi_graph *graph;
    options.allocator = allocator;
    ubi_status status = ubi_quickjs_attach(&tools, t->rt, &options);
    if (status != UBI_OK) {
        assert_int_equal(status, UBI_ENOMEM);
        return false;
    }
    status = ubi_target_capture(&graph, ubi_quickjs_target(tools), NULL, NULL);
    if (status == UBI_OK)
        ubi_graph_unref(graph);
    else
        assert_int_equal(status, UBI_ENOMEM);
    ubi_quickjs_detach(tools);
    return status == UBI_OK;
}

static void a_graph_without_memory_for_names_is_whole(void **state) {
    (void)state;
    test_runtime t = test_runtime_new();
    uint32_t n_good = 0, n_bad = 0;
    bool refused = true;
    test_run(t.ctx, classes);
    test_run(t.ctx, "var all = [new Connection, new Cache, new \\u00c4nderung, new wide];");
    ubi_quickjs_detach(t.tools);
    for (uint64_t allowed = 0; refused; allowed++) {
        fail_allocator f;
        fail_allocator_init(&f, allowed);
        if (name_all(&t, &f.allocator))
            n_good++;
        else
            n_bad++;
        refused = f.n_refused > 0;
        fail_allocator_fini(&f);
    }
    assert_true(n_bad > 10 && n_good > 3);
    assert_int_equal(ubi_quickjs_attach(&t.tools, t.rt, NULL), UBI_OK);
    test_clean_coverage(&t);
    test_runtime_free(&t);
}

/* Each node is named when there is memory for it; groups still hold. */
static void names_without_memory_are_left_out(void **state) {
    (void)state;
    fail_allocator f;
    ubi_quickjs_options options = UBI_QUICKJS_OPTIONS_INIT;
    fail_allocator_init(&f, FAIL_ALLOCATOR_NEVER);
    options.allocator = &f.allocator;
    test_runtime t = test_runtime_new_with(&options);
    test_run(t.ctx, classes);
    test_run(t.ctx,
             "var all = []; for (let i = 0; i < 40; i++) all.push(new (class { static name = '\\u20ac' + i }));");
    for (uint64_t allowed = 0; allowed < 60; allowed++) {
        test_walk w;
        test_freeze(&w, &t, NULL);
        f.n_allowed = f.n_requests + allowed;
        test_groups(&w);
        f.n_allowed = FAIL_ALLOCATOR_NEVER;
        test_groups(&w);
        test_thaw(&w);
    }
    test_runtime_free(&t);
    fail_allocator_fini(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(objects_are_called_by_their_constructor),
        cmocka_unit_test(only_objects_have_such_names),
        cmocka_unit_test(groups_share_their_texts),
        cmocka_unit_test(a_graph_without_memory_for_names_is_whole),
        cmocka_unit_test(names_without_memory_are_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
