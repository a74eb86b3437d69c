#!/bin/sh
# SPDX-License-Identifier: MIT
#
# build.sh PRESET [cmake cache arguments]: configures and builds a preset, quietly unless something is wrong.
# JOBS limits the number of parallel jobs.
set -eu
cd "$(dirname "$0")/.." || exit 1
preset=$1
shift
log=build/$preset.log
mkdir -p build

fail() {
    cat "$log"
    echo "build: $preset failed; the output above is in $log" >&2
    exit 1
}

command -v cmake >/dev/null 2>&1 || {
    echo "build: cmake is missing (Debian package cmake); \`make deps\` installs it" >&2
    exit 1
}
echo "build: $preset in build/$preset$([ -d "build/$preset" ] || echo "; the first time takes some minutes, $log says how far it is")"
cmake --preset "$preset" "$@" >"$log" 2>&1 || fail
sed -n 's/^ubiheap: /build: /p' "$log"
cmake --build --preset "$preset" ${JOBS:+-j "$JOBS"} >>"$log" 2>&1 || fail
