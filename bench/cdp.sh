#!/bin/sh
# SPDX-License-Identifier: MIT
#
# cdp.sh [NAME]: what a question about a Node.js that runs takes, beside what V8 itself needs to write the same snapshot to a file
# (v8.writeHeapSnapshot), and beside memlab and chrome-devtools-mcp with that file. Writes bench/results/cdp-NAME.json (default: latest),
# then prints the tables. Needs node; a heap of 1 GB takes 16 GB of memory, and half an hour with the rivals.
#
# The rivals are installed from npm, in the versions of rivals/package-lock.json and rivals/mcp/package-lock.json; without npm or Chromium,
# ours is measured alone.
#
#   BENCH_TRY=1           small heaps, one turn: does the script work?
#   BENCH_MIB="MIB..."    sizes of the heaps that are measured in turns (default 100)
#   BENCH_BIG=MIB         size of the heap that is measured once, with the rivals (default 1000; 0: none)
#   BENCH_REPEATS=N       turns of the others (default 5)
#   BENCH_BUILD=DIR       build directory (default build/release)
#   BENCH_DATA=DIR        where raw files are kept (default build/bench-data)
#   RIVALS_DIR=DIR        where memlab is installed (default build/rivals); RIVALS_MCP_DIR: the other (default build/rivals-mcp)
#   BENCH_PAGE=RESULT     also write docs/explanation/performance.md, from bench/results/RESULT.json and this
set -eu
cd "$(dirname "$0")/.." || exit 1
name=cdp-${1:-latest}
. bench/common.sh
need bin/ubiheap
raw=$data/$name.jsonl memlab=${RIVALS_DIR:-build/rivals} mcp=${RIVALS_MCP_DIR:-build/rivals-mcp}
sizes=${BENCH_MIB:-100} big=${BENCH_BIG:-1000} repeats=${BENCH_REPEATS:-5}
if [ -n "${BENCH_TRY:-}" ]; then
    sizes=10 big=20 repeats=1
fi

set -- --ubiheap "$build/bin/ubiheap" --repeats "$repeats"
[ "$big" = 0 ] || set -- "$@" --big "$big"
if command -v npm >/dev/null && command -v chromium >/dev/null; then
    sh bench/rivals/install.sh "$memlab"
    if ! cmp -s bench/rivals/mcp/package-lock.json "$mcp/package-lock.json"; then
        mkdir -p "$mcp"
        cp bench/rivals/mcp/package.json bench/rivals/mcp/package-lock.json bench/rivals/mcp/.npmrc "$mcp"
        (cd "$mcp" && npm ci --silent) || rm "$mcp/package-lock.json"
    fi
    set -- "$@" --memlab "$memlab" --mcp "$mcp"
else
    echo "bench: npm or chromium is missing: without the rivals" >&2
fi
# shellcheck disable=SC2086 # sizes are several words
python3 bench/cdp.py "$@" $sizes >"$raw"

python3 bench/report.py collect --cdp --build "$build" --name "$name" --by "sh bench/cdp.sh" "$raw" >"$data/$name.json"
mv "$data/$name.json" "bench/results/$name.json"
python3 bench/report.py tables "bench/results/$name.json"
if [ -n "${BENCH_PAGE:-}" ]; then
    sh bench/page.sh "$BENCH_PAGE"
fi
