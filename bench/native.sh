#!/bin/sh
# SPDX-License-Identifier: MIT
#
# native.sh [NAME]: measures the recording of programs beside heaptrack, writes bench/results/native-NAME.json (default:
# latest), then prints the tables. bench/run.py runs it, too. What is not installed (heaptrack, sqlite3, g++, perl, valgrind) is
# left out.
#
#   BENCH_TRY=1           one turn of the storm, sampling perl, and profiles of a compiler: does the script work?
#   BENCH_BUILD=DIR       build directory (default build/release)
#   BENCH_DATA=DIR        where raw results are kept (default build/bench-data)
#   BENCH_REPEATS=N       turns (default 5)
#   BENCH_PAGE=RESULT     also write docs/explanation/performance.md, from bench/results/RESULT.json and this
set -eu
cd "$(dirname "$0")/.." || exit 1
name=native-${1:-latest}
. bench/common.sh
repeats=${BENCH_REPEATS:-5}
workloads=
sampled=
rings=
if [ -n "${BENCH_TRY:-}" ]; then
    repeats=1 workloads="storm1" sampled="perl" rings="cc1plus"
fi
raw=$data/$name.jsonl

need bench/malloc_storm bin/ubiheap

for rival in heaptrack sqlite3 g++ perl valgrind; do
    command -v "$rival" >/dev/null || echo "bench: $rival is not installed (Debian package $rival), and left out" >&2
done
echo "bench: recording programs" >&2
: >"$raw"
# shellcheck disable=SC2086 # workloads are several words
python3 bench/native.py "$build" --turns "$repeats" --raw "$raw" --data "$data" $workloads >&2
# shellcheck disable=SC2086 # programs are several words
python3 bench/native_sampling.py "$build" --turns "$repeats" --raw "$raw" --data "$data" $sampled >&2
# shellcheck disable=SC2086 # programs are several words
python3 bench/native_ring.py "$build" --raw "$raw" --data "$data" $rings >&2
python3 bench/report.py collect --native --build "$build" --name "$name" "$raw" >"$data/$name.json"
mv "$data/$name.json" "bench/results/$name.json"
python3 bench/report.py tables "bench/results/$name.json"
if [ -n "${BENCH_PAGE:-}" ]; then
    sh bench/page.sh "$BENCH_PAGE"
fi
