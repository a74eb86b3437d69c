/* SPDX-License-Identifier: MIT */
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
    { "(function* (a, b) { const local = { a }; yield local; })({ a: 1 }, 'b')",
      "shape:JSShape function:GeneratorFunction a:Object b:JSString" },
    { "const running = (function* (a) { const local = { a }; const more = [1]; yield [local, more]; })({}); "
      "running.next(); running",
      "shape:JSShape function:GeneratorFunction a:Object local:Object more:Array" },
    { "(function* (a) { yield 1; })({}).return(1)", "shape:JSShape" },
    { "const stream = (async function* (a) { yield a; })({ a: 1 }); stream.next(); stream.next({}); stream",
      "shape:JSShape request promise:Promise request resolve:PromiseResolveFunction request "
      "reject:PromiseRejectFunction request value:Object request promise:Promise request "
      "resolve:PromiseResolveFunction request reject:PromiseRejectFunction function:AsyncGeneratorFunction a:Object" },
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

static void edges_are_named(void **state) {
    (void)state;
    test_runtime t = test_runtime_new();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        test_walk w;
        JSValue value = test_eval_as(t.ctx, cases[i].script, JS_EVAL_TYPE_GLOBAL);
        test_freeze(&w, &t, NULL);
        assert_string_equal(test_edges_of_node(&w, test_node_of(&w, &t, value)), cases[i].edges);
        test_thaw(&w);
        JS_FreeValue(t.ctx, value);
    }
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
        assert_string_equal(test_edges_of_node(&w, code), code_cases[i].edges);
        test_thaw(&w);
        JS_FreeValue(t.ctx, value);
    }
    test_runtime_free(&t);
}

/* What waits hangs on the functions that will wake it: the promise leads to them, and they to its state. */
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(edges_are_named),
        cmocka_unit_test(edges_of_code_are_named),
        cmocka_unit_test(an_async_function_that_waits_is_a_node),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
