#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Stacks in which scripts call native code that calls scripts: in the profiler with the native frames between them, in the log of
Debugger.Memory without."""
import json
import re
import unittest

import run_place
from case_choice import every_case_is_tried

# A name, a text that makes objects in alloc() when it runs in enter() or later, the functions of the program from the innermost on
# ("-": the script itself), and what is called between each of them and its caller: "": nothing, one calls the other.
CASES = [
    ("a function", "f(); function f() { alloc(); }", ["alloc", "f", "enter"], ["", "", ""]),
    ("a comparator", "[2, 1].sort(function f() { alloc(); return 0; })", ["alloc", "f", "enter"], ["", "sort", ""]),
    ("Array.from", "Array.from([1], function f() { alloc(); })", ["alloc", "f", "enter"], ["", "array_from", ""]),
    ("forEach", "[1].forEach(function f() { alloc(); })", ["alloc", "f", "enter"], ["", "array", ""]),
    ("reduce", "[1].reduce(function f() { alloc(); }, 0)", ["alloc", "f", "enter"], ["", "array_reduce", ""]),
    ("one in the other", "[2, 1].sort(function f() { [1].forEach(g); return 0; }); function g() { alloc(); }",
     ["alloc", "g", "f", "enter"], ["", "array", "sort", ""]),
    ("a reviver", "JSON.parse('[1]', function f() { alloc(); })", ["alloc", "f", "enter"], ["", "json|JSON", ""]),
    ("toJSON", "JSON.stringify({ toJSON: function f() { alloc(); } })", ["alloc", "f", "enter"], ["", "json|JSON", ""]),
    ("replace", "'x'.replace('x', function f() { alloc(); return ''; })", ["alloc", "f", "enter"], ["", "string_", ""]),
    ("a getter", "({ get x() { return f(); } }).x; function f() { alloc(); }", ["alloc", "f", "(get )?x", "enter"],
     ["", "", "Property", ""]),
    ("a setter", "({ set x(v) { alloc(); } }).x = 1", ["alloc", "(set )?x", "enter"], ["", "setter|Property", ""]),
    ("valueOf", "1 + { valueOf: function f() { alloc(); return 1; } }", ["alloc", "f", "enter"], ["", "ToPrimitive", ""]),
    ("a trap", "new Proxy({}, { get: function f() { alloc(); } }).x", ["alloc", "f", "enter"], ["", "proxy", ""]),
    ("a trap of calls", "new Proxy(function () {}, { apply: function f() { alloc(); } })()", ["alloc", "f", "enter"],
     ["", "proxy_call", ""]),
    ("a trap of new", "new (new Proxy(function () {}, { construct: function f() { alloc(); return {}; } }))()",
     ["alloc", "f", "enter"], ["", "proxy_call", ""]),
    ("apply", "f.apply(null, []); function f() { alloc(); }", ["alloc", "f", "enter"], ["", "apply", ""]),
    ("Reflect.apply", "Reflect.apply(Array.from, Array, [[1], function f() { alloc(); }])", ["alloc", "f", "enter"],
     ["", "array_from", ""]),
    ("Reflect.construct", "Reflect.construct(function f() { alloc(); }, [])", ["alloc", "f", "enter"], ["", "reflect_construct", ""]),
    ("a bound function", "f.bind(null)(); function f() { alloc(); }", ["alloc", "f", "enter"], ["", "bound", ""]),
    ("a native constructor", "new Promise(function f() { alloc(); })", ["alloc", "f", "enter"], ["", "promise_constructor", ""]),
    ("a native constructor that iterates", "new Map({ [Symbol.iterator]: function f() { alloc(); return [][Symbol.iterator](); } })",
     ["alloc", "f", "enter"], ["", "map_constructor", ""]),
    ("a constructor", "new (class { constructor() { alloc(); } })()", ["alloc", None, "enter"], ["", "CallConstructor", ""]),
    ("a generator", "for (const x of g()); function* g() { alloc(); yield 1; }", ["alloc", "g", "enter"], ["", "generator", ""]),
    ("a generator that is spread", "[...g()]; function* g() { yield 1; alloc(); }", ["alloc", "g", "enter"],
     ["", "generator", ""]),
    ("a generator in another", "[...g()]; function* g() { yield* h(); } function* h() { alloc(); yield 1; }",
     ["alloc", "h", "g", "enter"], ["", "generator", "generator", ""]),
    ("a generator that calls native code by native code",
     "[...g()]; function* g() { Reflect.apply(Array.from, Array, [[1], f]); } function f() { alloc(); }",
     ["alloc", "f", "g", "enter"], ["", "array_from", "generator", ""]),
    ("a generator that a comparator resumes",
     "const i = g(); i.next(); [2, 1].sort(function f() { i.next(); return 0; }); function* g() { yield 1; alloc(); yield 2; }",
     ["alloc", "g", "f", "enter"], ["", "generator", "sort", ""]),
    ("an async function before it waits", "f(); async function f() { alloc(); }", ["alloc", "f", "enter"], ["", "async_func", ""]),
    ("an async function that is resumed", "f(); async function f() { await 1; alloc(); }", ["alloc", "f"], ["", "Job"]),
    ("an async function that calls native code by native code",
     "f(); async function f() { await 1; Reflect.apply(Array.from, Array, [[1], g]); } function g() { alloc(); }",
     ["alloc", "g", "f"], ["", "array_from", "Job"]),
    ("an async function that applies", "f(); async function f() { await 1; g.apply(null, []); } function g() { alloc(); }",
     ["alloc", "g", "f"], ["", "apply", "Job"]),
    ("an async generator", "g().next(); async function* g() { await 1; alloc(); yield 1; }", ["alloc", "g"], ["", "Job"]),
    ("a reaction", "Promise.resolve().then(function f() { alloc(); })", ["alloc", "f"], ["", "Job"]),
    ("a thenable", "Promise.resolve({ then: function f() { alloc(); } })", ["alloc", "f"], ["", "Job"]),
    ("eval", "eval('f()'); function f() { alloc(); }", ["alloc", "f", None, "enter"], ["", "", "[eE]val", ""]),
    ("Function", "globalThis.f = f; Function('f()')(); function f() { alloc(); }", ["alloc", "f", "anonymous", "enter"], ["", "", "", ""]),
]

# Enough for the profiler to see some of them.
OBJECTS = 20000 if every_case_is_tried() else 4000
PROGRAM = "function alloc() { for (let i = 0; i < %d; i++) ({ i }); }\nglobalThis.cases = [\n%s\n];\n" % (OBJECTS, ",\n".join(
    f"function enter() {{ {text}; }}" for _, text, _, _ in CASES))

# One after the other: a case is over when all its jobs are.
EACH = """
async function each(before, after) {
    const results = [];
    for (const enter of cases) {
        before();
        enter();
        await new Promise((done) => setTimeout(done, 0));
        results.push([...new Set([...after()].map((stack) => JSON.stringify(stack)))].join());
    }
    print("[" + results.map((stacks) => "[" + stacks + "]").join() + "]");
}
"""

PROFILED = """
import { memoryProfiler } from "ubiheap";
%s
function* stacks() {
    memoryProfiler.stopProfiler();
    const { names, traces, events } = memoryProfiler.getResults();
    memoryProfiler.resetProfiler();
    for (const { traceIdx } of events) {
        const stack = [];
        for (let t = traceIdx; t; t = traces[t].parentIdx) stack.push(names[traces[t].nameIdx]);
        if (stack.some((name) => name.startsWith("alloc ("))) yield stack;
    }
}
each(() => memoryProfiler.startProfiler(), stacks);
""" % (PROGRAM + EACH)

LOGGED = """
import * as std from "std";
const g = newGlobal(), dbg = new Debugger(g), memory = dbg.memory;
(0, g.eval)(std.loadFile("program.js"));
memory.maxAllocationsLogLength = 1000000;
memory.trackingAllocationSites = true;
const cases = g.cases;
%s
function* stacks() {
    for (const { frame } of memory.drainAllocationsLog()) {
        const stack = [];
        for (let f = frame; f; f = f.parent) stack.push(f.functionDisplayName);
        if (stack[0] === "alloc") yield stack;
    }
}
each(() => memory.drainAllocationsLog(), stacks);
""" % EACH


class MixedStacks(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = run_place.Place()
        cls.addClassCleanup(cls.place.temporary.cleanup)

    def stacks(self, text, *options):
        """For each case, the stacks of its objects."""
        done = self.place.script(text, options=[*options, "--module"])
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_native_frames_are_between_the_scripts_that_called_and_were_called(self):
        for (name, _, scripts, between), stacks in zip(CASES, self.stacks(PROFILED, "--heap-module"), strict=True):
            with self.subTest(name):
                self.assertNotEqual(stacks, [])
                for stack in stacks:
                    self.check(stack, scripts, between)

    def check(self, stack, scripts, between):
        """The objects are made in the innermost script, so native frames come first; after the outermost one, what runs the script."""
        gaps, seen = [[]], []
        for frame in stack:
            if re.search(r"\((s\.js|<\w+>):\d+", frame):
                seen.append(frame)
                gaps.append([])
            else:
                gaps[-1].append(frame)
        shown = "\n".join(stack)
        self.assertGreaterEqual(len(seen), len(scripts), shown)
        for frame, script in zip(seen, scripts):
            self.assertRegex(frame, rf"^(?:{script}) \(" if script else r"\(", shown)
        for native, gap in zip(between, gaps[1:]):
            if not native:
                self.assertEqual(gap, [], shown)
                continue
            self.assertTrue(any(re.search(native, frame) for frame in gap), f"{native} is not in {gap}:\n{shown}")
        self.assertFalse(any(re.match("JS_CallInternal", frame) for frame in stack), shown)
        self.assertTrue(gaps[0], shown)
        self.assertFalse(any(re.match("ubi_", frame) for frame in gaps[0]), shown)
        self.assertTrue(any(frame.startswith("main (") for frame in gaps[-1]), shown)
        for gap in gaps[:-1]:
            self.assertFalse(any("Job" in frame for frame in gap), shown)

    def test_the_log_has_the_scripts(self):
        self.place.write("program.js", PROGRAM)
        for (name, _, scripts, _), stacks in zip(CASES, self.stacks(LOGGED, "--debugger"), strict=True):
            with self.subTest(name):
                self.assertNotEqual(stacks, [])
                for stack in stacks:
                    for frame, script in zip(stack, scripts):
                        self.assertRegex(frame or "", rf"^(?:{script})$" if script else "^", stack)
                    self.assertEqual(len(stack) > len(scripts), "enter" in scripts, stack)


if __name__ == "__main__":
    unittest.main(verbosity=2)
