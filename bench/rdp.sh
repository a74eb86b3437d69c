#!/bin/sh
# SPDX-License-Identifier: MIT
#
# rdp.sh [NAME]: measures what `ubiheap run --listen` makes clients of the remote debugging protocol and its script wait for. Writes
# bench/results/rdp-NAME.json (default: latest), then prints the tables. Instructions are counted with valgrind.
#
#   BENCH_TRY=1           small sizes, one turn: does the script work?
#   BENCH_BUILD=DIR       build directory (default build/release)
#   BENCH_DATA=DIR        where raw files are kept (default build/bench-data)
#   BENCH_REPEATS=N       turns (default 5)
#   BENCH_PAGE=RESULT     also write docs/explanation/performance.md, from bench/results/RESULT.json and this
set -eu
cd "$(dirname "$0")/.." || exit 1
name=rdp-${1:-latest}
. bench/common.sh
raw=$data/$name.jsonl
need bin/ubiheap bench/quickjs_listen_bench

if [ -n "${BENCH_TRY:-}" ]; then
    python3 bench/rdp.py --build "$build" --repeats 1 --bulk 10000000 --clients 100 --scale 20 >"$raw"
else
    python3 bench/rdp.py --build "$build" --repeats "${BENCH_REPEATS:-5}" >"$raw"
fi

python3 bench/report.py collect --rdp --build "$build" --name "$name" --by "sh bench/rdp.sh" "$raw" >"$data/$name.json"
mv "$data/$name.json" "bench/results/$name.json"
python3 bench/report.py tables "bench/results/$name.json"
if [ -n "${BENCH_PAGE:-}" ]; then
    sh bench/page.sh "$BENCH_PAGE"
fi
