#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The portable tar ball asks for no C library newer than that of Debian 11, and for nothing else that a system may lack. The
tar ball is the one that `make package` left in build/packages; `make check-bare` runs it in Debian 11, 12 and 13."""
import os
import re
import shutil
import sys
import tempfile
import unittest
from pathlib import Path

from package_test import ROOT, SNAPSHOT, VERSION, run

OLDEST_GLIBC = (2, 31)
NAME = f"ubiheap-{VERSION}-linux-x86_64"
TAR_BALL = ROOT / "build" / "packages" / f"{NAME}.tar.gz"
# What every system with a C library of GNU has.
OF_THE_SYSTEM = {"libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2", "librt.so.1", "ld-linux-x86-64.so.2"}


def is_newest(tar_ball):
    """Made of the sources at hand."""
    made = tar_ball.stat().st_mtime
    return all(path.stat().st_mtime <= made for folder in ("src", "include") for path in (ROOT / folder).rglob("*.[ch]"))


def dynamic_symbols(path):
    """(version, whether it can be done without) of every symbol that a file needs."""
    for line in run("objdump", "-T", path).splitlines():
        found = re.match(r"[0-9a-f]+ (.{7}) \*UND\*\s+[0-9a-f]+ +\(?GLIBC_([\d.]+)\)? +(\S+)", line)
        if found:
            flags, version, name = found.groups()
            yield tuple(map(int, version.split("."))), "w" in flags, name


class Portable(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = Path(tempfile.mkdtemp(prefix="ubiheap-portable-"))
        cls.addClassCleanup(shutil.rmtree, cls.scratch)
        run("tar", "-xzf", TAR_BALL, "-C", cls.scratch)
        cls.root = cls.scratch / NAME
        cls.tool = cls.root / "bin" / "ubiheap"
        cls.preload = cls.root / "lib" / "ubiheap" / "libubiheap-preload.so"
        cls.watch = cls.root / "lib" / "ubiheap" / "ubiheap-watch.node"
        cls.binaries = [cls.tool, cls.preload, cls.watch, cls.root / "lib" / "ubiheap" / "libisal.so.2"]

    def test_all_lies_in_one_folder_that_bears_name_version_and_system(self):
        self.assertEqual([path.name for path in self.scratch.iterdir()], [NAME])
        for file in (*self.binaries, self.root / "share/man/man1/ubiheap.1", self.root / "share/doc/ubiheap/LICENSE",
                     self.root / "share/bash-completion/completions/ubiheap"):
            self.assertTrue(file.is_file() and not file.is_symlink(), file)

    def test_no_binary_needs_a_c_library_newer_than_that_of_debian_11(self):
        for binary in self.binaries:
            needed = list(dynamic_symbols(binary))
            if binary != self.root / "lib" / "ubiheap" / "libisal.so.2":
                self.assertGreater(len(needed), 20, binary.name)
            newer = [name for version, weak, name in needed if version > OLDEST_GLIBC]
            self.assertEqual(newer, [], binary.name)
            versions = [tuple(map(int, found.split("."))) for found in
                        re.findall(r"Name: GLIBC_([\d.]+) ", run("readelf", "-V", binary))]
            self.assertLessEqual(max(versions, default=(0, 0)), OLDEST_GLIBC, binary.name)

    def test_no_binary_needs_a_library_that_a_system_may_lack(self):
        for binary in self.binaries:
            needed = set(re.findall(r"\(NEEDED\).*\[(.*?)\]", run("readelf", "-d", binary)))
            self.assertLessEqual(needed, OF_THE_SYSTEM | ({"libisal.so.2"} if binary == self.tool else set()), binary.name)

    def test_the_faster_ways_of_newer_c_libraries_are_used_where_they_are(self):
        names = run("nm", "-D", "--undefined-only", self.preload)
        for name in "_dl_find_object", "__libc_single_threaded":
            self.assertRegex(names, rf" w {name}\n")

    def test_it_runs_and_records_wherever_it_is_unpacked(self):
        plain = {key: value for key, value in os.environ.items() if key not in ("LD_LIBRARY_PATH", "UBIHEAP_PRELOAD")}
        self.assertIn(VERSION, run(self.tool, "--version", env=plain))
        self.assertIn("7,199", run(self.tool, "info", SNAPSHOT, env=plain))
        self.assertRegex(run("ldd", self.tool, env=plain), rf"libisal\.so\.2 => {self.scratch}")
        for program in ["true"], ["perl", "-e", "my @a = map { [$_] } 1 .. 100"]:
            recording = self.scratch / "x.ubirec"
            run(self.tool, "record", "--exact", "--output", recording, "--", *program, env=plain)
            self.assertIn("; exit status 0", run(self.tool, "report", recording, env=plain))

    def test_the_terms_of_what_is_linked_in_come_along(self):
        licences = self.root / "share" / "doc" / "ubiheap" / "licences"
        found = {path.name for path in licences.iterdir() if path.stat().st_size > 500}
        self.assertLessEqual({"libisal2", "zlib1g", "libsodium23", "libdw1", "libelf1", "liblzma5", "libbz2-1.0", "libiberty-dev",
                              "quickjs"}, found)


if __name__ == "__main__":
    if not TAR_BALL.exists() or not is_newest(TAR_BALL):
        print("skipped: there is no tar ball of these sources in build/packages; `make package` makes one")
        sys.exit(77)
    unittest.main()
