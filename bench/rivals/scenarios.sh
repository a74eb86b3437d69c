#!/bin/sh
# SPDX-License-Identifier: MIT
#
# scenarios.sh: looks for leaks with memlab and with ubiheap in programs of which it is known whether they leak
# (bench/rivals/scenarios), and writes bench/results/NAME.json. Takes some ten minutes.
#
# Beside the settings of settings.sh:
#   RIVALS_HALF=HALF      only "tuning" or "held-out"
#   RIVALS_BEFORE=PROGRAM ubiheap as it was before the tuning, to measure the held-out half with it as well
#   RIVALS_NOTE=TEXT      a sentence on this run for the page
#   BENCH_PAGE=1          also write the page of the docs
set -eu
cd "$(dirname "$0")/../.." || exit 1
kind=scenarios
. bench/rivals/settings.sh
python3 bench/rivals/scenarios.py --ubiheap "$build/bin/ubiheap" --build "$build" --rivals "$rivals" \
    --snapshots "$rivals/scenarios" --name "$name" ${RIVALS_HALF:+--half "$RIVALS_HALF"} \
    ${RIVALS_BEFORE:+--before "$RIVALS_BEFORE"} ${RIVALS_NOTE:+--note "$RIVALS_NOTE"} >"$rivals/$name.json"
keep_result
if [ -n "${BENCH_PAGE:-}" ]; then
    python3 bench/report.py scenarios "bench/results/$name.json" >docs/explanation/leak-scenarios.part
    mv docs/explanation/leak-scenarios.part docs/explanation/known-leaks.md
    echo "bench: wrote docs/explanation/known-leaks.md" >&2
fi
