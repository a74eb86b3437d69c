#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What tracking of allocations costs: the workloads of quickjs_workloads.h on the engine as it is and with the tools.

    quickjs_tracking.py BUILD_DIR [--times N] [--json FILE] [WORKLOAD...]

Instructions are counted by valgrind's callgrind: two sizes per workload, so that start and end of the program cancel out.
Times are processor times, the least of N turns (default 5) in which the two programs alternate.
"""
import argparse
import json
import os
import re
import subprocess
import sys

MODES = ["off", "0", "0.05", "1"]
# Of a workload's own size: enough turns for the least common thing that it does, and soon done.
SMALL, LARGE = 0.035, 0.07


def workloads(build):
    text = subprocess.run([f"{build}/bench/quickjs_tracking_bench", "--list"], check=True, capture_output=True, text=True)
    return {name: int(size) for name, size, _ in (line.split("\t") for line in text.stdout.splitlines())}


def command(build, name, mode):
    if mode is None:
        return [f"{build}/bench/plain_quickjs_bench", name]
    return [f"{build}/bench/quickjs_tracking_bench", name, mode]


def count(arguments):
    """Instructions of a run."""
    run = subprocess.run(
        ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *arguments], capture_output=True, text=True
    )
    if run.returncode != 0:
        sys.exit(f"bench: {' '.join(arguments)}: {run.stderr[-500:]}")
    return int(re.search(r"Collected : (\d+)", run.stderr).group(1))


def sizes(name, size):
    """fib grows by itself."""
    return (size - 12, size - 8) if name == "calls" else (max(1, int(size * SMALL)), max(2, int(size * LARGE)))


def instructions(build, name, size, mode):
    small, large = sizes(name, size)
    return count([*command(build, name, mode), str(large)]) - count([*command(build, name, mode), str(small)])


def instruction_ratios(build, name, size, modes=MODES):
    plain = instructions(build, name, size, None)
    return {mode: instructions(build, name, size, mode) / plain for mode in modes}


def time_ratios(build, name, turns, modes=MODES):
    least = {}
    for _ in range(turns):
        for mode in [None, *modes]:
            run = subprocess.run(command(build, name, mode), check=True, capture_output=True, text=True)
            least[mode] = min(int(run.stdout), least.get(mode, 1 << 62))
    return {mode: least[mode] / least[None] for mode in modes}


def table(title, rows):
    print(title)
    print(f"  {'workload':<12}" + "".join(f"{'off' if m == 'off' else 'p = ' + m:>10}" for m in MODES))
    for name, ratios in rows.items():
        print(f"  {name:<12}" + "".join(f"{ratios[m]:10.3f}" for m in MODES))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--times", type=int, default=5, metavar="N", help="turns per measurement of time; 0: none")
    parser.add_argument("--no-instructions", action="store_true")
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("workload", nargs="*")
    options = parser.parse_intermixed_args()
    known = workloads(options.build)
    names = options.workload or list(known)
    result = {"schema": "ubiheap.bench-quickjs-tracking/1"}
    if not options.no_instructions:
        result["instructions"] = {n: instruction_ratios(options.build, n, known[n]) for n in names}
        table("instructions, the unmodified engine = 1", result["instructions"])
    if options.times:
        result["times"] = {n: time_ratios(options.build, n, options.times) for n in names}
        table("processor time, the unmodified engine = 1", result["times"])
    if options.json:
        with open(options.json + ".part", "w", encoding="utf-8") as out:
            json.dump(result, out, indent=1)
        os.replace(options.json + ".part", options.json)


if __name__ == "__main__":
    main()
