#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Expressions made to hurt, on the command line: with little stack they end with an answer or one line of complaint.

256 KiB of stack is what a recursive parser would exceed first. Patterns that make backtracking matchers run for years
are matched against every class of a real heap.
"""
import os
import pathlib
import resource
import subprocess
import sys
import unittest

SOURCE_DIR = pathlib.Path(os.environ.get("UBI_SOURCE_DIR") or pathlib.Path(__file__).resolve().parents[2])
SNAPSHOT = SOURCE_DIR / "tests" / "data" / "fx" / "tiny-before.fxsnapshot"
UBIHEAP = os.environ.get("UBIHEAP", "")
SANITIZED = os.environ.get("UBI_PRESET_KIND", "plain") != "plain"
MOST = 65536  # UBI_QUERY_MAX_BYTES


def little_stack():
    if not SANITIZED:
        resource.setrlimit(resource.RLIMIT_STACK, (256 * 1024, 256 * 1024))


def nodes(expression, *options):
    command = [UBIHEAP, "nodes", "-c", "id", "--where", expression, *options, str(SNAPSHOT)]
    return subprocess.run(command, capture_output=True, text=True, preexec_fn=little_stack)


def repeated(start, middle, end=""):
    """As many `start`s before `middle`, and `end`s behind it, as an expression may have bytes."""
    n = (MOST - len(middle)) // (len(start) + len(end))
    return start * n + middle + end * n


class HostileExpressions(unittest.TestCase):
    def assert_complains(self, expression, message):
        done = nodes(expression)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (2, "", f"ubiheap: nodes: --where: {message}\n"))

    def assert_finds(self, expression, n):
        done = nodes(expression)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(len(done.stdout.splitlines()) - 1, n)

    def test_deep_nesting_is_refused(self):
        deep = "nested deeper than 64 levels at character"
        self.assert_complains(repeated("(", "true", ")"), f"{deep} 65")
        self.assert_complains(repeated("(", ""), f"{deep} 65")
        self.assert_complains(repeated("not ", "true"), f"{deep} 257")
        self.assert_complains(repeated("!", "true"), f"{deep} 65")
        self.assert_complains(repeated("-", "1 == 1"), f"{deep} 65")
        self.assert_complains(repeated("1 == (", "1", ")"), f"{deep} 390")
        self.assert_complains("className ~ /" + "(" * 60000 + "/", "groups are nested too deeply at character 78")

    def test_length_is_limited(self):
        self.assert_complains("true" + " " * MOST, "the expression is longer than 65536 bytes")

    def test_long_chains_are_no_problem(self):
        self.assert_finds(repeated("id == 1 or ", "className == 'Map'"), 3)
        self.assert_finds(repeated("true and ", "className == 'Map'"), 3)
        self.assert_finds(repeated("1 + ", "1 > 0"), 7199)
        self.assert_finds(repeated("rawSize > 5 or className == 'x' or ", "false"), 7198)  # all but the root

    def test_patterns_that_explode_elsewhere_are_linear(self):
        self.assert_finds("className ~ /^(a*)*(a|a)*(\\w+)+(\\w+\\w+)+!$/", 0)
        self.assert_finds("className ~ /((((\\w*)*)*)*)*!/", 0)
        self.assert_finds("className ~ /(\\w?){200}\\w{200}/", 0)
        self.assert_complains("className ~ /((x{1000}){1000}){1000}/", "the pattern is too large at character 14")
        self.assert_complains("className ~ /" + "(x" * 60 + "){999}" * 60 + "/",
                              "the pattern is too large at character 14")

    def test_long_literals_are_no_problem(self):
        self.assert_finds("className contains '" + "x" * 60000 + "'", 0)
        self.assert_complains("rawSize > " + "9" * 60000, "a number too large for 64 bits at character 11")

    def test_a_condition_is_read_the_same_way(self):
        done = nodes("true", "--fail-on", repeated("(", "nodes > 1", ")"))
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stderr, "ubiheap: nodes: --fail-on: nested deeper than 64 levels at character 65\n")


if __name__ == "__main__":
    if not os.access(UBIHEAP, os.X_OK):
        print("skipped: UBIHEAP does not name the tool")
        sys.exit(77)
    unittest.main()
