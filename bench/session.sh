#!/bin/sh
# SPDX-License-Identifier: MIT
#
# session.sh [NAME]: measures sessions of a large heap: their parts, questions, cancelled requests, memory limits, and what an index
# saves, also in a memory that is smaller than the heap (as root), and of a recording of 3.7 million allocations. Writes
# bench/results/session-NAME.json (default: latest), then prints the tables. bench/run.py runs it, too.
#
#   BENCH_TRY=1           a file of a hundredth of the size, few requests: does the script work?
#   BENCH_BUILD=DIR       build directory (default build/release)
#   BENCH_DATA=DIR        where generated snapshots and raw files are kept (default build/bench-data)
#   BENCH_ONLY=indexes    repeats what is about indexes, and takes all else from bench/results/session-NAME.json;
#             =recording  repeats what is about the recording
#   BENCH_REPEATS=N       turns of opening with and without an index (default 5)
#   BENCH_PAGE=RESULT     also write docs/explanation/performance.md, from bench/results/RESULT.json and this
set -eu
cd "$(dirname "$0")/.." || exit 1
name=session-${1:-latest}
. bench/common.sh
edges=33M cancels=200 repeats=${BENCH_REPEATS:-5}
if [ -n "${BENCH_TRY:-}" ]; then
    edges=330k cancels=8 repeats=1
fi
raw=$data/$name.jsonl
files=$data/$name.files
recording=$data/session-3.7M.ubirec
need bench/generate bench/ask_bench bench/worker_bench bench/limit_bench bench/index_bench bin/ubiheap tests/large_recording_driver
: >"$raw"
: >"$files"

# What an index of a file costs and saves; `steps` are further scripts.
indexes_measure() { # path steps
    "$build/bench/index_bench" --repeats "$repeats" "$1" >"$raw.indexes"
    for step in $2; do
        python3 "bench/$step.py" --ubiheap "$build/bin/ubiheap" --repeats "$repeats" "$1" >>"$raw.indexes"
    done
    python3 bench/session_rows.py marked "$raw.indexes" >>"$raw"
    rm "$raw.indexes"
}

for kind in "v8 heapsnapshot" "browser fxsnapshot"; do
    shape=${kind% *} path=$data/session-$edges-${kind% *}.${kind#* }
    if [ "${BENCH_ONLY:-}" = recording ]; then
        printf '%s\tbuild/release/bench/generate --shape %s --edges %s %s\n' "$path" "$shape" "$edges" "${path##*/}" >>"$files"
        python3 bench/session_rows.py all "bench/results/$name.json" "$(basename "$path")" >>"$raw"
        continue
    fi
    generated "$shape" "$edges" "$path"
    echo "bench: $(basename "$path")" >&2
    if [ "${BENCH_ONLY:-}" = indexes ]; then
        python3 bench/session_rows.py kept "bench/results/$name.json" "$(basename "$path")" >>"$raw"
    else
        "$build/bench/worker_bench" --repeats "$cancels" "$path" >>"$raw"
        "$build/bench/ask_bench" "$path" >>"$raw"
        "$build/bench/limit_bench" "$path" >>"$raw"
    fi
    indexes_measure "$path" "kept_answer small_memory"
done
echo "bench: $(basename "$recording")" >&2
[ "$recording" -nt "$build/tests/large_recording_driver" ] || "$build/tests/large_recording_driver" "$recording"
printf '%s\tbuild/release/tests/large_recording_driver %s\n' "$recording" "${recording##*/}" >>"$files"
indexes_measure "$recording" kept_answer

python3 bench/report.py collect --session --build "$build" --files "$files" --name "$name" --by "sh bench/session.sh" "$raw" \
    >"$data/$name.json"
mv "$data/$name.json" "bench/results/$name.json"
python3 bench/report.py tables "bench/results/$name.json"
if [ -n "${BENCH_PAGE:-}" ]; then
    sh bench/page.sh "$BENCH_PAGE"
fi
