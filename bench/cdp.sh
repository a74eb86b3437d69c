#!/bin/sh
# SPDX-License-Identifier: MIT
#
# cdp.sh [MIB...]: what a question about a Node.js that runs takes, beside what V8 itself needs to write the same snapshot to a file
# (v8.writeHeapSnapshot), for heaps of these sizes (default: 100 300). Needs node. Prints a table; docs/explanation/performance.md has none.
#
#   BENCH_BUILD=DIR       build directory (default build/release)
#   BENCH_REPEATS=N       turns of each; the table has their medians (default 5)
set -eu
cd "$(dirname "$0")/.." || exit 1
. bench/common.sh
need bin/ubiheap
[ $# -gt 0 ] || set -- 100 300
exec python3 bench/cdp.py --ubiheap "$build/bin/ubiheap" --repeats "${BENCH_REPEATS:-5}" "$@"
