#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A real Firefox looks into programs under `ubiheap run --listen`: by its fronts, by about:debugging and by the Memory panel.

What the panel shows of a snapshot must be what `ubiheap` says about the same file.

    firefox_attach_test.py --pictures FOLDER     makes the pictures of docs/tutorial/debug-a-program-from-firefox.md again
"""
import base64
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

SOURCE_DIR = pathlib.Path(os.environ.get("UBI_SOURCE_DIR") or pathlib.Path(__file__).resolve().parents[2])
sys.path.insert(0, str(SOURCE_DIR / "tests" / "rdp"))
import firefox  # noqa: E402
from rdp_client import UBIHEAP, running  # noqa: E402
from witness import Witness, check_driven  # noqa: E402

HERE = SOURCE_DIR / "tests" / "oracle"
COUNT = {"by": "count", "count": True, "bytes": True}
# The panel's own breakdowns: by "Type", and by "Call Stack".
TYPE = {"by": "coarseType", "objects": {"by": "objectClass", "then": COUNT, "other": COUNT}, "strings": COUNT,
        "scripts": {"by": "filename", "then": {"by": "internalType", "then": COUNT}, "noFilename": {"by": "internalType", "then": COUNT}},
        "other": {"by": "internalType", "then": COUNT}, "domNode": {"by": "descriptiveType", "then": COUNT}}
CALL_STACK = {"by": "allocationStack", "then": COUNT, "noStack": COUNT}
COARSE = {"by": "coarseType", "objects": COUNT, "strings": COUNT, "scripts": COUNT, "other": COUNT, "domNode": COUNT}
PANEL = ("attach_toolbox.js", "attach_memory.js", "attach_panel.js")
# What the how-to shows, too.
PROGRAM = """
class Session { constructor(name) { this.name = name; this.items = [1, 2, 3]; } }
globalThis.sessions = new Map();
function open(name) { sessions.set(name, new Session(name)); }
let n = 0;
setInterval(() => open("user " + n++), 20);
"""
TUTORIAL = ("attach_toolbox.js", "attach_memory.js", "attach_tutorial.js")
DESK = SOURCE_DIR / "examples" / "quickjs" / "ticket-desk.js"
TALKING = "console.log('before', 1, new Map()); setInterval(() => {}, 1000);"


def counted(path):
    """{coarse type: (count, bytes)} of a snapshot file, without those that have none."""
    done = subprocess.run([UBIHEAP, "census", path, "--json", "--breakdown", json.dumps(COARSE)], capture_output=True,
                          text=True, check=True)
    report = json.loads(done.stdout)["report"]
    return {name: (part["count"], part["bytes"]) for name, part in report.items() if part.get("count")}


def rows(node):
    """What a census tree shows, sorted: (names from the root to a node, count, bytes, totalCount, totalBytes); without the root, for the
    panel gives that of a difference the numbers of the first snapshot."""
    found, waiting = [], [((), node)]
    while waiting:
        path, node = waiting.pop()
        for child in node.get("children", []):
            here = (*path, json.dumps(child["name"], sort_keys=True))
            found.append((here, *(child[key] for key in ("count", "bytes", "totalCount", "totalBytes"))))
            waiting.append((here, child))
    return sorted(found)


def tree(command, *arguments, breakdown):
    words = [UBIHEAP, command, *arguments, "--json", "--tree", "--compat", "firefox", "--breakdown", json.dumps(breakdown)]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    return rows(json.loads(done.stdout)["tree"])


def script(name):
    return (HERE / name).read_text()


# When a toolbox is closed, or is not yet open.
SOMETIMES = [("watcher", "getThreadConfigurationActor"), ("windowGlobalTarget", "detach"), ("parentProcessTarget", "detach")]
# What Firefox asked for, in each test.
looks = []


def tearDownModule():
    if len(looks) == 3:
        unittest.TestCase.maxDiff = None
        check_driven(unittest.TestCase(), "Firefox", set.union(*looks), SOMETIMES)


def look(browser, code, *names):
    """What scripts saw in Firefox of a program that runs this code."""
    with running(code=code) as (port, _), Witness(port) as witness:
        seen = browser.run("".join(map(script, names)), witness.port)
        looks.append(witness.asked)
        return seen


class Attach(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.firefox = cls.enterClassContext(firefox.Firefox())

    def look(self, *names):
        seen = look(self.firefox, PROGRAM, *names)
        self.assertNotIn("error", seen)
        return seen

    def test_fronts_of_its_client_work(self):
        seen = self.look("attach_fronts.js")
        self.assertEqual((seen["title"], seen["stateBefore"], seen["state"]), ("-e", "detached", "attached"))
        self.assertGreater(seen["collection"]["gcCycleNumber"], 0)
        self.assertEqual(seen["settings"], {"maxLogLength": 100, "probability": 1})
        self.assertIn("Session", {frame["functionDisplayName"] for frame in seen["allocations"]["frames"] if frame})
        self.assertLessEqual(seen["started"], seen["stopped"])
        self.assertGreater(seen["measure"]["total"], 0)
        self.assertGreater(seen["residentUnique"], 0)
        for census in (seen["census"], seen["ofSnapshot"]):
            self.assertEqual(census["objects"]["Map"]["count"], 1)
        self.assertRegex(seen["evaluation"]["resultID"], r"^\d+-0$")

    def test_about_debugging_and_the_memory_panel_work(self):
        seen = self.look(*PANEL)
        self.assertIn("ubiheap", seen["name"])
        self.assertIn("qjs://-e", seen["item"])
        self.assertEqual(seen["warnings"], [])
        self.assertEqual(seen["first"].get("error"), None)
        shown = {row["name"]: (row["totalCount"], row["totalBytes"]) for row in seen["treeMap"]}
        self.assertEqual(shown, counted(seen["first"]["path"]))
        first, second = seen["first"]["path"], seen["second"]["path"]
        self.assertEqual(rows(seen["census"]), tree("census", first, "--inverted", breakdown=TYPE))
        self.assertIn(('"Map"',), {path for path, *_ in rows(seen["census"])})
        self.assertGreater(seen["dominators"]["retainedSize"], 0)
        self.assertEqual((seen["second"].get("error"), seen["rows"]), (None, 2))
        stacks = rows(seen["stacks"])
        self.assertEqual(stacks, tree("census", second, breakdown=CALL_STACK))
        self.assertIn("open", {json.loads(path[-1])["functionDisplayName"] for path, *_ in stacks if path[-1] != '"noStack"'})
        self.assertEqual(rows(seen["difference"]), tree("diff", first, second, "--inverted", breakdown=TYPE))
        info = subprocess.run([UBIHEAP, "info", second], capture_output=True, text=True, check=True).stdout
        self.assertRegex(info, r"Stacks +\d+ frames, [\d,]+ nodes have a stack")


class Console(unittest.TestCase):
    """In a Firefox of its own: an open toolbox of another test would be taken for this one's."""

    def test_the_console_panel_works(self):
        with firefox.Firefox() as browser:
            seen = look(browser, TALKING, "attach_toolbox.js", "attach_console.js")
        self.assertIn("before", seen, seen)
        self.assertIn("before 1 Map {…}", seen["before"])
        self.assertIn("42", seen["sum"])
        self.assertIn("first: 1", seen["object"])
        for text in ("first: 1", "second: Array [ 1, 2 ]", "<prototype>"):
            self.assertTrue(any(text in node for node in seen["nodes"]), seen["nodes"])
        self.assertIn("Map { a → 1, {…} → Set(2) }", seen["map"])
        for text in ("0: a → 1", "1: Object { x: 1 } → Set [ \"b\", \"c\" ]", "size: 2"):
            self.assertTrue(any(text in node for node in seen["entries"]), seen["entries"])
        self.assertTrue(any("g: 49" in node for node in seen["got"]), seen["got"])
        self.assertEqual([text.strip() for text in seen["others"]], [
            'Promise { <state>: "fulfilled", <value>: {…} }', "Proxy { <target>: {}, <handler>: {} }", "Float64Array(3) [ 0, 0, 0 ]",
            "ArrayBuffer { byteLength: 8 }", "function f(a, b, c)", "WeakSet [ {…} ]", "Array(3) [ 1, <1 empty slot>, 3 ]",
            'String { "abc" }'])
        self.assertEqual([name for name in seen["proposed"] if name in ("first", "second", "nothing")], ["first", "second"])
        for kind, text in (("table", "(index)ab01x12y"), ("startGroup", "the group 1"), ("log", "red text"),
                           ("assert error", "Assertion failed: wrong"), ("trace", "traced debugger eval code"), ("log", "c: 1"),
                           ("warn", "Counter “none” doesn’t exist."), ("timeEnd", " - timer ended"), ("warn", "Timer “t” doesn’t exist.")):
            self.assertTrue(any(kind in one["kinds"] and text in one["text"] for one in seen["methods"]), (kind, text, seen["methods"]))
        self.assertIn("ReferenceError", seen["error"])
        self.assertIn("first: 1", seen["warning"])


STEPS = ("connect", "look", "compare", "hold")


def take_steps(browser, port, picture=None):
    """What was seen in each step of the tutorial; after each `picture(step)` is called."""
    seen = {}
    for step in STEPS if picture else STEPS[:3]:
        seen[step] = browser.run(f"const step = {json.dumps(step)};" + "".join(map(script, TUTORIAL)), port)
        assert not seen[step].get("error"), seen[step]
        if picture:
            picture(step)
    return seen


def mended():
    """The program of the tutorial as the command in it changes it."""
    page = (SOURCE_DIR / "docs" / "tutorial" / "debug-a-program-from-firefox.md").read_text()
    command = re.search(r"^\$ (sed .*?) > mended.js$", page, re.MULTILINE | re.DOTALL)[1]
    return subprocess.run(["sh", "-c", command], cwd=SOURCE_DIR, capture_output=True, text=True, check=True).stdout


class Tutorial(unittest.TestCase):
    """The page works as written: what it shows is what a reader sees."""

    def compare(self, path, picture=None):
        """{line of the program: objects more in the second snapshot}"""
        with firefox.Firefox() as browser, running(path) as (port, _):
            self.seen = take_steps(browser, port, picture)
        text = pathlib.Path(path).read_text().splitlines()
        found = {}
        for row in self.seen["compare"]["tree"]["children"]:
            if row["name"] != "noStack":
                line = text[row["name"]["line"] - 1].strip()
                found[line] = found.get(line, 0) + row["totalCount"]
        return found

    def test_what_grows_is_allocated_by_two_lines_and_held_by_the_listeners(self):
        grown = self.compare(str(DESK), picture=lambda step: None)
        seats = grown["this.seats = Array.from({ length: 4 }, (_, seat) => ({ row: number % 40, seat, price: 20 }));"]
        self.assertGreater(seats, 1000)
        self.assertGreater(grown["board.on(this.reprice.bind(this));"], 250)
        self.assertIn("ticket-desk.js", self.seen["connect"]["item"])
        self.assertIn("listeners", self.seen["hold"]["paths"])
        self.assertIn("board", self.seen["hold"]["paths"])

    def test_the_mended_program_does_not_grow(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "mended.js")
            path.write_text(mended())
            grown = self.compare(str(path))
        self.assertLess(sum(grown.values()), 250, grown)


# The page alone, without the window around it.
PICTURE = """
const [height, done] = arguments;
const window = Services.wm.getMostRecentWindow("navigator:browser");
const page = window.gBrowser.selectedBrowser.browsingContext.currentWindowGlobal;
page.drawSnapshot(new window.DOMRect(0, 0, window.innerWidth, height), 0.7, "white").then(bitmap => {
    const canvas = window.document.createElementNS("http://www.w3.org/1999/xhtml", "canvas");
    canvas.width = bitmap.width;
    canvas.height = bitmap.height;
    canvas.getContext("2d").drawImage(bitmap, 0, 0);
    done(canvas.toDataURL("image/png").split(",")[1]);
});
"""
# Of each step the height that is worth showing.
PIXELS = {"connect": 370, "look": 560, "compare": 240, "hold": 510}


def save_pictures(folder):
    folder = pathlib.Path(folder).resolve()
    os.chdir(SOURCE_DIR)
    with firefox.Firefox() as browser, running(str(DESK.relative_to(SOURCE_DIR)), port=6080) as (port, _):
        def save_picture(step):
            (folder / f"firefox-{step}.png").write_bytes(base64.b64decode(browser.run(PICTURE, PIXELS[step])))

        take_steps(browser, port, save_picture)


if __name__ == "__main__":
    if not firefox.find_firefox():
        print("skipped: Firefox is not installed")
        sys.exit(77)
    if sys.argv[1:2] == ["--pictures"]:
        save_pictures(sys.argv[2])
    else:
        unittest.main()
