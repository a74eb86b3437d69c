#!/bin/sh
# SPDX-License-Identifier: MIT
#
# recordings.sh [NAME]: measures questions about large recordings: of 10 million allocations all that is asked, the first time and with an
# index; of 100 million, and of a file of 1 GB with 5 bytes or more for an event, the first report. Writes
# bench/results/recordings-NAME.json (default: latest), then prints the tables. bench/run.py runs it, too.
#
#   BENCH_TRY=1           files of a hundredth of the size: does the script work?
#   BENCH_BUILD=DIR       build directory (default build/release)
#   BENCH_DATA=DIR        where recordings and raw files are kept (default build/bench-data)
#   BENCH_REPEATS=N       turns (default 3)
#   BENCH_PAGE=RESULT     also write docs/explanation/performance.md, from bench/results/RESULT.json and this
set -eu
cd "$(dirname "$0")/.." || exit 1
name=recordings-${1:-latest}
. bench/common.sh
repeats=${BENCH_REPEATS:-3} zeros=000000
[ -z "${BENCH_TRY:-}" ] || zeros=0000 repeats=1
raw=$data/$name.jsonl
files=$data/$name.files
need bench/large_recording_bench bin/ubiheap
: >"$raw"
: >"$files"

recording_measure() { # name, millions of allocations, "wide" or nothing, options of recordings.py
    path=$data/$1.ubirec
    if [ ! "$path" -nt "$build/bench/large_recording_bench" ]; then
        echo "bench: making $1.ubirec" >&2
        "$build/bench/large_recording_bench" "$data/part.$1.ubirec" "$2$zeros" ${3:+"$3"} >&2
        mv "$data/part.$1.ubirec" "$path"
    fi
    printf '%s\tbuild/release/bench/large_recording_bench %s.ubirec %s000000%s\n' "$path" "$1" "$2" "${3:+ $3}" >>"$files"
    echo "bench: $1.ubirec" >&2
    python3 bench/recordings.py --ubiheap "$build/bin/ubiheap" --repeats "$repeats" ${4:+"$4"} "$path" >>"$raw"
}

recording_measure recording-10M 10 "" ""
recording_measure recording-100M 100 "" --first-alone
recording_measure recording-wide 95 wide --first-alone

python3 bench/report.py collect --recordings --build "$build" --files "$files" --name "$name" --by "sh bench/recordings.sh" "$raw" \
    >"$data/$name.json"
mv "$data/$name.json" "bench/results/$name.json"
python3 bench/report.py tables "bench/results/$name.json"
if [ -n "${BENCH_PAGE:-}" ]; then
    sh bench/page.sh "$BENCH_PAGE"
fi
