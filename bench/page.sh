#!/bin/sh
# SPDX-License-Identifier: MIT
#
# page.sh NAME: writes the pages of the docs that are made from results: performance.md from bench/results/NAME.json and, as far
# as they are there, v8-NAME.json, quickjs-NAME.json, native-NAME.json and
# rivals-NAME.json; the table in compared-with-other-tools.md from rivals-NAME-leaks.json.
set -eu
cd "$(dirname "$0")/.." || exit 1
name=$1
docs=docs/explanation
results=bench/results/$name.json
for more in "v8-$name" "quickjs-$name" "native-$name" "timeline-$name" "rivals-$name"; do
    [ ! -f "bench/results/$more.json" ] || results="$results bench/results/$more.json"
done
mkdir -p "$docs"
# shellcheck disable=SC2086 # results are several words
python3 bench/report.py page $results >"$docs/performance.md.part"
mv "$docs/performance.md.part" "$docs/performance.md"
echo "bench: wrote $docs/performance.md" >&2
leaks=bench/results/rivals-$name-leaks.json
if [ -f "$leaks" ]; then
    python3 bench/report.py compared "$leaks" >"$docs/compared.part"
    mv "$docs/compared.part" "$docs/compared-with-other-tools.md"
    echo "bench: wrote $docs/compared-with-other-tools.md" >&2
fi
