#!/bin/sh
# SPDX-License-Identifier: MIT
#
# http.sh [NAME]: measures what clients of `ubiheap serve` wait for: answers that are there, pages of a long list, 64 clients at once. Writes
# bench/results/http-NAME.json (default: latest), then prints the tables.
#
#   BENCH_TRY=1           no large heap, one turn: does the script work?
#   BENCH_BUILD=DIR       build directory (default build/release)
#   BENCH_DATA=DIR        where generated snapshots and raw files are kept (default build/bench-data)
#   BENCH_REPEATS=N       turns (default 3)
#   BENCH_PAGE=RESULT     also write docs/explanation/performance.md, from bench/results/RESULT.json and this
set -eu
cd "$(dirname "$0")/.." || exit 1
name=http-${1:-latest}
. bench/common.sh
repeats=${BENCH_REPEATS:-3} edges=33M medium=4M
raw=$data/$name.jsonl files=$data/$name.files
need bin/ubiheap
: >"$files"

set -- --ubiheap "$build/bin/ubiheap"
if [ -n "${BENCH_TRY:-}" ]; then
    python3 bench/http.py "$@" --repeats 1 >"$raw"
else
    for n in $edges $medium; do
        path=$data/session-$n-v8.heapsnapshot
        generated v8 "$n" "$path"
    done
    python3 bench/http.py "$@" --repeats "$repeats" --big "$data/session-$edges-v8.heapsnapshot" --medium "$path" >"$raw"
fi

python3 bench/report.py collect --http --build "$build" --files "$files" --name "$name" --by "sh bench/http.sh" "$raw" \
    >"$data/$name.json"
mv "$data/$name.json" "bench/results/$name.json"
python3 bench/report.py tables "bench/results/$name.json"
if [ -n "${BENCH_PAGE:-}" ]; then
    sh bench/page.sh "$BENCH_PAGE"
fi
