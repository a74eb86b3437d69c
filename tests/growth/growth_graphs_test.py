#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Twice the input is about twice the work (growth.py) for the commands of commands.GRAPHS."""
import commands
import growth

if __name__ == "__main__":
    growth.main(commands.GRAPHS)
