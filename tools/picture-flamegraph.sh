#!/bin/sh
# SPDX-License-Identifier: MIT
#
# picture-flamegraph.sh UBIHEAP: draws docs/images/flamegraph.svg again, which README.md shows: what ubiheap itself allocates while it reports
# on a heap of Node.js.
set -eu
cd "$(dirname "$0")/.." || exit 1
ubiheap=$(realpath "$1")
picture=$PWD/docs/images/flamegraph.svg
heap=$PWD/tests/data/v8/node20-before.heapsnapshot.gz
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"$ubiheap" record --exact --output report.ubirec -- "$ubiheap" report --threads 1 "$heap" >report.txt 2>record.txt
"$ubiheap" flamegraph --by peak --output "$picture" report.ubirec
