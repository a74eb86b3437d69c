#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Stacks of a C++ program are right while exceptions are thrown, caught, thrown again and make objects go
# (unwind_exceptions.cc). Optimized and not, with g++.
set -eu

if [ "$(uname -m)" != x86_64 ]; then
    echo "the walker that reads call frame information is for x86-64"
    exit 77
fi
if ! command -v g++ >/dev/null; then
    echo "no g++ (Debian package g++)"
    exit 77
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
objects=
for source in src/unwind/*.c tests/support/stack_truth.c tests/support/random_numbers.c; do
    case $source in
    *_test.c | *_fuzz.c | *_bench.c) continue ;;
    esac
    object=$work/$(basename "$source" .c).o
    ${CC:-cc} -std=gnu17 -O2 -g -D_GNU_SOURCE= -Isrc -Itests/support -c -o "$object" "$source"
    objects="$objects $object"
done
for level in -O2 -O0; do
    # shellcheck disable=SC2086
    g++ -std=c++17 $level -g -Isrc -Itests/support -o "$work/exceptions" tests/unwind/unwind_exceptions.cc $objects
    "$work/exceptions"
done
