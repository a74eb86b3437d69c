#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What `ubiheap run` writes besides what the script prints: snapshots, the census, the allocation log, the document."""
import json
import os
import resource
import signal
import socket
import subprocess
import sys
import unittest

import run_place
from engine_facts import facts

try:
    import jsonschema
except ImportError:
    print("skipped: python3-jsonschema is not installed")
    sys.exit(77)

DOCS = run_place.SOURCE_DIR / "docs"
KEEP = """
class Foo {}
function make() { return new Foo() }
globalThis.kept = [];
for (let i = 0; i < 1000; i++) kept.push(make());
print('printed');
"""
# Engines of before 2024 throw null then, as a program may, and nothing says that memory ran out.
NAMES = [("a = {}; setInterval(() => { for (;;) a['p' + n++] = n }, 1)", "32MiB", ""),
         ("a = {}; for (;;) a['p' + n++] = n", "32MiB", "")] if facts().awaits_in_scripts else []


def validator(path):
    schema = json.loads((DOCS / path).read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


class Outputs(unittest.TestCase):
    def setUp(self):
        self.place = run_place.Place()
        self.addCleanup(self.place.temporary.cleanup)

    def ran(self, text, *options, code=0):
        done = self.place.script(text, options=options)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def lines(self, name="log"):
        return [json.loads(line) for line in (self.place.folder / name).read_text().splitlines()]


class Printing(Outputs):
    """What is printed to a pipe is there when the program waits, though nothing flushes it."""

    def test_it_is_there_while_the_program_waits(self):
        for waits in ("setInterval(() => {}, 1000000)", "os.sleep(1000000)", "os.setReadHandler(os.pipe()[0], () => {})",
                      "setTimeout(() => os.sleep(1000000), 1)", "new Promise(resolve => setTimeout(resolve, 1000000))"):
            with self.subTest(waits):
                running = self.place.start(f"console.log('ready'); {waits};", ["--std"])
                self.addCleanup(running.abandon)
                running.send(signal.SIGTERM)
                self.assertEqual(running.end(), (-signal.SIGTERM, "", ""))

    def test_what_a_worker_prints_is_there_while_it_waits(self):
        self.place.write("worker.js", "print('ready'); setInterval(() => {}, 1000000)")
        running = self.place.start("import * as os from 'os'; new os.Worker('./worker.js'); for (;;);")
        self.addCleanup(running.abandon)

    def test_a_loop_that_does_not_wait_stays_buffered(self):
        """Neither jobs nor timers that are due are a wait. Each write is a message here."""
        self.place.write("s.js", "let n = 0; function next() { print('line'); if (++n < 1000) n % 2 ? Promise.resolve().then(next) : setTimeout(next, 0) } next()")
        reader, writer = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with reader, writer:
            done = subprocess.run(["ubiheap", "run", "s.js"], cwd=self.place.folder, env=self.place.environment(), stdout=writer)
            writer.close()
            writes = list(iter(lambda: reader.recv(1 << 20), b""))
        self.assertEqual((done.returncode, b"".join(writes)), (0, b"line\n" * 1000))
        self.assertLess(len(writes), 10)


class Snapshots(Outputs):
    def test_the_heap_at_exit_is_the_one_that_the_script_left(self):
        done = self.ran(KEEP, "--snapshot-at", "exit")
        self.assertEqual(done.stdout, b"printed\n")
        info = self.place.info("s-1.fxsnapshot")
        self.assertGreater(info["nodesWithStack"], 1000)
        self.assertEqual(info["unreachable"]["count"], 0)
        self.assertGreaterEqual(self.place.classes("s-1.fxsnapshot")["Object"], 1000)

    def test_exit_is_every_way_to_end(self):
        ends = {"": 0, "throw 1": 1, "Promise.reject(1)": 1, "std.exit(7)": 7, "(async () => std.exit(8))()": 8,
                "setTimeout(() => std.exit(9), 1)": 9, "setTimeout(() => { throw 1 }, 1)": 1, "syntax error": 1}
        for text, code in ends.items():
            self.place.clear()
            self.ran(text, "--std", "--snapshot-at", "exit", code=code)
            self.assertEqual(self.place.snapshots(), ["s-1.fxsnapshot"], text)

    def test_what_a_call_of_exit_still_holds_is_there(self):
        self.ran("function f() { const held = Array.from({ length: 700 }, () => new Date()); std.exit(held.length & 1) } f()",
                 "--std", "--snapshot-at", "exit")
        self.assertEqual(self.place.classes("s-1.fxsnapshot")["Date"], 700)

    def test_allocation_sites_are_remembered_by_default(self):
        stacks = {}
        for options in ([], ["--no-sites"], ["--sampling-probability", "0"], ["--sampling-probability", "0.5"]):
            self.ran(KEEP, "--snapshot-at", "exit", *options)
            stacks[" ".join(options)] = self.place.info("s-1.fxsnapshot")["nodesWithStack"]
        self.assertEqual((stacks["--no-sites"], stacks["--sampling-probability 0"]), (0, 0))
        self.assertGreater(stacks[""], 1000)
        self.assertTrue(300 < stacks["--sampling-probability 0.5"] < 700, stacks)

    def test_a_report_without_stacks_says_how_this_engine_records_them(self):
        self.ran(KEEP, "--snapshot-at", "exit", "--no-sites")
        for command in ("report", "allocations"):
            answer = self.place.ubiheap(command, "s-1.fxsnapshot").stdout.decode()
            self.assertIn("Not recorded: run it with --sites,", answer)
            self.assertNotIn("Firefox", answer)

    def test_names_follow_the_pattern(self):
        self.place.write("my.app.js", "setTimeout(gc, 1)")
        done = self.place.ubiheap("run", "-a", "gc", "-a", "exit", "-o", "%%-%s-%t-%n-%w.fxsnapshot", "my.app.js")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.place.snapshots(), ["%-my.app-exit-2-0.fxsnapshot", "%-my.app-gc-1-0.fxsnapshot"])
        self.place.clear()
        done = self.place.ubiheap("run", "-a", "exit", "-", stdin=b"")
        self.assertEqual(self.place.snapshots(), ["stdin-1.fxsnapshot"])

    def test_names_with_numbers_of_the_process(self):
        self.place.write("s.js", "")
        process = subprocess.Popen(["ubiheap", "run", "-a", "exit", "-o", "%p.fxsnapshot", "s.js"], cwd=self.place.folder,
                                   env=self.place.environment(), stderr=subprocess.DEVNULL)
        self.assertEqual(process.wait(), 0)
        self.assertEqual(self.place.snapshots(), [f"{process.pid}.fxsnapshot"])

    def test_memory_that_runs_out_leaves_a_snapshot_of_what_filled_it(self):
        done = self.ran("const all = []; for (;;) all.push(new Date())", "--heap-limit", "4MiB", "--snapshot-on-oom", code=1)
        self.assertIn(b"InternalError: out of memory", done.stderr)
        self.assertEqual(done.stderr.count(b"snapshot (oom)"), 1)
        self.assertTrue(done.stderr.endswith(b"\nubiheap: s.js: memory ran out: --heap-limit 4MiB is all that the program may use\n"))
        self.assertGreater(self.place.classes("s-1.fxsnapshot")["Date"], 5000)

    def test_memory_that_runs_out_later_is_said_as_at_the_top_level(self):
        """Also where there is too little for the error, for its message, or for a name, and the engine throws null, half an error or nothing."""
        rejected = "Unhandled promise rejection: "
        for text, limit, what in (("setInterval(() => { a.push(new Array(100000).fill(1)) }, 1)", "32MiB", ""),
                                  ("let a=[];setInterval(()=>{a.push([1].concat(a))},1)", "32MiB", ""),
                                  ("setInterval(async () => { for (;;) a.push({}) }, 1)", "32MiB", rejected),
                                  ("setInterval(async () => { for (;;) a.push(new Array(1000).fill(1)) }, 1)", "5MiB", rejected),
                                  ("setInterval(() => { for (;;) a['p' + n++] = n }, 1)", "8MiB", ""),
                                  *NAMES):
            for name in ("s.js", "s.mjs"):
                with self.subTest(text, name=name):
                    done = self.place.script(text if text.startswith("let") else "let a = [], n = 0; " + text, options=("--heap-limit", limit), name=name)
                    self.assertEqual((done.returncode, done.stderr.decode().split("\n")[0]), (1, what + "InternalError: out of memory"))

    def test_a_script_may_continue_after_memory_ran_out(self):
        done = self.ran("let all = []; try { for (;;) all.push(new Date()) } catch (e) { all = null; print('goes on') }\n"
                        "setTimeout(() => print('to its end'), 1)", "--heap-limit", "4MiB", "--snapshot-on-oom")
        self.assertEqual(done.stdout, b"goes on\nto its end\n")
        self.assertEqual(self.place.snapshots(), ["s-1.fxsnapshot"])

    def test_a_limit_that_is_not_reached_changes_nothing(self):
        self.assertEqual(self.ran(KEEP, "--heap-limit", "64MiB", "--snapshot-on-oom").stderr, b"")
        self.assertNotIn(b"--heap-limit", self.ran("throw new Error('other')", "--heap-limit", "64MiB", code=1).stderr)
        done = self.ran("const all = []; for (;;) all.push(new Date())", "--heap-limit", "4MiB", code=1)
        self.assertIn(b"--heap-limit 4MiB is all that the program may use; --snapshot-on-oom saves what fills it\n", done.stderr)
        self.assertEqual(self.place.snapshots(), [])

    def test_what_cannot_be_written_is_said_and_gives_4(self):
        for text, code in (("print('printed')", 4), ("print('printed'); throw 1", 1), ("print('printed'); std.exit(7)", 7)):
            done = self.ran(text, "--std", "--snapshot-at", "exit", "-o", "none/x.fxsnapshot", code=code)
            self.assertEqual(done.stdout, b"printed\n")
            self.assertIn(b"ubiheap: none/x.fxsnapshot: ", done.stderr)

    def test_wrong_patterns_and_moments_are_refused_before_anything_runs(self):
        self.place.write("s.js", "print('ran')")
        for options in (["-o", "%x"], ["-o", "%"], ["-o", ""], ["-o", "-"], ["-a", "never"], ["-a", "1s", "-a", "2s"],
                        ["-a", "0s"], ["--sampling-probability", "2"], ["--module", "--script"], ["-b", "objectClass"], ["-c", "start"],
                        ["--stack-size", "0"], ["--heap-limit", "0"], ["--no-sites", "--allocation-log", "log"]):
            done = self.place.ubiheap("run", *options, "s.js")
            self.assertEqual((done.returncode, done.stdout, done.stderr.count(b"\n")), (2, b"", 1), options)


class Census(Outputs):
    def test_it_comes_behind_what_the_script_printed(self):
        text = self.ran(KEEP, "--census-at", "exit").stdout.decode()
        self.assertTrue(text.startswith("printed\n"))
        self.assertRegex(text, r"100\.0%.*\(everything\)")

    def test_it_equals_the_census_of_the_snapshot(self):
        for by in ("objectClass", "internalType", "coarseType", "allocationStack"):
            options = ["--json", "-b", json.dumps({"by": by})]
            live = json.loads(self.ran(KEEP.replace("print", ";"), "--census-at", "exit", "-a", "exit", *options).stdout)
            saved = json.loads(self.place.ubiheap("census", *options, "s-1.fxsnapshot").stdout)

            def flat(report):
                rows = report.items() if isinstance(report, dict) else [(str(e["stack"]), e["report"]) for e in report]
                return {key: value for key, value in rows if value.get("count")}

            live_counts, saved_counts = flat(live["report"]), flat(saved["report"])
            if by == "allocationStack":  # a file has no words for "on an empty stack"
                for counts in (live_counts, saved_counts):
                    counts.pop("None", None), counts.pop("noStack", None)
            self.assertEqual(live_counts, saved_counts, by)

    def test_it_can_go_to_a_file(self):
        self.assertEqual(self.ran(KEEP, "--census-at", "exit", "--output", "census").stdout, b"printed\n")
        self.assertIn("(everything)", (self.place.folder / "census").read_text())
        done = self.ran(KEEP, "--census-at", "exit", "--output", "none/census", code=4)
        self.assertEqual((done.stdout, done.stderr),
                         (b"printed\n", b"ubiheap: s.js: none/census: cannot create: the directory cannot be opened: No such file or directory\n"))

    def test_where_things_were_allocated_needs_no_other_option(self):
        text = self.ran(KEEP, "--census-at", "exit", "-b", "invertedAllocationStack").stdout.decode()
        self.assertRegex(text, r"make +s\.js:3")

    def test_documents_follow_the_schema(self):
        check = validator("reference/schema/ubiheap.run-1.schema.json")
        runs = [(["-a", "exit", "-a", "gc"], 0), (["-c", "exit"], 0), (["-c", "exit", "--tree"], 0), (["-c", "exit", "-b", "allocationStack"], 0),
                (["-c", "exit", "--inverted", "-b", "allocationStack"], 0), (["--allocation-log", "log"], 0), (["-t", "marks"], 0), (["-l", "log", "-c", "exit", "-a", "exit"], 0)]
        for options, code in runs:
            document = json.loads(self.ran(KEEP.replace("print('printed')", "setTimeout(gc, 1)"), "--json", *options, code=code).stdout)
            check.validate(document)
        self.assertEqual(document["allocationLog"]["entries"], len(self.lines()) - 2)
        self.assertEqual([s["trigger"] for s in document["snapshots"]], ["exit"])
        failed = json.loads(self.ran("std.exit(9)", "--std", "--json", code=9).stdout)
        self.assertEqual(failed, {"schema": "ubiheap.run/1", "file": "s.js", "exitCode": 9, "snapshots": []})
        for change in ({"exitCode": "0"}, {"snapshots": [{}]}, {"other": 1}, {"report": {}}):
            self.assertFalse(check.is_valid({**failed, **change}), change)


class Log(Outputs):
    def test_lines_follow_the_schema(self):
        check = validator("formats/allocation-log-1.schema.json")
        self.ran(KEEP + "[1, {}, () => {}, new Map(), /x/, new Date(), Symbol(), 'text', JSON.parse('[{}]')]; gc()", "-l", "log")
        lines = self.lines()
        for line in lines:
            check.validate(line)
        for change in ({"record": "other"}, {"size": -1}, {"stack": []}, {"class": None}, {"more": 1}):
            self.assertFalse(check.is_valid({**lines[1], **change}), change)
        self.assertEqual((lines[0]["record"], lines[-1]), ("header", {"record": "end", "entries": len(lines) - 2, "lost": False}))
        times = [line["timestamp"] for line in lines[1:-1]]
        self.assertEqual(times, sorted(times))

    def test_every_allocation_is_there_with_its_stack(self):
        self.ran(KEEP, "--allocation-log", "log")
        made = [line for line in self.lines() if line.get("constructor") == "Foo"]
        columns = facts().columns
        self.assertEqual(len(made), 1000)
        self.assertEqual({json.dumps(line["stack"]) for line in made}, {json.dumps([
            {"source": "s.js", "line": 3, "column": 33 * columns, "functionDisplayName": "make"},
            {"source": "s.js", "line": 5, "column": 46 * columns, "functionDisplayName": None}])})

    def test_a_script_that_does_not_return_is_written_as_it_goes(self):
        running = self.place.start(run_place.READY + "ready(); for (;;) ({});", ["-l", "log"])
        self.addCleanup(running.abandon)
        path = self.place.folder / "log"
        while path.stat().st_size < 3000000:
            pass
        running.send(2)
        self.assertEqual(running.end(), (130, "", ""))
        self.assertEqual(self.lines()[-1]["lost"], False)

    def test_one_call_may_allocate_more_than_the_log_holds(self):
        """Nothing is asked in between, so the oldest are lost, which the log says."""
        text = "JSON.parse('[' + '[],'.repeat(1060000) + '1]'); print('end')"
        self.assertEqual(self.ran(text, "-l", "log").stdout, b"end\n")
        entries = lost = 0
        with open(self.place.folder / "log") as log:
            for line in log:
                entries += line.startswith('{"record":"allocation"')
                lost += line.startswith('{"record":"lost"')
        self.assertEqual(json.loads(line), {"record": "end", "entries": entries, "lost": True})
        self.assertEqual((lost, entries > 1000000, entries < 1060000), (1, True, True))

    def test_sampling_takes_a_part(self):
        text = "for (let i = 0; i < 100000; i++) ({})"
        self.ran(text, "-l", "log", "--sampling-probability", "0.1")
        self.assertTrue(9000 < self.lines()[-1]["entries"] < 11000)
        self.assertEqual(self.lines()[0]["samplingProbability"], 0.1)
        self.ran(text, "-l", "log", "--sampling-probability", "0")
        self.assertEqual(self.lines()[-1]["entries"], 0)

    @unittest.skipIf(run_place.SANITIZED, "sanitizers need addresses")
    def test_memory_does_not_grow_with_the_log(self):
        def peak(n):
            self.place.write("s.js", f"for (let i = 0; i < {n}; i++) [{{}}]")
            process = subprocess.Popen(["ubiheap", "run", "-l", "/dev/null", "s.js"], cwd=self.place.folder, env=self.place.environment())
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            self.assertEqual(process.returncode, 0)
            return usage.ru_maxrss
        self.assertLess(peak(1000000), peak(100000) + 8192)

    def test_a_full_disk_is_said_and_the_script_continues(self):
        done = self.ran(KEEP, "-l", "/dev/full", code=4)
        self.assertEqual((done.stdout, done.stderr), (b"printed\n", b"ubiheap: /dev/full: cannot write: No space left on device\n"))

    def test_a_file_that_grows_too_large_is_no_end(self):
        self.place.write("s.js", "for (let i = 0; i < 100000; i++) ({}); print('end')")
        done = self.place.ubiheap("run", "-l", "log", "s.js", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100000, 100000)))
        self.assertEqual((done.returncode, done.stdout), (4, b"end\n"))


class Nothing(Outputs):
    """No tool option changes what a script does."""
    SCRIPT = run_place.READY + """
        const out = [], log = (...a) => out.push(a.join(' '));
        class A { constructor(n) { this.n = n; this.list = Array(n).fill({}) } get twice() { return this.n * 2 } }
        const all = new Map(); for (let i = 0; i < 500; i++) all.set(new A(i % 7), `text ${i}`);
        log(Object.getOwnPropertyNames(globalThis).join(), new Error('x').stack);
        const weak = new WeakMap(); for (const a of all.keys()) weak.set(a, a.twice);
        function* g() { let i = 0; while (i < 5) yield { i: i++ } } log(JSON.stringify([...g()]));
        try { (function f() { f() })() } catch (e) { log(e) }
        (async () => { for (let i = 0; i < 3; i++) { await null; log('job', i) } gc() })();
        const id = setInterval(() => { log('tick'); if (out.length > 12) { clearInterval(id); end() } }, 1);
        const end = () => { log([...all.keys()].reduce((s, a) => s + weak.get(a), 0), String(log));
            console.log(out.join('\\n')); std.out.flush(); console.error('error'); std.exit(3) };
    """

    def test_no_option_changes_what_a_script_prints(self):
        plain = self.ran(self.SCRIPT, code=3)
        self.assertGreater(len(plain.stdout), 500)
        for options in (["--snapshot-at", "exit"], ["--snapshot-at", "gc"], ["--snapshot-at", "2ms"], ["--sites"], ["--sampling-probability", "0.3"],
                        ["--allocation-log", "log"], ["--census-at", "exit", "--output", "census"],
                        ["--heap-limit", "256MiB", "--snapshot-on-oom"]):
            done = self.ran(self.SCRIPT, *options, code=3)
            said = [line for line in done.stderr.splitlines() if not line.startswith(b"ubiheap: s-")]
            self.assertEqual((done.stdout, said), (plain.stdout, [b"error"]), options)


if __name__ == "__main__":
    unittest.main()
