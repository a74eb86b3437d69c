# SPDX-License-Identifier: MIT
#
# common.sh: what the scripts that measure share; they read it with `.`, from the top of the source tree.
#
#   build, data           where programs are and where generated and raw files are kept (BENCH_BUILD, BENCH_DATA)
#   need PROGRAM...       ends with a message unless all of these are built; makes the folders for results
# shellcheck shell=sh
build=${BENCH_BUILD:-build/release}
data=${BENCH_DATA:-build/bench-data}

need() { # programs, below $build
    for program in "$@"; do
        [ -x "$build/$program" ] || {
            echo "bench: $build/$program is missing; \`make bench\` builds it" >&2
            exit 1
        }
    done
    mkdir -p "$data" bench/results
}
