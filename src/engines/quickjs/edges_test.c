/* SPDX-License-Identifier: MIT */
#include "engine_facts.h"
#include "engines/quickjs/walk_for_tests.h"

static const struct {
    const char *script;
    const char *edges;
} cases[] = {
    { "({ a: 'text', b: [1], c: 1.5, d: null })", "shape:JSShape a:JSString b:Array" },
    { "({ get g() { return 1; }, set g(v) {}, set s(v) {} })",
      "shape:JSShape get g:Function set g:Function set s:Function" },
    { "({ [Symbol('key')]: {}, 7: {}, '\\u00e9t\\u00e9': {}, '\\ud83d\\ude00': {}, '\\ud800': {} })",
      "shape:JSShape Symbol(key):Object 7:Object \303\251t\303\251:Object \360\237\230\200:Object "
      "\355\240\200:Object" },
    { "[{}, 'text', 1, []]", "shape:JSShape 0:Object 1:JSString 3:Array" },
    { "const a1 = [1, {}]; a1.extra = {}; a1", "shape:JSShape extra:Object 1:Object" },
    { "(() => { const captured = {}; let other = 's'; return function f() { return [captured, other]; }; })()",
      "shape:JSShape name:JSString auto-init realm:JSContext bytecode:JSFunctionBytecode captured:JSVarRef "
      "other:JSVarRef" },
    { "(class A { m() { return super.m(); } }).prototype.m",
      "shape:JSShape name:JSString bytecode:JSFunctionBytecode home_object:Object" },
    { "(class B { static s = {}; #p = {}; get v() { return this.#p; } })",
      "shape:JSShape name:JSString prototype:Object s:Object bytecode:JSFunctionBytecode "
      "<class_fields_init>:JSVarRef" },
    { "(function target() {}).bind({ self: 1 }, 1, 'argument', {})",
      "shape:JSShape name:JSString target:Function this:Object argument 1:JSString argument 2:Object" },
    { "Math.max", "shape:JSShape name:JSString realm:JSContext" },
    { "new Map([[{ k: 1 }, 'v'], ['k2', {}]])", "shape:JSShape key:Object value:JSString key:JSString value:Object" },
    { "new Set([{}, 'text', 1])", "shape:JSShape key:Object key:JSString" },
    { "globalThis.weakKey = {}; new WeakMap([[weakKey, { value: 1 }]])", "shape:JSShape value:Object" },
    { "new WeakSet([weakKey])", "shape:JSShape" },
    { "new Map([[1, {}]]).entries()", "shape:JSShape object:Map" },
    { "[{}].values()", "shape:JSShape object:Array" },
    { "'xaby'.matchAll(/b/g)", "shape:JSShape regexp:RegExp string:JSString" },
    { "/a(b)/g", "shape:JSShape pattern:JSString bytecode:JSString" },
    { "new Uint8Array(4)", "shape:JSShape buffer:ArrayBuffer" },
    { "new DataView(new ArrayBuffer(4))", "shape:JSShape buffer:ArrayBuffer" },
    { "new Proxy({ t: 1 }, { get() {} })", "shape:JSShape target:Object handler:Object" },
    { "Object('boxed')", "shape:JSShape primitive:JSString" },
    { "Object(Symbol('boxed'))", "shape:JSShape primitive:JSSymbol" },
    { "new Promise(() => {})", "shape:JSShape" },
    { "const pending = new Promise(() => {}); pending.then(v => v, e => e); pending",
      "shape:JSShape resolve:PromiseResolveFunction reject:PromiseRejectFunction handler:Function "
      "resolve:PromiseResolveFunction reject:PromiseRejectFunction handler:Function" },
    { "Promise.resolve({ settled: 1 })", "shape:JSShape result:Object" },
    { "let resolve; new Promise(r => { resolve = r; }); resolve", "shape:JSShape name:JSString promise:Promise" },
    { "(function (a, b) { return arguments; })({}, 'text', [])",
      "shape:JSShape 0:JSVarRef 1:JSVarRef 2:Array Symbol(Symbol.iterator):Function callee:Function" },
    { "(function (...rest) { return arguments; })({}, 'text')",
      "shape:JSShape Symbol(Symbol.iterator):Function get callee:Function set callee:Function 0:Object 1:JSString" },
    { "new Error('message')", "shape:JSShape message:JSString stack:JSString" },
    { "Symbol('s')", "" },
    { "'some text'", "" },
    { "({ n: 123456789012345678901234567890n, f: 1.5 })", "shape:JSShape n:JSBigInt" },
    { "Object(2n ** 70n)", "shape:JSShape primitive:JSBigInt" },
    { "Object(5)", "shape:JSShape" },
    { "new Date(0)", "shape:JSShape" },
    { "new Set([{}]).values()", "shape:JSShape object:Set" },
    { "'abc'[Symbol.iterator]()", "shape:JSShape object:JSString" },
    { "const revocable = Proxy.revocable({}, {}); revocable.revoke", "shape:JSShape name:JSString data 0:Object" },
    { "revocable.revoke(); revocable.proxy", "shape:JSShape target:Object handler:Object" },
    { "const sparse = []; sparse[5] = {}; sparse[2] = 'text'; sparse", "shape:JSShape 5:Object 2:JSString" },
    { "(() => { let a = {}; return () => eval('a'); })()",
      "shape:JSShape name:JSString bytecode:JSFunctionBytecode a:JSVarRef this:JSVarRef new.target:JSVarRef" },
};

/* Where coroutines are nodes of their own: the generator, and what its "state" leads to. */
static const struct {
    const char *script;
    const char *edges;
    const char *state;
    const char *edges_in_one; /* where they are not */
} coroutine_cases[] = {
    { "(function* (a, b) { const local = { a }; yield local; })({ a: 1 }, 'b')",
      "shape:JSShape state:JSAsyncFunctionState", "function:GeneratorFunction a:Object b:JSString",
      "shape:JSShape function:GeneratorFunction a:Object b:JSString" },
    { "const running = (function* (a) { const local = { a }; const more = [1]; yield [local, more]; })({}); "
      "running.next(); running",
      "shape:JSShape state:JSAsyncFunctionState", "function:GeneratorFunction a:Object local:Object more:Array",
      "shape:JSShape function:GeneratorFunction a:Object local:Object more:Array" },
    { "(function* (a) { yield 1; })({}).return(1)", "shape:JSShape", NULL, "shape:JSShape" },
    { "const stream = (async function* (a) { yield a; })({ a: 1 }); stream.next(); stream.next({}); stream",
      "shape:JSShape request promise:Promise request resolve:PromiseResolveFunction request "
      "reject:PromiseRejectFunction request value:Object request promise:Promise request "
      "resolve:PromiseResolveFunction request reject:PromiseRejectFunction state:JSAsyncFunctionState",
      "function:AsyncGeneratorFunction a:Object",
      "shape:JSShape request promise:Promise request resolve:PromiseResolveFunction request "
      "reject:PromiseRejectFunction request value:Object request promise:Promise request "
      "resolve:PromiseResolveFunction request reject:PromiseRejectFunction function:AsyncGeneratorFunction a:Object" },
};

/* Of the bytecode of a function. */
static const struct {
    const char *script;
    const char *edges;
} code_cases[] = {
    { "(function named(argument) { let local = 'a text'; return [local, argument, outer, 1.5, /x/]; })",
      "realm:JSContext constant 1:JSString constant 2:JSString func_name:JSString variable name:JSString "
      "variable name:JSString filename:JSString instruction atom:JSString instruction atom:JSString" },
    { "(() => { const captured = {}; return function () { return () => captured; }; })()",
      "realm:JSContext constant 0:JSFunctionBytecode closure variable name:JSString filename:JSString" },
};

/* What engines that are as `fact` says have instead. */
static const struct {
    engine_fact fact;
    const char *script;
    const char *edges;
} other_cases[] = {
    { ENGINE_MAPS_BY_VARIABLES, "(function (a, b) { return arguments; })({}, 'text', [])",
      "shape:JSShape Symbol(Symbol.iterator):Function callee:Function 0:JSVarRef 1:JSVarRef 2:JSVarRef" },
    { ENGINE_BINDS_GLOBALS, "(() => { let a = {}; return () => eval('a'); })()",
      "shape:JSShape name:JSString bytecode:JSFunctionBytecode a:JSVarRef this:JSVarRef new.target:JSVarRef "
      "eval:JSVarRef" },
    { ENGINE_BINDS_GLOBALS,
      "(function named(argument) { let local = 'a text'; return [local, argument, outer, 1.5, /x/]; })",
      "realm:JSContext constant 1:JSString constant 2:JSString func_name:JSString variable name:JSString "
      "variable name:JSString closure variable name:JSString filename:JSString instruction atom:JSString" },
};

static const char *edges_here(const char *script, const char *edges) {
    for (size_t i = 0; i < sizeof other_cases / sizeof *other_cases; i++)
        if (engine_is(other_cases[i].fact) && strcmp(other_cases[i].script, script) == 0)
            return other_cases[i].edges;
    return edges;
}

/* All differences are shown before the test fails. */
static int n_different;
static void compare_edges(const char *script, const char *edges, const char *expected) {
    if (strcmp(edges, expected) == 0)
        return;
    print_error("%s\n  has      %s\n  expected %s\n", script, edges, expected);
    n_different++;
}
static void assert_none_differ(void) {
    int n = n_different;
    n_different = 0;
    assert_int_equal(n, 0);
}

static void edges_are_named(void **state) {
    (void)state;
    test_runtime t = test_runtime_new();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        test_walk w;
        JSValue value = test_eval_as(t.ctx, cases[i].script, JS_EVAL_TYPE_GLOBAL);
        test_freeze(&w, &t, NULL);
        compare_edges(cases[i].script, test_edges_of_node(&w, test_node_of(&w, &t, value)),
                      edges_here(cases[i].script, cases[i].edges));
        test_thaw(&w);
        JS_FreeValue(t.ctx, value);
    }
    test_runtime_free(&t);
    assert_none_differ();
}

static void edges_of_coroutines_are_named(void **state) {
    (void)state;
    test_runtime t = test_runtime_new();
    for (size_t i = 0; i < sizeof coroutine_cases / sizeof *coroutine_cases; i++) {
        bool are_nodes = engine_is(ENGINE_COROUTINES_ARE_NODES);
        test_walk w;
        JSValue value = test_eval_as(t.ctx, coroutine_cases[i].script, JS_EVAL_TYPE_GLOBAL);
        test_freeze(&w, &t, NULL);
        ubi_node node = test_node_of(&w, &t, value);
        compare_edges(coroutine_cases[i].script, test_edges_of_node(&w, node),
                      are_nodes ? coroutine_cases[i].edges : coroutine_cases[i].edges_in_one);
        if (are_nodes && coroutine_cases[i].state)
            compare_edges(coroutine_cases[i].script, test_edges_of_node(&w, test_follow(node, "state")),
                          coroutine_cases[i].state);
        test_thaw(&w);
        JS_FreeValue(t.ctx, value);
    }
    test_runtime_free(&t);
    assert_none_differ();
}

/* What was registered: an array with a token, a text without one. */
static const char *edges_of_registry(void) {
    if (engine_is(ENGINE_ENTRIES_HAVE_REALMS))
        return "shape:JSShape callback:Function held value:Array token:Object callback:Function realm:JSContext "
               "held value:JSString callback:Function realm:JSContext";
    if (engine_is(ENGINE_REGISTRY_HAS_TOKENS))
        return "shape:JSShape callback:Function held value:Array token:Object held value:JSString";
    if (engine_is(ENGINE_REGISTRY_HAS_REALM))
        return "shape:JSShape held value:Array held value:JSString callback:Function realm:JSContext";
    return "shape:JSShape held value:Array held value:JSString callback:Function";
}

static void registries_lead_to_what_they_hold(void **state) {
    (void)state;
    ENGINE_NEEDS(ENGINE_HAS_WEAK_REFS);
    test_runtime t = test_runtime_new();
    test_walk w;
    JSValue value = test_eval_as(t.ctx,
                                 "globalThis.target = {}; globalThis.weak = new WeakRef(target);\n"
                                 "const registry = new FinalizationRegistry(() => {});\n"
                                 "registry.register(target, [1], {}); registry.register(weak, 'held'); registry",
                                 JS_EVAL_TYPE_GLOBAL);
    JSValue weak = test_eval_as(t.ctx, "weak", JS_EVAL_TYPE_GLOBAL);
    test_freeze(&w, &t, NULL);
    assert_string_equal(test_edges_of_node(&w, test_node_of(&w, &t, value)), edges_of_registry());
    assert_string_equal(test_edges_of_node(&w, test_node_of(&w, &t, weak)), "shape:JSShape");
    test_thaw(&w);
    JS_FreeValue(t.ctx, weak);
    JS_FreeValue(t.ctx, value);
    test_clean_coverage(&t);
    test_runtime_free(&t);
}

static void edges_of_code_are_named(void **state) {
    (void)state;
    test_runtime t = test_runtime_new();
    for (size_t i = 0; i < sizeof code_cases / sizeof *code_cases; i++) {
        test_walk w;
        JSValue value = test_eval_as(t.ctx, code_cases[i].script, JS_EVAL_TYPE_GLOBAL);
        test_freeze(&w, &t, NULL);
        ubi_node code = test_follow(test_node_of(&w, &t, value), "bytecode");
        compare_edges(code_cases[i].script, test_edges_of_node(&w, code),
                      edges_here(code_cases[i].script, code_cases[i].edges));
        test_thaw(&w);
        JS_FreeValue(t.ctx, value);
    }
    test_runtime_free(&t);
    assert_none_differ();
}

/* What waits is held by the functions that will wake it: the promise leads to them, and they to its state. */
static void an_async_function_that_waits_is_a_node(void **state) {
    (void)state;
    test_runtime t = test_runtime_new();
    test_walk w;
    JSValue promise = test_eval_as(t.ctx,
                                   "globalThis.event = new Promise(() => {});\n"
                                   "(async function (a) { const mine = [a]; await event; return mine; })({});\n"
                                   "event",
                                   JS_EVAL_TYPE_GLOBAL);
    test_freeze(&w, &t, NULL);
    ubi_node resume = test_follow(test_node_of(&w, &t, promise), "handler"), waiting = test_follow(resume, "state");
    assert_string_equal(test_edges_of_node(&w, waiting),
                        "function:AsyncFunction a:Object mine:Array resolve:PromiseResolveFunction "
                        "reject:PromiseRejectFunction");
    assert_string_equal(ubi_node_type_name(waiting).ptr, "JSAsyncFunctionState");
    test_thaw(&w);
    JS_FreeValue(t.ctx, promise);
    test_runtime_free(&t);
}

/* ---- three ways to ask ---------------------------------------------------------------------------------------------- */

typedef struct test_edge_list {
    uint32_t n;
    uint64_t refs[4096];
    char names[64 * 1024]; /* one after the other */
    size_t n_names;
} test_edge_list;

static bool list_edge(void *payload, ubi_node referent, ubi_text name) {
    test_edge_list *list = payload;
    assert_true(list->n < 4096 && list->n_names + name.len + 1 < sizeof list->names);
    list->refs[list->n++] = referent.ref;
    list->n_names += (size_t)snprintf(list->names + list->n_names, sizeof list->names - list->n_names, "%c%.*s",
                                      name.ptr ? '.' : '-', (int)name.len, name.ptr ? name.ptr : "");
    return true;
}

typedef struct test_keyed_list {
    ubi_node origin;
    test_edge_list list;
} test_keyed_list;

static bool list_keyed_edges(void *payload, const ubi_keyed_edge *edges, uint32_t n) {
    test_keyed_list *keyed = payload;
    assert_true(n > 0);
    for (uint32_t i = 0; i < n; i++) {
        ubi_node referent = { keyed->origin.ops, keyed->origin.heap, edges[i].ref };
        ubi_text name = referent.ops->edge_name(referent.heap, edges[i].name);
        assert_int_equal(edges[i].id, ubi_node_id(referent));
        if (edges[i].name.base == UBI_EDGE_KEY_NUMBER) {
            char digits[24];
            assert_int_equal(snprintf(digits, sizeof digits, "%u", (unsigned)edges[i].name.number), name.len);
            assert_memory_equal(digits, name.ptr, name.len);
        }
        list_edge(&keyed->list, referent, name);
    }
    return true;
}

/* Of every node, the root list among them, whose names are put together, and arrays of more edges than are given at once. */
static void edges_with_keys_with_names_and_without_are_the_same(void **state) {
    static test_edge_list named, plain;
    static test_keyed_list keyed;
    (void)state;
    test_runtime t = test_runtime_new();
    test_walk w;
    JSValue value = test_eval_as(t.ctx, "const a = []; for (let i = 0; i < 200; i++) a.push({ i }, 'text ' + i); a",
                                 JS_EVAL_TYPE_GLOBAL);
    test_freeze(&w, &t, NULL);
    for (uint64_t ref = 0; ref <= w.heap.root.ref; ref++) {
        ubi_node node = test_node(&w, ref);
        named.n = plain.n = keyed.list.n = 0;
        named.n_names = plain.n_names = keyed.list.n_names = 0;
        keyed.origin = node;
        assert_true(ubi_node_edges(node, true, list_edge, &named));
        assert_true(ubi_node_edges(node, false, list_edge, &plain));
        assert_true(node.ops->keyed_edges(node, list_keyed_edges, &keyed));
        assert_int_equal(plain.n, named.n);
        assert_int_equal(keyed.list.n, named.n);
        assert_memory_equal(plain.refs, named.refs, named.n * sizeof *named.refs);
        assert_memory_equal(keyed.list.refs, named.refs, named.n * sizeof *named.refs);
        assert_string_equal(keyed.list.names, named.names);
    }
    test_thaw(&w);
    JS_FreeValue(t.ctx, value);
    test_runtime_free(&t);
}

static bool stop_at_third(void *payload, ubi_node referent, ubi_text name) {
    (void)referent, (void)name;
    return ++*(uint32_t *)payload < 3;
}
static bool stop_at_once(void *payload, const ubi_keyed_edge *edges, uint32_t n) {
    (void)edges, (void)n;
    ++*(uint32_t *)payload;
    return false;
}

static void an_enumeration_ends_when_its_function_says_so(void **state) {
    (void)state;
    test_runtime t = test_runtime_new();
    test_walk w;
    JSValue value = test_eval_as(t.ctx, "new Array(200).fill({})", JS_EVAL_TYPE_GLOBAL);
    test_freeze(&w, &t, NULL);
    ubi_node node = test_node_of(&w, &t, value);
    uint32_t named = 0, plain = 0, keyed = 0;
    assert_false(ubi_node_edges(node, true, stop_at_third, &named));
    assert_false(ubi_node_edges(node, false, stop_at_third, &plain));
    assert_false(node.ops->keyed_edges(node, stop_at_once, &keyed));
    assert_int_equal(named, 3);
    assert_int_equal(plain, 3);
    assert_int_equal(keyed, 1);
    test_thaw(&w);
    JS_FreeValue(t.ctx, value);
    test_runtime_free(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(edges_are_named),
        cmocka_unit_test(edges_of_coroutines_are_named),
        cmocka_unit_test(registries_lead_to_what_they_hold),
        cmocka_unit_test(edges_of_code_are_named),
        cmocka_unit_test(an_async_function_that_waits_is_a_node),
        cmocka_unit_test(edges_with_keys_with_names_and_without_are_the_same),
        cmocka_unit_test(an_enumeration_ends_when_its_function_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
