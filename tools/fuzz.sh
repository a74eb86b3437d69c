#!/bin/sh
# SPDX-License-Identifier: MIT
#
# fuzz.sh [TARGET...]: fuzzes the targets named, or all, for FUZZ_SECONDS each (default 60), starting from fuzz/corpus/TARGET.
# New inputs gather in build/fuzz/found/TARGET; inputs that break something in build/fuzz/crashes. Exit 1 when there are some.
set -u
cd "$(dirname "$0")/.." || exit 1
seconds=${FUZZ_SECONDS:-60}
sh tools/build.sh fuzz || exit 1
crashes=build/fuzz/crashes
mkdir -p "$crashes"
export ASAN_OPTIONS=allocator_may_return_null=1 UBSAN_OPTIONS=print_stacktrace=1
failed=0

if [ $# -eq 0 ]; then
    for program in build/fuzz/fuzz/*_fuzz; do
        [ -x "$program" ] && set -- "$@" "$(basename "$program")"
    done
fi
[ $# -gt 0 ] || {
    echo "fuzz: there is no fuzz target"
    exit 1
}

for target in "$@"; do
    found=build/fuzz/found/$target
    mkdir -p "$found"
    echo "== $target, $seconds seconds"
    if "build/fuzz/fuzz/$target" -max_total_time="$seconds" -timeout=25 -rss_limit_mb=4096 -print_final_stats=1 \
        -artifact_prefix="$crashes/$target-" "$found" "fuzz/corpus/$target" 2>"build/fuzz/$target.log"; then
        grep -E '^stat::(number_of_executed_units|new_units_added|peak_rss_mb)' "build/fuzz/$target.log"
    else
        failed=1
        tail -n 40 "build/fuzz/$target.log"
    fi
done

if [ "$failed" -ne 0 ]; then
    echo "fuzz: inputs that broke something (build/fuzz/fuzz/TARGET FILE runs one again):"
    ls -l "$crashes"
fi
exit "$failed"
