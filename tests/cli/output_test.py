#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What is written to files: nothing takes the place of what is read, a failure leaves the old file, and what is said of
the end is true, whatever signal comes between which two system calls.

A small library in front of libc sends signals and fails calls at exact points.
"""
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

import workspace

SANITIZED = os.environ.get("UBI_PRESET_KIND", "plain") != "plain"

# Small files of the kinds that the commands write.
OLD = {".fxsnapshot": workspace.encoder.snapshot(workspace.encoder.root()), ".svg": b"<svg/>"}

SHIM = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* FAULT=CALL:WHEN:WHAT, such as rename:after:INT (two SIGINTs) or fsync:before:EIO. */
static int meets(const char *call, const char *when, const char **what) {
    const char *fault = getenv("FAULT");
    size_t n = strlen(call), m = strlen(when);
    if (!fault || strncmp(fault, call, n) || fault[n] != ':' || strncmp(fault + n + 1, when, m))
        return 0;
    *what = fault + n + 1 + m + 1;
    return 1;
}

static int strike(const char *call, const char *when) {
    const char *what;
    if (!meets(call, when, &what))
        return 0;
    if (!strcmp(what, "ALRM"))
        raise(SIGINT), raise(SIGALRM);
    else if (!strcmp(what, "INT"))
        raise(SIGINT), raise(SIGINT);
    else if (!strcmp(what, "ONE"))
        raise(SIGINT);
    else {
        errno = !strcmp(what, "EIO") ? EIO : ENOSPC;
        return -1;
    }
    return 0;
}

#define WRAP(name, type, parameters, arguments)            \
    int name parameters {                                  \
        int (*real) parameters = dlsym(RTLD_NEXT, #name);  \
        if (strike(type, "before"))                        \
            return -1;                                     \
        int result = real arguments, error = errno;        \
        strike(type, "after");                             \
        errno = error;                                     \
        return result;                                     \
    }

WRAP(fsync, "fsync", (int fd), (fd))
WRAP(renameat, "rename", (int a, const char *b, int c, const char *d), (a, b, c, d))
WRAP(linkat, "link", (int a, const char *b, int c, const char *d, int e), (a, b, c, d, e))
WRAP(fchown, "fchown", (int fd, uid_t u, gid_t g), (fd, u, g))
"""


def limit_file_size(n):
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (n, n))


class Outputs(unittest.TestCase):
    def setUp(self):
        self.place = workspace.Workspace()
        self.addCleanup(self.place.temporary.cleanup)
        self.folder = self.place.folder
        self.snapshot = self.folder / "own.fxsnapshot"
        shutil.copy(workspace.DATA / "tiny-before.fxsnapshot", self.snapshot)

    def leftovers(self):
        return [path.name for path in self.folder.glob(".ubiheap-*")]

    def refused(self, *arguments, words=b"is the file that is read", **options):
        before = self.snapshot.read_bytes()
        done = self.place.ubiheap(*arguments, **options)
        self.assertEqual((done.returncode, done.stdout), (2, b""), done.stderr)
        self.assertRegex(done.stderr, rb"\Aubiheap: [^\n]* %s[^\n]*\n\Z" % words)
        self.assertEqual(self.snapshot.read_bytes(), before)


class Places(Outputs):
    def test_nothing_replaces_the_file_that_it_is_made_of(self):
        os.symlink("own.fxsnapshot", self.folder / "soft.svg")
        os.link(self.snapshot, self.folder / "hard.svg")
        for output in ("own.fxsnapshot", "./own.fxsnapshot", "soft.svg", "hard.svg"):
            with self.subTest(output):
                self.refused("treemap", "-o", output, "own.fxsnapshot")
        with open(self.snapshot, "rb") as file:
            done = subprocess.run(["ubiheap", "treemap", "-o", "own.fxsnapshot", "-"], cwd=self.folder, stdin=file,
                                  env=self.place.environment(), capture_output=True)
        self.assertEqual(done.returncode, 2, done.stderr)

    def test_a_breakdown_and_a_key_are_read_too(self):
        (self.folder / "by.json").write_text('{"by":"count"}')
        (self.folder / "key").write_bytes(b"sixteen bytes of key")
        for arguments in (["treemap", "-b", "@by.json", "-o", "by.json", "own.fxsnapshot"],
                          ["convert", "--anonymize-key", "key", "-f", "jsonl", "own.fxsnapshot", "key"]):
            with self.subTest(arguments[0]):
                self.refused(*arguments)
        self.assertEqual((self.folder / "by.json").read_text(), '{"by":"count"}')
        self.assertEqual((self.folder / "key").read_bytes(), b"sixteen bytes of key")

    def test_a_timeline_a_script_and_a_program_are_not_replaced(self):
        shutil.copy(workspace.DATA_TIMELINE / "small.timeline", self.folder / "own.timeline")
        self.refused("timeline", "--format", "chrome", "-o", "own.timeline", "own.timeline")
        (self.folder / "s.js").write_text("1")
        for option in ("--allocation-log", "--timeline"):
            self.refused("run", option, "s.js", "s.js")
        self.refused("run", "--census-at", "exit", "--output", "s.js", "s.js")
        self.assertEqual((self.folder / "s.js").read_text(), "1")
        program = self.folder / "program"
        program.write_text("#!/bin/sh\n")
        program.chmod(0o755)
        self.refused("record", "--output", "program", "--", "./program")
        self.assertEqual(program.read_text(), "#!/bin/sh\n")
        done = self.place.ubiheap("run", "--snapshot-at", "exit", "--snapshot-output", "s.js", "s.js")
        self.assertIn(b"is the file that is read", done.stderr)
        self.assertEqual((self.folder / "s.js").read_text(), "1")

    def test_a_copy_of_the_same_kind_may_take_its_place_and_no_other(self):
        self.refused("convert", "-f", "jsonl", "own.fxsnapshot", "own.fxsnapshot")
        done = self.place.ubiheap("convert", "-c", "small", "own.fxsnapshot", "own.fxsnapshot")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.place.ubiheap("info", "own.fxsnapshot").returncode, 0)

    @unittest.skipIf(os.geteuid() != 0, "only root gives files away")
    def test_a_file_of_another_user_stays_theirs(self):
        os.chown(self.snapshot, 1234, 4321)
        self.snapshot.chmod(0o640)
        self.assertEqual(self.place.ubiheap("convert", "own.fxsnapshot", "own.fxsnapshot").returncode, 0)
        about = self.snapshot.stat()
        self.assertEqual((about.st_uid, about.st_gid, about.st_mode & 0o7777), (1234, 4321, 0o640))


class Kinds(Outputs):
    """What is there and of another kind than what is written is somebody's work: it stays, whichever command is asked."""

    WRITERS = {
        "out.fxsnapshot": ["convert", "own.fxsnapshot", "out.fxsnapshot"],
        "out.heapsnapshot": ["convert", "own.fxsnapshot", "out.heapsnapshot"],
        "out.heapsnapshot.gz": ["convert", "own.fxsnapshot", "out.heapsnapshot.gz"],
        "out.jsonl": ["convert", "own.fxsnapshot", "out.jsonl"],
        "anonymous.fxsnapshot": ["convert", "--anonymize", "own.fxsnapshot", "anonymous.fxsnapshot"],
        "copy.ubirec": ["convert", "--anonymize", "growing.ubirec", "copy.ubirec"],
        "copy.timeline": ["convert", "--anonymize", "small.timeline", "copy.timeline"],
        "copy.timeline.gz": ["convert", "--anonymize", "small.timeline", "copy.timeline.gz"],
        "map.svg": ["treemap", "-o", "map.svg", "own.fxsnapshot"],
        "map.json": ["treemap", "-o", "map.json", "own.fxsnapshot"],
        "doc.json": ["timeline", "--json", "-o", "doc.json", "small.timeline"],
        "trace.json": ["timeline", "--format", "chrome", "-o", "trace.json", "small.timeline"],
        "profile.json": ["timeline", "--format", "firefox", "-o", "profile.json", "small.timeline"],
        "log.jsonl": ["run", "--allocation-log", "log.jsonl", "s.js"],
        "run.timeline": ["run", "--timeline", "run.timeline", "s.js"],
        "table.txt": ["run", "--census-at", "exit", "--output", "table.txt", "s.js"],
        "run.json": ["run", "--json", "--output", "run.json", "s.js"],
        "s-1.fxsnapshot": ["run", "--snapshot-at", "exit", "s.js"],
    }
    # Programs, texts, JSON of others, packed files, and pictures that are none of ours.
    OTHERS = [b"int main(void) { return 0; }\n", b'{"name":"app","version":"1.0.0"}\n', b"\x7fELF\2\1\1" + bytes(60),
              b"\x89PNG\r\n\x1a\n" + bytes(50), b"PK\3\4" + bytes(60)]

    def setUp(self):
        super().setUp()
        (self.folder / "s.js").write_text("globalThis.kept = [1, 2, 3]")

    def test_another_kind_of_file_stays(self):
        for name, command in self.WRITERS.items():
            for other in self.OTHERS:
                with self.subTest(name, other=other[:4]):
                    (self.folder / name).write_bytes(other)
                    done = self.place.ubiheap(*command)
                    self.assertEqual((self.folder / name).read_bytes(), other)
                    self.assertEqual(done.returncode, 4 if name == "s-1.fxsnapshot" else 2, done.stderr)
                    self.assertRegex(done.stderr, rb"\Aubiheap: [^\n]*%s[^\n]* is there and no [^\n]*; nothing is written over it\n\Z"
                                     % re.escape(name.encode()))
        self.assertEqual(self.leftovers(), [])

    def test_the_same_kind_and_an_empty_file_are_replaced(self):
        for name, command in self.WRITERS.items():
            with self.subTest(name):
                (self.folder / name).write_bytes(b"")
                for _ in range(2):
                    done = self.place.ubiheap(*command)
                    self.assertEqual(done.returncode, 0, done.stderr)
                    self.assertGreater((self.folder / name).stat().st_size, 50)

    def test_our_own_files_of_another_kind_stay(self):
        for name, command in self.WRITERS.items():
            self.assertEqual(self.place.ubiheap(*command).returncode, 0)
        kinds = {name: (self.folder / name).read_bytes() for name in self.WRITERS}
        for name, other in (("out.fxsnapshot", "out.heapsnapshot"), ("out.heapsnapshot", "out.fxsnapshot"),
                            ("out.jsonl", "log.jsonl"), ("log.jsonl", "out.jsonl"), ("copy.ubirec", "copy.timeline"),
                            ("copy.timeline", "copy.ubirec"), ("map.svg", "map.json"), ("trace.json", "profile.json"),
                            ("profile.json", "trace.json"), ("run.timeline", "log.jsonl"), ("table.txt", "map.svg")):
            with self.subTest(name, other=other):
                (self.folder / name).write_bytes(kinds[other])
                self.refused(*self.WRITERS[name], words=b"is there and no")
                self.assertEqual((self.folder / name).read_bytes(), kinds[other])

    def test_what_was_written_is_said_in_one_line(self):
        for name in ("map.svg", "map.json", "doc.json", "trace.json", "profile.json"):
            done = self.place.ubiheap(*self.WRITERS[name])
            self.assertRegex(done.stderr, rb"\Aubiheap: %s: [0-9.]+ (B|KiB|MiB) written\n\Z" % re.escape(name.encode()))
            self.assertEqual(done.stdout, b"")
        done = self.place.ubiheap("treemap", "-o", "/dev/stdout", "own.fxsnapshot")
        self.assertEqual(done.stderr, b"")


class Limits(Outputs):
    def test_a_file_that_may_not_grow_is_an_error_like_a_full_disk(self):
        before = self.snapshot.read_bytes()
        for arguments, partial in ((["convert", "-c", "none", "own.fxsnapshot", "out.fxsnapshot"], "out.fxsnapshot"),
                                   (["convert", "-f", "jsonl", "own.fxsnapshot", "out.jsonl"], "out.jsonl"),
                                   (["treemap", "-o", "out.svg", "own.fxsnapshot"], "out.svg")):
            with self.subTest(arguments[0]):
                done = self.place.ubiheap(*arguments, preexec_fn=limit_file_size(5000))
                self.assertEqual(done.returncode, 4, done.stderr)
                self.assertRegex(done.stderr, rb"\Aubiheap: [^\n]*cannot write: File too large\n\Z")
                self.assertFalse((self.folder / partial).exists())
        done = self.place.ubiheap("convert", "-c", "none", "own.fxsnapshot", "own.fxsnapshot", preexec_fn=limit_file_size(5000))
        self.assertEqual(done.returncode, 4)
        self.assertEqual(self.snapshot.read_bytes(), before)
        self.assertEqual(self.leftovers(), [])

    def test_a_script_that_cannot_save_leaves_no_file(self):
        folder = self.folder / "tmp"
        folder.mkdir()
        (self.folder / "s.js").write_text("""import { saveHeapSnapshot } from "ubiheap";
            let said = "saved"; try { saveHeapSnapshot({ runtime: true }) } catch (e) { said = String(e) } print(said)""")
        done = self.place.ubiheap("run", "--heap-module", "--module", "s.js", env={"TMPDIR": str(folder)},
                                  preexec_fn=limit_file_size(3000))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(b"File too large", done.stdout)
        self.assertEqual(list(folder.iterdir()), [])
        done = self.place.ubiheap("run", "--heap-module", "--module", "s.js", env={"TMPDIR": str(folder)})
        self.assertEqual(done.stdout, b"saved\n")
        (file,) = folder.iterdir()
        self.assertEqual(file.stat().st_mode & 0o777, 0o600)

    def test_a_snapshot_of_a_run_that_does_not_fit_is_not_there(self):
        (self.folder / "s.js").write_text("print('end')")
        done = self.place.ubiheap("run", "--snapshot-at", "exit", "s.js", preexec_fn=limit_file_size(3000))
        self.assertEqual((done.returncode, done.stdout), (4, b"end\n"), done.stderr)
        self.assertIn(b"File too large", done.stderr)
        self.assertFalse((self.folder / "s-1.fxsnapshot").exists())

    def test_a_program_that_a_script_starts_dies_of_its_limit_as_ever(self):
        (self.folder / "s.js").write_text("""import * as os from "os";
            print(os.exec(["sh", "-c", "head -c 9000 /dev/zero > big"]));""")
        done = self.place.ubiheap("run", "--module", "s.js", preexec_fn=limit_file_size(3000))
        wanted = self.place.run("sh", "-c", "head -c 9000 /dev/zero > big", preexec_fn=limit_file_size(3000))
        self.assertEqual(int(done.stdout), wanted.returncode)


class Interrupts(Outputs):
    def test_an_ignored_interrupt_stays_ignored(self):
        read, write = os.pipe()
        process = subprocess.Popen(["sh", "-c", 'trap "" INT; exec ubiheap info -'], cwd=self.folder, stdin=read,
                                   env=self.place.environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        os.close(read)
        data = self.snapshot.read_bytes()
        os.write(write, data[:1000])
        self.assertTrue(self.ignores(process.pid, signal.SIGINT))
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGINT)
        with os.fdopen(write, "wb") as pipe:
            pipe.write(data[1000:])
        output, errors = process.communicate()
        self.assertEqual((process.returncode, errors), (0, b""))
        self.assertIn(b"7,199", output)

    @staticmethod
    def ignores(pid, number):
        """Once it runs the tool: until then it is the shell, or the tool before its first line."""
        while pathlib.Path(f"/proc/{pid}/comm").read_text() != "ubiheap\n":
            pass
        status = pathlib.Path(f"/proc/{pid}/status").read_text()
        mask = int(next(line for line in status.splitlines() if line.startswith("SigIgn")).split()[1], 16)
        return bool(mask >> (number - 1) & 1)


@unittest.skipIf(SANITIZED, "sanitizers want to be loaded first")
class Faults(Outputs):
    """Status 4 or 130: the old file, or none. Status 0: the new one. And nothing else is left."""

    @classmethod
    def setUpClass(cls):
        cls.shims = tempfile.TemporaryDirectory(prefix="ubiheap-shim-")
        cls.addClassCleanup(cls.shims.cleanup)
        source = pathlib.Path(cls.shims.name) / "shim.c"
        source.write_text(SHIM)
        cls.shim = source.with_suffix(".so")
        subprocess.run(["cc", "-O1", "-w", "-shared", "-fPIC", "-o", cls.shim, source, "-ldl"], check=True)

    def strike(self, fault, *arguments):
        return self.place.ubiheap(*arguments, env={"LD_PRELOAD": str(self.shim), "FAULT": fault})

    def test_what_is_said_of_the_end_is_true_at_every_point(self):
        ends = {}
        for call in ("fsync", "link", "rename", "fchown"):
            for when in ("before", "after"):
                for what in ("ONE", "INT", "ALRM", "EIO", "ENOSPC"):
                    for is_new in (False, True):
                        fault = f"{call}:{when}:{what}"
                        with self.subTest(fault, is_new=is_new):
                            ends[fault, is_new] = self.check(fault, is_new)
        self.assertEqual(ends["fsync:before:EIO", False], 4)
        self.assertEqual(ends["rename:before:EIO", False], 4)
        self.assertEqual(ends["fsync:before:INT", False], 130)
        self.assertEqual(ends["fsync:before:ONE", False], 130)
        self.assertEqual(ends["rename:after:INT", False], 0)
        self.assertEqual(ends["rename:after:ALRM", False], 0)
        self.assertEqual(ends["link:after:INT", True], 0)

    def check(self, fault, is_new):
        for arguments, out in ((["convert", "-c", "small", "own.fxsnapshot"], "out.fxsnapshot"),
                               (["treemap", "own.fxsnapshot", "-o"], "out.svg")):
            target = self.folder / out
            target.unlink(missing_ok=True)
            if not is_new:
                target.write_bytes(OLD[target.suffix])
            done = self.strike(fault, *arguments, out)
            self.assertIn(done.returncode, (0, 4, 130), done.stderr)
            found = target.read_bytes() if target.exists() else None
            if done.returncode:
                self.assertEqual(found, None if is_new else OLD[target.suffix], done)
            else:
                self.assertTrue(found and len(found) > 1000, done)
            if done.returncode != 130:  # ended between two calls: the random name may stay
                self.assertEqual(self.leftovers(), [])
            for name in self.leftovers():
                (self.folder / name).unlink()
        return done.returncode

    def test_a_message_that_cannot_be_written_leaves_the_old_file(self):
        (self.folder / "out.fxsnapshot").write_bytes(OLD[".fxsnapshot"])
        done = self.place.run("sh", "-c", "ubiheap convert own.fxsnapshot out.fxsnapshot > /dev/full")
        self.assertEqual(done.returncode, 4)
        self.assertEqual((self.folder / "out.fxsnapshot").read_bytes(), OLD[".fxsnapshot"])
        done = self.place.run("sh", "-c", "ubiheap convert own.fxsnapshot out.fxsnapshot | true; ubiheap info out.fxsnapshot")
        self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    sys.exit(unittest.main(verbosity=1))
