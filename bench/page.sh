#!/bin/sh
# SPDX-License-Identifier: MIT
#
# page.sh NAME [PAGE]: writes what the docs show of results: performance.md from NAME.json in bench/results (BENCH_RESULTS) and, as far as
# they are there, v8-NAME.json, session-NAME.json, http-NAME.json, rdp-NAME.json, web-NAME.json, mcp-NAME.json, cdp-NAME.json, quickjs-NAME.json,
# engines.json, native-NAME.json, recordings-NAME.json, timeline-NAME.json and rivals-NAME.json. With another PAGE only that; without, also the range of ratios in README.md,
# and the table in compared-with-other-tools.md from rivals-NAME-leaks.json.
set -eu
cd "$(dirname "$0")/.." || exit 1
name=$1
docs=docs/explanation
page=${2:-$docs/performance.md}
folder=${BENCH_RESULTS:-bench/results}
results=
for more in "$name" "v8-$name" "session-$name" "http-$name" "rdp-$name" "web-$name" "mcp-$name" "cdp-$name" "quickjs-$name" engines "native-$name" "recordings-$name" "timeline-$name" "rivals-$name"; do
    [ ! -f "$folder/$more.json" ] || results="$results $folder/$more.json"
done
[ -f "$folder/$name.json" ] || {
    echo "bench: there is no $folder/$name.json: no page" >&2
    exit 0
}
mkdir -p "$docs"
# shellcheck disable=SC2086 # results are several words
python3 bench/report.py page $results >"$page.part"
mv "$page.part" "$page"
echo "bench: wrote $page" >&2
[ "$page" = "$docs/performance.md" ] || exit 0

# shellcheck disable=SC2086 # results are several words
python3 bench/report.py readme $results >"$docs/readme.part"
cat "$docs/readme.part" >README.md
rm "$docs/readme.part"
leaks=$folder/rivals-$name-leaks.json
if [ -f "$leaks" ]; then
    python3 bench/report.py compared "$leaks" >"$docs/compared.part"
    mv "$docs/compared.part" "$docs/compared-with-other-tools.md"
    echo "bench: wrote $docs/compared-with-other-tools.md" >&2
fi
