#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the command line needs for an answer that it gave before: whole processes, for bench/session.sh.

    kept_answer.py --ubiheap PROGRAM --repeats N FILE

asks for `report --cache FILE` once, in a cache folder of its own, and then for the same report again. A row per turn: residentBytes is the
most memory that the process had, indexBytes what is in the folder.
"""
import argparse
import json
import os
import pathlib
import sys
import tempfile

import processes


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ubiheap", required=True)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("file")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="ubiheap-bench-") as folder:
        kept = os.path.join(folder, "kept")
        processes.run([args.ubiheap, "report", "--cache", "--cache-dir", kept, args.file], with_output=False)
        n_bytes = sum(path.stat().st_size for path in pathlib.Path(kept).iterdir())
        for _ in range(args.repeats):
            _, needed = processes.run([args.ubiheap, "report", "--cache-dir", kept, args.file], with_output=False)
            print(json.dumps({"file": os.path.basename(args.file), "row": "index:`ubiheap report` again", "threads": 0,
                              "wallNs": needed["wallNs"], "cpuNs": needed["userNs"] + needed["systemNs"],
                              "indexBytes": n_bytes, "residentBytes": needed["peakRssBytes"]}), flush=True)


if __name__ == "__main__":
    sys.exit(main())
