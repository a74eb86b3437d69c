#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The sources of the web page: types, rules of layers and hooks, and formatting."""
import unittest

import page_project


class Sources(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        page_project.need_packages()

    def test_types_are_right(self):
        page_project.run(self, "tsc", "--noEmit")

    def test_no_layer_imports_what_is_above_it(self):
        page_project.run(self, "eslint", "--max-warnings", "0", ".")

    def test_they_are_formatted(self):
        page_project.run(self, "prettier", "--check", "--log-level", "warn", ".")

    def test_every_source_names_its_licence(self):
        for path in (page_project.WEB / "src").rglob("*.*"):
            if path.suffix in (".ts", ".tsx", ".css"):
                self.assertIn("SPDX-License-Identifier: MIT", path.read_text(encoding="utf-8").split("\n", 1)[0], path)


if __name__ == "__main__":
    unittest.main()
