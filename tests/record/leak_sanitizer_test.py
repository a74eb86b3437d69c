#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Suppressions hide what LeakSanitizer hides: the same program under both, with the same files; and what reports, pictures and exports say
then."""
import json
import re
import subprocess
import unittest

import record_place
from address_limit import lift_limit

PROGRAM = """
#include <stdlib.h>
/* What the last call leaves in registers and on the stack would keep a block alive for LeakSanitizer. */
static void *volatile kept;
__attribute__((noinline)) static void forget(void) { char volatile room[4096]; for (int i = 0; i < 4096; i++) room[i] = 0; kept = 0; }
__attribute__((noinline)) void leak_alpha(void) { kept = malloc(16); forget(); }
__attribute__((noinline)) void leak_beta(void) { kept = malloc(208); forget(); leak_alpha(); }
static inline __attribute__((always_inline)) void inlined_leak(void) { kept = malloc(3008); forget(); }
__attribute__((noinline)) void outer(void) { inlined_leak(); leak_beta(); }
__attribute__((noinline)) void frees(void) { kept = malloc(5000); free(kept); forget(); }
int main(void) { leak_alpha(); leak_beta(); outer(); frees(); return 0; }
"""

PATTERNS = ["leak_alpha", "leak_b*a", "^leak_b", "^eak_b", "beta$", "bet$", "*", "^outer$", "inlined_leak", "main", "leaks.c", "leaks.d",
            "^leak*a$", "leak_*$", "$", "*$", "^*a$", "LEAK", "frees", "a*a*a", "", "leak_alpha$x", "_start"]


class Suppressions(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = record_place.Place(cls)
        source = cls.place.folder / "leaks.c"
        source.write_text(PROGRAM)
        program = cls.place.compile("leaks", source=source)
        done = cls.place.record(program)
        assert done.returncode == 0, done.stderr

    @classmethod
    def addCleanup(cls, function, *arguments, **named):  # as record_place.Place asks a test
        cls.addClassCleanup(function, *arguments, **named)

    def ask(self, *arguments, text=None):
        return subprocess.run([record_place.UBIHEAP, *arguments], cwd=self.place.folder, capture_output=True, text=True, input=text,
                              env=self.place.environment)

    def file_of(self, *patterns):
        path = self.place.folder / "known.supp"
        path.write_text("# known\n" + "".join(f"leak:{pattern}\n" for pattern in patterns))
        return path

    def hidden_here(self, path):
        done = self.ask("report", "--json", "--suppress", path, "out.ubirec")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        document = json.loads(done.stdout)
        self.assertEqual(document["heap"]["leaked"]["bytes"], 16 * 3 + 208 * 2 + 3008)
        rules = document["suppressed"]["rules"]
        self.assertEqual(sum(rule["bytes"] for rule in rules), document["suppressed"]["heap"]["bytes"])
        return {rule["pattern"]: rule["bytes"] for rule in rules if rule["count"]}

    def hidden_there(self, program, path):
        """As LeakSanitizer says at the end of a run."""
        done = subprocess.run([program], capture_output=True, text=True, cwd=self.place.folder, preexec_fn=lift_limit,
                              env={**self.place.environment, "LSAN_OPTIONS": f"suppressions={path}:print_suppressions=1:exitcode=0:fast_unwind_on_malloc=0"})
        if "LeakSanitizer has encountered a fatal error" in done.stderr:
            self.skipTest("LeakSanitizer cannot stop threads here")
        rows = re.findall(r"^ +\d+ +(\d+) (.*)$", done.stderr.partition("Suppressions used:")[2], re.MULTILINE)
        return {pattern: int(size) for size, pattern in rows}

    @unittest.skipIf(record_place.SANITIZED, "two sanitizers are one too many")
    def test_leak_sanitizer_hides_the_same(self):
        program = self.place.compile("leaks_sanitized", "-fsanitize=leak", source=self.place.folder / "leaks.c")
        lists = [[pattern] for pattern in PATTERNS] + [PATTERNS[:4], ["outer", "leak_alpha", "inlined_leak"], ["beta$", "outer", "main"]]
        for patterns in lists:
            with self.subTest(patterns=patterns):
                path = self.file_of(*patterns)
                self.assertEqual(self.hidden_here(path), self.hidden_there(program, path))

    def test_a_report_says_what_is_hidden_and_judges_the_rest(self):
        path = self.file_of("leak_alpha", "nowhere")
        page = self.ask("report", "--suppress", path, "out.ubirec").stdout
        self.assertIn("\nSuppressed  48 B in 3 allocations, by 1 of 2 suppressions\n", page)
        self.assertIn("\nNot freed      3.39 KiB in 6 allocations\n", page)
        detail = self.ask("report", "--detail", "--suppress", path, "out.ubirec").stdout
        self.assertIn("\nSuppressed  48 B in 3 allocations, by 1 of 2 suppressions; not used: leak:nowhere\n", detail)
        rows = self.ask("report", "-c", "leaked,function", "--suppress", path, "out.ubirec").stdout
        self.assertIn("\n0\tleak_alpha\n", rows)
        for condition, status in (("leaked > 3424", 0), ("leaked > 3423", 1), ("suppressed > 47", 1), ("suppressed > 48", 0)):
            done = self.ask("report", "--fail-on", condition, "--suppress", path, "out.ubirec")
            self.assertEqual(done.returncode, status, condition)

    def test_everything_may_be_hidden(self):
        page = self.ask("report", "--suppress", self.file_of("main"), "out.ubirec").stdout
        self.assertIn("everything was freed, except what is suppressed", page.replace("\n    ", " "))
        self.assertEqual(self.ask("report", "--fail-on", "leaked > 0", "--suppress", self.file_of("main"), "out.ubirec").returncode, 0)

    def test_several_files_and_standard_input(self):
        self.file_of("leak_alpha")
        done = self.ask("report", "--suppress", "known.supp", "--suppress", "-", "out.ubirec", text="leak:beta\n")
        self.assertIn("by 2 of 2 suppressions", done.stdout)

    def test_pictures_and_exports_are_without_it(self):
        path = self.file_of("leak_alpha", "beta")
        said = "ubiheap: out.ubirec: suppressed: 464 B in 5 allocations, by 2 of 2 suppressions\n"
        done = self.ask("flamegraph", "--by", "leaked", "--format", "text", "--suppress", path, "out.ubirec")
        self.assertEqual(done.stderr, said)
        self.assertNotIn("beta", done.stdout)
        done = self.ask("export", "-f", "collapsed", "--by", "leaked", "--suppress", path, "out.ubirec")
        self.assertEqual(done.stderr, said)
        self.assertRegex(done.stdout, r"\A[^\n]*main;outer;inlined_leak 3008\n\Z")
        done = self.ask("export", "-o", "out.pb.gz", "--suppress", path, "out.ubirec")
        self.assertIn(said, done.stderr)
        done = self.ask("export", "-f", "collapsed", "--by", "total", "--suppress", path, "out.ubirec")
        self.assertIn("suppressions change nothing here, they are about what was not freed", done.stderr)
        for name in ("tables", "heaptrack", "firefox", "chrome"):
            done = self.ask("export", "-f", name, "--suppress", path, "out.ubirec")
            self.assertEqual(done.returncode, 2)
            self.assertIn("--suppress is for --format pprof, collapsed and svg", done.stderr)

    def test_mistakes(self):
        (self.place.folder / "bad.supp").write_text("leak:a\nfun:b\n")
        (self.place.folder / "zero.supp").write_bytes(b"leak:a\0\n")
        (self.place.folder / "known.heap").write_text("")
        for arguments, status, message in (
                (["bad.supp", "out.ubirec"], 2, "bad.supp, line 2: 'fun:b' is no suppression: it does not begin with 'leak:'"),
                (["zero.supp", "out.ubirec"], 2, "the file zero.supp is not text: it has a zero byte"),
                (["missing.supp", "out.ubirec"], 4, "cannot open the file missing.supp: No such file or directory"),
                (["-", "-"], 2, "the recording and the file of an option cannot both come from standard input")):
            done = self.ask("report", "--suppress", *arguments)
            self.assertEqual(done.returncode, status)
            self.assertIn(message, done.stderr)
            self.assertEqual(done.stdout, "")
        path = self.file_of("a")
        done = self.ask("flamegraph", "-o", path, "--suppress", path, "out.ubirec")
        self.assertEqual(done.returncode, 2)
        self.assertIn("leak:a", path.read_text())


if __name__ == "__main__":
    unittest.main()
