#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A long name costs no more than reading it once (long_names.py): lists and counts."""
import long_names

if __name__ == "__main__":
    long_names.main([
        "search -n 0 FILE a",
        "nodes -f table FILE",
        "strings -n 0 FILE",
        "strings -d -n 0 FILE",
        "allocations -n 0 --callers 5 FILE",
        "census -n 0 -d 0 FILE",
        "treemap -o OUT.svg FILE",
        "treemap --format text FILE",
    ], ["search -n 0 FILE a", "nodes -f table FILE"])
