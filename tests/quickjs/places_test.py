#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Where objects are made, for each operation of the engine that can make one or call what does.

The engine's list of operations (quickjs-opcode.h) is read: an operation that is in no case and not among those that make nothing
fails, so a newer engine cannot bring one that was never looked at.
"""
import json
import os
import pathlib
import re
import unittest

import run_place

BEGIN, END = "\u00a7", "\u00b6"
FACTS = run_place.engine_facts.facts()

# Operations, the text, the class of what is made, and how it is meant. The object is made exactly at the first mark. With a second
# mark, the place is between the two: calls are where the engine's own stack traces have them. "caller": any frame may be the one at
# the place, else it is the innermost. "modern": not in the language of 2021. "line": the
# marked text may not begin a line.
CASES = """
object                | var a = 1; var x = [1, §{ a: { b: 1 } }];                                  | Object
object                | var a = "ä€😀", x = §{ };                                         | Object
object                | var a = "ä"; /* € */ var b = [1, () => "ö", §{ }]; // ü                    | Object
object                | var x = { p: §{ } };                                                       | Object
object                | var x = (1, §{});                                                          | Object
object                | var t = true; var x = t ? §{} : [];                                        | Object
object                | function f(a = §{}) { } f();                                               | Object
object                | var { a = §{} } = 1;                                                       | Object
object                | class C { f = §{}; } new C();                                              | Object | modern
object                | class C { static f = §{}; }                                                | Object | modern
object                | class C { static { globalThis.z = §{}; } }                                 | Object | modern
object                | (async () => { return §{}; })();                                           | Object | line
object                | function* g() { yield §{}; } g().next();                                   | Object | line
object                | var a = 1, x = (§{});                                                      | Object
object                | var x = { p: 1, q: [ 2, { r: 3 }, §{ s: { t: [] } } ] };                   | Object
copy_data_properties  | var s = { get a() { return make(); } }; var y = 2, x = { §...s };          | Object | caller
copy_data_properties  | var s = { a: 1 }; var y = 2, x = §{ ...s };                                | Object
array_from            | var a = 1; var x = { p: §[1, 2] };                                         | Array
array_from            | var x = { p: §[] };                                                        | Array
array_from            | var x = [1, §[2, 3]];                                                      | Array
array_from            | var x = §[1, [2, [3]], 4];                                                 | Array
array_from            | var x = 1, y = §[MANY];                                                    | Array
array_from            | var x = 1, y = §[MANY ...[1]];                                             | Array
array_from append     | var s = [1]; globalThis.y = 2, x = §[...s];                                | Array
append                | var s = [1]; globalThis.y = 2, x = [0, §...s];                             | Array Iterator
append                | var x = 2, y = [§...iterable, ...[]];                                      | Object | caller
append                | var x = 2, y = [...[...[]], §...iterable];                                 | Object | caller
append                | var x = 2, y = [[...iterable], §...[1]];                                   | Array Iterator
append apply          | var s = [1], a = 1, x = Object(§...s);                                     | Array Iterator
array_from apply      | var s = [1], a = 1, x = Object(§...s);                                     | Array
apply                 | var s = [1], a = 1, x = §Object(...s)¶;                                    | Number
apply                 | var a = 1, x = §new Map(...[])¶;                                           | Map
apply                 | var a = 1, x = String.§prototype.concat.call(...iterable)¶;                | Object | caller
fclosure              | var a = 1, f = §function () { };                                           | Function
fclosure              | var a = 1, f = §() => 1;                                                   | Function
fclosure              | var a = 1, f = §q => 1;                                                    | Function
fclosure              | var a = 1, f = §async () => 1;                                             | AsyncFunction
fclosure              | var a = 1, f = §async function () { };                                     | AsyncFunction
fclosure              | var a = 1, f = §function* () { };                                          | GeneratorFunction
fclosure              | var a = 1, f = §async function* () { };                                    | AsyncGeneratorFunction
fclosure              | §function f() { }                                                          | Function
fclosure              | (function () { 1; { } §function f() { } })();                              | Function
fclosure              | (function () { 1; { 2; §function f() { } } })();                           | Function
fclosure              | var f = [() => 1, [() => 2, §() => 3]];                                    | Function
fclosure8             | (function () { var a = () => 1; return [a, §() => 2]; })();                | Function
fclosure              | FUNCTIONS var f = §() => 1;                                                | Function
define_method         | var o = { a: 1, §m() { } };                                                | Function
define_method         | var o = { a: 1, §get m() { } };                                            | Function
define_method         | var o = { a: 1, §set m(v) { } };                                           | Function
define_method         | var o = { a: 1, §*m() { } };                                               | GeneratorFunction
define_method         | var o = { a: 1, §async m() { } };                                          | AsyncFunction
define_method         | var o = { a: 1, §async *m() { } };                                         | AsyncGeneratorFunction
define_method         | class C { a() { } §m() { } }                                               | Function
define_method         | class C { static §m() { } }                                                | Function
define_method         | class C { a() { } §get m() { } }                                           | Function
define_method         | class C { a() { } §#m() { } }                                              | Function
define_method_computed| var o = { a: 1, §['m']() { } };                                            | Function
define_method_computed| var o = { a: 1, §[iterable]() { } };                                       | Function
define_class          | var a = 1, c = §class { };                                                 | Function
define_class          | var a = 1, c = §class { constructor() { } };                               | Function
define_class          | var a = 1; §class C { }                                                    | Function
define_class          | class B { } var a = 1, c = §class extends B { };                           | Function
define_class          | class B { } var a = 1, c = §class extends (f => f)(...[B]) { };            | Function
define_class          | var a = 1, c = §class { m(...r) { } n() { } };                             | Object
define_class_computed | var a = 1, o = { ['k']: §class { } };                                      | Function
init_ctor             | class B { } var a = 1; §class D extends B { } new D();                     | Object | modern
init_ctor             | class B { constructor() { make(); } } class D extends B { } var a = 1, x = §new D()¶; | Object | caller
call_constructor      | class B { } class D extends B { constructor() { 1; §super()¶; } } new D(); | Object
call_constructor      | class B { } class D extends B { constructor(...a) { 1; §super(...a)¶; } } new D(); | Object
call_constructor      | var a = 1, x = §new Map()¶;                                                | Map
call_constructor      | var a = { b: Map }, x = §new a.b()¶;                                       | Map
call_constructor      | var a = 1, x = §new Map¶;                                                  | Map
call_constructor      | function F() { return new.target; } var a = 1, x = [§new F()¶];            | Object
call_constructor      | var a = 1, x = [new Map(), §new Set(new Map())¶];                          | Set
regexp                | var a = 1, r = §/x/g;                                                      | RegExp
regexp                | var a = 1, r = [/y/, §/x/g];                                               | RegExp
rest                  | function f(a, §...r) { } f(1, 2);                                          | Array
rest                  | function f(a, b = 1, §...r) { } f(1, 2, 3);                                | Array
rest                  | function f(a, §...[b, c]) { } f(1, 2);                                     | Array
rest                  | var f = (a, §...r) => a; f(1, 2);                                          | Array
special_object        | function f() { return arguments; } BEGINNING                               | Arguments
special_object        | "use strict"; function f() { return arguments; } BEGINNING                 | Arguments
push_this             | function f() { return this; } CALL                                         | Number
to_object             | var a = 1; §with (1) { a; }                                                | Number
to_object             | var o = 'x', §{ length } = o;                                              | String
object rest           | var o = { a: 1 }; var q = 1, { a, §...r } = o;                             | Object
object rest           | var o = { a: 1 }, a, r; ({ a, §...r } = o);                                | Object
copy_data_properties  | var o = { get b() { return make(); } }, { a, §...r } = o;                  | Object | caller
array_from            | var o = [1, 2]; var q = 1, [a, §...r] = o;                                 | Array
array_from            | var o = [1, 2], a = 1, r; [a, §...r] = o;                                  | Array
for_of_start          | var o = [1, 2]; var q = 1, §[a] = o;                                       | Array Iterator
for_of_next           | var q = 1, §[a] = iterable;                                                | Object | caller
for_of_next           | var q = 1, [a, §...r] = iterable;                                          | Object | caller
iterator_close        | var q = 1, §[a] = endless;                                                 | Object | caller
for_of_start          | var o = [1]; var a = 1; §for (var q of o) a;                               | Array Iterator
for_of_next           | var a = 1; §for (var q of iterable) { a; }                                 | Object | caller
for_of_next           | var a = 1; §for (var q of iterable) { LINE a; LINE }                       | Object | caller
iterator_close        | var a = 1; §for (var q of endless) { a; break; }                           | Object | caller
iterator_close        | (function () { var a = 1; for (var q of endless) { a; §return; } })();     | Object | caller
for_in_start          | var o = [1]; var a = 1; §for (var q in o) a;                               | ForInIterator
for_in_start for_in_next | var o = traps; var a = 1; §for (var q in o) { a; }                      | Array | caller
for_await_of_start    | (async () => { var a = 1; §for await (var q of iterable) { a; } })();      | Object | caller
for_await_of_next     | (async () => { var a = 1; §for await (var q of waiting) { a; } })();       | Object | caller
iterator_next yield_star | function* g() { var a = 1; §yield* iterable; } [...g()];                   | Object | caller
iterator_call         | function* g() { var a = 1; §yield* endless; } var i = g(); i.next(); i.return(); | Object | caller
yield initial_yield   | function* g() { } var a = 1, x = §g()¶;                                    | Generator
yield                 | function* g() { yield 1; } var a = 1, i = g(); i.§next()¶;                 | Object
await                 | async function f() { } var a = 1; §f()¶;                                   | Promise
await async_yield_star return_async | async function* f() { } var a = 1; §f().next()¶;             | Promise
import                | var a = 1; §import('x').catch(() => { })¶;                                 | Promise
call                  | var a = 1, x = §Object(1)¶;                                                | Number
call                  | var a = 1, x = §make()¶;                                                   | Object | caller
call                  | var a = 1, x = [make(), §make(make())¶];                                   | Object | caller
call_method           | var a = 1, x = Object.§create(null)¶;                                      | Object
call_method           | var x = [1].map(String).§slice()¶;                                         | Array
call_method           | var a = Object, x = a.§create?.(null)¶;                                    | Object
call_method           | var a = 1, x = Reflect.§construct(Map, [])¶;                               | Map
tail_call             | function f() { 1; return §make()¶; } f();                                  | Object | caller line
tail_call_method      | function f() { 1; return Object.§create(null)¶; } f();                     | Object
tail_call_method      | function f() { 1; return [1].map(String).§slice()¶; } f();                 | Array
eval                  | var a = 1; §eval('make()')¶;                                               | Object | caller
apply_eval            | var a = 1; §eval(...['make()'])¶;                                          | Object | caller
template              | function t(s) { return make(); } var a = 1, r = t§`a${1}b`¶;               | Object | caller
template              | function t(s) { return make(); } var a = 1, r = [t§`a${make()}b`¶];        | Object | caller
throw_error           | const q = 1; try { 1; §q = 2¶; } catch (e) { }                             | Error
get_loc_check         | (function () { try { 1 + §q¶; let q; } catch (e) { } })();                 | Error
get_loc_check get_var_ref_check | try { 1 + §q¶; let q; } catch (e) { }                            | Error
put_loc_check         | (function () { try { 1; §q = 1¶; let q; } catch (e) { } })();              | Error
put_var_ref_check     | (function () { try { 1; (() => { §q = 1¶; })(); let q; } catch (e) { } })(); | Error
get_loc_checkthis     | class B { } class D extends B { constructor() { try { 1; §this.x¶; } catch (e) { } super(); } } new D(); | Error
check_ctor            | class C { } try { 1; §C()¶; } catch (e) { }                                | Error | caller
check_brand           | class C { #m() { } t(o) { 1; §o.#m()¶; } } try { new C().t(1); } catch (e) { } | Error
get_private_field     | class C { #f = 1; t(o) { 1; return §o.#f¶ + 1; } } try { new C().t({}); } catch (e) { } | Error | modern line
put_private_field     | class C { #f = 1; t(o) { 1; §o.#f = 1¶; } } try { new C().t({}); } catch (e) { } | Error | modern
private_in            | class C { #f = 1; t(o) { 1; return §#f in o¶; } } try { new C().t(1); } catch (e) { } | Error | modern line
define_private_field add_brand | class B { constructor(o) { return o; } } class D extends B { #f = 1; } var o = {}; new D(o); try { 1; §new D(o)¶; } catch (e) { } | Error | modern caller
get_var               | var a = 1; try { a + §nothere¶; } catch (e) { }                            | Error
get_var               | var a = 1; a + §getter¶;                                                   | Object | caller
get_var_undef         | var a = 1; typeof §getter¶;                                                | Object | caller line
put_var put_var_strict | 'use strict'; var a = 1; try { §nothere = a¶; } catch (e) { }             | Error
put_var               | var a = 1; §setter = a¶;                                                   | Object | caller
check_define_var      | (0, eval)('var undefined_ = 1');§make()¶;                                  | Object | caller line
get_field             | var o = lazy; var a = 1; a + §o.get¶;                                      | Object | caller
get_field             | var a = null; try { 1 + §a.x¶; } catch (e) { }                             | Error
get_field2            | var o = lazy; var a = 1; try { §o.get()¶; } catch (e) { }                  | Object | caller
get_length            | var o = lazy; var a = 1; a + §o.length¶;                                   | Object | caller
put_field             | var o = lazy; var a = 1; §o.set = 1¶;                                      | Object | caller
get_array_el          | var o = lazy, k = 'get'; var a = 1; a + o§[k]¶;                            | Object | caller
get_array_el2         | var o = lazy, k = 'get'; var a = 1; try { o§[k]()¶; } catch (e) { }        | Object | caller
put_array_el          | var o = lazy, k = 'set'; var a = 1; §o[k] = 1¶;                            | Object | caller
get_super_value       | class B { get g() { return make(); } } class D extends B { m() { 1; return §super.g¶; } } new D().m(); | Object | caller line
put_super_value       | class B { set s(v) { make(); } } class D extends B { m() { 1; §super.s = 1¶; } } new D().m(); | Object | caller
get_ref_value         | var o = lazy; with (o) { 1; §get += 1¶; }                                  | Object | caller
put_ref_value         | var o = lazy; with (o) { 1; §set = 1¶; }                                   | Object | caller
with_get_var          | var o = lazy; with (o) { 1; 1 + §get¶; }                                   | Object | caller
with_put_var          | var o = lazy; with (o) { 1; §set = 1¶; }                                   | Object | caller
with_get_ref          | var o = lazy; with (o) { 1; try { §get()¶; } catch (e) { } }               | Object | caller
with_delete_var       | var o = deleting; with (o) { 1; §delete x¶; }                              | Object | caller
with_make_ref         | var o = lazy; with (o) { 1; §get++¶; }                                     | Object | caller
define_field          | function B() { return defining; } §class C extends B { x = 1 }¶ new C();   | Object | caller modern
define_field          | function B() { return defining; } class C extends B { y() { } §x = 1 } new C();   | Object | caller modern
define_array_el       | function B() { return defining; } class C extends B { §['x'] = 1 } new C(); | Object | caller modern
define_private_field  | class B { constructor(o) { return o; } } class D extends B { e = 1; §#f = 1; } var o = {}; new D(o); try { new D(o); } catch (e) { } | Error | modern
add_brand             | class B { constructor(o) { return o; } } var a = 1; §class D extends B { e = 1; #m() { } } var o = {}; new D(o); try { new D(o); } catch (e) { } | Error | modern
call_method           | var a = 1; class C { a() { } §static { make(); } }                         | Object | caller modern
call_method           | var a = 1; class C { static { } b() { } §static { make(); } static c = 1 } | Object | caller modern
call_method           | var a = 1; §class C { a() { } static { make(); } b() { } }                 | Object | caller modern
define_array_el       | var q = 1, x = [MANY §make()¶];                                            | Object | caller
to_propkey            | var a = 1, o = { §[key]: 1¶ };                                             | Object | caller
to_propkey2           | var a = 1, { §[key]: q¶ } = {};                                            | Object | caller
set_proto             | var a = 1; try { §({ __proto__: null })¶; } finally { make(); }            | Object
get_super             | var a = 1; class D { m() { 1; return §super.x¶; } } Object.setPrototypeOf(D.prototype, traps); new D().m(); | Array | caller line
plus                  | var o = lazy; var a = 1; a; §+o¶;                                          | Object | caller
neg                   | var o = lazy; var a = 1; a; §-o¶;                                          | Object | caller
not                   | var o = lazy; var a = 1; a; §~o¶;                                          | Object | caller
inc dec post_inc post_dec | var o = lazy; var a = 1; a; §o++¶;                                     | Object | caller
inc dec inc_loc dec_loc | (function () { var o = lazy; var a = 1; a; §++o¶; })();                  | Object | caller
add add_loc           | (function () { var o = lazy; var a = 1; a; §a += o¶; })();                 | Object | caller
add                   | var o = lazy; var a = 1; §a + o¶;                                          | Object | caller
add                   | var o = lazy; var a = 1; §'' + o¶;                                         | Object | caller
sub mul div mod pow   | var o = lazy; var a = 1; §a * o¶;                                          | Object | caller
pow                   | var o = lazy; var a = 1; §a ** o¶;                                         | Object | caller
shl sar shr           | var o = lazy; var a = 1; §a << o¶;                                         | Object | caller
shr                   | var o = lazy; var a = 1; §a >>> o¶;                                        | Object | caller
and or xor            | var o = lazy; var a = 1; §a & o¶;                                          | Object | caller
lt lte gt gte         | var o = lazy; var a = 1; §a < o¶;                                          | Object | caller
eq neq                | var o = lazy; var a = 1; §a == o¶;                                         | Object | caller
in                    | var o = traps; var a = 1; §'x' in o¶;                                      | Array | caller
instanceof            | var o = lazy; var a = 1; §a instanceof o¶;                                 | Object | caller
delete                | var o = deleting; var a = 1; §delete o.x¶;                                 | Object | caller
call                  | var a = 1, x = `b${§lazy¶}`;                                               | Object | caller
"""

# What makes no object and calls nothing of a program's; check_ctor_return makes an error, which the engine does not place.
NOTHING = set("""
    invalid push_i32 push_const push_atom_value private_symbol undefined null push_false push_true drop nip nip1 dup dup1 dup2 dup3
    insert2 insert3 insert4 perm3 perm4 perm5 swap swap2 rot3l rot3r rot4l rot4r rot5l return return_undef throw set_name
    set_name_computed set_home_object get_loc put_loc set_loc get_arg put_arg set_arg get_var_ref put_var_ref set_var_ref
    set_loc_uninitialized put_loc_check_init put_var_ref_check_init close_loc if_false if_true goto catch gosub ret nip_catch make_loc_ref
    make_arg_ref make_var_ref_ref lnot typeof strict_eq strict_neq is_undefined_or_null push_bigint_i32 nop push_minus1 push_0 push_1
    push_2 push_3 push_4 push_5 push_6 push_7 push_i8 push_i16 push_const8 push_empty_string get_loc8 put_loc8 set_loc8 if_false8
    if_true8 goto8 goto16 is_undefined is_null typeof_is_undefined typeof_is_function iterator_check_object get_loc0_loc1
    using_dispose_init dispose_scope check_ctor_return
""".split()) | {f"{verb}_{what}{n}" for verb in ("get", "put", "set") for what in ("loc", "arg", "var_ref") for n in range(4)}
# Operations of the parser that never run: they become others.
OF_THE_PARSER = re.compile(r"^(label|line_num|source_loc|enter_scope|leave_scope|scope_.*|.*_opt_chain|set_class_name|get_array_el_opt)$")
# Those that a case has under the name of the operation that the same text is compiled to, or that do the same in other words.
AS_ANOTHER = {
    "call0": "call", "call1": "call", "call2": "call", "call3": "call", "check_var": "get_var", "put_var_init": "put_var",
    "define_var": "check_define_var", "define_func": "fclosure", "delete_var": "delete", "make_var_ref": "get_ref_value",
    "get_array_el3": "get_array_el2", "with_get_ref_undef": "with_get_ref", "set_loc_check": "put_loc_check",
    "iterator_get_value_done": "for_await_of_next", "iterator_close_return": "iterator_close", "math_mod": "mod", "mul_pow10": "mul",
    "check_object": "for_of_next", "using_check": "put_loc_check", "using_dispose": "iterator_close",
    "using_dispose_end": "iterator_close", "using_dispose_async": "iterator_close", "using_dispose_merge": "throw_error",
}

# Far below every case, so that its lines are none of theirs.
HELPERS = "\n" * 999 + """
function make() { return {}; }
var key = { toString() { return "" + make(); } };
var lazy = { get get() { make(); return 1; }, set set(v) { make(); }, get length() { return make(); },
    valueOf() { make(); return 1; }, toString() { make(); return ""; }, [Symbol.hasInstance]() { return make(); } };
var traps = new Proxy({}, { ownKeys() { return [make()] && []; }, has() { return [make()]; }, get() { return [make()]; } });
var deleting = new Proxy({ x: 1 }, { deleteProperty() { return make(); } });
var defining = new Proxy({}, { defineProperty() { return make(); } });
var iterator = (n) => ({ next() { return { value: 1, done: !n--, made: make() }; }, return() { return make(); } });
var iterable = { [Symbol.iterator]() { return iterator(2); } };
var endless = { [Symbol.iterator]() { return iterator(-1); } };
var waiting = { [Symbol.asyncIterator]() { return { next() { return Promise.resolve({ done: true, made: make() }); } }; } };
Object.defineProperty(globalThis, "getter", { get() { return make(); } });
Object.defineProperty(globalThis, "setter", { set(v) { make(); } });
"""

HARNESS = """
import * as std from "std";
const cases = JSON.parse(std.loadFile("cases.json")), helpers = std.loadFile("helpers.js");
const results = [];
for (const text of cases) {
    const g = newGlobal(), dbg = new Debugger(g);
    (0, g.eval)(helpers);
    dbg.memory.maxAllocationsLogLength = 100000;
    dbg.memory.trackingAllocationSites = true;
    let error = null;
    try { (0, g.eval)(text); } catch (e) { error = String(e); }
    const made = dbg.memory.drainAllocationsLog().map((entry) => {
        const places = [];
        for (let f = entry.frame; f; f = f.parent) places.push([f.source, f.line, f.column]);
        return { class: entry.class, places: places.filter(([source]) => !source.endsWith("s.js")).map(([, ...place]) => place) };
    });
    dbg.memory.trackingAllocationSites = false;
    results.push({ error, made });
}
print(JSON.stringify(results));
"""


def case_of(line):
    operations, text, made, *how = (part.strip() for part in re.split(r"\s*\|(?=\s)", line))
    how = how[0].split() if how else []
    text = text.replace("MANY", "1," * 40).replace("FUNCTIONS", "function f() { " + "(() => 1); " * 300 + "}")
    if "BEGINNING" in text or "CALL" in text:  # what a call makes before it runs is where the function begins
        text = text.replace("function", BEGIN + "function").replace("BEGINNING", "f();").replace("CALL", "f.call(1);")
    return operations.split(), text.replace("LINE", "\n"), made, how


def spread(text):
    """The same over several lines: the marked text begins one, and it ends with one."""
    return text.replace(BEGIN, "\n  " + BEGIN).replace(" = ", " =\n ").replace(END, "\n" + END)


def place_of(text, mark):
    before = text[:text.index(mark)].replace(BEGIN, "").replace(END, "")
    return before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1


class Places(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = run_place.Place()
        cls.addClassCleanup(cls.place.temporary.cleanup)
        cls.cases = [case_of(line) for line in CASES.strip().splitlines()]

    def run_cases(self, texts):
        self.place.write("helpers.js", HELPERS)
        self.place.write("cases.json", json.dumps([text.replace(BEGIN, "").replace(END, "") for text in texts]))
        done = self.place.script(HARNESS, options=["--debugger", "--module"])
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def holds(self, text, made, how, result):
        begin = place_of(text, BEGIN)
        end = place_of(text, END) if END in text else begin
        for entry in result["made"]:
            if entry["class"] != made:
                continue
            for line, column in entry["places"] if "caller" in how else entry["places"][:1]:
                if FACTS.columns and begin <= (line, column) <= end or not FACTS.columns and begin[0] <= line <= end[0]:
                    return True
        return False

    def check(self, shape):
        chosen = [case for case in self.cases if FACTS.awaits_in_scripts or "modern" not in case[3]]
        if shape is spread:
            chosen = [case for case in chosen if "line" not in case[3]]
        texts = [shape(text) for _, text, _, _ in chosen]
        wrong = []
        for (operations, _, made, how), text, result in zip(chosen, texts, self.run_cases(texts), strict=True):
            if not self.holds(text, made, how, result):
                seen = {(entry["class"], *map(tuple, entry["places"])) for entry in result["made"]}
                wrong.append(f"{' '.join(operations)}: {text!r}: {made} is not at {place_of(text, BEGIN)}, {result['error']}: {sorted(seen)}")
        self.assertEqual(wrong, [], "\n" + "\n".join(wrong))

    def test_each_object_is_where_its_text_begins(self):
        self.check(lambda text: text)

    def test_and_so_it_is_when_the_text_has_several_lines(self):
        self.check(spread)

    def test_no_operation_of_the_engine_was_forgotten(self):
        table = (pathlib.Path(os.environ["UBI_QUICKJS_DIR"]) / "quickjs-opcode.h").read_text()
        operations = set(re.findall(r"^\s*(?:DEF|def)\(\s*(\w+)\s*,", table, re.MULTILINE))
        self.assertGreater(len(operations), 200)
        covered = {operation for names, *_ in self.cases for operation in names}
        covered |= {operation for operation, other in AS_ANOTHER.items() if other in covered}
        left = {name for name in operations - covered - NOTHING if not OF_THE_PARSER.match(name)}
        self.assertEqual(left, set())
        self.assertEqual(covered & NOTHING, set())


if __name__ == "__main__":
    unittest.main(verbosity=2)
