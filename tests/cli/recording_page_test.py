#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The page about a recording: one screen, each place once, names that keep what they are called by."""
import json
import re
import subprocess
import unittest

import workspace

RECORDINGS = sorted(path.stem for path in workspace.DATA_UBIREC.glob("*.ubirec"))


class Page(unittest.TestCase):
    def setUp(self):
        self.place = workspace.Workspace()

    def report(self, name, *options, columns=100, height=""):
        done = self.place.run("sh", "-c", f"COLUMNS={columns} LINES={height} ubiheap report {' '.join(options)} {name}.ubirec")
        self.assertEqual((done.returncode, done.stderr), (0, b""), name)
        return done.stdout.decode().splitlines()

    @staticmethod
    def places(lines):
        """Rows of the first table."""
        head = next((i for i, line in enumerate(lines) if "Place, and who called it" in line), len(lines))
        table = lines[head + 1:lines.index("", head)] if head < len(lines) else []
        return sum(re.match(r" *(-|[~\d][\d.,]* \w+|[\d,]+) ", line) is not None and "more place" not in line for line in table)

    def test_an_overview_fits_on_a_screen(self):
        for name in RECORDINGS:
            for columns in (100, 120, 200):
                lines = self.report(name, columns=columns)
                self.assertLessEqual(len(lines), 40 if self.places(lines) < 8 else 42, f"{name}, {columns} columns")
                widest = max(map(len, lines))
                self.assertLessEqual(widest, columns, f"{name}: {max(lines, key=len)}")

    def test_pages_of_recordings_are_as_narrow_as_the_terminal(self):
        for name in RECORDINGS:
            for command, end in (("allocations", "\n\n"), ("timeline", "\nNext")):
                done = self.place.ubiheap(command, f"{name}.ubirec", env={"COLUMNS": "40"})
                for line in done.stdout.decode().partition(end)[0].splitlines():
                    self.assertLessEqual(len(line), 40, f"{command} {name}: {line}")

    def test_a_taller_screen_shows_more_and_a_short_one_eight_places(self):
        table = self.report("stripped", "--by", "total", "--limit", "100")
        in_all = sum("%" in line for line in table[table.index(next(line for line in table if "Share" in line)):])
        for height, expected in (("24", 8), ("", 8), ("70", in_all)):
            lines = self.report("stripped", height=height)
            self.assertEqual(self.places(lines), expected, height)
            self.assertEqual(any("--format tsv" in line for line in lines), height == "70")
        self.assertGreater(in_all, 8)

    def test_a_place_stands_once(self):
        table = "\n".join(self.report("server")).split("Place, and who called it")[1].split("Notes")[0]
        for place in ("session.cc:17", "table.cc:204", "cache.cc:33"):
            self.assertEqual(table.count(place), 1, place)

    def test_the_table_is_sorted_by_what_matters(self):
        def first_column(name):
            return next(line for line in self.report(name) if "Share" in line).split("Share")[0].strip()
        self.assertEqual(first_column("server"), "Not freed")
        self.assertEqual(first_column("few"), "Peak")  # nothing is left

    def test_numbers_of_a_row_are_those_of_the_table_for_programs(self):
        sites = json.loads("\n".join(self.report("server", "--json")))["sites"]
        grow = next(site for site in sites if site["stack"][0]["function"] == "grow_table(Table&)")
        row = next(line for line in self.report("server") if line.endswith("grow_table(Table&)")).split()
        self.assertEqual(row[:2] + row[3:8],
                         ["512", "KiB", "768", "KiB", "960", "KiB", "4"])
        self.assertEqual([grow[m]["bytes"] / 1024 for m in ("leaked", "peak", "total")] + [grow["total"]["count"]],
                         [512, 768, 960, 4])

    def test_findings_come_first_and_say_who(self):
        for name, kinds in (("server", ["leaked", "peak", "temporary", "mappings"]), ("growing", ["leaked", "growth"]),
                            ("idle", [])):
            findings = json.loads("\n".join(self.report(name, "--json")))["findings"]
            self.assertEqual([finding["kind"] for finding in findings], kinds, name)
        page = " ".join(" ".join(self.report("server")).split())
        self.assertIn("none of whose 200 allocations was freed", page)
        self.assertLess(page.index("Findings"), page.index("Place, and who called it"))
        growth = next(f["text"] for f in json.loads("\n".join(self.report("growing", "--json")))["findings"] if f["kind"] == "growth")
        self.assertRegex(growth, r"became more all the time, from .* KiB at .* to .* KiB at 3\.\d+ s")

    def test_names_of_templates_keep_the_function(self):
        for columns in (80, 100, 200):
            page = "\n".join(self.report("growing", columns=columns))
            self.assertIn("::insert<", page, columns)
            self.assertNotIn("basic_string", page, columns)
            self.assertNotIn("_Function_handler", page, columns)  # the library's, between the callers
            self.assertIn("← serve(int) server.cc:61", page, columns)
        self.assertIn("void shop::Cache<std::string, shop::Entry<unsigned long>>::insert<shop::Item>(",
                      "\n".join(self.report("growing", columns=200)))

    def test_limits_of_a_sampled_recording_are_never_lost(self):
        overview = "\n".join(self.report("sampled"))
        self.assertRegex(overview, r"Not freed +34\.8–51\.9 MiB in about")
        self.assertRegex(overview, r"19\.2–35\.0 MiB +62\.1% +~")
        detail = "\n".join(self.report("sampled", "--detail"))
        self.assertRegex(detail, r"19\.2–35\.0 MiB +62\.1% +\d\S*–\S+ MiB +\d\S*–\S+ MiB ")


if __name__ == "__main__":
    unittest.main()
