#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`ubiheap run --snapshot-on-oom` at the limits of the system: the snapshot arrives, or there is a word beforehand.

With UBI_DEEP 20 runs per limit, else 2. The control group needs root and a writable group of the memory controller, version 1 or 2;
without them only the address space is tested."""
import os
import resource
import subprocess
import unittest

import run_place  # finds the next one
import control_group

RUNS = 20 if os.environ.get("UBI_DEEP") else 2
MIB = 1 << 20
FILLS = ["const all = []; for (;;) all.push({})",
         "const all = []; for (let i = 0; ; i++) all.push({ a: i, b: 'x' + i, c: [i] })",
         "let list = null; for (;;) list = { list }",
         "const all = []; for (let i = 0; ; i++) all.push(('y' + i).repeat(5000))",
         "const map = new Map(); for (let i = 0; ; i++) map.set('k' + i, () => i)"]


@unittest.skipIf(run_place.SANITIZED, "sanitizers need the whole address space")
class Limits(unittest.TestCase):
    def setUp(self):
        self.place = run_place.Place()
        self.addCleanup(self.place.temporary.cleanup)

    def ran(self, text, enter, *options):
        self.place.clear()
        self.place.write("s.js", text)
        return subprocess.run(["ubiheap", "run", "--snapshot-on-oom", *options, "s.js"], cwd=self.place.folder, text=True,
                              env=self.place.environment(), preexec_fn=enter, capture_output=True)

    def check_arrives(self, enter, n, words):
        text = FILLS[n % len(FILLS)]
        options = ["--no-sites"] if n % 4 == 3 else []
        done = self.ran(text, enter, *options)
        self.assertEqual(done.returncode, 1, (text, done.stderr))
        self.assertIn(words, done.stderr)
        self.assertEqual(self.place.snapshots(), ["s-1.fxsnapshot"], (text, done.stderr))
        self.assertGreater(self.place.info("s-1.fxsnapshot")["nodeCount"], 1000)

    def test_at_the_limit_of_the_address_space(self):
        for n in range(RUNS):
            limit = (96 + 16 * (n % 7)) * MIB
            self.check_arrives(lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)), n, "ulimit -v")

    def test_at_the_limit_of_the_control_group(self):
        group, file = control_group.group_new()
        if not group:
            self.skipTest("no right to make a control group")
        self.addCleanup(group.rmdir)
        for n in range(RUNS):
            file.write_text(str((48 + 16 * (n % 7)) * MIB))
            self.check_arrives(lambda: (group / "cgroup.procs").write_text(str(os.getpid())), n, "the control group")

    def test_too_little_room_is_said_beforehand(self):
        limit = 24 * MIB
        done = self.ran("print('ran')", lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertIn("no room for a snapshot: the limit of the address space (ulimit -v) is 24.0 MiB", done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1)

    def test_a_heap_limit_of_ones_own_is_kept_and_judged(self):
        limit = 128 * MIB
        enter = lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit))  # noqa: E731
        self.assertIn("--heap-limit may leave no room", self.ran("", enter, "--heap-limit", "100MiB").stderr)
        self.assertEqual(self.ran("", enter, "--heap-limit", "8MiB").stderr, "")

    def test_what_the_engine_refuses_without_a_word_is_saved_too(self):
        done = self.ran("const o = {}; for (let i = 0; ; i++) o['p' + i] = i", None, "--heap-limit", "80MiB")
        self.assertEqual(self.place.snapshots(), ["s-1.fxsnapshot"], done.stderr)


if __name__ == "__main__":
    unittest.main()
