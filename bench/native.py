#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What recording a program's allocations costs: ubiheap and heaptrack (recording only) on the same programs, in turns.

    native.py BUILD_DIR [--turns N] [--raw FILE] [--data DIR] [WORKLOAD...]

A turn runs every workload alone, under heaptrack's library with raw output, and under `ubiheap record`, exact and sampling,
without symbols. Of each: user time of the program, of the recording process (ubiheap has one), peak memory of the larger process,
size of what was written. One JSON object per run goes to FILE, for bench/report.py; a table is printed.
"""
import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
from pathlib import Path

import processes

BENCH = Path(__file__).resolve().parent
HEAPTRACK = Path("/usr/lib/heaptrack/libheaptrack_preload.so")
TICKS = os.sysconf("SC_CLK_TCK")
MODES = ["alone", "heaptrack", "exact", "sampled"]


def compiler_input(data):
    """(cc1plus, preprocessed source), or None."""
    if not shutil.which("g++"):
        return None
    source = data / "templates.ii"
    subprocess.run(["g++", "-std=c++17", "-E", "-DCOUNT=6", str(BENCH / "native/templates.cpp"), "-o", str(source)],
                   check=True)
    found = subprocess.run(["g++", "-print-prog-name=cc1plus"], check=True, capture_output=True, text=True).stdout.strip()
    return found, str(source)


def workloads(build, data):
    """name -> (what it is, command, environment)"""
    storm = f"{build}/bench/malloc_storm"
    known = {
        "storm1": ("malloc and free, 1 thread", [storm, "5000000"], {}),
        "storm2": ("malloc and free, 2 threads", [storm, "3000000", "2"], {}),
    }
    if shutil.which("sqlite3"):
        known["sqlite3"] = ("a database in memory",
                            [shutil.which("sqlite3"), ":memory:", "-init", str(BENCH / "native/tables.sql"), ".quit"], {})
    if os.path.exists("/usr/bin/python3"):
        known["python3"] = ("Python objects, PYTHONMALLOC=malloc",
                            ["/usr/bin/python3", "-S", str(BENCH / "native/churn.py"), "400"],
                            {"PYTHONMALLOC": "malloc"})
    compiler = compiler_input(data)
    if compiler:
        known["cc1plus"] = ("compiling C++ templates",
                            [compiler[0], "-quiet", "-std=c++17", "-O2", "-fpreprocessed", compiler[1], "-o", "/dev/null"],
                            {})
    if shutil.which("perl"):
        known["perl"] = ("Perl hashes", [shutil.which("perl"), str(BENCH / "native/churn.pl"), "40"], {})
    return known


def run(command, environment, has_child):
    """User seconds of the program and of what records it, and the greatest peak of a process."""
    process, reading = processes.start(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                       env={**os.environ, **environment})
    said = process.stderr.read()
    process.stderr.close()
    status, usage, (own, children) = processes.needed(process, reading)
    if status != 0:
        sys.exit(f"bench: `{' '.join(command)}` ended with status {status}: {said[-500:].decode(errors='replace')}")
    if has_child:
        return {"userNs": round(children / TICKS * 1e9), "recorderUserNs": round(own / TICKS * 1e9),
                "peakRssBytes": usage["peakRssBytes"]}
    return {"userNs": usage["userNs"], "recorderUserNs": 0, "peakRssBytes": usage["peakRssBytes"]}


def measure(build, data, mode, command, environment):
    output = data / f"native-{mode}.out"
    output.unlink(missing_ok=True)
    if mode == "alone":
        return {**run(command, environment, False), "outputBytes": 0}
    if mode == "heaptrack":
        # heaptrack takes itself out of the environment: set earlier, it would record what starts the program, and not that.
        preload = ["env", f"LD_PRELOAD={HEAPTRACK}", f"DUMP_HEAPTRACK_OUTPUT={output}"]
        result = run([*preload, *command], environment, False)
    else:
        how = ["--exact"] if mode == "exact" else []
        result = run([f"{build}/bin/ubiheap", "record", *how, "--no-symbols", "--output", str(output), "--", *command],
                     environment, True)
    result["outputBytes"] = output.stat().st_size
    if result["outputBytes"] == 0:
        sys.exit(f"bench: {mode} has recorded nothing of `{' '.join(command)}`")
    output.unlink()
    return result


def middle(rows, key):
    return statistics.median(r[key] for r in rows)


def print_table(name, rows):
    alone = middle(rows["alone"], "userNs")
    added = {mode: middle(of, "userNs") + middle(of, "recorderUserNs") - alone for mode, of in rows.items()}
    line = [f"{name:<9}", f"{alone / 1e9:7.2f} s"]
    for mode, of in rows.items():
        if mode == "alone":
            continue
        ratio = f"{added[mode] / added['heaptrack']:5.2f}" if "heaptrack" in added and added["heaptrack"] > 0 else "    -"
        line.append(f"{mode} {1 + (middle(of, 'userNs') - alone) / alone:5.2f}x +{middle(of, 'recorderUserNs') / 1e9:.2f} s"
                    f" ({ratio} of heaptrack's) {middle(of, 'peakRssBytes') / 2**20:6.0f} MiB"
                    f" {middle(of, 'outputBytes') / 1e6:7.1f} MB")
    print(" | ".join(line), flush=True)


def arguments(description, programs):
    """Options of a bench of programs, and where its data lie."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--turns", type=int, default=3, metavar="N")
    parser.add_argument("--raw", metavar="FILE")
    parser.add_argument("--data", metavar="DIR", default="build/bench-data")
    parser.add_argument(programs, nargs="*")
    options = parser.parse_intermixed_args()
    data = Path(options.data)
    data.mkdir(parents=True, exist_ok=True)
    return options, data


def main():
    options, data = arguments(__doc__, "workload")
    known = workloads(options.build, data)
    modes = [mode for mode in MODES if mode != "heaptrack" or HEAPTRACK.exists()]
    raw = open(options.raw, "a", encoding="utf-8") if options.raw else None
    for name in options.workload or known:
        what, command, environment = known[name]
        rows = {mode: [] for mode in modes}
        for _ in range(options.turns):
            for mode in modes:
                result = measure(options.build, data, mode, command, environment)
                rows[mode].append(result)
                if raw:
                    raw.write(json.dumps({"file": name, "row": mode, "threads": 1, "what": what, **result},
                                         separators=(",", ":")) + "\n")
        print_table(name, rows)


if __name__ == "__main__":
    main()
