#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`ubiheap attach` against a real Firefox as server: what it lists, counts, measures, records, and its snapshots, whose numbers must be those of
Firefox's own reader."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.parse
import urllib.request

SOURCE_DIR = pathlib.Path(os.environ.get("UBI_SOURCE_DIR") or pathlib.Path(__file__).resolve().parents[2])
sys.path.insert(0, str(SOURCE_DIR / "tests" / "oracle"))
import firefox  # noqa: E402

UBIHEAP = os.environ.get("UBIHEAP", "")
COUNT = {"by": "count", "count": True, "bytes": True}
CLASSES = {"by": "objectClass", "then": COUNT, "other": {"by": "internalType", "then": COUNT}}
PAGE = """data:text/html,<title>sessions</title><script>
class Session { constructor(n) { this.items = new Map([[n, {}]]); } }
const sessions = []; for (let i = 0; i < 300; i++) sessions.push(new Session(i));
function make() { return new Session(0); }
const kept = [];
setInterval(function step() { for (let i = 0; i < 20; i++) make(); kept.push({ visit: new Map() }); }, 20);
</script>"""


class AttachFirefox(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="ubiheap-attach-")
        port = firefox.free_port()
        cls.address = f"firefox://127.0.0.1:{port}"
        cls.firefox = firefox.Firefox(debugger_port=port)
        cls.firefox.marionette.command("Marionette:SetContext", {"value": "content"})
        cls.firefox.marionette.command("WebDriver:Navigate", {"url": PAGE})
        cls.firefox.marionette.command("Marionette:SetContext", {"value": "chrome"})

    @classmethod
    def tearDownClass(cls):
        cls.firefox.close()
        cls.folder.cleanup()

    def ubiheap(self, *arguments):
        done = subprocess.run([UBIHEAP, *map(str, arguments)], capture_output=True, check=False, cwd=self.folder.name)
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        return done.stdout.decode()

    def document(self, command, *arguments):
        return json.loads(self.ubiheap(command, "--json", *arguments))

    def ask(self, path):
        """Firefox's own answers about a file."""
        answer = pathlib.Path(self.folder.name) / "answer.json"
        question = (SOURCE_DIR / "tests" / "oracle" / "ask_firefox.js").read_text()
        self.assertIsNone(self.firefox.run(question, str(path), None, {"count": COUNT, "class": CLASSES}, CLASSES, str(answer)))
        return json.loads(answer.read_text(encoding="utf-8", errors="surrogatepass"))

    def test_the_list_has_the_page_and_the_processes(self):
        heaps = self.document("attach", self.address)["heaps"]
        self.assertEqual([(row["number"], row["selected"], row["title"]) for row in heaps if row["kind"] == "tab"],
                         [(1, True, "sessions")])
        self.assertIn(0, [row["number"] for row in heaps if row["kind"] == "process"])

    def test_a_snapshot_of_a_tab_or_process_has_the_numbers_of_firefox_itself(self):
        for choice in (["--tab", "1"], ["--process", "0"]):
            with self.subTest(choice):
                path = pathlib.Path(self.folder.name) / "taken.fxsnapshot"
                self.ubiheap("attach", self.address, "snapshot", *choice, "-o", path)
                census = self.ask(path)["census"]
                for name, breakdown in (("count", COUNT), ("class", CLASSES)):
                    got = self.document("census", "--compat", "firefox", path, "--breakdown", json.dumps(breakdown))["report"]
                    self.assertEqual(got, census[name], name)
                if choice[0] == "--tab":
                    self.assertGreaterEqual(census["class"]["Map"]["count"], 300)

    def test_an_address_in_place_of_a_file(self):
        info = self.document("info", self.address + "/tab/1")
        self.assertEqual((info["file"], info["format"]), (self.address + "/tab/1", "fxsnapshot"))
        self.assertIn("Map", self.ubiheap("summary", self.address))

    def test_a_series_shows_what_the_page_piles_up(self):
        leaks = self.document("leaks", self.address, "--every", "500ms", "--times", "3")
        self.assertEqual([leaks[key]["file"] for key in ("old", "new", "newer")], [f"{self.address}#{i}" for i in (1, 2, 3)])
        steady = [cluster for cluster in leaks["clusters"] if cluster["verdict"] == "steady"]
        self.assertEqual(steady[0]["className"], "Object")
        self.assertGreater(steady[0]["count"], 10)

    def test_a_server_with_a_tab(self):
        with subprocess.Popen([UBIHEAP, "serve", "--target", self.address + "/tab/1"], stdout=subprocess.PIPE, text=True) as process:
            url = urllib.parse.urlsplit(process.stdout.readline().strip())

            def ask(path, method="GET", body=None):
                token = {"Authorization": "Bearer " + urllib.parse.parse_qs(url.query)["token"][0]}
                request = urllib.request.Request(f"http://{url.netloc}{path}", body, token, method=method)
                with urllib.request.urlopen(request) as answer:
                    return json.load(answer)
            self.assertTrue(ask("/api/1/targets/t1/recording", "PUT", b'{"isOn": true, "maxLogLength": 1}')["recording"]["isOn"])
            self.assertEqual(ask("/api/1/targets/t1/collections", "POST")["link"], "connected")
            self.assertGreater({row["name"]: row["bytes"] for row in ask("/api/1/targets/t1/measure")["rows"]}["jsObjectsSize"], 0)
            time.sleep(0.3)  # the page allocates, at its own pace
            heap = ask("/api/1/targets/t1/heaps", "POST")
            census = json.dumps(ask(heap["self"] + "/census?breakdown=allocationStack"))
            self.assertFalse(ask("/api/1/targets/t1/recording", "PUT", b'{"isOn": false}')["recording"]["isOn"])
            process.terminate()
        self.assertEqual(process.returncode, 0)
        self.assertIn('"step"', census)

    def test_census_measure_and_collection(self):
        report = self.document("attach", self.address, "census")["report"]
        self.assertGreaterEqual(report["objects"]["Map"]["count"], 300)
        self.assertEqual(set(report), {"objects", "scripts", "strings", "other", "domNode"})
        self.assertGreater(self.document("attach", self.address, "measure")["measure"]["jsObjectsSize"], 0)
        self.assertGreater(self.document("attach", self.address, "gc")["sizeAfter"], 0)

    def test_allocations(self):
        functions = self.document("attach", self.address, "allocations", "--seconds", "2")["functions"]
        rows = {row["function"]: row for row in functions}
        self.assertGreaterEqual(rows["Session"]["own"]["total"]["count"], 20)
        self.assertGreater(rows["make"]["withCallees"]["total"]["bytes"], rows["make"]["own"]["total"]["bytes"])


if __name__ == "__main__":
    if not UBIHEAP or not firefox.find_firefox():
        print("skipped: needs the tool and a Firefox")
        sys.exit(77)
    unittest.main(verbosity=1)
