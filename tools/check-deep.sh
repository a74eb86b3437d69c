#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The tests that take long, and the long variants of the others (UBI_DEEP=1): on the everyday build, whose checks see all cases;
# optimized; under the sanitizers; then the scripts of tests/deep, and the stored inputs of the fuzz targets under libFuzzer itself.
set -u
cd "$(dirname "$0")/.." || exit 1
failed=0

for preset in dev release asan fuzz; do
    sh tools/build.sh "$preset" -DUBI_DEEP_TESTS=ON || exit 1
    ctest --test-dir "build/$preset" --output-on-failure || failed=1
done

for script in tests/deep/*.sh; do
    case $script in *_test.sh | 'tests/deep/*.sh') continue ;; esac
    echo "== $script"
    UBI_DEEP=1 UBIHEAP=$PWD/build/release/bin/ubiheap UBI_SOURCE_DIR=$PWD UBI_BUILD_DIR=$PWD/build/release sh "$script" || failed=1
done

[ "$failed" -eq 0 ] && echo "check-deep: all passed"
exit "$failed"
