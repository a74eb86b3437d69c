# SPDX-License-Identifier: MIT
"""Instructions of command lines, counted by valgrind, which starts once for all of them (many_runs.c)."""
import os
import pathlib
import re
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
BUILD = pathlib.Path(os.environ.get("UBI_BUILD_DIR", "build/release")).resolve()
RECORDER = BUILD / "lib" / "ubiheap" / "libubiheap-preload.so"
WATCHER = BUILD / "lib" / "ubiheap" / "ubiheap-watch.node"
VALGRIND = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]


def library(folder, name):
    """tests/growth/NAME.c as a library to preload; compiled once for each folder."""
    made = pathlib.Path(folder) / f"{name}.so"
    if not made.exists():
        subprocess.run(["gcc", "-O1", "-D_GNU_SOURCE", "-shared", "-fPIC", "-pthread", "-o", made, HERE / f"{name}.c"],
                       check=True)
    return made


def tool(folder):
    """The tool without its debug information, which valgrind would read."""
    made = pathlib.Path(folder) / "ubiheap"
    if not made.exists():
        subprocess.run(["strip", "-o", made, os.environ["UBIHEAP"]], check=True)
    return str(made)


def as_file(lines):
    return b"".join(b"".join(os.fsencode(str(word)) + b"\0" for word in line) + b"\0" for line in lines)


def instructions(folder, lines, warm=(), preload=None, **environment):
    """One number for each line, a list of words after the program's name; `warm`: lines that make valgrind translate the code.
    The status of a run must be 0 or 1."""
    folder = pathlib.Path(folder)
    runs = folder / "many-runs"
    runs.mkdir(exist_ok=True)
    (runs / "warm").write_bytes(as_file(warm))
    (runs / "runs").write_bytes(as_file(lines))
    program = tool(folder)
    preload = [str(library(folder, "many_runs")), *([str(preload)] if preload else [])]
    log = runs / "valgrind.log"
    done = subprocess.run([*VALGRIND, f"--log-file={log}", program], cwd=folder, stdin=subprocess.DEVNULL,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                          env={**os.environ, "COLUMNS": "100", "MANY_RUNS": str(runs), "MANY_RUNS_OF": program,
                               "LD_PRELOAD": ":".join(preload), "UBIHEAP_PRELOAD": str(RECORDER), "UBIHEAP_WATCH": str(WATCHER), **environment})
    if done.returncode != 0:
        raise AssertionError(f"{done.returncode}, {done.stderr.decode('utf-8', 'replace')[:500]}")
    counted = {int(pid): int(n.replace(",", "")) for pid, n in re.findall(r"==(\d+)== I +refs: +([\d,]+)", log.read_text())}
    counts = []
    for i, row in enumerate((runs / "done").read_text().splitlines()):
        pid, status = map(int, row.split())
        if status not in (0, 1):
            said = (runs / f"{i}.err").read_text(errors="replace")[:500]
            raise AssertionError(f"{' '.join(map(str, lines[i]))}: {status}, {said}")
        counts.append(counted[pid])
    if len(counts) != len(lines):
        raise AssertionError(f"{len(lines)} command lines, {len(counts)} ran")
    return counts
