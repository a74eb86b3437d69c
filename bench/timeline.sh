#!/bin/sh
# SPDX-License-Identifier: MIT
#
# timeline.sh [NAME]: measures markers of the timeline, writes bench/results/timeline-NAME.json (default: latest), then prints
# the tables: what a marker costs that nobody looks at, in instructions; while somebody looks, in time, beside LTTng-UST where
# that is installed; and popping ten million. bench/run.py runs it, too.
#
#   BENCH_TRY=1           one turn: does the script work?
#   BENCH_BUILD=DIR       build directory (default build/release)
#   BENCH_DATA=DIR        where raw results are kept (default build/bench-data)
#   BENCH_REPEATS=N       turns (default 25)
set -eu
cd "$(dirname "$0")/.." || exit 1
name=timeline-${1:-latest}
. bench/common.sh
repeats=${BENCH_REPEATS:-25}
[ -z "${BENCH_TRY:-}" ] || repeats=1
raw=$data/$name.jsonl

need bench/timeline_bench bench/quickjs_timeline_bench

echo "bench: markers that nobody looks at" >&2
python3 bench/timeline_instructions.py >"$raw"
echo "bench: markers" >&2
"$build/bench/timeline_bench" "$repeats" >>"$raw"
"$build/bench/quickjs_timeline_bench" "$repeats" >>"$raw"
sh bench/rivals/lttng_pairs.sh "$repeats" >>"$raw"

python3 bench/report.py collect --timeline --build "$build" --name "$name" "$raw" >"$data/$name.json"
mv "$data/$name.json" "bench/results/$name.json"
python3 bench/report.py tables "bench/results/$name.json"
