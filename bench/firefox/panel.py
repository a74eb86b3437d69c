#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The Memory panel of a real Firefox: from the import of a file to its first tree map, and to its dominator tree.

    panel.py FILE

Prints one JSON object for bench/report.py, as bench/web/imports.mjs does of our page.
"""
import json
import pathlib
import sys

import beside  # noqa: F401 -- knows where the driver is
import firefox


def main():
    path = pathlib.Path(sys.argv[1]).resolve()
    with firefox.Firefox() as browser:
        said = browser.run((pathlib.Path(__file__).parent / "panel.js").read_text(), str(path))
    if "error" in said:
        sys.exit(f"bench: {path.name}: {said['error']}")
    print(json.dumps({"file": path.name, "row": "import", "tool": beside.version(), "threads": 0, "wallNs": round(said["treeMapMs"] * 1e6),
                      "dominatorsNs": round(said["dominatorsMs"] * 1e6), "nodes": said["nodes"], "retainedSize": said["retainedSize"]}))


if __name__ == "__main__":
    main()
