#!/bin/sh
# SPDX-License-Identifier: MIT
#
# v8.sh [NAME]: measures reading, looking at and using heap snapshots of V8, writes bench/results/v8-NAME.json (default:
# latest), then prints the tables. bench/run.py runs it, too.
#
#   BENCH_FULL=1          also 50 million nodes (about 4.3 GiB of disk and 8 GiB of memory)
#   BENCH_FILES="a b"     also these snapshots of your own
#   BENCH_TRY=1           files of a hundredth of the size, once: does the script work?
#   BENCH_BUILD=DIR       build directory (default build/release)
#   BENCH_DATA=DIR        where generated snapshots are kept (default build/bench-data)
#   BENCH_SECONDS=N       reading: at most about this long per file (default 15)
#   BENCH_REPEATS=N       turns of everything else (default 5)
#   BENCH_PAGE=RESULT     also write docs/explanation/performance.md, from bench/results/RESULT.json and this
set -eu
cd "$(dirname "$0")/.." || exit 1
name=v8-${1:-latest}
. bench/common.sh
seconds=${BENCH_SECONDS:-15}
repeats=${BENCH_REPEATS:-5}
small=
if [ -n "${BENCH_TRY:-}" ]; then
    small=/100 seconds=0 repeats=1
fi
raw=$data/$name.jsonl
files=$data/$name.files

need bench/generate bench/load_bench bench/lens_bench bin/ubiheap
: >"$raw"
: >"$files"

measure() { # file, the command that makes it
    printf '%s\t%s\n' "$1" "$2" >>"$files"
    echo "bench: $(basename "$1")" >&2
    "$build/bench/load_bench" --seconds "$seconds" "$1" >>"$raw"
    "$build/bench/lens_bench" --repeats "$repeats" "$1" >>"$raw"
}

generate() { # file below $data, nodes in thousands, options of generate: sets `path` and `made_by`
    path=$data/$1 made_by="$3 --nodes $(($2 $small))k"
    if [ ! "$path" -nt "$build/bench/generate" ]; then
        echo "bench: making $1" >&2
        # shellcheck disable=SC2086 # options are several words
        "$build/bench/generate" $made_by "$data/part.$1" 2>/dev/null
        mv "$data/part.$1" "$path"
    fi
    made_by="build/release/bench/generate $made_by $1"
}

generated() { # the same, and measures it
    generate "$@"
    measure "$path" "$made_by"
}

commands() { # repeats, arguments of commands.py
    turns=$1
    shift
    echo "bench: commands: $*" >&2
    python3 bench/commands.py --ubiheap "$build/bin/ubiheap" --repeats "$turns" "$@" >>"$raw"
}

prefix=v8${small:+-try}
for file in ${BENCH_FILES:-}; do
    case $file in
    *.heapsnapshot | *.heapsnapshot.gz)
        measure "$file" ""
        commands "$repeats" "$file"
        ;;
    esac
done
generated "$prefix-1M.heapsnapshot" 1000 "--shape v8"
generated "$prefix-6500k.heapsnapshot" 6500 "--shape v8"
[ -z "${BENCH_FULL:-}" ] || generated "$prefix-50M.heapsnapshot" 50000 "--shape v8"
generated "$prefix-1M.heapsnapshot.gz" 1000 "--shape v8"
for version in node12 node24 chromium; do
    generated "$prefix-$version-1M.heapsnapshot" 1000 "--shape v8 --v8 $version"
done
for shape in list star shapes escaped; do
    generated "$prefix-$shape-1M.heapsnapshot" 1000 "--shape v8-$shape"
done

# Whole processes: all commands on one program's heap at three times, and the summary on heaps of all sizes.
generate "$prefix-6400k.heapsnapshot" 6400 "--shape v8"
old=$path
generate "$prefix-6600k.heapsnapshot" 6600 "--shape v8"
newer=$path
commands "$repeats" --only summary "$data/$prefix-1M.heapsnapshot"
commands "$repeats" "$data/$prefix-6500k.heapsnapshot" "$old" "$newer"
[ -z "${BENCH_FULL:-}" ] || commands 2 --only summary "$data/$prefix-50M.heapsnapshot"

python3 bench/report.py collect --v8 --build "$build" --files "$files" --name "$name" "$raw" >"$data/$name.json"
mv "$data/$name.json" "bench/results/$name.json"
python3 bench/report.py tables "bench/results/$name.json"
if [ -n "${BENCH_PAGE:-}" ]; then
    sh bench/page.sh "$BENCH_PAGE"
fi
