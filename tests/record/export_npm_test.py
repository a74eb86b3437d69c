#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What programs of npm read out of exported recordings: the Firefox Profiler's command line, pprof-format, and speedscope in a browser. Where npm
cannot fetch them, the test is skipped."""
import base64
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time
import unittest

SOURCE_DIR = pathlib.Path(os.environ.get("UBI_SOURCE_DIR") or pathlib.Path(__file__).resolve().parents[2])
sys.path[:0] = [str(SOURCE_DIR / "tests" / "cli"), str(SOURCE_DIR / "tests" / "support")]
import workspace  # noqa: E402
from address_limit import lift_limit  # noqa: E402
from npm_packages import install  # noqa: E402

READERS = SOURCE_DIR / "tests" / "record" / "readers"
SUMS = """
const { Profile } = require('pprof-format'), { gunzipSync } = require('zlib'), { readFileSync } = require('fs');
const profile = Profile.decode(gunzipSync(readFileSync(process.argv[2])));
const name = (index) => profile.stringTable.strings[Number(index)];
const sums = {};
profile.sampleType.forEach((type, i) => {
  sums[name(type.type)] = Number(profile.sample.reduce((sum, sample) => sum + BigInt(sample.value[i]), 0n));
});
console.log(JSON.stringify(sums));
"""


class Readers(unittest.TestCase):
    place = workspace.Workspace()

    @classmethod
    def setUpClass(cls):
        cls.modules = install(READERS, "recording-readers") / "node_modules"

    def export(self, file, output, *arguments):
        done = self.place.ubiheap("export", "-o", output, *arguments, file)
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.place.folder / output

    def heap(self, file):
        return json.loads(self.place.ubiheap("report", "--json", file).stdout)["heap"]

    def environment(self):
        return {**os.environ, "HOME": str(self.place.folder), "PROFILER_CLI_SESSION_DIR": str(self.place.folder)}

    def profiler(self, *arguments):
        """The profiler's daemon says when it was too slow, as on a busy machine; then it is asked again."""
        while True:
            done = subprocess.run(["node", self.modules / "@firefox-devtools/profiler-cli/dist/profiler-cli.js", *arguments],
                                  capture_output=True, text=True, env=self.environment(),
                                  preexec_fn=lift_limit, check=False)
            if done.returncode == 0:
                return done.stdout
            if not re.search(r"did not become ready|retrying|not running|No .*session|loading", done.stdout + done.stderr):
                self.fail(done.stdout + done.stderr)
            time.sleep(0.5)

    def functions(self, strategy):
        self.profiler("strategy", strategy)
        rows = re.findall(r"^ +f-\d+\. (.*) - self: ([\d.,]+)(B|KB|MB) \(([\d.]+)%\)", self.profiler("thread", "functions"), re.M)
        return {name: float(share) for name, _, _, share in rows}

    def test_the_firefox_profiler(self):
        self.addCleanup(lambda: subprocess.run(["node", self.modules / "@firefox-devtools/profiler-cli/dist/profiler-cli.js", "stop",
                                                "--all"], capture_output=True, env=self.environment(), check=False))
        self.profiler("load", str(self.export("server.ubirec", "server.profile.json.gz")))
        heap = self.heap("server.ubirec")
        for strategy, measure in (("native-retained-allocations", "leaked"), ("native-allocations", "total")):
            functions = self.functions(strategy)
            session = 100 * 800 * 1024 / heap[measure]["bytes"]
            named = [share for name, share in functions.items() if name.startswith("Session::Session")]
            self.assertAlmostEqual(sum(named), session, delta=0.2, msg=functions)
        self.assertIn("server", self.profiler("profile", "info"))

    def test_pprof_format(self):
        script = self.modules.parent / "sums.cjs"
        script.write_text(SUMS)
        for file in ("server.ubirec", "sampled.ubirec", "growing.ubirec"):
            path = self.export(file, "p.pb.gz")
            sums = json.loads(subprocess.run(["node", script, path], capture_output=True, text=True, check=True).stdout)
            heap = self.heap(file)
            for kind, (measure, unit) in {"alloc_space": ("total", "bytes"), "inuse_space": ("leaked", "bytes"),
                                          "peak_space": ("peak", "bytes"), "alloc_objects": ("total", "count"),
                                          "inuse_objects": ("leaked", "count"), "peak_objects": ("peak", "count")}.items():
                self.assertEqual(sums[kind], int(heap[measure][unit] + 0.5), (file, kind))

    @unittest.skipUnless(shutil.which("chromium"), "chromium is not installed")
    def test_speedscope_in_a_browser(self):
        for name in ("server.folded", "server.pb.gz"):
            data = self.export("server.ubirec", name).read_bytes()
            loads = self.place.folder / "loads.js"
            loads.write_text(f"speedscope.loadFileFromBase64({json.dumps(name)}, {json.dumps(base64.b64encode(data).decode())})")
            page = (self.modules / "speedscope/dist/release/index.html").as_uri() + f"#localProfilePath={loads}"
            done = subprocess.run(["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--allow-file-access-from-files",
                                   f"--user-data-dir={self.place.folder}/browser", "--virtual-time-budget=10000", "--dump-dom", page],
                                  capture_output=True, text=True, env=self.environment(), preexec_fn=lift_limit, check=True)
            self.assertRegex(done.stdout, r"<title>[^<]*" + re.escape(name.split(".")[0]), done.stdout[-2000:])
            self.assertIn("Left Heavy", done.stdout)
            self.assertNotIn("Something went wrong", done.stdout)


if __name__ == "__main__":
    if not install(READERS, "recording-readers"):
        print("skipped: npm could not fetch the readers")
        sys.exit(77)
    unittest.main()
