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
if [ $# -gt 0 ]; then
    "$1" heap-bun.js
    gzip -9nf bun-*.json bun-*.heapsnapshot
fi
