#!/bin/sh
# SPDX-License-Identifier: MIT
#
# mcp.sh [NAME]: measures what an agent waits for and reads until it knows what leaks, with ubiheap mcp and with chrome-devtools-mcp, and the
# first reply about a large heap. Writes bench/results/mcp-NAME.json (default: latest), then prints the tables.
#
# The rival is installed from npm into build/rivals-mcp, in the version of rivals/mcp/package-lock.json, and needs Chromium; without npm or
# Chromium, ours is measured alone.
#
#   BENCH_TRY=1           no large heap, one turn: does the script work?
#   BENCH_BUILD=DIR       build directory (default build/release)
#   BENCH_DATA=DIR        where generated snapshots and raw files are kept (default build/bench-data)
#   BENCH_REPEATS=N       turns (default 5)
#   BENCH_PAGE=RESULT     also write docs/explanation/performance.md, from bench/results/RESULT.json and this
set -eu
cd "$(dirname "$0")/.." || exit 1
name=mcp-${1:-latest}
. bench/common.sh
repeats=${BENCH_REPEATS:-5} edges=33M
raw=$data/$name.jsonl files=$data/$name.files rival=build/rivals-mcp
need bin/ubiheap
: >"$files"

if command -v npm >/dev/null && command -v chromium >/dev/null; then
    if ! cmp -s bench/rivals/mcp/package-lock.json "$rival/package-lock.json"; then
        echo "bench: installing the rival in $rival" >&2
        mkdir -p "$rival"
        cp bench/rivals/mcp/package.json bench/rivals/mcp/.npmrc "$rival"
        cp bench/rivals/mcp/package-lock.json "$rival/package-lock.json"
        (cd "$rival" && npm ci --silent) || rm "$rival/package-lock.json"
    fi
fi
set -- --ubiheap "$build/bin/ubiheap" --repeats "$repeats"
if [ -f "$rival/package-lock.json" ]; then
    set -- "$@" --rival "$rival"
else
    echo "bench: npm or chromium is missing: without the rival" >&2
fi

if [ -n "${BENCH_TRY:-}" ]; then
    python3 bench/mcp.py "$@" --repeats 1 >"$raw"
else
    path=$data/session-$edges-v8.heapsnapshot
    generated v8 "$edges" "$path"
    python3 bench/mcp.py "$@" --big "$path" >"$raw"
fi

python3 bench/report.py collect --mcp --build "$build" --files "$files" --name "$name" --by "sh bench/mcp.sh" "$raw" \
    >"$data/$name.json"
mv "$data/$name.json" "bench/results/$name.json"
python3 bench/report.py tables "bench/results/$name.json"
if [ -n "${BENCH_PAGE:-}" ]; then
    sh bench/page.sh "$BENCH_PAGE"
fi
