#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`ubiheap attach chrome://HOST:PORT` and ws:// against Debian's Chromium: its tabs, what one of them holds, and a leak that is found while it runs."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.parse
import urllib.request

SOURCE_DIR = pathlib.Path(os.environ.get("UBI_SOURCE_DIR") or pathlib.Path(__file__).resolve().parents[2])
sys.path[:0] = [str(SOURCE_DIR / "tests" / "cli"), str(SOURCE_DIR / "tests" / "support")]
import workspace  # noqa: E402
from address_limit import lift_limit  # noqa: E402

CHROMIUM = shutil.which("chromium")
PAGE = """data:text/html,<title>visits</title><script>
class Visit { constructor(n) { this.items = new Map([[n, {}]]); } }
const kept = []; setInterval(() => { for (let i = 0; i < 20; i++) kept.push(new Visit(i)); }, 10);
</script>"""

# Its worker leaks, and is of its own process, with a name and address.
OWNER = """data:text/html,<title>owner</title><script>
const code = `class Job { constructor(i) { this.data = new Array(50).fill(i); } }
const kept = []; setInterval(() => { for (let i = 0; i < 20; i++) kept.push(new Job(i)); }, 10);`;
const worker = new Worker(URL.createObjectURL(new Blob([code], { type: 'text/javascript' })), { name: 'jobs' });
</script>"""


@unittest.skipUnless(CHROMIUM, "needs chromium")
class Chrome(unittest.TestCase):
    place = workspace.Workspace()

    @classmethod
    def setUpClass(cls):
        cls.profile = tempfile.TemporaryDirectory(prefix="ubiheap-chrome-")
        cls.browser = subprocess.Popen([CHROMIUM, "--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0", "--no-first-run",
                                        f"--user-data-dir={cls.profile.name}", PAGE], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                       preexec_fn=lift_limit)
        for line in cls.browser.stderr:
            if found := re.search(r"listening on ws://127\.0\.0\.1:(\d+)/", line):
                cls.address = f"chrome://127.0.0.1:{found[1]}"
                break
        while not any("Visit" in target["url"] for target in cls.targets()):
            pass

    @classmethod
    def targets(cls):
        with urllib.request.urlopen(cls.address.replace("chrome", "http") + "/json/list") as answer:
            return json.load(answer)

    @classmethod
    def tearDownClass(cls):
        cls.browser.terminate()
        cls.browser.communicate()
        cls.profile.cleanup()

    def ask(self, *arguments, code=0):
        done = subprocess.run([workspace.UBIHEAP, *arguments], capture_output=True, check=False, cwd=self.place.folder)
        self.assertEqual(done.returncode, code, done.stderr.decode())
        return done.stdout.decode()

    def number(self):
        return 1 + [("Visit" in target["url"]) for target in self.targets()].index(True)

    def test_tabs(self):
        heaps = json.loads(self.ask("attach", self.address, "--json"))["heaps"]
        self.assertEqual([heap["url"] for heap in heaps], [target["url"] for target in self.targets()])
        self.assertIn("visits", [heap["title"] for heap in heaps])

    def test_a_tab_is_measured_collected_and_counted(self):
        tab = f"{self.address}/tab/{self.number()}"
        self.assertGreater(json.loads(self.ask("attach", tab, "measure", "--json"))["measure"]["heapUsedSize"], 100000)
        self.assertIn("Garbage was collected", self.ask("attach", tab, "gc"))
        self.assertIn("Visit", self.ask("summary", tab, "--top", "60"))

    def test_a_tab_is_chosen_by_its_name(self):
        for words in (("--target", str(self.number())), ("--target", "visits")):
            self.assertGreater(json.loads(self.ask("attach", self.address, "measure", "--json", *words))["measure"]["heapUsedSize"], 100000)
        self.assertIn("Visit", self.ask("leaks", self.address, "--target", "visits", "--every", "0.3s", "--times", "2"))

    def test_a_leak_is_found(self):
        said = self.ask("leaks", f"{self.address}/tab/{self.number()}", "--every", "0.3s", "--times", "3")
        self.assertIn("Visit", said)
        self.assertIn("kept", said)

    def close_owner(self, page):
        """Numbers of others are what they were once it is gone."""
        urllib.request.urlopen(self.address.replace("chrome", "http") + f"/json/close/{page}").close()
        while any(target["id"] == page or target["type"] == "worker" for target in self.targets()):
            time.sleep(0.01)

    def open_owner(self):
        """The browser opens the page with a worker. Its number, and that of the worker, in the list."""
        with urllib.request.urlopen(urllib.request.Request(self.address.replace("chrome", "http") + "/json/new?" + urllib.parse.quote(OWNER, safe=""),
                                                           method="PUT")) as answer:
            page = json.load(answer)["id"]
        targets = []
        while not any(target["type"] == "worker" for target in targets):
            targets = self.targets()
        self.addCleanup(self.close_owner, page)
        return [1 + next(i for i, target in enumerate(targets) if is_it(target))
                for is_it in (lambda target: target["id"] == page, lambda target: target["type"] == "worker")]

    def test_a_worker_of_a_page_is_reached_through_it(self):
        _, worker = self.open_owner()
        address = f"{self.address}/tab/{worker}"
        self.assertGreater(json.loads(self.ask("attach", address, "measure", "--json"))["measure"]["heapUsedSize"], 100000)
        listed = json.loads(self.ask("attach", self.address, "--json"))["heaps"][worker - 1]
        self.assertTrue(listed["url"].startswith("blob:"), listed)
        self.assertIn("Job", self.ask("leaks", address, "--every", "0.3s", "--times", "3"))

    def test_a_gate_on_a_page_with_a_worker_does_not_pass(self):
        self.open_owner()
        gate = ("leaks", f"{self.address}/tab/owner", "--every", "0.3s", "--times", "2", "--fail-on", "bytes > 1GiB")
        done = subprocess.run([workspace.UBIHEAP, *gate], capture_output=True, check=False, cwd=self.place.folder)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn(b"1 worker of it has a heap of its own, not looked at", done.stderr)
        self.assertIn(b"--target 0 judges the page alone", done.stderr)
        self.ask(*gate, "--target", "0")

    def test_a_tab_of_a_text(self):
        for text in ("visits", next(target["id"] for target in self.targets() if "Visit" in target["url"])):
            self.assertGreater(json.loads(self.ask("attach", f"{self.address}/tab/{text}", "measure", "--json"))["measure"]["heapUsedSize"], 100000)
        self.ask("attach", f"{self.address}/tab/nowhere", "measure", code=2)

    def test_the_address_of_a_socket(self):
        address = self.targets()[self.number() - 1]["webSocketDebuggerUrl"]
        self.assertIn("in use in the heap of JavaScript", self.ask("attach", address, "measure"))
        self.ask("attach", address, "snapshot", "-o", "tab.heapsnapshot")
        self.assertIn("Visit", self.ask("summary", "tab.heapsnapshot", "--top", "60"))


if __name__ == "__main__":
    unittest.main()
