#!/bin/sh
# SPDX-License-Identifier: MIT
#
# quickjs.sh [NAME]: measures the live engine, writes bench/results/quickjs-NAME.json (default: latest), then prints the
# tables: walking, saving and counting heaps of QuickJS; what the tools cost a script, in instructions and in time.
# bench/run.py runs it, too.
#
#   BENCH_TRY=1           two workloads, once: does the script work?
#   BENCH_BUILD=DIR       build directory (default build/release)
#   BENCH_DATA=DIR        where raw results are kept (default build/bench-data)
#   BENCH_WALKS=N         turns of walks and saves (default 25)
#   BENCH_REPEATS=N       turns of workloads (default 5)
#   BENCH_ENGINES=DIRS    release builds with other engines, whose instructions are counted too (UBI_QUICKJS_DIR)
#   BENCH_PAGE=RESULT     also write docs/explanation/performance.md, from bench/results/RESULT.json and this
set -eu
cd "$(dirname "$0")/.." || exit 1
name=quickjs-${1:-latest}
. bench/common.sh
walks=${BENCH_WALKS:-25}
repeats=${BENCH_REPEATS:-5}
workloads=
if [ -n "${BENCH_TRY:-}" ]; then
    walks=1 repeats=1 workloads="allocation json"
fi
raw=$data/$name.jsonl

need bench/quickjs_walk_bench bench/quickjs_tracking_bench bench/plain_quickjs_bench

echo "bench: walks of live heaps" >&2
"$build/bench/quickjs_walk_bench" --repeats "$walks" >"$raw"
echo "bench: scripts with and without the tools" >&2
# shellcheck disable=SC2086 # workloads are several words
python3 bench/quickjs_tracking.py "$build" --turns "$repeats" --raw "$raw" $workloads >&2
for other in ${BENCH_ENGINES:-}; do
    # shellcheck disable=SC2086 # workloads are several words
    python3 bench/quickjs_tracking.py "$other" --turns 0 --raw "$raw" $workloads >&2
done

python3 bench/report.py collect --quickjs --build "$build" --name "$name" "$raw" >"$data/$name.json"
mv "$data/$name.json" "bench/results/$name.json"
python3 bench/report.py tables "bench/results/$name.json"
if [ -n "${BENCH_PAGE:-}" ]; then
    sh bench/page.sh "$BENCH_PAGE"
fi
