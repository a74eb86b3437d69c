/* SPDX-License-Identifier: MIT
 *
 * Random programs, and the self-checks of a walk after each and in the middle of each: whatever a program does, nothing is
 * counted too often, nodes of a group have the same texts, and after a collection nothing is unreachable.
 *
 * A program is a sequence of statements over a pool of values, drawn by a generator from a seed. UBI_SEED repeats one.
 */
#include <stdlib.h>

#include "engines/quickjs/walk_for_tests.h"

/* $ is a member of the pool, # a small number. */
static const char *const statements[] = {
    "$ = { a: $, b: $ };",
    "$ = [$, $, #, 'text' + #];",
    "$ = 't'.repeat(#) + #;",
    "$ = (x => () => [x, $])($);",
    "$ = (function* (a) { const l = { a }; yield l; yield [$]; return a; })($);",
    "if ($ && $.next) $.next($);",
    "if ($ && $.return) $.return();",
    "$ = (async x => { const l = [x]; await $; return l; })($);",
    "$ = (async function* (a) { yield a; await null; yield [a]; })($);",
    "$ = Promise.resolve($).then(v => [v, $]);",
    "$ = new Promise(r => { $ = r; });",
    "if (typeof $ == 'function') $.call($, $);",
    "$ = new Map([[$, $], [#, $]]);",
    "if ($ instanceof Map) { $.set($, $); $.delete(#); }",
    "if ($ instanceof Map) $ = $.entries();",
    "$ = new Set([$, $]);",
    "{ const w = new WeakMap(), k = { k: $ }; w.set(k, $); w.set({}, $); $ = [w, k]; }",
    "{ const w = new WeakSet(); w.add(Object($)); $ = w; }",
    "$ = /x(y+)#/g;",
    "$ = 'axyyb'.matchAll(/y/g);",
    "$ = new Uint8Array(#);",
    "$ = new DataView(new ArrayBuffer(# + 1));",
    "$ = new Proxy(Object($), { get: (t, k) => t[k] });",
    "$ = (function (a, b) { return arguments; })($, $);",
    "$ = (function (a) { a = $; return [arguments, () => a]; })($, #);",
    "$ = (function (...r) { return r; })($, $);",
    "$ = class { static s = $; #p = $; get p() { return this.#p; } set p(v) { this.#p = v; } m() { return $; } };",
    "if (typeof $ == 'function') try { $ = new $(); } catch (e) { $ = e; }",
    "try { $ = class Sub extends $ {}; } catch (e) { $ = e; }",
    "try { $ = Reflect.construct($, [], $); } catch (e) { $ = e; }",
    "try { $.prototype = $; } catch (e) { $ = e; }",
    "try { Object(Object($).prototype).constructor = $; } catch (e) {}",
    "try { Object.defineProperty($, 'name', { value: ['N' + #, $, '\\u20ac'][# % 3] }); } catch (e) { $ = e; }",
    "if (typeof $ == 'function') $ = $.bind($, $);",
    "$ = Symbol('s' + #);",
    "$ = Symbol.for('f' + #);",
    "$ = 3n ** BigInt(#);",
    "$ = Object($ === undefined ? # : $);",
    "try { throw [$]; } catch (e) { $ = e; }",
    "$ = new Error('e' + #);",
    "{ const o = Object($); try { o['p' + #] = $; delete o['p' + #]; } catch (e) {} }",
    "try { Object.defineProperty(Object($), 'q' + #, { get() { return $; }, configurable: true }); } catch (e) {}",
    "try { Object.setPrototypeOf(Object($), Object($)); } catch (e) {}",
    "try { Object.freeze(Object($)); } catch (e) {}",
    "try { for (const k in Object($)) { $ = k; check(); break; } } catch (e) {}",
    "try { for (const k of $) { $ = k; check(); break; } } catch (e) {}",
    "$ = { ...$, [Symbol('c')]: $ };",
    "try { const [a, ...b] = $; $ = [b, a]; } catch (e) {}",
    "$ = eval('(x' + # + ' => [x' + # + ', #])');",
    "$ = ((s, ...v) => [s, v])`t${$}#`;",
    "{ const c = { v: $ }; c.c = c; }",
    "$ = JSON.parse('[{\"a\":[1,2]},\"x\"]');",
    "try { Array.prototype.push.call($, $); } catch (e) {}",
    "try { $.length = #; } catch (e) {}",
    "$ = new Date(#);",
    "check($, $);",
    "[$, { t: $ }, check()];",
    "pool.sort(() => { check(); return 0; });",
    "$ = undefined;",
};

static uint64_t generator;
static const test_runtime *tested;

static uint32_t draw(uint32_t below) { /* splitmix64 */
    uint64_t z = generator += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return (uint32_t)((z ^ (z >> 31)) >> 32) % below;
}

static void check_groups(const test_runtime *t) {
    test_walk w;
    test_freeze(&w, t, NULL);
    test_groups(&w);
    test_thaw(&w);
}

static JSValue check(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)ctx, (void)this_val, (void)argc, (void)argv;
    if (draw(8) == 0) {
        test_coverage(tested);
        check_groups(tested);
    }
    return JS_UNDEFINED;
}

static void write_statement(char *out, size_t size, const char *pattern) {
    size_t n = 0;
    for (const char *p = pattern; *p && n + 16 < size; p++) {
        bool is_private = *p == '#' && p[1] == 'p'; /* a private name */
        if (*p == '$')
            n += (size_t)snprintf(out + n, size - n, "pool[%u]", draw(12));
        else if (*p == '#' && !is_private)
            n += (size_t)snprintf(out + n, size - n, "%u", draw(40));
        else
            out[n++] = *p;
    }
    out[n] = '\0';
}

/* A proxy among prototypes can make a lookup endless. */
static unsigned interrupts;
static int stop_endless_loops(JSRuntime *rt, void *payload) {
    (void)rt, (void)payload;
    return ++interrupts > 20;
}

static JSValue eval_freely(JSContext *ctx, const char *script) {
    return JS_Eval(ctx, script, strlen(script), "random.js", JS_EVAL_TYPE_GLOBAL);
}

/* What a statement throws is of no interest, unless it does not parse. */
static void run_statement(JSContext *ctx, const char *statement) {
    interrupts = 0;
    JSValue value = eval_freely(ctx, statement);
    if (JS_IsException(value)) {
        JSValue error = JS_GetException(ctx);
        const char *text = JS_ToCString(ctx, error);
        if (text && strncmp(text, "SyntaxError", 11) == 0)
            fail_msg("%s: %s", statement, text);
        JS_FreeCString(ctx, text);
        JS_FreeValue(ctx, error);
        JS_FreeValue(ctx, JS_GetException(ctx)); /* of the conversion */
    }
    JS_FreeValue(ctx, value);
}

static void run_program(uint64_t seed, unsigned length) {
    test_runtime t = test_runtime_new();
    JSValue global = JS_GetGlobalObject(t.ctx);
    char statement[1024];
    generator = seed;
    tested = &t;
    JS_SetInterruptHandler(t.rt, stop_endless_loops, NULL);
    JS_SetPropertyStr(t.ctx, global, "check", JS_NewCFunction(t.ctx, check, "check", 0));
    JS_FreeValue(t.ctx, global);
    test_run(t.ctx, "globalThis.pool = [1, 'two', {}, [], null, undefined, () => 7, 8n, 9, 10, 11, 12];");
    for (unsigned i = 0; i < length; i++) {
        write_statement(statement, sizeof statement, statements[draw(sizeof statements / sizeof *statements)]);
        run_statement(t.ctx, statement);
        if (draw(4) == 0)
            test_run_jobs(t.rt, (int)draw(6));
    }
    check_groups(&t);
    test_clean_coverage(&t);
    ubi_quickjs_detach(t.tools);
    JS_FreeContext(t.ctx);
    JS_FreeRuntime(t.rt);
}

static void self_checks_hold_in_random_programs(void **state) {
    (void)state;
    const char *given = getenv("UBI_SEED"), *deep = getenv("UBI_DEEP");
    uint64_t first = given ? strtoull(given, NULL, 10) : 1, n = given ? 1 : deep ? 3000 : 60;
    for (uint64_t seed = first; seed < first + n; seed++) {
        if (given || deep)
            print_message("seed %llu\n", (unsigned long long)seed);
        run_program(seed, 150);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(self_checks_hold_in_random_programs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
