#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Rows of bench/session.sh.

    session_rows.py kept RESULT FILE    those of FILE in an earlier RESULT that are not about indexes
    session_rows.py all RESULT FILE     all of them
    session_rows.py marked RAW          those of RAW, each with how busy the machine is: tasks that run or wait
"""
import json
import os
import pathlib
import sys

ABOUT_INDEXES = ("index:", "small:")


def show(row):
    print(json.dumps(row, separators=(",", ":")))


def main():
    command, path = sys.argv[1:3]
    if command in ("kept", "all"):
        for row in json.loads(pathlib.Path(path).read_text())["runs"]:
            if row["file"] == sys.argv[3] and (command == "all" or not row["row"].startswith(ABOUT_INDEXES)):
                show(row)
        return
    load = round(os.getloadavg()[1], 1)
    for line in pathlib.Path(path).read_text().splitlines():
        show({**json.loads(line), "load": load})


if __name__ == "__main__":
    sys.exit(main())
