#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the scripts in tests/cli/cases and compares what they print, exactly.

    cases/GROUP/NAME.sh        the script, run by sh in a workspace (workspace.py)
    cases/GROUP/NAME.stdout    what it must print; no file: nothing
    cases/GROUP/NAME.stderr    the same for standard error
    cases/GROUP/NAME.exit      its exit status; no file: 0

Places in scripts are written as the default engine prints them; engine_facts.places makes those of another.

With --refresh the files are rewritten from what happened: look at the difference before you commit it.
Arguments that are no options choose cases by a part of GROUP/NAME.
"""
import difflib
import pathlib
import sys

import workspace

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import engine_facts  # noqa: E402

CASES = pathlib.Path(__file__).resolve().parent / "cases"


def expected(script, suffix, default):
    file = script.with_suffix(suffix)
    if not file.exists():
        return default
    if script.parent.name == "run":
        return engine_facts.places(file.read_text()).encode()
    return file.read_bytes()


def refresh(script, suffix, data, default):
    file = script.with_suffix(suffix)
    if data != default:
        file.write_bytes(data)
    elif file.exists():
        file.unlink()


def difference(name, want, got):
    lines = [data.decode("utf-8", "backslashreplace").splitlines(keepends=True) for data in (want, got)]
    return "".join(difflib.unified_diff(*lines, f"expected {name}", f"actual {name}"))


def run_case(script, rewrite):
    """The differences as text; empty when all is as expected."""
    place = workspace.Workspace()
    done = place.run("sh", script)
    outcome = [(".stdout", done.stdout, b""), (".stderr", done.stderr, b""), (".exit", b"%d\n" % done.returncode, b"0\n")]
    report = ""
    for suffix, data, default in outcome:
        if rewrite:
            refresh(script, suffix, data, default)
        else:
            want = expected(script, suffix, default)
            report += difference(suffix, want, data) if data != want else ""
    return report


def main():
    rewrite = "--refresh" in sys.argv[1:]
    wanted = [word for word in sys.argv[1:] if not word.startswith("-")]
    failures = 0
    scripts = sorted(CASES.glob("*/*.sh"))
    for script in scripts:
        name = f"{script.parent.name}/{script.stem}"
        if wanted and not any(word in name for word in wanted):
            continue
        report = run_case(script, rewrite)
        if report:
            failures += 1
            print(f"{name}: FAILED\n{report}")
    print(f"{len(scripts)} cases, {failures} failed")
    return 1 if failures or not scripts else 0


if __name__ == "__main__":
    sys.exit(main())
