# SPDX-License-Identifier: MIT
"""What ubiheap saves is read by others as ubiheap reads it: by the reference reader and by protoc.

Also files of the past: those written by every release (tests/data/fx/releases), and old ones that lack fields 10 to 13 of
a node.
"""
import json
import os
import pathlib
import shutil
import subprocess
import unittest

import fxsnapshot_protoc_test
import harness
import reference_reader
from encoder import META, edge, frame, gzip, node, root, snapshot, stream
from harness import DATA, FIREFOX, SOURCE_DIR, UBIHEAP, run, scratch

DRIVER = pathlib.Path(os.environ.get("UBI_BUILD_DIR") or SOURCE_DIR / "build" / "dev") / "tests" / "save_driver"
RELEASES = DATA / "releases"
REAL = ("tiny-before", "tiny-after", "unreachable")


def save(source, *options):
    """The bytes of what the library makes of a file."""
    target = scratch.file(b"")
    subprocess.run([DRIVER, *options, str(source), str(target)], check=True)
    return target.read_bytes()


def dump(data, compat_firefox=True):
    return reference_reader.canonical_dump(reference_reader.read(data, compat_firefox))


class Saved(harness.TestCase):
    def test_the_reference_reader_finds_equal_content_in_what_was_saved(self):
        files = [DATA / f"{name}.fxsnapshot" for name in REAL]
        files += sorted((DATA / "crafted").glob("*.fxsnapshot"))
        count = 0
        for file in files:
            data = file.read_bytes()
            try:
                before = dump(data)
            except reference_reader.Rejected:
                continue
            count += 1
            with self.subTest(file.name):
                self.assertEqual(before, dump(save(file)))
                self.assertEqual(before, dump(save(file, "--small")))
        self.assertGreater(count, 40)

    def test_equal_strings_have_one_entry(self):
        for name in REAL:
            saved = reference_reader.read(save(DATA / f"{name}.fxsnapshot"))
            self.assertEqual(len(saved.two_byte), len(set(saved.two_byte)))
            self.assertEqual(len(saved.one_byte), len(set(saved.one_byte)))

    def test_a_walk_writes_the_reachable_nodes_in_breadth_first_order(self):
        for name in REAL:
            before = reference_reader.read((DATA / f"{name}.fxsnapshot").read_bytes())
            walked = reference_reader.read(save(DATA / f"{name}.fxsnapshot", "--walk"))
            order = list(reference_reader.reachable(before))
            order.remove(before.root) if before.root in order else None
            self.assertEqual([before.root, *order], list(walked.nodes))
            for id, node in walked.nodes.items():
                self.assertEqual(before.nodes[id].edges, node.edges)

    def test_no_compression_is_the_bare_stream(self):
        source = DATA / "tiny-before.fxsnapshot"
        self.assertEqual(reference_reader.inflate(save(source)), save(source, "--plain"))

    def test_the_writer_gets_an_error(self):
        file = scratch.file(save(DATA / "crafted" / "frame-ok.fxsnapshot"))
        told = json.loads(run("info", "--json", file).out)["writer"]
        self.assertEqual(f"ubiheap {harness.VERSION}", told)
        self.assertIn(f"Written by    {told}\n", run("info", file).out.decode())
        told = json.loads(run("info", "--json", DATA / "tiny-before.fxsnapshot").out)["writer"]
        self.assertIsNone(told)


@unittest.skipUnless(shutil.which("protoc"), "no protoc (Debian package protobuf-compiler)")
class Protoc(fxsnapshot_protoc_test.Protoc):
    """The tests of the base class, on what is saved instead of the original."""

    OWN_METADATA = [("writer", f"ubiheap {harness.VERSION}".encode())]

    def file_bytes(self, name):
        return save(DATA / f"{name}.fxsnapshot")


class Past(harness.TestCase):
    """Whatever a release wrote stays readable, with the content it had."""

    def test_files_of_every_release(self):
        releases = sorted(RELEASES.iterdir())
        self.assertGreaterEqual(len(releases), 1)
        for release in releases:
            for name, expected in json.loads((release / "expected.json").read_text()).items():
                with self.subTest(f"{release.name}/{name}"):
                    file = release / name
                    self.assert_same_as_reference([(name, file.read_bytes())], compat="none")
                    content = dump(file.read_bytes(), compat_firefox=False)
                    self.assertEqual(expected["content"].encode("latin-1"), content)
                    self.assertEqual(expected["info"], {
                        key: value for key, value in json.loads(run("info", "--json", file).out).items()
                        if key in expected["info"]})

    def test_a_release_has_files_of_every_kind(self):
        for release in RELEASES.iterdir():
            names = set(json.loads((release / "expected.json").read_text()))
            self.assertEqual(names, {path.name for path in release.glob("*.fxsnapshot")})
            self.assertGreaterEqual(names, {"graph.fxsnapshot", "walk.fxsnapshot", "plain.fxsnapshot"})

    def test_old_files_lack_script_and_descriptive_names(self):
        """Fields 10 to 13 are younger than the format."""
        old = snapshot(root(2, 3, 4), node(2, "JSObject", 16, class_name="Array", coarse=1, edges=[edge(3, "x")]),
                       node(3, "JSScript", 32, coarse=2, stack=frame()), node(4, "HTMLDivElement", 64, coarse=4))
        older = gzip(stream(META, root(2), node(2, "JSString", 24)))  # and before coarse types
        self.assertEqual(2, self.assert_same_as_reference([("old", old), ("older", older)], variants=True))
        file = scratch.file(old)
        self.assertEqual({"noFilename": {"count": 1, "bytes": 32}},
                         self.census(file, {"by": "coarseType", "scripts": {"by": "filename"}}, *FIREFOX)["scripts"])
        self.assertEqual(dump(old), dump(save(file)))


if __name__ == "__main__":
    harness.main(needs=(UBIHEAP, str(DRIVER), str(harness.DRIVER)))
