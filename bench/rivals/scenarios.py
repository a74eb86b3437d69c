#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Looks for leaks with memlab and with ubiheap in programs of which it is known whether they leak (bench/rivals/scenarios).

    scenarios.py --ubiheap PROGRAM --build DIR --rivals DIR --snapshots DIR --name NAME [--before PROGRAM] [--note TEXT] [--half HALF]

writes the result document to standard output; bench/report.py makes tables of it. Every tool gets the same snapshots: the first
three of six that a program took of itself, ubiheap once more all six. memlab runs as it is, which looks for what leaks in web
pages, and with --trace-all-objects, which takes all new objects.

An alarm is what would fail a job: a condition of ubiheap that holds, a leak that memlab reports. A leak is found when there is an
alarm and what it is about is named: of ubiheap the class, the function or what hangs on it in one of the first three clusters, with
the holder, or one of the first three objects that became larger; of memlab any step of any path that it prints.
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import measure  # noqa: E402
import processes  # noqa: E402
import report  # noqa: E402

FOLDER = HERE / "scenarios"
HALVES = ("tuning", "held-out")
SNAPSHOTS = 6
FIRST_CLUSTERS = 3
FOUND = re.compile(rb"MemLab found (\d+) leak\(s\)")
# Conditions: the one that docs/how-to/find-a-node-leak-in-ci.md recommends, and a count of all that is new and stays.
STEADY, COUNT = "leaked(steady) > 50 or retained(steady) > 1MiB or grown(steady) > 1MiB or unlisted(steady) > 1MiB", "leaked > 50"


def scenarios(half):
    """(name, truth) each."""
    return json.loads((FOLDER / half / "manifest.json").read_text()).items()


def take_snapshots(half, name, folder, count=SNAPSHOTS):
    """The program takes them of itself: folder/1.heapsnapshot and so on."""
    subprocess.run(["node", FOLDER / half / f"{name}.js", folder, str(count)], check=True, stdin=subprocess.DEVNULL,
                   stdout=subprocess.DEVNULL)
    return [str(pathlib.Path(folder, f"{i}.heapsnapshot")) for i in range(1, count + 1)]


def heap_in_use(half, name, steps):
    """Bytes after each of so many steps, from the program itself."""
    said = subprocess.run(["node", FOLDER / half / f"{name}.js", "--heap", str(steps)], check=True, capture_output=True,
                          stdin=subprocess.DEVNULL)
    return [int(line) for line in said.stdout.split()]


# ---- ubiheap --------------------------------------------------------------------------------------------------------

def is_about(cluster, truth):
    """Whether a cluster names what leaks, and who holds it."""
    names = {cluster.get("name"), cluster["className"], *(part["className"] for part in cluster["keeps"])}
    held_by = f"{cluster['path']} {(cluster['holder'] or {}).get('words', '')}"
    return not names.isdisjoint(truth["named"]) and any(word in held_by for word in truth["heldBy"])


def is_about_grown(grown, truth):
    """The same of an object that became larger, or that holds something that did."""
    return grown["className"] in truth["named"] and any(word in f"{grown['path']} {grown['words']}" for word in truth["heldBy"])


def alarm_of(done):
    """Whether a job fails that has run this. Ends the program on any status but 0 and 1."""
    if done.returncode not in (0, 1):
        sys.exit(f"scenarios: ubiheap ended with status {done.returncode}: {done.stderr.decode()}")
    return done.returncode == 1


def names_the_leak(said, condition, truth):
    """Whether the document of `leaks` has what leaks among the first things that it shows."""
    answer = json.loads(said)
    first = [(is_about, cluster) for cluster in answer["clusters"] if cluster["isLeak"]][:FIRST_CLUSTERS]
    # That of a version before 'grown' has none.
    first += [(is_about_grown, grown) for grown in answer.get("grown", ()) if grown["isLeak"]][:FIRST_CLUSTERS]
    return truth["leaks"] and any(is_what_leaks(told, truth) for is_what_leaks, told in first
                                  if condition != STEADY or told["verdict"] == "steady")


def judge(ubiheap, condition, files, truth):
    """What a job with this condition says, and what its document names: one run for both."""
    done = subprocess.run([ubiheap, "leaks", "--json", "--limit", "0", "--fail-on", condition, *files], capture_output=True, check=False)
    return {"alarm": alarm_of(done), "names": names_the_leak(done.stdout, condition, truth)}


def ask_ubiheap(ubiheap, condition, files, truth):
    """What a person sees who runs it with this condition, and what that run needed."""
    said, needed = processes.run([ubiheap, "leaks", "--json", "--limit", "0", *files])
    done = subprocess.run([ubiheap, "leaks", "--fail-on", condition, *files], capture_output=True, check=False)
    return {"alarm": alarm_of(done), "names": names_the_leak(said, condition, truth), **needed}


# ---- memlab ---------------------------------------------------------------------------------------------------------

def ask_memlab(rivals, files, truth, *options):
    """The program is started by node itself: its first line does not work where env takes one argument."""
    named = [word for pair in zip(("--baseline", "--target", "--final"), files) for word in pair]
    with tempfile.TemporaryDirectory() as folder:
        said, needed = processes.run(["node", "--expose-gc", "--max-old-space-size=4096",
                                      f"{rivals}/node_modules/@memlab/cli/bin/memlab.js", "find-leaks", *named,
                                      "--work-dir", folder, *options], with_errors=True)
    found = FOUND.search(said)
    if not found:
        sys.exit("scenarios: memlab does not say what it found")
    names = any(f"[{name}] (".encode() in said for name in truth.get("named", ()))
    return {"alarm": int(found.group(1)) > 0, "names": names, **needed}


# ---- all ------------------------------------------------------------------------------------------------------------

def tools(args):
    """Name, and what to ask."""
    return {
        "steady": lambda files, truth: ask_ubiheap(args.ubiheap, STEADY, files[:3], truth),
        "steady, six files": lambda files, truth: ask_ubiheap(args.ubiheap, STEADY, files, truth),
        "count": lambda files, truth: ask_ubiheap(args.ubiheap, COUNT, files[:3], truth),
        "memlab": lambda files, truth: ask_memlab(args.rivals, files[:3], truth),
        "memlab --trace-all-objects": lambda files, truth: ask_memlab(args.rivals, files[:3], truth,
                                                                      "--trace-all-objects"),
    }


def ask_before(args, files, half, truth):
    """What the program before the tuning says, of the held-out half: {} without one."""
    if not args.before or half != "held-out":
        return {}
    said = ask_ubiheap(args.before, STEADY, files[:3], truth)
    return {"found": truth["leaks"] and said["alarm"] and said["names"], "false": not truth["leaks"] and said["alarm"]}


def measure_all(args, halves):
    rows, runs, before = [], [], {"found": 0, "leaks": 0, "false": 0}
    for half in halves:
        for name, truth in scenarios(half):
            with tempfile.TemporaryDirectory(dir=args.snapshots) as folder:
                files = take_snapshots(half, name, folder)
                rows.append({"scenario": name, "half": half, "leaks": truth["leaks"], "kind": truth["kind"],
                             "bytes": [os.path.getsize(file) for file in files]})
                before["leaks"] += half == "held-out" and truth["leaks"]
                for key, held in ask_before(args, files, half, truth).items():
                    before[key] += held
                for tool, ask in tools(args).items():
                    runs.append({"scenario": name, "half": half, "tool": tool, **ask(files, truth)})
            print(f"scenarios: {half} {len(rows)}", file=sys.stderr)
    return rows, runs, before if args.before else None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for option in ("--ubiheap", "--build", "--rivals", "--snapshots", "--name"):
        parser.add_argument(option, required=True)
    parser.add_argument("--before", help="ubiheap as it was before the tuning; it gets the held-out half")
    parser.add_argument("--note", help="a sentence on this run for the page, such as what else the machine did")
    parser.add_argument("--half", choices=HALVES, help="only this one: tuning looks at nothing else")
    args = parser.parse_args()
    pathlib.Path(args.snapshots).mkdir(parents=True, exist_ok=True)
    rows, runs, before = measure_all(args, (args.half,) if args.half else HALVES)
    versions = measure.versions(args)
    del versions["devtools"]
    print(report.with_one_run_per_line({
        "schema": "ubiheap.rivals-scenarios/1",
        "name": args.name,
        "date": report.today(),
        "machine": report.machine(args.build),
        "versions": versions,
        "conditions": {"steady": STEADY, "count": COUNT},
        "before": before,
        **({"note": args.note} if args.note else {}),
        "scenarios": rows,
        "runs": runs,
    }))


if __name__ == "__main__":
    main()
