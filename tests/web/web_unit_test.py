#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Logic and store of the web page, by Vitest: web/src/**/*.test.ts. The conformance cases of the front end are there by number."""
import unittest

import page_project


class Units(unittest.TestCase):
    def test_all_pass(self):
        page_project.need_packages()
        self.assertIn("passed", page_project.run(self, "vitest", "run", "--reporter=basic"))


if __name__ == "__main__":
    unittest.main()
