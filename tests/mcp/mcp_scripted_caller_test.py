#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""An agent without any judgement finds what leaks: it begins with `leaks` or `report`, and takes the call that each reply proposes.

Within three calls and 6 KB, all replies together, it has read what holds what was planted.
"""
import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from mcp_client import Client, next_call

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "tests" / "data"
PROGRAMS = ROOT / "examples" / "leaks"
MOST_CALLS, MOST_BYTES = 3, 6 * 1024

# What is looked at: a file, or several of one process; where to begin; words that name the planted holder, all in one reply.
PLANTED = {
    "node, a Map of a closure": (["v8/node20-before.heapsnapshot.gz", "v8/node20-after.heapsnapshot.gz"], "leaks",
                                 ("LeakedThing", "Map, variable registry of makeCache() (gen-leak.cjs:7)")),
    "node, from one snapshot": (["v8/node20-after.heapsnapshot.gz"], "report", ("LeakedThing", "global.keepCacheAlive")),
    "chrome, detached elements": (["v8/chromium-detached.heapsnapshot.gz"], "report",
                                  ("detached DOM nodes", "__leakedWidgets")),
    "chrome, a list of widgets": (["v8/chromium-alloc.heapsnapshot.gz"], "report",
                                  ("One Array holds 200 entries, nearly all Widget", ".more → Array")),
    "safari, a list of points": (["jsc/gcdebugging-before.json.gz", "jsc/gcdebugging-after.json.gz"], "leaks",
                                 ("Point", "Array, property points of Object", "global.program.points")),
    "safari, promises": (["jsc/findings.json.gz"], "report", ("pending promises", "waitForReply()", "global.program.replies")),
    "bun, promises": (["jsc/bun-findings.json.gz"], "report", ("pending promises", "waitForReply()", "global.program.replies")),
    "firefox, a buffer": (["fx/tiny-before.fxsnapshot", "fx/tiny-after.fxsnapshot"], "leaks",
                          ("Uint8Array", "Window.store.burstBuffer")),
    "c++, sessions": (["ubirec/server.ubirec"], "report", ("not freed", "Session::Session(Request const&) (session.cc:17)")),
    "c++, a cache": (["ubirec/growing.ubirec"], "report", ("not freed", "shop::Cache<…>::insert<…>(…) (cache.h:40)")),
}

# Programs of examples/leaks, which run here.
LIVE = {
    "chat-server": ("onMessage", "room"),
    "thumbnails": ("ThumbnailJob", "Node.js timers"),
    "outline": ("OutlineNode", "Editor.marks"),
}


class ScriptedCaller(unittest.TestCase):
    def follow(self, files, tool, words):
        """Calls, and bytes of their replies, until the words were read."""
        arguments, n_bytes = {}, 0
        with Client(*files) as client:
            for n_calls in range(1, MOST_CALLS + 1):
                text = client.call(tool, **arguments)
                n_bytes += client.sizes[-1]
                if all(word in text for word in words):
                    return n_calls, n_bytes
                following = next_call(text)
                self.assertIsNotNone(following, f"nothing follows\n{text}")
                tool, arguments = following
        self.fail(f"not named:\n{text}")

    def assert_is_named(self, files, tool, words):
        n_calls, n_bytes = self.follow(files, tool, words)
        self.assertLessEqual(n_calls, MOST_CALLS)
        self.assertLessEqual(n_bytes, MOST_BYTES)

    def test_the_planted_holder_is_named_in_every_file(self):
        for name, (files, tool, words) in PLANTED.items():
            with self.subTest(name):
                self.assert_is_named([DATA / file for file in files], tool, words)

    def test_the_planted_holder_is_named_in_programs_that_run_now(self):
        folder = Path(tempfile.mkdtemp(prefix="ubiheap-mcp-"))
        self.addCleanup(shutil.rmtree, folder)
        for name, words in LIVE.items():
            subprocess.run(["node", PROGRAMS / f"{name}.js", folder / name], check=True, stdout=subprocess.DEVNULL)
            with self.subTest(name):
                self.assert_is_named(sorted((folder / name).glob("*.heapsnapshot")), "leaks", words)

    def test_every_call_that_is_proposed_can_be_made(self):
        for name, (files, tool, _) in PLANTED.items():
            arguments, seen = {}, set()
            with self.subTest(name), Client(*[DATA / file for file in files]) as client:
                for _ in range(12):
                    following = next_call(client.call(tool, **arguments))
                    if following is None or repr(following) in seen:
                        break
                    seen.add(repr(following))
                    tool, arguments = following


if __name__ == "__main__":
    os.environ.setdefault("XDG_CACHE_HOME", tempfile.gettempdir())
    unittest.main()
