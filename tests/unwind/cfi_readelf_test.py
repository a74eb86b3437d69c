#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Call frame information of whole libraries, read by src/unwind/cfi.c and by readelf: every row of every function must be
the same, at its first instruction and at its last byte."""
import os
import re
import subprocess
import sys
import unittest
from glob import glob

DRIVER = os.path.join(os.environ["UBI_BUILD_DIR"], "tests", "cfi_rows_driver")
OURS = os.path.join(os.environ["UBI_BUILD_DIR"], "lib", "libubiheap.so")
LIBRARIES = ["libc.so.6", "ld-linux-x86-64.so.2", "libm.so.6", "libgcc_s.so.1", "libstdc++.so.6"]
DEEP = ["libcrypto.so.3", "libpython3.11.so.1.0", "libperl.so.5.36"]
FDE = re.compile(r"^[0-9a-f]{8} [0-9a-f]+ [0-9a-f]{8} FDE cie=([0-9a-f]+) pc=([0-9a-f]+)\.\.([0-9a-f]+)")
CIE = re.compile(r"^([0-9a-f]{8}) [0-9a-f]+ [0-9a-f]{8} CIE")
ROW = re.compile(r"^[0-9a-f]{16} ")


def word(cell):
    """What the driver calls it."""
    if re.match(r"^(u|exp|vexp|[cv][-+]\d+)$", cell):
        return cell
    return "u" if cell == "s" else "r"


def row_words(names, cells):
    cfa = cells[0]
    if cfa != "exp" and not re.match(r"^(rsp|rbp)[-+]", cfa):
        cfa = "other"
    by_name = dict(zip(names, cells))
    return f"{cfa} {word(by_name.get('rbp', 'u'))} {word(by_name.get('ra', 'u'))}"


def rows_of(path):
    """(address, words) for the first and the last byte of every row that readelf shows."""
    # Its exit status is 1 also for files that it reads well, such as glibc's, which name a file with debug information.
    text = subprocess.run(["readelf", "--wide", "--debug-dump=frames-interp", path], capture_output=True,
                          text=True, env={**os.environ, "LC_ALL": "C"}).stdout
    # The frames of .debug_frame, should there be any, are not what programs have in memory.
    text = text.split("Contents of the .debug_frame section")[0]
    initial, end, rows, names, cie = {}, 0, [], [], ""

    def finish():
        for i, (start, words) in enumerate(rows):
            after = rows[i + 1][0] if i + 1 < len(rows) else end
            if start < after:
                yield start, words
                yield after - 1, words

    for line in text.splitlines():
        if found := FDE.match(line):
            yield from finish()
            end, cie = int(found[3], 16), ""
            rows = [(int(found[2], 16), initial[found[1]])] if found[1] in initial else []
        elif found := CIE.match(line):
            yield from finish()
            rows, cie = [], found[1]
        elif line.startswith("   LOC"):
            names = line.split()[1:]
        elif ROW.match(line):
            address, *cells = re.sub(r" \(\w+\)", "", line).split()
            words = row_words(names, cells)
            if cie:
                initial[cie] = words
            else:
                rows.append((int(address, 16), words))
    yield from finish()


def find(name):
    found = glob(f"/lib/x86_64-linux-gnu/{name}") + glob(f"/usr/lib/x86_64-linux-gnu/{name}") + glob(f"/lib64/{name}")
    return os.path.realpath(found[0]) if found else None


class CallFrameInformation(unittest.TestCase):
    def check(self, path):
        wanted = dict(rows_of(path))
        self.assertGreater(len(wanted), 100, path)
        addresses = sorted(wanted)
        output = subprocess.run([DRIVER, path], input="\n".join(f"{a:x}" for a in addresses), check=True,
                                capture_output=True, text=True).stdout.splitlines()
        self.assertEqual(len(output), len(addresses))
        wrong = [f"{line} instead of {wanted[address]}" for address, line in zip(addresses, output)
                 if line != f"{address:x} {wanted[address]}"]
        self.assertEqual(wrong[:10], [], f"{path}: {len(wrong)} of {len(wanted)}")

    def test_every_row_is_what_readelf_reads(self):
        names = LIBRARIES + (DEEP if os.environ.get("UBI_DEEP") else [])
        paths = [path for path in map(find, names) if path]
        self.assertGreaterEqual(len(paths), 4)
        for path in [*paths, OURS]:
            with self.subTest(path):
                self.check(path)


if __name__ == "__main__":
    if os.uname().machine != "x86_64":
        print("the walker that reads call frame information is for x86-64")
        sys.exit(77)
    unittest.main()
