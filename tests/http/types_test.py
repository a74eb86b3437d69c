#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The types of documents for TypeScript are those of the schemas, and real answers of every question fit them.

The compiler is installed in the build directory, in the version of types/package-lock.json; where npm cannot fetch it, that test is
skipped.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from serving import AFTER, BEFORE, ROOT, V8, drive

sys.path.insert(0, str(ROOT / "tools"))
import schema_types  # noqa: E402

TYPES = ROOT / "packaging" / "npm" / "documents.d.ts"
SOURCE = ROOT / "tests" / "http" / "types"
INSTALLED = ROOT / "build" / "typescript"  # one for all presets


def compiler():
    """None: it cannot be fetched."""
    program = INSTALLED / "node_modules" / ".bin" / "tsc"
    lock = INSTALLED / "package-lock.json"
    if program.exists() and lock.read_bytes() == (SOURCE / "package-lock.json").read_bytes():
        return program
    place = INSTALLED.with_name(f"typescript.{os.getpid()}")
    place.mkdir(parents=True)
    for name in ("package.json", "package-lock.json", ".npmrc"):
        shutil.copy(SOURCE / name, place)
    if subprocess.run(["npm", "ci", "--silent"], cwd=place, capture_output=True, check=False).returncode != 0:
        shutil.rmtree(place)
        return None
    shutil.rmtree(INSTALLED, ignore_errors=True)
    place.rename(INSTALLED)
    return program


def answers(server):
    """A document of every question, and of every route that has one."""
    root = server.get("/api/1/heaps/h1/nodes?limit=1")["rows"][0][0]
    needed = {"node": root, "nodes": root}
    for path in ("/api/1", "/api/1/heaps", "/api/1/heaps/h1", "/api/1/files", "/api/1/questions", "/api/1/jobs", "/api/1/targets"):
        yield server.get(path)
    yield server.get("/api/1/heaps/h1/summary?async")
    yield server.ask("/nothing").document
    for question in server.get("/api/1/questions")["questions"]:
        for heap, kind in (("h1", "heap"), ("h3", "heap"), ("h4", "recording"), ("h5", "timeline")):
            if kind not in [row["kind"] for row in question["kinds"]]:
                continue
            values = [f"{p['name']}={needed[p['name']]}" for p in question["parameters"] if p["required"]]
            values += ["text=Map"] if question["name"] == "search" else []
            values += ["with=h4" if kind == "recording" else "with=h2"] if question["leastHeaps"] > 1 else []
            if heap == "h3" and (question["leastHeaps"] > 1 or any(p["required"] for p in question["parameters"])):
                continue
            yield server.get(f"/api/1/heaps/{heap}/{question['name']}?{'&'.join(values)}")


class Types(unittest.TestCase):
    def test_they_are_those_of_the_schemas(self):
        self.assertEqual(TYPES.read_text(encoding="utf-8"), schema_types.types(), "python3 tools/schema_types.py > packaging/npm/documents.d.ts")

    def test_real_answers_of_every_question_fit_them(self):
        tsc = compiler()
        if not tsc:
            self.skipTest("npm cannot fetch TypeScript")
        server = drive(self, BEFORE, AFTER, V8, "tests/data/ubirec/crashed.ubirec", "tests/data/timeline/small.timeline")
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(TYPES, folder)
            lines = ['import type { Documents } from "./documents.d.ts";']
            schemas = set()
            for i, document in enumerate(answers(server)):
                schemas.add(document["schema"])
                lines.append(f"export const d{i}: Documents[{json.dumps(document['schema'])}] = {json.dumps(document)};")
            self.assertGreater(len(schemas), 24)
            program = Path(folder) / "answers.ts"
            program.write_text("\n".join(lines), encoding="utf-8")
            command = [tsc, "--noEmit", "--strict", "--allowImportingTsExtensions", "--module", "esnext", "--moduleResolution", "bundler", program]
            checked = subprocess.run(command, capture_output=True, text=True, check=False)
            self.assertEqual((checked.returncode, checked.stdout[:2000]), (0, ""))
            wrong = Path(folder) / "wrong.ts"
            wrong.write_text(lines[0] + '\nexport const d: Documents["ubiheap.serve/1"] = { schema: "ubiheap.serve/1", url: 1, port: 2 };\n', encoding="utf-8")
            command[-1] = wrong
            self.assertNotEqual(subprocess.run(command, capture_output=True, check=False).returncode, 0)


if __name__ == "__main__":
    unittest.main()
