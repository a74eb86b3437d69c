#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Keeps what fuzzing found: a small corpus that reaches as much as all inputs together, as far as it goes.

    fuzz_keep.py [--most N] [--bytes N] [--programs DIR] [--found DIR] TARGET...

For each target, the inputs of fuzz/corpus/TARGET and of build/fuzz/found/TARGET are run once; those are kept in the corpus that
reach most of what the ones chosen before do not (first edges of the code, then how often they are taken), and there are at most
N (60) of them with together at most N bytes (300,000). Inputs under names that people gave are kept besides, in any case: they once
broke something. An input is called by the beginning of its SHA-256.
"""
import argparse
import hashlib
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
MADE_BY_FUZZER = re.compile(r"[0-9a-f]{12,64}|seed\d+")
LARGEST = 65_536


def is_named(name):
    """By a person."""
    return not MADE_BY_FUZZER.fullmatch(name)


def inputs_of(folders):
    """SHA-256 of each different input -> (name, bytes), people's names first. A fuzzer that still runs may take some away."""
    found = {}
    for folder in folders:
        for path in sorted(folder.glob("*")) if folder.is_dir() else []:
            try:
                data = path.read_bytes()
            except FileNotFoundError:
                continue
            key = hashlib.sha256(data).hexdigest()
            if is_named(path.name) or (len(data) <= LARGEST and key not in found):
                found[key] = path.name, data
    return found


def reached(program, files, folder):
    """For each file, the edges that it takes and the features that libFuzzer saw, from the notes of a merge."""
    together, merged, notes = folder / "in", folder / "out", folder / "notes"
    together.mkdir()
    merged.mkdir()
    for key, (_, data) in files.items():
        (together / key).write_bytes(data)
    subprocess.run([program, "-merge=1", f"-merge_control_file={notes}", "-timeout=60", "-rss_limit_mb=4096", str(merged),
                    str(together)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    lines = notes.read_text().splitlines()
    n = int(lines[0])
    names = [pathlib.Path(line).name for line in lines[2:2 + n]]
    edges, features = {name: set() for name in names}, {name: set() for name in names}
    for line in lines[2 + n:]:
        kind, *numbers = line.split()
        if kind in ("COV", "FT"):
            (edges if kind == "COV" else features)[names[int(numbers[0])]].update(numbers[1:])
    return edges, features


def choose(files, edges, features, most, most_bytes):
    """Keys, the named ones first, then greedily by what is new per file."""
    named = [key for key, (name, _) in files.items() if is_named(name)]
    chosen, n_bytes = list(named), 0
    left = {key for key in files if key not in chosen}
    for of in (edges, features):
        have = set().union(*(of.get(key, set()) for key in chosen))
        while left and len(chosen) < len(named) + most:
            best = max(sorted(left), key=lambda key: (len(of.get(key, set()) - have), -len(files[key][1])))
            if not of.get(best, set()) - have:
                break
            left.discard(best)
            if n_bytes + len(files[best][1]) > most_bytes:
                continue
            chosen.append(best)
            n_bytes += len(files[best][1])
            have |= of.get(best, set())
    return chosen


def keep(target, args):
    corpus = ROOT / "fuzz" / "corpus" / target
    if corpus.is_symlink():
        print(f"{target}: shares the corpus {corpus.readlink()}; nothing is changed")
        return
    files = inputs_of([corpus, args.found / target])
    with tempfile.TemporaryDirectory(prefix="ubiheap-fuzz-") as folder:
        edges, features = reached(str(args.programs / target), files, pathlib.Path(folder))
    chosen = choose(files, edges, features, args.most, args.bytes)
    contents = {files[key][0] if is_named(files[key][0]) else key[:16]: files[key][1] for key in chosen}
    corpus.mkdir(parents=True, exist_ok=True)
    for path in corpus.iterdir():
        path.unlink()
    for name, data in contents.items():
        (corpus / name).write_bytes(data)
    all_edges = set().union(*edges.values())
    kept_edges = set().union(*(edges.get(key, set()) for key in chosen))
    print(f"{target}: {len(chosen)} of {len(files)} inputs, {sum(map(len, contents.values())):,} bytes, "
          f"{len(kept_edges):,} of {len(all_edges):,} edges", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--most", type=int, default=60)
    parser.add_argument("--bytes", type=int, default=300_000)
    parser.add_argument("--programs", type=pathlib.Path, default=ROOT / "build/fuzz/fuzz")
    parser.add_argument("--found", type=pathlib.Path, default=ROOT / "build/fuzz/found")
    parser.add_argument("targets", nargs="+")
    args = parser.parse_args()
    for target in args.targets:
        keep(target, args)


if __name__ == "__main__":
    sys.exit(main())
