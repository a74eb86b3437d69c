#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Builds and runs every test: those that know an engine with its older source; gcc release; ThreadSanitizer on tests that start threads;
# clang with ASan and UBSan, with checks (the stored inputs of the fuzz targets too). All stages run, whatever fails. The last line is
# `N passed, N failed, N skipped`, summed over all stages; exit 1 when anything failed. With CI=true a skip that
# tests/expected-skips.txt does not list fails.
#
# The builds run ahead of the tests, at low priority: they take the processors that the last long tests of a stage leave idle.
set -u
cd "$(dirname "$0")/.." || exit 1
passed=0
failed=0
skipped=0
trouble=
# Two more than there are processors: many tests wait more than they work.
jobs=${JOBS:-$(($(nproc) + 2))}
started=$(date +%s)

# The sanitizers of clang 14 cannot place their shadow memory where the kernel randomizes addresses by more than 28 bits.
fixed_addresses=
if [ "$(cat /proc/sys/vm/mmap_rnd_bits 2>/dev/null || echo 0)" -gt 28 ] && setarch -R true 2>/dev/null; then
    fixed_addresses='setarch -R'
fi

fault() { # what
    failed=$((failed + 1))
    trouble="$trouble
  $1"
}

# Prints "P <n>" and, per test, "F name" or "S name" from the output of ctest.
read_results() { # log
    awk '
        /^ *[0-9]+\/[0-9]+ Test +#[0-9]+: / {
            name = $0
            sub(/^ *[0-9]+\/[0-9]+ Test +#[0-9]+: /, "", name)
            sub(/[ .*].*$/, "", name)
            if ($0 ~ / Passed +[0-9.]+ sec/) passed++
            else if ($0 ~ /\*\*\*Skipped/) print "S", name
            else print "F", name
        }
        END { print "P", passed + 0 }' "$1"
}

expected_skip() { # test
    awk -v name="$1" '$1 == name && NF > 1 { found = 1 } END { exit !found }' tests/expected-skips.txt
}

stage() { # preset, result of its build, what it is, further arguments of ctest
    preset=$1
    built=$2
    echo
    echo "== $3"
    shift 3
    cat "build/$preset.said"
    if [ "$built" != 0 ]; then
        fault "$preset: the build"
        return
    fi
    log=build/$preset.test.log
    expected=$(ctest --test-dir "build/$preset" -N "$@" | awk '/^Total Tests:/ { print $3 }')
    (
        # A test that runs away must not take the machine with it. Sanitizers reserve address space without end and have
        # limits of their own (cmake/Tests.cmake). Only the soft limit: a browser may lift it.
        # shellcheck disable=SC3045 # dash and bash have it
        [ "$preset" != release ] || ulimit -S -v $((8 * 1024 * 1024))
        # Where a script runs us in the background, interrupts are ignored, and tests that send some would wait for ever.
        $fixed_addresses env --default-signal=INT,QUIT ctest --test-dir "build/$preset" -j "$jobs" --output-on-failure "$@" 2>&1 <&3
    ) | tee "$log"
    seen=0
    while read -r kind value; do
        case $kind in
        P)
            passed=$((passed + value))
            seen=$((seen + value))
            ;;
        F)
            fault "$preset: $value"
            seen=$((seen + 1))
            ;;
        S)
            seen=$((seen + 1))
            if [ "${CI:-}" = true ] && ! expected_skip "$value"; then
                fault "$preset: $value was skipped, and tests/expected-skips.txt gives no reason"
            else
                skipped=$((skipped + 1))
            fi
            ;;
        esac
    done <<EOF
$(read_results "$log")
EOF
    if [ "${expected:-0}" -eq 0 ]; then
        fault "$preset: there are no tests"
    elif [ "$seen" -ne "$expected" ]; then
        fault "$preset: $expected tests are registered, $seen gave a result"
    fi
}

tests_of() { # preset, result of its build
    case $1 in
    engine-2021) stage "$@" "gcc with checks, QuickJS 2021-03-27: the adapter and all that runs scripts" ;;
    release) stage "$@" "gcc, optimized; layering, exports, headers, package" ;;
    asan) stage "$@" "clang, AddressSanitizer and UndefinedBehaviorSanitizer, checks; fuzz corpora" ;;
    tsan) stage "$@" "clang, ThreadSanitizer, tests that start threads" -L '^threads$' ;;
    esac
}

presets="engine-2021 release tsan asan"
if [ ! -f third-party/quickjs-2021-03-27/quickjs.c ]; then
    presets="release tsan asan"
    echo "QuickJS 2021-03-27: left out, \`make deps\` could not fetch it"
elif [ ! -f third-party/quickjs-2025-04-26/quickjs.c ]; then
    presets="release tsan asan"
    echo "QuickJS 2025-04-26: left out, \`make deps\` could not fetch it; all stages run with 2021-03-27"
fi

# Prints a line `preset result` when a build is over.
builds() {
    mkdir -p build
    for preset in $presets; do
        result=0
        nice sh tools/build.sh "$preset" >"build/$preset.said" 2>&1 || result=1
        echo "$preset $result"
    done
}

echo "Builds run ahead of the tests: $presets; build/PRESET.log says how far each is"
# Tests get the standard input of this script.
exec 3<&0
builds | {
    over=
    while read -r preset result; do
        tests_of "$preset" "$result"
        over="$over${over:+ }$preset"
    done
    [ "$over" = "$presets" ] || fault "the builds ended after: $over"
    echo
    [ -z "$trouble" ] || echo "Failed:$trouble"
    echo "(took $(($(date +%s) - started)) seconds)"
    echo "$passed passed, $failed failed, $skipped skipped"
    [ "$failed" -eq 0 ]
}
