#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Journeys of a real Chromium through the web page: web/tests/*.journey.ts. What is on the page is compared with Firefox's answers."""
import shutil
import unittest

import page_project


class Journeys(unittest.TestCase):
    def test_all_arrive(self):
        if not shutil.which("chromium"):
            self.skipTest("chromium is missing (Debian package chromium; `make deps` installs it)")
        page_project.need_packages()
        page_project.need_page()
        self.assertIn("passed", page_project.run(self, "vitest", "run", "--reporter=basic", "--config", "vitest.journeys.config.ts"))


if __name__ == "__main__":
    unittest.main()
