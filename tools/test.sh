#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Builds and runs every test: quick ones on the everyday build, those of the engine with its older source, then gcc release,
# clang with ASan and UBSan (the stored inputs of the fuzz targets too), and ThreadSanitizer on tests that start threads. All
# stages run, whatever fails. The last line is `N passed, N failed, N skipped`, summed over all stages; exit 1 when anything failed. With CI=true a skip that
# tests/expected-skips.txt does not list fails.
set -u
cd "$(dirname "$0")/.." || exit 1
passed=0
failed=0
skipped=0
trouble=
# One more than there are processors, for some tests wait more than they work; the longest of them, record_test, does half of its time.
jobs=${JOBS:-$(($(nproc) + 1))}
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

stage() { # preset, what it is, further arguments of ctest
    preset=$1
    echo
    echo "== $2"
    shift 2
    if ! sh tools/build.sh "$preset"; then
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
        $fixed_addresses ctest --test-dir "build/$preset" -j "$jobs" --output-on-failure "$@" 2>&1
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

stage dev "gcc, everyday build with checks, quick tests" -L '^quick$'
if [ ! -f third-party/quickjs-2021-03-27/quickjs.c ]; then
    echo "== QuickJS 2021-03-27: left out, \`make deps\` could not fetch it"
elif [ ! -f third-party/quickjs-2025-04-26/quickjs.c ]; then
    echo "== QuickJS 2025-04-26: left out, \`make deps\` could not fetch it; all stages run with 2021-03-27"
else
    stage engine-2021 "gcc, QuickJS 2021-03-27: the adapter and all that runs scripts" -L '^(engines|quickjs)$'
fi
stage release "gcc, optimized; layering, exports, headers, package"
stage asan "clang, AddressSanitizer and UndefinedBehaviorSanitizer; fuzz corpora"
stage tsan "clang, ThreadSanitizer, tests that start threads" -L '^threads$'

echo
[ -z "$trouble" ] || echo "Failed:$trouble"
echo "(took $(($(date +%s) - started)) seconds)"
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
