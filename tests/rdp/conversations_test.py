#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Conversations with servers of all ages (conversations/README.md): our client asks what it asked then, and understands the answers."""
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
import workspace  # noqa: E402

from conversation import DATA, Conversation  # noqa: E402
from scripted_server import Server  # noqa: E402

FOLDER = pathlib.Path(__file__).resolve().parent / "conversations"


class Conversations(unittest.TestCase):
    maxDiff = 4000

    def replay(self, path):
        place = workspace.Workspace()
        conversation = Conversation(path)
        with Server(conversation) as server:
            address = f"firefox://127.0.0.1:{server.port}"
            done = place.ubiheap(*(address if word == "@" else word for word in conversation.command))
        self.assertIsNone(conversation.mismatch)
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        self.assertEqual(conversation.rest, [])
        self.assertEqual(done.stdout.decode().replace(address, "@"), path.with_suffix(".stdout").read_text())
        sent = [words.split(" ")[-1] for kind, words in conversation.lines if kind == "<" and words.startswith(("bulk ", "pieces "))]
        if "out.fxsnapshot" in conversation.command and sent:
            self.assertEqual((place.folder / "out.fxsnapshot").read_bytes(), (DATA / sent[0]).read_bytes())

    def test_each_replays(self):
        paths = sorted(FOLDER.glob("*.txt"))
        self.assertGreater(len(paths), 10)
        for path in paths:
            with self.subTest(path.stem):
                self.replay(path)

    def test_a_conversation_that_differs_is_seen(self):
        path = FOLDER / "old-tab-form.txt"
        text = path.read_text()
        for change in (('> {"to":"root","type":"listTabs"}', '> {"to":"root","type":"listTab"}'), ('"selected":1', '"selected":0')):
            self.assertIn(change[0], text)
            with self.subTest(change), tempfile.TemporaryDirectory() as folder:
                other = pathlib.Path(folder) / "other.txt"
                other.write_text(text.replace(*change))
                other.with_suffix(".stdout").write_text(path.with_suffix(".stdout").read_text())
                with self.assertRaises(AssertionError):
                    self.replay(other)


if __name__ == "__main__":
    unittest.main()
