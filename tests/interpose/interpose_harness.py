# SPDX-License-Identifier: MIT
"""Compiles test programs, runs them recorded, and reads what was recorded and what the programs say themselves."""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from collections import namedtuple
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import built_programs  # noqa: E402

SOURCE = Path(os.environ["UBI_SOURCE_DIR"])
BUILD = Path(os.environ["UBI_BUILD_DIR"])
PROGRAMS = SOURCE / "tests" / "interpose" / "programs"
DRIVER = BUILD / "tests" / "preload_driver"
LIBRARY = BUILD / "lib" / "ubiheap" / "libubiheap-preload.so"
FOLLOW_CHILDREN, MAPPINGS, MARKERS = 1, 2, 4

ALLOC_WORDS = ["malloc", "calloc", "realloc", "reallocarray", "posix_memalign", "aligned_alloc", "memalign", "valloc",
               "pvalloc", "new", "new[]", "script", "script_realloc", "mmap", "mremap", "brk"]
FREE_WORDS = ["free", "realloc", "delete", "delete[]", "free_sized", "delete_sized", "delete[]_sized", "munmap",
              "mremap", "brk"]
TRUTH_BEGIN, TRUTH_END = 1234577, 1234583

Alloc = namedtuple("Alloc", "number word size address met trace tid")
Free = namedtuple("Free", "number word address tid mismatched wrong_size")
Trace = namedtuple("Trace", "caller kind module address")
Script = namedtuple("Script", "caller kind line column function file")
Module = namedtuple("Module", "bias low high path")


class Recording:
    """What the driver wrote of one process."""

    def __init__(self, path):
        self.events, self.traces, self.modules, self.counters = [], {}, {}, {}
        self.is_forked = None
        self.left = {}  # bytes of mappings that were cut
        addresses = {}
        for line in path.read_text().splitlines():
            letter, *f = line.split(" ")
            if letter == "A":
                event = Alloc(int(f[0]), ALLOC_WORDS[int(f[1])], int(f[2]), int(f[3], 16), int(f[4]), int(f[5]),
                              int(f[6]))
                addresses[event.number] = event.address
                self.events.append(event)
            elif letter == "F":
                number = int(f[0])
                self.events.append(Free(number, FREE_WORDS[int(f[1])], addresses.pop(number), int(f[2]), f[4] == "1",
                                        f[5] == "1"))
            elif letter == "U":
                self.left[int(f[0])] = int(f[1])
            elif letter == "T":
                self.traces[int(f[0])] = Trace(int(f[1]), int(f[2]), int(f[3]), int(f[4], 16))
            elif letter == "S":
                self.traces[int(f[0])] = Script(int(f[1]), "script", int(f[2]), int(f[3]), f[4], f[5])
            elif letter == "M":
                self.modules[int(f[0])] = Module(int(f[1], 16), int(f[2], 16), int(f[3], 16), " ".join(f[4:]))
            elif letter == "C":
                self.counters[f[0]] = int(f[1])
            elif letter == "P":
                self.is_forked = f[0] == "1"
        self.live = addresses

    def told(self):
        """Events between the marks of truth.h."""
        begin = next(i for i, e in enumerate(self.events) if isinstance(e, Alloc) and e.size == TRUTH_BEGIN)
        end = next(i for i, e in enumerate(self.events) if isinstance(e, Alloc) and e.size == TRUTH_END)
        return self.events[begin + 2:end]  # without the mark's own free

    def stack(self, trace):
        """Addresses, innermost first."""
        out = []
        while trace:
            node = self.traces[trace]
            out.append(node)
            trace = node.caller
        return out


def plain(events):
    """Events as a program tells them."""
    return [("A", e.word, e.size, e.address, e.tid) if isinstance(e, Alloc) else ("F", e.word, e.address, e.tid)
            for e in events]


def read_truth(path):
    out = []
    for line in path.read_text().splitlines():
        f = line.split(" ")
        if f[0] == "A":
            out.append(("A", f[1], int(f[2]), int(f[3], 16), int(f[4])))
        elif f[0] == "F":
            out.append(("F", f[1], int(f[2], 16), int(f[3])))
    return out


class InterposeTest(unittest.TestCase):
    maxDiff = 4000

    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="ubi-interpose-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def compile(self, source, *options, output=None):
        """A program of programs/, or a library with -shared."""
        out = self.folder / (output or Path(source).stem)
        compiler = "g++" if source.endswith(".cpp") else "gcc"
        standard = "-std=c++17" if source.endswith(".cpp") else "-std=gnu17"
        # Some of these programs do what compilers rightly warn about.
        return built_programs.build([compiler, standard, "-O1", "-g", "-D_GNU_SOURCE", "-fno-builtin", "-w", "-pthread",
                                     PROGRAMS / source, *options], out)

    def record(self, argv, options=(), environment=None, check=0, stdin=None, name="out"):
        """Runs a program recorded. -> what it printed; self.recording(...) has the rest."""
        self.output = self.folder / name
        self.truth_path = self.folder / (name + ".truth")
        env = {**os.environ, "TRUTH": str(self.truth_path), **(environment or {})}
        ran = subprocess.run([str(DRIVER), f"library={LIBRARY}", *options, str(self.output), *map(str, argv)],
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=stdin, env=env,
                             check=False)
        if check is not None:
            self.assertEqual(ran.returncode, check, ran.stderr.decode(errors="replace"))
        return ran

    def recording(self, process=0):
        path = self.output if process == 0 else Path(f"{self.output}.{process}")
        return Recording(path)

    def truth(self):
        return read_truth(self.truth_path)

    def assert_nothing_lost(self, recording):
        for name in ("lost_events", "lost_bytes", "dropped", "dropped_reentrant", "unknown_frees", "reused_addresses"):
            self.assertEqual(recording.counters[name], 0, name)
