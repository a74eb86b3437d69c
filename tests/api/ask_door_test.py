#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ubi_ask() and the command line are two doors to the same questions: what one writes, the other writes, byte for byte.

The library is called as other languages call it, through its exported names alone.
"""
import ctypes
import json
import os
import re
import subprocess
import unittest
from pathlib import Path

import jsonschema

ROOT = Path(os.environ.get("UBI_SOURCE_DIR") or Path(__file__).resolve().parents[2])
TOOL = os.environ["UBIHEAP"]
SCHEMAS = ROOT / "docs" / "reference" / "schema"
FILES = ["tests/data/fx/tiny-before.fxsnapshot", "tests/data/v8/node20-after.heapsnapshot.gz",
         "tests/data/v8/chromium-detached.heapsnapshot.gz"]
RECORDINGS = "tests/data/ubirec"
TIMELINES = "tests/data/timeline"
FX = ["tests/data/fx/tiny-before.fxsnapshot", "tests/data/fx/tiny-after.fxsnapshot"]
V8 = ["tests/data/v8/node20-before.heapsnapshot.gz", "tests/data/v8/node20-after.heapsnapshot.gz"]
WRITE = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)
POINTER, TEXT = ctypes.c_void_p, ctypes.c_char_p
LIBRARY = ctypes.CDLL(str(Path(os.environ["UBI_BUILD_DIR"]) / "lib" / "libubiheap.so"))
LIBRARY.ubi_error_message.restype = TEXT
for function, arguments in {"ubi_ask": [POINTER, TEXT, TEXT, WRITE, POINTER, POINTER], "ubi_questions": [WRITE, POINTER],
                            "ubi_ask_several": [POINTER, ctypes.c_uint32, TEXT, TEXT, WRITE, POINTER, POINTER],
                            "ubi_session_pool_new": [POINTER, POINTER], "ubi_session_pool_unref": [POINTER],
                            "ubi_session_open_path": [POINTER, POINTER, TEXT, POINTER], "ubi_session_unref": [POINTER]}.items():
    getattr(LIBRARY, function).argtypes = arguments


def collected(call):
    """What a call writes; its message when it fails."""
    pieces = []

    def write(_, data, n_bytes):
        pieces.append(ctypes.string_at(data, n_bytes))
        return True

    if call(WRITE(write)) != 0:
        return LIBRARY.ubi_error_message()
    return b"".join(pieces)


def questions():
    return json.loads(collected(lambda write: LIBRARY.ubi_questions(write, None)))


def timeless(document):
    """Each door reads the file for itself."""
    return re.sub(rb'"loadTimeUs":\d+', b'"loadTimeUs":0', document)


class Heaps:
    """One or several, of one pool."""

    def __init__(self, *paths):
        self.pool, self.sessions = POINTER(), (POINTER * len(paths))()
        status = LIBRARY.ubi_session_pool_new(ctypes.byref(self.pool), None)
        for i, path in enumerate(paths):
            session = POINTER()
            status = status or LIBRARY.ubi_session_open_path(ctypes.byref(session), self.pool, path.encode(), None)
            self.sessions[i] = session
        if status != 0:
            raise RuntimeError(LIBRARY.ubi_error_message())

    def ask(self, question, parameters):
        name, text, n = question.encode(), json.dumps(parameters).encode(), len(self.sessions)
        if n == 1:
            return collected(lambda write: LIBRARY.ubi_ask(self.sessions[0], name, text, write, None, None))
        return collected(lambda write: LIBRARY.ubi_ask_several(self.sessions, n, name, text, write, None, None))

    def close(self):
        for session in self.sessions:
            LIBRARY.ubi_session_unref(session)
        LIBRARY.ubi_session_pool_unref(self.pool)


def asked(node, other):
    """(question, parameters, the same on a command line before FILE, and behind it)."""
    return [
        ("report", {}, [], []),
        ("report", {"detail": True}, ["--detail"], []),
        ("info", {}, [], []),
        ("summary", {}, [], []),
        ("summary", {"class": "Object", "limit": 3, "sort": "self"}, ["-c", "Object", "-n", 3, "-s", "self"], []),
        ("summary", {"where": "retainedSize > 1KiB", "limit": 0}, ["-w", "retainedSize > 1KiB", "-n", 0], []),
        ("statistics", {}, [], []),
        ("dominators", {}, [], []),
        ("dominators", {"depth": 3, "siblings": 4, "node": node}, ["-d", 3, "-s", 4, "--node", node], []),
        ("dominators", {"limit": 9, "breakdown": "stack"}, ["-n", 9, "-b", "stack"], []),
        ("dominators", {"flat": True, "breakdown": {"by": "coarseType"}}, ["--flat", "-b", '{"by": "coarseType"}'], []),
        ("retainers", {"node": node, "all": True, "depth": 3}, ["-a", "-d", 3], [node]),
        ("retainers", {"node": node, "ignore": [other]}, ["--ignore", other], [node]),
        ("paths", {"nodes": [node, str(other)], "maxPaths": 3}, ["-m", 3], [node, other]),
        ("paths", {"nodes": [node], "from": other}, ["--from", other], [node]),
        ("census", {}, [], []),
        ("census", {"breakdown": "allocationStack", "inverted": True, "filter": "a"},
         ["-b", "allocationStack", "--inverted", "--filter", "a"], []),
        ("census", {"breakdown": {"by": "coarseType"}, "individuals": "1,2"},
         ["-b", '{"by": "coarseType"}', "--individuals", "1,2"], []),
        ("treemap", {}, [], []),
        ("treemap", {"by": "retained", "width": 640, "height": 480}, ["--by", "retained", "--width", 640, "--height", 480], []),
        ("treemap", {"breakdown": {"by": "coarseType"}, "filter": "s", "by": "count", "depth": 2},
         ["-b", '{"by": "coarseType"}', "--filter", "s", "--by", "count", "-d", 2], []),
        ("containment", {"rows": 40}, ["--rows", 40], []),
        ("containment", {"node": node, "limit": 2, "depth": 4}, ["-n", 2, "-d", 4], [node]),
        ("search", {"text": "a", "limit": 5}, ["-n", 5], ["a"]),
        ("search", {"where": "retainedSize > 1KiB", "case": True, "text": "O"}, ["-w", "retainedSize > 1KiB", "-c"], ["O"]),
        ("nodes", {"limit": 7}, ["-n", 7], []),
        ("nodes", {"columns": "id,className,dominator", "where": "retainedSize > 1KiB", "sort": "+className"},
         ["-c", "id,className,dominator", "-w", "retainedSize > 1KiB", "-s", "+className"], []),
        ("nodes", {"where": "rawSize > 10", "limit": 3}, ["-w", "rawSize > 10", "-n", 3], []),
        ("strings", {"limit": 4}, ["-n", 4], []),
        ("strings", {"duplicates": True, "minLength": 3, "sort": "retained", "where": "rawSize > 20"},
         ["-d", "--min-length", 3, "-s", "retained", "-w", "rawSize > 20"], []),
        ("allocations", {}, [], []),
        ("allocations", {"callers": 3, "limit": 2}, ["--callers", 3, "-n", 2], []),
        ("show", {"node": node, "limit": 0}, ["-n", 0], [node]),
        ("show", {"node": node, "breakdown": "count"}, ["-b", "count"], [node]),
        ("node", {"node": hex(node)}, [], [node]),
    ]


def asked_of_others():
    """(file, question, parameters, the same on a command line), of recordings and timelines."""
    rows = []
    for name in ("small", "killed", "hostile"):
        file = f"{TIMELINES}/{name}.timeline"
        rows += [(file, "timeline", {}, []),
                 (file, "timeline", {"marker": ["Javascript"], "from": "0"}, ["-m", "Javascript", "--from", "0"]),
                 (file, "timeline", {"where": "duration > 1ms"}, ["-w", "duration > 1ms"])]
    for name in ("lost-markers", "few", "hostile"):
        rows += [(f"{RECORDINGS}/{name}.ubirec", "timeline", {}, [])]
    for name in ("server", "sampled", "few", "crashed", "idle", "hostile", "growing", "lost-markers"):
        file = f"{RECORDINGS}/{name}.ubirec"
        rows += [(file, "report", {"symbols": False}, ["--no-symbols"]),
                 (file, "report", {"by": "peak", "limit": 3, "detail": True, "wrappers": False, "symbols": False},
                  ["--by", "peak", "-n", "3", "--detail", "--no-wrappers", "--no-symbols"]),
                 (file, "report", {"columns": "leaked,function,stack", "symbols": False},
                  ["-c", "leaked,function,stack", "--no-symbols"]),
                 (file, "report", {"format": "json", "symbols": False}, ["--format", "json", "--no-symbols"]),
                 (file, "info", {}, [])]
    for name in ("server", "sampled", "few", "idle", "growing"):
        file = f"{RECORDINGS}/{name}.ubirec"
        rows += [(file, "allocations", {}, []),
                 (file, "allocations", {"callers": 2, "by": "total", "withCallees": True, "limit": 5},
                  ["--callers", "2", "--by", "total", "--with-callees", "-n", "5"]),
                 (file, "flamegraph", {"by": "total", "symbols": False}, ["--by", "total", "--no-symbols"]),
                 (file, "flamegraph", {"inverted": True, "allocators": True, "limit": 7}, ["-i", "--allocators", "-n", "7"]),
                 (file, "export", {"extended": True}, ["--extended"])]
    return rows + [(f"{TIMELINES}/{name}.timeline", "info", {}, []) for name in ("small", "killed")]


def asked_of_several():
    """(question, files, parameters, the same on a command line)."""
    return [
        ("diff", FX, {}, []),
        ("diff", V8, {}, []),
        ("diff", FX, {"by": "class"}, ["--by", "class"]),
        ("diff", V8, {"by": "class", "sort": "growth"}, ["--by", "class", "--sort", "growth"]),
        ("diff", V8[::-1], {"breakdown": "objectClass", "tree": True, "filter": "A"},
         ["-b", "objectClass", "--tree", "--filter", "A"]),
        ("diff", [V8[0], FX[1]], {"by": "class"}, ["--by", "class"]),
        ("flamegraph", [f"{RECORDINGS}/server.ubirec", f"{RECORDINGS}/growing.ubirec"], {"by": "total"}, ["--by", "total"]),
        ("leaks", V8, {}, []),
        ("leaks", FX, {"limit": 0, "engine": True, "where": "selfSize > 10"}, ["-n", 0, "--engine", "-w", "selfSize > 10"]),
        ("leaks", V8[::-1], {"reorder": True, "verdict": "grew"}, ["--reorder", "--verdict", "grew"]),
        ("leaks", V8 + V8, {"control": 2}, ["--control", ",".join(V8)]),
    ]


class Doors(unittest.TestCase):
    def test_both_write_the_same(self):
        for path in FILES:
            heap = Heaps(path)
            self.addCleanup(heap.close)
            tree = json.loads(heap.ask("dominators", {"limit": 8}))["top"]
            node, other = int(tree[-1]["nodeId"]), int(tree[-2]["nodeId"])
            for question, parameters, options, operands in asked(node, other):
                with self.subTest(path=path, question=question, parameters=parameters):
                    words = [TOOL, question, "--json", *map(str, options), path, *map(str, operands)]
                    line = subprocess.run(words, capture_output=True, cwd=ROOT)
                    answer = heap.ask(question, parameters)
                    self.assertEqual(timeless(answer), timeless(line.stdout or line.stderr))
                    self.assertEqual(line.returncode, 0, line.stderr)

    def test_both_write_the_same_of_recordings_and_timelines(self):
        for path, question, parameters, options in asked_of_others():
            with self.subTest(path=path, question=question, parameters=parameters):
                heap = Heaps(path)
                self.addCleanup(heap.close)
                line = subprocess.run([TOOL, question, "--json", *options, path], capture_output=True, cwd=ROOT)
                answer = heap.ask(question, parameters)
                self.assertTrue(answer.startswith(b"{"), answer)
                self.assertEqual(answer, line.stdout)
                fault = json.loads(answer).get("fault") is not None
                self.assertEqual(line.returncode, 3 if fault else 0, line.stderr)

    def test_both_write_the_same_about_several_heaps(self):
        for question, paths, parameters, options in asked_of_several():
            with self.subTest(paths=paths, question=question, parameters=parameters):
                heaps = Heaps(*paths)
                self.addCleanup(heaps.close)
                files = paths[:len(paths) - parameters.get("control", 0)]
                line = subprocess.run([TOOL, question, "--json", *map(str, options), *files], capture_output=True, cwd=ROOT)
                self.assertEqual(line.returncode, 0, line.stderr)
                for _ in range(2):
                    self.assertEqual(heaps.ask(question, parameters), line.stdout or line.stderr)

    def test_what_is_new_is_known_by_a_file_or_by_its_largest_id(self):
        older, newer = ("tests/data/v8/node20-before.heapsnapshot.gz", FILES[1])
        ids = json.loads(subprocess.check_output([TOOL, "nodes", "--json", "-n", "0", "-c", "id", older], cwd=ROOT))["rows"]
        largest = max(id for id, in ids if id % 2 == 1)  # even ones are outside of the JavaScript heap
        heap = Heaps(newer)
        self.addCleanup(heap.close)
        by_file = json.loads(subprocess.check_output([TOOL, "summary", "--json", "--since", older, newer], cwd=ROOT))
        by_id = json.loads(heap.ask("summary", {"sinceId": largest}))
        self.assertEqual((by_file.pop("since"), by_id.pop("since"), by_id.pop("sinceId")), (older, None, largest))
        self.assertEqual(by_id, by_file)
        self.assertLess(0, by_id["nodeCount"])
        self.assertEqual(json.loads(heap.ask("summary", {"untilId": 0}))["nodeCount"], 0)

    def test_mistakes_have_the_same_words_behind_the_name(self):
        heap = Heaps(FILES[0])
        self.addCleanup(heap.close)
        for question, parameters, words in [
                ("show", {"node": 1}, ["show", FILES[0], "1"]),
                ("search", {"text": "/(/"}, ["search", FILES[0], "/(/"]),
                ("search", {"where": "size >"}, ["search", "-w", "size >", FILES[0]]),
                ("dominators", {"breakdown": "tipes"}, ["dominators", "-b", "tipes", FILES[0]]),
                ("timeline", {}, ["timeline", FILES[0]])]:
            line = subprocess.run([TOOL, *words], capture_output=True, cwd=ROOT)
            message = heap.ask(question, parameters)
            self.assertTrue(line.stderr.strip().endswith(message), (line.stderr, message))

    def test_all_questions_are_asked_here_and_listed(self):
        listed = questions()
        jsonschema.validate(listed, json.loads((SCHEMAS / "ubiheap.questions-1.schema.json").read_text()))
        names = {question["name"] for question in listed["questions"]}
        self.assertEqual(names, {row[0] for row in asked(1, 2) + asked_of_several()} - {"node"} | {row[1] for row in asked_of_others()})
        for question in listed["questions"]:
            for kind in question["kinds"]:
                name = kind["schema"].replace("/", "-") + ".schema.json"
                self.assertTrue((SCHEMAS / name).is_file(), name)

    def test_the_list_and_the_help_have_the_same_sentence(self):
        for question in questions()["questions"]:
            done = subprocess.run([TOOL, "help", question["name"]], capture_output=True, text=True)
            self.assertIn(question["question"], done.stdout)


if __name__ == "__main__":
    os.chdir(ROOT)
    unittest.main()
