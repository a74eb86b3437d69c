#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`make deps` fetches the engine's sources, and the build takes one, whichever of them cannot be fetched.

apt-get and npm are scripts here that copy archives made for the test, or fail.
"""
import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
KEYS = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
APT = """#!/bin/sh
case "$*" in *" source "*) cp "{archive}" . ;; esac
"""
NPM = """#!/bin/sh
while [ "$1" != --pack-destination ]; do shift; done
cp "{archive}" "$2/"
"""
CHOOSE = """include({root}/cmake/ChooseQuickJS.cmake)
ubi_choose_quickjs(UBI_QUICKJS_DIR "{folder}")
message(STATUS "chosen: ${{UBI_QUICKJS_DIR}}")
"""


class EngineSource(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        for name in ("tools", "packaging", "bin", "upstream"):
            (self.folder / name).mkdir()
        shutil.copy(ROOT / "tools" / "fetch-quickjs.sh", self.folder / "tools")
        new = self.archive("new.tar.xz", "quickjs/quickjs.c", "xz")
        old = self.archive("old.tgz", "package/deps/quickjs/quickjs.c", "gz")
        self.sums = {"new": hashlib.sha256(new.read_bytes()).hexdigest(), "old": hashlib.sha512(old.read_bytes()).hexdigest()}
        (self.folder / "packaging" / "quickjs.txt").write_text(
            f"# folder\nnew debian quickjs=2 new.tar.xz {self.sums['new']}\nold npm qjsc@1 package/deps/quickjs {self.sums['old']}\n")
        self.tool("apt-get", APT.format(archive=new))
        self.tool("npm", NPM.format(archive=old))

    def archive(self, name, member, kind):
        source = self.folder / "upstream" / "quickjs.c"
        source.write_text(f"/* {name} */\n")
        path = self.folder / "upstream" / name
        with tarfile.open(path, f"w:{kind}") as tar:
            tar.add(source, member)
        return path

    def tool(self, name, text):
        path = self.folder / "bin" / name
        path.write_text(text)
        path.chmod(0o755)

    def unreachable(self, name):
        self.tool(name, f"#!/bin/sh\necho '{name}: cannot reach it' >&2\nexit 100\n")

    def fetch(self):
        environment = {**os.environ, "PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}"}
        done = subprocess.run(["sh", "tools/fetch-quickjs.sh"], cwd=self.folder, env=environment, capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr

    def fetched(self):
        return sorted(path.name for path in (self.folder / "third-party").iterdir())

    def choose(self, *arguments):
        """What CMake builds with: its folder, and what it says."""
        script = self.folder / "choose.cmake"
        script.write_text(CHOOSE.format(root=ROOT, folder=self.folder))
        done = subprocess.run(["cmake", *arguments, "-P", str(script)], capture_output=True, text=True)
        if done.returncode:
            return None, done.stderr
        return Path(done.stdout.split("chosen: ")[1].strip()).name, done.stderr

    def test_the_first_source_is_built_with_and_fetched_once(self):
        code, said = self.fetch()
        self.assertEqual((code, self.fetched()), (0, ["new", "old"]), said)
        self.assertEqual((self.folder / "third-party/new/quickjs.c").read_text(), "/* new.tar.xz */\n")
        self.assertEqual(self.choose(), ("new", ""))
        self.unreachable("apt-get")
        self.unreachable("npm")
        self.assertEqual(self.fetch(), (0, ""))

    def test_without_debian_the_older_source_is_built_with_and_one_line_says_so(self):
        self.unreachable("apt-get")
        code, said = self.fetch()
        self.assertEqual((code, self.fetched()), (0, ["old"]), said)
        self.assertIn("\ndeps: without new, ubiheap is built with the older old\n", said)
        folder, warning = self.choose()
        self.assertEqual(folder, "old")
        self.assertIn("ubiheap: third-party/new is missing; built with the older old\n", warning)

    def test_a_source_that_can_be_fetched_later_is_built_with_then(self):
        self.unreachable("apt-get")
        self.fetch()
        self.tool("apt-get", APT.format(archive=self.folder / "upstream" / "new.tar.xz"))
        self.assertEqual(self.fetch(), (0, "deps: fetching quickjs=2, a source of the JavaScript engine\n"))
        self.assertEqual(self.choose(), ("new", ""))

    def test_without_npm_only_tests_are_left_out(self):
        self.unreachable("npm")
        code, said = self.fetch()
        self.assertEqual((code, self.fetched()), (0, ["new"]), said)
        self.assertIn("\ndeps: the tests with old are left out\n", said)
        self.assertEqual(self.choose(), ("new", ""))

    def test_without_any_source_there_is_nothing_to_build(self):
        self.unreachable("apt-get")
        self.unreachable("npm")
        code, said = self.fetch()
        self.assertEqual((code, self.fetched()), (1, []))
        self.assertIn("UBI_QUICKJS_DIR", said)
        folder, said = self.choose()
        self.assertIsNone(folder)
        self.assertIn("make deps", said)

    def test_what_has_another_sum_is_not_unpacked(self):
        self.archive("new.tar.xz", "quickjs/other.c", "xz")
        code, said = self.fetch()
        self.assertEqual((code, self.fetched()), (0, ["old"]), said)
        self.assertIn(self.sums["new"], said)

    def test_a_source_under_an_earlier_name_is_kept(self):
        self.fetch()
        third_party = self.folder / "third-party"
        (third_party / "old").rename(third_party / "quickjs")
        self.unreachable("npm")
        self.assertEqual(self.fetch(), (0, ""))
        self.assertEqual(self.fetched(), ["new", "old"])

    def test_the_default_of_an_earlier_build_gives_way_and_a_named_folder_stays(self):
        self.fetch()
        self.assertEqual(self.choose(f"-DUBI_QUICKJS_DIR={self.folder}/third-party/quickjs"), ("new", ""))
        self.assertEqual(self.choose(f"-DUBI_QUICKJS_DIR={self.folder}/third-party/old"), ("old", ""))


if __name__ == "__main__":
    if not KEYS.exists():
        print(f"skipped: this is not Debian: there is no {KEYS}")
        sys.exit(77)
    unittest.main()
