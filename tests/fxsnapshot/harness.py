# SPDX-License-Identifier: MIT
"""What the tests of this folder share: running the tool and the batch driver, and the main function.

ctest gives the environment: UBIHEAP (the tool), UBI_BUILD_DIR (damage_driver is below tests/), UBI_SOURCE_DIR,
UBI_PRESET_KIND ("plain", or sanitizers). UBI_DEEP=1 asks for the long variants.
"""
import collections
import json
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import unittest
import zlib

import reference_reader

SOURCE_DIR = pathlib.Path(os.environ.get("UBI_SOURCE_DIR") or pathlib.Path(__file__).resolve().parents[2])
sys.path.insert(0, str(SOURCE_DIR / "tests" / "support"))
DATA = SOURCE_DIR / "tests" / "data" / "fx"
UBIHEAP = os.environ.get("UBIHEAP", "")
DRIVER = pathlib.Path(os.environ.get("UBI_BUILD_DIR") or SOURCE_DIR / "build" / "dev") / "tests" / "damage_driver"
VERSION = re.search(r'UBI_VERSION_STRING "(.*)"', (SOURCE_DIR / "include" / "ubiheap" / "core" / "base.h").read_text())[1]
SANITIZED = os.environ.get("UBI_PRESET_KIND", "plain") != "plain"
DEEP = os.environ.get("UBI_DEEP") == "1"
# The library reads every case in every build. What it says is the same in all, and the reference reader is slow, so under a sanitizer
# only each tenth answer is compared with it; with UBI_DEEP all are.
COMPARED_EACH = 10 if SANITIZED and not DEEP else 1

OK, EFORMAT = 0, -3  # ubi_status
EXIT_OK, EXIT_USAGE, EXIT_BAD_INPUT, EXIT_SYSTEM = 0, 2, 3, 4
FIREFOX = ("--compat", "firefox")

Outcome = collections.namedtuple("Outcome", "status nodes edges size crc message")
Run = collections.namedtuple("Run", "exit out err")


def main(needs=()):
    """Runs the unittest cases of the calling file; exit code 77 when something in `needs` is missing."""
    for path in needs:
        if not path or not os.access(path, os.X_OK):
            print(f"skipped: no {path or 'ubiheap'}")
            sys.exit(77)
    unittest.main(verbosity=1)


def run(*args, stdin=b""):
    """Runs the tool. `stdin` becomes its standard input."""
    done = subprocess.run([UBIHEAP, *map(str, args)], input=stdin, capture_output=True)
    return Run(done.returncode, done.stdout, done.stderr.decode("utf-8", "surrogateescape"))


class Scratch:
    """Files of one test run, in one temporary folder."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="ubiheap-fxsnapshot-")
        self.count = 0

    def file(self, data, suffix=".fxsnapshot"):
        self.count += 1
        path = pathlib.Path(self.folder.name) / f"{self.count}{suffix}"
        path.write_bytes(data)
        return path


scratch = Scratch()


def drive(cases, compat="firefox", variants=False):
    """Reads every case with the library: one Outcome each, and {case number: what the driver found wrong with it}."""
    batch = scratch.file(b"".join(struct.pack("<I", len(c)) + c for c in cases), ".batch")
    command = [str(DRIVER), "--compat", compat, *(["--variants"] if variants else []), str(batch)]
    done = subprocess.run(command, capture_output=True)
    batch.unlink()
    outcomes, faults = [], {}
    for line in done.stdout.decode("utf-8", "replace").splitlines():
        if line.startswith("case "):
            faults[int(line.split(" ", 2)[1].rstrip(":"))] = line
        else:
            *numbers, message = line.split(" ", 5)
            outcomes.append(Outcome(*map(int, numbers), message))
    if done.returncode != (1 if faults else 0) or len(outcomes) != len(cases):
        raise AssertionError(f"driver: exit {done.returncode} after {len(outcomes)} of {len(cases)} cases\n"
                             + done.stderr.decode("utf-8", "replace")[-4000:])
    return outcomes, faults


def expect(data, compat="firefox"):
    """What the reference reader says, as an Outcome; the message holds the rule."""
    try:
        snapshot = reference_reader.read(data, compat == "firefox")
    except reference_reader.Rejected as fault:
        return Outcome(EFORMAT, 0, 0, 0, 0, str(fault))
    nodes = snapshot.nodes.values()
    return Outcome(OK, len(nodes), sum(len(n.edges) for n in nodes), sum(n.size for n in nodes) % 2**64,
                   zlib.crc32(reference_reader.canonical_dump(snapshot)), "")


class TestCase(unittest.TestCase):
    maxDiff = 2000

    def assert_same_as_reference(self, cases, compat="firefox", variants=False):
        """cases: [(name, bytes)]. The library and the reference reader must agree on each in every respect."""
        wrong, accepted = [], 0
        for start in range(0, len(cases), 4000):
            part = cases[start:start + 4000]
            outcomes, faults = drive([data for _, data in part], compat, variants)
            for i, ((name, data), got) in enumerate(zip(part, outcomes)):
                want = expect(data, compat) if i % COMPARED_EACH == 0 else got
                accepted += want.status == OK
                if got[:5] != want[:5] or i in faults:
                    wrong.append(f"{name}: got {got}\n    want {want}\n    {faults.get(i, 'in all variants')}\n"
                                 f"    {data[:64].hex()} ({len(data)} bytes)")
        self.assertFalse(wrong, f"{len(wrong)} of {len(cases)} cases differ:\n" + "\n".join(wrong[:8]))
        return accepted

    def assert_one_line(self, done, path=None):
        """Standard error holds one line `ubiheap: FILE: ...`, standard output nothing."""
        lines = done.err.splitlines()
        self.assertEqual(1, len(lines), done)
        self.assertTrue(lines[0].startswith(f"ubiheap: {path}: " if path else "ubiheap: "), done)
        self.assertEqual(b"", done.out)

    def census(self, path, breakdown=None, *options):
        """The report of `census --json`."""
        chosen = () if breakdown is None else ("--breakdown", json.dumps(breakdown))
        done = run("census", path, "--json", *chosen, *options)
        self.assertEqual((EXIT_OK, ""), (done.exit, done.err), path)
        return json.loads(done.out)["report"]
