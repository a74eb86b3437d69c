#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A long name costs no more than reading it once (long_names.py): ways and trees."""
import long_names

if __name__ == "__main__":
    long_names.main([
        "dominators -d 0 -s 0 -p 0 FILE",
        "retainers -n 0 -d 0 FILE ID",
        "containment -d 0 -n 0 FILE",
        "paths -m 20 FILE ID",
        "node -n 0 FILE ID",
        "treemap --by retained -o OUT.svg FILE",
    ], ["containment -d 0 -n 0 FILE", "paths -m 20 FILE ID"])
