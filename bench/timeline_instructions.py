#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""timeline_instructions.py: instructions of a scoped marker that nobody looks at, for each compiler, as rows of results; tests import it."""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
PROGRAM = r"""
#include <stdlib.h>
#ifdef MARKED
#include <ubiheap/core/marker.h>
#define MARK UBI_AUTO_GLOBAL_TIMELINE_MARKER("work")
#else
#define MARK
#endif
__attribute__((noinline)) static void work(volatile long *sum) { *sum += 1; }
int main(int argc, char **argv) {
    long n = atol(argv[argc - 1]);
    volatile long sum = 0;
    for (long i = 0; i < n; i++) {
        MARK;
        work(&sum);
    }
    return sum != n;
}
"""
TURNS = 100000


def count(program, *numbers):
    argv = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", str(program), *map(str, numbers)]
    return int(re.search(rb"Collected : (\d+)", subprocess.run(argv, stderr=subprocess.PIPE, check=True).stderr)[1])


def per_turn(compiler, directory, marked):
    program = directory / "program"
    subprocess.run([compiler, "-O2", f"-I{ROOT / 'include'}", *(["-DMARKED"] if marked else []), directory / "program.c",
                    "-o", program], check=True)
    return (count(program, 2 * TURNS) - count(program, TURNS)) / TURNS


def main():
    if not shutil.which("valgrind"):
        print("bench: valgrind is not installed; instructions are not counted", file=sys.stderr)
        return
    with tempfile.TemporaryDirectory() as name:
        directory = pathlib.Path(name)
        (directory / "program.c").write_text(PROGRAM)
        for compiler in ("gcc", "clang"):
            cost = per_turn(compiler, directory, True) - per_turn(compiler, directory, False)
            print(json.dumps({"row": "unobserved", "compiler": compiler, "instructions": round(cost, 3)}))


if __name__ == "__main__":
    main()
