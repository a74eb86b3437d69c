#!/bin/sh
# SPDX-License-Identifier: MIT
#
# run.sh [NAME]: measures and writes bench/results/NAME.json (default: latest), then prints the tables; and the same of live
# heaps of QuickJS (quickjs.sh), in bench/results/quickjs-NAME.json, and of heap snapshots of V8 (v8.sh), in
# bench/results/v8-NAME.json.
#
#   BENCH_FULL=1          also 10^8 edges (about 2 GiB of disk and 4 GiB of memory), and 50 million nodes of V8 (more)
#   BENCH_FILES="a b"     also these snapshots of your own
#   BENCH_BUILD=DIR       build directory (default build/release)
#   BENCH_DATA=DIR        where generated snapshots are kept (default build/bench-data)
#   BENCH_SECONDS=N       at most about this long per file (default 15)
#   BENCH_PAGE=1          also write docs/explanation/performance.md from the results (page.sh)
set -eu
cd "$(dirname "$0")/.." || exit 1
name=${1:-latest}
. bench/common.sh
seconds=${BENCH_SECONDS:-15}
raw=$data/$name.jsonl
files=$data/$name.files

need bench/generate bench/load_bench bench/census_bench bench/dominators_bench bench/paths_bench bench/save_bench
: >"$raw"
: >"$files"

measure() { # file, the command that makes it
    printf '%s\t%s\n' "$1" "$2" >>"$files"
    echo "bench: $(basename "$1")" >&2
    "$build/bench/load_bench" --seconds "$seconds" "$1" >>"$raw"
    "$build/bench/census_bench" "$1" >>"$raw"
    "$build/bench/dominators_bench" "$1" >>"$raw"
    "$build/bench/paths_bench" "$1" >>"$raw"
    "$build/bench/save_bench" "$1" >>"$raw"
}

generated() { # name, options of generate
    file=$data/$1.fxsnapshot
    shift
    if [ ! "$file" -nt "$build/bench/generate" ]; then
        echo "bench: making $(basename "$file")" >&2
        "$build/bench/generate" "$@" "$file.part" 2>/dev/null
        mv "$file.part" "$file"
    fi
    measure "$file" "build/release/bench/generate $* $(basename "$file")"
}

measure tests/data/fx/tiny-before.fxsnapshot ""
for file in ${BENCH_FILES:-}; do
    case $file in
    *.heapsnapshot | *.heapsnapshot.gz) ;; # for v8.sh
    *) measure "$file" "" ;;
    esac
done
for edges in 10k 100k 1M 10M ${BENCH_FULL:+100M}; do
    generated "browser-$edges" --edges "$edges"
done
generated stacks-1M --edges 1M --stacks 50
for shape in random-ids inline-names unreachable shuffled list star grid; do
    generated "$shape-1M" --shape "$shape" --edges 1M
done

# Graphs that are hard on dominators, made in memory.
for shape in list list-back star star-back grid wide shuffled-list random shared-tail; do
    echo "bench: shape $shape" >&2
    "$build/bench/dominators_bench" --repeats 3 --nodes 10000000 "shape:$shape" >>"$raw"
done
"$build/bench/dominators_bench" --repeats 3 --nodes 1000000 shape:dense >>"$raw"

python3 bench/report.py collect --build "$build" --files "$files" --name "$name" "$raw" >"bench/results/$name.json"
python3 bench/report.py tables "bench/results/$name.json"
# Live heaps of QuickJS, recordings of programs, markers and snapshots of V8, into results of their own; then the pages.
sh bench/quickjs.sh "$name"
sh bench/native.sh "$name"
sh bench/timeline.sh "$name"
BENCH_PAGE=${BENCH_PAGE:+$name} sh bench/v8.sh "$name"
