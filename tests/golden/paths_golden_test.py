# SPDX-License-Identifier: MIT
"""Shortest paths and their de-duplicated graphs against the answers that Firefox ESR 153.7 gave for the same files.

Files and answers: tests/data/fx/README.md. Firefox's answers write a step as [predecessor, edge]; the order of targets is
that of a hash table and is not compared. Paths, their order, and nodes and edges of the graphs must be equal.
"""
import json
import os
import pathlib
import subprocess
import sys
import unittest

SOURCE_DIR = pathlib.Path(os.environ.get("UBI_SOURCE_DIR") or pathlib.Path(__file__).resolve().parents[2])
DATA = SOURCE_DIR / "tests" / "data" / "fx"
UBIHEAP = os.environ.get("UBIHEAP", "")
FILES = ("tiny-before", "tiny-after", "unreachable")
UNKNOWN = 8  # below every address
HUGE = 2**32 - 1


def golden(name):
    with open(DATA / "golden" / f"{name}.paths.json", encoding="utf-8") as file:
        return json.load(file)


def ask(name, targets, *, start=None, max_paths=None, compat=False):
    command = [UBIHEAP, "paths", "--json", *(["--compat", "firefox"] if compat else [])]
    if start is not None:
        command += ["--from", str(start)]
    if max_paths is not None:
        command += ["--max-paths", str(max_paths)]
    return subprocess.run([*command, str(DATA / f"{name}.fxsnapshot"), *map(str, targets)], capture_output=True)


def answer(*arguments, **options):
    """The target's id to what is said of it."""
    done = ask(*arguments, **options)
    if done.returncode or done.stderr:
        raise AssertionError(done.stderr)
    return {target["target"]: target for target in json.loads(done.stdout)["targets"]}


def steps(path):
    return [[step["predecessor"], step["edge"]] for step in path]


class Paths(unittest.TestCase):
    maxDiff = 2000

    def test_every_path_to_every_target_is_firefoxs(self):
        for name in FILES:
            wanted = golden(name)
            for compat in (False, True):
                found = answer(name, wanted["targets"], start=wanted["start"], max_paths=wanted["maxNumPaths"], compat=compat)
                self.assertEqual(list(found), wanted["targets"])
                for result in wanted["results"]:
                    with self.subTest(name, compat=compat, target=result["target"]):
                        ours = found[result["target"]]
                        self.assertEqual([steps(path) for path in ours["paths"]], result["paths"])
                        self.assertEqual(ours["deduplicated"], result["deduplicated"])

    def test_paths_start_at_the_root_and_are_5_by_default(self):
        for name in FILES:
            wanted = golden(name)
            self.assertEqual(wanted["maxNumPaths"], 5)
            self.assertEqual(answer(name, wanted["targets"]), answer(name, wanted["targets"], start=wanted["start"], max_paths=5))

    def test_what_firefox_refuses_is_wrong_usage(self):
        for name in FILES:
            wanted = golden(name)
            some = wanted["targets"][:1]
            asked = {
                "unknownTarget": ask(name, [*some, UNKNOWN]),
                "unknownStart": ask(name, some, start=UNKNOWN),
                "zeroPaths": ask(name, some, max_paths=0),
                "noTargets": ask(name, []),
            }
            self.assertEqual({case for case, value in wanted["edgeCases"].items() if "error" in value}, set(asked))
            for case, done in asked.items():
                with self.subTest(name, case=case):
                    self.assertEqual((done.returncode, done.stdout), (2, b""))
                    self.assertEqual(done.stderr.count(b"\n"), 1)

    def test_a_start_that_is_its_own_target(self):
        for name in FILES:
            wanted = golden(name)
            [[root, paths]] = wanted["edgeCases"]["targetIsStart"]["ok"]["$map"]
            self.assertEqual(answer(name, [root])[root]["paths"], paths)
            [[node, paths]] = wanted["edgeCases"]["targetIsStartNonRoot"]["ok"]["$map"]
            self.assertEqual(answer(name, [node], start=node, max_paths=max(1, len(paths)))[node]["paths"], paths)
            self.assertEqual(answer(name, [node], start=node)[node]["deduplicated"], {"nodes": [node], "edges": []})

    def test_targets_that_the_start_does_not_lead_to_have_no_path(self):
        for name in FILES:
            wanted = golden(name)
            [[root, paths]] = wanted["edgeCases"]["unreachable"]["ok"]["$map"]
            [[node, _]] = wanted["edgeCases"]["targetIsStartNonRoot"]["ok"]["$map"]
            self.assertEqual(answer(name, [root], start=node)[root]["paths"], paths)

    def test_targets_given_twice_count_once_and_any_number_of_paths_may_be_asked_for(self):
        for name in FILES:
            wanted = golden(name)
            [[node, paths]] = wanted["edgeCases"]["duplicateTargets"]["ok"]["$map"]
            found = answer(name, [node, node, node], max_paths=len(paths))
            self.assertEqual(list(found), [node])
            self.assertEqual(found[node]["paths"], paths)
            [[same_node, count]] = wanted["edgeCases"]["hugeMax"]["ok"]
            for huge in (HUGE, 2**63):
                self.assertEqual(len(answer(name, [same_node], max_paths=huge)[same_node]["paths"]), count)

    def test_children_of_the_root_in_the_dominator_tree_have_paths_that_begin_at_the_root(self):
        for name in FILES:
            with open(DATA / "golden" / f"{name}.dominators.json", encoding="utf-8") as file:
                dominators = json.load(file)
            top = next(node for node in dominators["top"] if node["id"] == dominators["root"])
            found = answer(name, top["children"][:10], max_paths=2)
            self.assertEqual(len(found), 10)
            for target in found.values():
                self.assertIn(len(target["paths"]), (1, 2))
                for path in target["paths"]:
                    self.assertEqual(path[0]["predecessor"], dominators["root"])
                    self.assertTrue(all("edge" in step for step in path))


if __name__ == "__main__":
    if not UBIHEAP or not os.access(UBIHEAP, os.X_OK):
        print(f"skipped: no {UBIHEAP or 'ubiheap'}")
        sys.exit(77)
    unittest.main(verbosity=1)
