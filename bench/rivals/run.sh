#!/bin/sh
# SPDX-License-Identifier: MIT
#
# run.sh FILE...: opens V8 heap snapshots with Chrome's developer tools, with memlab and with ubiheap, side by side; prints
# tables and writes bench/results/NAME.json, bench/results/NAME-leaks.json (leaks.sh) and build/rivals/NAME.md.
#
#   RIVALS_NAME=NAME      name of the result (default rivals-latest)
#   RIVALS_SCALE=1        also made-up files of 1, 6.5 and 50 million nodes, for ubiheap alone (5 GB of disk, 8 GB of memory)
#   BENCH_DATA=DIR        where these are kept (default build/bench-data)
#   RIVALS_REPEATS=N      runs of each tool (default 5)
#   RIVALS_DIR=DIR        where the rivals are installed (default build/rivals)
#   BENCH_BUILD=DIR       build directory (default build/release)
#   NODE_OPTIONS=...      such as --max-old-space-size=12000, when a file is too much for the rivals
#   BENCH_PAGE=RESULT     also write the pages of the docs, from results of bench/run.py and this (bench/page.sh); this
#                         one's NAME is then rivals-RESULT
set -eu
cd "$(dirname "$0")/../.." || exit 1
name=${RIVALS_NAME:-rivals-latest}
rivals=${RIVALS_DIR:-build/rivals}
build=${BENCH_BUILD:-build/release}
[ $# -gt 0 ] || {
    echo "usage: sh bench/rivals/run.sh FILE...; bench/rivals/make-big.sh makes a file" >&2
    exit 2
}
[ -x "$build/bin/ubiheap" ] || {
    echo "rivals: $build/bin/ubiheap is missing; \`make\` builds it" >&2
    exit 1
}
sh bench/rivals/install.sh "$rivals"
data=${BENCH_DATA:-build/bench-data}
mkdir -p bench/results "$data"
scale=
for nodes in ${RIVALS_SCALE:+1M 6500k 50M}; do
    file=$data/v8-$nodes.heapsnapshot
    if [ ! "$file" -nt "$build/bench/generate" ]; then
        "$build/bench/generate" --shape v8 --nodes "$nodes" "$file.part" 2>/dev/null
        mv "$file.part" "$file"
    fi
    scale="$scale --alone $file"
done
python3 bench/rivals/measure.py --ubiheap "$build/bin/ubiheap" --build "$build" --rivals "$rivals" \
    --repeats "${RIVALS_REPEATS:-5}" --name "$name" $scale "$@" >"$rivals/$name.json"
mv "$rivals/$name.json" "bench/results/$name.json"
python3 bench/report.py tables "bench/results/$name.json" | tee "$rivals/$name.md"
RIVALS_NAME=$name BENCH_PAGE=${BENCH_PAGE:-} sh bench/rivals/leaks.sh
