#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Twice the input is about twice the work (growth.py) for diff, census, search, nodes, strings, allocations, treemap."""
import commands
import growth

if __name__ == "__main__":
    growth.main(commands.COMMANDS, ["diff", "census", "search", "nodes", "strings", "allocations", "treemap"])
