#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What `ubiheap run` does while a script runs, waits or sleeps: signals, intervals, collections, workers."""
import json
import signal
import subprocess
import unittest

import run_place

LOOP = run_place.READY + "globalThis.kept = Array.from({ length: 100 }, (_, i) => ({ i })); ready(); for (;;);"
IDLE = run_place.READY + "globalThis.kept = Array.from({ length: 100 }, (_, i) => ({ i })); setTimeout(ready, 1);" \
                         " const id = setInterval(() => { if (os.stat('stop')[0]) { clearInterval(id); print('end') } }, 10);"
SLEEP = run_place.READY + "ready(); print(os.sleep(1000000));"
LINE = r"\Aubiheap: ([\w-]+\.fxsnapshot): snapshot(?: of worker \d+)? \(\w+\): [\d,]+ nodes in a file of [\d.]+ \w?i?B, [\d.]+ \w+\n\Z"


class Runs(unittest.TestCase):
    def setUp(self):
        self.place = run_place.Place()
        self.addCleanup(self.place.temporary.cleanup)

    def start(self, text, options=()):
        running = self.place.start(text, options)
        self.addCleanup(running.abandon)
        return running

    def stop(self):
        self.place.write("stop", "")

    def written(self, running):
        """The file that the next line on standard error is about."""
        line = running.error_line()
        self.assertRegex(line, LINE)
        return line.split()[1].rstrip(":")


class Signals(Runs):
    def test_a_script_that_does_not_return_is_looked_into(self):
        running = self.start(LOOP)
        for number in (1, 2):
            running.send()
            name = self.written(running)
            self.assertEqual(name, f"s-{number}.fxsnapshot")
            self.assertGreaterEqual(self.place.classes(name)["Object"], 100)
        running.send(signal.SIGINT)
        self.assertEqual(running.end(), (130, "", ""))

    def test_a_script_that_waits_is_looked_into(self):
        running = self.start(IDLE, ["--snapshot-at", "signal"])
        running.send()
        name = self.written(running)
        info = self.place.info(name)
        self.assertEqual((info["nodeCount"], info["unreachable"]["count"]), (info["reachable"]["count"], 0))
        self.stop()
        self.assertEqual(running.end(), (0, "end\n", ""))

    def test_a_script_that_sleeps_is_looked_into_and_sleeps_on(self):
        running = self.start(SLEEP)
        for _ in range(2):
            running.send()
            self.written(running)
        running.send(signal.SIGINT)
        self.assertEqual(running.end(), (130, "", ""))

    def test_interrupted_scripts_end_with_130_everywhere(self):
        for text in (LOOP, IDLE, SLEEP):
            running = self.start(text)
            running.send(signal.SIGINT)
            self.assertEqual(running.end(), (130, "", ""))

    def test_what_is_to_be_done_at_exit_is_done_after_an_interrupt(self):
        for text in (LOOP, IDLE):
            self.place.clear()
            running = self.start(text, ["--snapshot-at", "exit", "--allocation-log", "log", "--census-at", "exit"])
            running.send(signal.SIGINT)
            code, out, err = running.end()
            self.assertEqual(code, 130)
            self.assertRegex(err, LINE)
            self.assertIn("(everything)", out)
            self.assertEqual(self.place.snapshots(), ["s-1.fxsnapshot"])
            self.assertIn('"record":"end"', (self.place.folder / "log").read_text().splitlines()[-1])

    def test_a_script_may_take_an_interrupt_for_itself(self):
        running = self.start(run_place.READY + "os.signal(os.SIGINT, () => { print('mine'); std.exit(9) });"
                                   " setInterval(() => {}, 1000); setTimeout(ready, 1)")
        running.send(signal.SIGINT)
        self.assertEqual(running.end(), (9, "mine\n", ""))

    def test_a_reader_that_goes_away_ends_the_script_as_it_would_without_us(self):
        self.place.write("s.js", "for (;;) print('y')")
        process = subprocess.Popen(["ubiheap", "run", "s.js"], cwd=self.place.folder, env=self.place.environment(),
                                   stdout=subprocess.PIPE)
        process.stdout.readline()
        process.stdout.close()
        self.assertEqual(process.wait(), -signal.SIGPIPE)


class Series(Runs):
    def test_an_interval_looks_into_loops_and_waits(self):
        for text in (LOOP, IDLE):
            self.place.clear()
            running = self.start(text, ["--snapshot-at", "20ms", "-o", "%t-%n.fxsnapshot"])
            names = [self.written(running) for _ in range(3)]
            self.assertEqual(names, [f"interval-{n}.fxsnapshot" for n in (1, 2, 3)])
            running.send(signal.SIGINT)
            self.assertEqual(running.end()[0], 130)
            self.place.info("interval-3.fxsnapshot")

    def test_collections_are_followed_by_snapshots_at_the_next_safe_point(self):
        done = self.place.script("setTimeout(() => { gc(); gc(); print('collected') }, 1); setTimeout(() => gc(), 50)",
                                 options=["--snapshot-at", "gc"])
        self.assertEqual((done.returncode, done.stdout), (0, b"collected\n"))
        self.assertEqual(len(self.place.snapshots()), 2)

    def test_several_moments_go_together(self):
        done = self.place.script("setTimeout(() => gc(), 1)", options=["-a", "gc", "-a", "exit", "-a", "signal", "-a", "1h"])
        self.assertEqual((done.returncode, self.place.snapshots()), (0, ["s-1.fxsnapshot", "s-2.fxsnapshot"]), done.stderr)


class Workers(Runs):
    def worker(self, text, name="w.js"):
        self.place.write(name, run_place.READY + "const parent = os.Worker.parent;\n" + text)

    def test_workers_answer(self):
        self.worker("parent.onmessage = e => { parent.postMessage({ sum: e.data.a + e.data.b });"
                    " if (e.data.last) parent.onmessage = null }")
        done = self.place.script("import * as os from 'os'; const w = new os.Worker('./w.js'); let n = 0;\n"
                                 "w.onmessage = e => { console.log(e.data); if (++n == 2) w.onmessage = null };\n"
                                 "w.postMessage({ a: 1, b: 2 }); w.postMessage({ a: 3, b: 4, last: true })")
        self.assertEqual((done.stdout, done.stderr, done.returncode), (b"{ sum: 3 }\n{ sum: 7 }\n", b"", 0))

    def test_many_workers_at_once(self):
        self.worker("let a = []; for (let i = 0; i < 20000; i++) a.push({ i }); parent.postMessage(a.length)")
        done = self.place.script("import * as os from 'os'; let sum = 0, n = 0; for (let i = 0; i < 8; i++) {\n"
                                 " const w = new os.Worker('./w.js'); w.onmessage = e => { sum += e.data; w.onmessage = null;\n"
                                 "  if (++n == 8) print(sum) } }", options=["--allocation-log", "log", "--sampling-probability", "0.1"])
        self.assertEqual((done.stdout, done.stderr, done.returncode), (b"160000\n", b"", 0))

    def test_workers_have_the_same_helpers_and_tools(self):
        self.worker("console.error(typeof console.group, typeof setTimeout, typeof Debugger, typeof newGlobal,"
                    " typeof scriptArgs, performance.now() > 0); setTimeout(() => parent.postMessage(1), 1)")
        done = self.place.script("import * as os from 'os'; const w = new os.Worker('./w.js');\n"
                                 "w.onmessage = e => { w.onmessage = null }", options=["--debugger"])
        self.assertEqual((done.stderr, done.returncode), (b"function function function function undefined true\n", 0))

    def test_a_signal_makes_a_snapshot_of_each(self):
        self.worker("globalThis.kept = Array.from({ length: 5000 }, () => new Date()); ready(); for (;;);")
        running = self.start("import * as os from 'os'; const w = new os.Worker('./w.js'); setInterval(() => {}, 1e6)")
        running.send()
        names = sorted(self.written(running) for _ in range(2))
        # Either may be the first.
        self.assertIn(names, (["s-1.fxsnapshot", "s-worker1-2.fxsnapshot"], ["s-2.fxsnapshot", "s-worker1-1.fxsnapshot"]))
        self.assertEqual([self.place.classes(name).get("Date", 0) for name in names], [0, 5000])
        running.send(signal.SIGINT)
        self.assertEqual(running.end(), (130, "", ""))

    def test_the_log_has_what_workers_allocated_until_the_program_ends(self):
        """Whatever the worker does at that moment: it waits, runs, sleeps, or has ended."""
        for rest in ("parent.onmessage = () => {}", "for (;;);", "os.sleep(1e6)", ""):
            self.worker(f"globalThis.kept = Array.from({{ length: 500 }}, () => new Date()); parent.postMessage(1); {rest}")
            done = self.place.script("import * as os from 'os'; const w = new os.Worker('./w.js');\n"
                                     "w.onmessage = () => { w.onmessage = null }", options=["--allocation-log", "log"])
            self.assertEqual((done.returncode, done.stderr), (0, b""), rest)
            lines = [json.loads(line) for line in (self.place.folder / "log").read_text().splitlines()]
            dates = [line["worker"] for line in lines if line.get("class") == "Date"]
            self.assertEqual((dates, lines[-1]["lost"], lines[-1]["entries"]), ([1] * 500, False, len(lines) - 2), rest)

    def test_a_worker_that_does_not_answer_is_not_waited_for(self):
        self.worker("parent.postMessage(1); std.in.getline()")
        self.place.write("s.js", "import * as os from 'os'; const w = new os.Worker('./w.js'); w.onmessage = () => { w.onmessage = null }")
        with subprocess.Popen(["ubiheap", "run", "-l", "log", "s.js"], cwd=self.place.folder, env=self.place.environment(),
                              stdin=subprocess.PIPE) as process:
            self.assertEqual(process.wait(), 0)
        self.assertEqual(json.loads((self.place.folder / "log").read_text().splitlines()[-1])["lost"], True)

    def test_a_worker_can_end_the_program(self):
        for main in ("for (;;);", "setInterval(() => {}, 1e6)", "os.sleep(1e6)"):
            self.worker("setTimeout(() => std.exit(9), 1)")
            done = self.place.script(f"import * as os from 'os'; globalThis.w = new os.Worker('./w.js'); {main}",
                                     options=["--snapshot-at", "exit"])
            self.assertEqual((done.returncode, self.place.snapshots()), (9, ["s-1.fxsnapshot"]), main)

    def test_an_exception_in_a_worker_ends_the_program_too(self):
        for text in ("throw new Error('no')", "setTimeout(() => { throw new Error('no') }, 1); parent.onmessage = () => {}",
                     "Promise.reject(new Error('no')); parent.onmessage = () => {}", "not a script"):
            self.worker(text)
            done = self.place.script("import * as os from 'os'; const w = new os.Worker('./w.js');\n"
                                     "setTimeout(() => print('main goes on'), 1e9)")
            self.assertEqual((done.returncode, done.stdout), (1, b""), text)
            self.assertIn(b"Error: ", done.stderr)

    def test_a_worker_that_was_never_heard_of_again_does_not_keep_the_program(self):
        self.worker("for (;;);")
        self.assertEqual(self.place.script("import * as os from 'os'; new os.Worker('./w.js')").returncode, 0)


if __name__ == "__main__":
    unittest.main()
