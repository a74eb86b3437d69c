#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tries the tools with other sources of QuickJS: does each build, and what holds there?

    check_engines.py [--asan] [--overhead] [--selftest] [--keep] DIR[@COMMIT[@DATE]]...   make check-engines ENGINES="..."
    check_engines.py --table                                                     the rows of the last runs

Each folder gets a build of its own in build/engines/NAME, which ends with the self-test; there all tests of the adapter run,
and all of Debugger.Memory, `ubiheap run`, profiler, timeline and accounting; with --selftest, none of them. --asan builds
build/engines/NAME-asan with AddressSanitizer and UndefinedBehaviorSanitizer, and runs the same tests there. --overhead counts
what tracking costs, in instructions, in build/engines/NAME-release. One row per engine is printed and kept in
bench/results/engines.json; what was not tried again stays in the row of an engine that was tried before. --keep leaves that file
alone. From it come the tables in docs/explanation/quickjs.md and docs/explanation/performance.md:

    python3 bench/report.py engines bench/results/engines.json > FILE    (then move it over docs/explanation/quickjs.md)
    sh bench/page.sh debian12-2cores                                     (performance.md, from the last results of all benchmarks)

Nothing of an engine's source is copied. Exit status 1: an engine was not served whole, or refused.
"""
import argparse
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parents[1]
RESULTS = ROOT / "bench" / "results" / "engines.json"
ADAPTER = ROOT / "src" / "engines" / "quickjs"
PLACES = "places_test"  # has a text for each operation of the engine that makes something
OVERHEADS = ("off", "0.05", "1")
WORKLOADS = ("allocation", "splay", "json")

sys.path.insert(0, str(ROOT / "bench"))


def run(*command, **more):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, **more)


# ---- what an engine is ----------------------------------------------------------------------------------------------

def version_of(folder):
    """(family, version) by what the source says of itself."""
    header = (folder / "quickjs.h").read_text(errors="replace")
    numbers = [re.search(rf"#define QJS_VERSION_{part}\s+(\d+)", header) for part in ("MAJOR", "MINOR", "PATCH")]
    if all(numbers):
        return "quickjs-ng", ".".join(number[1] for number in numbers)
    version = folder / "VERSION"
    return "bellard", version.read_text().split()[0] if version.exists() else "unknown"


def engine_of(spec):
    """The row's beginning: what was tried."""
    path, commit, date = (spec.split("@") + ["", ""])[:3]
    folder = pathlib.Path(path).resolve()
    family, version = version_of(folder)
    if not commit and (folder / ".git").exists():
        commit, date = run("git", "-C", folder, "log", "-1", "--format=%h %cs").stdout.split()
    source = hashlib.sha256((folder / "quickjs.c").read_bytes()).hexdigest()
    if not date and re.fullmatch(r"\d{4}-\d\d-\d\d", version):
        date = version
    return folder, {"family": family, "version": version, "date": date or None, "commit": commit or None,
                    "quickjsSha256": source}


def name_of(row):
    return "-".join(part for part in (row["family"], row["version"], row["date"] or row["commit"]) if part)


# ---- trying it ------------------------------------------------------------------------------------------------------

def configure(preset, build, folder, *more):
    done = run("cmake", "--preset", preset, "-B", build, f"-DUBI_QUICKJS_DIR={folder}", *more, cwd=ROOT)
    return done.returncode == 0, done.stdout + done.stderr


def ninja(build, log, *targets):
    jobs = ["-j", os.environ["JOBS"]] if os.environ.get("JOBS") else []
    done = run("ninja", "-C", build, *jobs, *targets)
    log.write_text(done.stdout + done.stderr)
    return done.returncode == 0


def left_out_of(name, output):
    """What a test left out, with its reasons where it gives them."""
    told = [{"test": test, "reason": reason} for test, reason in re.findall(r"^left out: (\S+): (.*)$", output, re.M)]
    n = len(re.findall(r"\[  SKIPPED \] \w+$", output, re.M)) // 2 + sum(map(int, re.findall(r"skipped=(\d+)", output)))
    return told + [{"test": name, "reason": "not on this machine"}] * max(0, n - len(told))


def runs_with_fixed_addresses():
    """The sanitizers of clang 14 cannot place their shadow memory where addresses have more than 28 random bits."""
    bits = pathlib.Path("/proc/sys/vm/mmap_rnd_bits")
    return ["setarch", "-R"] if bits.exists() and int(bits.read_text()) > 28 else []


def run_tests(build, *prefix):
    """({passed, failed, leftOut}, name -> output)"""
    report = build / "tests.xml"
    jobs = os.environ.get("JOBS") or str(os.cpu_count())
    # Whole, for what tests leave out is in their output.
    run(*prefix, "ctest", "--test-dir", build, "-j", jobs, "--output-junit", report.resolve(), "--test-output-size-passed",
        1 << 24, "--test-output-size-failed", 1 << 24)
    result, outputs = {"passed": 0, "failed": [], "leftOut": []}, {}
    for case in xml.etree.ElementTree.parse(report).iter("testcase"):
        name, status = case.get("name"), case.get("status")
        outputs[name] = case.findtext("system-out") or ""
        if status == "run":
            result["passed"] += 1
            result["leftOut"] += left_out_of(name, outputs[name])
        elif case.find("skipped") is not None and "SKIP" in case.find("skipped").get("message", ""):
            result["leftOut"].append({"test": name, "reason": "skipped as a whole"})
        else:
            result["failed"].append(name)
    return result, outputs


def read_accounting(outputs, row):
    found = re.search(r"(\d+) nodes, (\d+) edges, (\d+) of (\d+) bytes, (\d+) roots", outputs.get("coverage_test", ""))
    if found:
        row.update(nodes=int(found[1]), accountedBytes=int(found[3]), engineBytes=int(found[4]), roots=int(found[5]))


def run_sanitized(build, folder, row):
    """The same tests, with AddressSanitizer and UndefinedBehaviorSanitizer; the engine's own undefined behaviour is not looked for."""
    ok, said = configure("asan", build, folder, "-DUBI_TEST_LABELS=engines;quickjs", "-DUBI_BUILD_EXAMPLES=OFF")
    if not ok or not ninja(build, build / "build.log"):
        row["sanitized"] = None
        return
    result, outputs = run_tests(build, *runs_with_fixed_addresses())
    row["sanitized"] = {"passed": result["passed"], "failed": result["failed"]}
    for name in result["failed"]:
        (build / f"{name}.failed.log").write_text(outputs[name])


def count_overhead(build, folder, row):
    """Instructions of the tools, the engine without them = 1: the greatest of the workloads for each mode."""
    import quickjs_tracking
    programs = ["bench/plain_quickjs_bench", "bench/quickjs_tracking_bench"]
    ok, said = configure("release", build, folder, "-DUBI_BUILD_TESTS=OFF", "-DUBI_BUILD_EXAMPLES=OFF")
    if not ok or not ninja(build, build / "build.log", *programs):
        row["overhead"] = None
        return
    sizes = quickjs_tracking.workloads(build)
    row["overhead"] = {name: quickjs_tracking.instruction_ratios(build, name, sizes[name], OVERHEADS)
                       for name in WORKLOADS}


def try_engine(spec, args):
    folder, row = engine_of(spec)
    build = ROOT / "build" / "engines" / name_of(row)
    build.mkdir(parents=True, exist_ok=True)
    row.update(refused=[], builds=False, selftest=False)
    probe = run("sh", ADAPTER / "probe.sh", folder)
    if probe.returncode:
        row["refused"] = [line.removeprefix("probe: ") for line in probe.stderr.splitlines()][:-1]
        return row
    places = "line and column" if "#define UBI_FIND_COL 1" in probe.stdout else "line"
    ok, said = configure("engine-2021", build, folder, "-DUBI_TEST_LABELS=engines;quickjs")  # those that know an engine
    if not ok:
        sys.exit(f"check-engines: {said[-2000:]}")
    row["builds"] = ninja(build, build / "build.log", "libubi_quickjs.a")
    row["selftest"] = row["builds"] and ninja(build, build / "selftest.log", "ubi_quickjs_selftest")
    if not row["selftest"]:
        return row
    if not args.selftest and not ninja(build, build / "build.log"):
        row["builds"] = False
        return row
    if not args.selftest:
        result, outputs = run_tests(build)
        row.update(result)
        read_accounting(outputs, row)
        row["places"] = places if PLACES in outputs and PLACES not in row["failed"] else "not exact"
    if args.asan:
        run_sanitized(build.with_name(build.name + "-asan"), folder, row)
    if args.overhead:
        count_overhead(build.with_name(build.name + "-release"), folder, row)
    return row


# ---- rows -----------------------------------------------------------------------------------------------------------

def is_served(row):
    if not row["selftest"] or ("sanitized" in row and (row["sanitized"] is None or row["sanitized"]["failed"])):
        return False
    return "passed" not in row or bool(not row["failed"] and row["roots"] == 1 and
                                       row["accountedBytes"] * 1000 >= row["engineBytes"] * 999)


def line_of(row):
    words = [f"{name_of(row):<36}"]
    if row["refused"]:
        return words[0] + "refused: " + "; ".join(row["refused"])
    words.append("builds" if row["builds"] else "DOES NOT BUILD")
    words.append("self-test passes" if row["selftest"] else "SELF-TEST FAILS")
    if "passed" in row:
        words.append(f"{row['passed']} tests passed, {len(row['failed'])} failed, {len(row['leftOut'])} cases left out")
        words += [f"failed: {' '.join(row['failed'])}"] if row["failed"] else []
        words += [f"left out: {one['test']} ({one['reason']})" for one in row["leftOut"]]
    if "engineBytes" in row:
        words.append(f"{100 * row['accountedBytes'] / row['engineBytes']:.3f} % accounted, "
                     f"{row['roots'] - 1} false roots")
        words.append(f"exact places: {row['places']}")
    if "sanitized" in row:
        of = row["sanitized"]
        words.append(f"with sanitizers {of['passed']} passed, {len(of['failed'])} failed {' '.join(of['failed'])}".rstrip()
                     if of else "DOES NOT BUILD with sanitizers")
    if row.get("overhead"):
        words.append("overhead " + ", ".join(f"{mode}: {max(of[mode] for of in row['overhead'].values()):.3f}"
                                             for mode in OVERHEADS))
    return "; ".join(words).replace("; builds", "builds", 1)


def load_rows():
    return json.loads(RESULTS.read_text())["engines"] if RESULTS.exists() else []


def keep(row):
    """Replaces the row of this source; what was not tried again stays as it was."""
    rows = load_rows()
    for before in rows:
        if before["quickjsSha256"] == row["quickjsSha256"] and row["selftest"]:
            row = {**before, **row}
    rows = [other for other in rows if other["quickjsSha256"] != row["quickjsSha256"]] + [row]
    rows.sort(key=lambda r: (r["family"], r["date"] or "", r["version"]))
    lines = ",\n  ".join(json.dumps(r, separators=(",", ":")) for r in rows)
    RESULTS.write_text(f'{{\n "schema": "ubiheap.engines/1",\n "name": "engines",\n "engines": [\n  {lines}\n ]\n}}\n')


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--asan", action="store_true", help="run the tests with AddressSanitizer and UndefinedBehaviorSanitizer, too")
    parser.add_argument("--overhead", action="store_true", help="count instructions, too")
    parser.add_argument("--selftest", action="store_true", help="do not run the tests without sanitizers")
    parser.add_argument("--keep", action="store_true", help="leave bench/results/engines.json as it is")
    parser.add_argument("--table", action="store_true", help="print the rows of bench/results/engines.json")
    parser.add_argument("engines", nargs="*", metavar="DIR[@COMMIT[@DATE]]")
    args = parser.parse_args()
    if args.table:
        print("\n".join(line_of(row) for row in load_rows()))
        return 0
    if not args.engines:
        parser.error('no engine is named: make check-engines ENGINES="DIR..."')
    served = True
    for spec in args.engines:
        row = try_engine(spec, args)
        print(line_of(row), flush=True)
        served = is_served(row) and served
        if not args.keep:
            keep(row)
    return 0 if served else 1


if __name__ == "__main__":
    sys.exit(main())
