#!/bin/sh
# SPDX-License-Identifier: MIT
# Writes the files anew: make.sh [path of bun]. Needs jsc (Debian: libjavascriptcoregtk-4.0-bin).
set -eu
cd "$(dirname "$0")"
jsc heap.js | {
    for name in inspector-before inspector-after gcdebugging-before gcdebugging-after; do
        IFS= read -r line
        printf '%s\n' "$line" | gzip -9n > "$name.json.gz"
    done
}
jsc findings.js | gzip -9n > findings.json.gz
if [ $# -gt 0 ]; then
    "$1" heap-bun.js
    sed 's/^print.*/require("fs").writeFileSync("bun-findings.json", JSON.stringify(require("bun:jsc").generateHeapSnapshotForDebugging()));/' \
        findings.js > bun-findings.js
    "$1" bun-findings.js
    rm bun-findings.js
    gzip -9nf bun-*.json bun-*.heapsnapshot
fi
