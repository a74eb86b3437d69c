#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A program whose segments lie far apart is walked through, and known as one module (unwind_gaps.c). It is linked with
# the walker at a fixed place, where there are gaps.
set -eu

if [ "$(uname -m)" != x86_64 ]; then
    echo "the walker that reads call frame information is for x86-64"
    exit 77
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
sources=
for source in src/unwind/*.c tests/support/stack_truth.c tests/unwind/unwind_gaps.c; do
    case $source in
    *_test.c | *_fuzz.c | *_bench.c) continue ;;
    esac
    sources="$sources $source"
done
# shellcheck disable=SC2086
${CC:-cc} -std=gnu17 -O2 -g -D_GNU_SOURCE= -Isrc -Itests/support -no-pie -Wl,--section-start=.far=0x20000000 -Wl,--build-id \
    -o "$work/gaps" $sources
"$work/gaps"
