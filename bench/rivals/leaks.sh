#!/bin/sh
# SPDX-License-Identifier: MIT
#
# leaks.sh: takes three snapshots of each program of examples/leaks, looks for leaks in them with memlab and with ubiheap, prints
# a table and writes bench/results/NAME.json. bench/rivals/run.sh runs it, too; by itself it takes a minute.
#
#   RIVALS_NAME=NAME      name of the result without "-leaks" (default rivals-latest)
#   RIVALS_REPEATS=N      runs of each tool (default 5)
#   RIVALS_DIR=DIR        where the rivals are installed (default build/rivals)
#   BENCH_BUILD=DIR       build directory (default build/release)
#   BENCH_PAGE=RESULT     also write the pages of the docs that have the table
set -eu
cd "$(dirname "$0")/../.." || exit 1
name=${RIVALS_NAME:-rivals-latest}-leaks
rivals=${RIVALS_DIR:-build/rivals}
build=${BENCH_BUILD:-build/release}
[ -x "$build/bin/ubiheap" ] || {
    echo "rivals: $build/bin/ubiheap is missing; \`make\` builds it" >&2
    exit 1
}
sh bench/rivals/install.sh "$rivals"
snapshots=$rivals/leaks
for program in chat-server thumbnails outline; do
    rm -rf "${snapshots:?}/$program"
    node "examples/leaks/$program.js" "$snapshots/$program" >/dev/null
done
python3 bench/rivals/leaks.py --ubiheap "$build/bin/ubiheap" --build "$build" --rivals "$rivals" --snapshots "$snapshots" \
    --repeats "${RIVALS_REPEATS:-5}" --name "$name" >"$rivals/$name.json"
mkdir -p bench/results
mv "$rivals/$name.json" "bench/results/$name.json"
python3 bench/report.py tables "bench/results/$name.json"
if [ -n "${BENCH_PAGE:-}" ]; then
    sh bench/page.sh "$BENCH_PAGE"
fi
