#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`ubiheap run` as a host of scripts: what they find, in which order things happen, and how they end."""
import json
import os
import pty
import subprocess
import unittest

import run_place
import engine_crash
from engine_facts import facts, needs, places


class Host(unittest.TestCase):
    place = run_place.Place()

    def run_script(self, text, *arguments, **more):
        return self.place.script(text, *arguments, **more)

    def prints(self, expected, text, *arguments, **more):
        done = self.run_script(text, *arguments, **more)
        self.assertEqual((done.stdout.decode(), done.stderr.decode(), done.returncode), (expected, "", 0))

    def fails(self, expected_error, text, code=1, stdout="", **more):
        done = self.run_script(text, **more)
        self.assertEqual((done.stderr.decode(), done.stdout.decode(), done.returncode), (expected_error, stdout, code))


class Ends(Host):
    def test_a_script_that_ends_by_itself_gives_0(self):
        self.prints("", "")

    def test_exit_codes_are_those_of_the_script(self):
        for code in (0, 1, 7, 255):
            self.assertEqual(self.run_script(f"std.exit({code})", options=["--std"]).returncode, code)
        self.assertEqual(self.run_script("std.exit(300)", options=["--std"]).returncode, 300 & 255)
        self.assertEqual(self.run_script("import * as std from 'std'; setTimeout(() => std.exit(3), 1); "
                                         "setInterval(() => {}, 1)").returncode, 3)

    def test_nothing_runs_behind_exit(self):
        self.assertEqual(self.run_script("async function f() { try { std.exit(5) } finally { print('finally') } }\n"
                                         "f(); print('behind')", options=["--std"]).stdout, b"")

    def test_uncaught_exceptions_come_with_their_stack_and_1(self):
        self.fails(places("TypeError: no\n    at f (s.js:2:21)\n    at <eval> (s.js:4:2)\n"), "function f() {\n throw new TypeError('no')\n}\nf()")
        self.fails("Uncaught: 42\n", "throw 42")
        self.fails("Uncaught: null\n", "throw null")
        self.fails(places("SyntaxError: expecting ';'\n    at s.js:2:5\n"), "print(1);\nnot a script")

    def test_an_error_is_followed_by_its_causes(self):
        self.fails(places("Error: outer\n    at <eval> (s.js:2:19)\ncaused by: TypeError: inner\n    at <eval> (s.js:2:46)\n"
                          "caused by: 7\n"),
                   "const of = (error, cause) => Object.defineProperty(error, 'cause', { value: cause });\n"
                   "throw of(new Error('outer'), of(new TypeError('inner'), 7))")
        self.fails(places("Error: x\n    at <eval> (s.js:2:20)\n"),
                   "\nconst e = new Error('x'); Object.defineProperty(e, 'cause', { get() { print('called'); } }); throw e")
        looped = self.run_script("const e = new Error('x'); e.cause = e; throw e")
        self.assertEqual(looped.stderr.count(b"caused by: Error: x\n"), 8)

    def test_an_exception_in_an_event_ends_the_program(self):
        for event in ("setTimeout(F, 1)", "queueMicrotask(F)", "setInterval(F, 1)", "Promise.resolve().then(() => F())",
                      "os.setTimeout(F, 1)"):
            done = self.run_script(f"setTimeout(() => print('later'), 5000); const F = () => {{ throw new Error('in event') }};"
                                   f" {event}", options=["--std"])
            self.assertEqual((done.returncode, done.stdout), (1, b""), event)
            self.assertIn(b"Error: in event\n", done.stderr)

    def test_rejections_without_handlers_are_reported(self):
        self.fails(places("Unhandled promise rejection: Error: no\n    at <eval> (s.js:1:25)\n", one_line=True), "Promise.reject(new Error('no'))")
        self.fails("Unhandled promise rejection: 1\n", "Promise.reject(1); Promise.reject(2); setTimeout(() => print(3), 1)")

    def test_rejections_that_are_handled_in_time_are_not(self):
        self.prints("late\n", "const p = Promise.reject('late'); Promise.resolve().then(() => p.catch(print))")
        self.prints("done\n", "const all = []; for (let i = 0; i < 20000; i++) all.push(Promise.reject(i));\n"
                              "for (const p of all) p.catch(() => {}); print('done')")

    def test_a_module_ends_in_the_same_ways(self):
        self.fails(places("Error: no\n    at <anonymous> (s.mjs:1:16)\n"), "throw new Error('no')", name="s.mjs")
        self.assertEqual(self.run_script("import { exit } from 'std'; exit(4)").returncode, 4)

    def test_too_deep_recursion_is_an_exception(self):
        self.prints(facts().stack_ends + "\n", "function f() { return f() + 1 } try { f() } catch (e) { print(String(e)) }")

    DEPTH = "let n = 0; function f() { n++; f() } try { f() } catch (e) { print(n) }"

    def test_recursion_may_use_most_of_the_stack_that_there_is(self):
        depths = [int(self.run_script(self.DEPTH, options=o).stdout) for o in (["--stack-size", "256KiB"], [])]
        self.assertGreater(depths[1], 10 * depths[0])

    def test_a_small_stack_is_not_overrun(self):
        self.place.write("s.js", self.DEPTH)
        done = subprocess.run(["sh", "-c", "ulimit -s 1024; exec ubiheap run s.js"], cwd=self.place.folder,
                              env=self.place.environment(), capture_output=True)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.assertGreater(int(done.stdout), 0)

    def test_an_error_in_a_worker_ends_the_program_that_waits_for_it(self):
        self.place.write("worker.js", "throw new Error('in the worker')")
        done = self.run_script("import * as os from 'os'; const w = new os.Worker('./worker.js'); w.onmessage = () => {};\n"
                               "os.setTimeout(() => print('later'), 60000)")
        self.assertEqual((done.returncode, done.stdout), (1, b""))
        self.assertIn(b"Error: in the worker\n", done.stderr)

    def test_errors_of_the_tool_are_one_line(self):
        cases = [(4, ["missing.js"], "missing.js: cannot open: No such file or directory"),
                 (4, ["directory"], "directory: cannot read: Is a directory"),
                 (2, ["-p", "--module", "1"], "run: --print does not go with --module: a module has no value"),
                 (2, ["--modul", "s.js"], "run: unknown option --modul; did you mean --module?"),
                 (2, ["--heap-limit", "much", "s.js"], "run: --heap-limit: expected a size such as 64MiB, not 'much'"),
                 (4, ["--allocation-log", "none/log", "s.js"],
                  "run: cannot create none/log: No such file or directory")]
        self.place.write("s.js", "print('ran')")
        for code, arguments, message in cases:
            done = self.place.ubiheap("run", *arguments)
            self.assertEqual((done.returncode, done.stdout, done.stderr.decode()), (code, b"", f"ubiheap: {message}\n"))


class Code(Host):
    """`-e` and `-p`."""

    def run_code(self, *arguments, **more):
        done = self.place.ubiheap("run", *arguments, **more)
        return done.stdout.decode(), done.stderr.decode(), done.returncode

    def test_all_that_records_works_for_code_too(self):
        self.place.clear()
        out, err, code = self.run_code("--snapshot-at", "exit", "-l", "log", "--timeline", "t.timeline",
                                       "-e", "globalThis.kept = [new Date()]; print(1)")
        self.assertEqual((out, code, self.place.snapshots()), ("1\n", 0, ["cmdline-1.fxsnapshot"]), err)
        self.assertIn('"script":"-e"', (self.place.folder / "log").read_text())
        self.assertEqual(self.place.classes("cmdline-1.fxsnapshot")["Date"], 1)

    def test_errors_name_the_command_line(self):
        self.assertEqual(self.run_code("-e", "throw new Error('no')"),
                         ("", places("Error: no\n    at <eval> (<cmdline>:1:16)\n", one_line=True), 1))
        self.assertEqual(self.run_code("-p", "\n1 +"),
                         ("", places("SyntaxError: unexpected token in expression: ''\n    at <cmdline>:2:4\n"), 1))

    def test_code_may_be_a_module(self):
        self.assertEqual(self.run_code("-e", "import { sprintf } from 'std'; print(sprintf('%d', 3), this)"), ("3 undefined\n", "", 0))
        self.assertEqual(self.run_code("-m", "-e", "print(this)"), ("undefined\n", "", 0))
        self.assertEqual(self.run_code("--std", "-p", "typeof std"), ("object\n", "", 0))

    def test_await_as_a_name_is_still_one(self):
        self.assertEqual(self.run_code("-p", "var await = 3; await"), ("3\n", "", 0))

    @needs(facts().awaits_in_scripts, "the engine has no await at the top level of scripts")
    def test_await_at_the_top_level(self):
        later = "new Promise(resolve => setTimeout(() => resolve({ a: 1 }), 5))"
        self.assertEqual(self.run_code("-p", f"await {later}"), ("{ a: 1 }\n", "", 0))
        self.assertEqual(self.run_code("-e", f"const v = await {later}; print(v.a, this === globalThis)"), ("1 true\n", "", 0))
        self.assertEqual(self.run_code("-p", "await Promise.reject(3)"), ("", "Uncaught: 3\n", 1))
        self.assertEqual(self.run_code("-e", "await 0; throw new Error('no')"),
                         ("", places("Error: no\n    at <eval> (<cmdline>:1:25)\n", one_line=True), 1))
        self.assertEqual(self.run_code("-e", "await ("),
                         ("", places("SyntaxError: unexpected token in expression: ''\n    at <cmdline>:1:8\n"), 1))


class Limits(Host):
    BUSY = """
        console.log({ a: [1, 2, { b: 3 }] }, new Map([[1, { x: 2 }]]), new Error('x')); setTimeout((...a) => console.log(a), 1, {});
        Promise.reject(1).catch(() => {}); queueMicrotask(() => {}); console.count('a'); console.time('x'); class A {}
        const all = []; for (let i = 0; i < 200; i++) all.push(new A());
        """

    def test_a_limit_below_what_an_empty_program_takes_is_refused(self):
        done = self.run_script("print('ran')", options=["--heap-limit", "1KiB"])
        self.assertEqual((done.returncode, done.stdout), (2, b""))
        self.assertRegex(done.stderr, rb"\Aubiheap: s.js: the heap limit is 1024 bytes, of which an empty program takes \d+\n\Z")

    def test_every_limit_ends_in_order(self):
        """With less and less memory, something else fails first. An engine that crashes then, or runs in circles, leaves a snapshot from
        before."""
        least = int(self.run_script("", options=["--heap-limit", "1KiB"]).stderr.split()[-1])
        codes = set()
        tells = {} if run_place.SANITIZED else {"LD_PRELOAD": engine_crash.library(self.place.folder)}
        for options in ([], ["--debugger", "-l", "log", "--snapshot-on-oom", "-o", "x.fxsnapshot"]):
            for limit in range(least - 1, least + 60000, 2111 if not run_place.SANITIZED else 9001):
                self.place.clear()
                done = self.run_script(self.BUSY, options=[*options, "--heap-limit", str(limit)], env=tells,
                                       preexec_fn=engine_crash.limit_processor)
                if done.returncode in engine_crash.EXIT_CODES and engine_crash.is_of_engine(done.stderr.decode()):
                    self.assertTrue(not options or self.place.snapshots(), (limit, done.stderr))
                    continue
                self.assertIn(done.returncode, (0, 1, 2), (limit, options, done.stderr))
                codes.add(done.returncode)
        self.assertEqual(codes, {0, 1, 2})


class CommandLines(Host):
    def test_an_option_after_the_script_is_the_scripts(self):
        """A line says so of those that a script hardly has."""
        text = "print(scriptArgs.slice(1).join())"
        for words in (["--listen", "6080"], ["--sites"], ["a", "--heap-limit=4MiB"]):
            done = self.run_script(text, *words)
            option = next(word for word in words if word.startswith("--")).partition("=")[0]
            self.assertEqual((done.returncode, done.stdout.decode()), (0, ",".join(words) + "\n"))
            self.assertEqual(done.stderr.decode(), f"ubiheap: s.js: {option} after SCRIPT is the script's own; for ubiheap it comes before: "
                             f"ubiheap run {option} ...\n")
            self.assertEqual(self.run_script(text, *words, options=["--no-progress"]).stderr, b"")
        self.assertEqual(self.run_script(text, "--listener", "--output", "x").stderr, b"")

    def test_it_listens_once(self):
        done = self.run_script("print('ran')", options=["--listen", "0", "--listen=127.0.0.1:0"])
        self.assertEqual((done.returncode, done.stdout, done.stderr), (2, b"", b"ubiheap: run: --listen is given twice: once is all it takes\n"))


class Events(Host):
    def test_jobs_come_before_timers_and_timers_by_their_time(self):
        self.prints("script\nmicrotask\nthen\n0\n1\n9\nos\n",
                    "setTimeout(() => print(9), 9); setTimeout(() => print(1), 1); os.setTimeout(() => print('os'), 900);\n"
                    "setTimeout(() => print(0), 0); queueMicrotask(() => print('microtask'));\n"
                    "Promise.resolve().then(() => print('then')); print('script')", options=["--std"])

    def test_equal_times_run_in_order_with_their_jobs_between(self):
        self.prints("0,a0,1,a1,2,a2\n", "const seen = []; const end = performance.now() + 3;\n"
                    "for (let i = 0; i < 3; i++) setTimeout(() => { seen.push(i); queueMicrotask(() => seen.push('a' + i)) }, 0);\n"
                    "setTimeout(() => print(seen.join()), 5)")

    def test_timers_get_their_arguments_and_can_be_ended(self):
        self.prints("1 2\nfour\n", "setTimeout((...a) => print(...a), 1, 1, 2);\n"
                    "clearTimeout(setTimeout(() => print('ended'), 1)); let n = 0;\n"
                    "const id = setInterval(() => { if (++n == 4) { clearInterval(id); print('four') } }, 1);\n"
                    "clearTimeout(); clearTimeout(null); clearTimeout(12345); clearInterval(-1); clearTimeout(NaN); clearTimeout({})")

    def test_numbers_of_timers_are_not_used_twice(self):
        self.prints("100000 true\n", "const ids = new Set(); let n = 0;\n"
                    "for (let i = 0; i < 50000; i++) { const a = setTimeout(() => {}, 1e6), b = setTimeout(() => {}, 1e5);\n"
                    " ids.add(a).add(b); clearTimeout(a); clearTimeout(b) }\n"
                    "print(ids.size, [...ids].every(id => Number.isSafeInteger(id) && id > 0))")

    def test_many_timers_run_by_their_time(self):
        self.prints("3999 true\n", """
            const ran = [], ended = [];
            for (const [group, ms] of [[2, 3000], [1, 1500], [0, 0]])
                for (let i = 0; i < 2000; i++) {
                    const id = setTimeout(() => ran.push(group * 2000 + i), ms);
                    if (i % 3 == 1) ended.push(id);
                }
            ended.forEach(clearTimeout);
            setTimeout(() => print(ran.length, ran.every((n, i) => i == 0 || ran[i - 1] < n)), 3000);
            """)

    def test_wrong_timers_are_refused(self):
        self.prints("TypeError: setTimeout: the first argument must be a function\n"
                    "TypeError: setInterval: the first argument must be a function\n"
                    "TypeError: queueMicrotask: the argument must be a function\nmine\n",
                    "for (const f of [() => setTimeout('code'), () => setInterval(), () => queueMicrotask(1),\n"
                    "  () => setTimeout(() => {}, { valueOf() { throw 'mine' } })]) try { f() } catch (e) { print(String(e)) }")

    def test_descriptors_signals_and_timers_go_together(self):
        """Each brings about the next: a timer a signal, that something to read, that a timer."""
        self.prints("usr1\nread hello\ntimer\n",
                    "import * as std from 'std'; import * as os from 'os'; const [r, w] = os.pipe();\n"
                    "os.signal(os.SIGUSR1, () => { print('usr1'); os.signal(os.SIGUSR1, null); std.out.flush();\n"
                    "  const f = std.fdopen(w, 'w'); f.puts('hello\\n'); f.close() });\n"
                    "os.setReadHandler(r, () => { print('read ' + std.fdopen(r, 'r').getline()); os.setReadHandler(r, null);\n"
                    "  setTimeout(() => print('timer'), 20) });\n"
                    "setTimeout(() => std.popen(`kill -USR1 $PPID`, 'r').close(), 10)")

    def test_scripts_may_close_what_they_like(self):
        self.prints("read hello\ntimer\n",
                    "import * as std from 'std'; import * as os from 'os'; const [r, w] = os.pipe();\n"
                    "for (let i = 3; i < 50; i++) if (i != r && i != w) os.close(i);\n"
                    "os.setReadHandler(r, () => { print('read ' + std.fdopen(r, 'r').getline()); os.setReadHandler(r, null);\n"
                    "  setTimeout(() => print('timer'), 20) });\n"
                    "setTimeout(() => { const f = std.fdopen(w, 'w'); f.puts('hello\\n'); f.close() }, 1)")

    def test_sleep_lasts(self):
        self.prints("0 true\n", "const t = performance.now(); print(os.sleep(120), performance.now() - t >= 119)", options=["--std"])


class Scripts(Host):
    def test_arguments_belong_to_the_script(self):
        self.prints('["s.js","--json","-x","--","a b",""]\n', "print(JSON.stringify(scriptArgs))", "--json", "-x", "--", "a b", "")

    def test_standard_input_belongs_to_the_script(self):
        done = self.run_script("import * as std from 'std'; print(std.in.readAsString().length)", stdin=b"x" * 300000)
        self.assertEqual(done.stdout, b"300000\n")
        done = self.run_script("import * as std from 'std'; print(std.in.getline()); std.exit(0)", stdin=b"one\ntwo\n",
                               options=["--snapshot-at", "exit", "--allocation-log", "log", "--census-at", "exit", "--output", "census"])
        self.assertEqual(done.stdout, b"one\n")

    def test_a_script_may_come_from_standard_input(self):
        done = self.place.ubiheap("run", "-", "x", stdin=b"print(scriptArgs.join()); throw new Error('no')")
        self.assertEqual((done.stdout, done.stderr.decode(), done.returncode),
                         (b"-,x\n", places("Error: no\n    at <eval> (<stdin>:1:42)\n", one_line=True), 1))
        self.assertEqual(self.place.ubiheap("run", "-m", "-", stdin=b"print(import.meta.main)").stdout, b"true\n")

    def test_modules_are_found_by_name_and_by_look(self):
        module, script = "print(this === undefined)", "print(this === globalThis)"
        self.prints("true\n", module, name="s.mjs")
        self.prints("true\n", "/* x */ import 'std'; " + module)
        self.prints("true\n", "// import x\n" + script)
        self.prints("true\n", module, options=["--module"])
        self.prints("true\n", script, options=["--script"], name="t.mjs")

    def test_modules_import_each_other(self):
        (self.place.folder / "lib").mkdir(exist_ok=True)
        self.place.write("lib/two.js", "import { one } from '../one.mjs'; export const two = one + 1;")
        self.place.write("one.mjs", "export const one = 1; export default import.meta.main;")
        self.prints("2 false s.mjs\n1\n", "import { two } from './lib/two.js'; import main from './one.mjs';\n"
                    "print(two, main, import.meta.url.split('/').pop()); import('./one.mjs').then(m => print(m.one))", name="s.mjs")
        self.assertIn(b"could not load module filename 'none.js'", self.run_script("import './none.js'").stderr)

    def test_what_scripts_find(self):
        names = "console print setTimeout clearTimeout setInterval clearInterval queueMicrotask performance gc scriptArgs"
        self.prints("undefined,undefined,undefined,undefined\n",
                    f"for (const n of '{names}'.split(' ')) if (!(n in globalThis)) throw n;\n"
                    "print([typeof std, typeof os, typeof Debugger, typeof newGlobal].join())")
        self.prints("object,object\n", "print([typeof std, typeof os].join())", options=["--std"])
        self.prints("function,function\n", "print([typeof Debugger, typeof newGlobal].join())", options=["--debugger"])

    def test_the_heap_module_is_there_when_asked_for(self):
        text = "import * as heap from 'ubiheap'; print(typeof heap.saveHeapSnapshot, typeof Debugger)"
        self.prints("function undefined\n", text, options=["--heap-module"])
        self.prints("function function\n", text, options=["--debugger"])
        self.assertIn(b"could not load module filename 'ubiheap'", self.run_script(text).stderr)

    def test_names_of_native_frames_leave_nothing_behind(self):
        """Under LeakSanitizer, what symbols took must be freed, however the script ends."""
        text = ("import { memoryProfiler as p } from 'ubiheap'; import * as std from 'std'; p.startProfiler(); const kept = [];\n"
                "for (let i = 0; i < 30; i++) kept.push(new ArrayBuffer(100000));\n"
                "p.stopProfiler(); print(p.getResults().events.length > 0); ")
        self.prints("true\n", text, options=["--heap-module"])
        self.prints("true\n", text + "std.exit(0)", options=["--heap-module"])

    def test_a_collection_in_a_hook_is_reported_before_the_end(self):
        """Also before what the program would wait for."""
        text = ("const g = newGlobal(), d = new Debugger(g); let n = 0; d.memory.onGarbageCollection = e => {\n"
                " if (e.reason === 'API') { if (++n < 5) gc(); else print(n) } }; gc(); ")
        self.prints("5\n", text, options=["--debugger"])
        self.prints("5\nlate\n", text + "setTimeout(() => print('late'), 100)", options=["--debugger"])

    def test_only_what_is_asked_for_is_there(self):
        names = json.loads(self.run_script("print(JSON.stringify(Object.getOwnPropertyNames(globalThis)))").stdout)
        more = json.loads(self.run_script("print(JSON.stringify(Object.getOwnPropertyNames(globalThis)))",
                                          options=["--debugger"]).stdout)
        self.assertEqual(set(more) - set(names), {"Debugger", "newGlobal"})

    def test_a_new_global_is_a_realm_of_its_own(self):
        self.prints("true true false\n3\nin there\n0\n",
                    "const g = newGlobal(); print(g.Array !== Array, g.globalThis === g, 'Debugger' in g);\n"
                    "print(g.eval('1 + 2')); g.eval(`setTimeout(() => console.log('in there'), 1)`);\n"
                    "for (let i = 0; i < 50; i++) newGlobal(); gc(); setTimeout(() => print(0), 5)", options=["--debugger"])


class Console(Host):
    def logs(self, expected, arguments):
        self.prints(expected + "\n", f"console.log({arguments})")

    def test_primitives(self):
        self.logs("1 -0 1.5 NaN true null undefined 10n text Symbol(s)",
                  "1, -0, 1.5, NaN, true, null, undefined, 10n, 'text', Symbol('s')")
        self.logs("", "")

    def test_texts_in_objects_are_quoted(self):
        self.logs("""[ 'a', "it's", 'q"', 'l\\nf', '\\x00' ]""", """['a', "it's", 'q"', 'l\\nf', '\\0']""")

    def test_objects(self):
        self.logs("{ a: 1, 'b c': { d: [] }, [Symbol(s)]: 2 }", "{ a: 1, 'b c': { d: [] }, [Symbol('s')]: 2 }")
        self.logs("{ a: { b: { c: [Object] } } } [ [ [ [Array] ] ] ]", "{a:{b:{c:{d:1}}}}, [[[[1]]]]")
        self.logs("[Object: null prototype] { x: 1 } P { y: 2 }", "Object.assign(Object.create(null), {x: 1}), new class P { y = 2 }")
        self.logs("{ g: [Getter], s: [Setter], b: [Getter/Setter] }", "{ get g() { throw 1 }, set s(v) {}, get b() {}, set b(v) {} }")

    def test_cycles_end(self):
        self.prints("{ self: [Circular], list: [ [Circular] ] }\n", "const o = {}; o.self = o; o.list = [o]; console.log(o)")

    def test_collections(self):
        self.logs("Map(2) { 'a' => 1, {} => [] } Set(1) { 'x' } WeakMap {}", "new Map([['a', 1], [{}, []]]), new Set(['x']), new WeakMap()")
        self.logs("[ 1, <2 empty items>, 4, k: 5 ]", "Object.assign([1, , , 4], { k: 5 })")
        self.logs("Uint8Array(2) [ 1, 2 ] ArrayBuffer { byteLength: 3 }", "new Uint8Array([1, 2]), new ArrayBuffer(3)")
        text = self.run_script("console.log(Array.from({ length: 1000 }, (_, i) => i))").stdout.decode()
        self.assertIn("... 900 more items\n]", text)
        self.assertLess(max(map(len, text.splitlines())), 80)

    def test_other_objects(self):
        self.logs("[Function: f] [Function (anonymous)] [Function: C] { s: 1 }", "function f() {}, (() => {}), class C { static s = 1 }")
        self.logs("1970-01-01T00:00:00.000Z Invalid Date /x/gi [Number: 1] [String: 'x'] Promise {}",
                  "new Date(0), new Date(NaN), /x/gi, new Number(1), new String('x'), Promise.resolve(1)")
        self.logs(places("[ [Error: inner] ] Error: outer\n    at <eval> (s.js:1:58) { code: 1 }", one_line=True),
                  "[new Error('inner')], Object.assign(new Error('outer'), { code: 1 })")

    def test_hostile_objects_do_no_harm(self):
        done = self.run_script("""
            const trap = () => { throw new Error('trap') };
            const proxy = new Proxy({}, new Proxy({}, { get: () => trap }));
            const broken = new Map([[1, 2]]); broken.entries = trap;
            const endless = new Map([[1, 2]]); endless.entries = () => ({ next: () => ({ done: false, value: [1, 2] }) });
            const error = new Error('x'); error.toString = trap; Object.defineProperty(error, 'stack', { get: trap });
            const tag = { get [Symbol.toStringTag]() { trap() } };
            const deep = {}; for (let i = 0, at = deep; i < 1e5; i++) at = at.x = {};
            let chain = {}; for (let i = 0; i < 5000; i++) chain = Object.setPrototypeOf({}, chain);
            const long = new Proxy([], { get: (t, k) => k === 'length' ? 2 ** 53 : undefined });
            for (const v of [proxy, broken, endless, error, tag, deep, chain, long]) {
                try { console.log(v, [v], '%o', v) } catch (e) { console.log('threw', e) }
                console.log('shown');
            }""")
        text = done.stdout.decode()
        self.assertEqual((done.returncode, done.stderr, text.count("shown\n"), text.count("threw")), (0, b"", 8, 0), text)
        self.assertLess(len(text), 20000)

    def test_directives(self):
        self.logs("x is 1.5, 1, 2.5, {\"a\":1}, { b: 2 } 100% %q rest", "'%s is %d, %i, %f, %j, %o 100%% %q', 'x', 1.5, 1.9, 2.5, {a:1}, {b:2}, 'rest'")
        self.logs("%s", "'%s'")
        self.logs("NaN %d", "'%d %d', 'no number'")

    def test_streams(self):
        done = self.run_script("console.log('l'); console.info('i'); console.debug('d'); console.error('e'); console.warn('w');\n"
                               "console.assert(false, 'a %s', 1); console.assert(true, 'b'); console.assert(0)")
        self.assertEqual((done.stdout, done.stderr), (b"l\ni\nd\n", b"e\nw\nAssertion failed: a 1\nAssertion failed\n"))

    def test_labels_and_groups(self):
        self.prints("default: 1\nx: 1\ndefault: 2\ndefault: 1\ng\n  a\n  b\n    c\nd\nt: no such timer\n",
                    "console.count(); console.count('x'); console.count(); console.countReset(); console.count();\n"
                    "console.group('g'); console.log('a\\nb'); console.group(); console.log('c'); console.groupEnd(); console.groupEnd();\n"
                    "console.groupEnd(); console.log('d'); console.timeEnd('t')")
        self.assertRegex(self.run_script("console.time(); console.timeLog('default', 1); console.timeEnd()").stdout,
                         rb"\Adefault: \d+\.\d{3} ms 1\ndefault: \d+\.\d{3} ms\n\Z")

    def test_trace_says_where(self):
        self.assertEqual(self.run_script("function f() {\n console.trace('here') }\nf()").stderr,
                         places("Trace: here\n    at f (s.js:2:15)\n    at <eval> (s.js:3:2)\n").encode())

    def test_lines_appear_at_once_on_a_terminal(self):
        self.place.write("s.js", "import * as std from 'std'; console.log('first'); std.in.getline(); console.log('second')")
        master, slave = pty.openpty()
        reader, writer = os.pipe()
        process = subprocess.Popen(["ubiheap", "run", "s.js"], cwd=self.place.folder, env=self.place.environment(),
                                   stdin=reader, stdout=slave, stderr=slave)
        os.close(slave)
        self.assertEqual(os.read(master, 100), b"first\r\n")
        os.write(writer, b"go\n")
        self.assertEqual(os.read(master, 100), b"second\r\n")
        self.assertEqual(process.wait(), 0)
        for fd in (master, reader, writer):
            os.close(fd)


if __name__ == "__main__":
    unittest.main()
