#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What sampling at the default period of 512 KiB costs whole programs: instructions, counted by valgrind, and memory.

    native_sampling.py BUILD_DIR [--turns N] [--raw FILE] [--data DIR] [PROGRAM...]

Instructions are those of the program, from its first to its last, on a part of the work of bench/native.py: alone and under
`ubiheap record`. Without valgrind they are left out. Memory is the peak of the program's resident memory on all of that work,
of N turns each, as it stood some 2 ms before the program's end. One JSON object per run goes to FILE, for bench/report.py.
"""
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

import native

MODES = ("alone", "sampled")
LOOK_SECONDS = 0.002
PROGRAMS = ("sqlite3", "python3", "cc1plus", "perl")


def small_workloads(build, data):
    """As native.workloads(), but a minute's work for valgrind, and none of storms, which are no whole programs."""
    known = {name: of for name, of in native.workloads(build, data).items() if name in PROGRAMS}
    if "sqlite3" in known:
        what, command, environment = known["sqlite3"]
        tables = data / "tables-small.sql"
        tables.write_text((native.BENCH / "native/tables.sql").read_text().replace("400000", "40000"))
        known["sqlite3"] = what, [*command[:3], str(tables), ".quit"], environment
    if "cc1plus" in known:
        what, command, environment = known["cc1plus"]
        known["cc1plus"] = what, [*command, "-fsyntax-only"], environment
    for name, turns in (("python3", "40"), ("perl", "8")):
        if name in known:
            what, command, environment = known[name]
            known[name] = what, [*command[:-1], turns], environment
    return known


def recorded(build, output, command):
    return [f"{build}/bin/ubiheap", "record", "--no-symbols", "--output", str(output), "--follow-children", "--", *command]


def allocations(build, data, output):
    """In all recordings of a run, which go away."""
    total = 0
    for path in data.glob(output.name + "*"):
        about = subprocess.run([f"{build}/bin/ubiheap", "info", "--json", str(path)], check=True, capture_output=True)
        total += json.loads(about.stdout)["allocationCount"]
        path.unlink()
    return total


# ---- instructions --------------------------------------------------------------------------------------------------

def count_instructions(build, data, mode, command, environment):
    output = data / "native-counted.ubirec"
    command = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null", *command]
    if mode == "sampled":
        command = recorded(build, output, command)
    ran = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                         env={**os.environ, **environment}, check=True)
    if mode == "sampled" and allocations(build, data, output) == 0:
        sys.exit(f"bench: nothing was recorded of `{' '.join(command)}`")
    return int(re.search(r"I +refs: +([\d,]+)", ran.stderr)[1].replace(",", ""))


# ---- memory --------------------------------------------------------------------------------------------------------

def child_of(pid):
    """The first child of a process; None: it has none (any more)."""
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return None
    return int(children[0]) if children else None


def peak_now(pid):
    """The most resident memory so far, in bytes; 0: the process is over, or is not yet the program."""
    try:
        found = re.search(r"^VmHWM:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text(), re.MULTILINE)
    except OSError:
        return 0
    return int(found[1]) * 1024 if found else 0


def peak_of_program(build, data, mode, command, environment):
    output = data / "native-weighed.ubirec"
    if mode == "sampled":
        command = recorded(build, output, command)
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                               env={**os.environ, **environment})
    peak = 0
    while process.poll() is None:
        pid = process.pid if mode == "alone" else child_of(process.pid)
        peak = max(peak, peak_now(pid)) if pid else peak
        time.sleep(LOOK_SECONDS)
    if process.returncode != 0:
        sys.exit(f"bench: `{' '.join(command)}` ended with status {process.returncode}")
    for path in data.glob(output.name + "*"):
        path.unlink()
    return peak


# ---- the program ---------------------------------------------------------------------------------------------------

class Report:
    """Raw lines, and the middle of each row for people."""

    def __init__(self, raw):
        self.raw = open(raw, "a", encoding="utf-8") if raw else None

    def add(self, **row):
        if self.raw:
            self.raw.write(json.dumps({"threads": 1, **row}, separators=(",", ":")) + "\n")
            self.raw.flush()


def measure_instructions(report, build, data, name, of):
    what, command, environment = of
    counts = {}
    for mode in MODES:
        counts[mode] = count_instructions(build, data, mode, command, environment)
        report.add(file=name, row="instructions", mode=mode, what=what, instructions=counts[mode])
    print(f"{name:<9} instructions x {counts['sampled'] / counts['alone']:.4f}", flush=True)


def measure_memory(report, build, data, name, of, n_turns):
    what, command, environment = of
    peaks = {mode: [] for mode in MODES}
    for _ in range(n_turns):
        for mode in MODES:
            peaks[mode].append(peak_of_program(build, data, mode, command, environment))
            report.add(file=name, row="memory", mode=mode, what=what, peakRssBytes=peaks[mode][-1])
    added = statistics.median(peaks["sampled"]) - statistics.median(peaks["alone"])
    print(f"{name:<9} memory + {added / 2**20:.2f} MiB", flush=True)


def main():
    options, data = native.arguments(__doc__, "program")
    whole, small = native.workloads(options.build, data), small_workloads(options.build, data)
    report = Report(options.raw)
    if not shutil.which("valgrind"):
        print("bench: valgrind is not installed: instructions are not counted", file=sys.stderr)
    for name in options.program or small:
        if shutil.which("valgrind"):
            measure_instructions(report, options.build, data, name, small[name])
        measure_memory(report, options.build, data, name, whole[name], options.turns)


if __name__ == "__main__":
    main()
