#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the tool leaves behind when a system call of its output fails: the old file or the whole new one, and nothing else.

Every call that is about the output's folder fails once, with every error that file systems give (system_call_driver.c). Expected is
status 0 with the complete new file, or status 4 with one line and the old file as it was, or none where there was none; never a
mixture, a part, or a file under another name.
"""
import errno
import os
import pathlib
import subprocess
import tempfile
import unittest

SOURCE_DIR = pathlib.Path(os.environ.get("UBI_SOURCE_DIR") or pathlib.Path(__file__).resolve().parents[2])
UBIHEAP = os.environ.get("UBIHEAP", "")
DRIVER = pathlib.Path(os.environ.get("UBI_BUILD_DIR") or SOURCE_DIR / "build/release") / "tests" / "system_call_driver"
SNAPSHOT = SOURCE_DIR / "tests/data/fx/tiny-before.fxsnapshot"
TIMELINE = SOURCE_DIR / "tests/data/timeline/small.timeline"
CANNOT = 125  # of the driver
ALL = [errno.EIO, errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EINTR, "short"]
SOME = [errno.ENOSPC, "short"]
if os.environ.get("UBI_PRESET_KIND", "plain") != "plain":
    ALL = SOME  # errors differ in their words; release tries all
# What was there before, of the kind that is written: nothing else would be written over.
OLD = {".fxsnapshot": b"\2\x08\1", ".svg": b"<svg/>", ".json": b'{"traceEvents":[]}'}
SCRIPT = """import { saveHeapSnapshot } from "ubiheap";
saveHeapSnapshot({ runtime: true }, scriptArgs[1]);
"""


class OutputFiles(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory(prefix="ubiheap-faults-") as folder:
            tried = subprocess.run([DRIVER, f"{folder}/notes", folder, "0", "5", "/bin/true"], capture_output=True, text=True,
                                   check=False)
        if tried.returncode == CANNOT:
            raise unittest.SkipTest(f"system calls cannot be made to fail here: {tried.stderr.strip()}")

    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="ubiheap-faults-")
        self.addCleanup(scratch.cleanup)
        self.scratch = pathlib.Path(scratch.name).resolve()
        self.folder = self.scratch / "output"
        self.folder.mkdir()

    def run_with(self, n, fault, command):
        """(exit status, its standard error, the call that failed or "-", how many calls there were)"""
        notes = self.scratch / "notes"
        done = subprocess.run([DRIVER, notes, self.folder, str(n), str(fault), UBIHEAP, *map(str, command)],
                              stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
        said = notes.read_text().split()
        self.assertEqual(len(said), 2, f"{command}: {done.stderr}")
        return done.returncode, done.stderr, said[1], int(said[0])

    def put_old(self, path, has_old):
        for other in self.folder.iterdir():
            other.unlink()
        if has_old:
            path.write_bytes(OLD[path.suffix])

    def check(self, path, has_old, status, errors, is_whole, what):
        left = sorted(p.name for p in self.folder.iterdir())
        if status == 0:
            self.assertEqual(left, [path.name], what)
            self.assertTrue(is_whole(path), f"{what}: the new file is not whole")
            return
        self.assertEqual(status, 4, f"{what}: {errors}")
        self.assertEqual(len(errors.splitlines()), 1, f"{what}: {errors}")
        self.assertTrue(errors.startswith("ubiheap: "), errors)
        self.assertEqual(left, [path.name] if has_old else [], f"{what}: {errors}")
        if has_old:
            self.assertEqual(path.read_bytes(), OLD[path.suffix], f"{what}: {errors}")

    def fail_each(self, path, command, is_whole, faults, expected_failures):
        failed = set()
        for has_old in (False, True):
            for fault in faults:
                for n in range(1, 1000):
                    self.put_old(path, has_old)
                    status, errors, call, n_calls = self.run_with(n, fault, command)
                    what = f"{'old' if has_old else 'no'} file, call {n}, {call}: {fault}"
                    self.check(path, has_old, status, errors, is_whole, what)
                    failed |= {call} if status else set()
                    if n > n_calls:
                        break
        self.assertLessEqual(expected_failures, failed)

    def whole_as(self, path, command):
        """Whether a file has the bytes that the command makes when nothing fails."""
        self.put_old(path, False)
        self.assertEqual(self.run_with(0, 5, command)[0], 0)
        data = path.read_bytes()
        return lambda p: p.read_bytes() == data

    def can_be_read(self, path):
        return subprocess.run([UBIHEAP, "info", path], capture_output=True, check=False).returncode == 0

    def test_a_converted_snapshot(self):
        out = self.folder / "new.fxsnapshot"
        command = ["convert", SNAPSHOT, out]
        self.fail_each(out, command, self.whole_as(out, command), ALL, {"write", "fsync", "openat"})

    def test_a_snapshot_that_takes_the_place_of_itself(self):
        out = self.folder / "same.fxsnapshot"
        before = SNAPSHOT.read_bytes()
        command = ["convert", "--compression", "none", out, out]
        for n in range(1, 60):
            out.write_bytes(before)
            status, errors, call, _ = self.run_with(n, errno.EIO, command)
            what = f"call {n}, {call}: {errors}"
            self.assertEqual([p.name for p in self.folder.iterdir()], [out.name], what)
            self.assertEqual(out.read_bytes() == before, status != 0, what)
            self.assertTrue(self.can_be_read(out), what)
            if call == "-":
                break

    def test_a_picture(self):
        out = self.folder / "map.svg"
        command = ["treemap", "-o", out, SNAPSHOT]
        self.fail_each(out, command, self.whole_as(out, command), SOME, {"write", "fsync"})

    def test_an_exported_timeline(self):
        out = self.folder / "trace.json"
        command = ["timeline", "--format", "chrome", "-o", out, TIMELINE]
        self.fail_each(out, command, self.whole_as(out, command), SOME, {"write", "fsync"})

    def test_a_snapshot_that_a_script_saves(self):
        out = self.folder / "live.fxsnapshot"
        script = self.scratch / "save.js"
        script.write_text(SCRIPT)
        for has_old in (False, True):
            for n in range(1, 60):
                self.put_old(out, has_old)
                status, errors, call, _ = self.run_with(n, errno.EIO, ["run", "--debugger", "--module", script, out])
                what = f"call {n}, {call}: {errors}"
                left = [p.name for p in self.folder.iterdir()]
                self.assertEqual(left, [out.name] if has_old or status == 0 else [], what)
                if status == 0:
                    self.assertTrue(self.can_be_read(out), what)
                elif has_old:
                    self.assertEqual(out.read_bytes(), OLD[out.suffix], what)
                if call == "-":
                    self.assertEqual(status, 0, what)
                    break


if __name__ == "__main__":
    unittest.main()
