#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Programs of Debian do under exact recording what they do without: output, exit code; and nothing is lost."""
import os
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from interpose_harness import SOURCE, InterposeTest  # noqa: E402

# (name, command); {folder} is a folder of their own, {source} a folder with files to work on.
PROGRAMS = [
    ("bash", ["bash", "-c", "for i in {{1..300}}; do a[$i]=$((i*i)); s+=${{a[$i]}}; done; echo ${{#s}}; exit 3"]),
    ("cc1", ["gcc", "-O2", "-S", "-o", "-", "{source}/live_table.c", "-I{source}/..", "-I{source}/../../include"]),
    ("cc1plus", ["g++", "-O1", "-S", "-o", "-", "{source}/../../tests/interpose/programs/every_operator.cpp"]),
    ("find", ["find", "{source}", "-name", "*.c", "-size", "+1k"]),
    ("grep", ["grep", "-rhoE", "[a-z_]+\\(", "{source}"]),
    ("gzip", ["sh", "-c", "cat {source}/*.c | gzip -9n | gzip -dc | cksum"]),
    ("perl", ["perl", "-e", "my %h; $h{{$_ % 997}} .= $_ for 1..40000; "
              "print join(',', map {{ length $h{{$_}} }} sort keys %h)"]),
    ("python3", ["/usr/bin/python3", "-c",
                 "import json; print(len(json.dumps([{{str(i): [i]}} for i in range(30000)])))"]),
    ("sed", ["sed", "-n", "s/ubi__\\([a-z]*\\)/\\1/gp", "{source}/preload_collector.c"]),
    ("sort", ["sort", "-S", "1M", "-k2", "{source}/preload_collector.c", "{source}/preload_stream.c"]),
    ("tar", ["sh", "-c", "tar -C {source} -cf - . | tar -tf - | sort"]),
    ("ls, which fails", ["ls", "/nonexistent"]),
]


class RealPrograms(InterposeTest):
    def run_both(self, command, flags, name):
        environment = {"PYTHONMALLOC": "malloc", "LC_ALL": "C"}
        before = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False,
                                env={**os.environ, **environment})
        after = self.record(command, [f"flags={flags}", "quiet=1"], environment=environment, check=None, name=name)
        self.assertEqual((after.returncode, after.stdout, after.stderr),
                         (before.returncode, before.stdout, before.stderr))

    def test_same_output_and_exit_code(self):
        source = SOURCE / "src" / "recording"
        for i, (name, command) in enumerate(PROGRAMS):
            for flags in (0, 1):
                with self.subTest(name, flags=flags):
                    out = f"out{i}-{flags}"
                    self.run_both([c.format(folder=self.folder, source=source) for c in command], flags, out)
                    outputs = [self.output] + sorted(self.folder.glob(f"{out}.[0-9]*"))
                    recordings = [self.read_counters(p) for p in outputs]
                    for counters in recordings:
                        for lost in ("lost_events", "lost_bytes", "dropped", "dropped_reentrant"):
                            self.assertEqual(counters[lost], 0, (name, lost))
                        if not counters["is_forked"]:  # such children free what their parents allocated
                            self.assertEqual(counters["unknown_frees"], 0, name)
                    self.assertGreater(sum(c["allocations"] for c in recordings), 5)

    def read_counters(self, path):
        lines = [line.split() for line in path.read_text().splitlines()]
        return {"is_forked": lines[0] == ["P", "1"], **{f[1]: int(f[2]) for f in lines if f[0] == "C"}}


if __name__ == "__main__":
    unittest.main()
