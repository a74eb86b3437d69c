#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Twice the input is about twice the work (growth.py) for dominators, retainers, containment, paths, node, leaks."""
import commands
import growth

if __name__ == "__main__":
    growth.main(commands.COMMANDS, ["dominators", "retainers", "containment", "paths", "show", "leaks"])
