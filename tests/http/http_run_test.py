#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`ubiheap run --ui`: a server of the program's own heap, and of its workers', while it runs and when its script has ended."""
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import unittest

from serving import ROOT, TOOL, Client

sys.path.insert(0, str(ROOT / "tests" / "support"))
import engine_facts  # noqa: E402,F401  (skips without an engine)

PLANTED = "class Planted {}\nglobalThis.kept = [];\nfunction planting() { kept.push(new Planted()); }\nplanting();\n"
WAITS = PLANTED + "setInterval(planting, 1e6);\n"  # for what never comes: who asks has to wake it
RUNS = PLANTED + "for (;;) if (kept.length < 1000) planting();\n"


class Program(Client):
    """A program whose page is served; ends with the test."""

    def __init__(self, test, text, *options, files=()):
        temporary = tempfile.TemporaryDirectory()
        test.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        for name, content in [("program.js", text), *files]:
            (self.folder / name).write_text(content, encoding="utf-8")
        self.process = subprocess.Popen([TOOL, "run", "--ui", *options, "program.js"], cwd=self.folder, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                        env={**os.environ, "TMPDIR": temporary.name})
        test.addCleanup(self.end)
        line = self.process.stderr.readline()
        found = re.fullmatch(r"ubiheap: look into it in your browser: (http://127\.0\.0\.1:\d+/\?token=[0-9a-f]{32})\n", line)
        if not found:
            raise AssertionError(line + self.process.stderr.read())
        super().__init__(found[1])

    def await_end_of_script(self):
        line = self.process.stderr.readline()
        assert line == "ubiheap: program.js: the script has ended, and its page still shows its heap; Ctrl-C ends both\n", line

    def end(self, number=signal.SIGKILL):
        if self.process.poll() is None:
            self.process.send_signal(number)
        self.printed, self.errors = self.process.communicate()
        return self.process.returncode

    def left(self):
        """Files of its server."""
        return [file for folder in self.folder.glob("ubiheap-serve-*") for file in folder.iterdir()]

    def save(self, target="t1"):
        return self.get(f"/api/1/targets/{target}/heaps", method="POST")

    def count(self, heap):
        """Objects of the planted class."""
        return self.get(heap["self"] + "/search?text=Planted")["count"]


class Running(unittest.TestCase):
    def test_a_program_that_waits_or_works_is_looked_into(self):
        for text in (WAITS, RUNS):
            with self.subTest(text[-40:]):
                program = Program(self, text)
                (target,) = program.get("/api/1/targets")["targets"]
                self.assertEqual((target["name"], target["kind"], target["link"]), ("program.js", "quickjs", "here"))
                self.assertTrue(target["canCollect"] and target["canMeasure"] and target["canRecord"])
                self.assertEqual(program.save()["origin"], "saved")
                while program.count(program.save()) == 0:
                    pass
                rows = program.get("/api/1/targets/t1/measure")["rows"]
                self.assertIn("mallocSize", [row["name"] for row in rows])
                self.assertEqual(program.get("/api/1/targets/t1/collections", method="POST")["fault"], None)
                self.assertGreaterEqual(len(program.left()), 1)
                self.assertEqual(program.end(signal.SIGINT), 130)
                self.assertEqual((program.printed, program.errors, program.left()), ("", "", []))

    def test_stacks_are_recorded_on_request(self):
        program = Program(self, "class Planted {}\nglobalThis.kept = [];\nfunction planting() { kept.push(new Planted()); }\n"
                                "setInterval(planting, 1);\n")
        on = program.get("/api/1/targets/t1/recording", method="PUT", body='{"isOn": true}')
        self.assertTrue(on["recording"]["isOn"])
        while "planting" not in str(program.get(program.save()["self"] + "/census?breakdown=allocationStack")):
            pass
        off = program.get("/api/1/targets/t1/recording", method="PUT", body='{"isOn": false}')
        self.assertFalse(off["recording"]["isOn"])

    def test_with_sites_what_was_made_first_has_its_stack(self):
        program = Program(self, PLANTED, "--sites")
        program.await_end_of_script()
        self.assertIn("planting", str(program.get(program.save()["self"] + "/census?breakdown=allocationStack")))

    def test_workers_are_targets_as_long_as_they_run(self):
        worker = PLANTED + "import * as os from 'os'; os.Worker.parent.onmessage = () => {};\n"
        main = "import * as os from 'os'; const w = new os.Worker('./w.js'); setInterval(() => {}, 1e6);\n"
        program = Program(self, main, "-m", files=[("w.js", worker)])
        while len(targets := program.get("/api/1/targets")["targets"]) < 2:
            pass
        self.assertEqual([target["name"] for target in targets], ["program.js", "program.js, worker 1"])
        while program.count(program.save("t2")) == 0:
            pass
        self.assertEqual(program.count(program.save("t1")), 0)
        self.assertEqual(program.end(signal.SIGTERM), -signal.SIGTERM)
        self.assertEqual(program.left(), [])

    def test_it_asks_for_what_serve_asks_for(self):
        program = Program(self, WAITS)
        self.assertEqual(program.ask("/api/1/targets", with_token=False).code, 401)
        self.assertEqual(program.ask("/api/1/targets", headers={"Host": "evil.example"}).code, 403)
        self.assertEqual(program.ask("/api/1/targets", headers={"Origin": "http://evil.example"}).code, 403)
        self.assertEqual(program.ask("/").code, 200)


class Ended(unittest.TestCase):
    def test_the_heap_is_there_until_the_user_ends_the_program_with_the_code_of_the_script(self):
        ends = [("", 0), ("throw new Error('planted');", 1), ("import * as std from 'std'; std.exit(3);", 3)]
        for ending, code in ends:
            with self.subTest(ending):
                program = Program(self, PLANTED + ending, *(["-m"] if "import" in ending else []))
                while "the script has ended" not in program.process.stderr.readline():
                    pass
                self.assertEqual(program.get("/api/1/targets")["targets"][0]["link"], "ended")
                self.assertEqual(program.count(program.save()), 1)
                program.get("/api/1/targets/t1/collections", method="POST")
                self.assertEqual(program.count(program.save()), 1)
                self.assertEqual(program.end(signal.SIGINT), code)
                self.assertEqual(program.left(), [])

    def test_what_is_to_be_done_at_the_end_is_done_then(self):
        program = Program(self, PLANTED, "--snapshot-at", "exit", "--timeline", "program.timeline")
        program.await_end_of_script()
        self.assertEqual(list(program.folder.glob("*.fxsnapshot")), [])
        program.process.send_signal(signal.SIGUSR2)
        self.assertIn("snapshot (signal)", program.process.stderr.readline())
        self.assertEqual(program.end(signal.SIGINT), 0)
        self.assertIn("snapshot (exit)", program.errors)
        self.assertEqual(sorted(path.suffix for path in program.folder.glob("program*")),
                         [".fxsnapshot", ".fxsnapshot", ".js", ".timeline"])

    def test_its_address_is_the_same_each_time_if_one_wants_that(self):
        first = Program(self, PLANTED, "--token-file", "token")
        first.await_end_of_script()
        (first.folder / "again.js").write_text(PLANTED, encoding="utf-8")
        url = first.url
        port = re.search(r":(\d+)/", url)[1]
        self.assertEqual(first.end(signal.SIGINT), 0)
        again = subprocess.Popen([TOOL, "run", "--ui", "--port", port, "--token-file", "token", "again.js"], cwd=first.folder,
                                 stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            self.assertEqual(again.stderr.readline(), f"ubiheap: look into it in your browser: {url}\n")
        finally:
            again.kill()
            again.communicate()
        for options, why in [(["--port", "1"], "--port is of the page that --ui serves"), (["--ui", "--port", "65536"], "up to 65535"),
                             (["--ui", "--token-file", "program.js"], "program.js")]:
            done = subprocess.run([TOOL, "run", *options, "program.js"], cwd=first.folder, capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(why, done.stderr)

    def test_what_is_typed_ends_when_the_user_says_so(self):
        done = subprocess.run([TOOL, "run", "--ui", "-i"], input=".exit\n", capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0)
        self.assertNotIn("has ended", done.stderr)


if __name__ == "__main__":
    unittest.main()
