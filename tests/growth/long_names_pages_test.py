#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A long name costs no more than reading it once (long_names.py): reports and comparisons."""
import long_names

if __name__ == "__main__":
    long_names.main([
        "report FILE",
        "report --detail FILE",
        "info FILE",
        "summary -n 0 FILE",
        "statistics FILE",
        "leaks -n 0 OLD FILE",
        "diff OLD FILE",
        "diff --by class -n 0 OLD FILE",
    ], ["report FILE", "leaks -n 0 OLD FILE"])
