# SPDX-License-Identifier: MIT
"""Writes the seed corpus fuzz/corpus/fxsnapshot_fuzz from the crafted and the hand-made files.

Most seeds are uncompressed streams (.raw), because a fuzzer that changes a bit of a gzip file only finds the checksum;
the container's own cases stay compressed (.gz). Inputs that fuzzing found are added by hand and stay untouched.
"""
import re

import fxsnapshot_conformance_test as conformance
import fxsnapshot_firefox_answers_test as answers
import reference_reader
from harness import DATA, SOURCE_DIR

CORPUS = SOURCE_DIR / "fuzz" / "corpus" / "fxsnapshot_fuzz"
LARGEST = 1200


def seeds():
    """(name, bytes): compressed ones first, then streams."""
    for path in sorted((DATA / "crafted").glob("*.fxsnapshot")):
        data = path.read_bytes()
        if re.match("gzip|zlib|raw-deflate|not-gzip|empty", path.stem):
            yield path.stem + ".gz", data
        yield path.stem + ".raw", reference_reader.inflate(data)
    for name, data, _ in answers.CONTAINER + answers.DEFLATE:
        yield name + ".gz", data
    for name, data, _ in answers.LENGTHS + answers.STACKS + answers.WIRE:
        yield name + ".raw", reference_reader.inflate(data)
    for number in (7, 8, 16, 22, 35, 36, 42, 43, 44, 45):
        name, data, _ = conformance.CASES[number][0]
        yield f"case {number} {name}.raw", reference_reader.inflate(data)


def main():
    CORPUS.mkdir(parents=True, exist_ok=True)
    seen = set()
    for name, data in seeds():
        if 0 < len(data) <= LARGEST and data not in seen:
            seen.add(data)
            (CORPUS / re.sub("[^a-z0-9.]+", "-", name.lower())).write_bytes(data)
    print(f"{len(seen)} files, {sum(map(len, seen))} bytes")


if __name__ == "__main__":
    main()
