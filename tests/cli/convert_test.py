#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ubiheap convert: what is written is what was read, an anonymized file holds nothing of its texts, and a conversion
that fails leaves nothing behind.

Snapshots are compared as JSON lines, which hold all of a graph: ids, sizes, edges in order, texts, stacks with their
frames.
"""
import gzip
import itertools
import json
import os
import re
import signal
import subprocess
import time
import unittest

import workspace
from behaviour_test import OnTerminal
from case_choice import some_of
from workspace import encoder

KEYS = {"a": b"sixteen bytes of key A", "b": b"sixteen bytes of key B"}
REPLACEMENT = re.compile(r"x_[0-9a-z]{10}")
NAMES = workspace.SOURCE_DIR / "src"
TEXT_KEYS = ("typeName", "className", "scriptFilename", "descriptiveTypeName", "source", "functionDisplayName", "name")


def place_with_keys():
    place = workspace.Workspace()
    for name, key in KEYS.items():
        (place.folder / f"{name}.key").write_bytes(key)
    (place.folder / "secrets.fxsnapshot").write_bytes(snapshot_of_secrets())
    return place


def snapshot_of_secrets():
    """SECRET in every place that can hold a text, and in every corner of the texts that are taken apart."""
    urls = ["https://SECRET.example:81/SECRET/SECRET.min.js?SECRET#SECRET", "data:text/javascript,SECRET", "SECRET.js",
            "C:\\SECRET\\SECRET.js", "SECRET.js line 7 > eval line 8 > SECRET",
            "resource://gre/SECRET.js -> file:///SECRET", "https://SECRET:SECRET@h/", "SECRET://SECRET",
            "chrome://SECRET/content/SECRET.SECRET"]
    names = ["SECRET", "get SECRET", "SECRET/map.SECRET<", "SECRET[\"SECRET thing\"]", "#SECRET", "bound SECRET",
             "SECRET, holder 0x7eff941076a0", "CLASS_OBJECT(SECRET)", "SECRETPrototype", "html:SECRET", "SECRET:div",
             "objectElements[SECRET]", "\u540dSECRET\ud83d", "4111111111111111SECRET"]
    ids = itertools.count(10)
    nodes = []
    for url, name in itertools.product(urls, names):
        i = next(ids)
        nodes.append(encoder.node(i, name, 8, edges=[encoder.edge(1, name=name)], coarse=4, descriptive=name,
                                  class_name=name.encode("utf-8", "ignore"), file=url.encode(),
                                  stack=encoder.frame(id=i, source=url, name=name)))
    edges = [encoder.edge(i, name=names[i % len(names)]) for i in range(10, 10 + len(nodes))]
    return encoder.snapshot(encoder.root(edges=edges), *nodes)


def lines(text):
    return [json.loads(line) for line in text.splitlines()]


def texts_of(records):
    """(role, text) of every text, in order."""
    for record in records[1:]:
        yield from ((key, record[key]) for key in TEXT_KEYS if key in record)
        yield from (("edge", edge["name"]) for edge in record.get("edges", ()) if "name" in edge)


def without_texts(records):
    shape = [{key: value for key, value in record.items() if key not in TEXT_KEYS} for record in records]
    for record in shape:
        record["edges"] = [(edge["to"], "name" in edge) for edge in record.get("edges", ())]
    shape[0]["creationTimeUs"] = None
    return shape


def public_words():
    """Every word of the lists of names that are kept."""
    text = "".join(path.read_text() for pattern in ("public_names_*.c", "*_producer.c") for path in NAMES.rglob(pattern))
    groups = ["".join(re.findall(r'"([^"\n]*)"', group.split(" },")[0])) for group in text.split("{ UBI__NAMES")[1:]]
    literals = "|".join(groups)
    return set(re.findall(r"\w+", literals)) | {"CLASS_OBJECT", "holder", "prototype", "Iterator"}


class Converting(unittest.TestCase):
    """What the tests share."""

    place = place_with_keys()

    def convert(self, *arguments, status=0, **options):
        done = self.place.ubiheap("convert", *arguments, **options)
        self.assertEqual(done.returncode, status, done.stderr)
        return done

    def records(self, file, *options):
        return lines(self.convert("-f", "jsonl", *options, file, "-").stdout)

    def files(self):
        """Snapshots that can be read: real ones, hostile ones, and the crafted ones."""
        yield from (f"{name}.fxsnapshot" for name in [*workspace.REAL, "hostile", "big-ids", "two", "secrets"])
        for path in some_of(sorted((workspace.DATA / "crafted").glob("*.fxsnapshot")), 8):
            if self.place.ubiheap("info", path).returncode == 0:
                yield path


class Conversions(Converting):
    def test_a_copy_is_equal_in_all_columns_edges_stacks_and_in_its_census(self):
        for file in self.files():
            with self.subTest(file=str(file)):
                self.convert(file, "copy.fxsnapshot")
                self.assertEqual(self.convert("-f", "jsonl", file, "-").stdout,
                                 self.convert("-f", "jsonl", "copy.fxsnapshot", "-").stdout)
                for command in (["nodes"], ["census", "--json"]):
                    before, after = (self.place.ubiheap(*command, f).stdout for f in (file, "copy.fxsnapshot"))
                    self.assertEqual(before.replace(str(file).encode(), b""), after.replace(b"copy.fxsnapshot", b""))

    def test_compression_changes_nothing_but_the_packing(self):
        plain = self.convert("-c", "none", "tiny-before.fxsnapshot", "-").stdout
        normal, small = (self.convert("-c", word, "tiny-before.fxsnapshot", "-").stdout for word in ("normal", "small"))
        self.assertEqual(gzip.decompress(normal), plain)
        self.assertEqual(gzip.decompress(small), plain)
        self.assertLess(len(small), len(normal))
        self.convert("tiny-before.fxsnapshot", "packed.jsonl.gz")
        self.assertEqual(gzip.decompress((self.place.folder / "packed.jsonl.gz").read_bytes()),
                         self.convert("-f", "jsonl", "tiny-before.fxsnapshot", "-").stdout)

    def test_a_file_can_be_converted_onto_itself(self):
        path = self.place.folder / "self.fxsnapshot"
        path.write_bytes((workspace.DATA / "tiny-after.fxsnapshot").read_bytes())
        path.chmod(0o640)
        self.convert("-c", "none", path.name, path.name)
        self.assertEqual(self.records(path.name), self.records("tiny-after.fxsnapshot"))
        self.assertEqual(path.stat().st_mode & 0o777, 0o640)

    def test_an_anonymized_copy_takes_no_originals_place(self):
        path = self.place.folder / "original.fxsnapshot"
        path.write_bytes((workspace.DATA / "tiny-after.fxsnapshot").read_bytes())
        (self.place.folder / "link.fxsnapshot").symlink_to(path.name)
        before = path.read_bytes()
        for options, output in itertools.product((["-a"], ["--anonymize-key", "a.key"]), (path.name, "link.fxsnapshot")):
            done = self.convert(*options, path.name, output, status=2)
            self.assertRegex(done.stderr, rb"\A[^\n]*an anonymized copy needs another name\n\Z")
            self.assertEqual(path.read_bytes(), before)

    def test_json_lines_count_what_their_header_says(self):
        records = self.records("tiny-before.fxsnapshot")
        header, kinds = records[0], [record["record"] for record in records]
        self.assertEqual(header["schema"], "ubiheap.jsonl/1")
        self.assertEqual(kinds, ["header"] + ["frame"] * header["frameCount"] + ["node"] * header["nodeCount"])
        self.assertEqual(sum(len(r["edges"]) for r in records if r["record"] == "node"), header["edgeCount"])
        info = json.loads(self.place.ubiheap("info", "--json", "tiny-before.fxsnapshot").stdout)
        for key in ("rootId", "nodeCount", "edgeCount", "frameCount", "creationTimeUs"):
            self.assertEqual(header[key], info[key])


class Anonymizing(Converting):
    def test_no_secret_is_left_in_any_encoding(self):
        for options in (["-a"], ["--anonymize-key", "a.key"]):
            for output in ("-ffxsnapshot", "-fjsonl"):
                data = self.convert(*options, "-c", "none", output, "secrets.fxsnapshot", "-").stdout
                self.assertGreater(len(data), 5000)
                for encoding in ("latin-1", "utf-16-le", "utf-16-be"):
                    self.assertNotIn("SECRET".encode(encoding), data)
                self.assertNotIn(b"4111111111111111", data)

    def test_every_word_that_is_left_is_a_number_or_on_a_list(self):
        known = public_words()
        self.assertGreater(len(known), 2000)
        for file in workspace.REAL:
            for role, text in set(texts_of(self.records(f"{file}.fxsnapshot", "-a"))):
                for word in re.findall(r"\w+", REPLACEMENT.sub("", text)):
                    self.assertTrue(re.fullmatch(r"\d{1,5}|0x[0-9a-f]+", word) or word in known
                                    or word.lower() in known or word.removesuffix("Prototype") in known, (role, text))

    def test_the_shape_stays(self):
        for file in self.files():
            with self.subTest(file=str(file)):
                self.assertEqual(without_texts(self.records(file)), without_texts(self.records(file, "-a")))

    def test_equal_texts_get_equal_replacements_and_different_ones_different_ones(self):
        for file in ("tiny-before", "unreachable", "hostile", "secrets"):
            before, after = ({}, {})
            pairs = zip(*(texts_of(self.records(f"{file}.fxsnapshot", *options)) for options in ([], ["-a"])))
            for (role, text), (_, replacement) in pairs:
                self.assertEqual(before.setdefault((role, text), replacement), replacement)
                self.assertEqual(after.setdefault((role, replacement), text), text)

    def test_anonymized_lines_and_snapshots_are_equal(self):
        key = ["--anonymize-key", "a.key"]
        self.convert(*key, "tiny-before.fxsnapshot", "hidden.fxsnapshot")
        self.assertEqual(self.records("hidden.fxsnapshot"), self.records("tiny-before.fxsnapshot", *key))

    def test_one_key_makes_snapshots_comparable_and_another_does_not(self):
        def names(file, *options):
            return {t for _, t in texts_of(self.records(f"{file}.fxsnapshot", *options)) if REPLACEMENT.search(t)}
        before, after = (names(file, "--anonymize-key", "a.key") for file in ("tiny-before", "tiny-after"))
        self.assertGreater(len(before & after), 200)
        self.assertFalse(before & names("tiny-before", "--anonymize-key", "b.key"))
        self.assertFalse(names("tiny-before", "-a") & names("tiny-before", "-a"))

    def time_for_firefox(self, source, *options, **given):
        done = self.place.ubiheap("convert", *options, source, "timed.fxsnapshot", **given)
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.records("timed.fxsnapshot")[0]["creationTimeUs"]

    def test_what_firefox_will_not_open_is_said(self):
        done = self.place.ubiheap("convert", "-c", "none", "tiny-before.fxsnapshot", "plain.fxsnapshot")
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stderr, rb"\Aubiheap: plain.fxsnapshot: not compressed: Firefox does not open it[^\n]*\n\Z")
        for arguments in (["tiny-before.fxsnapshot", "packed.fxsnapshot"], ["tiny-before.fxsnapshot", "plain.jsonl"]):
            self.assertEqual(self.place.ubiheap("convert", *arguments).stderr, b"")

    def test_the_creation_time_is_the_files_and_anonymized_it_is_cut_to_its_day(self):
        day = 86400 * 10**6
        time_us = self.records("tiny-before.fxsnapshot")[0]["creationTimeUs"]
        self.assertEqual(self.records("tiny-before.fxsnapshot", "-a")[0]["creationTimeUs"], time_us // day * day)
        v8 = self.place.folder / "old.heapsnapshot.gz"
        v8.write_bytes((workspace.DATA_V8 / "node20-before.heapsnapshot.gz").read_bytes())
        os.utime(v8, ns=(10**18, 1234567890123456789))
        self.assertEqual(self.time_for_firefox(v8), 1234567890123456)
        self.assertEqual(self.time_for_firefox(v8, "-a"), 1234567890123456 // day * day)
        begin = time.time_ns() // 1000
        piped = self.time_for_firefox("-", stdin=v8.read_bytes())
        self.assertTrue(begin <= piped <= time.time_ns() // 1000)
        os.utime(v8, ns=(0, 400 * 365 * day * 1000)) # later than any that Firefox knows
        self.assertGreaterEqual(self.time_for_firefox(v8), begin)
        untimed = workspace.DATA / "crafted" / "meta-no-timestamp.fxsnapshot"
        self.assertIsNone(self.records(untimed, "-a")[0]["creationTimeUs"])

    def test_keys_that_protect_nothing_are_refused(self):
        (self.place.folder / "short.key").write_bytes(b"fifteen letters")
        (self.place.folder / "long.key").write_bytes(b"k" * 65537)
        for key, part in (("short.key", b"15 bytes; expected at least 16"), ("long.key", b"larger than 64 KiB")):
            done = self.convert("--anonymize-key", key, "two.fxsnapshot", "no.fxsnapshot", status=2)
            self.assertIn(part, done.stderr)
        self.convert("--anonymize-key", "nowhere.key", "two.fxsnapshot", "no.fxsnapshot", status=4)
        self.assertFalse((self.place.folder / "no.fxsnapshot").exists())


class Failures(unittest.TestCase):
    place = place_with_keys()

    def left_behind(self):
        return sorted(path.name for path in self.output.iterdir())

    def setUp(self):
        self.output = self.place.folder / self.id().rsplit(".", 1)[-1]
        self.output.mkdir()

    def test_bad_input_leaves_no_file_and_keeps_an_old_one(self):
        (self.output / "old.fxsnapshot").write_bytes(b"old")
        for name in ("new.fxsnapshot", "old.fxsnapshot"):
            done = self.place.ubiheap("convert", "text.txt", self.output / name)
            self.assertEqual(done.returncode, 3, done.stderr)
        self.assertEqual(self.left_behind(), ["old.fxsnapshot"])
        self.assertEqual((self.output / "old.fxsnapshot").read_bytes(), b"old")

    def test_a_full_disk_is_status_4_and_leaves_no_file(self):
        for name in ("new.fxsnapshot", "new.jsonl"):
            script = f"ulimit -f 32; trap '' XFSZ; exec ubiheap convert tiny-before.fxsnapshot {self.output / name}"
            done = self.place.run("sh", "-c", script)
            self.assertEqual(done.returncode, 4, done.stderr)
            self.assertIn(b"cannot write", done.stderr)
        self.assertEqual(self.left_behind(), [])

    def interrupted_save(self, big, output):
        """Status and errors of a conversion that is interrupted while it writes, or a moment too late."""
        command = ["ubiheap", "convert", "-c", "small", "--threads", "1", big, output]
        process = subprocess.Popen(command, cwd=self.place.folder, env=self.place.environment(), stderr=subprocess.PIPE)
        while process.poll() is None and not self.writes(process.pid):
            time.sleep(0.001)
        process.send_signal(signal.SIGINT)
        error = process.stderr.read()
        process.stderr.close()
        return process.wait(), error

    def test_an_interrupt_is_status_130_and_leaves_no_file(self):
        nodes = [encoder.node(i, f"type {i}", 8, edges=[encoder.edge(i, name=f"edge {i}")] * 10) for i in range(2, 20000)]
        big = self.place.folder / "big.fxsnapshot"
        big.write_bytes(encoder.snapshot(encoder.root(), *nodes))
        while True:
            status, error = self.interrupted_save(big, self.output / "new.fxsnapshot")
            self.assertEqual(error, b"")
            if status == 130:
                break
            self.assertEqual(status, 0, "it was done before")
            (self.output / "new.fxsnapshot").unlink()
        self.assertEqual(self.left_behind(), [])

    def writes(self, pid):
        """Whether the process has a file in the output folder open."""
        folder = f"/proc/{pid}/fd"
        links = []
        for fd in os.listdir(folder) if os.path.isdir(folder) else []:
            try:
                links.append(os.readlink(f"{folder}/{fd}"))
            except OSError:
                continue  # closed meanwhile
        return any(link.startswith(str(self.output)) for link in links)

    def test_output_without_a_reader_ends_quietly(self):
        done = self.place.run("sh", "-c", "ubiheap convert -f jsonl tiny-before.fxsnapshot - | head -c 100 >/dev/null")
        self.assertEqual((done.returncode, done.stderr), (0, b""))

    def test_a_snapshot_does_not_go_to_a_terminal_but_lines_do(self):
        for options, status in ([], 2), (["-f", "jsonl"], 0):
            done = OnTerminal(self.place, "ubiheap", "convert", *options, "hostile.fxsnapshot", "-")
            self.assertEqual(done.status, status, done.errors)
            self.assertNotRegex(done.output, re.compile(rb"[\x00-\x09\x0b-\x1f\x7f]|\xc2[\x80-\x9f]"))

    def test_a_device_without_room_is_status_4(self):
        for output in ("- > /dev/full", "/dev/full"):
            done = self.place.run("sh", "-c", f"ubiheap convert -f jsonl tiny-before.fxsnapshot {output}")
            self.assertEqual(done.returncode, 4)
            self.assertIn(b"No space left on device", done.stderr)


if __name__ == "__main__":
    unittest.main()
