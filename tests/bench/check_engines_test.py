#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What `make check-engines` reads from tests, and when it calls an engine served."""
import os
import sys
import tempfile
import unittest
import unittest.mock
from pathlib import Path

ROOT = Path(os.environ.get("UBI_SOURCE_DIR", Path(__file__).resolve().parents[2]))
sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "bench")]
import check_engines  # noqa: E402
import engines_tables  # noqa: E402

WHOLE = {"family": "bellard", "version": "2025-04-26", "date": "2025-04-26", "commit": "19abf18", "quickjsSha256": "0",
         "refused": [], "builds": True, "selftest": True, "passed": 43, "failed": [], "leftOut": [],
         "accountedBytes": 9990, "engineBytes": 10000, "roots": 1, "places": "line and column"}


class CheckEngines(unittest.TestCase):
    def test_an_engine_is_served_only_when_everything_holds(self):
        self.assertTrue(check_engines.is_served(WHOLE))
        self.assertTrue(check_engines.is_served({**WHOLE, "sanitized": {"passed": 40, "failed": []}}))
        for fault in ({"selftest": False}, {"failed": ["edges_test"]}, {"roots": 2}, {"accountedBytes": 9989}, {"sanitized": None},
                      {"sanitized": {"passed": 40, "failed": ["edges_test"]}}):
            with self.subTest(fault=fault):
                self.assertFalse(check_engines.is_served({**WHOLE, **fault}))

    def test_cases_that_were_left_out_have_their_reasons(self):
        cmocka = ("left out: registries_lead: the engine has no WeakRef\n[  SKIPPED ] registries_lead\n"
                  "[==========] 1 test(s) run.\n[  SKIPPED ] registries_lead\n")
        self.assertEqual(check_engines.left_out_of("edges_test", cmocka),
                         [{"test": "registries_lead", "reason": "the engine has no WeakRef"}])
        self.assertEqual(check_engines.left_out_of("run_limits_test", "OK (skipped=2)\n"),
                         [{"test": "run_limits_test", "reason": "not on this machine"}] * 2)
        self.assertEqual(check_engines.left_out_of("edges_test", "[  PASSED  ] 7 test(s).\n"), [])

    def test_versions_come_from_the_source(self):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "quickjs.c").write_text("/* */\n")
            (folder / "quickjs.h").write_text("\n")
            (folder / "VERSION").write_text("2025-09-13\n")
            _, row = check_engines.engine_of(f"{folder}@d73189d@2026-05-21")
            self.assertEqual(check_engines.name_of(row), "bellard-2025-09-13-2026-05-21")
            self.assertEqual(engines_tables.name_of(row), "bellard 2025-09-13 (2026-05-21, d73189d)")
            (folder / "quickjs.h").write_text("".join(f"#define QJS_VERSION_{part} {n}\n"
                                                      for part, n in (("MAJOR", 0), ("MINOR", 16), ("PATCH", 2))))
            _, row = check_engines.engine_of(str(folder))
            self.assertEqual((row["family"], row["version"]), ("quickjs-ng", "0.16.2"))

    def test_what_was_not_tried_again_stays_in_the_row(self):
        overhead = {"json": {"off": 1.0, "0.05": 1.01, "1": 1.07}, "splay": {"off": 1.002, "0.05": 1.0, "1": 1.2}}
        tried = {key: WHOLE[key] for key in ("family", "version", "date", "commit", "quickjsSha256", "refused", "builds", "selftest")}
        with tempfile.TemporaryDirectory() as name, unittest.mock.patch.object(check_engines, "RESULTS", Path(name) / "engines.json"):
            check_engines.keep(WHOLE)
            check_engines.keep({**tried, "overhead": overhead})
            check_engines.keep({**tried, "sanitized": {"passed": 40, "failed": ["edges_test"]}})
            self.assertEqual(check_engines.load_rows(), [{**WHOLE, "overhead": overhead,
                                                          "sanitized": {"passed": 40, "failed": ["edges_test"]}}])
            table = engines_tables.served_table({"engines": check_engines.load_rows()})
            self.assertIn("| 43 passed | - | 40 passed, 1 failed: `edges_test` |", table)
            self.assertIn("| 1.002, 1.010, 1.200 |", table)
            check_engines.keep({**tried, "selftest": False})  # of an engine that is no longer served, nothing stays
            self.assertEqual(check_engines.load_rows(), [{**tried, "selftest": False}])

    def test_the_table_says_what_failed_and_what_was_refused(self):
        refused = {**WHOLE, "refused": ["quickjs.c has inline caches"], "selftest": False}
        for key in ("passed", "failed", "leftOut", "accountedBytes", "engineBytes", "roots", "places"):
            del refused[key]
        failed = {**WHOLE, "failed": ["edges_test"], "roots": 3}
        table = engines_tables.served_table({"engines": [refused, failed]})
        self.assertIn("| refused: quickjs.c has inline caches | - | - | - | - | - | - | - |", table)
        self.assertIn("43 passed, 1 failed: `edges_test`", table)
        self.assertIn("| 99.900 % | 2 | line and column |", table)


if __name__ == "__main__":
    unittest.main()
