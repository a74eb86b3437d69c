#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What tracking of allocations costs: the workloads of quickjs_workloads.h on the engine as it is and with the tools.

    quickjs_tracking.py BUILD_DIR [--turns N] [--no-instructions] [--raw FILE] [WORKLOAD...]
    quickjs_tracking.py BUILD_DIR --compile SCRIPT...     what it costs to record where objects are made

Modes: off (the hooks are compiled in, nobody observes), an observer that tracks with probability 0, 0.05, 1 and logs, and
the memory profiler with its default period, of objects alone and of all of the engine's memory.

Instructions are counted by valgrind's cachegrind: two sizes per workload, so that start and end of the program cancel out.
Times are processor times of N turns (default 5) in which the programs alternate; of each the least counts. With --raw, a
line of JSON for each count and each turn is added to FILE, for bench/report.py. Lines name the engine of the build: one FILE may
have several.
"""
import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys

PLAIN = "plain"  # the engine as it is
MODES = ["off", "0", "0.05", "1", "objects", "profiled"]
# Of a workload's own size: enough turns for the least common thing that it does, and soon done.
SMALL, LARGE = 0.035, 0.07


def described_workloads(build):
    """name -> (size, what it does)"""
    text = subprocess.run([f"{build}/bench/quickjs_tracking_bench", "--list"], check=True, capture_output=True, text=True)
    return {name: (int(size), what) for name, size, what in (line.split("\t") for line in text.stdout.splitlines())}


def engine(build):
    """The engine that a build folder is made with, in its own words."""
    cache = (pathlib.Path(build) / "CMakeCache.txt").read_text()
    folder = pathlib.Path(re.search(r"^UBI_QUICKJS_CHOSEN:\w+=(.+)$", cache, re.MULTILINE).group(1))
    if (folder / "VERSION").exists():
        return (folder / "VERSION").read_text().split()[0]
    numbers = re.findall(r"#define QJS_VERSION_(?:MAJOR|MINOR|PATCH)\s+(\d+)", (folder / "quickjs.h").read_text())
    return "ng " + ".".join(numbers)


def workloads(build):
    return {name: size for name, (size, _) in described_workloads(build).items()}


def command(build, name, mode):
    if mode == PLAIN:
        return [f"{build}/bench/plain_quickjs_bench", name]
    return [f"{build}/bench/quickjs_tracking_bench", name, mode]


# ---- instructions ---------------------------------------------------------------------------------------------------

def count(arguments):
    """Instructions of a run."""
    run = subprocess.run(
        ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null", *arguments],
        capture_output=True, text=True
    )
    if run.returncode != 0:
        sys.exit(f"bench: {' '.join(arguments)}: {run.stderr[-500:]}")
    return int(re.search(r"I +refs: +([\d,]+)", run.stderr).group(1).replace(",", ""))


def sizes(name, size, parts):
    """fib grows by itself."""
    return (size - 12, size - 8) if name == "calls" else [max(1, int(size * part)) for part in parts]


def instructions(build, name, size, mode, parts=(SMALL, LARGE)):
    small, large = sizes(name, size, parts)
    return count([*command(build, name, mode), str(large)]) - count([*command(build, name, mode), str(small)])


def ratios_to_plain(of_mode):
    return {mode: value / of_mode[PLAIN] for mode, value in of_mode.items() if mode != PLAIN}


def instruction_ratios(build, name, size, modes=tuple(MODES), parts=(SMALL, LARGE)):
    return ratios_to_plain({mode: instructions(build, name, size, mode, parts) for mode in (PLAIN, *modes)})


# ---- times ----------------------------------------------------------------------------------------------------------

def cpu_ns(build, name, mode):
    return int(subprocess.run(command(build, name, mode), check=True, capture_output=True, text=True).stdout)


def turns_of(build, name, n_turns):
    """(mode, processor time) of each run, in their order."""
    return [(mode, cpu_ns(build, name, mode)) for _ in range(n_turns) for mode in (PLAIN, *MODES)]


def least_of(turns):
    return {mode: min(ns for m, ns in turns if m == mode) for mode, _ in turns}


# ---- compiling ------------------------------------------------------------------------------------------------------

def compiled(build, program, script):
    """(bytes of bytecode, of places, of all that a compiled script takes, instructions to compile it)"""
    words = [f"{build}/bench/{program}", "compile", script]
    sizes_of = subprocess.run([*words, "1"], check=True, capture_output=True, text=True).stdout.split()
    return (*map(int, sizes_of), count([*words, "2"]) - count([*words, "1"]))


def compare_compiled(build, scripts):
    print(f"QuickJS {engine(build)}, without and with the tools")
    for script in scripts:
        plain, tools = (compiled(build, program, script) for program in ("plain_quickjs_bench", "quickjs_tracking_bench"))
        cells = (f"{what} {a:,} {b:,} ({100 * (b / a - 1):+.2f} %)"
                 for what, a, b in zip(("bytecode", "places", "all bytes", "instructions"), plain, tools))
        print(f"  {pathlib.Path(script).name}: {'; '.join(cells)}", flush=True)


# ---- the program ----------------------------------------------------------------------------------------------------

class Report:
    """Rows for people, and raw lines."""

    def __init__(self, raw, engine_name):
        self.raw = open(raw, "a", encoding="utf-8") if raw else None
        self.engine = engine_name

    def add(self, **row):
        if self.raw:
            self.raw.write(json.dumps(dict(row, engine=self.engine), separators=(",", ":")) + "\n")
            self.raw.flush()

    def head(self, title):
        print(f"{title}, the unmodified QuickJS {self.engine} = 1")
        print(f"  {'workload':<12}" + "".join(f"{'p = ' + m if m[0].isdigit() else m:>10}" for m in MODES))

    @staticmethod
    def line(name, ratios):
        print(f"  {name:<12}" + "".join(f"{ratios[m]:10.3f}" for m in MODES), flush=True)


def count_instructions(report, build, known, names):
    report.head("instructions")
    for name in names:
        size, what = known[name]
        counts = {mode: instructions(build, name, size, mode) for mode in (PLAIN, *MODES)}
        for mode, n in counts.items():
            report.add(file=name, row="instructions", threads=1, mode=mode, what=what, instructions=n)
        report.line(name, ratios_to_plain(counts))


def take_times(report, build, known, names, n_turns):
    report.head("processor time")
    for name in names:
        turns = turns_of(build, name, n_turns)
        for mode, ns in turns:
            report.add(file=name, row="time", threads=1, mode=mode, what=known[name][1], cpuNs=ns)
        report.line(name, ratios_to_plain(least_of(turns)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--turns", type=int, default=5, metavar="N", help="turns per measurement of time; 0: none")
    parser.add_argument("--no-instructions", action="store_true")
    parser.add_argument("--raw", metavar="FILE")
    parser.add_argument("--compile", nargs="+", metavar="SCRIPT")
    parser.add_argument("workload", nargs="*")
    options = parser.parse_intermixed_args()
    if options.compile:
        compare_compiled(options.build, options.compile)
        return
    known = described_workloads(options.build)
    names = options.workload or list(known)
    report = Report(options.raw, engine(options.build))
    if not options.no_instructions and shutil.which("valgrind"):
        count_instructions(report, options.build, known, names)
    elif not options.no_instructions:
        print("bench: valgrind is not installed: instructions are not counted", file=sys.stderr)
    if options.turns:
        take_times(report, options.build, known, names, options.turns)


if __name__ == "__main__":
    main()
