#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the documents show is true: commands are run and their output compared, programs are compiled.

    ```console    `$ command`, lines of the same command behind `> `, then its output (both streams). In the output `...`
                  stands for any text of a line, and alone on a line for any lines.
    ```c          a whole source file, compiled with warnings as errors.
    ```c, ```cmake, ```python, ```js, ```sh, ```yaml whose first line is a comment that starts with a file name: the file
                  is there for the commands behind it. So is everything that earlier commands of the page made.

`<!-- output varies -->` on the line before a ```console block says that its commands look at programs that run now: numbers
may be others, a path of a heap may begin otherwise, as long as it ends at the same thing, other small things may be new, and
another release of Node.js may keep something else as the third kind beside what leaks.

Commands run in a scratch directory that looks like the top of the source tree, with ubiheap installed in a place of its own.
Blocks of other languages (`sh` for what cannot run here) are only read, by docs_test.py.

`docs_examples_test.py --update [PAGE.md ...]` writes the real output into the pages where it differs.
"""
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from docs_test import PAGES, ROOT

BLOCK = re.compile(r"^(<!-- output varies -->\n)?```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FILE_NAME = re.compile(r"\A(?:/\* |# |// )([\w-]+\.(?:c|py|js|sh|yml)|CMakeLists\.txt)\b")
NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
FILE_LANGUAGES = ("c", "cmake", "python", "js", "sh", "yaml")
WARNINGS = ["-std=c17", "-Wall", "-Wextra", "-Werror", "-fsyntax-only"]


class Place:
    """An installed ubiheap and a directory to work in."""

    def __init__(self):
        # Node.js reserves more addresses for WebAssembly than the limit that the tests run under allows.
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (hard, hard))
        self.scratch = Path(tempfile.mkdtemp(prefix="ubiheap-docs-"))
        prefix = self.scratch / "prefix"
        subprocess.run(["cmake", "--install", os.environ["UBI_BUILD_DIR"], "--prefix", str(prefix)], check=True,
                       capture_output=True)
        library = next(prefix.glob("lib*/**/libubiheap.so")).parent
        kept = {key: value for key, value in os.environ.items() if key in ("TMPDIR", "USER", "ASAN_OPTIONS")}
        self.environment = {
            **kept,
            "PATH": f"{prefix / 'bin'}:{os.environ['PATH']}",
            "HOME": str(self.scratch),
            "LC_ALL": "C.UTF-8",
            "LD_LIBRARY_PATH": str(library),
            "PKG_CONFIG_PATH": str(library / "pkgconfig"),
            "CMAKE_PREFIX_PATH": str(prefix),
        }
        self.directory = None

    def new_page(self):
        self.directory = Path(tempfile.mkdtemp(prefix="page-", dir=self.scratch))
        for folder in ("tests", "examples", "fuzz"):
            (self.directory / folder).symlink_to(ROOT / folder)

    def run(self, command):
        done = subprocess.run(["sh", "-c", command], cwd=self.directory, env=self.environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        return done.stdout.decode()


def commands(block):
    """(the lines that show it, the command, the output that it shall have) of a console block."""
    shown, command, output = [], None, []
    for line in block.splitlines():
        if line.startswith("$ "):
            if command is not None:
                yield shown, command, output
            shown, command, output = [line], line[2:], []
        elif line.startswith("> ") and not output:
            shown.append(line)
            command += "\n" + line[2:]
        else:
            output.append(line)
    if command is not None:
        yield shown, command, output


def pattern_of(output):
    """What matches an output with its gaps."""
    parts = []
    for line in output:
        if line == "...":
            parts.append(r"(?:[^\n]*\n)*?")
        else:
            parts.append(r"[^\n]*".join(map(re.escape, line.split("..."))) + r"\n")
    return re.compile("".join(parts) + r"\Z")


def plain(output):
    return [line.rstrip() for line in output.splitlines()]


def without_what_varies(output):
    """Numbers as 0 and sizes as 0 B, what they count in the singular, and of a path (lines that `→` joins) the last step.
    What else happens to be new in a program that runs, a string or a cluster of one object, is left out, also from the sum
    of clusters; so are the third kind of what a cluster holds, and remarks behind commands, for which a longer number leaves no
    room."""
    lines = []
    for line in output:
        if line.startswith("    also there: ") or re.match(r"[\d,]+ clusters? more, ", line):
            continue
        if not line and lines and not lines[-1]:
            continue
        line = re.sub(r"\b0 (?:[KMG]i)?B\b", "0 B", NUMBER.sub("0", line))
        line = line.replace("0 B (0 B)", "0 B")  # small sizes are not repeated in bytes
        line = re.sub(r"\b0 (\w+?)s?\b", r"0 \1", line)
        line = re.sub(r", in 0 cluster[.:].*", ", in 0 cluster.", line)
        line = re.sub(r"  # .*", "", line)
        if line.startswith("    with "):
            line = ", ".join(line.split(", ")[:2])
        if "→" in line and lines and "→" in lines[-1] and line.startswith("    "):
            lines.pop()
        if "→" in line and line.startswith("    "):
            line = "    … → " + line.split("→")[-1].strip()
        lines.append(line)
    return lines


def matches(wanted, got, varies):
    if varies:
        wanted, got = without_what_varies(wanted), without_what_varies(got)
    return pattern_of(wanted).match("".join(line + "\n" for line in got)) is not None


# Of the JavaScript engine, for programs that embed it.
ENGINE = os.environ.get("UBI_QUICKJS_DIR", str(ROOT / "third-party" / "quickjs-2025-04-26"))


class Examples(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.place = Place()
        cls.addClassCleanup(shutil.rmtree, cls.place.scratch)

    def test_programs_compile(self):
        for page in PAGES:
            for _, language, text in BLOCK.findall(page.read_text()):
                if language != "c":
                    continue
                with self.subTest(page=page.name, program=text[:60]):
                    done = subprocess.run(["cc", *WARNINGS, "-I", str(ROOT / "include"), "-isystem", ENGINE, "-x", "c", "-"], input=text,
                                          capture_output=True, text=True, check=False)
                    self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_commands_print_what_the_pages_show(self):
        for page in PAGES:
            self.place.new_page()
            for varies, language, text in BLOCK.findall(page.read_text()):
                named = FILE_NAME.match(text)
                if named and language in FILE_LANGUAGES:
                    (self.place.directory / named[1]).write_text(text)
                if language != "console":
                    continue
                for _, command, wanted in commands(text):
                    with self.subTest(page=str(page.relative_to(ROOT)), command=command):
                        got = plain(self.place.run(command))
                        if not matches(wanted, got, varies):
                            self.assertEqual("\n".join(wanted), "\n".join(got))

    def test_blocks_are_of_a_known_kind(self):
        for page in PAGES:
            for line in re.findall(r"^```(.*)$", page.read_text(), re.MULTILINE)[::2]:
                self.assertIn(line, {*FILE_LANGUAGES, "console", "json", "make", "text", "toml"}, page.name)


def update(names):
    place = Place()
    for page in [page for page in PAGES if not names or page.name in names]:
        place.new_page()

        def renewed(match):
            varies, language, text = match.groups(default="")
            named = FILE_NAME.match(text)
            if named and language in FILE_LANGUAGES:
                (place.directory / named[1]).write_text(text)
            if language != "console":
                return match[0]
            lines = []
            for shown, command, wanted in commands(text):
                got = plain(place.run(command))
                lines += shown + (wanted if matches(wanted, got, varies) else got)
            return f"{varies}```console\n" + "".join(line + "\n" for line in lines) + "```"

        old = page.read_text()
        new = BLOCK.sub(renewed, old)
        if new != old:
            page.write_text(new)
            print(f"updated {page.relative_to(ROOT)}")
    shutil.rmtree(place.scratch)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--update"]:
        update(sys.argv[2:])
    elif not (Path(ENGINE) / "dtoa.c").exists():
        print("skipped: the pages show what QuickJS 2025-04-26 prints, which `make deps` could not fetch")
        sys.exit(77)
    else:
        unittest.main()
