#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The web page without Node.js: `make` puts a page that was built before into the program, and says in one line what is missing else.
`make demo` ends with how to open it."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import page_project
from page_project import ROOT

sys.path.insert(0, str(ROOT / "tests" / "http"))
from serving import Server  # noqa: E402

# What the script may call: all that a system without Node.js has.
TOOLS = "cat cksum cmp cp dirname find flock head mkdir sh sort tr xargs".split()
MISSING = r"web: npm is missing \(Debian package npm; `make deps` installs it\)"
PROJECT = """cmake_minimum_required(VERSION 3.18)
project(page C)
include({root}/cmake/Page.cmake)
add_executable(paths paths.c src/http/page_files.c)
target_include_directories(paths PRIVATE src)
"""
PATHS = """#include <stdio.h>
#include "http/page_files.h"
int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        const ubi__page_file *file = ubi__page_file_find(argv[i]);
        printf("%s %d\\n", argv[i], file ? (int)(file->plain.end - file->plain.begin) : -1);
    }
}
"""


class Project(unittest.TestCase):
    """A copy of what the page is made of, with another page in place of the built one."""

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)
        self.bin = self.folder / "bin"
        self.bin.mkdir()
        for name in TOOLS:
            (self.bin / name).symlink_to(shutil.which(name))
        (self.folder / "tools").mkdir()
        shutil.copy(ROOT / "tools" / "build-web.sh", self.folder / "tools")
        (self.folder / "packaging" / "npm").mkdir(parents=True)
        (self.folder / "packaging" / "npm" / "documents.d.ts").write_text("")
        (self.folder / "web" / "src").mkdir(parents=True)
        (self.folder / "web" / "package-lock.json").write_text("{}")
        (self.folder / "web" / "src" / "main.ts").write_text("one")

    def build(self, *words):
        done = subprocess.run(["sh", "tools/build-web.sh", *words], cwd=self.folder, env={"PATH": str(self.bin)}, capture_output=True,
                              text=True, check=False)
        return done.returncode, done.stdout, done.stderr

    def add_npm(self, text):
        (self.bin / "npm").write_text("#!/bin/sh\n" + text)
        (self.bin / "npm").chmod(0o755)

    def add_vite(self):
        """A builder whose page is its sources."""
        vite = self.folder / "web" / "node_modules" / ".bin" / "vite"
        vite.parent.mkdir(parents=True)
        vite.write_text("#!/bin/sh\nmkdir -p dist/assets && cat src/main.ts >dist/index.html && echo built >>../built\n")
        vite.chmod(0o755)

    def times_built(self):
        return (self.folder / "built").read_text().count("built")


class Building(Project):
    def test_without_npm_and_without_a_page_one_line_says_what_is_missing(self):
        code, out, err = self.build()
        self.assertEqual((code, err), (0, ""))
        self.assertRegex(out, rf"\A{MISSING}; ubiheap will have a plain page\n\Z")
        code, out, err = self.build("install")
        self.assertEqual((code, out), (1, ""))
        self.assertRegex(err, rf"\A{MISSING}\n\Z")

    def test_where_npm_cannot_fetch_one_line_says_so(self):
        self.add_npm("echo much; echo more >&2; exit 1")
        code, out, err = self.build()
        self.assertEqual((code, err), (0, ""))
        self.assertRegex(out, r"\Aweb: npm could not fetch .*build/web\.log.*; ubiheap will have a plain page\n\Z")

    def test_a_page_that_is_built_is_left_as_it_is_and_used(self):
        self.add_npm("")
        self.add_vite()
        self.assertEqual(self.build(), (0, "web: the page, in web/dist\n", ""))
        self.assertEqual(self.build(), (0, "", ""))
        (self.bin / "npm").unlink()
        self.assertEqual(self.build(), (0, "", ""))
        shutil.rmtree(self.folder / "web" / "node_modules")
        self.assertEqual(self.build(), (0, "", ""))
        (self.folder / "web" / "src" / "main.ts").write_text("two")
        code, out, err = self.build()
        self.assertEqual((code, err), (0, ""))
        self.assertRegex(out, rf"\A{MISSING}; the page is the one that was built before\n\Z")
        self.assertEqual((self.times_built(), (self.folder / "web/dist/index.html").read_text()), (1, "one"))


class Embedding(Project):
    """As `make` does it: cmake/Page.cmake and src/http/page_files.c, without Node.js."""

    def paths(self, *names):
        (self.folder / "CMakeLists.txt").write_text(PROJECT.format(root=ROOT))
        (self.folder / "paths.c").write_text(PATHS)
        (self.folder / "src" / "http").mkdir(parents=True, exist_ok=True)
        for name in "page_files.c", "page_files.h":
            shutil.copy(ROOT / "src" / "http" / name, self.folder / "src" / "http")
        configured = subprocess.run(["cmake", "-G", "Ninja", "-S", ".", "-B", "out"], cwd=self.folder, capture_output=True, text=True, check=True)
        subprocess.run(["cmake", "--build", "out"], cwd=self.folder, capture_output=True, check=True)
        found = subprocess.run([self.folder / "out" / "paths", *names], capture_output=True, text=True, check=True).stdout
        return configured.stdout, dict(line.split() for line in found.splitlines())

    def test_a_page_that_is_built_is_in_the_program(self):
        dist = self.folder / "web" / "dist"
        (dist / "assets").mkdir(parents=True)
        for name, text in [("index.html", "a page"), ("assets/main.js", "code"), ("assets/main.css", "")]:
            (dist / name).write_text(text)
            (dist / (name + ".gz")).write_text("packed")
        said, found = self.paths("/", "/assets/main.js", "/assets/main.css", "/index.html", "/assets/main.js.gz")
        self.assertNotIn("without the web page", said)
        self.assertEqual(found, {"/": "6", "/assets/main.js": "4", "/assets/main.css": "0", "/index.html": "-1", "/assets/main.js.gz": "-1"})
        (dist / "index.html").write_text("another page")
        self.assertEqual(self.paths("/")[1], {"/": "12"})

    def test_without_one_the_program_is_built_anyway(self):
        said, found = self.paths("/")
        self.assertIn("without the web page", said)
        self.assertEqual(found, {"/": "-1"})


class Demo(unittest.TestCase):
    def test_it_ends_with_how_to_open_the_page(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        project = Path(temporary.name)
        (project / "tools").mkdir()
        shutil.copy(ROOT / "tools" / "demo.sh", project / "tools")
        tool = project / "silent"
        tool.write_text("#!/bin/sh\n")
        tool.chmod(0o755)
        done = subprocess.run(["sh", project / "tools" / "demo.sh", tool], capture_output=True, text=True, check=True,
                              env={**os.environ, "NO_COLOR": "1"})
        end = done.stdout.rsplit("\n\n", 1)[1]
        self.assertTrue(end.startswith("== Look at these heaps in your browser\n"), end)
        command = re.search(rf"^  {re.escape(str(tool))} (serve .*)$", end, re.MULTILINE)[1].split()
        server = Server(self, [os.environ["UBIHEAP"], *command])
        self.assertEqual([heap["name"] for heap in server.get("/api/1/heaps")["heaps"]], [Path(file).name for file in command[1:]])
        page_project.need_page()
        self.assertIn(b'id="root"', server.ask("/", headers={"Accept": "text/html"}).body)


if __name__ == "__main__":
    unittest.main()
