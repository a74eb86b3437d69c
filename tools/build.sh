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
# A compiler cache that is installed is used: in a second checkout, or after a clean, most objects are there.
if command -v ccache >/dev/null 2>&1; then
    : "${CMAKE_C_COMPILER_LAUNCHER:=ccache}" "${CCACHE_BASEDIR:=$PWD}" "${CCACHE_NOHASHDIR:=1}"
    export CMAKE_C_COMPILER_LAUNCHER CCACHE_BASEDIR CCACHE_NOHASHDIR
fi
# A first build begins with objects that another preset compiles the same: ninja compiles again those whose commands differ.
begin_with() { # preset, folders of objects
    from=build/$1
    shift
    [ ! -d "build/$preset" ] && [ -f "$from/.ninja_deps" ] || return 0
    mkdir "build/$preset"
    (cd "$from" && find "$@" -name '*.o' ! -path '*_test.dir/*' -exec cp -p --parents -t "../$preset" {} + &&
        cp -p .ninja_log .ninja_deps "../$preset") || rm -rf "build/$preset"
}
case $preset in
asan) begin_with tsan CMakeFiles/ubiheap_preload.dir CMakeFiles/ubiheap_watch.dir ;;
esac
# The tests of engine-2021 need no page: it is built while they run.
[ "$preset" = engine-2021 ] || sh tools/build-web.sh
echo "build: $preset in build/$preset$([ -f "build/$preset/CMakeCache.txt" ] || echo "; the first time takes some minutes, $log says how far it is")"
cmake --preset "$preset" "$@" >"$log" 2>&1 || fail
sed -n 's/^ubiheap: /build: /p' "$log"
cmake --build --preset "$preset" ${JOBS:+-j "$JOBS"} >>"$log" 2>&1 || fail
