#!/bin/sh
# SPDX-License-Identifier: MIT
#
# web.sh [NAME]: measures what people who look at the page of `ubiheap serve` wait for, in a real Chromium: first views, expanding, sorting,
# filtering and scrolling, the renderer's memory, and imports beside Firefox's own panel. Writes bench/results/web-NAME.json (default:
# latest), then prints the tables. Ends with status 1 where more rows are sent, or more is in the document, than may be.
#
#   BENCH_TRY=1           small heaps, one turn: does the script work?
#   BENCH_BUILD=DIR       build directory (default build/release)
#   BENCH_DATA=DIR        where generated snapshots and raw files are kept (default build/bench-data)
#   BENCH_REPEATS=N       turns of first views and imports (default 3)
#   BENCH_PAGE=RESULT     also write docs/explanation/performance.md, from bench/results/RESULT.json and this
set -eu
cd "$(dirname "$0")/.." || exit 1
name=web-${1:-latest}
. bench/common.sh
repeats=${BENCH_REPEATS:-3} edges=33M import=8736k rows=1000000 boxes=100000
raw=$data/$name.jsonl files=$data/$name.files
if [ -n "${BENCH_TRY:-}" ]; then
    repeats=1 edges=330k import=87k rows=10000 boxes=1000
fi
need bin/ubiheap
for needed in web/dist/index.html web/node_modules/playwright-core/package.json; do
    [ -f "$needed" ] || {
        echo "bench: $needed is missing; \`make\` builds the page, where npm is" >&2
        exit 1
    }
done
: >"$files"
: >"$raw"

classes() { # count, path
    if [ ! "$2" -nt bench/web/classes.py ]; then
        echo "bench: making ${2##*/}" >&2
        python3 bench/web/classes.py "$1" "$data/part.${2##*/}"
        mv "$data/part.${2##*/}" "$2"
    fi
    printf '%s\tpython3 bench/web/classes.py %s %s\n' "$2" "$1" "${2##*/}" >>"$files"
}

big=$data/session-$edges-v8.heapsnapshot newer=$data/web-$edges-v8.heapsnapshot imported=$data/web-$import-browser.fxsnapshot
many=$data/web-$rows-classes.fxsnapshot map=$data/web-$boxes-classes.fxsnapshot
generated v8 "$edges" "$big"
generated v8 "$edges" "$newer" "--seed 2"
generated browser "$import" "$imported"
classes "$rows" "$many"
classes "$boxes" "$map"

status=0
node bench/web/measure.mjs --ubiheap "$build/bin/ubiheap" --big "$big" --newer "$newer" --rows "$many" --boxes "$map" --dist web/dist \
    --repeats "$repeats" >>"$raw" || status=$?
turn=0
while [ "$turn" -lt "$repeats" ]; do
    node bench/web/imports.mjs --ubiheap "$build/bin/ubiheap" "$imported" >>"$raw"
    if command -v firefox-esr >/dev/null; then
        python3 bench/firefox/panel.py "$imported" >>"$raw"
    fi
    turn=$((turn + 1))
done

python3 bench/report.py collect --web --build "$build" --files "$files" --name "$name" --by "sh bench/web.sh" "$raw" >"$data/$name.json"
mv "$data/$name.json" "bench/results/$name.json"
python3 bench/report.py tables "bench/results/$name.json"
if [ -n "${BENCH_PAGE:-}" ]; then
    sh bench/page.sh "$BENCH_PAGE"
fi
exit "$status"
