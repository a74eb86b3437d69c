#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What profiles cost that are written now and then (`ubiheap record --every`), beyond plain sampling.

    native_ring.py BUILD_DIR [--every SECONDS] [--turns N] [--raw FILE] [--data DIR] [PROGRAM...]

A turn runs two programs: one that holds much, at thousands of stacks, and then waits, sampled a hundred times as densely as by default, so
that its profiles are as large as those of a server with some ten GB; and a compiler. Each runs under plain sampling, with one profile at
the end, and with one every SECONDS (default: 2, so that there are enough of them to measure). The program does nothing for a profile, so
what counts is the process that records: its processor time for a profile; for what comes with them, which may be less than what it
takes to write a recording; its peak memory; and the size of the profiles that are kept. One JSON object per run goes to FILE, for
bench/report.py.
"""
import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import time
from pathlib import Path

import native

LOOK_SECONDS = 0.02
KEPT = 60  # the default of --keep
MODES = {"plain": None, "once": 86400, "ring": 0}  # --every; 0: as asked for
MINUTE_NS = 60e9
# Of the program that waits.
WAIT_SECONDS, DENSE_PERIOD = 20, 5000


def workloads(build, data):
    """name -> (what it is, command, environment, options)"""
    known = {}
    if os.path.exists("/usr/bin/python3"):
        known["held"] = ("Python objects that live", ["/usr/bin/python3", "-S", str(native.BENCH / "native/held.py"), str(WAIT_SECONDS)],
                         {"PYTHONMALLOC": "malloc"}, ["--period", str(DENSE_PERIOD)])
    compiler = native.workloads(build, data).get("cc1plus")
    if compiler:
        known["cc1plus"] = (*compiler, [])
    return known


def processor_ns(pid):
    """Of a process that has ended and was not waited for: of itself, and of the children that it waited for."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    own_user, own_system, user, system = (int(field) * 1e9 / native.TICKS for field in fields[11:15])
    return own_user + own_system, user + system


def peak_bytes(pid):
    found = re.search(r"^VmHWM:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text(), re.MULTILINE)
    return int(found[1]) * 1024 if found else 0


def run(build, output, command, environment, options):
    """What the process that records took, until it ended."""
    process = subprocess.Popen([f"{build}/bin/ubiheap", "record", *options, "--output", str(output), "--", *command],
                               stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                               env={**os.environ, **environment})
    peak, began = 0, time.monotonic_ns()
    while not os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT):
        peak = max(peak, peak_bytes(process.pid))
        time.sleep(LOOK_SECONDS)
    wall = time.monotonic_ns() - began
    own, program = processor_ns(process.pid)
    said = process.stderr.read()
    process.stderr.close()
    if process.wait() != 0:
        sys.exit(f"bench: `{' '.join(command)}` ended with status {process.returncode}: {said[-500:].decode(errors='replace')}")
    return {"recorderNs": round(own), "programNs": round(program), "wallNs": wall, "peakRssBytes": peak}


def measure(build, data, mode, command, environment, options, every):
    output = data / "native-ring"
    ring = ["--every", f"{MODES[mode] or every}s", "--keep", str(KEPT)] if mode != "plain" else []
    result = run(build, output, command, environment, [*options, *ring])
    files = list(data.glob("native-ring*"))
    result["files"], result["outputBytes"] = len(files), sum(file.stat().st_size for file in files)
    result["largestBytes"] = max(file.stat().st_size for file in files)
    for file in files:
        file.unlink()
    return result


def summary(rows):
    """Medians. Beyond plain sampling: for a profile, for what comes with them, and both as a part of a processor, for one each minute."""
    def of(mode, key):
        return statistics.median(row[key] for row in rows[mode])
    n = of("ring", "files")
    each = (of("ring", "recorderNs") - of("once", "recorderNs")) / max(n - 1, 1)
    beside = (of("once", "recorderNs") - of("plain", "recorderNs")) / of("once", "wallNs")
    return {"profiles": n, "eachNs": each, "beside": beside, "partOfProcessor": each / MINUTE_NS + beside,
            "plainPart": of("plain", "recorderNs") / of("plain", "wallNs"), "plainMemoryBytes": of("plain", "peakRssBytes"),
            "memoryBytes": of("ring", "peakRssBytes"), "largestBytes": of("ring", "largestBytes")}


def print_summary(name, s):
    print(f"{name:<9} {s['profiles']:.0f} profiles, {s['eachNs'] / 1e6:.1f} ms of a processor each, and {100 * s['beside']:.2f} % beside: "
          f"{100 * s['partOfProcessor']:.2f} % when there is one each minute | plain sampling {100 * s['plainPart']:.2f} % "
          f"| memory {s['memoryBytes'] / 1e6:.1f} MB, plain {s['plainMemoryBytes'] / 1e6:.1f} MB | "
          f"{KEPT} profiles {KEPT * s['largestBytes'] / 1e6:.1f} MB on disk", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--every", type=int, default=2, metavar="SECONDS")
    parser.add_argument("--turns", type=int, default=1, metavar="N")
    parser.add_argument("--raw", metavar="FILE")
    parser.add_argument("--data", metavar="DIR", default="build/bench-data")
    parser.add_argument("program", nargs="*")
    options = parser.parse_intermixed_args()
    data = Path(options.data)
    data.mkdir(parents=True, exist_ok=True)
    raw = open(options.raw, "a", encoding="utf-8") if options.raw else None
    known = workloads(options.build, data)
    for name in options.program or known:
        what, command, environment, more = known[name]
        rows = {mode: [] for mode in MODES}
        for _ in range(options.turns):
            for mode, runs in rows.items():
                runs.append(measure(options.build, data, mode, command, environment, more, options.every))
                if raw:
                    raw.write(json.dumps({"file": name, "row": "ring", "mode": mode, "threads": 1, "what": what,
                                          "everySeconds": options.every, **runs[-1]}, separators=(",", ":")) + "\n")
        print_summary(name, summary(rows))


if __name__ == "__main__":
    main()
