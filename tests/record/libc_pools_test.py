#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the C library asks for: memory that it keeps until the end is no leak, and what it asks for in the name of its caller is its caller's."""
import json
import subprocess
import unittest

import record_place

# The pool that must be there; None: nothing need be left, which is the system's affair.
KEPT = {
    "locales": "libc's locales and translations",
    "users": None,
    "hosts": None,
    "libraries": "tables of loaded libraries",
    "messages": "libc's messages of errors",
    "time_zone": "libc's time zone",
    "standard_output": "buffers of stdio",
    "conversions": None,
    "threads": "libc's tables of threads and exits",
}
# These go on in a function that is not exported, which has a name only where the library's symbols are installed.
KEPT_WITH_SYMBOLS = {"translations": "libc's locales and translations", "environment": "the environment", "local_time": "libc's time zone"}
# What the program calls; the last where its name is exported, which those that go on elsewhere lose without symbols.
LEAKED = {
    "strdup_leaked": "strdup",
    "asprintf_leaked": "asprintf",
    "getline_leaked": "getdelim",
    "fopen_leaked": None,
    "memory_stream_leaked": "fclose",
    "scandir_leaked": None,
    "realpath_leaked": "realpath",
    "getaddrinfo_leaked": "getaddrinfo",
    "newlocale_leaked": "newlocale",
    "iconv_leaked": "iconv_open",
}


class LibcPools(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = record_place.Place(cls)
        cls.program = cls.place.compile("libc_keeps", source=record_place.HERE / "programs" / "libc_keeps.c")
        cls.documents = {}

    @classmethod
    def addCleanup(cls, function, *arguments, **named):  # as record_place.Place asks a test
        cls.addClassCleanup(function, *arguments, **named)

    def ask(self, *arguments):
        return subprocess.run([record_place.UBIHEAP, *arguments], cwd=self.place.folder, capture_output=True, text=True,
                              env=self.place.environment)

    def document(self, name, file=None):
        if not (self.place.folder / (name + ".ubirec")).exists():
            done = self.place.record(self.program, name, output=name + ".ubirec")
            self.assertEqual(done.returncode, 0, done.stderr)
        done = self.ask("report", "--json", "--by", "leaked", "--top", "0", file or name + ".ubirec")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def left(self, document, is_pool):
        return [site for site in document["sites"] if site["leaked"]["count"] and bool(site["pool"]) == is_pool]

    def has_symbols(self):
        """Whether the C library's own functions have names."""
        sites = self.document("environment")["sites"]
        return any("add_to_environ" in place["function"] for site in sites for place in site["stack"] + site["through"])

    def check_kept(self, name, pool):
        document = self.document(name)
        self.assertEqual(self.left(document, False), [])
        if pool:
            self.assertIn(pool, {site["pool"] for site in self.left(document, True)})
        self.assertEqual(document["heap"]["leaked"], document["heap"]["pools"])
        done = self.ask("report", "--fail-on", "leaked > 0 or leakedCount > 0", name + ".ubirec")
        self.assertEqual(done.returncode, 0, done.stderr)
        page = " ".join(self.ask("report", "--by", "leaked", name + ".ubirec").stdout.split())
        if pool:
            self.assertRegex(page, "kept on purpose: .*" + pool)

    def test_what_the_library_keeps_is_no_leak(self):
        for name, pool in KEPT.items():
            with self.subTest(name):
                self.check_kept(name, pool)

    def test_what_functions_keep_that_are_not_exported_is_no_leak_where_they_have_names(self):
        if not self.has_symbols():
            self.assertTrue(self.left(self.document("environment"), False))  # it is told as the program's
            return
        for name, pool in KEPT_WITH_SYMBOLS.items():
            with self.subTest(name):
                self.check_kept(name, pool)

    def test_what_a_program_does_not_give_back_is_its_leak_at_its_place(self):
        for name, way in LEAKED.items():
            with self.subTest(name):
                document = self.document(name)
                left = self.left(document, False)
                self.assertEqual({site["stack"][0]["function"] for site in left}, {name})
                self.assertTrue(all(site["stack"][0]["file"].endswith("libc_keeps.c") for site in left))
                if way:
                    names = [place["function"] for site in left for place in site["through"]]
                    self.assertTrue(any(way in each for each in names), names)
                done = self.ask("report", "--fail-on", "leaked > 0", name + ".ubirec")
                self.assertEqual(done.returncode, 1, done.stderr)

    def test_a_copy_for_others_has_the_same_numbers(self):
        for name in ("locales", "hosts", "getaddrinfo_leaked", "threads"):
            with self.subTest(name):
                before = self.document(name)
                done = self.ask("convert", "--anonymize", name + ".ubirec", name + ".shared.ubirec")
                self.assertEqual(done.returncode, 0, done.stderr)
                after = self.document(name, name + ".shared.ubirec")
                for measure in ("leaked", "pools", "peak"):
                    self.assertEqual(before["heap"][measure], after["heap"][measure])
                self.assertEqual(sorted(str(site["pool"]) for site in before["sites"]), sorted(str(site["pool"]) for site in after["sites"]))

    def test_pools_are_named_in_all_lists(self):
        self.document("locales")
        pool = KEPT["locales"]
        page = " ".join(self.ask("report", "--by", "peak", "locales.ubirec").stdout.split())
        self.assertIn("kept on purpose: " + pool, page)
        page = self.ask("allocations", "--by", "peak", "--limit", "0", "locales.ubirec").stdout
        self.assertIn("kept on purpose: " + pool, page)
        functions = json.loads(self.ask("allocations", "--json", "--limit", "0", "locales.ubirec").stdout)["functions"]
        self.assertEqual({f["pool"] for f in functions if f["function"] == "setlocale"}, {pool})
        self.assertEqual({f["pool"] for f in functions if f["function"] == "locales"}, {None})


if __name__ == "__main__":
    unittest.main()
