#!/bin/sh
# SPDX-License-Identifier: MIT
#
# leaks.sh: takes three snapshots of each program of examples/leaks, looks for leaks in them with memlab and with ubiheap, prints
# a table and writes bench/results/NAME.json. bench/rivals/run.sh runs it, too; by itself it takes a minute.
#
# Beside the settings of settings.sh:
#   RIVALS_REPEATS=N      runs of each tool (default 5)
#   BENCH_PAGE=RESULT     also write the pages of the docs that have the table
set -eu
cd "$(dirname "$0")/../.." || exit 1
kind=leaks
. bench/rivals/settings.sh
snapshots=$rivals/leaks
for program in chat-server thumbnails outline; do
    rm -rf "${snapshots:?}/$program"
    node "examples/leaks/$program.js" "$snapshots/$program" >/dev/null
done
python3 bench/rivals/leaks.py --ubiheap "$build/bin/ubiheap" --build "$build" --rivals "$rivals" --snapshots "$snapshots" \
    --repeats "${RIVALS_REPEATS:-5}" --name "$name" >"$rivals/$name.json"
keep_result
python3 bench/report.py tables "bench/results/$name.json"
if [ -n "${BENCH_PAGE:-}" ]; then
    sh bench/page.sh "$BENCH_PAGE"
fi
